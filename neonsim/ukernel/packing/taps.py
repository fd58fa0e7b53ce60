"""Which input pixel every tap of every output pixel reads: the geometry of windows, in one small table per axis.

    convolution, pooling   y = oy * stride + ky * dilation - top
    max pooling            the same, brought back to the nearest edge: outside the image lies its border
    deconvolution          y = (oy + top - ky * dilation) / stride   where that divides, else nothing

Rows and columns do not depend on each other, so a table [outputs, taps] of each axis says everything. What lies outside
is OUTSIDE: kernels read a row of zeros there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.ukernel.packing.im2col import ConvShape, Padding, Pair, as_padding, as_pair

__all__ = ["OUTSIDE", "Taps", "conv_taps", "deconv_shape", "deconv_taps"]

OUTSIDE = -1

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Taps:
    """Where the window of every output pixel lies.

    size     (height, width)     of the input
    rows     int64 [oh, kh]      row of the input that tap ky of output row oy reads, or OUTSIDE
    columns  int64 [ow, kw]      the same for columns
    """

    size: tuple[int, int]
    rows: Index
    columns: Index

    @property
    def output(self) -> tuple[int, int]:
        """Height and width of the output."""
        return self.rows.shape[0], self.columns.shape[0]

    @property
    def kernel(self) -> tuple[int, int]:
        """Height and width of the window."""
        return self.rows.shape[1], self.columns.shape[1]

    @property
    def count(self) -> int:
        """Taps of a window."""
        return int(self.rows.shape[1] * self.columns.shape[1])

    def pixels(self) -> Index:
        """The pixel within its image that every tap reads, or OUTSIDE: int64 [oh, ow, kh, kw], row after row.

        >>> deconv_taps(deconv_shape((1, 2), (1, 2))).pixels()[0, :, 0].tolist()
        [[0, -1], [1, 0], [-1, 1]]
        """
        rows, columns = self.rows[:, None, :, None], self.columns[None, :, None, :]
        return np.where((rows == OUTSIDE) | (columns == OUTSIDE), OUTSIDE, rows * self.size[1] + columns)


def _places(outputs: int, taps: int, stride: int, dilation: int, before: int) -> Index:
    return np.arange(outputs)[:, None] * stride + np.arange(taps) * dilation - before


def conv_taps(shape: ConvShape, *, clamp: bool = False) -> Taps:
    """Taps of a convolution or of pooling.

    clamp   bool   pixels outside the image become the nearest pixel inside, for max pooling (K06)

    >>> from neonsim.ukernel.packing import conv_shape
    >>> conv_taps(conv_shape((3, 3), (3, 3), padding=1)).rows.tolist()
    [[-1, 0, 1], [0, 1, 2], [1, 2, -1]]
    >>> conv_taps(conv_shape((3, 3), (3, 3), padding=1), clamp=True).rows.tolist()
    [[0, 0, 1], [0, 1, 2], [1, 2, 2]]
    """
    tables = []
    for axis in (0, 1):
        places = _places(shape.output[axis], shape.kernel[axis], shape.stride[axis], shape.dilation[axis],
                         shape.padding[axis][0])
        last = shape.input[axis] - 1
        outside = (places < 0) | (places > last)
        tables.append(np.clip(places, 0, last) if clamp else np.where(outside, OUTSIDE, places))
    return Taps(shape.input, tables[0], tables[1])


def deconv_shape(size: tuple[int, int], kernel: tuple[int, int], *, stride: Pair = 1, padding: Padding = 0,
                 adjustment: Pair = 0, dilation: Pair = 1) -> ConvShape:
    """Settle the sizes of a deconvolution, or refuse those that leave no output pixel.

    output = stride * (size - 1) + adjustment + (kernel - 1) * dilation + 1 - padding on both sides

    size, kernel                   (height, width)
    stride, dilation, adjustment   int or (height, width)
    padding                        int, (height, width) or ((top, bottom), (left, right)): cut off the output

    Source: (K02).

    >>> deconv_shape((4, 4), (3, 3), stride=2, padding=1, adjustment=1).output
    (8, 8)
    """
    steps, apart, pads = as_pair(stride, "stride", 1), as_pair(dilation, "dilation", 1), as_padding(padding)
    more = as_pair(adjustment, "adjustment", 0)
    output = []
    for axis, name in enumerate(("height", "width")):
        length = steps[axis] * (size[axis] - 1) + more[axis] + (kernel[axis] - 1) * apart[axis] + 1 - sum(pads[axis])
        if length < 1:
            raise BadArgument(f"The padding {pads[axis]} removes the whole output {name}, so no pixel is left.")
        output.append(length)
    return ConvShape(kernel, steps, apart, pads, size, (output[0], output[1]))


def deconv_taps(shape: ConvShape) -> Taps:
    """Taps of a deconvolution: between the input's pixels, a stride apart, lie zeros.

    >>> deconv_taps(deconv_shape((2, 1), (3, 1), stride=2)).rows.tolist()
    [[0, -1, -1], [-1, 0, -1], [1, -1, 0], [-1, 1, -1], [-1, -1, 1]]
    """
    tables = []
    for axis in (0, 1):
        places = (np.arange(shape.output[axis])[:, None] + shape.padding[axis][0]
                  - np.arange(shape.kernel[axis]) * shape.dilation[axis])
        between, places = places % shape.stride[axis] != 0, places // shape.stride[axis]
        outside = between | (places < 0) | (places >= shape.input[axis])
        tables.append(np.where(outside, OUTSIDE, places))
    return Taps(shape.input, tables[0], tables[1])

