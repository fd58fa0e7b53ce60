"""An exercise that asks for a program: contract, words around it, calls, mistakes that people make, limits, answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from textwrap import fill
from typing import Any

from neonsim.errors import KernelFileError
from neonsim.learn.course.exercise import ISAS, OPEN, WIDTH, Answers, ExerciseBase, Limits, core_in_words
from neonsim.learn.course.grading.cost import start_cycles
from neonsim.learn.course.grading.test_calls import Calls
from neonsim.ukernel import Case, Contract, Kernel, Tile, kernel, kernels_folder
from neonsim.ukernel.case import axes

__all__ = ["Answers", "Limits", "Mistake", "Task", "sizes_of"]

VECTOR = Tile(1, None, 1)


@dataclass(frozen=True)
class Mistake:
    """An answer that people give instead: what it computes, and what to say about it.

    definition   as that of the contract, wrong in one point
    remark       str   a sentence or two
    """

    definition: Callable[..., None]
    remark: str


@dataclass(frozen=True, eq=False)
class Task(ExerciseBase):
    """One exercise.

    name       str                  as "add-two-vectors"
    title      str                  a few words
    contract   Contract             arguments and definition
    story      str                  what to do and what it is good for; paragraphs apart by an empty line
    calls      Calls                that answers are judged by
    hints      tuple[str, ...]      from a nudge to nearly everything
    mistakes   tuple[Mistake, ...]
    limits     Limits
    tile       Tile                 1x unless the contract is that of a tile
    start_from dict                 by instruction set: the instructions one starts from, with label and return or
                                    without; "": an empty function
    removed_lines  tuple[str, ...]  stages (`// ----` lines) of the kernel that solves it which the text leaves out
    answers    Answers
    lessons    bool                 right answers that are not here are files, kernels/lessons/NAME.ISA.S
    """

    name: str
    title: str
    contract: Contract
    story: str
    calls: Calls
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()
    limits: Limits = field(default_factory=Limits)
    tile: Tile = VECTOR
    start_from: Mapping[str, str] = field(default_factory=lambda: {"aarch64": ""})
    removed_lines: tuple[str, ...] = ()
    answers: Answers = field(default_factory=Answers)
    lessons: bool = False

    @property
    def isas(self) -> tuple[str, ...]:
        return tuple(isa for isa in ISAS if isa in self.start_from)

    def kernel(self, isa: str) -> Kernel | None:
        """Return the kernel of the catalogue that solves it, if one does."""
        named = self.answers.correct.get(isa, "")
        return kernel(named) if named and "\n" not in named else None

    def reads_before(self, isa: str) -> int:
        """Bytes before a row of its input that an answer may read: as many as the kernel that solves it."""
        known = self.kernel(isa)
        return known.header.reads_before if known is not None else 0

    def with_answers(self, answers: Answers) -> Task:
        return replace(self, answers=answers)

    def solved(self, isa: str) -> bool:
        return self.lessons or isa in self.answers.correct

    def solution(self, isa: str | None = None) -> str:
        """Return a right answer, as text. Raises KernelFileError if the package lacks its file, or there is none."""
        chosen = self.isa(isa)
        if "\n" in (text := self.answers.correct.get(chosen, "")):
            return text
        if not self.solved(chosen):
            raise KernelFileError(f"{self.name} has no solution in {chosen}")
        if (known := self.kernel(chosen)) is not None:
            return known.source
        path = kernels_folder() / "lessons" / f"{self.name}.{chosen}.S"
        if not path.is_file():
            raise KernelFileError(f"the solution of {self.name} is missing: there is no {path}. Install neonsim again.")
        return path.read_text("utf-8")

    @cached_property
    def prototype(self) -> str:
        """The function as C would declare it."""
        return self.contract.prototype(self.label)

    def places(self, isa: str) -> list[tuple[str, str, str]]:
        """(where, name, C type) of every argument at the call."""
        where = self.contract.places(isa)
        return [(where[a.name], a.name, a.ctype) for a in self.contract.arguments]

    def argument_table(self, isa: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return where the arguments are at the call."""
        return ("at the call", "name", "type"), [(where, name, kind.strip()) for where, name, kind in self.places(isa)]

    @property
    def promise(self) -> str:
        """The definition's words."""
        return self.contract.doc

    def start(self, isa: str | None = None) -> str:
        """Return the text to start from: where the arguments are, the label, and what is given of the body."""
        chosen = self.isa(isa)
        known = self.kernel(chosen)
        if self.removed_lines and known is not None:
            return _without(known.source, self.removed_lines)
        rows = [(f"{place}", f"{name}", kind) for place, name, kind in self.places(chosen)]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        head = "\n".join(f"//   {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows)
        body = self.start_from[chosen].strip("\n") or f"        {OPEN}"
        if re.search(rf"^[ \t]*{self.label}:", body, re.M):     # a whole function: its label and its way back are there
            return f"// {self.name}, {chosen}\n{head}\n{body}\n"
        back = "ret" if chosen == "aarch64" else "bx lr"
        return f"// {self.name}, {chosen}\n{head}\n{self.label}:\n{body}\n        {back}\n"

    def statement(self, isa: str | None = None) -> str:
        chosen = self.isa(isa)
        rows = self.places(chosen)
        width = max(len(place) for place, _, _ in rows)
        parts = [f"{self.name} ({chosen}): {self.title}", self.story.strip(), f"    {self.prototype}",
                 "\n".join(f"    {line}".rstrip() for line in self.contract.doc.splitlines()),
                 "Arguments at the call:\n" + "\n".join(f"    {place:<{width}}  {name}" for place, name, _ in rows)]
        parts += [fill(f"{what}: {words}.", WIDTH) for what, words in self.requirements(chosen)]
        return "\n\n".join(parts)

    @property
    def counted_argument(self) -> str:
        """The argument whose elements instructions are counted for."""
        timed = self.calls.clock()
        arrays = [a for a in self.contract.arguments if a.kind == "memory" and a.name in timed.values]
        return self.limits.per_element or max(arrays, key=lambda a: _elements(a.memory, timed)).name

    def elements(self, case: Case) -> int:
        """Return how many elements that argument has in a call."""
        return _elements(next(a.memory for a in self.contract.arguments if a.name == self.counted_argument), case)

    def cycles_allowed(self, isa: str, case: Case) -> int | None:
        """Modelled cycles that an answer may take for the timed call; None if they are not limited."""
        if self.limits.cycles is not None:
            return self.limits.cycles(case)
        share = self.limits.start_share
        return None if share is None else int(share * start_cycles(self, isa, self.limits.core, case))

    def requirements(self, isa: str) -> list[tuple[str, str]]:
        """Return what is asked besides right bytes, as (title, words): the vectors, and the goal in cycles."""
        limits, found, timed = self.limits, [], self.calls.clock()
        where = f"a call with {self.calls.between}, drawn anew each time" if self.calls.between else "a call"
        counted = []
        if limits.instructions is not None:
            word = "instruction" if limits.instructions == 1 else "instructions"
            counted.append(f"at most {limits.instructions:g} executed {word} for each element of "
                           f"{self.counted_argument}")
        if limits.neon is not None:
            counted.append(f"at least {100 * limits.neon:.0f} % of them NEON" if counted else
                           f"at least {100 * limits.neon:.0f} % of the executed instructions NEON")
        if counted:
            found.append(("Vectors", f"{', '.join(counted)} (counted in {where})"))
        if limits.times:
            allowed = self.cycles_allowed(isa, timed)
            of = limits.words or f"{100 * (limits.start_share or 0):.0f} % of what the text you start from takes"
            judged = f". Judged with {self.calls.between}, drawn anew each time, by the same rule"
            found.append(("Goal", f"at most {allowed:,} modelled cycles on a {core_in_words(limits.core)} with "
                                  f"{sizes_of(timed)}: {of}{judged if self.calls.between else ''}"))
        return found


def sizes_of(case: Case) -> str:
    """Return the sizes of a call in words: "n = 256"."""
    return ", ".join(f"{a.name} = {case.number(a.name)}" for a in case.contract.arguments
                     if a.kind == "size") or "its data"


def _elements(memory: Any, case: Case) -> int:
    return prod(axes(memory, case.values)) if memory is not None else 0


def _without(source: str, stages: Iterable[str]) -> str:
    """A kernel's text with the instructions of some stages left out."""
    kept: list[str] = []
    inside = False
    wanted: Any = tuple(stages)
    opens = False
    for line in source.splitlines():
        if line.lstrip().startswith("// ----"):
            inside = opens = any(word in line for word in wanted)
            kept.append(line)
            continue
        # A label that opens a stage is where other stages jump to: it stays.
        if not inside or (opens and line.strip().endswith(":")):
            kept.append(line)
        if opens:
            kept += [f"    {OPEN}", ""]
        opens = False
    return "\n".join(kept) + "\n"
