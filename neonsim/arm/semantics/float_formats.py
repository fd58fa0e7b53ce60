"""Formats of floating point, the rules it is computed by, and the exceptions it raises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["AHP", "BF16", "DN", "DZC", "EXCEPTIONS", "F16", "F32", "F64", "FORMATS", "FZ", "FZ16", "IDC", "IOC", "IXC",
           "ODD", "OFC", "ROUNDING", "RULES_FROM", "STANDARD", "STEPWISE", "UFC", "Format", "LiveRules", "direction",
           "flushes"]

# Cumulative exceptions, at their places in FPSR and FPSCR: invalid operation, division by zero, overflow, underflow,
# inexact, input denormal.
IOC, DZC, OFC, UFC, IXC, IDC = 1, 2, 4, 8, 16, 128
EXCEPTIONS = IOC | DZC | OFC | UFC | IXC | IDC

# Rules are one byte: bits 26 to 19 of FPCR and FPSCR. FZ16, FZ: denormal numbers of half precision, of wider formats
# count as zero; DN: every NaN is the default one; AHP: the alternative half precision, without infinities and NaNs.
RULES_FROM = 19
FZ16, FZ, DN, AHP = 1 << 19 - RULES_FROM, 1 << 24 - RULES_FROM, 1 << 25 - RULES_FROM, 1 << 26 - RULES_FROM
ROUNDING = 3 << 22 - RULES_FROM
# Two rules that no program sets stand where FPSCR keeps the stride of vectors: rounding to odd (FCVTXN; with ROUNDING,
# what is too large is infinite, BFDOT), and the steps of Newton's method rounded at each operation, as AArch32 does it.
ODD, STEPWISE = 2, 4
# What AArch32 Advanced SIMD computes by, whatever FPSCR says; it leaves FZ16 and AHP to FPSCR.
STANDARD = FZ | DN | STEPWISE


class Format(NamedTuple):
    """A binary format: bits of the biased exponent and of the fraction."""

    exponent: int
    fraction: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def infinity(self) -> int:
        return (1 << self.exponent) - 1 << self.fraction

    @property
    def quiet(self) -> int:
        """The bit that makes a NaN quiet."""
        return 1 << self.fraction - 1

    @property
    def nan(self) -> int:
        """The default NaN."""
        return self.infinity | self.quiet

    @property
    def sign(self) -> int:
        return 1 << self.exponent + self.fraction

    @property
    def bias(self) -> int:
        return (1 << self.exponent - 1) - 1

    @property
    def lowest(self) -> int:
        """The exponent of the unit of denormal numbers."""
        return 1 - self.bias - self.fraction

    def power(self, exponent: int) -> int:
        """2**exponent, a normal number."""
        return self.bias + exponent << self.fraction


F16, F32, F64, BF16 = Format(5, 10), Format(8, 23), Format(11, 52), Format(8, 7)
FORMATS = {"f16": F16, "f32": F32, "f64": F64, "bf16": BF16}


def flushes(rules: int, form: Format) -> bool:
    """Return whether denormal numbers of a format count as zero."""
    return bool(rules & (FZ16 if form is F16 else FZ))


def direction(rules: int) -> str:
    """Return how FPCR rounds, as the letter in FCVT and FRINT; "o": to odd."""
    return "o" if rules & ODD else "npmz"[(rules & ROUNDING) // (ROUNDING & -ROUNDING)]


@dataclass(frozen=True, slots=True)
class LiveRules:
    """Rules that are known when a text runs: what its register says, ANDed with ``keep`` and ORed with ``set``.

    register   the lanes of it, for the reading that writes text; a word keeps the two numbers only
    """

    keep: int
    set: int
    register: Any = field(default=None, compare=False, hash=False)

    def __and__(self, mask: int) -> LiveRules:
        return LiveRules(self.keep & mask, self.set & mask, self.register)

    def __or__(self, bits: int) -> LiveRules:
        return LiveRules(self.keep, self.set | bits, self.register)

    def text(self, register: str) -> str:
        """As an expression of C or Python."""
        kept = register if self.keep == 255 else f"({register} & {self.keep})"
        return f"({kept} | {self.set})" if self.set else kept
