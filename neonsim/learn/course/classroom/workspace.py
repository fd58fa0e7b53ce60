"""A copy of the course to work in: notebooks, pictures and the pages they lead to, in a folder of your own.

The package holds the course as the repository does; who changes a notebook changes a copy. The copy remembers what it
was given (RECORD), so that a newer course replaces unchanged files, and of nothing else.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from neonsim.common.fileio import load_json, make_folder, read_file, write_file
from neonsim.errors import BadArgument

__all__ = ["Copied", "copy_course", "course_files", "sign"]

RECORD = ".neonsim-course.json"     # path -> SHA-256 of what was written there
_MAX_RECORD = 1 << 20              # bytes of it that are read
_MAX_CONTENT = 1 << 25             # bytes of a file of the course
_KINDS = {"notebooks": ("*.ipynb", "*.md", "pictures/*"), "docs": ("*.md",)}
_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((\.\.?/[^)\s#]*|[\w/-]+\.\w+)(#[^)\s]*)?\)")


@dataclass(frozen=True)
class Copied:
    """What `copy_course` did: paths below the folder, in order.

    new_files  new files, and older ones that were not changed
    unchanged_files  files that were up to date
    preserved_files  files that had been changed, left as they are
    """

    folder: Path
    new_files: tuple[str, ...]
    unchanged_files: tuple[str, ...]
    preserved_files: tuple[str, ...]


def course_files() -> dict[str, bytes]:
    """Every file of the course: its path -> what a copy holds.

    Links of pages to what does not travel along (sources of the repository) are plain text there. Raises BadArgument
    where the package was installed without the course.
    """
    paths = {f"{room}/{path.relative_to(place).as_posix()}": path
             for room, patterns in _KINDS.items() for place in (_place(room),)
             for pattern in patterns for path in sorted(place.glob(pattern)) if path.is_file()}
    return {name: _traveling(name, path, paths) for name, path in sorted(paths.items())}


def copy_course(folder: str | Path) -> Copied:
    """Copy the course into a folder, which is made if need be; a file that was changed there is never overwritten.

    Raises BadArgument (one sentence) for a folder that cannot be made or written.
    """
    target = make_folder(folder)
    given = _given(target / RECORD)
    done: dict[str, list[str]] = {"new_files": [], "unchanged_files": [], "preserved_files": []}
    for name, content in course_files().items():
        there = _content(target / name)
        if there == content:
            done["unchanged_files"].append(name)
        elif there is None or hashlib.sha256(there).hexdigest() == given.get(name):
            make_folder((target / name).parent)
            write_file(target / name, content)
            done["new_files"].append(name)
        else:
            done["preserved_files"].append(name)
            continue
        given[name] = hashlib.sha256(content).hexdigest()
    write_file(target / RECORD, json.dumps(given, indent=0, sort_keys=True) + "\n")
    return Copied(target, **{kind: tuple(names) for kind, names in done.items()})


def sign(copied: Copied) -> None:
    """Tell Jupyter that unchanged notebooks are to be trusted: it shows all that is stored in them.

    They are signed as `jupyter trust` does it, with the key of the user; the package nbformat has to be there.
    """
    notary = import_module("nbformat.sign").NotebookNotary()
    reads = import_module("nbformat.v4").reads
    for name in (*copied.new_files, *copied.unchanged_files):
        if name.endswith(".ipynb"):
            notary.sign(reads((copied.folder / name).read_text("utf-8")))


def _place(room: str) -> Path:
    """``notebooks/`` or ``docs/`` of the checkout, or below ``neonsim/`` of an installed package."""
    package = Path(str(importlib.resources.files("neonsim")))
    checkout = package.parent / room
    if checkout.is_dir() and (package.parent / "pyproject.toml").is_file():
        return checkout
    if (package / room).is_dir():
        return package / room
    raise BadArgument(f"the course was not found: neither {checkout} nor {package / room} exists. Install neonsim "
                      f"again.")


def _traveling(name: str, path: Path, paths: Mapping[str, Path]) -> bytes:
    content = path.read_bytes()
    if path.suffix != ".md":
        return content

    def link(match: re.Match[str]) -> str:
        leads = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[2]))
        return match[0] if leads in paths else match[1]

    return _LINK.sub(link, content.decode()).encode()


def _content(path: Path) -> bytes | None:
    """What a file holds; None where there is none. What is no file (a link, a folder) counts as changed: empty."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return b""
    if not path.exists():
        return None
    # One that is larger than all that is given here was changed.
    return read_file(path, _MAX_CONTENT) if path.stat().st_size <= _MAX_CONTENT else b""


def _given(path: Path) -> dict[str, str]:
    """What a former copy wrote. A record that cannot be read makes every file one that was changed: nothing is lost."""
    if path.is_symlink():
        return {}
    try:
        found = load_json(read_file(path, _MAX_RECORD))
    except ValueError:
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
