"""Contracts of matrix product tiles: uint8 operands with zero points, int32 sums, Q31 requantisation.

                      w   [kc, nr]                    acc[i, j] = sum over k of (a[i, k] - a_zero_point)
                     +-----------+                                            * (w[k, j] - w_zero_point) + bias[j]
                     |           |                    c[i, j]   = requantise(acc[i, j])
    a  [mr, kc]      +-----------+
    +-----------+    +-----------+
    |           |    |  c        |
    +-----------+    +-----------+

The first two contracts compute this; `qu8_gemm_s32` leaves acc as it is, to be added to, and `u8_gemm_packed_s32` knows
no zero points. In the second one the kernel multiplies raw bytes, and the part of the zero point of w
that depends on a arrives as row sums: a_sum[i] = -w_zero_point * sum over k of a[i, k] (contract ``qu8_sumrows``).

Source: (A15, Y01, Y02, Y04).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.packing import PackedWeights
from neonsim.packing.pack import XZP_DEPTHS
from neonsim.quant.product_params import Q31Params
from neonsim.ukernel.contract import Array, In, InOut, Int32, Out, Packed, Size, Stride, contract

__all__ = ["qu8_gemm_q31", "qu8_gemm_s32", "qu8_gemm_xzp_q31", "qu8_sumrows", "u8_gemm_packed_s32"]


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
