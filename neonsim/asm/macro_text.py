"""Assembler macros as text: headers, arguments, and bodies with their arguments put in.

A body keeps for every character where it came from: what an argument brought points at the argument.

Source: GNU as manual, ".macro", ".altmacro"; the reading of arguments follows gas 2.40 (macro.c), which splits them at
commas and at blanks between words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from neonsim.asm.source import Line, Origin, Segment
from neonsim.limits import LONGEST_LINE

__all__ = ["Argument", "Body", "Definition", "Parameter", "arguments", "body_line", "header", "matched"]

_NAME = re.compile(r"[A-Za-z_.$][\w.$]*", re.ASCII)
_REFERENCE = re.compile(r"\\(?:(\(\))|(@)|([A-Za-z_.$][\w.$]*))", re.ASCII)
# In .altmacro a parameter stands without a backslash too; & glues, strings are left alone.
_ALTERNATE = re.compile(r"\\(?:(\(\))|(@)|([A-Za-z_.$][\w.$]*))|&?(?<![\w.$])([A-Za-z_.$][\w.$]*)", re.ASCII)
_BLANK: Final = " \t"
# Blanks next to other characters carry no meaning (the assembler's scrubber drops them).
_KEEPS_BLANK = re.compile(r"[\w.$#\[\]{}\\\"'@%<]", re.ASCII)


class Argument(NamedTuple):
    """The text of an argument, where it stands in the line of the call (1-based; 0: nowhere), and its offset in the
    text of the call."""

    text: str
    column: int = 0
    start: int = 0


class Parameter(NamedTuple):
    name: str
    default: str
    required: bool
    rest: bool


class Body(NamedTuple):
    """A line of a body: where it stands, its text, the 0-based column of the text in the line."""

    place: Line
    start: int
    text: str


class Definition(NamedTuple):
    """A macro."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Body, ...]
    place: Line


def header(text: str, column: int, place: Line) -> tuple[str, tuple[Parameter, ...]]:
    """(name, parameters) of the text behind .macro, which stands at `column`."""
    match = re.match(r"\s*([A-Za-z_.$][\w.$]*)\s*[,(]?", text, re.ASCII)
    if match is None:
        raise place.error("The name of the macro is missing: .macro name a, b.", column, max(len(text.rstrip()), 1))
    rest = text[match.end():]
    if match.group().endswith("("):
        rest = rest.rstrip().removesuffix(")")
    parameters: list[Parameter] = []
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
                raise place.error(f"`:{after[1]}` is no kind of parameter; there are :req and :vararg.", where,
                                  at - (where - column - match.end()))
        if (after := re.compile(r"\s*=").match(rest, at)) is not None:
            default, at = _one(rest, _blanks(rest, after.end()), False)
        if word.group() in (p.name for p in parameters):
            raise place.error(f"The parameter `{word.group()}` is named twice.", where, len(word.group()))
        if parameters and parameters[-1].rest:
            raise place.error(f"Nothing can follow the :vararg parameter `{parameters[-1].name}`.", where,
                              len(word.group()))
        parameters.append(Parameter(word.group(), default, kind == "req", kind == "vararg"))
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
        return _quoted(text, at)
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


def _quoted(text: str, at: int) -> tuple[str, int]:
    """A string in "" (with "" and \\" inside), or in <> (nested, ! takes the next character as it is)."""
    out: list[str] = []
    angle = text[at] == "<"
    depth, at = 1, at + 1
    while at < len(text):
        character = text[at]
        if angle:
            depth += (character == "<") - (character == ">")
            if depth == 0:
                return "".join(out), at + 1
            if character == "!" and at + 1 < len(text):
                at += 1
                character = text[at]
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


def arguments(text: str, column: int, alternate: bool) -> list[tuple[str, Argument]]:
    """The arguments in the text of a call, which stands at `column`: (keyword or "", argument)."""
    found: list[tuple[str, Argument]] = []
    at = _blanks(text, 0)
    if at >= len(text):
        return found
    while True:
        keyword = ""
        word = _NAME.match(text, at)
        if word is not None and (equals := re.compile(r"\s*=(?!=)").match(text, word.end())) is not None:
            keyword, at = word.group(), _blanks(text, equals.end())
        start = at
        value, at = _one(text, at, alternate)
        quoted = text[start:start + 1] == '"' or (alternate and text[start:start + 1] == "<")
        found.append((keyword, Argument(value, column + start + quoted, start)))
        behind = _blanks(text, at)
        if behind >= len(text):
            return found
        at = _blanks(text, behind + 1) if text[behind] == "," else behind
        if at >= len(text):  # a comma at the end: an empty last argument
            found.append(("", Argument("", column + at, at)))
            return found
        if at == start and text[behind] != ",":  # nothing was consumed: cannot go on
            return found


def body_line(line: Body, values: Mapping[str, Argument], counter: int, alternate: bool, call: Line,
              span: tuple[int, int], note: str, *, own_line: bool = False) -> Line:
    """One line of a body with its arguments put in, as a place that leads back.

    call, span   the line of the call and (column, width) of what stands for the macro in it
    own_line     text that is no argument leads to the body's own line (.rept, .irp), not to the call
    """
    source = line.text
    if "\\" not in source and not (alternate and values):
        if own_line:
            return Line(line.place.path, line.place.line, source,
                         Origin(line.place, (Segment(0, len(source), line.start + 1, len(source), "", True),), ""))
        return Line(call.path, call.line, source,
                     Origin(call, (Segment(0, len(source), *span, note, False),), note + _shown(line, source),
                            _where(line)))
    parts: list[str] = []
    segments: list[Segment] = []
    at = size = 0

    def put(text: str, column: int, width: int, exact: bool) -> None:
        nonlocal size
        if text:
            parts.append(text)
            segments.append(Segment(size, size + len(text), column, max(width, 1), note, exact))
            size += len(text)
        if size > LONGEST_LINE:
            raise call.error(f"A line of this expansion is longer than {LONGEST_LINE} characters.", *span)

    def own(low: int, high: int) -> None:
        if own_line:
            put(source[low:high], line.start + 1 + low, high - low, True)
        else:
            put(source[low:high], *span, False)

    for match in (_ALTERNATE if alternate else _REFERENCE).finditer(source):
        name = match[3] if match[3] is not None else match[4] if alternate else None
        value: Argument | None = None
        if match[1]:
            value = Argument("")
        elif match[2]:
            value = Argument(str(counter))
        elif name is not None:
            if name not in values:
                short = name.split(".")[0]
                if match[3] is not None and short in values:
                    raise line.place.error(f"`\\{name}` is read as one name, and the parameter is `{short}`: write "
                                           f"\\{short}\\(){name[len(short):]}.", line.start + match.start() + 1,
                                           len(match.group()))
                continue
            if match[3] is None and _in_string(source, match.start()):
                continue
            value = values[name]
        if value is None:
            continue
        own(at, match.start())
        if value.column and not own_line:
            put(value.text, value.column, len(value.text), True)
        elif own_line:
            put(value.text, line.start + 1 + match.start(), len(match.group()), False)
        else:
            put(value.text, *span, False)
        at = match.end() + (alternate and source[match.end():match.end() + 1] == "&")
    own(at, len(source))
    text = "".join(parts)
    parent = line.place if own_line else call
    origin = Origin(parent, tuple(segments), note + _shown(line, text), _where(line))
    return Line(parent.path, parent.line, text, origin)


def _in_string(text: str, at: int) -> bool:
    return text.count('"', 0, at) % 2 == 1


def _where(line: Body) -> str:
    return f"{line.place.path}:{line.place.line}"


def _shown(line: Body, text: str) -> str:
    text = " ".join(text.split())
    text = f" ({_where(line)}): {text}"
    return text if len(text) <= 160 else text[:157] + "..."


def matched(definition: Definition, given: Sequence[tuple[str, Argument]], place: Line, span: tuple[int, int],
            text: str) -> dict[str, Argument]:
    """Parameter -> argument of a call.

    span   (column, width) of the macro's name in the call          text   all behind it, for :vararg
    """
    names = [p.name for p in definition.parameters]
    values: dict[str, Argument] = {}
    where = f"{definition.place.path}:{definition.place.line}"
    at = 0
    for number, (keyword, argument) in enumerate(given):
        if keyword and keyword in names:
            values[keyword] = argument
            continue
        if keyword:
            argument = argument._replace(text=f"{keyword}={argument.text}")
        if at >= len(names):
            if not argument.text and number == len(given) - 1:
                continue
            raise place.error(f"`{definition.name}` takes {_count(len(names))} ({where}), and more are given.",
                              argument.column or span[0], max(len(argument.text), 1))
        parameter = definition.parameters[at]
        if parameter.rest:
            values[parameter.name] = argument._replace(text=text[argument.start:].rstrip())
            break
        values[parameter.name] = argument
        at += 1
    for parameter in definition.parameters:
        if parameter.name not in values or not values[parameter.name].text:
            if parameter.required:
                raise place.error(f"`{definition.name}` needs the argument `{parameter.name}` ({where}).", *span)
            if parameter.default or parameter.name not in values:
                values[parameter.name] = Argument(parameter.default)
    return values


def _count(n: int) -> str:
    return f"{n} argument{'s' * (n != 1)}" if n else "no arguments"
