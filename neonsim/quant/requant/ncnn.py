"""ncnn's arithmetic: int8 as steps per unit, the reciprocal of a scale; biases and activations stay floats.

    quantize_int8            float32 to int8     clip(round(x * steps), -127, 127), ties away from zero
    dequantize_accumulators  int32 to float32    sum * factor + bias, one rounding (FMLA); factor = 1 / (s_in * s_w)
    requantize_accumulators  int32 to int8       the same, limits of the activation, then quantize_int8, no cast

All in single precision, with steps as ncnn keeps them: 127 / largest size.

Source: (F03, F04, F05): ncnn `src/layer/quantize.cpp`, `dequantize.cpp`, `requantize.cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.float32 import clamp, fused

__all__ = ["NcnnParams", "dequantize_accumulators", "factor_of", "quantize_int8", "requantize_accumulators",
           "scales_of"]

Reals = NDArray[np.float32]

# Numbers below 2**-126 have fewer digits, and NEON of AArch32 takes them for 0: what kernels compute with is 0 or so
# far above that neither products nor what is left of a difference gets there.
SMALLEST = 2.0**-100
MAX_STEPS = 2.0**124       # what has fewer digits, times this, is no step yet


@dataclass(frozen=True)
class NcnnParams:
    """Parameters of kernels that quantise, dequantise and requantise: steps per unit, limits of the activation.

    steps       float   of what is written, 2**-100 .. 2**124; 1 where floats are written
    low, high   float   infinite, 0 (low alone) or at least 2**-100 in size; low < high

    Raises BadArgument for numbers out of range.
    """

    steps: float = 1.0
    low: float = -np.inf
    high: float = np.inf

    def __post_init__(self) -> None:
        steps = float(check_scale(self.steps, "steps per unit"))
        if not SMALLEST <= steps <= MAX_STEPS:
            raise BadArgument(f"steps per unit of a kernel must be 2**-100 to 2**124; got {steps:g}.")
        low, high = (float(np.float32(limit)) for limit in (self.low, self.high))
        if not low < high:
            raise BadArgument(f"the limits of a result must be low < high; got {self.low!r} and {self.high!r}.")
        if 0 < abs(low) < SMALLEST or abs(high) < SMALLEST:
            raise BadArgument("a limit of a kernel must be infinite, 0 (the lower one) or at least 2**-100 in size; "
                              f"got {low:g} and {high:g}.")
        for name, value in (("steps", steps), ("low", low), ("high", high)):
            object.__setattr__(self, name, value)


def quantize_int8(x: Reals, steps: Any) -> NDArray[np.int8]:
    """Floats to int8.

    steps   float32, how many make one unit

    Of a NaN there is no nearest integer; 0, as conversions of Arm's have it.

    >>> quantize_int8(np.array([0.5, -0.5, 1.5, 199.0], np.float32), 1.0).tolist()
    [1, -1, 2, 127]
    """
    with np.errstate(over="ignore"):
        scaled = (np.asarray(x, np.float32) * np.asarray(steps, np.float32)).astype(np.float64)
    whole = np.clip(np.copysign(np.floor(abs(scaled) + 0.5), scaled), -127, 127)
    return np.asarray(np.nan_to_num(whole).astype(np.int8))


def scales_of(outputs: int, groups: int) -> int:
    """How many steps per unit the weights of a layer have: one a channel, one a group where there are several.

    Source: (F03): ncnn `src/layer/convolutiondepthwise.cpp`, which is all that has groups.

    >>> scales_of(8, 1), scales_of(8, 2)
    (8, 2)
    """
    return groups if groups > 1 else outputs


def factor_of(x_steps: Any, w_steps: Any) -> Reals:
    """1 / (s_in * s_w); 0 for channels whose weights have no steps.

    >>> factor_of(4.0, np.array([2.0, 0.0], np.float32)).tolist()
    [0.125, 0.0]
    """
    with np.errstate(divide="ignore", over="ignore"):
        product = np.asarray(x_steps, np.float32) * np.asarray(w_steps, np.float32)
        return np.asarray(np.where(product == 0, 0, np.float32(1) / product), np.float32)


def dequantize_accumulators(accumulators: NDArray[np.int32], factor: Reals, bias: Reals, low: float = -np.inf,
                            high: float = np.inf) -> Reals:
    """Sums to floats, cut off by the activation.

    factor, bias   float32, one for each channel, the last axis
    """
    return clamp(fused(accumulators.astype(np.float32), factor, bias), low, high)


def requantize_accumulators(accumulators: NDArray[np.int32], factor: Reals, bias: Reals, steps: Any,
                            low: float = -np.inf, high: float = np.inf) -> NDArray[np.int8]:
    """From one layer to the next without floats in memory: (F05) is no cast from 32 to 8 bits."""
    return quantize_int8(dequantize_accumulators(accumulators, factor, bias, low, high), steps)
