"""Calls side by side in lock-step: every zero point, the sanitizer, what each leaves in the registers.

All cases of every kernel: test_families.py.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from neonsim.arm.machine import Machine
from neonsim.arm.machine.arch.registers import VectorValue, numeric
from neonsim.arm.semantics import u8, view
from neonsim.ukernel import Case, Kernel, kernels, run_cases
from neonsim.ukernel.case import build
from neonsim.ukernel.case_runner import run_together
from neonsim.ukernel.cases.common import EDGE_ZERO_POINTS, KINDS, bytes_of
from neonsim.ukernel.cases.gemm import _product

PRODUCTS = [k for k in kernels() if k.contract.name in ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows")
            and str(k.tile) in ("4x8", "8x8", "4x8c2", "4x")]
every_kernel = pytest.mark.parametrize("each", PRODUCTS, ids=str)


def _call(each: Kernel, kind: str, nr: int, k: int, rng: np.random.Generator, zeros: tuple[int, int]) -> Case:
    """Of all rows; sums of rows are multiplied by the other operand's zero point."""
    if each.tile.nr is None:
        return build(each.contract, f"k{k}_{kind}_times-{zeros[1]}", m=each.tile.mr, k=k, multiplier=-zeros[1],
                     stride=k + int(rng.choice([0, 1, 3, 17])), a=bytes_of(kind, (each.tile.mr, k), rng, zeros[0]))
    return _product(each.contract, each.tile, kind, rng, each.tile.mr, nr, k, a_zero_point=zeros[0],
                    w_zero_point=zeros[1])


def _check(each: Kernel, cases: list[Case], **options: Any) -> None:
    found = run_cases(each.program(), each.name, cases, reads_before=each.header.reads_before, **options)
    assert not found, "\n".join(map(str, found))


@every_kernel
def test_every_zero_point(each: Kernel) -> None:
    rng = np.random.default_rng(23)
    ends = list(product(EDGE_ZERO_POINTS, EDGE_ZERO_POINTS))
    every = list(zip(rng.permutation(256).tolist(), rng.permutation(256).tolist(), strict=True))
    _check(each, [_call(each, "uniform", each.tile.nr or 1, k, rng, zeros)
                  for k, pairs in ((8, ends), (11, every), (13, ends)) for zeros in pairs])


@every_kernel
def test_a_grid_with_the_sanitizer(each: Kernel) -> None:
    rng = np.random.default_rng(11)
    _check(each, [_call(each, kind, max((each.tile.nr or 1) - 1, 1), k, rng, tuple(rng.integers(0, 256, 2).tolist()))
                  for k in (7, 16) for kind in KINDS[:10]], sanitize=True)


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


def _strides(case: Case) -> list[int]:
    return [case.number(a.name) for a in case.contract.arguments if "stride" in a.name]


@pytest.mark.parametrize("own_strides", [pytest.param(False, marks=pytest.mark.nightly), True],
                         ids=["even_addresses", "gathered_addresses"])
@every_kernel
def test_lockstep_and_single_tiles_leave_the_same(each: Kernel, own_strides: bool,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    rng, nr = np.random.default_rng(17), max((each.tile.nr or 1) - 1, 1)
    cases = [_call(each, KINDS[i % 6], nr, 21, rng, tuple(rng.integers(0, 256, 2).tolist())) for i in range(200)]
    cases = [case for case in cases if own_strides or _strides(case) == _strides(cases[0])][:6]
    limits = {"reads_before": each.header.reads_before}
    together = run_together(each.program(), each.name, cases, **limits)
    call = Machine.call
    for i, one in enumerate(together):
        def alone(machine: Machine, program: Any, *given: Any, tiles: Any, at: int = i, **options: Any) -> Any:
            return call(machine, program, *(int(np.broadcast_to(v, tiles.shape).flat[at]) for v in given), **options)

        # The same memory, in which one of the calls is made.
        monkeypatch.setattr(Machine, "call", alone)
        left = run_together(each.program(), each.name, cases, **limits)[i]
        assert left.result.steps == one.result.steps
        assert {name: data.tobytes() for name, data in left.memory.items()} == {
            name: data.tobytes() for name, data in one.memory.items()} and not one.wrong()
        assert _registers(left.machine) == _registers(one.machine, *divmod(i, 3))
    assert together[0].result.tile_steps == together[0].result.steps * len(cases)
