"""A loop of very many iterations: some of them simulated, all others counted on from there.

Two runs are simulated, of K and of fewer iterations, and what the one has more than the other is had again and again:

    cycles(n) = cycles(K) + (n - K) / (K - fewer) * (cycles(K) - cycles(fewer)), and so lost slots and use of units

The pipeline's state at the start of an iteration comes back after some of them (see `loops`). Where it does within a
quarter of K, K - fewer is that period and n - K a multiple of it: then this is what simulating all of them gives, to
the cycle. Where it does not, K - fewer is half of K: a rate, and the timing says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.counts import count_stream
from neonsim.arm.timing.pipeline.base import Execution, decode
from neonsim.arm.timing.pipeline.extrapolate import folded
from neonsim.arm.timing.pipeline.trace_feed import AHEAD
from neonsim.arm.timing.report.analysis import SourceLineCost, cycles_by_line
from neonsim.arm.timing.simulation import pipeline_of, simulate
from neonsim.arm.timing.stream import InstructionStream
from neonsim.arm.timing.timing import Timing, TimingRow

__all__ = ["LongTiming", "time_long"]


@dataclass(frozen=True, kw_only=True, repr=False)
class LongTiming(Timing):
    """The modelled cost of a loop of which not all iterations were simulated.

    last, fewer   those that were, see the module     exact   whether the others repeat what these do, to the cycle

    Rows, step costs, pictures and logs are those of ``last``.
    """

    last: Timing
    fewer: Timing
    exact: bool

    @property
    def times(self) -> int:
        """How often the difference of both is had again."""
        return (self.stream.iterations - self.last.stream.iterations) // self.period

    @property
    def period(self) -> int:
        return self.last.stream.iterations - self.fewer.stream.iterations

    @property
    def cycles_per_iteration(self) -> float:
        if not self.exact:
            return self.last.cycles_per_iteration
        n, kept, body = self.stream.iterations, self.last.stream.iterations, self.stream.body
        first, last = n // 2, n - 1
        near = kept // 2 - (kept // 2 - first) % self.period     # in the steady state too, and far from the end
        per = self.last.cycles - self.fewer.cycles
        issue = self.last.run.issue
        passed = issue[(kept - 1) * body] + self.times * per - issue[near * body] - (first - near) // self.period * per
        return passed / (last - first)

    def rows(self) -> list[TimingRow]:
        return self.last.rows()

    def step_costs(self) -> list[float]:
        return self.last.step_costs()

    def line_costs(self) -> dict[int, float]:
        return _onward(self.last.line_costs(), self.fewer.line_costs(), self.times)

    def lines(self) -> list[SourceLineCost]:
        mine, its = (({line.number: line.cycles * t.stream.iterations for line in cycles_by_line(t)})
                     for t in (self.last, self.fewer))
        whole = _onward(mine, its, self.times)
        return [replace(line, cycles=whole[line.number] / self.stream.iterations) for line in cycles_by_line(self.last)]

    def timeline(self, first: int = 0, count: int = 40) -> str:
        return self.last.timeline(first, count)

    def describe_loops(self) -> str:
        """Return how the iterations that were not simulated are known."""
        kept = f"{self.last.stream.iterations:,} of {self.stream.iterations:,} iterations simulated, "
        if self.exact:
            again = f"every {self.period} are" if self.period > 1 else "each is"
            return kept + f"the others extrapolated: in the steady state {again} as those before, to the cycle"
        return kept + "the others extrapolated at the rate of the second half of these: no steady state was met"

    def to_dict(self) -> dict[str, object]:
        made = super().to_dict()
        cast("dict[str, Any]", made["modeled"])["simulated_iterations"] = self.last.stream.iterations
        cast("dict[str, Any]", made["modeled"])["steady_state"] = self.exact
        return made


def _onward(mine: Mapping[Any, Any], its: Mapping[Any, Any], times: int) -> dict[Any, Any]:
    return {name: value + times * (value - its.get(name, 0)) for name, value in mine.items()}


def _lost_slots(mine: Mapping[str, int], its: Mapping[str, int], times: int) -> dict[str, int]:
    """The same of lost slots, whose sum is exact: a reason that the longer run has less of is one of its end.

    >>> _lost_slots({"retire": 9}, {"retire": 4, "branch": 1}, 2)
    {'retire': 17}
    """
    found = _onward(dict.fromkeys(its, 0) | dict(mine), its, times)
    below = sum(slots for slots in found.values() if slots < 0)
    found = {reason: slots for reason, slots in found.items() if slots > 0}
    if below:
        found[max(found, key=found.__getitem__)] += below
    return found


def time_long(stream: InstructionStream, core: Core) -> LongTiming:
    """Return the timing of a loop of ``stream.turns`` iterations, of which the stream has the first ones."""
    n, body = stream.loop_count, stream.body
    most = len(stream.order) // body
    period, begins = _period(replace(stream, loop_count=0), core)
    exact = bool(period) and 4 * max(period, begins + 1 + -(-AHEAD // body)) <= most
    if not exact:
        period = most // 2
    kept = most - (most - n) % period
    last, fewer = (_plain(stream, core, k) for k in (kept, kept - period))
    mine, its, times = last.run, fewer.run, (n - kept) // period
    run = Execution(mine.width, mine.start, mine.issue, mine.completion, mine.retire, mine.unit, mine.stall_reason,
                    _lost_slots(mine.slots, its.slots, times), _onward(mine.busy, its.busy, times),
                    mine.filled + times * (mine.filled - its.filled), mine.cycles + times * (mine.cycles - its.cycles))
    return LongTiming(core, stream, run, count_stream(stream), last=last, fewer=fewer, exact=exact)


def _plain(stream: InstructionStream, core: Core, iterations: int) -> Timing:
    """n iterations, simulated; the branch at the end is not taken the last time."""
    size = iterations * stream.body
    taken = [*stream.taken[:size - 1], False]
    part = replace(stream, order=stream.order[:size], taken=taken, loop_count=0)
    return Timing(core, part, simulate(part, core), count_stream(part))


def _period(stream: InstructionStream, core: Core) -> tuple[int, int]:
    """(iterations after which the state comes back, 0 if it does not; the iteration at which it has).

    What follows the loop is not of it: its last iteration, whose branch is not taken.
    """
    machine: Any = pipeline_of(core)(stream, core, decode(stream, core), None, folded(stream))
    machine.run()
    if not machine.skips:
        return 0, 0
    first, second = machine.skips[0].first, machine.skips[0].second
    return (second.next - first.next) // stream.body, -(-second.next // stream.body)
