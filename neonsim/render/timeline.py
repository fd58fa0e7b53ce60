"""A timing as a picture: one row per executed instruction, one column per cycle.

The pale part of a bar is waiting (from the cycle the instruction could first be looked at to the one it issues in), the
strong part is execution. All of it is modelled, and the picture says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.timing import Timing

__all__ = ["timeline_picture"]

ROW, LEFT, TOP, TICK = 19, 290, 62, 5  # px: a row, the text column, the head; cycles between numbers
MAX_CYCLES, MAX_ROWS = 400, 400


def timeline_picture(timing: Timing, *, first: int = 0, count: int = 32, title: str = "") -> Picture:
    """Draw when instructions wait and execute.

    timing   Timing of a trace or loop
    first    number of the first executed instruction drawn (0-based)
    count    how many, at most 400

    Raises BadArgument if there is no such instruction, or they take more than 400 cycles.
    """
    total = len(timing.run.issue)
    if not 0 <= first < total:
        raise BadArgument(f"first must be one of the {total} executed instructions, 0..{total - 1}; got {first}")
    if not 1 <= count <= MAX_ROWS:
        raise BadArgument(f"count must be 1..{MAX_ROWS}, got {count}")
    last = min(first + count, total)
    run = timing.run
    begin = min(run.start[first:last])
    end = max(run.done[first:last])
    if end - begin > MAX_CYCLES:
        raise BadArgument(f"these instructions take {end - begin} modelled cycles, at most {MAX_CYCLES} can be drawn: "
                          "ask for fewer")
    cell = max(4.0, min(16.0, 760 / max(1, end - begin)))
    width = LEFT + (end - begin) * cell + 20
    height = TOP + (last - first) * ROW + 14
    drawing = Drawing()
    drawing.text(14, 23, title or f"{timing.core}: cycles (modelled)", bold=True, mono=False, size=13)
    drawing.text(LEFT - 10, TOP - 14, "cycle", "soft", size=11, anchor="end", mono=False)
    for cycle in range(begin, end + 1):
        at = LEFT + (cycle - begin) * cell
        if cycle % TICK == 0:
            drawing.path(f"M{at:g} {TOP - 8}V{height - 10:g}", "arrow", width=0.6, opacity=0.45)
            if (cycle // TICK) % (1 if cell >= 7 else 4) == 0:
                drawing.text(at, TOP - 14, str(cycle), "soft", size=10, anchor="middle")
    for row, k in enumerate(range(first, last)):
        y = TOP + row * ROW
        if row % 2:
            drawing.rect(8, y - 1, width - 16, ROW, "band", radius=2)
    for row, k in enumerate(range(first, last)):
        y = TOP + row * ROW
        op = timing.stream.ops[timing.stream.order[k]]
        drawing.text(14, y + 13, f"{k:>4}  {op.text[:36]}", size=11)
        start, issue, done = run.start[k], run.issue[k], run.done[k]
        if issue > start:
            drawing.rect(LEFT + (start - begin) * cell, y + 5, (issue - start) * cell, ROW - 11, "stall", radius=2,
                         title=f"waits in cycles {start} to {issue - 1}{': ' + run.why[k] if run.why[k] else ''}")
        drawing.rect(LEFT + (issue - begin) * cell, y + 2, max(1, done - issue) * cell - 1, ROW - 5, "read", radius=2,
                     title=f"issues in cycle {issue} on {run.unit[k]}, result in cycle {done}")
    return drawing.finish(width, height, f"modelled timeline of instructions {first} to {last - 1} on {timing.core}")
