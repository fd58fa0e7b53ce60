"""The same networks in floats: what quantisation starts from.

Weights, activations and sizes are drawn as `GraphBuilder` draws them, per channel; nothing is rounded to 8 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonsim.nn.graph.data_movement import Concat, Reshape
from neonsim.nn.graph.gather import transpose_indices
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef
from neonsim.nn.ops.float32.operators import (
    Float32Add,
    Float32AvgPool2d,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32MaxPool2d,
)
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.im2col import Padding

__all__ = ["F32", "FloatGraphBuilder", "maker"]

F32 = "f32"
_LIMITS = {"relu6": (0.0, 6.0), "relu": (0.0, np.inf), "none": (-np.inf, np.inf)}


def maker(name: str, size: int, quantization: str, seed: int, channels: int = 3, padding: str = "same") -> GraphBuilder:
    """A maker of networks: of floats for "f32", else of integers."""
    if quantization == F32:
        return FloatGraphBuilder(name, size, seed, channels, padding)
    return GraphBuilder(name, size, quantization, seed, channels, padding)


class FloatGraphBuilder(GraphBuilder):
    """Builds a graph of float32 layer by layer."""

    def __init__(self, name: str, size: int, seed: int, channels: int = 3, padding: str = "same") -> None:
        super().__init__(name, size, "qc8w", seed, channels, padding)
        self.quantization = F32
        self.graph = Graph(name, (1, size, size, channels), dtype="float32")

    def scheme(self, x: TensorRef) -> Scheme:
        """A stand-in that values are drawn with: no tensor here has one."""
        return Scheme(1.0, 0, "int8")

    def _weights(self, shape: tuple[int, ...], deviation: float) -> Quantized:
        self.quantization = "qc8w"
        try:
            return super()._weights(shape, deviation)
        finally:
            self.quantization = F32

    def _real(self, shape: tuple[int, ...], x: TensorRef, sigma: float) -> tuple[np.ndarray, np.ndarray]:
        w = self._weights(shape, sigma / float(np.sqrt(int(np.prod(shape[1:])) * x.square)))
        return w.dequantize(), 0.1 * sigma * self.rng.standard_normal(shape[0])

    def conv(self, name: str, x: TensorRef, outputs: int, window: int | tuple[int, int] = 1, *, stride: int = 1,
             padding: Padding = 0, groups: int = 1, activation: str = "relu6", dilation: int = 1) -> TensorRef:
        """A convolution with bias and limits."""
        kh, kw = (window, window) if isinstance(window, int) else window
        sigma = 1.5 if activation == "relu6" else 1.0
        w, bias = self._real((outputs, kh, kw, self.shape(x)[-1] // groups), x, sigma)
        low, high = _LIMITS[activation]
        layer = Float32Conv2d(w, bias, stride=stride, padding=padding, groups=groups, dilation=dilation, low=low,
                              high=high)
        square = sigma**2 if activation == "none" else sigma**2 / 2
        return TensorRef(self.graph.add_node(name, layer, x.name), square)

    def linear(self, name: str, x: TensorRef, outputs: int) -> TensorRef:
        w, bias = self._real((outputs, self.shape(x)[-1]), x, 1.0)
        return TensorRef(self.graph.add_node(name, Float32FullyConnected(w, bias), x.name), 1.0)

    def add(self, name: str, a: TensorRef, b: TensorRef, relu: bool = False) -> TensorRef:
        square = a.square + b.square
        made = self.graph.add_node(name, Float32Add(low=0.0 if relu else -np.inf), a.name, b.name)
        return TensorRef(made, 0.85 * square if relu else square)

    def global_pool(self, name: str, x: TensorRef) -> TensorRef:
        """Mean of every channel."""
        mean = 0.56 * float(np.sqrt(2 * x.square))
        return self.node(name, Float32GlobalAvgPool(), x, mean**2)

    def max_pool(self, name: str, x: TensorRef, pool: int, stride: int, padding: Padding = 0) -> TensorRef:
        """Largest of windows."""
        return self.node(name, Float32MaxPool2d(pool, stride=stride, padding=padding), x, 4.5 * x.square)

    def avg_pool(self, name: str, x: TensorRef, pool: int, stride: int, padding: Padding, out: Scheme) -> TensorRef:
        return self.node(name, Float32AvgPool2d(pool, stride=stride, padding=padding), x, 0.7 * x.square)

    def shuffle(self, name: str, x: TensorRef, groups: int) -> TensorRef:
        """Channels dealt out: [groups, channels of a group] transposed."""
        shape = self.shape(x)
        parts: Sequence[int] = (*shape[:-1], groups, shape[-1] // groups)
        apart = self.graph.add_node(f"{name} (groups)", Reshape("float32", parts), x.name)
        dealt = self.graph.add_node(f"{name} (dealt)", transpose_indices("float32", tuple(parts), (0, 1, 2, 4, 3)),
                                    apart)
        return TensorRef(self.graph.add_node(name, Reshape("float32", shape), dealt), x.square)

    def concat(self, name: str, *values: TensorRef) -> TensorRef:
        """Channels side by side."""
        sizes = np.array([self.shape(v)[-1] for v in values], float)
        square = float((sizes * [v.square for v in values]).sum() / sizes.sum())
        return TensorRef(self.graph.add_node(name, Concat("float32"), *(v.name for v in values)), square)
