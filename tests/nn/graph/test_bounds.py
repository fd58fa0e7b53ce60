"""Extreme biases, zero points, scales and weights in native networks: the bytes of the reference, or a refusal that
names layer, quantity and limit."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import NativeNetwork, NetworkLayer, families
from neonsim.nn.graph import Graph, random_input
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.nn.ops import Add, AvgPool2d, ChannelShuffle, Conv2d, FullyConnected, GlobalAvgPool, MaxPool2d, SoftArgmax
from neonsim.quant.scheme import Quantized, Scheme
from tests.tiers import every

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
HERE = [name for name, lacks in families().items() if lacks is None] if MISSING is None else ["scalar"]

INT32 = np.iinfo(np.int32)
REFUSAL = r"does not support (first|second): .+ is .+; .+"
# 2**-32 is the least scale of every requantisation; these are just under the largest.
MAX_SCALE = {"q31": float(np.nextafter(np.float32(1), np.float32(0))),
             "fp32": float(np.nextafter(np.float32(256), np.float32(0)))}


def inputs_of(graph: Graph, seed: int) -> list[Quantized]:
    """Anything, all bytes the least, all the largest."""
    x = random_input(graph, seed)
    info = np.iinfo(x.values.dtype)
    same = [Quantized(np.full_like(x.values, v), x.scale, x.zero_point) for v in (info.min, info.max)]
    return [x, *same]


def judge(graph: Graph, seed: int = 0) -> int:
    """How many families refuse; the others are equal to the reference in every tensor, in one pass and in two."""
    reference, refused = graph.plan("reference"), 0
    given = inputs_of(graph, seed)
    wanted = []
    for x in given:
        reference.run(x)
        wanted.append([np.array(reference.tensor(node.name).values) for node in graph.nodes])
    for family in HERE:
        for two_passes in (False, True):
            try:
                plan = NativePlan(graph, family, keep=True, two_passes=two_passes)
            except BackendError as problem:
                assert re.search(REFUSAL, str(problem)), problem
                refused += 1
                continue
            for x, tensors in zip(given, wanted, strict=True):
                plan.run(x)
                for node, tensor in zip(graph.nodes, tensors, strict=True):
                    assert np.array_equal(plan.tensor(node.name).values, tensor), (family, two_passes, node.name, seed)
    return refused


def extreme(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.choice([low, low + 1, (low + high) // 2, high - 1, high, int(rng.integers(low, high + 1))]))


def scheme_of(rng: np.random.Generator, dtype: str, scale: float = 1.0) -> Scheme:
    info = np.iinfo(dtype)
    return Scheme(scale, extreme(rng, info.min, info.max), dtype)


def biases(rng: np.random.Generator, count: int) -> np.ndarray[Any, Any]:
    """All small; or dead channels among them; or anything, to where sums wrap."""
    bias = rng.integers(-5000, 5001, count)
    edges = np.array([INT32.min, INT32.min + 1, -(1 << 30) - 1, -(1 << 30), (1 << 30) - 1, 1 << 30, INT32.max, 0])
    part = rng.random(count) < rng.choice([0, 0.3, 1])
    bias = np.where(part, rng.choice(edges, count) if rng.random() < 0.5 else
                    rng.integers(INT32.min, INT32.max + 1, count), bias)
    return bias.astype(np.int32)


def scales(rng: np.random.Generator, requantization: str, count: int) -> np.ndarray[Any, Any]:
    """2**-32, just under the largest, or between."""
    most = MAX_SCALE[requantization]
    found = np.exp2(rng.uniform(-32, np.log2(most), count))
    edge = rng.random(count) < 0.3
    return np.where(edge, rng.choice([2.0**-32, most], count), found).astype(np.float32)


def weights_of(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, scale: Any) -> Quantized:
    info = np.iinfo(dtype)
    low = info.min + (dtype == "int8" and rng.random() < 0.7)      # kernels of int8 do not take -128
    values = {0: lambda: np.full(shape, info.max), 1: lambda: np.full(shape, low),
              2: lambda: rng.choice([low, info.max], shape), 3: lambda: rng.integers(low, info.max + 1, shape),
              4: lambda: np.where(rng.random(shape) < 0.9, 0, info.max)}[int(rng.integers(5))]()
    zero = 0 if dtype == "int8" else extreme(rng, 0, 255)
    return Quantized(values.astype(dtype), scale, zero, axis=0 if np.ndim(scale) else None)


def multiplying(rng: np.random.Generator, kind: str, x: Scheme, channels: int, dtype: str, deep: int,
                square: bool) -> Any:
    """A convolution, depthwise or not, or a fully connected layer of `channels` inputs; square: as many outputs."""
    requantization = str(rng.choice(["q31", "fp32"]))
    outputs = channels if kind == "depthwise" or square else int(rng.integers(1, 40))
    many = rng.random() < 0.5 and (dtype == "int8" or requantization == "fp32")
    scale = scales(rng, requantization, outputs) if many else float(scales(rng, requantization, 1)[0])
    limits = sorted(int(v) for v in rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, 2))
    more: dict[str, Any] = {"out": scheme_of(rng, dtype), "requantization": requantization}
    if rng.random() < 0.3:
        more |= {"output_min": limits[0], "output_max": limits[1]}
    if kind == "linear":
        return FullyConnected(x, weights_of(rng, (outputs, deep), dtype, scale), biases(rng, outputs), **more)
    size = int(rng.choice([1, 2, 3, 3, 5]))
    groups = channels if kind == "depthwise" else 1
    w = weights_of(rng, (outputs, size, size, channels // groups), dtype, scale)
    return Conv2d(x, w, biases(rng, outputs), groups=groups, padding=size // 2, **more)


def random_graph(rng: np.random.Generator, deep: int) -> Graph:
    """One layer or two. Raises BadArgument for what no operator takes."""
    dtype = str(rng.choice(["uint8", "int8"]))
    kind = str(rng.choice(["conv", "conv", "depthwise", "depthwise", "linear", "add", "average", "all", "max",
                           "shuffle"]))
    second = str(rng.choice(["", "", "add", "conv", "depthwise", "average", "shuffle"]))
    x = scheme_of(rng, dtype)
    size = int(rng.integers(1, 9))
    if kind == "linear":
        depth = int(rng.integers(1, deep))
        graph = Graph("bounds", (int(rng.integers(1, 30)), depth), x)
        graph.add_node("first", multiplying(rng, kind, x, depth, dtype, depth, False), "input")
        return graph
    channels = int(rng.choice([1, 3, 4, 16, 33, 64, 70]))
    graph = Graph("bounds", (int(rng.integers(1, 3)), size, size, channels), x)
    ratio = float(np.exp2(rng.uniform(-7.9, 9.9)))
    if kind in ("conv", "depthwise"):
        first: Any = multiplying(rng, kind, x, channels, dtype, deep, second == "add")
    elif kind == "add":
        first = Add(x, x, out=scheme_of(rng, dtype, ratio))
    elif kind == "all":
        first = GlobalAvgPool(x, out=scheme_of(rng, dtype, float(np.exp2(rng.uniform(-7.9, 7.9)))))
    elif kind == "average":
        first = AvgPool2d(x, pool=2, padding=1, out=scheme_of(rng, dtype, float(np.exp2(rng.uniform(-7.9, 7.9)))))
    elif kind == "max":
        first = MaxPool2d(x, pool=2, stride=1, padding=1)
    else:
        first = ChannelShuffle(x, groups=channels)
    graph.add_node("first", first, *(("input", "input") if kind == "add" else ("input",)))
    out = graph.tensors["first"]
    if second == "add" and out.shape == graph.tensors["input"].shape:
        graph.add_node("second", Add(out.scheme, x, out=scheme_of(rng, dtype, ratio)), "first", "input")
    elif second in ("conv", "depthwise"):
        graph.add_node("second", multiplying(rng, second, out.scheme, out.shape[-1], dtype, deep, False), "first")
    elif second == "average":
        graph.add_node("second", AvgPool2d(out.scheme, pool=2, padding=1, out=scheme_of(rng, dtype)), "first")
    elif second == "shuffle":
        graph.add_node("second", ChannelShuffle(out.scheme, groups=out.shape[-1]), "first")
    return graph


@pytest.mark.parametrize(("count", "deep"), [(40, 600), pytest.param(4000, 5000, marks=pytest.mark.nightly)])
def test_any_numbers(count: int, deep: int) -> None:
    done = refused = per_channel = 0
    kinds: Counter[str] = Counter()
    for seed in range(20 * count):
        try:
            graph = random_graph(np.random.default_rng([15, count, seed]), deep)
        except BadArgument:
            continue
        operators = [node.operator for node in graph.nodes]
        kinds.update("depthwise" if isinstance(o, Conv2d) and o.groups > 1 else type(o).__name__ for o in operators)
        # The one thing that is refused: a scale of its own for every channel, rounded by q31.
        many = any(isinstance(o, Conv2d | FullyConnected) and o.requantization == "q31" and o.scale.ndim
                   for o in operators)
        found = judge(graph, seed)
        assert found == (2 * len(HERE) if many else 0), seed
        refused, per_channel, done = refused + bool(found), per_channel + many, done + 1
        if done == count:
            break
    assert done == count and refused == per_channel < count / 2
    assert len(kinds) == 8 and min(kinds.values()) >= count / 60, kinds


def one_layer(operator: Any, shape: tuple[int, ...], scheme: Scheme) -> Graph:
    graph = Graph("one", shape, scheme)
    graph.add_node("first", operator, "input")
    return graph


def edge_biases(count: int) -> np.ndarray[Any, Any]:
    edges = [INT32.min, INT32.min + 1, -(1 << 30) - 1, -(1 << 30), -(1 << 30) + 1, (1 << 30) - 1, 1 << 30,
             INT32.max - 1, INT32.max, 0, -1, 1]
    return np.resize(np.array(edges, np.int64), count).astype(np.int32)


@pytest.mark.parametrize("kind", ["conv", "depthwise", "linear"])
def test_dead_channels(kind: str) -> None:
    """What quantisers make of channels whose weights are all zero: next to no scale, so a bias beyond measure."""
    rng = np.random.default_rng(1)
    x, channels = Scheme(0.02, -5, "int8"), 48
    shape = {"conv": (channels, 3, 3, 48), "depthwise": (channels, 3, 3, 1), "linear": (channels, 48)}[kind]
    values = rng.integers(-127, 128, shape).astype(np.int8)
    scale = rng.uniform(0.001, 0.01, channels).astype(np.float32)
    bias = rng.integers(-3000, 3000, channels).astype(np.int32)
    values[::3], scale[::3], bias[::3] = 0, 2.0**-20, edge_biases(16)
    w, out = Quantized(values, scale, 0, axis=0), Scheme(0.05, 3, "int8")
    if kind == "linear":
        graph = one_layer(FullyConnected(x, w, bias, out=out, requantization="fp32"), (7, 48), x)
    else:
        graph = one_layer(Conv2d(x, w, bias, out=out, requantization="fp32", padding=1,
                                 groups=48 if kind == "depthwise" else 1), (1, 6, 6, 48), x)
    assert judge(graph) == 0


@pytest.mark.parametrize("requantization", every(2, ["q31", "fp32"]))
def test_sums_at_the_edge_of_32_bits(requantization: str) -> None:
    """Every shift, and sums next to where rounding in 32 bits would wrap; one more product wraps as in operators."""
    x = Scheme(1.0, 1)
    for exponent in range(-32, 8 if requantization == "fp32" else 0):
        for mantissa in (1.0, 1.75, MAX_SCALE[requantization] / np.exp2(np.floor(np.log2(MAX_SCALE[requantization])))):
            for groups in (1, 24):
                shape = (24, 1, 1, 24 // groups)
                w = Quantized(np.eye(24).reshape(shape).astype(np.uint8) if groups == 1 else np.ones(shape, np.uint8),
                              float(np.ldexp(mantissa, exponent)), 0)
                layer = Conv2d(x, w, edge_biases(24), out=Scheme(1.0, 100), groups=groups,
                               requantization=requantization)
                graph = one_layer(layer, (1, 2, 1, 24), x)
                reference = graph.plan("reference")
                given = Quantized(np.resize(np.array([0, 1, 2, 3, 255], np.uint8), (1, 2, 1, 24)), 1.0, 1)
                wanted = np.array(reference.run(given).values)
                for family in HERE:
                    assert np.array_equal(NativePlan(graph, family).run(given).values, wanted), (exponent, family)


@pytest.mark.parametrize("kernel", [1, 2, 3, 11])
@pytest.mark.parametrize("zero", every(3, [0, 1, 127, 128, 254, 255]))
def test_weights_as_far_from_zero_as_can_be(kernel: int, zero: int) -> None:
    """255 less a zero point of 0 is three signed bytes, -255 two."""
    x = Scheme(1.0, 3)
    for value in (0, 1, 254, 255):
        w = Quantized(np.full((40, kernel, kernel, 1), value, np.uint8), 2.0**-10, zero)
        layer = Conv2d(x, w, out=Scheme(1.0, 128), groups=40, padding=kernel // 2)
        assert judge(one_layer(layer, (1, 5, 4, 40), x)) == 0


def test_averages_of_as_many_pixels_as_operators_take() -> None:
    """2**23 - 1 bytes of 255 less their zero point are just within int32."""
    for dtype, zero in (("uint8", 0), ("int8", 127)):
        x = Scheme(1.0, zero, dtype)
        shape, out = (1, 47, 178481, 1), Scheme(1.0, 0, dtype)
        graph = one_layer(GlobalAvgPool(x, out=out), shape, x)
        reference = graph.plan("reference")
        for value in (np.iinfo(dtype).min, np.iinfo(dtype).max):
            given = Quantized(np.full(shape, value, dtype), 1.0, zero)
            wanted = np.array(reference.run(given).values)
            for family in HERE:
                assert np.array_equal(NativePlan(graph, family).run(given).values, wanted), family


@pytest.mark.nightly
@pytest.mark.parametrize("taps", [1, 3])
def test_a_million_depths(taps: int) -> None:
    """Sums of 255 * 255 that wrap more than once, and sums of weights that leave int32."""
    x, depth = Scheme(1.0, 0), 1 << 20
    for value, zero in ((255, 0), (0, 255), (255, 1)):
        w = Quantized(np.full((2, taps, taps, depth), value, np.uint8), 2.0**-31, zero)
        graph = one_layer(Conv2d(x, w, edge_biases(2), out=Scheme(1.0, 100)), (1, taps, taps, depth), x)
        reference = graph.plan("reference")
        given = Quantized(np.full((1, taps, taps, depth), 255, np.uint8), 1.0, 0)
        wanted = np.array(reference.run(given).values)
        for family in HERE:
            assert np.array_equal(NativePlan(graph, family).run(given).values, wanted), (value, zero, family)


def wide(depth: int) -> Graph:
    """A window of 169 taps, which operators compute and networks refuse."""
    x = Scheme(1.0, 128)
    w = Quantized(np.full((4 if depth == 4 else 8, 13, 13, depth), 9, np.uint8), 0.001, 8)
    layer = Conv2d(x, w, out=x, padding=6, groups=1 if depth == 4 else 8)
    return one_layer(layer, (1, 13, 13, 4 if depth == 4 else 8), x)


@pytest.mark.parametrize("depth", [4, 1])
def test_a_refusal_names_layer_quantity_and_limit(depth: int) -> None:
    graph = wide(depth)
    with pytest.raises(BackendError, match=r"does not support first: number of taps of the kernel is 169; .* 1 to 128"):
        graph.plan("native")
    with pytest.raises(BackendError, match="first"):        # an option asks for this way
        graph.plan(family="scalar")


def test_what_is_refused_is_done_by_operators_and_says_so() -> None:
    graph = wide(4)
    x = random_input(graph)
    with pytest.warns(RuntimeWarning, match=r"operator by operator, native: .*first: .*169") as seen:
        plan = graph.plan()
    assert seen[0].filename == __file__
    assert isinstance(plan, OperatorPlan) and plan.backend == "native"
    assert "169" in plan.refusals[0] and "169" in repr(plan)
    assert np.array_equal(plan.run(x).values, graph.plan("reference").run(x).values)
    # Per-channel scales by q31 have no kernels of operators either.
    s = Scheme(1.0, 0, "int8")
    w = Quantized(np.ones((3, 5), np.int8), np.full(3, 0.1, np.float32), 0, axis=0)
    graph = one_layer(FullyConnected(s, w, out=s, requantization="q31"), (2, 5), s)
    with pytest.warns(RuntimeWarning, match="operator by operator, reference"):
        plan = graph.plan()
    assert plan.backend == "reference" and isinstance(plan, OperatorPlan) and len(plan.refusals) == 2
    with pytest.warns(RuntimeWarning, match="reference"):
        assert graph.plan(operators=True).backend == "reference"
    # What networks do warns of nothing.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(one_layer(ChannelShuffle(s, groups=2), (1, 4), s).plan(), NativePlan)


def test_layers_without_owners_are_named_by_number() -> None:
    pixels: dict[str, Any] = {f"{prefix}_{size}": 4 for prefix in ("input", "output")
              for size in ("height", "width", "channels", "stride")}
    good = NetworkLayer.create("max_pool", **pixels, output=64)
    for bad, text in (({"output": 65}, r"layer 1: .*output ends is 129; it must be 0 to 128"),
                      ({"input_width": 1 << 21}, r"width of the input is 2097152; it must be 1 to 1048576"),
                      ({"output_zero_point": 256}, r"zero point of the output is 256; it must be 0 to 255"),
                      ({"output": 63}, r"what does not suit is the place of its output")):
        with pytest.raises(BadArgument, match=text):
            NativeNetwork([good, NetworkLayer.create("max_pool", **{**pixels, "output": 64, **bad})], 128)
    w, scale = np.ones((4, 1, 1, 4), np.uint8), np.array([np.inf], np.float32)
    with pytest.raises(BadArgument, match=r"layer 0: .*scale of a channel is inf"):
        NativeNetwork([NetworkLayer.create("conv", rounding="fp32", scale=scale, weights=w, **pixels, output=64)], 128)


def test_every_kind_of_node_is_named() -> None:
    x = Scheme(1.0)
    rows = Scheme(1.0, 0, "int8")
    weights, uneven = Quantized(np.ones((2, 4), np.uint8), 0.1), Quantized(np.ones((2, 4), np.int8), 0.1, 3)
    refused: list[tuple[Any, tuple[int, ...], Scheme, str]] = [
        (SoftArgmax(Scheme(0.1)), (1, 4), Scheme(0.1), "there is no layer for"),
        (MaxPool2d(x, pool=2, stride=1, dilation=2), (1, 4, 4, 2), x, r"dilation of its windows is \[2, 2\]"),
        (FullyConnected(x, weights, out=x, requantization="rndnu"), (3, 4), x, "its requantization is 'rndnu'"),
        (FullyConnected(rows, uneven, out=rows, requantization="precise"), (3, 4), rows, "weights is 3"),
        (ChannelShuffle(x, groups=2), (1 << 21, 2), x, "width of the input is 2097152"),
    ]
    for operator, shape, scheme, text in refused:
        with pytest.raises(BackendError, match=f"does not support first: .*{text}"):
            one_layer(operator, shape, scheme).plan("native")
