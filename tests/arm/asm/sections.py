"""The sections of an object file beside those of the program that was made of it, byte by byte."""

from __future__ import annotations

import io
import itertools

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from neonsim.arm.asm import Program

__all__ = ["CONSTANTS", "differences"]

# Data of every kind that compilers put into an object: pools among the code, tables, strings, zeros, addresses.
CONSTANTS = """
#include <arm_neon.h>
static const double table[5] = {1.5, -2.25, 1e300, 0.1, -0.0};
const char *const words[3] = {"one", "two \\x01\\xff", ""};
static uint8_t bytes[37] = {1, 2, 3, [36] = 255};
int zeros[40];
void eight(uint8_t *o) { vst1_u8(o, vcreate_u8(0x8877665544332211ull)); }
void scale(const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * 1.2345f + 0.1f; }
void lanes(int16_t *o) { int16x8_t v = {1, -2, 300, -400, 5000, -6000, 32767, -32768}; vst1q_s16(o, v); }
double entry(int i) { return table[i] * 3.25 + bytes[i] + zeros[i]; }
const char *word(int i) { zeros[i] += 1; bytes[i] += 1; return words[i]; }
int chosen(int i, int x) {
    switch (i) {
    case 0: return x * 7; case 1: return x - 123456789; case 2: return x ^ 0x12345678; case 3: return x / 3;
    case 4: return x + 1; case 5: return ~x; case 6: return x * x * x; default: return 0;
    }
}
"""
_WIDTH = {257: 8, 258: 4, 260: 8, 261: 4, 314: 4}   # of AArch64's relocations in data; AArch32's are 4 bytes wide


def differences(program: Program, data: bytes) -> list[str]:
    """What is loaded with other bytes than the file has, apart from what is relocated; and what is not there."""
    elf = ELFFile(io.BytesIO(data))
    sections = list(elf.iter_sections())
    symbols = [s for table in sections if isinstance(table, SymbolTableSection) for s in table.iter_symbols()]
    relocated: dict[int, set[int]] = {}
    for table in sections:
        if isinstance(table, RelocationSection):
            for entry in table.iter_relocations():
                width = _WIDTH.get(entry["r_info_type"], 4) if elf.elfclass == 64 else 4
                relocated.setdefault(table["sh_info"], set()).update(
                    range(entry["r_offset"], entry["r_offset"] + width))
    found = []
    places = {name: (section, offset) for name, section, offset in program.places}
    for index, section in enumerate(sections):
        flags = section["sh_flags"]
        if not flags & 2 or not section["sh_size"] or section["sh_type"] not in ("SHT_PROGBITS", "SHT_NOBITS"):
            continue
        if section.name.startswith((".eh_frame", ".ARM.ex", ".note", ".gcc_except")):
            continue
        holes = relocated.get(index, set())
        if flags & 4:
            # Where the code of the section begins: by a function in it.
            start = next((program.offsets[program.symbols[s.name]] - s["st_value"] for s in symbols
                          if s["st_shndx"] == index and s["st_info"]["type"] == "STT_FUNC"
                          and s.name in program.symbols), None)
            if start is None:
                continue
            marks = sorted((s["st_value"], s.name[1]) for s in symbols
                           if s["st_shndx"] == index and s.name[:2] in ("$d", "$x", "$a"))
            among = {run.offset: run.contents for run in program.data if run.offset is not None}
            there = {offset + at: byte for offset, contents in among.items() for at, byte in enumerate(contents)}
            for (low, kind), (high, _) in itertools.pairwise([*marks, (section["sh_size"], "")]):
                for at in range(low, high) if kind == "d" else ():
                    # Tables of branches have instructions for their addresses.
                    if at not in holes and there.get(start + at, section.data()[at]) != section.data()[at]:
                        found.append(f"{section.name}+{at:#x}")
            continue
        named = next((places[s.name] for s in symbols if s["st_shndx"] == index and s.name in places), None)
        own = [s for s in program.data if s.name in (section.name, f"{section.name}.{index}")]
        loaded = program.data[named[0]] if named is not None else own[0] if own else None
        if loaded is None or len(loaded.contents) != section["sh_size"]:
            found.append(f"{section.name}: {section['sh_size']} bytes, "
                         f"{'nothing' if loaded is None else len(loaded.contents)} loaded")
            continue
        if section["sh_type"] == "SHT_NOBITS":
            found += [f"{section.name} is not zero"] * any(loaded.contents)
        else:
            found += [f"{section.name}+{at:#x}" for at, (a, b) in enumerate(zip(loaded.contents, section.data(),
                                                                               strict=True))
                      if a != b and at not in holes]
    return found
