"""Contracts of indirect GEMM: rows gathered through a table of pointers, tap after tap, over any number of columns.

Otherwise they are the contracts over all columns of `gemm`: a convolution without a copy of its windows. The pointer
`zero` means a row of zero points that every image shares, so it is the only one that a_offset does not move (which
image is computed).

Source: (D06, D11, R02, R03, R08, X01, X02, X03, X04, X25, X26, X32, X33).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.reference.dynamic import Qd8Params
from neonsim.ukernel.contract import Array, In, Indirect, Out, Packed, PointerTable, Size, Stride, contract
from neonsim.ukernel.contracts.gemm import sums
from neonsim.ukernel.packing import PackedWeights

__all__ = ["qd8_f32_qc8w_igemm", "qs8_igemm_fp32", "qs8_igemm_rndnu", "qs8_qc8w_igemm_fp32", "qs8_qc8w_igemm_tengine",
           "qu8_igemm_fp32", "qu8_igemm_rndnu"]


def _gathered(a: PointerTable, mr: int, ks: int) -> Array:
    """[mr, ks * kc]: what the pointers of each row mean, tap after tap."""
    rows = len(a) // ks
    taps = a.take(np.arange(ks)[:, None] * rows + np.arange(mr))
    return taps.transpose(1, 0, 2).reshape(mr, -1)


@contract
def qs8_igemm_rndnu(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
    params: RndnuGemmParams,
) -> None:
    """Multiply gathered rows of int8 by packed weights, tap after tap, and requantise: one scale, ties up.

    c[i] <- rndnu(sum over taps t of (a[t, i] - a_zero_point) @ w[t] + bias)

    mr, nc     size               rows 1..MR, columns >= 1
    kc, ks     size               channels of a row, taps; both >= 1
    a          pointers [ks, MR]  to rows of kc bytes; with mr < MR the last row is listed again
    w          packed [ks*kc, nc] `packing.pack_qs8` of [n, kh, kw, c]
    c          int8 [mr, nc]      rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    a_offset   bytes              added to every pointer but `zero`
    zero       int8 [kc]          a row of a_zero_point: what taps outside the image point at
    params     RndnuGemmParams

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qs8, and their arguments; definition of our own.
    """
    c[...] = params.requantize(sums(_gathered(a, mr, ks), params.a_zero_point, w))


@contract
def qs8_igemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
    params: Fp32GemmParams,
) -> None:
    """Multiply gathered rows of int8 by packed weights and requantise in single precision: one scale, ties to even.

    c[i] <- fp32(sum over taps t of (a[t, i] - a_zero_point) @ w[t] + bias)

    params     Fp32GemmParams    scale, zero point of c, clamp
    others     as qs8_igemm_rndnu

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qs8, fp32; definition of our own.
    """
    c[...] = params.requantize(sums(_gathered(a, mr, ks), params.a_zero_point, w))


@contract
def qs8_qc8w_igemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
    params: Qc8wParams,
) -> None:
    """Multiply gathered rows of int8 by packed weights and requantise in single precision, each column by its scale.

    c[i, j] <- fp32((sum over taps t of (a[t, i] - a_zero_point) @ w[t] + bias)[j] * scale[j])

    w          packed [ks*kc, nc] `packing.pack_qc8w` of [n, kh, kw, c]
    params     Qc8wParams         zero point of c, clamp
    others     as qs8_igemm_rndnu

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qs8-qc8w; definition of our own.
    """
    assert w.scales is not None
    c[...] = params.requantize(sums(_gathered(a, mr, ks), params.a_zero_point, w), w.scales)


@contract
def qu8_igemm_rndnu(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("uint8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("uint8", "ks kc nc")],
    c: Annotated[Array, Out("uint8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("uint8", "kc")],
    params: RndnuGemmParams,
) -> None:
    """Multiply gathered rows of uint8 by packed weights with a zero point and requantise: one scale, ties up.

    c[i] <- rndnu(sum over taps t of (a[t, i] - a_zero_point) @ (w[t] - w_zero_point) + bias)

    w          packed [ks*kc, nc] `packing.pack_qu8` of [n, kh, kw, c]
    params     RndnuGemmParams    of dtype uint8, with w_zero_point
    others     as qs8_igemm_rndnu, with uint8

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qu8, rndnu; definition of our own.
    """
    c[...] = params.requantize(sums(_gathered(a, mr, ks), params.a_zero_point, w, params.w_zero_point))


@contract
def qu8_igemm_fp32(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("uint8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("uint8", "ks kc nc")],
    c: Annotated[Array, Out("uint8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("uint8", "kc")],
    params: Fp32GemmParams,
) -> None:
    """Multiply gathered rows of uint8 by packed weights with a zero point and requantise in single precision.

    c[i] <- fp32(sum over taps t of (a[t, i] - a_zero_point) @ (w[t] - w_zero_point) + bias)

    w          packed [ks*kc, nc] `packing.pack_qu8` of [n, kh, kw, c]
    params     Fp32GemmParams     of dtype uint8, with w_zero_point
    others     as qs8_igemm_rndnu, with uint8

    Sums wrap at 32 bits. Source: XNNPACK's indirect products of qu8, fp32; definition of our own.
    """
    c[...] = params.requantize(sums(_gathered(a, mr, ks), params.a_zero_point, w, params.w_zero_point))


@contract
def qd8_f32_qc8w_igemm(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero", instead="zero_data")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("float32", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
    zero_data: Annotated[Array, In("int8", "kc")],
    scheme: Annotated[Array, In("int32", "2")],
    params: Qd8Params,
) -> None:
    """Multiply gathered rows of an image with a zero point and scale of its own by packed weights; float32 results.

    c[i, j] <- clamp(float32(sum over taps t of ((a[t, i] - zero_point) @ w[t])[j]) * its scale * scale[j] + bias[j])

    a          pointers [ks, MR]  the same for every image; where one equals `zero`, the row at zero_data is meant
    w          packed [ks*kc, nc] `packing.pack_qd8` of [n, kh, kw, c]
    c          float32 [mr, nc]   rows cm_stride, blocks of NR columns cn_stride bytes apart; written
    zero       int8 [kc]          only its address matters: what taps outside the image point at
    zero_data  int8 [kc]          a row of zero_point of this image, which the table cannot know
    scheme     {int32 zero_point, float32 scale} of the image
    params     Qd8Params          limits
    others     as qs8_igemm_rndnu

    Sums wrap at 32 bits; every floating-point step is rounded by itself.
    Source: XNNPACK's indirect products of qd8-f32-qc8w; definition of our own.
    """
    assert w.scales is not None
    assert w.float_bias is not None
    acc = (_gathered(a, mr, ks).astype(np.int32) - scheme[0]) @ w.unpacked.astype(np.int32)
    scale = np.full(mr, np.ascontiguousarray(scheme[1:]).view(np.float32)[0])
    c[...] = params.scale(acc, scale, w.scales, w.float_bias)


@contract
def qs8_qc8w_igemm_tengine(
    mr: Size,
    nc: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("int8", "kc", offset="a_offset", zero="zero")],
    w: Annotated[PackedWeights, Packed("int8", "ks kc nc")],
    c: Annotated[Array, Out("int8", "mr nc", stride="cm_stride", blocks="cn_stride")],
    a_offset: Stride,
    zero: Annotated[Array, In("int8", "kc")],
    params: Qc8wParams,
) -> None:
    """Multiply gathered rows of int8 by packed weights and requantise by multiplier and shift of each column.

    c[i, j] <- tengine((sum over taps t of (a[t, i] - a_zero_point) @ w[t] + bias)[j] * scale[j])

    w          packed [ks*kc, nc] `packing.pack_qc8w` of [n, kh, kw, c]
    params     Qc8wParams         zero point of c, clamp
    others     as qs8_igemm_rndnu

    Sums wrap at 32 bits. Source: how Tengine's kernels for Arm requantise; definition of our own.
    """
    assert w.scales is not None
    c[...] = params.by_multiplier(sums(_gathered(a, mr, ks), params.a_zero_point, w), w.scales)
