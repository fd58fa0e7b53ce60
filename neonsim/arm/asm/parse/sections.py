"""Sections of a text while it is read: bytes and numbers, pieces of code, and how they are laid at its end.

A piece is a section, or one of its subsections: `.text`, `.subsection 1`, `.section .text.cold`. GNU as lays the code
of one object file so: `.text` first, then the other sections as they were first named, and within each its subsections
by number. What is written alternately into two of them is apart in memory, and nothing falls from one into the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from neonsim.arm.asm.data import CODE, Relocation, Spot
from neonsim.arm.asm.text.expression import Tokens
from neonsim.arm.asm.text.source import Statement

__all__ = ["CodePiece", "DeferredNumber", "Name", "Section", "Sections", "at"]

Name = tuple[str, int]  # of a section, and the number of a subsection

class DeferredNumber(NamedTuple):
    """A number to be filled in when all labels are known, with the constants as they are now."""

    offset: int
    size: int
    statement: Statement
    tokens: Tokens
    spot: Spot
    number: int
    constants: dict[str, int]


@dataclass
class Section:
    """Bytes: a section of data or one of its subsections, or a run of data among the code.

    phase   how far from an aligned place a subsection begins
    """

    name: str
    code: bool = False
    writable: bool = False
    zero: bool = False
    is_loaded: bool = True  # notes and debug information are counted, but not part of the program
    align: int = 1
    contents: bytearray = field(default_factory=bytearray)
    numbers: list[DeferredNumber] = field(default_factory=list)
    relocations: list[Relocation] = field(default_factory=list)
    generated: bool = False
    offset: int | None = None  # of data among instructions
    outside: bool = False      # stands for a symbol of another file
    phase: int = 0


@dataclass(eq=False)
class CodePiece:
    """Code of a section or subsection.

    place       stands for it in a Spot until the pieces are laid: CODE, and numbers below
    name        of its section, and its subsection; section: 0 for .text, then in the order they are first named
    phase       how far from an aligned place it begins
    end         where the next instruction or data goes
    run         the section that data goes to, behind the last instruction; runs: all of them
    padding     bytes that an alignment has asked for and that are not put yet, for `alignment`
    align       the largest alignment asked for
    last        index of its last instruction in the order of the text; the assembler sets it
    """

    place: int
    library: bool
    section: int
    name: Name
    phase: int = 0
    end: int = 0
    run: int | None = None
    padding: int = 0
    alignment: int = 4
    align: int = 4
    last: int | None = None
    runs: list[int] = field(default_factory=list)

    @property
    def order(self) -> tuple[bool, int, int]:
        return self.library, self.section, self.name[1]


class Sections:
    """All that a text has put, and where.

    data      sections of bytes, runs of data among the code too
    pieces    of code, as they were first named; pieces[0] is .text
    places    of each instruction, in the order of the text
    end       of all code, when it is laid
    phases    {subsection that aligns something: how far from an aligned place it begins}, when all is laid; what it
              aligns is right if that was known before
    """

    def __init__(self) -> None:
        self.phases: dict[Name, int] = {}
        self.data: list[Section] = []
        self.pieces = [CodePiece(CODE, False, 0, (".text", 0))]
        self.places: list[Spot] = []
        self.end = 0
        self._subsections: dict[int, list[tuple[Name, int]]] = {}  # of a section of data: (name, its own section)

    def add_instruction(self, piece: CodePiece) -> None:
        """One comes, behind the data before it and as far as that has to be filled up."""
        if piece.padding and piece.run is None:
            self.begin_run(piece)
        if piece.run is not None:
            piece.end += -piece.end % 4
            if piece.padding:
                self.data[piece.run].align = piece.alignment
        piece.run, piece.padding, piece.alignment = None, 0, 4
        self.places.append((piece.place, piece.end))
        piece.end += 4

    def begin_run(self, piece: CodePiece) -> None:
        """Data comes behind an instruction."""
        piece.run = len(self.data)
        piece.runs.append(piece.run)
        self.data.append(Section(".text", True, align=4, offset=piece.end - piece.padding))

    def run_of(self, piece: CodePiece) -> int:
        """Return the section that data in the code goes to, filled up as far as that was asked for."""
        if piece.run is None:
            self.begin_run(piece)
        assert piece.run is not None
        self.data[piece.run].contents += bytes(piece.padding)
        piece.padding, piece.alignment = 0, 4
        return piece.run

    def add_subsection(self, section: int, name: Name, subsection: int) -> None:
        """The section `subsection` is a subsection of another."""
        self._subsections.setdefault(section, []).append((name, subsection))

    @property
    def reordered(self) -> bool:
        """Whether code may lie in another order than it is written."""
        return sum(not piece.library for piece in self.pieces) > 1

    @property
    def in_order(self) -> list[CodePiece]:
        """The pieces as they lie in memory."""
        return sorted(self.pieces, key=lambda piece: piece.order)

    def place_sections(self) -> dict[int, Spot]:
        """Lay the pieces; {section or piece: (section, offset) where it begins now} of those that are elsewhere."""
        moved: dict[int, Spot] = {}
        before: CodePiece | None = None
        joined: list[tuple[int, int]] = []  # runs that no instruction is between
        begin = 0
        for piece in self.in_order:
            if not piece.end and not piece.runs:
                moved[piece.place] = CODE, self.end
                continue
            same = before is not None and before.order[:2] == piece.order[:2]
            align = 4 if same else max(one.align for one in self.pieces if one.order[:2] == piece.order[:2])
            base = self.end + -self.end % align
            begin = begin if same else base
            if before is not None:
                self._close(before, base == self.end, align)
                if before.run is not None and piece.runs and self.data[piece.runs[0]].offset == 0:
                    joined.append((before.run, piece.runs[0]))
            moved[piece.place] = CODE, base
            if piece.align > 4 and (base - begin) % piece.align:
                self.phases[piece.name] = (base - begin) % piece.align
            self.end, before = base + piece.end, piece
        for piece in self.pieces:
            for run in piece.runs:
                section = self.data[run]
                assert section.offset is not None
                section.offset += moved[piece.place][1]
        for first, second in reversed(joined):
            whole, part = self.data[first], self.data[second]
            assert whole.offset is not None and part.offset is not None
            whole.contents += bytes(part.offset - whole.offset - len(whole.contents))
            whole.align = part.align
            self._join(whole, part)
            part.offset = None
        for section_number, subsections in self._subsections.items():
            whole = self.data[section_number]
            for name, own in sorted(subsections):
                part = self.data[own]
                whole.align = max(whole.align, part.align)
                base = len(whole.contents)
                if base % part.align:
                    self.phases[name] = base % part.align
                moved[own] = section_number, base
                self._join(whole, part)
        for section in self.data:
            section.numbers = [number._replace(spot=at(number.spot, moved)) for number in section.numbers]
        return moved

    @staticmethod
    def _join(whole: Section, part: Section) -> None:
        base = len(whole.contents)
        whole.contents += part.contents
        whole.numbers += [number._replace(offset=number.offset + base) for number in part.numbers]
        part.contents, part.numbers = bytearray(), []

    def _close(self, piece: CodePiece, adjoins: bool, align: int) -> None:
        """What lies behind a piece begins at a multiple of `align`."""
        if piece.run is None and (piece.padding or not adjoins):
            self.begin_run(piece)
        if piece.run is not None:
            run = self.data[piece.run]
            run.align = max(run.align, piece.alignment, align)


def at(spot: Spot, moved: dict[int, Spot]) -> Spot:
    """Return where a place is, now that the pieces are laid."""
    section, base = moved.get(spot[0], (spot[0], 0))
    return section, base + spot[1]
