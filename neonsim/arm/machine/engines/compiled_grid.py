"""Grids on the compiled engine: made ready once, run as often as wanted, tiles shared by threads.

What a grid needs beside its instructions is worked out before the first tile: the registers that all tiles begin with,
those that differ, the table of buffers. Whose bytes are whose is noted by numbers of tiles that go on counting from run
to run (`Owned`), so nothing has to be cleared in between.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.machine.memory.memory import Memory

from .compiled import STACK_FIRST, STACK_ROOM, Compiled, Tables

__all__ = ["GridResult", "Owned", "PreparedGrid"]

SHARE = 32                  # tiles a thread is worth
LAST = (1 << 31) - 1        # largest number of a tile
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class GridResult:
    """What a run left.

    stopped_tile  the tile that did not return, the first of them; the number of tiles if all did
    status    why, a name of STATUS
    stored    names of the buffers that were written
    access    (address, bytes, store) of the access that was refused, for status "fault"
    steps     of all tiles
    threads   how many shared them
    path      first instructions of the blocks that ran, of all tiles, while there was room: uint32; else empty
    """

    stopped_tile: int
    status: str
    stored: frozenset[str]
    access: tuple[int, int, bool]
    steps: int
    threads: int = 1
    path: Array = field(default_factory=lambda: np.empty(0, np.uint32))


class Owned:
    """Of every byte that may be written the tile that wrote it, for all grids of one memory, one after the other."""

    def __init__(self) -> None:
        self._planes: dict[str, Array] = {}
        self._next = 0

    def planes(self, memory: Memory) -> dict[str, Array]:
        """Numbers of tiles by buffer: int32, one for each byte that may be read."""
        for b in memory.buffers:
            if not b.readonly and b.name not in self._planes:
                self._planes[b.name] = np.zeros(b.nbytes + b.reads_before + b.reads_after, np.int32)
        return self._planes

    def begin(self, tiles: int) -> int:
        """Numbers for n tiles; all up to the result have no owner."""
        if self._next + tiles >= LAST:
            for plane in self._planes.values():
                plane[:] = 0
            self._next = 0
        base = self._next
        self._next += tiles
        return base

    def since(self, base: int, names: frozenset[str]) -> int:
        """Bytes that have an owner above a number."""
        return sum(int(np.count_nonzero(self._planes[name] > base)) for name in names if name in self._planes)


class PreparedGrid:
    """One grid of one program.

    start     record [1]: registers of every tile
    varied    {general register: values that broadcast to [rows, columns]}
    constants  (offset, bytes) in a record of what tiles must give back as it was; otherwise their status is "kept"
    """

    def __init__(self, library: Compiled, start: Array, varied: Mapping[str, Array], memory: Memory, owned: Owned,
                 shape: tuple[int, int], limit: int, constants: Sequence[tuple[int, int]] = ()) -> None:
        self._library, self._memory, self._owned, self._start = library, memory, owned, start
        self.shape, self.tiles = shape, shape[0] * shape[1]
        self._columns = np.array([np.broadcast_to(v, shape).reshape(-1) for v in varied.values()], np.uint64)
        fields: Any = library.state.fields
        self._offsets = np.array([fields[name][1] for name in varied], np.uint64)
        self._kept = np.array(constants, np.uint64)
        first, arguments = memory.arguments_on_stack(shape)
        self._arguments = np.ascontiguousarray(arguments)
        self._grid = np.array([limit, self.tiles, STACK_FIRST, STACK_ROOM, self._arguments.ctypes.data, first,
                               self._arguments.shape[-1], start.ctypes.data, self._columns.ctypes.data,
                               self._offsets.ctypes.data, len(self._offsets), self._kept.ctypes.data, len(constants)],
                              np.uint64)
        self._readers: dict[str, Array] = {}        # watched buffers: they are read and written
        self._stacks: list[Array] = []
        self._tables: list[Tables] = []
        self._made_for: tuple[Array, int] | None = None

    def run(self, states: Array | None = None, threads: int = 1, restore: bool = False,
            log: Array | None = None) -> GridResult:
        """Every tile to its return, or up to one that does not.

        states     records [tiles], which get the registers of every tile as it ends; None: not needed
        threads    number that share the tiles; which of them runs a tile makes no difference to what is left
        restore    leave memory as it was before, unless all tiles return
        log        uint32, for the way of every tile (with one thread): what `GridResult.path` then says
        """
        before = self._snapshot()
        count = max(1, min(threads, self.tiles // SHARE))
        while True:
            left = self._once(states, count, log)
            if left.status == "returned":
                return left
            if left.status not in ("watch", "order"):
                break
            # A buffer that is read and written: once more from the start, one thread, with the readers of its bytes
            # noted. Two threads that disagree: once more, to see which tile it was.
            count = 1
            if left.status == "watch" and not self._watch():
                break
            self._restore(before)
        if restore:
            self._restore(before)
        return left

    # -- inside
    def _once(self, states: Array | None, count: int, room: Array | None) -> GridResult:
        if self._readers:
            count = 1
        base = self._owned.begin(self.tiles)
        tables = self._ready(count, base)
        if room is not None:
            tables[0].log(room)
        ends = [self.tiles * (i + 1) // count for i in range(count)]
        firsts = [0, *ends[:-1]]
        stops = [0] * count

        def part(i: int) -> None:
            own = np.empty(1, self._library.state) if states is None else states[firsts[i]:ends[i]]
            stops[i] = self._library.tiles(self._grid, own, int(states is not None), firsts[i], ends[i],
                                           tables[i], self._stacks[i])

        others = [threading.Thread(target=part, args=(i,), daemon=True) for i in range(1, count)]
        for one in others:
            one.start()
        part(0)
        for one in others:
            one.join()
        stored = frozenset().union(*(t.touched(store=True) for t in tables))
        steps = sum(t.steps for t in tables)
        for i in range(count):
            if stops[i] < ends[i]:
                status = "order" if count > 1 and tables[i].status == "overlap" else tables[i].status
                return GridResult(stops[i], status, stored, tables[i].access, steps, count)
        status = "returned"
        if count > 1:
            loaded = frozenset().union(*(t.touched(store=False) for t in tables))
            if stored & loaded:
                status = "watch"
            elif self._owned.since(base, stored) != sum(t.claims for t in tables):
                status = "order"    # two threads took the same byte at once
        way = np.empty(0, np.uint32) if room is None else room[:tables[0].logged(room)]
        return GridResult(self.tiles, status, stored, (0, 0, False), steps, count, way)

    def _ready(self, count: int, base: int) -> list[Tables]:
        """A table for each thread, as before its first tile."""
        memory = self._memory
        now = memory.arena, len(memory.buffers)
        if self._made_for is None or self._made_for[0] is not now[0] or self._made_for[1] != now[1]:
            self._made_for, self._tables = now, []
        while len(self._stacks) < count:
            self._stacks.append(np.zeros(STACK_ROOM, np.uint8))
        while len(self._tables) < count:
            self._tables.append(Tables(memory, self._owned.planes(memory), self._readers,
                                       self._stacks[len(self._tables)]))
        for readers in self._readers.values():
            readers[:] = 0
        for one in self._tables[:count]:
            one.clear(base)
        return self._tables[:count]

    def _watch(self) -> bool:
        """Note the readers of every buffer that was touched and may be written; False if they all were already."""
        touched = frozenset().union(*(t.touched(s) for t in self._tables for s in (True, False)))
        fresh = {b.name: np.zeros(b.nbytes + b.reads_before + b.reads_after, np.int32) for b in self._memory.buffers
                 if b.name in touched and not b.readonly and b.name not in self._readers}
        self._readers |= fresh
        self._tables = []
        return bool(fresh)

    def _snapshot(self) -> list[tuple[slice, Array]]:
        memory = self._memory
        spans = [slice(b.address - memory.base, b.end - memory.base) for b in memory.buffers if not b.readonly]
        return [(span, memory.arena[span].copy()) for span in spans]

    def _restore(self, before: list[tuple[slice, Array]]) -> None:
        for span, data in before:
            self._memory.arena[span] = data
