"""Registers by name: where in a recorded state they are, what a kernel calls them, and their lanes as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.isa import WORD_BYTES, Instruction
from neonsim.arm.isa.operands.locations import FLAG_BITS
from neonsim.arm.machine.trace.dataflow import LaneEdge, dataflow
from neonsim.arm.machine.trace.definedness import ShadowBytes, hex_of
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from neonsim.arm.asm import Program

__all__ = [
    "TYPE_BYTES",
    "UNWRITTEN",
    "VECTOR",
    "Names",
    "ShadowBytes",
    "Signed",
    "expression_text",
    "hex_of",
    "lane_edges",
    "lane_name",
    "lane_values",
    "locate",
    "names_by_register",
    "numbers_of",
    "printable",
    "signed_sums",
    "sources_drawn",
    "width_of",
]

TYPE_BYTES = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f32": 4, "f16": 2,
              "f64": 8, "bf16": 2}
DIGITS = {"f16": 5, "bf16": 4, "f32": 6, "f64": 10}  # of real numbers; those of 16 bits are told apart by n
REGISTER_BYTES = {"v": 16, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1, "x": 8, "w": 4, "r": 4}
LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}
UNWRITTEN = "--"  # in place of an uninitialized value

Names = Mapping[str, str] | Mapping[str, Sequence[str]]
Signed = frozenset[tuple[str, str]]


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
VECTOR = re.compile(r"[vqdshb]\d")
WIDTHS = re.compile(r"\.(x16|x32|x64)\[")
UNSIGNED = re.compile(r"\b([vqdshb]\d+)\.(u(8|16|32|64))\[")
CORE_LANE = re.compile(r"\b([xr]\d+|sp)\.x(?:32|64)\[0\]")


def expression_text(edge: LaneEdge) -> str:
    """Return the arithmetic of an edge; a general register is one number and needs no lane: `x1`, not `x1.x64[0]`."""
    return CORE_LANE.sub(r"\1", edge.expression)


def sources_drawn(edge: LaneEdge) -> list[tuple[str, str, int]]:
    """Return the sources that a picture has a box for: registers and memory, not flags or the program counter."""
    return [source for source in edge.sources if DRAWN.fullmatch(source[0])]


def lane_edges(instruction: Instruction, signed: Signed = frozenset()) -> list[LaneEdge]:
    """Return the dataflow of an instruction as pictures show it: what makes registers and memory (flags and the program
    counter are said in words), and lanes that the meaning takes for bits as the numbers that they are to a reader.

    signed   of the program that it belongs to (`signed_sums`)
    """
    kinds = _numbers_in(instruction)

    def said(lane: tuple[str, str, int]) -> tuple[str, str, int]:
        register, kind, number = lane
        if (register, kind) in signed:
            return register, f"s{kind[1:]}", number
        return register, kinds.get(kind, kind) if VECTOR.match(register) else kind, number

    def text(match: re.Match[str]) -> str:
        return f"{match[1]}.s{match[3]}[" if (match[1], match[2]) in signed else match[0]
    return [replace(edge, destination=said(edge.destination), sources=tuple(map(said, edge.sources)),
                    expression=UNSIGNED.sub(text, WIDTHS.sub(lambda m: f".{kinds.get(m[1], m[1])}[", edge.expression)))
            for edge in dataflow(instruction) if DRAWN.fullmatch(edge.destination[0])]


@lru_cache(maxsize=8)
def signed_sums(program: Program) -> Signed:
    """(register, element) of sums that instructions for unsigned numbers add to, and that the rest of the program takes
    as signed: ("q8", "u32") of VPADAL.U16, where VQRDMULH.S32 scales q8. The bits are the same, the sums are signed.
    """
    each = {str(one): one for one in program.instructions}.values()
    if not any(_adds_unsigned(one) for one in each):
        return frozenset()
    added: set[tuple[str, str]] = set()
    read: dict[str, set[tuple[str, str]]] = {"s": set(), "u": set()}
    for instruction in each:
        for edge in dataflow(instruction):
            for register, kind, number in edge.sources:
                if not VECTOR.match(register) or kind[0] not in read:
                    continue
                itself = (register, kind, number) == edge.destination
                if itself and kind[0] == "u" and edge.expression.startswith(f"{register}.{kind}[{number}] + "):
                    added.add((register, kind))
                else:
                    read[kind[0]].add((locate(register, program.isa)[0], width_of(kind)))
    return frozenset((register, kind) for register, kind in added
                     if (locate(register, program.isa)[0], width_of(kind)) in read["s"] - read["u"])


def _adds_unsigned(instruction: Instruction) -> bool:
    """Whether it may add to lanes of its own that it takes as unsigned."""
    own = [one.places for one in instruction.resolved.results if one.kind == "lanes"]
    return any(one.kind == "lanes" and one.type is not None and one.type.name[0] == "u" and one.places in own
               for one in instruction.resolved.sources)


def _numbers_in(instruction: Instruction) -> dict[str, str]:
    """Type of bits -> type of numbers, of what is only moved, or has no type of its own here (BF16)."""
    meaning, stem = instruction.form.semantics, instruction.form.stem
    if meaning.feature == "bf16":
        return {"x16": "bf16", "u16": "bf16"}
    if stem in ("FMOV", "FJCVTZS") or (stem.startswith("VMOV") and {t.kind for t in instruction.form.types} == {"f"}):
        return {"x16": "f16", "x32": "f32", "x64": "f64"}
    return {}


def printable(type_name: str) -> str:
    """Return the type to print lanes in: x16 (the sign does not matter) is printed as u16, unknown ones as bytes."""
    plain = type_name if type_name in TYPE_BYTES else f"u{width_of(type_name)}"
    return plain if plain in TYPE_BYTES else "u8"


def numbers_of(data: bytes, type_name: str) -> NDArray[Any]:
    """Return the lanes of some bytes as numbers, lane 0 first; BF16, which numpy has not, as the float32 that it is
    half of.

    >>> numbers_of(bytes([0, 0, 128, 63]), "bf16").tolist()
    [0.0, 1.0]
    """
    if type_name == "bf16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, f"<{ {'s': 'i'}.get(type_name[0], type_name[0])}{TYPE_BYTES[type_name]}")


def width_of(type_name: str) -> str:
    """Return the bits of an element type as text: "16" of x16, s16, f16 and bf16."""
    return type_name.lstrip("bfsux")


def lane_values(data: bytes, type_name: str) -> list[str]:
    """Return the lanes of some bytes as text, lane 0 first.

    An uninitialized lane of `ShadowBytes` is "--"; one that is written in part has "--" for each byte that is not.

    >>> lane_values(bytes([255, 255, 1, 0]), "s16")
    ['-1', '1']
    >>> lane_values(ShadowBytes(bytes([255, 255, 1, 165, 165, 165]), bytes([1, 1, 1, 0, 0, 0])), "s16")
    ['-1', '0x--01', '--']
    """
    size = TYPE_BYTES[type_name]
    texts = [f"{value:.{DIGITS[type_name]}g}" if type_name in DIGITS else str(int(value))
             for value in numbers_of(data, type_name)]
    known = getattr(data, "defined", None)
    if known is None or all(known):
        return texts
    return [text if all(known[k:k + size]) else f"0x{hex_of(data[k:k + size])}" if any(known[k:k + size]) else UNWRITTEN
            for k, text in zip(range(0, len(data), size), texts, strict=True)]


def lane_name(register: str, type_name: str, lane: int, isa: str) -> str:
    """Return a lane as the ISA writes it: v8.s[3] (A64), d4.s16[1] (A32)."""
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
            raise BadArgument(f"names must map a register to its name, or a name to its registers; got {key!r}: "
                              f"{value!r}")
    return result
