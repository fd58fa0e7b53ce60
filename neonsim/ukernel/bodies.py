"""Bodies that several kernels share, put in place: the text of one kernel, to be read from top to bottom.

A kernel file keeps its header, says by `#define` what is its own, and includes the rest:

    #define KERNEL qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane
    #define MULTIPLY multiply x0, x2
    #define RNDNU
    #include "bodies/gemm_4x16_aarch64.h"

Assemblers read that by the C preprocessor. Readers are shown what it makes of the body, comments and all; macros of
`include/` keep their names. The comment at the top of a body is for those who include it, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from neonsim.arm.asm.text.cpp_expression import ConditionError, evaluate

__all__ = ["bodies_in", "with_bodies"]

_BODY = re.compile(r'#include "(bodies/\w+\.h)"$', re.M)
_DIRECTIVE = re.compile(r"#(define|undef|if|ifdef|ifndef|elif|else|endif)\b\s*(.*)")
_DEFINED = re.compile(r"\bdefined (\w+)")
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=2048)
def bodies_in(text: str) -> tuple[str, ...]:
    """The bodies that a text includes, as `bodies/NAME.h`."""
    return tuple(_BODY.findall(text))


def with_bodies(text: str, bodies: Mapping[str, str]) -> str:
    """A kernel's text with its body in place, as one would write it for this kernel alone.

    bodies   {name as `bodies_in` gives it: text}, also of those that bodies include

    What this cannot read stays as it is, for the assembler to complain of.

    >>> print(with_bodies("#define AT x5\\n#include \\"bodies/b.h\\"", {"bodies/b.h": "// AT\\n\\nldr q0, [AT] // AT"}))
    ldr q0, [x5] // AT
    """
    try:
        return "\n".join(_lines(text, bodies, {}))
    except ConditionError:
        return text


def _lines(text: str, bodies: Mapping[str, str], words: dict[str, str]) -> Iterator[str]:
    """words   {name: what #define says}, so far"""
    conditions: list[tuple[bool, bool, str]] = []   # open ones: taken, this part or one before it, the line
    for line in text.split("\n"):
        directive = _DIRECTIVE.match(line)
        word, rest = directive.groups() if directive else ("", "")
        if word in ("if", "ifdef", "ifndef"):
            holds = _holds(word, rest, words)
            conditions.append((holds, holds, line))
        elif word in ("elif", "else") and conditions:
            _, before, opening = conditions.pop()
            holds = not before and (word == "else" or _holds(word, rest, words))
            conditions.append((holds, before or holds, opening))
        elif word == "endif" and conditions:
            conditions.pop()
        elif not all(taken for taken, _, _ in conditions):
            continue
        elif word == "define":
            name, _, meaning = rest.partition(" ")
            words[name] = meaning.partition("//")[0].strip()
        elif word == "undef":
            words.pop(rest, None)
        elif (found := _BODY.match(line)) and found[1] in bodies:
            body = bodies[found[1]].partition("\n\n")[2].rstrip("\n")
            others = {name: text for name, text in bodies.items() if name != found[1]}
            yield from _lines(body, others, words)
        else:
            code, slashes, comment = line.partition("//")
            said = _said(code, words)
            if said != code and comment:        # comments keep their column
                said = f"{said.rstrip()} ".ljust(len(code))
            yield said + slashes + comment
    yield from (opening for _, _, opening in conditions)    # never closed


def _holds(word: str, rest: str, words: Mapping[str, str]) -> bool:
    if word in ("ifdef", "ifndef"):
        return (rest.strip() in words) == (word == "ifdef")
    return evaluate(_said(_DEFINED.sub(lambda match: str(int(match[1] in words)), rest), words)) != 0


def _said(code: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: words.get(match[0], match[0]), code)
