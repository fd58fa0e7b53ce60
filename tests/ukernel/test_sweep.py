"""Calls side by side in lock-step: every zero point, strides of their own, what each leaves in the registers.

All cases of every kernel: test_families.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neonsim.lanes import u8, view
from neonsim.machine import Machine
from neonsim.machine.registers import VectorValue, numeric
from neonsim.ukernel import Kernel, kernels

EDGE_ZERO_POINTS = (0, 1, 127, 128, 254, 255)

# The kernels of the matrix product that the rig of conftest.py knows how to call; all others: test_families.py.
PRODUCTS = [k for k in kernels() if k.contract.name in ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows")
            and str(k.tile) in ("4x8", "8x8", "4x8c2", "4x")]
every_kernel = pytest.mark.parametrize("each", PRODUCTS, ids=str)


def _check(rig: Any, cases: list[Any], **options: Any) -> None:
    """Run cases of one size in lock-step and compare each with the contract."""
    for case, outcome in zip(cases, rig.lockstep(cases, **options), strict=True):
        expected = rig.expected(case)
        assert np.array_equal(outcome.output, expected), (
            f"{rig.kernel.name}, {case.name}:\n{outcome.output}\nis not\n{expected}")
        assert outcome.stray == 0, f"{rig.kernel.name}, {case.name}: {outcome.stray} bytes around the output changed"


def _cases(make: Callable[..., Any], kinds: tuple[str, ...], mr: int, nr: int, k: int) -> list[Any]:
    rng = np.random.default_rng((mr, nr, k))
    a_stride, c_stride = k + int(rng.choice([0, 1, 7, 64])), nr + int(rng.choice([0, 1, 9]))
    return [make(kind, mr, nr, k, rng, a_stride=a_stride, c_stride=c_stride) for kind in kinds]


@every_kernel
def test_zero_points_at_their_ends(each: Kernel, rig: Any, make: Any) -> None:
    rng = np.random.default_rng(7)
    for k in (8, 13):
        nr = each.tile.nr or 1
        cases = [make("uniform", each.tile.mr, nr, k, rng, a_zero_point=za, w_zero_point=zw, a_stride=k, c_stride=nr)
                 for za in EDGE_ZERO_POINTS for zw in EDGE_ZERO_POINTS]
        _check(rig(each), cases, cols=6)


@every_kernel
def test_every_zero_point(each: Kernel, rig: Any, make: Any) -> None:
    rng = np.random.default_rng(23)
    nr = each.tile.nr or 1
    cases = [make("uniform", each.tile.mr, nr, 11, rng, a_zero_point=int(za), w_zero_point=int(zw), a_stride=11,
                  c_stride=nr) for za, zw in zip(rng.permutation(256), rng.permutation(256), strict=True)]
    _check(rig(each), cases, cols=16)


@every_kernel
def test_every_tile_with_its_own_strides(each: Kernel, rig: Any, make: Any) -> None:
    # Addresses of the rows are then no even steps over the grid: each is looked up by itself.
    rng = np.random.default_rng(11)
    for k in (5, 16, 27):
        cases = [make("uniform", each.tile.mr, each.tile.nr or 1, k, rng, a_stride=k + i * i, c_stride=8 + 3 * i)
                 for i in range(6)]
        _check(rig(each), cases, cols=2)


@every_kernel
def test_a_grid_with_the_sanitizer(each: Kernel, rig: Any, make: Any, kinds: Any) -> None:
    for k in (7, 16):
        nr = max((each.tile.nr or 1) - 1, 1)
        _check(rig(each), _cases(make, kinds, each.tile.mr, nr, k)[:10], cols=2, sanitize=True)


def _registers(machine: Machine, row: int = 0, column: int = 0) -> dict[str, list[int]]:
    """Every register of one tile after a call, byte by byte; sp apart: the stacks of grids lie elsewhere."""
    found = {}
    for name, slot in zip(machine.state.registers.names, machine.state.slots, strict=True):
        lanes = slot.read(0, 16, u8) if isinstance(slot, VectorValue) else view(slot, u8)
        array = numeric(lanes).array
        if array.ndim == 3:
            # An axis of length 1 stands for all tiles along it.
            array = array[:, row % array.shape[1], column % array.shape[2]]
        found[name] = array.tolist()
    del found["sp" if machine.isa == "aarch64" else "r13"]
    return found


@pytest.mark.parametrize("own_strides", [pytest.param(False, marks=pytest.mark.nightly), True],
                         ids=["even_addresses", "gathered_addresses"])
@every_kernel
def test_lockstep_and_single_tiles_leave_the_same(each: Kernel, own_strides: bool, rig: Any, shared: Any, make: Any,
                                                  kinds: Any) -> None:
    rng = np.random.default_rng(17)
    nr = each.tile.nr or 1
    cases = [make(kinds[i], each.tile.mr, max(nr - 1, 1), 21, rng, a_stride=24 + i * i * own_strides, c_stride=nr + 3)
             for i in range(6)]
    grid = shared(rig(each), cases, cols=3)
    counted = grid.together()
    memory = [outcome.memory for outcome in grid.outcomes(counted)]
    for i in range(len(cases)):
        one = shared(rig(each), cases, cols=3)
        result = one.alone(i)
        assert result.steps == counted.steps
        assert one.outcomes(result)[i].memory == memory[i]
        assert _registers(one.machine) == _registers(grid.machine, *divmod(i, 3))
    assert counted.tile_steps == counted.steps * len(cases)
