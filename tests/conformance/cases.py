"""The lines that are run: what GNU as and our assembler both take, in several flavours of registers.

    cases("aarch64")       [(line, word), ...]; deterministic
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection
from typing import Final

from corpus import FLAVORS, conditional, shapes, write
from oracle import assemble

from neonsim.arm.asm.parse.operands import OperandParser
from neonsim.arm.asm.text.source import Line
from neonsim.arm.isa import Instruction, SourcePosition, forms, select_form
from neonsim.errors import AssemblyError

Part = tuple[int, int]
WHOLE: Final[Part] = (0, 1)
PARTS: Final = 12  # tests of all lines come in so many, each a minute or two
CONDITIONS: Final = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
KEPT: Final = 3  # recorded lines of one kind
# The window of memory is 512 bytes and the pointers stand in its middle.
_FAR: Final = re.compile(r"\[[^\]]*#-?(?:1[3-9]\d|[2-9]\d\d|\d{4,})|\[[a-z][^\]]*\], #-?(?:1[3-9]\d|[2-9]\d\d|\d{4,})")
_WILD: Final = re.compile(r"\[r12, (?:r8, r|sp)")  # rotated or added to another pointer
# QEMU 7.2 fills the register above the half with copies of its sign; the manual has zeros there (machine/test_float).
_MISTAKEN: Final = re.compile(r"fcvtzs h\d+, h\d+, #")
# LDRD and STRD fault where an address is no multiple of 4.
_UNALIGNED: Final = re.compile(r"(?:ld|st)rd .*#(?:-17|-1|1|6)\b")


def decoder(isa: str) -> Callable[[str], Instruction | None]:
    """line -> Instruction, or None where our assembler refuses it."""
    parser = OperandParser(isa, ())

    def one(line: str) -> Instruction | None:
        head, _, tail = line.partition(" ")
        try:
            operands = parser.parse(Line("case", 1, line), tail, len(head) + 2)
            return select_form(isa, head, operands, position=SourcePosition("case", 1, 1, len(head), line))
        except AssemblyError:
            return None

    return one


def enumerated(isa: str, families: Collection[str] = (), part: Part = WHOLE) -> dict[str, str]:
    """{line: shape} of everything written in the flavour "distinct", fitting or not; of all families or some, and of
    the forms of a part.
    """
    return {write(shape, "distinct", form.isa == "a64"): shape for form in forms(isa)
            if (not families or form.semantics.family in families)
            and zlib.crc32(form.template.encode()) % part[1] == part[0] for shape in shapes(form)}


def cases(isa: str, *, flavors: int = len(FLAVORS) - 1, families: Collection[str] = (),
          part: Part = WHOLE) -> list[tuple[str, int]]:
    """(line, word) of all lines to run: every accepted shape with distinct registers and in `flavors` of the others.

    families   only lines that mean something of these, if any are given
    part       only the shapes of some forms: (number of the part, how many parts there are)
    """
    decoded = decoder(isa)
    a64 = isa == "aarch64"
    accepted = [(line, shape) for line, shape in enumerated(isa, families, part).items() if decoded(line) is not None]
    words = assemble(isa, [line for line, _ in accepted])
    lines: dict[str, None] = {}
    for (line, shape), word in zip(accepted, words, strict=True):
        if word is None or _FAR.search(line) or _WILD.search(line) or _UNALIGNED.match(line) or _MISTAKEN.match(line):
            continue
        lines[line] = None
        turn = zlib.crc32(line.encode())
        others = FLAVORS[1:]
        for step in range(flavors):
            lines[write(shape, others[(turn + step) % len(others)], a64)] = None
        instruction = decoded(line)
        if instruction is not None and instruction.form.conditional:
            lines[conditional(instruction.form, line, CONDITIONS[turn % len(CONDITIONS)])] = None
    runnable = []
    for line in lines:
        instruction = decoded(line)
        # What writes the rules of floating point refuses all others: test_rules has it.
        if instruction is not None and not instruction.is_branch and "zero" not in instruction.form.options and (
                not families or instruction.form.semantics.family in families):
            runnable.append(line)
    return [(line, word) for line, word in zip(runnable, assemble(isa, runnable), strict=True) if word is not None]


def skeleton(instruction: Instruction) -> str:
    """What a line is without its numbers and its condition: lines of one kind have it in common. A rotation stays."""
    mnemonic, _, operands = str(instruction).partition(" ")
    if instruction.condition is not None:
        base, dot, suffix = mnemonic.partition(".")
        mnemonic = base.removesuffix(instruction.condition) + dot + suffix
    turned = operands.rpartition("#")[2] if re.match("v?f?c(mla|add)", mnemonic) else ""
    bare = re.sub(r"(?<=[a-z:])\d+\b(?!\.)|(?<=[a-z])\d+(?=\.)|-?\b(?<!\.)\d+\b", "", operands)
    return f"{mnemonic} {bare}{turned}"


def unit(instruction: Instruction) -> tuple[object, ...]:
    """What counts as one form in the corpus: a line of syntax with its mnemonic, element type and width chosen."""
    form = instruction.form
    name = form.stem if form.isa == "a32" else instruction.mnemonic
    return form.template, name, instruction.sets_flags, instruction.element, instruction.width


def chosen(isa: str, families: Collection[str] = ()) -> dict[str, list[tuple[str, int, Instruction]]]:
    """The lines that are recorded, by family: `KEPT` of each kind, first those with the lowest checksum."""
    decoded = decoder(isa)
    kinds: dict[tuple[str, str, str], list[tuple[str, int, Instruction]]] = {}
    for line, word in distinct(isa, cases(isa, flavors=1, families=families)):
        instruction = decoded(line)
        assert instruction is not None
        form = instruction.form
        kinds.setdefault((form.semantics.family, form.template, skeleton(instruction)), []).append(
            (line, word, instruction))
    found: dict[str, list[tuple[str, int, Instruction]]] = {}
    for (family, _, _), lines in kinds.items():
        found.setdefault(family, []).extend(sorted(lines, key=lambda one: zlib.crc32(one[0].encode()))[:KEPT])
    return found


def distinct(isa: str, listed: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """One line per word and form: VADD.S32 and VADD.I32 are the same instruction."""
    decoded = decoder(isa)
    seen: dict[tuple[int, str], str] = {}
    for line, word in listed:
        instruction = decoded(line)
        assert instruction is not None
        seen.setdefault((word, instruction.form.template), line)
    return [(line, word) for (word, _), line in seen.items()]
