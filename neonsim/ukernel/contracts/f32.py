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

import numpy as np

from neonsim.quant import float32
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.ukernel.contract import Array, Family, In, Out, Packed, Params, Size, Stride
from neonsim.ukernel.contracts.dwconv import OFFSET
from neonsim.ukernel.contracts.elementwise import BINARY, UNARY
from neonsim.ukernel.contracts.gemm_columns import COLUMNS, INDIRECT
from neonsim.ukernel.contracts.pool import MATRIX_MEAN, WINDOWS
from neonsim.ukernel.packing.float32 import PackedFloats

__all__ = ["GAINS"]

GAINS = Family(
    "gains", m=Size("pixels"), n=Size("channels"), x=In("float32", "m n", stride="x_stride"),
    x_stride=Stride("from one row of x to the next"),
    w=Packed("float32", "1 n", "`packing.pack_f32` of the gains [n, 1], the offsets as biases"),
    y=Out("float32", "m n", stride="y_stride"), y_stride=Stride("from one row of y to the next"), params=Params())


def _product(a: Array, w: PackedFloats, params: FloatParams) -> Array:
    return params.clamp(float32.product(a, w.weights, w.bias))


def _depthwise(input: Array, w: PackedFloats, params: FloatParams) -> Array:
    acc = np.broadcast_to(w.bias, (len(input), input.shape[2])).astype(np.float32)
    for tap in range(w.taps):
        acc = float32.fused(input[:, tap], w.weights[:, tap], acc)
    return params.clamp(acc)


def _add(a: Array, b: Array, params: FloatParams) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return params.clamp(np.asarray(a + b, np.float32))


COLUMNS.row(
    "f32_gemm", _product, t="float32", y="float32", params=FloatParams, block="limits", packing="`packing.pack_f32`",
    says="Multiply rows of float32 by packed weights: chains of fused multiply-adds from the bias on.",
    formula="c[i, j] <- clamp(fused(a[i, kc-1], w[kc-1, j], ... fused(a[i, 1], w[1, j], fused(a[i, 0], w[0, j], "
            "bias[j]))))",
    source="XNNPACK's products of f32 with limits")
INDIRECT.row(
    "f32_igemm", _product, t="float32", y="float32", params=FloatParams, block="limits", packing="`packing.pack_f32`",
    zeros="zeros, which take part as others do",
    says="Multiply gathered rows of float32 by packed weights: chains over taps, in a tap over channels, from the bias "
         "on.",
    formula="c[i, j] <- clamp(bias[j], then fused for t = 0 .. ks-1, in each for k = 0 .. kc-1, with a[t, i][k] and "
            "w[t, k, j])",
    source="XNNPACK's indirect products of f32 with limits")
OFFSET.row(
    "f32_dwconv", _depthwise, t="float32", params=FloatParams, block="limits",
    taps="in the order of the weights",
    packing="`packing.pack_f32` of [channels, taps]", zeros="zeros",
    says="Convolve each channel of float32 with its own weights: a chain of fused multiply-adds over the taps.",
    formula="output[p, n] <- clamp(bias[n], then fused for t = 0, 1 .. with input[p, t][n] and w[t, n])",
    notes="Taps come row after row of the window, as in a dense convolution: one order for both.",
    source="XNNPACK's depthwise kernels of f32 with limits (there column by column)")
BINARY.row(
    "f32_vadd", _add, t="float32", params=FloatParams, block="limits", says="Add two vectors of float32.",
    formula="y[i] <- clamp(a[i] + b[i])", source="XNNPACK's vadd of f32 with limits")
UNARY.row(
    "f32_clamp", lambda x, params: params.clamp(x), t="float32", params=FloatParams,
    says="Keep numbers within two limits: ReLU is 0 and up, ReLU6 from 0 to 6.",
    formula="y[i] <- the smaller of output_max and the larger of x[i] and output_min", source="XNNPACK's clamp of f32")
UNARY.row(
    "f32_vlrelu", lambda x, params: float32.leaky_relu(x, params.slope), t="float32", params=FloatSlopeParams,
    says="Leaky ReLU of float32: negative numbers times a slope, all others as they are.",
    formula="y[i] <- x[i] * slope where x[i] < 0, else x[i]", source="XNNPACK's vlrelu of f32")
UNARY.row(
    "f32_softmax", lambda x, params: float32.softmax(x, params.beta), t="float32", params=FloatShareParams,
    block="beta, and the numbers of the exponential", says="Shares of exponentials of a row of float32.",
    formula="e[i] = exp(beta * (x[i] - largest));   y[i] <- e[i] / (e[0] + e[1] + ...), added up from the first to the "
            "last",
    notes="exp is the polynomial of `neonsim.quant.float32.exponential`, fused multiply-adds in its order. "
          "Exponentials are "
          "kept in y. The split of the exponent is Cody and Waite's.")
GAINS.row(
    "f32_vmulcaddc", lambda x, w, params: params.clamp(float32.batch_norm(x, w.weights[:, 0], w.bias)),
    params=FloatParams,
    block="limits",
    says="Multiply each channel by its gain and add its offset, rounded once: batch normalisation at run time.",
    formula="y[i, j] <- clamp(fused(x[i, j], gain[j], offset[j]))", source="XNNPACK's vmulcaddc of f32 with limits")
WINDOWS.row(
    "f32_maxpool", lambda input, params: params.clamp(float32.largest(input, axis=1)), t="float32", ks="", kc="",
    params=FloatParams, says="Largest of ks gathered rows of float32 for each output pixel, clamped.",
    formula="y[p, j] <- clamp(largest over t of input[p, t][j]), +0 above -0", source="u8_maxpool's argument order")
WINDOWS.row(
    "f32_avgpool", lambda input, params: params.mean(float32.total(input, axis=1)), t="float32", ks="", kc="",
    params=FloatMeanParams, block="scale, limits",
    says="Average ks gathered rows of float32 for each output pixel: sums in the order of the pointers, times a "
         "factor.",
    formula="y[p, j] <- clamp((input[p, 0][j] + input[p, 1][j] + ...) * scale)",
    source="qu8_avgpool's argument order, without a row that fills up passes")
MATRIX_MEAN.row(
    "f32_gavgpool", lambda x, params: params.mean(float32.total(x, axis=0)), t="float32", m="", n="",
    params=FloatMeanParams,
    block="scale, limits", says="Average all rows of a matrix of float32: sums in the order of the rows, times a "
                                "factor.",
    formula="y[j] <- clamp((x[0, j] + x[1, j] + ...) * scale)",
    source="qu8_gavgpool's argument order, without a row that fills up passes")
