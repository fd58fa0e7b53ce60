"""Contracts of depthwise convolutions: every channel by itself; uint8 with two zero points, int8 by symmetric weights.

    input     table of pointers to rows of channels, one for each tap of each output pixel; a tap that falls on padding
              points at a row of zero points. Of int8 that is `zero`, the only one that input_offset does not move (X33)
    sum       acc[pixel, n] = sum over taps of (x - a_zero_point) * (w - w_zero_point) + bias[n]
    w         of int8 symmetric, -127..127; the zero point of the input is folded into the bias (D11)

Source: (C02, C05, P05, P06, P07, P08, R08, X01, X02, X22, X25, Z06).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.contract import (
    Array,
    Family,
    In,
    Indirect,
    Out,
    Packed,
    Params,
    PointerStride,
    PointerTable,
    Scratch,
    Size,
    Stride,
)
from neonsim.ukernel.packing.depthwise import PackedDepthwise

__all__ = ["DWCONV", "OFFSET", "channel_sums", "pixels"]


def pixels(input: PointerTable, output_width: int, input_stride: int, w: Any) -> Array:
    """[pixels, taps, channels]: what the pointers of each output pixel mean."""
    return input.take(np.arange(output_width)[:, None] * input_stride + np.arange(w.taps))


DWCONV = Family(
    "dwconv", sees={"input": pixels}, channels=Size("at least 1"), output_width=Size("output pixels, at least 1"),
    input=Indirect("uint8", "channels", "taps of pixel p from input_stride * p on, column by column"),
    w=Packed("uint8", "taps channels", "{packing}"),
    output=Out("uint8", "output_width channels", gap="output_increment"),
    input_stride=PointerStride("from one pixel's pointers to the next pixel's"),
    output_increment=Stride("between two pixels of the output"), params=Params())
DWCONV_MP = DWCONV.but(
    "dwconv_mp", before="output",
    buffer=Scratch("int32", "channels:8", "the sums of one pixel between two passes"))
OFFSET = DWCONV.but(
    "dwconv_offset", before="params", output=Out("{t}", "output_width channels", gap="output_increment"),
    input=Indirect("{t}", "channels", "taps of pixel p from input_stride * p on, {taps}", offset="input_offset",
                   zero="zero"),
    input_offset=Stride("added to every pointer but `zero`"),
    w=Packed("{t}", "taps channels", "{packing}"),
    zero=In("{t}", "channels", "{zeros}: what pointers outside the image point at"))


def channel_sums(input: Array, w: PackedDepthwise, a_zero_point: int = 0, w_zero_point: int = 0) -> Array:
    """int32 [pixels, channels], wrapped: the original weights and bias by [pixels, taps, channels]."""
    x, y = input.astype(np.int32) - np.int32(a_zero_point), w.unpacked.astype(np.int32) - np.int32(w_zero_point)
    products = x * y
    return np.asarray(products.sum(axis=1, dtype=np.int32) + w.original_bias)


def _zero_points(input: Array, w: PackedDepthwise, params: Q31Params | Fp32GemmParams) -> Array:
    return params.requantize(channel_sums(input, w, params.a_zero_point, params.w_zero_point))


def _one_scale(input: Array, w: PackedDepthwise, params: RndnuGemmParams) -> Array:
    return params.requantize(channel_sums(input, w, w.a_zero_point))


def _by_channel(input: Array, w: PackedDepthwise, params: Qc8wParams) -> Array:
    assert w.scales is not None
    return params.requantize(channel_sums(input, w, w.a_zero_point), w.scales)


def _by_multiplier(input: Array, w: PackedDepthwise, params: Qc8wParams) -> Array:
    assert w.scales is not None
    return params.by_multiplier(channel_sums(input, w, w.a_zero_point), w.scales)


_ONE_PASS = "`packing.pack_depthwise`: one pass, input zero point folded"
_SCALES = "`packing.pack_channelwise` with scales, which lie behind the taps"
_BYTES = "sum over taps t of (input[p, t] - a_zero_point) * (w[t] - w_zero_point) + bias"
_SYMMETRIC = "sum over taps t of (input[p, t] - a_zero_point) * w[t] + bias"
DWCONV.row(
    "qu8_dwconv_q31", _zero_points, params=Q31Params, packing=_ONE_PASS,
    says="Convolve each channel with its own weights, all taps of a pixel at once, and requantise.",
    formula=f"output[p] <- requant({_BYTES})", source="QNNPACK's q8dwconv argument order and layouts")
DWCONV_MP.row(
    "qu8_dwconv_mp_q31", _zero_points, params=Q31Params,
    packing="`packing.pack_depthwise` with the passes of the kernel, nothing folded",
    says="Convolve each channel with its own weights, some taps at a time, with sums kept in memory, and requantise.",
    formula=f"output[p] <- requant({_BYTES})", notes="Computes what qu8_dwconv_q31 computes.",
    source="QNNPACK's q8dwconv mp8x25")
for name, define, t, params, block, packing, says, formula, source in (
        ("qu8_dwconv_fp32", _zero_points, "uint8", Fp32GemmParams, "of dtype uint8, with w_zero_point", _ONE_PASS,
         "in single precision, ties to even", f"output[p] <- fp32({_BYTES})",
         "XNNPACK's depthwise kernels for qu8, fp32"),
        ("qs8_dwconv_rndnu", _one_scale, "int8", RndnuGemmParams, "",
         "`packing.pack_channelwise`, in blocks of the kernel's channels", "by one scale, one rounding, ties up",
         f"output[p] <- rndnu({_SYMMETRIC})", "XNNPACK's depthwise kernels for qs8, rndnu"),
        ("qs8_qc8w_dwconv_fp32", _by_channel, "int8", Qc8wParams, "zero point of the output, clamp", _SCALES,
         "in single precision, each by its scale", f"output[p, n] <- fp32(({_SYMMETRIC})[n] * scale[n])",
         "XNNPACK's depthwise kernels for qs8-qc8w, fp32"),
        ("qs8_qc8w_dwconv_tengine", _by_multiplier, "int8", Qc8wParams, "zero point of the output, clamp", _SCALES,
         "by multiplier and shift of each", f"output[p, n] <- tengine(({_SYMMETRIC})[n] * scale[n])",
         "how Tengine's kernels for Arm requantise; arguments of XNNPACK's depthwise kernels")):
    OFFSET.row(name, define, t=t, taps="column by column", params=params, block=block, packing=packing,
               zeros="zero points", says=f"Convolve each channel of {t} with its own weights and requantise {says}.",
               formula=formula, notes="Sums wrap at 32 bits.", source=source)
