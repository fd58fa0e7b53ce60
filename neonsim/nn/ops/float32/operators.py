"""Operators on float32: the networks that quantisation starts from.

    class               does                                                 formula in neonsim.quant.float32
    Float32Conv2d          images NHWC by kernels [out, kh, kw, in/groups]      convolution
    Float32FullyConnected  x [..., in] by weights [out, in]                     product
    BatchNorm           gain and offset for each channel                     batch_norm
    Float32Add             sum of two arrays of one shape
    Float32Clamp           limits: ReLU is 0 and up, ReLU6 from 0 to 6          clamp
    Float32LeakyRelu       negative values times a slope                        leaky_relu
    Float32MaxPool2d       largest of windows                                   max_pool
    Float32AvgPool2d       mean of windows, pixels outside not counted          average_pool
    Float32GlobalAvgPool   mean of whole images                                 average_pool
    Float32Softmax         shares of exponentials                               softmax

Convolutions, products and sums cut off what leaves their limits `low` and `high`, as an activation does that is part of
them. Kernels of float32 do all (`nn.ops.float32.lowering`), networks of the native backend have layers of each: the
bits are those of the definitions, where kernels of AArch32 meet no subnormal numbers (they take those for zeros) and
no kernel a NaN.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.node_operator import NodeOperator
from neonsim.nn.ops.float32.lowering import (
    lower_average,
    lower_channels,
    lower_global_average,
    lower_largest,
)
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.elementwise import call_elements, call_rows_of
from neonsim.nn.ops.lowering.kernel_families import FLOAT32, GemmLayer
from neonsim.nn.ops.product import DenseRows, Product, Windows
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.nn.ops.windows import PoolWindows, image_fields, window_fields
from neonsim.quant import float32
from neonsim.quant.params.float32 import FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.quant.tensor_type import TensorType
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["BatchNorm", "Float32Add", "Float32AvgPool2d", "Float32Clamp", "Float32Conv2d", "Float32FullyConnected",
           "Float32GlobalAvgPool", "Float32LeakyRelu", "Float32MaxPool2d", "Float32Operator", "Float32Softmax",
           "checked_limits", "real_constants"]

Reals = NDArray[np.float32]
Shape = tuple[int, ...]
_FLOAT = TensorType("float32")
TASK = 1024     # elements


def real_constants(values: ArrayLike, name: str, ndim: int) -> Reals:
    """Constants of an operator, finite and in single precision."""
    try:
        given = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise BadArgument(f"{name} must be an array of floating-point values; got {type(values).__name__}.") from None
    with np.errstate(over="ignore"):
        found = np.ascontiguousarray(given, np.float32)
    if found.ndim != ndim or 0 in found.shape:
        raise BadArgument(f"{name} must have {ndim} axes, with all sizes at least 1; got shape {list(found.shape)}.")
    if not np.isfinite(found).all():
        where = [int(one) for one in np.argwhere(~np.isfinite(found))[0]]
        raise BadArgument(f"{name} must be finite in float32; at {where} it is {given[tuple(where)]!s}.")
    found.flags.writeable = False
    return found


def checked_limits(low: float, high: float) -> tuple[float, float]:
    if not float(low) < float(high):
        raise BadArgument(f"the limits of a result must be low < high; got {low!r} and {high!r}.")
    return float(low) + 0.0, float(high) + 0.0   # -0 becomes +0


def _limited(one: Float32Operator, low: float, high: float, make: Callable[[float, float], NodeOperator]
             ) -> NodeOperator | None:
    """An operator within its limits and others; None for limits that exclude each other."""
    ends = max(one.low, low), min(one.high, high)
    return make(*ends) if ends[0] < ends[1] else None


class Float32Operator(UnquantizedOperator):
    """An operator on float32 with a float32 result, cut off at its limits."""

    low, high = -np.inf, np.inf
    output_type = _FLOAT
    layer: ClassVar[str]        # of networks
    number = 0.0                # what that counts with beside its limits

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        return (_FLOAT,) * len(self.names)

    def output_shape(self, *shapes: Shape) -> Shape:
        if not shapes[0] or 0 in shapes[0]:
            raise BadArgument(f"{self.names[0]} of {self.kind} needs at least one element; got shape "
                              f"{list(shapes[0])}.")
        return shapes[0]

    @abstractmethod
    def before_limits(self, *values: Reals) -> Reals:
        """What is cut off."""

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return float32.clamp(self.before_limits(*values), self.low, self.high)

    def float32_fields(self, x: Shape, outputs: int) -> dict[str, Any]:
        """Of a layer of networks of the C library, for an input of that shape and n channels."""
        return {"input_channels": x[-1], "output_channels": outputs,
                "scale": np.array([self.low, self.high, self.number], np.float32)}

    def more_fields(self, x: Shape) -> dict[str, Any]:
        """What this layer has beside."""
        return {}

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """One of float32."""
        x = shapes[0]
        return NativeLayer(self.layer, {**self.float32_fields(x, x[-1]), **self.more_fields(x)})

    @property
    def limits(self) -> FloatParams:
        """As kernels read them."""
        return FloatParams(self.low, self.high)


class _Weighted(Product, Float32Operator):
    """With weights and a bias.

    w      float32 [out, ...]
    bias   float32 [out]
    """

    sum_type, layer_kinds = "float32", ("f32_conv", "f32_depthwise")
    w: Reals

    def _check(self, w: ArrayLike, bias: ArrayLike | None, low: float, high: float, ndim: int) -> None:
        self.w = real_constants(w, f"w of {self.kind}", ndim)
        outputs = self.w.shape[0]
        self.bias = real_constants(np.zeros(outputs) if bias is None else bias, f"bias of {self.kind}", 1)
        if self.bias.shape != (outputs,):
            raise BadArgument(f"bias of {self.kind} has {self.bias.size} numbers for {outputs} channels.")
        self.low, self.high = checked_limits(low, high)

    def before_limits(self, *values: Reals) -> Reals:
        """Chains over the window, or the channels of a row."""
        return self.sums(*values)

    @abstractmethod
    def rebuilt(self, w: ArrayLike, bias: ArrayLike, low: float, high: float) -> Float32Operator:
        """The same by other weights, bias and limits."""

    def within(self, low: float, high: float) -> NodeOperator | None:
        return _limited(self, low, high, lambda *ends: self.rebuilt(self.w, self.bias, *ends))

    @property
    def gemm_layer(self) -> GemmLayer:
        """As kernels take it."""
        return GemmLayer(FLOAT32, self.by_group(self.w), self.bias, self.limits)

    def layer_fields(self, *shapes: Shape) -> dict[str, Any]:
        """Weights, bias and limits."""
        return {**self.float32_fields(shapes[0], len(self.w)), "weights": self.w, "bias": self.bias}


class Float32Conv2d(Windows, _Weighted):
    """A convolution of float32.

    w         [out, kh, kw, in / groups]
    bias      [out]; None: zeros
    low, high   limits of the result

    Raises BadArgument for shapes that no convolution has and weights that are not finite.

    >>> Float32Conv2d(np.ones((1, 2, 2, 1)), high=6.0)(np.ones((1, 2, 2, 1), np.float32)).tolist()
    [[[[4.0]]]]
    """

    kind, product_kind = "convolution", "windows"
    depthwise_taps = tuple(FLOAT32.dwconv)

    def __init__(self, w: ArrayLike, bias: ArrayLike | None = None, *, stride: Pair = 1, padding: Padding = 0,
                 dilation: Pair = 1, groups: int = 1, low: float = -np.inf, high: float = np.inf) -> None:
        self._check(w, bias, low, high, 4)
        self._settle(self.w.shape, groups, stride, padding, dilation)

    def rebuilt(self, w: ArrayLike, bias: ArrayLike, low: float, high: float) -> Float32Conv2d:
        return Float32Conv2d(w, bias, stride=self.stride, padding=self.padding, dilation=self.dilation,
                             groups=self.groups, low=low, high=high)


class Float32FullyConnected(DenseRows, _Weighted):
    """A product of float32 with weights.

    w      [out, in]
    bias   [out]; None: zeros
    """

    kind, product_kind = "fully connected", "rows"

    def __init__(self, w: ArrayLike, bias: ArrayLike | None = None, *, low: float = -np.inf,
                 high: float = np.inf) -> None:
        self._check(w, bias, low, high, 2)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., in] -> [..., out]."""
        Float32Operator.output_shape(self, *shapes)     # no empty ones
        return super().output_shape(*shapes)

    def rebuilt(self, w: ArrayLike, bias: ArrayLike, low: float, high: float) -> Float32FullyConnected:
        return Float32FullyConnected(w, bias, low=low, high=high)


class BatchNorm(Float32Operator):
    """Batch normalisation at run time: gain * x + offset for each channel, rounded once.

    >>> norm = BatchNorm.from_statistics(mean=[1.0], variance=[4.0], gamma=[2.0], beta=[0.5], epsilon=0.0)
    >>> norm(np.full((1, 1), 3.0, np.float32)).tolist()
    [[2.5]]
    """

    kind, layer = "batch normalisation", "f32_batch_norm"

    def __init__(self, gain: ArrayLike, offset: ArrayLike) -> None:
        self.gain, self.offset = real_constants(gain, "gain", 1), real_constants(offset, "offset", 1)
        if self.gain.shape != self.offset.shape:
            raise BadArgument(f"gain and offset have one number a channel; got {self.gain.size} and "
                              f"{self.offset.size}.")

    @classmethod
    def from_statistics(cls, mean: ArrayLike, variance: ArrayLike, gamma: ArrayLike, beta: ArrayLike,
                        epsilon: float = 1e-3) -> BatchNorm:
        """From what training keeps: gamma * (x - mean) / sqrt(variance + epsilon) + beta, in float64 until here."""
        spread = np.asarray(variance, np.float64) + epsilon
        if not (spread > 0).all():
            raise BadArgument("variance + epsilon of batch normalisation must be above 0 in every channel.")
        gain = np.asarray(gamma, np.float64) / np.sqrt(spread)
        return cls(gain, np.asarray(beta, np.float64) - np.asarray(mean, np.float64) * gain)

    def fold_into(self, product: Any) -> NodeOperator | None:
        """w * gain and bias * gain + offset, computed in float64 and rounded once; not behind limits."""
        if not product.product_kind or np.isfinite([product.low, product.high]).any():
            return None
        gain = self.gain.astype(np.float64)
        w = product.w.astype(np.float64) * gain.reshape(-1, *[1] * (product.w.ndim - 1))
        made: Float32Operator = product.rebuilt(w, product.bias.astype(np.float64) * gain + self.offset, self.low,
                                                self.high)
        return made

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., channels] -> the same."""
        x = super().output_shape(*shapes)
        if x[-1] != self.gain.size:
            raise BadArgument(f"x has {x[-1]} channels; this normalises {self.gain.size}.")
        return x

    def before_limits(self, *values: Reals) -> Reals:
        """For each channel."""
        return float32.batch_norm(values[0], self.gain, self.offset)

    def lower(self, build: Builder, **options: Any) -> None:
        """All pixels in one call."""
        lower_channels(build, self.gain, self.offset, self.limits)

    def more_fields(self, x: Shape) -> dict[str, Any]:
        return {"weights": self.gain, "bias": self.offset}


class _Elementwise(Float32Operator):
    """Element by element, by one kernel."""

    contract: ClassVar[str]

    @property
    def params(self) -> FloatParams | FloatSlopeParams:
        """Of the kernel."""
        return self.limits

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 4096 bytes where all pixels touch, else a pixel a call."""
        call_elements(build, self.contract, "the only one", self.params, TASK)


class Float32Add(_Elementwise):
    """The sum of two arrays of one shape."""

    kind, layer, contract = "addition", "f32_add", "f32_vadd"
    names = ("a", "b")

    def __init__(self, *, low: float = -np.inf, high: float = np.inf) -> None:
        self.low, self.high = checked_limits(low, high)

    def output_shape(self, *shapes: Shape) -> Shape:
        """One shape, twice -> the same."""
        if shapes[0] != shapes[1]:
            raise BadArgument(f"a and b must have one shape; got {list(shapes[0])} and {list(shapes[1])}.")
        return super().output_shape(*shapes)

    def within(self, low: float, high: float) -> NodeOperator | None:
        return _limited(self, low, high, lambda *ends: Float32Add(low=ends[0], high=ends[1]))

    def before_limits(self, *values: Reals) -> Reals:
        """Rounded once."""
        with np.errstate(over="ignore", invalid="ignore"):
            return values[0] + values[1]


class Float32Clamp(_Elementwise):
    """Limits. ReLU is Float32Clamp(0), ReLU6 Float32Clamp(0, 6)."""

    kind, layer, contract, selects = "clamp", "f32_clamp", "f32_clamp", True

    def __init__(self, low: float = -np.inf, high: float = np.inf) -> None:
        self.low, self.high = checked_limits(low, high)

    def fuse_into(self, before: NodeOperator) -> NodeOperator | None:
        return before.within(self.low, self.high)

    def before_limits(self, *values: Reals) -> Reals:
        """As it is."""
        return values[0]


class Float32LeakyRelu(_Elementwise):
    """Negative values times a slope."""

    kind, layer, contract = "leaky ReLU", "f32_leaky_relu", "f32_vlrelu"

    def __init__(self, slope: float) -> None:
        if not np.isfinite(slope):
            raise BadArgument(f"slope must be a finite number; got {slope!r}.")
        self.slope = self.number = float(np.float32(slope))

    def before_limits(self, *values: Reals) -> Reals:
        """Rounded once."""
        return float32.leaky_relu(values[0], self.slope)

    @property
    def params(self) -> FloatSlopeParams:
        return FloatSlopeParams(self.slope)


class _Pool(PoolWindows, Float32Operator):
    """Over windows of an image.

    pool      height and width of the window
    stride    None: the window
    """

    def __init__(self, pool: Pair, *, stride: Pair | None = None, padding: Padding = 0, dilation: Pair = 1,
                 low: float = -np.inf, high: float = np.inf) -> None:
        self._settle(pool, stride, padding, dilation, inside=True)
        self.low, self.high = checked_limits(low, high)

    def more_fields(self, x: Shape) -> dict[str, Any]:
        return window_fields(self.shape(x))


class Float32MaxPool2d(_Pool):
    """Largest of windows."""

    kind, layer, selects = "max pooling", "f32_max_pool", True

    def before_limits(self, *values: Reals) -> Reals:
        shape = self.shape(values[0].shape)
        return float32.max_pool(values[0], self.pool, stride=shape.stride, padding=shape.padding,
                                dilation=shape.dilation)

    def lower(self, build: Builder, **options: Any) -> None:
        """One output row a call."""
        lower_largest(build, self.shape(build.inputs[0].shape), self.limits)


class Float32AvgPool2d(_Pool):
    """Mean of windows; pixels outside are not counted."""

    kind, layer, mean_of = "average pooling", "f32_average_pool", "windows"

    def __init__(self, pool: Pair, *, stride: Pair | None = None, padding: Padding = 0, low: float = -np.inf,
                 high: float = np.inf) -> None:
        super().__init__(pool, stride=stride, padding=padding, low=low, high=high)

    def before_limits(self, *values: Reals) -> Reals:
        """Sum times the reciprocal of the count."""
        shape = self.shape(values[0].shape)
        return float32.average_pool(values[0], self.pool, stride=shape.stride, padding=shape.padding)

    def lower(self, build: Builder, **options: Any) -> None:
        """One row of a part of the result a call."""
        lower_average(build, self.shape(build.inputs[0].shape), self.low, self.high)


class Float32GlobalAvgPool(Float32Operator):
    """Mean of whole images: [batch, height, width, channels] -> [batch, channels]."""

    kind, layer, mean_of = "global average pooling", "f32_average_pool", "image"

    def output_shape(self, *shapes: Shape) -> Shape:
        """[batch, height, width, channels] -> [batch, channels]."""
        if len(shapes[0]) != 4 or 0 in shapes[0]:
            raise BadArgument(f"x of {self.kind} must be [batch, height, width, channels], with all sizes at least 1; "
                              f"got {list(shapes[0])}.")
        return shapes[0][0], shapes[0][3]

    def before_limits(self, *values: Reals) -> Reals:
        """The window is the image."""
        x = values[0]
        return float32.average_pool(x, (x.shape[1], x.shape[2])).reshape(self.output_shape(x.shape))

    def more_fields(self, x: Shape) -> dict[str, Any]:
        """One window, the whole image."""
        return image_fields(*x[:3])

    def lower(self, build: Builder, **options: Any) -> None:
        """One image a call."""
        lower_global_average(build, self.low, self.high)


class Float32Softmax(Float32Operator):
    """Shares of exponentials along the last axis."""

    kind, layer, shares = "softmax", "f32_softmax", True

    def __init__(self, beta: float = 1.0) -> None:
        if not (np.isfinite(beta) and beta > 0):
            raise BadArgument(f"beta must be a positive number; got {beta!r}.")
        self.beta = self.number = float(np.float32(beta))

    def before_limits(self, *values: Reals) -> Reals:
        return float32.softmax(values[0], self.beta)

    def lower(self, build: Builder, **options: Any) -> None:
        """A row a call."""
        call_rows_of(build, "f32_softmax", "exponentials by a polynomial, added up in order",
                     FloatShareParams(self.beta))
