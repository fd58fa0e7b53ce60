"""What all multiplying operators have in common: weights, bias, and the way back to eight bits.

    acc  = bias + sum of (x - zx) * (w - zw)                    int32, wraps
    y    = clip(round(acc * (x.scale * w.scale / out.scale)) + zy, output_min, output_max)

The scale is computed in single precision, or given in double precision (`scale=`) with a rounding of
`quant.requant.double_scale`. Requantization "tengine" and "tengine-reference" are those of `quant.requant.tengine`.

16x8 is int16 times int8 to int16, all of zero point 0, with sums and bias of 64 bits and requantization "s64"
(`quant.requant.int16x8`); its scale is computed in double precision.

Kernels do this for the combinations of types, scales and requantization in `contract_sets`; the reference backend does
it for every scheme, uint8 or int8, with one scale or one per output channel. int8 weights have zero point 0 with
requantization "rndnu" and "fp32", whose kernels also rely on weights of -127 and more: "rndnu" refuses -128, "fp32"
takes it without kernels. Left out, requantization is "q31" for uint8 and "fp32" for int8: those that have kernels.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.locking import lockless_cached_property
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.ops.lowering.gemm_calls import ZeroPoint
from neonsim.nn.ops.lowering.kernel_families import (
    Q31,
    SUMS,
    GemmLayer,
    KernelFamily,
    check_operands,
    family_of,
    kernel_params,
)
from neonsim.nn.ops.operand import check_scheme
from neonsim.nn.ops.operator import Operator
from neonsim.quant.params.gemm_steps import GemmParams, Q31Params, SchemeParams
from neonsim.quant.requant.double_scale import DoubleScale, DoubleScaleParams
from neonsim.quant.requant.int16x8 import Int16x8Params, check_sums
from neonsim.quant.requant.tengine import RULES, TengineParams
from neonsim.quant.rounding import ROUNDINGS, derive, fp32_lrint, gemmlowp, limits, q31, rounding_named
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["WeightedOperator", "scale_rules"]

_DTYPES = ("uint8", "int8", "int16")
# The one that has kernels, for one scale and, of int8, for one a channel; and layers of networks.
DEFAULTS = {"uint8": q31.row.name, "int8": fp32_lrint.row.word, "int16": "s64"}
# Which requantisation scales are taken (Z09): below 1, as QNNPACK, or up to 256, as XNNPACK.
scale_rules = ("strict", "wide")


class WeightedOperator(Operator):
    """An operator with weights and int32 sums.

    w       Quantized    uint8 or int8; one scale, or one per output channel
    bias    int32 [out]; int64 of 16x8
    sixteen Int16x8Params or None   what kernels of 16x8 are given
    scale   float32 [] or [out]     requantisation scale, in single precision; float64 where it was given
    wide    DoubleScale or None       the scale that was given, with its rounding
    """

    prefers_network_layer = True
    stores_accumulators = True   # kernels of products that leave sums do its products
    divides = True      # by the output's scale, after the product: what "tengine-reference" does

    def __init__(self, x: Scheme, w: Quantized, bias: Any, *, out: Scheme, channels_axis: int, channels: int,
                 requantization: str | None, output_min: int | None, output_max: int | None,
                 scale_rule: str | None, scale: ArrayLike | None) -> None:
        if not isinstance(w, Quantized):
            raise BadArgument(f"w must be a Quantized, an array with its scale and zero point; got {type(w).__name__}. "
                              "Write Quantized(values, scale=..., zero_point=...).")
        self.schemes = (check_scheme(x, "x", _DTYPES),)
        self.out = check_scheme(out, "out", _DTYPES)
        if w.axis not in (None, channels_axis):
            raise BadArgument(f"w has its scales along axis {w.axis}; weights have one scale per output channel, "
                              f"axis={channels_axis}.")
        self.w = w
        self.output_min, self.output_max = limits(self.out.dtype, output_min, output_max)
        self.tengine = isinstance(requantization, str) and requantization in RULES
        if self.tengine and scale is not None:
            raise BadArgument(f"requantization={requantization!r} takes the scales of its operands; leave scale= out.")
        self.sixteen: Int16x8Params | None = None
        self.scale: NDArray[Any]
        if "int16" in (self.out.dtype, self.schemes[0].dtype) or requantization == "s64":
            self._sixteen(bias, channels, requantization, scale_rule, scale)
            return
        self.bias: NDArray[Any] = _bias(bias, channels)
        self.wide = None if scale is None else _wide(requantization, scale, channels)
        self.requantization = (str(requantization) if self.tengine else self.wide.scheme if self.wide else
                               rounding_named(requantization or DEFAULTS[self.out.dtype]).name)
        check_operands(self.schemes[0], w, self.out, self.requantization)
        if self.wide is not None:
            if scale_rule is not None:
                raise BadArgument("a scale in double precision has no scale_rule: any below 2**30 is taken.")
            self.scale = self.wide.scale
            return
        with np.errstate(over="ignore", under="ignore"):
            # In this order and in single precision, as QNNPACK computes it: another order gives other multipliers.
            self.scale = np.asarray(np.float32(self.schemes[0].scale) * np.asarray(w.scale, np.float32)
                                    / np.float32(self.out.scale), np.float32)
        if self.tengine:
            if scale_rule is not None:
                raise BadArgument(f"requantization={requantization!r} has no scale_rule: 2**-32 up to 256 is taken.")
            self._tengine_params()
        else:
            self._check_scale(scale_rule)

    def _tengine_params(self) -> TengineParams:
        """Raises BadArgument for scales that do not suit."""
        with np.errstate(over="ignore", under="ignore"):
            product = np.asarray(np.float32(self.schemes[0].scale) * np.asarray(self.w.scale, np.float32), np.float32)
        whole = self.divides or self.requantization == "tengine"
        return TengineParams(self.requantization, product if whole else self.scale,
                             float(np.float32(self.out.scale)) if whole else 1.0, self.schemes[0].zero_point,
                             self.w.zero_point, self.out.zero_point, self.output_min, self.output_max, self.out.dtype)

    def _sixteen(self, bias: Any, channels: int, requantization: str | None, scale_rule: str | None,
                 scale: ArrayLike | None) -> None:
        """Sums of 64 bits, which have one requantisation."""
        x, w = self.schemes[0], self.w
        if requantization not in (None, "s64") or scale_rule is not None:
            raise BadArgument("16x8 has one requantization, 's64', and no scale_rule; got "
                              f"{requantization!r} and {scale_rule!r}.")
        if (x.dtype, w.dtype.name, self.out.dtype) != ("int16", "int8", "int16"):
            raise BadArgument(f"16x8 multiplies int16 by int8 weights to int16; got x of {x.dtype}, w of {w.dtype}, "
                              f"out of {self.out.dtype}.")
        zeros = {"x": x.zero_point, "w": w.zero_point, "out": self.out.zero_point}
        if any(zeros.values()):
            raise BadArgument("16x8 is symmetric, all zero points are 0; got "
                              f"{', '.join(f'{name} {zero}' for name, zero in zeros.items())}.")
        self.wide, self.requantization = None, "s64"
        self.bias = _bias(bias, channels, np.int64)
        if w.values.ndim:
            check_sums(w.values, self.bias)
        # Scales count in single precision, their product and quotient are of doubles, as in TensorFlow Lite.
        real = [np.asarray(np.asarray(one.scale, np.float32), np.float64) for one in (x, w, self.out)]
        self.scale = np.asarray(real[0] * real[1] / real[2] if scale is None else scale, np.float64)
        if self.scale.shape not in ((), (channels,)):
            raise BadArgument(f"scale is one number or one per output channel, [{channels}]; got shape "
                              f"{list(self.scale.shape)}.")
        self.sixteen = Int16x8Params.from_scale(self.scale, self.output_min, self.output_max)

    def _check_scale(self, rule: str | None) -> None:
        if rule not in (None, *scale_rules):
            raise BadArgument(f"scale_rule is {' or '.join(scale_rules)}; got {rule!r}.")
        x, out = self.schemes[0], self.out
        try:
            derive(self.scale, self.requantization)
            if rule == "strict" and (self.scale >= 1).any():
                raise BadArgument(f"The requantisation scale is {float(self.scale.max()):.9g}; the strict rule of "
                                  "QNNPACK takes scales below 1 only. Take scale_rule='wide', or a larger output "
                                  "scale.")
            if rule == "wide" and rounding_named(self.requantization).below == 1:
                raise BadArgument(f"requantization={self.requantization!r} cannot enlarge, so it has no wide rule: "
                                  "take 'rndnu', 'precise' or 'fp32', which go up to 256.")
        except BadArgument as problem:
            raise BadArgument(f"input scale * weight scale / output scale does not suit requantization="
                              f"{self.requantization!r} (input {x.scale!r}, output {out.scale!r}). {problem}") from None

    @property
    def params(self) -> GemmParams | Int16x8Params:
        """What kernels are given: Q31Params where they can do it; SchemeParams, DoubleScaleParams, Int16x8Params."""
        if self.sixteen is not None:
            return self.sixteen
        common = {
            "a_zero_point": self.schemes[0].zero_point, "w_zero_point": self.w.zero_point,
            "output_zero_point": self.out.zero_point, "output_min": self.output_min, "output_max": self.output_max,
        }
        if self.tengine:
            return self._tengine_params()
        if self._for_kernels and self.wide is not None:
            return Q31Params(int(self.wide.fixed.multiplier), int(self.wide.fixed.shift), **common)
        if self._for_kernels:
            return Q31Params.from_scale(float(self.scale), **common)
        if self.wide is not None:
            return DoubleScaleParams(self.wide, dtype=self.out.dtype, **common)
        return SchemeParams(self.requantization, self.scale, dtype=self.out.dtype, **common)

    @property
    def _for_kernels(self) -> bool:
        if self.out.dtype != "uint8" or self.scale.ndim:
            return False
        if self.wide is None:
            return self.requantization == q31.row.name
        # The same values: kernels take any multiplier of 31 bits, and shift to the right.
        fixed = self.wide.fixed
        return bool(self.requantization == gemmlowp.row.name and fixed.multiplier > 0 and fixed.shift >= 0)

    @property
    def _lowest(self) -> bool:
        """Whether there is a weight of -128 where kernels rely on it that there is none."""
        return self.requantization == "fp32_lrint" and self.out.dtype == "int8" and bool((self.w.values == -128).any())

    @lockless_cached_property
    def family(self) -> KernelFamily | None:
        """The contracts whose kernels suit; None where there are none."""
        if self._for_kernels:
            return Q31
        none = self.wide is not None or self.sixteen is not None or self._lowest
        return None if none else family_of(self.out.dtype, self.scale, self.requantization)

    @property
    def by_sums(self) -> GemmLayer | None:
        """What is multiplied where sums are kept and then go through real numbers; None where that is not so."""
        if self.requantization != "tengine-reference" or self.out.zero_point or self.out.dtype != "int8":
            return None
        return GemmLayer(SUMS, self.w.values, self.bias, ZeroPoint(self.schemes[0].zero_point))

    @lockless_cached_property
    def gemm_layer(self) -> GemmLayer:
        """The product as kernels take it; only where `family` is not None."""
        assert self.family is not None
        params = self.params if self.family is Q31 else kernel_params(
            self.family, self.scale, a_zero_point=self.schemes[0].zero_point, w_zero_point=self.w.zero_point,
            output_zero_point=self.out.zero_point, output_min=self.output_min, output_max=self.output_max)
        return GemmLayer(self.family, self.w.values, self.bias, params, self.scale)

    def unsupported_reason(self) -> str | None:
        """Kernels take the combinations of `contract_sets`."""
        known = self.family is not None or self.sixteen is not None
        if known or (self.stores_accumulators and self.by_sums is not None):
            return None
        if self.wide is not None:
            return (f"there are no kernels of {self.kind} for {self.out.dtype} with requantization "
                    f"{self.requantization!r} and {'one scale per channel' if self.scale.ndim else 'a scale'} in "
                    f"double precision, up to {float(self.scale.max()):.3g}. There are for scales below 1: 'gemmlowp' "
                    "of convolutions, and of other uint8 products with one scale. backend='reference' takes "
                    "everything; networks do but for 'flat16' and zero points of int8 weights.")
        if self._lowest:
            return (f"w holds -128 {int((self.w.values == -128).sum())} times, and kernels rely on weights of -127 and "
                    "more: two products -128 * -128 do not add up in 16 bits. backend='reference' takes them, and "
                    "networks do.")
        scales = "one scale per channel" if self.scale.ndim else "one scale"
        return (f"there are no kernels for {self.out.dtype} operands with {scales} and requantization "
                f"{self.requantization!r}. There are for uint8 with one scale: 'q31', 'rndnu', 'fp32'; int8 with one "
                "scale: 'rndnu', 'fp32'; int8 with one scale per channel: 'fp32', 'tengine'. backend='reference' takes "
                "everything.")

    def layer_fields(self) -> dict[str, Any]:
        """Weights, bias, rounding and limits of a layer of the C library's networks.

        Raises BackendError for a requantisation that they do not have.
        """
        weights = self.w.values
        if weights.dtype == np.int8 and self.w.zero_point != 0:
            raise BackendError(f"the zero point of its int8 weights is {self.w.zero_point}; it must be 0.")
        found: dict[str, Any] = {"weights": weights, "bias": self.bias, "weight_zero_point": self.w.zero_point,
                                 "output_min": self.output_min, "output_max": self.output_max}
        if self.requantization == "flat16":
            raise BackendError("requantization 'flat16' rounds by an element's place in all of the result; only "
                               "backend='reference' has it.")
        if self.wide is not None:
            return {**found, "rounding": self.requantization, "double_scale": np.atleast_1d(self.wide.scale)}
        if self.tengine:
            made = self._tengine_params()
            if self.requantization == "tengine":
                return {**found, "rounding": "tengine", "double_scale": np.atleast_1d(made.quotient).astype(np.float64)}
            return {**found, "rounding": "f32_quotient", "double_scale": np.atleast_1d(made.factor).astype(np.float64),
                    "scale": np.array([made.divisor], np.float32)}
        row = ROUNDINGS.get(self.requantization)
        if row is not None and not row.fixed:
            return {**found, "rounding": row.word, "scale": np.atleast_1d(self.scale).astype(np.float32)}
        if row is not None and row.twice and self.scale.ndim == 0:
            multiplier, shift = row.derive(self.scale)
            return {**found, "rounding": q31.row.name, "multiplier": int(multiplier), "shift": int(shift)}
        raise BackendError(f"its requantization is {self.requantization!r} with {self.scale.size} scales; 'q31' takes "
                           "one scale, 'fp32' one or one per channel.")

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """Sums by definition, requantised."""
        acc = self.accumulators(*values)
        return self.params.requantize(acc)

    @abstractmethod
    def accumulators(self, *values: NDArray[Any]) -> NDArray[Any]:
        """Sums before requantisation: int32 in the shape of the result, int64 of 16x8."""

    def details(self) -> list[str]:
        many = self.scale.ndim and self.scale.size > 1
        value = f"{self.scale.min():.6g} to {self.scale.max():.6g}, one per channel" if many else \
            f"{float(self.scale.reshape(-1)[0]):.9g}"
        return [f"requantization {self.requantization}, scale {value}"]


def _wide(requantization: str | None, scale: ArrayLike, channels: int) -> DoubleScale:
    found = DoubleScale(requantization or gemmlowp.row.name, scale)
    if found.scale.shape not in ((), (channels,)):
        raise BadArgument(f"scale is one number or one per output channel, [{channels}]; got shape "
                          f"{list(found.scale.shape)}.")
    return found


def _bias(bias: Any, channels: int, dtype: type = np.int32) -> NDArray[Any]:
    if bias is None:
        return np.zeros(channels, dtype)
    found = np.asarray(bias)
    if found.dtype != dtype or found.shape != (channels,):
        raise BadArgument(
            f"bias must be {np.dtype(dtype)} [{channels}], one per output channel (row of w); got {found.dtype} "
            f"{list(found.shape)}. It counts in steps of input scale * weight scale: round(real bias / (input "
            "scale * weight scale)).")
    return found

