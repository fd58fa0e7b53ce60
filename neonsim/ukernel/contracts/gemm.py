"""Contracts of matrix products, GEMM: tiles of uint8 with Q31 requantisation, and int8 or rndnu over all columns.

                      w   [kc, nr]                    acc[i, j] = sum over k of (a[i, k] - a_zero_point)
                     +-----------+                                            * (w[k, j] - w_zero_point) + bias[j]
                     |           |                    c[i, j]   = requantise(acc[i, j])
    a  [mr, kc]      +-----------+
    +-----------+    +-----------+
    |           |    |  c        |
    +-----------+    +-----------+

`qu8_gemm_q31` and `qu8_gemm_xzp_q31` compute this; `qu8_gemm_s32` leaves acc as it is, to be added to, and
`u8_gemm_packed_s32` knows no zero points. In ``xzp`` the kernel multiplies raw bytes, and the part of the zero point of
w that depends on a arrives as row sums: a_sum[i] = -w_zero_point * sum over k of a[i, k] (contract ``qu8_sumrows``).

The others, with nc for nr, walk over any number of columns by themselves: after each block of NR a kernel goes back to
the beginning of its rows, cn_stride bytes further in c. Weights of int8 have no zero point. The zero point of a is
folded into the packed bias, so that no int8 kernel sees it; in ``qd8`` products it is known at run time only, and the
kernel multiplies it by the sum of the weights. With rows through pointers they are in `igemm`.

Source: (A15, D06, D11, R02, R03, R08, X01, X02, X03, X04, X25, X26, X32, Y01, Y02, Y04).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.reference.dynamic import Qd8Params
from neonsim.ukernel.contract import Array, In, InOut, Int32, Out, Packed, Size, Stride, contract
from neonsim.ukernel.packing import PackedWeights
from neonsim.ukernel.packing.gemm import XZP_DEPTHS

__all__ = ["qd8_f32_qc8w_gemm", "qs8_gemm_fp32", "qs8_gemm_rndnu", "qs8_qc8w_gemm_fp32", "qs8_qc8w_gemm_tengine",
           "qu8_gemm_fp32", "qu8_gemm_q31", "qu8_gemm_rndnu", "qu8_gemm_s32", "qu8_gemm_xzp_q31", "qu8_sumrows", "sums",
           "u8_gemm_packed_s32"]


@contract
def qu8_gemm_q31(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("uint8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("uint8", "kc nr")],
    c: Annotated[Array, Out("uint8", "mr nr", stride="c_stride")],
    params: Q31Params,
) -> None:
    """Multiply a tile of bytes by packed weights and requantise.

    c <- requant((a - a_zero_point) @ (w - w_zero_point) + bias)

    mr, nr     size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc         size               depth, >= 1
    a          uint8 [mr, kc]     rows a_stride bytes apart
    w          packed [kc, nr]    one block of `packing.pack_gemm`: zero point of a folded into the bias
    c          uint8 [mr, nr]     rows c_stride bytes apart; written
    params     Q31Params          multiplier, shift, zero points, clamp

    Sums wrap at 32 bits. Source: QNNPACK's q8gemm argument order; definition of our own.
    """
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked.astype(np.int32) - np.int32(params.w_zero_point)
    c[...] = params.requantize(x @ y + w.original_bias)


@contract
def qu8_gemm_xzp_q31(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("uint8", "mr kc", stride="a_stride")],
    a_sum: Annotated[Array, In("int32", "mr")],
    w: Annotated[PackedWeights, Packed("uint8", "kc nr", swizzle=XZP_DEPTHS)],
    c: Annotated[Array, Out("uint8", "mr nr", stride="c_stride")],
    params: Q31Params,
) -> None:
    """Multiply a tile of bytes by packed weights, with the row sums computed before, and requantise.

    c <- requant((a - a_zero_point) @ w + kc * a_zero_point * w_zero_point + a_sum + bias)

    mr, nr     size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc         size               depth, >= 1
    a          uint8 [mr, kc]     rows a_stride bytes apart
    a_sum      int32 [mr]         -w_zero_point * sum of each row of a, from `qu8_sumrows`
    w          packed [kc, nr]    one block of `packing.pack_gemm_xzp`: columns rotated within 8 depths
    c          uint8 [mr, nr]     rows c_stride bytes apart; written
    params     Q31Params          multiplier, shift, zero points, clamp

    Sums wrap at 32 bits. Source: QNNPACK's xzp argument order; definition of our own.
    """
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    constant = np.int32(kc * params.a_zero_point * params.w_zero_point)
    acc = x @ w.unpacked.astype(np.int32) + a_sum[:, np.newaxis] + (w.original_bias + constant)
    c[...] = params.requantize(acc)


@contract
def qu8_sumrows(
    a: Annotated[Array, In("uint8", "m k", stride="stride")],
    m: Size,
    k: Size,
    stride: Stride,
    multiplier: Int32,
    sums: Annotated[Array, Out("int32", "m")],
) -> None:
    """Add up the bytes of each row, times a factor.

    sums[i] <- multiplier * sum over j of a[i, j]

    a            uint8 [m, k]   rows stride bytes apart
    m, k         size           rows, 1..MR of the kernel; bytes of a row, >= 1
    stride       size           bytes
    multiplier   int32          -w_zero_point for `qu8_gemm_xzp_q31`
    sums         int32 [m]      written

    Products wrap at 32 bits. Source: QNNPACK's q8sumrows argument order; definition of our own.
    """
    sums[...] = a.astype(np.int32).sum(axis=1, dtype=np.int32) * np.int32(multiplier)


@contract
def qu8_gemm_s32(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("uint8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("uint8", "kc nr")],
    c: Annotated[Array, InOut("int32", "mr nr", stride="c_stride")],
    accumulate: Size,
    params: Q31Params,
) -> None:
    """Multiply a tile of bytes by packed weights and keep the sums: one block of the depth.

    c <- (a - a_zero_point) @ (w - w_zero_point) + bias  (+ c, if accumulate)

    mr, nr       size              rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc           size              depth of this block, >= 1
    a            uint8 [mr, kc]    rows a_stride bytes apart
    w            packed [kc, nr]   one block of `packing.pack_gemm` for these depths; bias of the layer in one of them
    c            int32 [mr, nr]    rows c_stride bytes apart; written, and read if accumulate is not 0
    accumulate   size              0: first block, c holds nothing yet; 1: add to what c holds
    params       Q31Params         of which only w_zero_point is used

    Sums wrap at 32 bits. What libraries do that cut the depth into blocks: every block after the first loads and
    stores all sums, 8 bytes each. Definition of our own.
    """
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked.astype(np.int32) - np.int32(params.w_zero_point)
    c[...] = (c if accumulate else 0) + (x @ y + w.original_bias)


@contract
def u8_gemm_packed_s32(
    k: Size,
    a: Annotated[Array, In("uint8", "k/2 3 2 4")],
    w: Annotated[Array, In("uint8", "k/2 columns/4 2 4")],
    c: Annotated[Array, InOut("int32", "columns 12", stride="c_stride")],
    c_stride: Stride,
    accumulate: Size,
    columns: Size,
) -> None:
    """Multiply two packed panels of bytes, both without zero points, and keep the sums: gemmlowp's kernel.

    c[j, i] <- sum over k of a[i, k] * w[k, j]  (+ c[j, i], if accumulate)

    k            size                         depth, even, >= 2 (filled up with zeros)
    a            uint8 [k/2, 3, 2, 4]         12 rows as three cells of 4 rows x 2 depths, depth by depth
    w            uint8 [k/2, columns/4, 2, 4] cells of 4 columns x 2 depths
    c            int32 [columns, 12]          columns c_stride bytes apart; written, and read if accumulate is not 0
    accumulate   size                         0 or 1
    columns      size                         of the kernel: 4 or 8; nothing else is allowed

    Zero points are corrected afterwards, from sums made while packing. Source: gemmlowp's cell format;
    definition of our own.
    """
    x = a.astype(np.int32).transpose(0, 2, 1, 3).reshape(k, 12)
    y = w.astype(np.int32).transpose(0, 2, 1, 3).reshape(k, columns)
    c[...] = (c if accumulate else 0) + y.T @ x


def sums(a: Array, a_zero_point: int, w: PackedWeights, w_zero_point: int = 0) -> Array:
    """int32 [mr, nc], wrapped: rows [mr, kc] by the original weights, plus the original bias."""
    x = a.astype(np.int32) - np.int32(a_zero_point)
    y = w.unpacked.astype(np.int32) - np.int32(w_zero_point)
    return np.asarray(x @ y + w.original_bias)


@contract
def qs8_gemm_rndnu(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: RndnuGemmParams,
) -> None:
    """Multiply rows of int8 by packed weights and requantise: one scale, one rounding, ties up.

    c <- rndnu((a - a_zero_point) @ w + bias)

    mr         size              rows, 1..MR of the kernel
    nc         size              columns, >= 1, any number: blocks of NR
    kc         size              depth, >= 1
    a          int8 [mr, kc]     rows a_stride bytes apart
    w          packed [kc, nc]   `packing.pack_qs8`: zero point of a folded into the bias
    c          int8 [mr, nc]     rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    params     RndnuGemmParams   multiplier, shift, zero point of c, clamp

    Sums wrap at 32 bits. Source: XNNPACK's products of qs8, rndnu, and their order of arguments; definition of our own.
    """
    c[...] = params.requantize(sums(a, params.a_zero_point, w))


@contract
def qs8_gemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: Fp32GemmParams,
) -> None:
    """Multiply rows of int8 by packed weights and requantise in single precision: one scale, ties to even.

    c <- fp32((a - a_zero_point) @ w + bias)

    params     Fp32GemmParams    scale, zero point of c, clamp
    others     as qs8_gemm_rndnu

    Sums wrap at 32 bits. Source: XNNPACK's products of qs8, fp32; definition of our own.
    """
    c[...] = params.requantize(sums(a, params.a_zero_point, w))


@contract
def qs8_qc8w_gemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: Qc8wParams,
) -> None:
    """Multiply rows of int8 by packed weights and requantise in single precision, each column by its own scale.

    c[i, j] <- fp32(((a - a_zero_point) @ w + bias)[i, j] * scale[j])

    w          packed [kc, nc]   `packing.pack_qc8w`: the scales of a block lie behind its weights
    params     Qc8wParams        zero point of c, clamp
    others     as qs8_gemm_rndnu

    Sums wrap at 32 bits. Source: XNNPACK's products of qs8-qc8w, fp32; definition of our own.
    """
    assert w.scales is not None
    c[...] = params.requantize(sums(a, params.a_zero_point, w), w.scales)


@contract
def qu8_gemm_rndnu(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("uint8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("uint8", "kc nc")],
    c: Annotated[Array, Out("uint8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: RndnuGemmParams,
) -> None:
    """Multiply rows of uint8 by packed weights with a zero point and requantise: one scale, one rounding, ties up.

    c <- rndnu((a - a_zero_point) @ (w - w_zero_point) + bias)

    w          packed [kc, nc]   `packing.pack_qu8`: zero point of a folded into the bias, that of w left to the kernel
    params     RndnuGemmParams   of dtype uint8, with w_zero_point
    others     as qs8_gemm_rndnu, with uint8

    Sums wrap at 32 bits. Source: XNNPACK's products of qu8, rndnu; definition of our own.
    """
    c[...] = params.requantize(sums(a, params.a_zero_point, w, params.w_zero_point))


@contract
def qu8_gemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("uint8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("uint8", "kc nc")],
    c: Annotated[Array, Out("uint8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: Fp32GemmParams,
) -> None:
    """Multiply rows of uint8 by packed weights with a zero point and requantise in single precision: ties to even.

    c <- fp32((a - a_zero_point) @ (w - w_zero_point) + bias)

    w          packed [kc, nc]   `packing.pack_qu8`: zero point of a folded into the bias, that of w left to the kernel
    params     Fp32GemmParams    of dtype uint8, with w_zero_point
    others     as qs8_gemm_rndnu, with uint8

    Sums wrap at 32 bits. Source: XNNPACK's products of qu8, fp32; definition of our own.
    """
    c[...] = params.requantize(sums(a, params.a_zero_point, w, params.w_zero_point))


@contract
def qd8_f32_qc8w_gemm(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("float32", "mr nc", stride="cm_stride", blocks="cn_stride")],
    rows: Annotated[Array, In("int32", "mr 2")],
    params: Qd8Params,
) -> None:
    """Multiply rows of int8, each with a zero point and scale of its own, by packed weights; float32 results.

    c[i, j] <- clamp(float32(((a[i] - zero_point[i]) @ w)[j]) * row_scale[i] * scale[j] + bias[j])

    rows       {int32 zero_point, float32 scale} [mr]   `packing.block_of(DynamicRows)`
    w          packed [kc, nc]   `packing.pack_qd8`: minus the sums of the weights, weights, scales, float biases
    c          float32 [mr, nc]  rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    params     Qd8Params         limits
    others     as qs8_gemm_rndnu

    Sums wrap at 32 bits; every floating-point step is rounded by itself.
    Source: XNNPACK's products of qd8-f32-qc8w; definition of our own.
    """
    assert w.scales is not None
    assert w.float_bias is not None
    acc = (a.astype(np.int32) - rows[:, :1]) @ w.unpacked.astype(np.int32)
    scale = np.ascontiguousarray(rows[:, 1]).view(np.float32)
    c[...] = params.scale(acc, scale, w.scales, w.float_bias)


@contract
def qs8_qc8w_gemm_tengine(
    mr: Size,
    nc: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[PackedWeights, Packed("int8", "kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    params: Qc8wParams,
) -> None:
    """Multiply rows of int8 by packed weights and requantise by multiplier and shift, each column its own.

    c[i, j] <- tengine(((a - a_zero_point) @ w + bias)[i, j] * scale[j])

    w          packed [kc, nc]   `packing.pack_qc8w`: the scales of a block lie behind its weights
    params     Qc8wParams        zero point of c, clamp
    others     as qs8_gemm_rndnu

    Sums wrap at 32 bits. Source: how Tengine's kernels for Arm requantise; definition of our own.
    """
    assert w.scales is not None
    c[...] = params.by_multiplier(sums(a, params.a_zero_point, w), w.scales)
