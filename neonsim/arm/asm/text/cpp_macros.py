"""Preprocessor macros: #define, and expansion with every character's origin kept.

Expansion is C's: a macro is not expanded inside itself, arguments are expanded before they are put in (not next to #
and ##), `#x` makes a string, `a ## b` one word. Each token remembers where in the line it came from, so that an error
in what a macro made points at its use.

Source: C11 6.10.3; Dave Prosser's algorithm (X3J11/86-196).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from neonsim.arm.asm.text.source import Line, Origin, TextSegment
from neonsim.common.limits import MAX_EXPANSION_LENGTH, MAX_MACRO_DEPTH

__all__ = ["Macro", "Macros", "UnclosedCall"]

_TOKEN = re.compile(r"(?P<space>\s+)|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^\\'])')|(?P<name>[A-Za-z_$][\w$]*)"
                    r"|(?P<number>\.?[0-9][\w.$]*)|(?P<op>\#\#|.)", re.ASCII | re.DOTALL)
_NAMES = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


class Macro(NamedTuple):
    """parameters None: object-like; `variadic`: the name of a variadic last parameter; body: tokens; path:line."""

    name: str
    parameters: tuple[str, ...] | None
    variadic: str | None
    body: tuple[str, ...]
    location: str


class UnclosedCall(Exception):
    """The arguments of a macro go on in the next line."""


class _Token(NamedTuple):
    text: str
    hidden: frozenset[str]
    column: int  # 1-based, in the line that is expanded
    width: int
    macro: str  # whose use it came from, "" for the line's own text

    @property
    def is_name(self) -> bool:
        return self.text[:1].isalpha() or self.text[:1] in ("_", "$")


_NOTHING: Final[frozenset[str]] = frozenset()
_SPECIAL: Final = frozenset(("__LINE__", "__FILE__"))


def words(text: str) -> tuple[str, ...]:
    """Text as preprocessor tokens, blanks included as single spaces."""
    return tuple(" " if m.lastgroup == "space" else m.group() for m in _TOKEN.finditer(text))


class Macros(dict[str, Macro]):
    """The macros defined so far."""

    def define(self, text: str, place: Line, column: int) -> None:
        """Take the text behind #define, which stands at `column`."""
        match = re.match(r"([A-Za-z_$][\w$]*)(\(([^)]*)(\))?)?", text, re.ASCII)
        if match is None:
            raise place.error("The name of the macro is missing: #define NAME value.", column, max(len(text), 1))
        name = match[1]
        if name == "defined":
            raise place.error("`defined` cannot be a macro.", column, len(name))
        parameters: tuple[str, ...] | None = None
        rest = None
        if match[2]:
            if not match[4]:
                raise place.error(f"The parameter list of {name} needs a closing `)`.", column,
                                  len(text))
            parts = [part.strip() for part in match[3].split(",")] if match[3].strip() else []
            if parts and parts[-1].endswith("..."):
                rest = parts.pop()[:-3].strip() or "__VA_ARGS__"
            for part in [*parts, *([rest] if rest else [])]:
                if _NAMES.fullmatch(part) is None:
                    raise place.error(f"`{part}` cannot be a parameter of {name}.", column, match.end())
            parameters = tuple(parts)
            if len({*parameters, rest}) != len(parameters) + 1:
                raise place.error(f"A parameter of {name} is named twice.", column, match.end())
        self[name] = Macro(name, parameters, rest, words(text[match.end():].strip()), f"{place.path}:{place.line}")

    def concern(self, line: str) -> bool:
        """Return whether any word of the line is a macro."""
        names = _NAMES.findall(line)
        return not self.keys().isdisjoint(names) or ("__" in line and not _SPECIAL.isdisjoint(names))

    def expand(self, line: str, place: Line) -> Line:
        """Return the line with its macros expanded, as a place whose origin leads back; UnclosedCall if it must go
        on."""
        tokens = self._expand(_tokens(line), place, complete=False)
        segments: list[TextSegment] = []
        text: list[str] = []
        at = 0
        names: dict[str, None] = {}
        for token in tokens:
            end = at + len(token.text)
            exact = not token.macro
            if token.macro:
                names[token.macro] = None
            last = segments[-1] if segments else None
            if last is not None and exact and last.exact and last.column + last.end - last.start == token.column:
                segments[-1] = last._replace(end=end, width=last.width + len(token.text))
            elif last is not None and not exact and (last.macro, last.column) == (token.macro, token.column):
                segments[-1] = last._replace(end=end)
            else:
                segments.append(TextSegment(at, end, token.column, token.width, token.macro, exact))
            text.append(token.text)
            at = end
        result = "".join(text)
        where = ", ".join(f"{n} ({self[n].location})" if n in self else n for n in list(names)[:4])
        note = f"In the expansion of macro {where}: {_short(result)}"
        made = [n for n in names if n in self and self[n].parameters is not None]
        first = segments[0] if segments else None
        return Line(place.path, place.line, result, Origin(place, first, segments, note, where if made else ""))

    def expand_text(self, text: str, place: Line) -> str:
        """Text with its macros expanded, for #if and #include."""
        return "".join(token.text for token in self._expand(_tokens(text), place, complete=True))

    def _expand(self, tokens: list[_Token], place: Line, *, complete: bool,
                budget: list[int] | None = None, depth: int = 0) -> list[_Token]:
        """complete: the end of the tokens is the end of everything, so an open call is no call.

        depth   calls in whose arguments these tokens stand
        """
        budget = [MAX_EXPANSION_LENGTH] if budget is None else budget
        pending = tokens[::-1]
        done: list[_Token] = []
        while pending:
            token = pending.pop()
            budget[0] -= 1
            if budget[0] < 0:
                raise place.error(f"The macros of this line expand to more than {MAX_EXPANSION_LENGTH:,} words.",
                                  token.column, token.width)
            macro = self.get(token.text) if token.is_name and token.text not in token.hidden else None
            if macro is None:
                done.append(self._special(token, place) if token.text[:2] == "__" else token)
                continue
            use = token._replace(macro=token.macro or token.text)
            hidden = token.hidden | {macro.name}
            if macro.parameters is None:
                pending += [_Token(t, hidden, use.column, use.width, use.macro) for t in reversed(_pasted(macro.body))]
                continue
            arguments = _arguments(pending, place, token, complete)
            if arguments is None:
                done.append(token)
                continue
            if depth >= MAX_MACRO_DEPTH:
                raise place.error(f"Macro arguments are nested deeper than {MAX_MACRO_DEPTH} levels.",
                                  token.column, token.width)
            body = self._substitute(macro, arguments, use, hidden, place, budget, depth)
            pending += body[::-1]
        return done

    @staticmethod
    def _special(token: _Token, place: Line) -> _Token:
        if token.text == "__LINE__":
            return token._replace(text=str(place.line), macro=token.macro or "__LINE__")
        if token.text == "__FILE__":
            quoted = place.path.replace("\\", "\\\\").replace('"', '\\"')
            return token._replace(text=f'"{quoted}"', macro=token.macro or "__FILE__")
        return token

    def _substitute(self, macro: Macro, arguments: list[list[_Token]], use: _Token, hidden: frozenset[str],
                    place: Line, budget: list[int], depth: int) -> list[_Token]:
        given = self._matched(macro, arguments, place, use)
        expanded: dict[str, list[_Token]] = {}
        result: list[_Token] = []
        body = macro.body
        at = 0

        def own(text: str) -> _Token:
            return _Token(text, hidden, use.column, use.width, use.macro)

        while at < len(body):
            text = body[at]
            behind = _next(body, at)
            if text == "#" and behind < len(body) and body[behind] in given:
                string = "".join(t.text for t in given[body[behind]]).strip()
                result.append(own('"' + string.replace("\\", "\\\\").replace('"', '\\"') + '"'))
                at = behind + 1
            elif text == "##" and result and behind < len(body):
                while result and result[-1].text.isspace():
                    result.pop()
                right = given[body[behind]] if body[behind] in given else [own(body[behind])]
                if body[behind] == macro.variadic and result and result[-1].text == ",":
                    if not right:  # GNU: a comma before ## and no further arguments goes away
                        result.pop()
                    result += right
                elif right:
                    left = result.pop() if result else own("")
                    result += [own(t) for t in words(left.text + right[0].text)] + list(right[1:])
                at = behind + 1
            elif text in given:
                if behind < len(body) and body[behind] == "##":
                    result += given[text]
                else:
                    if text not in expanded:
                        expanded[text] = self._expand(list(given[text]), place, complete=True, budget=budget,
                                                      depth=depth + 1)
                    result += [t._replace(hidden=t.hidden | hidden) for t in expanded[text]]
                at += 1
            else:
                result.append(own(text))
                at += 1
            budget[0] -= 1
            if budget[0] < 0 or len(result) > MAX_EXPANSION_LENGTH:
                raise place.error(f"The macros of this line expand to more than {MAX_EXPANSION_LENGTH:,} "
                                  "words.", use.column,
                                  use.width)
        return result

    @staticmethod
    def _matched(macro: Macro, arguments: list[list[_Token]], place: Line, use: _Token) -> dict[str, list[_Token]]:
        names = macro.parameters or ()
        if not names and macro.variadic is None and len(arguments) == 1 and not arguments[0]:
            arguments = []
        if len(arguments) < len(names) or (macro.variadic is None and len(arguments) > len(names)):
            raise place.error(f"{macro.name} takes {len(names)} argument{'s' * (len(names) != 1)}"
                              f"{' and more' if macro.variadic else ''} ({', '.join(names)}; {macro.location}), and "
                              f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'} given.", use.column,
                              use.width)
        given = dict(zip(names, arguments, strict=False))
        if macro.variadic is not None:
            rest: list[_Token] = []
            for argument in arguments[len(names):]:
                if rest:
                    rest.append(_Token(",", _NOTHING, use.column, use.width, use.macro))
                rest += argument
            given[macro.variadic] = rest
        return given


def _tokens(line: str) -> list[_Token]:
    return [_Token(m.group(), _NOTHING, m.start() + 1, m.end() - m.start(), "") for m in _TOKEN.finditer(line)]


def _next(body: tuple[str, ...], at: int) -> int:
    """The next token that is no blank."""
    at += 1
    while at < len(body) and body[at].isspace():
        at += 1
    return at


def _pasted(body: tuple[str, ...]) -> list[str]:
    """The body of an object-like macro with its ## done."""
    if "##" not in body:
        return list(body)
    result: list[str] = []
    at = 0
    while at < len(body):
        behind = _next(body, at)
        if body[at] == "##" and result and behind < len(body):
            while result and result[-1].isspace():
                result.pop()
            result += words((result.pop() if result else "") + body[behind])
            at = behind + 1
        else:
            result.append(body[at])
            at += 1
    return result


def _arguments(pending: list[_Token], place: Line, name: _Token, complete: bool) -> list[list[_Token]] | None:
    """Take `( ... )` off the pending tokens (a stack): the arguments, or None if no parenthesis follows."""
    at = len(pending) - 1
    while at >= 0 and pending[at].text.isspace():
        at -= 1
    if at < 0 or pending[at].text != "(":
        return None
    depth, at = 1, at - 1
    arguments: list[list[_Token]] = [[]]
    while at >= 0:
        token = pending[at]
        at -= 1
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
            if depth == 0:
                del pending[at + 1:]
                return [_stripped(argument) for argument in arguments]
        if token.text == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(token)
    if complete:
        raise place.error(f"The arguments of {name.text} need a closing `)`.", name.column, name.width)
    raise UnclosedCall(f"The arguments of {name.text} need a closing `)`.")


def _stripped(tokens: list[_Token]) -> list[_Token]:
    low, high = 0, len(tokens)
    while low < high and tokens[low].text.isspace():
        low += 1
    while high > low and tokens[high - 1].text.isspace():
        high -= 1
    return tokens[low:high]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:97] + "..."
