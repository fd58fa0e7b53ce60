"""Operators on numbers as they are: sums of products that stay sums, and floats around them.

    AccumulatorConv2d, AccumulatorMatmul              int32 sums; the zero point of x may be known at run time only
    Dynamic                                  floats by the range that they have: scale, zero point, uint8 (M36)
    CastToFloat32                                   int32 to float32
    FloatPair                                sums and products in single precision, broadcast

Sums of int8 have kernels and layers of networks where the zero point of x is a constant; the rest is by definition
only, the reference backend does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.ops.lowering.gemm_calls import ZeroPoint
from neonsim.nn.ops.lowering.kernel_families import SUMS, GemmLayer
from neonsim.nn.ops.product import DenseRows, Product, Windows
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.quant.tensor_type import TensorType
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["AccumulatorConv2d", "AccumulatorMatmul", "CastToFloat32", "Dynamic", "FloatPair", "Unquantized"]

Shape = tuple[int, ...]
Floats = NDArray[np.float32]
_FLOAT, _SUMS, _BYTE = TensorType("float32"), TensorType("int32"), TensorType("uint8")


class Unquantized(UnquantizedOperator):
    """Types are given once; there are no kernels."""

    def _types(self, input_types: Sequence[TensorType], output_type: TensorType) -> None:
        self._input_types, self._output_type = tuple(input_types), output_type
        self.names = ("x", "y", "z")[:len(self._input_types)]  # type: ignore[misc]

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        return self._input_types

    @property
    def output_type(self) -> TensorType:
        return self._output_type

    def output_shape(self, *shapes: Shape) -> Shape:
        return shapes[0]

    def unsupported_reason(self) -> str | None:
        return f"there are no kernels for {self.kind} of numbers as they are; backend='reference' takes it."


class _Accumulators(Product, Unquantized):
    """Sums that stay, as int32.

    x            TensorType    uint8 or int8
    w            integers, zero points taken off
    zero_point   int or None   of x; None: an input of its own, one number of the type of x
    """

    w: NDArray[Any]

    def _check(self, x: TensorType, w: NDArray[Any], zero_point: int | None) -> None:
        self.w, self.zero_point = np.asarray(w, np.int16), zero_point
        self.bias = np.zeros(len(self.w), np.int32)
        self._types([x] if zero_point is not None else [x, TensorType(x.dtype)], _SUMS)

    @property
    def weight_bytes(self) -> int:
        """A byte each; zero points are off, so some need a bit more."""
        return int(self.w.size)

    def _one(self, shapes: Sequence[Shape]) -> None:
        if any(np.prod(shape) != 1 for shape in shapes):
            raise BadArgument(f"a zero point that is computed is one number; got shape {list(shapes[0])}.")

    def output_shape(self, *shapes: Shape) -> Shape:
        """That of the first input; the second is one number."""
        self._one(shapes[1:])
        return super().output_shape(*shapes)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        zero = int(values[1].reshape(-1)[0]) if self.zero_point is None else self.zero_point
        return self.sum_up(values[0], self.sum_type, {"x_zero_point": zero, "w_zero_point": 0})

    def unsupported_reason(self) -> str | None:
        """int8 by symmetric weights, with a constant for a zero point."""
        if self.zero_point is None:
            return f"the zero point of this {self.kind} is known at run time only; backend='reference' takes it."
        if self.input_types[0].dtype != "int8" or abs(self.w).max(initial=0) > 127:
            return f"kernels of {self.kind} take int8 by weights of -127 to 127; backend='reference' takes all."
        return None

    @property
    def gemm_layer(self) -> GemmLayer:
        """The zero point of x is folded into what sums begin with."""
        assert self.zero_point is not None
        return GemmLayer(SUMS, self.by_group(self.w).astype(np.int8), self.bias, ZeroPoint(self.zero_point))

    def layer_fields(self, *shapes: Shape) -> dict[str, Any]:
        """Networks know zero points that are constants, and weights of 8 bits."""
        if self.zero_point is None:
            raise BackendError("its zero point is known at run time only")
        w = self.w.astype(np.int8)
        if not np.array_equal(w, self.w):
            raise BackendError("its weights less their zero points do not fit int8")
        return {"weights": w, "rounding": "none", "output_channels": len(w),
                "input_zero_point": self.zero_point + (128 if self.input_types[0].dtype == "int8" else 0)}


class AccumulatorConv2d(Windows, _Accumulators):
    """Sums of a convolution: [out, kh, kw, in/groups].

    x            TensorType        uint8 or int8, NHWC
    w            [out, kh, kw, in/groups] of integers, zero points taken off
    zero_point   int or None       of x; None: an input of its own, one number of the type of x
    """

    kind = "integer convolution"

    def __init__(self, x: TensorType, w: NDArray[Any], zero_point: int | None, *, stride: Pair = 1,
                 padding: Padding = 0, dilation: Pair = 1, groups: int = 1) -> None:
        self._check(x, w, zero_point)
        self._settle(self.w.shape, groups, stride, padding, dilation)


class AccumulatorMatmul(DenseRows, _Accumulators):
    """Sums of rows by a matrix. w: [out, in]; the rest as `AccumulatorConv2d`.

    >>> AccumulatorMatmul(TensorType("int8"), np.array([[2, 3]]), 1).reference(np.array([[5, 1]], np.int8)).tolist()
    [[8]]
    """

    kind = "integer product"

    def __init__(self, x: TensorType, w: NDArray[Any], zero_point: int | None) -> None:
        self._check(x, w, zero_point)
        self._settle(self.w.shape)


class Dynamic(Unquantized):
    """What the range of all elements says, 0 included (M36).

    part   str   "scale": (largest - smallest) / 255, "zero point": rint(-smallest / scale), or "quantization", the
                 integers: clip(rint(x / scale) + zero_point, 0, 255)
    """

    def __init__(self, part: str) -> None:
        self.part, self.kind = part, f"dynamic {part}"  # type: ignore[misc]
        self._types([_FLOAT], _FLOAT if part == "scale" else _BYTE)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[...] -> [...], or one number."""
        return shapes[0] if self.part == "quantization" else (1,)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition. Raises BadArgument for what is not finite."""
        x = values[0]
        if not np.isfinite(x).all():
            raise BadArgument(f"{self.kind} takes finite numbers.")
        low, high = min(np.float32(0), x.min()), max(np.float32(0), x.max())
        scale = np.float32(1) if low == high else np.float32((high - low) / np.float32(255))
        zero = np.clip(np.rint(np.float32(0) - low / scale), 0, 255)
        found = {"scale": [scale], "zero point": [zero]}.get(self.part)
        return np.asarray(np.clip(np.rint(x / scale) + zero, 0, 255) if found is None else found).astype(
            self.output_type.dtype)


class CastToFloat32(Unquantized):
    """int32 to float32, to the nearest."""

    kind = "cast"

    def __init__(self) -> None:
        self._types([_SUMS], _FLOAT)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return values[0].astype(np.float32)


class FloatPair(Unquantized):
    """A sum or a product of two arrays in single precision, broadcast.

    word   str   "addition" or "multiplication"
    """

    def __init__(self, word: str) -> None:
        self.function = {"addition": np.add, "multiplication": np.multiply}[word]
        self.kind = f"real {word}"  # type: ignore[misc]
        self._types([_FLOAT, _FLOAT], _FLOAT)

    def output_shape(self, *shapes: Shape) -> Shape:
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            raise BadArgument(f"{' and '.join(str(list(s)) for s in shapes)} do not broadcast.") from None

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.function(values[0], values[1], dtype=np.float32))
