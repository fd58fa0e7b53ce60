"""A family is one file and its recorded vectors: taken away from a copy of the package nothing else names it, put back
it is there again in the table, the manual, Arm's list and the oracle's corpus."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]
FAMILY = "simd/halving"
# What an editable install puts before every other place where a module can be.
ALONE = """import sys
sys.meta_path[:] = [one for one in sys.meta_path if not type(one).__module__.startswith("_editable")]
"""
LOOK = """
import json
import neonsim as ns
from neonsim.errors import AssemblyError
from neonsim.arm.isa import FAMILIES, family_name
from neonsim.arm.isa.coverage import groups
from neonsim.render.manual.pages import index_page
from neonsim.arm.timing import cores, load_core
try:
    ns.assemble("shadd v0.4s, v1.4s, v2.4s", isa="aarch64")
    said = ""
except AssemblyError as error:
    said = error.message
rows = [row for of in groups().values() for row in of.get("aarch64", ())]
print(json.dumps({"from": ns.__file__, "families": [family_name(m.__name__) for m in FAMILIES], "said": said,
                  "here": sum(row.is_implemented for row in rows), "page": "simd-halving.html" in index_page(),
                  "cores": [load_core(name).check()[0] for name in cores()]}))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    for name in ("neonsim", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "golden", "browser"))
    shutil.copytree(ROOT / "kernels", folder / "kernels")
    (folder / "sitecustomize.py").write_text(ALONE)
    return folder


def run(copy: Path, *arguments: str) -> str:
    """Python, with the copy as the package."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=copy, check=False,
                          env=os.environ | {"PYTHONPATH": str(copy)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def look(copy: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(copy, "-c", LOOK))
    assert Path(found["from"]).is_relative_to(copy)
    assert not any(found["cores"])
    return found


@pytest.mark.slow
def test_one_file_makes_a_family(copy: Path) -> None:
    there = look(copy)
    file = copy / "neonsim" / "arm" / "isa" / f"{FAMILY}.py"
    text = file.read_text("utf-8")
    file.unlink()
    without = look(copy)
    file.write_text(text, "utf-8")
    assert there["families"] == [*dict.fromkeys([*without["families"][:there["families"].index(FAMILY)], FAMILY,
                                                 *without["families"]])]
    assert FAMILY not in without["families"]
    assert there["said"] == ""
    assert without["said"] == "SHADD belongs to what neonsim has not yet: add, subtract, average."
    assert without["here"] < there["here"]
    assert (there["page"], without["page"]) == (True, False)


@pytest.mark.nightly
def test_its_vectors_are_recorded_by_one_command(copy: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests" / "conformance"))
    import oracle

    for isa in ("aarch64", "aarch32"):
        if reason := oracle.missing(isa):
            pytest.skip(reason)
    run(copy, "tests/conformance/record.py", FAMILY)
    for isa in ("aarch64", "aarch32"):
        name = Path("tests", "conformance", "golden", isa, f"{FAMILY}.npz")
        with np.load(copy / name) as again, np.load(ROOT / name) as recorded:
            assert again["lines"].size
            for key in recorded.files:
                assert np.array_equal(again[key], recorded[key]), key
