"""Sections and data directives: where labels are, and what bytes a program brings along.

| directive                                                 | puts                                               |
|-----------------------------------------------------------|----------------------------------------------------|
| `.byte` `.hword .short` `.word .long .int` `.quad .xword` | numbers, addresses and distances of labels         |
| `.dc .dc.b .dc.w .dc.l .dc.a`                             | the same, as other assemblers write them           |
| `.octa` `.float .single .dc.s` `.double .dc.d` `.float16` | wider numbers, real ones                           |
| `.uleb128` `.sleb128`                                     | numbers of as many bytes as they need              |
| `.ascii "a"` `.asciz .string .string16 "a"`               | characters; with a zero behind                     |
| `.zero n` `.space .skip n, v` `.fill n, size, v` `.dcb.w n, v` `.ds.w n` | n times the same                    |
| `.org n`                                                  | zeros up to an offset in the section               |
| `.align .p2align k` `.balign n`                           | zeros up to the next place that is even so far     |
| `.comm .lcomm name, n` `.incbin "f"`                      | n zero bytes with a name; a file                   |
| `.zerofill segment, section, name, n` `.tbss name, n`     | the same for macOS, where alignments are powers    |
| `.text .data .bss .section n, "flags"` `.subsection k` `.previous .pushsection .popsection` | choose the section |
| `.ltorg .pool`                                            | nothing: literals are kept apart                   |

Instructions have no bytes here, but places: each takes 4 in the code, and data among them lies where it is written, in
a read-only section of its own for each run. So a distance between two places in a section's code is a number. What
fills up before an instruction that is aligned keeps it apart and takes no step. Code of other sections and subsections
than .text is laid behind it at the end (`sections`).

Sections that are never loaded (debug information, tables for unwinding) have labels and no bytes: what is written in
them is not looked at.

Source: GNU as manual; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from neonsim.arm.asm.data import CODE, DataSection, Relocation, Spot
from neonsim.arm.asm.parse.data_values import QUOTED, float_bytes, pieces, strings
from neonsim.arm.asm.parse.sections import CodePiece, DeferredNumber, Name, Section, Sections, at
from neonsim.arm.asm.text.diagnostics import Diagnostics
from neonsim.arm.asm.text.expression import SectionOffset, Tokens, linear, tokenize
from neonsim.arm.asm.text.includes import Includes
from neonsim.arm.asm.text.source import Statement
from neonsim.arm.isa import WORD_BYTES
from neonsim.common.limits import MAX_BYTES, MAX_SECTION_DEPTH, MAX_SECTIONS
from neonsim.errors import AssemblyError

__all__ = ["ALIGNS", "SectionLayout"]

_SIZES: Final = {
    ".byte": 1, ".hword": 2, ".short": 2, ".2byte": 2, ".word": 4, ".long": 4, ".int": 4, ".4byte": 4, ".quad": 8,
    ".xword": 8, ".8byte": 8, ".dword": 8, ".octa": 16, ".dc": 2, ".dc.b": 1, ".dc.w": 2, ".dc.l": 4,
}
_REALS: Final = {".float16": 2, ".float": 4, ".single": 4, ".double": 8, ".dc.s": 4, ".dc.d": 8}
_STRINGS: Final = {".ascii": 1, ".asciz": 1, ".string": 1, ".string8": 1, ".string16": 2, ".string32": 4,
                   ".string64": 8}
# n times the same: zeros, or what stands behind.
_BLOCKS: Final = {".dcb": 2, ".dcb.b": 1, ".dcb.w": 2, ".dcb.l": 4, ".dcb.s": 4, ".dcb.d": 8,
                  ".ds": 2, ".ds.b": 1, ".ds.w": 2, ".ds.l": 4, ".ds.s": 4, ".ds.d": 8, ".ds.p": 12, ".ds.x": 12}
ALIGNS: Final = frozenset((".align", ".p2align", ".balign", ".p2alignw", ".p2alignl", ".balignw", ".balignl", ".even"))
_APPLE: Final = {".const": "__TEXT,__const", ".cstring": "__TEXT,__cstring", ".literal4": "__TEXT,__literal4",
                 ".literal8": "__TEXT,__literal8", ".literal16": "__TEXT,__literal16",
                 ".const_data": "__DATA,__const", ".static_data": "__DATA,__static_data"}
_NOT_LOADED: Final = (".note", ".eh_frame", ".ARM.ex", ".gnu.attributes", ".gcc_except_table", "__DWARF", "__LD,",
                      "__TEXT,__eh_frame")
_PLAIN = re.compile(r"\s*(-?)(0[xX][0-9a-fA-F]{1,32}|[1-9]\d{0,38}|0)\s*", re.ASCII)  # a number that is nothing else
_LAST_SUBSECTION: Final = 8192  # as GNU as has it
_TEXT: Final[Name] = (".text", 0)


class _Names(Mapping[str, int | SectionOffset]):
    """Constants, and labels as places in sections."""

    def __init__(self, constants: Mapping[str, int], spot_of: Callable[[str], Spot | None]) -> None:
        self.constants, self.spot_of = constants, spot_of

    def __contains__(self, name: object) -> bool:
        return name in self.constants or (isinstance(name, str) and self.spot_of(name) is not None)

    def __getitem__(self, name: str) -> int | SectionOffset:
        if name in self.constants:
            return self.constants[name]
        spot = self.spot_of(name)
        if spot is None:
            raise KeyError(name)
        return SectionOffset(spot[1], ((spot[0], 1),))

    def __iter__(self) -> Iterator[str]:
        return iter(self.constants)

    def __len__(self) -> int:
        return len(self.constants)


class SectionLayout(Sections):
    """The sections of a program being assembled.

    offsets     where in the code each instruction lies, once all is laid
    number      of the statement that comes now, for 1b and 1f
    constants   names and values from .set
    spot_of     where a label is, seen from a statement; None if it is none yet
    library     the built-in functions are read, which lie behind all else
    expected    the phases that laying this text has given before
    """

    def __init__(self, isa: str, includes: Includes, expected: Mapping[Name, int]) -> None:
        super().__init__()
        self.expected = expected
        self.isa, self.includes = isa, includes
        self._by_name: dict[Name, int] = {}
        self._name = self._previous = _TEXT
        self._piece: CodePiece | None = self.pieces[0]   # that of the name, None: to be looked up
        self._stack: list[tuple[Name, Name]] = []
        self._code: dict[str, int] = {".text": 0}   # the sections that hold code, as they were first named
        self._pieces: dict[tuple[bool, Name], CodePiece] = {(False, _TEXT): self.pieces[0]}
        self._total = 0
        self.library = False
        self.offsets: list[int] = []
        self._runs: list[int] = []     # of data among the code, in its order, once all is laid
        self.directives: dict[str, Callable[[Statement], None]] = {
            **dict.fromkeys(_SIZES, self._numbers), ".dc.a": self._numbers,
            **dict.fromkeys(_REALS, self._reals), **dict.fromkeys(_STRINGS, self._strings),
            **dict.fromkeys((".zero", ".space", ".skip"), self._space), ".fill": self._fill,
            **dict.fromkeys(_BLOCKS, self._block), ".org": self._org, ".incbin": self._incbin,
            **dict.fromkeys((".uleb128", ".sleb128"), self._leb128),
        }
        self.choices: dict[str, Callable[[Statement], None]] = {
            ".text": self._choose, ".data": self._choose, ".bss": self._choose, ".rodata": self._choose,
            ".section": self._choose, ".pushsection": self._choose, ".subsection": self._choose,
            ".previous": self._back, ".popsection": self._back,
            **dict.fromkeys(_APPLE, self._choose),
        }
        self.constants: dict[str, int] = {}
        self.is_external: Callable[[str], bool] | None = None  # from the end of the text on, see `references`
        self.spot_of: Callable[[str, int], Spot | None] = lambda name, number: None
        self.number = 0

    # -- where we are

    @property
    def in_code(self) -> bool:
        return self._name[0] in self._code

    @property
    def piece(self) -> CodePiece:
        """The piece of code that instructions go to; it is made if it does not exist yet."""
        if self._piece is None:
            key = self.library, self._name
            if key not in self._pieces:
                self._pieces[key] = CodePiece(CODE - len(self.pieces), self.library, self._code[self._name[0]],
                                              self._name, 0 if self.library else self.expected.get(self._name, 0))
                self.pieces.append(self._pieces[key])
            self._piece = self._pieces[key]
        return self._piece

    def _go(self, name: Name) -> None:
        self._name, self._piece = name, None

    def instruction(self) -> None:
        """An instruction comes."""
        self.add_instruction(self.piece)

    def begin_library(self) -> None:
        """The text is read; built-in functions follow."""
        self.library = True
        self.back_to_code()

    @property
    def loaded(self) -> bool:
        """Whether what is written here is part of the program."""
        return self.in_code or self.data[self._by_name[self._name]].is_loaded

    def back_to_code(self) -> None:
        """As .text does."""
        self._go(_TEXT)

    @property
    def section(self) -> int:
        """The index of the section that data goes to; it is made if it does not exist yet."""
        return self.run_of(self.piece) if self.in_code else self._by_name[self._name]

    @property
    def spot(self) -> Spot:
        """Where the next byte goes."""
        if self.in_code:
            return self.piece.place, self.piece.end
        index = self.section
        return index, len(self.data[index].contents)

    def place_code(self) -> tuple[dict[int, Spot], list[int]]:
        """All is read: lay the code. (where the pieces are now; the instructions in the order of memory)"""
        moved = self.place_sections()
        places = [at(spot, moved)[1] for spot in self.places]
        order = sorted(range(len(places)), key=places.__getitem__)
        self.offsets = [places[number] for number in order]
        among = [(section.offset, run) for run, section in enumerate(self.data) if section.offset is not None]
        self._runs = [run for _, run in sorted(among)]
        return moved, order

    def place_of(self, offset: int) -> int | Spot | None:
        """Return what lies at an offset in the code: the index of an instruction; the section and the offset there of
        data, or of the end of a run of data (an empty one fills up); None inside an instruction and outside the code.

        The rest of what fills up before an instruction counts as that instruction, which is reached from there.
        """
        index = bisect_left(self.offsets, offset)
        if index < len(self.offsets) and self.offsets[index] == offset:
            return index
        at = bisect_right(self._runs, offset, key=lambda number: self.data[number].offset or 0) - 1
        if at >= 0:
            section = self.data[self._runs[at]]
            assert section.offset is not None
            if offset - section.offset <= len(section.contents):
                return self._runs[at], offset - section.offset
        inside = index > 0 and offset < self.offsets[index - 1] + 4
        return None if inside or not 0 <= offset <= self.end else index

    def index_behind(self, offset: int) -> int | None:
        """Return the instruction that a jump to an offset in the code arrives at; None in data and inside an
        instruction."""
        place = self.place_of(offset)
        if isinstance(place, tuple):
            at_end = place[1] == len(self.data[place[0]].contents) and offset % 4 == 0
            return bisect_left(self.offsets, offset) if at_end else None
        return place

    # -- choosing

    def _choose(self, statement: Statement) -> None:
        word, rest = statement.head.lower(), statement.operands.strip()
        if word == ".pushsection":
            if len(self._stack) > MAX_SECTION_DEPTH:
                raise _at(statement, f".pushsection is nested deeper than {MAX_SECTION_DEPTH} levels.")
            self._stack.append((self._name, self._previous))
        self._previous = self._name
        if word == ".subsection":
            self._enter(self._name[0], None, statement, self._subsection(rest, statement))
            return
        if word not in (".section", ".pushsection"):
            number = self._subsection(rest, statement) if rest and word not in _APPLE else 0
            self._enter(_APPLE.get(word, word), '"aw"' if word in (".const_data", ".static_data") else None, statement,
                        number)
            return
        name, _, options = rest.partition(",")
        name = name.strip().strip('"')
        if not name:
            raise _at(statement, 'The form of a section is .section name, "flags".')
        number = 0
        if word == ".pushsection" and options.strip()[:1].isdigit():
            first, _, options = options.partition(",")
            number = self._subsection(first, statement)
        if name.startswith("__"):  # Mach-O: segment, section
            name += "," + options.partition(",")[0].strip()
            options = '"aw"' if name.startswith("__DATA") and "const" not in name else '"a"'
            options = '"ax"' if name == "__TEXT,__text" else options
        flags = re.match(r'\s*"([^"]*)"\s*(?:,\s*[@%](\w+))?', options)
        self._enter(name, flags[1] if flags else None, statement, number)
        if flags and flags[2] == "nobits" and not self.in_code:
            self.data[self.section].zero = not self.data[self.section].contents

    def _subsection(self, text: str, statement: Statement) -> int:
        number = self._constant(text, statement.operands_column, statement)
        if not 0 <= number <= _LAST_SUBSECTION:
            raise _at(statement, f"A subsection must be 0 to {_LAST_SUBSECTION}; got {number}.")
        return number

    def _enter(self, name: str, flags: str | None, statement: Statement, subsection: int = 0) -> None:
        self._go((name, subsection))
        named = name.startswith((".text", ".init", ".fini")) and "array" not in name
        if self._name in self._by_name or name in self._code:
            return
        if len(self.data) + len(self._code) >= MAX_SECTIONS:
            raise _at(statement, f"This program has more than {MAX_SECTIONS:,} sections.")
        whole = self._by_name.get((name, 0))
        if whole is None and (named if flags is None else "x" in flags):
            self._code[name] = len(self._code)
            return
        section = Section(name)
        section.writable = "w" in flags if flags is not None else name.startswith((".data", ".bss", ".tdata", ".tbss"))
        section.zero = name.startswith((".bss", ".tbss"))
        # Sections that are not loaded: notes, comments, debug information, tables for unwinding.
        section.is_loaded = "a" in flags if flags is not None else not name.startswith((".debug", ".comment", ".stab"))
        section.is_loaded = section.is_loaded and not name.startswith(_NOT_LOADED)
        if subsection and whole is None:
            self._enter(name, flags, statement)
            self._go((name, subsection))
            whole = self._by_name[name, 0]
        if whole is not None:
            first = self.data[whole]
            section.writable, section.zero, section.is_loaded = first.writable, first.zero, first.is_loaded
            section.phase = self.expected.get(self._name, 0)
            self.add_subsection(whole, self._name, len(self.data))
        self._by_name[self._name] = len(self.data)
        self.data.append(section)

    def _back(self, statement: Statement) -> None:
        if statement.head.lower() == ".previous":
            name, self._previous = self._previous, self._name
            self._go(name)
        elif not self._stack:
            raise _at(statement, ".popsection without .pushsection before it.")
        else:
            name, self._previous = self._stack.pop()
            self._go(name)

    # -- bytes

    def append(self, data: bytes, statement: Statement) -> None:
        """Append bytes to the current section."""
        section = self.data[self.section]
        self._count(len(data), statement)
        if section.zero and any(data):
            raise _at(statement, f"`{section.name}` contains only zeros. Put this into .data.")
        section.contents += data

    def _count(self, size: int, statement: Statement) -> None:
        """n bytes more."""
        self._total += size
        if self._total > MAX_BYTES:
            raise _at(statement, f"The data of this program is larger than {MAX_BYTES >> 20} MiB.")
        if self.in_code:
            self.piece.end += size

    def align(self, statement: Statement) -> None:
        """Carry out an alignment directive: `n, fill, most bytes`."""
        word, rest = statement.head.lower(), statement.operands
        first, _, others = rest.partition(",")
        filler, _, most = others.partition(",")
        value = self._constant(first, statement.operands_column, statement) if first.strip() else 0
        power = 1 << value if 0 <= value <= 16 else 0
        bytes_ = 2 if word == ".even" else max(value, 1) if word.startswith(".balign") else power
        if not 0 < bytes_ <= 1 << 16 or bytes_ & bytes_ - 1:
            raise _at(statement, f"An alignment of {value} is not possible. It must be "
                      + ("a power of two up to 65,536." if word.startswith(".balign") else "0 to 16, for 2 to that "
                                                                                           "power."))
        fill = self._constant(filler, statement.operands_column + len(first) + 1, statement) if filler.strip() else 0
        column = statement.operands_column + len(first) + len(filler) + 2
        limit = self._constant(most, column, statement) if most.strip() else 0
        piece = self.piece if self.in_code else self.data[self.section]
        missing = -(self.spot[1] + piece.phase) % bytes_
        piece.align = max(piece.align, bytes_)
        if 0 < limit < missing:
            return
        if isinstance(piece, Section):
            width = {"w": 2, "l": 4}.get(word[-1], 1) if word not in (".p2align", ".balign", ".align") else 1
            if missing % width:
                raise _at(statement, f"{missing} bytes are missing, which is not a multiple of {width}.")
            self.pad(bytes_, statement, (fill % (1 << 8 * width)).to_bytes(width, "little"))
        elif missing:  # what fills it depends on what comes behind it
            self._count(missing, statement)
            piece.padding += missing
            piece.alignment = max(piece.alignment, bytes_)

    def pad(self, alignment: int, statement: Statement, fill: bytes = b"\0") -> None:
        section = self.data[self.section]
        section.align = max(section.align, alignment)
        missing = -(len(section.contents) + section.phase) % alignment
        self.append(bytes(missing) if section.zero else fill * (missing // len(fill)), statement)

    def _numbers(self, statement: Statement) -> None:
        size = _SIZES.get(statement.head.lower(), WORD_BYTES[self.isa])
        for text, column in pieces(statement.operands, statement.operands_column):
            plain = _PLAIN.fullmatch(text)
            if plain is not None:
                value = int(plain[2], 0) * (-1 if plain[1] else 1)
                if -(1 << 8 * size - 1) <= value < 1 << 8 * size and not (
                        value and self.data[self.section].zero):
                    self.append((value % (1 << 8 * size)).to_bytes(size, "little"), statement)
                    continue
            if not text.strip():
                raise _at(statement, f"A number is missing: {statement.head} 1, 2.")
            tokens = tokenize(statement.place, text, column)
            section = self.data[self.section]
            constants = {word: self.constants[word] for word in tokens.texts if word in self.constants}
            section.numbers.append(DeferredNumber(len(section.contents), size, statement, tokens, self.spot,
                                                  self.number,
                                                  constants))
            self._count(size, statement)
            section.contents += bytes(size)

    def _reals(self, statement: Statement) -> None:
        for text, column in pieces(statement.operands, statement.operands_column):
            self.append(self._real(text, column, _REALS[statement.head.lower()], statement), statement)

    @staticmethod
    def _real(text: str, column: int, size: int, statement: Statement) -> bytes:
        try:
            return float_bytes(text, size)
        except ValueError:
            blank = len(text) - len(text.lstrip())
            raise statement.place.error(f"`{text.strip()}` is not a floating-point number that fits here.",
                                        column + blank, max(len(text.strip()), 1)) from None

    def _leb128(self, statement: Statement) -> None:
        """Seven bits a byte, the lowest first; the eighth says that more follow."""
        signed = statement.head.lower() == ".sleb128"
        for text, column in pieces(statement.operands, statement.operands_column):
            value = self._constant(text, column, statement)
            if value < 0 and not signed:
                raise statement.place.error("An unsigned number is expected here. Use .sleb128 for signed numbers.",
                                            column,
                                            max(len(text.rstrip()), 1))
            data = bytearray()
            while not -64 <= value < (64 if signed else 128):
                data.append(value & 127 | 128)
                value >>= 7
            self.append(bytes([*data, value & 127]), statement)

    def _strings(self, statement: Statement) -> None:
        word = statement.head.lower()
        width = _STRINGS[word]
        for text, column in pieces(statement.operands, statement.operands_column):
            data = strings(text, width)
            if data is None:
                blank = len(text) - len(text.lstrip())
                raise statement.place.error(f'Text must be in quotes: {statement.head} "text".', column + blank,
                                            max(len(text.strip()), 1))
            self.append(data + bytes(width if word != ".ascii" else 0), statement)

    def _space(self, statement: Statement) -> None:
        values = self._constants(statement, 2, f"{statement.head} 16")
        self._repeat(values[0], bytes([(values[1] if len(values) > 1 else 0) & 255]), statement)

    def _fill(self, statement: Statement) -> None:
        count, *others = self._constants(statement, 3, ".fill 4, 1, 0")
        size, value = [*others, *(1, 0)[len(others):]]
        if not 0 <= size <= 8:
            raise _at(statement, "The size of a .fill must be 1 to 8 bytes.")
        # The value has 32 bits; what is wider is filled up with zeros.
        self._repeat(count, (value % (1 << 32)).to_bytes(8, "little")[:size], statement)

    def _block(self, statement: Statement) -> None:
        word = statement.head.lower()
        size = _BLOCKS[word]
        if word in (".dcb.s", ".dcb.d"):
            first, *value = pieces(statement.operands, statement.operands_column)
            if len(value) != 1:
                raise _at(statement, f"The form of this directive is `{statement.head} 4, 1.5`.")
            self._repeat(self._constant(*first, statement), self._real(*value[0], size, statement), statement)
            return
        count, *others = self._constants(statement, 2, f"{statement.head} 4, 1")
        number = others[0] if others else 0
        if not -(1 << 63) <= number < 1 << 64 or (number and size > 8):
            raise _at(statement, f"{number} does not fit 8 bytes, the largest value that .fill repeats.")
        self._repeat(count, (number % (1 << 64)).to_bytes(16, "little")[:size], statement)

    def _org(self, statement: Statement) -> None:
        """Up to an offset in this section."""
        where, *fill = pieces(statement.operands, statement.operands_column)
        if not where[0].strip() or len(fill) > 1:
            raise _at(statement, "The form of this directive is `.org 64` or `.org label + 64`.")
        section, here = self.spot
        found = self.evaluate(tokenize(statement.place, *where), self.spot, self.number)
        if isinstance(found, Relocation):
            if found.plus != section or found.minus is not None:
                raise _at(statement, "The target of .org must be a number or a label of this section.")
            found = found.value
        if found < here:
            raise _at(statement, f"This section is already at {here}, so .org cannot go back to {found}.")
        self._repeat(found - here, bytes([self._constant(*fill[0], statement) & 255 if fill else 0]), statement)

    def _repeat(self, count: int, data: bytes, statement: Statement) -> None:
        if not 0 <= count * max(len(data), 1) <= MAX_BYTES:
            raise _at(statement, f"{count:,} times is " + ("less than nothing." if count < 0 else
                                                            f"more than {MAX_BYTES >> 20} MiB of data."))
        self.append(data * count, statement)

    def _incbin(self, statement: Statement) -> None:
        first, *rest = pieces(statement.operands, statement.operands_column)
        match = QUOTED.fullmatch(first[0])
        if match is None:
            raise _at(statement, 'The form of this directive is .incbin "file".')
        _, data = self.includes.data(match[1], statement.place, statement.operands_column + match.start(1),
                                     max(len(match[1]), 1), self.includes.folder_of(statement.place))
        values = [self._constant(text, column, statement) for text, column in rest[:2]]
        low, count = [*values, *[0, len(data)][len(values):]]
        self.append(data[max(low, 0):max(low, 0) + max(count, 0)], statement)

    def common(self, statement: Statement, name: str, size: int, alignment: int) -> Spot:
        """Zero bytes in .bss for .comm and .lcomm."""
        before = self._name, self._previous
        self._enter(".bss", None, statement)
        if not 0 <= size <= MAX_BYTES or not 0 < alignment <= 1 << 16 or alignment & alignment - 1:
            raise _at(statement, f"`{name}` of {size:,} bytes, aligned to {alignment}, is not possible.")
        self.pad(alignment, statement)
        spot = self.spot
        self.append(bytes(size), statement)
        self._go(before[0])
        self._previous = before[1]
        return spot

    # -- numbers

    def _constant(self, text: str, column: int, statement: Statement) -> int:
        value = self.evaluate(tokenize(statement.place, text, column), self.spot, self.number)
        if isinstance(value, Relocation):
            raise statement.place.error("A constant number is expected here, not an address.", column,
                                        max(len(text.rstrip()), 1))
        return value

    def _constants(self, statement: Statement, most: int, example: str) -> list[int]:
        found = pieces(statement.operands, statement.operands_column)
        if not found[0][0].strip() or len(found) > most:
            raise _at(statement, f"The form of this directive is `{example}`.")
        return [self._constant(text, column, statement) for text, column in found]

    def evaluate(self, tokens: Tokens, spot: Spot, number: int,
                 constants: dict[str, int] | None = None) -> int | Relocation:
        """Return a number, or what it will be in memory: the value of a whole expression over constants and labels.

        spot   what `.` is         number   of the statement, for 1b and 1f
        """
        start = tokens.at
        tokens.take("#")
        value = self.value(tokens, spot, number, ChainMap(constants or {}, self.constants))
        if tokens.kind != "end":
            raise tokens.fail(f"`{tokens.text}` follows the number. One constant expression is expected here.")
        tokens.at = start
        return value

    def value(self, tokens: Tokens, spot: Spot, number: int, constants: Mapping[str, int],
              weakest: int = 1) -> int | Relocation:
        """Return the same of the expression at the cursor, which then stands behind it."""
        tokens.kinds = ["word" if kind == "labelref" else kind for kind in tokens.kinds]

        def spot_of(name: str) -> Spot | None:
            return spot if name == "." else self.spot_of(name, number)

        if self.is_external is not None:
            for kind, text in zip(tokens.kinds, tokens.texts, strict=True):
                if kind == "word" and text not in constants and not text[0].isdigit() and spot_of(text) is None:
                    self.is_external(text)
        first = tokens.at
        found = linear(tokens, _Names(constants, spot_of), weakest)
        if isinstance(found, int):
            return found
        plus = [section for section, times in found.sections if times == 1]
        minus = [section for section, times in found.sections if times == -1]
        if len(plus) != 1 or len(minus) > 1 or len(plus) + len(minus) < len(found.sections):
            raise tokens.fail("Addresses can only be added to numbers and subtracted from each other.",
                              first, max(tokens.at - 1, first))
        if minus and minus[0] >= 0 and self.data[minus[0]].outside:
            raise tokens.fail("The distance from a symbol of another file is unknown before linking.", first,
                              max(tokens.at - 1, first))
        return Relocation(0, 0, found.offset, plus[0], minus[0] if minus else None)

    def finish(self, mistakes: Diagnostics) -> None:
        """Fill in the numbers, now that all labels are known."""
        for section in self.data:
            for number in section.numbers:
                try:
                    self._fill_in(section, number)
                except AssemblyError as error:
                    mistakes.add(error)

    def _fill_in(self, section: Section, noted: DeferredNumber) -> None:
        offset, size, statement, tokens, here, number, constants = noted
        value = self.evaluate(tokens, here, number, constants)
        if isinstance(value, Relocation):
            if size not in (4, 8):
                what = "An address" if value.minus is None else "A distance to another section"
                raise statement.place.error(
                    f"{what} is 4 or 8 bytes wide (.word, .xword), and {statement.head} holds {size}."
                    + (" A distance within a section needs fewer bytes: label - table." if size < 4 else ""),
                    tokens.columns[0], tokens.ends[-2] - tokens.columns[0])
            if section.is_loaded:
                section.relocations.append(Relocation(offset, size, value.value, value.plus, value.minus))
            return
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise statement.place.error(f"{value} does not fit {size} byte{'s' * (size > 1)}.",
                                        tokens.columns[0], tokens.ends[-2] - tokens.columns[0])
        if section.zero and value:
            raise _at(statement, f"`{section.name}` contains only zeros. Put this into .data.")
        if size == 16 and (value < 0 or tokens.texts[0] in ("-", "~")):  # GNU as leaves its upper half 0
            raise statement.place.error("An expression has 64 bits and loses its sign in 128 bits. Write the number.",
                                        tokens.columns[0], tokens.ends[-2] - tokens.columns[0])
        section.contents[offset:offset + size] = (value % (1 << 8 * size)).to_bytes(size, "little")

    def add(self, name: str, align: int) -> int:
        """Return a section made by the assembler itself."""
        self.data.append(Section(name, align=align, generated=True))
        return len(self.data) - 1

    def add_outside(self, name: str) -> int:
        """Return a place for a symbol of another file."""
        self.data.append(Section(f"{name} (of another file)", generated=True, outside=True))
        return len(self.data) - 1

    def result(self) -> tuple[DataSection, ...]:
        """Return the sections as the program keeps them; those that are not loaded are empty."""
        return tuple(DataSection(s.name, bytes(s.contents) if s.is_loaded else b"", s.align, s.writable, s.zero,
                                 s.generated,
                                 tuple(s.relocations), s.offset, s.outside) for s in self.data)


def _at(statement: Statement, message: str) -> AssemblyError:
    return statement.place.error(message, statement.head_column, len(statement.head))
