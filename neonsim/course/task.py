"""What an exercise is: a contract, words around it, cases, hints, mistakes that people make, and a goal.

An exercise is data: a `Task` in a file of `course/tasks/`, with its solutions and the wrong answers that it must tell
apart; listing, checking, scoring, magic, command line and tests follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from neonsim.errors import BadArgument, KernelError
from neonsim.ukernel import Case, Contract, Kernel, Tile, kernel, kernels_folder

__all__ = ["CORES", "Goal", "Mistake", "Task"]

ISAS = ("aarch64", "aarch32")
VECTOR = Tile(1, None, 1)
CORES = {"aarch64": "cortex-a53", "aarch32": "cortex-a53"}  # that scores are modelled on unless another one is named


@dataclass(frozen=True)
class Mistake:
    """An answer that people give instead: what it computes, and what to say about it.

    definition   as that of the contract, wrong in one point
    remark       str   a sentence or two
    """

    definition: Callable[..., None]
    remark: str


@dataclass(frozen=True)
class Goal:
    """What an answer must reach besides the right bytes.

    core     str   cycles are modelled on it
    words    str   the goal in words, with {limit} for the number
    limit    called with the task and the instruction set: the number of modelled cycles that is allowed
    """

    core: str
    words: str
    limit: Callable[[Task, str], int]


@dataclass(frozen=True, eq=False)
class Task:
    """One exercise.

    name        str                  as "add-two-vectors"
    title       str                  a few words
    contract    Contract             arguments and definition
    story       str                  what to do and what it is good for; paragraphs apart by an empty line
    cases       called with "quick" or "full"
    hints       tuple[str, ...]      from a nudge to nearly everything
    mistakes    tuple[Mistake, ...]
    scored      called without arguments: the case whose instructions are counted
    tile        Tile                 1x unless the contract is that of a tile
    bodies      dict                 by instruction set: the instructions one starts from; "": an empty function
    solutions   dict                 by instruction set: a kernel of the catalogue, or the text itself; what is not
                                     here is a file, kernels/lessons/NAME.ISA.S
    wrong       dict                 by instruction set: wrong answers, most of them mistakes that people make, each as
                                     (what of the solution, what instead, words that the message must hold)
    cut         tuple[str, ...]      stages (`// ----` lines) of that kernel that are left out of the starting text
    goal        Goal | None
    """

    name: str
    title: str
    contract: Contract
    story: str
    cases: Callable[[str], Iterable[Case]]
    scored: Callable[[], Case]
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...] = ()
    tile: Tile = VECTOR
    bodies: Mapping[str, str] = field(default_factory=lambda: {"aarch64": ""})
    solutions: Mapping[str, str] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    goal: Goal | None = None
    wrong: Mapping[str, Sequence[tuple[str, str, str]]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The function's name."""
        return self.name.replace("-", "_")

    @property
    def isas(self) -> tuple[str, ...]:
        """The instruction sets it can be solved in."""
        return tuple(isa for isa in ISAS if isa in self.bodies)

    def isa(self, asked: str | None) -> str:
        """The instruction set asked for, or the first one. Raises BadArgument for one that it is not posed in."""
        if asked is None:
            return self.isas[0]
        if asked not in self.isas:
            raise BadArgument(f"{self.name} is posed in {' and '.join(self.isas)}, not in {asked!r}")
        return asked

    def kernel(self, isa: str) -> Kernel | None:
        """The kernel of the catalogue that solves it, if one does."""
        named = self.solutions.get(isa, "")
        return kernel(named) if named and "\n" not in named else None

    def reads_before(self, isa: str) -> int:
        """Bytes before a row of its input that an answer may read: as many as the kernel that solves it."""
        known = self.kernel(isa)
        return known.header.reads_before if known is not None else 0

    def solution(self, isa: str | None = None) -> str:
        """A right answer, as text. Raises KernelError if the package lacks its file."""
        chosen = self.isa(isa)
        if "\n" in (text := self.solutions.get(chosen, "")):
            return text
        known = self.kernel(chosen)
        path = known.path if known else kernels_folder() / "lessons" / f"{self.name}.{chosen}.S"
        if not path.is_file():
            raise KernelError(f"the solution of {self.name} is missing: there is no {path}. Install neonsim again.")
        return path.read_text("utf-8")

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
        body = self.bodies[chosen].strip("\n") or "        // your instructions"
        return f"// {self.name}, {chosen}\n{head}\n{self.label}:\n{body}\n        {back}\n"

    def statement(self, isa: str | None = None) -> str:
        """The exercise as text."""
        chosen = self.isa(isa)
        rows = self.places(chosen)
        width = max(len(place) for place, _, _ in rows)
        parts = [f"{self.name} ({chosen}): {self.title}", self.story.strip(), f"    {self.prototype}",
                 "\n".join(f"    {line}".rstrip() for line in self.contract.doc.splitlines()),
                 "Arguments at the call:\n" + "\n".join(f"    {place:<{width}}  {name}" for place, name, _ in rows)]
        if self.goal is not None:
            parts.append("Goal: " + self.goal_words(chosen))
        return "\n\n".join(parts)

    def goal_words(self, isa: str) -> str:
        """The goal in words, with its number; "" if the right bytes are all that is asked."""
        return "" if self.goal is None else self.goal.words.format(limit=self.goal.limit(self, isa))


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
