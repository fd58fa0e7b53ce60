"""Notebooks with steppers that are opened again: what stands in their place, and how large they become."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.needs import needs

needs("jupyterlab", "anywidget", "nbconvert", install="pip install jupyterlab anywidget nbconvert")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at
RUN = r'''import neonsim as ns
program = ns.assemble("f: mov x0, #3\nmovi v1.4s, #2\n0: subs x0, x0, #1\n b.ne 0b\n ret", isa="aarch64")
trace = ns.Machine(isa="aarch64").call(program, trace=True).trace'''
CELLS = (RUN, "ns.Stepper(trace, step=2)", "print('between')", "ns.Stepper(trace, step=4)")
STATE = "application/vnd.jupyter.widget-state+json"
# Which outputs are seen, in order: stepper, picture, text.
SEEN = """() => [...document.querySelectorAll('.jp-OutputArea-child, .cell_output > .output')]
  .filter(row => row.getBoundingClientRect().height)
  .map(row => row.querySelector('.nsim') ? 'stepper' : row.querySelector('.neonsim-still img') ? 'picture'
    : row.textContent.trim())"""
DRAWN = "() => [...document.querySelectorAll('.neonsim-still img')].filter(one => one.naturalWidth > 400).length"


def notebook(path: Path) -> None:
    cells = [{"cell_type": "code", "id": f"cell{k}", "source": text, "metadata": {}, "outputs": [],
              "execution_count": None} for k, text in enumerate(CELLS)]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}))


def seen(page: Any, *wanted: str) -> None:
    page.wait_for_function(f"wanted => String(({SEEN})()) === String(wanted)", arg=list(wanted))


def shot(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)


class Opened:
    """A notebook in a JupyterLab, or Notebook, of its own."""

    def __init__(self, chromium: Any, folder: Path, app: str = "lab", **settings: bool) -> None:
        self.file = folder / "one.ipynb"
        self.lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](folder, python_path=HERE.parents[1], app=app,
                                                                   **settings)
        self.page = chromium.new_page(viewport={"width": 1366, "height": 768})
        self.rounds = 0

    def open(self, name: str = "one.ipynb") -> Any:
        self.lab.open(self.page, name)
        return self.page

    def run_all(self) -> None:
        self.rounds += 1
        self.lab.run_all(self.page)
        self.page.locator(".jp-InputPrompt", has_text=f"[{self.rounds * len(CELLS)}]:").wait_for()

    def saved(self) -> dict[str, Any]:
        before = self.file.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        self.lab.wait(lambda: self.file.stat().st_mtime_ns != before and self.file.read_text().endswith("}\n"),
                      "the saved file")
        return json.loads(self.file.read_text("utf-8"))

    def close(self) -> None:
        self.page.close()
        self.lab.close()


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_picture_stands_where_no_stepper_was_kept(chromium: Any, tmp_path: Path, app: str) -> None:
    pytest.importorskip({"lab": "jupyterlab", "notebook": "notebook"}[app], reason=f"needs it: pip install {app}")
    notebook(tmp_path / "one.ipynb")
    opened = Opened(chromium, tmp_path, app)
    try:
        page = opened.open()
        opened.run_all()
        seen(page, "stepper", "between", "stepper")
        saved = opened.saved()
        assert STATE not in saved["metadata"].get("widgets", {})
        saved["cells"][0]["source"] += "\n"     # as if it came from elsewhere: nobody has signed it
        (tmp_path / "theirs.ipynb").write_text(json.dumps(saved), encoding="utf-8")
        opened.open("theirs.ipynb")
        seen(page, "picture", "between", "picture")
        shutdown(opened.lab)
        opened.open()
        seen(page, "picture", "between", "picture")
        assert page.evaluate(DRAWN) == 2
        shot(page, f"reopened-{app}")
        opened.rounds = 0
        opened.run_all()
        seen(page, "stepper", "between", "stepper")
    finally:
        opened.close()


def shutdown(lab: Any) -> None:
    """End its kernels: the next page begins with a new one."""
    for session in lab.get("/api/sessions"):
        lab.get(f"/api/sessions/{session['id']}", "DELETE")


def test_the_same_text_runs_after_a_reload_and_in_another_view(chromium: Any, tmp_path: Path) -> None:
    notebook(tmp_path / "one.ipynb")
    opened = Opened(chromium, tmp_path)

    def again(stepper: Any) -> None:
        if not stepper.locator(".nsim-edit").is_visible():
            stepper.get_by_role("button", name="edit", exact=True).click()
        area = stepper.get_by_label("text of the program")
        area.fill(area.input_value().replace("#3", "#4"))
        area.press("Control+Enter")
        stepper.locator(".nsim-edit .nsim-problem", has_text="Run again: 11 steps").wait_for()

    try:
        page = opened.open()
        opened.run_all()
        seen(page, "stepper", "between", "stepper")
        again(page.locator(".nsim").first)
        opened.saved()
        page.reload()
        seen(page, "stepper", "between", "stepper")
        again(page.locator(".nsim").first)
        page.locator(".jp-OutputArea-child .nsim").first.click(button="right")
        page.get_by_role("menuitem", name="Create New View for Cell Output").click()
        other = page.locator(".jp-LinkedOutputView .nsim[data-step]")
        other.wait_for()
        again(other)
    finally:
        opened.close()


def test_what_is_kept_stays_small_and_steps_again(chromium: Any, tmp_path: Path) -> None:
    notebook(tmp_path / "one.ipynb")
    opened = Opened(chromium, tmp_path, save_state=True)
    try:
        page = opened.open()
        for _ in range(3):
            opened.run_all()
            seen(page, "stepper", "between", "stepper")
        state = opened.saved()["metadata"]["widgets"][STATE]["state"]
        models = Counter(one["model_name"] for one in state.values())
        assert models == {"AnyModel": 2, "LayoutModel": 2, "WidgetModel": 1}
        shutdown(opened.lab)
        opened.open()
        seen(page, "stepper", "between", "stepper")
        stepper = page.locator(".nsim").first
        stepper.locator('[data-act="next"]').click()
        assert stepper.get_attribute("data-step") == "3"
        stepper.get_by_role("button", name="edit", exact=True).click()
        stepper.get_by_role("button", name="run (ctrl Enter)").click()
        stepper.locator(".nsim-edit .nsim-problem", has_text="No kernel answers: run the cell again.").wait_for()
    finally:
        opened.close()
    written = tmp_path / "one.html"
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", str(opened.file), "--output", str(written)],
                   check=True, capture_output=True)
    page = chromium.new_page(viewport={"width": 1366, "height": 768}, color_scheme="dark")
    page.route(lambda address: address.startswith("http"), lambda route: route.abort())
    page.goto(written.as_uri())
    assert page.evaluate(DRAWN) == 2 and page.locator(".neonsim-still").first.is_visible()
    shot(page, "nbconvert-offline")
    page.close()
