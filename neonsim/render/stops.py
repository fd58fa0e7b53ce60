"""Where a run stops, besides at a plain line. In the stepper's pages and in the terminal one writes

    x2 == 8                      a condition: where it begins to hold. `neonsim.render.expression` has its grammar
    line 12                      before each time the line is executed
    write x2                     behind each step that writes a register, a lane, a cell or any byte of a buffer:
    write v3.s[1]                  x2, v3, v3.s[1], c[0,3], c, nzcv
    read a[0]                    behind each step that reads it
    write c[0,3] if x2 > 4       any of them with a condition, which must hold there

The twin for pages is `static/stops.js`; `tests/render/stops.json` holds both to the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neonsim.render.expression import Expression, Here, Target, parse_expression, wrong_at
from neonsim.render.names import TYPE_BYTES, locate, printable

if TYPE_CHECKING:
    from neonsim.machine.trace import Trace
    from neonsim.render.walk import Walk

__all__ = ["GRAMMAR", "Breakpoints", "Stop", "parse_stop", "places"]

GRAMMAR = """\
stops, for --stop and for s in the stepper:
  x2 == 8               where a condition begins to hold
  line 12               before each time a line is executed
  write c[0,3]          behind each step that writes a cell, a buffer (c), a
  write v3.s[1]           register (x2, v3, nzcv) or one of its lanes
  read a[0]             behind each step that reads it
  write x2 if x2 < 4    any of them, if a condition holds there
conditions are made of x2, v0.h[3] and v0.s[1] (signed), v0.u8[3], c[0,3],
nzcv.z, step, pc, line, sum(v4.s), min, max, abs, numbers, brackets and
  || && == != < <= > >= | & << >> + - * / % ! (from weak to strong)
"""
FORM = re.compile(r"(\s*)(write|read|line)(\s+)(?=[a-z_0-9])", re.IGNORECASE | re.ASCII)
IF = re.compile(r"\sif(?=\s|$)", re.IGNORECASE)


@dataclass(frozen=True)
class Stop:
    """A stop of one run.

    line        before this line        way, target   "write" or "read", and of what
    condition   must hold there; alone: where it begins to hold
    """

    text: str
    line: int | None = None
    way: str = ""
    target: Target | None = None
    condition: Expression | None = None


def parse_stop(text: str, trace: Trace, columns: Mapping[str, int] | None = None) -> Stop:
    """A stop from its text. Raises BadArgument, which says what is wrong at which character."""
    form = FORM.match(text)
    if form is None or any(buffer.name == form[2] for buffer in trace.buffers):
        condition = parse_expression(text, trace, columns)
        if condition.target is not None:
            said = condition.text
            raise wrong_at(1, f"{said} alone is no condition: compare it ({said} == 1), or stop at a write of it "
                              f"(write {said})")
        return Stop(text.strip(), condition=_checked(condition, trace))
    split, start, way = IF.search(text, form.end()), form.end(), form[2].lower()
    what = text[start:split.start() if split else None]
    also = _checked(parse_expression(text[split.end():], trace, columns, split.end()), trace) if split else None
    if way == "line":
        if not re.fullmatch(r"[0-9]{1,9}\s*", what):
            raise wrong_at(start + 1, "line takes one number, as in line 12 or line 12 if x2 == 8")
        if not any(one.where.line == int(what) for one in trace.program.instructions):
            raise wrong_at(start + 1, f"line {int(what)} holds no instruction")
        return Stop(text.strip(), line=int(what), condition=also)
    target = parse_expression(what, trace, columns, start).target
    if target is None:
        raise wrong_at(start + 1, f"{way} takes one register, lane, cell or buffer, as in {way} x2 or {way} c[0,3]")
    return Stop(text.strip(), way=way, target=target, condition=also)


def _checked(condition: Expression, trace: Trace) -> Expression:
    start = Here(dict(trace.initial), {b.name: bytearray(b.before) for b in trace.buffers})
    if isinstance(condition.value(start), list):
        raise wrong_at(1, "several values are no condition: name a lane, or take sum, min or max")
    return condition


def places(stop: Stop, walk: Walk) -> npt.NDArray[np.int64]:
    """Where a run that comes along stops: numbers of executed instructions, rising."""
    trace = walk.trace
    if stop.line is not None:
        pcs = walk.pcs_of_line(stop.line)
        fires = np.append(np.isin(trace.pc, pcs), False)
    elif stop.target is not None:
        fires = np.append(False, _touching(stop.target, stop.way == "write", walk))
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
    """The stops of one run, each on or off: what a stepper keeps."""

    def __init__(self, walk: Walk, columns: Mapping[str, int] | None = None) -> None:
        self.walk, self.columns = walk, columns
        self.stops: dict[str, Stop] = {}
        self.at: dict[str, npt.NDArray[np.int64]] = {}
        self.off: set[str] = set()

    def toggle(self, text: str) -> bool:
        """Set a stop, or remove the one that is written so. Whether it is set now. Raises as `parse_stop`."""
        stop = parse_stop(text, self.walk.trace, self.columns)
        if self.stops.pop(stop.text, None) is not None:
            del self.at[stop.text]
            self.off.discard(stop.text)
            return False
        self.stops[stop.text], self.at[stop.text] = stop, places(stop, self.walk)
        return True

    def switch(self, number: int) -> None:
        """On or off, by its number in `listing`; a number that no stop has does nothing."""
        if 0 < number <= len(self.stops):
            self.off ^= {list(self.stops)[number - 1]}

    @property
    def lines(self) -> set[int]:
        """The lines that a run stops before."""
        return {stop.line for text, stop in self.stops.items() if stop.line is not None and text not in self.off}

    def nearest(self, step: int, way: int = 1) -> tuple[int, Stop] | None:
        """The next place to stop at after a step (or the last one before it), and why."""
        found = []
        for text, at in self.at.items():
            k = int(np.searchsorted(at, step, side="right")) if way > 0 else int(np.searchsorted(at, step)) - 1
            if text not in self.off and 0 <= k < len(at):
                found.append((int(at[k]), text))
        if not found:
            return None
        place, text = min(found) if way > 0 else max(found)
        return place, self.stops[text]

    def times(self, text: str) -> str:
        """How often a stop is reached."""
        count = len(self.at[text])
        return {0: "never reached", 1: "reached once"}.get(count, f"reached {count} times")

    def listing(self) -> list[str]:
        """A row for each stop."""
        return [f"{number:>3} {' off' if text in self.off else '  on'}  {text}  ({self.times(text)})"
                for number, text in enumerate(self.stops, start=1)]


def _touching(target: Target, store: bool, walk: Walk) -> npt.NDArray[np.bool_]:
    """Of each step: whether it writes (or reads) the target."""
    trace = walk.trace
    found = np.zeros(trace.steps, np.bool_)
    if target.memory:
        for step, first, data in _by_hand(trace, {target.name}) if store else []:
            found[step - 1] |= first < target.start + target.nbytes and target.start < first + len(data)
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


def _by_hand(trace: Trace, buffers: set[str]) -> list[tuple[int, int, bytes]]:
    """Memory changed by hand behind a step (from 1): where in its buffer, and what. Registers are in the columns."""
    return [(one.step - trace.first, one.offset, one.data) for one in trace.changes
            if one.place in buffers and one.step > trace.first]


def _takes(target: Target, store: bool, walk: Walk, pc: int) -> bool:
    """Whether an instruction meets the bytes of a location; if nobody says which lanes it takes, it meets all."""
    isa, one, edges = walk.trace.isa, walk.trace.program.instructions[pc], walk.touched(pc).edges
    uses = one.writes if store else one.reads
    if not store and not any(locate(use.register, isa)[0] == target.name for use in uses):
        return False
    read = [lane for edge in edges for lane in edge.sources if locate(lane[0], isa)[0] == target.name]
    written = [edge.destination for edge in edges if locate(edge.destination[0], isa)[0] == target.name]
    lanes = written if store else read
    if target.whole or not lanes or (store and isa == "aarch64" and not read):
        return True  # A64: a result that is shorter than its register clears the rest of it
    for register, kind, number in lanes:
        size = TYPE_BYTES[printable(kind)]
        start = locate(register, isa)[1] + number * size
        if start < target.start + target.nbytes and target.start < start + size:
            return True
    return False


def _holds(condition: Expression, trace: Trace) -> npt.NDArray[np.bool_]:
    """At each place: whether the condition holds. Worked out where something that it depends on is written."""
    registers, buffers = condition.uses[False], condition.uses[True]
    writes = _rows_by_step(np.isin(np.asarray(trace.write_location),
                                   [trace.locations.index(name) for name in registers]), trace.write_start)
    stores = _rows_by_step(np.asarray(trace.access_store, np.bool_), trace.access_start) if buffers else {}
    homes = [b for b in trace.buffers if b.name in buffers]
    here = Here({name: trace.initial[name] for name in registers}, {b.name: bytearray(b.before) for b in homes})
    hand = {name: _by_hand(trace, {name}) for name in buffers}
    by_hand = {step for some in hand.values() for step, _, _ in some}
    here.known = trace.knowledge.at(0)
    changes = range(1, trace.steps + 1) if condition.moves else sorted({*writes, *stores, *by_hand})
    value = np.zeros(trace.steps + 1, np.bool_)
    at, holds = 0, _true(condition, here, trace, 0)
    for step in changes:
        value[at:step] = holds
        for row in writes.get(step, ()):
            name = trace.locations[trace.write_location[row]]
            here.registers[name] = trace.write_after[row, :len(trace.initial[name])].tobytes()
        for row in stores.get(step, ()):
            _store(here, homes, trace, row)
        if step in by_hand:
            here.stores += 1
            for name, some in hand.items():
                for _, start, data in (one for one in some if one[0] == step):
                    here.memory[name][start:start + len(data)] = data
        here.known.goto(step)
        at, holds = step, _true(condition, here, trace, step)
    value[at:] = holds
    return value


def _rows_by_step(chosen: npt.NDArray[np.bool_], start: Any) -> dict[int, list[int]]:
    rows = np.flatnonzero(chosen)
    found: dict[int, list[int]] = {}
    for row, step in zip(rows.tolist(), np.searchsorted(start, rows, side="right").tolist(), strict=True):
        found.setdefault(step, []).append(row)
    return found


def _store(here: Here, homes: list[Any], trace: Trace, row: int) -> None:
    address, low, high = (int(trace.access_address[row]), int(trace.access_data_start[row]),
                          int(trace.access_data_start[row + 1]))
    here.stores += 1
    for home in homes:
        start = address - home.address
        if 0 <= start < home.nbytes:
            here.memory[home.name][start:min(start + high - low, home.nbytes)] = \
                trace.access_after[low:min(high, low + home.nbytes - start)].tobytes()


def _true(condition: Expression, here: Here, trace: Trace, step: int) -> bool:
    if condition.moves:
        here.step, here.pc = step, int(trace.pc[step]) if step < trace.steps else -1
        here.line = trace.program.instructions[here.pc].where.line if here.pc >= 0 else 0
    return condition.value(here) not in (0, 0.0)
