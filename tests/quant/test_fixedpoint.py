"""The integer operations against Python integers, and a scale against its mantissa and shift."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.quant.fixedpoint import (
    compose,
    decompose,
    int32_accumulators,
    rdivpot,
    rounding_shift,
    saturating_shift,
    srdhm,
    wrap,
)
from tests.tiers import examples

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
EDGES = [INT_MIN, INT_MIN + 1, -(2**30) - 1, -(2**30), -65536, -3, -2, -1, 0, 1, 2, 3, 65535, 2**30 - 1, 2**30,
         2**30 + 1, INT_MAX - 1, INT_MAX]
int32 = st.one_of(st.sampled_from(EDGES), st.integers(INT_MIN, INT_MAX))


def saturated(x: int) -> int:
    return min(max(x, INT_MIN), INT_MAX)


@pytest.mark.parametrize("a", EDGES)
def test_high_multiplies_at_the_edges(a: int) -> None:
    b = np.array(EDGES)
    assert srdhm(a, b).tolist() == [saturated(floor(Fraction(a * y, 2**31) + Fraction(1, 2))) for y in EDGES]


def test_gemmlowp_writes_srdhm_with_a_nudge_and_truncation() -> None:
    """(a*b + nudge) / 2**31 truncated towards zero, nudge 2**30 or 1 - 2**30 (Y09)."""
    for a in EDGES:
        for b in EDGES:
            total = a * b + (2**30 if a * b >= 0 else 1 - 2**30)
            truncated = abs(total) // 2**31 * (1 if total >= 0 else -1)
            assert srdhm(a, b).item() == saturated(truncated)


@examples(80)
@given(int32, st.integers(0, 31))
def test_shifts(x: int, shift: int) -> None:
    exact = Fraction(x, 2**shift)
    assert rounding_shift(x, shift).item() == floor(exact + Fraction(1, 2))
    away = floor(abs(exact) + Fraction(1, 2)) * (1 if x >= 0 else -1)
    assert rdivpot(x, shift).item() == away
    assert saturating_shift(x, shift).item() == saturated(x << shift)


@pytest.mark.parametrize("shift", range(32))
def test_division_is_a_biased_shift(shift: int) -> None:
    """What the kernels do: add -1 to negative values when the shift is not 0, then round half-up."""
    x = np.array(EDGES)
    biased = np.maximum(x - ((x < 0) & (shift != 0)), INT_MIN)
    np.testing.assert_array_equal(rdivpot(x, shift), rounding_shift(biased, shift))


@examples(80)
@given(st.floats(2.0**-126, 2.0**127, width=32))
def test_decompose_loses_nothing(scale: float) -> None:
    multiplier, shift = decompose(scale)
    assert 2**30 <= int(multiplier) < 2**31 and int(multiplier) % 128 == 0
    assert Fraction(int(multiplier)) / Fraction(2) ** (31 + int(shift)) == Fraction(scale)
    if -8 <= int(shift) <= 31:
        assert float(compose(multiplier, shift)) == scale


def test_decompose_of_an_array() -> None:
    multiplier, shift = decompose([0.5, 0.75, 1.0, 2.0**-32])
    assert multiplier.tolist() == [2**30, 3 * 2**29, 2**30, 2**30]
    assert shift.tolist() == [0, 0, -1, 31]


def test_wrap_keeps_32_bits() -> None:
    assert wrap([2**31, -(2**31) - 1, 2**32, 5, -5]).tolist() == [INT_MIN, INT_MAX, 0, 5, -5]
    assert wrap(2**40 + 7).item() == 7


def test_any_integer_type_that_fits_is_an_accumulator() -> None:
    for kind in ("int8", "uint8", "int32", "int64", "uint32"):
        assert int32_accumulators(np.array([1, 2], kind)).tolist() == [1, 2]
    assert int32_accumulators([]).shape == (0,)
