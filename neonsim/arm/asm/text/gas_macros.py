"""Assembler macros, repetition and conditions: lines in, statements out.

| written                                             | does                                                          |
|-----------------------------------------------------|---------------------------------------------------------------|
| `.macro name a, b=4, c:req, d:vararg` ... `.endm`   | `name x, y` becomes the lines between, `\\a` being x           |
| `\\@` `\\()`                                         | the number of the call; nothing (ends a name: `\\a\\().8h`) |
| `.exitm` `.purgem name`                             | ends an expansion; forgets a macro                            |
| `.rept n` `.irp x, 1, 2` `.irpc x, abc` ... `.endr` | the lines between, repeated                                   |
| `.altmacro` `.noaltmacro`                           | arguments without backslash, `LOCAL x`, `<text>`, `%value`     |
| `.if` `.ifdef` `.ifc` `.ifeq` ... `.elseif` `.else` `.endif` | lines that are taken or left out                     |
| `.include "f"`                                      | the lines of f, from the given folders only                   |
| `.error "text"` `.err`                              | stops                                                         |

Everything is bounded: lines made by expansion, their characters, the depth of calls.

Source: GNU as manual; tried with GNU as 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from neonsim.arm.asm.text.diagnostics import TooManyErrors
from neonsim.arm.asm.text.expression import Tokens, expression, tokenize
from neonsim.arm.asm.text.macro_text import Body, Definition, MacroArgument, arguments, body_line, header, matched
from neonsim.arm.asm.text.preprocessor import Preprocessor
from neonsim.arm.asm.text.source import Line, Statement, split, split_statements
from neonsim.common.limits import (
    MAX_CHARACTERS,
    MAX_IF_DEPTH,
    MAX_INCLUDE_DEPTH,
    MAX_LINES,
    MAX_MACRO_DEPTH,
    MAX_STATEMENTS,
)
from neonsim.errors import AssemblyError

__all__ = ["Expander"]


_HEAD = re.compile(r"\s*(?:[\w.$\\@()]+\s*:\s*)*(\.\w+)", re.ASCII)
_LABELS = re.compile(r"(?:\s*(?:[A-Za-z_.$][\w.$]*|\d+)\s*:)*", re.ASCII)
_ALIAS = re.compile(r"([\w.$]+)\s+\.req\b", re.ASCII | re.IGNORECASE)
_WORD = re.compile(r"\s*([\w.$]+)", re.ASCII)
_REPEATS: Final = frozenset((".rept", ".rep", ".irp", ".irpc"))
_SETS: Final = frozenset((".set", ".equ", ".equiv"))
_COMPARE: Final[dict[str, Callable[[int], bool]]] = {
    ".if": lambda v: v != 0, ".ifne": lambda v: v != 0, ".ifeq": lambda v: v == 0, ".iflt": lambda v: v < 0,
    ".ifle": lambda v: v <= 0, ".ifgt": lambda v: v > 0, ".ifge": lambda v: v >= 0, ".elseif": lambda v: v != 0,
}
_IFS: Final = frozenset(_COMPARE) - {".elseif"} | frozenset(
    (".ifdef", ".ifndef", ".ifnotdef", ".ifc", ".ifnc", ".ifb", ".ifnb", ".ifeqs", ".ifnes"))
_STRING = re.compile(r'\s*"((?:\\.|[^"\\])*)"\s*', re.ASCII)


class _Branch(NamedTuple):
    """An open .if: whether this part is taken, whether one was, whether .else was seen, and where it began."""

    taken: bool
    done: bool
    last: bool
    statement: Statement


class _Frame:
    """Lines that are being read: the program itself, or an expansion.

    name       of the macro or directive, "" for the program          conditions   open ones when it began
    included   how many .include are around it
    """

    def __init__(self, lines: Iterator[Body], name: str, conditions: int, included: int, place: Line | None = None,
                 span: tuple[int, int] = (1, 1)) -> None:
        self.lines, self.name, self.conditions, self.included = lines, name, conditions, included
        self.place, self.span = place, span


class Expander:
    """Turns the lines of a program into statements, with macros, repetitions and conditions carried out.

    constants   names set so far, as far as their values are known before the program is laid out
    by_places   (tokens, number of the statement that comes): the value of an expression with labels, by the places
                that an earlier reading found; None in the first one
    again       values hang on places, which were not known; asked: the numbers of the statements where
    """

    def __init__(self, preprocessor: Preprocessor, by_places: Callable[[Tokens, int], int] | None = None) -> None:
        self.preprocessor, self.by_places = preprocessor, by_places
        self.again = False
        self.asked: set[int] = set()
        self.mistakes = preprocessor.mistakes
        self.constants: dict[str, int] = {}
        self.symbols: set[str] = set()
        self.macros: dict[str, Definition] = {}
        self.alternate = False
        self._frames: list[_Frame] = []
        self._branches: list[_Branch] = []
        self._calls = self._locals = 0
        self._left, self._characters = MAX_LINES, MAX_CHARACTERS
        self._found: list[Statement] = []
        self._directives: dict[str, Callable[[Statement], None]] = {
            ".macro": self._macro, ".purgem": self._purgem, ".exitm": self._exitm, ".include": self._include,
            ".rept": self._rept, ".rep": self._rept, ".irp": self._irp, ".irpc": self._irp,
            ".altmacro": self._alternate, ".noaltmacro": self._alternate, ".error": self._error, ".err": self._error,
            ".endm": self._stray, ".endmacro": self._stray, ".endr": self._stray,
            **dict.fromkeys(_IFS, self._if), ".else": self._else, ".elseif": self._else, ".elsif": self._else,
            ".endif": self._endif,
        }

    def statements(self, path: str, text: str, folder: Path | None) -> list[Statement]:
        """All statements in order, up to .end.

        What is wrong with comments, strings, directives, macros and conditions goes to `mistakes`; the rest is read.
        """
        try:
            self._push(_bodies(self.preprocessor.lines(path, text, folder)), "", 0)
            while self._frames:
                try:
                    if not self._next():
                        break
                    if len(self._found) > MAX_STATEMENTS:
                        raise self.mistakes.fatal(_at(self._found[-1], (
                            f"This program has more than {MAX_STATEMENTS:,} statements. Split it: neonsim.link joins "
                            "the parts.")))
                except AssemblyError as error:
                    self.mistakes.add(error)
        except TooManyErrors:
            pass
        return self._found

    def _next(self) -> bool:
        """Read a line of the innermost frame; False at .end."""
        line = next(self._frames[-1].lines, None)
        if line is None:
            self._pop()
            return True
        if self._branches and not self._branches[-1].taken:
            self._left_out(line)
            return True
        try:
            statement = split(line.text, line.start, line.place)
        except AssemblyError as error:
            if (labels := _LABELS.match(line.text)) and labels[0]:  # others may refer to them
                self._found.append(split(labels[0], line.start, line.place))
            named = _ALIAS.search(line.text)
            self.mistakes.add(error, suggestion=named[1] if named else "")
            return True
        for name, _ in statement.labels:
            self.symbols.add(name)
        head = statement.head.lower()
        if head in self.macros:
            if statement.labels:
                self._found.append(statement._replace(head="", operands=""))
            self._call(statement, self.macros[head])
        elif head in self._directives:
            if statement.labels:
                self._found.append(statement._replace(head="", operands=""))
            self._directives[head](statement)
        else:
            self._found.append(statement)
            if head in _SETS or statement.operands.lstrip()[:1] == "=":
                self._remember(statement, head)
            elif head == ".end":
                return False
        return True

    # -- frames

    def _push(self, lines: Iterator[Body], name: str, included: int, statement: Statement | None = None) -> None:
        place = statement.place if statement else None
        span = (statement.head_column, len(statement.head)) if statement else (1, 1)
        if len(self._frames) > MAX_MACRO_DEPTH and place is not None:
            raise self.mistakes.fatal(place.error(f"Macros call each other more than {MAX_MACRO_DEPTH} levels deep. "
                                                  f"Does `{name}` call itself endlessly? Stop it with .if and .exitm.",
                                                  *span))
        self._frames.append(_Frame(lines, name, len(self._branches), included, place, span))

    def _pop(self) -> None:
        frame = self._frames.pop()
        if len(self._branches) > frame.conditions:
            statement = self._branches[-1].statement
            del self._branches[frame.conditions:]
            self.mistakes.lost = True
            inside = f" inside `{frame.name}`" if frame.name else ""
            raise _at(statement, f"This condition needs an .endif{inside}.")

    def _bounded(self, lines: Iterable[Body], statement: Statement) -> Iterator[Body]:
        for line in lines:
            self._left -= 1
            self._characters -= len(line.text)
            if self._left < 0 or self._characters < 0:
                raise self._too_much(statement)
            yield line

    def _too_much(self, statement: Statement) -> TooManyErrors:
        limit = f"{MAX_LINES:,} lines" if self._left < 0 else f"{MAX_CHARACTERS:,} characters"
        return self.mistakes.fatal(_at(statement, "The macros and repetitions of this program make more than "
                                                  f"{limit}."))

    def _collect(self, statement: Statement, opens: frozenset[str], closes: frozenset[str], end: str) -> list[Body]:
        """The lines up to the matching end of a macro or repetition."""
        body: list[Body] = []
        depth = 1
        for line in self._frames[-1].lines:
            head = _HEAD.match(line.text)
            word = head[1].lower() if head else ""
            depth += (word in opens) - (word in closes)
            if depth == 0:
                return body
            body.append(line)
            self._characters -= len(line.text) if self._frames[-1].name else 0
        self.mistakes.lost = True
        raise _at(statement, f"This {statement.head.lower()} needs {end}.")

    # -- macros

    def _macro(self, statement: Statement) -> None:
        ends = frozenset((".macro",)), frozenset((".endm", ".endmacro")), ".endm"
        try:
            name, parameters = header(statement.operands, statement.operands_column, statement.place)
        except AssemblyError as error:
            word = _WORD.match(statement.operands)
            self.mistakes.add(error, suggestion=word[1] if word else "")
            with suppress(AssemblyError):
                self._collect(statement, *ends)
            return
        body = self._collect(statement, *ends)
        low = name.lower()
        if low in self.macros:
            place = self.macros[low].place
            raise _at(statement, f"The macro `{name}` is already defined ({place.path}:{place.line}). Remove it first "
                                 f"with .purgem {name}.")
        self.macros[low] = Definition(name, parameters, tuple(body), statement.place)

    def _purgem(self, statement: Statement) -> None:
        for name in re.split(r"[,\s]+", statement.operands.strip()):
            if self.macros.pop(name.lower(), None) is None:
                raise _at(statement, f"There is no macro `{name}` to remove." if name else "The name of a macro is "
                                                                                           "missing: "
                                                                                            ".purgem name.")

    def _call(self, statement: Statement, definition: Definition) -> None:
        place, span = statement.place, (statement.head_column, len(statement.head))
        given = [(keyword, self._percent(argument, statement)) for keyword, argument in
                 arguments(statement.operands, statement.operands_column, self.alternate)]
        try:
            values = matched(definition, given, place, span, statement.operands)
        except AssemblyError:
            self.mistakes.lost = True  # labels that it would have set
            raise
        note = f"In the expansion of macro {definition.name}"
        lines = self._expanded(definition.body, values, statement, span, note, self._calls)
        self._push(self._bounded(lines, statement), definition.name, self._frames[-1].included, statement)
        self._calls += 1

    def _percent(self, argument: MacroArgument, statement: Statement) -> MacroArgument:
        """In .altmacro `%expression` is its value."""
        if self.alternate and argument.text.startswith("%"):
            return argument._replace(text=str(self._value(argument.text[1:], argument.column + 1, statement)))
        return argument

    def _expanded(self, body: Iterable[Body], values: dict[str, MacroArgument], statement: Statement,
                  span: tuple[int, int],
                  note: str, counter: int = 0, own_line: bool = False) -> Iterator[Body]:
        alternate = self.alternate
        for line in body:
            words = line.text.split(None, 1)
            if alternate and words and words[0].upper() == "LOCAL":
                for name in re.findall(r"[\w.$]+", words[1] if len(words) > 1 else ""):
                    self._locals += 1
                    values = {**values, name: MacroArgument(f".LL{self._locals:04x}")}  # lines before keep theirs
                continue
            place = body_line(line, values, counter, alternate, statement.place, span, note, own_line=own_line)
            yield Body(place, 0, place.text)

    def _exitm(self, statement: Statement) -> None:
        if not self._frames[-1].name:
            raise _at(statement, ".exitm is only valid inside a macro.")
        frame = self._frames.pop()  # the innermost expansion, be it a repetition: as GNU as does
        del self._branches[frame.conditions:]

    def _alternate(self, statement: Statement) -> None:
        self.alternate = statement.head.lower() == ".altmacro"

    def _stray(self, statement: Statement) -> None:
        word = statement.head.lower()
        raise _at(statement, f"{word} without {'.macro' if word != '.endr' else '.rept, .irp or .irpc'} before it.")

    # -- repetition

    def _rept(self, statement: Statement) -> None:
        ends = _REPEATS, frozenset((".endr",)), ".endr"
        try:
            count = self._value(statement.operands, statement.operands_column, statement)
        except AssemblyError:
            with suppress(AssemblyError):
                self._collect(statement, *ends)
            self.mistakes.lost = True
            raise
        body = self._collect(statement, *ends)
        if count < 0 or count * max(len(body), 1) > MAX_LINES:
            raise _at(statement, f"A repetition of {count:,} times: " + ("it cannot be negative." if count < 0 else
                                 f"it makes more than {MAX_LINES:,} lines."))
        lines = (line for _ in range(count if body else 0) for line in body)
        self._push(self._bounded(lines, statement), ".rept", self._frames[-1].included, statement)

    def _irp(self, statement: Statement) -> None:
        word = statement.head.lower()
        match = re.match(r"\s*([A-Za-z_.$][\w.$]*)\s*,?", statement.operands, re.ASCII)
        if match is None:
            with suppress(AssemblyError):
                self._collect(statement, _REPEATS, frozenset((".endr",)), ".endr")
            self.mistakes.lost = True
            raise _at(statement, f"The form of this directive is `{word} x, {'1, 2, 3' if word == '.irp' else 'abc'}`.")
        rest, column = statement.operands[match.end():], statement.operands_column + match.end()
        if word == ".irp":
            values = [argument for _, argument in arguments(rest, column, self.alternate)]
        else:
            text = rest.strip()
            quoted = _STRING.fullmatch(text)
            values = [MacroArgument(c) for c in (quoted[1] if quoted else text)]
        body = self._collect(statement, _REPEATS, frozenset((".endr",)), ".endr")
        note = f"In {word} {match[1]}"
        span = (statement.head_column, len(statement.head))
        values = values or [MacroArgument("")]
        lines = (line for value in values for line in
                 self._expanded(body, {match[1]: value}, statement, span, note, own_line=True))
        self._push(self._bounded(lines, statement), word, self._frames[-1].included, statement)

    # -- conditions

    def _left_out(self, line: Body) -> None:
        """A line in a part that is not taken: only conditions count."""
        head = _HEAD.match(line.text)
        if head is None:
            return
        word = head[1].lower()
        if word in _IFS:
            statement = Statement(line.place, (), word, line.start + head.start(1) + 1, "", line.start + head.end() + 1)
            self._branches.append(_Branch(False, True, False, statement))
        elif word in (".else", ".elseif", ".elsif", ".endif"):
            statement = Statement(line.place, (), head[1], line.start + head.start(1) + 1, line.text[head.end():],
                                  line.start + head.end() + 1)
            self._directives[word](statement)

    def _if(self, statement: Statement) -> None:
        if len(self._branches) > MAX_IF_DEPTH:
            raise _at(statement, f"Conditions are nested deeper than {MAX_IF_DEPTH} levels.")
        value = self._holds_or_read(statement)
        self._branches.append(_Branch(value, value, False, statement))

    def _opened(self, statement: Statement) -> _Branch:
        if len(self._branches) <= self._frames[-1].conditions:
            inside = f" inside `{self._frames[-1].name}`" if self._frames[-1].name else ""
            raise _at(statement, f"{statement.head.lower()} without .if before it{inside}.")
        return self._branches.pop()

    def _else(self, statement: Statement) -> None:
        branch = self._opened(statement)
        word = statement.head.lower()
        if branch.last:
            raise _at(statement, f"{word} after .else (the .if is in line {branch.statement.place.line}).")
        value = not branch.done and (word == ".else" or self._holds_or_read(statement._replace(head=".elseif")))
        self._branches.append(_Branch(value, branch.done or value, word == ".else", branch.statement))

    def _endif(self, statement: Statement) -> None:
        self._opened(statement)

    def _holds_or_read(self, statement: Statement) -> bool:
        """Whether a condition holds; one that is wrong has an end all the same, and what it opens is read."""
        try:
            return self._holds(statement)
        except AssemblyError as error:
            self.mistakes.add(error)
            return True

    def _holds(self, statement: Statement) -> bool:
        word, rest = statement.head.lower(), statement.operands
        if word in _COMPARE:
            return _COMPARE[word](self._value(rest, statement.operands_column, statement))
        if word in (".ifdef", ".ifndef", ".ifnotdef"):
            name = rest.strip()
            if not name:
                raise _at(statement, f"A name is missing: {word} NAME.")
            return (name in self.symbols or name in self.constants) == (word == ".ifdef")
        if word in (".ifb", ".ifnb"):
            return (not rest.strip()) == (word == ".ifb")
        if word in (".ifeqs", ".ifnes"):
            both = re.fullmatch(_STRING.pattern + "," + _STRING.pattern, rest)
            if both is None:
                raise _at(statement, f'This directive compares two strings: {word} "a", "b".')
            return (both[1] == both[2]) == (word == ".ifeqs")
        left, comma, right = rest.partition(",")
        if not comma:
            raise _at(statement, f"This directive compares two texts: {word} a, b.")
        return (_bare(left) == _bare(right)) == (word == ".ifc")

    # -- the rest

    def _value(self, text: str, column: int, statement: Statement) -> int:
        # Long expressions, evaluated often, are work as well.
        self._characters -= 10 * len(text) if self._frames[-1].name else 0
        if self._characters < 0:
            raise self._too_much(statement)
        tokens = tokenize(statement.place, text, column)
        tokens.take("#")
        placed = [name for kind, name in zip(tokens.kinds, tokens.texts, strict=True)
                  if kind in ("word", "labelref") and name not in self.constants]
        if not placed or not all(name in self.symbols or name == "." or name[0].isdigit() for name in placed):
            value = expression(tokens, self.constants)
        else:
            self.asked.add(len(self._found))
            if self.by_places is None:
                self.again = True
                return 0
            value = self.by_places(tokens, len(self._found))
        if tokens.kind != "end":
            raise tokens.fail(f"`{tokens.text}` follows the number. One constant expression is expected here.")
        return value - (1 << 64) if value >> 63 == 1 else value

    def _remember(self, statement: Statement, head: str) -> None:
        """Note the value of a constant, if it has one already; what is wrong with it the assembler says."""
        if head in _SETS:
            name, _, text = statement.operands.partition(",")
        else:
            name, text = statement.head, statement.operands.replace("=", " ", 1).replace("=", " ", 1) \
                if statement.operands.lstrip()[:2] == "==" else statement.operands.replace("=", " ", 1)
        name = name.strip()
        self.symbols.add(name)
        value: int | None = None
        with suppress(AssemblyError):
            tokens = tokenize(statement.place, text, statement.operands_column)
            value = expression(tokens, self.constants)
            if tokens.kind != "end":
                value = None
        if value is None:
            self.constants.pop(name, None)
        else:
            self.constants[name] = value - (1 << 64) if value >> 63 == 1 else value

    def _include(self, statement: Statement) -> None:
        frame = self._frames[-1]
        match = _STRING.fullmatch(statement.operands)
        if match is None:
            raise _at(statement, 'The form of this directive is .include "file".')
        if frame.included >= MAX_INCLUDE_DEPTH:
            raise self.mistakes.fatal(_at(statement, f"Files include each other {MAX_INCLUDE_DEPTH} levels deep. Does "
                                                     f"a file include itself?"))
        column = statement.operands_column + match.start(1)
        includes = self.preprocessor.includes
        try:
            path, text = includes.text(match[1], statement.place, column, max(len(match[1]), 1),
                                       includes.folder_of(statement.place))
        except AssemblyError as error:
            raise self.mistakes.fatal(error) from None
        self._push(_bodies(self.preprocessor.lines(str(path), text, path.parent)), "", frame.included + 1, statement)

    def _error(self, statement: Statement) -> None:
        raise _at(statement, f"The program reports an error: {statement.operands.strip().strip(chr(34)) or 'error'}")


def _bodies(lines: Iterable[tuple[Line, str]]) -> Iterator[Body]:
    for place, line in lines:
        for start, piece in split_statements(line):
            yield Body(place, start, piece)


def _bare(text: str) -> str:
    """A text of .ifc: blanks around it do not count, nor do quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _at(statement: Statement, message: str) -> AssemblyError:
    return statement.place.error(message, statement.head_column, len(statement.head))
