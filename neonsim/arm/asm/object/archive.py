"""Archives (`.a`): object files in one file, taken out by name, or by the symbols that a program wants.

| part of the file              | is                                                           |
|-------------------------------|--------------------------------------------------------------|
| `!<arch>` and a new line      | how it begins                                                |
| 60 bytes before each member   | its name, size and more, as text; it begins at an even place |
| the member `/`                | which symbol is defined in which member (`ar s` makes it)    |
| the member `//`               | names longer than 15 characters                              |

Source: System V ABI, chapter 7 "Archive File"; the manual of GNU ar.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from neonsim.arm.asm.object.elf import load_bytes, object_bytes
from neonsim.arm.asm.program import Program
from neonsim.errors import BadArgument, NeonsimError

__all__ = ["Archive", "load_archive"]

_START: Final = b"!<arch>\n"
_HEAD: Final = 60
_MAX_MEMBERS: Final = 100_000  # members that are taken


def load_archive(source: str | Path | bytes) -> Archive:
    """Load an archive of object files (.a), as `ar` creates it.

    source   path of the file, or its bytes

    `archive.load("member.o")` takes one object out; `link(program, archive)` takes what the program wants.
    Raises NeonsimError for what is no archive, is thin, or is damaged; BadArgument for another type.
    """
    return Archive(*object_bytes(source, "archive"))


class Archive:
    """Object files in one file. Immutable by custom.

    path      str                          file name, or "<archive>"
    members   tuple[str, ...]              names in order
    symbols   {symbol: name of a member}   by the archive's own table; of a symbol that is there twice, the first
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        if data[:8] == b"!<thin>\n":
            raise NeonsimError(f"{path} is a thin archive, which contains file names only. Create it without T: ar "
                               f"rcs.")
        if data[:8] != _START:
            raise NeonsimError(f"{path} is not an archive. `ar rcs lib.a a.o b.o` creates one.")
        self._data = data
        self._places: dict[str, tuple[int, int]] = {}   # name: (start, end)
        names: dict[int, str] = {}                      # where the head of a member stands: its name
        table, long_names = b"", b""
        at = 8
        while at + _HEAD <= len(data):
            head = data[at:at + _HEAD]
            size = head[48:58].strip()
            if head[58:] != b"`\n" or not size.isdigit():
                raise NeonsimError(f"{path} is damaged: no member begins at byte {at}.")
            start, end = at + _HEAD, at + _HEAD + int(size)
            if end > len(data):
                raise NeonsimError(f"{path} is truncated: the member at byte {at} is beyond its end.")
            raw = head[:16].rstrip()
            if raw in (b"/", b"/SYM64/"):
                table = data[start:end] if raw == b"/" else b""
            elif raw == b"//":
                long_names = data[start:end]
            else:
                name, skipped = self._name(raw, long_names, data[start:end])
                if not name.startswith("__.SYMDEF"):
                    names[at] = name
                    self._places.setdefault(name, (start + skipped, end))
            if len(names) > _MAX_MEMBERS:
                raise NeonsimError(f"{path} has more than {_MAX_MEMBERS:,} members.")
            at = end + end % 2
        self.members = tuple(self._places)
        self.symbols = self._table(table, names)

    def _name(self, raw: bytes, long_names: bytes, contents: bytes) -> tuple[str, int]:
        """(name of a member, how many bytes of its contents belong to the name)."""
        if raw[:1] == b"/" and raw[1:].isdigit():
            raw = long_names[int(raw[1:]):].split(b"\n", 1)[0]
        elif raw[:3] == b"#1/" and raw[3:].isdigit():  # as BSD and macOS write it
            length = int(raw[3:])
            return contents[:length].rstrip(b"\0").decode("utf-8", "replace"), min(length, len(contents))
        name = raw.removesuffix(b"/").decode("utf-8", "replace")
        if not name:
            raise NeonsimError(f"{self.path} is damaged: a member has no name.")
        return name, 0

    def _table(self, table: bytes, names: dict[int, str]) -> dict[str, str]:
        count = int.from_bytes(table[:4], "big")
        if 4 + 4 * count > len(table):
            if not table:
                return {}
            raise NeonsimError(f"{self.path} is damaged: its table of symbols is too short. `ar s {self.path}` makes a "
                               "new one.")
        symbols = table[4 + 4 * count:].split(b"\0")
        found: dict[str, str] = {}
        for index in range(min(count, len(symbols))):
            name = names.get(int.from_bytes(table[4 + 4 * index:8 + 4 * index], "big"))
            if name is None:
                raise NeonsimError(f"{self.path} is damaged: its table of symbols points to an offset without a "
                                   f"member. `ar s {self.path}` makes a new one.")
            found.setdefault(symbols[index].decode("utf-8", "replace"), name)
        return found

    def __repr__(self) -> str:
        return f"<Archive {self.path}: {len(self.members)} members>"

    def contents(self, member: str) -> bytes:
        """Return the bytes of one member. Raises BadArgument for another name."""
        if member not in self._places:
            shown = ", ".join(self.members[:12]) + (", ..." if len(self.members) > 12 else "")
            raise BadArgument(f"{self.path} has no member {member!r}. It has {shown or 'none'}.")
        start, end = self._places[member]
        return self._data[start:end]

    def load(self, member: str) -> Program:
        """One object as a program. Raises NeonsimError for what is no object, BadArgument for another name."""
        return load_bytes(f"{self.path}({member})", self.contents(member))

    def required_members(self, programs: Iterable[Program]) -> list[Program]:
        """Return the members that define what these programs name and have not, and what those name in turn."""
        there = [*programs]
        defined = {name for program in there for name in program.globals}
        missing = [name for program in there for name in (*program.undefined, *program.built_in)]
        taken: dict[str, Program] = {}
        while missing:
            name = missing.pop(0)
            member = self.symbols.get(name)
            if name in defined or member is None or member in taken:
                continue
            program = taken[member] = self.load(member)
            defined.update(program.globals)
            missing += [*program.undefined, *program.built_in]
        return list(taken.values())
