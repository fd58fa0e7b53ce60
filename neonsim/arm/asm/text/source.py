"""Lines of text: comments, separators and labels, with every column kept, and places for errors.

Comments are replaced by spaces, never cut out, so a column in a statement is a column in the file. Nothing here knows
an instruction or a register.

| written            | is                                                                      |
|--------------------|-------------------------------------------------------------------------|
| `// ...`           | a comment to the end of the line                                        |
| `/* ... */`        | a comment, also over several lines; it does not nest                    |
| `@ ...`            | AArch32 only: a comment to the end of the line (not `\\@`)             |
| `# ...`            | a comment where a statement could begin (elsewhere `#` opens a number)  |
| `;`                | ends a statement                                                        |
| `name:` and `1:`   | a label; several may stand before one statement                         |

Source: the GNU assembler's manual, "Syntax" and the Arm and AArch64 chapters; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from neonsim.common.fileio import read_file
from neonsim.common.limits import MAX_FILE_LENGTH, MAX_LINE_LENGTH
from neonsim.errors import AssemblyError, BadArgument

__all__ = [
    "Line",
    "Origin",
    "Statement",
    "TextSegment",
    "check_line",
    "clean",
    "read",
    "refuse_foreign",
    "split",
    "split_lines",
    "split_statements",
]

class TextSegment(NamedTuple):
    """Characters start..end (0-based) of generated text, and the column and width they come from.

    macro   whose expansion they are, "" for what stands in the source itself; exact: character by character
    """

    start: int
    end: int
    column: int
    width: int
    macro: str
    exact: bool


class Origin:
    """Where generated text comes from: a place, the parts of that line it was made of, and a note for errors.

    first   the first of these parts, where nearly every instruction begins; None if there is none
    what    what the others are made of, when an error asks for them
    """

    __slots__ = ("first", "parent", "what")

    def __init__(self, parent: Line, first: TextSegment | None, *what: Any) -> None:
        self.parent, self.first, self.what = parent, first, what

    def parts(self) -> tuple[Sequence[TextSegment], str, str]:
        """(all parts in order, note, body), body being "path:line" of the macro that the text was made from, "" if it
        only stands for a word or a number."""
        segments, note, body = self.what
        return segments, note, body


class Line(NamedTuple):
    """A line of the source, for errors: path, 1-based number, text.

    origin   None for a line as it stands in a file; else `text` was generated, and columns in it lead to the source
    """

    path: str
    line: int
    text: str
    origin: Origin | None = None

    def error(self, message: str, column: int, width: int = 1) -> AssemblyError:
        """Return an AssemblyError whose caret stands at `column` (1-based) and is `width` characters wide.

        In generated text the caret goes to the reader's own line, and the message says what was expanded.
        """
        place = self
        notes: list[str] = []
        body = ""
        while place.origin is not None:
            origin = place.origin
            segments, note, made_of = origin.parts()
            given = any(s.exact and s.start < column <= s.end for s in segments)
            column, width, expanded = _trace_back(origin, column, width)
            if expanded and not given:
                body = body or made_of
            if expanded and len(notes) < 4:
                notes.append(note)
            place = origin.parent
        error = AssemblyError("\n".join([message, *notes]), path=place.path, line=place.line, column=column,
                              text=place.text, width=max(width, 1))
        error.body = body
        return error

    def source(self, column: int, width: int) -> tuple[Line, int, int]:
        """(place in a file, column, width) of characters of this line."""
        place = self
        while place.origin is not None:
            column, width, _ = _trace_back(place.origin, column, width)
            place = place.origin.parent
        return place, column, width


def _trace_back(origin: Origin, column: int, width: int) -> tuple[int, int, bool]:
    """(column, width) in the parent's line, and whether an expansion lies there."""
    at = column - 1
    first = origin.first
    segments = [first] if first is not None and first.start <= at < first.end else origin.parts()[0]
    for segment in segments:
        if segment.start <= at < segment.end:
            if segment.exact:
                return segment.column + at - segment.start, min(width, segment.end - at), bool(segment.macro)
            return segment.column, segment.width, True
    last = segments[-1] if segments else TextSegment(0, 0, 1, 1, "", False)
    return last.column + (last.width if last.exact else 0), 1 if last.exact else last.width, bool(last.macro)


class Statement(NamedTuple):
    """One statement: its labels, then a head word and the text behind it; columns are 1-based.

    labels   ((name, column), ...)        head ""   when the line holds labels only
    """

    place: Line
    labels: tuple[tuple[str, int], ...]
    head: str
    head_column: int
    operands: str
    operands_column: int


_SPECIAL = re.compile(r"/\*|//|[@\"';]")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_CHARACTER = re.compile(r"'(?:\\.|[^\\])'?")
_HASH = re.compile(r"\s*(?:[\w.$]+\s*:\s*)*#")
_LABEL = re.compile(r"\s*([\w.$]+)\s*:")
_HEAD = re.compile(r"\s*([\w.$]+)")
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*\Z", re.ASCII)

def read(source: str | Path) -> tuple[str, str]:
    """(path, text) of a string of assembly or of a file; bounded.

    source   str: the text itself (path is then "<text>"), Path: a file in UTF-8

    Raises AssemblyError for a file that is missing, unreadable or longer than MAX_FILE_LENGTH, BadArgument for another
    type.
    """
    if isinstance(source, Path):
        path, text = str(source), decoded(read_bytes(source))
    elif isinstance(source, str):
        path, text = "<text>", source
        if "\n" not in source and source.lower().endswith(".s") and not source.startswith("."):
            raise BadArgument(f"{source!r} looks like a file name, but a string must be assembly text. Pass "
                              f"pathlib.Path({source!r}).")
    else:
        raise BadArgument(f"source must be assembly text (str) or a pathlib.Path; got {type(source).__name__}.")
    if len(text) > MAX_FILE_LENGTH:
        raise AssemblyError(f"{path} is {len(text):,} characters long; the limit is {MAX_FILE_LENGTH:,}. "
                            "Split the program.", path=path)
    return path, text


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a source file. Raises AssemblyError if it is missing, unreadable or longer than
    MAX_FILE_LENGTH."""
    try:
        data = read_file(path, 4 * MAX_FILE_LENGTH)
    except BadArgument as error:
        raise AssemblyError(str(error), path=str(path)) from None
    if len(data) > MAX_FILE_LENGTH and len(decoded(data)) > MAX_FILE_LENGTH:
        raise AssemblyError(f"{path} is {len(decoded(data)):,} characters long; the limit is {MAX_FILE_LENGTH:,}. "
                            f"Split the program.", path=str(path))
    return data


def decoded(data: bytes) -> str:
    """Return the text of a source file: UTF-8; bytes that are none are shown as the replacement character."""
    return data.decode("utf-8-sig", errors="replace")


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text without their ends."""
    if text.endswith("\n"):
        text = text[:-1]
    return tuple(line[:-1] if line.endswith("\r") else line for line in text.split("\n"))


def check_line(place: Line) -> None:
    """Refuse lines that are too long or hold a NUL."""
    if len(place.text) > MAX_LINE_LENGTH:
        raise Line(place.path, place.line, place.text[:100] + " ...").error(
            f"This line is {len(place.text):,} characters long; the limit is {MAX_LINE_LENGTH:,}. Split it.", 1)
    if "\0" in place.text:
        raise place.error("This text has a NUL byte, so it is not assembly text in UTF-8. Is it an object file, or "
                          "UTF-16?",
                          place.text.index("\0") + 1)


def clean(line: str, place: Line, isa: str) -> tuple[str, tuple[Line, int] | None]:
    """Return a line with its comments turned into blanks, and the comment left open at its end, if any."""
    start = at = 0
    if "#" not in line and _SPECIAL.search(line) is None:
        return line, None
    while (found := _SPECIAL.search(line, at)) is not None:
        if (hashed := _HASH.match(line, start)) is not None and hashed.end() <= found.start() + 1:
            return line[:hashed.end() - 1], None
        token, at = found.group(), found.end()
        if token == "//" or (token == "@" and isa == "aarch32" and line[found.start() - 1:found.start()] != "\\"):
            return line[:found.start()], None
        if token == "/*":
            end = line.find("*/", at)
            if end < 0:
                return line[:found.start()], (place, found.start() + 1)
            line = line[:found.start()] + " " * (end + 2 - found.start()) + line[end + 2:]
            at = end + 2
        elif token == '"':
            string = _STRING.match(line, found.start())
            if string is None:
                raise place.error('This string needs a closing ".', found.start() + 1,
                                  len(line) - found.start())
            at = string.end()
        elif token == "'":
            character = _CHARACTER.match(line, found.start())
            at = character.end() if character else at
        elif token == ";":
            start = at
    hashed = _HASH.match(line, start)
    return line[:hashed.end() - 1] if hashed else line, None


def split_statements(line: str) -> list[tuple[int, str]]:
    """Return the pieces of a cleaned line between semicolons, as (0-based column, text); blank ones left out."""
    pieces: list[tuple[int, str]] = []
    if ";" not in line:
        return [(0, line)] if line and not line.isspace() else pieces
    start = at = 0
    while (found := _SPECIAL.search(line, at)) is not None:
        token, at = found.group(), found.end()
        if token == '"':
            string = _STRING.match(line, found.start())
            at = string.end() if string else at
        elif token == "'":
            character = _CHARACTER.match(line, found.start())
            at = character.end() if character else at
        elif token == ";":
            _put(pieces, line, start, found.start())
            start = at
    _put(pieces, line, start, len(line))
    return pieces


def _put(pieces: list[tuple[int, str]], line: str, start: int, end: int) -> None:
    if line[start:end].strip():
        pieces.append((start, line[start:end]))


def split(piece: str, start: int, place: Line) -> Statement:
    """Cut labels and the head word off a piece, which begins at the 0-based column `start` of its line."""
    labels: list[tuple[str, int]] = []
    at = 0
    while (label := _LABEL.match(piece, at)) is not None:
        name, column = label.group(1), start + label.start(1) + 1
        if not name.isdigit() and _NAME.match(name) is None:
            raise place.error(f"`{name}` cannot be a label. A label is a number, or a name of letters, digits, _ . $ "
                              f"that does not begin with a digit.", column, len(name))
        labels.append((name, column))
        at = label.end()
    head = _HEAD.match(piece, at)
    if head is None:
        rest = piece[at:]
        if rest.strip():
            blank = len(rest) - len(rest.lstrip())
            raise place.error(f"`{rest.strip()[0]}` begins neither an instruction nor a directive nor a comment"
                              f"{_stray(rest.strip()[0])}.", start + at + blank + 1)
        return Statement(place, tuple(labels), "", start + at + 1, "", start + at + 1)
    rest = piece[head.end():]
    return Statement(place, tuple(labels), head.group(1), start + head.start(1) + 1, rest.rstrip(),
                     start + head.end() + 1)


def _stray(character: str) -> str:
    if character == "@":
        return "; in AArch64 write // for a comment"
    if character in "/*":
        return "; a comment is // ... or /* ... */"
    return ""


def refuse_foreign(piece: str, start: int, place: Line) -> None:
    """Refuse what is not ASCII."""
    for offset, character in enumerate(piece):
        if not character.isascii():
            raise place.error(f"`{character}` (U+{ord(character):04X}) is not ASCII; such characters are allowed in "
                              f"comments only{_lookalike(character)}.", start + offset + 1)


def _lookalike(character: str) -> str:
    """What a word processor made this character from."""
    plain = {"\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
             "\u00a0": "a blank", "\uff03": "#", "\u00d7": "*"}.get(character)
    return f": write {plain}" if plain else ""
