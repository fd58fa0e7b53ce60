"""ncnn and MNN on networks of float32: see `neonsim.bench.peers.float32`."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from neonsim.common.class_table import ClassTable
from neonsim.common.fileio import write_file
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

from .base import PreparedNetwork, Reals, channels_first, channels_last
from .float32 import check_supported, even_padding, limits_of, sides_of, window_of

__all__ = ["Mnn", "Ncnn"]


def _ncnn_conv(one: Any, window: Callable[[], ConvShape]) -> tuple[str, str]:
    shape = window()
    (kh, kw), (sh, sw), (dh, dw) = shape.kernel, shape.stride, shape.dilation
    top, left, bottom, right = sides_of(shape)
    return "Convolution" if one.groups == 1 else "ConvolutionDepthWise", (
        f"0={one.outputs} 1={kw} 11={kh} 2={dw} 12={dh} 3={sw} 13={sh} 4={left} 14={top} 15={right} 16={bottom} 5=1 "
        f"6={one.w.size} 7={one.groups}")


def _ncnn_pool(one: Any, window: Callable[[], ConvShape]) -> tuple[str, str]:
    shape = window()
    (kh, kw), (sh, sw) = shape.kernel, shape.stride
    top, left, bottom, right = sides_of(shape)
    return "Pooling", (f"0={int(one.mean_of == 'windows')} 1={kw} 11={kh} 2={sw} 12={sh} 3={left} 13={top} 14={right} "
                       f"15={bottom} 5=1 6=0")


# Word and numbers of an operator, of it and of its windows.
_NCNN = ClassTable[Callable[[Any, Callable[[], ConvShape]], tuple[str, str]]]({
    Float32Conv2d: _ncnn_conv, Float32MaxPool2d: _ncnn_pool, Float32AvgPool2d: _ncnn_pool,
    Float32FullyConnected: lambda one, window: ("InnerProduct", f"0={one.w.shape[0]} 1=1 2={one.w.size}"),
    Float32GlobalAvgPool: lambda one, window: ("Pooling", "0=1 4=1"),
    Float32Add: lambda one, window: ("BinaryOp", "0=0"), Concat: lambda one, window: ("Concat", "0=0"),
})


class _NcnnModel:
    """A graph as ncnn's parameters and weights. A tensor that several read is split first: each name is read once."""

    def __init__(self, graph: Graph) -> None:
        check_supported(graph)
        self.graph, self.lines, self.weights = graph, [], []    # type: ignore[var-annotated]
        self._readers = Counter(name for node in graph.nodes for name in node.inputs)
        self._names = {name: f"t{i}" for i, name in enumerate(graph.tensors)}
        self._copies: dict[str, list[str]] = {}
        self.input, self.output = self._names[graph.inputs[0]], self._names[graph.output]
        self.blobs = 0
        self._layer("Input", [], self.input)
        self._share(graph.inputs[0])
        for node in graph.nodes:
            self._node(node)
            self._share(node.name)

    def _layer(self, kind: str, inputs: list[str], output: str, numbers: str = "",
               more: list[str] | None = None) -> None:
        outputs = [output] if more is None else more
        self.blobs += len(outputs)
        self.lines.append(" ".join([kind, f"l{len(self.lines)}", str(len(inputs)), str(len(outputs)), *inputs, *outputs,
                                    numbers]).rstrip())

    def _share(self, name: str) -> None:
        count = self._readers[name]
        if count > 1:
            self._copies[name] = [f"{self._names[name]}_{i}" for i in range(count)]
            self._layer("Split", [self._names[name]], "", more=list(self._copies[name]))

    def _read(self, name: str) -> str:
        return self._copies[name].pop() if name in self._copies else self._names[name]

    def _keep(self, w: Reals, bias: Reals) -> None:
        self.weights += [b"\0\0\0\0", channels_first(w).tobytes(), bias.tobytes()]

    def _node(self, node: Node) -> None:
        operator: Any = node.operator
        limits = limits_of(node)
        inputs, output = [self._read(name) for name in node.inputs], self._names[node.name]
        fused = ""
        if operator.product_kind:
            fused = "" if limits is None else "9=1" if limits == (0.0, np.inf) else \
                f"9=3 -23310=2,{_number(limits[0])},{_number(limits[1])}"
            limits = None
        made = output if limits is None else f"{output}_before"
        words = _NCNN.find(operator)
        assert words is not None        # `check_supported` refuses others
        kind, numbers = words(operator, lambda: window_of(self.graph, node))
        self._layer(kind, inputs, made, f"{numbers} {fused}".rstrip())
        if operator.product_kind:
            self._keep(operator.w, operator.bias)
        if limits is not None:
            kind, numbers = ("ReLU", "") if limits == (0.0, np.inf) else \
                ("Clip", f"0={_number(limits[0])} 1={_number(limits[1])}")
            self._layer(kind, [made], output, numbers)

    def text(self) -> str:
        """Return the parameters."""
        return "\n".join(["7767517", f"{len(self.lines)} {self.blobs}", *self.lines, ""])


def _number(value: float) -> str:
    return f"{max(min(value, 3e38), -3e38):.8e}"


class Ncnn:
    """ncnn, weights of one model in memory."""

    def __init__(self) -> None:
        self._ncnn: Any = importlib.import_module("ncnn")
        self.name = f"ncnn {version('ncnn')}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> PreparedNetwork:
        """Load it; input and result are its own matrices."""
        ncnn, model = self._ncnn, _NcnnModel(graph)
        if x.shape[0] != 1:
            raise BackendError("ncnn runs one image or one row at a time")
        net = ncnn.Net()
        net.opt.num_threads = threads
        net.opt.use_vulkan_compute = False
        for option in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage"):
            setattr(net.opt, f"use_{option}", False)
        with tempfile.TemporaryDirectory() as folder:
            parts = os.path.join(folder, "net.param"), os.path.join(folder, "net.bin")
            write_file(parts[0], model.text())
            write_file(parts[1], b"".join(model.weights))
            if net.load_param(parts[0]) != 0 or net.load_model(parts[1]) != 0:
                raise BackendError("ncnn cannot load it")
        image = channels_first(x)[0]    # the matrix of it does not keep it
        given = ncnn.Mat(image).clone()
        last: list[Any] = [None]

        def run() -> None:
            extractor = net.create_extractor()
            extractor.input(model.input, given)
            _, last[0] = extractor.extract(model.output)

        run()
        return PreparedNetwork(run, lambda: channels_last(np.array(last[0])[np.newaxis]))


class Mnn:
    """MNN: its expressions build the network, which it saves and loads as one of its own."""

    def __init__(self) -> None:
        self._mnn: Any = importlib.import_module("MNN")
        self._f: Any = importlib.import_module("MNN.expr")
        self._nn: Any = importlib.import_module("MNN.nn")
        self.name = f"mnn {version('MNN')}"

    def prepare(self, graph: Graph, x: Reals, threads: int) -> PreparedNetwork:
        """Build, save, load, open a session: it chooses its algorithms then."""
        self._held: list[Reals] = []
        check_supported(graph)
        mnn, f = self._mnn, self._f
        first = channels_first(x)
        tensors = {graph.inputs[0]: f.placeholder(list(first.shape), f.NCHW)}
        tensors[graph.inputs[0]].name = "given"
        if first.ndim == 4:
            tensors[graph.inputs[0]] = f.convert(tensors[graph.inputs[0]], f.NC4HW4)
        for node in graph.nodes:
            tensors[node.name] = self._node(graph, node, [tensors[name] for name in node.inputs])
        result = tensors[graph.output]
        if len(graph.tensors[graph.output].shape) == 4:
            result = f.convert(result, f.NCHW)
        result.name = "result"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.mnn")
            f.save([result], path)
            net = mnn.Interpreter(path)
        self._held = []
        session = net.createSession({"backend": "CPU", "numThread": threads, "precision": "high"})
        given = net.getSessionInput(session)
        kind, order = mnn.Halide_Type_Float, mnn.Tensor_DimensionType_Caffe
        image = mnn.Tensor(tuple(first.shape), kind, first, order)

        def read() -> Reals:
            given.copyFrom(image)       # the run before has used its memory for other tensors
            net.runSession(session)
            found = net.getSessionOutput(session)
            shape = tuple(found.getShape())
            host = mnn.Tensor(shape, kind, np.zeros(shape, np.float32), order)
            found.copyToHostTensor(host)
            return channels_last(np.array(host.getNumpyData(), np.float32).reshape(shape))

        read()
        return PreparedNetwork(lambda: net.runSession(session), read)

    def _node(self, graph: Graph, node: Node, inputs: list[Any]) -> Any:
        f, limits, make = self._f, limits_of(node), _MNN.find(node.operator)
        assert make is not None     # `check_supported` refuses others
        made = make(self, graph, node, node.operator, inputs)
        return made if limits is None else f.relu(made) if limits == (0.0, np.inf) else \
            f.relu6(made, max(limits[0], -3e38), min(limits[1], 3e38))

    def _rows(self, graph: Graph, node: Node, operator: Float32FullyConnected, inputs: list[Any]) -> Any:
        f = self._f
        rows = f.convert(f.reshape(inputs[0], [-1, operator.w.shape[1], 1, 1]), f.NC4HW4)
        conv = self._nn.conv(operator.w.shape[1], operator.w.shape[0], [1, 1])
        self._give(conv, operator.w[:, np.newaxis, np.newaxis], operator.bias)
        return f.reshape(f.convert(conv.forward(rows), f.NCHW), [-1, operator.w.shape[0]])

    def _largest(self, graph: Graph, node: Node, operator: Float32MaxPool2d, inputs: list[Any]) -> Any:
        f, shape, x = self._f, window_of(graph, node), inputs[0]
        if any(one != 1 for one in shape.dilation):
            raise BackendError("mnn has no dilated max pooling")
        # Its own padding rounds sizes up: zeros instead, below which nothing lies behind a ReLU.
        top, left, bottom, right = sides_of(shape)
        if any((top, left, bottom, right)):
            if getattr(graph.node(node.inputs[0]).operator, "low", -np.inf) < 0:
                raise BackendError(f"mnn pads {node.name} with zeros, which changes its maxima")
            edges = [[0, 0], [0, 0], [top, bottom], [left, right]]
            x = f.pad(x, f.const(np.array(edges, np.int32), [4, 2], f.NCHW, f.int), f.CONSTANT)
        return f.max_pool(x, list(shape.kernel)[::-1], list(shape.stride)[::-1])

    def _average(self, graph: Graph, node: Node, operator: Float32AvgPool2d, inputs: list[Any]) -> Any:
        f, shape = self._f, window_of(graph, node)
        if not _is_same(graph, node, shape):
            raise BackendError(f"mnn runs average pooling only with its padding SAME, unlike {node.name}")
        return f.avg_pool(inputs[0], list(shape.kernel)[::-1], list(shape.stride)[::-1], f.SAME)

    def _mean(self, graph: Graph, node: Node, operator: Float32GlobalAvgPool, inputs: list[Any]) -> Any:
        f, (_, height, width, channels) = self._f, graph.tensors[node.inputs[0]].shape
        mean = f.avg_pool(inputs[0], [width, height], [1, 1])
        return f.reshape(f.convert(mean, f.NCHW), [-1, channels])

    def _give(self, conv: Any, w: Reals, bias: Reals) -> None:
        f, whole = self._f, channels_first(w)
        self._held += [whole, bias]     # its constants do not keep the arrays that they are of
        conv.load_parameters([f.const(bias, [bias.size], f.NCHW), f.const(whole, list(whole.shape), f.NCHW)])
        conv.train(False)

    def _conv(self, graph: Graph, node: Node, operator: Float32Conv2d, inputs: list[Any]) -> Any:
        f, shape = self._f, window_of(graph, node)
        if operator.groups > 1 and not operator.is_depthwise:
            raise BackendError("mnn's Python modules have no grouped convolutions")
        same = _is_same(graph, node, shape)
        padding = (0, 0) if same else even_padding(graph, node)[::-1]
        channels = graph.tensors[node.inputs[0]].shape[-1]
        conv = self._nn.conv(channels, operator.outputs, list(shape.kernel)[::-1], list(shape.stride)[::-1],
                             list(padding), list(shape.dilation)[::-1], operator.is_depthwise, True,
                             f.SAME if same else f.CAFFE)
        self._give(conv, operator.w, operator.bias)
        return conv.forward(inputs[0])


# How it computes what it is given: of (the library, graph, node, operator, inputs).
_MNN = ClassTable[Callable[[Any, Graph, Node, Any, list[Any]], Any]]({
    Float32Conv2d: Mnn._conv, Float32FullyConnected: Mnn._rows, Float32MaxPool2d: Mnn._largest,
    Float32AvgPool2d: Mnn._average, Float32GlobalAvgPool: Mnn._mean,
    Float32Add: lambda mnn, graph, node, operator, inputs: mnn._f.add(inputs[0], inputs[1]),
    Concat: lambda mnn, graph, node, operator, inputs: mnn._f.concat(inputs, 1),
})


def _is_same(graph: Graph, node: Node, shape: ConvShape) -> bool:
    """Whether windows are padded by the rule "SAME", under which sizes are those of the image divided by the stride."""
    sizes = graph.tensors[node.inputs[0]].shape[1:3]
    every = all(out == -(-size // stride) for out, size, stride in zip(shape.output, sizes, shape.stride, strict=True))
    return every and sides_of(shape) == _of_tensorflow(graph, node, shape)


def _of_tensorflow(graph: Graph, node: Node, shape: ConvShape) -> tuple[int, int, int, int]:
    """The padding that its rule "SAME" gives: the odd one at the bottom and to the right."""
    height, width = graph.tensors[node.inputs[0]].shape[1:3]
    sides = []
    for size, out, kernel, stride, dilation in zip((height, width), shape.output, shape.kernel, shape.stride,
                                                   shape.dilation, strict=True):
        whole = max((out - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
        sides.append((whole // 2, whole - whole // 2))
    return sides[0][0], sides[1][0], sides[0][1], sides[1][1]
