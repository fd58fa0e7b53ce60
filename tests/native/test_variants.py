"""Every variant that can run here against a definition in plain numpy, written from the formulas."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.backends.native import backend
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.reference.matmul import accumulate
from neonsim.ukernel.packing import PackedWeights, pack, pack_gemm, pack_gemm_xzp
from tests.tiers import every

pytestmark = pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")

DEPTHS = (*range(1, 41), 64, 257)
ZERO_POINTS = (0, 1, 127, 128, 254, 255)


def runnable(*contracts: str) -> list[str]:
    if backend.available() is not None:
        return []
    return [v.name for c in contracts for v in backend.variants(c) if v.missing is None]


def wrap(x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Modulo 2**32, as a signed number."""
    return (x + 2**31) % 2**32 - 2**31


def requantize(acc: NDArray[np.int64], p: Q31Params) -> NDArray[np.uint8]:
    """Q31 (R04) with integer division: half up at 2**31, then half away from zero at 2**shift; add; clamp."""
    product = (acc * p.multiplier + 2**30) // 2**31
    divisor = 2**p.shift
    rounded = np.sign(product) * ((2 * np.abs(product) + divisor) // (2 * divisor))
    if p.shift == 0:
        rounded = product
    return np.clip(rounded + p.output_zero_point, p.output_min, p.output_max).astype(np.uint8)


def definition(a: NDArray[np.uint8], w: NDArray[np.uint8], bias: NDArray[np.int32], p: Q31Params) -> NDArray[np.uint8]:
    acc = (a.astype(np.int64) - p.a_zero_point) @ (w.astype(np.int64) - p.w_zero_point).T + bias
    return requantize(wrap(acc), p)


def operand(rng: np.random.Generator, rows: int, columns: int, zero_point: int) -> NDArray[np.uint8]:
    """Bytes with intent: uniform, near the zero point, all one extreme, both extremes."""
    kind = rng.integers(0, 8)
    shape = (rows, columns)
    if kind == 0:
        return np.zeros(shape, np.uint8)
    if kind == 1:
        return np.full(shape, 255, np.uint8)
    if kind == 2:
        return (rng.integers(0, 2, shape) * 255).astype(np.uint8)
    if kind == 3:
        return np.clip(zero_point + rng.integers(-1, 2, shape), 0, 255).astype(np.uint8)
    return rng.integers(0, 256, shape, dtype=np.uint8)


def parameters(rng: np.random.Generator) -> Q31Params:
    multiplier = int(rng.choice([2**30, 2**31 - 1, int(rng.integers(2**30, 2**31)), int(rng.integers(2**30, 2**31))]))
    low, high = sorted(rng.integers(0, 256, 2).tolist()) if rng.random() < 0.4 else (0, 255)
    zero_points = [int(rng.choice(ZERO_POINTS)) if rng.random() < 0.5 else int(rng.integers(0, 256)) for _ in range(3)]
    shift = int(rng.integers(0, 14)) if rng.random() < 0.8 else int(rng.integers(0, 32))
    return Q31Params(multiplier, shift, zero_points[0], zero_points[1], zero_points[2], low, high)


def biases(rng: np.random.Generator, n: int, p: Q31Params) -> NDArray[np.int32]:
    """Small, of any size, at both ends of int32, or where the second rounding ties if all products are 0."""
    kinds = (
        rng.integers(-1000, 1001, n),
        rng.integers(-(2**31), 2**31, n),
        rng.choice([-(2**31), -(2**31) + 1, 2**31 - 1, 2**31 - 2], n),
        (2 * rng.integers(-128, 128, n) + 1) << min(p.shift, 21),
    )
    return kinds[rng.integers(0, 4)].astype(np.int32)


def strided(rng: np.random.Generator, array: NDArray[Any]) -> NDArray[Any]:
    """The same matrix with its rows further apart, between bytes of no meaning."""
    wide = rng.integers(0, 256, (array.shape[0], array.shape[1] + int(rng.integers(0, 20)))).astype(array.dtype)
    view = wide[:, : array.shape[1]]
    view[...] = array
    return view


@pytest.mark.parametrize("name", every(3, runnable("qu8_gemm_q31", "qu8_gemm_xzp_q31")))
def test_all_tile_sizes_and_depths(name: str) -> None:
    variant = next(v for v in backend.variants() if v.name == name)
    rng = np.random.default_rng(20261121)
    for mr, nr, k in itertools.product(range(1, variant.mr + 1), range(1, variant.nr + 1), DEPTHS):
        p = parameters(rng)
        a = strided(rng, operand(rng, mr, k, p.a_zero_point))
        w = operand(rng, nr, k, p.w_zero_point)
        bias = biases(rng, nr, p)
        canvas = np.full((mr + 2, nr + 3), 0xA5, np.uint8)
        out = canvas[1 : mr + 1, 1 : nr + 1]
        if variant.contract == "qu8_gemm_q31":
            packed = pack_gemm(w, bias, nr=variant.nr, a_zero_point=p.a_zero_point, w_zero_point=p.w_zero_point)
            backend.qu8_gemm_q31(a, packed, p, variant=name, out=out)
        else:
            packed = pack_gemm_xzp(w, bias, nr=variant.nr, a_zero_point=p.a_zero_point, w_zero_point=p.w_zero_point)
            backend.qu8_gemm_xzp_q31(a, backend.qu8_sumrows(a, -p.w_zero_point), packed, p, variant=name, out=out)
        expected = np.full_like(canvas, 0xA5)
        expected[1 : mr + 1, 1 : nr + 1] = definition(a, w, bias, p)
        np.testing.assert_array_equal(canvas, expected, err_msg=f"{name} mr={mr} nr={nr} k={k} {p}")


@pytest.mark.parametrize("name", runnable("qu8_sumrows"))
def test_row_sums(name: str) -> None:
    variant = next(v for v in backend.variants() if v.name == name)
    rng = np.random.default_rng(7)
    for m, k in itertools.product(range(1, variant.mr + 1), (*DEPTHS, 66000)):
        a = strided(rng, operand(rng, m, k, 0))
        for multiplier in (0, -1, -255, 2**31 - 1, -(2**31), int(rng.integers(-(2**31), 2**31))):
            expected = wrap(a.astype(np.int64).sum(axis=1) * multiplier)
            np.testing.assert_array_equal(backend.qu8_sumrows(a, multiplier, variant=name), expected)


def packed_for(name: str, w: np.ndarray, bias: np.ndarray, p: Q31Params) -> PackedWeights:
    """Weights as this variant reads them: the swizzled one multiplies raw bytes, so its padding is 0."""
    v = next(v for v in backend.variants() if v.name == name)
    padding = 0 if v.contract == "qu8_gemm_xzp_q31" else p.w_zero_point
    return pack(w, bias, nr=v.nr, kr=v.kr, sr=v.sr, a_zero_point=p.a_zero_point, w_zero_point=p.w_zero_point,
                padding=padding)


@pytest.mark.parametrize("threads", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("name", runnable("qu8_gemm_q31", "qu8_gemm_xzp_q31"))
def test_whole_products(name: str, threads: int) -> None:
    rng = np.random.default_rng(threads)
    for m, n, k in ((1, 1, 1), (9, 17, 5), (8, 16, 8), (33, 3, 31), (3, 70, 20)):
        p = parameters(rng)
        a = strided(rng, operand(rng, m, k, p.a_zero_point))
        w, bias = operand(rng, n, k, p.w_zero_point), biases(rng, n, p)
        result = backend.gemm(a, packed_for(name, w, bias, p), p, variant=name, threads=threads)
        np.testing.assert_array_equal(result, definition(a, w, bias, p), err_msg=f"{m}x{n}x{k} {p}")


def test_accumulators_wrap_as_registers_do() -> None:
    # 2**31 - 1 from the bias plus one product: the sum of the definition leaves int32 and comes back negative.
    p = Q31Params(2**31 - 1, 31, 0, 0, 128)
    a, w = np.array([[1]], np.uint8), np.array([[1]], np.uint8)
    packed = pack_gemm(w, np.array([2**31 - 1], np.int32), nr=8, a_zero_point=0, w_zero_point=0)
    assert backend.qu8_gemm_q31(a, packed, p).tolist() == [[127]]


@pytest.mark.parametrize(("x", "expected"), [(-3, 127), (-1, 128), (1, 129), (3, 130)])
def test_ties_without_a_shift_go_up(x: int, expected: int) -> None:
    # Scale 1/2: the table of ties (R17) says -1, 0, 1, 2 for this scheme.
    p = Q31Params(2**30, 0, 0, 0, 128)
    packed = pack_gemm(np.zeros((1, 1), np.uint8), np.array([x], np.int32), nr=8, a_zero_point=0, w_zero_point=0)
    assert backend.qu8_gemm_q31(np.zeros((1, 1), np.uint8), packed, p).item() == expected


def test_equals_the_reference_backend_on_a_layer() -> None:
    rng = np.random.default_rng(1)
    p = Q31Params.from_scale(0.0003, a_zero_point=120, w_zero_point=131, output_zero_point=99)
    a = rng.integers(0, 256, (49, 160), dtype=np.uint8)
    w = rng.integers(0, 256, (96, 160), dtype=np.uint8)
    bias = rng.integers(-5000, 5000, 96, dtype=np.int32)
    expected = p.requantize(accumulate(a, w.T, bias, p.a_zero_point, p.w_zero_point))
    assert len(np.unique(expected)) > 100
    for name in runnable("qu8_gemm_q31", "qu8_gemm_xzp_q31"):
        np.testing.assert_array_equal(backend.gemm(a, packed_for(name, w, bias, p), p, variant=name), expected)


def test_calls_from_several_threads_at_once() -> None:
    rng = np.random.default_rng(3)
    p = Q31Params.from_scale(0.001, a_zero_point=1, w_zero_point=2, output_zero_point=3)
    a, w = rng.integers(0, 256, (40, 64), dtype=np.uint8), rng.integers(0, 256, (24, 64), dtype=np.uint8)
    packed = packed_for(backend.default_variant("qu8_gemm_q31").name, w, np.zeros(24, np.int32), p)
    expected = definition(a, w, np.zeros(24, np.int32), p)
    results: list[bool] = []

    def work() -> None:
        results.extend(bool((backend.gemm(a, packed, p, threads=2) == expected).all()) for _ in range(20))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [True] * 80
