"""How every file is written: whole or not at all, and never through a symbolic link; and how those of others are read.

The text goes to a new file beside the target, under a name that cannot be guessed, which then takes the target's
place. So who stops the writing finds what was there before, and who shares the folder cannot lead it elsewhere.

A named file is read up to a bound, and only where it is a file: a pipe may never end, and looking at a device
may do something. Of untrusted JSON (traces, results, recorded runs) nesting and size are known before a value is built.
"""

from __future__ import annotations

import json
import os
import re
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from neonsim.common.limits import MAX_JSON_DEPTH, MAX_JSON_VALUES
from neonsim.errors import BadArgument

__all__ = ["check_file", "check_folder", "load_json", "make_folder", "open_file", "read_file", "read_text",
           "require_file", "write_file"]

# A pipe without a writer is not waited for, and a terminal does not become this process's.
_LOOK = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


_PIECE = 1 << 20


def open_file(path: str | Path) -> BufferedReader:
    """Return a file opened for reading. Raises BadArgument (one sentence) for what is not there or is no regular
    file."""
    place = Path(path)
    try:
        # Looked at twice: a device is not even opened, and the file cannot be replaced by one meanwhile.
        _regular(place, place.stat().st_mode)
        number = os.open(place, _LOOK)
        try:
            _regular(place, os.fstat(number).st_mode)
            return os.fdopen(number, "rb")
        except BaseException:
            os.close(number)
            raise
    except FileNotFoundError:
        raise BadArgument(f"there is no file {place}.") from None
    except (OSError, ValueError) as problem:
        if isinstance(problem, BadArgument):
            raise
        raise BadArgument(f"{place} cannot be read: {getattr(problem, 'strerror', None) or problem}.") from None


def require_file(path: str | Path) -> None:
    """Raise BadArgument as `open_file` if a file is missing or cannot be read; before options are judged."""
    open_file(path).close()


def read_file(path: str | Path, max_bytes: int) -> bytes:
    """Return the bytes of a file, `max_bytes` at most. Raises BadArgument as `open_file`, and for a file that has
    more."""
    with open_file(path) as file:
        try:
            # Piece by piece: read() makes room for all that it is asked for, whatever the file has.
            parts, room = [], max_bytes + 1
            while room and (part := file.read(min(room, _PIECE))):
                parts.append(part)
                room -= len(part)
        except OSError as problem:
            raise BadArgument(f"{path} cannot be read: {problem.strerror or problem}.") from None
    data = b"".join(parts)
    if len(data) > max_bytes:
        raise BadArgument(f"{path} is larger than {max_bytes:,} bytes, the limit for such a file.")
    return data


def read_text(path: str | Path, max_bytes: int, errors: str = "strict") -> str:
    """Return the text of a file in UTF-8 of `max_bytes` bytes at most, its lines ended by line feeds.

    errors   as of bytes.decode

    Raises BadArgument as `read_file`, and for what is no UTF-8.
    """
    try:
        text = read_file(path, max_bytes).decode("utf-8", errors)
    except UnicodeDecodeError as problem:
        raise BadArgument(f"{path} is not UTF-8 text: byte {problem.start} is invalid.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _regular(place: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise BadArgument(f"{place} is a folder. Name a file in it.")
    if not stat.S_ISREG(mode):
        raise BadArgument(f"{place} is a pipe or a device, which neonsim does not read. Name a file.")


def write_file(path: str | Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8, and return its path.

    A file that is there is replaced and keeps its mode; a new one gets that of the process (umask). Pipes and devices
    are written to as they are.

    Raises BadArgument (one sentence) for symbolic links, which are not followed, for folders, and for what the system
    refuses: no such folder, no permission, no room.
    """
    if not isinstance(path, str | Path):
        raise BadArgument(f"the name of a file must be a str or a Path; got {path!r}")
    target = Path(path)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        there = _state(target)
        if there is None or stat.S_ISREG(there.st_mode):
            _replace(target, data, None if there is None else stat.S_IMODE(there.st_mode))
        else:
            with os.fdopen(os.open(target, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)), "wb") as file:
                file.write(data)
    except OSError as problem:
        raise _refused(target, problem) from problem
    return target


def check_file(path: str | Path) -> None:
    """Whether `write_file` could write this path, found out before hours are spent on what it is to hold.

    Nothing is left behind. Raises BadArgument as `write_file` would.
    """
    target = Path(path)
    try:
        there = _state(target)
        if there is None or stat.S_ISREG(there.st_mode):
            number, part = _beside(target)
            os.close(number)
            part.unlink()
    except OSError as problem:
        raise _refused(target, problem) from problem


def check_folder(path: str | Path) -> None:
    """Whether `make_folder` could make this folder and files could be written in it. Raises BadArgument if not."""
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise BadArgument(f"the folder {str(folder)!r} cannot be created: a file has this name. Name a folder.")
    above = next((place for place in (folder, *folder.parents) if place.exists()), Path())
    check_file(above / os.urandom(12).hex())


def make_folder(path: str | Path) -> Path:
    """Return a folder, made with those above it if need be. Raises BadArgument (one sentence) if it cannot be made."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        said = "a file has this name. Name a folder" if isinstance(problem, FileExistsError) else \
            getattr(problem, "strerror", None) or problem
        raise BadArgument(f"the folder {str(folder)!r} cannot be created: {said}.") from problem
    return folder


def _refused(target: Path, problem: OSError) -> BadArgument:
    return BadArgument(f"{target} cannot be written: {problem.strerror or problem}.")


def _state(target: Path) -> os.stat_result | None:
    """What stands at the place, None for nothing. Raises BadArgument for what is not written to."""
    shown = str(target)
    if not target.name or "\0" in shown:
        raise BadArgument(f"{shown!r} is not the name of a file. Name the file to write.")
    try:
        there = target.lstat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise BadArgument(f"{target} cannot be written, because there is no folder {target.parent}. Create it "
                              f"first, or name another.") from None
        return None
    if stat.S_ISLNK(there.st_mode):
        raise BadArgument(f"{target} is a symbolic link, and neonsim does not write through links. Name its target "
                          f"({os.readlink(target)}), or remove the link.")
    if stat.S_ISDIR(there.st_mode):
        raise BadArgument(f"{target} is a folder. Name a file in it.")
    if stat.S_ISREG(there.st_mode) and not os.access(target, os.W_OK):
        raise BadArgument(f"{target} cannot be written: it is protected (read-only). Name another file.")
    return there


def _beside(target: Path) -> tuple[int, Path]:
    """A new file in the same folder: (descriptor, path)."""
    # Not tempfile.mkstemp: its files are for this user alone, and the umask can only be read by changing it.
    part = target.with_name(f".neonsim-{os.urandom(12).hex()}.part")
    return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
                   | getattr(os, "O_BINARY", 0), 0o666), part


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    number, part = _beside(target)
    try:
        with os.fdopen(number, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(number, mode)
            file.write(data)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


# Strings are stepped over whole, an unclosed one to the end; what is left of the rest are brackets and commas.
_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|([\[{])|([\]}])|(,)', re.DOTALL)


def load_json(data: str | bytes, max_values: int | None = None) -> Any:
    """Return the value of a JSON text.

    max_values  values in it; None: MAX_JSON_VALUES

    Raises ValueError for what is no JSON in UTF-8, is nested deeper than MAX_JSON_DEPTH, holds more values
    or gives a key of one object twice, which readers would take differently.
    """
    limit = MAX_JSON_VALUES if max_values is None else max_values
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise ValueError(f"byte {problem.start} is not UTF-8") from problem
    depth = values = 0
    for mark in _MARK.finditer(text):
        kind = mark.lastindex
        if kind is None:
            continue
        values += kind != 2
        depth += (kind == 1) - (kind == 2)
        if depth > MAX_JSON_DEPTH:
            raise ValueError(f"its lists are nested deeper than {MAX_JSON_DEPTH} levels")
        if values > limit:
            raise ValueError(f"it has more than {limit:,} values")
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:40]!r} is in one object twice")
        found[key] = value
    return found
