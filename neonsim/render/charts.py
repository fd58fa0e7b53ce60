"""Figures of the studies: lines over a logarithmic axis, groups of bars. Modelled is solid, measured dashed or hollow.

A figure is plain data (`timing.studies.Lines`, `Bars`); colours, light and dark, are those of `svg`. Lines differ by
colour, mark and a name at their end, so that readers need not tell colours apart; a picture says its numbers to those
who cannot see it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from neonsim.arm.timing.report.analysis import short_name
from neonsim.errors import BadArgument
from neonsim.render.heatmap import heat_map
from neonsim.render.html import sheet
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.timing import Timing
    from neonsim.studies.kernels import Bars, Heat, Lines, Report, Series

__all__ = ["bar_chart", "chart", "comparison_page", "line_chart", "slots_chart", "study_cell", "study_page"]

WIDTH, LEFT, RIGHT, TOP, BOTTOM, PLOT = 920, 66, 150, 48, 58, 320     # px; PLOT: height of the area with the data
COLORS = 8                                                           # series roles of the palette
LABEL = 15                                                            # px between two names at the ends of lines


def chart(figure: Lines | Bars | Heat, title: str) -> Picture:
    """Draw a study's figure."""
    if hasattr(figure, "cells"):
        return heat_map(figure, title)      # type: ignore[arg-type]
    return line_chart(figure, title) if hasattr(figure, "series") else bar_chart(figure, title)  # type: ignore[arg-type]


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers from low to high."""
    rough = max(high - low, 1e-9) / 7
    power = 10 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= rough)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _mark(drawing: Drawing, kind: int, x: float, y: float, role: str, hollow: bool) -> None:
    """A circle, square, diamond or triangle, by the number of the series."""
    r = 3.6
    shapes = (f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0Z",
              f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}Z",
              f"M{x:g} {y - 1.4 * r:g}L{x + 1.4 * r:g} {y:g}L{x:g} {y + 1.4 * r:g}L{x - 1.4 * r:g} {y:g}Z",
              f"M{x:g} {y - 1.2 * r:g}L{x + 1.2 * r:g} {y + r:g}H{x - 1.2 * r:g}Z")
    drawing.path(shapes[kind % 4], f"{'line' if hollow else 'mark'}-{role}", width=1.4)


def _frame(drawing: Drawing, title: str, figure: Lines | Bars, low: float, high: float, right: float) -> None:
    drawing.text(14, 22, title, bold=True, mono=False, size=13)
    rules = "".join(f"; line at {value:g}: {text}" for value, text in figure.rules)
    drawing.text(14, 40, figure.y_label + rules, "soft", size=11, mono=False)
    for tick in _ticks(low, high):
        y = _height(tick, low, high)
        drawing.path(f"M{LEFT} {y:g}H{right:g}", "arrow", width=0.6, opacity=0.45)
        drawing.text(LEFT - 8, y + 4, f"{tick:g}", "soft", size=11, anchor="end")


def _height(value: float, low: float, high: float) -> float:
    return TOP + PLOT * (1 - (value - low) / (high - low))


def _rules(drawing: Drawing, rules: tuple[tuple[float, str], ...], low: float, high: float, right: float) -> None:
    for value, text in rules:
        if low <= value <= high:
            y = _height(value, low, high)
            drawing.path(f"M{LEFT} {y:g}H{right:g}", "accent", width=1.2, title=text)


def line_chart(figure: Lines, title: str) -> Picture:
    """Lines over a logarithmic x axis.

    figure   series of (x, y), x positive; horizontal rules; marks on a series
    title    one line

    Raises BadArgument if there is nothing to draw.
    """
    points = [point for series in figure.series for point in series.points]
    if not points or min(x for x, _ in points) <= 0:
        raise BadArgument("A line chart needs points with positive x.")
    xs = sorted({x for x, _ in points})
    values = [y for _, y in points] + [value for value, _ in figure.rules]
    spread = max(values) - min(values) or 1.0
    low, high = min(values) - 0.06 * spread, max(values) + 0.06 * spread
    right = WIDTH - RIGHT

    def place(x: float) -> float:
        first, last = math.log2(xs[0]), math.log2(xs[-1])
        return LEFT + 14 + (right - LEFT - 28) * ((math.log2(x) - first) / (last - first) if last > first else 0.5)

    drawing = Drawing()
    _frame(drawing, title, figure, low, high, right)
    _rules(drawing, figure.rules, low, high, right)
    for x in xs:
        drawing.text(place(x), TOP + PLOT + 18, f"{x:g}", "soft", size=11, anchor="middle")
    drawing.text((LEFT + right) / 2, TOP + PLOT + 38, figure.x_label, "soft", size=11, anchor="middle", mono=False)
    for number, series in enumerate(figure.series):
        role = str(number % COLORS)
        line = " ".join(f"{'ML'[k > 0]}{place(x):.1f} {_height(y, low, high):.1f}"
                        for k, (x, y) in enumerate(series.points))
        drawing.path(line, f"line-{role}", width=1.8, dashed=series.measured)
        for x, y in series.points:
            _mark(drawing, number, place(x), _height(y, low, high), role, series.measured)
    for name, x, text in figure.marks:
        number = next(k for k, series in enumerate(figure.series) if series.name == name)
        y = dict(figure.series[number].points)[x]
        drawing.path(f"M{place(x):.1f} {_height(y, low, high) - 9:.1f}v-16", f"line-{number % COLORS}", width=1.4)
        drawing.text(place(x), _height(y, low, high) - 28, text, f"mark-{number % COLORS}", size=10, anchor="middle",
                     mono=False)
    _names(drawing, figure.series, low, high, right)
    said = "; ".join(
        f"{s.name}{' (measured)' if s.measured else ''}: " + ", ".join(f"{x:g} {y:.2f}" for x, y in s.points)
        for s in figure.series)
    wide = max(WIDTH, right + 27 + 7 * max(len(series.name) for series in figure.series))
    return drawing.finish(wide, TOP + PLOT + BOTTOM, f"{title}. {figure.y_label} by {figure.x_label}. {said}")


def _names(drawing: Drawing, series: tuple[Series, ...], low: float, high: float, right: float) -> None:
    """Names at the ends of the lines, moved apart where they would overlap."""
    ends = sorted((_height(s.points[-1][1], low, high), k) for k, s in enumerate(series))
    placed = [y for y, _ in ends]
    for k in range(1, len(placed)):
        placed[k] = max(placed[k], placed[k - 1] + LABEL)
    placed[-1] = min(placed[-1], TOP + PLOT)
    for k in range(len(placed) - 2, -1, -1):
        placed[k] = min(placed[k], placed[k + 1] - LABEL)
    for y, (end, k) in zip(placed, ends, strict=True):
        drawing.path(f"M{right - 12:g} {end:.1f}L{right + 4:g} {y:.1f}", f"line-{k % COLORS}", width=0.8, opacity=0.7)
        _mark(drawing, k, right + 10, y, str(k % COLORS), series[k].measured)
        drawing.text(right + 19, y + 4, series[k].name, f"mark-{k % COLORS}", size=11, mono=False)


def bar_chart(figure: Bars, title: str) -> Picture:
    """Groups of bars from zero, one bar a legend entry.

    figure   groups of values, None where there is none; horizontal rules
    title    one line

    Raises BadArgument if there is nothing to draw.
    """
    values = [value for _, group in figure.groups for value in group if value is not None]
    if not values:
        raise BadArgument("A bar chart needs values.")
    high = 1.08 * max([*values, *(value for value, _ in figure.rules)]) or 1.0      # where nothing is above zero
    right = WIDTH - 14
    drawing = Drawing()
    _frame(drawing, title, figure, 0.0, high, right)
    _rules(drawing, figure.rules, 0.0, high, right)
    span = (right - LEFT) / len(figure.groups)
    bar = min(34.0, 0.8 * span / len(figure.legend))
    # Long names of groups stand under each other, in turn.
    crowded = max(len(name) for name, _ in figure.groups) * 6.4 > span
    for g, (name, group) in enumerate(figure.groups):
        middle = LEFT + (g + 0.5) * span
        drawing.text(middle, TOP + PLOT + 17 + 15 * (crowded and g % 2), name, size=11, anchor="middle", mono=False)
        for k, value in enumerate(group):
            if value is None:
                continue
            x = middle + (k - len(group) / 2) * bar
            top = _height(value, 0.0, high)
            hollow = figure.legend[k] in figure.measured
            drawing.path(f"M{x + 1:.1f} {TOP + PLOT}V{top:.1f}h{bar - 2:.1f}V{TOP + PLOT}Z",
                         f"{'line' if hollow else 'mark'}-{k % COLORS}", width=1.6, dashed=hollow,
                         title=f"{name}, {figure.legend[k]}: {value:g}")
            if bar >= 20 or len(values) <= 24:
                drawing.text(x + bar / 2, top - 4, f"{value:.3g}", "soft", size=9, anchor="middle")
    drawing.path(f"M{LEFT} {TOP + PLOT}H{right}", "arrow", width=1)
    x = float(LEFT)
    for k, word in enumerate(figure.legend):
        y = TOP + PLOT + BOTTOM - 2
        hollow = word in figure.measured
        role = f"{'line' if hollow else 'mark'}-{k % COLORS}"
        drawing.path(f"M{x:g} {y}v-11h14v11Z", role, width=1.4, dashed=hollow)
        drawing.text(x + 20, y, word, size=11, mono=False)
        x += 44 + 6.6 * len(word)
    said = "; ".join(
        f"{name}: " + ", ".join(f"{word} {value:g}" for word, value in zip(figure.legend, group, strict=True)
                                if value is not None) for name, group in figure.groups)
    return drawing.finish(WIDTH, TOP + PLOT + BOTTOM + 14, f"{title}. {figure.y_label}. {said}")


def slots_chart(timings: Sequence[Timing]) -> Picture:
    """Return where the cycles of several timings go: a bar each, what issued at the foot, above it the lost slots by
    reason.

    timings   at least one; cycles an iteration of loops, of the whole call otherwise

    Raises BadArgument if there is none.
    """
    if not timings:
        raise BadArgument("Nothing to draw: pass at least one Timing.")
    parts = []
    for t in timings:
        times = t.stream.iterations
        parts.append({"issued": t.run.filled / t.core.width / times,
                      **{reason: cycles / times for reason, cycles in t.stalls.items()}})
    most: dict[str, float] = {}
    for part in parts:
        for reason, cycles in part.items():
            most[reason] = max(most.get(reason, 0.0), cycles)
    # As many reasons as there are colours; the small ones share the last.
    shown = sorted((r for r in most if r != "issued"), key=lambda r: -most[r])[:COLORS - 2]
    names = ["issued", *shown, "other reasons"]
    groups = tuple((t.core.name, tuple(_share(part, names, k) for k in range(len(names))))
                   for t, part in zip(timings, parts, strict=True))
    high = 1.08 * max(sum(values) for _, values in groups)
    right, height = WIDTH - 14, TOP + PLOT + BOTTOM + 40
    drawing = Drawing()
    drawing.text(14, 22, "Where the cycles go (modelled)", bold=True, mono=False, size=13)
    drawing.text(14, 40, "cycles an iteration, or of the call", "soft", size=11, mono=False)
    for tick in _ticks(0.0, high):
        drawing.path(f"M{LEFT} {_height(tick, 0.0, high):g}H{right}", "arrow", width=0.6, opacity=0.45)
        drawing.text(LEFT - 8, _height(tick, 0.0, high) + 4, f"{tick:g}", "soft", size=11, anchor="end")
    span = (right - LEFT) / len(groups)
    bar = min(70.0, 0.7 * span)
    for g, ((core, values), timing) in enumerate(zip(groups, timings, strict=True)):
        middle, base = LEFT + (g + 0.5) * span, 0.0
        for k, value in enumerate(values):
            if value > 0:
                top = _height(base + value, 0.0, high)
                drawing.path(f"M{middle - bar / 2:.1f} {_height(base, 0.0, high):.1f}V{top:.1f}h{bar:.1f}V"
                             f"{_height(base, 0.0, high):.1f}Z", f"mark-{k}", width=1,
                             title=f"{timing.stream.name}, {core}, {names[k]}: {value:.1f}")
                base += value
        drawing.text(middle, _height(base, 0.0, high) - 5, f"{base:.1f}", size=11, anchor="middle")
        drawing.text(middle, TOP + PLOT + 16, core, size=11, anchor="middle", mono=False)
        drawing.text(middle, TOP + PLOT + 31, short_name(timing)[:max(6, int(span / 6.2))], "soft", size=10,
                     anchor="middle", mono=False)
    x, y = float(LEFT), TOP + PLOT + 58
    for k, word in enumerate(names):
        if x + 30 + 6.6 * len(word) > WIDTH:
            x, y = float(LEFT), y + 18
        drawing.path(f"M{x:g} {y}v-11h14v11Z", f"mark-{k}", width=1.4)
        drawing.text(x + 20, y, word, size=11, mono=False)
        x += 40 + 6.6 * len(word)
    said = "; ".join(f"{t.stream.name} on {core}: " + ", ".join(f"{name} {value:.1f}" for name, value in
                                                                zip(names, values, strict=True) if value)
                     for (core, values), t in zip(groups, timings, strict=True))
    return drawing.finish(WIDTH, height, f"Where the cycles go, modelled. {said}")


def _share(part: dict[str, float], names: list[str], k: int) -> float:
    """Cycles of the k-th name; the last one holds everything without a name of its own."""
    if k < len(names) - 1:
        return part.get(names[k], 0.0)
    return sum(cycles for reason, cycles in part.items() if reason not in names)


def comparison_page(timings: Sequence[Timing]) -> str:
    """Several timings side by side as the text of an HTML file: where the cycles go, and what binds."""
    picture = slots_chart(timings)
    head = ["kernel, core", "instructions", "cycles", "an iteration", "products a cycle", "bound by", "at least",
            "registers"]
    rows = [[f"{t.stream.name}, {t.core.name}", str(t.instructions), str(t.cycles),
             f"{t.cycles_per_iteration:.1f}" if t.stream.body else "-", f"{t.macs_per_cycle:.2f}", t.bounds.binding,
             f"{t.bounds.highest / t.bounds.per:.1f}", str(t.pressure.max_live)] for t in timings]
    notes = ("Counted: instructions, registers alive at most. Everything else is modelled. Slots (width times cycles) "
             "add up: what issued, and what was lost, charged to what the oldest instruction left was waiting for.")
    title = "Timings side by side (modelled)"
    return _page(title, picture, notes, [(head, rows)])


BODY = """<h1>{title}</h1>
<figure tabindex="0">{picture}</figure>
<p class="notes" style="overflow-wrap: anywhere">{notes}</p>
{tables}"""
# The picture has the title; a notebook has no style of ours.
CELL = """{picture}
<p style="white-space: pre-line; overflow-wrap: anywhere">{notes}</p>
{tables}"""
Tables = Sequence[tuple[list[str], list[list[str]]]]


def _page(title: str, picture: Picture, notes: str, tables: Tables) -> str:
    """Figure, notes, tables."""
    return sheet(title, BODY.format(title=html.escape(title), picture=picture, notes=html.escape(notes),
                                    tables=_tables(tables)))


def _tables(tables: Tables) -> str:
    parts = []
    for head, rows in tables:
        names = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        parts.append(f'<div tabindex="0" style="overflow-x: auto"><table><tr>{names}</tr>{cells}</table></div>')
    return "\n".join(parts)


def study_page(study: Report) -> str:
    """Return a study as the text of an HTML file: figure, what there is to see, the numbers. `Report.to_html` writes
    it."""
    return _page(study.title, study.picture(), study.remarks, study.tables)


def study_cell(study: Report) -> str:
    """Return the same as markup for a notebook's output, trusted or not: the figure is an image."""
    return CELL.format(picture=study.picture().image, notes=html.escape(study.remarks), tables=_tables(study.tables))
