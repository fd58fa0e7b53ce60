"""Constant expressions have the values that GNU as 2.40 gives them (the table was assembled with it)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.arm.asm.text.expression import expression, tokenize
from neonsim.arm.asm.text.source import Line
from neonsim.common.limits import MAX_EXPRESSION_DEPTH
from neonsim.errors import AssemblyError
from tests.tiers import examples


def value(text: str, **constants: int) -> int:
    tokens = tokenize(Line("t.S", 1, text), text, 1)
    result = expression(tokens, constants)
    assert tokens.kind == "end"
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12), ("0x1F", 31), ("0b101", 5), ("017", 15), ("0", 0), ("'a'", 97), ("'a", 97), ("'\\n'", 10),
        ("0xfffffffffffffffc", 0xFFFFFFFFFFFFFFFC),
        ("1<<2+1", 5), ("2*3+4&6", 10), ("1<<4|3", 19), ("7%3", 1), ("-7%3", -1), ("5/2", 2), ("-5/2", -2),
        ("~-5", 4), ("!0", 1), ("!7", 0), ("(3<4)+5", 4), ("3>4", 0), ("2==2", -1), ("2<>2", 0), ("2!=3", -1),
        ("-8>>60", 15), ("1<<63", -(1 << 63)), ("1<<64", 0), ("~0xfffffffffffffffc", 3), ("-(1+2)*3", -9),
        ("1||0", 1), ("1&&0", 0), ("10-3-2", 5), ("N*2+M", 11), ("2 * ( 3 + 4 )", 14), ("--3", 3), ("6^3", 5),
    ],
)  # fmt: skip
def test_value(text: str, expected: int) -> None:
    assert value(text, N=4, M=3) == expected


@pytest.mark.parametrize(
    ("text", "column", "width", "words"),
    [
        ("1/0", 3, 1, "Division by zero"),
        ("8%(2-2)", 3, 5, "Division by zero"),
        ("(1+2", 1, 1, "needs a closing `)`"),
        ("1+", 3, 1, "A number is missing"),
        ("3*X", 3, 1, ".set X, 1"),
        ("08", 1, 2, "octal. Write 8"),
        ("12ab", 1, 4, "1b (backwards)"),
        ("0x", 1, 2, "is not a number"),
        ("0b2", 1, 3, "is not a number"),
        ("0x10000000000000000", 1, 19, "64 bits"),
        ("1+1.5", 3, 3, "Write it alone"),
        ("'\\q'", 1, 4, "not an escape"),
        ("1+$$?", 5, 1, "`?` has no meaning"),
        (":lo12:x", 1, 1, "must stand alone"),
    ],
)
def test_error(text: str, column: int, width: int, words: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        value(text)
    assert words in caught.value.message
    assert (caught.value.column, caught.value.width) == (column, width)


@pytest.mark.parametrize("text", ["(" * 500 + "1" + ")" * 500, "-" * 2000 + "1", "1+(" * 400 + "1" + ")" * 400])
def test_depth_is_bounded(text: str) -> None:
    with pytest.raises(AssemblyError, match=f"deeper than {MAX_EXPRESSION_DEPTH}"):
        value(text)


def test_long_but_flat_is_fine() -> None:
    assert value("+".join(["1"] * 1500)) == 1500


_leaf = st.integers(0, 300).map(str)
_tree = st.recursive(
    _leaf,
    lambda inner: st.tuples(inner, st.sampled_from("+-*&|^"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=12,
)


@given(_tree)
@examples(100)
def test_parenthesized_trees_agree_with_python(text: str) -> None:
    exact = eval(text)
    assert value(text) == (exact + (1 << 63)) % (1 << 64) - (1 << 63)
