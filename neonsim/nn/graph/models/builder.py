"""Networks with random weights whose activations behave: neither saturated nor dead.

Weights are drawn so that results keep their size from layer to layer: with inputs of mean square q, weights of
variance s**2 / (fan-in * q) give sums of standard deviation s. Every tensor's s is carried along, and its scale is
chosen from it:

    after a ReLU or ReLU6   0 .. 4 s (ReLU6: s = 1.5, so that 6 = 4 s is where it clips by itself)
    without                 -4.5 s .. 4.5 s

so that about one value in 10**4 is clipped. Weights reach 3 of their standard deviations and are clipped there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.graph.data_movement import Concat
from neonsim.nn.graph.graph import Graph
from neonsim.nn.ops import Add, AvgPool2d, ChannelShuffle, Conv2d, FullyConnected, GlobalAvgPool, MaxPool2d
from neonsim.nn.ops.operator import Operator
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import default_rounding
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.im2col import Padding, same_padding

__all__ = ["QUANTIZATIONS", "GraphBuilder", "TensorRef", "rounding_of", "scaled"]

QUANTIZATIONS = ("qu8", "qs8", "qc8w")
PADDINGS = ("same", "even")
_SIGMA = 1.5        # of sums before a ReLU6
_REACH = 3.0        # standard deviations that weights reach
_STEPS = 118        # quantisation steps to there; with any zero point near the middle they fit 8 bits


@dataclass(frozen=True)
class TensorRef:
    """A tensor as the maker sees it.

    name     str
    square   float   mean of the squares of its real values
    """

    name: str
    square: float


class GraphBuilder:
    """Builds a graph layer by layer.

    padding          "same": TensorFlow's, whose odd pixel goes to the bottom and right; "even": as many on both sides
    requantization   of products; None: by the quantisation. With "fp32" a graph can be written as a `.tflite` file
    """

    def __init__(self, name: str, size: int, quantization: str, seed: int, channels: int = 3,
                 padding: str = "same", requantization: str | None = None) -> None:
        if quantization not in QUANTIZATIONS:
            raise BadArgument(f"quantization must be one of {', '.join((*QUANTIZATIONS, 'f32'))}; got "
                              f"{quantization!r}.")
        if padding not in PADDINGS:
            raise BadArgument(f"padding must be one of {', '.join(PADDINGS)}; got {padding!r}.")
        self.quantization, self.padding = quantization, padding
        self.rounding = requantization or rounding_of(quantization)
        self.dtype = "uint8" if quantization == "qu8" else "int8"
        self.rng = np.random.default_rng(as_int(seed, "seed", 0, 2**64 - 1))
        self.graph = Graph(name, (1, size, size, channels), Scheme.covering(-2.0, 2.0, self.dtype))
        self.input = TensorRef("input", 0.4)        # of `random_input`

    def shape(self, x: TensorRef) -> tuple[int, ...]:
        """Of a tensor."""
        return self.graph.tensors[x.name].shape

    def scheme(self, x: TensorRef) -> Scheme:
        """Of a tensor."""
        return self.graph.scheme(x.name)

    def _weights(self, shape: tuple[int, ...], deviation: float) -> Quantized:
        real = np.clip(self.rng.standard_normal(shape), -_REACH, _REACH)
        steps = np.rint(real * (_STEPS / _REACH)).astype(np.int64)
        scale = np.float32(deviation * _REACH / _STEPS)
        if self.quantization == "qu8":
            zero = int(self.rng.integers(124, 133))
            return Quantized((steps + zero).astype(np.uint8), float(scale), zero)
        if self.quantization == "qs8":
            return Quantized(steps.astype(np.int8), float(scale), 0)
        # Channels of different size, as trained networks have them.
        scales = scale * np.exp(0.25 * self.rng.standard_normal(shape[0])).astype(np.float32)
        return Quantized(steps.astype(np.int8), scales.astype(np.float32), 0, axis=0)

    def _parameters(self, shape: tuple[int, ...], x: TensorRef, sigma: float) -> tuple[Quantized, NDArray[np.int32]]:
        """Weights that give sums of standard deviation sigma, and a bias of a tenth of that."""
        fan_in = int(np.prod(shape[1:]))
        w = self._weights(shape, sigma / float(np.sqrt(fan_in * x.square)))
        steps = 0.1 * sigma / (np.float32(self.scheme(x).scale) * np.asarray(w.scale, np.float32))
        return w, np.rint(self.rng.standard_normal(shape[0]) * steps).astype(np.int32)

    def conv(self, name: str, x: TensorRef, outputs: int, window: int | tuple[int, int] = 1, *, stride: int = 1,
             padding: Padding = 0, groups: int = 1, activation: str = "relu6", dilation: int = 1) -> TensorRef:
        """A convolution with bias. activation: "relu6", "relu" or "none"; "sums": none, but sums as before a ReLU6."""
        kh, kw = (window, window) if isinstance(window, int) else window
        sigma = _SIGMA if activation in ("relu6", "sums") else 1.0
        scheme = self.scheme(x)
        w, bias = self._parameters((outputs, kh, kw, self.shape(x)[-1] // groups), x, sigma)
        if activation in ("none", "sums"):
            out, square = self.reaching(-4.5 * sigma, 4.5 * sigma), sigma**2
        else:
            out, square = self.reaching(0.0, 4 * sigma), sigma**2 / 2
        layer = Conv2d(scheme, w, bias, out=out, stride=stride, padding=padding, groups=groups,
                       dilation=dilation, requantization=self.rounding)
        return TensorRef(self.graph.add_node(name, layer, x.name), square)

    def linear(self, name: str, x: TensorRef, outputs: int) -> TensorRef:
        """A fully connected layer with bias, without activation."""
        w, bias = self._parameters((outputs, self.shape(x)[-1]), x, 1.0)
        layer = FullyConnected(self.scheme(x), w, bias, out=self.reaching(-4.5, 4.5), requantization=self.rounding)
        return TensorRef(self.graph.add_node(name, layer, x.name), 1.0)

    def same_padding(self, x: TensorRef, window: int, stride: int, dilation: int = 1) -> Sequence[Sequence[int]]:
        """Padding that gives ceil(size / stride) pixels; window odd."""
        window = (window - 1) * dilation + 1
        if self.padding == "even":
            return [(window // 2, window // 2)] * 2
        return same_padding(self.shape(x)[1:3], (window, window), (stride, stride))

    def reaching(self, low: float, high: float) -> Scheme:
        """The scheme of this network's type for a range."""
        return Scheme.covering(low, high, self.dtype)

    def add(self, name: str, a: TensorRef, b: TensorRef, relu: bool = False) -> TensorRef:
        """A residual addition, with a ReLU if asked for."""
        square = a.square + b.square
        sigma = float(np.sqrt(square))
        out = self.reaching(0.0 if relu else -4.5 * sigma, 4.5 * sigma)
        library = ARITHMETICS["xnnpack"]
        ties = library.sums if self.rounding == library.products else None
        layer = Add(self.scheme(a), self.scheme(b), out=out, rounding=ties)
        return TensorRef(self.graph.add_node(name, layer, a.name, b.name), 0.85 * square if relu else square)

    def node(self, name: str, operator: Operator, x: TensorRef, square: float | None = None) -> TensorRef:
        """Any operator of one input."""
        return TensorRef(self.graph.add_node(name, operator, x.name), x.square if square is None else square)

    def global_pool(self, name: str, x: TensorRef) -> TensorRef:
        """Mean of every channel of values after a ReLU: the mean of a half-normal is 0.8 of its root mean square."""
        mean = 0.56 * float(np.sqrt(2 * x.square))
        return self.node(name, GlobalAvgPool(self.scheme(x), out=self.reaching(0.0, 4 * mean)), x, mean**2)

    def max_pool(self, name: str, x: TensorRef, pool: int, stride: int, padding: Padding = 0) -> TensorRef:
        """Largest of nine; of half-normal values the mean square grows to about four and a half times as much."""
        return self.node(name, MaxPool2d(self.scheme(x), pool=pool, stride=stride, padding=padding), x, 4.5 * x.square)

    def avg_pool(self, name: str, x: TensorRef, pool: int, stride: int, padding: Padding, out: Scheme) -> TensorRef:
        """Mean of windows."""
        layer = AvgPool2d(self.scheme(x), pool=pool, stride=stride, padding=padding, out=out)
        return self.node(name, layer, x, 0.7 * x.square)

    def shuffle(self, name: str, x: TensorRef, groups: int) -> TensorRef:
        """Channels dealt out."""
        return self.node(name, ChannelShuffle(self.scheme(x), groups=groups), x)

    def concat(self, name: str, *values: TensorRef) -> TensorRef:
        """Channels side by side; all values must have one scheme."""
        sizes = np.array([self.shape(v)[-1] for v in values], float)
        square = float((sizes * [v.square for v in values]).sum() / sizes.sum())
        return TensorRef(self.graph.add_node(name, Concat(self.scheme(values[0])), *(v.name for v in values)), square)

    def finish(self, x: TensorRef) -> Graph:
        """The graph, with x as its result."""
        return self.graph.finish(x.name)


def rounding_of(quantization: str) -> str:
    """The requantisation of a quantization: that of the library which has it."""
    return default_rounding("uint8" if quantization == "qu8" else "int8").word


def scaled(channels: int, width: float, divisor: int = 8) -> int:
    """Channels at a width multiplier: a multiple of the divisor, never more than a tenth below (MobileNet's rule).

    >>> scaled(32, 0.25), scaled(24, 1.0)
    (8, 24)
    """
    wanted = channels * width
    found = max(divisor, int(wanted + divisor / 2) // divisor * divisor)
    return found + divisor if found < 0.9 * wanted else found


