"""Where a dump lacks the tensors between: causes in a layer before the one that differs, or in all of them.

The layers between what the dump has and the first tensor that differs are computed again, with one thing done wrongly
in one of them, or in every one where it can be done; the tensor that differs must come out, byte for byte.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from neonsim.nn.formats.ir import IRNode
from neonsim.verify.debugger.causes import Cause, Make, variants_of
from neonsim.verify.debugger.locations import short_name
from neonsim.verify.debugger.pairs import MatchedElement, RuntimePair
from neonsim.verify.debugger.provenance import main_operator
from neonsim.verify.debugger.runtimes import Values

__all__ = ["causes_before"]

MAX_PRODUCTS = 1 << 23     # of all layers between: each is computed some hundred times
MAX_LAYERS = 12

FEWEST = 4                  # values that differ: fewer would fit some cause by chance

Kind = tuple[str, int]      # words without numbers, and which of those with these words
Places = dict[Kind, list[str]]      # words of a kind, of each layer that it changes


def causes_before(pair: RuntimePair, match: MatchedElement, found: frozenset[int]) -> tuple[Cause, ...]:
    """Return what makes all values of the tensor that differs, done in a layer before it or in every layer.

    found   tensors that the dump has, and inputs

    () where nothing lies between, where no cause makes them, and where too much lies between to be tried.
    """
    entries = _between(pair, match, found)
    if len(entries) < 2 or len(entries) > MAX_LAYERS or sum(_products(pair, one) for one in entries) > MAX_PRODUCTS:
        return ()
    wanted = match.b_tensors[match.place.number]
    if int((pair.a.layer(entries[-1].place, match.state)[match.place.number].reshape(-1) != wanted.reshape(-1)).sum()
           ) < FEWEST:
        return ()
    places: Places = {}
    # What is done in one layer explains more simply than what is done in all.
    for tries in (_in_one(pair, entries, match, places), _in_all(pair, entries, match, places)):
        causes = {words: _cause(words, pair, match) for words, made in tries
                  if np.array_equal(np.reshape(made, -1), wanted.reshape(-1))}
        if causes:
            return tuple(causes.values())
    return ()


def _between(pair: RuntimePair, found: MatchedElement, known: frozenset[int]) -> list[IRNode]:
    """Nodes whose results the dump lacks, on which the tensor depends; the node that makes it last."""
    wanted, chosen = {found.place.number}, set[int]()
    for entry in reversed(pair.model.record.nodes):
        if wanted & set(entry.outputs):
            chosen.add(entry.place)
            wanted |= {number for number in entry.inputs if number is not None and number not in known}
    return [entry for entry in pair.model.record.nodes if entry.place in chosen]


def _products(pair: RuntimePair, entry: IRNode) -> int:
    graph = pair.a.lowered.graph
    return sum(max(graph.macs_of(graph.node(name)), math.prod(graph.tensors[name].shape))
               for name in pair.a.lowered.nodes.get(entry.place, ()))


def _kinds(pair: RuntimePair, entry: IRNode, state: Values) -> Iterator[tuple[Kind, str, Callable[[], Values]]]:
    """What can be done wrongly in a layer: its kind, that other layers have too, words, and what makes the result."""
    number = entry.outputs[0] if len(entry.outputs) == 1 else None
    made = None if number is None or number not in pair.a.lowered.tensors else main_operator(pair.a, number, state)
    if made is None or number is None:
        return
    tensor, counts = pair.model.record.tensors[number], Counter[str]()

    def result(make: Make) -> Values:
        found = make()
        return {} if found is None else {number: tensor.to_file(found).reshape(tensor.shape or (1,))}

    for words, make in variants_of(*made):
        kind = re.sub(r"-?\d+", "#", words)
        counts[kind] += 1
        yield (kind, counts[kind]), words, partial(result, make)


def _changing(pair: RuntimePair, entry: IRNode, state: Values) -> dict[Kind, tuple[str, Values]]:
    """Those that change the layer's values."""
    right = pair.a.layer(entry.place, state)
    made = {kind: (words, make()) for kind, words, make in _kinds(pair, entry, state)}
    return {kind: (words, values) for kind, (words, values) in made.items()
            if any(not np.array_equal(values[number], right[number]) for number in values)}


def _everywhere(pair: RuntimePair, entries: list[IRNode], state: Values, kind: Kind) -> Values:
    """These layers again, with one kind of cause in each that has it."""
    values = dict(state)
    for entry in entries:
        make = next((make for one, _, make in _kinds(pair, entry, values) if one == kind), None)
        values |= pair.a.layer(entry.place, values)
        values |= {} if make is None else make()
    return values


def _in_one(pair: RuntimePair, entries: list[IRNode], found: MatchedElement,
            places: Places) -> Iterator[tuple[str, Any]]:
    """Words, and what the tensor is with the cause that they name in one layer before it. Fills `places`."""
    for at, entry in enumerate(entries):
        name = short_name(pair.model.record.tensors[entry.outputs[0]].name)
        for kind, (words, made) in _changing(pair, entry, found.state).items():
            places.setdefault(kind, []).append(words)
            if at < len(entries) - 1:
                values = {**found.state, **made}
                for later in entries[at + 1:]:
                    values |= pair.a.layer(later.place, values)
                yield f"in the layer {name!r} before it: {words}", values[found.place.number]


def _in_all(pair: RuntimePair, entries: list[IRNode], found: MatchedElement,
            places: Places) -> Iterator[tuple[str, Any]]:
    """The same in every layer where it changes anything."""
    for kind, words in places.items():
        if len(words) > 1:
            yield f"in each of {len(words)} layers, as in the first: {words[0]}", _everywhere(
                pair, entries, found.state, kind)[found.place.number]


def _cause(words: str, pair: RuntimePair, found: MatchedElement) -> Cause:
    assert found.place.entry is not None
    right = pair.a.layer(found.place.entry.place, found.state)[found.place.number]
    theirs = found.b_tensors[found.place.number].reshape(right.shape)
    index = found.place.index
    return Cause(words, "", int((right != theirs).sum()), int(np.ravel_multi_index(index, right.shape)),
                 f"{right[index]} becomes {theirs[index]}")
