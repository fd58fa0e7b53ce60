"""Sums of 64 bits of products with int8 weights, by definition: what 16x8 and integers from layer to layer need.

All arithmetic is modulo 2**64, as machines do it; `neonsim.quant.reference.operators` has the sums of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["convolved", "integer_conv2d", "windows"]

Int64 = NDArray[np.int64]
Size = tuple[int, int]
Padding = tuple[Size, Size]


def windows(x: NDArray[Any], kernel: Size, stride: Size, padding: Padding = ((0, 0), (0, 0)), dilation: Size = (1, 1),
            outside: float = 0) -> Iterator[NDArray[Any]]:
    """The image [batch, height, width, channels] as each tap of the window sees it, row of taps after row: views."""
    image = np.pad(x, ((0, 0), *padding, (0, 0)), constant_values=outside)
    oh, ow = ((image.shape[1 + axis] - (kernel[axis] - 1) * dilation[axis] - 1) // stride[axis] + 1
              for axis in (0, 1))
    for ky in range(kernel[0]):
        for kx in range(kernel[1]):
            y, left = ky * dilation[0], kx * dilation[1]
            yield image[:, y:y + (oh - 1) * stride[0] + 1:stride[0], left:left + (ow - 1) * stride[1] + 1:stride[1]]


def convolved(x: NDArray[Any], w: NDArray[Any], *, stride: Size = (1, 1), padding: Padding = ((0, 0), (0, 0)),
              dilation: Size = (1, 1), groups: int = 1) -> NDArray[Any]:
    """Sums of a convolution of numbers of one type: one term per tap, added up for the whole image at once.

    x    [batch, height, width, groups * C]
    w    [out, kh, kw, C]      output channels of a group next to each other
    ->   [batch, oh, ow, out]
    """
    outputs, kh, kw, depth = w.shape
    weights, total = w.reshape(groups, outputs // groups, kh * kw, depth), np.zeros((), x.dtype)
    for tap, seen in enumerate(windows(x, (kh, kw), stride, padding, dilation)):
        term = seen.reshape(-1, groups, depth).transpose(1, 0, 2) @ weights[:, :, tap].transpose(0, 2, 1)
        total = np.add(total, term, out=total) if tap else term
        shape = seen.shape[:3]
    return total.transpose(1, 0, 2).reshape(*shape, outputs)


def integer_conv2d(x: NDArray[Any], w: NDArray[Any], bias: Int64, **window: Any) -> Int64:
    """Sums of a convolution, modulo 2**64; outside the image lies 0.

    x, w     integers, as of `convolved`
    bias     int64 [out]
    window   stride, padding, dilation, groups
    ->       int64 [batch, oh, ow, out]

    >>> integer_conv2d(np.full((1, 1, 1, 2), 1 << 40), np.ones((1, 1, 1, 2), np.int8), np.array([5])).tolist()
    [[[[2199023255557]]]]
    """
    return np.asarray(convolved(x.astype(np.int64), w.astype(np.int64), **window) + bias)
