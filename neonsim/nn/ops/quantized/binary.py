"""Sums, differences, products, the larger and the smaller of two arrays: tables of rules for `Pair`.

    operator   rule          uint8                                    int8
    add        away          qu8_vadd: factors of 22 bits, ties away  -
               up            qu8_vsub, qu8_vsubc: factors of 21 bits  qs8_vadd, qs8_vaddc
               twice         networks by a table of all pairs         the same
               onnxruntime   in single precision: by a kernel that has the same results for all pairs, or by definition
               tengine       -                                        the same, or qs8_vadd_quotient
    subtract   up, twice     as a sum whose second factor is negative
    multiply   fp32, rndnu   qu8_vmul_*, qu8_vmulc_*                  qs8_vmul_*, qs8_vmulc_*
               gemmlowp      networks by a table of all pairs         the same
               onnxruntime   as of add
    maximum, minimum         networks; bytes are compared             the same
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.operand import check_ratio, scheme_of
from neonsim.nn.ops.quantized.pair import Pair, PairRule
from neonsim.quant.params.elementwise import PAIRS, AddParams, MultiplyParams, ScaledAddParams
from neonsim.quant.reference.litert_vectors import Narrowing
from neonsim.quant.reference.single_precision import DetourSum, Float32Product, Float32Sum
from neonsim.quant.requant.double_scale import DoubleAddParams, DoubleMultiplyParams
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.requant.tengine import MAX_INT8
from neonsim.quant.rounding import default_rounding
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Add", "Maximum", "Minimum", "Multiply", "Subtract", "add", "multiply", "subtract"]


# ---- sums and differences --------------------------------------------------------------------------------------------

def _by_factors(kind: type[AddParams] | type[ScaledAddParams], subtract: bool) -> Callable[..., Any]:
    def params(a: Scheme, b: Scheme, out: Scheme, **ends: int) -> AddParams | ScaledAddParams:
        ratios = [float(check_ratio(one, out, kind.LOWEST, 8, name)) for name, one in (("a", a), ("b", b))]
        if max(ratios) < 2.0**-10:
            raise BadArgument(f"a scale / output scale is {ratios[0]:.9g} and b scale / output scale "
                              f"{ratios[1]:.9g}; one of them must be at least 2**-10, or the sum of "
                              "products would be shifted by more than 31 bits (the older library's operator takes both "
                              "down to 2**-14, but its parameters are asserted to shift by less than 32).")
        return kind.from_scales(*ratios, a_zero_point=a.zero_point, b_zero_point=b.zero_point,
                                output_zero_point=out.zero_point, subtract=subtract, dtype=out.dtype, **ends)
    return params


def _sum_layer(operator: Pair, params: AddParams | ScaledAddParams) -> NativeLayer:
    """Of a difference the second factor is negative."""
    return NativeLayer("add", {
        "rounding": operator.rule_name, "multiplier": params.a_multiplier, "second_multiplier": params.b_multiplier,
        "shift": params.shift, "output_min": operator.output_min, "output_max": operator.output_max})


_LONG = " with multipliers of 31 bits"


def _up(subtract: bool) -> PairRule:
    return PairRule(_by_factors(ScaledAddParams, subtract), {"uint8": ("qu8_vsub", "qu8_vsubc"),
                                                             "int8": ("qs8_vadd", "qs8_vaddc")}, _sum_layer,
                    title="ties up")


def _twice(subtract: bool) -> PairRule:
    return PairRule(lambda *schemes, **ends: DoubleAddParams.from_schemes(*schemes, subtracts=subtract, **ends),
                    no_kernels=_LONG, title="rounded twice", narrows=True)


class Add(Pair):
    """Sum of two arrays, prepared. Arguments as `add`, with schemes in place of arrays; narrowing as of `Pair`."""

    kind, argument = "addition", "rounding"
    subtracts = False
    rules: ClassVar[Mapping[str, PairRule]] = {
        "away": PairRule(_by_factors(AddParams, False), {"uint8": ("qu8_vadd", "")}, _sum_layer, title="ties away"),
        "up": _up(False), "twice": _twice(False),
        "onnxruntime": PairRule(Float32Sum, twins=("up", "away")),
        "tengine": PairRule(DetourSum, twins=("up",), quotient="qs8_vadd_quotient", least=-MAX_INT8)}

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None, rounding: str | None = None,
                 narrowing: Narrowing | None = None) -> None:
        super().__init__(a, b, out=out, rule=rounding, output_min=output_min, output_max=output_max,
                         narrowing=narrowing)

    @property
    def rounding(self) -> str:
        """Its rule."""
        return self.rule_name


class Subtract(Add):
    """Difference of two arrays, prepared. Arguments as `subtract`, with schemes in place of arrays."""

    kind = "subtraction"
    subtracts = True
    rules: ClassVar[Mapping[str, PairRule]] = {"up": _up(True), "twice": _twice(True)}


# ---- products --------------------------------------------------------------------------------------------------------

def _by_scale(word: str) -> Callable[..., MultiplyParams]:
    def params(a: Scheme, b: Scheme, out: Scheme, *, output_min: int, output_max: int) -> MultiplyParams:
        scale = _scale(a, b, out)
        if not 2.0**-16 <= scale < 256:
            raise BadArgument(f"a scale * b scale / output scale is {scale:.9g}; it must be in [2**-16, 2**8).")
        return MultiplyParams(scale, a.zero_point, b.zero_point, out.zero_point, output_min, output_max, word,
                              out.dtype)
    return params


def _scale(a: Scheme, b: Scheme, out: Scheme) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(a.scale) * np.float32(b.scale) / np.float32(out.scale))


def _product_layer(operator: Pair, params: MultiplyParams) -> NativeLayer:
    if operator.rule_name != _FIRST:
        raise BackendError(f"its requantization is {operator.rule_name!r}; networks have {_FIRST!r} and {_TWICE!r}.")
    return NativeLayer("multiply", {
        "rounding": operator.rule_name, "scale": np.array([params.scale], np.float32),
        "output_min": operator.output_min, "output_max": operator.output_max})


_FIRST, _TWICE = default_rounding("int8").word, ARITHMETICS["tflite"].pairs or ""


class Multiply(Pair):
    """Product of two arrays, prepared. Arguments as `multiply`, with schemes for arrays; narrowing as of `Pair`."""

    kind, argument = "multiplication", "requantization"
    rules: ClassVar[Mapping[str, PairRule]] = {
        **{word: PairRule(_by_scale(word), {f"{'u' * (q == 'qu8')}int8": (f"{q}_vmul_{word}", f"{q}_vmulc_{word}")
                                            for q in ("qu8", "qs8")}, _product_layer) for word in sorted(PAIRS)},
        _TWICE: PairRule(DoubleMultiplyParams.from_schemes, no_kernels=_LONG, narrows=True),
        "onnxruntime": PairRule(Float32Product, twins=(_FIRST,))}

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, requantization: str = _FIRST,
                 output_min: int | None = None, output_max: int | None = None,
                 narrowing: Narrowing | None = None) -> None:
        super().__init__(a, b, out=out, rule=requantization, output_min=output_min, output_max=output_max,
                         narrowing=narrowing)

    @property
    def requantization(self) -> str:
        """Its rule."""
        return self.rule_name

    @property
    def scale(self) -> float:
        """a scale * b scale / output scale, in single precision and this order."""
        a, b = self.schemes
        return _scale(a, b, self.out)

    @property
    def single_scale(self) -> NDArray[np.float32] | None:
        return None if self.rule.twins else np.asarray(self.scale, np.float32)

    def accumulators(self, *values: NDArray[Any]) -> NDArray[np.int32]:
        a, b = (v.astype(np.int32) - s.zero_point for v, s in zip(values, self.schemes, strict=True))
        return np.asarray(a * b)

    def details(self) -> list[str]:
        return [f"requantization {self.requantization}, scale {self.scale:.9g}"]


# ---- the larger and the smaller --------------------------------------------------------------------------------------

class _Comparison(NamedTuple):
    combine: Callable[..., Any]


def _extreme(function: Callable[..., Any], word: str) -> Mapping[str, PairRule]:
    return {"": PairRule(lambda *schemes, **ends: _Comparison(function),
                         layer=lambda operator, params: NativeLayer(word), no_kernels=" of two")}


class Maximum(Pair):
    """The larger of two, element by element (M17).

    x   Scheme   of both operands and of the result
    """

    kind = "maximum"
    rules = _extreme(np.maximum, "maximum")

    def __init__(self, x: Scheme) -> None:
        super().__init__(x, x, out=x)


class Minimum(Maximum):
    """The smaller of two: as `Maximum`."""

    kind = "minimum"
    rules = _extreme(np.minimum, "minimum")


# ---- functions -------------------------------------------------------------------------------------------------------

def _with_axis(x: Any) -> Any:
    """A single value as an array of one."""
    if isinstance(x, Quantized) and x.values.ndim == 0:
        return Quantized(x.values.reshape(1), x.scale, x.zero_point)
    return x


def _run(kind: type[Pair], a: Any, b: Any, options: dict[str, Any], **made: Any) -> Quantized:
    a, b = _with_axis(a), _with_axis(b)
    return kind(scheme_of(a, "a"), scheme_of(b, "b"), **made)(a, b, **options)


def add(a: Quantized, b: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
        rounding: str | None = None, backend: str | Backend | None = None, threads: int = 1,
        kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Add two arrays whose scales and zero points differ, broadcast as numpy does.

    y = clip(round((ma * (a - za) + mb * (b - zb)) / 2**shift) + zy)     ma, mb, shift from the scale ratios (R07)

    a, b   Quantized, both uint8 or both int8, up to 6 dimensions that are equal or 1
    out        Scheme of the same type; a.scale / out.scale and b.scale / out.scale in [2**-14, 2**8), one of them at
               least 2**-10 (ties away); in [2**-10, 2**8) (ties up)
    rounding   ties "away" from zero with factors of 32 bits, as QNNPACK has uint8, or "up" with factors of 21 bits, as
               XNNPACK has both types; None: "away" for uint8, "up" for int8. "twice": three multipliers of 31 bits, as
               TensorFlow Lite has both types (Y16); any ratio with out.scale above 2**-19 of the inputs'.
               "onnxruntime", "tengine" (of int8): in single precision, as these runtimes (M30, F17)
    out_array       array or None   may be a.values or b.values, if they have the shape of the result
    ->         Quantized of the broadcast shape

    Raises BadArgument for shapes that do not broadcast, mixtures of types, a ratio out of range, output_min >=
    output_max. (Of uint8, QNNPACK checks [2**-14, 2**8) where an operator is made, but computing its parameters asserts
    a shift of 13..31, that is a larger ratio of 2**-10 and more; a shift by 32 would be undefined.)
    Source: (K08, R07, D08, M11).

    >>> a, b = Quantized(np.array([10], np.uint8), 1.0), Quantized(np.array([9], np.uint8), 0.5)
    >>> add(a, b, out=Scheme(2.0), backend="reference").values.tolist()
    [7]
    """
    return _run(Add, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array}, out=out,
                output_min=output_min, output_max=output_max, rounding=rounding)


def subtract(a: Quantized, b: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
             backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
             out_array: NDArray[Any] | None = None, rounding: str | None = None) -> Quantized:
    """Subtract b from a, broadcast as numpy does.

    y = clip(round((ma * (a - za) - mb * (b - zb)) / 2**shift) + zy), ties up

    a, b, out, out_array   as `add`; both ratios in [2**-10, 2**8)
    rounding          "up", which None means, or "twice", as of `add`

    Source: (D08, R07).

    >>> a, b = Quantized(np.array([10, -7], np.int8), 1.0), Quantized(np.array([9], np.int8), 1.0)
    >>> subtract(a, b, out=Scheme(1.0, dtype="int8"), backend="reference").values.tolist()
    [1, -16]
    """
    return _run(Subtract, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array},
                out=out, output_min=output_min, output_max=output_max, rounding=rounding)


def multiply(a: Quantized, b: Quantized, *, out: Scheme, requantization: str = _FIRST, output_min: int | None = None,
             output_max: int | None = None, backend: str | Backend | None = None, threads: int = 1,
             kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Multiply two arrays element by element, broadcast as numpy does.

    y = clip(round((a - za) * (b - zb) * (a.scale * b.scale / out.scale)) + zy)

    a, b             Quantized, both uint8 or both int8, up to 6 dimensions that are equal or 1
    out              Scheme of the same type; a.scale * b.scale / out.scale in [2**-16, 2**8)
    requantization   str   "fp32" (ties to even), "rndnu" (ties up) or "gemmlowp" (twice, as TensorFlow Lite (Y17):
                           any scale below 2**30); "onnxruntime": in single precision (M30)
    ->               Quantized of the broadcast shape

    Source: (D08, R12).

    >>> a, b = Quantized(np.array([[10], [-7]], np.int8), 0.5), Quantized(np.array([1, 2], np.int8), 1.0)
    >>> multiply(a, b, out=Scheme(0.5, dtype="int8"), backend="reference").values.tolist()
    [[10, 20], [-7, -14]]
    """
    return _run(Multiply, a, b, {"backend": backend, "threads": threads, "kernel": kernel, "out_array": out_array},
                out=out, requantization=requantization, output_min=output_min, output_max=output_max)
