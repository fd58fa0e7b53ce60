"""The associativity cliff: rows a power of two apart share their cache sets and evict one another.

A tile walks several rows side by side. Rows whose distance (pitch) is a multiple of the way size (size / ways) fall
into the same set; more of them than ways, and every line is fetched again at every step. 64 bytes of padding move each
row on by a set, and it is over. Panels of K <= 1024 lie close enough that it never happens (16 KB for an 8x8 tile).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neonsim.asm import Program
from neonsim.errors import BadArgument
from neonsim.machine import Machine, Trace
from neonsim.timing.able import Able, needs_of
from neonsim.timing.caches import Cache, rows_that_fit
from neonsim.timing.corefile import load_core
from neonsim.timing.studies.study import Lines, Series, Study, Table
from neonsim.timing.timing import time

__all__ = ["PADDING", "Cliff", "Geometry", "Side", "cliff", "cliff_traces"]

PADDING = 64            # bytes: one line


@dataclass(frozen=True, slots=True)
class Geometry:
    """A first-level data cache: bytes, ways, bytes of a line."""

    size: int
    ways: int
    line: int = 64

    def misses(self, rows: int, depth: int, pitch: int, *, weights: bool = True) -> int:
        """Lines fetched by walking a panel again: rows side by side, and 8 columns of weights streaming past."""
        cache = Cache(self.size, self.ways, self.line)
        elsewhere = 1 << 40
        walk = [address for k in range(0, depth, 8)
                for address in (*(row * pitch + k for row in range(rows)), *([elsewhere + 8 * k] * weights))]
        cache.misses(walk)
        return cache.misses(walk)


@dataclass(frozen=True, slots=True)
class Side:
    """Who walks: how many rows side by side, whether weights stream past, whether measured, the cache if known."""

    rows: int
    weights: bool
    measured: bool
    cache: Geometry | None


@dataclass(frozen=True)
class Cliff(Study):
    """Cost by pitch, plain and with 64 bytes of padding.

    depth    bytes used of each row
    points   (name, pitch, plain, padded): modelled cycles of a call on a core, or measured seconds
    sides    name -> who walks
    """

    depth: int
    points: tuple[tuple[str, int, float, float], ...]
    sides: Mapping[str, Side]
    skipped: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        measured = any(side.measured for side in self.sides.values())
        how = "modelled on cores, measured on this machine" if measured else "modelled"
        return f"Rows of {self.depth} bytes: time at a pitch / time with 64 bytes more ({how})"

    @property
    def notes(self) -> str:
        lines = ["Rows that many bytes apart share cache sets; more of them than fit, and a line is gone when it is "
                 "needed again. 64 bytes of padding cure it: the ratio is what they gain. Rows walked side by side, "
                 "first-level cache, and how many rows fit at a pitch of 2048, 4096 and 8192 bytes:"]
        for name, side in self.sides.items():
            cache = side.cache
            if cache:
                room = {"size": cache.size, "ways": cache.ways, "line": cache.line}
                fit = ", ".join(str(rows_that_fit(pitch, **room)) for pitch in (2048, 4096, 8192))
                lines.append(f"  {name}: {side.rows} rows, {cache.size // 1024} KB in {cache.ways} ways: {fit}")
        lines.append(
            f"Close together (pitch {self.depth}) nothing is lost: two panels of K <= 1024 take 16 KB, and stay. "
            "The weights want room as well. An out-of-order core hides a miss that the second level answers behind the "
            "multiplies; in-order cores wait. A measured walk also holds what is not modelled (TLB, prefetcher).")
        return "\n".join(lines)

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(point[0] for point in self.points))

    def ratio(self, name: str, pitch: int) -> float:
        """How much longer it takes at this pitch than with 64 bytes of padding."""
        return next(plain / padded for who, at, plain, padded in self.points if (who, at) == (name, pitch))

    def table(self) -> Table:
        pitches = sorted({point[1] for point in self.points})
        known = {(name, pitch) for name, pitch, *_ in self.points}
        rows = []
        for name in self.names:
            cells = [f"{self.ratio(name, pitch):.2f}" if (name, pitch) in known else "-" for pitch in pitches]
            rows.append([name, *cells])
            rows.append(["  lines lost a pass, modelled", *(self._lost(name, pitch) for pitch in pitches)])
        return ["pitch, bytes", *map(str, pitches)], rows

    def _lost(self, name: str, pitch: int) -> str:
        side = self.sides[name]
        if side.cache is None:
            return "-"
        plain, padded = (side.cache.misses(side.rows, self.depth, at, weights=side.weights)
                         for at in (pitch, pitch + PADDING))
        return str(plain - padded)

    def figure(self) -> Lines:
        series = []
        for name in self.names:
            mine = tuple((pitch, plain / padded) for who, pitch, plain, padded in self.points if who == name)
            series.append(Series(name, mine, self.sides[name].measured))
        return Lines("pitch, bytes", "time / time with 64 bytes more", tuple(series), ((1.0, "no cliff"),))


def cliff_traces(kernel: Program, depth: int, pitches: Sequence[int], *, rows: int = 8) -> dict[int, Trace]:
    """Recorded calls of a GEMM kernel (contract qu8_gemm_q31, 8 columns) by pitch of its left matrix, padded ones too.

    depth, rows   of the tile; depth a multiple of 8
    pitches       bytes from row to row, at least the depth

    Raises BadArgument for other depths or pitches.
    """
    if depth < 8 or depth % 8 or min(pitches) < depth:
        raise BadArgument(f"depth {depth} and pitches {list(pitches)}: the depth is a multiple of 8, "
                          "no pitch is smaller.")
    found = {}
    block = np.zeros(16, np.uint8)
    block[3], block[10] = 0x40, 255                   # multiplier 2**30, no shift; clamp to 0..255
    for pitch in sorted({at for p in pitches for at in (p, p + PADDING)}):
        machine = Machine(isa=kernel.isa)
        a = machine.memory.place(np.zeros(rows * pitch, np.uint8), name="a", reads_before=7)
        w = machine.memory.place(np.zeros(32 + 8 * depth, np.uint8), name="w")
        c = machine.memory.alloc(8 * rows, name="c")
        params = machine.memory.place(block, name="params")
        done = machine.call(kernel, rows, 8, depth, a, pitch, w, c, 8, params, entry=next(iter(kernel.globals)),
                            trace=True)
        assert done.trace is not None
        found[pitch] = done.trace
    return found


def cliff(traces: Mapping[int, Trace], cores: Sequence[str], *, depth: int, rows: int = 8,
          measured: Mapping[str, tuple[Side, Mapping[int, float]]] | None = None) -> Cliff:
    """The study from recorded calls (`cliff_traces`): modelled on the cores, caches warm, prefetcher off.

    measured   name -> (who walks, pitch -> seconds on a real machine, padded pitches too)

    A stream prefetcher would fetch the lines again each time they are gone: it hides some of the latency and none of
    the traffic, so it is off here.
    """
    points: list[tuple[str, int, float, float]] = []
    sides = {}
    pitches = [pitch for pitch in sorted(traces) if pitch + PADDING in traces]
    able, bare = Able(), []
    for core in able.cores(cores, *(needs_of(trace) for trace in list(traces.values())[:1])):
        model = load_core(core)
        if model.memory is None:
            bare.append(core)
            continue
        sides[core] = Side(rows, True, False, Geometry(model.memory.l1_size, model.memory.l1_ways, model.memory.line))
        cycles = {pitch: time(trace, core=core, caches="warm", prefetch=False).cycles
                  for pitch, trace in traces.items()}
        points += [(core, pitch, float(cycles[pitch]), float(cycles[pitch + PADDING])) for pitch in pitches]
    for name, (side, seconds) in (measured or {}).items():
        sides[name] = side
        points += [(name, pitch, taken, seconds[pitch + PADDING]) for pitch, taken in sorted(seconds.items())
                   if pitch + PADDING in seconds]
    no_caches = (f"Left out: {', '.join(bare)}: no [memory] in the core's file, so no caches.",) if bare else ()
    return Cliff(depth, tuple(points), sides, (*able.sentences(), *no_caches))
