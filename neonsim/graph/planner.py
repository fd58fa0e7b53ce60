"""Where tensors lie: one arena, in which a place is used again as soon as nobody will read what is there.

    lives      from the node that writes a tensor to the last one that reads it
    inside     a tensor that a concatenation takes lies within the result, between its neighbours' channels
    joined     what an addition adds to as soon as it is made lies where the sum will
    peak       most bytes alive at one time: what no arena can do without

Tensors are placed largest first, each at the lowest place that is free for all of its life.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from neonsim.errors import BackendError
from neonsim.graph.graph import Concat, Graph, Node

__all__ = ["Arena", "Slot", "joins", "place"]

ALIGNMENT = 64      # bytes: a cache line


@dataclass(frozen=True)
class Slot:
    """Where a tensor lies.

    offset   int   of its first byte in the arena
    stride   int   bytes from one pixel to the next; its channels, or more inside a concatenation
    first    int   number of the node that writes it, -1 for the input
    last     int   number of the last node that reads it; the number of nodes for the result
    """

    offset: int
    stride: int
    first: int
    last: int


@dataclass(frozen=True)
class Arena:
    """The plan of an arena.

    slots    {tensor: Slot}
    nbytes   int   of the arena
    peak     int   most bytes alive at one time
    """

    slots: Mapping[str, Slot]
    nbytes: int
    peak: int


def joins(graph: Graph) -> dict[str, str]:
    """Additions that are done with the product before them, tile by tile: {addition: product}.

    The product's result is of the sum's shape and nobody else reads it; so the sum may take its place.
    """
    readers = Counter(name for node in graph.nodes for name in node.inputs)
    found = {}
    for before, node in pairwise(graph.nodes):
        alike = {graph.tensors[name].shape for name in (*node.inputs, node.name)}
        if (before.name in node.inputs and readers[before.name] == 1 and before.name != graph.output and len(alike) == 1
                and _layer(graph, node) == "add" and _layer(graph, before) == "conv"):
            found[node.name] = before.name
    return found


def _layer(graph: Graph, node: Node) -> str | None:
    """The kind of layer that a node is in the C library, None where it is none."""
    if isinstance(node.operator, Concat):
        return None
    try:
        return node.operator.native_layer(*(graph.tensors[name].shape for name in node.inputs)).kind
    except BackendError:
        return None


def _homes(graph: Graph, joined: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """For every tensor the one it lies in (often itself) and how many channels in."""
    homes = {name: (name, 0) for name in graph.tensors}
    for node in reversed(graph.nodes):      # an outer concatenation finds its home first
        if node.name in joined:
            homes[joined[node.name]] = homes[node.name]
        if not isinstance(node.operator, Concat):
            continue
        home, start = homes[node.name]
        for name in node.inputs:
            # A tensor can lie in one place only; what is there already, the input, or a result is copied instead.
            if homes[name] == (name, 0) and name not in ("input", graph.output) and node.inputs.count(name) == 1:
                homes[name] = (home, start)
            start += graph.tensors[name].shape[-1]
    return homes


def place(graph: Graph, keep: bool = False, joined: Mapping[str, str] | None = None) -> Arena:
    """Give every tensor of a graph a place.

    keep     bool   every tensor stays to the end: to look at all results, at the price of memory
    joined   {addition: product}   as of `joins`, to lie in one place unless kept

    >>> from neonsim.graph.models import mobilenet_v2
    >>> arena = place(mobilenet_v2(0.25, 96))
    >>> arena.nbytes <= 1.1 * arena.peak
    True
    """
    count = len(graph.nodes)
    homes = _homes(graph, {} if joined is None or keep else joined)
    first = {"input": -1, **{n.name: i for i, n in enumerate(graph.nodes)}}
    last = dict(first)
    for i, node in enumerate(graph.nodes):
        for name in node.inputs:
            last[name] = i
    last[graph.output] = count
    roots: dict[str, list[int]] = {}
    for name, (home, _) in homes.items():
        span = roots.setdefault(home, [first[home], last[home]])
        span[0], span[1] = min(span[0], first[name]), max(span[1], count if keep else last[name])
    sizes = {home: graph.tensors[home].nbytes for home in roots}
    peak = max((sum(sizes[h] for h, (a, b) in roots.items() if a <= at <= b) for at in range(-1, count + 1)), default=0)
    offsets: dict[str, int] = {}
    for home in sorted(roots, key=lambda h: (-sizes[h], roots[h][0])):
        begin, end = roots[home]
        taken = sorted((offsets[o], offsets[o] + sizes[o]) for o in offsets
                       if roots[o][0] <= end and begin <= roots[o][1])
        at = 0
        for low, high in taken:
            if at + sizes[home] <= low:
                break
            at = max(at, -(-high // ALIGNMENT) * ALIGNMENT)
        offsets[home] = at
    nbytes = max((offsets[h] + sizes[h] for h in offsets), default=0)
    slots = {name: Slot(offsets[home] + start, graph.tensors[home].shape[-1], first[name], roots[home][1])
             for name, (home, start) in homes.items()}
    return Arena(slots, nbytes, peak)
