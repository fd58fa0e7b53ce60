"""A function that is being translated: what its names are, and what it may ask of the whole translation."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from neonsim.timing.compiled.kinds import BOOL, INT, KEY, NONE, Kind, Refused, cpp

__all__ = ["Owner", "Scope", "Value", "plain_name"]

Value = tuple[str, Kind]

# Words that C++ keeps for itself, and those of ours.
_TAKEN = frozenset([
    "and", "auto", "bool", "break", "case", "char", "class", "const", "continue", "default", "delete", "do", "double",
    "else", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long",
    "namespace", "new", "not", "operator", "or", "private", "protected", "public", "register", "return", "short",
    "signed", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "union",
    "unsigned", "using", "virtual", "void", "while", "get", "refs", "load", "save", "NEW", "HIT", "truth", "less",
    "alike", "fail", "made", "here", "allot"])


def plain_name(name: str) -> str:
    """A name of Python as one of C++."""
    fixed = {"__init__": "init_", "__call__": "call_"}
    return fixed.get(name) or (f"{name}_py" if name in _TAKEN else name)


class Owner(Protocol):
    """The translation a function belongs to."""

    asked: type

    def word(self, text: str) -> str: ...
    def see(self, kind: Kind) -> Kind: ...
    def attribute(self, cls: type, name: str, where: str) -> Kind | None: ...
    def method_of(self, cls: type, name: str, where: str) -> Kind: ...
    def function(self, function: Any, cls: type | None = None) -> Kind: ...
    def construct(self, cls: type, node: ast.Call, inside: Any) -> Value: ...


class Scope:
    """One function: its names and their kinds, places for messages."""

    def __init__(self, owner: Owner, tree: ast.FunctionDef, names: dict[str, Any], where: str,
                 cls: type | None, answer: Kind) -> None:
        self.owner, self.tree, self.names, self.where, self.cls, self.answer = owner, tree, names, where, cls, answer
        self.scope: dict[str, Kind] = {}
        self.locals: dict[str, Kind] = {}
        self.inner: dict[str, tuple[list[Kind], Kind]] = {}     # functions inside
        self.count = 0
        self.flags: list[str] = []

    def at(self, node: ast.AST) -> str:
        return f"{self.where.split()[0].split(':')[0]}:{getattr(node, 'lineno', self.tree.lineno)}"

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}_"

    def refuse(self, node: ast.AST, what: str = "") -> Refused:
        shown = ast.unparse(node).splitlines()[0][:80]
        return Refused(f"{self.at(node)}: {what or 'no translation of'} {shown}")

    def declare(self, name: str, kind: Kind) -> None:
        name = plain_name(name)
        known = self.scope.get(name)
        if known is None:
            self.scope[name] = self.locals[name] = self.owner.see(kind)
        elif known != kind and {known, kind} != {INT, BOOL}:
            raise Refused(f"{self.where}: {name} is of two kinds, {known} and {kind}")

    def plain(self, value: Value) -> Value:
        """What may be missing, as it is when it is there."""
        code, kind = value
        return (f"({code}).value()", kind[1]) if kind[0] == "maybe" else value

    def as_kind(self, value: Value, kind: Kind, where: str) -> str:
        """A value as one of another kind that holds it."""
        code, own = value
        if own == kind or {own, kind} <= {INT, BOOL}:
            return code
        if kind == KEY:
            return f"key_of({code})"
        if kind[0] == "maybe":
            return f"{cpp(kind)}({code})" if own == NONE else \
                f"{cpp(kind)}({self.as_kind(value, kind[1], where)})"
        if own[0] == "maybe":
            return self.as_kind(self.plain(value), kind, where)
        if own == NONE and kind[0] in ("ref", "list", "dict"):
            return f"{cpp(kind)}()"
        if own[0] == kind[0] == "tuple" and len(own) == len(kind):
            parts = ", ".join(self.as_kind((f"get<{k}>(whole_)", a), b, where)
                              for k, (a, b) in enumerate(zip(own[1:], kind[1:], strict=True)))
            return f"([&] {{ auto whole_ = {code}; return {cpp(kind)}({parts}); }}())"
        raise Refused(f"{where}: a value of kind {own} where one of {kind} is needed")
