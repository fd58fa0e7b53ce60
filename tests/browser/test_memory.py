"""Memory on the page: typed regions in a moving window, addresses, text, cache lines; uninitialized data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

PROGRAM = """
f:      stp     d8, d9, [sp, #-32]!
        mov     w4, #-5
        ins     v0.s[1], w4
        movi    v1.16b, #7
        ins     v1.b[5], v20.b[1]
        ldr     q2, [x1]
        str     q2, [x0]
        strb    w4, [x0, #22]
        ldr     h3, [x3, #80]
        ldp     d8, d9, [sp], #32
        ret
"""
CELLS = """name => [...document.querySelectorAll(`[data-buffer="${name}"] tbody tr`)].map(row =>
    [...row.querySelectorAll('td.nsim-cell')].map(cell => cell.textContent))"""
HATCHED = """cell => /gradient/.test(getComputedStyle(cell).backgroundImage)"""


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    machine = ns.Machine()
    memory = machine.memory
    words = np.frombuffer(b"Hello, memory\0", np.uint8)
    arguments = [memory.declare("c=out:s32*4x4"), memory.declare("a=s32:1,-2,3,-4"),
                 memory.place(words, name="words", typed=False),
                 memory.place(np.arange(3000, dtype=np.int16).reshape(100, 30), name="big")]
    trace = machine.call(ns.assemble(PROGRAM, isa="aarch64"), *arguments).trace
    assert trace is not None
    return trace.to_html(tmp_path_factory.mktemp("memory") / "memory.html")


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html)
    assert tab.errors == []


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


def seek(page: Any, text: str) -> str:
    page.get_by_label("go to an address").fill(text)
    page.get_by_label("go to an address").press("Enter")
    return str(page.locator(".nsim-said").inner_text())


def test_what_nobody_has_written_is_hatched_byte_by_byte(page: Any) -> None:
    assert page.evaluate(CELLS, "c") == [["·"] * 4] * 4
    first = page.locator('[data-buffer="c"] td.nsim-cell').first
    assert first.get_attribute("aria-label") == "not written yet" and first.evaluate(HATCHED)
    lanes = page.locator('[data-register="v20"] .nsim-cell')
    assert set(lanes.all_inner_texts()) == {"·"} and lanes.first.evaluate(HATCHED)
    assert page.locator('[data-flag="n"]').inner_text() == "n ·"
    go(page, 5)
    assert page.locator('[data-register="v0"] [data-lane="1"]').inner_text() == "4294967291"
    assert page.locator('[data-register="v0"] [data-lane="0"]').get_attribute("aria-label") == "not written yet"
    page.get_by_label("element type of v1").select_option("s32")
    part = page.locator('[data-register="v1"] [data-lane="1"]')
    assert part.inner_text() == "0x0707··07" and part.evaluate(HATCHED)
    assert part.get_attribute("aria-label") == "byte 1 not written yet, written"
    go(page, 8)
    assert page.evaluate(CELLS, "c")[:2] == [["1", "-2", "3", "-4"], ["·", "0x··fb····", "·", "·"]]
    go(page, 6)
    assert page.evaluate(CELLS, "c")[0] == ["·"] * 4, "backwards too"


def test_type_text_and_link(page: Any) -> None:
    go(page, 8)
    page.get_by_label("element type of c").select_option("hex")
    assert page.evaluate(CELLS, "c")[:2] == [["00000001", "fffffffe", "00000003", "fffffffc"],
                                             ["········", "··fb····", "········", "········"]]
    page.get_by_label("element type of c").select_option("s16")
    assert page.evaluate(CELLS, "c")[0] == ["1", "0", "-2", "-1", "3", "0", "-4", "-1"]
    page.wait_for_url("**memory=c%3As16*")
    words = page.locator('[data-buffer="words"] .nsim-ascii')
    assert words.all_inner_texts() == ["text", "Hello, memory."]
    page.get_by_label("text of a", exact=True).check()
    assert page.locator('[data-buffer="a"] td.nsim-ascii').inner_text() == "................"


def test_a_link_carries_the_types(tab: Any, html: Path) -> None:
    tab.page.goto("about:blank")
    tab.page.goto(f"{html.as_uri()}#step=8&memory=c:s16,nothing:s8,a:q9")
    tab.page.wait_for_selector(".nsim[data-step]")
    assert tab.page.evaluate(CELLS, "c")[0] == ["1", "0", "-2", "-1", "3", "0", "-4", "-1"] and tab.errors == []


def test_go_to_an_address(page: Any) -> None:
    base = page.evaluate("window.neonsim.replay.buffers.find(b => b.name === 'big').address")
    for text, value in (("big + 4000", "2000"), (hex(base + 60 * 2), "60"), (str(base + 2), "1"), ("x3", "0")):
        assert seek(page, text).startswith(f"{hex(base + 2 * int(value))} is big + {2 * int(value)}"), text
        assert page.locator('[data-buffer="big"] .nsim-sought').inner_text() == value
    assert "byte 1 of its element" in seek(page, "big + 3")
    for text, words in (("big + 9999999", "is not in any region of this run (c, a, words, big"),
                        ("0x10", "lies in no region"), ("q", "q is neither a region nor a general register"),
                        ("x9", "x9 has not been written yet"),
                        ("c +", "is not an address. Write 4096, 0x1000")):
        assert words in seek(page, text), text


def test_a_large_region_is_a_window(page: Any) -> None:
    region = page.locator('[data-buffer="big"]')
    assert region.locator("td.nsim-cell").count() <= 12 * 16
    scroller = region.locator(".nsim-matrix-scroll")
    scroller.evaluate("e => { e.scrollTop = e.scrollHeight; e.scrollLeft = e.scrollWidth; }")
    page.wait_for_function("() => [...document.querySelectorAll('[data-buffer=big] td')].at(-1).textContent === '2999'")
    assert region.locator("tbody th").last.inner_text() == "99" and region.locator("td.nsim-cell").count() <= 12 * 16
    top = scroller.evaluate("e => e.querySelector('table').getBoundingClientRect().top - e.getBoundingClientRect().top")
    assert abs(top) < 4, "the rows stay in sight while they change"
    go(page, 9)
    assert region.locator("td.nsim-read").all_inner_texts() == ["40"], "and it goes where the step is"
    page.get_by_label("addresses").check()
    assert region.locator("tbody th").first.inner_text().startswith("0x1000")


def test_which_cache_a_line_is_in(tab: Any, tmp_path: Path) -> None:
    machine = ns.Machine()
    address = machine.memory.place(np.arange(64, dtype=np.int32), name="a")
    text = "ldr q0, [x0]\n ldr q1, [x0, #16]\n ldr q2, [x0, #64]\n ret"
    trace = machine.call(ns.assemble(text, isa="aarch64"), address).trace
    assert trace is not None
    page = tab.open(trace.to_html(tmp_path / "cold.html", timing=ns.time(trace, core="cortex-a53", caches="cold")))
    held = page.locator('[data-buffer="a"] td.nsim-in-l1')
    assert held.count() == 0 and page.get_by_text("in L1", exact=True).count() == 1
    go(page, 1)
    assert "loads 16 bytes, a + 0 (0x1" in (said := page.locator(".nsim-met").inner_text())
    assert said.endswith(": miss in L1 and L2 (modelled, cortex-a53)")
    assert page.locator('[data-buffer="a"] td.nsim-missed').count() == 4 and held.count() >= 16
    go(page, 2)
    assert page.locator('[data-buffer="a"] td.nsim-missed').count() == 0
    assert "hit in L1" in (said := page.locator(".nsim-met").inner_text()) or "on its way to L1" in said
    go(page, 0)
    assert held.count() == 0 and tab.errors == []


def test_cache_lines(page: Any, tab: Any, tmp_path: Path) -> None:
    edges = page.locator('[data-buffer="c"] td.nsim-edge')
    assert edges.count() == 1, "64 bytes begin at a multiple of 64"
    go(page, 7)
    assert page.locator('[data-buffer="c"] td.nsim-lit').count() == 16
    assert "stores 16 bytes, c + 0 (0x1" in page.locator(".nsim-met").inner_text()


def test_no_fill_pattern_is_a_value(tab: Any, tmp_path: Path) -> None:
    """What a kernel's output holds before: a pattern that the tests look for, and nobody's value."""
    path = tmp_path / "tile.html"
    assert main(["trace", "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "--html", str(path)]) == 0
    page = tab.open(path)
    for step in (0, 200):
        go(page, step)
        shown = [text for row in page.evaluate(CELLS, "c") for text in row if text]
        assert shown and set(shown) == {"·"}
    page.evaluate("window.neonsim.goto(window.neonsim.replay.steps)")
    shown = [text for row in page.evaluate(CELLS, "c") for text in row if text]
    assert len(shown) == 32 and all(text.isdigit() for text in shown)
    assert tab.errors == []
