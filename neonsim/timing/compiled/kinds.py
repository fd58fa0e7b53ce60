"""Kinds of value that a translated pipeline knows, read from annotations, and how each is spelled in C++.

A kind is a tuple of a word and what it holds:

    int bool str none key       numbers (64 bits), words by number, nothing, and anything as words to compare
    list of tuple dict set      list[T] (also Sequence, deque, tuple[T, ...]), tuple[A, B], dict[K, V] (also Mapping)
    maybe                       T | None, where T is no object; an object is a reference, which may be nothing
    ref                         an object of a class of ours
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import sys
import textwrap
from typing import Any

__all__ = ["BOOL", "INT", "KEY", "NONE", "STR", "Kind", "Refused", "annotated", "as_maybe", "constants", "cpp",
           "fields_of", "function_ast", "joined", "kind_of", "method"]

Kind = tuple[Any, ...]
INT, BOOL, STR, NONE, KEY = ("int",), ("bool",), ("str",), ("none",), ("key",)
_PLAIN = {"int": INT, "bool": BOOL, "str": STR, "None": NONE, "Hashable": KEY}
_LISTS = {"list", "Sequence", "deque", "Iterable"}
_SETS = {"set", "frozenset"}
_DICTS = {"dict", "Mapping"}


class Refused(Exception):
    """Something of the plain model that is not translated; the text says what, and where."""


@functools.cache
def function_ast(function: Any) -> ast.FunctionDef:
    """A function's text as a tree; its line numbers are those of its file."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise Refused(f"the source of {function!r} is not there to be translated") from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    found = tree.body[0]
    if not isinstance(found, ast.FunctionDef):
        raise Refused(f"{function!r} is no plain function")
    return found


def method(cls: type, name: str) -> Any:
    """A method (or the function of a property) of a class, None if it has none of its own."""
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property):
        return found.fget
    return found if inspect.isfunction(found) else None


def constants(function: Any) -> dict[str, Any]:
    """What names outside of a function stand for."""
    found: dict[str, Any] = function.__globals__
    return found


def as_maybe(kind: Kind) -> Kind:
    """The kind of a value that may be missing."""
    return kind if kind[0] in ("ref", "maybe", "none") else ("maybe", kind)


def joined(a: Kind, b: Kind, where: str) -> Kind:
    """The kind of what is one or the other."""
    if a == b:
        return a
    if {a, b} == {INT, BOOL}:
        return INT
    for one, other in ((a, b), (b, a)):
        if one == NONE:
            return as_maybe(other)
        if one[0] == "maybe" and other[0] != "maybe":
            return ("maybe", joined(one[1], other, where))
        if one == ("list", None) and other[0] == "list":
            return other
    raise Refused(f"{where}: values of two kinds, {a} and {b}")


def annotated(node: ast.expr, names: dict[str, Any], where: str) -> Kind:
    """The kind that an annotation speaks of. `names`: those of its module."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            return annotated(ast.parse(node.value, mode="eval").body, names, where)
    if isinstance(node, ast.Name):
        if node.id in _PLAIN:
            return _PLAIN[node.id]
        found = names.get(node.id)
        if inspect.isclass(found) and found.__module__.startswith("neonsim."):
            return ("ref", found)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return joined(annotated(node.left, names, where), annotated(node.right, names, where), where)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        word = node.value.id
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if word == "tuple" and isinstance(parts[-1], ast.Constant) and parts[-1].value is Ellipsis:
            return ("list", annotated(parts[0], names, where))
        inner = tuple(annotated(part, names, where) for part in parts)
        if word == "tuple":
            return ("tuple", *inner)
        if word in _LISTS:
            return ("list", *inner)
        if word in _SETS:
            return ("set", *inner)
        if word in _DICTS:
            return ("dict", *inner)
    raise Refused(f"{where}: {ast.unparse(node)} is a kind of value that is not translated")


def kind_of(value: Any) -> Kind | None:
    """The kind of a plain value that a module names, None for anything else."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, str):
        return STR
    if isinstance(value, tuple) and value and all(isinstance(v, str) for v in value):
        return ("list", STR)
    return None


def cpp(kind: Kind) -> str:
    """A kind as C++ spells it."""
    word = kind[0]
    if word in ("int", "bool"):
        return "i64"
    if word == "list":
        return f"Ref<List<{cpp(kind[1])}>>"
    if word == "tuple":
        return f"std::tuple<{', '.join(map(cpp, kind[1:]))}>"
    if word == "dict":
        return f"Ref<Dict<{cpp(kind[1])}, {cpp(kind[2])}>>"
    if word == "set":
        return f"Ref<Dict<{cpp(kind[1])}, Unit0>>"
    if word == "maybe":
        return f"Maybe<{cpp(kind[1])}>"
    if word == "ref":
        return f"Ref<{kind[1].__name__}>"
    return {"str": "Str", "none": "None", "key": "Key"}[word]


@functools.cache
def fields_of(cls: type) -> dict[str, Kind | Refused]:
    """Attributes of a class and their kinds, or why one has none: a dataclass's fields, what `__init__` gives to self.

    A property of a class that never changes counts as a field: it is worked out once.
    """
    names = vars(sys.modules[cls.__module__])
    found: dict[str, Kind | Refused] = {}

    def note(name: str, node: ast.expr) -> None:
        try:
            found[name] = annotated(node, names, f"{cls.__name__}.{name}")
        except Refused as why:
            found[name] = why

    for base in reversed(cls.__mro__):
        for name, text in vars(base).get("__annotations__", {}).items():
            text = getattr(text, "__forward_arg__", text)       # a NamedTuple's
            note(name, ast.parse(text, mode="eval").body if isinstance(text, str) else ast.Name(text.__name__))
    if dataclasses.is_dataclass(cls):
        if getattr(cls, "__dataclass_params__").frozen:  # noqa: B009
            for name, value in vars(cls).items():
                if isinstance(value, property):
                    answer = function_ast(value.fget).returns
                    if answer is not None:
                        note(name, answer)
        return found
    start = method(cls, "__init__")
    if start is None:
        return found
    names = constants(start)        # of the class that has it: another's may be derived from it
    tree = function_ast(start)
    given = {arg.arg: arg.annotation for arg in tree.args.args if arg.annotation is not None}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and _of_self(node.target):
            note(node.target.attr, node.annotation)     # type: ignore[union-attr]
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                pairs = zip(target.elts, node.value.elts, strict=True) if isinstance(target, ast.Tuple) and isinstance(
                    node.value, ast.Tuple) else [(target, node.value)]
                for left, right in pairs:
                    if _of_self(left) and left.attr not in found:  # type: ignore[attr-defined]
                        found[left.attr] = _given(right, given, names, f"{cls.__name__}.{left.attr}")  # type: ignore[attr-defined]
    return found


def _of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _given(node: ast.expr, given: dict[str, ast.expr], names: dict[str, Any], where: str) -> Kind | Refused:
    """The kind of what `__init__` gives to an attribute, where that is plain to see."""
    try:
        if isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)):
            found = kind_of(ast.literal_eval(node)) if isinstance(node, ast.Constant) else INT
            if found:
                return found
        if isinstance(node, ast.Name):
            if node.id in given:
                return annotated(given[node.id], names, where)
            found = kind_of(names.get(node.id))
            if found:
                return found
        if isinstance(node, ast.Attribute):
            owner = _given(node.value, given, names, where)
            if not isinstance(owner, Refused) and owner[0] == "ref":
                return fields_of(owner[1]).get(node.attr, Refused(f"{where}: {ast.unparse(node)} is not known"))
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            return INT
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            what = names.get(node.func.id)
            if inspect.isclass(what) and what.__module__.startswith("neonsim."):
                return ("ref", what)
            if inspect.isfunction(what):
                answer = function_ast(what).returns
                if answer is not None:
                    return annotated(answer, constants(what), where)
            if node.func.id == "len":
                return INT
    except Refused as why:
        return why
    return Refused(f"{where}: say its type where it is made")
