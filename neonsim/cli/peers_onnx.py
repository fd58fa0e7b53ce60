"""ONNX Runtime and OpenVINO: models in memory, the one of quantised operators, the other of float ones between
quantisations."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.graph import Concat, Graph
from neonsim.graph.graph import Node
from neonsim.ops import Add, AvgPool2d, ChannelShuffle, Conv2d, FullyConnected, GlobalAvgPool, MaxPool2d
from neonsim.quant.scheme import Quantized, Scheme

from .peers import Prepared, as_type, centred, check_limits

__all__ = ["OnnxRuntime", "OpenVino"]


def _shifted(values: NDArray[Any]) -> NDArray[np.uint8]:
    """int8 with 128 added, uint8 as it is."""
    return values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values


def _of_type(x: Quantized, scheme: Scheme) -> NDArray[Any]:
    """The numbers of an input in the type that a peer takes."""
    unsigned = _shifted(np.ascontiguousarray(x.values))
    return unsigned if scheme.dtype == "uint8" else (unsigned ^ np.uint8(0x80)).view(np.int8)


_TAKEN = (Conv2d, FullyConnected, Add, GlobalAvgPool, AvgPool2d, MaxPool2d, Concat, ChannelShuffle)


class _Model(ABC):
    """A graph as an ONNX model. channels: which axis of an image they are."""

    channels: ClassVar[int]

    def __init__(self, graph: Graph) -> None:
        self.onnx: Any = importlib.import_module("onnx")
        self.graph = graph
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.input, self.output = "input", graph.output

    @abstractmethod
    def scheme(self, tensor: str) -> Scheme:
        """The scheme a tensor has in the model."""

    @abstractmethod
    def shape(self, tensor: str) -> list[int]:
        """Its shape there."""

    @abstractmethod
    def node(self, node: Node) -> None:
        """Append what computes a node."""

    def make(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Append an ONNX node."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, values: Any) -> str:
        """An initialiser."""
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def scheme_of(self, name: str, tensor: str) -> list[str]:
        """Scale and zero point of a tensor as two constants."""
        scheme = self.scheme(tensor)
        return [self.constant(f"{name}_scale", np.float32(scheme.scale)),
                self.constant(f"{name}_zero", np.asarray(scheme.zero_point, scheme.dtype))]

    def weights(self, node: Node, order: tuple[int, ...]) -> list[str]:
        """Weights in an order of axes, their scales, their zero points."""
        assert isinstance(node.operator, Conv2d | FullyConnected)
        values, scales = centred(node.operator)
        return [self.constant(f"{node.name}_w", values.transpose(order)), self.constant(f"{node.name}_w_scale", scales),
                self.constant(f"{node.name}_w_zero", np.zeros(scales.size, np.int8))]

    def window(self, node: Node) -> dict[str, Any]:
        """Attributes of a convolution."""
        operator = node.operator
        assert isinstance(operator, Conv2d | MaxPool2d | AvgPool2d)
        shape = operator.shape(self.graph.tensors[node.inputs[0]].shape)
        (top, bottom), (left, right) = shape.padding
        found = {"kernel_shape": list(shape.kernel), "strides": list(shape.stride), "pads": [top, left, bottom, right]}
        if isinstance(operator, Conv2d):
            return {"group": operator.groups, "dilations": list(shape.dilation), **found}
        # Outside counts as zero, the number: so it does in the mean over windows of ours.
        return {"count_include_pad": 1, **found} if isinstance(operator, AvgPool2d) else found

    def shuffle(self, node: Node, x: str, to: str) -> str:
        """Channels dealt out: as a matrix, turned."""
        operator, shape, at = node.operator, self.shape(node.name), self.channels
        assert isinstance(operator, ChannelShuffle)
        dealt = [*shape[:at], operator.groups, shape[at] // operator.groups, *shape[at + 1:]]
        axes = list(range(len(dealt)))
        axes[at], axes[at + 1] = at + 1, at
        sizes = self.constant(f"{node.name}_dealt", np.array(dealt, np.int64))
        made = self.make("Transpose", [self.make("Reshape", [x, sizes], f"{node.name}_m")], f"{node.name}_t", perm=axes)
        return self.make("Reshape", [made, self.constant(f"{node.name}_shape", np.array(shape, np.int64))], to)

    def finish(self) -> bytes:
        """The model's bytes."""
        for node in self.graph.nodes:
            operator = node.operator
            if not isinstance(operator, _TAKEN) or (isinstance(operator, Concat) and operator.axis != -1):
                raise BackendError(f"it is not given {node.kind} here")
            if not isinstance(operator, Concat | ChannelShuffle):
                check_limits(self.graph, node)
            self.node(node)
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        types = {"uint8": kinds.UINT8, "int8": kinds.INT8}
        ends = [helper.make_tensor_value_info(shown, types[self.scheme(name).dtype], self.shape(name))
                for shown, name in ((self.input, "input"), (self.output, self.graph.output))]
        read = {name for node in self.nodes for name in node.input}
        constants = [one for one in self.constants if one.name in read]     # ONNX Runtime warns of others
        built = helper.make_graph(self.nodes, "graph", ends[:1], ends[1:], constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return bytes(helper.make_model(built, opset_imports=opsets, ir_version=8).SerializeToString())


class _Operators(_Model):
    """Quantised operators, channels last, all activations uint8: what ONNX Runtime has x86 kernels for."""

    channels = 3

    def scheme(self, tensor: str) -> Scheme:
        return as_type(self.graph.scheme(tensor), "uint8")

    def shape(self, tensor: str) -> list[int]:
        return list(self.graph.tensors[tensor].shape)

    def node(self, node: Node) -> None:
        operator, name, x = node.operator, node.name, node.inputs[0]
        ends = [self.scheme_of(f"{name}_{i}", i) for i in node.inputs]
        to = self.scheme_of(f"{name}_y", name)
        extra: dict[str, Any] = {"domain": "com.microsoft"}
        if isinstance(operator, FullyConnected):
            bias = self.constant(f"{name}_bias", operator.bias)
            self.make("QGemm", [x, *ends[0], *self.weights(node, (1, 0)), bias, *to], name, **extra)
        elif isinstance(operator, Conv2d):
            bias = self.constant(f"{name}_bias", operator.bias)
            self.make("QLinearConv", [x, *ends[0], *self.weights(node, (0, 3, 1, 2)), *to, bias], name, channels_last=1,
                      **self.window(node), **extra)
        elif isinstance(operator, Add):
            self.make("QLinearAdd", [x, *ends[0], node.inputs[1], *ends[1], *to], name, **extra)
        elif isinstance(operator, MaxPool2d):
            self.make("NhwcMaxPool", [x], name, **self.window(node), **extra)
        elif isinstance(operator, AvgPool2d):
            self.make("QLinearAveragePool", [x, *ends[0], *to], name, channels_last=1, **self.window(node), **extra)
        elif isinstance(operator, Concat):
            self.make("Concat", list(node.inputs), name, axis=self.channels)
        elif isinstance(operator, ChannelShuffle):
            self.shuffle(node, x, name)
        else:
            flat = self.make("QLinearGlobalAveragePool", [x, *ends[0], *to], f"{name}_flat", channels_last=1, **extra)
            shape = self.constant(f"{name}_shape", np.array(self.shape(name), np.int64))
            self.make("Reshape", [flat, shape], name)


class _Pairs(_Model):
    """Float operators between quantisations, channels first: what OpenVINO makes integer kernels of.

    Tensors with zero point 0 as uint8, which is what follows a ReLU, are uint8, the others int8.
    """

    channels = 1

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.output = f"{graph.output}_q"
        self.make("DequantizeLinear", [self.input, *self.scheme_of("x", "input")], "input_f")

    def scheme(self, tensor: str) -> Scheme:
        unsigned = as_type(self.graph.scheme(tensor), "uint8")
        return unsigned if unsigned.zero_point == 0 else as_type(unsigned, "int8")

    def shape(self, tensor: str) -> list[int]:
        shape = self.graph.tensors[tensor].shape
        return [shape[0], shape[3], shape[1], shape[2]] if len(shape) == 4 else list(shape)

    def _parameters(self, node: Node, order: tuple[int, ...]) -> list[str]:
        assert isinstance(node.operator, Conv2d | FullyConnected)
        name = node.name
        weights = self.weights(node, order)
        scales = centred(node.operator)[1] * np.float32(self.scheme(node.inputs[0]).scale)
        bias = [self.constant(f"{name}_b", node.operator.bias), self.constant(f"{name}_b_scale", scales),
                self.constant(f"{name}_b_zero", np.zeros(scales.size, np.int32))]
        return [self.make("DequantizeLinear", weights, f"{name}_wf", axis=0),
                self.make("DequantizeLinear", bias, f"{name}_bf", axis=0)]

    def node(self, node: Node) -> None:
        operator, name, x = node.operator, node.name, f"{node.inputs[0]}_f"
        if isinstance(operator, FullyConnected):
            last = self.make("Gemm", [x, *self._parameters(node, (0, 1))], f"{name}_c", transB=1)
        elif isinstance(operator, Conv2d):
            last = self.make("Conv", [x, *self._parameters(node, (0, 3, 1, 2))], f"{name}_c", **self.window(node))
        elif isinstance(operator, Add):
            last = self.make("Add", [x, f"{node.inputs[1]}_f"], f"{name}_c")
        elif isinstance(operator, MaxPool2d | AvgPool2d):
            kind = "MaxPool" if isinstance(operator, MaxPool2d) else "AveragePool"
            last = self.make(kind, [x], f"{name}_c", **self.window(node))
        elif isinstance(operator, Concat):
            last = self.make("Concat", [f"{i}_f" for i in node.inputs], f"{name}_c", axis=self.channels)
        elif isinstance(operator, ChannelShuffle):
            last = self.shuffle(node, x, f"{name}_c")
        else:
            last = self.make("Flatten", [self.make("GlobalAveragePool", [x], f"{name}_p")], f"{name}_c")
        if self.scheme(name).dtype == "uint8":
            last = self.make("Relu", [last], f"{name}_r")       # what quantising does anyway; its rules look for one
        to = self.scheme_of(name, name)
        quantized = self.make("QuantizeLinear", [last, *to], f"{name}_q")
        if name != self.graph.output:
            self.make("DequantizeLinear", [quantized, *to], f"{name}_f")


class OnnxRuntime:
    """ONNX Runtime on the CPU."""

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module("onnxruntime")
        self.name = f"onnxruntime {self._runtime.__version__}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> Prepared:
        """Build the model in memory and open a session; input and output stay where they are."""
        model = _Operators(graph)
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        built = model.finish()
        try:
            session = self._runtime.InferenceSession(built, options, providers=["CPUExecutionProvider"])
            binding = session.io_binding()
            given = self._runtime.OrtValue.ortvalue_from_numpy(_of_type(x, model.scheme("input")))
            out = self._runtime.OrtValue.ortvalue_from_numpy(np.zeros(model.shape(graph.output), np.uint8))
            binding.bind_ortvalue_input("input", given)
            binding.bind_ortvalue_output(model.output, out)
            session.run_with_iobinding(binding)
        except Exception as problem:  # whatever that library raises
            raise BackendError(f"onnxruntime does not run it: {str(problem).splitlines()[0][:160]}") from None
        return Prepared(lambda: session.run_with_iobinding(binding), out.numpy)


class OpenVino:
    """OpenVINO's CPU plug-in."""

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module("openvino")
        self.name = f"openvino {self._runtime.__version__.split('-')[0]}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> Prepared:
        """Compile the model for low latency."""
        model = _Pairs(graph)
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        built = model.finish()
        try:
            core = self._runtime.Core()
            request = core.compile_model(core.read_model(built, b""), "CPU", options).create_infer_request()
            values = _of_type(x, model.scheme("input"))
            request.get_input_tensor(0).data[...] = values.transpose(0, 3, 1, 2) if values.ndim == 4 else values
            request.infer(share_outputs=True)
        except Exception as problem:  # whatever that library raises
            raise BackendError(f"openvino does not run it: {str(problem).splitlines()[0][:160]}") from None
        return Prepared(lambda: request.infer(share_outputs=True), lambda: self._result(request))

    def _result(self, request: Any) -> NDArray[np.uint8]:
        values = _shifted(np.array(request.get_output_tensor(0).data))
        return values.transpose(0, 2, 3, 1) if values.ndim == 4 else values
