"""What every study returns: a title, a table, notes on what it shows, a figure as data (drawn by `render.charts`)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from neonsim.common.fileio import write_file

__all__ = ["PLACES", "Bars", "Heat", "Lines", "Quoted", "Report", "Series", "Table", "by_column", "cell", "short",
           "text_table"]

Table = tuple[list[str], list[list[str]]]
# Where a figure can stand; what follows from a formula, or from a rule of a library's, is ours where it is not
# published.
PLACES = ("article", "paper", "library's page", "library's code", "core's file", "ours")


class Quoted(NamedTuple):
    """Figures of others in a study.

    subject  str   which: a column, a row, what the notes say
    stands   str   in what they stand, of PLACES
    attribution  str   in words
    """

    subject: str
    stands: str
    attribution: str


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a figure: its name, (x, y) pairs, whether it is measured (drawn dashed, with open marks)."""

    name: str
    points: tuple[tuple[float, float], ...]
    measured: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """A figure of lines over a logarithmic x. `rules`: (y, text) of horizontal lines; `marks`: (series, x, text)."""

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    rules: tuple[tuple[float, str], ...] = ()
    marks: tuple[tuple[str, float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Bars:
    """A figure of groups of bars: (group, values), one value a legend entry, None where there is none.

    measured   legend entries that are measured, not modelled (drawn hollow)
    """

    y_label: str
    legend: tuple[str, ...]
    groups: tuple[tuple[str, tuple[float | None, ...]], ...]
    rules: tuple[tuple[float, str], ...] = ()
    measured: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heat:
    """A figure of cells, each of a class: rows by columns, None where there is nothing.

    legend   the classes; a cell has the number of its class, a word to stand in it, and a sentence
    """

    row_label: str
    column_label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    legend: tuple[str, ...]
    cells: tuple[tuple[tuple[int, str, str] | None, ...], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A study that has been made: its numbers as text, as plain values, as a picture, as a page, in a notebook.

    title     str             one line; says what is modelled and what measured
    notes     str             what there is to see, and where the study is not to be trusted
    table     Table           the numbers as text: (head, rows)
    figure    Lines | ...     as data
    printed   (Table, ...)    the numbers for reading, in tables that fit a page; none: `table` is one
    details   {str: Any}      plain values that JSON has beside the table
    quoted    (Quoted, ...)   figures that are others'; all the rest are ours
    skipped   (str, ...)      sentences: which cores are not in it, and what they lack
    attribution  str             whose the figures are; by default what `quoted` says
    data      Any             the numbers that it was made of, for further questions
    """

    title: str
    notes: str
    table: Table
    figure: Lines | Bars | Heat
    _: KW_ONLY
    printed: Sequence[Table] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    quoted: Sequence[Quoted] = ()
    skipped: Sequence[str] = ()
    attribution: str = ""
    data: Any = None

    @property
    def tables(self) -> Sequence[Table]:
        """What there is to read."""
        return self.printed or (self.table,)

    @property
    def remarks(self) -> str:
        """The notes, whose the figures are, and what was left out."""
        others = "; ".join(f"{one.subject}: {one.attribution} ({one.stands})" for one in self.quoted)
        whose = self.attribution or (f"Figures of others, quoted. {others}. All the rest are ours." if others else
                                     "All figures are ours; none is quoted.")
        return "\n".join([self.notes, whose, *self.skipped])

    def picture(self) -> Any:
        """Return the figure as an SVG `Picture`. (Drawn by `neonsim.render`, imported only here.)"""
        return import_module("neonsim.render.charts").chart(self.figure, self.title)

    def to_html(self, path: str | Path) -> Path:
        """Write a page with figure, table and notes. -> the path."""
        return write_file(path, import_module("neonsim.render.charts").study_page(self))

    def _repr_html_(self) -> str:
        return str(import_module("neonsim.render.charts").study_cell(self))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"title": self.title, "notes": self.notes, "skipped": list(self.skipped),
                "quoted": [one._asdict() for one in self.quoted],
                "table": by_column(self.table), **self.details}

    def __str__(self) -> str:
        notes = [textwrap.fill(line, 110, subsequent_indent="  " if line.startswith("  ") else "")
                 for line in self.remarks.splitlines()]
        tables = [line for table in self.tables for line in (text_table(*table), "")]
        return "\n".join([self.title, *tables, *notes])

    __repr__ = __str__


def by_column(table: Table) -> list[dict[str, str]]:
    """Return the rows of a table as {head: cell}."""
    head, rows = table
    return [dict(zip(head, row, strict=True)) for row in rows]


def cell(value: float | None, form: str) -> str:
    """Return a number in a table; "-" where there is none."""
    return "-" if value is None else format(value, form)


def text_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table as lines: the first column to the left, the others to the right."""
    wide = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in
                               enumerate(zip(row, wide, strict=True))).rstrip() for row in (head, *rows))


def short(core: str) -> str:
    """Return a core's name over a narrow column.

    >>> short("cortex-a53"), short("neoverse-n1"), short("ideal-1")
    ('A53', 'N1', 'ideal-1')
    """
    number = core.rpartition("-")[2]
    return number.upper() if re.fullmatch(r"[a-z]\d+[a-z]*", number) else core
