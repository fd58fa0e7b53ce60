"""Whole eights of elements, and what is left over: by exact fractions, LiteRT's numbers, and on every backend."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim import BadArgument, Scheme
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph
from neonsim.quant.reference import litert_vectors
from neonsim.quant.reference.litert_vectors import Narrowing

BACKENDS = ["reference", *(["native"] if library.available() is None else [])]
SCHEMES = [Scheme(0.1, 7), Scheme(0.1, -128, "int8"), Scheme(1e-3, 0, "int16"), Scheme(0.3, -20_000, "int16")]


def halves(scheme: Scheme, count: int) -> np.ndarray:
    """Numbers that single precision takes for halves of steps, and their neighbours."""
    rng = np.random.default_rng(count)
    near = (rng.integers(-999, 999, count) / 2 * np.float32(scheme.scale)).astype(np.float32)
    return np.nextafter(near, rng.choice(np.array([-1e9, 1e9], np.float32), count), where=rng.random(count) < 0.6,
                        out=near.copy())


LITERT_STEPS = [-8, -8, -7, -6, -4, -4, -2, -2, 0, 0, 2, 2, 4, 4, 6, 7, 7, 9, 9]
LITERT_REALS = [-20.5, -17.80000114440918, -15.100000381469727, -12.40000057220459, -9.700000762939453,
                -7.000000476837158, -4.300000190734863, -1.6000003814697266, 1.100000023841858, 3.799999952316284]


def nearest(x: Fraction, even: bool) -> int:
    low = math.floor(x)
    if x - low != Fraction(1, 2):
        return low + (x - low > Fraction(1, 2))
    return low + low % 2 if even else low + (x > 0)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_real_numbers_by_fractions(scheme: Scheme) -> None:
    info, scale = np.iinfo(scheme.dtype), np.float32(scheme.scale)
    for count in (1, 7, 8, 9, 40, 45):
        x = halves(scheme, count)
        inverse = np.float32(1) / scale
        wanted = [nearest(Fraction(float(v * inverse)), True) if i < count // 8 * 8 else
                  nearest(Fraction(float(v) / float(scale)), False) for i, v in enumerate(x)]
        cut = [min(max(n + scheme.zero_point, info.min), info.max) for n in wanted]
        assert litert_vectors.quantize(x, scheme).tolist() == cut


def test_what_litert_said() -> None:
    """Recorded: 19 numbers with BUILTIN_WITHOUT_DEFAULT_DELEGATES, on halves of steps of float32(0.1)."""
    x = (np.array([*range(-9, 10)], np.float32) + np.float32(0.5)) * np.float32(0.1)
    assert litert_vectors.quantize(x, Scheme(0.1, 0, "int8")).tolist() == LITERT_STEPS
    q = np.arange(-128, 128, 27).astype(np.int8)
    assert litert_vectors.dequantize(q, Scheme(0.1, 77, "int8")).tolist() == LITERT_REALS


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@pytest.mark.parametrize("shape", [(5, 3), (2, 40, 50, 9), (1, 1, 1, 20_003)], ids=str)
def test_every_backend(scheme: Scheme, shape: tuple[int, ...]) -> None:
    """Several tasks of pixels, and on both sides of them."""
    x = halves(scheme, math.prod(shape)).reshape(shape)
    for ties in ("eights", "away"):
        graph = Graph("edge", shape, dtype="float32")
        graph.add_node("whole", ops.Quantize(out=scheme, ties=ties), "input")
        graph.finish("whole")
        found = [graph.plan(backend).run(x, threads=2).values for backend in BACKENDS]
        assert all(np.array_equal(one, found[0]) for one in found)
    if scheme.dtype == "int16":
        return
    graph = Graph("other edge", shape, scheme)
    graph.add_node("real", ops.Dequantize(scheme, eights=True), "input")
    graph.finish("real")
    real = [np.asarray(graph.plan(backend).run(scheme.wrap(found[0]), threads=2)) for backend in BACKENDS]
    assert all(np.array_equal(one, real[0]) for one in real)


@pytest.mark.parametrize("large", [np.inf, -np.inf, 2e8, -3e38])
@pytest.mark.parametrize("ties", ["away", "eights"])
def test_what_no_integer_of_32_bits_counts(ties: str, large: float) -> None:
    graph = Graph("edge", (1, 3), dtype="float32")
    graph.add_node("whole", ops.Quantize(out=Scheme(0.1, 0, "int16"), ties=ties), "input")
    graph.finish("whole")
    x = np.array([[0, 1e8, large]], np.float32)
    for backend in BACKENDS:
        with pytest.raises(BadArgument, match=r"2\*\*30 steps"):
            graph.plan(backend).run(x)
    assert graph.plan("reference").run(x.clip(-1e8, 1e8)).values.tolist() == [
        [0, 32767, 32767 if large > 0 else -32768]]


@pytest.mark.parametrize(("a", "b", "wanted"), [
    ((3, 9), (3, 9), Narrowing(8, 27, True)), ((3, 9), (9,), Narrowing(8, 9, True)),
    ((3, 9), (1, 1), Narrowing(8, 27, False)), ((2, 3, 1), (1, 3, 5), Narrowing(8, 5, False)),
    ((2, 1, 3), (1, 4, 1), None)], ids=str)
def test_results_that_leave_16_bits(a: tuple[int, ...], b: tuple[int, ...], wanted: Narrowing | None) -> None:
    """uint8 products with one value wrap, others are held; then the zero point wraps both. Rows end in plain C."""
    found = litert_vectors.narrowing_of("multiply", "uint8", a, b)
    assert found == wanted
    one, out = Scheme(0.5, 0), Scheme(0.25 / 3, 200)
    x = np.full(np.broadcast_shapes(a, b), 255, np.uint8)
    made = ops.Multiply(one, one, out=out, requantization="gemmlowp", narrowing=found).reference(x, x).reshape(-1)
    for place, value in enumerate(made.tolist()):
        steps = 3 * 255 * 255
        if found is not None and place % found.row < found.row // 8 * 8:
            steps = ((min(steps, 32767) if found.saturates else steps) + 200 + 2**15) % 2**16 - 2**15 - 200
        assert value == min(max(steps + 200, 0), 255)


def test_kernels_do_not_go_by_places() -> None:
    for one, x in ((ops.Quantize(out=SCHEMES[2], ties="eights"), np.zeros((1, 3), np.float32)),
                   (ops.Dequantize(SCHEMES[0], eights=True), SCHEMES[0].wrap(np.zeros((1, 3), np.uint8)))):
        operator: Any = one
        with pytest.raises(ns.BackendError, match=r"there are no kernels for (de)?quantization"):
            operator(x, backend="emulated")
