"""Arm's list: every integer row is here, each example is what it says, what is missing is said to be missing."""

from __future__ import annotations

import pytest

from neonsim.isa import forms
from neonsim.isa.coverage import Row, families, listed, never

ISAS = ("aarch64", "aarch32")
INTEGER = ("add, subtract, average", "absolute difference", "saturating add, subtract, negate", "multiply",
           "saturating doubling multiply", "dot product, matrix product", "compare", "minimum, maximum", "across lanes",
           "shift", "narrow", "logic", "counts, bits", "estimates of integers", "permute, move", "table",
           "load and store")
LATER = ("half-precision arithmetic", "half-precision products into single", "complex", "CRC32",
         "extensions after Armv8.7 (8-bit floating point, LUT)", "pointer authentication beyond hints",
         "atomics and exclusives")


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("family", INTEGER)
def test_every_integer_row_is_here(isa: str, family: str) -> None:
    rows = families(isa).get(family, [])
    assert rows or (isa, family) == ("aarch32", "across lanes")
    missing = [f"{row.mnemonic} {row.shape}" for row in rows if not row.here]
    assert not missing


@pytest.mark.parametrize("isa", ISAS)
def test_an_example_has_the_mnemonic_and_the_shape(isa: str) -> None:
    for row in listed(isa):
        if row.shape and row.example is not None:
            assert row.example.mnemonic == row.mnemonic
            assert len(row.example.operands) == len(row.shape.split(","))
            assert row.example.form in forms(isa)


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("family", LATER)
def test_what_comes_later_is_not_half_there(isa: str, family: str) -> None:
    assert not any(row.here for row in families(isa).get(family, []))


@pytest.mark.parametrize("isa", ISAS)
def test_rows_are_unique(isa: str) -> None:
    keys = [(row.mnemonic, row.shape) for row in listed(isa) if row.shape]
    assert len(keys) == len(set(keys))


def test_what_is_left_out_is_said() -> None:
    for isa in ISAS:
        assert any("cryptographic" in text for text in never(isa))
    assert any("Thumb" in text for text in never("aarch32"))
    assert not any("Thumb" in text for text in never("aarch64"))


def test_an_unknown_shape_is_not_here() -> None:
    assert not Row("aarch64", "", "ADD", "8b,8b,4s").here
    assert not Row("aarch64", "", "SVC", "").here
    assert Row("aarch32", "", "VADD.I8", "d,d,d").here
