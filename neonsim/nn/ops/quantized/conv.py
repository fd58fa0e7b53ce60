"""Convolutions and deconvolutions, and the ways to lower them.

    lowering     what runs                                                when (Z05, A06)
    depthwise    one channel at a time, 9 or 25 taps in one call          groups > 1, one channel in and out of each
    gemm         the image is the matrix [pixels, channels]               1x1, stride 1, no padding
    indirect     a matrix product through a table of pointers             everything else, and every deconvolution
    im2col       pixels copied into a matrix, then a matrix product       never by itself: to compare with

All give the same bytes. `lowering=` asks for one by name.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_conv import lower_convolution, lower_deconvolution, natural_lowering
from neonsim.nn.ops.lowering.per_channel import lower_by_column
from neonsim.nn.ops.lowering.per_channel import supports as by_column_suits
from neonsim.nn.ops.lowering.two_stage import lower_by_sums
from neonsim.nn.ops.lowering.wide_gemm import WideGemm, lower_sums
from neonsim.nn.ops.lowering.winograd import lower_deconvolution_winograd, lower_winograd
from neonsim.nn.ops.lowering.winograd_tiling import is_winograd
from neonsim.nn.ops.operand import scheme_of
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.nn.ops.windows import ConvWindows, window_fields
from neonsim.quant.reference import operators
from neonsim.quant.reference.int64_conv import whole_conv2d
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing import (
    OUTSIDE,
    ConvShape,
    Taps,
    conv_shape,
    deconv_shape,
    deconv_taps,
)
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["Conv2d", "Deconv2d", "conv2d", "deconv2d"]

class Conv2d(ConvWindows, WeightedOperator):
    """A convolution, prepared. Arguments as `conv2d`, with the scheme of x in place of x."""

    kind = "convolution"

    def __init__(self, x: Scheme, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
                 padding: Padding = 0, dilation: Pair = 1, groups: int = 1, requantization: str | None = None,
                 output_min: int | None = None, output_max: int | None = None, scale_rule: str | None = None,
                 scale: ArrayLike | None = None) -> None:
        channels = w.shape[0] if isinstance(w, Quantized) and w.shape else 0
        super().__init__(x, w, bias, out=out, channels_axis=0, channels=channels, requantization=requantization,
                         output_min=output_min, output_max=output_max, scale_rule=scale_rule, scale=scale)
        self._settle(w.shape, groups, stride, padding, dilation)

    def accumulators(self, *values: NDArray[Any]) -> NDArray[Any]:
        shape = self.shape(values[0].shape)
        if self.sixteen is not None:
            return whole_conv2d(values[0], self.w.values, self.bias, stride=shape.stride, padding=shape.padding,
                                dilation=shape.dilation, groups=self.groups)
        return operators.conv2d(values[0], self.w.values, self.bias, x_zero_point=self.schemes[0].zero_point,
                                w_zero_point=self.w.zero_point, stride=shape.stride, padding=shape.padding,
                                dilation=shape.dilation, groups=self.groups)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """A product, or channel by channel."""
        window = window_fields(self.shape(shapes[0]))
        if self.sixteen is not None:
            return NativeLayer("int64_gemm", {**window, **self.wide_product.layer_fields("int16", "int16")})
        return NativeLayer("depthwise" if self.is_depthwise else "conv",
                           {**window, "groups": self.groups, **self.layer_fields()})

    @property
    def wide_product(self) -> WideGemm:
        """Of 16x8."""
        assert self.sixteen is not None
        return WideGemm.sixteen(self.w.values, self.bias, self.sixteen, self.groups)

    # ---- lowering
    def choose_lowering(self, shape: ConvShape) -> tuple[str, str]:
        """(lowering, reason) by QNNPACK's rules.

        >>> x, w = Scheme(1.0), Quantized(np.ones((8, 3, 3, 1), np.uint8), 1.0)
        >>> layer = Conv2d(x, w, out=Scheme(100.0), groups=8)
        >>> layer.choose_lowering(layer.shape((1, 5, 5, 8)))[0]
        'depthwise'
        """
        return natural_lowering(shape, self.groups, self.is_depthwise)

    def lower(self, build: Builder, lowering: str | None = None, **options: Any) -> None:
        """By the lowering that fits, or the one that is asked for."""
        shape = self.shape(build.inputs[0].shape)
        if is_winograd(lowering):
            assert lowering is not None
            lower_winograd(self, build, shape, lowering)
            return
        natural = self.choose_lowering(shape)
        if self.sixteen is not None:
            lower_sums(build, self.wide_product, shape, lowering)
            return
        if self.wide is not None and not self._for_kernels:
            if lowering not in (None, "im2col"):
                raise BackendError("channels with multipliers of their own are lowered by 'im2col' only, a column at a "
                                   f"time; got {lowering!r}.")
            lower_by_column(self, build, shape)
            return
        if self.by_sums is not None:
            lower_by_sums(build, self._tengine_params(), partial(
                lower_convolution, self.by_sums, build, shape, groups=self.groups, natural=natural, lowering=lowering))
            return
        lower_convolution(self.gemm_layer, build, shape, groups=self.groups, natural=natural, lowering=lowering)

    def unsupported_reason(self) -> str | None:
        """Channels may have multipliers of their own."""
        return None if by_column_suits(self) else super().unsupported_reason()

    def details(self) -> list[str]:
        """Geometry and what QNNPACK would call inefficient."""
        lines = [f"window {self.window[0]}x{self.window[1]}, stride {self.stride}, padding {self.padding}, dilation "
                 f"{self.dilation}, groups {self.groups}", *super().details()]
        shape = conv_shape((1 << 30, 1 << 30), self.window, stride=self.stride, padding=self.padding,
                           dilation=self.dilation)
        for axis, name in enumerate(("height", "width")):
            if shape.stride[axis] > self.window[axis]:
                lines.append(f"inefficient: stride {shape.stride[axis]} skips {name} that the window never sees")
            if max(shape.padding[axis]) >= self.window[axis]:
                lines.append(f"inefficient: windows lie wholly in the padding of {name}")
        return lines


class Deconv2d(WeightedOperator):
    """A deconvolution, prepared. Arguments as `deconv2d`, with the scheme of x in place of x."""

    kind = "deconvolution"
    stores_accumulators = False

    def __init__(self, x: Scheme, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
                 padding: Padding = 0, adjustment: Pair = 0, dilation: Pair = 1, groups: int = 1,
                 requantization: str | None = None, output_min: int | None = None, output_max: int | None = None,
                 scale_rule: str | None = None, scale: ArrayLike | None = None) -> None:
        self.groups = as_int(groups, "groups", 1, 1 << 20)
        per_group = w.shape[-1] if isinstance(w, Quantized) and w.shape else 0
        super().__init__(x, w, bias, out=out, channels_axis=3, channels=per_group * self.groups,
                         requantization=requantization, output_min=output_min, output_max=output_max,
                         scale_rule=scale_rule, scale=scale)
        if w.values.ndim != 4 or 0 in w.shape:
            raise BadArgument(f"w of a deconvolution is [in, kh, kw, out/groups], none of them 0; got {list(w.shape)}.")
        if w.axis is not None and self.groups > 1:
            raise BadArgument("w of a deconvolution in groups has one scale: its last axis counts the channels of one "
                              "group only.")
        self.stride, self.padding, self.dilation, self.adjustment = stride, padding, dilation, adjustment
        self.channels, kh, kw, self.per_group = w.shape
        self.window = (kh, kw)
        if self.channels % self.groups:
            raise BadArgument(f"groups={self.groups} does not divide the {self.channels} input channels of w.")
        deconv_shape((1 << 20, 1 << 20), self.window, stride=stride, adjustment=adjustment, dilation=dilation)

    def shape(self, x: tuple[int, ...]) -> ConvShape:
        """Sizes for an image [batch, height, width, channels]."""
        if len(x) != 4:
            raise BadArgument(f"x of a deconvolution is [batch, height, width, channels]; got shape {list(x)}.")
        if x[3] != self.channels:
            raise BadArgument(f"x has {x[3]} channels, w {list(self.w.shape)} needs {self.channels}.")
        if 0 in x[1:3]:
            raise BadArgument(f"x has no pixels: height and width must be at least 1; got {list(x)}.")
        return deconv_shape((x[1], x[2]), self.window, stride=self.stride, padding=self.padding,
                            adjustment=self.adjustment, dilation=self.dilation)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[batch, height, width, in] -> [batch, oh, ow, out]."""
        shape = self.shape(shapes[0])
        return (shapes[0][0], *shape.output, self.per_group * self.groups)

    def between(self, *shapes: tuple[int, ...]) -> int:
        """The result before its padding is cut off."""
        shape = self.shape(shapes[0])
        high, wide = (size + sum(cut) for size, cut in zip(shape.output, shape.padding, strict=True))
        return shapes[0][0] * high * wide * self.per_group * self.groups

    def accumulators(self, *values: NDArray[Any]) -> NDArray[np.int32]:
        """Sums by definition: every input pixel throws its share onto the output."""
        shape = self.shape(values[0].shape)
        adjustment = tuple(
            shape.output[i] - (shape.stride[i] * (shape.input[i] - 1) + (self.window[i] - 1) * shape.dilation[i] + 1
                               - sum(shape.padding[i])) for i in (0, 1))
        return operators.deconv2d(values[0], self.w.values, self.bias, x_zero_point=self.schemes[0].zero_point,
                                  w_zero_point=self.w.zero_point, stride=shape.stride, padding=shape.padding,
                                  adjustment=(adjustment[0], adjustment[1]), dilation=shape.dilation,
                                  groups=self.groups)

    def lower(self, build: Builder, lowering: str | None = None, **options: Any) -> None:
        """Through pointers; taps between the input's pixels point at the zero buffer (K02), or are left out (X44)."""
        shape = self.shape(build.inputs[0].shape)
        if is_winograd(lowering):
            assert lowering is not None
            lower_deconvolution_winograd(self, build, shape, lowering)
            return
        splits = (max(shape.stride) > 1 and shape.dilation == (1, 1)
                  and all(s <= k for s, k in zip(shape.stride, self.window, strict=True)))
        lower_deconvolution(self.gemm_layer, build, deconv_taps(shape), groups=self.groups, stride=shape.stride,
                            splits=splits, lowering=lowering)

    def phase(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Conv2d:
        """The convolution with stride 1 by some of the taps, in this order: what a phase of the result is."""
        values = np.ascontiguousarray(self.w.values[:, rows][:, :, columns].transpose(3, 1, 2, 0))
        w = Quantized(values, self.w.scale, self.w.zero_point, axis=None if self.w.axis is None else 0)
        return Conv2d(self.schemes[0], w, self.bias, out=self.out, requantization=self.requantization,
                      output_min=self.output_min, output_max=self.output_max,
                      scale=None if self.wide is None else self.scale)

    def zero_share(self, x: tuple[int, ...]) -> tuple[int, int]:
        """(taps that read the zero buffer, all taps) of one image: what pointers to zeros cost (D07).

        >>> w = Quantized(np.ones((1, 2, 2, 1), np.uint8), 1.0)
        >>> Deconv2d(Scheme(1.0), w, out=Scheme(100.0), stride=2).zero_share((1, 4, 4, 1))
        (192, 256)
        """
        pixels: NDArray[np.int64] = Taps.pixels(deconv_taps(self.shape(x)))
        return int((pixels == OUTSIDE).sum()), int(pixels.size)

    def details(self) -> list[str]:
        return [f"window {self.window[0]}x{self.window[1]}, stride {self.stride}, padding {self.padding}, adjustment "
                f"{self.adjustment}, dilation {self.dilation}, groups {self.groups}", *super().details()]


def conv2d(x: Quantized, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
           padding: Padding = 0, dilation: Pair = 1, groups: int = 1, requantization: str | None = None,
           output_min: int | None = None, output_max: int | None = None, scale_rule: str | None = None,
           scale: ArrayLike | None = None, backend: str | Backend | None = None, threads: int = 1,
           kernel: str | NamedKernel | None = None, lowering: str | None = None,
           out_array: NDArray[Any] | None = None) -> Quantized:
    """Convolve images with a bank of kernels, in integers.

    acc[b, oy, ox, o] = bias[o] + sum over ky, kx, c of (x[b, y, x, g*C + c] - x.zero_point)
                                                      * (w[o, ky, kx, c] - w.zero_point)
    with y = oy*stride + ky*dilation - top, x likewise, and pixels outside the image worth 0;
    then requantised as in fully_connected.

    x                Quantized [batch, height, width, in]         NHWC; pixels may be apart
    w                Quantized [out, kh, kw, in/groups]           one scale or one per output channel (axis=0)
    bias             int32 [out] or None
    stride           int or (height, width)
    padding          int, (height, width) or ((top, bottom), (left, right))
    dilation         int or (height, width)
    groups           int    input and output channels fall into that many parts that do not see one another
    lowering         str or None   "depthwise" "gemm" "indirect" "im2col"; None: by the rules (Conv2d.choose_lowering);
                                   "winograd-f23": F(2, 3) in integers, the same bytes
                                   (neonsim.nn.ops.lowering.winograd_tiling)
    others           as fully_connected
    ->               Quantized [batch, oh, ow, out]   with .backend and .kernel

    Raises BadArgument for operands that do not fit, naming which and why; BackendError for a backend that is missing
    or cannot do this.
    Source: (K01, Z05, A06).

    >>> image = Quantized(np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1), scale=1.0, zero_point=0)
    >>> box = Quantized(np.ones((1, 3, 3, 1), np.uint8), scale=1 / 9, zero_point=0)
    >>> conv2d(image, box, out=Scheme(1.0), padding=1, backend="reference").values[0, :, :, 0].tolist()
    [[1, 2, 1], [2, 4, 3], [2, 4, 3]]
    """
    operator = Conv2d(scheme_of(x), w, bias, out=out, stride=stride, padding=padding, dilation=dilation, groups=groups,
                      requantization=requantization, output_min=output_min, output_max=output_max,
                      scale_rule=scale_rule, scale=scale)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array, lowering=lowering)


def deconv2d(x: Quantized, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
             padding: Padding = 0, adjustment: Pair = 0, dilation: Pair = 1, groups: int = 1,
             requantization: str | None = None, output_min: int | None = None, output_max: int | None = None,
             scale_rule: str | None = None, scale: ArrayLike | None = None,
             backend: str | Backend | None = None, threads: int = 1,
             kernel: str | NamedKernel | None = None, lowering: str | None = None,
             out_array: NDArray[Any] | None = None) -> Quantized:
    """Deconvolve images (transposed convolution), in integers: every input pixel adds its window to the output.

    output size = stride * (size - 1) + adjustment + (window - 1) * dilation + 1 - padding on both sides

    w                Quantized [in, kh, kw, out/groups]           one scale, or without groups one per channel (axis=3)
    padding          as conv2d: cut off the output
    adjustment       int or (height, width)   rows and columns added at the bottom and right
    lowering         str or None   "indirect", or for the newer kernels "subconvolution": None takes that where the
                                   stride allows (X44); "winograd-f23": every phase by F(2, its taps) (E18); same bytes
    others           as conv2d
    ->               Quantized [batch, oh, ow, out]

    Source: (K02, D07, X44).

    >>> x = Quantized(np.array([[[[1], [2]]]], np.uint8), scale=1.0)
    >>> w = Quantized(np.array([[[[3], [4]]]], np.uint8), scale=0.5)
    >>> deconv2d(x, w, out=Scheme(1.0), stride=2, backend="reference").values.reshape(-1).tolist()
    [2, 2, 3, 4]
    """
    operator = Deconv2d(scheme_of(x), w, bias, out=out, stride=stride, padding=padding, adjustment=adjustment,
                        dilation=dilation, groups=groups, requantization=requantization, output_min=output_min,
                        output_max=output_max, scale_rule=scale_rule, scale=scale)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array, lowering=lowering)
