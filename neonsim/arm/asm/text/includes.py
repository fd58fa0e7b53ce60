"""Files named by a program: #include, .include, .incbin. Only folders that the caller gave are read.

`"name"` is looked for in the folder of the file that names it, then in the include folders; `<name>` in the include
folders only. A name is relative; what it leads to, by links or by `..`, must lie in one of these folders.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from neonsim.arm.asm.text.source import Line
from neonsim.common.fileio import open_file
from neonsim.common.limits import MAX_FILE_LENGTH, MAX_FILES
from neonsim.errors import BadArgument

__all__ = ["Includes"]

class Includes:
    """The folders, and how much has been read from them.

    folders   in the order they are searched
    inside    {name: bytes} of what comes along with the text and is looked for first
    """

    def __init__(self, folders: Sequence[str | Path], inside: Mapping[str, bytes] | None = None) -> None:
        self.inside = inside or {}
        self.folders: list[Path] = []
        for folder in folders:
            if not isinstance(folder, str | Path):
                raise BadArgument(f"include must contain folders as str or Path; got {folder!r}.")
            if "\0" in str(folder) or not Path(folder).is_dir():
                raise BadArgument(f"include: there is no folder {str(folder)!r}.")
            self.folders.append(Path(folder))
        self.texts: dict[str, str] = {}  # path -> what was read there as text
        self._left, self._files = MAX_FILE_LENGTH, MAX_FILES

    @staticmethod
    def folder_of(place: Line) -> Path | None:
        """Return the folder of the file a line stands in; None for text that is no file."""
        return Path(place.path).parent if place.path not in ("<text>", "define") else None

    def text(self, name: str, place: Line, column: int, width: int, base_folder: Path | None) -> tuple[Path, str]:
        """(path, text) of a file to include; `base_folder` is the folder of the file that asks, None for <name>."""
        path, data = self.data(name, place, column, width, base_folder)
        self.texts[str(path)] = text = data.decode("utf-8-sig", errors="replace")
        return path, text

    def data(self, name: str, place: Line, column: int, width: int, base_folder: Path | None) -> tuple[Path, bytes]:
        """(path, bytes) of a file, or AssemblyError under `column`, `width` of `place` with where it was looked for."""
        if name in self.inside:
            return Path(name), self.inside[name]
        relative = PurePosixPath(name)
        if not name or "\0" in name:
            raise place.error("The name of a file is missing here.", column, width)
        if relative.is_absolute() or "\\" in name or Path(name).is_absolute():
            wrong = "has a backslash" if "\\" in name else "is an absolute path"
            raise place.error(f"`{name}` {wrong}; files are read from the given folders only. Write its path relative "
                              f"to such a folder, and pass the folder: include=[folder], or -I folder.", column, width)
        searched = ([base_folder] if base_folder is not None else []) + self.folders
        outside: tuple[str, Path] | None = None
        for folder in searched:
            path = folder / relative
            try:
                found, named = path.resolve(), Path(os.path.normpath(path.absolute()))
                within = [given.resolve() for given in searched]
                if not any(found.is_relative_to(given) for given in within):
                    # Upwards out of the folders it is not said whether there is such a file.
                    upwards = ".." in relative.parts and not any(named.is_relative_to(given) for given in within)
                    if outside is None and (upwards or path.is_file()):
                        outside = "leads upwards" if upwards else "is a link that leads", path
                    continue
                if not path.is_file():
                    continue
            except (OSError, RuntimeError):
                continue
            return path, self._read(path, place, column, width)
        if outside is not None:
            how, path = outside
            raise place.error(f"`{path}` {how} out of the given folders, the only ones that are read. Pass the folder "
                              f"it leads to: include=[folder], or -I folder.", column, width)
        looked = ", ".join(str(folder) for folder in dict.fromkeys(searched))
        raise place.error(f"The file `{name}` was not found. "
                          + (f"Searched in: {looked}. " if looked else "No folder was given. ")
                          + "Pass its folder: include=[folder] in Python, -I folder on the command line.",
                          column, width)

    def _read(self, path: Path, place: Line, column: int, width: int) -> bytes:
        try:
            with open_file(path) as file:
                data = file.read(self._left + 1)
        except (BadArgument, OSError) as error:
            raise place.error(f"This file cannot be read: {error}", column, width) from None
        self._left -= len(data)
        self._files -= 1
        if self._files < 0:
            raise place.error(f"More than {MAX_FILES:,} files are included. Do they include each other? Guard them "
                              "with #ifndef.", column, width)
        if self._left < 0:
            raise place.error(f"All included files together are longer than {MAX_FILE_LENGTH:,} bytes. Does a file "
                              "include "
                              "itself? Guard it with #ifndef.", column, width)
        return data
