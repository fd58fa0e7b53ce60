"""The symmetric int8 scheme: weights without a zero point, and the parameter blocks of its matrix products.

    weights    int8 in -127..127, zero point 0, one scale or one per output channel
    inputs     int8, any zero point; it is folded into the packed bias, so that kernels never see it

Two things follow from weights in -127..127. No zero point is left in the loop: bias' = bias - zx * sum of weights
(D11). And |x * w| <= 128 * 127 = 16256, so two products add up in 16 bits: 32512 <= 32767; with a weight of -128 the
sum -128 * -128 * 2 = 32768 is one too much (D12, Z17).

    class             kernels                        bytes   scale
    RndnuGemmParams   qs8 and qu8 products, rndnu    20      one: multiplier and shift
    Fp32GemmParams    qs8 and qu8 products, fp32     24      one: a float
    Qc8wParams        qc8w products, fp32            16      one per channel, behind the packed weights (X25)

Blocks are little-endian, the same for C and for assembly. The output clamp is a pair of bytes of the result's type.

Source: (D10, D11, D12, X01, X02, X03, X25, X27, X29).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.params.checks import check_fields, rounded_by
from neonsim.quant.params.gemm_steps import OneScale
from neonsim.quant.requant.tengine import by_multiplier
from neonsim.quant.rounding import Packed8, Rounding, fp32_lrint, rndnu

__all__ = ["Fp32GemmParams", "Qc8wParams", "RndnuGemmParams", "check_weights", "gemm_params"]


def check_weights(values: NDArray[Any], name: str = "w") -> NDArray[np.int8]:
    """Weights of the symmetric scheme: int8 in -127..127.

    values   int8 [...]
    ->       the same array

    Raises BadArgument for another type, and for a weight of -128, naming the first one.
    Source: (D10, D12).

    >>> check_weights(np.array([[-127, 127]], np.int8)).tolist()
    [[-127, 127]]
    """
    if values.dtype != np.int8:
        raise BadArgument(f"{name} must be int8 in -127..127, without a zero point (the symmetric scheme); got "
                          f"{values.dtype}.")
    lowest = values == -128
    if lowest.any():
        where = [int(i) for i in np.unravel_index(int(np.argmax(lowest)), values.shape)]
        raise BadArgument(
            f"{name} has -128 at {where} ({int(lowest.sum())} in all): symmetric weights lie in -127..127. Kernels of "
            f"this scheme need two products to fit 16 bits, and two times -128 * -128 does not. Quantise with a scale "
            f"of max|w| / 127, or clip: np.maximum(values, -127).")
    return values


@dataclass(frozen=True)
class RndnuGemmParams(OneScale):
    """Parameters of a product with one scale, requantised by rndnu: one exact rounding, ties up.

    multiplier          int   Q31 mantissa, 2**30 <= multiplier < 2**31
    shift               int   right shift in bits, -8..31
    a_zero_point        int   of the left operand (folded into the packed bias)
    w_zero_point        int   of the weights; 0 if they are int8
    output_zero_point   int
    output_min, _max    int   clamp, quantised values
    dtype               str   "int8" or "uint8": of operands and result, and so the range of all zero points and clamps

    Raises BadArgument for values out of range. Source: (R08, X28, X29).

    >>> params = RndnuGemmParams.from_scale(0.5, a_zero_point=-3, output_zero_point=10)
    >>> params.requantize([-3, -1, 1, 3, 600]).tolist()
    [9, 10, 11, 12, 127]
    """

    multiplier: int
    shift: int
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "int8"

    rounding = rndnu.row


@dataclass(frozen=True)
class Fp32GemmParams(OneScale):
    """Parameters of a product with one scale, requantised in single precision, ties to even.

    scale    float   2**-32 <= scale < 256
    others   as RndnuGemmParams

    Raises BadArgument for values out of range. Source: (R02, R03).

    >>> Fp32GemmParams(0.5, 0, 0, 10, -128, 127).requantize([-3, -1, 1, 3]).tolist()
    [8, 10, 10, 12]
    """

    scale: float
    a_zero_point: int
    w_zero_point: int
    output_zero_point: int
    output_min: int
    output_max: int
    dtype: str = "int8"

    rounding = fp32_lrint.row


def gemm_params(row: Rounding) -> type[RndnuGemmParams | Fp32GemmParams]:
    """The class of parameters of products with one scale that are requantised by a scheme.

    >>> gemm_params(rndnu.row).__name__
    'RndnuGemmParams'
    """
    found: type[RndnuGemmParams | Fp32GemmParams] = rounded_by(RndnuGemmParams if row.fixed else Fp32GemmParams, row)
    return found


@dataclass(frozen=True)
class Qc8wParams:
    """Parameters of a product with one scale per output channel, requantised in single precision, ties to even.

    a_zero_point        int   -128..127, of the left operand (folded into the packed bias)
    output_zero_point   int   -128..127
    output_min, _max    int   clamp, -128..127

    The scales are not here: they lie behind the weights of their block of channels, and requantization takes them.

    Raises BadArgument for values out of range. Source: (X02, X25).

    >>> Qc8wParams(0, 10).requantize([[3, 3]], [0.5, 2.0]).tolist()
    [[12, 16]]
    """

    a_zero_point: int
    output_zero_point: int
    output_min: int = -128
    output_max: int = 127
    dtype: str = "int8"

    w_zero_point = 0

    def __post_init__(self) -> None:
        if self.dtype != "int8":
            raise BadArgument(f"products with one scale per channel must be int8; got dtype {self.dtype!r}.")
        check_fields(self, {})

    def requantize(self, acc: ArrayLike, scale: ArrayLike) -> Packed8:
        """int32 [..., n] and float32 [n], each 2**-32 <= scale < 256 -> int8 [..., n]."""
        return fp32_lrint(acc, scale, self.output_zero_point, self.output_min, self.output_max, "int8")

    def by_multiplier(self, acc: ArrayLike, scale: ArrayLike) -> Packed8:
        """The same by multiplier and shift of each scale, rounded up twice: `quant.tengine.by_multiplier`.

        >>> Qc8wParams(0, 10).by_multiplier([[-6, 6]], [0.25, 0.25]).tolist()
        [[9, 12]]
        """
        rndnu.row.derive(scale)      # the same scales are taken
        found = by_multiplier(acc, scale) + self.output_zero_point
        return np.asarray(np.clip(found, self.output_min, self.output_max)).astype(np.int8)
