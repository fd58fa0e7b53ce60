"""Fuzzing of object files: damaged headers, sections, symbols, relocations, code; then the listing, a run.

    python tests/fuzz/fuzz_object.py --inputs 300000 --seed 1

Inputs are the objects of tests/arm/asm/objects and, where cross compilers are installed, one kernel of each instruction
set and two small C files, damaged where it matters: fields of the ELF header, of section headers, symbols and
relocations get numbers at their ends, words of code are swapped, bytes are changed, files are cut.
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

from fuzz_text import executed
from harness import ROOT, Box, Fuzz

from neonsim.arm.asm import assemble, load_object
from neonsim.errors import NeonsimError

SOURCES = {
    "loop.c": "#include <arm_neon.h>\nint table[4] = {1, 2, 3, 4};\nvoid f(uint8_t *d, const uint8_t *a, long n)\n"
              "{ for (long i = 0; i < n; i += 16)\n"
              "vst1q_u8(d + i, vaddq_u8(vld1q_u8(a + i), vdupq_n_u8(table[i & 3]))); }",
    "switch.c": "extern int g(int);\nint h(int x) { switch (x) { case 0: return 7; case 1: return 9; case 2: return 1; "
                "case 3: return 4; case 4: return 44; } return 0; }\nstatic int z[99]; int *p = z + 3;\n",
}
COMPILERS = {"aarch64": ["aarch64-linux-gnu-gcc"], "aarch32": ["arm-linux-gnueabihf-gcc", "-marm", "-mfpu=neon"]}
ENDS = (0, 1, 2, 3, 4, 7, 8, 16, 63, 64, 255, 256, 0x7FFF, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF, 0x10000, 0x7FFFFFFF,
        0x80000000, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


def _corpus() -> list[bytes]:
    found = [path.read_bytes() for path in sorted((ROOT / "tests" / "arm" / "asm" / "objects").glob("*.o"))]
    with tempfile.TemporaryDirectory() as folder:
        for isa, command in COMPILERS.items():
            if shutil.which(command[0]) is None:
                continue
            sources = [Path(folder) / name for name in SOURCES]
            for path in sources:
                path.write_text(SOURCES[path.name])
            sources += sorted((ROOT / "kernels").rglob(f"*_sumrows_*{isa}*.S"))
            for path in sources:
                out = Path(folder) / "a.o"
                with contextlib.suppress(subprocess.CalledProcessError):
                    subprocess.run([*command, "-O2", "-c", str(path), "-o", str(out)], check=True, capture_output=True)
                    found.append(out.read_bytes())
    return found


CORPUS = _corpus()


def make(rng: random.Random) -> bytes:
    return rng.choice(CORPUS)


def _headers(data: bytes) -> tuple[int, int, int, int]:
    """(offset, entry size, count of section headers, 64 or 32)."""
    if data[4:5] == b"\2" and len(data) >= 64:
        offset = struct.unpack_from("<Q", data, 0x28)[0]
        size, count = struct.unpack_from("<HH", data, 0x3A)
        return offset, size, count, 64
    if len(data) >= 52:
        offset = struct.unpack_from("<I", data, 0x20)[0]
        size, count = struct.unpack_from("<HH", data, 0x2E)
        return offset, size, count, 32
    return 0, 0, 0, 32


def _field(data: bytearray, at: int, size: int, rng: random.Random) -> None:
    if not 0 <= at <= len(data) - size:
        return
    old = int.from_bytes(data[at:at + size], "little")
    new = rng.choice((rng.choice(ENDS), old + rng.choice((-1, 1, 4, -4, 8)), old ^ 1 << rng.randrange(8 * size),
                      rng.randrange(len(data) + 16)))
    data[at:at + size] = (new & (1 << 8 * size) - 1).to_bytes(size, "little")


def mutate(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    if len(out) < 64:
        return bytes(out) or make(rng)
    offset, entry, count, bits = _headers(data)
    kind = rng.randrange(10)
    if kind == 0:
        _field(out, rng.randrange(64), rng.choice((1, 2, 4, 8)), rng)
    elif kind in (1, 2, 3) and entry and count:
        section = offset + entry * rng.randrange(count)
        word = bits // 8
        fields = (0, 4, 8, 8 + word, 8 + 2 * word, 8 + 3 * word, 8 + 4 * word, 12 + 4 * word)
        if kind == 1 or section + entry > len(out):
            _field(out, section + rng.choice(fields), rng.choice((4, word)), rng)
        else:  # what the section holds: symbols, relocations, names, code
            start = int.from_bytes(out[section + 8 + 2 * word:section + 8 + 3 * word], "little")
            size = int.from_bytes(out[section + 8 + 3 * word:section + 8 + 4 * word], "little")
            if 0 < size <= len(out) and start < len(out):
                _field(out, start + rng.randrange(size) // 4 * 4, rng.choice((1, 2, 4, 8)), rng)
    elif kind == 4:
        del out[rng.randrange(len(out)):]
    elif kind == 5:
        at, other = rng.randrange(len(out)), make(rng)
        size = rng.choice((4, 8, 16, 24, 64, 256))
        source = rng.randrange(max(len(other) - size, 1))
        out[at:at + size] = other[source:source + size]
    elif kind == 6:
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    elif kind == 7:
        at = rng.randrange(len(out)) // 4 * 4
        out[at:at + 4] = rng.randbytes(4)
    elif kind == 8:
        at = rng.randrange(len(out))
        out[at:at] = rng.randbytes(rng.choice((1, 4, 8, 64)))
    else:
        for _ in range(8):
            out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out[:1 << 16])


def check(data: bytes, rng: random.Random) -> str:
    program = load_object(data)
    if rng.random() < 0.1:
        assert assemble(str(program), isa=program.isa) == program, "the listing is another program"
    if rng.random() < 0.3 and program.instructions:
        return executed(program, rng)
    return "loaded"


if __name__ == "__main__":
    sys.exit(Fuzz("object", make, mutate, check, NeonsimError, Box.make()).main())
