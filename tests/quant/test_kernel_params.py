"""Parameter blocks of int8 kernels: what they compute, byte by byte, and what they refuse."""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.quant.params.elementwise import ConvertParams, LeakyParams, MultiplyParams, ScaledAddParams
from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams, check_weights
from neonsim.quant.params.requant import MeanParams
from neonsim.quant.reference.dynamic import DynamicRows, Qd8Params, dynamic_matmul, quantize_rows
from neonsim.ukernel.packing.param_blocks import block_of

ALL = np.arange(-128, 128, dtype=np.int8)


def half_up(value: Fraction) -> int:
    return int((value + Fraction(1, 2)) // 1)


def clip(value: int, low: int = -128, high: int = 127) -> int:
    return min(max(value, low), high)


def test_weights() -> None:
    good = np.array([[-127, 0, 127]], np.int8)
    assert check_weights(good) is good
    with pytest.raises(BadArgument, match=r"w has -128 at \[1, 2\] \(2 in all\)"):
        check_weights(np.array([[1, 2, 3], [4, 5, -128], [-128, 0, 0]], np.int8))
    with pytest.raises(BadArgument, match="must be int8"):
        check_weights(np.ones(3, np.uint8))


def test_rndnu_block() -> None:
    """Scales below and above 1, against fractions; the block says the same as the numbers."""
    acc = np.array([-(1 << 31), -1000, -3, -1, 0, 1, 2, 3, 77, 12345, (1 << 31) - 1])
    for scale in (2.0**-32, 1e-5, 0.0117, 0.25, 0.5, 1.0, 1.7, 255.9):
        params = RndnuGemmParams.from_scale(scale, a_zero_point=-7, output_zero_point=-9, output_min=-100)
        exact = Fraction(float(np.float32(scale)))
        assert params.requantize(acc).tolist() == [clip(half_up(exact * int(x)) - 9, -100) for x in acc]
        m, pre, post, zero, high, low, wz, az = struct.unpack("<iiihbbbbxx", block_of(params))
        assert (zero, high, low, wz, az) == (-9, 127, -100, 0, -7) and post <= -1 and 0 <= pre <= 9
        assert Fraction(m, 1 << 31) * Fraction(2) ** (post + pre) == exact


def test_unsigned_block() -> None:
    params = RndnuGemmParams.from_scale(0.1, a_zero_point=200, w_zero_point=130, output_zero_point=255, dtype="uint8")
    assert struct.unpack("<BBBB2x", block_of(params)[14:]) == (255, 0, 130, 200)
    assert params.requantize([-3000, 5]).tolist() == [0, 255]


def test_fp32_block() -> None:
    params = Fp32GemmParams.from_scale(0.5, a_zero_point=3, output_zero_point=-20, output_max=100)
    scale, low, high, magic, zero, top, bottom, wz, az = struct.unpack("<fffihbbbb2x", block_of(params))
    assert (scale, low, high, zero, top, bottom, wz, az) == (0.5, -108, 120, -20, 100, -128, 0, 3)
    for acc in (-3, -1, 1, 3, 5, 1000, -1000):
        found = np.float32(min(max(np.float32(acc) * np.float32(scale), low), high)) + np.float32(12582912.0)
        assert int(np.float32(found).view(np.int32)) - magic == params.requantize(acc).item()


def test_one_scale_per_channel() -> None:
    params = Qc8wParams(5, -3, -50, 60)
    low, high, magic, zero, top, bottom = struct.unpack("<ffihbb", block_of(params))
    assert (low, high, magic, zero, top, bottom) == (-47, 63, 0x4B400003, -3, 60, -50)
    acc = np.array([[10, 10, 10], [-7, -7, -7]])
    assert params.requantize(acc, [0.25, 0.5, 100.0]).tolist() == [[-1, 2, 60], [-5, -7, -50]]
    with pytest.raises(BadArgument, match="at channel 1"):
        params.requantize(acc, [0.25, 256.0, 1.0])


@pytest.mark.parametrize(("build", "words"), [
    (lambda: RndnuGemmParams.from_scale(256.0, a_zero_point=0, output_zero_point=0), "takes 2"),
    (lambda: RndnuGemmParams.from_scale(2.0**-33, a_zero_point=0, output_zero_point=0), "takes 2"),
    (lambda: RndnuGemmParams.from_scale(0.5, a_zero_point=128, output_zero_point=0), "a_zero_point must be in -128"),
    (lambda: RndnuGemmParams.from_scale(0.5, a_zero_point=0, output_zero_point=0, w_zero_point=1), "symmetric"),
    (lambda: RndnuGemmParams(1 << 29, 0, 0, 0, 0, -128, 127), "multiplier must be in"),
    (lambda: Fp32GemmParams(300.0, 0, 0, 0, -128, 127), "takes 2"),
    (lambda: Fp32GemmParams(0.5, 0, 0, 0, 10, 9), "is greater than"),
    (lambda: Qc8wParams(0, 0, dtype="uint8"), "be int8"),
    (lambda: ScaledAddParams.from_scales(2.0**-11, 1.0, a_zero_point=0, b_zero_point=0, output_zero_point=0),
     "a scale / output scale must be in"),
    (lambda: ScaledAddParams.from_scales(1.0, 256.0, a_zero_point=0, b_zero_point=0, output_zero_point=0), "b scale"),
    (lambda: MultiplyParams(2.0**-17, 0, 0, 0, -128, 127), "must be in"),
    (lambda: MultiplyParams(0.5, 0, 0, 0, -128, 127, "q31"), "'rndnu' or 'fp32'"),
    (lambda: ConvertParams.from_ratio(129.0, input_zero_point=0, output_zero_point=0), "must be in"),
    (lambda: LeakyParams.from_ratio(1.0, 0.001, input_zero_point=0, output_zero_point=0), "in magnitude"),
    (lambda: LeakyParams.from_ratio(1.0, float("nan"), input_zero_point=0, output_zero_point=0), "in magnitude"),
    (lambda: MeanParams.from_scale(0.5, rows=0, input_zero_point=0, output_zero_point=0), "rows must be in"),
    (lambda: Qd8Params(1.0, 0.0), "exclude every value"),
    (lambda: Qd8Params(float("nan")), "exclude every value"),
    (lambda: quantize_rows(np.ones(3)), "must be a matrix"),
    (lambda: quantize_rows([[1.0, np.inf]]), r"at \[0, 1\]"),
])
def test_refusals(build: Any, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        build()


@pytest.mark.parametrize(("a", "b", "subtract"), [(1.0, 1.0, False), (0.3, 7.1, False), (255.9, 0.001, True),
                                                  (2.0**-10, 2.0**-10, True), (0.5, 0.25, True)])
def test_add(a: float, b: float, subtract: bool) -> None:
    """All pairs of bytes: the sum of rounded multiples, one rounding up, by fractions for a sample."""
    p = ScaledAddParams.from_scales(a, b, a_zero_point=-5, b_zero_point=9, output_zero_point=3, subtract=subtract)
    assert 1 << 20 <= max(abs(p.a_multiplier), abs(p.b_multiplier)) <= 1 << 21 and 12 <= p.shift <= 30
    found = p.combine(ALL[:, None], ALL[None, :])
    for i, j in np.random.default_rng(0).integers(0, 256, (200, 2)):
        acc = p.a_multiplier * (int(ALL[i]) + 5) + p.b_multiplier * (int(ALL[j]) - 9)
        assert found[i, j] == clip(half_up(Fraction(acc, 1 << p.shift)) + 3)
    np.testing.assert_array_equal(p.swapped().combine(ALL[None, :], ALL[:, None]), found)
    # What the factors stand for is the real sum, to the last bit of 20.
    real = np.float32(a) * (ALL[:, None] + 5.0) + (-1 if subtract else 1) * np.float32(b) * (ALL[None, :] - 9.0)
    assert np.abs(np.clip(real + 3, -128, 127) - found).max() <= 0.501
    za, zb, zy, ma, mb, shift, top, bottom = struct.unpack("<bbhiiibb2x", block_of(p))
    assert (za, zb, zy, ma, mb, shift, top, bottom) == (-5, 9, 3, p.a_multiplier, p.b_multiplier, -p.shift, 127, -128)


@pytest.mark.parametrize("scheme", ["fp32", "rndnu"])
def test_multiply(scheme: str) -> None:
    p = MultiplyParams(0.0375, 4, -11, -2, -120, 110, scheme)
    found = p.combine(ALL[:, None], ALL[None, :])
    exact = Fraction(float(np.float32(0.0375)))
    for i, j in np.random.default_rng(1).integers(0, 256, (300, 2)):
        product = (int(ALL[i]) - 4) * (int(ALL[j]) + 11)
        if scheme == "rndnu":
            assert found[i, j] == clip(half_up(exact * product) - 2, -120, 110)
        else:
            assert found[i, j] == clip(int(np.rint(np.float32(product) * np.float32(0.0375))) - 2, -120, 110)
    assert len(block_of(p)) == {"fp32": 16, "rndnu": 20}[scheme]
    np.testing.assert_array_equal(p.swapped().combine(ALL[None, :], ALL[:, None]), found)


def sqrdmulh(a: int, b: int) -> int:
    return clip((2 * a * b + (1 << 15)) >> 16, -(1 << 15), (1 << 15) - 1)


def test_convert_and_leaky_are_what_the_vector_code_does() -> None:
    """((zx - x) << 7) by SQRDMULH with minus the multiplier, in 16 bits: the formula, for every byte."""
    for ratio in (2.0**-8, 0.3, 1.0, 2.5, 128.0):
        for zero in (-128, 0, 127):
            p = ConvertParams.from_ratio(ratio, input_zero_point=zero, output_zero_point=-3)
            _, minus, _ = struct.unpack("<hhh2x", block_of(p))
            assert p.apply(ALL).tolist() == [clip(sqrdmulh(zero - int(x) << 7, minus) - 3) for x in ALL]
            for slope in (-0.5, 0.25, 1.0) if ratio > 0.1 else (-1.0, 1.0):
                q = LeakyParams.from_ratio(ratio, slope, input_zero_point=zero, output_zero_point=-3)
                _, up, down, _ = struct.unpack("<hhhh", block_of(q))
                assert q.apply(ALL).tolist() == [
                    clip(sqrdmulh(zero - int(x) << 7, up if x > zero else down) - 3) for x in ALL]


def test_mean() -> None:
    p = MeanParams.from_scale(0.37 / 11, rows=11, input_zero_point=-9, output_zero_point=20, output_min=-30)
    exact = Fraction(float(np.float32(0.37 / 11)))
    sums = np.arange(-1408, 1398)
    assert p.requantize(sums).tolist() == [clip(half_up(exact * (int(s) + 99)) + 20, -30) for s in sums]


def test_rows() -> None:
    """Every row by itself: 0 exact, ends within a step, errors within half a step."""
    rng = np.random.default_rng(5)
    real = (rng.normal(size=(60, 40)) * 10.0 ** rng.integers(-6, 6, (60, 1)) + rng.normal(size=(60, 1))).astype("f4")
    real[0], real[1], real[2] = 0, np.abs(real[1]), -np.abs(real[2])
    rows = quantize_rows(real)
    assert (rows.zero_point >= -128).all() and (rows.zero_point <= 127).all()
    assert rows.zero_point[1] == -128 and rows.zero_point[2] == 127 and (rows.values[0] == rows.zero_point[0]).all()
    error = np.abs(rows.dequantize() - real) / rows.scale[:, None]
    assert error.max() < 0.501
    assert len(block_of(rows)) == 8 * 60
    assert struct.unpack("<if", block_of(rows)[8:16]) == (int(rows.zero_point[1]), float(rows.scale[1]))


def test_dynamic_product() -> None:
    """Against real numbers, and step by step in single precision."""
    rng = np.random.default_rng(6)
    real, weights = rng.normal(size=(7, 30)), rng.integers(-127, 128, (5, 30), dtype=np.int8)
    scale, bias = rng.uniform(0.001, 0.1, 5).astype("f4"), rng.normal(size=5).astype("f4")
    rows = quantize_rows(real)
    found = dynamic_matmul(rows, weights, scale, bias)
    exact = rows.dequantize().astype(np.float64) @ (weights * scale[:, None].astype(np.float64)).T + bias
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-4)
    acc = sum((int(rows.values[2, k]) - int(rows.zero_point[2])) * int(weights[3, k]) for k in range(30))
    step = np.float32(np.float32(acc) * rows.scale[2])
    assert found[2, 3] == np.float32(np.float32(step * scale[3]) + bias[3])
    clamped = dynamic_matmul(rows, weights, scale, bias, Qd8Params(-1.0, 2.0))
    np.testing.assert_array_equal(clamped, np.clip(found, -1.0, 2.0))
    assert isinstance(rows, DynamicRows)
