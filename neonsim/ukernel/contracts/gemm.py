"""Contracts of matrix products, GEMM: tiles of uint8 with Q31 requantisation.

                      w   [kc, nr]                    acc[i, j] = sum over k of (a[i, k] - a_zero_point)
                     +-----------+                                            * (w[k, j] - w_zero_point) + bias[j]
                     |           |                    c[i, j]   = requantize(acc[i, j])
    a  [mr, kc]      +-----------+
    +-----------+    +-----------+
    |           |    |  c        |
    +-----------+    +-----------+

`qu8_gemm_q31` and `qu8_gemm_xzp_q31` compute this; `qu8_gemm_s32` leaves acc as it is, to be added to, and
`u8_gemm_packed_s32` knows no zero points. In ``xzp`` the kernel multiplies raw bytes, and the part of the zero point of
w that depends on a arrives as row sums: a_sum[i] = -w_zero_point * sum over k of a[i, k] (contract ``qu8_sumrows``).
`qu8_conv_q31` gathers the rows of a through an indirection buffer: a pointer for each tap of each output pixel, which
points at a row of zero points where the tap falls on padding.

Source: (A15, D06, D11, P02, R02, R03, R08, X01, X02, X25, X26, X32, Y01, Y02, Y04).
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.contract import (
    Array,
    Family,
    In,
    Indirect,
    InOut,
    Int32,
    Out,
    Packed,
    Params,
    PointerTable,
    Size,
    Stride,
)
from neonsim.ukernel.packing import PackedWeights
from neonsim.ukernel.packing.gemm import XZP_DEPTHS

__all__ = ["CONV", "GEMM", "GEMM_PACKED", "GEMM_S32", "GEMM_XZP", "SUMROWS", "gathered"]

FOLDED = "zero point of a folded into the bias"


def gathered(a: PointerTable, mr: int, ks: int) -> Array:
    """[mr, ks * kc]: what the pointers of each row mean, tap after tap; the table is [ks, MR]."""
    taps = a.take(np.arange(ks)[:, np.newaxis] * (len(a) // ks) + np.arange(mr))
    return taps.transpose(1, 0, 2).reshape(mr, -1)


GEMM = Family(
    "gemm", mr=Size("rows, 1..MR"), nr=Size("columns, 1..NR"),
    kc=Size("depth, at least 1"), a=In("uint8", "mr kc", stride="a_stride"),
    w=Packed("uint8", "kc nr", f"one block of `packing.pack_gemm`: {FOLDED}"),
    c=Out("uint8", "mr nr", stride="c_stride"), params=Params())
GEMM_XZP = GEMM.but(
    "gemm_xzp", before="w", a_sum=In("int32", "mr", "-w_zero_point * sum of each row of a, from `qu8_sumrows`"),
    w=Packed("uint8", "kc nr", "one block of `packing.pack_gemm_xzp`: columns rotated within 8 depths",
             swizzle=XZP_DEPTHS))
GEMM_S32 = GEMM.but(
    "gemm_s32", before="params", kc=Size("depth of this block, >= 1"),
    w=Packed("uint8", "kc nr", "one block of `packing.pack_gemm` for these depths; bias of the layer in one of them"),
    c=InOut("int32", "mr nr", "only written if accumulate is 0", stride="c_stride"),
    accumulate=Size("0: first block, c holds nothing yet; 1: add to what c holds"))
GEMM_PACKED = Family(
    "gemm_packed_s32", k=Size("depth, even, >= 2 (filled up with zeros)"),
    a=In("uint8", "k/2 3 2 4", "12 rows as three cells of 4 rows x 2 depths, depth by depth"),
    w=In("uint8", "k/2 columns/4 2 4", "cells of 4 columns x 2 depths"),
    c=InOut("int32", "columns 12", "only written if accumulate is 0", stride="c_stride"),
    c_stride=Stride("from one column of c to the next"),
    accumulate=Size("0 or 1"), columns=Size("of the kernel: 4 or 8; nothing else is allowed"))
SUMROWS = Family(
    "sumrows", a=In("uint8", "m k", stride="stride"), m=Size("rows, 1..MR of the kernel"),
    k=Size("bytes of a row, >= 1"),
    stride=Stride("from one row of a to the next"), multiplier=Int32("-w_zero_point for `qu8_gemm_xzp_q31`"),
    sums=Out("int32", "m"))
CONV = GEMM.but(
    "conv", before="a", sees={"a": gathered}, kc=Size("channels of a row, at least 1"), ks=Size("taps, at least 1"),
    a=Indirect("uint8", "kc", "[ks, MR] to rows of kc bytes; with mr < MR the last row is listed again"),
    w=Packed("uint8", "ks kc nr", "one block of `packing.pack_gemm`, depth = taps, then channels"))


def _acc(a: Array, w: PackedWeights, params: Q31Params) -> Array:
    """int32 [mr, nr], wrapped."""
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    return np.asarray(x @ (w.unpacked.astype(np.int32) - np.int32(params.w_zero_point)) + w.original_bias)


def _q31(a: Array, w: PackedWeights, params: Q31Params, nr: int) -> Array:
    return params.requantize(_acc(a, w, params)[:, :nr])


def _with_row_sums(a: Array, a_sum: Array, w: PackedWeights, params: Q31Params, kc: int) -> Array:
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    constant = np.int32(kc * params.a_zero_point * params.w_zero_point)
    acc = x @ w.unpacked.astype(np.int32) + a_sum[:, np.newaxis] + (w.original_bias + constant)
    return params.requantize(acc)


def _packed(a: Array, w: Array, c: Array, k: int, columns: int, accumulate: int) -> Array:
    x = a.astype(np.int32).transpose(0, 2, 1, 3).reshape(k, 12)
    y = w.astype(np.int32).transpose(0, 2, 1, 3).reshape(k, columns)
    return np.asarray((c if accumulate else 0) + y.T @ x)


GEMM.row(
    "qu8_gemm_q31", _q31, params=Q31Params, block="multiplier, shift, zero points, clamp", guarded=True,
    says="Multiply a tile of bytes by packed weights and requantise.",
    formula="c <- requant((a - a_zero_point) @ (w - w_zero_point) + bias)",
    notes="Sums wrap at 32 bits.", source="QNNPACK's q8gemm argument order")
GEMM_XZP.row(
    "qu8_gemm_xzp_q31", _with_row_sums, params=Q31Params, block="multiplier, shift, zero points, clamp", guarded=True,
    says="Multiply a tile of bytes by packed weights, with the row sums computed before, and requantise.",
    formula="c <- requant((a - a_zero_point) @ w + kc * a_zero_point * w_zero_point + a_sum + bias)",
    notes="Sums wrap at 32 bits.", source="QNNPACK's xzp argument order")
SUMROWS.row(
    "qu8_sumrows", lambda a, multiplier: a.astype(np.int32).sum(axis=1, dtype=np.int32) * np.int32(multiplier),
    guarded=True,
    says="Add up the bytes of each row, times a factor.", formula="sums[i] <- multiplier * sum over j of a[i, j]",
    notes="Products wrap at 32 bits.", source="QNNPACK's q8sumrows argument order")
GEMM_S32.row(
    "qu8_gemm_s32", lambda a, w, c, params, accumulate: (c if accumulate else 0) + _acc(a, w, params),
    params=Q31Params, block="of which only w_zero_point is used",
    says="Multiply a tile of bytes by packed weights and keep the sums: one block of the depth.",
    formula="c <- (a - a_zero_point) @ (w - w_zero_point) + bias  (+ c, if accumulate)",
    notes="Sums wrap at 32 bits. What libraries do that cut the depth into blocks: every block after the first loads "
          "and "
          "stores all sums, 8 bytes each.")
GEMM_PACKED.row(
    "u8_gemm_packed_s32", _packed,
    says="Multiply two packed panels of bytes, both without zero points, and keep the sums: gemmlowp's kernel.",
    formula="c[j, i] <- sum over k of a[i, k] * w[k, j]  (+ c[j, i], if accumulate)",
    notes="Zero points are corrected afterwards, from sums made while packing.", source="gemmlowp's cell format")
CONV.row(
    "qu8_conv_q31", _q31, params=Q31Params,
    says="Multiply gathered rows of bytes by packed weights, tap after tap, and requantise.",
    formula="c <- requant(sum over taps t of (a[t] - a_zero_point) @ (w[t] - w_zero_point) + bias)",
    notes="Sums wrap at 32 bits.", source="QNNPACK's q8conv argument order and layouts")
