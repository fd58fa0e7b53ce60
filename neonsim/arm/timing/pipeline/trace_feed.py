"""The path of a run as a pipeline comes to it: loops in loops, of which turns are left out where the state comes back.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    feed      0 1 2 [3 4 5] x 5, and where the state at the start of turn 4 is that of turn 2, only
              (100 - 5) % 2 turns more: [3 4 5] 6 7

What follows is written a few turns ahead of the pipeline. At the start of a turn the pipeline shows its state; if it
was in it before, in this loop, all between the two repeats, and as many whole repetitions as are left are not written:
a `Skip` says where and how many. Loops in loops are skipped in the same run, outer ones with the inner ones in them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["AHEAD", "Feed", "Folded", "Mark", "Skip"]

AHEAD = 64      # instructions that are there before a cycle begins: more than any core takes in one


@dataclass(frozen=True)
class Folded:
    """A path as loops in loops.

    items    of the path: numbers of pieces, or -1 - i for loop i
    loops    (items of a turn, turns, (branch, how often a turn takes it) of those that each turn only takes)
    pieces   2 x instruction + whether it is a taken branch, each
    """

    items: tuple[int, ...]
    loops: list[tuple[tuple[int, ...], int, tuple[tuple[int, int], ...]]]
    pieces: list[list[int]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A pipeline at the start of a cycle in which it first got to a new turn.

    next    instruction it comes to, counted in those that were simulated
    """

    cycle: int
    next: int
    slots: dict[str, int]
    busy: dict[str, int]
    filled: int


@dataclass(frozen=True, slots=True)
class Skip:
    """What lies between two marks was left out `times` times after the second."""

    first: Mark
    second: Mark
    times: int


class Level:
    """A loop that is being written."""

    def __init__(self, turn: tuple[int, ...], count: int, repeated: tuple[tuple[int, int], ...]) -> None:
        self.turn, self.count, self.repeated = turn, count, repeated
        self.at = 0                     # next item of the turn
        self.begun = 0                  # turns, those that were left out with them
        self.seen: dict[Hashable, tuple[int, Mark]] = {}


@dataclass
class Feed:
    """Instructions in their order, as far as they are written.

    order, taken    of each its number, and whether it is a taken branch
    levels          loops that are being written, from outside to inside; none: all is written
    iterations      where turns begin; `owners`: of which loop, `numbers`: which turn
    iteration       first of them that the pipeline has not come to
    mispredictions  branches that the core predicts wrongly: they fall out of a loop that turned often
    learned         turns that a core does not learn; -1: it predicts everything
    """

    order: list[int]
    taken: list[bool]
    learned: int
    pieces: list[list[int]] = field(default_factory=list)
    loops: list[tuple[tuple[int, ...], int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    owners: list[Level] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    iteration: int = 0
    skips: list[Skip] = field(default_factory=list)
    often: dict[int, int] = field(default_factory=dict)
    mispredictions: dict[int, bool] = field(default_factory=dict)

    @classmethod
    def from_stream(cls, stream: InstructionStream, folded: Folded | None, core: Core) -> Feed:
        """Of a stream, folded or as it is."""
        learned = core.learned if core.mispredict else -1
        if folded is not None:
            return cls([], [], learned, folded.pieces, folded.loops, [Level(folded.items, 1, ())])
        feed = cls(list(stream.order), list(stream.taken), learned)   # a column is read here once for all
        if learned >= 0:
            for at, index in enumerate(stream.order):
                feed.branch(at, index, stream.taken[at])
        return feed

    def branch(self, at: int, index: int, taken: bool) -> None:
        """Note what an instruction does to the counts of turns."""
        if taken:
            self.often[index] = self.often.get(index, 0) + 1
        elif index in self.often and self.often.pop(index) >= self.learned:
            self.mispredictions[at] = True

    def extend(self, until: int) -> None:
        """Write n instructions, or all there are."""
        while len(self.order) < until and self.levels:
            level = self.levels[-1]
            if level.at == len(level.turn):
                if level.begun == level.count:
                    self.levels.pop()
                    continue
                level.at = 0
            if level.at == 0:
                if level.count > 1:
                    self.iterations.append(len(self.order))
                    self.owners.append(level)
                    self.numbers.append(level.begun)
                level.begun += 1
            item = level.turn[level.at]
            level.at += 1
            if item < 0:
                turn, count, repeated = self.loops[-1 - item]
                self.levels.append(Level(turn, count, repeated))
                continue
            for code in self.pieces[item]:
                if self.learned >= 0:
                    self.branch(len(self.order), code // 2, code % 2 == 1)
                self.order.append(code // 2)
                self.taken.append(code % 2 == 1)

    def begins(self, at: int) -> bool:
        """Return whether the pipeline, at instruction `at`, has come to a new turn; it has then seen it."""
        if self.iteration == len(self.iterations) or at < self.iterations[self.iteration]:
            return False
        while self.iteration < len(self.iterations) and at >= self.iterations[self.iteration]:
            self.iteration += 1
        return True

    def begin(self) -> int:
        """Return where the turn begins that the pipeline came to last."""
        return self.iterations[self.iteration - 1]

    def repeat(self, state: Hashable, mark: Mark) -> None:
        """At the start of a turn: leave turns out, if the loop was in this state before."""
        number = self.iteration - 1
        while number >= 0 and self.iterations[number] == self.iterations[self.iteration - 1]:
            level = self.owners[number]
            found = level.seen.get(state)
            if found is None:
                level.seen[state] = self.numbers[number], mark
            else:
                before, first = found
                period = self.numbers[number] - before
                times = (level.count - level.begun) // period
                if times:
                    level.begun += times * period
                    for branch, often in level.repeated:
                        self.often[branch] = self.often.get(branch, 0) + times * period * often
                    self.skips.append(Skip(first, mark, times))
            number -= 1
