"""What is written as `.tflite` runs in LiteRT by itself, and is read back, to the same bytes; what would not is
refused, or said, by node. Every operator that can be written, every flow."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from neonsim.errors import ModelError
from neonsim.nn import ops
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.formats.tflite.writer import WRITERS
from neonsim.nn.graph import (
    Concat,
    Constant,
    GatherIndices,
    Graph,
    Reshape,
    Split,
    gather,
    model,
    quantize,
    random_input,
)
from neonsim.nn.ops.float32 import operators
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.quant.scheme import Quantized, Scheme
from tests.needs import needs

needs("tflite", install="pip install 'neonsim[models]'")
litert_ = pytest.importorskip("ai_edge_litert.interpreter", reason="needs a package: pip install ai-edge-litert")

IMAGE = (2, 6, 7, 6)
Made = tuple[tuple[int, ...], Callable[[], Any]]


def theirs(data: bytes, inputs: list[Any]) -> list[Any]:
    one = litert_.Interpreter(model_content=data, num_threads=1)
    one.allocate_tensors()
    for detail, value in zip(one.get_input_details(), inputs, strict=True):
        one.set_tensor(detail["index"], value)
    one.invoke()
    return [np.array(one.get_tensor(detail["index"])) for detail in one.get_output_details()]


def as_arrays(found: Any) -> list[Any]:
    return [np.asarray(getattr(one, "values", one)) for one in (found if isinstance(found, tuple | list) else (found,))]


def ours(graph: Graph, inputs: list[Any]) -> list[Any]:
    given = [x if graph.tensors[name].scheme is None else graph.scheme(name).wrap(x)
             for name, x in zip(graph.inputs, inputs, strict=True)]
    return as_arrays(graph.plan("reference").run(given[0] if len(given) == 1 else tuple(given)))


def by_chance(graph: Graph, rng: np.random.Generator) -> list[Any]:
    found = []
    for name in graph.inputs:
        tensor = graph.tensors[name]
        found.append((4 * rng.normal(size=tensor.shape)).astype(np.float32) if tensor.dtype == "float32" else
                     rng.integers(np.iinfo(tensor.dtype).min, np.iinfo(tensor.dtype).max + 1, tensor.shape).astype(
                         tensor.dtype))
    return found


SIXTEEN = Scheme(0.0007, 0, "int16")


def products(dtype: str, x: Scheme, zero: int) -> dict[str, Made]:
    rng, weights_zero = np.random.default_rng(1), 0 if dtype == "int8" else 100

    def w(*shape: int) -> Quantized:
        info = np.iinfo(dtype)
        values = rng.integers(info.min + 1, info.max + 1, shape).astype(dtype)
        if dtype == "uint8":
            return Quantized(values, 0.007, weights_zero)
        return Quantized(values, rng.uniform(0.004, 0.01, shape[0]).astype(np.float32), 0, axis=0)

    def conv(groups: int, depth: int, **more: Any) -> Callable[[], ops.Conv2d]:
        return lambda: ops.Conv2d(x, w(12, 3, 3, depth), rng.integers(-99, 99, 12).astype(np.int32),
                                  out=Scheme(0.8, zero, dtype), groups=groups, **{"requantization": "fp32", **more})
    bias = rng.integers(-99, 99, 5).astype(np.int32)
    one_scale = Quantized(w(6, 3, 3, 5).values, 0.007, weights_zero)
    return {
        "conv": (IMAGE, conv(1, 6)), "conv padded": (IMAGE, conv(1, 6, padding=((2, 1), (0, 1)), output_min=zero)),
        "conv dilated": (IMAGE, conv(1, 6, dilation=2)), "depthwise": (IMAGE, conv(6, 1, padding=1, stride=2)),
        "grouped": (IMAGE, conv(2, 3, padding=1)), "conv rndnu": (IMAGE, lambda: ops.Conv2d(
            x, Quantized(one_scale.values[:5, :1, :1, :].repeat(2, axis=3)[..., :6], 0.007, weights_zero), out=x,
            requantization="rndnu")),
        "dense": ((3, 11), lambda: ops.FullyConnected(x, w(5, 11), bias, out=Scheme(0.4, zero, dtype),
                                                      requantization="fp32")),
        "deconv": (IMAGE, lambda: ops.Deconv2d(x, one_scale, bias, out=Scheme(0.4, zero, dtype), stride=2,
                                               requantization="fp32")),
    }


def of_one(dtype: str, x: Scheme, y: Scheme) -> dict[str, Made]:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    far = Scheme(float(x.scale) / 300, y.zero_point, dtype)
    pooled, rows, other = (2, 3, 3, 40), (2, 64, 33), Scheme(0.031, 9, "uint8" if dtype == "int8" else "int8")
    return {
        "largest": (IMAGE, lambda: ops.MaxPool2d(x, pool=2)),
        "largest padded": (IMAGE, lambda: ops.MaxPool2d(x, pool=3, stride=2, padding=1)),
        "largest dilated": (IMAGE, lambda: ops.MaxPool2d(x, pool=2, dilation=2)),
        "mean of integers": (IMAGE, lambda: ops.AvgPool2d(x, pool=3, stride=1, padding=1, out=x, integer=True)),
        "mean, zeros counted": (IMAGE, lambda: ops.AvgPool2d(x, pool=3, stride=2, padding=1, out=x)),
        "mean of two scales": (IMAGE, lambda: ops.AvgPool2d(x, pool=3, stride=2, padding=1, out=y)),
        "mean of four": (IMAGE, lambda: ops.AvgPool2d(x, pool=2, out=x)),
        "whole": (pooled, lambda: ops.GlobalAvgPool(x, out=Scheme(float(x.scale) * 0.56, low, dtype))),
        "whole, other": (pooled, lambda: ops.GlobalAvgPool(x, out=y)),
        "whole gemmlowp": ((1, 16, 16, 9), lambda: ops.GlobalAvgPool(x, out=y, requantization="gemmlowp")),
        "whole limits": (pooled, lambda: ops.GlobalAvgPool(x, out=y, output_min=low, output_max=low + 9)),
        "mean": (rows, lambda: ops.Mean(x, out=y)),
        "sum": (rows, lambda: ops.Mean(x, out=Scheme(1.0, y.zero_point, dtype), total=True)),
        "softmax": ((9, 40), lambda: ops.Softmax(x, beta=0.5)),
        "softmax steps": ((9, 40), lambda: ops.Softmax(x, out=Scheme(0.007, low, dtype))),
        "softmax fixed": ((9, 40), lambda: ops.Softmax(x, fixed=True)),
        "leaky q8": (IMAGE, lambda: ops.LeakyRelu(x, slope=0.17, out=y, requantization="q8")),
        "leaky gemmlowp": (IMAGE, lambda: ops.LeakyRelu(x, slope=0.17, out=y, requantization="gemmlowp")),
        "leaky far": (IMAGE, lambda: ops.LeakyRelu(x, slope=0.17, out=far, requantization="gemmlowp")),
        "convert": (IMAGE, lambda: ops.Convert(x, out=y)),
        "convert type": (IMAGE, lambda: ops.Convert(x, out=other, requantization="ruy16")),
        "convert type, other": (IMAGE, lambda: ops.Convert(x, out=other)),
        "convert gemmlowp": (IMAGE, lambda: ops.Convert(x, out=y, requantization="gemmlowp")),
        "convert far": (IMAGE, lambda: ops.Convert(x, out=far, requantization="gemmlowp")),
        "convert to 16": (IMAGE, lambda: ops.Convert(x, out=SIXTEEN, requantization="gemmlowp")),
        "convert to 16, other": (IMAGE, lambda: ops.Convert(x, out=SIXTEEN, requantization="ruy16")),
        "convert limits": (IMAGE, lambda: ops.Convert(x, out=y, requantization="gemmlowp", output_max=high - 1)),
        "relu": (IMAGE, lambda: ops.Clamp(x, output_min=x.zero_point, output_max=high)),
        "sigmoid": (IMAGE, lambda: ops.Sigmoid(x)), "tanh": (IMAGE, lambda: ops.Tanh(x)),
        "sigmoid limits": (IMAGE, lambda: ops.Sigmoid(x, output_max=high - 1)),
        **{word: (IMAGE, lambda kind=row.operator: kind(x, out=y)) for word, row in ACTIVATIONS.items()  # type: ignore
           if word not in ("LEAKY_RELU", "LOGISTIC", "TANH")},
        "pad": (IMAGE, lambda: ops.Pad(x, amounts=((0, 0), (1, 2), (0, 1), (0, 0)), value=7)),
        "arg max": (IMAGE, lambda: ops.ArgMax(x)), "arg min": (IMAGE, lambda: ops.ArgMin(x)),
        "resize": (IMAGE, lambda: ops.ResizeBilinear(x, size=(11, 5), corners="half")),
        "shuffle": (IMAGE, lambda: ops.ChannelShuffle(x, groups=3)), "split": (IMAGE, lambda: Split(x, (2, 4))),
        "reshape": (IMAGE, lambda: Reshape(x, (2, -1))),
        "turn": (IMAGE, lambda: gather.transpose_indices(x, IMAGE, (0, 2, 1, 3))),
        "dequantize": (IMAGE, lambda: ops.Dequantize(x)),
    }


def of_reals(out: Scheme) -> dict[str, Made]:
    return {f"quantize {ties} {reciprocal}": (IMAGE, partial(ops.Quantize, out=out, ties=ties, reciprocal=reciprocal))
            for ties in ("even", "away", "eights") for reciprocal in (True, False)}


def of_two(dtype: str, a: Scheme, b: Scheme, zero: int) -> dict[str, Made]:
    out, far = Scheme(0.08, zero, dtype), Scheme(1e-4, zero, dtype)
    found: dict[str, Made] = {"maximum": (IMAGE, lambda: ops.Maximum(a)), "minimum": (IMAGE, lambda: ops.Minimum(a)),
                              "join": (IMAGE, lambda: Concat(a))}
    for name, kind in (("add", ops.Add), ("subtract", ops.Subtract)):
        found |= {f"{name} {how}": (IMAGE, partial(kind, a, b, out=out, rounding=how)) for how in ("up", "twice")}
        found[f"{name} far"] = IMAGE, partial(kind, a, b, out=far, rounding="twice")
    found["multiply far"] = IMAGE, partial(ops.Multiply, a, b, out=Scheme(5e-6, zero, dtype), requantization="gemmlowp")
    found |= {f"multiply {how}": (IMAGE, partial(ops.Multiply, a, b, out=out, requantization=how))
              for how in ("fp32", "rndnu", "gemmlowp")}
    return found


SAID = {"softmax fixed", "leaky gemmlowp", "convert gemmlowp", "convert type, other", "convert to 16, other",
        "whole gemmlowp", "add twice", "add far", "subtract twice", "multiply gemmlowp", "multiply far",
        "quantize even False",
        *(f"quantize {ties} {reciprocal}" for ties in ("away", "eights") for reciprocal in (True, False))}
REFUSED = {"conv rndnu", "largest dilated", "whole limits", "convert limits", "sigmoid limits", "multiply rndnu"}
# The older library's arithmetic, and what the runtime has of int8 alone.
OF_BYTES = {"int8": {"softmax steps"}, "uint8": {"mean of four", "ELU"}}

def cases(dtype: str) -> dict[str, tuple[list[Scheme | None], Made]]:
    zero = 0 if dtype == "int8" else 128
    x, y = Scheme(0.05, zero + 3, dtype), Scheme(0.031, zero - 5, dtype)
    found = {name: ([x], made) for name, made in (products(dtype, x, zero) | of_one(dtype, x, y)).items()}
    found |= {name: ([x, x if name in ("maximum", "minimum", "join") else y], made)
              for name, made in of_two(dtype, x, y, zero).items()}
    return found | {name: ([None], made) for name, made in of_reals(y).items()}


def graph_of(schemes: list[Scheme | None], made: Made) -> Graph:
    shape, operator = made
    graph = Graph("one", shape, schemes[0], "float32" if schemes[0] is None else None)
    names = ["input", *(graph.add_input("second", shape, scheme) for scheme in schemes[1:])]
    return graph.finish(*graph.results(graph.add_node("node", operator(), *names)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_every_operator_that_can_be_written(dtype: str) -> None:
    """Same bytes there and read back; or it is said, or refused, naming the node."""
    rng, said, refused, kinds = np.random.default_rng(0), set(), set(), set()
    for name, (schemes, made) in cases(dtype).items():
        graph = graph_of(schemes, made)
        kinds.add(type(graph.nodes[-1].operator))
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                data = tflite_bytes(graph)
        except ModelError as problem:
            assert "node of one" in str(problem), name
            refused.add(name)
            continue
        if heard:
            assert "LiteRT can give other bytes" in str(heard[0].message) and "node: " in str(heard[0].message), name
            said.add(name)
            theirs(data, by_chance(graph, rng))
            continue
        inputs = by_chance(graph, rng)
        wanted = ours(graph, inputs)
        assert [one.tobytes() for one in theirs(data, inputs)] == [one.tobytes() for one in wanted], name
        again = Model(read_tflite(data, "one"))
        found = again.run(inputs[0] if len(inputs) == 1 else tuple(inputs), "reference")
        assert [one.tobytes() for one in as_arrays(found)] == [one.tobytes() for one in wanted], name
    assert said == SAID and refused == REFUSED | OF_BYTES[dtype]
    # tests/nn/formats/test_moves.py, test_flows.py, and below
    elsewhere = {Constant, GatherIndices, *(kind for kind in WRITERS if issubclass(kind, operators.Float32Operator))}
    assert set(WRITERS) <= kinds | elsewhere


@pytest.mark.parametrize(("out", "refusal"), [
    (Scheme(0.06, 5, "int8"), None), (Scheme(0.0003, 0, "int16"), None), (Scheme(0.06, 5), "converts int16 to uint8"),
    (Scheme(0.0003, 5, "int16"), "zero points 0 and 5")])
def test_changes_of_16_bits(out: Scheme, refusal: str | None) -> None:
    graph = graph_of([SIXTEEN], (IMAGE, lambda: ops.Convert(SIXTEEN, out=out, requantization="gemmlowp")))
    if refusal is not None:
        with pytest.raises(ModelError, match=refusal):
            tflite_bytes(graph)
        return
    inputs = by_chance(graph, np.random.default_rng(2))
    assert theirs(tflite_bytes(graph), inputs)[0].tobytes() == ours(graph, inputs)[0].tobytes()


@pytest.mark.parametrize(("kind", "before", "after"), [(ops.Elu, 2.0**-6, 2.0**-5), (ops.Tanh, 0.25, 2.0)])
def test_ties_of_curves_are_said(kind: Any, before: float, after: float) -> None:
    """Halves in single precision: two tables, and LiteRT's is that of ties to even."""
    x, out = Scheme(before, 0, "int8"), Scheme(after, 0, "int8")
    every = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)
    graph = graph_of([x], ((1, 256), lambda: kind(x, out=out, ties="away")))
    wanted = ours(graph, [every])[0]
    with pytest.warns(RuntimeWarning, match=r"node: ties 'away'; LiteRT rounds \d+ of 256 bytes otherwise") as heard:
        data = tflite_bytes(graph)
    differing = int((theirs(data, [every])[0] != wanted).sum())
    assert differing and f"rounds {differing} of 256" in str(heard[0].message)


def test_means_of_few_channels_are_compared_as_they_are_rounded() -> None:
    """Eight channels fill no vector of sixteen: halves go away from zero there, and LiteRT's delegate rounds up."""
    x, out = Scheme(0.17845451831817627, 97, "int8"), Scheme(0.17845451831817627, 114, "int8")
    graph = graph_of([x], ((64, 6, 3, 8), lambda: ops.GlobalAvgPool(x, out=out, requantization="ruy16")))
    with pytest.warns(RuntimeWarning, match=r"LiteRT's MEAN rounds \d+ to another byte"):
        data = tflite_bytes(graph)
    values = np.random.default_rng(1).integers(90, 105, (64, 6, 3, 8)).astype(np.int8)
    assert not np.array_equal(theirs(data, [values])[0], ours(graph, [values])[0])


def test_what_is_said_is_exact() -> None:
    """Sums of four that lie on a tie: how many of all have another byte, and the bytes of one that has."""
    x, out = Scheme(0.05, 3, "int8"), Scheme(0.031, -5, "int8")
    graph = graph_of([x], ((1, 8, 8, 16321), lambda: ops.GlobalAvgPool(x, out=out)))
    with pytest.warns(RuntimeWarning, match=r"node: of 16,321 sums .*, LiteRT's MEAN rounds 6 to another"):
        data = tflite_bytes(graph)
    sums = np.arange(-128 * 64, 127 * 64 + 1)
    values = (sums // 64 + (np.arange(64).reshape(8, 8, 1) < sums % 64)).astype(np.int8)[np.newaxis]
    assert (theirs(data, [values])[0] != ours(graph, [values])[0]).sum() == 6


@pytest.mark.parametrize("name", ["squeezenet", "mobilenet_v2", "shufflenet_v1", pytest.param(
    "resnet18", marks=pytest.mark.slow), pytest.param("inception_v3", marks=pytest.mark.slow)])
def test_networks_are_written_to_their_bytes(name: str) -> None:
    graph = model(name, quantization="qc8w", size=96 if name == "inception_v3" else 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = tflite_bytes(graph)
    x = random_input(graph)
    wanted = as_arrays(graph.plan(("native", "reference")).run(x))[0]
    assert theirs(data, [x.values])[0].tobytes() == wanted.tobytes()
    again = Model(read_tflite(data, name))
    assert not again.report().missing and as_arrays(again.run(x.values))[0].tobytes() == wanted.tobytes()


# ---- flows

def reals() -> dict[str, tuple[tuple[int, ...], Any]]:
    """Every operator of real numbers, moves among them."""
    rng, shape = np.random.default_rng(5), (1, 8, 8, 6)

    def conv(outputs: int, window: int, depth: int, **more: Any) -> operators.Float32Conv2d:
        w = rng.normal(size=(outputs, window, window, depth)) / np.sqrt(window * window * depth)
        return operators.Float32Conv2d(w, rng.normal(size=outputs), **more)
    found: dict[str, Any] = {
        "conv": conv(9, 3, 6, padding=1, low=0), "strided": conv(9, 3, 6, stride=2, low=-1, high=1),
        "padded": conv(4, 3, 6, padding=((0, 2), (1, 0)), low=0, high=6), "dilated": conv(4, 3, 6, dilation=2),
        "depthwise": conv(12, 3, 1, groups=6, padding=1), "grouped": conv(6, 3, 3, groups=2),
        "dense": operators.Float32FullyConnected(rng.normal(size=(5, 6)) / 3, rng.normal(size=5)),
        "relu6": operators.Float32Clamp(0, 6), "leaky": operators.Float32LeakyRelu(0.2),
        "largest": operators.Float32MaxPool2d(3, stride=2, padding=1), "mean": operators.Float32AvgPool2d(2),
        "mean padded": operators.Float32AvgPool2d(3, stride=1, padding=1), "means": operators.Float32GlobalAvgPool(),
        "softmax": operators.Float32Softmax(0.5), "add": operators.Float32Add(low=0), "join": Concat("float32"),
        "reshape": Reshape("float32", (1, -1)), "turn": gather.transpose_indices("float32", shape, (0, 2, 1, 3)),
        "slice": gather.slice_indices("float32", shape, [range(1), range(1, 7, 2), range(8), range(6)]),
        "reflect": gather.pad_indices("float32", shape, ((0, 0), (1, 1), (0, 2), (0, 0)), mode="reflect"),
        "nearest": gather.nearest("float32", shape, (16, 16)),
                             "tile": gather.tile_indices("float32", shape, (1, 2, 1, 1)),
        "blocks": gather.space_to_depth("float32", shape, 2),
                             "taken": gather.take_indices("float32", shape, 2, [1, 3, 2]),
    }
    return {name: (shape, operator) for name, operator in found.items()}


# Steps of a result: real numbers between the integers of 16x8 differ in their last bits.
STEPS = {("16x8", name): 1 for name in ("softmax", "mean padded", "leaky")}


@pytest.mark.parametrize("flow", ["tflite", "shift-only", "16x8"])
def test_every_operator_of_a_flow(flow: str) -> None:
    """Quantised, written, run there, read back."""
    rng = np.random.default_rng(7)
    for name, (shape, operator) in reals().items():
        graph = Graph("one", shape, dtype="float32")
        more = [graph.add_input("second", shape, dtype="float32")] if name in ("add", "join") else []
        graph.finish(graph.add_node("node", operator, "input", *more))
        inputs = [tuple(rng.normal(size=shape).astype(np.float32) for _ in graph.inputs) for _ in range(3)]
        made = quantize(graph, flow, calibration=[x if more else x[0] for x in inputs[:2]])
        if (flow, name) == ("16x8", "blocks"):
            with pytest.raises(ModelError, match=r"node of one .*no word for such a move of int16"):
                tflite_bytes(made)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            data = tflite_bytes(made)
        again, step = Model(read_tflite(data, "one")), float(made.scheme("node").scale)
        for x in inputs:
            wanted, there = ours(made, list(x))[0], theirs(data, list(x))[0]
            for found in (*as_arrays(again.run(x if more else x[0], "reference")), there):
                assert found.shape == wanted.shape, name
                differs = abs(found - wanted).max() / step
                assert differs <= 1.01 * STEPS.get((flow, name), 0), (name, differs)


def test_softmax_of_16x8_has_no_zero_point() -> None:
    """int16 is symmetric in files: LiteRT refuses another zero point, or computes nonsense."""
    graph = Graph("one", (1, 5), dtype="float32")
    graph.finish(graph.add_node("shares", operators.Float32Softmax(), "input"))
    x = np.array([[0, 1, 2, 3, 40.0]], np.float32)
    made = quantize(graph, "16x8", calibration=[x])
    assert made.scheme("shares") == Scheme(2.0**-15, 0, "int16")
    assert abs(made.plan("reference").run(x) - [[0, 0, 0, 0, 1]]).max() < 1e-4
