"""Operators of ncnn's way to quantise: int8 without a scheme, steps per unit in the operators (F04, F05).

    QuantizeInt8       float32 to int8
    DequantizeAcc    int32 to float32, with bias and activation
    RequantizeAcc   int32 to int8: the requantisation between two convolutions

`neonsim.quant.requant.ncnn` has the formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends import Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.float32.operators import checked_limits, real_constants
from neonsim.nn.ops.float32.unquantized import Unquantized
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.lowering.elementwise import call_elements
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.requant import ncnn as definitions
from neonsim.quant.requant.ncnn import SMALLEST, NcnnParams
from neonsim.quant.tensor_type import TensorType
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["DequantizeAcc", "QuantizeInt8", "RequantizeAcc"]

_FLOAT, _SUMS, _BYTE = TensorType("float32"), TensorType("int32"), TensorType("int8")


ROWS = 64       # of a call


class QuantizeInt8(Unquantized):
    """Floats to int8. steps: how many make one unit, a positive number. NaN is refused."""

    kind = "quantization"

    def __init__(self, steps: float) -> None:
        self.steps = float(check_scale(steps, "steps per unit"))
        self._types([_FLOAT], _BYTE)

    def check_values(self, *values: NDArray[Any]) -> None:
        """NaN."""
        if np.isnan(values[0]).any():
            raise BadArgument("NaN has no integer: it cannot be quantised.")

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return definitions.quantize_int8(values[0], self.steps)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        return NativeLayer("ncnn_quantize",
                           {"scale": np.array([self.steps], np.float32), "input_channels": shapes[0][-1]})

    def unsupported_reason(self) -> str | None:
        """Kernels take steps of all digits."""
        return _without_kernels(self.kind, steps=self.steps)

    def lower(self, build: Builder, **options: Any) -> None:
        """4096 elements a call; a pixel a call where pixels lie apart."""
        call_elements(build, "f32_qs8_quantize", "element by element: times steps, rounded, narrowed",
                      NcnnParams(self.steps))


class DequantizeAcc(Unquantized):
    """Sums to floats.

    factor, bias   float32 [channels]
    low, high      limits of the activation
    """

    kind = "dequantization"
    layer, contract = "ncnn_dequantize", "s32_f32_dequantize"
    steps = 1.0

    def __init__(self, factor: ArrayLike, bias: ArrayLike, low: float = -np.inf, high: float = np.inf) -> None:
        self.factor, self.bias = real_constants(factor, "factor", 1), real_constants(bias, "bias", 1)
        self.low, self.high = checked_limits(low, high)
        if self.factor.shape != self.bias.shape:
            raise BadArgument(f"factor and bias have one number a channel; got {self.factor.size} and "
                              f"{self.bias.size}.")
        self._types([_SUMS], _FLOAT)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        if not shapes[0] or shapes[0][-1] != self.bias.size:
            raise BadArgument(f"sums {list(shapes[0])} do not have {self.bias.size} channels.")
        return shapes[0]

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return definitions.dequantize_accumulators(values[0], self.factor, self.bias, self.low, self.high)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        numbers, channels = [self.low, self.high, self.steps], self.bias.size
        return NativeLayer(self.layer, {"scale": np.concatenate([self.factor, self.bias, numbers]).astype(np.float32),
                                        "input_channels": channels, "output_channels": channels})

    def unsupported_reason(self) -> str | None:
        """Kernels take numbers of all digits."""
        return _without_kernels(self.kind, self.factor, self.bias, steps=self.steps, low=self.low, high=self.high)

    def lower(self, build: Builder, **options: Any) -> None:
        """64 rows a call."""
        one = build.choose(self.contract, "channel by channel: sum * factor + bias, rounded once, then the activation")
        block = build.constant("params", block_of(NcnnParams(self.steps, self.low, self.high)))
        factor, bias = (build.constant(name, values.view(np.uint8))
                        for name, values in (("factors", self.factor), ("biases", self.bias)))
        x, y = build.inputs[0], build.output
        for part in parts(x.pixels, ROWS):
            row = part.rows
            build.call(one, part.tiles, 1, f"{part.size} rows of {self.bias.size} channels", rows=part.size,
                       channels=self.bias.size, x=Pointer(x.name, row * x.stride), x_stride=x.stride, factor=factor,
                       bias=bias, y=Pointer(build.result, row * y.stride), y_stride=y.stride, params=block)


class RequantizeAcc(DequantizeAcc):
    """Sums to the int8 of the next layer. steps: of its input."""

    kind = "requantization"
    layer, contract = "ncnn_requantize", "s32_qs8_requantize"

    def __init__(self, factor: ArrayLike, bias: ArrayLike, steps: float, low: float = -np.inf,
                 high: float = np.inf) -> None:
        super().__init__(factor, bias, low, high)
        self.steps = float(check_scale(steps, "steps per unit"))
        self._types([_SUMS], _BYTE)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return definitions.requantize_accumulators(values[0], self.factor, self.bias, self.steps, self.low, self.high)


def _without_kernels(kind: str, *channels: NDArray[np.float32], **numbers: float) -> str | None:
    """Why kernels cannot do it: numbers that NEON of AArch32 takes for 0, and others would not."""
    try:
        NcnnParams(**numbers)
    except BadArgument as problem:
        return f"{str(problem).rstrip('.')}; backend='reference' does it."
    small = [float(one) for values in channels for one in values[(values != 0) & (abs(values) < SMALLEST)][:1]]
    return (f"factors and biases of kernels of {kind} are 0 or at least 2**-100 in size; one is {small[0]:g}; "
            "backend='reference' does it.") if small else None
