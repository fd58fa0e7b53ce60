"""What a tensor holds, as a histogram, and how far each of some ranges reaches over it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from neonsim.errors import BadArgument
from neonsim.render.charts import COLORS
from neonsim.render.svg import Drawing, Picture

__all__ = ["distribution_picture"]

WIDTH, LEFT, RIGHT, TOP, PLOT = 920, 60, 20, 46, 190      # px; PLOT: height of the histogram
BINS, ROW = 96, 20                                        # bars; px of the line of one range


def distribution_picture(values: ArrayLike, ranges: Mapping[str, tuple[float, float]], title: str) -> Picture:
    """Return a histogram, its heights logarithms of counts, and below it a line for each range.

    values   real numbers [...], finite
    ranges   {name: (low, high)}   may be empty
    title    one line

    Raises BadArgument where there is nothing to draw, or no real number.
    """
    held = np.asarray(values, np.float64).reshape(-1)
    if not held.size or not np.isfinite(held).all():
        raise BadArgument("A distribution needs at least one finite number.")
    ends = [held.min(), held.max(), 0.0, *(float(end) for pair in ranges.values() for end in pair)]
    low, high = min(ends), max(ends)
    if low == high:
        high = low + 1.0
    counts, edges = np.histogram(held, BINS, (low, high))
    drawing, right, foot = Drawing(), WIDTH - RIGHT, TOP + PLOT

    def place(value: float) -> float:
        return float(LEFT + (right - LEFT) * (value - low) / (high - low))

    drawing.text(14, 20, title, bold=True, mono=False, size=13)
    drawing.text(14, 37, f"{held.size:,} numbers; heights are logarithms of counts", "soft", size=11, mono=False)
    top = np.log10(max(int(counts.max()), 1) * 1.25)
    for power in range(int(top) + 1):
        y = foot - PLOT * power / top
        drawing.path(f"M{LEFT} {y:.1f}H{right}", "arrow", width=0.6, opacity=0.45)
        drawing.text(LEFT - 8, y + 4, f"{10**power:,}", "soft", size=10, anchor="end")
    # All bars are one path: pictures stay small. A single number is seen too, an eighth of a power of ten high.
    bars = (f"M{place(left) + 0.5:.1f} {foot}V{foot - PLOT * max(np.log10(count), 0.12) / top:.1f}"
            f"H{place(end) - 0.5:.1f}V{foot}Z"
            for count, left, end in zip(counts.tolist(), edges, edges[1:], strict=False) if count)
    drawing.path("".join(bars), "mark-0", opacity=0.75)
    drawing.path(f"M{LEFT} {foot}H{right}", "arrow", width=1)
    for value in sorted({low, 0.0, high}):
        drawing.text(place(value), foot + 15, f"{value:.3g}", "soft", size=10,
                     anchor="end" if value == high and high > 0 else "start" if value == low else "middle")
    for row, (name, (first, last)) in enumerate(ranges.items()):
        y, role = foot + 34 + ROW * row, str((row + 1) % COLORS)
        drawing.path(f"M{place(first):.1f} {y}H{place(last):.1f}", f"line-{role}", width=2.4)
        for end in (first, last):
            drawing.path(f"M{place(end):.1f} {y - 5}v10", f"line-{role}", width=1.6)
            if low < end < high and end != 0:
                drawing.path(f"M{place(end):.1f} {foot}V{TOP}", f"line-{role}", width=0.9, opacity=0.7, dashed=True)
        text = f"{name}: {first:.3g} to {last:.3g}"
        inside = place(last) + 8 + 6.4 * len(text) > right
        drawing.text(place(last) - 8 if inside else place(last) + 8, y - 4 if inside else y + 4, text, f"mark-{role}",
                     size=11, anchor="end" if inside else "start", mono=False)
    said = "; ".join(f"{name} {first:.3g} to {last:.3g}" for name, (first, last) in ranges.items())
    return drawing.finish(WIDTH, foot + 34 + ROW * max(len(ranges), 1), f"{title}. {held.size} numbers of "
                          f"{held.min():.3g} to {held.max():.3g}. {said}")
