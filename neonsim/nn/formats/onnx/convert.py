"""What the nodes of an `.onnx` file are in the words of a record, with shapes, schemes and channels last."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.limits import MAX_AXES, MAX_MODEL_BYTES, MAX_TENSOR_BYTES
from neonsim.common.memory_limit import judge
from neonsim.errors import ModelError
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.onnx.qdq import QdqGroup, clip_bounds, groups
from neonsim.nn.formats.onnx.read import File, OnnxNode, type_name
from neonsim.nn.formats.onnx.schemes import SCHEMES, QuantizationRule, SchemePlace, schemes_of

__all__ = ["record_of"]

Shape = tuple[int, ...]
LAST = (0, 2, 3, 1)         # axes of the file's images in the order that they have here
FIRST = (0, 3, 1, 2)        # the other way
ROWS, COLUMNS = (0, 1), (1, 0)      # of a matrix: the weights of one result are a row of it, or a column
_UNKNOWN = "unknown"
_FOLDING = 20               # bytes that an element of a constant takes while it becomes real
_MAX_FOLDED = 4096         # elements of constants that are computed while reading


class _Cannot(Exception):
    """Why a node has no meaning here."""


@dataclass(eq=False)
class _Tensor:
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
    return _Meaning(file).record()


class _Meaning:
    """One file on its way."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.constants = dict(file.constants)
        self.groups, self.inside = groups(file)
        self.rules, self.clashes = schemes_of(file)
        self.tensors: list[_Tensor] = []
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
            except _Cannot as problem:
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
                self.numbers[name] = self._constant(name, self.constants[name], None)
            except _Cannot as problem:
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
        self.tensors.append(_Tensor(name, shape, dtype, rule))
        self.numbers[name] = len(self.tensors) - 1
        return self.numbers[name]

    def _constant(self, name: str, data: NDArray[Any], rule: QuantizationRule | None, order: tuple[int, ...]
                  | None = None) -> int:
        """A constant as one node needs it; not found by its name again. order: in which its axes lie in a graph; scales
        run along the first of these."""
        self._take(data.nbytes)
        called = f"{name} ({len(self.tensors)})"
        while called in self.said:
            called += "'"
        self.tensors.append(_Tensor(called, data.shape, data.dtype.name, rule,
                                    order[0] if order else 0, np.ascontiguousarray(data), order))
        return len(self.tensors) - 1

    def _take(self, nbytes: int) -> None:
        """Of the memory that constants may take: many nodes may name the same ones, and each has its own copy."""
        self.room -= nbytes
        if self.room < 0:
            raise _Cannot(f"its constants and those of nodes before it take more than {2 * MAX_MODEL_BYTES:,} bytes.")

    def tensor(self, name: str) -> _Tensor:
        """A value that is computed."""
        if name in self.constants:
            raise _Cannot(f"{name!r} is a constant; it must be computed.")
        return self.tensors[self.numbers[name]]

    def known(self, name: str) -> _Tensor:
        """The same, of known type."""
        found = self.tensor(name)
        if found.dtype == _UNKNOWN:
            raise _Cannot(f"it needs {name!r}, which is not computed.")
        return found

    def quantized(self, name: str, rule: QuantizationRule | str) -> _Tensor:
        """A computed value of 8-bit integers, read by a rule."""
        found = self.known(name)
        if found.dtype not in ("uint8", "int8"):
            raise _Cannot(f"{name!r} is {found.dtype}; 8-bit integers are taken.")
        if isinstance(rule, str):
            raise _Cannot(f"of what it reads, {name!r}: {rule}")
        if rule.dtype != found.dtype:
            raise _Cannot(f"{name!r} is {found.dtype}, the zero point by which it is read {rule.dtype}, as is one that "
                          "is left out; one type is taken.")
        if found.rule != rule:
            raise _Cannot(f"it reads {name!r} by {rule}; another node does by {self.other(name, rule)}.")
        return found

    def other(self, name: str, rule: QuantizationRule) -> QuantizationRule:
        """Another rule by which a value is read or written."""
        known = self.rules[name]
        return self.clashes.get(name, known) if known == rule else known

    def need(self, name: str, what: str) -> NDArray[Any]:
        """A constant."""
        if name not in self.constants:
            raise _Cannot(f"its {what}, {name!r}, is computed; it must be constant.")
        return self.constants[name]

    def integers(self, node: OnnxNode, which: int, attribute: str) -> list[int] | None:
        """Integers of an input, or of an attribute of older versions; None where there is neither."""
        if which < len(node.inputs) and node.inputs[which]:
            found = self.need(node.inputs[which], attribute)
            if found.dtype.kind not in "iu":
                raise _Cannot(f"its {attribute} are {found.dtype}; integers are taken.")
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
            raise _Cannot(node.refused)
        if self._folded(node):
            return
        group = self.groups.get(node.place)
        handler = _HANDLERS.get(node.word)
        if handler is None:
            raise _Cannot("there is no such operator here.")
        handler(self, node, group)

    def _folded(self, node: OnnxNode) -> bool:
        """Constants are computed while reading: shapes, most of all."""
        fold = _FOLDS.get(node.word)
        if node.word == "Shape" and node.inputs and node.inputs[0] in self.numbers:
            tensor = self.known(node.inputs[0])
            made: Any = np.array(tensor.shape, np.int64)[slice(node.attributes.get("start", 0),
                                                               node.attributes.get("end"))]
        elif fold is not None and node.inputs and all(not n or n in self.constants for n in node.inputs):
            given = [self.constants[n] if n else None for n in node.inputs]
            if sum(one.size for one in given if one is not None) > _MAX_FOLDED and node.word not in _WEIGHTS:
                raise _Cannot("it computes with constants, and large ones; fold them when the file is written.")
            count = sum(one.size for one in given if one is not None)
            self._take(4 * count)
            judge(_FOLDING * count, f"node {node.place}, {node.word}")
            try:
                made = fold(node, given)
            except (ValueError, IndexError, TypeError, KeyError, OverflowError) as problem:
                raise _Cannot(f"its constants do not fit: {' '.join(str(problem).split())[:120]}.") from None
            if made.size > 2 * _MAX_FOLDED and node.word not in _WEIGHTS:
                raise _Cannot("it computes with constants, and large ones; fold them when the file is written.")
        else:
            return False
        self.constants[node.outputs[0]] = np.asarray(made)
        self.entries.append(IRNode("folded", node.word, node.place, (), ()))
        return True

    # ---- operands of a node in integers
    def operand(self, node: OnnxNode, which: int, group: QdqGroup | None) -> tuple[int, _Tensor]:
        """An operand: of a group, or as its own word says."""
        if group is not None:
            before = group.before[which]
            rule = self.rule(before, SCHEMES["DequantizeLinear"][0])
            name = before.inputs[0]
        else:
            where = next(one for one in SCHEMES[node.word] if not one.writes and one.which == which)
            rule, name = self.rule(node, where), node.inputs[which]
        found = self.quantized(name, rule)
        return self.numbers[name], found

    def result(self, node: OnnxNode, group: QdqGroup | None) -> tuple[str, str]:
        """Name and type of the result."""
        by = node if group is None else group.behind
        where = next(one for one in SCHEMES[by.word] if one.writes)
        rule = self.rule(by, where)
        name = by.outputs[0]
        if isinstance(rule, str):
            raise _Cannot(f"of its result, {name!r}: {rule}")
        return name, rule.dtype

    def weights(self, node: OnnxNode, which: int, group: QdqGroup | None) -> tuple[NDArray[Any], QuantizationRule, int]:
        """Constant weights with their scales, and the axis of these."""
        if group is not None:
            before = group.before[which]
            values, where = self.need(before.inputs[0], "weights"), SCHEMES["DequantizeLinear"][0]
            rule = where.read(self.constants, before, many=True)
            axis = before.attributes.get("axis", 1)
        else:
            values = self.need(node.inputs[which], "weights")
            where = next(one for one in SCHEMES[node.word] if one.which == which and not one.writes)
            rule = where.read(self.constants, node, many=True)
            axis = 0 if node.word == "QLinearConv" else values.ndim - 1
            if node.word == "com.microsoft.QGemm" and node.attributes.get("transB", 0):
                axis = 0
        if values.dtype not in (np.uint8, np.int8):
            raise _Cannot(f"its weights are {values.dtype}; 8-bit integers are taken.")
        if isinstance(rule, str):
            raise _Cannot(f"of its weights: {rule}")
        axis = axis % values.ndim if values.ndim else 0
        if rule.scale.size > 1 and (not values.ndim or values.shape[axis] != rule.scale.size):
            raise _Cannot(f"its weights {list(values.shape)} have {rule.scale.size} scales along axis {axis}.")
        return values, rule, axis

    def bias(self, node: OnnxNode, which: int, group: QdqGroup | None, count: int) -> int | None:
        """Constant int32 bias."""
        if which >= len(node.inputs) or not node.inputs[which]:
            return None
        name = node.inputs[which] if group is None else group.before[which].inputs[0]
        found = self.need(name, "bias")
        if found.dtype != np.int32 or not _one_per_result(found.shape, count):
            raise _Cannot(f"its bias is {found.dtype} {list(found.shape)}; int32 [{count}] is taken.")
        return self._constant(name, np.broadcast_to(found.reshape(-1), (count,)), None)


Handler = Callable[[_Meaning, OnnxNode, QdqGroup | None], None]


def _one_per_result(shape: Shape, count: int) -> bool:
    """Is a bias of this shape one number for all results, or one for each? [count, 1] would be one for each row."""
    return math.prod(shape) == 1 or (math.prod(shape) == count == shape[-1])


# ---- windows ---------------------------------------------------------------------------------------------------------

def _pair(node: OnnxNode, name: str, default: int | None = 1) -> tuple[int, int]:
    given = node.attributes.get(name, None if default is None else [default, default])
    if not isinstance(given, list) or len(given) != 2 or any(not isinstance(n, int) or not 1 <= n <= 1 << 20
                                                             for n in given):
        raise _Cannot(f"its {name} is {given}; two integers from 1 on are taken: images have height and width.")
    return given[0], given[1]


def _image(tensor: _Tensor) -> Shape:
    if len(tensor.shape) != 4 or 0 in tensor.shape:
        raise _Cannot(f"{tensor.name!r} has shape {list(tensor.shape)}; an image is [batch, channels, height, width].")
    return tensor.shape


def _windows(node: OnnxNode, image: Shape, window: tuple[int, int]) -> tuple[dict[str, Any], Shape]:
    """Attributes of a node with windows, and height and width of its result."""
    stride, dilation = _pair(node, "strides"), _pair(node, "dilations")
    if node.attributes.get("kernel_shape", list(window)) != list(window):
        raise _Cannot(f"its kernel_shape is {node.attributes['kernel_shape']}; its weights have {list(window)}.")
    reach = [(taps - 1) * gap + 1 for taps, gap in zip(window, dilation, strict=True)]
    kind = node.attributes.get("auto_pad", "NOTSET") or "NOTSET"
    if kind in ("SAME_UPPER", "SAME_LOWER"):
        whole = [(-(-size // step) - 1) * step + one - size
                 for size, step, one in zip(image[2:], stride, reach, strict=True)]
        if min(whole) < 0 and "Pool" in node.word:
            raise _Cannot(f"its auto_pad is {kind!r}, and its windows of {list(window)} leave out pixels at the ends, "
                          "which ONNX Runtime refuses; pads say it.")
        halves = [(max(n, 0) // 2, max(n, 0) - max(n, 0) // 2) for n in whole]
        padding = [(b, a) if kind == "SAME_LOWER" else (a, b) for a, b in halves]
    elif kind == "VALID":
        padding = [(0, 0), (0, 0)]
    elif kind == "NOTSET":
        pads = node.attributes.get("pads", [0, 0, 0, 0])
        if not isinstance(pads, list) or len(pads) != 4 or any(not 0 <= n <= 1 << 20 for n in pads):
            raise _Cannot(f"its pads are {pads}; four integers from 0 on are taken.")
        padding = [(pads[0], pads[2]), (pads[1], pads[3])]
    else:
        raise _Cannot(f"its auto_pad is {kind!r}, which is none.")
    sizes, up = [], bool(node.attributes.get("ceil_mode", 0))
    for i in (0, 1):
        room = image[2 + i] + sum(padding[i]) - reach[i]
        if room < 0:
            raise _Cannot(f"its windows of {reach[i]} do not fit an image of {image[2 + i]} with padding {padding[i]}.")
        count = (-(-room // stride[i]) if up else room // stride[i]) + 1
        if up and (count - 1) * stride[i] >= image[2 + i] + padding[i][0]:
            count -= 1      # no window begins outside
        sizes.append(count)
    return {"padding": tuple(padding), "stride_height": stride[0], "stride_width": stride[1],
            "dilation_height": dilation[0], "dilation_width": dilation[1], "sizes": tuple(sizes)}, tuple(sizes)


def _conv(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    first, last = (0, 3) if group is None else (0, 1)
    number, x = of.operand(node, first, group)
    values, rule, axis = of.weights(node, last, group)
    image, count = _image(x), node.attributes.get("group", 1)
    if values.ndim != 4 or 0 in values.shape:
        raise _Cannot(f"its weights are {list(values.shape)}; [out, in, height, width] is taken.")
    if count < 1 or image[1] != count * values.shape[1] or values.shape[0] % count:
        raise _Cannot(f"its weights {list(values.shape)} do not fit {image[1]} channels in {count} groups.")
    if rule.scale.size > 1 and axis != 0:
        raise _Cannot(f"its weights have their scales along axis {axis}; axis 0 counts the results.")
    said, sizes = _windows(node, image, (values.shape[2], values.shape[3]))
    name, dtype = of.result(node, group)
    weights = of._constant(node.inputs[last], values, rule, LAST)
    bias = of.bias(node, 8 if group is None else 2, group, values.shape[0])
    of.emit("conv2d", node, (number, weights, bias), [(name, (image[0], values.shape[0], *sizes), dtype)],
            activation="none", **said)


def _check_plain(node: OnnxNode) -> None:
    for name, plain in (("transA", 0), ("alpha", 1.0), ("beta", 1.0)):
        if node.attributes.get(name, plain) != plain:
            raise _Cannot(f"its {name} is {node.attributes[name]:g}; {plain:g} is taken.")


def _product(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    """MatMul and Gemm by constant weights."""
    second = 3 if group is None else 1
    number, x = of.operand(node, 0, group)
    values, rule, axis = of.weights(node, second, group)
    gemm = "Gemm" in node.word
    _check_plain(node)
    if values.ndim != 2 or 0 in values.shape or not x.shape or len(x.shape) == 4:
        raise _Cannot(f"it multiplies {list(x.shape)} by {list(values.shape)}; rows by a matrix are taken.")
    order = ROWS if gemm and node.attributes.get("transB", 0) else COLUMNS
    count, depth = values.shape[order[0]], values.shape[order[1]]
    if x.shape[-1] != depth:
        raise _Cannot(f"it multiplies rows of {x.shape[-1]} by columns of {depth}.")
    if rule.scale.size > 1 and axis != order[0]:
        raise _Cannot("its weights have their scales along the sum.")
    name, dtype = of.result(node, group)
    weights = of._constant(node.inputs[second], values, rule, order)
    bias = of.bias(node, 6 if group is None else 2, group, count) if gemm else None
    of.emit("fully_connected", node, (number, weights, bias), [(name, (*x.shape[:-1], count), dtype)],
            activation="none", weights_format=0, keep_dims=True)


def _binary(kind: str) -> Callable[[_Meaning, OnnxNode, QdqGroup | None], None]:
    def binary(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
        second = 3 if group is None else 1
        places = [0, second]
        names = [(group.before[i].inputs[0] if group else node.inputs[i]) for i in places]
        constant = [name in of.constants for name in names]
        if all(constant):
            raise _Cannot("both of its operands are constants.")
        name, dtype = of.result(node, group)
        if any(constant):
            at = constant.index(True)
            values, rule, _ = of.weights(node, places[at], group)
            if values.size != 1 or rule.scale.size != 1:
                raise _Cannot(f"one of its operands is a constant of shape {list(values.shape)}; of integers a single "
                              "value is taken.")
            number, x = of.operand(node, places[1 - at], group)
            if values.ndim > len(x.shape):
                raise _Cannot("its constant has more axes than the other operand.")
            of.emit(f"{kind}_constant", node, (number, of._constant(names[at], values, rule)),
                    [(name, x.shape, dtype)], first=at == 0, activation="none")
            return
        (left, a), (right, b) = (of.operand(node, i, group) for i in places)
        if a.shape != b.shape and (kind == "add" or len(a.shape) != len(b.shape) or any(
                m != n and 1 not in (m, n) for m, n in zip(a.shape, b.shape, strict=True))):
            taken = "one shape is taken: sums that broadcast are rounded in another order there" if kind == "add" else \
                "as many axes are taken, of one size or of 1"
            raise _Cannot(f"its operands are {list(a.shape)} and {list(b.shape)}; {taken}.")
        shape = tuple(max(m, n) for m, n in zip(a.shape, b.shape, strict=True))
        of.emit(kind, node, (left, right), [(name, shape, dtype)], activation="none")
    return binary


def _average(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x = of.operand(node, 0, group)
    image, window = _image(x), _pair(node, "kernel_shape", None)
    if node.attributes.get("channels_last", 0):
        raise _Cannot("its channels come last; an image is [batch, channels, height, width].")
    if _pair(node, "dilations") != (1, 1):
        raise _Cannot(f"its dilations are {node.attributes['dilations']}; windows without gaps are taken.")
    said, sizes = _windows(node, image, window)
    name, dtype = of.result(node, group)
    of.emit("average_pool", node, (number,), [(name, (*image[:2], *sizes), dtype)], pool_height=window[0],
            pool_width=window[1], counts_padding=bool(node.attributes.get("count_include_pad", 0)), activation="none",
            **said)


def _global_average(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x = of.operand(node, 0, group)
    image = _image(x)
    if node.attributes.get("channels_last", 0):
        raise _Cannot("its channels come last; an image is [batch, channels, height, width].")
    name, dtype = of.result(node, group)
    of.emit("global_mean", node, (number,), [(name, (*image[:2], 1, 1), dtype)])


def _curve(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x = of.operand(node, 0, group)
    name, dtype = of.result(node, group)
    word = node.word.rpartition(".")[2].removeprefix("QLinear")
    kind = {"Sigmoid": "logistic", "LeakyRelu": "leaky_relu", "Relu": "relu", "Clip": "clip"}[word]
    attributes: dict[str, Any] = {}
    if kind == "leaky_relu":
        attributes["slope"] = node.attributes.get("alpha", 0.01)
    if kind == "clip":
        bounds = clip_bounds(of.file, node)
        if isinstance(bounds, str):
            raise _Cannot(bounds)
        attributes |= {"lowest": bounds[0], "highest": bounds[1]}
    of.emit(kind, node, (number,), [(name, x.shape, dtype)], **attributes)


def _softmax(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x = of.operand(node, 0, group)
    name, dtype = of.result(node, group)
    opset = node.attributes.get("opset", of.file.opset)
    axis, rank = node.attributes.get("axis", -1 if opset >= 13 else 1), len(x.shape)
    last = axis in (-1, rank - 1)
    if rank == 4 or not last:
        raise _Cannot(f"it runs along axis {axis} of {list(x.shape)}; the last axis of rows is taken.")
    of.emit("softmax", node, (number,), [(name, x.shape, dtype)], beta=1.0)


def _max_pool(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    if group is None and of.known(node.inputs[0]).dtype == "float32":
        _real_pool("max_pool")(of, node, group)
        return
    number, x, name, dtype = _moved(of, node, group)
    if len(node.outputs) > 1:
        raise _Cannot("its second result, where the largest lies, is not there.")
    if x.dtype not in ("uint8", "int8"):
        raise _Cannot(f"{x.name!r} is {x.dtype}; 8-bit integers and float32 are taken.")
    if x.rule is None:
        raise _Cannot(f"no node says by which scale the integers of {x.name!r} stand for real numbers.")
    image, window = _image(x), _pair(node, "kernel_shape", None)
    said, sizes = _windows(node, image, window)
    of.emit("max_pool", node, (number,), [(name, (*image[:2], *sizes), dtype)], pool_height=window[0],
            pool_width=window[1], activation="none", **said)


def _moved(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> tuple[int, _Tensor, str, str]:
    """What a node reads and writes that keeps the values: number, value, name and type of the result."""
    if group is not None:
        return *of.operand(node, 0, group), *of.result(node, group)
    x = of.known(node.inputs[0])
    if x.dtype in ("uint8", "int8") and of.rules.get(node.outputs[0]) != x.rule:
        raise _Cannot(f"it leaves integers as they are, but {x.name!r} is of {x.rule or 'no scale'}, its result of "
                      f"{of.rules.get(node.outputs[0], 'no scale')}.")
    return of.numbers[node.inputs[0]], x, node.outputs[0], x.dtype


def _emit_shape(of: _Meaning, node: OnnxNode, group: QdqGroup | None, shape: Sequence[int]) -> None:
    number, x, name, dtype = _moved(of, node, group)
    made = tuple(shape)
    if math.prod(made) != math.prod(x.shape) or any(size < 1 for size in made):
        raise _Cannot(f"{list(x.shape)} does not make {list(made)}.")
    of.emit("reshape", node, (number,), [(name, made, dtype)], before=_turn(x.shape, FIRST), after=_turn(made, LAST),
            whole=x.shape, given=made)


def _turn(shape: Shape, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The axes by which a tensor is turned between the file's order and ours; None: all elements stay in order."""
    return axes if len(shape) == 4 and shape[1] > 1 and shape[2] * shape[3] > 1 else None


def _shape_of(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> Shape:
    return _moved(of, node, group)[1].shape


def _reshape(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    wanted, shape = of.integers(node, 1, "shape"), _shape_of(of, node, group)
    if wanted is None or len(wanted) > MAX_AXES:
        raise _Cannot(f"its new shape has {len(wanted or ())} axes; {MAX_AXES} at most are taken.")
    for axis, size in enumerate(wanted):
        if size == 0 and not node.attributes.get("allowzero", 0):
            if axis >= len(shape):
                raise _Cannot(f"its new shape {wanted} keeps axis {axis} of {list(shape)}.")
            wanted[axis] = shape[axis]
    if wanted.count(-1) == 1:
        rest = math.prod(size for size in wanted if size != -1)
        wanted[wanted.index(-1)] = math.prod(shape) // rest if rest > 0 else 0
    _emit_shape(of, node, group, wanted)


def _flatten(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    shape, axis = _shape_of(of, node, group), node.attributes.get("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise _Cannot(f"its axis is {axis}; what it reads has {len(shape)}.")
    at = axis + len(shape) if axis < 0 else axis
    _emit_shape(of, node, group, (math.prod(shape[:at]), math.prod(shape[at:])))


def _squeeze(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    shape, axes = _shape_of(of, node, group), of.integers(node, 1, "axes")
    gone = {i for i, size in enumerate(shape) if size == 1} if axes is None else {a % len(shape) for a in axes} \
        if shape and all(-len(shape) <= a < len(shape) for a in axes) else None
    if gone is None or any(shape[i] != 1 for i in gone):
        raise _Cannot(f"its axes are {axes}; the shape {list(shape)} does not have 1 there.")
    _emit_shape(of, node, group, [size for i, size in enumerate(shape) if i not in gone])


def _unsqueeze(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    shape, axes = _shape_of(of, node, group), of.integers(node, 1, "axes")
    rank = len(shape) + len(axes or ())
    if not axes or not all(-rank <= a < rank for a in axes) or len({a % rank for a in axes}) != len(axes):
        raise _Cannot(f"its axes are {axes}; of {rank} in all, each is named once.")
    rest, at = iter(shape), {a % rank for a in axes}
    _emit_shape(of, node, group, [1 if i in at else next(rest) for i in range(rank)])


def _identity(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    _emit_shape(of, node, group, _shape_of(of, node, group))


def _transpose(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x, name, dtype = _moved(of, node, group)
    rank = len(x.shape)
    axes = list(node.attributes.get("perm", range(rank - 1, -1, -1)))
    if sorted(axes) != list(range(rank)) or not rank:
        raise _Cannot(f"its axes are {axes}; each of {rank} is named once.")
    # Axis i of the result here is axis LAST[i] of the file's result, so axes[LAST[i]] of the file's input.
    turned = [LAST.index(axes[i]) for i in LAST] if rank == 4 else axes
    order = of._constant("order", np.array(turned, np.int32), None)
    of.emit("transpose", node, (number, order), [(name, tuple(x.shape[a] for a in axes), dtype)])


def _concat(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    if group is not None:
        found = [of.operand(node, i, group) for i in range(len(node.inputs))]
        name, dtype = of.result(node, group)
    elif node.word == "Concat":
        found = [(of.numbers.get(n, -1), of.known(n)) for n in node.inputs]
        name, dtype = node.outputs[0], found[0][1].dtype if found else ""
        if dtype in ("uint8", "int8") and any(one.rule != of.rules.get(name) for _, one in found):
            raise _Cannot("it joins integers of several scales as they are; one scale is taken.")
    elif len(node.inputs) % 3 != 2:
        raise _Cannot("what it joins is not a tensor, a scale and a zero point each.")
    else:
        found = [of.operand(node, i, None) for i in range(2, len(node.inputs), 3)]
        name, dtype = of.result(node, None)
    if any(one.dtype != dtype for _, one in found):
        types = ", ".join(dict.fromkeys(one.dtype for _, one in found))
        raise _Cannot(f"it joins {types} to {dtype}; one type is taken.")
    shapes, rank = [one.shape for _, one in found], len(found[0][1].shape)
    axis = node.attributes.get("axis", 1)
    if not -rank <= axis < rank or any(len(s) != rank or any(
            s[i] != shapes[0][i] for i in range(rank) if i != axis % rank) for s in shapes):
        raise _Cannot(f"its inputs {[list(s) for s in shapes]} cannot be joined along axis {axis}.")
    at = axis % rank
    made = tuple(sum(s[at] for s in shapes) if i == at else size for i, size in enumerate(shapes[0]))
    of.emit("concatenation", node, [number for number, _ in found], [(name, made, dtype)],
            axis=LAST.index(at) if rank == 4 else at, activation="none")


def _pad(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x, name, dtype = _moved(of, node, group)
    pads, rank, mode = of.integers(node, 1, "pads"), len(x.shape), node.attributes.get("mode", "constant")
    if mode != "constant":
        raise _Cannot(f"its mode is {mode!r}; 'constant' is taken.")
    if len(node.inputs) > 3 and node.inputs[3]:
        raise _Cannot("it names axes; pads of all axes are taken.")
    if pads is None or len(pads) != 2 * rank or any(not 0 <= n <= 1 << 20 for n in pads):
        raise _Cannot(f"its pads are {pads}; for each axis integers from 0 on are taken, before all and behind "
                      "all.")
    # Older versions have an attribute.
    value = np.array(node.attributes.get("value", 0.0), np.float32)
    if len(node.inputs) > 2 and node.inputs[2]:
        value = of.need(node.inputs[2], "value")
    elif x.dtype != "float32":
        value = np.zeros((), x.dtype)
    if value.size != 1 or value.dtype != x.dtype:
        raise _Cannot(f"its value is {value.dtype} {list(value.shape)}; one of {x.dtype} is taken.")
    pairs = list(zip(pads[:rank], pads[rank:], strict=True))
    made = tuple(size + a + b for size, (a, b) in zip(x.shape, pairs, strict=True))
    order = LAST if rank == 4 else range(rank)
    amounts = of._constant("pads", np.array([pairs[i] for i in order], np.int32), None)
    of.emit("pad", node, (number, amounts, of._constant("value", value, None)), [(name, made, dtype)])


# ---- edges -----------------------------------------------------------------------------------------------------------

def _quantize(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = of.known(node.inputs[0])
    name, dtype = of.result(node, None)
    if x.dtype != "float32":
        raise _Cannot(f"{x.name!r} is {x.dtype}; float32 is taken.")
    of.emit("quantize", node, (of.numbers[x.name],), [(name, x.shape, dtype)])


def _dequantize(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    number, x = of.operand(node, 0, None)
    of.emit("dequantize", node, (number,), [(node.outputs[0], x.shape, "float32")])


# ---- numbers as they are ---------------------------------------------------------------------------------------------

def _zero_points(of: _Meaning, node: OnnxNode, dtype: str) -> tuple[int | None, int | None]:
    """Of x, which may be computed, and of the weights."""
    name = node.inputs[2] if len(node.inputs) > 2 else ""
    x: int | None = None
    if name:
        found = of.constants[name].dtype.name if name in of.constants else of.known(name).dtype
        if found != dtype:
            raise _Cannot(f"its zero point {name!r} is {found}; {dtype} is taken.")
        x = of._constant(name, of.constants[name], None) if name in of.constants else of.numbers[name]
    name = node.inputs[3] if len(node.inputs) > 3 else ""
    if not name:
        return x, None
    zeros = of.need(name, "zero points of the weights")
    if zeros.dtype != of.need(node.inputs[1], "weights").dtype:
        raise _Cannot(f"zero points of its weights are {zeros.dtype}, the weights are not.")
    return x, of._constant(name, zeros, None)


def _integer_operands(of: _Meaning, node: OnnxNode) -> tuple[_Tensor, NDArray[Any]]:
    x, values = of.known(node.inputs[0]), of.need(node.inputs[1], "weights")
    if x.dtype not in ("uint8", "int8") or values.dtype not in (np.uint8, np.int8) or 0 in values.shape:
        raise _Cannot(f"it multiplies {x.dtype} by {values.dtype} {list(values.shape)}; 8-bit integers are taken.")
    return x, values


def _integer_conv(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, values = _integer_operands(of, node)
    image, count = _image(x), node.attributes.get("group", 1)
    if values.ndim != 4 or count < 1 or image[1] != count * values.shape[1] or values.shape[0] % count:
        raise _Cannot(f"its weights {list(values.shape)} do not fit {image[1]} channels in {count} groups.")
    said, sizes = _windows(node, image, (values.shape[2], values.shape[3]))
    zero, weight_zero = _zero_points(of, node, x.dtype)
    weights = of._constant(node.inputs[1], values, None, LAST)
    of.emit("integer_conv", node, (of.numbers[x.name], weights, zero, weight_zero),
            [(node.outputs[0], (image[0], values.shape[0], *sizes), "int32")], **said)


def _integer_product(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, values = _integer_operands(of, node)
    if values.ndim != 2 or not x.shape or len(x.shape) == 4 or x.shape[-1] != values.shape[0]:
        raise _Cannot(f"it multiplies {list(x.shape)} by {list(values.shape)}; rows by a matrix are taken.")
    zero, weight_zero = _zero_points(of, node, x.dtype)
    of.emit("integer_product", node, (of.numbers[x.name], of._constant(node.inputs[1], values, None, COLUMNS), zero,
                                      weight_zero),
            [(node.outputs[0], (*x.shape[:-1], values.shape[1]), "int32")])


def _dynamic_quantize(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = of.known(node.inputs[0])
    if x.dtype != "float32":
        raise _Cannot(f"{x.name!r} is {x.dtype}; float32 is taken.")
    if len(node.outputs) != 3 or not all(node.outputs):
        raise _Cannot("it has three results, and one is left out.")
    if node.outputs[0] in of.rules:
        raise _Cannot("another node reads its result by a constant scale; what it finds at run time is taken.")
    values, scale, zero = node.outputs
    of.emit("dynamic_quantize", node, (of.numbers[x.name],), [(values, x.shape, "uint8"), (scale, (), "float32"),
                                                              (zero, (), "uint8")])


def _cast(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = of.known(node.inputs[0])
    if x.dtype != "int32" or node.attributes.get("to") != 1:
        raise _Cannot(f"it makes {type_name(node.attributes.get('to'))} of {x.dtype}; float32 of int32 is taken.")
    of.emit("to_real", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")])


def _real_binary(kind: str) -> Handler:
    def binary(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
        first, second = node.inputs
        if first in of.constants:
            first, second = second, first
        x = of.known(first)
        other = of.constants.get(second)
        shape = of.known(second).shape if other is None else other.shape
        dtype = of.known(second).dtype if other is None else other.dtype.name
        if {x.dtype, dtype} != {"float32"}:
            raise _Cannot(f"its operands are {x.dtype} and {dtype}; float32 is taken.")
        try:
            made = np.broadcast_shapes(x.shape, shape)
        except ValueError:
            raise _Cannot(f"its operands {list(x.shape)} and {list(shape)} do not broadcast.") from None
        # Of four axes results lie turned; so must what is computed, and constants are turned for it.
        if any((len(one) == 4) != (len(made) == 4) and math.prod(one) > 1
               for one in ((x.shape,) if other is not None else (x.shape, shape))):
            raise _Cannot(f"its operands have {len(x.shape)} and {len(shape)} axes; as many, or one number, are "
                          "taken.")
        if other is None:
            number = of.numbers[second]
            if kind == "real_add" and x.shape == shape:
                of.emit("add", node, (of.numbers[first], number), [(node.outputs[0], made, "float32")],
                        activation="none")
                return
        else:
            turned = len(made) == 4 and other.size > 1
            number = of._constant(second, other.reshape((1,) * (4 - other.ndim) + other.shape) if turned else other,
                                  None, LAST if turned else None)
        of.emit(kind, node, (of.numbers[first], number), [(node.outputs[0], made, "float32")])
    return binary


def _real_relu(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = of.known(node.inputs[0])
    if x.dtype != "float32":
        raise _Cannot(f"{x.name!r} is {x.dtype}; float32 is taken.")
    of.emit("relu", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")])


# ---- layers of real numbers: what is not between pairs ---------------------------------------------------------------

def _real(of: _Meaning, node: OnnxNode, which: int = 0) -> _Tensor:
    x = of.known(node.inputs[which])
    if x.dtype != "float32":
        raise _Cannot(f"{x.name!r} is {x.dtype}; float32 is taken.")
    return x


def _real_constants(of: _Meaning, node: OnnxNode, count: int) -> tuple[NDArray[Any], int | None]:
    """Weights, and the bias of so many channels."""
    values = of.need(node.inputs[1], "weights")
    bias = of.need(node.inputs[2], "bias") if len(node.inputs) > 2 and node.inputs[2] else None
    if values.dtype != np.float32 or 0 in values.shape:
        raise _Cannot(f"its weights are {values.dtype} {list(values.shape)}; float32 is taken.")
    if bias is not None and (bias.dtype != np.float32 or not _one_per_result(bias.shape, count)):
        raise _Cannot(f"its bias is {bias.dtype} {list(bias.shape)}; float32 [{count}] is taken.")
    if bias is None:
        return values, None
    return values, of._constant(node.inputs[2], np.broadcast_to(bias.reshape(-1), (count,)), None)


def _real_conv(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, shape = _real(of, node), of.need(node.inputs[1], "weights").shape
    image, count = _image(x), node.attributes.get("group", 1)
    if len(shape) != 4 or count < 1 or image[1] != count * shape[1] or shape[0] % count:
        raise _Cannot(f"its weights {list(shape)} do not fit {image[1]} channels in {count} groups.")
    values, bias = _real_constants(of, node, shape[0])
    said, sizes = _windows(node, image, (shape[2], shape[3]))
    weights = of._constant(node.inputs[1], values, None, LAST)
    of.emit("conv2d", node, (of.numbers[x.name], weights, bias),
            [(node.outputs[0], (image[0], shape[0], *sizes), "float32")], activation="none", **said)


def _real_product(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, shape = _real(of, node), of.need(node.inputs[1], "weights").shape
    turned = bool(node.attributes.get("transB", 0))
    _check_plain(node)
    if len(shape) != 2 or not x.shape or len(x.shape) == 4 or x.shape[-1] != shape[1 if turned else 0]:
        raise _Cannot(f"it multiplies {list(x.shape)} by {list(shape)}; rows by a matrix are taken.")
    count = shape[0] if turned else shape[1]
    values, bias = _real_constants(of, node, count)
    weights = of._constant(node.inputs[1], values, None, ROWS if turned else COLUMNS)
    of.emit("fully_connected", node, (of.numbers[x.name], weights, bias),
            [(node.outputs[0], (*x.shape[:-1], count), "float32")], activation="none", weights_format=0, keep_dims=True)


def _real_pool(kind: str) -> Handler:
    def pool(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
        x = _real(of, node)
        image, window = _image(x), _pair(node, "kernel_shape", None)
        said, sizes = _windows(node, image, window)
        if len(node.outputs) > 1:
            raise _Cannot("its second result, where the largest lies, is not there.")
        counted = node.attributes.get("count_include_pad", 0) and any(map(any, said["padding"]))
        for name, there in (("dilations", _pair(node, "dilations") != (1, 1)),
                            ("ceil_mode", node.attributes.get("ceil_mode", 0)), ("count_include_pad", counted)):
            if there:
                raise _Cannot(f"it has {name} {node.attributes[name]}, which is taken of integers only.")
        of.emit(kind, node, (of.numbers[x.name],), [(node.outputs[0], (*image[:2], *sizes), "float32")],
                pool_height=window[0], pool_width=window[1], activation="none", **said)
    return pool


def _real_mean(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = _real(of, node)
    axes = of._constant("axes", np.array([1, 2], np.int32), None)
    of.emit("mean", node, (of.numbers[x.name], axes), [(node.outputs[0], (*_image(x)[:2], 1, 1), "float32")],
            keep_dims=True)


def _real_leaky(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = _real(of, node)
    of.emit("leaky_relu", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")],
            slope=node.attributes.get("alpha", 0.01))


def _real_softmax(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, rank = _real(of, node), len(of.known(node.inputs[0]).shape)
    axis = node.attributes.get("axis", -1 if of.file.opset >= 13 else 1)
    if rank == 4 or axis not in (-1, rank - 1):
        raise _Cannot(f"it runs along axis {axis} of {list(x.shape)}; the last axis of rows is taken.")
    of.emit("softmax", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")], beta=1.0)


def _real_clip(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x, bounds = _real(of, node), clip_bounds(of.file, node)
    if isinstance(bounds, str):
        raise _Cannot(bounds)
    of.emit("clip", node, (of.numbers[x.name],), [(node.outputs[0], x.shape, "float32")], lowest=bounds[0],
            highest=bounds[1])


def _norm(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    x = _real(of, node)
    if len(node.outputs) > 1 or node.attributes.get("training_mode", 0):
        raise _Cannot("it normalises by the batch that it is given; mean and variance kept from training are taken.")
    if node.attributes.get("spatial", 1) != 1:
        raise _Cannot("its spatial is 0, each pixel has numbers of its own; one mean and variance a channel are taken.")
    given = [of.need(name, what) for name, what in zip(node.inputs[1:5], ("scale", "bias", "mean", "variance"),
                                                       strict=True)]
    if any(one.dtype != np.float32 or one.shape != (x.shape[1],) for one in given):
        raise _Cannot(f"its constants are not float32 [{x.shape[1]}], one number a channel.")
    if len(x.shape) not in (2, 4):
        raise _Cannot(f"it reads {list(x.shape)}; rows or an image are taken.")
    of.emit("batch_norm", node, (of.numbers[x.name], *(of._constant(name, one, None) for name, one in zip(
        node.inputs[1:5], given, strict=True))), [(node.outputs[0], x.shape, "float32")],
        epsilon=node.attributes.get("epsilon", 1e-5))


def _float_only(of: _Meaning, node: OnnxNode, group: QdqGroup | None) -> None:
    """Operators of real numbers: between pairs in integers, and a few as they are."""
    if group is None and node.word in _REAL:
        _REAL[node.word](of, node, group)
        return
    if group is None:
        raise _Cannot(f"of real numbers there is no {node.word} here: where all that it reads comes from "
                      "DequantizeLinear and its result goes to one QuantizeLinear alone, it runs in integers.")
    _GROUPED[node.word](of, node, group)


_REAL: dict[str, Handler] = {"Add": _real_binary("real_add"), "AveragePool": _real_pool("average_pool"),
                             "Clip": _real_clip, "Conv": _real_conv, "Gemm": _real_product,
                             "GlobalAveragePool": _real_mean, "LeakyRelu": _real_leaky, "MatMul": _real_product,
                             "Mul": _real_binary("real_multiply"), "Relu": _real_relu, "Softmax": _real_softmax}
_GROUPED: dict[str, Handler] = {
    "Add": _binary("add"), "AveragePool": _average, "Clip": _curve, "Conv": _conv, "Gemm": _product,
    "GlobalAveragePool": _global_average, "LeakyRelu": _curve, "MatMul": _product, "Mul": _binary("multiply"),
    "Relu": _curve, "Sigmoid": _curve, "Softmax": _softmax,
}
_HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_GROUPED, _float_only),
    "BatchNormalization": _norm, "Cast": _cast, "Concat": _concat, "ConvInteger": _integer_conv,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize, "Flatten": _flatten, "Identity": _identity,
    "MatMulInteger": _integer_product,
    "MaxPool": _max_pool, "Pad": _pad, "QLinearConv": _conv, "QLinearMatMul": _product, "QuantizeLinear": _quantize,
    "Reshape": _reshape, "Squeeze": _squeeze, "Transpose": _transpose, "Unsqueeze": _unsqueeze,
    "com.microsoft.QGemm": _product, "com.microsoft.QLinearAdd": _binary("add"),
    "com.microsoft.QLinearAveragePool": _average, "com.microsoft.QLinearConcat": _concat,
    "com.microsoft.QLinearGlobalAveragePool": _global_average, "com.microsoft.QLinearLeakyRelu": _curve,
    "com.microsoft.QLinearMul": _binary("multiply"), "com.microsoft.QLinearSigmoid": _curve,
    "com.microsoft.QLinearSoftmax": _softmax,
}


# ---- constants -------------------------------------------------------------------------------------------------------

def _numbers(given: NDArray[Any]) -> list[int]:
    if given.dtype.kind not in "iu":
        raise ValueError(f"{given.dtype} where integers belong")
    return [int(one) for one in given.reshape(-1)]


def _axes(node: OnnxNode, given: list[Any]) -> tuple[int, ...] | None:
    found = node.attributes.get("axes") if len(given) < 2 or given[1] is None else _numbers(given[1])
    return None if found is None else tuple(found)


def _squeezed(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    return np.asarray(np.squeeze(given[0], _axes(node, given)))


def _unsqueezed(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    axes = _axes(node, given)
    if axes is None:
        raise ValueError("it names no axes")
    return np.expand_dims(given[0], axes)


def _taken(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    where = np.array(_numbers(given[1]), np.int64).reshape(given[1].shape)
    return np.asarray(np.take(given[0], where, axis=node.attributes.get("axis", 0)))


def _cast_constant(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    if node.attributes.get("to") not in _NUMPY:
        raise ValueError(f"it makes {type_name(node.attributes.get('to'))}; float32, int32 and int64 are taken")
    dtype: np.dtype[Any] = np.dtype(_NUMPY[node.attributes["to"]])
    if dtype.kind == "i" and given[0].dtype.kind == "f":
        ends = np.iinfo(dtype.name)
        if not ((given[0] >= ends.min) & (given[0] < ends.max)).all():
            raise ValueError(f"a number that no {dtype} is")
    return np.asarray(given[0].astype(dtype))


def _computed(function: Callable[[Any, Any], Any]) -> Callable[[OnnxNode, list[Any]], NDArray[Any]]:
    def computed(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
        if given[0].dtype != given[1].dtype:
            raise ValueError(f"{given[0].dtype} and {given[1].dtype}; one type is taken")
        with np.errstate(all="ignore"):
            return np.asarray(function(*given))
    return computed


def _joined(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    if "axis" not in node.attributes or len({one.dtype for one in given}) > 1:
        raise ValueError("no axis, or several types")
    return np.concatenate(given, axis=node.attributes["axis"])


def _reshaped(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    wanted, keeps = _numbers(given[1]), not node.attributes.get("allowzero", 0)
    return np.asarray(given[0].reshape([given[0].shape[i] if not size and keeps else size
                                        for i, size in enumerate(wanted)]))


def _spread(node: OnnxNode, given: list[Any]) -> tuple[NDArray[Any], NDArray[Any], Any]:
    """Scales and zero points along their axis, and the type of the integers."""
    values, scale = given[0], given[1]
    zero = given[2] if len(given) > 2 and given[2] is not None else np.zeros(scale.shape, np.uint8)
    if scale.dtype != np.float32 or zero.dtype not in (np.uint8, np.int8, np.int32) or "block_size" in node.attributes:
        raise ValueError("scales are float32, zero points 8-bit integers, without blocks")
    if zero.size != scale.size:
        raise ValueError(f"{scale.size} scales and {zero.size} zero points")
    if scale.size > 1:
        axis, shape = node.attributes.get("axis", 1), [1] * values.ndim
        if values.shape[axis] != scale.size:    # they would be spread over each other: ten thousand by ten thousand
            raise ValueError(f"there are {scale.size} scales along axis {axis} of {list(values.shape)}")
        shape[axis] = -1
        return scale.reshape(shape), zero.reshape(shape), zero.dtype
    return scale.reshape(()), zero.reshape(()), zero.dtype


def _to_integers(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    scale, zero, dtype = _spread(node, given)
    if given[0].dtype != np.float32 or dtype == np.int32:
        raise ValueError("float32 becomes 8-bit integers")
    info = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        steps = np.rint(given[0] / scale) + zero.astype(np.float32)
    return np.asarray(np.clip(np.nan_to_num(steps), info.min, info.max).astype(dtype))


def _to_reals(node: OnnxNode, given: list[Any]) -> NDArray[Any]:
    scale, zero, _ = _spread(node, given)
    if given[0].dtype not in (np.uint8, np.int8, np.int32):
        raise ValueError("8-bit integers and int32 become float32")
    with np.errstate(all="ignore"):
        return np.asarray((given[0].astype(np.int64) - zero).astype(np.float32) * scale, np.float32)


_WEIGHTS = ("QuantizeLinear", "DequantizeLinear")   # of constants as large as weights are
_NUMPY = {1: np.float32, 6: np.int32, 7: np.int64}
_FOLDS: dict[str, Callable[[OnnxNode, list[Any]], Any]] = {
    "Identity": lambda node, given: given[0],
    "QuantizeLinear": _to_integers, "DequantizeLinear": _to_reals,
    "Gather": _taken, "Concat": _joined, "Cast": _cast_constant, "Unsqueeze": _unsqueezed, "Squeeze": _squeezed,
    "Mul": _computed(np.multiply), "Add": _computed(np.add), "Sub": _computed(np.subtract), "Reshape": _reshaped,
}
