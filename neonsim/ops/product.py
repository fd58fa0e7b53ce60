"""From an operator to matrix products: what is checked, which parameters come of the scales, who computes.

Every operator that multiplies ends here: `lower` turns checked operands into products, one per group of channels, and
`run` hands them to a backend. Nothing of this knows what a backend does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Backend, NamedKernel, best, get
from neonsim.errors import BackendError, BadArgument
from neonsim.quant.fixedpoint import as_int
from neonsim.quant.requant import GemmParams, Q31Params, SchemeParams, limits, rounding
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Operands", "Product", "check_operands", "run"]


@dataclass(frozen=True, eq=False)
class Operands:
    """What the caller gave, checked: types fit, one bias and one scale per output channel.

    bias            int32 [out]
    scale           float32 [] or [out]     requantisation scale: input * weight / output, in single precision
    """

    x: Quantized
    w: Quantized
    bias: NDArray[np.int32]
    out: Scheme
    scale: NDArray[np.float32]
    requantization: str
    output_min: int
    output_max: int

    def params(self, channels: slice) -> GemmParams:
        """Parameters of the product that gives these output channels.

        What QNNPACK's kernels compute (all uint8, one scale, q31) becomes Q31Params, which every backend takes.
        """
        common = {
            "a_zero_point": self.x.zero_point, "w_zero_point": self.w.zero_point,
            "output_zero_point": self.out.zero_point, "output_min": self.output_min, "output_max": self.output_max,
        }
        unsigned = {self.x.dtype.name, self.w.dtype.name, self.out.dtype} == {"uint8"}
        if self.requantization == "q31" and unsigned and self.scale.ndim == 0:
            return Q31Params.from_scale(float(self.scale), **common)
        scale = self.scale if self.scale.ndim == 0 else self.scale[channels]
        return SchemeParams(self.requantization, scale, dtype=self.out.dtype, **common)


@dataclass(frozen=True, eq=False)
class Product:
    """One matrix product of an operator.

    lhs        uint8 or int8 [m, k]
    weights    uint8 or int8 [n, k]
    bias       int32 [n]
    channels   slice                  which output channels it gives
    """

    lhs: NDArray[Any]
    weights: NDArray[Any]
    bias: NDArray[np.int32]
    params: GemmParams
    channels: slice


def _check_quantized(value: Any, name: str) -> Quantized:
    if not isinstance(value, Quantized):
        raise BadArgument(f"{name} must be a Quantized, an array with its scale and zero point; got "
                          f"{type(value).__name__}. Write Quantized(values, scale=..., zero_point=...).")
    return value


def check_operands(x: Quantized, w: Quantized, bias: Any, *, out: Scheme, requantization: str,
                   output_min: int | None, output_max: int | None) -> Operands:
    """Check what all multiplying operators have in common; shapes are the operator's business.

    Raises BadArgument, naming the argument, for operands that are not Quantized, scales per channel where there can
    be one only, a bias of the wrong type or length, an unknown requantization, a clamp outside the output type or
    empty, and a requantisation scale that the scheme does not take.
    """
    _check_quantized(x, "x")
    _check_quantized(w, "w")
    if not isinstance(out, Scheme):
        raise BadArgument(f"out must be a Scheme, scale and zero point of the result; got {type(out).__name__}. "
                          "Write out=Scheme(scale=..., zero_point=...).")
    for name, owner in (("x", x), ("out", out)):
        if owner.axis is not None:
            raise BadArgument(f"{name} has one scale per channel (axis {owner.axis}); only weights may. "
                              f"Give {name} one scale.")
    if w.axis not in (None, 0):
        raise BadArgument(f"w has its scales along axis {w.axis}; weights have one scale per output channel, axis=0.")
    channels = w.shape[0]
    if bias is None:
        biases = np.zeros(channels, np.int32)
    else:
        biases = np.asarray(bias)
        if biases.dtype != np.int32 or biases.shape != (channels,):
            raise BadArgument(
                f"bias must be int32 [{channels}], one per output channel (row of w); got {biases.dtype} "
                f"{list(biases.shape)}. It counts in steps of input scale * weight scale: round(real bias / (input "
                "scale * weight scale)).")
    low, high = limits(out.dtype, output_min, output_max)
    scheme = rounding(requantization).name
    with np.errstate(over="ignore", under="ignore"):
        # In this order and in single precision, as QNNPACK computes it: another order gives other multipliers.
        scale = np.asarray(np.float32(x.scale) * np.asarray(w.scale, np.float32) / np.float32(out.scale), np.float32)
    operands = Operands(x, w, biases, out, scale, scheme, low, high)
    try:
        operands.params(slice(None))
    except BadArgument as problem:
        raise BadArgument(f"input scale * weight scale / output scale does not suit requantization={scheme!r} "
                          f"(input {x.scale!r}, output {out.scale!r}). {problem}") from None
    return operands


def run(products: list[Product], operands: Operands, shape: tuple[int, ...], backend: str | Backend | None,
        threads: int, kernel: str | NamedKernel | None) -> Quantized:
    """Compute all products on one backend and put their channels side by side.

    shape   of the result; its last axis are the output channels
    """
    count = as_int(threads, "threads", 1, 1024)
    chosen = best(products[0].params, kernel) if backend is None else get(backend)
    values = np.empty((int(np.prod(shape[:-1])), shape[-1]), operands.out.dtype)
    used: list[str] = []
    for product in products:
        reason = chosen.refuses(product.params, kernel)
        if reason is not None:
            raise BackendError(f"The {chosen.name} backend cannot do this: {reason}")
        if not values.size:
            continue        # an empty batch is fine and no work
        packed = chosen.pack(product.weights, product.bias, product.params, kernel)
        result = chosen.gemm(product.lhs, packed, product.params, threads=count, kernel=kernel)
        values[:, product.channels] = result.values
        if result.kernel not in used:
            used.append(result.kernel)
    return Quantized(values.reshape(shape), operands.out.scale, operands.out.zero_point, backend=chosen.name,
                     kernel=", ".join(used) or None)
