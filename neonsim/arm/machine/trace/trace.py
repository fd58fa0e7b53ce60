"""Traces: what a run did, step by step, as columns.

A trace is recorded once and replayed: the stepper, the timing models and the tests read it, none of them runs anything
again. A lock-step run records tile (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.machine.arch.registers import Slots, slot_bytes
from neonsim.arm.machine.memory.memory import Undo
from neonsim.common.integers import as_int

from .definedness import DefinednessTrace, ShadowBytes, compute_definedness
from .overflow import Wraps, wraps_of
from .save import save_trace

if TYPE_CHECKING:
    from neonsim.arm.asm import Program
    from neonsim.arm.isa import Instruction
    from neonsim.arm.machine.call.edits import StateEdit

__all__ = ["BufferInfo", "Step", "Trace", "build_trace"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class BufferInfo:
    """A buffer as it was before the first recorded step.

    before   its bytes          known   one byte per byte, 1 = initialised; None if everything was
    reads_before, reads_after   bytes outside that may be read
    typed    whether the dtype was given: of mere bytes it is that of what is loaded and stored
    """

    name: str
    address: int
    nbytes: int
    dtype: str
    shape: tuple[int, ...]
    readonly: bool
    before: bytes = field(repr=False)
    defined: bytes | None = field(default=None, repr=False)
    reads_before: int = 0
    reads_after: int = 0
    typed: bool = True


@dataclass
class Step:
    """One executed instruction, as the machine leaves it for stepping back and for the trace."""

    pc: int
    executed: bool
    writes: list[tuple[int, Any, Any]]
    accesses: list[tuple[int, int, bool, bytes, bytes]]
    undo: list[Undo]
    calls: tuple[int, ...] = ()
    lost: list[tuple[int, Any, Any]] = field(default_factory=list)


@dataclass(repr=False)
class Trace:
    """Columns, one row per step (n steps, w register writes, k memory accesses).

    pc                int32 [n]        index into program.instructions
    executed          bool [n]         False where the condition of an AArch32 instruction failed
    write_start       int32 [n+1]      the writes of step i are rows write_start[i]:write_start[i+1]
    write_location    int16 [w]        index into `locations`
    write_before, write_after          uint8 [w, 16], the register's bytes, little-endian, zero-filled
    access_start      int32 [n+1]      likewise for memory accesses
    access_address    int64 [k]        access_bytes int32 [k]      access_store bool [k]
    access_data_start int64 [k+1]      the bytes of access j in access_before and access_after, uint8
    initial           location name -> bytes before the first step
    defined           location name -> one byte per byte before the first step, 1 = it is initialized; None: all
    buffers           memory before the first step
    first             number of the first recorded step (not 0 if only the last ones were kept)
    returned          x0 or r0 after the last step
    call              arguments and label of the call, None if unknown
    notices           (instruction, text) of what is suspicious but not wrong, and of what the trace does not show
    changes           values changed by hand, in the order of the steps: those of registers are the last writes of the
                      step before (or in `initial`), those of memory are here alone
    """

    program: Program
    isa: str
    locations: tuple[str, ...]
    pc: Array
    executed: Array
    write_start: Array
    write_location: Array
    write_before: Array
    write_after: Array
    access_start: Array
    access_address: Array
    access_bytes: Array
    access_store: Array
    access_data_start: Array
    access_before: Array
    access_after: Array
    initial: dict[str, bytes]
    buffers: list[BufferInfo]
    first: int = 0
    returned: int = 0
    grid: tuple[int, int] | None = None
    call: tuple[tuple[Any, ...], str | None] | None = field(default=None, repr=False)
    notices: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    defined: dict[str, bytes] | None = field(default=None, repr=False)
    changes: tuple[StateEdit, ...] = ()
    _states: dict[int, dict[str, bytes]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def steps(self) -> int:
        """How many steps are recorded."""
        return len(self.pc)

    def __len__(self) -> int:
        return self.steps

    def __repr__(self) -> str:
        tail = f", the last of {self.first + self.steps}" if self.first else ""
        return f"<Trace {self.isa}: {self.steps} steps{tail}, {len(self.buffers)} buffers>"

    def instruction(self, step: int) -> Instruction:
        """Return the instruction of a step."""
        return self.program.instructions[int(self.pc[self._at(step)])]

    def branch_taken(self, step: int) -> bool:
        """Return whether the step took a branch (the last one leaves the program)."""
        at = self._at(step)
        if at + 1 < self.steps:
            return int(self.pc[at + 1]) != int(self.pc[at]) + 1
        return bool(self.executed[at]) and self.instruction(at).is_branch

    def state(self, step: int, *, edits: bool = True) -> dict[str, bytes]:
        """Return all registers before a step; step n is the final state.

        edits     with what was changed by hand between the step before and this one
        """
        step = as_int(step, "step", 0, self.steps)
        if step and not edits and any(one.step == self.first + step for one in self.changes):
            state = self.state(step - 1)
            for row in self.rows(step - 1):
                name = self.locations[self.write_location[row]]
                state[name] = self.write_after[row, :len(state[name])].tobytes()
            return state
        if not self._states:
            self._states[0] = dict(self.initial)
        nearest = max(k for k in self._states if k <= step)
        state = dict(self._states[nearest])
        for at in range(nearest, step):
            for row in range(self.write_start[at], self.write_start[at + 1]):
                name = self.locations[self.write_location[row]]
                state[name] = self.write_after[row, :len(state[name])].tobytes()
            if (at + 1) % 256 == 0:  # a snapshot now and then keeps random access short
                self._states[at + 1] = dict(state)
        return state

    @cached_property
    def knowledge(self) -> DefinednessTrace:
        """Which bytes of registers and memory are initialized, and what each step changes in that."""
        return compute_definedness(self)

    def marked(self, step: int, *, edits: bool = True) -> dict[str, ShadowBytes]:
        """Return `state` with the uninitialized bytes marked (`ShadowBytes`)."""
        step = as_int(step, "step", 0, self.steps)
        known = self.knowledge.cursor_at(step).registers
        return {name: ShadowBytes(data, known[name]) for name, data in self.state(step, edits=edits).items()}

    def met(self, step: int, *, after: bool = False) -> ShadowBytes:
        """Return the bytes that a step accesses, concatenated, before or after it, also marked."""
        known = self.knowledge.cursor_at(self._at(step) + after)
        found = self.accesses(step)
        return ShadowBytes(b"".join(now if after else was for _, _, _, was, now in found),
                      b"".join(known.bytes_at(self.buffers, address, size) for address, size, *_ in found))

    def rows(self, step: int) -> range:
        """Return the register writes of a step, without manual changes after it."""
        at = self._at(step)
        by_hand = sum(one.step == self.first + at + 1 and one.place in self.initial for one in self.changes)
        return range(int(self.write_start[at]), int(self.write_start[at + 1]) - by_hand)

    def accesses(self, step: int) -> list[tuple[int, int, bool, bytes, bytes]]:
        """Return (address, bytes, store, before, after) of each memory access of a step."""
        at = self._at(step)
        found = []
        for k in range(self.access_start[at], self.access_start[at + 1]):
            low, high = self.access_data_start[k], self.access_data_start[k + 1]
            found.append((int(self.access_address[k]), int(self.access_bytes[k]), bool(self.access_store[k]),
                          self.access_before[low:high].tobytes(), self.access_after[low:high].tobytes()))
        return found

    def last_store(self, address: int) -> int | None:
        """Return the last step that stored to this byte, or None."""
        hit = (self.access_store & (self.access_address <= address)
               & (address < self.access_address + self.access_bytes))
        found = np.flatnonzero(hit)
        if not found.size:
            return None
        return int(np.searchsorted(self.access_start, found[-1], side="right")) - 1

    def to_html(self, path: Any, **options: Any) -> Any:
        """Write one self-contained page that replays this trace in a browser.

        The one import of a higher floor: a trace should be easy to show.
        """
        from neonsim.render.stepper.page import write_page

        return write_page(self, path, **options)

    def save(self, path: Any) -> Any:
        """Write the trace to a file (usually NAME.neontrace) that `neonsim.load_trace`, `neonsim step` and `neonsim
        trace` read. Returns the path; raises BadArgument if it is too large for a file."""
        return save_trace(self, path)

    def wraps(self) -> Wraps:
        """Find lanes that wrapped, saturated or lost bits, by instruction; it prints a line for each."""
        return wraps_of(self)

    def to_text(self, first: int = 0, count: int | None = None) -> str:
        """Return a listing: step, line, instruction, and the registers and memory it changed, by the type of their use;
        behind the last step the notices, which say what the trace does not show."""
        from neonsim.render.text_listing import listing

        return listing(self, first, count)

    def _at(self, step: int) -> int:
        return as_int(step, "step", -self.steps, self.steps - 1) % self.steps

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "knowledge"} | {"_states": {}}


def build_trace(program: Program, slots: Slots, steps: Iterable[Step], final: list[Any], buffers: list[BufferInfo],
                first: int, returned: int, grid: tuple[int, int] | None,
                defined: dict[str, bytes] | None) -> Trace:
    """Columns from recorded steps. ``final`` are the registers after the last one, ``buffers`` and ``defined`` those
    before the first.
    """
    rows = list(steps)
    first_values = dict(reversed([(slot, old) for step in rows for slot, old, _ in (*step.writes, *step.lost)]))
    initial = [slot_bytes(first_values.get(slot, value)) for slot, value in enumerate(final)]
    current = list(initial)
    write_start = np.zeros(len(rows) + 1, np.int32)
    access_start = np.zeros(len(rows) + 1, np.int32)
    location: list[int] = []
    before_rows: list[bytes] = []
    after_rows: list[bytes] = []
    accesses: list[tuple[int, int, bool, bytes, bytes]] = []
    for i, step in enumerate(rows):
        # On a grid an instruction that tile (0, 0) skips may still write to others.
        for slot, _, new in step.writes if step.executed or grid is None else ():
            location.append(slot)
            before_rows.append(current[slot].ljust(16, b"\0"))
            current[slot] = slot_bytes(new)
            after_rows.append(current[slot].ljust(16, b"\0"))
        accesses += step.accesses
        write_start[i + 1], access_start[i + 1] = len(location), len(accesses)
    data_start = np.concatenate([[0], np.cumsum([a[1] for a in accesses])]).astype(np.int64)
    return Trace(
        program, slots.isa, slots.names,
        np.array([s.pc for s in rows], np.int32), np.array([s.executed for s in rows], bool),
        write_start, np.array(location, np.int16),
        np.frombuffer(b"".join(before_rows), np.uint8).reshape(-1, 16),
        np.frombuffer(b"".join(after_rows), np.uint8).reshape(-1, 16),
        access_start, np.array([a[0] for a in accesses], np.int64), np.array([a[1] for a in accesses], np.int32),
        np.array([a[2] for a in accesses], bool), data_start,
        np.frombuffer(b"".join(a[3] for a in accesses), np.uint8),
        np.frombuffer(b"".join(a[4] for a in accesses), np.uint8),
        dict(zip(slots.names, initial, strict=True)),
        buffers, first, returned, grid, defined=defined)
