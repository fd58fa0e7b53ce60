"""Asking CP-SAT: which values of the unknowns contradict least of what was measured, and explain it best?

A figure outside its band is contradicted; inside, what it is off beyond its noise is a cost, in thousandths. The first
counts before the second: one figure contradicted is worse than all others explained badly. A number that a description
tells (a guide, a compiler's model) costs `TOLD` where it is taken otherwise, once: measurements overrule it. Unknowns
that share no test are problems of their own.

OR-tools is imported here, and nowhere else.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neonsim.arm.timing.fitting.evidence import PublishedFigure
from neonsim.arm.timing.fitting.grids import ParameterGrid
from neonsim.arm.timing.fitting.parameters import CoreParameter, Place, Value
from neonsim.common.extras import install
from neonsim.errors import MissingPackage, TimingError

__all__ = ["TOLD", "FitSolution", "Problem", "cost_of", "parts", "solver"]

WORST = 500                         # thousandths: what is off by more is wrong, however far
CONTRADICTION_COST = 10 ** 9                      # one figure contradicted, beside any sum of costs
TOLD = 100                          # thousandths of one figure
WORK = 30.0                         # the solver's own measure: about seconds, the same on every machine


def solver() -> Any:
    """Return the module; raises MissingPackage with the command that installs it."""
    try:
        return importlib.import_module("ortools.sat.python.cp_model")
    except ImportError:
        raise MissingPackage(f"fitting a core needs a constraint solver: {install('neonsim[search]')}.") from None


def cost_of(figure: PublishedFigure, cycles: float) -> int:
    """Return what a figure costs that a model puts at n cycles."""
    off = abs(cycles - figure.cycles)
    beyond = max(0.0, off - figure.noise) / figure.cycles
    return min(WORST, round(1000 * beyond)) + (CONTRADICTION_COST if off > figure.band + 1e-9 else 0)


@dataclass(frozen=True)
class FitSolution:
    """A choice of the unknowns: its cost with what descriptions say, and by what was measured alone."""

    chosen: dict[Place, Value]
    cost: int
    measured: int

    @property
    def contradicted(self) -> int:
        """How many figures are outside their bands."""
        return self.measured // CONTRADICTION_COST


class Problem:
    """Unknowns, and tests as tables over them."""

    def __init__(self, parameters: Mapping[Place, CoreParameter],
                 grids: Sequence[tuple[ParameterGrid, Sequence[PublishedFigure]]]) -> None:
        """known: what could be; grids: (what the model says of a test, the figures of it that count)."""
        self.known, self.grids = parameters, [(one, tuple(figures)) for one, figures in grids if figures]
        self.cp = solver()

    def solve(self, fixed: Mapping[Place, Value] | None = None) -> FitSolution:
        """Return the best choice, with some values given; of equals the one nearest to what descriptions say."""
        model, at, away, cost = self._model(fixed or {})
        model.minimize(1000 * cost + sum(away.values()))
        run = self._run(model)
        chosen = {place: self.known[place].values[run.value(var)] for place, var in at.items()}
        measured = sum(cost_of(figure, one.cycles_at(chosen)) for one, figures in self.grids for figure in figures)
        return FitSolution(chosen, run.value(cost) if not isinstance(cost, int) else cost, measured)

    def between(self, other: ParameterGrid, best: int) -> tuple[float, float]:
        """Return the least and the most that the model says of another test, at choices as good as the best one.

        best    cost of that
        """
        ends = []
        for sign in (1, -1):
            model, at, _, cost = self._model({}, other.places)
            if not isinstance(cost, int):
                model.add(cost <= best)
            says = self._column(model, at, other, [round(100 * cycles) for cycles in other.cycles.values()])
            model.minimize(sign * says)
            ends.append(self._run(model).value(says) / 100)
        return ends[0], ends[1]

    def _model(self, fixed: Mapping[Place, Value], also: Iterable[Place] = ()
               ) -> tuple[Any, dict[Place, Any], dict[Place, Any], Any]:
        model, at = self.cp.CpModel(), {}
        for place in dict.fromkeys([*(p for one, _ in self.grids for p in one.places), *also]):
            values = self.known[place].values
            at[place] = (model.new_int_var(0, len(values) - 1, "") if place not in fixed
                         else model.new_constant(values.index(fixed[place])))
        costs = [self._column(model, at, one, [sum(cost_of(figure, cycles) for figure in figures)
                                               for cycles in one.cycles.values()])
                 for one, figures in self.grids]
        away = {place: self._away(model, var, place) for place, var in at.items()}
        costs += [TOLD * other for place, other in away.items() if self.known[place].is_described]
        return model, at, away, sum(costs)

    def _column(self, model: Any, at: Mapping[Place, Any], one: ParameterGrid, column: list[int]) -> Any:
        """A variable that is the entry of a column of a table in the row that the unknowns choose."""
        if not one.places:
            return model.new_constant(column[0])
        entry = model.new_int_var(min(column), max(column), "")
        index = [{value: k for k, value in enumerate(self.known[place].values)} for place in one.places]
        model.add_allowed_assignments(
            [*(at[place] for place in one.places), entry],
            [(*(index[k][value] for k, value in enumerate(values)), said)
             for values, said in zip(one.cycles, column, strict=True)])
        return entry

    def _away(self, model: Any, chosen: Any, place: Place) -> Any:
        """1 if an unknown is not what the file has; of those without a source it decides between equals only."""
        values = self.known[place].values
        other = model.new_bool_var("")
        model.add(chosen == values.index(self.known[place].value)).only_enforce_if(other.negated())
        return other

    def _run(self, model: Any) -> Any:
        run = self.cp.CpSolver()
        run.parameters.num_workers = 1
        run.parameters.random_seed = 1
        run.parameters.max_deterministic_time = WORK
        status = run.solve(model)
        if status != self.cp.OPTIMAL:
            raise TimingError(f"the solver has no answer after {WORK:g} s of work ({run.status_name(status)}).")
        return run


def parts(grids: Sequence[ParameterGrid]) -> list[list[ParameterGrid]]:
    """Tests that share unknowns, together."""
    owner: dict[Place, list[ParameterGrid]] = {}
    found: dict[int, list[ParameterGrid]] = {}
    for one in grids:
        mine = [one]
        for old in {id(owner[p]): owner[p] for p in one.places if p in owner}.values():
            mine += old
            del found[id(old)]
        for grid in mine:
            owner |= dict.fromkeys(grid.places, mine)
        found[id(mine)] = mine
    return list(found.values())
