"""A graph in segments: networks of the C library as large as can be, and operators of other backends between them.

One operator without a layer of networks does not keep the others from theirs:

    input -> [ conv, depthwise, add ] -> hard_swish -> [ conv, mean, linear ] -> softargmax -> result
              a network                  an operator    a network                an operator

Who does what is settled when the plan is made; `plan.explain()` says it, and why. The bytes are those of any plan.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, serialized
from neonsim.errors import BackendError, BadArgument, OutOfMemory
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.run import Inputs, OperatorPlan, arrays_of, by_name, one_or_all, refuse_to_bind
from neonsim.nn.graph.select.strategy import default_policy

__all__ = ["GraphSegment", "SegmentPlan", "partition", "unsupported_nodes"]


@dataclass(frozen=True)
class GraphSegment:
    """Nodes that run in one go.

    graph   Graph                       these nodes, with what they read from outside as inputs
    plan    NativePlan, OperatorPlan    one network, or one operator after the other
    reasons  (str, ...)                  why its operators are in no network; () for a network
    """

    graph: Graph
    plan: NativePlan | OperatorPlan
    reasons: tuple[str, ...] = ()

    @property
    def is_network(self) -> bool:
        """Whether it is one call of the C library."""
        return isinstance(self.plan, NativePlan)


def partition(graph: Graph, unable: Collection[str]) -> list[list[Node]]:
    """The nodes in turns: all that networks can do with what is there, then all others that can run, and so on.

    unable   names of nodes that are no layers of networks

    Other moves go along with either side. Every node is in one part, behind all that it reads.
    """
    there, left, parts = set(graph.inputs), list(graph.nodes), []
    networks = True
    while left:
        part = []
        for node in left:
            fits = (node.name in unable) != networks or (node.operator.moves and node.name not in unable)
            if fits and there.issuperset(node.inputs):
                part.append(node)
                there.update(node.results)
        if part:
            parts.append(part)
            taken = {node.name for node in part}
            left = [node for node in left if node.name not in taken]
        networks = not networks
    return parts


def unsupported_nodes(graph: Graph) -> dict[str, str]:
    """Operators that are no layers of networks, and why."""
    return {node.name: why for node in graph.nodes if (why := _alone(graph, node)) is not None}


def _alone(graph: Graph, node: Node) -> str | None:
    """Why a node is no layer of networks, None if it is: asked of the C library itself."""
    if node.operator.moves and node.operator.layout != "gather":
        return None
    try:
        NativePlan(graph.between([node], node.results))
    except OutOfMemory:
        raise
    except BackendError as problem:
        return str(problem)
    return None


class SegmentPlan(Serialized):
    """A graph ready to run in segments; may be used from any thread, one at a time.

    graph      Graph
    segments   (Segment, ...)    in the order in which they run
    backends   {node: str}       who computes each operator
    refusals   (str, ...)        why operators are in no network

    there   backends for operators between networks, by rank
    whys    {node: str}   operators that are no layers of networks: `unsupported_nodes`
    keep    bool   every tensor can be looked at afterwards

    Raises BackendError where none of the backends can do an operator that is no layer.
    """

    def __init__(self, graph: Graph, there: Sequence[str], whys: Mapping[str, str], keep: bool = False) -> None:
        self.graph, self.keep = graph, keep
        self._options = tuple(there), dict(whys), keep
        parts = partition(graph, whys)
        self.segments = tuple(self._segment(part, parts[i + 1:], whys, there) for i, part in enumerate(parts))
        self.refusals = tuple(whys.values())
        self.backends = {name: who for segment in self.segments for name, who in _who(segment).items()}
        used = set(self.backends.values())
        self.backend = ", ".join(name for name in dict.fromkeys(("native", *there)) if name in used)
        self._tensors: dict[str, Any] = {}

    def _segment(self, nodes: list[Node], later: list[list[Node]], whys: Mapping[str, str], there: Sequence[str]
                 ) -> GraphSegment:
        wanted = {name for part in later for node in part for name in node.inputs} | set(self.graph.outputs)
        results = [name for node in nodes for name in node.results if name in wanted]
        part = self.graph.between(nodes, results or nodes[-1].results)
        why = tuple(whys[node.name] for node in nodes if node.name in whys)
        if not why and not all(node.operator.moves for node in nodes):
            return GraphSegment(part, default_policy(part, keep=self.keep))
        return GraphSegment(part, OperatorPlan(part, there), why)

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentPlan, (self.graph, *self._options)        # planned again where it arrives

    def __repr__(self) -> str:
        return f"<SegmentPlan of {self.graph.name}: {len(self.segments)} segments, {self.backend}>"

    def explain(self) -> str:
        """Segment after segment: how it runs, which nodes, and why they are in no network."""
        lines = [f"{self.graph.name}: {len(self.segments)} segments, "
                 f"{sum(one.is_network for one in self.segments)} of them networks of the native backend"]
        for number, segment in enumerate(self.segments):
            first, last = segment.graph.nodes[0].name, segment.graph.nodes[-1].name
            count = len(segment.graph.nodes)
            nodes = first if count == 1 else f"{first} .. {last}"
            how = f"network, {segment.plan.family}" if isinstance(segment.plan, NativePlan) else (
                f"{', '.join(dict.fromkeys(_who(segment).values())) or 'moved'}, operator by operator")
            lines.append(f"{number:>3}  {how}: {count} node{'s' * (count > 1)}, {nodes}")
            lines += [f"     - {why}" for why in dict.fromkeys(segment.reasons)]
        return "\n".join(lines)

    @serialized
    def run(self, x: Inputs | None = None, threads: int = 1) -> Any:
        """The results for inputs; None: for those before. One value, or a tuple in the order of the graph's outputs.

        Raises BadArgument for an input that does not fit, or if there was none yet.
        """
        workers = as_int(threads, "threads", 1, 1024)
        if x is not None:
            arrays_of(self.graph, x)
            self._tensors = by_name(self.graph, x)
        elif any(name not in self._tensors for name in self.graph.inputs):
            raise BadArgument(f"{self.graph.name} has no input yet. Call run(x).")
        for segment in self.segments:
            made = segment.plan.run({name: self._tensors[name] for name in segment.graph.inputs}, workers)
            results = made if isinstance(made, tuple) else (made,)
            self._tensors |= dict(zip(segment.graph.outputs, results, strict=True))
        return one_or_all([self._tensors[name] for name in self.graph.outputs])

    @serialized
    def tensor(self, name: str) -> Any:
        """What a tensor held after the last run: any with keep=True, else what goes between segments, and results."""
        if name not in self.graph.tensors:
            raise BadArgument(f"{self.graph.name} has no tensor {name!r}.")
        if name in self._tensors:
            return self._tensors[name]
        for segment in self.segments:
            if name in segment.graph.tensors:
                return segment.plan.tensor(name)
        raise BadArgument(f"{self.graph.name} has not run yet. Call run(x).")

    def bind(self, inputs: Any, outputs: Any = None) -> Any:
        """Only whole networks are bound: raises BackendError, which says what is none."""
        refuse_to_bind(self)


def _who(segment: GraphSegment) -> dict[str, str]:
    """Who computes each operator of a segment."""
    if isinstance(segment.plan, OperatorPlan):
        return segment.plan.backends
    return {node.name: "native" for node in segment.graph.nodes if not node.operator.moves}
