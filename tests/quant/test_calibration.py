"""Calibration against its definitions, written once more as loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.calibration import METHODS, Range, calibrate, improved_scale, observer_of, scheme_of, similarity
from neonsim.quant.calibration.entropy import BINS, LEVELS, ncnn_cut, tensorrt_cut
from neonsim.quant.calibration.observers import Percentile
from tests.tiers import every


def _values(seed: int, heavy: bool = False, n: int = 4000) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    found = rng.standard_t(3, n) if heavy else rng.normal(size=n)
    return found.astype(np.float32)


def _histogram(values: NDArray[np.float32]) -> NDArray[np.int64]:
    counts = np.zeros(BINS, np.int64)
    reach = float(abs(values).max())
    for value in values.tolist():
        if value:
            counts[min(int(abs(value) / reach * BINS), BINS - 1)] += 1
    return counts


def _overlap(a: float, b: float, c: float, d: float) -> float:
    return max(min(b, d) - max(a, c), 0.0)


def _ncnn_divergence(counts: NDArray[np.int64], cut: int) -> float:
    """By overlaps of intervals: a level's mean over its stretch of bins, spread over these bins again."""
    shares, width = counts / counts.sum(), cut / LEVELS
    levels = [sum(_overlap(level * width, (level + 1) * width, b, b + 1) * shares[b]
                  for b in range(int(level * width), min(math.ceil((level + 1) * width), cut))) / width
              for level in range(LEVELS)]
    total = 0.0
    for b in range(cut):
        p = shares[b] + 1e-4 + (shares[cut:].sum() if b == cut - 1 else 0.0)
        q = 1e-4 + sum(_overlap(level * width, (level + 1) * width, b, b + 1) * levels[level]
                       for level in range(int(b / width), min(int((b + 1) / width) + 1, LEVELS)))
        total += p * math.log(p / q)
    return total


@pytest.mark.parametrize("seed", every(3, range(3)))
def test_ncnns_cut_has_the_least_divergence(seed: int) -> None:
    counts = _histogram(_values(seed, heavy=seed > 0))
    cut = ncnn_cut(counts)
    here = _ncnn_divergence(counts, cut)
    others = {LEVELS, cut - 1, cut + 1, cut // 2 + 64, 900, 1500, BINS - 1} & set(range(LEVELS, BINS)) - {cut}
    assert all(here <= _ncnn_divergence(counts, other) + 1e-12 for other in others)


def _tensorrt_divergence(counts: NDArray[np.int64], cut: int) -> float:
    wanted: list[float] = [float(one) for one in counts[:cut]]
    wanted[-1] += float(counts[cut:].sum())
    found = [0.0] * cut
    for level in range(LEVELS):
        bins = range(level * cut // LEVELS, (level + 1) * cut // LEVELS)
        held = [b for b in bins if counts[b]]
        for b in held:
            found[b] = float(counts[bins.start:bins.stop].sum()) / len(held)
    total = 0.0
    for p, q in zip(wanted, found, strict=True):
        if p and not q:
            return math.inf
        if p:
            total += p / sum(wanted) * math.log(p / sum(wanted) * sum(found) / q)
    return total


def test_tensorrts_cut_has_the_least_divergence() -> None:
    counts = _histogram(_values(7, heavy=True))
    cut = tensorrt_cut(counts)
    here = _tensorrt_divergence(counts, cut)
    assert LEVELS <= cut < BINS
    assert all(here <= _tensorrt_divergence(counts, other) + 1e-12
               for other in (LEVELS, cut - 1, cut + 1, 700, 1200, BINS) if LEVELS <= other <= BINS)


@pytest.mark.nightly
def test_a_heavy_tail_is_cut_and_a_flat_distribution_is_not() -> None:
    tail = np.concatenate([_values(1), np.array([60.0], np.float32)])
    flat = np.linspace(-1, 1, 20_001, dtype=np.float32)
    for method in ("kl", "kl-tensorrt"):
        assert float(calibrate([tail], method).scale) < 4 / 127, method
    for method in ("kl", "kl-tensorrt", "mse", "percentile"):
        assert float(calibrate([flat], method).scale) > 1 / 127 * 0.999, method


def test_mean_squared_error_cuts_where_one_value_costs_less_than_the_steps_of_all() -> None:
    """Of a million values steps of 12 / 127 cost more than cutting one value of 12 down by half."""
    values = np.concatenate([_values(9, n=1_000_000), np.array([12.0], np.float32)])
    cut = float(calibrate([values], "mse").scale)
    assert cut < 7 / 127

    def error(scale: float) -> float:
        return float(np.mean((np.clip(np.rint(values / scale), -127, 127) * scale - values) ** 2))

    assert error(cut) <= min(error(reach / 127) for reach in np.linspace(1, 12, 23)) * 1.01


@pytest.mark.parametrize("method", METHODS)
def test_several_batches_are_one_tensor(method: str) -> None:
    values = _values(3)
    whole, parts = calibrate([values], method), calibrate([values[:1000], values[1000:]], method)
    if method == "moving-average":
        low, high = [], []
        for part in (values[:1000], values[1000:]):
            low.append(float(part.min()))
            high.append(float(part.max()))
        reach = max(-(0.9 * low[0] + 0.1 * low[1]), 0.9 * high[0] + 0.1 * high[1])
        assert math.isclose(float(parts.scale), reach / 127, rel_tol=1e-6)
    else:
        assert parts == whole


def test_aciq_is_ncnns_formula() -> None:
    values = _values(5)
    spread = float(abs(values).max()) * 2 * (0.5 * 0.35) * (1 + math.sqrt(math.pi * math.log(4)))
    wanted = 3.92403714 * spread / math.sqrt(2 * math.log(values.size))
    assert math.isclose(float(calibrate([values], "aciq").scale), wanted / 127, rel_tol=1e-12)


def test_percentile_is_numpys_but_for_a_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Percentile, "percent", 99.0)   # Where values lie dense.
    values = _values(6, n=50_000)
    found = observer_of("percentile")
    found.look(values)
    found.look_again(values)
    wanted = float(np.percentile(abs(values), 99.0))
    assert abs(found.range().reach - wanted) <= 2 * float(abs(values).max()) / BINS


def test_zero_is_a_number_of_every_scheme() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        low, high = sorted(rng.normal(size=2) * 10.0 ** rng.integers(-6, 6))
        for dtype in ("int8", "uint8"):
            for symmetric in (True, False):
                found = scheme_of(Range(min(low, 0.0), max(high, 0.0)), dtype, symmetric)
                assert found.quantize([0.0]).dequantize().tolist() == [0.0]
                ends = found.quantize([min(low, 0.0), max(high, 0.0)]).dequantize()
                assert abs(ends - [min(low, 0.0), max(high, 0.0)]).max() <= float(found.scale) * 1.0001


def test_channels_apart() -> None:
    weights = _values(4, n=24).reshape(2, 12)
    found = calibrate([weights], "aciq", axis=0)
    assert found.axis == 0
    for channel in range(2):
        assert np.asarray(found.scale)[channel] == np.float32(calibrate([weights[channel]], "aciq").scale)


def test_a_constant_of_zero_has_a_scale_of_one() -> None:
    for method in METHODS:
        assert calibrate([np.zeros((2, 3))], method).scale == 1.0
    assert np.asarray(calibrate([np.array([[0.0, 0.0], [1.0, -2.54]])], axis=0).scale).tolist() == [
        1.0, float(np.float32(0.02))]


def test_a_better_scale_is_found_and_a_bad_score_leaves_it() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    x[0] = 20.0

    def score(steps_per_unit: float) -> float:
        return similarity(x, np.clip(np.rint(x * steps_per_unit), -127, 127) / steps_per_unit)

    better = improved_scale(127 / 20.0, score)
    assert score(better) >= score(127 / 20.0)
    assert improved_scale(3.0, lambda scale: -1.0) == 3.0


@pytest.mark.parametrize(("arrays", "words"), [
    ([], "calibration"),
    ([np.zeros((0, 3))], "batch 0 to calibrate with is empty"),
    ([np.ones(3), np.array([1.0, math.nan])], r"batch 1 has nan at \[1\]"),
    ([np.array([[1.0], [-math.inf]])], r"batch 0 has -inf at \[1, 0\]"),
    ([np.array(["a"])], "floating-point values; got <U1"),
])
def test_what_cannot_be_calibrated(arrays: list[NDArray[np.float64]], words: str) -> None:
    for method in METHODS:
        with pytest.raises(BadArgument, match=words):
            calibrate(arrays, method)


def test_wrong_arguments() -> None:
    with pytest.raises(BadArgument, match="method of calibration must be minmax"):
        calibrate([np.ones(2)], "best")
    with pytest.raises(BadArgument, match="a tensor has one zero point"):
        calibrate([np.ones((2, 2))], symmetric=False, axis=0)
    with pytest.raises(BadArgument, match="the same length in every array"):
        calibrate([np.ones((2, 2)), np.ones((3, 2))], axis=0)
    with pytest.raises(BadArgument, match="needs two passes over every batch"):
        half = observer_of("kl")
        half.look([1.0])
        half.range()
    with pytest.raises(BadArgument, match="a range must be finite and contain 0"):
        scheme_of(Range(1.0, 2.0))
