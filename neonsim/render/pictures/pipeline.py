"""A timing as a picture: one row per executed instruction, one column per cycle.

The pale part of a bar is waiting (from the cycle the instruction could first be looked at to the one it issues in), the
strong part is execution. All of it is modelled, and the picture says so.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.html import sheet
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.timing import Timing

__all__ = ["timeline_picture"]

ROW, LEFT, TOP, TICK = 19, 290, 62, 5  # px: a row, the text column, the head; cycles between numbers
MAX_CYCLES, MAX_ROWS = 400, 400
MAX_LINKS = 60          # of the longest chain, its end


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
    end = max(run.completion[first:last])
    if end - begin > MAX_CYCLES:
        raise BadArgument(f"these instructions take {end - begin} modelled cycles; the limit for drawing is "
                          f"{MAX_CYCLES}. Select fewer instructions")
    cell = max(4.0, min(16.0, 760 / max(1, end - begin)))
    what = f"{timing.stream.name} on {timing.core.name}"
    heading = title or f"{what}: cycles (modelled)"
    # The legend stands beside the title.
    width = max(LEFT + (end - begin) * cell + 20, 600, 14 + 7.6 * len(heading) + 180)
    height = TOP + (last - first) * ROW + 14
    drawing = Drawing()
    drawing.text(14, 23, heading, bold=True, mono=False, size=13)
    for at, role, tall, word in ((width - 168, "stall", 8, "waits"), (width - 98, "read", 14, "executes")):
        drawing.rect(at, 19 - tall / 2, 16, tall, role, radius=2)
        drawing.text(at + 22, 23, word, "soft", size=11, mono=False)
    drawing.text(LEFT - 10, TOP - 14, "cycle", "soft", size=11, anchor="end", mono=False)
    for cycle in range(begin, end + 1):
        at = LEFT + (cycle - begin) * cell
        if cycle % TICK == 0:
            drawing.path(f"M{at:g} {TOP - 8}V{height - 10:g}", "arrow", width=0.6, opacity=0.45)
            if (cycle // TICK) % (1 if cell >= 7 else 4) == 0:
                drawing.text(at, TOP - 14, str(cycle), "soft", size=10, anchor="middle")
    for row in range(1, last - first, 2):
        drawing.rect(8, TOP + row * ROW - 1, width - 16, ROW, "band", radius=2)
    for row, k in enumerate(range(first, last)):
        y = TOP + row * ROW
        op = timing.stream.ops[timing.stream.order[k]]
        drawing.text(14, y + 13, f"{k:>4}  {op.text[:36]}", size=11)
        start, issue, done = run.start[k], run.issue[k], run.completion[k]
        if issue > start:
            reason = f": {run.stall_reason[k]}" if run.stall_reason and run.stall_reason[k] else ""
            drawing.rect(LEFT + (start - begin) * cell, y + 5, (issue - start) * cell, ROW - 11, "stall", radius=2,
                         title=f"waits in cycles {start} to {issue - 1}{reason}")
        drawing.rect(LEFT + (issue - begin) * cell, y + 2, max(1, done - issue) * cell - 1, ROW - 5, "read", radius=2,
                     title=f"issues in cycle {issue} on {run.unit[k]}, result in cycle {done}")
    return drawing.finish(width, height, f"modelled timeline of instructions {first} to {last - 1}, {what}")


BODY = """<h1>{title}</h1>
<p>Counted: {instructions} instructions, {macs} multiply-accumulates; {registers}. Modelled: {cycles} cycles, {ipc:.2f}
instructions and {macs_per_cycle:.2f} multiply-accumulates a cycle; {memory}.</p>
<h2>Issue slots that were lost (modelled)</h2>
<table><tr><th scope="col">reason</th><th scope="col">slots</th><th scope="col">share of all</th></tr>{slots}</table>
<h2>Lower bounds (modelled)</h2>
<table><tr><th scope="col">bound</th><th scope="col">{per}</th></tr>{bounds}</table>
<h2>Use of units (modelled)</h2>
<table><tr><th scope="col">unit</th><th scope="col">cycles used</th><th scope="col">share</th></tr>{units}</table>
{traffic}<h2>Timeline (modelled)</h2>
<figure>{picture}</figure>
<h2>Cost by line (modelled)</h2>
<table><tr><th scope="col">line</th><th scope="col">{per}</th><th scope="col">waited for</th></tr>{lines}</table>
<h2>Longest chain of dependent instructions (modelled)</h2>
<table><tr><th scope="col">instruction</th><th scope="col">starts in cycle</th>\
<th scope="col">waits through</th></tr>{path}</table>"""


def timing_page(timing: Timing, *, count: int = 120) -> str:
    """Return a timing as the text of an HTML file: what was counted, what is modelled, lost slots, units, and the
    timeline of the first `count` instructions. `Timing.to_html` is this function."""
    run, width = timing.run, timing.core.width
    count = max(1, min(count, len(run.issue), MAX_ROWS))
    while max(run.completion[:count]) - min(run.start[:count]) > MAX_CYCLES and count > 1:
        count //= 2

    def table(rows: Iterable[Sequence[object]]) -> str:
        return "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)

    def share(part: float) -> str:
        return f"{100 * part:.1f} %"

    limit = timing.bounds
    slots = [(name, lost, share(lost / (width * timing.cycles))) for name, lost in timing.slots.items()]
    bounds = [(name, f"{cycles / limit.per:.1f}") for name, cycles in
              sorted(limit.cycles.items(), key=lambda item: -item[1])]
    units = [(f"{name}: {unit.text}" if unit.text else name, run.busy.get(name, 0),
              share(run.busy.get(name, 0) / (unit.count * timing.cycles))) for name, unit in timing.core.units.items()]
    links = timing.critical_path()[-MAX_LINKS:]
    title = f"{timing.stream.name} on {timing.core.name}"
    return sheet(title, BODY.format(
        title=html.escape(title), instructions=timing.instructions, macs=timing.macs, cycles=timing.cycles,
        ipc=timing.ipc, macs_per_cycle=timing.macs_per_cycle, registers=html.escape(str(timing.pressure)),
        memory=html.escape(timing.memory_state), slots=table(slots), bounds=table(bounds),
        per="cycles an iteration" if timing.stream.body else "cycles", units=table(units),
        traffic=_traffic(timing, table), picture=timeline_picture(timing, count=count),
        lines=table((f"{row.number}: {row.text}", f"{row.cycles:.2f}", row.stall_reason) for row in timing.lines()),
        path=table((link.op.text or link.op.timing, link.start, link.register) for link in links)))


def _traffic(timing: Timing, table: Callable[[Iterable[Sequence[object]]], str]) -> str:
    """What each buffer moved, where the run has addresses."""
    if not timing.traffic:
        return ""
    heads = ("buffer", "loads", "stores", "bytes read", "bytes written", "L1 misses", "L2 misses", "lines prefetched")
    rows = [(name, t.loads, t.stores, t.bytes_read, t.bytes_written, t.l1_misses, t.l2_misses, t.prefetched)
            for name, t in timing.traffic.items()]
    head = "".join(f'<th scope="col">{word}</th>' for word in heads)
    return f"<h2>Memory by buffer (modelled)</h2>\n<table><tr>{head}</tr>{table(rows)}</table>\n"
