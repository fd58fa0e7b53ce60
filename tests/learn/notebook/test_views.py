"""Views: what they say is what the data say; pictures are well-formed, escaped, light and dark."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.learn.notebook import views
from neonsim.render.pictures.layout.cache_sets import cache_sets
from neonsim.ukernel.packing import DepthwiseLayout, GemmLayout, pack_gemm

A32, A64 = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
DUAL = "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"


def words(view: views.View) -> list[str]:
    root = ET.fromstring(view.picture.svg)
    return [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]


VIEWS: dict[str, tuple[Callable[[], views.View], str]] = {
    "packing": (lambda: views.packing(n=12, k=10, kr=2, sr=8), "n=7"),
    "packing_depthwise": (lambda: views.packing(DepthwiseLayout(12, (9,)), block=1), "tap 8"),
    "packing_weights": (lambda: views.packing(pack_gemm(np.ones((8, 4), np.uint8), np.zeros(8, np.int32), nr=8,
                                                        a_zero_point=0, w_zero_point=0)), "bias"),
    "indirection": (lambda: views.indirection((5, 5), padding=1), "zero"),
    "indirection_rows": (lambda: views.indirection((5, 5), padding=1, rows=True, tile=2), "output 2,4"),
    "timeline": (lambda: views.timeline(A64, "cortex-a72", count=8), "cycle"),
    "mix": (lambda: views.mix(A64, ns.kernel(A32)), "3.20 MAC per NEON instruction"),
    "registers": (lambda: views.registers(A32), "vacc[3] hi"),
    "cache_sets": (lambda: views.cache_sets(8, 1024, 8192),
                   "walked a second time, side by side: 1024 misses (modelled)"),
    "number_line": (lambda: views.number_line(585, 1 / 90, zero_point=128), "q31"),
    "compare": (lambda: views.compare(A32, DUAL, core="cortex-a75"), "neon_mull_padal"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_shows_itself_everywhere(name: str, tmp_path: Path) -> None:
    make, said = VIEWS[name]
    view = make()
    assert said in words(view)
    bundle = view._repr_mimebundle_()
    assert bundle["text/html"].startswith("<img ") and bundle["text/plain"] == str(view) != ""
    assert "prefers-color-scheme:dark" in view.picture.svg and 'class="nsp-paper"' in view.picture.svg
    ET.parse(view.to_svg(tmp_path / "view.svg"))
    page = view.to_html(tmp_path / "view.html").read_text()
    assert view.picture.svg in page and "<script" not in page and "http://www.w3.org" in page
    assert len(re.findall(r"https?://(?!www\.w3\.org)", page)) == 0, "a page asks for nothing"


def test_cache_sets_are_those_of_the_addresses() -> None:
    found = cache_sets(3, 100, 160, size=1024, ways=2)
    lines = {byte // 64 for row in range(3) for byte in range(160 * row, 160 * row + 100)}
    assert found == [sum(line % 8 == number for line in lines) for number in range(8)]


def test_registers_alive_reach_the_limit() -> None:
    program = ns.assemble("f: movi v0.4s, #0\n" + "".join(f" movi v{i}.4s, #{i}\n" for i in range(1, 4))
                          + "0: add v0.4s, v0.4s, v1.4s\n add v0.4s, v0.4s, v2.4s\n add v0.4s, v0.4s, v3.4s\n"
                          " subs x0, x0, #1\n b.ne 0b\n ret", isa="aarch64")
    assert "4 of 32 vector registers alive at most" in str(views.registers(program))


def test_a_trace_a_timing_and_a_result_do_as_well(dot: ns.Trace) -> None:
    timing = ns.time(dot, core="cortex-a53")
    assert str(views.timeline(dot)) == str(views.timeline(timing)) and "modelled" in str(views.timeline(dot))
    assert views.mix(dot).text and views.compare(timing, timing).text and views.registers(dot).text


def test_bytes_of_the_number_line() -> None:
    text = str(views.number_line(585, 1 / 90, zero_point=250))
    assert "q31" in text and "within 0..255: 255" in text and "fp32_lrint" in text
    assert "within -128..127: 6" in str(views.number_line(585, 1 / 90, dtype="int8"))


def test_names_are_escaped() -> None:
    program = ns.assemble("f: add x0, x0, #1\n subs x1, x1, #1\n b.ne f\n ret", isa="aarch64")
    timing = ns.time(program, core="cortex-a53", entry="f")
    object.__setattr__(timing.stream, "name", "<b>&</b>")
    for view in (views.timeline(timing), views.registers(timing)):
        assert "<b>" not in view.page() and "&lt;b&gt;" in view.page()


@pytest.mark.parametrize(("make", "message"), [
    (lambda: views.packing("weights"), "packed weights or a layout"),
    (lambda: views.packing(GemmLayout(n=8, k=8, nr=8), block=3), "no block 3"),
    (lambda: views.indirection(5), "a size"),
    (lambda: views.indirection((2, 2), (3, 3)), "no output pixel is left"),
    (lambda: views.indirection((5, 5), tile=99), "no tile 99"),
    (lambda: views.timeline("qu8_gemm"), "There is no kernel"),
    (lambda: views.timeline(3), "3 is not a kernel, Program, Trace or Timing"),  # type: ignore[arg-type]
    (lambda: views.timeline(A64, "cortex-q9"), "cortex-q9"),
    (lambda: views.timeline(A64, first=10**9), "first must be"),
    (lambda: views.mix(), "needs kernels"),
    (lambda: views.mix([A64]), "a list is not a kernel"),  # type: ignore[arg-type]
    (lambda: views.registers(A64, count=0), "count must be"),
    (lambda: views.cache_sets(0, 1024), "rows must be 1 or more; got 0"),
    (lambda: views.cache_sets(8, 1024, 10), "the pitch at least the length"),
    (lambda: views.cache_sets(8, 10.5), "length must be an integer of 1 or more; got 10.5"),  # type: ignore[arg-type]
    (lambda: views.cache_sets(8, 64, core="ideal-1"), "teaching core"),
    (lambda: views.number_line(1, -0.5), "scale"),
    (lambda: views.number_line(1 << 40, 0.5), "accumulator"),
    (lambda: views.number_line(1, 0.5, dtype="float32"), "uint8, int8 or int16"),
    (lambda: views.compare(A64), "at least two"),
], ids=lambda value: value.replace(" ", "_") if isinstance(value, str) else "")
def test_wrong_input_is_said(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ns.NeonsimError, match=message):
        make()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(ns.BadArgument, match="cannot be written"):
        views.packing().to_svg(tmp_path / "nowhere" / "x.svg")


def test_under_the_public_name() -> None:
    assert ns.views is views
