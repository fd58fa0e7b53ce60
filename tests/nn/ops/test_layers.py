"""Products on the native backend take the kernels of whole networks, or say why not; the bytes are the same."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BackendError
from neonsim.nn import ops
from neonsim.nn.backends import get
from neonsim.nn.backends.native.backend import NativeBackend, NativeLayerJob
from neonsim.nn.ops import Conv2d, Deconv2d
from neonsim.quant import Quantized, Scheme
from tests.needs import needs_backend
from tests.nn.operator_cases import DTYPES, OPERATORS, operator_cases
from tests.work import calls

RNG = np.random.default_rng(4)
PRODUCTS = ("conv2d", "fully_connected")


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEONSIM_ISA", raising=False)
    needs_backend("native")


def layer(dtype: str = "uint8", **options: Any) -> tuple[Conv2d, Quantized]:
    """A pointwise layer of a MobileNet, 14x14x64 -> 64."""
    low, zero = (0, 127) if dtype == "uint8" else (-127, 0)
    values = RNG.integers(low, low + 255, (64, 1, 1, 64)).astype(dtype)
    x = Quantized(RNG.integers(low, low + 255, (1, 14, 14, 64)).astype(dtype), 1.0, zero + 3)
    return Conv2d(x.scheme, Quantized(values, 1.0, zero), out=Scheme(900.0, zero, dtype), **options), x


@pytest.mark.parametrize("operator", PRODUCTS)
def test_the_same_bytes(operator: str) -> None:
    """Cases of both types: windows, groups, strides, gaps between pixels, limits."""
    taken = 0
    for dtype in DTYPES:
        for case in list(operator_cases(operator, dtype, 3))[1::9]:
            expected = OPERATORS[operator](*case.inputs, backend="reference", **case.options)
            try:
                with ops.Plan.watching() as plans:
                    found = OPERATORS[operator](*case.inputs, backend="native", **case.options)
            except BackendError:
                continue        # no kernel either
            np.testing.assert_array_equal(found.values, expected.values, err_msg=case.name)
            taken += any(isinstance(plan.loaded, NativeLayerJob) for plan in plans)
    assert taken > 3


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_plans_run_again_and_in_threads(dtype: str) -> None:
    """Inputs from outside, inputs in the plan's memory, results into an array; nothing of the last run is left."""
    operator, x = layer(dtype, requantization="q31" if dtype == "uint8" else "fp32")
    plan = operator.plan(x.shape, backend="native")
    assert isinstance(plan.loaded, NativeLayerJob)
    for threads in (1, 3):
        x.values[...] = np.flip(x.values, axis=1)
        y = plan.run(x, threads=threads)
        np.testing.assert_array_equal(y.values, operator.reference(x.values))
        assert y.kernel == plan.loaded.family and y.backend == "native"
    plan.input[...] = x.values[:, ::-1]
    np.testing.assert_array_equal(plan.run().values, operator.reference(np.array(x.values[:, ::-1])))
    wide = np.zeros((1, 14, 14, 80), dtype)
    wide[..., 16:] = x.values
    out_array = np.full((1, 14, 14, 72), 9, dtype)
    operator(Quantized(wide[..., 16:], x.scale, x.zero_point), backend="native", out_array=out_array[..., :64])
    np.testing.assert_array_equal(out_array[..., :64], operator.reference(x.values))
    assert (out_array[..., 64:] == 9).all()


def test_it_says_which_and_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    operator, x = layer()
    assert "a conv layer; no kernel is asked for" in operator.explain(x.shape, backend="native")
    kernel = get("native").kernels("qu8_gemm_q31")[0]
    for plan in (operator.plan(x.shape, backend="native", kernel=kernel),
                 operator.plan(x.shape, backend="native", lowering="im2col")):
        assert plan.kernels and not plan.layer_refusal and not isinstance(plan.loaded, NativeLayerJob)
    other, _ = layer("int8", requantization="rndnu")
    said = other.explain(x.shape, backend="native")
    assert "tile by tile, not by the faster kernels of whole networks: its requantization is 'rndnu'" in said
    assert "qs8_gemm_rndnu" in said
    w = Quantized(RNG.integers(0, 256, (64, 3, 3, 8), dtype=np.uint8), 1.0, 127)
    up = Deconv2d(x.scheme, w, out=Scheme(900.0))
    assert "there is no layer for deconvolution\n" in up.explain(x.shape, backend="native")
    assert "layers=False" in operator.plan(x.shape, backend=NativeBackend(layers=False)).layer_refusal
    monkeypatch.setenv("NEONSIM_ISA", "scalar")
    plan = operator.plan(x.shape, backend="native")
    assert "NEONSIM_ISA" in plan.layer_refusal and plan.kernels


def test_an_operator_does_little_more_than_its_layer_of_a_network() -> None:
    """What is left between them is the copy of inputs and results: nothing is prepared, no other array is made."""
    from neonsim.nn.graph import Graph

    operator, x = layer()
    graph = Graph("one", x.shape, x.scheme)
    graph.add_node("layer", operator, "input")
    whole, plan = graph.finish("layer").plan("native"), operator.plan(x.shape, backend="native")

    def memory(run: Callable[[Quantized], object]) -> int:
        tracemalloc.start()
        try:
            run(x)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    np.testing.assert_array_equal(plan.run(x).values, ns.ops.conv2d(x, operator.w, out=operator.out,
                                                                    backend="native").values)
    assert calls(lambda: plan.run(x), most=600) > calls(lambda: whole.run(x)) > 0
    assert memory(plan.run) < memory(whole.run) + x.values.nbytes // 2


@pytest.mark.nightly
def test_int8_has_kernels_by_default() -> None:
    """What is left out is fp32 for int8: kernels, a native layer, also of a scale per channel; q31 for uint8."""
    for scale in ({"scale": 1.0}, {"scale": np.linspace(0.5, 1.5, 64), "axis": 0}):
        w = Quantized(RNG.integers(-127, 128, (64, 1, 1, 64), dtype=np.int8), **scale)
        x = Quantized(RNG.integers(-128, 128, (1, 3, 5, 64), dtype=np.int8), 1.0, -5)
        out = Scheme(900.0, 3, "int8")
        named = ops.conv2d(x, w, out=out, requantization="fp32", backend="reference")
        for backend in ("native", "emulated"):
            left = ops.conv2d(x, w, out=out, backend=backend)
            assert left.backend == backend and left.kernel
            np.testing.assert_array_equal(left.values, named.values)
    assert layer()[0].requantization == "q31" and layer("int8")[0].requantization == "fp32_lrint"
    with pytest.raises(ns.BadArgument, match=r"int8 weights are symmetric.*requantization 'precise' takes any"):
        ops.conv2d(x, Quantized(w.values, 1.0, 3), out=out)
