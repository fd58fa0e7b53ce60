"""What every exercise is: words, limits, answers, the instruction sets it is posed in, and what may stand in an answer.

`Task` is one that asks for a program, `Choice` one that asks for numbers. Both are data; listing, checking, scoring,
magic, command line and tests follow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neonsim.errors import BadArgument
from neonsim.ukernel import Case

__all__ = ["CORES", "ISAS", "OPEN", "STEPS", "WIDTH", "Answers", "ExerciseBase", "Limits", "Wrong", "core_in_words"]

ISAS = ("aarch64", "aarch32")
CORES = {"aarch64": "cortex-a53", "aarch32": "cortex-a53"}  # that scores are modelled on unless another one is named
WIDTH = 120     # columns of a statement
OPEN = "// your instructions"   # a place in a starting text that an answer fills
STEPS = 20_000  # of one call of an answer; the longest call of a solution takes a tenth

Wrong = Sequence[str]   # (what of a right answer, what instead, words of the message), or (whole text, words)


@dataclass(frozen=True)
class Limits:
    """The limits besides correct bytes; all apply to the timed call, whose size is drawn.

    instructions   float | None   executed, for each element of ``per_element``, at most (counted)
    per_element    str            an array argument; left out, the one with most elements
    neon           float | None   share of the executed instructions that are NEON and that the result depends on, at
                                  least (counted)
    core           str            cycles are modelled on it
    start_share       float | None   of the modelled cycles of the text one starts from, at most
    cycles         called with the timed call: how many modelled cycles are allowed; ``words`` say what that is
    words          str            what the limit on cycles is, in words
    steps          int            of one call; what takes more counts as endless
    """

    instructions: float | None = None
    per_element: str = ""
    neon: float | None = None
    core: str = ""
    start_share: float | None = None
    cycles: Callable[[Case], int] | None = None
    words: str = ""
    steps: int = STEPS

    @property
    def times(self) -> bool:
        """Whether cycles are limited."""
        return self.start_share is not None or self.cycles is not None


@dataclass(frozen=True)
class Answers:
    """What proves an exercise: none of it is shown to students.

    correct  dict   by instruction set: the answer that others are compared with: text, or a kernel of the catalogue
    alternatives  dict   by instruction set: other right answers: (what of the right answer, what instead), or a text
    wrong    dict   by instruction set: answers that must fail, most of them mistakes that people make; each
                    (what of the right answer, what instead, words of the message) or (whole text, words of the message)
    cheats   dict   by instruction set: the same, of answers that seem right without computing
    """

    correct: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, Sequence[str | tuple[str, str]]] = field(default_factory=dict)
    wrong: Mapping[str, Sequence[Wrong]] = field(default_factory=dict)
    cheats: Mapping[str, Sequence[Wrong]] = field(default_factory=dict)


class ExerciseBase(ABC):
    """An exercise: what is common to all kinds.

    name       str               as "add-two-vectors"
    title      str               a few words
    story      str               what to do and what it is good for; paragraphs apart by an empty line
    hints      tuple[str, ...]   from a nudge to nearly everything
    limits     Limits
    answers    Answers
    """

    name: str
    title: str
    story: str
    hints: tuple[str, ...]
    limits: Limits
    answers: Answers

    @property
    def label(self) -> str:
        """The function's name."""
        return self.name.replace("-", "_")

    @property
    @abstractmethod
    def isas(self) -> tuple[str, ...]:
        """The instruction sets it can be solved in."""
        ...

    def isa(self, name: str | None) -> str:
        """Return the instruction set asked for, or the first one. Raises BadArgument for one that it is not posed
        in."""
        if name is None:
            return self.isas[0]
        if name not in self.isas:
            raise BadArgument(f"{self.name} is available for {' and '.join(self.isas)}, not for {name!r}")
        return name

    @abstractmethod
    def with_answers(self, answers: Answers) -> ExerciseBase:
        """The same exercise with these answers."""

    @abstractmethod
    def solved(self, isa: str) -> bool:
        """Whether a right answer is known."""

    @abstractmethod
    def solution(self, isa: str | None = None) -> str:
        """A right answer, as text."""

    @abstractmethod
    def start(self, isa: str | None = None) -> str:
        """The text to start from."""

    @abstractmethod
    def statement(self, isa: str | None = None) -> str:
        """The exercise as text."""

    @abstractmethod
    def argument_table(self, isa: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """What an answer has to do with, as a table: heads, and rows."""

    @property
    @abstractmethod
    def promise(self) -> str:
        """What is computed, in words and a formula; "" where the story says it all."""

    @abstractmethod
    def requirements(self, isa: str) -> list[tuple[str, str]]:
        """What is asked besides right results, as (title, words)."""

    def alternatives(self, isa: str) -> list[str]:
        """Right answers beside the solution, as texts."""
        return [row if isinstance(row, str) else self._edited(isa, *row)
                for row in self.answers.alternatives.get(isa, ())]

    def _edited(self, isa: str, old: str, new: str) -> str:
        if old not in (right := self.solution(isa)):
            raise BadArgument(f"{self.name} ({isa}): an answer replaces {old!r}, which is not in the solution")
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


def core_in_words(name: str) -> str:
    """Return a core's name as people write it: Cortex-A53."""
    return name.replace("cortex-a", "Cortex-A")
