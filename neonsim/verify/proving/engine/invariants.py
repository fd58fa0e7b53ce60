"""Invariants as text: what holds at the head of a loop whenever it is reached. A small language, parsed, nothing else.

    x2 == kc - 8*i - 8; x3 == a + 8*i; x2 >= 0
    line 104: x2 == kc - 8*i - 8

Clauses are separated by `;` or by lines. A clause compares two sums of products by == <= >= < or >; names are
registers, arguments of the contract (of an array its address), `i`, the iterations that have been made (0 at the first
arrival), and `iterations_N`, those of the loop of line N further up. Where a register is given its value by `==`,
others are not named. `line N:` says which loop is meant, by the line of its first instruction; without it, the only
one, or the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from neonsim.arm.semantics import TermPool
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.errors import BadArgument

__all__ = ["Clause", "InvariantExpression", "clauses"]

MAX_CHARACTERS = 20_000
MAX_DEPTH = 30
_TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]{1,16}|\d{1,19})|([A-Za-z_]\w*)|(==|<=|>=|<|>|[-+*()]))")


@dataclass(frozen=True)
class InvariantExpression:
    """A sum of products: `value` says what it is worth, given what names are worth."""

    op: str
    args: tuple[InvariantExpression, ...] = ()
    name: str = ""
    number: int = 0

    @property
    def names(self) -> set[str]:
        """All that are in it."""
        return {self.name} if self.op == "name" else {name for one in self.args for name in one.names}

    def value(self, pool: TermPool, of: Callable[[str], Polynomial]) -> Polynomial:
        """Return the integer polynomial."""
        if self.op == "number":
            return {(): self.number} if self.number else {}
        if self.op == "name":
            return of(self.name)
        n, m = (one.value(pool, of) for one in self.args)
        if self.op == "*":
            return pool.product(n, m)
        return pool.sum(n, m if self.op == "+" else pool.product(m, {(): -1}))


@dataclass(frozen=True)
class Clause:
    """One comparison. ``line``: of the loop's first instruction, None if it is not said."""

    line: int | None
    left: InvariantExpression
    relation: str
    right: InvariantExpression
    text: str

    @property
    def defines(self) -> str | None:
        """The register that it says the value of."""
        return self.left.name if self.relation == "==" and self.left.op == "name" else None

    @property
    def names(self) -> set[str]:
        """All that it speaks of."""
        return self.left.names | self.right.names


def clauses(text: str) -> list[Clause]:
    """Return the clauses of an invariant. Raises BadArgument that points at what cannot be read."""
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise BadArgument(f"an invariant must be a text of at most {MAX_CHARACTERS} characters, as "
                          "'x2 == kc - 8*i; x2 >= 0'")
    found, line = [], None
    for piece in re.split(r"[;\n]", text):
        if match := re.match(r"\s*line\s+(\d{1,6})\s*:", piece):
            line, piece = int(match[1]), piece[match.end():]
        if piece.strip():
            found.append(_clause(line, piece.strip()))
    if not found:
        raise BadArgument("the invariant is empty: write clauses as 'x2 == kc - 8*i; x2 >= 0'")
    return found


def _clause(line: int | None, text: str) -> Clause:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadArgument(f"the invariant's clause {text!r} is not valid from {text[at:].strip()!r} on. A clause "
                              f"has names, numbers, + - * ( ) and one of == <= >= < >")
        tokens.append(match[0].strip())
        at = match.end()
    reader = _Reader(tokens, text)
    left = reader.sum(0)
    relation = reader.next()
    if relation not in ("==", "<=", ">=", "<", ">"):
        raise reader.wrong(f"a comparison, not {relation or 'the end'}")
    right = reader.sum(0)
    if reader.at < len(tokens):
        raise reader.wrong(f"the end, not {tokens[reader.at]}")
    return Clause(line, left, relation, right, text)


class _Reader:
    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def wrong(self, what: str) -> BadArgument:
        return BadArgument(f"the invariant's clause {self.text!r} wants {what}")

    def sum(self, depth: int) -> InvariantExpression:
        made = self.product(depth)
        while self.peek() in ("+", "-"):
            made = InvariantExpression(self.next(), (made, self.product(depth)))
        return made

    def product(self, depth: int) -> InvariantExpression:
        made = self.factor(depth)
        while self.peek() == "*":
            self.next()
            made = InvariantExpression("*", (made, self.factor(depth)))
        return made

    def factor(self, depth: int) -> InvariantExpression:
        token = self.next()
        if depth > MAX_DEPTH:
            raise self.wrong(f"fewer than {MAX_DEPTH} levels of parentheses")
        if token == "(":
            made = self.sum(depth + 1)
            if self.next() != ")":
                raise self.wrong("a )")
            return made
        if token == "-":
            return InvariantExpression("-", (InvariantExpression("number"), self.factor(depth + 1)))
        if token[:1].isdigit():
            return InvariantExpression("number", number=int(token, 0) if token.startswith("0x") else int(token))
        if token[:1].isalpha() or token[:1] == "_":
            return InvariantExpression("name", name=token)
        raise self.wrong(f"a name or a number, not {token or 'the end'}")
