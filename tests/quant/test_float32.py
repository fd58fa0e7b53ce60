"""float32 by definition: one rounding against fractions, chains against loops, everything else against float64."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.quant import float32

Reals = NDArray[np.float32]


def _reals(*values: float) -> Reals:
    return np.array(values, np.float32)


def _rounded(value: Fraction) -> np.float32:
    """To nearest, ties to even, by trying the neighbours."""
    if value == 0:
        return np.float32(0)
    near = np.float32(float(value))   # float() of a fraction rounds right to float64; near is one of the two, or next.
    options = [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))]
    options = [one for one in options if np.isfinite(one)]
    return min(options, key=lambda one: (abs(Fraction(float(one)) - value), int(one.view(np.uint32)) & 1))


def _hard(rng: np.random.Generator, n: int) -> tuple[Reals, Reals, Reals]:
    """Numbers whose product and sum come to lie near a tie of float32."""
    a = rng.integers(1 << 23, 1 << 24, n).astype(np.float64) * 2.0 ** rng.integers(-40, 20, n)
    b = rng.integers(1 << 23, 1 << 24, n).astype(np.float64) * 2.0 ** rng.integers(-40, 20, n)
    tie = np.ldexp(rng.integers(1 << 23, 1 << 24, n) * 2.0 + 1, rng.integers(-30, 30, n))
    c = (tie - a * b).astype(np.float32)
    return a.astype(np.float32), b.astype(np.float32), c


@pytest.mark.parametrize("seed", range(2))
def test_one_rounding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = _hard(rng, 400)
    small = rng.integers(1, 1 << 12, (3, 200)).astype(np.float32) * np.float32(2.0**-80)
    a = np.concatenate([a, small[0] * np.float32(2.0**12), rng.normal(size=200).astype(np.float32)])
    b = np.concatenate([b, small[1], rng.normal(size=200).astype(np.float32)])
    c = np.concatenate([c, small[2] * np.float32(2.0**-62), rng.normal(size=200).astype(np.float32)])
    found = float32.fused(a, b, c)
    for n, value in enumerate(found):
        exact = Fraction(float(a[n])) * Fraction(float(b[n])) + Fraction(float(c[n]))
        assert value == _rounded(exact), (a[n], b[n], c[n])


def test_a_tie_that_is_none() -> None:
    """Rounded to float64 first these become ties of float32 and go to even, in the wrong direction."""
    one = np.float32(1)
    a, b = one + np.float32(2**-12), one + np.float32(2**-12)     # 1 + 2**-11 + 2**-24
    for rest, wanted in ((2.0**-60, 1 + 2**-11 + 2**-23), (-2.0**-60, 1 + 2**-11)):
        assert float32.fused(a, b, np.float32(rest)) == np.float32(wanted)
    assert float32.fused(a, b, np.float32(0)) == np.float32(1 + 2**-11)


def test_infinities_and_nans() -> None:
    inf, nan, big = np.float32(np.inf), np.float32(np.nan), np.float32(3e38)
    assert float32.fused(inf, np.float32(2), np.float32(1)) == inf
    assert np.isnan(float32.fused(inf, np.float32(0), np.float32(1)))
    assert np.isnan(float32.fused(inf, np.float32(1), -inf))
    assert np.isnan(float32.fused(nan, np.float32(1), np.float32(1)))
    assert float32.fused(big, big, np.float32(0)) == inf
    assert float32.fused(big, np.float32(1), -big) == 0


def _window(seed: int) -> tuple[Reals, Reals, Reals]:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(2, 6, 7, 6)).astype(np.float32), rng.normal(size=(4, 3, 2, 3)).astype(np.float32),
            rng.normal(size=4).astype(np.float32))


def test_convolution_is_a_chain() -> None:
    x, w, bias = _window(0)
    found = float32.convolution(x, w, bias, stride=(2, 1), padding=((1, 0), (0, 1)), dilation=(1, 2), groups=2)
    image = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)))
    for b, oy, ox, o in [(0, 0, 0, 0), (1, 2, 3, 1), (0, 1, 5, 2), (1, 0, 2, 3)]:
        acc = bias[o]
        for ky in range(3):
            for kx in range(2):
                for c in range(3):
                    acc = float32.fused(image[b, oy * 2 + ky, ox + kx * 2, o // 2 * 3 + c], w[o, ky, kx, c], acc)
        assert found[b, oy, ox, o] == acc
    exact = float32.convolution(x, w, bias, padding=((1, 1), (1, 1)), groups=2)
    assert exact.shape == (2, 6, 8, 4)


def test_product_is_within_half_a_step_a_term() -> None:
    rng = np.random.default_rng(3)
    x, w, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((5, 40), (7, 40), (7,)))
    exact = x.astype(np.float64) @ w.T.astype(np.float64) + bias
    bound = 40 * 2.0**-24 * (abs(x.astype(np.float64)) @ abs(w.T.astype(np.float64)) + abs(bias))
    assert (abs(float32.product(x, w, bias) - exact) <= bound).all()


def test_pools() -> None:
    x = _window(5)[0]
    found = float32.average_pool(x, (3, 2), stride=(2, 2), padding=((1, 1), (0, 1)))
    largest = float32.max_pool(x, (3, 2), stride=(2, 2), padding=((1, 1), (0, 1)))
    for b, oy, ox, c in np.ndindex(found.shape):
        inside = [x[b, y, z, c] for y in range(oy * 2 - 1, oy * 2 + 2) for z in range(ox * 2, ox * 2 + 2)
                  if 0 <= y < 6 and 0 <= z < 7]
        total = inside[0]
        for one in inside[1:]:
            total = np.float32(total + one)
        assert found[b, oy, ox, c] == np.float32(total * np.float32(1 / len(inside)))
        assert largest[b, oy, ox, c] == max(inside)


def test_zeros_have_signs() -> None:
    zero = np.array([[[[-0.0], [0.0]]]], np.float32)
    assert not np.signbit(float32.max_pool(zero, (1, 2))).any()
    assert np.signbit(float32.average_pool(zero[:, :, :1], (1, 1))).all()
    assert not np.signbit(float32.clamp(zero, 0.0)).any()
    assert np.isnan(float32.clamp(_reals(np.nan), 0.0, 6.0)).all()
    assert np.isnan(float32.max_pool(np.array([1, np.nan, 2], np.float32).reshape(1, 1, 3, 1), (1, 3))).all()


def test_exponential_against_float64() -> None:
    x = np.concatenate([np.linspace(-87.3, 0, 200_001), -np.logspace(-12, 0, 2000)]).astype(np.float32)
    exact = np.exp(x.astype(np.float64))
    ulp = np.spacing(exact.astype(np.float32)).astype(np.float64)
    assert (abs(float32.exponential(x) - exact) / ulp).max() < 1.0
    assert float32.exponential(_reals(0.0, -0.0, -87.34, -1e30, -np.inf)).tolist() == [1, 1, 0, 0, 0]
    assert np.isnan(float32.exponential(_reals(np.nan))).all()
    falls = float32.exponential(np.arange(-80, 0, 2.0**-9, dtype=np.float32))
    assert (np.diff(falls) >= 0).all()


def test_softmax() -> None:
    x = np.random.default_rng(1).normal(size=(20, 100)).astype(np.float32) * 8
    found = float32.softmax(x, 0.5)
    exact = np.exp((x - x.max(1, keepdims=True)) * 0.5, dtype=np.float64)
    exact /= exact.sum(1, keepdims=True)
    assert abs(found / exact - 1).max() < 2e-5
    assert abs(found.sum(1) - 1).max() < 1e-5
