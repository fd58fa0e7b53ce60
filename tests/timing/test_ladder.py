"""The ladder: our loops need no more instructions than the published ones, and carry the articles' ratios."""

from __future__ import annotations

import argparse

import pytest

from neonsim.cli.ladder import make_ladder
from neonsim.errors import BadArgument
from neonsim.timing.studies import Bars, Ladder, ladder
from neonsim.timing.studies.ladder import PUBLISHED


@pytest.fixture(scope="module")
def study() -> Ladder:
    return make_ladder(["cortex-a76"], argparse.Namespace())


def test_every_published_loop_has_its_kernel_and_is_matched(study: Ladder) -> None:
    """Counted: at least as many products an instruction as the libraries' loops (to the digits published)."""
    met = {(r.tile, r.technique) for r in study.rungs if r.published}
    assert met == {(tile, technique) for _, tile, technique in PUBLISHED}
    for rung in study.rungs:
        if rung.published:
            assert round(rung.rate, 2) >= rung.published, rung.kernel


def test_ratios_of_the_articles(study: Ladder) -> None:
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


def test_what_it_prints(study: Ladder) -> None:
    head, rows = study.table()
    assert len({len(row) for row in rows} | {len(head)}) == 1 and "cortex-a76 cycles/MAC" in head
    i8mm = next(row for row in rows if "i8mm" in row[0])
    assert i8mm[-2:] == ["-", "-"]          # the core has no matrix multiply: no figure, not a guess
    assert "None of these cores can run qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm" in study.notes
    assert max(map(len, str(study).splitlines())) <= 130
    counted, modelled = study.printed()
    assert [len(table[1]) for table in (counted, modelled)] == [len(rows)] * 2 and modelled[0][1:] == ["A76"]
    assert modelled[1][-1][1] == "-" and counted[1] == [row[:7] for row in rows]
    assert "ignores" in study.notes and "quoted, not measured" in study.notes
    figure = study.figure()
    assert isinstance(figure, Bars) and figure.legend[0] == "instructions alone"
    assert "+50 %" in str(study.picture())


def test_it_needs_the_kernel_it_stands_on() -> None:
    with pytest.raises(BadArgument, match="stands on the 8x8 kernel"):
        ladder([], ["cortex-a76"])
