"""Where two runs begin to differ in their data.

Two programs, or two runs of one, differ in much that does not matter: addresses, counters, registers that are set up
and overwritten. What matters is what they leave behind. So:

    a result       is an element of a buffer that both runs have by name, other than the stack, that one of them stores
                   to. It differs if they leave other bytes there.
    a pair         is a lane of each run: those that a differing result was last made by (loads, stores and moves only
                   carry bytes, so it is the same pair on their way), and then, where the two lanes of a pair differ and
                   the same arithmetic made both, their k-th sources. Registers may have other names on both sides,
                   and the two programs other instruction sets.
                   Where other arithmetic made them, only the sources that have the same name, and what is accumulated.
    a difference   of data is a pair whose values differ. It comes from before if one of its sources differs too; else
                   it begins there. It begins, too, where
                     other arithmetic made the two lanes,
                     the same arithmetic made other values of the same ones (an immediate, flags),
                     one of them takes another lane or element than the other (v0.h[4] instead of v0.h[5]),
                     or the two runs were given other values.

Addresses, counters and conditions are no sources: a difference in them shows as one of the four. Whatever reaches no
result that differs is no difference of data, whichever registers hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.machine.trace.provenance import MEMORY, ByteLocation, Lineage, ValueOrigin
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace

__all__ = ["TraceDifference", "TraceDifferences", "differences"]

MAX_PAIRS = 50_000  # pairs that are followed
STACK = "stack"
LISTED = 3  # results that are named


@dataclass(frozen=True)
class TraceDifference:
    """One place of both runs at which data differ.

    left, right    the steps behind which the two values are there, counted from 1; 0: they are given so
    begins         it comes from nothing that differs before
    text           what differs, who made it, why, and what it reaches
    """

    left: int
    right: int
    begins: bool
    text: str


@dataclass(frozen=True)
class TraceDifferences:
    """All differences of data of two runs, in the order of the first one's steps.

    results    names of the elements that differ in the end, in the order in which the first run makes them
    followed   whether all of them were gone back from (not if there are more than can be looked at)
    """

    every: tuple[TraceDifference, ...]
    results: tuple[str, ...]
    compared: tuple[str, ...]
    followed: bool = True

    @property
    def first(self) -> TraceDifference | None:
        """Where they begin to differ."""
        return next((one for one in self.every if one.begins), None)

    def __str__(self) -> str:
        """One sentence."""
        if self.first is not None:
            more = "" if self.followed else f" (More differs than the {MAX_PAIRS:,} places that were looked at.)"
            return f"First difference of data: {self.first.text}{more}"
        if not self.compared:
            return "No difference of data to look for: the two runs store to no buffer that both have."
        return f"No difference of data: both runs leave the same bytes in {_listed(self.compared)}."

    def to_dict(self) -> dict[str, Any]:
        """Return what the browser shows, and what programs read."""
        return {"said": str(self), "results": list(self.results), "followed": self.followed,
                "every": [[one.left, one.right, int(one.begins), one.text] for one in self.every]}


@dataclass
class _Pair:
    """Two lanes; `key` orders them, `sources` are the keys of those they were made of, `like` whether they stand for
    the same thing."""

    left: ValueOrigin
    right: ValueOrigin
    result: str
    root: bool = False
    sources: list[_Key] = field(default_factory=list)
    unlike: tuple[str, str] | None = None
    reason: str = ""
    readers: tuple[int, int] = (0, 0)

    @property
    def steps(self) -> tuple[int, int]:
        """Behind which the two values are there; of what was given: those that read it."""
        return (self.left.step or self.left.carried or self.readers[0],
                self.right.step or self.right.carried or self.readers[1])


_Key = tuple[int, int, str, int, int, str, int, int]


def differences(first: Trace, second: Trace, columns: Mapping[str, int] | None = None) -> TraceDifferences:
    """Return where the second run begins to differ from the first in its data, and where it shows; see the module's
    text.

    columns   buffer -> elements per row, for the names of its elements

    Raises BadArgument if only the last steps of a run were kept: its beginning is not there to be looked at.
    """
    for trace in (first, second):
        if trace.first:
            raise BadArgument(f"one of these runs has only its last {trace.steps} steps, so the first difference is "
                              f"unknown. Record all its steps.")
    sides = Lineage(first, dict(columns or {})), Lineage(second, dict(columns or {}))
    places, compared = _results(sides)
    pairs: dict[_Key, _Pair] = {}
    followed = _gather(sides, places, pairs)
    _judge(sides, pairs)
    return TraceDifferences(_told(sides, pairs), tuple(name for name, _, _ in places), compared, followed)


def _results(sides: tuple[Lineage, Lineage]) -> tuple[list[tuple[str, ByteLocation, ByteLocation]], tuple[str, ...]]:
    """Elements that differ in the end, as name and places, in the order of the first run; and the buffers compared."""
    found: list[tuple[tuple[int, int, int], tuple[str, ByteLocation, ByteLocation]]] = []
    compared = []
    homes = {buffer.name: buffer for buffer in sides[1].trace.buffers}
    for buffer in sides[0].trace.buffers:
        other = homes.get(buffer.name)
        if other is None or buffer.name == STACK:
            continue
        ends = [_left_behind(side, one) for side, one in zip(sides, (buffer, other), strict=True)]
        nbytes = min(buffer.nbytes, other.nbytes)
        stored = ends[0][1][:nbytes] | ends[1][1][:nbytes]
        if stored.any():
            compared.append(buffer.name)
        size = np.dtype(buffer.dtype).itemsize
        differs = np.flatnonzero(stored & (ends[0][0][:nbytes] != ends[1][0][:nbytes])) // size * size
        for at in np.unique(differs).tolist():
            here, there = (ByteLocation(MEMORY, one.address + at, min(size, nbytes - at)) for one in (buffer, other))
            steps = [max(int(side.access_step[access]) + 1 if access >= 0 else 0 for access in (
                side.store(place.offset + k, side.steps) for k in range(place.size)))
                for side, place in zip(sides, (here, there), strict=True)]
            found.append(((steps[0], steps[1], at), (sides[0].name(here), here, there)))
    return [one for _, one in sorted(found, key=lambda row: row[0])], tuple(compared)


def _left_behind(side: Lineage, buffer: BufferInfo) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of a buffer at the end, and which of them were stored to."""
    trace, address = side.trace, side.byte_keys // (side.steps + 1)
    data = np.frombuffer(buffer.before, np.uint8).copy()
    stored = np.zeros(buffer.nbytes, bool)
    last = np.append(address[1:] != address[:-1], True)[:len(address)]  # of the stores to one byte, sorted by step
    mine = np.flatnonzero(last & (address >= buffer.address) & (address < buffer.address + buffer.nbytes))
    access, address = side.byte_access[mine], address[mine]
    at = np.asarray(trace.access_data_start, np.int64)[access] + address - np.asarray(trace.access_address)[access]
    data[address - buffer.address] = np.asarray(trace.access_after)[at]
    stored[address - buffer.address] = True
    return data, stored


def _gather(sides: tuple[Lineage, Lineage], places: Iterable[tuple[str, ByteLocation, ByteLocation]],
            pairs: dict[_Key, _Pair]
            ) -> bool:
    """All pairs that differ, back from the results; -> whether there were few enough for all of them."""
    waiting: list[tuple[ByteLocation, int, ByteLocation, int, str, _Pair | None]] = [
        (here, sides[0].steps, there, sides[1].steps, name, None) for name, here, there in reversed(list(places))]
    while waiting:
        if len(pairs) >= MAX_PAIRS:
            return False
        here, now, there, then, result, user = waiting.pop()
        if here.size != there.size:
            continue  # lanes of other widths: other arithmetic, which the pair they belong to says
        if sides[0].data(here, now) == sides[1].data(there, then):
            continue
        left, right = sides[0].find_maker(here, now), sides[1].find_maker(there, then)
        parts = [one for one in (left, right) if isinstance(one, int)]
        if parts:
            size = min(parts)
            waiting += [(here.part(at, nbytes), now, there.part(at, nbytes), then, result, user)
                        for at, nbytes in ((size, here.size - size), (0, size))]
            continue
        assert isinstance(left, ValueOrigin) and isinstance(right, ValueOrigin)
        key: _Key = (left.step, right.step, left.place.location, left.place.offset, left.place.size,
                     right.place.location,
                     right.place.offset, right.place.size)
        if user is not None:
            user.sources.append(key)
        pair = pairs.get(key)
        if pair is None:
            pair = pairs[key] = _Pair(left, right, result, user is None)
            if user is not None:
                pair.readers = user.left.step, user.right.step
            waiting += [(mine, left.step - 1, theirs, right.step - 1, result, pair)
                        for mine, theirs in _sources(left, right)]
        pair.root |= user is None
    return True


def _same(left: ValueOrigin, right: ValueOrigin) -> bool:
    """Whether the same arithmetic made both."""
    return bool(left.step and right.step) and (left.operation, len(left.sources), left.place.size) == (
        right.operation, len(right.sources), right.place.size)


def _sources(left: ValueOrigin, right: ValueOrigin) -> list[tuple[ByteLocation, ByteLocation]]:
    """Those that correspond."""
    if len(left.sources) != len(right.sources):
        return []
    every = list(zip(left.sources, right.sources, strict=True))
    if _same(left, right):
        return every
    return [one for one, names in zip(every, zip(left.names, right.names, strict=True), strict=True)
            if names[0] == names[1] or one == (left.place, right.place)]


def _judge(sides: tuple[Lineage, Lineage], pairs: dict[_Key, _Pair]) -> None:
    """Say why each pair differs, "" where an earlier difference is the cause. Sources come first."""
    for key in sorted(pairs):
        pair = pairs[key]
        left, right = pair.left, pair.right
        own = _at_one_place(left, right)
        if not left.step and not right.step:
            cells = [side.cell(made.place.offset) if made.place.location == MEMORY else (made.place.location,
                                                                                         made.place.offset)
                     for side, made in zip(sides, (left, right), strict=True)]
            if cells[0] == cells[1]:
                pair.reason = "the runs were given different values"
            else:
                pair.unlike = left.name, right.name
        elif not _same(left, right):
            pair.reason = _makers(left, right)
            if not own:
                pair.unlike = left.name, right.name
        elif not pair.sources:
            pair.reason = "made by the same instruction of the same values: flags or modes differ"
        else:
            taken = next((pairs[one].unlike for one in pair.sources if pairs[one].unlike), None)
            if taken is not None:
                pair.reason = f"left takes {taken[0]}, right takes {taken[1]}"
                if not own:
                    pair.unlike = taken
        if pair.root and pair.unlike:
            pair.reason = pair.reason or f"left takes {left.name}, right takes {right.name}"
            pair.unlike = None


def _at_one_place(left: ValueOrigin, right: ValueOrigin) -> bool:
    """Whether the two are the same lane, in whichever registers."""
    return MEMORY in (left.place.location, right.place.location) or (left.place.offset, left.place.size) == (
        right.place.offset, right.place.size)


def _makers(left: ValueOrigin, right: ValueOrigin) -> str:
    if not (left.step and right.step):
        which, other = ("left", "right") if not left.step else ("right", "left")
        return f"{which} it is as it was given, {other} it was worked out"
    return "different arithmetic made them"


def _told(sides: tuple[Lineage, Lineage], pairs: dict[_Key, _Pair]) -> tuple[TraceDifference, ...]:
    """The pairs as differences: those of the same two steps together."""
    groups: dict[tuple[int, int], list[_Pair]] = {}
    for key in sorted(pairs):
        pair = pairs[key]
        if pair.unlike is None:
            groups.setdefault(pair.steps, []).append(pair)
    told = []
    for (left, right), members in sorted(groups.items()):
        begins = [pair for pair in members if pair.reason]
        told.append(TraceDifference(left, right, bool(begins), _sentence(sides, left, right, begins or members)))
    return tuple(told)


def _sentence(sides: tuple[Lineage, Lineage], left: int, right: int, members: list[_Pair]) -> str:
    one = members[0]
    mine, theirs = one.left, one.right
    what = (f"{mine.name} is {mine.value} left, {theirs.value} right" if mine.name == theirs.name else
            f"{mine.name} is {mine.value} left where {theirs.name} is {theirs.value} right")
    if members[1:]:
        what += f" (and {len(members) - 1} more of this step)"
    by = [_step(side, made, step) for side, made, step in zip(sides, (mine, theirs), (left, right), strict=True)]
    who = f"{by[0]} on both sides" if by[0] == by[1] else f"left {by[0]}, right {by[1]}"
    reached = list(dict.fromkeys(pair.result for pair in members))
    return f"{what}: {who}; {one.reason or 'it comes from what differs before'}. It reaches {_listed(reached)}."


def _step(side: Lineage, made: ValueOrigin, step: int) -> str:
    if not step:
        return "given at the start"
    program, pc = side.trace.program, int(side.trace.pc[step - 1])
    # Of a program from several files, the stepper shows the instructions, numbered.
    where = f"line {program.instructions[pc].position.line}" if side.is_source else f"instruction {pc}"
    origin = program.origins[pc][0] if program.origins else 0
    return (f"{'written' if made.step else 'given at the start, read'} by step {step} in {where}"
            + (f" (C line {origin})" if origin else ""))


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    shown = every if len(every) <= LISTED + 1 else every[:LISTED]
    rest = len(every) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")
