"""Whose arithmetic: every rule by its formula written out again, and whole networks against the runtimes themselves."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.requant import fixed_softmax
from neonsim.quant.requant.double_scale import (
    DoubleAddParams,
    DoubleMeanParams,
    DoubleMultiplyParams,
    DoubleScale,
    DoubleUnaryParams,
    quantize_multiplier,
)
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.tensor_type import elements
from tests.needs import needs

needs("tflite", install="pip install 'neonsim[models]'")

ROOT = Path(ns.__file__).parents[1]
FILES = sorted(path for folder in ROOT.parent.glob("*/data/models") for path in folder.glob("*.tflite"))
HAVE_NATIVE = library.available() is None
BACKENDS = ("native", "reference") if HAVE_NATIVE else ("reference",)
# Of the version that the writer names, the reference kernels have none.
NO_REFERENCE = ("depth_to_space", "space_to_depth", "elu")
JUDGED = ("tflite", "ruy")


# ---- rules by their formulas, in integers of any size -----------------------------------------------------------

def nearest(x: Fraction, ties: str) -> int:
    """The nearest integer."""
    low = math.floor(x)
    if x - low != Fraction(1, 2):
        return low if x - low < Fraction(1, 2) else low + 1
    return low + 1 if ties == "up" or x > 0 else low


def multiplier_of(scale: float) -> tuple[int, int]:
    """(multiplier, exponent): scale ~ multiplier / 2**31 * 2**exponent, by exact fractions."""
    if scale == 0:
        return 0, 0
    exponent = 0
    exact = Fraction(scale)
    while exact >= 1:
        exact, exponent = exact / 2, exponent + 1
    while exact < Fraction(1, 2):
        exact, exponent = exact * 2, exponent - 1
    multiplier = nearest(exact * 2**31, "up")
    if multiplier == 2**31:
        multiplier, exponent = 2**30, exponent + 1
    return (0, 0) if exponent < -31 else (multiplier, exponent)


def twice(acc: int, multiplier: int, exponent: int, last: str = "away") -> int:
    """To the left, a rounded product, to the right."""
    moved = (acc * 2**max(exponent, 0) + 2**31) % 2**32 - 2**31
    high = nearest(Fraction(moved * multiplier, 2**31), "up")
    return nearest(Fraction(high, 2**max(-exponent, 0)), last)


def rounded(rule: str, acc: int, scale: float, place: int = 0, of: int = 1) -> int:
    if rule == "fp64":
        return nearest(Fraction(float(acc) * scale), "away")
    whole = {"ruy": 1, "ruy8": 8, "ruy16": 16}.get(rule, of + 1)
    return twice(acc, *multiplier_of(scale), "up" if place < of // whole * whole else "away")


@pytest.mark.parametrize("rule", ["gemmlowp", "ruy", "ruy8", "ruy16", "fp64"])
def test_wide_scales(rule: str) -> None:
    rng = np.random.default_rng(4)
    for scale in (0.5, 0.25, 1.0, 1.5, 3.75, 2.0**-9, 2.0**-32, 2.0**-33, 1 / 3, 0.1, 1e-7, 17.3, 1 - 2.0**-40, 0.0,
                  *(2.0 ** rng.uniform(-20, 3, 20))):
        most = min(2**31 - 1, int(2**30 / max(scale, 2.0**-20)))
        acc = np.concatenate([np.arange(-12, 13), [-most, most], rng.integers(-most, most, 11),
                              rng.integers(-3000, 3000, 10)]).astype(np.int32)
        acc = acc[:rng.integers(30, acc.size + 1)]
        found = DoubleScale(rule, scale).round(acc).tolist()
        assert found == [rounded(rule, int(a), float(scale), i, acc.size) for i, a in enumerate(acc)], scale
        assert [int(n) for n in quantize_multiplier(scale)] == [
            n * sign for n, sign in zip(multiplier_of(float(scale)), (1, -1), strict=True)]


def test_what_leaves_32_bits_is_lost() -> None:
    """Scales of 1 and more shift to the left first: C++ leaves it undefined, runtimes lose it."""
    assert DoubleScale("gemmlowp", 4.0).round(1 << 29).item() == twice(1 << 29, 1 << 30, 3) == 0


def _schemes(rng: np.random.Generator, dtype: str, count: int) -> list[ns.Scheme]:
    info = np.iinfo(dtype)
    return [ns.Scheme(float(np.float32(2.0 ** rng.uniform(-7, -2))), int(rng.integers(info.min, info.max + 1)), dtype)
            for _ in range(count)]


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_two_operands(dtype: str) -> None:
    rng, info = np.random.default_rng(8), np.iinfo(dtype)
    for _ in range(4):
        a, b, out = _schemes(rng, dtype, 3)
        x, y = (rng.integers(info.min, info.max + 1, 40).astype(dtype) for _ in "ab")
        most = 2 * max(np.float32(a.scale), np.float32(b.scale))
        first, second = (multiplier_of(float(s.scale) / float(most)) for s in (a, b))
        last = multiplier_of(float(most) / (2**20 * float(np.float32(out.scale))))
        product = multiplier_of(float(np.float32(a.scale) * np.float32(b.scale) / np.float32(out.scale)))
        for i, (p, q) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            p, q = p - a.zero_point, q - b.zero_point
            left, right = twice(p * 2**20, *first), twice(q * 2**20, *second)
            for wanted, params in ((twice(left + right, *last), DoubleAddParams.from_schemes(a, b, out).combine),
                                   (twice(left - right, *last),
                                    DoubleAddParams.from_schemes(a, b, out, subtracts=True).combine),
                                   (twice(p * q, *product), DoubleMultiplyParams.from_schemes(a, b, out).combine)):
                found = int(params(x[i:i + 1], y[i:i + 1])[0])
                assert found == min(max(wanted + out.zero_point, info.min), info.max)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_one_operand(dtype: str) -> None:
    rng, info = np.random.default_rng(9), np.iinfo(dtype)
    every = np.arange(info.min, info.max + 1).astype(dtype)

    def byte(value: int, out: ns.Scheme) -> int:
        return min(max(value + out.zero_point, info.min), info.max)

    for slope in (0.0, 0.1, 0.5, 1.0, 1.5):
        x, out = _schemes(rng, dtype, 2)
        up = multiplier_of(float(np.float32(x.scale) / np.float32(out.scale)))
        down = multiplier_of(float(np.float32(x.scale) * np.float32(slope) / np.float32(out.scale)))
        assert DoubleUnaryParams.from_schemes(x, out, slope=slope).apply(every).tolist() == [
            byte(twice(v - x.zero_point, *(up if v >= x.zero_point else down)), out) for v in every.tolist()]
        ratio = float(np.float32(x.scale)) / float(np.float32(out.scale))
        assert DoubleUnaryParams.from_schemes(x, out, requantization="ruy16").apply(every[:250]).tolist() == [
            byte(rounded("ruy16", v - x.zero_point, ratio, i, 250), out) for i, v in enumerate(every[:250].tolist())]
        for count in (1, 2, 3, 49, 64, 100):
            sums = rng.integers(info.min * count, info.max * count + 1, 30)
            multiplier, exponent = multiplier_of(ratio)
            bits = min(count.bit_length() - 1, 31 + exponent)
            folded = (multiplier << bits) // count, exponent - bits
            assert DoubleMeanParams.from_schemes(x, out, count).requantize(sums).tolist() == [
                byte(twice(int(s) - count * x.zero_point, *folded), out) for s in sums]


def test_softmax_in_fixed_point() -> None:
    """Exponentials and reciprocals are within 2**-22 and 2**-24 of the real ones, and so shares are the nearest."""
    d = np.arange(256)
    for scale in (0.004, 0.1, 0.5):
        found = fixed_softmax.exponentials(scale, 1.0) / 2.0**31
        assert np.abs(found - np.exp(-np.float32(scale) * d) * (d * scale < 31)).max() < 2.0**-22
    total = np.concatenate([np.arange(1, 500), [4095]]) * 2**19 + 12345
    unit, bits = fixed_softmax.reciprocal(total)
    assert np.abs(unit / 2.0**(31 + bits) * (total / 2.0**19) - 1).max() < 2.0**-24
    rng = np.random.default_rng(3)
    x = rng.integers(-128, 128, (50, 11)).astype(np.int8)
    real = np.exp(0.05 * x)
    shares = 256 * real / real.sum(axis=-1, keepdims=True)
    found = fixed_softmax.softmax(x, fixed_softmax.exponentials(0.05, 1.0), zero_point=-128).astype(int) + 128
    assert np.abs(found - np.minimum(shares, 255)).max() <= 0.51


# ---- against the runtimes --------------------------------------------------------------------------------------------

def compare(litert: Any, model: Model, data: bytes, arithmetic: str, inputs: list[list[np.ndarray]],
            backends: tuple[str | None, ...]) -> int:
    """Every tensor that is computed, of every input: all backends for the first, the first backend for the others."""
    whole, numbers = litert.all_seen(data)
    theirs, seen = litert.interpreter(whole, arithmetic), 0
    graph = model.plan("reference", arithmetic=arithmetic, keep=True).graph
    needed = {name for node in graph.nodes for name in node.results}
    for run, x in enumerate(inputs):
        wanted = litert.run(theirs, x)
        for backend in backends if run == 0 else backends[:1]:
            model.run(x, backend, arithmetic=arithmetic, keep=True)
            for number, value in zip(numbers, wanted, strict=True):
                if model.lowered(arithmetic).tensors[number] in needed:
                    name, seen = model.record.tensors[number].name, seen + 1
                    np.testing.assert_array_equal(model.tensor(name), value, f"{arithmetic}, {backend}, {name}")
    return seen


def inputs_of(model: Model, count: int) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(1)
    return [[rng.integers(np.iinfo(t.dtype).min, np.iinfo(t.dtype).max + 1, t.shape).astype(t.dtype)
             for t in model.inputs] for _ in range(count)]


@pytest.mark.skipif(not FILES, reason="no real models beside this checkout: a folder */data/models")
@pytest.mark.nightly
@pytest.mark.parametrize("arithmetic", JUDGED)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tensor_of_real_models(path: Path, arithmetic: str, litert: Any) -> None:
    model = ns.load_model(path)
    assert compare(litert, model, path.read_bytes(), arithmetic, inputs_of(model, 10), BACKENDS)


@pytest.mark.skipif(not FILES, reason="no real models beside this checkout: a folder */data/models")
@pytest.mark.nightly
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_convolutions_of_real_models_emulated(path: Path) -> None:
    """Those of 31 bits that kernels do, the rest by definition."""
    model = ns.load_model(path)
    x = inputs_of(model, 1)[0]
    wanted = model.run(x, "reference", arithmetic="tflite")[0]
    plan = model.plan("reference", arithmetic="tflite").graph.plan(("emulated", "reference"))
    made = plan.run(model._inputs(x, plan.graph), 2)
    found = np.asarray(elements(made[0] if isinstance(made, tuple) else made))
    assert np.array_equal(found.reshape(-1), wanted.reshape(-1))


def larger(chance: Any, seed: Any) -> Any:
    """A graph by chance whose products have scales on both sides of 1, and few products, so that bytes are not cut."""
    class Larger(chance):  # type: ignore[misc]
        def weights(self, shape: tuple[int, ...]) -> ns.Quantized:
            found = super().weights(shape)
            near = self.rng.integers(-2, 3, shape)
            zero = found.zero_point
            values = np.clip(near + zero, *((0, 255) if self.dtype == "uint8" else (-127, 127))).astype(self.dtype)
            scale = np.asarray(found.scale) * self.rng.choice([100, 300, 900])
            return ns.Quantized(values, scale if scale.ndim else float(scale), zero, axis=found.axis)

        def channels(self) -> int:
            return int(self.rng.integers(1, 12))

    return Larger(seed)


@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
@pytest.mark.parametrize("arithmetic", JUDGED)
@pytest.mark.parametrize("count", [6, pytest.param(400, marks=pytest.mark.nightly)])
def test_by_chance(chance: Any, arithmetic: str, count: int, litert: Any) -> None:
    enlarged = seen = 0
    for seed in range(count):
        made = larger(chance, [6, seed]) if seed % 2 else chance([7, seed])
        try:
            data = tflite_bytes(made.graph)
        except ns.ModelError as problem:        # a ReLU whose zero point is the lowest number
            assert "limits nothing" in str(problem)
            continue
        model = Model(read_tflite(data, "chance"))
        assert not model.lowered(arithmetic).refusals
        if arithmetic == "tflite" and any(entry.kind in NO_REFERENCE for entry in model.record.nodes):
            continue
        seen += compare(litert, model, data, arithmetic, [[made.input(seed)]], (None, "reference"))
        scales = [node.operator.scale for node in model.lowered(arithmetic).graph.nodes
                  if isinstance(node.operator, WeightedOperator)]
        enlarged += any(scale.max() >= 1 for scale in scales)
    assert (enlarged or count < 100) and seen > 3 * count


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_leaky_relu_and_softmax_of_both_types(dtype: str, litert: Any) -> None:
    rng, info = np.random.default_rng(2), np.iinfo(dtype)
    for number in range(100):
        x, out = _schemes(rng, dtype, 2)
        channels = int(rng.choice([1, 2, 10, 100, 400]))
        graph = Graph("two", (20, channels), x)
        leaky = ops.LeakyRelu(x, slope=float(rng.uniform(0, 1.2)), out=out, requantization="gemmlowp")
        graph.add_node("leaky", leaky, "input")
        graph.add_node("shares", ops.Softmax(out, beta=float(rng.choice([1.0, 0.5]))), "leaky")
        graph.finish("shares")
        data = tflite_bytes(graph)
        v = rng.integers(info.min, info.max + 1, (20, channels)).astype(dtype)
        for arithmetic in JUDGED:
            model = Model(read_tflite(data, "two"))
            assert compare(litert, model, data, arithmetic, [[v]], BACKENDS), number


# ---- backends agree --------------------------------------------------------------------------------------------------

def one_layer(requantization: str, scale: Any, dtype: str = "int8", groups: int = 1) -> tuple[Graph, np.ndarray]:
    rng, info = np.random.default_rng(5), np.iinfo(dtype)
    x = ns.Scheme(0.1, 3, dtype)
    graph = Graph("one", (2, 6, 5, 12), x)
    zero = 120 if dtype == "uint8" else 0
    values = (rng.integers(-3, 4, (12, 3, 3, 12 // groups)) + zero).astype(dtype)
    operator = ops.Conv2d(x, ns.Quantized(values, 0.02, zero), rng.integers(-99, 99, 12).astype(np.int32), padding=1,
                          out=ns.Scheme(0.2, 5, dtype), requantization=requantization, scale=scale, groups=groups)
    graph.add_node("y", operator, "input")
    graph.finish("y")
    return graph, rng.integers(info.min, info.max + 1, (2, 6, 5, 12)).astype(dtype)


@pytest.mark.skipif(not HAVE_NATIVE, reason="needs the C library: make native")
@pytest.mark.parametrize("groups", [1, 3, 12])
@pytest.mark.parametrize("requantization", ["gemmlowp", "ruy", "ruy8", "fp64"])
def test_native_families(requantization: str, groups: int) -> None:
    from neonsim.nn.backends.native.network import families

    rng = np.random.default_rng(6)
    scales: list[Any] = [0.25, 2.0 ** rng.uniform(-5, 2, 12), np.where(np.arange(12) % 5, 0.03, 2.0**-40)]
    for scale, dtype in zip(scales, ("uint8", "int8", "int8"), strict=True):
        graph, x = one_layer(requantization, scale, dtype, groups)
        given = graph.tensors["input"].type.value(x)
        wanted = graph.plan("reference").run(given).values
        for family, missing in families().items():
            if missing is None:
                found = graph.plan("native", family=family).run(given).values
                np.testing.assert_array_equal(found, wanted, f"{family}, {dtype}")
        assert len(np.unique(wanted)) > 20


def test_what_is_refused() -> None:
    x, w = ns.Scheme(0.1, 0, "int8"), ns.Quantized(np.ones((2, 3), np.int8), 0.1)
    for made, words in (
            (lambda: ops.FullyConnected(x, w, out=x, requantization="q31", scale=0.1), "in float64 must be 'gemmlowp'"),
            (lambda: ops.FullyConnected(x, w, out=x, scale=np.ones(3)), r"one per output channel, \[2\]"),
            (lambda: ops.FullyConnected(x, w, out=x, scale=-0.5), "0 or more"),
            (lambda: ops.FullyConnected(x, w, out=x, scale=np.nan), "0 or more"),
            (lambda: ops.FullyConnected(x, w, out=x, scale=2.0**30), r"less than 2\*\*30"),
            (lambda: ops.FullyConnected(x, w, out=x, scale=0.5, scale_rule="wide"), "no scale_rule"),
            (lambda: ops.Add(x, x, out=x, rounding="down"), "'up', 'twice', 'onnxruntime' or 'tengine'; got 'down'"),
            (lambda: ops.Multiply(x, x, out=x, requantization="ruy"), "'fp32', 'rndnu', 'gemmlowp' or 'onnxruntime'"),
            (lambda: ops.Convert(x, out=x, output_min=0), "only with a requantization"),
            (lambda: ops.GlobalAvgPool(x, out=x, requantization="fp32"), "'gemmlowp', 'ruy16'"),
            (lambda: ops.Softmax(x, fixed=True).output_shape((1, 4096)), "in fixed point needs 1 to 4095 channels"),
            (lambda: ops.Quantize(out=x, ties="up"), "'even', 'away' or 'eights'")):
        with pytest.raises(ns.BadArgument, match=words):
            made()


def test_numbers_that_are_quantized() -> None:
    x = np.array([0.25, -0.25, 0.75, 1.25, -1.25, 99, -99], np.float32)
    out = ns.Scheme(0.5, 3)
    assert ops.quantize(x, out=out, ties="away").values.tolist() == [4, 2, 5, 6, 0, 201, 0]
    assert ops.quantize(x, out=out).values.tolist() == [3, 3, 5, 5, 1, 201, 0]


def test_every_arithmetic_has_a_name() -> None:
    assert list(ARITHMETICS) == ["xnnpack", "tflite", "ruy", "qnnpack", "onnxruntime"]


@pytest.mark.parametrize("groups", [1, 12])
def test_kernels_of_one_scale(groups: int) -> None:
    """Kernels of Q31 take any multiplier of 31 bits: emulated and, kernel by kernel, native."""
    lowering = "depthwise" if groups > 1 else "indirect"
    for scale in (1 / 3, 0.011):
        graph, x = one_layer("gemmlowp", scale, "uint8", groups)
        operator: Any = graph.nodes[0].operator
        given = graph.tensors["input"].type.value(x)
        wanted = graph.plan("reference").run(given).values
        for backend in ("emulated", "native") if HAVE_NATIVE else ("emulated",):
            found = operator(given, backend=backend, lowering=lowering)
            np.testing.assert_array_equal(found.values, wanted, backend)
    graph, x = one_layer("gemmlowp", 1.5, "uint8", groups)
    operator = graph.nodes[0].operator
    with pytest.raises(ns.BackendError, match="below 1"):
        operator(graph.tensors["input"].type.value(x), backend="emulated")


@pytest.mark.parametrize("groups", [1, 3, 12])
def test_kernels_column_by_column(groups: int) -> None:
    """Channels with multipliers of their own, some of them 0, and int8: emulated and native."""
    rng = np.random.default_rng(3)
    for scale, dtype in ((2.0 ** rng.uniform(-7, -0.1, 12), "int8"), (0.125, "uint8"),
                         (np.where(np.arange(12) % 5, 0.03, 2.0**-40), "uint8")):
        graph, x = one_layer("gemmlowp", scale, dtype, groups)
        operator: Any = graph.nodes[0].operator
        given = graph.tensors["input"].type.value(x)
        wanted = graph.plan("reference").run(given).values
        for backend in ("emulated", "native") if HAVE_NATIVE else ("emulated",):
            found = operator(given, backend=backend, lowering="im2col")
            np.testing.assert_array_equal(found.values, wanted, backend)
    for rule, one, words in (("ruy", 0.1, "requantization 'ruy'"), ("gemmlowp", 1.5, "below 1")):
        graph, x = one_layer(rule, one, "int8", groups)
        operator = graph.nodes[0].operator
        with pytest.raises(ns.BackendError, match=words):
            operator(graph.tensors["input"].type.value(x), backend="emulated")


# ---- QNNPACK, for which no runtime judges: formulas from what its layers read ----------------------------------------

def qnnpack(operator: Any, x: list[np.ndarray]) -> np.ndarray | None:
    """A layer's bytes from the formulas of (R04) and (R07), from what it read."""
    if not isinstance(operator, WeightedOperator | ops.Add | ops.GlobalAvgPool):
        return None
    out = operator.out
    zero = [scheme.zero_point for scheme in operator.schemes]
    if isinstance(operator, WeightedOperator):
        single = np.float32(operator.schemes[0].scale) * np.float32(operator.w.scale) / np.float32(out.scale)
        mantissa, exponent = math.frexp(float(single))
        values = [twice(int(a), int(mantissa * 2**31), exponent) for a in operator.accumulators(*x).reshape(-1)]
    elif isinstance(operator, ops.Add):
        ratios = [np.float32(s.scale) / np.float32(out.scale) for s in operator.schemes]
        shift = 21 - (math.frexp(float(max(ratios)))[1] - 1)
        a, b = (round(Fraction(float(r)) * 2**shift) for r in ratios)
        values = [nearest(Fraction(a * (p - zero[0]) + b * (q - zero[1]), 2**shift), "away")
                  for p, q in zip(x[0].reshape(-1).tolist(), x[1].reshape(-1).tolist(), strict=True)]
    else:
        count = x[0].shape[1] * x[0].shape[2]
        scale = np.float32(operator.schemes[0].scale) / (np.float32(out.scale) * np.float32(count))
        sums = x[0].astype(int).sum(axis=(1, 2)).reshape(-1) - count * zero[0]
        values = [nearest(int(s) * Fraction(float(scale)), "away") for s in sums]
    return np.clip(np.array(values) + out.zero_point, operator.output_min, operator.output_max)


@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
@pytest.mark.parametrize("count", [10, pytest.param(150, marks=pytest.mark.nightly)])
def test_qnnpack(chance: Any, count: int) -> None:
    judged, refusals = 0, set()
    for seed in range(count):
        made = chance([9, seed], 4)
        try:
            model = Model(read_tflite(tflite_bytes(made.graph), "chance"))
        except ns.ModelError as problem:
            assert "limits nothing" in str(problem)
            continue
        lowered, x = model.lowered("qnnpack"), made.input(seed)
        if lowered.refusals:
            refusals |= {refusal.reason.split(": ", 1)[1][-40:] for refusal in lowered.refusals.values()}
            assert made.dtype == "int8" or not {entry.kind for entry in model.record.nodes}.isdisjoint(
                {"multiply", "conv2d", "depthwise", "fully_connected", "resize_bilinear", "transpose_conv",
                 "hard_swish", "subtract"})
            continue
        wanted = model.run(x, "reference", arithmetic="qnnpack", keep=True)
        plan: Any = model.plan("reference", arithmetic="qnnpack", keep=True)
        for node in plan.graph.nodes:
            read = [x if name in plan.graph.inputs else np.asarray(plan.tensor(name).values) for name in node.inputs]
            found = qnnpack(node.operator, read) if isinstance(node.operator, ops.Operator) else None
            if found is not None:
                np.testing.assert_array_equal(plan.tensor(node.name).values.reshape(-1), found.reshape(-1), node.name)
                judged += 1
        assert np.array_equal(model.run(x, arithmetic="qnnpack")[0], wanted[0]), seed
    assert judged >= count / 10
    assert any("'qnnpack' is of uint8" in why for why in refusals)


@pytest.mark.skipif(not FILES, reason="no real models beside this checkout: a folder */data/models")
@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
@pytest.mark.nightly
@pytest.mark.parametrize("path", [path for path in FILES if "quant" in path.stem and "mobilenet" in path.stem],
                         ids=lambda path: path.stem)
def test_qnnpack_of_real_models(path: Path) -> None:
    """Every backend, the emulated one too."""
    model = ns.load_model(path)
    x = inputs_of(model, 1)[0]
    wanted = model.run(x, "reference", arithmetic="qnnpack")[0]
    for backend in (None, "emulated"):
        assert np.array_equal(model.run(x, backend, arithmetic="qnnpack")[0], wanted)
