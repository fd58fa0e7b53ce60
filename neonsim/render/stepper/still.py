"""A stepper as it stands, without a script: the program at its current line, and the registers that it uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from neonsim.arm.machine.arch.register_names import Names, lane_values, names_by_register, printable
from neonsim.arm.semantics.lane_order import in_order
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.header import listing
from neonsim.render.svg import Drawing, Picture

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["still_picture"]

ROW, TOP, EDGE, CHARACTER, GAP = 19, 52, 14, 7.3, 26  # px: a line, where the first one is, a character, between columns
LINES, WIDE, ROWS = 16, 52, 18  # lines of the program around the current one, characters of a line, registers
LEAST = 12  # characters of a comment
COMMENT = re.compile(r"//|@|/\*")


def still_picture(trace: Trace, step: int, *, names: Names | None = None, title: str = "") -> Picture:
    """Draw the place behind `step` instructions: what the last one read and wrote is marked.

    names   register -> name, or a kernel header's name -> registers
    title   a heading

    A long program is drawn around its current line, and registers that the last step used come first where there are
    too many. Raises BadArgument for names that are none.
    """
    walk, titles = TraceCursor(trace), names_by_register(names)
    walk.goto(step)
    code, here = _program(walk)
    rows = _registers(walk, titles)
    column = EDGE + CHARACTER * max((len(line) for line in code), default=0) + GAP
    width = max(column + CHARACTER * max((len(text) for _, text in rows), default=0) + EDGE, 560)
    drawing = Drawing()
    place = f"step {walk.step} of {trace.steps}"
    drawing.text(EDGE, 24, f"{title}: {place}" if title else place, bold=True, mono=False, size=13)
    drawing.text(width - EDGE, 24, "lane 0 right", "soft", size=11, anchor="end", mono=False)
    if walk.instruction is not None:
        drawing.text(EDGE, 42, _last(walk), "soft", mono=False, size=12)
    for number, line in enumerate(code):
        y = TOP + number * ROW
        if number == here:
            drawing.rect(EDGE - 6, y, column - GAP - EDGE + 10, ROW - 1, "write")
        drawing.text(EDGE, y + 14, line, "write-ink" if number == here else "ink", bold=number == here)
    for number, (role, text) in enumerate(rows):
        y = TOP + number * ROW
        if role:
            drawing.rect(column - 6, y, width - column, ROW - 1, role)
        drawing.text(column, y + 14, text, f"{role}-ink" if role else "ink")
    said = f"{place}; {code[here].strip()}" if here is not None else place
    return drawing.finish(round(width), TOP + max(len(code), len(rows)) * ROW + EDGE, said)


def _last(walk: TraceCursor) -> str:
    one = walk.instruction
    assert one is not None
    doc = " ".join((one.form.doc or "").strip().partition("\n\n")[0].split())
    return f"{one}   {doc}" if walk.executed else f"{one}   not executed: condition {one.condition} does not hold"


def _program(walk: TraceCursor) -> tuple[list[str], int | None]:
    """Lines of the program, and which of them the last step executed; None before the first step."""
    code = listing(walk.trace.program)
    current = walk.last if walk.last is not None else walk.next
    at = next((k for k, row in enumerate(code) if current in row["pcs"]), 0)
    first = max(0, min(at - LINES // 2, len(code) - LINES))
    digits = len(str(code[-1]["number"])) if code else 0
    lines = [_cut(f"{row['number']:{digits}}  {row['text'].expandtabs(4)}") for row in code[first:first + LINES]]
    return lines, None if walk.last is None else at - first


def _registers(walk: TraceCursor, titles: dict[str, str]) -> list[tuple[str, str]]:
    """(role, text) of each register that the program uses."""
    trace, state = walk.trace, walk.state()
    done = walk.touched(walk.last) if walk.last is not None and walk.executed else None
    written, read = set(walk.written_locations()), set(done.reads) if done is not None else set()
    wanted = [name for name in trace.locations if name in walk.named_locations]
    if len(wanted) > ROWS:
        first = sorted(wanted, key=lambda name: (name not in written, name not in read))[:ROWS]
        wanted = [name for name in wanted if name in first]
    rows = []
    for name in wanted:
        said = done.written_as.get(name) or done.read_as.get(name, "x") if done is not None else "x"
        text = _text(walk, name, state[name], said)
        rows.append(("write" if name in written else "read" if name in read else "",
                     _cut(f"{name:5}{titles.get(name, '')[:10]:11}{text}", 104)))
    return rows


def _text(walk: TraceCursor, name: str, data: bytes, said: str) -> str:
    size, number = len(data), int.from_bytes(data, "little")
    if size == 1:
        bits = [f"{flag}={number >> k & 1}" for k, flag in enumerate(reversed(name if name == "nzcv" else [name]))]
        return f"      {' '.join(reversed(bits))}" if all(getattr(data, "defined", b"\1")) else "      --"
    kind = f"u{8 * size}" if size < 16 else printable(said) if said[0] != "x" else walk.type_of(name)
    lanes = in_order(lane_values(data, kind))
    place = walk.pointer(number) if size < 16 and all(getattr(data, "defined", b"\1")) else ""
    widest = max(map(len, lanes))
    return f"{kind:>4}  " + (place or "  ".join(lane.rjust(widest) for lane in lanes))


def _cut(line: str, most: int = WIDE) -> str:
    """A line of n characters; a comment of which next to nothing would be left goes with its end."""
    if len(line) <= most:
        return line
    comment = COMMENT.search(line)
    code = line[:comment.start()].rstrip() if comment and most - comment.start() < LEAST else line
    return code if len(code) <= most else code[:most - 1] + "\N{HORIZONTAL ELLIPSIS}"
