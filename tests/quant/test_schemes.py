"""Requantisation against independent definitions in Python integers and fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.quant import (
    Q31Params,
    SchemeParams,
    decompose,
    derive,
    fp32_lrint,
    fp32_magic,
    gemmlowp,
    largest_error,
    precise,
    q31,
    requantize,
    rndnu,
    unclamped,
)
from neonsim.quant.rounding import ROUNDINGS, limits
from neonsim.ukernel.packing.param_blocks import block_of
from tests.tiers import every

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
HALF = Fraction(1, 2)


# ---- the definitions, once more, without numpy and without fixed point

def half_up(x: Fraction) -> int:
    return floor(x + HALF)


def half_away(x: Fraction) -> int:
    return floor(x + HALF) if x >= 0 else -floor(-x + HALF)


def half_even(x: Fraction) -> int:
    return round(x)


def q31_definition(x: int, scale: Fraction, shift: int) -> int:
    product = half_up(x * scale * 2**shift)
    return product if shift == 0 else half_away(Fraction(product, 2**shift))


def fp32_definition(x: int, scale: np.float32) -> int:
    return half_even(Fraction(float(np.float32(x) * scale)))


def expected(scheme: str, x: int, scale: np.float32) -> int:
    exact = Fraction(float(scale))
    shift = 0
    while exact * 2**shift < HALF:
        shift += 1
    return {
        "precise": lambda: half_away(x * exact),
        "rndnu": lambda: half_up(x * exact),
        "fp32_lrint": lambda: fp32_definition(x, scale),
        "q31": lambda: q31_definition(x, exact, shift),
        "gemmlowp": lambda: q31_definition(x, exact, shift),
    }[scheme]()


def accumulators(rng: np.random.Generator, scale: float) -> list[int]:
    """Ends of the type, around 0, uniform, near and on exact halves of the results 0..255 that clamps do not hide."""
    near = [round((q + HALF) / Fraction(scale)) + d for q in (-256, -129, -2, -1, 0, 1, 127, 254) for d in (-1, 0, 1)]
    fixed = [INT_MIN, INT_MIN + 1, INT_MAX - 1, INT_MAX, -(2**30), 2**30, *range(-9, 10),
             2**24 - 1, 2**24, 2**24 + 1, -(2**24) - 1]
    spread = rng.integers(INT_MIN, INT_MAX, 20).tolist() + rng.integers(-(2**20), 2**20, 20).tolist()
    return [x for x in fixed + near + spread if INT_MIN <= x <= INT_MAX]


MANTISSAS = {"power_of_two": 1.0, "just_above": 1 + 2.0**-23, "just_below_2": 2 - 2.0**-23, "three_halves": 1.5,
             "plain": 1.2345678}


@pytest.mark.parametrize(("scheme", "mantissa"), every(6, product(
    ["precise", "rndnu", "fp32_lrint", "q31", "gemmlowp"], MANTISSAS)))
def test_every_shift(scheme: str, mantissa: str) -> None:
    rng = np.random.default_rng(7)
    lowest = 0 if ROUNDINGS[scheme].below == 1 else -8
    for shift in range(lowest, 32):
        scale = np.float32(MANTISSAS[mantissa] * 2.0 ** (-1 - shift))
        assert int(decompose(scale).shift) == shift
        acc = accumulators(rng, float(scale))
        got = unclamped(np.array(acc), scale, scheme).tolist()
        assert got == [expected(scheme, x, scale) for x in acc], f"shift {shift}"


@pytest.mark.parametrize("zero_point", [0, 1, 127, 255])
@pytest.mark.parametrize("lo,hi", [(None, None), (128, None), (None, 128), (77, 77), (0, 0), (255, 255)])
def test_zero_point_and_clamp_come_last(zero_point: int, lo: int | None, hi: int | None) -> None:
    rng = np.random.default_rng(3)
    for scheme in ROUNDINGS:
        scale = np.float32(0.013)
        acc = np.array(accumulators(rng, 0.013))
        name = "fp32_lrint" if scheme == "fp32_magic" else scheme
        want = [min(max(expected(name, int(x), scale) + zero_point, lo or 0), 255 if hi is None else hi) for x in acc]
        got = requantize(acc, scale, zero_point, lo, hi, scheme=scheme)
        assert got.dtype == np.uint8
        assert got.tolist() == want, scheme


@pytest.mark.parametrize("dtype,zero_points", [("uint8", (0, 100, 255)), ("int8", (-128, 0, 127))])
def test_magic_equals_lrint(dtype: str, zero_points: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    for shift in range(-8, 32):
        scale = np.float32(1.5 * 2.0 ** (-1 - shift))
        acc = np.array(accumulators(rng, float(scale)))
        for zero_point in zero_points:
            a = fp32_magic(acc, scale, zero_point, dtype=dtype)
            np.testing.assert_array_equal(a, fp32_lrint(acc, scale, zero_point, dtype=dtype))


def test_gemmlowp_equals_q31_also_for_full_multipliers() -> None:
    rng = np.random.default_rng(13)
    for shift in range(32):
        multiplier = np.concatenate([rng.integers(2**30, 2**31, 500), [2**30, 2**31 - 1]])
        acc = np.concatenate([rng.integers(INT_MIN, INT_MAX, 490), [INT_MIN, INT_MAX, -1, 0, 1, 2, -2, 3, -3, 4, -4,
                                                                    -5]])
        np.testing.assert_array_equal(gemmlowp(acc, multiplier, shift, 128), q31(acc, multiplier, shift, 128))


def test_sign_of_accumulator_or_of_product_gives_the_same_result() -> None:
    """The C reference takes the sign of acc, the assembly the sign of the product (R06)."""
    rng = np.random.default_rng(17)
    acc = np.concatenate([np.arange(-300, 300), rng.integers(INT_MIN, INT_MAX, 20_000)])
    for multiplier in (2**30, 2**30 + 1, 3 * 2**29, 2**31 - 1):
        for shift in range(32):
            product = acc * multiplier + 2**30 >> 31
            mask = 2**shift - 1
            by_product = (product >> shift) + ((product & mask) - (product < 0) > mask >> 1)
            want = np.clip(by_product, -128, 127)
            np.testing.assert_array_equal(q31(acc, multiplier, shift, dtype="int8"), want)


TIES = {  # (R17), scale 1/2, accumulators -3 -1 1 3
    "precise": [-2, -1, 1, 2], "rndnu": [-1, 0, 1, 2], "fp32_lrint": [-2, 0, 0, 2], "fp32_magic": [-2, 0, 0, 2],
    "q31": [-1, 0, 1, 2], "gemmlowp": [-1, 0, 1, 2],
}


@pytest.mark.parametrize("scheme", TIES)
def test_tie_table(scheme: str) -> None:
    assert requantize([-3, -1, 1, 3], 0.5, scheme=scheme, dtype="int8").tolist() == TIES[scheme]


def test_q31_ties_go_up_at_shift_0_and_away_from_zero_after() -> None:
    """The rule that QNNPACK's own test for ties misses at scale 1/2 (Z10)."""
    for shift in range(8):
        scale = 2.0 ** (-1 - shift)
        results = np.arange(-100, 100)
        acc = (2 * results + 1) * 2**shift          # exactly result + 1/2
        away = np.where(acc > 0, results + 1, results)
        up = results + 1
        got = q31(acc, *decompose(scale), dtype="int8")
        np.testing.assert_array_equal(got, up if shift == 0 else away)
        np.testing.assert_array_equal(precise(acc, *decompose(scale), dtype="int8"), away)
        np.testing.assert_array_equal(rndnu(acc, *decompose(scale), dtype="int8"), up)


def test_worked_case_of_a_user() -> None:
    """585 at 1/90: the exact product is 6.50000016; a float32 cannot tell it from the tie 6.5 (R18)."""
    got = {name: requantize(585, 1 / 90, scheme=name).item() for name in ROUNDINGS}
    assert got == {"precise": 7, "rndnu": 7, "q31": 7, "gemmlowp": 7, "fp32_lrint": 6, "fp32_magic": 6}


@pytest.mark.parametrize("shift", range(9))
def test_law_of_disagreement_and_largest_error_of_q31(shift: int) -> None:
    """q31 differs from the exact rounding with probability 2**-(shift+1), by up to 0.5 + 2**-(shift+1) (R13, R14)."""
    rng = np.random.default_rng(23)
    count = 40_000
    scale = rng.uniform(0.5, 1, count).astype(np.float32) * np.float32(2.0**-shift)
    scale = np.minimum(scale, np.float32(2.0**-shift) * np.float32(1 - 2.0**-24))
    acc = rng.integers(-(2**30), 2**30, count)
    got, exact = unclamped(acc, scale, "q31"), unclamped(acc, scale, "precise")
    share = np.mean(got != exact)
    law = 0.0 if shift == 0 else 2.0 ** -(shift + 1)
    assert abs(share - law) <= 4 * np.sqrt(law / count) + 1e-9
    product = decompose(scale).multiplier * acc     # exact, in units of 2**-(31 + shift)
    error = np.abs(got * 2.0 ** (31 + shift) - product) / 2.0 ** (31 + shift)
    bound = 0.5 + (0 if shift == 0 else 2.0 ** -(shift + 1))
    assert bound == largest_error(float(scale[0])) == largest_error(float(scale[0]), "gemmlowp")
    assert bound - 0.02 < error.max() <= bound + 1e-6


@pytest.mark.parametrize("scheme", ["precise", "rndnu", "fp32_lrint"])
def test_largest_error_of_the_others(scheme: str) -> None:
    rng = np.random.default_rng(31)
    for scale in rng.uniform(2.0**-20, 1, 50).astype(np.float32):
        acc = np.clip(rng.uniform(-256, 256, 2000) / scale, INT_MIN, INT_MAX).astype(np.int64)
        error = np.abs(unclamped(acc, scale, scheme) - acc * float(scale))
        assert error.max() <= largest_error(float(scale), scheme)


def test_rndnu_differs_from_precise_on_negative_ties_only() -> None:
    """rndnu and the exact rounding differ at exact negative ties only (R15)."""
    rng = np.random.default_rng(29)
    acc = rng.integers(-(2**16), 2**16, 50_000)
    scale = rng.choice(np.array([0.5, 0.25, 0.375, 0.1, 0.003], np.float32), acc.size)
    differ = unclamped(acc, scale, "rndnu") != unclamped(acc, scale, "precise")
    multiplier, shift = decompose(scale)
    tie = (acc * multiplier) % (np.int64(1) << 31 + shift) == np.int64(1) << 30 + shift
    np.testing.assert_array_equal(differ, tie & (acc < 0))
    assert differ.any()


def test_scales_per_channel_run_along_the_last_axis() -> None:
    acc = np.arange(-600, 600).reshape(100, 12)
    scale = np.linspace(0.01, 0.9, 12, dtype=np.float32)
    for scheme in ROUNDINGS:
        whole = requantize(acc, scale, 5, scheme=scheme)
        for channel in range(12):
            np.testing.assert_array_equal(whole[:, channel],
                                          requantize(acc[:, channel], scale[channel], 5, scheme=scheme))


# ---- what is refused

@pytest.mark.parametrize("scheme,scale,accepted", [
    ("q31", 2.0**-32, True), ("q31", 2.0**-33, False), ("q31", 1 - 2.0**-24, True), ("q31", 1.0, False),
    ("gemmlowp", 1.0, False), ("precise", 1.0, True), ("rndnu", 255.99, True), ("rndnu", 256.0, False),
    ("fp32", 256.0, False), ("fp32_magic", 200.0, True), ("fp32_magic", 2.0**-33, False),
])
def test_ranges_of_scales(scheme: str, scale: float, accepted: bool) -> None:
    if accepted:
        derive(scale, scheme)
        requantize([1, 2, 3], scale, scheme=scheme)
    else:
        with pytest.raises(BadArgument, match=r"takes 2\*\*-32 <= scale <"):
            derive(scale, scheme)
        with pytest.raises(BadArgument):
            requantize([1, 2, 3], scale, scheme=scheme)


def test_scale_of_one_and_more_is_refused_with_a_way_out() -> None:
    with pytest.raises(BadArgument) as problem:
        derive(1.5)
    assert "larger output scale" in str(problem.value) and "rndnu" in str(problem.value)


@pytest.mark.parametrize("scale", [0.0, -0.5, float("nan"), float("inf"), 1e-40, 1e39, "half", None, 1j])
def test_scale_that_is_no_scale(scale: object) -> None:
    with pytest.raises(BadArgument, match="scale must be"):
        derive(scale)  # type: ignore[arg-type]


def test_channel_of_a_bad_scale_is_named() -> None:
    with pytest.raises(BadArgument, match="at channel 2"):
        derive(np.array([0.1, 0.2, np.nan, 0.3]))
    with pytest.raises(BadArgument, match="at channel 1"):
        derive(np.array([0.1, 2.0]))


@pytest.mark.parametrize("multiplier,shift,word", [
    (2**30 - 1, 0, "normalized"), (2**31, 0, "normalized"), (2**30, 32, "shift"), (2**30, -1, "shift"),
    (0.5, 0, "integers"),
])
def test_bad_multiplier_and_shift(multiplier: float, shift: int, word: str) -> None:
    with pytest.raises(BadArgument, match=word):
        q31([1], multiplier, shift)


@pytest.mark.parametrize("acc", [[0.5], [2**31], [-(2**31) - 1], np.array([2**63], np.uint64)])
def test_accumulators_must_be_int32(acc: object) -> None:
    with pytest.raises(BadArgument, match="int32"):
        q31(acc, 2**30, 0)  # type: ignore[arg-type]


def test_clamp_and_zero_point_are_checked() -> None:
    with pytest.raises(BadArgument, match="greater than output_max"):
        limits("uint8", 10, 9)
    for kind, value in (("uint8", 256), ("uint8", -1), ("int8", 128), ("int8", -129)):
        with pytest.raises(BadArgument, match="zero_point"):
            requantize([1], 0.5, value, dtype=kind)
    assert limits("int16") == (-32768, 32767)
    with pytest.raises(BadArgument, match="uint8, int8 or int16"):
        limits("int32")
    with pytest.raises(BadArgument, match="uint8, int8 or int16"):
        limits("bytes of mine")
    with pytest.raises(BadArgument, match="Use precise"):
        requantize([1], 0.5, scheme="mode 2")
    # As far as its addition rounds.
    assert unclamped([-2**31, 2**31 - 1], 0.5, "fp32_magic").tolist() == [-2**22, 2**22]


# ---- parameter objects

def params(**changes: int) -> Q31Params:
    values = {"multiplier": 2**30, "shift": 3, "a_zero_point": 1, "w_zero_point": 2, "output_zero_point": 3,
              "output_min": 4, "output_max": 250}
    return Q31Params(**{**values, **changes})


def test_parameter_block_is_what_the_c_struct_says() -> None:
    block = block_of(params(multiplier=0x5B05B080, shift=6, output_zero_point=0xC8))
    assert block == bytes.fromhex("80b0055b" "faffffff" "c800" "fa" "04" "02" "01" "0000")
    assert len(block) == 16


@pytest.mark.parametrize("name,value", [
    ("multiplier", 2**31), ("multiplier", 2**30 - 1), ("shift", 32), ("shift", -1), ("a_zero_point", 256),
    ("w_zero_point", -1), ("output_zero_point", 300), ("output_min", 251), ("output_max", 256), ("shift", 1.5),
    ("a_zero_point", True), ("a_zero_point", "3"),
])
def test_parameters_out_of_range_are_named(name: str, value: int) -> None:
    with pytest.raises(BadArgument, match=name):
        params(**{name: value})


def test_parameters_requantize_as_q31() -> None:
    p = Q31Params.from_scale(0.013, a_zero_point=0, w_zero_point=0, output_zero_point=9, output_min=3, output_max=200)
    acc = np.arange(-30_000, 30_000, 7)
    np.testing.assert_array_equal(p.requantize(acc), requantize(acc, 0.013, 9, 3, 200))
    assert p.scale == pytest.approx(0.013, rel=1e-7)
    assert np.float32(p.scale) == np.float32(0.013)


def test_scheme_parameters() -> None:
    p = SchemeParams("fp32", np.array([0.5, 2.0]), 0, 0, -1, -128, 127, "int8")
    assert p.requantize(np.array([[3, 3], [-3, -3]], np.int32)).tolist() == [[1, 5], [-3, -7]]
    with pytest.raises(BadArgument, match="at channel 1"):
        SchemeParams("q31", np.array([0.5, 2.0]), 0, 0, 0, 0, 255)


# ---- larger sweeps

@pytest.mark.nightly
def test_all_accumulators_of_22_bits() -> None:
    """Every accumulator of a range, at scales that make ties and near-ties, against integers of Python."""
    acc = np.arange(-(2**21), 2**21)
    for scale in (0.5, 0.25, 0.375, 1 / 90, 2.0**-13, 0.9999, 3 * 2.0**-14):
        multiplier, shift = decompose(scale)
        h = 31 + int(shift)
        wide = acc.astype(object) * int(multiplier)
        half = 1 << h - 1
        up = [(v + half) >> h for v in wide]
        away = [(v + half) >> h if v >= 0 else -((-v + half) >> h) for v in wide]
        np.testing.assert_array_equal(unclamped(acc, scale, "rndnu"), up)
        np.testing.assert_array_equal(unclamped(acc, scale, "precise"), away)
        product = [(v + 2**30) >> 31 for v in wide]
        s = int(shift)
        twice = product if s == 0 else [(p + (1 << s - 1)) >> s if p >= 0 else -((-p + (1 << s - 1)) >> s)
                                        for p in product]
        np.testing.assert_array_equal(unclamped(acc, scale, "q31"), twice)


@pytest.mark.nightly
def test_overall_disagreement_of_q31() -> None:
    """The sum of the law over scales uniform in (0, 1) (R13)."""
    from neonsim.quant import rates

    share = rates(count=500_000, magnitude=1 << 30)["precise", "q31"]
    assert share == pytest.approx(sum(2.0 ** -(s + 1) * 2.0 ** -(s + 1) for s in range(1, 30)), rel=0.02)
