"""Register lists: `{v0.4s-v3.4s}`, `{v0.s}[1]`, `{d0[], d1[]}`, `{r4-r11, lr}`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from neonsim.arm.asm.parse.registers import ELEMENTS, complaint
from neonsim.arm.asm.text.expression import Tokens
from neonsim.arm.isa.operands.ast import CoreRegister, RegisterList, VectorRegister

if TYPE_CHECKING:
    from neonsim.arm.asm.parse.operands import OperandParser

__all__ = ["register_list"]


def register_list(parser: OperandParser, tokens: Tokens) -> RegisterList:
    """Return the list whose `{` is in hand, ranges spelled out; the cursor then stands behind it."""
    start = tokens.at
    tokens.at += 1
    registers: list[VectorRegister | CoreRegister] = []
    while True:
        first_at = tokens.at
        first = _member(parser, tokens, start)
        if tokens.take("-"):
            last = _member(parser, tokens, start)
            registers += _range(tokens, first, last, first_at)
        else:
            registers.append(first)
        if tokens.take(","):
            continue
        if tokens.take("}"):
            break
        if tokens.kind == "end" or tokens.text in ("[", "]"):
            raise tokens.fail("This list needs a closing `}`.", start)
        raise tokens.fail(f"A list contains registers separated by commas or -, not `{tokens.text}`.")
    index: int | None = None
    close = tokens.at - 1
    _check_list(parser, tokens, registers, start, close)
    head = registers[0]
    if isinstance(head, VectorRegister):
        index = head.index
        if tokens.text == "[":
            if parser.isa == "aarch32":
                raise tokens.fail("In AArch32, write the lane inside the list: {d0[1]}.")
            if head.arrangement not in ELEMENTS:
                raise tokens.fail(f"A lane of a list needs the element type alone: "
                                  f"{{v{head.number}.{(head.arrangement or 's')[-1]}}}[{tokens.peek() or 0}].",
                                  start, close)
            index = _list_lane(parser, tokens, head.arrangement)
        elif parser.isa == "aarch64" and head.arrangement in ELEMENTS:
            raise tokens.fail(f"This list names the element {head.arrangement} but no lane: write the lane after the "
                              f"brace, {{v{head.number}.{head.arrangement}}}[0].", start, close)
    return RegisterList(tuple(registers), index, tokens.span(start))


def _list_lane(parser: OperandParser, tokens: Tokens, element: str) -> int:
    opened = tokens.at
    tokens.at += 1
    first = tokens.at
    index = parser.number(tokens)
    if not tokens.take("]"):
        raise tokens.fail("This bracket needs a closing `]` after the lane.", opened)
    count = 16 // ELEMENTS[element]
    if not 0 <= index < count:
        raise tokens.fail(f"Lane {index} is out of range: there are {count} lanes of type {element}, numbered "
                          f"0 to {count - 1}.", first, tokens.at - 2)
    return index


def _member(parser: OperandParser, tokens: Tokens, opened: int) -> VectorRegister | CoreRegister:
    start = tokens.at
    text = tokens.text
    if tokens.kind == "end":
        raise tokens.fail("This list needs a closing `}`.", opened)
    name = parser.register(text) if tokens.kind == "word" else None
    if name is None:
        wrong = complaint(parser.isa, text) if tokens.kind == "word" else None
        missing = "A register is missing here." if text in "},-" else f"`{text}` is no register."
        raise tokens.fail(wrong or missing)
    tokens.at += 1
    if name[0]:
        return parser.vector(tokens, name, start, in_list=True)
    return CoreRegister(name[1], name[2], name[4], False, tokens.span(start))


def _range(tokens: Tokens, first: VectorRegister | CoreRegister, last: VectorRegister | CoreRegister,
           start: int) -> list[VectorRegister | CoreRegister]:
    if isinstance(first, CoreRegister) or isinstance(last, CoreRegister):
        same = isinstance(first, CoreRegister) and isinstance(last, CoreRegister)
    else:
        same = (first.kind, first.arrangement, first.index) == (last.kind, last.arrangement, last.index)
    if not same:
        raise tokens.fail("Write both ends of a range in the same form: {v0.4s-v3.4s}, {d0-d3}, {r4-r7}.",
                          start, tokens.at - 1)
    if last.number < first.number:
        raise tokens.fail("This range runs backwards: write the lower register first.", start, tokens.at - 1)
    span = tokens.span(start)
    if isinstance(first, CoreRegister):
        return [CoreRegister(first.kind, n, False, False, span) for n in range(first.number, last.number + 1)]
    return [VectorRegister(first.kind, n, first.arrangement, first.index, span)
            for n in range(first.number, last.number + 1)]


def _check_list(parser: OperandParser, tokens: Tokens, registers: list[VectorRegister | CoreRegister], start: int,
                end: int) -> None:
    """All of one kind, none twice; in AArch64 at most four neighbours of one arrangement."""
    head = registers[0]
    for register in registers:
        column, width = register.span
        if register.kind != head.kind or type(register) is not type(head):
            raise tokens.place.error("All registers of a list must be of one kind.", column, width)
        if isinstance(register, VectorRegister) and isinstance(head, VectorRegister):
            if register.arrangement != head.arrangement:
                raise tokens.place.error(f"All registers of a list must have one arrangement, here "
                                         f".{head.arrangement}.",
                                         column, width)
            if register.index != head.index:
                raise tokens.place.error("A list must have the same lane of each register: {d0[1], d1[1]} or "
                                         "{d0[], d1[]}.", column, width)
    seen: set[int] = set()
    for register in registers:
        if register.number in seen:
            raise tokens.place.error("This register is in the list twice.", *register.span)
        seen.add(register.number)
    if parser.isa == "aarch32":
        return
    if not isinstance(head, VectorRegister) or head.kind != "v":
        raise tokens.fail("An AArch64 list must contain v registers, {v0.16b}. Use LDP and STP for general registers.",
                          start, end)
    if head.arrangement is None:
        raise tokens.fail(f"The arrangement is missing: write {{v{head.number}.16b}}, .8h, .4s, .2d or a half of "
                          "it.", start, end)
    if len(registers) > 4:
        raise tokens.fail(f"This list holds {len(registers)} registers; at most 4 are possible.", start, end)
    for before, after in pairwise(registers):
        if after.number != (before.number + 1) % 32:
            raise tokens.place.error(f"An AArch64 list must be consecutive: after v{before.number} comes "
                                     f"v{(before.number + 1) % 32}.", *after.span)
