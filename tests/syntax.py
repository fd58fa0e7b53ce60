"""The sources of the package: each read once in a process, and parsed only by who has to look into it.

To parse all of them takes three seconds, and their trees 240 MB: a test says which texts it can be about.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import neonsim

__all__ = ["ROOT", "Import", "Source", "imports", "imports_of_all", "sources", "trees_of"]

ROOT = Path(neonsim.__file__).parent
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Source(NamedTuple):
    """A file below the package, by its path from there, and its text."""

    name: str
    text: str


class Import(NamedTuple):
    """An import statement; whether it stands inside a function, and whether it is for type checking alone."""

    node: ast.Import | ast.ImportFrom
    inside: bool
    typing: bool


@cache
def sources() -> tuple[Source, ...]:
    """All files of Python in the package."""
    return tuple(Source(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
                 for path in sorted(ROOT.rglob("*.py")))


def trees_of(wanted: Callable[[str], object]) -> Iterator[tuple[str, ast.Module]]:
    """The name and the tree of every source of whose text that is true."""
    for name, text in sources():
        if wanted(text):
            yield name, ast.parse(text)


@cache
def imports_of_all() -> dict[str, tuple[Import, ...]]:
    """The imports of every source, by its name."""
    return {name: tuple(imports(text)) for name, text in sources()}


def imports(text: str) -> Iterator[Import]:
    """Those of one text, wherever they stand."""
    waiting: list[tuple[ast.AST, bool, bool]] = [(ast.parse(text), False, False)]
    checks = "TYPE_CHECKING" in text
    while waiting:
        node, inside, typing = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield Import(node, inside, typing)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        only = checks and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for block in _BLOCKS:
            waiting += [(child, inside, typing or (only and block == "body")) for child in getattr(node, block, ())]
