"""Other libraries, for comparison only: installed by the reader, never needed.

    onnxruntime   its operators on NHWC bytes (QLinearConv of com.microsoft), with the graph's own weights
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from neonsim.errors import BackendError
from neonsim.graph import Graph
from neonsim.graph.graph import Node
from neonsim.ops import Add, Conv2d, FullyConnected, GlobalAvgPool
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["OnnxRuntime", "Peer", "peers"]


class Peer(Protocol):
    """Another library."""

    name: str

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> Callable[[], object]:
        """A call that runs the graph once. Raises BackendError for what the library does not take."""
        ...


def peers() -> tuple[list[Peer], list[str]]:
    """Those that are installed, and a sentence for each that is not."""
    found: list[Peer] = []
    missing = []
    try:
        for module in ("onnx", "onnxruntime"):
            importlib.import_module(module)
        found.append(OnnxRuntime())
    except ImportError:
        missing.append("onnxruntime is not measured: pip install onnx onnxruntime")
    return found, missing


class OnnxRuntime:
    """ONNX Runtime on the CPU."""

    def __init__(self) -> None:
        self._onnx: Any = importlib.import_module("onnx")
        self._runtime: Any = importlib.import_module("onnxruntime")
        self.name = f"onnxruntime {self._runtime.__version__}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> Callable[[], object]:
        """Build the model in memory and open a session."""
        model = _Model(self._onnx, graph).finish()
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        try:
            session = self._runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            binding = session.io_binding()
            binding.bind_cpu_input("input", np.ascontiguousarray(x.values))
            binding.bind_output("output", "cpu")
            session.run_with_iobinding(binding)
        except Exception as problem:  # whatever that library raises
            raise BackendError(f"onnxruntime does not run it: {str(problem).splitlines()[0][:160]}") from None
        return lambda: session.run_with_iobinding(binding)


class _Model:
    """A graph as an ONNX model of quantised operators."""

    def __init__(self, onnx: Any, graph: Graph) -> None:
        self.onnx, self.graph = onnx, graph
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: Any) -> str:
        """An initialiser."""
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def scheme(self, name: str, scheme: Scheme) -> list[str]:
        """Scale and zero point as two constants."""
        return [self.constant(f"{name}_scale", np.float32(scheme.scale)),
                self.constant(f"{name}_zero", np.asarray(scheme.zero_point, scheme.dtype))]

    def finish(self) -> bytes:
        """The model's bytes."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        for node in self.graph.nodes:
            self._node(node)
        names = {self.graph.output: "output"}
        for made in self.nodes:
            made.output[:] = [names.get(o, o) for o in made.output]
        types = {"uint8": kinds.UINT8, "int8": kinds.INT8}
        ends = [helper.make_tensor_value_info(shown, types[self.graph.scheme(name).dtype],
                                              list(self.graph.tensors[name].shape))
                for name, shown in (("input", "input"), (self.graph.output, "output"))]
        built = helper.make_graph(self.nodes, "graph", ends[:1], ends[1:], self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(built, opset_imports=opsets, ir_version=8)
        return bytes(model.SerializeToString())

    def _node(self, node: Node) -> None:
        operator, out = node.operator, self.graph.tensors[node.name]
        make = self.onnx.helper.make_node
        ends = [self.scheme(f"{node.name}_{i}", self.graph.scheme(i)) for i in node.inputs]
        to = self.scheme(f"{node.name}_y", out.scheme)
        x = node.inputs[0]
        if isinstance(operator, Conv2d | FullyConnected):
            w = operator.w
            zero = np.full(np.shape(w.scale), w.zero_point, w.dtype)
            scales = [self.constant(f"{node.name}_w_scale", np.asarray(w.scale, np.float32)),
                      self.constant(f"{node.name}_w_zero", zero)]
            bias = self.constant(f"{node.name}_bias", operator.bias)
            if isinstance(operator, FullyConnected):
                weights = self.constant(f"{node.name}_w", w.values.T)
                self.nodes.append(make("QGemm", [x, *ends[0], weights, *scales, bias, *to], [node.name],
                                       domain="com.microsoft"))
                return
            shape = operator.shape(self.graph.tensors[x].shape)
            weights = self.constant(f"{node.name}_w", w.values.transpose(0, 3, 1, 2))
            (top, bottom), (left, right) = shape.padding
            self.nodes.append(make("QLinearConv", [x, *ends[0], weights, *scales, *to, bias], [node.name],
                                   domain="com.microsoft", channels_last=1, group=operator.groups,
                                   kernel_shape=list(shape.kernel), strides=list(shape.stride),
                                   dilations=list(shape.dilation), pads=[top, left, bottom, right]))
        elif isinstance(operator, Add):
            self.nodes.append(make("QLinearAdd", [x, *ends[0], node.inputs[1], *ends[1], *to], [node.name],
                                   domain="com.microsoft"))
        elif isinstance(operator, GlobalAvgPool):
            flat = f"{node.name}_flat"
            self.nodes.append(make("QLinearGlobalAveragePool", [x, *ends[0], *to], [flat], domain="com.microsoft",
                                   channels_last=1))
            wanted = self.constant(f"{node.name}_shape", np.array(out.shape, np.int64))
            self.nodes.append(make("Reshape", [flat, wanted], [node.name]))
        else:
            raise BackendError(f"onnxruntime is not given {node.kind} here.")
