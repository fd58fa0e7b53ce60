"""Writing `.onnx`: a graph of ours as a file that ONNX Runtime runs to the same bytes.

Integers are said by pairs: DequantizeLinear before, QuantizeLinear behind an operator of real numbers, which the
runtime makes one of integers. How it rounds there is its own (M30, M31, M32, M33), so a graph is written only where its
operators round so: convolutions, products and moves of any, and those of `neonsim.nn.ops.arithmetics.onnxruntime`,
which `quantize(graph, "onnxruntime", ...)` takes. Real numbers are written as they are; there sums are added up in an
order of the runtime's own, and last bits differ.

Images have their channels first in the file: tensors of four axes are turned, and so is what depends on their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.common.fileio import write_file
from neonsim.errors import MissingPackage, ModelError
from neonsim.nn import ops
from neonsim.nn.graph import Concat, GatherIndices, Graph, Node, Reshape
from neonsim.nn.ops.arithmetics import onnxruntime
from neonsim.nn.ops.float32 import operators
from neonsim.nn.ops.quantized.pair import Pair
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import scheme_word
from neonsim.quant.scheme import Quantized, Scheme
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


class _Writer:
    """One graph. A tensor of the graph has its own name in the file; real numbers between a pair have no other."""

    def __init__(self, graph: Graph) -> None:
        try:
            import onnx
        except ImportError:
            raise MissingPackage(f"writing .onnx files needs a package more: {install('neonsim[models]')}.") from None
        self.onnx, self.graph = onnx, graph
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.written: set[str] = set(graph.tensors)     # names that are taken
        self.results: tuple[str, ...] = ()              # of the node that is being written
        for node in graph.nodes:
            self.results = node.results
            write = next((_KINDS[kind] for kind in type(node.operator).__mro__ if kind in _KINDS), None)
            if write is None:
                raise self.refuse(node, f".onnx has no word for {node.kind} as it rounds here; {_SUGGESTED}.")
            write(self, node)

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
        """An input as real numbers, for this node alone: the runtime looks for pairs around one operator."""
        name = node.inputs[which]
        scheme = self.scheme(name)
        if scheme is None:
            return name
        return self.add("DequantizeLinear", [name, *self.rule(name, scheme)], f"{node.name} (real {which})")

    def back(self, node: Node, real: str) -> None:
        """The result of a node as what it is in the graph: real is what its last operator of the file is to write."""
        scheme = self.scheme(node.results[0])
        if scheme is not None:
            self.add("QuantizeLinear", [real, *self.rule(node.results[0], scheme)], node.results[0])

    def result(self, node: Node) -> str:
        """What an operator of real numbers writes: the tensor itself, or what is quantised then."""
        return node.results[0] if self.scheme(node.results[0]) is None else f"{node.name} (result)"

    def shape(self, tensor: str) -> tuple[int, ...]:
        """As the graph has it."""
        return self.graph.tensors[tensor].shape

    def weights(self, node: Node, w: Quantized, values: NDArray[Any]) -> str:
        """Weights of integers as real numbers; values: turned as the file wants them, results along axis 0."""
        name = f"{node.name} (weights)"
        held = self.constant(name, values, values.dtype)
        return self.add("DequantizeLinear", [held, *self.rule(name, w.scheme)], f"{name} (real)", axis=0)

    def bias(self, node: Node, operator: WeightedOperator) -> str:
        """An int32 bias in steps of the sums."""
        name = f"{node.name} (bias)"
        step = np.float32(operator.schemes[0].scale) * np.asarray(operator.w.scale, np.float32)
        inputs = [self.constant(name, operator.bias, np.int32), self.constant(f"{name} (scale)", step, np.float32)]
        return self.add("DequantizeLinear", inputs, f"{name} (real)", axis=0)

    def limited(self, node: Node, real: str, out: Scheme, low: int, high: int) -> None:
        """A result quantised; limits inside of the type cut off the integers behind that."""
        info = np.iinfo(out.dtype)
        rule = self.rule(node.results[0], out)
        if (low, high) == (info.min, info.max):
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


_Write = Callable[[_Writer, Node], None]


def _window(shape: ConvShape) -> dict[str, Any]:
    (top, bottom), (left, right) = shape.padding
    return {"kernel_shape": list(shape.kernel), "strides": list(shape.stride), "pads": [top, left, bottom, right]}


# ---- integers --------------------------------------------------------------------------------------------------------

def _checked(of: _Writer, node: Node) -> WeightedOperator:
    operator = node.operator
    assert isinstance(operator, WeightedOperator)
    if scheme_word(operator.requantization) != (theirs := ARITHMETICS["onnxruntime"].products):
        raise of.refuse(node, f"its requantization is {operator.requantization!r}; ONNX Runtime's is {theirs!r}.")
    if isinstance(operator.w.zero_point, int) and operator.w.dtype == np.int8 and operator.w.zero_point:
        raise of.refuse(node, f"the zero point of its int8 weights is {operator.w.zero_point}; 0 is taken.")
    return operator


def _conv(of: _Writer, node: Node) -> None:
    operator = _checked(of, node)
    assert isinstance(operator, ops.Conv2d)
    shape = operator.shape(of.shape(node.inputs[0]))
    inputs = [of.real(node), of.weights(node, operator.w, operator.w.values.transpose(0, 3, 1, 2)),
              of.bias(node, operator)]
    real = of.add("Conv", inputs, f"{node.name} (result)", group=operator.groups, dilations=list(shape.dilation),
                  **_window(shape))
    of.limited(node, real, operator.out, operator.output_min, operator.output_max)


def _product(of: _Writer, node: Node) -> None:
    operator = _checked(of, node)
    assert isinstance(operator, ops.FullyConnected)
    _rows(of, node)
    inputs = [of.real(node), of.weights(node, operator.w, operator.w.values), of.bias(node, operator)]
    real = of.add("Gemm", inputs, f"{node.name} (result)", transB=1)
    of.limited(node, real, operator.out, operator.output_min, operator.output_max)


def _rows(of: _Writer, node: Node) -> None:
    x = of.shape(node.inputs[0])
    if len(x) != 2:
        raise of.refuse(node, f"it reads {list(x)}; rows, a tensor of two axes, are written: reshape before it.")


def _largest(of: _Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.MaxPool2d)
    shape, out = operator.shape(of.shape(node.inputs[0])), operator.out
    info = np.iinfo(out.dtype)
    real = of.add("MaxPool", [of.real(node)], f"{node.name} (result)", dilations=list(shape.dilation),
                  **_window(shape))
    if (operator.output_min, operator.output_max) != (info.min, info.max) and any(map(any, shape.padding)):
        raise of.refuse(node, "it has padding and limits; a clamp behind it is written.")
    of.limited(node, real, out, operator.output_min, operator.output_max)


def _clamp(of: _Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.Clamp)
    of.cut(node, node.inputs[0], operator.out, operator.output_min, operator.output_max)


def _pair(of: _Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, Pair)
    if operator.rule_name != "onnxruntime":
        raise of.refuse(node, f"it rounds by {operator.rule_name!r}; ONNX Runtime's rule is 'onnxruntime'.")
    word = {"addition": "Add", "multiplication": "Mul"}[operator.kind]
    if of.shape(node.inputs[0]) != of.shape(node.inputs[1]):
        raise of.refuse(node, "its operands are broadcast; operands of one shape are written.")
    real = of.add(word, [of.real(node), of.real(node, 1)], f"{node.name} (result)")
    of.limited(node, real, operator.out, operator.output_min, operator.output_max)


def _mean(of: _Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, onnxruntime.SingleMean)
    shape = operator.shape(of.shape(node.inputs[0]))
    of.back(node, of.add("AveragePool", [of.real(node)], f"{node.name} (result)",
                         count_include_pad=int(operator.counts_padding), **_window(shape)))


def _plain(word: str, fields: Callable[[Any], dict[str, Any]] = lambda operator: {}) -> _Write:
    """Of one input, and without limits."""
    def write(of: _Writer, node: Node) -> None:
        of.back(node, of.add(word, [of.real(node)], of.result(node), **fields(node.operator)))
    return write


def _quantize(of: _Writer, node: Node) -> None:
    of.back(node, node.inputs[0])


def _dequantize(of: _Writer, node: Node) -> None:
    scheme = of.scheme(node.inputs[0])
    if scheme is None:
        raise of.refuse(node, "it reads sums; 8-bit integers are written.")
    of.add("DequantizeLinear", [node.inputs[0], *of.rule(node.inputs[0], scheme)], node.results[0])


# ---- moves -----------------------------------------------------------------------------------------------------------

def _is_in_order(shape: Sequence[int]) -> bool:
    """Are the elements of such a tensor in one order, channels first or last?"""
    return len(shape) != 4 or shape[3] == 1 or shape[1] * shape[2] == 1


def _reshape(of: _Writer, node: Node) -> None:
    before, after = of.shape(node.inputs[0]), of.shape(node.results[0])
    x = node.inputs[0] if _is_in_order(before) else of.turned(node, node.inputs[0], "channels last", _LAST)
    said = of._file_shape(after) if _is_in_order(after) else after
    wanted = of.constant(f"{node.name} (shape)", list(said), np.int64)
    if _is_in_order(after):
        of.add("Reshape", [x, wanted], node.results[0])
        return
    flat = of.add("Reshape", [x, wanted], f"{node.name} (channels last again)")
    of.add("Transpose", [flat], node.results[0], perm=list(_FIRST))


def _concat(of: _Writer, node: Node) -> None:
    assert isinstance(node.operator, Concat)
    rank = len(of.shape(node.results[0]))
    axis = node.operator.axis % rank
    of.add("Concat", node.inputs, node.results[0], axis=_LAST[axis] if rank == 4 else axis)


def _shuffle(of: _Writer, node: Node) -> None:
    """As a matrix of groups and channels, turned."""
    assert isinstance(node.operator, ops.ChannelShuffle)
    shape, groups = of._file_shape(of.shape(node.name)), node.operator.groups
    at = 1 if len(shape) == 4 else len(shape) - 1
    dealt = [*shape[:at], groups, shape[at] // groups, *shape[at + 1:]]
    axes = list(range(len(dealt)))
    axes[at], axes[at + 1] = at + 1, at
    sizes, whole = (of.constant(f"{node.name} ({what})", each, np.int64)
                    for what, each in (("groups", dealt), ("shape", shape)))
    x = of.turned(node, of.add("Reshape", [node.inputs[0], sizes], f"{node.name} (dealt)"), "dealt out", axes)
    of.add("Reshape", [x, whole], node.results[0])


def _pick(of: _Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, GatherIndices)
    if operator.kind != "transpose":
        raise of.refuse(node, "of moves that pick elements, transposes are written.")
    axes = list(operator.made_with["axes"])
    if len(axes) == 4:      # axis i of the file's result is axis FIRST[i] of ours
        axes = [_LAST[axes[i]] for i in _FIRST]
    of.add("Transpose", node.inputs, node.results[0], perm=axes)


# ---- real numbers ----------------------------------------------------------------------------------------------------

def _real_cut(of: _Writer, node: Node, x: str) -> None:
    """Limits of a result of real numbers, as an operator behind it: what writes the node's own tensor."""
    low, high = getattr(node.operator, "low", -np.inf), getattr(node.operator, "high", np.inf)
    if (low, high) == (0, np.inf):
        of.add("Relu", [x], node.results[0])
        return
    names = [of.constant(f"{node.name} ({what})", end, np.float32) if np.isfinite(end) else ""
             for what, end in (("lowest", low), ("highest", high))]
    of.add("Clip", [x, *(names if names[1] else names[:1])], node.results[0])


def _real(word: str, inputs: Callable[[_Writer, Node], list[str]],
          fields: Callable[[_Writer, Node], dict[str, Any]] = lambda of, node: {}) -> _Write:
    def write(of: _Writer, node: Node) -> None:
        operator: Any = node.operator
        cut = np.isfinite([getattr(operator, "low", -np.inf), getattr(operator, "high", np.inf)]).any()
        made = of.add(word, inputs(of, node), f"{node.name} (result)" if cut else node.results[0], **fields(of, node))
        if cut:
            _real_cut(of, node, made)
    return write


def _same(of: _Writer, node: Node) -> list[str]:
    return list(node.inputs)


def _real_weights(of: _Writer, node: Node) -> list[str]:
    operator: Any = node.operator
    w = operator.w.transpose(0, 3, 1, 2) if operator.w.ndim == 4 else operator.w
    if operator.w.ndim == 2:
        _rows(of, node)
    return [node.inputs[0], of.constant(f"{node.name} (weights)", w, np.float32),
            of.constant(f"{node.name} (bias)", operator.bias, np.float32)]


def _real_window(of: _Writer, node: Node) -> dict[str, Any]:
    operator: Any = node.operator
    shape = operator.shape(of.shape(node.inputs[0]))
    more = {"group": operator.groups} if isinstance(operator, operators.Float32Conv2d) else {}
    dilated = {} if isinstance(operator, operators.Float32AvgPool2d) else {"dilations": list(shape.dilation)}
    return {**_window(shape), **more, **dilated}


def _norm(of: _Writer, node: Node) -> list[str]:
    operator = node.operator
    assert isinstance(operator, operators.BatchNorm)
    if len(of.shape(node.inputs[0])) not in (2, 4):
        raise of.refuse(node, "it reads neither rows nor an image.")
    count = operator.gain.size
    return [node.inputs[0], *(of.constant(f"{node.name} ({what})", values, np.float32) for what, values in (
        ("gain", operator.gain), ("offset", operator.offset), ("mean", np.zeros(count)), ("variance", np.ones(count))))]


def _real_clamp(of: _Writer, node: Node) -> None:
    _real_cut(of, node, node.inputs[0])


def _real_mean(of: _Writer, node: Node) -> None:
    image = of.add("GlobalAveragePool", node.inputs, f"{node.name} (image)")
    of.add("Flatten", [image], node.results[0], axis=1)


def _real_softmax(of: _Writer, node: Node) -> None:
    assert isinstance(node.operator, operators.Float32Softmax)
    if node.operator.beta != 1:
        raise of.refuse(node, f"its beta is {node.operator.beta:g}; .onnx has 1.")
    _rows(of, node)
    of.add("Softmax", node.inputs, node.results[0], axis=-1)


def _softmax(of: _Writer, node: Node) -> None:
    _rows(of, node)
    of.back(node, of.add("Softmax", [of.real(node)], f"{node.name} (result)", axis=-1))


_KINDS: dict[type, _Write] = {
    onnxruntime.SingleGlobalMean: _plain("GlobalAveragePool"), ops.Conv2d: _conv, ops.FullyConnected: _product,
    ops.MaxPool2d: _largest, ops.Clamp: _clamp, ops.Add: _pair, ops.Multiply: _pair,
    onnxruntime.SingleMean: _mean, onnxruntime.SingleLeakyRelu: _plain("LeakyRelu", lambda one: {"alpha": one.slope}),
    onnxruntime.SingleSoftmax: _softmax, onnxruntime.SingleQuantize: _quantize, ops.Dequantize: _dequantize,
    ops.ChannelShuffle: _shuffle, Reshape: _reshape, Concat: _concat, GatherIndices: _pick,
    operators.Float32Conv2d: _real("Conv", _real_weights, _real_window),
    operators.Float32FullyConnected: _real("Gemm", _real_weights, lambda of, node: {"transB": 1}),
    operators.Float32Add: _real("Add", _same), operators.Float32Clamp: _real_clamp,
    operators.BatchNorm: _real("BatchNormalization", _norm, lambda of, node: {"epsilon": 0.0}),
    operators.Float32LeakyRelu: _real("LeakyRelu", _same, lambda of, node: {"alpha": _slope(node)}),
    operators.Float32MaxPool2d: _real("MaxPool", _same, _real_window),
    operators.Float32AvgPool2d: _real("AveragePool", _same, _real_window),
    operators.Float32GlobalAvgPool: _real_mean, operators.Float32Softmax: _real_softmax,
}


def _slope(node: Node) -> float:
    assert isinstance(node.operator, operators.Float32LeakyRelu)
    return node.operator.slope
