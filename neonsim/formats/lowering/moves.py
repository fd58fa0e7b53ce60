"""Operators that only move elements."""

from __future__ import annotations

from neonsim import ops
from neonsim.formats.lowering.base import Cannot, Kind, Lowering
from neonsim.formats.record import Entry
from neonsim.graph import Concat, Reshape, Split, picks

__all__ = ["KINDS"]


def _reshape(of: Lowering, entry: Entry) -> None:
    of.add(entry, Reshape(of.type_of(of.stored(entry, 0)), of.result(entry).shape or (1,)), of.name(entry, 0))


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


def _slice(of: Lowering, entry: Entry) -> None:
    shape = of.stored(entry, 0).shape
    begins, sizes = of.whole_numbers(entry, 1, "begins"), of.whole_numbers(entry, 2, "sizes")
    if not len(begins) == len(sizes) == len(shape):
        raise Cannot(f"it has {len(begins)} begins and {len(sizes)} sizes for {list(shape)}.")
    ranges = []
    for begin, size, whole in zip(begins, sizes, shape, strict=True):
        end = whole if size == -1 else begin + size
        if not 0 <= begin < end <= whole:
            raise Cannot(f"it begins at {begins} and takes {sizes} of {list(shape)}: more than there is, or nothing.")
        ranges.append(range(begin, end))
    _pick(of, entry, picks.sliced(of.type_of(of.stored(entry, 0)), shape, ranges))


def _strided_slice(of: Lowering, entry: Entry) -> None:
    """Bit i of a mask speaks of the i-th begin, end and stride."""
    shape, masks = of.stored(entry, 0).shape, entry.attributes
    begins, ends, strides = (of.whole_numbers(entry, which, what)
                             for which, what in ((1, "begins"), (2, "ends"), (3, "strides")))
    if not len(begins) == len(ends) == len(strides) <= len(shape):
        raise Cannot(f"it has {len(begins)} begins, {len(ends)} ends and {len(strides)} strides for {list(shape)}.")
    if masks["ellipsis_mask"] or masks["new_axis_mask"]:
        raise Cannot("its ellipsis and new axes are not taken.")
    ranges, result = [], []
    for axis, size in enumerate(shape):
        if axis >= len(begins):
            ranges.append(range(size))
            result.append(size)
            continue
        begin, end, stride = begins[axis], ends[axis], strides[axis]
        if stride == 0:
            raise Cannot(f"its stride along axis {axis} is 0.")
        if masks["shrink_axis_mask"] >> axis & 1:
            begin += size if begin < 0 else 0
            if not 0 <= begin < size:
                raise Cannot(f"it takes index {begins[axis]} of axis {axis}, which has {size}.")
            ranges.append(range(begin, begin + 1))
            continue
        cut = slice(None if masks["begin_mask"] >> axis & 1 else begin, None if masks["end_mask"] >> axis & 1 else end,
                    stride)
        ranges.append(range(*cut.indices(size)))
        if not ranges[-1]:
            raise Cannot(f"it takes nothing of axis {axis}: {begin} to {end} by {stride} of {size}.")
        result.append(len(ranges[-1]))
    _pick(of, entry, picks.sliced(of.type_of(of.stored(entry, 0)), shape, ranges, tuple(result) or (1,)))


def _pick(of: Lowering, entry: Entry, *found: picks.Pick) -> None:
    """One pick, or several one after the other."""
    name = of.name(entry, 0)
    for number, one in enumerate(found[:-1]):
        name = of.between(entry, f"{one.kind} {number}", one, name)
    of.add(entry, found[-1], name)


KINDS: dict[str, Kind] = {
    "concatenation": _concatenation, "pad": _pad, "reshape": _reshape, "split": _split, "split_sizes": _split_sizes,
    "slice": _slice, "strided_slice": _strided_slice,
}
