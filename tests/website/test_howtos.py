"""Every how-to of the site is run, from the first block to the last, in an empty folder.

A block of code whose first line is a comment with a file's name is that file. Blocks for the shell are run by it, the
other Python one after the other in one namespace; a block of another language without a name is not ours to run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from docs.website.concepts import FOLDER, PICTURES
from docs.website.links import relinked
from neonsim.arm.asm.c.compile import compilers
from neonsim.nn.backends import backends

HOWTO = Path(__file__).parents[2] / "docs/website/pages/howto"
PAGES = sorted(HOWTO.glob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NAME = re.compile(r"\A(?://|#) ([\w.-]+\.\w+)\n")
OURS = ("python", "sh")
PLUGIN = "neonsim.verify.pytest_plugin"
# Blocks that no test here can run, by page; tests/packaging installs wheels. There are no others.
NOT_RUN = {"windows": "py is a command of Windows", "colab": "a line with ! is for a notebook there",
           "lab-of-an-hour": "tests/learn/course/test_nbgrader.py asks nbgrader"}
NO_COMPILER = """
from neonsim.arm.machine.engines.compiled import compiler
import numpy as np
assert compiler() is None
x = ns.Quantized(np.arange(256, dtype=np.uint8).reshape(1, 8, 8, 4), scale=0.1, zero_point=3)
w = ns.Quantized(np.arange(72, dtype=np.uint8).reshape(2, 3, 3, 4), scale=0.1, zero_point=5)
found = [ns.ops.conv2d(x, w, out=ns.Scheme(9.0, 7), backend=backend).values for backend in ("emulated", "reference")]
assert np.array_equal(*found)
print("computed without a compiler")
"""
# Blocks of a second and less stay in the quick tests.
QUICK = ("no-compiler", "vs-code", "colab", "own-network", "keep-steppers")


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text("utf-8"))


def shell(text: str, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # An editable install that was made before the plugin has no entry point for it.
    found = {one.value for one in entry_points(group="pytest11")}
    plugin = {} if PLUGIN in found else {"PYTEST_PLUGINS": PLUGIN}
    run = subprocess.run(["bash", "-e", "-c", text], cwd=folder, env={**os.environ, "PATH": path, **plugin}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=300)
    assert run.returncode == 0, f"{text}\n{run.stdout}"


def test_there_is_a_page_for_each_line_of_the_index() -> None:
    index = (PAGES[0].parent / "index.md").read_text("utf-8")
    listed = re.search(r"```\{toctree\}\n:maxdepth: 1\n\n(.*?)```", index, re.S)
    assert listed is not None
    assert sorted(listed[1].split()) == [page.stem for page in PAGES if page.stem != "index"]


@pytest.mark.parametrize("name", ["concepts", "differences", "features", "library", "models"])
def test_the_example_that_opens_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in ("differences", "models"):
        pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    language, text = blocks(PAGES[0].parents[3] / f"{name}.md")[0]
    assert language == "python"
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, f"{name}.md", "exec"), {})  # our own text, not a user's
    assert printed.getvalue()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_concepts_is_that_of_today(name: str) -> None:
    assert (FOLDER / f"{name}.svg").read_text("utf-8") == str(PICTURES[name]()), "python -m docs.website.concepts"


def test_pages_of_the_repository_lead_to_them() -> None:
    text = "[a lab](website/pages/howto/lab-of-an-hour.md)"
    assert relinked(text, "docs/exercises.md") == "[a lab](../howto/lab-of-an-hour.md)"


@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=[] if page.stem in QUICK else pytest.mark.nightly)
    for page in PAGES if page.stem != "index"])
def test_it_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem == "real-model":
        pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    missing = backends()["native"]
    if page.stem == "own-network" and missing != "available":
        pytest.skip(f"its last line asks for the native backend: {missing}")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    ran, left_out = 0, list[str]()
    for language, text in blocks(page):
        named = NAME.match(text)
        if named:
            (tmp_path / named[1]).write_text(text, "utf-8")
        elif language == "sh":
            shell(text, tmp_path)
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, str(page), "exec"), names)  # our own text, not a user's
        elif not named:
            left_out.append(text)
        ran += language in OURS
    assert ran, "nothing on this page is run"
    assert len(left_out) == (page.stem in NOT_RUN), left_out


def _workflow() -> tuple[list[str], list[str]]:
    """(lines, commands) of the workflow of the page on tests without Arm hardware."""
    (text,) = [text for language, text in blocks(HOWTO / "test-without-arm.md") if language == "yaml"]
    rows = text.splitlines()[1:]        # without the file's name
    return rows, [row.partition("- run: ")[2] for row in rows if "- run: " in row]


def test_the_workflow_has_twelve_lines() -> None:
    rows, commands = _workflow()
    assert len(rows) == 12 and "runs-on: ubuntu-latest" in "\n".join(rows)
    assert [command.split()[0] for command in commands] == ["sudo", "pip", "pytest"]
    # From a wheel file, which is written by `make wheels`; the page says that a git address will do.
    assert re.search(r"\./neonsim-[\d.]+-py3-none-any\.whl$", commands[1])
    assert "neonsim @ git+ADDRESS" in (HOWTO / "test-without-arm.md").read_text("utf-8")


@pytest.mark.nightly
def test_the_commands_of_the_workflow_run(tmp_path: Path) -> None:
    """In the example library as corrected; tests/packaging/test_wheel.py installs the wheel."""
    example = HOWTO.parents[2] / "examples" / "mylib"
    if not compilers("aarch64"):
        pytest.skip("no C compiler for aarch64: make system-packages")
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    shutil.copytree(example / "corrected", tmp_path / "src", dirs_exist_ok=True)
    shell(_workflow()[1][-1], tmp_path)
    assert "failures=\"0\"" in (tmp_path / "report.xml").read_text("utf-8")


@pytest.mark.slow
def test_without_a_compiler_there_is_none(tmp_path: Path) -> None:
    """That page again where the path leads to no compiler; kernels of the emulated backend run there too."""
    page = next(page for page in PAGES if page.stem == "no-compiler")
    text = "\n".join(block for language, block in blocks(page) if language == "python") + NO_COMPILER
    clean = {key: value for key, value in os.environ.items() if key not in ("NEONSIM_CC", "CC")}
    run = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, text=True, capture_output=True, check=False,
                         env={**clean, "PATH": str(tmp_path), "NEONSIM_CACHE": str(tmp_path)}, timeout=120)
    assert run.returncode == 0 and "computed without a compiler" in run.stdout, run.stderr
