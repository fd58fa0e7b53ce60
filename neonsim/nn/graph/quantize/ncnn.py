"""ncnn's two ways to run a float network in int8.

    flow          what flows between layers                                                     in the article
    ncnn          floats: every convolution quantises its input and gives floats    blue line (F04)
    ncnn-fused    the same, but int8 from a convolution to the convolutions that alone read it  red line (F05)

Weights have steps per unit for each result channel, inputs one number; biases and activations stay floats, and
whatever is no convolution and no product stays as it is. A convolution of several groups is another layer there, and
has steps for each group in place of each channel.

What is next to nothing is nothing, on every backend alike: a channel whose largest weight is below 2**-100 has no
steps, so that its bias is what is left; a bias below that is 0; an input that calibration has only seen as small has
one step a unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.quantize.ncnn_eq import integer_product, search_scales
from neonsim.nn.graph.quantize.recipe_base import Product, Recipe, as_input, check_float32, check_flow, ranges
from neonsim.nn.ops.arithmetics.ncnn import DequantizeAcc, QuantizeInt8, RequantizeAcc
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.requant.ncnn import SMALLEST, factor_of, quantize_int8, scales_of

__all__ = ["EQ", "WAYS", "pairs_of", "quantize_by_steps", "weighted"]

WAYS = ("ncnn", "ncnn-fused")
EQ = "eq"       # the method that searches


def pairs_of(graph: Graph) -> list[tuple[str, str]]:
    """(convolution, convolution that reads it): where ncnn's red line may go, after batch normalisation and activation
    have been folded in (F06). All readers of the first must be convolutions, and it no result of the graph."""
    simple = simplify(graph)
    return [(first.name, node.name) for first in simple.nodes if _fusable(simple, first)
            for node in simple.nodes if first.results[0] in node.inputs]


def weighted(graph: Graph) -> dict[str, Node]:
    """Layers with weights, by name: what a table of scales has lines for."""
    return {node.name: node for node in graph.nodes if node.operator.product_kind}


def _fusable(graph: Graph, first: Node) -> bool:
    readers = [node for node in graph.nodes if first.results[0] in node.inputs]
    return (first.operator.product_kind == "windows" and bool(readers) and first.results[0] not in graph.outputs
            and all(node.operator.product_kind == "windows" for node in readers))


def quantize_by_steps(graph: Graph, way: str = "ncnn", *, calibration: Iterable[Any] = (), method: str = "kl",
                      inputs: Mapping[str, float] | None = None,
                      weights: Mapping[str, NDArray[Any]] | None = None, per_channel: bool | None = None) -> Graph:
    """A float network in ncnn's int8.

    way           a name of WAYS
    calibration   inputs of the network, unless steps of all layers are given
    method        a name of `neonsim.quant.calibration.METHODS`, or "eq": entropy, then a search
                  (`nn.graph.quantize.ncnn_eq`) for all steps that are not given
    inputs        {layer: steps per unit of its input}, as of a table; layers by their names after `simplify`
    weights       {layer: steps per unit of each channel; of each group, where there are several}; those left out
                  reach the largest weight of a channel or group
    per_channel   bool   False: the largest weight of a layer
    ->            Graph that takes and gives float32

    Raises BadArgument for another way, for a graph that is not of float32 or has nothing to quantise, for layers
    without steps, and numbers that are no steps, naming the layer.
    """
    check_flow(way, WAYS)
    check_float32(graph)
    simple = simplify(graph)
    layers, given = weighted(simple), dict(inputs or {})
    if not layers:
        raise BadArgument(f"{graph.name} has no convolution and no product to quantise by {way}.")
    missing = [node for name, node in layers.items() if name not in given]
    seen = calibration if isinstance(calibration, Sequence) else list(calibration)
    if missing:
        found = ranges(simple, seen, "kl" if method == EQ else method)
        given |= {node.name: _steps_of(found[node.inputs[0]].reach) for node in missing}
    unknown = (set(given) | set(weights or {})) - set(layers)
    if unknown:
        raise BadArgument(f"{graph.name} has no layer {sorted(unknown)[0]!r} with weights.")
    for name, steps in given.items():
        check_scale(steps, f"steps per unit of what {name} reads (127 / its largest size)")
    searched = bool(missing) and method == EQ
    if searched and per_channel is False:
        raise BadArgument("method 'eq' always has one scale for each channel. Omit per_channel.")
    w_steps = {name: _checked(node, weights[name]) if weights and name in weights else
               _to_largest(node, per_channel is not False) for name, node in layers.items()}
    if searched:
        better = search_scales(simple, [as_input(simple, x) for x in seen], given, w_steps)
        given |= {node.name: better[0][node.name] for node in missing}
        w_steps |= {name: steps for name, steps in better[1].items() if name not in (weights or {})}
    return _BySteps(simple, way, given, w_steps).all()


def _steps_of(reach: float) -> float:
    return 127 / reach if reach >= SMALLEST else 1.0


def _to_largest(node: Node, per_channel: bool) -> NDArray[np.float32]:
    """Steps per unit of weights by the largest of each channel or group, or of all."""
    one = node.operator
    assert isinstance(one, Product)
    most = abs(one.w.reshape(_scales(one), -1)).max(axis=1)
    if not per_channel:
        most[:] = most.max()
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.where(most < SMALLEST, 0, np.float32(127) / most), np.float32)


def _checked(node: Node, given: NDArray[Any]) -> NDArray[np.float32]:
    """Steps per unit of weights as they were given."""
    assert isinstance(node.operator, Product)
    count = _scales(node.operator)
    wanted = f"{node.name} takes {count} numbers of steps per unit, 0 and more"
    try:
        found = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        raise BadArgument(f"{wanted}; these are no numbers.") from None
    if found.shape != (count,):
        raise BadArgument(f"{wanted}; got {found.size}.")
    wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0)))
    if wrong.size:
        raise BadArgument(f"{wanted}; number {wrong[0]} is {found[wrong[0]]:g}.")
    return found


def _scales(one: Product) -> int:
    return scales_of(one.w.shape[0], getattr(one, "groups", 1))


class _BySteps(Recipe):
    """Floats between layers, or int8 by the red line."""

    def __init__(self, graph: Graph, way: str, inputs: Mapping[str, float],
                 weights: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__(graph, way)
        self.inputs, self.weights = inputs, weights         # steps per unit, by layer
        self.bytes: dict[str, str] = {}         # tensors as int8, by the red line

    def enter(self, name: str) -> str:
        return name

    def leave(self, name: str) -> str:
        return self.names[name]

    def place(self, node: Node) -> None:
        """What has no weights stays as it is."""
        if isinstance(node.operator, Product):
            self._layer(node, node.operator)
        else:
            self.put(node, node.operator, *(self.names[name] for name in node.inputs))

    def _layer(self, node: Node, one: Product) -> None:
        source, steps = node.inputs[0], self.inputs[node.name]
        x = self.bytes.get(source)
        if x is None:
            x = self.made.add_node(f"{node.name} (quantised)", QuantizeInt8(steps), self.names[source])
        w_steps = self.weights[node.name]
        w_steps = np.repeat(w_steps, one.w.shape[0] // w_steps.size)
        w = quantize_int8(one.w, w_steps.reshape(-1, *[1] * (one.w.ndim - 1)))
        sums = self.made.add_node(f"{node.name} (sums)", integer_product(one, w), x)
        factor, bias = (np.where(abs(values) < SMALLEST, np.float32(0), values)
                        for values in (factor_of(np.float32(steps), w_steps), one.bias))
        result = node.results[0]
        # Readers with other steps need other bytes.
        after = {self.inputs.get(other.name) for other in self.graph.nodes if result in other.inputs}
        if self.flow == "ncnn-fused" and _fusable(self.graph, node) and len(after) == 1:
            self.bytes[result] = self.made.add_node(
                node.name, RequantizeAcc(factor, bias, float(after.pop() or 0), one.low, one.high), sums)
            return
        self.names[result] = self.made.add_node(node.name, DequantizeAcc(factor, bias, one.low, one.high), sums)
