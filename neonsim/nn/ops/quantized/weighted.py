"""Products of quantised operands, and the row of `finishes` that makes integers of their sums."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.locking import lockless_cached_property
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.ops.finishes import finish_of
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.kernel_families import GemmLayer, KernelFamily
from neonsim.nn.ops.operand import check_scheme
from neonsim.nn.ops.product import Product
from neonsim.quant.params.gemm_steps import GemmParams
from neonsim.quant.requant.int16x8 import Int16x8Params
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["FinishOptions", "WeightedOperator"]

_DTYPES = ("uint8", "int8", "int16")


class FinishOptions(TypedDict, total=False):
    """Arguments of all products of quantised operands; `fully_connected` says what they mean."""

    requantization: str | None
    output_min: int | None
    output_max: int | None
    scale_rule: str | None
    scale: ArrayLike | None


class WeightedOperator(Product):
    """An operator with weights and a scheme for its result.

    w             Quantized             uint8 or int8; one scale, or one per output channel
    bias          int32 [out]           int64 of 16x8
    finish        Finish                how sums are rounded
    scale         float32 [] or [out]   requantisation scale, in single precision; float64 where it was given
    given_scale   as it was given, or None
    """

    prefers_network_layer = requantizes = True
    account = "product"
    w: Quantized

    def _quantize(self, x: Scheme, w: Quantized, bias: Any, out: Scheme, **options: Unpack[FinishOptions]) -> None:
        """Settle all but the geometry."""
        if not isinstance(w, Quantized):
            raise BadArgument(f"w must be a Quantized, an array with its scale and zero point; got {type(w).__name__}. "
                              "Write Quantized(values, scale=..., zero_point=...).")
        self.schemes = (check_scheme(x, "x", _DTYPES),)
        self.out = check_scheme(out, "out", _DTYPES)
        if w.axis not in (None, self.axis):
            raise BadArgument(f"w has its scales along axis {w.axis}; weights have one scale per output channel, "
                              f"axis={self.axis}.")
        self.w, self.given_scale = w, options.get("scale")
        self.output_min, self.output_max = limits(self.out.dtype, options.get("output_min"), options.get("output_max"))
        self.finish = finish_of(options.get("requantization"), (x.dtype, out.dtype), self.given_scale is not None)
        self.bias = _bias(bias, (w.shape[self.axis] if len(w.shape) > self.axis else 0)
                          * (self.groups if self.axis else 1), self.finish.sum_type)
        self.finish.check(self)
        self.scale: NDArray[Any] = self.finish.scale(self, options.get("scale_rule"))

    @property
    def requantization(self) -> str:
        """The name of its finish."""
        return self.finish.name

    @property
    def layer_kinds(self) -> tuple[str, str]:  # type: ignore[override]
        return self.finish.layer_kinds

    @property
    def single_scale(self) -> NDArray[np.float32]:
        """Input scale * weight scale / output scale in single precision, [] or [out], whatever scale was given."""
        with np.errstate(over="ignore", under="ignore"):
            # In this order, as QNNPACK computes it: another order gives other multipliers.
            return np.asarray(np.float32(self.schemes[0].scale) * np.asarray(self.w.scale, np.float32)
                              / np.float32(self.out.scale), np.float32)

    def rounded_by(self, requantization: str) -> Self:
        """The same product, rounded by another scheme from its single scale.

        Raises BadArgument for one that products do not have.
        """
        other = copy(self)
        for name in ("family", "gemm_layer"):       # what was worked out for this one
            other.__dict__.pop(name, None)
        other.finish, other.scale = finish_of(requantization, ("", ""), False), self.single_scale
        return other

    @property
    def params(self) -> GemmParams | Int16x8Params:
        """What requantises its sums: for kernels of q31 their block."""
        return self.finish.params(self)

    @lockless_cached_property
    def family(self) -> KernelFamily | None:
        """The contracts whose kernels suit; None where there are none."""
        return self.finish.family(self)

    @lockless_cached_property
    def gemm_layer(self) -> GemmLayer:
        """The product as kernels take it; only where `family` is not None."""
        return self.finish.gemm_layer(self)

    def unsupported_reason(self) -> str | None:
        """Kernels take the combinations of `kernel_families`."""
        return self.finish.refusal(self)

    def lower_product(self, build: Builder, lowering: str | None) -> None:
        """By the kernels of its finish."""
        self.finish.lower(self, build, lowering)

    def layer_fields(self, *shapes: tuple[int, ...]) -> dict[str, Any]:
        """Weights, bias, rounding and limits."""
        if self.w.dtype == np.int8 and self.w.zero_point != 0:
            raise BackendError(f"the zero point of its int8 weights is {self.w.zero_point}; it must be 0.")
        own = self.finish.layer(self)
        return own if "weights" in own else {
            "weights": self.w.values, "bias": self.bias, "weight_zero_point": self.w.zero_point,
            "output_min": self.output_min, "output_max": self.output_max, **own}

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """Sums by definition, requantised."""
        return self.params.requantize(self.accumulators(*values))

    def accumulators(self, *values: NDArray[Any]) -> NDArray[Any]:
        """Sums before requantisation: int32 in the shape of the result, int64 of 16x8."""
        kind = self.finish.sum_type
        zeros = {"x_zero_point": self.schemes[0].zero_point, "w_zero_point": self.w.zero_point}
        return self.sum_up(values[0], kind, zeros if kind == "int32" else {})

    def details(self) -> list[str]:
        many = self.scale.ndim and self.scale.size > 1
        value = f"{self.scale.min():.6g} to {self.scale.max():.6g}, one per channel" if many else \
            f"{float(self.scale.reshape(-1)[0]):.9g}"
        return [*self.geometry(), f"requantization {self.requantization}, scale {value}"]


def _bias(bias: Any, channels: int, dtype: str) -> NDArray[Any]:
    if bias is None:
        return np.zeros(channels, dtype)
    found = np.asarray(bias)
    if found.dtype != dtype or found.shape != (channels,):
        raise BadArgument(
            f"bias must be {dtype} [{channels}], one per output channel (row of w); got {found.dtype} "
            f"{list(found.shape)}. Its unit is input scale * weight scale: round(float bias / (input scale * weight "
            f"scale)).")
    return found
