"""A place in a recorded run: registers and memory there, what the last step read and wrote, where to go from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from neonsim.arm.machine.arch.register_names import (
    TYPE_BYTES,
    VECTOR,
    ShadowBytes,
    Signed,
    lane_edges,
    locate,
    printable,
    signed_sums,
    width_of,
)
from neonsim.arm.machine.trace.dataflow import LaneEdge

if TYPE_CHECKING:
    from neonsim.arm.isa import Instruction
    from neonsim.arm.machine.call.edits import StateEdit
    from neonsim.arm.machine.trace.definedness import DefinednessCursor
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace

__all__ = ["StepAccesses", "TraceCursor"]

LOOK_AHEAD = 8  # uses of a register after a load that are asked for its element type


@dataclass(frozen=True)
class StepAccesses:
    """What an instruction does to registers.

    edges            its lanes, with their arithmetic
    reads, writes    location -> which of its bytes
    read_as, written_as   location -> element type as the instruction says it (x16: the sign does not matter)
    """

    edges: tuple[LaneEdge, ...]
    reads: dict[str, set[int]] = field(default_factory=dict)
    writes: dict[str, set[int]] = field(default_factory=dict)
    read_as: dict[str, str] = field(default_factory=dict)
    written_as: dict[str, str] = field(default_factory=dict)


class TraceCursor:
    """A trace and a place in it: `step` instructions have been executed."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.step = trace, 0
        self.memory = {buffer.name: np.frombuffer(buffer.before, np.uint8).copy() for buffer in trace.buffers}
        self._touched: dict[int, StepAccesses] = {}

    # -- moving
    def goto(self, step: int) -> None:
        """Stand behind `step` instructions; memory follows."""
        step = max(0, min(int(step), self.trace.steps))
        while self.step < step:
            self._apply(self.step, forwards=True)
            self.step += 1
            self._by_hand(forwards=True)
        while self.step > step:
            self._by_hand(forwards=False)
            self.step -= 1
            self._apply(self.step, forwards=False)

    @property
    def definedness(self) -> DefinednessCursor:
        """What is initialized here."""
        self._known.goto(self.step)
        return self._known

    @cached_property
    def _known(self) -> DefinednessCursor:
        return self.trace.knowledge.cursor_at()

    def _apply(self, at: int, *, forwards: bool) -> None:
        accesses = self.trace.accesses(at)
        for address, _, store, before, after in accesses if forwards else reversed(accesses):
            home = self.home(address) if store else None
            if home is not None:
                data = np.frombuffer(after if forwards else before, np.uint8)
                start = address - home.address
                self.memory[home.name][start:start + len(data)] = data[:home.nbytes - start]

    def _by_hand(self, *, forwards: bool) -> None:
        for one in self.edits() if forwards else reversed(self.edits()):
            if one.place in self.memory:
                data = one.data if forwards else one.old
                self.memory[one.place][one.offset:one.offset + len(data)] = np.frombuffer(data, np.uint8)

    def pcs_of_line(self, number: int) -> list[int]:
        """Return the instructions of a source line."""
        return [pc for pc, one in enumerate(self.trace.program.instructions) if one.position.line == number]

    # -- looking
    @property
    def last(self) -> int | None:
        """Index of the instruction executed last."""
        return int(self.trace.pc[self.step - 1]) if self.step else None

    @property
    def next(self) -> int | None:
        """Index of the one that comes next."""
        return int(self.trace.pc[self.step]) if self.step < self.trace.steps else None

    @property
    def instruction(self) -> Instruction | None:
        """The one executed last."""
        return None if self.last is None else self.trace.program.instructions[self.last]

    @property
    def executed(self) -> bool:
        """Whether it was: false where its condition did not hold."""
        return bool(self.step) and bool(self.trace.executed[self.step - 1])

    def state(self) -> dict[str, bytes]:
        """Registers here, with uninitialized data marked (`ShadowBytes`)."""
        known = self.definedness.registers
        return {name: ShadowBytes(data, known[name]) for name, data in self.trace.state(self.step).items()}

    def before(self) -> dict[str, bytes]:
        """Registers before the last step, and "mem", the bytes that it met, likewise."""
        at = max(self.step - 1, 0)
        return {**self.trace.marked(at), "mem": self.trace.met(at) if self.trace.steps else b""}

    def bytes_of(self, buffer: str) -> bytes:
        """Memory here, likewise."""
        return ShadowBytes(self.memory[buffer].tobytes(), bytes(self.definedness.memory[buffer]))

    def written_locations(self) -> list[str]:
        """Locations that the last step wrote."""
        if not self.step:
            return []
        return [self.trace.locations[self.trace.write_location[row]] for row in self.trace.rows(self.step - 1)]

    def edits(self) -> list[StateEdit]:
        """Return what was changed by hand here."""
        return [one for one in self.trace.changes if one.step == self.trace.first + self.step]

    def home(self, address: int) -> BufferInfo | None:
        """Return the buffer that holds an address."""
        return next((b for b in self.trace.buffers if b.address <= address < b.address + b.nbytes), None)

    def pointer(self, value: int) -> str:
        """ "a + 16" for an address in a buffer or just behind it, else ""."""
        for b in self.trace.buffers:
            if b.address <= value <= b.address + b.nbytes:
                return f"{b.name} + {value - b.address}" if value > b.address else b.name
        return ""

    def touched(self, pc: int) -> StepAccesses:
        """Return what an instruction reads and writes."""
        if pc not in self._touched:
            self._touched[pc] = _touched(self.trace.program.instructions[pc], self.trace.isa,
                                         signed_sums(self.trace.program))
        return self._touched[pc]

    @cached_property
    def named_locations(self) -> set[str]:
        """Locations that the program names."""
        return {locate(use.register, self.trace.isa)[0] for one in self.trace.program.instructions
                for use in (*one.reads, *one.writes)}

    @cached_property
    def _uses(self) -> dict[str, np.ndarray]:
        """location -> steps that use it."""
        pcs: dict[str, list[int]] = {}
        for pc in np.unique(self.trace.pc):
            found = self.touched(int(pc))
            for location in {*found.read_as, *found.written_as}:
                pcs.setdefault(location, []).append(int(pc))
        return {location: np.flatnonzero(np.isin(self.trace.pc, some)) for location, some in pcs.items()}

    def type_of(self, location: str, step: int | None = None) -> str:
        """Return the element type a register is used in here (or behind n steps). What a load leaves open, its next
        reader says, if the widths agree or the load said none; what a store leaves open, who wrote it before."""
        uses = self._uses.get(location)
        if uses is None:
            return "u8"
        at = max(int(np.searchsorted(uses, self.step if step is None else step, side="left")) - 1, 0)
        said = self._said(int(uses[at]), location)
        for later in uses[at + 1:at + 1 + LOOK_AHEAD]:
            reader = self.touched(int(self.trace.pc[later])).read_as.get(location)
            if reader is None:
                break
            if reader[0] != "x":
                return printable(reader if said[0] == "x" or width_of(reader) == width_of(said) else said)
        for earlier in uses[max(at - LOOK_AHEAD, 0):at][::-1] if said[0] == "x" else ():
            before = self._said(int(earlier), location)
            if before[0] != "x":
                return printable(before if width_of(before) == width_of(said) else said)
        return printable(said)

    def reader_type(self, location: str, step: int) -> str:
        """Return the element type that the first reader of a register takes it for, from some step (counted from 0)
        on; LDR of a whole register does not say it. A later reader settles the sign, if the widths agree."""
        uses = self._uses.get(location, np.zeros(0, np.int64))
        found = ""
        for later in uses[np.searchsorted(uses, step):][:LOOK_AHEAD]:
            reader = self.touched(int(self.trace.pc[later])).read_as.get(location, "")
            if not reader and later > step:
                break
            if reader and (not found or (found[0] == "x" and width_of(found) == width_of(reader))):
                found = reader
        return printable(found) if found else self.type_of(location, step)

    def _said(self, step: int, location: str) -> str:
        found = self.touched(int(self.trace.pc[step]))
        return found.written_as.get(location) or found.read_as[location]


def _touched(instruction: Instruction, isa: str, signed: Signed) -> StepAccesses:
    found = StepAccesses(tuple(lane_edges(instruction, signed)))

    def mark(marks: dict[str, set[int]], types: dict[str, str], lane: tuple[str, str, int]) -> None:
        register, kind, number = lane
        if register == "mem":
            return
        location, offset, size = locate(register, isa)
        lanes = bool(VECTOR.match(register))
        width = TYPE_BYTES[printable(kind)] if lanes else size
        start = offset + (number * width if lanes else 0)
        marks.setdefault(location, set()).update(range(start, start + width))
        if lanes:
            types[location] = kind

    for edge in found.edges:
        for source in edge.sources:
            mark(found.reads, found.read_as, source)
        mark(found.writes, found.written_as, edge.destination)
    for uses, marks in ((instruction.reads, found.reads), (instruction.writes, found.writes)):
        for use in uses:
            location, offset, size = locate(use.register, isa)
            if not VECTOR.match(use.register):
                marks.setdefault(location, set()).update(range(offset, offset + size))
    return found
