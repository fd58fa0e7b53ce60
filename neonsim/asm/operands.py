"""Operand text to the classes of `neonsim.isa.operands`, for both instruction sets.

Only what is written is judged here: whether a register exists, a lane is in range, a list is closed. Whether an
instruction takes such an operand is for `neonsim.isa`.

| written                                       | becomes                                                      |
|-----------------------------------------------|--------------------------------------------------------------|
| `x3 wzr sp r4 r0! lr`                         | CoreRegister                                                 |
| `v1.4s v1.s[2] v1 d3 d3[1]`                   | VectorRegister                                               |
| `{v0.4s-v3.4s} {v0.s}[1] {d0[]} {r4-r11, lr}` | RegisterList                                                 |
| `#3 3 #(4*8) #'a' #1.5 NAME`                  | Immediate (NAME from `.set`)                                 |
| `lsl #3` `lsl 3` `asr r2` `sxtw` `rrx`        | Shift                                                        |
| `[x0] [x0, 8]! [r0:64]! [x0, w1, uxtw #2]`    | Address                                                      |
| `[x0], #16` `[r0], -r1, lsl #2`               | one Address, writeback "post": the increment is taken in     |
| anything else that is a word, `1b`, `2f`      | Symbol: a label, a condition                                 |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

from neonsim.asm.expression import Tokens, expression, tokenize
from neonsim.asm.registers import ELEMENTS, REGISTERS, Name, complaint
from neonsim.asm.source import Place
from neonsim.errors import BadArgument
from neonsim.isa.operands import (
    ALL_LANES,
    Address,
    CoreRegister,
    Immediate,
    Operand,
    RegisterList,
    Shift,
    Symbol,
    VectorRegister,
)

__all__ = ["OperandParser", "parse_operands"]

_NO_AMOUNT_NEEDED = frozenset(("rrx", "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"))
_SHIFTS = _NO_AMOUNT_NEEDED | {"lsl", "lsr", "asr", "ror", "msl"}
_BEGINS_NUMBER = frozenset(("#", "-", "+", "~", "!", "("))


def parse_operands(isa: str, text: str, *, aliases: Mapping[str, str] | None = None,
                   constants: Mapping[str, int] | None = None) -> list[Operand]:
    """The operands of one statement, from the text behind the mnemonic.

    isa         "aarch64" or "aarch32"
    text        "v0.4s, v1.4h, v2.h[3]"
    aliases     {"acc": "v16"} as .req makes them     constants  {"N": 8} as .set makes them

    Raises AssemblyError with column and width of the operand at fault.

    >>> [operand] = parse_operands("aarch64", "[x0], #16")
    >>> operand.base.number, operand.offset.value, operand.writeback
    (0, 16, 'post')
    """
    if isa not in REGISTERS:
        raise BadArgument(f'isa is {isa!r}; there are "aarch64" and "aarch32".')
    parser = OperandParser(isa, frozenset())
    for name, register in (aliases or {}).items():
        parser.aliases[name.lower()] = register.lower()
    parser.constants.update(constants or {})
    return parser.parse(Place("<text>", 1, text), text, 1)


class OperandParser:
    """Parses operand texts of one program: knows its ISA, `.req` aliases, `.set` constants and label names.

    Results are kept by (text, column): a kernel repeats itself. `forget` drops them when a name changes its meaning.
    """

    def __init__(self, isa: str, labels: Collection[str]) -> None:
        self.isa = isa
        self.labels = labels
        self.registers = REGISTERS[isa]
        self.aliases: dict[str, str] = {}
        self.constants: dict[str, int] = {}
        self._known: dict[tuple[str, int], list[Operand]] = {}

    def forget(self) -> None:
        """Names have changed: parse afresh."""
        self._known.clear()

    def parse(self, place: Place, text: str, column: int) -> list[Operand]:
        """The operands in `text`, which stands at `column` of the line."""
        known = self._known.get((text, column))
        if known is not None:
            return list(known)
        tokens = tokenize(place, text, column)
        operands: list[Operand] = []
        if tokens.kind != "end":
            while True:
                operands.append(self._operand(tokens))
                if tokens.take(","):
                    continue
                if tokens.kind == "end":
                    break
                raise self._leftover(tokens)
        self._known[text, column] = operands
        return list(operands)

    def register(self, word: str) -> Name | None:
        """The register a word names, through `.req` aliases; None if it names none."""
        low = word.lower()
        if self.aliases:
            base, dot, arrangement = low.partition(".")
            if base in self.aliases:
                low = self.aliases[base] + dot + arrangement
        return self.registers.get(low)

    def constant(self, place: Place, text: str, column: int) -> int:
        """The value of a whole text that is one constant expression (for directives)."""
        tokens = tokenize(place, text, column)
        value = self._number(tokens)
        if tokens.kind != "end":
            raise tokens.fail(f"`{tokens.text}` follows the number; one constant expression belongs here.")
        return value

    # -- one operand

    def _operand(self, tokens: Tokens) -> Operand:
        start = tokens.at
        kind, text = tokens.kind, tokens.text
        if kind == "word":
            name = self.register(text)
            if name is not None:
                tokens.at += 1
                return self._vector(tokens, name, start) if name[0] else self._core(tokens, name, start)
            if text.lower() in _SHIFTS and text not in self.labels:
                return self._shift(tokens)
            if text in self.constants:
                return self._immediate(tokens)
            return self._symbol(tokens)
        if kind == "op":
            if text in _BEGINS_NUMBER:
                return self._immediate(tokens)
            if text == "[":
                return self._address(tokens)
            if text == "{":
                return self._list(tokens)
            if text == "=":
                raise tokens.fail("`=value` wants a literal pool, and there is none yet. Build the constant with MOV "
                                  "(and MOVK or MOVT), or pass it as an argument.", start, len(tokens.texts) - 2)
            if text == ":":
                raise tokens.fail("Relocations such as :lo12: are not taken: a simulated program has no linker.")
            missing = "An operand is missing before this comma."
            raise tokens.fail(missing if text == "," else f"`{text}` begins no operand.")
        if kind in ("int", "float", "char"):
            return self._immediate(tokens)
        if kind == "labelref":
            tokens.at += 1
            self._no_arithmetic(tokens, start)
            return Symbol(text, tokens.span(start))
        raise tokens.place.error("An operand is missing after this comma.", tokens.ends[tokens.at - 1] - 1)

    def _leftover(self, tokens: Tokens) -> Exception:
        before = tokens.texts[tokens.at - 1]
        text = tokens.text
        if text == "#":
            return tokens.fail("A comma is missing before this `#`. For a comment behind an instruction write // "
                               "(`#` begins one only where a statement could begin).")
        if text == "^":
            return tokens.fail("`^` is for operating systems (user-mode registers); leave it out.")
        if text == "!":
            return tokens.fail("`!` belongs behind an address, [x0, #16]!, or behind the base register of LDM and STM, "
                               "r0!.")
        if text in "})]" and text:
            return tokens.fail(f"`{text}` closes nothing: its opening bracket is missing.")
        if text == "[" and before.lower() in self.registers:
            return tokens.fail(f"`{before}` takes no lane: lanes are written v0.s[1] (AArch64) and d0[1] (AArch32).")
        return tokens.fail(f"A comma is missing between `{before}` and `{text}`.")

    def _symbol(self, tokens: Tokens) -> Symbol:
        start = tokens.at
        text = tokens.text
        if text not in self.labels:
            aliased = self.aliases.get(text.partition(".")[0].lower())
            wrong = complaint(self.isa, aliased + text[text.index("."):] if aliased and "." in text else text)
            if wrong is not None:
                raise tokens.fail(wrong)
        tokens.at += 1
        self._no_arithmetic(tokens, start)
        return Symbol(text, tokens.span(start))

    def _no_arithmetic(self, tokens: Tokens, start: int) -> None:
        if tokens.kind == "op" and tokens.text in "+-*/":
            raise tokens.fail(f"Arithmetic on `{tokens.texts[start]}` is not taken: it is no constant. Put a label "
                              "where you mean, or define the name before with .set.", start, tokens.at)

    # -- registers

    def _core(self, tokens: Tokens, name: Name, start: int) -> CoreRegister:
        writeback = tokens.text == "!" and tokens.take("!")
        return CoreRegister(name[1], name[2], name[4], writeback, tokens.span(start))

    def _vector(self, tokens: Tokens, name: Name, start: int, *, in_list: bool = False) -> VectorRegister:
        _, kind, number, arrangement, _ = name
        index: int | None = None
        if tokens.text == "[" and not (in_list and self.isa == "aarch64"):
            index = self._lane(tokens, kind, arrangement, start)
        elif arrangement in ELEMENTS and not in_list:
            count = 16 // ELEMENTS[arrangement]
            raise tokens.fail(f"`{tokens.texts[start]}` names an element but no lane: write v{number}.{arrangement}[0] "
                              f"to [{count - 1}], or v{number}.{count}{arrangement} for the whole register.", start)
        return VectorRegister(kind, number, arrangement, index, tokens.span(start))

    def _lane(self, tokens: Tokens, kind: str, arrangement: str | None, start: int) -> int:
        word = tokens.texts[start]
        opened = tokens.at
        tokens.at += 1
        if self.isa == "aarch64":
            if kind != "v" or arrangement is None:
                number = word.lower().lstrip("vqdshb")
                raise tokens.fail(f"A lane of `{word}` is written with its element: v{number}.b[i] .h[i] .s[i] .d[i].",
                                  start, opened)
            element = arrangement[-1]
            size = 4 if arrangement in ("4b", "2h") else ELEMENTS.get(element, 16)
            count = 16 // size
        else:
            if kind != "d":
                raise tokens.fail(f"`{word}` takes no lane; lanes are written on d registers, d0[1]"
                                  + (f" (q{word[1:]} is d{2 * int(word[1:])} and d{2 * int(word[1:]) + 1})."
                                     if kind == "q" and word[1:].isdigit() else "."), start, opened)
            count = 8  # of bytes; the instruction's type narrows it
            if tokens.take("]"):
                return ALL_LANES
        if tokens.text == "]":
            raise tokens.fail(f"The lane number is missing: write {word}[0] to [{count - 1}].", opened, tokens.at)
        first = tokens.at
        index = self._number(tokens)
        if not tokens.take("]"):
            raise tokens.fail("This bracket is never closed: a `]` is missing after the lane.", opened)
        if not 0 <= index < count:
            of = f"{count} lanes of {word}" if self.isa == "aarch64" else f"up to {count} lanes of a d register"
            raise tokens.fail(f"Lane {index} is out of range: there are {of}, numbered 0 to {count - 1}.",
                              first, tokens.at - 2)
        return index

    def _list(self, tokens: Tokens) -> RegisterList:
        start = tokens.at
        tokens.at += 1
        registers: list[VectorRegister | CoreRegister] = []
        while True:
            first_at = tokens.at
            first = self._member(tokens, start)
            if tokens.take("-"):
                last = self._member(tokens, start)
                registers += self._range(tokens, first, last, first_at)
            else:
                registers.append(first)
            if tokens.take(","):
                continue
            if tokens.take("}"):
                break
            if tokens.kind == "end" or tokens.text in ("[", "]"):
                raise tokens.fail("This list is never closed: a `}` is missing.", start)
            raise tokens.fail(f"In a list stand registers with commas or - between them, not `{tokens.text}`.")
        index: int | None = None
        close = tokens.at - 1
        self._check_list(tokens, registers, start, close)
        head = registers[0]
        if isinstance(head, VectorRegister):
            index = head.index
            if tokens.text == "[":
                if self.isa == "aarch32":
                    raise tokens.fail("In AArch32 the lane stands inside the list: {d0[1]}.")
                if head.arrangement not in ELEMENTS:
                    raise tokens.fail(f"A lane of a list is written with the element alone: "
                                      f"{{v{head.number}.{(head.arrangement or 's')[-1]}}}[{tokens.peek() or 0}].",
                                      start, close)
                index = self._list_lane(tokens, head.arrangement)
            elif self.isa == "aarch64" and head.arrangement in ELEMENTS:
                raise tokens.fail(f"This list names the element {head.arrangement} but no lane: write the lane behind "
                                  f"the brace, {{v{head.number}.{head.arrangement}}}[0].", start, close)
        return RegisterList(tuple(registers), index, tokens.span(start))

    def _list_lane(self, tokens: Tokens, element: str) -> int:
        opened = tokens.at
        tokens.at += 1
        first = tokens.at
        index = self._number(tokens)
        if not tokens.take("]"):
            raise tokens.fail("This bracket is never closed: a `]` is missing after the lane.", opened)
        count = 16 // ELEMENTS[element]
        if not 0 <= index < count:
            raise tokens.fail(f"Lane {index} is out of range: there are {count} lanes of type {element}, numbered "
                              f"0 to {count - 1}.", first, tokens.at - 2)
        return index

    def _member(self, tokens: Tokens, opened: int) -> VectorRegister | CoreRegister:
        start = tokens.at
        text = tokens.text
        if tokens.kind == "end":
            raise tokens.fail("This list is never closed: a `}` is missing.", opened)
        name = self.register(text) if tokens.kind == "word" else None
        if name is None:
            wrong = complaint(self.isa, text) if tokens.kind == "word" else None
            missing = "A register is missing here." if text in "},-" else f"`{text}` is no register."
            raise tokens.fail(wrong or missing)
        tokens.at += 1
        if name[0]:
            return self._vector(tokens, name, start, in_list=True)
        return CoreRegister(name[1], name[2], name[4], False, tokens.span(start))

    def _range(self, tokens: Tokens, first: VectorRegister | CoreRegister, last: VectorRegister | CoreRegister,
               start: int) -> list[VectorRegister | CoreRegister]:
        if isinstance(first, CoreRegister) or isinstance(last, CoreRegister):
            same = isinstance(first, CoreRegister) and isinstance(last, CoreRegister)
        else:
            same = (first.kind, first.arrangement, first.index) == (last.kind, last.arrangement, last.index)
        if not same:
            raise tokens.fail("The two ends of a range are written alike: {v0.4s-v3.4s}, {d0-d3}, {r4-r7}.",
                              start, tokens.at - 1)
        if last.number < first.number:
            raise tokens.fail("This range runs backwards: write the lower register first.", start, tokens.at - 1)
        span = tokens.span(start)
        if isinstance(first, CoreRegister):
            return [CoreRegister(first.kind, n, False, False, span) for n in range(first.number, last.number + 1)]
        return [VectorRegister(first.kind, n, first.arrangement, first.index, span)
                for n in range(first.number, last.number + 1)]

    def _check_list(self, tokens: Tokens, registers: list[VectorRegister | CoreRegister], start: int, end: int) -> None:
        """All of one kind, none twice; in AArch64 at most four neighbours of one arrangement."""
        head = registers[0]
        for register in registers:
            column, width = register.span
            if register.kind != head.kind or type(register) is not type(head):
                raise tokens.place.error("A list holds registers of one kind.", column, width)
            if isinstance(register, VectorRegister) and isinstance(head, VectorRegister):
                if register.arrangement != head.arrangement:
                    raise tokens.place.error(f"A list holds registers of one arrangement, here .{head.arrangement}.",
                                             column, width)
                if register.index != head.index:
                    raise tokens.place.error("A list holds the same lane of each register: {d0[1], d1[1]} or "
                                             "{d0[], d1[]}.", column, width)
        seen: set[int] = set()
        for register in registers:
            if register.number in seen:
                raise tokens.place.error("This register stands in the list twice.", *register.span)
            seen.add(register.number)
        if self.isa == "aarch32":
            return
        if not isinstance(head, VectorRegister) or head.kind != "v":
            raise tokens.fail("An AArch64 list holds v registers, {v0.16b}; several general registers are loaded with "
                              "LDP and stored with STP.", start, end)
        if head.arrangement is None:
            raise tokens.fail(f"The arrangement is missing: write {{v{head.number}.16b}}, .8h, .4s, .2d or a half of "
                              "it.", start, end)
        if len(registers) > 4:
            raise tokens.fail(f"This list holds {len(registers)} registers; at most 4 are possible.", start, end)
        for before, after in pairwise(registers):
            if after.number != (before.number + 1) % 32:
                raise tokens.place.error(f"An AArch64 list holds neighbours: after v{before.number} comes "
                                         f"v{(before.number + 1) % 32}.", *after.span)

    # -- numbers and shifts

    def _number(self, tokens: Tokens) -> int:
        if tokens.text == "#":
            tokens.at += 1
        return expression(tokens, self.constants)

    def _immediate(self, tokens: Tokens) -> Immediate:
        start = tokens.at
        tokens.take("#")
        sign = tokens.text if tokens.text in ("-", "+") else ""
        number = tokens.at + bool(sign)
        if tokens.kinds[number] == "float":
            tokens.at = number + 1
            value = float(tokens.texts[number])
            return Immediate(-value if sign == "-" else value, tokens.span(start))
        if tokens.kind == "word" and tokens.text not in self.constants:
            if self.register(tokens.text) is not None:
                raise tokens.fail(f"`{tokens.text}` is a register: leave out the `#`.", start, tokens.at)
            if tokens.text in self.labels:
                raise tokens.fail(f"`{tokens.text}` is a label, not a number.", start, tokens.at)
            if tokens.at > start and tokens.column > tokens.ends[start]:
                raise tokens.fail("For a comment behind an instruction write //; `#` begins one only where a statement "
                                  "could begin, and opens a number elsewhere.", start, tokens.at)
        return Immediate(expression(tokens, self.constants), tokens.span(start))

    def _shift(self, tokens: Tokens) -> Shift:
        start = tokens.at
        kind = tokens.text.lower()
        tokens.at += 1
        if tokens.text in ("", ",", "]"):
            if kind not in _NO_AMOUNT_NEEDED:
                raise tokens.fail(f"The amount is missing: write {kind} #3.", start)
            return Shift(kind, None, tokens.span(start))
        name = self.register(tokens.text) if tokens.kind == "word" else None
        if name is not None and not name[0]:
            at = tokens.at
            tokens.at += 1
            register = CoreRegister(name[1], name[2], name[4], False, tokens.span(at))
            return Shift(kind, register, tokens.span(start))
        amount = self._immediate(tokens)
        return Shift(kind, amount, tokens.span(start))

    # -- addresses

    def _address(self, tokens: Tokens) -> Address:
        start = tokens.at
        tokens.at += 1
        base = self._base(tokens, start)
        align = self._align(tokens)
        offset: Immediate | CoreRegister | None = None
        shift: Shift | None = None
        subtract = False
        if tokens.take(","):
            if tokens.text == ":":
                align = self._align(tokens)
            else:
                offset, shift, subtract = self._offset(tokens, inside=True)
        if not tokens.take("]"):
            if tokens.kind == "end":
                hint = " (`@` begins a comment: an alignment hint is written [r0:64].)"
                cut = self.isa == "aarch32" and tokens.place.text[tokens.column - 1:].lstrip()[:1] == "@"
                raise tokens.fail(f"This address is never closed: a `]` is missing.{hint if cut else ''}", start)
            raise tokens.fail(f"A `]` belongs here, not `{tokens.text}`. An address is [base], [base, #8], "
                              "[base, index] or [base, index, lsl #2].")
        writeback = ""
        if tokens.text == "!":
            tokens.at += 1
            writeback = "pre"
        elif tokens.text == "," and offset is None:
            tokens.at += 1
            offset, shift, subtract = self._offset(tokens, inside=False)
            writeback = "post"
        elif tokens.text == ",":
            raise tokens.fail("Nothing can follow this address: an increment goes behind a plain [base], an offset "
                              "inside the brackets.", tokens.at, len(tokens.texts) - 2)
        return Address(base, offset, shift, writeback, subtract, align, tokens.span(start))

    def _base(self, tokens: Tokens, opened: int) -> CoreRegister:
        start = tokens.at
        text = tokens.text
        if tokens.kind == "end":
            raise tokens.fail("This address is never closed: a base register and a `]` are missing.", opened)
        name = self.register(text) if tokens.kind == "word" else None
        if name is None:
            wrong = complaint(self.isa, text) if tokens.kind == "word" else None
            raise tokens.fail(wrong or f"`{text}` is no base register; an address begins [x0 or [sp in AArch64, [r0 or "
                              "[sp in AArch32.")
        if name[0]:
            raise tokens.fail(f"`{text}` is a vector register; an address begins with a general register.")
        if self.isa == "aarch64" and (name[1] != "x" or (name[2] == 31 and not name[4])):
            instead = "sp" if name[2] == 31 else f"x{name[2]}"
            raise tokens.fail(f"`{text}` cannot be a base: addresses are 64 bits wide. Write {instead}.")
        tokens.at += 1
        return CoreRegister(name[1], name[2], name[4], False, tokens.span(start))

    def _align(self, tokens: Tokens) -> int | None:
        if tokens.text != ":":
            return None
        colon = tokens.at
        tokens.at += 1
        if self.isa == "aarch64":
            raise tokens.fail("Alignment hints exist in AArch32 only; leave this one out.", colon)
        first = tokens.at
        value = self._number(tokens)
        if value not in (16, 32, 64, 128, 256):
            raise tokens.fail("An alignment hint is 16, 32, 64, 128 or 256 (bits).", first, tokens.at - 1)
        return value

    def _offset(self, tokens: Tokens, *, inside: bool) -> tuple[Immediate | CoreRegister, Shift | None, bool]:
        """Offset or increment, its shift, and whether it is subtracted."""
        start = tokens.at
        signed = tokens.text in ("-", "+") and tokens.kinds[min(tokens.at + 1, len(tokens.kinds) - 1)] == "word"
        name = None
        if signed or tokens.kind == "word":
            name = self.register(tokens.peek() if signed else tokens.text)
        if name is None:
            word = tokens.text
            if tokens.kind == "end" or (inside and word == "]"):
                raise tokens.place.error("An offset is missing after this comma.", tokens.ends[tokens.at - 1] - 1)
            if tokens.kind == "word" and word not in self.constants:
                wrong = complaint(self.isa, word)
                what = "offset" if inside else "increment"
                raise tokens.fail(wrong or f"`{word}` is neither a register nor a number, and an {what} is one of "
                                  "them.")
            offset = self._immediate(tokens)
            if isinstance(offset.value, float):
                raise tokens.fail("An offset is a whole number of bytes.", start, tokens.at - 1)
            return offset, None, False
        if name[0]:
            raise tokens.fail("An offset is a number or a general register, not a vector register.",
                              start, start + signed)
        subtract = signed and tokens.text == "-"
        if signed and self.isa == "aarch64":
            raise tokens.fail("AArch64 has no signed index registers: [x0, x1] always adds. Negate the register first.",
                              start, start + 1)
        tokens.at += 1 + signed
        register = CoreRegister(name[1], name[2], name[4], False, tokens.span(start))
        shift: Shift | None = None
        if tokens.text == "," and tokens.peek().lower() in _SHIFTS:
            tokens.at += 1
            shift = self._shift(tokens)
        return register, shift, subtract

