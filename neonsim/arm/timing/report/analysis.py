"""What follows from a timing: where the longest chain runs, what a loop carries, how many registers live.

    critical_path    the longest chain of dependent instructions, each with its cycles
    carried          cycles an iteration that the dependences between iterations alone ask for
    pressure         registers that hold a value still needed, before each instruction of the loop or run
    cycles_by_line        cycles by source line, and what its instructions waited for
    compare_slots    lost slots of several timings side by side, a row a reason
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neonsim.arm.timing.cores.model import OUT_OF_ORDER, Core
from neonsim.arm.timing.pipeline.base import Latencies, decode
from neonsim.arm.timing.stream import FEWEST, InstructionStream, StaticInstruction
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from neonsim.arm.timing.timing import Timing

__all__ = [
    "LEAST",
    "CriticalEdge",
    "Pressure",
    "SourceLineCost",
    "compare_slots",
    "critical_path",
    "cycles_by_line",
    "loop_carried_cycles",
    "pressure",
    "short_name",
]

LEAST = 0.05    # cycles, or per cent: what is less would be written as 0.0


@dataclass(frozen=True, slots=True)
class CriticalEdge:
    """An instruction of a chain: its number, when it could start if nothing but the chain held it, why it waited.

    start     cycles from the start of the chain
    register  through which it waits for the link before it; empty for the first
    """

    step: int
    op: StaticInstruction
    start: int
    register: str


@dataclass(frozen=True, slots=True)
class SourceLineCost:
    """A source line: its first instruction, cycles charged to it an iteration (a call), what it waited for most."""

    number: int
    text: str
    cycles: float
    stall_reason: str


@dataclass(frozen=True, slots=True)
class Pressure:
    """Registers alive: at most, how many there are, and before each instruction."""

    vectors: tuple[int, ...]
    general: tuple[int, ...]
    available: int

    @property
    def max_live(self) -> int:
        """The most vector registers alive at a time (128-bit ones; on A32 two d registers are one q)."""
        return max(self.vectors, default=0)

    def __str__(self) -> str:
        return (f"{self.max_live} of {self.available} vector registers alive at most, {max(self.general, default=0)} "
                "general")


def _chain(stream: InstructionStream, core: Core) -> tuple[list[int], list[tuple[int, str]], list[int]]:
    """Per executed instruction: earliest start, (instruction it waits for or -1, register), end of its last result."""
    decoded = decode(stream, core)
    latency = Latencies(core, decoded)
    split = bool(core.writeback_unit) and core.kind == OUT_OF_ORDER
    writer: dict[str, tuple[int, int, int, int]] = {}
    starts: list[int] = []
    before: list[tuple[int, str]] = []
    ends: list[int] = []
    for k, index in enumerate(stream.order):
        one = decoded[index]
        start = address = 0
        why = (-1, "")
        for role, register, position in one.reads:
            found = writer.get(register)
            if found is not None:
                producer, write, at, number = found
                when = at + latency(producer, write, index, position)
                if when > start:
                    start, why = when, (number, register)
                if role in ("base", "offset"):
                    address = max(address, when)
        for role, register, position in one.writes:
            writer[register] = (index, position, address if split and role == "base" else start, k)
        starts.append(start)
        before.append(why)
        ends.append(start + one.lasts)
    return starts, before, ends


def critical_path(stream: InstructionStream, core: Core) -> list[CriticalEdge]:
    """Return the longest chain of dependent instructions of a stream, first to last.

    start[k] = max over what k reads of start[producer] + latency(producer, k)

    Source: latencies and forwarding of the core file; units and width take no part.
    """
    starts, before, ends = _chain(stream, core)
    if not ends:
        return []
    at = max(range(len(ends)), key=lambda k: ends[k])
    links = []
    while at >= 0:
        previous, register = before[at]
        links.append(CriticalEdge(at, stream.ops[stream.order[at]], starts[at], register))
        at = previous
    return links[::-1]


def loop_carried_cycles(stream: InstructionStream, core: Core) -> float:
    """Cycles an iteration that results passed from one iteration to the next ask for; 0 if it is no loop.

    The growth of the longest chain over the later half of the iterations.
    """
    n, body = stream.iterations, stream.body
    if not body or n < 4:
        return 0.0
    # The chain is the same whatever else there is; a few dozen iterations show its growth.
    n = min(n, FEWEST)
    piece = InstructionStream(stream.isa, stream.ops, stream.order[:n * body], stream.taken[:n * body], body,
                              stream.name)
    ends = _chain(piece, core)[2]
    half = n // 2
    return (max(ends) - max(ends[:half * body])) / (n - half)


def pressure(stream: InstructionStream) -> Pressure:
    """Registers whose value is still read later: before each instruction of a loop's iteration, or of a run.

    A loop goes on, so what its next iteration reads is alive at its end.
    """
    order: Sequence[int] = stream.order[:stream.body] if stream.body else stream.order
    ops = [stream.ops[index] for index in order]
    alive: set[str] = set()
    vectors, general = [0] * len(ops), [0] * len(ops)
    for _ in range(2 if stream.body else 1):
        for k in range(len(ops) - 1, -1, -1):
            op = ops[k]
            alive -= {register for _, register in op.writes}
            alive |= {register for _, register in op.reads}
            wide = {r for r in alive if r[0] in "vdq"}
            vectors[k] = len({int(r[1:]) // 2 for r in wide if r[1:].isdigit()} if stream.isa == "aarch32" else wide)
            general[k] = sum(r[0] in "xr" for r in alive)
    return Pressure(tuple(vectors), tuple(general), 16 if stream.isa == "aarch32" else 32)


def cycles_by_line(timing: Timing) -> list[SourceLineCost]:
    """Cost by source line in the order of the text: cycles an iteration of a loop, of the whole call otherwise."""
    stream, run = timing.stream, timing.run
    times = stream.iterations if stream.body else 1
    texts: dict[int, str] = {}
    costs: dict[int, dict[str, float]] = {}            # line -> what its instructions waited for -> cycles
    for why, index, cost in zip(run.stall_reason, stream.order, timing.step_costs(), strict=True):
        op = stream.ops[index]
        texts.setdefault(op.line, op.text or op.timing)
        found = costs.setdefault(op.line, {})
        found[why] = found.get(why, 0.0) + cost
    return [SourceLineCost(line, texts[line], sum(found.values()) / times, max(found, key=lambda why: found[why]))
            for line, found in sorted(costs.items())]


def short_name(timing: Timing) -> str:
    """Return what tells a kernel from its like: the end of its name, after the instruction set; of a text
    without a file, its loop."""
    name, _, loop = timing.stream.name.partition(": ")
    if name.startswith("<"):  # a text without a file has no name: its loop has
        return loop or name
    return name.split(":")[0].removesuffix(".S").rpartition("__")[2].split("_", 1)[-1]


def compare_slots(*timings: Timing) -> str:
    """Lost slots side by side: a column a timing, a row a reason, in cycles an iteration (a call, if it is no loop).

    Every column adds up: issued + lost = cycles, in units of the core's width. Reasons that would be 0.0 everywhere
    have no row.

    Raises BadArgument without a timing.
    """
    if not timings:
        raise BadArgument("Nothing to compare: pass at least one Timing.")
    reasons = sorted({reason for t in timings for reason in t.slots},
                     key=lambda reason: (-max(t.stalls.get(reason, 0) / t.stream.iterations for t in timings), reason))
    names = [short_name(t) for t in timings]
    wide = [max(12, len(name) + 2, len(t.core.name) + 2) for name, t in zip(names, timings, strict=True)]
    lines = [" " * 28 + "".join(name.rjust(w) for name, w in zip(names, wide, strict=True)),
             "modelled, cycles".ljust(28) + "".join(t.core.name.rjust(w) for t, w in zip(timings, wide, strict=True))]

    def row(label: str, values: list[float]) -> str:
        return label.ljust(28) + "".join(f"{v:.1f}".rjust(w) for v, w in zip(values, wide, strict=True))

    lines.append(row("issued", [t.run.filled / t.core.width / t.stream.iterations for t in timings]))
    lost = {reason: [t.stalls.get(reason, 0) / t.stream.iterations for t in timings] for reason in reasons}
    lines += [row(reason, values) for reason, values in lost.items() if max(values) >= LEAST]
    lines.append(row("total", [t.cycles / t.stream.iterations for t in timings]))
    return "\n".join(lines)
