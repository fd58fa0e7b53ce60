"""The expression behind #if: C's integer constants, operators and precedence. Nothing is eval-ed.

Names that are no macros count as 0. Values are 64 bits; a `u` suffix is taken and ignored, as kernels compare small
numbers only.

Source: C11 6.10.1; GNU cpp manual, "If".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from neonsim.common.limits import MAX_CONDITION_DEPTH

__all__ = ["ConditionError", "evaluate"]

_TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)[uUlL]*(?![\w.])|([A-Za-z_$][\w$]*)|('(?:\\.|[^\\'])')"
                    r"|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|!~()?:])|(\S))")
_BINARY: Final[dict[str, tuple[int, Callable[[int, int], int]]]] = {
    "||": (1, lambda a, b: int(bool(a or b))), "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, lambda a, b: a | b), "^": (4, lambda a, b: a ^ b), "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)), "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)), ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)), ">=": (7, lambda a, b: int(a >= b)),
    "<<": (8, lambda a, b: a << b if 0 <= b < 64 else 0), ">>": (8, lambda a, b: a >> b if 0 <= b < 64 else 0),
    "+": (9, lambda a, b: a + b), "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b), "/": (10, lambda a, b: 0), "%": (10, lambda a, b: 0),
}


class ConditionError(Exception):
    """What is wrong with the expression."""


def evaluate(text: str) -> int:
    """Return the value of an expression in which macros and defined() have been replaced.

    Raises ConditionError.

    >>> evaluate("1 + 2 * 3 == 7 && !(unknown > 0)")
    1
    """
    tokens: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        number, name, character, operator, bad = match.groups()
        if bad:
            raise ConditionError(f"`{bad}` is not valid in the condition of #if")
        tokens.append(("number", number) if number else ("name", name) if name else
                      ("char", character) if character else ("op", operator))
    parser = _Parser([*tokens, ("end", "")])
    value = parser.ternary(0)
    if parser.kind != "end":
        raise ConditionError(f"`{parser.text}` follows a complete condition; an operator is missing before it")
    return value


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens, self.at = tokens, 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def text(self) -> str:
        return self.tokens[self.at][1]

    def ternary(self, depth: int) -> int:
        condition = self.binary(1, depth)
        if self.text != "?":
            return condition
        self.at += 1
        yes = self.ternary(depth + 1)
        self._expect(":")
        no = self.ternary(depth + 1)
        return yes if condition else no

    def binary(self, weakest: int, depth: int) -> int:
        if depth > MAX_CONDITION_DEPTH:
            raise ConditionError(f"the condition is nested deeper than {MAX_CONDITION_DEPTH} levels")
        left = self._unary(depth)
        while self.kind == "op" and self.text in _BINARY and _BINARY[self.text][0] >= weakest:
            operator = self.text
            strength, function = _BINARY[operator]
            self.at += 1
            right = self.binary(strength + 1, depth + 1)
            if operator in "/%":
                # The side of && and || that does not count may divide by zero; kernels do not, so it is refused.
                if right == 0:
                    raise ConditionError("the condition divides by zero")
                quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
                left = quotient if operator == "/" else left - right * quotient
            else:
                left = function(left, right)
            left = (left + (1 << 63)) % (1 << 64) - (1 << 63)
        return left

    def _unary(self, depth: int) -> int:
        if depth > MAX_CONDITION_DEPTH:
            raise ConditionError(f"the condition is nested deeper than {MAX_CONDITION_DEPTH} levels")
        kind, text = self.tokens[self.at]
        if kind == "end":
            raise ConditionError("the condition ends too early: a number or a name is missing")
        self.at += 1
        if kind == "number":
            return int(text, 8) if text.isdigit() and text[0] == "0" and set(text) <= set("01234567") else \
                int(text, 0 if not text.isdigit() else 10)
        if kind == "char":
            return ord(text[1]) if text[1] != "\\" else {"n": 10, "t": 9, "0": 0, "r": 13}.get(text[2], ord(text[2]))
        if kind == "name":
            if self.text == "(":
                raise ConditionError(f"`{text}` is not a function-like macro")
            return 0
        if text == "(":
            value = self.ternary(depth + 1)
            self._expect(")")
            return value
        if text in ("-", "+", "!", "~"):
            value = self._unary(depth + 1)
            return {"-": -value, "+": value, "!": int(not value), "~": ~value}[text]
        raise ConditionError(f"a number or a name is expected before `{text}`")

    def _expect(self, text: str) -> None:
        if self.text != text:
            raise ConditionError(f"a `{text}` is missing")
        self.at += 1
