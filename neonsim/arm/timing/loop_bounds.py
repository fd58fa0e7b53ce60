"""Lower bounds: no schedule of these instructions on this core can take fewer cycles.

    width       instructions / width
    micro-operations   of all instructions / how many are dispatched a cycle (out-of-order)
    unit NAME   cycles of use / how many there are; where some instructions take a unit whole, instructions that also
                need a part of it can never share their cycle (Cortex-A53: a Q-form operation and LDR D)
    rate        cost of the budget / refill a cycle
    path        the longest chain of dependent instructions
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing.cores.model import OUT_OF_ORDER, Core
from neonsim.arm.timing.pipeline.base import Latencies, decode
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["Bounds", "bounds"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower bounds in cycles by what they come from; `per` = iterations of the stream."""

    cycles: dict[str, float]
    per: int

    @property
    def binding(self) -> str:
        """Name of the highest bound."""
        return max(self.cycles, key=lambda name: self.cycles[name])

    @property
    def highest(self) -> float:
        """The highest bound, in cycles for the whole stream."""
        return max(self.cycles.values())

    def __str__(self) -> str:
        heading = "bound (modelled, cycles an iteration)" if self.per > 1 else "bound (modelled, cycles)"
        rows = sorted(self.cycles.items(), key=lambda item: -item[1])
        return "\n".join([heading, *(f"  {name:<24}{value / self.per:10.1f}" for name, value in rows)])


def bounds(stream: InstructionStream, core: Core) -> Bounds:
    """Throughput and dependence bounds of a stream on a core, each a lower bound of the simulated cycles.

    Source: the rules of the core file; nothing else goes in.
    """
    decoded = decode(stream, core)
    times = stream.times()

    def micros(index: int) -> int:
        if core.kind != OUT_OF_ORDER:
            return 1
        op = decoded[index].op
        return len(decoded[index].price.unit_choices) + (bool(core.writeback_unit)
                                                         and any(r == "base" for r, _ in op.writes))

    found = {"width": sum(times) / core.width}
    if core.kind == OUT_OF_ORDER:
        found["micro-operations"] = sum(n * micros(i) for i, n in enumerate(times)) / core.micros
    groups: dict[tuple[str, ...], int] = {}
    whole: dict[str, int] = {}
    parts: dict[tuple[str, str], int] = {}
    for index, n in enumerate(times):
        price = decoded[index].price
        used: dict[str, int] = {}
        for number, (names, count) in enumerate(price.unit_choices):
            busy = price.busy if number == 0 or core.kind != OUT_OF_ORDER else 1
            groups[names] = groups.get(names, 0) + n * count * busy
            if len(names) == 1:
                used[names[0]] = count
                if count == core.units[names[0]].count and core.kind != OUT_OF_ORDER:
                    whole[names[0]] = whole.get(names[0], 0) + n * price.busy
        if core.kind != OUT_OF_ORDER:
            for part, count in used.items():
                if count < core.units[part].count:
                    for other in used:
                        if other != part and core.units[other].count == 1:
                            parts[part, other] = parts.get((part, other), 0) + n * price.busy
    for names in groups:
        # Everything that can go nowhere else than into these units.
        total = sum(use for other, use in groups.items() if set(other) <= set(names))
        found["unit " + "|".join(names)] = total / sum(core.units[name].count for name in names)
    for name, cycles in whole.items():
        beside = [(parts[part, other], other) for part, other in parts if part == name]
        extra, other = max(beside, default=(0, ""))
        if extra:
            found[f"unit {name}, {other} apart"] = cycles + extra
    for rate in core.rates:
        cost = sum(
            n * rate.cost.get(decoded[i].price.form, 0)
            for i, n in enumerate(times)
            for names, _ in decoded[i].price.unit_choices[:1]
            if set(names) <= set(rate.units)
        )
        # What is saved up at the start need not be earned.
        found["rate " + "+".join(rate.units)] = max(0, cost - rate.burst) / rate.refill
    found["path"] = _longest_path(stream, core)
    return Bounds(found, stream.iterations)


def _longest_path(stream: InstructionStream, core: Core) -> float:
    decoded = decode(stream, core)
    latency = Latencies(core, decoded)
    writer: dict[str, tuple[int, int, int]] = {}
    longest = 0
    ends: list[int] = []        # of each instruction: the longest path to its end
    split = bool(core.writeback_unit) and core.kind == OUT_OF_ORDER
    for index in stream.order:
        start = address = 0
        one = decoded[index]
        for role, register, position in one.reads:
            found = writer.get(register)
            if found is not None:
                producer, write, at = found
                when = at + latency(producer, write, index, position)
                start = max(start, when)
                if role in ("base", "offset"):
                    address = max(address, when)
        for role, register, position in one.writes:
            writer[register] = (index, position, address if split and role == "base" else start)
        longest = max(longest, start + one.lasts)
        if stream.loop_count:
            ends.append(start + one.lasts)
    return float(_further(np.array(ends).reshape(-1, stream.body), stream.loop_count) if stream.loop_count else longest)


def _further(ends: NDArray[np.int64], turns: int) -> int:
    """The longest path of n iterations, from those of fewer: [iterations, instructions of one].

    Each grows by the same every n iterations; if they do not within these, their growth there is taken.
    """
    late = ends[len(ends) // 2:]
    period = next((p for p in range(1, len(late) // 2) if not np.ptp(late[p:] - late[:-p], axis=0).any()), 1)
    at = len(ends) - 1 - (len(ends) - turns) % period
    return int((ends[at] + (turns - 1 - at) // period * (ends[at] - ends[at - period])).max())
