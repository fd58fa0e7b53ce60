"""The part of the C preprocessor that assembly uses; what comes out are lines without comments, macros expanded.

| written                                    | does                                                              |
|--------------------------------------------|-------------------------------------------------------------------|
| `#include "f"` `#include <f>`              | the lines of f, from the given folders only (see `includes`)      |
| `#define N 4` `#define F(a, b) ...`        | a macro (see `cpp_macros`); `#undef N` forgets it                 |
| `#if` `#ifdef` `#ifndef` `#elif` `#else` `#endif` | lines that are taken or left out; `defined(N)`             |
| `#error text`                              | stops, if the line is taken                                       |
| `#warning` `#pragma` `#line` `# 1 "f"`     | nothing (`#pragma once`: the file is read once)                   |
| `\\` at the end of a line                   | the next line belongs to it                                       |
| any other `#` where a line could begin     | a comment, as for the assembler, also one that a macro makes      |

Source: C11 6.10; GNU cpp manual; tried with GCC 12, -x assembler-with-cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from neonsim.arm.asm.text.cpp_expression import ConditionError, evaluate
from neonsim.arm.asm.text.cpp_macros import Macro, Macros, UnclosedCall
from neonsim.arm.asm.text.diagnostics import Diagnostics
from neonsim.arm.asm.text.includes import Includes
from neonsim.arm.asm.text.predefined import PREDEFINED
from neonsim.arm.asm.text.source import Line, check_line, clean, refuse_foreign, split_lines
from neonsim.common.integers import is_int
from neonsim.common.limits import MAX_INCLUDE_DEPTH, MAX_JOINED_LINES, MAX_LINE_LENGTH, MAX_SOURCE_LINES
from neonsim.errors import AssemblyError, BadArgument

__all__ = ["Preprocessor"]


# `# if ...` with a blank may be a sentence in a comment; words that begin no sentence, and shapes that are none, are
# the preprocessor's.
_DIRECTIVE = re.compile(
    r"""\s*\#(?:(?P<tight>if|ifdef|ifndef|elif|else|endif|define|undef|include|include_next|import|error|warning|pragma|line)\b
        |\s+(?:(?P<sure>ifdef|ifndef|elif|endif|undef|pragma)\b
              |(?P<shape>define(?=\s+[A-Za-z_])|include(?=\s*["<])|else(?=\s*(?:$|/[/*]))
                 |if(?=\s*(?:[!(0-9]|defined\b|\w+\s*(?:$|[-+*/%<>=!&|^(?]))))
              |(?P<loud>error|warning)\b))""", re.VERBOSE | re.ASCII)
_COMMENT = re.compile(r"/\*|//|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^\\'])'")
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*([A-Za-z_$][\w$]*)\s*\)|([A-Za-z_$][\w$]*))", re.ASCII)
_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


class _Branch(NamedTuple):
    """An open #if: whether this part is taken, whether one was, whether #else was seen, and where it began."""

    taken: bool
    done: bool
    last: bool
    place: Line
    column: int


class Preprocessor:
    """The preprocessor of one program: its macros and include folders.

    Raises BadArgument for folders that do not exist and definitions that are none.
    """

    def __init__(self, isa: str, includes: Includes, define: Mapping[str, str | int | None]) -> None:
        self.isa = isa
        self.includes = includes
        self.mistakes = Diagnostics()
        self.macros = Macros()
        for name, value in PREDEFINED[isa].items():
            self.macros[name] = Macro(name, None, None, (value,), "predefined")
        for name, given in define.items():
            self._predefine(name, given)
        self._once: set[Path] = set()
        self._left = MAX_SOURCE_LINES

    def _predefine(self, name: str, value: str | int | None) -> None:
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_$][\w$]*(\([\w$, .]*\))?", name, re.ASCII):
            raise BadArgument(f"define: {name!r} is not a valid macro name.")
        if value is None:
            self.macros.pop(name, None)
            return
        if not (is_int(value) or isinstance(value, str)) or "\n" in str(value):
            raise BadArgument(f"define: {name!r} must be one line of text, an integer, or None to remove a predefined "
                              f"name; got {value!r}.")
        if len(str(value)) > MAX_LINE_LENGTH:
            raise BadArgument(f"define: the text of {name!r} is longer than {MAX_LINE_LENGTH} characters.")
        try:
            self.macros.define(f"{name} {value}", Line("define", 0, ""), 1)
        except AssemblyError as error:
            raise BadArgument(f"define: {error.message}") from None

    def lines(self, path: str, text: str, folder: Path | None, depth: int = 0) -> Iterator[tuple[Line, str]]:
        """(place, line) of a text: comments turned into blanks, macros expanded; columns are those of place.text.

        folder   where `#include "f"` looks first, None for text that is no file

        What is wrong goes to `mistakes`, and the line is left out.
        """
        source = split_lines(text)
        branches: list[_Branch] = []
        opened: tuple[Line, int] | None = None
        at = 0
        while at < len(source):
            number, line = at + 1, source[at]
            at += 1
            self._left -= 1
            if not line and self._left >= 0:
                continue
            place = Line(path, number, line)
            if self._left < 0:
                raise self.mistakes.fatal(place.error(f"The program and what it includes have more than "
                                                      f"{MAX_SOURCE_LINES:,} lines.", 1))
            while line.endswith("\\") and at < len(source) and len(line) <= MAX_LINE_LENGTH:
                line = line[:-1] + " " + source[at]
                place = Line(path, number, line)
                at += 1
            try:
                if len(line) > MAX_LINE_LENGTH or "\0" in line:
                    check_line(place)
                if opened is not None:
                    end = line.find("*/")
                    if end < 0:
                        continue
                    line = " " * (end + 2) + line[end + 2:]
                    opened = None
                taken = not branches or all(branch.taken for branch in branches)
                found = _DIRECTIVE.match(line) if "#" in line else None
                if found is not None and (branches or not found["loud"]):
                    line, opened = _without_comments(line, place)
                    word = found["tight"] or found["sure"] or found["shape"] or found["loud"]
                    rest = line[found.end():]
                    if word.startswith("i") and word in ("include", "include_next", "import"):
                        if taken:
                            yield from self._include(word, rest, found.end(), place, folder, depth)
                    elif not self._conditional(word, rest, found.end(), place, branches, taken) and taken:
                        self._definition(word, rest, found.end(), place)
                    continue
                if not taken:
                    _, opened = _without_comments(line, place)
                    continue
                line, opened = clean(line, place, self.isa)
                if not line or line.isspace():
                    continue
                if not line.isascii():
                    refuse_foreign(line, 0, place)
                if not self.macros.concern(line):
                    yield place, line
                    continue
                joined = 0
                while True:
                    try:
                        expanded = self.macros.expand(line, place)
                        line = expanded.text
                        if line.lstrip().startswith("#"):  # made by a macro: a comment, as for GNU as
                            break
                        if self.isa == "aarch32" and "@" in line:  # a macro may stand for the beginning of a comment
                            line, _ = clean(line, expanded, self.isa)
                        yield expanded, line
                        break
                    except UnclosedCall as problem:
                        joined += 1
                        if (at >= len(source) or joined > MAX_JOINED_LINES or len(line) > MAX_LINE_LENGTH
                                or opened is not None):
                            raise place.error(str(problem), len(line) - len(line.lstrip()) + 1,
                                              len(line.strip())) from None
                        more, opened = clean(source[at], Line(path, at + 1, source[at]), self.isa)
                        line += " " + more
                        place = Line(path, number, place.text + " " + source[at])
                        at += 1
            except AssemblyError as error:
                self.mistakes.add(error)
        if opened is not None:
            self.mistakes.lost = True
            self.mistakes.add(opened[0].error("This comment needs a closing */.", opened[1], 2))
        elif branches:
            branch = branches[-1]
            self.mistakes.lost = True
            self.mistakes.add(branch.place.error("This condition needs an #endif.",
                                                  branch.column, 3))

    # -- directives

    def _conditional(self, word: str, rest: str, start: int, place: Line, branches: list[_Branch],
                     taken: bool) -> bool:
        """Whether it was a conditional directive; carry it out."""
        column = len(place.text) - len(place.text.lstrip()) + 1
        if word in ("if", "ifdef", "ifndef"):
            if len(branches) >= 200:
                raise place.error("Conditions are nested deeper than 200 levels.", column)
            try:
                if word == "if":
                    value = taken and self._value(rest, start, place)
                else:
                    name = self._name(word, rest, start, place) if taken else ""
                    value = taken and (name in self.macros) == (word == "ifdef")
            except AssemblyError as error:
                self.mistakes.add(error)
                value = True  # what it opens has an end all the same, and is read
            branches.append(_Branch(value, value or not taken, False, place, column))
            return True
        if word not in ("elif", "else", "endif"):
            return False
        if not branches:
            raise place.error(f"#{word} without #if before it.", column, len(word) + 1)
        branch = branches.pop()
        if word == "endif":
            return True
        if branch.last:
            raise place.error(f"#{word} after #else (the #if is in line {branch.place.line}).", column, len(word) + 1)
        value = not branch.done and (word == "else" or self._value(rest, start, place))
        branches.append(_Branch(value, branch.done or value, word == "else", branch.place, branch.column))
        return True

    def _definition(self, word: str, rest: str, start: int, place: Line) -> None:
        blank = len(rest) - len(rest.lstrip())
        if word == "define":
            try:
                self.macros.define(rest.strip(), place, start + blank + 1)
            except AssemblyError as error:
                name = _NAME.match(rest.strip())
                self.mistakes.add(error, suggestion=name.group() if name else "")
        elif word == "undef":
            self.macros.pop(self._name(word, rest, start, place), None)
        elif word == "error":
            raise self.mistakes.fatal(place.error(f"The program reports an error: {rest.strip() or 'error'}",
                                                  start - len("error"), len("#error")))
        elif word == "pragma" and rest.strip() == "once":
            self._once.add(Path(place.path))

    def _name(self, word: str, rest: str, start: int, place: Line) -> str:
        match = _NAME.match(rest.strip())
        if match is None:
            raise place.error(f"A name is missing: #{word} NAME.", start - len(word), len(word) + 1)
        return match.group()

    def _value(self, rest: str, start: int, place: Line) -> bool:
        text = _DEFINED.sub(lambda m: "1" if (m[1] or m[2]) in self.macros else "0", rest)
        try:
            return evaluate(self.macros.expand_text(text, place)) != 0
        except ConditionError as problem:
            blank = len(rest) - len(rest.lstrip())
            message = str(problem)
            raise place.error(message[0].upper() + message[1:] + ".", start + blank + 1,
                              len(rest.strip()) or 1) from None

    def _include(self, word: str, rest: str, start: int, place: Line, folder: Path | None,
                 depth: int) -> Iterator[tuple[Line, str]]:
        name = rest.strip()
        column = start + len(rest) - len(rest.lstrip()) + 1
        if name[:1] not in ('"', "<"):
            name = self.macros.expand_text(name, place).strip()
        width = max(len(rest.strip()), 1)
        if word != "include":
            raise place.error(f"#{word} is not supported; write #include.", start - len(word), len(word) + 1)
        if len(name) < 3 or (name[0], name[-1]) not in (('"', '"'), ("<", ">")):
            raise place.error('Write #include "name" or #include <name>.', column, width)
        if depth >= MAX_INCLUDE_DEPTH:
            raise self.mistakes.fatal(place.error(f"Files include each other {MAX_INCLUDE_DEPTH} levels deep. Does a "
                                                  f"file include itself? Guard it with #ifndef.", column, width))
        own = folder if name[0] == '"' else None
        try:
            path, text = self.includes.text(name[1:-1], place, column, width, own)
        except AssemblyError as error:
            raise self.mistakes.fatal(error) from None
        if path not in self._once:
            yield from self.lines(str(path), text, path.parent, depth + 1)


def _without_comments(line: str, place: Line) -> tuple[str, tuple[Line, int] | None]:
    """A directive's line, or one that is left out: C's comments only, and no complaints about strings."""
    at = 0
    while (found := _COMMENT.search(line, at)) is not None:
        if found.group() == "//":
            return line[:found.start()], None
        if found.group() == "/*":
            end = line.find("*/", found.end())
            if end < 0:
                return line[:found.start()], (place, found.start() + 1)
            line = line[:found.start()] + " " * (end + 2 - found.start()) + line[end + 2:]
            at = end + 2
        else:
            at = found.end()
    return line, None
