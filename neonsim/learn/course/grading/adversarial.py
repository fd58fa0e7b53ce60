"""Answers that seem right without computing: derived from a right one, they must fail in every exercise.

    repeats        knows the results of all published calls, by the first bytes of their inputs, and computes nothing
    gives up       computes small calls; of those as large as the timed one it writes one element
    stops early    computes no more elements than the largest published call has that is smaller than the timed one
    returns        returns at once where the timed call's size begins
    clobbers       writes back what it has read from an input
    looks around   reads before its output, where a judge might have left the result
    looks up       reads the stack above its arguments
    never ends     computes small calls; with larger ones it runs for ever
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.learn.course.grading.test_calls import Ranges, published
from neonsim.learn.course.program_exercise import Task
from neonsim.ukernel import Case
from neonsim.ukernel.contract import In, InOut, Out

__all__ = ["Cheat", "cheats"]

LOOKED_AT = 8    # bytes of every input, by which a published call is recognised
HIGH = 4096      # bytes above the arguments


@dataclass(frozen=True)
class Cheat:
    """name   str   of the page above;  text: the answer;  words: what its message must hold, as a pattern."""

    name: str
    text: str
    words: str


def cheats(task: Task, isa: str) -> tuple[Cheat, ...]:
    """Cheating answers to an exercise whose right answer is known; those that can be written in a few lines."""
    return tuple(_A64(task).all()) if isa == "aarch64" else tuple(_A32(task).all())


class _Cheats(ABC):
    """What both instruction sets share. ``back``: the return; ``right``: the right answer under another name."""

    isa, back = "", ""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.places = {name: place for place, name, _ in task.places(self.isa) if not place.startswith("[")}
        own = re.sub(rf"^({re.escape(task.label)}):", "9:", task.solution(self.isa), flags=re.M)
        self.right = re.sub(rf"^[ \t]*\.global[ \t]+{re.escape(task.label)}[ \t]*$", "", own, flags=re.M)
        self.size = next((a.name for a in task.contract.arguments if a.kind == "size" and a.name in task.calls.sizes
                          and a.name in self.places), None)
        arrays = [a for a in task.contract.arguments if a.name in self.places and a.memory is not None]
        self.inputs = [a.name for a in arrays if isinstance(a.memory, In | InOut)]
        self.outputs = [a.name for a in arrays if isinstance(a.memory, Out | InOut)]

    @abstractmethod
    def all(self) -> Iterator[Cheat]:
        """Every cheat that can be made."""

    def before(self, lines: Sequence[str]) -> str:
        """Instructions before the right answer."""
        head, _, body = _split(self.right, self.task.label)
        return head + f"{self.task.label}:\n" + "".join(f"        {line}\n" for line in lines) + body

    @property
    def large(self) -> int:
        """Where sizes of the timed call begin."""
        return min(self.task.calls._near(self.size or ""))

    @property
    def published(self) -> list[int]:
        """The sizes of the published calls, in order."""
        return sorted({case.number(self.size or "") for case in published(self.task.calls, "quick")})

    @property
    def drawn(self) -> str:
        """What is said of a cheat that shows in large calls only; a few exercises publish some of those."""
        return DRAWN if self.published[-1] < self.large else f"{DRAWN}|should be"


def _split(text: str, label: str) -> tuple[str, str, str]:
    """A program before its function's label, and from there on."""
    found = re.search(r"^(9:|[A-Za-z_]\w*:)", text, re.M)
    assert found is not None
    return text[:found.start()], label, text[found.start():]


DRAWN = "drawn anew"


class _A64(_Cheats):
    isa, back = "aarch64", "ret"

    def all(self) -> Iterator[Cheat]:
        if self.size is not None:
            register = self.places[self.size]
            large = [f"movz x9, #{self.large}", f"cmp {register}, x9", "b.lo 8f"]
            yield Cheat("returns", self.before([*large, "ret", "8:"]), self.drawn)
            yield Cheat("never ends", self.before([*large, "7: b 7b", "8:"]), "never ends")
            small = max((n for n in self.published if n < self.large), default=0)
            if small:
                yield Cheat("stops early", self.before([f"movz x9, #{small}", f"cmp {register}, x9",
                                                        f"csel {register}, {register}, x9, lo"]), self.drawn)
            if self.outputs:
                yield Cheat("gives up", self.before([*large, f"strb wzr, [{self.places[self.outputs[0]]}]", "ret",
                                                     "8:"]), self.drawn)
        if self.inputs:
            first = self.places[self.inputs[0]]
            yield Cheat("clobbers", self.before([f"ldrb w9, [{first}]", f"strb w9, [{first}]"]), "read-only")
        if self.outputs:
            yield Cheat("looks around", self.before([
                f"ldurb w9, [{self.places[self.outputs[0]]}, #-{1 + self.task.reads_before(self.isa)}]"]), "before")
        yield Cheat("looks up", self.before([f"ldr x9, [sp, #{HIGH}]"]), "reads")
        if isinstance(self.task.calls, Ranges) and len(self.outputs) == sum(
                isinstance(a.memory, Out) for a in self.task.contract.arguments):
            yield Cheat("repeats", self.repeats(), "not repeated")

    def repeats(self) -> str:
        """Return a table of the published results."""
        lines = [MACROS, f"{self.task.label}:"]
        for case in published(self.task.calls, "quick"):
            lines += self.recognized(case)
        return "\n".join([*lines, " ret"]) + "\n"

    def recognized(self, case: Case) -> Iterator[str]:
        for argument in self.task.contract.arguments:
            if argument.kind in ("size", "int32"):
                register = self.places[argument.name].replace("x", "w")
                yield f" is {_halves(case.number(argument.name) & 0xFFFFFFFF)}, {register}"
        for name in self.inputs:
            data = case.memory[name].data
            for at in range(0, min(LOOKED_AT, data.size) // 4 * 4, 4):
                yield f" holds {_halves(_number(data[at:at + 4]))}, {self.places[name]}, {at}"
        for name in self.outputs:
            data = np.asarray(case.expected[name], np.uint8)
            for at in range(0, data.size, 4):
                part = data[at:at + 4]
                yield f" put {_halves(_number(part))}, {self.places[name]}, {at}, str{STORES[part.size]}"
        yield " ret"
        yield "1:"


STORES = {4: "", 2: "h", 1: "b"}
MACROS = """.macro number low, high
 movz w9, #\\low
 movk w9, #\\high, lsl #16
.endm
.macro is low, high, register
 number \\low, \\high
 cmp \\register, w9
 b.ne 1f
.endm
.macro holds low, high, base, at
 ldr w10, [\\base, #\\at]
 is \\low, \\high, w10
.endm
.macro put low, high, base, at, store
 number \\low, \\high
 \\store w9, [\\base, #\\at]
.endm"""


def _number(data: NDArray[np.uint8]) -> int:
    return int.from_bytes(data.tobytes(), "little")


def _halves(value: int) -> str:
    return f"{value & 0xFFFF}, {value >> 16}"


class _A32(_Cheats):
    isa, back = "aarch32", "bx lr"

    def all(self) -> Iterator[Cheat]:
        if self.size is not None:
            register = self.places[self.size]
            large = [f"movw r12, #{self.large}", f"cmp {register}, r12", "blo 8f"]
            yield Cheat("returns", self.before([*large, "bx lr", "8:"]), self.drawn)
            yield Cheat("never ends", self.before([*large, "7: b 7b", "8:"]), "never ends")
        if self.inputs:
            first = self.places[self.inputs[0]]
            yield Cheat("clobbers", self.before([f"ldrb r12, [{first}]", f"strb r12, [{first}]"]), "read-only")
        yield Cheat("looks up", self.before(["ldr r12, [sp, #4000]"]), "reads")
