"""Small studies on the cost models, for lessons: each a function that returns its numbers and prints as a table.

    dual_issue      default against dual-issue GEMM kernel by depth, row sums included, on several cores
    neon_rate       NEON instructions a cycle: one on in-order cores
    simple_rate     how many simple NEON operations a cycle in D and Q form: three in two cycles on the Cortex-A72
    reorder         the same instructions in an order made for a core
    anomaly         a longer latency that makes a program faster

All figures are modelled. Kernels are given as programs: this room does not know the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from neonsim.asm import Program
from neonsim.errors import BadArgument
from neonsim.machine import CallResult, Machine, Trace
from neonsim.timing.corefile import load_core
from neonsim.timing.model import Core, PriceRow
from neonsim.timing.op import Op, Stream
from neonsim.timing.pipeline import simulate
from neonsim.timing.timing import Timing, time

__all__ = ["QNNPACK_SWITCH", "Anomaly", "DualIssue", "Point", "anomaly", "dual_issue", "kernel_traces", "neon_rate",
           "reorder", "simple_rate", "with_latency"]

# Depth from which QNNPACK takes its dual-issue kernel. Source: pytorch/QNNPACK @7d2a4e9, src/init.c; never elsewhere.
QNNPACK_SWITCH = {"cortex-a76": 16, "cortex-a75": 32, "cortex-a72": 64, "cortex-a73": 256}


@dataclass(frozen=True, slots=True)
class Point:
    """One core, one depth: cycles of a call of the default tile, of the dual-issue tile, of the row sums."""

    core: str
    depth: int
    default: int
    dual: int
    sums: int

    def gain(self, columns: int = 8) -> float:
        """Cycles of the default kernel / of the dual-issue one, for a block of rows and so many columns.

        default * tiles / (dual * tiles + sums), tiles = columns / 8: the row sums are made once for all columns
        """
        tiles = -(-columns // 8)
        return self.default * tiles / (self.dual * tiles + self.sums)


@dataclass(frozen=True)
class DualIssue:
    """Points by core and depth; `columns` of the product, over which the row sums are shared."""

    points: tuple[Point, ...]
    columns: int

    def gain(self, core: str, depth: int) -> float:
        """Speed-up of the dual-issue kernel, row sums included."""
        return next(p for p in self.points if (p.core, p.depth) == (core, depth)).gain(self.columns)

    def crossover(self, core: str) -> int | None:
        """The smallest depth looked at from which the dual-issue kernel stays faster; None if there is none."""
        mine = sorted((p for p in self.points if p.core == core), key=lambda p: -p.depth)
        found = None
        for point in mine:
            if point.gain(self.columns) <= 1:
                break
            found = point.depth
        return found

    def break_even(self, core: str) -> float | None:
        """The depth at which both take the same time, between two that were looked at; None if there is none."""
        mine = sorted((p for p in self.points if p.core == core), key=lambda p: p.depth)
        for low, high in pairwise(mine):
            before, after = low.gain(self.columns), high.gain(self.columns)
            if before < 1 <= after:
                return low.depth + (high.depth - low.depth) * (1 - before) / (after - before)
        return None

    def __str__(self) -> str:
        depths = sorted({p.depth for p in self.points})
        names = list(dict.fromkeys(p.core for p in self.points))
        lines = [f"default / dual-issue cycles with row sums, {self.columns} columns (modelled): above 1 dual wins",
                 "core".ljust(16) + "".join(f"K={k}".rjust(8) for k in depths) + "   wins from   QNNPACK switches at"]
        for name in names:
            cells = "".join(f"{self.gain(name, k):8.2f}" for k in depths)
            switch = QNNPACK_SWITCH.get(name, "never")
            lines.append(f"{name:<16}{cells}{self.crossover(name) or 'never':>12}{switch:>23}")
        return "\n".join(lines)


def kernel_traces(default: Program, dual: Program, sums: Program, depth: int) -> tuple[Trace, Trace, Trace]:
    """Recorded calls of the three kernels for one full 4x8 tile of that depth; the values do not matter to the cost.

    default, dual, sums   programs of the contracts qu8_gemm_q31, qu8_gemm_xzp_q31 and qu8_sumrows, AArch32, 4 rows,
                          8 columns; arguments in the order of their contracts
    depth                 a multiple of 8, at least 8

    Raises BadArgument for another depth.
    """
    if depth < 8 or depth % 8:
        raise BadArgument(f"depth is {depth}; the study looks at multiples of 8, from 8.")
    rows = np.zeros((4, depth), np.uint8)
    weights = np.zeros(32 + 8 * depth, np.uint8)
    block = np.zeros(16, np.uint8)
    block[3] = 0x40                                   # multiplier 2**30, no shift
    block[10] = 255                                   # clamp to 0..255
    found: list[Trace] = []
    for program, summed in ((default, False), (dual, True)):
        machine = Machine(isa=program.isa)
        a = machine.memory.place(rows, name="a", reads_before=7)
        w = machine.memory.place(weights, name="w")
        total = [machine.memory.place(np.zeros(4, np.int32), name="a_sum")] if summed else []
        c = machine.memory.alloc(32, name="c")
        params = machine.memory.place(block, name="params")
        done = machine.call(program, 4, 8, depth, a, depth, *total, w, c, 8, params, entry=_entry(program), trace=True)
        found.append(_recorded(done))
    machine = Machine(isa=sums.isa)
    a = machine.memory.place(rows, name="a", reads_before=7)
    out = machine.memory.alloc(16, name="sums")
    found.append(_recorded(machine.call(sums, a, 4, depth, depth, 1, out, entry=_entry(sums), trace=True)))
    return found[0], found[1], found[2]


def _recorded(done: CallResult) -> Trace:
    assert done.trace is not None
    return done.trace


def _entry(program: Program) -> str:
    return next(iter(program.globals))


def dual_issue(traces: Mapping[int, tuple[Trace, Trace, Trace]], cores: Sequence[str], *,
               columns: int = 8) -> DualIssue:
    """Default against dual-issue kernel by depth on several cores, from recorded calls (`kernel_traces`).

    traces    depth -> calls of the default kernel, the dual-issue kernel, the row sums
    columns   of the product: one call of the row sums serves columns / 8 tiles; by default one

    The article has the dual-issue kernel 15 to 20 % faster on the Cortex-A75 for K > 64. Where QNNPACK switches
    (`QNNPACK_SWITCH`) was found by trying, calls and threads included.
    """
    points = []
    for core in cores:
        for depth, three in sorted(traces.items()):
            points.append(Point(core, depth, *(time(trace, core=core).cycles for trace in three)))
    return DualIssue(tuple(points), columns)


def neon_rate(timing: Timing) -> float:
    """NEON instructions a cycle of a loop in its steady state.

    (NEON instructions of an iteration) / (cycles of an iteration)
    """
    n = timing.stream.iterations
    return timing.counts.neon / n / timing.cycles_per_iteration


def simple_rate(core: str | Core) -> tuple[float, float]:
    """(64-bit, 128-bit) independent vector additions a cycle.

    >>> simple_rate("cortex-a72")
    (2.0, 1.5)
    """
    model = load_core(core)

    def rate(width: str) -> float:
        ops = [Op("asimd_add", f"add {width}", width, 32, writes=(("d", f"v{k % 24}"),)) for k in range(481)]
        issue = simulate(Stream.of_ops(ops), model).issue
        return round(360 / (issue[480] - issue[120]), 2)

    return rate("d"), rate("q")


def reorder(stream: Stream, core: str | Core) -> Stream:
    """One iteration of a loop in an order made for a core: of what could start soonest, the head of the longest chain.

    Every dependence through registers is kept, stores keep their place among loads and stores, the branch stays last.
    What it cannot do is work on several iterations at once, or rename registers.

    Source: list scheduling by critical path, as in any compiler's back end.
    """
    model = load_core(core)
    n = stream.body or len(stream)
    ops = [stream.ops[index] for index in stream.order[:n]]
    after: list[dict[int, int]] = [{} for _ in ops]           # earlier -> later: cycles between their starts

    def edge(first: int, second: int, cycles: int) -> None:
        after[first][second] = max(after[first].get(second, 0), cycles)

    for k, op in enumerate(ops):
        for j in range(k):
            before = ops[j]
            written = {register: w for w, (_, register) in enumerate(before.writes)}
            mine = {register for _, register in op.writes}
            for p, (role, register) in enumerate(op.reads):
                if register in written:
                    edge(j, k, model.latency(before, written[register], op, role, p))
            if mine & {register for _, register in before.reads} or mine & set(written):
                edge(j, k, 0)
            if "store" in (op.kind, before.kind) and {op.kind, before.kind} <= {"load", "store"}:
                edge(j, k, 0)
            if op.kind == "branch" or before.kind == "branch":
                edge(j, k, 0)
    height = [0] * n
    for k in range(n - 1, -1, -1):
        height[k] = max((cycles + height[later] for later, cycles in after[k].items()), default=0)
    waits = [0] * n
    for k in range(n):
        for later in after[k]:
            waits[later] += 1
    ready = {k: 0 for k in range(n) if not waits[k]}
    soonest = [0] * n
    order: list[int] = []
    slot = 0
    while ready:
        now = slot // max(1, model.width)
        best = min(ready, key=lambda k: (max(ready[k], now), -height[k], k))
        slot = max(slot + 1, ready[best] * model.width + 1)
        start = max(ready.pop(best), now)
        order.append(best)
        for later, cycles in after[best].items():
            waits[later] -= 1
            soonest[later] = max(soonest[later], start + cycles)
            if not waits[later]:
                ready[later] = soonest[later]
    return Stream.of_ops([ops[k] for k in order], iterations=stream.iterations, isa=stream.isa,
                         name=f"{stream.name}, reordered")


def with_latency(core: str | Core, timing: str, latency: int) -> Core:
    """A core on which one timing class has another latency."""
    model = load_core(core)
    return replace(model, rows=(*model.rows, PriceRow(timing, (), {"latency": latency})))


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A program on a core, and on the same core where one class of instruction is slower."""

    stream: Stream
    timing: str
    quick: int
    slow: int
    cycles_quick: int
    cycles_slow: int

    def __str__(self) -> str:
        lines = [*(f"    {op.text}" for op in self.stream.ops),
                 f"{self.timing} takes {self.quick} cycles: {self.cycles_quick} cycles (modelled)",
                 f"{self.timing} takes {self.slow} cycles: {self.cycles_slow} cycles (modelled)"]
        return "\n".join(lines)


def anomaly() -> Anomaly:
    """A longer latency that makes a program faster (Neoverse N1, modelled).

    SHL feeds the second ADD, the first ADD feeds MUL. With the quick SHL the second ADD is ready in the same cycle as
    MUL and, being older, takes the one pipe that can multiply. With the slow SHL it comes a cycle later, MUL goes
    first, and the whole is done sooner: a pipe that takes the oldest ready operation is greedy, not wise.

    Source: scheduling anomalies, R. L. Graham, Bounds for certain multiprocessing anomalies, 1966.
    """
    def op(timing: str, text: str, target: str, *sources: str) -> Op:
        return Op(timing, text, "q", 32, reads=tuple(zip("nm", sources, strict=False)), writes=(("d", target),))

    stream = Stream.of_ops([
        op("asimd_shift_imm", "shl v5.4s, v3.4s, #1", "v5", "v3"),
        op("asimd_add", "add v1.4s, v3.4s, v3.4s", "v1", "v3", "v3"),
        op("asimd_add", "add v4.4s, v0.4s, v5.4s", "v4", "v0", "v5"),
        op("asimd_mul", "mul v6.4s, v3.4s, v1.4s", "v6", "v3", "v1"),
    ], name="anomaly")
    core = load_core("neoverse-n1")
    quick = core.price(stream.ops[0]).latency
    slow = quick + 1
    return Anomaly(stream, "asimd_shift_imm", quick, slow, simulate(stream, core).cycles,
                   simulate(stream, with_latency(core, "asimd_shift_imm", slow)).cycles)
