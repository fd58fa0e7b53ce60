"""Jobs by number: the product that is never listed is the one that itertools lists."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from neonsim.errors import BadArgument, KernelFileError, TimingError
from neonsim.studies.sweeps.plan import MAX_ROWS, MEASURES, Chunk, SweepJob, SweepPlan, check_digest, make_plan
from neonsim.ukernel import kernels
from tests.work import calls

GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"


def test_every_measure_is_the_product_of_its_axes() -> None:
    plan = make_plan("qu8_gemm_q31_1x8*", measures=MEASURES, cores="a53,a76", shapes="1..3x8x16..64/16, 4x8x9x2",
                     caches="l1,cold", data="uniform,ties", seeds="3..5", bugs=2)
    shapes = [(m, 8, k, 1) for m in (1, 2, 3) for k in (16, 32, 48, 64)] + [(4, 8, 9, 2)]
    names = kernels("qu8_gemm_q31").names
    cores, seeds = ("cortex-a53", "cortex-a76"), (3, 4, 5)
    assert plan.kernels == tuple(name for name in names if "_1x8_" in name)
    listed = [
        *(("cycles", *one) for one in itertools.product(plan.kernels, shapes, ("l1", "cold"), cores)),
        *(("counts", *one) for one in itertools.product(plan.kernels, shapes)),
        *(("calls", *one) for one in itertools.product(plan.kernels, shapes, ("uniform", "ties"), seeds)),
        *(("contract", *one) for one in itertools.product(plan.kernels, seeds)),
        *(("bugs", *one) for one in itertools.product(plan.kernels, range(2))),
        *(("proofs", *one) for one in itertools.product(plan.kernels, shapes))]
    asked = {"cycles": ("kernel", "shape", "caches", "core"), "counts": ("kernel", "shape"),
             "calls": ("kernel", "shape", "data", "seed"), "contract": ("kernel", "seed"), "bugs": ("kernel", "bug"),
             "proofs": ("kernel", "shape")}
    jobs = [plan.job(number) for number in range(len(plan))]
    assert [(job.measure, *(getattr(job, axis) for axis in asked[job.measure])) for job in jobs] == listed
    assert [job.number for job in jobs] == list(range(len(listed)))


DEPTHWISE = "qs8_dwconv_rndnu_8x9__aarch64_neon_mla8"


def test_depthwise_kernels_are_asked_of_lines_and_others_of_products() -> None:
    plan = make_plan([GEMM, DEPTHWISE], measures="cycles,counts,calls,contract", cores="a53,a55", seeds="0..1",
                     shapes="1..3x8x16", lines=[(7, 32, 1, 9), "14x64x1x9"], caches="l1,cold")
    products, lines = [(m, 8, 16, 1) for m in (1, 2, 3)], [(7, 32, 1, 9), (14, 64, 1, 9)]
    asked = [(GEMM, shape) for shape in products] + [(DEPTHWISE, shape) for shape in lines]
    cores, seeds = ("cortex-a53", "cortex-a55"), (0, 1)
    listed = [
        *(("cycles", *one, caches, core) for one in asked for caches in ("l1", "cold") for core in cores),
        *(("counts", *one) for one in asked),
        *(("calls", *one, "uniform", seed) for one in asked for seed in seeds),
        *(("contract", name, seed) for name in (GEMM, DEPTHWISE) for seed in seeds)]
    axes = {"cycles": ("kernel", "shape", "caches", "core"), "counts": ("kernel", "shape"),
            "calls": ("kernel", "shape", "data", "seed"), "contract": ("kernel", "seed")}
    jobs = [plan.job(number) for number in range(len(plan))]
    assert [(job.measure, *(getattr(job, axis) for axis in axes[job.measure])) for job in jobs] == listed
    assert SweepPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert "20 = 1 kernels x 3 shapes x 2 caches x 2 cores + 1 kernels x 2 shapes x 2 caches x 2 cores" in str(plan)


def test_a_folder_of_the_version_before_lines_is_still_read() -> None:
    plan = make_plan(GEMM, cores="a53", shapes="8x8x8")
    assert "lines" not in plan.to_dict() and SweepPlan.from_dict(plan.to_dict()) == plan


@pytest.mark.parametrize("chunk", [None, 1, 7, 1000])
def test_chunks_hold_every_job_once_and_one_measure_each(chunk: int | None) -> None:
    plan = make_plan(GEMM, measures="counts,calls,bugs", shapes="1..9x8x1..9", seeds="0..2", bugs=5, chunk=chunk)
    numbers = [number for one in plan for number in range(one.first, one.end)]
    assert numbers == list(range(len(plan)))
    for one in plan:
        assert len({plan.job(number).measure for number in range(one.first, one.end)}) == 1
        assert plan.chunk_of(one.number) == one
    assert plan.chunks == sum(1 for _ in plan)


def test_a_thousand_million_jobs_are_no_list() -> None:
    def ask(depth: int) -> tuple[SweepPlan, SweepJob, Chunk]:
        plan = make_plan(GEMM, measures="calls", shapes=f"1..100x1..100x1..{depth}", data="uniform", seeds="0..99")
        return plan, plan.job(len(plan) - 1), plan.chunk_of(plan.chunks - 1)
    plan, last, chunk = ask(1000)
    assert len(plan) == 10**9 and plan.chunks == 20_000
    assert (last.shape, last.seed) == ((100, 100, 1000, 1), 99)
    assert chunk.end == 10**9 and chunk.end - chunk.first == MAX_ROWS
    assert calls(lambda: ask(1000)) < 1.1 * calls(lambda: ask(10))


def test_a_definition_comes_back_from_json_and_has_one_identity() -> None:
    plan = make_plan(GEMM, cores="a53", shapes=[(8, 8, 64), "1x8x1..9"])
    again = SweepPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == plan and again.identity == plan.identity
    check_digest(again)
    other = make_plan(GEMM, cores="a53", shapes=[(8, 8, 64), "1x8x1..8"])
    assert other.identity != plan.identity and other.differs(plan) == ["shapes"]


@pytest.mark.parametrize("change, says", [
    ({"measures": ["speed"]}, "no measure 'speed'"), ({"bugs": "many"}, "bugs is of the wrong type"),
    ({"shapes": ["8x8"]}, "a shape must be rows x columns x depth"), ({"seeds": "0..x"}, "seeds must be a number"),
    ({"chunk": -1}, "chunk must be"), ({"more": 1}, "its fields|the fields"),
    ({"kernels": [1]}, "kernels is of the wrong"),
    ({"shapes": ["1..99999999x1x1"]}, "a size of the shape"), ({"shapes": []}, "the number of rows must be"),
    ({"lines": "7x8x1x9"}, "lines is of the wrong"), ({"lines": ["7x8"]}, "a shape must be rows x columns x depth"),
    ({"lines": ["1..99999999x1x1"]}, "a size of the shape")])
def test_a_definition_of_somebody_else_is_looked_at(change: dict[str, object], says: str) -> None:
    plan = make_plan(GEMM, cores="a53", shapes="8x8x8")
    with pytest.raises(BadArgument, match=says):
        SweepPlan.from_dict({**plan.to_dict(), **change})


@pytest.mark.parametrize("change", [{"version": "0.0.1"}, {"digest": "0" * 32}])
def test_other_machines_must_have_the_same(change: dict[str, str]) -> None:
    plan = make_plan(GEMM, cores="a53", shapes="8x8x8")
    with pytest.raises(BadArgument, match="Install the same"):
        check_digest(SweepPlan.from_dict({**plan.to_dict(), **change}))


@pytest.mark.parametrize("words, says", [
    ({"chosen": "nonsense"}, "There is no kernel"), ({"chosen": "zz*"}, "no kernel matches"),
    ({"chosen": ""}, "name a kernel"),
    ({"chosen": [3]}, "must be names"), ({"cores": "nonsense"}, "no core"), ({"cores": ""}, "name a core"),
    ({"cores": "mine.toml"}, "built-in cores"), ({"shapes": ""}, "name some"),
    ({"shapes": "8x8x0"}, "a size of the shape"),
    ({"shapes": "8x8x9..3"}, "a size of the shape"), ({"shapes": "8x8x8/2"}, "FIRST..LAST"),
    ({"measures": "speed"}, "no measure"), ({"caches": "hot"}, "no state of caches"), ({"data": "odd"}, "no kind"),
    ({"chunk": 0}, "chunk must be"), ({"bugs": 0}, "bugs must be"), ({"seeds": "-1"}, "seeds must be a number"),
    ({"shapes": "1..999999x1..999999x1..999999"}, "the number of rows")])
def test_wrong_words_are_one_sentence(words: dict[str, Any], says: str) -> None:
    chosen = words.pop("chosen", GEMM)
    with pytest.raises((BadArgument, KernelFileError, TimingError), match=says) as refused:
        make_plan(chosen, **{"shapes": "8x8x8", "cores": "a53", **words})
    assert "\n" not in str(refused.value).replace("Do you mean\n", "")
