"""Sums of 16 bits in native products: exact at the edge of what fits, chosen where they pay, explained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import GemmChoice, NativeNetwork, NetworkLayer, families
from neonsim.nn.graph import random_input
from neonsim.nn.graph.models.builder import GraphBuilder
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.int16_report import explain_accumulator_width

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
HERE = [name for name, lacks in families().items() if lacks is None] if MISSING is None else []
BY_RUNS = [name for name in ("avx2", "sse41") if name in HERE]

ROWS, OUT = 11, 40          # tiles of three rows and one of two, two panels of 16 columns and one of 8
EDGE = 128                  # 255 * 128 = 32 640 fits 16 bits, 255 * 129 = 32 895 does not


def _multiply(x: NDArray[Any], w: NDArray[Any], x_zero: int, w_zero: int, family: str
              ) -> tuple[NDArray[np.int32], GemmChoice]:
    """int32 sums of a 1x1 convolution by the C library, and how it went."""
    (rows, depth), outputs = x.shape, w.shape[0]
    begin = -(-x.size // 64) * 64
    layer = NetworkLayer.create("conv", rounding="none", weights=w.reshape(outputs, 1, 1, depth), bias=None,
                                input_height=1,
                                input_width=rows, output_height=1, output_width=rows, input_channels=depth,
                                output_channels=outputs, input_stride=depth, output_stride=4 * outputs, output=begin,
                                input_zero_point=x_zero, weight_zero_point=w_zero)
    network = NativeNetwork([layer], begin + 4 * rows * outputs, family)
    network.arena[:x.size] = x.ravel()
    network.run()
    return network.arena[begin:].view(np.int32).reshape(rows, outputs).copy(), network.gemm_choice(0)


def _inputs(depth: int) -> NDArray[np.uint8]:
    """Rows of the largest bytes, of none, of those that meet one sign only, and of any."""
    x = np.random.default_rng(depth).integers(0, 256, (ROWS, depth)).astype(np.uint8)
    x[0], x[1], x[2, ::2], x[3, 1::2] = 255, 0, 255, 255
    return x


# Four depths; the same in all columns, or a sign and an order for each.
GROUPS = {
    "all_127": (127, 127, 127, 127), "alternating": (127, -127, 127, -127), "all_minus_128": (-128,) * 4,
    "fits": (64, 64, 128 - 127, 127), "does_not": (65, 64, 64, 65), "fits_below": (-64, -64, -1, -127),
    "not_below": (-65, -64, -128, -1), "half_runs": (64, 0, 0, 64), "more_than_half": (65, 0, 0, 65),
    "one_each": (128 - 255, 127, 1, 1),
}


@pytest.mark.parametrize("family", HERE)
@pytest.mark.parametrize("name", GROUPS)
def test_weights_at_the_edge_of_16_bits(name: str, family: str) -> None:
    """The group again and again among others that let runs pay: what is added up in 16 bits must fit."""
    depth = 4 * 97 + 2
    w = np.random.default_rng(7).integers(-9, 10, (OUT, depth)).astype(np.int8)
    for group in range(0, 96, 13):
        w[:, 4 * group:4 * group + 4] = GROUPS[name]
        w[1::3, 4 * group:4 * group + 4] = 0
    x = _inputs(depth)
    sums, how = _multiply(x, w, 3, 0, family)
    assert np.array_equal(sums, (x.astype(np.int64) - 3) @ w.astype(np.int64).T)
    if family in BY_RUNS:
        assert how.int16_accumulation and how.percent < 93 and how.quad_runs > 0
        pair = np.array(GROUPS[name]).reshape(2, 2)
        beyond = max(np.maximum(pair, 0).sum(1).max(), np.maximum(-pair, 0).sum(1).max()) > EDGE
        assert (how.split_groups > 0) == beyond


@pytest.mark.parametrize("family", BY_RUNS)
@pytest.mark.parametrize("x_zero", [0, 255])
def test_runs_are_full_to_the_edge(family: str, x_zero: int) -> None:
    """Groups of 64 make runs of two, since 2 * 64 * 255 = 32 640; those of 65 share a run with none of their kind."""
    for weight, fours in ((32, True), (64, False), (65, False)):
        w = np.full((16, 64), weight, np.int8)
        w[:, 1::2] = 0
        x = _inputs(64)
        sums, how = _multiply(x, w, x_zero, 0, family)
        assert np.array_equal(sums, (x.astype(np.int64) - x_zero) @ w.astype(np.int64).T)
        assert how.int16_accumulation == (weight < 65) and (how.quad_runs > 0) == (fours and how.int16_accumulation)


@pytest.mark.parametrize("family", BY_RUNS)
def test_weights_that_are_no_bytes(family: str) -> None:
    """uint8 weights less their zero point reach from -255 to 255: taken in up to four parts."""
    w = np.full((OUT, 256), 100, np.uint8)
    for zero, odd in ((0, 255), (255, 0), (100, 255), (100, 0)):
        w[:], w[:, 8:16], w[5, 21] = zero, odd, odd
        x = _inputs(256)
        sums, how = _multiply(x, w, 128, zero, family)
        assert np.array_equal(sums, (x.astype(np.int64) - 128) @ (w.astype(np.int64) - zero).T)
        assert how.int16_accumulation and how.split_groups > 0


@pytest.mark.parametrize("family", BY_RUNS)
def test_heavy_tails_go_in_runs_and_bells_do_not(family: str) -> None:
    """Few large weights among small ones, as in files that were trained, and many large ones."""
    rng = np.random.default_rng(0)
    tails = rng.laplace(0, 1, (64, 256))
    tails = np.rint(tails * 127 / np.abs(tails).max()).astype(np.int8)
    bells = np.clip(np.rint(rng.normal(0, 39, (64, 256))), -127, 127).astype(np.int8)
    for w, in_runs in ((tails, True), (bells, False)):
        x = _inputs(256)
        sums, how = _multiply(x, w, 9, 0, family)
        assert np.array_equal(sums, (x.astype(np.int64) - 9) @ w.astype(np.int64).T)
        assert how.int16_accumulation == in_runs and (how.percent < 80) == in_runs


class _Tails(GraphBuilder):
    """Makes weights with heavy tails."""

    def _parameters(self, shape: tuple[int, ...], x: Any, sigma: float) -> tuple[Any, Any]:
        w, bias = super()._parameters(shape, x, sigma)
        tails = np.rint(np.random.default_rng(1).laplace(0, 6, w.values.shape))
        return replace(w, values=np.clip(tails + w.scheme.zero_point, 0, 255).astype(np.uint8)), bias


@pytest.mark.parametrize("family", BY_RUNS)
def test_windows_and_threads(family: str) -> None:
    """Windows are gathered, steps skip pixels: the same bytes as by the portable kernels, for any number of threads."""
    make = _Tails("net", 17, "qu8", 3, 12)
    wide = make.conv("wide", make.input, 40, 3, padding=make.same_padding(make.input, 3, 1))
    skips = make.conv("skips", wide, 24, 1, stride=2)
    graph = make.finish(make.conv("last", skips, 9, 3, stride=2, padding=make.same_padding(skips, 3, 2)))
    x, plan = random_input(graph), NativePlan(graph, family)
    wanted = NativePlan(graph, "scalar").run(x).values
    assert all(plan.network.gemm_choice(layer).int16_accumulation for layer in range(plan.network.layers))
    for threads in (1, 2, 3):
        assert np.array_equal(plan.run(x, threads=threads).values, wanted)
    said = plan.explain().splitlines()
    assert "in 3 of 3 products" in said[1] and said[3].split()[:3] == ["wide", "16", "bits"]


def test_what_is_explained() -> None:
    rows = [GemmChoice("avx2", True, 63, 1024, 250, 12, 3), GemmChoice("avx2", False, 0, 0, 0, 0, 0),
            GemmChoice("avx2", False, 130, 14, 0, 0, 0)]
    lines = explain_accumulator_width(["a", "b", "c"], rows)
    assert "in 1 of 2" in lines[0] and lines[2].split()[:4] == ["a", "16", "bits", "1,024"]
    assert lines[3].startswith("c ") and lines[3].split()[-3:] == ["130", "%", "-"]
    assert explain_accumulator_width(["b"], rows[1:2]) == []
    sizes: dict[str, Any] = {f"{side}_{what}": number for side in ("input", "output")
             for what, number in (("height", 1), ("width", 1), ("channels", 4), ("stride", 4))}
    network = NativeNetwork([NetworkLayer.create("copy", output=64, **sizes)], 128)
    assert not network.gemm_choice(0).int16_accumulation
    with pytest.raises(BadArgument, match="layer"):
        network.gemm_choice(1)
