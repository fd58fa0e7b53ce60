"""Assembler macros as text: headers, arguments, and bodies with their arguments put in.

A body keeps for every character where it came from: what an argument brought points at the argument.

Source: GNU as manual, ".macro", ".altmacro"; the reading of arguments follows gas 2.40 (macro.c), which splits them at
commas and at blanks between words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from neonsim.arm.asm.text.source import Line, Origin, TextSegment
from neonsim.common.limits import MAX_LINE_LENGTH

__all__ = ["Body", "Definition", "MacroArgument", "MacroParameter", "arguments", "body_line", "header", "matched"]

_NAME = re.compile(r"[A-Za-z_.$][\w.$]*", re.ASCII)
# A parameter has a backslash, or & in front, which goes away; in .altmacro it stands alone too, also in quotes.
_BACKSLASH: Final = r"\\(?:\(\)|@|&|(?P<name>[A-Za-z_.$][\w.$]*))|&&"
_REFERENCE = re.compile(_BACKSLASH + r"|(?P<glue>[ \t]*&[ \t]*)(?P<bare>[A-Za-z_.$][\w.$]*)", re.ASCII)
_ALTERNATE = re.compile(_BACKSLASH + r"|(?P<glue>[ \t]*&[ \t]*)?(?<![\w.$])(?P<bare>[A-Za-z_.$][\w.$]*)", re.ASCII)
_GLUE = re.compile(r"[ \t]*&[ \t]*")
_LITERAL = re.compile(r"""("(?:\\.|[^"\\])*"?)|'(?:\\.|[^\\])'?""")  # a string, or a character
_EQUALS = re.compile(r"\s*=(?!=)")
_SIMPLE = re.compile(r"([\w.$#]+)[ \t]*(?:(,)[ \t]*|\Z)", re.ASCII)  # an argument that is a word or a number
_BLANK: Final = " \t"
# Blanks next to other characters carry no meaning (the assembler's scrubber drops them).
_KEEPS_BLANK = re.compile(r"[\w.$#\[\]{}\\\"'@%<]", re.ASCII)


class MacroArgument(NamedTuple):
    """The text of an argument, where it stands in the line of the call (1-based; 0: nowhere), and its offset in the
    text of the call."""

    text: str
    column: int = 0
    start: int = 0


class MacroParameter(NamedTuple):
    name: str
    default: str
    required: bool
    variadic: bool


class Body(NamedTuple):
    """A line of a body: where it stands, its text, the 0-based column of the text in the line."""

    place: Line
    start: int
    text: str


class Definition(NamedTuple):
    """A macro."""

    name: str
    parameters: tuple[MacroParameter, ...]
    body: tuple[Body, ...]
    place: Line


def header(text: str, column: int, place: Line) -> tuple[str, tuple[MacroParameter, ...]]:
    """(name, parameters) of the text behind .macro, which stands at `column`."""
    match = re.match(r"\s*([A-Za-z_.$][\w.$]*)\s*[,(]?", text, re.ASCII)
    if match is None:
        raise place.error("The name of the macro is missing: .macro name a, b.", column, max(len(text.rstrip()), 1))
    rest = text[match.end():]
    if match.group().endswith("("):
        rest = rest.rstrip().removesuffix(")")
    parameters: list[MacroParameter] = []
    at = 0
    while (at := _skip(rest, at)) < len(rest):
        word = _NAME.match(rest, at)
        where = column + match.end() + at
        if word is None:
            raise place.error(f"`{rest[at]}` cannot begin a parameter; parameters are a, b=default, c:req, "
                              "d:vararg.", where)
        at = word.end()
        kind, default = "", ""
        after = re.compile(r"\s*:\s*(\w*)", re.ASCII).match(rest, at)
        if after is not None:
            kind, at = after[1].lower(), after.end()
            if kind not in ("req", "vararg"):
                raise place.error(f"`:{after[1]}` is not a kind of parameter. Use :req or :vararg.", where,
                                  at - (where - column - match.end()))
        if (after := re.compile(r"\s*=").match(rest, at)) is not None:
            default, at = _one(rest, _blanks(rest, after.end()), False)
        if word.group() in (p.name for p in parameters):
            raise place.error(f"The parameter `{word.group()}` is named twice.", where, len(word.group()))
        if parameters and parameters[-1].variadic:
            raise place.error(f"Nothing can follow the :vararg parameter `{parameters[-1].name}`.", where,
                              len(word.group()))
        parameters.append(MacroParameter(word.group(), default, kind == "req", kind == "vararg"))
        at = _skip(rest, at)
    return match[1], tuple(parameters)


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _skip(text: str, at: int) -> int:
    """Over blanks and one comma."""
    at = _blanks(text, at)
    return _blanks(text, at + 1) if at < len(text) and text[at] == "," else at


def _one(text: str, at: int, alternate: bool) -> tuple[str, int]:
    """(argument, where it ends): a quoted string loses its quotes, brackets hold blanks together, commas divide."""
    if at < len(text) and (text[at] == '"' or (alternate and text[at] == "<")):
        value, end = _quoted(text, at, alternate)
        return (f'"{value}"' if alternate and text[at] == '"' else value), end
    start, depth = at, 0
    while at < len(text) and text[at] != ",":
        character = text[at]
        if character in _BLANK and not depth:
            behind = _blanks(text, at)
            # A blank divides only between words: `a + b` is one argument, `a b` are two.
            if behind >= len(text) or text[behind] == "," or (
                    _KEEPS_BLANK.match(text[at - 1]) and _KEEPS_BLANK.match(text[behind])):
                break
            at = behind
            continue
        if character in "\"'":
            end = text.find(character, at + 1)
            at = len(text) if end < 0 else end
        elif character in "([":
            depth += 1
        elif character in ")]" and depth:
            depth -= 1
        at += 1
    return text[start:at].rstrip(), at


def _quoted(text: str, at: int, alternate: bool) -> tuple[str, int]:
    """A string in "" (with "" and \\" inside), or in <> (nested); in .altmacro ! takes the next character as it is."""
    out: list[str] = []
    angle = text[at] == "<"
    depth, at = 1, at + 1
    while at < len(text):
        character = text[at]
        if angle:
            depth += (character == "<") - (character == ">")
            if depth == 0:
                return "".join(out), at + 1
        if alternate and character == "!" and at + 1 < len(text):
            at += 1
            character = text[at]
        elif angle:
            pass
        elif character == '"':
            if text[at + 1:at + 2] != '"':
                return "".join(out), at + 1
            at += 1
        elif character == "\\" and at + 1 < len(text):
            out.append(character)
            at += 1
            character = text[at]
        out.append(character)
        at += 1
    return "".join(out), at


def arguments(text: str, column: int, alternate: bool) -> list[tuple[str, MacroArgument]]:
    """Return the arguments in the text of a call, which stands at `column`: (keyword or "", argument)."""
    found: list[tuple[str, MacroArgument]] = []
    at = _blanks(text, 0)
    if at >= len(text):
        return found
    while True:
        simple = _SIMPLE.match(text, at)
        if simple is not None and (not simple[2] or simple.end() < len(text)):
            found.append(("", MacroArgument(simple[1], column + at, at)))
            if not simple[2]:
                return found
            at = simple.end()
            continue
        keyword = ""
        word = _NAME.match(text, at)
        if word is not None and (equals := _EQUALS.match(text, word.end())) is not None:
            keyword, at = word.group(), _blanks(text, equals.end())
        start = at
        value, at = _one(text, at, alternate)
        quoted = text[start:start + 1] == '"' or (alternate and text[start:start + 1] == "<")
        found.append((keyword, MacroArgument(value, column + start + quoted, start)))
        behind = _blanks(text, at)
        if behind >= len(text):
            return found
        at = _blanks(text, behind + 1) if text[behind] == "," else behind
        if at >= len(text):  # a comma at the end: an empty last argument
            found.append(("", MacroArgument("", column + at, at)))
            return found
        if at == start and text[behind] != ",":  # nothing was consumed: cannot go on
            return found


def body_line(line: Body, values: Mapping[str, MacroArgument], counter: int, alternate: bool, call: Line,
              span: tuple[int, int], note: str, *, own_line: bool = False) -> Line:
    """One line of a body with its arguments put in, as a place that leads back.

    values       not changed later: what leads back is made when it is asked for
    call, span   the line of the call and (column, width) of what stands for the macro in it
    own_line     text that is no argument leads to the body's own line (.rept, .irp), not to the call
    """
    source = line.text
    parent = line.place if own_line else call
    if "\\" not in source and not (values and (alternate or "&" in source)):
        first = _segment((source, 0, len(source), None), 0, line, span, note, own_line)
        if own_line:
            first = first._replace(macro="")
            return Line(parent.path, parent.line, source, Origin(parent, first, [first], "", ""))
        return Line(parent.path, parent.line, source, Origin(parent, first, [first], note + _shown(line, source),
                                                             _where(line)))
    pieces = _put_in(line, values, counter, alternate, call, span)
    text = "".join([piece[0] for piece in pieces])
    begin = _segment(pieces[0], 0, line, span, note, own_line) if pieces else None
    return Line(parent.path, parent.line, text, _Expanded(parent, begin, line, values, counter, alternate, call, span,
                                                          note, own_line))


class _Expanded(Origin):
    """Where a line of a body with arguments put in comes from."""

    __slots__ = ()

    def parts(self) -> tuple[Sequence[TextSegment], str, str]:
        """As of any origin: the arguments are put in once more."""
        line, values, counter, alternate, call, span, note, own_line = self.what
        segments: list[TextSegment] = []
        pieces, size = _put_in(line, values, counter, alternate, call, span), 0
        for piece in pieces:
            segments.append(_segment(piece, size, line, span, note, own_line))
            size += len(piece[0])
        return segments, note + _shown(line, "".join(piece[0] for piece in pieces)), _where(line)


# A piece of a line with arguments put in: its text, from where to where it stands in the body's line, and the argument
# whose text it is; None for the line's own.
_Piece = tuple[str, int, int, MacroArgument | None]


def _segment(piece: _Piece, start: int, line: Body, span: tuple[int, int], note: str, own_line: bool) -> TextSegment:
    """Where a piece that begins at ``start`` came from."""
    text, low, high, argument = piece
    end = start + len(text)
    if own_line:
        return TextSegment(start, end, line.start + 1 + low, max(high - low, 1), note, argument is None)
    if argument is not None and argument.column:
        return TextSegment(start, end, argument.column, max(len(text), 1), note, True)
    return TextSegment(start, end, span[0], max(span[1], 1), note, False)


@lru_cache(4096)
def _references(text: str, alternate: bool) -> tuple[tuple[int, int, int, str, str | None, bool], ...]:
    """The words of a body's line that arguments may stand for: (from, to, to with the & that goes away if it is known,
    the word, its name, whether bare)."""
    found = []
    characters = {at for m in _LITERAL.finditer(text) if m[1] is None for at in range(m.start(), m.end())}
    for m in (_ALTERNATE if alternate else _REFERENCE).finditer(text):
        if m.group() in ("&&", "\\&") or m.start() in characters:
            continue
        start, end, glue, quoted = m.start(), m.end(), m["glue"] or "", text.count('"', 0, m.start()) % 2 == 1
        if glue and quoted:  # blanks count there
            if glue[-1] != "&" and not alternate:
                continue
            start = m.start("bare") if glue[-1] != "&" else start + glue.index("&")
        after = None
        if alternate or glue:
            after = text[end:end + 1] == "&" if quoted else _GLUE.match(text, end)
        behind = end + (1 if after is True else after.end() - end if after else 0)
        found.append((start, end, behind, m.group(), m["name"] or m["bare"], m["name"] is None))
    return tuple(found)


def _put_in(line: Body, values: Mapping[str, MacroArgument], counter: int, alternate: bool, call: Line,
            span: tuple[int, int]) -> list[_Piece]:
    """The pieces of a body's line, none of them empty, with the arguments put in."""
    source = line.text
    pieces: list[_Piece] = []
    at = size = 0
    for start, end, behind, word, name, bare in _references(source, alternate):
        if name is None:
            value = MacroArgument("" if word == "\\()" else str(counter))
        elif name not in values:
            short = name.split(".")[0]
            if not bare and short in values:
                raise line.place.error(f"`\\{name}` is read as one name, but the parameter is `{short}`. Write "
                                       f"\\{short}\\(){name[len(short):]}.", line.start + start + 1, len(word))
            if bare and behind > end and source[start] not in " \t&":
                pieces.append((source[at:end], at, end, None))
                size += end - at
                at = behind
            continue
        else:
            value = values[name]
        if start > at:
            pieces.append((source[at:start], at, start, None))
        if value.text:
            pieces.append((value.text, start, end, value))
        size += start - at + len(value.text)
        if size > MAX_LINE_LENGTH:
            raise call.error(f"A line of this expansion is longer than {MAX_LINE_LENGTH} characters.", *span)
        at = behind
    if at < len(source):
        pieces.append((source[at:], at, len(source), None))
    if size + len(source) - at > MAX_LINE_LENGTH:
        raise call.error(f"A line of this expansion is longer than {MAX_LINE_LENGTH} characters.", *span)
    return pieces


def _where(line: Body) -> str:
    return f"{line.place.path}:{line.place.line}"


def _shown(line: Body, text: str) -> str:
    text = " ".join(text.split())
    text = f" ({_where(line)}): {text}"
    return text if len(text) <= 160 else text[:157] + "..."


def matched(definition: Definition, arguments: Sequence[tuple[str, MacroArgument]], place: Line, span: tuple[int, int],
            text: str) -> dict[str, MacroArgument]:
    """Parameter -> argument of a call.

    span   (column, width) of the macro's name in the call          text   all behind it, for :vararg
    """
    names = [p.name for p in definition.parameters]
    values: dict[str, MacroArgument] = {}
    where = f"{definition.place.path}:{definition.place.line}"
    at = 0
    for number, (keyword, argument) in enumerate(arguments):
        if keyword and keyword in names:
            values[keyword] = argument
            continue
        if keyword:
            argument = argument._replace(text=f"{keyword}={argument.text}")
        if at >= len(names):
            if not argument.text and number == len(arguments) - 1:
                continue
            raise place.error(f"`{definition.name}` takes {_count(len(names))} ({where}), but more were given.",
                              argument.column or span[0], max(len(argument.text), 1))
        parameter = definition.parameters[at]
        if parameter.variadic:
            values[parameter.name] = argument._replace(text=text[argument.start:].rstrip())
            break
        values[parameter.name] = argument
        at += 1
    for parameter in definition.parameters:
        if parameter.name not in values or not values[parameter.name].text:
            if parameter.required:
                raise place.error(f"`{definition.name}` needs the argument `{parameter.name}` ({where}).", *span)
            if parameter.default or parameter.name not in values:
                values[parameter.name] = MacroArgument(parameter.default)
    return values


def _count(n: int) -> str:
    return f"{n} argument{'s' * (n != 1)}" if n else "no arguments"
