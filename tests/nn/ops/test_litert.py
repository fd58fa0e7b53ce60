"""int8 operators against LiteRT with XNNPACK, an implementation we share nothing with: models of one operator each.

The models are flat buffers made here, field by field; no converter is involved. On this kind of host the library
requantises products in single precision (X26), so that ours with requantization="fp32" have its bytes; what may differ:

    operator                                   may differ by
    convolution, fully connected               nothing: one scale or one per channel
    depthwise                                  1, next to ties: theirs rounds twice
    deconvolution                              nothing
    the same with "rndnu"                      1, on ties and what float32 takes for one
    addition, subtraction, multiplication      nothing, broadcast or not
    leaky ReLU                                 nothing
    logistic function, tanh                    1, next to ties (their table is made in single precision)
    conversion                                 1, next to ties
    maximum, mean of whole images, softmax     nothing, int8 and uint8; padding by bytes, RELU and RELU6 as clamps too
    average of windows                         1, on ties; not with padding, which theirs leaves out of the mean
    uint8: convolution, deconvolution          nothing with "fp32"; 1 with "q31" and "rndnu"
    uint8: depthwise                           nothing with "q31": their kernel rounds twice as QNNPACK's did
    uint8: the other operators                 as int8; leaky ReLU 1 (theirs multiplies by two rounded factors, ours is
                                               QNNPACK's table)
    dynamic fully connected, convolution       the last bits of single precision: 1e-6 of the largest result
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from neonsim.nn import ops
from neonsim.quant import Quantized, Scheme, decompose

pytestmark = pytest.mark.slow
REASON = "the outside check needs LiteRT: pip install 'neonsim[outside]'"
flatbuffers = pytest.importorskip("flatbuffers", reason=REASON)
interpreter = pytest.importorskip("ai_edge_litert.interpreter", reason=REASON)
schema = pytest.importorskip("ai_edge_litert.schema_py_generated", reason=REASON)

RNG = np.random.default_rng(11)


def tensor(name: str, values: Any, scheme: Scheme | None, buffer: int, axis: int = 0) -> Any:
    """A tensor of the model: shape, type, scale and zero point."""
    found = schema.TensorT()
    found.name, found.shape, found.buffer = name, list(np.shape(values)), buffer
    kind = np.asarray(values).dtype
    found.type = {"int8": schema.TensorType.INT8, "uint8": schema.TensorType.UINT8,
                  "int32": schema.TensorType.INT32, "float32": schema.TensorType.FLOAT32}[kind.name]
    if scheme is not None:
        quantization = schema.QuantizationParametersT()
        scales = np.atleast_1d(np.asarray(scheme.scale, np.float32))
        quantization.scale, quantization.zeroPoint = scales.tolist(), [scheme.zero_point] * scales.size
        quantization.quantizedDimension = axis if np.ndim(values) > 1 else 0
        found.quantization = quantization
    return found


def theirs(kind: str, version: int, inputs: Sequence[tuple[Any, Scheme | None, bool]], out: Scheme | None,
           shape: tuple[int, ...], options: Any = None, axis: int = 0) -> np.ndarray:
    """One operator, run by LiteRT. inputs: (values, scheme, is it a constant?); out is None for float results."""
    model, graph, operator = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
    model.version, model.description, model.buffers = 3, "one operator", [schema.BufferT()]
    graph.name, graph.tensors = "main", []
    for i, (values, scheme, constant) in enumerate(inputs):
        buffer = 0
        if constant:
            held = schema.BufferT()
            held.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
            model.buffers.append(held)
            buffer = len(model.buffers) - 1
        graph.tensors.append(tensor(f"t{i}", values, scheme, buffer, axis))
    graph.tensors.append(tensor("y", np.zeros(shape, out.dtype if out else np.float32), out, 0))
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, list(range(len(inputs))), [len(inputs)]
    if options is not None:
        operator.builtinOptions = options
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, type(options).__name__.removesuffix("T"))
    graph.inputs = [i for i, (_, _, constant) in enumerate(inputs) if not constant]
    graph.outputs, graph.operators = [len(inputs)], [operator]
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, kind)
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
    model.operatorCodes, model.subgraphs = [code], [graph]
    builder = flatbuffers.Builder(4096)
    builder.Finish(model.Pack(builder), b"TFL3")
    run = interpreter.Interpreter(model_content=bytes(builder.Output()), num_threads=1)
    run.allocate_tensors()
    for place, (values, _, constant) in zip(run.get_input_details(), [i for i in inputs if not i[2]], strict=True):
        assert not constant
        run.set_tensor(place["index"], values)
    run.invoke()
    return np.asarray(run.get_tensor(run.get_output_details()[0]["index"]))


def int8(shape: tuple[int, ...], scale: float, zero: int) -> Quantized:
    return Quantized(RNG.integers(-128, 128, shape, dtype=np.int8), scale, zero)


def of(kind: str, shape: tuple[int, ...], scale: float, zero: int) -> Quantized:
    """Any values of a type; zero counts from the middle of its range."""
    values = RNG.integers(0, 256, shape, dtype=np.uint8)
    return Quantized(values, scale, zero + 128) if kind == "uint8" else Quantized(values.view(np.int8), scale, zero)


def differences(ours: Quantized, found: np.ndarray) -> tuple[int, float]:
    """(largest, share of those that differ)."""
    far = np.abs(ours.values.astype(int) - found)
    return int(far.max()), float((far > 0).mean())


def weights(shape: tuple[int, ...], channels: int | None, axis: int = 0) -> Quantized:
    values = RNG.integers(-127, 128, shape, dtype=np.int8)
    if channels is None:
        return Quantized(values, 0.013)
    return Quantized(values, RNG.uniform(0.004, 0.03, channels).astype(np.float32), axis=axis)


def bias_scheme(x: Quantized, w: Quantized) -> Scheme:
    """The bias counts in steps of input scale * weight scale; int32, so its type is said elsewhere."""
    scale = np.float32(x.scale) * np.asarray(w.scale, np.float32)
    return Scheme(scale if scale.ndim else float(scale), 0, "int8", 0 if scale.ndim else None)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("shape", [(5, 19, 7), (1, 64, 33), (16, 130, 16)])
def test_fully_connected(shape: tuple[int, int, int], per_channel: bool) -> None:
    m, k, n = shape
    x, w = int8((m, k), 0.031, -5), weights((n, k), n if per_channel else None)
    bias, out = RNG.integers(-2000, 2000, n, dtype=np.int32), Scheme(0.11, 7, "int8")
    options = schema.FullyConnectedOptionsT()
    found = theirs("FULLY_CONNECTED", 5, [(x.values, x.scheme, False), (w.values, w.scheme, True),
                                          (bias, bias_scheme(x, w), True)], out, (m, n), options)
    ours = ops.fully_connected(x, w, bias, out=out, requantization="fp32", backend="reference")
    assert len(np.unique(found)) > 10
    np.testing.assert_array_equal(ours.values, found)
    if not per_channel:
        rndnu = ops.fully_connected(x, w, bias, out=out, requantization="rndnu", backend="reference")
        assert np.abs(rndnu.values.astype(int) - found).max() <= 1 and (rndnu.values != found).mean() < 0.02


CONVOLUTIONS = {
    "1x1": ((1, 1), 1, 1, "VALID"), "3x3": ((3, 3), 1, 1, "SAME"), "3x3_s2": ((3, 3), 2, 1, "VALID"),
    "3x3_d2": ((3, 3), 1, 2, "VALID"), "2x5_s2": ((2, 5), 2, 1, "VALID"),
}


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name: str, per_channel: bool) -> None:
    window, stride, dilation, padding = CONVOLUTIONS[name]
    x, w = int8((2, 9, 11, 5), 0.02, 11), weights((8, *window, 5), 8 if per_channel else None)
    bias, out = RNG.integers(-2000, 2000, 8, dtype=np.int32), Scheme(0.08, -3, "int8")
    options = schema.Conv2DOptionsT()
    options.strideH = options.strideW = stride
    options.dilationHFactor = options.dilationWFactor = dilation
    options.padding = getattr(schema.Padding, padding)
    ours = ops.conv2d(x, w, bias, out=out, stride=stride, dilation=dilation, padding=int(padding == "SAME"),
                      requantization="fp32", backend="reference")
    found = theirs("CONV_2D", 3, [(x.values, x.scheme, False), (w.values, w.scheme, True),
                                  (bias, bias_scheme(x, w), True)], out, ours.shape, options)
    assert len(np.unique(found)) > 30
    np.testing.assert_array_equal(ours.values, found)


@pytest.mark.parametrize("window", [3, 5])
def test_depthwise(window: int) -> None:
    x, w = int8((1, 8, 9, 12), 0.02, -20), weights((12, window, window, 1), 12)
    bias, out = RNG.integers(-500, 500, 12, dtype=np.int32), Scheme(0.05, 4, "int8")
    options = schema.DepthwiseConv2DOptionsT()
    options.strideH = options.strideW = options.depthMultiplier = 1
    options.dilationHFactor = options.dilationWFactor = 1
    options.padding = schema.Padding.SAME
    ours = ops.conv2d(x, w, bias, out=out, groups=12, padding=window // 2, requantization="fp32", backend="reference")
    # Their weights are [1, kh, kw, channels].
    turned = np.ascontiguousarray(w.values.transpose(3, 1, 2, 0))
    found = theirs("DEPTHWISE_CONV_2D", 3, [(x.values, x.scheme, False), (turned, w.scheme, True),
                                            (bias, bias_scheme(x, w), True)], out, ours.shape, options, axis=3)
    different = ours.values != found
    assert np.abs(ours.values.astype(int) - found).max() <= 1 and different.mean() < 0.01
    # Their depthwise kernel rounds twice, in integers (R05): that moves what lies within 2**-(shift + 1) of a half.
    layer = ops.Conv2d(x.scheme, w, bias, out=out, groups=12, padding=window // 2, requantization="fp32")
    exact = layer.accumulators(x.values) * layer.scale.astype(float)
    near = np.abs(exact - np.floor(exact) - 0.5) < 2.0 ** -(decompose(layer.scale).shift + 1.0) + 1e-4
    assert near[different].all()


@pytest.mark.parametrize("stride", [1, 2])
def test_deconvolution(stride: int) -> None:
    """Weights are [out, kh, kw, in] there; the size of the result is an input."""
    x, w = int8((1, 5, 6, 4), 0.02, 9), weights((6, 3, 3, 4), None)
    out, options = Scheme(0.07, 1, "int8"), schema.TransposeConvOptionsT()
    options.strideH = options.strideW = stride
    options.padding = schema.Padding.VALID
    ours = ops.deconv2d(x, Quantized(np.ascontiguousarray(w.values.transpose(3, 1, 2, 0)), w.scale), out=out,
                        stride=stride, requantization="fp32", backend="reference")
    bias = np.zeros(6, np.int32)
    found = theirs("TRANSPOSE_CONV", 3, [(np.array(ours.shape, np.int32), None, True), (w.values, w.scheme, True),
                                         (x.values, x.scheme, False), (bias, bias_scheme(x, w), True)], out, ours.shape,
                   options)
    np.testing.assert_array_equal(ours.values, found)


SHAPES = {"same": ((2, 5, 4, 3), (2, 5, 4, 3)), "row": ((2, 5, 4, 3), (3,)), "one": ((4, 50), (1,)),
          "both": ((3, 1, 8), (1, 5, 8))}
BINARY: dict[str, Callable[..., Quantized]] = {"ADD": ops.add, "SUB": ops.subtract, "MUL": ops.multiply}


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("kind", ["ADD", "SUB", "MUL"])
def test_binary(kind: str, shapes: str) -> None:
    a, b = (int8(s, scale, zero) for s, scale, zero in zip(SHAPES[shapes], (0.03, 0.05), (7, -30), strict=True))
    out = Scheme(0.06 if kind != "MUL" else 0.11, -9, "int8")
    ours = BINARY[kind](a, b, out=out, backend="reference")
    options = {"ADD": schema.AddOptionsT, "SUB": schema.SubOptionsT, "MUL": schema.MulOptionsT}[kind]()
    found = theirs(kind, {"ADD": 2, "SUB": 2, "MUL": 2}[kind],
                   [(a.values, a.scheme, False), (b.values, b.scheme, False)], out, ours.shape, options)
    np.testing.assert_array_equal(ours.values, found)


def every_byte(scale: float, zero: int) -> Quantized:
    return Quantized(np.arange(-128, 128).astype(np.int8).reshape(1, 256), scale, zero)


@pytest.mark.parametrize("kind", ["LOGISTIC", "TANH"])
def test_curves(kind: str) -> None:
    x = every_byte(0.05, 13)
    ours = {"LOGISTIC": ops.sigmoid, "TANH": ops.tanh}[kind](x, backend="reference")
    found = theirs(kind, 2, [(x.values, x.scheme, False)], ours.scheme, ours.shape)
    different = ours.values != found
    assert np.abs(ours.values.astype(int) - found).max() <= 1
    # Only where the exact value lies within a thousandth of a half.
    real = 0.05 * (x.values.astype(float) - 13)
    exact = 256 / (1 + np.exp(-real)) if kind == "LOGISTIC" else 128 * np.tanh(real)
    assert (np.abs(exact - np.floor(exact) - 0.5)[different] < 1e-3).all()


@pytest.mark.parametrize("slope", [0.1, 0.5])
def test_leaky_relu(slope: float) -> None:
    x, out, options = every_byte(0.05, 13), Scheme(0.04, -20, "int8"), schema.LeakyReluOptionsT()
    options.alpha = slope
    ours = ops.leaky_relu(x, slope=slope, out=out, backend="reference")
    found = theirs("LEAKY_RELU", 2, [(x.values, x.scheme, False)], out, ours.shape, options)
    np.testing.assert_array_equal(ours.values, found)


@pytest.mark.parametrize(("source", "target"), [("int8", "int8"), ("uint8", "uint8"), ("uint8", "int8"),
                                                ("int8", "uint8")])
def test_conversion(source: str, target: str) -> None:
    """The factor of int8 to int8 has steps of 1/256 here and there; other pairs change the type alone there."""
    same = source == target
    zero = 13 + 128 * (source == "uint8")
    values = np.arange(256, dtype=np.uint8).view(source).reshape(1, 256)
    x = Quantized(values, 0.05, zero)
    scale, zero = (0.03, -20) if same else (0.05, 13)
    out = Scheme(scale, zero + 128 * (target == "uint8"), target)
    ours = ops.convert(x, out=out, backend="reference")
    found = theirs("QUANTIZE", 2, [(x.values, x.scheme, False)], out, ours.shape, schema.QuantizeOptionsT())
    assert np.abs(ours.values.astype(int) - found).max() <= (1 if same else 0)


# ---- without weights, int8 and uint8

BOTH = pytest.mark.parametrize("kind", ["int8", "uint8"])
POOLS = {"2x2": (2, 2, 0), "3x3": (3, 1, 0), "3x3_s2": (3, 2, 0), "3x3_padded": (3, 1, 1)}


@BOTH
@pytest.mark.parametrize("name", POOLS)
def test_pooling(name: str, kind: str) -> None:
    window, stride, padding = POOLS[name]
    x, options = of(kind, (2, 9, 10, 7), 0.05, 3), schema.Pool2DOptionsT()
    options.filterHeight = options.filterWidth = window
    options.strideH = options.strideW = stride
    options.padding = schema.Padding.SAME if padding else schema.Padding.VALID
    inputs = [(x.values, x.scheme, False)]
    largest = ops.max_pool2d(x, pool=window, stride=stride, padding=padding, backend="reference")
    np.testing.assert_array_equal(largest.values, theirs("MAX_POOL_2D", 2, inputs, x.scheme, largest.shape, options))
    if not padding:
        mean = ops.avg_pool2d(x, pool=window, stride=stride, out=x.scheme, backend="reference")
        found = theirs("AVERAGE_POOL_2D", 2, inputs, x.scheme, mean.shape, options)
        windows = np.lib.stride_tricks.sliding_window_view(x.values.astype(int), (window, window), (1, 2))
        exact = windows[:, ::stride, ::stride].mean((-2, -1))
        different = mean.values != found
        assert differences(mean, found)[0] <= 1 and (np.abs(exact - np.floor(exact) - 0.5)[different] < 1e-9).all()


@BOTH
@pytest.mark.parametrize("same", [True, False])
def test_mean_of_whole_images(same: bool, kind: str) -> None:
    x, options = of(kind, (2, 7, 7, 9), 0.05, 3), schema.ReducerOptionsT()
    out = x.scheme if same else of(kind, (1,), 0.021, -7).scheme
    options.keepDims = False
    ours = ops.global_avg_pool(x, out=out, backend="reference")
    found = theirs("MEAN", 2, [(x.values, x.scheme, False), (np.array([1, 2], np.int32), None, True)], out, ours.shape,
                   options)
    np.testing.assert_array_equal(ours.values, found)


@BOTH
@pytest.mark.parametrize("channels", [2, 10, 100])
def test_softmax(channels: int, kind: str) -> None:
    x, options = of(kind, (20, channels), 0.05, 3), schema.SoftmaxOptionsT()
    options.beta = 1.0
    ours = ops.softargmax(x, backend="reference")
    found = theirs("SOFTMAX", 2, [(x.values, x.scheme, False)], ours.scheme, ours.shape, options)
    assert len(np.unique(found)) > 10
    np.testing.assert_array_equal(ours.values, found)


@BOTH
def test_padding_and_limits(kind: str) -> None:
    x, amounts = of(kind, (2, 3, 4, 5), 0.05, 3), ((0, 0), (1, 2), (3, 0), (0, 1))
    ours = ops.pad(x, amounts=amounts, backend="reference")
    found = theirs("PAD", 2, [(x.values, x.scheme, False), (np.array(amounts, np.int32), None, True)], x.scheme,
                   ours.shape, schema.PadOptionsT())
    np.testing.assert_array_equal(ours.values, found)
    for name, top in (("RELU", int(np.iinfo(kind).max)), ("RELU6", round(6 / 0.05) + x.zero_point)):
        clamped = ops.clamp(x, output_min=x.zero_point, output_max=top, backend="reference")
        np.testing.assert_array_equal(
            clamped.values, theirs(name, 2, [(x.values, x.scheme, False)], x.scheme, x.shape))


# ---- uint8 with weights

def unsigned_weights(shape: tuple[int, ...]) -> Quantized:
    return of("uint8", shape, 0.013, -8)


SCHEMES = {"fp32": 0, "q31": 1, "rndnu": 1}     # how far each may be from theirs


@pytest.mark.parametrize("requantization", SCHEMES)
def test_uint8_products(requantization: str) -> None:
    x, w = of("uint8", (9, 33), 0.031, -8), unsigned_weights((17, 33))
    bias, out = RNG.integers(-2000, 2000, 17, dtype=np.int32), Scheme(0.11, 100)
    options = schema.FullyConnectedOptionsT()
    found = theirs("FULLY_CONNECTED", 5, [(x.values, x.scheme, False), (w.values, w.scheme, True),
                                          (bias, bias_scheme(x, w), True)], out, (9, 17), options)
    ours = ops.fully_connected(x, w, bias, out=out, requantization=requantization, backend="reference")
    assert differences(ours, found) <= (SCHEMES[requantization], 0.02)


@pytest.mark.parametrize("requantization", SCHEMES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_uint8_convolution(name: str, requantization: str) -> None:
    window, stride, dilation, padding = CONVOLUTIONS[name]
    x, w = of("uint8", (2, 9, 11, 5), 0.02, -8), unsigned_weights((8, *window, 5))
    bias, out = RNG.integers(-2000, 2000, 8, dtype=np.int32), Scheme(0.08, 100)
    options = schema.Conv2DOptionsT()
    options.strideH = options.strideW = stride
    options.dilationHFactor = options.dilationWFactor = dilation
    options.padding = getattr(schema.Padding, padding)
    ours = ops.conv2d(x, w, bias, out=out, stride=stride, dilation=dilation, padding=int(padding == "SAME"),
                      requantization=requantization, backend="reference")
    found = theirs("CONV_2D", 3, [(x.values, x.scheme, False), (w.values, w.scheme, True),
                                  (bias, bias_scheme(x, w), True)], out, ours.shape, options)
    assert len(np.unique(found)) > 100 and differences(ours, found) <= (SCHEMES[requantization], 0.02)


@BOTH
@pytest.mark.parametrize("window", [3, 5])
def test_depthwise_with_one_scale(window: int, kind: str) -> None:
    x = of(kind, (1, 8, 9, 12), 0.02, -8)
    shape = (12, window, window, 1)
    w = unsigned_weights(shape) if kind == "uint8" else weights(shape, None)
    bias, out = RNG.integers(-500, 500, 12, dtype=np.int32), Scheme(0.05, 100, kind)
    options = schema.DepthwiseConv2DOptionsT()
    options.strideH = options.strideW = options.depthMultiplier = 1
    options.dilationHFactor = options.dilationWFactor = 1
    options.padding = schema.Padding.SAME
    turned = np.ascontiguousarray(w.values.transpose(3, 1, 2, 0))
    found = theirs("DEPTHWISE_CONV_2D", 3, [(x.values, x.scheme, False), (turned, w.scheme, True),
                                            (bias, bias_scheme(x, w), True)], out, (1, 8, 9, 12), options, axis=3)
    for requantization, most in (("q31", 0 if kind == "uint8" else 1), ("rndnu", 1), ("fp32", 1)):
        ours = ops.conv2d(x, w, bias, out=out, groups=12, padding=window // 2, requantization=requantization,
                          backend="reference")
        assert differences(ours, found) <= (most, 0.02)


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("kind", ["uint8", "per channel"])
def test_deconvolution_of_other_kinds(kind: str, stride: int) -> None:
    unsigned = kind == "uint8"
    x = of("uint8" if unsigned else "int8", (1, 5, 6, 4), 0.02, -8)
    w = unsigned_weights((6, 3, 3, 4)) if unsigned else weights((6, 3, 3, 4), 6)
    out, options = Scheme(0.07, 100 if unsigned else 1, x.scheme.dtype), schema.TransposeConvOptionsT()
    options.strideH = options.strideW = stride
    options.padding = schema.Padding.VALID
    mine = Quantized(np.ascontiguousarray(w.values.transpose(3, 1, 2, 0)), w.scale, w.zero_point,
                     None if unsigned else 3)
    ours = ops.deconv2d(x, mine, out=out, stride=stride, requantization="fp32", backend="reference")
    bias = np.zeros(6, np.int32)
    found = theirs("TRANSPOSE_CONV", 3, [(np.array(ours.shape, np.int32), None, True), (w.values, w.scheme, True),
                                         (x.values, x.scheme, False), (bias, bias_scheme(x, w), True)], out, ours.shape,
                   options)
    np.testing.assert_array_equal(ours.values, found)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("kind", ["ADD", "SUB", "MUL"])
def test_uint8_binary(kind: str, shapes: str) -> None:
    first, second = SHAPES[shapes]
    a, b = of("uint8", first, 0.03, -21), of("uint8", second, 0.05, -38)
    out = Scheme(0.06 if kind != "MUL" else 0.11, 90)
    ours = BINARY[kind](a, b, out=out, backend="reference")
    options = {"ADD": schema.AddOptionsT, "SUB": schema.SubOptionsT, "MUL": schema.MulOptionsT}[kind]()
    found = theirs(kind, 2, [(a.values, a.scheme, False), (b.values, b.scheme, False)], out, ours.shape, options)
    assert differences(ours, found) <= (1 if kind == "ADD" else 0, 0.02)    # QNNPACK's addition: ties away from zero


@pytest.mark.parametrize(("kind", "most"), [("LOGISTIC", 1), ("TANH", 1), ("LEAKY_RELU", 1)])
def test_uint8_curves(kind: str, most: int) -> None:
    x, options, out = Quantized(np.arange(256, dtype=np.uint8).reshape(1, 256), 0.05, 141), None, Scheme(0.04, 100)
    if kind == "LEAKY_RELU":
        options = schema.LeakyReluOptionsT()
        options.alpha = 0.1
        ours = ops.leaky_relu(x, slope=0.1, out=out, backend="reference")
    else:
        ours = (ops.sigmoid if kind == "LOGISTIC" else ops.tanh)(x, backend="reference")
    found = theirs(kind, 2, [(x.values, x.scheme, False)], ours.scheme, ours.shape, options)
    assert differences(ours, found) <= (most, 0.12)


# ---- float in, float out: rows or images quantised when they come

@pytest.mark.parametrize("per_channel", [False, True])
def test_dynamic_layers(per_channel: bool) -> None:
    sizes = np.array([1, 3, 0.1, 10, 2, 0.5], np.float32)
    x = RNG.normal(size=(6, 40)).astype(np.float32) * sizes[:, np.newaxis]
    w, bias = weights((9, 40), 9 if per_channel else None), RNG.normal(size=9).astype(np.float32)
    options = schema.FullyConnectedOptionsT()
    options.asymmetricQuantizeInputs = True
    found = theirs("FULLY_CONNECTED", 12, [(x, None, False), (w.values, w.scheme, True), (bias, None, True)], None,
                   (6, 9), options)
    ours = ops.dynamic_fully_connected(x, w, bias, backend="reference")
    assert np.abs(ours - found).max() < 1e-6 * np.abs(found).max()
    # Far nearer than either is to the product of real numbers: the integers in between are the same.
    spread = np.broadcast_to(np.asarray(w.scale, np.float32), 9)[:, np.newaxis]
    assert np.abs(found - (x @ (w.values * spread).T + bias)).max() > 1e-3 * np.abs(found).max()

    images = RNG.normal(size=(2, 7, 8, 5)).astype(np.float32) * sizes[2:4, np.newaxis, np.newaxis, np.newaxis]
    w, bias, window = weights((8, 3, 3, 5), 8 if per_channel else None), bias[:8], schema.Conv2DOptionsT()
    window.strideH = window.strideW = window.dilationHFactor = window.dilationWFactor = 1
    window.padding = schema.Padding.VALID
    convolved = ops.dynamic_conv2d(images, w, bias, backend="reference")
    found = theirs("CONV_2D", 5, [(images, None, False), (w.values, w.scheme, True), (bias, None, True)], None,
                   convolved.shape, window)
    assert np.abs(convolved - found).max() < 1e-6 * np.abs(found).max()
