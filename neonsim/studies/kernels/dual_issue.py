"""Default against dual-issue GEMM kernel by depth, row sums included: when does it pay, and on which core?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.machine import Machine, Trace
from neonsim.arm.timing.cores.capability import CoreFilter, requirements_of
from neonsim.arm.timing.cores.loader import load_core, load_cores
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.timing import time
from neonsim.common.study_report import Lines, Quoted, Report, Series, cell, short
from neonsim.errors import BadArgument

__all__ = ["DepthPoint", "DualIssue", "Guess", "dual_issue", "guesses", "kernel_traces", "qnnpack_switch"]


def qnnpack_switch() -> dict[str, int]:
    """Depth from which QNNPACK takes its dual-issue kernel, by core, the smallest first; on other cores it never does.

    Source: the cores' files ([dual_issue]).
    """
    found = {core.name: core.dual_issue for core in load_cores() if core.dual_issue}
    return dict(sorted(found.items(), key=lambda item: item[1]))


@dataclass(frozen=True, slots=True)
class DepthPoint:
    """One core, one depth: cycles of a call of the default tile, of the dual-issue tile, of the row sums."""

    core: str
    depth: int
    default: int
    dual: int
    reduction_cycles: int

    def gain(self, columns: int = 8) -> float:
        """Cycles of the default kernel / of the dual-issue one, for a block of rows and n columns.

        default * tiles / (dual * tiles + sums), tiles = columns / 8: the row sums are made once for all columns
        """
        tiles = -(-columns // 8)
        return self.default * tiles / (self.dual * tiles + self.reduction_cycles)


@dataclass(frozen=True, slots=True)
class Guess:
    """A number of a core's file that no source says of that core, taken otherwise: where both kernels then break even.

    text    what is taken instead
    even    the depth, None if dual issue wins, or loses, at all depths looked at
    gain    gain at the largest of them
    """

    core: str
    text: str
    even: float | None
    gain: float


@dataclass(frozen=True)
class DualIssue:
    """Points by core and depth; `columns` of the product, over which the row sums are shared; guesses tried."""

    points: tuple[DepthPoint, ...]
    columns: int
    guesses: tuple[Guess, ...] = ()

    @property
    def cores(self) -> list[str]:
        return list(dict.fromkeys(p.core for p in self.points))

    @property
    def depths(self) -> list[int]:
        return sorted({p.depth for p in self.points})

    def gain(self, core: str, depth: int) -> float:
        """Speed-up of the dual-issue kernel, row sums included."""
        return next(p for p in self.points if (p.core, p.depth) == (core, depth)).gain(self.columns)

    def crossover(self, core: str) -> int | None:
        """Return the smallest depth looked at from which the dual-issue kernel stays faster; None if there is none."""
        mine = sorted((p for p in self.points if p.core == core), key=lambda p: -p.depth)
        found = None
        for point in mine:
            if point.gain(self.columns) <= 1:
                break
            found = point.depth
        return found

    def break_even(self, core: str) -> float | None:
        """Return the depth at which both take the same time, between two that were looked at; None if there is none."""
        mine = sorted((p for p in self.points if p.core == core), key=lambda p: p.depth)
        for low, high in pairwise(mine):
            before, after = low.gain(self.columns), high.gain(self.columns)
            if before < 1 <= after:
                return low.depth + (high.depth - low.depth) * (1 - before) / (after - before)
        return None


def kernel_traces(default: Program, dual: Program, reduction: Program, depth: int) -> tuple[Trace, Trace, Trace]:
    """Recorded calls of the three kernels for one full 4x8 tile of that depth; the values do not matter to the cost.

    default, dual, reduction  programs of the contracts qu8_gemm_q31, qu8_gemm_xzp_q31 and qu8_sumrows, AArch32, 4 rows,
                          8 columns; arguments in the order of their contracts
    depth                 a multiple of 8, at least 8

    Raises BadArgument for another depth.
    """
    if depth < 8 or depth % 8:
        raise BadArgument(f"depth must be a multiple of 8, at least 8; got {depth}.")
    machine = Machine(isa=reduction.isa)
    a = machine.memory.place(np.zeros((4, depth), np.uint8), name="a", reads_before=7)
    out = machine.memory.alloc(16, name="sums")
    return (gemm_trace(default, 4, depth, depth), gemm_trace(dual, 4, depth, depth, summed=True),
            _recorded(machine, reduction, a, 4, depth, depth, 1, out))


def gemm_trace(kernel: Program, rows: int, depth: int, pitch: int, *, summed: bool = False) -> Trace:
    """Return a recorded call of one full tile of 8 columns (contract qu8_gemm_q31), its rows n bytes apart.

    summed   with sums of its rows (contract qu8_gemm_xzp_q31)
    """
    machine = Machine(isa=kernel.isa)
    a = machine.memory.place(np.zeros(rows * pitch, np.uint8), name="a", reads_before=7)
    w = machine.memory.place(np.zeros(32 + 8 * depth, np.uint8), name="w")
    total = [machine.memory.place(np.zeros(rows, np.int32), name="a_sum")] if summed else []
    c = machine.memory.alloc(8 * rows, name="c")
    block = np.zeros(16, np.uint8)
    block[3], block[10] = 0x40, 255                   # multiplier 2**30, no shift; clamp to 0..255
    params = machine.memory.place(block, name="params")
    return _recorded(machine, kernel, rows, 8, depth, a, pitch, *total, w, c, 8, params)


def _recorded(machine: Machine, program: Program, *arguments: int) -> Trace:
    done = machine.call(program, *arguments, entry=next(iter(program.globals)), trace=True)
    assert done.trace is not None
    return done.trace


def guesses(core: Core) -> Iterator[tuple[str, Core]]:
    """What a core's file guesses of its NEON side, each taken otherwise: (what, the core so changed)."""
    neon = [name for name in core.units if name.startswith("F")]

    def queues(entries: int) -> Core:
        return replace(core, units={name: replace(unit, queue=entries) if name in neon else unit
                                    for name, unit in core.units.items()})

    def later(classes: str, cycles: int) -> Core:
        return replace(core, rows=tuple(replace(row, fields={**row.fields, "latency": row.fields["latency"] + cycles})
                                        if row.name in classes.split() and "latency" in row.fields else row
                                        for row in core.rows))

    for entries in (5, 8, 12):
        yield f"NEON queues of {entries} entries", queues(entries)
    yield "two Q-form operations a cycle, not three in two", replace(core, rates=())
    yield "products a cycle later", later("asimd_mul_long asimd_mla_long", 1)
    yield "products a cycle earlier", later("asimd_mul_long asimd_mla_long", -1)
    yield "pairwise sums not forwarded to one another", replace(
        core, forwards=tuple(rule for rule in core.forwards if "asimd_add_acc_pair" not in rule.sources))
    yield "one load a cycle", replace(core, units={**core.units, "L": replace(core.units["L"], count=1)})
    yield "one micro-operation a cycle into each NEON queue", replace(
        core, units={name: replace(unit, enter=1) if name in neon else unit for name, unit in core.units.items()})


def _points(core: Core, traces: Mapping[int, tuple[Trace, Trace, Trace]]) -> Iterator[DepthPoint]:
    for depth, three in sorted(traces.items()):
        yield DepthPoint(core.name, depth, *(time(trace, core=core).cycles for trace in three))


def dual_issue(traces: Mapping[int, tuple[Trace, Trace, Trace]], cores: Sequence[str], *,
               columns: int = 8, doubted: Sequence[str] = ()) -> Report:
    """Default against dual-issue kernel by depth on several cores, from recorded calls (`kernel_traces`); `data` is a
    `DualIssue`.

    traces    depth -> calls of the default kernel, the dual-issue kernel, the row sums
    columns   of the product: one call of the row sums serves columns / 8 tiles; by default one
    doubted   of the cores, those of whose guesses each is also taken otherwise (`guesses`)
    """
    points: list[DepthPoint] = []
    tried, able = [], CoreFilter()
    for core in able.cores(cores, *(requirements_of(trace) for three in list(traces.values())[:1] for trace in three)):
        points += _points(load_core(core), traces)
        for text, other in guesses(load_core(core)) if core in doubted else ():
            taken = DualIssue(tuple(_points(other, traces)), columns)
            tried.append(Guess(core, text, taken.break_even(core), taken.gain(core, taken.depths[-1])))
    found, switch = DualIssue(tuple(points), columns, tuple(tried)), qnnpack_switch()
    rows = [[core, *(f"{found.gain(core, k):.2f}" for k in found.depths), str(found.crossover(core) or "never"),
             cell(found.break_even(core), ".1f"), str(switch.get(core, "never"))] for core in found.cores]
    series = [Series(core, tuple((k, found.gain(core, k)) for k in found.depths)) for core in found.cores]
    marks = [(core, depth, "QNNPACK") for core, depth in switch.items()
             if core in found.cores and depth in found.depths]
    return Report(
        f"Default / dual-issue kernel, row sums included, {columns} columns (modelled): above 1 dual issue wins",
        _notes(found),
        (["core", *(f"K={k}" for k in found.depths), "wins from", "break-even", "QNNPACK"], rows),
        Lines("depth K", "cycles of default / dual-issue", tuple(series), ((1.0, "both take the same time"),),
              tuple(marks)),
        # Source: (A47).
        quoted=(Quoted("15 to 20 % on the Cortex-A75", "article", "QNNPACK's"),
                Quoted("depths at which QNNPACK switches", "core's file", "QNNPACK's code")),
        skipped=able.sentences(), data=found)


def _notes(found: DualIssue) -> str:
    even = {core: found.break_even(core) for core in found.cores}
    switch = ", ".join(f"{depth} ({short(core)})" for core, depth in qnnpack_switch().items())
    broken = ", ".join(f"{core} {even[core] or 0:.1f}" for core in qnnpack_switch() if even.get(core))
    return (
        "The dual-issue kernel parts each VMLAL into VMULL and VPADAL, which two pipes can do side by side, and pays "
        "for it with rotations (VEXT) and row sums. In-order cores start one NEON operation of 128 bits a cycle, and "
        "VPADAL takes two: it does not pay there. The article has it 15 to 20 % faster on the Cortex-A75 for K > 64. "
        f"Break-even depths: {broken or 'none'}. QNNPACK switches at {switch}: its authors tried whole networks, "
        "calls, threads and packing included, in powers of two. The models have the same order (A76, A75, A72, A73), "
        "A75, A72 and A73 close together: no table of the NEON pipes of A73 or A75 was read for these models (Arm's "
        "guide to the A75, document 101398, could not be), so both have those of the A72, their queues too. To fit "
        "them to the thresholds would say nothing about other code."
        + "".join(_guessed(found, core) for core in dict.fromkeys(guess.core for guess in found.guesses)))


def _guessed(found: DualIssue, core: str) -> str:
    """Which numbers of a core are guesses, and how far the break-even depth moves with each, in a sentence."""
    mine = [guess for guess in found.guesses if guess.core == core]
    even = [guess.even for guess in mine if guess.even] + [own for own in [found.break_even(core)] if own]
    told = "; ".join(f"{guess.text}: " + (f"{guess.even:.1f}" if guess.even else
                                          f"{'always' if guess.gain > 1 else 'never'} pays") for guess in mine)
    span = f", from {min(even):.1f} to {max(even):.1f}" if even else ""
    known = load_core(core)
    return (f" Of the {core.replace('cortex-a', 'Cortex-A')} {len(known.assumed())} prices are guesses, and its queues "
            f"and NEON pipes: each taken otherwise, the break-even depth moves{span} ({told}).")
