"""Modelled cycles of a call beside those of a file: a regression says which loop takes longer, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from neonsim.arm.timing import Timing
from neonsim.common.fileio import read_text, write_file
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import BadArgument

from .failure import FunctionFailure, fitted

__all__ = ["Baseline", "Baselines", "Cycles", "LoopCost", "loops_of"]

NEAR = 0.05     # cycles an iteration that are no change


@dataclass(frozen=True)
class LoopCost:
    """A loop of a run, by the numbers of its lines: cycles charged to it, iterations, what it waited for most."""

    first: int
    last: int
    cycles: float
    iterations: int
    stall_reason: str

    @property
    def per_iteration(self) -> float:
        """Cycles of an iteration."""
        return self.cycles / self.iterations


def loops_of(timing: Timing) -> list[LoopCost]:
    """Return the loops of a recorded run, innermost alone, in the order of the program."""
    order, ops = timing.stream.order, timing.stream.ops
    ends: dict[int, tuple[int, int]] = {}
    for before, after in pairwise(order):
        if after <= before:
            last, times = ends.get(after, (before, 0))
            ends[after] = min(last, before), times + 1
    inner = {first: (last, times) for first, (last, times) in ends.items()
             if not any(first <= other <= last and other != first for other in ends)}
    found = []
    for first, (last, times) in sorted(inner.items()):
        waits: dict[str, float] = {}
        for why, index, cost in zip(timing.run.stall_reason, order, timing.step_costs(), strict=True):
            if first <= index <= last:
                waits[why] = waits.get(why, 0.0) + cost
        entered = sum(1 for before, after in zip([-1, *order], order, strict=False) if after == first
                      and not first <= before <= last)
        found.append(LoopCost(ops[first].line, ops[last].line, sum(waits.values()), times + entered,
                              max(filter(None, waits), key=lambda why: waits[why], default="nothing")))
    return found


class Cycles(int):
    """Modelled cycles of one call; `<= neon.baseline` compares them with those of the file.

    timing   Timing   where they come from
    key      str      under which the file has them: test, function, sizes, core
    """

    timing: Timing
    key: str

    @classmethod
    def from_timing(cls, timing: Timing, key: str) -> Cycles:
        """Those of a timing."""
        made = cls(timing.cycles)
        made.timing, made.key = timing, key
        return made

    def __le__(self, other: int) -> bool:
        return other.holds(self) if isinstance(other, Baseline) else int(self) <= other

    __hash__ = int.__hash__


@dataclass
class Baselines:
    """A file of cycles that were accepted.

    path     Path   JSON: {key: {"cycles": 123, "loops": [[cycles of an iteration, iterations, waits for], ...]}}
    update   bool   write what is measured in place of comparing
    """

    path: Path
    update: bool = False
    recorded: dict[str, Any] = field(default_factory=dict)

    def accepted(self) -> Mapping[str, Any]:
        """Return what the file has; nothing where there is none. Raises BadArgument for a file that is no such one."""
        if not self.path.is_file():
            return {}
        try:
            found = json.loads(read_text(self.path, MAX_FILE_LENGTH))
        except ValueError as problem:
            raise BadArgument(f"{self.path} is not JSON: {problem}") from None
        if not isinstance(found, dict) or not all(isinstance(one, dict) and isinstance(one.get("cycles"), int)
                                                  for one in found.values()):
            raise BadArgument(f"{self.path} has no cycles by name. Remove it, and run with --neonsim-update")
        return found

    def write(self) -> None:
        """Put what was recorded into the file; what other tests have there stays."""
        if self.recorded:
            whole = dict(sorted({**self.accepted(), **self.recorded}.items()))
            write_file(self.path, json.dumps(whole, indent=1) + "\n")


class Baseline(int):
    """What `cycles <=` compares with: raises AssertionError that says which loop takes longer, and why."""

    baselines: Baselines

    @classmethod
    def from_baselines(cls, baselines: Baselines) -> Baseline:
        """That of a file."""
        made = cls(0)
        made.baselines = baselines
        return made

    def holds(self, cycles: Cycles) -> bool:
        """True where the file has as many cycles or more, or is being written. Raises FunctionFailure otherwise."""
        loops = loops_of(cycles.timing)
        if self.baselines.update:
            self.baselines.recorded[cycles.key] = {
                "cycles": int(cycles),
                                                   "loops": [[round(one.per_iteration, 2), one.iterations,
                                                              one.stall_reason] for one in loops]}
            return True
        known = self.baselines.accepted().get(cycles.key)
        if known is None:
            raise FunctionFailure(fitted([f"{cycles.key}: {int(cycles)} cycles, but no baseline.",
                                   f"remedy: --neonsim-update writes it into {self.baselines.path}"]))
        if int(cycles) <= known["cycles"]:
            return True
        raise FunctionFailure(fitted(_regression(cycles, known, loops)))


def _regression(cycles: Cycles, known: Mapping[str, Any], loops: list[LoopCost]) -> list[str]:
    """What has become slower, in lines."""
    before = int(known["cycles"])
    core = cycles.timing.core.name
    rows = [f"{cycles.key}: {int(cycles)} cycles, the baseline has {before} (+{(cycles - before) / before:.0%}); "
            f"modelled on {core}"]
    were = known.get("loops", [])
    worst, most = "", 0.0
    for number, loop in enumerate(loops):
        was, times, _ = were[number] if len(were) == len(loops) else (0.0, 0, "")
        more = loop.per_iteration * loop.iterations - was * times
        if more > most and (loop.per_iteration > was + NEAR or loop.iterations > times):
            most, worst = more, (
                f"loop of lines {loop.first} to {loop.last}: {loop.per_iteration:.1f} cycles an iteration, "
                f"{loop.iterations} iterations" + (f"; it was {was:.1f}, {times} iterations" if times else "") +
                f"; it waits for: {loop.stall_reason}")
    rows.append(worst or "No loop takes longer: the instructions before and behind them do.")
    rows += [f"  {row.number:5d}  {row.text:40s} {row.cycles:7.1f} cycles   {row.stall_reason}"
             for row in sorted(cycles.timing.lines(), key=lambda row: -row.cycles)[:5]]
    rows.append("remedy: take the change back, or accept it: --neonsim-update")
    return rows
