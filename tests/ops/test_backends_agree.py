"""Every kernel of every backend, at operator level: the same bytes as the definition."""

from __future__ import annotations

import re

import pytest

from neonsim.backends import get, names
from neonsim.errors import BackendError
from neonsim.ops import compare, conv2d, fully_connected
from neonsim.testing import assert_bit_equal, gemm_cases

OTHERS = [name for name in names() if name != "reference"]


def backend_or_skip(name: str) -> None:
    try:
        get(name)
    except BackendError as problem:
        pytest.skip(str(problem))


@pytest.mark.parametrize("name", OTHERS)
def test_every_kernel_is_the_definition(name: str) -> None:
    backend_or_skip(name)
    for kernel in get(name).kernels():
        mr, nr = (int(size) for size in re.search(r"_(\d+)x(\d+)", kernel).groups())  # type: ignore[union-attr]
        for case in gemm_cases(mr, nr):
            found = compare(fully_connected, *case.inputs, backends=("reference", name), kernel=kernel, **case.options)
            assert found, f"{case.name}\n{found}"
            assert found.results[name].kernel == kernel


@pytest.mark.parametrize("name", OTHERS)
def test_convolutions(name: str) -> None:
    backend_or_skip(name)
    assert assert_bit_equal(conv2d, backends=("reference", name)) == 9
