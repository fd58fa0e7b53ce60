"""What a network of a file is made of, and how every part of it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from neonsim.errors import BackendError
from neonsim.nn.formats.ir import IRNode, ModelIR
from neonsim.nn.formats.lowering import LoweredNode
from neonsim.nn.graph import Graph, Node
from neonsim.nn.graph.plan.partition import partition

__all__ = ["FileReport", "ReportRow", "report_of"]

_MAX_REASONS = 3      # nodes of one line


@dataclass(frozen=True)
class ReportRow:
    """A node of the file.

    place        int               its number, from 0
    operator     str               the file's word
    result       str               name of its first result
    shape        (int, ...)        of that
    kind         str               what it is here: "depthwise 3x3"; "" if it is missing
    runs         str               "network" a layer of native networks, "kernels" one by one, "definition" in numpy
                                   only, "moved" bytes in another place or none, "folded" into another
                                   node, "missing"
    parameters   int               weights and biases, counted
    macs         int               multiply-accumulates, counted
    reason       str               why not better: a sentence, "" for layers
    delegate_reason  str               why the runtime's delegate leaves it to its own kernels, whose rules it has here
                                       too;
                                   "" if not
    """

    place: int
    operator: str
    result: str
    shape: tuple[int, ...]
    kind: str
    runs: str
    parameters: int
    macs: int
    reason: str = ""
    delegate_reason: str = ""


@dataclass(frozen=True)
class FileReport:
    """All nodes, and sums of them. Prints as a table.

    weight_bytes   int   as the file has them
    arena_bytes    int   of all tensors of a run, as native networks place them; 0 where operators are missing
    segments       int   parts of a native run: 1 is one network, more are networks with operators between them; 0 where
                         operators are missing
    """

    name: str
    format: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[ReportRow, ...]
    weight_bytes: int
    arena_bytes: int
    segments: int

    @property
    def missing(self) -> tuple[ReportRow, ...]:
        """Nodes that cannot run."""
        return tuple(row for row in self.rows if row.runs == "missing")

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all nodes."""
        return sum(row.macs for row in self.rows)

    @property
    def parameters(self) -> int:
        """Weights and biases of all nodes."""
        return sum(row.parameters for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {**asdict(self), "macs": self.macs, "parameters": self.parameters}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.name}: {len(self.rows)} nodes, {self.parameters:,} parameters, {self.macs:,} MACs (counted)"
        yield f"in   {', '.join(self.inputs)}"
        yield f"out  {', '.join(self.outputs)}"
        yield f"{'':>4} {'operator':<18}{'shape':<17}{'here':<17}{'runs':<11}{'MACs':>11}"
        for row in self.rows:
            shape = "x".join(map(str, row.shape))
            yield (f"{row.place:>4} {row.operator[:17]:<18}{shape[:16]:<17}{row.kind[:16]:<17}{row.runs:<11}"
                   f"{row.macs or '':>11}")
        whys = list(dict.fromkeys(row.reason for row in self.rows if row.reason))
        yield f"{self.weight_bytes:,} bytes of weights" + (
            f", {self.arena_bytes:,} bytes for all tensors of a run" if self.arena_bytes else "")
        if self.segments > 1:
            yield f"natively it runs in {self.segments} segments: networks, and operators between them"
        left = [row for row in self.rows if row.delegate_reason]
        if left:
            said = "; ".join(f"node {row.place}, {row.operator}: {row.delegate_reason}" for row in left[:_MAX_REASONS])
            more = f"; and {len(left) - _MAX_REASONS} more" if len(left) > _MAX_REASONS else ""
            yield f"by LiteRT's own kernels ('ruy'), as there, what XNNPACK does not take: {said}{more}."
        yield from (f"- {why}" for why in whys)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def _runs(graph: Graph, node: Node) -> tuple[str, str]:
    operator: Any = node.operator
    if operator.moves:
        return "moved", ""
    try:
        operator.network_layer(*(graph.tensors[name].shape for name in node.inputs))
    except BackendError as problem:
        unsupported_reason = operator.unsupported_reason()
        if unsupported_reason is not None:
            return "definition", f"{node.kind}: {unsupported_reason}"
        return "kernels", f"{node.kind}: {problem}"
    return "network", ""


# From what a reader wants to know first to what matters least.
_ORDER = ("missing", "definition", "kernels", "network", "moved")


def _row(record: ModelIR, lowered: LoweredNode, entry: IRNode) -> ReportRow:
    result = record.tensors[entry.outputs[0]] if entry.outputs else None
    name, shape = ("", ()) if result is None else (result.name, result.shape)
    parameters = sum(record.tensors[i].size for i in entry.inputs[1:3]
                     if i is not None and record.tensors[i].data is not None and entry.kind in _PRODUCTS)
    if entry.place in lowered.refusals:
        return ReportRow(entry.place, entry.word, name, shape, "", "missing", parameters, 0,
                         lowered.refusals[entry.place].reason)
    nodes = [lowered.graph.node(one) for one in lowered.nodes[entry.place]]
    found = sorted(((*_runs(lowered.graph, node), node) for node in nodes), key=lambda one: _ORDER.index(one[0]))
    runs, why, main = found[0] if found else ("folded" if entry.kind == "folded" else "moved", "", None)
    return ReportRow(entry.place, entry.word, name, shape, "" if main is None else main.kind, runs, parameters,
                     sum(lowered.graph.macs_of(node) for node in nodes), why,
                     lowered.delegate_reasons.get(entry.place, ""))


def _segments(lowered: LoweredNode) -> int:
    if lowered.refusals:
        return 0
    runs = {node.name: _runs(lowered.graph, node)[0] for node in lowered.graph.nodes}
    return len(partition(lowered.graph, {name for name, how in runs.items() if how in ("kernels", "definition")}))


_PRODUCTS = ("conv2d", "depthwise", "fully_connected")


def report_of(record: ModelIR, lowered: LoweredNode, arena_bytes: int) -> FileReport:
    """A row for every node of the file."""
    rows = tuple(_row(record, lowered, entry) for entry in record.nodes)
    constants = {i for entry in record.nodes for i in entry.inputs if i is not None}
    weights = sum(data.nbytes for i in constants if (data := record.tensors[i].data) is not None)
    def said(numbers: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(f"{record.tensors[i].name}: {record.tensors[i]}" for i in numbers)
    return FileReport(record.name, record.format, said(record.inputs), said(record.outputs), rows, weights, arena_bytes,
                      _segments(lowered))
