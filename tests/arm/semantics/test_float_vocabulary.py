"""The floating words: the definition against what is known of IEEE 754, and every reading against the definition."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from lane_readings import check, check_shadow

from neonsim.arm.semantics import (
    NumpyLanes,
    f16,
    f32,
    f64,
    float_abs,
    float_add,
    float_compare,
    float_compare_zero,
    float_convert,
    float_div,
    float_extreme,
    float_fma,
    float_from_int,
    float_javascript,
    float_javascript_exact,
    float_max,
    float_maxnm,
    float_min,
    float_minnm,
    float_mul,
    float_mulx,
    float_neg,
    float_nzcv,
    float_nzcv_zero,
    float_recpe,
    float_recps,
    float_recpx,
    float_round,
    float_round_within,
    float_rsqrte,
    float_rsqrts,
    float_sqrt,
    float_sub,
    float_to_bf16,
    float_to_int,
    float_turn,
    float_vocabulary,
    float_widen,
    products_of_bf16,
    s16,
    s32,
    s64,
    to_nearest,
    to_odd,
    u32,
    u64,
)
from neonsim.arm.semantics.float_formats import AHP, DN, DZC, FZ, FZ16, IDC, IOC, IXC, ODD, OFC, ROUNDING, STANDARD, UFC
from neonsim.arm.semantics.interp import numpy_float
from neonsim.arm.semantics.softfloat import FloatWord
from tests.tiers import every

UP, DOWN, ZERO = ROUNDING // 3, ROUNDING // 3 * 2, ROUNDING
RULES = (0, STANDARD, UP, DOWN | FZ | FZ16, ZERO | DN | AHP)
INFINITY, NAN, QUIET, NOISY, MINUS = 0x7F800000, 0x7FC00000, 0x7FC12345, 0x7F800001, 0x80000000
ONE, TWO, LARGEST, SMALLEST = 0x3F800000, 0x40000000, 0x7F7FFFFF, 0x00800000


def word(name: str, *detail: str | int, standard: bool = False, form: str = "f32") -> FloatWord:
    return FloatWord(name, str(detail[1]) if name == "convert" else form, STANDARD * standard, detail)


def number(pattern: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", pattern))[0])


def nearest(exact: Fraction) -> int:
    """The float32 nearest to a fraction, found by trying its neighbours: ties to the even pattern."""
    if not exact:
        return 0
    try:
        guess = struct.unpack("<I", struct.pack("<f", abs(float(exact))))[0]
    except OverflowError:
        guess = LARGEST
    around = [p for p in range(guess - 2, guess + 3) if 0 <= p <= LARGEST]
    best = min(around, key=lambda p: (abs(Fraction(number(p)) - abs(exact)), p & 1))
    limit = Fraction(2) ** 128 - Fraction(2) ** 103  # from here on infinity is nearer
    return (INFINITY if abs(exact) >= limit else best) | (MINUS if exact < 0 else 0)


def patterns(seed: int, count: int) -> list[int]:
    """Numbers with all exponents, many near 1, none infinite."""
    rng = random.Random(seed)
    made: list[int] = []
    while len(made) < count:
        exponent = rng.choice((rng.randrange(255), rng.randrange(100, 150), 0, 1, 254))
        made.append(exponent << 23 | rng.choice((0, 1, 0x7FFFFF, rng.getrandbits(23))) | rng.getrandbits(1) << 31)
    return made


# ---- the definition ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "function"), [
    ("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
    ("div", lambda a, b: a / b if b else None)])
def test_arithmetic_is_the_nearest_number(name: str, function: Callable[[Fraction, Fraction], Fraction | None]) -> None:
    for n, m in zip(patterns(1, 400), patterns(2, 400), strict=True):
        exact = function(Fraction(number(n)), Fraction(number(m)))
        if not exact:
            continue
        result, flags = word(name)(n, m)
        assert result == nearest(exact), (hex(n), hex(m))
        lost = result & ~MINUS == INFINITY or Fraction(number(result)) != exact
        tiny = abs(exact) < Fraction(2) ** -126
        assert flags == IXC * lost | OFC * (result & ~MINUS == INFINITY) | UFC * (tiny and lost)


def test_fused_is_rounded_once() -> None:
    for a, n, m in zip(patterns(3, 400), patterns(4, 400), patterns(5, 400), strict=True):
        exact = Fraction(number(n)) * Fraction(number(m)) + Fraction(number(a))
        if exact:
            assert word("fma")(a, n, m)[0] == nearest(exact), (hex(a), hex(n), hex(m))


def test_root() -> None:
    for n in patterns(6, 300):
        n &= ~MINUS
        result, flags = word("sqrt")(n)
        assert result == int(np.sqrt(np.array([n], np.uint32).view(np.float32)).view(np.uint32)[0])
        assert flags == IXC * (Fraction(number(result)) ** 2 != Fraction(number(n)))


@pytest.mark.parametrize(("call", "operands", "result", "flags"), [
    pytest.param(word("add"), (INFINITY, INFINITY | MINUS), NAN, IOC, id="infinity_minus_infinity"),
    pytest.param(word("add"), (QUIET, NOISY), NOISY | 0x400000, IOC, id="a_signaling_nan_comes_first"),
    pytest.param(word("add"), (QUIET, QUIET + 1), QUIET, 0, id="the_first_quiet_nan"),
    pytest.param(word("add", standard=True), (QUIET, ONE), NAN, 0, id="standard_has_one_nan"),
    pytest.param(word("sub"), (0, QUIET), QUIET, 0, id="subtracting_a_nan_keeps_its_sign"),
    pytest.param(word("add"), (MINUS, MINUS), MINUS, 0, id="minus_zero_twice"),
    pytest.param(word("add"), (ONE, ONE | MINUS), 0, 0, id="difference_is_plus_zero"),
    pytest.param(word("add", standard=True), (1, 1), 0, IDC, id="standard_takes_denormals_for_zero"),
    pytest.param(word("mul"), (SMALLEST, 0x3F000001), 0x400000, IXC | UFC, id="denormal_result"),
    pytest.param(word("mul", standard=True), (SMALLEST, 0x3F000001), 0, UFC, id="denormal_result_flushed"),
    pytest.param(word("mul", standard=True), (SMALLEST, 0x3F7FFFFF), 0, UFC, id="flushed_though_it_would_round_up"),
    pytest.param(word("mul"), (SMALLEST, 0x3F7FFFFF), SMALLEST, IXC | UFC, id="tiny_before_rounding"),
    pytest.param(word("mul"), (LARGEST, TWO), INFINITY, OFC | IXC, id="overflow"),
    pytest.param(word("mulx"), (0, INFINITY | MINUS), TWO | MINUS, 0, id="mulx_of_zero_and_infinity"),
    pytest.param(word("fma"), (QUIET, 0, INFINITY), NAN, IOC, id="fma_of_zero_and_infinity_beside_a_quiet_nan"),
    pytest.param(word("fma"), (NOISY, 0, INFINITY), NOISY | 0x400000, IOC, id="fma_with_a_signaling_addend"),
    pytest.param(word("div"), (ONE | MINUS, 0), INFINITY | MINUS, DZC, id="division_by_zero"),
    pytest.param(word("div"), (0, 0), NAN, IOC, id="zero_by_zero"),
    pytest.param(word("sqrt"), (MINUS,), MINUS, 0, id="root_of_minus_zero"),
    pytest.param(word("sqrt"), (ONE | MINUS,), NAN, IOC, id="root_of_minus_one"),
    pytest.param(word("max"), (MINUS, 0), 0, 0, id="plus_zero_is_larger"),
    pytest.param(word("min"), (0, MINUS), MINUS, 0, id="minus_zero_is_smaller"),
    pytest.param(word("maxnm"), (QUIET, ONE), ONE, 0, id="a_number_beats_a_quiet_nan"),
    pytest.param(word("maxnm"), (NOISY, ONE), NOISY | 0x400000, IOC, id="but_not_a_signaling_one"),
    pytest.param(word("to_int", "s", 32, 0, "n"), (0x40200000,), 2, IXC, id="two_and_a_half_to_even"),
    pytest.param(word("to_int", "s", 32, 0, "a"), (0x40200000,), 3, IXC, id="two_and_a_half_away"),
    pytest.param(word("to_int", "s", 32, 0, "n"), (0x4F000000,), 0x7FFFFFFF, IOC, id="two_to_the_31_is_clamped"),
    pytest.param(word("to_int", "s", 32, 0, "z"), (0xCF000000,), 0x80000000, 0, id="minus_two_to_the_31_fits"),
    pytest.param(word("to_int", "u", 32, 0, "z"), (0xBF7FFFFF,), 0, IXC, id="just_above_minus_one"),
    pytest.param(word("to_int", "u", 32, 0, "z"), (0xBF800000,), 0, IOC, id="minus_one_unsigned"),
    pytest.param(word("from_int", "s", 32, 0), (0x01000001,), 0x4B800000, IXC, id="a_tie_to_even"),
    pytest.param(word("convert", "f32", "f16"), (0x477FF000,), 0x7C00, OFC | IXC, id="65520_is_infinite"),
    pytest.param(word("convert", "f32", "f16"), (0x477FEFFF,), 0x7BFF, IXC, id="just_below_is_65504"),
    pytest.param(word("convert", "f32", "bf16"), (0x3F808000,), 0x3F80, IXC, id="bf16_tie_to_even"),
    pytest.param(word("recpe"), (ONE,), 0x3F7F8000, 0, id="estimate_of_one"),
    pytest.param(word("rsqrte"), (ONE,), 0x3F7F8000, 0, id="root_estimate_of_one"),
    pytest.param(word("recps"), (0, INFINITY), TWO, 0, id="step_of_zero_and_infinity")])
def test_edges(call: FloatWord, operands: tuple[int, ...], result: int, flags: int) -> None:
    assert call(*operands) == (result, flags)


@pytest.mark.parametrize("pattern", [0, 1, 0x3FF, 0x400, 0x3C00, 0x7BFF, 0x7C00, 0x8001, 0xFC00])
def test_half_precision_there_and_back(pattern: int) -> None:
    wide, flags = word("convert", "f16", "f32")(pattern)
    assert (number(wide), flags) == (float(np.uint16(pattern).view(np.float16)), 0)
    assert word("convert", "f32", "f16")(wide) == (pattern, 0)


# ---- every reading -------------------------------------------------------------------------------------------------

CASES: dict[str, tuple[Callable[..., Any], list[Any], Callable[[int], FloatWord]]] = {}


def case(label: str, function: Callable[..., Any], inputs: list[Any], name: str, form: str, *detail: str | int) -> None:
    CASES[label] = function, inputs, lambda fpcr: FloatWord(name, form, fpcr, detail)


def add_cases(form: Any, integers: tuple[Any, ...], fbits: int) -> None:
    """Every word on numbers of a format; conversions with its own and with other integers."""
    x, two, one = form.name, [(form, 4), (form, 4)], [(form, 4)]
    for name, function in (("add", float_add), ("sub", float_sub), ("mul", float_mul), ("mulx", float_mulx),
                           ("div", float_div), ("max", float_max), ("min", float_min), ("maxnm", float_maxnm),
                           ("minnm", float_minnm), ("recps", float_recps), ("rsqrts", float_rsqrts)):
        case(f"{x} {name}", lambda fpcr, n, m, f=function: f(n, m, fpcr), two, name, x)
    for name, single in (("sqrt", float_sqrt), ("recpe", float_recpe), ("rsqrte", float_rsqrte)):
        case(f"{x} {name}", lambda fpcr, n, f=single: f(n, fpcr), one, name, x)
    case(f"{x} fma", lambda fpcr, a, n, m: float_fma(a, n, m, fpcr), [*two, (form, 1)], "fma", x)
    for relation in ("==", ">=", ">", "<=", "<"):
        case(f"{x} {relation}", lambda fpcr, n, m, r=relation: float_compare(n, r, m, fpcr), two, "compare", x,
             relation)
        case(f"{x} {relation} 0", lambda fpcr, n, r=relation: float_compare_zero(n, r, fpcr), one, "compare", x,
             relation)
    for kind in ("quiet", "signaling"):
        case(f"{x} nzcv {kind}", lambda fpcr, n, m, k=kind: float_nzcv(n, m, k, fpcr), [(form, 1), (form, 1)], "nzcv",
             x, int(kind == "signaling"))
        case(f"{x} nzcv zero {kind}", lambda fpcr, n, k=kind: float_nzcv_zero(n, k, fpcr), [(form, 1)], "nzcv", x,
             int(kind == "signaling"))
    for rounding in "namzpx":
        for to, bits in ((integers[0], 0), (integers[1], fbits)):
            case(f"{x} {rounding} to {to}", lambda fpcr, n, r=rounding, t=to, b=bits: float_to_int(n, t, r, b, fpcr),
                 one, "to_int", x, to.kind, to.bits, bits, rounding)
        case(f"{x} round {rounding}", lambda fpcr, n, r=rounding: float_round(n, r, "exact", fpcr), one, "round", x,
             rounding, 1)
    for to, bits in ((integers[0], 0), (integers[1], fbits)):
        case(f"{x} from {to}", lambda fpcr, n, b=bits: float_from_int(n, form, b, fpcr), [(to, 2)], "from_int", x,
             to.kind, to.bits, bits)


add_cases(f32, (s32, u64), 64)
add_cases(f32, (s64, u32), 31)
add_cases(f64, (s64, u64), 64)
add_cases(f16, (s16, u64), 7)
for _from, _to in ((f32, f16), (f16, f32), (f64, f32), (f32, f64), (f64, f16), (f16, f64)):
    case(f"{_from} as {_to}", lambda fpcr, n, t=_to: float_convert(n, t, fpcr), [(_from, 4)], "convert", _to.name,
         _from.name, _to.name)
    case(f"{_from} as {_to}, to odd", lambda fpcr, n, t=_to: float_convert(n, t, to_odd(fpcr)), [(_from, 4)],
         "convert to odd", _to.name, _from.name, _to.name)
case("BF16", lambda fpcr, n: float_to_bf16(n, fpcr), [(f32, 4)], "convert", "bf16", "f32", "bf16")
for _form in (f16, f32, f64):
    case(f"{_form} recpx", lambda fpcr, n: float_recpx(n, fpcr), [(_form, 4)], "recpx", _form.name)
    for _which in ("max", "minnm"):
        case(f"{_form} {_which} by name", lambda fpcr, n, m, w=_which: float_extreme(n, m, w, fpcr),
             [(_form, 4), (_form, 4)], _which, _form.name)
case("widen", lambda fpcr, n: float_widen(n, fpcr), [(f16, 4)], "widen", "f32")
case("JavaScript", lambda fpcr, n: float_javascript(n, fpcr), [(f64, 1)], "javascript", "f64")
case("JavaScript, exact", lambda fpcr, n: float_javascript_exact(n, fpcr), [(f64, 1)], "javascript_exact", "f64")


@pytest.mark.parametrize(("label", "fpcr"), every(len(RULES) + 1, ((label, fpcr) for label in CASES for fpcr in RULES)))
def test_readings(label: str, fpcr: int) -> None:
    function, inputs, made_by = CASES[label]

    def made(rules: int) -> FloatWord:
        one = made_by(rules)
        return replace(one, name="convert", rules=rules & ~ROUNDING | ODD) if one.name == "convert to odd" else one

    def reference(*lanes: list[int]) -> tuple[list[int], list[int]]:
        count = max(len(x) for x in lanes)
        columns = [[v % (1 << t.bits) for v in x * (count // len(x))] for x, (t, _) in zip(lanes, inputs, strict=True)]
        outcomes = [made(fpcr)(*each) for each in zip(*columns, strict=True)]
        flags = 0
        for _, raised in outcomes:
            flags |= raised
        signed = made(fpcr).name == "to_int" and made(fpcr).detail[0] == "s"
        width = int(made(fpcr).detail[1]) if signed else 0
        return [v - (1 << width) if signed and v >> width - 1 else v for v, _ in outcomes], [flags]

    check(lambda *lanes: function(fpcr, *lanes), reference, inputs, 1, rounds=4)


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("rounding", "nmzpa")
def test_rounding_within_so_many_bits(width: int, rounding: str) -> None:
    """What Arm's FPRoundIntN says, of fractions: what does not fit, infinities and NaNs are the smallest integer."""
    rounds: dict[str, Callable[[Fraction], int]] = {
        "n": round, "m": math.floor, "z": math.trunc, "p": math.ceil,
        "a": lambda x: int(math.copysign(math.floor(abs(x) + Fraction(1, 2)), x))}
    whole = rounds[rounding]

    def reference(lanes: list[int]) -> tuple[list[int], list[int]]:
        results, flags = [], 0
        for bits in lanes:
            value, minus = number(bits), bits & MINUS
            exact = whole(Fraction(value)) if math.isfinite(value) else None
            fits = exact is not None and -2 ** (width - 1) <= exact < 2 ** (width - 1)
            back = struct.unpack("<I", struct.pack("<f", float(exact if fits else -2 ** (width - 1))))[0]
            results.append(back | minus if fits else back)
            flags |= IOC if not fits else IXC * (exact != Fraction(value))
        return results, [flags]

    edges = [INFINITY, INFINITY | MINUS, NAN, NOISY, 0, MINUS, 0x4F000000, 0xCF000000, 0xCF000001, 0x4EFFFFFF,
             0x5F000000, 0xDF000000, 0xDF000001, 0x3F000000, 0x3FC00000, 0xBF000000, 0xC0200000]
    for bits in edges + patterns(9, 60):
        results, flags = float_round_within(NumpyLanes.from_integers([bits], f32), rounding, width, 0)
        assert (results.tolist(), flags.tolist()) == reference([bits]), hex(bits)
    check(lambda n: float_round_within(n, rounding, width, 0), reference, [(f32, 4)], 10)


def test_signs() -> None:
    check(float_abs, lambda n: [x & ~MINUS for x in n], [(f32, 4)], 2)
    for negative in (0, 1):
        check(lambda n, k=negative: float_turn(n, k), lambda n, k=negative: [x ^ MINUS * k for x in n], [(f32, 4)], 8)
    assert (products_of_bf16(), to_nearest(UP | FZ)) == (ODD | ROUNDING | FZ | DN, FZ)
    check(float_neg, lambda n: [x ^ MINUS for x in n], [(f32, 4)], 3)
    check(float_abs, lambda n: [x & 0x7FFF for x in n], [(f16, 4)], 4)


def test_unknown_lanes() -> None:
    for function in (float_add, float_max):
        check_shadow(lambda n, m, f=function: f(n, m, 0), [(f32, 2), (f32, 2)], 5)
        check_shadow(lambda n, m, f=function: f(n, m, STANDARD), [(f32, 2), (f32, 1)], 6)


def test_a_host_that_flushes_denormals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then numpy does not compute: the definition does, to the same bits."""
    n, m = (np.array(patterns(seed, 64), np.uint32).reshape(4, 16, 1) for seed in (7, 8))
    expected = numpy_float.apply(word("mul"), [n, m], f32)
    monkeypatch.setattr(numpy_float, "_DENORMAL", np.zeros(1, np.float32))
    for want, got in zip(expected, numpy_float.apply(word("mul"), [n, m], f32), strict=True):
        assert (want == got).all()


@pytest.mark.parametrize(("said", "text"), [
    (word("fma").text("a", "n", "m"), "round(a + n * m)"), (word("compare", ">").text("n"), "(n > 0.0)"),
    (word("to_int", "s", 32, 0, "n").text("x"), "s32(x * 2**0, n)"), (word("max").text("n", "m"), "max(n, m)")])
def test_what_it_says(said: str, text: str) -> None:
    assert said == text


def test_every_word_is_tested_here() -> None:
    assert set(float_vocabulary.__all__) <= set(globals())
    assert math.isinf(number(INFINITY))
