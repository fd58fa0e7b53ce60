"""`neonsim isa coverage`: Arm's list against what is here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from neonsim.arm.isa.coverage import ArmForm, families, listed, out_of_scope
from neonsim.errors import BadArgument

from .options import print_json

__all__ = ["coverage_rows", "show_coverage"]

Counts = tuple[int, int, int, int, str]  # mnemonics here, mnemonics, shapes here, shapes; what is to be said of it


def coverage_rows(selected: Sequence[str]) -> dict[str, dict[str, Counts]]:
    """{family: {isa: (mnemonics here, all mnemonics, shapes here, all shapes, note)}}, in the order of the list."""
    found: dict[str, dict[str, Counts]] = {}
    for isa in selected:
        for family, rows in families(isa).items():
            found.setdefault(family, {})[isa] = _counts(rows)
    return found


def _counts(rows: list[ArmForm]) -> Counts:
    here = [row for row in rows if row.is_implemented]
    note = "left out" if rows[0].out_of_scope else "not yet" if not here else "partly" if len(here) < len(rows) else ""
    return len({row.mnemonic for row in here}), len({row.mnemonic for row in rows}), len(here), len(rows), note


def show_coverage(selected: Sequence[str], family: str | None, as_json: bool) -> int:
    """Print the table of all families, or one family's instructions."""
    if family:
        return _family(selected, family, as_json)
    table = coverage_rows(selected)
    if as_json:
        names = ("instructions", "of", "forms", "of_forms", "note")
        print_json({"families": {name: {isa: dict(zip(names, counts, strict=True)) for isa, counts in row.items()}
                                 for name, row in table.items()},
                    "left_out": {isa: out_of_scope(isa) for isa in selected}})
        return 0
    total = {isa: (*_counts(list(listed(isa)))[:4], "") for isa in selected}
    head = ["family", *(word for isa in selected for word in (f"{isa}:", "instructions", "forms"))]
    rows = [[name, *(cell for isa in selected for cell in _cells(row.get(isa)))] for name, row in table.items()]
    rows.append(["all", *(cell for isa in selected for cell in _cells(total[isa]))])
    print(_table([head, *rows]))
    print("\nA form is a way of writing the operands; of base instructions the mnemonics are counted. `neonsim isa "
          "coverage FAMILY`\nsays which are here. Left out:")
    sentences = {text: [isa for isa in selected if text in out_of_scope(isa)] for isa in selected for text
                 in out_of_scope(isa)}
    for text, where in sentences.items():
        only = "" if len(where) == len(selected) else f" ({where[0]})"
        print(textwrap.fill(text + only, 116, initial_indent="  - ", subsequent_indent="    "))
    return 0


def _cells(counts: Counts | None) -> tuple[str, str, str]:
    """What is to be said of a family, its instructions, its forms."""
    if counts is None:
        return "", "", ""
    here, of, shapes, of_shapes, note = counts
    return note, f"{here:d} of {of:3d}", f"{shapes:d} of {of_shapes:4d}"


def _table(rows: list[list[str]]) -> str:
    """Words to the left, counts to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.rjust(w) if k % 3 != 1 and k else cell.ljust(w)
                               for k, (cell, w) in enumerate(zip(row, wide, strict=True))).rstrip() for row in rows)


def _family(wanted: Sequence[str], family: str, as_json: bool) -> int:
    names = list(coverage_rows(wanted))
    chosen = [name for name in names if family.lower() == name.lower()] or [
        name for name in names if family.lower() in name.lower()]
    if not chosen:
        raise BadArgument(f"unknown family {family!r} in Arm's list; use {'; '.join(names)}.")
    if as_json:
        print_json({name: {isa: {"here": _shapes(row for row in rows if row.is_implemented),
                                 "not_here": _shapes(row for row in rows if not row.is_implemented)}
                           for isa in wanted if (rows := families(isa).get(name))} for name in chosen})
        return 0
    for name in chosen:
        for isa in wanted:
            rows = families(isa).get(name, [])
            if rows:
                print(f"{name}, {isa}: {_counts(rows)[0]} of {_counts(rows)[1]} instructions")
                _lines("here", [row for row in rows if row.is_implemented])
                _lines("left out" if rows[0].out_of_scope else "not yet",
                       [row for row in rows if not row.is_implemented])
    return 0


def _shapes(rows: Iterable[ArmForm]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row.mnemonic, []).append(row.shape)
    return found


def _lines(title: str, rows: list[ArmForm]) -> None:
    if not rows:
        return
    print(f"  {title}")
    shapes = _shapes(rows)
    if all(not row.shape for row in rows):
        print(textwrap.fill(" ".join(shapes), 116, initial_indent="    ", subsequent_indent="    "))
        return
    for mnemonic, written in shapes.items():
        print(textwrap.fill(f"{mnemonic:14s} {'  '.join(written)}", 116, initial_indent="    ",
                            subsequent_indent=" " * 19))
