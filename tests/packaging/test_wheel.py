"""A wheel and an sdist built from the tree, installed outside the checkout: they work, also without a C compiler."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from docs.website.play.build import unpack_interpreter
from neonsim.arm.asm.c.compile import compilers
from tests.until import until

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
NEEDED = ("build", "scikit_build_core", "virtualenv")


def environment(**changes: str) -> dict[str, str]:
    """Nothing of this checkout leaks in through PYTHONPATH."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "CC", "NEONSIM_ISA")}
    return kept | changes


def run(*command: str | Path, cwd: Path, **changes: str) -> str:
    result = subprocess.run([str(word) for word in command], cwd=cwd, env=environment(**changes), capture_output=True,
                            text=True, check=False)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from the sdist."""
    missing = subprocess.run([sys.executable, "-c", f"import {', '.join(NEEDED)}"], capture_output=True, check=False)
    if missing.returncode:
        pytest.skip(f"needs {', '.join(NEEDED)}: run it through `make nightly`")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


def install(wheel: Path, folder: Path, extras: str = "") -> Path:
    """A new environment with the wheel and what it depends on; returns its bin."""
    run(sys.executable, "-m", "virtualenv", "--quiet", folder, cwd=wheel.parent)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"),
               f"{wheel}{extras}"]
    result = subprocess.run(command, cwd=wheel.parent, env=environment(), capture_output=True, text=True, check=False)
    if "Could not find a version" in result.stderr or "Connection" in result.stderr:
        pytest.skip("needs a package index for numpy and the other dependencies")
    assert result.returncode == 0, result.stderr
    return folder / "bin"


def test_a_wheel_without_c_installs_in_a_browser(tmp_path: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("needs Node.js with npm: run `make system-packages`")
    if subprocess.run([sys.executable, "-c", f"import {', '.join(NEEDED)}"], capture_output=True,
                      check=False).returncode:
        pytest.skip(f"needs {', '.join(NEEDED)}: run it through `make nightly`")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-Cwheel.cmake=false", "--outdir", tmp_path, ROOT,
        cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    unpack_interpreter(tmp_path)
    found = json.loads(run("node", Path(__file__).with_name("wheel.mjs"), tmp_path, wheel, cwd=tmp_path))
    assert (found["platform"], found["problem"]) == ("emscripten", None)
    assert found["instructions"] == ["fadd v0.8h, v1.8h, v2.8h", "ret"]
    asked = {one.name for one in map(Requirement, found["requires"])
             if one.marker is None or one.marker.evaluate({"sys_platform": "emscripten", "extra": ""})}
    # Of these numpy is compiled for it, by Pyodide; the others are pure Python.
    assert asked == {"numpy", "tqdm", "anywidget", "ipywidgets", "pygments", "pyelftools"}
    lock = json.loads((tmp_path / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    assert "numpy" in lock["packages"]


def test_what_travels(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "pyproject.toml", "native/CMakeLists.txt", "native/include/neonsim.h",
            "neonsim/__init__.py"} <= names
    kernels = {path.relative_to(ROOT).as_posix() for path in (ROOT / "kernels").rglob("*.S")}
    assert kernels <= names
    own = (".venv/", ".tools/", "build/", "dist/", ".ci/")
    assert not [name for name in names if name.startswith(own) or "__pycache__" in name]

    (wheel,) = built.glob("*.whl")
    assert "-py3-none-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {*(f"neonsim/{name}" for name in kernels), "neonsim/include/neonsim.h"} <= names
    assert [name for name in names if name.startswith("neonsim/nn/backends/native/libneonsim.")]
    course = {path.relative_to(ROOT).as_posix() for pattern in ("notebooks/*.ipynb", "notebooks/README.md",
              "notebooks/pictures/*", "docs/*.md") for path in ROOT.glob(pattern)}
    assert {name.removeprefix("neonsim/") for name in names if re.match("neonsim/(notebooks|docs)/", name)} == course
    shared = {name.partition(".data/data/share/jupyter/")[2] for name in names}
    assert {"labextensions/neonsim/package.json", "labextensions/neonsim/static/cells.js"} <= shared
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "neonsim").rglob("*")
               if path.is_file() and path.suffix not in (".pyc", ".so")}
    assert sources <= names


def test_a_package_index_takes_them_and_shows_the_page(built: Path) -> None:
    if importlib.util.find_spec("twine") is None:
        pytest.skip("needs twine: run it through `make nightly`")
    files = sorted(built.glob("neonsim-*"))
    assert run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=built).count("PASSED") == 2
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = archive.read(name).decode("utf-8")
    assert "Description-Content-Type: text/markdown" in page
    assert "\n# neonsim\n" in page
    assert "](notebooks/" not in page


def test_the_example_library_is_tested_with_the_installed_plugin(built: Path, tmp_path: Path) -> None:
    """docs/examples/mylib in an environment of its own: pytest finds the plugin, the plugin both planted faults."""
    if not compilers("aarch64"):
        pytest.skip("no C compiler for aarch64: make system-packages")
    (wheel,) = built.glob("*.whl")
    python = install(wheel, tmp_path / "env") / "python"
    run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", "pytest", cwd=tmp_path)
    mylib = Path(shutil.copytree(ROOT / "docs" / "examples" / "mylib", tmp_path / "mylib"))
    found = subprocess.run([python, "-m", "pytest", "--neonsim-artifacts", "pages"], cwd=mylib, env=environment(),
                           capture_output=True, text=True, check=False)
    assert found.returncode == 1 and "2 failed, 4 passed" in found.stdout, found.stdout + found.stderr
    assert "14 bytes past its end" in " ".join(found.stdout.split()), found.stdout
    assert "the returned value should be 526320, is 2032" in found.stdout
    assert len(list((mylib / "pages").iterdir())) == 2
    for path in (mylib / "corrected").iterdir():
        shutil.copy(path, mylib / "src")
    assert "6 passed" in run(python, "-m", "pytest", cwd=mylib)


def test_wheel_runs_outside_the_checkout(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    bin_folder = install(wheel, tmp_path / "env")
    code = ("import neonsim, neonsim.nn.backends.native.backend as n; assert n.available() is None, n.available(); "
            "files = [k for k in neonsim.kernels() if not k.is_generated]; "
            "print(len(files), n.cpu_info()['library'], neonsim.__file__)")
    text = run(bin_folder / "python", "-c", code, cwd=tmp_path)
    count, library, package = text.split()
    assert int(count) == len(list((ROOT / "kernels").rglob("*__*.S")))
    assert library.startswith(str(tmp_path))
    assert package.startswith(str(tmp_path))
    assert "native" in run(bin_folder / "neonsim", "demo", cwd=tmp_path)


# Of the README's list of commands, those that need nothing but the wheel (no file or package more) and seconds.
ALONE = ("demo", "isa smlal", "kernels dwconv", "course dot-product", "run digits --seed", "time KERNEL")
SHOWN = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"


def test_the_course_and_the_examples_of_the_readme(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    bin_folder = install(wheel, tmp_path / "env", "[models]")
    here = tmp_path / "here"
    here.mkdir()
    said = run(bin_folder / "neonsim", "lab", "--copy-only", cwd=here)
    assert "the course is in neonsim-course: files" in said
    notebooks = {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {path.name for path in (here / "neonsim-course" / "notebooks").glob("*.ipynb")} == notebooks
    asked = subprocess.run([bin_folder / "neonsim", "lab"], cwd=here, env=environment(), capture_output=True,
                           text=True, check=False)
    assert asked.returncode == 2
    assert asked.stderr.startswith("neonsim: opening the course needs JupyterLab: ")
    assert "pip install 'neonsim[lab]'. " in asked.stderr

    text = (ROOT / "README.md").read_text("utf-8")
    models = (ROOT / "docs" / "models.md").read_text("utf-8")
    run(bin_folder / "python", "-c", re.findall(r"```python\n(.*?)```", models, re.S)[0], cwd=here)
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", text[text.index("## Six lines"):], re.S)[:2]
    assert run(bin_folder / "python", "-c", code, cwd=here) == shown
    listed = text[text.index("### Commands"):]
    for beginning in ALONE:
        (line,) = re.findall(rf"^neonsim {re.escape(beginning)}.*?(?=  |$)", listed, re.M)
        run(bin_folder / "neonsim", *line.replace("KERNEL", SHOWN).removeprefix("neonsim ").split(), cwd=here)


def test_jupyterlab_opens_the_copy(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    bin_folder = install(wheel, tmp_path / "env", "[lab]")
    home = {"HOME": str(tmp_path), "JUPYTER_TOKEN": "ours"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    lab = subprocess.Popen([bin_folder / "neonsim", "lab", "mine", "--no-browser", f"--port={port}"], cwd=tmp_path,
                           env=environment(**home), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        told = ""
        while f":{port}/" not in told:
            line = lab.stderr.readline()
            assert line, f"JupyterLab ended at once: {told}"
            told += line

        def listens() -> bool:      # it tells its address first
            assert lab.poll() is None, f"JupyterLab ended: {told}"
            with socket.socket() as tried:
                return tried.connect_ex(("127.0.0.1", port)) == 0
        until(listens, "JupyterLab")

        def ask(path: str) -> Any:
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": "token ours"})
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return answer.read()

        there = {entry["name"] for entry in json.loads(ask("/api/contents/notebooks"))["content"]}
        assert {path.name for path in (ROOT / "notebooks").glob("*.ipynb")} <= there
        first = json.loads(ask(f"/api/contents/notebooks/{min(name for name in there if name.endswith('.ipynb'))}"))
        assert first["type"] == "notebook"
        assert b"jupyter-config-data" in ask("/lab/tree/notebooks")
    finally:
        lab.terminate()
        lab.stderr.close()
        lab.wait(60)


def test_without_a_compiler_the_install_works_and_says_what_is_missing(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    # Only Python's own tools on PATH, and a CC that is not there: CMake finds no compiler.
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("cmake", "ninja"):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-cache-dir", "-w",
        tmp_path, sdist, cwd=tmp_path, PATH=str(tools), CC="no-such-compiler")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    bin_folder = install(wheel, tmp_path / "env")
    code = ("import neonsim\n"
            "from neonsim.nn.backends import backends, get\n"
            "assert backends()['reference'] == 'available' and len(neonsim.kernels())\n"
            "try:\n    get('native')\n"
            "except neonsim.BackendError as error:\n    print(error)")
    text = run(bin_folder / "python", "-c", code, cwd=tmp_path, PATH=str(tools))
    assert "installed without its C library" in text
    assert "no C compiler" in text
