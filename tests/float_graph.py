"""A small network of real numbers: every operator that has such, limits, moves, a branch, a result in the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.graph import Concat, Graph, Reshape
from neonsim.nn.graph.gather import transpose_indices
from neonsim.nn.ops.float32.operators import (
    BatchNorm,
    Float32Add,
    Float32AvgPool2d,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32LeakyRelu,
    Float32MaxPool2d,
    Float32Softmax,
)

__all__ = ["float_graph", "float_images"]


def float_graph(seed: int = 0, *, norm: bool = True, limits: tuple[float, float] = (-1.0, 1.5),
                beta: float = 1.0) -> Graph:
    """The network; its results are shares, means and what is joined.

    norm     batch normalisation by itself, for which .tflite has no word
    limits   of the sum: .tflite has (-1, 1)
    beta     of softmax: .onnx has 1
    """
    rng = np.random.default_rng(seed)

    def w(*shape: int) -> NDArray[np.float64]:
        return rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    graph = Graph("small", (1, 9, 9, 3), dtype="float32")
    a = graph.add_node("conv", Float32Conv2d(w(8, 3, 3, 3), rng.normal(size=8), stride=2, padding=1), "input")
    if norm:
        a = graph.add_node("norm",
                           BatchNorm.from_statistics(rng.normal(size=8), rng.uniform(0.5, 2, 8), rng.uniform(0.5, 2, 8),
                                                             rng.normal(size=8)), a)
    a = graph.add_node("relu6", Float32Clamp(0, 6), a)
    b = graph.add_node("depthwise", Float32Conv2d(w(8, 3, 3, 1), padding=((1, 3), (2, 2)), dilation=2, groups=8), a)
    b = graph.add_node("leaky", Float32LeakyRelu(0.125), b)
    b = graph.add_node("grouped", Float32Conv2d(w(8, 1, 1, 4), rng.normal(size=8), groups=2), b)
    c = graph.add_node("sum", Float32Add(low=limits[0], high=limits[1]), a, b)
    c = graph.add_node("relu", Float32Clamp(0), c)
    d = graph.add_node("join", Concat("float32"),
                       graph.add_node("largest", Float32MaxPool2d(3, stride=2, padding=1), c),
                       graph.add_node("mean", Float32AvgPool2d(3, stride=2, padding=1), c))
    e = graph.add_node("turn", transpose_indices("float32", graph.tensors[d].shape, (0, 2, 1, 3)), d)
    e = graph.add_node("flat", Reshape("float32", (1, -1)), e)
    e = graph.add_node("dense", Float32FullyConnected(w(10, 144), rng.normal(size=10)), e)
    graph.add_node("means", Float32GlobalAvgPool(), c)
    return graph.finish(graph.add_node("shares", Float32Softmax(beta), e), "means", d)


def float_images(seed: int, count: int = 4) -> list[NDArray[np.float32]]:
    """Inputs of it."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(1, 9, 9, 3)).astype(np.float32) for _ in range(count)]
