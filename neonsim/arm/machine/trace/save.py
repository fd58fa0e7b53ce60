"""A trace to a file: what `Trace.save` does. `trace_file` reads it.

Layout (little-endian):

    b"NEONTRACE\\n" | uint32 version | uint32 CRC-32 of what follows, unpacked | zlib stream of:
    uint32 length of the header | header: JSON, UTF-8 | columns, one after the other, in the order of `COLUMNS`

Header fields:

    isa       "aarch64" | "aarch32"
    program   path, listing (text that assembles to the instructions), lines (the source), where (line and column of
              each instruction), origins (of compiled C)
    trace     first, returned, grid, called (integers and a label, or null), notices, changes (by hand: step, name,
              was, now, place, offset, data and old in hexadecimal; left out if there are none)
    locations name and bytes of each register, in the order of the trace
    buffers   name address nbytes dtype shape readonly reads_before reads_after, known (whether a mask follows), typed
    counts    elements of each column
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.asm.assembler import assemble_named
from neonsim.common.fileio import write_file
from neonsim.common.integers import is_int
from neonsim.common.limits import MAX_TRACE_FILE_BYTES, MAX_TRACE_HEADER_BYTES
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from .trace import Trace

__all__ = ["COLUMNS", "FRONT", "MEMORY", "TRACE_MAGIC", "VERSION", "save_trace"]

TRACE_MAGIC = b"NEONTRACE\n"
VERSION = 2
FRONT = struct.Struct("<II")
# Columns of the trace, then memory; each with its element type. `initial` and `memory` are registers and buffers, one
# after the other, `known` the masks of those buffers that have one, `registers_known` those of the registers.
COLUMNS = {
    "pc": "<i4", "executed": "|b1", "write_start": "<i4", "write_location": "<i2", "write_before": "|u1",
    "write_after": "|u1", "access_start": "<i4", "access_address": "<i8", "access_bytes": "<i4", "access_store": "|b1",
    "access_data_start": "<i8", "access_before": "|u1", "access_after": "|u1", "initial": "|u1", "memory": "|u1",
    "known": "|u1", "registers_known": "|u1",
}
MEMORY = ("initial", "memory", "known", "registers_known")


def save_trace(trace: Trace, path: str | Path) -> Path:
    """Write a trace to a file that `load_trace` reads; the usual suffix is .neontrace.

    Raises BadArgument if the trace is larger than a file may be, or the file cannot be written.
    """
    program = trace.program
    listing = str(program)
    if assemble_named(program.path, listing, program.isa) != program:
        raise BadArgument("this trace cannot be saved, because the listing of its program does not assemble to the "
                          "same instructions. Save a page instead: trace.to_html(path).")
    columns = {name: np.ascontiguousarray(getattr(trace, name), dtype) for name, dtype in COLUMNS.items()
               if name not in MEMORY}
    for name, parts in (("initial", [trace.initial[one] for one in trace.locations]),
                        ("memory", [one.before for one in trace.buffers]),
                        ("known", [one.defined for one in trace.buffers if one.defined is not None]),
                        ("registers_known", [trace.defined[one] for one in trace.locations] if trace.defined else [])):
        columns[name] = np.frombuffer(b"".join(parts), np.uint8)
    header = {
        "isa": trace.isa,
        "program": {"path": str(program.path), "listing": listing, "lines": list(program.lines),
                    "where": [[str(one.position.path), one.position.line, one.position.column, one.position.width,
                               one.position.text]
                              for one in program.instructions],
                    "origins": [list(one) for one in program.origins]},
        "trace": {"first": int(trace.first), "returned": int(trace.returned), "grid": trace.grid and list(trace.grid),
                  "called": _call(trace), "notices": [[int(pc), text] for pc, text in trace.notices],
                  **({"changes": [[one.step, one.name, one.was, one.now, one.place, one.offset, one.data.hex(),
                                   one.old.hex()]
                                  for one in trace.changes]} if trace.changes else {})},
        "locations": [[name, len(trace.initial[name])] for name in trace.locations],
        "buffers": [[one.name, int(one.address), int(one.nbytes), str(one.dtype), [int(n) for n in one.shape],
                     bool(one.readonly), int(one.reads_before), int(one.reads_after), one.defined is not None,
                     bool(one.typed)]
                    for one in trace.buffers],
        "counts": [int(columns[name].size) for name in COLUMNS],
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    body = b"".join([struct.pack("<I", len(text)), text, *(columns[name].tobytes() for name in COLUMNS)])
    if len(text) > MAX_TRACE_HEADER_BYTES:
        raise BadArgument(f"the program and the buffers of this trace need a header of {len(text)} bytes; the limit "
                          f"is {MAX_TRACE_HEADER_BYTES}. Save a page instead: trace.to_html(path).")
    if len(body) > MAX_TRACE_FILE_BYTES:
        raise BadArgument(f"this trace has {len(body)} bytes; the limit is {MAX_TRACE_FILE_BYTES}. "
                          'Record its last steps only: trace="last 100000".')
    return write_file(path, TRACE_MAGIC + FRONT.pack(VERSION, zlib.crc32(body)) + zlib.compress(body))


def _call(trace: Trace) -> list[Any] | None:
    """How the run was called, where it can be called so again."""
    if trace.call is None or trace.grid is not None:
        return None
    arguments, entry = trace.call
    # A number of 64 bits takes two registers of AArch32, which a plain one does not.
    if not all(is_int(one) and (trace.isa == "aarch64" or getattr(one, "nbytes", 0) < 8) for one in arguments):
        return None
    return [[int(one) for one in arguments], entry]
