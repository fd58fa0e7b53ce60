"""Contracts of products whose activations or sums are wider than a byte: 16x8, and sums that are kept whole.

    contract             a        w      sums                          c
    qs16_qc8w_gemm_s64   int16    int8   int32, drained into int64     int16, a scale per column
    s8_gemm_s32          int8     int8   int32                         int32, the sums
    s32_gemm_s64         int32    int8   int64                         int64, the sums
    s64_gemm_s64         int64    int8   int64, halves side by side    int64, the sums

w is one block of NR columns, depth by depth, filled up with zeros: int8 [kc, NR]. What every column has of its own
stands in rows of NR numbers behind each other (`q`): bias, multiplier and shift, or bias and both limits. No zero
points: 16x8 is symmetric in TensorFlow Lite, and whole sums have none.

When does int32 suffice? A product of int16 and int8 is at most 2**22 in size, so 256 of them reach 2**30: kernels of
16x8 add that many depths in int32 and then drain them into int64. Products of two int8 reach 2**14: 2**17 of them fit.
Sums of the others wrap, at 32 or 64 bits; whoever calls them sees to it that they need not
(`neonsim.nn.graph.quantize.integer_only`).

Source: (F15, M45).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.requant.int16x8 import requantize_sums
from neonsim.ukernel.contract import Array, In, Int32, Out, Size, contract

__all__ = ["qs16_qc8w_gemm_s64", "s8_gemm_s32", "s32_gemm_s64", "s64_gemm_s64"]


@contract
def qs16_qc8w_gemm_s64(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("int16", "mr kc", stride="a_stride")],
    w: Annotated[Array, In("int8", "kc 4")],
    q: Annotated[Array, In("int64", "3 4")],
    c: Annotated[Array, Out("int16", "mr nr", stride="c_stride")],
    output_min: Int32,
    output_max: Int32,
) -> None:
    """Multiply a tile of int16 by int8 weights and requantise sums of 64 bits: 16x8 of TensorFlow Lite.

    c <- clamp(((a @ w + bias) * multiplier + 2**(shift - 1)) >> shift)

    mr, nr       size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc           size               depth, >= 1
    a            int16 [mr, kc]     rows a_stride bytes apart, a multiple of 2
    w            int8 [kc, 4]       one block of columns, filled up with zeros
    q            int64 [3, 4]       bias; multiplier, 0..32767; minus the shift, -46..-8
    c            int16 [mr, nr]     rows c_stride bytes apart; written
    output_min, output_max   int32  limits of the result, of int16

    Sums and their product with the multiplier wrap at 64 bits, scaled sums at 32.
    Source: reference kernels of TensorFlow Lite for int16 with int64 bias; definition of our own.
    """
    acc = a.astype(np.int64) @ w[:, :nr].astype(np.int64) + q[0, :nr]
    c[...] = np.clip(requantize_sums(acc, q[1, :nr], -q[2, :nr]), output_min, output_max)


@contract
def s8_gemm_s32(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("int8", "mr kc", stride="a_stride")],
    w: Annotated[Array, In("int8", "kc 8")],
    q: Annotated[Array, In("int32", "3 8")],
    c: Annotated[Array, Out("int32", "mr nr", stride="c_stride")],
) -> None:
    """Multiply a tile of int8 by int8 weights, keep the sums, and cut off what leaves the limits.

    c <- clamp(a @ w + bias)

    mr, nr       size              rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc           size              depth, >= 1
    a            int8 [mr, kc]     rows a_stride bytes apart
    w            int8 [kc, 8]      one block of columns, filled up with zeros
    q            int32 [3, 8]      bias, lower limit, upper limit
    c            int32 [mr, nr]    rows c_stride bytes apart; written

    Sums wrap at 32 bits. Definition of our own.
    """
    c[...] = np.clip(a.astype(np.int32) @ w[:, :nr].astype(np.int32) + q[0, :nr], q[1, :nr], q[2, :nr])


@contract
def s32_gemm_s64(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("int32", "mr kc", stride="a_stride")],
    w: Annotated[Array, In("int8", "kc 4")],
    q: Annotated[Array, In("int64", "3 4")],
    c: Annotated[Array, Out("int64", "mr nr", stride="c_stride")],
) -> None:
    """Multiply a tile of int32 by int8 weights, keep the sums of 64 bits, and cut off what leaves the limits.

    c <- clamp(a @ w + bias)

    a            int32 [mr, kc]    rows a_stride bytes apart, a multiple of 4
    w            int8 [kc, 4]      one block of columns, filled up with zeros
    q            int64 [3, 4]      bias, lower limit, upper limit
    c            int64 [mr, nr]    rows c_stride bytes apart; written
    others       as s8_gemm_s32

    Sums wrap at 64 bits. Definition of our own.
    """
    c[...] = np.clip(a.astype(np.int64) @ w[:, :nr].astype(np.int64) + q[0, :nr], q[1, :nr], q[2, :nr])


@contract
def s64_gemm_s64(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("int64", "mr kc", stride="a_stride")],
    w: Annotated[Array, In("int8", "kc 4")],
    q: Annotated[Array, In("int64", "3 4")],
    c: Annotated[Array, Out("int64", "mr nr", stride="c_stride")],
) -> None:
    """Multiply a tile of int64 by int8 weights, keep the sums of 64 bits, and cut off what leaves the limits.

    c <- clamp(a @ w + bias)

    a            int64 [mr, kc]    rows a_stride bytes apart, a multiple of 8
    others       as s32_gemm_s64

    NEON multiplies no 64-bit numbers: kernels multiply both halves of a, low + 2**32 * high, each as a signed number.
    Sums wrap at 64 bits. Definition of our own.
    """
    c[...] = np.clip(a @ w[:, :nr].astype(np.int64) + q[0, :nr], q[1, :nr], q[2, :nr])
