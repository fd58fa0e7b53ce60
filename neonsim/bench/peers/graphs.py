"""A network of `neonsim.nn.graph.models` as files have it: by operators that other libraries have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.common.class_table import ClassTable
from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.nn.graph import Concat, Graph, Node, Reshape
from neonsim.nn.ops.arithmetics import onnxruntime
from neonsim.quant.scheme import Quantized, Scheme

from .base import as_type, centered

__all__ = ["for_onnx", "for_tflite"]


def for_onnx(graph: Graph) -> Graph:
    """Of int8, by the operators of ONNX Runtime. Raises BackendError for what it has not."""
    return _Remade(graph, "int8", {ops.Add: _single_add, ops.AvgPool2d: _single_mean,
                                   ops.GlobalAvgPool: _single_global_mean}).made


def for_tflite(graph: Graph, dtype: str) -> Graph:
    """By the operators of LiteRT: of int8, or of uint8 with the network's own uint8 weights. Raises BackendError."""
    return _Remade(graph, dtype, {ops.Add: _add, ops.GlobalAvgPool: _global_mean}).made


class _Remade:
    """The graph of another type. others: what makes operators of the kinds that libraries do not round alike."""

    def __init__(self, graph: Graph, dtype: str, others: dict[type, Callable[[_Remade, Node, Any], None]]) -> None:
        self.graph, self.dtype = graph, dtype
        self.schemes = {name: as_type(graph.scheme(name), dtype) for name in graph.tensors}
        self.made = Graph(graph.name, graph.tensors["input"].shape, self.schemes["input"])
        for node in graph.nodes:
            make = _ALIKE.but(others).find(node.operator)
            if make is None:
                raise BackendError(f"neonsim does not run {node.kind} with it")
            try:
                make(self, node, node.operator)
            except BadArgument as problem:
                raise BackendError(f"{node.name}: {problem}") from None

    def scheme(self, node: Node, which: int = 0) -> Scheme:
        """Of an input."""
        return self.schemes[node.inputs[which]]

    def add(self, node: Node, operator: Any) -> None:
        """What the node is here."""
        self.made.add_node(node.name, operator, *node.inputs)

    def limits(self, node: Node) -> dict[str, Any]:
        """Of its results."""
        moved = self.schemes[node.name].zero_point - self.graph.scheme(node.name).zero_point
        return {end: getattr(node.operator, end) + moved for end in ("output_min", "output_max")}

    def out(self, node: Node) -> dict[str, Any]:
        """Scheme and limits of its results."""
        return {"out": self.schemes[node.name], **self.limits(node)}

    def weighted(self, node: Node) -> dict[str, Any]:
        """Weights, bias, rounding and results of a product."""
        operator: Any = node.operator
        w = Quantized(*centered(operator), axis=0) if self.dtype == "int8" else operator.w
        if w.dtype != self.dtype or (self.dtype == "uint8" and np.ndim(w.scale)):
            raise BackendError("it does not support uint8 weights with one scale")
        return {"w": w, "bias": operator.bias, "requantization": "fp32", **self.out(node)}


def _conv(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.Conv2d(of.scheme(node), stride=one.stride, padding=one.padding, dilation=one.dilation,
                            groups=one.groups, **of.weighted(node)))


def _product(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.FullyConnected(of.scheme(node), **of.weighted(node)))


def _largest(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.MaxPool2d(of.scheme(node), pool=one.pool, stride=one.stride, padding=one.padding,
                               dilation=one.dilation, **of.limits(node)))


def _concat(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, Concat(of.scheme(node), one.axis))


def _shuffle(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.ChannelShuffle(of.scheme(node), groups=one.groups))


def _add(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.Add(of.scheme(node), of.scheme(node, 1), rounding="up", **of.out(node)))


def _global_mean(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.GlobalAvgPool(of.scheme(node), **of.out(node)))


def _single_add(of: _Remade, node: Node, one: Any) -> None:
    of.add(node, ops.Add(of.scheme(node), of.scheme(node, 1), rounding="onnxruntime", **of.out(node)))


def _single_mean(of: _Remade, node: Node, one: Any) -> None:
    """Outside counts as zero, the number: so it does in the mean over windows of ours."""
    shape = one.shape(of.graph.tensors[node.inputs[0]].shape)
    of.add(node, onnxruntime.OrtMean(of.scheme(node), pool=shape.kernel, out=of.schemes[node.name],
                                        stride=shape.stride, padding=shape.padding, counts_padding=True))


def _single_global_mean(of: _Remade, node: Node, one: Any) -> None:
    shape = of.graph.tensors[node.inputs[0]].shape
    image = of.made.add_node(f"{node.name} (image)", onnxruntime.OrtGlobalMean(
        of.scheme(node), out=of.schemes[node.name], image=shape[1:]), *node.inputs)
    of.made.add_node(node.name, Reshape(of.schemes[node.name], (shape[0], shape[-1])), image)


_ALIKE = ClassTable[Callable[[_Remade, Node, Any], None]]({
    ops.Conv2d: _conv, ops.FullyConnected: _product, ops.MaxPool2d: _largest, Concat: _concat,
    ops.ChannelShuffle: _shuffle})
