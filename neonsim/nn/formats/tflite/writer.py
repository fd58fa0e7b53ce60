"""A graph as a `.tflite` file on its way: the tensors and operators of the file, and its bytes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.common.extras import install
from neonsim.errors import BadArgument, MissingPackage, ModelError
from neonsim.nn.formats.lowering import ACTIVATION_LIMITS, limits_of, same_padding
from neonsim.nn.formats.tflite.rewrite import respelled
from neonsim.nn.formats.tflite.words import WORDS
from neonsim.nn.graph import Graph, Node
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing import ConvShape

__all__ = ["WRITERS", "Writer", "writes"]


class _FileNode(NamedTuple):
    """An operator of the file: its word, inputs and results by number, and its attributes by our names of them."""

    word: str
    inputs: Sequence[int]
    outputs: Sequence[int]
    attributes: Mapping[str, Any]


# What writes an operator of a class: handlers are called with the writer, the node and its operator.
WRITERS = ClassTable[Callable[["Writer", Node, Any], None]]()
writes = WRITERS.row


class Writer:
    """One graph. Tensors of the file are (name, shape, dtype, scales, zero point, axis, constant or None)."""

    def __init__(self, graph: Graph) -> None:
        try:
            import flatbuffers
            import tflite
        except ImportError:
            raise MissingPackage(f"writing .tflite files needs two more packages: {install('neonsim[models]')}.") \
                from None
        self.said: dict[str, str] = {}      # why LiteRT has other bytes, by node
        graph = respelled(graph, self.said)
        self.graph, self.schema, self.builder = graph, tflite, flatbuffers.Builder(1 << 16)
        self.tensors: list[tuple[str, tuple[int, ...], str, NDArray[Any] | None, int, int, NDArray[Any] | None]] = []
        self.numbers: dict[str, int] = {}
        self.words: list[_FileNode] = []
        for name, tensor in graph.tensors.items():
            scheme = tensor.scheme
            self.numbers[name] = self.tensor(name, tensor.shape, tensor.dtype, scheme)
        for node in graph.nodes:
            write = WRITERS.find(node.operator)
            if write is None:
                raise ModelError(f"{node.name} of {graph.name}: .tflite has no word for {node.operator.kind}.")
            write(self, node, node.operator)

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
        """What the activation is called that its limits are."""
        operator: Any = node.operator
        if self.graph.tensors[node.results[0]].scheme is None:
            ends, known = (operator.low, operator.high), ACTIVATION_LIMITS
        else:
            ends, info = (operator.output_min, operator.output_max), np.iinfo(operator.out.dtype)
            found = {word: limits_of(word, operator.out).values() for word in ACTIVATION_LIMITS}
            known = {word: (info.min if low is None else low, info.max if high is None else high)
                     for word, (low, high) in found.items()}
        word = next((word for word, both in known.items() if both == ends), None)
        if word is None:
            raise self.refuse(node, f"limits of {ends[0]:g} to {ends[1]:g} are no activation of .tflite, which has "
                                    "RELU, RELU6 and RELU_N1_TO_1.")
        return word

    def window(self, node: Node, shape: ConvShape) -> tuple[int, dict[str, Any]]:
        """(number of what it reads, padding and strides); with a PAD before it where there is no other way."""
        source, padding = self.numbers[node.inputs[0]], "valid"
        same = same_padding(shape.input, shape.kernel, shape.stride, shape.dilation)
        if shape.padding == same and any(map(any, same)):
            padding = "same"
        elif any(map(any, shape.padding)):
            source = self._padded(node, source, ((0, 0), *shape.padding, (0, 0)))
        return source, {"padding": padding, "stride_height": shape.stride[0], "stride_width": shape.stride[1]}

    def _padded(self, node: Node, source: int, amounts: Sequence[tuple[int, int]]) -> int:
        x = self.graph.tensors[node.inputs[0]]
        made = self.tensor(f"{node.name} (padded)", [n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True)],
                           x.dtype, x.scheme)
        self.step("PAD", (source, self.integers(node, "amounts", amounts)), (made,))
        return made

    def add(self, node: Node, word: str, *more: int, inputs: Sequence[int] | None = None, **attributes: Any) -> None:
        """The operator that a node is.

        more         tensors that it reads beside those of the node
        inputs       all that it reads instead
        attributes   by our names of them; what only a writer says by the file's. Their order decides a file's bytes
        """
        given = [*(self.numbers[name] for name in node.inputs), *more] if inputs is None else inputs
        self.step(word, given, [self.numbers[name] for name in node.results], **attributes)

    def step(self, word: str, inputs: Sequence[int], outputs: Sequence[int], **attributes: Any) -> None:
        """An operator between tensors of the file."""
        self.words.append(_FileNode(word, inputs, outputs, attributes))

    def integers(self, node: Node, what: str, values: Any) -> int:
        """A constant of int32 for a node; its number."""
        return self.constant(f"{node.name} ({what})", np.asarray(values, np.int32))

    def shape(self, name: str) -> tuple[int, ...]:
        """Of a tensor of the graph."""
        return self.graph.tensors[name].shape

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
        return int(getattr(self.schema.BuiltinOperator, word)), WORDS[word].version

    def _operator(self, node: _FileNode, code: int) -> int:
        b, kind, options, row = self.builder, 0, None, WORDS[node.word]
        if row.options:
            enums = {"padding": self.schema.Padding, "activation": self.schema.ActivationFunctionType}
            fields = {row.attributes.get(name, name): getattr(enums[name], value.upper()) if name in enums else value
                      for name, value in node.attributes.items()}
            kind, options = getattr(self.schema.BuiltinOptions, row.options), self._table(row.options, **fields)
        inputs, outputs = (b.CreateNumpyVector(np.asarray(numbers, np.int32))
                           for numbers in (node.inputs, node.outputs))
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
