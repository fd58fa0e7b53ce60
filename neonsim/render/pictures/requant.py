"""One requantisation as a number line: where the exact product falls, and where each scheme puts it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from neonsim.render.svg import Drawing, Picture
from neonsim.render.view import below

if TYPE_CHECKING:
    from neonsim.quant.requant.lab import Steps

__all__ = ["requant_picture", "rounding_picture"]

WIDTH, LEFT, RIGHT, TOP, ROW = 760, 120, 40, 96, 30      # px: picture, margins, first row, distance of rows
REACH = 2                                                # integers shown on either side
ASIDE = 0.5                                              # of half the width: the farthest mark of a magnified picture
NEAR = Fraction(1, 20)                                   # from a half: it is magnified


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


def rounding_picture(steps: Steps, inputs: Mapping[str, Fraction]) -> Picture:
    """Return the same, and below it the half that is next to the product, magnified: what each way rounds last, and
    where to.

    inputs  {name: number that its last rounding is given}; those that are left out are given the exact product
    """
    whole = requant_picture(steps)
    half = steps.exact // 1 + Fraction(1, 2)
    places = {name: inputs.get(name, steps.exact) for name in steps.results}
    reach = max(abs(place - half) for place in (steps.exact, *places.values()))
    if reach > NEAR:
        return whole
    return below([whole, _magnified(steps, places, half, reach or Fraction(1, 1 << 20))])


def _magnified(steps: Steps, places: Mapping[str, Fraction], half: Fraction, reach: Fraction) -> Picture:
    drawing, bottom = Drawing(), TOP + ROW * len(places)
    middle, width = (LEFT + WIDTH - RIGHT) / 2, (WIDTH - LEFT - RIGHT) / 2

    def place(value: Fraction) -> float:
        return middle + float((value - half) / reach) * width * ASIDE

    times = width * ASIDE / float(reach) / ((WIDTH - LEFT - RIGHT) / (2 * REACH - 1))
    drawing.text(14, 24, f"around {float(half):g}, magnified {times:,.0f} times", bold=True, size=13)
    drawing.text(14, 43, "dots: what the last rounding is given; arrows: which way it goes", "soft", size=11,
                 mono=False)
    drawing.path(f"M{middle:g} {TOP - 14:g}V{bottom:g}", "arrow", width=1.4, dashed=True)
    drawing.text(middle, TOP - 20, f"{float(half):g}", size=12, anchor="middle")
    exact = place(steps.exact)
    drawing.path(f"M{exact:g} {TOP - 10:g}V{bottom:g}", "accent", width=1.6, title=f"exactly {float(steps.exact):.12g}")
    if abs(exact - middle) > 60:
        side = "end" if exact < middle else "start"
        drawing.text(exact, TOP - 20, f"exactly {float(steps.exact):.10g}", "soft", size=11, anchor=side)
    for row, (name, value) in enumerate(places.items()):
        x, y, up = place(value), TOP + ROW * row + 14, steps.results[name] > half
        drawing.text(14, y + 4, name, size=12)
        step = 1 if up else -1
        drawing.path(f"M{x:g} {y:g}h{34 * step}m{-6 * step} -4l{6 * step} 4l{-6 * step} 4", "line-1", width=1.8)
        drawing.path(f"M{x - 3.5:g} {y:g}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z", "mark-1",
                     title=f"{float(value):.12g}")
        drawing.text(x + 42 * step, y + 4, f"{float(value):.10g} to {steps.results[name]}", size=11,
                     anchor="start" if up else "end")
    said = ", ".join(f"{name} is given {float(value):.10g} and goes to {steps.results[name]}"
                     for name, value in places.items())
    return drawing.finish(WIDTH, bottom + 16, f"around {float(half):g}: {said}")
