"""Layers of real numbers in the C library: every bit as the definitions of neonsim.quant.float32 have it, on every
family of kernels here and for any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import NativeNetwork, NetworkLayer, families
from neonsim.nn.graph import Concat, Graph, Reshape, Split, gather, model, random_inputs
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.ops.float32 import operators
from neonsim.nn.ops.float32.operators import (
    BatchNorm,
    Float32Add,
    Float32AvgPool2d,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32LeakyRelu,
    Float32MaxPool2d,
    Float32Operator,
    Float32Softmax,
)
from neonsim.ukernel.packing.im2col import as_padding

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
HERE = [name for name, lacks in families().items() if lacks is None] if MISSING is None else ["scalar"]

Reals = NDArray[np.float32]
Case = tuple[Float32Operator, tuple[int, ...]]
CHANNELS = (1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 48, 70)
LIMITS = ((-np.inf, np.inf), (0.0, np.inf), (0.0, 6.0), (-0.5, 0.25))


def same_bits(found: Reals, wanted: Reals) -> bool:
    """Any NaN for any NaN; else every bit, the sign of zeros too."""
    alike = (found.view(np.int32) == wanted.view(np.int32)) | (np.isnan(found) & np.isnan(wanted))
    return found.shape == wanted.shape and bool(alike.all())


def numbers(rng: np.random.Generator, shape: tuple[int, ...], wild: bool = False) -> Reals:
    """Of all magnitudes, zeros of both signs; wild: subnormal, infinite and no numbers too."""
    found = rng.standard_normal(shape) * np.exp2(rng.uniform(-20, 6, shape))
    found = np.where(rng.random(shape) < 0.15, rng.choice([0.0, -0.0, 1.0, -1.0, 6.0], shape), found)
    if wild:
        odd = [np.nan, -np.nan, np.inf, -np.inf, 1e-40, -1e-44, 3e38, -3e38]
        found = np.where(rng.random(shape) < 0.05, rng.choice(odd, shape), found)
    return found.astype(np.float32)


def window(rng: np.random.Generator, pools: bool = False) -> tuple[tuple[int, int], dict[str, Any]]:
    """Taps, and how they lie; pools: padding less than a window."""
    size = int(rng.choice([1, 2, 3, 3, 5])), int(rng.choice([1, 2, 3, 3, 7]))
    dilation = int(rng.choice([1, 1, 2])), int(rng.choice([1, 1, 3]))
    most = [((k - 1) * d + 1 if pools else 4) for k, d in zip(size, dilation, strict=True)]
    padding = [[int(rng.integers(0, min(m, 4))) for _ in range(2)] for m in most]
    return size, {"stride": (int(rng.integers(1, 4)), int(rng.integers(1, 3))), "padding": as_padding(padding),
                  "dilation": dilation}


def image(rng: np.random.Generator, size: tuple[int, int], more: dict[str, Any], channels: int) -> tuple[int, ...]:
    """An input that has at least one window."""
    least = [max((k - 1) * d + 1 - sum(p), 1) for k, d, p in zip(size, more["dilation"], more["padding"], strict=True)]
    return int(rng.integers(1, 3)), least[0] + int(rng.integers(0, 7)), least[1] + int(rng.integers(0, 20)), channels


def conv(rng: np.random.Generator) -> Case:
    groups, (size, more) = int(rng.choice([1, 1, 2, 3])), window(rng)
    depth, per_group = int(rng.choice(CHANNELS)), int(rng.choice(CHANNELS))
    low, high = LIMITS[int(rng.integers(4))]
    w = numbers(rng, (per_group * groups, *size, depth))
    bias = None if rng.random() < 0.2 else numbers(rng, (per_group * groups,))
    return Float32Conv2d(w, bias, groups=groups, low=low, high=high, **more), image(rng, size, more, depth * groups)


def depthwise(rng: np.random.Generator) -> Case:
    channels, (size, more) = int(rng.choice(CHANNELS[1:])), window(rng)
    low, high = LIMITS[int(rng.integers(4))]
    layer = Float32Conv2d(numbers(rng, (channels, *size, 1)), numbers(rng, (channels,)), groups=channels, low=low,
                          high=high, **more)
    assert layer.is_depthwise
    return layer, image(rng, size, more, channels)


def plain(rng: np.random.Generator) -> Case:
    inputs, outputs = int(rng.choice(CHANNELS)), int(rng.choice(CHANNELS))
    shape = (int(rng.integers(1, 3)), int(rng.integers(1, 9)), int(rng.integers(1, 9)), inputs)
    return Float32Conv2d(numbers(rng, (outputs, 1, 1, inputs)), numbers(rng, (outputs,)), high=6.0), shape


def linear(rng: np.random.Generator) -> Case:
    inputs, outputs = int(rng.integers(1, 100)), int(rng.choice([*CHANNELS, 200]))
    return (Float32FullyConnected(numbers(rng, (outputs, inputs)), numbers(rng, (outputs,)), low=0.0),
            (*(int(rng.integers(1, 6)) for _ in range(int(rng.integers(1, 3)))), inputs))


def anything(rng: np.random.Generator) -> tuple[int, ...]:
    return (*(int(rng.integers(1, 7)) for _ in range(int(rng.integers(0, 4)))), int(rng.choice(CHANNELS)))


def norm(rng: np.random.Generator) -> Case:
    shape = anything(rng)
    return BatchNorm(numbers(rng, shape[-1:]), numbers(rng, shape[-1:])), shape


def max_pool(rng: np.random.Generator) -> Case:
    size, more = window(rng, pools=True)
    return Float32MaxPool2d(size, **more), image(rng, size, more, int(rng.choice(CHANNELS)))


def avg_pool(rng: np.random.Generator) -> Case:
    size, more = window(rng, pools=True)
    shape = image(rng, size, more, int(rng.choice(CHANNELS)))
    more["padding"] = [[min(one, k - 1) for one in pair] for pair, k in zip(more["padding"], size, strict=True)]
    del more["dilation"]
    return Float32AvgPool2d(size, low=-1.0, **more), shape


def whole(rng: np.random.Generator) -> Case:
    return Float32GlobalAvgPool(), (2, int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.choice(CHANNELS)))


LAYERS: dict[str, Callable[[np.random.Generator], Case]] = {
    "conv": conv, "depthwise": depthwise, "plain": plain, "linear": linear, "norm": norm, "max": max_pool,
    "average": avg_pool, "whole": whole,
    "add": lambda rng: (Float32Add(low=0.0), anything(rng)),
    "clamp": lambda rng: (Float32Clamp(0.0, 6.0), anything(rng)),
    "leaky": lambda rng: (Float32LeakyRelu(float(rng.uniform(-1, 1))), anything(rng)),
    "softmax": lambda rng: (Float32Softmax(float(rng.uniform(0.1, 3))), anything(rng)),
}


def alone(operator: Float32Operator, shape: tuple[int, ...]) -> Graph:
    graph = Graph("one")
    names = [graph.add_input(name, shape, dtype="float32") for name in operator.names]
    graph.add_node("node", operator, *names)
    return graph


def judge(graph: Graph, x: dict[str, Reals], what: object) -> None:
    wanted = graph.plan("reference").run(x)
    for family in HERE:
        plan = NativePlan(graph, family)
        plan.most_threads = 2       # small as it is
        for threads in (1, 2):
            assert same_bits(plan.run(x, threads), wanted), (what, family, threads)


def sweep(kind: str, seeds: range) -> None:
    for seed in seeds:
        rng = np.random.default_rng([seed, *kind.encode()])
        operator, shape = LAYERS[kind](rng)
        graph = alone(operator, shape)
        judge(graph, {name: numbers(rng, shape, wild=seed % 3 == 0) for name in graph.inputs}, (kind, seed, shape))


def test_every_operator_is_here() -> None:
    made = {type(LAYERS[kind](np.random.default_rng(0))[0]).__name__ for kind in LAYERS}
    classes = {name for name in operators.__all__ if isinstance(getattr(operators, name), type)}
    assert made | {"Float32Operator"} == classes


@pytest.mark.parametrize("kind", LAYERS)
def test_bits_are_those_of_the_definition(kind: str) -> None:
    sweep(kind, range(4))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", LAYERS)
def test_bits_of_many(kind: str) -> None:
    sweep(kind, range(4, 150))


def rounded(exact: Fraction) -> float:
    """To float32, ties to even, by integers alone."""
    if not exact:
        return 0.0
    size = abs(exact)
    exponent = max(size.numerator.bit_length() - size.denominator.bit_length() - 25, -149)
    while size / Fraction(2) ** exponent >= 1 << 24:
        exponent += 1
    steps = size / Fraction(2) ** exponent
    count, rest = divmod(steps.numerator, steps.denominator)
    count += 2 * rest > steps.denominator or (2 * rest == steps.denominator and count % 2 == 1)
    return float(count * Fraction(2) ** exponent) * (1 if exact > 0 else -1)


def hard_triples(rng: np.random.Generator, count: int) -> tuple[Reals, Reals, Reals]:
    """x, gain, offset whose fused results lie a hair beside ties: of normal numbers, and of those below them."""
    x, gain = (1 + 2.0**-12 * (2 * rng.integers(0, 800, count) + 1) for _ in range(2))      # the product is a tie
    offset = rng.choice([1, -1], count) * np.exp2(-rng.integers(20, 80, count))
    low = 1 + np.arange(count // 4)
    x[low], gain[low] = 2.0**-75 * (1 + 2.0**-20), 2.0**-75 * (1 - 2.0**-20)
    offset[low] = rng.choice([1, -1], low.size) * (2.0**-127 + 2.0**-149 * rng.integers(0, 100, low.size))
    flip = rng.choice([1, -1], count)
    return (x * flip).astype(np.float32), (gain * flip).astype(np.float32), offset.astype(np.float32)


def test_sums_are_rounded_once_by_integers() -> None:
    """By fractions: neither the definition's arithmetic nor C's."""
    rng = np.random.default_rng(5)
    x, gain, offset = hard_triples(rng, 300)
    wanted = np.array([rounded(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))
                       for a, b, c in zip(x, gain, offset, strict=True)], np.float32)
    twice = (x.astype(np.float64) * gain + offset).astype(np.float32)
    small = abs(wanted) < np.finfo(np.float32).tiny
    assert (twice != wanted)[small].any()       # rounding twice would be noticed
    assert (twice != wanted)[~small].any()
    graph = alone(BatchNorm(gain, offset), (1, x.size))
    for family in HERE:
        assert np.array_equal(NativePlan(graph, family).run(x[np.newaxis])[0], wanted), family


def branches() -> Graph:
    """Moves of four bytes between layers: concatenations, splits, paddings, transposes; a result in the middle."""
    rng = np.random.default_rng(2)
    graph = Graph("branches", (2, 9, 8, 6), dtype="float32")
    a = graph.add_node("a", Float32Conv2d(numbers(rng, (5, 3, 3, 6)), padding=1), "input")
    b = graph.add_node("b", Float32MaxPool2d(3, stride=1, padding=1), "input")
    both = graph.add_node("both", Concat("float32"), a, b)
    shape = graph.tensors[both].shape
    edged = graph.add_node("edged", gather.pad_indices("float32", shape, ((0, 0), (1, 2), (0, 1), (0, 0)), 0), both)
    turned = graph.add_node("turned", gather.transpose_indices("float32", graph.tensors[edged].shape, (0, 2, 1, 3)),
                            edged)
    graph.add_node("cut", Split("float32", (4, 7)), turned)
    wide = graph.add_node("wide", Float32Conv2d(numbers(rng, (7, 1, 1, 4))), "cut:0")
    total = graph.add_node("sum", Float32Add(low=0.0), wide, "cut:1")
    rows = graph.add_node("rows", Reshape("float32", (2, -1, 7)), total)
    graph.add_node("shares", Float32Softmax(), rows)
    return graph.finish("shares", both)


def test_moves_between_layers_and_bound_arrays() -> None:
    graph = branches()
    x = random_inputs(graph, 1)
    wanted = graph.plan("reference").run(x)
    for family in HERE:
        plan = NativePlan(graph, family)
        assert all(map(same_bits, plan.run(x), wanted)), family
        bound = plan.bind(np.array(x["input"]))
        assert all(map(same_bits, bound.run(2), wanted)), family


SMALL: dict[str, dict[str, Any]] = {
    "mobilenet_v1": {"size": 32, "width": 0.25}, "mobilenet_v2": {"size": 32, "width": 0.25},
    "squeezenet": {"size": 64}, "resnet18": {"size": 64}, "shufflenet_v1": {"size": 64}, "digits": {}}


@pytest.mark.parametrize("name", [name if name in ("mobilenet_v2", "digits") else pytest.param(
    name, marks=pytest.mark.nightly) for name in SMALL])
def test_whole_networks(name: str) -> None:
    graph = model(name, quantization="f32", **SMALL[name])
    judge(graph, random_inputs(graph, 4), name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SMALL)
def test_whole_networks_of_published_size(name: str) -> None:
    graph = model(name, quantization="f32")
    judge(graph, random_inputs(graph, 5), name)


def test_a_network_is_one_call_by_itself() -> None:
    graph = model("digits", quantization="f32")
    assert isinstance(graph.plan(), NativePlan)


def test_a_nan_stays_where_it_is() -> None:
    """It reaches the results whose windows see it, and no others; limits leave it."""
    x = np.ones((1, 5, 5, 2), np.float32)
    x[0, 0, 0, 1] = np.nan
    layer = Float32Conv2d(np.ones((3, 3, 3, 2)), low=0.0, high=6.0)
    for family in HERE:
        found = NativePlan(alone(layer, x.shape), family).run(x)
        assert np.isnan(found).sum() == 3, family
        assert np.isnan(found[0, 0, 0]).all(), family


# ---- what is refused
FINE: dict[str, Any] = {
    "input_height": 3, "input_width": 3, "input_channels": 2, "input_stride": 8, "output_height": 3, "output_width": 3,
    "output_channels": 2, "output_stride": 8, "output": 128, "weights": np.ones(4, np.float32),
    "scale": np.array([0, 6, 1], np.float32)}


@pytest.mark.parametrize(("kind", "fields", "words"), [
    ("f32_conv", {"algorithm": 1 << 20}, "what does not suit is its algorithm"),
    ("f32_conv", {"algorithm": -1}, "what does not suit is its algorithm"),
    ("f32_conv", {"weights": None}, "the pointer to its weights"),
    ("f32_batch_norm", {"weights": None}, "the pointer to its weights"),
    ("f32_conv", {"scale": None}, "the pointer to its limits"),
    ("f32_conv", {"scale": np.zeros(2, np.float32)}, "number of scales is 2; it must be 3"),
    ("f32_clamp", {"scale": np.array([1, 0, 0], np.float32)}, "its limits, low above high"),
    ("f32_clamp", {"scale": np.array([np.nan, 0, 0], np.float32)}, "its limits, low above high"),
    ("f32_clamp", {"input": 2}, "no multiple of 4"),
    ("f32_add", {"second": 66, "second_stride": 8}, "no multiple of 4"),
    ("f32_add", {"second": 192, "second_stride": 4}, "stride of the second operand is 4"),
    ("f32_leaky_relu", {"output_stride": 4}, "stride of the output is 4; it must be 8"),
    ("f32_max_pool", {"output": 64}, "overlaps that of its input"),
    ("f32_depthwise", {}, "its channels and groups"),
    ("f32_conv", {"output": 1 << 40}, "byte of the arena at which the output ends"),
])
def test_refusals(kind: str, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        NativeNetwork([NetworkLayer.create(kind, **{**FINE, **fields})], 1024)


def test_too_many_taps_are_said() -> None:
    graph = alone(Float32Conv2d(np.ones((1, 33, 32, 16))), (1, 33, 32, 16))
    with pytest.raises(BackendError,
                       match="does not support node: number of taps of the kernel is 1056; it must be 1 to 1"):
        NativePlan(graph)
