"""Moves: nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neonsim.common.limits import MAX_AXES
from neonsim.nn.formats.onnx import folds
from neonsim.nn.formats.onnx.convert import FIRST, LAST, Converter, Misfit, Shape
from neonsim.nn.formats.onnx.qdq import Group
from neonsim.nn.formats.onnx.read import OnnxNode
from neonsim.nn.formats.onnx.words import ALL, reads

__all__: list[str] = []


def _emit_shape(of: Converter, node: OnnxNode, group: Group, shape: Sequence[int]) -> None:
    number, x, name, dtype = of.moved(node, group)
    made = tuple(shape)
    if math.prod(made) != math.prod(x.shape) or any(size < 1 for size in made):
        raise Misfit(f"{list(x.shape)} does not make {list(made)}.")
    of.emit("reshape", node, (number,), [(name, made, dtype)], before=_turn(x.shape, FIRST), after=_turn(made, LAST),
            whole=x.shape, given=made)


def _turn(shape: Shape, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes by which a tensor is turned between the file's order and ours; None: all elements stay in order."""
    return axes if len(shape) == 4 and shape[1] > 1 and shape[2] * shape[3] > 1 else None


def _shape_of(of: Converter, node: OnnxNode, group: Group) -> Shape:
    return of.moved(node, group)[1].shape


@reads("Reshape", "data shape", "allowzero:i", operands=1, keeps=True, fold=folds.reshape)
def _reshape(of: Converter, node: OnnxNode, group: Group) -> None:
    wanted, shape = of.integers(node, 1, "shape"), _shape_of(of, node, group)
    if wanted is None or len(wanted) > MAX_AXES:
        raise Misfit(f"its new shape has {len(wanted or ())} axes; the limit is {MAX_AXES}.")
    for axis, size in enumerate(wanted):
        if size == 0 and not node.attributes.get("allowzero", 0):
            if axis >= len(shape):
                raise Misfit(f"its new shape {wanted} keeps axis {axis} of {list(shape)}.")
            wanted[axis] = shape[axis]
    if wanted.count(-1) == 1:
        rest = math.prod(size for size in wanted if size != -1)
        wanted[wanted.index(-1)] = math.prod(shape) // rest if rest > 0 else 0
    _emit_shape(of, node, group, wanted)


@reads("Flatten", "input", "axis:i", operands=1, keeps=True)
def _flatten(of: Converter, node: OnnxNode, group: Group) -> None:
    shape, axis = _shape_of(of, node, group), node.attributes.get("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise Misfit(f"its axis is {axis}; what it reads has {len(shape)}.")
    at = axis + len(shape) if axis < 0 else axis
    _emit_shape(of, node, group, (math.prod(shape[:at]), math.prod(shape[at:])))


@reads("Squeeze", "data axes?", "axes:ii", operands=1, keeps=True, fold=folds.squeeze)
def _squeeze(of: Converter, node: OnnxNode, group: Group) -> None:
    shape, axes = _shape_of(of, node, group), of.integers(node, 1, "axes")
    gone = {i for i, size in enumerate(shape) if size == 1} if axes is None else {a % len(shape) for a in axes} \
        if shape and all(-len(shape) <= a < len(shape) for a in axes) else None
    if gone is None or any(shape[i] != 1 for i in gone):
        raise Misfit(f"its axes are {axes}; the shape {list(shape)} does not have 1 there.")
    _emit_shape(of, node, group, [size for i, size in enumerate(shape) if i not in gone])


@reads("Unsqueeze", "data axes?", "axes:ii", operands=1, keeps=True, fold=folds.unsqueeze)
def _unsqueeze(of: Converter, node: OnnxNode, group: Group) -> None:
    shape, axes = _shape_of(of, node, group), of.integers(node, 1, "axes")
    rank = len(shape) + len(axes or ())
    if not axes or not all(-rank <= a < rank for a in axes) or len({a % rank for a in axes}) != len(axes):
        raise Misfit(f"its axes are {axes}; of {rank} in all, each is named once.")
    rest, at = iter(shape), {a % rank for a in axes}
    _emit_shape(of, node, group, [1 if i in at else next(rest) for i in range(rank)])


@reads("Identity", "input", keeps=True, fold=folds.identity)
def _identity(of: Converter, node: OnnxNode, group: Group) -> None:
    _emit_shape(of, node, group, _shape_of(of, node, group))


@reads("Transpose", "data", "perm:ii", operands=1, keeps=True)
def _transpose(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x, name, dtype = of.moved(node, group)
    rank = len(x.shape)
    axes = list(node.attributes.get("perm", range(rank - 1, -1, -1)))
    if sorted(axes) != list(range(rank)) or not rank:
        raise Misfit(f"its axes are {axes}; each of {rank} is named once.")
    # Axis i of the result here is axis LAST[i] of the file's result, so axes[LAST[i]] of the file's input.
    turned = [LAST.index(axes[i]) for i in LAST] if rank == 4 else axes
    order = of.constant("order", np.array(turned, np.int32), None)
    of.emit("transpose", node, (number, order), [(name, tuple(x.shape[a] for a in axes), dtype)])


@reads("Concat", "inputs*", "axis:i", operands=ALL, keeps=True, fold=folds.concatenate)
@reads("com.microsoft.QLinearConcat", "Y_scale Y_zero_point inputs*", "axis:i")
def _concat(of: Converter, node: OnnxNode, group: Group) -> None:
    if group is not None:
        found = [of.operand(node, i, group) for i in range(len(node.inputs))]
        name, dtype = of.result(node, group)
    elif node.word == "Concat":
        found = [(of.numbers.get(n, -1), of.known(n)) for n in node.inputs]
        name, dtype = node.outputs[0], found[0][1].dtype if found else ""
        if dtype in ("uint8", "int8") and any(one.rule != of.rules.get(name) for _, one in found):
            raise Misfit("it joins integers of several scales as they are; supported: one scale.")
    elif len(node.inputs) % 3 != 2:
        raise Misfit("what it joins is not a tensor, a scale and a zero point each.")
    else:
        found = [of.operand(node, i, None) for i in range(2, len(node.inputs), 3)]
        name, dtype = of.result(node, None)
    if any(one.dtype != dtype for _, one in found):
        types = ", ".join(dict.fromkeys(one.dtype for _, one in found))
        raise Misfit(f"it joins {types} to {dtype}; supported: one type.")
    shapes, rank = [one.shape for _, one in found], len(found[0][1].shape)
    axis = node.attributes.get("axis", 1)
    if not -rank <= axis < rank or any(len(s) != rank or any(
            s[i] != shapes[0][i] for i in range(rank) if i != axis % rank) for s in shapes):
        raise Misfit(f"its inputs {[list(s) for s in shapes]} cannot be joined along axis {axis}.")
    at = axis % rank
    made = tuple(sum(s[at] for s in shapes) if i == at else size for i, size in enumerate(shapes[0]))
    of.emit("concatenation", node, [number for number, _ in found], [(name, made, dtype)],
            axis=LAST.index(at) if rank == 4 else at, activation="none")


@reads("Pad", "data pads? constant_value? axes?", "mode:s pads:ii value:f", keeps=True)
def _pad(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x, name, dtype = of.moved(node, group)
    pads, rank, mode = of.integers(node, 1, "pads"), len(x.shape), node.attributes.get("mode", "constant")
    if mode != "constant":
        raise Misfit(f"its mode is {mode!r}; supported: 'constant'.")
    if len(node.inputs) > 3 and node.inputs[3]:
        raise Misfit("it names axes; supported: pads of all axes.")
    if pads is None or len(pads) != 2 * rank or any(not 0 <= n <= 1 << 20 for n in pads):
        raise Misfit(f"its pads are {pads}; each axis needs integers from 0 on, first all begins, then all ends.")
    # Older versions have an attribute.
    value = np.array(node.attributes.get("value", 0.0), np.float32)
    if len(node.inputs) > 2 and node.inputs[2]:
        value = of.need(node.inputs[2], "value")
    elif x.dtype != "float32":
        value = np.zeros((), x.dtype)
    if value.size != 1 or value.dtype != x.dtype:
        raise Misfit(f"its value is {value.dtype} {list(value.shape)}; supported: one of {x.dtype}.")
    pairs = list(zip(pads[:rank], pads[rank:], strict=True))
    made = tuple(size + a + b for size, (a, b) in zip(x.shape, pairs, strict=True))
    order = LAST if rank == 4 else range(rank)
    amounts = of.constant("pads", np.array([pairs[i] for i in order], np.int32), None)
    of.emit("pad", node, (number, amounts, of.constant("value", value, None)), [(name, made, dtype)])
