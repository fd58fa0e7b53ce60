"""Resizing between four pixels as TensorFlow Lite's own kernels have it: two rules beside `definitions.bilinear`.

    q10       places and shares in 1/1024, the sum of four products rounded once, halves away from zero     int8
    float     places and shares in single precision; each pixel times one share, then times the other,
              plus 1/2, cut off                                                                             uint8
    weights   the same with both shares multiplied first                              uint8, optimised kernels

Source: (Y30).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RESIZINGS", "leaves", "resized"]

_Line = tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]


def _scaled(before: int, after: int, corners: str) -> _Line:
    """In 1/1024 along one side: the share of the second of two rows, and which two they are."""
    less = int(corners == "aligned" and after > 1)
    step = ((before - less << 10) + (after - less) // 2) // (after - less)
    place = np.arange(after, dtype=np.int64) * step + (step // 2 - 512 if corners == "half" else 0)
    above = np.maximum(np.trunc(place / 1024).astype(np.int64), 0)
    below = np.minimum(np.trunc((place + 1023) / 1024).astype(np.int64), before - 1)
    return place - (above << 10), above, below


def _real(before: int, after: int, corners: str) -> _Line:
    """The same in single precision."""
    less, one = int(corners == "aligned" and after > 1), np.float32(0.5)
    step = np.float32(before - less) / np.float32(after - less)
    place = np.arange(after, dtype=np.float32)
    place = (place + one) * step - one if corners == "half" else place * step
    above = np.maximum(np.floor(place).astype(np.int64), 0)
    return place - above.astype(np.float32), above, np.minimum(np.ceil(place).astype(np.int64), before - 1)


def _q10(pixels: list[NDArray[Any]], down: Any, across: Any) -> NDArray[np.int64]:
    a, b, c, d = (one.astype(np.int64) for one in pixels)
    total = (a * (1024 - down) * (1024 - across) + b * (1024 - down) * across + c * down * (1024 - across)
             + d * down * across)
    return np.asarray(np.sign(total) * (np.abs(total) + (1 << 19) >> 20))


def _float(pixels: list[NDArray[Any]], down: Any, across: Any) -> NDArray[np.int64]:
    (a, b, c, d), one = (one.astype(np.float32) for one in pixels), np.float32(1)
    total = (a * (one - down) * (one - across) + c * down * (one - across) + b * (one - down) * across
             + d * down * across)
    return np.asarray(total + np.float32(0.5)).astype(np.int64)


def _weights(pixels: list[NDArray[Any]], down: Any, across: Any) -> NDArray[np.int64]:
    (a, b, c, d), one = (one.astype(np.float32) for one in pixels), np.float32(1)
    total = (a * ((one - down) * (one - across)) + b * ((one - down) * across) + c * (down * (one - across))
             + d * (down * across))
    return np.asarray(total + np.float32(0.5)).astype(np.int64)


RESIZINGS: dict[str, tuple[Callable[[int, int, str], _Line], Callable[..., NDArray[np.int64]]]] = {
    "q10": (_scaled, _q10), "float": (_real, _float), "weights": (_real, _weights)}


def leaves(before: int, after: int, corners: str, rule: str) -> bool:
    """Whether the runtime reads beyond such a side: rounded steps of 1/1024 add up to more than it has.

    >>> leaves(1, 75, "legacy", "q10"), leaves(2, 75, "legacy", "q10"), leaves(1, 75, "legacy", "float")
    (True, False, False)
    """
    return bool(RESIZINGS[rule][0](before, after, corners)[1].max() >= before)


def resized(x: NDArray[Any], size: tuple[int, int], corners: str, rule: str) -> NDArray[Any]:
    """Images of another size by a rule, row by row.

    x        uint8 or int8 [n, h, w, c]
    corners  "legacy", "aligned", "half": as of `definitions.between`
    ->       [n, *size, c], of the type of x

    >>> resized(np.array([0, 100], np.int8).reshape(1, 1, 2, 1), (1, 4), "half", "q10").reshape(-1).tolist()
    [0, 25, 75, 100]
    """
    line, mix = RESIZINGS[rule]
    downs, above, below = line(x.shape[1], size[0], corners)
    across, left, right = line(x.shape[2], size[1], corners)
    made = np.empty((x.shape[0], *size, x.shape[3]), x.dtype)
    for row, down in enumerate(downs):
        pixels = [x[:, at][:, side] for at in (above[row], below[row]) for side in (left, right)]
        made[:, row] = mix(pixels, down, across[:, np.newaxis]).astype(x.dtype)
    return made
