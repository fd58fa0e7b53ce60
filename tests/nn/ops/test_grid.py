"""Every operator over the axes of the libraries' own tests, on every backend: exact bytes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError
from neonsim.nn.backends import Backend
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.ops import compare
from tests.needs import needs_backend
from tests.nn.operator_cases import DTYPES, OPERATORS, Case, operator_cases
from tests.nn.operator_cases.listed import BY_DEFINITION, functions, left_out
from tests.tiers import every

BACKENDS = ("native", "aarch32", "aarch64")


def backend_named(name: str) -> Backend:
    needs_backend("native" if name == "native" else "emulated")
    # Kernels are called here; what the native backend does as a layer is in test_layers.
    return EmulatedBackend(name) if name.startswith("aarch") else NativeBackend(layers=False)


def run(operator: str, backend: str, cases: list[Case]) -> int:
    """Cases that the backend has kernels for: every one of uint8."""
    chosen, done = backend_named(backend), 0
    for case in cases:
        try:
            found = compare(OPERATORS[operator], *case.inputs, backends=("reference", chosen), **case.options)
        except BackendError as problem:
            # A kernel that is not there is said by name; nothing else may be in the way.
            assert re.search("needs a kernel of contract|there (is|are) no kernel", str(problem)), (case.name, problem)
            continue
        assert found, f"{operator}, case {case.name}\n{found}"
        done += 1
    return done


def test_every_operator_has_cases() -> None:
    lost = left_out(OPERATORS, "cases (_CASES of tests/nn/operator_cases/operators.py)", functions(), {
        **BY_DEFINITION, **dict.fromkeys(("dynamic_fully_connected", "dynamic_conv2d"),
                                         "float rows: tests/nn/ops/test_symmetric.py")})
    assert not lost, lost


@pytest.mark.parametrize(("operator", "dtype", "backend"), every(4, [    # 4 and 3: each backend is met
    (operator, dtype, backend) for dtype in DTYPES for operator in OPERATORS for backend in BACKENDS]))
def test_quick(operator: str, dtype: str, backend: str) -> None:
    cases = list(operator_cases(operator, dtype))
    if backend != "native":
        # Every so many, others on the other instruction set.
        step = 40 if dtype == "int8" else -(-len(cases) // 4)
        cases = cases[BACKENDS.index(backend) % step::step]
    done = run(operator, backend, cases)
    assert done == len(cases) > 2 or dtype == "int8"
    if not done:
        pytest.skip(f"{backend} has no kernel for {operator} of {dtype}")


@pytest.mark.nightly
@pytest.mark.parametrize(("dtype", "seed"), [("uint8", 0), ("uint8", 1), ("uint8", 2), ("int8", 1)])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_all_residues(operator: str, backend: str, dtype: str, seed: int) -> None:
    cases = list(operator_cases(operator, dtype, seed, "full"))
    if dtype == "int8" and backend != "native":
        cases = cases[1::3]
    done = run(operator, backend, cases)
    assert done == len(cases) > 10 or dtype == "int8"
    if not done:
        pytest.skip(f"{backend} has no kernel for {operator} of {dtype}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_cases_are_worth_their_names(operator: str, dtype: str) -> None:
    """Names once each, results that spread, the same for the same seed."""
    cases = list(operator_cases(operator, dtype))
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    spread: list[Any] = []
    for case, again in zip(cases, operator_cases(operator, dtype), strict=True):
        np.testing.assert_array_equal(case.inputs[0].values, again.inputs[0].values)
        values = OPERATORS[operator](*case.inputs, backend="reference", **case.options).values
        spread.append(len(np.unique(values)) > min(values.size, 40) // 4)
    assert np.mean(spread) > 0.4
