"""Assembly as Clang writes it for macOS: read as if it were GNU syntax.

| written there                         | read as                                            |
|---------------------------------------|----------------------------------------------------|
| `; ...`                               | a comment (in GNU syntax it ends a statement)      |
| `add.4s v0, v1, v2`                   | `add v0.4s, v1.4s, v2.4s`                          |
| `smlal2.4s v0, v1, v2[3]`             | `smlal2 v0.4s, v1.8h, v2.h[3]`: what fits          |
| `_f@PAGE`, `_f@PAGEOFF`               | `_f`, `:lo12:_f` (see `assembler`)                 |
| `.section __TEXT,__text`, `_f:`       | as they are; a call finds `f` under `_f` too       |

A text is taken for one of these by its directives. Source: LLVM, AArch64 (asm syntax variant 1); tried with Clang 14,
--target=arm64-apple-macos.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

__all__ = ["has_suffix", "is_apple", "readings", "without_comments"]

_MARK: Final = re.compile(r"^[ \t]*\.(?:build_version|\w+_version_min|subsections_via_symbols|section[ \t]+__TEXT)",
                          re.MULTILINE | re.ASCII)
_COMMENT: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?(?:\*/|\Z)|;[^\n]*', re.DOTALL)
_SUFFIX: Final = re.compile(r"([a-z]\w*)\.(8b|16b|4h|8h|2s|4s|1d|2d|1q|b|h|s|d)\Z", re.ASCII)
_REGISTER: Final = re.compile(r"\b([vV](?:[12]?\d|3[01]))\b(?![.\w])(\s*\[)?", re.ASCII)
_SCALAR: Final = re.compile(r"\s*([bhsdBHSD])\d+\b", re.ASCII)
_ARRANGEMENTS: Final = ("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d", "1q")
_LETTERS: Final = ("b", "h", "s", "d")


def is_apple(text: str) -> bool:
    """Return whether a text looks like what Clang writes for macOS."""
    return _MARK.search(text) is not None


def without_comments(text: str) -> str:
    """Return the text with what is behind a semicolon as blanks."""
    return _COMMENT.sub(lambda m: " " * len(m[0]) if m[0][0] == ";" else m[0], text)


def has_suffix(head: str) -> bool:
    """Return whether a mnemonic has the arrangement of its operands behind it: fmla.4s."""
    return _SUFFIX.match(head.lower()) is not None


def readings(head: str, rest: str) -> Iterator[tuple[str, str]]:
    """(mnemonic, operands) that `fmla.4s v0, v1, v2[1]` may stand for, the likeliest first; none of other lines.

    The suffix is that of one operand, mostly of the first; the others are of the same arrangement, or all of another.
    """
    found = _SUFFIX.match(head.lower())
    registers = list(_REGISTER.finditer(rest))
    scalar = None if found else _SCALAR.match(rest)  # mov s1, v0[2]
    if not registers or not (found or scalar):
        return
    mnemonic, given = (found[1], found[2]) if found else (head, scalar[1].lower() if scalar else "")
    lanes = [match[2] is not None for match in registers]
    whole = [given] if given in _ARRANGEMENTS else []
    same = [(_LETTERS if lane else (given,)) for lane in lanes]
    tries: list[Iterator[tuple[str, ...]]] = []
    letter = given[-1]
    own = tuple(letter if lane else (given if whole else "") for lane in lanes)
    tries += [iter([own]), iter([(letter,) * len(lanes)])]
    if whole:
        tries.append(product(*same))
        for other in _ARRANGEMENTS:
            rows = [(_LETTERS if lane else (given,) if at == 0 else (other,)) for at, lane in enumerate(lanes)]
            tries.append(product(*rows))
        for other in _ARRANGEMENTS:
            rows = [(_LETTERS if lane else (other,) if at == 0 else (given,)) for at, lane in enumerate(lanes)]
            tries.append(product(*rows))
        if len(registers) == 3:  # SADDW.8H v0, v1, v2: the last one is narrower
            for other in _ARRANGEMENTS:
                tries.append(iter([(given, given, other)]))
    else:
        for other in ("", *_ARRANGEMENTS):
            tries.append(product(*[((letter,) if lane else (other,)) for lane in lanes]))
            tries.append(product(*[((letter,) if lane or at else (other,)) for at, lane in enumerate(lanes)]))
    seen: set[tuple[str, ...]] = set()
    for kinds in (one for some in tries for one in some):
        if kinds in seen:
            continue
        seen.add(kinds)
        names = iter(kinds)

        def render_word(match: re.Match[str], names: Iterator[str] = names) -> str:
            kind = next(names)
            return match[1] + (f".{kind}" if kind else "") + (match[2] or "")
        yield mnemonic, _REGISTER.sub(render_word, rest)
