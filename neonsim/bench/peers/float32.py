"""Networks of float32 in other libraries, for `neonsim bench network --dtype float32 --peers`: each in the layout that
it asks for, weights packed and operators fused before, by what it chooses by itself (Winograd's algorithm too).

    name         package            how it gets the network                          its activations
    openvino     openvino, onnx     the .onnx that `neonsim.nn.formats` writes          fused by it
    onnxruntime  onnxruntime, onnx  the same                                         fused by it
    torch        torch              traced, frozen, optimised for inference          fused by it where it does
    ncnn         ncnn               its parameters as text, weights as bytes         given with the layer
    mnn          MNN                built by its Python expressions, saved, loaded   operators of their own

MNN's converter would fuse activations; it is never run here. ncnn and MNN: `neonsim.bench.peers.ncnn_mnn`; the first
two: `neonsim.bench.peers.onnx_openvino`.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.common.class_table import ClassTable
from neonsim.errors import BackendError
from neonsim.nn.graph import Concat, Graph
from neonsim.nn.graph.graph import Node
from neonsim.nn.ops.float32.operators import (
    Float32Add,
    Float32AvgPool2d,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32MaxPool2d,
)
from neonsim.ukernel.packing import ConvShape

from .base import PreparedNetwork, Reals, channels_first, channels_last, peer_error

__all__ = ["TorchFloat32", "check_supported", "even_padding", "limits_of", "sides_of", "window_of"]


def _torch_conv(torch: Any, graph: Graph, node: Node, inputs: list[Any], weights: list[Any]) -> Any:
    one: Any = node.operator
    shape, x = window_of(graph, node), inputs[0]
    top, left, bottom, right = sides_of(shape)
    if (top, left) != (bottom, right):
        x, top, left = torch.nn.functional.pad(x, (left, right, top, bottom)), 0, 0
    return torch.nn.functional.conv2d(x, *weights, shape.stride, (top, left), shape.dilation, one.groups)


def _torch_largest(torch: Any, graph: Graph, node: Node, inputs: list[Any], weights: list[Any]) -> Any:
    shape = window_of(graph, node)
    return torch.nn.functional.max_pool2d(inputs[0], shape.kernel, shape.stride, even_padding(graph, node),
                                          shape.dilation)


def _torch_average(torch: Any, graph: Graph, node: Node, inputs: list[Any], weights: list[Any]) -> Any:
    shape = window_of(graph, node)
    return torch.nn.functional.avg_pool2d(inputs[0], shape.kernel, shape.stride, even_padding(graph, node),
                                          count_include_pad=False)


# What every library is given, and how PyTorch computes it: of (torch, graph, node, inputs, weights and bias).
_TAKEN = ClassTable[Callable[[Any, Graph, Node, list[Any], list[Any]], Any]]({
    Float32Conv2d: _torch_conv, Float32MaxPool2d: _torch_largest, Float32AvgPool2d: _torch_average,
    Float32FullyConnected: lambda torch, graph, node, inputs, weights: torch.nn.functional.linear(inputs[0], *weights),
    Float32GlobalAvgPool: lambda torch, graph, node, inputs, weights: torch.flatten(
        torch.nn.functional.adaptive_avg_pool2d(inputs[0], (1, 1)), 1),
    Float32Add: lambda torch, graph, node, inputs, weights: inputs[0] + inputs[1],
    Concat: lambda torch, graph, node, inputs, weights: torch.cat(inputs, 1),
})


def check_supported(graph: Graph) -> None:
    for node in graph.nodes:
        if _TAKEN.find(node.operator) is None or getattr(node.operator, "axis", -1) != -1:
            raise BackendError(f"neonsim does not run {node.kind} with it")


def limits_of(node: Node) -> tuple[float, float] | None:
    """At which its results are cut off, if they are."""
    low, high = getattr(node.operator, "low", -np.inf), getattr(node.operator, "high", np.inf)
    return None if (low, high) == (-np.inf, np.inf) else (low, high)


def window_of(graph: Graph, node: Node) -> ConvShape:
    operator: Any = node.operator
    shape: ConvShape = operator.shape(graph.tensors[node.inputs[0]].shape)
    return shape


def sides_of(shape: ConvShape) -> tuple[int, int, int, int]:
    """Padding at the top, left, bottom, right."""
    (top, bottom), (left, right) = shape.padding
    return top, left, bottom, right


def even_padding(graph: Graph, node: Node) -> tuple[int, int]:
    """Return the padding of both sides; BackendError where they differ."""
    top, left, bottom, right = sides_of(window_of(graph, node))
    if (top, left) != (bottom, right):
        raise BackendError(f"it pads both sides equally, but {node.name} pads one side more. Use --padding even")
    return top, left


class TorchFloat32:
    """PyTorch, channels last, traced."""

    def __init__(self) -> None:
        self._torch: Any = importlib.import_module("torch")
        self.name = f"torch {self._torch.__version__}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> PreparedNetwork:
        """Trace the whole, freeze it, let it be optimised."""
        check_supported(graph)
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
            raise peer_error("torch", problem) from None
        last: list[Any] = [None]

        def run() -> None:
            with torch.no_grad():
                last[0] = traced(given)

        run()
        return PreparedNetwork(run, lambda: channels_last(last[0].contiguous().numpy()))

    def _module(self, graph: Graph) -> Any:
        torch = self._torch
        functions = torch.nn.functional

        class Net(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch is known when this runs
            """The graph; weights are parameters, which is what freezing folds."""

            def __init__(self) -> None:
                super().__init__()
                for number, node in enumerate(graph.nodes):
                    one: Any = node.operator
                    if one.product_kind:
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
                    weights = [getattr(self, f"{name}{number}", None) for name in "wb"]
                    make = _TAKEN.find(node.operator)
                    assert make is not None     # `check_supported` refuses others
                    done[node.name] = _limited(functions, node, make(torch, graph, node, inputs, weights))
                return done[graph.output]

        return Net()


def _limited(functions: Any, node: Node, x: Any) -> Any:
    limits = limits_of(node)
    if limits is None:
        return x
    return functions.relu(x) if limits == (0.0, np.inf) else functions.hardtanh(x, *limits)
