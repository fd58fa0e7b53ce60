"""Heat maps of classes: which kernel is best, by shape and core. A cell has a colour and a letter, so that readers
need not to tell colours apart, and says its numbers when it is pointed at; the picture says which class has how many
cells."""

from __future__ import annotations

from collections import Counter
from string import ascii_uppercase
from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.svg import SERIES, Drawing, Picture

if TYPE_CHECKING:
    from neonsim.studies.kernels import Heat

__all__ = ["heat_map"]

HIGH, GAP, TOP, MIN_WIDTH, MAX_WIDTH = 19, 1, 84, 52, 96  # px of a cell, between two, above all; widths of a cell
LETTER, LINE = 6.7, 18                                  # px of a letter, of a line of the legend


def letter(number: int) -> str:
    """A, B, ... Z, A1, B1, ..."""
    return ascii_uppercase[number % 26] + (str(number // 26) if number >= 26 else "")


def heat_map(figure: Heat, title: str) -> Picture:
    """Draw it.

    Raises BadArgument if there is nothing to draw.
    """
    counts = Counter(cell[0] for row in figure.cells for cell in row if cell is not None)
    if not counts:
        raise BadArgument("A heat map needs cells.")
    left = 22 + LETTER * max(len(name) for name in figure.rows)
    words = max(len(name) for name in figure.columns)
    wide = min(max(MIN_WIDTH, LETTER * words + 8), MAX_WIDTH)
    drawing = Drawing()
    drawing.text(14, 22, title, bold=True, mono=False, size=13)
    under = f"rows: {figure.row_label}; columns: {figure.column_label}"
    drawing.text(14, 40, under, "soft", size=11, mono=False)
    # Long names stand under each other, in turn.
    crowded = LETTER * words > wide
    for c, name in enumerate(figure.columns):
        drawing.text(left + (c + 0.5) * wide, TOP - 8 - 15 * (crowded and c % 2), name, size=11, anchor="middle",
                     mono=False)
    for r, (name, row) in enumerate(zip(figure.rows, figure.cells, strict=True)):
        y = TOP + r * HIGH
        drawing.text(left - 8, y + 13, name, "soft", size=11, anchor="end")
        for c, cell in enumerate(row):
            if cell is None:
                continue
            number, word, said = cell
            drawing.rect(left + c * wide, y, wide - GAP, HIGH - GAP, f"mark-{number % len(SERIES)}", radius=2,
                         title=f"{name}, {figure.columns[c]}: {said}")
            drawing.text(left + (c + 0.5) * wide, y + 13, f"{letter(number)} {word}".rstrip(), "paper-ink", size=10,
                         anchor="middle")
    y = TOP + len(figure.rows) * HIGH + 24
    for number, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        drawing.rect(14, y - 12, 26, 15, f"mark-{number % len(SERIES)}", radius=2)
        drawing.text(27, y, letter(number), "paper-ink", size=10, anchor="middle")
        drawing.text(48, y, f"{figure.legend[number]}: {count} of {sum(counts.values())}", size=11, mono=False)
        y += LINE
    width = max(left + wide * len(figure.columns) + 14, 28 + 8.2 * len(title), 28 + 6.4 * len(under),
                60 + 7.0 * max(len(name) + 14 for name in figure.legend))
    most = ", ".join(f"{figure.legend[number]} in {count}" for number, count in counts.most_common())
    return drawing.finish(width, y, f"{title}. {len(figure.rows)} rows ({figure.row_label}) by {len(figure.columns)} "
                                    f"columns ({figure.column_label}), {sum(counts.values())} cells: {most}.")
