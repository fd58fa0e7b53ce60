"""An image in memory, three ways (E12): how far apart four channels of a pixel lie, so how many loads they are."""

from __future__ import annotations

from collections.abc import Callable

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture
from neonsim.ukernel.packing.nc4hw4 import FOUR, nc4hw4_bytes, nc4hw4_offset

__all__ = ["nc4hw4_picture"]

CELL, ROW, LEFT, ACROSS = 27, 22, 52, 24    # px: an element, a row, room for offsets; elements of a row
MAX_ELEMENTS = 192                                  # elements that are drawn of a layout

Shape = tuple[int, int, int, int]
Place = Callable[[int, int, int], int]


def nc4hw4_picture(height: int = 2, width: int = 3, channels: int = 6, *, pixel: int = 1) -> Picture:
    """Draw NHWC, NCHW and NC4HW4 of one image, element after element: pixel above, channel below.

    height, width, channels   of the image; NC4HW4 of at most 192 elements
    pixel                     whose first four channels are coloured: those that a vector of four lanes holds

    Raises BadArgument for larger images, and a pixel that is not there.
    """
    h, w, c = (as_int(value, name, 1, MAX_ELEMENTS) for value, name in
               ((height, "height"), (width, "width"), (channels, "channels")))
    chosen, shape = as_int(pixel, "pixel", 0, h * w - 1), (1, h, w, c)
    if (whole := nc4hw4_bytes(shape, 1)) > MAX_ELEMENTS:
        raise BadArgument(f"NC4HW4 of {h}x{w}x{c} has {whole} elements; the limit for drawing is {MAX_ELEMENTS}. Use a "
                          f"smaller image.")
    drawing, lanes = Drawing(), min(FOUR, c)
    drawing.text(14, 23, f"an image of {h}x{w} pixels, {c} channels, in memory", bold=True, mono=False, size=13)
    y = 40.0
    planes = lanes
    for name, elements, place, said in (
            ("NHWC", h * w * c, lambda row, x, k: (row * w + x) * c + k, "one load"),
            ("NCHW", h * w * c, lambda row, x, k: (k * h + row) * w + x,
             f"{planes} loads, {h * w} elements apart" if planes > 1 else "one load"),
            ("NC4HW4", whole, lambda row, x, k: nc4hw4_offset(shape, 0, row, x, k),
             "one load; four more channels begin behind all pixels, filled up to four")):
        y = _layout(drawing, y, name, _held(shape, elements, place), chosen, said)
    drawing.text(14, y + 4, f"coloured: channels 0 to {lanes - 1} of pixel {chosen}; above: pixel, below: channel",
                 "soft", size=11.5, mono=False)
    return drawing.finish(LEFT + ACROSS * CELL + 16, y + 18,
                          f"{h}x{w} pixels of {c} channels as NHWC, NCHW and NC4HW4: {lanes} channels of a pixel are "
                          f"one load, {planes} loads and one load")


def _held(shape: Shape, elements: int, place: Place) -> list[tuple[int, int] | None]:
    """(pixel, channel) of every element, None where one is filled up."""
    _, h, w, c = shape
    found: list[tuple[int, int] | None] = [None] * elements
    for row in range(h):
        for x in range(w):
            for channel in range(c):
                found[place(row, x, channel)] = row * w + x, channel
    return found


def _layout(drawing: Drawing, y: float, name: str, held: list[tuple[int, int] | None], chosen: int, said: str) -> float:
    """One layout from y on; where it ends."""
    drawing.text(14, y + 14, name, bold=True, mono=False, size=12)
    drawing.text(LEFT + 30, y + 14, said, "soft", mono=False, size=11.5)
    y += 22
    for first in range(0, len(held), ACROSS):
        drawing.text(LEFT - 8, y + 18, f"+{first}", "soft", size=10.5, anchor="end")
        for i, one in enumerate(held[first:first + ACROSS]):
            x, taken = LEFT + i * CELL, one is not None and one[0] == chosen and one[1] < FOUR
            role, ink = ("read", "read-ink") if taken else ("box", "ink" if one is not None else "idle-ink")
            title = f"element {first + i}: " + ("filled up" if one is None else f"pixel {one[0]}, channel {one[1]}")
            drawing.rect(x, y, CELL - 2, 2 * ROW - 14, role, title=title)
            for down, text in ((12, "-" if one is None else f"p{one[0]}"), (25, "" if one is None else f"c{one[1]}")):
                drawing.text(x + CELL / 2 - 1, y + down, text, ink, size=10, anchor="middle")
        y += 2 * ROW - 10
    return y + 10
