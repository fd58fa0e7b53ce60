"""The operators by their definitions: what every backend is judged by.

Written from the formulas, on whole arrays, without packing, pointers, tiles or instructions. Images are NHWC. Functions
that sum give int32 sums; the caller requantises them. Values are uint8 unless a function says otherwise.

    operator                 formula                                                            function
    convolution (K01)        bias + sum over the window of (x - zx) * (w - zw)                  conv2d
    deconvolution (K02)      every input pixel adds (x - zx) * (w - zw) to its window           deconv2d
    fully connected (K03)    (x - zx) @ (w - zw) + bias                                         reference.accumulate
    average pooling          sum of (x - zx), times s_in / (s_out * pixels)                     window_sums
    max pooling (K06)        largest of the window; outside lies the edge                       max_pool2d
    channel shuffle (K07)    [groups, channels] transposed                                      channel_shuffle
    leaky ReLU (K11)         s_in / s_out * (x - zx), times the slope if negative               leaky_relu
    bilinear (M17)           two rows, two columns, by shares in 1/2048                         bilinear
    softargmax (K12)         256 * exp(s * (x - largest)) / sum, in fixed point                 softargmax

Source: the rows of the table, and (R01, R07) for what is rounded how.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.fixedpoint import wrap
from neonsim.quant.reference.int64_conv import convolved, windows

__all__ = [
    "average_scale",
    "between",
    "bilinear",
    "channel_shuffle",
    "conv2d",
    "deconv2d",
    "exp_table",
    "integer_mean",
    "leaky_relu",
    "max_pool2d",
    "reciprocal",
    "softargmax",
    "softmax",
    "softmax_table",
    "window_sums",
]

Bytes = NDArray[Any]        # uint8, or int8 where a scheme knows it
Size = tuple[int, int]
Padding = tuple[Size, Size]


def _grouped(x: NDArray[np.float64], groups: int) -> NDArray[np.float64]:
    """[pixels, channels] -> [groups, pixels, channels of a group]."""
    return x.reshape(x.shape[0], groups, -1).transpose(1, 0, 2)


def conv2d(x: Bytes, w: Bytes, bias: NDArray[np.int32], *, x_zero_point: int, w_zero_point: int,
           **window: Any) -> NDArray[np.int32]:
    """Sums of a convolution.

    acc[b, oy, ox, o] = bias[o] + sum over ky, kx, c of (x[b, oy*sy + ky*dy - top, ox*sx + kx*dx - left, g*C + c] - zx)
                                                      * (w[o, ky, kx, c] - zw)         outside the image: no term

    x        [batch, height, width, groups * C]
    w        [out, kh, kw, C]      output channels of a group next to each other
    bias     int32 [out]
    window   stride, padding, dilation, groups
    ->       int32 [batch, oh, ow, out]   modulo 2**32

    Sums run in float64, which is exact: below 2**53 for windows of up to 2**37 terms.

    >>> image = np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1)
    >>> conv2d(image, np.ones((1, 2, 2, 1), np.uint8), np.array([100], np.int32), x_zero_point=0,
    ...        w_zero_point=0).tolist()
    [[[[106]]]]
    """
    acc = convolved(x.astype(np.float64) - x_zero_point, w.astype(np.float64) - w_zero_point, **window)
    return wrap(acc.astype(np.int64) + bias.astype(np.int64))


def deconv2d(x: Bytes, w: Bytes, bias: NDArray[np.int32], *, x_zero_point: int, w_zero_point: int,
             stride: Size = (1, 1), padding: Padding = ((0, 0), (0, 0)), adjustment: Size = (0, 0),
             dilation: Size = (1, 1), groups: int = 1) -> NDArray[np.int32]:
    """Sums of a deconvolution: every input pixel throws its share onto the output (the other way round than a kernel).

    full[b, iy*sy + ky*dy, ix*sx + kx*dx, o] += (x[b, iy, ix, c] - zx) * (w[c, ky, kx, o] - zw);  the padding is cut off

    x      [batch, height, width, groups * C]
    w      [groups * C, kh, kw, out / groups]
    bias   int32 [out]
    ->     int32 [batch, oh, ow, out]     oh = sy * (height - 1) + adjustment + (kh - 1) * dy + 1 - top - bottom

    >>> deconv2d(np.array([1, 2], np.uint8).reshape(1, 1, 2, 1), np.array([3, 4], np.uint8).reshape(1, 1, 2, 1),
    ...          np.array([10], np.int32), x_zero_point=0, w_zero_point=0).reshape(-1).tolist()
    [13, 20, 18]
    """
    (top, bottom), (left, right) = padding
    batch, height, width = x.shape[:3]
    _, kh, kw, per_group = w.shape
    depth = x.shape[3] // groups
    pixels = _grouped((x.astype(np.float64) - x_zero_point).reshape(-1, x.shape[3]), groups)
    weights = (w.astype(np.float64) - w_zero_point).reshape(groups, depth, kh, kw, per_group)
    span = (stride[0] * (height - 1) + 1, stride[1] * (width - 1) + 1)
    full = np.zeros((batch, span[0] + (kh - 1) * dilation[0] + adjustment[0],
                     span[1] + (kw - 1) * dilation[1] + adjustment[1], groups * per_group))
    for ky in range(kh):
        for kx in range(kw):
            thrown = (pixels @ weights[:, :, ky, kx]).transpose(1, 0, 2).reshape(batch, height, width, -1)
            y, first = ky * dilation[0], kx * dilation[1]
            full[:, y:y + span[0]:stride[0], first:first + span[1]:stride[1]] += thrown
    kept = full[:, top:full.shape[1] - bottom, left:full.shape[2] - right]
    return wrap(kept.astype(np.int64) + bias.astype(np.int64))


def window_sums(x: Bytes, *, pool: Size, stride: Size, padding: Padding = ((0, 0), (0, 0)),
                x_zero_point: int) -> NDArray[np.int64]:
    """Sums of (x - zx) over windows; outside the image lies nothing.

    x    [batch, height, width, channels]
    ->   int64 [batch, oh, ow, channels]
    """
    return reduce(np.add, windows(x.astype(np.int64) - x_zero_point, pool, stride, padding))


def average_scale(x_scale: Any, out_scale: Any, count: int) -> float:
    """The factor that makes an average of a sum: x_scale / (out_scale * count), each step in single precision.

    >>> average_scale(0.5, 0.25, 4)
    0.5
    """
    return float(np.float32(x_scale) / (np.float32(out_scale) * np.float32(count)))


def integer_mean(sums: Any, inside: Any, dtype: Any, output_min: int, output_max: int) -> Bytes:
    """Sums of integers by their count, ties away from zero, within limits."""
    means = np.sign(sums) * ((2 * np.abs(sums) + inside) // (2 * np.maximum(inside, 1)))
    return np.asarray(np.clip(means, output_min, output_max), dtype)


def reciprocal(count: int) -> tuple[int, int]:
    """(multiplier, shift) of 24 bits that divide sums of `count` bytes, rounded to nearest with ties away from zero.

    A little above 1 / count, by less than 2**-23 of it, so that ties do not fall short; a quotient below a tie lies at
    least 1 / (2 * count) below it, and is at most 255: right for count up to 2**14.

    >>> reciprocal(4), reciprocal(49)
    ((8388608, 25), (10956550, 29))
    """
    shift = 23 + (count - 1).bit_length()
    return -(-(1 << shift) // count), shift


def max_pool2d(x: Bytes, *, pool: Size, stride: Size, padding: Padding = ((0, 0), (0, 0)), dilation: Size = (1, 1),
               output_min: int = 0, output_max: int = 255) -> Bytes:
    """Largest value of a window; outside the image lies its edge, repeated.

    x    [batch, height, width, channels]
    ->   same type [batch, oh, ow, channels], clamped

    >>> max_pool2d(np.array([1, 2, 4, 8], np.uint8).reshape(1, 2, 2, 1), pool=(2, 2), stride=(1, 1),
    ...            padding=((1, 0), (0, 0)))[0, :, :, 0].tolist()
    [[2], [8]]
    """
    padded = np.pad(x, ((0, 0), *padding, (0, 0)), mode="edge")
    largest = reduce(np.maximum, windows(padded, pool, stride, dilation=dilation))
    return np.asarray(np.clip(largest, output_min, output_max), x.dtype)


def softmax_table(scale: Any, beta: float) -> NDArray[np.float32]:
    """exp(-scale * beta * d) for differences d of 0..255 between the largest byte of a row and another (M14)."""
    steps = -np.float32(scale) * np.float32(beta) * np.arange(256, dtype=np.float32)
    with np.errstate(under="ignore"):
        return np.exp(steps.astype(np.float64)).astype(np.float32)


def softmax(x: Bytes, table: NDArray[np.float32], *, zero_point: int, step: float = 1 / 256) -> Bytes:
    """Shares of exponentials by table, in steps of 1/256, in single precision and from the first channel to the last.

    x      uint8 or int8 [..., channels]
    step   of results, 2**-30 or more
    ->     of the same type, 0 at the zero point: 0 or -128

    >>> softmax(np.array([3, 3], np.int8), softmax_table(0.5, 1.0), zero_point=-128).tolist()
    [0, 0]
    """
    wide = x.astype(np.int64)
    shares = table[wide.max(axis=-1, keepdims=True) - wide]
    whole = np.add.accumulate(shares, axis=-1, dtype=np.float32)[..., -1:]
    parts = shares * (np.float32(1) / (whole * np.float32(step)))
    # Bytes are cut off after a half is added in single precision, signed ones rounded: as the library has them.
    steps = np.floor(parts + np.float32(0.5)) if x.dtype == np.uint8 else np.floor(parts.astype(np.float64) + 0.5)
    info = np.iinfo(x.dtype)
    return np.asarray(np.clip(steps.astype(np.int64) + zero_point, info.min, info.max), x.dtype)


def channel_shuffle(x: Bytes, groups: int) -> Bytes:
    """Deal channels out: channel c of group g becomes channel c * groups + g.

    x   [..., groups * channels]

    >>> channel_shuffle(np.array([10, 11, 12, 20, 21, 22], np.uint8), 2).tolist()
    [10, 20, 11, 21, 12, 22]
    """
    split = x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups)
    return np.ascontiguousarray(np.swapaxes(split, -1, -2)).reshape(x.shape)


def leaky_relu(x: Bytes, *, slope: float, x_scale: float, x_zero_point: int, out_scale: float, out_zero_point: int,
               output_min: int = 0, output_max: int = 255) -> Bytes:
    """x where it is positive, slope * x where it is not; in single precision, ties to even.

    >>> leaky_relu(np.array([0, 10, 20], np.uint8), slope=0.5, x_scale=1, x_zero_point=10, out_scale=1,
    ...            out_zero_point=100).tolist()
    [95, 100, 110]
    """
    ratio = np.float32(x_scale) / np.float32(out_scale)
    real = ratio * (x.astype(np.int32) - x_zero_point).astype(np.float32)
    y = np.where(real < 0, real * np.float32(slope), real)
    y = np.clip(y, np.float32(output_min - out_zero_point), np.float32(output_max - out_zero_point))
    return (np.rint(y).astype(np.int64) + out_zero_point).astype(np.uint8)


def exp_table(channels: int, x_scale: float) -> NDArray[np.uint32]:
    """Exponentials in fixed point: t[i] = rint(q * exp((i - 255) * s)), q = min((2**32 - 1) / channels, 8388607).

    The factor q keeps a sum of `channels` of them within 32 bits.

    ->   uint32 [256]

    >>> exp_table(4, 0.1)[-1].item()
    8388607
    """
    factor = min((2.0**32 - 1) / channels, 8388607.0)
    steps = (np.arange(256) - 255) * float(np.float32(x_scale))
    return np.asarray(np.rint(factor * np.exp(steps)), np.uint32)


def softargmax(x: Bytes, *, x_scale: float) -> Bytes:
    """Shares of the exponentials, in steps of 1/256 from 0.

    t = exp_table shifted so that the largest channel takes its last entry
    y = min(255, (256 * t[x] + sum // 2) // sum)

    x    [..., channels]
    ->   uint8 [..., channels]

    >>> softargmax(np.array([[100, 100, 100, 100]], np.uint8), x_scale=0.1).tolist()
    [[64, 64, 64, 64]]
    """
    table = exp_table(x.shape[-1], x_scale).astype(np.int64)
    shifted = x.astype(np.int64) + (255 - x.max(axis=-1, keepdims=True).astype(np.int64))
    t = table[shifted]
    total = t.sum(axis=-1, keepdims=True)
    return np.asarray(np.minimum((256 * t + total // 2) // total, 255), np.uint8)


def between(before: int, after: int, corners: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Along one side of an image that gets another size: where every new row lies among the old ones (M17).

    corners   "legacy" row i at i * before / after; "aligned" at i * (before - 1) / (after - 1); "half" at
              (i + 1/2) * before / after - 1/2: in single precision
    ->        int64 [after] each: the row above, the row below, and the share of the row below in 1/2048

    >>> [line.tolist() for line in between(2, 4, "half")]
    [[0, 0, 0, 1], [1, 1, 1, 1], [0, 512, 1536, 0]]
    """
    less = int(corners == "aligned" and after > 1)
    scale = np.float32(before - less) / np.float32(after - less)
    place = np.arange(after, dtype=np.float32) * scale
    if corners == "half":
        place = np.clip(place + (np.float32(0.5) * scale - np.float32(0.5)), np.float32(0), np.float32(before - 1))
    above = np.minimum(place.astype(np.int64), before - 1)
    share = np.rint((place - above.astype(np.float32)) * np.float32(2048)).astype(np.int64)
    return above, np.minimum(above + 1, before - 1), share


def bilinear(x: Bytes, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Bytes:
    """Images of another size: across first, then down, rounded once, half up.

    x               [n, h, w, c]
    rows, columns   int64 [size, 3] as of `between`, one after the other
    ->              [n, rows, columns, c]
    """
    wide = x.astype(np.int32)
    left, right = wide[:, :, columns[:, 0]], wide[:, :, columns[:, 1]]
    across = (left << 11) + (right - left) * columns[:, 2, np.newaxis].astype(np.int32)
    above, below = across[:, rows[:, 0]], across[:, rows[:, 1]]
    down = (above << 11) + (below - above) * rows[:, 2, np.newaxis, np.newaxis].astype(np.int32)
    return np.asarray(down + (1 << 21) >> 22, x.dtype)
