"""One requantisation as a number line: where the exact product falls, and where each scheme puts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.quant.laboratory import Steps

__all__ = ["requant_picture"]

WIDTH, LEFT, RIGHT, TOP, ROW = 760, 120, 40, 96, 30      # px: picture, margins, first row, distance of rows
REACH = 2                                                # integers shown on either side


def requant_picture(steps: Steps) -> Picture:
    """Draw one accumulator's way: a line of integers, ties dashed, a row for every scheme with an arrow to its result.

    steps   `quant.laboratory.steps(scale, acc)`
    """
    exact = float(steps.exact)
    middle = int(steps.exact // 1)
    # Schemes that hold results to a byte range may end far away: they get a word, not an arrow.
    first, last = middle - REACH + 1, middle + REACH
    drawing, bottom = Drawing(), TOP + ROW * len(steps.results)

    def place(value: float) -> float:
        return LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    shown = f"{exact:.10g}" + (", an exact half" if steps.exact % 1 * 2 == 1 else "")
    drawing.text(14, 24, f"{steps.acc} * {steps.scale:.9g} = {shown}", bold=True, size=13)
    drawing.text(14, 43, "before zero point and clamp; dashed: halves, where schemes part", "soft", size=11, mono=False)
    for whole in range(first, last + 1):
        x = place(whole)
        drawing.path(f"M{x:g} {TOP - 18:g}V{bottom:g}", "arrow", width=1)
        drawing.text(x, TOP - 24, str(whole), size=12, anchor="middle")
        if whole < last:
            half = place(whole + 0.5)
            drawing.path(f"M{half:g} {TOP - 10:g}V{bottom:g}", "arrow", width=0.8, opacity=0.7, dashed=True)
    at = place(exact)
    drawing.path(f"M{at:g} {TOP - 14:g}V{bottom:g}", "accent", width=1.6, title=f"exactly {exact:.10g}")
    for row, (name, result) in enumerate(steps.results.items()):
        y = TOP + ROW * row + 14
        drawing.text(14, y + 4, name, size=12)
        if not first <= result <= last:
            drawing.text(at + 8, y + 4, f"{result} (held to what a byte can show)", "soft", size=11, mono=False)
            continue
        end = place(result)
        step = 6 if end >= at else -6
        drawing.path(f"M{at:g} {y:g}H{end:g}M{end - step:g} {y - 4:g}L{end:g} {y:g}L{end - step:g} {y + 4:g}", "line-1",
                     width=1.8, title="; ".join(steps.lines[name]))
        drawing.path(f"M{end - 3.5:g} {y:g}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", "mark-1")
        side, anchor = (10, "start") if end >= at else (-10, "end")
        drawing.text(end + side, y - 4, str(result), size=12, anchor=anchor)
    said = ", ".join(f"{name} {result}" for name, result in steps.results.items())
    return drawing.finish(WIDTH, bottom + 16, f"{steps.acc} times {steps.scale:.9g} is {exact:.9g}: {said}")
