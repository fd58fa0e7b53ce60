"""Winograd: the identity over integers, the choices published, growth of bits on the worst data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.winograd import (
    ConvLayer,
    balanced_transforms,
    choose,
    correlate,
    correlate_directly,
    direct_cost,
    growth,
    integer_transforms,
    interpolation_points,
    transforms,
    winograd_cost,
)


@pytest.mark.parametrize("most", [6, pytest.param(10, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("f", [Fraction(1, 2), Fraction(1), Fraction(1, 4), Fraction(-3, 7)])
def test_the_identity_for_every_size(f: Fraction, most: int) -> None:
    """On unit vectors: a map that is linear in d and in g is right everywhere if it is right on these."""
    for n, k in ((n, size - n + 1) for size in range(1, most + 1) for n in range(1, size + 1)):
        of = transforms(n, k, f)
        for at in range(n + k - 1):
            for tap in range(k):
                d, g = np.zeros(n + k - 1, int).astype(object), np.zeros(k, int).astype(object)
                d[at] = g[tap] = 1
                assert correlate(d, g, of).tolist() == correlate_directly(d, g).tolist(), (n, k, at, tap)


_POINTS: list[tuple[int, int, list[Fraction | float] | None]] = [
    (4, 3, [0, 1, -1, 2, Fraction(-1, 2)]), (2, 5, [0, 1, -1, 3, 5]), (6, 3, None)]


def test_two_dimensions_and_points_of_ones_own() -> None:
    rng = np.random.default_rng(0)
    for n, k, points in _POINTS:
        d = rng.integers(-99, 99, (n + k - 1,) * 2).astype(object)
        g = rng.integers(-99, 99, (k, k)).astype(object)
        assert (correlate(d, g, transforms(n, k, points=points)) == correlate_directly(d, g)).all()


def test_f23_is_the_papers() -> None:
    """Lavin and Gray's, up to signs that cancel."""
    a, b, g = transforms(2, 3, 1)
    assert [[str(one) for one in row] for row in zip(*b, strict=True)] == [
        ["-1", "0", "1", "0"], ["0", "1", "1", "0"], ["0", "-1", "1", "0"], ["0", "-1", "0", "1"]]
    assert [[str(one) for one in row] for row in zip(*a, strict=True)] == [["1", "1", "1", "0"], ["0", "1", "-1", "1"]]
    assert g[1] == [Fraction(1, 2)] * 3


# (E06): oh = ow, ic, oc, n, times less
PAPER = [(56, 64, 64, 8, 3.75), (28, 128, 128, 7, 4.40), (14, 256, 256, 7, 4.87), (7, 512, 512, 7, 5.14),
         (112, 3, 32, 4, 1.11)]


@pytest.mark.parametrize(("size", "ic", "oc", "n", "gain"), PAPER)
def test_the_papers_choice(size: int, ic: int, oc: int, n: int, gain: float) -> None:
    found = choose(ConvLayer(size, size, ic, oc))
    assert (found.n, round(found.gain, 2)) == (n, gain)
    assert f"{found.gain:.2f} times less" in found.reason


def test_unbounded_the_paper_would_take_14() -> None:
    layer = ConvLayer(28, 28, 128, 128)
    assert min(range(1, 29), key=lambda n: winograd_cost(layer, n)) == 14


def test_mnns_choice_of_2020() -> None:
    assert [choose(ConvLayer(size, size, ic, oc), "mnn-2020").n for size, ic, oc, *_ in PAPER[:4]] == [6, 6, 2, 2]


def test_more_threads_take_smaller_tiles() -> None:
    layer = ConvLayer(28, 28, 128, 128)
    assert [choose(layer, "mnn-2020", threads).n for threads in (1, 2, 8)] == [6, 6, 2]
    assert {choose(layer, "mnn-main", threads).n for threads in (1, 200)} == {2, 6}


def test_cost_is_counted() -> None:
    """The product's part of the formula, by counting the products of a tile one by one."""
    layer, n = ConvLayer(5, 7, 3, 2), 2
    tiles = 3 * 4
    t = n + 2
    products = sum(1 for _ in range(tiles) for _ in range(t * t) for _ in range(layer.ic) for _ in range(layer.oc))
    others = tiles * (2 * 3 * t**3 + n * t * (2 * n + 2) * 2)
    assert winograd_cost(layer, n) == products + others
    assert direct_cost(layer) == sum(9 * 3 * 2 for _ in range(5 * 7))


def test_a_window_of_one_tap_goes_the_direct_way() -> None:
    assert choose(ConvLayer(14, 14, 64, 64, 1)).n == 1
    assert choose(ConvLayer(1, 1, 4, 4)).n == 1


def _worst(n: int, k: int, data: int, weights: int, common: bool) -> tuple[int, int]:
    """Largest sizes of transformed inputs and weights over the signs that make one place largest."""
    _, b, g, _ = integer_transforms(n, k) if common else balanced_transforms(n, k)
    b_t, g_t = np.array(b, object).T, np.array(g, object)
    source = max(int(abs(b_t @ (data * np.outer(np.sign(b_t[i]), np.sign(b_t[j]))) @ b_t.T).max())
                 for i in range(len(b_t)) for j in range(len(b_t)))
    heavy = max(int(abs(g_t @ (weights * np.outer(np.sign(g_t[i]), np.sign(g_t[j]))) @ g_t.T).max())
                for i in range(len(g_t)) for j in range(len(g_t)))
    return source, heavy


@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize(("n", "k"), [(2, 3), (4, 3), (6, 3), (2, 5)])
def test_growth_is_reached(n: int, k: int, common: bool) -> None:
    found = growth(n, k, data=128, weights=127, common=common)
    assert (found.source, found.weights) == _worst(n, k, 128, 127, common)


def test_integers_give_the_direct_result() -> None:
    """F(2, 3) and F(4, 3) on int8 data of the largest size: exact after one division."""
    rng = np.random.default_rng(1)
    for n, common in ((2, False), (4, False), (4, True)):
        *matrices, factor = integer_transforms(n, 3) if common else balanced_transforms(n, 3)
        a, b, g = (np.array(one, object) for one in matrices)
        assert factor**2 == growth(n, 3, common=common).divisor
        for _ in range(20):
            d = rng.choice([-128, 127], (n + 2, n + 2)).astype(object)
            w = rng.choice([-127, 127], (3, 3)).astype(object)
            y = a.T @ ((g @ w @ g.T) * (b.T @ d @ b)) @ a
            assert (y % factor**2 == 0).all()
            assert (y // factor**2 == correlate_directly(d, w)).all()


def test_what_fits_16_bits() -> None:
    assert growth(2, 3, data=255).refusal == ""
    assert growth(2, 3).bits() == {"source": 11, "weights": 12, "product": 21, "sum": 21, "destination": 21}
    assert growth(4, 3, data=255).refusal == ""
    assert growth(4, 3, data=255, channels=114).refusal == ""
    assert "destination needs 33 bits" in growth(4, 3, data=255, channels=116).refusal
    assert "source needs 18 bits" in growth(5, 3, data=128).refusal
    assert "weights need 18 bits" in growth(2, 5).refusal
    # ncnn's way: one factor for all rows.
    assert "weights need 18 bits" in growth(4, 3, common=True).refusal
    assert growth(4, 3, weights=31, common=True).refusal == ""
    assert "destination needs 33 bits" in growth(2, 3, channels=4096, common=True).refusal


def test_sums_that_wrap_come_back() -> None:
    """F(4, 3) with weights of 6 bits, 100 channels: sums of products beyond 2**31, the result right modulo 2**32."""
    *matrices, factor = integer_transforms(4, 3)
    a, b, g = (np.array(one, object) for one in matrices)
    assert growth(4, 3, weights=31, channels=100, common=True).refusal == ""
    w = np.full((3, 3), 31, object)
    d = 128 * np.outer(np.sign(b[:, 5]), np.sign(b[:, 5]))   # The same tile in a hundred channels.
    sums = 100 * ((g @ w @ g.T) * (b.T @ d @ b))
    wrapped = (a.T @ (((sums + 2**31) % 2**32) - 2**31) @ a + 2**31) % 2**32 - 2**31
    assert max(abs(sums).reshape(-1)) >= 2**31
    assert (wrapped // factor**2 == 100 * correlate_directly(d, w)).all()


def _mean_error(n: int, k: int, f: Fraction) -> float:
    """Of float32 in two dimensions on uniform data, against float64."""
    rng = np.random.default_rng(0)
    of = transforms(n, k, f)
    errors: list[float] = []
    for _ in range(50):
        d: NDArray[np.float32] = rng.uniform(-1, 1, (n + k - 1,) * 2).astype(np.float32)
        g: NDArray[np.float32] = rng.uniform(-1, 1, (k, k)).astype(np.float32)
        errors.append(float(abs(correlate(d, g, of) - correlate_directly(d.astype(float), g.astype(float))).mean()))
    return float(np.mean(errors))


def test_half_steps_help_from_f63_on_and_harm_f23() -> None:
    """(E16, Z15), as orders: the size of an error depends on the data."""
    half, one = Fraction(1, 2), Fraction(1)
    assert _mean_error(2, 3, half) > 1.2 * _mean_error(2, 3, one)
    for n, k in ((6, 3), (4, 5), (2, 7)):
        assert _mean_error(n, k, half) < _mean_error(n, k, one) / 4


@pytest.mark.parametrize(("call", "words"), [
    (lambda: transforms(0, 3), "n must be"),
    (lambda: balanced_transforms(9, 7), "15 numbers at a time; 14 at most as whole"),
    (lambda: transforms(60, 10), "69 numbers at a time; the limit is 64"),
    (lambda: transforms(2, 3, points=[0, 1]), "takes 3 finite points; got 2"),
    (lambda: transforms(2, 3, points=[0, 1, 1]), "must differ"),
    (lambda: transforms(2, 3, f=0), "cannot be 0"),
    (lambda: transforms(2, 3, f=float("nan")), "f must be a fraction"),
    (lambda: interpolation_points(3, "half"), "f must be a fraction"),  # type: ignore[arg-type]
    (lambda: choose(ConvLayer(4, 4, 1, 1), "best"), "a policy must be mnn"),
    (lambda: correlate(np.zeros(3), np.zeros(3), transforms(2, 3)), "take 4 inputs and 3 taps"),
    (lambda: correlate_directly(np.zeros(2), np.zeros(3)), "does not fit"),
])
def test_wrong_input(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(BadArgument, match=words):
        call()
