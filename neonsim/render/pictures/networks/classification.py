"""What a network was shown, and what it said: pictures beside the classes with the largest scores.

Names of classes come from untrusted files: they are cut to a length, and characters that no picture holds are
replaced.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

__all__ = ["answer_picture", "image_row", "png"]

SHOWN, MAX_PIXELS = 168, 224       # px of the longer side; pixels that are kept of it
ROW, NAME, BAR, TOP, EDGE = 26, 26, 180, 40, 14
CELL = 76
_STORED = 1 << 14               # pixels up to which nothing is compressed


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file: pixels are uint8 [height, width, 1 (grey) or 3 (red, green, blue)].

    Raises BadArgument for other shapes and types. Source: <https://www.w3.org/TR/png-3/>.
    """
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (1, 3) or 0 in pixels.shape:
        raise BadArgument(f"pixels must be uint8 [height, width, 1 or 3]; got {pixels.dtype} {list(pixels.shape)}.")
    height, width, colors = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))
    # Small ones are stored as they are: the same text wherever it is made, which no two compressors promise.
    data = zlib.compress(rows, 0 if height * width <= _STORED else 9)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0 if colors == 1 else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _smaller(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    step = -(-max(pixels.shape[:2]) // MAX_PIXELS)
    return pixels[::step, ::step]


def _plain(text: str) -> str:
    """A name that can be drawn in a line."""
    seen = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return seen if len(seen) <= NAME else seen[:NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"


def answer_picture(pixels: NDArray[np.uint8] | None, rows: Sequence[tuple[str, float]], title: str = "") -> Picture:
    """Return a picture, and beside it classes with bars as long as their scores, the best one marked.

    pixels   uint8 [height, width, 1 or 3], or None: classes alone
    rows     (name, score)   best first, at least one
    title    str

    Raises BadArgument for pixels of another form, and without classes.
    """
    if not rows:
        raise BadArgument("an answer must have at least one class.")
    drawing, left, high = Drawing(), EDGE, 0.0
    if pixels is not None:
        shown = _smaller(pixels)
        scale = SHOWN / max(pixels.shape[:2])
        height, width = scale * pixels.shape[0], scale * pixels.shape[1]
        drawing.image(left, TOP, width, height, png(shown), "what the network was shown")
        left, high = left + SHOWN + 20, height
    scores = [score if math.isfinite(score) else 0.0 for _, score in rows]
    low, top = min(0.0, *scores), max(0.0, *scores)
    names = [_plain(name) for name, _ in rows]
    at = left + 8.0 * max(map(len, names)) + 12
    span = BAR / (top - low) if top > low else 0.0
    zero = at - low * span
    for number, (name, (_, real)) in enumerate(zip(names, rows, strict=True)):
        y = TOP + number * ROW
        value = scores[number]
        drawing.text(left, y + 15, name, "write-ink" if number == 0 else "ink", size=13, bold=number == 0)
        # To a tenth of a pixel: sums of real numbers differ in their last bits from machine to machine.
        begin, end = sorted((round(zero, 1), round(zero + value * span, 1)))
        role = "write" if number == 0 else "read"
        drawing.rect(begin, y + 3, round(max(end - begin, 1), 1), ROW - 10, role, radius=2)
        drawing.text(at + BAR + 10, y + 15, f"{real:.3f}", "soft", size=12)
    if low < 0:
        drawing.path(f"M{zero:.1f} {TOP}V{TOP + len(rows) * ROW - 4}", "arrow")
    heading = _plain_line(title)
    drawing.text(EDGE, 25, heading, size=13, bold=True, mono=False)
    said = ", ".join(f"{name} {real:.3f}" for name, (_, real) in zip(names, rows, strict=True))
    width = max(at + BAR + 78, EDGE * 2 + 7.5 * len(heading))
    return drawing.finish(round(width), round(TOP + max(high, len(rows) * ROW) + EDGE), f"{heading}: {said}")


def _plain_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)[:90]


def image_row(images: Sequence[NDArray[Any]], captions: Sequence[str], title: str = "") -> Picture:
    """Pictures side by side, ten in a row, each with a line below.

    images     uint8 [height, width, 1 or 3] each, at least one
    captions   str   of each

    Raises BadArgument for pixels of another form, and unless each has its line.
    """
    if len(images) != len(captions) or len(images) == 0:
        raise BadArgument(f"images and captions must have the same length, at least 1; got {len(images)} and "
                          f"{len(captions)}.")
    lines, heading = [_plain_line(caption) for caption in captions], _plain_line(title)
    drawing, top = Drawing(), TOP if title else EDGE
    for number, (pixels, caption) in enumerate(zip(images, lines, strict=True)):
        x, y = EDGE + number % 10 * CELL, top + number // 10 * (CELL + 18)
        side = CELL - 10
        drawing.image(x, y, side, side, png(_smaller(pixels)), caption)
        drawing.text(x + side / 2, y + side + 15, caption, size=11, anchor="middle")
    if title:
        drawing.text(EDGE, 25, heading, size=13, bold=True, mono=False)
    rows = -(-len(images) // 10)
    width = max(EDGE * 2 + min(len(images), 10) * CELL - 10, EDGE * 2 + 7.2 * len(heading))
    return drawing.finish(round(width), top + rows * (CELL + 18) + 4, f"{heading}: {', '.join(lines)}")
