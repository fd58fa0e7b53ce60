"""A long run from a short one: turns of a loop are left out where the whole state of the pipeline comes back.

At the start of a turn a pipeline writes down its state relative to now and to the next instruction: queues, results on
their way, units taken, budgets. When a later turn of the same loop starts in the same state, everything between the two
repeats exactly, because nothing else decides what happens. So a loop of many turns is one of few, with that piece put
in as often as needed, and so is a loop of such loops. Where the state does not come back, all turns are simulated. A
run with addresses is always simulated: what its loads take is not in the state.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    run       0 1 2 [3 4 5] x 24 6 7         the state at the start of turn 9 is that at the start of turn 5
    whole     0 1 2 [3 4 5] x 9, 19 times what turns 5 to 8 took, [3 4 5] x 15 6 7
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from neonsim.timing.columns import Column
from neonsim.timing.folding import fold, numbered
from neonsim.timing.op import Stream
from neonsim.timing.pipeline import Execution

__all__ = ["Mark", "extrapolate"]

_FIRST = 4          # turns of the first trial, at least
_SOME = 160         # instructions of it, at least: a pipeline holds that many
_MORE = 3           # times as many turns in the next one
Numbers = NDArray[np.int64]
Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A pipeline at the start of a cycle in which it first got to a new turn.

    turn   number of the place in the stream's `turns`
    """

    turn: int
    state: Hashable
    cycle: int
    next: int
    slots: dict[str, int]
    busy: dict[str, int]
    filled: int


@dataclass
class _Site:
    """A loop of which turns may be left out, at one place of the shorter stream.

    path     where it is: numbers of turns and items, from outside to inside
    count    turns there are        kept   turns that are simulated
    turns    their first instructions in the shorter stream
    """

    path: Path
    count: int
    kept: int
    turns: list[int] = field(default_factory=list)


@dataclass
class _Piece:
    """What is put in again: instructions first..end of the shorter stream, between two marks, `times` times."""

    first: Mark
    second: Mark
    times: int


def extrapolate(stream: Stream, run: Callable[[Stream], tuple[Execution, list[Mark]]]) -> Execution:
    """The run of a stream without addresses; exactly what simulating all of it gives.

    run   simulates a stream and gives its marks as well
    """
    shorter = _Shorter(stream)
    while shorter.sites:
        found, marks = run(shorter.stream)
        pieces = shorter.pieces(marks)
        if pieces is not None:
            return _Whole(found, pieces).execution(len(stream)) if pieces else found
        shorter.build()
    return run(stream)[0]


class _Shorter:
    """The stream with its loops cut short, longer at each trial."""

    def __init__(self, stream: Stream) -> None:
        self.whole = stream
        # An instruction and whether it is a taken branch, in one number; pieces end with a taken branch.
        self.codes = 2 * np.asarray(stream.order, np.int64) + np.asarray(stream.taken, np.int64)
        ends = np.flatnonzero(self.codes & 1) + 1
        if stream.body:
            ends = np.arange(stream.body, len(self.codes) + 1, stream.body)
        cuts = [0, *ends.tolist()]
        if cuts[-1] != len(self.codes):
            cuts.append(len(self.codes))
        items, self.known = numbered(self.codes, cuts)
        self.items, self.loops = fold(items)
        self.kept: dict[Path, int] = {}
        self._cut: set[Path] = set()        # loops that were given fewer turns than they had
        self._jumps = set((self.codes[(self.codes & 1) == 1] >> 1).tolist())
        self._ends: dict[tuple[int, ...], dict[int, tuple[bool, int]]] = {}
        self.build()

    def build(self) -> None:
        """`stream` and `sites` for the numbers of turns in `kept`."""
        self.sites: list[_Site] = []
        self._parts: list[Numbers] = []
        self._length = 0
        self._skipped: dict[int, list[tuple[int, int]]] = {}
        for k, item in enumerate(self.items):
            self._emit(item, (k,))
        if not self.sites:
            return
        codes = np.concatenate(self._parts)
        turns = sorted({at for site in self.sites for at in site.turns})
        self.place = {at: number for number, at in enumerate(turns)}
        self.stream = replace(self.whole, order=(codes >> 1).tolist(), taken=(codes & 1).astype(bool).tolist(),
                              turns=tuple(turns), skipped=self._skipped)

    def _size(self, item: int) -> int:
        """Instructions of an item, roughly: of a loop one turn."""
        return len(self.known[item]) if item >= 0 else sum(map(self._size, self.loops[-1 - item][0]))

    def _emit(self, item: int, path: Path) -> None:
        if item >= 0:
            self._parts.append(self.known[item])
            self._length += len(self.known[item])
            return
        turn, count = self.loops[-1 - item]
        size = sum(map(self._size, turn))
        kept = min(count, self.kept.get(path, max(_FIRST, -(-_SOME // max(size, 1)))))
        site = _Site(path, count, kept)
        if kept < count:
            self.sites.append(site)
        for number in range(kept):
            site.turns.append(self._length)
            for k, each in enumerate(turn):
                self._emit(each, (*path, number, k))
        more = [(branch, (count - kept) * often) for branch, (other, often) in self._taken(turn).items() if not other]
        if kept < count and more:
            self._skipped.setdefault(self._length, []).extend(more)

    def _taken(self, turn: tuple[int, ...]) -> dict[int, tuple[bool, int]]:
        """Of each branch of a turn: (whether it is once not taken, how often it is taken after that)."""
        found = self._ends.get(turn)
        if found is None:
            found = self._ends[turn] = {}
            for item in turn:
                if item >= 0:
                    codes = self.known[item].tolist()
                    its = [(code >> 1, not code & 1, code & 1) for code in codes if code >> 1 in self._jumps]
                else:
                    inner, count = self.loops[-1 - item]
                    its = [(branch, other, often if other else count * often)
                           for branch, (other, often) in self._taken(inner).items()]
                for branch, other, often in its:
                    before = found.get(branch, (False, 0))
                    found[branch] = (True, often) if other else (before[0], before[1] + often)
        return found

    def pieces(self, marks: list[Mark]) -> list[_Piece] | None:
        """What is to be put in again at each site; None if a longer stream is needed (`kept` says which)."""
        by_turn = {mark.turn: mark for mark in marks}
        found: list[_Piece] = []
        enough = True
        fewest: dict[Path, int] = {}
        for site in self.sites:
            seen: dict[Hashable, tuple[int, Mark]] = {}
            rest = site.count - site.kept
            for number, at in enumerate(site.turns):
                mark = by_turn.get(self.place[at])
                if mark is None:
                    continue
                if mark.state in seen:
                    first, before = seen[mark.state]
                    period = number - first
                    # Turns after the one in which the state comes back say nothing new.
                    fewest[site.path] = number + 1 + (site.count - number - 1) % period
                    if rest % period:
                        # The piece that repeats has several turns: the ends must meet.
                        self.kept[site.path] = site.kept + rest % period
                        enough = False
                    else:
                        found.append(_Piece(before, mark, rest // period))
                    break
                seen[mark.state] = number, mark
            else:
                self.kept[site.path] = _MORE * site.kept
                enough = False
        if not enough:
            # Cut back only once, so that no loop grows and shrinks in turn with another.
            self.kept.update({path: turns for path, turns in fewest.items() if path not in self._cut})
            self._cut.update(fewest)
        return found if enough else None


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

    def __init__(self, run: Execution, pieces: list[_Piece]) -> None:
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
        return Execution(run.width, cycles(run.start), cycles(run.issue), cycles(run.done), cycles(run.retire),
                         words(run.unit), words(run.why), total.slots, total.busy, total.filled, total.cycles)

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
