"""Operators that multiply no weights, with one thing done wrongly: whole results, in words.

What they compute is a real number, in steps of the result, before it is rounded. So wrong numbers, wrong roundings and
wrong limits are tried with one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.errors import BadArgument
from neonsim.nn.ops.arithmetics.onnxruntime import OrtActivation, OrtMean, OrtSoftmax
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantize import Dequantize, Quantize
from neonsim.nn.ops.quantized.binary import Add, Multiply
from neonsim.nn.ops.quantized.channels import Softmax
from neonsim.nn.ops.quantized.elementwise import Clamp, Convert, LeakyRelu, Rescale, Sigmoid, Tanh
from neonsim.nn.ops.quantized.pad_copy import Pad
from neonsim.nn.ops.quantized.pair import Pair
from neonsim.nn.ops.quantized.pooling import AvgPool2d, GlobalAvgPool, MaxPool2d
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing import OUTSIDE, conv_taps
from neonsim.verify.debugger.causes.requantization import Ending, correct_roundings
from neonsim.verify.debugger.causes.weighted import flattened, laid_out

__all__ = ["NUMBERS", "FloatRule", "Numbers", "float_rule", "mutated_results"]

Real = NDArray[np.float64]
Arrays = Sequence[NDArray[Any]]


@dataclass(frozen=True, eq=False)
class FloatRule:
    """An operator as a function to floats.

    ending   Ending                       from floats to bytes; its scale is 1
    correct  float64 array                in steps of the result
    mutations  ((words, array), ...)        with one thing done wrongly
    """

    ending: Ending
    correct: Real
    mutations: tuple[tuple[str, Real], ...]


@dataclass(frozen=True)
class Numbers:
    """In which float types a runtime may compute; they part where a value lies halfway between two integers.

    dtype     of every step
    decimal   bool   scales as they are written, 0.05, not the single precision that files hold
    ratios    bool   scales are divided by the result's first; else floats are, at the end
    """

    dtype: Any
    decimal: bool
    ratios: bool

    def scale(self, value: Any) -> Any:
        """Of a scheme."""
        single = np.float32(value)
        return self.dtype(str(single) if self.decimal else single)

    def centered(self, values: NDArray[Any], scheme: Scheme) -> Real:
        """Without the zero point."""
        return np.asarray(values - scheme.zero_point if values.dtype.kind == "f" else
                          values.astype(np.int64) - scheme.zero_point).astype(self.dtype)


NUMBERS = tuple(Numbers(dtype, decimal, ratios) for dtype, decimal in (
    (np.float64, False), (np.float32, False), (np.float64, True)) for ratios in (False, True))


def _ending(out: Scheme, low: int | None = None, high: int | None = None) -> Ending:
    info = np.iinfo(out.dtype)
    one, scale = np.asarray(1.0), np.asarray(float(np.float32(out.scale)))
    return Ending(one, next(iter(correct_roundings())), out.zero_point, info.min if low is None else low,
                  info.max if high is None else high, out.dtype, (one, one, scale), False)


def _limits(operator: Any) -> tuple[int | None, int | None]:
    return getattr(operator, "output_min", None), getattr(operator, "output_max", None)


# Operators as functions to floats: of (operator, its inputs, the numbers it is computed in).
_RULES = ClassTable[Callable[[Any, Arrays, "Numbers"], "FloatRule | None"]]()


def float_rule(operator: Operator, values: Arrays, num: Numbers) -> FloatRule | None:
    """None for operators that no real number stands behind."""
    make = _RULES.find(operator)
    return None if make is None else make(operator, values, num)


def _without(scheme: Scheme) -> Scheme:
    return Scheme(scheme.scale, 0, scheme.dtype)


def _other_type(values: NDArray[Any]) -> Real:
    """The bytes as those of the other sign."""
    name = values.dtype.name
    other = name.removeprefix("u") if name.startswith("u") else f"u{name}"
    return np.ascontiguousarray(values).view(other).astype(np.float64)


def _operands(values: Arrays, schemes: Sequence[Scheme], names: Sequence[str]
              ) -> Iterator[tuple[str, list[tuple[NDArray[Any], Scheme]]]]:
    """Operands with one thing wrong."""
    right = list(zip(values, schemes, strict=True))

    def but(i: int, x: NDArray[Any], scheme: Scheme) -> list[tuple[NDArray[Any], Scheme]]:
        return [*right[:i], (x, scheme), *right[i + 1:]]

    for i, (name, (x, scheme)) in enumerate(zip(names, right, strict=True)):
        if scheme.zero_point:
            yield f"the zero point of {name} is forgotten", but(i, x, _without(scheme))
            yield f"the zero point of {name} is added, not subtracted", but(
                i, x.astype(np.float64) + 2 * scheme.zero_point, scheme)
        if x.dtype.itemsize == 1:
            for zero in dict.fromkeys((scheme.zero_point, scheme.zero_point + (128 if x.dtype == np.uint8 else -128))):
                yield f"the bytes of {name} are read as those of the other sign", but(
                    i, _other_type(x) - zero + scheme.zero_point, scheme)
    if len(right) == 2 and all(scheme.zero_point for scheme in schemes):
        yield "both zero points of the operands are forgotten", [(x, _without(s)) for x, s in right]
    if len(right) == 2 and schemes[0].scale != schemes[1].scale:
        (x, a), (y, b) = right
        yield "the scales of both operands are exchanged", [(x, Scheme(b.scale, a.zero_point, a.dtype)),
                                                            (y, Scheme(a.scale, b.zero_point, b.dtype))]
    if len(right) == 2 and schemes[0].zero_point != schemes[1].zero_point:
        (x, a), (y, b) = right
        yield "the zero points of both operands are exchanged", [(x, Scheme(a.scale, b.zero_point, a.dtype)),
                                                                 (y, Scheme(b.scale, a.zero_point, b.dtype))]
        yield "both operands have the scheme of the first", [(x, a), (y, a)]
        yield "both operands have the scheme of the second", [(x, b), (y, b)]


@_RULES.row(Add)
def _sum(operator: Add, values: Arrays, num: Numbers) -> FloatRule:
    out, sign = num.scale(operator.out.scale), -1.0 if operator.subtracts else 1.0

    def steps(x: NDArray[Any], scheme: Scheme) -> Real:
        """One operand in steps of the result."""
        scale, centered = num.scale(scheme.scale), num.centered(x, scheme)
        return np.asarray(scale / out * centered if num.ratios else scale * centered / out)

    def of(pairs: Sequence[tuple[NDArray[Any], Scheme]], by: float = sign) -> Real:
        if num.ratios:
            return np.asarray(steps(*pairs[0]) + num.dtype(by) * steps(*pairs[1]))
        a, b = (num.scale(scheme.scale) * num.centered(x, scheme) for x, scheme in pairs)
        return np.asarray((a + num.dtype(by) * b) / out)

    right = list(zip(values, operator.schemes, strict=True))
    a, b = (steps(x, s) for x, s in right)
    whole = np.broadcast_arrays(a, b)
    found = [(words, of(pairs)) for words, pairs in _operands(values, operator.schemes, operator.names)]
    found += [("the second operand is left out", whole[0]), ("the first operand is left out", sign * whole[1]),
              ("the operands are subtracted, not added" if sign > 0 else "the operands are added, not subtracted",
               of(right, -sign)),
              ("both operands are rounded to steps of the result before they are added",
               np.rint(a) + sign * np.rint(b)),
              ("the scales are ignored: integers are added", num.centered(*right[0]) + sign * num.centered(*right[1])),
              ("the output's scale is forgotten", of(right) * out)]
    if sign < 0:
        found.append(("the operands are exchanged", of(right[::-1])))
    return FloatRule(_ending(operator.out, *_limits(operator)), of(right), tuple(found))


@_RULES.row(Multiply)
def _product(operator: Multiply, values: Arrays, num: Numbers) -> FloatRule:
    out = num.scale(operator.out.scale)

    def of(pairs: Sequence[tuple[NDArray[Any], Scheme]]) -> Real:
        (x, a), (y, b) = pairs
        if num.ratios:
            return np.asarray(num.centered(x, a) * num.centered(y, b) * (num.scale(a.scale) * num.scale(b.scale) / out))
        return np.asarray(num.scale(a.scale) * num.centered(x, a) * (num.scale(b.scale) * num.centered(y, b)) / out)

    right = list(zip(values, operator.schemes, strict=True))
    (x, a), (y, b) = right
    scale = num.scale(a.scale) * num.scale(b.scale) / out
    integers = (num.centered(x, a) * num.centered(y, b)).astype(np.int64)
    found = [(words, of(pairs)) for words, pairs in _operands(values, operator.schemes, operator.names)]
    added = num.scale(a.scale) / out * num.centered(x, a) + num.scale(b.scale) / out * np.asarray(num.centered(y, b))
    found += [("the products wrap in 16 bits", integers.astype(np.int16).astype(np.float64) * scale),
              ("the products saturate in 16 bits", np.clip(integers, -32768, 32767).astype(np.float64) * scale),
              ("the operands are added, not multiplied", added),
              ("the output's scale is forgotten", of(right) * out),
              ("one of the scales is forgotten", of(right) / num.scale(a.scale)),
              ("one of the scales is forgotten", of(right) / num.scale(b.scale)),
              ("the shift is one too small: everything is twice as large", of(right) * 2),
              ("the shift is one too large: everything is half as large", of(right) / 2)]
    return FloatRule(_ending(operator.out, *_limits(operator)), of(right), tuple(found))


# ---- pooling

def _windows(operator: Any, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """(what every pixel reads, [batch, oh, ow, taps, channels]; which taps lie outside, [oh, ow, taps])."""
    taps = conv_taps(operator.shape(x.shape))
    rows, columns = taps.rows[:, None, :, None], taps.columns[None, :, None, :]
    outside = np.broadcast_to((rows == OUTSIDE) | (columns == OUTSIDE), (*taps.output, *taps.kernel))
    seen = x[:, rows, columns]
    return seen.reshape(len(x), *taps.output, taps.count, x.shape[3]), outside.reshape(*taps.output, taps.count)


@_RULES.row(AvgPool2d)
def _average(operator: AvgPool2d, values: Arrays, num: Numbers) -> FloatRule:
    return _averaged(operator, values[0], num, operator.integer, not operator.integer)


@_RULES.row(OrtMean)
def _single_average(operator: OrtMean, values: Arrays, num: Numbers) -> FloatRule:
    return _averaged(operator, values[0], num, False, operator.counts_padding)


def _averaged(operator: Any, x: NDArray[Any], num: Numbers, integer: bool, counted: bool) -> FloatRule:
    """integer: of the bytes as they are, whose zero point is the result's; counted: the padding is divided by, too."""
    scheme, out = operator.schemes[0], operator.out
    seen, outside = _windows(operator, x)
    inside = ~outside[..., None]
    zero, ratio = (0, 1.0) if integer else (scheme.zero_point, num.scale(scheme.scale) / num.scale(out.scale))
    counts, taps = inside.sum(axis=2), outside.shape[2]
    raw = np.where(inside, seen.astype(np.int64), 0).sum(axis=3)
    whole, by = raw - zero * counts, np.full_like(counts, taps) if counted else counts
    found = [("the padding is not counted", ratio * whole / counts) if counted else
             ("the padding is counted", ratio * (whole + (taps - counts) * (scheme.zero_point - zero)) / taps),
             ("the padding holds 0, and is counted", ratio * (raw - zero * taps) / taps),
             ("the sums wrap in 16 bits", ratio * whole.astype(np.int16) / by),
             ("the sums wrap in 8 bits", ratio * whole.astype(x.dtype) / by),
             ("the largest is taken, not the mean",
              ratio * (np.where(inside, seen.astype(np.float64), -np.inf).max(axis=3) - zero)),
             ("the sum is not divided by the count", ratio * whole)]
    if integer:
        found.append(("the mean is rounded about the zero point, not about 0", _away_about(raw / by,
                                                                                           scheme.zero_point)))
    else:
        found += [("the input's zero point is forgotten", ratio * raw / by), ("the scales are ignored", whole / by)]
    # Of integers no zero point is added behind the rounding.
    ending = _ending(Scheme(out.scale, 0, out.dtype) if integer else out, *_limits(operator))
    return FloatRule(ending, np.asarray(ratio * whole / by), tuple((words, np.asarray(real)) for words, real in found))


def _away_about(real: Real, zero: int) -> Real:
    moved = real - zero
    return np.asarray(np.copysign(np.floor(np.abs(moved) + 0.5), moved) + zero)


@_RULES.row(GlobalAvgPool)
def _mean(operator: GlobalAvgPool, values: Arrays, num: Numbers) -> FloatRule:
    x, scheme = values[0], operator.schemes[0]
    axes = tuple(range(1, x.ndim - 1))
    count, ratio = int(np.prod(x.shape[1:-1])), num.scale(scheme.scale) / num.scale(operator.out.scale)
    whole = (x.astype(np.int64) - scheme.zero_point).sum(axis=axes)
    raw = x.astype(np.int64).sum(axis=axes)
    return FloatRule(_ending(operator.out, *_limits(operator)), ratio * whole / count, (
        ("the input's zero point is forgotten", ratio * raw / count), ("the sums wrap in 16 bits", ratio * whole.astype(
            np.int16) / count), ("the sums saturate in 16 bits", ratio * np.clip(whole, -32768, 32767) / count),
        ("the scales are ignored", whole / count), ("the sum is not divided by the count", ratio * whole),
        ("the largest is taken, not the mean", ratio * (x.max(axis=axes).astype(np.float64) - scheme.zero_point)),
        ("one pixel is left out", ratio * (whole - (x.reshape(len(x), -1, x.shape[-1])[:, -1].astype(np.int64)
                                                    - scheme.zero_point)) / count)))


@_RULES.row(MaxPool2d)
def _largest(operator: MaxPool2d, values: Arrays, num: Numbers) -> FloatRule:
    x = values[0]
    seen, outside = _windows(operator, x)
    inside, real = ~outside[..., None], seen.astype(np.float64)
    low = np.where(inside, real, -np.inf).max(axis=3)
    info = np.iinfo(x.dtype)
    found = [(f"the padding holds {value}, and is counted", np.where(inside, real, value).max(axis=3))
             for value in dict.fromkeys((0, operator.schemes[0].zero_point, info.max)) if outside.any()]
    found += [("the least is taken, not the largest", np.where(inside, real, np.inf).min(axis=3)),
              ("the mean is taken, not the largest", np.where(inside, real, 0).sum(axis=3) / inside.sum(axis=2)),
              ("the bytes are compared as those of the other sign", _as(np.where(
                  inside, _other_type(seen), -np.inf).max(axis=3), x.dtype))]
    return FloatRule(_ending(Scheme(1.0, 0, operator.out.dtype), *_limits(operator)), low, tuple(found))


def _as(real: Real, dtype: Any) -> Real:
    return real.astype(np.int64).astype(dtype).astype(np.float64)


# ---- one operand

@_RULES.row(Quantize)
def _quantized(operator: Quantize, values: Arrays, num: Numbers) -> FloatRule:
    x, out = values[0].astype(num.dtype), operator.out
    steps = x / num.scale(out.scale)
    single = values[0] * (np.float32(1) / np.float32(out.scale))
    return FloatRule(_ending(out), steps, (
        ("the quotient is a product with 1 / scale in single precision", single.astype(np.float64)),
        ("the scale is multiplied with, not divided by", x * num.scale(out.scale)), ("the scale is forgotten", x)))


@_RULES.row(Convert)
def _converted(operator: Convert, values: Arrays, num: Numbers) -> FloatRule:
    return _scaled(operator, values, num, lambda real: real)


@_RULES.row(Rescale)
def _rescaled(operator: Rescale, values: Arrays, num: Numbers) -> FloatRule:
    return _scaled(operator, values, num, lambda real: real)


@_RULES.row(Clamp)
def _clamped(operator: Clamp, values: Arrays, num: Numbers) -> FloatRule:
    return _scaled(operator, values, num, lambda real: real)


@_RULES.row(Sigmoid)
def _logistic(operator: Sigmoid, values: Arrays, num: Numbers) -> FloatRule:
    return _scaled(operator, values, num, _sigmoid)


@_RULES.row(Tanh)
def _tangent(operator: Tanh, values: Arrays, num: Numbers) -> FloatRule:
    return _scaled(operator, values, num, np.tanh)


def _sigmoid(real: Real) -> Real:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-real)))


@_RULES.row(LeakyRelu)
def _leaky(operator: LeakyRelu, values: Arrays, num: Numbers) -> FloatRule:
    return _sloped(operator, values, num, operator.slope)


@_RULES.row(OrtActivation)
def _single_activation(operator: OrtActivation, values: Arrays, num: Numbers) -> FloatRule:
    if operator.word == "LEAKY_RELU":
        return _sloped(operator, values, num, operator.attributes["slope"])
    return _scaled(operator, values, num, lambda real: operator.function(real.astype(np.float32)).astype(np.float64))


def _sloped(operator: Any, values: Arrays, num: Numbers, slope: float) -> FloatRule:
    slope = num.scale(slope)
    found = _scaled(operator, values, num, lambda real: np.where(real >= 0, real, slope * real))
    scheme = operator.schemes[0]
    real = num.scale(scheme.scale) * num.centered(values[0], scheme) / num.scale(operator.out.scale)
    return replace(found, mutations=(*found.mutations, ("the slope is forgotten: a plain ReLU", np.maximum(real, 0)),
                                 ("the slope is taken above zero, too", slope * real)))


def _scaled(operator: Any, values: Arrays, num: Numbers, function: Callable[[Real], Real]) -> FloatRule:
    """A function of one operand."""
    scheme, out, x = operator.schemes[0], num.scale(operator.out.scale), values[0]

    def of(given: NDArray[Any], by: Scheme) -> Real:
        return np.asarray(function(num.scale(by.scale) * num.centered(given, by)) / out)

    found = [(words, of(*pairs[0])) for words, pairs in _operands(values, operator.schemes[:1], ("the input",))]
    found += [("the scales are ignored: only the zero points are exchanged", num.centered(x, scheme)),
              ("the function is left out: only the scheme is changed",
               num.scale(scheme.scale) * num.centered(x, scheme) / out),
              ("the input's scale is forgotten", np.asarray(function(num.centered(x, scheme)) / out)),
              ("the output's scale is forgotten", of(x, scheme) * out),
              ("the shift is one too small: everything is twice as large", of(x, scheme) * 2),
              ("the shift is one too large: everything is half as large", of(x, scheme) / 2)]
    return FloatRule(_ending(operator.out, *_limits(operator)), of(x, scheme), tuple(found))


@_RULES.row(Softmax)
def _shares(operator: Softmax, values: Arrays, num: Numbers) -> FloatRule:
    return _softmax(operator, values, num, operator.beta)


@_RULES.row(OrtSoftmax)
def _single_shares(operator: OrtSoftmax, values: Arrays, num: Numbers) -> FloatRule | None:
    return _softmax(operator, values, num, 1.0) if operator.out.dtype in ("uint8", "int8") else None


def _softmax(operator: Any, values: Arrays, num: Numbers, beta: float) -> FloatRule:
    x, scheme, out = values[0].astype(np.float64), operator.schemes[0], num.scale(operator.out.scale)

    def of(real: Real, base: float = math.e, axis: int | None = -1) -> Real:
        raised = base ** (real - real.max(axis=axis, keepdims=True))
        return np.asarray(raised / raised.sum(axis=axis, keepdims=True) / out)

    real = beta * num.scale(scheme.scale) * x
    found = [("the input's scale is forgotten: exponentials of the integers", of(x)),
             ("powers of two, not of e", of(real, 2.0)),
             ("shares of all numbers, not of each row", of(real, axis=None)),
             ("the results stand in steps of 1/255", of(real) * out * 255), ("beta is forgotten", of(real / beta)),
             ("the input's bytes are read as those of the other sign", of(beta * num.scale(scheme.scale) * _other_type(
                 values[0])))]
    found += [(f"shares along axis {axis}, not along the last", of(real, axis=axis)) for axis in range(x.ndim - 1)
              if x.shape[axis] > 1]
    return FloatRule(_ending(operator.out), of(real), tuple(found))


# ---- whole results that are no floats in between

_MUTATIONS = ClassTable[Callable[[Any, Arrays], Iterator[tuple[str, NDArray[Any]]]]]()


def mutated_results(operator: Operator, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    """Results with one thing done wrongly."""
    make = _MUTATIONS.find(operator)
    return iter(()) if make is None else make(operator, values)


@_MUTATIONS.row(Pair)
def _remade(operator: Pair, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    """Sums and products by the operator's own definition, from other schemes and limits."""
    if not operator.argument:
        return
    a, b, out = *operator.schemes, operator.out
    low, high = operator.output_min, operator.output_max
    for words, x, y, z, limits in (
            ("the zero point of a is forgotten", _without(a), b, out, (low, high)),
            ("the zero point of b is forgotten", a, _without(b), out, (low, high)),
            ("both zero points of the operands are forgotten", _without(a), _without(b), out, (low, high)),
            ("the output's zero point is forgotten", a, b, _without(out), (low, high)),
            ("the scales of both operands are exchanged", Scheme(b.scale, a.zero_point, a.dtype),
             Scheme(a.scale, b.zero_point, b.dtype), out, (low, high)),
            ("the clamp of the activation is missing", a, b, out, (None, None))):
        try:
            other = operator.of_schemes(x, y, z, *limits)
        except BadArgument:     # of these schemes there is none
            continue
        yield words, other.reference(*values)


@_MUTATIONS.row(Dequantize)
def _real(operator: Dequantize, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    if operator.x is None:
        return
    x, scale, zero = values[0], np.float32(operator.x.scale), operator.x.zero_point
    if zero:
        yield "the zero point is forgotten", x.astype(np.float32) * scale
        yield "scale and zero point are multiplied apart, and each product is rounded", \
            x.astype(np.float32) * scale - np.float32(zero) * scale
        yield "the zero point is taken off behind the scale", x.astype(np.float32) * scale - np.float32(zero)
    if x.dtype.itemsize == 1:
        seen = _other_type(x).astype(np.float32)
        yield "the bytes are read as those of the other sign", (seen - np.float32(zero)) * scale
    yield "the scale is forgotten", x.astype(np.float32) - np.float32(zero)


@_MUTATIONS.row(Pad)
def _padded(operator: Pad, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    pairs, x = operator._pairs(values[0].ndim), values[0]
    for value in dict.fromkeys((0, *((np.iinfo(x.dtype).min, np.iinfo(x.dtype).max) if x.dtype.kind in "iu" else ()))):
        if value != operator.value:
            yield f"the padding holds {value}, not {operator.value}", np.pad(x, pairs, constant_values=value)
    yield "the padding lies on the other side", np.pad(x, [pair[::-1] for pair in pairs],
                                                       constant_values=operator.value)
    for mode, words in (("edge", "repeats the edge"), ("reflect", "mirrors the image"), ("wrap", "goes on behind")):
        if min(x.shape) > max(max(pair) for pair in pairs):
            yield f"the padding {words}", np.pad(x, pairs, mode=mode)  # type: ignore[call-overload]


# ---- products of floats

@_MUTATIONS.row(Float32FullyConnected)
def _product_of_reals(operator: Float32FullyConnected, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    x, w = values[0], operator.w
    for words, other in laid_out(w.reshape(w.shape[0], 1, 1, -1)):
        yield words, _with(operator, w=other.reshape(w.shape)).reference(x)
    for words, order in flattened(x.shape[-1]):
        yield words, operator.reference(np.ascontiguousarray(x[..., order]))
    yield from _real_ends(operator, x)


@_MUTATIONS.row(Float32Conv2d)
def _window_of_reals(operator: Float32Conv2d, values: Arrays) -> Iterator[tuple[str, NDArray[Any]]]:
    x = values[0]
    for words, other in laid_out(operator.w):
        yield words, _with(operator, w=other).reference(x)
    batch, height, width, channels = x.shape
    if channels > 1:
        yield ("the input lies with its channels last (NHWC) and is read as if they came first (NCHW)",
               operator.reference(np.ascontiguousarray(
                   x.reshape(batch, channels, height, width).transpose(0, 2, 3, 1))))
        yield ("the input lies with its channels first (NCHW) and is read as if they came last (NHWC)",
               operator.reference(np.ascontiguousarray(x.transpose(0, 3, 1, 2)).reshape(x.shape)))
        yield "the input's channels are reversed (BGR for RGB)", operator.reference(np.ascontiguousarray(x[..., ::-1]))
    yield from _real_ends(operator, x)


def _with(operator: Any, **changes: Any) -> Any:
    other = copy(operator)
    for name, value in changes.items():
        setattr(other, name, np.ascontiguousarray(value))
    return other


def _real_ends(operator: Any, x: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    if operator.bias.any():
        yield "the bias is forgotten", _with(operator, bias=np.zeros_like(operator.bias)).reference(x)
        yield "the bias is added twice", _with(operator, bias=2 * operator.bias).reference(x)
    before = operator.before_limits(x)
    yield "the clamp of the activation is missing", before
    yield "a ReLU that the file does not have", np.maximum(before, np.float32(0))
