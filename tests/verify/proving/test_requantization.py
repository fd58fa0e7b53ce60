"""Requantisation for all sums: kernels that keep their definition, planted bugs, and what cannot be asked."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.arm.machine import compiler
from neonsim.arm.semantics import PolynomialLanes, TermPool, s32
from neonsim.errors import BadArgument
from neonsim.nn.backends.native.backend import available
from neonsim.quant.rounding import ROUNDINGS
from neonsim.ukernel import kernel, kernels
from neonsim.verify.checking import KernelUnderTest
from neonsim.verify.checking.mutations import apply_edits, flat
from tests.needs import needs

needs("z3", install="pip install 'neonsim[prove]'")

A64, A32 = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
BY_MULTIPLIER = ("qu8_gemm_q31", "qs8_gemm_rndnu", "qu8_gemm_rndnu", "qs8_igemm_rndnu", "qu8_igemm_rndnu",
                 "qs8_dwconv_rndnu", "qu8_dwconv_q31", "qu8_dwconv_mp_q31", "qu8_requantize_q31",
                 "qu8_requantize_rndnu", "qu8_requantize_gemmlowp")
RNDNU = "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane"
FP32 = ("qs8_gemm_fp32_4x16__aarch64_neon_mlal_lane", "qu8_gemm_fp32_4x8__aarch32_neon_mlal_lane",
        "qs8_qc8w_igemm_fp32_4x16__aarch64_neon_mlal_lane")
BUGS = {bug["name"]: bug for bug in tomllib.loads(
    (Path(__file__).parents[2] / "ukernel/bugs/by_hand.toml").read_text())[A64]["bugs"]}
# Those of what comes behind the sums.
LATE = {"no_upper_clamp_rows_01": 3, "clamp_of_half_a_register": 3, "clamp_limits_swapped": 3, "signed_clamp": 3,
        "ties_up_row_0": 3, "tie_fix_when_nothing_is_shifted": 0, "tie_fix_of_the_neighbor": 3, "tie_fix_unsigned": 3,
        "shift_without_rounding": 3, "shift_unsigned": 3, "shift_missing_once": 3, "multiplier_missing_once": 3,
        "no_output_zero_point": 3, "wrapping_zero_point": 0, "narrow_to_signed_bytes": 3,
        "second_half_overwrites_the_first": 3, "bias_of_row_7_missing": 3, "bias_of_wrong_columns": 3}


@pytest.mark.parametrize("scheme", [name for name, rule in ROUNDINGS.items() if rule.fixed])
@pytest.mark.parametrize("shift", [0, 1, 7, 31])
def test_definitions_are_read_as_numpy_reads_them(scheme: str, shift: int) -> None:
    pool, multiplier = TermPool(), 1527099520 + shift
    unknown = ROUNDINGS[scheme].body(PolynomialLanes.inputs(pool, "sum", s32, 1),
                                     PolynomialLanes.from_integers(pool, [multiplier], s32), shift)
    assert isinstance(unknown, PolynomialLanes)
    sums = np.r_[0, 1, -1, 2**31 - 1, -2**31, np.random.default_rng(shift).integers(-2**31, 2**31, 200)]
    wanted = ROUNDINGS[scheme].by(sums, multiplier, shift)
    for total, value in zip(sums.tolist(), wanted.tolist(), strict=True):
        assert pool.evaluate([unknown.lanes[0]], {("sum", 0): total}) == [value & (1 << 64) - 1]


@pytest.mark.parametrize(("name", "multiplier", "shift"), [
    ("qu8_requantize_rndnu_16x__aarch64_neon", 1527099520, 6),
    ("qs8_dwconv_rndnu_8x9__aarch64_neon_mla8", 1527099520, 6),
    (RNDNU, None, 3), *(pytest.param(*one, marks=pytest.mark.nightly) for one in (
        (A32, 1527099520, 6), (RNDNU, 1527099520, -3), (A64, 1 << 30, 0), (A64, (1 << 31) - 1, 1), (A64, None, 3),
        (A32, None, 31), (RNDNU, None, 9)))])
def test_proved(name: str, multiplier: int | None, shift: int) -> None:
    proof = ns.prove.requantization(name, multiplier, shift)
    assert proof, proof
    assert "every sum of 32 bits; output zero point, output min, output max" in proof.assumptions[0]


@pytest.mark.nightly
@pytest.mark.parametrize("name", [k.name for contract in BY_MULTIPLIER for k in kernels(contract)])
def test_every_kernel_with_a_multiplier(name: str) -> None:
    for shift in (0, 1, 9):
        assert ns.prove.requantization(name, 1527099520, shift, seconds=300), (name, shift)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name == "ties_up_row_0"
                                               else pytest.mark.nightly) for name in LATE])
def test_planted_bugs_are_refuted_by_a_run(name: str) -> None:
    each = kernel(A64)
    bug = BUGS[name]
    wrong = KernelUnderTest(assemble(apply_edits(flat(each), bug["edits"], name), isa=each.isa), A64, name,
                            each.contract.name,
                            each.tile, each.header.reads_before, each.header.reads_after)
    proof = ns.prove.requantization(wrong, 1527099520, LATE[name])
    assert proof.verdict == "refuted", proof
    found = proof.counterexample
    assert found is not None
    assert found.first != found.second
    given = dict(found.inputs)
    column = int(found.location.strip("]").rpartition(" ")[2])
    params = each_params(given)
    assert params.requantize([given[f"sum[{column}]"]]).item() == found.second
    assert found.traces[0].steps > 0


def each_params(given: dict[str, int]) -> Any:
    return ns.quant.Q31Params(given["multiplier"], given["shift"], 0, 0, given["output_zero_point"],
                              given["output_min"], given["output_max"])


@pytest.mark.parametrize(("name", "options", "sentence"), [
    (FP32[0], {"shift": 3}, "needs a scale"), (FP32[0], {"scale": 300.0}, "scale"), (A64, {"scale": 0.5}, "in float32"),
    (FP32[0], {"limits": 7}, "two bounds|two numbers"), (FP32[0], {"limits": (9, 3)}, "greater"),
    (FP32[0], {"zero_point": 128}, "zero_point"), ("qd8_f32_qc8w_gemm_4x16__aarch64_neon_mlal_lane", {}, "no"),
    ("qu8_gemm_s32_8x8__aarch64_neon_mlal_lane", {}, "no multiplier and shift"),
    (A64, {"shift": -1}, "shift of q31 must be in 0..31"), (A64, {"multiplier": 5}, "multiplier must be in"),
    (A64, {"seconds": -2}, "seconds"), ("qu8_vadd_32x__aarch64_neon", {}, "no"),
    ("qu8_requantize_precise_16x__aarch64_neon", {}, "gemmlowp and fp32"),
    ("s32_qs8_requantize_16x__aarch64_neon", {}, "gemmlowp and fp32")])
def test_what_cannot_be_asked(name: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        ns.prove.requantization(name, **options)


def test_a_solver_that_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = sys.modules["neonsim.verify.proving.engine.solver"]
    monkeypatch.setattr(solver, "_z3", lambda text, seconds: (None, {}, "too hard"))
    proof = ns.prove.requantization(A32, 1527099520, 6, solver="z3")
    assert (proof.verdict, proof.reason) == ("unknown", "z3: too hard")


# ---- single precision: every sum is run ----------------------------------------------------------------------------

def few(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """So many sums around 0, instead of all."""
    monkeypatch.setattr(sys.modules["neonsim.verify.proving.requantization_exhaustive"], "SUMS", 1 << bits)


def damaged(name: str, old: str = "fcvtns", new: str = "fcvtms") -> KernelUnderTest:
    """A kernel with another instruction in the place of one."""
    each = kernel(name)
    text = flat(each)
    lines = [line.replace(old, new) for line in text]
    assert lines != list(text)
    return KernelUnderTest(assemble("\n".join(lines), isa=each.isa), each.name, f"{each.name} with {new}",
                           each.contract.name,
                           each.tile, each.header.reads_before, each.header.reads_after)


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_single_precision_is_run_sum_by_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, 18)
    done: list[int] = []
    proof = ns.prove.requantization(FP32[1], scale=0.001, zero_point=3, limits=(2, 250), progress=done.append)
    assert proof, proof
    assert sum(done) == 1 << 18
    assert "scale 0.0010000000474974513, zero point 3, limits 2..250; checked on all 2**32 sums" in proof.claim


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("name", ["qu8_requantize_fp32_16x__aarch64_neon", pytest.param(
    "qu8_dwconv_fp32_8x9__aarch64_neon_mul16", marks=pytest.mark.nightly)])
def test_sums_of_no_product(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are given sums; a depthwise convolution has three pixels a call here, each with sums of its own."""
    few(monkeypatch, 18)
    proof = ns.prove.requantization(name, scale=0.01, zero_point=3)
    assert proof, proof
    assert not ns.prove.requantization(damaged(name), scale=0.01, zero_point=3)


NATIVE = pytest.mark.skipif(bool(available()), reason="the C library is not built")


@NATIVE
@pytest.mark.parametrize("name", [FP32[0], "qu8_requantize_fp32_16x__aarch64_neon"])
def test_kernels_in_c(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, 18)
    done: list[int] = []
    proof = ns.prove.requantization(name, scale=0.01, zero_point=3, native=True, progress=done.append)
    assert proof, proof
    assert "__scalar requantises as" in proof.claim or "__neon" in proof.claim
    assert sum(done) == 1 << 18


@NATIVE
def test_a_kernel_in_c_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its results spoilt behind its back: the sum is named, and what the definition says of it."""
    few(monkeypatch, 18)
    module = sys.modules["neonsim.verify.proving.requantization_exhaustive"]
    plain = module._Tiles.run

    def spoilt(self: Any, sums: Any) -> Any:
        left = plain(self, sums).copy()
        left[7, 2, 5] ^= 1
        self.results = left
        return left
    monkeypatch.setattr(module._Tiles, "run", spoilt)
    proof = ns.prove.requantization(FP32[0], scale=0.01, native=True)
    assert proof.verdict == "refuted"
    found = proof.counterexample
    assert found is not None and found.first == int(found.second) ^ 1
    assert "result [2, 5] of qs8_gemm_fp32_4x16__" in str(found)
    assert ns.quant.fp32_lrint(found.inputs["sum"], 0.01, dtype="int8").item() == found.second


@pytest.mark.parametrize(("name", "sentence"), [
    (A64, "native= applies only to kernels"), ("qu8_igemm_fp32_4x16__aarch64_neon_mlal_lane", "through pointers"),
    ("qu8_dwconv_fp32_8x9__aarch64_neon_mul16", "through pointers")])
def test_what_has_no_run_in_c(name: str, sentence: str) -> None:
    with pytest.raises(BadArgument, match=sentence):
        ns.prove.requantization(name, native=True)


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize(("old", "new", "scale"), [
    ("fcvtns", "fcvtms", 0.01), ("fcvtns", "fcvtas", 0.5), ("scvtf", "ucvtf", 0.01)])
def test_wrong_roundings_are_refuted_by_a_run(old: str, new: str, scale: float,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, 22)
    proof = ns.prove.requantization(damaged(FP32[0], old, new), scale=scale)
    assert proof.verdict == "refuted", proof
    found = proof.counterexample
    assert found is not None
    assert found.first != found.second == ns.quant.fp32_lrint(found.inputs["sum"], scale, dtype="int8").item()
    assert found.traces[0].steps > 0


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("name", [k.name for of in (
    *(f"{kind}_{of}_fp32" for kind in ("qs8", "qu8", "qs8_qc8w") for of in ("gemm", "igemm")), "qu8_dwconv_fp32",
    "qs8_qc8w_dwconv_fp32", "qu8_requantize_fp32") for k in kernels(of)])
def test_every_kernel_in_single_precision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, 24)
    for scale in (0.0001, 0.5):
        assert ns.prove.requantization(name, scale=scale, zero_point=5), name


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_all_sums() -> None:
    assert ns.prove.requantization(FP32[0])
