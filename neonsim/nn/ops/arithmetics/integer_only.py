"""Products whose sums stay integers: nothing is scaled, nothing rounded, what leaves limits is cut off.

    class            x                      result             kernels
    IntegerConv2d        images NHWC            int8  -> int32     s8_gemm_s32: SMLAL, four sums a register
    IntegerMatmul     rows [..., in]         int32 -> int64     s32_gemm_s64: SMLAL, two sums a register
                                            int64 -> int64     s64_gemm_s64: halves of x apart
    IntegerMaxPool2d     images NHWC            the same type      none
    IntegerClamp       any shape              the same type      none

Sums wrap: the builder of a chain shows that they need not (`neonsim.nn.graph.quantize.integer_only`).

Source: (F15).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.nn.ops.float32.unquantized import Unquantized
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.wide_gemm import SUMS_OF, WideGemm
from neonsim.nn.ops.product import DenseRows, Product, Windows
from neonsim.nn.ops.windows import PoolWindows
from neonsim.quant.reference.int64_conv import windows
from neonsim.quant.tensor_type import TensorType
from neonsim.ukernel.packing.im2col import Padding, Pair, as_pair

__all__ = ["IntegerClamp", "IntegerConv2d", "IntegerMatmul", "IntegerMaxPool2d"]

Shape = tuple[int, ...]


def _ends(dtype: str, low: int | None, high: int | None) -> tuple[int, int]:
    """Limits within a type; None: its own end, as is one beyond it."""
    info = np.iinfo(dtype)
    least, most = int(info.min), int(info.max)
    ends = (least if low is None else min(max(int(low), least), most),
            most if high is None else min(max(int(high), least), most))
    if ends[0] > ends[1]:
        raise BadArgument(f"limits of integers must be low <= high; got {low} and {high}.")
    return ends


class _Sums(Product, Unquantized):
    """A product with weights.

    x           str     type of the operand: "int8", "int32", "int64"
    w           int8 [out, ...]
    bias        integers [out], within the type of the sums; None: zeros
    low, high   limits of the result; None: there is none
    """

    sum_type, layer_kinds = "int64", ("int64_gemm", "int64_gemm")

    def _check(self, x: str, w: ArrayLike, bias: ArrayLike | None, low: int | None, high: int | None) -> None:
        if x not in SUMS_OF:
            raise BadArgument(f"x of {self.kind} must be {', '.join(SUMS_OF)}; got {x!r}.")
        self.w = np.asarray(w)
        if self.w.dtype != np.int8 or 0 in self.w.shape:
            raise BadArgument(f"w of {self.kind} must be int8, no axis of 0; got {self.w.dtype} "
                              f"{list(self.w.shape)}.")
        self.dtype, sums = x, SUMS_OF[x].sum_type
        self.bias = np.zeros(len(self.w), np.int64) if bias is None else np.asarray(bias)
        if self.bias.shape != self.w.shape[:1] or self.bias.dtype != np.int64:
            raise BadArgument(f"bias of {self.kind} must be int64 [{len(self.w)}], one number a channel; got "
                              f"{self.bias.dtype} {list(self.bias.shape)}.")
        if (self.bias.astype(sums) != self.bias).any():
            raise BadArgument(f"bias of {self.kind} must lie within {sums}, the type of its sums; the largest is "
                              f"{int(np.abs(self.bias).max())}.")
        self.low, self.high = _ends(sums, low, high)
        self._types([TensorType(x)], TensorType(sums))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition; outside images lies 0."""
        return np.asarray(np.clip(self.sums(*values).astype(self.output_type.dtype), self.low, self.high))

    @property
    def product(self) -> WideGemm:
        """What kernels multiply by."""
        return WideGemm.from_weights(self.dtype, self.w, self.bias, self.low, self.high, self.groups)

    def unsupported_reason(self) -> str | None:
        """There are kernels."""
        return None

    def layer_fields(self, *shapes: Shape) -> dict[str, Any]:
        """Products wider than bytes."""
        return self.product.layer_fields(self.dtype, self.output_type.dtype)

    def lower_product(self, build: Builder, lowering: str | None) -> None:
        """A product, of windows copied side by side where an image is no matrix."""
        self.lower_wide(self.product, build, lowering)


class IntegerConv2d(Windows, _Sums):
    """A convolution. w: [out, kh, kw, in / groups].

    >>> one = IntegerConv2d("int32", np.full((1, 1, 1, 2), 100, np.int8), high=7 << 30)
    >>> one(np.full((1, 1, 2, 2), 1 << 25, np.int32), backend="reference").reshape(-1).tolist()
    [6710886400, 6710886400]
    """

    kind = "integer-only convolution"

    def __init__(self, x: str, w: ArrayLike, bias: ArrayLike | None = None, *, low: int | None = None,
                 high: int | None = None, stride: Pair = 1, padding: Padding = 0, dilation: Pair = 1,
                 groups: int = 1) -> None:
        self._check(x, w, bias, low, high)
        self._settle(self.w.shape, groups, stride, padding, dilation)


class IntegerMatmul(DenseRows, _Sums):
    """Rows by a matrix. w: [out, in].

    >>> IntegerMatmul("int8", np.array([[2, -3]], np.int8), low=0)(np.array([[5, 1], [1, 5]], np.int8)).tolist()
    [[7], [0]]
    """

    kind = "integer-only product"

    def __init__(self, x: str, w: ArrayLike, bias: ArrayLike | None = None, *, low: int | None = None,
                 high: int | None = None) -> None:
        self._check(x, w, bias, low, high)
        self._settle(self.w.shape)


class IntegerMaxPool2d(PoolWindows, Unquantized):
    """The largest of windows; outside the image nothing counts.

    >>> IntegerMaxPool2d("int32", 2).reference(np.arange(4, dtype=np.int32).reshape(1, 2, 2, 1)).tolist()
    [[[[3]]]]
    """

    kind = "integer-only maximum"

    def __init__(self, x: str, pool: Pair, *, stride: Pair | None = None, padding: Padding = 0,
                 dilation: Pair = 1) -> None:
        self._settle(as_pair(pool, "pool", 1), stride, padding, dilation)
        self._types([TensorType(x)], TensorType(x))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        shape = self.shape(values[0].shape)
        return np.asarray(np.maximum.reduce(list(windows(
            values[0], shape.kernel, shape.stride, shape.padding, shape.dilation,
            int(np.iinfo(values[0].dtype).min)))))


class IntegerClamp(Unquantized):
    """Limits."""

    kind = "integer-only clamp"

    def __init__(self, x: str, low: int | None = None, high: int | None = None) -> None:
        self.low, self.high = _ends(x, low, high)
        self._types([TensorType(x)], TensorType(x))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.clip(values[0], self.low, self.high))
