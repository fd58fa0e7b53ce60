"""One row: held to runs that are written out here, call by call, and to kernels with bugs in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import StepLimit
from neonsim.studies.sweeps import job as jobs
from neonsim.studies.sweeps.job import row_of
from neonsim.studies.sweeps.plan import SweepJob, make_plan
from neonsim.ukernel import Kernel, kernel, run_alone
from neonsim.ukernel.cases import shaped
from neonsim.verify.checking.mutations import apply_edits, flat

GEMM = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
DOT = "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64"
WIDE = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"


def by_hand(name: str, m: int, n: int, k: int) -> list[Any]:
    """Every call of the product, one after the other, recorded."""
    one = kernel(name)
    return [run_alone(one.program(), name, shaped(one.contract.name, one.tile, mr=min(one.tile.mr, m - row),
                                                  nr=min(one.tile.nr or n, n - column), kc=k),
                      reads_before=one.header.reads_before, reads_after=one.header.reads_after, trace=True).result
            for row in range(0, m, one.tile.mr) for column in range(0, n, one.tile.nr or n)]


@pytest.mark.nightly
def test_counts_and_cycles_are_those_of_all_calls() -> None:
    calls = by_hand(GEMM, 6, 11, 9)
    row = row_of(SweepJob(0, "counts", GEMM, shape=(6, 11, 9, 1)))
    assert row["status"] == "ok" and row["calls"] == len(calls) == 4 and row["macs"] == 6 * 11 * 9
    assert row["instructions"] == sum(one.steps for one in calls)
    assert row["neon"] == sum(ns.time(one.trace).counts.neon for one in calls)
    cycles = row_of(SweepJob(0, "cycles", GEMM, core="cortex-a53", shape=(6, 11, 9, 1), caches="l1"))
    assert cycles["instructions"] == row["instructions"]
    assert cycles["cycles"] == pytest.approx(sum(ns.time(one.trace, "cortex-a53").cycles for one in calls), rel=0.1)
    cold = row_of(SweepJob(0, "cycles", GEMM, core="cortex-a53", shape=(4, 8, 9, 1), caches="cold"))
    trace = by_hand(GEMM, 4, 8, 9)[0].trace
    assert cold["cycles"] == ns.time(trace, "cortex-a53", caches="cold").cycles > 200


@pytest.mark.parametrize("name", [
    "qs8_dwconv_rndnu_8x9__aarch64_neon_mul16", "qu8_dwconv_q31_8x9__aarch32_neon_mlal",
    "qu8_dwconv_mp_q31_8x25__aarch32_neon_mlal", "qs8_qc8w_dwconv_fp32_8x25__aarch32_neon_mla8"])
@pytest.mark.nightly
def test_a_depthwise_shape_is_a_row_of_pixels_in_one_call(name: str) -> None:
    one = kernel(name)
    taps = one.tile.nr or 0
    rows = [row_of(SweepJob(0, "counts", name, shape=(pixels, channels, 1, taps)))
            for pixels, channels in ((1, 16), (2, 16), (3, 16), (2, 8))]
    assert all((row["status"], row["calls"], row["macs"]) == ("ok", 1, row["m"] * row["n"] * taps) for row in rows)
    each = [row["instructions"] for row in rows]
    assert each[2] - each[1] == each[1] - each[0] > 0       # pixels after the first cost the same
    assert taps < 2 * (each[1] - each[3]) < each[1]             # two pixels of 8 channels more
    right = row_of(SweepJob(0, "calls", name, shape=(3, 13, 1, taps), data="uniform", seed=1))
    assert right["status"] == "right", right
    wrong = row_of(SweepJob(0, "counts", name, shape=(3, 13, 1, 4)))
    assert wrong["status"] == "cannot" and f"pixels x channels x 1 x {taps}" in wrong["what"]
    large = row_of(SweepJob(0, "counts", name, shape=(1 << 20, 1 << 20, 1, taps)))
    assert large["status"] == "cannot" and "fewer pixels" in large["what"]


def planted_kernel(folder: Path, name: str, edits: list[list[str | int]]) -> Kernel:
    path = folder / f"{name}.S"
    path.write_text(apply_edits(flat(kernel(name)), edits))
    return Kernel(name, path)


@pytest.mark.nightly
def test_a_bug_is_found_by_every_measure_that_looks_for_it(tmp_path: Path, monkeypatch: Any) -> None:
    line = next(line for line in flat(kernel(WIDE)) if line.strip().startswith("sqrdmulh"))
    bad = planted_kernel(tmp_path, WIDE, [[" ".join(line.split("//")[0].split()), "nop", 1]])
    right = {measure: row_of(job)["status"] for measure, job in jobs_of().items()}
    assert right == {"calls": "right", "proofs": "proved", "counts": "ok"}
    monkeypatch.setattr(jobs, "kernel", lambda name: bad if name == WIDE else kernel(name))
    rows = {measure: row_of(job) for measure, job in jobs_of().items()}
    assert {measure: row["status"] for measure, row in rows.items()} == {"calls": "wrong", "proofs": "refuted",
                                                                         "counts": "ok"}
    assert "byte" in rows["calls"]["what"] and "against qu8_gemm_q31" in rows["proofs"]["what"]


def jobs_of() -> dict[str, SweepJob]:
    return {"calls": SweepJob(0, "calls", WIDE, shape=(2, 8, 9, 1), data="uniform", seed=0),
            "proofs": SweepJob(1, "proofs", WIDE, shape=(8, 8, 2, 1)),
            "counts": SweepJob(2, "counts", WIDE, shape=(2, 8, 9, 1))}


@pytest.mark.parametrize("job, says", [
    (SweepJob(0, "cycles", DOT, core="cortex-a53", shape=(1, 8, 8, 1), caches="l1"),
     "cortex-a53 has no dotprod"),
    (SweepJob(0, "counts", "qs8_dwconv_s32_8x9__aarch64_neon_mul16", shape=(2, 8, 1, 9)),
     "rows are not available for qs8_dwconv_s32"),
    (SweepJob(0, "proofs", "qs8_dwconv_rndnu_8x9__aarch64_neon_mul16", shape=(2, 8, 1, 9)), "dwconv"),
    (SweepJob(0, "counts", "qu8_vadd_32x__aarch64_neon", shape=(1, 8, 8, 1)), "shapes are not available for qu8_vadd"),
    (SweepJob(0, "counts", GEMM, shape=(1, 8, 8, 9)), "has no taps"),
    (SweepJob(0, "bugs", GEMM, bug=99_999), "mutations can be planted"),
    (SweepJob(0, "proofs", ns.kernels("qu8_gemm_xzp_q31")[0].name, shape=(1, 8, 2, 1)), "is the only kernel")])
def test_what_is_not_for_a_kernel_is_said_and_is_no_error(job: SweepJob, says: str) -> None:
    row = row_of(job)
    assert row["status"] == "cannot" and says in row["what"]


@pytest.mark.parametrize("problem, says", [
    (StepLimit("it does not end"), "it does not end"), (ZeroDivisionError("x / 0"), "ZeroDivisionError"),
    (RecursionError(), "RecursionError")])
def test_whatever_is_raised_is_a_row(problem: Exception, says: str, monkeypatch: Any) -> None:
    def raising(job: SweepJob) -> None:
        raise problem
    monkeypatch.setitem(jobs._MEASURES, "counts", raising)
    row = row_of(SweepJob(7, "counts", GEMM, shape=(1, 8, 8, 1)))
    assert row["job"] == 7 and row["status"] == "error" and says in row["what"] and row["seconds"] >= 0


@pytest.mark.nightly
def test_bugs_are_spread_over_the_kernel_and_noticed() -> None:
    plan = make_plan("qu8_sumrows_4x__aarch64_neon", measures="bugs", bugs=40)
    rows = [row_of(plan.job(number)) for number in range(len(plan))]
    assert len({row["bug"] for row in rows}) == 40 and len({row["bug"].rpartition("_")[0] for row in rows}) > 20
    assert sum(row["status"] == "noticed" for row in rows) >= 30
    assert {row["status"] for row in rows} <= {"noticed", "missed"}


@pytest.mark.nightly
def test_a_contract_is_swept(tmp_path: Path, monkeypatch: Any) -> None:
    name = "qu8_sumrows_4x__aarch64_neon"
    assert row_of(SweepJob(0, "contract", name, data="quick", seed=1))["status"] == "right"
    line = next(line for line in flat(kernel(name)) if line.strip().startswith("mul"))
    bad = planted_kernel(tmp_path, name, [[" ".join(line.split("//")[0].split()), "nop", 1]])
    monkeypatch.setattr(jobs, "kernel", lambda one: bad)
    row = row_of(SweepJob(0, "contract", name, data="quick", seed=1))
    assert row["status"] == "wrong" and "smallest failing case" in row["what"]
