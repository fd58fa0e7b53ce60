"""Cells of assembly in JupyterLab and Notebook: coloured as assembly, a long exercise folded to the part to write."""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOTS = os.environ.get("NEONSIM_SCREENSHOTS")  # a folder: pictures for a person to look at
CELLS = ["def f(x):\n    return x + 1  # python",
         "%%neon aarch64\n// sums, /* a\n        movi v1.4s, #1      // one\n/* two\n lines */ loop:   "
         "add v3.4s, v3.4s, v1.4s\n        b.ne loop\n        ldr x0, =0x1f",
         ns.Exercise("saturating-add").cell, ns.Exercise("gemm-1x8").cell]
# The pieces of each kind in a cell; what the host's own colours cut is put together again.
PIECES = """(cell) => { const found = {};
  for (const line of cell.querySelectorAll('.cm-line')) {
    let last = '';
    const walk = (node, kind) => {
      const mine = [...(node.classList ?? [])].find((name) => name.startsWith('neonsim-')) ?? kind;
      if (node.nodeType === 3) {
        if (mine) (found[mine] ??= []).push((mine === last ? found[mine].pop() : '') + node.data);
        last = mine;
      }
      for (const child of node.childNodes) walk(child, mine);
    };
    walk(line, '');
  }
  return found; }"""


@pytest.mark.parametrize(("app", "dark"), [("lab", False), ("lab", True), ("notebook", False)])
def test_cells_of_assembly(chromium: Any, tmp_path: Path, app: str, dark: bool) -> None:
    pytest.importorskip({"lab": "jupyterlab", "notebook": "notebook"}[app], reason=f"needs it: pip install {app}")
    cells = [{"cell_type": "code", "id": f"cell{k}", "source": text, "metadata": {}, "outputs": [],
              "execution_count": None} for k, text in enumerate(CELLS)]
    (tmp_path / "one.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}))
    (tmp_path / "jupyter").mkdir()
    (tmp_path / "jupyter" / "labextensions").symlink_to(ROOT / "neonsim" / "learn" / "notebook" / "labextensions")
    environment = {**os.environ, "JUPYTER_PATH": str(tmp_path / "jupyter")}
    lab = runpy.run_path(str(HERE / "jupyter.py"))["Lab"](tmp_path, dark=dark, python_path=ROOT, app=app,
                                                          environment=environment)
    page = chromium.new_page(viewport={"width": 1366, "height": 768})
    try:
        page.goto(lab.address("one.ipynb"), wait_until="domcontentloaded")
        page.locator(".neonsim-given").nth(1).wait_for(timeout=90_000)
        lab.wait_for_kernel()
        shown = page.locator(".jp-Notebook .jp-CodeCell .cm-content")
        page.wait_for_function("() => document.querySelector('.jp-CodeCell .cm-line span')")    # coloured as Python
        assert shown.nth(0).evaluate(PIECES) == {}, "Python is Python"
        assert shown.nth(1).evaluate(PIECES) == {
            "neonsim-comment": ["// sums, /* a", "// one", "/* two", " lines */"],
            "neonsim-mnemonic": ["movi", "add", "b.ne", "ldr"], "neonsim-number": ["#1", "0x1f"],
            "neonsim-label": [" loop:"], "neonsim-plain": [",", ",", ",", "loop", ",", "="],
            "neonsim-register": ["v1.4s", "v3.4s", "v3.4s", "v1.4s", "x0"]}
        colors = [page.locator(f".neonsim-{kind}").first.evaluate("e => getComputedStyle(e).color")
                   for kind in ("comment", "mnemonic", "register", "plain")]
        assert len(set(colors)) == 4, colors
        folded(shown)
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"cells-{app}{'-dark' if dark else ''}.png"))
    finally:
        page.close()
        lab.close()


def folded(shown: Any) -> None:
    """A short exercise is whole; of a long one the part to write is there, and what is given comes with a click."""
    assert shown.nth(2).locator(".cm-line").count() == len(CELLS[2].rstrip("\n").splitlines()) + 1
    long, lines = shown.nth(3), CELLS[3].splitlines()
    assert long.locator(".cm-line").count() < 12 < len(lines)
    assert long.inner_text().count("// your instructions") == 2 and "// ---- The last 1..7 depths" in long.inner_text()
    before, behind = long.locator(".neonsim-given").all_inner_texts()
    assert before == f"{next(k for k, line in enumerate(lines) if '---- Eight depths' in line) - 1} lines given"
    long.locator(".neonsim-given").first.click()
    assert long.locator(".neonsim-given").all_inner_texts() == [behind] and ".macro one_depth" in long.inner_text()
