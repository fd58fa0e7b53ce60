"""Operators against ONNX Runtime, an implementation we share nothing with.

What may differ is stated for each: ONNX Runtime requantises in single precision, ties to even.

    operator                             ours                                  may differ by
    convolution, fully connected         requantization="fp32"                 nothing
    the same                             "q31"                                 1, on at most 2**-shift of all (R13)
    the same                             "precise", "rndnu"                    1, on ties and what float32 takes for one
    deconvolution (theirs in float)      "fp32"                                1, next to ties
    pooling by average, addition         exact integers, ties away             1, next to ties
    max pooling, clamp, shuffle          -                                     nothing
    sigmoid, leaky ReLU                  tables of rounded values              1, next to ties
    softargmax                           32-bit fixed point                    1, next to ties
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.nn import ops
from neonsim.quant import Quantized, Scheme

onnx = pytest.importorskip("onnx", reason="the outside check needs onnx: pip install 'neonsim[outside]'")
runtime = pytest.importorskip("onnxruntime",
                              reason="the outside check needs onnxruntime: pip install 'neonsim[outside]'")

pytestmark = pytest.mark.slow
RNG = np.random.default_rng(7)


def theirs(kind: str, inputs: dict[str, Any], domain: str = "", **attributes: Any) -> np.ndarray:
    """One node of ONNX, run by ONNX Runtime: the first input is x, the others are constants."""
    helper = onnx.helper
    names = list(inputs)
    constants = [onnx.numpy_helper.from_array(np.asarray(inputs[name]), name) for name in names[1:]]
    x = np.ascontiguousarray(inputs[names[0]])
    node = helper.make_node(kind, names, ["y"], domain=domain, **attributes)
    given = helper.make_tensor_value_info(names[0], helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    result = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(x.dtype), None)
    graph = helper.make_graph([node], "one", [given], [result], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {names[0]: x})[0])


def quantized(shape: tuple[int, ...], scale: float, zero_point: int) -> Quantized:
    return Quantized(RNG.integers(0, 256, shape, dtype=np.uint8), scale, zero_point)


def scheme_of(q: Any, name: str) -> dict[str, Any]:
    return {f"{name}_scale": np.float32(q.scale), f"{name}_zero_point": np.uint8(q.zero_point)}


def assert_near_ties(ours: np.ndarray, other: np.ndarray, exact: np.ndarray, within: float) -> None:
    """Equal, but for values whose exact result lies that near to a half; there they may be 1 apart."""
    differ = ours != other
    assert np.abs(ours.astype(int) - other.astype(int)).max(initial=0) <= 1
    distance = np.abs(exact - np.floor(exact) - 0.5)
    assert (distance[differ] <= within).all(), f"{distance[differ].max()} from a tie"


def near(image: np.ndarray) -> np.ndarray:
    """NHWC to NCHW."""
    return image.transpose(0, 3, 1, 2)


def back(image: np.ndarray) -> np.ndarray:
    return image.transpose(0, 2, 3, 1)


CONVOLUTIONS: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "1x1": ((16, 1, 1, 12), {}), "3x3_padded": ((8, 3, 3, 12), {"padding": ((1, 0), (2, 1))}),
    "3x3_s2": ((8, 3, 3, 12), {"stride": 2}), "3x3_d2": ((8, 3, 3, 12), {"dilation": 2}),
    "grouped": ((8, 3, 3, 6), {"groups": 2, "padding": 1}), "depthwise": ((12, 3, 3, 1), {"groups": 12, "padding": 1}),
    "depthwise_5x5": ((12, 5, 5, 1), {"groups": 12, "padding": 2}),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name: str) -> None:
    shape, options = CONVOLUTIONS[name]
    x, w = quantized((1, 10, 9, 12), 0.02, 120), quantized(shape, 0.01, 131)
    bias = RNG.integers(-2000, 2000, shape[0], dtype=np.int32)
    out = Scheme(float(0.02 * 0.01 * 90 * np.sqrt(np.prod(shape[1:]))), 128)
    pads = options.get("padding", 0)
    (top, bottom), (left, right) = pads if isinstance(pads, tuple) else ((pads, pads), (pads, pads))
    stride, dilation = options.get("stride", 1), options.get("dilation", 1)
    other = back(theirs("QLinearConv", {
        "x": near(x.values), **scheme_of(x, "x"), "w": near(w.values), **scheme_of(w, "w"), **scheme_of(out, "y"),
        "b": bias}, pads=[top, left, bottom, right], strides=[stride] * 2, dilations=[dilation] * 2,
        group=options.get("groups", 1), kernel_shape=list(shape[1:3])))
    layer = ops.Conv2d(x.scheme, w, bias, out=out, requantization="fp32", **options)
    np.testing.assert_array_equal(layer(x).values, other)
    exact = layer.accumulators(x.values) * float(layer.scale) + 128
    for scheme in ("precise", "rndnu"):
        single = ops.conv2d(x, w, bias, out=out, requantization=scheme, **options)
        assert_near_ties(single.values, other, exact, 2.0**-15)
    q31 = ops.Conv2d(x.scheme, w, bias, out=out, **options)
    ours = q31(x).values
    shift = q31.gemm_layer.params.shift
    assert_near_ties(ours, other, exact, 2.0 ** -(shift + 1) + 2.0**-15)
    assert np.mean(ours != other) <= 2.0**-shift


def test_fully_connected() -> None:
    x, w = quantized((33, 40), 0.02, 120), quantized((17, 40), 0.01, 131)
    out = Scheme(0.11, 128)
    other = theirs("QLinearMatMul", {"a": x.values, **scheme_of(x, "a"), "b": w.values.T, **scheme_of(w, "b"),
                                     **scheme_of(out, "y")})
    np.testing.assert_array_equal(ops.fully_connected(x, w, out=out, requantization="fp32").values, other)
    layer = ops.FullyConnected(x.scheme, w, out=out)
    exact = layer.accumulators(x.values) * float(layer.scale) + 128
    assert_near_ties(layer(x).values, other, exact, 2.0 ** -(layer.gemm_layer.params.shift + 1) + 2.0**-15)


@pytest.mark.parametrize("name", ["s1", "s2_padded_adjusted", "grouped_d2"])
def test_deconvolution(name: str) -> None:
    options: dict[str, Any] = {"s1": {}, "s2_padded_adjusted": {"stride": 2, "padding": 1, "adjustment": 1},
                               "grouped_d2": {"groups": 2, "dilation": 2}}[name]
    groups, stride, pad = options.get("groups", 1), options.get("stride", 1), options.get("padding", 0)
    x, w = quantized((1, 5, 4, 6), 0.02, 120), quantized((6, 3, 3, 8 // groups), 0.01, 131)
    out = Scheme(0.12, 128)
    real = theirs("ConvTranspose", {"x": near(x.dequantize()), "w": near(w.dequantize())}, strides=[stride] * 2,
                  pads=[pad] * 4, output_padding=[options.get("adjustment", 0)] * 2,
                  dilations=[options.get("dilation", 1)] * 2, group=groups)
    exact = back(real).astype(np.float64) / 0.12 + 128
    other = np.clip(np.rint(exact), 0, 255).astype(np.uint8)
    assert_near_ties(ops.deconv2d(x, w, out=out, requantization="fp32", **options).values, other, exact, 2.0**-10)


def test_max_pooling() -> None:
    x = quantized((2, 9, 8, 19), 0.1, 3)
    for pool, stride, pad in ((2, 2, 0), (3, 2, 1), (3, 1, 1)):
        other = back(theirs("MaxPool", {"x": near(x.values)}, kernel_shape=[pool] * 2, strides=[stride] * 2,
                            pads=[pad] * 4))
        np.testing.assert_array_equal(ops.max_pool2d(x, pool=pool, stride=stride, padding=pad).values, other)


@pytest.mark.parametrize("channels", [3, 16])
def test_average_pooling(channels: int) -> None:
    x, out = quantized((2, 9, 8, channels), 0.1, 77), Scheme(0.07, 128)
    for pool, stride, pad in ((2, 2, 0), (3, 2, 1), (5, 1, 2)):
        other = theirs("QLinearAveragePool", {"x": x.values, **scheme_of(x, "x"), **scheme_of(out, "y")},
                       "com.microsoft", kernel_shape=[pool] * 2, strides=[stride] * 2, pads=[pad] * 4, channels_last=1,
                       count_include_pad=1)
        layer = ops.AvgPool2d(x.scheme, pool=pool, out=out, stride=stride, padding=pad)
        padded = np.pad(x.values.astype(int) - 77, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (pool, pool), (1, 2))[:, ::stride, ::stride]
        exact = windows.mean((-2, -1)) * (0.1 / 0.07) + 128
        assert_near_ties(layer(x).values, other, exact, 2.0**-12)


def test_global_average_pooling() -> None:
    x, out = quantized((3, 6, 7, 13), 0.1, 77), Scheme(0.01, 128)
    other = theirs("QLinearGlobalAveragePool", {"x": x.values, **scheme_of(x, "x"), **scheme_of(out, "y")},
                   "com.microsoft", channels_last=1).reshape(3, 13)
    exact = (x.values.astype(int) - 77).mean((1, 2)) * (0.1 / 0.01) + 128
    assert_near_ties(ops.global_avg_pool(x, out=out).values, other, exact, 2.0**-12)


def test_addition() -> None:
    a, b, out = quantized((4, 300), 0.1, 77), quantized((4, 300), 0.037, 200), Scheme(0.13, 100)
    other = theirs("QLinearAdd", {"a": a.values, **scheme_of(a, "a"), "b": b.values, **scheme_of(b, "b"),
                                  **scheme_of(out, "y")}, "com.microsoft")
    exact = ((a.values.astype(int) - 77) * 0.1 + (b.values.astype(int) - 200) * 0.037) / 0.13 + 100
    assert_near_ties(ops.add(a, b, out=out).values, other, exact, 2.0**-12)


def test_clamp() -> None:
    x = quantized((4, 300), 0.1, 77)
    other = theirs("Clip", {"x": x.values, "low": np.uint8(30), "high": np.uint8(200)})
    np.testing.assert_array_equal(ops.clamp(x, output_min=30, output_max=200).values, other)


EVERY = np.arange(256, dtype=np.uint8)


@pytest.mark.parametrize("scale", [0.01, 0.047, 0.3])
def test_sigmoid(scale: float) -> None:
    x = Quantized(EVERY, scale, 131)
    other = theirs("QLinearSigmoid", {"x": EVERY, **scheme_of(x, "x"), **scheme_of(Scheme(1 / 256), "y")},
                   "com.microsoft")
    exact = 256 / (1 + np.exp(-scale * (EVERY - 131.0)))
    assert_near_ties(ops.sigmoid(x).values, other, exact, 2.0**-10)


@pytest.mark.parametrize("slope", [0.01, 0.3])
def test_leaky_relu(slope: float) -> None:
    x, out = Quantized(EVERY, 0.1, 131), Scheme(0.083, 99)
    other = theirs("QLinearLeakyRelu", {"x": EVERY, **scheme_of(x, "x"), **scheme_of(out, "y")}, "com.microsoft",
                   alpha=slope)
    real = 0.1 * (EVERY - 131.0)
    exact = np.where(real < 0, real * slope, real) / 0.083 + 99
    assert_near_ties(ops.leaky_relu(x, slope=slope, out=out).values, other, exact, 2.0**-12)


def test_softargmax() -> None:
    x = quantized((20, 30), 0.047, 131)
    other = theirs("QLinearSoftmax", {"x": x.values, **scheme_of(x, "x"), **scheme_of(Scheme(1 / 256), "y")},
                   "com.microsoft", axis=-1, opset=13)
    e = np.exp(0.047 * (x.values.astype(float) - x.values.max(-1, keepdims=True)))
    assert_near_ties(ops.softargmax(x).values, other, 256 * e / e.sum(-1, keepdims=True), 2.0**-10)


def test_channel_shuffle() -> None:
    x = quantized((5, 24), 0.1, 3)
    other = theirs("Transpose", {"x": x.values.reshape(5, 4, 6)}, perm=[0, 2, 1]).reshape(5, 24)
    np.testing.assert_array_equal(ops.channel_shuffle(x, groups=4).values, other)
