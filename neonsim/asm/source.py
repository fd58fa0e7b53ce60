"""Text to statements: comments, separators and labels, with every column kept.

Comments are replaced by spaces, never cut out, so a column in a statement is a column in the file. Nothing here knows
an instruction or a register.

| written            | is                                                                      |
|--------------------|-------------------------------------------------------------------------|
| `// ...`           | a comment to the end of the line                                        |
| `/* ... */`        | a comment, also over several lines; it does not nest                    |
| `@ ...`            | AArch32 only: a comment to the end of the line                          |
| `# ...`            | a comment where a statement could begin (elsewhere `#` opens a number)  |
| `;`                | ends a statement                                                        |
| `name:` and `1:`   | a label; several may stand before one statement                         |

Source: the GNU assembler's manual, "Syntax" and the Arm and AArch64 chapters; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from neonsim.errors import AssemblyError, BadArgument

__all__ = ["LONGEST_FILE", "LONGEST_LINE", "Place", "Statement", "read", "statements"]

LONGEST_FILE = 4_000_000  # characters; the largest published kernel is a hundredth of this
LONGEST_LINE = 4096  # characters


class Place(NamedTuple):
    """A line of the source, for errors: path, 1-based number, text."""

    path: str
    line: int
    text: str

    def error(self, message: str, column: int, width: int = 1) -> AssemblyError:
        """An AssemblyError whose caret stands at `column` (1-based) and is `width` characters wide."""
        return AssemblyError(message, path=self.path, line=self.line, column=column, text=self.text,
                             width=max(width, 1))


class Statement(NamedTuple):
    """One statement: its labels, then a head word and the text behind it; columns are 1-based.

    labels   ((name, column), ...)        head ""   when the line holds labels only
    """

    place: Place
    labels: tuple[tuple[str, int], ...]
    head: str
    head_column: int
    rest: str
    rest_column: int


_SPECIAL = re.compile(r"/\*|//|[@\"';]")
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_CHARACTER = re.compile(r"'(?:\\.|[^\\])'?")
_HASH = re.compile(r"\s*(?:[\w.$]+\s*:\s*)*#")
_LABEL = re.compile(r"\s*([\w.$]+)\s*:")
_HEAD = re.compile(r"\s*([\w.$]+)")
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*\Z", re.ASCII)
# "# if ..." with a blank may be a sentence; "#if" and the words that begin no sentence are the preprocessor's.
_PREPROCESSOR = re.compile(
    r"\s*#(?:(?:if|else|include|define|error|warning|pragma|line)\b|\s*(?:ifdef|ifndef|elif|endif|undef)\b)"
)


def read(source: str | Path) -> tuple[str, str]:
    """(path, text) of a string of assembly or of a file; bounded.

    source   str: the text itself (path is then "<text>"), Path: a file in UTF-8

    Raises AssemblyError for a file that is missing, unreadable or longer than LONGEST_FILE, BadArgument for another
    type.
    """
    if isinstance(source, Path):
        path = str(source)
        try:
            with source.open("rb") as file:
                data = file.read(4 * LONGEST_FILE + 1)
        except OSError as error:
            raise AssemblyError(f"Cannot read {path}: {error.strerror or error}.", path=path) from None
        text = data.decode("utf-8-sig", errors="replace")
    elif isinstance(source, str):
        path, text = "<text>", source
        if "\n" not in source and source.lower().endswith(".s") and not source.startswith("."):
            raise BadArgument(f"{source!r} looks like a file name, but a string is taken as assembly text: "
                              f"pass pathlib.Path({source!r}).")
    else:
        raise BadArgument(f"source is a {type(source).__name__}; pass assembly text as str, or a pathlib.Path.")
    if len(text) > LONGEST_FILE:
        raise AssemblyError(f"{path} is {len(text):,} characters long; at most {LONGEST_FILE:,} are taken. "
                            "Split the program.", path=path)
    return path, text


def statements(path: str, text: str, isa: str) -> tuple[list[Statement], tuple[str, ...]]:
    """All statements of a text in order, up to .end, and its lines.

    Raises AssemblyError for over-long lines, an unterminated comment or string, NUL and other characters that are not
    ASCII outside comments, preprocessor lines, and labels that are no names.
    """
    if text.endswith("\n"):
        text = text[:-1]
    lines = tuple(line[:-1] if line.endswith("\r") else line for line in text.split("\n"))
    result: list[Statement] = []
    opened: tuple[Place, int] | None = None  # where the comment began that we are in
    ascii_only = text.isascii() and "\0" not in text
    for number, line in enumerate(lines, 1):
        place = Place(path, number, line)
        if len(line) > LONGEST_LINE:
            raise Place(path, number, line[:100] + " ...").error(
                f"This line is {len(line):,} characters long; at most {LONGEST_LINE:,} are taken. Break it up.", 1)
        if not ascii_only and "\0" in line:
            raise place.error("A NUL byte: this is not assembly text in UTF-8 (an object file, or UTF-16?).",
                              line.index("\0") + 1)
        if opened is not None:
            end = line.find("*/")
            if end < 0:
                continue
            line = " " * (end + 2) + line[end + 2:]
            opened = None
        if _PREPROCESSOR.match(line):
            raise _preprocessor_error(place)
        pieces, opened = _pieces(line, place, isa)
        for start, piece in pieces:
            if not ascii_only and not piece.isascii():
                _refuse_foreign(piece, start, place)
            _split(piece, start, place, result)
            if result[-1].head.lower() == ".end":
                return result, lines
    if opened is not None:
        raise opened[0].error("This comment is never closed: end it with */.", opened[1], 2)
    return result, lines


def _pieces(line: str, place: Place, isa: str) -> tuple[list[tuple[int, str]], tuple[Place, int] | None]:
    """Statements of one line as (0-based column, text), and the comment left open at its end, if any."""
    pieces: list[tuple[int, str]] = []
    start = at = 0
    while (found := _SPECIAL.search(line, at)) is not None:
        if (hashed := _HASH.match(line, start)) is not None and hashed.end() <= found.start() + 1:
            _put(pieces, line, start, hashed.end() - 1)
            return pieces, None
        token, at = found.group(), found.end()
        if token == "//" or (token == "@" and isa == "aarch32"):
            _put(pieces, line, start, found.start())
            return pieces, None
        if token == "/*":
            end = line.find("*/", at)
            if end < 0:
                _put(pieces, line, start, found.start())
                return pieces, (place, found.start() + 1)
            line = line[: found.start()] + " " * (end + 2 - found.start()) + line[end + 2:]
            at = end + 2
        elif token == '"':
            string = _STRING.match(line, found.start())
            if string is None:
                raise place.error('This string is never closed: end it with ".', found.start() + 1,
                                  len(line) - found.start())
            at = string.end()
        elif token == "'":
            character = _CHARACTER.match(line, found.start())
            at = character.end() if character else at
        elif token == ";":
            _put(pieces, line, start, found.start())
            start = at
    hashed = _HASH.match(line, start)
    _put(pieces, line, start, hashed.end() - 1 if hashed else len(line))
    return pieces, None


def _put(pieces: list[tuple[int, str]], line: str, start: int, end: int) -> None:
    if line[start:end].strip():
        pieces.append((start, line[start:end]))


def _split(piece: str, start: int, place: Place, result: list[Statement]) -> None:
    """Cut labels and the head word off a piece and append the statement."""
    labels: list[tuple[str, int]] = []
    at = 0
    while (label := _LABEL.match(piece, at)) is not None:
        name, column = label.group(1), start + label.start(1) + 1
        if not name.isdigit() and _NAME.match(name) is None:
            raise place.error(f"`{name}` cannot be a label: a label is a name (letters, digits, _ . $, not beginning "
                              "with a digit) or a plain number.", column, len(name))
        labels.append((name, column))
        at = label.end()
    head = _HEAD.match(piece, at)
    if head is None:
        rest = piece[at:]
        if rest.strip():
            blank = len(rest) - len(rest.lstrip())
            raise place.error(f"`{rest.strip()[0]}` begins neither an instruction nor a directive nor a comment"
                              f"{_stray(rest.strip()[0])}.", start + at + blank + 1)
        result.append(Statement(place, tuple(labels), "", start + at + 1, "", start + at + 1))
        return
    rest = piece[head.end():]
    result.append(Statement(place, tuple(labels), head.group(1), start + head.start(1) + 1, rest.rstrip(),
                            start + head.end() + 1))


def _stray(character: str) -> str:
    if character == "@":
        return "; in AArch64 write // for a comment"
    if character in "/*":
        return "; a comment is // ... or /* ... */"
    return ""


def _preprocessor_error(place: Place) -> AssemblyError:
    line = place.text
    column = line.index("#") + 1
    word = line[column:].split()[0]
    return place.error(f"`#{word}`: there is no preprocessor yet. Take the line out (for a constant write "
                       "`.set NAME, 1`), or run the file through `cpp -P` first. A comment like this is written //.",
                       column, len(line.rstrip()) - column + 1)


def _refuse_foreign(piece: str, start: int, place: Place) -> None:
    for offset, character in enumerate(piece):
        if not character.isascii():
            raise place.error(f"`{character}` (U+{ord(character):04X}) is not ASCII; such characters may stand in "
                              f"comments only{_lookalike(character)}.", start + offset + 1)


def _lookalike(character: str) -> str:
    """What a word processor made this character from."""
    plain = {"\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
             "\u00a0": "a blank", "\uff03": "#", "\u00d7": "*"}.get(character)
    return f": write {plain}" if plain else ""
