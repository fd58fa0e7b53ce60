"""A graph of ours where the debugger takes a network of a file: its tensors and nodes by number, its own arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.lowering import LoweredNode
from neonsim.nn.graph import Graph
from neonsim.nn.graph.graph import Tensor

__all__ = ["GraphModel", "network_of"]

OWN = "graph"       # its arithmetic: every operator says its own


class GraphModel(Model):
    """A graph, as the debugger reads networks: the record says what the graph does."""

    def __init__(self, graph: Graph) -> None:
        names = {name: number for number, name in enumerate(graph.tensors)}
        nodes = tuple(IRNode("", node.kind, place, tuple(names[one] for one in node.inputs),
                             tuple(names[one] for one in node.results)) for place, node in enumerate(graph.nodes))
        super().__init__(ModelIR(graph.name, OWN, tuple(map(_stored, graph.tensors.values())), nodes,
                                 tuple(names[one] for one in graph.inputs),
                                 tuple(names[one] for one in graph.outputs)))
        self._own = LoweredNode(graph, {number: name for name, number in names.items()},
                                {place: (node.name,) for place, node in enumerate(graph.nodes)}, {}, {}, {})

    def rules(self, arithmetic: str | None = None) -> str:
        """Its own. Raises BadArgument for another."""
        if arithmetic not in (None, OWN):
            raise BadArgument(f"{self.record.name} is a graph, whose operators define their rounding. Omit "
                              f"{arithmetic!r}, or write the graph to a file.")
        return OWN

    def lowered(self, arithmetic: str | None = None) -> LoweredNode:
        """Return the graph itself."""
        self.rules(arithmetic)
        return self._own

    def state(self) -> dict[str, NDArray[Any]]:
        return {}


def _stored(tensor: Tensor) -> StoredTensor:
    scheme = tensor.scheme
    return StoredTensor(tensor.name, tensor.shape, tensor.dtype,
                        None if scheme is None else np.array([scheme.scale], np.float32),
                        None if scheme is None else np.array([scheme.zero_point], np.int64))


def network_of(value: Any) -> Any:
    """Return a graph as a network; anything else as it is."""
    return GraphModel(value) if isinstance(value, Graph) else value
