"""Networks of float32 in other libraries, for `neonsim bench network --dtype float32 --peers`: each in the layout that
it asks for, weights packed and operators fused before, by what it chooses by itself (Winograd's algorithm too).

    name         package            how it gets the network                          its activations
    openvino     openvino, onnx     an ONNX model in memory                          fused by it
    onnxruntime  onnxruntime, onnx  the same                                         fused by it
    torch        torch              traced, frozen, optimised for inference          fused by it where it does
    ncnn         ncnn               its parameters as text, weights as bytes         given with the layer
    mnn          MNN                built by its Python expressions, saved, loaded   operators of their own

MNN's converter would fuse activations; it is never run here. ncnn and MNN: `neonsim.cli.peers_mobile`.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.graph import Concat, Graph
from neonsim.graph.graph import Node
from neonsim.ops.floating import (
    RealAdd,
    RealAvgPool2d,
    RealConv2d,
    RealFullyConnected,
    RealGlobalAvgPool,
    RealMaxPool2d,
)
from neonsim.packing import ConvShape

from .peers import Prepared

__all__ = ["RealOnnxRuntime", "RealOpenVino", "RealTorch", "Reals", "channels_first", "channels_last", "check_taken",
           "even_padding", "limits_of", "sides_of", "window_of"]

_TAKEN = (RealConv2d, RealFullyConnected, RealAdd, RealGlobalAvgPool, RealMaxPool2d, RealAvgPool2d, Concat)
Reals = NDArray[np.float32]


def check_taken(graph: Graph) -> None:
    for node in graph.nodes:
        if not isinstance(node.operator, _TAKEN) or (isinstance(node.operator, Concat) and node.operator.axis != -1):
            raise BackendError(f"it is not given {node.kind} here")


def limits_of(node: Node) -> tuple[float, float] | None:
    """At which its results are cut off, if they are."""
    low, high = getattr(node.operator, "low", -np.inf), getattr(node.operator, "high", np.inf)
    return None if (low, high) == (-np.inf, np.inf) else (low, high)


def window_of(graph: Graph, node: Node) -> ConvShape:
    assert isinstance(node.operator, RealConv2d | RealMaxPool2d | RealAvgPool2d)
    return node.operator.shape(graph.tensors[node.inputs[0]].shape)


def sides_of(shape: ConvShape) -> tuple[int, int, int, int]:
    """Padding at the top, left, bottom, right."""
    (top, bottom), (left, right) = shape.padding
    return top, left, bottom, right


def even_padding(graph: Graph, node: Node) -> tuple[int, int]:
    """The padding of both sides; BackendError where they differ."""
    top, left, bottom, right = sides_of(window_of(graph, node))
    if (top, left) != (bottom, right):
        raise BackendError(f"it pads both sides alike, and {node.name} one side more: take --padding even")
    return top, left


def channels_first(values: Reals) -> Reals:
    """Channels first."""
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if values.ndim == 4 else values


def channels_last(values: Any) -> Reals:
    """Channels last."""
    found: Reals = np.asarray(values, np.float32)
    return found.transpose(0, 2, 3, 1) if found.ndim == 4 else found


def said(library: str, problem: Exception) -> BackendError:
    return BackendError(f"{library} does not run it: {str(problem).splitlines()[0][:160]}")


class _Onnx:
    """A graph as an ONNX model, channels first."""

    def __init__(self, graph: Graph) -> None:
        check_taken(graph)
        self.onnx: Any = importlib.import_module("onnx")
        self.graph, self.nodes, self.constants = graph, [], []      # type: ignore[var-annotated]
        for node in graph.nodes:
            self._node(node)

    def _make(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def _constant(self, name: str, values: Any) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(values, np.float32, order="C"), name))
        return name

    def _node(self, node: Node) -> None:
        operator, name, inputs, limits = node.operator, node.name, list(node.inputs), limits_of(node)
        made = name if limits is None else f"{name}_before"
        if isinstance(operator, RealConv2d | RealMaxPool2d | RealAvgPool2d):
            shape = window_of(self.graph, node)
            window = {"kernel_shape": list(shape.kernel), "strides": list(shape.stride), "pads": list(sides_of(shape)),
                      "dilations": list(shape.dilation)}
            if isinstance(operator, RealConv2d):
                inputs += [self._constant(f"{name}_w", channels_first(operator.w)),
                           self._constant(f"{name}_b", operator.bias)]
                self._make("Conv", inputs, made, group=operator.groups, **window)
            elif isinstance(operator, RealMaxPool2d):
                self._make("MaxPool", inputs, made, **window)
            else:
                del window["dilations"]     # it has none, and this version of the operator no word for them
                self._make("AveragePool", inputs, made, **window)
        elif isinstance(operator, RealFullyConnected):
            inputs += [self._constant(f"{name}_w", operator.w), self._constant(f"{name}_b", operator.bias)]
            self._make("Gemm", inputs, made, transB=1)
        elif isinstance(operator, RealGlobalAvgPool):
            self._make("Flatten", [self._make("GlobalAveragePool", inputs, f"{name}_image")], made)
        elif isinstance(operator, RealAdd):
            self._make("Add", inputs, made)
        else:
            self._make("Concat", inputs, made, axis=1)
        if limits == (0.0, np.inf):
            self._make("Relu", [made], name)
        elif limits is not None:
            ends = [self._constant(f"{name}_{end}", value) if np.isfinite(value) else ""
                    for end, value in zip(("low", "high"), limits, strict=True)]
            self._make("Clip", [made, *ends], name)

    def finish(self) -> bytes:
        """The model's bytes."""
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT
        ends = []
        for name in (*self.graph.inputs, *self.graph.outputs):
            shape = self.graph.tensors[name].shape
            ends.append(helper.make_tensor_value_info(
                name, kind, [shape[0], shape[3], *shape[1:3]] if len(shape) == 4 else list(shape)))
        built = helper.make_graph(self.nodes, "graph", ends[:1], ends[1:], self.constants)
        return bytes(helper.make_model(built, opset_imports=[helper.make_opsetid("", 17)],
                                       ir_version=8).SerializeToString())


class RealOnnxRuntime:
    """ONNX Runtime on the CPU."""

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module("onnxruntime")
        self.name = f"onnxruntime {self._runtime.__version__}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> Prepared:
        """Build the model in memory and open a session; input and output stay where they are."""
        model = _Onnx(graph).finish()
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        try:
            session = self._runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            binding = session.io_binding()
            given = self._runtime.OrtValue.ortvalue_from_numpy(channels_first(x))
            binding.bind_ortvalue_input(graph.inputs[0], given)
            binding.bind_output(graph.output)
            session.run_with_iobinding(binding)
        except Exception as problem:  # whatever that library raises
            raise said("onnxruntime", problem) from None
        return Prepared(lambda: session.run_with_iobinding(binding),
                        lambda: channels_last(binding.copy_outputs_to_cpu()[0]))


class RealOpenVino:
    """OpenVINO's CPU plug-in, told to stay with float32."""

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module("openvino")
        self.name = f"openvino {self._runtime.__version__.split('-')[0]}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> Prepared:
        """Compile the model for low latency."""
        model = _Onnx(graph).finish()
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
                   "INFERENCE_PRECISION_HINT": "f32"}
        try:
            core = self._runtime.Core()
            request = core.compile_model(core.read_model(model, b""), "CPU", options).create_infer_request()
            request.get_input_tensor(0).data[...] = channels_first(x)
            request.infer(share_outputs=True)
        except Exception as problem:  # whatever that library raises
            raise said("openvino", problem) from None
        return Prepared(lambda: request.infer(share_outputs=True),
                        lambda: channels_last(np.array(request.get_output_tensor(0).data)))


class RealTorch:
    """PyTorch, channels last, traced."""

    def __init__(self) -> None:
        self._torch: Any = importlib.import_module("torch")
        self.name = f"torch {self._torch.__version__}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> Prepared:
        """Trace the whole, freeze it, let it be optimised."""
        check_taken(graph)
        torch = self._torch
        torch.set_num_threads(threads)
        try:
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")     # of parts of PyTorch that are to go one day
                given = torch.from_numpy(channels_first(x))
                if given.dim() == 4:
                    given = given.contiguous(memory_format=torch.channels_last)
                frozen = torch.jit.freeze(torch.jit.trace(self._module(graph).eval(), given, check_trace=False))
                traced = torch.jit.optimize_for_inference(frozen)
                for _ in range(3):      # the first runs optimise
                    traced(given)
        except BackendError:
            raise
        except Exception as problem:  # whatever that library raises
            raise said("torch", problem) from None
        last: list[Any] = [None]

        def run() -> None:
            with torch.no_grad():
                last[0] = traced(given)

        run()
        return Prepared(run, lambda: channels_last(last[0].contiguous().numpy()))

    def _module(self, graph: Graph) -> Any:
        torch = self._torch
        functions = torch.nn.functional

        class Net(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch is known when this runs
            """The graph; weights are parameters, which is what freezing folds."""

            def __init__(self) -> None:
                super().__init__()
                for number, node in enumerate(graph.nodes):
                    one = node.operator
                    if isinstance(one, RealConv2d | RealFullyConnected):
                        w = torch.from_numpy(channels_first(one.w).copy())
                        if w.dim() == 4:
                            w = w.contiguous(memory_format=torch.channels_last)
                        setattr(self, f"w{number}", torch.nn.Parameter(w, requires_grad=False))
                        setattr(self, f"b{number}", torch.nn.Parameter(torch.from_numpy(one.bias.copy()),
                                                                       requires_grad=False))

            def forward(self, x: Any) -> Any:
                done = {graph.inputs[0]: x}
                for number, node in enumerate(graph.nodes):
                    inputs = [done[name] for name in node.inputs]
                    done[node.name] = _limited(functions, node, self._one(number, node, inputs))
                return done[graph.output]

            def _one(self, number: int, node: Node, inputs: list[Any]) -> Any:
                one, w, bias = node.operator, getattr(self, f"w{number}", None), getattr(self, f"b{number}", None)
                if isinstance(one, RealConv2d):
                    shape, x = window_of(graph, node), inputs[0]
                    top, left, bottom, right = sides_of(shape)
                    if (top, left) != (bottom, right):
                        x, top, left = functions.pad(x, (left, right, top, bottom)), 0, 0
                    return functions.conv2d(x, w, bias, shape.stride, (top, left), shape.dilation, one.groups)
                if isinstance(one, RealFullyConnected):
                    return functions.linear(inputs[0], w, bias)
                if isinstance(one, RealMaxPool2d):
                    shape = window_of(graph, node)
                    return functions.max_pool2d(inputs[0], shape.kernel, shape.stride, even_padding(graph, node),
                                                shape.dilation)
                if isinstance(one, RealAvgPool2d):
                    shape = window_of(graph, node)
                    return functions.avg_pool2d(inputs[0], shape.kernel, shape.stride, even_padding(graph, node),
                                                count_include_pad=False)
                if isinstance(one, RealGlobalAvgPool):
                    return torch.flatten(functions.adaptive_avg_pool2d(inputs[0], (1, 1)), 1)
                return inputs[0] + inputs[1] if isinstance(one, RealAdd) else torch.cat(inputs, 1)

        return Net()


def _limited(functions: Any, node: Node, x: Any) -> Any:
    limits = limits_of(node)
    if limits is None:
        return x
    return functions.relu(x) if limits == (0.0, np.inf) else functions.hardtanh(x, *limits)
