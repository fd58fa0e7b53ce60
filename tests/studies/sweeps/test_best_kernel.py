"""The best of rows that are made up: held to a plain search through all of them."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neonsim.errors import BadArgument
from neonsim.nn.graph import model
from neonsim.nn.ops import Conv2d, FullyConnected
from neonsim.render.charts import study_page
from neonsim.studies.sweeps.best_kernel import label
from neonsim.studies.sweeps.dataset import encoded
from neonsim.studies.sweeps.job import broken
from neonsim.studies.sweeps.layer_shapes import layer_lines, layer_shapes
from neonsim.studies.sweeps.plan import SweepPlan, make_plan
from neonsim.studies.sweeps.rows import Rows

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["qu8_gemm_q31_1x8__aarch64_neon_mlal_lane", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane",
         "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"]
START = dict(zip(NAMES, (10.0, 40.0, 200.0), strict=True))        # cycles = start + slope x depth
SLOPE = dict(zip(NAMES, (9.0, 4.0, 1.0), strict=True))


def filled(folder: Path, plan: SweepPlan) -> Rows:
    pytest.importorskip("pyarrow", reason="pip install 'neonsim[sweep]'")
    data = Rows.create(folder, plan)
    for chunk in plan:
        jobs = [plan.job(number) for number in range(chunk.first, chunk.end)]
        data.add(chunk, encoded(plan, chunk, [
            {**broken(job, "ok", "", 0.1), "cycles": START[job.kernel] + SLOPE[job.kernel] * job.shape[2]}
            if job.shape and not (job.core == "cortex-a55" and job.kernel == NAMES[0])
            else broken(job, "cannot", "not here", 0.1) for job in jobs]))
    data.close()
    return data


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    yield filled(tmp_path / "rows", make_plan(NAMES, cores="a53,a55", shapes="8x8x2..80/2", chunk=7))


def test_the_best_is_that_of_a_search_through_all_rows(rows: Rows) -> None:
    report = rows.best(weights={(8, 8, 80, 1): 5})
    study = report.data
    for core, k in itertools.product(("cortex-a53", "cortex-a55"), range(2, 81, 2)):
        ordered = sorted((START[name] + SLOPE[name] * k, name) for name in NAMES[core == "cortex-a55":])
        best = study.best[core, (8, 8, k, 1)]
        assert (best.cycles, best.kernel) == ordered[0] and (best.excess, best.second) == ordered[1]
    weight = {k: 5 if k == 80 else 1 for k in range(2, 81, 2)}
    sums = {name: sum(weight[k] * (START[name] + SLOPE[name] * k) for k in weight) for name in NAMES}
    assert study.best_single("cortex-a53") == pytest.approx((min(sums, key=lambda n: sums[n]), min(sums.values())))
    least = sum(weight[k] * min(START[name] + SLOPE[name] * k for name in NAMES) for k in weight)
    assert study.chosen("cortex-a53") == pytest.approx(least)
    head, table = report.table
    assert len(table) == 80 and head[:2] == ["core", "m"] and "cortex-a55" in str(report)


def test_a_crossover_is_where_another_becomes_the_best(rows: Rows) -> None:
    report = rows.crossover("cortex-a53")
    study = report.data
    # 10 + 9 k against 40 + 4 k: from 6; 40 + 4 k against 200 + k: from 54 (equal at 53.3).
    assert study.leads == ((2.0, NAMES[0]), (6.0, NAMES[1]), (54.0, NAMES[2])) and study.axis == "k"
    size, speed = study.lines[NAMES[1]][0]
    assert size == 2.0 and speed == pytest.approx(8 * 8 * 2 / 48)
    assert "from 6 on 4x8 A32 mlal_lane, from 54 on 8x8 A64 mlal_lane" in report.notes
    assert "from 54" in str(report.picture())
    assert rows.crossover("cortex-a55").data.leads == ((2.0, NAMES[1]), (54.0, NAMES[2]))


def test_the_heat_map_has_a_cell_for_each_shape_and_core(rows: Rows) -> None:
    picture = rows.best().picture()
    root = ET.fromstring(str(picture))
    cells = {node.findtext(f"{SVG}title"): node.get("class") for node in root.iter(f"{SVG}rect")
             if node.find(f"{SVG}title") is not None}
    assert len(cells) == 80 and len(set(cells.values())) == 3
    assert f"8x8x80, A53: {NAMES[2]}, 280 cycles; {NAMES[1]} takes 28.6 % more" in cells
    letters = [node.text for node in root.iter(f"{SVG}text") if (node.text or "") in ("A", "B", "C")]
    assert sorted(letters) == ["A", "B", "C"]           # the legend
    assert root.get("role") == "img" and "80 cells: 4x8 A32 mlal_lane in" in (root.get("aria-label") or "")
    page = study_page(rows.best())
    assert '<figure tabindex="0">' in page and "prefers-color-scheme:dark" in page


def test_what_cannot_be_compared_is_a_sentence(rows: Rows, tmp_path: Path) -> None:
    for ask, says in ((lambda: rows.best("qs8_gemm_rndnu"), "no kernel of qs8_gemm_rndnu"),
                      (lambda: rows.best(caches="cold"), "no cycles of qu8_gemm_q31 with caches cold"),
                      (lambda: rows.crossover("cortex-a72"), "no rows of cortex-a72")):
        with pytest.raises(BadArgument, match=says):
            ask()
    two = make_plan([*NAMES, "qu8_gemm_s32"], cores="a53", shapes="8x8x8")
    with pytest.raises(BadArgument, match="kernels of 2 contracts"):
        Rows(tmp_path, two).best()
    one = filled(tmp_path / "one", make_plan(NAMES, cores="a53", shapes="8x8x8"))
    with pytest.raises(BadArgument, match="no size of qu8_gemm_q31 grows"):
        one.crossover()


def test_why_there_are_no_cycles(tmp_path: Path) -> None:
    """Every row of the Cortex-A55 says "cannot", of NAMES[0]: that is told, not that nobody asked for cycles."""
    none = filled(tmp_path / "none", make_plan(NAMES[0], cores="a55", shapes="8x8x8..10"))
    with pytest.raises(BadArgument, match=r"no cycles of qu8_gemm_q31 with caches l1: of its rows 3 "
                                          r"cannot\. The first: cannot, not here\.$"):
        none.best()
    empty = Rows(tmp_path / "empty", make_plan(NAMES, cores="a53", shapes="8x8x8"))
    with pytest.raises(BadArgument, match="none of its rows is there yet"):
        empty.best()
    counts = filled(tmp_path / "counts", make_plan(NAMES, measures="counts", shapes="8x8x8"))
    with pytest.raises(BadArgument, match='sweep with measures="cycles"'):
        counts.best()


def test_lines_of_depthwise_layers_are_those_of_the_graph() -> None:
    found: dict[Any, int] = {}
    graph = model("mobilenet_v1")
    for node in graph.nodes:
        if isinstance(node.operator, Conv2d):
            _, rows, wide, channels = map(int, graph.tensors[node.results[0]].shape)
            weights = node.operator.w.values          # [out, kh, kw, in / groups]
            if weights.shape[0] == node.operator.groups == channels > 1:
                shape = (wide, channels, 1, weights[0].size)
                found[shape] = found.get(shape, 0) + rows
    assert found and layer_lines(["mobilenet_v1"]) == found
    assert layer_lines(["squeezenet"]) == {}


def test_labels() -> None:
    assert label("qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64") == "4x16c4 A64 neondot_ld64"


@pytest.mark.nightly
@pytest.mark.parametrize("indirect", [False, True])
def test_layer_shapes_are_those_of_the_graph(indirect: bool) -> None:
    found: dict[Any, int] = {}
    graph = model("squeezenet")
    for node in graph.nodes:
        out = graph.tensors[node.results[0]].shape
        if isinstance(node.operator, Conv2d | FullyConnected):
            weights = node.operator.w.values          # [out, kh, kw, in / groups] or [out, in]
            taps = weights[0, ..., 0].size if indirect else 1
            shape = (int(out[1] * out[2]) if len(out) == 4 else int(out[0]), weights.shape[0],
                     weights[0].size // taps, taps)
            found[shape] = found.get(shape, 0) + 1
    assert layer_shapes(["squeezenet"], indirect) == found
    assert sum(layer_shapes().values()) > 150
