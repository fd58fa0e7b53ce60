"""compare on real kernel files with a fault planted in them: it names the byte, the step, what became of the sum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from neonsim.nn.ops import compare
from neonsim.quant import Quantized, Scheme
from neonsim.ukernel import Kernel, kernel
from tests.nn.operator_cases import assert_bit_equal

DEFAULT = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
SWIZZLED = "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"


def edited(name: str, folder: Path, old: str, new: str) -> Kernel:
    """A copy of a kernel file with one text replaced everywhere."""
    source = kernel(name).source
    assert old in source
    path = folder / f"{name}.S"
    path.write_text(source.replace(old, new))
    return Kernel(name, path)


def operands(m: int, n: int, k: int) -> tuple[Quantized, Quantized, np.ndarray]:
    rng = np.random.default_rng(5)
    return (Quantized(rng.integers(0, 256, (m, k), dtype=np.uint8), 1.0, 120),
            Quantized(rng.integers(0, 256, (n, k), dtype=np.uint8), 1.0, 131),
            rng.integers(-500, 500, n, dtype=np.int32))


def test_wrong_lane_loses_the_sum(tmp_path: Path) -> None:
    broken = edited(DEFAULT, tmp_path, "vmlal.s16   q8, d8, d0[0] ", "vmlal.s16   q8, d8, d0[1] ")
    found = compare(broken, *operands(10, 21, 24), out=Scheme(900.0, 128), backends=("reference", "emulated"))
    assert found.first is not None and found.first.step is not None
    step = found.first.step
    assert step.kernel == DEFAULT and step.path == str(broken.path)
    row, column = found.first.index
    # Calls: the full tiles, the last columns, the last rows, the corner.
    assert (step.call, step.tile) == ((row >= 8) * 2 + (column >= 16), (row // 4 % 2, column // 8 % 2))
    assert broken.source.splitlines()[step.line - 1].split()[0].startswith("vst1")
    assert step.value == found.first.values[1] and step.sum_step is None
    # Row 0 of each tile, columns 0 to 3: what that one multiply-accumulate feeds.
    wrong = np.argwhere(found.results["reference"].values != found.results["emulated"].values)
    assert {(int(r) % 4, int(c) % 8 // 4) for r, c in wrong} == {(0, 0)}


def test_dropped_clamp_keeps_the_sum(tmp_path: Path) -> None:
    broken = edited(DEFAULT, tmp_path, "vmax.u8", "vorr   ")
    found = compare(broken, *operands(4, 8, 9), out=Scheme(900.0, 128), output_min=101,
                    backends=("reference", "emulated"))
    assert found.first is not None and found.first.step is not None
    step = found.first.step
    assert step.step is not None and step.sum_step is not None and step.sum_step < step.step
    assert step.sum_place.startswith("q") and "look after that" in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", [DEFAULT, pytest.param(SWIZZLED, marks=pytest.mark.nightly)])
def test_assert_bit_equal_fails_with_the_place(name: str, tmp_path: Path) -> None:
    assert assert_bit_equal(kernel(name), backends=("reference", "emulated")) == 48
    broken = edited(name, tmp_path, "vmin.u8", "vmax.u8")
    with pytest.raises(AssertionError, match=rf"{name}, case [^\n]*\n(?s:.*){tmp_path}/{name}\.S:\d+:  vst1"):
        assert_bit_equal(broken, backends=("reference", "emulated"))
