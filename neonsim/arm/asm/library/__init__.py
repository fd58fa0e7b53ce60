"""Functions that are built in: what compilers call and take for granted, as text for the assembler.

library.c says what they are; aarch64.s and aarch32.s are what GCC makes of it, in parts, each with the names it begins
with. A program that names one of them and has none of its own gets it, with what that needs, behind its own text; in
traces, listings of steps and errors it has its name. docs/library.md says which are exact and how near the others come.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["OWN", "SECTION", "built_in", "text_of"]

OWN: Final = ".Lneonsim_"     # begins the labels inside, which no other text has
SECTION: Final = ".neonsim."  # begins the sections of their constants
_LABEL: Final = re.compile(r"^([\w.]+):", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Za-z_.][\w.]*")


@cache
def _parts(isa: str) -> tuple[dict[str, int], list[tuple[str, frozenset[str]]]]:
    """({label: its part}, [(text, words in it)])."""
    text = (Path(__file__).parent / f"{isa}.s").read_text(encoding="utf-8")
    pieces = text.partition("\n\n")[2].split("\n\n")
    where = {name: number for number, piece in enumerate(pieces) for name in _LABEL.findall(piece)}
    return where, [(piece.strip(), frozenset(_WORD.findall(piece)) & where.keys()) for piece in pieces]


@cache
def built_in(isa: str) -> frozenset[str]:
    """Return the functions there are for an instruction set."""
    return frozenset(name for name in _parts(isa)[0] if not name.startswith(OWN))


def text_of(isa: str, functions: Collection[str], excluded: Collection[str]) -> str:
    """Return the functions `functions` and all that they call, in the library's order, without the `excluded`."""
    where, pieces = _parts(isa)
    chosen: set[int] = set()
    names = [name for name in functions if name in where]
    while names:
        number = where[names.pop()]
        if number not in chosen:
            chosen.add(number)
            names += pieces[number][1] - set(excluded)
    return "\n".join(pieces[number][0] for number in sorted(chosen))
