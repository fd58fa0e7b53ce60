"""Whole operators on the emulated machine: every way in which tiles can be cut, tiles alone, refusals."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim.nn.backends.emulated as emulated
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, TracingJob, get
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.ops import FullyConnected, Plan
from neonsim.quant import Quantized, Scheme
from neonsim.ukernel import Kernel, kernel
from tests.tiers import every
from tests.work import calls

BACKEND = EmulatedBackend()
PRODUCTS = [k for c in ("qu8_gemm_q31", "qu8_gemm_xzp_q31") for k in BACKEND.kernels(c)]
every_kernel = pytest.mark.parametrize("name", PRODUCTS)


def _layer(m: int, n: int, k: int, seed: int = 0) -> tuple[FullyConnected, Quantized]:
    rng = np.random.default_rng((m, n, k, seed))
    x = Quantized(rng.integers(0, 256, (m, k), np.uint8), 1.0, 131)
    w = Quantized(rng.integers(0, 256, (n, k), np.uint8), 1.0, 117)
    bias = rng.integers(-1000, 1000, n).astype(np.int32)
    return FullyConnected(x.scheme, w, bias, out=Scheme(80.0 * np.sqrt(k), 128), output_min=3), x


def _run(layer: FullyConnected, x: Quantized, name: Any, **options: Any) -> tuple[Plan, np.ndarray]:
    plan = layer.plan(x.shape, backend=BACKEND, kernel=name, **options)
    return plan, plan.run(x).values


def test_it_keeps_the_protocol() -> None:
    assert isinstance(BACKEND, Backend)
    assert get("emulated").available() is None
    assert BACKEND.kernels("qu8_gemm_q31")[0].startswith("qu8_gemm_q31") and "aarch32" in BACKEND.kernels()[0]
    assert "aarch64" in EmulatedBackend("aarch64").kernels()[0]
    with pytest.raises(BadArgument, match="aarch32 or aarch64"):
        EmulatedBackend("thumb")


# Full tiles, rests of rows, of columns, of both, one by one, less than a tile, many.
SHAPES = [(8, 16, 16), (9, 16, 9), (8, 19, 15), (21, 13, 24), (1, 1, 1), (3, 5, 7), (33, 40, 64)]


@pytest.mark.parametrize(("name", "m", "n", "k"), every(8, ((name, *shape) for name in PRODUCTS for shape in SHAPES)))
def test_products_are_those_of_the_definition(name: str, m: int, n: int, k: int) -> None:
    layer, x = _layer(m, n, k)
    plan, values = _run(layer, x, name)
    assert name in plan.kernels and values.dtype == np.uint8
    np.testing.assert_array_equal(values, layer.reference(x.values))


@pytest.mark.parametrize("name", every(3, PRODUCTS))
def test_rows_may_be_further_apart_than_they_are_long(name: str) -> None:
    layer, x = _layer(10, 9, 17)
    plan, values = _run(layer, x, name, strides=[30], out_stride=12)
    assert plan.inputs[0].stride == 30 and plan.output.stride == 12
    np.testing.assert_array_equal(values, layer.reference(x.values))


@pytest.mark.parametrize(("name", "place"), every(3, itertools.product(PRODUCTS, ("first", "last"))))
def test_a_traced_tile_writes_what_the_whole_has_there(name: str, place: str) -> None:
    layer, x = _layer(21, 13, 19)
    plan, values = _run(layer, x, name)
    index = next(i for i, call in enumerate(plan.job.calls) if call.implementation.name == name)
    if place == "last":
        index = len(plan.job.calls) - 1
    assert isinstance(plan.loaded, TracingJob)
    plan.loaded.view("output")[...] = 77
    tile = plan.trace(index)
    written = np.array(sorted({int(a) - tile.base + b for a, n, s in zip(
        tile.trace.access_address, tile.trace.access_bytes, tile.trace.access_store, strict=True)
        if s and tile.base <= a < tile.base + values.size for b in range(int(n))}))
    assert written.size
    np.testing.assert_array_equal(tile.values[written], layer.reference(x.values).reshape(-1)[written])


def test_a_kernel_object_is_run_as_it_is(tmp_path: Path) -> None:
    original = kernel("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")
    copy = Kernel(original.name, tmp_path / original.path.name)
    copy.path.write_text(original.source.replace("vmin.u8", "vmax.u8"))
    layer, x = _layer(4, 8, 8)
    assert not np.array_equal(_run(layer, x, copy)[1], layer.reference(x.values))
    np.testing.assert_array_equal(_run(layer, x, original)[1], layer.reference(x.values))


def test_what_it_refuses() -> None:
    layer, x = _layer(4, 8, 8)
    with pytest.raises(BackendError, match="no kernel 'sgemm' for fully connected; it has qu8_gemm"):
        layer.plan(x.shape, backend=BACKEND, kernel="sgemm")
    with pytest.raises(BackendError, match="no kernel 'qu8_sumrows_4x__aarch32_neon'"):
        layer.plan(x.shape, backend=BACKEND, kernel=kernel("qu8_sumrows_4x__aarch32_neon"))
    other = FullyConnected(x.scheme, layer.w, layer.bias, out=Scheme(300.0), requantization="precise")
    with pytest.raises(BackendError, match="no kernels for uint8 operands with one scale and requantization 'precise'"):
        other.plan(x.shape, backend=BACKEND)
    with pytest.raises(BadArgument, match="call must be in"):
        layer.plan(x.shape, backend=BACKEND).trace(7)
    with pytest.raises(BackendError, match="records no steps"):
        layer.plan(x.shape, backend="reference").trace()


@pytest.mark.parametrize(("given", "wanted"), [
    ({}, "aarch32"), ({"core": "cortex-a76"}, "aarch64"), ({"core": "a55"}, "aarch64"), ({"core": "a9"}, "aarch32"),
    ({"core": "cortex-a55r0"}, "aarch64"), ({"core": "a76", "isa": "aarch32"}, "aarch32"),
], ids=str)
def test_a_core_brings_its_instruction_set(given: dict[str, str], wanted: str) -> None:
    backend = EmulatedBackend(**given)
    assert backend.isa == wanted
    found = backend.find("qu8_gemm_q31")
    assert found and {implementation.isa for implementation in found} == {wanted}


def test_large_grids_run_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = _layer(23, 20, 8)
    monkeypatch.setattr(emulated, "TILES_AT_ONCE", 4)
    np.testing.assert_array_equal(_run(layer, x, None)[1], layer.reference(x.values))


@pytest.mark.parametrize("name", every(3, PRODUCTS))
def test_tiles_are_calculated_together(name: str) -> None:
    """As many calls of functions for many tiles as for few, step by step and in compiled code."""
    for depth in (16, 64):
        done = []
        for rows, columns in ((24, 32), (96, 64)):
            layer, x = _layer(rows, columns, depth)
            plan, values = _run(layer, x, name)
            np.testing.assert_array_equal(values, layer.reference(x.values))
            done.append(calls(partial(plan.run, x)))
        assert done[1] <= 1.1 * done[0]
