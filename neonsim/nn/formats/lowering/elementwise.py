"""Operators that work element by element, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from neonsim.nn import ops
from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import (
    ACTIVATION_LIMITS,
    Cannot,
    Kind,
    Lowering,
    in_words,
    limits_of,
    no_change_reason,
)
from neonsim.nn.graph import Constant
from neonsim.nn.graph.data_movement import Relabel
from neonsim.nn.graph.gather import broadcast_indices, transpose_indices
from neonsim.nn.ops.quantized.elementwise import check_softscale
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.quant.reference.litert_vectors import Narrowing, narrowing_of
from neonsim.quant.scheme import Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["KINDS"]


def _pair(of: Lowering, entry: IRNode) -> tuple[Scheme, Scheme, Scheme]:
    return of.scheme(of.stored(entry, 0)), of.scheme(of.stored(entry, 1)), of.scheme(of.result(entry))


def _stretched(of: Lowering, entry: IRNode) -> tuple[str, str]:
    """Both operands in the shape of the result: no layer broadcasts."""
    wanted, found = of.result(entry).shape or (1,), []
    for which in (0, 1):
        name = of.name(entry, which)
        tensor = of.graph.tensors[name]
        if tensor.shape != wanted:
            move = broadcast_indices(tensor.type, tensor.shape, wanted)
            known = of.values.get(name)
            name = of.between(entry, f"operand {which}", move if known is None else
                              Constant(tensor.type, move.reference(known)[0]), *[name] * (known is None))
        found.append(name)
    return found[0], found[1]


def _of_two(of: Lowering, entry: IRNode, make: Callable[..., ops.Operator]) -> None:
    """A sum, difference or product. An activation may leave one value of its result."""
    a, b, out = _pair(of, entry)
    limits, info = of.limits(entry), np.iinfo(out.dtype)
    low, high = (end if limits[name] is None else limits[name]
                 for name, end in (("output_min", info.min), ("output_max", info.max)))
    if low < high:
        of.add(entry, make(a, b, out=out, **limits), *_stretched(of, entry))
        return
    whole = of.between(entry, "before its activation", make(a, b, out=out), *_stretched(of, entry))
    of.add(entry, ops.Clamp(out, output_min=low, output_max=high), whole)


def _narrowing(of: Lowering, entry: IRNode) -> Narrowing | None:
    """What becomes of results that leave 16 bits."""
    if not of.rules.eights:
        return None
    return narrowing_of(entry.kind, of.scheme(of.result(entry)).dtype, of.stored(entry, 0).shape,
                        of.stored(entry, 1).shape)


def _add(of: Lowering, entry: IRNode) -> None:
    _of_two(of, entry, partial(ops.Add, rounding=of.rules.sums, narrowing=_narrowing(of, entry)))


def _subtract(of: Lowering, entry: IRNode) -> None:
    _of_two(of, entry, partial(ops.Subtract, rounding=of.rules.sums))


def _multiply(of: Lowering, entry: IRNode) -> None:
    if of.rules.pairs is None:
        raise of.no_operator("element-wise product")
    _of_two(of, entry, partial(ops.Multiply, requantization=of.rules.pairs, narrowing=_narrowing(of, entry)))


def _extreme(kind: type[ops.Maximum]) -> Callable[[Lowering, IRNode], None]:
    def extreme(of: Lowering, entry: IRNode) -> None:
        a, b, out = _pair(of, entry)
        if not a == b == out and not (of.rules.wide and a.dtype == b.dtype == out.dtype):
            raise Cannot(f"its operands are {in_words(a)} and {in_words(b)}, its result {in_words(out)}; supported: "
                         f"one scale and zero point.")
        name, type_ = of.result(entry).name, TensorType.from_any(out)
        operands = (of.relabeled(f"{name} (operand {which})", one, type_)
                    for which, one in enumerate(_stretched(of, entry)))
        of.add(entry, kind(out), *operands)
    return extreme


def _find(kind: type[ops.ArgMax]) -> Callable[[Lowering, IRNode], None]:
    """The axis comes last, if it is not."""
    def find(of: Lowering, entry: IRNode) -> None:
        name, result = of.name(entry, 0), of.result(entry)
        tensor = of.graph.tensors[name]
        shape = tensor.shape
        axis = of.constant_integer(entry, 1, "axis", -len(shape), len(shape) - 1) % len(shape)
        if result.dtype not in ("int32", "int64"):
            raise Cannot(f"its result is {result.dtype}; supported: int32 and int64.")
        if axis != len(shape) - 1:
            order = [*range(axis), *range(axis + 1, len(shape)), axis]
            name = of.between(entry, "axis last", transpose_indices(tensor.type, shape, order), name)
        of.add(entry, kind(tensor.type, result.dtype), name)
    return find


def _cut(activation: str) -> Callable[[Lowering, IRNode], None]:
    def cut(of: Lowering, entry: IRNode) -> None:
        x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
        if x != out and of.rules.wide:
            of.add(entry, ops.Convert(x, out=out, requantization=of.rules.leaky, **limits_of(activation, out)),
                   of.name(entry, 0))
            return
        if x != out:
            raise Cannot(f"it reads {in_words(x)} and writes {in_words(out)}; supported: one scale and zero point.")
        of.add(entry, ops.Clamp(x, **limits_of(activation, out)), of.name(entry, 0))
    return cut


def _activation(word: str) -> Kind:
    """One of the table; what has a rule for ties is worked out in single precision, where a runtime does that."""
    def activation(of: Lowering, entry: IRNode) -> None:
        row, x = ACTIVATIONS[word], of.scheme(of.stored(entry, 0))
        if x.dtype not in row.dtypes:
            raise Cannot(f"LiteRT has no {word} of {x.dtype}; supported: {' and '.join(row.dtypes)}.")
        rules = {"ties": of.rules.curves} if row.ties else {}
        of.add(entry, row.operator(x, out=of.scheme(of.result(entry)), **rules), of.name(entry, 0))
    return activation


def _leaky_relu(of: Lowering, entry: IRNode) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    of.add(entry, ops.LeakyRelu(x, slope=float(entry.attributes["slope"]), out=out,
                                requantization=of.rules.leaky), of.name(entry, 0))


def _logistic(of: Lowering, entry: IRNode) -> None:
    if of.rules.wide:       # the runtime's own kernels have one scheme
        check_softscale(of.scheme(of.result(entry)), "sigmoid", of.scheme(of.stored(entry, 0)).dtype)
    _activation("LOGISTIC")(of, entry)


def _softmax(of: Lowering, entry: IRNode) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    beta = float(entry.attributes["beta"])
    if of.rules.softmax == "argmax":
        if beta != 1:
            raise Cannot(f"its beta is {beta:g}; QNNPACK has 1 only.")
        of.add(entry, ops.SoftArgmax(x, out=out), of.name(entry, 0))
        return
    if out.dtype == "int8" and not (out.zero_point == -128 and abs(float(out.scale) * 256 - 1) <= 0.001):
        raise Cannot(f"its result is {in_words(out)}; LiteRT takes steps of 1/256 from -128, within a thousandth.")
    fixed = of.rules.softmax == "fixed"
    # The runtime never asks for the zero point, in fixed point not even for the steps.
    made = ops.Softmax(x, beta=beta, fixed=fixed, out=None if fixed else Scheme(
        float(out.scale), int(np.iinfo(out.dtype).min), out.dtype))
    if made.out == out:
        of.add(entry, made, of.name(entry, 0))
        return
    shares = of.between(entry, "shares", made, of.name(entry, 0))
    of.add(entry, Relabel(TensorType.from_any(out), of.graph.tensors[shares].shape, TensorType.from_any(made.out)),
           shares)


def _quantize(of: Lowering, entry: IRNode) -> None:
    x, out = of.stored(entry, 0), of.scheme(of.result(entry), True)
    if x.dtype == "float32":
        operator: ops.Operator = ops.Quantize(out=out, reciprocal=of.rules.ties == "even", ties=of.rules.ties)
    else:
        given = of.scheme(x, True)
        if "int16" in (given.dtype, out.dtype) and (why := no_change_reason(given, out)):
            raise Cannot(why)
        operator = ops.Convert(given, out=out, requantization=of.rules.rescaling(given.dtype, out.dtype))
    of.add(entry, operator, of.name(entry, 0))


def _dequantize(of: Lowering, entry: IRNode) -> None:
    operator = ops.Dequantize(of.scheme(of.stored(entry, 0), True), eights=of.rules.eights)
    of.add(entry, operator, of.name(entry, 0))


KINDS: dict[str, Kind] = {
    "add": _add, "arg_max": _find(ops.ArgMax), "arg_min": _find(ops.ArgMin), "dequantize": _dequantize,
    **{word.lower(): _activation(word) for word in ACTIVATIONS}, "leaky_relu": _leaky_relu, "logistic": _logistic,
    "maximum": _extreme(ops.Maximum), "minimum": _extreme(ops.Minimum), "multiply": _multiply, "quantize": _quantize,
    **{activation: _cut(activation) for activation in ACTIVATION_LIMITS if activation != "none"},
    "softmax": _softmax, "subtract": _subtract,
}
