"""Memory as the pipelines see it: two levels of cache, outstanding misses, a stream prefetcher, store forwarding.

    Cache      one level: sets of ways, least recently used goes out
    MemoryHierarchy   what an access costs beyond a hit in L1, cycle by cycle, and who moved how much
    footprint  how many lines of a strided panel share a set: the associativity cliff, counted without a pipeline

An unaligned load also takes its unit for more beats (`pipeline.alignment_beats`). Only a trace has addresses, so only
a trace meets this model; a bare loop hits L1 always. A prefetch instruction brings its line in and waits for
nothing (where its address is a register and a number: PRFM [x5, #448]). Not modelled: the TLB, DRAM pages, a third
level of cache, caches shared with other cores.

Lines come from memory one after the other, as fast as the board's published bandwidth says. The prefetcher follows a
stream from its second line on: two lines ahead at first, twice as far each time a line that it fetched is used, to
`prefetch` lines at most; what it fetches does not count among the misses under way. A store that misses waits in the
write buffer until its line has gone to memory, and stalls only where the buffer is full.

A set of a cache is (address / line) mod sets. Rows that lie a multiple of the way size (size / ways) apart share their
sets, so more such rows than ways evict one another at every step of a walk; 64 bytes of padding move each row on by one
set, and a line is fetched once a pass instead of once a step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import NamedTuple

from neonsim.errors import BadArgument

__all__ = ["ASKED", "COMING", "DRAM", "HIT", "L2", "NO_LINE", "PREFETCHER", "BufferTraffic", "Cache", "MemoryHierarchy",
           "MemoryModel", "Touch", "footprint", "rows_that_fit"]

HIT, COMING, L2, DRAM = range(4)  # where a line was: in L1; in L1 as soon as it has arrived; in L2; in neither
PREFETCHER, ASKED = 4, 8          # and who wanted it, if not a load or a store: the stream prefetcher, a PRFM or PLD
NO_LINE = -1
PARTS = 1 << 16      # of a cycle: what a line takes of the bus need not be whole ones
_STORES = 32        # stores looked at for forwarding
_FIRST_AHEAD = 2    # lines that the prefetcher fetches when it has just seen a stream


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """What a core file says under [memory]. Sizes and lines in bytes, times in cycles.

    l2, dram          latency of a load that hits L2, that misses both, beyond a hit in L1
    misses            lines that can be on their way at a time, those of the prefetcher not counted
    prefetch          lines fetched ahead of a stream of ascending lines at most, 0: none
    read, write       bytes that memory gives and takes in 100 cycles, 0: no limit
    buffer            lines in the write buffer, 0: no limit
    forward           from the start of a store to the result of a load of the same bytes; partial: of other bytes of it
    load_align        loads that are not aligned to it (or to their size if smaller) take `unaligned` cycles more, those
                      of vector registers `unaligned_simd`
    cross             more cycles for a load across a line
    """

    line: int
    l1_size: int
    l1_ways: int
    l2_size: int
    l2_ways: int
    l2: int
    dram: int
    misses: int
    prefetch: int = 0
    read: int = 0
    write: int = 0
    buffer: int = 0
    forward: int = 0
    partial: int = 0
    load_align: int = 1
    unaligned: int = 0
    unaligned_simd: int = 0
    cross: int = 0


class Cache:
    """One level: `size` bytes in `ways` ways of lines of `line` bytes, least recently used replaced."""

    def __init__(self, size: int, ways: int, line: int) -> None:
        if size % (ways * line):
            raise BadArgument(f"A cache of {size} bytes cannot be divided into {ways} ways of {line}-byte lines.")
        self.ways, self.line = ways, line
        self.sets: list[dict[int, int]] = [{} for _ in range(size // (ways * line))]  # line -> its way, oldest first
        self.way, self.out = 0, NO_LINE  # of the last touch: where the line is, and which one went for it

    def has(self, line: int) -> bool:
        """Return whether the line (address // line size) is in; nothing changes."""
        return line in self.sets[line % len(self.sets)]

    def touch(self, line: int) -> bool:
        """Use a line, bringing it in; -> whether it was there."""
        entries = self.sets[line % len(self.sets)]
        self.out = NO_LINE
        way = entries.pop(line, -1)
        hit = way >= 0
        if not hit:
            way = len(entries)
            if way == self.ways:
                self.out = next(iter(entries))
                way = entries.pop(self.out)
        entries[line] = self.way = way
        return hit

    def misses(self, addresses: Iterable[int]) -> int:
        """Touch the addresses in order; -> how many were not there."""
        return sum(not self.touch(address // self.line) for address in addresses)


@dataclass(slots=True)
class BufferTraffic:
    """What one buffer moved: accesses and bytes of loads and stores, lines that missed L1 and L2, lines prefetched."""

    loads: int = 0
    stores: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    l1_misses: int = 0
    l2_misses: int = 0
    prefetched: int = 0


class Touch(NamedTuple):
    """A line that was used or brought in.

    step    number of the instruction because of which
    line    address // line size
    level   HIT, COMING, L2 or DRAM, with PREFETCHER or ASKED
    way     of the line's set in L1 it is in then
    out     line that went out of L1 for it, NO_LINE if none; out2: out of L2
    """

    step: int
    line: int
    level: int
    way: int
    out: int
    out2: int


@dataclass(slots=True)
class MemoryHierarchy:
    """The caches of one core during a run.

    caches     False: every access hits L1; alignment and store forwarding still count
    prefetch   the stream prefetcher is on
    regions    (first address, end, name) of the buffers, for the traffic
    log        with caches: every touch of a line, in the order of the cycles
    first      what is in L1 at first, (line, way), and in L2, the oldest first
    """

    model: MemoryModel
    caches: bool = False
    prefetch: bool = True
    regions: Sequence[tuple[int, int, str]] = ()
    traffic: dict[str, BufferTraffic] = field(default_factory=dict)
    log: list[Touch] = field(default_factory=list)
    first: tuple[Sequence[tuple[int, int]], Sequence[int]] = ((), ())
    l1: Cache = field(init=False)
    l2: Cache = field(init=False)
    _arrives: dict[int, int] = field(default_factory=dict)         # line on its way -> cycle
    _stores: deque[tuple[int, int, int, int]] = field(default_factory=lambda: deque(maxlen=_STORES))
    _last: deque[int] = field(default_factory=lambda: deque(maxlen=8))   # lines last missed, for the prefetcher
    _ahead: dict[int, int] = field(default_factory=dict)           # prefetched, not used yet -> how far ahead
    _written: dict[int, int] = field(default_factory=dict)         # line in the write buffer -> cycle it is out
    _bus: int = 0                                                  # when memory has moved all it was asked for

    def __post_init__(self) -> None:
        model = self.model
        self.l1 = Cache(model.l1_size, model.l1_ways, model.line)
        self.l2 = Cache(model.l2_size, model.l2_ways, model.line)

    def warm(self, touches: Iterable[tuple[int, int]]) -> None:
        """Have these (address, bytes) in the caches already, in this order; nothing is counted."""
        line = self.model.line
        for address, nbytes in touches:
            for number in range(address // line, (address + max(nbytes, 1) - 1) // line + 1):
                self.l1.touch(number)
                self.l2.touch(number)
        self.first = ([entry for entries in self.l1.sets for entry in entries.items()],
                      [number for entries in self.l2.sets for number in entries])

    def load(self, number: int, address: int, nbytes: int, now: int, latency: int, simd: bool = False) -> int:
        """Cycles a load, instruction `number`, that starts now takes beyond its latency. `simd`: a vector load."""
        model, line = self.model, self.model.line
        extra = 0
        if address % min(model.load_align, nbytes & -nbytes):
            extra = model.unaligned_simd if simd else model.unaligned
        first, last = address // line, (address + nbytes - 1) // line
        if last > first:
            extra = max(extra, model.cross)
        if model.forward:
            # The youngest store before it in program order; out of order, stores do not start in that order.
            over = [row for row in self._stores
                    if row[0] < number and row[1] < address + nbytes and address < row[1] + row[2]]
            if over:
                _, at, size, when = max(over)
                whole = at <= address and address + nbytes <= at + size
                extra = max(extra, when + (model.forward if whole else model.partial) - now - latency)
        found = self._of(address)
        found.loads += 1
        found.bytes_read += nbytes
        if self.caches:
            extra += max(self._line(each, number, now, found) for each in range(first, last + 1))
        return extra

    def store(self, number: int, address: int, nbytes: int, now: int) -> int:
        """Return a store, instruction `number`, starts now: its line comes in; -> cycles until the write buffer takes
        it."""
        self._stores.append((number, address, nbytes, now))
        found = self._of(address)
        found.stores += 1
        found.bytes_written += nbytes
        if not self.caches:
            return 0
        return max(self._write(line, number, now, found)
                   for line in range(address // self.model.line, (address + nbytes - 1) // self.model.line + 1))

    def _write(self, line: int, number: int, now: int, found: BufferTraffic) -> int:
        """Cycles until the write buffer takes a line that is not in L1."""
        model, written = self.model, self._written
        if self.l1.touch(line):
            self.log.append(Touch(number, line, HIT, self.l1.way, NO_LINE, NO_LINE))
            self._follow(line, number, now, found)
            return 0
        for gone in [k for k, out in written.items() if out <= now]:
            del written[gone]
        begin = now
        if model.buffer and len(written) >= model.buffer:
            begin = sorted(written.values())[len(written) - model.buffer]
        found.l1_misses += 1
        hit = self.l2.touch(line)
        found.l2_misses += not hit
        self.log.append(Touch(number, line, L2 if hit else DRAM, self.l1.way, self.l1.out, self.l2.out))
        written[line] = begin + model.l2 if hit else self._moved(begin, model.write)
        return begin - now

    def ask(self, number: int, address: int, now: int) -> None:
        """A prefetch, instruction `number`, starts now: its line comes in as after a miss, and nothing waits for it."""
        line = address // self.model.line
        if self.caches and not self.l1.has(line):
            found = self._of(address)
            found.prefetched += 1
            self.l1.touch(line)
            self._fetch(line, number, now, found, ASKED)

    def _line(self, line: int, number: int, now: int, found: BufferTraffic) -> int:
        """Cycles until a line is in L1."""
        if self.l1.touch(line):
            wait = max(0, self._arrives.get(line, 0) - now)
            self.log.append(Touch(number, line, COMING if wait else HIT, self.l1.way, NO_LINE, NO_LINE))
            self._follow(line, number, now, found)
            return wait
        found.l1_misses += 1
        when = self._fetch(line, number, now, found)
        if self.prefetch and self.model.prefetch and (line - 1 in self._last or line - 2 in self._last):
            self._stream(line, min(_FIRST_AHEAD, self.model.prefetch), number, now, found)
        self._last.append(line)
        return when - now

    def _follow(self, line: int, number: int, now: int, found: BufferTraffic) -> None:
        """A line is used; if the prefetcher had fetched it, it goes on, further ahead."""
        distance = self._ahead.pop(line, 0)
        if distance:
            self._stream(line, min(2 * distance, self.model.prefetch), number, now, found)

    def _stream(self, line: int, distance: int, number: int, now: int, found: BufferTraffic) -> None:
        """Prefetch the next `distance` lines."""
        for ahead in range(line + 1, line + 1 + distance):
            if not self.l1.has(ahead):
                found.prefetched += 1
                self.l1.touch(ahead)
                self._fetch(ahead, number, now, found, PREFETCHER)
                self._last.append(ahead)
                self._ahead[ahead] = distance

    def _fetch(self, line: int, number: int, now: int, found: BufferTraffic, who: int = 0) -> int:
        """Start bringing a line in that has just been given its place in L1; -> the cycle in which it is there."""
        model, arrives = self.model, self._arrives
        for gone in [k for k, when in arrives.items() if when <= now]:
            del arrives[gone]
        begin = now
        if who != PREFETCHER:
            waits = sorted(when for k, when in arrives.items() if k not in self._ahead)
            if len(waits) >= model.misses:
                begin = waits[len(waits) - model.misses]
            if line in self._ahead:             # it had been fetched, and was evicted before it was used
                del self._ahead[line]
        hit = self.l2.touch(line)
        found.l2_misses += not hit
        self.log.append(Touch(number, line, (L2 if hit else DRAM) | who, self.l1.way, self.l1.out, self.l2.out))
        when = arrives[line] = begin + model.l2 if hit else max(begin + model.dram, self._moved(begin, model.read))
        return when

    def _moved(self, begin: int, rate: int) -> int:
        """The cycle in which memory has moved one more line at `rate` bytes in 100 cycles."""
        if not rate:
            return begin
        self._bus = max(self._bus, PARTS * begin) + 100 * PARTS * self.model.line // rate
        return (self._bus + PARTS - 1) // PARTS

    def _of(self, address: int) -> BufferTraffic:
        name = next((name for low, high, name in self.regions if low <= address < high), "other")
        found = self.traffic.get(name)
        if found is None:
            found = self.traffic[name] = BufferTraffic()
        return found


def rows_that_fit(pitch: int, *, size: int, ways: int, line: int = 64) -> int:
    """Return how many rows `pitch` bytes apart can be walked side by side before they evict one another.

    rows = ways * way_size / gcd(pitch, way_size), for pitches that are multiples of the line

    pitch, size, line   bytes
    ->                  rows

    Raises BadArgument if a size is not positive.
    Source: each row moves on by pitch mod way_size; the walk is back at its first set after way_size / gcd rows.

    >>> rows_that_fit(8192, size=32768, ways=4), rows_that_fit(4096, size=32768, ways=4)
    (4, 8)
    """
    if min(pitch, size, ways, line) < 1:
        raise BadArgument(f"pitch {pitch}, size {size}, ways {ways}, line {line}: each must be at least 1.")
    way = size // ways
    step = gcd(pitch, way)
    return ways * (way // max(step, line))


def footprint(rows: int, length: int, pitch: int, *, size: int, ways: int, line: int = 64, step: int = 8,
              passes: int = 2) -> tuple[int, int]:
    """Lines a panel of rows needs and misses of walking it again, all rows side by side, `step` bytes at a time.

    rows, length   of the panel; length in bytes
    pitch          bytes from one row to the next
    ->             (lines of the panel, misses of the last pass)

    Raises BadArgument if a number is not positive or the pitch is smaller than the row.

    >>> footprint(8, 1024, 8192, size=32768, ways=4)        # 8 rows, 4 ways: every line is gone when it is needed again
    (128, 1024)
    >>> footprint(8, 1024, 8192 + 64, size=32768, ways=4)   # padded: a line is fetched once a pass, not once a step
    (128, 108)
    >>> footprint(8 + 8, 1024, 1024, size=32768, ways=4)     # the panels of an 8x8 tile, K = 1024: 16 KB, all stay
    (256, 0)
    """
    if min(rows, length, step, passes) < 1 or pitch < length:
        raise BadArgument(f"rows {rows}, length {length}, pitch {pitch}, step {step}, passes {passes}: each must be at "
                          f"least 1, and the pitch at least the length.")
    cache = Cache(size, ways, line)
    walk = [row * pitch + at for at in range(0, length, step) for row in range(rows)]
    missed = 0
    for _ in range(passes):
        missed = cache.misses(walk)
    return len({address // line for address in walk}), missed
