"""What LiteRT's delegate leaves to the runtime's own kernels: the bytes of LiteRT as it runs by itself."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from tests.needs import needs

needs("tflite", "flatbuffers", install="pip install 'neonsim[models]'")
needs("ai_edge_litert", install="pip install 'neonsim[outside]'")

pytestmark = pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
NATIVE = library.available() is None


class Scales(NamedTuple):
    """Of any size, also none."""

    scale: Any
    zero_point: int = 0
    axis: int | None = None


class Case(NamedTuple):
    """A file of one operator, its inputs, and what the report says of who runs it; "" where the delegate does."""

    data: bytes
    given: list[np.ndarray]
    why: str = ""


RNG = np.random.default_rng(38)
START = RNG.bit_generator.state
TINY = 1e-42        # no normal number


@pytest.fixture(autouse=True)
def _from_the_start() -> None:
    """The same numbers for a test, whichever ran before."""
    RNG.bit_generator.state = START


def values(shape: tuple[int, ...], dtype: str = "int8", low: int = 0) -> np.ndarray:
    info = np.iinfo(dtype)
    return RNG.integers(info.min + low, info.max + 1, shape).astype(dtype)


def product(litert: Any, word: str, scales: Any, why: str = "", *, zero: int = 0, low: int = 1) -> Case:
    """int8, 24 results of 5 x 6 pixels; scales: of the weights."""
    count, depthwise, rows = 24, word == "DEPTHWISE_CONV_2D", word == "FULLY_CONNECTED"
    channels = count if depthwise else 16
    x = ns.Scheme(0.03, -5, "int8")
    w = (count, channels) if rows else (1, 3, 3, count) if depthwise else (count, 3, 3, channels)
    shape, out = ((30, channels), (30, count)) if rows else ((1, 5, 6, channels), (1, 5, 6, count))
    scales, weights = np.asarray(scales, np.float32), values(w, low=low)
    weights.flat[0] = -128 + low
    with np.errstate(all="ignore"):
        sums = np.float32(x.scale) * scales
    options = {"fusedActivationFunction": 1}
    if not rows:
        options |= {"padding": 0, "strideH": 1, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
    if depthwise:
        options |= {"depthMultiplier": 1}
    kind = {"FULLY_CONNECTED": "FullyConnected", "CONV_2D": "Conv2D", "DEPTHWISE_CONV_2D": "DepthwiseConv2D"}[word]
    many = scales.ndim > 0
    held: list[Any] = [(shape, "int8", x), (weights, Scales(scales, zero, (3 if depthwise else 0) * many)),
                       (RNG.integers(-900, 900, count).astype(np.int32), Scales(sums))]
    reach = {"FULLY_CONNECTED": 0.05, "CONV_2D": 0.15, "DEPTHWISE_CONV_2D": 0.03}[word]
    return Case(litert.one(word, held, [(out, "int8", ns.Scheme(reach, -100, "int8"))], (f"{kind}Options", options), 3),
                [values(shape)], why)


def one(litert: Any, word: str, schemes: list[ns.Scheme], out: ns.Scheme, why: str, options: Any = None,
        version: int = 2) -> Case:
    shape = (1, 5, 6, 7)
    return Case(litert.one(word, [(shape, scheme.dtype, scheme) for scheme in schemes], [(shape, out.dtype, out)],
                           options, version), [values(shape, scheme.dtype) for scheme in schemes], why)


def _scales(*some: float) -> np.ndarray:
    """24 of them, these first."""
    found = np.linspace(0.004, 0.02, 24, dtype=np.float32)
    found[:len(some)] = some
    return found


def eight(scale: float, zero: int = 3, dtype: str = "int8") -> ns.Scheme:
    return ns.Scheme(scale, zero, dtype)


PRODUCTS = ("FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D")
NO_NORMAL = "of its weights is {}, no normal number"
CASES: dict[str, Callable[[Any], Case]] = {
    **{f"{word} {name}": partial(product, word=word, scales=scales, why=why)
       for word in PRODUCTS for name, scales, why in (
           ("with scales of 1e-12", _scales(1e-12, 1e-30), ""),
           ("with a scale of 0", _scales(0, 0.01), NO_NORMAL.format(0)),
           ("with a scale below normal", _scales(TINY), NO_NORMAL.format(f"{np.float32(TINY):g}")),
           ("with one scale of 1e-12", 1e-12, ""))},
    **{f"{word} with weights of -128": partial(product, word=word, scales=_scales(), low=0)
       for word in PRODUCTS},
    "CONV_2D with a bias below normal": lambda litert: product(
        litert, "CONV_2D", _scales(2e-38), f"its bias is {np.float32(0.03) * np.float32(2e-38):g}, no normal number"),
    "FULLY_CONNECTED with a zero point": lambda litert: product(
        litert, "FULLY_CONNECTED", 0.01, "int8 weights have the zero point 7", zero=7),
    "SUB of large scales": lambda litert: one(
        litert, "SUB", [eight(30.0), eight(0.1)], eight(0.1), "first operand / that of its result is 300, not in",
        ("SubOptions", {})),
    "SUB of small scales": lambda litert: one(
        litert, "SUB", [eight(0.1), eight(1e-5)], eight(0.1), "second operand / that of its result is 0.0001, not in",
        ("SubOptions", {})),
    "ADD that leaves one value": lambda litert: one(
        litert, "ADD", [eight(0.1)] * 2, eight(0.1, 127), "", ("AddOptions", {"fusedActivationFunction": 1})),
    "MUL of small scales": lambda litert: one(
        litert, "MUL", [eight(0.001), eight(0.001)], eight(0.1), "its scales / that of its result is 1e-05, not in",
        ("MulOptions", {})),
    "QUANTIZE to another type": lambda litert: one(
        litert, "QUANTIZE", [eight(0.1)], eight(0.07, 40, "uint8"), "it makes uint8 of int8",
        ("QuantizeOptions", {}), 1),
    "QUANTIZE far": lambda litert: one(
        litert, "QUANTIZE", [eight(1.0)], eight(0.005), "input / that of its result is 200, not in [1/256, 128]",
        ("QuantizeOptions", {}), 1),
    "RELU of two schemes": lambda litert: one(
        litert, "RELU", [eight(0.1)], eight(0.07, -20), "its input and result have several schemes"),
    "RELU6 far": lambda litert: one(
        litert, "RELU6", [eight(10.0)], eight(0.02, -20), "its input and result have several schemes"),
    **{f"{word} of another scale": partial(one, word=word, schemes=[eight(0.05, 9)], out=eight(0.003, -31), why="")
       for word in ("LOGISTIC", "TANH")},
    "LEAKY_RELU of uint8": lambda litert: one(
        litert, "LEAKY_RELU", [eight(0.1, 100, "uint8")], eight(0.07, 90, "uint8"), "",
        ("LeakyReluOptions", {"alpha": 0.3})),
    "LEAKY_RELU that falls": lambda litert: one(
        litert, "LEAKY_RELU", [eight(1.0)], eight(0.007), "input / that of its result is 142.9, not in",
        ("LeakyReluOptions", {"alpha": -0.3})),
    "LEAKY_RELU of no slope": lambda litert: one(
        litert, "LEAKY_RELU", [eight(0.1)], eight(0.07), "its slope is 0", ("LeakyReluOptions", {"alpha": 0.0})),
    "LEAKY_RELU of a small slope": lambda litert: one(
        litert, "LEAKY_RELU", [eight(0.1)], eight(0.07), "the same times its slope is 0.001429, not in [1/256",
        ("LeakyReluOptions", {"alpha": 0.001})),
}


POOL = ("Pool2DOptions", {"filterHeight": 1, "filterWidth": 2, "strideH": 2, "strideW": 1, "padding": 1,
                          "fusedActivationFunction": 1})
# Of one operator, the shape of its result, its options, and constants behind [1, 5, 6, 7]. Of two schemes the runtime's
# own kernels take the integers as they are; those that the delegate takes, LiteRT by itself refuses.
AS_THEY_ARE: dict[str, tuple[tuple[int, ...], Any, list[Any], bool]] = {
    "AVERAGE_POOL_2D": ((1, 3, 5, 7), POOL, [], True), "MAX_POOL_2D": ((1, 3, 5, 7), POOL, [], True),
    "GATHER": ((1, 2, 6, 7), ("GatherOptions", {"axis": 1}), [[3, 0]], True),
    "MAXIMUM": ((1, 5, 6, 7), ("MaximumMinimumOptions", {}), [], True),
    "MINIMUM": ((1, 5, 6, 7), ("MaximumMinimumOptions", {}), [], True),
    "PAD": ((1, 6, 6, 9), ("PadOptions", {}), [[[0, 0], [1, 0], [0, 0], [0, 2]]], False),
    "RESHAPE": ((6, 35), ("ReshapeOptions", {}), [[6, 35]], True),
    "RESIZE_NEAREST_NEIGHBOR": ((1, 3, 9, 7), ("ResizeNearestNeighborOptions", {}), [[3, 9]], True),
    "SLICE": ((1, 4, 6, 3), ("SliceOptions", {}), [[0, 1, 0, 2], [1, -1, 6, 3]], True),
    "STRIDED_SLICE": ((1, 3, 6, 7), ("StridedSliceOptions", {}), [[0, 0, 0, 0], [1, 5, 6, 7], [1, 2, 1, 1]], True),
    "TILE": ((1, 5, 12, 7), ("TileOptions", {}), [[1, 1, 2, 1]], True),
    "TRANSPOSE": ((1, 7, 5, 6), ("TransposeOptions", {}), [[0, 3, 1, 2]], False),
}


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("word", AS_THEY_ARE)
def test_integers_as_they_are(litert: Any, word: str, dtype: str) -> None:
    shape, options, constants, default_policy = AS_THEY_ARE[word]
    many = 2 if word in ("MAXIMUM", "MINIMUM") else 1
    schemes = [ns.Scheme(0.1, 20, dtype), ns.Scheme(0.03, 7, dtype)][:many]
    inputs: list[Any] = [((1, 5, 6, 7), dtype, scheme) for scheme in schemes]
    inputs += [(np.asarray(one, np.int32), None) for one in constants]
    data = litert.one(word, inputs, [(shape, dtype, ns.Scheme(0.07, 30, dtype))], options,
                      1 if word == "RESHAPE" else 2)
    given = [values((1, 5, 6, 7), dtype) for _ in schemes]
    model = Model(read_tflite(data, "one"))
    for arithmetic in ("xnnpack", "ruy", "tflite")[not default_policy:]:
        wanted, = litert.run(litert.interpreter(data, arithmetic), given)
        for backend in ("reference", "native") if NATIVE else ("reference",):
            assert np.array_equal(model.run(given, backend, arithmetic=arithmetic)[0], wanted), (arithmetic, backend)
    row, = model.report().rows
    assert row.delegate_reason == (f"its input{'s' * (many - 1)} and result have several "
                                   "schemes" if default_policy else "")
    assert (row.runs == "missing") != default_policy
    if not default_policy:
        with pytest.raises(RuntimeError, match="failed to delegate"):
            litert.interpreter(data)


def _goes_round(litert: Any, model: Model, given: list[np.ndarray], wanted: np.ndarray) -> None:
    """What is written to a file again has the same bytes there, or is refused."""
    try:
        data = tflite_bytes(model.graph)
    except ns.ModelError:
        return
    assert np.array_equal(litert.run(litert.interpreter(data), given)[0].reshape(-1), wanted.reshape(-1))


@pytest.mark.parametrize("name", CASES)
def test_one_operator(litert: Any, name: str) -> None:
    case = CASES[name](litert)
    wanted, = litert.run(litert.interpreter(case.data), case.given)
    model = Model(read_tflite(case.data, "one"))
    for backend in ("reference", None):
        assert np.array_equal(model.run(case.given, backend)[0], wanted), backend
    _goes_round(litert, model, case.given, wanted)
    row, = model.report().rows
    line = [said for said in str(model.report()).splitlines() if "LiteRT's own kernels" in said]
    assert len(line) == bool(case.why) == bool(row.delegate_reason) and case.why in row.delegate_reason
    for said in line:
        assert said == ("by LiteRT's own kernels ('ruy'), as there, what XNNPACK does not take: node 0, "
                        f"{row.operator}: {row.delegate_reason}.")


@pytest.mark.parametrize("why, padding, window, stride, scales", [
    ("", 0, (3, 3), 2, 0.01), ("", 1, (3, 2), 1, 0.01),
    ("its window (2, 3) is smaller than its stride (3, 3)", 0, (2, 3), 3, 0.01),
    ("a scale of its weights is 0, no normal number", 1, (2, 2), 2, np.array([0.01, 0, 0.02, 0.01, 0.01])),
])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_transposed_convolutions(litert: Any, dtype: str, why: str, padding: int, window: tuple[int, int], stride: int,
                                 scales: Any) -> None:
    """By all three of its ways to run; weights of -128 too."""
    if dtype == "uint8":
        scales = scales if np.ndim(scales) == 0 else 0.0
    count, zero = 5, 128 * (dtype == "uint8")
    x, out = ns.Scheme(0.05, zero + 3, dtype), ns.Scheme(0.6, zero - 7, dtype)
    size = [side * stride if padding == 0 else side * stride + max(side_of - stride, 0)
            for side, side_of in zip((4, 5), window, strict=True)]
    shape = (2, *size, count)
    scales = np.asarray(scales, np.float32)
    data = litert.one("TRANSPOSE_CONV", [
        (np.array(shape, np.int32), None), (values((count, *window, 6), dtype), Scales(scales, zero)),
        ((2, 4, 5, 6), dtype, x),
        (RNG.integers(-900, 900, count).astype(np.int32), Scales(np.float32(x.scale) * scales)),
    ], [(shape, dtype, out)], ("TransposeConvOptions", {"padding": padding, "strideH": stride, "strideW": stride}), 3)
    given, model = [values((2, 4, 5, 6), dtype)], Model(read_tflite(data, "one"))
    for arithmetic in ("xnnpack", "ruy", "tflite"):
        wanted, = litert.run(litert.interpreter(data, arithmetic), given)
        for backend in ("reference", None):
            assert np.array_equal(model.run(given, backend, arithmetic=arithmetic)[0], wanted), (arithmetic, backend)
    assert model.report().rows[0].delegate_reason == why


@pytest.mark.parametrize("keep", [True, False])
def test_the_largest_of_another_scheme(litert: Any, keep: bool) -> None:
    """The delegate takes the integers as they are; the runtime's own kernels refuse them."""
    shape = (1, 1, 1, 7) if keep else (1, 7)
    data = litert.one("REDUCE_MAX", [((1, 5, 6, 7), "int8", eight(0.1)), (np.array([1, 2], np.int32), None)],
                      [(shape, "int8", eight(0.3, -7))], ("ReducerOptions", {"keepDims": keep}))
    given, model = [values((1, 5, 6, 7))], Model(read_tflite(data, "one"))
    wanted, = litert.run(litert.interpreter(data), given)
    for backend in ("reference", None):
        assert np.array_equal(model.run(given, backend)[0], wanted)
    assert not model.report().rows[0].delegate_reason and model.report("ruy").missing


@pytest.mark.parametrize(("word", "options", "count"), [
    ("SLICE", "SliceOptions", 2), ("STRIDED_SLICE", "StridedSliceOptions", 3)])
def test_numbers_that_are_none(litert: Any, word: str, options: str, count: int) -> None:
    """Of files of anybody, who leaves what is not asked for numbers that are not there."""
    data = litert.one(word, [((1, 2, 3, 4), "int8", eight(0.1)), *[(np.full(4, np.nan, np.float32), None)] * count],
                      [((1, 2, 3, 4), "int8", eight(0.2))], (options, {}))
    row, = Model(read_tflite(data, "one")).report().rows
    assert row.reason == f"node 0, {word}: its begins must be integers; 't1' is float32."


@pytest.mark.parametrize("place", [0, 1])
def test_one_scale_along_an_axis(litert: Any, place: int) -> None:
    """It means nothing, but the delegate wants to see axis 0."""
    scheme = eight(0.1)
    data = litert.one("RESIZE_BILINEAR", [((1, 5, 6, 7), "int8", Scales(0.1, 3, 3 * (place == 0))),
                                          (np.array([9, 4], np.int32), None)],
                      [((1, 9, 4, 7), "int8", Scales(0.1, 3, 3 * place))], ("ResizeBilinearOptions", {}), 3)
    given, model = [values((1, 5, 6, 7))], Model(read_tflite(data, "one"))
    wanted, = litert.run(litert.interpreter(data), given)
    assert np.array_equal(model.run(given)[0], wanted)
    assert not np.array_equal(wanted, ns.ops.resize_bilinear(
        ns.Quantized(given[0], scheme.scale, 3), size=(9, 4), backend="reference").values)
    assert model.report().rows[0].delegate_reason == f"'t{2 * place}' names axis 3 for its one scale"


@pytest.mark.parametrize("out", [ns.Scheme(0.1, 9, "int8"), ns.Scheme(0.4, -20, "int8"), ns.Scheme(0.03, 40, "int8")])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_sums_along_axes(litert: Any, dtype: str, out: ns.Scheme) -> None:
    scheme, made = ns.Scheme(0.1, 9, dtype), ns.Scheme(out.scale, abs(out.zero_point), dtype)
    data = litert.one("SUM", [((3, 5, 6, 7), dtype, scheme), (np.array([1, 2], np.int32), None)],
                      [((3, 7), dtype, made)], ("ReducerOptions", {}))
    given, model = [values((3, 5, 6, 7), dtype) // 8 + np.dtype(dtype).type(4)], Model(read_tflite(data, "one"))
    for arithmetic in ("xnnpack", "ruy", "tflite"):
        wanted, = litert.run(litert.interpreter(data, arithmetic), given)
        for backend in ("reference", None):
            assert np.array_equal(model.run(given, backend, arithmetic=arithmetic)[0], wanted), (arithmetic, backend)


@pytest.mark.parametrize("corners", [{}, {"alignCorners": True}, {"halfPixelCenters": True}])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_resizing_by_its_own_kernels(litert: Any, dtype: str, corners: dict[str, bool]) -> None:
    scheme = ns.Scheme(0.1, 3, dtype)
    for size in ((7, 13), (40, 48), (1, 3)):
        data = litert.one("RESIZE_BILINEAR", [((2, 5, 6, 8), dtype, scheme), (np.array(size, np.int32), None)],
                          [((2, *size, 8), dtype, scheme)], ("ResizeBilinearOptions", corners), 3)
        given, model = [values((2, 5, 6, 8), dtype)], Model(read_tflite(data, "one"))
        for arithmetic in ("ruy", "tflite"):
            wanted, = litert.run(litert.interpreter(data, arithmetic), given)
            for backend in ("reference", None):
                assert np.array_equal(model.run(given, backend, arithmetic=arithmetic)[0], wanted), (arithmetic, size)


@pytest.mark.skipif(not NATIVE, reason="needs the C library: make native")
@pytest.mark.parametrize("word", PRODUCTS)
def test_weights_of_minus_128_by_every_family(litert: Any, word: str) -> None:
    from neonsim.nn.backends.native.network import families

    case = product(litert, word, _scales(), low=0)
    wanted, = litert.run(litert.interpreter(case.data), case.given)
    model = Model(read_tflite(case.data, "one"))
    for family, missing in families().items():
        if missing is None:
            plan = model.plan("native", family=family)
            assert np.array_equal(model.run(case.given, plan=plan)[0], wanted), family
    with pytest.raises(ns.BackendError, match=r"w holds -128 .* times, and kernels rely on weights of -127 and more"):
        model.plan("emulated")


def test_the_others_stay_the_delegate_s(litert: Any) -> None:
    """One node that is left changes no rule of the rest."""
    import flatbuffers

    schema = importlib.import_module("ai_edge_litert.schema_py_generated")
    case = CASES["SUB of small scales"](litert)
    model = schema.ModelT.InitFromPackedBuf(case.data, 0)
    graph = model.subgraphs[0]
    other = schema.ModelT.InitFromPackedBuf(litert.one(
        "LEAKY_RELU", [((1, 5, 6, 7), "int8", eight(0.1))], [((1, 5, 6, 7), "int8", eight(0.07))],
        ("LeakyReluOptions", {"alpha": 0.3})), 0)
    node, tensor = other.subgraphs[0].operators[0], other.subgraphs[0].tensors[1]
    node.opcodeIndex, node.inputs, node.outputs = 1, list(graph.outputs), [len(graph.tensors)]
    tensor.name = "last"
    graph.tensors.append(tensor)
    graph.operators.append(node)
    model.operatorCodes.append(other.operatorCodes[0])
    graph.outputs = [len(graph.tensors) - 1]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    data = bytes(builder.Output())
    wanted, = litert.run(litert.interpreter(data), case.given)
    theirs, = litert.run(litert.interpreter(data, "ruy"), case.given)
    found = Model(read_tflite(data, "two"))
    assert np.array_equal(found.run(case.given)[0], wanted) and not np.array_equal(wanted, theirs)
    assert [bool(row.delegate_reason) for row in found.report().rows] == [True, False]
