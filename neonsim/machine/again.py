"""A recorded call once more, with another program: the same memory at the same addresses, the same arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from neonsim.errors import BadArgument, NeonsimError

from .machine import Machine
from .trace import Trace

if TYPE_CHECKING:
    from neonsim.asm import Program

__all__ = ["call_again"]


def call_again(trace: Trace, program: Program, *, max_steps: int) -> tuple[Trace, NeonsimError | None]:
    """Call another program as the recorded one was called.

    trace      of a whole call of one tile: its buffers are placed again with what they held before the first step
    program    for the same instruction set; its data sections take the place of those of the old one
    ->         the new trace and None; or, if the run failed, the trace up to there and what went wrong

    Raises BadArgument if the trace does not say how to call again, AssemblyError if the label called is missing.
    """
    if trace.grid is not None or trace.called is None:
        raise BadArgument("this run cannot be repeated: it was recorded on a grid of tiles, or not by a call")
    if trace.first:
        raise BadArgument(f"this run cannot be repeated: its first {trace.first} steps were not kept, and with them "
                          "what memory held before; record it with trace=True")
    arguments, entry = trace.called
    machine = Machine(trace.isa)
    own = {re.escape(section.name) for section in trace.program.data}
    sections = re.compile(rf"(?:{'|'.join(own)})(?: \(\d+\))?") if own else None
    for buffer in sorted(trace.buffers, key=lambda one: one.address):
        if buffer.name == "stack" or (sections and sections.fullmatch(buffer.name)):
            continue
        machine.memory.place_again(buffer.name, buffer.address, buffer.before, buffer.known, buffer.dtype, buffer.shape,
                                   readonly=buffer.readonly, reads_before=buffer.reads_before,
                                   reads_after=buffer.reads_after, typed=buffer.typed)
    if entry is not None and entry not in program.symbols and len(program.symbols) == 1:
        entry = None  # the only function has another name now
    try:
        result = machine.call(program, *arguments, entry=entry, max_steps=max_steps, trace=True)
    except NeonsimError as problem:
        if not machine.steps:
            raise
        return machine.trace(), problem
    assert result.trace is not None
    return result.trace, None
