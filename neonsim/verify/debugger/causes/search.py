"""Which known cause makes all bytes of another runtime's layer: each is tried, on a few pixels first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.verify.debugger.causes.requantization import (
    Ending,
    RoundingCause,
    correct_roundings,
    finishes,
    incorrect_roundings,
    scales,
)
from neonsim.verify.debugger.causes.unweighted import NUMBERS, FloatRule, float_rule, mutated_results
from neonsim.verify.debugger.causes.weighted import Adding, Window, ending_of, orders, sums, window_of

__all__ = ["FEW", "Cause", "Make", "causes_of", "too_large", "variants_of"]

FEW = 2                     # differing values that are too few to tell a cause: some fits by chance
SAMPLE = 1 << 21            # products of the pixels that causes are tried on first, about
CHUNK = 1 << 23             # products that are made at a time
PIXELS = 96                 # of that sample at most
MAX_MACS = 1 << 31           # products of a layer whose causes are looked for ...
MAX_FLOAT_TERMS = 1 << 22     # ... and terms of other operators, each some ten times a real number at once


@dataclass(frozen=True)
class Cause:
    """What makes all bytes of a layer that another runtime computed.

    words      str      what was done
    rounding   str      the rounding that goes with it; "": the layer's own
    explained  int      values that differ, all of which it gives
    index      int      the first of them, in the memory of the operator's result
    numbers    str      its numbers there; ""
    """

    words: str
    rounding: str
    explained: int
    index: int
    numbers: str = ""

    def __str__(self) -> str:
        return self.words + (f" ({self.rounding})" if self.rounding else "")


def causes_of(operator: Operator | None, values: Sequence[NDArray[Any]], ours: NDArray[Any], theirs: NDArray[Any],
              at: int | None = None) -> tuple[Cause, ...]:
    """Every known cause that makes `theirs` of these inputs, each said once; () if none does.

    operator   of the layer; None: it only moves elements
    values     its inputs
    ours       the right result, of the operator's shape
    theirs     the other runtime's, of that shape
    at         place in memory of the element whose numbers are told; None: the first that differs
    """
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape or not _unequal(ours, theirs).size:
        return ()
    unequal = _unequal(ours, theirs)
    told = CauseQuery(ours, theirs, unequal.size, int(unequal[0]) if at is None else at)
    found: list[Cause] = []
    if operator is not None and operator.requantizes and ours.dtype.kind in "iu":
        product = cast(WeightedOperator, operator)
        found += _of_products(window_of(product, values), ending_of(product), told)
    elif operator is not None:
        for num in NUMBERS:
            reals = float_rule(operator, values, num)
            found += [] if reals is None else _of_reals(reals, told)
        found += _whole(mutated_results(operator, values), told)
    found += _elsewhere(told, values)
    return _once(found)


def too_large(operator: Operator | None, values: Sequence[NDArray[Any]], result: NDArray[Any]) -> bool:
    """Has a layer more terms than causes are tried on?"""
    if operator is not None and operator.requantizes:
        window = window_of(cast(WeightedOperator, operator), values)
        return window.pixels * window.weights.size > MAX_MACS
    pool = getattr(operator, "pool", (1, 1))
    return max(result.size * int(np.prod(pool)), *(value.size for value in values), 0) > MAX_FLOAT_TERMS


class CauseQuery(NamedTuple):
    """Both results, how many of their values differ, and which is told of."""

    ours: NDArray[Any]
    theirs: NDArray[Any]
    differing: int
    at: int

    def becomes(self) -> str:
        """Return the values there."""
        return f"{self.ours.reshape(-1)[self.at]} becomes {self.theirs.reshape(-1)[self.at]}"


def _unequal(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.intp]:
    if mine.dtype.kind == "f":
        return np.flatnonzero(mine.view(f"u{mine.itemsize}") != theirs.view(f"u{mine.itemsize}"))
    return np.flatnonzero(mine != theirs)


def _once(found: Iterable[Cause]) -> tuple[Cause, ...]:
    """Each in words once, and those that need another rounding only where no other is left."""
    every = list({str(cause): cause for cause in found}.values())
    plain = [cause for cause in every if not cause.rounding] or \
        list({cause.words: cause for cause in reversed(every)}.values())[::-1]
    # What is one of the others and something beside it says nothing more.
    return tuple(cause for cause in plain
                 if not any(cause.words.startswith(f"{other.words}, and ") for other in plain))


# ---- products

@dataclass(frozen=True, eq=False)
class _Try:
    words: str
    adding: Adding
    ending: Ending
    rounding: RoundingCause | None = None


def _of_products(window: Window, ending: Ending, told: CauseQuery) -> Iterator[Cause]:
    out = len(window.bias)
    right, wrong = told.ours.reshape(-1, out), told.theirs.reshape(-1, out)
    differing = np.flatnonzero((right != wrong).any(axis=1))
    each = max(1, window.weights.size)
    few = int(np.clip(SAMPLE // each, 4, PIXELS))
    rng = np.random.default_rng(0)
    chosen = np.unique(np.concatenate([
        differing[:max(2, few // 4)], rng.choice(differing, min(len(differing), few // 2), replace=False),
        rng.choice(len(right), min(len(right), few // 4), replace=False)]))
    seen = wrong[chosen]

    def whole(one: _Try) -> bool:
        step = max(1, CHUNK // each)
        return all(np.array_equal(one.ending.result(one.adding(pixels), one.rounding), wrong[pixels])
                   for pixels in np.split(np.arange(len(wrong)), range(step, len(wrong), step)))

    plain = set[str]()      # causes that need no other rounding
    for one in _fitting(window, ending, chosen, seen):
        if one.words in plain or not whole(one):
            continue
        # Where another rounding does it all, what comes with it changes nothing.
        if one.rounding is None or not whole(replace(one, adding=window.accumulators, ending=ending)):
            plain |= {one.words} if one.rounding is None else set()
            yield _said(one, window, ending, told)


def _fitting(window: Window, ending: Ending, chosen: NDArray[np.intp], seen: NDArray[Any]) -> Iterator[_Try]:
    """What gives the bytes of some pixels."""
    own = window.accumulators(chosen)
    others = list(correct_roundings())

    def fits(added: NDArray[Any], by: Ending, rounding: RoundingCause | None = None) -> bool:
        try:
            return np.array_equal(by.result(added, rounding), seen)
        except BadArgument:
            return False

    def near(added: NDArray[Any], by: Ending) -> bool:
        """Could another rounding give them?"""
        try:
            made = by.result(added)
        except BadArgument:
            return False
        off = np.abs(made.astype(np.int64) - seen)
        if by.finish is not None:       # what wraps goes from one end to the other
            off = np.minimum(off, (1 << 8 * made.itemsize) - off)
        return bool((off <= 1).all())

    def tried(words: str, adding: Adding, added: NDArray[Any], by: Ending) -> Iterator[_Try]:
        if fits(added, by):
            yield _Try(words, adding, by)
        if near(added, by):     # what another rounding changes may lie outside of these pixels
            yield from (_Try(words, adding, by, one) for one in others if fits(added, by, one))

    for words, adding in sums(window):
        yield from tried(words, adding, adding(chosen), ending)
    for words, by in finishes(ending):
        yield from tried(words, window.accumulators, own, by)
    for words, scale in scales(ending):
        yield from tried(words, window.accumulators, own, replace(ending, scale=scale))
    for rounding in (*others, *incorrect_roundings()):
        if fits(own, ending, rounding):
            yield _Try(rounding.words, window.accumulators, replace(ending, rounding=rounding))
    for words, adding, by in orders(window, ending, chosen, seen):
        yield from tried(words, adding, adding(chosen), by)


def _said(one: _Try, window: Window, ending: Ending, told: CauseQuery) -> Cause:
    """With the numbers of one element."""
    pixel, channel = divmod(told.at, len(window.bias))
    pixels = np.array([pixel])
    right, wrong = int(window.accumulators(pixels)[0, channel]), int(one.adding(pixels)[0, channel])
    scale = float(np.broadcast_to(ending.scale, (len(window.bias),))[channel])
    numbers = f"its sum is {right}, and {wrong} so" if right != wrong else \
        f"its sum {right} times {scale:.9g} is {right * scale:.6f}"
    return Cause(one.words, "" if one.rounding is None else one.rounding.words, told.differing, told.at,
                 f"{numbers}: {told.becomes()}")


# ---- others

def _of_reals(reals: FloatRule, told: CauseQuery) -> Iterator[Cause]:
    right, ending, real = list(correct_roundings(False)), reals.ending, reals.correct
    # Roundings that are the layer's own: they give its own bytes. Some runtimes round with the zero point added.
    moved, by, own = 0, ending, [one for one in right if _makes(real, ending, one, told.ours)]
    if not own:
        moved, by = ending.zero_point, replace(ending, zero_point=0)
        own = [one for one in right if _makes(real + moved, by, one, told.ours)]
    if not own:
        moved, by = 0, ending
    rest = [one for one in right if one not in own]
    # Where another rounding does it all, what comes with it changes nothing.
    alone = {one.words for one in right if _makes(real + moved, by, one, told.theirs)}
    tries: list[tuple[str, NDArray[Any], Ending]] = [(words, one + moved, by) for words, one in reals.mutations]
    tries += [(words, real, one) for words, one in finishes(ending)]
    for words, wrong, ends in tries:
        fits = next((one for one in (*own, *rest) if one.words not in alone and _makes(wrong, ends, one, told.theirs)),
                    None)
        if fits is not None:
            yield _cause(words, "" if fits in own else fits.words, told, wrong - (moved if ends is by else 0), real)
    for one in (*rest, *incorrect_roundings(False)):
        if _makes(real, ending, one, told.theirs) or (moved and _makes(real + moved, by, one, told.theirs)):
            yield _cause(one.words, "", told, real, real)


def _makes(real: NDArray[Any], ending: Ending, rounding: RoundingCause, wanted: NDArray[Any]) -> bool:
    """Tried on the beginning first."""
    if real.shape != wanted.shape:
        return False
    flat, bytes_ = real.reshape(-1), wanted.reshape(-1)
    try:
        return all(np.array_equal(ending.result(flat[part], rounding), bytes_[part])
                   for part in (slice(0, 1 << 10), slice(1 << 10, None)))
    except BadArgument:
        return False


def _cause(words: str, rounding: str, told: CauseQuery, wrong: NDArray[Any], right: NDArray[Any]) -> Cause:
    one, other = float(right.reshape(-1)[told.at]), float(wrong.reshape(-1)[told.at])
    numbers = f"it is {one:.6f} before it is rounded" + (f", and {other:.6f} so" if one != other else "")
    return Cause(words, rounding, told.differing, told.at, f"{numbers}: {told.becomes()}")


def _whole(made: Iterable[tuple[str, NDArray[Any]]], told: CauseQuery) -> Iterator[Cause]:
    for words, result in made:
        if result.shape == told.theirs.shape and result.dtype == told.theirs.dtype and not _unequal(
                np.ascontiguousarray(result), told.theirs).size:
            yield Cause(words, "", told.differing, told.at, told.becomes())


Make = Callable[[], "NDArray[Any] | None"]


def variants_of(operator: Operator, values: Sequence[NDArray[Any]]) -> Iterator[tuple[str, Make]]:
    """Whole results of an operator with one thing done wrongly each, by its own rounding: words, and what makes one.

    None is made where a rounding does not take a scale.
    """
    if operator.requantizes:
        window = window_of(cast(WeightedOperator, operator), values)
        yield from _of_window(window, operator.output_shape(*(v.shape for v in values)))
        return
    reals = float_rule(operator, values, NUMBERS[0])
    if reals is not None:
        mine = operator.reference(*values)
        own = next((one for one in correct_roundings(False) if _makes(reals.correct, reals.ending, one, mine)),
                   reals.ending.rounding)
        for words, real in reals.mutations:
            yield words, partial(reals.ending.result, real, own)
        for words, by in finishes(reals.ending):
            yield words, partial(by.result, reals.correct, own)
        for one in incorrect_roundings(False):
            yield one.words, partial(reals.ending.result, reals.correct, one)
    for words, result in mutated_results(operator, values):
        yield words, partial(np.asarray, result)


def _of_window(window: Window, shape: tuple[int, ...]) -> Iterator[tuple[str, Make]]:
    ending, every = ending_of(window.operator), np.arange(window.pixels)

    def make(adding: Adding, by: Ending) -> NDArray[Any] | None:
        try:
            return by.result(adding(every)).reshape(shape)
        except BadArgument:
            return None

    for words, adding in sums(window):
        yield words, partial(make, adding, ending)
    for words, by in finishes(ending):
        yield words, partial(make, window.accumulators, by)
    for words, scale in scales(ending):
        yield words, partial(make, window.accumulators, replace(ending, scale=scale))
    for one in incorrect_roundings():
        yield one.words, partial(make, window.accumulators, replace(ending, rounding=one))


def _elsewhere(told: CauseQuery, values: Sequence[NDArray[Any]]) -> Iterator[Cause]:
    """The right values at wrong places, or in another type: whatever the layer does."""
    yield from _whole(_moved(told.ours, values), told)
    yield from _whole(_ordered(told.ours, told.theirs), told)
    yield from _tail(told)


def _moved(mine: NDArray[Any], values: Sequence[NDArray[Any]]) -> Iterator[tuple[str, NDArray[Any]]]:
    if mine.ndim == 4:
        batch, height, width, channels = mine.shape
        yield "the result is written with its channels first (NCHW) and read as if they came last (NHWC)", \
            np.ascontiguousarray(mine.transpose(0, 3, 1, 2)).reshape(mine.shape)
        yield "the result is written with its channels last (NHWC) and read as if they came first (NCHW)", \
            mine.reshape(batch, channels, height, width).transpose(0, 2, 3, 1)
        if height == width:
            yield "rows and columns of the result are exchanged", mine.transpose(0, 2, 1, 3)
        yield "the result stands on its head", mine[:, ::-1]
        yield "the result is mirrored", mine[:, :, ::-1]
    if mine.ndim > 1 and len(mine) > 1:
        yield "the images of the batch are in reverse order", mine[::-1]
    if mine.dtype.itemsize == 1 and mine.dtype.kind in "iu":
        yield "the bytes are 128 off, those of the other sign: the top bit is turned", (
            mine.view(np.uint8) ^ np.uint8(128)).view(mine.dtype)
    for number, value in enumerate(values):
        if value.shape == mine.shape and value.dtype == mine.dtype:
            which = "its input" if len(values) == 1 else f"its input {number}"
            yield f"the layer is left out: the result is {which}", value


def _ordered(mine: NDArray[Any], theirs: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Channels in another order."""
    if mine.ndim < 2 or mine.shape[-1] < 2:
        return
    right, wrong = mine.reshape(-1, mine.shape[-1]), theirs.reshape(-1, mine.shape[-1])
    places: dict[bytes, int] = {}
    for channel in range(right.shape[1]):
        places.setdefault(np.ascontiguousarray(right[:, channel]).tobytes(), channel)
    order = [channel if np.array_equal(right[:, channel], wrong[:, channel]) else
             places.get(np.ascontiguousarray(wrong[:, channel]).tobytes(), -1) for channel in range(right.shape[1])]
    if -1 in order or len(set(order)) < len(order):
        return
    first = next((channel for channel, source in enumerate(order) if source != channel), None)
    if first is not None:
        yield f"the result's channels are in another order: channel {first} holds what is channel {order[first]} " \
              "here", right[:, order].reshape(mine.shape)


def _tail(told: CauseQuery) -> Iterator[Cause]:
    """The last channels, or the last elements, hold one value."""
    mine, theirs = told.ours, told.theirs
    unequal, flat = _unequal(mine, theirs), theirs.reshape(-1)
    first, value = int(unequal[0]), flat[unequal[0]]
    if not (flat[unequal] == value).all():
        return
    words = ""
    if (flat == value).all():
        words = f"all elements hold {value}: nothing was computed"
    elif mine.ndim > 1 and (start := int((unequal % mine.shape[-1]).min())) and (theirs[..., start:] == value).all():
        words = f"channels {start} to {mine.shape[-1] - 1} all hold {value}: they were not computed"
    elif first and flat.size - first > FEW and (flat[first:] == value).all():
        words = f"elements from {first} on all hold {value}: they were not computed"
    if words:
        yield Cause(words, "", told.differing, told.at, told.becomes())
