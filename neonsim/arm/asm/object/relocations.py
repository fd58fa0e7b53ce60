"""What object files ask for: kinds of relocations by number, the functions every compiler takes for granted, and the
AArch32 instructions that Capstone 5 does not know."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from neonsim.arm.semantics import CONDITIONS

__all__ = ["RELOCATIONS", "Kind", "extra_encoding"]


class Kind(NamedTuple):
    """What a relocation asks for: how its place is written, and how wide it is in data."""

    encoding: str
    nbytes: int = 0


def _kinds(text: str) -> dict[int, Kind]:
    kinds: dict[int, Kind] = {}
    for line in text.strip().splitlines():
        way, *numbers = line.split()
        for number in numbers:
            kinds[int(number)] = Kind(way.rstrip("0123456789"), int(re.sub(r"\D", "", way) or 0) // 8)
    return kinds


# Numbers of IHI 0056: ABS64 257, ABS32 258, PREL64 260, PREL32 261, MOVW_UABS_G0..G3 263..269, LD_PREL_LO19 273,
# ADR_PREL_LO21 274, ADR_PREL_PG_HI21 275 276, ADD_ABS_LO12 277, LDST8 278, TSTBR14 279, CONDBR19 280, JUMP26 282,
# CALL26 283, LDST16 284, LDST32 285, LDST64 286, LDST128 299, ADR_GOT_PAGE 311, LD64_GOT_LO12 312, PLT32 314.
_A64: Final = _kinds("""
    label 273 274 275 276 279 280 282 283
    low 277 278 284 285 286 299
    gotpage 311
    gotlow 312
    g 263 264 265 266 267 268 269
    absolute64 257
    absolute32 258
    relative64 260
    relative32 261 314
    none 0 256
""")
# Numbers of IHI 0044: PC24 1, ABS32 2, REL32 3, CALL 28, JUMP24 29, TARGET1 38, V4BX 40, MOVW_ABS 43, MOVT_ABS 44,
# GOTOFF32 24, BASE_PREL 25, GOT_BREL 26, PLT32 27, GOT_PREL 96.
_A32: Final = _kinds("""
    label 1 27 28 29
    lower 43
    upper 44
    absolute32 2 38
    relative32 3
    gotrelative32 96
    gotbase32 25
    gotslot32 26
    gotoffset32 24
    none 0 40
""")

RELOCATIONS: Final = {"aarch64": _A64, "aarch32": _A32}

# AArch32 matrix multiplies and mixed-sign dot products: fixed bits, mnemonic, whether a lane stands last; and bfloat16.
# Source: DDI 0487 F6.1 VSMMLA, VUMMLA, VUSMMLA, VUSDOT, VSUDOT, VCVT (from single-precision to BFloat16), VCVTB, VCVTT.
_ROWS: Final = (
    (0xFC200C40, "vsmmla.s8", False), (0xFC200C50, "vummla.u8", False), (0xFCA00C40, "vusmmla.s8", False),
    (0xFCA00D00, "vusdot.s8", False), (0xFE800D00, "vusdot.s8", True), (0xFE800D10, "vsudot.u8", True),
)


def extra_encoding(word: int) -> tuple[str, str] | None:
    """(mnemonic, operands) of a word that Capstone has no row for, None if there is none here either."""
    if word == 0xF57FF070:
        return "sb", ""
    if word & 0xFFBF0FD1 == 0xF3B60640:
        return "vcvt.bf16.f32", f"d{word >> 12 & 15 | word >> 18 & 16}, q{(word & 15 | word >> 1 & 16) // 2}"
    if word & 0x0FBF0F50 == 0x0EB30940 and word >> 28 < 15:
        half, condition = "t" if word >> 7 & 1 else "b", (*CONDITIONS[:-1], "")[word >> 28]
        return (f"vcvt{half}{condition}.bf16.f32",
                f"s{word >> 11 & 30 | word >> 22 & 1}, s{word << 1 & 30 | word >> 5 & 1}")
    for bits, mnemonic, lane in _ROWS:
        wide = 1 << 6 if "dot" in mnemonic else 0  # bit 6 says q registers, where both are possible
        if word & (0xFFB00F10 | (0 if wide else 0x40)) != bits:
            continue
        quad = not wide or bool(word & wide)
        d = (word >> 12 & 15) | (word >> 18 & 16)
        n = (word >> 16 & 15) | (word >> 3 & 16)
        m = (word & 15) | (0 if lane else word >> 1 & 16)
        if quad and (d | n | (0 if lane else m)) & 1:
            return None
        names = [f"q{r // 2}" if quad else f"d{r}" for r in (d, n)]
        names.append(f"d{m}[{word >> 5 & 1}]" if lane else f"q{m // 2}" if quad else f"d{m}")
        return mnemonic, ", ".join(names)
    return None
