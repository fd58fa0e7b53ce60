"""Data of a program: sections of bytes, and the places in them that wait for an address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["CODE", "DataSection", "Relocation", "Spot", "part_of_address", "parts", "section_lines"]

CODE = -1  # the "section" that instructions are in, and the data among them
Spot = tuple[int, int]  # (section, offset)

_ZEROS = re.compile(rb"(\0{16,})")
_REFERENCE = re.compile(r"(?::(\w+):)?\s*([A-Za-z_.$][\w.$]*|\d+[bf])((?:[+-]\d+)?)\Z", re.ASCII)


@dataclass(frozen=True)
class Relocation:
    """A number in a section that is known when the program is in memory.

    offset   where it stands                        nbytes   how wide it is
    value    what is added to the start of the section `plus`, less the start of the section `minus`, if any
    """

    offset: int
    nbytes: int
    value: int
    plus: int
    minus: int | None = None


@dataclass(frozen=True)
class DataSection:
    """Bytes of a program that are not instructions.

    name        as written; .text for each run of data among instructions
    align       bytes; of data among instructions: what the next instruction is aligned to
    writable    whether the program may store there
    zero        all of it is zero (.bss)
    generated   made by the assembler (literal pool, table of addresses): not in the listing
    offset      of data among instructions: where it lies in the code, which begins with 0; None: not among them
    outside     stands for a symbol of another file: has no bytes, and nothing may touch it
    """

    name: str
    contents: bytes
    align: int = 1
    writable: bool = False
    zero: bool = False
    generated: bool = False
    relocations: tuple[Relocation, ...] = ()
    offset: int | None = None
    outside: bool = False

    @property
    def behind(self) -> int:
        """Of data among instructions: where in the code the next instruction lies."""
        assert self.offset is not None
        end = self.offset + len(self.contents)
        return end + -end % self.align

    def image(self, bases: Mapping[int, int]) -> bytes:
        """Return the bytes when section i begins at bases[i]; ValueError if a number does not fit where it stands."""
        if not self.relocations:
            return self.contents
        data = bytearray(self.contents)
        for r in self.relocations:
            value = bases[r.plus] + r.value - (bases[r.minus] if r.minus is not None else 0)
            if not -(1 << 8 * r.nbytes - 1) <= value < 1 << 8 * r.nbytes:
                raise ValueError(f"{value:#x} at offset {r.offset} of {self.name} does not fit {r.nbytes} bytes")
            data[r.offset:r.offset + r.nbytes] = (value % (1 << 8 * r.nbytes)).to_bytes(r.nbytes, "little")
        return bytes(data)


def parts(text: str) -> tuple[str, str, int] | None:
    """(modifier or "", name, distance) of a reference to a label, None if it is none."""
    match = _REFERENCE.match(text)
    if match is None:
        return None
    return (match[1] or "").lower(), match[2], int(match[3] or 0)


_PARTS: dict[str, Callable[[int], int]] = {
    "lo12": lambda a: a & 0xFFF, "got_lo12": lambda a: a & 0xFFF,
    "lower16": lambda a: a & 0xFFFF, "upper16": lambda a: a >> 16 & 0xFFFF,
    **{f"abs_g{i}{tail}": lambda a, shift=16 * i: a >> shift & 0xFFFF  # type: ignore[misc]
       for i in range(4) for tail in ("", "_nc")},
}


def part_of_address(modifier: str, address: int) -> int | None:
    """Return the part of an address that `:modifier:` takes, None if there is no such modifier."""
    part = _PARTS.get(modifier)
    return None if part is None else part(address)


# (writable, zero) of the sections that have a directive of their own.
USUAL = {".text": (False, False), ".data": (True, False), ".bss": (True, True)}


def section_lines(number: int, section: DataSection, labels: Mapping[int, list[tuple[str, int]]]) -> list[str]:
    """Return a section as text that assembles to it again.

    labels   {section: [(name, offset), ...]}, CODE included
    """
    flags = "aw" if section.writable else "a"
    kind = ",%nobits" if section.zero else ""
    head = f".section {section.name},\"{flags}\"{kind}"
    if USUAL.get(section.name) == (section.writable, section.zero):
        head = section.name
    out = [head] if section.offset is None else []
    if section.align > 1 and section.offset is None:
        out.append(f".balign {section.align}")
    stops: dict[int, list[str]] = {}
    for name, offset in labels.get(number, ()):
        stops.setdefault(offset, []).append(f"{name}:")
    relocations = {r.offset: r for r in section.relocations}
    at, size = 0, len(section.contents)
    ends = sorted({*stops, *relocations, size})
    index = 0
    while True:
        out += stops.get(at, [])
        if at >= size:
            if section.offset is not None and section.behind > section.offset + size:
                out.append(f".balign {section.align}")
            return out
        if at in relocations:
            r = relocations[at]
            word = {1: ".byte", 2: ".hword", 4: ".word", 8: ".quad"}[r.nbytes]
            minus = f" - ({_near(r.minus, 0, labels)})" if r.minus is not None else ""
            out.append(f"        {word} {_near(r.plus, r.value, labels)}{minus}")
            at += r.nbytes
            continue
        while ends[index] <= at:
            index += 1
        for piece in _ZEROS.split(section.contents[at:ends[index]]):
            if len(piece) > 15 and not any(piece):
                out.append(f"        .zero {len(piece)}")
            else:
                out += ["        .byte " + ", ".join(f"{b:#04x}" for b in piece[i:i + 16])
                        for i in range(0, len(piece), 16)]
        at = ends[index]


def _near(section: int, offset: int, labels: Mapping[int, list[tuple[str, int]]]) -> str:
    """A place as distance from a label of its section: one that is there, or the first."""
    name, start = next((one for one in labels[section] if one[1] == offset), labels[section][0])
    return f"{name} {'+' if offset >= start else '-'} {abs(offset - start)}"
