"""What an exercise is: a contract, words around it, calls, hints, mistakes that people make, limits, answers.

An exercise is data: a `Task`, as `define` makes it; listing, checking, scoring, magic, command line and tests follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from textwrap import fill
from typing import Any

from neonsim.course.calls import Calls
from neonsim.course.work import start_cycles
from neonsim.errors import BadArgument, KernelError
from neonsim.ukernel import Case, Contract, Kernel, Tile, kernel, kernels_folder
from neonsim.ukernel.case import axes

__all__ = ["CORES", "ISAS", "STEPS", "Answers", "Limits", "Mistake", "Task", "Wrong", "sizes_of"]

ISAS = ("aarch64", "aarch32")
CORES = {"aarch64": "cortex-a53", "aarch32": "cortex-a53"}  # that scores are modelled on unless another one is named
WIDTH = 120     # columns of a statement
VECTOR = Tile(1, None, 1)
STEPS = 20_000  # of one call of an answer; the longest call of a solution takes a tenth

Wrong = Sequence[str]   # (what of a right answer, what instead, words of the message), or (whole text, words)


@dataclass(frozen=True)
class Mistake:
    """An answer that people give instead: what it computes, and what to say about it.

    definition   as that of the contract, wrong in one point
    remark       str   a sentence or two
    """

    definition: Callable[..., None]
    remark: str


@dataclass(frozen=True)
class Limits:
    """What is asked besides right bytes; all of it looked at in the timed call, whose size is drawn.

    instructions   float | None   executed, for each element of ``each``, at most (counted)
    each           str            an array argument; left out, the one with most elements
    neon           float | None   share of the executed instructions that are NEON, at least (counted)
    core           str            cycles are modelled on it
    of_start       float | None   of the modelled cycles of the text one starts from, at most
    cycles         called with the timed call: how many modelled cycles are allowed; ``words`` say what that is
    words          str            what the limit on cycles is, in words
    steps          int            of one call; what takes more counts as endless
    """

    instructions: float | None = None
    each: str = ""
    neon: float | None = None
    core: str = ""
    of_start: float | None = None
    cycles: Callable[[Case], int] | None = None
    words: str = ""
    steps: int = STEPS

    @property
    def times(self) -> bool:
        """Whether cycles are limited."""
        return self.of_start is not None or self.cycles is not None


@dataclass(frozen=True)
class Answers:
    """What proves an exercise: none of it is shown to students.

    right    dict   by instruction set: the answer that others are compared with: text, or a kernel of the catalogue
    also     dict   by instruction set: other right answers: (what of the right answer, what instead), or a text
    wrong    dict   by instruction set: answers that must fail, most of them mistakes that people make; each
                    (what of the right answer, what instead, words of the message) or (whole text, words of the message)
    cheats   dict   by instruction set: the same, of answers that seem right without computing
    """

    right: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, Sequence[str | tuple[str, str]]] = field(default_factory=dict)
    wrong: Mapping[str, Sequence[Wrong]] = field(default_factory=dict)
    cheats: Mapping[str, Sequence[Wrong]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Task:
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
    start_from dict                 by instruction set: the instructions one starts from; "": an empty function
    cut        tuple[str, ...]      stages (`// ----` lines) of the kernel that solves it which are left out of the text
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
    limits: Limits = Limits()
    tile: Tile = VECTOR
    start_from: Mapping[str, str] = field(default_factory=lambda: {"aarch64": ""})
    cut: tuple[str, ...] = ()
    answers: Answers = Answers()
    lessons: bool = False

    @property
    def label(self) -> str:
        """The function's name."""
        return self.name.replace("-", "_")

    @property
    def isas(self) -> tuple[str, ...]:
        """The instruction sets it can be solved in."""
        return tuple(isa for isa in ISAS if isa in self.start_from)

    def isa(self, asked: str | None) -> str:
        """The instruction set asked for, or the first one. Raises BadArgument for one that it is not posed in."""
        if asked is None:
            return self.isas[0]
        if asked not in self.isas:
            raise BadArgument(f"{self.name} is posed in {' and '.join(self.isas)}, not in {asked!r}")
        return asked

    def kernel(self, isa: str) -> Kernel | None:
        """The kernel of the catalogue that solves it, if one does."""
        named = self.answers.right.get(isa, "")
        return kernel(named) if named and "\n" not in named else None

    def reads_before(self, isa: str) -> int:
        """Bytes before a row of its input that an answer may read: as many as the kernel that solves it."""
        known = self.kernel(isa)
        return known.header.reads_before if known is not None else 0

    def solved(self, isa: str) -> bool:
        """Whether a right answer is known."""
        return self.lessons or isa in self.answers.right

    def solution(self, isa: str | None = None) -> str:
        """A right answer, as text. Raises KernelError if the package lacks its file, or there is none."""
        chosen = self.isa(isa)
        if "\n" in (text := self.answers.right.get(chosen, "")):
            return text
        if not self.solved(chosen):
            raise KernelError(f"no right answer to {self.name} in {chosen} is known here")
        known = self.kernel(chosen)
        path = known.path if known else kernels_folder() / "lessons" / f"{self.name}.{chosen}.S"
        if not path.is_file():
            raise KernelError(f"the solution of {self.name} is missing: there is no {path}. Install neonsim again.")
        return path.read_text("utf-8")

    def others(self, isa: str) -> list[str]:
        """Right answers beside the solution, as texts."""
        return [row if isinstance(row, str) else self._edited(isa, *row) for row in self.answers.also.get(isa, ())]

    def _edited(self, isa: str, old: str, new: str) -> str:
        if old not in (right := self.solution(isa)):
            raise BadArgument(f"{self.name} ({isa}): an answer replaces {old!r}, which the right one does not hold")
        return right.replace(old, new)

    def texts(self, isa: str, rows: Sequence[Wrong]) -> list[tuple[str, str]]:
        """(text, words of the message) of wrong answers. Raises BadArgument for an edit that changes nothing."""
        found = []
        for row in rows:
            if len(row) == 2:
                found.append((row[0], row[1]))
                continue
            found.append((self._edited(isa, row[0], row[1]), row[2]))
        return found

    @cached_property
    def prototype(self) -> str:
        """The function as C would declare it."""
        return self.contract.prototype(self.label)

    def places(self, isa: str) -> list[tuple[str, str, str]]:
        """(where, name, C type) of every argument at the call."""
        where = self.contract.places(isa)
        return [(where[a.name], a.name, a.ctype) for a in self.contract.arguments]

    def start(self, isa: str | None = None) -> str:
        """The text to start from: where the arguments are, the label, and what is given of the body."""
        chosen = self.isa(isa)
        known = self.kernel(chosen)
        if self.cut and known is not None:
            return _without(known.source, self.cut)
        rows = [(f"{place}", f"{name}", kind) for place, name, kind in self.places(chosen)]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        head = "\n".join(f"//   {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows)
        back = "ret" if chosen == "aarch64" else "bx lr"
        body = self.start_from[chosen].strip("\n") or "        // your instructions"
        return f"// {self.name}, {chosen}\n{head}\n{self.label}:\n{body}\n        {back}\n"

    def statement(self, isa: str | None = None) -> str:
        """The exercise as text."""
        chosen = self.isa(isa)
        rows = self.places(chosen)
        width = max(len(place) for place, _, _ in rows)
        parts = [f"{self.name} ({chosen}): {self.title}", self.story.strip(), f"    {self.prototype}",
                 "\n".join(f"    {line}".rstrip() for line in self.contract.doc.splitlines()),
                 "Arguments at the call:\n" + "\n".join(f"    {place:<{width}}  {name}" for place, name, _ in rows)]
        parts += [fill(f"{what}: {words}.", WIDTH) for what, words in self.asked(chosen)]
        return "\n\n".join(parts)

    @property
    def each(self) -> str:
        """The argument whose elements instructions are counted for."""
        timed = self.calls.clock()
        arrays = [a for a in self.contract.arguments if a.kind == "memory" and a.name in timed.values]
        return self.limits.each or max(arrays, key=lambda a: _elements(a.memory, timed)).name

    def elements(self, case: Case) -> int:
        """How many elements that argument has in a call."""
        return _elements(next(a.memory for a in self.contract.arguments if a.name == self.each), case)

    def cycles_allowed(self, isa: str, case: Case) -> int | None:
        """Modelled cycles that an answer may take for the timed call; None if they are not limited."""
        if self.limits.cycles is not None:
            return self.limits.cycles(case)
        share = self.limits.of_start
        return None if share is None else int(share * start_cycles(self, isa, self.limits.core, case))

    def asked(self, isa: str) -> list[tuple[str, str]]:
        """What is asked besides right bytes, as (title, words): the vectors, and the goal in cycles."""
        limits, found, timed = self.limits, [], self.calls.clock()
        where = f"a call with {self.calls.between}, drawn anew each time" if self.calls.between else "a call"
        counted = []
        if limits.instructions is not None:
            word = "instruction" if limits.instructions == 1 else "instructions"
            counted.append(f"at most {limits.instructions:g} executed {word} for each element of {self.each}")
        if limits.neon is not None:
            counted.append(f"at least {100 * limits.neon:.0f} % of them NEON" if counted else
                           f"at least {100 * limits.neon:.0f} % of the executed instructions NEON")
        if counted:
            found.append(("Vectors", f"{', '.join(counted)} (counted in {where})"))
        if limits.times:
            allowed = self.cycles_allowed(isa, timed)
            of = limits.words or f"{100 * (limits.of_start or 0):.0f} % of what the text you start from takes"
            judged = f". Judged with {self.calls.between}, drawn anew each time, by the same rule"
            found.append(("Goal", f"at most {allowed:,} modelled cycles on a {_core(limits.core)} with "
                                  f"{sizes_of(timed)}: {of}{judged if self.calls.between else ''}"))
        return found


def sizes_of(case: Case) -> str:
    """The sizes of a call in words: "n = 256"."""
    return ", ".join(f"{a.name} = {case.number(a.name)}" for a in case.contract.arguments
                     if a.kind == "size") or "its data"


def _core(name: str) -> str:
    return name.replace("cortex-a", "Cortex-A")


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
            kept += ["    // your instructions", ""]
        opens = False
    return "\n".join(kept) + "\n"
