"""Layers of Winograd's algorithm in whole numbers: the bytes of the definition, on all families, on the worst data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.backends import native_library
from neonsim.backends.network import Layer as NativeLayer
from neonsim.backends.network import NativeNetwork, algorithms, families
from neonsim.errors import BadArgument
from neonsim.generate.portable import WHOLE_SIZES, c_whole_programs, division
from neonsim.graph import Graph, random_input, settle
from neonsim.graph.algorithms import product_of, way_named
from neonsim.graph.native import NativePlan
from neonsim.ops import Conv2d
from neonsim.quant import Scheme
from neonsim.quant.scheme import Quantized
from neonsim.winograd.growth import balanced_transforms

MISSING = native_library.available()
needs_library = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
ROOT = Path(__file__).resolve().parents[2]
HERE = [] if MISSING is not None else [name for name, missing in families().items() if missing is None]
ROUNDINGS = {"int8": ("fp32", "gemmlowp", "q31"), "uint8": ("fp32", "q31")}


def convolution(rng: np.random.Generator, dtype: str, rounding: str) -> tuple[Graph, Conv2d]:
    """Any that has tiles."""
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    b, h, w, ic, oc = (int(one) for one in rng.integers((1, 1, 1, 1, 1), (3, 14, 14, 70, 80)))
    zero = (low, high, int(rng.integers(low, high)))[int(rng.integers(3))]
    symmetric = rng.integers(-127, 128, (oc, 3, 3, ic), dtype=np.int8)
    weights = Quantized(symmetric, 0.01) if dtype == "int8" else Quantized(
        rng.integers(0, 256, (oc, 3, 3, ic), dtype=np.uint8), 0.01, int(rng.integers(0, 256)))
    x, out = Scheme(0.05, zero, dtype), Scheme(0.02 * ic, int(rng.integers(low, high)), dtype)
    padding = 1 if min(h, w) < 3 else ((int(rng.integers(0, 3)), int(rng.integers(0, 2))),) * 2
    layer = Conv2d(x, weights, rng.integers(-9000, 9000, oc, dtype=np.int32), out=out, padding=padding,
                   requantization=rounding)
    graph = Graph("one", (b, h, w, ic), x)
    return graph.finish(graph.add_node("conv", layer, "input")), layer


@needs_library
@pytest.mark.parametrize("count", [8, pytest.param(600, marks=pytest.mark.full)])
def test_the_bytes_of_the_direct_way(count: int) -> None:
    """Judged by the operator's definition, on every family of kernels that runs here."""
    done = 0
    for seed in range(count):
        rng = np.random.default_rng(seed)
        dtype = ("int8", "uint8")[seed % 2]
        graph, layer = convolution(rng, dtype, str(rng.choice(ROUNDINGS[dtype])))
        x = random_input(graph, seed)
        wanted = layer(x, backend="reference").values
        product = product_of(graph, graph.node("conv"))
        assert product is not None
        for n in WHOLE_SIZES:
            if way_named(f"winograd {n}x{n}").refusal(product):
                continue
            for family in HERE:
                found = NativePlan(graph, family, choices={"conv": f"winograd {n}x{n}"}).run(x, 2).values
                assert np.array_equal(found, wanted), (seed, n, family)
                done += 1
    assert done > 2 * count


def _one_tile(n: int, data: NDArray[np.uint8], weights: NDArray[np.int8], zero: int) -> tuple[Graph, Quantized]:
    x = Scheme(0.05, zero - 128, "int8")
    graph = Graph("worst", (1, n + 2, n + 2, data.shape[2]), x)
    layer = Conv2d(x, Quantized(weights, 0.01), out=Scheme(40.0, 0, "int8"), requantization="fp32")
    graph.finish(graph.add_node("conv", layer, "input"))
    return graph, Quantized((data ^ 0x80).view(np.int8)[np.newaxis], 0.05, zero - 128)


@needs_library
@pytest.mark.parametrize("n", [*(pytest.param(n, marks=pytest.mark.full) for n in WHOLE_SIZES[:-1]), WHOLE_SIZES[-1]])
def test_on_the_worst_data(n: int) -> None:
    """Every number of a tile at its largest, by the signs of its rows: bytes 0 and 255, zero points at both ends."""
    _, b, g, _ = balanced_transforms(n, 3)
    b_t, signs = np.array(b).T, np.sign(np.array(g))
    for zero in (0, 255):
        for i in range(n + 2):
            for j in range(n + 2):
                up = np.outer(b_t[i], b_t[j]) > 0
                data = np.where(up == (zero == 0), 255, 0).astype(np.uint8)[:, :, np.newaxis].repeat(6, axis=2)
                taps = np.where(np.outer(signs[i], signs[j]) >= 0, 127, -127).astype(np.int8)
                weights = np.repeat(np.repeat(taps[np.newaxis, :, :, np.newaxis], 3, axis=0), 6, axis=3)
                graph, x = _one_tile(n, data, weights, zero)
                wanted = graph.plan("reference").run(x).values
                for family in HERE if n < WHOLE_SIZES[-1] or (i, j) == (n, n - 1) else HERE[:1]:
                    plan = NativePlan(graph, family, choices={"conv": f"winograd {n}x{n}"})
                    assert np.array_equal(plan.run(x).values, wanted), (n, zero, i, j, family)


def test_numbers_of_tiles_fit_16_bits() -> None:
    """Whatever bytes and zero points are; the division leaves no rest."""
    rng = np.random.default_rng(2)
    for n in WHOLE_SIZES:
        a, b, g, factor = (np.array(one, object) for one in balanced_transforms(n, 3))
        assert abs(b).sum(axis=0).max() ** 2 * 255 < 2**15 and abs(g).sum(axis=1).max() ** 2 * 255 < 2**15
        inverse, shift = division(n)
        d, w = rng.integers(-255, 256, (n + 2, n + 2)).astype(object), rng.integers(-255, 256, (3, 3)).astype(object)
        tile = a.T @ ((g @ w @ g.T) * (b.T @ d @ b)) @ a
        wanted = [[(d[y:y + 3, x:x + 3] * w).sum() for x in range(n)] for y in range(n)]
        assert (tile == np.array(wanted, object) * int(factor) ** 2).all()
        modulo = (tile * inverse) % 2**32
        assert ((modulo - (modulo >> 31 << 32)) >> shift == np.array(wanted, object)).all()


def _deep(most: int) -> Graph:
    """Sums of one sign whose largest is `most`, by its bias."""
    x, rest = Scheme(0.05, -128, "int8"), most - 100 * 9 * 127 * 255
    graph = Graph("deep", (1, 4, 4, 100), x)
    layer = Conv2d(x, Quantized(np.full((1, 3, 3, 100), 127, np.int8), 0.01), np.array([rest], np.int32),
                   out=Scheme(1e5, -128, "int8"), requantization="fp32")
    return graph.finish(graph.add_node("conv", layer, "input"))


@needs_library
def test_sums_that_the_last_shift_would_cut_are_refused() -> None:
    """At the limit they are right, beyond it Python and C refuse alike."""
    fits, not_so = _deep(2**25 - 1), _deep(2**25)
    x = Quantized(np.full((1, 4, 4, 100), 127, np.int8), 0.05, -128)
    found = NativePlan(fits, choices={"conv": "winograd 4x4"}).run(x).values
    assert np.array_equal(found, fits.plan("reference").run(x).values)
    with pytest.raises(BadArgument, match="its sums need 33 bits before they are divided; there are 32"):
        NativePlan(not_so, choices={"conv": "winograd 4x4"})
    NativePlan(not_so, choices={"conv": "winograd 2x2"})
    product = product_of(not_so, not_so.node("conv"))
    assert product is not None and product.largest == 2**25
    bias = np.array([2**25 - 900 * 127 * 255], np.int32)
    made: dict[str, Any] = {"weights": np.full(900, 127, np.int8), "bias": bias,
                            "weights_signed": 1, "scale": np.ones(1, np.float32), "scales": 1, "rounding": "fp32",
                            "output_max": 255, "input_height": 4, "input_width": 4, "input_channels": 100,
                            "input_stride": 100, "output": 1664, "output_height": 2, "output_width": 2,
                            "output_channels": 1, "output_stride": 1, "kernel_height": 3, "kernel_width": 3}
    for way, words in (("winograd_4", "largest sum of its products"), ("winograd_5", "its algorithm")):
        with pytest.raises(BadArgument, match=words):
            NativeNetwork([NativeLayer.of("conv", **made, algorithm=algorithms()[way])], 2048)


@needs_library
def test_rules_of_bytes() -> None:
    """Where kernels have dot products tiles pay on fewer layers."""
    x, rng, graph = Scheme(0.05, 0, "int8"), np.random.default_rng(0), Graph("layers")
    for name, size, ic, oc in (("a", 56, 64, 64), ("b", 28, 128, 128), ("c", 55, 16, 64), ("d", 112, 3, 32),
                               ("e", 7, 512, 512)):
        graph.add_input(f"x{name}", (1, size, size, ic), x)
        w = Quantized(rng.integers(-40, 41, (oc, 3, 3, ic), dtype=np.int8), 0.01)
        graph.add_node(name, Conv2d(x, w, out=x, padding=1, requantization="fp32"), f"x{name}")
    graph.finish(*"abcde")
    found = {family: settle(graph, "mnn", family=family).choices for family in ("avx512vnni", "avx2")}
    assert [found["avx512vnni"][name] for name in "abcde"] == ["winograd 4x4"] * 2 + ["direct"] * 3
    assert [found["avx2"][name] for name in "abcd"] == ["winograd 4x4"] * 3 + ["direct"]


def test_the_header_of_the_library_is_what_the_rule_makes() -> None:
    text = (ROOT / "native" / "src" / "network" / "winograd_whole.h").read_text("utf-8")
    assert text == c_whole_programs(), "write it again: neonsim.generate.portable.c_whole_programs()"
