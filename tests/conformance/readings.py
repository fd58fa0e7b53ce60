"""The readings of our machine that are held to QEMU, each on whole chunks of a pool of states.

    pool = Pool("aarch64", chunks=10)
    reading = LockStep(pool)
    reading.prepare([instruction, ...])
    changed = reading.run(0, chunk=3)            # oracle.Changes: what may have changed, all states of the chunk
    pool.differences(3, expected, changed)       # [] or sentences

`LockStep` runs the meanings on numpy arrays, a chunk at once; `Compiled` the C that is generated, `Python` the Python,
state by state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
import ours
from numpy.typing import NDArray
from oracle import DTYPE, Changes
from states import ADDRESS, CHUNK, states

from neonsim.arm.asm import Program, assemble
from neonsim.arm.isa import Instruction
from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.arch.binder import bind
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.engines import compiled
from neonsim.arm.machine.engines.python_engine import PythonEngine
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.to_c import translate_c
from neonsim.arm.machine.translate.to_python import FLAGS, flags_of, translate_python
from neonsim.arm.semantics import u8

__all__ = ["READINGS", "Compiled", "LockStep", "Pool", "Python", "Reading"]

# How a line of a program returns, and a branch; the register is one that no tested line names.
_LEAVE: Final = {"aarch64": ("ret x27\n0: b.eq 0b", 27), "aarch32": ("bx r11\n0: beq 0b", 11)}


class Pool:
    """States in chunks, and what each reading keeps of them.

    size   states in a chunk
    filled  the states, if they are made already
    rules   bits 26 to 19 of FPCR, one value for each chunk in turn
    keys   of each slot of the machine, its place in `oracle.Changes`; a flag has its own name
    """

    def __init__(self, isa: str, chunks: int, seed: int = 2, size: int = CHUNK,
                 filled: NDArray[np.void] | None = None, rules: Sequence[int] = (0,)) -> None:
        self.isa, self.slots, self.chunks, self.size = isa, AARCH64 if isa == "aarch64" else AARCH32, chunks, size
        self.states = filled if filled is not None else states(isa, DTYPE[isa], chunks * size, seed, apart=size,
                                                               formats=True, rules=rules, edged=len(rules) > 1)
        self._windows = [self.chunk(number)["mem"] for number in range(chunks)]
        slots = self.slots
        self.keys = [("v", slot) if slot < slots.vectors else (name, 0) if slot >= slots.nzcv or (isa, name) == (
            "aarch64", "sp") else ("x", slot - slots.core) for slot, name in enumerate(slots.names)]

    def chunk(self, number: int) -> NDArray[np.void]:
        return self.states[number * self.size:(number + 1) * self.size]

    def column(self, number: int, key: tuple[str, int]) -> NDArray[Any]:
        """A place of all states of a chunk."""
        before, (field, index) = self.chunk(number), key
        if field == ours.HIDDEN:
            return np.zeros(len(before), np.uint8)
        return ours.flag(before, field) if field in ours.FLAGS else before["sp"] if field == "sp" else before[field][
            :, index]

    def values(self, number: int) -> list[Any]:
        """The chunk in the slots of a lock-step machine; its registers keep every way in which they have been read."""
        return _values(self, number)

    def judged(self, changed: Changes) -> Changes:
        """QEMU's changes with the status registers taken apart into the machine's flags."""
        found = {key: array for key, array in changed.items() if key[0] not in ("nzcv", "fpsr")}
        for name in ours.FLAGS.keys() & set(self.slots.flags):
            field = changed.get((ours.FLAGS[name][0], 0))
            if field is not None:
                found[name, 0] = ours.flag_of(field, name)
        return found

    def differences(self, number: int, expected: Changes, found: Changes) -> list[str]:
        """What two runs of a chunk do not agree on, in words."""
        wrong = []
        found = {key: array for key, array in found.items() if key[0] != ours.HIDDEN}
        for key in (expected | found).keys() - {key for key in expected | found if key[0] == "mem"}:
            was = self.column(number, key) if key[0] != "fault" else np.zeros(self.size, np.uint8)
            want, have = expected.get(key, was), found.get(key, was)
            if not np.array_equal(want, have):
                at = int(np.flatnonzero((want != have).reshape(self.size, -1).any(1))[0])
                wrong.append(f"{key[0]}{key[1]} of state {at}: QEMU {want[at].tobytes().hex()}, ours "
                             f"{have[at].tobytes().hex()}, before {was[at].tobytes().hex()}")
        windows = [self.memory(number, changed) for changed in (expected, found)]
        if windows[0] is not windows[1] and not np.array_equal(windows[0], windows[1]):
            at, byte = np.argwhere(windows[0] != windows[1])[0]
            wrong.append(f"memory of state {at}, byte {byte}: QEMU {windows[0][at, byte]:02x}, ours "
                         f"{windows[1][at, byte]:02x}")
        return wrong

    def memory(self, number: int, changed: Changes) -> NDArray[np.uint8]:
        """The windows of a chunk afterwards."""
        before = self._windows[number]
        for (field, low), array in changed.items():
            if field == "mem":
                before = before.copy()
                before[:, low:low + array.shape[1]] = array
        return before


@lru_cache(maxsize=256)
def _values(pool: Pool, number: int) -> list[Any]:
    return ours.slot_values(pool.isa, pool.chunk(number), (pool.size, 1))


class Reading(ABC):
    """One way of running instructions."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.isa, self.slots = pool, pool.isa, pool.slots
        self.instructions: list[Instruction] = []

    def prepare(self, instructions: list[Instruction]) -> None:
        """Make ready for a batch."""
        self.instructions = instructions

    @abstractmethod
    def run(self, number: int, chunk: int) -> Changes:
        """One instruction of the batch on the states of a chunk; good until the next run."""


def _windows(pool: Pool) -> tuple[Memory, NDArray[np.uint8]]:
    """A memory with the windows of a chunk behind each other, and these, [states, bytes]."""
    memory = Memory()
    ours.place(memory, pool.chunk(0))
    at = ADDRESS - memory.base
    return memory, memory.arena[at:at + pool.chunk(0)["mem"].size].reshape(pool.size, -1)


class LockStep(Reading):
    """Numpy arrays, lanes first: a grid of a tile for each state."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.memory, self.window = _windows(pool)

    def run(self, number: int, chunk: int) -> Changes:
        instruction, before = self.instructions[number], self.pool.chunk(chunk)
        if instruction.memory:
            self.window[...] = before["mem"]
            both = instruction.memory == "load" and instruction.stores
            self.memory.begin((len(before), 1), False, frozenset({"window"} if both else ()))
        values = self.pool.values(chunk)
        state = State(self.slots, self.memory, list(values), axes=2, tracing=False)
        self.step(instruction, state)
        found: Changes = {}
        for key, old, new in zip(self.pool.keys, values, state.slots, strict=True):
            if new is not old:
                array = numeric(new.read(0, 16, u8) if isinstance(new, VectorValue) else new).array
                column = np.broadcast_to(array.reshape(len(array), -1), (len(array), len(before)))
                found[key] = column.T if key[0] == "v" else column[0]
        if instruction.stores:
            found["mem", 0] = self.window
        return found

    def step(self, instruction: Instruction, state: State) -> None:
        """Do it."""
        bind(instruction, 0, self.slots)(state)


class _OneByOne(Reading):
    """State by state in one memory, with the windows of a chunk behind each other."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.memory, self.window = _windows(pool)
        text, self.register = _LEAVE[self.isa]
        self.leave, self.branch = assemble(text, isa=self.isa).instructions

    def program(self, instructions: list[Instruction]) -> Program:
        """Each instruction with a return behind it; before them a branch to each, so that none is out of reach."""
        count = len(instructions)
        head = [self.branch.resolve(count + 2 * i) for i in range(count)]
        return Program(self.isa, "corpus", (*head, *(x for i in instructions for x in (i, self.leave))))


class Compiled(_OneByOne):
    """Generated C, the batch in one library."""

    def prepare(self, instructions: list[Instruction]) -> None:
        super().prepare(instructions)
        self.library = compiled.Compiled(translate_c(self.program(instructions)), self.slots.names)
        self.starts: dict[int, NDArray[np.void]] = {}
        there = self.library.state.names or ()
        self.fields = [(name, key) for name, key in zip(self.slots.names, self.pool.keys, strict=True) if name in there]

    def _start(self, chunk: int) -> NDArray[np.void]:
        if chunk not in self.starts:
            records = np.zeros(self.pool.size, self.library.state)
            for name, key in self.fields:
                records[name] = self.pool.column(chunk, key)
            records[self.slots.names[self.slots.core + self.register]] = RETURN
            self.starts[chunk] = records
        return self.starts[chunk]

    def run(self, number: int, chunk: int) -> Changes:
        instruction = self.instructions[number]
        if instruction.memory:
            self.window[...] = self.pool.chunk(chunk)["mem"]
        start = self._start(chunk)
        records = start.copy()
        records["next"] = len(self.instructions) + 2 * number
        tables = compiled.Tables(self.memory)
        done = self.library.calls(records, tables, 2)
        assert done == self.pool.size, f"{instruction}: state {done} stopped: {tables.status}"
        found = {key: records[name] for name, key in self.fields if not np.array_equal(records[name], start[name])}
        if instruction.stores:
            found["mem", 0] = self.window
        return found


class Python(_OneByOne):
    """Generated Python, a function for each instruction."""

    def prepare(self, instructions: list[Instruction]) -> None:
        super().prepare(instructions)
        self.translated = [translate_python(self.program([i])) for i in instructions]
        self.find = partial(PythonEngine._find, self.memory, False), partial(PythonEngine._find, self.memory, True)

    def run(self, number: int, chunk: int) -> Changes:
        instruction, translated, slots = self.instructions[number], self.translated[number], self.slots
        if instruction.memory:
            self.window[...] = self.pool.chunk(chunk)["mem"]
        # A row for each state: lanes of the SIMD registers as the program has them, general registers, flags.
        keys = [(slot, self.pool.keys[slot]) for slot in translated.slots]
        columns = []
        for slot, key in keys:
            column = self.pool.column(chunk, key)
            if slot < slots.vectors:
                columns.append(np.ascontiguousarray(column).view(translated.homes[slot].dtype))
            elif slot == slots.core + self.register:
                columns.append(np.full((self.pool.size, 1), RETURN))
            else:
                columns.append(column[:, None])
                columns += [np.zeros((self.pool.size, len(FLAGS) - 1), np.uint8)] * (slot == slots.nzcv)
        starts = list(zip(*(lanes.tolist() for column in columns for lanes in column.T), strict=True))
        function, (load, store), arena = translated.function, self.find, self.memory.arena.data
        ends = []
        for start in starts:  # entered behind the head
            end, _, _, returned = function(start, arena, 2, 1, load, store)
            assert returned, f"{instruction}: left the text"
            ends.append(end)
        found, at = Changes(), 0
        before, after = list(zip(*starts, strict=True)), list(zip(*ends, strict=True))
        for slot, key in keys:
            count = 128 // translated.homes[slot].bits if slot < slots.vectors else len(FLAGS) if (
                slot == slots.nzcv) else 1
            lanes = after[at:at + count]
            if before[at:at + count] != lanes:
                if slot < slots.vectors:
                    found[key] = np.ascontiguousarray(np.array(lanes, translated.homes[slot].dtype).T).view(np.uint8)
                elif slot == slots.nzcv:
                    found[key] = np.array([flags_of(*row) for row in zip(*lanes, strict=True)], np.uint8)
                else:
                    found[key] = np.array(lanes[0], np.uint8 if slot > slots.nzcv else slots.word.dtype)
            at += count
        if instruction.stores:
            found["mem", 0] = self.window
        return found


READINGS: Final[dict[str, Callable[[Pool], Reading]]] = {"lock-step": LockStep, "C": Compiled, "Python": Python}
