"""What people see: lessons and a failing exercise in JupyterLab, on a small screen and a telephone, kept as pictures.

They are written into build/screens, light and dark, to be looked at: 1366x768-lesson-6-0-dark.png is the first stepper
of lesson 6 at that size. What a picture must not show, a stepper higher than the page or a pane that moves while
stepping, is checked here.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lessons import NOTEBOOKS
from tests.browser.waits import drawn
from tests.needs import needs

needs("jupyterlab", "anywidget", install="pip install jupyterlab anywidget")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCREENS = ROOT / "build" / "screens"
SIZES = {"1366x768": (1366, 768), "390x844": (390, 844)}
FITS = 620      # px, of the 647 that JupyterLab leaves for a notebook on 768
LESSONS = (0, 1, 6, 9)
ALL_RUN = runpy.run_path(str(HERE / "test_lab.py"))["ALL_RUN"]
MOVED = runpy.run_path(str(HERE / "test_layout.py"))["MOVED"].replace("document.querySelector('.nsim')",
                                                                      "[...document.querySelectorAll('.nsim')][which]")
# An answer to the exercise of lesson 1 that wraps where it has to stop.
WRONG = """        ld1     {v0.16b}, [x1]
        ld1     {v1.16b}, [x2]
        add     v0.16b, v0.16b, v1.16b
        st1     {v0.16b}, [x3]
"""


def prepared(lesson: int, folder: Path) -> tuple[str, int]:
    """A copy of a lesson's notebook, the exercise of lesson 1 answered wrongly; -> its name, its cells of code."""
    (path,) = NOTEBOOKS.glob(f"{lesson:02}_*.ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if lesson == 1:
        (cell,) = [one for one in code if "%%neon_exercise" in "".join(one["source"])]
        answered = "".join(cell["source"]).replace("        // your instructions\n", WRONG)
        assert WRONG in answered
        cell["source"] = answered
    (folder / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    return path.name, len(code)


def run_all(page: Any, lab: Any, name: str, cells: int) -> None:
    lab.open(page, name)
    lab.run_all(page)
    page.wait_for_function(ALL_RUN, arg=cells)
    page.locator(".nsim").first.wait_for()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_screens_of_lessons(chromium: Any, tmp_path: Path, dark: bool) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    notebooks = {lesson: prepared(lesson, tmp_path) for lesson in LESSONS}
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=dark, python_path=ROOT)
    problems: list[str] = []
    try:
        for lesson, (name, cells) in notebooks.items():
            page = chromium.new_page(viewport=dict(zip(("width", "height"), SIZES["1366x768"], strict=True)))
            page.on("pageerror", lambda error: problems.append(str(error)))
            run_all(page, lab, name, cells)
            steppers = page.locator(".nsim")
            last = steppers.count() - 1
            names = page.locator(".nsim, .nsim section:not([role])").evaluate_all("all => all.map(e => e.ariaLabel)")
            assert len(names) >= 5 and len(set(names)) == len(names), "regions have names of their own"
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                if width < 800:
                    page.locator(".jp-SideBar.jp-mod-left .lm-mod-current").click()     # the list of files goes
                drawn(page)
                for k in dict.fromkeys([0, last]):
                    what = f"exercise of lesson {lesson}" if k == last else f"lesson {lesson}"
                    one = steppers.nth(k)
                    one.evaluate("e => e.scrollIntoView({ block: 'start' })")
                    drawn(page)
                    kept = f"{size}-{what.replace(' ', '-')}-{k}-{'dark' if dark else 'light'}"
                    page.screenshot(path=str(SCREENS / f"{kept}.png"))
                    if width < 800:
                        one.locator(".nsim-lanes").evaluate("e => e.scrollIntoView({ block: 'start' })")
                        page.screenshot(path=str(SCREENS / f"{kept}-lanes.png"))
                        continue
                    assert one.bounding_box()["height"] <= FITS, what
                    stays(page, k)
            page.close()
    finally:
        lab.close()
    assert problems == []


def stays(page: Any, which: int) -> None:
    """Sixty steps of a stepper, or as many as it has: every box stands where it stood."""
    stepper = page.locator(".nsim").nth(which)
    box, begun = stepper.get_by_label("go to step"), stepper.get_attribute("data-step")
    steps = min(60, int(box.get_attribute("max")))
    stepper.locator('[data-act="first"]').click()
    moved = MOVED.replace("async count", "async ([which, count])").replace("window.scrollTo(0, 0);", "")
    assert page.evaluate(moved, [which, steps]) == [steps, []]
    box.fill(begun)
    box.press("Enter")
