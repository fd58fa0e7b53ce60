"""Observers: what is kept of the values that a tensor held, and the range that follows.

    method           range                                                          looks
    minmax           smallest to largest                                            once
    moving-average   both ends, each batch counting a tenth                         once
    percentile       what 99.99 % of the values (by size) do not exceed             twice
    mse              the cut of 100 with the least mean squared error               twice
    kl               ncnn's entropy                                                 twice
    kl-tensorrt      TensorRT's entropy                                             twice
    aciq             of a normal distribution with that largest value               once

Those that look twice need the largest size before they can count sizes in bins. Ranges of floats always hold 0.

Source: (F17): ncnn `tools/quantize/ncnn2table.cpp`; R. Banner et al., Post training 4-bit quantization (ACIQ), 2019.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.calibration.entropy import BINS, LEVELS, ncnn_cut, tensorrt_cut

__all__ = ["METHODS", "Observer", "Range", "observer_of"]

Reals = NDArray[np.floating[Any]]


class Range(NamedTuple):
    """Floats from low to high; 0 is one of them."""

    low: float
    high: float

    @property
    def reach(self) -> float:
        """The largest size in it."""
        return max(-self.low, self.high)


class Observer(ABC):
    """Sees batches of a tensor, all of them once or, if `looks` is 2, once more by `look_again`; then has a range."""

    looks = 1

    def __init__(self) -> None:
        self.batches = 0

    def look(self, values: ArrayLike) -> None:
        """See a batch. Raises BadArgument for values that are no finite floats."""
        self._look(self._checked(values))
        self.batches += 1

    def look_again(self, values: ArrayLike) -> None:
        """See it the second time."""
        self._look_again(self._checked(values))

    def range(self) -> Range:
        """What the integers shall reach. Raises BadArgument if nothing was seen."""
        if not self.batches:
            raise BadArgument("no batch has a value for the calibration.")
        low, high = self._range()
        return Range(min(low, 0.0), max(high, 0.0))

    def _checked(self, values: ArrayLike) -> Reals:
        array = np.asarray(values)
        if array.dtype.kind not in "fiu":
            raise BadArgument(f"calibration values must be floating-point values; got {array.dtype}.")
        if not array.size:
            raise BadArgument(f"batch {self.batches} to calibrate with is empty: its shape is {list(array.shape)}.")
        real = array if array.dtype.kind == "f" else array.astype(np.float64)
        if not np.isfinite(real).all():
            where = [int(one) for one in np.argwhere(~np.isfinite(real))[0]]
            raise BadArgument(f"calibration values must be finite; batch {self.batches} has {real[tuple(where)]} at "
                              f"{where}.")
        return real

    @abstractmethod
    def _look(self, values: Reals) -> None: ...

    def _look_again(self, values: Reals) -> None:  # noqa: B027 (most look once)
        """What is kept of the second look."""

    @abstractmethod
    def _range(self) -> tuple[float, float]: ...


class MinMax(Observer):
    """Smallest and largest of all."""

    def __init__(self) -> None:
        super().__init__()
        self.low, self.high = math.inf, -math.inf

    def _look(self, values: Reals) -> None:
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))

    def _range(self) -> tuple[float, float]:
        return self.low, self.high


class MovingAverage(Observer):
    """Smallest and largest of a batch, averaged over batches, later ones counting more."""

    share = 0.1

    def __init__(self) -> None:
        super().__init__()
        self.low = self.high = 0.0

    def _look(self, values: Reals) -> None:
        share = self.share if self.batches else 1.0
        self.low += share * (float(values.min()) - self.low)
        self.high += share * (float(values.max()) - self.high)

    def _range(self) -> tuple[float, float]:
        return self.low, self.high


class Aciq(MinMax):
    """The cut that suits a normal distribution, guessed from the largest of n values: ncnn's form."""

    cut = 3.92403714   # In standard deviations, for 8 bits.

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def _look(self, values: Reals) -> None:
        super()._look(values)
        self.count += values.size

    def _range(self) -> tuple[float, float]:
        if self.count < 2:
            return self.low, self.high
        spread = 2 * max(-self.low, self.high) * (0.5 * 0.35) * (1 + math.sqrt(math.pi * math.log(4)))
        reach = self.cut * spread / math.sqrt(2 * math.log(self.count))
        return (-reach if self.low < 0 else 0.0), (reach if self.high > 0 else 0.0)


class Histogram(MinMax):
    """Sizes counted in 2048 bins up to the largest, below 0 and above it apart; zeros are in none of them."""

    looks = 2

    def __init__(self) -> None:
        super().__init__()
        self.below, self.above = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64)

    @property
    def reach(self) -> float:
        """The largest size."""
        return max(-self.low, self.high)

    def _look_again(self, values: Reals) -> None:
        if self.reach == 0:
            return
        for counts, sizes in ((self.below, -values[values < 0]), (self.above, values[values > 0])):
            # In double precision: the largest size of single precision would overflow times 2048.
            bins = np.minimum((sizes.astype(np.float64) / self.reach * BINS).astype(np.int64), BINS - 1)
            counts += np.bincount(bins, minlength=BINS)

    def _range(self) -> tuple[float, float]:
        if self.reach == 0:
            return 0.0, 0.0
        if not (self.below.any() or self.above.any()):
            raise BadArgument("this calibration needs two passes over every batch: look_again() is missing.")
        reach = min(self.reach * self._kept(self.below + self.above) / BINS, self.reach)
        return max(self.low, -reach), min(self.high, reach)

    @abstractmethod
    def _kept(self, counts: NDArray[np.int64]) -> float:
        """How many bins are kept, also parts of one."""


class Percentile(Histogram):
    """The size that n of the values that are not 0 do not exceed, straight between the edges of a bin."""

    percent = 99.99

    def _kept(self, counts: NDArray[np.int64]) -> float:
        up_to = np.concatenate(([0], np.cumsum(counts)))
        return float(np.interp(up_to[-1] * self.percent / 100, up_to, np.arange(BINS + 1)))


class Entropy(Histogram):
    """ncnn's divergence; its cut is half a bin beyond the last one kept."""

    def _kept(self, counts: NDArray[np.int64]) -> float:
        return ncnn_cut(counts) + 0.5


class TensorRtEntropy(Histogram):
    """TensorRT's divergence, with the same half bin."""

    def _kept(self, counts: NDArray[np.int64]) -> float:
        return tensorrt_cut(counts) + 0.5


class MeanSquaredError(Histogram):
    """The best of 100 cuts for values at the middles of their bins, on 128 levels a side."""

    steps = 100

    def _kept(self, counts: NDArray[np.int64]) -> float:
        middles = np.arange(BINS) + 0.5
        best, least = float(BINS), math.inf
        for step in range(self.steps, 0, -1):
            kept = BINS * step / self.steps
            one = kept / (LEVELS - 1)
            error = float(counts @ (np.minimum(np.rint(middles / one), LEVELS - 1) * one - middles) ** 2)
            if error < least:
                best, least = kept, error
        return best


METHODS: dict[str, Callable[[], Observer]] = {
    "minmax": MinMax, "moving-average": MovingAverage, "percentile": Percentile, "mse": MeanSquaredError,
    "kl": Entropy, "kl-tensorrt": TensorRtEntropy, "aciq": Aciq,
}


def observer_of(method: str) -> Observer:
    """A new observer by name.

    Raises BadArgument for a name that is not one of METHODS.

    >>> seen = observer_of("minmax")
    >>> seen.look([0.5, -1.0]), seen.look([2.0])
    (None, None)
    >>> seen.range()
    Range(low=-1.0, high=2.0)
    """
    if method not in METHODS:
        raise BadArgument(f"a method of calibration must be {', '.join(METHODS)}; got {method!r}.")
    return METHODS[method]()
