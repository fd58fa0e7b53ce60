"""Whose keys they are in JupyterLab: the stepper's at once where its cell is run in place, never an editor's."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.browser.waits import listen, sent
from tests.needs import needs

needs("jupyterlab", "anywidget", install="pip install jupyterlab anywidget")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
RUN = r'''import neonsim as ns
program = ns.assemble("f: mov x0, #3\n0: subs x0, x0, #1\n b.ne 0b\n ret", isa="aarch64")
trace = ns.Machine(isa="aarch64").call(program, trace=True).trace'''
# The third goes on until there is a file.
CELLS = (RUN, "s = ns.Stepper(trace)\ns", "import os, time\nwhile not os.path.exists('typed'): time.sleep(0.01)\n"
         "ns.Stepper(trace)", "print(s.step, s.view)")
FOCUS = """() => { const cells = [...document.querySelectorAll('.jp-Cell')], at = document.activeElement;
  const kinds = { '.nsim': 'stepper', '.cm-content': 'editor', '.jp-Cell': 'cell' };
  return [kinds[Object.keys(kinds).find(kind => at.closest(kind))] ?? at.tagName,
    cells.indexOf(at.closest('.jp-Cell')), cells.findIndex(cell => cell.classList.contains('jp-mod-active'))]; }"""


def cell(source: str, number: int) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None,
            "id": f"cell{number}"}


def test_keys_and_view_in_lab(chromium: Any, tmp_path: Path) -> None:
    notebook = {"cells": [cell(source, k) for k, source in enumerate(CELLS)], "nbformat": 4, "nbformat_minor": 5,
                "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}
    (tmp_path / "keys.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=False, python_path=HERE.parents[1])
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    editors = page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-editor")
    prompts = page.locator(".jp-Notebook .jp-CodeCell .jp-InputPrompt")

    def ran(number: int, count: int) -> None:
        prompts.nth(number).get_by_text(f"[{count}]:").wait_for()

    def steps() -> list[str]:
        return page.locator(".nsim").evaluate_all("all => all.map(e => e.dataset.step)")

    listen(page)
    try:
        page.goto(lab.address("keys.ipynb"), wait_until="domcontentloaded")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        lab.wait_for_kernel()
        editors.first.click()
        page.keyboard.press("Shift+Enter")
        ran(0, 1)
        # Run in place: the keys are the stepper's, nothing was clicked. b, k, d, d would be JupyterLab's own.
        editors.nth(1).click()
        page.keyboard.press("Control+Enter")
        page.wait_for_function("() => document.activeElement.matches('.nsim')")
        for key in ("n", "n", "b", "k", "d", "d", "n"):
            page.keyboard.press(key)
        assert steps() == ["3"] and page.locator(".jp-Cell").count() == len(CELLS)
        page.keyboard.press("Escape")
        assert page.evaluate(FOCUS) == ["cell", 1, 1]
        page.keyboard.press("Enter")
        assert page.evaluate(FOCUS)[0] == "editor"
        # A click anywhere gives them back; keys to run a cell are still the notebook's.
        page.locator(".nsim-doc").click()
        page.keyboard.press("p")
        assert page.evaluate(FOCUS) == ["stepper", 1, 1] and steps() == ["2"]
        sent(page, '"view":"break=3&mark=2"')  # the kernel is told when it has been left alone for a moment
        page.keyboard.press("Shift+Enter")
        ran(1, 3)
        assert page.evaluate(FOCUS) == ["cell", 2, 2] and page.locator(".nsim-marks li").count() == 0
        page.locator(".nsim-doc").click()
        for key in ("n", "n", "b", "k"):
            page.keyboard.press(key)
        sent(page, '"view":"break=3&mark=2"', count=2)
        # While its cell runs somebody types on: nothing is taken from the editor, nor from the cell that is selected.
        editors.nth(2).click()
        page.keyboard.press("Control+Enter")
        editors.nth(3).click()
        page.keyboard.press("Control+End")
        page.keyboard.type("  # n p b")
        (tmp_path / "typed").touch()
        ran(2, 4)
        page.wait_for_function("() => document.querySelectorAll('.nsim[data-step]').length === 2")
        page.keyboard.type(" k")
        assert page.evaluate(FOCUS)[0] == "editor" and steps() == ["2", "0"]
        assert editors.nth(3).inner_text().strip().endswith("# n p b k")
        page.keyboard.press("Control+Enter")
        ran(3, 5)
        assert page.locator(".jp-OutputArea-output pre").last.inner_text().strip() == "2 break=3&mark=2"
        # The page is loaded again: the kernel has kept what was set up.
        page.keyboard.press("Control+s")
        lab.wait(lambda: "widget-view" in (tmp_path / "keys.ipynb").read_text(encoding="utf-8"), "the saved notebook")
        page.reload()
        page.wait_for_selector(".nsim[data-step]")
        first = page.locator(".nsim").first
        first.locator('.nsim-break[data-line="3"]').wait_for()
        assert steps()[0] == "2" and first.locator(".nsim-marks li").count() == 1
        assert page.evaluate(FOCUS)[0] != "stepper"
        assert prompts.count() >= len(CELLS)
    finally:
        page.close()
        lab.close()
