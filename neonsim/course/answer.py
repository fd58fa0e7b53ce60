"""An answer to an exercise: is it right, and what does it cost?

The text is untrusted. It is read within the bounds of `neonsim.limits`, may include nothing but the kernels' own
files, and every call of it ends after a fixed number of steps, in a machine of its own with guards around every buffer.
"""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from neonsim.asm import Program
from neonsim.checking import CheckResult, Subject, Sweep, Trouble, entry_of
from neonsim.course.task import CORES, Task
from neonsim.course.work import STEPS, Figures, figures, program_of, reference, run
from neonsim.errors import BadArgument, NeonsimError

__all__ = ["LONGEST_ANSWER", "Score", "Verdict", "check_answer", "score_answer"]

LONGEST_ANSWER = 200_000  # characters; the longest solution has twelve thousand
ENOUGH = 1                # failing cases: the first one found is small already, a smaller one is looked for
SHRINKING = 3.0           # seconds


@dataclass(frozen=True)
class Verdict:
    """What became of an answer; true if it passed.

    exercise, isa   str
    passed          bool             right in every byte, no rule broken, and the goal reached if there is one
    message         str              what to tell the student
    remark          str              what was done instead, if that is recognised
    result          CheckResult      of the sweep; None if the text could not be read
    trouble         Trouble | None   the smallest failing case
    goal            str              the goal, "" if there is none;  cycles: int | None, modelled, beside it
    seconds         float
    text            str              the answer
    """

    exercise: str
    isa: str
    passed: bool
    message: str
    text: str = field(repr=False)
    remark: str = ""
    result: CheckResult | None = field(default=None, repr=False)
    goal: str = ""
    cycles: int | None = None
    seconds: float = 0.0

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return f"{self.exercise} ({self.isa}): {'passed' if self.passed else 'not yet'}\n{self.message}"

    @property
    def trouble(self) -> Trouble | None:
        """The smallest failing case."""
        return self.result.smallest if self.result is not None else None

    def to_dict(self) -> dict[str, Any]:
        """For JSON: without the recorded run."""
        return {"exercise": self.exercise, "isa": self.isa, "passed": self.passed, "message": self.message,
                "remark": self.remark, "seconds": round(self.seconds, 2), "goal": self.goal, "cycles": self.cycles,
                "check": self.result.to_dict() if self.result is not None else None}


@dataclass(frozen=True)
class Score:
    """What an answer costs, beside the solution that comes with neonsim, on the case that the exercise is scored with.

    own, solution   Figures     instructions counted, cycles modelled
    core            str
    case            str         sizes of the call: "n = 256"
    goal, reached   str, bool   the exercise's goal in words, "" if it has none
    """

    exercise: str
    isa: str
    core: str
    case: str
    own: Figures
    solution: Figures
    goal: str = ""
    reached: bool = True

    def rows(self) -> list[tuple[str, int, int]]:
        """(what, yours, the solution's)"""
        return [("instructions, counted", self.own.instructions, self.solution.instructions),
                (f"cycles on {self.core}, modelled", self.own.cycles, self.solution.cycles)]

    def __str__(self) -> str:
        width = max(len(what) for what, _, _ in self.rows())
        lines = [f"{self.exercise} ({self.isa}), one call with {self.case}", f"  {'':<{width}}  yours  solution"]
        lines += [f"  {what:<{width}}  {own:5d}  {other:8d}" for what, own, other in self.rows()]
        if self.goal:
            lines.append(f"goal {'reached' if self.reached else 'not reached'}: {self.goal}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"exercise": self.exercise, "isa": self.isa, "core": self.core, "case": self.case,
                "own": vars(self.own), "solution": vars(self.solution), "goal": self.goal, "reached": self.reached}


def _read(task: Task, text: str, isa: str) -> tuple[Program, str]:
    if not isinstance(text, str):
        raise BadArgument(f"an answer is text, not {type(text).__name__}")
    if len(text) > LONGEST_ANSWER:
        raise BadArgument(f"an answer has at most {LONGEST_ANSWER:,} characters; this one has {len(text):,}")
    program = program_of(text, isa)
    return program, entry_of(program, task.label)


def check_answer(task: Task, text: str, isa: str | None = None, *, full: bool = False) -> Verdict:
    """Run an answer through the sweep of its exercise.

    text   str    assembly
    isa    str    left out: the first one that the exercise is posed in
    full   bool   more sizes and more data
    ->     Verdict; text that cannot be assembled is a Verdict as well, with the caret in its message

    Raises BadArgument for what is no text, or an instruction set that the exercise is not posed in.
    """
    chosen, began = task.isa(isa), clock.monotonic()
    try:
        program, entry = _read(task, text, chosen)
    except BadArgument as problem:
        if not isinstance(text, str):
            raise
        return Verdict(task.name, chosen, False, str(problem), text)
    except NeonsimError as problem:
        return Verdict(task.name, chosen, False, str(problem), text)
    subject = Subject(program, entry, task.label, task.contract.name, task.tile, task.reads_before(chosen))
    result = Sweep(subject, task.cases, steps=STEPS, enough=ENOUGH, shrinking=SHRINKING, thin=True).run(full)
    seconds = clock.monotonic() - began
    if not result:
        remark = _remark(task, result.smallest)
        message = str(result.smallest) + (f"\n\n{remark}" if remark else "")
        return Verdict(task.name, chosen, False, message, text, remark, result, seconds=seconds)
    calls = f"right in every byte: {result.cases:,} calls, {result.alone:,} of them alone under the sanitizer"
    if task.goal is None:
        return Verdict(task.name, chosen, True, calls, text, result=result, seconds=seconds)
    limit, words = task.goal.limit(task, chosen), task.goal_words(chosen)
    cycles = figures(run(task, program, entry)[1], task.goal.core).cycles
    passed = cycles <= limit
    message = (f"{calls}\n{'goal reached' if passed else 'but not fast enough'}: {cycles} modelled cycles; "
               f"the goal is {words}")
    return Verdict(task.name, chosen, passed, message, text, result=result, goal=words, cycles=cycles, seconds=seconds)


def score_answer(task: Task, text: str, isa: str | None = None, core: str | None = None) -> Score:
    """Count one call of an answer, and model its cycles, beside the solution.

    core   a name of `neonsim.cores()`; left out, the core of the exercise's goal, or the Cortex-A53

    Raises AssemblyError, MachineError and TimingError of the answer; BadArgument if its result is wrong: what is wrong
    has no score.
    """
    chosen = task.isa(isa)
    core = core or (task.goal.core if task.goal else CORES[chosen])
    program, entry = _read(task, text, chosen)
    outcome, trace = run(task, program, entry)
    if wrong := outcome.wrong():
        raise BadArgument(f"{task.name}: the result is not right yet ({wrong}); check it first")
    own, case = figures(trace, core), outcome.case
    sizes = ", ".join(f"{a.name} = {case.number(a.name)}" for a in task.contract.arguments if a.kind == "size")
    reached = task.goal is None or figures(trace, task.goal.core).cycles <= task.goal.limit(task, chosen)
    return Score(task.name, chosen, core, sizes or "its data", own, reference(task, chosen, core),
                 task.goal_words(chosen), reached)


def _remark(task: Task, trouble: Trouble | None) -> str:
    """What to say of a result that is wrong in a way that is known."""
    if trouble is None or trouble.outcome is None:
        return ""
    outcome = trouble.outcome
    for mistake in task.mistakes:
        contract = replace(outcome.case.contract, function=mistake.definition)
        expected: Mapping[str, Any] = replace(outcome.case, contract=contract).expected
        if all((left == expected[name]).all() for name, left in outcome.memory.items()):
            return mistake.remark
    return ""
