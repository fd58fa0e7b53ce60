"""Parameter blocks: the bytes, little-endian, in which kernels read the numbers of `quant`.

`block_of` knows every class of parameters; the structs of the C library have the same fields at the same places.
"""

from __future__ import annotations

import struct
from functools import singledispatch
from typing import Any

import numpy as np

from neonsim.errors import BadArgument
from neonsim.quant.dynamic import DynamicRows, Qd8Params
from neonsim.quant.float_params import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.quant.floating import EXPONENTIAL
from neonsim.quant.gemm_params import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params import AddParams, AveragePoolParams, ClampParams, Fp32Params, PreciseParams, RndnuParams
from neonsim.quant.per_unit import StepsParams
from neonsim.quant.product_params import Q31Params
from neonsim.quant.real_params import QuotientParams, ToBytesParams, ToRealParams
from neonsim.quant.rounding import MAGIC_BITS, derive
from neonsim.quant.vector_params import ConvertParams, LeakyParams, MeanParams, MultiplyParams, ScaledAddParams

__all__ = ["block_of", "is_block", "low_byte"]


def low_byte(value: int) -> int:
    """A byte of either signedness as 0..255.

    >>> low_byte(-1)
    255
    """
    return value & 0xFF


@singledispatch
def block_of(params: Any) -> bytes:
    """What a kernel reads of these parameters: bytes, laid out as said below for each class.

    >>> block_of(ClampParams(0, 6)).hex()
    '06000000'

    Raises BadArgument for what is no parameters of a kernel.
    """
    raise BadArgument(f"{type(params).__name__} is no block of parameters that kernels read")


def is_block(value: Any) -> bool:
    """Whether `block_of` has bytes for it."""
    return block_of.dispatch(type(value)) is not block_of.dispatch(object)


@block_of.register
def _average_pool(params: AveragePoolParams) -> bytes:
    """0 int32 bias  4 int32 multiplier  8 int64 -shift  16 int16 zero point  18 max  19 min  20..23 zero."""
    return struct.pack("<iiqhBB4x", params.bias, params.multiplier, -params.shift, params.output_zero_point,
                       low_byte(params.output_max), low_byte(params.output_min))


@block_of.register
def _add(params: AddParams) -> bytes:
    """0 a zero point  1 b zero point  2 int16 zero point  4, 8 int32 multipliers  12 int32 -shift  16 max  17 min
    18, 19 zero."""
    return struct.pack("<BBhiiiBB2x", params.a_zero_point, params.b_zero_point, params.output_zero_point,
                       params.a_multiplier, params.b_multiplier, -params.shift, params.output_max, params.output_min)


@block_of.register
def _clamp(params: ClampParams) -> bytes:
    """0 max  1 min  2, 3 zero."""
    return struct.pack("<BB2x", low_byte(params.output_max), low_byte(params.output_min))


@block_of.register
def _precise(params: PreciseParams) -> bytes:
    """0 int32 multiplier  4 int16 zero point  6 max  7 min  8 int64 -shift."""
    return struct.pack("<ihBBq", params.multiplier, params.output_zero_point, params.output_max, params.output_min,
                       -params.shift)


@block_of.register
def _rndnu(params: RndnuParams) -> bytes:
    """0 int32 multiplier  4 int32 pre-shift left  8 int32 -post-shift  12 int16 zero point  14 max  15 min.

    The post-shift is 1 at least, so that its rounding does the rounding; the pre-shift makes up for it.
    """
    post = max(params.shift, 1)
    return struct.pack("<iiihBB", params.multiplier, post - params.shift, -post, params.output_zero_point,
                       params.output_max, params.output_min)


@block_of.register
def _fp32(params: Fp32Params) -> bytes:
    """0 float scale  4, 8 float limits less the zero point  12 int32 magic bits less the zero point  16 int16 zero
    point  18 max  19 min."""
    zero = params.output_zero_point
    return struct.pack("<fffihBB", params.scale, params.output_min - zero, params.output_max - zero, MAGIC_BITS - zero,
                       zero, params.output_max, params.output_min)


@block_of.register
def _rndnu_gemm(params: RndnuGemmParams) -> bytes:
    """The 20 bytes that kernels read (struct neonsim_rndnu_gemm_params).

    0 int32 multiplier   4 int32 pre-shift left   8 int32 -post-shift   12 int16 output_zero_point   14 output_max
    15 output_min   16 w_zero_point   17 a_zero_point (for kernels that do not find it in the bias)   18, 19 zero

    The post-shift is 1 at least, so that its rounding does the rounding; the pre-shift makes up for it (X29).
    """
    post = max(params.shift, 1)
    return struct.pack("<iiihBBBB2x", params.multiplier, post - params.shift, -post, params.output_zero_point,
                       low_byte(params.output_max), low_byte(params.output_min), low_byte(params.w_zero_point),
                       low_byte(params.a_zero_point))


@block_of.register
def _fp32_gemm(params: Fp32GemmParams) -> bytes:
    """The 24 bytes that kernels read (struct neonsim_fp32_gemm_params).

    0 float scale   4, 8 float limits less the zero point   12 int32 magic bits less the zero point
    16 int16 output_zero_point   18 output_max   19 output_min   20 w_zero_point   21 a_zero_point   22, 23 zero
    """
    zero = params.output_zero_point
    return struct.pack("<fffihBBBB2x", params.scale, params.output_min - zero, params.output_max - zero,
                       MAGIC_BITS - zero, zero, low_byte(params.output_max), low_byte(params.output_min),
                       low_byte(params.w_zero_point), low_byte(params.a_zero_point))


@block_of.register
def _qc8w(params: Qc8wParams) -> bytes:
    """The 16 bytes that kernels read (struct neonsim_qc8w_params).

    0, 4 float limits less the zero point   8 int32 magic bits less the zero point   12 int16 output_zero_point
    14 output_max   15 output_min
    """
    zero = params.output_zero_point
    return struct.pack("<ffihBB", params.output_min - zero, params.output_max - zero, MAGIC_BITS - zero, zero,
                       low_byte(params.output_max), low_byte(params.output_min))


@block_of.register
def _q31(params: Q31Params) -> bytes:
    """The 16 bytes that kernels read (struct neonsim_q31_params, little-endian).

    0 int32 multiplier   4 int32 -shift   8 int16 output_zero_point   10 uint8 output_max   11 uint8 output_min
    12 uint8 w_zero_point   13 uint8 a_zero_point (for kernels that do not find it in the bias)   14, 15 zero
    """
    return struct.pack("<iihBBBB2x", params.multiplier, -params.shift, params.output_zero_point, params.output_max,
                       params.output_min, params.w_zero_point, params.a_zero_point)


@block_of.register
def _dynamic_rows(params: DynamicRows) -> bytes:
    """What kernels read: for every row int32 zero point, float32 scale; 8 bytes a row, little-endian."""
    rows = np.zeros(len(params.scale), [("zero_point", "<i4"), ("scale", "<f4")])
    rows["zero_point"], rows["scale"] = params.zero_point, params.scale
    return rows.tobytes()


@block_of.register
def _qd8(params: Qd8Params) -> bytes:
    """The 8 bytes that kernels read (struct neonsim_qd8_params): 0 float output_min   4 float output_max."""
    return struct.pack("<ff", params.output_min, params.output_max)


@block_of.register
def _steps(params: StepsParams) -> bytes:
    """The 12 bytes that kernels read (struct neonsim_steps_params): 0 float steps   4, 8 float limits."""
    return struct.pack("<fff", params.steps, params.low, params.high)


@block_of.register
def _scaled_add(params: ScaledAddParams) -> bytes:
    """The 20 bytes that kernels read (struct neonsim_scaled_add_params).

    0 a_zero_point   1 b_zero_point   2 int16 output_zero_point   4 int32 a_multiplier   8 int32 b_multiplier
    12 int32 -shift   16 output_max   17 output_min   18, 19 zero
    """
    return struct.pack("<BBhiiiBB2x", low_byte(params.a_zero_point), low_byte(params.b_zero_point),
                       params.output_zero_point, params.a_multiplier, params.b_multiplier, -params.shift,
                       low_byte(params.output_max), low_byte(params.output_min))


@block_of.register
def _multiply(params: MultiplyParams) -> bytes:
    """The bytes that kernels read, 16 for fp32 and 20 for rndnu (structs neonsim_mul_fp32_params, _rndnu_params).

    fp32:  0 float scale   4 int32 magic bits less output_zero_point   8 int16 output_zero_point   10 output_max
           11 output_min   12 a_zero_point   13 b_zero_point   14, 15 zero
    rndnu: 0 int32 multiplier   4 int32 pre-shift left   8 int32 -post-shift   12 int16 output_zero_point
           14 output_max   15 output_min   16 a_zero_point   17 b_zero_point   18, 19 zero
    """
    zero = params.output_zero_point
    ends = [low_byte(v) for v in (params.output_max, params.output_min, params.a_zero_point, params.b_zero_point)]
    if params.scheme == "fp32":
        return struct.pack("<fihBBBB2x", params.scale, MAGIC_BITS - zero, zero, *ends)
    multiplier, shift = (int(part) for part in derive(params.scale, "rndnu"))
    post = max(shift, 1)
    return struct.pack("<iiihBBBB2x", multiplier, post - shift, -post, zero, *ends)


@block_of.register
def _convert(params: ConvertParams) -> bytes:
    """The 8 bytes that kernels read (struct neonsim_convert_params).

    0 int16 input_zero_point   2 int16 -multiplier   4 int16 output_zero_point   6, 7 zero
    """
    return struct.pack("<hhh2x", params.input_zero_point, -params.multiplier, params.output_zero_point)


@block_of.register
def _leaky(params: LeakyParams) -> bytes:
    """The 8 bytes that kernels read (struct neonsim_leaky_params).

    0 int16 input_zero_point   2 int16 -positive_multiplier   4 int16 -negative_multiplier
    6 int16 output_zero_point
    """
    return struct.pack("<hhhh", params.input_zero_point, -params.positive_multiplier, -params.negative_multiplier,
                       params.output_zero_point)


@block_of.register
def _mean(params: MeanParams) -> bytes:
    """The 20 bytes that kernels read (struct neonsim_mean_params).

    0 int32 bias   4 int32 multiplier   8 int32 pre-shift left   12 int32 -post-shift   16 int16 output_zero_point
    18 output_max   19 output_min
    """
    post = max(params.shift, 1)
    return struct.pack("<iiiihBB", params.bias, params.multiplier, post - params.shift, -post, params.output_zero_point,
                       low_byte(params.output_max), low_byte(params.output_min))


@block_of.register
def _float(params: FloatParams) -> bytes:
    """The 8 bytes that kernels read (struct neonsim_f32_params): 0 float output_min   4 float output_max."""
    return struct.pack("<ff", params.output_min, params.output_max)


@block_of.register
def _float_mean(params: FloatMeanParams) -> bytes:
    """The 12 bytes that kernels read (struct neonsim_f32_mean_params): 0 float scale   4 float output_min
    8 float output_max."""
    return struct.pack("<fff", params.scale, params.output_min, params.output_max)


@block_of.register
def _float_slope(params: FloatSlopeParams) -> bytes:
    """The 4 bytes that kernels read (struct neonsim_f32_slope_params): 0 float slope."""
    return struct.pack("<f", params.slope)


@block_of.register
def _float_share(params: FloatShareParams) -> bytes:
    """The 44 bytes that kernels read (struct neonsim_f32_share_params): 0 float beta   4 ten floats, EXPONENTIAL."""
    return struct.pack("<11f", params.beta, *EXPONENTIAL)


@block_of.register
def _to_bytes(params: ToBytesParams) -> bytes:
    """The 16 bytes that kernels read (struct neonsim_to_bytes_params): 0 float factor   4, 8 float limits less the
    zero point   12 int32 zero point."""
    return struct.pack("<fffi", params.factor, *params.ends, params.zero_point)


@block_of.register
def _to_real(params: ToRealParams) -> bytes:
    """The 12 bytes that kernels read (struct neonsim_to_real_params).

    0 float scale   4 int32 zero point, of int8 plus 128   8 int32 what bytes are XORed with first: 128 of int8, else 0
    """
    flips = 128 if params.dtype == "int8" else 0
    return struct.pack("<fii", params.scale, params.zero_point + flips, flips)


@block_of.register
def _quotient(params: QuotientParams) -> bytes:
    """The 32 bytes that kernels read (struct neonsim_quotient_params): floats 0 divisor   4, 8 limits of the result
    12, 16 scales of the operands   20 count   24, 28 limits of the real number."""
    return struct.pack("<8f", params.divisor, params.output_min, params.output_max, params.scale, params.other_scale,
                       params.count, params.low, params.high)
