"""What the nodes of an `.onnx` file are in the words of a record, with shapes, schemes and channels last.

The handlers of nodes stand beside this, next to their words (`neonsim.nn.formats.onnx.words`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.limits import MAX_MODEL_BYTES, MAX_TENSOR_BYTES
from neonsim.common.memory_limit import judge
from neonsim.errors import ModelError
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.onnx.qdq import Group, groups
from neonsim.nn.formats.onnx.read import File, OnnxNode
from neonsim.nn.formats.onnx.schemes import QuantizationRule, SchemePlace, places_of, schemes_of
from neonsim.nn.formats.onnx.words import WORDS

__all__ = ["FIRST", "LAST", "ConvertedTensor", "Converter", "Misfit", "Shape", "one_per_result", "record_of"]

Shape = tuple[int, ...]
LAST = (0, 2, 3, 1)         # axes of the file's images in the order that they have here
FIRST = (0, 3, 1, 2)        # the other way
_UNKNOWN = "unknown"
_FOLDING = 20               # bytes that an element of a constant takes while it becomes real
_MAX_FOLDED = 4096         # elements of constants that are computed while reading
_WEIGHTS = ("QuantizeLinear", "DequantizeLinear")   # of constants as large as weights are


class Misfit(Exception):
    """Why a node has no meaning here."""



@dataclass(eq=False)
class ConvertedTensor:
    """A value on its way to a `StoredTensor`. order: of a constant; images are turned."""

    name: str
    shape: Shape
    dtype: str
    rule: QuantizationRule | None = None
    axis: int = 0
    data: NDArray[Any] | None = None
    order: tuple[int, ...] | None = None

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    def stored(self) -> StoredTensor:
        scale, zero = (None, None) if self.rule is None else (self.rule.scale, self.rule.zero_points())
        order = LAST if len(self.shape) == 4 and self.data is None else self.order
        return StoredTensor(self.name, self.shape, self.dtype, scale, zero, self.axis, self.data, order)


def record_of(file: File) -> ModelIR:
    """All of a file."""
    return Converter(file).record()


class Converter:
    """One file on its way."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.constants = dict(file.constants)
        self.groups, self.inside = groups(file)
        self.rules, self.clashes = schemes_of(file)
        self.tensors: list[ConvertedTensor] = []
        self.numbers: dict[str, int] = {}
        self.entries: list[IRNode] = []
        self.room = 2 * MAX_MODEL_BYTES
        self.said = {name for node in file.nodes for name in (*node.inputs, *node.outputs)}
        # What nodes before the one that is read write; names inside of groups have no number.
        self.written = {value.name for value in file.inputs} | set(file.constants)

    def record(self) -> ModelIR:
        inputs = tuple(self._declare(value.name, value.shape or (), value.dtype) for value in self.file.inputs)
        makers = {name for node in self.file.nodes for name in node.outputs}
        for node in self.file.nodes:
            self._check_read(node, makers)
            if node.place in self.inside or (node.word == "Constant" and node.outputs[0] in self.constants):
                self.entries.append(IRNode("folded", node.word, node.place, (), ()))
                continue
            mark = len(self.tensors), len(self.entries)
            try:
                self._node(node)
            except Misfit as problem:
                del self.tensors[mark[0]:], self.entries[mark[1]:]
                self._refuse(node, str(problem))
            except (LookupError, ValueError, TypeError, OverflowError, AttributeError, StopIteration):
                # An input or an attribute that every such node has is missing, or of another kind.
                del self.tensors[mark[0]:], self.entries[mark[1]:]
                self._refuse(node, "its inputs or attributes are not those of such a node.")
        outputs = tuple(self._output(name) for name in self.file.outputs)
        return ModelIR(self.file.name, "onnx", tuple(tensor.stored() for tensor in self.tensors), tuple(self.entries),
                       inputs, outputs)

    def _output(self, name: str) -> int:
        if name in self.constants and name not in self.numbers:
            try:
                self.numbers[name] = self.constant(name, self.constants[name], None)
            except Misfit as problem:
                raise ModelError(f"{self.file.name}: its output {name!r}: {problem}") from None
        if name not in self.numbers:
            raise ModelError(f"{self.file.name}: nothing writes its output {name!r}.")
        return self.numbers[name]

    def _check_read(self, node: OnnxNode, makers: set[str]) -> None:
        for name in node.inputs:
            if name and name not in self.numbers and name not in self.constants and name not in self.written:
                late = "which is written after it: nodes stand in the order in which they run" if name in makers else \
                    "which nothing writes"
                raise ModelError(f"{self.file.name}: node {node.place}, {node.word}, reads {name!r}, {late}.")
        for name in node.outputs if node.word != "Constant" else ():
            if name and name in self.written:
                raise ModelError(f"{self.file.name}: node {node.place}, {node.word}, writes {name!r}, which is there "
                                 "already.")
            self.written.add(name)

    def _refuse(self, node: OnnxNode, why: str) -> None:
        for name in node.outputs:
            self.numbers.pop(name, None)
        group = self.groups.get(node.place)
        outputs = group.behind.outputs if group else node.outputs
        for name in outputs:
            self.numbers.pop(name, None)
        made = tuple(self._declare(name, (), _UNKNOWN) for name in outputs if name)
        read = tuple(self.numbers[name] for name in self._read_by(node) if name in self.numbers)
        self.entries.append(IRNode("", node.word, node.place, read, made, {"why": why}))

    def _read_by(self, node: OnnxNode) -> list[str]:
        group = self.groups.get(node.place)
        return [group.before[i].inputs[0] if group and i in group.before else name
                for i, name in enumerate(node.inputs)]

    # ---- tensors
    def _declare(self, name: str, shape: Shape, dtype: str) -> int:
        if any(size < 0 for size in shape) or math.prod(shape) * 8 > MAX_TENSOR_BYTES:
            raise ModelError(f"{self.file.name}: {name!r} would have shape {list(shape)}, which no tensor has.")
        rule = self.rules.get(name) if dtype in ("uint8", "int8") else None
        if rule is not None and rule.dtype != dtype:
            rule = None
        self.tensors.append(ConvertedTensor(name, shape, dtype, rule))
        self.numbers[name] = len(self.tensors) - 1
        return self.numbers[name]

    def constant(self, name: str, data: NDArray[Any], rule: QuantizationRule | None, order: tuple[int, ...]
                  | None = None) -> int:
        """A constant as one node needs it; not found by its name again. order: in which its axes lie in a graph; scales
        run along the first of these."""
        self._take(data.nbytes)
        called = f"{name} ({len(self.tensors)})"
        while called in self.said:
            called += "'"
        self.tensors.append(ConvertedTensor(called, data.shape, data.dtype.name, rule,
                                    order[0] if order else 0, np.ascontiguousarray(data), order))
        return len(self.tensors) - 1

    def _take(self, nbytes: int) -> None:
        """Of the memory that constants may take: many nodes may name the same ones, and each has its own copy."""
        self.room -= nbytes
        if self.room < 0:
            raise Misfit(f"its constants and those of nodes before it take more than {2 * MAX_MODEL_BYTES:,} bytes.")

    def tensor(self, name: str) -> ConvertedTensor:
        """A value that is computed."""
        if name in self.constants:
            raise Misfit(f"{name!r} is a constant; it must be computed.")
        return self.tensors[self.numbers[name]]

    def known(self, name: str) -> ConvertedTensor:
        """The same, of known type."""
        found = self.tensor(name)
        if found.dtype == _UNKNOWN:
            raise Misfit(f"it needs {name!r}, which is not computed.")
        return found

    def quantized(self, name: str, rule: QuantizationRule | str) -> ConvertedTensor:
        """A computed value of 8-bit integers, read by a rule."""
        found = self.known(name)
        if found.dtype not in ("uint8", "int8"):
            raise Misfit(f"{name!r} is {found.dtype}; supported: 8-bit integers.")
        if isinstance(rule, str):
            raise Misfit(f"of what it reads, {name!r}: {rule}")
        if rule.dtype != found.dtype:
            raise Misfit(f"{name!r} is {found.dtype}, the zero point by which it is read {rule.dtype}, as is one that "
                         f"is left out; supported: one type.")
        if found.rule != rule:
            raise Misfit(f"it reads {name!r} by {rule}; another node does by {self.other(name, rule)}.")
        return found

    def other(self, name: str, rule: QuantizationRule) -> QuantizationRule:
        """Another rule by which a value is read or written."""
        known = self.rules[name]
        return self.clashes.get(name, known) if known == rule else known

    def need(self, name: str, what: str) -> NDArray[Any]:
        """A constant."""
        if name not in self.constants:
            raise Misfit(f"its {what}, {name!r}, is computed; it must be constant.")
        return self.constants[name]

    def integers(self, node: OnnxNode, which: int, attribute: str) -> list[int] | None:
        """Integers of an input, or of an attribute of older versions; None where there is neither."""
        if which < len(node.inputs) and node.inputs[which]:
            found = self.need(node.inputs[which], attribute)
            if found.dtype.kind not in "iu":
                raise Misfit(f"its {attribute} are {found.dtype}; supported: integers.")
            return [int(one) for one in found.reshape(-1)]
        given = node.attributes.get(attribute)
        return None if given is None else list(given)

    def rule(self, node: OnnxNode, where: SchemePlace) -> QuantizationRule | str:
        """The scheme that a node says; or why it says none."""
        return where.read(self.constants, node)

    def emit(self, kind: str, node: OnnxNode, inputs: Sequence[int | None], outputs: Sequence[tuple[str, Shape, str]],
             **attributes: Any) -> None:
        """An entry that writes new values."""
        made = tuple(self._declare(*one) for one in outputs)
        self.entries.append(IRNode(kind, node.word, node.place, tuple(inputs), made, attributes))

    # ---- nodes
    def _node(self, node: OnnxNode) -> None:
        if node.refused:
            raise Misfit(node.refused)
        if self._folded(node):
            return
        group, row = self.groups.get(node.place), WORDS.get(node.word)
        if row is None or row.integers is None:
            raise Misfit("this operator is not supported.")
        handler = row.real if group is None else row.integers
        if handler is None:
            raise Misfit(f"there is no {node.word} of float32. It runs in integers if all inputs come from "
                         f"DequantizeLinear and its only reader is QuantizeLinear.")
        handler(self, node, group)

    def _folded(self, node: OnnxNode) -> bool:
        """Constants are computed while reading: shapes, most of all."""
        fold = WORDS[node.word].fold if node.word in WORDS else None
        if node.word == "Shape" and node.inputs and node.inputs[0] in self.numbers:
            tensor = self.known(node.inputs[0])
            made: Any = np.array(tensor.shape, np.int64)[slice(node.attributes.get("start", 0),
                                                               node.attributes.get("end"))]
        elif fold is not None and node.inputs and all(not n or n in self.constants for n in node.inputs):
            given = [self.constants[n] if n else None for n in node.inputs]
            if sum(one.size for one in given if one is not None) > _MAX_FOLDED and node.word not in _WEIGHTS:
                raise Misfit("it computes with constants, and large ones; fold them when the file is written.")
            count = sum(one.size for one in given if one is not None)
            self._take(4 * count)
            judge(_FOLDING * count, f"node {node.place}, {node.word}")
            try:
                made = fold(node, given)
            except (ValueError, IndexError, TypeError, KeyError, OverflowError) as problem:
                raise Misfit(f"its constants do not fit: {' '.join(str(problem).split())[:120]}.") from None
            if made.size > 2 * _MAX_FOLDED and node.word not in _WEIGHTS:
                raise Misfit("it computes with constants, and large ones; fold them when the file is written.")
        else:
            return False
        self.constants[node.outputs[0]] = np.asarray(made)
        self.entries.append(IRNode("folded", node.word, node.place, (), ()))
        return True

    # ---- operands of a node
    def real(self, node: OnnxNode, which: int = 0) -> ConvertedTensor:
        """An operand of floats."""
        x = self.known(node.inputs[which])
        if x.dtype != "float32":
            raise Misfit(f"{x.name!r} is {x.dtype}; supported: float32.")
        return x

    def unary(self, node: OnnxNode, group: Group) -> tuple[int, ConvertedTensor, str, str]:
        """What a node of one operand reads and writes: number, value, name and type of the result."""
        if group is not None or places_of(node.word):
            return *self.operand(node, 0, group), *self.result(node, group)
        x = self.real(node)
        return self.numbers[x.name], x, node.outputs[0], x.dtype

    def moved(self, node: OnnxNode, group: Group) -> tuple[int, ConvertedTensor, str, str]:
        """The same of a node that keeps the values."""
        if group is not None:
            return self.unary(node, group)
        x = self.known(node.inputs[0])
        if x.dtype in ("uint8", "int8") and self.rules.get(node.outputs[0]) != x.rule:
            raise Misfit(f"it leaves integers as they are, but {x.name!r} is of {x.rule or 'no scale'}, its result of "
                         f"{self.rules.get(node.outputs[0], 'no scale')}.")
        return self.numbers[node.inputs[0]], x, node.outputs[0], x.dtype

    def operand(self, node: OnnxNode, which: int, group: Group) -> tuple[int, ConvertedTensor]:
        """An operand: of a group, or as its own word says."""
        if group is not None:
            before = group.before[which]
            rule, name = self.rule(before, places_of(before.word)[0]), before.inputs[0]
        else:
            where = next(one for one in places_of(node.word) if not one.writes and one.which == which)
            rule, name = self.rule(node, where), node.inputs[which]
        found = self.quantized(name, rule)
        return self.numbers[name], found

    def result(self, node: OnnxNode, group: Group) -> tuple[str, str]:
        """Name and type of the result."""
        by = node if group is None else group.behind
        where = next(one for one in places_of(by.word) if one.writes)
        rule = self.rule(by, where)
        name = by.outputs[0]
        if isinstance(rule, str):
            raise Misfit(f"of its result, {name!r}: {rule}")
        return name, rule.dtype

    def weights(self, node: OnnxNode, which: int, group: Group) -> tuple[NDArray[Any], QuantizationRule, int]:
        """Constant weights with their scales, and the axis of these."""
        if group is not None:
            before = group.before[which]
            values, where = self.need(before.inputs[0], "weights"), places_of(before.word)[0]
            rule = where.read(self.constants, before, many=True)
            axis = before.attributes.get("axis", 1)
        else:
            values = self.need(node.inputs[which], "weights")
            where = next(one for one in places_of(node.word) if one.which == which and not one.writes)
            rule = where.read(self.constants, node, many=True)
            axis = 0 if node.word == "QLinearConv" else values.ndim - 1
            if node.word == "com.microsoft.QGemm" and node.attributes.get("transB", 0):
                axis = 0
        if values.dtype not in (np.uint8, np.int8):
            raise Misfit(f"its weights are {values.dtype}; supported: 8-bit integers.")
        if isinstance(rule, str):
            raise Misfit(f"of its weights: {rule}")
        axis = axis % values.ndim if values.ndim else 0
        if rule.scale.size > 1 and (not values.ndim or values.shape[axis] != rule.scale.size):
            raise Misfit(f"its weights {list(values.shape)} have {rule.scale.size} scales along axis {axis}.")
        return values, rule, axis

    def bias(self, node: OnnxNode, which: int, group: Group, count: int) -> int | None:
        """Constant int32 bias."""
        if which >= len(node.inputs) or not node.inputs[which]:
            return None
        name = node.inputs[which] if group is None else group.before[which].inputs[0]
        found = self.need(name, "bias")
        if found.dtype != np.int32 or not one_per_result(found.shape, count):
            raise Misfit(f"its bias is {found.dtype} {list(found.shape)}; supported: int32 [{count}].")
        return self.constant(name, np.broadcast_to(found.reshape(-1), (count,)), None)


def one_per_result(shape: Shape, count: int) -> bool:
    """Is a bias of this shape one number for all results, or one for each? [count, 1] would be one for each row."""
    return math.prod(shape) == 1 or (math.prod(shape) == count == shape[-1])
