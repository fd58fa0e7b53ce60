"""A scheme of requantisation as a row: its body, how its body is read, what scales it takes, limits of the result.

Source: (Z09, X27).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import Lanes, f32, s32
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import FixedPoint, Int64, check_scale, decompose, int32_accumulators, srdhm
from neonsim.quant.readings import BLOCK, Body, Letter, formula_of, in_blocks, read_fixed, read_float, steps_of

__all__ = ["LABORATORY", "ROUNDINGS", "FixedRequantize", "FloatRequantize", "Packed8", "Rounding", "check_fixed",
           "limits", "rounding"]

_SMALLEST_SCALE = 2.0**-32
# Least, largest and name of each type: numpy works all three out again each time.
_INTEGERS = {np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max), kind.__name__)
             for kind in (np.uint8, np.int8, np.int16)}

Packed8 = NDArray[Any]  # uint8 or int8


@dataclass(frozen=True)
class Rounding:
    """A scheme of requantisation.

    name      str        what `requantization=` takes
    body      callable   of lanes: (sums, multiplier, shift), or (sums, scale) with a scale in single precision
    ties      str        which way an exact half goes
    below     int        scales are accepted from 2**-32 up to this, exclusive
    neon      str        the instructions that vector code takes for it, A64 names
    source    str        whose scheme it is
    twice     bool       an integer product is rounded, and then what is left of it
    alike     str        the name of the scheme that has the same values, whose column stands for both
    default   (str, ...) types of results that are requantised so where none is named
    kernels   (str, ...) families that have kernels with it: "requantize" a vector, "gemm" and "igemm" by one scale,
                         "vmul"; each has its contracts for it
    says      str        what a page calls it
    """

    name: str
    body: Body
    ties: str
    below: int
    neon: str
    source: str
    twice: bool = False
    alike: str = ""
    default: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    says: str = ""

    @property
    def fixed(self) -> bool:
        """Whether it sees the scale as multiplier and shift."""
        return self.body.__code__.co_argcount == 3

    @property
    def least_shift(self) -> int:
        """Of a scale just below what it takes: 0, or 8 bits to the left."""
        return 0 if self.below == 1 else -8

    @property
    def formula(self) -> str:
        """The rounded product as text. M is the mantissa of 31 bits, s the shift to the right, 1 and more."""
        if self.fixed:
            return formula_of(self.body, (("acc", s32), ("M", s32)), Letter(6, "s"))
        return formula_of(self.body, (("acc", s32), ("scale", f32)))

    def formula_at(self, scale: float) -> str:
        """The same for one scale."""
        shift = int(decompose(scale).shift)
        return formula_of(self.body, (("acc", s32), ("multiplier", s32)), shift) if self.fixed else self.formula

    @property
    def word(self) -> str:
        """Its word in the names of kernels: fp32 stands for both of its ways."""
        return self.name.partition("_")[0]

    def derive(self, scale: ArrayLike) -> FixedPoint:
        """Multiplier and shift of a scale that it takes; BadArgument for others, as `derive`."""
        single = check_scale(scale, "requantisation scale")
        low, high = single < _SMALLEST_SCALE, single >= self.below
        if low.any() or high.any():
            flat = single.reshape(-1)
            worst = int(np.argmax((low | high).reshape(-1)))
            where = "" if single.ndim == 0 else f" at channel {worst}"
            text = (f"The requantisation scale is {float(flat[worst]):.9g}{where}; "
                    f"{self.name} takes 2**-32 <= scale < {self.below}.")
            if high.any() and self.below == 1:
                larger = " or ".join(repr(row.name) for row in ROUNDINGS.values() if row.below > 1 and not row.alike)
                text += (" It multiplies by a fraction (a Q31 mantissa) and shifts right, so it cannot enlarge: choose "
                         f"a larger output scale, or requantization={larger}, which go up to 256.")
            raise BadArgument(text)
        return decompose(single)

    def of(self, acc: ArrayLike, scale: ArrayLike) -> Int64:
        """Sums int32 [...] times scales in single precision, rounded: int64 [...]. Scales are not checked."""
        single = np.asarray(scale, np.float32)
        return in_blocks(self._read, np.int64, _sums(acc), *(decompose(single) if self.fixed else (single,)))

    def by(self, acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike) -> Int64:
        """The same by multiplier and shift, of a scheme that sees the scale so."""
        return in_blocks(self._read, np.int64, _sums(acc), multiplier, shift)

    def _read(self, acc: NDArray[Any], *factors: Any) -> Int64:
        return read_fixed(self.body, acc, *factors) if self.fixed else read_float(self.body, acc, *factors)

    def requantize(self, acc: ArrayLike, factors: tuple[Any, ...], zero_point: int, limits_: tuple[int, int],
                   dtype: Any) -> Packed8:
        """Sums to 8 bits, by multiplier and shift or by the scale: clip(rounded + zero_point, *limits_)."""
        low, high = (limit - zero_point for limit in limits_)

        def read(sums: NDArray[Any], *by: Any) -> NDArray[Any]:
            rounded = self._read(sums, *by) if self.fixed else read_float(self.body, sums, *by, as_floats=True)
            moved = np.clip(rounded, low, high)
            moved += zero_point
            return moved
        # Floats are half as long as products.
        return in_blocks(read, dtype, _sums(acc), *factors, block=BLOCK if self.fixed else 2 * BLOCK)

    def seen(self, acc: int, scale: float) -> Fraction | None:
        """The product as the last rounding is given it; None where that is exact."""
        if not self.fixed:
            return Fraction(float(np.float32(acc) * np.float32(scale)))
        multiplier, shift = (int(part) for part in decompose(scale))
        return Fraction(int(srdhm(acc, multiplier)), 1 << shift) if self.twice and shift > 0 else None

    def steps(self, acc: int, scale: float) -> tuple[str, ...]:
        """One sum on its way, a line for each number that has a name."""
        multiplier, shift = (int(part) for part in decompose(scale))
        if self.fixed:
            return steps_of(self.body, {"acc": (s32, acc), "M": (s32, multiplier)}, shift)
        return steps_of(self.body, {"acc": (s32, acc), "scale": (f32, int(np.float32(scale).view(np.uint32)))})


def _sums(acc: ArrayLike) -> NDArray[Any]:
    given = np.asarray(acc)
    return given if given.dtype == np.int32 else int32_accumulators(given)


class FixedRequantize(Protocol):
    """A scheme that sees the scale as multiplier and shift, as a function of arrays; `row` is the scheme."""

    row: Rounding

    def __call__(self, acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0,
                 lo: int | None = None, hi: int | None = None, dtype: Any = "uint8") -> Packed8: ...


class FloatRequantize(Protocol):
    """A scheme that multiplies in single precision, as a function of arrays; `row` is the scheme."""

    row: Rounding

    def __call__(self, acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None,
                 hi: int | None = None, dtype: Any = "uint8") -> Packed8: ...


ROUNDINGS: dict[str, Rounding] = {}     # what `requantization=` takes
LABORATORY: dict[str, Rounding] = {}    # what is compared with them

FixedBody = Callable[[Lanes, Lanes, int], Lanes]
FloatBody = Callable[[Lanes, Lanes], Lanes]


class _Written(Protocol):
    """What `rounding` gives: bodies become functions of arrays."""

    @overload
    def __call__(self, body: FixedBody) -> FixedRequantize: ...
    @overload
    def __call__(self, body: FloatBody) -> FloatRequantize: ...


def rounding(*, of: dict[str, Rounding] | None = None, **fields: Any) -> _Written:
    """Make a body a scheme; the arguments are fields of `Rounding`.

    of   the table that lists it: ROUNDINGS, the usual, LABORATORY, or one of your own

    The function is left as one of arrays, with the docstring of the body:

        q = clip(rounded + zero_point, lo, hi), of dtype
    """
    def written(body: Any) -> Any:
        row = Rounding(body.__name__, body, **fields)
        (ROUNDINGS if of is None else of)[row.name] = row

        def fixed(acc: ArrayLike, multiplier: ArrayLike, shift: ArrayLike, zero_point: int = 0, lo: int | None = None,
                  hi: int | None = None, dtype: Any = "uint8") -> Packed8:
            check_fixed(multiplier, shift, row.least_shift)
            return row.requantize(acc, (multiplier, shift), zero_point, limits(dtype, lo, hi, zero_point), dtype)

        def floating(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None,
                     hi: int | None = None, dtype: Any = "uint8") -> Packed8:
            row.derive(scale)
            return row.requantize(acc, (np.asarray(scale, np.float32),), zero_point,
                                  limits(dtype, lo, hi, zero_point), dtype)

        made: Any = fixed if row.fixed else floating
        made.row = row
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(made, name, getattr(body, name))
        return made
    return written


def check_fixed(multiplier: ArrayLike, shift: ArrayLike, lowest_shift: int) -> None:
    """Raises BadArgument for what is no multiplier of 31 bits, and for a shift outside lowest_shift..31."""
    m, s = np.asarray(multiplier), np.asarray(shift)
    if m.dtype.kind not in "iu" or s.dtype.kind not in "iu":
        raise BadArgument(f"multiplier and shift are integers; got {m.dtype} and {s.dtype}.")
    if ((m < 1 << 30) | (m >= 1 << 31)).any():
        raise BadArgument(f"multiplier must be normalized, 2**30 <= multiplier < 2**31; got {m.tolist()}.")
    if ((s < lowest_shift) | (s > 31)).any():
        raise BadArgument(f"shift must be in {lowest_shift}..31 bits to the right; got {s.tolist()}.")


def limits(dtype: Any, lo: int | None = None, hi: int | None = None, zero_point: int = 0) -> tuple[int, int]:
    """Clamp range within a quantised type: what is left open is filled with the limits of the type.

    Raises BadArgument for a type other than uint8, int8 and int16, for values outside it, and for lo > hi.

    >>> limits("int8", lo=0)
    (0, 127)
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {dtype!r}.") from None
    found = _INTEGERS.get(kind)
    if found is None:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {kind}.")
    least, most, name = found
    as_int(zero_point, f"zero_point of {name}", least, most)
    low = least if lo is None else as_int(lo, f"output_min of {name}", least, most)
    high = most if hi is None else as_int(hi, f"output_max of {name}", least, most)
    if low > high:
        raise BadArgument(f"output_min {low} is greater than output_max {high}: no value would be left.")
    return low, high
