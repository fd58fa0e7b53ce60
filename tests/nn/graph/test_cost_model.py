"""What native plans do by themselves: tiles where rates say so by a clear margin, the direct way's bytes everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import families
from neonsim.nn.graph import Graph, choose_algorithms, model, random_input
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.algorithms import DIRECT
from neonsim.nn.graph.select.cost_model import CLEARLY, LEAST_SHARE, RATES
from neonsim.nn.graph.select.strategy import COST_MODEL
from neonsim.nn.ops import Conv2d
from neonsim.quant import Scheme
from neonsim.quant.scheme import Quantized

MISSING = library.available()
HERE = [] if MISSING else [name for name, lacks in families().items() if lacks is None]
needs_library = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


def convolution(size: int, inputs: int, outputs: int, window: tuple[int, int] = (3, 3), largest: int = 127,
                stride: int = 1, seed: int = 0) -> Graph:
    """One convolution with weights of every size up to the largest."""
    rng, x = np.random.default_rng(seed), Scheme(0.05, 4, "int8")
    w = Quantized(rng.integers(-largest, largest + 1, (outputs, *window, inputs), dtype=np.int8),
                  rng.uniform(1e-4, 2e-4, outputs).astype(np.float32), axis=0)
    graph = Graph("one", (1, size, size, inputs), x)
    layer = Conv2d(x, w, rng.integers(-900, 900, outputs, dtype=np.int32), out=x, stride=stride,
                   padding=tuple(taps // 2 for taps in window), requantization="fp32")
    return graph.finish(graph.add_node("conv", layer, "input"))


def taken(graph: Graph, family: str) -> str:
    """The way that rates choose."""
    row, = choose_algorithms(graph, COST_MODEL, family=family).rows
    return row.chosen.name


@needs_library
@pytest.mark.parametrize("family", RATES)
def test_the_rule(family: str) -> None:
    """Many channels and results go by tiles; few, strides and single taps do not."""
    assert taken(convolution(28, 128, 128), family) == "winograd 4x4"
    for size, inputs, outputs, window, stride in ((24, 3, 16, (3, 3), 1), (28, 64, 64, (3, 3), 2),
                                                  (28, 64, 64, (1, 1), 1), (12, 16, 16, (5, 5), 1)):
        assert taken(convolution(size, inputs, outputs, window, stride=stride), family) == DIRECT
    row, = choose_algorithms(convolution(14, 256, 256), COST_MODEL, family=family).rows
    assert all(one.gain < CLEARLY for one in row.candidates) or row.chosen.gain >= CLEARLY


@needs_library
def test_sums_that_do_not_fit() -> None:
    """What might leave 32 bits is not taken, however quick it would be."""
    graph = convolution(7, 512, 512)
    assert taken(graph, "sse2") in ("winograd 2x2", "winograd 3x3")
    said = choose_algorithms(graph, COST_MODEL, family="sse2").explain()
    assert "not winograd 4x4: its sums need 33 bits" in said and "1 of 1" in said


@needs_library
@pytest.mark.parametrize("family", [name for name in ("avx2", "sse41") if name in HERE])
def test_beside_sums_of_16_bits(family: str) -> None:
    """Small weights: the direct way is quicker than its rates say, as the library knows."""
    def row(largest: int) -> tuple[float, float]:
        direct, *others = choose_algorithms(convolution(14, 64, 64, largest=largest), COST_MODEL,
                                            family=family).rows[0].candidates
        assert direct.cost is not None
        return direct.cost, max(one.gain for one in others)
    (plain, gain), (runs, less) = row(127), row(20)
    assert LEAST_SHARE * 0.9 < runs / plain < 0.9 and less < 0.9 * gain


@needs_library
@pytest.mark.parametrize("family", HERE)
def test_bytes_of_the_definition(family: str) -> None:
    """By the plan that nobody asked for otherwise; families without rates go directly."""
    graph = convolution(26, 96, 52)
    plan = graph.plan("native", family=family)
    assert isinstance(plan, NativePlan)
    assert (plan.strategy is None) == (family not in RATES)
    ways = {DIRECT} if plan.strategy is None else set(plan.strategy.choices.values())
    assert (DIRECT not in ways) == (family in ("sse2", "sse41", "avx2", "avx512bw"))
    x = random_input(graph)
    wanted = graph.plan("reference").run(x).values
    for threads in (1, 2):
        assert np.array_equal(plan.run(x, threads).values, wanted), threads


@needs_library
@pytest.mark.nightly
@pytest.mark.parametrize("family", HERE)
@pytest.mark.parametrize("network", ["resnet18", "inception_v3"])
def test_bytes_of_large_networks(network: str, family: str) -> None:
    """Published sizes, seeds of weights and images, one to three threads."""
    for seed in range(2 if network == "resnet18" else 1):
        for quantization in ("qu8", "qs8", "qc8w"):
            graph = model(network, quantization=quantization, seed=seed)
            x = random_input(graph, seed)
            wanted = NativePlan(graph, family).run(x, 2).values
            for threads in (1, 2, 3):
                assert np.array_equal(graph.plan("native", family=family).run(x, threads).values, wanted)


@needs_library
@pytest.mark.parametrize("family", [name for name in HERE if name in RATES])
def test_a_plan_tells_why(family: str) -> None:
    """A line for every shape that has tiles, with what each way is to take; nothing where there are none."""
    said = convolution(28, 64, 64).plan("native", family=family).explain()
    assert "products by Winograd's tiles" in said and "28x28 64-64 3x3: " in said and "(modelled)" in said
    assert "memory in bytes" in said and "direct" in said and "winograd 2x2" in said
    plan = model("mobilenet_v1", width=0.25, size=32).plan("native", family=family)
    assert "tiles" not in plan.explain()
    direct = convolution(28, 64, 64).plan("native", family=family, strategy="direct")
    assert isinstance(direct, NativePlan) and direct.strategy is not None and set(direct.strategy.choices.values()) == {
        DIRECT}
