"""Tengine's flows: by their formulas, written once more, on three backends; inherited scales; biases of 8 bits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.graph import Graph, model
from neonsim.nn.graph.graph import Node
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.quantize.quantize import list_casts, quantize
from neonsim.nn.graph.quantize.tengine import bias_bits, inherited, quantize_by_tengine
from neonsim.nn.ops import Conv2d
from neonsim.nn.ops.arithmetics.tengine import DetourMean, TengineQuantize, converted
from neonsim.nn.ops.float32.operators import (
    Float32Add,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32MaxPool2d,
)
from neonsim.quant.calibration import similarity
from neonsim.quant.scheme import Quantized, Scheme
from tests.float_graph import float_graph, float_images
from tests.nn.formats.scale_tables import read_tengine_table, write_tengine_table

Reals = NDArray[np.float32]
FLOWS = ("tengine-reference", "tengine")


def _round(x: Fraction) -> int:
    """C's round."""
    size = int(abs(x) + Fraction(1, 2))
    return size if x >= 0 else -size


def _single(x: Any) -> Fraction:
    """In single precision."""
    return Fraction(float(np.float32(float(x))))


def _by_reference(total: int, s_in: float, s_w: float, s_out: float, low: float, high: float) -> int:
    """(F10), in fractions, each step rounded to single precision as C has it."""
    real = _single(_single(total) * _single(_single(s_in) * _single(s_w)))
    real = Fraction(min(max(real, Fraction(low)), Fraction(high)))
    return min(max(_round(_single(real / _single(s_out))), -127), 127)


def _by_arm(total: int, s_in: float, s_w: float, s_out: float, low: float, high: float) -> int:
    """(F10, F13): frexp, SQRDMULH, SRSHL, integer limits."""
    mantissa, exponent = np.frexp(np.float32(s_in) * np.float32(s_w) / np.float32(s_out))
    multiplier = _round(Fraction(float(mantissa)) * 2**31)
    product = (2 * total * multiplier + (1 << 31)) >> 32
    shifted = product << int(exponent) if exponent >= 0 else (product + (1 << -int(exponent) - 1)) >> -int(exponent)
    ends = [_round(Fraction(limit) / _single(s_out)) for limit in (low, high)]
    return min(max(shifted, ends[0], -127), ends[1], 127)


def _one(seed: int) -> tuple[Graph, Reals]:
    rng = np.random.default_rng(seed)
    graph = Graph("one", (1, 5, 5, 3), dtype="float32")
    low, high = ((-1e6, 1e6), (0.0, 1e6), (0.0, 6.0))[seed % 3]
    convolution = Float32Conv2d(rng.normal(size=(4, 3, 3, 3)), rng.normal(size=4), low=low, high=high)
    graph.finish(graph.add_node("conv", convolution, "input"))
    return graph, rng.normal(size=(1, 5, 5, 3)).astype(np.float32) * np.float32(1 + seed % 4)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("seed", range(3))
def test_a_convolution_by_the_formulas(flow: str, seed: int) -> None:
    """(F08, F09, F10): weights, bias, sums and bytes, number by number."""
    graph, x = _one(seed)
    real = graph.node("conv").operator
    assert isinstance(real, Float32Conv2d)
    plan = graph.plan("reference")
    s_in, s_out = (float(np.float32(abs(values).max() / 127)) for values in (x, plan.run(x)))
    s_w = [float(np.float32(abs(w).max() / np.float32(127))) for w in real.w]
    q_in = [[[min(max(_round(_single(_single(v) / _single(s_in))), -127), 127) for v in p] for p in row]
            for row in x[0]]
    made = quantize_by_tengine(graph, flow, calibration=[x])
    found = made.plan("reference")
    found.run(x)
    rule = _by_reference if flow == "tengine-reference" else _by_arm
    for c in range(4):
        q_w = [[[_round(_single(_single(v) / _single(s_w[c]))) for v in p] for p in row] for row in real.w[c]]
        bias = _round(_single(_single(real.bias[c]) / _single(_single(s_in) * _single(s_w[c]))))
        for y in range(3):
            for z in range(3):
                total = bias + sum(q_in[y + i][z + j][k] * q_w[i][j][k] for i in range(3) for j in range(3)
                                   for k in range(3))
                wanted = rule(total, s_in, s_w[c], s_out, real.low, real.high)
                assert int(found.tensor("conv").values[0, y, z, c]) == wanted


@pytest.mark.parametrize("flow", FLOWS)
def test_every_sum_next_to_a_half_by_the_formulas(flow: str) -> None:
    """Where the two round otherwise: sums around every half of every byte, and scales of 1 and more."""
    rule, other = (_by_reference, _by_arm) if flow == "tengine-reference" else (_by_arm, _by_reference)
    rng, differ = np.random.default_rng(3), 0
    for s_in, s_w, s_out in ((0.5, 0.5, 0.75), (0.1, 0.02, 0.07), (1.0, 1.5, 1.0), (0.25, 0.5, 1.0), (1.0, 1.0, 0.3),
                             *rng.uniform(0.01, 1, (2, 3)).tolist()):
        w = Quantized(np.ones((1, 1, 1, 1), np.int8), np.array([s_w], np.float32), 0, axis=0)
        operator = Conv2d(Scheme(s_in, 0, "int8"), w, out=Scheme(s_out, 0, "int8"), requantization=flow,
                          output_min=-127)
        factor = s_in * s_w / s_out
        sums = sorted({int(np.clip(round((byte + 0.5) / factor) + near, -2**31, 2**31 - 1))
                       for byte in range(-130, 130, 3) for near in (-1, 0, 1)})
        found = operator.params.requantize(np.array(sums, np.int64).astype(np.int32)[:, None])[:, 0].tolist()
        assert found == [rule(one, s_in, s_w, s_out, -1e9, 1e9) for one in sums]
        differ += sum(a != other(one, s_in, s_w, s_out, -1e9, 1e9) for a, one in zip(found, sums, strict=True))
    assert differ > 50


def test_a_convolution_on_every_backend() -> None:
    graph, x = _one(4)
    made = quantize(graph, "tengine", calibration=[x])
    wanted = made.plan("reference").run(x)
    for backend in ("native", "emulated"):
        plan = made.plan((backend, "reference"))
        assert plan.run(x, threads=2).tobytes() == wanted.tobytes() and backend in plan.explain()


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("seed", [4, 5, 6])
def test_every_backend_has_its_bytes(flow: str, seed: int) -> None:
    made = quantize(float_graph(seed), flow, calibration=float_images(seed))
    plans = [made.plan(backend) for backend in ("reference", ("native", "reference"), ("emulated", "reference"))]
    for x in float_images(seed + 1, 2):
        wanted, *others = [plan.run(x, threads=2) for plan in plans]
        for found in others:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True))


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("name", ["mobilenet_v1", "mobilenet_v2", "resnet18", "shufflenet_v1"])
def test_networks(name: str, flow: str) -> None:
    """Equal bytes on every backend, for several seeds and threads."""
    for seed in range(3):
        width = {"width": 0.25} if name.startswith("mobilenet") else {}
        size = 32 if width else 64
        graph = model(name, quantization="f32", size=size, seed=seed, **width)
        x = np.random.default_rng(seed).normal(size=(1, size, size, 3)).astype(np.float32)
        made = quantize(graph, flow, calibration=[x])
        wanted = made.plan("reference").run(x)
        native, emulated = made.plan(("native", "reference")), made.plan(("emulated", "reference"))
        for threads in (1, 2, 3):
            assert native.run(x, threads=threads).tobytes() == wanted.tobytes()
        assert emulated.run(x).tobytes() == wanted.tobytes()
        assert similarity(wanted, graph.plan("reference").run(x)) > 0.9


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
def test_digits(flow: str) -> None:
    pictures, labels = digits.sample()
    graph, x = digits.digits("f32", 100), pictures.astype(np.float32) / np.float32(255)
    made = quantize(graph, flow, calibration=[x])
    found = made.plan(("native", "reference")).run(x)
    assert (found.argmax(1) == labels).mean() >= 0.95
    assert similarity(found, graph.plan("reference").run(x)) > 0.99


def test_conversions_are_the_closed_form() -> None:
    """(F09): one requantisation for each result, quantised at the input and made real at the end only."""
    graph = simplify(digits.digits("f32", 100))
    made = quantize_by_tengine(graph, scales=dict.fromkeys(graph.tensors, 0.05))
    results = sum(graph.tensors[node.results[0]].size for node in graph.nodes
                  if isinstance(node.operator, Float32Conv2d | Float32FullyConnected))
    ends = [graph.tensors[name].size for name in (*graph.inputs, *graph.outputs)]
    assert list_casts(made) == {"quantized": ends[0], "requantized": results, "dequantized": ends[1]}


def test_scales_are_inherited() -> None:
    """(F17): from the last to the first, where nothing else reads; softmax has 1/127."""
    made = quantize(float_graph(8), "tengine", calibration=float_images(8))
    assert made.scheme("shares") == Scheme(float(np.float32(1 / 127)), 0, "int8")
    assert made.scheme("join").scale == made.scheme("flat").scale
    graph = Graph("chain", (1, 4, 4, 1), dtype="float32")
    a = graph.add_node("conv", Float32Conv2d(np.ones((1, 1, 1, 1))), "input")
    b = graph.add_node("pool", Float32MaxPool2d(2), a)
    c = graph.add_node("relu", Float32Clamp(0.0), b)
    graph.finish(graph.add_node("sum", Float32Add(), c, c))
    scales = {"input": 1.0, "conv": 2.0, "pool": 3.0, "relu": 4.0, "sum": 5.0}
    # Both operands of the sum are relu's result: two readers.
    assert inherited(graph, scales) == {"input": 1.0, "conv": 4.0, "pool": 4.0, "relu": 4.0, "sum": 5.0}
    graph.finish("sum", "pool")
    assert inherited(graph, scales) == {"input": 1.0, "conv": 3.0, "pool": 3.0, "relu": 4.0, "sum": 5.0}
    x = np.random.default_rng(0).uniform(-9, 9, (1, 4, 4, 1)).astype(np.float32)
    found = quantize_by_tengine(graph, scales={name: 0.05 * (1 + i) for i, name in enumerate(scales)}).plan("reference")
    total, pool = found.run(x)
    assert abs(total - 2 * np.maximum(pool, 0)).max() <= 0.25 and (found.tensor("relu").values >= 0).all()


def test_its_table_gives_the_scales() -> None:
    graph, x = _one(1)
    scales = {"input": 0.5, "conv": 0.125}
    table = read_tengine_table(write_tengine_table({name: Scheme(one, 0, "int8") for name, one in scales.items()}))
    made = quantize_by_tengine(graph, scales={name: float(one.scale) for name, one in table.items()})
    assert made.scheme("conv").scale == 0.125 and made.plan("reference").run(x).shape == (1, 3, 3, 4)


def test_a_bias_of_8_bits_would_not_hold() -> None:
    """(F08), counted from the weights themselves; digits' own need 11 bits and more."""
    graph = digits.digits("f32")
    x = digits.sample()[0][:2].astype(np.float32) / np.float32(255)
    found = bias_bits(graph, calibration=[one[None] for one in x])
    s_in = {"input": float(np.float32(1 / 127))}
    first = next(node for node in graph.nodes if isinstance(node.operator, Float32Conv2d))
    assert isinstance(first.operator, Float32Conv2d)
    s_w = abs(first.operator.w.reshape(len(first.operator.bias), -1)).max(1) / 127
    steps = first.operator.bias / (s_in["input"] * s_w)
    assert found[0].bits == int(abs(steps).max() + 0.5).bit_length() + 1 > 8
    assert (found[0].beyond, found[0].out_of) == (int((abs(steps) >= 127.5).sum()), steps.size)
    assert all(one.beyond > 0 for one in found)


@pytest.mark.parametrize("scales", [(0.1, 0.07, 0.11), (0.5, 0.25, 0.5), (1.0, 1.0, 1e-3)])
def test_a_sum_by_the_formula(scales: tuple[float, float, float]) -> None:
    """All pairs: C's steps in single precision, by every backend that takes it."""
    a, b, out = (Scheme(one, 0, "int8") for one in scales)
    every = np.arange(-127, 128)
    left, right = (grid.astype(np.int8) for grid in np.meshgrid(every, every, indexing="ij"))
    single = [np.float32(one) for one in scales]
    wide = ((left.astype(np.float32) * single[0] + right.astype(np.float32) * single[1]) / single[2]).astype(np.float64)
    wanted = np.clip(np.trunc(wide + np.copysign(0.5, wide)), -127, 127)
    operator = ops.Add(a, b, out=out, rounding="tengine")
    assert (operator.reference(left, right) == wanted).all()
    graph = Graph("sum", (255, 255), a)
    graph.add_input("b", (255, 255), b)
    graph.finish(graph.add_node("total", operator, "input", "b"))
    found = graph.plan("native").run({"input": a.wrap(left), "b": b.wrap(right)})
    assert (found.values == wanted).all()


def test_a_mean_by_the_formula() -> None:
    rng = np.random.default_rng(1)
    x, out = Scheme(0.043, 0, "int8"), Scheme(0.019, 0, "int8")
    values = rng.integers(-127, 128, (2, 7, 7, 16)).astype(np.int8)
    steps = values.sum(axis=(1, 2), dtype=np.int64).astype(np.float32) * np.float32(0.043) / np.float32(49) \
        / np.float32(0.019)
    wanted = np.clip(np.trunc(steps + np.copysign(0.5, steps).astype(np.float64)), -127, 127)
    for backend in ("reference", "native", "emulated"):
        assert (DetourMean(x, out=out)(x.wrap(values), backend=backend).values == wanted).all()
    # An image too large for the operator of integers is one window of the kernel that goes the whole way.
    large = rng.integers(-127, 128, (1, 48, 48, 1)).astype(np.int8)
    steps = large.sum(axis=(1, 2), dtype=np.int64).astype(np.float32) * np.float32(0.043) / np.float32(48 * 48) \
        / np.float32(0.0019)
    wanted = np.clip(np.trunc(steps + np.copysign(0.5, steps).astype(np.float64)), -127, 127)
    for backend in ("reference", "emulated"):
        assert (DetourMean(x, out=Scheme(0.0019, 0, "int8"))(x.wrap(large), backend=backend).values == wanted).all()
    # With padding every window has a count of its own.
    found = DetourMean(x, out=x, pool=3, stride=2, padding=1).reference(values)
    corner = values[:, :2, :2].sum(axis=(1, 2), dtype=np.int64)
    steps = corner.astype(np.float32) * np.float32(0.043) / np.float32(4) / np.float32(0.043)
    assert (found[:, 0, 0] == np.trunc(steps + np.copysign(0.5, steps).astype(np.float64))).all()


def test_a_change_of_scale_and_the_input() -> None:
    x = np.array([0.5, -0.5, 1.5, -1e9, 1e9, 0.0], np.float32)
    assert TengineQuantize(out=Scheme(1.0, 0, "int8")).reference(x).tolist() == [1, -1, 2, -127, 127, 0]
    table = converted(Scheme(0.5, 0, "int8"), Scheme(1.0, 0, "int8"))
    assert table.reference(np.array([3, -3, 127, -128], np.int8)).tolist() == [2, -2, 64, -64]


@pytest.mark.parametrize(("arguments", "words"), [
    ({"flow": "arm"}, "flow must be 'tengine', 'tengine-reference'"),
    ({}, "calibration"),
    ({"scales": {"nothing": 1.0}}, "has no tensor 'nothing'"),
    ({"scales": {"input": 0.0}}, "scale of 'input' must be a positive number"),
    ({"scales": {"input": float("nan")}}, "scale of 'input' must be a positive number"),
    ({"scales": {"input": -1.0, "conv": 1.0}}, "scale of 'input' must be a positive number"),
    ({"scales": {"input": "one"}}, "scale of 'input' must be a positive number"),
    ({"scales": {"input": 1e3, "conv": 1e-6}}, r"conv of one \(conv 3x3\) does not suit flow='tengine'"),
    ({"calibration": [np.full((1, 5, 5, 3), np.nan, np.float32)]}, "must be finite")])
def test_wrong_input(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        quantize_by_tengine(_one(0)[0], **arguments)


def test_wrong_operators() -> None:
    x = Scheme(1.0, 0, "int8")
    with pytest.raises(BadArgument, match="zero point 0"):
        ops.Add(x, Scheme(1.0, 3, "int8"), out=x, rounding="tengine")
    with pytest.raises(BadArgument, match="int8"):
        DetourMean(Scheme(1.0, 0, "uint8"), out=x)
    with pytest.raises(BadArgument, match="NaN"):
        TengineQuantize(out=x).reference(np.array([np.nan], np.float32))
    node = quantize(_one(0)[0], "tengine", calibration=[_one(0)[1]]).node("conv")
    assert isinstance(node, Node) and isinstance(node.operator, Conv2d)
    with pytest.raises(BadArgument, match="omit scale="):
        Conv2d(x, node.operator.w, out=x, requantization="tengine", scale=0.5)
    with pytest.raises(BadArgument, match="has no scale_rule"):
        Conv2d(x, node.operator.w, out=x, requantization="tengine", scale_rule="wide")
