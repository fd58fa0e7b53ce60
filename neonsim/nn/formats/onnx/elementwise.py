"""Element by element, softmax, and the ways between integers and floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.nn.formats.onnx import folds
from neonsim.nn.formats.onnx.convert import LAST, Converter, Misfit
from neonsim.nn.formats.onnx.qdq import Group, clip_bounds
from neonsim.nn.formats.onnx.read import OnnxNode, type_name
from neonsim.nn.formats.onnx.words import reads
from neonsim.nn.ops.quantized.lut import ACTIVATIONS

__all__: list[str] = []

_A, _B, _C = (f"{name} {name}_scale {name}_zero_point?" for name in "ABC")


# ---- two operands ----------------------------------------------------------------------------------------------------

def _binary(kind: str) -> Callable[[Converter, OnnxNode, Group], None]:
    def binary(of: Converter, node: OnnxNode, group: Group) -> None:
        second = 3 if group is None else 1
        places = [0, second]
        names = [(group.before[i].inputs[0] if group else node.inputs[i]) for i in places]
        constant = [name in of.constants for name in names]
        if all(constant):
            raise Misfit("both of its operands are constants.")
        name, dtype = of.result(node, group)
        if any(constant):
            at = constant.index(True)
            values, rule, _ = of.weights(node, places[at], group)
            if values.size != 1 or rule.scale.size != 1:
                raise Misfit(f"one of its operands is a constant of shape {list(values.shape)}; supported: of integers "
                             f"a single value.")
            number, x = of.operand(node, places[1 - at], group)
            if values.ndim > len(x.shape):
                raise Misfit("its constant has more axes than the other operand.")
            of.emit(f"{kind}_constant", node, (number, of.constant(names[at], values, rule)),
                    [(name, x.shape, dtype)], first=at == 0, activation="none")
            return
        (left, a), (right, b) = (of.operand(node, i, group) for i in places)
        if a.shape != b.shape and (kind == "add" or len(a.shape) != len(b.shape) or any(
                m != n and 1 not in (m, n) for m, n in zip(a.shape, b.shape, strict=True))):
            taken = "supported: " + ("one shape, because sums that broadcast are rounded in another order there"
                                     if kind == "add" else "as many axes, of one size or of 1")
            raise Misfit(f"its operands are {list(a.shape)} and {list(b.shape)}; {taken}.")
        shape = tuple(max(m, n) for m, n in zip(a.shape, b.shape, strict=True))
        of.emit(kind, node, (left, right), [(name, shape, dtype)], activation="none")
    return binary


def _real_binary(kind: str) -> Callable[[Converter, OnnxNode, Group], None]:
    def binary(of: Converter, node: OnnxNode, group: Group) -> None:
        first, second = node.inputs
        if first in of.constants:
            first, second = second, first
        x = of.known(first)
        other = of.constants.get(second)
        shape = of.known(second).shape if other is None else other.shape
        dtype = of.known(second).dtype if other is None else other.dtype.name
        if {x.dtype, dtype} != {"float32"}:
            raise Misfit(f"its operands are {x.dtype} and {dtype}; supported: float32.")
        try:
            made = np.broadcast_shapes(x.shape, shape)
        except ValueError:
            raise Misfit(f"its operands {list(x.shape)} and {list(shape)} do not broadcast.") from None
        # Of four axes results lie turned; so must what is computed, and constants are turned for it.
        if any((len(one) == 4) != (len(made) == 4) and math.prod(one) > 1
               for one in ((x.shape,) if other is not None else (x.shape, shape))):
            raise Misfit(f"its operands have {len(x.shape)} and {len(shape)} axes; supported: as many, or one number,.")
        if other is None:
            number = of.numbers[second]
            if kind == "real_add" and x.shape == shape:
                of.emit("add", node, (of.numbers[first], number), [(node.outputs[0], made, "float32")],
                        activation="none")
                return
        else:
            turned = len(made) == 4 and other.size > 1
            number = of.constant(second, other.reshape((1,) * (4 - other.ndim) + other.shape) if turned else other,
                                  None, LAST if turned else None)
        of.emit(kind, node, (of.numbers[first], number), [(node.outputs[0], made, "float32")])
    return binary


for _word, _kind, _function in (("Add", "add", np.add), ("Mul", "multiply", np.multiply)):
    reads(_word, "A B", operands=2, real=_real_binary(f"real_{_kind}"), fold=folds.compute(_function))(_binary(_kind))
    reads(f"com.microsoft.QLinear{_word}", f"{_A} {_B} {_C.removeprefix('C ')}")(_binary(_kind))


# ---- one operand -----------------------------------------------------------------------------------------------------

def _unary(kind: str, attributes: Callable[[Converter, OnnxNode], dict[str, Any]]) -> Callable[..., None]:
    """A function of one element."""
    def unary(of: Converter, node: OnnxNode, group: Group) -> None:
        number, x, name, dtype = of.unary(node, group)
        of.emit(kind, node, (number,), [(name, x.shape, dtype)], **attributes(of, node))
    return unary


def _bounds(of: Converter, node: OnnxNode) -> dict[str, Any]:
    bounds = clip_bounds(of.file, node)
    if isinstance(bounds, str):
        raise Misfit(bounds)
    return {"lowest": bounds[0], "highest": bounds[1]}


reads("Relu", "X", operands=1)(_unary("relu", lambda of, node: {}))
reads("Clip", "input min? max?", "min:f max:f", operands=1)(_unary("clip", _bounds))


def _activation(word: str) -> None:
    """Both words of an activation of the table."""
    row = ACTIVATIONS[word]
    handler = _unary(word.lower(), lambda of, node: {name: node.attributes.get(theirs, default) for name, (
        theirs, default) in row.attributes.items()})
    attributes = " ".join(f"{theirs}:f" for theirs, _ in row.attributes.values())
    # Of floats there are the activations that the graph has an operator for.
    reads(row.onnx, "X", attributes, operands=1, real=handler if word == "LEAKY_RELU" else None)(handler)
    if row.qlinear:
        reads(f"com.microsoft.QLinear{row.onnx}", "X X_scale X_zero_point? Y_scale Y_zero_point?", attributes)(handler)


for _word in (word for word, row in ACTIVATIONS.items() if row.onnx):
    _activation(_word)


@reads("Softmax", "input", "axis:i", operands=1)
@reads("com.microsoft.QLinearSoftmax", "X X_scale X_zero_point? Y_scale Y_zero_point", "axis:i opset:i")
def _softmax(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x, name, dtype = of.unary(node, group)
    opset, rank = node.attributes.get("opset", of.file.opset), len(x.shape)
    axis = node.attributes.get("axis", -1 if opset >= 13 else 1)
    if rank == 4 or axis not in (-1, rank - 1):
        raise Misfit(f"it runs along axis {axis} of {list(x.shape)}; supported: the last axis of rows.")
    of.emit("softmax", node, (number,), [(name, x.shape, dtype)], beta=1.0)


@reads("BatchNormalization", "X scale B mean var", "epsilon:f momentum:f spatial:i training_mode:i", results=5)
def _norm(of: Converter, node: OnnxNode, group: Group) -> None:
    x = of.real(node)
    if len(node.outputs) > 1 or node.attributes.get("training_mode", 0):
        raise Misfit("it normalises by the batch that it is given; supported: mean and variance kept from training.")
    if node.attributes.get("spatial", 1) != 1:
        raise Misfit("its spatial is 0, each pixel has numbers of its own; supported: one mean and variance a channel.")
    given = [of.need(name, what) for name, what in zip(node.inputs[1:5], ("scale", "bias", "mean", "variance"),
                                                       strict=True)]
    if any(one.dtype != np.float32 or one.shape != (x.shape[1],) for one in given):
        raise Misfit(f"its constants are not float32 [{x.shape[1]}], one number a channel.")
    if len(x.shape) not in (2, 4):
        raise Misfit(f"it reads {list(x.shape)}; supported: rows or an image.")
    of.emit("batch_norm", node, (of.numbers[x.name], *(of.constant(name, one, None) for name, one in zip(
        node.inputs[1:5], given, strict=True))), [(node.outputs[0], x.shape, "float32")],
        epsilon=node.attributes.get("epsilon", 1e-5))


# ---- between integers and floats -------------------------------------------------------------------------------

@reads("QuantizeLinear", "x y_scale y_zero_point?", "axis:i block_size:i output_dtype:i saturate:i",
       fold=folds.quantize)
def _quantize(of: Converter, node: OnnxNode, group: Group) -> None:
    x, (name, dtype) = of.real(node), of.result(node, None)
    of.emit("quantize", node, (of.numbers[x.name],), [(name, x.shape, dtype)])


@reads("DequantizeLinear", "x x_scale x_zero_point?", "axis:i block_size:i output_dtype:i", fold=folds.dequantize)
def _dequantize(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x = of.operand(node, 0, None)
    of.emit("dequantize", node, (number,), [(node.outputs[0], x.shape, "float32")])


@reads("DynamicQuantizeLinear", "x", results=3)
def _dynamic_quantize(of: Converter, node: OnnxNode, group: Group) -> None:
    x = of.real(node)
    if len(node.outputs) != 3 or not all(node.outputs):
        raise Misfit("it has three results, and one is left out.")
    if node.outputs[0] in of.rules:
        raise Misfit("another node reads its result by a constant scale; supported: what it finds at run time.")
    values, scale, zero = node.outputs
    of.emit("dynamic_quantize", node, (of.numbers[x.name],), [(values, x.shape, "uint8"), (scale, (), "float32"),
                                                              (zero, (), "uint8")])


@reads("Cast", "input", "to:i saturate:i round_mode:s", fold=folds.cast)
def _cast(of: Converter, node: OnnxNode, group: Group) -> None:
    x = of.known(node.inputs[0])
    if x.dtype != "int32" or node.attributes.get("to") != 1:
        raise Misfit(f"it makes {type_name(node.attributes.get('to'))} of {x.dtype}; supported: float32 of int32.")
    of.emit("to_real", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")])
