"""LiteRT (TensorFlow Lite) with XNNPACK: models written as flat buffers, field by field."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.graph import Graph
from neonsim.graph.graph import Node
from neonsim.ops import Add, Conv2d, FullyConnected, GlobalAvgPool
from neonsim.quant.scheme import Quantized, Scheme

from .peers import Prepared, as_type, centred, check_limits

__all__ = ["LiteRt", "LiteRtU8"]

# Versions of operators: the first that know the type.
_VERSIONS = {"int8": {"CONV_2D": 3, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 5, "ADD": 2, "MEAN": 2},
             "uint8": {"CONV_2D": 1, "DEPTHWISE_CONV_2D": 1, "FULLY_CONNECTED": 4, "ADD": 1, "MEAN": 1}}


class _Model:
    """A graph as a model."""

    def __init__(self, graph: Graph, dtype: str) -> None:
        self.schema: Any = importlib.import_module("ai_edge_litert.schema_py_generated")
        self.graph, self.dtype = graph, dtype
        self.model, self.main = self.schema.ModelT(), self.schema.SubGraphT()
        self.model.version, self.model.description, self.model.buffers = 3, graph.name, [self.schema.BufferT()]
        self.model.operatorCodes, self.model.subgraphs = [], [self.main]
        self.main.name, self.main.tensors, self.main.operators = "main", [], []
        self.numbers = {"input": self._activation("input")}

    def scheme(self, tensor: str) -> Scheme:
        """The scheme of a tensor there."""
        return as_type(self.graph.scheme(tensor), self.dtype)

    def _tensor(self, name: str, shape: Sequence[int], dtype: str, scales: Any = None, zero: int = 0,
                values: NDArray[Any] | None = None, axis: int = 0) -> int:
        found = self.schema.TensorT()
        found.name, found.shape, found.buffer = name, [int(s) for s in shape], 0
        found.type = getattr(self.schema.TensorType, dtype.upper())
        if values is not None:
            held = self.schema.BufferT()
            held.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
            self.model.buffers.append(held)
            found.buffer = len(self.model.buffers) - 1
        if scales is not None:
            quantization = self.schema.QuantizationParametersT()
            quantization.scale = np.atleast_1d(np.asarray(scales, np.float32))
            quantization.zeroPoint = np.full(quantization.scale.shape, zero, np.int64)
            quantization.quantizedDimension = axis
            found.quantization = quantization
        self.main.tensors.append(found)
        return len(self.main.tensors) - 1

    def _activation(self, name: str) -> int:
        scheme = self.scheme(name)
        return self._tensor(name, self.graph.tensors[name].shape, self.dtype, scheme.scale, scheme.zero_point)

    def _operator(self, kind: str, inputs: list[int], output: str, options: Any) -> None:
        code = getattr(self.schema.BuiltinOperator, kind)
        known = [c.builtinCode for c in self.model.operatorCodes]
        if code not in known:
            made = self.schema.OperatorCodeT()
            made.builtinCode, made.deprecatedBuiltinCode = code, min(code, 127)
            made.version = _VERSIONS[self.dtype][kind]
            self.model.operatorCodes.append(made)
            known.append(code)
        found = self.schema.OperatorT()
        self.numbers[output] = self._activation(output)
        found.opcodeIndex, found.inputs, found.outputs = known.index(code), inputs, [self.numbers[output]]
        found.builtinOptions = options
        found.builtinOptionsType = getattr(self.schema.BuiltinOptions, type(options).__name__.removesuffix("T"))
        self.main.operators.append(found)

    def _parameters(self, node: Node) -> list[int]:
        """Weights and bias."""
        operator: Any = node.operator
        single = isinstance(operator, Conv2d) and operator.groups > 1
        values: NDArray[Any]
        if self.dtype == "int8":
            values, scales = centred(operator)
            zero = 0
        else:
            values, scales = operator.w.values, np.asarray(operator.w.scale, np.float32)
            zero = operator.w.zero_point
            if values.dtype != np.uint8 or scales.ndim:
                raise BackendError("it has no uint8 weights with one scale")
        if single:
            if operator.depth != 1 or operator.outputs != operator.groups:
                raise BackendError("it is not given grouped convolutions here")
            values = values.transpose(3, 1, 2, 0)
        weights = self._tensor(f"{node.name}_w", values.shape, values.dtype.name, scales, zero, values, 3 * single)
        steps = scales * np.float32(self.scheme(node.inputs[0]).scale)
        return [weights, self._tensor(f"{node.name}_b", operator.bias.shape, "int32", steps, 0, operator.bias)]

    def _padding(self, operator: Conv2d, shape: tuple[int, ...]) -> Any:
        """SAME or VALID: there are no others."""
        geometry = operator.shape(shape)
        same = []
        for size, stride, window, dilation in zip(shape[1:3], geometry.stride, geometry.kernel, geometry.dilation,
                                                  strict=True):
            need = max((-(-size // stride) - 1) * stride + (window - 1) * dilation + 1 - size, 0)
            same.append((need // 2, need - need // 2))
        if [tuple(p) for p in geometry.padding] == same:
            return self.schema.Padding.SAME
        if not np.any(geometry.padding):
            return self.schema.Padding.VALID
        raise BackendError("it has no such padding")

    def _node(self, node: Node) -> None:
        operator, x = node.operator, self.numbers[node.inputs[0]]
        if isinstance(operator, Conv2d):
            kind = "DEPTHWISE_CONV_2D" if operator.groups > 1 else "CONV_2D"
            options = self.schema.DepthwiseConv2DOptionsT() if operator.groups > 1 else self.schema.Conv2DOptionsT()
            shape = self.graph.tensors[node.inputs[0]].shape
            geometry = operator.shape(shape)
            options.padding = self._padding(operator, shape)
            options.strideH, options.strideW = geometry.stride
            options.dilationHFactor, options.dilationWFactor = geometry.dilation
            options.depthMultiplier = 1
            self._operator(kind, [x, *self._parameters(node)], node.name, options)
        elif isinstance(operator, FullyConnected):
            self._operator("FULLY_CONNECTED", [x, *self._parameters(node)], node.name,
                           self.schema.FullyConnectedOptionsT())
        elif isinstance(operator, Add):
            self._operator("ADD", [x, self.numbers[node.inputs[1]]], node.name, self.schema.AddOptionsT())
        elif isinstance(operator, GlobalAvgPool):
            axes = self._tensor(f"{node.name}_axes", [2], "int32", values=np.array([1, 2], np.int32))
            options = self.schema.ReducerOptionsT()
            options.keepDims = False
            self._operator("MEAN", [x, axes], node.name, options)
        else:
            raise BackendError(f"it is not given {node.kind} here")

    def finish(self) -> bytes:
        """The model's bytes."""
        for node in self.graph.nodes:
            self._node(node)
            check_limits(self.graph, node)
        self.main.inputs, self.main.outputs = [self.numbers["input"]], [self.numbers[self.graph.output]]
        builder: Any = importlib.import_module("flatbuffers").Builder(1 << 20)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


class LiteRt:
    """LiteRT; products go to XNNPACK by its own choice."""

    dtype: ClassVar[str] = "int8"

    def __init__(self) -> None:
        self._interpreter: Any = importlib.import_module("ai_edge_litert.interpreter")
        self.name = f"litert{'-u8' if self.dtype == 'uint8' else ''} {version('ai-edge-litert')}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> Prepared:
        """Build the model in memory and an interpreter for it."""
        content = _Model(graph, self.dtype).finish()
        try:
            found = self._interpreter.Interpreter(model_content=content, num_threads=threads)
            found.allocate_tensors()
            wanted = np.ascontiguousarray(x.values).view(np.uint8)
            if x.scheme.dtype != self.dtype:
                wanted = wanted ^ np.uint8(0x80)
            found.set_tensor(found.get_input_details()[0]["index"], wanted.view(self.dtype))
            found.invoke()
        except Exception as problem:  # whatever that library raises
            raise BackendError(f"litert does not run it: {str(problem).splitlines()[0][:160]}") from None
        return Prepared(found.invoke, lambda: self._result(found))

    def _result(self, found: Any) -> NDArray[np.uint8]:
        values: NDArray[Any] = np.asarray(found.get_tensor(found.get_output_details()[0]["index"]))
        return values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values


class LiteRtU8(LiteRt):
    """The same with the scheme of QNNPACK: uint8 weights with a zero point."""

    dtype: ClassVar[str] = "uint8"
