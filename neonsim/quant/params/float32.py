"""Parameters of float32 kernels: limits of the result, and the factor of a mean.

    FloatParams       y = clamp(sum, output_min, output_max)
    FloatMeanParams   y = clamp(sum * scale, output_min, output_max), the product rounded once
    FloatSlopeParams  y = x * slope where x is below 0
    FloatShareParams  y = exp(beta * (x - largest)) over their sum

Limits are single precision; -0 becomes +0, so that the larger of -0 and a limit of 0 is +0 (`floating.clamp`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant import float32

__all__ = ["FloatMeanParams", "FloatParams", "FloatShareParams", "FloatSlopeParams"]


def _single(value: Any, name: str) -> float:
    try:
        with np.errstate(over="ignore"):
            found = float(np.float32(value))
    except (TypeError, ValueError):
        raise BadArgument(f"{name} is a number; got {value!r}.") from None
    return found + 0.0


@dataclass(frozen=True)
class FloatParams:
    """Limits of a result in single precision.

    output_min, output_max   float   infinite: no limit

    Raises BadArgument for NaN, and for limits that leave no value.

    >>> FloatParams(0.0).clamp(np.array([-1, 2], np.float32)).tolist()
    [0.0, 2.0]
    """

    output_min: float = -np.inf
    output_max: float = np.inf

    def __post_init__(self) -> None:
        for name in ("output_min", "output_max"):
            object.__setattr__(self, name, _single(getattr(self, name), name))
        if not self.output_min <= self.output_max:
            raise BadArgument(f"output_min {self.output_min} and output_max {self.output_max} leave no value.")

    def clamp(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Within the limits; NaN stays."""
        return float32.clamp(x, self.output_min, self.output_max)


@dataclass(frozen=True)
class FloatMeanParams:
    """What a sum of rows is multiplied by, and limits.

    scale                    float   1 / rows, in single precision; finite
    output_min, output_max   float   infinite: no limit

    Raises BadArgument for a scale that is not finite, NaN, and limits that leave no value.

    >>> FloatMeanParams.from_rows(4).scale
    0.25
    """

    scale: float
    output_min: float = -np.inf
    output_max: float = np.inf

    def __post_init__(self) -> None:
        limits = FloatParams(self.output_min, self.output_max)
        object.__setattr__(self, "output_min", limits.output_min)
        object.__setattr__(self, "output_max", limits.output_max)
        object.__setattr__(self, "scale", _single(self.scale, "scale"))
        if not np.isfinite(self.scale):
            raise BadArgument(f"scale of a mean is finite; got {self.scale}.")

    @classmethod
    def from_rows(cls, rows: int, output_min: float = -np.inf, output_max: float = np.inf) -> FloatMeanParams:
        """For the mean of so many rows."""
        return cls(float(np.float32(1 / rows)), output_min, output_max)

    def mean(self, sums: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sums to means, within the limits."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float32.clamp(np.asarray(sums * np.float32(self.scale), np.float32), self.output_min,
                                 self.output_max)


@dataclass(frozen=True)
class FloatSlopeParams:
    """What negative values are multiplied by.

    slope   float   finite in single precision

    Raises BadArgument for one that is not finite.
    """

    slope: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "slope", _single(self.slope, "slope"))
        if not np.isfinite(self.slope):
            raise BadArgument(f"slope is finite; got {self.slope}.")


@dataclass(frozen=True)
class FloatShareParams:
    """What differences are multiplied by before their exponentials are taken.

    beta   float   positive and finite in single precision

    Raises BadArgument for another.
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", _single(self.beta, "beta"))
        if not (np.isfinite(self.beta) and self.beta > 0):
            raise BadArgument(f"beta is a positive finite number; got {self.beta}.")
