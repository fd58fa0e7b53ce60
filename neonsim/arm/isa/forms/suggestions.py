"""What a line that no form takes probably means: the line to write instead.

Each rule corrects one kind of typing error: another spelling of a register, or a mnemonic for another kind. `decode`
proposes a line only if it can be decoded, so what is proposed always assembles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from neonsim.arm.isa.operands.ast import Address, CoreRegister, Immediate, Operand, RegisterList, Shift, VectorRegister
from neonsim.arm.isa.operands.pattern import LETTER_BITS

__all__ = ["Suggestion", "suggest"]

Line = tuple[str, list[Operand]]


class Suggestion(NamedTuple):
    """Why a line is wrong, and the lines to choose from instead: mnemonic and operands."""

    reason: str
    lines: tuple[Line, ...]


_BITWISE: Final = frozenset(("mov", "mvn", "not", "and", "orr", "eor", "bic", "orn", "bsl", "bit", "bif", "eor3",
                             "bcax", "tbl", "tbx"))
_PLAIN_MOVES: Final = re.compile(r"(ld|st)(u?r|n?p)")
_EXTENDING: Final = frozenset(("add", "adds", "sub", "subs", "cmp", "cmn"))
# Whose low 32 bits hang on no higher ones.
_LOW_BITS: Final = frozenset(("add", "sub", "mul", "mneg", "madd", "msub", "neg", "mov", "mvn", "and", "orr", "eor",
                              "bic", "orn", "eon"))
_SHIFTS: Final = {"lsl": "shl", "lsr": "ushr", "asr": "sshr"}
_ARRANGEMENTS: Final = ("8b", "16b", "4h", "8h", "2s", "4s", "2d")
_CLOSED: Final = re.compile(r"v?(ld|st)[1-4].*|tb[lx]|vtb[lx]")
_MEMORY: Final = re.compile(r"v?(ld|st).*")


def suggest(isa: str, mnemonic: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """What the line may mean, the likeliest first.

    isa        "a64" or "a32"
    mnemonic   lower case, with its data type
    """
    if operands:
        yield from (_a64 if isa == "a64" else _a32)(mnemonic, operands)
        yield from _brackets(mnemonic, operands)
    elif (isa, mnemonic) == ("a32", "ret"):
        yield Suggestion("a function of AArch32 returns by BX", (("bx", [CoreRegister("r", 14)]),))


def _a64(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    name, said = word.upper(), f"{word.upper()} does not take such registers"
    first, last = operands[0], operands[-1]
    base, _, suffix = word.partition(".")
    if suffix in _ARRANGEMENTS:
        yield Suggestion("the arrangement stands behind each register",
                         ((base, [_arranged(o, suffix) for o in operands]),))
    yield from _loads_and_stores(word, operands)
    if word in ("mov", "dup", "fmov") and len(operands) == 2:
        yield from _moves(word, first, last)
    yield from _whole(word, operands)
    if word in ("orr", "bic") and isinstance(last, Immediate) and first == operands[1]:
        yield Suggestion(f"{name} of a constant works in place", ((word, [first, last]),))
    if len(operands) == 2 and isinstance(last, Immediate):
        yield Suggestion(f"the destination of {name} is written too", ((word, [first, *operands]),))
        if word in ("movi", "mvn"):
            yield from _constants(first, last, word == "mvn")
    yield from _of_other_registers(word, operands)
    if word in ("uaddlv", "saddlv") and isinstance(first, VectorRegister) and first.kind != "v":
        for kind in "hsd":
            yield Suggestion(f"the sum of {name} is twice as wide as the lanes", (
                (word, [replace(first, kind=kind), *operands[1:]]),))
    if all(isinstance(o, VectorRegister) and o.arrangement == "1d" and o.index is None for o in operands):
        yield Suggestion("one lane of 64 bits is a d register", ((word, [_as_scalar(o) for o in operands]),))
    if _is_scalar(last):
        yield Suggestion(said, ((word, [*operands[:-1], _as_lane(last)]),))
    yield Suggestion(said, ((word, [_first_as_scalar(o) for o in operands]),))
    yield from _widths(word, operands)


def _loads_and_stores(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """Vectors where whole registers are loaded and stored, lanes without their list."""
    first = operands[0]
    if _PLAIN_MOVES.fullmatch(word):
        yield Suggestion(f"{word.upper()} moves whole registers, q or d and not lanes", (
            (word, [_as_scalar(o) for o in operands]),))
    lane = re.fullmatch(r"(ld|st)(u?r|1)", word)
    if lane and isinstance(first, VectorRegister) and first.index is not None:
        listed = RegisterList((replace(first, index=None),), first.index, first.span)
        yield Suggestion("a lane of a list is written behind its brace", ((f"{lane[1]}1", [listed, *operands[1:]]),))
    if isinstance(first, RegisterList) and re.fullmatch(r"(ld|st)[234]", word) and all(
            isinstance(r, VectorRegister) and r.arrangement == "1d" for r in first.registers):
        yield Suggestion("registers of one lane have nothing to be taken apart", ((f"{word[:2]}1", operands),))


def _whole(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """Bits and bytes of whole registers, whatever their lanes are: of the same size."""
    last, known = operands[-1], "mov" if word == "fmov" else word
    if known in _BITWISE and (sizes := _sizes(operands)):
        yield Suggestion(f"{known.upper()} has .8b and .16b only, " + (
            "the size counts and not the lanes" if len(sizes) == 1 else "and its registers have one size"), tuple(
                (known, [_as_bytes(o, total) for o in operands]) for total in sizes))
    sizes = _sizes(operands[:-1])
    if word == "ext" and len(sizes) == 1 and isinstance(last, Immediate) and isinstance(last.value, int):
        bits = LETTER_BITS[(getattr(operands[0], "arrangement", "") or "b")[-1]]
        yield Suggestion("EXT counts in bytes", (
            ("ext", [*(_as_bytes(o, sizes[0]) for o in operands[:-1]), replace(last, value=last.value * bits // 8)]),))


def _of_other_registers(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """Mnemonics that are of another kind of register, or of counts in another place."""
    name, first, last = word.upper(), operands[0], operands[-1]
    if word in _SHIFTS and isinstance(first, VectorRegister):
        yield Suggestion(f"{name} shifts general registers", ((_SHIFTS[word], operands),))
    if word in ("lsl", "shl") and isinstance(last, VectorRegister):
        yield Suggestion(f"{name} takes no register of counts", (("ushl", operands),))
    if word in ("ushl", "sshl") and isinstance(last, Immediate):
        yield Suggestion(f"{name} takes its counts from a register", (("shl", operands),))
    if word == "fcvt" and isinstance(first, VectorRegister) and first.kind == "v":
        for known in ("fcvtl", "fcvtn"):
            yield Suggestion(f"{name} converts scalars", ((known, operands),))
    if word in ("fmla", "fmls") and all(_is_scalar(o) for o in operands):
        yield Suggestion(f"{name} takes no scalars but with a lane", (
            ("fmadd" if word == "fmla" else "fmsub", [*operands, first]),))
    if word in ("mla", "mls") and all(isinstance(o, CoreRegister) for o in operands):
        known = "madd" if word == "mla" else "msub"
        yield Suggestion(f"of general registers {name} is {known.upper()}", ((known, operands),))


def _moves(word: str, to: Operand, source: Operand) -> Iterator[Suggestion]:
    """MOV of A64 between registers of two kinds, and of constants; DUP of a scalar."""
    whole = isinstance(to, VectorRegister) and to.kind == "v" and to.index is None
    if whole and _is_scalar(source):
        yield Suggestion("one lane goes to all others", (("dup", [to, _as_lane(source)]),))
    if word == "dup":
        return
    if whole and isinstance(source, (CoreRegister, VectorRegister)) and not _bare(to):
        yield Suggestion("one number goes to all lanes", (("dup", [to, source]),))
    if isinstance(to, VectorRegister) and to.kind != "v" and isinstance(source, Immediate) and source.value == 0:
        zero = CoreRegister("x" if to.kind == "d" else "w", 31)
        yield Suggestion("zero comes from a register", (("fmov", [to, zero]),))
    if isinstance(to, VectorRegister) and isinstance(source, Immediate):
        yield Suggestion("a constant is moved",
                         (("fmov" if isinstance(source.value, float) else "movi", [to, source]),))
        yield from _constants(to, source, False)
    if _is_scalar(to) or _is_scalar(source):
        if isinstance(to, VectorRegister) and to.index is not None:
            yield Suggestion("a lane is moved", (("mov", [to, _as_lane(source)]),))
        yield Suggestion("MOV copies vectors and lanes, FMOV scalars", (("fmov", [to, source]),))
    if isinstance(to, CoreRegister) and isinstance(source, VectorRegister) and source.index is not None:
        narrow = replace(to, kind="w")
        yield Suggestion("a lane of fewer bits is extended by zeros", (("umov", [narrow, source]),))


def _constants(to: Operand, number: Immediate, inverted: bool) -> Iterator[Suggestion]:
    """A constant in every lane that MOVI takes in another way only."""
    if not isinstance(to, VectorRegister) or not isinstance(number.value, int):
        return
    lanes = replace(to, kind="v", arrangement="2d") if to.kind == "q" else to
    bits = LETTER_BITS[(lanes.arrangement or lanes.kind)[-1]] if lanes.kind != "v" or lanes.arrangement else 64
    value = ~number.value if inverted else number.value
    if value >= 1 << bits or value < -(1 << bits - 1):
        return
    positive = replace(number, value=value & (1 << bits) - 1)
    yield Suggestion("a constant is moved", (("movi", [lanes, positive]),))
    yield Suggestion("such a constant is the complement of a small one", (
        ("mvni", [lanes, replace(number, value=~value & (1 << bits) - 1)]),))


def _widths(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """w and x registers in one instruction of A64."""
    kinds = [o.kind if isinstance(o, CoreRegister) else "" for o in operands]
    if "" in kinds or len(set(kinds)) < 2:
        return
    narrow = [replace(o, kind="w") for o in operands if isinstance(o, CoreRegister)]
    if kinds[0] == "w" and word in _LOW_BITS:
        yield Suggestion("the registers of this instruction have one width", ((word, list(narrow)),))
    if word == "mov":
        yield Suggestion("MOV takes registers of one width; the first fills up with zeros, the second with the sign", (
            ("mov", list(narrow)), ("sxtw", list(operands))))
    if word in _EXTENDING and kinds[-1] == "w" and set(kinds[:-1]) == {"x"}:
        yield Suggestion(f"w{narrow[-1].number} has to be extended, by zeros or by its sign", tuple(
            (word, [*operands, Shift(kind)]) for kind in ("uxtw", "sxtw")))


def _a32(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    base, dot, data_type = word.partition(".")
    first, last = operands[0], operands[-1]
    vectors = any(isinstance(o, VectorRegister) or (isinstance(o, RegisterList) and isinstance(
        o.registers[0], VectorRegister)) for o in operands)
    if vectors:
        yield Suggestion(f"of SIMD registers this is V{base.upper()}", ((f"v{word}", operands),))
    elif base[:1] == "v":
        yield Suggestion(f"of general registers this is {base[1:].upper()}", ((word[1:], operands),))
    whole = isinstance(first, VectorRegister) and first.index is None
    quad = isinstance(first, VectorRegister) and first.kind == "q"
    if re.fullmatch(r"v?mov", base) and whole and (quad or data_type) and len(operands) == 2:
        bits = re.sub(r"\D", "", data_type) or "32" * isinstance(last, CoreRegister)
        yield Suggestion("one number goes to all lanes", ((f"vdup.{bits}", operands),))
    if data_type == "f32" and base == "vmov" and isinstance(last, Immediate) and last.value == 0:
        yield Suggestion("zero is no floating-point constant", (("vmov.i32", [first, replace(last, value=0)]),))
    if base == "movi" and whole and isinstance(last, Immediate):
        yield Suggestion("constants are moved by VMOV", (("vmov.i32", operands),))
    if (moves := re.fullmatch(r"v?(ldr|str)", base)) and quad and isinstance(last, Address) and (
            last.offset is None and not last.writeback):
        yield Suggestion(f"{base.upper()} moves no q registers", (
            (f"v{moves[1][:2]}mia", [last.base, RegisterList((first,))]),))  # type: ignore[arg-type]
    if re.fullmatch(r"i\d+", data_type):
        yield Suggestion(f"{base.upper()} is told whether its lanes have signs", tuple(
            (f"{base}.{sign}{data_type[1:]}", operands) for sign in "su"))
        yield Suggestion(f"{base.upper()} is of lanes with signs", ((f"{base}.s{data_type[1:]}", operands),))
    if base == "vcvt" and "f64" in data_type and all(isinstance(o, VectorRegister) for o in operands):
        for at, operand in enumerate(operands):  # an integer of 32 bits or single precision, in the lower half of a d
            low = replace(operand, kind="s", number=2 * operand.number)  # type: ignore[arg-type, union-attr]
            yield Suggestion("numbers of 32 bits are in s registers",
                             ((word, [*operands[:at], low, *operands[at + 1:]]),))
    if base == "vdot" and data_type[:1] in ("s", "u"):
        yield Suggestion("the sign is in the mnemonic too", ((f"v{data_type[0]}dot{dot}{data_type}", operands),))
    if isinstance(last, VectorRegister) and last.kind == "s" and (data_type[-2:] == "32" or base.endswith("dot")):
        lane = replace(last, kind="d", number=last.number // 2, index=last.number % 2)
        yield Suggestion(f"s{last.number} is a lane of d{lane.number}", ((word, [*operands[:-1], lane]),))


def _brackets(word: str, operands: list[Operand]) -> Iterator[Suggestion]:
    """Braces around one register of a list, brackets around an address."""
    found = list(operands)
    if _CLOSED.fullmatch(word):
        for at, operand in enumerate(found[:2]):
            if isinstance(operand, VectorRegister) and (at == 0) == ("tb" not in word):
                found[at] = RegisterList((operand,), None, operand.span)
                yield Suggestion("a list stands in braces", ((word, list(found)),))
    last = found[-1]
    registers = tuple(o for o in found if isinstance(o, (CoreRegister, VectorRegister)))
    if re.fullmatch("v?(push|pop)", word) and len(registers) == len(found):
        yield Suggestion("a list stands in braces", ((word, [RegisterList(registers)]),))
    if _MEMORY.fullmatch(word) and isinstance(last, CoreRegister):
        found[-1] = Address(last, span=last.span)
        yield Suggestion("an address stands in brackets", ((word, list(found)),))


# -- registers of A64 in another spelling

def _bare(operand: Operand) -> bool:
    return isinstance(operand, VectorRegister) and operand.kind == "v" and operand.arrangement is None


def _arranged(operand: Operand, arrangement: str) -> Operand:
    return replace(operand, arrangement=arrangement) if isinstance(operand, VectorRegister) and _bare(
        operand) and operand.index is None else operand


def _is_scalar(operand: Operand) -> bool:
    return isinstance(operand, VectorRegister) and operand.kind != "v"


def _total(operand: Operand) -> int:
    """Bytes of a whole register: 8, 16, or 0 of all others."""
    if not isinstance(operand, VectorRegister) or operand.index is not None:
        return 0
    if operand.kind != "v" or operand.arrangement is None:
        return {"v": 16, "q": 16, "d": 8}.get(operand.kind, 0)
    count, letter = operand.arrangement[:-1], operand.arrangement[-1]
    return int(count or 0) * LETTER_BITS[letter] // 8


def _sizes(operands: list[Operand]) -> list[int]:
    """The sizes of whole registers in bytes, each once; none if there is something else. Tables of TBL have 16."""
    sizes = {_total(o) for o in operands if not isinstance(o, RegisterList)}
    return [] if 0 in sizes else sorted(sizes)


def _as_bytes(operand: Operand, total: int) -> Operand:
    if isinstance(operand, RegisterList):
        return replace(operand, registers=tuple(
            replace(r, arrangement="16b") if isinstance(r, VectorRegister) else r for r in operand.registers))
    return replace(operand, kind="v", arrangement=f"{total}b") if isinstance(operand, VectorRegister) else operand


def _as_scalar(operand: Operand) -> Operand:
    total = _total(operand)
    if not total or not isinstance(operand, VectorRegister) or operand.kind != "v":
        return operand
    return replace(operand, kind="q" if total == 16 else "d", arrangement=None)


def _as_lane(operand: Operand) -> Operand:
    """s1 as v1.s[0]"""
    if not isinstance(operand, VectorRegister) or operand.kind == "v":
        return operand
    return replace(operand, kind="v", arrangement=operand.kind, index=0)


def _first_as_scalar(operand: Operand) -> Operand:
    """v1.s[0] as s1"""
    if not isinstance(operand, VectorRegister) or operand.index != 0 or operand.arrangement is None:
        return operand
    return replace(operand, kind=operand.arrangement[-1], arrangement=None, index=None)
