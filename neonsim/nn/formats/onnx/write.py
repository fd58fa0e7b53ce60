"""Writing `.onnx`: a graph of ours as a file that ONNX Runtime runs to the same bytes.

Integers are said by pairs: DequantizeLinear before, QuantizeLinear behind an operator of floats, which the
runtime makes one of integers. How it rounds there is its own (M30, M31, M32, M33), so a graph is written only where its
operators round so: convolutions, products and moves of any, and those of `neonsim.nn.ops.arithmetics.onnxruntime`,
which `quantize(graph, "onnxruntime", ...)` takes. Floats are written as they are; there sums are added up in an
order of the runtime's own, and last bits differ.

Images have their channels first in the file: tensors of four axes are turned, and so is what depends on their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.common.extras import install
from neonsim.common.fileio import write_file
from neonsim.errors import MissingPackage, ModelError
from neonsim.nn import ops
from neonsim.nn.graph import Concat, GatherIndices, Graph, Node, Reshape
from neonsim.nn.ops.arithmetics import onnxruntime
from neonsim.nn.ops.float32 import operators
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import limits, scheme_word
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing import ConvShape

__all__ = ["onnx_bytes", "write_onnx"]

_OPSET, _IR = 17, 8
_LAST, _FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
_SUGGESTED = "quantize(graph, 'onnxruntime', ...) makes operators that round as ONNX Runtime does"


def write_onnx(graph: Graph, path: str | Path) -> Path:
    """Write a graph as an `.onnx` file; returns its path.

    Raises ModelError for an operator that such files have no words for, or that ONNX Runtime would round otherwise;
    MissingPackage without the package (pip install 'neonsim[models]'), BadArgument for a place where nothing can be
    written.
    """
    return write_file(path, onnx_bytes(graph))


def onnx_bytes(graph: Graph) -> bytes:
    """The bytes of that file: the same for the same graph."""
    return _Writer(graph).bytes()


# What writes an operator of a class: handlers are called with the writer, the node and its operator.
WRITERS = ClassTable[Callable[["_Writer", Node, Any], None]]()
_writes = WRITERS.row


class _Writer:
    """One graph. A tensor of the graph has its own name in the file; floats between a pair have no other."""

    def __init__(self, graph: Graph) -> None:
        try:
            import onnx
        except ImportError:
            raise MissingPackage(f"writing .onnx files needs another package: {install('neonsim[models]')}.") from None
        self.onnx, self.graph = onnx, graph
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.written: set[str] = set(graph.tensors)     # names that are taken
        self.results: tuple[str, ...] = ()              # of the node that is being written
        for node in graph.nodes:
            self.results = node.results
            write = WRITERS.find(node.operator)
            if write is None:
                raise self.refuse(node, f".onnx has no word for {node.kind} with its rounding; {_SUGGESTED}.")
            write(self, node, node.operator)

    def refuse(self, node: Node, why: str) -> ModelError:
        """For `raise`."""
        return ModelError(f"{node.name} of {self.graph.name}, {node.kind}: {why}")

    # ---- pieces
    def constant(self, name: str, values: Any, dtype: Any) -> str:
        """A constant of the file; its name: this one, or another where other numbers or a tensor have it."""
        made = np.array(values, dtype, order="C")
        while name in self.constants or name in self.written:
            if name in self.constants and _same_numbers(self.onnx.numpy_helper.to_array(self.constants[name]), made):
                return name
            name += "'"
        self.constants[name] = self.onnx.numpy_helper.from_array(made, name)
        return name

    def add(self, word: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """A node; its result: a tensor of the graph's node, or what is on the way to it, which may get another name."""
        while output not in self.results and (output in self.written or output in self.constants):
            output += "'"
        self.written.add(output)
        self.nodes.append(self.onnx.helper.make_node(word, list(inputs), [output], f"{output} ({word})", **attributes))
        return output

    def rule(self, tensor: str, scheme: Scheme) -> list[str]:
        """Names of scale and zero point of a tensor."""
        zero = np.full(np.shape(scheme.scale), scheme.zero_point)
        return [self.constant(f"{tensor} (scale)", scheme.scale, np.float32),
                self.constant(f"{tensor} (zero point)", zero, scheme.dtype)]

    def scheme(self, tensor: str) -> Scheme | None:
        """Of a tensor of the graph."""
        return self.graph.tensors[tensor].scheme

    def real(self, node: Node, which: int = 0) -> str:
        """An input as floats, for this node alone: the runtime looks for pairs around one operator."""
        name = node.inputs[which]
        scheme = self.scheme(name)
        if scheme is None:
            return name
        return self.add("DequantizeLinear", [name, *self.rule(name, scheme)], f"{node.name} (real {which})")

    def compute(self, node: Node, word: str, inputs: Sequence[str], **fields: Any) -> None:
        """The operator of the file that a node is: its result cut off at its limits, and quantised where it was."""
        operator: Any = node.operator
        out = self.scheme(node.results[0])
        if out is not None:
            real = self.add(word, inputs, f"{node.name} (result)", **fields)
            ends = limits(out.dtype)
            self.limited(node, real, out, getattr(operator, "output_min", ends[0]),
                         getattr(operator, "output_max", ends[1]))
            return
        low, high = getattr(operator, "low", -np.inf), getattr(operator, "high", np.inf)
        cut = np.isfinite([low, high]).any()
        made = self.add(word, inputs, f"{node.name} (result)" if cut else node.results[0], **fields)
        if cut:
            self.cut_real(node, made, low, high)

    def cut_real(self, node: Node, x: str, low: float, high: float) -> None:
        """Limits of a result of floats, as an operator behind it: what writes the node's own tensor."""
        if (low, high) == (0, np.inf):
            self.add("Relu", [x], node.results[0])
            return
        names = [self.constant(f"{node.name} ({what})", end, np.float32) if np.isfinite(end) else ""
                 for what, end in (("lowest", low), ("highest", high))]
        self.add("Clip", [x, *(names if names[1] else names[:1])], node.results[0])

    def shape(self, tensor: str) -> tuple[int, ...]:
        """As the graph has it."""
        return self.graph.tensors[tensor].shape

    def weighted(self, node: Node, turn: Callable[[NDArray[Any]], NDArray[Any]]) -> list[str]:
        """What a product reads: its input, weights turned as the file wants them, results along axis 0, and bias."""
        operator: Any = node.operator
        name, bias = f"{node.name} (weights)", f"{node.name} (bias)"
        if self.scheme(node.results[0]) is None:
            return [node.inputs[0], self.constant(name, turn(operator.w), np.float32),
                    self.constant(bias, operator.bias, np.float32)]
        if scheme_word(operator.requantization) != (theirs := ARITHMETICS["onnxruntime"].products):
            raise self.refuse(node, f"its requantization is {operator.requantization!r}; ONNX Runtime's is {theirs!r}.")
        w = operator.w
        if isinstance(w.zero_point, int) and w.dtype == np.int8 and w.zero_point:
            raise self.refuse(node, f"the zero point of its int8 weights is {w.zero_point}; supported: 0.")
        x, values = self.real(node), turn(w.values)
        held = [self.constant(name, values, values.dtype), *self.rule(name, w.scheme)]
        weights = self.add("DequantizeLinear", held, f"{name} (real)", axis=0)
        step = np.float32(operator.schemes[0].scale) * np.asarray(w.scale, np.float32)      # of the sums
        held = [self.constant(bias, operator.bias, np.int32), self.constant(f"{bias} (scale)", step, np.float32)]
        return [x, weights, self.add("DequantizeLinear", held, f"{bias} (real)", axis=0)]

    def limited(self, node: Node, real: str, out: Scheme, low: int, high: int) -> None:
        """A result quantised; limits inside of the type cut off the integers behind that."""
        rule = self.rule(node.results[0], out)
        if (low, high) == limits(out.dtype):
            self.add("QuantizeLinear", [real, *rule], node.results[0])
            return
        whole = self.add("QuantizeLinear", [real, *rule], f"{node.name} (whole)")
        self.cut(node, whole, out, low, high)

    def cut(self, node: Node, whole: str, out: Scheme, low: int, high: int) -> None:
        """Integers cut off: a Clip between a pair of one scheme."""
        rule, info = self.rule(node.results[0], out), np.iinfo(out.dtype)
        ends = [np.float32(out.scale) * np.float32(end - out.zero_point) for end in (low, high)]
        names = [self.constant(f"{node.name} ({what})", end, np.float32) if end_ != edge else ""
                 for what, end, end_, edge in zip(("lowest", "highest"), ends, (low, high), (info.min, info.max),
                                                  strict=True)]
        real = self.add("DequantizeLinear", [whole, *rule], f"{node.name} (whole, real)")
        while names and not names[-1]:
            names.pop()
        clipped = self.add("Clip", [real, *names], f"{node.name} (cut)")
        self.add("QuantizeLinear", [clipped, *rule], node.results[0])

    def turned(self, node: Node, x: str, what: str, axes: Sequence[int]) -> str:
        """A tensor with its axes in another order."""
        return self.add("Transpose", [x], f"{node.name} ({what})", perm=list(axes))

    # ---- the message
    def bytes(self) -> bytes:
        helper, graph = self.onnx.helper, self.graph
        ends = []
        for names in (graph.inputs, graph.outputs):
            ends.append([helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(np.dtype(graph.tensors[name].dtype)),
                self._file_shape(graph.tensors[name].shape)) for name in names])
        made = helper.make_graph(self.nodes, graph.name, *ends, list(self.constants.values()))
        model = helper.make_model(made, producer_name="neonsim", ir_version=_IR,
                                  opset_imports=[helper.make_opsetid("", _OPSET)])
        return bytes(model.SerializeToString(deterministic=True))

    @staticmethod
    def _file_shape(shape: tuple[int, ...]) -> list[int]:
        return [shape[axis] for axis in _FIRST] if len(shape) == 4 else list(shape)


def _same_numbers(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())

def _window(shape: ConvShape) -> dict[str, Any]:
    (top, bottom), (left, right) = shape.padding
    return {"kernel_shape": list(shape.kernel), "strides": list(shape.stride), "pads": [top, left, bottom, right]}


def _check_rows(of: _Writer, node: Node) -> None:
    x = of.shape(node.inputs[0])
    if len(x) != 2:
        raise of.refuse(node, f"it reads {list(x)}; rows, a tensor of two axes, are written: reshape before it.")


# ---- products and windows --------------------------------------------------------------------------------------------

@_writes(ops.Conv2d, operators.Float32Conv2d)
def _conv(of: _Writer, node: Node, operator: ops.Conv2d | operators.Float32Conv2d) -> None:
    shape = operator.shape(of.shape(node.inputs[0]))
    of.compute(node, "Conv", of.weighted(node, lambda w: w.transpose(0, 3, 1, 2)), group=operator.groups,
               dilations=list(shape.dilation), **_window(shape))


@_writes(ops.FullyConnected, operators.Float32FullyConnected)
def _product(of: _Writer, node: Node, operator: Any) -> None:
    _check_rows(of, node)
    of.compute(node, "Gemm", of.weighted(node, lambda w: w), transB=1)


@_writes(ops.MaxPool2d, operators.Float32MaxPool2d)
def _largest(of: _Writer, node: Node, operator: ops.MaxPool2d | operators.Float32MaxPool2d) -> None:
    shape, out = operator.shape(of.shape(node.inputs[0])), of.scheme(node.results[0])
    if out is not None and any(map(any, shape.padding)) and limits(out.dtype) != (
            getattr(operator, "output_min", None), getattr(operator, "output_max", None)):
        raise of.refuse(node, "it has padding and limits; supported: a clamp behind it.")
    of.compute(node, "MaxPool", [of.real(node)], dilations=list(shape.dilation), **_window(shape))


@_writes(operators.Float32AvgPool2d)
def _float_average(of: _Writer, node: Node, operator: operators.Float32AvgPool2d) -> None:
    of.compute(node, "AveragePool", node.inputs, **_window(operator.shape(of.shape(node.inputs[0]))))


@_writes(onnxruntime.OrtMean)
def _average(of: _Writer, node: Node, operator: onnxruntime.OrtMean) -> None:
    of.compute(node, "AveragePool", [of.real(node)], count_include_pad=int(operator.counts_padding),
               **_window(operator.shape(of.shape(node.inputs[0]))))


@_writes(onnxruntime.OrtGlobalMean)
def _mean(of: _Writer, node: Node, operator: onnxruntime.OrtGlobalMean) -> None:
    of.compute(node, "GlobalAveragePool", [of.real(node)])


@_writes(operators.Float32GlobalAvgPool)
def _float_mean(of: _Writer, node: Node, operator: operators.Float32GlobalAvgPool) -> None:
    image = of.add("GlobalAveragePool", node.inputs, f"{node.name} (image)")
    of.add("Flatten", [image], node.results[0], axis=1)


# ---- element by element ----------------------------------------------------------------------------------------------

@_writes(ops.Add, ops.Multiply)
def _pair(of: _Writer, node: Node, operator: ops.Add | ops.Multiply) -> None:
    if operator.rule_name != "onnxruntime":
        raise of.refuse(node, f"it rounds by {operator.rule_name!r}; ONNX Runtime's rule is 'onnxruntime'.")
    if of.shape(node.inputs[0]) != of.shape(node.inputs[1]):
        raise of.refuse(node, "its operands are broadcast; supported: operands of one shape.")
    word = {"addition": "Add", "multiplication": "Mul"}[operator.kind]
    of.compute(node, word, [of.real(node), of.real(node, 1)])


@_writes(operators.Float32Add)
def _sum(of: _Writer, node: Node, operator: operators.Float32Add) -> None:
    of.compute(node, "Add", node.inputs)


@_writes(ops.Clamp)
def _clamp(of: _Writer, node: Node, operator: ops.Clamp) -> None:
    of.cut(node, node.inputs[0], operator.out, operator.output_min, operator.output_max)


@_writes(operators.Float32Clamp)
def _float_clamp(of: _Writer, node: Node, operator: operators.Float32Clamp) -> None:
    of.cut_real(node, node.inputs[0], operator.low, operator.high)


@_writes(operators.Float32LeakyRelu)
def _leaky_relu(of: _Writer, node: Node, operator: operators.Float32LeakyRelu) -> None:
    of.compute(node, "LeakyRelu", node.inputs, alpha=operator.slope)


@_writes(onnxruntime.OrtActivation)
def _activation(of: _Writer, node: Node, operator: onnxruntime.OrtActivation) -> None:
    row = ACTIVATIONS[operator.word]
    of.compute(node, row.onnx, [of.real(node)], **{theirs: operator.attributes[name]
                                                   for name, (theirs, _) in row.attributes.items()})


@_writes(operators.BatchNorm)
def _norm(of: _Writer, node: Node, operator: operators.BatchNorm) -> None:
    if len(of.shape(node.inputs[0])) not in (2, 4):
        raise of.refuse(node, "it reads neither rows nor an image.")
    count = operator.gain.size
    constants = [of.constant(f"{node.name} ({what})", values, np.float32) for what, values in (
        ("gain", operator.gain), ("offset", operator.offset), ("mean", np.zeros(count)), ("variance", np.ones(count)))]
    of.compute(node, "BatchNormalization", [node.inputs[0], *constants], epsilon=0.0)


@_writes(onnxruntime.OrtSoftmax, operators.Float32Softmax)
def _softmax(of: _Writer, node: Node, operator: Any) -> None:
    if (beta := getattr(operator, "beta", 1)) != 1:
        raise of.refuse(node, f"its beta is {beta:g}; .onnx has 1.")
    _check_rows(of, node)
    of.compute(node, "Softmax", [of.real(node)], axis=-1)


@_writes(onnxruntime.OrtQuantize)
def _quantize(of: _Writer, node: Node, operator: onnxruntime.OrtQuantize) -> None:
    of.add("QuantizeLinear", [node.inputs[0], *of.rule(node.results[0], operator.out)], node.results[0])


@_writes(ops.Dequantize)
def _dequantize(of: _Writer, node: Node, operator: ops.Dequantize) -> None:
    scheme = of.scheme(node.inputs[0])
    if scheme is None:
        raise of.refuse(node, "it reads sums; supported: 8-bit integers.")
    of.add("DequantizeLinear", [node.inputs[0], *of.rule(node.inputs[0], scheme)], node.results[0])


# ---- moves -----------------------------------------------------------------------------------------------------------

def _is_in_order(shape: Sequence[int]) -> bool:
    """Are the elements of such a tensor in one order, channels first or last?"""
    return len(shape) != 4 or shape[3] == 1 or shape[1] * shape[2] == 1


@_writes(Reshape)
def _reshape(of: _Writer, node: Node, operator: Reshape) -> None:
    before, after = of.shape(node.inputs[0]), of.shape(node.results[0])
    x = node.inputs[0] if _is_in_order(before) else of.turned(node, node.inputs[0], "channels last", _LAST)
    said = of._file_shape(after) if _is_in_order(after) else after
    wanted = of.constant(f"{node.name} (shape)", list(said), np.int64)
    if _is_in_order(after):
        of.add("Reshape", [x, wanted], node.results[0])
        return
    flat = of.add("Reshape", [x, wanted], f"{node.name} (channels last again)")
    of.add("Transpose", [flat], node.results[0], perm=list(_FIRST))


@_writes(Concat)
def _concat(of: _Writer, node: Node, operator: Concat) -> None:
    rank = len(of.shape(node.results[0]))
    axis = operator.axis % rank
    of.add("Concat", node.inputs, node.results[0], axis=_LAST[axis] if rank == 4 else axis)


@_writes(ops.ChannelShuffle)
def _shuffle(of: _Writer, node: Node, operator: ops.ChannelShuffle) -> None:
    """As a matrix of groups and channels, turned."""
    shape, groups = of._file_shape(of.shape(node.name)), operator.groups
    at = 1 if len(shape) == 4 else len(shape) - 1
    dealt = [*shape[:at], groups, shape[at] // groups, *shape[at + 1:]]
    axes = list(range(len(dealt)))
    axes[at], axes[at + 1] = at + 1, at
    sizes, whole = (of.constant(f"{node.name} ({what})", each, np.int64)
                    for what, each in (("groups", dealt), ("shape", shape)))
    x = of.turned(node, of.add("Reshape", [node.inputs[0], sizes], f"{node.name} (dealt)"), "dealt out", axes)
    of.add("Reshape", [x, whole], node.results[0])


@_writes(GatherIndices)
def _pick(of: _Writer, node: Node, operator: GatherIndices) -> None:
    if operator.kind != "transpose":
        raise of.refuse(node, "of moves that pick elements, transposes are written.")
    axes = list(operator.made_with["axes"])
    if len(axes) == 4:      # axis i of the file's result is axis FIRST[i] of ours
        axes = [_LAST[axes[i]] for i in _FIRST]
    of.add("Transpose", node.inputs, node.results[0], perm=axes)
