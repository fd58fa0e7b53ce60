"""Parameter blocks of kernels that make bytes of sums: means, and vectors of int32.

    class               kernels                              bytes   rounding
    AveragePoolParams   average and global average pooling   24      one, ties away from zero
    MeanParams          the same of int8                     20      one, ties up
    PreciseParams       requantisation of a vector           16      (R01)
    RndnuParams                                              16      (R08)
    Fp32Params                                               20      (R02, R03)

Blocks are little-endian, the same for C (native/include/neonsim.h) and for assembly. Of the other roundings a vector
takes the block of `Q31Params`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.quant.fixedpoint import int32_accumulators
from neonsim.quant.params.checks import check_fields, rounded_by
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.rounding import Packed8, Rounding, fp32_lrint, limits, precise, rndnu, rounding_named

__all__ = ["AveragePoolParams", "Fp32Params", "MeanParams", "PreciseParams", "RndnuParams", "vector_block",
           "vector_params"]

Bytes = NDArray[np.uint8]
_MANTISSA = (1 << 23, (1 << 24) - 1)     # of a float32, with its hidden bit
_Q31 = (1 << 30, (1 << 31) - 1)
_MAX_ROWS = (1 << 23) - 1


class _Rows:
    """Of a mean: rows of raw values are added up, those that only fill up a pass included."""

    rows: int
    input_zero_point: int

    @property
    def bias(self) -> int:
        """What the sum of raw values starts from."""
        return -self.rows * self.input_zero_point


@dataclass(frozen=True)
class AveragePoolParams(_Rows):
    """Parameters of average pooling: y = clamp(round((sum - rows * input_zero_point) * multiplier / 2**shift) + zp).

    multiplier          int   24-bit mantissa, 2**23 .. 2**24 - 1
    shift               int   to the right, 16..55
    input_zero_point    int   of the type
    rows                int   how many rows are added up, those that only fill up included
    output_zero_point   int   of the type
    output_min/max      int   of the type, in order
    dtype               str   "uint8" or "int8"

    Rounding is to nearest, ties away from zero. Raises BadArgument for values out of range.
    Source: (R01, K04, K05, Z08).

    >>> p = AveragePoolParams.from_scale(1 / 4, input_zero_point=10, rows=4, output_zero_point=3)
    >>> p.requantize([40, 42, 46]).tolist()
    [3, 4, 5]
    """

    multiplier: int
    shift: int
    input_zero_point: int
    rows: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": _MANTISSA, "shift": (16, 55), "rows": (1, _MAX_ROWS)})

    @classmethod
    def from_scale(cls, scale: float, **others: Any) -> AveragePoolParams:
        """From the factor of the sum: input scale / (output scale * number of averaged elements), 2**-32 .. 256."""
        multiplier, shift = (int(part) for part in precise.row.derive(scale))
        return cls(multiplier >> 7, shift + 24, **others)

    def requantize(self, sums: ArrayLike) -> Packed8:
        """Sums of raw bytes to the averages: int [...] -> dtype [...]."""
        return precise(int32_accumulators(sums) + self.bias, self.multiplier << 7, self.shift - 24,
                       self.output_zero_point, self.output_min, self.output_max, self.dtype)


@dataclass(frozen=True)
class MeanParams(_Rows):
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
        check_fields(self, {"multiplier": _Q31, "shift": (-8, 31), "rows": (1, _MAX_ROWS)})

    @classmethod
    def from_scale(cls, scale: float, *, rows: int, input_zero_point: int, output_zero_point: int,
                   output_min: int | None = None, output_max: int | None = None, dtype: str = "int8") -> MeanParams:
        """From the factor of the sum, input scale / (output scale * rows): 2**-32 <= scale < 256."""
        multiplier, shift = (int(part) for part in rndnu.row.derive(scale))
        return cls(multiplier, shift, rows, input_zero_point, output_zero_point,
                   *limits(dtype, output_min, output_max), dtype)

    def requantize(self, sums: ArrayLike) -> Packed8:
        """Sums of raw values to the averages: int [...] -> dtype [...]."""
        return rndnu(int32_accumulators(sums) + self.bias, self.multiplier, self.shift, self.output_zero_point,
                     self.output_min, self.output_max, self.dtype)


@dataclass(frozen=True)
class _Vector:
    multiplier: int
    shift: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255


@dataclass(frozen=True)
class PreciseParams(_Vector):
    """Parameters of the scheme precise: one exact rounding, ties away from zero, of scales below 1.

    multiplier          int   24-bit mantissa, 2**23 .. 2**24 - 1
    shift               int   to the right, 24..55: scales below 1, then every result fits 32 bits
    output_zero_point   int   0..255
    output_min/max      int   0..255, in order

    Source: (R01).

    >>> PreciseParams.from_scale(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [8, 9, 11, 12]
    """

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": _MANTISSA, "shift": (24, 55)})

    @classmethod
    def from_scale(cls, scale: float, **others: int) -> PreciseParams:
        """From the requantisation scale, 2**-32 <= scale < 1."""
        multiplier, shift = (int(part) for part in precise.row.derive(scale))
        return cls(multiplier >> 7, shift + 24, **others)

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return precise(acc, self.multiplier << 7, self.shift - 24, self.output_zero_point, self.output_min,
                       self.output_max)


@dataclass(frozen=True)
class RndnuParams(_Vector):
    """Parameters of the scheme rndnu: one exact rounding, ties up.

    multiplier          int   Q31 mantissa, 2**30 .. 2**31 - 1
    shift               int   to the right, -8..31
    others as PreciseParams

    Source: (R08, X29).

    >>> RndnuParams.from_scale(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [9, 10, 11, 12]
    """

    rounding = rndnu.row

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": _Q31, "shift": (-8, 31)})

    @classmethod
    def from_scale(cls, scale: float, **others: int) -> RndnuParams:
        """From the requantisation scale, 2**-32 <= scale < 256."""
        return cls(*(int(part) for part in cls.rounding.derive(scale)), **others)

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return self.rounding.requantize(acc, (self.multiplier, self.shift), self.output_zero_point,
                                        (self.output_min, self.output_max), np.uint8)


@dataclass(frozen=True)
class Fp32Params:
    """Parameters of the scheme fp32: converted, multiplied and rounded (ties to even) in single precision.

    scale               float   2**-32 <= scale < 256
    others as PreciseParams

    Source: (R02, R03).

    >>> Fp32Params(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [8, 10, 10, 12]
    """

    scale: float
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    def __post_init__(self) -> None:
        fp32_lrint.row.derive(self.scale)
        object.__setattr__(self, "scale", float(np.float32(self.scale)))
        check_fields(self, {})

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return fp32_lrint(acc, self.scale, self.output_zero_point, self.output_min, self.output_max)


def vector_block(row: Rounding) -> Any:
    """The class of those blocks for a scheme."""
    if not row.fixed:
        return Fp32Params
    if row.below == 1:
        return Q31Params
    return PreciseParams if row is precise.row else rounded_by(RndnuParams, row)


def vector_params(scheme: str, scale: float, output_zero_point: int, output_min: int = 0,
                  output_max: int = 255) -> PreciseParams | RndnuParams | Fp32Params | Q31Params:
    """The block of a kernel that requantises a vector by a scheme: that of the scheme, or of the one with its values.

    Raises BadArgument for scales that the scheme does not take.

    >>> type(vector_params("gemmlowp", 0.5, 10)).__name__
    'Q31Params'
    """
    row = rounding_named(scheme)
    multiplier, shift = (int(one) for one in row.derive(scale))
    limits_, block = (output_zero_point, output_min, output_max), vector_block(row)
    if block is Fp32Params:
        return Fp32Params(scale, *limits_)
    if block is Q31Params:
        return Q31Params(multiplier, shift, 0, 0, *limits_)
    made: PreciseParams | RndnuParams = (PreciseParams(multiplier >> 7, shift + 24, *limits_)
                                         if block is PreciseParams else block(multiplier, shift, *limits_))
    return made
