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
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim import ops
from neonsim.quant import Quantized, Scheme, decompose

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
                  "int32": schema.TensorType.INT32}[kind.name]
    if scheme is not None:
        quantization = schema.QuantizationParametersT()
        scales = np.atleast_1d(np.asarray(scheme.scale, np.float32))
        quantization.scale, quantization.zeroPoint = scales.tolist(), [scheme.zero_point] * scales.size
        quantization.quantizedDimension = axis if np.ndim(values) > 1 else 0
        found.quantization = quantization
    return found


def theirs(kind: str, version: int, inputs: list[tuple[Any, Scheme | None, bool]], out: Scheme, shape: tuple[int, ...],
           options: Any = None, axis: int = 0) -> np.ndarray:
    """One operator, run by LiteRT. inputs: (values, scheme, is it a constant?)."""
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
    graph.tensors.append(tensor("y", np.zeros(shape, out.dtype), out, 0))
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


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("kind", ["ADD", "SUB", "MUL"])
def test_binary(kind: str, shapes: str) -> None:
    a, b = (int8(s, scale, zero) for s, scale, zero in zip(SHAPES[shapes], (0.03, 0.05), (7, -30), strict=True))
    out = Scheme(0.06 if kind != "MUL" else 0.11, -9, "int8")
    operator = {"ADD": ops.add, "SUB": ops.subtract, "MUL": ops.multiply}[kind]
    ours = operator(a, b, out=out, backend="reference")
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
