"""Tengine's arithmetic: ReLU in integers is ReLU in real numbers, for all sums; ReLU6 needs a rounded constant."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import decompose
from neonsim.quant.requant.schemes import unclamped
from neonsim.quant.requant.tengine import (
    TengineParams,
    activation_limit,
    by_multiplier,
    half_away,
    through_real,
    to_sums,
)

Ints = NDArray[np.int64]
SCALES = (0.5, 1 / 90, 0.0111111119, 1 - 2.0**-24, 2.0**-20)
ROUNDINGS: dict[str, Callable[[Ints, float], Ints]] = {
    **{name: (lambda acc, scale, name=name: unclamped(acc, scale, name))        # type: ignore[misc]
       for name in ("precise", "rndnu", "fp32_lrint", "q31", "gemmlowp")},
    "tengine": by_multiplier, "tengine-reference": lambda acc, scale: through_real(
        acc, np.float32(scale) * np.float32(0.75), 0.75)}


def _f(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)


def _edges() -> Ints:
    """Around 0, around powers of two of both signs, and the ends of int32."""
    powers = 2 ** np.arange(0, 32, dtype=np.int64)
    near = np.concatenate([sign * powers + shift for sign in (-1, 1) for shift in range(-3, 4)])
    return np.unique(np.clip(np.concatenate([near, np.arange(-4096, 4097)]), -2**31, 2**31 - 1))


def _commutes(rule: Callable[[Ints, float], Ints], acc: Ints, scale: float) -> bool:
    """(F13): cut off before, cut off after: the same bytes."""
    before, after = rule(np.maximum(acc, 0), scale), np.maximum(rule(acc, scale), 0)
    return bool((np.clip(before, -127, 127) == np.clip(after, -127, 127)).all())


@pytest.mark.parametrize("name", ROUNDINGS)
def test_relu_commutes(name: str) -> None:
    acc = _edges()
    for scale in SCALES:
        assert _commutes(ROUNDINGS[name], acc, scale)
        assert int(ROUNDINGS[name](np.zeros(1, np.int64), scale)[0]) == 0
        assert (np.diff(ROUNDINGS[name](acc, scale)) >= 0).all()


def test_a_rule_that_is_not_monotone_would_be_found() -> None:
    """And one that does not map 0 to 0: the two things that the proof needs."""
    acc = _edges()
    assert not _commutes(lambda a, s: np.floor(a * s - 0.75).astype(np.int64), acc, 0.5)
    assert not _commutes(lambda a, s: np.abs(a), acc, 0.5)


# The same rules in C, to go through all sums.
_C = r"""
#include <math.h>
#include <stdint.h>
static int64_t high(int64_t a, int64_t m) { return (a * m + (1LL << 30)) >> 31; }
static int64_t away(double x) { return (int64_t)(x < 0 ? -floor(0.5 - x) : floor(x + 0.5)); }
#define RULES(X) \
  X(precise, (a < 0 ? -1 : 1) * (((a < 0 ? -a : a) * m + (1LL << (30 + s))) >> (31 + s))) \
  X(rndnu, (a * m + (1LL << (30 + s))) >> (31 + s)) \
  X(fp32_lrint, (int64_t)rintf((float)a * f)) \
  X(q31, (high(a, m) >> s) + (((high(a, m) & ((1LL << s) - 1)) - (a < 0)) > ((1LL << s) - 1) >> 1)) \
  X(tengine, (high(a, m) + (s ? 1LL << (s - 1) : 0)) >> s) \
  X(tengine_reference, away((double)((float)a * (f * 0.75f) / 0.75f)))
#define RULE(name, value) \
  int64_t name##_of(int64_t a, int64_t m, int s, float f) { return value; } \
  int64_t name(int64_t m, int s, float f) { \
    int64_t wrong = 0, last = INT64_MIN; \
    const int64_t zero = name##_of(0, m, s, f); \
    for (int64_t a = INT32_MIN; a <= INT32_MAX; a++) { \
      const int64_t found = name##_of(a, m, s, f), cut = a > 0 ? found : zero; \
      wrong += (found < 0 ? 0 : found) != cut || found < last; \
      last = found; \
    } \
    return wrong; \
  }
RULES(RULE)
"""


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    where = tmp_path_factory.mktemp("relu")
    (where / "relu.c").write_text(_C)
    subprocess.run([compiler, "-std=c11", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", where / "relu.so",
                    where / "relu.c", "-lm"], check=True)
    return ctypes.CDLL(str(where / "relu.so"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["precise", "rndnu", "fp32_lrint", "q31", "tengine", "tengine-reference"])
def test_relu_commutes_for_all_sums(name: str, in_c: ctypes.CDLL) -> None:
    """All 2**32: max(rule(s), 0) = rule(max(s, 0)), and the rule never falls. The rule in C is first held to ours."""
    word = name.replace("-", "_")
    types = (ctypes.c_int64, ctypes.c_int, ctypes.c_float)
    one, every = in_c[f"{word}_of"], in_c[word]
    one.restype, one.argtypes, every.restype, every.argtypes = (ctypes.c_int64, (ctypes.c_int64, *types),
                                                                 ctypes.c_int64, types)
    scale = 0.0111111119
    multiplier, shift = (int(part) for part in decompose(scale))
    acc = np.concatenate([_edges(), np.random.default_rng(0).integers(-2**31, 2**31, 20000)])
    assert [one(int(a), multiplier, shift, scale) for a in acc] == ROUNDINGS[name](acc, scale).tolist()
    assert every(multiplier, shift, scale) == 0


def _divided_first(total: Any, product: float, out: float, limit: float) -> Ints:
    """ReLU6 of the real number, as the reference has it: cut off, then divided and rounded."""
    real = (np.asarray(total).astype(np.float32) * np.float32(product)).astype(np.float32)
    return half_away(np.clip(real, np.float32(0), np.float32(limit)) / np.float32(out)).astype(np.int64)


def test_the_constant_of_relu6() -> None:
    """Rounded it is exact for every scale; cut off towards zero it gives another byte for half of all scales."""
    rng, wrong = np.random.default_rng(0), 0
    for out in np.exp2(rng.uniform(-4.4, 1, 200)).astype(np.float32).tolist():
        product = out / 90
        sums = np.arange(-200, 90 * 400, 7)
        wanted = np.minimum(_divided_first(sums, product, out, 6.0), 127)
        params = TengineParams("tengine-reference", _f(product), out, 0, 0, 0, 0,
                               activation_limit(6.0, out, single=True))
        assert (params.requantize(sums) == wanted).all()
        low = activation_limit(6.0, out, single=True, rounded=False)
        wrong += bool((np.clip(params.requantize(sums), 0, low) != wanted).any())
    assert 60 < wrong < 140


def test_the_constant_in_single_and_double_precision() -> None:
    """A scale whose quotient is a half in single precision and not in double: the byte of the limit differs."""
    for half in range(8, 100):
        out = np.float32(6.0 / (half + 0.5))
        for near in (out, np.nextafter(out, np.float32(0)), np.nextafter(out, np.float32(9))):
            single, double = (activation_limit(6.0, float(near), single=one) for one in (True, False))
            assert single - double in (-1, 0, 1)
            if single != double:
                quotient = 6.0 / float(near)
                assert (double == np.floor(quotient + 0.5)) and abs(quotient % 1 - 0.5) < 1e-5
                return
    pytest.fail("none was found")


@pytest.mark.parametrize(("make", "words"), [
    (lambda: TengineParams("arm", _f(1), 1.0, 0, 0, 0, -127, 127), "rule of Tengine's"),
    (lambda: TengineParams("tengine", _f(1, 0), 1.0, 0, 0, 0, -127, 127), "positive.*channel 1"),
    (lambda: TengineParams("tengine", _f(1, 300), 1.0, 0, 0, 0, -127, 127), "is 300 at channel 1"),
    (lambda: TengineParams("tengine", _f(np.nan), 1.0, 0, 0, 0, -127, 127), "positive"),
    (lambda: TengineParams("tengine", _f(1), -1.0, 0, 0, 0, -127, 127), "output scale must be positive"),
    (lambda: to_sums([0.0, 1.0], 1e-12), "steps at channel 1")])
def test_refusals(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        make()
