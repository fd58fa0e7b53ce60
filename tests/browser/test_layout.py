"""The stepper stands still, what matters is in sight, and a finger can meet what it shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from tests.browser.waits import drawn

record_dot = runpy.run_path(str(Path(__file__).parents[1] / "render" / "recorded.py"))["record_dot"]
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

SIZES = {"lab": (886, 800), "1280": (1280, 800), "1920": (1920, 1080), "390": (390, 844)}
STEPS = 200
# Presses "next" and looks at once where everything stands, inside the stepper: its own box, bars, panes, tabs.
MOVED = """async count => {
  const root = document.querySelector('.nsim'), next = root.querySelector('[data-act="next"]');
  const names = ['toolbar', 'tools', 'pane', 'tablist', 'scroll', 'operands', 'when', 'formula'];
  const parts = [...root.querySelectorAll(names.map(name => '.nsim-' + name).join())];
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
# Presses "next", and counts what has changed in the document after each time.
CHANGED = """count => {
  const root = document.querySelector('.nsim'), next = root.querySelector('[data-act="next"]'), found = [];
  const watch = new MutationObserver(() => {});
  watch.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  for (let k = 0; k < count; k++) {
    next.click();
    found.push(watch.takeRecords().reduce((sum, { addedNodes, removedNodes }) =>
      sum + Math.max(1, addedNodes.length + removedNodes.length), 0));
  }
  watch.disconnect();
  return found; }"""
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


# Lanes of v16 wherever a step shows them, each with its number, in the order in which they stand on the screen.
ORDERS = """() => { const text = e => [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.textContent).join('');
  const across = (all, read) => [...all].map(e => [e.getBoundingClientRect(), read(e)])
    .sort(([a], [b]) => Math.abs(a.top - b.top) > 3 ? a.top - b.top : a.left - b.left).map(([, one]) => one);
  const cells = all => across(all, e => [Number(e.dataset.lane), e.textContent]);
  const find = where => document.querySelectorAll(where);
  return { registers: cells(find('[data-register="v16"] .nsim-cell')),
    card: cells(find('.nsim-out .nsim-value .nsim-lane')),
    watch: cells(find('.nsim-watches .nsim-lane')),
    lanes: across(find('.nsim-to'), e => [Number(e.querySelector('.nsim-index').textContent),
      e.querySelector('text').textContent]),
    said: window.neonsim.live.textContent }; }"""


def test_one_order_of_lanes(tab: Any, tmp_path: Path) -> None:
    """Card, registers, picture, watch, what is said; and the menu turns all of them round."""
    trace = record_dot(4)
    page = tab.open(trace.to_html(tmp_path / "dot.html"))
    page.get_by_role("tab", name="Watch").click()
    page.get_by_label("watch an expression").fill("v16.s32")
    page.get_by_label("watch an expression").press("Enter")
    page.evaluate("window.neonsim.goto(7)")
    values = [str(v) for v in np.frombuffer(bytes(trace.state(7)["v16"]), np.int32)]
    lanes = [[k, value] for k, value in enumerate(values)]
    for order, want in (("right", lanes[::-1]), ("left", lanes)):
        page.get_by_label("lane order").select_option(order)
        shown = page.evaluate(ORDERS)
        said = shown.pop("said")
        assert shown == dict.fromkeys(("registers", "card", "watch", "lanes"), want)
        assert f"v16 is lanes {want[0][0]}..{want[-1][0]}: " + " ".join(str(v) for _, v in want) in said


# What can be pressed and is seen, with its size: labels count with their boxes.
TARGETS = """() => [...document.querySelectorAll(['button', 'select', 'input', '[role="option"]:not([aria-disabled])',
    '[role="button"]', 'summary', '.nsim-lineno', 'td.nsim-cell'].map(what => '.nsim ' + what).join())]
  .map(e => [e, (e.closest('label') ?? e).getBoundingClientRect()]).filter(([, r]) => r.width && r.height)
  .filter(([, r]) => r.width < 23.9 || r.height < 23.9)
  .map(([e, r]) => [e.tagName, e.className.baseVal ?? e.className, e.textContent.slice(0, 9), r.width, r.height])"""


def test_a_finger_meets_what_it_is_shown(chromium: Any, tmp_path: Path) -> None:
    trace = record_dot(4)
    path = trace.to_html(tmp_path / "dot.html", timing=ns.time(trace, core="cortex-a53"), columns={"w": 8})
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector(".nsim[data-step]")
    page.evaluate("window.neonsim.goto(7)")
    for title in page.get_by_role("tab").all_inner_texts():
        page.get_by_role("tab", name=title).tap()
        assert page.evaluate(TARGETS) == [], title
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate("scrollTo(0, 0)")
    page.mouse.wheel(0, 600)
    page.wait_for_function("() => scrollY === 600")
    assert page.locator(".nsim-toolbar").bounding_box()["y"] == 0, "the bar stays"
    context.close()


def test_long_lists_of_lanes_are_folded(tab: Any, tmp_path: Path) -> None:
    machine = ns.Machine(isa="aarch64")
    data = machine.memory.place(np.arange(64, dtype=np.uint8), name="data")
    text = "f: ld4 {v0.16b-v3.16b}, [x0]\n   add v4.16b, v0.16b, v1.16b\n   ret\n"
    trace = machine.call(ns.assemble(text, isa="aarch64"), data, trace=True).trace
    page = tab.open(trace.to_html(tmp_path / "four.html"))
    page.evaluate("window.neonsim.goto(1)")
    items, more = page.locator(".nsim-all-lanes li"), page.get_by_role("button", name="48 more lanes")
    assert items.count() == 16
    more.click()
    assert items.count() == 64 and items.nth(63).inner_text().endswith(" = 63")
    page.get_by_role("button", name="fold", exact=True).click()
    page.evaluate("window.neonsim.goto(2)")
    assert items.count() == 16 and not more.is_visible()


@pytest.mark.parametrize("name", KERNELS)
def test_a_click_changes_little_of_the_document(tab: Any, pages: dict[str, Path], name: str) -> None:
    """Whatever tab is open: of each of a hundred clicks, the nodes and attributes that are set anew."""
    page = tab.open(pages[name])
    for title in page.get_by_role("tab").all_inner_texts():
        page.get_by_role("tab", name=title).click()
        page.evaluate("window.neonsim.goto(0)")
        assert max(page.evaluate(CHANGED, 100)) <= 1500, title


@pytest.mark.parametrize("size", [(886, 745), (1280, 800), (1920, 1080)])
def test_what_matters_is_in_sight(tab: Any, pages: dict[str, Path], size: tuple[int, int]) -> None:
    """Bars, card, the line executed last, its registers and the result lanes, without scrolling the page."""
    page = tab.open(pages[KERNELS[0]])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for step in (64, 200, 330):
        page.evaluate("step => window.neonsim.goto(step)", step)
        drawn(page)
        seen = {name: page.locator(name).first.bounding_box() for name in (
            ".nsim-toolbar", ".nsim-explain", ".nsim-current", ".nsim-changed", ".nsim-lanes", ".nsim-to")}
        for name, box in seen.items():
            assert box["y"] >= 0 and box["y"] + box["height"] <= size[1], (name, step)
        frame = page.locator(".nsim-registers .nsim-scroll").bounding_box()
        row = seen[".nsim-changed"]
        assert frame["y"] <= row["y"] and row["y"] + row["height"] <= frame["y"] + frame["height"], step
        lanes, pane = page.locator(".nsim-to").last.bounding_box(), seen[".nsim-lanes"]
        assert lanes["y"] + lanes["height"] <= pane["y"] + pane["height"], step


def test_tabs_by_keyboard_in_the_link_and_drawn_when_shown(tab: Any, tmp_path: Path) -> None:
    trace = record_dot(4)
    page = tab.open(trace.to_html(tmp_path / "dot.html", timing=ns.time(trace, core="cortex-a53")))
    tabs = page.get_by_role("tab")
    titles = tabs.all_inner_texts()
    assert titles[0] == "Memory" and {"Watch", "Pipeline", "Counts", "Manual"} < set(titles)
    assert page.locator('[role="tabpanel"]:visible').count() == 1
    tabs.first.focus()
    seen = []
    for key in ["ArrowRight"] * len(titles) + ["End", "ArrowRight", "ArrowLeft", "Home"]:
        page.keyboard.press(key)
        seen.append(page.evaluate("document.activeElement.textContent"))
        chosen = page.locator('[role="tab"][aria-selected="true"]')
        assert chosen.all_inner_texts() == [seen[-1]] and page.evaluate("window.neonsim.replay.step") == 0
        panel = page.locator('[role="tabpanel"]:visible')
        assert panel.get_attribute("id") == chosen.get_attribute("aria-controls")
    assert seen == [*titles[1:], titles[0], titles[-1], titles[0], titles[-1], titles[0]]
    page.evaluate("window.neonsim.goto(7)")
    assert "7 instructions" not in page.locator(".nsim-counters").text_content(), "not drawn while not shown"
    page.get_by_role("tab", name="Counts").click()
    assert "7 instructions" in page.locator(".nsim-counters").inner_text()
    page.wait_for_url("**tab=counts*")
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    assert page.locator('[role="tab"][aria-selected="true"]').inner_text() == "Counts"
    assert "7 instructions" in page.locator(".nsim-counters").inner_text()
    address = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{address}#tab=nonsense")
    page.wait_for_selector(".nsim[data-step]")
    assert page.locator('[role="tab"][aria-selected="true"]').inner_text() == "Memory"
