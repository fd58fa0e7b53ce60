"""What an engine is, and the one of programs translated to Python: one tile, no compiler."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.blocks import slots_of
from neonsim.arm.machine.translate.to_python import FLAGS, Leave, flags_of, translate_python
from neonsim.arm.semantics import NumpyLanes, u8

__all__ = ["Engine", "PythonEngine"]

class Engine(ABC):
    """One program from one entry, translated.

    leaders   instructions at which it can begin
    """

    leaders: frozenset[int]

    @abstractmethod
    def run(self, state: State, memory: Memory, limit: int, pause: int | None = None) -> tuple[int, bool]:
        """Run from state.pc for at most ``limit`` steps; (steps done, whether the call returned).

        pause   a number of steps: it stops there at the latest
        """


class PythonEngine(Engine):
    """Translated Python: one tile, no compiler."""

    def __init__(self, program: Program, entry: str | None) -> None:
        self.slots: Slots = slots_of(program.isa)
        self.program = translate_python(program, entry)
        self.leaders = self.program.leaders

    def run(self, state: State, memory: Memory, limit: int, pause: int | None = None) -> tuple[int, bool]:
        slots, homes = self.slots, self.program.homes
        values: list[int] = []
        for slot in self.program.slots:
            held = state.slots[slot].read(0, 16, homes[slot]) if slot < slots.vectors else state.slots[slot]
            values += numeric(held).array.tolist()
            if slot == slots.nzcv:
                values += [0, 0, 0]
        limit = limit if pause is None else min(limit, pause)
        values, state.pc, steps, returned = self.program.function(
            values, memory.arena.data, limit, state.pc, partial(self._find, memory, False),
            partial(self._find, memory, True))
        at = 0
        for slot in self.program.slots:
            if slot < slots.vectors:
                home, count = homes[slot], 128 // homes[slot].bits
                lanes = NumpyLanes(np.array(values[at:at + count], home.dtype), home)
                state.slots[slot] = VectorValue(((0, lanes),))
            elif slot == slots.nzcv:
                count = len(FLAGS)
                state.slots[slot] = NumpyLanes.from_integers([flags_of(*values[at:at + count])], u8)
            else:
                count = 1
                state.slots[slot] = NumpyLanes.from_integers([values[at]], u8 if slot > slots.nzcv else slots.word)
            at += count
        return steps, returned

    @staticmethod
    def _find(memory: Memory, store: bool, address: int, nbytes: int) -> tuple[int, int]:
        """(first, end) of the buffer that an access may touch; Leave if there is none."""
        if memory.refusal(address, nbytes, store) is not None:
            raise Leave
        for b in memory.buffers:
            low, high = (b.address, b.end) if store else (b.address - b.reads_before, b.end + b.reads_after)
            if low <= address and address + nbytes <= high:
                b.is_written = b.is_written or store
                return low, high
        raise Leave
