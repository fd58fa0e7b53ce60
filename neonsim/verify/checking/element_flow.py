"""What an element was made of in the run that wrote it: back through lanes, loads and stores to what was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from neonsim.arm.machine import Trace
from neonsim.arm.machine.trace.provenance import MEMORY, ByteLocation, Lineage, ValueOrigin
from neonsim.ukernel import Case

from .locate import ElementSpot, spot_at

__all__ = ["ByteOrigin"]

MAX_LANES = 20_000   # lanes that are gone back through
LISTED = 8      # elements of an argument that are named


class ByteOrigin:
    """Where the bytes of an element come from in a run that was recorded whole.

    place   in memory, after the last step
    """

    def __init__(self, trace: Trace, case: Case, place: ByteLocation) -> None:
        self.lineage, self.case, self.place = Lineage(trace), case, place

    @property
    def maker(self) -> ValueOrigin | None:
        """What worked it out, before it was only carried; None where it has several makers, or was given so."""
        made = self.lineage.find_maker(self.place, self.lineage.steps)
        return made if isinstance(made, ValueOrigin) and made.step else None

    def stepper_lane(self, step: int) -> tuple[int, int, str]:
        """Return where the stepper shows the element as a lane of its own: steps done, which lane of the last of them,
        and what is followed.

        step   that stored it, counted from 1. A store of whole registers (str q0) has no lane for each element: then
               it is the step that worked the element out.
        """
        lane, made = self.lineage.lane_at(step, self.place), self.maker
        if made is not None and (lane is None or lane[1] > self.place.size):
            worked = self.lineage.lane_at(made.step, made.place)
            if worked is not None:
                return made.step, worked[0], made.name
        return step, lane[0] if lane else 0, self.lineage.name(self.place)

    def inputs(self) -> tuple[str, ...]:
        """Return the elements of memory that it was made of, by argument: "a[3] = 131", "x[0, 0] = 7 to x[9, 0] = 4
        (10)".

        Registers and constants are left out: arguments that are numbers are said elsewhere.
        """
        spots: dict[str, dict[tuple[str, int], ElementSpot]] = {}
        for given in sorted(self.source_bytes(), key=lambda one: one.offset):
            for address in range(given.offset, given.offset + given.size):
                if (cell := self.lineage.cell(address)) is not None and cell[0] in self.case.memory:
                    spot = spot_at(self.case, *cell)
                    spots.setdefault(spot.argument, {}).setdefault((cell[0], spot.start), spot)
        return tuple(text for name, found in spots.items() for text in _listed(self.case, name, found))

    def source_bytes(self) -> set[ByteLocation]:
        """Return the bytes of memory, as they were at the start, that it was made of."""
        return self._walk()[0]

    def makers(self) -> set[int]:
        """Return the steps, counted from 1, that worked out what it was made of."""
        return {step for step, _ in self._walk()[1]}

    def _walk(self) -> tuple[set[ByteLocation], set[tuple[int, ByteLocation]]]:
        found, seen, waiting = set[ByteLocation](), set[tuple[int, ByteLocation]](), [(self.place, self.lineage.steps)]
        while waiting and len(seen) < MAX_LANES:
            here, before = waiting.pop()
            made = self.lineage.find_maker(here, before)
            if isinstance(made, int):
                waiting += [(here.part(made, here.size - made), before), (here.part(0, made), before)]
            elif not made.step:
                found |= {made.place} if made.place.location == MEMORY else set()
            elif (made.step, made.place) not in seen:
                seen.add((made.step, made.place))
                waiting += [(source, made.step - 1) for source in made.sources]
        return found, seen


def _listed(case: Case, name: str, found: Mapping[tuple[str, int], ElementSpot]) -> Iterator[str]:
    """The elements of one argument: each, or the first and the last of many; of packed blocks how many bytes."""
    if any(spot.index is None for spot in found.values()):
        yield f"{len(found)} byte{'s' * (len(found) > 1)} of {name}"
        return
    texts = [f"{name}[{', '.join(map(str, spot.index or ()))}] = {spot.value(case.memory[region].data)}"
             for (region, _), spot in found.items()]
    if len(texts) > LISTED:
        yield f"{texts[0]} to {texts[-1]} ({len(texts)} elements)"
    else:
        yield from texts
