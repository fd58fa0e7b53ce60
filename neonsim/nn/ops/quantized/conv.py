"""Convolutions and deconvolutions, and the ways to lower them.

    lowering     what runs                                                when (Z05, A06)
    depthwise    one channel at a time, 9 or 25 taps in one call          groups > 1, one channel in and out of each
    gemm         the image is the matrix [pixels, channels]               1x1, stride 1, no padding
    indirect     a matrix product through a table of pointers             everything else, and every deconvolution
    im2col       pixels copied into a matrix, then a matrix product       never by itself: to compare with

All give the same bytes. `lowering=` asks for one by name.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.winograd import lower_deconvolution_winograd, lower_winograd
from neonsim.nn.ops.lowering.winograd_tiling import is_winograd
from neonsim.nn.ops.operand import scheme_of
from neonsim.nn.ops.product import TransposedWindows, Windows
from neonsim.nn.ops.quantized.weighted import FinishOptions, WeightedOperator
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["Conv2d", "Deconv2d", "conv2d", "deconv2d"]

class Conv2d(Windows, WeightedOperator):
    """A convolution, prepared. Arguments as `conv2d`, with the scheme of x in place of x.

    >>> x, w = Scheme(1.0), Quantized(np.ones((8, 3, 3, 1), np.uint8), 1.0)
    >>> layer = Conv2d(x, w, out=Scheme(100.0), groups=8)
    >>> layer.choose_lowering(layer.shape((1, 5, 5, 8)))[0]
    'depthwise'
    """

    kind, product_kind = "convolution", "windows"

    def __init__(self, x: Scheme, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
                 padding: Padding = 0, dilation: Pair = 1, groups: int = 1, **options: Unpack[FinishOptions]) -> None:
        self._quantize(x, w, bias, out, **options)
        self._settle(w.shape, groups, stride, padding, dilation)

    def lower_product(self, build: Builder, lowering: str | None) -> None:
        """By the kernels of its finish, or by Winograd's algorithm."""
        if lowering is None or not is_winograd(lowering):
            super().lower_product(build, lowering)
        else:
            lower_winograd(self, build, self.shape(build.inputs[0].shape), lowering)


class Deconv2d(TransposedWindows, WeightedOperator):
    """A deconvolution, prepared. Arguments as `deconv2d`, with the scheme of x in place of x.

    >>> w = Quantized(np.ones((1, 2, 2, 1), np.uint8), 1.0)
    >>> Deconv2d(Scheme(1.0), w, out=Scheme(100.0), stride=2).zero_share((1, 4, 4, 1))
    (192, 256)
    """

    kind, product_kind = "deconvolution", "transposed windows"

    def __init__(self, x: Scheme, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme, stride: Pair = 1,
                 padding: Padding = 0, adjustment: Pair = 0, dilation: Pair = 1, groups: int = 1,
                 **options: Unpack[FinishOptions]) -> None:
        self.groups = as_int(groups, "groups", 1, 1 << 20)
        self._quantize(x, w, bias, out, **options)
        self._settle(w.shape, self.groups, stride, padding, dilation, adjustment)
        if w.axis is not None and self.groups > 1:
            raise BadArgument("w of a deconvolution in groups has one scale: its last axis counts the channels of one "
                              "group only.")

    def lower_product(self, build: Builder, lowering: str | None) -> None:
        """By the kernels of its finish, or every phase by Winograd's algorithm."""
        if lowering is None or not is_winograd(lowering):
            super().lower_product(build, lowering)
        else:
            lower_deconvolution_winograd(self, build, self.shape(build.inputs[0].shape), lowering)

    def phase(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Conv2d:
        """The convolution with stride 1 by some of the taps, in this order: what a phase of the result is."""
        values = np.ascontiguousarray(self.w.values[:, rows][:, :, columns].transpose(3, 1, 2, 0))
        w = Quantized(values, self.w.scale, self.w.zero_point, axis=None if self.w.axis is None else 0)
        return Conv2d(self.schemes[0], w, self.bias, out=self.out, requantization=self.requantization,
                      output_min=self.output_min, output_max=self.output_max, scale=self.given_scale)


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
