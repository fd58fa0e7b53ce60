"""Causes that are planted by code of its own are named, and nothing else is; of what is not known nothing is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn import ops
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.quant import Quantized, Scheme
from neonsim.verify.debugger import Differences
from neonsim.verify.debugger.causes import causes_of
from tests.needs import needs
from tests.tiers import every

from .wrongly import Layer, by_loops, by_windows

needs("tflite", install="pip install 'neonsim[models]'")
needs("onnx", install="pip install 'neonsim[models]'")

Planted = tuple[Model, np.ndarray, np.ndarray]      # a network, its input, somebody's output


def layer_of(kind: str, dtype: str, depth: int = 6, out: int = 8, size: int = 10, **more: Any) -> Layer:
    """A layer whose bytes use all of the type; of uint8 weights have zero points, too."""
    rng, info = np.random.default_rng([len(kind), depth, out]), np.iinfo(dtype)
    signed = dtype == "int8"
    shape, window = (1, size, size, depth), (out, 3, 3, 1 if kind == "deep" else depth)
    if kind == "dense":
        shape, window = (5, 1, 1, depth), (out, 1, 1, depth)
    w = rng.integers(-127, 128, window).astype(np.int8) if signed or not more.pop("asymmetric", False) else \
        rng.integers(0, 256, window).astype(np.uint8)
    terms = window[1] * window[2] * window[3]
    w_scale = rng.uniform(0.5, 1.5, out) * 0.9 / (0.02 * 74 * 74 * terms**0.5)
    per_channel = w.dtype == np.int8
    made = Layer(rng.integers(info.min, info.max + 1, shape).astype(dtype), w,
                 rng.integers(-4000, 4000, out).astype(np.int32), 0.02,
                 w_scale.astype(np.float32) if per_channel else np.float32(w_scale.mean()), 0.025,
                 x_zero=-13 if signed else 100, w_zero=0 if per_channel else 140, out_zero=5 if signed else 120,
                 low=info.min, high=info.max, groups=out if kind == "deep" else 1)
    return replace(made, **({"pads": (0, 0, 1, 1), "stride": (2, 2)} | more if kind != "dense" else more))


def as_graph(layer: Layer, requantization: str = "fp32") -> Graph:
    graph = Graph("planted", layer.x.shape, Scheme(layer.x_scale, layer.x_zero, layer.x.dtype.name))
    axis = 0 if np.ndim(layer.w_scale) else None
    w = Quantized(layer.w, layer.w_scale, layer.w_zero, axis=axis)
    top, left, bottom, right = layer.pads
    graph.add_node("y", ops.Conv2d(graph.scheme("input"), w, layer.bias, out=Scheme(
        layer.out_scale, layer.out_zero, layer.x.dtype.name), stride=layer.stride, dilation=layer.dilation,
        padding=((top, bottom), (left, right)), groups=layer.groups, output_min=layer.low, output_max=layer.high,
        requantization=requantization), "input")
    return graph.finish("y")


def as_tflite(layer: Layer) -> Model:
    return Model(read_tflite(tflite_bytes(as_graph(layer)), "planted.tflite"))


def as_onnx(layer: Layer) -> Model:
    from onnx import TensorProto, helper, numpy_helper

    def constant(name: str, value: Any, dtype: Any) -> Any:
        return numpy_helper.from_array(np.array(value, dtype), name)

    types = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8}
    dtype, (oh, ow) = layer.x.dtype.name, layer.size
    zeros = np.full(np.shape(layer.w_scale), layer.w_zero)
    constants = [constant("sx", layer.x_scale, np.float32), constant("zx", layer.x_zero, dtype),
                 constant("w", np.ascontiguousarray(layer.w.transpose(0, 3, 1, 2)), layer.w.dtype),
                 constant("sw", layer.w_scale, np.float32), constant("zw", zeros, layer.w.dtype),
                 constant("sy", layer.out_scale, np.float32), constant("zy", layer.out_zero, dtype),
                 constant("b", layer.bias, np.int32)]
    node = helper.make_node("QLinearConv", ["x", "sx", "zx", "w", "sw", "zw", "sy", "zy", "b"], ["y"],
                            strides=list(layer.stride), pads=list(layer.pads), dilations=list(layer.dilation),
                            group=layer.groups)
    batch, height, width, channels = layer.x.shape
    graph = helper.make_graph([node], "planted", [helper.make_tensor_value_info("x", types[dtype], [
        batch, channels, height, width])], [helper.make_tensor_value_info("y", types[dtype], [
            batch, len(layer.w), oh, ow])], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return Model(read_onnx(made.SerializeToString(), "planted.onnx"))


def found_of(layer: Layer, way: str, computed: Layer | None = None) -> Differences:
    """What is said of somebody's bytes of the layer, by one of both ways; computed: what they are of."""
    theirs = (by_windows if way == "tflite" else by_loops)(computed or layer).astype(layer.x.dtype)
    # The convolution of an .onnx has no limits.
    if way == "tflite" or layer.low > np.iinfo(layer.x.dtype).min:
        return said_of(as_tflite(layer), layer.x, theirs)
    return said_of(as_onnx(layer), layer.x.transpose(0, 3, 1, 2), theirs.transpose(0, 3, 1, 2))


def said_of(model: Model, x: Any, theirs: np.ndarray) -> Differences:
    return ns.explain_difference(model, x, a=model.rules(), b={model.outputs[0].name: theirs}, backend="reference")


def _turn(layer: Layer) -> Layer:
    """What is read if the memory of channels first is taken for channels last."""
    batch, height, width, channels = layer.x.shape
    return replace(layer, x=layer.x.reshape(batch, channels, height, width).transpose(0, 2, 3, 1))


def _other_sign(layer: Layer) -> Layer:
    other = "uint8" if layer.x.dtype == np.int8 else "int8"
    return replace(layer, x=layer.x.view(other).astype(np.int16))


def _swapped(layer: Layer) -> dict[str, Any]:
    return {"w": layer.w[[3, 1, 2, 0, *range(4, len(layer.w))]]}


# name: (layer, what is done wrongly, what is said)
CAUSES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "pairs": ({}, lambda one: {"pairs": True}, "two products saturate in 16 bits"),
    "wrapped sums": ({}, lambda one: {"short": True}, "sums wrap in 16 bits"),
    "padding": ({}, lambda one: {"outside": 0}, "padding holds 0 in place of the input's zero point"),
    "bias": ({}, lambda one: {"bias": 0 * one.bias}, "bias is forgotten"),
    "bias twice": ({}, lambda one: {"bias": 2 * one.bias}, "bias is added twice"),
    "input zero": ({}, lambda one: {"x_zero": 0}, "input's zero point is forgotten"),
    "weight zero": ({"asymmetric": True, "dtype": "uint8"}, lambda one: {"w_zero": 0},
                    "weights' zero point is forgotten"),
    "output zero": ({}, lambda one: {"out_zero": 0}, "output's zero point is forgotten"),
    "floor": ({}, lambda one: {"rounds": "floor"}, "(floor), not rounded"),
    "truncation": ({}, lambda one: {"rounds": "trunc"}, "cut off toward zero"),
    "ceil": ({}, lambda one: {"rounds": "ceil"}, "(ceil), not rounded"),
    "twice": ({}, lambda one: {"twice": 1}, "rounded twice: first to 1 binary digit"),
    "one scale": ({}, lambda one: {"scales": one.scales[0]}, "one scale for all channels, the first channel's"),
    "mean scale": ({}, lambda one: {"scales": one.scales.mean()}, "one scale for all channels, the mean"),
    "shift": ({}, lambda one: {"scales": one.scales / 2}, "shift is one too large"),
    "missing clamp": ({"low": 5, "dtype": "int8"}, lambda one: {"low": -128}, "clamp of the activation is missing"),
    "wraps": ({"out_scale": 0.012}, lambda one: {"wraps": True}, "wrap round"),
    "window transposed": ({}, lambda one: {"w": one.w.transpose(0, 2, 1, 3)}, "rows and columns of the weights"),
    "window turned": ({}, lambda one: {"w": one.w[:, ::-1, ::-1]}, "turned by 180 degrees"),
    "filters": ({}, _swapped, "filters are in another order: channel 0 has those of channel 3"),
    "depthwise channels": ({"kind": "deep", "depth": 8}, _swapped, "filters are in another order: channel 0 has those "
                                                                   "of channel 3"),
    "padding's side": ({}, lambda one: {"pads": (1, 1, 0, 0)}, "padding lie on the other side"),
    "stride": ({}, lambda one: {"stride": (1, 1)}, "stride is forgotten"),
    "dilation": ({"dilation": (2, 2), "stride": (1, 1), "pads": (2, 2, 2, 2)}, lambda one: {"dilation": (1, 1)},
                 "dilation is forgotten"),
    "tail": ({}, lambda one: {"keeps": np.arange(54) % 6 < 4}, "channels behind the last whole 4 are left out"),
}
MOVED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "layout": ({}, _turn, "lies with its channels last (NHWC) and is read as if they came first (NCHW)"),
    "colors": ({"depth": 3}, lambda one: replace(one, x=one.x[..., ::-1]), "reversed (BGR for RGB)"),
    "types": ({}, _other_sign, "bytes are read as"),
}


def _planted(name: str, way: str) -> tuple[Layer, str]:
    more, does, words = CAUSES[name]
    given = {"kind": "conv", "dtype": "int8" if way == "tflite" else "uint8", **more}
    made = layer_of(given.pop("kind"), given.pop("dtype"), **given)
    return replace(made, does=does(made)), words


def check(found: Differences, words: str) -> None:
    """The cause is among those that are named, and what is told of it is true."""
    assert not found and found.first is not None
    said = [str(cause) for cause in found.causes]
    assert any(words in one for one in said), said
    assert found.causes[0].explained == found.layers[0].equal.total() and words in str(found)
    assert found.first.cause.startswith(said[0]) and "look for" not in str(found)


@pytest.mark.parametrize("way", ["tflite", "onnx"])
@pytest.mark.parametrize("name", every(5, CAUSES))
def test_a_planted_cause_is_named(name: str, way: str) -> None:
    layer, words = _planted(name, way)
    check(found_of(layer, way), words)


@pytest.mark.parametrize("way", ["tflite", "onnx"])
@pytest.mark.parametrize("name", list(MOVED))
def test_an_input_that_is_read_wrongly(name: str, way: str) -> None:
    more, moved, words = MOVED[name]
    layer = layer_of("conv", "int8" if way == "tflite" else "uint8", **more)
    check(found_of(layer, way, moved(layer)), words)


@pytest.mark.parametrize("way", ["tflite", "onnx"])
def test_what_is_not_known_has_no_name(way: str) -> None:
    """Other weights, another bias, two causes at once, noise."""
    layer = layer_of("conv", "int8" if way == "tflite" else "uint8")
    rng = np.random.default_rng(3)
    other = rng.integers(-127, 128, layer.w.shape).astype(layer.w.dtype)
    for does in ({"w": other}, {"bias": layer.bias + 5000}, {"outside": 0, "rounds": "ceil"},
                 {"scales": layer.scales * rng.uniform(0.9, 1.1, 8)}):
        found = found_of(replace(layer, does=does), way)
        assert not found.causes and "None of the causes known here makes all values of 'y'" in str(found), does
        assert not found.verdict and found.first is not None and "no rule and no cause" in found.first.cause
    model = as_tflite(layer_of("conv", "int8"))
    right = model.run(layer_of("conv", "int8").x)[0]
    for moved in (right ^ rng.integers(0, 2, right.shape).astype(np.int8), np.roll(right, 1, axis=1)):
        assert not said_of(model, layer_of("conv", "int8").x, moved).causes


def test_too_few_values_tell_no_cause() -> None:
    """One value that was changed is what some rounding makes, too: that is no name of a cause."""
    layer = layer_of("conv", "int8")
    model, theirs = as_tflite(layer), by_windows(layer)
    exact = by_windows(replace(layer, does={"rounds": "floor"}))
    at = np.flatnonzero(exact != theirs)[0]
    theirs.reshape(-1)[at] = exact.reshape(-1)[at]
    found = said_of(model, layer.x, theirs)
    assert not found and found.first is not None and "what makes all" not in str(found)
    assert not found.causes and not found.to_dict()["causes"]
    assert not found.fitting or "too few values of 'y' differ, 1, to tell a cause" in str(found)
    assert not any(found.first.cause.startswith(str(cause)) for cause in found.fitting)


def test_what_gives_the_same_bytes_is_all_named() -> None:
    """Above zero floor and truncation are one."""
    layer = layer_of("conv", "int8", out_zero=-128, out_scale=0.05)
    layer = replace(layer, bias=np.full(8, 150_000, np.int32))
    found = found_of(replace(layer, does={"rounds": "floor"}), "tflite")
    said = str(found)
    assert len(found.causes) > 1 and "each of these may be it" in said and "(floor)" in said and "toward zero" in said
    told = found.to_dict()["causes"]
    assert len(told) == len(found.causes) and told[0]["explained"] == found.causes[0].explained


@pytest.mark.parametrize("requantization", ["fp32", "rndnu", "precise"])
def test_graphs(requantization: str) -> None:
    """By whatever rule they round; a graph is asked as a network of a file is."""
    layer = layer_of("conv", "int8")
    graph = as_graph(layer, requantization)
    for does, words in (({"outside": 0}, "padding holds 0"), ({"rounds": "ceil"}, "(ceil), not rounded")):
        theirs = by_loops(replace(layer, does=does))
        found = ns.explain_difference(graph, layer.x, b={"y": theirs})
        check(found, words)
    one = ns.explain_byte(graph, layer.x, "y:1,2,3")
    assert one.sides[0].value == graph.plan("reference").run(Quantized(
        layer.x, layer.x_scale, layer.x_zero)).values[0, 1, 2, 3]
    with pytest.raises(ns.BadArgument, match="Omit 'tflite'"):
        ns.explain_difference(graph, layer.x, a="tflite", b={"y": theirs})


def test_of_many_inputs_a_cause_makes_all() -> None:
    layer = layer_of("conv", "int8")
    rng = np.random.default_rng(8)
    inputs = [rng.integers(-128, 128, layer.x.shape).astype(np.int8) for _ in range(3)]
    wrong = [by_windows(replace(layer, x=x, does={"rounds": "trunc"})) for x in inputs]
    found = ns.count_differences(as_tflite(layer), inputs, a="xnnpack", b=[{"y": one} for one in wrong])
    assert [str(cause) for cause in found.causes] == ["cut off toward zero, not rounded"]
    wrong[2] = by_windows(replace(layer, x=inputs[2], does={"rounds": "ceil"}))
    assert not ns.count_differences(as_tflite(layer), inputs, a="xnnpack", b=[{"y": one} for one in wrong]).causes


# ---- other operators

A, B, Y = Scheme(0.05, 20, "int8"), Scheme(0.03, -11, "int8"), Scheme(0.06, 9, "int8")


def numbers(*shape: int, seed: int = 0, dtype: str = "int8") -> np.ndarray:
    info = np.iinfo(dtype)
    return np.random.default_rng([seed, *shape]).integers(info.min, info.max + 1, shape).astype(dtype)


def back(real: np.ndarray, out: Scheme = Y, rounds: Any = np.rint) -> np.ndarray:
    """Real numbers as bytes."""
    info = np.iinfo(out.dtype)
    return np.clip(rounds(real / out.scale) + out.zero_point, info.min, info.max).astype(out.dtype)


def reals(x: np.ndarray, scheme: Scheme, zero: int | None = None) -> np.ndarray:
    """Bytes as real numbers."""
    return scheme.scale * (x.astype(np.float64) - (scheme.zero_point if zero is None else zero))


def graph_of(operator: Any, *shapes: tuple[int, ...]) -> Model:
    """One operator in a .tflite."""
    graph = Graph("one", shapes[0], operator.schemes[0])
    names = ["input"]
    for i, (shape, scheme) in enumerate(zip(shapes[1:], operator.schemes[1:], strict=True)):
        names.append(graph.add_input(f"more{i}", shape, scheme))
    graph.add_node("y", operator, *names)
    return Model(read_tflite(tflite_bytes(graph), "one.tflite"))


def onnx_of(nodes: list[tuple[str, list[str], str, dict[str, Any]]], shapes: list[tuple[int, ...]],
            schemes: list[Scheme], out: tuple[int, ...], real: bool = False) -> Model:
    """Nodes in an .onnx. Scheme i is s<i>, z<i>; inputs are x<i>, the result is y, of the last scheme."""
    from onnx import TensorProto, helper, numpy_helper

    constants = []
    for i, scheme in enumerate(schemes):
        constants += [numpy_helper.from_array(np.array(scheme.scale, np.float32), f"s{i}"),
                      numpy_helper.from_array(np.array(scheme.zero_point, scheme.dtype), f"z{i}")]
    made = [helper.make_node(word, names, [name], domain="com.microsoft" * word.startswith("QLinear"), **more)
            for word, names, name, more in nodes]
    graph = helper.make_graph(made, "one", [helper.make_tensor_value_info(
        f"x{i}", TensorProto.FLOAT if real else TensorProto.INT8, one) for i, one in enumerate(shapes)],
        [helper.make_tensor_value_info("y", TensorProto.INT8, out)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid(
        "com.microsoft", 1)], ir_version=8)
    return Model(read_onnx(model.SerializeToString(), "one.onnx"))


SHAPE = (1, 6, 6, 4)
TWO = [numbers(*SHAPE), numbers(*SHAPE, seed=1)]
FIRST = (SHAPE[0], SHAPE[3], *SHAPE[1:3])
TURNED = [np.ascontiguousarray(one.transpose(0, 3, 1, 2)) for one in TWO]
PAIRS = [
    ("add", lambda a, b: back(reals(a, A, 0) + reals(b, B)), "the zero point of a is forgotten"),
    ("add", lambda a, b: back(reals(a, A)), "the second operand is left out"),
    ("add", lambda a, b: back(reals(a, A) + reals(b, B), rounds=np.floor), "(floor), not rounded"),
    ("add", lambda a, b: back(reals(a, A) + reals(b, B), Scheme(Y.scale, 0, "int8")),
     "output's zero point is forgotten"),
    ("add", lambda a, b: np.clip(np.rint(reals(a, A) / Y.scale) + np.rint(reals(b, B) / Y.scale) + Y.zero_point, -128,
                                 127).astype(np.int8), "both operands are rounded to steps of the result"),
    ("add", lambda a, b: (np.rint((reals(a, A) + reals(b, B)) / Y.scale) + Y.zero_point).astype(np.int64).astype(
        np.int8), "wrap round"),
    ("multiply", lambda a, b: back(reals(a, A) * reals(b, B, 0)), "the zero point of b is forgotten"),
    ("multiply", lambda a, b: back(reals(a, A) * reals(b, B), rounds=np.trunc), "cut off toward zero"),
    ("multiply", lambda a, b: back(reals(a, A) * reals(b, B) / 2), "shift is one too large"),
]


@pytest.mark.parametrize("way", ["tflite", "onnx"])
@pytest.mark.parametrize(("kind", "wrongly", "words"), every(3, PAIRS), ids=lambda one: str(one)[:20])
def test_sums_and_products(kind: str, wrongly: Any, words: str, way: str) -> None:
    given = TWO if way == "tflite" else TURNED
    if way == "tflite":
        operator = ops.Add(A, B, out=Y, rounding="up") if kind == "add" else ops.Multiply(A, B, out=Y)
        model = graph_of(operator, SHAPE, SHAPE)
    else:
        names = ["x0", "s0", "z0", "x1", "s1", "z1", "s2", "z2"]
        model = onnx_of([("QLinearAdd" if kind == "add" else "QLinearMul", names, "y", {})], [FIRST] * 2, [A, B, Y],
                        FIRST)
    check(said_of(model, given, wrongly(*given)), words)


def _means(x: np.ndarray, padded: int | None) -> np.ndarray:
    """Of windows of 3x3 from every other pixel on; padded: what lies outside, None: it is not counted."""
    made = np.zeros((1, 3, 3, x.shape[3]))
    for oy in range(3):
        for ox in range(3):
            rows, columns = range(oy * 2, oy * 2 + 3), range(ox * 2, ox * 2 + 3)
            seen = [x[0, r, c].astype(float) if 0 <= r < 6 and 0 <= c < 6 else
                    np.full(x.shape[3], np.nan if padded is None else padded) for r in rows for c in columns]
            made[0, oy, ox] = np.nanmean(seen, axis=0)
    return made


def _halves(real: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(real) + 0.5), real)


@pytest.mark.parametrize(("wrongly", "words"), [
    (lambda x: _halves(_means(x, 0)), "the padding holds 0, and is counted"),
    (lambda x: np.trunc(_means(x, None)), "cut off toward zero"),
    (lambda x: np.floor(_means(x, None)), "(floor), not rounded")])
def test_means_of_windows(wrongly: Any, words: str) -> None:
    operator = ops.AvgPool2d(A, pool=3, stride=2, padding=((0, 1), (0, 1)), out=A, integer=True)
    graph = Graph("one", SHAPE, A)
    graph.add_node("y", operator, "input")
    check(said_of(Model(read_tflite(tflite_bytes(graph), "one.tflite")), TWO[0], wrongly(TWO[0]).astype(np.int8)),
          words)


@pytest.mark.parametrize("way", ["tflite", "onnx"])
def test_largest_of_windows(way: str) -> None:
    """The padding counts as 0."""
    x = np.minimum(TWO[0], -1)
    padded = np.pad(x, ((0, 0), (0, 1), (0, 1), (0, 0)))
    theirs = np.array([[padded[0, oy * 2:oy * 2 + 3, ox * 2:ox * 2 + 3].max(axis=(0, 1)) for ox in range(3)]
                       for oy in range(3)])[np.newaxis]
    if way == "tflite":
        model = graph_of(ops.MaxPool2d(A, pool=3, stride=2, padding=((0, 1), (0, 1))), SHAPE)
        check(said_of(model, x, theirs), "the padding holds 0, and is counted")
        return
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [0, 0, 1, 1]}
    model = onnx_of([("DequantizeLinear", ["x0", "s0", "z0"], "a", {}), ("MaxPool", ["a"], "b", window),
                     ("QuantizeLinear", ["b", "s0", "z0"], "y", {})], [FIRST], [A], (1, 4, 3, 3))
    check(said_of(model, np.ascontiguousarray(x.transpose(0, 3, 1, 2)), theirs.transpose(0, 3, 1, 2)),
          "the padding holds 0, and is counted")


@pytest.mark.parametrize("way", ["tflite", "onnx"])
@pytest.mark.parametrize(("wrongly", "words"), [
    (lambda x: back(x.astype(np.float64), rounds=np.trunc), "cut off toward zero"),
    (lambda x: back(x.astype(np.float64), rounds=np.floor), "(floor), not rounded"),
    (lambda x: back(x.astype(np.float64), Scheme(Y.scale, 0, "int8")), "output's zero point is forgotten"),
    (lambda x: (np.rint(x / Y.scale) + 9).astype(np.int64).astype(np.int8), "wrap round")])
def test_real_numbers_that_are_quantized(wrongly: Any, words: str, way: str) -> None:
    x = np.random.default_rng(1).normal(0, 4, (2, 50)).astype(np.float32)
    if way == "tflite":
        graph = Graph("one", x.shape, dtype="float32")
        graph.add_node("y", ops.Quantize(out=Y, reciprocal=True), "input")
        model = Model(read_tflite(tflite_bytes(graph), "one.tflite"))
    else:
        model = onnx_of([("QuantizeLinear", ["x0", "s0", "z0"], "y", {})], [x.shape], [Y], x.shape, real=True)
    check(said_of(model, x, wrongly(x)), words)


@pytest.mark.parametrize(("wrongly", "words"), [
    (lambda real: 2.0**real / (2.0**real).sum(axis=-1, keepdims=True), "powers of two, not of e"),
    (lambda real: np.exp(real) / np.exp(real).sum(), "shares of all numbers, not of each row"),
    (lambda real: np.exp(real) / np.exp(real).sum(axis=0, keepdims=True), "shares along axis 0")])
def test_softmax(wrongly: Any, words: str) -> None:
    scheme = Scheme(0.03, 4, "int8")
    x = numbers(4, 9)
    model = graph_of(ops.Softmax(scheme), x.shape)
    shares = wrongly(reals(x, scheme))
    check(said_of(model, x, np.clip(np.rint(256 * shares) - 128, -128, 127).astype(np.int8)), words)


def connected(depth: int, out: int) -> Layer:
    return layer_of("dense", "int8", depth, out)


@pytest.mark.parametrize(("depth", "out", "order", "words"), [
    (24, 24, "transposed", "weights are transposed"), (24, 10, "transposed", "weights are transposed"),
    (48, 10, "flattened", "flattened with its channels first"), (48, 10, "tail", "behind the last whole 32")])
@pytest.mark.parametrize("way", [by_windows, by_loops])
def test_connected_layers(depth: int, out: int, order: str, words: str, way: Any) -> None:
    layer = connected(depth, out)
    w = layer.w.reshape(out, depth)
    does: dict[str, Any] = {"transposed": {"w": w.reshape(depth, out).T.reshape(layer.w.shape)},
                            "tail": {"keeps": np.arange(depth) < 32}, "flattened": {}}[order]
    made = replace(layer, does=does)
    if order == "flattened":       # 4 x 4 pixels of 3 channels
        made = replace(made, x=layer.x.reshape(5, 4, 4, 3).transpose(0, 3, 1, 2).reshape(layer.x.shape))
    graph = Graph("planted", (5, depth), Scheme(layer.x_scale, layer.x_zero, "int8"))
    graph.add_node("y", ops.FullyConnected(graph.scheme("input"), Quantized(w, layer.w_scale, axis=0), layer.bias,
                                           out=Scheme(layer.out_scale, layer.out_zero, "int8"),
                                           requantization="fp32"), "input")
    model = Model(read_tflite(tflite_bytes(graph), "planted.tflite"))
    check(said_of(model, layer.x.reshape(5, depth), way(made).reshape(5, out)), words)


# ---- layers that few files have: the operators alone

def causes(operator: Any, values: list[np.ndarray], theirs: np.ndarray) -> list[str]:
    """What is said of a result."""
    mine = operator.reference(*values)
    return [str(cause) for cause in causes_of(operator, values, mine, theirs.astype(mine.dtype))]


def _thrown(x: np.ndarray, w: np.ndarray, bias: np.ndarray, zero: int) -> np.ndarray:
    """A deconvolution with a stride of 2: every pixel throws its window onto the result."""
    made = np.zeros((1, 9, 9, 5)) + bias
    for y in range(4):
        for column in range(4):
            made[0, 2 * y:2 * y + 3, 2 * column:2 * column + 3] += np.einsum(
                "c,cyxo->yxo", x[0, y, column].astype(float) - zero, w.astype(float))
    return made


def test_deconvolutions() -> None:
    x, w, bias = numbers(1, 4, 4, 3), np.maximum(numbers(3, 3, 3, 5), -127), np.arange(-400, 600, 200).astype(np.int32)
    operator = ops.Deconv2d(A, Quantized(w, 0.003), bias, out=Y, stride=2, requantization="fp32")
    scale = np.float32(A.scale) * np.float32(0.003) / np.float32(Y.scale)
    for sums, words in ((_thrown(x, w, 0 * bias, 20), "bias is forgotten"), (_thrown(x, w, bias, 0), "input's zero"),
                        (_thrown(x, w[:, ::-1, ::-1], bias, 20), "turned by 180 degrees")):
        theirs = np.clip(np.rint(sums * scale) + Y.zero_point, -128, 127)
        assert any(words in one for one in causes(operator, [x], theirs)), words


@pytest.mark.parametrize(("reads", "turned", "words"), [
    (lambda o: o % 3, 0, "groups are counted through"), (lambda o: o // 2, 1, "the biases are in another order")])
def test_groups_of_two_filters(reads: Any, turned: int, words: str) -> None:
    x, w = numbers(1, 6, 6, 3), np.maximum(numbers(6, 3, 3, 1), -127)
    scale, bias = np.linspace(0.002, 0.009, 6).astype(np.float32), np.arange(-900, 900, 300).astype(np.int32)
    operator = ops.Conv2d(A, Quantized(w, scale, axis=0), bias, out=Y, groups=3, requantization="fp32")
    sums = np.zeros((1, 4, 4, 6))
    for y, column, o in np.ndindex(4, 4, 6):
        seen = x[0, y:y + 3, column:column + 3, reads(o)].astype(float) - A.zero_point
        sums[0, y, column, o] = (seen * w[o, :, :, 0]).sum() + np.roll(bias, turned)[o]
    theirs = np.clip(np.rint(sums * (A.scale * scale.astype(float) / Y.scale)) + Y.zero_point, -128, 127)
    assert any(words in one for one in causes(operator, [x], theirs))


def test_functions_means_and_real_numbers() -> None:
    x, y, image = numbers(3, 40), numbers(3, 40, seed=1), numbers(2, 7, 7, 5)
    a, b = reals(x, A), reals(y, B)
    for operator, values, theirs, words in (
            (ops.Sigmoid(A), [x], np.floor(256 / (1 + np.exp(-a))) - 128, "(floor), not rounded"),
            (ops.Sigmoid(A), [x], np.rint(256 / (1 + np.exp(-A.scale * x))) - 128, "zero point of the input is forg"),
            (ops.Subtract(A, B, out=Y), [x, y], back(b - a), "the operands are exchanged"),
            (ops.GlobalAvgPool(A, out=Y), [image], back(reals(image, A).mean(axis=(1, 2)), rounds=np.floor), "(floor)"),
            (ops.Dequantize(A), [x], np.float32(A.scale) * x.astype(np.float32), "zero point is forgotten")):
        assert any(words in one for one in causes(operator, values, np.asarray(theirs))), words


def test_layers_that_are_too_large_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.verify.debugger.causes.search.MAX_MACS", 1000)
    layer, _ = _planted("bias", "tflite")
    found = found_of(layer, "tflite")
    assert not found.causes and "Causes were not tried: 'y' is too large." in str(found) and found.first is not None
    assert "no cause" not in found.first.cause


def test_products_of_real_numbers() -> None:
    """Of small integers, whose sums are exact in any order."""
    rng = np.random.default_rng(6)
    x, w, bias = (rng.integers(-9, 10, shape).astype(np.float32) for shape in ((3, 48), (5, 48), 5))
    dense = Float32FullyConnected(w, bias)
    turned = x.reshape(3, 4, 4, 3).transpose(0, 3, 1, 2).reshape(3, 48)
    for theirs, words in ((x @ w.T, "bias is forgotten"), (turned @ w.T + bias, "flattened with its channels first"),
                          (x @ w.reshape(48, 5) + bias, "weights are transposed")):
        assert any(words in one for one in causes(dense, [x], theirs)), words
    image, window = x.reshape(1, 6, 8, 3), rng.integers(-9, 10, (4, 3, 3, 3)).astype(np.float32)
    conv = Float32Conv2d(window, low=0.0)
    sums = np.zeros((1, 4, 6, 4), np.float32)
    for y, column in np.ndindex(4, 6):
        sums[0, y, column] = np.einsum("yxc,oyxc->o", image[0, y:y + 3, column:column + 3], window)
    assert any("clamp of the activation is missing" in one for one in causes(conv, [image], sums))
