"""Parameter blocks of element-wise int8 and uint8 kernels, by the newer library's arithmetic (fewer bits, ties up).

    class               kernels                      bytes   result
    ScaledAddParams     vadd, vaddc                  20      (ma * (a - za) + mb * (b - zb) + 2**(sh-1)) >> sh
    MultiplyParams      vmul, vmulc                  16      (a - za) * (b - zb) * scale, in single precision or rndnu
    ConvertParams       vcvt                          8      ((x - zx) * m + 128) >> 8
    LeakyParams         vlrelu                        8      the same, m by the sign of x - zx
    MeanParams          gavgpool                     20      rndnu of the sum of (x - zx)

Every result gets the output zero point added and is clamped. Blocks are little-endian, the same for C and assembly;
`dtype` says what bytes mean.

Source: (R07, R12, X09, X23, X45).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale, int32_accumulators, rounding_shift
from neonsim.quant.params.checks import check_fields
from neonsim.quant.rounding import Packed8, default_rounding, limits, rndnu, rounding_named, served

__all__ = ["ConvertParams", "LeakyParams", "MeanParams", "MultiplyParams", "ScaledAddParams"]


def _ratio(value: float, low: float, high: float, what: str) -> float:
    """A ratio of scales in single precision, low <= ratio <= high."""
    single = float(check_scale(value, what))
    if not low <= single <= high:
        raise BadArgument(f"{what} must be in [{low:g}, {high:g}]; got {single:g}.")
    return single


def _finish(block: Any, rounded: NDArray[np.int64]) -> Packed8:
    low, high = limits(block.dtype, getattr(block, "output_min", None), getattr(block, "output_max", None))
    return np.asarray(np.clip(rounded + block.output_zero_point, low, high)).astype(block.dtype)


@dataclass(frozen=True)
class ScaledAddParams:
    """Parameters of an addition, subtraction included (a negative factor), with factors of 21 bits and ties up.

    a_zero_point, b_zero_point   int   in dtype
    a_multiplier, b_multiplier   int   -2**21 .. 2**21; the larger one at least 2**20 in magnitude from `from_scales`
    shift                        int   to the right, 12..30
    output_zero_point            int   in dtype
    output_min, output_max       int   in dtype, in order

    Source: the newer form of (R07); (X45).

    >>> p = ScaledAddParams.from_scales(0.5, 0.5, a_zero_point=0, b_zero_point=0, output_zero_point=0)
    >>> p.add([1, 2, -1], [2, 2, -2]).tolist()
    [2, 2, -1]
    """

    a_zero_point: int
    b_zero_point: int
    a_multiplier: int
    b_multiplier: int
    shift: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "int8"

    def __post_init__(self) -> None:
        factor = (-(1 << 21), 1 << 21)
        check_fields(self, {"a_multiplier": factor, "b_multiplier": factor, "shift": (12, 30)})

    @classmethod
    def from_scales(cls, a_ratio: float, b_ratio: float, *, a_zero_point: int, b_zero_point: int,
                    output_zero_point: int, output_min: int | None = None, output_max: int | None = None,
                    subtract: bool = False, dtype: str = "int8") -> ScaledAddParams:
        """From the ratios a scale / output scale and b scale / output scale, each 2**-10 <= ratio < 2**8.

        shift = 20 - exponent of the larger ratio;  multipliers = rint(ratio * 2**shift), b's negative to subtract
        """
        below = float(np.nextafter(np.float32(256), np.float32(0)))
        ratios = [_ratio(r, 2.0**-10, below, f"{n} scale / output scale") for n, r in (("a", a_ratio), ("b", b_ratio))]
        # frexp gives max = mantissa * 2**e with a mantissa from 1/2 up: the exponent is e - 1.
        shift = 20 - (int(np.frexp(max(ratios))[1]) - 1)
        a, b = (int(np.rint(np.ldexp(r, shift))) for r in ratios)
        return cls(a_zero_point, b_zero_point, a, -b if subtract else b, shift, output_zero_point,
                   *limits(dtype, output_min, output_max), dtype)

    def add(self, a: ArrayLike, b: ArrayLike) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        x = self.a_multiplier * (np.asarray(a, np.int64) - self.a_zero_point)
        x = x + self.b_multiplier * (np.asarray(b, np.int64) - self.b_zero_point)
        return _finish(self, rounding_shift(x, self.shift))

    def swapped(self) -> ScaledAddParams:
        """The same with a and b exchanged: for the kernel whose second operand is a constant."""
        return ScaledAddParams(self.b_zero_point, self.a_zero_point, self.b_multiplier, self.a_multiplier, self.shift,
                               self.output_zero_point, self.output_min, self.output_max, self.dtype)


@dataclass(frozen=True)
class MultiplyParams:
    """Parameters of an element-wise product: y = clamp(round((a - za) * (b - zb) * scale) + zy).

    scale    float   a scale * b scale / output scale, 2**-16 <= scale < 2**8
    scheme   str     "fp32" (ties to even) or "rndnu" (ties up): which `round`
    others   as ScaledAddParams

    Source: (R12).

    >>> MultiplyParams(0.5, 1, -1, 10, -128, 127).multiply([2, 4, -128], [0, 2, 127]).tolist()
    [10, 14, -128]
    """

    scale: float
    a_zero_point: int
    b_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    scheme: str = default_rounding("int8").word
    dtype: str = "int8"

    def __post_init__(self) -> None:
        there = [row.word for row in served("vmul")]
        if self.scheme not in there:
            raise BadArgument(f"an element-wise product is requantised by {' or '.join(map(repr, there))}; got "
                              f"{self.scheme!r}.")
        below = float(np.nextafter(np.float32(256), np.float32(0)))
        object.__setattr__(self, "scale", _ratio(self.scale, 2.0**-16, below, "a scale * b scale / output scale"))
        check_fields(self, {})

    @property
    def multiplier(self) -> int:
        """Q31 mantissa of the scale."""
        return int(rndnu.row.derive(self.scale).multiplier)

    @property
    def shift(self) -> int:
        """Right shift in bits that goes with it."""
        return int(rndnu.row.derive(self.scale).shift)

    def multiply(self, a: ArrayLike, b: ArrayLike) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        acc = (np.asarray(a, np.int64) - self.a_zero_point) * (np.asarray(b, np.int64) - self.b_zero_point)
        zero, low, high = self.output_zero_point, self.output_min, self.output_max
        row = rounding_named(self.scheme)
        factors = (self.multiplier, self.shift) if row.fixed else (np.float32(self.scale),)
        return row.requantize(acc, factors, zero, (low, high), self.dtype)

    def swapped(self) -> MultiplyParams:
        """The same with a and b exchanged."""
        return MultiplyParams(self.scale, self.b_zero_point, self.a_zero_point, self.output_zero_point,
                              self.output_min, self.output_max, self.scheme, self.dtype)


def _scaled(x: NDArray[np.int64], multiplier: ArrayLike) -> NDArray[np.int64]:
    """(x * multiplier + 128) >> 8: in NEON (-x << 7), then SQRDMULH by -multiplier; ties up."""
    return np.asarray(x * np.asarray(multiplier, np.int64) + 128 >> 8, np.int64)


@dataclass(frozen=True)
class ConvertParams:
    """Parameters of a change of scale and zero point within a type: y = sat((((x - zx) * m + 128) >> 8) + zy).

    multiplier          int   rint(256 * input scale / output scale), 1..32767
    input_zero_point    int   in dtype
    output_zero_point   int   in dtype

    Ties go up. Source: (X09, X23).

    >>> ConvertParams.from_ratio(0.5, input_zero_point=0, output_zero_point=10).convert([-3, -1, 1, 3]).tolist()
    [9, 10, 11, 12]
    """

    multiplier: int
    input_zero_point: int
    output_zero_point: int
    dtype: str = "int8"

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": (1, 32767)})

    @classmethod
    def from_ratio(cls, ratio: float, *, input_zero_point: int, output_zero_point: int,
                   dtype: str = "int8") -> ConvertParams:
        """From input scale / output scale, 2**-8 <= ratio <= 2**7."""
        single = _ratio(ratio, 2.0**-8, 2.0**7, "input scale / output scale")
        # 2**7 itself would be 32768, one more than an int16 holds.
        return cls(min(int(np.rint(256 * single)), 32767), input_zero_point, output_zero_point, dtype)

    def convert(self, x: ArrayLike) -> Packed8:
        """dtype [...] -> dtype [...]."""
        return _finish(self, _scaled(np.asarray(x, np.int64) - self.input_zero_point, self.multiplier))


@dataclass(frozen=True)
class LeakyParams:
    """Parameters of a leaky ReLU: y = sat((((x - zx) * m + 128) >> 8) + zy), m by the sign of x - zx.

    positive_multiplier   int   rint(256 * input scale / output scale), 1..32767
    negative_multiplier   int   rint(256 * slope * input scale / output scale), -32767..32767, not 0
    input_zero_point      int   in dtype
    output_zero_point     int   in dtype

    Ties go up. Source: (X23).

    >>> LeakyParams.from_ratio(1.0, 0.25, input_zero_point=0, output_zero_point=0).apply([-8, -2, 0, 5]).tolist()
    [-2, 0, 0, 5]
    """

    positive_multiplier: int
    negative_multiplier: int
    input_zero_point: int
    output_zero_point: int
    dtype: str = "int8"

    def __post_init__(self) -> None:
        check_fields(self, {"positive_multiplier": (1, 32767), "negative_multiplier": (-32767, 32767)})
        if self.negative_multiplier == 0:
            raise BadArgument("negative_multiplier is 0: then it is a ReLU, which is a clamp.")

    @classmethod
    def from_ratio(cls, ratio: float, slope: float, *, input_zero_point: int, output_zero_point: int,
                   dtype: str = "int8") -> LeakyParams:
        """From input scale / output scale, and a slope: 2**-8 <= ratio <= 2**7, and |slope * ratio| likewise."""
        positive = _ratio(ratio, 2.0**-8, 2.0**7, "input scale / output scale")
        try:
            steep = float(np.float32(slope) * np.float32(positive))
        except (TypeError, ValueError):
            raise BadArgument(f"slope is a number; got {slope!r}.") from None
        if not 2.0**-8 <= abs(steep) <= 2.0**7:
            raise BadArgument(f"slope * input scale / output scale must be in [2**-8, 2**7] in magnitude; got "
                              f"{steep:g} (slope {slope!r}).")
        ends = (min(int(np.rint(256 * positive)), 32767), int(np.clip(np.rint(256 * steep), -32767, 32767)))
        return cls(*ends, input_zero_point, output_zero_point, dtype)

    def apply(self, x: ArrayLike) -> Packed8:
        """dtype [...] -> dtype [...]."""
        centered = np.asarray(x, np.int64) - self.input_zero_point
        return _finish(self, _scaled(centered, np.where(centered > 0, self.positive_multiplier,
                                                       self.negative_multiplier)))


@dataclass(frozen=True)
class MeanParams:
    """Parameters of an average over rows: y = clamp(rndnu(sum of x - rows * zx) + zy): one exact rounding, ties up.

    multiplier          int   Q31 mantissa of input scale / (output scale * rows), 2**30 .. 2**31 - 1
    shift               int   right shift in bits, -8..31
    rows                int   how many rows are added up, 1 .. 2**23 - 1
    input_zero_point    int   in dtype
    output_zero_point   int   in dtype
    output_min, _max    int   in dtype, in order

    Source: (R08, X23).

    >>> p = MeanParams.from_scale(1 / 4, rows=4, input_zero_point=10, output_zero_point=3)
    >>> p.requantize([40, 42, 46]).tolist()
    [3, 4, 5]
    """

    multiplier: int
    shift: int
    rows: int
    input_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "int8"

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": (1 << 30, (1 << 31) - 1), "shift": (-8, 31), "rows": (1, (1 << 23) - 1)})

    @classmethod
    def from_scale(cls, scale: float, *, rows: int, input_zero_point: int, output_zero_point: int,
                   output_min: int | None = None, output_max: int | None = None, dtype: str = "int8") -> MeanParams:
        """From the factor of the sum, input scale / (output scale * rows): 2**-32 <= scale < 256."""
        multiplier, shift = rndnu.row.derive(scale)
        return cls(int(multiplier), int(shift), rows, input_zero_point, output_zero_point,
                   *limits(dtype, output_min, output_max), dtype)

    @property
    def bias(self) -> int:
        """What the sum of raw values starts from."""
        return -self.rows * self.input_zero_point

    def requantize(self, sums: ArrayLike) -> Packed8:
        """Sums of raw values to the averages: int [...] -> dtype [...]."""
        return rndnu(int32_accumulators(sums) + self.bias, self.multiplier, self.shift, self.output_zero_point,
                     self.output_min, self.output_max, self.dtype)
