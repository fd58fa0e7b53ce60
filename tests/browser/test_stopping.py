"""Breakpoints, bookmarks, tips of words, keys and links of the stepper, in a real browser."""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from tests.browser.waits import turned

RENDER = Path(__file__).parents[1] / "render"
TABLE = json.loads((RENDER / "stops.json").read_text(encoding="utf-8"))
record_dot = runpy.run_path(str(RENDER / "recorded.py"))["record_dot"]
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

PLACES = """async texts => {
  const pane = window.neonsim.breakpoints, found = {};
  for (const text of texts) {
    if (!pane.add(text)) {
      found[text] = pane.error.textContent;
      continue;
    }
    const one = pane.list.at(-1);
    while (!one.at) await new Promise(done => setTimeout(done));
    found[text] = [...one.at.keys()].filter(k => one.at[k]);
    pane.remove(one);
  }
  return found; }"""
# How often the page could answer while a breakpoint was looked for, by a clock on which every look at it takes 8 ms.
TURNS = """async text => {
  const pane = window.neonsim.breakpoints, plain = window.setTimeout;
  let turns = 0, clock = 0;
  performance.now = () => clock += 8;
  window.setTimeout = (...given) => { turns++; return plain(...given); };
  pane.add(text);
  const one = pane.list.at(-1);
  while (!one.at) await new Promise(done => plain(done));
  delete performance.now;
  window.setTimeout = plain;
  return turns; }"""


@pytest.fixture(scope="module")
def trace() -> ns.Trace:
    return record_dot(6)


@pytest.fixture(scope="module")
def html(trace: ns.Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trace.to_html(tmp_path_factory.mktemp("page") / "dot.html", columns={"w": 8}, title="dot")


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html)
    assert tab.errors == []


def at(page: Any) -> int:
    return int(page.locator(".nsim").get_attribute("data-step"))


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


def stop_at(page: Any, text: str) -> None:
    page.get_by_role("tab", name="Stops").click()
    box = page.get_by_label("stop at", exact=True)
    box.fill(text)
    box.press("Enter")
    page.evaluate("document.activeElement.blur()")


def test_places_and_mistakes_are_those_of_the_table(page: Any) -> None:
    assert page.evaluate(PLACES, list(TABLE["places"])) == TABLE["places"]
    said = page.evaluate(PLACES, list(TABLE["wrong"]))
    assert {text: said[text].partition(": ")[2] for text in said} == TABLE["wrong"]


def test_unwritten_values_and_changes_by_hand(tab: Any, tmp_path: Path) -> None:
    machine = ns.Machine(isa="aarch64")
    out = machine.memory.place(np.zeros(2, np.int32), name="out")
    program = ns.assemble("f: mov x5, #3\n mov x6, x5\n movi v3.4s, #7\n str x5, [x0]\n ret\n", isa="aarch64")
    result = machine.call(program, out, trace=True)
    # Uninitialized data is no number: v3 begins to be one, x6 does, and neither was another one before.
    page = tab.open(result.trace.to_html(tmp_path / "run.html"))
    wanted = {"v3.s[0] == 7": [3], "v3.s[0] != 7": [], "x6 == 40": [], "x6 == 3": [2], "out[0] == 3": [4]}
    assert page.evaluate(PLACES, list(wanted)) == wanted
    trace = result.changed(2, {"x6": 40, "out[1]": 9}).trace
    page = tab.open(trace.to_html(tmp_path / "hand.html"))
    wanted = {"x6 == 40": [2], "write x6": [2], "out[1] == 9": [2], "sum(out) == 9": [2], "write out[1]": [2, 4],
              "out[0] == 3 && out[1] == 0": [4]}
    assert page.evaluate(PLACES, list(wanted)) == wanted


def test_keys_work_at_once(page: Any, trace: ns.Trace) -> None:
    """Nothing is clicked: the page has just been opened."""
    assert page.evaluate("document.activeElement === document.body")
    for key, want in (("n", 1), ("ArrowRight", 2), ("p", 1), ("End", trace.steps), ("Home", 0)):
        page.keyboard.press(key)
        assert at(page) == want, key
    page.keyboard.press(" ")
    page.wait_for_selector('.nsim:not([data-step="0"])')
    page.keyboard.press(" ")
    step = at(page)
    page.keyboard.press("Control+ArrowRight")  # the browser's own
    assert at(page) == step


@pytest.mark.slow
def test_stops_are_reached_switched_off_and_removed(page: Any) -> None:
    for text in ("x2 == 4", "write c[0,3]"):
        stop_at(page, text)
    assert page.locator(".nsim-stops small").all_inner_texts() == ["once", "once"]
    for key, want in (("c", 17), ("c", 51), ("c", 51), ("Shift+C", 17), ("Shift+C", 17)):
        page.keyboard.press(key)
        assert at(page) == want, key
    assert "No breakpoint is reached before here" in page.locator(".nsim-message").inner_text()
    page.get_by_role("checkbox", name="x2 == 4").uncheck()
    go(page, 0)
    page.keyboard.press("c")
    assert at(page) == 51 and "Stopped: write c[0,3]" in page.locator(".nsim-message").inner_text()
    page.get_by_label("remove write c[0,3]").click()
    go(page, 0)
    page.keyboard.press("c")
    assert at(page) == 0 and "no breakpoint" in page.locator(".nsim-message").inner_text()
    page.get_by_role("checkbox", name="x2 == 4").check()
    page.get_by_label("speed", exact=True).select_option("30")
    go(page, 14)
    page.locator(".nsim-run").click()
    page.wait_for_function("() => document.querySelector('.nsim').dataset.step === '17'")
    turned(page)
    assert at(page) == 17
    stop_at(page, "x2 = 8")
    said = page.locator(".nsim-breakpoints .nsim-error").inner_text()
    assert said == "x2 = 8: character 4: = is not valid here: == compares"


def test_bookmarks(page: Any, trace: ns.Trace) -> None:
    for step in (5, 30):
        go(page, step)
        page.keyboard.press("k")
    page.get_by_role("tab", name="Stops").click()
    page.get_by_label("name of the bookmark at step 30").fill("<b>the fourth; pass")
    page.evaluate("document.activeElement.blur()")
    for key, want in (("Shift+J", 5), ("j", 30), ("j", 30)):
        page.keyboard.press(key)
        assert at(page) == want, key
    page.wait_for_url("**mark=5*")
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    assert page.locator(".nsim-marks input").evaluate_all("all => all.map(e => e.value)") == ["", "<b>the fourth, pass"]
    page.keyboard.press("k")  # one is here: it goes
    assert page.locator(".nsim-marks li").count() == 1
    page.locator(".nsim-marks button").first.click()
    assert at(page) == 5
    page.get_by_label("remove the bookmark at step 5").click()
    assert page.locator(".nsim-marks li").count() == 0


def test_a_word_is_explained(page: Any, trace: ns.Trace) -> None:
    go(page, 15)  # behind an smlal
    tip, line = page.locator(".nsim-tip"), page.locator(".nsim-line", has_text="uxtl")
    before = page.locator(".nsim-pane").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    line.locator(".nsim-mnemonic").hover()
    tip.wait_for(state="visible")
    form = next(i for i in trace.program.instructions if str(i).startswith("uxtl")).form
    assert " ".join(form.doc.strip().split("\n\n")[0].split()) in tip.inner_text()
    assert line.locator(".nsim-mnemonic").get_attribute("aria-describedby") == tip.get_attribute("id")
    page.keyboard.press("Escape")
    assert not tip.is_visible() and line.locator("[aria-describedby]").count() == 0
    page.get_by_label("element type of all registers").select_option("s16")
    line.locator(".nsim-register").first.hover()
    tip.wait_for(state="visible")
    lanes = tip.locator(".nsim-cell").evaluate_all("all => all.map(e => [+e.dataset.lane, +e.textContent])")
    v0 = np.frombuffer(bytes(trace.state(15)["v0"]), np.int16)
    assert lanes == [[lane, int(v0[lane])] for lane in reversed(range(8))], "lane 0 on the right, as the menu says"
    tops = page.locator(".nsim-pane").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    assert tops == before, "a tip moves nothing"
    assert "step 13, line 11 wrote it last" in " ".join(tip.inner_text().split())
    tip.get_by_role("button").click()
    assert at(page) == 13 and not tip.is_visible()
    page.locator(".nsim-listing").focus()
    seen = []
    for _ in range(3):
        page.keyboard.press("i")
        seen.append(tip.inner_text().split()[0])
        assert page.locator(".nsim-listing").get_attribute("aria-describedby") == tip.get_attribute("id")
    assert seen == ["uxtl", "v0", "v0"]
    page.keyboard.press("Enter")
    assert at(page) == 13 and not tip.is_visible()  # step 13 wrote v0


def test_a_finger_asks_with_a_tap(chromium: Any, html: Path) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    try:
        page.goto(html.as_uri())
        page.wait_for_selector(".nsim[data-step]")
        word = page.locator(".nsim-line", has_text="uxtl").locator(".nsim-register").first
        word.tap()
        tip = page.locator(".nsim-tip")
        tip.wait_for(state="visible")
        box = tip.bounding_box()
        assert at(page) == 0 and "not written before here" in tip.inner_text()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        tip.get_by_role("button", name="run to line 11").tap()
        assert at(page) == 5 and not tip.is_visible()
        page.locator(".nsim-line", has_text="usubl").locator(".nsim-count").tap()
        assert at(page) == 6
    finally:
        context.close()


def test_a_link_restores_the_view(page: Any, html: Path, trace: ns.Trace) -> None:
    page.get_by_label("lane order").select_option("left")
    page.get_by_label("element type of all registers").select_option("s16")
    page.get_by_role("button", name="v16: find what writes it").click()
    for text in ("x2 == 4", "write v16.s[1] if x2 < 3", "line 15"):
        stop_at(page, text)
    page.get_by_role("checkbox", name="x2 == 4").uncheck()
    page.get_by_label("predict").check()
    page.get_by_label("all", exact=True).check()
    go(page, 9)
    page.keyboard.press("k")
    page.evaluate("""() => { window.copied = []; Object.defineProperty(navigator, 'clipboard', { configurable: true,
        value: { writeText: async text => window.copied.push(text) } }); }""")
    page.locator('[data-act="link"]').click()
    page.get_by_role("button", name="copied").wait_for()
    link = page.evaluate("window.copied[0]")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".nsim[data-step]")
    assert (at(page), page.get_by_label("lane order").input_value()) == (9, "left")
    assert page.get_by_label("element type of all registers").input_value() == "s16"
    assert page.get_by_label("register or cell to trace back").input_value() == "v16"
    assert page.locator(".nsim-stops code").all_inner_texts() == ["line 15", "x2 == 4", "write v16.s[1] if x2 < 3"]
    assert page.locator(".nsim-stops small").all_inner_texts() == ["6 times", "once", "4 times"]
    assert page.locator(".nsim-stops input").evaluate_all("all => all.map(e => e.checked)") == [True, False, True]
    assert page.get_by_label("predict").is_checked() and page.get_by_label("all", exact=True).is_checked()
    assert page.get_by_label("follow").is_checked()
    assert page.get_by_role("tab", name="Stops").get_attribute("aria-selected") == "true"
    assert page.locator('[data-line="15"].nsim-break').count() == 1 and page.locator(".nsim-marks li").count() == 1
    # Another link to the same page, put into the address: it is followed, and what it says wrongly is left out.
    wrong = "#step=3e9&stop=" + ";".join(["write c", "<img>", "~x2 == 3"] * 300) + "&mark=-1;99;3:a;x;4:" + "y" * 999
    with page.expect_navigation():
        page.evaluate("hash => { location.hash = hash; }", wrong)
    page.wait_for_selector(".nsim[data-step]")
    assert at(page) == trace.steps
    assert page.locator(".nsim-stops code").all_inner_texts() == ["write c", "x2 == 3"]
    assert page.locator(".nsim-marks input").evaluate_all("all => all.map(e => e.value.length)") == [1, 60]
    assert page.locator(".nsim-error:not(:empty)").count() == 0


def test_a_page_opens_as_it_was_saved(tab: Any, trace: ns.Trace, tmp_path: Path) -> None:
    view = "step=4&stop=x2 == 4&mark=7:</script><b>"
    page = tab.open(trace.to_html(tmp_path / "dot.html", view=view))
    assert at(page) == 4 and page.locator(".nsim-stops code").all_inner_texts() == ["x2 == 4"]
    assert page.locator(".nsim-marks input").input_value() == "</script><b>"
    assert tab.errors == []


def test_long_runs_do_not_freeze_the_page(tab: Any, tmp_path: Path) -> None:
    """Work of 8 ms has looked at the clock after 8 steps."""
    trace = record_dot(250)
    page = tab.open(trace.to_html(tmp_path / "long.html", columns={"w": 8}))
    for text in ("x2 == 4", "v16.s[0] > 100 && pc == 4", "write v16.s[1]", "sum(w) > 5 && step == 3",
                 "sum(v1.b) > 0 || step % 7 == 3"):
        assert page.evaluate(TURNS, text) > trace.steps // 8 - 1, text


def test_two_runs_have_breakpoints_of_their_own_and_one_link(tab: Any, trace: ns.Trace, tmp_path: Path) -> None:
    page = tab.open(trace.to_html(tmp_path / "pair.html", compare_with=record_dot(4)))
    page.evaluate("""() => {
      const [one, two] = window.neonsim.steppers;
      one.breakpoints.add('x2 == 4');
      two.breakpoints.add('x2 == 1');
      two.bookmarks.add(9, 'nine');
      two.choose('tab', 'stops'); }""")
    page.keyboard.press("n")
    page.keyboard.press("c")
    left, right = page.locator(".nsim[data-step]").all()
    assert int(left.get_attribute("data-step")) == 17
    page.wait_for_url("**step=17*right=*")
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    stops = [side.locator(".nsim-stops code").all_text_contents() for side in (left, right)]
    assert stops == [["x2 == 4"], ["x2 == 1"]]
    assert right.locator(".nsim-marks input").input_value() == "nine" and left.locator(".nsim-marks li").count() == 0
    assert tab.errors == []
