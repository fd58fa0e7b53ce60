"""One instruction as a picture: source lanes above, result lanes below, arrows and arithmetic between them.

The arrows come from the instruction's own meaning (`arm.machine.trace.dataflow`), so every instruction has its picture.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from neonsim.arm.machine.arch.register_names import (
    TYPE_BYTES,
    Names,
    Signed,
    expression_text,
    lane_edges,
    lane_name,
    lane_values,
    locate,
    names_by_register,
    printable,
    signed_sums,
    sources_drawn,
)
from neonsim.arm.semantics.lane_order import LANE0, in_order
from neonsim.errors import BadArgument
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.isa import Instruction
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["lanes_picture", "step_picture", "with_values"]

UNIT, LABEL, BOX, GAP, FALL = 34, 150, 24, 10, 58  # px: a byte, row labels, a box, between rows, sources to results
MAX_FORMULAS = 16
CHARACTER, WIDE = 7.1, 700  # px: a character of a formula; formulas are broken when a picture would get wider
TOKEN = re.compile(r"\b([a-z]+\d*)(?:\.([a-z]*)(\d*))?\[(\d+)\]|\b([xr]\d+|sp)\b(?!\.)")
CAST = re.compile(r"\b[sux]\d+\((\(-\d+\)|\d+)\)")  # of a number: says nothing any more

State = Mapping[str, bytes]
Lane = tuple[str, str, int]  # register, element type, lane


@dataclass
class _Row:
    """One line of boxes: a register, or up to 16 bytes of memory. `first` is the number of its first lane."""

    register: str
    type: str
    first: int = 0
    lanes: set[int] = field(default_factory=set)
    nbytes: int = 0
    y: float = 0


def step_picture(trace: Trace, step: int, **options: object) -> Picture:
    """Return the instruction that step `step` (0-based) of a trace executes, with the values of that step.

    options   names, lane0, select of `lanes_picture`

    Raises BadArgument if the trace has no such step.
    """
    if not 0 <= step < trace.steps:
        raise BadArgument(f"step {step} is not in this trace: it has steps 0 to {trace.steps - 1}")
    instruction = trace.program.instructions[int(trace.pc[step])]
    before = {**trace.marked(step), "mem": trace.met(step)}
    after = {**trace.marked(step + 1, edits=False), "mem": trace.met(step, after=True)}
    return lanes_picture(instruction, isa=trace.isa, before=before, after=after, signed=signed_sums(trace.program),
                         **options)  # type: ignore[arg-type]


def lanes_picture(instruction: Instruction, *, isa: str, before: State | None = None, after: State | None = None,
                  names: Names | None = None, lane0: str = LANE0, select: int | None = None,
                  signed: Signed = frozenset()) -> Picture:
    """Draw the dataflow of an instruction.

    isa       "aarch64" | "aarch32"
    before    location -> bytes before it (as `trace.state(step)`): values of the sources; None: lane numbers alone
    after     the same after it: values of the results
    names     register -> name, or a kernel header's name -> registers
    lane0     "right" as Arm's manual draws registers, or "left" as memory and numpy do
    select    number of the result lane whose arrows are drawn strong; None: all of them
    signed    sums of the program that are signed whatever this instruction says
              (`neonsim.arm.machine.arch.register_names.signed_sums`)

    Raises BadArgument if the instruction moves no lanes (a branch, an address computation) or an argument is wrong.
    """
    in_order((), lane0)
    edges = lane_edges(instruction, signed)
    if not edges:
        raise BadArgument(f"{instruction} moves no lanes, so there is nothing to draw")
    if select is not None and not 0 <= select < len(edges):
        raise BadArgument(f"select must be a result lane 0..{len(edges) - 1}, got {select}")
    titles = names_by_register(names)
    targets = _rows([edge.destination for edge in edges], isa)
    results = {row.register for row in targets}
    sources = _rows([source for edge in edges for source in sources_drawn(edge)], isa)
    sources.sort(key=lambda row: row.register in results)  # the accumulator right above its new value

    width_bytes = max(row.nbytes for row in [*sources, *targets])
    width: float = LABEL + UNIT * width_bytes + 14
    drawing = Drawing()
    drawing.text(14, 24, str(instruction), size=14, bold=True)
    drawing.text(width - 14, 24, f"lane 0 {lane0}", "soft", size=11, anchor="end", mono=False)
    y = 40.0
    for row in sources:
        row.y, y = y, y + BOX + GAP
    y += FALL - GAP
    for row in targets:
        row.y, y = y, y + BOX + GAP

    right = float(width - 14)

    def left(row: _Row, lane: int) -> float:
        size, place = TYPE_BYTES[row.type] * UNIT, lane - row.first
        return right - (place + 1) * size if lane0 == "right" else LABEL + place * size

    for number, edge in enumerate(edges):
        target = _find(targets, edge.destination)
        strong = select is None or number == select
        x1 = left(target, edge.destination[2]) + TYPE_BYTES[target.type] * UNIT / 2
        for one in sources_drawn(edge):
            source = _find(sources, one)
            x0, y0, y1 = left(source, one[2]) + TYPE_BYTES[source.type] * UNIT / 2, source.y + BOX, target.y - 2
            drawing.path(f"M{x0:g} {y0:g}C{x0:g} {y1 - 28:g} {x1:g} {max(y0, y1 - 42):g} {x1:g} {y1:g}",
                         "accent" if number == select else "arrow", width=2.2 if number == select else 1.1,
                         opacity=1 if strong else 0.35)
        drawing.path(f"M{x1 - 4:g} {target.y - 7:g}L{x1:g} {target.y - 2:g}L{x1 + 4:g} {target.y - 7:g}", "arrow")
    for rows, state, role in ((sources, before, "read"), (targets, after, "write")):
        for row in rows:
            _draw_row(drawing, row, isa, state, role, titles, left)
    y += 10
    for number, edge in enumerate(edges[:MAX_FORMULAS]):
        strong, text = number == select, expression_text(edge)
        lines = [f"{lane_name(*_key(edge.destination), isa)} = {text}"]
        if before is not None and after is not None:
            numbers = f"= {with_values(text, edge.sources, before, isa)} = {_value(edge.destination, after, isa)}"
            long = CHARACTER * (len(lines[0]) + 1 + len(numbers)) > max(width, WIDE) - 36
            lines = [lines[0], f"    {numbers}"] if long else [f"{lines[0]} {numbers}"]
        for line in [part for whole in lines for part in _broken(whole, max(width, WIDE))]:
            drawing.text(14, y + 6, line, "ink" if strong else "soft", size=11.5, bold=strong)
            width = max(width, 24 + CHARACTER * len(line))
            y += 17
    if len(edges) > MAX_FORMULAS:
        drawing.text(14, y + 6, f"and {len(edges) - MAX_FORMULAS} more lanes", "soft", size=11.5)
        y += 17
    return drawing.finish(width, y + 6, f"{instruction}: which source lanes make which result lanes")


def _broken(line: str, width: float) -> list[str]:
    """A formula in lines that a picture of this width holds."""
    return textwrap.wrap(line, int((width - 36) / CHARACTER), initial_indent=line[:len(line) - len(line.lstrip())],
                         subsequent_indent=8 * " ", break_long_words=False, break_on_hyphens=False)


def _key(lane: Lane) -> Lane:
    return lane[0], printable(lane[1]), int(lane[2])


def _rows(lanes: list[Lane], isa: str) -> list[_Row]:
    rows: dict[tuple[str, str, int], _Row] = {}
    for register, type_name, lane in map(_key, lanes):
        first = lane - lane % (16 // TYPE_BYTES[type_name]) if register == "mem" else 0
        row = rows.setdefault((register, type_name, first), _Row(register, type_name, first))
        row.lanes.add(lane)
        memory = (lane + 1 - first) * TYPE_BYTES[type_name]
        row.nbytes = max(row.nbytes, memory) if register == "mem" else locate(register, isa)[2]
    return list(rows.values())


def _find(rows: list[_Row], lane: Lane) -> _Row:
    register, type_name, number = _key(lane)
    return next(row for row in rows if (row.register, row.type) == (register, type_name) and number in row.lanes)


def _draw_row(drawing: Drawing, row: _Row, isa: str, state: State | None, role: str, titles: Mapping[str, str],
              left: Callable[[_Row, int], float]) -> None:
    location, _, _ = locate(row.register, isa)
    title = titles.get(row.register, titles.get(location, ""))
    name = "memory" if row.register == "mem" else row.register
    drawing.text(LABEL - 8, row.y + 16, f"{title} {name} {row.type}".strip(), "soft", size=11.5, anchor="end")
    width = TYPE_BYTES[row.type] * UNIT
    for lane in range(row.first, row.first + row.nbytes // TYPE_BYTES[row.type]):
        used = lane in row.lanes
        x = left(row, lane)
        drawing.rect(x + 1, row.y, width - 2, BOX, role if used else "box", dashed=used and role == "read")
        text = str(lane) if state is None else _value((row.register, row.type, lane), state, isa)
        if state is not None:
            below = role == "write"
            drawing.text(x + width / 2, row.y + (BOX + 8 if below else -2), str(lane), "soft", size=8, anchor="middle")
        drawing.text(x + width / 2, row.y + 16, text, f"{role}-ink" if used else "idle-ink", anchor="middle",
                     bold=used and role == "write")


def _value(lane: Lane, state: State, isa: str) -> str:
    register, type_name, number = _key(lane)
    location, offset, _ = locate(register, isa)
    size = TYPE_BYTES[type_name]
    start = offset + size * number
    data = state.get(location, b"")[start:start + size]
    return lane_values(data, type_name)[0] if len(data) == size else "?"


def with_values(expression: str, sources: Sequence[Lane], state: State, isa: str) -> str:
    """Return the arithmetic with every lane's name replaced by its value before the step."""
    def value(match: re.Match[str]) -> str:
        bits = int(match[3]) if match[3] else {"b": 8, "h": 16, "s": 32, "d": 64}.get(match[2])
        for source in sources:
            register, type_name, lane = _key(source)
            fits = bits in (None, TYPE_BYTES[type_name] * 8)
            if fits and (register, lane) == (match[1] or match[5], int(match[4] or 0)):
                text = _value(source, state, isa)
                return f"({text})" if text.startswith("-") else text
        return match[0]

    return CAST.sub(r"\1", TOKEN.sub(value, expression))
