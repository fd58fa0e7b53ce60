"""Between floats and quantised ones: the edges of a quantised network.

    quantize     float32 -> uint8, int8, int16           q = clip(rint(x / scale) + zero_point)
    dequantize   uint8, int8, int16, int32 -> float32    x = scale * (q - zero_point)

Kernels and layers of native networks do what is computed in single precision: products with 1 / scale (reciprocal),
quotients rounded half away from zero, and all dequantisation of schemes. What LiteRT's optimised kernels compute in
whole eights (`neonsim.quant.reference.litert_vectors`) goes by an element's place: layers of networks have it, kernels
have not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.elementwise import call_elements
from neonsim.nn.ops.operand import check_scheme, with_channels
from neonsim.nn.ops.operator import Operator, Plan, first_capable_backend
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.quant.reference import litert_vectors
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["ArrayPlan", "Dequantize", "Quantize", "UnquantizedOperator", "dequantize", "quantize"]

_DTYPES = ("uint8", "int8", "int16")
_FLOAT = TensorType("float32")


class ArrayPlan(Plan):
    """A plan whose result is an array of numbers as they are."""

    def run(self, *inputs: Any, threads: int = 1) -> NDArray[Any]:  # type: ignore[override]
        return np.asarray(super().run(*inputs, threads=threads))


class UnquantizedOperator(Operator):
    """An operator whose result has no scheme: numbers as they are, in a numpy array."""

    def plan(self, *shapes: Any, backend: str | Backend | None = None, kernel: str | NamedKernel | None = None,
             strides: Any = None, out_stride: int | None = None, in_place: str | None = None,
             **options: Any) -> ArrayPlan:
        return first_capable_backend(backend, kernel,
                                     lambda found: ArrayPlan(self, found, shapes, kernel, strides, out_stride,
                                                             in_place, options))

    def __call__(self, *inputs: Any, **options: Any) -> NDArray[Any]:  # type: ignore[override]
        return np.asarray(super().__call__(*inputs, **options))


class Quantize(Operator):
    """Floats to integers, prepared. Arguments as `quantize`.

    reciprocal   bool   as files of networks have it (M17): x * (1 / scale) in single precision; NaN is the upper end
    finite       bool   ... but refused, if this is True, as without `reciprocal` it always is
    """

    kind = account = "quantization"
    input_types = (_FLOAT,)
    bounded = True      # 2**30 steps and more are refused but for ties="even": C++ leaves open what they become

    def __init__(self, *, out: Scheme, reciprocal: bool = False, ties: str = "even", finite: bool = False) -> None:
        self.out, self.reciprocal = check_scheme(out, "out", _DTYPES), reciprocal
        self.finite = finite or not reciprocal or ties != "even"
        if ties not in ("even", "away", "eights"):
            raise BadArgument(f"ties must be 'even', 'away' or 'eights'; got {ties!r}.")
        self.ties = ties

    @property
    def _ends(self) -> tuple[int, int]:
        """Smallest and largest value of a result."""
        return limits(self.out.dtype)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., channels] -> the same."""
        return with_channels(shapes[0], "x")

    def check_values(self, *values: NDArray[Any]) -> None:
        """NaN, where it is refused, and what is too large."""
        x = values[0]
        if self.finite and np.isnan(x).any():
            place = tuple(int(one) for one in np.argwhere(np.isnan(x))[0])
            raise BadArgument(f"values to quantise contain NaN at {place}, which has no integer.")
        if self.ties != "even" and self.bounded and (large := np.abs(x, dtype=np.float64) >= self._bound).any():
            place = tuple(int(one) for one in np.argwhere(large)[0])
            raise BadArgument(f"values to quantise contain {float(x[place]):g} at {place}, 2**30 steps of "
                              f"{float(self.out.scale):g} and more: which is undefined in C++.")

    @property
    def _bound(self) -> float:
        return float(np.float32(self.out.scale)) * litert_vectors.MAX_STEPS

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        self.check_values(*values)
        if self.ties == "eights":
            return litert_vectors.quantize(values[0], self.out)
        if self.ties == "away":
            with np.errstate(over="ignore"):
                single = values[0] / np.float32(self.out.scale)
            # A scheme of steps of 1: what is rounded already stays.
            size = np.floor(np.abs(single.astype(np.float64)) + 0.5)
            return Scheme(1.0, self.out.zero_point, self.out.dtype).quantize(np.copysign(size, single)).values
        if not self.reciprocal:
            return self.out.quantize(values[0]).values
        low, high = limits(self.out.dtype)
        with np.errstate(all="ignore"):
            steps = values[0].astype(np.float32) * self._factor
        steps = np.clip(np.nan_to_num(steps, nan=np.inf), low - self.out.zero_point, high - self.out.zero_point)
        return np.asarray(np.rint(steps) + self.out.zero_point).astype(self.out.dtype)

    @property
    def _factor(self) -> np.float32:
        with np.errstate(over="ignore"):
            return np.float32(np.float32(1) / np.float32(self.out.scale))

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        wide, divides = self.out.dtype == "int16", self.ties != "even"
        if not divides and (wide or not self.reciprocal):
            raise BackendError("networks multiply by 1 / scale, or divide and round halves away from zero; here halves "
                               "of quotients go to even")
        refuses = 2 if divides and self.bounded else int(self.finite)
        number = np.float32(self.out.scale) if divides else self._factor
        rounding = {"away": "f32_quotient", "eights": "ruy8"}.get(self.ties)
        fields = {"scale": np.array([number, refuses, self.out.zero_point], np.float32), "input_zero_point": 0,
                  "input_channels": shapes[0][-1], "rounding": rounding}
        if wide:
            return NativeLayer("quantize", {**fields, "second_multiplier": 2, "output_channels": shapes[0][-1],
                                            "output_zero_point": 0})
        low, high = self._ends
        return NativeLayer("quantize", {**fields, "output_min": low, "output_max": high})

    def unsupported_reason(self) -> str | None:
        """Kernels multiply by 1 / scale, or divide and have no zero point."""
        try:
            self._kernel()
        except BadArgument as why:
            return (f"there are no kernels for {self.kind} of float32 so ({str(why).rstrip('.')}): kernels "
                    "multiply by 1 / scale, or divide where there is no zero point; backend='reference' does it.")
        return None

    def _kernel(self) -> tuple[str, str, QuantizeParams | DivideParams]:
        """Contract, what it does, and its parameters. Raises BadArgument where there is none."""
        out, away = self.out, self.ties == "away"
        if away and out.zero_point == 0 and out.dtype != "uint8":
            low, high = self._ends
            return (f"f32_q{'s16' if out.dtype == 'int16' else 's8'}_quotient", "divided, half away from zero",
                    DivideParams(float(np.float32(out.scale)), low, high))
        if self.ties != "even" or not self.reciprocal or out.dtype == "int16":
            way = {"away": "ties away", "eights": "in whole eights"}.get(
                self.ties, "times 1 / scale" if self.reciprocal else "by the quotient")
            raise BadArgument(f"to {out.dtype}, zero point {out.zero_point}, {way}")
        return ("f32_x8_vcvt", "times 1 / scale, ties to even",
                QuantizeParams(float(self._factor), out.zero_point, out.dtype))

    def lower(self, build: Builder, **options: Any) -> None:
        """4096 elements a call."""
        contract, reason, params = self._kernel()
        call_elements(build, contract, reason, params)


class Dequantize(UnquantizedOperator):
    """Integers to the floats that they stand for, prepared. Arguments as `dequantize`, the scheme for x.

    scale    of int32 sums, in place of a scheme: one, or one per channel
    eights   bool   whole eights as LiteRT's optimised kernels (`neonsim.quant.reference.litert_vectors`)
    """

    kind = account = "dequantization"
    output_type = _FLOAT

    def __init__(self, x: Scheme | None = None, *, scale: ArrayLike | None = None, eights: bool = False) -> None:
        if (x is None) == (scale is None):
            raise BadArgument("dequantization needs either the Scheme of 8-bit integers or scale= of int32 "
                              "accumulators.")
        self.x = None if x is None else check_scheme(x, "x", _DTYPES)
        # Without a zero point both ways are one.
        self.eights = eights and self.x is not None and self.x.zero_point != 0
        self.scale = None if scale is None else check_scale(scale)
        if self.scale is not None and self.scale.ndim > 1:
            raise BadArgument(f"scale of int32 sums must be one number or one per channel; got shape "
                              f"{list(self.scale.shape)}.")

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        """Integers of a scheme, or sums."""
        return (TensorType("int32") if self.x is None else TensorType.from_any(self.x),)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., channels] -> the same."""
        shape = with_channels(shapes[0], "x")
        if self.scale is not None and self.scale.ndim and self.scale.size != shape[-1]:
            raise BadArgument(f"there are {self.scale.size} scales for {shape[-1]} channels of x {list(shape)}.")
        return shape

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition, in single precision."""
        if self.x is not None and self.eights:
            return litert_vectors.dequantize(values[0], self.x)
        if self.x is not None:
            return Quantized(values[0], self.x.scale, self.x.zero_point).dequantize()
        assert self.scale is not None
        return np.asarray(values[0].astype(np.float32) * self.scale, np.float32)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """By a table, of bytes as networks keep them: int8 with 128 added."""
        if self.x is None:
            raise BackendError(f"there is no layer for {self.kind} of int32")
        if self.x.dtype == "int16":
            if self.x.zero_point:
                raise BackendError("the zero point of its 16 bits must be 0")
            return NativeLayer("dequantize", {"scale": np.array([self.x.scale], np.float32), "multiplier": 2,
                                              "input_channels": shapes[0][-1], "output_channels": shapes[0][-1]})
        every = np.arange(256, dtype=np.uint8) ^ np.uint8(0x80 if self.x.dtype == "int8" else 0)
        table = Quantized(every.view(self.x.dtype), self.x.scale, self.x.zero_point).dequantize()
        if self.eights:
            table = np.concatenate([litert_vectors.dequantize(every.view(self.x.dtype), self.x), table])
        if not np.isfinite(table).all():
            raise BackendError("a floating-point value that it stands for is too large for float32")
        return NativeLayer("dequantize", {"scale": table, "rounding": "ruy8" if self.eights else None,
                                          "output_channels": shapes[0][-1]})

    def unsupported_reason(self) -> str | None:
        """Kernels take integers of schemes, and do the same everywhere."""
        if self.eights:
            return (f"there are no kernels for {self.kind} that goes by an element's place; backend='reference' has "
                    "it, and networks do.")
        return None if self.x is not None else (
            f"there are no kernels for {self.kind} to float32 of int32 by scales alone; backend='reference' takes it.")

    def lower(self, build: Builder, **options: Any) -> None:
        """4096 elements a call."""
        assert self.x is not None
        contract = "qs16_f32_vcvt" if self.x.dtype == "int16" else "x8_f32_vcvt"
        call_elements(build, contract, "less the zero point, times the scale",
                      DequantizeParams(float(self.x.scale), self.x.zero_point, self.x.dtype))


def quantize(x: NDArray[np.float32], *, out: Scheme, ties: str = "even", backend: str | Backend | None = None,
             out_array: NDArray[Any] | None = None) -> Quantized:
    """Floats to the nearest integers of a scheme; what is out of range becomes the nearest end.

    x     float32 [..., channels]
    out   Scheme of uint8 or int8
    ties  str   "even"; "away" from zero, of quotients in single precision, as TensorFlow Lite's reference kernels
                (Y17); "eights", as its optimised ones (`neonsim.quant.reference.litert_vectors`): those two take less
                than 2**30 steps
    ->    Quantized of the same shape

    Raises BadArgument for another type, NaN and too many steps, BackendError for backends that have no kernel for it.

    >>> quantize(np.array([0.0, 0.5, -9.0], np.float32), out=Scheme(0.5, 10)).values.tolist()
    [10, 11, 0]
    """
    return Quantize(out=out, ties=ties)(x, backend=backend, out_array=out_array)


def dequantize(x: Quantized | NDArray[np.int32], *, scale: ArrayLike | None = None,
               backend: str | Backend | None = None, out_array: NDArray[Any] | None = None) -> NDArray[np.float32]:
    """The floats that integers stand for, in single precision.

    x       Quantized uint8 or int8, or int32 [..., channels]
    scale   None; of int32 what a step is worth: one number, or one per channel
    ->      float32 of the same shape

    Raises BadArgument for another type, BackendError for backends that have no kernel for it.

    >>> dequantize(np.array([[4, -4]], np.int32), scale=[0.5, 0.25]).tolist()
    [[2.0, -1.0]]
    """
    return Dequantize(x.scheme if isinstance(x, Quantized) else None, scale=scale)(x, backend=backend,
                                                                                   out_array=out_array)
