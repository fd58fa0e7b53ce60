"""A recorded run as lines: step, line, instruction, and what it changed, registers by the type they are used in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from neonsim.arm.isa.operands.locations import FLAG_BITS
from neonsim.arm.machine.arch.register_names import TYPE_BYTES, UNWRITTEN, ShadowBytes, hex_of, lane_values
from neonsim.arm.semantics.lane_order import in_order
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.regions import region_types

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["HEAD", "flags_text", "listing"]

HEAD = ("  step  line  instruction                             changes (registers: lane 0 right; memory: first element "
        "left)")
MAX_ELEMENTS = 16           # elements of a store that are all written out
PLAIN = 1 << 32     # numbers below are written in tens, larger ones are bits or addresses
EXCEPTIONS = {0: "ioc", 1: "dzc", 2: "ofc", 3: "ufc", 4: "ixc", 7: "idc"}   # bits of FPSR


def listing(trace: Trace, first: int = 0, count: int | None = None) -> str:
    """Return the lines of some steps, numbered from 1 as the stepper counts.

    Behind the last step are the notices, which say what the trace does not show.
    """
    first = max(first, 0)
    last = trace.steps if count is None else min(trace.steps, first + count)
    rows: list[str] = []
    before, walk, types = (0, ""), TraceCursor(trace), region_types(trace)
    walk.goto(min(first, trace.steps))
    for at in range(first, last):
        instruction = trace.instruction(at)
        walk.goto(at + 1)
        rows += [f"{'':14s}{one}" for one in trace.changes if one.step == trace.first + at]
        origin = trace.program.origins[int(trace.pc[at])] if trace.program.origins else (0, "")
        if origin[0] and origin != before:  # the line of C that the steps below belong to
            rows.append(f"{'':14s}{origin[0]:4d} | {origin[1]}")
        before = origin
        changes = ", ".join(_changes(walk, at, types)) if trace.executed[at] else "(condition failed)"
        rows.append(f"{trace.first + at + 1:6d}  {instruction.position.line:4d}  {instruction!s:38s}  "
                    f"{changes}".rstrip())
    if last == trace.steps:
        rows += [f"line {trace.program.instructions[pc].position.line}: {text}" for pc, text in trace.notices]
    return "\n".join(rows)


def _changes(walk: TraceCursor, at: int, types: dict[str, str]) -> Iterator[str]:
    """What the last step wrote: registers, then memory."""
    trace, known = walk.trace, walk.definedness
    # A register that is written in halves has a row for each: the last one is all of it.
    for name, row in {trace.locations[trace.write_location[row]]: row for row in trace.rows(at)}.items():
        data = ShadowBytes(trace.write_after[row, :len(trace.initial[name])].tobytes(), known.registers[name])
        yield f"{'flags' if name == 'nzcv' else name} = {_register(walk, name, data)}"
    for address, size, store, _, after in trace.accesses(at):
        if store:
            home, data = walk.home(address), ShadowBytes(after, known.bytes_at(trace.buffers, address, size))
            kind = types[home.name] if home is not None else "u8"
            kind = kind if size % TYPE_BYTES[kind] == 0 else f"u{8 * size}" if size in (2, 4, 8) else "u8"
            yield f"[{walk.pointer(address) or f'{address:#x}'}] = {_elements(data, kind)}"


def _elements(data: ShadowBytes, kind: str) -> str:
    """What was stored; of many elements the first ones."""
    if not any(data.defined):
        return f"{len(data)} bytes, unwritten"
    values = lane_values(data, kind)
    more = f" ... ({len(values)} elements)" if len(values) > MAX_ELEMENTS else ""
    return f"{kind} {' '.join(values[:MAX_ELEMENTS // 2 if more else MAX_ELEMENTS])}{more}"


def _register(walk: TraceCursor, name: str, data: bytes) -> str:
    if len(data) == 1:
        return flags_text(name, data)
    if len(data) == 16:
        # A load of a whole register leaves open what it holds: its reader knows.
        whole = walk.last is not None and walk.touched(walk.last).written_as.get(name) == "x64"
        kind = walk.reader_type(name, walk.step) if whole else walk.type_of(name)
        return f"{kind} {' '.join(in_order(lane_values(data, kind)))}"
    if not all(getattr(data, "defined", b"\1")):
        return f"0x{hex_of(data)}"
    number = int.from_bytes(data, "little")
    return walk.pointer(number) or (str(number) if number < PLAIN else f"{number:#x}")


def flags_text(name: str, data: bytes) -> str:
    """Return a register of flags: letters of those that are set (n-c-), exceptions by name, others in digits; "--"
    where they are uninitialized."""
    if not all(getattr(data, "defined", b"\1")):
        return UNWRITTEN
    number = data[0]
    if name in ("nzcv", "fpnzcv"):
        return "".join(letter if number >> bit & 1 else "-" for letter, bit in zip("nzcv", (3, 2, 1, 0), strict=True))
    if name == "fpsr":
        return " ".join(word for bit, word in EXCEPTIONS.items() if number >> bit & 1) or "none"
    return f"{number:0{FLAG_BITS[name]}b}"
