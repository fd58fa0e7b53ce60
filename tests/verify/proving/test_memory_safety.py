"""Memory safety for every size: proved with invariants that are found or given, refuted by a fault in the machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.semantics import TermPool
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.errors import BadArgument
from neonsim.ukernel import kernel, kernels
from neonsim.verify.checking import KernelUnderTest
from neonsim.verify.proving.engine.invariants import clauses
from neonsim.verify.proving.engine.solver import available
from neonsim.verify.proving.engine.symbolic_call import subject_of

PLAIN, VECTOR = "qu8_gemm_q31_1x1__aarch64_madd", "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"
DUAL = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
PRODUCTS = ("qu8_gemm_q31", "qs8_gemm_rndnu", "qu8_gemm_rndnu", "qu8_gemm_s32", "qs8_gemm_s32", "qs8_qc8w_gemm_fp32")
VECTORS = ("qs8_vadd", "qu8_vadd", "qs8_vcvt", "qs8_vmul_fp32", "u8_clamp", "s8_clamp", "u8_rmax", "f32_vadd", "x8_lut")
z3 = pytest.mark.skipif(not available(), reason="induction asks a solver: pip install 'neonsim[prove]'")


# ---- the language --------------------------------------------------------------------------------------------------

def test_an_invariant_is_read() -> None:
    one, other = clauses("x2 == kc - 8*(i + 1)\nline 64: x2 >= -0x10")
    pool = TermPool()
    assert (one.line, one.defines, other.line, other.relation, other.defines) == (None, "x2", 64, ">=", None)
    numbers: dict[str, Polynomial] = {"kc": {(): 100}, "i": {(): 3}}
    assert one.right.value(pool, numbers.__getitem__) == {(): 68}
    assert other.right.value(pool, numbers.__getitem__) == {(): -16}


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "is empty"), ("x2", "a comparison"), ("x2 == ", "a name or a number"), ("x2 == (1", r"a \)"),
    ("x2 == 1 1", "the end, not 1"), ("x2 = 1", "is not valid from"), ("__import__('os')", "is not valid from"),
    ("x2 == " + "(" * 40 + "1", "levels of parentheses"), ("x2 == 1;" * 5000, "at most"), ("x2 == 2**3", "a name")])
def test_what_cannot_be_read(text: str, sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        clauses(text)


# ---- proved --------------------------------------------------------------------------------------------------------

@z3
def test_a_loop_of_any_number_of_rounds() -> None:
    proof = ns.prove.safe(PLAIN)
    assert proof, proof
    assert "every kc from 1 to 16777216" in proof.claim
    assert any("x2 == kc - i; x3 == a + i" in line for line in proof.assumptions)


@z3
@pytest.mark.nightly
@pytest.mark.parametrize("name", [VECTOR, DUAL, "qs8_vadd_32x__aarch64_neon"])
def test_the_invariant_that_was_found_may_be_given(name: str) -> None:
    found = ns.prove.safe(name)
    assert found, found
    rows = [line.removeprefix("by induction, ") for line in found.assumptions if line.startswith("by induction")]
    again = ns.prove.safe(name, "\n".join(rows))
    assert again, again
    assert [line for line in again.assumptions if line.startswith("by induction")] == [
        line for line in found.assumptions if line.startswith("by induction")]


@z3
@pytest.mark.nightly
@pytest.mark.parametrize("name", [k.name for c in (*PRODUCTS, *VECTORS) for k in kernels(c)])
def test_kernels_for_every_size(name: str) -> None:
    assert ns.prove.safe(name), name


# ---- refuted -------------------------------------------------------------------------------------------------------

def changed(name: str, old: str, new: str) -> KernelUnderTest:
    each = kernel(name)
    text = each.source.replace(old, new, 1)
    assert text != each.source
    return KernelUnderTest(ns.assemble(text, isa=each.isa, include=[each.path.parents[1]]), each.name,
                           f"{name}, changed",
                           each.contract.name, each.tile, each.header.reads_before, each.header.reads_after)


@z3
@pytest.mark.nightly
@pytest.mark.parametrize(("old", "new"), [
    ("subs        x2, x2, #1", "subs        x2, x2, #2"),   # passes 0 by for odd depths
    ("ldrb        w10, [x3], #1", "ldrb        w10, [x3], #2")])
def test_a_wrong_step_faults_in_the_machine(old: str, new: str) -> None:
    proof = ns.prove.safe(changed(PLAIN, old, new), seconds=600)
    assert proof.verdict == "refuted", proof
    found = proof.counterexample
    assert found is not None
    assert found.traces[0].steps > 0
    assert "buffer" in str(found.first)
    assert found.inputs["kc"] >= 1


@z3
@pytest.mark.nightly
def test_a_read_over_the_edge_that_is_not_declared() -> None:
    proof = ns.prove.safe(replace(subject_of(VECTOR), reads_before=6))
    assert proof.verdict == "refuted"
    assert proof.counterexample is not None
    assert "7 bytes before buffer" in str(proof)


# ---- neither -------------------------------------------------------------------------------------------------------

@z3
@pytest.mark.nightly
@pytest.mark.parametrize(("invariant", "sentence"), [
    ("x3 == a + 2*i", "may access bytes outside its buffer"),
    ("x2 <= kc - 2*i", "an invariant is not kept from one iteration to the next"),
    ("x3 == a + 1 + i", "does not hold at the start of the loop"),
    ("x2 >= 2", "does not hold at the start of the loop"),
    ("x2 == kc - i; x3 == a + i; x5 == w + 4 + i", "may access bytes outside its buffer")])
def test_an_invariant_that_is_wrong_or_too_weak(invariant: str, sentence: str) -> None:
    proof = ns.prove.safe(PLAIN, invariant)
    assert proof.verdict == "unknown"
    assert sentence in proof.reason


def test_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.verify.proving.memory_safety.available", list)
    assert "pip install 'neonsim[prove]'" in ns.prove.safe(PLAIN).reason


@pytest.mark.parametrize(("name", "options", "sentence"), [
    ("qs8_igemm_rndnu_2x8c8__aarch64_neon_mlal_padal", {}, "follows pointers"),
    ("qu8_sumrows_4x__aarch64_neon", {}, "size must be m, k"), (PLAIN, {"size": "x"}, "not 'x'"),
    (PLAIN, {"mr": 2}, "mr must be in 1..1"), (PLAIN, {"seconds": -1}, "seconds"),
    (PLAIN, {"invariant": "x2 == zz"}, "names zz"), ("qs8_vadd_32x__aarch64_neon", {"mr": 1}, "not a matrix product")])
def test_what_cannot_be_asked(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        ns.prove.safe(name, **options)
