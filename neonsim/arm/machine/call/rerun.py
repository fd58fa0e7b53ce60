"""A recorded call once more: with another program, or with values changed by hand on the way.

The memory is the same, at the same addresses, and so are the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.machine.arch.registers import VectorValue
from neonsim.arm.machine.machine import Machine
from neonsim.arm.machine.trace.trace import Trace
from neonsim.arm.semantics import Lanes, NumpyLanes, ShadowLanes, u8, view
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_SINGLE_STEPS
from neonsim.errors import BadArgument, NeonsimError

if TYPE_CHECKING:
    from neonsim.arm.asm import Program

__all__ = ["rerun", "rerun_with_edits"]

def rerun(trace: Trace, program: Program, *, max_steps: int) -> tuple[Trace, NeonsimError | None]:
    """Call another program as the recorded one was called.

    trace      of a whole call of one tile: its buffers are placed again with what they held before the first step
    program    for the same instruction set; its data sections take the place of those of the old one
    ->         the new trace and None; or, if the run failed, the trace up to there and what went wrong

    Raises BadArgument if the trace does not say how to call again, AssemblyError if the label called is missing.
    """
    machine, arguments, entry = _placed(trace)
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


def rerun_with_edits(trace: Trace, step: int, values: Mapping[str, Any], *, max_steps: int = MAX_SINGLE_STEPS,
                     columns: Mapping[str, int] | None = None) -> tuple[Trace, NeonsimError | None]:
    """Do a recorded run again up to a step, put other values into registers and memory, and go on from there.

    trace     of a whole call of one tile; changes by hand that it has up to this step stay
    step      instructions executed before the change         values, columns   see `Machine.change`
    ->        the new trace (`changes` says what was changed) and None; or, if the run failed behind the change, the
              trace up to there and what went wrong

    Raises BadArgument for a step outside the run, a place that there is not, a value outside its type, or a trace that
    does not say how to call again.
    """
    step = as_int(step, "the step of a change", 0, max(trace.steps - 1, 0))
    machine, arguments, entry = _placed(trace)
    machine.start(trace.program, *arguments, entry=entry)
    _same_start(machine, trace)
    machine.restart_with_edits(one for one in trace.changes if one.step == 0)
    for kept in (one for one in trace.changes if 0 < one.step <= step):
        _go_to(machine, kept.step)
        machine.change({kept.name: kept.now}, columns)
    _go_to(machine, step)
    if not np.array_equal(machine.path, trace.pc[:step]):
        raise BadArgument("this run cannot be repeated exactly, because it depends on uninitialized data")
    machine.change(values, columns)
    try:
        machine.run(max_steps=max(max_steps - machine.steps, 1))
    except NeonsimError as problem:
        return machine.trace(), problem
    return machine.trace(), None


def _go_to(machine: Machine, step: int) -> None:
    if step > machine.steps:
        machine.step(step - machine.steps)


def _placed(trace: Trace) -> tuple[Machine, tuple[Any, ...], str | None]:
    """A machine with the memory of a recorded call, and how it was called."""
    if trace.grid is not None or trace.call is None:
        raise BadArgument("this run cannot be repeated, because it was recorded on a grid of tiles or without a call")
    if trace.first:
        raise BadArgument(f"this run cannot be repeated, because its first {trace.first} steps and the memory before "
                          f"them were not kept. Record it with trace=True")
    arguments, entry = trace.call
    machine = Machine(trace.isa)
    own = {re.escape(section.name) for section in trace.program.data}
    sections = re.compile(rf"(?:{'|'.join(own)})(?: \(\d+\))?") if own else None
    for buffer in sorted(trace.buffers, key=lambda one: one.address):
        if buffer.name == "stack" or (sections and sections.fullmatch(buffer.name)):
            continue
        machine.memory.place_recorded(buffer.name, buffer.address, buffer.before, buffer.defined, buffer.dtype,
                                   buffer.shape,
                                   readonly=buffer.readonly, reads_before=buffer.reads_before,
                                   reads_after=buffer.reads_after, typed=buffer.typed)
    return machine, arguments, entry


def _same_start(machine: Machine, trace: Trace) -> None:
    """Registers and memory before the first step as they were, junk included: another machine has other junk."""
    slots = machine.state.slots
    for number, name in enumerate(trace.locations):
        data = NumpyLanes(np.frombuffer(trace.initial[name], np.uint8).copy(), u8)
        old = slots[number]
        if isinstance(old, VectorValue):
            slots[number] = VectorValue(((0, _with_shadow(data, old.read(0, 16, u8))),))
        else:
            slots[number] = view(_with_shadow(data, view(old, u8)), old.type)
    for buffer in trace.buffers:
        machine.memory.restore(buffer.name, buffer.before, buffer.defined)


def _with_shadow(data: NumpyLanes, old: Lanes) -> Lanes:
    return ShadowLanes(data, old.undefined) if isinstance(old, ShadowLanes) else data
