"""What the contracts of float32 leave to instruction sets: subnormal numbers, NaN; how far results are from exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.backends.native import backend
from neonsim.nn.ops.float32.operators import Float32Add
from neonsim.quant import float32
from neonsim.quant.params.float32 import FloatParams
from neonsim.ukernel import Case, Kernel, contract_named, kernels, run_alone
from neonsim.ukernel.case import build
from neonsim.ukernel.cases.f32 import numbers
from neonsim.ukernel.packing.float32 import pack_f32

Reals = NDArray[np.float32]
TINY = np.float32(2.0**-126)
ADDS, PRODUCTS = list(kernels("f32_vadd")), list(kernels("f32_gemm"))


def bits(values: Any) -> list[int]:
    found: list[int] = np.asarray(values, np.float32).view(np.uint32).reshape(-1).tolist()
    return found


def flushed(x: Any) -> Reals:
    """Subnormal numbers as zeros of their sign."""
    values = np.asarray(x, np.float32)
    return np.where(np.abs(values) < TINY, np.copysign(np.float32(0), values), values)


def add(a: Reals, b: Reals) -> Case:
    return build(contract_named("f32_vadd"), "subnormal", n=len(a), a=a, b=b, params=FloatParams())


def result(each: Kernel, case: Case, name: str) -> Reals:
    left = run_alone(each.program(), each.name, case)
    return np.asarray(left.memory[name]).view(np.float32)


@pytest.mark.parametrize("each", ADDS, ids=str)
def test_subnormal_numbers_count_on_aarch64_and_are_zeros_on_aarch32(each: Kernel) -> None:
    half, third = np.float32(2.0**-127), np.float32(3 * 2.0**-149)
    a = np.array([half, half, -half, TINY, third, -third, 1.0, TINY, 2 * TINY], np.float32)
    b = np.array([half, 0.0, -0.0, -half, third, TINY, half, -TINY, np.nextafter(-2 * TINY, np.float32(0))], np.float32)
    found = result(each, add(a, b), "y")
    plain = a + b
    assert (np.abs(plain[[1, 2, 3, 8]]) < TINY).all()
    wanted = plain if each.isa == "aarch64" else flushed(flushed(a) + flushed(b))
    assert bits(found) == bits(wanted)


@pytest.mark.parametrize("each", PRODUCTS, ids=str)
def test_subnormal_sums_of_products(each: Kernel) -> None:
    assert each.tile.nr is not None
    a, w = np.full((1, 2), 2.0**-70, np.float32), np.array([[2.0**-60, 2.0**-60], [2.0**-20, 0.0]], np.float32)
    case = build(contract_named("f32_gemm"), "subnormal", mr=1, nc=2, kc=2, a=a, a_stride=8, cm_stride=8, cn_stride=32,
                 params=FloatParams(), w=pack_f32(w, np.zeros(2, np.float32), nr=each.tile.nr))
    found = result(each, case, "c")
    exact = 2.0**-129 if each.isa == "aarch64" else 0.0     # twice 2**-130; on AArch32 each of them is a zero
    assert found.tolist() == [exact, 2.0**-90]


@pytest.mark.skipif(backend.available() is not None, reason=str(backend.available()))
def test_the_c_library_computes_with_subnormal_numbers() -> None:
    half = np.full((1, 9), 2.0**-127, np.float32)
    assert bits(Float32Add()(half, half, backend="native")) == bits(half + half)


@pytest.mark.parametrize("each", ADDS, ids=str)
def test_a_nan_gives_nan(each: Kernel) -> None:
    nan, inf = np.float32(np.nan), np.float32(np.inf)
    a, b = np.array([nan, 1, inf, inf, -inf], np.float32), np.array([1, nan, -inf, inf, 1], np.float32)
    found = result(each, add(a, b), "y")
    assert np.isnan(found[:3]).all() and found[3:].tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("kind", ["uniform", "spread", "cancelling"])
@pytest.mark.parametrize("each", PRODUCTS[:1], ids=str)
def test_products_against_exact_ones(each: Kernel, kind: str) -> None:
    """Each of k steps rounds once: at most half an ulp of the largest sum on the way, k times."""
    rng, k, nr = np.random.default_rng(5), 33, each.tile.nr or 1
    x, w, bias = numbers(kind, (1, k), rng), numbers(kind, (nr, k), rng), numbers("uniform", (nr,), rng)
    case = build(contract_named("f32_gemm"), kind, mr=1, nc=nr, kc=k, a=x, a_stride=4 * k, cm_stride=4 * nr,
                 cn_stride=4 * nr, params=FloatParams(), w=pack_f32(w, bias, nr=nr))
    for n, found in enumerate(result(each, case, "c")):
        acc = largest = Fraction(float(bias[n]))
        for one, other in zip(x[0], w[n], strict=True):
            acc += Fraction(float(one)) * Fraction(float(other))
            largest = max(largest, abs(acc))
        ulp = Fraction(float(np.spacing(np.float32(float(largest)))))
        assert abs(Fraction(float(found)) - acc) <= k * ulp / 2 * Fraction(101, 100)


def test_the_order_of_the_steps_shows() -> None:
    """Cases tell a chain from another order, and from products rounded by themselves: in a third of the results."""
    rng = np.random.default_rng(1)
    other = unfused = 0
    for kind in ("uniform", "spread"):
        x, w = numbers(kind, (40, 16), rng), numbers(kind, (40, 16), rng)
        chain = np.zeros(40, np.float32)
        back, plain = chain, chain
        for k in range(16):
            chain = float32.fused(x[:, k], w[:, k], chain)
            back = float32.fused(x[:, 15 - k], w[:, 15 - k], back)
            plain = plain + x[:, k] * w[:, k]
        other += int((chain != back).sum())
        unfused += int((chain != plain).sum())
    assert other > 80 // 3 and unfused > 80 // 3
