"""Two runs side by side in a real browser: stepped together, what differs is found and marked."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import rerun
from neonsim.render import Run
from neonsim.render.stepper.trace_diff import differences

RENDER = Path(__file__).parents[1] / "render"
record_dot = runpy.run_path(str(RENDER / "recorded.py"))["record_dot"]
pytestmark = [pytest.mark.browser, pytest.mark.nightly]


@pytest.fixture(scope="module")
def runs() -> tuple[ns.Trace, ns.Trace]:
    """The dot product, right and with the wrong lane; the second takes half of the iterations."""
    right = record_dot(6)
    text = (RENDER / "dot.S").read_text(encoding="utf-8").replace("v0.h[5]", "v0.h[4]").replace("x2, #1", "x2, #2")
    wrong, problem = rerun(right, ns.assemble(text, isa="aarch64"), max_steps=1000)
    assert problem is None
    return right, wrong


@pytest.fixture(scope="module")
def html(runs: tuple[ns.Trace, ns.Trace], tmp_path_factory: pytest.TempPathFactory) -> Path:
    right, wrong = runs
    path = tmp_path_factory.mktemp("page") / "pair.html"
    timing = [ns.time(trace, core="cortex-a53") for trace in runs]
    return right.to_html(path, title="right", timing=timing[0], columns={"w": 8},
                         compare_with=Run(wrong, timing=timing[1], title="wrong <b>", columns={"w": 8}))


@pytest.fixture
def page(tab: Any, html: Path) -> Iterator[Any]:
    yield tab.open(html, width=1400)
    assert tab.errors == []


def steps(page: Any) -> list[int]:
    return [int(n) for n in page.locator(".nsim[data-step]").evaluate_all("all => all.map(e => e.dataset.step)")]


def go(page: Any, step: int) -> None:
    page.evaluate("step => window.neonsim.goto(step)", step)


def iterations(trace: ns.Trace) -> list[int]:
    head = trace.program.symbols["loop"]
    return [k for k, pc in enumerate(trace.pc) if pc == head]


def together(page: Any, way: str) -> None:
    page.get_by_label("how the two are stepped together").select_option(way)


@pytest.mark.slow
def test_by_step_by_iteration_by_cycle_and_apart(page: Any, runs: tuple[ns.Trace, ns.Trace]) -> None:
    right, wrong = runs
    heads = [iterations(trace) for trace in runs]
    assert [len(h) for h in heads] == [6, 3] and page.title() == "right beside wrong <b>"
    together(page, "iteration")
    for part in range(3):  # the same place in the same iteration
        go(page, heads[0][part] + 3)
        assert steps(page) == [heads[0][part] + 3, heads[1][part] + 3]
        assert f"iteration {part + 1} of 6" in page.locator(".nsim-together").inner_text()
    go(page, right.steps)
    assert steps(page) == [right.steps, wrong.steps]
    together(page, "step")
    go(page, 9)
    assert steps(page) == [9, 9]
    page.locator(".nsim").nth(2).locator('[data-act="next"]').click()
    assert steps(page) == [10, 10], "either side leads"
    together(page, "cycle")
    go(page, 20)
    issue = [ns.time(trace, core="cortex-a53").run.issue for trace in runs]
    reached = np.maximum.accumulate(issue[0])[19]
    assert steps(page)[1] == int((np.maximum.accumulate(issue[1]) <= reached).sum())
    together(page, "apart")
    go(page, 2)
    assert steps(page)[0] == 2 and steps(page)[1] != 2


def found(page: Any) -> str:
    return str(page.locator(".nsim-together .nsim-found").inner_text())


def test_differences_of_data(page: Any, runs: tuple[ns.Trace, ns.Trace]) -> None:
    """Said at once; d and D go along them, whatever way the two are stepped together; the lines are marked."""
    where = differences(*runs, {"w": 8})
    assert where.first is not None and found(page) == str(where)
    page.locator(".nsim-run").first.focus()
    for number, one in enumerate(where.every[:3], 1):
        page.keyboard.press("d")
        assert steps(page) == [one.left, one.right]
        what = "begins here" if one.begins else "passed on"
        assert found(page) == f"{number} of {len(where.every)}, {what}: {one.text}"
        both = zip(runs, (one.left, one.right), strict=True)
        lines = [trace.instruction(step - 1).position.line for trace, step in both]
        here = page.locator(".nsim-origin-here").evaluate_all("all => all.map(e => Number(e.dataset.line))")
        assert here == lines
        for side in (0, 1):
            box = page.locator(".nsim-listing").nth(side).bounding_box()
            line = page.locator(".nsim-listing").nth(side).locator(".nsim-origin-here").bounding_box()
            assert box["y"] <= line["y"] and line["y"] + line["height"] <= box["y"] + box["height"], "scrolled to"
    page.keyboard.press("Shift+D")
    assert steps(page) == [where.every[1].left, where.every[1].right]
    begin = {runs[0].instruction(one.left - 1).position.line for one in where.every if one.begins}
    marked = page.locator(".nsim[data-step]").first.locator(".nsim-origin")
    assert set(marked.evaluate_all("all => all.map(e => Number(e.dataset.line))")) == begin
    go(page, runs[0].steps)
    page.locator('[data-act="difference-data"]').click()
    assert found(page).startswith("No data differ after here")
    go(page, 0)
    page.locator('[data-act="difference-data-back"]').click()
    assert found(page).startswith("No data differ before here")


def test_no_difference_of_data(tab: Any, runs: tuple[ns.Trace, ns.Trace], tmp_path: Path) -> None:
    """The same sums in another register: nothing to go to, and it is said so."""
    text = (RENDER / "dot.S").read_text(encoding="utf-8").replace("v16.4s", "v25.4s")
    other, _ = rerun(runs[0], ns.assemble(text, isa="aarch64"), max_steps=1000)
    page = tab.open(runs[0].to_html(tmp_path / "same.html", compare_with=other))
    assert found(page) == "No difference of data: both runs leave the same bytes in c."
    assert page.locator('[data-act="difference-data"]').is_disabled() and page.locator(".nsim-origin").count() == 0
    page.locator(".nsim-run").first.focus()
    page.keyboard.press("d")
    assert steps(page) == [0, 0] and tab.errors == []


def test_the_other_run_in_the_pipeline(page: Any, runs: tuple[ns.Trace, ns.Trace]) -> None:
    """Its cycles under each row: at the same cycles, or with the corresponding steps above each other."""
    timings = [ns.time(trace, core="cortex-a53") for trace in runs]
    heads = [iterations(trace) for trace in runs]
    page.get_by_role("tab", name="Pipeline").first.click()
    pipe = page.locator(".nsim-pipeline").first
    together(page, "iteration")
    go(page, heads[0][1] + 1)
    over = [max(timing.run.issue[:head[1] + 1]) + 1 for timing, head in zip(timings, heads, strict=True)]
    totals = pipe.locator(".nsim-pipe-totals").inner_text()
    assert f"up to here {over[0]}, right {over[1]}" in totals and f"at its step {heads[1][1] + 1}" in totals
    assert f"in all {timings[0].cycles}, right {timings[1].cycles}" in totals

    def starts(name: str) -> list[float]:
        """Left edges of the bars of the row of this step."""
        return pipe.locator(f"rect.{name}").evaluate_all("all => all.filter(e => Number(e.getAttribute('width')) > 0)"
                                                         ".map(e => Number(e.getAttribute('x')))")

    own, other = (set(starts(name)) for name in ("nsim-working:not(.nsim-of-other)", "nsim-working.nsim-of-other"))
    assert own and other and own & other, "the two steps stand above each other"
    assert pipe.locator(".nsim-over-other").get_attribute("d").startswith("M")
    together(page, "cycle")
    assert "drawn at the same cycles" in pipe.locator(".nsim-pipe-totals").inner_text()
    pipe.get_by_label("the other run").uncheck()
    assert starts("nsim-working.nsim-of-other") == [] and not pipe.locator(".nsim-over-other").get_attribute("d")


def test_first_differences(page: Any, runs: tuple[ns.Trace, ns.Trace]) -> None:
    """Of anything. Registers: the wrong multiply; memory: the sums that are stored."""
    right, wrong = runs
    together(page, "step")
    page.locator(".nsim-run").first.focus()
    page.keyboard.press("r")
    at = next(k for k in range(right.steps) if right.state(k)["v16"] != wrong.state(k)["v16"])
    assert steps(page) == [at, at]
    said = page.locator(".nsim-together .nsim-found").inner_text()
    lanes = ["lanes 3..0: " + " ".join(map(str, np.frombuffer(trace.state(at)["v16"], np.int32)[::-1]))
             for trace in runs]
    assert said == f"v16 begins to differ here: left {lanes[0]}, right {lanes[1]}"
    differ = page.locator('.nsim[data-step]').first.locator('[data-register="v16"] .nsim-differs')
    sums = [np.frombuffer(trace.state(at)["v16"], np.int32) for trace in runs]
    assert differ.count() == int((sums[0] != sums[1]).sum()) > 0
    together(page, "iteration")
    go(page, 0)
    page.get_by_role("button", name="in memory").click()
    store = int(np.searchsorted(wrong.access_start, np.flatnonzero(wrong.access_store)[0], side="right"))
    assert steps(page)[1] >= store and "c + " in page.locator(".nsim-together .nsim-found").inner_text()
    assert page.locator('[data-buffer="c"] .nsim-differs').count() > 0
    page.get_by_label("mark what differs").uncheck()
    assert page.locator(".nsim-differs").count() == 0
    go(page, right.steps)
    page.get_by_role("button", name="in memory").click()
    assert "No byte of memory begins to differ" in page.locator(".nsim-together .nsim-found").inner_text()


def test_settings_are_shared_and_travel(page: Any) -> None:
    page.get_by_label("theme").first.select_option("dark")
    page.get_by_label("element type of all registers").nth(1).select_option("s16")
    together(page, "cycle")
    go(page, 7)
    assert [page.get_by_label("theme").nth(k).input_value() for k in (0, 1)] == ["dark", "dark"]
    assert page.get_by_label("element type of all registers").first.input_value() == "s16"
    page.wait_for_url("**together=cycle*")
    before = steps(page)
    page.reload()
    page.wait_for_selector(".nsim[data-step]")
    assert steps(page) == before and page.get_by_label("theme").nth(1).input_value() == "dark"
    assert page.locator(".nsim[data-step]").first.evaluate("e => getComputedStyle(e).colorScheme") == "dark"


def test_narrow(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tops = page.locator(".nsim[data-step]").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    assert tops[1] > tops[0] + 500, "one under the other"


# Presses "next" on the left and looks where everything stands; what has moved.
STILL = """async count => {
  const parts = [...document.querySelectorAll(['together', 'found', 'toolbar', 'tools', 'pane', 'tablist', 'sets',
    'over', 'pipe'].map(name => '.nsim-' + name).join())].filter(e => e.offsetParent);
  const place = () => parts.map(e => e.getBoundingClientRect()).map(r => [r.top, r.height].map(Math.round).join());
  const first = place(), moved = new Set();
  for (let k = 0; k < count; k++) {
    document.querySelector('[data-act="next"]').click();
    if (k % 10 === 0) await new Promise(requestAnimationFrame);
    place().forEach((now, i) => { if (now !== first[i]) moved.add(`${parts[i].className} ${first[i]} -> ${now}`); });
  }
  return [...moved]; }"""


@pytest.mark.parametrize("width", [390, 886, 1280, 1920])
def test_two_runs_stand_still(tab: Any, runs: tuple[ns.Trace, ns.Trace], tmp_path: Path, width: int) -> None:
    timings = [ns.time(trace, core="cortex-a53", caches="cold") for trace in runs]
    path = runs[0].to_html(tmp_path / "pair.html", timing=timings[0], compare_with=Run(runs[1], timing=timings[1]))
    for name in ("Pipeline", "Caches"):
        page = tab.open(path, width=width)
        page.get_by_role("tab", name=name).first.click()
        page.evaluate("scrollTo(0, 0)")
        assert page.evaluate(STILL, 50) == [] and steps(page)[0] == 50
