"""Winograd's convolution of float32: one set of bits on all backends and in networks, near the direct way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native import backend
from neonsim.nn.graph import Graph
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.ops.float32.operators import Float32Conv2d
from neonsim.nn.ops.float32.winograd import Float32WinogradConv2d
from neonsim.ukernel.kernelgen.winograd_c import TILES

ROOT = Path(__file__).parents[3]
needs_library = pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")

SWEEP = [
    ("f23", (3, 3), 2, (6, 7), 1, 1), ("f43", (3, 3), 4, (9, 7), 1, 2), ("f63", (3, 3), 6, (13, 9), 0, 1),
    ("row", (1, 7), 2, (4, 11), (0, 3), 1), ("column", (7, 1), 2, (11, 4), (3, 0), 1),
    ("uneven", (3, 5), 2, (7, 9), (1, 2), 1),
    ("far", (3, 3), 4, (3, 2), ((5, 0), (1, 4)), 1), ("small", (2, 2), 3, (4, 4), 0, 1),
]
DAILY = {("aarch32", "f23")}


def made(window: tuple[int, int], n: int, padding: Any = 0, channels: int = 5, outputs: int = 11,
         **limits: float) -> tuple[Float32WinogradConv2d, Float32Conv2d]:
    """The operator, and the direct way with the same weights."""
    rng = np.random.default_rng(n)
    w, bias = rng.normal(size=(outputs, *window, channels)), rng.normal(size=outputs)
    low, high = limits.get("low", -np.inf), limits.get("high", np.inf)
    return (Float32WinogradConv2d(w, bias, n=n, padding=padding, low=low, high=high),
            Float32Conv2d(w, bias, padding=padding, low=low, high=high))


def image(size: tuple[int, int], batch: int = 1, channels: int = 5) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(size).normal(size=(batch, *size, channels)).astype(np.float32)


def bits(x: Any) -> Any:
    return np.asarray(x).view(np.int32).tolist()


@pytest.mark.parametrize(("isa", "window", "n", "size", "padding", "batch"), [
    pytest.param(isa, *one[1:], id=f"{isa}-{one[0]}", marks=() if (isa, one[0]) in DAILY else pytest.mark.nightly)
    for isa in ("aarch64", "aarch32") for one in SWEEP])
def test_backends_give_the_bits_of_the_definition(isa: str, window: tuple[int, int], n: int, size: tuple[int, int],
                                                  padding: Any, batch: int) -> None:
    one, _ = made(window, n, padding, low=-4.0, high=5.0)
    x = image(size, batch)
    wanted = bits(one(x, backend="reference"))
    assert bits(one(x, backend=EmulatedBackend(isa))) == wanted
    if backend.available() is None:
        assert bits(one(x, backend="native", threads=2)) == wanted


@pytest.mark.parametrize(("window", "n", "size", "padding", "batch"), [pytest.param(*s[1:], id=s[0]) for s in SWEEP])
def test_an_error_is_within_its_bound(window: tuple[int, int], n: int, size: tuple[int, int], padding: Any,
                                      batch: int) -> None:
    """Against sums in float64, from the formula."""
    one, direct = made(window, n, padding)
    x = image(size, batch)
    pads = direct.shape(x.shape).padding
    padded = np.pad(x.astype(np.float64), ((0, 0), *pads, (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, window, axis=(1, 2))
    exact = np.einsum("byxckl,oklc->byxo", views, direct.w.astype(np.float64)) + direct.bias
    error, bound = abs(one(x, backend="reference") - exact), one.error_bound(x)
    assert (error <= bound).all()
    # It is not the bound of something else: what happens is some hundredths of it, or thousandths.
    assert error.max() > bound.max() / 20_000


QUICK = (((1, 7), 4), ((7, 1), 3), ((5, 5), 2))


@needs_library
@pytest.mark.parametrize(("window", "n"), [
    pytest.param(window, n, marks=[] if window == (3, 3) or (window, n) in QUICK else pytest.mark.nightly)
    for k, sizes in TILES.items() for n in sizes for window in ((k, k), (1, k), (k, 1))])
def test_layers_of_networks_have_the_same_bits(window: tuple[int, int], n: int) -> None:
    """Tasks that end within a strip, channels that fill no register, pixels that lie apart, threads."""
    for size, batch, channels, outputs in (((13, 11), 2, 5, 19), ((6, 6), 1, 16, 16), ((3, 2), 3, 1, 1)):
        one, _ = made(window, n, (window[0] // 2, window[1] // 2), channels, outputs, low=-3.0)
        graph = Graph("one", (batch, *size, channels), dtype="float32")
        graph.finish(graph.add_node("conv", one, "input"))
        x = image(size, batch, channels)
        wanted = bits(one(x, backend="reference"))
        plan = graph.plan("native")
        for threads in (1, 3):
            assert bits(plan.run(x, threads=threads)) == wanted


@needs_library
@pytest.mark.nightly
def test_every_family_of_kernels_has_the_same_bits() -> None:
    from neonsim.nn.backends.native.network import families

    one, _ = made((3, 3), 4, 1, 7, 18)
    x, graph = image((9, 10), 1, 7), Graph("one", (1, 9, 10, 7), dtype="float32")
    graph.finish(graph.add_node("conv", one, "input"))
    wanted = bits(one(x, backend="reference"))
    for family, missing in families().items():
        if missing is None:
            assert bits(graph.plan("native", family=family).run(x)) == wanted, family


@needs_library
def test_a_strategy_takes_them() -> None:
    _, direct = made((3, 3), 2, 1, 32, 32)
    graph = Graph("one", (1, 28, 28, 32), dtype="float32")
    graph.finish(graph.add_node("conv", direct, "input"))
    plan = graph.plan("native", strategy="mnn-main")
    assert isinstance(plan, NativePlan)
    assert plan.strategy is not None
    chosen = next(row.best.name for row in plan.strategy.rows)
    assert chosen in {f"winograd {n}x{n}" for n in TILES[3]}
    x = image((28, 28), 1, 32)
    same = Float32WinogradConv2d(direct.w, direct.bias, n=int(chosen[-1]), padding=1)
    assert bits(plan.run(x)) == bits(same(x, backend="reference"))


def test_fewer_products_than_directly() -> None:
    one, direct = made((3, 3), 4, 1)
    assert one.direct_macs((1, 8, 8, 5)) == direct.macs((1, 8, 8, 5)) == 4 * one.macs((1, 8, 8, 5))


@pytest.mark.parametrize(("arguments", "words"), [
    ({"n": 1}, "n must be"), ({"n": 9}, "n must be"), ({"window": (1, 1)}, "saves nothing"),
    ({"window": (11, 11), "n": 8}, r"F\(8, 11\) takes tiles of 18 numbers; the limit is 16"),
])
def test_wrong_input(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        made(arguments.get("window", (3, 3)), arguments.get("n", 2))


def test_refusals() -> None:
    one, _ = made((3, 3), 2)
    with pytest.raises(BackendError, match="Omit lowering and kernel"):
        one.plan((1, 6, 6, 5), backend="emulated", lowering="gemm")
    tall, _ = made((7, 1), 4)
    with pytest.raises(BackendError, match="needs more than 16 vector registers"):
        tall.plan((1, 12, 6, 5), backend=EmulatedBackend("aarch32"))
    with pytest.raises(BackendError, match=r"networks have F\(2, 3\) to F\(8, 3\), .*; this is F\(5, 7\) for 7x1"):
        made((7, 1), 5)[0].network_layer((1, 12, 6, 5))
