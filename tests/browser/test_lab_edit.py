"""A %%neon cell in JupyterLab and Notebook: mistakes beside their lines, the text back into the cell, values changed by
hand, and what the notebook's variable then holds."""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at
TEXT = """        movi v1.4s, #1
        movi v3.4s, #0
        mov  w9, #3
loop:   add  v3.4s, v3.4s, v1.4s
        subs w9, w9, #1
        b.ne loop
        umov w0, v3.s[1]"""
LINE = "%%neon -o run"
CELLS = ["%load_ext neonsim", f"{LINE}\n{TEXT}",
         "print(run.returned, run.text.count('add'), len(run.trace.changes), run.steps)"]
CHOSEN = """() => { const area = document.activeElement;
  return area.value.slice(area.selectionStart, area.selectionEnd); }"""
SOURCES = """() => [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .cm-content')]
  .map(e => [...e.querySelectorAll('.cm-line')].map(l => l.textContent).join('\\n'))"""


def notebook(path: Path) -> None:
    cells = [{"cell_type": "code", "id": f"cell{k}", "source": text, "metadata": {}, "outputs": [],
              "execution_count": None} for k, text in enumerate(CELLS)]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}))


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_cell_and_its_stepper(chromium: Any, tmp_path: Path, app: str) -> None:
    pytest.importorskip({"lab": "jupyterlab", "notebook": "notebook"}[app], reason=f"needs it: pip install {app}")
    notebook(tmp_path / "one.ipynb")
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=False, python_path=ROOT, app=app)
    page = chromium.new_page(viewport={"width": 1280, "height": 1800})
    try:
        lab.open(page, "one.ipynb")
        lab.run_all(page)
        stepper = page.locator(".nsim[data-step]").first
        stepper.wait_for(timeout=90_000)
        edit(page, stepper)
        change(page, stepper)
        if SHOTS:
            stepper.screenshot(path=str(Path(SHOTS) / f"edit-{app}.png"))
        asked(page, "13 1 1 17")
        stepper.locator('[data-act="undo"]').click()
        stepper.locator(".nsim-change .nsim-problem", has_text="Undone: v3.s32[1] is 1 again at step 5").wait_for()
        assert stepper.locator(".nsim-byhand").count() == 1  # the empty path under the slider
        asked(page, "4 1 0 17")
    finally:
        page.close()
        lab.close()


def asked(page: Any, want: str) -> None:
    """Run the last of the cells that were there: what the variable holds."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").last
    cell.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Control+Enter")
    cell.locator(".jp-OutputArea-output", has_text=want).wait_for(timeout=60_000)


def edit(page: Any, stepper: Any) -> None:
    assert stepper.locator(".nsim-listing").is_visible()
    stepper.get_by_role("button", name="edit").click()
    assert not stepper.locator(".nsim-listing").is_visible(), "one listing, not two"
    area = stepper.get_by_label("text of the program")
    given = area.input_value()
    assert given.startswith(f"\n{TEXT}"), "an empty line in place of the magic"
    wrong = given.replace("v3.4s, v1.4s", "v3.4h, v1.4s").replace("b.ne loop", "b.en loop")
    area.fill(wrong.replace("mov  w9", "mow  w9"))
    area.press("Control+Enter")
    mistakes = stepper.locator(".nsim-mistakes li")
    mistakes.nth(2).wait_for(timeout=60_000)
    assert [text.splitlines()[0] for text in mistakes.all_inner_texts()] == [
        "line 4, column 9", "line 5, column 21", "line 7, column 9"], "as in the cell"
    assert "is no condition" in mistakes.nth(2).inner_text()
    assert stepper.locator(".nsim-gutter .nsim-wrong-line").all_inner_texts() == ["4", "5", "7"]
    beside = stepper.locator(".nsim-row").nth(6).locator(".nsim-beside")
    assert "is no condition" in beside.inner_text()
    if SHOTS:
        stepper.screenshot(path=str(Path(SHOTS) / "mistakes.png"))
    mistakes.nth(1).get_by_role("button").click()
    assert page.evaluate(CHOSEN) == "v3.4h"
    changed = given.replace("#3", "#4")
    area.fill(changed)
    assert stepper.locator(".nsim-wrong-line").count() == 0, "marks of lines that have changed are gone"
    area.press("Control+Enter")
    stepper.locator(".nsim-edit .nsim-problem", has_text="Run again: 17 steps").wait_for(timeout=60_000)
    assert page.evaluate(SOURCES)[1] == f"{LINE}\n{TEXT}"
    stepper.get_by_role("button", name="replace the cell's text").click()
    assert page.evaluate(SOURCES)[1] == f"{LINE}{changed}".rstrip("\n")
    stepper.get_by_role("button", name="to a new cell").click()
    page.wait_for_function("() => document.querySelectorAll('.jp-Notebook .jp-CodeCell').length === 4")
    assert page.evaluate(SOURCES)[2] == page.evaluate(SOURCES)[1]
    stepper.get_by_role("button", name="close").click()


def change(page: Any, stepper: Any) -> None:
    stepper.locator('[data-act="first"]').click()
    for _ in range(5):
        stepper.locator('[data-act="next"]').click()
    lane = stepper.locator('[data-register="v3"] .nsim-cell[data-lane="1"]')
    stepper.get_by_label("element type of all registers").select_option("s32")
    lane.dblclick()
    assert stepper.get_by_label("register, flag or cell to change").input_value() == "v3.s32[1]"
    said = stepper.locator(".nsim-change .nsim-problem")
    for value, answer in (("2147483648", "v3.s32[1] (s32) must be in -2147483648..2147483647; got 2147483648."),
                          ("10", "changed by hand at step 5: v3.s32[1] 1 -> 10")):
        stepper.get_by_label("new value").fill(value)
        stepper.get_by_label("new value").press("Enter")
        said.filter(has_text=answer).wait_for(timeout=60_000)
    assert int(stepper.get_attribute("data-step")) == 5
    assert lane.inner_text().endswith("10") and "nsim-byhand" in lane.get_attribute("class")
    assert "changed by hand here: v3.s32[1] 1 → 10" in stepper.locator(".nsim-explain").inner_text()
    assert stepper.locator(".nsim-changes li").all_inner_texts() == ["step 5 v3.s32[1] 1 → 10"]
    stepper.locator('[data-act="last"]').click()
    assert stepper.locator('[data-register="x0"] .nsim-cell').first.inner_text() == "13"
