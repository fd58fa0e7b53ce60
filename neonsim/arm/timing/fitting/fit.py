"""A core fitted to all that others measured: which of its numbers are determined, and how well the rest is told.

First single instructions and sequences decide what they can. Then loops and calls are put to the pipeline for every
value of the numbers that act through it (queues, widths) and of those still open, and all of it is solved together.
What is judged, is judged on figures that were not used: single instructions in five parts, each from the other four;
every loop from all others, and as choices that explain those equally well may say different things of it, by the least
and the most that they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.fitting.discriminating import DiscriminatingProgram, deciding
from neonsim.arm.timing.fitting.evidence import LOOP, PublishedFigure, Test, evidence
from neonsim.arm.timing.fitting.grids import ParameterGrid, grid
from neonsim.arm.timing.fitting.parameters import CoreParameter, Place, Value, reached, unknowns
from neonsim.arm.timing.fitting.solver import FitSolution, Problem, parts, solver

__all__ = ["DETERMINED", "OPEN", "PREFERRED", "SAID", "UNTOUCHED", "Fit", "FittedNumber", "Judged", "Loop", "fit"]

DETERMINED, PREFERRED, SAID, OPEN, UNTOUCHED = "determined", "preferred", "told", "open", "untouched"
FOLDS = 5
CELLS, LOOP_CELLS = 150, 160        # of a test's table
PIPELINE = ("queue", "dispatch")


@dataclass(frozen=True)
class FittedNumber:
    """A number of a core after the fit.

    state    determined: every other value contradicts a figure more; preferred: others fit worse; told: some fit as
             well, a description decides; open: some fit as well; untouched: no figure depends on it
    best     the value that fits best     equal   the others that fit as well
    micro    which short program would tell them apart, or the file's value from a better one; None where neither is
             the case or none of ours does
    rests    the figures for whose sake `best` is better than what the file has: (name, measured, cycles with the
             file's value and the best of all others); none where they are the same
    """

    parameter: CoreParameter
    state: str
    best: Value
    equal: tuple[Value, ...] = ()
    micro: DiscriminatingProgram | None = None
    rests: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """Figures of a kind, each from a fit that had not seen it; errors are shares of the figure.

    figures      all there are            judged        those whose numbers others tell
    mean, worst  errors of these          contradicted  outside their bands
    file_mean    mean error of the core's file on the same ones
    """

    kind: str
    figures: int
    judged: int
    mean: float
    worst: float
    contradicted: int
    file_mean: float


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop or call: cycles measured, by the core's file, and by fits to everything else (least, most)."""

    name: str
    measured: float
    file: float
    lowest: float
    highest: float
    fixed: int

    def errors(self) -> tuple[float, float, float]:
        """(of the file, of the fit that says least, of the one that says most)."""
        return tuple(cycles / self.measured - 1 for cycles in (self.file, self.lowest, self.highest))  # type: ignore


@dataclass(frozen=True)
class Fit:
    """What `fit` found of a core."""

    core: str
    tests: tuple[Test, ...] = field(repr=False)
    remaining: tuple[FittedNumber, ...] = field(repr=False)
    judged: tuple[Judged, ...]
    loops: tuple[Loop, ...]
    contradicted: tuple[tuple[str, float, float], ...]

    @property
    def figures(self) -> int:
        return sum(len(test.figures) for test in self.tests)

    def in_state(self, state: str) -> list[FittedNumber]:
        """Return the numbers in a state."""
        return [one for one in self.remaining if one.state == state]


def fit(core: str | Path | Core, say: Callable[[str], None] | None = None) -> Fit:
    """Fit the numbers of a core to everything that is known to be measured on it.

    say   told what is being done, from time to time

    Raises MissingPackage without OR-tools; UnknownCore, TimingError as `load_core`.
    """
    solver()
    return _Fitting(load_core(core), say or (lambda text: None)).result()


class _Fitting:
    """The work on one core."""

    def __init__(self, core: Core, say: Callable[[str], None]) -> None:
        self.core, self.say = core, say
        self.tests = evidence(core)
        self.places = {id(test): reached(core, test) for test in self.tests}
        every = dict.fromkeys(place for test in self.tests for place in self.places[id(test)])
        self.known = unknowns(core, self.tests, every)
        self.now: dict[Place, Value] = {place: one.value for place, one in self.known.items()}

    def result(self) -> Fit:
        quick = [test for test in self.tests if test.kind != LOOP]
        self.say(f"{len(quick)} tests of single instructions and sequences")
        grids = [grid(self.core, test, self.known, self.places[id(test)], self.now, CELLS) for test in quick]
        best, equal = self.solved(grids)
        loops = [self.loop(test, best, equal) for test in self.tests if test.kind == LOOP]
        every = [*grids, *loops]
        self.say("which values fit as well")
        chosen, _ = self.solved(every, look=False)
        left = self.states(every, chosen)
        self.say("judged by what was not used")
        return Fit(self.core.name, self.tests, tuple(left), tuple(self.judge(grids)),
                   tuple(self.without(one, every) for one in loops), tuple(_contradicted(every, chosen)))

    def solved(self, grids: Sequence[ParameterGrid],
               look: bool = True) -> tuple[dict[Place, Value], dict[Place, set[Value]]]:
        """(the best choice, values that are as good, by place)."""
        best, equal = dict(self.now), dict[Place, set[Value]]()
        for part in parts(grids):
            problem = self.problem(part)
            found = problem.solve()
            best |= found.chosen
            for place in found.chosen if look else ():
                equal[place] = {value for value, other in self.profile(problem, found, place)
                                if other.cost == found.cost}
        return best, equal

    def problem(self, grids: Iterable[ParameterGrid],
                used: Callable[[PublishedFigure], bool] = lambda figure: True) -> Problem:
        return Problem(self.known, [(one, [f for f in one.test.figures if used(f)]) for one in grids])

    def profile(self, problem: Problem, found: FitSolution, place: Place) -> Iterable[tuple[Value, FitSolution]]:
        """Every value of an unknown with the best that there is with it."""
        for value in self.known[place].values:
            yield value, found if value == found.chosen[place] else problem.solve({place: value})

    def loop(self, test: Test, best: Mapping[Place, Value], equal: Mapping[Place, set[Value]]) -> ParameterGrid:
        """Return a loop's table: over the pipeline's numbers, and those that are still open."""
        self.say(f"loop: {test.name}")
        wanted = {place: self.known[place] for place in self.places[id(test)] if place in self.known
                  and (place[0] in PIPELINE or len(equal.get(place, {0, 1})) > 1)}
        narrow = {place: one if place not in equal else
                  replace(one, values=tuple(v for v in one.values if v in equal[place]))
                  for place, one in wanted.items()}
        return grid(self.core, test, narrow, [*narrow], {**self.now, **best}, LOOP_CELLS)

    def states(self, grids: Sequence[ParameterGrid], chosen: Mapping[Place, Value]) -> list[FittedNumber]:
        """Return what is left of every number."""
        left: dict[Place, FittedNumber] = {}
        for part in parts(grids):
            problem = self.problem(part)
            found = problem.solve()
            for place in found.chosen:
                costs = dict(self.profile(problem, found, place))
                rest = [other for value, other in costs.items() if value != found.chosen[place]]
                one = self.known[place]
                equal = {value: other for value, other in costs.items()
                         if other.measured <= found.measured and value != found.chosen[place]}
                state = (SAID if equal and one.is_described else OPEN if equal else
                         DETERMINED if all(other.contradicted > found.contradicted for other in rest) else PREFERRED)
                worlds = {found.chosen[place]: {**chosen, **found.chosen},
                          **{value: {**chosen, **other.chosen} for value, other in equal.items()}}
                rests: tuple[tuple[str, float, float], ...] = ()
                if one.value != found.chosen[place]:
                    worlds[one.value] = {**chosen, **costs[one.value].chosen}
                    better = set(_contradicted(part, found.chosen))
                    rests = tuple(row for row in _contradicted(part, costs[one.value].chosen)
                                  if row[:2] not in {other[:2] for other in better})
                micro = deciding(self.core, one, worlds, self.known) if len(worlds) > 1 else None
                left[place] = FittedNumber(one, state, found.chosen[place], tuple(equal), micro, rests)
        return [left.get(place, FittedNumber(one, UNTOUCHED, one.value)) for place, one in self.known.items()]

    # ---- figures that were not used

    def judge(self, grids: Sequence[ParameterGrid]) -> list[Judged]:
        """Single instructions and sequences, each from the other four parts."""
        errors: dict[str, list[tuple[float, float, bool]]] = {}
        for fold in range(FOLDS):
            def used(figure: PublishedFigure, fold: int = fold) -> bool:
                return crc32(figure.name.encode()) % FOLDS != fold

            for part in parts(grids):
                found = self.problem(part, used).solve().chosen
                for one in part:
                    for figure in one.test.figures:
                        if used(figure) or not set(one.places) <= found.keys():
                            continue
                        off, own = (cycles / figure.cycles - 1 for cycles in (one.cycles_at(found),
                                                                              one.cycles_at(self.now)))
                        wrong = abs(off) * figure.cycles > figure.band + 1e-9
                        errors.setdefault(one.test.kind, []).append((abs(off), abs(own), wrong))
        judged = []
        for kind in dict.fromkeys(one.test.kind for one in grids):
            mine = errors.get(kind, [])
            count = sum(len(one.test.figures) for one in grids if one.test.kind == kind)
            judged.append(Judged(kind, count, len(mine), _mean([e for e, _, _ in mine]),
                                 max((e for e, _, _ in mine), default=0.0), sum(w for _, _, w in mine),
                                 _mean([e for _, e, _ in mine])))
        return judged

    def without(self, one: ParameterGrid, every: Sequence[ParameterGrid]) -> Loop:
        """Return a loop from all the others."""
        figure = one.test.figures[0]
        mine = next(part for part in parts(every) if any(each is one for each in part))
        problem = self.problem([each for each in mine if each is not one])
        least, most = problem.between(one, problem.solve().cost if problem.grids else 0)
        return Loop(figure.name, figure.cycles, one.test.run(self.core), least, most, len(one.fixed))


def _mean(errors: Sequence[float]) -> float:
    return sum(errors) / len(errors) if errors else 0.0


def _contradicted(grids: Sequence[ParameterGrid], chosen: Mapping[Place, Value]) -> Iterable[tuple[str, float, float]]:
    """(figure, measured, modelled) of what is outside its band even at the best choice."""
    for one in grids:
        cycles = one.cycles_at(chosen)
        for figure in one.test.figures:
            if abs(cycles - figure.cycles) > figure.band + 1e-9:
                yield figure.name, figure.cycles, cycles

