"""Constant expressions, as the GNU assembler reads them: a small precedence parser over tokens. Nothing is eval-ed.

Binding, tightest first (the assembler's own order, not C's: `1 << 2 + 1` is 5):

    - + ~ !  (before a term)      * / % << >>      | & ^      + - == != <> < <= > >=      &&      ||

Values are 64 bits, wrapping; `>>` is logical, `/` and `%` truncate towards zero, a true comparison is -1.
Terms: 12 0x1f 0b101 017 'a' '\\n' names from .set, ( ).

Source: GNU as manual, "Infix Operators"; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from neonsim.arm.asm.text.source import Line
from neonsim.common.limits import MAX_EXPRESSION_DEPTH

__all__ = ["SectionOffset", "Tokens", "expression", "linear", "tokenize"]


_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<word>[A-Za-z_.$][\w.$]*)
      | (?P<float>(?:[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)(?![\w.]))
      | (?P<labelref>[0-9]+[bf](?![\w.$]))
      | (?P<int>(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)(?![\w.$]))
      | (?P<number>[0-9][\w.$]*)
      | (?P<char>'(?:\\.|[^\\'])'?)
      | (?P<op><<|>>|<=|>=|<>|==|!=|&&|\|\||[-+*/%&|^~!()\[\]{},\#:=<>])
      | (?P<bad>.)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "b": 8, "f": 12, "0": 0, "\\": 92, "'": 39, '"': 34}


class SectionOffset(NamedTuple):
    """A place that has no address yet: an offset from the begin of sections, {section: how often it is added}."""

    offset: int
    sections: tuple[tuple[int, int], ...]


class Tokens:
    """A cursor over the tokens of an operand text; `kind` and `text` are those of the token in hand ("" at the end).

    columns are 1-based columns of the source line; `ends` one behind a token's last character
    """

    __slots__ = ("at", "columns", "ends", "kinds", "place", "texts")

    def __init__(self, place: Line, kinds: list[str], texts: list[str], columns: list[int], ends: list[int]) -> None:
        self.place, self.kinds, self.texts, self.columns, self.ends = place, kinds, texts, columns, ends
        self.at = 0

    @property
    def kind(self) -> str:
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        return self.texts[self.at]

    @property
    def column(self) -> int:
        return self.columns[self.at]

    def peek(self, ahead: int = 1) -> str:
        """Return the text of a later token, "" behind the end."""
        index = self.at + ahead
        return self.texts[index] if index < len(self.texts) else ""

    def take(self, text: str) -> bool:
        """Step over an operator if it is the one in hand."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def span(self, start: int) -> tuple[int, int]:
        """(column, width) from token `start` to the one before the cursor."""
        column = self.columns[start]
        return column, self.ends[self.at - 1] - column

    def fail(self, message: str, start: int | None = None, end: int | None = None) -> Exception:
        """Return an AssemblyError under the tokens start..end (inclusive), by default the one in hand."""
        first = self.at if start is None else start
        last = first if end is None else end
        return self.place.error(message, self.columns[first], self.ends[last] - self.columns[first])


def tokenize(place: Line, text: str, column: int) -> Tokens:
    """Cut `text`, which stands at `column` (1-based) of its line, into tokens.

    Raises AssemblyError for characters and numbers that are none.
    """
    kinds: list[str] = []
    texts: list[str] = []
    columns: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "bad"
        if kind == "space":
            continue
        word = match.group()
        at = column + match.start()
        if kind == "bad":
            raise place.error(_bad_character(word), at)
        if kind == "number":
            raise place.error(f"`{word}` is not a number. Numbers look like 12, 0x1f, 0b101, 017 or 'a'. A jump to the "
                              f"numeric label 1: is 1b (backwards) or 1f (forwards).", at, len(word))
        kinds.append(kind)
        texts.append(word)
        columns.append(at)
        ends.append(at + len(word))
    end = ends[-1] if ends else column
    kinds.append("end")
    texts.append("")
    columns.append(end)
    ends.append(end + 1)
    return Tokens(place, kinds, texts, columns, ends)


def _bad_character(character: str) -> str:
    if character == "@":
        return "`@` begins a comment in AArch32 only; in AArch64 write //."
    if character == "\\":
        return "`\\`: this is no argument of the macro it stands in."
    if character in "'\"":
        return f"A lonely {character}: a character is written 'a'."
    shown = character if character.isprintable() else f"\\x{ord(character):02x}"
    return f"`{shown}` has no meaning here."


def _signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _truth(value: bool) -> int:
    return -1 if value else 0


def _divide(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_OPERATORS: Final[dict[str, tuple[int, Callable[[int, int], int]]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "==": (3, lambda a, b: _truth(a == b)),
    "!=": (3, lambda a, b: _truth(a != b)),
    "<>": (3, lambda a, b: _truth(a != b)),
    "<": (3, lambda a, b: _truth(a < b)),
    "<=": (3, lambda a, b: _truth(a <= b)),
    ">": (3, lambda a, b: _truth(a > b)),
    ">=": (3, lambda a, b: _truth(a >= b)),
    "+": (3, lambda a, b: a + b),
    "-": (3, lambda a, b: a - b),
    "|": (4, lambda a, b: a | b),
    "&": (4, lambda a, b: a & b),
    "^": (4, lambda a, b: a ^ b),
    "*": (5, lambda a, b: a * b),
    "/": (5, _divide),
    "%": (5, lambda a, b: a - b * _divide(a, b)),
    "<<": (5, lambda a, b: a << b if 0 <= b < 64 else 0),
    ">>": (5, lambda a, b: (a & (1 << 64) - 1) >> b if 0 <= b < 64 else 0),
}
_OF_PLACES: Final = frozenset(("+", "-", "==", "!=", "<>", "<", "<=", ">", ">="))
_LINEAR: Final = "Addresses can only be added to numbers and subtracted from each other."
_SIGNS: Final[dict[str, Callable[[int], int]]] = {
    "-": lambda a: -a, "+": lambda a: a, "~": lambda a: ~a, "!": lambda a: int(not a),
}


def expression(tokens: Tokens, constants: Mapping[str, int], *, weakest: int = 1) -> int:
    """Return the value of the constant expression at the cursor, which then stands behind it.

    constants   names from .set, .equ and `name = value`

    A literal alone keeps its unsigned value (0xfffffffffffffffc); what an operator made is a signed 64-bit number.
    Raises AssemblyError for a missing term, an unknown name, division by zero, and depths beyond MAX_EXPRESSION_DEPTH.
    """
    value = _expression(tokens, constants, weakest, 0)
    assert isinstance(value, int)
    return value


def linear(tokens: Tokens, names: Mapping[str, int | SectionOffset], weakest: int = 1) -> int | SectionOffset:
    """Return the value of an expression over numbers and places, which can be added to numbers, subtracted from each
    other, and compared within a section."""
    return _expression(tokens, names, weakest, 0)


def _expression(tokens: Tokens, names: Mapping[str, int | SectionOffset] | Mapping[str, int], weakest: int,
                depth: int) -> int | SectionOffset:
    begin = tokens.at
    value = _term(tokens, names, depth)
    while tokens.kind == "op" and tokens.text in _OPERATORS:
        strength, function = _OPERATORS[tokens.text]
        if strength < weakest:
            break
        operator = tokens.texts[tokens.at]
        tokens.at += 1
        start = tokens.at
        right = _expression(tokens, names, strength + 1, depth + 1)
        if isinstance(value, SectionOffset) or isinstance(right, SectionOffset):
            if operator not in _OF_PLACES:
                raise tokens.fail(_LINEAR, begin, tokens.at - 1)
            value = _sum(value, right, 1 if operator == "+" else -1)
            if operator not in "+-":
                if isinstance(value, SectionOffset):
                    raise tokens.fail("Addresses in different sections cannot be compared.", begin, tokens.at - 1)
                value = function(value, 0)
            continue
        if right == 0 and operator in "/%":
            raise tokens.fail("Division by zero.", start, tokens.at - 1)
        value = _signed(function(_signed(value), _signed(right)))
    return value


def _sum(left: int | SectionOffset, right: int | SectionOffset, sign: int) -> int | SectionOffset:
    """left + sign * right; a number where all sections are gone."""
    a, b = (one if isinstance(one, SectionOffset) else SectionOffset(one, ()) for one in (left, right))
    found = dict(a.sections)
    for section, times in b.sections:
        found[section] = found.get(section, 0) + sign * times
    offset = _signed(_signed(a.offset) + sign * _signed(b.offset))
    sections = tuple(sorted((section, times) for section, times in found.items() if times))
    return SectionOffset(offset, sections) if sections else offset


def _term(tokens: Tokens, names: Mapping[str, int | SectionOffset] | Mapping[str, int],
          depth: int) -> int | SectionOffset:
    kind, text = tokens.kind, tokens.text
    if depth > MAX_EXPRESSION_DEPTH:
        raise tokens.fail(f"This expression is nested deeper than {MAX_EXPRESSION_DEPTH} levels: name its parts with "
                          ".set.")
    if kind == "int":
        if text[0] == "0" and text.isdigit() and not set(text) <= set("01234567"):
            raise tokens.fail(f"`{text}` is not a number: a leading 0 means octal. Write {text.lstrip('0')}.")
        literal = _literal(text)
        if literal >> 64:
            raise tokens.fail("This number does not fit 64 bits.")
        tokens.at += 1
        return literal
    if kind == "char":
        tokens.at += 1
        body = text[1:]
        if body.startswith("\\"):
            if body[1] not in _ESCAPES:
                known = " ".join(f"\\{letter}" for letter in _ESCAPES)
                raise tokens.fail(f"`\\{body[1]}` is not an escape; use {known}.", tokens.at - 1)
            return _ESCAPES[body[1]]
        return ord(body[0])
    if kind == "word":
        if text in names:
            tokens.at += 1
            return names[text]
        if text[0].isdigit():
            raise tokens.fail(f"There is no label `{text[:-1]}:` {'before' if text[-1] == 'b' else 'after'} this line.")
        raise tokens.fail(f"`{text}` is not a constant. Use a number, or define the name before with `.set {text}, 1`.")
    if kind == "op" and text in _SIGNS:
        begin = tokens.at
        tokens.at += 1
        value = _term(tokens, names, depth + 1)
        if isinstance(value, SectionOffset):
            if text in "~!":
                raise tokens.fail(_LINEAR, begin, tokens.at - 1)
            return _sum(0, value, -1 if text == "-" else 1)
        return _signed(_SIGNS[text](_signed(value)))
    if tokens.take("("):
        opened = tokens.at - 1
        value = _expression(tokens, names, 1, depth + 1)
        if not tokens.take(")"):
            raise tokens.fail("This parenthesis needs a closing `)`.", opened)
        return value
    if kind == "op" and text == ":":
        raise tokens.fail("`:lo12:label` must stand alone, as in ADD x0, x0, :lo12:label.")
    if kind == "float":
        raise tokens.fail("A floating-point number cannot be part of a larger expression. Write it alone.")
    if kind == "labelref":
        raise tokens.fail(f"`{text}` is a jump target; arithmetic on labels is not supported.")
    raise tokens.fail("A number is missing here." if kind == "end" else f"A number is expected here, not `{text}`.")


def _literal(text: str) -> int:
    if len(text) > 1 and text[0] == "0":
        if text[1] in "xX":
            return int(text, 16)
        if text[1] in "bB":
            return int(text, 2)
        return int(text, 8)
    return int(text)
