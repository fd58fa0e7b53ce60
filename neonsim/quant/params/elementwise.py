"""Parameter blocks of kernels other than matrix products: what they hold, what they mean, and their bytes in memory.

    class               kernels                              bytes   meaning
    AveragePoolParams   average and global average pooling   24      one exact rounding of (sum - rows * zero point)
    AddParams           element-wise addition                20      two factors, one rounding shift
    ClampParams         clamp, max pooling, of either type    4      two limits
    PreciseParams       requantisation of a vector           16      (R01)
    RndnuParams                                              16      (R08)
    Fp32Params                                               20      (R02, R03)

Blocks are little-endian, the same for C (native/include/neonsim.h) and for assembly. The schemes q31 and gemmlowp read
the block of `Q31Params`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale, decompose, int32_accumulators, rdivpot
from neonsim.quant.params.checks import check_fields, rounded_by
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.rounding import Rounding, fp32_lrint, limits, precise, rndnu, rounding_named

__all__ = ["AddParams", "AveragePoolParams", "ClampParams", "Fp32Params", "PreciseParams", "RndnuParams",
           "vector_block", "vector_params"]

Bytes = NDArray[np.uint8]
_MANTISSA = (1 << 23, (1 << 24) - 1)     # of a float32, with its hidden bit


def _mantissa_and_shift(scale: float, low: float, high: float, what: str) -> tuple[int, int]:
    """scale = mantissa / 2**shift with a mantissa of 24 bits."""
    single = float(check_scale(scale, what))
    if not low <= single < high:
        raise BadArgument(f"{what} must be in [{low:g}, {high:g}); got {single:g}.")
    multiplier, shift = decompose(single)
    return int(multiplier) >> 7, int(shift) + 24


@dataclass(frozen=True)
class AveragePoolParams:
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
        check_fields(self, {"multiplier": _MANTISSA, "shift": (16, 55), "rows": (1, (1 << 23) - 1)})

    @classmethod
    def from_scale(cls, scale: float, *, input_zero_point: int, rows: int, output_zero_point: int,
                   output_min: int = 0, output_max: int = 255, dtype: str = "uint8") -> AveragePoolParams:
        """From the factor of the sum: input scale / (output scale * number of averaged elements), 2**-32 .. 256."""
        multiplier, shift = _mantissa_and_shift(scale, 2.0**-32, 256, "the scale of a pooling sum")
        return cls(multiplier, shift, input_zero_point, rows, output_zero_point, output_min, output_max, dtype)

    @property
    def bias(self) -> int:
        """What the sum of raw bytes starts from."""
        return -self.rows * self.input_zero_point

    def requantize(self, sums: ArrayLike) -> Bytes:
        """Sums of raw bytes to the averages: int [...] -> dtype [...]."""
        x = int32_accumulators(sums) + self.bias
        rounded = np.sign(x) * (np.abs(x) * self.multiplier + (1 << self.shift - 1) >> self.shift)
        return np.asarray(np.clip(rounded + self.output_zero_point, self.output_min, self.output_max), self.dtype)


@dataclass(frozen=True)
class AddParams:
    """Parameters of an addition: y = clamp(round((a_m * (a - a_zp) + b_m * (b - b_zp)) / 2**shift) + zp).

    a_zero_point, b_zero_point   int   0..255
    a_multiplier, b_multiplier   int   0..2**22; the larger one 2**21 and more from `from_scales`
    shift                        int   to the right, 13..31
    output_zero_point            int   0..255
    output_min/max               int   0..255, in order

    Rounding is to nearest, ties away from zero. Source: (R07, K08).

    >>> p = AddParams.from_scales(0.5, 0.5, a_zero_point=0, b_zero_point=0, output_zero_point=0)
    >>> p.add([1, 2, 200], [2, 2, 255]).tolist()
    [2, 2, 228]
    """

    a_zero_point: int
    b_zero_point: int
    a_multiplier: int
    b_multiplier: int
    shift: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    def __post_init__(self) -> None:
        check_fields(self, {"a_multiplier": (0, 1 << 22), "b_multiplier": (0, 1 << 22), "shift": (13, 31)})

    @classmethod
    def from_scales(cls, a_ratio: float, b_ratio: float, *, a_zero_point: int, b_zero_point: int,
                    output_zero_point: int, output_min: int = 0, output_max: int = 255) -> AddParams:
        """From the ratios a scale / output scale and b scale / output scale, each 2**-14 up to 256."""
        ratios = []
        for name, ratio in (("a", a_ratio), ("b", b_ratio)):
            single = float(check_scale(ratio, f"the ratio of {name}'s scale to the output's"))
            if not 2.0**-14 <= single < 256:
                raise BadArgument(f"the ratio of {name}'s scale to the output's must be in [2**-14, 256); "
                                  f"got {single:g}.")
            ratios.append(single)
        # frexp gives max = mantissa * 2**e with a mantissa from 1/2 up: the exponent in (R07) is e - 1.
        shift = 21 - (int(np.frexp(max(ratios))[1]) - 1)
        a, b = (int(np.rint(np.ldexp(r, shift))) for r in ratios)
        return cls(a_zero_point, b_zero_point, a, b, shift, output_zero_point, output_min, output_max)

    def add(self, a: ArrayLike, b: ArrayLike) -> Bytes:
        """The sum of two arrays of bytes: uint8 [...]."""
        x = self.a_multiplier * (np.asarray(a, np.int64) - self.a_zero_point)
        x = x + self.b_multiplier * (np.asarray(b, np.int64) - self.b_zero_point)
        return np.clip(rdivpot(x, self.shift) + self.output_zero_point, self.output_min,
                       self.output_max).astype(np.uint8)


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


@dataclass(frozen=True)
class PreciseParams:
    """Parameters of the scheme precise: one exact rounding, ties away from zero.

    multiplier          int   24-bit mantissa, 2**23 .. 2**24 - 1
    shift               int   to the right, 24..55: scales below 1
    output_zero_point   int   0..255
    output_min/max      int   0..255, in order

    Source: (R01).

    >>> PreciseParams.from_scale(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [8, 9, 11, 12]
    """

    multiplier: int
    shift: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": _MANTISSA, "shift": (24, 55)})

    @classmethod
    def from_scale(cls, scale: float, *, output_zero_point: int, output_min: int = 0,
                   output_max: int = 255) -> PreciseParams:
        """From the requantisation scale, 2**-32 <= scale < 1: then every result fits 32 bits."""
        multiplier, shift = _mantissa_and_shift(scale, 2.0**-32, 1, "requantisation scale")
        return cls(multiplier, shift, output_zero_point, output_min, output_max)

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return precise(acc, self.multiplier << 7, self.shift - 24, self.output_zero_point, self.output_min,
                       self.output_max)


@dataclass(frozen=True)
class RndnuParams:
    """Parameters of the scheme rndnu: one exact rounding, ties up.

    multiplier          int   Q31 mantissa, 2**30 .. 2**31 - 1
    shift               int   to the right, -8..31
    output_zero_point   int   0..255
    output_min/max      int   0..255, in order

    Source: (R08, X29).

    >>> RndnuParams.from_scale(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [9, 10, 11, 12]
    """

    multiplier: int
    shift: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    rounding = rndnu.row

    def __post_init__(self) -> None:
        check_fields(self, {"multiplier": (1 << 30, (1 << 31) - 1), "shift": (-8, 31)})

    @classmethod
    def from_scale(cls, scale: float, *, output_zero_point: int, output_min: int = 0,
                   output_max: int = 255) -> RndnuParams:
        """From the requantisation scale, 2**-32 <= scale < 256."""
        multiplier, shift = cls.rounding.derive(scale)
        return cls(int(multiplier), int(shift), output_zero_point, output_min, output_max)

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return self.rounding.requantize(acc, (self.multiplier, self.shift), self.output_zero_point,
                                        (self.output_min, self.output_max), np.uint8)


@dataclass(frozen=True)
class Fp32Params:
    """Parameters of the scheme fp32: converted, multiplied and rounded (ties to even) in single precision.

    scale               float   2**-32 <= scale < 256
    output_zero_point   int     0..255
    output_min/max      int     0..255, in order

    Source: (R02, R03).

    >>> Fp32Params(0.5, output_zero_point=10).requantize([-3, -1, 1, 3]).tolist()
    [8, 10, 10, 12]
    """

    scale: float
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    def __post_init__(self) -> None:
        _mantissa_and_shift(self.scale, 2.0**-32, 256, "requantisation scale")
        object.__setattr__(self, "scale", float(np.float32(self.scale)))
        limits("uint8", self.output_min, self.output_max)
        as_int(self.output_zero_point, "output_zero_point", 0, 255)

    def requantize(self, acc: ArrayLike) -> Bytes:
        """int32 [...] -> uint8 [...]."""
        return fp32_lrint(acc, self.scale, self.output_zero_point, self.output_min, self.output_max)


VectorParams = PreciseParams | RndnuParams | Fp32Params | Q31Params


def vector_block(row: Rounding) -> Any:
    """The class of those blocks for a scheme."""
    if not row.fixed:
        return Fp32Params
    if row.below == 1:
        return Q31Params
    return PreciseParams if row is precise.row else rounded_by(RndnuParams, row)


def vector_params(scheme: str, scale: float, output_zero_point: int, output_min: int = 0,
                  output_max: int = 255) -> VectorParams:
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
    made: VectorParams = block.from_scale(scale, output_zero_point=output_zero_point, output_min=output_min,
                                          output_max=output_max)
    return made
