"""The definitions of the operators against loops over single elements, and against exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from neonsim.nn.ops import AvgPool2d, GlobalAvgPool
from neonsim.quant.params.elementwise import AddParams
from neonsim.quant.params.requant import AveragePoolParams
from neonsim.quant.reference import operators
from neonsim.quant.scheme import Scheme

RNG = np.random.default_rng(3)


def away(x: Fraction) -> int:
    """To the nearest integer, halves away from zero."""
    return floor(abs(x) + Fraction(1, 2)) * (1 if x >= 0 else -1)


def test_average_pooling_is_one_exact_rounding() -> None:
    """Also where padding is counted, and against the kernels' parameter block, which counts rows that only fill up."""
    x = RNG.integers(0, 256, (1, 4, 5, 2), dtype=np.uint8)
    got = AvgPool2d(Scheme(0.3, 100), pool=(2, 3), stride=(2, 1), padding=((1, 0), (0, 2)),
                    out=Scheme(0.7, 90)).reference(x)
    scale = np.float32(0.3) / (np.float32(0.7) * np.float32(6))
    params = AveragePoolParams.from_scale(float(scale), input_zero_point=100, rows=9, output_zero_point=90)
    for oy, ox, c in np.ndindex(*got.shape[1:]):
        seen = [int(x[0, y, z, c]) if 0 <= y < 4 and 0 <= z < 5 else 100
                for y in range(2 * oy - 1, 2 * oy + 1) for z in range(ox, ox + 3)]
        value = away(Fraction(sum(seen) - 600) * Fraction(float(scale))) + 90
        assert got[0, oy, ox, c] == min(max(value, 0), 255)
        assert params.requantize(sum(seen) + 3 * 100) == got[0, oy, ox, c]


def test_global_average_is_the_average_of_the_whole() -> None:
    x = RNG.integers(0, 256, (2, 12, 3), dtype=np.uint8)
    given, out = Scheme(0.2, 7), Scheme(0.1, 3)
    one = GlobalAvgPool(given, out=out).reference(x)
    other = AvgPool2d(given, pool=(3, 4), stride=1, out=out).reference(x.reshape(2, 3, 4, 3))
    np.testing.assert_array_equal(one, other[:, 0, 0])


@pytest.mark.parametrize("padding", [((0, 0), (0, 0)), ((1, 2), (0, 1)), ((4, 4), (5, 0))])
def test_max_pooling_repeats_the_edge(padding: tuple[tuple[int, int], tuple[int, int]]) -> None:
    x = RNG.integers(0, 256, (1, 5, 4, 2), dtype=np.uint8)
    got = operators.max_pool2d(x, pool=(2, 2), stride=(1, 2), padding=padding, dilation=(2, 1), output_max=200)
    for oy, ox, c in np.ndindex(*got.shape[1:]):
        seen = [x[0, min(max(oy + 2 * ky - padding[0][0], 0), 4), min(max(2 * ox + kx - padding[1][0], 0), 3), c]
                for ky, kx in itertools.product(range(2), range(2))]
        assert got[0, oy, ox, c] == min(max(seen), 200)


@pytest.mark.parametrize(("a_ratio", "b_ratio"), [(0.3, 1.7), (1.0, 1.0), (2.0**-14, 255.0), (100.0, 0.01),
                                                  (0.25, 0.5)])
def test_addition_is_one_exact_rounding_of_its_factors(a_ratio: float, b_ratio: float) -> None:
    grid = np.meshgrid(np.arange(0, 256, 5, dtype=np.uint8), np.arange(0, 256, 3, dtype=np.uint8))
    a, b = (axis.reshape(-1) for axis in grid)
    params = AddParams.from_scales(a_ratio, b_ratio, a_zero_point=100, b_zero_point=30, output_zero_point=128)
    got = params.combine(a, b)
    # The formula (R07): the exponent of the larger ratio becomes that of 2**21.
    shift = 21 - floor(np.log2(max(a_ratio, b_ratio)))
    factors = [int(np.rint(np.float64(np.float32(one)) * 2.0**shift)) for one in (a_ratio, b_ratio)]
    assert (params.a_multiplier, params.b_multiplier, params.shift) == (*factors, shift)
    for x, y, z in list(zip(a.tolist(), b.tolist(), got.tolist(), strict=True))[::37]:
        exact = Fraction(factors[0] * (x - 100) + factors[1] * (y - 30), 1 << shift)
        assert z == min(max(away(exact) + 128, 0), 255)


def test_softargmax_shares_sum_to_one() -> None:
    x = RNG.integers(0, 256, (50, 20), dtype=np.uint8)
    y = operators.softargmax(x, x_scale=0.03)
    assert np.abs(y.astype(int).sum(-1) - 256).max() <= 20
    assert (y.argmax(-1) == x.argmax(-1)).mean() > 0.9
    table = operators.exp_table(1000, 0.5)
    assert int(table.astype(np.uint64).max()) * 1000 < 2**32 and table.dtype == np.uint32


def test_shuffling_back_and_forth() -> None:
    x = RNG.integers(0, 256, (3, 24), dtype=np.uint8)
    np.testing.assert_array_equal(operators.channel_shuffle(operators.channel_shuffle(x, 4), 6), x)
