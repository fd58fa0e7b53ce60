"""Products wider than bytes as kernel calls, by the contracts `wide_gemm`: 16x8, and sums kept whole.

                 columns: output channels, NR at a time
    group 0   +----+----+--+
      tiles   |    |    |  |       A call computes a tile. Its block of weights [kc, NR] is filled up with zeros, its
              |    |    |  |       numbers [rows, NR] (bias; multiplier and shift, or limits) with those of a channel.
              +----+----+--+
    group 1   | ...

1x1 convolutions without stride or padding, and fully connected layers, read the image as it lies; for all others its
windows are copied side by side first (im2col).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.nn.backends import Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_calls import Grouped, ZeroPoint, call_rows
from neonsim.nn.ops.windows import copy_windows
from neonsim.quant.requant.int16x8 import Int16x8Params
from neonsim.ukernel.packing import ConvShape

__all__ = ["SUMS_OF", "AccumulatorSpec", "WideGemm", "lower_wide_gemm"]


class AccumulatorSpec(NamedTuple):
    """Sums that are kept: their type, and the contract."""

    sum_type: str
    contract: str


SUMS_OF = {"int8": AccumulatorSpec("int32", "s8_gemm_s32"), "int32": AccumulatorSpec("int64", "s32_gemm_s64"),
           "int64": AccumulatorSpec("int64", "s64_gemm_s64")}


@dataclass(frozen=True, eq=False)
class WideGemm:
    """What kernels of these contracts multiply by.

    contract   str                name
    w          int8 [out, k]      rows of a group next to each other; k: taps, then channels
    numbers    [rows, out]        what stands in q, of the type of the sums
    groups     int
    more       {argument: int}    that calls have besides
    """

    contract: str
    w: NDArray[np.int8]
    numbers: NDArray[Any]
    groups: int
    more: dict[str, int]

    @classmethod
    def sixteen(cls, w: NDArray[np.int8], bias: NDArray[np.int64], params: Int16x8Params,
                groups: int = 1) -> WideGemm:
        """Of 16x8."""
        rows = [np.broadcast_to(one, bias.shape) for one in (bias, params.reduced.multiplier, -params.reduced.shift)]
        return cls("qs16_qc8w_gemm_s64", w.reshape(len(bias), -1), np.stack(rows).astype(np.int64), groups,
                   {"output_min": params.output_min, "output_max": params.output_max})

    @classmethod
    def from_weights(cls, x: str, w: NDArray[np.int8], bias: NDArray[np.int64], low: int, high: int,
              groups: int = 1) -> WideGemm:
        """Of sums that are kept; x: type of the operand; bias and limits within that of the sums."""
        rows = [bias, np.full(len(w), low, np.int64), np.full(len(w), high, np.int64)]
        return cls(SUMS_OF[x].contract, w.reshape(len(w), -1), np.stack(rows).astype(SUMS_OF[x].sum_type), groups, {})

    def layer_fields(self, x: str, out: str) -> dict[str, Any]:
        """Fields of a layer of networks: sizes of the elements, weights, and numbers of every channel.

        x, out   types of operand and result
        """
        sixteen = "output_min" in self.more
        ends = [np.full(len(self.w), self.more[name]) for name in self.more] if sixteen else list(self.numbers[1:])
        scaling = list(self.numbers[1:]) if sixteen else [np.zeros(len(self.w), np.int64)] * 2
        numbers = np.stack([self.numbers[0], *scaling, *ends]).astype(np.int64)
        return {"weights": self.w, "bias": numbers, "rounding": "up", "multiplier": np.dtype(x).itemsize,
                "second_multiplier": np.dtype(out).itemsize, "groups": self.groups}

    def packed(self, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int]:
        """(weights [groups, blocks, k, columns], numbers [groups, blocks, rows, columns], blocks), as bytes.

        columns that belong to no channel have weights of 0, and the numbers of a channel that there is: no shift is
        out of range
        """
        n, k = len(self.w) // self.groups, self.w.shape[1]
        blocks = -(-n // columns)
        channel = np.arange(blocks * columns)
        own = np.minimum(channel, n - 1) + n * np.arange(self.groups)[:, np.newaxis]
        w = np.where((channel < n)[np.newaxis, :, np.newaxis], self.w[own], 0).astype(np.int8)
        w = w.reshape(self.groups, blocks, columns, k).transpose(0, 1, 3, 2)
        numbers = self.numbers[:, own].reshape(-1, self.groups, blocks, columns).transpose(1, 2, 0, 3)
        return (np.ascontiguousarray(w).view(np.uint8).reshape(-1), np.ascontiguousarray(numbers).reshape(-1).view(
            np.uint8), blocks)


def lower_wide_gemm(build: Builder, product: WideGemm, shape: ConvShape | None = None,
               lowering: str | None = None) -> None:
    """Every tile of the product; shape: of a convolution, None for rows.

    Raises BackendError for a lowering other than gemm and im2col, and where no kernel is there.
    """
    plain = shape is None or shape.is_pointwise
    if lowering not in (None, "gemm" if plain else "im2col"):
        raise BackendError(f"{product.contract} must be lowered by 'gemm' where the image is the matrix, else by "
                           f"'im2col'; got {lowering!r}.")
    build.requested_contract(product.contract)
    reason = "rows of the left operand as they lie" if plain else "windows copied side by side, then a product"
    one = build.choose(product.contract, reason)
    x, depth = build.inputs[0], build.inputs[0].channels // product.groups
    if plain:
        where: dict[str, Any] = {"source": Pointer(x.name), "m": x.pixels, "a_stride": x.stride, "group_bytes": depth}
    else:
        assert shape is not None
        matrix, row = copy_windows(build, shape, groups=product.groups, depth=depth, outside=0)
        m = build.output.pixels
        where = {"source": matrix, "m": m, "a_stride": row, "group_bytes": m * row}
    weights, q, blocks = product.packed(one.nr)
    k, block_bytes = product.w.shape[1], product.w.shape[1] * one.nr
    packed = Grouped(build.constant("weights", weights), blocks * block_bytes, block_bytes,
                     len(product.w) // product.groups, product.groups,
                     {"q": (build.constant("numbers", q), len(product.numbers) * one.nr * product.numbers.itemsize)})
    call_rows(build, one, packed, ZeroPoint(0), k=k, **{**where, **product.more})
