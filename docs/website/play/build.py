"""Builds the playground: the page and all that it needs, in a folder that can be served from anywhere.

Pyodide, an interpreter for browsers, is fetched once from the registry of npm and known by its digest. The page fetches
nothing but what lies beside it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from html import escape
from pathlib import Path
from typing import Any

from neonsim.errors import MissingPackage, NeonsimError
from neonsim.render.play import answer
from neonsim.render.stepper.bundle import STYLE_COMMENT, join_modules, static_text, stepper_styles

from .examples import FIRST, INCLUDE, make_examples, write_exercises, write_kernel_examples

__all__ = ["MissingTools", "unpack_interpreter", "write", "write_missing"]

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PACKAGE, VERSION = "pyodide", "314.0.7"
# SHA-512, as npm has it.
DIGEST = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY = "python_stdlib.zip"
SENT = ("common", "arm", "render/play", "render/stepper", "render/pictures")  # parts of the package that may be needed


class MissingTools(MissingPackage):
    """There is no Node.js with npm."""


def write(folder: Path, home: str = "../index.html", *, kernels: bool = True) -> str:
    """The playground into a folder; returns what it has, in a line.

    home      where the page's link to the documentation leads; "": there is none
    kernels   also an example of each kernel of the catalogue, which takes a minute

    Raises MissingTools without Node.js, NeonsimError where the package cannot be fetched or is another.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise MissingTools("the playground is built by Node.js with npm: on Debian and Ubuntu, apt-get install nodejs "
                           "npm")
    script = join_modules("playpage.js")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        unpack_interpreter(work)
        told = _pack(work, folder)
    (folder / "play.js").write_text(script, "utf-8")
    (folder / "playworker.js").write_text(join_modules("playworker.js"), "utf-8")
    styles = stepper_styles() + STYLE_COMMENT.sub("", static_text("play.css"))
    (folder / "index.html").write_text(
        (HERE / "index.html").read_text("utf-8").replace("STYLES", styles).replace(
            "HOME", home and f'<a href="{home}">Documentation</a>'), "utf-8")
    found = make_examples() + write_exercises(folder / "exercises")
    if kernels:
        found += write_kernel_examples(folder / "examples")
    _write(folder / "examples.json", found)
    first: dict[str, Any] = next(one for one in found if one["name"] == FIRST)
    asked = {"ask": "open", **{key: first[key] for key in ("text", "isa", "words", "expected", "title")}}
    opened = json.loads(answer(json.dumps(asked), INCLUDE))
    _write(folder / "first.json", {"experiment": first, "opened": opened})
    _keep(folder)
    return f"{told}, {len(found)} examples"


def write_missing(folder: Path, problem: MissingTools) -> None:
    """A page that says why there is no playground, where the site's links to it lead."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>neonsim: playground</title>\n'
        "<style>:root { color-scheme: light dark; } body { font: 15px/1.5 sans-serif; margin: 2em; }</style>\n"
        f"<h1>Playground</h1>\n<p>This site was built without it: {escape(str(problem))}. <code>make playground</code> "
        'builds it then.</p>\n<p><a href="../index.html">Documentation</a></p></html>\n', "utf-8")


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, separators=(",", ":")), "utf-8")


def _package() -> Path:
    """The package's archive, fetched once; its digest is looked at each time."""
    kept = ROOT / "build" / "playground-package"
    archive = kept / f"{PACKAGE}-{VERSION}.tgz"
    if not archive.exists():
        kept.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@{VERSION}"], cwd=kept, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise NeonsimError(f"npm could not fetch {PACKAGE} {VERSION}: {done.stderr.strip()[-300:]}")
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode("ascii")
    if found != DIGEST:
        raise NeonsimError(f"{archive} is not the {PACKAGE} {VERSION} that this was tried with (SHA-512 {found}): "
                           "delete it, and it is fetched again")
    return archive


def unpack_interpreter(work: Path) -> None:
    """The interpreter for browsers, into the folder ``pyodide``. Raises NeonsimError where it cannot be fetched."""
    archive = _package()
    (work / "pyodide").mkdir()
    with tarfile.open(archive) as package:
        for name in (*FILES, LIBRARY):
            found = package.extractfile(f"package/{name}")
            if found is None:
                raise NeonsimError(f"{archive} has no {name}")
            (work / "pyodide" / name).write_bytes(found.read())


def _pack(work: Path, folder: Path) -> str:
    """Python's part: see pack.py."""
    source = work / "source"
    source.mkdir()
    package = ROOT / "neonsim"
    for path in [*package.glob("*.py*"), *(package / "render").glob("*.py"),
                 *(one for part in SENT for one in (package / part).rglob("*") if one.is_file())]:
        if "__pycache__" not in path.parts:
            target = source / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    shutil.copytree(ROOT / "kernels" / "include", source / "kernels" / "include")
    shutil.copy(HERE / "absent_numpy.py", source)
    shutil.copy(HERE / "pack.py", work)
    done = subprocess.run(["node", str(HERE / "pack.mjs"), str(work)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NeonsimError(f"the playground's Python could not be packed: {done.stderr.strip()[-1000:]}")
    for name in ("neonsim.tar.xz", LIBRARY):
        shutil.copyfile(work / name, folder / name)
    (folder / "pyodide").mkdir()
    for name in FILES:
        shutil.copyfile(work / "pyodide" / name, folder / "pyodide" / name)
    # Packages of Pyodide's are on a server of theirs: none is used, so none is named.
    lock = json.loads((folder / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    (folder / "pyodide" / "pyodide-lock.json").write_text(json.dumps(lock | {"packages": {}}), "utf-8")
    return done.stdout.strip()


def _keep(folder: Path) -> None:
    """The service worker, which keeps all but the examples and exercises that have files of their own."""
    files = sorted(path for path in folder.rglob("*")
                   if path.is_file() and path.parent.name not in ("examples", "exercises"))
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    names = ["./", *(path.relative_to(folder).as_posix() for path in files)]
    text = (HERE / "kept.js").read_text("utf-8")
    (folder / "kept.js").write_text(text.replace("DIGEST", f"neonsim-play-{digest.hexdigest()[:16]}").replace(
        "FILES = []", f"FILES = {json.dumps(names)}"), "utf-8")
