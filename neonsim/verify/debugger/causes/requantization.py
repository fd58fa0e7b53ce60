"""From sums to bytes, rightly and wrongly: the rounding, the scale, the zero point, the limits.

    y = saturate(round(sum * scale) + zero_point, low, high)

    Ending       the right one of a layer
    roundings    other right ones: what a runtime may do, and wrong ones
    scales       wrong scales
    finishes     wrong zero points and limits
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.fixedpoint import rounding_shift, srdhm, wrap
from neonsim.quant.requant.double_scale import DOUBLE, DoubleScale, quantize_multiplier
from neonsim.quant.rounding import rndnu

__all__ = ["Ending", "RoundingCause", "correct_roundings", "finishes", "incorrect_roundings", "scales"]

Sums = NDArray[Any]                                 # int64 or float64 [..., channels]
Step = Callable[[Sums, NDArray[np.float64]], NDArray[np.int64]]

_BITS = (7, 8, 15, 16, 23, 24)      # of multipliers that hardware has
_HALVINGS = 8                       # binary digits that a first rounding may leave


class RoundingCause(NamedTuple):
    """round(sum * scale); "" of a layer's own."""

    words: str
    step: Step


@dataclass(frozen=True, eq=False)
class Ending:
    """The way from sums to the bytes of a layer.

    scale              float64 [] or [channels]
    rounding           Rounding        the layer's own
    zero_point         int
    low, high          int             limits of the result, its type's or those of an activation
    dtype              str
    factors            (x, w, out)     that the scale is made of, or None
    wrapped            bool            sums have 32 bits
    finish             function        of int64 that were rounded, to what is kept
    """

    scale: NDArray[np.float64]
    rounding: RoundingCause
    zero_point: int
    low: int
    high: int
    dtype: str
    factors: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None = None
    wrapped: bool = True
    finish: Callable[[NDArray[np.int64], Ending], NDArray[Any]] | None = None

    def result(self, sums: Sums, rounding: RoundingCause | None = None) -> NDArray[Any]:
        """Bytes [..., channels] of sums. Raises BadArgument where the rounding does not take the scale."""
        kept = wrap(sums) if self.wrapped and sums.dtype.kind == "i" else sums
        with np.errstate(all="ignore"):
            rounded = (rounding or self.rounding).step(kept, self.scale)
        if self.finish is not None:
            return self.finish(rounded, self).astype(self.dtype)
        return np.clip(rounded + self.zero_point, self.low, self.high).astype(self.dtype)


def _single(sums: Sums, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return (sums.astype(np.float32) * np.asarray(scale, np.float32)).astype(np.float64)


def _double(sums: Sums, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums.astype(np.float64) * scale)


def _whole(real: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.nan_to_num(np.clip(real, -2.0**62, 2.0**62)).astype(np.int64)


def _away(real: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.copysign(np.floor(np.abs(real) + 0.5), real))


def _up(real: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.floor(real + 0.5)


def _down(real: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ceil(real - 0.5)


def _toward(real: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.copysign(np.ceil(np.abs(real) - 0.5), real))


_PRODUCTS = {"in double precision": _double, "in single precision": _single}
_NEAREST: dict[str, Callable[..., Any]] = {
    "halves to even": np.rint, "halves away from zero": _away, "halves up": _up, "halves down": _down,
    "halves toward zero": _toward}
_CUTS: dict[str, Callable[..., Any]] = {
    "cut down to the next lower integer (floor)": np.floor, "cut off toward zero": np.trunc,
    "taken up to the next higher integer (ceil)": np.ceil}


def _of(product: Callable[..., Any], whole: Callable[..., Any]) -> Step:
    return lambda sums, scale: _whole(whole(product(sums, scale)))


def correct_roundings(integers: bool = True) -> Iterator[RoundingCause]:
    """To the nearest, as runtimes do it; integers: of sums that are integers, by multipliers too."""
    for said, product in _PRODUCTS.items():
        for words, whole in _NEAREST.items():
            yield RoundingCause(f"rounded with {words}, {said}", _of(product, whole))
    if not integers:
        return
    for scheme in (name for name, row in DOUBLE.items() if row.twice):
        halves = DOUBLE[scheme].ties.rpartition(" then ")[2].partition(",")[0]
        words = ("rounded twice: the high half of the product with its multiplier of 31 bits, then the shift, halves "
                 f"{halves}")
        yield RoundingCause(words, partial(_wide, scheme, np.float64))
        yield RoundingCause(words + ", of a scale in single precision", partial(_wide, scheme, np.float32))
    yield RoundingCause("rounded once by a multiplier of 31 bits, halves up", _once)


def _wide(scheme: str, precision: Any, sums: Sums, scale: NDArray[np.float64]) -> NDArray[np.int64]:
    return DoubleScale(scheme, np.asarray(np.asarray(scale, precision), np.float64)).round(wrap(_whole(sums)))


def _once(sums: Sums, scale: NDArray[np.float64]) -> NDArray[np.int64]:
    return rndnu.row.of(wrap(_whole(sums)), scale)


def _fixed(whole: str) -> Step:
    """By a multiplier of 31 bits and a shift, both or one of them cut."""
    def step(sums: Sums, scale: NDArray[np.float64]) -> NDArray[np.int64]:
        fixed = quantize_multiplier(scale)
        left, right = np.maximum(-fixed.shift, 0), np.maximum(fixed.shift, 0)
        moved = wrap(_whole(sums) << left)
        product = moved * fixed.multiplier
        if whole == "floor":
            return np.asarray(product >> 31 + right)
        if whole == "trunc":
            return np.asarray(np.sign(product) * (np.abs(product) >> 31 + right))
        if whole == "shift":
            return np.asarray(srdhm(moved, fixed.multiplier) >> right)
        return np.asarray(rounding_shift(product >> 31, right))
    return step


def _halved(digits: int, product: Callable[..., Any]) -> Step:
    return lambda sums, scale: _whole(np.rint(np.rint(product(sums, scale) * 2.0**digits) / 2.0**digits))


def incorrect_roundings(integers: bool = True) -> Iterator[RoundingCause]:
    """Not to the nearest, or twice; integers: as of `correct_roundings`."""
    for words, whole in _CUTS.items():
        for product in _PRODUCTS.values():
            yield RoundingCause(f"{words}, not rounded", _of(product, whole))
    for words, way in (("cut down to the next lower integer (floor), not rounded", "floor"),
                       ("cut off toward zero, not rounded", "trunc"),
                       ("rounded to the multiplier's high half, then shifted without rounding", "shift"),
                       ("cut to the multiplier's high half, then rounded by the shift", "high")):
        if integers:
            yield RoundingCause(words, _fixed(way))
    for digits in range(1, _HALVINGS + 1):
        for product in _PRODUCTS.values():
            yield RoundingCause(
                f"rounded twice: first to {digits} binary digit{'s' * (digits > 1)} behind the point, then "
                           "to an integer", _halved(digits, product))


def _bits(scale: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    mantissa, exponent = np.frexp(scale)
    return np.asarray(np.ldexp(np.rint(mantissa * 2.0**count), exponent - count))


def scales(ending: Ending) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Wrong ones, in words."""
    right = ending.scale
    if right.ndim and np.unique(right).size > 1:
        for words, one in (("the first channel's", right.reshape(-1)[0]), ("the last channel's", right.reshape(-1)[-1]),
                           ("the largest", right.max()), ("the smallest", right.min()), ("the mean", right.mean()),
                           ("the median", np.median(right))):
            yield f"one scale for all channels, {words}", np.asarray(one)
    yield "the shift is one too small: everything is twice as large", right * 2
    yield "the shift is one too large: everything is half as large", right / 2
    if ending.factors is not None:
        x, w, out = ending.factors
        yield "the input's scale is forgotten", w / out
        yield "the weights' scale is forgotten", np.asarray(x / out)
        yield "the output's scale is forgotten", x * w
        if right.ndim and np.unique(right).size > 1:
            for words, one in (("the first channel's", w.reshape(-1)[0]), ("the largest", w.max()),
                               ("the mean", w.mean())):
                yield f"one scale for all channels, {words}", np.asarray(x * one / out)
    with np.errstate(all="ignore"):
        yield "the scale is in half precision", right.astype(np.float16).astype(np.float64)
    yield "the scale is a bfloat16", _bits(right, 8)
    yield "the scale is in single precision, not in double", right.astype(np.float32).astype(np.float64)
    for count in _BITS:
        yield f"the multiplier has {count} bits", _bits(right, count)


def _wraps(rounded: NDArray[np.int64], ending: Ending) -> NDArray[Any]:
    return np.asarray(np.clip((rounded + ending.zero_point).astype(ending.dtype), ending.low, ending.high))


def _early(rounded: NDArray[np.int64], ending: Ending) -> NDArray[Any]:
    info = np.iinfo(ending.dtype)
    return np.asarray(np.clip(np.clip(rounded, ending.low, ending.high) + ending.zero_point, info.min, info.max))


def _early_wraps(rounded: NDArray[np.int64], ending: Ending) -> NDArray[Any]:
    return (np.clip(rounded, ending.low, ending.high) + ending.zero_point).astype(ending.dtype)


def _other_sign(rounded: NDArray[np.int64], ending: Ending) -> NDArray[Any]:
    signed = np.dtype(ending.dtype).kind == "i"
    other = np.dtype(ending.dtype.removeprefix("u") if not signed else f"u{ending.dtype}")
    info = np.iinfo(other)
    return np.asarray(np.clip(rounded + ending.zero_point, info.min, info.max).astype(other).view(ending.dtype))


def finishes(ending: Ending) -> Iterator[tuple[str, Ending]]:
    """Wrong zero points and limits."""
    info, zero, low, high = np.iinfo(ending.dtype), ending.zero_point, ending.low, ending.high
    if zero:
        yield "the output's zero point is forgotten", replace(ending, zero_point=0)
        yield "the output's zero point is forgotten", replace(ending, zero_point=0, low=low - zero, high=high - zero,
                                                              finish=lambda r, e: np.clip(np.clip(
                                                                  r, e.low, e.high), info.min, info.max))
        yield "the output's zero point is subtracted, not added", replace(ending, zero_point=-zero)
        yield "the output's zero point is added twice", replace(ending, zero_point=2 * zero)
        yield "the limits are applied before the zero point is added", replace(ending, finish=_early)
        yield "the limits are applied before the zero point is added, and the result wraps", replace(
            ending, finish=_early_wraps)
    if (low, high) != (info.min, info.max):
        yield "the clamp of the activation is missing", replace(ending, low=info.min, high=info.max)
        if low != info.min and high != info.max:
            yield "the activation's lower limit is missing", replace(ending, low=info.min)
            yield "the activation's upper limit is missing", replace(ending, high=info.max)
    if low != 0 and info.min < 0:
        yield "negative integers become 0: a ReLU that takes the stored 0 for zero", replace(ending, low=max(low, 0))
    if low < zero:
        yield "a ReLU that the file does not have", replace(ending, low=zero)
        if ending.factors is not None:
            six = min(high, zero + int(np.clip(np.rint(6 / float(ending.factors[2])), 0, 1 << 30)))
            yield "a ReLU6 that the file does not have", replace(ending, low=zero, high=six)
    if low == info.min and info.min == -128:
        yield "the result is held to -127 and more", replace(ending, low=-127)
    yield "results that leave the type wrap round, they are not held to its ends", replace(ending, finish=_wraps)
    if (low, high) != (info.min, info.max):
        yield "the clamp of the activation is missing, and results that leave the type wrap round", replace(
            ending, low=info.min, high=info.max, finish=_wraps)
    yield f"the result is held to the limits of {'u' * (info.min < 0)}{ending.dtype.removeprefix('u')}, not of " \
          f"{ending.dtype}", replace(ending, finish=_other_sign)
