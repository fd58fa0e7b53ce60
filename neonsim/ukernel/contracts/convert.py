"""Contracts between real numbers and integers, and of int8 by a detour through real numbers.

    f32_x8_vcvt            float32 -> 8 bits    by a product, to nearest even: as XNNPACK at the edges of a network
    x8_f32_vcvt            8 bits -> float32    qs16_f32_vcvt: 16 bits
    f32_qs8_quotient       float32 -> int8      by a quotient, ties away from zero; f32_qs16_quotient: int16
    s32_qs8_quotient       int32 sums -> int8   times a factor for each channel before
    qs8_vadd_quotient      int8 + int8          as real numbers
    qs8_clamp_quotient     int8                 an activation as a real number
    qs8_avgpool_quotient   means of int8        the sum an integer

Every step is rounded to single precision, nothing is fused. Kernels of AArch32 take subnormal operands of products and
sums for zeros: parameters are such that no byte shows it. Kernels that divide in AArch32 do so lane by lane.

Source: (F08, F10, F12, M17, Y17); definitions of our own.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.ukernel.contract import Array, In, Indirect, Out, PointerStride, PointerTable, Size, Stride, contract

__all__ = ["f32_qs8_quotient", "f32_qs16_quotient", "f32_x8_vcvt", "qs8_avgpool_quotient", "qs8_clamp_quotient",
           "qs8_vadd_quotient", "qs16_f32_vcvt", "s32_qs8_quotient", "x8_f32_vcvt"]


@contract
def f32_x8_vcvt(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: QuantizeParams,
) -> None:
    """Quantise real numbers to bytes of either sign.

    y[i] <- clip(round(x[i] * factor) + zero_point), ties to even, the product rounded; NaN is the upper end

    n        size            >= 1
    x        float32 [n]
    y        uint8 [n]       or int8, as params say; written
    params   QuantizeParams

    Source: XNNPACK's vcvt from f32 to qs8 and qu8; definition of our own.
    """
    y[...] = params.quantize(x).view(np.uint8)


@contract
def x8_f32_vcvt(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: DequantizeParams,
) -> None:
    """Dequantise bytes of either sign.

    y[i] <- (x[i] - zero_point) * scale

    n        size           >= 1
    x        uint8 [n]      or int8, as params say
    y        float32 [n]    written
    params   DequantizeParams

    Source: XNNPACK's vcvt from qs8 and qu8 to f32; definition of our own.
    """
    y[...] = params.real(x.view(params.dtype))


@contract
def qs16_f32_vcvt(
    n: Size,
    x: Annotated[Array, In("int16", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: DequantizeParams,
) -> None:
    """Dequantise 16 bits.

    y[i] <- (x[i] - zero_point) * scale

    n        size           >= 1
    x        int16 [n]
    y        float32 [n]    written
    params   DequantizeParams

    Source: XNNPACK's vcvt from qs16 to f32; definition of our own.
    """
    y[...] = params.real(x)


@contract
def f32_qs8_quotient(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: DivideParams,
) -> None:
    """Quantise real numbers by a quotient.

    y[i] <- clip(round(x[i] / divisor)), ties away from zero; 0 of a NaN

    n        size             >= 1
    x        float32 [n]
    y        int8 [n]         written
    params   DivideParams   divisor and limits of the result; the rest is not used

    Source: Tengine's quantisation of what it computed in real numbers; definition of our own.
    """
    y[...] = params.whole(x)


@contract
def f32_qs16_quotient(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("int16", "n")],
    params: DivideParams,
) -> None:
    """Quantise real numbers to 16 bits by a quotient.

    y[i] <- clip(round(x[i] / divisor)), ties away from zero; 0 of a NaN

    n        size             >= 1
    x        float32 [n]
    y        int16 [n]        written
    params   DivideParams   divisor and limits of the result; the rest is not used

    Source: TensorFlow Lite's quantisation to int16; definition of our own.
    """
    y[...] = params.whole(x)


@contract
def s32_qs8_quotient(
    rows: Size,
    channels: Size,
    x: Annotated[Array, In("int32", "rows channels", stride="x_stride")],
    x_stride: Stride,
    factor: Annotated[Array, In("float32", "channels")],
    y: Annotated[Array, Out("int8", "rows channels", stride="y_stride")],
    y_stride: Stride,
    params: DivideParams,
) -> None:
    """Sums to int8 as Tengine's reference has it: a real number, then a quotient.

    y[i, j] <- clip(round(float(x[i, j]) * factor[j] / divisor)), ties away from zero, every step rounded

    rows, channels       size                     >= 1
    x                    int32 [rows, channels]
    factor               float32 [channels]       scale of the input times that of the channel's weights
    y                    int8 [rows, channels]    written
    x_stride, y_stride   bytes                    from row to row
    params               DivideParams           divisor and limits of the result; the rest is not used

    Source: Tengine's reference convolution of int8; definition of our own.
    """
    y[...] = params.of_sums(x, factor)


@contract
def qs8_vadd_quotient(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: DivideParams,
) -> None:
    """Add two vectors of int8 as real numbers.

    y[i] <- clip(round((a[i] * scale + b[i] * other_scale) / divisor)), ties away from zero, every step rounded

    n        size             >= 1
    a, b     int8 [n]
    y        int8 [n]         written; may be a, b or both
    params   DivideParams

    Source: Tengine's element-wise reference; definition of our own.
    """
    y[...] = params.added(a, b)


@contract
def qs8_clamp_quotient(
    n: Size,
    x: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: DivideParams,
) -> None:
    """An activation by a detour through real numbers: what a maximum does with bytes.

    y[i] <- clip(round(the smaller of high and the larger of low and x[i] * scale, / divisor)), ties away from zero

    n        size             >= 1
    x        int8 [n]
    y        int8 [n]         written; may be x
    params   DivideParams   ReLU: low 0, high infinite

    Source: Tengine's relu_kernel_ref_int8; definition of our own.
    """
    y[...] = params.clamped(x)


@contract
def qs8_avgpool_quotient(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("int8", "kc")],
    y: Annotated[Array, Out("int8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: DivideParams,
) -> None:
    """Average ks gathered rows of int8 for each output pixel: a whole sum, then real numbers.

    y[p, j] <- clip(round(float(input[p, 0][j] + input[p, 1][j] + ...) * scale / count / divisor)), ties away from zero

    n, ks, kc     size             pixels, rows of each, channels: any
    input         pointers         ks rows of pixel p from x_increment * p on
    y             int8 [n, kc]     y_increment bytes lie between two pixels; written
    x_increment   bytes            from the pointers of one pixel to those of the next
    params        DivideParams   count: rows of each

    Source: Tengine's pooling reference; f32_avgpool's argument order; definition of our own.
    """
    rows = input.take(np.arange(n)[:, None] * x_increment + np.arange(ks))
    y[...] = params.mean(rows.sum(axis=1, dtype=np.int32))
