"""Indirection buffers as a picture: which input pixel every pointer stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.ukernel.packing import IndirectionBuffer

__all__ = ["indirection_picture"]

CELL, ROW, LEFT, TOP, MAX_ENTRIES = 56, 24, 92, 66, 24  # px: an entry, a row, names, head; entries drawn in a row


def indirection_picture(table: IndirectionBuffer, *, image: int = 0, tile: int = 0, group: int = 0,
                        row: int = 0) -> Picture:
    """Draw a part of the table: one tile of an indirect convolution, or one output row of a depthwise one.

    image, tile, group   which tile: rows are taps, columns the tile's pixels, as the kernel reads them
    image, row           which output row: entries column by column, with the columns that each output pixel reads

    Entries are input pixels "y,x"; "zero" is the zero buffer. Raises BadArgument if there is no such part.
    """
    return _tile(table, image, tile, group) if table.kind == "tiles" else _row(table, image, row)


def _entry(drawing: Drawing, table: IndirectionBuffer, offset: int, group: int, x: float, y: float, tip: str) -> None:
    outside = offset < 0
    drawing.rect(x, y, CELL - 3, ROW - 3, "box" if outside else "read", dashed=outside, title=tip)
    text = "zero"
    if not outside:
        height, width = table.taps.size
        pixel = (offset - group * table.group_channels) // table.pixel_stride % (height * width)
        text = f"{pixel // width},{pixel % width}"
    drawing.text(x + (CELL - 3) / 2, y + 15, text, "idle-ink" if outside else "read-ink", size=11.5, anchor="middle")


def _check(number: int, count: int, what: str) -> None:
    if not 0 <= number < count:
        raise BadArgument(f"there is no {what} {number}: this table has 0 to {count - 1}")


def _tile(table: IndirectionBuffer, image: int, tile: int, group: int) -> Picture:
    groups, batch, tiles, taps, mr = table.offsets.shape
    for number, count, what in ((group, groups, "group"), (image, batch, "image"), (tile, tiles, "tile")):
        _check(number, count, what)
    drawing = Drawing()
    (_, ow), (_, kw) = table.taps.output, table.taps.kernel
    drawing.text(14, 23, f"indirection buffer: tile {tile} of {tiles}, image {image}"
                 + (f", group {group}" if groups > 1 else ""), bold=True, mono=False, size=13)
    drawing.text(LEFT - 10, TOP - 26, "output pixel", "soft", size=11, anchor="end", mono=False)
    last = table.taps.output[0] * ow - 1
    for column in range(mr):
        pixel = min(tile * mr + column, last)
        x = LEFT + column * CELL + (CELL - 3) / 2
        drawing.text(x, TOP - 26, f"{pixel // ow},{pixel % ow}", "soft", size=11, anchor="middle")
        if tile * mr + column > last:
            drawing.text(x, TOP - 10, "again", "idle-ink", size=11, anchor="middle", mono=False)
    for tap in range(taps):
        y = TOP + tap * ROW
        drawing.text(LEFT - 10, y + 15, f"tap {tap // kw},{tap % kw}", "soft", size=11, anchor="end")
        for column in range(mr):
            index = (((group * batch + image) * tiles + tile) * taps + tap) * mr + column
            _entry(drawing, table, int(table.offsets.reshape(-1)[index]), group, LEFT + column * CELL, y,
                   f"entry {index}: {table.describe_entry(index)}")
    y = TOP + taps * ROW
    drawing.text(14, y + 16, "entries: input pixel y,x; zero: outside the image. Read row by row, as drawn", "soft",
                 size=11.5, mono=False)
    return drawing.finish(max(LEFT + mr * CELL + 16, 470), y + 28,
                          f"indirection buffer, tile {tile}: {taps} taps of {mr} output pixels")


def _row(table: IndirectionBuffer, image: int, row: int) -> Picture:
    batch, rows, entries = table.offsets.shape
    _check(image, batch, "image")
    _check(row, rows, "output row")
    kh, kw = table.taps.kernel
    ow = table.taps.output[1]
    columns = min(-(-entries // kh), MAX_ENTRIES)
    drawing = Drawing()
    drawing.text(14, 23, f"indirection buffer: output row {row} of {rows}, image {image}", bold=True, mono=False,
                 size=13)
    for column in range(columns):
        left = LEFT + column * CELL
        drawing.text(left + (CELL - 3) / 2, TOP - 10, f"+{column * kh}", "soft", size=11, anchor="middle")
        for ky in range(kh):
            inside = column * kh + ky
            if inside < entries:
                index = (image * rows + row) * entries + inside
                try:
                    tip = f"entry {index}: {table.describe_entry(index)}"
                except BadArgument:
                    tip = f"entry {index}: no output pixel reads it"
                _entry(drawing, table, int(table.offsets.reshape(-1)[index]), 0, left, TOP + ky * ROW, tip)
    for ky in range(kh):
        drawing.text(LEFT - 10, TOP + ky * ROW + 15, f"ky {ky}", "soft", size=11, anchor="end")
    drawing.text(LEFT - 10, TOP - 10, "entry", "soft", size=11, anchor="end", mono=False)
    y = TOP + kh * ROW + 10
    shown = 0
    for ox in range(ow):
        first = ox * table.step
        if first + kw > columns:
            break
        # Brackets of neighbours overlap, so they stand below each other.
        level = y + (ox % kw) * 18
        start, end = LEFT + first * CELL, LEFT + (first + kw) * CELL - 3
        drawing.path(f"M{start} {level - 5}V{level}H{end}V{level - 5}", "accent", width=1.6)
        drawing.text((start + end) / 2, level + 12, f"output {row},{ox}", "soft", size=10.5, anchor="middle")
        shown += 1
    y += min(shown, kw) * 18 + 16
    drawing.text(14, y, "entries: input pixel y,x; zero: outside the image. Columns lie one after the other in memory",
                 "soft", size=11.5, mono=False)
    more = ow - shown
    if more:
        drawing.text(14, y + 16, f"{more} more output pixels are not drawn", "soft", size=11.5, mono=False)
        y += 16
    return drawing.finish(max(LEFT + columns * CELL + 16, 560), y + 12,
                          f"indirection buffer, output row {row}: {entries} pointers for {ow} output pixels")
