"""Activations of one byte into any scheme, by table (x8_lut): hard swish, ELU.

    hard_swish   x * relu6(x + 3) / 6     uint8, int8    16-bit fixed point: TensorFlow Lite's
    elu          x, exp(x) - 1 below 0    uint8, int8    single precision: XNNPACK's, which has int8

Source: (M24, M25).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.semantics import Lanes, compare, narrow, s16, sat, select, wide
from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.ops.operand import check_scheme, scheme_of
from neonsim.nn.ops.quantized.elementwise import DTYPES, LeakyRelu, Sigmoid, Tabled, Tanh, check_ties
from neonsim.quant.readings import read_values
from neonsim.quant.reference.lut_functions import lut_function
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["ACTIVATIONS", "Activated", "ActivationWords", "Elu", "Factor", "HardSwish", "elu", "hard_swish"]


Floats = NDArray[np.float32]


class _Activation(Tabled):
    """From the scheme of x into another of its type."""

    def __init__(self, x: Scheme, *, out: Scheme | None = None) -> None:
        self.schemes = (check_scheme(x, "x", DTYPES),)
        self.out = self.schemes[0] if out is None else check_scheme(out, "out", (x.dtype,))


class Factor(NamedTuple):
    """A positive factor in fixed point: multiplier / 2**15 * 2**exponent.

    multiplier   int   of 15 bits and a sign
    exponent     int
    """

    multiplier: int
    exponent: int

    @classmethod
    def of(cls, real: float) -> Factor:
        """The nearest one, by way of 31 bits.

        >>> Factor.of(0.75)
        Factor(multiplier=24576, exponent=0)
        """
        mantissa, exponent = math.frexp(real)
        long = math.floor(mantissa * 2.0**31 + 0.5)
        if long == 1 << 31:
            long, exponent = 1 << 30, exponent + 1
        return cls(min((long + (1 << 15)) >> 16, (1 << 15) - 1), exponent)


class ActivationWords(NamedTuple):
    """What files call an activation, and what they say of it.

    operator     class of the operator of 8-bit integers
    onnx         str        its word in .onnx; "" if it has none
    real         function   float32 [256] to float32 [256], as runtimes of .onnx compute it; the attributes by name
    attributes   {name: (name in .onnx, value where nothing is said)}
    qlinear      bool       ONNX Runtime has it with scales and zero points as inputs: QLinear before its word
    dtypes       (str, ...)   that LiteRT takes
    ties         bool       the operator takes how ties are rounded
    """

    operator: type[Any]
    onnx: str = ""
    real: Callable[..., Floats] | None = None
    attributes: Mapping[str, tuple[str, float]] = MappingProxyType({})
    qlinear: bool = False
    dtypes: tuple[str, ...] = DTYPES
    ties: bool = False


# By their words in .tflite: readers and writers of files, and the tests of both, iterate over them.
ACTIVATIONS: dict[str, ActivationWords] = {}


class Activated(_Activation):
    """An activation by a body in the vocabulary of instructions; a class of one names its words in files.

    tflite   str   its word in .tflite
    words    what `ActivationWords` has beside the class
    """

    def __init_subclass__(cls, *, tflite: str = "", **words: Any) -> None:
        super().__init_subclass__()
        if tflite:
            ACTIVATIONS[tflite] = ActivationWords(cls, **words)

    def __init__(self, x: Scheme, *, out: Scheme | None = None) -> None:
        super().__init__(x, out=out)
        self.factors = self.factors_of(float(x.scale), float(self.out.scale))

    @staticmethod
    @abstractmethod
    def factors_of(x_scale: float, out_scale: float) -> tuple[Factor, ...]:
        """What the body takes, of two scales. Raises BadArgument for scales that it does not take."""

    @staticmethod
    @abstractmethod
    def body(x: Lanes, *factors: Factor) -> Lanes:
        """int16 lanes of x less its zero point to those of the result less its own, before limits."""

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        x, info = self.schemes[0], np.iinfo(values[0].dtype)
        steps = read_values(self.body, values[0].astype(np.int16) - np.int16(x.zero_point), s16, *self.factors)
        return np.asarray(np.clip(steps.astype(np.int64) + self.out.zero_point, info.min, info.max), values[0].dtype)


def _high(x: Lanes, by: int) -> Lanes:
    """The high half of 2 * x * by: SQRDMULH of 16 bits, but for ties of negative products, which go away from zero."""
    product = wide(x) * by
    nudged = product + (1 << 14) + (product >> 31 & 1 - (1 << 15))
    return sat(_toward_zero(nudged, 15), s16)[0]


def _toward_zero(x: Lanes, shift: int) -> Lanes:
    return select(compare(x, ">=", 0), x >> shift, -(-x >> shift))


def _nearest(x: Lanes, shift: int) -> Lanes:
    """x / 2**shift, to nearest, ties away from zero."""
    half = 1 << shift >> 1
    return select(compare(x, ">=", 0), x + half >> shift, -(-x + half >> shift))


def _left(x: Lanes, by: int) -> Lanes:
    return sat(wide(x) << by, s16)[0]


def _float_hard_swish(real: Floats) -> Floats:
    return np.asarray(real * np.clip(real * np.float32(1 / 6) + np.float32(0.5), np.float32(0), np.float32(1)))


class HardSwish(Activated, tflite="HARD_SWISH", onnx="HardSwish", real=_float_hard_swish):
    """Hard swish, prepared. Arguments as `hard_swish`."""

    kind = "hard swish"

    @staticmethod
    def factors_of(x_scale: float, out_scale: float) -> tuple[Factor, ...]:
        """(x / 2**7 to steps of the result, x / 2**7 to steps of 3 / 2**15); steps of the result are at least 1/128 of
        the input's.

        >>> HardSwish.factors_of(0.05, 0.05)
        (Factor(multiplier=16384, exponent=-6), Factor(multiplier=17476, exponent=3))
        """
        hires = np.float32(1 / 128) * np.float32(x_scale)
        output = Factor.of(float(hires / np.float32(out_scale)))
        if output.exponent > 0:
            raise BadArgument(f"hard swish takes steps of the result of {float(hires):.9g} and more, 1/128 of those of "
                              f"x; got {out_scale:.9g}.")
        return output, Factor.of(float(hires / np.float32(np.float32(3) / np.float32(32768))))

    @staticmethod
    def body(x: Lanes, *factors: Factor) -> Lanes:
        output, reluish = factors
        hires, exponent = x << 7, reluish.exponent
        scaled = _high(hires, output.multiplier)
        share = _high(_left(hires, exponent - 1) if exponent > 0 else hires, reluish.multiplier)
        share = _left(share, 1) if exponent > 0 else _nearest(share, -exponent)
        share = narrow(wide(share) + (1 << 15) >> 1)        # 0 .. 2**15 - 1 for -3 .. 3
        product = _toward_zero(wide(share) * wide(scaled), 15)      # cancels the rounding up before
        return narrow(_nearest(product, -output.exponent))


class Elu(_Activation):
    """Exponential linear unit, prepared. Arguments as `elu`."""

    kind = "ELU"

    def __init__(self, x: Scheme, *, out: Scheme | None = None, ties: str = "even") -> None:
        super().__init__(x, out=out)
        self.ties = check_ties(ties)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return lut_function("elu", values[0], self.schemes[0], self.out, self.ties)


def _float_elu(real: Floats, alpha: float) -> Floats:
    below = np.float32(alpha) * np.expm1(np.minimum(real, np.float32(0)).astype(np.float64)).astype(np.float32)
    return np.asarray(np.where(real >= 0, real, below), np.float32)


def _float_sigmoid(real: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-real.astype(np.float64))), np.float32)


def _float_tanh(real: Floats) -> Floats:
    return np.asarray(np.tanh(real.astype(np.float64)), np.float32)


def _float_leaky_relu(real: Floats, slope: float) -> Floats:
    return np.asarray(np.where(real >= 0, real, np.float32(slope) * real), np.float32)


ACTIVATIONS |= {
    "ELU": ActivationWords(Elu, "Elu", _float_elu, {"alpha": ("alpha", 1.0)}, dtypes=("int8",), ties=True),
    "LEAKY_RELU": ActivationWords(LeakyRelu, "LeakyRelu", _float_leaky_relu, {"slope": ("alpha", 0.01)}, qlinear=True),
    "LOGISTIC": ActivationWords(Sigmoid, "Sigmoid", _float_sigmoid, qlinear=True, ties=True),
    "TANH": ActivationWords(Tanh, "Tanh", _float_tanh, ties=True),
}


def hard_swish(x: Quantized, *, out: Scheme | None = None, backend: str | Backend | None = None,
               threads: int = 1, kernel: str | NamedKernel | None = None,
               out_array: NDArray[Any] | None = None) -> Quantized:
    """x * relu6(x + 3) / 6, in 16-bit fixed point.

    x     Quantized uint8 or int8 [..., channels]
    out   Scheme of x's type, its steps no finer than 1/128 of those of x; None: that of x
    ->    Quantized of the same shape

    Raises BadArgument for other types, and for finer steps. Source: (M24).

    >>> hard_swish(Quantized(np.array([[-60, 0, 60]], np.int8), 0.1), out=Scheme(0.05, 0, "int8"),
    ...            backend="reference").values.tolist()
    [[0, 0, 120]]
    """
    return HardSwish(scheme_of(x), out=out)(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def elu(x: Quantized, *, out: Scheme | None = None, ties: str = "even", backend: str | Backend | None = None,
        threads: int = 1, kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """x where it is positive, exp(x) - 1 where it is not.

    x      Quantized uint8 or int8 [..., channels]
    out    Scheme of x's type; None: that of x
    ties   str   "even", as XNNPACK, or "away", as TensorFlow Lite's own kernels (`quant.reference.lut_functions`)
    ->     Quantized of the same shape

    Raises BadArgument for other types. Source: (M25).

    >>> elu(Quantized(np.array([[-60, 0, 60]], np.int8), 0.1), out=Scheme(0.05, 0, "int8"),
    ...     backend="reference").values.tolist()
    [[-20, 0, 120]]
    """
    return Elu(scheme_of(x), out=out, ties=ties)(x, backend=backend, threads=threads, kernel=kernel,
                                                 out_array=out_array)
