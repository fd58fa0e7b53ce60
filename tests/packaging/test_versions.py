"""Python 3.11 to 3.14, as far as can be told where most of them are not.

The tests run under the interpreter that is here. Another one that is found has the package installed and runs it.
Pyodide's (CPython as WebAssembly, from npm) compile every file and have all that is imported from the standard library;
numpy is not to be had for them, so nothing of neonsim runs there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
PYODIDE = {(3, 12): "0.27.7", (3, 13): "0.29.3", (3, 14): "314.0.7"}


def interpreter(version: tuple[int, int]) -> str | None:
    """The path of a CPython that starts: on PATH, or among those of pyenv, whose names on PATH may start nothing."""
    name = f"python{version[0]}.{version[1]}"
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in (shutil.which(name), *sorted(map(str, versions.glob(f"*/bin/{name}")))):
        if found is not None:
            said = subprocess.run([found, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True,
                                  text=True, check=False)
            if said.stdout.strip() == str(version):
                return found
    return None


@pytest.mark.parametrize("version", PYODIDE, ids=lambda version: f"{version[0]}.{version[1]}")
def test_it_runs_where_that_python_is(version: tuple[int, int], tmp_path: Path) -> None:
    found = interpreter(version)
    if found is None:
        pytest.skip(f"no Python {version[0]}.{version[1]} here, on PATH or of pyenv")

    def run(*command: str | Path) -> str:
        done = subprocess.run([str(word) for word in command], cwd=tmp_path, capture_output=True, text=True,
                              check=False, env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
        if "Could not find a version" in done.stderr:
            pytest.skip("needs a package index for numpy and the other dependencies")
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", tmp_path, "-C", "wheel.cmake=false", ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    run(found, "-m", "venv", tmp_path / "env")
    bin_folder = tmp_path / "env" / "bin"
    run(bin_folder / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "-c",
        ROOT / "constraints.txt", wheel)
    text = (ROOT / "README.md").read_text("utf-8")
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", text[text.index("## Six lines"):], re.S)[:2]
    assert run(bin_folder / "python", "-W", "error", "-c", code) == shown
    assert "neonsim demo --html" in run(bin_folder / "neonsim", "demo")


def test_nothing_needs_a_newer_python() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    if not vermin.is_file():
        pytest.skip("needs vermin: run it through `make nightly`")
    done = subprocess.run([vermin, "-q", "-t=3.11-", "--no-tips", "--violations",
                           *(str(ROOT / room) for room in ("neonsim", "native/wheels", "docs"))],
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
