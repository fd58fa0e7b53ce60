"""Contracts of convolutions: over an indirection buffer, and depthwise.

    input     table of pointers to rows of channels, one for each tap of each output pixel; a tap that falls on
              padding points at a row of zero points
    sum       acc[pixel, n] = sum over taps and channels of (x - a_zero_point) * (w - w_zero_point) + bias[n]

Source: (C02, C05, P02, P05, P06, P07, P08, Z06).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.packing import PackedWeights
from neonsim.packing.depthwise import PackedDepthwise
from neonsim.quant.product_params import Q31Params
from neonsim.ukernel.contract import (
    Array,
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

__all__ = ["qu8_conv_q31", "qu8_dwconv_mp_q31", "qu8_dwconv_q31"]


@contract
def qu8_conv_q31(
    mr: Size,
    nr: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("uint8", "kc")],
    w: Annotated[PackedWeights, Packed("uint8", "ks kc nr")],
    c: Annotated[Array, Out("uint8", "mr nr", stride="c_stride")],
    params: Q31Params,
) -> None:
    """Multiply gathered rows of bytes by packed weights, tap after tap, and requantise.

    c[i] <- requant(sum over taps t of (a[t, i] - a_zero_point) @ (w[t] - w_zero_point) + bias)

    mr, nr     size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc, ks     size               channels of a row, taps; both >= 1
    a          pointers [ks, MR]  to rows of kc bytes; with mr < MR the last row is listed again
    w          packed [ks*kc, nr] one block of `packing.pack_gemm`, depth = taps, then channels
    c          uint8 [mr, nr]     rows c_stride bytes apart; written
    params     Q31Params

    Sums wrap at 32 bits. Source: QNNPACK's q8conv argument order and layouts; definition of our own.
    """
    rows = len(a) // ks
    gathered = a.take(np.arange(ks)[:, None] * rows + np.arange(mr)).astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked.astype(np.int32).reshape(ks, kc, -1) - np.int32(params.w_zero_point)
    acc = np.einsum("tik,tkj->ij", gathered, y, dtype=np.int32, casting="unsafe") + w.original_bias
    c[...] = params.requantize(acc[:, :nr])


def _depthwise(x: Array, w: PackedDepthwise, params: Q31Params) -> Array:
    """x uint8 [pixels, taps, channels] -> uint8 [pixels, channels]."""
    a = x.astype(np.int32) - np.int32(params.a_zero_point)
    b = w.unpacked.astype(np.int32) - np.int32(params.w_zero_point)
    return params.requantize((a * b).sum(axis=1, dtype=np.int32) + w.original_bias)


@contract
def qu8_dwconv_q31(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("uint8", "channels")],
    w: Annotated[PackedDepthwise, Packed("uint8", "taps channels")],
    output: Annotated[Array, Out("uint8", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    params: Q31Params,
) -> None:
    """Convolve each channel with its own weights, all taps of a pixel at once, and requantise.

    output[p] <- requant(sum over taps t of (input[p, t] - a_zero_point) * (w[t] - w_zero_point) + bias)

    channels           size                      >= 1
    output_width       size                      pixels, >= 1
    input              pointers                  taps of pixel p from input_stride * p on, column by column
    w                  packed [taps, channels]   `packing.pack_depthwise`: one pass, input zero point folded
    output             uint8 [pixels, channels]  output_increment bytes lie between two pixels
    input_stride       bytes                     from the pointers of one pixel to those of the next
    params             Q31Params

    Source: QNNPACK's q8dwconv argument order and layouts; definition of our own.
    """
    index = np.arange(output_width)[:, None] * input_stride + np.arange(w.taps)
    output[...] = _depthwise(input.take(index), w, params)


@contract
def qu8_dwconv_mp_q31(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("uint8", "channels")],
    w: Annotated[PackedDepthwise, Packed("uint8", "taps channels")],
    buffer: Annotated[Array, Scratch("int32", "channels:8")],
    output: Annotated[Array, Out("uint8", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    params: Q31Params,
) -> None:
    """Convolve each channel with its own weights, some taps at a time, with sums kept in memory, and requantise.

    output[p] <- requant(sum over taps t of (input[p, t] - a_zero_point) * (w[t] - w_zero_point) + bias)

    channels           size                      >= 1
    output_width       size                      pixels, >= 1
    input              pointers                  taps of pixel p from input_stride * p on, column by column
    buffer             int32 [channels]          rounded up to 8; the sums of one pixel between two passes
    w                  packed [taps, channels]   `packing.pack_depthwise` with the passes of the kernel, nothing folded
                                                 kernels subtract both zero points
    output             uint8 [pixels, channels]  output_increment bytes lie between two pixels
    input_stride       bytes                     from the pointers of one pixel to those of the next
    params             Q31Params

    Computes what qu8_dwconv_q31 computes. Source: QNNPACK's q8dwconv mp8x25; definition of our own.
    """
    index = np.arange(output_width)[:, None] * input_stride + np.arange(w.taps)
    output[...] = _depthwise(input.take(index), w, params)
