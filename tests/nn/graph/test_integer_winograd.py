"""Layers of Winograd's algorithm in integers: the bytes of the definition, on all families, on the worst data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import NativeNetwork, algorithms, families
from neonsim.nn.backends.native.network import NetworkLayer as NativeLayer
from neonsim.nn.graph import Graph, choose_algorithms, random_input
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.algorithms import get_algorithm, product_of
from neonsim.nn.ops import Conv2d
from neonsim.quant import Scheme
from neonsim.quant.scheme import Quantized
from neonsim.quant.winograd.bit_growth import balanced_transforms, shift_of
from neonsim.ukernel.kernelgen.winograd_c import INTEGER_SIZES, division, unsupported_integer_tiles

MISSING = library.available()
needs_library = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
ROOT = Path(__file__).resolve().parents[3]
HERE = [] if MISSING is not None else [name for name, missing in families().items() if missing is None]
SQUARE = tuple(n for n in INTEGER_SIZES[3] if not unsupported_integer_tiles(n, (3, 3)))
EVERY = tuple(sorted({n for sizes in INTEGER_SIZES.values() for n in sizes}))
WINDOWS = ((3, 3), (3, 3), (1, 3), (3, 1), (1, 5), (5, 1), (1, 7), (7, 1), (3, 5))
ROUNDINGS = {"int8": ("fp32", "gemmlowp", "q31"), "uint8": ("fp32", "q31")}


def convolution(rng: np.random.Generator, dtype: str, rounding: str) -> tuple[Graph, Conv2d]:
    """Any that has tiles."""
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    b, h, w, ic, oc = (int(one) for one in rng.integers((1, 1, 1, 1, 1), (3, 14, 14, 70, 80)))
    zero = (low, high, int(rng.integers(low, high)))[int(rng.integers(3))]
    kernel = WINDOWS[int(rng.integers(len(WINDOWS)))]
    symmetric = rng.integers(-127, 128, (oc, *kernel, ic), dtype=np.int8)
    weights = Quantized(symmetric, 0.01) if dtype == "int8" else Quantized(
        rng.integers(0, 256, (oc, *kernel, ic), dtype=np.uint8), 0.01, int(rng.integers(0, 256)))
    x, out = Scheme(0.05, zero, dtype), Scheme(0.02 * ic, int(rng.integers(low, high)), dtype)
    padding = tuple((taps // 2, taps // 2) if size < taps else (int(rng.integers(0, min(taps, 3))),
                                                                 int(rng.integers(0, min(taps, 2))))
                    for size, taps in zip((h, w), kernel, strict=True))
    layer = Conv2d(x, weights, rng.integers(-9000, 9000, oc, dtype=np.int32), out=out, padding=padding,
                   requantization=rounding)
    graph = Graph("one", (b, h, w, ic), x)
    return graph.finish(graph.add_node("conv", layer, "input")), layer


@needs_library
@pytest.mark.parametrize("count", [8, pytest.param(600, marks=pytest.mark.nightly)])
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
        for n in EVERY:
            if get_algorithm(f"winograd {n}x{n}").refusal(product):
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
@pytest.mark.parametrize("n", [*(pytest.param(n, marks=pytest.mark.nightly) for n in SQUARE[:-1]), SQUARE[-1]])
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
                for family in HERE if n < SQUARE[-1] or (i, j) == (n, n - 1) else HERE[:1]:
                    plan = NativePlan(graph, family, choices={"conv": f"winograd {n}x{n}"})
                    assert np.array_equal(plan.run(x).values, wanted), (n, zero, i, j, family)


@needs_library
def test_along_one_axis_on_the_worst_data() -> None:
    """Every number of a tile at its largest, of data and of weights, in a row."""
    for n, k in ((2, 7), (6, 3), (4, 5)):
        _, b, g, _ = balanced_transforms(n, k)
        b_t = np.array(b).T
        for i in range(n + k - 1):
            for zero in (0, 255):
                x = Scheme(0.05, zero - 128, "int8")
                graph = Graph("worst", (1, 1, n + k - 1, 6), x)
                taps = np.where(np.array(g[i]) >= 0, 127, -127).astype(np.int8)
                w = np.broadcast_to(taps[:, np.newaxis], (3, 1, k, 6)).copy()
                graph.finish(graph.add_node("conv", Conv2d(x, Quantized(w, 0.01), out=Scheme(40.0, 0, "int8"),
                                                           requantization="fp32"), "input"))
                data = np.where((b_t[i] > 0) == (zero == 0), 127, -128).astype(np.int8)
                image = Quantized(np.broadcast_to(data[:, np.newaxis], (1, 1, n + k - 1, 6)).copy(), 0.05, zero - 128)
                wanted = graph.plan("reference").run(image).values
                for family in HERE if (n, k) == (2, 7) and i == n else HERE[:1]:
                    plan = NativePlan(graph, family, choices={"conv": f"winograd {n}x{n}"})
                    assert np.array_equal(plan.run(image).values, wanted), (n, k, i, zero, family)


def test_windows_that_have_no_such_tiles() -> None:
    """Where numbers would leave 16 bits at worst networks say so."""
    assert unsupported_integer_tiles(2, (7, 1)) == ""
    assert "its transformed data need 17 bits" in unsupported_integer_tiles(3, (7, 1))
    assert [bool(unsupported_integer_tiles(n, (3, 3))) for n in range(2, 8)] == [False] * 3 + [True] * 3
    assert [bool(unsupported_integer_tiles(n, (1, 3))) for n in range(2, 8)] == [False] * 5 + [True]
    assert "its transformed weights need 19 bits" in unsupported_integer_tiles(2, (5, 5))
    assert "for 3, 5, 7 taps along an axis; its window is 2x2" in unsupported_integer_tiles(2, (2, 2))
    for k, sizes in INTEGER_SIZES.items():
        assert [n for n in range(2, 9) if n + k <= 12 and not unsupported_integer_tiles(n, (1, k))] == list(sizes)


def test_numbers_of_tiles_fit_16_bits() -> None:
    """Whatever bytes and zero points are; the division leaves no rest."""
    rng = np.random.default_rng(2)
    for n in SQUARE:
        a, b, g, factor = (np.array(one, object) for one in balanced_transforms(n, 3))
        assert abs(b).sum(axis=0).max() ** 2 * 255 < 2**15 and abs(g).sum(axis=1).max() ** 2 * 255 < 2**15
        odd, half = division(n, 3)
        inverse, shift = odd**2, 2 * half
        assert half == shift_of(n, 3)
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
    for way, words in (("winograd_4", "largest sum of its products"),
                       ("winograd_5", "largest number of its tiles is 229500"),
                       ("winograd_7", "there are no such tiles")):
        with pytest.raises(BadArgument, match=words):
            NativeNetwork([NativeLayer.create("conv", **made, algorithm=algorithms()[way])], 2048)


@needs_library
def test_rules_of_bytes() -> None:
    """Where kernels have dot products tiles pay on fewer layers."""
    x, rng, graph = Scheme(0.05, 0, "int8"), np.random.default_rng(0), Graph("layers")
    for name, size, ic, oc in (("a", 56, 64, 64), ("b", 28, 128, 128), ("c", 55, 16, 64), ("d", 112, 3, 32),
                               ("e", 7, 512, 512)):
        graph.add_input(f"x{name}", (1, size, size, ic), x)
        w = Quantized(rng.integers(-40, 41, (oc, 3, 3, ic), dtype=np.int8), 0.01)
        graph.add_node(name, Conv2d(x, w, out=x, padding=1, requantization="fp32"), f"x{name}")
    for name, window in (("f", (1, 7)), ("g", (3, 1)), ("h", (5, 5))):
        graph.add_input(f"x{name}", (1, 17, 17, 192), x)
        w = Quantized(rng.integers(-40, 41, (192, *window, 192), dtype=np.int8), 0.01)
        graph.add_node(name, Conv2d(x, w, out=x, padding=(window[0] // 2, window[1] // 2), requantization="fp32"),
                       f"x{name}")
    graph.finish(*"abcdefgh")
    found = {family: choose_algorithms(graph, "mnn", family=family).choices for family in ("avx512vnni", "avx2")}
    assert [found["avx512vnni"][name] for name in "abcde"] == ["winograd 4x4"] * 2 + ["direct"] * 3
    assert [found["avx2"][name] for name in "abcd"] == ["winograd 4x4"] * 3 + ["direct"]
    assert [found["avx512vnni"][name] for name in "fgh"] == ["direct"] * 3
    assert [found["avx2"][name] for name in "fgh"] == ["winograd 2x2", "winograd 6x6", "direct"]
    said = choose_algorithms(graph, "mnn", family="avx2").explain()
    assert re.search(r"winograd 3x3 \(.* M\): its transformed data need 17 bits at worst; there are 16", said)
    assert "its transformed weights need 19 bits at worst" in said

