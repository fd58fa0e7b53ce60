"""Contracts of matrix products over all columns, and of their twins that gather rows through pointers: indirect GEMM.

With nc for nr, kernels walk over any number of columns by themselves: after each block of NR one goes back to the
beginning of its rows, cn_stride bytes further in c. Weights of int8 have no zero point. The zero point of a is folded
into the packed bias, so that no int8 kernel sees it; in ``qd8`` products it is known at run time only, and the kernel
multiplies it by the sum of the weights.

An ``igemm`` is a convolution without a copy of its windows. The pointer `zero` means a row of zero points that every
image shares, so it is the only one that a_offset does not move (which image is computed).

Source: (D06, D11, R02, R03, R08, X01, X02, X03, X04, X25, X26, X32, X33).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams, gemm_params
from neonsim.quant.reference.dynamic import Qd8Params
from neonsim.quant.rounding import served
from neonsim.ukernel.contract import Array, Family, In, Indirect, InSchemes, Out, Packed, Params, Size, Stride
from neonsim.ukernel.contracts.gemm import FOLDED, gathered
from neonsim.ukernel.packing import PackedWeights

__all__ = ["COLUMNS", "INDIRECT", "sums"]

COLUMNS = Family(
    "gemm_columns", mr=Size("rows, 1..MR"), nc=Size("columns, at least 1"),
    kc=Size("depth, at least 1"), a=In("{t}", "mr kc", stride="a_stride"), w=Packed("{t}", "kc nc", "{packing}"),
    c=Out("{y}", "mr nc", stride="cm_stride", blocks="cn_stride"), params=Params())
INDIRECT = COLUMNS.but(
    "igemm", before="a", sees={"a": gathered}, kc=Size("channels of a row, at least 1"), ks=Size("taps, at least 1"),
    a=Indirect("{t}", "kc", "[ks, MR] to rows of kc elements; with mr < MR the last row is listed again",
               offset="a_offset",
               zero="zero"),
    w=Packed("{t}", "ks kc nc", "{packing}; of [n, kh, kw, c]"),
).but(
    "igemm", before="params", a_offset=Stride("added to every pointer but `zero`"),
    zero=In("{t}", "kc", "{zeros}: what taps outside the image point at"))
ROWS = COLUMNS.but(
    "dynamic_gemm", before="params",
    rows=InSchemes("int32", "mr 2", "int32 zero_point, float32 scale of each: `packing.block_of(DynamicRows)`"))
IMAGE = INDIRECT.but(
    "dynamic_igemm", before="params",
    a=Indirect("{t}", "kc", "[ks, MR], the same for every image; where one equals `zero`, the row at zero_data is "
                            "meant",
               offset="a_offset", zero="zero", fallback="zero_data"),
    zero=In("{t}", "kc", "only its address matters: what taps outside the image point at"),
    zero_data=In("{t}", "kc", "a row of zero_point of this image, which the table cannot know"),
    scheme=InSchemes("int32", "2", "int32 zero_point, float32 scale of the image"))


def sums(a: Array, w: PackedWeights, a_zero_point: int = 0, w_zero_point: int = 0) -> Array:
    """int32 [mr, nc], wrapped: rows [mr, kc] by the original weights, plus the original bias."""
    x = a.astype(np.int32) - np.int32(a_zero_point)
    return np.asarray(x @ (w.unpacked.astype(np.int32) - np.int32(w_zero_point)) + w.original_bias)


def _one_scale(a: Array, w: PackedWeights, params: RndnuGemmParams | Fp32GemmParams) -> Array:
    return params.requantize(sums(a, w, params.a_zero_point, params.w_zero_point))


def _by_column(a: Array, w: PackedWeights, params: Qc8wParams) -> Array:
    assert w.scales is not None
    return params.requantize(sums(a, w, params.a_zero_point), w.scales)


def _by_multiplier(a: Array, w: PackedWeights, params: Qc8wParams) -> Array:
    assert w.scales is not None
    return params.by_multiplier(sums(a, w, params.a_zero_point), w.scales)


def _both(name: str, define: Callable[..., Any], *, says: str, formula: str, source: str, signed: bool = True,
          **others: Any) -> None:
    """A contract of rows one after the other, and of rows through pointers."""
    t = "int8" if signed else "uint8"
    w, zero = ("{w}", "") if signed else ("({w} - w_zero_point)", " with a zero point")
    for family, kind, rows, acc, what in (
            (COLUMNS, "gemm", "rows", f"(a - a_zero_point) @ {w.format(w='w')} + bias", "products"),
            (INDIRECT, "igemm", "gathered rows",
             f"sum over taps t of (a[t] - a_zero_point) @ {w.format(w='w[t]')} + bias", "indirect products")):
        family.row(name.format(kind), define, t=t, y=t, zeros="a row of a_zero_point", formula=formula.format(acc),
                   says=f"Multiply {rows} of {t} by packed weights{zero} and requantise {says}.",
                   notes="Sums wrap at 32 bits.", source=source.format(what), **others)


_SCALES = "`packing.pack_qc8w`: the scales of a block lie behind its weights"
_FOLDED_LEFT = "`packing.pack_qu8`: zero point of a folded into the bias, that of w left to the kernel"
for q, packing, block in (("qs8", f"`packing.pack_qs8`: {FOLDED}", "zero point of c, clamp"),
                          ("qu8", _FOLDED_LEFT, "zero points of w and c, clamp, of dtype uint8")):
    for row in served("gemm"):
        _both(f"{q}_{{}}_{row.word}", _one_scale, params=gemm_params(row), signed=q == "qs8", packing=packing,
              block=f"{'multiplier, shift' if row.fixed else 'scale'}, {block}", says=f"by one scale, {row.says}",
              formula=f"c <- {row.word}({{}})", source=f"the order of arguments of XNNPACK's {{}} of {q}")
_both("qs8_qc8w_{}_fp32", _by_column, params=Qc8wParams, block="zero point of c, clamp", packing=_SCALES,
      says="in single precision, each column by its own scale", formula="c[i, j] <- fp32(({})[i, j] * scale[j])",
      source="XNNPACK's {} of qs8-qc8w, fp32")
_both("qs8_qc8w_{}_tengine", _by_multiplier, params=Qc8wParams, block="zero point of c, clamp", packing=_SCALES,
      says="by multiplier and shift, each column its own", formula="c[i, j] <- tengine(({})[i, j] * scale[j])",
      source="how Tengine's kernels for Arm requantise; arguments of XNNPACK's {}")


def _dynamic(a: Array, w: PackedWeights, params: Qd8Params, rows: Array) -> Array:
    """rows int32 [mr, 2]: the bits of zero point and scale of each."""
    assert w.scales is not None
    assert w.float_bias is not None
    acc = (a.astype(np.int32) - rows[:, :1]) @ w.unpacked.astype(np.int32)
    return params.scale(acc, np.ascontiguousarray(rows[:, 1]).view(np.float32), w.scales, w.float_bias)


_DYNAMIC = "Sums wrap at 32 bits; every floating-point step is rounded by itself."
ROWS.row(
    "qd8_f32_qc8w_gemm", _dynamic, t="int8", y="float32", params=Qd8Params, block="limits", notes=_DYNAMIC,
    packing="`packing.pack_qd8`: minus the sums of the weights, weights, scales, float biases",
    says="Multiply rows of int8, each with a zero point and scale of its own, by packed weights; float32 results.",
    formula="c[i, j] <- clamp(float32(((a[i] - zero_point[i]) @ w)[j]) * row_scale[i] * scale[j] + bias[j])",
    source="XNNPACK's products of qd8-f32-qc8w")
IMAGE.row(
    "qd8_f32_qc8w_igemm", lambda a, w, params, scheme: _dynamic(a, w, params, np.tile(scheme, (len(a), 1))),
    t="int8", y="float32", params=Qd8Params, block="limits", notes=_DYNAMIC, packing="`packing.pack_qd8`",
    says="Multiply gathered rows of an image with a zero point and scale of its own by packed weights; float32 "
         "results.",
    formula="c[i, j] <- clamp(float32(sum over taps t of ((a[t, i] - zero_point) @ w[t])[j]) * its scale * scale[j] + "
            "bias[j])",
    source="XNNPACK's indirect products of qd8-f32-qc8w")
