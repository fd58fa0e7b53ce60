"""Arm's list of what Arm has, by Arm's names: `arm.txt` in the folder above, read.

What of it is here is for `arm.isa.coverage` to say; what is not is refused by its name (`refused`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Listed", "listed", "named"]

ISAS = ("aarch64", "aarch32")


@dataclass(frozen=True)
class Listed:
    """One shape of one of Arm's instructions, or a base instruction by its mnemonic (``shape`` is "").

    group      what the family is counted with in a table of few rows
    out_of_scope  of a family that neonsim leaves out for good
    """

    isa: str
    family: str
    mnemonic: str
    shape: str
    out_of_scope: bool = False
    group: str = ""


@cache
def listed(isa: str) -> tuple[Listed, ...]:
    """Every row of "aarch64" or "aarch32", in the order of the list."""
    rows: list[Listed] = []
    current = group = family = mark = ""
    for line in resources.files(__package__.rpartition(".")[0]).joinpath("arm.txt").read_text("utf-8").splitlines():
        if line in ISAS:
            current = line
        elif line[:2] == "* ":
            group = line[2:]
        elif line[:2] in ("= ", "! "):
            mark, family = line[0], line[2:]
        elif line and line[0] != "#" and current == isa:
            rows += [Listed(isa, family, mnemonic, shape, mark == "!", group) for mnemonic, shape in _shapes(line)]
    return tuple(rows)


def _shapes(line: str) -> list[tuple[str, str]]:
    words = line.split()
    if words[0] == "+":
        return [(word, "") for word in words[1:]]
    types = [word for word in words[1:] if word[0] == "."] or [""]
    return [(words[0] + type_, shape) for type_ in types for shape in words[1:] if shape[0] != "."]


@cache
def named(isa: str) -> dict[str, tuple[Listed, ...]]:
    """Return the rows of each mnemonic, lower case and without data types."""
    found: dict[str, list[Listed]] = {}
    for row in listed(isa):
        found.setdefault(row.mnemonic.partition(".")[0].lower(), []).append(row)
    return {mnemonic: tuple(rows) for mnemonic, rows in found.items()}
