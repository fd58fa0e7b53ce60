"""A rounding's name stands where the rounding is written, and in few places besides: all else asks its row."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import neonsim as ns

PACKAGE = Path(ns.__file__).parent
# In so many files of these packages, at most, the name is a string by itself.
FILES = dict.fromkeys(("q31", "rndnu", "fp32", "gemmlowp"), 4)


@cache
def strings(path: Path) -> frozenset[str]:
    """All that are written in a file, `q31.row.name` for one that is not."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)) | {
        ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr in ("name", "word")}


@pytest.mark.parametrize("name", FILES)
def test_where_the_name_of_a_rounding_stands(name: str) -> None:
    found = [str(path.relative_to(PACKAGE)) for package in ("quant", "ukernel", "nn", "verify")
             for path in sorted((PACKAGE / package).rglob("*.py"))
             if strings(path) & {name, f"{name}.row.name", f"{name}.row.word"}]
    assert len(found) <= FILES[name], found
