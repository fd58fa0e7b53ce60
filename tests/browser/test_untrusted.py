"""The course opened for the first time in JupyterLab: pictures are drawn, also where the notebook is not trusted."""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

from neonsim.learn.course.classroom.workspace import copy_course, sign
from tests.needs import needs

needs("jupyterlab", "nbformat", install="pip install jupyterlab")
pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTEBOOK = "06_the_default_kernel.ipynb"
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")
DRAWN = """[...document.querySelectorAll('.jp-OutputArea-output img')].map(
    image => image.complete && image.naturalWidth > 100 && image.alt.length > 5)"""


@pytest.mark.parametrize("signed", [False, True], ids=["untrusted", "signed"])
def test_pictures_are_drawn(chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signed: bool) -> None:
    if signed:
        monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
        sign(copy_course(tmp_path / "course"))
    else:
        (tmp_path / "course" / "notebooks").mkdir(parents=True)
        shutil.copy(ROOT / "notebooks" / NOTEBOOK, tmp_path / "course" / "notebooks")
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path / "course")
    if signed:
        shutil.copytree(tmp_path / "data", lab.home / "data", dirs_exist_ok=True)
    page = chromium.new_page(viewport={"width": 1366, "height": 768})
    try:
        page.goto(lab.address(f"notebooks/{NOTEBOOK}"), wait_until="domcontentloaded")
        page.locator(".jp-OutputArea-output img").first.wait_for(timeout=120_000)
        page.wait_for_function("document.querySelectorAll('.jp-OutputArea-output img').length >= 6")
        assert all(page.evaluate(DRAWN))
        assert page.locator(".jp-OutputArea-output", has_text="<Picture").count() == 0
        trusted = page.locator('[data-icon="ui-components:trusted"]').count()
        assert bool(trusted) is signed
        page.locator(".jp-OutputArea-output img").nth(1).scroll_into_view_if_needed()
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"pictures-{'signed' if signed else 'untrusted'}.png"))
    finally:
        page.close()
        lab.close()
