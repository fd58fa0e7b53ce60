"""From a network of real numbers to one of integers: a flow for each library's way.

    tflite, qnnpack, shift-only   every tensor has a scheme, integers flow           neonsim.graph.flows
    ncnn, ncnn-fused              steps per unit, real numbers between layers        neonsim.graph.ncnn_flows

Both ends are real in all of them, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from neonsim.errors import BadArgument
from neonsim.graph.flows import SCHEMES, quantise_by_schemes
from neonsim.graph.graph import Graph
from neonsim.graph.ncnn_flows import WAYS, quantise_by_steps

__all__ = ["FLOWS", "quantise"]

FLOWS = (*SCHEMES, *WAYS)


def quantise(graph: Graph, flow: str = "tflite", *, calibration: Iterable[Any], method: str = "minmax") -> Graph:
    """A network of real numbers as one of integers.

    graph         of float32; batch normalisations and limits are folded and fused first
    flow          a name of FLOWS
    calibration   inputs, each of the graph's shape: what the network is used on
    method        a name of `neonsim.quant.calibration.METHODS`, for activations; weights reach their largest size
    ->            Graph that takes and gives float32

    Raises BadArgument for another flow or method, calibration that is empty or no finite numbers, and an operator
    that the flow does not take, by its name.
    """
    if flow not in FLOWS:
        raise BadArgument(f"flow is {', '.join(map(repr, FLOWS))}; got {flow!r}.")
    if flow in WAYS:
        return quantise_by_steps(graph, flow, calibration=calibration, method=method)
    return quantise_by_schemes(graph, flow, calibration=calibration, method=method)
