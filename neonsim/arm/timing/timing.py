"""`time` and what it returns: the modelled cost of a trace or of a loop on a core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import OUT_OF_ORDER, Core
from neonsim.arm.timing.counts import Counts, count_stream
from neonsim.arm.timing.loop_bounds import Bounds, bounds
from neonsim.arm.timing.pipeline.base import Execution
from neonsim.arm.timing.pipeline.memory_hierarchy import BufferTraffic, MemoryHierarchy
from neonsim.arm.timing.report.analysis import (
    LEAST,
    CriticalEdge,
    Pressure,
    SourceLineCost,
    critical_path,
    cycles_by_line,
    loop_carried_cycles,
    pressure,
)
from neonsim.arm.timing.report.konata import konata
from neonsim.arm.timing.report.llvm_mca import mca, mca_program
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction, stream_of
from neonsim.common.fileio import write_file
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument

__all__ = ["Timing", "TimingRow", "compare_timings", "time"]


@dataclass(frozen=True, slots=True)
class TimingRow:
    """One executed instruction: cycles (from 0) of start, issue, end and retirement, its unit, what it waited for."""

    step: int
    op: StaticInstruction
    start: int
    issue: int
    completion: int
    retire: int
    unit: str
    stall_reason: str


@dataclass(frozen=True)
class Timing:
    """The modelled cost of a run.

    cycles              from the first instruction to the last result
    instructions        executed
    ipc                 instructions / cycles
    macs_per_cycle      products / cycles
    slots               lost issue slots by reason; instructions + their sum = width x cycles
    stalls              the same in cycles: slots / width
    cycles_per_call     of several calls in a row: all cycles / calls, the caller's moves and BL included
    cycles_per_iteration   of a loop: between the starts of two iterations, after the first ones
    unknown             classes priced as unknown, and built-in functions, which stand for those of a library -> how
                        many instructions were of them
    counts              what was counted, without a model
    bounds              lower bounds, and which one binds
    traffic             of a trace: what each buffer moved; with caches= also what missed
    state               of the caches at first: "cold", "warm", or "" where every access hits L1

    Modelled, not measured; memory is L1-warm unless caches= says otherwise, branches are predicted. `core.notes`
    says what is left out.
    """

    core: Core
    stream: InstructionStream
    run: Execution
    counts: Counts
    memory: MemoryHierarchy | None = None
    state: str = ""

    @property
    def cycles(self) -> int:
        return self.run.cycles

    @property
    def instructions(self) -> int:
        return len(self.stream)

    @property
    def macs(self) -> int:
        return self.counts.macs

    @property
    def ipc(self) -> float:
        return self.instructions / self.cycles

    @property
    def macs_per_cycle(self) -> float:
        """Products / cycles; in the steady state where the stream is a loop."""
        if self.stream.body and self.stream.iterations > 1:
            return self.macs / self.stream.iterations / self.cycles_per_iteration
        return self.macs / self.cycles

    @property
    def slots(self) -> Mapping[str, int]:
        return dict(sorted(self.run.slots.items(), key=lambda item: -item[1]))

    @property
    def stalls(self) -> Mapping[str, float]:
        return {reason: slots / self.core.width for reason, slots in self.slots.items()}

    @property
    def cycles_per_call(self) -> float:
        """Cycles / calls, as who measures several calls between two looks at the clock has them."""
        return self.cycles / self.stream.calls

    @property
    def cycles_per_iteration(self) -> float:
        """Cycles between iteration starts over the second half of the loop; cycles if it is no loop."""
        body, n = self.stream.body, self.stream.iterations
        if not body or n < 2:
            return float(self.cycles)
        first = n // 2 if n > 2 else 0
        last = n - 1
        return (self.run.issue[last * body] - self.run.issue[first * body]) / (last - first)

    @cached_property
    def bounds(self) -> Bounds:
        return bounds(self.stream, self.core)

    @cached_property
    def carried(self) -> float:
        """Cycles an iteration that results passed on from one iteration to the next ask for."""
        return loop_carried_cycles(self.stream, self.core)

    @cached_property
    def pressure(self) -> Pressure:
        """Registers alive before each instruction, vector and general. Counted."""
        return pressure(self.stream)

    def critical_path(self) -> list[CriticalEdge]:
        """Return the longest chain of dependent instructions, first to last."""
        return critical_path(self.stream, self.core)

    @property
    def traffic(self) -> Mapping[str, BufferTraffic]:
        """Of a trace: buffer -> accesses, bytes, lines that missed; modelled where caches are."""
        return self.memory.traffic if self.memory else {}

    @property
    def memory_state(self) -> str:
        """One phrase on what was assumed of memory."""
        if self.memory is None or not self.memory.caches:
            return "every access hits L1, branches predicted"
        return f"caches {self.state} at first, stream prefetcher {'on' if self.memory.prefetch else 'off'}"

    @property
    def unknown(self) -> Mapping[str, int]:
        used: dict[str, int] = {}
        times, ops = self.stream.times(), self.stream.ops
        unknown = [k for k, op in enumerate(ops) if op.built_in or self.core.price(op).unknown]
        for k in sorted(unknown, key=self.stream.order.index) if len(unknown) > 1 else unknown:
            name = f"{ops[k].built_in} (built in)" if ops[k].built_in else ops[k].timing
            used[name] = used.get(name, 0) + times[k]
        return used

    def rows(self) -> list[TimingRow]:
        """Return one row for each executed instruction, in program order."""
        run = self.run
        return [TimingRow(k, self.stream.ops[index], run.start[k], run.issue[k], run.completion[k], run.retire[k],
                          run.unit[k],
                          run.stall_reason[k])
                for k, index in enumerate(self.stream.order)]

    def step_costs(self) -> list[float]:
        """Return the cycles charged to each executed instruction; they add up to all cycles.

        The cycles since the last issue before it are the instruction's: that long nothing went on for its sake.
        Instructions that issue together share theirs, the last ones also have what is left until the end.
        """
        together: dict[int, int] = {}
        for at in self.run.issue:
            together[at] = together.get(at, 0) + 1
        cycles = sorted(together)
        gaps = {at: at - before for before, at in zip([-1, *cycles], cycles, strict=False)}
        gaps[cycles[-1]] += self.cycles - 1 - cycles[-1]
        return [gaps[at] / together[at] for at in self.run.issue]

    def line_costs(self) -> dict[int, float]:
        """Return source line -> cycles charged to its instructions."""
        costs: dict[int, float] = {}
        for cost, index in zip(self.step_costs(), self.stream.order, strict=True):
            line = self.stream.ops[index].line
            costs[line] = costs.get(line, 0.0) + cost
        return costs

    def lines(self) -> list[SourceLineCost]:
        """Return the cost by source line, of an iteration or the complete call, with the causes of waits."""
        return cycles_by_line(self)

    # ---- text

    def timeline(self, first: int = 0, count: int = 40) -> str:
        """Draw a timeline in text, one row for each instruction.

        `D` dispatched, `=` waits, `e` executes, `E` done, `-` waits for those before it, `R` retires

        first, count   which executed instructions (at most 200 columns are drawn)

        Raises BadArgument if `first` is not an executed instruction.
        """
        n = self.instructions
        if not 0 <= first < n or count < 1:
            raise BadArgument(f"first={first}, count={count}: first must be 0 to {n - 1} and count at least 1.")
        rows = self.rows()[first:first + count]
        origin = min(row.start for row in rows)
        body = self.stream.body
        label = [f"{row.step}" if not body else f"{row.step // body}.{row.step % body}" for row in rows]
        wide = max(len(text) for text in label)
        text = max(len(row.op.text or row.op.timing) for row in rows)
        end = min(max(max(row.retire, row.completion) for row in rows) - origin + 1, 200)
        marks = range(origin, origin + end)
        ruler = "".join(str(c // 10 % 10) if c % 10 == 0 else " " if c % 5 else "." for c in marks)
        lines = [f"{self.stream.name} on {self.core.name}: modelled, cycles from {origin}",
                 " " * (wide + text + 4) + ruler]
        for name, row in zip(label, rows, strict=True):
            cells = [" "] * end
            for c in range(end):
                at = origin + c
                if row.start <= at < row.issue:
                    cells[c] = "D" if at == row.start and self.core.kind == OUT_OF_ORDER else "="
                elif row.issue <= at < row.completion:
                    cells[c] = "e"
                elif at == max(row.retire, row.completion):
                    cells[c] = "R"
                elif row.completion <= at < row.retire:
                    cells[c] = "E" if at == row.completion else "-"
            lines.append(f"{name:>{wide}}  {row.op.text or row.op.timing:<{text}}  {''.join(cells).rstrip()}")
        return "\n".join(lines)

    def ports(self) -> str:
        """Format how busy each unit was."""
        lines = [f"{self.stream.name} on {self.core.name}: use of units, modelled"]
        for name, unit in self.core.units.items():
            used = self.run.busy.get(name, 0)
            part = used / (unit.count * self.cycles)
            bar = "#" * round(40 * min(part, 1.0))
            share = f"{used:8d} of {unit.count * self.cycles:<8d}{100 * part:6.1f} %"
            lines.append(f"  {name:<8}{share}  {bar:<40}  {unit.text}")
        return "\n".join(lines)

    def line_report(self) -> str:
        """Format the cost by source line."""
        rows = self.lines()
        wide = max(len(row.text) for row in rows)
        per = "cycles an iteration" if self.stream.body else "cycles"
        lines = [f"{self.stream.name} on {self.core.name}: {per} by line, modelled"]
        return "\n".join([*lines,
                          *(f"  {row.number:5d}  {row.text:<{wide}}{row.cycles:8.2f}  {row.stall_reason}".rstrip()
                                    for row in rows)])

    def path_report(self, max_links: int = 24) -> str:
        """Format the critical path: its last `max_links` links."""
        links = self.critical_path()
        lines = [f"{self.stream.name} on {self.core.name}: longest chain, {len(links)} instructions, modelled",
                 "   step  start  waits through"]
        if len(links) > max_links:
            lines.append(f"  ... {len(links) - max_links} before these")
        lines += [f"  {link.step:5d} {link.start:6d}  {link.register:<14} {link.op.text or link.op.timing}"
                  for link in links[-max_links:]]
        return "\n".join(lines)

    def __str__(self) -> str:
        loop = bool(self.stream.body) and self.stream.iterations > 1
        counted = f"{self.instructions} instructions, {self.counts.neon} NEON, {self.macs} multiply-accumulates"
        lines = [f"{self.stream.name} on {self.core.name}",
                 f"  counted   {counted}",
                 f"  modelled  {self.cycles} cycles, {self.ipc:.2f} instructions a cycle"]
        if loop:
            per = f"{self.cycles_per_iteration:.1f} cycles an iteration of {self.stream.body} instructions"
            lines.append(f"            {per}")
        if self.describe_loops():
            lines.append(f"            {self.describe_loops()}")
        if self.stream.calls > 1:
            lines.append(f"            {self.cycles_per_call:.1f} cycles a call, {self.stream.calls} in a row")
        if self.macs:
            lines.append(f"            {self.macs_per_cycle:.2f} multiply-accumulates a cycle")
        limit = self.bounds
        unit = "cycles an iteration" if loop else "cycles"
        lines.append(f"            at least {limit.highest / limit.per:.1f} {unit}: {limit.binding}")
        if loop:
            lines.append(f"            results carried from iteration to iteration ask for {self.carried:.1f}")
        lines.append(f"  registers {self.pressure}")
        width, filled = self.core.width, self.run.filled
        total = width * self.cycles
        lines.append(f"  slots     {total} = {width} x {self.cycles} cycles: {filled} issued, {total - filled} lost to")
        few = {why: lost for why, lost in self.slots.items() if 100 * lost < LEAST * total}
        lines += [f"            {why:<26}{lost:8d}{100 * lost / total:7.1f} %" for why, lost in self.slots.items()
                  if why not in few]
        if few:
            lines.append(f"            less than {LEAST} % each: {', '.join(f'{why} {few[why]}' for why in few)}")
        if self.unknown:
            listed = ", ".join(f"{name} x{n}" for name, n in self.unknown.items())
            lines.append(f"  unknown   {listed}: placeholder prices, so the cycles are a guess there")
        lines += self._memory_lines()
        return "\n".join(lines)

    def _memory_lines(self) -> list[str]:
        lines = [f"  memory    {self.memory_state}"]
        if self.traffic:
            lines += ["            accesses        bytes         missed  missed  lines",
                      "            loads  stores   read  written    L1      L2   prefetched"]
        for name, t in self.traffic.items():
            lines.append(f"            {t.loads:5d} {t.stores:7d} {t.bytes_read:6d} {t.bytes_written:8d} "
                         f"{t.l1_misses:6d} "
                         f"{t.l2_misses:7d} {t.prefetched:8d}   {name}")
        return lines

    def describe_loops(self) -> str:
        """Describe the iterations that were not simulated."""
        return ""

    def __repr__(self) -> str:
        return f"<Timing {self.core.name}: {self.cycles} cycles, {self.instructions} instructions>"

    # ---- files

    def to_konata(self, path: str | Path) -> Path:
        """Write a Kanata 0004 log; open it with Konata. -> the path."""
        return write_file(path, konata(self.stream, self.run))

    def to_html(self, path: str | Path) -> Path:
        """Write a page with the picture. -> the path. (Drawn by `neonsim.render`, imported only here.)"""
        page: str = import_module("neonsim.render.pictures.pipeline").timing_page(self)
        return write_file(path, page)

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON: counts, modelled cycles, lost slots, bounds."""
        limit = self.bounds
        return {
            "name": self.stream.name, "core": self.core.name, "isa": self.stream.isa,
            "counted": {"instructions": self.instructions, "neon": self.counts.neon, "macs": self.macs,
                        "classes": dict(self.counts.classes), "vector_registers_alive": self.pressure.max_live},
            "modeled": {"cycles": self.cycles, "ipc": self.ipc, "macs_per_cycle": self.macs_per_cycle,
                         "cycles_per_iteration": self.cycles_per_iteration, "iterations": self.stream.iterations,
                         "calls": self.stream.calls, "cycles_per_call": self.cycles_per_call,
                         "slots": dict(self.slots), "bounds": {k: v / limit.per for k, v in limit.cycles.items()},
                         "binding": limit.binding, "carried": self.carried, "unknown": dict(self.unknown),
                         "units": {name: self.run.busy.get(name, 0) for name in self.core.units},
                         "lines": {row.number: row.cycles for row in self.lines()},
                         "caches": self.state or None,
                         "traffic": {name: asdict(moved) for name, moved in self.traffic.items()}},
        }


def time(subject: object, core: str | Path | Core = "cortex-a53", *, entry: str | int | None = None,
         iterations: int | None = None, caches: str | None = None, prefetch: bool = True, calls: int = 1) -> Timing:
    """Model the cost of a run on a core: cycles, lost slots by reason, use of units.

    subject      a trace (of a call with trace=True; a lock-step run records one tile), or a program: then one loop of
                 it runs alone, as a straight sequence of instructions, without machine state
    core         name (`cores()` lists them), or path of a TOML file
    entry        the loop: label at its head, or first source line where the label is a number; not needed if there is
                 only one
    iterations   of the loop, default 100; of very many only as many are simulated as it takes, and the others are
                 extrapolated from the steady state: the timing says so
    caches       None: every access hits L1; of a trace also "cold": L1 and L2 are empty at first, or "warm": the
                 same run has just been through them
    prefetch     with caches: the stream prefetcher is on
    calls        of a trace: n calls in a row, which overlap as far as the core lets them (`cycles_per_call`);
                 checkasm, with which FFmpeg, dav1d and x264 are measured, makes four between two looks at the clock

    Raises TimingError: no such core, malformed core file, an instruction without a price, a program of an instruction
    set that the core does not run. BadArgument: nothing that can be timed, no such loop.
    """
    model = load_core(core)
    stream = stream_of(subject, entry=entry, iterations=iterations)
    if stream.loop_count:
        from neonsim.arm.timing.long_loops import time_long

        if as_int(calls, "calls", 1) == 1 and caches is None:
            return time_long(stream, model)
    if as_int(calls, "calls", 1) > 1:
        if stream.body:
            raise BadArgument("calls= repeats calls, but a loop alone is not a call. Time a trace (of a call with "
                              "trace=True), or use iterations=.")
        stream = stream.in_a_row(calls)
    memory = memory_of(stream, model, caches, prefetch)
    return Timing(model, stream, simulate(stream, model, memory), count_stream(stream), memory, caches or "")


def memory_of(stream: InstructionStream, core: Core, caches: str | None, prefetch: bool) -> MemoryHierarchy | None:
    """Return the caches in their first state; None where the stream has no addresses or the core file no [memory]."""
    if caches not in (None, "cold", "warm"):
        raise BadArgument(f"caches must be \"cold\", \"warm\" or None (every access hits L1); got {caches!r}.")
    if caches and not stream.touches:
        raise BadArgument("A loop alone has no addresses, so caches do not apply. Time a trace (of a call with "
                          "trace=True).")
    if core.memory is None:
        if caches:
            raise BadArgument(f"{core.name} has no cache model, because its core file has no [memory].")
        return None
    memory = MemoryHierarchy(core.memory, caches=caches is not None, prefetch=prefetch, regions=stream.regions)
    if caches == "warm":
        memory.warm(touch for touch in stream.touches if touch[1])
    return memory if stream.touches else None


def compare_timings(*timings: Timing, llvm: bool = False) -> str:
    """Timings side by side as text: counted and modelled, one row each.

    llvm   also llvm-mca's cycles an iteration, where it is installed and has a model of its own
    """
    if not timings:
        raise BadArgument("Nothing to compare: pass at least one Timing.")
    name = max(len(t.stream.name) for t in timings)
    lines = [f"{'':<{name}}  {'core':<16}{'counted':>12}{'modelled':>10}{'per':>12}{'MAC per':>10}",
             f"{'':<{name}}  {'':<16}{'instructions':>12}{'cycles':>10}{'iteration':>12}{'cycle':>10}"]
    if llvm:
        lines = [lines[0] + f"{'llvm-mca' + (f' {found[1]}' if (found := mca_program()) else ''):>14}",
                 lines[1] + f"{'iteration':>14}"]
    lines[0] += "  bound by"
    for t in timings:
        per = f"{t.cycles_per_iteration:.1f}" if t.stream.body and t.stream.iterations > 1 else "-"
        line = (f"{t.stream.name:<{name}}  {t.core.name:<16}{t.instructions:>12}{t.cycles:>10}{per:>12}"
                f"{t.macs_per_cycle:>10.2f}")
        if llvm:
            theirs = mca(t.stream, t.core)
            line += f"{f'{theirs.cycles_per_iteration:.1f}' if theirs else 'no model':>14}"
        lines.append(f"{line}  {t.bounds.binding}")
    if llvm and mca_program() is None:
        lines.append("llvm-mca is not installed: on Debian, apt-get install llvm-22 or the newest llvm.")
    return "\n".join(lines)
