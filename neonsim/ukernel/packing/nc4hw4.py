"""Images with four channels side by side: NC4HW4, what MNN keeps its tensors in (E12).

    NHWC      [n, h, w, c]            all channels of a pixel, then the next pixel
    NCHW      [n, c, h, w]            all pixels of a channel, then the next channel
    NC4HW4    [n, ceil(c/4), h, w, 4] four channels of a pixel, then the next pixel; then the next four channels

    offset of (n, y, x, c) = ((((n * slices + c div 4) * h + y) * w + x) * 4 + c mod 4) elements

A vector of four lanes is then one load, whatever the number of channels, and a kernel that takes each channel by itself
walks over one plane without gaps. In NCHW the same four lie h * w elements apart: four loads of a lane. The last
channels are filled up to four: with 3 channels a quarter more memory, with 1 four times as much.

Source: (E12): MNN `source/core/TensorUtils.hpp`, `source/backend/cpu/compute/CommonOptFunction.h`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument

__all__ = ["FOUR", "nc4hw4_bytes", "nc4hw4_offset", "to_nc4hw4"]

FOUR = 4


def _slices(channels: int) -> int:
    return -(-channels // FOUR)


def to_nc4hw4(values: ArrayLike, fill: float = 0) -> NDArray[Any]:
    """NHWC to NC4HW4.

    values   [n, h, w, c]
    fill     what stands where there is no channel: the zero point, of integers that stand for real numbers
    ->       [n, ceil(c / 4), h, w, 4], of the same type

    Raises BadArgument for what is no image, or has no channels.

    >>> to_nc4hw4(np.arange(12).reshape(1, 1, 2, 6))[0, :, 0].tolist()
    [[[0, 1, 2, 3], [6, 7, 8, 9]], [[4, 5, 0, 0], [10, 11, 0, 0]]]
    """
    x = np.asarray(values)
    if x.ndim != 4 or 0 in x.shape:
        raise BadArgument(f"an image must be [batch, height, width, channels], with all sizes at least 1; got shape "
                          f"{list(x.shape)}.")
    n, h, w, c = x.shape
    padded = np.full((n, h, w, _slices(c) * FOUR), fill, x.dtype)
    padded[..., :c] = x
    return np.ascontiguousarray(padded.reshape(n, h, w, -1, FOUR).transpose(0, 3, 1, 2, 4))


def nc4hw4_offset(shape: tuple[int, int, int, int], n: int, y: int, x: int, c: int) -> int:
    """Which element of NC4HW4 a channel of a pixel is.

    shape   (n, h, w, c) of the image

    >>> nc4hw4_offset((1, 2, 2, 6), 0, 1, 0, 5)
    25
    """
    _, h, w, channels = shape
    return (((n * _slices(channels) + c // FOUR) * h + y) * w + x) * FOUR + c % FOUR


def nc4hw4_bytes(shape: tuple[int, int, int, int], itemsize: int) -> int:
    """Bytes of an image in NC4HW4.

    >>> nc4hw4_bytes((1, 224, 224, 3), 4) / (224 * 224 * 3 * 4)
    1.3333333333333333
    """
    n, h, w, channels = shape
    return n * _slices(channels) * h * w * FOUR * itemsize
