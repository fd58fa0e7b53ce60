"""The engine of programs translated to C: one tile, or a grid tile by tile; what it does is checked once."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.abi import saved
from neonsim.arm.machine.arch.binder import BOUND
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric, slot_bytes
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.blocks import slots_of
from neonsim.arm.machine.translate.to_c import translate_c
from neonsim.arm.semantics import NumpyLanes, u8
from neonsim.errors import BackendError, LockstepDivergence, MachineError, MemoryFault, StepLimit

from .compiled import Compiled, Tables
from .compiled_grid import GridResult, Owned, PreparedGrid
from .python_engine import Engine

__all__ = ["CompiledEngine"]

CHECKED = 10_000  # steps of the first tile that the interpreter repeats
ROOM = 1 << 20    # blocks that may run where all tiles must take one way


class CompiledEngine(Engine):
    """Translated C.

    checked   bool    it has done the first steps of a tile as the interpreter does
    made      float   when it was ready, on the clock of time.perf_counter
    """

    def __init__(self, program: Program, entry: str | None) -> None:
        self.slots: Slots = slots_of(program.isa)
        self.program = program
        made = translate_c(program, entry)
        self.library = Compiled(made, self.slots.names)
        self.leaders = made.leaders
        self.checked = False
        self.made = time.perf_counter()

    # -- one tile
    def run(self, state: State, memory: Memory, limit: int, pause: int | None = None) -> tuple[int, bool]:
        self.check(state, memory, limit)
        return self._run(state, memory, limit if pause is None else min(limit, pause))

    def _run(self, state: State, memory: Memory, limit: int) -> tuple[int, bool]:
        record = np.zeros(1, self.library.state)
        self.fill(record[0], state)
        tables = Tables(memory)
        done = self.library.calls(record, tables, limit)
        self._written(memory, tables.touched(store=True))
        self._take(state, record)
        return int(record["steps"][0]), done == 1

    def path(self, state: State, memory: Memory, limit: int) -> tuple[NDArray[np.int64], int]:
        """(first instructions of the blocks of a call of one tile, in the order in which they ran; its steps).

        Raises MachineError if it does not return; run it alone to see why.
        """
        room = np.empty(1 << 16, np.uint32)
        put_back = memory.snapshot()
        while True:
            record = np.zeros(1, self.library.state)
            self.fill(record[0], state)
            tables = Tables(memory)
            tables.log(room)
            done, many = self.library.calls(record, tables, limit), tables.logged(room)
            put_back()
            if not done:
                raise MachineError(f"a tile does not return ({tables.status})")
            if many < room.size:
                return room[:many].astype(np.int64), int(record["steps"][0])
            room = np.empty(4 * room.size, np.uint32)

    def fill(self, record: Any, state: State) -> None:
        """The registers of a state (on a grid: of its first tile) into a record."""
        names = self.slots.names
        for slot in (*self.library.program.core, *range(self.slots.nzcv, len(names))):
            record[names[slot]] = int.from_bytes(slot_bytes(state.slots[slot]), "little")
        for slot in self.library.program.vectors:
            record[names[slot]] = np.frombuffer(slot_bytes(state.slots[slot]), np.uint8)
        record["next"] = state.pc

    def _take(self, state: State, record: Any) -> None:
        """Registers out of the records: [tiles] of one tile, or [rows, columns]."""
        slots, names, word = self.slots, self.slots.names, self.slots.word
        one = record.ndim == 1
        for slot in self.library.program.vectors:
            held = record[names[slot]]
            array = held.transpose(-1, *range(held.ndim - 1))
            state.slots[slot] = VectorValue(((0, NumpyLanes(array[:, 0].copy() if one else array, u8)),))
        for slot in (*self.library.program.core, *range(slots.nzcv, len(names))):
            type_ = u8 if slot >= slots.nzcv else word
            array = record[names[slot]].astype(type_.dtype)
            state.slots[slot] = NumpyLanes(array if one else array[None], type_)
        state.pc = int(record["next"].flat[0])

    @staticmethod
    def _written(memory: Memory, stored: frozenset[str]) -> None:
        for buffer in memory.buffers:
            buffer.is_written = buffer.is_written or buffer.name in stored

    def check(self, state: State, memory: Memory, limit: int) -> None:
        """Once: a tile's first steps in both ways, on copies; BackendError if they differ."""
        if self.checked:
            return
        ours, theirs = copy.deepcopy(memory), copy.deepcopy(memory)
        compiled = State(self.slots, ours, list(state.slots), state.pc, tracing=False)
        plain = State(self.slots, theirs, list(state.slots), state.pc, tracing=False)
        steps, _ = self._run(compiled, ours, min(limit, CHECKED))
        lost = False
        for _ in range(steps):
            plain.writes, plain.undo, plain.branched = [], [], None
            lost = not 0 <= plain.pc < len(self.program.instructions)
            if lost:
                break
            BOUND.get(self.program)[plain.pc](plain)
            branched = plain.branched
            index = plain.pc + 1 if branched is None else self.program.index_at(branched)
            plain.pc = -1 if index is None else index
        wrong = ["the way it takes"] * lost
        wrong += [name for name, a, b in zip(self.slots.names, compiled.slots, plain.slots, strict=True)
                  if slot_bytes(a) != slot_bytes(b)]
        different = np.flatnonzero(ours.arena != theirs.arena)
        if different.size:
            at = int(different[0]) + memory.base
            wrong += [f'buffer "{b.name}" at offset {at - b.address}' for b in memory.buffers
                      if b.address <= at < b.end] or [f"memory at {at:#x}"]
        if wrong:
            raise BackendError(f"The translation to C of {self.program.path} differs from the interpreter after "
                               f"{steps} steps: {', '.join(wrong[:8])}. Please report this program; "
                               'engine="interpreter" runs it.')
        self.checked = True

    # -- many tiles
    def run_tiles(self, state: State, memory: Memory, limit: int, shape: tuple[int, int],
                  uniform: bool = False) -> tuple[int, int]:
        """Every tile of a grid to its return; (steps of tile (0, 0), steps of all).

        uniform   all tiles must take one way through the program, as they do in lock-step

        Raises MachineError of the first tile that does not return, with the tile; Divergence for tiles that part.
        """
        records = np.empty(shape, self.library.state)
        ready = PreparedGrid(self.library, *self.start_of(state), memory, Owned(), shape, limit)
        room = np.empty(ROOM, np.uint32) if uniform else None
        left = ready.run(records.reshape(-1), log=room)
        self._written(memory, left.stored)
        self._take(state, records)
        if left.stopped_tile < records.size:
            row, column = divmod(left.stopped_tile, shape[1])
            state.pc = int(records["next"][row, column])
            raise self._stopped(left, memory, state.pc, f"tile ({row}, {column})", limit)
        if uniform and not _same_way(left.path, records.size):
            raise LockstepDivergence(
                "tiles take different paths through the program, or paths too long to compare. Run them without "
                "uniform, or one at a time")
        return int(records["steps"][0, 0]), left.steps

    def start_of(self, state: State) -> tuple[Any, dict[str, Any]]:
        """(record [1] of the first tile, {general register that differs: uint64, broadcasts to the grid})."""
        one = np.zeros(1, self.library.state)
        self.fill(one[0], state)
        held = {self.slots.names[slot]: numeric(state.slots[slot]).array[0] for slot in self.library.program.core}
        return one, {name: values for name, values in held.items() if values.size > 1}

    def preserved_fields(self, state: State) -> list[tuple[int, int]]:
        """(offset in a record, bytes) of what a call must give back as it was."""
        used = {*self.library.program.core, *self.library.program.vectors}
        fields: Any = self.library.state.fields
        return [(fields[self.slots.names[slot]][1] + first, nbytes)
                for slot, first, nbytes, _ in saved(state).values() if slot in used]

    def _stopped(self, left: GridResult, memory: Memory, pc: int, tile: str, limit: int) -> MachineError:
        """Why a tile did not return."""
        if left.status == "limit":
            return StepLimit(f"{tile}: still running after {limit:,} steps: a loop that does not end? Raise max_steps "
                             "if it is meant to be that long")
        if left.status == "overlap":
            return LockstepDivergence(
                f"{tile} writes a byte that another tile has read or written, or reads one that another "
                              "has written: use a different output for each tile")
        if left.status == "fault":
            refused = memory.refusal(*left.access)
            return MemoryFault(f"{tile}: {refused}" if refused else f"{tile}: the address is not aligned as this "
                               "instruction needs; run that tile alone to see it")
        if pc >= len(self.program.instructions):
            return MachineError("execution ran past the end of the program: a return (ret, bx lr) is missing")
        return MachineError(f"{tile}: the branch goes to a place that the translation has no block for: run that tile "
                            'alone, or the grid with engine="interpreter"')


def _same_way(way: NDArray[np.uint32], tiles: int) -> bool:
    """Whether what was noted, one tile after the other, is one way; where room was too small it is not known."""
    return way.size < ROOM and way.size % tiles == 0 and bool((way.reshape(tiles, -1) == way[:way.size // tiles]).all())
