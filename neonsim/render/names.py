"""Registers by name: where in a recorded state they are, what a kernel calls them, and their lanes as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from neonsim.errors import BadArgument
from neonsim.isa import WORD_BYTES
from neonsim.isa.syntax.places import FLAG_BITS
from neonsim.machine.known import Marked, hex_of

if TYPE_CHECKING:
    from neonsim.machine.dataflow import LaneEdge

__all__ = ["TYPE_BYTES", "UNWRITTEN", "Marked", "Names", "drawn", "expression_text", "hex_of", "lane_name",
           "lane_values", "locate", "names_by_register", "printable", "sources_drawn"]

TYPE_BYTES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f32": 4, "f16": 2}
REGISTER_BYTES = {"v": 16, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1, "x": 8, "w": 4, "r": 4}
LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}
UNWRITTEN = "--"  # in place of a value that nobody has written

Names = Mapping[str, str] | Mapping[str, Sequence[str]]


def locate(register: str, isa: str) -> tuple[str, int, int]:
    """Location of a trace that holds a register, first byte in it, number of bytes.

    >>> locate("d17", "aarch32"), locate("v3", "aarch64")
    (('q8', 8, 8), ('v3', 0, 16))
    """
    match = re.fullmatch(r"([vqdshbxwr])(\d+)", register)
    if match is None:
        return register, 0, 1 if register in FLAG_BITS else WORD_BYTES[isa]
    kind, number = match[1], int(match[2])
    size = REGISTER_BYTES[kind]
    if kind in "xw":
        return f"x{number}", 0, size
    if kind == "r":
        return register, 0, size
    if isa == "aarch64":
        return f"v{number}", 0, size
    return f"q{number * size // 16}", number * size % 16, size


DRAWN = re.compile(r"[vqdshbxwr]\d+|sp|mem")
CORE_LANE = re.compile(r"\b([xr]\d+|sp)\.x(?:32|64)\[0\]")


def expression_text(edge: LaneEdge) -> str:
    """The arithmetic of an edge; a general register is one number and needs no lane: `x1`, not `x1.x64[0]`."""
    return CORE_LANE.sub(r"\1", edge.expression)


def sources_drawn(edge: LaneEdge) -> list[tuple[str, str, int]]:
    """The sources that a picture has a box for: registers and memory, not flags or the program counter."""
    return [source for source in edge.sources if DRAWN.fullmatch(source[0])]


def drawn(edges: Iterable[LaneEdge]) -> list[LaneEdge]:
    """The edges that make registers and memory; flags and the program counter are said in words."""
    return [edge for edge in edges if DRAWN.fullmatch(edge.destination[0])]


def printable(type_name: str) -> str:
    """The type to print lanes in: x16 (the sign does not matter) is printed as u16, unknown ones as bytes."""
    plain = type_name if type_name in TYPE_BYTES else f"u{type_name[1:]}"
    return plain if plain in TYPE_BYTES else "u8"


def lane_values(data: bytes, type_name: str) -> list[str]:
    """The lanes of some bytes as text, lane 0 first. Of `Marked` bytes a lane that nobody has written is "--", one that
    is written in part its digits, "--" for each byte that is not.

    >>> lane_values(bytes([255, 255, 1, 0]), "s16")
    ['-1', '1']
    >>> lane_values(Marked(bytes([255, 255, 1, 165, 165, 165]), bytes([1, 1, 1, 0, 0, 0])), "s16")
    ['-1', '0x--01', '--']
    """
    kind, size = {"u": "u", "s": "i", "f": "f"}[type_name[0]], TYPE_BYTES[type_name]
    values = np.frombuffer(data, f"<{kind}{size}")
    texts = [f"{value:.6g}" if kind == "f" else str(int(value)) for value in values]
    known = getattr(data, "known", None)
    if known is None or all(known):
        return texts
    return [text if all(known[k:k + size]) else f"0x{hex_of(data[k:k + size])}" if any(known[k:k + size]) else UNWRITTEN
            for k, text in zip(range(0, len(data), size), texts, strict=True)]


def lane_name(register: str, type_name: str, lane: int, isa: str) -> str:
    """A lane as the ISA writes it: v8.s[3] (A64), d4.s16[1] (A32)."""
    if re.fullmatch(r"[xwr]\d+|sp", register):
        return register
    if register == "mem":
        return f"mem[{lane}]"
    return f"{register}.{type_name if isa == 'aarch32' else LETTERS[TYPE_BYTES[type_name]]}[{lane}]"


def names_by_register(names: Names | None) -> dict[str, str]:
    """Register -> name, from that itself or from a kernel header's name -> registers.

    >>> names_by_register({"va0": ("q0",), "vacc[0]": ("q8", "q9")})
    {'q0': 'va0', 'q8': 'vacc[0] lo', 'q9': 'vacc[0] hi'}
    """
    result: dict[str, str] = {}
    for key, value in (names or {}).items():
        if isinstance(key, str) and isinstance(value, str):
            result[key] = value
        elif isinstance(key, str) and isinstance(value, Sequence):
            halves = {1: [""], 2: [" lo", " hi"]}
            parts = halves.get(len(value), [f"[{k}]" for k in range(len(value))])
            result.update({str(register): key + part for register, part in zip(value, parts, strict=True)})
        else:
            raise BadArgument(f"names maps a register to its name, or a name to its registers; got {key!r}: {value!r}")
    return result
