"""What JupyterLab and Notebook load to colour cells of assembly: plain JavaScript, without a build."""

from __future__ import annotations

import json
import re

import neonsim as ns
from neonsim.cli.lab import LABEXTENSIONS
from neonsim.learn.course.exercise import OPEN
from neonsim.render import static_text

FOLDER = LABEXTENSIONS / "neonsim"


def test_jupyter_finds_it() -> None:
    """The host reads package.json beside the name, loads `load`, and asks for the module `extension`."""
    said = json.loads((FOLDER / "package.json").read_text())
    built = said["jupyterlab"]["_build"]
    script = (FOLDER / built["load"]).read_text()
    assert said["name"] == FOLDER.name and f"window._JUPYTERLAB.{said['name']} = " in script
    assert f'"{built["extension"]}"' in script and "http" not in script


def test_it_takes_assembly_apart_as_the_stepper_does() -> None:
    """No bundler joins the two, so each has its own copy of the patterns."""
    scripts = [static_text("color.js"), (FOLDER / "static" / "cells.js").read_text()]
    for name in ("PART", "REGISTER"):
        first, second = (re.search(rf"const {name} = (.*);", text) for text in scripts)
        assert first is not None and second is not None and first[1] == second[1], name


def test_it_knows_the_part_to_write() -> None:
    script = (FOLDER / "static" / "cells.js").read_text()
    assert re.escape(OPEN).replace("/", r"\/").replace(r"\ ", " ") in script
    assert OPEN in ns.Exercise("gemm-1x8").cell and "// ----" in ns.Exercise("gemm-1x8").cell
