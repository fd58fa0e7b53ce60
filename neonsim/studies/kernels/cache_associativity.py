"""The associativity cliff: rows a power of two apart share their cache sets and evict one another.

A tile walks several rows side by side. Rows whose distance (pitch) is a multiple of the way size (size / ways) fall
into the same set; more of them than ways, and every line is fetched again at every step. 64 bytes of padding move each
row on by a set, and it is over. Panels of K <= 1024 lie close enough that it never happens (16 KB for an 8x8 tile).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neonsim.arm.asm import Program
from neonsim.arm.machine import Trace
from neonsim.arm.timing.cores.capability import CoreFilter, requirements_of
from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.pipeline.memory_hierarchy import Cache, rows_that_fit
from neonsim.arm.timing.timing import time
from neonsim.common.study_report import Lines, Report, Series, cell
from neonsim.errors import BadArgument
from neonsim.studies.kernels.dual_issue import gemm_trace

__all__ = ["PADDING", "Geometry", "Side", "cliff", "cliff_traces"]

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


def cliff_traces(kernel: Program, depth: int, pitches: Sequence[int], *, rows: int = 8) -> dict[int, Trace]:
    """Recorded calls of a GEMM kernel (contract qu8_gemm_q31, 8 columns) by pitch of its left matrix, padded ones too.

    depth, rows   of the tile; depth a multiple of 8
    pitches       bytes from row to row, at least the depth

    Raises BadArgument for other depths or pitches.
    """
    if depth < 8 or depth % 8 or min(pitches) < depth:
        raise BadArgument(f"depth {depth} and pitches {list(pitches)}: the depth must be a multiple of 8, and no pitch "
                          f"may be smaller.")
    return {pitch: gemm_trace(kernel, rows, depth, pitch)
            for pitch in sorted({at for p in pitches for at in (p, p + PADDING)})}


def cliff(traces: Mapping[int, Trace], cores: Sequence[str], *, depth: int, rows: int = 8,
          measured: Mapping[str, tuple[Side, Mapping[int, float]]] | None = None) -> Report:
    """Cost by pitch, plain over padded, from recorded calls (`cliff_traces`): modelled on the cores, caches warm,
    prefetcher off. `data`: {name: {pitch: how much longer it takes than with 64 bytes of padding}}.

    depth      bytes used of each row
    measured   name -> (who walks, pitch -> seconds on a real machine, padded pitches too)

    A stream prefetcher would fetch the lines again each time they are gone: it hides some of the latency and none of
    the traffic, so it is off here.
    """
    ratios: dict[str, dict[int, float]] = {}
    sides: dict[str, Side] = {}
    able, bare = CoreFilter(), []
    for core in able.cores(cores, *(requirements_of(trace) for trace in list(traces.values())[:1])):
        model = load_core(core)
        if model.memory is None:
            bare.append(core)
            continue
        sides[core] = Side(rows, True, False, Geometry(model.memory.l1_size, model.memory.l1_ways, model.memory.line))
        ratios[core] = _ratios({pitch: time(trace, core=core, caches="warm", prefetch=False).cycles
                                for pitch, trace in traces.items()})
    for name, (side, seconds) in (measured or {}).items():
        sides[name], ratios[name] = side, _ratios(seconds)
    pitches = sorted({pitch for mine in ratios.values() for pitch in mine})
    lines = []
    for name, mine in ratios.items():
        lines.append([name, *(cell(mine.get(pitch), ".2f") for pitch in pitches)])
        lines.append(["  lines lost a pass, modelled", *(_lost(sides[name], depth, pitch) for pitch in pitches)])
    how = "modelled on cores, measured on this machine" if any(side.measured for side in sides.values()) else "modeled"
    no_caches = (f"Left out: {', '.join(bare)}: no [memory] in the core's file, so no caches.",) if bare else ()
    return Report(
        f"Rows of {depth} bytes: time at a pitch / time with 64 bytes more ({how})", _notes(sides, depth),
        (["pitch, bytes", *map(str, pitches)], lines),
        Lines("pitch, bytes", "time / time with 64 bytes more",
              tuple(Series(name, tuple(mine.items()), sides[name].measured) for name, mine in ratios.items()),
              ((1.0, "no cliff"),)),
        skipped=(*able.sentences(), *no_caches), data=ratios)


def _ratios(taken: Mapping[int, float]) -> dict[int, float]:
    """Pitch -> how much longer it takes than with 64 bytes of padding, where both are known."""
    return {pitch: taken[pitch] / taken[pitch + PADDING] for pitch in sorted(taken) if pitch + PADDING in taken}


def _lost(side: Side, depth: int, pitch: int) -> str:
    if side.cache is None:
        return "-"
    plain, padded = (side.cache.misses(side.rows, depth, at, weights=side.weights) for at in (pitch, pitch + PADDING))
    return str(plain - padded)


def _notes(sides: Mapping[str, Side], depth: int) -> str:
    lines = ["Rows that many bytes apart share cache sets; more of them than fit, and a line is gone when it is needed "
             "again. 64 bytes of padding cure it: the ratio is what they gain. Rows walked side by side, first-level "
             "cache, and how many rows fit at a pitch of 2048, 4096 and 8192 bytes:"]
    for name, side in sides.items():
        cache = side.cache
        if cache:
            room = {"size": cache.size, "ways": cache.ways, "line": cache.line}
            fit = ", ".join(str(rows_that_fit(pitch, **room)) for pitch in (2048, 4096, 8192))
            lines.append(f"  {name}: {side.rows} rows, {cache.size // 1024} KB in {cache.ways} ways: {fit}")
    lines.append(
        f"Close together (pitch {depth}) nothing is lost: two panels of K <= 1024 take 16 KB, and stay. The weights "
        "want room as well. An out-of-order core hides a miss that the second level answers behind the multiplies; "
        "in-order cores wait. A measured walk also holds what is not modelled (TLB, prefetcher).")
    return "\n".join(lines)
