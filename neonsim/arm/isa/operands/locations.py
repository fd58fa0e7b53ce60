"""Where the lanes of an operand live: registers, lanes of registers, constants.

A `Location` is what a template makes of a written operand: the binder reads and writes places, and the register uses
that timing and pictures show are derived from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from neonsim.arm.semantics import ElementType

__all__ = ["CLEAR_AT_FIRST", "ImmediateLane", "Location", "RegisterUse", "shares"]


@dataclass(frozen=True, slots=True)
class Location:
    """Some lanes of one register.

    bank     "v" A64 SIMD v0..v31, "q" A32 SIMD q0..q15, "x" A64 general, "r" A32 general
    number   register number in its bank; -1 for xzr/wzr (reads zero, writes vanish)
    start    first byte inside the register
    nbytes   how many bytes
    type     element type the lanes are read as
    clears   a write clears the rest of the register (A64 SIMD registers and w registers; A32: half of an s register)
    is_sp    A64 sp
    """

    bank: str
    number: int
    start: int
    nbytes: int
    type: ElementType
    clears: bool = False
    is_sp: bool = False

    @property
    def count(self) -> int:
        return self.nbytes // self.type.bytes

    @property
    def zeros_behind(self) -> int:
        """How many bytes behind it a write clears of the s register it lies in (A32): the others of its bank stay."""
        return 4 - self.nbytes if self.clears and self.bank == "q" else 0

    @property
    def registers(self) -> tuple[str, ...]:
        """Names as timing counts them: A64 v3, x3, sp; A32 d6 and d7 for q3, r3."""
        if self.bank == "x":
            return ("sp",) if self.is_sp else () if self.number < 0 else (f"x{self.number}",)
        if self.bank == "r":
            return (f"r{self.number}",)
        if self.bank == "v":
            return (f"v{self.number}",)
        first, last = self.start // 8, (self.start + self.nbytes - 1) // 8
        return tuple(f"d{2 * self.number + half}" for half in range(first, last + 1))


# Flag registers and their bits. QC, Q and the floating-point exceptions are sticky: a result is added to what is there.
# AArch32 compares floating-point numbers into flags of their own (those of FPSCR), VMRS brings them to NZCV. GE has one
# bit for each byte of a general register, written by its parallel sums (UADD8) and read by SEL. Q is set by what
# saturates or overflows in general registers. Of FPCR (FPSCR) there are bits 26 to 19, the rules of floating point. The
# monitor is 1 while an address is watched (`memory/exclusive`).
FLAG_BITS = {"nzcv": 4, "qc": 1, "fpsr": 8, "fpnzcv": 4, "ge": 4, "q": 1, "fpcr": 8, "monitor": 1}
STICKY = frozenset(("qc", "fpsr", "q"))
# Known when a function begins: a call starts a new count, nothing is watched, floating point has the rules of a reset.
CLEAR_AT_FIRST = STICKY | {"monitor", "fpcr"}
# Roles that are plain numbers of the text, not lanes.
NUMBERS = ("shift", "index", "width", "identity")


@dataclass(frozen=True, slots=True)
class ImmediateLane:
    """An immediate as one lane."""

    value: int
    type: ElementType


@dataclass(frozen=True, slots=True)
class RegisterUse:
    """One register that an instruction reads or writes.

    role       "n" "m" "a" "t" "d" "base" "offset" "nzcv" "qc"; "a" is an accumulator that comes in
    register   "v8" "x0" "sp" (A64), "d16" "r0" (A32), "nzcv", "qc"
    lanes      (element type name, first lane, number of lanes) or None for flags
    """

    role: str
    register: str
    lanes: tuple[str, int, int] | None = None


@cache
def shares(lanes: int, counts: tuple[int, ...]) -> tuple[slice, ...]:
    """Return which lanes of a result go to each of its registers, given how many lanes each register has.

    They fill the registers in order. One lane for each register (LD2R), or a single one (LD1R), stands for all the
    lanes of its register.
    """
    if lanes == 1:
        return (slice(0, 1),) * len(counts)
    if lanes == len(counts):
        counts = (1,) * lanes
    return tuple(slice(end - count, end) for end, count in zip(accumulate(counts), counts, strict=True))
