"""Tasks of a product on threads: the result as a grid, numbered by who computes it, and the work of every thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.render.svg import SERIES, Drawing, Picture

if TYPE_CHECKING:
    from neonsim.nn.ops.explain.task_split import TaskGrid

__all__ = ["task_grid_picture"]

WIDE, HIGH, LEFT, TOP, BAR = 560, 300, 14, 66, 18       # px: the largest grid, margins, height of a bar


def task_grid_picture(grid: TaskGrid) -> Picture:
    """Draw the tasks: rows and columns of the result to scale, then a bar of work for every thread."""
    drawing = Drawing()
    tiles, columns = grid.owner.shape
    drawing.text(LEFT, 22, f"{grid.m} x {grid.n} by {grid.threads} threads: {grid.tasks} tasks of {grid.mr} x "
                 f"{grid.width}", bold=True, mono=False, size=13)
    drawing.text(LEFT, 42, f"columns of the result from left to right, rows of {grid.mr} from top to bottom; a "
                 "colour is a thread", "soft", size=11, mono=False)
    shown = min(tiles, 40)
    step_x, step_y = WIDE / grid.n, min(HIGH / shown, 26.0)
    for row in range(shown):
        for column in range(columns):
            x, here = column * grid.width * step_x, min(grid.width, grid.n - column * grid.width) * step_x
            thread = int(grid.owner[row, column])
            y = TOP + row * step_y
            color = f"mark-{thread % len(SERIES)}"
            drawing.rect(LEFT + x, y, max(here - 1, 0.5), max(step_y - 1, 0.5), color, radius=1,
                         title=f"rows {row * grid.mr}.., columns {column * grid.width}..: thread {thread}")
            if here > 14 and step_y > 11:
                drawing.text(LEFT + x + here / 2, y + step_y / 2 + 4, str(thread), "paper-ink", size=10,
                             anchor="middle")
    bottom = TOP + shown * step_y + 8
    if shown < tiles:
        drawing.text(LEFT, bottom + 8, f"... {tiles - shown} more rows of tasks", "soft", size=11, mono=False)
        bottom += 18
    most = max(grid.work)
    for thread, work in enumerate(grid.work):
        y = bottom + thread * (BAR + 4)
        drawing.text(LEFT, y + 13, f"thread {thread}", size=11)
        drawing.rect(LEFT + 74, y, max((WIDE - 74) * work / most, 1), BAR, f"mark-{thread % len(SERIES)}", radius=2,
                     title=f"{work:.0f} MACs")
    end = bottom + grid.threads * (BAR + 4) + 16
    drawing.text(LEFT, end, f"balance {grid.balance:.2f} (ideal 1): work of an ideal thread / of the busiest", "soft",
                 size=11, mono=False)
    return drawing.finish(LEFT * 2 + WIDE, end + 14, f"{grid.tasks} tasks on {grid.threads} threads, balance "
                          f"{grid.balance:.2f}")
