"""The stepper on a terminal: a place in a run as rows of text, each a list of (text, style).

What is read and written is marked by a sign as well as by a style, so that nothing is said by colour alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neonsim.errors import BadArgument
from neonsim.lanes.order import LANE0, in_order
from neonsim.render.lanes import with_values
from neonsim.render.names import TYPE_BYTES, UNWRITTEN, hex_of, lane_name, lane_values, locate, printable
from neonsim.render.regions import ascii_text, region_types
from neonsim.render.walk import Walk

if TYPE_CHECKING:
    from neonsim.timing import Timing

__all__ = ["KEYS", "LEAST", "View", "screen"]

Part = tuple[str, str]
LEAST = (60, 16)  # columns and rows below which nothing sensible fits
CODE_ROWS = 7
LINE = 64  # bytes of a cache line
KINDS = ("as used", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "hex")
KEYS = (("right n enter", "a step on"), ("left p", "a step back"), ("] [", "next, last pass of this line"),
        ("home end", "first, last step"), ("g", "go to a step"), ("l", "run to a line"), ("b", "breakpoint here"),
        ("s S", "stop at x2 == 8; list of stops"), ("c C", "on to a stop, back to one"),
        ("space", "run, pause"), ("w W", "next, last write of a register"),
        ("t", "element type"), ("o", "lane order"), ("a", "all registers"), ("m", "memory, registers"),
        ("up down", "scroll"), ("@", "go to an address"), ("tab", "next buffer, next lane"), ("?", "keys"),
        ("q", "quit"))
SIGNS = {(True, False): (":", "read"), (False, True): ("*", "write"), (True, True): ("#", "write"),
         (False, False): (" ", "")}


@dataclass
class View:
    """What is shown, and how.

    names    register -> what the kernel calls it
    timing   a Timing of the trace, for modelled cycles
    kind     element type of all registers, one of KINDS       lane0   "right" as Arm draws them, or "left"
    """

    walk: Walk
    title: str = ""
    names: dict[str, str] = field(default_factory=dict)
    timing: Timing | None = None
    kind: str = "as used"
    lane0: str = LANE0
    all: bool = False
    memory: bool = False
    help: bool = False
    top: int | None = None  # first row of registers or memory; None: where something changed
    lane: int = 0           # result lane that tab has chosen
    buffer: int = 0         # buffer likewise, from 1; 0: what the last step met
    address: int | None = None  # that was asked for
    breaks: set[int] = field(default_factory=set)  # lines that a run stops before
    listing: list[str] | None = None  # rows shown in place of everything below the head
    message: str = ""

    @cached_property
    def types(self) -> dict[str, str]:
        """buffer -> element type."""
        return region_types(self.walk.trace)


def screen(view: View, columns: int, rows: int) -> list[list[Part]]:
    """The place as exactly `rows` rows of at most `columns` characters.

    Raises BadArgument if the terminal is too small.
    """
    if columns < LEAST[0] or rows < LEAST[1]:
        raise BadArgument(f"the terminal has {columns} x {rows} characters; the stepper needs {LEAST[0]} x {LEAST[1]}: "
                          "make it larger")
    made = [_head(view), *_explained(view, columns)]
    below = rows - 1
    if view.help:
        made += [[("", "")], *_help(columns)]
    elif view.listing is not None:
        made += [[("", "")], *([(row, "")] for row in view.listing)]
    else:
        made += _code(view, min(CODE_ROWS, max(3, (below - 6) // 2)))
        left = below - len(made)
        made += _memory(view, columns, left) if view.memory else _registers(view, columns, left)
    made = (made + [[("", "")]] * below)[:below]
    made.append([(view.message, "bold")] if view.message else
                [("right: step  left: back  ]: next pass  l: to line  m: memory  ?: keys  q: quit", "soft")])
    return [_fit(row, columns) for row in made]


def _fit(row: list[Part], columns: int) -> list[Part]:
    fitted, left = [], columns
    for text, style in row:
        # What comes from a file may hold anything; a terminal is given printable characters only.
        text = "".join(c if c.isprintable() else " " if c == "\t" else "?" for c in text.expandtabs(8))[:left]
        left -= len(text)
        fitted.append((text, style))
    return fitted


def _head(view: View) -> list[Part]:
    walk = view.walk
    first = f" (recorded from {walk.trace.first} on)" if walk.trace.first else ""
    cycle = ""
    if view.timing is not None:
        at = view.timing.run.issue[walk.step - 1] if walk.step else 0
        cycle = f"  cycle {at} of {view.timing.cycles} (modelled, {view.timing.core.name})"
    return [(f"step {walk.step} of {walk.trace.steps}{first}", "bold"), (f"{cycle}  {view.title}", "soft"),
            *((f"  {one}", "bold") for one in walk.by_hand())]


def _explained(view: View, columns: int) -> list[list[Part]]:
    walk = view.walk
    one = walk.instruction
    if one is None:
        then = walk.trace.program.instructions[walk.next] if walk.next is not None else None
        return [[("start: ", "soft"), (f"{then} comes first" if then else "nothing was recorded", "")], [("", "")]]
    if not walk.executed:
        return [[(str(one), "bold"), (f"  not executed: condition {one.condition} does not hold", "")], [("", "")]]
    sentence = " ".join((one.form.doc or "").strip().partition("\n\n")[0].split())
    return [[(str(one), "bold"), (f"  {sentence}", "soft")], [(_arithmetic(view), "")]]


def _arithmetic(view: View) -> str:
    walk = view.walk
    assert walk.last is not None
    isa, edges = walk.trace.isa, walk.touched(walk.last).edges
    if not edges:
        return ""
    edge = edges[view.lane % len(edges)]
    register, kind, lane = edge.destination
    if register == "mem":
        return f"stores {', '.join(f'{n} bytes to {walk.pointer(a)}' for a, n, s, *_ in _accesses(walk) if s)}"
    location, offset, _ = locate(register, isa)
    kind = _kind(view, location)[0] if TYPE_BYTES[printable(kind)] == TYPE_BYTES[_kind(view, location)[0]] \
        else printable(kind)
    at, size = offset + lane * TYPE_BYTES[kind], TYPE_BYTES[kind]
    after, before = walk.trace.state(walk.step, by_hand=False)[location], walk.before()
    if re.match(r"[xr]\d|sp", register):
        at, size, kind = 0, len(after), f"u{8 * len(after)}"

    def value(data: bytes) -> str:
        return lane_values(data[at:at + size], kind)[0]

    name = lane_name(register, kind, lane, isa)
    return f"{name} = {with_values(edge.expression, edge.sources, before, isa)} = {value(after)}, " \
        f"was {value(before[location])}"


def _accesses(walk: Walk) -> list[tuple[int, int, bool, bytes, bytes]]:
    return walk.trace.accesses(walk.step - 1) if walk.step else []


def _code(view: View, count: int) -> list[list[Part]]:
    walk, program = view.walk, view.walk.trace.program
    here = {} if walk.last is None else {_line(walk, walk.last): ">"}
    if walk.next is not None:
        here.setdefault(_line(walk, walk.next), ".")
    lines = _lines(walk)
    numbers = [number for number, _ in lines]
    at = _line(walk, walk.last if walk.last is not None else walk.next or 0) if len(program) else 0
    where = next((k for k, number in enumerate(numbers) if number >= at), 0)
    first = max(0, min(where - count // 2, len(lines) - count))
    made = []
    for number, text in lines[first:first + count]:
        sign = here.get(number, " ")
        made.append([("B" if number in view.breaks else " ", "write"), (f"{sign}{number:>5}  {text}",
                     {">": "now", ".": "bold"}.get(sign, ""))])
    return made + [[("", "")]] * (count - len(made))


def _line(walk: Walk, pc: int) -> int:
    return walk.trace.program.instructions[pc].where.line


def _lines(walk: Walk) -> list[tuple[int, str]]:
    """The source as written when all instructions come from it, else the instructions alone."""
    program = walk.trace.program
    if program.lines and len({str(one.where.path) for one in program.instructions}) <= 1:
        return [(k, line.rstrip().expandtabs(8)) for k, line in enumerate(program.lines, start=1)]
    return [(one.where.line, f"        {one}") for one in program.instructions]


def _kind(view: View, location: str) -> tuple[str, bool]:
    """Element type of a register, and whether in hexadecimal."""
    used = view.walk.type_of(location)
    return (used, view.kind == "hex") if view.kind in ("as used", "hex") else (view.kind, False)


def _registers(view: View, columns: int, count: int) -> list[list[Part]]:
    walk = view.walk
    written, touched = set(walk.written()), walk.touched(walk.last) if walk.last is not None else None
    state, changed = walk.state(), None
    made: list[list[Part]] = []
    reads = touched.reads if touched and walk.executed else {}
    ruler: list[Part] = []
    for location in walk.trace.locations:
        if len(state[location]) != 16 or not (view.all or location in walk.used or location in written):
            continue
        rows, numbers = _lanes(view, location, state[location], reads.get(location, set()),
                               touched.writes.get(location, set()) if touched and location in written else set(),
                               columns)
        if numbers != ruler:  # said once for all registers below that have the same lanes
            ruler = numbers
            made += [ruler] if ruler else []
        if location in written and changed is None:
            changed = len(made)
        made += rows
    cores = _cores(view, state, reads, written, columns)
    room = max(1, count - 1 - min(len(cores), max(2, count // 3)))
    top = _top(view, changed, len(made), room)
    rest = f"  {top + 1}-{min(top + room, len(made))} of {len(made)}" if len(made) > room else ""
    head: list[Part] = [(f"registers {view.kind}, lane 0 {view.lane0}  ", "soft"), (":", "read"), (" read  ", "soft"),
                        ("*", "write"), (" written  ", "soft"), ("#", "write"), (f" both{rest}", "soft")]
    return [head, *made[top:top + room], *cores][:count]


def _top(view: View, changed: int | None, total: int, room: int) -> int:
    if view.top is not None:
        view.top = max(0, min(view.top, total - room))
        return view.top
    return 0 if changed is None else max(0, min(changed - room // 2, total - room))


def _lanes(view: View, location: str, data: bytes, reads: set[int], writes: set[int],
           columns: int) -> tuple[list[list[Part]], list[Part]]:
    """The rows of a register, and the row with the numbers of its lanes; none where each row says which it has."""
    kind, hexadecimal = _kind(view, location)
    size = TYPE_BYTES[kind]
    texts = lane_values(data, kind)
    if hexadecimal:
        texts = [hex_of(data[k:k + size]) for k in range(0, 16, size)]
    name = view.names.get(location, "")
    short = name.replace(" lo", "L").replace(" hi", "H")
    label = f"{location:<4}{short[:8]:<8}" + (f"{kind:>3} " if size == 1 else f" {kind} ")  # 16 bytes fit 80 columns
    each = max({1: 4, 2: 7, 4: 12, 8: 21}[size], max(map(len, texts)) + 1)
    parts: list[Part] = []
    for lane, text in in_order(enumerate(texts), view.lane0):
        span = set(range(lane * size, (lane + 1) * size))
        sign, style = SIGNS[bool(span & reads), bool(span & writes)]
        parts.append((sign + text.rjust(each - 1), style))
    numbers = in_order(range(len(texts)), view.lane0)
    style, blank, half = "bold" if writes else "soft", " " * len(label), len(parts) // 2
    if len(label) + each * len(parts) <= columns:
        return [[(label, style), *parts]], [(blank + "".join(f"{lane:>{each}}" for lane in numbers), "soft")]
    which = f"{numbers[half]}..{numbers[-1]} ".rjust(len(label))  # in two rows
    return [[(label, style), *parts[:half]], [(which, "soft"), *parts[half:]]], []


def _cores(view: View, state: dict[str, bytes], reads: dict[str, set[int]], written: set[str],
           columns: int) -> list[list[Part]]:
    walk, cells = view.walk, []
    for location in walk.trace.locations:
        if len(state[location]) not in (4, 8) or not (view.all or location in walk.used or location in written):
            continue
        value = int.from_bytes(state[location], "little")
        open_ = not all(getattr(state[location], "known", b"\1"))
        sign, style = SIGNS[location in reads, location in written]
        text = lane_values(state[location], f"u{8 * len(state[location])}")[0] if open_ else \
            walk.pointer(value) or (str(value) if value < 10 ** 6 else f"{value:#x}")
        cells.append((f"{sign}{location}={text}".ljust(20), style))
    unset = not all(getattr(state["nzcv"], "known", b"\1"))
    flags = " ".join(f"{f}={UNWRITTEN[0] if unset else state['nzcv'][0] >> 3 - k & 1}" for k, f in enumerate("nzcv"))
    sign, style = SIGNS[False, bool(written & {"nzcv", "qc"})]
    cells.append((f"{sign}{flags} qc={state['qc'][0] & 1}", style))
    across = max(1, columns // 20)
    return [cells[k:k + across] for k in range(0, len(cells), across)]


def _memory(view: View, columns: int, count: int) -> list[list[Part]]:
    walk, buffers = view.walk, view.walk.trace.buffers
    accesses = _accesses(walk)
    said = ", ".join(f"{'stores' if store else 'loads'} {n} bytes {'to' if store else 'from'} "
                     + (walk.pointer(address) or f"{address:#x}, outside the buffers")
                     for address, n, store, *_ in accesses)
    if not buffers:
        return [[("this run has no buffers", "soft")]]
    met = walk.home(accesses[0][0]) if accesses and not view.buffer else None
    buffer = met or buffers[(view.buffer - 1) % len(buffers) if view.buffer else 0]
    used = view.types[buffer.name]
    kind = used if view.kind in ("as used", "hex") else view.kind
    size = TYPE_BYTES[kind]
    each = {1: 5, 2: 7, 4: 12, 8: 21}[size]
    row_bytes = buffer.shape[-1] * np.dtype(buffer.dtype).itemsize if len(buffer.shape) > 1 else 16
    across = max(1, min(row_bytes // size, (columns - 9) // each))
    words = view.kind in ("as used", "hex") and size == 1 and len(buffer.shape) < 2  # bytes as text beside the numbers
    if words and 11 + across * (each + 1) > columns:
        across = 8
    data = walk.bytes_of(buffer.name)
    values = [hex_of(data[k:k + size]) for k in range(0, len(data) // size * size, size)] if view.kind == "hex" else \
        lane_values(data[:len(data) // size * size], kind)
    marks: dict[int, set[bool]] = {}
    for address, n, store, *_ in accesses:
        for byte in range(address - buffer.address, address - buffer.address + n):
            marks.setdefault(byte // size, set()).add(store)
    first = min((k for k in marks if 0 <= k < len(values)), default=None)
    total, room = -(-len(values) // across), count - 2
    sought = None
    if view.address is not None and walk.home(view.address) is buffer:
        sought = (view.address - buffer.address) // size
        first = sought
    top = _top(view, None if first is None else first // across, total, room)
    shown = f"{buffer.name}  {kind}{'' if buffer.typed else ', as used'}  at {buffer.address:#x}"
    rows = f"  rows {top}-{min(top + room, total) - 1} of {total}"
    made: list[list[Part]] = [[(said or "the last step met no memory", ""),
                               (f"   {UNWRITTEN}: not written, |: line of {LINE} bytes", "soft")],
                              [(f"{shown}{rows}  (tab: next of {len(buffers)})", "soft")]]
    for row in range(top, min(top + room, total)):
        cells: list[Part] = [(f"{row * across:>7}: ", "soft")]
        for k in range(row * across, min((row + 1) * across, len(values))):
            sign, style = SIGNS[False in marks.get(k, ()), True in marks.get(k, ())]
            if sign == " " and (buffer.address + k * size) % LINE == 0:
                sign = "|"
            cells.append((sign + values[k].rjust(each - 1), "now" if k == sought else style))
        if words:
            cells.append(("  " + ascii_text(data[row * across:(row + 1) * across]), "soft"))
        made.append(cells)
    return made


def _help(columns: int) -> list[list[Part]]:
    cells = [f"{keys:<15}{text:<33}" for keys, text in KEYS]
    across = max(1, columns // 48)
    return [[("".join(cells[k:k + across]), "")] for k in range(0, len(cells), across)]
