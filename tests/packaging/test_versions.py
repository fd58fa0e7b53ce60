"""Python 3.11 to 3.14, as far as can be told under one of them.

The tests run under the interpreter that is here. Of the others, Pyodide's (CPython as WebAssembly, from npm) compile
every file and have all that is imported from the standard library; numpy is not to be had for them, so nothing of
neonsim runs there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
PYODIDE = {(3, 12): "0.27.7", (3, 13): "0.29.3", (3, 14): "314.0.7"}


def test_nothing_needs_a_newer_python() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    if not vermin.is_file():
        pytest.skip("needs vermin: run it through `make test-full`")
    # It takes the floats of render/expression.py for integers.
    done = subprocess.run([vermin, "-q", "-t=3.11-", "--no-tips", "--violations", "--exclude",
                           "int.is_integer", *(str(ROOT / room) for room in ("neonsim", "native/wheels", "docs"))],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stdout  # violations alone are printed


@pytest.mark.parametrize("version", PYODIDE, ids=lambda version: f"{version[0]}.{version[1]}")
def test_it_compiles_and_finds_what_it_imports(version: tuple[int, int], tmp_path: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("needs Node.js with npm: run `make system-packages`")
    got = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
                          f"pyodide@{PYODIDE[version]}"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if got.returncode:
        pytest.skip("needs the npm registry for Pyodide")
    shutil.copy(Path(__file__).with_name("compiled.mjs"), tmp_path)
    ours = shutil.copytree(ROOT / "neonsim", tmp_path / "sources" / "neonsim",
                           ignore=lambda _, names: [name for name in names if name == "__pycache__"])
    done = subprocess.run(["node", "compiled.mjs", str(ours.parent)], cwd=tmp_path, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["python"] == list(version)
    assert told["files"] == len(list((ROOT / "neonsim").rglob("*.py"))) > 500
    assert told["imported"] > 100
    assert told["wrong"] == []
