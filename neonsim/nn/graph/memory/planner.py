"""Where tensors lie: one arena, in which a place is used again as soon as its data has no more readers.

    lives      from the node that writes a tensor to the last one that reads it
    inside     a tensor that a concatenation takes lies within the result: between its neighbours' channels, or, along
               the outermost axis, behind its neighbours
    joined     what an addition adds to as soon as it is made lies where the sum will
    reshaped   what is only given another shape lies where it will under that shape
    dense      what is moved otherwise has nothing between its pixels, so that it can be copied in long rows
    constant   what is known lies there before the first run, and nothing else ever does
    peak       most bytes alive at one time: what no arena can do without

    scratch    memory that a node needs for itself lies where tensors lie that are dead by then, or not yet alive

Where blocks go that live so long is the matter of `neonsim.nn.graph.memory.allocator`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.graph.data_movement import along
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.memory.allocator import ArenaBlock, bound, place_blocks

__all__ = ["Arena", "Slot", "blocks_of", "joins", "place", "starts"]


@dataclass(frozen=True)
class Slot:
    """Where a tensor lies.

    offset   int   of its first byte in the arena
    stride   int   bytes from one pixel to the next; those of its channels, or more inside a concatenation
    first    int   number of the node that writes it, -1 for inputs
    last     int   number of the last node that reads what lies there; the number of nodes for results
    """

    offset: int
    stride: int
    first: int
    last: int


@dataclass(frozen=True)
class Arena:
    """The plan of an arena.

    slots     {tensor: Slot}
    nbytes    int            of the arena
    peak      int            most bytes alive at one time
    scratch   {node: int}    first byte of what nodes need for themselves
    """

    slots: Mapping[str, Slot]
    nbytes: int
    peak: int
    scratch: Mapping[str, int] = field(default_factory=dict)


def joins(graph: Graph) -> dict[str, str]:
    """Additions that are done with the product before them, tile by tile: {addition: product}.

    The product's result is of the sum's shape and has no other reader; so the sum may take its place.
    """
    readers = Counter(name for node in graph.nodes for name in node.inputs)
    found = {}
    for before, node in pairwise(graph.nodes):
        alike = {graph.tensors[name].shape for name in (*node.inputs, *node.results)}
        if (len(node.inputs) == 2 and before.name in node.inputs and readers[before.name] == 1
                and before.name not in graph.outputs and len(alike) == 1
                and _layer(graph, node) == "add" and _layer(graph, before) == "conv"):
            found[node.name] = before.name
    return found


def _layer(graph: Graph, node: Node) -> str | None:
    """The kind of layer that a node is in the C library, None where it is none."""
    operator: Any = node.operator
    if operator.moves:
        return None
    try:
        return str(operator.network_layer(*(graph.tensors[name].shape for name in node.inputs)).kind)
    except BackendError:
        return None


def starts(graph: Graph, node: Node) -> list[int]:
    """Of a concatenation or a split: where each part begins along the axis."""
    operator: Any = node.operator
    found, start = [], 0
    for name in node.inputs if operator.layout == "join" else node.results:
        shape = graph.tensors[name].shape
        found.append(start)
        start += shape[along(operator.axis, shape)]
    return found


def _outer(graph: Graph, node: Node) -> int:
    """How often the pattern of a concatenation or a split comes again; 1 along the channels, pixel by pixel."""
    operator: Any = node.operator
    shape = graph.tensors[node.inputs[0]].shape
    at = along(operator.axis, shape)
    return 1 if at == len(shape) - 1 else math.prod(shape[:at])


def _dense(graph: Graph) -> set[str]:
    """Tensors between whose pixels nothing may lie: those reshaped, picked, and cut along an axis in the middle."""
    found: set[str] = set()
    for node in graph.nodes:
        if node.operator.dense or (node.operator.layout in ("join", "split") and _outer(graph, node) > 1):
            found |= {*node.inputs, *node.results}
    return found


class _Home(NamedTuple):
    """The tensor that one lies in (often itself), how many bytes in, and its bytes from pixel to pixel."""

    name: str
    offset: int
    stride: int


def _constants(graph: Graph) -> list[str]:
    """Tensors that are written before the first run."""
    return [node.name for node in graph.nodes if node.operator.layout == "constant"]


def _homes(graph: Graph, joined: Mapping[str, str]) -> dict[str, _Home]:
    """For every tensor where it lies."""
    own = {name: _Home(name, 0, tensor.pixel_bytes) for name, tensor in graph.tensors.items()}
    homes, dense = dict(own), _dense(graph)
    fixed = {*graph.inputs, *graph.outputs, *_constants(graph)}
    for node in reversed(graph.nodes):      # an outer concatenation finds its home first
        if node.name in joined:
            homes[joined[node.name]] = homes[node.name]
        operator: Any = node.operator
        if operator.layout == "join" and _outer(graph, node) == 1:
            home = homes[node.name]
            shape = graph.tensors[node.name].shape
            at = along(operator.axis, shape)
            # Bytes from one index of the axis to the next: an element's, or those of the pixels behind it.
            step = graph.tensors[node.name].type.itemsize if at == len(shape) - 1 else \
                math.prod(shape[at + 1:-1]) * home.stride
            places = {name: home._replace(offset=home.offset + start * step)
                      for name, start in zip(node.inputs, starts(graph, node), strict=True)}
        elif operator.layout == "view":
            places = {node.inputs[0]: homes[node.name]._replace(stride=own[node.inputs[0]].stride)}
        else:
            continue
        for name, there in places.items():
            # A tensor can lie in one place only; what is there already, an input, or a result is copied instead.
            if (homes[name] == own[name] and name not in fixed and node.inputs.count(name) == 1
                    and (name not in dense or there.stride == own[name].stride)):
                homes[name] = there
    return homes


class _Lives(NamedTuple):
    """Where tensors lie, and how long: of tensors, and of the blocks that they are or lie within."""

    homes: Mapping[str, _Home]
    first: Mapping[str, int]
    spans: Mapping[str, tuple[int, int]]


def _lives(graph: Graph, keep: bool, joined: Mapping[str, str] | None) -> _Lives:
    count = len(graph.nodes)
    homes = _homes(graph, {} if joined is None or keep else joined)
    first = dict.fromkeys(graph.inputs, -1) | {r: i for i, n in enumerate(graph.nodes) for r in n.results}
    first |= dict.fromkeys(_constants(graph), -1)
    last = dict(first)
    for i, node in enumerate(graph.nodes):
        for name in node.inputs:
            last[name] = i
    for name in (*graph.outputs, *_constants(graph)):
        last[name] = count
    spans: dict[str, tuple[int, int]] = {}
    for name, (home, _, _) in homes.items():
        begin, end = spans.get(home, (first[home], last[home]))
        spans[home] = min(begin, first[name]), max(end, count if keep else last[name])
    return _Lives(homes, first, spans)


def _as_blocks(graph: Graph, lives: _Lives, scratch: Mapping[str, int]) -> list[ArenaBlock]:
    blocks = [ArenaBlock(home, graph.tensors[home].nbytes, *span) for home, span in lives.spans.items()]
    number = {node.name: i for i, node in enumerate(graph.nodes)}
    if lost := scratch.keys() - number.keys():
        raise BadArgument(f"{graph.name} has no node {min(lost, key=str)!r}, which scratch names.")
    # A node's name may be a tensor's too.
    return blocks + [ArenaBlock(f"{name}\0scratch", nbytes, number[name], number[name], scratch=True)
                     for name, nbytes in scratch.items()]


def blocks_of(graph: Graph, keep: bool = False, joined: Mapping[str, str] | None = None,
              scratch: Mapping[str, int] | None = None) -> list[ArenaBlock]:
    """What `place` gives places: a block for each tensor that lies within no other, and for each node's scratch memory.

    The parameters are those of `place`.
    """
    return _as_blocks(graph, _lives(graph, keep, joined), scratch or {})


def place(graph: Graph, keep: bool = False, joined: Mapping[str, str] | None = None,
          scratch: Mapping[str, int] | None = None, method: str = "largest-first") -> Arena:
    """Give every tensor of a graph a place.

    keep      bool   every tensor stays to the end: to look at all results, at the price of memory
    joined    {addition: product}   as of `joins`, to lie in one place unless kept
    scratch   {node: int}   bytes that nodes need for themselves while they run
    method    str    of `neonsim.nn.graph.memory.allocator`

    Raises BadArgument for another way.

    >>> from neonsim.nn.graph.models import mobilenet_v2
    >>> arena = place(mobilenet_v2(0.25, 96))
    >>> arena.nbytes <= 1.05 * arena.peak
    True
    """
    lives = _lives(graph, keep, joined)
    blocks = _as_blocks(graph, lives, scratch or {})
    offsets, nbytes = place_blocks(blocks, method)
    slots = {name: Slot(offsets[home] + start, stride, lives.first[name], lives.spans[home][1])
             for name, (home, start, stride) in lives.homes.items()}
    return Arena(slots, nbytes, bound(blocks), {name: offsets[f"{name}\0scratch"] for name in scratch or {}})
