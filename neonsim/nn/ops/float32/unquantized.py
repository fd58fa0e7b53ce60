"""Operators on numbers as they are: sums of products that stay sums, and real numbers around them.

    AccumulatorConv2d, AccumulatorMatmul              int32 sums; the zero point of x may be known at run time only
    DynamicScale, DynamicZero, DynamicValues real numbers by the range that they have: scale, zero point, uint8 (M36)
    CastToFloat32                                   int32 to float32
    FloatAdd, FloatMultiply                  in single precision, broadcast

Sums of int8 have kernels and layers of networks where the zero point of x is a constant; the rest is by definition
only, the reference backend does it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_calls import ZeroPoint
from neonsim.nn.ops.lowering.gemm_conv import lower_convolution, lower_matrix, natural_lowering
from neonsim.nn.ops.lowering.kernel_families import SUMS, GemmLayer
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.nn.ops.windows import image_shape, window_fields
from neonsim.quant.reference import operators
from neonsim.quant.tensor_type import TensorType

__all__ = ["AccumulatorConv2d", "AccumulatorMatmul", "CastToFloat32", "DynamicScale", "DynamicValues", "DynamicZero",
           "FloatAdd", "FloatMultiply", "Unquantized", "rows_by"]

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


class AccumulatorConv2d(Unquantized):
    """Sums of a convolution, as int32.

    x            TensorType        uint8 or int8, NHWC
    w            [out, kh, kw, in/groups] of integers, zero points taken off
    zero_point   int or None       of x; None: an input of its own, one number of the type of x
    """

    kind = "integer convolution"

    def __init__(self, x: TensorType, w: NDArray[Any], zero_point: int | None, *, groups: int = 1,
                 **window: Any) -> None:
        self.w, self.zero_point, self.groups, self.window = np.asarray(w, np.int16), zero_point, groups, window
        self._types([x] if zero_point is not None else [x, TensorType(x.dtype)], _SUMS)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[batch, height, width, in] -> [batch, oh, ow, out]."""
        _one(shapes[1:])
        found = image_shape(shapes[0], self.w.shape, self.groups, **self.window)
        return (shapes[0][0], *found.output, self.w.shape[0])

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        zero = int(values[1].reshape(-1)[0]) if self.zero_point is None else self.zero_point
        shape = image_shape(values[0].shape, self.w.shape, self.groups, **self.window)
        return operators.conv2d(values[0], self.w, np.zeros(self.w.shape[0], np.int32), x_zero_point=zero,
                                w_zero_point=0, stride=shape.stride, padding=shape.padding, dilation=shape.dilation,
                                groups=self.groups)

    @property
    def is_depthwise(self) -> bool:
        """Groups of one channel in and one out."""
        return self.groups > 1 and self.w.shape[0] == self.groups and self.w.shape[3] == 1

    def unsupported_reason(self) -> str | None:
        """int8 by symmetric weights, with a constant for a zero point."""
        return _without_kernels(self)

    def lower(self, build: Builder, lowering: str | None = None, **options: Any) -> None:
        """As any convolution; the zero point of x is folded into what sums begin with."""
        shape = image_shape(build.inputs[0].shape, self.w.shape, self.groups, **self.window)
        lower_convolution(_product_of(self), build, shape, groups=self.groups, lowering=lowering,
                          natural=natural_lowering(shape, self.groups, self.is_depthwise))

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """A product, or channel by channel, whose sums stay."""
        shape = image_shape(shapes[0], self.w.shape, self.groups, **self.window)
        return NativeLayer("depthwise" if self.is_depthwise else "conv",
                           {**window_fields(shape), "groups": self.groups, **_sums_fields(self)})


class AccumulatorMatmul(Unquantized):
    """Sums of rows by a matrix, as int32. w: [out, in]; the rest as `AccumulatorConv2d`.

    >>> AccumulatorMatmul(TensorType("int8"), np.array([[2, 3]]), 1).reference(np.array([[5, 1]], np.int8)).tolist()
    [[8]]
    """

    kind = "integer product"

    def __init__(self, x: TensorType, w: NDArray[Any], zero_point: int | None) -> None:
        self.w, self.zero_point = np.asarray(w, np.int16), zero_point
        self._types([x] if zero_point is not None else [x, TensorType(x.dtype)], _SUMS)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., in] -> [..., out]."""
        _one(shapes[1:])
        return rows_by(shapes[0], self.w.shape)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition: pixels of a 1x1 convolution."""
        zero = int(values[1].reshape(-1)[0]) if self.zero_point is None else self.zero_point
        rows = values[0].reshape(-1, 1, 1, values[0].shape[-1])
        sums = operators.conv2d(rows, self.w[:, np.newaxis, np.newaxis], np.zeros(self.w.shape[0], np.int32),
                                x_zero_point=zero, w_zero_point=0)
        return sums.reshape(*values[0].shape[:-1], self.w.shape[0])

    def unsupported_reason(self) -> str | None:
        """int8 by symmetric weights, with a constant for a zero point."""
        return _without_kernels(self)

    def lower(self, build: Builder, **options: Any) -> None:
        lower_matrix(_product_of(self), build)

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """A 1x1 convolution of rows."""
        return NativeLayer("conv", _sums_fields(self))


def _product_of(operator: AccumulatorConv2d | AccumulatorMatmul) -> GemmLayer:
    assert operator.zero_point is not None
    return GemmLayer(SUMS, operator.w.astype(np.int8), np.zeros(operator.w.shape[0], np.int32),
                     ZeroPoint(operator.zero_point))


def _without_kernels(operator: AccumulatorConv2d | AccumulatorMatmul) -> str | None:
    """Why kernels cannot do it."""
    if operator.zero_point is None:
        return f"the zero point of this {operator.kind} is known at run time only; backend='reference' takes it."
    if operator.input_types[0].dtype != "int8" or abs(operator.w).max(initial=0) > 127:
        return (f"kernels of {operator.kind} take int8 by weights of -127 to 127; backend='reference' takes all.")
    return None


def _sums_fields(operator: AccumulatorConv2d | AccumulatorMatmul) -> dict[str, Any]:
    """Of a layer whose sums stay. Networks know zero points that are constants, and weights of 8 bits."""
    zero, dtype = operator.zero_point, operator.input_types[0].dtype
    if zero is None:
        raise BackendError("its zero point is known at run time only")
    w = operator.w.astype(np.int8)
    if not np.array_equal(w, operator.w):
        raise BackendError("its weights less their zero points do not fit int8")
    return {"weights": w, "rounding": "none", "input_zero_point": zero + (128 if dtype == "int8" else 0),
            "output_channels": w.shape[0]}


def rows_by(x: Shape, w: Shape) -> Shape:
    """Rows [..., in] by a matrix [out, in] -> [..., out]. Raises BadArgument where they do not fit."""
    if not x or x[-1] != w[1]:
        raise BadArgument(f"x {list(x)} and w {list(w)} do not fit: the last axis of both is the depth.")
    return (*x[:-1], w[0])


def _one(shapes: Sequence[Shape]) -> None:
    if any(np.prod(shape) != 1 for shape in shapes):
        raise BadArgument(f"a zero point that is computed is one number; got shape {list(shapes[0])}.")


class _Dynamic(Unquantized):
    """What the range of all elements says, 0 included."""

    def _scheme(self, x: Floats) -> tuple[np.float32, int]:
        """Scale and zero point. Raises BadArgument for what is not finite."""
        if not np.isfinite(x).all():
            raise BadArgument(f"{self.kind} takes finite numbers.")
        low, high = min(np.float32(0), x.min()), max(np.float32(0), x.max())
        scale = np.float32(1) if low == high else np.float32((high - low) / np.float32(255))
        return scale, int(np.clip(np.rint(np.float32(0) - low / scale), 0, 255))


class DynamicScale(_Dynamic):
    """The scale: (largest - smallest) / 255."""

    kind = "dynamic scale"

    def __init__(self) -> None:
        self._types([_FLOAT], _FLOAT)

    def output_shape(self, *shapes: Shape) -> Shape:
        """One number."""
        return (1,)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.array([self._scheme(values[0])[0]], np.float32)


class DynamicZero(_Dynamic):
    """The zero point: rint(-smallest / scale)."""

    kind = "dynamic zero point"

    def __init__(self) -> None:
        self._types([_FLOAT], _BYTE)

    def output_shape(self, *shapes: Shape) -> Shape:
        """One number."""
        return (1,)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.array([self._scheme(values[0])[1]], np.uint8)


class DynamicValues(_Dynamic):
    """The integers: clip(rint(x / scale) + zero_point, 0, 255)."""

    kind = "dynamic quantization"

    def __init__(self) -> None:
        self._types([_FLOAT], _BYTE)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        scale, zero = self._scheme(values[0])
        return np.asarray(np.clip(np.rint(values[0] / scale) + zero, 0, 255).astype(np.uint8))


class CastToFloat32(Unquantized):
    """int32 to float32, to the nearest."""

    kind = "cast"

    def __init__(self) -> None:
        self._types([_SUMS], _FLOAT)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return values[0].astype(np.float32)


class _Broadcast(Unquantized):
    """Two arrays, broadcast."""

    def __init__(self) -> None:
        self._types([_FLOAT, _FLOAT], _FLOAT)

    def output_shape(self, *shapes: Shape) -> Shape:
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            raise BadArgument(f"{' and '.join(str(list(s)) for s in shapes)} do not broadcast.") from None

    @abstractmethod
    def _do(self, a: Floats, b: Floats) -> Floats:
        """In single precision."""

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._do(values[0], values[1])


class FloatAdd(_Broadcast):
    """a + b."""

    kind = "real addition"

    def _do(self, a: Floats, b: Floats) -> Floats:
        return np.add(a, b, dtype=np.float32)


class FloatMultiply(_Broadcast):
    """a * b."""

    kind = "real multiplication"

    def _do(self, a: Floats, b: Floats) -> Floats:
        return np.multiply(a, b, dtype=np.float32)
