"""The registry of backends, and the reference as one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim.nn.backends
import neonsim.nn.backends.job
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, Job, Region, backends, candidates, get, names
from neonsim.nn.backends.reference import ReferenceBackend


class Missing(ReferenceBackend):
    """A backend that is not there."""

    name = "missing"

    def available(self) -> str | None:
        return "its library was never built; run the builder."


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A registry with three backends of our own in place of the real ones."""
    loaded: dict[str, Any] = {"native": Missing(), "reference": ReferenceBackend(), "emulated": ReferenceBackend()}
    monkeypatch.setattr(neonsim.nn.backends, "_loaded", loaded)
    return loaded


def test_all_real_backends_keep_the_protocol() -> None:
    assert names() == ("emulated", "native", "reference")
    for name in names():
        backend = neonsim.nn.backends._load(name)
        assert isinstance(backend, Backend) and backend.name == name
        assert backend.is_reference == (name == "reference")
        assert backends()[name] == (backend.available() or "available")


def test_names_that_do_not_exist() -> None:
    with pytest.raises(BadArgument, match="Use emulated, native, reference"):
        get("gpu")
    with pytest.raises(BadArgument, match="got int"):
        get(3)  # type: ignore[arg-type]


def test_missing_backend_says_what_to_do(fresh: dict[str, Any]) -> None:
    with pytest.raises(BackendError, match="native backend is not available: its library was never built; run"):
        get("native")
    assert backends() == {"emulated": "available", "native": Missing().available(), "reference": "available"}


def test_candidates_in_order_of_preference(fresh: dict[str, Any]) -> None:
    assert list(candidates()) == [("native", Missing().available()), ("reference", fresh["reference"])]
    assert [name for name, _ in candidates("a kernel")] == ["native", "reference", "emulated"]
    fresh["native"] = ReferenceBackend()
    assert next(iter(candidates())) == ("native", fresh["native"])


def test_objects_are_taken_as_they_are() -> None:
    mine = ReferenceBackend()
    assert get(mine) is mine


def test_reference_runs_the_definition_over_regions() -> None:
    job = Job("doubling", (Region("x", "input", 3), Region("output", "output", 3)), (),
              lambda regions: {"output": 2 * regions["x"]})
    loaded = ReferenceBackend().load(job)
    loaded.view("x")[...] = [1, 2, 200]
    loaded.run()
    np.testing.assert_array_equal(loaded.view("output"), [2, 4, 144])
    assert ReferenceBackend().kernels() == () == ReferenceBackend().find("qu8_gemm_q31")
