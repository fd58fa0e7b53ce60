"""The README is true: its example gives the output it shows, its commands and files exist."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import readme
from tests.test_layers import PACKAGES

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")


def test_the_example_gives_the_output_shown() -> None:
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", TEXT[TEXT.index("## Six lines"):], re.S)[:2]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # our own text, not a user's
    assert printed.getvalue() == shown


def test_the_real_model_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", TEXT[TEXT.index("## A real model"):], re.S)[0]
    names: dict[str, Any] = {}
    exec(compile(code + "answer = model.run(digits.input_of(graph, images[7:8]).values)", "README.md", "exec"), names)
    assert names["answer"].answers()[0].number == names["labels"][7] == 7


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", TEXT)) | {"demo", "test", "lab"}))
def test_make_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M)


def test_the_build_server_runs_what_is_named_here() -> None:
    """`.ci/run` is a script of make's targets, each of which the README names beside it."""
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    named = TEXT[TEXT.index("`.ci/run` is what"):].split("`make ")[1].split("`")[0].split()
    ran = re.findall(r"^part make(?: -\S+)*((?: [a-z-]+)+)", script.read_text("utf-8"), re.M)
    assert " ".join(ran).split() == named


@pytest.mark.parametrize("path", sorted(set(re.findall(r"(?:\]\(|src=\"|srcset=\")([^)#:\"]+)[)\"]", TEXT))))
def test_pictures_and_links_exist(path: str) -> None:
    assert (ROOT / path).is_file()


def test_the_map_has_the_packages_in_their_order() -> None:
    plan = TEXT[TEXT.index("neonsim/      eleven"):TEXT.index("native/       the C")]
    assert tuple(re.findall(r"^  (\w+) ", plan, re.M)) == PACKAGES


def test_the_table_of_instructions_is_that_of_today() -> None:
    assert readme.rewritten(TEXT) == TEXT, "the table of instructions is out of date: make readme"
    assert "| base integer instructions | " in readme.instructions()
    assert "| SVE, SME, Thumb, big-endian | left out | left out |" in TEXT
