"""Operators that multiply: fully connected layers and two-dimensional convolutions.

    operator          lowered to                                            weights
    fully_connected   one product [m, k] x [k, n]                           [out, in]
    conv2d 1x1        the image is the matrix, [pixels, channels]           [out, 1, 1, in]
    conv2d            im2col: [pixels, kh*kw*channels], one per group       [out, kh, kw, in/groups]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.backends import Backend, NamedKernel
from neonsim.errors import BadArgument
from neonsim.ops.product import Product, check_operands, run
from neonsim.packing.im2col import conv_shape, im2col
from neonsim.quant.fixedpoint import as_int
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["conv2d", "fully_connected"]


def _rows(matrix: NDArray[Any]) -> NDArray[Any]:
    """The matrix with its last axis contiguous: rows may be apart, the bytes of a row may not."""
    return matrix if matrix.strides[-1] == matrix.itemsize else np.ascontiguousarray(matrix)


def fully_connected(x: Quantized, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme,
                    requantization: str = "q31", output_min: int | None = None, output_max: int | None = None,
                    backend: str | Backend | None = None, threads: int = 1,
                    kernel: str | NamedKernel | None = None) -> Quantized:
    """Multiply every row of x by a weight matrix: y = x @ w.T + bias, in integers.

    acc[i, j] = bias[j] + sum over l of (x[i, l] - x.zero_point) * (w[j, l] - w.zero_point)
    y[i, j]   = clip(round(acc[i, j] * (x.scale * w.scale / out.scale)) + out.zero_point, output_min, output_max)

    x                Quantized [..., k]    uint8 or int8, one scale
    w                Quantized [n, k]      uint8 or int8, one scale or one per row (axis=0)
    bias             int32 [n] or None     in steps of x.scale * w.scale
    out              Scheme                of the result
    requantization   str                   "q31" "precise" "fp32" "rndnu" "gemmlowp": which `round`
    output_min/max   int or None           clamp, in quantised values
    backend          str or None           None: the fastest here that can do it; the result says which in y.backend
    threads          int                   native backend only
    kernel           str, Kernel or None   a micro-kernel by name; None: the backend chooses
    ->               Quantized [..., n]    with .backend and .kernel

    Raises BadArgument for operands that do not fit, naming which and why; BackendError for a backend that is missing
    or cannot do this.
    Source: K03; QNNPACK refuses scales of 1 and more (Z09), and so does q31 here.

    >>> x = Quantized(np.array([[3, 5]], np.uint8), scale=0.5, zero_point=1)
    >>> w = Quantized(np.array([[1, 2], [4, 0]], np.uint8), scale=1.0, zero_point=0)
    >>> y = fully_connected(x, w, np.array([0, -2], np.int32), out=Scheme(1.0, 10), backend="reference")
    >>> y.values.tolist(), y.backend
    ([[15, 13]], 'reference')
    """
    operands = check_operands(x, w, bias, out=out, requantization=requantization, output_min=output_min,
                              output_max=output_max)
    if w.values.ndim != 2 or 0 in w.shape:
        raise BadArgument(f"w of a fully connected layer is [out, in], none of both 0; got shape {list(w.shape)}.")
    if x.values.ndim < 1 or x.shape[-1] != w.shape[1]:
        raise BadArgument(f"x {list(x.shape)} and w {list(w.shape)} do not fit: the last axis of both is the depth, "
                          f"{x.shape[-1] if x.values.ndim else 'none'} in x and {w.shape[1]} in w.")
    everything = slice(0, w.shape[0])
    lhs = _rows(x.values.reshape(int(np.prod(x.shape[:-1])), w.shape[1]))
    product = Product(lhs, w.values, operands.bias, operands.params(everything), everything)
    return run([product], operands, (*x.shape[:-1], w.shape[0]), backend, threads, kernel)


def conv2d(x: Quantized, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme,
           stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Sequence[Sequence[int]] = 0,
           dilation: int | Sequence[int] = 1, groups: int = 1, requantization: str = "q31",
           output_min: int | None = None, output_max: int | None = None, backend: str | Backend | None = None,
           threads: int = 1, kernel: str | NamedKernel | None = None) -> Quantized:
    """Convolve images with a bank of kernels, in integers.

    acc[b, oy, ox, o] = bias[o] + sum over ky, kx, c of (x[b, y, x, g*C + c] - x.zero_point)
                                                      * (w[o, ky, kx, c] - w.zero_point)
    with y = oy*stride + ky*dilation - top, x likewise, and pixels outside the image worth 0;
    then requantised as in fully_connected.

    x                Quantized [batch, height, width, in]         NHWC
    w                Quantized [out, kh, kw, in/groups]           one scale or one per output channel (axis=0)
    bias             int32 [out] or None
    stride           int or (height, width)
    padding          int, (height, width) or ((top, bottom), (left, right))
    dilation         int or (height, width)
    groups           int    input and output channels fall into that many parts that do not see one another
    others           as fully_connected
    ->               Quantized [batch, oh, ow, out]   with .backend and .kernel

    Raises BadArgument for operands that do not fit, naming which and why; BackendError for a backend that is missing
    or cannot do this.
    Source: K01, A06: 1x1 is a matrix product as it stands, the rest by im2col.

    >>> image = Quantized(np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1), scale=1.0, zero_point=0)
    >>> box = Quantized(np.ones((1, 3, 3, 1), np.uint8), scale=1 / 9, zero_point=0)
    >>> conv2d(image, box, out=Scheme(1.0), padding=1, backend="reference").values[0, :, :, 0].tolist()
    [[1, 2, 1], [2, 4, 3], [2, 4, 3]]
    """
    operands = check_operands(x, w, bias, out=out, requantization=requantization, output_min=output_min,
                              output_max=output_max)
    if x.values.ndim != 4:
        raise BadArgument(f"x of a convolution is [batch, height, width, channels]; got shape {list(x.shape)}.")
    if w.values.ndim != 4 or 0 in w.shape:
        raise BadArgument(f"w of a convolution is [out, kh, kw, in/groups], none of them 0; got {list(w.shape)}.")
    parts = as_int(groups, "groups", 1, 1 << 20)
    outputs, kh, kw, depth = w.shape
    if x.shape[3] != parts * depth:
        raise BadArgument(f"x has {x.shape[3]} channels, w {list(w.shape)} with groups={parts} needs "
                          f"{parts} * {depth} = {parts * depth}.")
    if outputs % parts:
        raise BadArgument(f"groups={parts} does not divide the {outputs} output channels of w.")
    shape = conv_shape((x.shape[1], x.shape[2]), (kh, kw), stride=stride, padding=padding, dilation=dilation)
    products = []
    for g in range(parts):
        channels = slice(g * (outputs // parts), (g + 1) * (outputs // parts))
        lhs = _rows(im2col(x.values[..., g * depth:(g + 1) * depth], shape, x.zero_point))
        products.append(Product(lhs, w.values[channels].reshape(outputs // parts, -1), operands.bias[channels],
                                operands.params(channels), channels))
    return run(products, operands, (x.shape[0], *shape.output, outputs), backend, threads, kernel)
