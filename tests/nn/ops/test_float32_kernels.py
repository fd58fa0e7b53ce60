"""Operators on float32 by their kernels: the bits of the definition on every backend, for both instruction sets.

Judges apart: the definitions of `quant.float32` (chains in numpy), and sums in float64 with the bound on what rounding
after every step may cost (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph, mobilenet_v1
from neonsim.nn.graph.plan.run import random_inputs
from neonsim.nn.ops.float32.operators import (
    BatchNorm,
    Float32Add,
    Float32AvgPool2d,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
    Float32LeakyRelu,
    Float32MaxPool2d,
    Float32Operator,
    Float32Softmax,
)

Reals = NDArray[np.float32]
BACKENDS: dict[str, Any] = {"aarch32": EmulatedBackend("aarch32"), "aarch64": EmulatedBackend("aarch64"),
                            "native": "native"}


def reals(*shape: int, seed: int = 0) -> Reals:
    return np.random.default_rng((seed, *shape)).normal(0, 1, shape).astype(np.float32)


IMAGE = reals(2, 6, 7, 11)
# Name -> operator, inputs, contracts of its kernels.
CASES: dict[str, tuple[Callable[[], Float32Operator], tuple[Reals, ...], str]] = {
    "fully connected": (lambda: Float32FullyConnected(reals(19, 11), reals(19), low=0.0), (reals(9, 11),), "f32_gemm"),
    "1x1": (lambda: Float32Conv2d(reals(17, 1, 1, 11), reals(17), low=0.0, high=6.0), (IMAGE,), "f32_gemm"),
    "3x3": (lambda: Float32Conv2d(reals(9, 3, 3, 11), reals(9), stride=2, padding=1), (IMAGE,), "f32_igemm"),
    "in groups, dilated": (lambda: Float32Conv2d(reals(6, 2, 3, 6), None, groups=2, padding=(1, 2), dilation=(1, 2)),
                           (reals(1, 5, 6, 12),), "f32_igemm"),
    "1x1 in groups": (lambda: Float32Conv2d(reals(6, 1, 1, 4), reals(6), groups=3), (reals(1, 3, 4, 12),), "f32_gemm"),
    "depthwise": (lambda: Float32Conv2d(reals(11, 3, 3, 1), reals(11), groups=11, padding=1, low=0.0), (IMAGE,),
                  "f32_dwconv"),
    "depthwise, stride, 1x9": (lambda: Float32Conv2d(reals(11, 1, 9, 1), reals(11), groups=11, padding=((0, 0), (4, 4)),
                                                     stride=(2, 1)), (IMAGE,), "f32_dwconv"),
    "depthwise 5x5": (lambda: Float32Conv2d(reals(3, 5, 5, 1), reals(3), groups=3, padding=2), (reals(1, 4, 4, 3),),
                      "f32_igemm"),
    "add": (lambda: Float32Add(low=0.0), (IMAGE, reals(*IMAGE.shape, seed=1)), "f32_vadd"),
    "add, pixels apart": (Float32Add, (reals(2, 6, 7, 20)[..., 3:14], IMAGE), "f32_vadd"),
    "clamp": (lambda: Float32Clamp(0.0, 1.0), (reals(3, 700),), "f32_clamp"),
    "max": (lambda: Float32MaxPool2d(3, stride=2, padding=1, high=0.5), (IMAGE,), "f32_maxpool"),
    "max, dilated": (lambda: Float32MaxPool2d(2, stride=1, padding=1, dilation=2), (IMAGE,), "f32_maxpool"),
    "average": (lambda: Float32AvgPool2d(3, stride=2, padding=1), (IMAGE,), "f32_avgpool"),
    "leaky ReLU": (lambda: Float32LeakyRelu(0.1), (IMAGE,), "f32_vlrelu"),
    "batch normalisation": (lambda: BatchNorm(reals(11), reals(11, seed=2)), (IMAGE,), "f32_vmulcaddc"),
    "softmax": (lambda: Float32Softmax(0.7), (reals(5, 37),), "f32_softmax"),
    "softmax, pixels apart": (Float32Softmax, (reals(2, 6, 7, 20)[..., 3:14],), "f32_softmax"),
    "global average": (Float32GlobalAvgPool, (IMAGE,), "f32_gavgpool"),
}


def same_bits(found: Any, wanted: Any) -> bool:
    return bool(np.array_equal(np.asarray(found).view(np.uint32), np.asarray(wanted).view(np.uint32)))


# Emulated every day: a product, a depthwise layer, a vector.
QUICK = {("add", "aarch64"), ("clamp", "aarch32"), ("global average", "aarch64"), ("1x1 in groups", "aarch32")}


@pytest.mark.parametrize(("name", "where"), [
    (name, where) if where == "native" or (name, where) in QUICK else
    pytest.param(name, where, marks=pytest.mark.nightly) for name in CASES for where in BACKENDS])
def test_kernels_have_the_bits_of_the_definition(name: str, where: str) -> None:
    if where == "native" and (missing := library.available()) is not None:
        pytest.skip(missing)
    make, inputs, contract = CASES[name]
    operator = make()
    plan = operator.plan(*(x.shape for x in inputs), backend=BACKENDS[where],
                         strides=[x.strides[-2] for x in inputs], lowering=None)
    assert {choice.contract for choice in plan.choices} == {contract}
    assert same_bits(plan.run(*inputs), operator(*inputs, backend="reference"))


def test_every_operator_has_cases() -> None:
    with_kernels = {type(make()) for make, _, _ in CASES.values()}
    here = {kind for kind in vars(__import__("neonsim.nn.ops.float32.operators", fromlist=["x"])).values()
            if isinstance(kind, type) and issubclass(kind, Float32Operator) and not kind.__name__.startswith("_")
            and kind is not Float32Operator and kind.__module__ == "neonsim.nn.ops.float32.operators"}
    assert here == with_kernels


def test_a_kernel_and_a_lowering_by_name() -> None:
    layer, x = Float32Conv2d(reals(5, 1, 1, 11), reals(5)), IMAGE
    wanted = layer(x, backend="reference")
    ways: list[dict[str, Any]] = [{"lowering": "indirect"}, {"kernel": "f32_igemm_6x8__aarch64_neon_fma_lane"}]
    for options in ways:
        plan = layer.plan(x.shape, backend="emulated", **options)
        assert plan.choices[0].contract == "f32_igemm" and same_bits(plan.run(x), wanted)
    with pytest.raises(BackendError, match="'depthwise' takes groups of one channel in and one out, and 9 taps"):
        layer.plan(x.shape, backend="emulated", lowering="depthwise")
    with pytest.raises(BadArgument, match="must be one of depthwise, gemm, indirect; got 'winograd'"):
        layer.plan(x.shape, backend="emulated", lowering="winograd")
    with pytest.raises(BackendError, match="no kernel 'u8_clamp_64x__aarch64_neon' for convolution"):
        layer.plan(x.shape, backend="emulated", kernel="u8_clamp_64x__aarch64_neon")
    with pytest.raises(BackendError, match="'gemm' takes a 1x1 window"):
        Float32Conv2d(reals(5, 3, 3, 11)).plan(x.shape, backend="emulated", lowering="gemm")


def test_a_window_without_a_pixel_is_left_to_the_definition() -> None:
    pool = Float32MaxPool2d(2, dilation=2, padding=1, stride=1)
    with pytest.raises(BackendError, match="a window is outside the image"):
        pool.plan((1, 1, 1, 4), backend="emulated")


@pytest.mark.parametrize("where", ["native", pytest.param("aarch64", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ["fully connected", "3x3", "depthwise", "global average", "average"])
def test_errors_against_double_precision_are_within_their_bound(name: str, where: str) -> None:
    """k fused steps, each off by half an ulp of what it gives: k * 2**-24 of the sum of magnitudes; sums likewise."""
    if where == "native" and (missing := library.available()) is not None:
        pytest.skip(missing)
    make, (x,), _ = CASES[name]
    operator = make()
    operator.low, operator.high = -np.inf, np.inf
    found = np.asarray(operator(x, backend=BACKENDS[where]), np.float64)

    def wide(values: Reals, weights: Any, bias: Any) -> NDArray[np.float64]:
        if isinstance(operator, Float32Conv2d):
            k, shape = operator.window, operator.shape(values.shape)
            padded = np.pad(values.astype(np.float64), ((0, 0), *shape.padding, (0, 0)))
            out = np.zeros((len(values), *shape.output, operator.outputs))
            for ky in range(k[0]):
                for kx in range(k[1]):
                    seen = padded[:, ky:ky + shape.stride[0] * (shape.output[0] - 1) + 1:shape.stride[0],
                                  kx:kx + shape.stride[1] * (shape.output[1] - 1) + 1:shape.stride[1]]
                    out += seen * weights[:, ky, kx, 0] if operator.is_depthwise else seen @ weights[:, ky, kx].T
            return out + bias
        return values.astype(np.float64) @ weights.T + bias

    if isinstance(operator, Float32Conv2d | Float32FullyConnected):
        exact = wide(x, operator.w.astype(np.float64), operator.bias.astype(np.float64))
        size = wide(np.abs(x), np.abs(operator.w).astype(np.float64), np.abs(operator.bias).astype(np.float64))
        steps = operator.w[0].size
    elif isinstance(operator, Float32GlobalAvgPool):
        exact, size = x.astype(np.float64).mean(axis=(1, 2)), np.abs(x).astype(np.float64).mean(axis=(1, 2))
        steps = x.shape[1] * x.shape[2] + 1
    else:
        ones = np.pad(np.ones(x.shape), ((0, 0), (1, 1), (1, 1), (0, 0)))
        image = np.pad(x.astype(np.float64), ((0, 0), (1, 1), (1, 1), (0, 0)))
        parts = [[a[:, ky:ky + 5:2, kx:kx + 7:2] for ky in range(3) for kx in range(3)]
                 for a in (image, np.abs(image), ones)]
        total, magnitude, count = (np.sum(part, axis=0) for part in parts)
        exact, size, steps = total / count, magnitude / count, 10
    error = np.abs(found - exact)
    assert (error <= 1.01 * steps * 2.0**-24 * size).all()
    assert error.max() > 0


def test_a_small_network_emulated() -> None:
    """A convolution, a depthwise one, a sum, a mean, a product; every tensor."""
    graph = Graph("small", (1, 4, 4, 3), dtype="float32")
    a = graph.add_node("a", Float32Conv2d(reals(4, 1, 1, 3), reals(4), low=0.0, high=6.0), "input")
    b = graph.add_node("b", Float32Conv2d(reals(4, 3, 3, 1), reals(4), padding=1, groups=4, low=0.0), a)
    c = graph.add_node("c", Float32Add(), a, b)
    d = graph.add_node("d", Float32GlobalAvgPool(), c)
    graph.finish(graph.add_node("e", Float32FullyConnected(reals(5, 4), reals(5)), d))
    x = random_inputs(graph)
    emulated, reference = graph.plan("emulated", isa="aarch64"), graph.plan("reference")
    assert same_bits(emulated.run(x), reference.run(x))
    assert all(same_bits(emulated.tensor(n.name), reference.tensor(n.name)) for n in graph.nodes)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch32", "aarch64"])
def test_mobilenet_v1_emulated_and_native(isa: str) -> None:
    """Width 0.25, 128 x 128, completely: every tensor."""
    graph = mobilenet_v1(0.25, 128, "f32")
    x = random_inputs(graph)
    plans = [graph.plan("emulated", isa=isa), graph.plan("native", operators=True), graph.plan("reference")]
    for plan in plans:
        plan.run(x)
    for node in graph.nodes:
        first, second, wanted = (plan.tensor(node.name) for plan in plans)
        assert same_bits(first, wanted) and same_bits(second, wanted), node.name
