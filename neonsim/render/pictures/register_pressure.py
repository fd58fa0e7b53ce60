"""Register pressure: how many vector registers hold something that is still needed, before every instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.timing import Timing

__all__ = ["pressure_picture", "pressure_text"]

LEFT, TOP, PLOT, WIDTH, MAX_INSTRUCTIONS = 54, 58, 190, 700, 400  # px: margin, head, area, width; instructions drawn


def pressure_text(timing: Timing) -> str:
    """Return the most registers alive, and the lines where that is so."""
    found = timing.pressure
    lines = [f"{timing.stream.name}: {found}, counted"]
    peak = [k for k, n in enumerate(found.vectors) if n == found.max_live]
    ops = [timing.stream.ops[timing.stream.order[k]] for k in peak[:3]]
    lines += [f"    {found.max_live} before {op.text} (line {op.line})" for op in ops]
    return "\n".join(lines)


def pressure_picture(timing: Timing, *, first: int = 0, count: int = 200) -> Picture:
    """Draw the registers alive before each instruction: of a loop's iteration, or of a run.

    timing   Timing of a loop or trace
    first    number of the first instruction drawn;  count   how many, at most 400

    Raises BadArgument if there is no such instruction.
    """
    found, stream = timing.pressure, timing.stream
    total = len(found.vectors)
    if not 0 <= first < total:
        raise BadArgument(f"first must be one of the {total} instructions, 0..{total - 1}; got {first}")
    if not 1 <= count <= MAX_INSTRUCTIONS:
        raise BadArgument(f"count must be 1..{MAX_INSTRUCTIONS}, got {count}")
    last = min(first + count, total)
    high = found.available + 2
    step = (WIDTH - LEFT - 20) / (last - first)

    def height(number: float) -> float:
        return TOP + PLOT * (1 - number / high)

    drawing = Drawing()
    what = "one iteration of the loop" if stream.body else f"instructions {first}..{last - 1} of {total}"
    drawing.text(14, 22, f"registers alive: {stream.name}"[:84], bold=True, mono=False, size=13)
    drawing.text(14, 40,
                 f"{what}: {found.max_live} of {found.available} vector registers alive at most (counted), that is "
                 "their value is still read later", "soft", size=11, mono=False)
    for number in range(0, found.available + 1, 8):
        drawing.path(f"M{LEFT} {height(number):g}H{WIDTH - 20}", "arrow", width=0.6, opacity=0.45)
        drawing.text(LEFT - 8, height(number) + 4, str(number), "soft", size=11, anchor="end")
    for k in range(first, last):
        op, number = stream.ops[stream.order[k]], found.vectors[k]
        x = LEFT + (k - first) * step
        role = "stall" if number > found.available else "write" if number == found.max_live else "read"
        drawing.rect(x, height(number), max(step - (1 if step > 3 else 0), 0.8), height(0) - height(number), role,
                     radius=0, title=f"{number} before line {op.line}: {op.text}")
    drawing.path(f"M{LEFT} {height(found.available):g}H{WIDTH - 20}", "accent", width=1.6,
                 title=f"there are {found.available}")
    drawing.text(WIDTH - 20, height(found.available) - 5, f"there are {found.available}", "soft", size=11, anchor="end",
                 mono=False)
    for k in range(first, last, max(1, (last - first) // 8)):
        drawing.text(LEFT + (k - first + 0.5) * step, TOP + PLOT + 16, f"line {stream.ops[stream.order[k]].line}",
                     "soft", size=10.5, anchor="middle")
    drawing.text(14, TOP + PLOT + 36, "from left to right: instruction by instruction; yellow: the most", "soft",
                 size=11.5, mono=False)
    return drawing.finish(WIDTH, TOP + PLOT + 48, f"registers alive, {stream.name}: {found}")
