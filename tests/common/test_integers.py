"""Integers from callers: one function says what counts as one, everywhere in the same words."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import pytest

from neonsim.common.integers import as_int, is_int
from neonsim.errors import BadArgument
from tests.syntax import trees_of

# What may ask by itself: this module, and readers of files that nobody trusts: what JSON holds is no caller's value.
OWN = {"common/integers.py", "common/fileio.py", "arm/machine/trace/file.py", "learn/course/classroom/gradebook.py"}


@pytest.mark.parametrize("value", [0, -3, 2**70, np.int8(-1), np.uint64(2**64 - 1), np.array(7), np.array(7, np.uint8)])
def test_integers(value: Any) -> None:
    assert is_int(value)
    found = as_int(value, "n", -10, 2**80)
    assert type(found) is int and found == value


@pytest.mark.parametrize("value", [True, False, np.True_, 1.0, np.float32(2), "3", None, b"4", [1], (1,), np.array([1]),
                                   np.array(1.0), np.array(True), 1j])
def test_what_is_none(value: Any) -> None:
    assert not is_int(value)
    with pytest.raises(BadArgument, match=r"^threads must be an integer in 1\.\.8; got "):
        as_int(value, "threads", 1, 8)
    with pytest.raises(BadArgument, match=r"^threads must be an integer of 1 or more; got "):
        as_int(value, "threads", 1)


def test_the_range_is_said() -> None:
    with pytest.raises(BadArgument, match=r"^threads must be in 1\.\.8; got 9\.$"):
        as_int(np.uint8(9), "threads", 1, 8)
    with pytest.raises(BadArgument, match=r"^steps must be 1 or more; got 0\.$"):
        as_int(0, "steps", 1)


@pytest.mark.parametrize("value", [10**6000, -10**6000, "x" * 10**6, list(range(10**6))],
                         ids=["big", "low", "text", "list"])
def test_long_values_are_refused_in_few_words(value: Any) -> None:
    # Python itself refuses to print a number of more than 4300 digits.
    with pytest.raises(BadArgument) as caught:
        as_int(value, "size", 0, 8)
    assert len(str(caught.value)) < 150


def asked(tree: ast.AST) -> list[int]:
    """The lines where something says by itself that a bool is no int."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            types = " ".join(re.findall(r"isinstance\([\w.]+, (.*?)\)", ast.unparse(node)))
            if re.search(r"\bbool\b", types) and re.search(r"\bint\b", types):
                found.append(node.lineno)
    return found


def test_nobody_else_asks_what_an_integer_is() -> None:
    told = re.compile(r"isinstance[\s\S]{0,300}?\bbool\b")
    found = {name: asked(tree) for name, tree in trees_of(told.search)}
    assert found["common/integers.py"]
    wrong = [f"{name}:{line}: use is_int or as_int of neonsim.common.integers"
             for name, lines in found.items() if name not in OWN for line in lines]
    assert not wrong, "\n".join(wrong)
