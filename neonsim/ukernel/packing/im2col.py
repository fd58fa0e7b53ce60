"""A convolution as a matrix product: each output pixel's receptive field becomes one row.

    row      (image, oy, ox)             one per output pixel
    column   (ky, kx, channel)           in the order of the weights [out, kh, kw, in/groups]
    source   y = oy * stride + ky * dilation - top,  x likewise; outside the image: the input zero point
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.ukernel.packing.counters import count

__all__ = ["ConvShape", "Padding", "Pair", "as_padding", "as_pair", "conv_shape", "im2col"]

Pair = int | Sequence[int]
Padding = int | Sequence[int] | Sequence[Sequence[int]]


@dataclass(frozen=True)
class ConvShape:
    """Sizes of a convolution, settled: every pair is (height, width).

    kernel, stride, dilation   (int, int)               stride and dilation at least 1
    padding                    ((top, bottom), (left, right))
    input, output              (int, int)               height and width
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[tuple[int, int], tuple[int, int]]
    input: tuple[int, int]
    output: tuple[int, int]

    @property
    def is_pointwise(self) -> bool:
        """1x1 kernel, stride 1, no padding: the image itself is the matrix."""
        return self.kernel == (1, 1) and self.stride == (1, 1) and self.padding == ((0, 0), (0, 0))


def as_pair(value: Pair, name: str, low: int) -> tuple[int, int]:
    """A number for both axes, or a pair (height, width); BadArgument for anything else or less than `low`."""
    if isinstance(value, (list, tuple)):
        if len(value) != 2:
            raise BadArgument(f"{name} must be a number or a pair (height, width); got {value!r}.")
        return as_int(value[0], f"{name} (height)", low, 1 << 20), as_int(value[1], f"{name} (width)", low, 1 << 20)
    number = as_int(value, name, low, 1 << 20)
    return number, number


def same_padding(image: Sequence[int], window: Sequence[int], stride: Sequence[int],
                 dilation: Sequence[int] = (1, 1)) -> tuple[tuple[int, int], tuple[int, int]]:
    """What TensorFlow's SAME adds to an image of that height and width, so that ceil(size / stride) pixels come out,
    the odd one behind: ((top, bottom), (left, right)).

    >>> same_padding((6, 6), (3, 3), (2, 2))
    ((0, 1), (0, 1))
    """
    whole = [max((-(-size // step) - 1) * step + (taps - 1) * gap + 1 - size, 0)
             for size, taps, step, gap in zip(image, window, stride, dilation, strict=True)]
    return (whole[0] // 2, whole[0] - whole[0] // 2), (whole[1] // 2, whole[1] - whole[1] // 2)


def as_padding(value: Padding) -> tuple[tuple[int, int], tuple[int, int]]:
    """((top, bottom), (left, right)) of a number, a pair (height, width), or both pairs."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and any(isinstance(v, (list, tuple)) for v in value):
        if not all(isinstance(v, (list, tuple)) and len(v) == 2 for v in value):
            raise BadArgument(f"padding must be a number, a pair (height, width) or ((top, bottom), (left, right)); "
                              f"got {value!r}.")
        return as_pair(value[0], "padding (top, bottom)", 0), as_pair(value[1], "padding (left, right)", 0)
    height, width = as_pair(value, "padding", 0)  # type: ignore[arg-type]  # nested sequences were taken above
    return (height, height), (width, width)


def conv_shape(size: tuple[int, int], kernel: tuple[int, int], *, stride: Pair = 1, padding: Padding = 0,
               dilation: Pair = 1) -> ConvShape:
    """Settle the sizes of a convolution, or refuse those that leave no output pixel.

    output = (size + padding on both sides - ((kernel - 1) * dilation + 1)) // stride + 1

    size, kernel      (height, width)
    stride, dilation  int or (height, width)
    padding           int, (height, width) or ((top, bottom), (left, right))

    >>> conv_shape((224, 224), (3, 3), stride=2, padding=((0, 1), (0, 1))).output
    (112, 112)
    """
    steps, apart, pads = as_pair(stride, "stride", 1), as_pair(dilation, "dilation", 1), as_padding(padding)
    output = []
    for axis, name in enumerate(("height", "width")):
        reach = (kernel[axis] - 1) * apart[axis] + 1
        room = size[axis] + sum(pads[axis])
        if reach > room:
            raise BadArgument(f"The kernel spans {reach} pixels of {name} (kernel {kernel[axis]}, dilation "
                              f"{apart[axis]}), but the padded image has only {room}, so no output pixel is left.")
        output.append((room - reach) // steps[axis] + 1)
    return ConvShape(kernel, steps, apart, pads, size, (output[0], output[1]))


def im2col(image: NDArray[Any], shape: ConvShape, zero_point: int) -> NDArray[Any]:
    """Rows of receptive fields of an image, or of one group of its channels.

    image        uint8 or int8 [batch, height, width, channels]
    zero_point   int   what pixels outside the image hold: the integer that stands for 0
    ->           same dtype [batch * oh * ow, kh * kw * channels]; a view of the image where no copy is needed

    >>> image = np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1)
    >>> im2col(image, conv_shape((2, 2), (2, 2), padding=((1, 0), (0, 0))), zero_point=9).tolist()
    [[9, 9, 0, 1], [0, 1, 2, 3]]
    """
    batch, channels = image.shape[0], image.shape[3]
    if shape.is_pointwise:
        return image.reshape(-1, channels)
    padded = np.pad(image, ((0, 0), *shape.padding, (0, 0)), constant_values=zero_point)
    by, bx = padded.strides[1:3]
    fields = as_strided(
        padded,
        shape=(batch, *shape.output, *shape.kernel, channels),
        strides=(padded.strides[0], by * shape.stride[0], bx * shape.stride[1], by * shape.dilation[0],
                 bx * shape.dilation[1], padded.strides[3]),
        writeable=False,
    )
    count(im2col_bytes=fields.size)
    return fields.reshape(batch * shape.output[0] * shape.output[1], shape.kernel[0] * shape.kernel[1] * channels)
