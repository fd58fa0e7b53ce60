"""gemmlowp's output pipeline: every stage by its formula in integers of Python, and through the packed kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops import fully_connected
from neonsim.nn.ops.arithmetics.gemmlowp import GemmlowpMatmul, OutputPipeline, gemm_with_pipeline
from neonsim.quant.requant.output_pipeline import (
    AddBias,
    ByExponent,
    ByFixedPoint,
    ClampStage,
    QuantizeDown,
    SaturatingCast,
    Stage,
    TanhStage,
    TruncatingCast,
    pipeline,
)
from neonsim.quant.rounding import derive
from neonsim.quant.scheme import Quantized, Scheme

EDGES = [*range(-70, 71), 2**31 - 1, -2**31, 2**30, -2**30, 2**24 + 1, -2**24 - 1, 12345678, -12345678]


def _word(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def _nearest(x: Fraction, away: bool) -> int:
    """To the nearest; halves up, or away from zero."""
    return -_nearest(-x, True) if away and x < 0 else math.floor(x + Fraction(1, 2))


def _fixed(x: int, multiplier: int, shift: int, offset: int) -> int:
    high = min(_nearest(Fraction(x * multiplier, 2**31), away=False), 2**31 - 1)
    return _word(_nearest(Fraction(high, 2**shift), away=True) + offset)


FORMULAS: list[tuple[Stage, Callable[[int], int]]] = [
    *((QuantizeDown(a, m, s), lambda x, a=a, m=m, s=s: _word(_word(_word(x + a) * m) + (2**s >> 1)) >> s)
      for a, m, s in ((0, 1, 0), (7, 3, 1), (-100, 12345, 9), (5, -7, 31), (2**31 - 1, 1, 3))),
    *((ByFixedPoint(m, s, o), lambda x, m=m, s=s, o=o: _fixed(x, m, s, o))
      for m, s, o in ((2**30, 0, 0), (2**31 - 1, 1, 5), (1717986918, 7, -3), (-2**31, 0, 0), (2**30, 31, 2**31 - 1))),
    *((ByExponent(m, e, o), lambda x, m=m, e=e, o=o: _fixed(_word(x << max(e, 0)), m, max(-e, 0), o))
      for m, e, o in ((2**30, 0, 0), (1717986918, 4, 1), (1717986918, -4, 1), (2**30, 31, 0), (2**30, -31, 9))),
    (AddBias(9), lambda x: _word(x + 9)), (ClampStage(-5, 60), lambda x: min(max(x, -5), 60)),
    (SaturatingCast("uint8"), lambda x: min(max(x, 0), 255)),
    (SaturatingCast("int8"), lambda x: min(max(x, -128), 127)),
    (SaturatingCast("int16"), lambda x: min(max(x, -2**15), 2**15 - 1)), (TruncatingCast(), lambda x: x % 256)]


@pytest.mark.parametrize(("stage", "formula"), FORMULAS, ids=[str(i) for i in range(len(FORMULAS))])
def test_stages_by_their_formulas(stage: Stage, formula: Callable[[int], int]) -> None:
    found = pipeline([stage], np.array(EDGES)[:, None])[:, 0]
    assert found.tolist() == [formula(x) for x in EDGES] and found.dtype == stage.dtype


def _tanh_in_words(x: int, zero: int, amplitude: int) -> int:
    """gemmlowp's steps in Python's integers: saturating rounding products, a barrel of powers, Newton's method."""
    def times(a: int, b: int) -> int:
        return min((a * b + 2**30) >> 31, 2**31 - 1)

    def by_power(a: int, k: int) -> int:
        return _nearest(Fraction(a, 2**k), away=True) if k > 0 else min(max(a << -k, -2**31), 2**31 - 1)
    if x <= zero - 8 * amplitude or x >= zero + 8 * amplitude:
        return zero + amplitude * (1 if x > zero else -1)
    inverse, down, forward, up = 1.0 / amplitude, 0, float(amplitude), 0
    while inverse < 0.5:
        inverse, down = inverse * 2, down + 1
    while forward >= 1:
        forward, up = forward / 2, up + 1
    q0 = [min(round(one * 2**31), 2**31 - 1) for one in (inverse, forward)]
    a = _word(times(x - zero, q0[0]) << 28 - down)
    n = -abs(a)                                     # Q3, and as twice the number Q4
    part = (n & (2**25 - 1)) - 2**25
    b = by_power(part, -4) + 2**28
    b2 = times(b, b)
    tail = by_power(times(by_power(times(b2, b2), 2) + times(b2, b), 715827883) + b2, 1)
    e = 1895147668 + times(1895147668, b + tail)
    for k, power in enumerate((1672461947, 1302514674, 790015084, 290630308, 39332535, 720401)):
        e = times(e, power) if (part - n) >> 25 + k & 1 else e
    e = 2**31 - 1 if n == 0 else e
    half = (e + 2**31 - 1 + 1) // 2
    y = 1515870810 + times(half, -1010580540)
    for _ in range(3):
        y += by_power(times(y, 2**29 - times(half, y)), -2)
    t = by_power(y - 2**29, -2)
    t = 0 if a == 0 else -t if a < 0 else t
    return zero + (times(t, q0[1]) >> 31 - up)


@pytest.mark.parametrize(("zero", "amplitude"), [(0, 1), (0, 1000), (128, 127), (-5, 3), (1 << 20, 1 << 20), (0, 999)])
def test_tanh(zero: int, amplitude: int) -> None:
    span = np.linspace(-9, 9, 301) * amplitude + zero
    x = np.unique(np.concatenate([span.astype(np.int64), zero + np.array([-1, 0, 1])]))
    found = TanhStage(zero, amplitude).apply(x)
    assert found.tolist() == [_tanh_in_words(int(one), zero, amplitude) for one in x]
    real = zero + amplitude * np.tanh((x - zero) / amplitude)
    # A step for the shift that is cut off, one for the quotient that is rounded before it is shifted, and precision.
    assert abs(found - real).max() <= 2 + 3e-7 * amplitude


def _wanted(x: NDArray[np.uint8], w: NDArray[np.uint8], lhs: int, rhs: int,
            formulas: Sequence[Callable[[int, int], int]]) -> list[list[int]]:
    found = []
    for row in x.tolist():
        line = []
        for column, weights in enumerate(w.tolist()):
            total = sum((a + lhs) * (b + rhs) for a, b in zip(row, weights, strict=True))
            for formula in formulas:
                total = formula(total, column)
            line.append(total)
        found.append(line)
    return found


CASES = [(1, 1, 1, 0, 0), (13, 9, 5, -3, -200), (12, 8, 16, -255, 0), (3, 20, 7, 0, -1), (25, 17, 11, 100, 37)]


@pytest.mark.parametrize(("m", "n", "k", "lhs", "rhs"), CASES)
@pytest.mark.parametrize("backend", ["reference", "native", "emulated/aarch64", "emulated/aarch32"])
def test_through_the_packed_kernels(backend: str, m: int, n: int, k: int, lhs: int, rhs: int) -> None:
    """(Y04, Y08): bias, scale per column, clamp, cast; zero points of both sides."""
    rng = np.random.default_rng(m + n + k)
    x, w = rng.integers(0, 256, (m, k), np.uint8), rng.integers(0, 256, (n, k), np.uint8)
    bias = rng.integers(-1000, 1000, n)
    multiplier, exponent = rng.integers(2**30, 2**31, n), rng.integers(-12, 1, n)
    stages = [AddBias(bias), ByExponent(multiplier, exponent, 7), ClampStage(3, 250), SaturatingCast("uint8")]
    wanted = _wanted(x, w, lhs, rhs, [
        lambda t, c: _word(t + int(bias[c])),
        lambda t, c: _fixed(_word(t << max(int(exponent[c]), 0)), int(multiplier[c]), max(-int(exponent[c]), 0), 7),
        lambda t, c: min(max(t, 3), 250)])
    chosen: Any = EmulatedBackend(backend.split("/")[1]) if "/" in backend else backend
    found = gemm_with_pipeline(x, w, stages, lhs_offset=lhs, rhs_offset=rhs, backend=chosen)
    assert found.dtype == np.uint8 and found.tolist() == wanted
    plan = GemmlowpMatmul(w, row_sums=True).plan((m, k), backend=chosen)
    if backend.startswith("emulated"):
        tile = "12x4__aarch32" if backend.endswith("32") else "12x8__aarch64"
        assert plan.kernels == (f"u8_gemm_packed_s32_{tile}_neon_cells",)
    assert (plan.run(x)[:, -1] == x.sum(axis=1, dtype=np.int64)).all()


def test_every_kind_of_result() -> None:
    rng = np.random.default_rng(5)
    x, w = rng.integers(0, 256, (4, 6), np.uint8), rng.integers(0, 256, (3, 6), np.uint8)
    sums = np.array(_wanted(x, w, 0, 0, []))
    assert (gemm_with_pipeline(x, w, [], backend="reference") == sums).all()
    for dtype in ("uint8", "int8", "int16"):
        info = np.iinfo(dtype)
        found = gemm_with_pipeline(x, w, [SaturatingCast(dtype)], backend="reference")
        assert found.dtype == dtype and (found == np.clip(sums, info.min, info.max)).all()
    assert (gemm_with_pipeline(x, w, [TruncatingCast()], backend="reference") == sums % 256).all()


@pytest.mark.parametrize("backend", ["reference", "native", "emulated", None])
def test_as_an_option_of_fully_connected(backend: str | None) -> None:
    """By one fixed-point stage it is requantization "gemmlowp"; zero points and bias are those of the operands."""
    rng = np.random.default_rng(8)
    x = Quantized(rng.integers(0, 256, (2, 3, 20), np.uint8), 0.02, 131)
    w = Quantized(rng.integers(0, 256, (5, 20), np.uint8), 0.01, 117)
    bias, out = rng.integers(-3000, 3000, 5).astype(np.int32), Scheme(0.03, 12)
    multiplier, shift = derive(0.02 * 0.01 / 0.03)
    stages = [ByFixedPoint(multiplier, shift, 12), ClampStage(5, 240), SaturatingCast("uint8")]
    found = fully_connected(x, w, bias, out=out, output_stages=stages, backend=backend)
    wanted = fully_connected(x, w, bias, out=out, requantization="gemmlowp", output_min=5, output_max=240,
                             backend="reference")
    assert (found.values == wanted.values).all() and len(np.unique(found.values)) > 10
    assert (found.scheme, found.backend) == (out, backend or "native")
    assert found.kernel == ("numpy" if backend == "reference" else found.kernel) and found.kernel


@pytest.mark.parametrize(("options", "words"), [
    ({"output_stages": [SaturatingCast("int8")]}, "the stages give int8, out is uint8: the last stage is a cast"),
    ({"output_stages": []}, "the stages give int32"),
    ({"output_stages": [SaturatingCast()], "requantization": "q31", "output_min": 3},
     "omit requantization, output_min"),
    ({"output_stages": [AddBias([1, 2]), SaturatingCast()]}, "has numbers for 2 columns; there are 3"),
    ({"output_stages": [SaturatingCast()], "w": Quantized(np.zeros((3, 4), np.int8), 1.0)},
     "w of a packed product must be"),
    ({"output_stages": [SaturatingCast()], "w": Quantized(np.zeros((3, 5), np.uint8), 1.0)}, "do not match"),
    ({"output_stages": [SaturatingCast()], "x": Quantized(np.zeros((0, 4), np.uint8), 1.0)},
     "with all sizes at least 1"),
    ({"output_stages": [SaturatingCast()], "x": np.zeros((2, 4), np.uint8)}, "x must be a Quantized"),
    ({"output_stages": [SaturatingCast()], "w": np.zeros((3, 4), np.uint8)}, "w must be a Quantized"),
    ({"output_stages": [SaturatingCast()], "bias": [0.5, 1, 2]}, "bias must be an integer"),
    ({"output_stages": [SaturatingCast()], "bias": np.zeros(4, int)}, "numbers for 4 columns; there are 3")])
def test_refusals_of_the_option(options: dict[str, Any], words: str) -> None:
    given = {"x": Quantized(np.zeros((2, 4), np.uint8), 1.0), "w": Quantized(np.zeros((3, 4), np.uint8), 1.0),
             "bias": None, "out": Scheme(1.0), **options}
    with pytest.raises(BadArgument, match=words):
        fully_connected(given.pop("x"), given.pop("w"), given.pop("bias"), **given)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: QuantizeDown(0, 1, 32), r"shift must be in 0\.\.31; got 32"),
    (lambda: ByFixedPoint([1, 2**31], 0), "multiplier must be in .* at column 1"),
    (lambda: ByExponent(1, 0.5), "exponent must be an integer"),
    (lambda: ClampStage(2, 1), "low <= high"),
    (lambda: TanhStage(0, 0), "real_amplitude of tanh"),
    (lambda: SaturatingCast("int4"), "saturating cast must be to"),
    (lambda: pipeline([SaturatingCast("uint8"), ClampStage(0, 1)], [1]), "only the last one may"),
    (lambda: pipeline([AddBias([1, 2])], [[1, 2, 3]]), "numbers for 2 columns; there are 3"),
    (lambda: pipeline(["clamp"], [1]), "stage 0 of the pipeline is a str"),  # type: ignore[list-item]
    (lambda: pipeline([], [2**31]), "does not fit"),
    (lambda: GemmlowpMatmul(np.zeros((2, 3), np.int8)), "uint8"),
    (lambda: GemmlowpMatmul(np.zeros((2, 3), np.uint8))(np.zeros((1, 4), np.uint8)), "do not match"),
    (lambda: OutputPipeline([], 2, lhs_offset=1), "column_sums="),
    (lambda: OutputPipeline([], 2, lhs_offset=256), "lhs_offset"),
    (lambda: OutputPipeline([], 2, rhs_offset=1)(np.zeros((1, 2), np.int32)), "do not have 3 columns")])
def test_refusals(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        make()
