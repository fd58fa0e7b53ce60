"""Operators on float32 as words of `.tflite`, for `neonsim.formats.write_tflite`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.graph import Node
from neonsim.ops import floating
from neonsim.packing import ConvShape

if TYPE_CHECKING:
    from neonsim.formats.write_tflite import Writer

__all__ = ["REALS"]

_ACTIVATIONS = {(-np.inf, np.inf): "NONE", (0.0, np.inf): "RELU", (0.0, 6.0): "RELU6", (-1.0, 1.0): "RELU_N1_TO_1"}


def _activation(of: Writer, node: Node) -> str:
    low, high = getattr(node.operator, "low", -np.inf), getattr(node.operator, "high", np.inf)
    if (low, high) not in _ACTIVATIONS:
        raise of.refuse(node, f"limits of {low:g} to {high:g} are no activation of .tflite, which has RELU, RELU6 and "
                              "RELU_N1_TO_1.")
    return _ACTIVATIONS[low, high]


def _fused(of: Writer, node: Node) -> dict[str, Any]:
    return {"FusedActivationFunction": getattr(of.schema.ActivationFunctionType, _activation(of, node))}


def _source(of: Writer, node: Node) -> int:
    return of.numbers[node.inputs[0]]


def _weights(of: Writer, node: Node, values: NDArray[Any]) -> list[int]:
    operator: Any = node.operator
    return [of.constant(f"{node.name} (weights)", np.ascontiguousarray(values)),
            of.constant(f"{node.name} (bias)", operator.bias)]


def _conv(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, floating.RealConv2d)
    shape = operator.shape(of.graph.tensors[node.inputs[0]].shape)
    source, fields = of.window(node, shape)
    fields |= {"DilationHFactor": shape.dilation[0], "DilationWFactor": shape.dilation[1], **_fused(of, node)}
    if operator.groups > 1 and operator.depth == 1:
        of.add(node, "DEPTHWISE_CONV_2D", (source, *_weights(of, node, operator.w.transpose(3, 1, 2, 0))),
               "DepthwiseConv2DOptions", DepthMultiplier=operator.outputs // operator.groups, **fields)
        return
    of.add(node, "CONV_2D", (source, *_weights(of, node, operator.w)), "Conv2DOptions", **fields)


def _fully_connected(of: Writer, node: Node) -> None:
    operator = node.operator
    assert isinstance(operator, floating.RealFullyConnected)
    rank = len(of.graph.tensors[node.inputs[0]].shape)
    of.add(node, "FULLY_CONNECTED", (_source(of, node), *_weights(of, node, operator.w)), "FullyConnectedOptions",
           KeepNumDims=rank > 2, **_fused(of, node))


def _add(of: Writer, node: Node) -> None:
    of.add(node, "ADD", [of.numbers[name] for name in node.inputs], "AddOptions", **_fused(of, node))


def _clamp(of: Writer, node: Node) -> None:
    word = _activation(of, node)
    if word == "NONE":
        raise of.refuse(node, "it limits nothing.")
    of.add(node, word, (_source(of, node),))


def _leaky_relu(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, floating.RealLeakyRelu)
    of.add(node, "LEAKY_RELU", (_source(of, node),), "LeakyReluOptions", Alpha=node.operator.slope)


def _softmax(of: Writer, node: Node) -> None:
    assert isinstance(node.operator, floating.RealSoftmax)
    of.add(node, "SOFTMAX", (_source(of, node),), "SoftmaxOptions", Beta=node.operator.beta)


def _pool(word: str) -> Callable[[Writer, Node], None]:
    def write(of: Writer, node: Node) -> None:
        operator = node.operator
        assert isinstance(operator, floating.RealMaxPool2d | floating.RealAvgPool2d)
        shape: ConvShape = operator.shape(of.graph.tensors[node.inputs[0]].shape)
        source, fields = of.window(node, shape)
        if source != _source(of, node) or shape.dilation != (1, 1):
            raise of.refuse(node, "pooling of .tflite has padding SAME or VALID, and no dilation.")
        of.add(node, word, (source,), "Pool2DOptions", FilterHeight=shape.kernel[0], FilterWidth=shape.kernel[1],
               **fields, **_fused(of, node))
    return write


def _mean(of: Writer, node: Node) -> None:
    axes = of.constant(f"{node.name} (axes)", np.arange(1, 3, dtype=np.int32))
    of.add(node, "MEAN", (_source(of, node), axes), "ReducerOptions", KeepDims=False)


REALS: dict[type, Callable[[Writer, Node], None]] = {
    floating.RealConv2d: _conv, floating.RealFullyConnected: _fully_connected, floating.RealAdd: _add,
    floating.RealClamp: _clamp, floating.RealLeakyRelu: _leaky_relu, floating.RealSoftmax: _softmax,
    floating.RealMaxPool2d: _pool("MAX_POOL_2D"), floating.RealAvgPool2d: _pool("AVERAGE_POOL_2D"),
    floating.RealGlobalAvgPool: _mean,
}
