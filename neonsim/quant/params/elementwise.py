"""Parameter blocks of element-wise kernels: what they hold, what they mean, and what the kernels compute.

    class               kernels                      bytes   result, before the output zero point and the limits
    AddParams           vadd of uint8                20      (ma * (a - za) + mb * (b - zb)) / 2**shift, ties away
    ScaledAddParams     vadd, vaddc, vsub, vsubc     20      the same with factors of a bit less, ties up
    MultiplyParams      vmul, vmulc                  16, 20  (a - za) * (b - zb) * scale, by a rounding that has kernels
    ConvertParams       vcvt                          8      ((x - zx) * m + 128) >> 8
    LeakyParams         vlrelu                        8      the same, m by the sign of x - zx
    ClampParams         clamp, max pooling            4      x itself

Blocks are little-endian, the same for C (native/include/neonsim.h) and for assembly; `dtype` is the type of the bytes.

Source: (K08, R07, R12, X09, X23, X45).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import Int64, check_scale, rdivpot, rounding_shift
from neonsim.quant.params.checks import check_fields
from neonsim.quant.rounding import Packed8, default_rounding, limits, rndnu, served

__all__ = ["PAIRS", "AddParams", "ClampParams", "ConvertParams", "LeakyParams", "MultiplyParams", "ScaledAddParams"]

# Roundings by which kernels multiply element by element, by their words in the names of these.
PAIRS = {row.word: row for row in served("vmul")}
_BELOW_256 = float(np.nextafter(np.float32(256), np.float32(0)))


def _ratio(value: float, low: float, high: float, what: str) -> float:
    """A ratio of scales in single precision, low <= ratio <= high."""
    single = float(check_scale(value, what))
    if not low <= single <= high:
        raise BadArgument(f"{what} must be in [{low:g}, {high:g}]; got {single:g}.")
    return single


def _finish(block: Any, rounded: Int64) -> Packed8:
    low, high = limits(block.dtype, getattr(block, "output_min", None), getattr(block, "output_max", None))
    return np.asarray(np.clip(rounded + block.output_zero_point, low, high)).astype(block.dtype)


@dataclass(frozen=True)
class _Pair:
    """Parameters of a function of two bytes; both orders of the operands."""

    def swapped(self) -> Self:
        """The same with a and b exchanged: for the kernel whose second operand is a constant."""
        names = [name for name in self.__dataclass_fields__ if name.startswith(("a_", "b_"))]
        return replace(self, **{name: getattr(self, ("b_" if name[0] == "a" else "a_") + name[2:]) for name in names})


@dataclass(frozen=True)
class _Sum(_Pair):
    """Parameters of a sum: y = clamp(round((ma * (a - za) + mb * (b - zb)) / 2**shift) + zy).

    a_zero_point, b_zero_point   int   in dtype
    a_multiplier, b_multiplier   int   the larger one at least half of the largest in size from `from_scales`
    shift                        int   to the right
    output_zero_point            int   in dtype
    output_min, output_max       int   in dtype, in order
    """

    # Bits of the factors; the least ratio of scales is 2**LOWEST; may factors be negative; how ties go; the type.
    BITS, LOWEST, SIGNED, ROUND, DTYPE = 0, 0, False, rdivpot, ""

    a_zero_point: int
    b_zero_point: int
    a_multiplier: int
    b_multiplier: int
    shift: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str

    def __post_init__(self) -> None:
        factor = (-(1 << self.BITS) if self.SIGNED else 0, 1 << self.BITS)
        check_fields(self, {"a_multiplier": factor, "b_multiplier": factor, "shift": (self.BITS - 9, self.BITS + 9)})

    @classmethod
    def from_scales(cls, a_ratio: float, b_ratio: float, *, a_zero_point: int, b_zero_point: int,
                    output_zero_point: int, output_min: int | None = None, output_max: int | None = None,
                    subtract: bool = False, dtype: str | None = None) -> Self:
        """From the ratios a scale / output scale and b scale / output scale, each 2**LOWEST <= ratio < 2**8.

        shift = BITS - 1 - exponent of the larger ratio;  multipliers = rint(ratio * 2**shift), b's negative to subtract
        """
        ratios = [_ratio(r, 2.0**cls.LOWEST, _BELOW_256, f"{n} scale / output scale")
                  for n, r in (("a", a_ratio), ("b", b_ratio))]
        # frexp gives max = mantissa * 2**e with a mantissa from 1/2 up: the exponent in (R07) is e - 1.
        shift = cls.BITS - int(np.frexp(max(ratios))[1])
        a, b = (int(np.rint(np.ldexp(r, shift))) for r in ratios)
        dtype = dtype or cls.DTYPE
        return cls(a_zero_point, b_zero_point, a, -b if subtract else b, shift, output_zero_point,
                   *limits(dtype, output_min, output_max), dtype)

    def combine(self, a: ArrayLike, b: ArrayLike) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        x = self.a_multiplier * (np.asarray(a, np.int64) - self.a_zero_point)
        x = x + self.b_multiplier * (np.asarray(b, np.int64) - self.b_zero_point)
        return _finish(self, type(self).ROUND(x, self.shift))


@dataclass(frozen=True)
class AddParams(_Sum):
    """Parameters of a sum with factors of 22 bits, ties away from zero; shift 13..31. Source: (R07, K08).

    >>> p = AddParams.from_scales(0.5, 0.5, a_zero_point=0, b_zero_point=0, output_zero_point=0)
    >>> p.combine([1, 2, 200], [2, 2, 255]).tolist()
    [2, 2, 228]
    """

    BITS, LOWEST, SIGNED, ROUND, DTYPE = 22, -14, False, rdivpot, "uint8"
    output_min: int = 0
    output_max: int = 255
    dtype: str = "uint8"


@dataclass(frozen=True)
class ScaledAddParams(_Sum):
    """Parameters of a sum, or a difference (a negative factor), with factors of 21 bits, ties up; shift 12..30.

    Source: the newer form of (R07); (X45).

    >>> p = ScaledAddParams.from_scales(0.5, 0.5, a_zero_point=0, b_zero_point=0, output_zero_point=0)
    >>> p.combine([1, 2, -1], [2, 2, -2]).tolist()
    [2, 2, -1]
    """

    BITS, LOWEST, SIGNED, ROUND, DTYPE = 21, -10, True, rounding_shift, "int8"
    dtype: str = "int8"


@dataclass(frozen=True)
class MultiplyParams(_Pair):
    """Parameters of an element-wise product: y = clamp(round((a - za) * (b - zb) * scale) + zy).

    scale    float   a scale * b scale / output scale, 2**-16 <= scale < 2**8
    scheme   str     which `round`: a name of PAIRS
    others   as ScaledAddParams

    Source: (R12).

    >>> MultiplyParams(0.5, 1, -1, 10, -128, 127).combine([2, 4, -128], [0, 2, 127]).tolist()
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
        if self.scheme not in PAIRS:
            raise BadArgument(f"an element-wise product must be requantised by {' or '.join(map(repr, PAIRS))}; got "
                              f"{self.scheme!r}.")
        object.__setattr__(self, "scale", _ratio(self.scale, 2.0**-16, _BELOW_256, "a scale * b scale / output scale"))
        check_fields(self, {})

    @property
    def multiplier(self) -> int:
        """Q31 mantissa of the scale."""
        return int(rndnu.row.derive(self.scale).multiplier)

    @property
    def shift(self) -> int:
        """Right shift in bits that goes with it."""
        return int(rndnu.row.derive(self.scale).shift)

    def combine(self, a: ArrayLike, b: ArrayLike) -> Packed8:
        """dtype [...] and dtype [...], broadcast as numpy does -> dtype [...]."""
        acc = (np.asarray(a, np.int64) - self.a_zero_point) * (np.asarray(b, np.int64) - self.b_zero_point)
        row = PAIRS[self.scheme]
        factors = (self.multiplier, self.shift) if row.fixed else (np.float32(self.scale),)
        return row.requantize(acc, factors, self.output_zero_point, (self.output_min, self.output_max), self.dtype)


def _scaled(x: Int64, multiplier: ArrayLike) -> Int64:
    """(x * multiplier + 128) >> 8: in NEON (-x << 7), then SQRDMULH by -multiplier; ties up."""
    return np.asarray(x * np.asarray(multiplier, np.int64) + 128 >> 8, np.int64)


@dataclass(frozen=True)
class ConvertParams:
    """Parameters of a change of scale and zero point within a type: y = sat((((x - zx) * m + 128) >> 8) + zy).

    multiplier          int   rint(256 * input scale / output scale), 1..32767
    input_zero_point    int   in dtype
    output_zero_point   int   in dtype

    Ties go up. Source: (X09, X23).

    >>> ConvertParams.from_ratio(0.5, input_zero_point=0, output_zero_point=10).apply([-3, -1, 1, 3]).tolist()
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

    def apply(self, x: ArrayLike) -> Packed8:
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
            raise BadArgument("negative_multiplier is 0: use a clamp, because this is a ReLU.")

    @classmethod
    def from_ratio(cls, ratio: float, slope: float, *, input_zero_point: int, output_zero_point: int,
                   dtype: str = "int8") -> LeakyParams:
        """From input scale / output scale, and a slope: 2**-8 <= ratio <= 2**7, and |slope * ratio| likewise."""
        positive = _ratio(ratio, 2.0**-8, 2.0**7, "input scale / output scale")
        try:
            steep = float(np.float32(slope) * np.float32(positive))
        except (TypeError, ValueError):
            raise BadArgument(f"slope must be a number; got {slope!r}.") from None
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
class ClampParams:
    """Two limits for bytes: y = min(max(x, output_min), output_max).

    output_min, output_max   int   in dtype, in order
    dtype                    str   "uint8" or "int8": what the bytes mean

    >>> ClampParams(10, 20).clamp([0, 15, 99]).tolist()
    [10, 15, 20]
    """

    output_min: int = 0
    output_max: int = 255
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        check_fields(self, {})

    def clamp(self, x: ArrayLike) -> NDArray[Any]:
        """dtype [...] -> dtype [...]."""
        return np.asarray(np.clip(np.asarray(x), self.output_min, self.output_max), self.dtype)
