"""Steps per unit: rounding of every float near a half, in exact fractions; constants that kernels take."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.ops.arithmetics.ncnn import QuantizeInt8
from neonsim.quant.requant.ncnn import (
    NcnnParams,
    dequantize_accumulators,
    factor_of,
    quantize_int8,
    requantize_accumulators,
)


def near_halves() -> Any:
    """Every half from -128.5 to 128.5 with eight floats on either side, and what ends and begins ranges."""
    halves = (np.arange(-129, 129) + 0.5).astype(np.float32)
    around = [halves]
    for way in (np.float32(np.inf), np.float32(-np.inf)):
        x = halves
        for _ in range(8):
            x = np.nextafter(x, way)
            around.append(x)
    edge = np.array([0.0, -0.0, 127.0, -127.0, 128.0, -128.0, 2.0**23, -(2.0**31), 3e38, 1e-45], np.float32)
    return np.concatenate([*around, edge])


def exact(x: float) -> int:
    """Half away from zero, in fractions."""
    whole = Fraction(abs(x)) + Fraction(1, 2)
    return max(-127, min(127, (1 if x > 0 else -1) * (whole.numerator // whole.denominator)))


@pytest.mark.nightly
def test_every_float_near_a_half() -> None:
    """The definition and the kernels of both instruction sets, whose instructions round differently."""
    x = near_halves()
    wanted = np.array([exact(float(one)) for one in x], np.int8)
    assert np.array_equal(quantize_int8(x, 1.0), wanted)
    from neonsim.nn.backends.emulated import EmulatedBackend
    for isa in ("aarch32", "aarch64"):
        assert np.array_equal(QuantizeInt8(1.0)(x, backend=EmulatedBackend(isa)), wanted), isa
    # What Armv7 is often made to do instead: a half is added, and the sum cut off.
    added = np.trunc(x + np.copysign(np.float32(0.5), x)).clip(-127, 127)
    assert set(x[added != wanted].tolist()) == {float(np.float32(0.49999997)), float(np.float32(-0.49999997))}


def test_one_rounding_of_product_and_sum() -> None:
    """(F04): sum * factor + bias is a fused multiply-add."""
    rng = np.random.default_rng(0)
    sums, factor = rng.integers(-(1 << 24), 1 << 24, 2000).astype(np.int32), np.exp2(rng.uniform(-14, -4, 2000))
    single = factor.astype(np.float32)
    bias = (-sums * single.astype(np.float64) * rng.choice([1, 1 + 2.0**-20], 2000)).astype(np.float32)
    wanted = [np.float32(float(Fraction(int(s)) * Fraction(float(f)) + Fraction(float(b))))
              for s, f, b in zip(sums, single, bias, strict=True)]
    found = np.array([dequantize_accumulators(sums[i:i + 1], single[i:i + 1], bias[i:i + 1])[0] for i in range(2000)])
    assert np.array_equal(found, np.array(wanted, np.float32))
    twice = sums.astype(np.float32) * single + bias
    assert (twice != found).any()       # two roundings differ: the test can tell


def test_between_is_both() -> None:
    """(F05): the red line is the blue one without the numbers in memory."""
    rng = np.random.default_rng(1)
    sums = rng.integers(-40000, 40000, (50, 7)).astype(np.int32)
    factor, bias = factor_of(12.0, rng.uniform(20, 90, 7)), rng.normal(size=7).astype(np.float32)
    for low, high in ((-np.inf, np.inf), (0.0, 6.0)):
        assert np.array_equal(requantize_accumulators(sums, factor, bias, 9.5, low, high),
                              quantize_int8(dequantize_accumulators(sums, factor, bias, low, high), 9.5))


def test_nan_and_infinite() -> None:
    x = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert quantize_int8(x, 2.0).tolist() == [0, 127, -127]
    with pytest.raises(BadArgument, match="NaN has no integer"):
        QuantizeInt8(2.0)(x)


@pytest.mark.parametrize(("arguments", "words"), [
    ({"steps": 0.0}, "must be positive"), ({"steps": -1.0}, "must be positive"), ({"steps": np.nan}, "finite"),
    ({"steps": 2.0**-101}, r"2\*\*-100 to 2\*\*124"), ({"steps": 2.0**125}, r"2\*\*-100 to 2\*\*124"),
    ({"low": 1.0, "high": 1.0}, "low < high"), ({"low": np.nan}, "low < high"), ({"high": 0.0}, "the lower one"),
    ({"low": 1e-40}, "at least")])
def test_numbers_that_kernels_do_not_take(arguments: dict[str, float], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        NcnnParams(**arguments)
