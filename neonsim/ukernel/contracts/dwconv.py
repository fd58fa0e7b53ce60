"""Contracts of depthwise convolutions: every channel by itself; uint8 with two zero points, int8 by symmetric weights.

    input     table of pointers to rows of channels, one for each tap of each output pixel; a tap that falls on padding
              points at a row of zero points. Of int8 that is `zero`, the only one that input_offset does not move (X33)
    sum       acc[pixel, n] = sum over taps of (x - a_zero_point) * (w - w_zero_point) + bias[n]
    w         of int8 symmetric, -127..127; the zero point of the input is folded into the bias (D11)

Source: (C02, C05, P05, P06, P07, P08, R08, X01, X02, X22, X25, Z06).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params.gemm_steps import Q31Params
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
from neonsim.ukernel.packing.depthwise import PackedDepthwise

__all__ = ["qs8_dwconv_rndnu", "qs8_qc8w_dwconv_fp32", "qs8_qc8w_dwconv_tengine", "qu8_dwconv_fp32",
           "qu8_dwconv_mp_q31", "qu8_dwconv_q31"]


def _depthwise(x: Array, w: PackedDepthwise, params: Q31Params | Fp32GemmParams) -> Array:
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


@contract
def qu8_dwconv_fp32(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("uint8", "channels", offset="input_offset", zero="zero")],
    w: Annotated[PackedDepthwise, Packed("uint8", "taps channels")],
    output: Annotated[Array, Out("uint8", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    input_offset: Stride,
    zero: Annotated[Array, In("uint8", "channels")],
    params: Fp32GemmParams,
) -> None:
    """Convolve each channel of uint8 with its own weights and requantise in single precision, ties to even.

    output[p] <- fp32(sum over taps t of (input[p, t] - a_zero_point) * (w[t] - w_zero_point) + bias)

    w                  packed [taps, channels]  `packing.pack_depthwise`: one pass, input zero point folded
    zero               uint8 [channels]         zero points: what pointers outside the image point at
    params             Fp32GemmParams           of dtype uint8, with w_zero_point
    others             as qs8_dwconv_rndnu, with uint8

    Sums wrap at 32 bits. Source: XNNPACK's depthwise kernels for qu8, fp32; definition of our own.
    """
    index = np.arange(output_width)[:, None] * input_stride + np.arange(w.taps)
    output[...] = _depthwise(input.take(index), w, params)


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
def qs8_qc8w_dwconv_tengine(
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
    """Convolve each channel of int8 with its own weights and requantise by multiplier and shift of each.

    output[p, n] <- tengine((sum over taps t of (input[p, t, n] - a_zero_point) * w[t, n] + bias[n]) * scale[n])

    w                  packed [taps, channels]  `packing.pack_channelwise` with scales, which lie behind the taps
    params             Qc8wParams               zero point of the output, clamp
    others             as qs8_dwconv_rndnu

    Sums wrap at 32 bits. Source: how Tengine's kernels for Arm requantise; definition of our own.
    """
    assert w.scales is not None
    output[...] = params.by_multiplier(_sums(input, output_width, input_stride, w), w.scales)
