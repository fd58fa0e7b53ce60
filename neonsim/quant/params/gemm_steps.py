"""Parameters of a quantised matrix product: zero points, scale as its scheme has it, limits of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import compose
from neonsim.quant.params.checks import check_fields
from neonsim.quant.requant.schemes import requantize
from neonsim.quant.rounding import Packed8, Rounding, derive, limits, q31

__all__ = ["GemmParams", "OneScale", "Q31Params", "SchemeParams"]


class GemmParams(Protocol):
    """What a quantised matrix product needs besides its operands. Zero points are 8-bit values as stored."""

    @property
    def a_zero_point(self) -> int: ...

    @property
    def w_zero_point(self) -> int: ...

    @property
    def output_zero_point(self) -> int: ...

    @property
    def output_min(self) -> int: ...

    @property
    def output_max(self) -> int: ...

    def requantize(self, acc: ArrayLike) -> Packed8:
        """int32 [m, n] -> uint8 or int8 [m, n]."""
        ...


class OneScale:
    """What parameters of products with one scale share. Their first fields are the scale as their rounding sees it."""

    rounding: ClassVar[Rounding]
    dtype: str
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int

    def __post_init__(self) -> None:
        if not self.rounding.fixed:
            scale = vars(self)["scale"]
            self.rounding.derive(scale)
            object.__setattr__(self, "scale", float(np.float32(scale)))
        check_fields(self, {"multiplier": (1 << 30, (1 << 31) - 1), "shift": (self.rounding.least_shift, 31)})
        if self.dtype == "int8" and self.w_zero_point != 0:
            raise BadArgument(f"w_zero_point of int8 weights must be 0: the scheme is symmetric; got "
                              f"{self.w_zero_point}.")

    @classmethod
    def from_scale(cls, scale: float, *, a_zero_point: int, output_zero_point: int, w_zero_point: int = 0,
                   output_min: int | None = None, output_max: int | None = None, dtype: str | None = None) -> Self:
        """From the requantisation scale in single precision, 2**-32 up to what the rounding takes (X27)."""
        factors = (int(part) for part in cls.rounding.derive(scale)) if cls.rounding.fixed else (scale,)
        make: Any = cls
        return cast("Self", make(*factors, a_zero_point, w_zero_point, output_zero_point,
                                 *limits(dtype or cls.dtype, output_min, output_max),
                                 **({} if dtype is None else {"dtype": dtype})))

    def requantize(self, acc: ArrayLike) -> Packed8:
        """int32 [...] -> dtype [...]."""
        factors = [getattr(self, name) for name in ("multiplier", "shift")] if self.rounding.fixed \
            else [np.float32(vars(self)["scale"])]
        return self.rounding.requantize(acc, tuple(factors), self.output_zero_point,
                                        (self.output_min, self.output_max), self.dtype)


@dataclass(frozen=True)
class Q31Params(OneScale):
    """Parameters of the qu8 ... q31 kernels: everything is uint8, one scale for the whole product.

    multiplier          int   Q31 mantissa, 2**30 <= multiplier < 2**31
    shift               int   right shift in bits, 0..31
    a_zero_point        int   0..255, of the left operand (folded into the packed bias)
    w_zero_point        int   0..255, of the weights
    output_zero_point   int   0..255
    output_min          int   0..255, lower clamp, a quantised value
    output_max          int   output_min..255, upper clamp

    Raises BadArgument for values out of range.

    >>> params = Q31Params.from_scale(0.5, a_zero_point=127, w_zero_point=127, output_zero_point=10)
    >>> params.multiplier == 2**30, params.shift, params.requantize([-3, 3, 600]).tolist()
    (True, 0, [9, 12, 255])
    """

    multiplier: int
    shift: int
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int = 0
    output_max: int = 255

    rounding = q31.row
    dtype = "uint8"

    @property
    def scale(self) -> float:
        """The requantisation scale that multiplier and shift stand for."""
        return float(compose(self.multiplier, self.shift))


@dataclass(frozen=True, eq=False)
class SchemeParams:
    """Parameters of a product in any scheme, signedness and with one scale per channel: what kernels cannot do yet.

    scheme              str                 a name of ROUNDINGS, or "fp32"
    scale               float32 [] or [n]   requantisation scale, one or one per output channel
    a_zero_point ... output_max             as Q31Params, in the range of their 8-bit type
    dtype               str                 "uint8" or "int8", of the result
    """

    scheme: str
    scale: ArrayLike
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        derive(self.scale, self.scheme)
        limits(self.dtype, self.output_min, self.output_max, self.output_zero_point)

    def requantize(self, acc: ArrayLike) -> Packed8:
        """Requantise int32 accumulators [..., n] with these parameters."""
        return requantize(acc, self.scale, self.output_zero_point, self.output_min, self.output_max,
                          scheme=self.scheme, dtype=self.dtype)
