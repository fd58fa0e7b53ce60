"""A long loop from a short one: only where the whole state of the pipeline comes back.

At the start of an iteration a pipeline writes down its state relative to now and to the next instruction: queues,
results on their way, units taken, budgets. When a later iteration starts in the same state, everything between the two
repeats exactly, because nothing else decides what happens. So a run of many iterations is a short run with that piece
put in as often as needed; if the state does not come back, all iterations are simulated. A trace is always simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from neonsim.timing.op import Stream
from neonsim.timing.pipeline import Execution

__all__ = ["Mark", "extrapolate"]

_FIRST = 24         # iterations of the first trial
_TAIL = 8           # iterations that a trial still has to run after the state came back


@dataclass(frozen=True, slots=True)
class Mark:
    """A pipeline at the start of a cycle in which it first got to a new iteration."""

    state: Hashable
    cycle: int
    next: int
    slots: dict[str, int]
    busy: dict[str, int]
    filled: int


def extrapolate(stream: Stream, run: Callable[[Stream], tuple[Execution, list[Mark]]]) -> Execution:
    """The run of a loop, all its iterations; exactly what simulating every one of them gives.

    run   simulates a stream and gives its marks as well
    """
    total, body = stream.iterations, stream.body
    trial = _FIRST
    while trial + _TAIL < total:
        found, marks = run(_shorter(stream, trial))
        pair = _recurrence(marks, (trial - _TAIL) * body)
        if pair is not None:
            first, second = pair
            period = (second.next - first.next) // body
            rest = (total - trial) % period
            if rest:
                # The piece that repeats has several iterations: the ends must meet.
                found, marks = run(_shorter(stream, trial + rest))
                pair = _recurrence(marks, (trial - _TAIL) * body)
                if pair is None or (pair[1].next - pair[0].next) // body != period:
                    break
                first, second = pair
            return _repeat(found, first, second, (total - trial - rest) // period)
        trial *= 3
    return run(stream)[0]


def _shorter(stream: Stream, iterations: int) -> Stream:
    n = iterations * stream.body
    taken = [*stream.taken[:n - 1], stream.taken[-1]]
    return replace(stream, order=stream.order[:n], taken=taken)


def _recurrence(marks: list[Mark], before: int) -> tuple[Mark, Mark] | None:
    """The first state that comes back, early enough that the end of the run cannot have had a say in it."""
    seen: dict[Hashable, Mark] = {}
    for mark in marks:
        if mark.next > before:
            return None
        if mark.state in seen:
            return seen[mark.state], mark
        seen[mark.state] = mark
    return None


def _repeat(run: Execution, first: Mark, second: Mark, times: int) -> Execution:
    """Put what happened between the marks in again, `times` times."""
    cycles = second.cycle - first.cycle
    low, high = first.next, second.next

    def stretch(column: list[int]) -> list[int]:
        piece = column[low:high]
        middle = [at + cycles * k for k in range(1, times + 1) for at in piece]
        return [*column[:high], *middle, *(at + cycles * times for at in column[high:])]

    def again(column: list[str]) -> list[str]:
        return [*column[:high], *column[low:high] * times, *column[high:]]

    slots = dict(run.slots)
    for reason, lost in second.slots.items():
        slots[reason] += times * (lost - first.slots.get(reason, 0))
    busy = {name: used + times * (second.busy[name] - first.busy[name]) for name, used in run.busy.items()}
    return Execution(run.width, stretch(run.start), stretch(run.issue), stretch(run.done), stretch(run.retire),
               again(run.unit), again(run.why), slots, busy,
               run.filled + times * (second.filled - first.filled), run.cycles + times * cycles)
