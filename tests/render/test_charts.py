"""Figures of the studies: marks stand where the numbers are, text says the numbers, both palettes can be read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from neonsim.arm.timing import InstructionStream, StaticInstruction, time
from neonsim.errors import BadArgument
from neonsim.render.charts import bar_chart, chart, comparison_page, line_chart, slots_chart, study_page
from neonsim.render.svg import PALETTE, SERIES
from neonsim.studies.kernels import Bars, Lines, Series, anomaly, simple_rates

SVG = "{http://www.w3.org/2000/svg}"
LINES = Lines("depth", "gain", (Series("a <core>", ((8, 0.5), (16, 1.0), (64, 2.0))),
                                Series("here", ((8, 1.0), (64, 1.5)), measured=True)),
              ((1.0, "even"),), (("here", 64, "now"),))
BARS = Bars("cycles", ("plain", "measured"), (("a53", (3.0, 4.0)), ("a72", (2.0, None))), measured=("measured",))


def text_of(svg: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(svg).iter(f"{SVG}text")]


def test_lines_go_through_their_points() -> None:
    root = ET.fromstring(str(line_chart(LINES, "title")))
    paths = [node.get("d") or "" for node in root.iter(f"{SVG}path") if (node.get("class") or "") == "nsp-line-0"]
    points = [tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.]+) ([\d.]+)", paths[0])]
    (x0, y0), (x1, y1), (x2, y2) = points
    assert (x2 - x1) == pytest.approx(2 * (x1 - x0), abs=0.3)                # a logarithmic axis
    assert (y0 - y2) == pytest.approx(3 * (y0 - y1), abs=0.3) and y2 < y1 < y0
    dashed = [node for node in root.iter(f"{SVG}path") if node.get("stroke-dasharray")]
    assert [node.get("class") for node in dashed] == ["nsp-line-1"]          # measured


def test_lines_say_what_they_show() -> None:
    picture = line_chart(LINES, "title")
    words = text_of(str(picture))
    assert "title" in words and "depth" in words and "gain; line at 1: even" in words and "now" in words
    assert "here (measured): 8 1.00, 64 1.50" in picture.description and "a <core>" in words


def test_names_at_the_ends_do_not_overlap() -> None:
    many = tuple(Series(f"core {k}", ((8, 1.0), (16, 1.0 + k / 1000))) for k in range(12))
    root = ET.fromstring(str(line_chart(Lines("x", "y", (*many, Series("far", ((8, 1.0), (16, 3.0))))), "t")))
    ys = sorted(float(node.get("y") or 0) for node in root.iter(f"{SVG}text") if (node.text or "").startswith("core"))
    assert min(b - a for a, b in pairwise(ys)) >= 14.9
    assert min(ys) > 40 and max(ys) <= 48 + 320 + 4


def test_a_long_name_at_the_end_of_a_line_is_inside_the_picture() -> None:
    name = "a kernel with a name of forty characters"
    root = ET.fromstring(str(line_chart(Lines("x", "y", (Series(name, ((8, 1.0), (16, 2.0))),)), "t")))
    x = next(float(node.get("x") or 0) for node in root.iter(f"{SVG}text") if node.text == name)
    assert x + 7 * len(name) <= float(root.get("width") or 0)


def test_bars_are_as_high_as_their_values() -> None:
    root = ET.fromstring(str(bar_chart(BARS, "title")))
    found = {node.findtext(f"{SVG}title") or "": node.get("d") or "" for node in root.iter(f"{SVG}path")
             if node.find(f"{SVG}title") is not None}
    heights = {name: 368 - float(re.findall(r"V([\d.]+)h", d)[0]) for name, d in found.items()}
    assert heights["a53, measured: 4"] == pytest.approx(4 / 3 * heights["a53, plain: 3"], abs=0.5)
    assert set(heights) == {"a53, plain: 3", "a53, measured: 4", "a72, plain: 2"}


@pytest.mark.parametrize("values", [(0.0,), (0.0, 0.0), (3.0,)])
def test_bars_of_nothing_and_one_bar(values: tuple[float, ...]) -> None:
    legend = tuple("ab"[:len(values)])
    text = str(bar_chart(Bars("wrong", legend, (("g", values),)), "title"))
    ET.fromstring(text)
    assert "nan" not in text and "inf" not in text


@pytest.mark.parametrize("figure", [
    Lines("x", "y", ()), Lines("x", "y", (Series("a", ((0, 1.0),)),)), Bars("y", ("a",), ()),
], ids=["no_line", "no_logarithm", "no_bar"])
def test_nothing_to_draw_is_refused(figure: Lines | Bars) -> None:
    with pytest.raises(BadArgument):
        chart(figure, "title")


def luminance(color: str) -> float:
    parts = [int(color[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("number", range(len(SERIES)))
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_colors_of_series_can_be_read(number: int, dark: bool) -> None:
    a, b = sorted((luminance(SERIES[number][dark]), luminance(PALETTE["paper"][2 * dark])), reverse=True)
    assert (a + 0.05) / (b + 0.05) >= 4.5


def test_page_of_a_study(tmp_path: Path) -> None:
    study = simple_rates(["cortex-a53", "cortex-a72"])
    text = study.to_html(tmp_path / "study.html").read_text(encoding="utf-8")
    assert text == study_page(study) and "<script" not in text and "color-scheme: light dark" in text
    assert "<td>cortex-a72</td><td>2.00</td><td>1.50</td>" in text and 'role="img"' in text
    assert "modelled" in anomaly().picture().description
    shown = study._repr_html_()
    assert shown.startswith("<img src='data:image/svg") and "<td>2.00</td><td>1.50</td>" in shown and "<h1" not in shown
    assert repr(study) == str(study)


def test_slots_side_by_side_add_up() -> None:
    ops = [StaticInstruction("ldr_simd", "ldr", "q", reads=(("base", "x0"),), writes=(("t", "v0"),), nbytes=16),
           StaticInstruction("asimd_mul", "mul", "q", 32, reads=(("n", "v0"),), writes=(("d", "v1"),))]
    timings = [time(InstructionStream.of_ops(ops, iterations=50), core=core) for core in ("cortex-a53", "cortex-a72")]
    picture = slots_chart(timings)
    root = ET.fromstring(str(picture))
    titles = [node.text or "" for node in root.iter(f"{SVG}title")]
    for timing in timings:
        parts = [float(text.rpartition(": ")[2]) for text in titles if timing.core.name in text]
        assert sum(parts) == pytest.approx(timing.cycles / 50, abs=0.05 * len(parts))
    assert "issued" in picture.description and comparison_page(timings).count("<tr>") == 3
    with pytest.raises(BadArgument):
        slots_chart([])
