"""Addresses: `[x0, #16]!`, `[x0, w1, uxtw #2]`, `[r0:64], r1`, `[r0], -r1, lsl #2`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.arm.asm.parse.registers import complaint
from neonsim.arm.asm.text.expression import Tokens
from neonsim.arm.isa.operands.ast import Address, CoreRegister, Immediate, Shift

if TYPE_CHECKING:
    from neonsim.arm.asm.parse.operands import OperandParser

__all__ = ["SHIFTS", "address"]

NO_AMOUNT_NEEDED = frozenset(("rrx", "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"))
SHIFTS = NO_AMOUNT_NEEDED | {"lsl", "lsr", "asr", "ror", "msl"}


def address(parser: OperandParser, tokens: Tokens) -> Address:
    """Return the address whose `[` is in hand, with a following increment taken in; the cursor then stands behind
    it."""
    start = tokens.at
    tokens.at += 1
    base = _base(parser, tokens, start)
    align = _align(parser, tokens)
    offset: Immediate | CoreRegister | None = None
    shift: Shift | None = None
    subtract = False
    if tokens.take(","):
        if tokens.text == ":" and (not tokens.peek()[:1].isalpha() or tokens.peek() in parser.constants):
            align = _align(parser, tokens)
        else:
            offset, shift, subtract = _offset(parser, tokens, inside=True)
    if not tokens.take("]"):
        if tokens.kind == "end":
            hint = " (`@` begins a comment: an alignment hint is written [r0:64].)"
            cut = parser.isa == "aarch32" and tokens.place.text[tokens.column - 1:].lstrip()[:1] == "@"
            raise tokens.fail(f"This address needs a closing `]`.{hint if cut else ''}", start)
        raise tokens.fail(f"A `]` is expected here, not `{tokens.text}`. An address is [base], [base, #8], "
                          "[base, index] or [base, index, lsl #2].")
    writeback = ""
    if tokens.text == "!":
        tokens.at += 1
        writeback = "pre"
    elif tokens.text == "," and offset is None:
        tokens.at += 1
        offset, shift, subtract = _offset(parser, tokens, inside=False)
        writeback = "post"
    elif tokens.text == ",":
        raise tokens.fail("Nothing can follow this address. Write an increment after [base] alone, and an offset "
                          "inside the brackets.", tokens.at, len(tokens.texts) - 2)
    return Address(base, offset, shift, writeback, subtract, align, tokens.span(start))


def _base(parser: OperandParser, tokens: Tokens, opened: int) -> CoreRegister:
    start = tokens.at
    text = tokens.text
    if tokens.kind == "end":
        raise tokens.fail("This address needs a base register and a closing `]`.", opened)
    name = parser.register(text) if tokens.kind == "word" else None
    if name is None:
        wrong = complaint(parser.isa, text) if tokens.kind == "word" else None
        raise tokens.fail(wrong or f"`{text}` is not a base register. An address begins with [x0 or [sp in AArch64, "
                                   f"and with [r0 or [sp in AArch32.")
    if name[0]:
        raise tokens.fail(f"`{text}` is a vector register; an address begins with a general register.")
    if parser.isa == "aarch64" and (name[1] != "x" or (name[2] == 31 and not name[4])):
        instead = "sp" if name[2] == 31 else f"x{name[2]}"
        raise tokens.fail(f"`{text}` cannot be a base: addresses are 64 bits wide. Write {instead}.")
    tokens.at += 1
    return CoreRegister(name[1], name[2], name[4], False, tokens.span(start))


def _align(parser: OperandParser, tokens: Tokens) -> int | None:
    if tokens.text != ":":
        return None
    colon = tokens.at
    tokens.at += 1
    if parser.isa == "aarch64":
        raise tokens.fail("Alignment hints exist in AArch32 only; leave this one out.", colon)
    first = tokens.at
    value = parser.number(tokens)
    if value not in (16, 32, 64, 128, 256):
        raise tokens.fail("An alignment hint is 16, 32, 64, 128 or 256 (bits).", first, tokens.at - 1)
    return value


def _offset(parser: OperandParser, tokens: Tokens, *,
            inside: bool) -> tuple[Immediate | CoreRegister, Shift | None, bool]:
    """Offset or increment, its shift, and whether it is subtracted."""
    start = tokens.at
    signed = tokens.text in ("-", "+") and tokens.kinds[min(tokens.at + 1, len(tokens.kinds) - 1)] == "word"
    name = None
    if signed or tokens.kind == "word":
        name = parser.register(tokens.peek() if signed else tokens.text)
    if name is None:
        word = tokens.text
        if tokens.kind == "end" or (inside and word == "]"):
            raise tokens.place.error("An offset is missing after this comma.", tokens.ends[tokens.at - 1] - 1)
        if tokens.kind == "word" and word not in parser.constants and not parser.is_number(tokens):
            wrong = complaint(parser.isa, word)
            what = "offset" if inside else "increment"
            raise tokens.fail(wrong or f"`{word}` must be a register or a number to be an {what}.")
        if tokens.text == ":" or (tokens.text == "#" and tokens.peek() == ":"):
            part = parser.part(tokens, start)
            if isinstance(part, Immediate):
                return part, None, False
            raise tokens.fail("An address takes only the low part of a label: :lo12:label or "
                              ":got_lo12:label.", start,
                              tokens.at - 1)
        offset = parser.immediate(tokens)
        if isinstance(offset.value, float):
            raise tokens.fail("An offset must be an integer.", start, tokens.at - 1)
        return offset, None, False
    if name[0]:
        raise tokens.fail("An offset must be a number or a general register, not a vector register.",
                          start, start + signed)
    subtract = signed and tokens.text == "-"
    if signed and parser.isa == "aarch64":
        raise tokens.fail("AArch64 has no signed index registers: [x0, x1] always adds. Negate the register first.",
                          start, start + 1)
    tokens.at += 1 + signed
    register = CoreRegister(name[1], name[2], name[4], False, tokens.span(start))
    shift: Shift | None = None
    if tokens.text == "," and tokens.peek().lower() in SHIFTS:
        tokens.at += 1
        shift = parser.shift(tokens)
    return register, shift, subtract
