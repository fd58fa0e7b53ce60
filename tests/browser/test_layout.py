"""The stepper stands still, what matters is in sight, and a finger can meet what it shows."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from tests.browser.lessons import steppers
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


LAB = {"width": 934, "height": 768}     # the width of an output of JupyterLab at 1366 x 768, with its list of files
FITS = 620                              # of the 647 px that a notebook has there
HEIGHTS = """() => Object.fromEntries(['explain', 'code', 'below', 'registers', 'lanes', 'drawn', 'list'].map(name =>
  [name, document.querySelector('.nsim-' + name).getBoundingClientRect().height]))"""


def open_as_in_lab(tab: Any, path: Path) -> Any:
    page = tab.open(path)
    page.set_viewport_size(LAB)
    page.add_style_tag(content="body { padding: 0 !important } main { --outside: 148px !important }")
    page.evaluate("dispatchEvent(new Event('resize'))")
    drawn(page)
    return page


@pytest.mark.parametrize("lesson", range(10))
def test_the_whole_stepper_fits_a_small_screen(tab: Any, tmp_path: Path, lesson: int) -> None:
    """Bars, card, program, memory, registers and lanes at once; nothing moves; the last line of the lanes is whole."""
    found = steppers(lesson)
    assert found
    for k, stepper in enumerate(found):
        page = open_as_in_lab(tab, stepper.to_html(tmp_path / f"{k}.html"))
        name, steps = f"lesson {lesson}, stepper {k}", min(stepper.trace.steps, 60)
        page.evaluate("window.neonsim.goto(0)")
        assert page.evaluate(MOVED, steps) == [steps, []], name
        assert page.locator(".nsim").bounding_box()["height"] <= FITS, name
        high = page.evaluate(HEIGHTS)
        assert high["code"] + high["below"] == pytest.approx(high["registers"] + high["lanes"], abs=1), name
        assert high["registers"] >= 100 and high["below"] >= 80 and high["code"] >= 100, (name, high)
        assert high["list"] % 18 == 0 and (high["list"] or not high["drawn"]), (name, high)
        assert page.locator('[role="tabpanel"]').first.is_visible(), name
    assert tab.errors == []


def test_few_instructions_need_little(tab: Any, tmp_path: Path) -> None:
    """Four scalar instructions without memory: what they have, and no blank page below."""
    page = open_as_in_lab(tab, steppers(0)[0].to_html(tmp_path / "four.html"))
    assert page.locator(".nsim").bounding_box()["height"] <= 500


def test_the_line_stands_in_the_card_with_its_comment(tab: Any, tmp_path: Path) -> None:
    path = tmp_path / "tile.html"
    assert main(["trace", KERNELS[0], "--core", "cortex-a53", "--html", str(path)]) == 0
    lines = ns.kernel(KERNELS[0]).source.splitlines()
    page = open_as_in_lab(tab, path)
    source, places, commented = page.locator(".nsim-source"), set(), 0
    for step in range(1, 61):
        page.evaluate("step => window.neonsim.goto(step)", step)
        line = page.evaluate("window.neonsim.header.instructions[window.neonsim.replay.pc].line")
        assert source.text_content() == lines[line - 1].strip(), step
        assert source.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"), step
        commented += "//" in lines[line - 1]
        places.add(tuple(source.bounding_box().values()))
    assert commented > 20 and len(places) == 1
    page.evaluate("window.neonsim.goto(0)")
    assert source.text_content() != "", "at the start: the line that comes first"


SHARES = """() => { const box = name => document.querySelector('.nsim-' + name).getBoundingClientRect();
  return [box('code').width / box('body').width,
    box('code').height / (box('code').height + box('below').height),
    box('registers').height / (box('registers').height + box('lanes').height)]
    .map(share => Math.round(100 * share)); }"""


def test_panes_are_dragged_and_remembered(tab: Any, pages: dict[str, Path]) -> None:
    page = open_as_in_lab(tab, pages[KERNELS[0]])
    usual = page.evaluate(SHARES)
    bars = [page.get_by_role("separator", name=name) for name in (
        "width of the program", "height of the program", "height of the registers")]
    try:
        for k, bar in enumerate(bars):
            bar.focus()
            assert int(bar.get_attribute("aria-valuenow")) == pytest.approx(usual[k], abs=1)
            keys = ("ArrowLeft", "ArrowRight") if k == 0 else ("ArrowUp", "ArrowDown")
            for key, moved in ((keys[1], 2), (keys[1], 4), (keys[0], 2)):
                page.keyboard.press(key)
                assert page.evaluate(SHARES)[k] == pytest.approx(usual[k] + moved, abs=1), (k, key)
            page.keyboard.press("End")
            assert page.evaluate(SHARES)[k] == pytest.approx(80, abs=1)
            page.keyboard.press("Enter")
            assert page.evaluate(SHARES) == usual and page.evaluate("window.neonsim.replay.step") == 0
        box = bars[0].bounding_box()
        page.mouse.move(box["x"] + 4, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(LAB["width"] * 0.6, box["y"] + 60, steps=3)
        page.mouse.up()
        page.mouse.move(10, 10)
        assert page.evaluate(SHARES)[0] == pytest.approx(60, abs=1)
        assert page.evaluate(MOVED, 60) == [60, []]
        page.wait_for_url("**panes=60*")
        link = page.url
        address = link.split("#")[0]
        page.goto("about:blank")
        page.goto(address)      # the browser remembers it, the address does not say it
        page.wait_for_selector(".nsim[data-step]")
        page.wait_for_function("() => window.neonsim.division.text === '60,,'")
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector(".nsim[data-step]")
        assert page.evaluate(SHARES)[0] == pytest.approx(60, abs=1)
        page.get_by_role("separator", name="width of the program").dblclick()
        assert page.evaluate(SHARES)[0] == pytest.approx(usual[0], abs=1)
    finally:
        page.evaluate("localStorage.clear()")


def test_the_program_over_the_whole_width(tab: Any, pages: dict[str, Path]) -> None:
    page = open_as_in_lab(tab, pages[KERNELS[0]])
    button = page.get_by_role("button", name="whole width")
    try:
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        code, below = (page.locator(f".nsim-{name}").bounding_box() for name in ("code", "below"))
        assert code["width"] >= LAB["width"] - 4 and below["y"] >= code["y"] + code["height"] - 1
        page.evaluate("window.neonsim.goto(40)")
        drawn(page)
        listing = page.locator(".nsim-listing")
        assert listing.evaluate("e => e.scrollWidth <= e.clientWidth"), "no comment is cut"
        page.evaluate("window.neonsim.goto(0)")
        assert page.evaluate(MOVED, 60) == [60, []]
        assert page.evaluate("document.documentElement.scrollWidth") <= LAB["width"]
        button.click()
        assert page.evaluate("window.neonsim.division.text") == ""
    finally:
        page.evaluate("localStorage.clear()")


# Text that is seen, with the size its letters have on the screen, and its contrast with what is behind it.
LETTERS = """where => { const found = [];
  const parse = text => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => sum + w * linear(rgb[k] / 255), 0);
  const behind = e => { const box = e.closest('.nsim-box')?.querySelector('rect');
    if (box && !e.matches('.nsim-index')) return parse(getComputedStyle(box).fill);
    for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const note = (e, style, part) => { const svg = e.namespaceURI.includes('svg');
    const scale = svg ? e.getScreenCTM().a : 1, ink = parse(svg ? style.fill : style.color);
    const x = light(ink), y = light(behind(e)), ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    found.push([part + (e.className.baseVal ?? e.className), scale * parseFloat(style.fontSize), ratio,
      Number(style.opacity)]); };
  for (const e of document.querySelectorAll(where.map(name => `${name} *`).join())) {
    if (!e.checkVisibility()) continue;
    if ([...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) note(e, getComputedStyle(e), '');
    const before = getComputedStyle(e, '::before');
    if (!['none', '""', 'normal'].includes(before.content)) note(e, before, '::before of ');
  }
  return found; }"""
READ = [".nsim-lanes", ".nsim-registers", ".nsim-operands", ".nsim-matrices"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [934, 390])
def test_letters_of_lanes_are_large_and_dark_enough(tab: Any, pages: dict[str, Path], scheme: str, width: int) -> None:
    for path in pages.values():
        page = tab.open(path)
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for step in (0, 12, 40, 64):
            page.evaluate("step => window.neonsim.goto(step)", step)
            drawn(page)
            found = page.evaluate(LETTERS, READ)
            assert len(found) > 40
            assert sorted({name for name, size, *_ in found if size < 9.99}) == [], "smaller than 10 px"
            pale = {name: (round(ratio, 1), opacity) for name, _, ratio, opacity in found if ratio < 4.5 or opacity < 1}
            assert pale == {}, "too pale"


def test_a_narrow_screen_cuts_no_row_of_lanes(tab: Any, tmp_path: Path) -> None:
    page = tab.open(record_dot(4).to_html(tmp_path / "dot.html"))
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(page)
    for step in range(1, 17):
        page.evaluate("step => window.neonsim.goto(step)", step)
        place = page.locator(".nsim-drawn").bounding_box()
        for box in page.locator(".nsim-box").all():
            one = box.bounding_box()
            assert place["x"] <= one["x"] and one["x"] + one["width"] <= place["x"] + place["width"], step
            assert place["y"] <= one["y"] and one["y"] + one["height"] <= place["y"] + place["height"], step


def test_a_narrow_screen_shows_what_16_lanes_became(tab: Any, tmp_path: Path) -> None:
    text = "largest: movi v1.16b, #255\n movi v0.16b, #254\n umax v0.16b, v0.16b, v1.16b\n ret"
    trace = ns.Machine("aarch64").call(ns.assemble(text, "aarch64"), trace=True).trace
    page = tab.open(trace.to_html(tmp_path / "largest.html"))
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("window.neonsim.goto(3)")
    drawn(page)
    rows = page.locator(".nsim-operands")
    assert rows.evaluate("e => e.scrollHeight <= e.clientHeight"), "the last row is what the step wrote"
    assert "255" in rows.inner_text().rpartition("→")[2]


CUT = """() => [...document.querySelectorAll('.nsim *:not(.nsim-live)')]
  .filter(e => e.checkVisibility() && e.clientHeight && e.scrollHeight > e.clientHeight + 1)
  .filter(e => getComputedStyle(e).overflowY !== 'visible').map(e => e.className)"""


def test_on_paper_nothing_is_cut(tab: Any, pages: dict[str, Path]) -> None:
    page = tab.open(pages[KERNELS[0]], width=800)
    page.evaluate("window.neonsim.goto(64)")
    page.emulate_media(media="print", color_scheme="dark")
    try:
        drawn(page)
        assert page.evaluate(CUT) == []
        shown = page.locator(".nsim-toolbar button:visible, .nsim-tools *:visible, .nsim-tablist *:visible, "
                             "header :is(button, select):visible").evaluate_all("all => all.map(e => e.outerHTML)")
        assert shown == [] and page.locator(".nsim-step").is_visible()
        assert page.locator(".nsim").evaluate("e => getComputedStyle(e).colorScheme") == "light"
        last = page.locator(".nsim-line").last.bounding_box()
        assert last["y"] + last["height"] <= page.locator(".nsim-registers").bounding_box()["y"]
    finally:
        page.emulate_media(media="screen")


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
