"""Where blocks of memory lie that live from one step to another: three ways, and what none of them can do without.

    largest-first       the largest block first, each at the lowest place that is free for all of its life; where that
                        takes more than the bound, again with what sticks out before all others, some times
    reference-counts    step after step, as a library does that counts readers: what a step makes is taken from a list
                        of free pieces, then what the step needs for itself, taken and given back at once, then what has
                        no reader left is given back. Pieces are split, and joined when all parts of one are free
    no-reuse            one behind the other: what a run would take that gives nothing back

    bound               most bytes alive at one step: what no way can do without

An allocator that places the largest first knows all lives beforehand; reference counts know those up to now, so
they fit a run as well as a plan. Places begin at cache lines, so elements of any type lie at multiples of their size.

Source: (E02, E09, E10): MNN `source/core/BufferAllocator.cpp`, `source/core/Pipeline.cpp` of 2020.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from neonsim.errors import BadArgument

__all__ = ["ALIGNMENT", "METHODS", "ArenaBlock", "ArenaLayout", "bound", "place_blocks"]

ALIGNMENT = 64      # bytes: a cache line


class ArenaBlock(NamedTuple):
    """Memory that must stay as it is from one step to another, both included.

    name     str
    nbytes   int
    first    int   the step that writes it
    last     int   the last step that reads it; a block of one step alone is that step's scratch memory
    scratch  bool  it is no tensor's result: taken after the results of its step, and given back before them
    """

    name: str
    nbytes: int
    first: int
    last: int
    scratch: bool = False


class ArenaLayout(NamedTuple):
    """Where blocks lie.

    offsets   {block: int}   first byte of each
    nbytes    int            of all memory
    """

    offsets: Mapping[str, int]
    nbytes: int


def bound(blocks: Sequence[ArenaBlock]) -> int:
    """Most bytes alive at one step.

    >>> bound([ArenaBlock("a", 100, 0, 1), ArenaBlock("b", 50, 1, 2), ArenaBlock("c", 80, 2, 3)])
    150
    """
    change: dict[int, int] = {}
    for block in blocks:
        change[block.first] = change.get(block.first, 0) + block.nbytes
        change[block.last + 1] = change.get(block.last + 1, 0) - block.nbytes
    alive = most = 0
    for step in sorted(change):
        alive += change[step]
        most = max(most, alive)
    return most


def place_blocks(blocks: Sequence[ArenaBlock], method: str = "largest-first") -> ArenaLayout:
    """Give every block a place.

    blocks   names differ, sizes are 0 and more, first <= last
    method   one of METHODS

    Raises BadArgument for another way, and for a block that ends before it begins.

    >>> blocks = [ArenaBlock("a", 64, 0, 1), ArenaBlock("b", 128, 1, 2), ArenaBlock("c", 64, 2, 3)]
    >>> {way: place_blocks(blocks, way).nbytes for way in METHODS}
    {'largest-first': 192, 'reference-counts': 192, 'no-reuse': 256}
    """
    if method not in METHODS:
        raise BadArgument(f"memory must be laid out by {', '.join(METHODS)}; got {method!r}.")
    for block in blocks:
        if block.first > block.last or block.nbytes < 0:
            raise BadArgument(f"{block.name} lives from step {block.first} to {block.last} with {block.nbytes} bytes: "
                              f"which is not a valid interval.")
    if len({block.name for block in blocks}) != len(blocks):
        raise BadArgument("two memory blocks have the same name.")
    offsets = METHODS[method](blocks)
    return ArenaLayout(offsets, _end(blocks, offsets))


def _lines(nbytes: int) -> int:
    """Up to whole cache lines."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def _largest_first(blocks: Sequence[ArenaBlock]) -> dict[str, int]:
    order = sorted(blocks, key=lambda one: (-one.nbytes, one.first))
    found, goal = _in_order(order), bound(blocks)
    best, least = found, _end(blocks, found)
    for _ in range(_SECOND_LOOKS):
        if least <= goal:
            break
        # What sticks out was placed too late, when what it needs was in pieces.
        highest = max(order, key=lambda one: found[one.name] + one.nbytes)
        order.remove(highest)
        found = _in_order(order := [highest, *order])
        if (end := _end(blocks, found)) < least:
            best, least = found, end
    return best


_SECOND_LOOKS = 8


def _end(blocks: Sequence[ArenaBlock], offsets: Mapping[str, int]) -> int:
    return max((offsets[block.name] + block.nbytes for block in blocks), default=0)


def _in_order(blocks: Sequence[ArenaBlock]) -> dict[str, int]:
    """Block after block, each at the lowest place that is free for all of its life."""
    placed: list[tuple[int, int, int, int]] = []        # (first byte, behind the last, first step, last step), by bytes
    found = {}
    for name, nbytes, first, last, _ in blocks:
        at = 0
        for low, end, begin, until in placed:
            if begin <= last and first <= until:
                if at + nbytes <= low:
                    break
                if end > at:
                    at = end
        insort(placed, (at, _lines(at + nbytes), first, last))
        found[name] = at
    return found


def _no_reuse(blocks: Sequence[ArenaBlock]) -> dict[str, int]:
    offsets, at = {}, 0
    for block in blocks:
        offsets[block.name] = at
        at += _lines(block.nbytes)
    return offsets


class _Piece:
    """A piece of memory: whole, or a part of another."""

    def __init__(self, at: int, nbytes: int, parent: _Piece | None) -> None:
        self.at, self.nbytes, self.parent = at, nbytes, parent
        self.used = 0       # parts that are taken


class _Pieces:
    """A list of free pieces; what fits none of them is a new piece at the end."""

    def __init__(self) -> None:
        self.free: list[_Piece] = []
        self.end = 0

    def take(self, nbytes: int) -> _Piece:
        """The smallest that is large enough, split if something is left."""
        fits = [piece for piece in self.free if piece.nbytes >= nbytes]
        if not fits:
            made = _Piece(self.end, nbytes, None)
            self.end += nbytes
            return made
        best = min(fits, key=lambda piece: (piece.nbytes, piece.at))
        self.free.remove(best)
        if best.parent is not None:
            best.parent.used += 1
        if best.nbytes == nbytes:
            return best
        best.used += 1
        self.free.append(_Piece(best.at + nbytes, best.nbytes - nbytes, best))
        return _Piece(best.at, nbytes, best)

    def give_back(self, piece: _Piece) -> None:
        """Free it; where all parts of a piece are free they are one again, and so on."""
        self.free.append(piece)
        whole = piece.parent
        while whole is not None:
            whole.used -= 1
            if whole.used:
                return
            self.free = [one for one in self.free if one.parent is not whole]
            self.free.append(whole)
            whole = whole.parent


def _reference_counts(blocks: Sequence[ArenaBlock]) -> dict[str, int]:
    pieces, taken, offsets = _Pieces(), dict[str, _Piece](), {}
    for step in sorted({step for block in blocks for step in (block.first, block.last)}):
        begin = [block for block in blocks if block.first == step]
        for block in (*(one for one in begin if not one.scratch), *(one for one in begin if one.scratch)):
            taken[block.name] = pieces.take(_lines(block.nbytes))
            offsets[block.name] = taken[block.name].at
        end = [block for block in blocks if block.last == step]
        for block in (*(one for one in end if one.scratch), *(one for one in end if not one.scratch)):
            pieces.give_back(taken.pop(block.name))
    return offsets


METHODS: dict[str, Callable[[Sequence[ArenaBlock]], dict[str, int]]] = {
    "largest-first": _largest_first, "reference-counts": _reference_counts, "no-reuse": _no_reuse}
