"""Draw the pictures of docs/concepts.md: `python -m docs.website.concepts` writes them into notebooks/pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from neonsim.render.svg import Drawing, Picture

__all__ = ["FOLDER", "PICTURES"]

FOLDER: Final = Path(__file__).parents[2] / "notebooks" / "pictures"
CELL: Final = 18        # px, a side of an element


def _grid(drawing: Drawing, x: float, y: float, rows: int, columns: int,
          role: Callable[[int, int], str] = lambda row, column: "box") -> None:
    """Draw elements side by side; `role` colors each by its row and column."""
    for row in range(rows):
        for column in range(columns):
            drawing.rect(x + CELL * column, y + CELL * row, CELL - 2, CELL - 2, role(row, column), radius=2)


def _arrow(drawing: Drawing, x: float, y: float, to_x: float, to_y: float, role: str = "accent") -> None:
    """Draw a line with a dot at its end."""
    drawing.path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}", role, width=1.4)
    drawing.path(f"M{to_x - 3:g} {to_y:g}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z", role, width=2)


def _label(drawing: Drawing, x: float, y: float, text: str, role: str = "soft") -> None:
    drawing.text(x, y, text, role, size=12, anchor="middle", mono=False)


def requantization() -> Picture:
    """Draw the four steps from an accumulator to a byte, with the numbers of one example."""
    drawing = Drawing()
    accumulator, scale, zero_point = 25220, 0.006, 3
    product = accumulator * scale
    steps = (("accumulator", f"{accumulator}", "int32"), ("multiply", f"{product:.2f}", f"x {scale}"),
             ("round", f"{round(product)}", "to an integer"), ("add", f"{round(product) + zero_point}", "zero point 3"),
             ("clamp", f"{min(round(product) + zero_point, 127)}", "to -128..127"))
    for number, (name, value, detail) in enumerate(steps):
        x = 16 + 146 * number
        drawing.rect(x, 40, 118, 44, "read" if number == 0 else "write" if number == len(steps) - 1 else "box")
        drawing.text(x + 59, 68, value, size=16, anchor="middle", bold=True)
        _label(drawing, x + 59, 28, name, "ink")
        _label(drawing, x + 59, 102, detail)
        if number:
            _arrow(drawing, x - 27, 62, x - 4, 62)
    return drawing.finish(738, 118, f"Requantization: accumulator {accumulator}, times {scale} is {product:.2f}, "
                                    f"rounded {round(product)}, plus zero point {zero_point}, clamped to 127")


def tile() -> Picture:
    """Draw lhs, rhs and dst of a product, with what one tile of 4x8 reads and writes."""
    drawing, depth = Drawing(), 6
    _label(drawing, 86, 178, "lhs: 8 rows, depth 6", "ink")
    _grid(drawing, 32, 196, 8, depth, lambda row, column: "read" if row < 4 else "box")
    _label(drawing, 346, 20, "rhs: depth 6, 16 columns", "ink")
    _grid(drawing, 200, 34, depth, 16, lambda row, column: "read" if column < 8 else "box")
    _label(drawing, 400, 178, "dst: 8 rows, 16 columns", "ink")
    _grid(drawing, 200, 196, 8, 16, lambda row, column: "write" if row < 4 and column < 8 else "box")
    _arrow(drawing, 142, 231, 196, 231)
    _arrow(drawing, 271, 144, 271, 192)
    for line, text in enumerate(("one call of a 4x8 kernel:", "reads 4 rows of lhs", "and 8 columns of rhs,",
                                 "writes 4 x 8 results")):
        drawing.text(512, 214 + 20 * line, text, "ink" if line == 0 else "soft", size=12, mono=False)
    return drawing.finish(690, 354, "A tile of 4 rows and 8 columns: its rows of lhs, its columns of rhs, its results")


def panel() -> Picture:
    """Draw a weight matrix of depth 3 and 8 columns, and its two panels of four columns as they lie in memory."""
    drawing = Drawing()
    _label(drawing, 104, 22, "weights: depth 3, 8 columns", "ink")

    def role(column: int) -> str:
        return "read" if column < 4 else "bias"

    for k in range(3):
        for n in range(8):
            x, y = 32 + 2 * CELL * n / 2 * 1.1, 36 + CELL * k * 1.2
            drawing.rect(x, y, CELL, CELL, role(n), radius=2)
            drawing.text(x + CELL / 2, y + 13, f"{k}{n}", size=9, anchor="middle")
    _label(drawing, 96, 128, "panel 0: columns 0 to 3", "ink")
    _label(drawing, 420, 128, "panel 1: columns 4 to 7", "ink")
    for place in range(24):
        column, k = place // 12 * 4 + place % 4, place % 12 // 4
        x = 32 + 25.5 * place + 18 * (place // 12)
        drawing.rect(x, 140, 24, 24, role(column), radius=2)
        drawing.text(x + 12, 156, f"{k}{column}", size=10, anchor="middle")
    _arrow(drawing, 32, 182, 680, 182)
    _label(drawing, 356, 200, "rising addresses: the order in which the kernel reads")
    return drawing.finish(700, 214, "Packing: columns 0 to 3 of a weight matrix become panel 0, depth after depth; "
                                    "columns 4 to 7 become panel 1")


def indirection() -> Picture:
    """Draw the pointers of a 3x3 window at the corner of an image, to pixels and to the row of zero points."""
    drawing = Drawing()
    _label(drawing, 130, 22, "window at the corner", "ink")
    _label(drawing, 330, 22, "indirection buffer", "ink")
    _label(drawing, 560, 22, "image", "ink")
    size, left, top = 26, 80, 66
    for row in range(4):
        for column in range(4):
            x, y = left + size * column, top + size * row
            inside = row > 0 and column > 0
            drawing.rect(x, y, size - 2, size - 2, "box" if inside else "band", dashed=not inside)
    drawing.rect(left - 2, top - 2, size * 3 + 2, size * 3 + 2, "accent", thick=True)
    for row in range(4):
        for column in range(4):
            drawing.rect(500 + size * column, 36 + size * row, size - 2, size - 2,
                         "read" if row < 2 and column < 2 else "box")
    drawing.rect(500, 196, size * 4 - 2, 22, "stall")
    _label(drawing, 551, 236, "row of zero points", "ink")
    for tap in range(9):
        row, column = divmod(tap, 3)
        y = 34 + 23 * tap
        inside = row > 0 and column > 0
        drawing.rect(290, y, 80, 20, "read" if inside else "stall", radius=2)
        drawing.text(330, y + 14, f"tap {row},{column}", size=11, anchor="middle")
        if inside:
            _arrow(drawing, 372, y + 10, 500 + size * (column - 1) + 12, 36 + size * (row - 1) + 12)
        else:
            _arrow(drawing, 372, y + 10, 496, 207, "line-1")
    return drawing.finish(640, 254, "Indirection: of nine pointers of a corner window four lead to pixels, "
                                    "and five to a row of zero points")


def lockstep() -> Picture:
    """Draw one instruction above a grid of tiles, each with registers of its own."""
    drawing = Drawing()
    drawing.rect(190, 16, 320, 30, "read")
    drawing.text(350, 36, "smlal v8.4s, v4.4h, v0.h[3]", size=13, anchor="middle", bold=True)
    for row in range(2):
        for column in range(5):
            x, y = 24 + 133 * column, 96 + 96 * row
            drawing.rect(x, y, 118, 80, "box")
            _label(drawing, x + 59, y + 18, f"tile {row},{column}", "ink")
            for number, name in enumerate(("v0", "v4", "v8")):
                drawing.text(x + 12, y + 37 + 16 * number, name, size=10)
                for lane in range(4):
                    drawing.rect(x + 34 + CELL * lane, y + 27 + 16 * number, CELL - 3, 13,
                                 "write" if number == 2 else "band", radius=1)
            if row == 0:
                _arrow(drawing, 350, 48, x + 59, 94)
    return drawing.finish(690, 290, "Lock-step: one instruction is executed for ten tiles at once, "
                                    "and each tile writes its own register v8")


PICTURES: Final[dict[str, Callable[[], Picture]]] = {
    "concept_requantization": requantization, "concept_tile": tile, "concept_panel": panel,
    "concept_indirection": indirection, "concept_lockstep": lockstep}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        print(draw().save(FOLDER / f"{name}.svg"))
