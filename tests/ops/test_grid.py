"""Every operator over the axes of the libraries' own tests, on every backend: exact bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.backends import Backend, get
from neonsim.backends.emulated import EmulatedBackend
from neonsim.backends.native import NativeBackend
from neonsim.errors import BackendError
from neonsim.ops import compare
from tests.operator_cases import OPERATORS, operator_cases
from tests.operator_cases.listed import BY_DEFINITION, functions, left_out
from tests.tiers import every

BACKENDS = ("native", "aarch32", "aarch64")


def backend_named(name: str) -> Backend:
    try:
        get("native" if name == "native" else "emulated")
        # Kernels are called here; what the native backend does as a layer is in test_layers.
        return EmulatedBackend(name) if name.startswith("aarch") else NativeBackend(layers=False)
    except BackendError as problem:
        pytest.skip(str(problem))


def run(operator: str, backend: str, seed: int, size: str, most: int | None = None) -> int:
    chosen = backend_named(backend)
    cases = list(operator_cases(operator, seed, size))
    if most is not None:
        # Every so many, others on the other instruction set.
        step = -(-len(cases) // most)
        cases = cases[BACKENDS.index(backend) % step::step]
    for case in cases:
        found = compare(OPERATORS[operator], *case.inputs, backends=("reference", chosen), **case.options)
        assert found, f"{operator}, case {case.name}, seed {seed}\n{found}"
    return len(cases)


def test_every_operator_has_cases() -> None:
    lost = left_out(OPERATORS, "uint8 cases (_CASES of tests/operator_cases/operators.py)", functions(), {
        **BY_DEFINITION, **dict.fromkeys(("dynamic_fully_connected", "dynamic_conv2d"),
                                         "float rows: tests/ops/test_symmetric.py")})
    assert not lost, lost


@pytest.mark.parametrize(("operator", "backend"), every(4, [    # 4 and 3: each backend is met
    (operator, backend) for operator in OPERATORS for backend in BACKENDS]))
def test_quick(operator: str, backend: str) -> None:
    assert run(operator, backend, 0, "quick", None if backend == "native" else 4) > 2


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_all_residues(operator: str, backend: str, seed: int) -> None:
    assert run(operator, backend, seed, "full") > 10


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases_are_worth_their_names(operator: str) -> None:
    """Names once each, results that spread, the same for the same seed."""
    cases = list(operator_cases(operator))
    names = [case.name for case in cases]
    assert len(set(names)) == len(names) and "zero_batch" in names and "pixel_stride" in names
    spread: list[Any] = []
    for case, again in zip(cases, operator_cases(operator), strict=True):
        np.testing.assert_array_equal(case.inputs[0].values, again.inputs[0].values)
        values = OPERATORS[operator](*case.inputs, backend="reference", **case.options).values
        spread.append(len(np.unique(values)) > min(values.size, 40) // 4)
    assert np.mean(spread) > 0.4
