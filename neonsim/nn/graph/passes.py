"""Graphs made simpler: each pass gives a new graph.

    fold_batch_norm      batch normalisation goes into weights and bias of the convolution before it
    fuse_activations     limits (ReLU, ReLU6) go into the operator before them
    simplify             both: of floats, before they are quantised
    fuse_requantization  ncnn's red line: sums become the next convolution's int8 without floats in memory (F05)
    diff                 what a pass changed, node by node

Folding changes the last bits: weights are rounded once more. Fusing changes none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.ops.arithmetics.ncnn import DequantizeAcc, QuantizeInt8, RequantizeAcc
from neonsim.nn.ops.float32.unquantized import AccumulatorConv2d

__all__ = ["PassChange", "diff", "fold_batch_norm", "fuse_activations", "fuse_requantization", "simplify"]


def _consumers(graph: Graph) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {name: [] for name in graph.tensors}
    for node in graph.nodes:
        for name in node.inputs:
            found[name].append(node)
    return found


def _merging(graph: Graph, merge: Callable[[Node, Node], object | None]) -> Graph:
    """Every pair of nodes, the second the only reader of the first's only result, merged where `merge` gives an
    operator; the pair bears the second one's name, so its readers find it."""
    consumers = _consumers(graph)
    makers = {name: node for node in graph.nodes for name in node.results}
    merged: dict[str, tuple[Node, object]] = {}     # name of the second -> the first, the operator
    gone: set[str] = set()
    for node in graph.nodes:
        first = makers.get(node.inputs[0]) if len(node.inputs) == 1 else None
        if (first is None or first.name in merged or len(first.results) > 1 or first.results[0] in graph.outputs
                or len(consumers[first.results[0]]) > 1):
            continue
        operator = merge(first, node)
        if operator is not None:
            merged[node.name] = (first, operator)
            gone.add(first.name)
    found = Graph(graph.name)
    for name in graph.inputs:
        tensor = graph.tensors[name]
        found.add_input(name, tensor.shape, tensor.scheme, None if tensor.scheme else tensor.dtype)
    for node in graph.nodes:
        if node.name in gone:
            continue
        if node.name in merged:
            first, operator = merged[node.name]
            found.add_node(node.name, operator, *first.inputs)  # type: ignore[arg-type]
        else:
            found.add_node(node.name, node.operator, *node.inputs)
    return found.finish(*graph.outputs)


def fold_batch_norm(graph: Graph) -> Graph:
    """w * gain and bias * gain + offset, computed in float64 and rounded once.

    A batch normalisation stays where something else reads the convolution's result too, where limits stand between
    them, and where there is no convolution before it.
    """
    return _merging(graph, lambda first, second: second.operator.fold_into(first.operator))


def fuse_activations(graph: Graph) -> Graph:
    """Limits of a clamp become those of the convolution, product or sum before it. No bit changes."""
    def merge(first: Node, second: Node) -> object | None:
        return second.operator.fuse_into(first.operator)
    found = _merging(graph, merge)
    while len(found.nodes) < len(graph.nodes):      # a clamp behind a clamp that has just been taken in
        graph, found = found, _merging(found, merge)
    return found


def simplify(graph: Graph) -> Graph:
    """Batch normalisation folded, then limits fused."""
    return fuse_activations(fold_batch_norm(graph))


def fuse_requantization(graph: Graph) -> Graph:
    """Of flow `ncnn`: int32 sums made real and then int8 again become int8 at once. No bit changes.

    Where a convolution is read by convolutions only, that all take the same steps, and is no result of the graph.
    """
    def sums(node: Node) -> bool:
        return isinstance(node.operator, AccumulatorConv2d)
    consumers, makers = _consumers(graph), {name: node for node in graph.nodes for name in node.results}
    fused: dict[str, RequantizeAcc] = {}
    gone: dict[str, str] = {}       # int8 that was made of a result -> the result, which is int8 now
    for node in graph.nodes:
        one, name = node.operator, node.results[0]
        readers = consumers[name]
        if type(one) is not DequantizeAcc or not sums(makers[node.inputs[0]]) or name in graph.outputs or not readers:
            continue
        quantizers = [reader.operator for reader in readers
                      if isinstance(reader.operator, QuantizeInt8) and reader.results[0] not in graph.outputs]
        steps = {operator.steps for operator in quantizers}
        behind = [last for reader in readers for last in consumers[reader.results[0]]]
        if len(quantizers) == len(readers) and len(steps) == 1 and all(map(sums, behind)):
            fused[node.name] = RequantizeAcc(one.factor, one.bias, steps.pop(), one.low, one.high)
            gone |= {reader.name: name for reader in readers}
    found = Graph(graph.name)
    for name in graph.inputs:
        tensor = graph.tensors[name]
        found.add_input(name, tensor.shape, tensor.scheme, None if tensor.scheme else tensor.dtype)
    for node in graph.nodes:
        if node.name not in gone:
            found.add_node(node.name, fused.get(node.name, node.operator),
                           *(gone.get(name, name) for name in node.inputs))
    return found.finish(*graph.outputs)


class PassChange(NamedTuple):
    """A node that a pass changed.

    name     of the node in the new graph
    before   what it was: operators, in order
    after    what it is
    """

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after}"


def _said(node: Node) -> str:
    low, high = getattr(node.operator, "low", -np.inf), getattr(node.operator, "high", np.inf)
    cut = "" if not np.isfinite([low, high]).any() else f" [{low:g}, {high:g}]"
    return f"{node.kind}{cut}"


def diff(before: Graph, after: Graph) -> list[PassChange]:
    """What differs between a graph and what a pass made of it: nodes that took others in, or are others.

    Nodes are the same if they have a name, an operator and inputs in common.
    """
    old = {node.name: node for node in before.nodes}
    kept = {node.name for node in after.nodes}
    makers = {name: node for node in before.nodes for name in node.results}
    found = []
    for node in after.nodes:
        was = old.get(node.name)
        if was is not None and was.operator is node.operator and was.inputs == node.inputs:
            continue
        chain: list[Node] = [] if was is None else [was]
        while chain and (first := makers.get(chain[0].inputs[0])) is not None and first.name not in kept:
            chain.insert(0, first)
        found.append(PassChange(node.name, " + ".join(map(_said, chain)) or "nothing", _said(node)))
    return found
