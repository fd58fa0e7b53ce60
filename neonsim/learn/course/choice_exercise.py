"""An exercise that asks for numbers: choices that a plan is made with, judged by the cycles of a modelled core.

    // beat-the-default, aarch64
    n14 = 2     // 1 to 8
    n7 = 2      // 1 to 8

An answer is such a text: a line for every choice. It is no program: it is read, never run, and can choose nothing but
what the exercise offers. The plan of an answer and that of the defaults are modelled by the same model of the same
core; how many cycles are allowed is a share of what the defaults take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from textwrap import fill
from typing import TYPE_CHECKING

from neonsim.arm.timing import count
from neonsim.arm.timing.stream import from_order
from neonsim.errors import BadArgument, KernelFileError
from neonsim.learn.course.exercise import ISAS, WIDTH, Answers, ExerciseBase, Limits, core_in_words
from neonsim.learn.course.grading.cost import AnswerCost
from neonsim.learn.course.grading.test_calls import Values

if TYPE_CHECKING:
    from neonsim.nn.graph.plan.run import OperatorPlan

__all__ = ["ChoiceExercise", "Planned", "modeled", "plan_choices", "read_choices"]

Planned = Callable[..., "OperatorPlan"]
MAX_LINE_LENGTH = 200


@dataclass(frozen=True, eq=False)
class ChoiceExercise(ExerciseBase):
    """An exercise that asks for numbers.

    choices   dict       values that each may have: {"n": range(1, 9)}
    default   dict       those that one starts from, and that the goal is a share of
    plan      function   of (isa, core, **choices): the plan that is modelled, of the emulated backend
    posed_in  tuple      instruction sets

    ``limits`` has a core and start_share.
    """

    name: str
    title: str
    story: str
    hints: tuple[str, ...]
    limits: Limits
    choices: Mapping[str, Values]
    default: Mapping[str, int]
    plan: Planned
    posed_in: tuple[str, ...] = ISAS
    answers: Answers = field(default_factory=Answers)

    @property
    def isas(self) -> tuple[str, ...]:
        """The instruction sets it is posed in."""
        return tuple(isa for isa in ISAS if isa in self.posed_in)

    def with_answers(self, answers: Answers) -> ChoiceExercise:
        return replace(self, answers=answers)

    def solved(self, isa: str) -> bool:
        return isa in self.answers.correct

    def solution(self, isa: str | None = None) -> str:
        """Return a right answer, as text. Raises KernelFileError if there is none."""
        chosen = self.isa(isa)
        if not self.solved(chosen):
            raise KernelFileError(f"{self.name} has no solution in {chosen}")
        return self.answers.correct[chosen]

    def argument_table(self, isa: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the choices, what each may be, and the default."""
        return ("choice", "values", "default"), [(name, _range(values), str(self.default[name]))
                                                 for name, values in self.choices.items()]

    @property
    def promise(self) -> str:
        """The story says it all."""
        return ""

    def start(self, isa: str | None = None) -> str:
        """Return the defaults, as an answer."""
        lines = [(f"{name} = {self.default[name]}", _range(values)) for name, values in self.choices.items()]
        width = max(len(line) for line, _ in lines)
        rows = "".join(f"{line:<{width}}     // {values}\n" for line, values in lines)
        return f"// {self.name}, {self.isa(isa)}\n{rows}"

    def statement(self, isa: str | None = None) -> str:
        chosen = self.isa(isa)
        rows = [f"    {name} = {values}, at first {default}" for name, values,
                default in self.argument_table(chosen)[1]]
        parts = [f"{self.name} ({chosen}): {self.title}", self.story.strip(),
                 "To be chosen:\n" + "\n".join(rows)]
        parts += [fill(f"{what}: {words}.", WIDTH) for what, words in self.requirements(chosen)]
        return "\n\n".join(parts)

    def requirements(self, isa: str) -> list[tuple[str, str]]:
        """Return the goal in cycles."""
        return [("Goal", f"at most {self.cycles_allowed(isa):,} modelled cycles on a "
                         f"{core_in_words(self.limits.core)}: {100 * (self.limits.start_share or 0):.0f} % of the "
                         f"{self.default_cycles(isa):,} that the defaults take")]

    def default_cycles(self, isa: str) -> int:
        """Modelled cycles of the defaults, on the core of the limits."""
        return modeled(self, isa, self.limits.core, tuple(self.default[name] for name in self.choices)).cycles or 0

    def cycles_allowed(self, isa: str) -> int:
        """Modelled cycles that an answer may take, on the core of the limits."""
        return int((self.limits.start_share or 0) * self.default_cycles(isa))


def _range(values: Values) -> str:
    """Values in words: "1 to 8", "2, 4 or 6"."""
    if isinstance(values, range) and values.step == 1 and len(values) > 2:
        return f"{values[0]} to {values[-1]}"
    *others, last = map(str, values)
    return f"{', '.join(others)} or {last}" if others else last


def read_choices(task: ChoiceExercise, text: str) -> tuple[int, ...]:
    """Return the numbers of an answer, in the order of the exercise's choices.

    Raises BadArgument: the line, what is wrong in it, and what may stand there.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = re.sub(r"(//|#).*", "", line).strip()
        if not words:
            continue
        where = f"line {number}, {words[:MAX_LINE_LENGTH]!r}"
        match = re.fullmatch(r"(\w+)\s*=\s*(-?\d{1,9})", words, re.ASCII)
        if match is None:
            raise BadArgument(f"{where}: an answer needs a line for each choice, as {task.start().splitlines()[1]!r}")
        name, value = match[1], int(match[2])
        if name not in task.choices:
            raise BadArgument(f"{where}: unknown choice {name!r}; use {' and '.join(task.choices)}")
        if name in found:
            raise BadArgument(f"{where}: {name} is in two lines. Remove one of them")
        if value not in task.choices[name]:
            raise BadArgument(f"{where}: {name} must be {_range(task.choices[name])}")
        found[name] = value
    if missing := [name for name in task.choices if name not in found]:
        raise BadArgument(f"{missing[0]} is missing: write {missing[0]} = {_range(task.choices[missing[0]])} in a "
                          f"separate line")
    return tuple(found[name] for name in task.choices)


def plan_choices(task: ChoiceExercise, isa: str, core: str, chosen: tuple[int, ...]) -> OperatorPlan:
    """Return the plan of these choices. Raises what the plan refuses; BadArgument for what is none of the emulated
    backend."""
    plan = task.plan(isa, core, **dict(zip(task.choices, chosen, strict=True)))
    if not getattr(plan, "jobs", None):
        raise BadArgument(f"{task.name}: plan= must return a plan of the emulated backend, as graph.plan(\"emulated\", "
                          f"isa=isa, core=core); got {type(plan).__name__}")
    return plan


@lru_cache(maxsize=256)
def modeled(task: ChoiceExercise, isa: str, core: str, chosen: tuple[int, ...]) -> AnswerCost:
    """Return what a plan costs: instructions and products counted, cycles modelled. Raises as `planned`, and
    TimingError."""
    from neonsim.nn.graph.plan.cycles import network_cycles

    plan = plan_choices(task, isa, core, chosen)
    neon = products = 0
    for job in plan.jobs.values():
        for number, call in enumerate(job.job.calls):
            kernel = call.implementation.kernel
            assert kernel is not None
            order = job.execution_path(number)
            counted = count(from_order(kernel.program(), order, [False] * len(order)))
            neon, products = neon + call.tiles * counted.neon, products + call.tiles * counted.macs
    whole = network_cycles(plan, core)
    return AnswerCost(whole.instructions, neon, products, round(whole.cycles))
