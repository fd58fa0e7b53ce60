"""Writing `.tflite`: a graph of ours as a file that TensorFlow Lite runs.

Every kind of operator says here which words of the file it is. What the file has no words for is refused: limits that
are no activation, a rounding that no such runtime has. Padding that is neither SAME nor VALID becomes a PAD before, and
what else can be said in other words is (`neonsim.nn.formats.tflite.rewrite`).

Bytes are those of LiteRT as it runs by itself, with its XNNPACK delegate. Where it has others, a warning names nodes.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.common.fileio import write_file
from neonsim.errors import BadArgument, MissingPackage, ModelError
from neonsim.nn import ops
from neonsim.nn.formats.lowering import limits_of, same_padding, why_no_change
from neonsim.nn.formats.tflite.rewrite import respelled
from neonsim.nn.graph import Concat, Constant, GatherIndices, Graph, Node, Reshape, Split
from neonsim.nn.ops.float32 import operators as floating
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.reference.litert_vectors import narrowing_of
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import limits, scheme_word
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing import ConvShape

__all__ = ["tflite_bytes", "write_tflite"]


def write_tflite(graph: Graph, path: str | Path) -> Path:
    """Write a graph as a `.tflite` file; returns its path.

    Warns (RuntimeWarning) of nodes for which LiteRT gives other bytes than the graph, and why.

    Raises ModelError for an operator that such files have no words for, MissingPackage without the packages
    (pip install 'neonsim[models]'), BadArgument for a place where nothing can be written.
    """
    return write_file(path, tflite_bytes(graph))


def tflite_bytes(graph: Graph) -> bytes:
    """The bytes of that file."""
    writer = Writer(graph)
    if writer.said:
        warnings.warn(f"{graph.name}: LiteRT can give other bytes than this graph. "
                      + " ".join(f"{name}: {why}" for name, why in writer.said.items()), RuntimeWarning, stacklevel=3)
    return writer.bytes()


# LiteRT with its delegate, and its own kernels, which do what the delegate leaves.
_DELEGATE = ARITHMETICS["xnnpack"]
_OWN = ARITHMETICS[_DELEGATE.fallback or ""]
_ACTIVATIONS = {"NONE": (-np.inf, np.inf), "RELU": (0.0, np.inf), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}


class _Word(NamedTuple):
    """An operator of the file: its word, inputs and results by number, the name of its options and their fields."""

    word: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: str = ""
    fields: Mapping[str, Any] = MappingProxyType({})


class Writer:
    """One graph. Tensors of the file are (name, shape, dtype, scales, zero point, axis, constant or None)."""

    def __init__(self, graph: Graph) -> None:
        try:
            import flatbuffers
            import tflite
        except ImportError:
            raise MissingPackage(f"writing .tflite files needs two packages more: {install('neonsim[models]')}.") \
                from None
        self.said: dict[str, str] = {}      # why LiteRT has other bytes, by node
        graph = respelled(graph, self.said)
        self.graph, self.schema, self.builder = graph, tflite, flatbuffers.Builder(1 << 16)
        self.tensors: list[tuple[str, tuple[int, ...], str, NDArray[Any] | None, int, int, NDArray[Any] | None]] = []
        self.numbers: dict[str, int] = {}
        self.words: list[_Word] = []
        for name, tensor in graph.tensors.items():
            scheme = tensor.scheme
            self.numbers[name] = self.tensor(name, tensor.shape, tensor.dtype, scheme)
        for node in graph.nodes:
            write = next((_KINDS[kind] for kind in type(node.operator).__mro__ if kind in _KINDS), None)
            if write is None:
                raise ModelError(f"{node.name} of {graph.name}: .tflite has no word for {node.operator.kind}.")
            write(self, node)

    def tensor(self, name: str, shape: Sequence[int], dtype: str, scheme: Scheme | None = None,
               data: NDArray[Any] | None = None, axis: int = 0) -> int:
        """One more tensor; its number."""
        scales = None if scheme is None else np.atleast_1d(np.asarray(scheme.scale, np.float32))
        self.tensors.append((name, tuple(shape), dtype, scales, 0 if scheme is None else scheme.zero_point, axis, data))
        return len(self.tensors) - 1

    def constant(self, name: str, data: NDArray[Any], scheme: Scheme | None = None, axis: int = 0) -> int:
        """A constant; its number."""
        return self.tensor(name, data.shape, data.dtype.name, scheme, data, axis)

    def refuse(self, node: Node, reason: str) -> ModelError:
        """For `raise`."""
        return ModelError(f"{node.name} of {self.graph.name}, {node.kind}: {reason}")

    def by_delegate(self, node: Node, rule: str, make: Callable[[], Any] | None = None) -> None:
        """Say it where XNNPACK takes a node whose rule is one of LiteRT's own kernels.

        make   makes the operator that XNNPACK has, and fails for scales that it does not take; None: it takes any
        """
        try:
            if make is not None:
                make()
        except BadArgument:
            return
        self.said[node.name] = f"{rule} is what LiteRT's own kernels do; by itself its delegate XNNPACK takes the node."

    def without_limits(self, node: Node) -> None:
        """Refuse limits where the file has no field for them."""
        operator: Any = node.operator
        ends = limits(operator.out.dtype)
        found = tuple(getattr(operator, name, getattr(getattr(operator, "wide", None), name, end))
                      for name, end in zip(("output_min", "output_max"), ends, strict=True))
        if found != ends:
            raise self.refuse(node, f"it has limits, {found[0]} to {found[1]}, for which .tflite has no field there: "
                                    "clamp afterwards.")

    def activation(self, node: Node) -> str:
        """The word of the activation that its limits are."""
        operator: Any = node.operator
        if isinstance(operator, floating.Float32Operator):
            ends, known = (operator.low, operator.high), _ACTIVATIONS
        else:
            ends, info = (operator.output_min, operator.output_max), np.iinfo(operator.out.dtype)
            found = {word: limits_of(word.lower(), operator.out).values() for word in _ACTIVATIONS}
            known = {word: (info.min if low is None else low, info.max if high is None else high)
                     for word, (low, high) in found.items()}
        word = next((word for word, both in known.items() if both == ends), None)
        if word is None:
            raise self.refuse(node, f"limits of {ends[0]:g} to {ends[1]:g} are no activation of .tflite, which has "
                                    "RELU, RELU6 and RELU_N1_TO_1.")
        return word

    def fused(self, node: Node) -> int:
        """The number of that activation."""
        return int(getattr(self.schema.ActivationFunctionType, self.activation(node)))

    def window(self, node: Node, shape: ConvShape) -> tuple[int, dict[str, Any]]:
        """(number of what it reads, padding and strides); with a PAD before it where there is no other way."""
        source = self.numbers[node.inputs[0]]
        same = same_padding(shape.input, shape.kernel, shape.stride, shape.dilation)
        padding = self.schema.Padding.VALID
        if shape.padding == same and any(map(any, same)):
            padding = self.schema.Padding.SAME
        elif any(map(any, shape.padding)):
            source = self._padded(node, source, ((0, 0), *shape.padding, (0, 0)))
        return source, {"Padding": padding, "StrideH": shape.stride[0], "StrideW": shape.stride[1]}

    def _padded(self, node: Node, source: int, amounts: Sequence[tuple[int, int]]) -> int:
        x = self.graph.tensors[node.inputs[0]]
        made = self.tensor(f"{node.name} (padded)", [n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True)],
                           x.dtype, x.scheme)
        sizes = self.constant(f"{node.name} (amounts)", np.asarray(amounts, np.int32))
        self.words.append(_Word("PAD", (source, sizes), (made,), "PadOptions"))
        return made

    def add(self, node: Node, word: str, inputs: Sequence[int], options: str = "", **fields: Any) -> None:
        """The operator that a node is."""
        self.words.append(_Word(word, inputs, [self.numbers[name] for name in node.results], options, fields))

    # ---- the flat buffer
    def bytes(self) -> bytes:
        """All of it, from the leaves up."""
        b, s = self.builder, self.schema
        buffers, tensors = [self._table("Buffer")], []
        for name, shape, dtype, scales, zero_point, axis, data in self.tensors:
            buffer = 0
            if data is not None:
                held = b.CreateNumpyVector(np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8))
                buffers.append(self._table("Buffer", Data=held))
                buffer = len(buffers) - 1
            quantization = None
            if scales is not None:
                many = b.CreateNumpyVector(scales)
                zeros = b.CreateNumpyVector(np.full(scales.size, zero_point, np.int64))
                quantization = self._table("QuantizationParameters", Scale=many, ZeroPoint=zeros,
                                           QuantizedDimension=axis)
            tensors.append(self._table("Tensor", Name=b.CreateString(name), Buffer=buffer, Quantization=quantization,
                                       Shape=b.CreateNumpyVector(np.asarray(shape, np.int32)),
                                       Type=getattr(s.TensorType, dtype.upper())))
        codes = list(dict.fromkeys(word.word for word in self.words))
        operators = [self._operator(word, codes.index(word.word)) for word in self.words]
        ends = [b.CreateNumpyVector(np.asarray([self.numbers[name] for name in names], np.int32))
                for names in (self.graph.inputs, self.graph.outputs)]
        subgraph = self._table("SubGraph", Name=b.CreateString(self.graph.name), Inputs=ends[0], Outputs=ends[1],
                               Tensors=self._vector(tensors), Operators=self._vector(operators))
        made = [self._table("OperatorCode", DeprecatedBuiltinCode=min(number, 127), BuiltinCode=number, Version=version)
                for number, version in (self._code(code) for code in codes)]
        model = self._table("Model", Version=3, Description=b.CreateString("neonsim"),
                            OperatorCodes=self._vector(made), Subgraphs=self._vector([subgraph]),
                            Buffers=self._vector(buffers))
        b.Finish(model, b"TFL3")
        return bytes(b.Output())

    def _code(self, word: str) -> tuple[int, int]:
        # Versions from which the runtimes take int8.
        others = {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 4, "RESHAPE": 1, "RELU_N1_TO_1": 1,
                  "QUANTIZE": 1, "ELU": 1, "TRANSPOSE_CONV": 3, **dict.fromkeys(ACTIVATIONS, 1)}
        return int(getattr(self.schema.BuiltinOperator, word)), others.get(word, 2)

    def _operator(self, word: _Word, code: int) -> int:
        b, kind = self.builder, 0
        options = None
        if word.options:
            kind, options = getattr(self.schema.BuiltinOptions, word.options), self._table(word.options, **word.fields)
        inputs, outputs = (b.CreateNumpyVector(np.asarray(numbers, np.int32))
                           for numbers in (word.inputs, word.outputs))
        return self._table("Operator", OpcodeIndex=code, Inputs=inputs, Outputs=outputs, BuiltinOptionsType=kind,
                           BuiltinOptions=options)

    def _table(self, name: str, **fields: Any) -> int:
        """A table of the schema; fields by name, those that are None left out."""
        module = importlib.import_module(f"tflite.{name}")
        getattr(module, f"{name}Start")(self.builder)
        for field, value in fields.items():
            if value is not None:
                getattr(module, f"{name}Add{field}")(self.builder, value)
        return int(getattr(module, f"{name}End")(self.builder))

    def _vector(self, tables: Sequence[int]) -> int:
        self.builder.StartVector(4, len(tables), 4)
        for table in reversed(tables):
            self.builder.PrependUOffsetTRelative(table)
        return int(self.builder.EndVector())


# ---- operators -------------------------------------------------------------------------------------------------------

def _weights(of: Writer, node: Node, values: NDArray[Any], axis: int) -> list[int]:
    """Numbers of weights and bias; of a depthwise convolution weights are turned."""
    operator = node.operator
    if isinstance(operator, floating.Float32Conv2d | floating.Float32FullyConnected):
        return [of.constant(f"{node.name} (weights)", values), of.constant(f"{node.name} (bias)", operator.bias)]
    assert isinstance(operator, WeightedOperator)
    if scheme_word(operator.requantization) not in (_DELEGATE.products, "s64"):
        raise of.refuse(node, f"its requantization is {operator.requantization!r}; .tflite has {_DELEGATE.products!r}, "
                              "and 's64' of int16.")
    w, x = operator.w, operator.schemes[0]
    scale = np.float32(x.scale) * np.atleast_1d(np.asarray(w.scale, np.float32))
    weights = of.tensor(f"{node.name} (weights)", values.shape, values.dtype.name, w.scheme, values,
                        axis if scale.size > 1 else 0)
    of.tensors.append((f"{node.name} (bias)", operator.bias.shape, operator.bias.dtype.name, scale, 0, 0,
                       operator.bias))
    return [weights, weights + 1]


def _conv(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.Conv2d | floating.Float32Conv2d)
    values = operator.w.values if isinstance(operator, ops.Conv2d) else operator.w
    shape = operator.shape(of.graph.tensors[node.inputs[0]].shape)
    source, fields = of.window(node, shape)
    fields |= {"DilationHFactor": shape.dilation[0], "DilationWFactor": shape.dilation[1],
               "FusedActivationFunction": of.fused(node)}
    if operator.groups > 1 and operator.depth == 1:
        turned = np.ascontiguousarray(values.transpose(3, 1, 2, 0))
        of.add(node, "DEPTHWISE_CONV_2D", (source, *_weights(of, node, turned, 3)), "DepthwiseConv2DOptions",
               DepthMultiplier=operator.outputs // operator.groups, **fields)
        return
    of.add(node, "CONV_2D", (source, *_weights(of, node, values, 0)), "Conv2DOptions", **fields)


def _deconv(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.Deconv2d)
    x, result = of.graph.tensors[node.inputs[0]].shape, of.graph.tensors[node.name].shape
    shape = operator.shape(x)
    if operator.groups > 1 or shape.dilation != (1, 1):
        raise of.refuse(node, "deconvolutions of .tflite have no groups and no dilation.")
    whole = [(n - 1) * step + taps for n, step, taps in zip(x[1:3], shape.stride, operator.window, strict=True)]
    cut = [max(a - b, 0) for a, b in zip(whole, result[1:3], strict=True)]
    padding = tuple((n // 2, n - n // 2) for n in cut)
    if shape.padding != padding:
        raise of.refuse(node, f"its padding is {shape.padding}; .tflite cuts {padding} off such a result.")
    said = of.constant(f"{node.name} (shape)", np.asarray(result, np.int32))
    values = np.ascontiguousarray(operator.w.values.transpose(3, 1, 2, 0))
    weights, bias = _weights(of, node, values, 0)
    of.add(node, "TRANSPOSE_CONV", (said, weights, of.numbers[node.inputs[0]], bias), "TransposeConvOptions",
           Padding=of.schema.Padding.SAME if any(cut) else of.schema.Padding.VALID, StrideH=shape.stride[0],
           StrideW=shape.stride[1], FusedActivationFunction=of.fused(node))


def _fully_connected(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.FullyConnected)
    if operator.sixteen is not None:
        _rows_convolved(of, node, operator)
        return
    rank = len(of.graph.tensors[node.inputs[0]].shape)
    of.add(node, "FULLY_CONNECTED", (of.numbers[node.inputs[0]], *_weights(of, node, operator.w.values, 0)),
           "FullyConnectedOptions", FusedActivationFunction=of.fused(node), KeepNumDims=rank > 2)


def _real_rows(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, floating.Float32FullyConnected)
    rank = len(of.graph.tensors[node.inputs[0]].shape)
    of.add(node, "FULLY_CONNECTED", (of.numbers[node.inputs[0]], *_weights(of, node, node.operator.w, 0)),
           "FullyConnectedOptions", KeepNumDims=rank > 2, FusedActivationFunction=of.fused(node))


def _rows_convolved(of: Writer, node: Node, operator: ops.FullyConnected) -> None:
    """16x8 rows as a 1x1 convolution: FULLY_CONNECTED of the runtime rounds int16 in double precision, CONV_2D as we do
    (M45)."""
    x, y = of.graph.tensors[node.inputs[0]], of.graph.tensors[node.name]

    def moved(what: str, given: int, shape: tuple[int, ...], to: int) -> None:
        sizes = of.constant(f"{node.name} (shape of {what})", np.asarray(shape, np.int32))
        of.words.append(_Word("RESHAPE", (given, sizes), (to,), "ReshapeOptions"))
    rows, columns = x.size // x.shape[-1], x.shape[-1]
    image = of.tensor(f"{node.name} (rows)", (1, rows, 1, columns), x.dtype, x.scheme)
    moved("rows", of.numbers[node.inputs[0]], (1, rows, 1, columns), image)
    made = of.tensor(f"{node.name} (sums)", (1, rows, 1, y.shape[-1]), y.dtype, y.scheme)
    weights = _weights(of, node, operator.w.values.reshape(-1, 1, 1, columns), 0)
    of.words.append(_Word("CONV_2D", (image, *weights), (made,), "Conv2DOptions", {
        "Padding": of.schema.Padding.VALID, "StrideH": 1, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1,
        "FusedActivationFunction": of.fused(node)}))
    moved("results", made, y.shape, of.numbers[node.name])


def _sum(word: str, options: str) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        operator: Any = node.operator
        a, b = (of.graph.tensors[name] for name in node.inputs)
        if operator.narrowing not in (None, narrowing_of("add" if word == "ADD" else "multiply", a.dtype, a.shape,
                                                         b.shape)):
            raise of.refuse(node, "results that leave 16 bits wrap as those of other shapes, which .tflite does not "
                                  "have.")
        for name, column in (("rounding", "sums"), ("requantization", "pairs")):
            theirs, other = (getattr(one, column) for one in (_DELEGATE, _OWN))
            rule = scheme_word(getattr(operator, name, theirs))
            if rule not in (theirs, other):
                raise of.refuse(node, f"its {name} is {rule!r}; .tflite has {theirs!r} and {other!r}.")
            if rule != theirs:
                if word != "SUB" and operator.narrowing is None and _leaves_16_bits(operator):
                    of.said[node.name] = "results can leave 16 bits before they are cut off, and then wrap in LiteRT."
                kind: Any = type(operator)
                of.by_delegate(node, f"{name} {rule!r}",
                               partial(kind, *operator.schemes, out=operator.out, **{name: theirs}))
        of.add(node, word, [of.numbers[name] for name in node.inputs], options,
               FusedActivationFunction=of.fused(node))
    return write


def _real_sum(of: Writer, node: Node) -> None:
    of.add(node, "ADD", [of.numbers[name] for name in node.inputs], "AddOptions",
           FusedActivationFunction=of.fused(node))


def _leaves_16_bits(operator: Any) -> bool:
    """Whether a sum or product of two can be so large, counted in steps of the result."""
    reach = [float(one.scale) * max(abs(end - one.zero_point) for end in limits(one.dtype)) for one in operator.schemes]
    size = math.prod(reach) if isinstance(operator, ops.Multiply) else sum(reach)
    return bool(size / float(operator.out.scale) + abs(operator.out.zero_point) > 0x7FFF)


def _convert(of: Writer, node: Node) -> None:
    """An activation of two schemes has the same rule in all kernels of LiteRT; few change scales by it."""
    operator = node.operator
    assert isinstance(operator, ops.Convert)
    x, rule = operator.schemes[0], None if operator.wide is None else operator.wide.positive.scheme
    wide = "int16" in (x.dtype, operator.out.dtype)
    if wide and (why := why_no_change(x, operator.out)):
        raise of.refuse(node, why)
    if rule == ARITHMETICS["tflite"].bytes and x.dtype == operator.out.dtype and not wide:
        info = np.iinfo(operator.out.dtype)
        for word in ("RELU", "RELU6", "RELU_N1_TO_1"):
            low, high = limits_of(word.lower(), operator.out).values()
            if (operator.output_min, operator.output_max) == (low, info.max if high is None else high):
                of.add(node, word, [of.numbers[node.inputs[0]]])
                return
    of.without_limits(node)
    if wide or x.dtype != operator.out.dtype:       # which its delegate leaves to its own optimised kernels
        if rule != (theirs := _OWN.rescaling(x.dtype, operator.out.dtype)):
            change = f"{x.dtype} to {operator.out.dtype}"
            of.said[node.name] = f"requantization {rule!r}; LiteRT changes {change} by {theirs!r}."
    elif rule is not None:
        of.by_delegate(node, f"requantization {rule!r}", lambda: ops.Convert(x, out=operator.out))
    of.add(node, "QUANTIZE", (of.numbers[node.inputs[0]],))


def _curve(word: str) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        of.without_limits(node)
        _compare_curves(of, node)
        of.add(node, word, (of.numbers[node.inputs[0]],))
    return write


def _compare_curves(of: Writer, node: Node) -> None:
    """Say how many bytes of a function of one byte LiteRT has otherwise: its delegate rounds to even."""
    operator: Any = node.operator
    theirs = type(operator)(operator.schemes[0], out=operator.out, ties="even")
    if differing := int((theirs.table() != operator.table()).sum()):
        of.said[node.name] = f"ties {operator.ties!r}; LiteRT rounds {differing} of 256 bytes otherwise, to even."


def _quantize(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.Quantize)
    power = np.frexp(np.float32(operator.out.scale))[0] == 0.5
    if operator.out.dtype == "int16":       # which its delegate leaves to its own optimised kernels
        if operator.ties != "eights":
            of.said[node.name] = f"ties {operator.ties!r}; LiteRT quantises to int16 by 'eights'."
    elif operator.ties != "even" or not (operator.reciprocal or power):
        of.by_delegate(node, f"ties {operator.ties!r}, reciprocal={operator.reciprocal}")
    of.add(node, "QUANTIZE", (of.numbers[node.inputs[0]],))


def _dequantize(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, ops.Dequantize)
    if node.operator.x is None:
        raise of.refuse(node, "it reads int32 sums; .tflite dequantises integers of 8 and 16 bits.")
    if node.operator.eights:
        of.by_delegate(node, "eights=True")
    of.add(node, "DEQUANTIZE", (of.numbers[node.inputs[0]],))


def _plain(word: str, options: str = "", **fields: Any) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        of.add(node, word, [of.numbers[name] for name in node.inputs], options, **fields)
    return write


def _average(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.AvgPool2d)
    if not operator.integer:
        raise of.refuse(node, "no words of .tflite round its mean so; they have that of integers as they are "
                              "(integer=True).")
    _pool("AVERAGE_POOL_2D")(of, node)


def _pool(word: str) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        operator: Any = node.operator
        shape: ConvShape = operator.shape(of.graph.tensors[node.inputs[0]].shape)
        source, fields = of.window(node, shape)
        if source != of.numbers[node.inputs[0]] or shape.dilation != (1, 1):
            raise of.refuse(node, "pooling of .tflite has padding SAME or VALID, and no dilation.")
        fused = {"FusedActivationFunction": of.fused(node)}
        # Their order decides which bytes are a file's.
        fields = {**fields, **fused} if isinstance(operator, floating.Float32Operator) else {**fused, **fields}
        of.add(node, word, (source,), "Pool2DOptions", FilterHeight=shape.kernel[0], FilterWidth=shape.kernel[1],
               **fields)
    return write


def _mean(of: Writer, node: Node) -> None:
    if not isinstance(node.operator, floating.Float32Operator):
        of.without_limits(node)
    rank = len(of.graph.tensors[node.inputs[0]].shape)
    axes = of.constant(f"{node.name} (axes)", np.arange(1, rank - 1, dtype=np.int32))
    of.add(node, "MEAN", (of.numbers[node.inputs[0]], axes), "ReducerOptions", KeepDims=False)


def _softmax(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, ops.Softmax)
    out = node.operator.out
    if out.dtype == "int8" and abs(float(out.scale) * 256 - 1) > 0.001:
        raise of.refuse(node, f"its steps are {out.scale:g}; LiteRT has 1/256 of int8, within a thousandth.")
    if node.operator.fixed:
        of.by_delegate(node, "fixed=True")
    of.add(node, "SOFTMAX", (of.numbers[node.inputs[0]],), "SoftmaxOptions", Beta=node.operator.beta)


def _leaky_relu(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.LeakyRelu)
    if operator.wide is None and operator.params is None:
        raise of.refuse(node, "of uint8 it is QNNPACK's; .tflite has the bytes of requantization='gemmlowp'.")
    of.without_limits(node)
    if operator.wide is not None:
        of.by_delegate(node, f"requantization {operator.requantization!r}", lambda: ops.LeakyRelu(
            operator.schemes[0], slope=operator.slope, out=operator.out, requantization="q8"))
    of.add(node, "LEAKY_RELU", (of.numbers[node.inputs[0]],), "LeakyReluOptions", Alpha=operator.slope)


def _elu(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, ops.Elu)
    if node.operator.out.dtype == "uint8":
        raise of.refuse(node, ".tflite runs ELU of int8 only.")
    _compare_curves(of, node)
    of.add(node, "ELU", (of.numbers[node.inputs[0]],))


def _clamp(of: Writer, node: Node) -> None:
    word = of.activation(node)
    if word == "NONE":
        raise of.refuse(node, "it limits nothing.")
    of.add(node, word, (of.numbers[node.inputs[0]],))


def _real_leaky_relu(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, floating.Float32LeakyRelu)
    of.add(node, "LEAKY_RELU", (of.numbers[node.inputs[0]],), "LeakyReluOptions", Alpha=node.operator.slope)


def _real_softmax(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, floating.Float32Softmax)
    of.add(node, "SOFTMAX", (of.numbers[node.inputs[0]],), "SoftmaxOptions", Beta=node.operator.beta)


def _pad(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.Pad)
    amounts = of.constant(f"{node.name} (amounts)",
                          np.asarray(operator._pairs(len(of.graph.tensors[node.inputs[0]].shape)), np.int32))
    inputs = [of.numbers[node.inputs[0]], amounts]
    if operator.value != operator.out.zero_point:
        value = np.asarray([operator.value], operator.out.dtype)
        inputs.append(of.constant(f"{node.name} (value)", value, operator.out))
        of.add(node, "PADV2", inputs, "PadV2Options")
        return
    of.add(node, "PAD", inputs, "PadOptions")


def _reshape(of: Writer, node: Node) -> None:
    shape = of.constant(f"{node.name} (shape)", np.asarray(of.graph.tensors[node.name].shape, np.int32))
    of.add(node, "RESHAPE", (of.numbers[node.inputs[0]], shape), "ReshapeOptions")


def _concat(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, Concat)
    rank = len(of.graph.tensors[node.inputs[0]].shape)
    of.add(node, "CONCATENATION", [of.numbers[name] for name in node.inputs], "ConcatenationOptions",
           Axis=node.operator.axis % rank)


def _split(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, Split)
    x = of.graph.tensors[node.inputs[0]]
    sizes = of.constant(f"{node.name} (sizes)", np.asarray(node.operator.sizes(x.shape), np.int32))
    axis = of.constant(f"{node.name} (axis)", np.asarray([node.operator.axis % len(x.shape)], np.int32))
    of.add(node, "SPLIT_V", (of.numbers[node.inputs[0]], sizes, axis), "SplitVOptions", NumSplits=len(node.results))


def _constant(of: Writer, node: Node) -> None:
    """No operator: a tensor with its elements."""
    assert isinstance(node.operator, Constant)
    number = of.numbers[node.name]
    of.tensors[number] = (*of.tensors[number][:-1], node.operator.values)


def _resize(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, ops.ResizeBilinear)
    if operator.rule != "q11":
        raise of.refuse(node, f"its rule is {operator.rule!r}; .tflite has 'q11'.")
    size = of.constant(f"{node.name} (size)", np.asarray(operator.size, np.int32))
    of.add(node, "RESIZE_BILINEAR", (of.numbers[node.inputs[0]], size), "ResizeBilinearOptions",
           AlignCorners=operator.corners == "aligned", HalfPixelCenters=operator.corners == "half")


def _pick(of: Writer, node: Node) -> None:
    """What its function was asked for."""
    operator = node.operator
    assert isinstance(operator, GatherIndices)
    asked, shape, x = operator.made_with, operator.shape, of.numbers[node.inputs[0]]

    def held(what: str, values: Any) -> int:
        return of.constant(f"{node.name} ({what})", np.asarray(values, np.int32))

    if operator.kind == "slice" and len(operator.result) == len(shape):
        ranges = asked["ranges"]
        # Backwards to the first: there is no number for what comes before it.
        mask = sum(1 << i for i, one in enumerate(ranges) if one[-1] + one.step < 0)
        of.add(node, "STRIDED_SLICE", (x, held("begins", [one[0] for one in ranges]),
                                       held("ends", [max(one[-1] + one.step, 0) for one in ranges]),
                                       held("strides", [one.step for one in ranges])), "StridedSliceOptions",
               EndMask=mask)
    elif operator.kind == "transpose":
        of.add(node, "TRANSPOSE", (x, held("axes", asked["axes"])), "TransposeOptions")
    elif operator.kind == "padding" and asked["mode"] == "constant":
        value = of.constant(f"{node.name} (value)", np.asarray([operator.fill], operator.type.dtype),
                            operator.type.scheme)
        of.add(node, "PADV2", (x, held("amounts", asked["amounts"]), value), "PadV2Options")
    elif operator.kind == "padding":
        of.add(node, "MIRROR_PAD", (x, held("amounts", asked["amounts"])), "MirrorPadOptions",
               Mode=int(asked["mode"] == "symmetric"))
    elif operator.kind == "broadcast":
        of.add(node, "BROADCAST_TO", (x, held("shape", operator.result)), "BroadcastToOptions")
    elif operator.kind == "nearest":
        of.add(node, "RESIZE_NEAREST_NEIGHBOR", (x, held("size", asked["size"])), "ResizeNearestNeighborOptions",
               AlignCorners=asked["align_corners"], HalfPixelCenters=asked["half_pixel"])
    elif operator.kind == "tile":
        of.add(node, "TILE", (x, held("times", asked["times"])), "TileOptions")
    elif operator.kind == "gather":
        of.add(node, "GATHER", (x, held("indices", asked["indices"])), "GatherOptions", Axis=asked["axis"])
    elif operator.kind in ("depth to space", "space to depth") and operator.type.dtype != "int16":
        word = operator.kind.replace(" ", "_").upper()
        of.add(node, word, (x,), f"{operator.kind.title().replace(' ', '')}Options", BlockSize=asked["block"])
    elif operator.kind in ("space to batch", "batch to space"):
        blocks, amounts = asked["blocks"], [(0, 0)] * len(asked["blocks"])
        word = f"{operator.kind.replace(' ', '_').upper()}_ND"
        of.add(node, word, (x, held("blocks", blocks), held("amounts", amounts)),
               f"{operator.kind.title().replace(' ', '')}NDOptions")
    else:
        raise of.refuse(node, f".tflite has no word for such a move of {operator.type.dtype}, or not for any shape.")


def _find(word: str) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        rank = len(of.graph.tensors[node.inputs[0]].shape)
        axis = of.constant(f"{node.name} (axis)", np.asarray([rank - 1], np.int32))
        of.add(node, f"ARG_{word.upper()}", (of.numbers[node.inputs[0]], axis), f"Arg{word}Options",
               OutputType=getattr(of.schema.TensorType, of.graph.tensors[node.name].dtype.upper()))
    return write


def _rows(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, ops.Mean)
    if node.operator.rule != "even":
        raise of.refuse(node, f"its rule is {node.operator.rule!r}; .tflite has 'even'.")
    axes = of.constant(f"{node.name} (axes)", np.asarray([1], np.int32))
    of.add(node, "SUM" if node.operator.total else "MEAN", (of.numbers[node.inputs[0]], axes), "ReducerOptions",
           KeepDims=False)


_KINDS: dict[type, Callable[[Writer, Node], None]] = {
    ops.Conv2d: _conv, ops.Deconv2d: _deconv, ops.FullyConnected: _fully_connected,
    ops.AvgPool2d: _average, ops.MaxPool2d: _pool("MAX_POOL_2D"),
    ops.GlobalAvgPool: _mean, ops.Softmax: _softmax, ops.LeakyRelu: _leaky_relu, ops.Clamp: _clamp, ops.Pad: _pad,
    ops.Add: _sum("ADD", "AddOptions"), ops.Subtract: _sum("SUB", "SubOptions"),
    ops.Multiply: _sum("MUL", "MulOptions"),
    **{operator: _plain(word) for word, operator in ACTIVATIONS.items()}, ops.Elu: _elu,
    ops.Sigmoid: _curve("LOGISTIC"), ops.Tanh: _curve("TANH"), ops.Convert: _convert,
    ops.Quantize: _quantize, ops.Dequantize: _dequantize,
    ops.Maximum: _plain("MAXIMUM", "MaximumMinimumOptions"), ops.Minimum: _plain("MINIMUM", "MaximumMinimumOptions"),
    ops.ArgMax: _find("Max"), ops.ArgMin: _find("Min"), ops.Mean: _rows, ops.ResizeBilinear: _resize,
    Reshape: _reshape, Concat: _concat, Split: _split, GatherIndices: _pick, Constant: _constant,
    floating.Float32Conv2d: _conv, floating.Float32FullyConnected: _real_rows, floating.Float32Add: _real_sum,
    floating.Float32Clamp: _clamp, floating.Float32LeakyRelu: _real_leaky_relu, floating.Float32Softmax: _real_softmax,
    floating.Float32MaxPool2d: _pool("MAX_POOL_2D"), floating.Float32AvgPool2d: _pool("AVERAGE_POOL_2D"),
    floating.Float32GlobalAvgPool: _mean,
}
