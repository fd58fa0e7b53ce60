"""Quantised at both ends only: integers kept whole from layer to layer, nothing rounded in between.

    x_0 = round(x / s_0)                                int8
    x_l = activation(sum of w_l * x_(l-1) + b_l)        w_l int8 by one scale s_l; the scale of x_l is s_0 s_1 ... s_l
    y   = x_n * (s_0 s_1 ... s_n)

It is the question that an article on ncnn and Tengine ends in (F15). Every layer of K terms multiplies what its inputs
can reach by up to 127 K, so integers grow by 7 + log2(K) bits a layer: two layers fit 32 bits, some more fit 64, and
then it ends. What a trained network reaches on its data is less than that, but without a guarantee.

    growth    how many bits each layer needs: for any weights, for these weights, on some inputs
    IntegerOnlyChain  makes such a chain of products whose sums are kept, by kernels, and refuses one that need not fit
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.common.locking import Serialized, serialized
from neonsim.errors import BadArgument
from neonsim.nn.graph.data_movement import Reshape
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.plan.run import Runnable
from neonsim.nn.graph.quantize.recipe_base import ranges
from neonsim.nn.ops.arithmetics.integer_only import IntegerClamp, IntegerConv2d, IntegerMatmul, IntegerMaxPool2d
from neonsim.nn.ops.float32.operators import (
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32MaxPool2d,
)
from neonsim.nn.ops.lowering.wide_gemm import SUMS_OF
from neonsim.quant.calibration import Range, scheme_of

__all__ = ["AccumulatorBits", "IntegerOnlyChain", "growth"]

Wide = NDArray[np.int64]
Reals = NDArray[np.float32]
_MAX_INT8 = 127


class AccumulatorBits(NamedTuple):
    """Bits that a layer's sums need, the sign counted.

    name      of the layer
    terms     products of a sum
    worst_case  whatever its int8 weights are
    with_weights   with its weights, whatever the input is
    observed  on some inputs; 0: it was not run
    """

    name: str
    terms: int
    worst_case: int
    with_weights: int
    observed: int


class _Layer(NamedTuple):
    """A step of the chain: the node, and its weights and bias as integers (empty where it has none)."""

    node: Node
    w: Wide
    bias: tuple[int, ...]       # of any size: bounds are counted before anything is run
    scale: float        # of its result

    @property
    def adds(self) -> bool:
        """Whether its results are sums."""
        return bool(self.node.operator.product_kind) or self.node.operator.mean_of == "image"


def _bits(largest: int) -> int:
    return largest.bit_length() + 1


def _chain(graph: Graph) -> list[Node]:
    """The nodes of a graph without branches. Raises BadArgument for any other, and for operators between that no
    integers can do."""
    name = graph.inputs[0] if len(graph.inputs) == 1 else ""
    found = []
    for node in graph.nodes:
        if node.inputs != (name,) or len(node.results) > 1:
            raise BadArgument(f"{node.name} of {graph.name} has a branch. Integers of several layers have different "
                              f"scales, which cannot be added without rounding. Use a chain.")
        if _FORMS.find(node.operator) is None:
            raise BadArgument(f"{node.name} of {graph.name} ({node.kind}) has no integer form. Use the part before it: "
                              f"graph.part(name).")
        if graph.tensors[name].dtype != "float32" and not node.operator.moves:
            raise BadArgument(f"{node.name} of {graph.name} does not have floating-point inputs.")
        name = node.results[0]
        found.append(node)
    return found


# Operators of integers for those of floats: of (operator, type, shape of its input, weights, bias and limits).
_FORMS = ClassTable[Callable[[Any, str, tuple[int, ...], NDArray[np.int8], dict[str, Any]], Any]]({
    Float32FullyConnected: lambda one, dtype, x, w, given: IntegerMatmul(dtype, w, **given),
    Float32Conv2d: lambda one, dtype, x, w, given: IntegerConv2d(
        dtype, w, stride=one.stride, padding=one.padding, dilation=one.dilation, groups=one.groups, **given),
    # The sum is kept: a window of ones, channel by channel.
    Float32GlobalAvgPool: lambda one, dtype, x, w, given: IntegerConv2d(
        dtype, np.ones((x[-1], *x[1:3], 1), np.int8), groups=x[-1], low=given["low"], high=given["high"]),
    Float32MaxPool2d: lambda one, dtype, x, w, given: IntegerMaxPool2d(
        dtype, one.pool, stride=one.stride, padding=one.padding, dilation=one.dilation),
    Reshape: lambda one, dtype, x, w, given: Reshape(dtype, one.output_shapes(x)[0]),
    Float32Clamp: lambda one, dtype, x, w, given: IntegerClamp(dtype, given["low"], given["high"]),
})


class IntegerOnlyChain(Serialized):
    """A chain of layers on integers. Any thread may run it; they take turns.

    graph     Graph of float32 without branches; batch normalisations are folded first
    reach     float   the largest size of an input: it becomes 127

    Raises BadArgument for a graph that branches, and operators that integers cannot do.
    """

    def __init__(self, graph: Graph, reach: float) -> None:
        self.graph = simplify(graph)
        nodes = _chain(self.graph)
        self.input_scale = float(scheme_of(Range(-reach, reach)).scale)
        scale = self.input_scale
        self.layers: list[_Layer] = []
        self._plans: dict[tuple[str, ...], Runnable] = {}
        for node in nodes:
            w: Wide = np.zeros(0, np.int64)
            bias: tuple[int, ...] = ()
            one: Any = node.operator
            if one.product_kind:
                s_w = float(scheme_of(Range(-float(abs(one.w).max()), float(abs(one.w).max()))).scale)
                w = np.clip(np.rint(one.w / np.float32(s_w)), -_MAX_INT8, _MAX_INT8).astype(np.int64)
                scale *= s_w
                bias = tuple(round(float(value) / scale) for value in one.bias)
            if one.mean_of == "image":
                height, width = self.graph.tensors[node.inputs[0]].shape[1:3]
                scale /= height * width         # the sum is kept, its scale says that it is a mean
            self.layers.append(_Layer(node, w, bias, scale))

    # ---- bounds
    def bounds(self) -> list[tuple[str, int, int, int]]:
        """(layer, terms, largest size for any weights, largest with these) of every layer that adds up, as exact
        integers. Limits are counted: an activation that cuts off keeps what follows small."""
        shape = self.graph.tensors[self.graph.inputs[0]].shape
        low, high = [-_MAX_INT8] * shape[-1], [_MAX_INT8] * shape[-1]
        most = _MAX_INT8
        found = []
        for layer in self.layers:
            one: Any = layer.node.operator
            if one.product_kind:
                rows = layer.w.reshape(layer.w.shape[0], -1)
                most = _MAX_INT8 * rows.shape[1] * most
                low, high = self._interval(one, layer, low, high)
                found.append((layer.node.name, rows.shape[1], most, max(map(abs, low + high))))
            if one.mean_of == "image":
                height, width = self.graph.tensors[layer.node.inputs[0]].shape[1:3]
                low, high, most = ([v * height * width for v in low], [v * height * width for v in high],
                                   most * height * width)
                found.append((layer.node.name, height * width, most, max(map(abs, low + high))))
            if one.moves:
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
        padded = one.product_kind == "windows"
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
    def integer_graph(self) -> Graph:
        """The chain as a graph from int8 to int32 or int64: products by kernels, whose sums are kept.

        Raises BadArgument for a chain whose sums may leave their type with these weights, the layer and its bits:
        int32 after the first product, whose inputs are int8, int64 after every other one.
        """
        most = {name: largest for name, _, _, largest in self.bounds()}
        graph = Graph(f"{self.graph.name} (whole)")
        name = graph.add_input("input", self.graph.tensors[self.graph.inputs[0]].shape, dtype="int8")
        for layer in self.layers:
            dtype = graph.tensors[name].dtype
            if layer.adds:
                _check_fits(layer.node.name, _bits(most[layer.node.name]), SUMS_OF[dtype].sum_type)
            name = graph.add_node(layer.node.name, self._whole(layer, dtype), name)
            if graph.tensors[name].shape != self.graph.tensors[layer.node.results[0]].shape:
                shape = self.graph.tensors[layer.node.results[0]].shape
                name = graph.add_node(f"{layer.node.name} (flat)", Reshape(graph.tensors[name].dtype, shape), name)
        return graph.finish(name)

    def _whole(self, layer: _Layer, dtype: str) -> Any:
        """The operator of integers for one of floats."""
        one: Any = layer.node.operator
        floor, ceiling = self._ends(one, layer.scale)
        given: dict[str, Any] = {"bias": np.array(layer.bias, np.int64), "low": floor, "high": ceiling}
        x = self.graph.tensors[layer.node.inputs[0]].shape
        make = _FORMS.find(one)
        assert make is not None     # `_chain` refuses others
        return make(one, dtype, x, layer.w.astype(np.int8), given)

    def inputs(self, x: Any) -> NDArray[np.int8]:
        """Floats as steps of int8."""
        return np.clip(np.rint(np.asarray(x, np.float64) / self.input_scale), -_MAX_INT8, _MAX_INT8).astype(np.int8)

    def reals(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """What integers at the end stand for."""
        return np.asarray(y * (self.layers[-1].scale if self.layers else self.input_scale))

    @serialized
    def run(self, x: Any, maxima: dict[str, int] | None = None,
            backend: str | Sequence[str] = "reference") -> NDArray[np.float64]:
        """The result as floats.

        x        floats of the graph's shape
        maxima   {layer: largest size of its sums within limits so far}, kept up to date
        backend  as of `Graph.plan`

        Raises BadArgument for a chain whose sums may not fit with these weights: the layer and its bits.
        """
        key = (backend,) if isinstance(backend, str) else tuple(backend)
        if key not in self._plans:
            self._plans[key] = self.integer_graph().plan(backend)
        plan = self._plans[key]
        found = plan.run(self.inputs(x))
        for layer in self.layers if maxima is not None else ():
            if maxima is not None and layer.adds:
                held = plan.tensor(layer.node.name)
                most = max(abs(int(held.min())), abs(int(held.max())))
                maxima[layer.node.name] = max(maxima.get(layer.node.name, 0), most)
        return self.reals(found)


def _check_fits(name: str, bits: int, sums: str) -> None:
    room = np.iinfo(sums).bits
    if bits > room:
        raise BadArgument(f"sums of {name} can need {bits} bits; {sums} has {room}. Quantise between, or use the "
                          f"layers before it: graph.part(...).")


def growth(graph: Graph, inputs: Sequence[Any] = (), reach: float | None = None) -> list[AccumulatorBits]:
    """How many bits the sums of every layer need.

    graph    as of IntegerOnlyChain
    inputs   floats to run it on, as far as the chain fits int64
    reach    largest size of an input; None: of these inputs, and 1.0 without any

    >>> graph = Graph("two", (1, 4), dtype="float32")
    >>> _ = graph.add_node("a", Float32FullyConnected(np.ones((4, 4))), "input")
    >>> _ = graph.add_node("b", Float32FullyConnected(np.ones((4, 4))), "a")
    >>> [(row.name, row.worst_case) for row in growth(graph)]
    [('a', 17), ('b', 26)]
    """
    if reach is None:
        reach = ranges(graph, inputs)[graph.inputs[0]].reach if len(inputs) else 1.0
    chain = IntegerOnlyChain(graph, reach)
    found = chain.bounds()
    fits = [name for name, _, _, largest in found if _bits(largest) <= 64]
    seen: dict[str, int] = {}
    if len(inputs) and fits:
        part = chain if len(fits) == len(found) else IntegerOnlyChain(_before(chain, found[len(fits)][0]), reach)
        for x in inputs:
            part.run(x, seen)
    return [AccumulatorBits(name, terms, _bits(most), _bits(largest), _bits(seen[name]) if name in seen else 0)
            for name, terms, most, largest in found]


def _before(chain: IntegerOnlyChain, name: str) -> Graph:
    """The part of the chain that ends before a layer."""
    return chain.graph.part(*chain.graph.node(name).inputs)
