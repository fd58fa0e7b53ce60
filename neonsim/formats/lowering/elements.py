"""Operators that work element by element, and softmax."""

from __future__ import annotations

from collections.abc import Callable

from neonsim import ops
from neonsim.formats.lowering.base import Cannot, Kind, Lowering, limits_of
from neonsim.formats.record import Entry
from neonsim.quant.scheme import Scheme

__all__ = ["KINDS"]


def _pair(of: Lowering, entry: Entry) -> tuple[Scheme, Scheme, Scheme]:
    return of.scheme(of.stored(entry, 0)), of.scheme(of.stored(entry, 1)), of.scheme(of.result(entry))


def _add(of: Lowering, entry: Entry) -> None:
    a, b, out = _pair(of, entry)
    operator = ops.Add(a, b, out=out, rounding=of.rules.sums, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))


def _subtract(of: Lowering, entry: Entry) -> None:
    a, b, out = _pair(of, entry)
    operator = ops.Subtract(a, b, out=out, rounding=of.rules.sums, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))


def _multiply(of: Lowering, entry: Entry) -> None:
    a, b, out = _pair(of, entry)
    if of.rules.pairs is None:
        raise of.no_operator("element-wise product")
    operator = ops.Multiply(a, b, out=out, requantization=of.rules.pairs, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))


def _cut(activation: str) -> Callable[[Lowering, Entry], None]:
    def cut(of: Lowering, entry: Entry) -> None:
        x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
        if x != out and of.rules.wide:
            of.add(entry, ops.Convert(x, out=out, requantization=of.rules.leaky, **limits_of(activation, out)),
                   of.name(entry, 0))
            return
        if x != out:
            raise Cannot(f"it reads {x} and writes {out}; one scheme is taken.")
        of.add(entry, ops.Clamp(x, **limits_of(activation, out)), of.name(entry, 0))
    return cut


def _curve(kind: Callable[..., ops.Operator]) -> Callable[[Lowering, Entry], None]:
    def curve(of: Lowering, entry: Entry) -> None:
        operator = kind(of.scheme(of.stored(entry, 0)), out=of.scheme(of.result(entry)))
        of.add(entry, operator, of.name(entry, 0))
    return curve


def _leaky_relu(of: Lowering, entry: Entry) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    if x.dtype == "uint8" and of.rules.name == "xnnpack":
        # QNNPACK's function of one byte: off by one from two rounded factors in one byte of twenty.
        raise Cannot("leaky ReLU of uint8 has other bytes here than there; int8 is taken.")
    of.add(entry, ops.LeakyRelu(x, slope=float(entry.attributes["slope"]), out=out,
                                requantization=of.rules.leaky), of.name(entry, 0))


def _softmax(of: Lowering, entry: Entry) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    beta = float(entry.attributes["beta"])
    if of.rules.softmax == "argmax":
        if beta != 1:
            raise Cannot(f"its beta is {beta:g}; QNNPACK has 1 only.")
        of.add(entry, ops.SoftArgmax(x, out=out), of.name(entry, 0))
        return
    of.add(entry, ops.Softmax(x, beta=beta, out=out, fixed=of.rules.softmax == "fixed"), of.name(entry, 0))


def _quantize(of: Lowering, entry: Entry) -> None:
    x, out = of.stored(entry, 0), of.scheme(of.result(entry))
    operator = ops.Quantize(out=out, ties=of.rules.ties) if x.dtype == "float32" else ops.Convert(
        of.scheme(x), out=out, requantization=of.rules.bytes)
    of.add(entry, operator, of.name(entry, 0))


def _dequantize(of: Lowering, entry: Entry) -> None:
    of.add(entry, ops.Dequantize(of.scheme(of.stored(entry, 0))), of.name(entry, 0))


KINDS: dict[str, Kind] = {
    "add": _add, "dequantize": _dequantize, "leaky_relu": _leaky_relu, "logistic": _curve(ops.Sigmoid),
    "multiply": _multiply, "quantize": _quantize, "relu": _cut("relu"), "relu6": _cut("relu6"),
    "relu_n1_to_1": _cut("relu_n1_to_1"), "softmax": _softmax, "subtract": _subtract, "tanh": _curve(ops.Tanh),
}
