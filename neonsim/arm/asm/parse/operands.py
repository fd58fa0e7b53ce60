"""Operand text to the classes of `neonsim.arm.isa.operands.ast`, for both instruction sets.

Only what is written is judged here: whether a register exists, a lane is in range, a list is closed. Whether an
instruction takes such an operand is for `neonsim.arm.isa`.

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

import re
from collections.abc import Callable, Collection, Mapping

from neonsim.arm.asm.data import part_of_address
from neonsim.arm.asm.parse.addresses import NO_AMOUNT_NEEDED, SHIFTS, address
from neonsim.arm.asm.parse.register_lists import register_list
from neonsim.arm.asm.parse.registers import ELEMENTS, REGISTERS, Name, complaint
from neonsim.arm.asm.text.expression import Tokens, expression, tokenize
from neonsim.arm.asm.text.source import Line
from neonsim.arm.isa.operands.ast import ALL_LANES, CoreRegister, Immediate, Operand, Shift, Symbol, VectorRegister
from neonsim.errors import AssemblyError, BadArgument

__all__ = ["OperandParser", "parse_operands"]

_TYPE = re.compile(r"(?:[usifp]?(?:8|16|32|64)|bf16)\Z", re.ASCII)  # of AArch32, behind a register
_BEGINS_NUMBER = frozenset(("#", "-", "+", "~", "!", "("))


def parse_operands(isa: str, text: str, *, aliases: Mapping[str, str] | None = None,
                   constants: Mapping[str, int] | None = None) -> list[Operand]:
    """Return the operands of one statement, from the text behind the mnemonic.

    isa         "aarch64" or "aarch32"
    text        "v0.4s, v1.4h, v2.h[3]"
    aliases     {"acc": "v16"} as .req makes them     constants  {"N": 8} as .set makes them

    Raises AssemblyError with column and width of the operand at fault.

    >>> [operand] = parse_operands("aarch64", "[x0], #16")
    >>> operand.base.number, operand.offset.value, operand.writeback
    (0, 16, 'post')
    """
    if isa not in REGISTERS:
        raise BadArgument(f'isa must be "aarch64" or "aarch32"; got {isa!r}.')
    parser = OperandParser(isa, frozenset())
    for name, register in (aliases or {}).items():
        parser.aliases[name.lower()] = register.lower()
    parser.constants.update(constants or {})
    return parser.parse(Line("<text>", 1, text), text, 1)


class OperandParser:
    """Parses operand texts of one program: knows its ISA, `.req` aliases, `.set` constants and label names.

    Results are kept by (text, column): a kernel repeats itself. `forget` drops them when a name changes its meaning.

    by_places   gives the value of an expression with labels, as far as places are known; None: they never are
    types       {word: data type} of the last text's registers that have one: `q2.i8`, or a name made by .dn and .qn
    later       names of constants that the text sets somewhere
    placed      the last text had such an expression, whose value hangs on where it stands
    """

    def __init__(self, isa: str, labels: Collection[str]) -> None:
        self.isa = isa
        self.labels = labels
        self.registers = REGISTERS[isa]
        self.aliases: dict[str, str] = {}
        self.constants: dict[str, int] = {}
        self.types: dict[str, str] = {}
        self.typed: dict[str, str] = {}  # data types of aliases
        self.by_places: Callable[[Tokens, int], int] | None = None
        self.later: Collection[str] = frozenset()
        self.placed = False
        self._known: dict[tuple[str, int], tuple[list[Operand], dict[str, str]]] = {}

    def forget(self) -> None:
        """Names have changed: parse afresh."""
        self._known.clear()

    def parse(self, place: Line, text: str, column: int) -> list[Operand]:
        """Return the operands in `text`, which stands at `column` of the line."""
        self.placed = False
        known = self._known.get((text, column))
        if known is not None:
            self.types = known[1]
            return list(known[0])
        self.types = {}
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
        if not self.placed:
            self._known[text, column] = operands, self.types
        return list(operands)

    def register(self, word: str) -> Name | None:
        """Return the register a word names, through `.req` aliases; None if it names none."""
        low = word.lower()
        base, dot, arrangement = low.partition(".")
        if base in self.aliases:
            low = self.aliases[base] + dot + arrangement
        name = self.registers.get(low)
        if self.isa == "aarch32":
            if name is None and _TYPE.match(arrangement):
                name = self.registers.get(self.aliases.get(base, base))
                name = name if name and name[0] else None
            kind = arrangement or self.typed.get(base, "")
            if name is not None and kind:
                self.types[low] = kind
        return name

    def constant(self, place: Line, text: str, column: int) -> int:
        """Return the value of a whole text that is one constant expression (for directives)."""
        tokens = tokenize(place, text, column)
        value = self.number(tokens)
        if tokens.kind != "end":
            raise tokens.fail(f"`{tokens.text}` follows the number. One constant expression is expected here.")
        return value

    # -- one operand

    def _operand(self, tokens: Tokens) -> Operand:
        start = tokens.at
        kind, text = tokens.kind, tokens.text
        if kind == "word":
            name = self.register(text)
            if name is not None:
                tokens.at += 1
                return self.vector(tokens, name, start) if name[0] else self._core(tokens, name, start)
            if (text.lower() in SHIFTS or (text.lower() == "asl" and self.isa == "aarch32")) and (
                    text not in self.labels):
                return self.shift(tokens)
            if text in self.constants or (tokens.peek() in ("-", "+") and self.is_number(tokens)):
                return self.immediate(tokens)
            return self._symbol(tokens)
        if kind == "op":
            if text == ":" or (text == "#" and tokens.peek() == ":"):
                return self.part(tokens, start)
            if text in _BEGINS_NUMBER:
                return self.immediate(tokens)
            if text == "[":
                return address(self, tokens)
            if text == "{":
                return register_list(self, tokens)
            if text == "=":
                raise tokens.fail("`=value` must follow the register of LDR or VLDR: ldr x0, =value.", start,
                                  len(tokens.texts) - 2)
            missing = "An operand is missing before this comma."
            raise tokens.fail(missing if text == "," else f"`{text}` cannot begin an operand.")
        if kind in ("int", "float", "char"):
            return self.immediate(tokens)
        if kind == "labelref":
            tokens.at += 1
            return Symbol(text + self._distance(tokens), tokens.span(start))
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
        return Symbol(text + self._distance(tokens), tokens.span(start))

    def _distance(self, tokens: Tokens) -> str:
        """The constant added to a label, as "+8", "-4" or ""."""
        value = 0
        while tokens.kind == "op" and tokens.text in ("+", "-"):
            sign = 1 if tokens.text == "+" else -1
            tokens.at += 1
            # A term alone: `label + 8 - 4` is taken piece by piece, so that the sign of each stays with it.
            value += self._value(tokens, weakest=4) * sign
        if tokens.kind == "op" and tokens.text in "*/":
            raise tokens.fail("Numbers can only be added to a label or subtracted from it.", tokens.at - 1,
                              tokens.at)
        return f"{value:+d}" if value else ""

    def part(self, tokens: Tokens, start: int) -> Immediate | Symbol:
        """`:lo12:label`: a part of an address; `start` is the token of the colon, or of a # before it."""
        tokens.take("#")
        tokens.at += 1
        modifier = tokens.text.lower()
        if part_of_address(modifier, 0) is None and modifier not in ("got", "pg_hi21", "pg_hi21_nc"):
            raise tokens.fail(f"`:{tokens.text}:` is not supported. Use :lo12: and :got_lo12: (with ADRP), "
                              ":lower16: and "
                              ":upper16: (MOVW, MOVT), :abs_g0: to :abs_g3: (MOVZ, MOVK).", start, tokens.at)
        tokens.at += 1
        if not tokens.take(":"):
            raise tokens.fail(f"A colon is missing: :{modifier}:label.", start, tokens.at)
        name = tokens.text
        if tokens.kind == "int" or (tokens.kind == "word" and name in self.constants):
            known = part_of_address(modifier, expression(tokens, self.constants))
            if known is None:
                raise tokens.fail(f"`:{modifier}:` needs a label.", start, tokens.at - 1)
            return Immediate(known, tokens.span(start))
        if tokens.kind == "op" and name == "(":
            raise tokens.fail(f"A label is expected here, without a parenthesis: :{modifier}:label+8.")
        if tokens.kind not in ("word", "labelref"):
            raise tokens.fail(f"A label is missing: :{modifier}:label.")
        tokens.at += 1
        text = name + self._distance(tokens)
        if modifier.startswith("pg_hi21"):
            return Symbol(text, tokens.span(start))
        if modifier == "got":
            return Symbol(f":got:{text}", tokens.span(start))
        return Immediate(0, tokens.span(start), f":{modifier}:{text}")

    # -- registers

    def _core(self, tokens: Tokens, name: Name, start: int) -> CoreRegister:
        writeback = tokens.text == "!" and tokens.take("!")
        return CoreRegister(name[1], name[2], name[4], writeback, tokens.span(start))

    def vector(self, tokens: Tokens, name: Name, start: int, *, in_list: bool = False) -> VectorRegister:
        """Return the vector register whose name was token `start`, with its lane if one follows."""
        _, kind, number, arrangement, _ = name
        index: int | None = None
        if tokens.text == "[" and not (in_list and self.isa == "aarch64"):
            index = self._lane(tokens, name, start)
        elif arrangement in ELEMENTS and not in_list:
            count = 16 // ELEMENTS[arrangement]
            raise tokens.fail(f"`{tokens.texts[start]}` names an element but no lane: write v{number}.{arrangement}[0] "
                              f"to [{count - 1}], or v{number}.{count}{arrangement} for the whole register.", start)
        return VectorRegister(kind, number, arrangement, index, tokens.span(start))

    def _lane(self, tokens: Tokens, name: Name, start: int) -> int:
        _, kind, number, arrangement, _ = name
        word = tokens.texts[start]
        opened = tokens.at
        tokens.at += 1
        if self.isa == "aarch64":
            if kind != "v" or arrangement is None:
                raise tokens.fail(f"A lane of `{word}` needs its element type: v{number}.b[i] .h[i] .s[i] .d[i].",
                                  start, opened)
            element = arrangement[-1]
            size = 4 if arrangement in ("4b", "2h") else ELEMENTS.get(element, 16)
            count = 16 // size
        else:
            if kind not in "ds":
                raise tokens.fail(f"`{word}` has no lanes. Use a lane of a d register, d0[1]"
                                  + (f" (q{number} is d{2 * number} and d{2 * number + 1})." if kind == "q" else "."),
                                  start, opened)
            count = 8 if kind == "d" else 2  # of bytes, of halfwords; the instruction's type narrows it
            if kind == "d" and tokens.take("]"):
                return ALL_LANES
        if tokens.text == "]":
            raise tokens.fail(f"The lane number is missing: write {word}[0] to [{count - 1}].", opened, tokens.at)
        first = tokens.at
        index = self.number(tokens)
        if not tokens.take("]"):
            raise tokens.fail("This bracket needs a closing `]` after the lane.", opened)
        if not 0 <= index < count:
            of = (f"{count} lanes of {word}" if self.isa == "aarch64" else
                  f"up to {count} lanes of {'a d' if kind == 'd' else 'an s'} register")
            raise tokens.fail(f"Lane {index} is out of range: there are {of}, numbered 0 to {count - 1}.",
                              first, tokens.at - 2)
        return index

    # -- numbers and shifts

    def number(self, tokens: Tokens) -> int:
        """Return a constant expression, with or without `#`."""
        if tokens.text == "#":
            tokens.at += 1
        return self._value(tokens)

    def _value(self, tokens: Tokens, *, weakest: int = 1) -> int:
        """The value of the expression at the cursor, of constants, or of places where they are known."""
        start = tokens.at
        try:
            return expression(tokens, self.constants, weakest=weakest)
        except AssemblyError:
            if self.by_places is None:
                raise
        tokens.at = start
        value = self.by_places(tokens, weakest)
        self.placed = True
        return value

    def is_number(self, tokens: Tokens) -> bool:
        """Return whether the word in hand begins a distance between labels, rather than naming one."""
        if self.by_places is None:
            return False
        start = tokens.at
        try:
            self.by_places(tokens, 1)
        except AssemblyError:
            return False
        finally:
            tokens.at = start
        return True

    def immediate(self, tokens: Tokens) -> Immediate:
        """Return a constant expression or a real number, with or without `#`."""
        start = tokens.at
        tokens.take("#")
        sign = tokens.text if tokens.text in ("-", "+") else ""
        number = tokens.at + bool(sign)
        if tokens.kinds[number] == "float":
            tokens.at = number + 1
            value = float(tokens.texts[number])
            return Immediate(-value if sign == "-" else value, tokens.span(start))
        distance = tokens.text in self.labels and tokens.peek() in ("-", "+")
        if distance:
            self._check_distance(tokens)
        elif tokens.kind == "word" and tokens.text not in self.constants and not self.is_number(tokens):
            if self.register(tokens.text) is not None:
                raise tokens.fail(f"`{tokens.text}` is a register: leave out the `#`.", start, tokens.at)
            if tokens.text in self.labels:
                raise tokens.fail(f"`{tokens.text}` is a label, not a number.", start, tokens.at)
            if tokens.at > start and tokens.column > tokens.ends[start]:
                raise tokens.fail("Write // for a comment after an instruction. `#` begins a comment only at the start "
                                  "of a statement, and a number elsewhere.", start, tokens.at)
        return Immediate(self._value(tokens), tokens.span(start))

    def _check_distance(self, tokens: Tokens) -> None:
        """Names of an operand that begins with a label and goes on."""
        for at in range(tokens.at, len(tokens.texts)):
            text = tokens.texts[at]
            if text in ",]":
                return
            if tokens.kinds[at] == "word" and text != "." and not (
                    text in self.labels or text in self.constants or text in self.later):
                raise tokens.fail(f"`{text}` is neither a constant nor a label of this program.", at)

    def shift(self, tokens: Tokens) -> Shift:
        """Return the shift or extension whose name is in hand, with its amount."""
        start = tokens.at
        kind = tokens.text.lower()
        kind = "lsl" if kind == "asl" else kind  # AArch32 has both names for it
        tokens.at += 1
        if tokens.text in ("", ",", "]"):
            if kind not in NO_AMOUNT_NEEDED:
                raise tokens.fail(f"The amount is missing: write {kind} #3.", start)
            return Shift(kind, None, tokens.span(start))
        name = self.register(tokens.text) if tokens.kind == "word" else None
        if name is not None and not name[0]:
            at = tokens.at
            tokens.at += 1
            register = CoreRegister(name[1], name[2], name[4], False, tokens.span(at))
            return Shift(kind, register, tokens.span(start))
        amount = self.immediate(tokens)
        return Shift(kind, amount, tokens.span(start))
