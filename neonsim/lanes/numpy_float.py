"""Floating words in generated numpy: the short way where every lane of every tile is ordinary, else `numeric_float`.

Arrays are [rows, lanes, columns], as `source_numpy` has them. Ordinary is a result that is a normal number and larger
than the smallest one; then nothing but an inexact result can have been raised, and it is looked for as cheaply as can
be:

fma   in float64 the product is exact. The sum, rounded there and again to single precision, is right unless it lies in
      the middle between two numbers; where the bits below are neither all 0 nor that, something was lost, too.
mul   what the float64 product has below the last place of single precision is lost.
add   of the sum r of n and m, r - n is m and r - m is n if and only if nothing was lost: the difference with the larger
      one is exact (Dekker's Fast2Sum), in every format.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .float_formats import FZ, IXC, ODD, ROUNDING
from .floating import FloatWord
from .numeric_float import FEW, apply
from .types import ElementType

__all__ = ["FLOAT_LINES", "QUICK"]

Array = npt.NDArray[Any]
Outcome = tuple[Array, Array]

_DENORMAL, _ONE = 5e-324, 1.0
_LIMITS = {np.dtype(np.float32): (np.float32(2.0 ** -126), np.finfo(np.float32).max),
           np.dtype(np.float64): (np.float64(2.0 ** -1022), np.finfo(np.float64).max)}
_LEAST, _MOST = np.minimum.reduce, np.maximum.reduce


class _Kept(threading.local):
    """One array that is used again and again, in several ways one after the other: new ones of its size cost more than
    what is computed in them, and several are no longer in the cache.

    wide   float64 [rows, lanes, columns]; `low` its bits; `sizes`: a half of it as float32, or itself
    lost   two arrays of truths
    """

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()

    def of(self, shape: tuple[int, ...]) -> _Kept:
        if self.shape != shape:
            self.shape = shape
            self.wide = np.empty(shape, np.float64)
            self.low, halves = self.wide.view(np.uint64), self.wide.reshape(2, -1).view(np.float32)
            self.sizes = {np.dtype(np.float32): halves[0].reshape(shape), np.dtype(np.float64): self.wide}
            self.lost = np.empty(shape, bool), np.empty(shape, bool)
        return self


_KEPT = _Kept()


@lru_cache(maxsize=64)
def _all_inexact(rows: int, columns: int) -> Array:
    flags = np.full((rows, 1, columns), IXC, np.uint8)
    flags.flags.writeable = False
    return flags


def _ordinary(r: Array, kept: _Kept) -> bool:
    """Whether all numbers are normal, and none is the smallest."""
    least, most = _LIMITS[r.dtype]
    size = np.abs(r, out=kept.sizes[r.dtype])
    return bool(_LEAST(size, axis=None) > least) and bool(_MOST(size, axis=None) <= most)


def _some_inexact(lost: Array) -> Array:
    found = lost[:, :1]
    for lane in range(1, lost.shape[1]):
        found = found | lost[:, lane:lane + 1]
    return found.view(np.uint8) * np.uint8(IXC)


def _spanned(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """What numpy stretches them to: none is empty, and np.broadcast_shapes takes longer than a product."""
    return tuple(map(max, *shapes))


def _usual(word: FloatWord, shape: tuple[int, ...]) -> bool:
    """Whether the host computes by these rules, and does not flush; and whether arrays pay."""
    return (not word.rules & (ODD | ROUNDING | FZ) and shape[0] * shape[1] * shape[2] > FEW
            and _DENORMAL * _ONE > 0)


def _fma(word: FloatWord, type_: ElementType, a: Array, n: Array, m: Array) -> Outcome:
    shape = _spanned(a.shape, n.shape, m.shape)
    if _usual(word, shape):
        kept, real = _KEPT.of(shape), np.float32
        product = kept.wide if shape in (n.shape, m.shape) else None
        product = np.multiply(n.view(real), m.view(real), product, dtype=np.float64)
        r = np.add(a.view(real), product, kept.wide, dtype=np.float64).astype(real)
        if _LEAST(np.left_shift(kept.low, 36, kept.low), axis=None) and _ordinary(r, kept):
            return r.view(np.uint32), _all_inexact(shape[0], shape[2])
    return _long(word, type_, a, n, m)


def _mul(word: FloatWord, type_: ElementType, n: Array, m: Array) -> Outcome:
    shape = _spanned(n.shape, m.shape)
    if _usual(word, shape):
        kept = _KEPT.of(shape)
        r = np.multiply(n.view(np.float32), m.view(np.float32), kept.wide, dtype=np.float64).astype(np.float32)
        np.left_shift(kept.low, 35, kept.low)
        flags = _all_inexact(shape[0], shape[2]) if _LEAST(kept.low, axis=None) else _some_inexact(
            np.not_equal(kept.low, 0, kept.lost[0]))
        if _ordinary(r, kept):
            return r.view(np.uint32), flags
    return _long(word, type_, n, m)


def _add(word: FloatWord, type_: ElementType, n: Array, m: Array, minus: bool = False) -> Outcome:
    shape = _spanned(n.shape, m.shape)
    if _usual(word, shape):
        kept, real = _KEPT.of(shape), np.dtype(f"f{type_.bytes}")
        x, y = n.view(real), m.view(real)
        r = np.subtract(x, y) if minus else np.add(x, y)
        if _ordinary(r, kept):
            rest, lost = kept.sizes[r.dtype], kept.lost
            np.not_equal(np.subtract(r, x, rest), -y if minus else y, lost[0])
            np.not_equal(np.add(r, y, rest) if minus else np.subtract(r, y, rest), x, lost[1])
            np.logical_or(*lost, lost[0])
            return r.view(n.dtype), _some_inexact(lost[0])
    return _long(word, type_, n, m)


def _sub(word: FloatWord, type_: ElementType, n: Array, m: Array) -> Outcome:
    return _add(word, type_, n, m, minus=True)


def _long(word: FloatWord, type_: ElementType, *operands: Array) -> Outcome:
    result, flags = apply(word, [n.transpose(1, 0, 2) for n in operands], type_)
    return result.transpose(1, 0, 2), flags.transpose(1, 0, 2)


# word -> formats that have the short way
QUICK: dict[str, tuple[str, ...]] = {"fma": ("f32",), "mul": ("f32",), "add": ("f32", "f64"), "sub": ("f32", "f64")}
FLOAT_LINES: dict[str, Callable[..., Outcome]] = {"float_fma": _fma, "float_mul": _mul, "float_add": _add,
                                                  "float_sub": _sub}
