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
from neonsim.nn.backends import Backend, NamedKernel, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_conv import lower_convolution, lower_deconvolution
from neonsim.nn.ops.lowering.gemm_tiles import call_depthwise, call_gemm, call_indirect, concatenated
from neonsim.nn.ops.lowering.kernel_families import SUMS
from neonsim.nn.ops.lowering.kernel_selection import dual_issue_depth
from neonsim.nn.ops.lowering.per_channel import lower_by_column
from neonsim.nn.ops.lowering.per_channel import supports as by_column_suits
from neonsim.nn.ops.lowering.two_stage import lower_by_sums
from neonsim.nn.ops.lowering.wide_gemm import WideGemm, lower_sums
from neonsim.nn.ops.lowering.winograd import lower_deconvolution_winograd, lower_winograd
from neonsim.nn.ops.lowering.winograd_tiling import is_winograd
from neonsim.nn.ops.operand import scheme_of
from neonsim.nn.ops.quantized.linear import pack_for, row_sums
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.nn.ops.windows import ConvWindows, copy_windows, window_fields
from neonsim.quant.reference import operators
from neonsim.quant.reference.int64_conv import whole_conv2d
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing import (
    OUTSIDE,
    ConvShape,
    Taps,
    conv_shape,
    conv_taps,
    deconv_shape,
    deconv_taps,
    pack_conv,
    pack_deconv,
)
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["LOWERINGS", "Conv2d", "Deconv2d", "conv2d", "deconv2d", "natural_lowering"]

LOWERINGS = ("depthwise", "gemm", "indirect", "im2col")


def natural_lowering(shape: ConvShape, groups: int, is_depthwise: bool) -> tuple[str, str]:
    """(lowering, reason) by QNNPACK's rules."""
    taps = shape.kernel[0] * shape.kernel[1]
    if is_depthwise and taps in (9, 25):
        return "depthwise", f"{groups} groups of one channel each and {taps} taps: each channel by itself"
    if shape.is_plain:
        return "gemm", "1x1, stride 1, no padding: the image is the left-hand matrix as it lies"
    why = f"{taps} taps are neither 9 nor 25" if is_depthwise else \
        "1x1 with a stride or padding skips pixels" if taps == 1 else f"a window of {taps} taps"
    return "indirect", f"{why}: a matrix product through pointers, no copied matrix"


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
        natural, reason = self.choose_lowering(shape)
        if lowering is not None and lowering not in LOWERINGS:
            raise BadArgument(f"lowering is one of {', '.join(LOWERINGS)}, or winograd-fNK; got {lowering!r}.")
        if self.sixteen is not None:
            lower_sums(build, self.wide_product, shape, lowering)
            return
        if self.wide is not None and not self._for_kernels:
            if lowering not in (None, "im2col"):
                raise BackendError("channels with multipliers of their own are lowered by 'im2col' only, a column at a "
                                   f"time; got {lowering!r}.")
            lower_by_column(self, build, shape)
            return
        if self.contract_set is not None:
            lower_convolution(self, self.contract_set, build, shape, groups=self.groups, natural=(natural, reason),
                              lowering=lowering)
            return
        sums = self.by_sums
        if sums is not None:
            lower_by_sums(build, self._tengine_params(), partial(
                lower_convolution, sums, SUMS, build, shape, groups=self.groups, natural=(natural, reason),
                lowering=lowering))
            return
        by_kernel = {"qu8_gemm_q31": "gemm" if shape.is_plain else "im2col",
                     "qu8_gemm_xzp_q31": "gemm" if shape.is_plain else "im2col", "qu8_conv_q31": "indirect",
                     "qu8_dwconv_q31": "depthwise", "qu8_dwconv_mp_q31": "depthwise"}
        kept = build.requested_contract(*by_kernel)
        chosen = lowering or (by_kernel[kept] if kept else natural)
        if chosen != natural:
            reason = f"lowering {chosen!r} was asked for; by itself it would be {natural!r}"
        if chosen == "gemm" and not shape.is_plain:
            raise BackendError("lowering 'gemm' takes a 1x1 window, stride 1 and no padding; take 'indirect' or "
                               "'im2col'.")
        {"gemm": self._product, "im2col": self._product, "indirect": self._indirect,
         "depthwise": self._depthwise}[chosen](build, shape, reason, chosen)

    def unsupported_reason(self) -> str | None:
        """Channels may have multipliers of their own."""
        return None if by_column_suits(self) else super().unsupported_reason()

    def _weights(self) -> list[NDArray[Any]]:
        return list(self.w.values.reshape(self.groups, -1, *self.w.values.shape[1:]))

    def _biases(self) -> list[NDArray[np.int32]]:
        return list(self.bias.reshape(self.groups, -1))

    def _product(self, build: Builder, shape: ConvShape, reason: str, lowering: str) -> None:
        x, params = build.inputs[0], self.q31
        contract = build.requested_contract("qu8_gemm_q31", "qu8_gemm_xzp_q31") or self._gemm_contract(build, lowering)
        if contract == "qu8_gemm_xzp_q31" and build.kernel is None:
            reason += (f"; {build.backend.core} gains from the kernel of raw bytes from depth "
                       f"{dual_issue_depth(build.backend.core)} on")
        one = build.choose(contract, reason, nr=None if build.kernel else 8)
        sums = row_sums(build, one)
        weights = concatenated(build, [pack_for(one, w.reshape(w.shape[0], -1), b, params)
                                       for w, b in zip(self._weights(), self._biases(), strict=True)])
        if lowering == "gemm":
            call_gemm(build, one, weights, params, source=Pointer(x.name), m=x.pixels, k=self.depth,
                      a_stride=x.stride, group_bytes=self.depth, row_sums=sums)
            return
        m = build.output.pixels
        matrix, k = copy_windows(build, shape, groups=self.groups, depth=self.depth, outside=self.schemes[0].zero_point)
        call_gemm(build, one, weights, params, source=matrix, m=m, k=k, a_stride=k, group_bytes=m * k,
                  row_sums=sums)

    def _gemm_contract(self, build: Builder, lowering: str) -> str:
        threshold = dual_issue_depth(build.backend.core)
        deep = lowering == "gemm" and threshold is not None and self.depth >= threshold
        return "qu8_gemm_xzp_q31" if deep and build.find("qu8_gemm_xzp_q31") else "qu8_gemm_q31"

    def _indirect(self, build: Builder, shape: ConvShape, reason: str, lowering: str) -> None:
        one = build.choose("qu8_conv_q31", reason, nr=None if build.kernel else 8)
        zero_points = {"a_zero_point": self.q31.a_zero_point, "w_zero_point": self.q31.w_zero_point}
        weights = concatenated(build, [pack_conv(w, b, nr=one.nr, kr=one.kr, **zero_points)
                                       for w, b in zip(self._weights(), self._biases(), strict=True)])
        call_indirect(build, one, weights, self.q31, taps=conv_taps(shape), batch=build.inputs[0].shape[0],
                      channels=self.depth)

    def _depthwise(self, build: Builder, shape: ConvShape, reason: str, lowering: str) -> None:
        taps = self.window[0] * self.window[1]
        if self.depth != 1 or self.outputs != self.groups or taps not in (9, 25):
            raise BackendError(f"lowering 'depthwise' takes groups of one channel in and one out, and 9 or 25 taps; "
                               f"this has {self.depth} in, {self.outputs // self.groups} out and {taps} taps.")
        asked = build.requested_contract("qu8_dwconv_q31", "qu8_dwconv_mp_q31")
        one = build.choose(asked or ("qu8_dwconv_q31" if taps == 9 else "qu8_dwconv_mp_q31"), reason, nr=taps)
        # Neighbours share columns of taps only where those lie next to each other (P08).
        step = shape.stride[1] if shape.dilation[1] == 1 else self.window[1]
        call_depthwise(build, one, self.w.values.reshape(self.groups, *self.window), self.bias, self.q31,
                       taps=conv_taps(shape), batch=build.inputs[0].shape[0], step=step)

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
        if self.contract_set is not None:
            splits = (max(shape.stride) > 1 and shape.dilation == (1, 1)
                      and all(s <= k for s, k in zip(shape.stride, self.window, strict=True)))
            lower_deconvolution(self, self.contract_set, build, deconv_taps(shape), groups=self.groups,
                                stride=shape.stride, splits=splits, lowering=lowering)
            return
        if lowering not in (None, "indirect"):
            raise BackendError(f"lowering {lowering!r} of a deconvolution is there for the newer kernels, "
                               "requantization 'rndnu' or 'fp32'; those of Q31 go through pointers ('indirect').")
        build.requested_contract("qu8_conv_q31")
        one = build.choose("qu8_conv_q31", "a deconvolution always goes through pointers; taps between pixels read the "
                           "zero buffer", nr=None if build.kernel else 8)
        zero_points = {"a_zero_point": self.q31.a_zero_point, "w_zero_point": self.q31.w_zero_point}
        biases = np.split(self.bias, self.groups)
        packed = [pack_deconv(w, b, nr=one.nr, kr=one.kr, **zero_points)
                  for w, b in zip(np.split(self.w.values, self.groups), biases, strict=True)]
        call_indirect(build, one, concatenated(build, packed), self.q31, taps=deconv_taps(shape),
                      batch=build.inputs[0].shape[0], channels=self.channels // self.groups)

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
