"""Contracts of ncnn's arithmetic: int8 by steps per unit, sums that stay until a float bias is added.

    blue line   float --quantize--> int8 --products--> int32 --dequantize--> float
    red line    int8 --products--> int32 --requantize--> int8

Bytes are symmetric, -127..127, without zero points; the last step of both lines is in single precision, rounded as one
fused multiply-add. Kernels are given numbers of single precision with all their digits, or 0: see `NcnnParams`.

Source: (F03, F04, F05, X22, X25, X26).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.requant.ncnn import NcnnParams, between, from_sums, to_steps
from neonsim.ukernel.contract import (
    Array,
    In,
    Indirect,
    Out,
    Packed,
    PointerStride,
    PointerTable,
    Size,
    Stride,
    contract,
)
from neonsim.ukernel.packing import PackedWeights
from neonsim.ukernel.packing.depthwise import PackedDepthwise

__all__ = ["f32_qs8_quantize", "qs8_dwconv_s32", "qs8_gemm_s32", "qs8_igemm_s32", "s32_f32_dequantize",
           "s32_qs8_requantize"]


@contract
def f32_qs8_quantize(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: NcnnParams,
) -> None:
    """Quantise floats by steps per unit: to nearest, half away from zero, within -127 and 127.

    y[i] <- clip(round(x[i] * steps), -127, 127), the product rounded to single precision

    n        size          >= 1
    x        float32 [n]   infinite is cut off as all that is large; NaN becomes 0
    y        int8 [n]      written
    params   NcnnParams   of which only steps is used

    Source: ncnn's quantize; definition of our own.
    """
    y[...] = to_steps(x, params.steps)


@contract
def s32_f32_dequantize(
    rows: Size,
    channels: Size,
    x: Annotated[Array, In("int32", "rows channels", stride="x_stride")],
    factor: Annotated[Array, In("float32", "channels")],
    bias: Annotated[Array, In("float32", "channels")],
    y: Annotated[Array, Out("float32", "rows channels", stride="y_stride")],
    params: NcnnParams,
) -> None:
    """Make floats of sums: a factor and a bias for each channel, then the activation.

    y[i, j] <- min(max(float32(x[i, j]) * factor[j] + bias[j], low), high), product and sum rounded once

    rows, channels   size                      >= 1
    x                int32 [rows, channels]    rows x_stride bytes apart
    factor, bias     float32 [channels]        finite, 0 or at least 2**-100 in size
    y                float32 [rows, channels]  rows y_stride bytes apart; written
    params           NcnnParams               limits

    Source: ncnn's dequantize; definition of our own.
    """
    y[...] = from_sums(x, factor, bias, params.low, params.high)


@contract
def s32_qs8_requantize(
    rows: Size,
    channels: Size,
    x: Annotated[Array, In("int32", "rows channels", stride="x_stride")],
    factor: Annotated[Array, In("float32", "channels")],
    bias: Annotated[Array, In("float32", "channels")],
    y: Annotated[Array, Out("int8", "rows channels", stride="y_stride")],
    params: NcnnParams,
) -> None:
    """Make int8 of sums through floats: as s32_f32_dequantize, then as f32_qs8_quantize.

    y[i, j] <- clip(round(min(max(float32(x[i, j]) * factor[j] + bias[j], low), high) * steps), -127, 127)

    y        int8 [rows, channels]   rows y_stride bytes apart; written
    params   NcnnParams             limits, steps per unit of y
    others   as s32_f32_dequantize

    Source: ncnn's requantize, which is no cast; definition of our own.
    """
    y[...] = between(x, factor, bias, params.steps, params.low, params.high)


def _sums(a: Array, w: PackedWeights) -> Array:
    return np.asarray(a.astype(np.int32) @ w.unpacked.astype(np.int32) + w.original_bias)


@contract
def qs8_gemm_s32(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("int32", "mr nc", stride="cm_stride", blocks="cn_stride")],
) -> None:
    """Multiply rows of int8 by packed weights and keep the sums.

    c <- a @ w + bias

    mr         size              rows, 1..MR of the kernel
    nc         size              columns, >= 1, any number: blocks of NR
    kc         size              depth, >= 1
    a          int8 [mr, kc]     rows a_stride bytes apart
    w          packed [kc, nc]   `packing.pack_qs8`, nothing folded
    c          int32 [mr, nc]    rows cm_stride, blocks of NR columns cn_stride bytes apart; written

    Sums wrap at 32 bits. Source: XNNPACK's products of qs8 without what follows the sums; definition of our own.
    """
    c[...] = _sums(a, w)


@contract
def qs8_igemm_s32(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("int32", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
) -> None:
    """Multiply gathered rows of int8 by packed weights and keep the sums.

    c[i] <- sum over taps t of a[t, i] @ w[t] + bias

    a          pointers [ks, MR]   row i of tap t; a_offset is added to all but those that equal zero
    w          packed [ks*kc, nc]  `packing.pack_qs8` of [n, kh, kw, c], nothing folded
    zero       int8 [kc]           what taps outside the image read
    others     as qs8_gemm_s32, ks taps >= 1

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qs8; definition of our own.
    """
    rows = a.take(np.arange(ks)[:, np.newaxis] * (len(a) // ks) + np.arange(mr))
    c[...] = _sums(rows.transpose(1, 0, 2).reshape(mr, -1), w)


@contract
def qs8_dwconv_s32(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("int8", "channels", offset="input_offset", zero="zero")],
    w: Annotated[PackedDepthwise, Packed("int8", "taps channels")],
    output: Annotated[Array, Out("int32", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    input_offset: Stride,
    zero: Annotated[Array, In("int8", "channels")],
) -> None:
    """Convolve each channel of int8 with its own weights and keep the sums.

    output[p] <- sum over taps t of input[p, t] * w[t] + bias

    channels           size                      >= 1
    output_width       size                      pixels, >= 1
    input              pointers                  taps of pixel p from input_stride * p on, column by column
    w                  packed [taps, channels]   `packing.pack_channelwise`, nothing folded
    output             int32 [pixels, channels]  output_increment bytes lie between two pixels
    input_stride       bytes                     from the pointers of one pixel to those of the next
    input_offset       bytes                     added to every pointer but `zero`
    zero               int8 [channels]           what pointers outside the image point at

    Sums wrap at 32 bits. Source: XNNPACK's depthwise kernels for qs8; definition of our own.
    """
    taps = input.take(np.arange(output_width)[:, None] * input_stride + np.arange(w.taps))
    products = taps.astype(np.int32) * w.unpacked.astype(np.int32)
    output[...] = products.sum(axis=1, dtype=np.int32) + w.original_bias
