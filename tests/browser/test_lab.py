"""The first notebook in JupyterLab, in a real browser: run, click, type; the page equals the trace."""

from __future__ import annotations

import json
import os
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from neonsim.arm.machine.arch.register_names import lane_values
from tests.browser.waits import answered, listen
from tests.needs import needs

needs("jupyterlab", "anywidget", install="pip install jupyterlab anywidget")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTEBOOK = ROOT / "notebooks" / "02_one_instruction.ipynb"
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at

ALL_RUN = """count => {
  const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(e => e.textContent.trim());
  return prompts.filter(t => /^\\[\\d+\\]:?$/.test(t)).length >= count && !prompts.some(t => t.includes('*')); }"""

# From the top of the bar to the end of the lanes, and what the notebook shows of itself; both in pixels.
HIGH = """() => { const end = name => document.querySelector('.nsim ' + name).getBoundingClientRect();
  return [Math.max(end('.nsim-lanes').bottom, end('.nsim-code').bottom) - end('.nsim-toolbar').top,
    document.querySelector('.jp-WindowedPanel-outer').clientHeight]; }"""


def run_here(path: Path) -> dict[str, Any]:
    """The notebook's code in this process: what the page is compared with."""
    names: dict[str, Any] = {"display": lambda *_: None}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("%%"):
            exec("\n".join(line for line in source.splitlines() if not line.startswith("%")), names)
    return names


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.slow), True], ids=["light", "dark"])
def test_stepping_in_lab(chromium: Any, tmp_path: Path, dark: bool) -> None:
    trace = run_here(NOTEBOOK)["result"].trace
    shutil.copy(NOTEBOOK, tmp_path / "one.ipynb")
    cells = sum(cell["cell_type"] == "code" for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=dark, python_path=ROOT)
    page = chromium.new_page(viewport={"width": 1400, "height": 1800}, color_scheme="light")
    problems: list[str] = []
    outside: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))
    page.on("request", lambda request: outside.append(request.url)
            if request.url.startswith("http") and not request.url.startswith(lab.base) else None)
    listen(page)
    try:
        lab.open(page, "one.ipynb")
        lab.run_all(page)
        page.wait_for_function(ALL_RUN, arg=cells)
        stepper = page.locator(".nsim").first
        stepper.wait_for()
        check(page, stepper, trace)
        page.set_viewport_size({"width": 1280, "height": 800})
        high, window = page.evaluate(HIGH)
        assert high <= window, "bars, card, code, registers and lanes are in sight at once"
        breaks = page.evaluate("[...document.querySelectorAll('.nsim pre')].map(e => getComputedStyle(e).wordBreak)")
        assert set(breaks) == {"normal"}, "words are not broken, though JupyterLab does so"
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            stepper.screenshot(path=str(Path(SHOTS) / f"lab-{'dark' if dark else 'light'}.png"))
        assert stepper.evaluate("e => getComputedStyle(e).colorScheme") == ("dark" if dark else "light")
        assert problems == [] and outside == []
    finally:
        page.close()
        lab.close()


def check(page: Any, stepper: Any, trace: Any) -> None:
    def step() -> int:
        return int(stepper.get_attribute("data-step"))

    def lanes(register: str) -> list[str]:
        found = stepper.locator(f'[data-register="{register}"] .nsim-cell')
        pairs = found.evaluate_all("all => all.map(c => [Number(c.dataset.lane ?? 0), c.textContent])")
        return [text for _, text in sorted(pairs)]

    vectors = [name for name in trace.locations
               if name[0] in "vq" and stepper.locator(f'[data-register="{name}"]').count()]
    assert vectors

    def equal() -> None:
        state = trace.marked(step())
        for name in vectors:
            assert lanes(name) == [v.replace("--", "·") for v in lane_values(state[name], "s16")], (step(), name)

    stepper.get_by_label("element type of all registers").select_option("s16")
    stepper.locator('[data-act="first"]').click()
    for k in range(trace.steps):
        assert step() == k
        equal()
        stepper.locator('[data-act="next"]').click()
    equal()
    before = page.locator(".jp-Cell").count()
    stepper.get_by_role("listbox").focus()
    # In JupyterLab b, a and d, d would add and delete cells if they reached it.
    for key, want in (("Home", 0), ("n", 1), ("ArrowRight", 2), ("b", 2), ("a", 2), ("d", 2), ("d", 2), ("p", 1),
                      ("ArrowLeft", 0), ("End", trace.steps)):
        page.keyboard.press(key)
        assert step() == want, key
    equal()
    assert page.locator(".jp-Cell").count() == before
    line = stepper.locator(".nsim-line:not([aria-disabled])").nth(1)
    line.click()
    assert step() == next(k for k, pc in enumerate(trace.pc) if pc == 1) + 1
    equal()
    stepper.get_by_label("go to step").fill(str(trace.steps - 1))
    stepper.get_by_label("go to step").press("Enter")
    assert step() == trace.steps - 1
    equal()
    stepper.get_by_role("listbox").focus()
    for key in ["Home", *["n"] * trace.steps, "p", "p", "p"]:
        page.keyboard.press(key)
    answered(page, f'"step":{trace.steps - 3}')     # the kernel's echo of earlier steps must not move the page back
    assert step() == trace.steps - 3
