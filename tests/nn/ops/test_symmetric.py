"""int8 operators, uint8 with rndnu, broadcasting: exact bytes on every backend that has the kernels; refusals."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.quant import Quantized, Scheme
from neonsim.quant.reference.dynamic import quantize_rows
from tests.nn.operator_cases import OPERATORS, operator_cases
from tests.tiers import every

from .test_grid import backend_named

RNG = np.random.default_rng(3)
ONES = np.ones(2, np.float32)


# ---- definitions, from elsewhere

@pytest.mark.parametrize("operator", ["add", "subtract", "multiply"])
def test_broadcasting_is_numpys(operator: str) -> None:
    """Real numbers broadcast by numpy, within a rounding; shapes as numpy says."""
    for case in operator_cases(operator, "int8", 5):
        a, b = case.inputs
        y = OPERATORS[operator](a, b, backend="reference", **case.options)
        real = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}[operator](
            a.dequantize().astype(float), b.dequantize().astype(float))
        assert y.shape == real.shape == np.broadcast_shapes(a.shape, b.shape)
        out = case.options["out"]
        info = np.iinfo(out.dtype)
        low, high = case.options.get("output_min", info.min), case.options.get("output_max", info.max)
        exact = np.clip(real / out.scale + out.zero_point, low, high)
        assert np.abs(exact - y.values).max(initial=0) <= 0.52, case.name


def test_axes_are_merged() -> None:
    """Every way to broadcast walks over the elements that numpy takes."""
    for case in operator_cases("add", "int8", 2):
        a, b = case.inputs
        plan = ops.Add(a.scheme, b.scheme, out=case.options["out"]).plan(a.shape, b.shape, backend="reference")
        build = type("Build", (), {"inputs": plan.inputs, "output": plan.output})()
        axes = plan.operator.axes(build)  # type: ignore[attr-defined]
        index = np.indices(axes.shape).reshape(len(axes.shape), -1)
        for operand, steps in zip((*plan.inputs, plan.output), axes[1:], strict=True):
            places = np.arange(max(operand.nbytes, 1))
            view = np.lib.stride_tricks.as_strided(places, operand.shape, [8 * s for s in _strides(operand)])
            wanted = np.broadcast_to(view, plan.output.shape).reshape(-1)
            np.testing.assert_array_equal((np.array(steps)[:, None] * index).sum(axis=0), wanted)


def _strides(operand: Any) -> list[int]:
    found, step = [1], operand.stride
    for size in reversed(operand.shape[:-1]):
        found.insert(0, step)
        step *= size
    return found


def test_a_per_channel_layer_is_many_layers() -> None:
    x = Quantized(RNG.integers(-128, 128, (1, 4, 4, 5), dtype=np.int8), 0.1, -9)
    w = Quantized(RNG.integers(-127, 128, (5, 2, 2, 3), dtype=np.int8), np.array([0.1, 0.02, 1.5], "f4"), axis=3)
    y = ops.deconv2d(x, w, out=Scheme(8.0, 1, "int8"), stride=2, requantization="fp32", backend="reference")
    for i, scale in enumerate(np.asarray(w.scale)):
        one = Quantized(np.ascontiguousarray(w.values[..., i:i + 1]), float(scale))
        alone = ops.deconv2d(x, one, out=Scheme(8.0, 1, "int8"), stride=2, requantization="fp32", backend="reference")
        np.testing.assert_array_equal(y.values[..., i], alone.values[..., 0])


@pytest.mark.nightly
def test_phases_multiply_no_zeros() -> None:
    """Products of a strided deconvolution: by phases about stride * stride times fewer (D07, X44)."""
    x, w = Scheme(1.0, 3, "int8"), Quantized(RNG.integers(-127, 128, (8, 4, 4, 16), dtype=np.int8), 1.0)
    layer = ops.Deconv2d(x, w, out=Scheme(900.0, 0, "int8"), stride=2, requantization="rndnu")
    backend = EmulatedBackend("aarch64")
    try:
        plans = {name: layer.plan((1, 6, 6, 8), backend=backend, lowering=name) for name in ("indirect",
                                                                                         "subconvolution")}
    except BackendError as problem:
        pytest.skip(str(problem))
    def macs_of(call: Any) -> int:
        return int(call.tiles * math.prod(call.arguments[size] for size in ("mr", "nc", "kc", "ks")))

    macs = {name: sum(map(macs_of, plan.job.calls)) for name, plan in plans.items()}
    assert macs["indirect"] / macs["subconvolution"] == 4
    assert "phase (1, 1)" in plans["subconvolution"].explain()


# ---- dynamic rows

@pytest.mark.parametrize("backend", ["native", "aarch32", "aarch64"])
def test_dynamic_rows(backend: str) -> None:
    chosen = backend_named(backend)
    for m, n, k, axis in ((1, 1, 1, None), (5, 18, 33, 0), (9, 40, 70, 0), (2, 7, 5, None)):
        scale = RNG.uniform(0.01, 0.1, n).astype(np.float32) if axis == 0 else 0.03
        w = Quantized(RNG.integers(-127, 128, (n, k), dtype=np.int8), scale, axis=axis)
        x, bias = RNG.normal(size=(m, k)) * 10.0 ** RNG.integers(-3, 4, (m, 1)), RNG.normal(size=n)
        limits: dict[str, Any] = {} if n < 18 else {"output_min": -1.0, "output_max": 2.5}
        judge = ops.dynamic_fully_connected(x, w, bias, backend="reference", **limits)
        try:
            found = ops.dynamic_fully_connected(x, w, bias, backend=chosen, **limits)
        except BackendError as problem:
            pytest.skip(str(problem))
        np.testing.assert_array_equal(found, judge)
        assert found.dtype == np.float32 and found.backend == chosen.name and "qd8" in str(found.kernel)
        # Near the real product: every row is off by half a step of its own.
        exact = x @ w.dequantize().T.astype(float) + bias
        step = (x.max(1, initial=0) - x.min(1, initial=0)) / 255
        slack = np.abs(w.dequantize()).sum(1)[None, :] * step[:, None] * 0.51 + 1e-4 * (1 + np.abs(exact))
        if not limits:
            assert (np.abs(judge - exact) <= slack).all()


@pytest.mark.nightly
@pytest.mark.parametrize("backend", ["native", "aarch32", "aarch64"])
def test_dynamic_images(backend: str) -> None:
    chosen = backend_named(backend)
    # (image, out, window, options): several images, whose zero points differ, and taps outside of them.
    cases: Any = (
        ((2, 4, 5, 3), 5, (3, 3), {"padding": 1}),
        ((3, 5, 4, 6), 18, (2, 3), {"stride": (2, 1), "padding": ((1, 0), (0, 2)), "groups": 2}),
        ((1, 6, 6, 9), 3, (3, 2), {"dilation": 2, "output_min": -1.0, "output_max": 9.0}),
        ((2, 2, 3, 17), 33, (1, 1), {}))
    for x_shape, out, kernel, options in cases:
        groups = options.get("groups", 1)
        w = Quantized(RNG.integers(-127, 128, (out, *kernel, x_shape[3] // groups), dtype=np.int8),
                      RNG.uniform(0.01, 0.1, out).astype(np.float32), axis=0)
        x = RNG.normal(1, 1, x_shape) * 10.0 ** RNG.integers(-2, 3, (x_shape[0], 1, 1, 1))
        x[-1] -= x[-1].max()        # one image of negative numbers, its zero point at the other end
        bias = RNG.normal(size=out)
        judge = ops.dynamic_conv2d(x, w, bias, backend="reference", **options)
        try:
            found = ops.dynamic_conv2d(x, w, bias, backend=chosen, **options)
        except BackendError as problem:
            pytest.skip(str(problem))
        np.testing.assert_array_equal(found, judge)
        assert found.dtype == np.float32 and found.backend == chosen.name and "qd8_f32_qc8w_igemm" in str(found.kernel)


def test_a_dynamic_convolution_is_the_product_of_its_windows() -> None:
    """By another way: the float image as it was quantised, taps gathered by hand, in real arithmetic."""
    x = RNG.normal(0.5, 1, (2, 4, 4, 3)).astype(np.float32)
    w = Quantized(RNG.integers(-127, 128, (4, 3, 3, 3), dtype=np.int8), 0.02)
    rows = quantize_rows(x.reshape(2, -1))
    real = np.pad(rows.dequantize().reshape(x.shape).astype(float), ((0, 0), (1, 1), (1, 1), (0, 0)))
    expected = np.zeros((2, 4, 4, 4))
    for y, z in np.ndindex(4, 4):
        expected[:, y, z] = np.tensordot(real[:, y:y + 3, z:z + 3], w.dequantize().astype(float),
                                         ((1, 2, 3), (1, 2, 3)))
    found = ops.dynamic_conv2d(x, w, padding=1, backend="reference")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("x", "w", "options", "words"), [
    (np.ones((2, 3, 3)), Quantized(np.ones((4, 1, 1, 3), np.int8), 1.0), {}, "batch, height, width, channels"),
    (np.ones((1, 3, 3, 2)), Quantized(np.ones((4, 1, 1, 3), np.int8), 1.0), {}, "x has 2 channels"),
    (np.ones((1, 3, 3, 2)), Quantized(np.ones((4, 2), np.int8), 1.0), {}, "w of a convolution must be"),
    (np.ones((1, 3, 3, 2)), Quantized(np.ones((3, 1, 1, 1), np.int8), 1.0), {"groups": 2}, "groups=2 does not divide"),
    (np.ones((1, 3, 3, 2)), Quantized(np.full((4, 1, 1, 2), -128, np.int8), 1.0), {}, "w has -128"),
    (np.ones((1, 3, 3, 2)), Quantized(np.ones((4, 1, 1, 2), np.int8), ONES, axis=3), {}, "got axis 3"),
    (np.full((1, 3, 3, 2), np.inf), Quantized(np.ones((4, 1, 1, 2), np.int8), 1.0), {}, "must be finite"),
    (np.ones((1, 3, 3, 2)), Quantized(np.ones((4, 4, 1, 2), np.int8), 1.0), {}, "no output pixel is left"),
])
def test_refusals_of_dynamic_convolutions(x: Any, w: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        ops.dynamic_conv2d(x, w, **options)


@pytest.mark.parametrize(("x", "w", "options", "words"), [
    (np.ones((2, 3)), Quantized(np.ones((4, 5), np.int8), 1.0), {}, "do not match"),
    (np.ones((2, 5)), Quantized(np.ones((4, 5), np.uint8), 1.0), {}, "must be int8"),
    (np.ones((2, 5)), Quantized(np.full((4, 5), -128, np.int8), 1.0), {}, "w has -128"),
    (np.ones((2, 5)), Quantized(np.ones((4, 5), np.int8), 1.0, 3), {}, "zero point 3"),
    (np.full((2, 5), np.nan), Quantized(np.ones((4, 5), np.int8), 1.0), {}, "must be finite"),
    (np.ones((2, 5)), Quantized(np.ones((4, 5), np.int8), 1.0), {"bias": np.ones(3)}, "bias must be float32"),
    (np.ones((2, 5)), Quantized(np.ones((4, 5), np.int8), 1.0), {"output_min": 1.0, "output_max": 0.0}, "every value"),
])
def test_dynamic_refusals(x: Any, w: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        ops.dynamic_fully_connected(x, w, **options)


# ---- refusals

def q(*shape: int, dtype: str = "int8", zero: int = 0, scale: float = 0.5) -> Quantized:
    return Quantized(np.ones(shape, dtype), scale, zero)


OUT = Scheme(4.0, 3, "int8")
LOW = Quantized(np.array([[1, -128], [3, 4]], np.int8), 0.5)
REFUSALS: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any], str]] = {
    "x_uint8": (ops.fully_connected, (q(2, 2, dtype="uint8"), q(2, 2)), {"out": OUT}, "x is uint8, w is int8"),
    "out_uint8": (ops.conv2d, (q(1, 2, 2, 2), q(2, 1, 1, 2)), {"out": Scheme(4.0)}, "out is uint8: operands"),
    "weight_-128": (ops.fully_connected, (q(2, 2), LOW), {"out": OUT}, "w has -128 at [0, 1]"),
    "weight_zero_point": (ops.fully_connected, (q(2, 2), q(2, 2, zero=3)), {"out": OUT}, "w is int8 with zero point 3"),
    "scale_256": (ops.fully_connected, (q(2, 2), q(2, 2, scale=1e4)), {"out": OUT}, "takes 2**-32 <= scale < 256"),
    "scale_low": (ops.fully_connected, (q(2, 2, scale=1e-10), q(2, 2)), {"out": OUT}, "takes 2**-32 <= scale < 256"),
    "scale_of_channel": (ops.fully_connected,
                         (q(2, 2), Quantized(np.ones((2, 2), np.int8), np.array([0.5, 1e5]), axis=0)),
                         {"out": OUT, "requantization": "fp32"}, "at channel 1"),
    "axis_of_weights": (ops.conv2d, (q(1, 2, 2, 2), Quantized(np.ones((2, 1, 1, 2), np.int8), ONES, axis=3)),
                        {"out": OUT, "requantization": "fp32"}, "w has its scales along axis 3"),
    "axis_of_deconv": (ops.deconv2d, (q(1, 2, 2, 2), Quantized(np.ones((2, 1, 1, 2), np.int8), ONES, axis=0)),
                       {"out": OUT, "requantization": "fp32"}, "axis=3"),
    "groups_of_deconv": (ops.deconv2d, (q(1, 2, 2, 2), Quantized(np.ones((2, 1, 1, 2), np.int8), ONES, axis=3)),
                         {"out": OUT, "groups": 2}, "in groups has one scale"),
    "scales_count": (Quantized, (np.ones((3, 2), np.int8), np.ones(2)), {"axis": 0}, "there are 2 scales for axis 0"),
    "axis_of_x": (ops.fully_connected, (Quantized(np.ones((2, 2), np.int8), ONES, axis=0), q(2, 2)),
                  {"out": OUT}, "only weights may"),
    "broadcast": (ops.add, (q(3, 4), q(3, 5)), {"out": OUT}, "axis -1 has 4 and 5"),
    "broadcast_deep": (ops.multiply, (q(2, 1, 4), q(3, 1, 1)), {"out": OUT}, "axis -3 has 2 and 3"),
    "rank": (ops.add, (q(1, 1, 1, 1, 1, 1, 2), q(2)), {"out": OUT}, "a has 7 dimensions"),
    "add_mixture": (ops.add, (q(2), q(2, dtype="uint8")), {"out": OUT}, "a is int8, b is uint8"),
    "add_ratio": (ops.add, (q(2), q(2, scale=0.001)), {"out": OUT}, "in [2**-10, 2**8)"),
    "sub_ratio": (ops.subtract, (q(2, scale=2000.0), q(2)), {"out": OUT}, "in [2**-10, 2**8)"),
    "mul_scale": (ops.multiply, (q(2, scale=1e-4), q(2, scale=1e-3)), {"out": OUT}, "in [2**-16, 2**8)"),
    "mul_scheme": (ops.multiply, (q(2), q(2)), {"out": OUT, "requantization": "q31"},
                   "'fp32', 'rndnu', 'gemmlowp' or 'onnxruntime'"),
    "add_limits": (ops.add, (q(2), q(2)), {"out": OUT, "output_min": 4, "output_max": 4}, "must be less than"),
    "add_empty": (ops.add, (q(2, 0), q(1)), {"out": OUT}, "at least one channel"),
    "leaky_clamp": (ops.leaky_relu, (q(2),), {"out": OUT, "slope": 0.1, "output_min": 0}, "no clamp"),
    "leaky_mixture": (ops.leaky_relu, (q(2),), {"out": Scheme(1.0), "slope": 0.1}, "out must be int8"),
    "convert_ratio": (ops.convert, (q(2, scale=1000.0),), {"out": OUT}, "2**-8 up to 2**7"),
    "tanh_out": (ops.tanh, (q(2),), {"out": Scheme(1 / 256, 0, "int8")}, "steps of 1/128 from 0"),
    "sigmoid_out": (ops.sigmoid, (q(2),), {"out": Scheme(1 / 256, 0, "int8")}, "steps of 1/256 from -128"),
    "pad_amounts": (ops.pad, (q(2, 2),), {"amounts": (1, 2, 3)}, "each of the 2 axes"),
    "pad_negative": (ops.pad, (q(2, 2),), {"amounts": -1}, "before axis 0 must be in"),
    "pad_value": (ops.pad, (q(2, 2),), {"amounts": 1, "value": 128}, "value must be in -128"),
    "softargmax_out": (ops.softargmax, (q(2, 2),), {"out": Scheme(1 / 256, 0, "int8")}, "from -128"),
    "avg_pool": (ops.avg_pool2d, (q(1, 4, 4, 2),), {"pool": 2, "out": Scheme(4.0)}, "out must be int8"),
    "avg_pool_ratio": (ops.avg_pool2d, (q(1, 4, 4, 2, scale=2000.0),), {"pool": 2, "out": OUT}, "in [2**-8, 2**8)"),
    "lowering": (ops.deconv2d, (q(1, 2, 2, 2), q(2, 2, 2, 2)), {"out": OUT, "lowering": "magic"},
                 "indirect or subconvolution"),
}


@pytest.mark.parametrize("backend", ["reference", "emulated"])
@pytest.mark.parametrize("name", REFUSALS)
def test_refused(name: str, backend: str) -> None:
    operator, inputs, options, words = REFUSALS[name]
    if operator in (ops.fully_connected, ops.conv2d, ops.deconv2d):
        options = {"requantization": "rndnu", **options}
    with pytest.raises(BadArgument, match=re.escape(words)):
        operator(*inputs, **options) if operator is Quantized else operator(*inputs, backend=backend, **options)


def test_no_kernel_is_said_clearly() -> None:
    x, w = q(2, 2), Quantized(np.ones((2, 2), np.int8), ONES, axis=0)
    with pytest.raises(BackendError, match="int8 operands with one scale per channel and requantization 'rndnu'"):
        ops.fully_connected(x, w, out=OUT, requantization="rndnu", backend="emulated")
    # By itself the reference takes over, and says so.
    y = ops.fully_connected(x, w, out=OUT, requantization="rndnu")
    assert y.backend == "reference"


def test_other_requantizations_take_any_int8_weights() -> None:
    y = ops.fully_connected(q(2, 2), LOW, out=OUT, requantization="precise", backend="reference")
    assert y.values.dtype == np.int8


def depthwise(channels: int, taps: int, **scale: Any) -> tuple[Quantized, Quantized, dict[str, Any]]:
    x = Quantized(RNG.integers(-128, 128, (2, 7, 6, channels), dtype=np.int8), 1.0, 5)
    w = Quantized(RNG.integers(-127, 128, (channels, taps, taps, 1), dtype=np.int8), **(scale or {"scale": 1.0}))
    return x, w, {"out": Scheme(900.0, -3, "int8"), "padding": 1, "groups": channels,
                  "requantization": "fp32" if scale else "rndnu"}


@pytest.mark.parametrize(("backend", "taps", "scheme"), every(5, [
    (backend, *one) for one in ((3, "rndnu"), (5, "rndnu"), (3, "fp32"), (3, "qc8w"))
    for backend in ("native", "aarch32", "aarch64")]))
def test_channels_by_themselves(backend: str, taps: int, scheme: str) -> None:
    """Two images through one table of pointers; the same bytes through a product for every channel."""
    given = {"scale": np.linspace(0.5, 2, 11), "axis": 0} if scheme == "qc8w" else {}
    x, w, options = depthwise(11, taps, **given)
    if scheme == "fp32":        # one scale, which the kernels of many take for every channel
        options["requantization"] = "fp32"
    contract = "qs8_dwconv_rndnu" if scheme == "rndnu" else "qs8_qc8w_dwconv_fp32"
    chosen = backend_named(backend)
    expected = ops.conv2d(x, w, backend="reference", **options)
    found = ops.conv2d(x, w, backend=chosen, **options)
    assert str(found.kernel).startswith(contract)
    assert np.array_equal(found.values, expected.values)
    through = ops.conv2d(x, w, backend=chosen, lowering="indirect", **options)
    assert "igemm" in str(through.kernel)
    assert np.array_equal(through.values, expected.values)


def test_what_depthwise_kernels_do_not_take() -> None:
    x, w, options = depthwise(4, 3)
    with pytest.raises(BackendError, match="takes 25 taps, this window has 9"):
        ops.conv2d(x, w, kernel="qs8_dwconv_rndnu_8x25__aarch64_neon_mla8", backend="emulated", **options)
    u = Quantized(x.values.view(np.uint8), 1.0), Quantized(w.values.view(np.uint8), 1.0)
    with pytest.raises(BackendError, match="no depthwise kernels for qu8 operands requantised so"):
        ops.conv2d(*u, backend="emulated", lowering="depthwise", **{**options, "out": Scheme(900.0)})
    with pytest.raises(BackendError, match="and 1 taps"):
        ops.conv2d(x, Quantized(w.values[:, :1, :1], 1.0), backend="emulated", lowering="depthwise", **options)


def test_a_table_may_be_asked_for() -> None:
    x, out = q(2, 9, zero=3), Scheme(0.7, -2, "int8")
    own, table = (ops.convert(x, out=out, backend="emulated", kernel=k) for k in (None, "x8_lut_4x__aarch32_ldrb"))
    assert (own.kernel, table.kernel) == ("qs8_vcvt_16x__aarch32_neon", "x8_lut_4x__aarch32_ldrb")
    assert np.array_equal(own.values, table.values)
