"""Contracts of pooling: averages and maxima over rows of channels.

Global pooling adds the rows of one matrix; the others follow a table of pointers, ks of them for each output pixel.

Source: (C06, C07, K30, K31, K33, R08, X01, X02, X22, X23, X25, Z08).
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.params.elementwise import ClampParams
from neonsim.quant.params.requant import AveragePoolParams, MeanParams
from neonsim.ukernel.contract import (
    Array,
    Family,
    In,
    Indirect,
    Out,
    Params,
    PointerStride,
    PointerTable,
    Scratch,
    Size,
    Stride,
)

__all__ = ["MATRIX_MEAN", "WINDOWS", "pool_rows"]

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


def _windows(input: PointerTable, n: int, ks: int, x_increment: int) -> Array:
    """[pixels, rows of each, channels]: what the pointers of each output pixel mean."""
    return input.take(np.arange(n)[:, None] * x_increment + np.arange(ks))


MATRIX_MEAN = Family(
    "matrix_mean", m=Size("rows{m}"), n=Size("channels{n}"), x=In("{t}", "m n", stride="x_stride"),
    x_stride=Stride("from one row of x to the next"), y=Out("{t}", "n"), params=Params())
MEAN = MATRIX_MEAN.but("mean", before="y", zero=In("{t}", "n", "bytes 0: stands for rows that are not there"))
MEAN_MP = MEAN.but("mean_mp", before="y", buffer=Scratch("int32", "n:8"))
GAVGPOOL, GAVGPOOL_MP = (mean.but(
    name, x=In("uint8", "m n", stride="x_stride"), zero=In("uint8", "n", "bytes 0: stands for rows that are not there"),
    y=Out("uint8", "n")) for mean, name in ((MEAN, "gavgpool"), (MEAN_MP, "gavgpool_mp")))
WINDOWS = Family(
    "windows", sees={"input": _windows}, n=Size("pixels"), ks=Size("rows of each{ks}"), kc=Size("channels{kc}"),
    input=Indirect("{t}", "kc", "ks rows of pixel p from x_increment * p on"),
    y=Out("{t}", "n kc", gap="y_increment"),
    x_increment=PointerStride("from one pixel's pointers to the next pixel's"),
    y_increment=Stride("between two pixels of y"), params=Params())
MAXPOOL = WINDOWS.but("maxpool")
_PADDING = "input zero points: stands for rows that are not there"
WINDOW_MEAN = WINDOWS.but("window_mean", before="y", zero=In("{t}", "kc", _PADDING))
AVGPOOL = WINDOW_MEAN.but(
    "avgpool", input=Indirect("uint8", "kc", "ks rows of pixel p from x_increment * p on"),
    zero=In("uint8", "kc", _PADDING), y=Out("uint8", "n kc", gap="y_increment"))
AVGPOOL_MP = AVGPOOL.but("avgpool_mp", before="y", buffer=Scratch("int32", "kc:8"))


def _average(rows: Array, params: AveragePoolParams | MeanParams) -> Array:
    """rows [..., rows, channels] -> [..., channels], by what the zero points mean."""
    total = rows.astype(np.int64).sum(axis=-2)
    # The parameters take sums of raw bytes of all rows they count.
    return params.requantize(total + (params.rows - rows.shape[-2]) * params.input_zero_point)


for q, t, params, of_bytes, how, one_pass, many, whose, last in (
        ("qu8", "uint8", AveragePoolParams, "", "", "1..7 of a kernel of 7", "8 and more",
         "QNNPACK's q8gavgpool argument order", "QNNPACK's q8gavgpool mp8x7p7q"),
        ("qs8", "int8", MeanParams, " of int8", ": one exact rounding, ties up", "1..7 of a kernel of 7", ">= 1",
         "XNNPACK's qs8 gavgpool 7x, rndnu", "XNNPACK's qs8 gavgpool 7p7x, rndnu")):
    (GAVGPOOL if q == "qu8" else MEAN).row(
        f"{q}_gavgpool", lambda x, params: _average(x, params), t=t, params=params, block="with rows = m",
        m=f", {one_pass}", n=", 8 and more; of kernels for few 1..7" if q == "qu8" else ", >= 1",
        says=f"Average all rows of a matrix{of_bytes}, in one pass{how}.",
        formula="y[j] <- clamp(round(scale * sum over i of (x[i, j] - input_zero_point)) + output_zero_point)",
        source=whose)
    (GAVGPOOL_MP if q == "qu8" else MEAN_MP).row(
        f"{q}_gavgpool_mp", lambda x, params: _average(x, params), t=t, params=params, block="with rows = m",
        m=", more than 7", n=f", {many}",
        says=f"Average all rows of a matrix{of_bytes}, seven at a time, with the sums kept in memory.",
        formula="y[j] <- clamp(round(scale * sum over i of (x[i, j] - input_zero_point)) + output_zero_point)",
        notes=f"Computes what {q}_gavgpool computes.", source=last)

_MEAN = "y[p, j] <- clamp(round(scale * sum over t of (input[p, t, j] - input_zero_point)) + output_zero_point)"
_NINE = "with rows = 9 for a kernel of 9 rows, else rows = ks"
for family, name, t, params, block, ks, kc, says, notes, source in (
        (AVGPOOL, "qu8_avgpool", "uint8", AveragePoolParams, "with rows = `pool_rows(ks, kc)`",
         ", 1..9 of a kernel of 9",
         ", 8 and more; of kernels for few 1..7", "ks gathered rows for each output pixel, in one pass", "",
         "QNNPACK's q8avgpool argument order"),
        (AVGPOOL_MP, "qu8_avgpool_mp", "uint8", AveragePoolParams, "with rows = `pool_rows(ks, kc)`", ", more than 9",
         ", 8 and more",
         "ks gathered rows for each output pixel: nine, then eight at a time, with the sums kept in memory",
         "Computes what qu8_avgpool computes. x_increment counts from a pixel's first pointer, as everywhere here "
         "(QNNPACK's "
         "multi-pass kernels count from the last pass).", "QNNPACK's q8avgpool mp8x9p8q"),
        (WINDOW_MEAN, "qs8_avgpool", "int8", MeanParams, _NINE, ", 1..9 of a kernel of 9, else any", "",
         "ks gathered rows of int8 for each output pixel: one exact rounding, ties up", "",
         "qu8_avgpool's argument order, the rounding of qs8_gavgpool"),
        (WINDOW_MEAN, "qs8_avgpool_rndna", "int8", AveragePoolParams, f"of dtype int8, {_NINE}",
         ", 1..9 of a kernel of 9, else any", "",
         "ks gathered rows of int8 for each output pixel: one exact rounding, ties away from zero", "",
         "qs8_avgpool's argument order, the rounding of qu8_avgpool")):
    family.row(name, lambda input, params: _average(input, params), t=t, params=params, block=block, ks=ks, kc=kc,
               says=f"Average {says}.", formula=_MEAN, notes=notes, source=source)
for name, t, block, of_bytes, source in (
        ("u8_maxpool", "uint8", "", "", "QNNPACK's u8maxpool argument order"),
        ("s8_maxpool", "int8", "of dtype int8", " of signed bytes",
         "u8_maxpool's argument order, XNNPACK's maxpool for s8")):
    MAXPOOL.row(name, lambda input, params: params.clamp(input.max(axis=1)), t=t, params=ClampParams, block=block,
                ks=", any", kc=", 16 and more of a kernel of 9 rows; of kernels for few 1..15",
                says=f"Largest of ks gathered rows{of_bytes} for each output pixel, clamped.",
                formula="y[p, j] <- min(max(largest over t of input[p, t, j], output_min), output_max)", source=source)
