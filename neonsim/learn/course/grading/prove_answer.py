"""An answer proved to do what the text does that the exercise starts from: for all data, not for those of the sweep."""

from __future__ import annotations

from neonsim.errors import BadArgument
from neonsim.learn.course.grading.grade import read_answer
from neonsim.learn.course.grading.test_calls import published
from neonsim.learn.course.program_exercise import Task
from neonsim.verify.checking import KernelUnderTest
from neonsim.verify.proving import Proof, same

__all__ = ["prove_answer"]


def prove_answer(task: Task, text: str, isa: str | None = None, *, seconds: float = 20.0,
                 solver: str | None = None) -> Proof:
    """Return whether an answer leaves the same as the exercise's own starting text, for all data of one call of the
    sweep.

    text     assembly          isa   left out: the first one that the exercise is posed in
    seconds, solver   how long a solver is asked where the terms differ, and which; as `verify.proving.code_equivalence`
    ->       Proof; a counter-example was run

    Raises BadArgument for exercises whose start is not right already, and what is no text; AssemblyError.
    """
    chosen = task.isa(isa)
    if not task.limits.start_share:
        raise BadArgument(f"{task.name} does not start from a correct text, so there is no text to compare an answer "
                          f"with")
    plain, mine = (KernelUnderTest(*read_answer(task, each, chosen), name, task.contract.name, task.tile,
                                   task.reads_before(chosen))
                   for each, name in ((task.start(chosen), "the text that it starts from"), (text, "your answer")))
    case = max(published(task.calls, "quick"), key=lambda one: one.sizes)
    return same(plain, mine, case=case, seconds=seconds, solver=solver)
