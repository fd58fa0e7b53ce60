"""Products with weights, whatever their numbers are: where the terms of a sum come from, and what is made of the sums.

    geometry            a sum is over                              weights                     bases of
    Windows             the window of an image                     [out, kh, kw, in/groups]    convolutions
    TransposedWindows   the windows that reach a pixel             [in, kh, kw, out/groups]    deconvolutions
    DenseRows           a row, a window of one tap                 [out, in]                   fully connected layers

A kind of product says what becomes of its sums: quantised ones by a row of `finishes`, those of float32 by
limits, sums that stay by nothing. An operator is a geometry and a kind: `class Conv2d(Windows, QuantizedProduct)`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_conv import lower_convolution, lower_deconvolution, lower_matrix, natural_lowering
from neonsim.nn.ops.lowering.kernel_families import GemmLayer
from neonsim.nn.ops.lowering.wide_gemm import WideGemm, lower_wide_gemm
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.windows import window_fields
from neonsim.quant import float32
from neonsim.quant.reference import operators
from neonsim.quant.reference.int64_conv import integer_conv2d
from neonsim.quant.tensor_type import elements
from neonsim.ukernel.packing import OUTSIDE, ConvShape, Taps, conv_shape, conv_taps, deconv_shape, deconv_taps
from neonsim.ukernel.packing.im2col import Padding, Pair, as_pair

__all__ = ["DenseRows", "Product", "TransposedWindows", "Windows", "check_kernels", "image_shape"]

Shape = tuple[int, ...]
_LARGE = (1 << 30, 1 << 30)     # an image large enough for any window, so that a wrong window is refused early
# How sums are defined, by their type.
_SUMS: dict[str, Callable[..., NDArray[Any]]] = {
    "int32": operators.conv2d, "int64": integer_conv2d, "float32": float32.convolution}


def _check_image(x: Shape, channels: int, kind: str, needs: str) -> None:
    if len(x) != 4:
        raise BadArgument(f"x of a {kind} must be [batch, height, width, channels]; got shape {list(x)}.")
    if x[3] != channels:
        raise BadArgument(f"x has {x[3]} channels, {needs}.")
    if 0 in x[1:3]:
        raise BadArgument(f"x has no pixels: height and width must be at least 1; got {list(x)}.")


def image_shape(x: Shape, w: Shape, groups: int, *, stride: Pair, padding: Padding, dilation: Pair) -> ConvShape:
    """Sizes for an image [batch, height, width, channels] and weights [out, kh, kw, in / groups].

    Raises BadArgument where they do not fit each other.
    """
    _check_image(x, groups * w[3], "convolution", f"w {list(w)} with groups={groups} needs {groups} * {w[3]} = "
                 f"{groups * w[3]}")
    return conv_shape((x[1], x[2]), (w[1], w[2]), stride=stride, padding=padding, dilation=dilation)


def check_kernels(w: Shape, groups: int) -> int:
    """Refuse shapes of weights that no convolution has; the number of groups.

    Raises BadArgument.
    """
    if len(w) != 4 or 0 in w:
        raise BadArgument(f"w of a convolution must be [out, kh, kw, in/groups], with all sizes at least 1; got "
                          f"{list(w)}.")
    count = as_int(groups, "groups", 1, 1 << 20)
    if w[0] % count:
        raise BadArgument(f"groups={count} does not divide the {w[0]} output channels of w.")
    return count


class Product(Operator):
    """An operator with weights.

    w      numbers, or a Quantized     laid out as the geometry says
    bias   [out]                       of the type of the sums
    """

    sum_type: ClassVar[str] = "int32"
    layer_kinds: ClassVar[tuple[str, str]] = ("conv", "depthwise")  # of networks: dense, and channel by channel
    axis: ClassVar[int] = 0                                         # of w, that of output channels
    groups = 1
    is_depthwise = False
    copies_windows: ClassVar[bool] = False          # side by side: a column of a product can be taken by itself
    stores_accumulators: ClassVar[bool] = True      # kernels of products that leave sums do its products
    divides: ClassVar[bool] = True                  # by the output's scale, after the product: Tengine's reference
    w: Any
    bias: NDArray[Any]

    # ---- the geometry
    @abstractmethod
    def sum_up(self, x: NDArray[Any], sum_type: str, zero_points: Mapping[str, int]) -> NDArray[Any]:
        """Sums of products and bias, of a type, by definition."""

    @abstractmethod
    def by_group(self, w: NDArray[Any]) -> NDArray[Any]:
        """Numbers that lie as weights do, as [groups, out / groups, kh, kw, in / groups]."""

    @abstractmethod
    def taps(self, x: Shape) -> Taps:
        """Which pixels each pixel of the result reads, of images as of `as_images`."""

    def as_images(self, x: NDArray[Any]) -> NDArray[Any]:
        """The input as images [batch, height, width, channels]."""
        return x

    @abstractmethod
    def lower_gemm(self, layer: GemmLayer, build: Builder, lowering: str | None) -> None:
        """By kernels of a family."""

    def lower_wide(self, product: WideGemm, build: Builder, lowering: str | None) -> None:
        """By kernels of products wider than bytes."""
        lower_wide_gemm(build, product, None, lowering)

    @property
    def weights(self) -> NDArray[Any]:
        """The numbers of w."""
        return elements(self.w)

    def geometry(self) -> list[str]:
        """Lines for readers: what is special about the windows."""
        return []

    def macs(self, *shapes: Shape) -> int:
        """One for each weight of a result."""
        return math.prod(self.output_shape(*shapes)) * int(self.weights[0].size)

    @property
    def weight_bytes(self) -> int:
        """Without its bias."""
        return int(self.weights.nbytes)

    # ---- the kind
    def sums(self, *values: NDArray[Any]) -> NDArray[Any]:
        """What becomes the result."""
        return self.sum_up(values[0], self.sum_type, {})

    def lower_product(self, build: Builder, lowering: str | None) -> None:
        """As kernel calls, by a lowering that is asked for, or the one that fits."""
        self.lower_gemm(self.gemm_layer, build, lowering)

    @property
    def gemm_layer(self) -> GemmLayer:
        """As kernels of a family take it."""
        raise AssertionError(self.unsupported_reason())

    @abstractmethod
    def layer_fields(self, *shapes: Shape) -> dict[str, Any]:
        """Weights, bias, rounding and limits of a layer of the C library's networks.

        Raises BackendError for what they do not have.
        """


class _Layered(Product):
    """A product of a geometry that networks of the C library have."""

    @abstractmethod
    def window_fields(self, x: Shape) -> dict[str, Any]:
        """The geometry as fields of a layer."""

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """A product, or channel by channel; rows are pixels of a 1x1 convolution."""
        return NativeLayer(self.layer_kinds[self.is_depthwise],
                           {**self.window_fields(shapes[0]), **self.layer_fields(*shapes)})


class DenseRows(_Layered):
    """Every row of x [..., in] by weights [out, in]."""

    divides = False

    def _settle(self, w: Shape) -> None:
        if len(w) != 2 or 0 in w:
            raise BadArgument(f"w of a {self.kind} layer must be [out, in], with all sizes at least 1; got shape "
                              f"{list(w)}.")

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., in] -> [..., out]."""
        x, w = shapes[0], self.weights.shape
        if not x or x[-1] != w[1]:
            raise BadArgument(f"x {list(x)} and w {list(w)} do not match: the last axis of both must be the depth, "
                              f"{x[-1] if x else 'none'} in x and {w[1]} in w.")
        return (*x[:-1], w[0])

    def sum_up(self, x: NDArray[Any], sum_type: str, zero_points: Mapping[str, int]) -> NDArray[Any]:
        sums = _SUMS[sum_type](self.as_images(x), self.by_group(self.weights)[0], self.bias, **zero_points)
        return sums.reshape(*x.shape[:-1], len(self.weights))

    def as_images(self, x: NDArray[Any]) -> NDArray[Any]:
        """Of one pixel each."""
        return x.reshape(-1, 1, 1, x.shape[-1])

    def by_group(self, w: NDArray[Any]) -> NDArray[Any]:
        return w[np.newaxis, :, np.newaxis, np.newaxis]

    def taps(self, x: Shape) -> Taps:
        one = np.zeros((1, 1), np.int64)
        return Taps((1, 1), one, one)

    def window_fields(self, x: Shape) -> dict[str, Any]:
        """A window of one tap."""
        return {}

    def lower_gemm(self, layer: GemmLayer, build: Builder, lowering: str | None) -> None:
        """Rows are the batch (K03)."""
        lower_matrix(layer, build)

    def lower(self, build: Builder, **options: Any) -> None:
        """One matrix product."""
        self.lower_product(build, None)


class _Windowed(Product):
    """Windows of images.

    outputs, window              channels of the result, (kh, kw)
    stride, padding, dilation    as they were given
    """

    outputs: int
    window: tuple[int, int]

    @abstractmethod
    def shape(self, x: Shape) -> ConvShape:
        """Sizes for an image [batch, height, width, channels]."""

    def output_shape(self, *shapes: Shape) -> Shape:
        """[batch, height, width, in] -> [batch, oh, ow, out]."""
        found = self.shape(shapes[0])
        return (shapes[0][0], *found.output, self.outputs)

    def lower(self, build: Builder, lowering: str | None = None, **options: Any) -> None:
        """By the lowering that fits, or the one that is asked for."""
        self.lower_product(build, lowering)

    def _place(self, stride: Pair, padding: Padding, dilation: Pair) -> None:
        self.stride, self.padding, self.dilation = stride, padding, dilation

    def geometry(self) -> list[str]:
        """A line for readers."""
        return [f"window {self.window[0]}x{self.window[1]}, stride {self.stride}, padding {self.padding}, "
                f"{self._more()}dilation {self.dilation}, groups {self.groups}"]

    def _more(self) -> str:
        return ""


class Windows(_Windowed, _Layered):
    """Windows that are multiplied by weights [out, kh, kw, in / groups]; depth: in / groups."""

    copies_windows = True

    @property
    def form(self) -> str:
        """Depthwise and pointwise convolutions are told apart."""
        window = "x".join(map(str, self.window))
        if not self.product_kind:
            return self.kind
        if self.groups > 1:
            return f"{'depthwise' if self.is_depthwise else 'grouped'} {window}"
        return f"conv {window}"

    depthwise_taps: ClassVar[tuple[int, ...]] = (9, 25)     # of windows that have kernels for a channel by itself

    def _settle(self, w: Shape, groups: int, stride: Pair, padding: Padding, dilation: Pair) -> None:
        """Settle everything but the size of the image. Raises BadArgument for what no convolution has."""
        self.groups = check_kernels(w, groups)
        self._place(stride, padding, dilation)
        self.outputs, kh, kw, self.depth = w
        self.window = (kh, kw)
        self._last: tuple[Shape, ConvShape] = (
            (-1,), conv_shape(_LARGE, self.window, stride=stride, padding=padding, dilation=dilation))

    @property
    def is_depthwise(self) -> bool:  # type: ignore[override]
        """Groups of one channel in and one out."""
        return self.groups > 1 and self.depth == 1 and self.outputs == self.groups

    def shape(self, x: Shape) -> ConvShape:
        # Planning asks for those of one image several times.
        known, found = self._last
        if known != x:
            found = image_shape(x, (self.outputs, *self.window, self.depth), self.groups, stride=self.stride,
                                padding=self.padding, dilation=self.dilation)
            self._last = tuple(x), found
        return found

    def sum_up(self, x: NDArray[Any], sum_type: str, zero_points: Mapping[str, int]) -> NDArray[Any]:
        """Outside the image nothing is added."""
        shape = self.shape(x.shape)
        return _SUMS[sum_type](x, self.weights, self.bias, stride=shape.stride, padding=shape.padding,
                               dilation=shape.dilation, groups=self.groups, **zero_points)

    def by_group(self, w: NDArray[Any]) -> NDArray[Any]:
        return w.reshape(self.groups, -1, *w.shape[1:])

    def taps(self, x: Shape) -> Taps:
        return conv_taps(self.shape(x))

    def window_fields(self, x: Shape) -> dict[str, Any]:
        """Size, stride, dilation, padding, groups."""
        return {**window_fields(self.shape(x)), "groups": self.groups}

    def choose_lowering(self, shape: ConvShape) -> tuple[str, str]:
        """(lowering, reason) by QNNPACK's rules."""
        return natural_lowering(shape, self.groups, self.is_depthwise, self.depthwise_taps)

    def lower_gemm(self, layer: GemmLayer, build: Builder, lowering: str | None) -> None:
        """Directly, through pointers, copied, or channel by channel."""
        shape = self.shape(build.inputs[0].shape)
        lower_convolution(layer, build, shape, natural=self.choose_lowering(shape), lowering=lowering)

    def lower_wide(self, product: WideGemm, build: Builder, lowering: str | None) -> None:
        """Directly, or copied."""
        lower_wide_gemm(build, product, self.shape(build.inputs[0].shape), lowering)

    def geometry(self) -> list[str]:
        """What QNNPACK would call inefficient, too."""
        lines, shape = super().geometry(), self._last[1]
        for axis, name in enumerate(("height", "width")):
            if shape.stride[axis] > self.window[axis]:
                lines.append(f"inefficient: stride {shape.stride[axis]} skips {name} that the window never sees")
            if max(shape.padding[axis]) >= self.window[axis]:
                lines.append(f"inefficient: windows lie wholly in the padding of {name}")
        return lines


class TransposedWindows(_Windowed):
    """Every pixel of an image adds its window to the result, by weights [in, kh, kw, out / groups].

    channels, per_group   in, out / groups
    adjustment            as it was given
    """

    axis = 3
    stores_accumulators = False

    def _settle(self, w: Shape, groups: int, stride: Pair, padding: Padding, dilation: Pair, adjustment: Pair) -> None:
        """Settle everything but the size of the image. Raises BadArgument for what no deconvolution has."""
        if len(w) != 4 or 0 in w:
            raise BadArgument(f"w of a deconvolution must be [in, kh, kw, out/groups], with all sizes at least 1; got "
                              f"{list(w)}.")
        self.groups, self.adjustment = groups, adjustment
        self._place(stride, padding, dilation)
        self.channels, kh, kw, self.per_group = w
        self.window, self.outputs = (kh, kw), self.per_group * groups
        if self.channels % groups:
            raise BadArgument(f"groups={groups} does not divide the {self.channels} input channels of w.")
        deconv_shape((1 << 20, 1 << 20), self.window, stride=stride, adjustment=adjustment, dilation=dilation)

    def shape(self, x: Shape) -> ConvShape:
        _check_image(x, self.channels, "deconvolution", f"w {list(self.weights.shape)} needs {self.channels}")
        return deconv_shape((x[1], x[2]), self.window, stride=self.stride, padding=self.padding,
                            adjustment=self.adjustment, dilation=self.dilation)

    def macs(self, *shapes: Shape) -> int:
        """One for each weight of a pixel's window."""
        return math.prod(shapes[0]) * math.prod(self.window) * self.per_group

    def between(self, *shapes: Shape) -> int:
        """The result before its padding is cut off."""
        shape = self.shape(shapes[0])
        high, wide = (size + sum(cut) for size, cut in zip(shape.output, shape.padding, strict=True))
        return shapes[0][0] * high * wide * self.outputs

    def sum_up(self, x: NDArray[Any], sum_type: str, zero_points: Mapping[str, int]) -> NDArray[Any]:
        """Every input pixel throws its share onto the output."""
        shape = self.shape(x.shape)
        return operators.deconv2d(x, self.weights, self.bias, stride=shape.stride, padding=shape.padding,
                                  adjustment=as_pair(self.adjustment, "adjustment", 0), dilation=shape.dilation,
                                  groups=self.groups, **zero_points)

    def lower_gemm(self, layer: GemmLayer, build: Builder, lowering: str | None) -> None:
        """Through pointers; taps between the input's pixels point at the zero buffer (K02), or are left out (X44)."""
        shape = self.shape(build.inputs[0].shape)
        splits = (max(shape.stride) > 1 and shape.dilation == (1, 1)
                  and all(s <= k for s, k in zip(shape.stride, self.window, strict=True)))
        lower_deconvolution(layer, build, deconv_taps(shape), stride=shape.stride, splits=splits, lowering=lowering)

    def by_group(self, w: NDArray[Any]) -> NDArray[Any]:
        return w.reshape(self.groups, -1, *w.shape[1:]).transpose(0, 4, 2, 3, 1)

    def taps(self, x: Shape) -> Taps:
        return deconv_taps(self.shape(x))

    def _more(self) -> str:
        return f"adjustment {self.adjustment}, "

    def zero_share(self, x: Shape) -> tuple[int, int]:
        """(taps that read the zero buffer, all taps) of one image: what pointers to zeros cost (D07)."""
        pixels: NDArray[np.int64] = Taps.pixels(self.taps(x))
        return int((pixels == OUTSIDE).sum()), int(pixels.size)
