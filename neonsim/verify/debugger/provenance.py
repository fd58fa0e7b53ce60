"""One element of a tensor: the operator that made it, from which numbers. Moves are followed to where it comes from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.graph import DataMovement, Node
from neonsim.nn.ops import Operator
from neonsim.nn.ops.explain.element import ElementTrace, account
from neonsim.verify.debugger.locations import Index, TensorElement, index_of
from neonsim.verify.debugger.runtimes import Rules

__all__ = ["ElementOrigin", "main_operator", "origin"]

FIRST = 1 << 40


@dataclass(frozen=True, eq=False)
class ElementOrigin:
    """Where an element comes from.

    value      int or float
    node       Node or None            of the graph, that computed it; None: no node
    index      (int, ...)              in that node's result
    inputs     (array, ...)            that the node read
    account    Account or None
    trail      (str, ...)              moves on the way, the last first
    description  str                     where no node computed it: what it is
    """

    value: int | float
    node: Node | None
    index: Index
    inputs: tuple[NDArray[Any], ...] = ()
    account: ElementTrace | None = None
    trail: tuple[str, ...] = ()
    description: str = ""

    @property
    def operator(self) -> Operator | None:
        """What computed it."""
        return None if self.node is None or self.node.operator.moves else cast(Operator, self.node.operator)

    @property
    def flat(self) -> int:
        """Place in the memory of the node's result."""
        assert self.operator is not None
        shape = self.operator.output_shape(*(one.shape for one in self.inputs))
        return int(np.ravel_multi_index(self.index, shape))


def origin(rules: Rules, values: Mapping[int, NDArray[Any]], place: TensorElement) -> ElementOrigin:
    """Return how a side made an element.

    values   tensors of the file: at least what the layer reads
    """
    made: dict[str, NDArray[Any]] = {}
    name = rules.lowered.tensors[place.number]
    shape = rules.lowered.graph.tensors[name].shape
    here = rules.model.record.tensors[place.number]
    flat = int(np.ravel_multi_index(here.index_from_file(place.index), here.in_graph.shape or (1,)))
    index, trail = index_of(flat, shape), list[str]()
    while True:
        node = rules.node_of.get(name)
        if node is None:
            return ElementOrigin(rules.value(name, values, made)[index].item(), None, index, trail=tuple(trail),
                                 description="an input of the network")
        inputs = tuple(rules.value(one, values, made) for one in node.inputs)
        if node.operator.moves:
            before = _before(cast(DataMovement, node.operator), inputs, node.results.index(name), index)
            if before is None:
                return ElementOrigin(rules.value(name, values, made, fresh=True)[index].item(), None, index,
                                     trail=tuple(trail), description=f"filled in by a {node.kind}" if inputs else
                                     "a constant of the file")
            which, source = before
        else:
            value = rules.value(name, values, made, fresh=True)[index].item()
            found = account(cast(Operator, node.operator), inputs, index, value, *_axes(rules, node))
            if found.moved is None:
                return ElementOrigin(value, node, index, inputs, found, tuple(trail))
            which, source = found.moved
        trail.append(f"{node.kind} of {node.inputs[which]!r}: its element {_told(rules, node.inputs[which], source)}, "
                     f"moved to {_told(rules, name, index)} of {name!r}")
        name, index = node.inputs[which], source


def _told(rules: Rules, name: str, index: Index) -> list[int]:
    """An index of a tensor of the graph as the file has it, where it is one of the file's."""
    number = next(iter(rules.numbers.get(name, ())), None)
    return list(index if number is None else rules.model.record.tensors[number].index_to_file(index))


def _axes(rules: Rules, node: Node) -> tuple[Index | None, Index | None]:
    """In which order the file has the axes of what a node reads, and of its weights."""
    tensors, place = rules.model.record.tensors, rules.entry_of[node.name]
    entry = next(entry for entry in rules.model.record.nodes if entry.place == place)
    x, w = (None if number is None or tensors[number].order is None else
            tensors[number].index_to_file(tuple(range(len(tensors[number].shape))))
            for number in (*entry.inputs[:2], None, None)[:2])
    return x, w


def _before(move: DataMovement, inputs: Sequence[NDArray[Any]], result: int, index: Index) -> tuple[int, Index] | None:
    """(number of the input, index in it) of an element that was moved, None for one that is no input's.

    Numbers are moved in place of the elements: FIRST and more, which no move fills in by itself.
    """
    if not inputs:
        return None
    starts = FIRST + np.cumsum([0, *(one.size for one in inputs)])
    numbers = [np.arange(start, start + one.size).reshape(one.shape)
               for start, one in zip(starts[:-1], inputs, strict=True)]
    flat = int(move.reference(*numbers)[result][index])
    if flat < FIRST:
        return None
    which = int(np.searchsorted(starts, flat, side="right")) - 1
    return which, index_of(flat - int(starts[which]), inputs[which].shape)


def main_operator(rules: Rules, number: int, values: Mapping[int, NDArray[Any]]
                  ) -> tuple[Operator, tuple[NDArray[Any], ...]] | None:
    """(operator, its inputs) whose result is this tensor, element by element in order; None if there is no such."""
    made: dict[str, NDArray[Any]] = {}
    name = rules.lowered.tensors[number]
    size = math.prod(rules.lowered.graph.tensors[name].shape)
    node = rules.node_of.get(name)
    while node is not None and node.operator.moves:
        if node.operator.kind != "reshape":
            return None
        name = node.inputs[0]
        node = rules.node_of.get(name)
    if node is None or math.prod(rules.lowered.graph.tensors[name].shape) != size:
        return None
    return cast(Operator, node.operator), tuple(rules.value(one, values, made) for one in node.inputs)
