"""A long run from a short one: turns of a loop are left out where the whole state of the pipeline comes back.

At the start of a turn a pipeline shows its state relative to now and to the next instruction: queues, results on their
way, units taken, budgets. When a later turn of the same loop starts in the same state, everything between the two
repeats exactly, because nothing else decides what happens. So a loop of many turns is one of few, with that piece put
in as often as needed, and so is a loop of such loops; the `Feed` leaves the turns out while the pipeline runs. Where
the state does not come back, all turns are simulated. A run with caches is always simulated: what is in them is not in
the state.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    run       0 1 2 [3 4 5] x 12 6 7         the state at the start of turn 9 is that at the start of turn 5
    whole     0 1 2 [3 4 5] x 9, 22 times what turns 5 to 8 took, [3 4 5] x 3 6 7
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing.pipeline.base import Execution
from neonsim.arm.timing.pipeline.lazy_column import Column
from neonsim.arm.timing.pipeline.loop_folding import Loop, fold, numbered
from neonsim.arm.timing.pipeline.trace_feed import Folded, Mark, Skip
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["extrapolate", "folded"]

Numbers = NDArray[np.int64]


def extrapolate(stream: InstructionStream,
                run: Callable[[InstructionStream, Folded | None], tuple[Execution, list[Skip]]]) -> Execution:
    """Return the run of a stream without addresses; exactly what simulating all of it gives.

    run   simulates a stream, folded or as it is, and says what it left out
    """
    short = folded(stream)
    found, skips = run(stream, short)
    return found if short is None else _Whole(found, skips).execution(len(stream))


def folded(stream: InstructionStream) -> Folded | None:
    """Return a stream's path as loops in loops; None if nothing repeats."""
    # An instruction and whether it is a taken branch, in one number; pieces end with a taken branch.
    codes = 2 * np.asarray(stream.order, np.int64) + np.asarray(stream.taken, np.int64)
    ends = np.flatnonzero(codes & 1) + 1
    if stream.body:
        ends = np.arange(stream.body, len(codes) + 1, stream.body)
    cuts = [0, *ends.tolist()]
    if cuts[-1] != len(codes):
        cuts.append(len(codes))
    items, known = numbered(codes, cuts)
    items, loops = fold(items)
    if not loops:
        return None
    pieces = [piece.tolist() for piece in known]
    taken = _Taken(pieces, loops, frozenset((codes[(codes & 1) == 1] >> 1).tolist()))
    return Folded(tuple(items), [(turn, count, taken.only(turn)) for turn, count in loops], pieces)


class _Taken:
    """How often turns take their branches.

    jumps   instructions that are taken branches anywhere
    """

    def __init__(self, pieces: list[list[int]], loops: list[Loop], jumps: frozenset[int]) -> None:
        self.pieces, self.loops, self.jumps = pieces, loops, jumps
        self._known: dict[tuple[int, ...], dict[int, tuple[bool, int]]] = {}

    def only(self, turn: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """(branch, how often) of those that a turn takes whenever it comes to them."""
        return tuple((branch, often) for branch, (other, often) in self.each(turn).items() if not other)

    def each(self, turn: tuple[int, ...]) -> dict[int, tuple[bool, int]]:
        """Of each branch of a turn: (whether it is once not taken, how often it is taken after that)."""
        found = self._known.get(turn)
        if found is None:
            found = self._known[turn] = {}
            for item in turn:
                if item >= 0:
                    its = [(code >> 1, not code & 1, code & 1) for code in self.pieces[item] if code >> 1 in self.jumps]
                else:
                    inner, count = self.loops[-1 - item]
                    its = [(branch, other, often if other else count * often)
                           for branch, (other, often) in self.each(inner).items()]
                for branch, other, often in its:
                    before = found.get(branch, (False, 0))
                    found[branch] = (True, often) if other else (before[0], before[1] + often)
        return found


@dataclass
class _Counters:
    """Cycles, lost slots, use of units and filled slots that a piece adds."""

    cycles: int = 0
    filled: int = 0
    slots: dict[str, int] = field(default_factory=dict)
    busy: dict[str, int] = field(default_factory=dict)

    def add(self, other: _Counters, times: int = 1) -> None:
        self.cycles += times * other.cycles
        self.filled += times * other.filled
        for mine, its in ((self.slots, other.slots), (self.busy, other.busy)):
            for name, count in its.items():
                mine[name] = mine.get(name, 0) + times * count

    @classmethod
    def between(cls, a: Mark, b: Mark) -> _Counters:
        return cls(b.cycle - a.cycle, b.filled - a.filled,
                   {name: lost - a.slots.get(name, 0) for name, lost in b.slots.items()},
                   {name: used - a.busy.get(name, 0) for name, used in b.busy.items()})


class _Whole:
    """The whole run from the shorter one: pieces lie side by side or one in the other."""

    def __init__(self, run: Execution, pieces: list[Skip]) -> None:
        self.run = run
        self.left = sorted(pieces, key=lambda p: (p.first.cycle, -p.second.cycle))
        self.at = 0

    def execution(self, length: int) -> Execution:
        places, late, more = self.span(0, len(self.run.issue), None)
        run = self.run

        def cycles(column: Sequence[int]) -> list[int]:
            return cast("list[int]", Column(lambda: np.asarray(column, np.int64)[places] + late, length))

        def words(column: Sequence[str]) -> list[str]:
            return cast("list[str]", Column(lambda: np.asarray(column, object)[places], length))

        total = _Counters(run.cycles, run.filled, dict(run.slots), dict(run.busy))
        total.add(more)
        return Execution(run.width, cycles(run.start), cycles(run.issue), cycles(run.completion), cycles(run.retire),
                         words(run.unit), words(run.stall_reason), total.slots, total.busy, total.filled, total.cycles)

    def span(self, low: int, high: int, until: Mark | None) -> tuple[Numbers, Numbers, _Counters]:
        """(instructions of the shorter run in their order, cycles by which each is later, what pieces inside add)."""
        places, late, more = [], [], _Counters()
        at = low
        while self.at < len(self.left) and (until is None or self.left[self.at].second.cycle <= until.cycle):
            piece = self.left[self.at]
            self.at += 1
            first, end = piece.first.next, piece.second.next
            places.append(np.arange(at, first))
            late.append(np.full(first - at, more.cycles))
            inner, shifts, extra = self.span(first, end, piece.second)
            once = _Counters.between(piece.first, piece.second)
            once.add(extra)
            turns = np.arange(piece.times + 1) * once.cycles
            places.append(np.tile(inner, piece.times + 1))
            late.append((more.cycles + turns[:, None] + shifts[None, :]).ravel())
            more.add(extra)
            more.add(once, piece.times)
            at = end
        places.append(np.arange(at, high))
        late.append(np.full(high - at, more.cycles))
        return np.concatenate(places), np.concatenate(late), more
