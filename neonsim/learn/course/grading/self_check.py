"""Is an exercise sound? Its right answers pass, its wrong and cheating ones fail with their remark, its limits hold.

    for row in prove(task): print(row)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import NeonsimError
from neonsim.learn.course.choice_exercise import ChoiceExercise, plan_choices, read_choices
from neonsim.learn.course.exercise import ExerciseBase
from neonsim.learn.course.grading.adversarial import cheats
from neonsim.learn.course.grading.cost import program_of, run
from neonsim.learn.course.grading.grade import REMARKS_AFTER, Verdict, check_answer
from neonsim.learn.course.grading.test_calls import published
from neonsim.learn.course.program_exercise import Task

if TYPE_CHECKING:
    from neonsim.nn.graph.plan.run import OperatorPlan

__all__ = ["CheckedItem", "prove"]

SEEDS = (1, 2, 3)
WRONG = 3          # wrong answers at least: fewer prove little
ROOM = 0.9         # of a limit that the right answer may take
NEAR = 1e-4        # of the largest result: other orders of rounding, not other results
STEPS = 0.5        # of the steps that a call may have


@dataclass(frozen=True)
class CheckedItem:
    """One thing that was looked at.

    name   str    "right answer (aarch64)"
    message  str    what is wrong and what to do; "" if all is well
    """

    name: str
    message: str = ""

    def __bool__(self) -> bool:
        return not self.message

    def __str__(self) -> str:
        return f"{'ok ' if self else 'NOT'}  {self.name}" + (f"\n     {self.message}" if self.message else "")


def prove(task: ExerciseBase) -> Iterator[CheckedItem]:
    """Everything about an exercise that a machine can look at, one `CheckedItem` after the other."""
    for isa in task.isas:
        if not task.solved(isa):
            yield CheckedItem(f"right answer ({isa})",
                              "there is none: give Answers(correct={...}) a text that solves it, so "
                              "that the exercise is known to be possible")
            continue
        yield from _answers(task, isa)
    if isinstance(task, Task):
        yield from _mistakes(task)


def _answers(task: ExerciseBase, isa: str) -> Iterator[CheckedItem]:
    solution = task.solution(isa)
    verdicts = [check_answer(task, solution, isa, seed=seed) for seed in SEEDS]
    yield _passes(f"right answer ({isa}), with {len(SEEDS)} seeds", verdicts)
    if not all(verdicts):
        return
    if isinstance(task, Task):
        yield _room(task, isa, verdicts)
    elif isinstance(task, ChoiceExercise):
        yield _alike(task, isa)
    for i, text in enumerate(task.alternatives(isa)):
        yield _passes(f"other right answer {i + 1} ({isa})", [check_answer(task, text, isa, seed=SEEDS[0])])
    start = check_answer(task, task.start(isa), isa, seed=SEEDS[0])
    says = "it passes: there is nothing to do" if start else "" if start.result is not None or start.score else (
        f"it cannot be {'assembled' if isinstance(task, Task) else 'planned'}: {start.message}")
    yield CheckedItem(f"starting text ({isa})", says)
    few = len(task.answers.wrong.get(isa, ()))
    if isa == task.isas[0] and few < WRONG:
        yield CheckedItem(f"wrong answers ({isa})",
                          f"there are {few}: at least {WRONG} show that the exercise tells right "
                          "from wrong")
    for kind in ("wrong", "cheats"):
        for i, row in enumerate(getattr(task.answers, kind).get(isa, ())):
            what = f"{'wrong' if kind == 'wrong' else 'cheating'} answer {i + 1} ({isa}): {row[-1]}"
            try:
                (text, words), = task.texts(isa, [row])
            except NeonsimError as problem:
                yield CheckedItem(what, str(problem))
                continue
            yield _fails(what, check_answer(task, text, isa, seed=SEEDS[0]), re.escape(words))
    for cheat in cheats(task, isa) if isinstance(task, Task) else ():
        yield _fails(f"cheat that {cheat.name} ({isa})", check_answer(task, cheat.text, isa, seed=SEEDS[0]),
                     cheat.words)


def _passes(what: str, verdicts: list[Verdict]) -> CheckedItem:
    bad = next((verdict for verdict in verdicts if not verdict), None)
    return CheckedItem(what, "" if bad is None else f"it does not pass: {bad.message}")


def _fails(what: str, verdict: Verdict, words: str) -> CheckedItem:
    if verdict:
        return CheckedItem(what, "it passes: more sizes or other data would find it")
    told = verdict.student_message(REMARKS_AFTER)
    if not re.search(words, told):
        return CheckedItem(what, f"the message does not hold these words: {told}")
    return CheckedItem(what)


def _room(task: Task, isa: str, verdicts: list[Verdict]) -> CheckedItem:
    """Whether the limits leave the right answer some room."""
    what, limits = f"limits ({isa})", task.limits
    program = program_of(task.solution(isa), isa)
    entry = task.label if task.label in program.symbols else next(iter(program.symbols))
    longest = max(published(task.calls, "full"), key=lambda case: case.sizes)
    steps = max(run(task, program, entry, case)[1].steps
                for case in (longest, *(task.calls.clock(seed) for seed in SEEDS)))
    if steps > STEPS * limits.steps:
        return CheckedItem(what,
                           f"the right answer takes {steps:,} steps; a limit of {limits.steps:,} leaves too little "
                           "for others: make `timed` smaller, or Limits(steps=...) larger")
    for verdict, seed in zip(verdicts, SEEDS, strict=True):
        own, case = verdict.score.cost if verdict.score else None, task.calls.clock(seed)
        if own is None:
            continue
        if limits.instructions is not None and own.instructions > ROOM * limits.instructions * task.elements(case):
            return CheckedItem(what,
                               f"the right answer executes {own.instructions / task.elements(case):.2f} instructions "
                               f"for each element of {task.counted_argument}; at most {limits.instructions:g} leaves "
                               "no room for others")
        if limits.neon is not None and (own.useful or 0) < limits.neon / ROOM * own.instructions:
            return CheckedItem(what,
                               f"{(own.useful or 0) / own.instructions:.2f} of the right answer's instructions are "
                               f"NEON that its result depends on; at least {limits.neon:g} leaves no room for others")
    if limits.instructions is None and limits.neon is None and not limits.times:
        return CheckedItem(what, "there are none: a loop over single elements would pass. Limits(instructions=..., "
                           "neon=...) ask for vectors")
    return CheckedItem(what)


def _alike(task: ChoiceExercise, isa: str) -> CheckedItem:
    """Whether the plan of the right answer computes what that of the defaults does: else it is quicker for nothing."""
    core = task.limits.core
    plans = [plan_choices(task, isa, core, read_choices(task, text)) for text in (task.start(isa), task.solution(isa))]
    left, right = (_results(plan) for plan in plans)
    near = len(left) == len(right) and all(
        a.shape == b.shape and float(np.abs(a - b).max()) <= NEAR * max(float(np.abs(a).max()), 1.0)
        for a, b in zip(left, right, strict=True))
    return CheckedItem(f"the same results ({isa})", "" if near
                       else "the plan of the right answer computes something else "
                       "than that of the defaults: choices are to change how, not what")


def _results(plan: OperatorPlan) -> list[NDArray[np.float64]]:
    from neonsim.nn.graph.plan.run import random_inputs

    results = plan.run(random_inputs(plan.graph))
    return [np.asarray(getattr(one, "values", one), np.float64)
            for one in (results if isinstance(results, tuple) else (results,))]


def _mistakes(task: Task) -> Iterator[CheckedItem]:
    for i, mistake in enumerate(task.mistakes):
        what = f"remark {i + 1}: {mistake.remark.split('. ')[0]}"
        others = ((case, replace(case, contract=replace(case.contract, function=mistake.definition)))
                  for case in published(task.calls, "quick"))
        differs = any((other.expected[name] != case.expected[name]).any() for case, other in others
                      for name in case.expected)
        yield CheckedItem(what, "" if differs
                          else "its definition gives the right results with all published calls: it "
                          "would never be shown (`extras` sizes, or other `data`?)")
