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
        raise BadArgument(f"{name} must be a number; got {value!r}.") from None
    return found + 0.0


@dataclass(frozen=True)
class _Limits:
    output_min: float = -np.inf
    output_max: float = np.inf

    def __post_init__(self) -> None:
        for name in ("output_min", "output_max"):
            object.__setattr__(self, name, _single(getattr(self, name), name))
        if not self.output_min <= self.output_max:
            raise BadArgument(f"output_min {self.output_min} and output_max {self.output_max} exclude every value.")

    def clamp(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Within the limits; NaN stays."""
        return float32.clamp(x, self.output_min, self.output_max)


@dataclass(frozen=True)
class FloatParams(_Limits):
    """Limits of a result in single precision.

    output_min, output_max   float   infinite: no limit

    Raises BadArgument for NaN, and for limits that exclude every value.

    >>> FloatParams(0.0).clamp(np.array([-1, 2], np.float32)).tolist()
    [0.0, 2.0]
    """


@dataclass(frozen=True)
class FloatMeanParams(_Limits):
    """What a sum of rows is multiplied by, and limits.

    scale   float   1 / rows, in single precision; finite

    Raises BadArgument for a scale that is not finite, and as FloatParams.

    >>> FloatMeanParams.from_rows(4).scale
    0.25
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _finite(self, "scale")

    @classmethod
    def from_rows(cls, rows: int, output_min: float = -np.inf, output_max: float = np.inf) -> FloatMeanParams:
        """For the mean of n rows."""
        return cls(output_min, output_max, float(np.float32(1 / rows)))

    def mean(self, sums: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sums to means, within the limits."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.clamp(np.asarray(sums * np.float32(self.scale), np.float32))


@dataclass(frozen=True)
class FloatSlopeParams:
    """What negative values are multiplied by: a slope that is finite in single precision, else BadArgument."""

    slope: float

    def __post_init__(self) -> None:
        _finite(self, "slope")


@dataclass(frozen=True)
class FloatShareParams:
    """What differences are multiplied by before their exponentials are taken.

    beta   float   positive and finite in single precision

    Raises BadArgument for another.
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        _finite(self, "beta")
        if self.beta <= 0:
            raise BadArgument(f"beta must be a positive finite number; got {self.beta}.")


def _finite(block: Any, name: str) -> None:
    object.__setattr__(block, name, _single(getattr(block, name), name))
    if not np.isfinite(getattr(block, name)):
        raise BadArgument(f"{name} must be finite; got {getattr(block, name)}.")
