"""Every notebook runs from top to bottom, and says what the committed file says."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from neonsim.backends.native import NativeBackend

nbformat = pytest.importorskip("nbformat", reason="needs Jupyter's libraries: pip install nbformat nbclient ipykernel")
pytest.importorskip("nbclient", reason="needs nbclient: pip install nbclient")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def outputs(notebook: dict) -> list:
    """What each code cell shows, without the spelling of line breaks."""
    def plain(value):
        if isinstance(value, list):
            return "".join(value) if all(isinstance(part, str) for part in value) else [plain(part) for part in value]
        return {key: plain(part) for key, part in value.items()} if isinstance(value, dict) else value

    return [plain(cell["outputs"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_runs_and_says_the_same(path: Path) -> None:
    if "native" in path.read_text(encoding="utf-8"):
        missing = NativeBackend().available()
        if missing is not None:
            pytest.skip(f"the notebook compares with the native backend: {missing}")
    executed = runpy.run_path(str(Path(__file__).with_name("refresh.py")))["execute"](path)
    committed = json.loads(path.read_text(encoding="utf-8"))
    hint = f"outputs changed: look at them, then python tests/notebooks/refresh.py {path.relative_to(ROOT)}"
    for now, then in zip(outputs(executed), outputs(committed), strict=True):
        assert now == then, hint


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_reads_well_on_a_code_host(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    first = "".join(notebook["cells"][0]["source"])
    assert first.startswith("# ") and "?" in first, "a notebook opens with its one question"
    shown = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert "image/svg+xml" in kinds, "a still picture shows where nothing can be clicked"
    assert "application/vnd.jupyter.widget-view+json" not in kinds
    assert path.stat().st_size < 400_000


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} >= {"01_one_instruction", "02_the_default_kernel"}
