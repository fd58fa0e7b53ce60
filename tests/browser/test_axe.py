"""Accessibility of every kind of page, in light and dark, by axe-core: nothing serious, nothing critical."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.render import Run
from neonsim.render.html import sheet
from neonsim.render.manual.pages import write_manual

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
record_dot = runpy.run_path(str(Path(__file__).parents[1] / "render" / "recorded.py"))["record_dot"]
KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
# Everything that can be opened is open while it looks.
OPEN = """() => { const s = window.neonsim; if (!s) return;
  s.goto(12);
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  for (const one of s.steppers ?? [s]) { one.toggleHelp(); one.editor.show(true); one.watch.add('x0');
    one.finder.find('v16'); one.predict.on = one.predictBox.firstChild.checked = true; one.goto(one.replay.step); } }"""
# Breakpoints, right and wrong, a bookmark, and the tip of a word.
STOPS = """() => { const s = window.neonsim; if (!s) return null;
  for (const one of s.steppers ?? [s]) { one.breakpoints.add('step == 7');
    one.breakpoints.add('step = 7'); one.bookmarks.toggle();
    const words = one.el.querySelectorAll('.nsim-line .nsim-register');
    one.hover.open(words[words.length - 1], one.code.body, true); }
  return document.querySelectorAll('.nsim-tip:popover-open').length > 0; }"""
# One look at each tab; pages without tabs get one look.
FOUND = """async () => { const found = [], s = window.neonsim, first = s?.steppers?.[0] ?? s;
  for (const { tab } of first?.tabs.panes ?? [{}]) {
    if (tab) first.choose('tab', tab);
    found.push(...(await axe.run(document, { resultTypes: ['violations'] })).violations
      .filter(v => ['serious', 'critical'].includes(v.impact))
      .map(v => [tab, v.id, v.impact, v.nodes.length,
        ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' | ' + n.failureSummary)]));
  }
  return found; }"""


@cache
def axe() -> str:
    """The script, as the package `axe-playwright-python` brings it along."""
    found = find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs axe-core: pip install axe-playwright-python")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


def stepper(folder: Path) -> Path:
    trace = record_dot(6)
    timing = ns.time(trace, core="cortex-a53", caches="cold")
    return trace.to_html(folder / "page.html", timing=timing, names={"vacc": ("v16",)})


def live(folder: Path) -> Path:
    trace = record_dot(6)
    return trace.to_html(folder / "page.html", timing=ns.time(trace, core="cortex-a53"), live=True)


def pair(folder: Path) -> Path:
    one, two = record_dot(6), record_dot(4)
    timings = [ns.time(trace, core="cortex-a53", caches="warm") for trace in (one, two)]
    return one.to_html(folder / "page.html", title="one", timing=timings[0],
                       compare_with=Run(two, title="two", timing=timings[1]))


def tile(folder: Path) -> Path:
    assert main(["trace", KERNEL, "--html", str(folder / "page.html"), "--core", "cortex-a72"]) == 0
    return folder / "page.html"


def manual(folder: Path) -> Path:
    return write_manual(folder)


def family(folder: Path) -> Path:
    return write_manual(folder).with_name("simd-multiply.html")


def study(folder: Path) -> Path:
    assert main(["study", "dual-issue", "--core", "cortex-a53", "--html", str(folder / "page.html")]) == 0
    return folder / "page.html"


def timing(folder: Path) -> Path:
    assert main(["time", KERNEL, "--core", "cortex-a53", "--html", str(folder / "page.html")]) == 0
    return folder / "page.html"


def comparison(folder: Path) -> Path:
    assert main(["time", KERNEL, "--core", "cortex-a53,cortex-a72", "--html", str(folder / "page.html")]) == 0
    return folder / "page.html"


def explained(*words: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        assert main(["explain", *words, "--svg", str(folder / "picture.svg")]) == 0
        page = folder / "page.html"
        picture = (folder / "picture.svg").read_text("utf-8")
        page.write_text(sheet("explained", f"<main><h1>Explained</h1><div>{picture}</div></main>"), "utf-8")
        return page
    return make


def viewed(name: str) -> Callable[[Path], Path]:
    """A page of `ns.views`, as that room's own tests make it."""
    def make(folder: Path) -> Path:
        views = runpy.run_path(str(Path(__file__).parents[1] / "learn" / "notebook" / "test_views.py"))["VIEWS"]
        page: Path = views[name][0]().to_html(folder / "page.html")
        return page
    return make


VIEWS = ("packing", "packing_depthwise", "indirection", "indirection_rows", "timeline", "mix", "registers",
         "cache_sets", "number_line", "compare")
PAGES: dict[str, Callable[[Path], Path]] = {
    "stepper": stepper, "live": live, "pair": pair, "kernel": tile, "manual": manual, "family": family, "study": study,
    "timing": timing, "comparison": comparison, "packing": explained("packing"),
    "indirection": explained("indirection"), "registers": explained("registers", KERNEL),
    "mix": explained("mix", KERNEL), **{f"view of {name}": viewed(name) for name in VIEWS}}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "timing")) for name in PAGES])
def test_nothing_serious(chromium: Any, tmp_path: Path, name: str) -> None:
    script = axe()
    address = PAGES[name](tmp_path).as_uri()
    found = {}
    for scheme in ("light", "dark"):
        page = chromium.new_page(viewport={"width": 1280, "height": 1000}, color_scheme=scheme, reduced_motion="reduce")
        page.goto(address)
        if "neonsim-run" in page.content():
            page.wait_for_selector(".nsim[data-step]")
        page.evaluate(OPEN)
        assert page.evaluate(STOPS) in (True, None)
        page.evaluate(script)
        found[scheme] = page.evaluate(FOUND)
        for tab in ("pipeline", "caches"):
            if name in ("stepper", "pair"):
                page.locator(f'[data-tab="{tab}"]').first.click()
                found[scheme] += page.evaluate(FOUND)
        page.close()
    assert found == {"light": [], "dark": []}


NAMES = """async () => { const rules = { runOnly: ['landmark-unique', 'region', 'landmark-no-duplicate-main'] };
  return [(await axe.run(document, rules)).violations.flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 160)])),
    [...document.querySelectorAll('[role="region"], section[aria-label]:not([role])')].map(e =>
      e.getAttribute('aria-label'))]; }"""


@pytest.mark.parametrize("name", ["stepper", "pair", "live"])
def test_regions_have_names_of_their_own(chromium: Any, tmp_path: Path, name: str) -> None:
    """Also where two steppers stand on a page: "program" alone would be the name of both."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(PAGES[name](tmp_path).as_uri())
    page.wait_for_selector(".nsim[data-step]")
    page.evaluate(axe())
    found, names = page.evaluate(NAMES)
    page.close()
    assert found == [] and len(names) >= 5 and len(set(names)) == len(names), names
