"""Operators of ncnn's way to quantise: int8 without a scheme, steps per unit in the operators (F04, F05).

    ToSteps       float32 to int8
    SumsToReal    int32 to float32, with bias and activation
    SumsToSteps   int32 to int8: the requantisation between two convolutions

`neonsim.quant.per_unit` has the formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.backends.layer import NativeLayer
from neonsim.errors import BadArgument
from neonsim.ops.floating import checked_limits, real_constants
from neonsim.ops.plain import Plain
from neonsim.quant import per_unit as definitions
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.tensor_type import TensorType

__all__ = ["SumsToReal", "SumsToSteps", "ToSteps"]

_FLOAT, _SUMS, _BYTE = TensorType("float32"), TensorType("int32"), TensorType("int8")


class ToSteps(Plain):
    """Real numbers to int8. steps: how many make one unit, a positive number."""

    kind = "quantization"

    def __init__(self, steps: float) -> None:
        self.steps = float(check_scale(steps, "steps per unit"))
        self._types([_FLOAT], _BYTE)

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        if np.isnan(values[0]).any():
            raise BadArgument("NaN has no integer: it cannot be quantised.")
        return definitions.to_steps(values[0], self.steps)

    def native_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Element by element."""
        return NativeLayer("to_steps", {"scale": np.array([self.steps], np.float32), "input_channels": shapes[0][-1]})


class SumsToReal(Plain):
    """Sums to real numbers.

    factor, bias   float32 [channels]
    low, high      limits of the activation
    """

    kind = "dequantization"

    def __init__(self, factor: ArrayLike, bias: ArrayLike, low: float = -np.inf, high: float = np.inf) -> None:
        self.factor, self.bias = real_constants(factor, "factor", 1), real_constants(bias, "bias", 1)
        self.low, self.high = checked_limits(low, high)
        if self.factor.shape != self.bias.shape:
            raise BadArgument(f"factor and bias have one number a channel; got {self.factor.size} and "
                              f"{self.bias.size}.")
        self._types([_SUMS], _FLOAT)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """The same."""
        if not shapes[0] or shapes[0][-1] != self.bias.size:
            raise BadArgument(f"sums {list(shapes[0])} do not have {self.bias.size} channels.")
        return shapes[0]

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        return definitions.from_sums(values[0], self.factor, self.bias, self.low, self.high)

    layer = "sums_to_real"

    def native_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Channel by channel."""
        limits = [self.low, self.high, getattr(self, "steps", 1.0)]
        channels = self.bias.size
        return NativeLayer(self.layer, {"scale": np.concatenate([self.factor, self.bias, limits]).astype(np.float32),
                                        "input_channels": channels, "output_channels": channels})


class SumsToSteps(SumsToReal):
    """Sums to the int8 of the next layer. steps: of its input."""

    kind = "requantization"

    def __init__(self, factor: ArrayLike, bias: ArrayLike, steps: float, low: float = -np.inf,
                 high: float = np.inf) -> None:
        super().__init__(factor, bias, low, high)
        self.steps = float(check_scale(steps, "steps per unit"))
        self._types([_SUMS], _BYTE)

    layer = "sums_to_steps"

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        return definitions.between(values[0], self.factor, self.bias, self.steps, self.low, self.high)
