"""Contracts of float32 kernels: products, depthwise convolutions, sums, limits, pools.

The order of operations is part of each contract, so that there is one right set of bits:

    sums of products   acc = bias; then for every depth in the order of the packed weights (tap after tap, in a tap
                       channel after channel): acc = fused(x, w, acc), a * b + c rounded once; one chain a result
    sums of rows       acc = row 0; then for every further row: acc = acc + row, rounded
    limits             then acc = the larger of acc and output_min, the smaller of that and output_max (+0 above -0)

What is left open. A NaN among the operands gives NaN; whose bits it has depends on who computes. Sums of infinities of
both signs are such a NaN. Kernels of AArch32 take subnormal operands for zeros of their sign, and give zeros in place
of subnormal results, as Advanced SIMD does there whatever FPSCR says: they give these bits where operands, products
that are added to zeros, sums and results are zeros or normal numbers. Kernels of AArch64 (FPCR as a process finds it)
and the C library compute with subnormal numbers. All of them round to nearest, ties to even.

Rows through pointers are 4-byte aligned; strides, increments and offsets are bytes.

Source: (K39) for tiles, XNNPACK's kernels for f32 for the order of arguments; definitions of our own.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant import float32
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
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
from neonsim.ukernel.packing.float32 import PackedFloats

__all__ = ["f32_avgpool", "f32_clamp", "f32_dwconv", "f32_gavgpool", "f32_gemm", "f32_igemm", "f32_maxpool",
           "f32_softmax", "f32_vadd", "f32_vlrelu", "f32_vmulcaddc"]


@contract
def f32_gemm(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("float32", "mr kc", stride="a_stride")],
    w: Annotated[PackedFloats, Packed("float32", "kc nc")],
    c: Annotated[Array, Out("float32", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: FloatParams,
) -> None:
    """Multiply rows of float32 by packed weights: chains of fused multiply-adds from the bias on.

    c[i, j] <- clamp(fused(a[i, kc-1], w[kc-1, j], ... fused(a[i, 1], w[1, j], fused(a[i, 0], w[0, j], bias[j]))))

    mr         size               rows, 1..MR of the kernel
    nc         size               columns, >= 1, any number: blocks of NR
    kc         size               depth, >= 1
    a          float32 [mr, kc]   rows a_stride bytes apart
    w          packed [kc, nc]    `packing.pack_f32`
    c          float32 [mr, nc]   rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    params     FloatParams        limits

    Source: XNNPACK's products of f32 with limits; definition of our own.
    """
    c[...] = params.clamp(float32.product(a, w.weights, w.bias))


def _gathered(a: PointerTable, mr: int, ks: int) -> Array:
    """[mr, ks * kc]: the rows of each output pixel behind one another; the table is [ks, MR]."""
    width = len(a) // ks
    index = np.arange(ks)[np.newaxis, :] * width + np.arange(mr)[:, np.newaxis]
    return np.asarray(a.take(index).reshape(mr, -1))


@contract
def f32_igemm(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("float32", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedFloats, Packed("float32", "ks kc nc")],
    c: Annotated[Array, Out("float32", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("float32", "kc")],
    params: FloatParams,
) -> None:
    """Multiply gathered rows of float32 by packed weights: chains over taps, in a tap over channels, from the bias on.

    c[i, j] <- clamp(bias[j], then fused for t = 0 .. ks-1, in each for k = 0 .. kc-1, with a[t, i][k] and w[t, k, j])

    mr, nc     size               rows (1..MR of the kernel), columns (any number: blocks of NR)
    kc, ks     size               channels of a row, taps
    a          pointers [ks, MR]  rows of kc floats; those that do not equal zero are moved by a_offset bytes
    w          packed [ks*kc, nc] `packing.pack_f32` of [n, kh, kw, c]
    c          float32 [mr, nc]   rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    a_offset   bytes              added to every pointer but `zero`
    zero       float32 [kc]       zeros: what taps outside the image point at; they take part as others do
    params     FloatParams        limits

    Source: XNNPACK's indirect products of f32 with limits; definition of our own.
    """
    c[...] = params.clamp(float32.product(_gathered(a, mr, ks), w.weights, w.bias))


@contract
def f32_dwconv(
    channels: Size,
    output_width: Size,
    input: Annotated[PointerTable, Indirect("float32", "channels", offset="input_offset", zero="zero")],
    w: Annotated[PackedFloats, Packed("float32", "taps channels")],
    output: Annotated[Array, Out("float32", "output_width channels", gap="output_increment")],
    input_stride: PointerStride,
    output_increment: Stride,
    input_offset: Stride,
    zero: Annotated[Array, In("float32", "channels")],
    params: FloatParams,
) -> None:
    """Convolve each channel of float32 with its own weights: a chain of fused multiply-adds over the taps.

    output[p, n] <- clamp(bias[n], then fused for t = 0, 1 .. with input[p, t][n] and w[t, n])

    channels           size                       >= 1
    output_width       size                       pixels, >= 1
    input              pointers                   taps of pixel p from input_stride * p on, in the order of the weights
    w                  packed [taps, channels]    `packing.pack_f32` of [channels, taps]
    output             float32 [pixels, channels] output_increment bytes lie between two pixels
    input_stride       bytes                      from the pointers of one pixel to those of the next
    input_offset       bytes                      added to every pointer but `zero`
    zero               float32 [channels]         zeros: what pointers outside the image point at
    params             FloatParams                limits

    Taps come row after row of the window, as in a dense convolution: one order for both.
    Source: XNNPACK's depthwise kernels of f32 with limits (there column by column); definition of our own.
    """
    rows = input.take(np.arange(output_width)[:, None] * input_stride + np.arange(w.taps))
    acc = np.broadcast_to(w.bias, (output_width, channels)).astype(np.float32)
    for tap in range(w.taps):
        acc = float32.fused(rows[:, tap], w.weights[:, tap], acc)
    output[...] = params.clamp(acc)


@contract
def f32_vadd(
    n: Size,
    a: Annotated[Array, In("float32", "n")],
    b: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: FloatParams,
) -> None:
    """Add two vectors of float32.

    y[i] <- clamp(a[i] + b[i])

    n        size          >= 1
    a, b     float32 [n]
    y        float32 [n]   written; may be a, b or both
    params   FloatParams   limits

    Source: XNNPACK's vadd of f32 with limits; definition of our own.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        y[...] = params.clamp(np.asarray(a + b, np.float32))


@contract
def f32_clamp(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: FloatParams,
) -> None:
    """Keep numbers within two limits: ReLU is 0 and up, ReLU6 from 0 to 6.

    y[i] <- the smaller of output_max and the larger of x[i] and output_min

    n        size          >= 1
    x        float32 [n]
    y        float32 [n]   written; may be x
    params   FloatParams

    Source: XNNPACK's clamp of f32; definition of our own.
    """
    y[...] = params.clamp(x)


@contract
def f32_vlrelu(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: FloatSlopeParams,
) -> None:
    """Leaky ReLU of float32: negative numbers times a slope, all others as they are.

    y[i] <- x[i] * slope where x[i] < 0, else x[i]

    n        size               >= 1
    x        float32 [n]
    y        float32 [n]        written; may be x
    params   FloatSlopeParams

    Source: XNNPACK's vlrelu of f32; definition of our own.
    """
    y[...] = float32.leaky_relu(x, params.slope)


@contract
def f32_softmax(
    n: Size,
    x: Annotated[Array, In("float32", "n")],
    y: Annotated[Array, Out("float32", "n")],
    params: FloatShareParams,
) -> None:
    """Shares of exponentials of a row of float32.

    e[i] = exp(beta * (x[i] - largest));   y[i] <- e[i] / (e[0] + e[1] + ...), added up from the first to the last

    n        size               >= 1
    x        float32 [n]
    y        float32 [n]        written; may be x. Exponentials are kept there
    params   FloatShareParams   beta, and the numbers of the exponential

    exp is the polynomial of `neonsim.quant.float32.exponential`, fused multiply-adds in its order.
    Source: definition of our own; the split of the exponent is Cody and Waite's.
    """
    y[...] = float32.softmax(x, params.beta)


@contract
def f32_vmulcaddc(
    m: Size,
    n: Size,
    x: Annotated[Array, In("float32", "m n", stride="x_stride")],
    x_stride: Stride,
    w: Annotated[PackedFloats, Packed("float32", "1 n")],
    y: Annotated[Array, Out("float32", "m n", stride="y_stride")],
    y_stride: Stride,
    params: FloatParams,
) -> None:
    """Multiply each channel by its gain and add its offset, rounded once: batch normalisation at run time.

    y[i, j] <- clamp(fused(x[i, j], gain[j], offset[j]))

    m, n                 size              pixels, channels: any
    x                    float32 [m, n]    rows x_stride bytes apart
    w                    packed [1, n]     `packing.pack_f32` of the gains [n, 1], the offsets as biases
    y                    float32 [m, n]    rows y_stride bytes apart; written
    x_stride, y_stride   bytes
    params               FloatParams       limits

    Source: XNNPACK's vmulcaddc of f32 with limits; definition of our own.
    """
    y[...] = params.clamp(float32.batch_norm(x, w.weights[:, 0], w.bias))


@contract
def f32_maxpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("float32", "kc")],
    y: Annotated[Array, Out("float32", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: FloatParams,
) -> None:
    """Largest of ks gathered rows of float32 for each output pixel, clamped.

    y[p, j] <- clamp(largest over t of input[p, t][j]), +0 above -0

    n, ks, kc     size              pixels, rows of each, channels: any
    input         pointers          ks rows of pixel p from x_increment * p on
    y             float32 [n, kc]   y_increment bytes lie between two pixels; written
    x_increment   bytes             from the pointers of one pixel to those of the next
    params        FloatParams

    Source: u8_maxpool's argument order; definition of our own.
    """
    y[...] = params.clamp(float32.largest(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)), axis=1))


@contract
def f32_avgpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("float32", "kc")],
    y: Annotated[Array, Out("float32", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: FloatMeanParams,
) -> None:
    """Average ks gathered rows of float32 for each output pixel: sums in the order of the pointers, times a factor.

    y[p, j] <- clamp((input[p, 0][j] + input[p, 1][j] + ...) * scale)

    n, ks, kc     size              pixels, rows of each, channels: any
    input         pointers          ks rows of pixel p from x_increment * p on
    y             float32 [n, kc]   y_increment bytes lie between two pixels; written
    x_increment   bytes             from the pointers of one pixel to those of the next
    params        FloatMeanParams   scale, limits

    Source: qu8_avgpool's argument order, without a row that fills up passes; definition of our own.
    """
    y[...] = params.mean(float32.total(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)), axis=1))


@contract
def f32_gavgpool(
    m: Size,
    n: Size,
    x: Annotated[Array, In("float32", "m n", stride="x_stride")],
    x_stride: Stride,
    y: Annotated[Array, Out("float32", "n")],
    params: FloatMeanParams,
) -> None:
    """Average all rows of a matrix of float32: sums in the order of the rows, times a factor.

    y[j] <- clamp((x[0, j] + x[1, j] + ...) * scale)

    m, n       size              rows, channels: any
    x          float32 [m, n]    rows x_stride bytes apart
    y          float32 [n]       written
    params     FloatMeanParams   scale, limits

    Source: qu8_gavgpool's argument order, without a row that fills up passes; definition of our own.
    """
    y[...] = params.mean(float32.total(x, axis=0))
