"""How far the cycle models are from what others measured: every published loop of every core, and the tables beside it.

A bar to the right is a model that is too slow, to the left one that is too fast; outlined bars are llvm-mca's, where it
has a model of its own. All numbers stand in the picture, so that readers need not measure a bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.timing.validation.microbench import MicrobenchReport
    from neonsim.arm.timing.validation.published_loops import AnchorRow, Anchors

__all__ = ["evidence"]

WIDTH, ROW, HEAD, TOP = 920, 20, 30, 64         # px
ZERO, HALF, NUMBER = 590, 170, 836              # px: the middle of the bars, their greatest length, their numbers' end
LETTERS = 57                                    # of a loop's name


def evidence(anchors: Anchors, tables: Sequence[MicrobenchReport] = (), without: Sequence[str] = ()) -> Picture:
    """Error of the model of each core, loop by loop. Modelled against measured.

    anchors   loops and calls with published speeds beside the models
    tables    single instructions beside measured or published tables
    without   cores that there is no loop for: said, not drawn

    Raises BadArgument if there is no loop at all.
    """
    if not anchors.rows:
        raise BadArgument("There is no published loop to draw. Name a core that has one, or no core to draw all.")
    by_core: dict[str, list[AnchorRow]] = {}
    for row in anchors.rows:
        by_core.setdefault(row.anchor.core, []).append(row)
    errors = [abs(row.error(value)) for row in anchors.rows for value in (row.modeled, row.llvm) if value]
    # A few large ones of others would make all bars short: they are cut, and their numbers are whole.
    longest = max(0.05, min(max(errors), 0.5))
    height = TOP + sum(HEAD + ROW * len(rows) for rows in by_core.values()) + ROW * (len(without) > 0) + 44
    drawing = Drawing()
    drawing.text(14, 24, "Cycle models beside what others measured", bold=True, mono=False, size=14)
    drawing.text(14, 44, "time modelled / measured - 1: left too fast, right too slow; outlined: llvm-mca", "soft",
                 size=11, mono=False)
    y, said = float(TOP), []
    table = {each.core: each for each in tables}
    for core, rows in by_core.items():
        mean = sum(abs(row.error(row.modeled)) for row in rows) / len(rows)
        text = f"{core}: {100 * mean:.1f} % over {len(rows)} loop{'s' * (len(rows) > 1)}"
        if core in table:
            agree, wrong = len(table[core].agree), len(table[core].deviations)
            left = sum(map(len, table[core].excluded.values()))
            text += f"; single instructions: {agree} figures agree, {wrong} do not, {left} left out with a reason"
        said.append(text)
        drawing.text(14, y + 19, text, bold=True, size=12, mono=False)
        y += HEAD
        drawing.path(f"M{ZERO} {y - 4:g}V{y + ROW * len(rows) - 4:g}", "arrow", width=1)
        for row in rows:
            _row(drawing, row, y, longest)
            y += ROW
    if without:
        drawing.text(14, y + 18, f"No published loop here for {', '.join(without)}.", "soft", size=11, mono=False)
        y += ROW
    drawing.text(14, y + 22, f"Bars end at {100 * longest:.0f} %. Ours is modelled, never measured here; sources: "
                 "neonsim cores validate --loops and --instructions.", "soft", size=11, mono=False)
    return drawing.finish(WIDTH, height, "Error of the cycle models: " + "; ".join(said))


def _row(drawing: Drawing, row: AnchorRow, y: float, longest: float) -> None:
    """One loop: its name, our bar and number, llvm-mca's."""
    name = row.anchor.name if len(row.anchor.name) <= LETTERS else row.anchor.name[:LETTERS - 1] + "…"
    drawing.text(30, y + 9, name, size=11)
    ours = row.error(row.modeled)
    title = f"{row.anchor.name}: measured {row.anchor.measured:g} {row.anchor.unit}, modelled {row.modeled:.2f}"
    left, width = _bar(ours, longest)
    drawing.rect(left, y - 1, width, 9, "mark-0", radius=1, title=title)
    drawing.text(NUMBER, y + 9, f"{100 * ours:+.1f} %", size=11, anchor="end")
    if row.llvm is not None:
        other = row.error(row.llvm)
        left, width = _bar(other, longest)
        drawing.rect(left, y + 9, width, 4, "line-1", radius=1, title=f"llvm-mca {row.llvm:.2f}")
        drawing.text(WIDTH - 14, y + 9, f"{round(100 * other) + 0:+d} %", "soft", size=11, anchor="end")


def _bar(error: float, longest: float) -> tuple[float, float]:
    """(left end, length) of a bar."""
    length = HALF * min(abs(error) / longest, 1.0)
    return (ZERO - length if error < 0 else ZERO), max(length, 1.0)
