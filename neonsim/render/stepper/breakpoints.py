"""Where a run stops, besides at a plain line; GRAMMAR says how one writes it, conditions as in
`neonsim.render.stepper.expression`. The twin for pages is `static/stops.js`; `tests/render/stops.json` holds both to
the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neonsim.arm.machine.arch.register_names import TYPE_BYTES, locate, printable
from neonsim.errors import BadArgument
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.expression import StateView, WatchExpression, WatchTarget, parse_expression

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["GRAMMAR", "Breakpoint", "Breakpoints", "parse_stop", "places"]

GRAMMAR = """\
stops, for --stop and for stop in the stepper:
  x2 == 8               where a condition begins to hold
  line 12               before each time a line is executed
  write c[0,3]          behind each step that writes a cell, a buffer (c), a
  write v3.s[1]           register (x2, v3, nzcv) or one of its lanes
  read a[0]             behind each step that reads it
  write x2 if x2 < 4    any of them, if a condition holds there
conditions are made of x2, v0.h[3] and v0.s[1] (signed), v0.u8[3], c[0,3],
nzcv.z, step, pc, line, sum(v4.s), min, max, abs, numbers, brackets and
  or and not == != < <= > >= | & << >> + - * / % (from weak to strong)
"""
FORM = re.compile(r"(write|read|line)\s+(?=\w)(.*?)(\sif(?=\s|$).*)?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Breakpoint:
    """A stop of one run.

    line        before this line        way, target   "write" or "read", and of what
    condition   must hold there; alone: where it begins to hold
    """

    text: str
    line: int | None = None
    access: str = ""
    target: WatchTarget | None = None
    condition: WatchExpression | None = None


def parse_stop(text: str, trace: Trace, columns: Mapping[str, int] | None = None) -> Breakpoint:
    """Return a stop from its text. Raises BadArgument, which says what is wrong."""
    text = text.strip()
    form = FORM.fullmatch(text)
    if form is None or any(buffer.name == form[1] for buffer in trace.buffers):
        condition = _condition(text, trace, columns)
        if condition.target is not None:
            raise BadArgument(f"{text} alone is not a condition. Compare it ({text} == 1), or stop when it is written "
                              f"(write {text})")
        return Breakpoint(text, condition=condition)
    way, what = form[1].lower(), form[2]
    also = _condition(form[3][3:], trace, columns) if form[3] else None
    if way == "line":
        if not re.fullmatch(r"[0-9]{1,9}\s*", what):
            raise BadArgument("line needs one number, as in line 12 or line 12 if x2 == 8")
        if not any(one.position.line == int(what) for one in trace.program.instructions):
            raise BadArgument(f"line {int(what)} has no instruction")
        return Breakpoint(text, line=int(what), condition=also)
    target = parse_expression(what, trace, columns).target
    if target is None:
        raise BadArgument(f"{way} needs one register, lane, cell or buffer, as in {way} x2 or {way} c[0,3]")
    return Breakpoint(text, access=way, target=target, condition=also)


def _condition(text: str, trace: Trace, columns: Mapping[str, int] | None) -> WatchExpression:
    condition = parse_expression(text, trace, columns)
    if condition.is_vector and condition.target is None:
        raise BadArgument("several values are not a condition. Name a lane, or use sum, min or max")
    return condition


def places(stop: Breakpoint, walk: TraceCursor) -> npt.NDArray[np.int64]:
    """Return where a run that comes along stops: numbers of executed instructions, rising."""
    trace = walk.trace
    if stop.line is not None:
        fires = np.append(np.isin(trace.pc, walk.pcs_of_line(stop.line)), False)
    elif stop.target is not None:
        fires = np.append(False, _touching(stop.target, stop.access == "write", walk))
    else:
        fires = np.ones(trace.steps + 1, np.bool_)
    if stop.condition is not None:
        holds = _holds(stop.condition, trace)
        fires &= holds
        if stop.line is None and stop.target is None:
            fires[0] = False
            fires[1:] &= ~holds[:-1]
    return np.flatnonzero(fires)


class Breakpoints:
    """The stops of one run: what a stepper keeps. `at`: text -> its places."""

    def __init__(self, walk: TraceCursor, columns: Mapping[str, int] | None = None) -> None:
        self.walk, self.columns = walk, columns
        self.at: dict[str, npt.NDArray[np.int64]] = {}

    def toggle(self, text: str) -> bool:
        """Set a stop, or remove the one that is written so. Whether it is set now. Raises as `parse_stop`."""
        stop = parse_stop(text, self.walk.trace, self.columns)
        if self.at.pop(stop.text, None) is not None:
            return False
        self.at[stop.text] = places(stop, self.walk)
        return True

    def nearest(self, step: int, direction: int = 1) -> tuple[int, str] | None:
        """Return the next place to stop at after a step (or the last one before it), and why."""
        found = []
        for text, at in self.at.items():
            k = int(np.searchsorted(at, step, side="right")) if direction > 0 else int(np.searchsorted(at, step)) - 1
            if 0 <= k < len(at):
                found.append((int(at[k]), text))
        return (min(found) if direction > 0 else max(found)) if found else None

    def times(self, text: str) -> str:
        """Return how often a stop is reached."""
        count = len(self.at[text])
        return {0: "never reached", 1: "reached once"}.get(count, f"reached {count} times")


def _touching(target: WatchTarget, store: bool, walk: TraceCursor) -> npt.NDArray[np.bool_]:
    """Of each step: whether it writes (or reads) the target."""
    trace = walk.trace
    found = np.zeros(trace.steps, np.bool_)
    if target.memory:
        for one in trace.changes if store else ():      # by hand; of registers they are in the columns
            if one.place == target.name and one.step > trace.first:
                found[one.step - trace.first - 1] |= (one.offset < target.start + target.nbytes
                                                      and target.start < one.offset + len(one.data))
        home = next(b for b in trace.buffers if b.name == target.name)
        start = np.asarray(trace.access_address, np.int64) - home.address
        meets = (start < target.start + target.nbytes) & (target.start < start + trace.access_bytes)
        rows = np.flatnonzero(meets & (np.asarray(trace.access_store) == store))
        found[np.searchsorted(trace.access_start, rows, side="right") - 1] = True
        return found
    takes = np.array([_takes(target, store, walk, pc) for pc in range(len(trace.program.instructions))], np.bool_)
    found[:] = takes[np.asarray(trace.pc)] & np.asarray(trace.executed, np.bool_)
    if store:
        rows = np.flatnonzero(np.asarray(trace.write_location) == trace.locations.index(target.name))
        written = np.zeros(trace.steps, np.bool_)
        written[np.searchsorted(trace.write_start, rows, side="right") - 1] = True
        found &= written
    return found


def _takes(target: WatchTarget, store: bool, walk: TraceCursor, pc: int) -> bool:
    """Whether an instruction meets the bytes of a location; if it is unknown which lanes it takes, it meets all."""
    isa, one, edges = walk.trace.isa, walk.trace.program.instructions[pc], walk.touched(pc).edges
    uses = one.writes if store else one.reads
    if not store and not any(locate(use.register, isa)[0] == target.name for use in uses):
        return False
    read = [lane for edge in edges for lane in edge.sources if locate(lane[0], isa)[0] == target.name]
    written = [edge.destination for edge in edges if locate(edge.destination[0], isa)[0] == target.name]
    lanes = written if store else read
    if target.is_entire or not lanes or (store and isa == "aarch64" and not read):
        return True  # A64: a result that is shorter than its register clears the rest of it
    spans = [(locate(register, isa)[1], number, TYPE_BYTES[printable(kind)]) for register, kind, number in lanes]
    return any(first + at * size < target.start + target.nbytes and target.start < first + (at + 1) * size
               for first, at, size in spans)


def _holds(condition: WatchExpression, trace: Trace) -> npt.NDArray[np.bool_]:
    """At each place: whether the condition holds. Worked out where something that it depends on is written."""
    wanted, walk = np.isin(np.asarray(trace.write_location), [trace.locations.index(name) for name in
                                                              condition.uses[False]]), TraceCursor(trace)
    rows = np.flatnonzero(wanted)
    changes = np.searchsorted(trace.write_start, rows, side="right")      # behind which step each was written
    written = list(zip(changes.tolist(), rows.tolist(), strict=True))[::-1]
    moments = {*changes.tolist(), *(range(1, trace.steps + 1) if condition.is_moving else ())}
    if condition.uses[True]:
        stores = np.flatnonzero(np.asarray(trace.access_store, np.bool_))
        moments |= {*np.searchsorted(trace.access_start, stores, side="right").tolist(),
                    *(one.step - trace.first for one in trace.changes if one.step > trace.first)}
    registers = dict(trace.initial)
    here = StateView(registers, walk.memory, trace.knowledge.cursor_at(0)).stand(trace, 0)
    value = np.zeros(trace.steps + 1, np.bool_)
    at, holds = 0, condition.value(here) != 0
    for step in sorted(moments):
        value[at:step] = holds
        while written and written[-1][0] == step:
            row = written.pop()[1]
            name = trace.locations[trace.write_location[row]]
            registers[name] = trace.write_after[row, :len(trace.initial[name])].tobytes()
        if condition.uses[True]:
            walk.goto(step)
        assert here.definedness is not None
        here.definedness.goto(step)
        at, holds = step, condition.value(here.stand(trace, step)) != 0
    value[at:] = holds
    return value
