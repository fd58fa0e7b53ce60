"""Contracts of int8 that take every channel by itself: depthwise convolutions, all taps at once; averages of all rows.

    input     table of pointers to rows of channels, one for each tap of each output pixel; `zero` is a row of zero
              points that taps outside the image point at, the only one that input_offset does not move (X33)
    w         symmetric weights, -127..127; the zero point of the input is folded into the bias (D11)

Source: (X01, X02, X22, X23, X25, R08).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.packing.depthwise import PackedDepthwise
from neonsim.quant.gemm_params import Qc8wParams, RndnuGemmParams
from neonsim.quant.vector_params import MeanParams
from neonsim.ukernel.contract import (
    Array,
    In,
    Indirect,
    Out,
    Packed,
    PointerStride,
    PointerTable,
    Scratch,
    Size,
    Stride,
    contract,
)

__all__ = ["qs8_dwconv_rndnu", "qs8_gavgpool", "qs8_gavgpool_mp", "qs8_qc8w_dwconv_fp32"]


def _sums(input: PointerTable, output_width: int, step: int, w: PackedDepthwise) -> Array:
    """int32 [pixels, channels], wrapped: the original weights and bias by what the pointers mean."""
    taps = input.take(np.arange(output_width)[:, None] * step + np.arange(w.taps))
    products = (taps.astype(np.int32) - np.int32(w.a_zero_point)) * w.unpacked.astype(np.int32)
    return np.asarray(products.sum(axis=1, dtype=np.int32) + w.original_bias)


@contract
def qs8_dwconv_rndnu(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("int8", "channels", offset="input_offset", zero="zero")],
    w: Annotated[PackedDepthwise, Packed("int8", "taps channels")],
    output: Annotated[Array, Out("int8", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    input_offset: Stride,
    zero: Annotated[Array, In("int8", "channels")],
    params: RndnuGemmParams,
) -> None:
    """Convolve each channel of int8 with its own weights and requantise: one scale, one rounding, ties up.

    output[p] <- rndnu(sum over taps t of (input[p, t] - a_zero_point) * w[t] + bias)

    channels           size                     >= 1
    output_width       size                     pixels, >= 1
    input              pointers                 taps of pixel p from input_stride * p on, column by column
    w                  packed [taps, channels]  `packing.pack_channelwise`, in blocks of the kernel's channels
    output             int8 [pixels, channels]  output_increment bytes lie between two pixels
    input_stride       bytes                    from the pointers of one pixel to those of the next
    input_offset       bytes                    added to every pointer but `zero`
    zero               int8 [channels]          zero points: what pointers outside the image point at
    params             RndnuGemmParams

    Sums wrap at 32 bits. Source: XNNPACK's depthwise kernels for qs8, rndnu; definition of our own.
    """
    output[...] = params.requantize(_sums(input, output_width, input_stride, w))


@contract
def qs8_qc8w_dwconv_fp32(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("int8", "channels", offset="input_offset", zero="zero")],
    w: Annotated[PackedDepthwise, Packed("int8", "taps channels")],
    output: Annotated[Array, Out("int8", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    input_offset: Stride,
    zero: Annotated[Array, In("int8", "channels")],
    params: Qc8wParams,
) -> None:
    """Convolve each channel of int8 with its own weights and requantise in single precision, each by its scale.

    output[p, n] <- fp32((sum over taps t of (input[p, t, n] - a_zero_point) * w[t, n] + bias[n]) * scale[n])

    w                  packed [taps, channels]  `packing.pack_channelwise` with scales, which lie behind the taps
    params             Qc8wParams               zero point of the output, clamp
    others             as qs8_dwconv_rndnu

    Sums wrap at 32 bits. Source: XNNPACK's depthwise kernels for qs8-qc8w, fp32; definition of our own.
    """
    assert w.scales is not None
    output[...] = params.requantize(_sums(input, output_width, input_stride, w), w.scales)


@contract
def qs8_gavgpool(
    m: Size,
    n: Size,
    x: Annotated[Array, In("int8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: MeanParams,
) -> None:
    """Average all rows of a matrix of int8, in one pass: one exact rounding, ties up.

    y[j] <- clamp(rndnu(scale * sum over i of (x[i, j] - input_zero_point)) + output_zero_point)

    m, n       size          rows, 1..7 of a kernel of 7; channels, >= 1
    x          int8 [m, n]   rows x_stride bytes apart
    zero       int8 [n]      bytes 0: stands for rows that are not there
    y          int8 [n]      written
    params     MeanParams    with rows = m

    Source: XNNPACK's qs8 gavgpool 7x, rndnu; definition of our own.
    """
    y[...] = params.requantize(x.sum(axis=0, dtype=np.int64))


@contract
def qs8_gavgpool_mp(
    m: Size,
    n: Size,
    x: Annotated[Array, In("int8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("int8", "n")],
    buffer: Annotated[Array, Scratch("int32", "n:8")],
    y: Annotated[Array, Out("int8", "n")],
    params: MeanParams,
) -> None:
    """Average all rows of a matrix of int8, seven at a time, with the sums kept in memory.

    m, n       size          rows, more than 7; channels, >= 1
    x          int8 [m, n]   rows x_stride bytes apart
    zero       int8 [n]      bytes 0: stands for rows that are not there
    buffer     int32 [n]     rounded up to 8
    y          int8 [n]      written
    params     MeanParams    with rows = m

    Computes what qs8_gavgpool computes. Source: XNNPACK's qs8 gavgpool 7p7x, rndnu; definition of our own.
    """
    y[...] = params.requantize(x.sum(axis=0, dtype=np.int64))
