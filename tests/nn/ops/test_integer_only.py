"""Products whose sums are kept, and 16x8: by Python's integers, on every backend, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.graph import Graph
from neonsim.nn.ops.arithmetics.integer_only import IntegerClamp, IntegerConv2d, IntegerMatmul, IntegerMaxPool2d
from neonsim.nn.ops.float32.unquantized import AccumulatorConv2d, AccumulatorMatmul
from neonsim.nn.ops.operator import Operator
from neonsim.quant.requant.int16x8 import reduce_scale
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType

BACKENDS = (EmulatedBackend("aarch32"), EmulatedBackend("aarch64"), NativeBackend())


def rows_by_python(x: Any, w: Any, bias: Any, low: int, high: int, bits: int) -> list[list[int]]:
    """Sums modulo 2**bits, then limits."""
    found = []
    for row in x.tolist():
        sums = [sum(a * b for a, b in zip(row, each, strict=True)) + int(c)
                for each, c in zip(w.tolist(), bias.tolist(), strict=True)]
        half = 1 << bits - 1
        found.append([min(max((one + half) % (2 * half) - half, low), high) for one in sums])
    return found


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize("limits", [pytest.param((None, None), marks=pytest.mark.nightly),
                                    pytest.param((0, None), marks=pytest.mark.nightly), (-5000, 900)])
def test_rows_by_pythons_integers(dtype: str, limits: tuple[int | None, int | None]) -> None:
    rng, info = np.random.default_rng(len(dtype)), np.iinfo(dtype)
    x = rng.integers(info.min, info.max, (5, 7), endpoint=True).astype(dtype)
    w = rng.integers(-128, 128, (11, 7)).astype(np.int8)
    sums = np.iinfo("int32" if dtype == "int8" else "int64")
    bias = rng.integers(sums.min, sums.max, 11)
    one = IntegerMatmul(dtype, w, bias, low=limits[0], high=limits[1])
    low, high = (end if given is None else given for given, end in zip(limits, (sums.min, sums.max), strict=True))
    wanted = rows_by_python(x, w, bias, int(low), int(high), sums.bits)
    assert one(x, backend="reference").tolist() == wanted
    graph = Graph("rows", (5, 7), dtype=dtype)
    graph.add_node("rows", one, "input")
    assert graph.plan("native").run(x).tolist() == wanted
    for backend in BACKENDS:
        assert one(x, backend=backend).tolist() == wanted, backend


@pytest.mark.parametrize(("shape", "w", "options"), [
    ((2, 6, 5, 6), (4, 3, 3, 3), {"groups": 2, "padding": ((1, 0), (2, 1)), "stride": (2, 1)}),
    pytest.param((1, 7, 7, 5), (5, 3, 2, 1), {"groups": 5, "dilation": 2, "padding": 1}, marks=pytest.mark.nightly),
    pytest.param((1, 3, 4, 9), (6, 1, 1, 9), {}, marks=pytest.mark.nightly),
])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_images_on_every_backend(dtype: str, shape: tuple[int, ...], w: tuple[int, ...], options: Any) -> None:
    """As one product a pixel, of windows that Python cuts out."""
    rng, info = np.random.default_rng(3), np.iinfo(dtype)
    x = rng.integers(info.min // 2, info.max // 2, shape, endpoint=True).astype(dtype)
    weights, bias = rng.integers(-127, 128, w).astype(np.int8), rng.integers(-999, 999, w[0])
    one = IntegerConv2d(dtype, weights, bias, **options)
    made = one.shape(shape)
    padded = np.pad(x, ((0, 0), *made.padding, (0, 0))).astype(object)
    depth, per_group = w[3], w[0] // options.get("groups", 1)
    wanted = np.zeros(one.output_shape(shape), object)
    for b, y, z, o in np.ndindex(wanted.shape):
        window = padded[b, y * made.stride[0]:, z * made.stride[1]:, o // per_group * depth:][
            :(w[1] - 1) * made.dilation[0] + 1:made.dilation[0], :(w[2] - 1) * made.dilation[1] + 1:made.dilation[1],
            :depth]
        wanted[b, y, z, o] = int((window * weights[o].astype(object)).sum()) + int(bias[o])
    half = 1 << np.iinfo(one.output_type.dtype).bits - 1
    wanted = (wanted + half) % (2 * half) - half
    graph = Graph("image", shape, dtype=dtype)
    graph.add_node("image", one, "input")
    assert np.array_equal(one(x, backend="reference"), wanted)
    assert np.array_equal(graph.plan("native").run(x, threads=2), wanted)
    for backend in BACKENDS:
        assert np.array_equal(one(x, backend=backend), wanted), backend


@pytest.mark.nightly
def test_16x8_by_pythons_integers() -> None:
    """bias, multiplier of 15 bits, one rounding, limits: for every result by itself."""
    rng = np.random.default_rng(1)
    x = Quantized(rng.integers(-32768, 32768, (3, 600)).astype(np.int16), 0.5)
    scales = np.array([0.5, 0.25, 1.0, 0.125, 2.0], np.float32)
    w = Quantized(rng.integers(-127, 128, (5, 600)).astype(np.int8), scales, axis=0)
    bias, out = rng.integers(-(1 << 26), 1 << 26, 5), Scheme(8192.0, 0, "int16")
    one = ops.FullyConnected(x.scheme, w, bias, out=out, output_min=-9000)
    wanted = []
    for row in x.values.tolist():
        for each, c, scale in zip(w.values.tolist(), bias.tolist(), scales.tolist(), strict=True):
            total = sum(a * b for a, b in zip(row, each, strict=True)) + c
            multiplier, shift = (int(part) for part in reduce_scale(0.5 * scale / 8192.0))
            wanted.append(min(max((total * multiplier + (1 << shift - 1)) >> shift, -9000), 32767))
    assert len(set(wanted)) > 9
    for backend in ("reference", *BACKENDS):
        assert one(x, backend=backend).values.reshape(-1).tolist() == wanted, backend


X16, W8 = Scheme(0.5, 0, "int16"), Quantized(np.ones((2, 3), np.int8), 0.5)
OUT16 = Scheme(4.0, 0, "int16")


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_weights_of_the_whole_type(backend: str) -> None:
    """Sums of 64 bits have room for -32768 * -128."""
    operator = ops.FullyConnected(X16, Quantized(np.full((2, 3), -128, np.int8), 0.5), out=Scheme(2.0**20, 0, "int16"))
    try:
        found = operator(X16.wrap(np.full((1, 3), -32768, np.int16)), backend=backend)
    except BackendError as problem:
        pytest.skip(str(problem))
    assert found.values.tolist() == [[3, 3]]        # 3 * 32768 * 128 / 2**22


@pytest.mark.parametrize(("given", "words"), [
    ({"x": Scheme(0.5, 3, "int16")}, "16x8 is symmetric, all zero points are 0; got x 3"),
    ({"x": Scheme(0.5, 0, "int8")}, "16x8 multiplies int16 by int8 weights to int16; got x of int8"),
    ({"out": Scheme(4.0, 0, "int8")}, "out of int8"),
    ({"bias": np.zeros(2, np.int32)}, r"bias must be int64 \[2\]"),
    ({"bias": np.array([0, 1 << 60])}, "sums of channel 1 can need 62 bits with int16 inputs; 16x8 takes 48"),
    ({"requantization": "fp32"}, "16x8 has one requantization, 's64'"),
    ({"out": Scheme(1e-4, 0, "int16")}, r"less than 2\*\*7"),
])
def test_what_16x8_refuses(given: dict[str, Any], words: str) -> None:
    options: dict[str, Any] = {"x": X16, "w": W8, "out": OUT16} | given
    with pytest.raises(BadArgument, match=words):
        ops.FullyConnected(options.pop("x"), options.pop("w"), options.pop("bias", None), **options)


def test_what_integers_refuse() -> None:
    with pytest.raises(BadArgument, match="x of integer-only product must be int8, int32, int64; got 'int16'"):
        IntegerMatmul("int16", np.ones((1, 1), np.int8))
    with pytest.raises(BadArgument, match="bias of integer-only product must lie within int32"):
        IntegerMatmul("int8", np.ones((1, 1), np.int8), np.array([1 << 40]))
    with pytest.raises(BadArgument, match="w of integer-only convolution must be int8"):
        IntegerConv2d("int8", np.ones((1, 1, 1, 1), np.int16))
    with pytest.raises(BadArgument, match="low <= high"):
        IntegerClamp("int32", 4, 3)
    with pytest.raises(BackendError, match="lowered by 'gemm' where the image is the matrix, else by 'im2col'"):
        IntegerConv2d("int8", np.ones((1, 1, 1, 1), np.int8)).plan((1, 2, 2, 1), backend="emulated",
                                                                   lowering="indirect")


def test_largest_and_limits() -> None:
    x = np.arange(-8, 8, dtype=np.int64).reshape(1, 4, 4, 1)
    assert IntegerMaxPool2d("int64", 3, stride=2, padding=1)(x).reshape(-1).tolist() == [-3, -1, 5, 7]
    assert IntegerClamp("int64", -2, 1 << 70)(x).min() == -2


@pytest.mark.parametrize("operator", [
    IntegerConv2d("int8", np.ones((1, 1, 1, 1), np.int8)), AccumulatorMatmul(TensorType("int8"), np.ones((1, 1)), 0),
    AccumulatorConv2d(TensorType("int8"), np.ones((1, 1, 1, 1)), 0, stride=1, padding=0, dilation=1)])
def test_a_tensor_without_axes_is_refused(operator: Operator) -> None:
    with pytest.raises(BadArgument, match=r"\[\]"):
        operator.output_shape(())
