"""Fuzzing of debug information: the sections .debug_* of objects made with -g, damaged; then lines of C, the listing.

    python tests/fuzz/fuzz_lines.py --inputs 300000 --seed 1

Inputs are the objects of tests/arm/asm/objects that were made with -g and, where cross compilers are installed, two
small C files in DWARF 4 and 5. All but debug information stays whole, so that every input reaches the reader of lines;
what is checked beyond `harness`: lines are numbers, and the instructions are those of the whole object.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz_object import COMPILERS, SOURCES, _field, _headers
from harness import ROOT, Box, Fuzz

from neonsim.arm.asm import load_object
from neonsim.arm.asm.object.dwarf_lines import DebugLines, source_of
from neonsim.errors import NeonsimError


def _corpus() -> list[bytes]:
    found = [path.read_bytes() for path in sorted((ROOT / "tests" / "arm" / "asm" / "objects").glob("lines_*.o"))]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SOURCES.items():
            path, out = Path(folder) / name, Path(folder) / "a.o"
            path.write_text(text)
            for command in COMPILERS.values():
                for flag in ("-gdwarf-4", "-gdwarf-5"):
                    if shutil.which(command[0]) is not None:
                        with contextlib.suppress(subprocess.CalledProcessError):
                            subprocess.run([*command, "-O2", flag, "-c", str(path), "-o", str(out)], check=True,
                                           capture_output=True)
                            found.append(out.read_bytes())
    return found


def _debug_sections(data: bytes) -> list[tuple[int, int]]:
    """(first byte, size) of the sections whose names begin with .debug, of a whole object."""
    offset, entry, count, bits = _headers(data)
    layout = "<I20xQQ" if bits == 64 else "<I12xII"     # name; type, flags and address; offset and size

    def place(number: int) -> tuple[int, int, int]:
        name, first, size = struct.unpack_from(layout, data, offset + entry * number)
        return name, first, size

    _, names, _ = place(struct.unpack_from("<H", data, 0x3E if bits == 64 else 0x32)[0])
    found = [place(number) for number in range(count)]
    kinds = (b".debug", b".rel.debug", b".rela.debug")
    return sorted((first, size) for name, first, size in found if size and data.startswith(kinds, names + name))


CORPUS = _corpus()
PLACES = [_debug_sections(data) for data in CORPUS]
# What the instructions of each are, found again by the bytes outside its debug information: they are never changed.
WHOLE = {(len(data), data[:PLACES[i][0][0]]): load_object(data).instructions for i, data in enumerate(CORPUS)}
HEADS = {(len(data), data[:PLACES[i][0][0]]): i for i, data in enumerate(CORPUS)}


def _which(data: bytes) -> int:
    return next(i for (size, head), i in HEADS.items() if len(data) == size and data.startswith(head))


def make(rng: random.Random) -> bytes:
    return mutate(rng.choice(CORPUS), rng)


def mutate(data: bytes, rng: random.Random) -> bytes:
    out, which = bytearray(data), _which(data)
    first, size = rng.choice(PLACES[which])
    kind = rng.randrange(6)
    if kind == 0:
        _field(out, first + rng.randrange(min(size, 32)), rng.choice((1, 2, 4, 8)), rng)
    elif kind == 1:
        _field(out, first + rng.randrange(size), rng.choice((1, 2, 4, 8)), rng)
    elif kind == 2:
        out[first + rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind == 3:
        at = first + rng.randrange(size)
        out[at:first + size] = bytes(rng.choice((0, 0xFF, 0x80)) for _ in range(1)) * (first + size - at)
    elif kind == 4:
        at, length = rng.randrange(size), rng.choice((1, 4, 16, 64))
        source = rng.randrange(size)
        piece = bytes(out[first + source:first + min(source + length, size)])[:size - at]
        out[first + at:first + at + len(piece)] = piece
    else:
        for _ in range(8):
            out[first + rng.randrange(size)] = rng.randrange(256)
    # A change of the last field may reach behind its section: what is no debug information is put back.
    at = 0
    for start, length in sorted([*PLACES[which], (len(data), 0)]):
        out[at:start] = CORPUS[which][at:start]
        at = start + length
    return bytes(out[:len(data)])


def check(data: bytes, rng: random.Random) -> str:
    """The reader of lines alone; one object in ten is loaded whole."""
    if rng.random() < 0.9:
        lines = DebugLines(data, source_of(data))
        numbers = [lines.at(offset) for offset in range(0, 256, 4)]
        assert all(type(number) is int for number in numbers), "a line has no number"
        return "lines" if any(numbers) else "no lines"
    program = load_object(data)
    whole = WHOLE[len(data), data[:PLACES[_which(data)][0][0]]]
    assert program.instructions == whole, "damage of debug information changes the instructions"
    return "with lines" if program.origins else "without lines"


if __name__ == "__main__":
    sys.exit(Fuzz("lines", make, mutate, check, NeonsimError, Box.make()).main())
