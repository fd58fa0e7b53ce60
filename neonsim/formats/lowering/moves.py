"""Operators that only move elements."""

from __future__ import annotations

from neonsim import ops
from neonsim.formats.lowering.base import Cannot, Kind, Lowering
from neonsim.formats.record import Entry
from neonsim.graph import Concat, Reshape, Split, Transpose

__all__ = ["KINDS"]


def _reshape(of: Lowering, entry: Entry) -> None:
    """Files whose images have their channels first, and where that matters: `before` and `after` turn the axes."""
    type_, name, shape = of.type_of(of.stored(entry, 0)), of.name(entry, 0), of.result(entry).shape or (1,)
    before, after = entry.attributes.get("before"), entry.attributes.get("after")
    if before:
        name = of.between(entry, "channels first", Transpose(type_, before), name)
    if after:
        name = of.between(entry, "as rows", Reshape(type_, entry.attributes["given"]), name)
        of.add(entry, Transpose(type_, after), name)
        return
    of.add(entry, Reshape(type_, shape), name)


def _transpose(of: Lowering, entry: Entry) -> None:
    of.add(entry, Transpose(of.type_of(of.stored(entry, 0)), entry.attributes["axes"]), of.name(entry, 0))


def _folded(of: Lowering, entry: Entry) -> None:
    """Nothing is left to do: it has become part of another node, or was computed while reading."""


def _pad(of: Lowering, entry: Entry) -> None:
    amounts, x = of.constant(entry, 1, "amounts"), of.stored(entry, 0)
    if amounts.dtype.kind not in "iu" or amounts.shape != (len(x.shape), 2):
        raise Cannot(f"its amounts are {amounts.dtype} {list(amounts.shape)}; whole numbers [{len(x.shape)}, 2] are "
                     "taken.")
    value = of.whole_number(entry, 2, "value", -128, 255) if len(entry.inputs) > 2 else None
    operator = ops.Pad(of.scheme(x), amounts=[(int(a), int(b)) for a, b in amounts], value=value)
    of.add(entry, operator, of.name(entry, 0))


def _concatenation(of: Lowering, entry: Entry) -> None:
    if entry.attributes.get("activation", "none") != "none":
        raise Cannot("an activation after joining is not there.")
    of.add(entry, Concat(of.type_of(of.stored(entry, 0)), int(entry.attributes["axis"])),
           *(of.name(entry, which) for which in range(len(entry.inputs))))


def _splits(of: Lowering, entry: Entry, x: int, axis: int, parts: int | list[int]) -> None:
    first = of.result(entry).name
    made = of.graph.add_node(f"{first} (split)", Split(of.type_of(of.stored(entry, x)), parts, axis), of.name(entry, x))
    of.made.append(made)
    results = of.graph.results(made)
    if len(results) != len(entry.outputs):
        raise Cannot(f"it has {len(entry.outputs)} results; {len(results)} parts were made.")
    of.names |= dict(zip(entry.outputs, results, strict=True))


def _split(of: Lowering, entry: Entry) -> None:
    rank = len(of.stored(entry, 1).shape)
    _splits(of, entry, 1, of.whole_number(entry, 0, "axis", -rank, rank - 1), int(entry.attributes["parts"]))


def _split_sizes(of: Lowering, entry: Entry) -> None:
    sizes, shape = of.whole_numbers(entry, 1, "sizes"), of.stored(entry, 0).shape
    axis = of.whole_number(entry, 2, "axis", -len(shape), len(shape) - 1)
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    _splits(of, entry, 0, axis, sizes)


KINDS: dict[str, Kind] = {
    "concatenation": _concatenation, "folded": _folded, "pad": _pad, "reshape": _reshape, "split": _split,
    "split_sizes": _split_sizes, "transpose": _transpose,
}
