"""What make's commands do to the files of whoever calls them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def make(folder: Path, *words: str) -> str:
    if shutil.which("make") is None:
        pytest.skip("needs make")
    done = subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder in which nothing is set up."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_the_lab_opens_a_copy_and_installs_what_it_needs(checkout: Path) -> None:
    said = make(checkout, "-n", "lab", "PYTHON=python3")
    assert "neonsim lab build/course --copy-only" in said and "jupyter lab build/course " in said
    installed = [line.split("-e ")[1] for line in said.splitlines() if " -e " in line]
    assert installed == ["'.[lab]'"]
    assert said.index("build/course --copy-only") > said.index("-e '.[lab]'")


def test_work_in_the_lab_survives_clean(checkout: Path) -> None:
    for name in ("course/notebooks/mine.ipynb", "native/libneonsim.so"):
        (checkout / "build" / name).parent.mkdir(parents=True)
        (checkout / "build" / name).write_text("")
    make(checkout, "clean")
    assert [path.name for path in (checkout / "build").iterdir()] == ["course"]
    assert (checkout / "build" / "course" / "notebooks" / "mine.ipynb").exists()
