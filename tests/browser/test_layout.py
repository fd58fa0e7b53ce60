"""The stepper stands still, what matters is in sight, and a finger can meet what it shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main

record_dot = runpy.run_path(str(Path(__file__).parents[1] / "render" / "recorded.py"))["record_dot"]
pytestmark = pytest.mark.browser

SIZES = {"lab": (886, 800), "1280": (1280, 800), "1920": (1920, 1080), "390": (390, 844)}
STEPS = 200
# Presses "next" and looks at once where everything stands, inside the stepper: its own box, bars, panes, tabs.
MOVED = """async count => {
  const root = document.querySelector('.nsim'), next = root.querySelector('[data-act="next"]');
  const parts = [...root.querySelectorAll(['toolbar', 'tools', 'pane', 'tablist', 'scroll', 'operands', 'when', 'formula']
    .map(name => '.nsim-' + name).join())];
  const place = () => [root, ...parts].map(e => { const r = e.getBoundingClientRect();
    return [r.top, r.left, r.height].map(Math.round); });
  window.scrollTo(0, 0);
  const first = JSON.stringify(place()), moved = [];
  for (let k = 0; k < count; k++) {
    next.click();
    if (k % 20 === 0) await new Promise(requestAnimationFrame);
    const now = place();
    if (JSON.stringify(now) !== first) moved.push([root.dataset.step, parts.filter((_, i) =>
      JSON.stringify(now[i + 1]) !== JSON.stringify(JSON.parse(first)[i + 1])).map(e => e.className)]);
  }
  return [Number(root.dataset.step), moved]; }"""
KERNELS = ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qs8_dwconv_rndnu_16x9__aarch64_neon_mla8")
# No memory but what is loaded once, every shape of result: long, narrow, by pairs, tables, flags, a condition.
WITHOUT_MEMORY = """f:      mov     w9, #20
loop:   umull   v2.8h, v0.8b, v1.8b
        umull2  v3.8h, v0.16b, v1.16b
        uadalp  v4.4s, v2.8h
        tbl     v5.16b, {v0.16b, v1.16b}, v2.16b
        sqxtn   v6.8b, v3.8h
        addv    h7, v2.8h
        cmp     x9, #3
        csel    x10, x9, x0, lt
        zip1    v0.16b, v0.16b, v1.16b
        subs    w9, w9, #1
        b.ne    loop
        ret
"""


def without_memory() -> ns.Trace:
    machine = ns.Machine(isa="aarch64")
    for k in range(8):
        machine.registers[f"v{k}"] = np.arange(16 * k, 16 * k + 16, dtype=np.uint8)
    trace = machine.call(ns.assemble(WITHOUT_MEMORY, isa="aarch64"), 7, trace=True, sanitize=False).trace
    assert trace is not None and not trace.accesses(9)
    return trace


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name in KERNELS:
        made[name] = folder / f"{name}.html"
        assert main(["trace", name, "--core", "cortex-a53", "--html", str(made[name])]) == 0
    made["without memory"] = without_memory().to_html(folder / "none.html")
    return made


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*KERNELS, "without memory"])
def test_nothing_moves(tab: Any, pages: dict[str, Path], name: str, size: str) -> None:
    page = tab.open(pages[name])
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    for k, title in enumerate(page.get_by_role("tab").all_inner_texts()):
        page.get_by_role("tab", name=title).click()
        page.evaluate("window.neonsim.goto(0)")
        steps = STEPS if k == 0 else 40  # the other tabs
        assert page.evaluate(MOVED, steps) == [steps, []], title
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.errors == []


def test_the_short_run_does_not_move(tab: Any, tmp_path: Path) -> None:
    page = tab.open(record_dot(4).to_html(tmp_path / "dot.html"), width=886)
    steps = page.evaluate("window.neonsim.replay.steps")
    assert page.evaluate(MOVED, steps) == [steps, []]
