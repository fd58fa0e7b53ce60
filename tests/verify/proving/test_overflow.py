"""No sum of products wraps: proved by bounds, refuted by the one set of data that there is, which was run."""

from __future__ import annotations

from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.ukernel import kernel, kernels
from neonsim.verify.checking import KernelUnderTest
from tests.ukernel.int16_overflow import pair_overflows

PAIRWISE = "qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal"
CONTRACTS = ("qs8_gemm_rndnu", "qs8_igemm_rndnu", "qu8_gemm_q31", "qu8_gemm_xzp_q31", "qs8_qc8w_gemm_fp32",
             "qu8_gemm_rndnu")


def test_pairwise_products_never_wrap() -> None:
    proof = ns.prove.no_overflow(PAIRWISE)
    assert proof, proof
    assert "s16" in proof.assumptions[0]
    assert "weights from -127 to 127" in proof.assumptions


def test_the_only_data_that_wraps_is_four_times_minus_128() -> None:
    proof = ns.prove.no_overflow(PAIRWISE, weights=(-128, 127), kc=16)
    assert proof.verdict == "refuted"
    found = proof.counterexample
    assert found is not None
    assert (found.first, found.second) == (-32768, 32768)
    assert found.inputs == {"a[0, 0]": -128, "a[0, 8]": -128, "w[0, 0]": -128, "w[0, 8]": -128}
    assert proof.reason.startswith("the only data on which this lane wraps")
    # The machine's own search of the recorded run finds the same lane.
    other = pair_overflows(found.traces[0])[0]
    assert (other.before, other.n, other.m) == (16384, -128, -128)
    assert f"after step {other.step + 1} " in found.location


def test_a_solver_finds_no_other_data() -> None:
    z3 = pytest.importorskip("z3", reason="pip install 'neonsim[prove]'")
    a, w, b, v = z3.BitVecs("a w b v", 8)
    wide = [z3.SignExt(16, n) for n in (a, w, b, v)]
    total = wide[0] * wide[1] + wide[2] * wide[3]
    solver = z3.Solver()
    solver.add(z3.Or(total > 32767, total < -32768))
    assert solver.check() == z3.sat
    solver.add(z3.Not(z3.And([n == -128 for n in (a, w, b, v)])))
    assert solver.check() == z3.unsat


def test_sums_that_wrap_in_32_bits_are_found() -> None:
    """A sum that is squared on its way leaves its lane."""
    each = kernel(PAIRWISE)
    text = each.source.replace("    add_partial_sums\n", "    add_partial_sums\n    mul v16.4s, v16.4s, v16.4s\n", 1)
    assert text != each.source
    wrong = KernelUnderTest(ns.assemble(text, isa="aarch64", include=[each.path.parents[1]]), each.name, "squared",
                            each.contract.name, each.tile, each.header.reads_before, each.header.reads_after)
    proof = ns.prove.no_overflow(wrong, mr=1, nr=1, kc=8)
    assert proof.verdict == "refuted"
    found = proof.counterexample
    assert found is not None
    assert (int(found.first) - int(found.second)) % (1 << 32) == 0 != int(found.first) - int(found.second)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [k.name for contract in CONTRACTS for k in kernels(contract)])
def test_every_kernel_of_a_product(name: str) -> None:
    assert ns.prove.no_overflow(name), name


@pytest.mark.parametrize(("name", "options", "sentence"), [
    (PAIRWISE, {"weights": (3, -3)}, "must come first"), (PAIRWISE, {"mr": 3}, "mr must be in 1..2"),
    (PAIRWISE, {"kc": 0}, "kc"), ("qd8_f32_qc8w_gemm_2x8c8__aarch64_neon_mlal_padal", {}, "zero point"),
    (PAIRWISE, {"seconds": 0}, "seconds"),
    ("qu8_vadd_32x__aarch64_neon", {}, "shapes are not available")])
def test_what_cannot_be_asked(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        ns.prove.no_overflow(name, **options)
