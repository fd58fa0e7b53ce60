"""The registry of backends, and the reference as one of them."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest

import neonsim.backends
import neonsim.backends.reference
from neonsim.backends import Backend, TracingBackend, backends, best, get, names
from neonsim.backends.reference import ReferenceBackend
from neonsim.errors import BackendError, BadArgument
from neonsim.quant import Q31Params, SchemeParams, accumulate

PARAMS = Q31Params.from_scale(0.01, a_zero_point=3, w_zero_point=5, output_zero_point=7)


class Missing(ReferenceBackend):
    """A backend that is not there."""

    name = "missing"

    def available(self) -> str | None:
        return "its library was never built; run the builder."


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A registry with three backends of our own in place of the real ones."""
    loaded: dict[str, Any] = {"native": Missing(), "reference": ReferenceBackend(), "emulated": ReferenceBackend()}
    monkeypatch.setattr(neonsim.backends, "_loaded", loaded)
    return loaded


def test_all_real_backends_keep_the_protocol() -> None:
    assert names() == ("emulated", "native", "reference")
    for name in names():
        backend = neonsim.backends._load(name)
        assert isinstance(backend, Backend) and backend.name == name
        assert isinstance(backend, TracingBackend) == (name == "emulated")
        assert backends()[name] == (backend.available() or "available")


def test_names_that_do_not_exist() -> None:
    with pytest.raises(BadArgument, match="There are emulated, native, reference"):
        get("gpu")
    with pytest.raises(BadArgument, match="got int"):
        get(3)  # type: ignore[arg-type]


def test_missing_backend_says_what_to_do(fresh: dict[str, Any]) -> None:
    with pytest.raises(BackendError, match="native backend is not available here: its library was never built; run"):
        get("native")
    assert backends() == {"emulated": "available", "native": Missing().available(), "reference": "available"}


def test_best_goes_down_the_list(fresh: dict[str, Any]) -> None:
    assert best() is fresh["reference"] and get() is fresh["reference"] and get(None) is fresh["reference"]
    fresh["native"] = ReferenceBackend()
    assert best() is fresh["native"]


def test_best_collects_the_refusals(fresh: dict[str, Any]) -> None:
    with pytest.raises(BackendError) as problem:
        best(PARAMS, "qu8_gemm_q31_9x9__none")
    text = str(problem.value)
    assert "native: its library was never built" in text and "reference: it computes by definition" in text
    assert "emulated" in text


def test_best_takes_the_emulated_one_for_a_kernel_that_only_it_has(fresh: dict[str, Any]) -> None:
    class Emulated(ReferenceBackend):
        name = "emulated"

        def refuses(self, params: Any, kernel: Any = None) -> str | None:
            return None

    fresh["emulated"] = Emulated()
    assert best(PARAMS, "mine") is fresh["emulated"]
    assert best(PARAMS) is fresh["reference"]


def test_objects_are_taken_as_they_are() -> None:
    mine = ReferenceBackend()
    assert get(mine) is mine


def test_reference_multiplies_by_definition() -> None:
    rng = np.random.default_rng(2)
    a, w = rng.integers(0, 256, (5, 11), dtype=np.uint8), rng.integers(0, 256, (9, 11), dtype=np.uint8)
    bias = rng.integers(-100, 100, 9, dtype=np.int32)
    backend = ReferenceBackend()
    packed = backend.pack(w, bias, PARAMS)
    result = backend.gemm(a, packed, PARAMS)
    np.testing.assert_array_equal(result.values, PARAMS.requantize(accumulate(a, w.T, bias, 3, 5)))
    assert result.kernel == "numpy" and backend.kernels() == ("numpy",)


def test_reference_takes_every_scheme() -> None:
    a, w, bias = np.full((1, 2), -3, np.int8), np.full((2, 2), 5, np.int8), np.zeros(2, np.int32)
    params = SchemeParams("rndnu", np.array([1.0, 2.0]), 0, 0, 0, -128, 127, "int8")
    backend = ReferenceBackend()
    assert backend.gemm(a, backend.pack(w, bias, params), params).values.tolist() == [[-30, -60]]


def test_reference_has_no_kernels() -> None:
    backend = ReferenceBackend()
    packed = backend.pack(np.ones((1, 1), np.uint8), np.zeros(1, np.int32), PARAMS, "numpy")
    with pytest.raises(BackendError, match="has no kernel 'fast'"):
        backend.gemm(np.ones((1, 1), np.uint8), packed, PARAMS, kernel="fast")
    with pytest.raises(BackendError, match="has no kernel 'fast'"):
        backend.pack(np.ones((1, 1), np.uint8), np.zeros(1, np.int32), PARAMS, "fast")


def test_examples_run() -> None:
    assert doctest.testmod(neonsim.backends).failed == 0
