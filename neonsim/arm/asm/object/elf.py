"""Object files: a relocatable ELF file to assembly text, and that to a Program.

Capstone says what each word means, pyelftools where the sections, symbols and relocations are; what comes out is text
with labels, which `assemble` takes like any other. So an object has nothing that a program has not.

| in the object                                  | in the text                                                     |
|------------------------------------------------|-----------------------------------------------------------------|
| instructions                                   | their text; branch targets and addresses are labels             |
| AArch32 tables of `ldr pc, [pc, r0, lsl #2]`   | tables of branches, which `add pc, pc, r0, lsl #2` goes into    |
| distances that `add pc, r0, r1` jumps by       | `.word label - table`                                           |
| data, read-only data, zeros, common symbols    | sections: their bytes by `.incbin`, `.word label` where relocated |
| functions that it only names, such as `memcpy`  | built in, where there are such (`arm.asm.library`)    |
| notes, debug information, tables for unwinding | left out                                                        |

Source: ELF for the Arm 64-bit Architecture (IHI 0056), ELF for the Arm Architecture (IHI 0044).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from neonsim.arm.asm.assembler import assemble_named
from neonsim.arm.asm.c.prototypes import prototypes_of
from neonsim.arm.asm.object.disassembler import LITERAL, disassembler, relative, render_word
from neonsim.arm.asm.object.relocations import RELOCATIONS, Kind
from neonsim.arm.asm.parse.registers import REGISTERS
from neonsim.arm.asm.program import Program
from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.semantics import CONDITIONS
from neonsim.common.fileio import read_file
from neonsim.common.limits import MAX_BYTES, MAX_OBJECT_BYTES
from neonsim.errors import BadArgument, NeonsimError

__all__ = ["load_bytes", "object_bytes"]

_ALLOC, _WRITE, _EXECUTE, _COMPRESSED = 2, 1, 4, 0x800
# Bytes of an entry by table and class of the file.
_ENTRY: Final[dict[str, dict[int, int]]] = {"section": {32: 40, 64: 64}, "SHT_SYMTAB": {32: 16, 64: 24},
                                            "SHT_RELA": {32: 12, 64: 24}, "SHT_REL": {32: 8, 64: 16}}
_SKIPPED: Final = (".eh_frame", ".ARM.ex", ".note", ".comment", ".gcc_except", ".debug")

_Piece = tuple[int, str | range]  # where in the section it lies, and a line, or which bytes
_GOT: Final = ".Lgot"
# AArch32 operands that name an address by its distance from pc.
_NEAR: Final = re.compile(r"(\w+), pc, #(\w+)")
_JUMP: Final = re.compile(r"pc, (\w+), \w+")
_SHOWN: Final = 16  # bytes of data that a line shows
_APART: Final = 12  # instructions between the address of a table and the jump by it, at most
_NEARBY: Final = frozenset(name + condition for name in ("add", "sub") for condition in ("", *CONDITIONS))


def object_bytes(source: str | Path | bytes, kind: str) -> tuple[str, bytes]:
    """(path, bytes) of an object file or another that holds some; NeonsimError if it cannot be read or is too large."""
    if isinstance(source, bytes | bytearray | memoryview):
        path, data = f"<{kind}>", bytes(source)
    elif isinstance(source, str | Path):
        path = str(source)
        try:
            data = read_file(source, MAX_OBJECT_BYTES)
        except BadArgument as error:
            raise NeonsimError(str(error)) from None
    else:
        raise BadArgument(f"source is a {type(source).__name__}; pass the path of an {kind} file, or its bytes.")
    if len(data) > MAX_OBJECT_BYTES:
        raise NeonsimError(f"{path} is larger than {MAX_OBJECT_BYTES >> 20} MiB.")
    return path, data


def load_bytes(path: str, data: bytes, comment: Callable[[int], str] | None = None) -> Program:
    """Return an object's bytes as a Program; ``comment`` gives words to stand behind the instruction at an offset."""
    if data[:4] != b"\x7fELF":
        what = "an archive: neonsim.load_archive takes objects out of it" if data[:7] == b"!<arch>" else "no ELF file"
        raise NeonsimError(f"{path} is {what}. `gcc -c` for Arm creates an object file.")
    try:
        isa, text, inside = _Object(path, data, comment).text()
    except NeonsimError:
        raise
    except Exception as error:  # pyelftools meets damage in many ways
        raise NeonsimError(f"{path} is a damaged object file ({type(error).__name__}: {error}).") from None
    program = assemble_named(f"{path} (disassembled)" if comment is None else path, text, isa, inside)
    taken = tuple(replace(one, name=_word(one.name)) for one in prototypes_of(data))
    return replace(program, prototypes=taken) if taken else program


class _Object:
    def __init__(self, path: str, data: bytes, comment: Callable[[int], str] | None) -> None:
        from elftools.elf.elffile import ELFFile

        self.path, self.comment = path, comment
        elf = ELFFile(io.BytesIO(data))
        header = elf.header
        machine = {"EM_AARCH64": "aarch64", "EM_ARM": "aarch32"}.get(header.e_machine)
        if machine is None:
            raise NeonsimError(f"{path} is for {header.e_machine}, not Arm. Build it with a cross compiler.")
        if header.e_type != "ET_REL":
            raise NeonsimError(f"{path} is linked ({header.e_type}); `gcc -c` creates an object file, before linking.")
        if not elf.little_endian or elf.elfclass != (64 if machine == "aarch64" else 32):
            raise NeonsimError(f"{path} is big-endian or ILP32, which is not simulated.")
        self.isa = machine
        self.pointer = WORD_BYTES[machine]
        # e_shnum 0 means that the first section says how many there are, which may be any number.
        if header.e_shoff + elf.num_sections() * max(header.e_shentsize, _ENTRY["section"][elf.elfclass]) > len(data):
            raise NeonsimError(f"{path} is truncated: its table of sections is beyond its end.")
        self.sections: list[Any] = []
        for section in elf.iter_sections():
            if section["sh_type"] != "SHT_NOBITS" and section["sh_offset"] + section["sh_size"] > len(data):
                raise NeonsimError(f"{path} is truncated: the section {section.name} is beyond its end.")
            entry = _ENTRY.get(section["sh_type"], {}).get(elf.elfclass)
            if entry is not None and section["sh_entsize"] != entry:
                raise NeonsimError(f"{path} is damaged: the entries of the section {section.name} have "
                                   f"{section['sh_entsize']} bytes, not {entry}.")
            self.sections.append(section)
        self.symbols: list[Any] = [s for t in self.sections if t["sh_type"] == "SHT_SYMTAB" for s in t.iter_symbols()]
        loaded = ("SHT_PROGBITS", "SHT_NOBITS", "SHT_INIT_ARRAY", "SHT_FINI_ARRAY")
        self.kept = [i for i, s in enumerate(self.sections) if s["sh_flags"] & _ALLOC and s["sh_type"] in loaded
                     and not s.name.startswith(_SKIPPED)]
        for section in (self.sections[i] for i in self.kept):
            empty = section["sh_type"] == "SHT_NOBITS"
            if section["sh_flags"] & _COMPRESSED or (empty and section["sh_flags"] & _EXECUTE):
                raise NeonsimError(f"{path}: the section {section.name} is compressed or has code without bytes, which "
                                   f"is not supported.")
            if empty and section["sh_size"] > MAX_BYTES:
                raise NeonsimError(f"{path}: the section {section.name} is larger than {MAX_BYTES >> 20} MiB.")
        if not any(self.sections[i]["sh_flags"] & _EXECUTE and self.sections[i]["sh_size"] for i in self.kept):
            raise NeonsimError(f"{path} contains no instructions to run.")
        self.labels: dict[tuple[int, int], list[str]] = {}
        self.taken: set[str] = set()
        self.common: list[str] = []
        self.got: dict[str, str] = {}
        self.uses_got = False
        self.undefined: dict[str, None] = {}
        self.maps: dict[int, list[tuple[int, str]]] = {}
        self._read_symbols()

    # -- symbols

    def _read_symbols(self) -> None:
        # Global ones first: of two with one name it is theirs.
        for symbol in sorted(self.symbols, key=lambda s: s["st_info"]["bind"] == "STB_LOCAL"):
            name, kind, section = symbol.name, symbol["st_info"]["type"], symbol["st_shndx"]
            if section == "SHN_COMMON":
                self.common.append(f".comm {_word(name)}, {symbol['st_size']}, {max(symbol['st_value'], 1)}")
            if not isinstance(section, int) or section not in self.kept:
                continue
            if name[:2] in ("$x", "$a", "$d", "$t") and name[2:3] in ("", "."):
                self.maps.setdefault(section, []).append((symbol["st_value"], name[1]))
            elif kind in ("STT_FUNC", "STT_OBJECT", "STT_NOTYPE") and name:
                value = symbol["st_value"]
                if kind == "STT_FUNC" and self.isa == "aarch32" and value & 1:
                    raise NeonsimError(f"{self.path}: {name} is Thumb code, which is not simulated: compile with "
                                       "-marm.")
                name = _word(name)
                if name not in self.taken:
                    self.taken.add(name)
                    self.labels.setdefault((section, value), []).append(name)
        for found in self.maps.values():
            found.sort()

    def label(self, section: int, offset: int) -> str:
        """Return a label at a place; one is made if there is none."""
        names = self.labels.setdefault((section, offset), [])
        if not names:
            names.append(f".L{section}_{offset:x}")
        return names[0]

    def reference(self, symbol: Any, addend: int) -> str:
        """Return a symbol and a distance, as the assembler takes it."""
        section = symbol["st_shndx"]
        name = _word(symbol.name)
        if section == "SHN_UNDEF":
            self.undefined[symbol.name] = None
        elif section == "SHN_ABS":
            raise NeonsimError(f"{self.path}: the absolute symbol {symbol.name} is not supported.")
        elif section != "SHN_COMMON":
            if section not in self.kept:
                raise NeonsimError(f"{self.path}: a relocation refers to the section "
                                   f"{self.sections[section].name}, which is not loaded.")
            value = symbol["st_value"]
            if self.sections[section]["sh_flags"] & _EXECUTE or symbol["st_info"]["type"] == "STT_SECTION":
                inside = 0 <= value + addend <= self.sections[section]["sh_size"]
                return self.label(section, value + addend) if inside else f"{self.label(section, value)}{addend:+d}"
            name = self.label(section, value)
        return name + (f"{addend:+d}" if addend else "")

    def entry_of_got(self, reference: str) -> str:
        return self.got.setdefault(reference, f".Lgot{len(self.got)}")

    # -- text

    def text(self) -> tuple[str, str, dict[str, bytes]]:
        """(isa, assembly text, {name: bytes} of the sections that it takes bytes from)."""
        relocations = self._relocations()
        bodies: list[tuple[int, list[_Piece]]] = []
        inside: dict[str, bytes] = {}
        for index in self.kept:
            section = self.sections[index]
            executable = bool(section["sh_flags"] & _EXECUTE)
            lines = list(self._code(index, relocations.get(index, {})) if executable else
                         self._data(index, 0, section["sh_size"], relocations.get(index, {})))
            if executable and self.comment is not None:
                lines = [(at, f"{line:<30} // {words}" if isinstance(line, str) and (words := self.comment(at)) else
                          line) for at, line in lines]
            bodies.append((index, lines))
        out = [".syntax unified", ".arm", ".fpu neon"] if self.isa == "aarch32" else []
        out += [f".extern {_word(name)}" for name in self.undefined]
        out += [f".global {_word(s.name)}" for s in self.symbols if s["st_info"]["bind"] == "STB_GLOBAL"
                and isinstance(s["st_shndx"], int) and s["st_shndx"] in self.kept]
        for index, lines in bodies:
            section = self.sections[index]
            flags = "a" + "w" * bool(section["sh_flags"] & _WRITE) + "x" * bool(section["sh_flags"] & _EXECUTE)
            nobits = ", %nobits" if section["sh_type"] == "SHT_NOBITS" else ""
            own = _word(section.name)
            if not own or sum(_word(self.sections[i].name) == own for i in self.kept) > 1:
                own += f".{index}"
            data = b"" if nobits else section.data()
            inside[own] = data
            out += [f'.section {own}, "{flags}"{nobits}']
            if "x" not in flags or section["sh_addralign"] > 4:
                out.append(f".balign {min(max(section['sh_addralign'], 1), 65536)}")
            places = sorted((offset, names) for (at, offset), names in self.labels.items() if at == index)
            out += _woven(lines, places, own, data)
        out += self.common
        if self.got or self.uses_got:
            out += ['.section .got, "a"', f".balign {self.pointer}", f"{_GOT}:"]
            out += [f"{name}: {'.quad' if self.pointer == 8 else '.word'} {of}" for of, name in self.got.items()]
        out.append(".text")
        return self.isa, "\n".join(out) + "\n", inside

    def _relocations(self) -> dict[int, dict[int, list[tuple[Kind, Any, int | None]]]]:
        """Section -> offset -> what is wanted there: (kind, symbol, addend; None: it stands in the bytes)."""
        kinds = RELOCATIONS[self.isa]
        found: dict[int, dict[int, list[tuple[Kind, Any, int | None]]]] = {}
        for section in self.sections:
            if section["sh_type"] not in ("SHT_REL", "SHT_RELA") or section["sh_info"] not in self.kept:
                continue
            place = found.setdefault(section["sh_info"], {})
            for entry in section.iter_relocations():
                number = entry["r_info_type"]
                if number not in kinds:
                    raise NeonsimError(f"{self.path}: a relocation of type {number} in "
                                       f"{self.sections[section['sh_info']].name} is not supported. It may be "
                                       f"thread-local data or position-independent code: try -fno-pic.")
                if kinds[number].encoding != "none":
                    addend = entry["r_addend"] if section["sh_type"] == "SHT_RELA" else None
                    place.setdefault(entry["r_offset"], []).append(
                        (kinds[number], self.symbols[entry["r_info_sym"]], addend))
        return found

    def _data(self, index: int, low: int, high: int,
              relocations: dict[int, list[tuple[Kind, Any, int | None]]]) -> Iterator[_Piece]:
        """Bytes low..high of a section, and the directives for what is relocated there, each with its offset."""
        section = self.sections[index]
        data = b"" if section["sh_type"] == "SHT_NOBITS" else section.data()
        at = low
        for place in sorted(offset for offset in relocations if low <= offset < high):
            if place < at:
                raise NeonsimError(f"{self.path}: two relocations overlap at {section.name}+{place:#x}.")
            if place > at:
                yield at, range(at, place)
            at = place
            kind, symbol, addend = relocations[at][0]
            size = kind.nbytes
            if not size or at + size > high:
                raise NeonsimError(f"{self.path}: the relocation at {section.name}+{at:#x} is not a data relocation.")
            if addend is None:
                addend = int.from_bytes(data[at:at + size], "little", signed=True)
            word = ".quad" if size == 8 else ".word"
            if kind.encoding == "gotslot":
                yield at, f"{word} {self.entry_of_got(self.reference(symbol, addend))} - {_GOT}"
            elif kind.encoding == "gotoffset":
                self.uses_got = True
                yield at, f"{word} {self.reference(symbol, addend)} - {_GOT}"
            elif kind.encoding == "absolute":
                yield at, f"{word} {self.reference(symbol, addend)}"
            elif section["sh_flags"] & _EXECUTE:
                # In the code of AArch32: the distance from an instruction that reads pc (8 bytes ahead of itself).
                base = at - addend - 8
                self.uses_got = self.uses_got or kind.encoding == "gotbase"
                target = _GOT if kind.encoding == "gotbase" else self.reference(symbol, 0)
                if kind.encoding == "gotrelative":
                    target = self.entry_of_got(target)
                yield at, f"{word} {target} - ({self.label(index, base)} + 8)"
            else:
                yield at, f"{word} {self.reference(symbol, addend)} - ."
            at += size
        if at < high:
            yield at, range(at, high)

    def _code(self, index: int,
              relocations: dict[int, list[tuple[Kind, Any, int | None]]]) -> Iterator[_Piece]:
        """The instructions of a section, and the data between them."""
        section = self.sections[index]
        data = section.data()
        marks = self.maps.get(index) or [(0, "x")]
        marks = [*marks, (len(data), "")]
        decoder = disassembler(self.isa)
        words: dict[int, tuple[str, str]] = {}
        for (low, kind), (high, _) in pairwise(marks):
            if kind == "t":
                raise NeonsimError(f"{self.path}: {section.name} holds Thumb code, which is not simulated: compile "
                                   "with -marm.")
            for at in range(low, min(high, len(data)) - 3, 4) if kind != "d" else ():
                found = render_word(decoder, self.isa, data[at:at + 4], at)
                if found is None:
                    raise NeonsimError(f"{self.path}: the word {int.from_bytes(data[at:at + 4], 'little'):#010x} at "
                                       f"{section.name}+{at:#x} is not an instruction that Capstone knows.")
                words[at] = found
        tables = self._jump_tables(index, words, relocations) if self.isa == "aarch32" else {}
        for (low, kind), (high, _) in pairwise(marks):
            high = min(high, len(data))
            if kind == "d":
                for at in range(low, tables.get(low, low), 4):
                    number = int.from_bytes(data[at:at + 4], "little", signed=True)
                    if at in relocations:
                        _, symbol, addend = relocations[at][0]
                        yield at, f"b {self.reference(symbol, number if addend is None else addend)}"
                    else:
                        yield at, f".word {self.label(index, low + number)} - {self.label(index, low)}"
                yield from self._data(index, tables.get(low, low), high, relocations)
                continue
            for at in range(low, high - 3, 4):
                mnemonic, operands = words[at]
                if at + 8 in tables and operands.startswith("pc, [pc, "):
                    mnemonic, operands = "add" + mnemonic[3:], f"pc, pc, {operands[9:-1]}"
                near = _NEAR.fullmatch(operands)
                if near and mnemonic in _NEARBY:
                    mnemonic, operands = "adr" + mnemonic[3:], f"{near[1]}, #{_immediate_place(words, at)}"
                wanted = relocations.get(at)
                operands = self._related(index, at, mnemonic, operands, wanted[0] if wanted else None)
                yield at, f"{mnemonic} {operands}".strip()

    def _jump_tables(self, index: int, words: dict[int, tuple[str, str]],
                     relocations: dict[int, list[tuple[Kind, Any, int | None]]]) -> dict[int, int]:
        """Tables in the code that AArch32 jumps by: first byte -> end. A literal behind one is not part of it.

        GCC's hold addresses (which are relocated), Clang's the distances of its targets from the table.
        """
        data = self.sections[index].data()
        addresses = {at + 8 for at, (mnemonic, operands) in words.items()
                     if mnemonic.startswith("ldr") and operands.startswith("pc, [pc, r")}
        distances = {_immediate_place(words, before) for at, (mnemonic, operands) in words.items()
                     if (jump := _JUMP.fullmatch(operands)) and mnemonic.startswith("add")
                     for before in range(at - 4 * _APART, at, 4)
                     if (near := _NEAR.fullmatch(words.get(before, ("", ""))[1])) and near[1] == jump[1]
                     and words[before][0] in _NEARBY}
        if not addresses | distances:
            return {}
        named = {at + 8 + int(literal[2] or "0", 0) for at, (_, operands) in words.items()
                 if (literal := LITERAL.fullmatch(operands))}

        def belongs(start: int, at: int) -> bool:
            if start in addresses:
                return any(kind.encoding == "absolute" and symbol["st_shndx"] == index
                           for kind, symbol, _ in relocations.get(at, ()))
            return at not in relocations and start + int.from_bytes(data[at:at + 4], "little", signed=True) in words

        found: dict[int, int] = {}
        for start in addresses | distances:
            end = start
            while end not in named and end not in words and end + 4 <= len(data) and belongs(start, end):
                end += 4
            if end > start:
                found[start] = end
        return found

    def _related(self, index: int, at: int, mnemonic: str, operands: str,
                 wanted: tuple[Kind, Any, int | None] | None) -> str:
        """Operands with labels for addresses."""
        head, _, last = operands.rpartition(", ")
        if wanted is not None:
            kind, symbol, addend = wanted
            if kind.encoding == "label":
                # AArch32 keeps the addend in the instruction: -8 is a jump to the symbol itself.
                distance = addend if addend is not None else _immediate(last) - at
                return _joined(head, self.reference(symbol, distance))
            if addend is None:
                addend = _immediate(last)
                addend -= (addend & 0x8000) * 2
            reference = self.reference(symbol, addend)
            part = {"low": "lo12", "gotlow": "got_lo12", "lower": "lower16", "upper": "upper16",
                    "gotpage": "got"}.get(kind.encoding)
            if kind.encoding == "g":
                shift = int(m[1]) if (m := re.search(r"lsl #(\d+)", operands)) else 0
                register = operands.partition(",")[0]
                return f"{register}, #:abs_g{shift // 16}:{reference}" + (f", lsl #{shift}" if shift else "")
            if part is None:
                raise NeonsimError(f"{self.path}: the relocation at {self.sections[index].name}+{at:#x} is for data, "
                                   f"but an instruction is there.")
            if operands.endswith("]"):
                inside = re.fullmatch(r"(.*\[\w+)(?:, #?-?\w+)?\]", operands)
                return f"{inside[1] if inside else operands[:-1]}, :{part}:{reference}]"
            if part == "got":
                return f"{head}, :got:{reference}"
            return f"{head}, #:{part}:{reference}"
        return relative(self.isa, mnemonic, operands, at, lambda offset: self._inside(index, offset))

    def _inside(self, index: int, offset: int) -> str:
        if not 0 <= offset <= self.sections[index]["sh_size"]:
            raise NeonsimError(f"{self.path}: an instruction names the address {offset:#x}, outside its section.")
        return self.label(index, offset)


def _immediate_place(words: dict[int, tuple[str, str]], at: int) -> int:
    """What an instruction that adds a number to pc, or subtracts one, means: a place in the section."""
    mnemonic, operands = words[at]
    near = _NEAR.fullmatch(operands)
    assert near
    return at + 8 + _immediate(near[2]) * (1 if mnemonic.startswith("add") else -1)


def _immediate(text: str) -> int:
    return int(text.lstrip("#"), 0)


def _joined(head: str, last: str) -> str:
    return f"{head}, {last}" if head else last


def _word(name: str) -> str:
    """A symbol as a label: what cannot stand in one becomes an underscore; names of registers get a $."""
    name = re.sub(r"[^\w.$]", "_", name, flags=re.ASCII)
    if name[:1].isdigit():
        name = "_" + name
    return name + "$" if any(name.lower() in names for names in REGISTERS.values()) else name


def _woven(lines: list[_Piece], places: list[tuple[int, list[str]]], section: str, data: bytes) -> list[str]:
    """Lines with the labels in front of them; bytes of the section are named, never written."""
    out: list[str] = []
    number = 0
    for offset, line in lines:
        at, end = offset, line.stop if isinstance(line, range) else offset
        while number < len(places) and (places[number][0] < end or places[number][0] <= offset):
            place, names = places[number]
            if place < offset:
                raise NeonsimError(f"the label {names[0]} is inside an instruction or a number")
            if place > at:
                out.append(_bytes(section, data, at, place))
                at = place
            out += [f"{name}:" for name in names]
            number += 1
        out.append(line if isinstance(line, str) else _bytes(section, data, at, end))
    return out + [f"{name}:" for _, names in places[number:] for name in names]


def _bytes(section: str, data: bytes, low: int, high: int) -> str:
    """The directive for bytes of a section; those without a file are zero. What it says behind // is for readers."""
    if not data:
        return f".zero {high - low}"
    shown = data[low:min(high, low + _SHOWN)].hex(" ") + (" ..." if high - low > _SHOWN else "")
    return f'.incbin "{section}", {low}, {high - low}  // {shown}'
