"""Every kernel on its contract's cases: in lock-step, alone in exact buffers with the sanitizer, on every engine.

The cases come with the contract (neonsim/ukernel/cases); a new kernel is tested because it is there.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument, KernelFileError
from neonsim.ukernel import Case, Kernel, cases, contracts, kernel, kernels, run_alone, run_cases
from neonsim.verify.checking import lint_kernels
from tests.tiers import first_of_each

ALONE = ("qu8_gemm_xzp_q31",)   # QNNPACK has it for AArch32 only
COMPILER = shutil.which("cc") or shutil.which("gcc")
TURN = {name: at for at, name in enumerate(sorted({k.contract.name for k in kernels()}))}
# One kernel of each contract every day, of the two instruction sets in turn, and of one contract always the same.
of_each_contract = pytest.mark.parametrize("each", first_of_each(lambda k: k.contract.name, sorted(
    kernels(), key=lambda k: (k.isa == "aarch64") != TURN[k.contract.name] % 2)), ids=str)
each_kernel = pytest.mark.parametrize("each", kernels(), ids=str)


def limits(each: Kernel) -> dict[str, Any]:
    return {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}


def told(failures: Sequence[object]) -> str:
    return "\n".join(map(str, failures))


@cache
def made(contract: str, tile: str) -> tuple[Case, ...]:
    return cases(contract, tile)


def quick(each: Kernel) -> tuple[Case, ...]:
    return made(each.contract.name, str(each.tile))


@of_each_contract
def test_cases_in_lockstep(each: Kernel) -> None:
    # Calls of one size run together; every day those of the largest size (all: test_all_cases).
    largest = max(case.sizes for case in quick(each))
    mine = [case for case in quick(each) if case.sizes == largest]
    # So few calls at once are done before their blocks would have been translated (as in the long tests).
    found = run_cases(each.program(), each.name, mine, engine="interpreter", **limits(each))
    assert mine and not found, told(found)


@of_each_contract
def test_alone_in_buffers_of_exact_size_with_the_sanitizer(each: Kernel) -> None:
    chosen = quick(each)
    found = run_cases(each.program(), each.name, chosen[::-(-len(chosen) // 3)], lockstep=False, sanitize=True,
                      **limits(each))
    assert not found, told(found)


@pytest.mark.parametrize("each", first_of_each(lambda k: k.path.parent, kernels()), ids=str)
def test_what_the_abi_leaves_undefined_does_not_matter(each: Kernel) -> None:
    case = quick(each)[-1]
    left = [run_alone(each.program(), each.name, case, seed=seed, **limits(each)) for seed in (1, 2)]
    for name, region in case.memory.items():
        if region.role == "out":
            assert np.array_equal(left[0].memory[name], left[1].memory[name])


@pytest.mark.parametrize("each", first_of_each(
    lambda k: k.path.parent, (k for k in kernels() if k.header.reads_before)), ids=str)
def test_reading_before_a_row_is_needed_and_declared(each: Kernel) -> None:
    # One byte less than the header says, and some call is refused: it says neither too little nor too much.
    found = lint_kernels(each, ["reads"])
    assert found and not found.open, str(found)


@pytest.mark.nightly
@each_kernel
def test_all_cases(each: Kernel) -> None:
    # Every case as C, which costs a fifth; every twentieth size on the machine itself, in lock-step.
    all_cases = cases(each.contract.name, each.tile, seed=1, size="full")
    compiled = COMPILER is not None
    if compiled:
        found = run_cases(each.program(), each.name, all_cases, engine="compiled", **limits(each))
        assert not found, told(found)
    sizes = set(sorted({case.sizes for case in all_cases})[::20 if compiled else 1])
    found = run_cases(each.program(), each.name, [case for case in all_cases if case.sizes in sizes], **limits(each))
    assert not found, told(found)


@pytest.mark.nightly
@each_kernel
def test_many_cases_alone_with_the_sanitizer(each: Kernel) -> None:
    chosen = cases(each.contract.name, each.tile, seed=2)
    found = run_cases(each.program(), each.name, chosen[::9], lockstep=False, sanitize=True, **limits(each))
    assert not found, told(found)


@pytest.mark.nightly
@pytest.mark.parametrize("engine", [
    "python", pytest.param("compiled", marks=pytest.mark.skipif(not COMPILER, reason="needs a C compiler"))])
@each_kernel
def test_every_engine_alone(each: Kernel, engine: str) -> None:
    found = run_cases(each.program(), each.name, quick(each)[::9], lockstep=False, engine=engine, **limits(each))
    assert not found, told(found)


# ---- the cases themselves

def test_every_contract_has_a_kernel_for_each_instruction_set() -> None:
    for contract in contracts():
        found = {k.isa for k in kernels(contract=contract.name)}
        assert found == {"aarch32", "aarch64"} or contract.name in ALONE, contract.name


def test_cases_are_the_same_every_time_and_others_with_another_seed() -> None:
    first, again, other = (cases("qu8_vadd", "32x", seed=seed) for seed in (0, 0, 1))
    assert [c.name for c in first] == [c.name for c in again]
    assert [c.name for c in first] != [c.name for c in other]


def test_all_channel_residues_and_zero_rows_are_met() -> None:
    found = cases("qu8_dwconv_q31", "8x9")
    assert {c.values["channels"] for c in found} >= set(range(1, 17))
    assert any(at.region == "zero_row" for c in found for at in c.memory["input"].pointers)
    assert {c.values["output_width"] for c in found} >= {1, 2, 3, 4, 5}


def test_wrong_words_are_refused() -> None:
    with pytest.raises(KernelFileError, match="no contract"):
        cases("gemm", "4x8")
    with pytest.raises(BadArgument, match="not a tile"):
        cases("qu8_gemm_q31", "four")
    with pytest.raises(BadArgument, match="must be \"quick\" or \"full\""):
        cases("qu8_gemm_q31", "4x8", size="long")


def test_a_failure_says_what_and_where() -> None:
    # A kernel judged by another's contract.
    each, other = kernel("u8_clamp_64x__aarch64_neon"), kernel("x8_lut_4x__aarch64_ldrb")
    case = next(c for c in quick(other) if c.name.startswith("n9_uniform"))
    found = run_cases(each.program(), each.name, [case])
    assert len(found) == 1
    assert str(found[0]).startswith("x8_lut, n9_uniform: ")
