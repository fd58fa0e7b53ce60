"""Lines that fit the width of the terminal: a table is made narrower, then cut into parts; sentences are wrapped.

What is printed is looked at block by block, between blank lines. Lines that fit are left as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

__all__ = ["fit", "paper", "raw", "width"]

NARROW, GAP = 24, 2  # least columns of a text beside other cells; blanks between columns


def width() -> int | None:
    """Columns to print in: those of the terminal, or COLUMNS; None in files and pipes, whose lines may be long."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        return None
    return max(shutil.get_terminal_size().columns, 20)


def raw(text: str) -> None:
    """Write a text as it is, whatever the width: a program."""
    sys.stdout.flush()
    (sys.stdout.under if isinstance(sys.stdout, _Paper) else sys.stdout).write(text)


@contextmanager
def paper(columns: int) -> Iterator[None]:
    """What is printed in here fits so many columns."""
    sheet = _Paper(sys.stdout, columns)
    sys.stdout = sheet
    try:
        yield
    finally:
        sys.stdout = sheet.under
        sheet.flush()


class _Paper:
    """A standard output that keeps a block until it ends, or until it is flushed."""

    def __init__(self, under: Any, columns: int) -> None:
        self.under, self.columns, self.kept = under, columns, ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.under, name)

    def write(self, text: str) -> int:
        self.kept += text
        done, blank, rest = self.kept.rpartition("\n\n")
        if blank:
            self.under.write(fit(done, self.columns) + blank)
            self.kept = rest
        return len(text)

    def flush(self) -> None:
        whole, end, rest = self.kept.rpartition("\n")
        if end:
            self.under.write(fit(whole, self.columns) + end)
        self.under.write(fit(rest, self.columns))
        self.kept = ""
        self.under.flush()


def fit(text: str, columns: int) -> str:
    """The text with no line longer than so many columns, but for words that are.

    A run of lines with cells (two blanks or more between them) is a table: it is squeezed; its last cells are wrapped,
    if they are sentences; or it is cut into parts that repeat the first column. Other lines are wrapped at words.

    >>> print(fit("name      what it is\\na53       a core that is in order", 24))
    name  what it is
    a53   a core that is in
          order
    """
    lines = text.split("\n")
    if max(map(len, lines)) <= columns:
        return text
    found: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _has_cells(lines[end]):
            end += 1
        run = lines[at:end] or list(takewhile(lambda line: line.startswith("|"), lines[at:])) or lines[at:at + 1]
        at += len(run)
        if max(map(len, run)) <= columns:
            found += run
        elif run[0].startswith("|"):
            found += _bars(run, columns)
        elif len(run) > 1:
            found += _table(run, columns)
        else:
            found += _line(run[0], columns)
    return "\n".join(found)


def _has_cells(line: str) -> bool:
    return re.search(r"\S {2,}\S", line) is not None


def _table(lines: list[str], columns: int) -> list[str]:
    """A run of lines with cells, in their common columns."""
    cuts = _cuts(lines)
    if len(cuts) < 2:
        return [part for line in lines for part in _line(line, columns)]
    rows = [[line[start:end] for start, end in cuts] for line in lines]
    for k in range(len(cuts)):
        _squeeze(rows, k)
    if sum(_wide(rows)) + GAP * (len(cuts) - 1) <= columns:
        return [_joined(row) for row in rows]
    room = columns - sum(_wide(rows)[:-1]) - GAP * (len(cuts) - 1)
    if any(" " in row[-1].strip() for row in rows) and room >= NARROW:
        return _wrapped_last(rows, room)
    return _parts(rows, columns)


def _bars(lines: list[str], columns: int) -> list[str]:
    """A table whose cells are between bars: the same without them."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.strip("|-: ")]
    most = max(map(len, rows))
    rows = [[*row, *[""] * (most - len(row))] for row in rows]
    for k in range(most):
        _squeeze(rows, k)
    return _table([_joined(row) for row in rows], columns)


def _cuts(lines: list[str]) -> list[tuple[int, int]]:
    """(start, end) of the columns: they are apart where every line is blank, two places or more."""
    longest = max(map(len, lines))
    used = [any(len(line) > at and line[at] != " " for line in lines) for at in range(longest)]
    # A first cell keeps its indentation.
    found, start = [], 0
    for blank in re.finditer(r"0{2,}", "".join(str(int(u)) for u in used)):
        if blank.start() and any(used[:blank.start()]):
            found.append((start, blank.start()))
            start = blank.end()
    return [*found, (start, longest)]


def _squeeze(rows: list[list[str]], k: int) -> None:
    """Take the blanks off that all cells of a column have before or behind."""
    before = min((len(row[k]) - len(row[k].lstrip()) for row in rows if row[k].strip()), default=0) if k else 0
    for row in rows:
        row[k] = row[k][before:].rstrip()
    wide = max(len(row[k]) for row in rows)
    for row in rows:
        row[k] = row[k].ljust(wide)


def _wide(rows: list[list[str]]) -> list[int]:
    return [len(cell) for cell in rows[0]]


def _joined(row: list[str]) -> str:
    return (" " * GAP).join(row).rstrip()


def _wrapped_last(rows: list[list[str]], room: int) -> list[str]:
    """Every row's last cell in several lines, under itself."""
    found = []
    for row in rows:
        last = textwrap.wrap(row[-1], room, break_long_words=False, break_on_hyphens=False) or [""]
        found.append(_joined([*row[:-1], last[0]]))
        found += [" " * (len(_lead(row))) + line for line in last[1:]]
    return found


def _lead(row: list[str]) -> str:
    return "".join(cell + " " * GAP for cell in row[:-1])


def _parts(rows: list[list[str]], columns: int) -> list[str]:
    """The table in parts, each with the first column; a first column that is wide stands on lines of its own."""
    wide = _wide(rows)
    first = wide[0]
    if first + GAP + max(wide[1:]) > columns or (first > columns // 2 and len(wide) > 3):
        found, before = [], ""
        for row in rows:
            if row[0].strip() and row[0] != before:  # rows of one name stand under it
                found += _line(row[0].rstrip(), columns)
            before = row[0]
            found += [line for part in _groups([0, *wide[1:]], columns)
                      for line in _line(_joined(["", *(row[k] for k in part)]), columns) if line.strip()]
        return found
    found = []
    for part in _groups(wide, columns):
        if found:
            found.append("")
        found += [line for row in rows for line in _line(_joined([row[0], *(row[k] for k in part)]), columns)]
    return found


def _groups(wide: list[int], columns: int) -> list[list[int]]:
    """Which columns after the first go together."""
    groups: list[list[int]] = []
    used = columns + 1
    for k in range(1, len(wide)):
        if used + GAP + wide[k] > columns:
            groups.append([])
            used = wide[0]
        groups[-1].append(k)
        used += GAP + wide[k]
    return groups


def _line(line: str, columns: int) -> list[str]:
    """A sentence, or a row of its own: broken at blanks, what follows indented a little more."""
    if len(line) <= columns:
        return [line]
    indent = re.match(r" *(?:[-*] )?", line)
    lead = len(indent[0]) if indent else 0
    cells = re.match(r" *\S+(?: \S+)* {2,}(?=\S)", line)
    if cells and len(cells[0]) <= columns - NARROW and not re.search(r"\S {2,}\S", line[cells.end():]):
        behind = " " * len(cells[0])
    else:
        behind = " " * min(lead + (2 if line.startswith(" ") and not (indent and indent[0].strip()) else 0),
                           columns // 2)
    return textwrap.wrap(line, columns, subsequent_indent=behind, break_long_words=False, break_on_hyphens=False,
                         drop_whitespace=True, replace_whitespace=False) or [line]
