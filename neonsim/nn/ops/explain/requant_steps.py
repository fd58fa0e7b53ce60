"""The way from a sum to a byte, step by step: what a sum is multiplied with, how it is rounded, zero point, limits.

    trace_scheme(total, scale, rule, ...)      by a rule of the laboratory, with a scale in single precision
    trace_double_scale(total, wide, ...)               with a scale in double precision, as a multiplier of 31 bits
    trace_shift(total, multiplier, shift, ...) by one factor and one rounding shift
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from neonsim.arm.semantics import f64, s32
from neonsim.quant.fixedpoint import FixedPoint, decompose, srdhm, wrap
from neonsim.quant.readings import steps_of
from neonsim.quant.requant.double_scale import WIDE, DoubleScale, rule_at
from neonsim.quant.requant.lab import SCHEMES
from neonsim.quant.rounding import scheme_name
from neonsim.quant.scheme import Scheme

__all__ = ["RequantTrace", "trace_double_scale", "trace_scheme", "trace_shift"]


@dataclass(frozen=True)
class RequantTrace:
    """From a sum to a byte.

    rule                    str             in a word: "fp32_lrint", "ties up"
    scale                   float or None   what the sum is multiplied with, in single precision, where it is one number
    exact                   Fraction        the sum times the factor, without rounding
    steps                   (str, ...)      the arithmetic, a line each
    rounded                 int             what it gives, before zero point and limits
    zero_point, low, high   int             of the result
    rounding_input          Fraction or None   what the last rounding is given, where that is not exact
    factor                  str                how a scale in double precision is multiplied with, "" for others
    """

    rule: str
    scale: float | None
    exact: Fraction
    steps: tuple[str, ...]
    rounded: int
    zero_point: int
    low: int
    high: int
    rounding_input: Fraction | None = None
    factor: str = ""

    @property
    def value(self) -> int:
        """The byte."""
        return min(max(self.rounded + self.zero_point, self.low), self.high)

    def lines(self) -> Iterator[str]:
        """Step by step."""
        shown = float(self.exact)
        tie = ", an exact half" if self.exact % 1 == Fraction(1, 2) else ""
        if self.factor:
            yield self.factor
        elif self.scale is not None:
            multiplier, shift = (int(part) for part in decompose(self.scale))
            yield f"scale {self.scale:.9g} = {multiplier} / 2**{31 + shift}"
        yield f"exactly {shown:.12g}{tie}"
        yield f"by {self.rule}"
        yield from (f"    {line}" for line in self.steps)
        total = self.rounded + self.zero_point
        limits = f"within {self.low}..{self.high}" if self.low <= total <= self.high else \
            f"held to {self.low}..{self.high}"
        yield f"{self.rounded} + zero point {self.zero_point} = {total}, {limits}: {self.value}"


def trace_shift(total: int, multiplier: int, shift: int, ties: str, out: Scheme, low: int, high: int) -> RequantTrace:
    """total * multiplier / 2**shift, one rounding."""
    product, half = total * multiplier, 1 << shift - 1 if shift else 0
    factor = f" * {multiplier}" if multiplier != 1 else ""
    if ties == "up":
        rounded = product + half >> shift
        line = f"({total}{factor} + {half}) >> {shift} = {rounded}"
    else:
        rounded = abs(product) + half >> shift
        line = f"(|{total}|{factor} + {half}) >> {shift} = {rounded}, sign put back"
        rounded = -rounded if product < 0 else rounded
    return RequantTrace(f"one rounding, ties {ties}", None, Fraction(product, 1 << shift), (line,), rounded,
                        out.zero_point, low, high)


def trace_scheme(total: int, scale: Any, rule: str, zero_point: int, low: int, high: int) -> RequantTrace:
    """A sum by a scheme of the laboratory."""
    row, single = SCHEMES[scheme_name(rule)], float(np.float32(scale))
    return RequantTrace(row.name, single, Fraction(single) * total, row.steps(total, single),
                        int(row.of(total, single)), zero_point, low, high, row.seen(total, single))


def trace_double_scale(total: int, wide: DoubleScale, place_of: tuple[int, int], params: Any, single: float
                       | None = None
             ) -> RequantTrace:
    """A sum by a scale in double precision.

    place_of   (channel, channels), or (element, elements): vectors round otherwise than what does not fill one
    params     with output_zero_point, output_min, output_max
    """
    at, of = place_of
    row = rule_at(wide.scheme, at, of)
    scale, multiplier, shift = (one if one.ndim == 0 else one[at] for one in (
        wide.scale, np.asarray(wide.fixed.multiplier), np.asarray(wide.fixed.shift)))
    exact = Fraction(float(scale)) * total
    fixed = FixedPoint(np.asarray(multiplier), np.asarray(shift))
    rounded = int(WIDE[row.name](np.array([total], np.int32), np.asarray(scale), fixed)[0])
    factor = f"scale {float(scale):.12g} in double precision"
    if row.fixed:
        lines = steps_of(row.body, {"acc": (s32, total), "M": (s32, int(multiplier))}, int(shift))
        moved = int(wrap(np.int64(total) << max(-int(shift), 0)))
        seen = Fraction(int(srdhm(moved, int(multiplier))), 1 << max(int(shift), 0))
        factor += f", about {int(multiplier)} / 2**{31 + int(shift)}"
    else:
        lines = steps_of(row.body, {"acc": (s32, total), "scale": (f64, int(np.float64(scale).view(np.uint64)))})
        seen = Fraction(float(total) * float(scale))
    named = row.name if row.name == wide.scheme else f"{wide.scheme}: here {row.name}"
    return RequantTrace(named, single, exact, lines, rounded, params.output_zero_point, params.output_min,
                        params.output_max, seen, factor)
