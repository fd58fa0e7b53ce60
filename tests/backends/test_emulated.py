"""Whole products on the emulated machine: every kernel, every way in which tiles can be cut, refusals."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim.backends.emulated as emulated
from neonsim.backends import Backend, TracingBackend, get
from neonsim.backends.emulated import EmulatedBackend
from neonsim.errors import BackendError, BadArgument
from neonsim.quant import Q31Params, Quantized, Scheme, SchemeParams, quantized_matmul
from neonsim.ukernel import Kernel, kernel

BACKEND = EmulatedBackend()
every_kernel = pytest.mark.parametrize("name", BACKEND.kernels())


def _product(m: int, n: int, k: int, seed: int = 0) -> tuple[Any, Any, Any, Q31Params]:
    rng = np.random.default_rng((m, n, k, seed))
    params = Q31Params(3 << 29, int(np.log2(np.sqrt(k) * 80)), 131, 117, output_zero_point=128, output_min=3)
    return (rng.integers(0, 256, (m, k), np.uint8), rng.integers(0, 256, (n, k), np.uint8),
            rng.integers(-1000, 1000, n).astype(np.int32), params)


def test_it_keeps_both_protocols() -> None:
    assert isinstance(BACKEND, Backend)
    assert isinstance(BACKEND, TracingBackend)
    assert get("emulated").available() is None
    assert BACKEND.kernels()[0] == "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"


@pytest.mark.parametrize(("m", "n", "k"), [
    pytest.param(8, 16, 16, id="full_tiles"), pytest.param(9, 16, 9, id="rest_of_rows"),
    pytest.param(8, 19, 15, id="rest_of_columns"), pytest.param(21, 13, 24, id="both_rests"),
    pytest.param(1, 1, 1, id="one_by_one"), pytest.param(3, 5, 7, id="less_than_a_tile"),
    pytest.param(33, 40, 64, id="many_tiles")])
@every_kernel
def test_products_are_those_of_the_definition(name: str, m: int, n: int, k: int) -> None:
    a, w, bias, params = _product(m, n, k)
    result = BACKEND.gemm(a, BACKEND.pack(w, bias, params, name), params, kernel=name)
    assert result.kernel == name
    assert result.values.dtype == np.uint8
    assert np.array_equal(result.values, quantized_matmul(a, w.T, bias, params))


@every_kernel
def test_rows_may_be_further_apart_than_they_are_long(name: str) -> None:
    wide, w, bias, params = _product(10, 9, 30)
    a, w = wide[:, 3:20], w[:, 3:20]
    result = BACKEND.gemm(a, BACKEND.pack(w, bias, params, name), params, kernel=name)
    assert np.array_equal(result.values, quantized_matmul(a, w.T, bias, params))


@pytest.mark.parametrize(("row", "column"), [(0, 0), (5, 9), (20, 12)], ids=["full", "inner", "corner"])
@every_kernel
def test_a_traced_tile_writes_what_the_product_has_there(name: str, row: int, column: int) -> None:
    a, w, bias, params = _product(21, 13, 19)
    packed = BACKEND.pack(w, bias, params, name)
    whole = BACKEND.gemm(a, packed, params, kernel=name).values
    tile = BACKEND.trace_tile(a, packed, params, row=row, column=column, kernel=name)
    assert tile.row <= row < tile.row + tile.rows
    assert tile.column <= column < tile.column + tile.columns
    assert np.array_equal(tile.values, whole[tile.row:tile.row + tile.rows, tile.column:tile.column + tile.columns])
    trace = tile.trace
    stores = np.asarray(trace.access_store, bool)
    byte = tile.address + (row - tile.row) * tile.row_stride + column - tile.column
    reached = (trace.access_address <= byte) & (byte < trace.access_address + trace.access_bytes) & stores
    assert reached.any()


def test_a_kernel_object_is_run_as_it_is(tmp_path: Path) -> None:
    original = kernel(BACKEND.kernels()[0])
    copy = Kernel(original.name, tmp_path / original.path.name)
    copy.path.write_text(original.source.replace("    vmin.u8     q8, q8, q1\n", ""))
    a, w, bias, params = _product(4, 8, 8)
    params = Q31Params(params.multiplier, 2, 131, 117, 128, 0, 100)
    packed = BACKEND.pack(w, bias, params, copy)
    assert BACKEND.gemm(a, packed, params, kernel=original).values.max() <= 100
    assert BACKEND.gemm(a, packed, params, kernel=copy).values.max() > 100


def test_run_of_a_kernel_takes_and_gives_quantized() -> None:
    rng = np.random.default_rng(1)
    x = Quantized(rng.integers(0, 256, (5, 12), np.uint8), scale=0.5, zero_point=127)
    w = Quantized(rng.integers(0, 256, (9, 12), np.uint8), scale=0.25, zero_point=100)
    bias = rng.integers(-100, 100, 9).astype(np.int32)
    out = Scheme(scale=90.0, zero_point=120)
    results = [kernel(name).run(x, w, bias, out=out).values for name in BACKEND.kernels()]
    results.append(kernel(BACKEND.kernels()[0]).run(x, w, bias, out=out, backend="reference").values)
    assert all(np.array_equal(r, results[0]) for r in results)


def test_refusals() -> None:
    a, w, bias, params = _product(4, 8, 8)
    swizzled = "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"
    with pytest.raises(BackendError, match="no kernel 'sgemm'"):
        BACKEND.pack(w, bias, params, "sgemm")
    with pytest.raises(BackendError, match="no kernel 'qu8_sumrows_4x__aarch32_neon'"):
        BACKEND.pack(w, bias, params, kernel("qu8_sumrows_4x__aarch32_neon"))
    other = SchemeParams("rndnu", 0.01, a_zero_point=0, w_zero_point=0, output_zero_point=0, output_min=0,
                         output_max=255, dtype="uint8")
    with pytest.raises(BackendError, match="reference"):
        BACKEND.pack(w, bias, other)
    packed = BACKEND.pack(w, bias, params)
    with pytest.raises(BackendError, match="packed for nr 8, kr 1, sr 1"):
        BACKEND.gemm(a, packed, params, kernel=swizzled)
    with pytest.raises(BackendError, match="zero points 131 and 117"):
        BACKEND.gemm(a, packed, Q31Params(3 << 29, 9, 1, 117, 0))
    with pytest.raises(BadArgument, match=r"uint8 \[m, 8\]"):
        BACKEND.gemm(a[:, :7], packed, params)
    with pytest.raises(BadArgument, match="row"):
        BACKEND.trace_tile(a, packed, params, row=4, column=0)


def test_row_sums_must_exist_for_the_instruction_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated, "kernels", lambda **_: ())
    with pytest.raises(BackendError, match="needs row sums"):
        emulated._row_sums_kernel(kernel("qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"))


@pytest.mark.full
@every_kernel
def test_a_layer_of_mobilenet_takes_half_a_second(name: str) -> None:
    a, w, bias, params = _product(196, 512, 512)
    packed = BACKEND.pack(w, bias, params, name)
    times = []
    for _ in range(3):
        start = time.process_time()
        values = BACKEND.gemm(a, packed, params, kernel=name).values
        times.append(time.process_time() - start)
    assert np.array_equal(values, quantized_matmul(a, w.T, bias, params))
    assert min(times) <= 0.5, f"{name}: {min(times):.2f} s of processor time"
