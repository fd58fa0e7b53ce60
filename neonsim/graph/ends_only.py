"""Quantised at both ends only: integers kept whole from layer to layer, nothing rounded in between.

    x_0 = round(x / s_0)                                int8
    x_l = activation(sum of w_l * x_(l-1) + b_l)        w_l int8 by one scale s_l; the scale of x_l is s_0 s_1 ... s_l
    y   = x_n * (s_0 s_1 ... s_n)

It is the question that an article on ncnn and Tengine ends in (F15). Every layer of K terms multiplies what its inputs
can reach by up to 127 K, so integers grow by 7 + log2(K) bits a layer: two layers fit 32 bits, some more fit 64, and
then it ends. What a trained network reaches on its data is less than that, and nobody promises it.

    growth    how many bits each layer needs: for any weights, for these weights, on some inputs
    EndsOnly  runs such a chain in int64, and refuses one that need not fit
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.graph.flows import ranges
from neonsim.graph.graph import Graph, Node
from neonsim.graph.moves import Reshape
from neonsim.graph.passes import simplify
from neonsim.ops.floating import RealClamp, RealConv2d, RealFullyConnected, RealGlobalAvgPool, RealMaxPool2d
from neonsim.packing import ConvShape
from neonsim.quant.calibration import Range, scheme_of

__all__ = ["EndsOnly", "Row", "growth"]

Wide = NDArray[np.int64]
Reals = NDArray[np.float32]
_LARGEST = 127
_WEIGHTED = (RealConv2d, RealFullyConnected)


class Row(NamedTuple):
    """Bits that a layer's sums need, the sign counted.

    name      of the layer
    terms     products of a sum
    any       whatever its int8 weights are
    these     with its weights, whatever the input is
    seen      on some inputs; 0: it was not run
    """

    name: str
    terms: int
    any: int
    these: int
    seen: int


class _Layer(NamedTuple):
    """A step of the chain: the node, and its weights and bias as integers (empty where it has none)."""

    node: Node
    w: Wide
    bias: tuple[int, ...]       # of any size: bounds are counted before anything is run
    scale: float        # of its result


def _bits(largest: int) -> int:
    return largest.bit_length() + 1


def _chain(graph: Graph) -> list[Node]:
    """The nodes of a graph without branches. Raises BadArgument for any other, and for operators between that no
    integers can do."""
    name = graph.inputs[0] if len(graph.inputs) == 1 else ""
    found = []
    for node in graph.nodes:
        if node.inputs != (name,) or len(node.results) > 1:
            raise BadArgument(f"{node.name} of {graph.name} branches off: integers of several layers have scales of "
                              "their own, which cannot be added without rounding. A chain is taken.")
        if not isinstance(node.operator, (*_WEIGHTED, RealClamp, RealMaxPool2d, RealGlobalAvgPool, Reshape)):
            raise BadArgument(f"{node.name} of {graph.name} ({node.kind}) has no form in whole numbers; take the part "
                              "before it: graph.part(name).")
        if isinstance(node.operator, RealMaxPool2d | RealConv2d) and graph.tensors[name].dtype != "float32":
            raise BadArgument(f"{node.name} of {graph.name} is not on real numbers.")
        name = node.results[0]
        found.append(node)
    return found


class EndsOnly:
    """A chain of layers on whole numbers.

    graph     Graph of float32 without branches; batch normalisations are folded first
    reach     float   the largest size of an input: it becomes 127

    Raises BadArgument for a graph that branches, and operators that whole numbers cannot do.
    """

    def __init__(self, graph: Graph, reach: float) -> None:
        self.graph = simplify(graph)
        nodes = _chain(self.graph)
        self.input_scale = float(scheme_of(Range(-reach, reach)).scale)
        scale = self.input_scale
        self.layers: list[_Layer] = []
        for node in nodes:
            w: Wide = np.zeros(0, np.int64)
            bias: tuple[int, ...] = ()
            one = node.operator
            if isinstance(one, _WEIGHTED):
                s_w = float(scheme_of(Range(-float(abs(one.w).max()), float(abs(one.w).max()))).scale)
                w = np.clip(np.rint(one.w / np.float32(s_w)), -_LARGEST, _LARGEST).astype(np.int64)
                scale *= s_w
                bias = tuple(round(float(value) / scale) for value in one.bias)
            if isinstance(one, RealGlobalAvgPool):
                height, width = self.graph.tensors[node.inputs[0]].shape[1:3]
                scale /= height * width         # the sum is kept, its scale says that it is a mean
            self.layers.append(_Layer(node, w, bias, scale))

    # ---- bounds
    def bounds(self) -> list[tuple[str, int, int, int]]:
        """(layer, terms, largest size for any weights, largest with these) of every layer with weights, as exact
        integers. Limits are counted: an activation that cuts off keeps what follows small."""
        shape = self.graph.tensors[self.graph.inputs[0]].shape
        low, high = [-_LARGEST] * shape[-1], [_LARGEST] * shape[-1]
        most = _LARGEST
        found = []
        for layer in self.layers:
            one = layer.node.operator
            if isinstance(one, _WEIGHTED):
                rows = layer.w.reshape(layer.w.shape[0], -1)
                most = _LARGEST * rows.shape[1] * most
                low, high = self._interval(one, layer, low, high)
                found.append((layer.node.name, rows.shape[1], most, max(map(abs, low + high))))
            if isinstance(one, RealGlobalAvgPool):
                height, width = self.graph.tensors[layer.node.inputs[0]].shape[1:3]
                low, high, most = ([v * height * width for v in low], [v * height * width for v in high],
                                   most * height * width)
            if isinstance(one, Reshape):
                # Every channel may come to lie anywhere.
                size = self.graph.tensors[layer.node.results[0]].shape[-1]
                low, high = [min(low)] * size, [max(high)] * size
            low, high = self._cut(one, layer.scale, low, high)
        return found

    def _interval(self, one: Any, layer: _Layer, low: list[int], high: list[int]) -> tuple[list[int], list[int]]:
        taps = layer.w.reshape(layer.w.shape[0], -1, layer.w.shape[-1])
        depth, outputs = layer.w.shape[-1], layer.w.shape[0]
        groups = len(low) // depth
        lows, highs = [], []
        padded = isinstance(one, RealConv2d)
        for o in range(outputs):
            first = o // (outputs // groups) * depth
            down = up = layer.bias[o]
            for c in range(depth):
                a, b = low[first + c], high[first + c]
                if padded:              # a tap may lie outside, where 0 is
                    a, b = min(a, 0), max(b, 0)
                positive, negative = int(taps[o, :, c].clip(0).sum()), int(taps[o, :, c].clip(None, 0).sum())
                down += positive * a + negative * b
                up += positive * b + negative * a
            lows.append(down)
            highs.append(up)
        return lows, highs

    @staticmethod
    def _ends(one: Any, scale: float) -> tuple[int | None, int | None]:
        """Limits of an operator in steps."""
        ends = [None if not np.isfinite(end) else round(end / scale)
                for end in (getattr(one, "low", -np.inf), getattr(one, "high", np.inf))]
        return ends[0], ends[1]

    def _cut(self, one: Any, scale: float, low: list[int], high: list[int]) -> tuple[list[int], list[int]]:
        floor, ceiling = self._ends(one, scale)

        def inside(value: int) -> int:
            value = value if floor is None else max(value, floor)
            return value if ceiling is None else min(value, ceiling)
        return [inside(v) for v in low], [inside(v) for v in high]

    # ---- running
    def run(self, x: Any, seen: dict[str, int] | None = None) -> NDArray[np.float64]:
        """The result as real numbers.

        x      real numbers of the graph's shape
        seen   {layer: largest size of its sums so far}, kept up to date

        Raises BadArgument for a chain whose sums may exceed int64 with these weights: the layer and its bits.
        """
        for name, _, _, largest in self.bounds():
            if _bits(largest) > 64:
                raise BadArgument(f"sums of {name} can need {_bits(largest)} bits; int64 has 64. Quantise between, or "
                                  f"take the layers before it: graph.part(...).")
        values = np.clip(np.rint(np.asarray(x, np.float64) / self.input_scale), -_LARGEST, _LARGEST).astype(np.int64)
        for layer in self.layers:
            values = self._step(layer, values)
            if seen is not None and layer.w.size:
                seen[layer.node.name] = max(seen.get(layer.node.name, 0), int(abs(values).max()))
            floor, ceiling = self._ends(layer.node.operator, layer.scale)
            if floor is not None or ceiling is not None:
                values = np.clip(values, floor, ceiling)
        return np.asarray(values * self.layers[-1].scale if self.layers else values * self.input_scale)

    def _step(self, layer: _Layer, x: Wide) -> Wide:
        one = layer.node.operator
        if isinstance(one, RealFullyConnected):
            return np.asarray(x @ layer.w.T + np.array(layer.bias, np.int64))
        if isinstance(one, RealConv2d):
            return _convolved(x, layer.w, np.array(layer.bias, np.int64), one.shape(x.shape), one.groups)
        if isinstance(one, RealGlobalAvgPool):
            return np.asarray(x.sum(axis=(1, 2)))
        if isinstance(one, RealMaxPool2d):
            return _largest(x, one.shape(x.shape))
        if isinstance(one, Reshape):
            return x.reshape(one.output_shapes(x.shape)[0])
        return x


def _windows(x: Wide, shape: ConvShape, outside: int) -> Iterable[Wide]:
    """The image as each tap of the window sees it, one after another."""
    image = np.pad(x, ((0, 0), *shape.padding, (0, 0)), constant_values=outside)
    for ky in range(shape.kernel[0]):
        for kx in range(shape.kernel[1]):
            y, z = ky * shape.dilation[0], kx * shape.dilation[1]
            yield image[:, y:y + (shape.output[0] - 1) * shape.stride[0] + 1:shape.stride[0],
                        z:z + (shape.output[1] - 1) * shape.stride[1] + 1:shape.stride[1]]


def _convolved(x: Wide, w: Wide, bias: Wide, shape: ConvShape, groups: int) -> Wide:
    outputs, _, _, depth = w.shape
    weights = w.reshape(groups, outputs // groups, -1, depth)
    total = np.zeros((x.shape[0], *shape.output, groups, outputs // groups), np.int64)
    for tap, seen in enumerate(_windows(x, shape, 0)):
        total += np.einsum("bhwgc,goc->bhwgo", seen.reshape(*seen.shape[:3], groups, depth), weights[:, :, tap])
    return total.reshape(x.shape[0], *shape.output, outputs) + bias


def _largest(x: Wide, shape: ConvShape) -> Wide:
    return np.asarray(np.maximum.reduce(list(_windows(x, shape, np.iinfo(np.int64).min))))


def growth(graph: Graph, inputs: Sequence[Any] = (), reach: float | None = None) -> list[Row]:
    """How many bits the sums of every layer need.

    graph    as of EndsOnly
    inputs   real numbers to run it on, as far as the chain fits int64
    reach    largest size of an input; None: of these inputs, and 1.0 without any

    >>> graph = Graph("two", (1, 4), dtype="float32")
    >>> _ = graph.add_node("a", RealFullyConnected(np.ones((4, 4))), "input")
    >>> _ = graph.add_node("b", RealFullyConnected(np.ones((4, 4))), "a")
    >>> [(row.name, row.any) for row in growth(graph)]
    [('a', 17), ('b', 26)]
    """
    if reach is None:
        reach = ranges(graph, inputs)[graph.inputs[0]].reach if len(inputs) else 1.0
    chain = EndsOnly(graph, reach)
    found = chain.bounds()
    fits = [name for name, _, _, largest in found if _bits(largest) <= 64]
    seen: dict[str, int] = {}
    if len(inputs) and fits:
        part = chain if len(fits) == len(found) else EndsOnly(_before(chain, found[len(fits)][0]), reach)
        for x in inputs:
            part.run(x, seen)
    return [Row(name, terms, _bits(most), _bits(largest), _bits(seen[name]) if name in seen else 0)
            for name, terms, most, largest in found]


def _before(chain: EndsOnly, name: str) -> Graph:
    """The part of the chain that ends before a layer."""
    return chain.graph.part(*chain.graph.node(name).inputs)
