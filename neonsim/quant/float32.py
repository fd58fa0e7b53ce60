"""Operators on float32 by their definitions: what every backend is judged by.

Sums are chains of fused multiply-adds, one after another in the order of the packed weights, from the bias on: what a
kernel does that keeps one accumulator per result. So the result has one set of bits, and no other order gives them.

    operator                 formula                                                            function
    fused multiply-add       a * b + c, rounded once                                            fused
    matrix product           bias, then k = 0, 1 ...: acc = fused(x[k], w[k], acc)              product
    convolution              the same over taps (ky, kx) and channels; outside lie zeros        convolution
    batch normalisation      fused(x, gain, offset)                                             batch_norm
    sum of two               a + b                                                              numpy's
    average pooling          pixels of the window added up in order, times 1 / count            average_pool
    max pooling              largest of the window; outside is left out                         max_pool
    rows added up, largest   one row after the other                                            total, largest
    softmax                  exp(x - largest) / their sum, exp by a polynomial                  softmax
    clamp                    low where x is not above it, then high where x is above it         clamp

Images are NHWC.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.reference.int64_conv import windows

__all__ = ["EXPONENTIAL", "average_pool", "batch_norm", "clamp", "convolution", "exponential", "fused", "largest",
           "leaky_relu", "max_pool", "product", "softmax", "total"]

Reals = NDArray[np.float32]
Size = tuple[int, int]
Padding = tuple[Size, Size]

_HALF, _BELOW_HALF = np.int64(1 << 28), np.int64((1 << 29) - 1)   # Of float32's last place, in float64's bits.
_SMALL = float(np.finfo(np.float32).tiny)


def fused(a: Any, b: Any, c: Any) -> Reals:
    """a * b + c, rounded once to float32 (ties to even), over arrays that broadcast.

    In float64 the product is exact and the sum rounded; rounding it again goes wrong only where it has become a tie of
    float32 and was none. There, and below float32's normal numbers, where ties lie elsewhere, the sum is made odd in
    the direction of what was rounded away.

    >>> one = np.float32(1)
    >>> float(fused(one + np.float32(2**-23), one - np.float32(2**-24), -one)) == 2**-24 - 2**-47
    True
    """
    with np.errstate(invalid="ignore", over="ignore"):
        exact = np.asarray(a, np.float64) * np.asarray(b, np.float64)
        wide = np.asarray(c, np.float64)
        total = np.asarray(exact + wide)
        bits = total.view(np.int64)
        doubtful = ((bits & _BELOW_HALF) == _HALF) | ((abs(total) < _SMALL) & (total != 0))
        if doubtful.any():
            p, c64, s = (np.broadcast_to(one, total.shape)[doubtful] for one in (exact, wide, total))
            part = s - p
            rest = (p - (s - part)) + (c64 - part)
            odd = s.view(np.int64)
            odd = odd + np.where((rest != 0) & (odd & 1 == 0), np.where((rest > 0) == (s > 0), 1, -1), 0)
            total = total.copy()
            total[doubtful] = odd.view(np.float64)
        return np.asarray(total.astype(np.float32))


def product(x: Reals, w: Reals, bias: Reals) -> Reals:
    """Rows of x by rows of w.

    x [m, k], w [n, k], bias [n] -> [m, n]
    """
    acc = np.broadcast_to(bias, (x.shape[0], w.shape[0])).astype(np.float32)
    for k in range(x.shape[1]):
        acc = fused(x[:, k, np.newaxis], w[np.newaxis, :, k], acc)
    return acc


def convolution(x: Reals, w: Reals, bias: Reals, *, stride: Size = (1, 1), padding: Padding = ((0, 0), (0, 0)),
                dilation: Size = (1, 1), groups: int = 1) -> Reals:
    """Chains over ky, kx, then the channels of the group. Pixels outside are zeros that take part: a zero times a
    weight changes the sign of a zero, and nothing else.

    x      [batch, height, width, groups * c]
    w      [out, kh, kw, c]      output channels of a group next to each other
    bias   [out]
    ->     [batch, oh, ow, out]
    """
    outputs, kh, kw, depth = w.shape
    acc: Any = bias.reshape(groups, -1)
    weights = w.reshape(groups, outputs // groups, kh * kw, depth)
    for tap, seen in enumerate(windows(x, (kh, kw), stride, padding, dilation)):
        channels = seen.reshape(*seen.shape[:3], groups, depth)
        for c in range(depth):
            acc = fused(channels[..., c, np.newaxis], weights[:, :, tap, c], acc)
    return np.asarray(acc, np.float32).reshape(*seen.shape[:3], outputs)


def clamp(x: Reals, low: float = -np.inf, high: float = np.inf) -> Reals:
    """low where x is below it or equals it (so that -0 becomes +0), high where it is above that; NaN stays.

    So do FMAX, then FMIN (VMAX, VMIN): of zeros the smaller one is -0.

    >>> clamp(np.array([-1.0, -0.0, 7.0], np.float32), 0.0, 6.0).tolist()
    [0.0, 0.0, 6.0]
    """
    raised = np.where(x <= np.float32(low), np.float32(low), x)
    return np.asarray(np.where(raised > np.float32(high), np.float32(high), raised), np.float32)


def leaky_relu(x: Reals, slope: float) -> Reals:
    """slope * x below 0."""
    with np.errstate(over="ignore"):
        return np.asarray(np.where(x < 0, x * np.float32(slope), x), np.float32)


def batch_norm(x: Reals, gain: Reals, offset: Reals) -> Reals:
    """gain * x + offset for each channel, rounded once."""
    return fused(x, gain, offset)


def total(rows: Reals, axis: int) -> Reals:
    """Rows added up one after the other along an axis, rounded after every step; the first is taken as it is.

    >>> total(np.array([[1e8], [1], [-1e8]], np.float32), 0).tolist()
    [0.0]
    """
    first, *others = np.moveaxis(rows, axis, 0)
    acc = first
    with np.errstate(over="ignore", invalid="ignore"):
        for row in others:
            acc = acc + row
    return np.asarray(acc, np.float32)


def largest(rows: Reals, axis: int) -> Reals:
    """Largest along an axis; NaN if there is one, +0 above -0."""
    best, *others = np.moveaxis(rows, axis, 0)
    for row in others:
        best = _larger(best, row)
    return np.asarray(best, np.float32)


def _larger(best: Any, seen: Reals) -> Reals:
    larger = (seen > best) | np.isnan(seen) | ((seen == best) & ~np.signbit(seen))
    return np.where(larger & ~np.isnan(best), seen, best)


def average_pool(x: Reals, window: Size, *, stride: Size = (1, 1), padding: Padding = ((0, 0), (0, 0))) -> Reals:
    """Sums from the first pixel of the window on, rounded after every step, times float32(1 / count). Pixels outside
    are not counted and not added."""
    total: Any = np.float32(0)
    count: Any = np.int64(0)
    there = windows(np.ones_like(x[..., :1], np.int64), window, stride, padding)
    for seen, inside in zip(windows(x, window, stride, padding), there, strict=True):
        # Not to add what is outside keeps the sign of a zero; the first pixel is taken as it is.
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.where(inside, np.where(count == 0, seen, total + seen), total)
        count = count + inside
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total * (1 / count).astype(np.float32), np.float32)


def max_pool(x: Reals, window: Size, *, stride: Size = (1, 1), padding: Padding = ((0, 0), (0, 0)),
             dilation: Size = (1, 1)) -> Reals:
    """Largest of the window; NaN if there is one, +0 above -0."""
    best: Any = np.float32(-np.inf)
    for seen in windows(x, window, stride, padding, dilation, -np.inf):
        best = _larger(best, seen)
    return np.asarray(best)


# exp(t) - 1 - t over t^2, for |t| <= ln 2 / 2: least largest error of a polynomial of degree 4, computed here.
_LOG2E = np.float32(1.44269504)
_LN2_HIGH, _LN2_LOW = np.float32(0.693145752), np.float32(1.42860677e-06)   # The first has 12 bits to spare.
_POLYNOMIAL = tuple(np.float32(c) for c in (0.49999994, 0.1666652, 0.041668393, 0.008368781, 0.0013814467))
_MAGIC = np.float32(12582912.0)   # 1.5 * 2**23: adding it rounds to an integer.
_SMALLEST_EXPONENT = np.float32(-87.33654)   # exp of what lies below is no normal number: 0 is taken.


# What the exponential is made of, in the order in which it takes them: the smallest exponent, 1 / ln 2, the magic
# number, minus ln 2 in two parts, and the polynomial from its last coefficient to its first.
EXPONENTIAL = (_SMALLEST_EXPONENT, _LOG2E, _MAGIC, -_LN2_HIGH, -_LN2_LOW, *_POLYNOMIAL[::-1])


def exponential(x: Reals) -> Reals:
    """exp(x) for x <= 0, in float32: x = n ln 2 + t, then 2**n * (1 + t + t^2 p(t)); 0 below -87.33654; NaN stays.

    Every step is rounded to float32, products and sums of p and of t fused. Source: the split in two steps is Cody and
    Waite's.
    """
    with np.errstate(invalid="ignore"):
        inside = np.maximum(x, _SMALLEST_EXPONENT)
        n = np.asarray(fused(inside, _LOG2E, _MAGIC) - _MAGIC, np.float32)
        t = fused(n, -_LN2_LOW, fused(n, -_LN2_HIGH, inside))
        p = np.full_like(t, _POLYNOMIAL[-1])
        for coefficient in _POLYNOMIAL[-2::-1]:
            p = fused(p, t, coefficient)
        tail = fused(np.asarray(t * t, np.float32), p, t)
        power = np.where(np.isnan(n), 0.0, n).astype(np.int32) + 127
        scale = (power << 23).view(np.float32)
        found = np.asarray(fused(scale, tail, scale), np.float32)
        return np.asarray(np.where(x < _SMALLEST_EXPONENT, np.float32(0), found), np.float32)


def softmax(x: Reals, beta: float = 1.0) -> Reals:
    """Along the last axis: exp(beta * (x - largest)), each divided by their sum, added up from channel 0 on."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = x.max(axis=-1, keepdims=True)
        raised = exponential(np.asarray((x - largest) * np.float32(beta), np.float32))
        total: NDArray[Any] = raised[..., 0]
        for channel in range(1, x.shape[-1]):
            total = total + raised[..., channel]
        return np.asarray(raised / total[..., np.newaxis], np.float32)
