"""Contracts of pooling: averages and maxima over rows of channels.

Global pooling adds the rows of one matrix; the others follow a table of pointers, ks of them for each output pixel.

Source: (C06, C07, K30, K31, K33, R08, X01, X02, X22, X23, X25, Z08).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.elementwise import AveragePoolParams, ClampParams
from neonsim.quant.params.qs8_elementwise import MeanParams
from neonsim.ukernel.contract import (
    Array,
    In,
    Indirect,
    Out,
    PointerStride,
    PointerTable,
    Scratch,
    Size,
    Stride,
    contract,
)

__all__ = ["pool_rows", "qs8_avgpool", "qs8_avgpool_rndna", "qs8_gavgpool", "qs8_gavgpool_mp", "qu8_avgpool",
           "qu8_avgpool_mp", "qu8_gavgpool", "qu8_gavgpool_mp", "s8_maxpool", "u8_maxpool"]

_FIRST, _NEXT = 9, 8      # rows of the first pass and of each further one
_FEW = 8                  # channels below which kernels take row after row


def pool_rows(ks: int, kc: int) -> int:
    """How many rows the kernels of average pooling add up for ks pointers: the last pass is filled with zero rows.

    >>> [pool_rows(ks, 16) for ks in (1, 9, 10, 17, 18)], pool_rows(5, 7)
    ([9, 9, 17, 17, 25], 5)
    """
    if kc < _FEW:
        return ks
    return _FIRST + _NEXT * max(-(-(ks - _FIRST) // _NEXT), 0)


def _average(rows: Array, params: AveragePoolParams) -> Array:
    """rows uint8 [..., rows, channels] -> uint8 [..., channels], by what the zero points mean."""
    real = rows.astype(np.int64).sum(axis=-2) - rows.shape[-2] * params.input_zero_point
    # The parameters take sums of raw bytes of all rows they count.
    return params.requantize(real + params.rows * params.input_zero_point)


@contract
def qu8_gavgpool(
    m: Size,
    n: Size,
    x: Annotated[Array, In("uint8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: AveragePoolParams,
) -> None:
    """Average all rows of a matrix, in one pass.

    y[j] <- clamp(round(scale * sum over i of (x[i, j] - input_zero_point)) + output_zero_point)

    m, n       size           rows, channels; a kernel of 7 rows takes m <= 7 and n >= 8, one for few channels n < 8
    x          uint8 [m, n]   rows x_stride bytes apart
    zero       uint8 [n]      bytes 0: stands for rows that are not there
    y          uint8 [n]      written
    params     AveragePoolParams with rows = m

    Source: QNNPACK's q8gavgpool argument order; definition of our own.
    """
    y[...] = _average(x, params)


@contract
def qu8_gavgpool_mp(
    m: Size,
    n: Size,
    x: Annotated[Array, In("uint8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("uint8", "n")],
    buffer: Annotated[Array, Scratch("int32", "n:8")],
    y: Annotated[Array, Out("uint8", "n")],
    params: AveragePoolParams,
) -> None:
    """Average all rows of a matrix, seven at a time, with the sums kept in memory.

    m, n       size           rows, more than 7; channels, 8 and more
    x          uint8 [m, n]   rows x_stride bytes apart
    zero       uint8 [n]      bytes 0: stands for rows that are not there
    buffer     int32 [n]      rounded up to 8
    y          uint8 [n]      written
    params     AveragePoolParams with rows = m

    Computes what qu8_gavgpool computes.
    Source: QNNPACK's q8gavgpool mp8x7p7q; definition of our own.
    """
    y[...] = _average(x, params)


@contract
def qs8_gavgpool(
    m: Size,
    n: Size,
    x: Annotated[Array, In("int8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: MeanParams,
) -> None:
    """Average all rows of a matrix of int8, in one pass: one exact rounding, ties up.

    y[j] <- clamp(rndnu(scale * sum over i of (x[i, j] - input_zero_point)) + output_zero_point)

    m, n       size          rows, 1..7 of a kernel of 7; channels, >= 1
    x          int8 [m, n]   rows x_stride bytes apart
    zero       int8 [n]      bytes 0: stands for rows that are not there
    y          int8 [n]      written
    params     MeanParams    with rows = m

    Source: XNNPACK's qs8 gavgpool 7x, rndnu; definition of our own.
    """
    y[...] = params.requantize(x.sum(axis=0, dtype=np.int64))


@contract
def qs8_gavgpool_mp(
    m: Size,
    n: Size,
    x: Annotated[Array, In("int8", "m n", stride="x_stride")],
    x_stride: Stride,
    zero: Annotated[Array, In("int8", "n")],
    buffer: Annotated[Array, Scratch("int32", "n:8")],
    y: Annotated[Array, Out("int8", "n")],
    params: MeanParams,
) -> None:
    """Average all rows of a matrix of int8, seven at a time, with the sums kept in memory.

    m, n       size          rows, more than 7; channels, >= 1
    x          int8 [m, n]   rows x_stride bytes apart
    zero       int8 [n]      bytes 0: stands for rows that are not there
    buffer     int32 [n]     rounded up to 8
    y          int8 [n]      written
    params     MeanParams    with rows = m

    Computes what qs8_gavgpool computes. Source: XNNPACK's qs8 gavgpool 7p7x, rndnu; definition of our own.
    """
    y[...] = params.requantize(x.sum(axis=0, dtype=np.int64))


@contract
def qu8_avgpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("uint8", "kc")],
    zero: Annotated[Array, In("uint8", "kc")],
    y: Annotated[Array, Out("uint8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: AveragePoolParams,
) -> None:
    """Average ks gathered rows for each output pixel, in one pass.

    y[p, j] <- clamp(round(scale * sum over t of (input[p, t, j] - input_zero_point)) + output_zero_point)

    n, ks, kc     size             pixels, rows of each, channels; a kernel of 9 rows takes ks <= 9 and kc >= 8, one for
                                   few channels kc < 8
    input         pointers         ks rows of pixel p from x_increment * p on
    zero          uint8 [kc]       input zero points: stands for rows that are not there
    y             uint8 [n, kc]    y_increment bytes lie between two pixels; written
    x_increment   bytes            from the pointers of one pixel to those of the next
    params        AveragePoolParams with rows = `pool_rows(ks, kc)`

    Source: QNNPACK's q8avgpool argument order; definition of our own.
    """
    y[...] = _average(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)), params)


@contract
def qu8_avgpool_mp(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("uint8", "kc")],
    zero: Annotated[Array, In("uint8", "kc")],
    buffer: Annotated[Array, Scratch("int32", "kc:8")],
    y: Annotated[Array, Out("uint8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: AveragePoolParams,
) -> None:
    """Average ks gathered rows for each output pixel: nine, then eight at a time, with the sums kept in memory.

    n, ks, kc     size             pixels; rows of each, more than 9; channels, 8 and more
    input         pointers         ks rows of pixel p from x_increment * p on
    zero          uint8 [kc]       input zero points: stands for rows that are not there
    buffer        int32 [kc]       rounded up to 8
    y             uint8 [n, kc]    y_increment bytes lie between two pixels; written
    x_increment   bytes            from the pointers of one pixel to those of the next
    params        AveragePoolParams with rows = `pool_rows(ks, kc)`

    Computes what qu8_avgpool computes. x_increment counts from a pixel's first pointer, as everywhere
    here (QNNPACK's multi-pass kernels count from the last pass).
    Source: QNNPACK's q8avgpool mp8x9p8q; definition of our own.
    """
    y[...] = _average(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)), params)


@contract
def u8_maxpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("uint8", "kc")],
    y: Annotated[Array, Out("uint8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: ClampParams,
) -> None:
    """Largest of ks gathered rows for each output pixel, clamped.

    y[p, j] <- min(max(largest over t of input[p, t, j], output_min), output_max)

    n, ks, kc     size             pixels, rows of each, channels; a kernel of 9 rows takes kc >= 16 and any ks, one for
                                   few channels kc < 16
    input         pointers         ks rows of pixel p from x_increment * p on
    y             uint8 [n, kc]    y_increment bytes lie between two pixels; written
    x_increment   bytes            from the pointers of one pixel to those of the next
    params        ClampParams

    Source: QNNPACK's u8maxpool argument order; definition of our own.
    """
    y[...] = params.clamp(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)).max(axis=1))


@contract
def s8_maxpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("int8", "kc")],
    y: Annotated[Array, Out("int8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: ClampParams,
) -> None:
    """Largest of ks gathered rows of signed bytes for each output pixel, clamped.

    y[p, j] <- min(max(largest over t of input[p, t, j], output_min), output_max)

    y             int8 [n, kc]     y_increment bytes lie between two pixels; written
    params        ClampParams of dtype int8
    others        as u8_maxpool

    Source: u8_maxpool's argument order, XNNPACK's maxpool for s8; definition of our own.
    """
    y[...] = params.clamp(input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)).max(axis=1))


@contract
def qs8_avgpool(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("int8", "kc")],
    zero: Annotated[Array, In("int8", "kc")],
    y: Annotated[Array, Out("int8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: MeanParams,
) -> None:
    """Average ks gathered rows of int8 for each output pixel: one exact rounding, ties up.

    y[p, j] <- clamp(rndnu(scale * sum over t of (input[p, t, j] - input_zero_point)) + output_zero_point)

    n, ks, kc     size             pixels, rows of each, channels; a kernel of 9 rows takes ks <= 9, others any ks
    input         pointers         ks rows of pixel p from x_increment * p on
    zero          int8 [kc]        input zero points: stands for rows that are not there
    y             int8 [n, kc]     y_increment bytes lie between two pixels; written
    x_increment   bytes            from the pointers of one pixel to those of the next
    params        MeanParams with rows = 9 for a kernel of 9 rows, else rows = ks

    Source: qu8_avgpool's argument order, the rounding of qs8_gavgpool; definition of our own.
    """
    sums = input.take(np.arange(n)[:, None] * x_increment + np.arange(ks)).astype(np.int64).sum(axis=1)
    # The parameters take sums of raw bytes of all rows they count.
    y[...] = params.requantize(sums + (params.rows - ks) * params.input_zero_point)


@contract
def qs8_avgpool_rndna(
    n: Size,
    ks: Size,
    kc: Size,
    input: Annotated[PointerTable, Indirect("int8", "kc")],
    zero: Annotated[Array, In("int8", "kc")],
    y: Annotated[Array, Out("int8", "n kc", gap="y_increment")],
    x_increment: PointerStride,
    y_increment: Stride,
    params: AveragePoolParams,
) -> None:
    """Average ks gathered rows of int8 for each output pixel: one exact rounding, ties away from zero.

    y[p, j] <- clamp(round(scale * sum over t of (input[p, t, j] - input_zero_point)) + output_zero_point)

    params        AveragePoolParams of dtype int8, with rows = 9 for a kernel of 9 rows, else rows = ks
    others        as qs8_avgpool

    Source: qs8_avgpool's argument order, the rounding of qu8_avgpool; definition of our own.
    """
    rows = input.take(np.arange(n)[:, None] * x_increment + np.arange(ks))
    # The parameters take sums of raw bytes of all rows they count.
    y[...] = params.requantize(rows.astype(np.int64).sum(axis=1) + (params.rows - ks) * params.input_zero_point)
