"""Parameters of kernels between floats and integers, and what they do.

    QuantizeParams    float32 -> 8 bits          x * factor, cut off, to nearest even, plus the zero point
    DequantizeParams     8 or 16 bits -> float32    (q - zero_point) * scale
    DivideParams   a real number -> integers  divided by a scale, cut off, to nearest, ties away from zero

All in single precision, every step rounded. The last is how Tengine's operators go through floats: what they
compute before they divide is said with each method.

Source: (F08, F10, F12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.float32 import clamp
from neonsim.quant.requant.tengine import half_away
from neonsim.quant.rounding import limits

__all__ = ["DequantizeParams", "DivideParams", "QuantizeParams"]

Reals = NDArray[np.float32]
MAX_FACTOR = 2.0**124   # times what NEON of AArch32 takes for 0: less than a half
SMALLEST = 2.0**-100        # of scales that are added: their sums are no subnormal numbers


@dataclass(frozen=True)
class QuantizeParams:
    """From floats to 8 bits by a product.

    factor       float   1 / scale, 2**-126 to 2**124
    zero_point   int
    dtype        str     "uint8" or "int8"

    Raises BadArgument for numbers out of range.

    >>> QuantizeParams(2.0, 10, "uint8").quantize(np.array([0.25, 0.75, -99, np.nan], np.float32)).tolist()
    [10, 12, 0, 255]
    """

    factor: float
    zero_point: int
    dtype: str

    def __post_init__(self) -> None:
        low, high = limits(self.dtype)
        if not low <= self.zero_point <= high:
            raise BadArgument(f"zero_point of {self.dtype} must be {low} to {high}; got {self.zero_point}.")
        found = float(check_scale(self.factor, "factor"))
        if found > MAX_FACTOR:
            raise BadArgument(f"a factor of kernels must be 2**124 at most; got {found:g}.")
        object.__setattr__(self, "factor", found)

    @property
    def low(self) -> int:
        """The smallest value, the zero point taken off."""
        return limits(self.dtype)[0] - self.zero_point

    @property
    def high(self) -> int:
        """The largest value, the zero point taken off."""
        return limits(self.dtype)[1] - self.zero_point

    def quantize(self, x: Reals) -> NDArray[Any]:
        """clip(rint(x * factor) + zero_point); NaN is the upper end."""
        with np.errstate(all="ignore"):
            steps = np.nan_to_num(x * np.float32(self.factor), nan=np.inf, posinf=np.inf, neginf=-np.inf)
        return np.asarray((np.rint(np.clip(steps, self.low, self.high)) + self.zero_point).astype(self.dtype))


@dataclass(frozen=True)
class DequantizeParams:
    """From integers to floats.

    scale        float   normal in single precision
    zero_point   int
    dtype        str     "uint8", "int8" or "int16"

    >>> DequantizeParams(0.5, 1, "uint8").real(np.array([0, 255], np.uint8)).tolist()
    [-0.5, 127.0]
    """

    scale: float
    zero_point: int
    dtype: str

    def __post_init__(self) -> None:
        low, high = limits(self.dtype)
        if not low <= self.zero_point <= high:
            raise BadArgument(f"zero_point of {self.dtype} is {low} to {high}; got {self.zero_point}.")
        object.__setattr__(self, "scale", float(check_scale(self.scale)))

    def real(self, q: NDArray[Any]) -> Reals:
        """(q - zero_point) * scale."""
        with np.errstate(over="ignore"):
            whole = (q.astype(np.int32) - self.zero_point).astype(np.float32)
            return np.asarray(whole * np.float32(self.scale), np.float32)


@dataclass(frozen=True)
class DivideParams:
    """Through floats, divided by a scale.

    divisor                  float   of the result: its scale
    output_min, output_max   int     of the result
    scale, other_scale       float   of the operands
    count                    float   elements of a mean
    low, high                float   of the real number, as an activation has them

    Raises BadArgument for scales that are no normal positive numbers, a count below 1, and limits that leave nothing.
    """

    divisor: float
    output_min: int = -127
    output_max: int = 127
    scale: float = 1.0
    other_scale: float = 1.0
    count: float = 1.0
    low: float = -np.inf
    high: float = np.inf

    def __post_init__(self) -> None:
        for name in ("divisor", "scale", "other_scale"):
            object.__setattr__(self, name, float(check_scale(getattr(self, name), name.replace("_", " "))))
        if min(self.scale, self.other_scale) < SMALLEST:
            raise BadArgument(f"scales of kernels must be 2**-100 and more; got {min(self.scale, self.other_scale):g}.")
        if not 1 <= self.count <= 2**24 or self.count % 1:
            raise BadArgument(f"a mean must be of 1 to 2**24 elements; got {self.count!r}.")
        limits("int16", self.output_min, self.output_max)
        for name in ("low", "high"):
            object.__setattr__(self, name, float(np.float32(getattr(self, name))) + 0.0)
        if not self.low < self.high:
            raise BadArgument(f"the limits of an activation must be low < high; got {self.low!r} and {self.high!r}.")

    def whole(self, real: Reals) -> NDArray[np.int64]:
        """clip(round(real / divisor)); of a NaN 0, as conversions of Arm's have it."""
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.asarray(real / np.float32(self.divisor), np.float32)
        return np.asarray(np.clip(half_away(np.nan_to_num(steps, posinf=np.inf, neginf=-np.inf)), self.output_min,
                                  self.output_max).astype(np.int64))

    def of_sums(self, sums: NDArray[np.int32], factor: Reals) -> NDArray[np.int64]:
        """Of sums times a factor for each channel, the last axis (F10)."""
        with np.errstate(over="ignore"):
            return self.whole(sums.astype(np.float32) * factor)

    def added(self, a: NDArray[np.int8], b: NDArray[np.int8]) -> NDArray[np.int64]:
        """Of a * scale + b * other_scale."""
        with np.errstate(over="ignore"):
            return self.whole(a.astype(np.float32) * np.float32(self.scale)
                              + b.astype(np.float32) * np.float32(self.other_scale))

    def clamped(self, x: NDArray[np.int8]) -> NDArray[np.int64]:
        """Of x * scale, cut off at `low` and `high` (F12)."""
        with np.errstate(over="ignore"):
            return self.whole(clamp(x.astype(np.float32) * np.float32(self.scale), self.low, self.high))

    def mean(self, sums: NDArray[Any]) -> NDArray[np.int64]:
        """Of sum * scale / count."""
        with np.errstate(over="ignore"):
            return self.whole(np.asarray(sums.astype(np.float32) * np.float32(self.scale) / np.float32(self.count),
                                         np.float32))
