"""The stepper's tools in a real browser: following a register or cell, breakpoints, watches, predictions."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from tests.browser.waits import turned

record_dot = runpy.run_path(str(Path(__file__).parents[1] / "render" / "recorded.py"))["record_dot"]
pytestmark = [pytest.mark.browser, pytest.mark.nightly]


@pytest.fixture(scope="module")
def trace() -> ns.Trace:
    return record_dot(6)


@pytest.fixture(scope="module")
def timing(trace: ns.Trace) -> Any:
    return ns.time(trace, core="cortex-a53")


@pytest.fixture(scope="module")
def html(trace: ns.Trace, timing: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trace.to_html(tmp_path_factory.mktemp("page") / "dot.html", columns={"w": 8}, title="dot", timing=timing)


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html)
    assert tab.errors == []


def at(page: Any) -> int:
    return int(page.locator(".nsim").get_attribute("data-step"))


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


def writers(trace: ns.Trace, register: str) -> list[int]:
    """Steps (from 1) that write a register, from the trace's own columns."""
    index = trace.locations.index(register)
    steps = np.repeat(np.arange(trace.steps), np.diff(trace.write_start)) + 1
    return [int(s) for s in steps[trace.write_location == index]]


def show(page: Any, title: str) -> None:
    page.get_by_role("tab", name=title).click()


def watch(page: Any, text: str) -> None:
    show(page, "Watch")
    box = page.get_by_label("watch an expression")
    box.fill(text)
    box.press("Enter")


def test_next_and_last_write_of_a_register(page: Any, trace: ns.Trace) -> None:
    register = "v16"
    steps = writers(trace, register)
    page.get_by_role("button", name=f"{register}: find what writes it").click()
    seen = []
    for _ in steps:
        page.locator('[data-act="write-next"]').click()
        seen.append(at(page))
    assert seen == steps
    page.keyboard.press("w")
    assert "not written after here" in page.locator(".nsim-finder").inner_text()
    page.keyboard.press("Shift+W")
    assert at(page) == steps[-2]


def test_who_wrote_a_cell(page: Any, trace: ns.Trace) -> None:
    """c[3] is stored once, at the end; c[9] does not exist; w is never written."""
    steps = np.repeat(np.arange(trace.steps), np.diff(trace.access_start)) + 1
    store = int(steps[trace.access_store][0])
    box = page.get_by_label("register or cell to trace back")
    page.keyboard.press("Tab")
    for text, said in (("c[9]", "outside"), ("nonsense", "not a register or buffer"), ("c[", "missing"),
                       ("w[0]", "not written")):
        box.fill(text)
        box.press("Enter")
        assert said in page.locator(".nsim-finder").inner_text(), text
    box.fill("c[3]")
    box.press("Enter")
    assert at(page) == store
    assert f"last written by step {store}, line 17: st1" in page.locator(".nsim-finder").inner_text()
    go(page, 3)
    assert "not written yet" in page.locator(".nsim-finder").inner_text()
    page.locator('[data-buffer="c"] td.nsim-cell').nth(1).click()
    page.keyboard.press("w")
    assert at(page) == store


def test_breakpoints(page: Any, trace: ns.Trace) -> None:
    line = next(i.position.line for i in trace.program.instructions if i.form.name == "subl")
    here = [k for k in range(trace.steps) if trace.program.instructions[trace.pc[k]].position.line == line]
    page.locator(f'[data-line="{line}"] .nsim-lineno').click()
    assert page.locator(f'[data-line="{line}"]').get_attribute("aria-description") == "breakpoint"
    for want in here[:3]:  # stands before the line, that is after as many steps as came before it
        page.locator(".nsim-run").press("c")
        assert at(page) == want
    go(page, 0)
    page.get_by_label("speed", exact=True).select_option("30")
    page.locator(".nsim-run").click()
    page.wait_for_function("want => document.querySelector('.nsim').dataset.step === String(want)", arg=here[0])
    turned(page)
    assert at(page) == here[0]
    page.locator(".nsim-listing").focus()
    page.keyboard.press("ArrowDown")  # the line that comes next has one already
    page.keyboard.press("ArrowDown")
    page.keyboard.press("b")
    assert page.locator(".nsim-break").count() == 2
    page.wait_for_url("**break=*%2C*")  # both
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    assert page.locator(".nsim-break").count() == 2 and at(page) == here[0]


def test_watches_equal_the_trace(page: Any, trace: ns.Trace) -> None:
    watch(page, "v16.s[1]")
    watch(page, "sum(v16.s)")
    watch(page, "x2 * 2 - 1")
    watch(page, "c[0]")
    watch(page, "v1.u16")
    for step in (2, 9, trace.steps, 20):
        go(page, step)
        state = trace.state(step)
        lanes = np.frombuffer(bytes(state["v16"]), np.int32)
        shown = page.locator(".nsim-watches .nsim-value").all_inner_texts()
        left = int.from_bytes(state["x2"], "little")
        assert shown[:3] == [str(lanes[1]), str(lanes.sum(dtype=np.int64)), str(2 * left - 1)]
        known, halves = all(trace.marked(step)["v1"].defined), np.frombuffer(bytes(state["v1"]), np.uint16)[::-1]
        assert shown[4].split() == [str(v) if known else "·" for v in halves], "lane 0 last"
    go(page, 0)
    assert page.locator(".nsim-watches .nsim-value").nth(3).inner_text() == "100"
    assert all(page.locator(".nsim-spark").evaluate_all("all => all.map(p => p.getAttribute('d') !== null)")[:4])
    page.get_by_label("stop watching c[0]").click()
    assert page.locator(".nsim-watches li").count() == 4


WRONG = (
    ("v16.s[4]", "lanes 0 to 3"), ("v99", "no register"), ("c[1", "expected ]"), ("v16.q", "not an element type"),
    ("log(x0)", "no function"), ("1 +", "missing"), ("v16.s + 1", "several values"), ("c[v16]", "several values"),
    ("<b>", "out of place"),
    (") x0", "out of place"), ("((((" * 30, "too many"), ("", "write something"), ("$", "means nothing"),
    ("x0" * 150, "too long"))


def test_a_wrong_watch_is_explained(page: Any) -> None:
    for text, said in WRONG:
        watch(page, text)
        assert said in page.locator(".nsim-watch .nsim-error").inner_text(), text
        assert page.locator(".nsim-watches li").count() == 0


def test_predict(page: Any, trace: ns.Trace) -> None:
    """Results stay hidden until they are typed; right and wrong are told apart, with the arithmetic."""
    page.get_by_label("predict").check()
    step = next(k for k in range(trace.steps) if trace.program.instructions[trace.pc[k]].form.name == "mlal") + 1
    go(page, step)
    lanes = np.frombuffer(bytes(trace.state(step)["v16"]), np.int32)
    hidden = page.locator('[data-register="v16"] .nsim-write').all_inner_texts()
    assert hidden == ["?"] * 4
    assert not any(str(v) in page.locator(".nsim-lanes").inner_text() for v in lanes)
    fields = page.locator(".nsim-guesses input")
    assert fields.count() == 4
    fields.nth(3).fill(str(lanes[0]))  # as the registers: lane 0 last
    fields.nth(2).fill(hex(int(lanes[1]) % 2**32))
    fields.nth(1).fill(str(lanes[2] + 1))
    fields.nth(1).press("Enter")
    said = page.locator(".nsim-predict").inner_text()
    assert "2 of 3 right" in said and f"= {lanes[2]}" in said and "In all: 2 of 3" in said
    shown = page.locator('[data-register="v16"] .nsim-write').all_inner_texts()
    assert sorted(shown) == sorted(str(v) for v in lanes)
    go(page, step + 1)
    page.get_by_role("button", name="show").click()
    assert "?" not in page.locator('[data-register="v16"]').inner_text()


@pytest.mark.slow
def test_pipeline_in_step(page: Any, trace: ns.Trace, timing: Any) -> None:
    """The row of the step is marked; its bar begins in the cycle the model says."""
    show(page, "Pipeline")
    for step in (12, 30, trace.steps):
        go(page, step)
        row = page.locator(".nsim-pipe-now").evaluate_all("all => all.findIndex(r => r.classList.contains('nsim-on'))")
        label = page.locator(".nsim-pipe text").nth(row).text_content()
        assert str(trace.program.instructions[trace.pc[step - 1]]).startswith(label.rstrip("…"))
        ticks = page.locator(".nsim-pipe text").all_text_contents()[-4:]
        x = float(page.locator(".nsim-working").nth(row).get_attribute("x"))
        assert int(ticks[0]) + (x - 190) / 11 == timing.run.issue[step - 1]
    farther, nearer = (page.get_by_label(text) for text in ("pipeline: more cycles", "pipeline: fewer cycles"))
    shown = [page.locator(".nsim-pipe-now").count()]
    for button in (farther, farther, nearer, nearer, nearer):
        button.click()
        shown.append(page.locator(".nsim-pipe-now").count())
    assert shown == [16, 32, 72, 32, 16, 8] and nearer.is_disabled()
    row = page.locator(".nsim-pipe-row").nth(2)
    said = row.text_content()
    row.click()
    assert said.startswith(f"step {at(page)}: ") and f"issues in {timing.run.issue[at(page) - 1]}," in said
    page.locator(".nsim-pipe").focus()
    page.keyboard.press("-")
    assert page.locator(".nsim-pipe-now").count() == 16 and page.locator(".nsim-pipe-now.nsim-on").count() == 1


def test_settings_travel_in_the_link(page: Any, html: Path) -> None:
    page.get_by_label("text size").select_option("1.6")
    page.get_by_label("theme").select_option("dark")
    page.get_by_label("element type of all registers").select_option("s16")
    watch(page, "x0")
    go(page, 5)
    page.wait_for_url("**watch=x0*")
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    assert (at(page), page.get_by_label("text size").input_value()) == (5, "1.6")
    assert page.locator(".nsim-watches code").inner_text() == "x0"
    assert page.locator(".nsim").evaluate("e => getComputedStyle(e).colorScheme") == "dark"
    with page.expect_event("load"):  # another link to this page: it loads itself anew
        page.evaluate("location.hash = '#step=3&type=<b>&size=99&watch=%3Cimg%3E;x1&break=0,99,x'")
    page.wait_for_selector(".nsim[data-step]")
    assert page.locator(".nsim-watches code").all_inner_texts() == ["x1"]


def test_keys_are_listed(page: Any) -> None:
    assert not page.locator(".nsim-help").is_visible()
    page.locator(".nsim-run").press("?")
    assert "breakpoint" in page.locator(".nsim-help").inner_text()
    show(page, "Watch")
    page.get_by_label("watch an expression").focus()
    step = at(page)
    page.keyboard.type("n w b ?")  # text, not commands
    assert at(page) == step and page.locator(".nsim-help").is_visible()


def test_text_in_a_file_of_its_own_says_where_to_run_it(page: Any, trace: ns.Trace) -> None:
    """No machine in the page: the text opens, is copied, and the page says how to record it anew."""
    page.get_by_role("button", name="edit").click()
    area = page.get_by_label("text of the program")
    assert area.input_value().strip() == "\n".join(trace.program.lines).strip()
    assert "no machine in it" in page.locator(".nsim-edit").inner_text()
    step = at(page)
    area.press("End")
    page.keyboard.type("n w b ?")
    assert at(page) == step and "n w b ?" in area.input_value()
    page.get_by_role("button", name="copy the text").click()
    page.wait_for_function("() => /Copied|Ctrl C/.test(document.querySelector('.nsim-problem').textContent)")
    page.get_by_role("button", name="as it was run").click()
    assert "n w b ?" not in area.input_value()
    area.press("Escape")
    assert not area.is_visible()


def test_in_parts(page: Any, trace: ns.Trace) -> None:
    """Reads, arithmetic, result: the old value stands until the third part."""
    step = next(k for k in range(trace.steps) if trace.program.instructions[trace.pc[k]].form.name == "mlal") + 1
    page.get_by_label("in parts").check()
    go(page, step - 1)
    old, new = (list(map(str, np.frombuffer(bytes(trace.state(s)["v16"]), np.int32))) for s in (step - 1, step))

    def lanes() -> list[str]:
        pairs = page.locator('[data-register="v16"] .nsim-cell').evaluate_all(
            "all => all.map(c => [Number(c.dataset.lane), c.textContent])")
        return [text for _, text in sorted(pairs)]

    page.locator('[data-act="next"]').click()
    formula = page.locator(".nsim-formula")
    assert (at(page), lanes()) == (step, old)
    assert "v0.h[2]" in formula.inner_text() and "\n= " not in formula.inner_text()
    page.locator(".nsim-run").press("n")
    assert lanes() == old and "= " in formula.inner_text() and not formula.inner_text().endswith(new[0])
    page.keyboard.press("ArrowRight")
    assert (at(page), lanes()) == (step, new) and f"= {new[0]}" in formula.inner_text()
    page.keyboard.press("p")
    assert (at(page), lanes()) == (step, old)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert at(page) == step + 1


def test_counters_manual_and_pointers(page: Any, trace: ns.Trace) -> None:
    show(page, "Counts")
    go(page, 0)
    assert "modelled" not in page.locator(".nsim-counters").inner_text()      # no figure follows yet
    go(page, trace.steps)
    counts = ns.arm.timing.count(trace)
    said = page.locator(".nsim-counters").inner_text()
    loads = int((~np.asarray(trace.access_store)).sum())
    assert f"counted {trace.steps} instructions, {counts.macs} products, {loads} loads" in said
    assert f"modelled {trace.steps / ns.time(trace, core='cortex-a53').cycles:.1f}"[:12] in said
    step = next(k for k in range(trace.steps) if trace.program.instructions[trace.pc[k]].form.name == "mlal") + 1
    go(page, step)
    assert "4 of 32 vector registers hold what is still needed" in page.locator(".nsim-counters").inner_text()
    page.get_by_role("button", name="manual page").click()
    assert "In quantised kernels" in page.locator(".nsim-page").inner_text()
    show(page, "Memory")
    a = next(b for b in trace.buffers if b.name == "a")
    offset = int.from_bytes(trace.state(step)["x0"], "little") - a.address
    pointed = page.locator('[data-buffer="a"] .nsim-pointed')
    assert pointed.get_attribute("data-pointer") == "x0" and pointed.text_content() == str(a.before[offset])


def test_registers_by_keyboard_and_all_readings_of_a_lane(page: Any, trace: ns.Trace) -> None:
    go(page, 12)
    first = page.locator(".nsim-name").first
    first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("v1")
    page.keyboard.press("t")
    page.keyboard.press("u")
    page.get_by_label("element type of v1", exact=True).select_option("u16")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent").startswith("v1")
    page.keyboard.press("Enter")
    assert page.get_by_label("register or cell to trace back").input_value() == "v1"
    page.wait_for_url("**types=v1%3Au16*")
    cell = page.locator('[data-register="v1"] [data-lane="2"]')
    cell.hover()
    value = int(np.frombuffer(bytes(trace.state(12)["v1"]), np.uint16)[2])
    title = cell.get_attribute("title")
    assert f"u16 {value}" in title and f"s16 {value - 65536 * (value >> 15)}" in title and f"0b{value:016b}" in title
    page.get_by_label("element type of all registers").select_option("bin")
    assert page.locator('[data-register="v2"] [data-lane="0"]').text_content() == f"{trace.state(12)['v2'][0]:08b}"


def test_the_whole_run_on_a_strip(page: Any, trace: ns.Trace, timing: Any) -> None:
    """Every cycle counted once; the pointer and the keys move along it, and the window goes with them."""
    strip = page.locator(".nsim-over")
    page.get_by_role("tab", name="Pipeline").click()
    cycles = max(timing.run.issue) + 1
    busy = len(set(timing.run.issue))
    words = page.locator(".nsim-pipeline").inner_text()
    assert f"last issue in cycle {cycles - 1}; something issues in {busy} cycles" in words
    assert f"nothing in {cycles - busy}" in words
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    window = strip.locator(".nsim-over-window")
    before = float(window.get_attribute("x"))
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 10, steps=3)
    page.mouse.up()
    assert at(page) == round(0.75 * trace.steps) and float(window.get_attribute("x")) > before
    page.mouse.move(box["x"] + 2, box["y"] + 10)
    assert at(page) == round(0.75 * trace.steps), "let go"
    strip.focus()
    for key, step in (("Home", 0), ("ArrowRight", 1), ("PageUp", 17), ("ArrowLeft", 16), ("End", trace.steps)):
        page.keyboard.press(key)
        assert at(page) == step == int(strip.get_attribute("aria-valuenow")), key


def test_the_strip_of_a_long_run(tab: Any, tmp_path: Path) -> None:
    """20 000 steps: no more shapes than of a short one, and a step changes as little."""
    program = ns.assemble("mov x1, #5000\n0: mul x2, x1, x1\n add x3, x3, x2\n subs x1, x1, #1\n b.ne 0b\n ret",
                          isa="aarch64")
    trace = ns.Machine(isa="aarch64").call(program, trace=True, sanitize=False).trace
    page = tab.open(trace.to_html(tmp_path / "long.html", timing=ns.time(trace, core="cortex-a53")))
    page.get_by_role("tab", name="Pipeline").click()
    assert trace.steps > 20_000 and page.locator(".nsim-over svg > *").count() < 10
    changes = page.evaluate("""() => { const all = [], watch = new MutationObserver(() => {});
      watch.observe(document.querySelector('.nsim'), { subtree: true, childList: true, attributes: true });
      for (let k = 0; k < 100; k++) {
        neonsim.goto(200 * k);
        all.push(watch.takeRecords().length);
      }
      return Math.max(...all); }""")
    assert changes <= 500


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[ns.Trace, Any, Path]:
    walk = runpy.run_path(str(Path(__file__).parents[1] / "render" / "test_cache_columns.py"))["WALK"]
    machine = ns.Machine(isa="aarch64")
    a = machine.memory.place(np.arange(80_000, dtype=np.uint8), name="a")
    c = machine.memory.alloc(8192, name="c")
    trace = machine.call(ns.assemble(walk, isa="aarch64"), a, 16384, 20, c, trace=True).trace
    timing = ns.time(trace, core="cortex-a72", caches="cold")
    return trace, timing, trace.to_html(tmp_path_factory.mktemp("page") / "walk.html", timing=timing)


def test_caches_step_along(tab: Any, walked: tuple[ns.Trace, Any, Path]) -> None:
    """What is in L1, way by way, forwards and backwards; hits and misses of a step in words; what was put out."""
    trace, timing, html = walked
    page = tab.open(html)
    page.get_by_role("tab", name="Caches").click()
    log, l1 = timing.memory.log, timing.memory.l1
    last = [max((k for k, touch in enumerate(log) if touch.step < step), default=-1) for step in range(trace.steps + 1)]

    def ways() -> list[str]:
        return page.locator(".nsim-sets rect").evaluate_all("all => all.map(e => e.textContent)")

    for step in (0, 30, 150, trace.steps, 31, 2):
        go(page, step)
        held: dict[tuple[int, int], int] = {}
        for touch in log[:last[step] + 1]:
            held[touch.line % len(l1.sets), touch.way] = touch.line
        shown = ways()
        for k, text in enumerate(shown):
            line = held.get((k // 2, k % 2))
            if line is None:
                assert text.endswith("empty"), (step, text)
                continue
            buffer = next(b for b in trace.buffers if b.address < (line + 1) * 64 and line * 64 < b.address + b.nbytes)
            assert f": {buffer.name}, bytes {max(line * 64 - buffer.address, 0)} to" in text, (step, text)
        said = page.locator(".nsim-caches").inner_text()
        counted = [touch.level for touch in log[:last[step] + 1]]
        hits, misses = sum(w < 2 for w in counted), sum(w in (2, 3) for w in counted)
        assert f"{hits} hits in L1" in said and f"{misses} misses" in said
        own = [touch for touch in log if touch.step == step - 1]
        items = page.locator(".nsim-touches li").all_inner_texts()
        assert len(items) == max(len(own), 1) and ("no line" in items[0] or "Before" in items[0]) == (not own)
    out = next(touch for touch in log if touch.out >= 0)
    go(page, out.step + 1)
    assert "goes out of L1 for it" in page.locator(".nsim-touches").inner_text()
    assert page.locator(".nsim-sets .nsim-hit, .nsim-sets .nsim-miss").count() > 0
    assert tab.errors == []


def test_without_caches_there_is_no_such_tab(page: Any) -> None:
    assert page.get_by_role("tab", name="Caches").count() == 0
