"""What a model says of a test for every value that the numbers behind it could have: tables for the solver.

A number that no value of which changes what the model says is left out of the test's table. Where the others together
have too many values, those that change least are held at what they are (`fixed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.fitting.evidence import Test
from neonsim.arm.timing.fitting.parameters import CoreParameter, Place, Value, with_values

__all__ = ["ParameterGrid", "grid"]


@dataclass(frozen=True)
class ParameterGrid:
    """A test with what the model says of it, by the values of the unknowns it depends on.

    places   the unknowns     held   those that were left at their value: too many
    cycles   (a value of each) -> cycles
    """

    test: Test
    places: tuple[Place, ...]
    fixed: tuple[Place, ...]
    cycles: Mapping[tuple[Value, ...], float]

    def cycles_at(self, chosen: Mapping[Place, Value]) -> float:
        """Cycles at a choice of all unknowns."""
        return self.cycles[tuple(chosen[place] for place in self.places)]


def grid(core: Core, test: Test, parameters: Mapping[Place, CoreParameter], places: Iterable[Place],
         now: Mapping[Place, Value], max_cells: int) -> ParameterGrid:
    """Return the table of a test.

    now    what the unknowns are while one of them is changed, and what those stay at that are held
    max_cells  cells of the table
    """
    def run(other: Mapping[Place, Value]) -> float:
        return test.run(with_values(core, {**mine, **other}.items()))

    mine = {place: now[place] for place in places if place in parameters}
    middle = run({})
    moved: dict[Place, float] = {}
    seen: dict[tuple[Place, Value], float] = {}
    for place in mine:
        for value in parameters[place].values:
            if value != now[place]:
                seen[place, value] = run({place: value})
        moved[place] = max((abs(cycles - middle) for (p, _), cycles in seen.items() if p == place), default=0.0)
    matter = sorted((place for place, by in moved.items() if by > 1e-9 * max(1.0, middle)), key=lambda p: -moved[p])
    chosen: list[Place] = []
    for place in matter:
        group = [p for p in mine if _together(p, place) and p not in chosen]
        if prod(len(parameters[p].values) for p in (*chosen, *group)) <= max_cells:
            chosen += group
    cells: dict[tuple[Value, ...], float] = {}
    for values in product(*(parameters[p].values for p in chosen)):
        other = {p: v for p, v in zip(chosen, values, strict=True) if v != now[p]}
        cells[values] = (middle if not other else seen[next(iter(other.items()))] if len(other) == 1
                         else run(other))
    return ParameterGrid(test, tuple(chosen), tuple(p for p in matter if p not in chosen), cells)


def _together(one: Place, other: Place) -> bool:
    """Whether two numbers are one question: which units a class runs on and how long it takes them say its rate.

    One of them held and the other not, a table would speak of rates that the streams of the class exclude.
    """
    return one == other or (one[:2] == other[:2] and {one[-1], other[-1]} == {"unit", "busy"})
