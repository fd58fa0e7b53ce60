"""Activations of one byte into any scheme, by table (x8_lut): hard swish, ELU.

    hard_swish   x * relu6(x + 3) / 6     uint8, int8    16-bit fixed point: TensorFlow Lite's
    elu          x, exp(x) - 1 below 0    uint8, int8    single precision: XNNPACK's, which has int8

Source: (M24, M25).
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.ops.operand import check_scheme, scheme_of
from neonsim.nn.ops.quantized.elementwise import DTYPES, Tabled, check_ties
from neonsim.quant.reference import lut_float32, lut_functions
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Elu", "HardSwish", "elu", "hard_swish"]


class _Activation(Tabled):
    """From the scheme of x into another of its type."""

    def __init__(self, x: Scheme, *, out: Scheme | None = None) -> None:
        self.schemes = (check_scheme(x, "x", DTYPES),)
        self.out = self.schemes[0] if out is None else check_scheme(out, "out", (x.dtype,))

    def _schemes(self) -> dict[str, Any]:
        x = self.schemes[0]
        return {"x_scale": float(x.scale), "x_zero_point": x.zero_point, "out_scale": float(self.out.scale),
                "out_zero_point": self.out.zero_point}


class HardSwish(_Activation):
    """Hard swish, prepared. Arguments as `hard_swish`."""

    kind = "hard swish"

    def __init__(self, x: Scheme, *, out: Scheme | None = None) -> None:
        super().__init__(x, out=out)
        lut_functions.hard_swish_factors(float(x.scale), float(self.out.scale))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return lut_functions.hard_swish(values[0], **self._schemes())


class Elu(_Activation):
    """Exponential linear unit, prepared. Arguments as `elu`."""

    kind = "ELU"

    def __init__(self, x: Scheme, *, out: Scheme | None = None, ties: str = "even") -> None:
        super().__init__(x, out=out)
        self.ties = check_ties(ties)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return lut_float32.elu(values[0], ties=self.ties, **self._schemes())


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
    ties   str   "even", as XNNPACK, or "away", as TensorFlow Lite's own kernels (`neonsim.quant.reference.lut_float32`)
    ->     Quantized of the same shape

    Raises BadArgument for other types. Source: (M25).

    >>> elu(Quantized(np.array([[-60, 0, 60]], np.int8), 0.1), out=Scheme(0.05, 0, "int8"),
    ...     backend="reference").values.tolist()
    [[-20, 0, 120]]
    """
    return Elu(scheme_of(x), out=out, ties=ties)(x, backend=backend, threads=threads, kernel=kernel,
                                                 out_array=out_array)
