"""Where the bytes of a recorded run come from: which step made them, with what arithmetic, from which bytes.

A `ByteLocation` is some bytes of a register or of memory. `Lineage.find_maker` goes back from a place to what made it:
through loads, stores, moves and spills, which only carry bytes, to the lane of an instruction that worked it out, or to
what
the run was given at its start. Addresses, counters and conditions are no sources: they choose bytes, they do not make
them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from neonsim.arm.machine.arch.register_names import (
    expression_text,
    lane_edges,
    lane_name,
    lane_values,
    locate,
    printable,
    sources_drawn,
    width_of,
)

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.dataflow import LaneEdge
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace

__all__ = ["MEMORY", "ByteLocation", "Lineage", "ValueOrigin"]

MEMORY = "mem"
LANE = re.compile(r"\b(?:[vqdshbxwr]\d+|sp|mem)\b(?:\.[a-z]*\d*)?(?:\[\d+\])?")
LEAF = re.compile(r"(?:[a-z]+\d*(?:\.[a-z]*\d*)?\[\d+\]|[xr]\d+|sp)")  # an expression that is one lane: a copy


@dataclass(frozen=True, slots=True)
class ByteLocation:
    """Bytes of a register (`location`, `offset` the first byte in it) or of memory (MEMORY, `offset` the address)."""

    location: str
    offset: int
    size: int

    def part(self, first: int, size: int) -> ByteLocation:
        """Some of its bytes."""
        return ByteLocation(self.location, self.offset + first, size)


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """What made a place.

    step      that executed the instruction, counted from 1; 0: it was there at the start
    place     the whole lane that was made then
    operation its arithmetic and its types, without registers and lanes; "" for what was given
    sources   the lanes it was made of, as they were before `step`
    name      of the lane ("v16.s[3]"), or of the place
    kind      element type to print it in
    carried   the step nearest to the start that carried it from there (a load of what was given), 0: none
    data      its bytes
    """

    step: int
    place: ByteLocation
    operation: str
    sources: tuple[ByteLocation, ...]
    names: tuple[str, ...]
    name: str
    kind: str
    carried: int
    data: bytes

    @property
    def value(self) -> str:
        return " ".join(lane_values(self.data, self.kind))


@dataclass(frozen=True, slots=True)
class _Lane:
    """A lane that an instruction makes, and of what. In MEMORY, `at` counts from the first byte of the accesses."""

    place: ByteLocation
    operation: str
    copies: bool
    sources: tuple[ByteLocation, ...]
    names: tuple[str, ...]
    name: str
    kind: str


@dataclass
class Lineage:
    """The lineages of one run. Everything is looked up in sorted columns, so asking costs the logarithm of its length.

    columns   buffer -> elements per row of its picture, as the stepper names cells by
    """

    trace: Trace
    columns: dict[str, int] = field(default_factory=dict)
    _lanes: dict[int, list[_Lane]] = field(default_factory=dict, repr=False)
    _known: dict[tuple[ByteLocation, int], ValueOrigin | int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        trace = self.trace
        self.steps = trace.steps
        files = {str(one.position.path) for one in trace.program.instructions}
        self.is_source = bool(trace.program.lines) and len(files) <= 1
        self.numbers = {name: k for k, name in enumerate(trace.locations)}
        every = np.arange(self.steps, dtype=np.int64)
        self.write_step = np.repeat(every, np.diff(trace.write_start))
        key = np.asarray(trace.write_location, np.int64) * (self.steps + 1) + self.write_step
        self.write_order = np.argsort(key, kind="stable")
        self.write_keys = key[self.write_order]
        self.access_step = np.repeat(every, np.diff(trace.access_start))
        stores = np.flatnonzero(np.asarray(trace.access_store, bool))
        sizes = np.asarray(trace.access_bytes, np.int64)[stores]
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        self.byte_access = np.repeat(stores, sizes)
        self.byte_at = np.repeat(np.asarray(trace.access_address, np.int64)[stores], sizes) + np.arange(
            len(self.byte_access)) - first
        key = self.byte_at * (self.steps + 1) + self.access_step[self.byte_access]
        order = np.argsort(key, kind="stable")
        self.byte_keys, self.byte_access = key[order], self.byte_access[order]

    # -- what was there

    def write(self, where: str, before: int) -> int:
        """Row of the last write of a location by the first `before` steps, or -1."""
        number = self.numbers.get(where, -1)
        k = int(np.searchsorted(self.write_keys, number * (self.steps + 1) + before)) - 1
        return int(self.write_order[k]) if k >= 0 and self.write_keys[k] // (self.steps + 1) == number else -1

    def store(self, address: int, before: int) -> int:
        """Return the last access that stored a byte in the first `before` steps, or -1."""
        k = int(np.searchsorted(self.byte_keys, address * (self.steps + 1) + before)) - 1
        return int(self.byte_access[k]) if k >= 0 and self.byte_keys[k] // (self.steps + 1) == address else -1

    def data(self, place: ByteLocation, before: int) -> bytes:
        """Return the bytes of a place after `before` steps; of memory outside the buffers zeros."""
        trace = self.trace
        if place.location != MEMORY:
            row = self.write(place.location, before)
            whole = trace.initial[place.location] if row < 0 else trace.write_after[row].tobytes()
            return bytes(whole[place.offset:place.offset + place.size])
        found = bytearray()
        for address in range(place.offset, place.offset + place.size):
            access = self.store(address, before)
            if access >= 0:
                at = int(trace.access_data_start[access]) + address - int(trace.access_address[access])
                found.append(int(trace.access_after[at]))
            else:
                buffer = self.buffer(address)
                found.append(buffer.before[address - buffer.address] if buffer else 0)
        return bytes(found)

    def buffer(self, address: int) -> BufferInfo | None:
        """Return the buffer that an address lies in."""
        return next((b for b in self.trace.buffers if b.address <= address < b.address + b.nbytes), None)

    def cell(self, address: int) -> tuple[str, int] | None:
        """Name of the buffer of an address and how far in it is."""
        buffer = self.buffer(address)
        return (buffer.name, address - buffer.address) if buffer else None

    def name(self, place: ByteLocation) -> str:
        """Return a place as the stepper names it: c[0,3], a register."""
        if place.location != MEMORY:
            return place.location
        buffer = self.buffer(place.offset)
        if buffer is None:
            return f"memory at {place.offset:#x}"
        size = np.dtype(buffer.dtype).itemsize
        index = (place.offset - buffer.address) // size
        wide = self.columns.get(buffer.name, buffer.shape[-1] if len(buffer.shape) > 1 else 0)
        return f"{buffer.name}[{index // wide},{index % wide}]" if wide else f"{buffer.name}[{index}]"

    # -- who made it

    def find_maker(self, place: ByteLocation, before: int) -> ValueOrigin | int:
        """Return what made a place that is read after `before` steps; a number: only n of its bytes have one maker."""
        found = self._known.get((place, before))
        if found is None:
            found = self._known[place, before] = self._go_back(place, before)
        return found

    def _go_back(self, place: ByteLocation, before: int) -> ValueOrigin | int:
        trace, carried, kind = self.trace, 0, ""
        while True:
            memory = place.location == MEMORY
            row = self.store(place.offset, before) if memory else self.write(place.location, before)
            if memory:
                alike = [self.store(place.offset + k, before) for k in range(1, place.size)]
                if any(other != row for other in alike):
                    return next(k for k, other in enumerate(alike, 1) if other != row)
            if row < 0:
                return ValueOrigin(0, place, "", (), (), self.name(place), self._kind(place, kind), carried,
                            self.data(place, before))
            step = int((self.access_step if memory else self.write_step)[row])
            shift = self._offset(row) - int(trace.access_address[row]) if memory else 0
            lane = self._lane(int(trace.pc[step]), place.location, place.offset + shift, place.size)
            if isinstance(lane, int):
                return lane
            if lane is None:
                # Not what the instruction is about: the other lanes of a register, or those that it clears.
                if not memory and np.array_equal(*(column[row][place.offset:place.offset + place.size]
                                                   for column in (trace.write_before, trace.write_after))):
                    before = step
                    continue
                return ValueOrigin(step + 1, place, "cleared", (), (), self.name(place), self._kind(place, kind), 0,
                            self.data(place, before))
            offset = place.offset + shift - lane.place.offset
            if not lane.copies:
                whole = ByteLocation(place.location, lane.place.offset - shift, lane.place.size)
                sources = tuple(self._source(step, source) for source in lane.sources)
                names = tuple(self.name(source) if source.location == MEMORY else name
                              for source, name in zip(sources, lane.names, strict=True))
                return ValueOrigin(step + 1, whole, lane.operation, sources, names,
                            self.name(whole) if memory else lane.name, lane.kind, 0, self.data(whole, step + 1))
            kind = lane.kind
            place, before, carried = self._source(step, lane.sources[0]).part(offset, place.size), step, step + 1

    def _kind(self, place: ByteLocation, kind: str) -> str:
        buffer = self.buffer(place.offset) if place.location == MEMORY else None
        if buffer is not None:
            dtype = np.dtype(buffer.dtype)
            kind = f"{ {'i': 's'}.get(dtype.kind, dtype.kind)}{8 * dtype.itemsize}"
        size = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}.get(place.size, "u8")
        return kind if width_of(kind) == width_of(size) and printable(kind) == kind else size

    def _offset(self, access: int) -> int:
        """How many bytes the accesses of the same step before it have."""
        first = int(self.trace.access_start[self.access_step[access]])
        return int(np.sum(self.trace.access_bytes[first:access]))

    def _source(self, step: int, place: ByteLocation) -> ByteLocation:
        """A lane of the memory of a step as an address."""
        if place.location != MEMORY:
            return place
        at, trace = place.offset, self.trace
        for access in range(int(trace.access_start[step]), int(trace.access_start[step + 1])):
            nbytes = int(trace.access_bytes[access])
            if at < nbytes:
                return ByteLocation(MEMORY, int(trace.access_address[access]) + at, place.size)
            at -= nbytes
        return ByteLocation(MEMORY, 0, place.size)

    def lane_at(self, step: int, place: ByteLocation) -> tuple[int, int] | None:
        """Return which lane of an instruction holds a place after `step` steps, the last of which made it: its number,
        as `drawn` counts them, and its bytes. None if no single one does."""
        pc, at = int(self.trace.pc[step - 1]), place.offset
        if place.location == MEMORY:
            row = self.store(at, step)
            if row < 0 or int(self.access_step[row]) != step - 1:
                return None
            at += self._offset(row) - int(self.trace.access_address[row])
        found = self._lane(pc, place.location, at, place.size)
        return (self._lanes[pc].index(found), found.place.size) if isinstance(found, _Lane) else None

    def _lane(self, pc: int, where: str, at: int, size: int) -> _Lane | int | None:
        """The lane of an instruction that holds these bytes; a number: only n of them are in one."""
        lanes = self._lanes.get(pc)
        if lanes is None:
            edges = lane_edges(self.trace.program.instructions[pc])
            lanes = self._lanes[pc] = [self._made_of(edge) for edge in edges]
        starts = []
        for lane in lanes:
            if lane.place.location == where:
                end = lane.place.offset + lane.place.size
                if lane.place.offset <= at < end:
                    return lane if at + size <= end else end - at
                if at < lane.place.offset < at + size:
                    starts.append(lane.place.offset - at)
        return min(starts, default=None)

    def _made_of(self, edge: LaneEdge) -> _Lane:
        isa, text = self.trace.isa, expression_text(edge)
        sources = sources_drawn(edge)
        place = _place(*edge.destination, isa)
        copies = len(sources) == 1 and LEAF.fullmatch(text) is not None and _bytes(sources[0][1]) == place.size
        # Which registers and lanes is left out; their types are not in the names of A64.
        kinds = " ".join((edge.destination[1], *(kind for _, kind, _ in sources)))
        operation = f"{LANE.sub('_', text)} ({kinds})"
        return _Lane(place, operation, copies, tuple(_place(*source, isa) for source in sources),
                     tuple(lane_name(source[0], printable(source[1]), source[2], isa) for source in sources),
                     lane_name(edge.destination[0], printable(edge.destination[1]), edge.destination[2], isa),
                     printable(edge.destination[1]))


def _bytes(kind: str) -> int:
    return int(kind[1:]) // 8


def _place(register: str, kind: str, lane: int, isa: str) -> ByteLocation:
    size = _bytes(kind)
    where, first, _ = (MEMORY, 0, 0) if register == MEMORY else locate(register, isa)
    return ByteLocation(where, first + lane * size, size)
