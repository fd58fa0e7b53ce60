"""Kernels proved the same: what the terms are worth, planted bugs, and that nothing wrong is ever proved."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.arm.semantics import TermPool, u8
from neonsim.arm.semantics.interp import polynomials
from neonsim.errors import BadArgument
from neonsim.ukernel import kernel, kernels
from neonsim.ukernel.cases import cases, shapes_known
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking import KernelUnderTest
from neonsim.verify.checking.mutations import apply_edits, flat
from neonsim.verify.proving import same
from neonsim.verify.proving.engine.solver import available
from neonsim.verify.proving.engine.symbolic_call import call_of, read_value, subject_of
from neonsim.verify.proving.engine.symbolic_inputs import outputs_of
from neonsim.verify.proving.kernel_equivalence import _results
from tests.tiers import every

A32, A64 = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
DUAL = "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"
LANE = "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane"
PAIRWISE = "qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal"
# One kernel of a contract, which others are compared with.
PLAIN = {"qu8_gemm_q31": A64, "qu8_gemm_s32": "qu8_gemm_s32_8x8__aarch64_neon_mlal_lane", **{
    name: f"{name}_4x16__aarch64_neon_mlal_lane" for name in (
        "qs8_gemm_rndnu", "qs8_gemm_fp32", "qs8_qc8w_gemm_fp32", "qu8_gemm_rndnu", "qu8_gemm_fp32",
        "qd8_f32_qc8w_gemm", "qu8_igemm_fp32",
        "qs8_igemm_rndnu", "qs8_igemm_fp32", "qs8_qc8w_igemm_fp32", "qu8_igemm_rndnu", "qd8_f32_qc8w_igemm")}}
BUGS = {name: entry["bugs"] for file in ("by_hand", "gemm", "igemm")
        for name, entry in tomllib.loads((Path(__file__).parents[2] / f"ukernel/bugs/{file}.toml").read_text()).items()}


def shape(first: str, second: str, kc: int) -> dict[str, Any]:
    tiles = kernel(first).tile, kernel(second).tile
    taps = {"ks": 2} if "igemm" in first else {}
    return {"mr": min(t.mr for t in tiles), "nr": min(t.nr or 1 for t in tiles), "kc": kc} | taps


def floats_of_two_rules(first: str, second: str) -> bool:
    """AArch32 Advanced SIMD takes denormal numbers for zero, AArch64 does not."""
    return "aarch32" in first + second and ("fp32" in first or "qd8" in first)


# ---- what the terms are worth --------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "kind"), every(2, [
    (A32, "extremes"), (A64, "ties"), (LANE, "uniform"), (PAIRWISE, "pairs"),
    ("qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm", "clamped"), ("qs8_igemm_fp32_4x8__aarch32_neon_mlal_lane", "uniform"),
    ("qd8_f32_qc8w_gemm_4x16__aarch64_neon_mlal_lane", "uniform")]))
def test_terms_have_the_values_of_the_definition(name: str, kind: str) -> None:
    call = call_of(subject_of(name), shape(name, name, 11) | {"nr": 7}, (-127, 127), kind)
    pool = TermPool()
    results = _results(pool, "only", call)
    inputs = {value.name: read_value(call.case, value) for value in call.values}
    expected = call.case.expected
    assert pool.evaluate(list(results.values()), inputs) == [
        int.from_bytes(expected[region][at:at + type_.bytes].tobytes(), "little")
        for region, at, type_ in outputs_of(call.case).values()]


# ---- proved --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kc", [1, 9, *(pytest.param(k, marks=pytest.mark.nightly) for k in range(2, 18) if k != 9)])
def test_an_aarch32_and_an_aarch64_kernel(kc: int) -> None:
    proof = ns.prove.same(A32, A64, mr=4, nr=8, kc=kc)
    assert proof
    assert proof.verdict == "proved"
    assert proof.counterexample is None
    assert any(f"kc = {kc}" in line for line in proof.assumptions)


@pytest.mark.parametrize("name", every(2, [PAIRWISE, "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64",
                                  "qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm",
                                  "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a53"]))
def test_techniques_are_one_polynomial(name: str) -> None:
    assert same(LANE, name, **shape(LANE, name, 9))


def test_a_sum_is_not_gone_through_at_each_of_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Monomials that are looked at, and sums that are kept, grow as the depth does."""
    def counted(kc: int) -> tuple[int, int]:
        looked = []

        def hashed(one: object) -> int:
            looked.append(one)
            return hash(one)
        monkeypatch.setattr(polynomials, "hash", hashed, raising=False)
        pool, call = TermPool(), call_of(subject_of(LANE), {"mr": 1, "nr": 1, "kc": kc}, (-127, 127))
        _results(pool, "only", call)
        return len(looked), sum(len(term.polynomial) for term in pool._terms.values())
    few, many = counted(32), counted(128)
    assert all(n < 4.4 * m for m, n in zip(few, many, strict=True))


def test_terms_of_one_key_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polynomials, "hash", lambda one: 0, raising=False)
    pool = TermPool()
    x, y = (pool.variable((name,), u8) for name in "xy")
    assert pool.plus(x, y) is pool.plus(y, x) is not pool.plus(x, y, -1)
    assert pool.plus(pool.plus(x, y), y, -1) is x


@pytest.mark.nightly
@pytest.mark.parametrize("name", [k.name for c in PLAIN for k in kernels(c) if k.name != PLAIN[c]])
@pytest.mark.parametrize("kc", [1, 8, 17])
def test_every_kernel_against_the_plain_one(name: str, kc: int) -> None:
    first = PLAIN[split_name(name)[0]]
    proof = same(first, name, **shape(first, name, kc))
    if floats_of_two_rules(first, name):
        assert proof.verdict == "unknown"
        assert "denormal" in proof.reason
    else:
        assert proof.verdict == "proved", proof


def test_the_dual_issue_kernel_is_the_default_one() -> None:
    """Row sums are polynomials of the row: both kernels leave one term."""
    proof = same(A32, DUAL, mr=4, nr=8, kc=9)
    assert proof, proof
    assert any(line.startswith("row sums are minus") for line in proof.assumptions)


def changed(name: str, old: str, new: str) -> KernelUnderTest:
    each = kernel(name)
    text = each.source.replace(old, new, 1)
    assert text != each.source
    return KernelUnderTest(assemble(text, isa=each.isa, include=[each.path.parents[1]]), name, f"{name}, changed",
                           each.contract.name, each.tile, each.header.reads_before, each.header.reads_after)


@pytest.mark.nightly
@pytest.mark.skipif(not available(), reason="pip install 'neonsim[prove]'")
def test_what_polynomials_do_not_say_a_solver_does() -> None:
    """x ^ y ^ y is no polynomial in x; the same with an `orr` is another value, found by a solver or by trying."""
    twice = "eor v16.16b, v16.16b, v30.16b\n eor v16.16b, v16.16b, v30.16b\n str b16, [x6]"
    plain = "qu8_gemm_q31_1x1__aarch64_madd"
    proof = same(plain, changed(plain, "str         b16, [x6]", f"ldr b30, [x3, #-1]\n {twice}"), mr=1, nr=1, kc=1)
    assert proof, proof
    assert "trusted: the solver" in proof.assumptions[-1]
    proof = same(plain, changed(plain, "str         b16, [x6]",
                                f"ldr b30, [x3, #-1]\n {twice.replace('eor', 'orr', 1)}"), mr=1, nr=1, kc=1)
    assert proof.verdict == "refuted"


@pytest.mark.nightly
@pytest.mark.skipif(not available(), reason="pip install 'neonsim[prove]'")
def test_data_that_only_a_solver_finds() -> None:
    """One value of 2**32 biases is told apart: no data that is tried has it."""
    plain = "qu8_gemm_q31_1x1__aarch64_madd"
    wrong = changed(plain, "dup         v16.4s, w9", """ldr w13, [x5, #-5]
    movz w14, #0x2345
    movk w14, #0x1234, lsl #16
    cmp w13, w14
    cset w13, eq
    eor w9, w9, w13, lsl #31
    dup         v16.4s, w9""")
    proof = same(plain, wrong, mr=1, nr=1, kc=1)
    assert proof.verdict == "refuted", proof
    assert proof.counterexample is not None
    assert proof.counterexample.inputs["bias[0, 0]"] == 0x12342345


def test_kernels_in_floating_point_of_both_instruction_sets() -> None:
    """The same for ordinary numbers, and that is said; what adds in another order is not."""
    names = ("f32_vadd_8x__aarch32_neon", "f32_vadd_8x__aarch64_neon")
    case = next(case.name for case in cases("f32_vadd", split_name(names[1])[1]) if "_gt_" in case.name)
    proof = same(*names, case=case)
    assert proof, proof
    assert any("denormal" in line for line in proof.assumptions)
    wrong = changed(names[0], "vadd.f32", "vsub.f32")
    assert same(names[1], wrong, case=case).verdict == "refuted"


# ---- refuted -------------------------------------------------------------------------------------------------------

def with_bug(name: str, bug: dict[str, Any]) -> KernelUnderTest:
    each = kernel(name)
    text = apply_edits(flat(each), bug["edits"], bug["name"])
    return KernelUnderTest(assemble(text, isa=each.isa), name, f"{name} with {bug['name']}", each.contract.name,
                           each.tile,
                           each.header.reads_before, each.header.reads_after)


def refuted(name: str, bug: dict[str, Any]) -> None:
    """Of the shape of the case that is known to catch it."""
    contract, tile = split_name(name)[:2]
    case = next(c for c in cases(contract, tile) if c.name == bug["case"])
    sizes: dict[str, Any] = {of.replace("nc", "nr"): case.number(of) for of in ("mr", "nr", "nc", "kc", "ks")
                             if of in case.values}
    proof = same(name, with_bug(name, bug), **sizes)
    assert proof.verdict != "proved", f"{name} with {bug['name']} is wrong on {case.name}: {proof}"
    assert proof.verdict == "refuted", proof
    found = proof.counterexample
    assert found is not None
    assert found.first != found.second
    assert [trace.steps > 0 for trace in found.traces] == [True, True]


FAMILIES = ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", PAIRWISE, "qs8_igemm_rndnu_4x8c4__aarch32_neondot_ld64")


@pytest.mark.parametrize("name", every(3, FAMILIES))
def test_a_planted_bug_of_each_family(name: str) -> None:
    refuted(name, BUGS[name][0])


@pytest.mark.nightly
@pytest.mark.parametrize("name", [n for n in BUGS if split_name(n)[0] in {*PLAIN, "qu8_gemm_xzp_q31"}])
def test_all_planted_bugs(name: str) -> None:
    for bug in BUGS[name]:
        refuted(name, bug)


OTHERS = {name: entry["bugs"] for file in sorted((Path(__file__).parents[2] / "ukernel/bugs").glob("*.toml"))
          for name, entry in tomllib.loads(file.read_text()).items() if split_name(name)[0] not in shapes_known()}
# Addresses that depend on data, floats that are not rounded alike: nothing can be said of these.
UNREAD = ("x8_lut", "u8_lut32norm")


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in OTHERS if not name.startswith(UNREAD)])
def test_a_planted_bug_of_kernels_that_are_no_products(name: str) -> None:
    """None is proved the same; of each kernel at least one is refuted by a run."""
    found = []
    for bug in OTHERS[name][:4]:
        try:
            found.append(same(name, with_bug(name, bug), case=bug["case"], seconds=1.0).verdict)
        except BadArgument:  # a case that only the other instruction set's tile has
            continue
    assert "proved" not in found
    assert "refuted" in found, found


@pytest.mark.nightly
def test_pairwise_sums_wrap_with_weights_of_minus_128_only() -> None:
    """Two products of -128 and -128 are 2**15: the one sum that 16 bits do not hold."""
    assert same(LANE, PAIRWISE, mr=1, nr=1, kc=16, weights=(-127, 127))
    proof = same(LANE, PAIRWISE, mr=1, nr=1, kc=16, weights=(-128, 127))
    assert proof.verdict == "refuted"
    found = proof.counterexample
    assert found is not None
    assert {found.inputs[f"{name}[0, {k}]"] for name in "aw" for k in (0, 8)} == {-128}
    assert all(str(part) in str(proof) for part in (found.first, found.second, found.location))


# ---- neither -------------------------------------------------------------------------------------------------------

@pytest.mark.nightly
def test_a_branch_on_data_is_refused_in_words() -> None:
    each = kernel(A64)
    program = each.source.replace(f"{A64}:", f"{A64}:\n    ldrb w9, [x3]\n    cbz w9, 1f\n    nop\n1:", 1)
    assert program != each.source
    proof = same(A64, KernelUnderTest(assemble(program, isa="aarch64", include=[each.path.parents[1]]), A64,
                                      "branching",
                                      each.contract.name, each.tile, each.header.reads_before, each.header.reads_after),
                 mr=1, nr=1, kc=1)
    assert proof.verdict == "unknown"
    assert "depends on unknown data" in proof.reason


@pytest.mark.parametrize(("arguments", "sentence"), [
    ((A32, LANE, {"mr": 1, "nr": 1, "kc": 1}), "only kernels of one contract"),
    ((A32, A64, {"mr": 5, "nr": 8, "kc": 1}), "mr must be in 1..4"),
    ((A32, A64, {"mr": 4, "nr": 8, "kc": 0}), "kc"),
    ((LANE, PAIRWISE, {"mr": 1, "nr": 1, "kc": 1, "weights": (3, -3)}), "must come first"),
    ((LANE, PAIRWISE, {"mr": 1, "nr": 1, "kc": 1, "weights": 7}), "two bounds|two numbers"),
    (("qu8_sumrows_4x__aarch32_neon", "qu8_sumrows_4x__aarch64_neon", {"mr": 1, "nr": 1, "kc": 1}),
     "shapes are not available"),
])
def test_what_cannot_be_asked(arguments: Any, sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        same(arguments[0], arguments[1], **arguments[2])
