"""Labels of a program: where they stand, which of several a numeric one means, and what to say when there is none."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import islice

from neonsim.arm.asm.data import CODE, Relocation, Spot
from neonsim.arm.asm.parse.registers import REGISTERS
from neonsim.arm.asm.parse.sections import at
from neonsim.arm.asm.text.diagnostics import Diagnostics
from neonsim.arm.asm.text.source import Line, Statement
from neonsim.arm.isa.operands.ast import Span
from neonsim.errors import AssemblyError

__all__ = ["Labels"]

_FEW, _MAX_COMPARED = 500, 10_000_000  # names that are compared with a missing one, and looked at for all of them
_NUMERIC = re.compile(r"(\d+)([bf])\Z", re.ASCII)


class Labels:
    """Names for places.

    defined   named labels and where they are written, known from the start; constants: names that are set somewhere
    listed    (name, spot) in the order of the text, numeric ones too
    spots     of named labels, as far as they are known
    names     other names for places, by .set
    declared  names that .extern, .weak or .global say are somewhere; outside: those that stand for other files' symbols
    """

    def __init__(self, statements: list[Statement], mistakes: Diagnostics) -> None:
        self.statements, self.mistakes = statements, mistakes
        self.defined: dict[str, Line] = {}
        self.constants: set[str] = set()
        self.listed: list[tuple[str, Spot]] = []
        self.spots: dict[str, Spot] = {}
        self.numeric: dict[int, list[tuple[int, Spot]]] = {}  # number -> (statement, where), rising
        self.names: dict[str, tuple[Line, int]] = {}
        self.declared: set[str] = set()
        self.outside: set[str] = set()
        self._compared = 0

    def may_be_outside(self, name: str) -> bool:
        """Return whether a name that is nowhere here is of another file: unless it is local to this one."""
        return not name[0].isdigit() and (name in self.declared or not name.startswith((".L", "$")))

    def _alike(self, name: str, cutoff: float) -> list[str]:
        """The name of a label that is nearly the same; [] if there is none.

        Comparing takes time: in a large text only names that begin alike are compared, and only n in all.
        """
        names: Iterable[str] = self.defined
        if len(self.defined) > _FEW:
            if self._compared > _MAX_COMPARED:
                return []
            self._compared += len(self.defined)
            names = islice((other for other in names if other[:3] == name[:3]), _FEW)
        return difflib.get_close_matches(name, names, 1, cutoff)

    def collect(self, isa: str, first: int) -> None:
        """Find the named ones of the statements from this one on."""
        registers = REGISTERS[isa]
        for statement in islice(self.statements, first, None):
            for name, column in statement.labels:
                place = statement.place
                if name.isdigit():
                    continue
                if name.lower() in registers or name == ".":
                    self.mistakes.add(place.error(f"`{name}` is {'this place' if name == '.' else 'a register'}; "
                                                    "give the label another name.", column, len(name)))
                self.defined.setdefault(name, place)
            if statement.operands.lstrip()[:1] == "=":
                self.constants.add(statement.head)
            elif statement.head.lower() in (".set", ".equ", ".equiv"):
                self.constants.add(statement.operands.partition(",")[0].strip())

    def bind(self, labels: list[tuple[str, int]], spot: Spot) -> None:
        """These labels, each with its statement, stand here."""
        for name, number in labels:
            if name.isdigit():
                self.numeric.setdefault(int(name), []).append((number, spot))
                if spot[0] > CODE:
                    continue  # jumps reach data by a name of its own, see references
            elif name in self.spots:
                if self.spots[name] != spot:  # twice at one place is the same label
                    self.mistakes.add(self._set_twice(name, self.statements[number]))
                continue
            else:
                self.spots[name] = spot
            self.listed.append((name, spot))

    def relocate(self, moved: dict[int, Spot]) -> None:
        """The pieces that places were noted in are laid."""
        self.spots = {name: at(spot, moved) for name, spot in self.spots.items()}
        self.listed = [(name, at(spot, moved)) for name, spot in self.listed]
        self.numeric = {number: [(statement, at(spot, moved)) for statement, spot in places]
                        for number, places in self.numeric.items()}

    def _set_twice(self, name: str, statement: Statement) -> AssemblyError:
        column = next(column for label, column in statement.labels if label == name)
        return statement.place.error(f"The label `{name}` was already set in line {self.defined[name].line}. Rename "
                                     "one of them, or use a numeric label (1: with 1b and 1f).", column, len(name))

    def spot_of(self, name: str, number: int) -> Spot | None:
        """Return where a label is, seen from a statement; None if it is none (or none yet)."""
        numeric = _NUMERIC.match(name)
        if numeric is None:
            return self.spots.get(name)
        places = self.numeric.get(int(numeric[1]), [])
        behind = bisect_right(places, number, key=lambda entry: entry[0])
        at = behind - 1 if numeric[2] == "b" else behind
        return places[at][1] if 0 <= at < len(places) else None

    def missing(self, place: Line, span: Span, name: str) -> AssemblyError:
        """Return the error for a label that is nowhere."""
        numeric = _NUMERIC.match(name)
        if numeric is None:
            return place.error(f"There is no label `{name}`{self.near(name)}", *span)
        key, backwards = int(numeric[1]), numeric[2] == "b"
        where, elsewhere, letter = ("before", "after", "f") if backwards else ("after", "before", "b")
        remedy = (f"There is one {elsewhere} it: write {key}{letter}." if key in self.numeric
                  else f"Put `{key}:` in front of the instruction that is meant.")
        return place.error(f"There is no label `{key}:` {where} this line. {remedy}", *span)

    def near(self, name: str) -> str:
        """Return the end of a sentence: which label was perhaps meant."""
        near = self._alike(name, 0.6)
        if near:
            return f"; did you mean `{near[0]}`?"
        return f". Labels here: {', '.join(list(self.defined)[:8])}." if self.defined else \
            f". Write `{name}:` in front of the instruction that is meant."

    def check_names(self, place_of: Callable[[int], object]) -> None:
        """A name in the code stands for an instruction, for data among them, or for what lies behind the last."""
        for name, (place, column) in self.names.items():
            section, offset = self.spots[name]
            if section == CODE and place_of(offset) is None:
                self.mistakes.add(place.error(f"`{name}` would be an address in the code without an instruction.",
                                               column, len(name)))

    def name_sections(self, relocations: list[Relocation]) -> None:
        """A section that numbers refer to has a name for its start, so that the listing can say it."""
        named = {spot[0] for name, spot in self.listed if not name.isdigit()}
        for section in sorted({s for r in relocations for s in (r.plus, r.minus) if s is not None} - named):
            name = f".Lsection{section}" if section != CODE else ".Lcode"
            while name in self.spots:
                name += "_"
            self.listed.insert(0, (name, (section, 0)))
