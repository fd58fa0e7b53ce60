"""Requantisation from a scale in double precision, with a multiplier of 31 bits: the arithmetic of TensorFlow Lite.

    name       y = round(acc * scale)                                                       used by (M02)
    gemmlowp   rdivpot(srdhm(acc * 2**left, multiplier), right): ties up, then from zero    its reference kernels
    ruy        rounding_shift(srdhm(acc * 2**left, multiplier), right): ties up, twice      its products on x86
    ruy8       as ruy in whole eights of the last axis, as gemmlowp in what is left over    its depthwise int8
    ruy16      the same in whole sixteens                                                   its changes of scale, means
    flat16     the same in sixteens of all elements, whose last axis is none of its own     its deconvolution of uint8
    fp64       sign(p) * floor(|p| + 1/2), p = float64(acc) * scale: once, away from zero   reference fully connected

`requant` has schemes that see a scale of single precision, whose mantissa has 24 bits, and that take one of at most
256. Here scale = multiplier / 2**(31 - left + right) is the nearest of 31 bits, one of left and right is 0, and scales
of 1 and more shift to the left first, where what leaves 32 bits is lost: C++ leaves it undefined, and no network that
works gets there. Scales below 2**-32 become 0, as channels without weights have them.

    DoubleScale           one or one per channel: what all the others round with
    DoubleScaleParams     a product
    DoubleAddParams       a sum or difference of two arrays
    DoubleMultiplyParams  a product of two arrays
    DoubleUnaryParams     one integer to another: change of scale, leaky ReLU
    DoubleMeanParams      a mean

Source: (R05, Y09, Y10, Y15, Y31).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import Lanes, float_from_int, float_mul, float_to_int, s32, wide
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import FixedPoint, Int64, compose, int32_accumulators, wrap
from neonsim.quant.readings import read_float
from neonsim.quant.reference.litert_vectors import Narrowing
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import (
    Packed8,
    Rounding,
    doubled_high,
    gemmlowp,
    leftward,
    limits,
    rightward,
    rounding,
    shifted_up,
)
from neonsim.quant.scheme import Scheme

__all__ = [
    "BLOCKS",
    "DOUBLE",
    "WIDE",
    "DoubleAddParams",
    "DoubleMeanParams",
    "DoubleMultiplyParams",
    "DoubleScale",
    "DoubleScaleParams",
    "DoubleUnaryParams",
    "quantize_multiplier",
    "rule_at",
]

_MAX_SHIFT = 30         # to the left


def quantize_multiplier(scale: ArrayLike) -> FixedPoint:
    """The nearest multiplier of 31 bits to scales in double precision, and a shift.

    scale ~ multiplier / 2**(31 + shift)

    scale   float64 [] or [n]   0 <= scale < 2**30
    ->      FixedPoint          multiplier 0 (below 2**-32) or 2**30 .. 2**31 - 1;  shift -30..31

    Ties of the mantissa go up. Raises BadArgument for what is negative, no number or too large.
    Source: (Y15).

    >>> [int(n) for n in quantize_multiplier(1 / 3)], [int(n) for n in quantize_multiplier(2.0**-33)]
    ([1431655765, 1], [0, 0])
    """
    real = np.asarray(scale, np.float64)
    if not (np.isfinite(real) & (real >= 0) & (real < 2.0**_MAX_SHIFT)).all():
        raise BadArgument(f"a requantisation scale in float64 must be 0 or more and less than 2**{_MAX_SHIFT}; got "
                          f"{real.tolist()}.")
    mantissa, exponent = np.frexp(real)
    multiplier = np.floor(mantissa * 2.0**31 + 0.5).astype(np.int64)
    full = multiplier == 1 << 31
    multiplier, shift = np.where(full, 1 << 30, multiplier), -(exponent + full).astype(np.int64)
    gone = (shift > 31) | (multiplier == 0)
    return FixedPoint(np.where(gone, 0, multiplier), np.where(gone, 0, shift))


DOUBLE: dict[str, Rounding] = {row.name: row for row in (gemmlowp.row,)}
_REFERENCE = ARITHMETICS["tflite"].products      # LiteRT's kernels in plain C


@rounding(ties="up, twice", below=1 << _MAX_SHIFT, neon="SQRDMULH, SRSHL", source="ruy on x86",
          twice=True, of=DOUBLE)
def ruy(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """The high half of the sum, shifted to the left for scales of 1 and more, times the multiplier; then a shift."""
    return shifted_up(doubled_high(acc << leftward(shift), multiplier), rightward(shift))


@rounding(ties="away from zero", below=1 << _MAX_SHIFT, neon="SCVTF, FMUL, FCVTAS (64-bit lanes)",
          source="TensorFlow Lite's reference", of=DOUBLE)
def fp64(acc: Lanes, scale: Lanes) -> Lanes:
    """The product in double precision, within 32 bits."""
    product, _ = float_mul(float_from_int(acc, scale.type, 0, 0)[0], scale, 0)
    return wide(float_to_int(product, s32, "a", 0, 0)[0])


Step = Callable[[NDArray[Any], NDArray[np.float64], FixedPoint], Int64]


def _whole(row: Rounding) -> Step:
    """All elements alike."""
    if row.fixed:
        return lambda acc, scale, fixed: row.by(acc, *fixed)
    return lambda acc, scale, fixed: read_float(row.body, acc, scale)


_KEPT = "ruy16"
BLOCKS = {"ruy8": 8, "ruy16": 16, "flat16": 16}     # elements that fill a vector


def rule_at(scheme: str, at: int, of: int) -> Rounding:
    """How element ``at`` of ``of`` is rounded: vectors otherwise than what does not fill one."""
    block = BLOCKS.get(scheme)
    return DOUBLE[scheme] if block is None else ruy.row if at < of // block * block else gemmlowp.row


def _in_blocks(of: int) -> Step:
    """Vectors round up; what does not fill one is left to plain C, which rounds away from zero."""
    def step(acc: NDArray[Any], scale: NDArray[np.float64], fixed: FixedPoint) -> Int64:
        last = acc.shape[-1] if acc.ndim else 1
        return np.where(np.arange(last) < last // of * of, ruy.row.by(acc, *fixed), gemmlowp.row.by(acc, *fixed))
    return step


def _flat(acc: NDArray[Any], scale: NDArray[np.float64], fixed: FixedPoint) -> Int64:
    return _in_blocks(16)(acc.reshape(-1), scale, fixed).reshape(acc.shape)


WIDE: dict[str, Step] = {**{name: _whole(row) for name, row in DOUBLE.items()},
                         **{name: _in_blocks(of) for name, of in BLOCKS.items()}, "flat16": _flat}


@dataclass(frozen=True, eq=False)
class DoubleScale:
    """A scale in double precision, and how products with it are rounded.

    scheme   str                 a name of WIDE
    scale    float64 [] or [n]   one, or one per channel
    fixed    FixedPoint          the same as integers of 31 bits

    Raises BadArgument for another name, and as `quantize_multiplier`.

    >>> DoubleScale("gemmlowp", 1.5).round([-3, -1, 1, 3]).tolist()
    [-4, -1, 2, 5]
    >>> DoubleScale("gemmlowp", 0.25).round([-6, 6]).tolist(), DoubleScale("ruy", 0.25).round([-6, 6]).tolist()
    ([-2, 2], [-1, 2])
    """

    scheme: str
    scale: NDArray[np.float64]

    def __init__(self, scheme: str, scale: ArrayLike) -> None:
        if scheme not in WIDE:
            raise BadArgument(f"requantization with a scale in float64 must be {', '.join(map(repr, WIDE))}; got "
                              f"{scheme!r}.")
        object.__setattr__(self, "scheme", scheme)
        object.__setattr__(self, "scale", np.asarray(scale, np.float64))
        object.__setattr__(self, "fixed", quantize_multiplier(self.scale))

    fixed: FixedPoint

    @classmethod
    def from_multiplier(cls, scheme: str, multiplier: int, shift: int) -> DoubleScale:
        """From a multiplier, at least 2**29, and a shift to the right.

        >>> DoubleScale.from_multiplier("gemmlowp", 1 << 30, 1).round(8).item()
        2
        """
        made = cls(scheme, compose(multiplier, shift))
        object.__setattr__(made, "fixed", FixedPoint(np.asarray(multiplier), np.asarray(shift)))
        return made

    def round(self, acc: ArrayLike) -> Int64:
        """int32 [..., n] -> int64 [..., n], before zero point and limits."""
        return WIDE[self.scheme](int32_accumulators(acc).astype(np.int32), self.scale, self.fixed)


class _Finishes:
    """Blocks that add a zero point and cut off."""

    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str

    def _finish(self, rounded: Int64, narrowing: Narrowing | None = None) -> Packed8:
        low, high = limits(self.dtype, self.output_min, self.output_max)
        moved = (rounded + self.output_zero_point if narrowing is None else
                 narrowing.add(rounded, self.output_zero_point))
        return np.asarray(np.clip(moved, low, high)).astype(self.dtype)


@dataclass(frozen=True, eq=False)
class DoubleScaleParams(_Finishes):
    """Parameters of a product whose scale is a DoubleScale; the others as of SchemeParams."""

    scale: DoubleScale
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "uint8"

    def requantize(self, acc: ArrayLike) -> Packed8:
        """int32 [..., n] -> dtype [..., n]."""
        return self._finish(self.scale.round(acc))


@dataclass(frozen=True, eq=False)
class DoubleAddParams(_Finishes):
    """Parameters of a sum, or a difference, by three multipliers. narrowing: of those that leave 16 bits.

    y = round((round(2**20 * (a - za), sa / most) + round(2**20 * (b - zb), sb / most)), most / (2**20 * sy)) + zy

    where most = 2 * max(sa, sb), and round by gemmlowp. Source: (Y16).

    >>> x = Scheme(1.0, 0, "int8")
    >>> sums = DoubleAddParams.from_schemes(x, x, Scheme(2.0, 0, "int8"))
    >>> sums.combine(np.array([1, -1, 4]), np.array([2, -2, 4])).tolist()
    [2, -2, 4]
    """

    a: DoubleScale
    b: DoubleScale
    out: DoubleScale
    a_zero_point: int
    b_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str
    subtracts: bool = False
    narrowing: Narrowing | None = None

    LEFT: ClassVar[int] = 20

    @classmethod
    def from_schemes(cls, a: Scheme, b: Scheme, out: Scheme, *, output_min: int | None = None,
                     output_max: int | None = None,
                     subtracts: bool = False) -> DoubleAddParams:
        """From the schemes. Raises BadArgument where the result would be enlarged: its scale is too small."""
        most = 2.0 * max(float(np.float32(a.scale)), float(np.float32(b.scale)))
        last = most / (2.0**cls.LEFT * float(np.float32(out.scale)))
        if not last < 1:
            raise BadArgument(f"2 * the larger input scale / output scale is {last * 2.0**cls.LEFT:.9g}; a sum takes "
                              f"less than 2**{cls.LEFT}.")
        first, second = (DoubleScale(_REFERENCE, float(np.float32(s.scale)) / most) for s in (a, b))
        return cls(first, second, DoubleScale(_REFERENCE, last), a.zero_point, b.zero_point, out.zero_point,
                   *limits(out.dtype, output_min, output_max), out.dtype, subtracts)

    def rounded(self, a: NDArray[Any], b: NDArray[Any]) -> Int64:
        """dtype [...] and dtype [...] -> int64 [...], before zero point and limits."""
        first = self.a.round(a.astype(np.int64) - self.a_zero_point << self.LEFT)
        second = self.b.round(b.astype(np.int64) - self.b_zero_point << self.LEFT)
        return self.out.round(first - second if self.subtracts else first + second)

    def combine(self, a: NDArray[Any], b: NDArray[Any]) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        return self._finish(self.rounded(a, b), self.narrowing)


@dataclass(frozen=True, eq=False)
class DoubleMultiplyParams(_Finishes):
    """Parameters of an element-wise product: y = clamp(round((a - za) * (b - zb) * scale) + zy).

    scale    a scale * b scale / output scale, in single precision and this order, as double. Source: (Y17).

    >>> params = DoubleMultiplyParams.from_schemes(*(Scheme(0.5, 0, "int8"),) * 3)
    >>> params.combine(np.array([3, -3]), np.array([1, 1])).tolist()
    [2, -1]
    """

    scale: DoubleScale
    a_zero_point: int
    b_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str
    narrowing: Narrowing | None = None

    @classmethod
    def from_schemes(cls, a: Scheme, b: Scheme, out: Scheme, *, output_min: int | None = None,
                     output_max: int | None = None) -> DoubleMultiplyParams:
        """From the schemes."""
        with np.errstate(over="ignore", under="ignore"):
            scale = np.float32(a.scale) * np.float32(b.scale) / np.float32(out.scale)
        return cls(DoubleScale(_REFERENCE, float(scale)), a.zero_point, b.zero_point, out.zero_point,
                   *limits(out.dtype, output_min, output_max), out.dtype)

    def rounded(self, a: NDArray[Any], b: NDArray[Any]) -> Int64:
        """dtype [...] and dtype [...] -> int64 [...], before zero point and limits."""
        return self.scale.round((a.astype(np.int64) - self.a_zero_point) * (b.astype(np.int64) - self.b_zero_point))

    def combine(self, a: NDArray[Any], b: NDArray[Any]) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        return self._finish(self.rounded(a, b), self.narrowing)


@dataclass(frozen=True, eq=False)
class DoubleUnaryParams(_Finishes):
    """Parameters of a change of scale, one factor for x - zx >= 0 and one below: y = clamp(round((x - zx) * f) + zy).

    falls   bool   the factor below is negative: the rounded product with its size is negated

    Source: leaky ReLU and requantisation of (Y17).

    >>> x = Scheme(1.0, 0, "int8")
    >>> DoubleUnaryParams.from_schemes(x, x, slope=0.25).apply(np.array([-10, -8, 5], np.int8)).tolist()
    [-3, -2, 5]
    """

    positive: DoubleScale
    negative: DoubleScale
    input_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str
    falls: bool = False

    @classmethod
    def from_schemes(cls, x: Scheme, out: Scheme, *, slope: float | None = None, output_min: int | None = None,
                     output_max: int | None = None, requantization: str = _REFERENCE) -> DoubleUnaryParams:
        """From the schemes; slope: of what is negative, in single precision; None: both factors are one, computed in
        double precision. A factor below that is infinite, or no number, is 0: what compilers for x86 make of it as
        an integer."""
        single = np.float32(x.scale), np.float32(out.scale)
        positive = float(single[0]) / float(single[1]) if slope is None else float(single[0] / single[1])
        with np.errstate(over="ignore"):
            negative = positive if slope is None else float(single[0] * np.float32(abs(slope)) / single[1])
        if slope is not None and not negative < np.inf:
            negative = 0.0
        return cls(DoubleScale(requantization, positive), DoubleScale(requantization, negative), x.zero_point,
                   out.zero_point, *limits(out.dtype, output_min, output_max), out.dtype, (slope or 0) < 0)

    def apply(self, x: NDArray[Any]) -> Packed8:
        """Of 8 or 16 bits [...] -> dtype [...]."""
        centered = x.astype(np.int64) - self.input_zero_point
        below = self.negative.round(centered)
        below = -below if self.falls else below
        return self._finish(np.where(centered >= 0, self.positive.round(centered), below))


@dataclass(frozen=True, eq=False)
class DoubleMeanParams(_Finishes):
    """Parameters of a mean of n elements: y = clamp(round((sum - count * zx) * scale) + zy), by gemmlowp.

    scale              DoubleScale   of input scale / output scale, its multiplier divided by the count and cut off
    count              int         from 1 up

    Source: (Y18).

    >>> x = Scheme(1.0, 0, "int8")
    >>> DoubleMeanParams.from_schemes(x, x, 3).requantize(np.array([4, 5, -5])).tolist()
    [1, 2, -2]
    """

    scale: DoubleScale
    count: int
    input_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str

    @classmethod
    def from_schemes(cls, x: Scheme, out: Scheme, count: int, *, output_min: int | None = None,
                     output_max: int | None = None) -> DoubleMeanParams:
        """As the reference kernels have it."""
        multiplier, shift = quantize_multiplier(float(np.float32(x.scale)) / float(np.float32(out.scale)))
        bits = min(count.bit_length() - 1, 32, 31 - int(shift))
        scale = DoubleScale.from_multiplier(_REFERENCE, (int(multiplier) << bits) // count, int(shift) + bits)
        return cls(scale, count, x.zero_point, out.zero_point, *limits(out.dtype, output_min, output_max), out.dtype)

    @classmethod
    def from_kept_axes(cls, x: Scheme, out: Scheme, count: int, *, output_min: int | None = None,
                       output_max: int | None = None) -> DoubleMeanParams:
        """As the optimised kernels have it where the axes are kept: one multiplier, from a scale in single precision,
        and both zero points in one number that is added, whatever it is (Y18)."""
        single, zero = np.float32(x.scale), np.float32(x.zero_point)
        moved = zero * single / np.float32(out.scale)
        moved = moved + np.float32(0.5) if moved > 0 else moved - np.float32(0.5)
        scale = DoubleScale(_KEPT, float(single / (np.float32(count) * np.float32(out.scale))))
        return cls(scale, count, 0, out.zero_point - int(moved), *limits(out.dtype, output_min, output_max), out.dtype)

    # How they are made, by what rounds them.
    RULES: ClassVar[dict[str, Callable[..., DoubleMeanParams]]]

    def requantize(self, sums: NDArray[Any]) -> Packed8:
        """Sums of raw values, int [...] -> dtype [...]."""
        return self._finish(self.scale.round(wrap(sums.astype(np.int64) - self.count * self.input_zero_point)))


DoubleMeanParams.RULES = {_REFERENCE: DoubleMeanParams.from_schemes, _KEPT: DoubleMeanParams.from_kept_axes}
