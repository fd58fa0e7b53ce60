"""Every kernel of every backend, at operator level: the same bytes as the definition."""

from __future__ import annotations

import re

import numpy as np
import pytest

from neonsim.nn.backends import get, names
from neonsim.nn.ops import compare, conv2d, fully_connected
from neonsim.quant import Quantized, Scheme
from tests.needs import needs_backend
from tests.nn.operator_cases import assert_bit_equal, gemm_cases

OTHERS = [name for name in names() if name != "reference"]
PRODUCTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31")


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
def test_every_kernel_is_the_definition(name: str) -> None:
    needs_backend(name)
    for kernel in (k for contract in PRODUCTS for k in get(name).kernels(contract)):
        mr, nr = (int(size) for size in re.search(r"_(\d+)x(\d+)", kernel).groups())
        # A sample, of tiles that are there for contrast a smaller one: the sweep by contract is elsewhere.
        for case in list(gemm_cases(mr, nr))[::6 if mr * nr >= 32 else 12]:
            found = compare(fully_connected, *case.inputs, backends=("reference", name), kernel=kernel, **case.options)
            assert found, f"{case.name}\n{found}"
            assert kernel in str(found.results[name].kernel)


@pytest.mark.nightly
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("seed", range(30))
def test_random_convolutions(name: str, seed: int) -> None:
    """Shapes, strides, padding, dilation, groups, zero points and clamps at random, every kernel in turn."""
    needs_backend(name)
    rng = np.random.default_rng(seed)
    kernels = [k for contract in PRODUCTS for k in get(name).kernels(contract)]
    for _ in range(5):
        groups, depth, per_group = (int(v) for v in rng.integers(1, (4, 20, 12)))
        size, kernel = rng.integers(3, 12, 2), rng.integers(1, 4, 2)
        x = Quantized(rng.integers(0, 256, (int(rng.integers(1, 3)), *size, groups * depth), dtype=np.uint8), 1.0,
                      int(rng.integers(0, 256)))
        w = Quantized(rng.integers(0, 256, (groups * per_group, *kernel, depth), dtype=np.uint8), 1.0,
                      int(rng.integers(0, 256)))
        bias = rng.integers(-(2**20), 2**20, groups * per_group, dtype=np.int32)
        low, high = sorted(rng.integers(0, 256, 2).tolist())
        options = {"stride": rng.integers(1, 4, 2).tolist(), "padding": rng.integers(0, 4, (2, 2)).tolist(),
                   "dilation": 1 if rng.random() < 0.7 else 2, "groups": groups, "output_min": low, "output_max": high,
                   "out": Scheme(float(2.0 ** rng.uniform(1, 16)), int(rng.integers(0, 256)))}
        if options["dilation"] == 2:
            options["padding"] = 2
        found = compare(conv2d, x, w, bias, backends=("reference", name), kernel=kernels[seed % len(kernels)],
                        **options)
        assert found, f"seed {seed}\n{found}"


@pytest.mark.parametrize("name", OTHERS)
def test_convolutions(name: str) -> None:
    needs_backend(name)
    if not get(name).find("qu8_conv_q31"):
        pytest.skip(f"the {name} backend has no kernel for indirect convolutions")
    assert assert_bit_equal(conv2d, backends=("reference", name)) == 9
