"""gemmlowp's product: both operands packed in cells of 4x2, bytes multiplied without their zero points, which are
corrected afterwards; then an output pipeline (Y01, Y04, Y05, Y08).

    GemmlowpMatmul     uint8 rows by weights -> int32 sums of raw bytes; kernels: u8_gemm_packed_s32
    OutputPipeline    int32 sums -> corrected, stage by stage -> int32, uint8, int8 or int16
    gemm_with_pipeline(x, w, stages)     both; of Quantized operands `ops.fully_connected(..., output_stages=stages)`

              k                      column n holds ones: its sums are those of the rows of x, which the correction
                                     needs
           +-----+-+
         n |  w  | |     (x + lhs_offset) @ (w + rhs_offset) =
           |     | |         x @ w  +  rhs_offset * sum of each row of x  +  lhs_offset * sum of each row of w
           +-----+-+         +  k * lhs_offset * rhs_offset
             ... 1

Offsets are minus zero points. Kernels make the sums, stages are done by definition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, CopyRows, NamedKernel, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.operand import scheme_of
from neonsim.nn.ops.operator import Plan
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.quant.fixedpoint import wrap
from neonsim.quant.requant.output_pipeline import AddBias, Stage, check_stages, pipeline
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType
from neonsim.ukernel.packing.taps import OUTSIDE

__all__ = ["GemmlowpMatmul", "OutputPipeline", "fully_connected_by_stages", "gemm_with_pipeline"]

_ROWS, _SUM = 12, 4         # of a panel; bytes of a sum
Shape = tuple[int, ...]


def _bytes(values: Any, what: str) -> NDArray[np.uint8]:
    found = np.asarray(values)
    if found.dtype != np.uint8 or found.ndim != 2 or 0 in found.shape:
        raise BadArgument(f"{what} of a packed product must be uint8 [rows, depth], with all sizes at least 1; got "
                          f"{found.dtype} {list(found.shape)}.")
    return np.ascontiguousarray(found)


class GemmlowpMatmul(UnquantizedOperator):
    """Sums of raw bytes: x @ w.T.

    w          uint8 [n, k]
    row_sums   one column more, of ones: the sums of the rows of x

    >>> GemmlowpMatmul(np.array([[2, 3]], np.uint8), row_sums=True)(np.array([[5, 1]], np.uint8)).tolist()
    [[13, 6]]
    """

    kind = "packed product"
    input_types, output_type = (TensorType("uint8"),), TensorType("int32")

    def __init__(self, w: NDArray[np.uint8], *, row_sums: bool = False) -> None:
        given = _bytes(w, "w")
        self.w = np.concatenate([given, np.ones((1, given.shape[1]), np.uint8)]) if row_sums else given
        self.row_sums = bool(row_sums)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., k] -> [..., n]."""
        x = shapes[0]
        if not x or x[-1] != self.w.shape[1] or 0 in x:
            raise BadArgument(f"x {list(x)} and w {list(self.w.shape)} do not match: the last axis of both must be the "
                              f"depth, and none is empty.")
        return (*x[:-1], self.w.shape[0])

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition; sums wrap at 32 bits."""
        return wrap(values[0].astype(np.int64) @ self.w.astype(np.int64).T)

    def lower(self, build: Builder, **options: Any) -> None:
        """Rows into panels of cells, a call for each tile, sums back into rows: kernels leave columns."""
        one = build.choose("u8_gemm_packed_s32", "both operands are packed in cells of 4x2: no other kernel takes them")
        x, nr, k = build.inputs[0], one.nr, self.w.shape[1] + self.w.shape[1] % 2
        m, n = int(np.prod(x.shape[:-1])), self.w.shape[0]
        high, wide = -(-m // _ROWS), -(-n // nr)
        row, depth = _cells(high, k, 3)
        outside = (row >= m) | (depth >= self.w.shape[1])
        panels = build.scratch("panels of x", high * k * _ROWS, operand=True)
        build.gather(CopyRows(Pointer(x.name), panels, np.where(outside, OUTSIDE, row * x.stride + depth), 1, 0,
                            f"{high} panels of {_ROWS} rows, in cells"))
        column, depth = _cells(wide, k, nr // 4)
        inside = (column < n) & (depth < self.w.shape[1])
        cells = np.where(inside, self.w[np.minimum(column, n - 1), np.minimum(depth, self.w.shape[1] - 1)], 0)
        weights = build.constant("weights in cells", cells.astype(np.uint8))
        tile = nr * _ROWS * _SUM
        sums = build.scratch("sums, column by column", high * wide * tile)
        i, j = np.arange(high, dtype=np.int64)[:, np.newaxis], np.arange(wide, dtype=np.int64)[np.newaxis, :]
        build.call(one, high, wide, f"{_ROWS} x {nr} sums of depth {k}", k=k, a=Pointer(panels.region, i * k * _ROWS),
                   w=Pointer(weights.region, j * k * nr), c=Pointer(sums.region, (i * wide + j) * tile),
                   c_stride=_ROWS * _SUM, accumulate=0, columns=nr)
        r, c = np.meshgrid(np.arange(m, dtype=np.int64), np.arange(n, dtype=np.int64), indexing="ij")
        places = (r // _ROWS * wide + c // nr) * tile + (c % nr * _ROWS + r % _ROWS) * _SUM
        for first, line in enumerate([places.reshape(-1)] if build.output.stride == n * _SUM else places):
            build.gather(CopyRows(Pointer(sums.region), Pointer(build.result, first * build.output.stride), line, _SUM,
                                  0,
                                "sums, row by row"))


def _cells(panels: int, k: int, cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row (or column) and depth of every byte of packed panels: [panels][k / 2][cells][2][4]."""
    panel, pair, cell, depth, lane = np.indices((panels, k // 2, cells, 2, 4)).reshape(5, -1)
    return 4 * (panel * cells + cell) + lane, 2 * pair + depth


class OutputPipeline(UnquantizedOperator):
    """Sums of raw bytes, corrected for offsets, through stages.

    stages                   of `neonsim.quant.requant.output_pipeline`
    columns                  int
    lhs_offset, rhs_offset   minus the zero points, -255..255; with rhs_offset sums have one column more, those of the
                             rows of x
    column_sums              int [n], of each row of w; with lhs_offset
    depth                    int

    >>> from neonsim.quant.requant.output_pipeline import SaturatingCast
    >>> OutputPipeline([SaturatingCast("uint8")], 1, rhs_offset=-2, depth=2)(np.array([[13, 6]], np.int32)).tolist()
    [[1]]
    """

    kind = "output pipeline"
    input_types = (TensorType("int32"),)

    def __init__(self, stages: Sequence[Stage], columns: int, *, lhs_offset: int = 0, rhs_offset: int = 0,
                 column_sums: NDArray[Any] | None = None, depth: int = 0) -> None:
        self.stages, self.columns = tuple(stages), as_int(columns, "columns", 1, 1 << 31)
        self.lhs_offset = as_int(lhs_offset, "lhs_offset", -255, 255)
        self.rhs_offset = as_int(rhs_offset, "rhs_offset", -255, 255)
        self._output_type = TensorType(check_stages(self.stages, self.columns))
        self.fixed = np.full(self.columns, as_int(depth, "depth", 0, 1 << 31) * self.lhs_offset * self.rhs_offset)
        if column_sums is not None:
            if np.shape(column_sums) != (self.columns,):
                raise BadArgument(f"column_sums has one number a column, {self.columns}; got shape "
                                  f"{list(np.shape(column_sums))}.")
            self.fixed = self.fixed + self.lhs_offset * np.asarray(column_sums, np.int64)
        elif self.lhs_offset:
            raise BadArgument("with lhs_offset the sums of the weights are needed: column_sums=.")

    @property
    def output_type(self) -> TensorType:
        """What the last stage gives."""
        return self._output_type

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., n] -> the same, [..., n + 1] -> [..., n] with rhs_offset."""
        wanted = self.columns + (self.rhs_offset != 0)
        if not shapes[0] or shapes[0][-1] != wanted:
            raise BadArgument(f"sums {list(shapes[0])} do not have {wanted} columns"
                              f"{', the last of them the sums of the rows' if self.rhs_offset else ''}.")
        return (*shapes[0][:-1], self.columns)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        sums = values[0].astype(np.int64)
        if self.rhs_offset:
            sums = sums[..., :-1] + self.rhs_offset * sums[..., -1:]
        return pipeline(self.stages, wrap(sums + self.fixed))

    def unsupported_reason(self) -> str | None:
        return "stages of an output pipeline are done by definition; backend='reference' takes them."


def _through_stages(x: NDArray[np.uint8], w: NDArray[np.uint8], stages: Sequence[Stage], lhs_offset: int,
                    rhs_offset: int, backend: str | Backend | None, kernel: str | NamedKernel | None,
                    threads: int = 1) -> tuple[NDArray[Any], Plan]:
    """The result, and the plan that made the sums."""
    finish = OutputPipeline(stages, w.shape[0], lhs_offset=lhs_offset, rhs_offset=rhs_offset,
                            column_sums=w.sum(axis=1, dtype=np.int64), depth=w.shape[1])
    plan = GemmlowpMatmul(w, row_sums=rhs_offset != 0).plan(x.shape, backend=backend, kernel=kernel)
    return finish(plan.run(x, threads=threads), backend="reference"), plan


def fully_connected_by_stages(x: Quantized, w: Quantized, bias: ArrayLike | None, out: Scheme,
                              stages: Sequence[Stage], *, backend: str | Backend | None = None, threads: int = 1,
                              kernel: str | NamedKernel | None = None) -> Quantized:
    """`ops.fully_connected` with `output_stages`: the product, bias, stages. Arguments as there."""
    offset, shape = -scheme_of(x).zero_point, x.values.shape
    if not isinstance(w, Quantized):
        raise BadArgument(f"w must be a Quantized, an array with its scale and zero point; got {type(w).__name__}.")
    rows = x.values.reshape(math.prod(shape[:-1]), shape[-1] if shape else 1)
    weights = _bytes(w.values, "w")
    stages = [*([] if bias is None else [AddBias(bias)]), *stages]
    if (dtype := check_stages(stages, len(weights))) != out.dtype:
        raise BadArgument(f"the stages give {dtype}, out is {out.dtype}: the last stage is a cast to its type.")
    values, plan = _through_stages(_bytes(rows, "x"), weights, stages, offset, -w.zero_point, backend, kernel, threads)
    return out.wrap(values.reshape(*shape[:-1], len(weights)), plan.backend.name, ", ".join(plan.kernels) or "numpy")


def gemm_with_pipeline(x: NDArray[np.uint8], w: NDArray[np.uint8], stages: Sequence[Stage], *, lhs_offset: int = 0,
                       rhs_offset: int = 0, backend: str | Backend | None = None,
                       kernel: str | NamedKernel | None = None) -> NDArray[Any]:
    """(x + lhs_offset) @ (w + rhs_offset).T through an output pipeline, as gemmlowp does it.

    x         uint8 [m, k]
    w         uint8 [n, k]
    stages    of `neonsim.quant.requant.output_pipeline`; bias, if there is one, is the first
    backend   of the product
    ->        [m, n] of the type of the last stage; int32 without a cast

    Raises BadArgument for shapes that do not fit, stages out of order or for other columns, offsets beyond 255.

    >>> from neonsim.quant.requant.output_pipeline import ByFixedPoint, SaturatingCast
    >>> stages = [ByFixedPoint(1 << 30, 1, 128), SaturatingCast("uint8")]
    >>> gemm_with_pipeline(np.array([[5, 1]], np.uint8), np.array([[2, 3]], np.uint8), stages, lhs_offset=-3,
    ...                    backend="reference").tolist()
    [[127]]
    """
    return _through_stages(_bytes(x, "x"), _bytes(w, "w"), stages, lhs_offset, rhs_offset, backend, kernel)[0]
