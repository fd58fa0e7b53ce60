"""The roofline: how fast each operator ran, by how much it computes for every byte it must move; both axes logarithmic.

Under the slope bandwidth binds, under the flat roof the multipliers do; what lies well below both is overhead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

__all__ = ["RooflinePoint", "roofline"]

WIDTH, LEFT, RIGHT, TOP, BOTTOM, PLOT = 920, 66, 30, 62, 74, 360     # px; PLOT: height of the area with the data
COLORS = 8


@dataclass(frozen=True)
class RooflinePoint:
    """One operator.

    name        str
    intensity   float   operations (2 a multiply-accumulate) per byte that must move
    speed       float   billions of operations per second, measured
    kind        str     points of one kind have one colour and one mark
    """

    name: str
    intensity: float
    speed: float
    kind: str


def _mark(drawing: Drawing, number: int, x: float, y: float, title: str) -> None:
    """A circle, square, diamond or triangle, by the number of the kind."""
    r = 3.8
    shapes = (f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0Z",
              f"M{x - r:.1f} {y - r:.1f}h{2 * r:g}v{2 * r:g}h{-2 * r:g}Z",
              f"M{x:.1f} {y - 1.4 * r:.1f}l{1.4 * r:g} {1.4 * r:g}l{-1.4 * r:g} {1.4 * r:g}l{-1.4 * r:g} {-1.4 * r:g}Z",
              f"M{x:.1f} {y - 1.2 * r:.1f}l{r:g} {2.2 * r:g}h{-2 * r:g}Z")
    drawing.path(shapes[number % 4], f"mark-{number % COLORS}", width=0.6, opacity=0.85, title=title)


def roofline(points: Sequence[RooflinePoint], peak: float, bandwidth: float, title: str) -> Picture:
    """Draw it.

    points      operators, measured
    peak        float   billions of operations per second that the multipliers can do, probed
    bandwidth   float   billions of bytes per second of the slope

    Raises BadArgument without points, or for numbers that are not positive.
    """
    numbers = [peak, bandwidth, *(v for p in points for v in (p.intensity, p.speed))]
    if not points or min(numbers) <= 0:
        raise BadArgument("A roofline needs points with positive numbers.")
    xs = [p.intensity for p in points] + [peak / bandwidth]
    ys = [p.speed for p in points] + [peak]
    left, right = math.floor(math.log2(min(xs)) - 0.3), math.ceil(math.log2(max(xs)) + 0.5)
    low, high = math.floor(math.log2(min(ys)) - 0.3), math.ceil(math.log2(max(ys)) + 0.3)
    span = WIDTH - LEFT - RIGHT

    def at(x: float, y: float) -> tuple[float, float]:
        return (LEFT + span * (math.log2(x) - left) / (right - left),
                TOP + PLOT * (1 - (math.log2(y) - low) / (high - low)))

    drawing = Drawing()
    drawing.text(14, 22, title, bold=True, mono=False, size=13)
    drawing.text(14, 40, f"billions of operations per second (measured); roof {peak:.0f} (probed), slope "
                 f"{bandwidth:.0f} GB/s, copying as many bytes as tensors take (probed)", "soft", size=11, mono=False)
    for tick in range(low, high + 1):
        _, y = at(1.0, 2.0**tick)
        drawing.path(f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}", "arrow", width=0.6, opacity=0.45)
        drawing.text(LEFT - 8, y + 4, f"{2.0**tick:g}", "soft", size=11, anchor="end")
    for tick in range(left, right + 1):
        x, _ = at(2.0**tick, 1.0)
        drawing.text(x, TOP + PLOT + 18, f"{2.0**tick:g}", "soft", size=11, anchor="middle")
    drawing.text(LEFT + span / 2, TOP + PLOT + 36, "operations per byte that must move (counted)", "soft", size=11,
                 anchor="middle", mono=False)
    knee = peak / bandwidth
    foot = max(2.0**left, 2.0**low / bandwidth)
    (x0, y0), (x1, y1), (x2, y2) = at(foot, bandwidth * foot), at(knee, peak), at(2.0**right, peak)
    drawing.path(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}", "accent", width=1.8)
    kinds = list(dict.fromkeys(p.kind for p in points))
    for point in points:
        x, y = at(point.intensity, point.speed)
        _mark(drawing, kinds.index(point.kind), x, y, f"{point.name} ({point.kind}): {point.speed:.0f} Gop/s, "
              f"{point.intensity:.1f} per byte")
    step = span / max(len(kinds), 1)
    for number, kind in enumerate(kinds):
        x = LEFT + number * step
        _mark(drawing, number, x, TOP + PLOT + 58, kind)
        drawing.text(x + 10, TOP + PLOT + 62, kind, size=11, mono=False)
    said = "; ".join(f"{p.name} {p.intensity:.1f} per byte {p.speed:.0f}" for p in points)
    return drawing.finish(WIDTH, TOP + PLOT + BOTTOM, f"{title}. Roof {peak:.0f}, slope {bandwidth:.0f}. {said}")
