"""What make's commands do to the files of their caller."""

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


def test_the_lab_opens_a_copy_and_installs_what_it_needs() -> None:
    """As if nothing were there (-B), and without doing it (-n)."""
    said = make(ROOT, "-n", "-B", "lab")
    assert "neonsim lab build/course --copy-only" in said and "jupyter lab build/course " in said
    installed = [line.split("-e ")[1] for line in said.splitlines() if " -e " in line]
    assert installed == ["'.[lab]'"]
    # An editable install builds the library as well, unless it is there: it was compiled twice.
    assert said.index("cmake --build build/native") < said.index("-e '.[lab]'") < said.index("build/course --copy-only")
    assert said.count("cmake --build build/native") == 1


def test_work_in_the_lab_survives_clean(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("course/notebooks/mine.ipynb", "native/libneonsim.so"):
        (tmp_path / "build" / name).parent.mkdir(parents=True)
        (tmp_path / "build" / name).write_text("")
    make(tmp_path, "clean")
    assert [path.name for path in (tmp_path / "build").iterdir()] == ["course"]
    assert (tmp_path / "build" / "course" / "notebooks" / "mine.ipynb").exists()
