"""What a flow costs beside the float network: bytes that its layers read and write, modelled cycles on a core.

    bytes    of tensors, as they are: what a layer reads once and what it writes once; counted
    cycles   of the kernels of a core, on one thread, every access in the first cache; modelled (`neonsim.graph.cycles`)

A layer of the float network may be several nodes of a flow: "conv (quantised)", "conv (sums)" and "conv" are one layer.
Weights are left out of the bytes: they are int8 in every flow. What only renames a tensor moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neonsim.errors import BackendError
from neonsim.graph.cycles import network_cycles
from neonsim.graph.execute import OperatorPlan, plan
from neonsim.graph.graph import Graph, Node
from neonsim.graph.moves import Constant, Reshape
from neonsim.graph.quantising import FLOWS, conversions, quantise
from neonsim.timing import Core, load_core

__all__ = ["FlowCost", "FlowLayer", "flow_cost", "flow_costs"]


@dataclass(frozen=True)
class FlowLayer:
    """One layer of the float network as a flow has it.

    name           str
    read, written  int             bytes of tensors           counted
    cycles         float or None   of its kernels             modelled; None where none of its nodes has a kernel
    without        (str, ...)      kinds of its nodes that no kernel does: their cycles are missing
    """

    name: str
    read: int
    written: int
    cycles: float | None
    without: tuple[str, ...] = ()

    @property
    def moved(self) -> int:
        """Bytes in all."""
        return self.read + self.written


@dataclass(frozen=True)
class FlowCost:
    """A network by one flow on one core.

    flow, core    str
    layers        (FlowLayer, ...)   in the order in which they run
    converted     {str: int}         elements that change their kind of number: `conversions`
    """

    flow: str
    core: str
    layers: tuple[FlowLayer, ...]
    converted: dict[str, int]

    @property
    def moved(self) -> int:
        """Bytes that all layers read and write. Counted."""
        return sum(layer.moved for layer in self.layers)

    @property
    def cycles(self) -> float:
        """Of all layers that kernels do. Modelled."""
        return sum(layer.cycles or 0.0 for layer in self.layers)

    @property
    def without(self) -> tuple[str, ...]:
        """Kinds of operators whose cycles are missing."""
        return tuple(dict.fromkeys(kind for layer in self.layers for kind in layer.without))


def flow_cost(made: Graph, flow: str, core: str | Core = "cortex-a53", isa: str | None = None) -> FlowCost:
    """The cost of a graph that a flow has made.

    core   whose kernels are taken and priced
    isa    None: aarch64 where the core has it

    Raises TimingError for a core that there is not, or that cannot run kernels of `isa`.
    """
    model = load_core(core)
    known = _cycles(made, model, isa)
    layers: dict[str, list[Node]] = {}
    for node in made.nodes:
        layers.setdefault(node.name.partition(" (")[0], []).append(node)
    return FlowCost(flow, model.name, tuple(_layer(made, name, nodes, known) for name, nodes in layers.items()),
                    conversions(made))


def flow_costs(graph: Graph, core: str | Core = "cortex-a53", *, calibration: Iterable[Any],
               flows: Sequence[str] = FLOWS, method: str = "minmax") -> tuple[FlowCost, ...]:
    """A float network by several flows. Arguments and errors as `quantise` and `flow_cost`."""
    inputs = list(calibration)
    return tuple(flow_cost(quantise(graph, flow, calibration=inputs, method=method), flow, core) for flow in flows)


def _cycles(made: Graph, core: Core, isa: str | None) -> dict[str, float]:
    """Modelled cycles by node, of those that have kernels."""
    try:
        prepared = plan(made, ("emulated", "reference"), isa=isa, core=core.name)
        assert isinstance(prepared, OperatorPlan)
        found = network_cycles(prepared, core)
    except BackendError:        # no kernel at all
        return {}
    return {layer.name: layer.cycles for layer in found.layers if layer.cycles is not None}


def _layer(made: Graph, name: str, nodes: Sequence[Node], known: dict[str, float]) -> FlowLayer:
    moving = [node for node in nodes if not isinstance(node.operator, Reshape | Constant)]
    read = sum(made.tensors[tensor].nbytes for node in moving for tensor in node.inputs)
    written = sum(made.tensors[tensor].nbytes for node in moving for tensor in node.results)
    cycles = [known[node.name] for node in nodes if node.name in known]
    without = tuple(node.kind for node in moving if node.name not in known)
    return FlowLayer(name, read, written, sum(cycles) if cycles else None, without)
