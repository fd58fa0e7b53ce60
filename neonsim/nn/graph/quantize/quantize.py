"""From a network of floats to one of integers: a flow for each library's way.

    tflite, qnnpack, shift-only, 16x8, onnxruntime   every tensor has a scheme              graph.flows
    ncnn, ncnn-fused              steps per unit, floats between layers               graph.ncnn_flows
    tengine-reference, tengine    int8 without zero points, inherited scales                graph.tengine_flows

Both ends are real in all of them, so that they can be compared. What they have in common is in
`nn.graph.quantize.recipe_base`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.quantize.ncnn import EQ, WAYS, quantize_by_steps, weighted
from neonsim.nn.graph.quantize.recipe_base import check_flow, float32_network
from neonsim.nn.graph.quantize.recipes import SCHEMES, by_ranges, quantize_by_schemes
from neonsim.nn.graph.quantize.tengine import by_tengine, quantize_by_tengine
from neonsim.quant.calibration import METHODS, Range
from neonsim.quant.requant.tengine import RULES

__all__ = ["FLOWS", "calibrate_run", "list_casts", "methods_of", "quantize"]

FLOWS = (*SCHEMES, *WAYS, *RULES)


def quantize(graph: Graph, flow: str = "tflite", *, calibration: Iterable[Any], method: str = "minmax",
             per_channel: bool | None = None) -> Graph:
    """Quantize a float32 network to integers.

    graph         of float32; batch normalisations and limits are folded and fused first
    flow          a name of FLOWS
    calibration   inputs, each of the graph's shape: what the network is used on
    method        a name of `neonsim.quant.calibration.METHODS`, for activations; weights reach their largest size. Of
                  ncnn's flows also "eq": their scales are searched, too
    per_channel   bool   weights have a scale for each result channel, or one; None: as the flow has it
    ->            Graph that takes and gives float32

    Raises BadArgument for another flow or method, calibration that is empty or no finite numbers, and an operator
    that the flow does not take, by its name.
    """
    check_flow(flow, FLOWS)
    if method == EQ and flow not in WAYS:
        raise BadArgument(f"method 'eq' searches the scales of ncnn's layers: use flow {' or '.join(map(repr, WAYS))}, "
                          f"or with {flow!r} one of {', '.join(METHODS)}.")
    of = quantize_by_steps if flow in WAYS else quantize_by_tengine if flow in RULES else quantize_by_schemes
    return of(graph, flow, calibration=calibration, method=method, per_channel=per_channel)


def methods_of(flow: str) -> tuple[str, ...]:
    """The methods of calibration that a flow takes."""
    return (*METHODS, EQ) if flow in WAYS else tuple(METHODS)


def calibrate_run(graph: Graph, flow: str) -> Graph:
    """The operators that a flow makes of a graph, with ranges made up: what can be said of them before calibrating.

    Raises BadArgument as `quantize`.
    """
    simple = float32_network(graph, flow, FLOWS)
    if flow in WAYS:
        return quantize_by_steps(simple, flow, inputs=dict.fromkeys(weighted(simple), 1.0))
    if flow in RULES:
        return by_tengine(simple, flow, dict.fromkeys(simple.tensors, 1.0))
    return by_ranges(simple, flow, dict.fromkeys(simple.tensors, Range(-1.0, 1.0)))


def list_casts(graph: Graph) -> dict[str, int]:
    """Elements that go from one kind of number to another in a run: {"quantised", "dequantised", "requantised"}.

    Requantised are results that go from 32 to 8 bits: of convolutions and products, and by an operator of its own.
    """
    kinds = {"quantization": "quantized", "dequantization": "dequantized", "requantization": "requantized"}
    found = dict.fromkeys(kinds.values(), 0)
    for node in graph.nodes:
        narrow = node.operator.product_kind and graph.tensors[node.results[0]].scheme is not None
        what = "requantized" if narrow else kinds.get(node.operator.kind)
        if what is not None:
            found[what] += graph.tensors[node.results[0]].size
    return found
