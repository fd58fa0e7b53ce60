"""Contracts of matrix product tiles: uint8 operands with zero points, int32 sums, Q31 requantisation.

                      w   [kc, nr]                    acc[i, j] = sum over k of (a[i, k] - a_zero_point)
                     +-----------+                                            * (w[k, j] - w_zero_point) + bias[j]
                     |           |                    c[i, j]   = requantise(acc[i, j])
    a  [mr, kc]      +-----------+
    +-----------+    +-----------+
    |           |    |  c        |
    +-----------+    +-----------+

Both contracts compute this. In the second one the kernel multiplies raw bytes, and the part of the zero point of w
that depends on a arrives as row sums: a_sum[i] = -w_zero_point * sum over k of a[i, k] (contract ``qu8_sumrows``).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.packing import PackedWeights
from neonsim.quant.requant import Q31Params
from neonsim.ukernel.contract import Array, In, Int32, Out, Packed, Size, Stride, contract

__all__ = ["qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows"]


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
    w: Annotated[PackedWeights, Packed("uint8", "kc nr")],
    c: Annotated[Array, Out("uint8", "mr nr", stride="c_stride")],
    params: Q31Params,
) -> None:
    """Multiply a tile of bytes by packed weights, with the row sums computed before, and requantise.

    c <- requant((a - a_zero_point) @ w + kc * a_zero_point * w_zero_point + a_sum + bias)

    mr, nr     size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc         size               depth, >= 1
    a          uint8 [mr, kc]     rows a_stride bytes apart
    a_sum      int32 [mr]         -w_zero_point * sum of each row of a, from `qu8_sumrows`
    w          packed [kc, nr]    one block of `packing.pack_gemm_xzp`
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
