"""Native products by halves, seven for eight: exact at every edge, chosen where they gain, explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import GemmChoice, NativeNetwork, NetworkLayer, families
from neonsim.nn.graph import random_input
from neonsim.nn.graph.models.builder import GraphBuilder
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.int16_report import explain_accumulator_width

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
BY_HALVES = [name for name in ("avx2",) if MISSING is None and families()[name] is None]
by_halves = pytest.mark.parametrize("family", BY_HALVES)

Words = NDArray[np.int64]


def _multiply(x: NDArray[Any], w: NDArray[Any], x_zero: int, w_zero: int, family: str, threads: int = 1, *,
              groups: int = 1, gap: int = 0) -> tuple[NDArray[np.int32], GemmChoice]:
    """int32 sums of a 1x1 convolution by the C library, and how it went. gap: bytes between rows."""
    (rows, depth), outputs = x.shape, w.shape[0]
    begin = -(-rows * (depth + gap) // 64) * 64
    layer = NetworkLayer.create("conv", rounding="none", weights=w.reshape(outputs, 1, 1, depth // groups), bias=None,
                                input_height=1, input_width=rows, output_height=1, output_width=rows,
                                input_channels=depth,
                                output_channels=outputs, input_stride=depth + gap, output_stride=4 * (outputs + gap),
                                output=begin,
                                groups=groups, input_zero_point=x_zero, weight_zero_point=w_zero)
    network = NativeNetwork([layer], begin + 4 * rows * (outputs + gap), family)
    network.arena[:begin] = 255
    network.arena[:rows * (depth + gap)].reshape(rows, -1)[:, :depth] = x
    network.arena[begin:] = 0xA5
    network.run(threads)
    found = network.arena[begin:].view(np.int32).reshape(rows, outputs + gap)
    assert (found[:, outputs:].view(np.uint8) == 0xA5).all()        # nothing is written between rows
    return found[:, :outputs].copy(), network.gemm_choice(0)


def _ends(rng: np.random.Generator, shape: tuple[int, int], low: int, high: int, dtype: Any) -> NDArray[Any]:
    """Numbers of both ends; rows of the one, of the other, of either in turns, of any."""
    found = rng.choice([low, high], shape)
    found[0], found[1], found[2, ::2], found[2, 1::2] = low, high, low, high
    found[3::4] = rng.integers(low, high + 1, found[3::4].shape)
    return found.astype(dtype)


# Weights and their zero point; sums of two reach from -510 to 510.
WEIGHTS = {"qs8": (np.int8, -128, 127, 0), "qu8_low": (np.uint8, 0, 255, 0), "qu8_high": (np.uint8, 0, 255, 255),
           "qu8": (np.uint8, 0, 255, 131)}
# Rows: odd, of one block and of several. Depths: in whole registers and with any remainder. Columns: whole pairs, pairs
# that are filled up, panels of one and of two registers beside pairs.
SIZES = [(12, 48, 32), (13, 49, 33), (49, 64, 57), (97, 66, 40), (131, 95, 63), (96, 127, 49), (25, 1029, 41)]


def _check(size: tuple[int, int, int], weights: str, x_zero: int, family: str) -> None:
    rows, depth, outputs = size
    dtype, low, high, w_zero = WEIGHTS[weights]
    rng = np.random.default_rng(size)
    x, w = _ends(rng, (rows, depth), 0, 255, np.uint8), _ends(rng, (outputs, depth), low, high, dtype)
    sums, how = _multiply(x, w, x_zero, w_zero, family, threads=1 + rows % 3, gap=rows % 2)
    assert how.strassen == "used" and not how.int16_accumulation
    assert np.array_equal(sums, (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero).T)


@by_halves
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sums_at_both_ends(size: tuple[int, int, int], weights: str, family: str) -> None:
    _check(size, weights, 128, family)


@pytest.mark.nightly
@by_halves
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("rows", [12, 15, 24, 59, 96, 99, 193, 400])
def test_every_edge(rows: int, weights: str, family: str) -> None:
    """Depths and columns of every remainder, zero points of both ends."""
    for depth in (48, 50, 51, 81, 112, 255, 256, 600, 1500):
        for outputs in (*range(32, 66), 96, 130):
            _check((rows, depth, outputs), weights, 255 * (outputs % 2), family)


# Which quarter each product goes to, with which sign: the definition, apart from the library's order.
TERMS = {"c11": {0: 1, 3: 1, 4: -1, 6: 1}, "c12": {2: 1, 4: 1}, "c21": {1: 1, 3: 1}, "c22": {0: 1, 1: -1, 2: 1, 5: 1}}


def _by_definition(x: Words, w: Words, terms: dict[str, dict[int, int]], most: int = 1 << 20) -> Words:
    """Sums by halves of integers; numbers beyond `most` are cut off, as fewer bits would."""
    rows, depth, columns = x.shape[0] // 2, x.shape[1] // 2, w.shape[1] // 2
    a11, a12, a21, a22 = x[:rows, :depth], x[:rows, depth:], x[rows:, :depth], x[rows:, depth:]
    b11, b12, b21, b22 = w[:depth, :columns], w[:depth, columns:], w[depth:, :columns], w[depth:, columns:]
    left = (a11 + a22, a21 + a22, a11, a22, a11 + a12, a21 - a11, a12 - a22)
    right = (b11 + b22, b11, b12 - b22, b21 - b11, b22, b11 + b12, b21 + b22)
    products = [np.clip(a, -most, most) @ np.clip(b, -most, most) for a, b in zip(left, right, strict=True)]
    c11, c12, c21, c22 = (sum((sign * products[i] for i, sign in quarter.items()), np.zeros((rows, columns), np.int64))
                          for quarter in terms.values())
    return np.block([[c11, c12], [c21, c22]])


def test_planted_mistakes_would_be_seen() -> None:
    """On the numbers of the tests above: every term left out or of the other sign, and words one bit too short."""
    rng = np.random.default_rng((12, 48, 32))
    x = _ends(rng, (12, 48), 0, 255, np.uint8).astype(np.int64)
    w = _ends(rng, (32, 48), 0, 255, np.uint8).astype(np.int64).T
    wanted = x @ w
    assert np.array_equal(_by_definition(x, w, TERMS), wanted)
    assert np.array_equal(_by_definition(x, w, TERMS, 510), wanted)
    assert not np.array_equal(_by_definition(x, w, TERMS, 509), wanted)
    for name, quarter in TERMS.items():
        for product, sign in quarter.items():
            for planted in (0, -sign):
                mistaken = TERMS | {name: quarter | {product: planted}}
                assert not np.array_equal(_by_definition(x, w, mistaken), wanted), (name, product, planted)


ROUNDINGS = [("qu8", None), ("qu8", "gemmlowp"), ("qs8", None), ("qc8w", None)]


@by_halves
@pytest.mark.parametrize(("quantization", "rounding"), ROUNDINGS)
def test_windows_additions_and_threads(quantization: str, rounding: str | None, family: str) -> None:
    """Windows are gathered, steps skip pixels, an addition is joined: the bytes of the portable kernels, of every
    tensor, for any number of threads."""
    make = GraphBuilder("net", 13, quantization, 3, 11, requantization=rounding)
    wide = make.conv("wide", make.input, 57, 3, padding=make.same_padding(make.input, 3, 1))
    same = make.conv("same", wide, 57, 1, activation="none")
    skips = make.conv("skips", make.add("both", same, wide), 41, 1, stride=2)
    graph = make.finish(make.conv("last", skips, 70, 3, padding=make.same_padding(skips, 3, 1)))
    x, plan, judge = random_input(graph), NativePlan(graph, family, keep=True), NativePlan(graph, "scalar", keep=True)
    judge.run(x)
    products = [plan.network.gemm_choice(layer) for layer in range(plan.network.layers)]
    assert sum(one.strassen == "used" for one in products) == 4
    for threads in (1, 2, 3):
        plan.run(x, threads=threads)
        for node in graph.nodes:
            assert np.array_equal(plan.tensor(node.name).values, judge.tensor(node.name).values), node.name
    assert "in 4:" in plan.explain().splitlines()[1] and plan.explain().splitlines()[3].endswith("7 for 8")


@by_halves
@pytest.mark.parametrize(("size", "groups", "halves"), [
    ((11, 48, 32), 1, "few_rows"), ((12, 47, 32), 1, "few_depths"),
    ((12, 48, 31), 1, "few_columns"), ((12, 96, 64), 2, "grouped"),
    ((1, 64, 64), 1, "not_considered")], ids=str)
def test_what_is_not_taken(size: tuple[int, int, int], groups: int, halves: str, family: str) -> None:
    rows, depth, outputs = size
    rng = np.random.default_rng(5)
    x = rng.integers(0, 256, (rows, depth)).astype(np.uint8)
    w = rng.choice([-128, 127], (outputs, depth // groups)).astype(np.int8)
    sums, how = _multiply(x, w, 7, 0, family, groups=groups)
    parts = zip(np.split(x.astype(np.int64) - 7, groups, 1), np.split(w.astype(np.int64), groups), strict=True)
    assert how.strassen == halves
    assert np.array_equal(sums, np.concatenate([a @ b.T for a, b in parts], 1))


@by_halves
def test_runs_come_first(family: str) -> None:
    """Weights that prove that 16-bit sums fit make runs, which are quicker still."""
    x, w = np.full((24, 64), 200, np.uint8), np.full((32, 64), 3, np.int8)
    sums, how = _multiply(x, w, 0, 0, family)
    assert how.int16_accumulation and how.strassen == "not_considered" and (sums == 200 * 3 * 64).all()


def test_what_is_explained() -> None:
    rows = [GemmChoice("avx2", False, 130, 14, 0, 0, 0, "used"), GemmChoice("avx2", True, 63, 16, 4, 0, 0),
            GemmChoice("avx2", False, 0, 0, 0, 0, 0, "grouped"),
            GemmChoice("avx2", False, 99, 9, 0, 0, 0, "few_rows"), GemmChoice("avx2", False, 0, 0, 0, 0, 0)]
    lines = explain_accumulator_width(list("abcde"), rows)
    assert "in 1 of 4 products" in lines[0] and lines[0].endswith("in 1:") and len(lines) == 6
    assert [line.split("  ")[-1].strip() for line in lines[1:]] == ["by halves", "7 for 8", "-", "no: groups",
                                                                     "no: few rows"]
    assert lines[4].split()[:4] == ["c", "32", "bits", "-"]


@by_halves
def test_every_reason_has_words(family: str) -> None:
    for name in library.numbers("neonsim_strassen"):
        assert explain_accumulator_width(["a"], [GemmChoice(family, False, 1, 1, 0, 0, 0, name)])
