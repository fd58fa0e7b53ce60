"""The ladder: our loops need no more instructions than the published ones, and carry the articles' ratios."""

from __future__ import annotations

import argparse

import pytest

from neonsim.errors import BadArgument
from neonsim.nn.backends.native import backend
from neonsim.nn.backends.native.network import families
from neonsim.studies.kernels import STEPS, Bars, IsaComparison, MeasuredFamily, Report, compare_isas
from neonsim.studies.kernels.macs_per_instruction import PUBLISHED, steps_table
from neonsim.studies.runners.kernels import NETWORKS, measure_isa_families, run_isa_comparison


@pytest.fixture(scope="module")
def report() -> Report:
    return run_isa_comparison(["cortex-a76"], argparse.Namespace(no_host=True))


@pytest.fixture(scope="module")
def study(report: Report) -> IsaComparison:
    found: IsaComparison = report.data
    return found


@pytest.mark.slow
def test_every_published_loop_has_its_kernel_and_is_matched(study: IsaComparison) -> None:
    """Counted: at least as many products an instruction as the libraries' loops (to the digits published)."""
    met = {(r.tile, r.technique) for r in study.rungs if r.published}
    assert met == {(tile, technique) for _, tile, technique in PUBLISHED}
    for rung in study.rungs:
        if rung.published:
            assert round(rung.rate, 2) >= rung.published, rung.kernel


@pytest.mark.nightly
def test_ratios_of_the_articles(study: IsaComparison) -> None:
    """Instructions alone land at +50 % for pairs of products, and near 4x for the dot product (D05)."""
    by = {r.kernel: r for r in study.rungs}
    base = study.base.rate
    assert base == pytest.approx(3.2)
    assert by["qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal"].rate / base == pytest.approx(1.48, abs=0.01)
    for form, low in (("ld32", 3.3), ("ld64", 3.9), ("ld128", 4.1)):
        rung = by[f"qs8_gemm_rndnu_4x16c4__aarch64_neondot_{form}"]
        assert low < rung.rate / base < 4.3
        # The modelled core starts two dot products where it starts one long multiply: more than instructions say.
        speed = study.speed_up(rung, "cortex-a76")
        assert speed is not None and speed > rung.rate / base


@pytest.mark.nightly
def test_what_it_prints(report: Report) -> None:
    head, rows = report.table
    assert len({len(row) for row in rows} | {len(head)}) == 1 and "cortex-a76 cycles/MAC" in head
    i8mm = next(row for row in rows if "i8mm" in row[0])
    assert i8mm[-2:] == ["-", "-"]          # the core has no matrix multiply: no figure, not a guess
    assert "None of these cores can run qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm" in report.notes
    assert max(map(len, str(report).splitlines())) <= 130
    counted, modeled, sets = report.printed
    assert [row[0] for row in sets[1]] == [step.name for step in STEPS]
    assert [len(table[1]) for table in (counted, modeled)] == [len(rows)] * 2 and modeled[0][1:] == ["A76"]
    assert modeled[1][-1][1] == "-" and counted[1] == [row[:7] for row in rows]
    assert "ignores" in report.notes and "quoted, not measured" in report.notes
    figure = report.figure
    assert isinstance(figure, Bars) and figure.legend[0] == "instructions alone"
    assert "+50 %" in str(report.picture())


def test_instruction_sets_without_a_machine(report: Report, study: IsaComparison) -> None:
    """Steps are counted anywhere; what was not measured has no number."""
    head, rows = steps_table({}, study.rungs)
    by = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert {"scalar", "SSE2", "SSE4.1", "AVX", "XOP", "AVX2", "AVX-512 BW", "NEON", "NEON v8", "NEON dot",
            "WASM SIMD"} <= set(by)
    assert (by["NEON"]["MAC/NEON"], by["NEON, pairs"]["MAC/NEON"]) == ("3.20", "4.74")
    assert all(row["GMAC/s"] == row["x scalar"] == "-" for row in by.values())
    assert "Nothing was measured" in report.notes
    assert report.to_dict()["instruction_sets"][0]["instruction set"] == "scalar"


def test_measured_ones_stand_beside_them(study: IsaComparison) -> None:
    given = {"scalar": MeasuredFamily(None, 2e9, {"n": 80.0}), "avx2": MeasuredFamily(None, 1e11, {"n": 4.0}),
             "amx": MeasuredFamily("no tiles")}
    beside = compare_isas(study.rungs, ["cortex-a76"], (), given)
    by = {row[0]: row for row in steps_table(given)[1]}
    assert by["AVX2"][5:] == ["100.0", "4.00", "20.0", ""] and by["AMX"][5:] == ["-", "-", "-", "no tiles"]
    assert "  AMX: no tiles" in beside.notes and "  AVX, XOP: not built" in beside.notes
    assert max(map(len, str(beside).splitlines())) <= 130


@pytest.mark.nightly
@pytest.mark.skipif(backend.available() is not None, reason=str(backend.available()))
def test_this_machine_is_measured() -> None:
    """Every family that runs here has numbers, those that do not a reason."""
    found = measure_isa_families(64)
    assert {name for name, one in found.items() if one.lacks is None} - {"simd128"} == {
        name for name, lacks in families().items() if lacks is None}
    for name, one in found.items():
        assert one.lacks or (one.peak > 0 and set(one.milliseconds) == set(NETWORKS)), name


def test_it_needs_the_kernel_it_stands_on() -> None:
    with pytest.raises(BadArgument, match="needs the 8x8 kernel"):
        compare_isas([], ["cortex-a76"])
