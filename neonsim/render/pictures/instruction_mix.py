"""What loops are made of: multiplies, other arithmetic, loads, the rest; as a table and as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.timing import Counts

__all__ = ["mix_picture", "mix_table"]

BAR, ROW, LEFT, TOP = 420, 44, 14, 62  # px: a whole bar, a loop, margin, head
# What instructions do, colour of the bar, colour of the text in it.
_PARTS = (("multiply", "write", "write-ink"), ("other NEON arithmetic", "read", "read-ink"),
          ("load and store", "bias", "ink"), ("scalar", "box", "idle-ink"))


def _parts(counts: Counts) -> list[int]:
    """Instructions by what they do, in the order of _PARTS."""
    moves = sum(n for kind, n in counts.kinds.items() if kind in ("NEON load", "NEON store"))
    multiply = counts.multiplies
    return [multiply, counts.neon - multiply - moves, moves, counts.instructions - counts.neon]


def mix_table(loops: Sequence[Counts]) -> str:
    """Counted instructions of main loops, one line each.

    loops   Counts of one iteration: ``neonsim.arm.timing.count(program, entry=label)``

    NEON: vector instructions with their loads; MAC per NEON instruction is what libraries quote.
    Source: (I01, I02, I03, I04, I05, I06, I07, I08, I09, I10).
    """
    width = max((len(c.name) for c in loops), default=0)
    heads = ("MAC", "NEON", "all", "multiply", "other", "load", "MAC/NEON", "multiply share")
    widths = [max(len(head), 4) + 2 for head in heads]
    lines = [" " * width + "".join(f"{head:>{w}}" for head, w in zip(heads, widths, strict=True))]
    for c in loops:
        multiply, other, moves, _ = _parts(c)
        cells = (str(c.macs), str(c.neon), str(c.instructions), str(multiply), str(other), str(moves),
                 f"{c.macs_per_neon:.2f}" if c.macs and c.neon else "-", f"{100 * c.share_neon:.1f} %")
        lines.append(f"{c.name:<{width}}" + "".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=True)))
    return "\n".join([*lines, "one iteration of the main loop, counted; the share is of NEON instructions"])


def mix_picture(loops: Sequence[Counts], title: str = "what main loops are made of") -> Picture:
    """Draw the same as bars of one length: each part's share of all instructions, counts inside."""
    drawing = Drawing()
    drawing.text(LEFT, 23, title, bold=True, mono=False, size=13)
    x: float = LEFT
    for word, role, _ in _PARTS:
        drawing.rect(x, 34, 12, 12, role)
        drawing.text(x + 17, 44, word, "soft", size=11.5, mono=False)
        x += 30 + 7 * len(word)
    for i, c in enumerate(loops):
        y = TOP + i * ROW
        drawing.text(LEFT, y + 10, c.name, size=11.5)
        text = f"{c.macs_per_neon:.2f} MAC per NEON instruction" if c.neon and c.macs else "" if c.neon else "no NEON"
        drawing.text(LEFT + BAR + 12, y + 30, text, "soft", size=11.5)
        start: float = LEFT
        for (word, role, ink), number in zip(_PARTS, _parts(c), strict=True):
            width = BAR * number / max(c.instructions, 1)
            if number:
                drawing.rect(start, y + 16, max(width - 1, 1), 20, role, radius=2,
                             title=f"{number} of {c.instructions}: {word}")
            if width > 22:
                drawing.text(start + width / 2, y + 30, str(number), ink, size=11, anchor="middle")
            start += width
    return drawing.finish(LEFT + BAR + 260, TOP + len(loops) * ROW + 8,
                          f"instruction mix of {len(loops)} loops: " + ", ".join(c.name for c in loops))
