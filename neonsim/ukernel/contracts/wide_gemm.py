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
Sums of the others wrap, at 32 or 64 bits; the caller sees to it that they need not
(`neonsim.nn.graph.quantize.integer_only`).

Source: (F15, M45).
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.requant.int16x8 import requantize_accumulators
from neonsim.ukernel.contract import Array, Family, In, Int32, Out, Size

__all__ = ["INT16X8", "WIDE"]

WIDE = Family(
    "gemm_wide", mr=Size("rows, 1..MR"), nr=Size("columns, 1..NR"),
    kc=Size("depth, at least 1"), a=In("{a}", "mr kc", "a multiple of {bytes}", stride="a_stride"),
    w=In("int8", "kc {nr}", "one block of columns, filled up with zeros"), q=In("{s}", "3 {nr}", "{q}"),
    c=Out("{c}", "mr nr", stride="c_stride"))
INT16X8 = WIDE.but("gemm_16x8", output_min=Int32("limits of the result, of int16"),
                    output_max=Int32("limits of the result, of int16"))


def _int16x8(a: Array, w: Array, q: Array, nr: int, output_min: int, output_max: int) -> Array:
    acc = a.astype(np.int64) @ w[:, :nr].astype(np.int64) + q[0, :nr]
    return np.clip(requantize_accumulators(acc, q[1, :nr], -q[2, :nr]), output_min, output_max)


def _whole(a: Array, w: Array, q: Array, nr: int) -> Array:
    """Sums of the type of q, kept within its rows 1 and 2."""
    return np.asarray(np.clip(a.astype(q.dtype) @ w[:, :nr].astype(q.dtype) + q[0, :nr], q[1, :nr], q[2, :nr]))


INT16X8.row("qs16_qc8w_gemm_s64", _int16x8, a="int16", bytes="2", nr="4", s="int64", c="int16",
            q="bias; multiplier, 0..32767; minus the shift, -46..-8",
            says="Multiply a tile of int16 by int8 weights and requantise sums of 64 bits: 16x8 of TensorFlow Lite.",
            formula="c <- clamp(((a @ w + bias) * multiplier + 2**(shift - 1)) >> shift)",
            notes="Sums and their product with the multiplier wrap at 64 bits, scaled sums at 32.",
            source="reference kernels of TensorFlow Lite for int16 with int64 bias")
for a, bits, s, nr, notes in (
        ("int8", 8, "int32", "8", ""), ("int32", 32, "int64", "4", ""),
        ("int64", 64, "int64", "4", "NEON multiplies no 64-bit numbers: kernels multiply both halves of a, low + 2**32 "
                                    "* high, "
                                    "each as a signed number. ")):
    WIDE.row(f"s{bits}_gemm_s{s[3:]}", _whole, a=a, bytes=str(bits // 8), nr=nr, s=s, c=s,
              q="bias, lower limit, upper limit",
              says=f"Multiply a tile of {a} by int8 weights, keep the sums{' of 64 bits' * (s == 'int64')}, and cut "
                   f"off what "
                   "leaves the limits.",
              formula="c <- clamp(a @ w + bias)", notes=f"{notes}Sums wrap at {s[3:]} bits.")
