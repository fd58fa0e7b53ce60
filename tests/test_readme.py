"""README.md and CONTRIBUTING.md are true: examples give the output they show, commands and files exist."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import instruction_table
from tests.test_layers import PACKAGES

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_the_example_gives_the_output_shown() -> None:
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", TEXT[TEXT.index("## Six lines"):], re.S)[:2]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # our own text, not a user's
    assert printed.getvalue() == shown


def test_it_is_short_and_begins_with_its_picture() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 150 and lines[0] == "# neonsim"
    assert len(re.split(r"(?<=[.!?]) ", lines[2])) == 1 and "<picture>" in lines[4]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", TEXT + GUIDE)) | {"demo", "test", "lab"}))
def test_make_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M)


def test_the_build_server_runs_what_is_named_here() -> None:
    """`.ci/run` is a script of make's targets, which CONTRIBUTING.md names."""
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0
    named = GUIDE[GUIDE.index("`.ci/run`, which is"):].split("`make ")[1].split("`")[0].split()
    ran = re.findall(r"^part make(?: -\S+)*((?: [a-z-]+)+)", script.read_text("utf-8"), re.M)
    assert " ".join(ran).split() == named


@pytest.mark.parametrize("path", sorted(set(re.findall(r"(?:\]\(|src=\"|srcset=\")([^)#:\"]+)[)\"]", TEXT))))
def test_pictures_and_links_exist(path: str) -> None:
    assert (ROOT / path).is_file()


def test_the_map_says_of_the_packages_what_they_say_themselves() -> None:
    plan = GUIDE[GUIDE.index("neonsim/      eleven"):GUIDE.index("native/       the C")]
    rows = dict(re.findall(r"^  (\w+) +(.+)$", plan, re.M))
    assert tuple(rows) == PACKAGES
    for name, row in rows.items():
        first = (importlib.import_module(f"neonsim.{name}").__doc__ or "").partition("\n")[0]
        assert row == first[:1].lower() + first[1:].removesuffix("."), name


def test_the_table_of_instructions_is_that_of_today() -> None:
    page = instruction_table.PAGE.read_text("utf-8")
    assert instruction_table.rewritten(page) == page, "the table of instructions is out of date: make instructions"
    assert "| base integer instructions | " in instruction_table.instructions()
    assert "| SVE, SME, Thumb, big-endian | left out | left out |" in page
