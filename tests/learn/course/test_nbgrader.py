"""nbgrader itself: a sheet that it makes an assignment of, and one that is handed out as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from neonsim.learn.course import solution, task_named

MARKED, GIVEN = "saturating-add", "break-the-chain"    # a place to write in; a program to be changed
STUB = "        # YOUR CODE HERE"


def run(folder: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as nbgrader wants it, with a sheet from the command and the assignment that nbgrader makes of it."""
    pytest.importorskip("nbgrader", reason="needs nbgrader: pip install 'neonsim[hosts]'")
    folder = tmp_path_factory.mktemp("course")
    (folder / "source" / "one").mkdir(parents=True)
    said = run(folder, "neonsim", "course", "notebook", MARKED, GIVEN, "-o", "source/one/sheet.ipynb")
    assert "nbgrader_config.py: nbgrader's stub is assembly" in said
    run(folder, "nbgrader", "generate_assignment", "one")
    return folder


def answers(notebook: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The cells of answers, by exercise."""
    found = {}
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        if cell["source"].startswith("%%neon_exercise"):
            found[cell["source"].split()[1]] = cell
    return found


@pytest.mark.nightly
def test_an_assignment_keeps_magic_name_and_what_is_given(course: Path) -> None:
    found = answers(json.loads((course / "release" / "one" / "sheet.ipynb").read_text()))
    magic, _, text = found[MARKED]["source"].partition("\n")
    assert magic == f"%%neon_exercise {MARKED} aarch64 -o answer_saturating_add"
    assert text == task_named(MARKED).start("aarch64").replace("        // your instructions", STUB)
    assert found[GIVEN]["source"].partition("\n")[2] == task_named(GIVEN).start("aarch64")


@pytest.mark.nightly
@pytest.mark.parametrize("from_room", ["release", "source"], ids=["generated", "as it is"])
def test_right_answers_get_their_points(course: Path, from_room: str) -> None:
    sheet = course / from_room / "one" / "sheet.ipynb"
    for who, right in (("right", True), ("start", False)):
        notebook = json.loads(sheet.read_text())
        for name, cell in answers(notebook).items():
            if right:
                cell["source"] = cell["source"].partition("\n")[0] + "\n" + solution(name)
        handed = course / "submitted" / f"{who}-{from_room}" / "one"
        handed.mkdir(parents=True)
        (handed / "sheet.ipynb").write_text(json.dumps(notebook))
    run(course, "nbgrader", "autograde", "one", f"--student=*-{from_room}")

    with import_module("nbgrader.api").Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        points = {who: book.find_submission("one", f"{who}-{from_room}").score for who in ("right", "start")}
    assert points == {"right": 2, "start": 0}
