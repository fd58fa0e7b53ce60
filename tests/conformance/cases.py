"""The lines that are run: what GNU as and our assembler both take, in several flavours of registers.

    cases("aarch64")       [(line, word), ...]; deterministic
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import Final

from corpus import FLAVOURS, conditional, shapes, write
from oracle import assemble

from neonsim.asm.operands import OperandParser
from neonsim.asm.source import Place
from neonsim.errors import AssemblyError
from neonsim.isa import Instruction, Where, decode, forms

CONDITIONS: Final = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
# The window of memory is 512 bytes and the pointers stand in its middle.
_FAR: Final = re.compile(r"\[[^\]]*#-?(?:1[3-9]\d|[2-9]\d\d|\d{4,})|\], #-?(?:1[3-9]\d|[2-9]\d\d|\d{4,})")
_WILD: Final = re.compile(r"\[r12, (?:r8, r|sp)")  # rotated or added to another pointer
# LDRD and STRD fault where an address is no multiple of 4.
_UNALIGNED: Final = re.compile(r"(?:ld|st)rd .*#(?:-17|-1|1|6)\b")


def decoder(isa: str) -> Callable[[str], Instruction | None]:
    """line -> Instruction, or None where our assembler refuses it."""
    parser = OperandParser(isa, ())

    def one(line: str) -> Instruction | None:
        head, _, tail = line.partition(" ")
        try:
            operands = parser.parse(Place("case", 1, line), tail, len(head) + 2)
            return decode(isa, head, operands, where=Where("case", 1, 1, len(head), line))
        except AssemblyError:
            return None

    return one


def enumerated(isa: str) -> dict[str, str]:
    """{line: shape} of everything written in the flavour "distinct", fitting or not."""
    return {write(shape, "distinct", form.isa == "a64"): shape for form in forms(isa) for shape in shapes(form)}


def cases(isa: str, *, flavours: int = len(FLAVOURS) - 1) -> list[tuple[str, int]]:
    """(line, word) of all lines to run: every accepted shape with distinct registers and in `flavours` of the others.
    """
    decoded = decoder(isa)
    a64 = isa == "aarch64"
    accepted = [(line, shape) for line, shape in enumerated(isa).items() if decoded(line) is not None]
    words = assemble(isa, [line for line, _ in accepted])
    lines: dict[str, None] = {}
    for (line, shape), word in zip(accepted, words, strict=True):
        if word is None or _FAR.search(line) or _WILD.search(line) or _UNALIGNED.match(line):
            continue
        lines[line] = None
        turn = zlib.crc32(line.encode())
        others = FLAVOURS[1:]
        for step in range(flavours):
            lines[write(shape, others[(turn + step) % len(others)], a64)] = None
        instruction = decoded(line)
        if instruction is not None and instruction.form.conditional:
            lines[conditional(instruction.form, line, CONDITIONS[turn % len(CONDITIONS)])] = None
    runnable = []
    for line in lines:
        instruction = decoded(line)
        if instruction is not None and not instruction.is_branch:
            runnable.append(line)
    return [(line, word) for line, word in zip(runnable, assemble(isa, runnable), strict=True) if word is not None]


def distinct(isa: str, listed: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """One line per word and form: VADD.S32 and VADD.I32 are the same instruction."""
    decoded = decoder(isa)
    seen: dict[tuple[int, str], str] = {}
    for line, word in listed:
        instruction = decoded(line)
        assert instruction is not None
        seen.setdefault((word, instruction.form.template), line)
    return [(line, word) for (word, _), line in seen.items()]
