"""What a page needs to do its run again with other values: the program as JavaScript, and memory around its buffers.

The script is made of a closed vocabulary (`neonsim.arm.machine.translate.to_javascript`): labels, comments and names
stay data, in the recorded run's own header.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.translate.to_javascript import (
    JavaScriptFunctions,
    JavaScriptProgram,
    translate_javascript,
)
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace

__all__ = ["LivePart", "live_program", "live_run"]


class LivePart(Protocol):
    """The part of a buffer that is sent."""

    @property
    def buffer(self) -> BufferInfo: ...

    @property
    def address(self) -> int: ...

    @property
    def nbytes(self) -> int: ...


def live_run(trace: Trace, parts: Sequence[LivePart]) -> tuple[dict[str, Any], str]:
    """(what the header of a recorded run says of it as ``live``, the script: a JavaScript expression).

    Raises BadArgument for a run that does not begin at its beginning, or one that executes an instruction of which
    there is no JavaScript.
    """
    if trace.call is None or trace.grid is not None or trace.first or not trace.steps:
        raise BadArgument("a live page needs a complete recorded call of one tile. Record it with trace=True")
    program = trace.program
    live, made, functions = live_program(program)
    executed = np.unique(np.asarray(trace.pc))
    refused = [int(pc) for pc in executed if int(pc) in made.refused]
    if refused:
        where = program.instructions[refused[0]].position.line
        raise BadArgument(f"this run has an instruction that a page cannot compute, line {where}: "
                          f"{made.refused[refused[0]]}. Omit live (--live), and the page replays the run")
    header = {
        "program": live,
        "exact": not any("float_" in functions.texts[one.function] for pc in executed if (one := made.steps[int(pc)])),
        "pc": int(trace.pc[0]), "regions": _regions(trace, parts),
    }
    return header, functions.text()


def live_program(program: Program, functions: JavaScriptFunctions | None = None
                 ) -> tuple[dict[str, Any], JavaScriptProgram, JavaScriptFunctions]:
    """(``program`` in that header, what it was made of, the functions: those given, with its own added)."""
    functions = functions or JavaScriptFunctions()
    made = translate_javascript(program, functions)
    return {"steps": [one and one.to_list() for one in made.steps], "known": functions.shared, "refused": made.refused,
            "back": RETURN, "loaded": made.loaded, "stored": made.stored,
            "code": [program.address(i) for i in range(len(program.instructions))]}, made, functions


def _regions(trace: Trace, parts: Sequence[LivePart]) -> list[dict[str, Any]]:
    found = []
    for part in parts:
        b = part.buffer
        whole = part.nbytes == b.nbytes
        before = b.reads_before if part.address == b.address else 0
        after = b.reads_after if part.address + part.nbytes == b.address + b.nbytes else 0
        found.append({"before": _met(trace, part.address - before, before), "whole": whole,
                      "after": _met(trace, part.address + part.nbytes, after), "readonly": b.readonly,
                      "scratch": b.name == "stack"})
    return found


def _met(trace: Trace, address: int, nbytes: int) -> list[int]:
    """The bytes that the run met in a range where no buffer is; made up where it has met none. All are uninitialized.
    """
    data = (np.arange(address, address + nbytes) * 73 + 29) % 256
    if nbytes:
        for at in np.flatnonzero((trace.access_address < address + nbytes)
                                 & (trace.access_address + trace.access_bytes > address)):
            first, start = int(trace.access_address[at]), int(trace.access_data_start[at])
            low, high = max(first, address), min(first + int(trace.access_bytes[at]), address + nbytes)
            data[low - address:high - address] = trace.access_before[start + low - first:start + high - first]
    return [int(byte) for byte in data]
