"""Int8 and its relatives, misused: for every operator what a newcomer tries, and the one sentence that answers.

Kinds of misuse: another type than the rest, scales beyond what is taken (per channel too), weights of -128 or with a
zero point, scales along the wrong axis, shapes that do not fit, arrays that are no Quantized, options out of range.
Each answer names the operand, what it must be and what came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.quant import Quantized, Scheme
from tests.needs import needs_backend
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import BY_DEFINITION, functions, left_out


def q(*shape: int, scale: Any = 0.5, value: int = 1, dtype: str = "int8", **more: Any) -> Quantized:
    return Quantized(np.full(shape, value, dtype), scale, **more)


def per_channel(*shape: int, axis: int, worst: float = 0.1) -> Quantized:
    scales = np.full(shape[axis], 0.1)
    scales[-1] = worst
    return q(*shape, scale=scales, axis=axis)


IMAGE, OUT, UNSIGNED = q(1, 6, 6, 4), Scheme(4.0, 3, "int8"), Scheme(4.0, 3)
RNDNU, FP32 = {"out": OUT, "requantization": "rndnu"}, {"out": OUT, "requantization": "fp32"}
# Layers with weights: function, x, shape of w, the axis of its output channels, options.
LAYERS: dict[str, tuple[Callable[..., Any], Quantized, tuple[int, ...], int, dict[str, Any]]] = {
    "conv2d": (ops.conv2d, IMAGE, (8, 3, 3, 4), 0, {}),
    "depthwise": (ops.conv2d, IMAGE, (4, 3, 3, 1), 0, {"groups": 4}),
    "deconv2d": (ops.deconv2d, IMAGE, (4, 3, 3, 8), 3, {}),
    "fully_connected": (ops.fully_connected, q(2, 4), (3, 4), 0, {}),
}
BINARY: dict[str, tuple[Callable[..., Any], str]] = {
    "add": (ops.add, "addition"), "subtract": (ops.subtract, "subtraction"),
    "multiply": (ops.multiply, "multiplication")}
# One operand x: function, options, whether the result may be of another type.
UNARY: dict[str, tuple[Callable[..., Any], dict[str, Any], bool]] = {
    "max_pool2d": (ops.max_pool2d, {"pool": 2}, False), "avg_pool2d": (ops.avg_pool2d, {"pool": 2, "out": OUT}, False),
    "global_avg_pool": (ops.global_avg_pool, {"out": OUT}, False),
    "clamp": (ops.clamp, {"output_min": 0, "output_max": 9}, False), "sigmoid": (ops.sigmoid, {}, False),
    "tanh": (ops.tanh, {}, False), "convert": (ops.convert, {"out": OUT}, True),
    "leaky_relu": (ops.leaky_relu, {"out": OUT, "slope": 0.1}, False), "softargmax": (ops.softargmax, {}, False),
    "pad": (ops.pad, {"amounts": 1}, False), "copy": (ops.copy, {}, False),
    **{name: (getattr(ops, name), dict(each.options), False) for name, each in operator_files().items()}}
FLOATS = np.ones((1, 6, 6, 4), np.float32)
DYNAMIC: dict[str, tuple[Callable[..., Any], Any, tuple[int, ...]]] = {
    "dynamic_fully_connected": (ops.dynamic_fully_connected, FLOATS[0, 0], (3, 4)),
    "dynamic_conv2d": (ops.dynamic_conv2d, FLOATS, (8, 3, 3, 4))}

Misuse = tuple[Callable[[str], Any], str]


def layers() -> Iterator[tuple[str, Misuse]]:
    for name, (function, x, shape, axis, options) in LAYERS.items():
        def call(w: Any, given: dict[str, Any] = RNDNU, x: Any = x, bias: Any = None,
                 function: Callable[..., Any] = function, options: dict[str, Any] = options) -> Callable[[str], Any]:
            return lambda backend: function(x, w, bias, backend=backend, **options, **given)

        n, other = shape[axis], len(shape) - 1 - axis
        for scheme in (RNDNU, FP32):
            said = f"{name}_{scheme['requantization']}"
            if scheme is RNDNU:
                yield f"{said}_minus_128", (call(q(*shape, value=-128), scheme), "w has -128 at [0, ")
            yield f"{said}_weight_zero_point", (call(q(*shape, zero_point=3), scheme), "w is int8 with zero point 3")
            # Times 0.5 (x), over 4 (out): 256, and less than 2**-32.
            for scale in (2048.0, 2.0**-30):
                yield f"{said}_scale_{scale:g}", (call(q(*shape, scale=scale), scheme), "2**-32 <= scale < 256")
        for worst in (2048.0, 2.0**-30):
            yield f"{name}_channel_scale_{worst:g}", (
                call(per_channel(*shape, axis=axis, worst=worst), FP32), f"at channel {n - 1}; fp32")
        yield f"{name}_axis", (call(per_channel(*shape, axis=other), FP32),
                               f"w has its scales along axis {other}; weights have one scale per output channel")
        yield f"{name}_x_per_channel", (call(q(*shape), x=per_channel(*x.shape, axis=x.values.ndim - 1)),
                                        "x has one scale per channel")
        yield f"{name}_mixture_x", (call(q(*shape), x=q(*x.shape, dtype="uint8")), "x is uint8, w is int8, out is int8")
        yield f"{name}_mixture_w", (call(q(*shape, dtype="uint8")), "x is int8, w is uint8, out is int8")
        yield f"{name}_mixture_out", (call(q(*shape), {**RNDNU, "out": UNSIGNED}), "x is int8, w is int8, out is uint8")
        yield f"{name}_w_array", (call(np.ones(shape, np.int8)), "w must be a Quantized")
        yield f"{name}_w_list", (call([1, 2]), "w must be a Quantized")
        yield f"{name}_bias_list", (call(q(*shape), bias=[0] * n), f"bias must be int32 [{n}]")
        yield f"{name}_bias_short", (call(q(*shape), bias=np.zeros(n - 1, np.int32)), f"bias must be int32 [{n}]")
        yield f"{name}_out_float", (call(q(*shape), {**RNDNU, "out": 0.5}), "out must be a Scheme")
        yield f"{name}_min_beyond", (call(q(*shape), {**RNDNU, "output_min": -200}), "output_min of int8")
        yield f"{name}_min_float", (call(q(*shape), {**RNDNU, "output_min": 0.5}), "output_min of int8")


def binary() -> Iterator[tuple[str, Misuse]]:
    for name, (function, noun) in BINARY.items():
        def call(a: Any, b: Any, function: Callable[..., Any] = function, out: Any = OUT,
                 **options: Any) -> Callable[[str], Any]:
            return lambda backend: function(a, b, out=out, backend=backend, **options)

        yield f"{name}_mixture", (call(q(4), q(4, dtype="uint8")), f"and result of {noun} are all uint8 or all")
        yield f"{name}_mixture_out", (call(q(4), q(4), out=UNSIGNED), f"and result of {noun} are all uint8 or")
        yield f"{name}_shapes", (call(q(3, 4, 5), q(2, 1, 5)), "axis -3 has 3 and 2, and neither is 1")
        yield f"{name}_last_axis", (call(q(2, 4), q(2, 5)), "axis -1 has 4 and 5, and neither is 1")
        yield f"{name}_seven", (call(q(2, 1, 2, 1, 2, 1, 2), q(2)), "a has 7 dimensions; at most 6 are broadcast")
        yield f"{name}_no_channels", (call(q(4, 0), q(4, 0)), "a needs at least one channel")
        yield f"{name}_per_channel", (call(per_channel(2, 4, axis=1), q(2, 4)), "a has one scale per channel")
        yield f"{name}_number", (call(q(2, 4), 2.0), "b must be a Quantized")
        yield f"{name}_list", (call([1, 2], q(2, 4)), "a must be a Quantized")
        yield f"{name}_low", (call(q(4), q(4), out=Scheme(1e9, 0, "int8")), "it must be in [2**-1")
        yield f"{name}_high", (call(q(4, scale=1e4), q(4, scale=1e4), out=Scheme(1e-4, 0, "int8")), "2**8)")
        yield f"{name}_every_other", (call(Quantized(np.ones((2, 8), np.int8)[:, ::2], 0.5), q(2, 4)), "a is not")
        yield f"{name}_limits", (call(q(4), q(4), output_min=5, output_max=3), "greater than output_max 3")


def unary() -> Iterator[tuple[str, Misuse]]:
    for name, (function, options, other) in UNARY.items():
        def call(x: Any, function: Callable[..., Any] = function, options: dict[str, Any] = options,
                 **more: Any) -> Callable[[str], Any]:
            return lambda backend: function(x, backend=backend, **{**options, **more})

        yield f"{name}_array", (call(np.ones((1, 6, 6, 4), np.int8)), "x must be a Quantized")
        yield f"{name}_list", (call([1, 2]), "x must be a Quantized")
        yield f"{name}_none", (call(None), "x must be a Quantized")
        yield f"{name}_per_channel", (call(per_channel(1, 6, 6, 4, axis=3)), "x has one scale per channel (axis 3)")
        yield f"{name}_every_other", (call(Quantized(np.ones((1, 6, 6, 8), np.int8)[..., ::2], 0.5)), "not contiguous")
        yield f"{name}_turned_round", (call(Quantized(np.ones((2, 6, 6, 4), np.int8)[:, ::-1], 0.5)), "not contiguous")
        yield f"{name}_no_dimension", (call(Quantized(np.array(3, np.int8), 0.5)), "x ")
        if "out" in options:
            yield f"{name}_out_float", (call(IMAGE, out=0.5), "out must be a Scheme")
            yield f"{name}_ratio", (call(IMAGE, out=Scheme(1e9, 0, "int8")), "it must be in [2**-8, 2**8)")
            if not other:
                yield f"{name}_mixture", (call(IMAGE, out=UNSIGNED), "out must be int8; got uint8")


def dynamic() -> Iterator[tuple[str, Misuse]]:
    for name, (function, x, shape) in DYNAMIC.items():
        def call(x: Any, w: Any, bias: Any = None, function: Callable[..., Any] = function,
                 **options: Any) -> Callable[[str], Any]:
            return lambda backend: function(x, w, bias, backend=backend, **options)

        w = q(*shape)
        yield f"{name}_minus_128", (call(x, q(*shape, value=-128)), "w has -128 at [0, ")
        yield f"{name}_unsigned", (call(x, q(*shape, dtype="uint8")), "w must be int8 in -127..127")
        yield f"{name}_zero_point", (call(x, q(*shape, zero_point=3)), "zero point 0; got axis None, zero point 3")
        yield f"{name}_axis", (call(x, per_channel(*shape, axis=1)), "(axis=0), and zero point 0; got axis 1")
        yield f"{name}_quantized_x", (call(q(*x.shape), w), "layer has floating-point values; got a Quantized")
        yield f"{name}_bytes", (call(x.astype(np.int8), w), "has floating-point values; got int8")
        yield f"{name}_text", (call("abc", w), "has floating-point values, in an array; got str")
        yield f"{name}_ragged", (call([[1, 2], [3]], w), "has floating-point values, in an array; got list")
        yield f"{name}_nan", (call(x * np.nan, w), "rows to quantise must be finite")
        yield f"{name}_infinite", (call(x + np.inf, w), "rows to quantise must be finite")
        yield f"{name}_bias_int32", (call(x, w, np.zeros(shape[0], np.int32)), "bias of a dynamically quantised layer")
        yield f"{name}_bias_nan", (call(x, w, np.full(shape[0], np.nan)), "bias must be finite in float32")
        yield f"{name}_bias_short", (call(x, w, np.zeros(shape[0] - 1)), f"bias must be float32 [{shape[0]}]")
        yield f"{name}_limits", (call(x, w, output_min=2.0, output_max=1.0), "exclude every value")
        yield f"{name}_limit_nan", (call(x, w, output_min=np.nan), "exclude every value")


MISUSES: dict[str, Misuse] = dict([*layers(), *binary(), *unary(), *dynamic()])


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_every_misuse_gets_its_sentence(backend: str) -> None:
    needs_backend(backend)
    for name, (misuse, words) in MISUSES.items():
        with pytest.raises(BadArgument, match=re.escape(words)) as found:
            misuse(backend)
        said = str(found.value)
        assert "\n" not in said and len(said) < 450 and said[-1] in ".)]", f"{name}: {said}"


def test_every_operator_is_misused() -> None:
    listed = {*LAYERS, *BINARY, *UNARY, *DYNAMIC} - {"depthwise"}
    lost = left_out(listed, "LAYERS, BINARY, UNARY, DYNAMIC of tests/nn/ops/test_refusals_int8.py", functions(),
                    BY_DEFINITION)
    assert not lost, lost


@pytest.mark.parametrize("misuse", ["abc", [[1.0], [2.0, 3.0]], {}, Quantized(np.ones(2, np.int8), 0.5)])
def test_what_is_no_array_of_numbers_is_not_quantized(misuse: Any) -> None:
    with pytest.raises(BadArgument, match="quantize takes an array of floating-point values; got"):
        OUT.quantize(misuse)


@pytest.mark.parametrize("name", DYNAMIC)
def test_backends_and_kernels_that_are_not_there_are_refused_by_dynamic_layers(name: str) -> None:
    """By name, without one, and where there is nothing to compute."""
    function, x, shape = DYNAMIC[name]
    for backend in (None, "reference"):
        with pytest.raises(BackendError, match="kernel='nonsense' cannot apply"):
            function(x, q(*shape), backend=backend, kernel="nonsense")
    with pytest.raises(BadArgument, match="Unknown backend 'nonsense'"):
        function(x[:0], q(*shape), backend="nonsense")
    nothing = function(x[:0], q(*shape), backend="reference")
    assert nothing.shape[0] == 0 and nothing.backend == "reference"
