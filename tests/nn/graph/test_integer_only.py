"""Integers from end to end: exact by Python's integers, bounds reached, refusals at 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.graph import Graph, Reshape
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.quantize.integer_only import IntegerOnlyChain, growth
from neonsim.nn.ops import Conv2d
from neonsim.nn.ops.float32.operators import (
    Float32Add,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32MaxPool2d,
    Float32Softmax,
)
from neonsim.quant.calibration import similarity
from neonsim.studies.networks.integer_only import integer_only_study, random_chain

FILES = sorted(Path(__file__).parents[4].glob("*/data/models/person_detect.tflite"))


def chain(layers: int, seed: int = 0, width: int = 6) -> Graph:
    rng = np.random.default_rng(seed)
    graph = Graph("chain", (1, width), dtype="float32")
    name = "input"
    for number in range(layers):
        name = graph.add_node(f"layer{number}", Float32FullyConnected(
            rng.normal(size=(width, width)), rng.normal(size=width), low=0.0 if number % 2 else -np.inf), name)
    return graph.finish(name)


def image_chain(seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    graph = Graph("image", (1, 8, 8, 2), dtype="float32")
    x = graph.add_node("conv", Float32Conv2d(rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4), padding=1), "input")
    x = graph.add_node("relu6", Float32Clamp(0, 6), x)
    x = graph.add_node("pool", Float32MaxPool2d(3, stride=2, padding=1), x)
    x = graph.add_node("depthwise", Float32Conv2d(rng.normal(size=(4, 3, 3, 1)), groups=4, low=0.0), x)
    return graph.finish(graph.add_node("flat", Reshape("float32", (1, -1)), graph.add_node(
        "mean", Float32GlobalAvgPool(), x)))


def _by_python(graph: Graph, x: list[int], scale: float) -> list[int]:
    """A chain of products, with Python's integers, from the formula."""
    for node in graph.nodes:
        one = node.operator
        assert isinstance(one, Float32FullyConnected)
        s_w = np.float32(float(abs(one.w).max()) / 127)
        rows = [[max(-127, min(127, int(np.rint(v / s_w)))) for v in row] for row in one.w]
        scale *= float(abs(one.w).max()) / 127
        x = [sum(w * v for w, v in zip(row, x, strict=True)) + int(np.rint(float(b) / scale))
             for row, b in zip(rows, one.bias, strict=True)]
        if one.low == 0:
            x = [max(0, v) for v in x]
    return x


@pytest.mark.parametrize("layers", range(2, 6))
def test_exact_by_pythons_integers(layers: int) -> None:
    graph = chain(layers, layers)
    ends = IntegerOnlyChain(graph, 2.0)
    x = np.random.default_rng(layers).uniform(-2, 2, (1, 6)).astype(np.float32)
    whole = [int(v) for v in np.rint(x[0].astype(np.float64) / (2.0 / 127))]
    found = ends.run(x) / ends.layers[-1].scale
    assert np.rint(found).astype(np.int64).tolist() == [_by_python(graph, whole, 2.0 / 127)]


def test_images_against_float() -> None:
    graph = image_chain()
    x = np.random.default_rng(1).normal(size=(1, 8, 8, 2)).astype(np.float32)
    wanted = graph.plan("reference").run(x)
    found = IntegerOnlyChain(graph, float(abs(x).max())).run(x)
    assert abs(found - wanted).max() < 0.03 * abs(wanted).max()


def test_bounds_are_reached_and_not_passed() -> None:
    """One layer: the input that has every weight's sign. Two: no input of a thousand passes."""
    graph = chain(1, 4)
    name, _, most, largest = IntegerOnlyChain(graph, 1.0).bounds()[0]
    layer = IntegerOnlyChain(graph, 1.0).layers[0]
    best = max(int(abs(np.sign(row) * 127 @ row) + abs(b)) for row, b in zip(layer.w, layer.bias, strict=True))
    assert name == "layer0" and largest == best < most + max(map(abs, layer.bias))
    for graph, shape in ((chain(3, 5), (1, 6)), (image_chain(6), (1, 8, 8, 2))):
        ends, rng = IntegerOnlyChain(graph, 1.0), np.random.default_rng(0)
        seen: dict[str, int] = {}
        for _ in range(300):
            ends.run(rng.choice([-1.0, 1.0], shape), seen)
        for name, _, _, largest in ends.bounds():
            assert 0 < seen[name] <= largest


def test_worst_cases_of_the_article() -> None:
    """MobileNetV1 for any weights, by 127 K a layer: 41 bits at layer 3, 64 at layer 5, the sign not counted."""
    graph, name = Graph("v1", (1, 16, 16, 3), dtype="float32"), "input"
    for number, (outputs, window, depth, groups) in enumerate(
            [(32, 3, 3, 1), (32, 3, 1, 32), (64, 1, 32, 1), (64, 3, 1, 64), (128, 1, 64, 1)], 1):
        name = graph.add_node(f"{number}", Float32Conv2d(np.ones((outputs, window, window, depth)), padding=window // 2,
                                                         groups=groups), name)
    sizes = [most for _, _, most, _ in IntegerOnlyChain(graph, 1.0).bounds()]
    assert [round(float(np.log2(float(size)))) for size in sizes] == [19, 29, 41, 51, 64]


def test_beyond_64_bits() -> None:
    graph = chain(8, 0)
    with pytest.raises(BadArgument, match=r"sums of layer\d can need \d+ bits; int64 has 64"):
        IntegerOnlyChain(graph, 1.0).run(np.zeros((1, 6)))
    rows = growth(graph, [np.ones((1, 6), np.float32)])
    assert rows[0].observed > 0 and rows[-1].observed == 0 and rows[-1].with_weights > 64
    assert [row.worst_case for row in rows] == [(127 * (6 * 127) ** (n + 1)).bit_length() + 1 for n in range(8)]


@pytest.mark.parametrize(("node", "words"), [
    (("sum", Float32Add(), "input", "layer0"), "sum of branch has a branch"),
    (("soft", Float32Softmax(), "layer0"), r"soft of branch \(softmax\) has no integer form"),
])
def test_what_is_no_chain(node: tuple[str, Float32Add, str], words: str) -> None:
    graph = Graph("branch", (1, 6), dtype="float32")
    graph.add_node("layer0", Float32FullyConnected(np.eye(6)), "input")
    graph.add_node(*node)
    with pytest.raises(BadArgument, match=words):
        IntegerOnlyChain(graph, 1.0)


@pytest.mark.parametrize("lengths", [(2, 8), pytest.param(range(2, 9), marks=pytest.mark.nightly)], ids=["few", "all"])
def test_chains_of_two_to_eight_layers_on_three_backends(lengths: Sequence[int]) -> None:
    """Narrow enough that eight fit: integers, the same everywhere, and those that Python counts."""
    rng = np.random.default_rng(2)
    full = random_chain(8, 1, width=2, low=-np.inf)
    x = rng.uniform(-1, 1, (1, 2)).astype(np.float32)
    for layers in lengths:
        ends = IntegerOnlyChain(full.part(f"layer{layers}"), 1.0)
        graph, given = ends.integer_graph(), ends.inputs(x)
        assert [tensor.dtype for tensor in graph.tensors.values()] == ["int8", "int32", *["int64"] * (layers - 1)]
        found = {backend: graph.plan(backend).run(given) for backend in ("reference", "native")}
        found["aarch32"] = graph.plan("emulated", isa="aarch32").run(given)
        found["aarch64"] = graph.plan("emulated", isa="aarch64").run(given)
        found["operators"] = graph.plan("native", operators=True).run(given)
        assert all(np.array_equal(one, found["reference"]) for one in found.values())
        whole = [int(v) for v in np.rint(x[0].astype(np.float64) / (1.0 / 127))]
        assert found["reference"].tolist() == [_by_python(ends.graph, whole, 1.0 / 127)]


@pytest.mark.nightly
def test_trained_digits_fit_64_bits() -> None:
    """Six layers, 63 bits with these weights; images, groups, strides on every backend."""
    images = digits.sample()[0][:2].astype(np.float32) / np.float32(255)
    ends = IntegerOnlyChain(digits.digits(F32, 2), 1.0)
    assert max(largest for _, _, _, largest in ends.bounds()).bit_length() + 1 == 63
    graph, given = ends.integer_graph(), ends.inputs(images)
    wanted = graph.plan("reference").run(given)
    assert np.array_equal(graph.plan("native").run(given, threads=2), wanted)
    part = graph.part("dw2")
    wanted = part.plan("reference").run(given)
    assert np.array_equal(part.plan("emulated", isa="aarch64").run(given), wanted)


@pytest.mark.nightly
def test_the_study_counts_and_prices() -> None:
    study = integer_only_study(cores=("cortex-a53", "cortex-a76"))
    chains, costs = study.data
    kept = {one.layers: one for one in chains if one.name == "64 wide"}
    assert kept[5].ends is not None and kept[6].ends is None and kept[6].bits > 64
    for layers in costs:
        assert 1 < layers.ratio(2) < layers.ratio(8)
        one, two, three = layers.integer_only
        assert one.instructions < two.instructions < three.instructions and one.moved < two.moved < three.moved
    assert "does not fit int64" in str(study) and "<svg" in str(study.picture())


def real_twin(graph: Graph, layers: int) -> Graph:
    """The first convolutions of an int8 network as real numbers: what its integers and scales stand for."""
    nodes = [node for node in graph.nodes if isinstance(node.operator, Conv2d)][:layers]
    twin, name, last = Graph("twin", graph.tensors[nodes[0].inputs[0]].shape, dtype="float32"), "input", ""
    for node in nodes:
        one = node.operator
        assert isinstance(one, Conv2d)
        if last and node.inputs[0] != last:
            break
        bias = one.bias * (float(one.schemes[0].scale) * np.asarray(one.w.scale, np.float64))
        low, high = ((end - one.out.zero_point) * float(one.out.scale) for end in (one.output_min, one.output_max))
        name = twin.add_node(node.name.replace("/", "_"), Float32Conv2d(
            one.w.dequantize(), bias, stride=one.stride, padding=one.padding, dilation=one.dilation,
            groups=one.groups, low=low, high=high), name)
        last = node.results[0]
    return twin.finish(name)


def test_person_detect_from_end_to_end() -> None:
    """The float twin of somebody's int8 network: its first layers, what their scales say."""
    if not FILES:
        pytest.skip("needs person_detect.tflite in a folder data/models beside this repository")
    from neonsim.nn.formats import load_model
    twin = real_twin(load_model(FILES[0]).graph, 4)
    rows = growth(twin, [], reach=1.0)
    fits = [row for row in rows if row.with_weights <= 64]
    assert len(fits) >= 3
    part = twin.part(*twin.node(rows[len(fits)].name).inputs) if len(fits) < len(rows) else twin
    ends = IntegerOnlyChain(part, 1.0)
    graph, x = ends.integer_graph(), np.random.default_rng(0).uniform(-1, 1, part.tensors["input"].shape)
    wanted = part.plan("reference").run(x.astype(np.float32))
    found = graph.plan("native").run(ends.inputs(x))
    assert np.array_equal(found, graph.plan("reference").run(ends.inputs(x)))
    # One scale for all channels of a layer, which depthwise weights suffer from: see the requantised chain per channel.
    assert similarity(wanted, ends.reals(found)) > 0.95
