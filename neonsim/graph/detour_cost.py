"""ReLU of int8 by three ways, and what each costs (F12, F13).

    maximum   the larger of each byte and 0: 16 bytes an instruction                   s8_clamp
    detour    every byte to a real number and back, in registers                       qs8_clamp_quotient
    buffer    the same by three walks, real numbers in memory between them, as Tengine's reference has it
              x8_f32_vcvt, f32_clamp, f32_qs8_quotient

The bytes are the same where the scale stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neonsim import ops
from neonsim.graph.cycles import network_cycles
from neonsim.graph.execute import OperatorPlan, plan
from neonsim.graph.graph import Graph
from neonsim.ops.detour import DetourClamp, TengineQuantize
from neonsim.ops.floating import RealClamp
from neonsim.quant.scheme import Scheme

__all__ = ["ReluWay", "relu_ways"]

_SCHEME = Scheme(0.05, 0, "int8")


@dataclass(frozen=True)
class ReluWay:
    """One way on one instruction set.

    name, isa      str
    elements       int
    instructions   int     counted
    cycles         float   modelled
    moved          int     bytes that are read and written, of tensors; counted
    """

    name: str
    isa: str
    elements: int
    instructions: int
    cycles: float
    moved: int


def relu_graph(way: str, elements: int) -> Graph:
    """A graph of nothing else, int8 [1, elements] to int8."""
    graph = Graph(f"relu by {way}", (1, elements), _SCHEME)
    if way == "maximum":
        return graph.finish(graph.add_node("relu", ops.Clamp(_SCHEME, output_min=0, output_max=127), "input"))
    if way == "detour":
        return graph.finish(graph.add_node("relu", DetourClamp(_SCHEME, _SCHEME, 0.0), "input"))
    real = graph.add_node("real", ops.Dequantize(_SCHEME), "input")
    cut = graph.add_node("relu", RealClamp(0.0), real)
    return graph.finish(graph.add_node("bytes", TengineQuantize(out=_SCHEME), cut))


def relu_ways(core: str = "cortex-a53", elements: int = 1 << 14) -> tuple[ReluWay, ...]:
    """All ways on both instruction sets of a core."""
    found = []
    for isa in ("aarch64", "aarch32"):
        for way in ("maximum", "detour", "buffer"):
            graph = relu_graph(way, elements)
            made = plan(graph, "emulated", isa=isa, core=core)
            assert isinstance(made, OperatorPlan)
            made.run(_SCHEME.wrap(np.zeros((1, elements), np.int8)))
            cost = network_cycles(made, core)
            moved = sum(graph.tensors[name].nbytes for node in graph.nodes for name in (*node.inputs, *node.results))
            found.append(ReluWay(way, isa, elements, cost.instructions, cost.cycles, moved))
    return tuple(found)
