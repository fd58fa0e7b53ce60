"""The lock-step engine: blocks translated to numpy, run on a grid of tiles.

Between blocks a register is what the text of a block likes best (see `translate_numpy.Kind`): an integer, a line, or
arrays [rows, lanes, columns]. The interpreter has lanes first; what goes to and fro are views of the same bytes, and
only registers that changed since the last time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.asm import Program
from neonsim.errors import Divergence, MemoryFault, NeonsimError
from neonsim.lanes import ElementType, Lanes, NumpyLanes, element, u8
from neonsim.lanes.source_numpy import line_values
from neonsim.turns import MadeOnce

from .engines import Engine
from .memory import BASE, Memory, Undo
from .private_stack import PrivateStack
from .registers import VectorValue, numeric
from .state import State
from .translate_numpy import RETURNED, Kind, NumpyTranslation, kind
from .translate_python import Leave
from .windows import Affine

__all__ = ["LockstepEngine", "numpy_translation"]

PATIENCE = 1  # times that a block is interpreted before it is written


class LockstepEngine(Engine):
    """One call of a program on a grid.

    patience   how often a block is left to the interpreter first: writing it takes as long as a few hundred steps
    """

    def __init__(self, program: Program, entry: str | None, shape: tuple[int, int], patience: int = PATIENCE) -> None:
        self.translation = numpy_translation(program, entry)
        self.leaders = self.translation.leaders
        self.shape, self.patience = shape, patience
        count = len(self.translation.slots.names)
        self._values: list[Any] = [None] * count
        self._kinds: list[Kind] = [kind("int", ())] * count
        self._seen: list[Any] = [None] * count  # what the interpreter has for each slot

    by_blocks = True

    def run(self, state: State, memory: Memory, limit: int, pause: int | None = None) -> tuple[int, bool]:
        with np.errstate(all="ignore"):  # what numbers raise is found by the blocks themselves
            return self._run(state, memory, limit, pause)

    def _run(self, state: State, memory: Memory, limit: int, pause: int | None) -> tuple[int, bool]:
        translation, kinds, values = self.translation, self._kinds, self._values
        rows, columns = self.shape
        pc, steps, log = state.pc, 0, _Accesses(memory, self.shape)
        changed: set[int] = set()
        block = None
        if translation.known(pc):
            self._take(state)
            block = translation.find(pc, kinds, self.patience)
        while block is not None and steps + block.steps <= limit:
            try:
                go, held = block.function(values, log, rows, columns)
            except Leave:
                memory.take_back(reversed(log.undo))
                block.left += 1
                break
            steps += block.steps
            if pause is not None and steps >= pause:
                state.undo, limit = list(log.undo), steps
            log.undo.clear()
            if held:
                for slot, left in block.exits:
                    kinds[slot] = left
                    changed.add(slot)
            if go == RETURNED:
                # The interpreter stays at the instruction that returned.
                pc += block.steps - 1
                self._give(state, changed)
                state.pc = pc
                return steps, True
            pc = go
            block = translation.find(pc, kinds, self.patience)
        self._give(state, changed)
        state.pc = pc
        return steps, False

    def _take(self, state: State) -> None:
        """The interpreter's registers, as far as they changed."""
        slots = self.translation.slots
        for slot, value in enumerate(state.slots):
            if value is self._seen[slot]:
                continue
            self._seen[slot] = value
            if slot < slots.vectors:
                if len(value.parts) > 2:
                    value = VectorValue(((0, value.read(0, 16, u8)),))
                arrays = [(start, numeric(lanes)) for start, lanes in value.parts]
                self._values[slot] = tuple(lanes.array.transpose(1, 0, 2) for _, lanes in arrays)
                self._kinds[slot] = kind("array", tuple((start, lanes.type, lanes.count, *_varies(lanes.array))
                                                        for start, lanes in arrays))
            else:
                self._values[slot], self._kinds[slot] = _core(numeric(value), u8 if slot >= slots.nzcv else slots.word)

    def _give(self, state: State, changed: set[int]) -> None:
        """Registers that blocks have written, as the interpreter has them."""
        slots = self.translation.slots
        for slot in changed:
            held, value = self._kinds[slot], self._values[slot]
            type_ = held.parts[0][1]
            if held.form == "int":
                made: Any = NumpyLanes.of([value], type_, 2)
            elif held.form == "line":
                _, _, _, rows, columns = held.parts[0]
                base, row, column = value
                made = NumpyLanes(line_values(base, row, column, self.shape[0] if rows else 1,
                                              self.shape[1] if columns else 1, type_.dtype).transpose(1, 0, 2), type_)
            else:
                lanes = [(part[0], NumpyLanes(array.transpose(1, 0, 2), part[1]))
                         for part, array in zip(held.parts, value, strict=True)]
                made = VectorValue(tuple(lanes)) if slot < slots.vectors else lanes[0][1]
            state.slots[slot] = self._seen[slot] = made
        changed.clear()


def _varies(array: Any) -> tuple[bool, bool]:
    return array.shape[1] > 1, array.shape[2] > 1


def _core(lanes: NumpyLanes, type_: ElementType) -> tuple[Any, Kind]:
    """A general register as cheap as it goes: (value, kind)."""
    array = lanes.array.view(type_.dtype)
    if array.size == 1:
        return int(array.item()), kind("int", ((0, type_, 1, False, False),))
    grid = array[0]
    rows, columns = _varies(array)
    if type_ is not u8:
        first = int(grid[0, 0])
        row = int(grid[1, 0]) - first if rows else 0
        column = int(grid[0, 1]) - first if columns else 0
        if np.array_equal(line_values(first, row, column, len(grid), len(grid[0]), type_.dtype)[:, 0], grid):
            return (first, row, column), kind("line", ((0, type_, 1, rows, columns),))
    return (array.transpose(1, 0, 2),), kind("array", ((0, type_, 1, rows, columns),))


class _Accesses:
    """Memory as the text of a block calls it. Whatever is refused is left to the interpreter, to be explained."""

    def __init__(self, memory: Memory, shape: tuple[int, int]) -> None:
        self.memory, self.shape = memory, shape
        self.undo: list[Undo] = []
        self._arena = memory.arena
        self._read: list[tuple[int, int]] = []  # (first, end) of buffers that have been read: nobody may write there

    def load(self, base: int, row: int, column: int, rows: int, columns: int, nbytes: int, type_: ElementType) -> Any:
        down, along = (rows - 1) * row, (columns - 1) * column
        low, end = base + min(down, 0) + min(along, 0), base + max(down, 0) + max(along, 0) + nbytes
        for first, last in self._read:
            if first <= low and end <= last:
                array = np.ndarray((rows, nbytes // type_.bytes, columns), type_.dtype, self._arena, base - BASE,
                                   (row, type_.bytes, column))
                return array.copy()
        if PrivateStack.holds(base, nbytes):
            raise Leave
        try:
            lanes = self.memory.load_affine(Affine(base - BASE, row, column, rows, columns), nbytes, type_)
        except (MemoryFault, Divergence):
            raise Leave from None
        self._read += [(b.address - b.reads_before, b.end + b.reads_after) for b in self.memory.buffers
                       if b.address - b.reads_before <= low and end <= b.end + b.reads_after]
        return lanes.transpose(1, 0, 2)

    def store(self, base: int, row: int, column: int, rows: int, columns: int, value: Any, type_: ElementType) -> None:
        if PrivateStack.holds(base, 1):
            raise Leave
        try:
            self.memory.store_affine(Affine(base - BASE, row, column, rows, columns),
                                     NumpyLanes(value.transpose(1, 0, 2), type_), self.undo)
        except NeonsimError:
            raise Leave from None

    def demand(self, base: int, row: int, column: int, rows: int, columns: int, multiple: int) -> None:
        if (base | (row if rows > 1 else 0) | (column if columns > 1 else 0)) & multiple - 1:
            raise Leave

    def load_each(self, places: Any, nbytes: int, type_: ElementType) -> Any:
        try:
            lanes: Lanes = self.memory.load(_addresses(places), nbytes, type_)
        except (MemoryFault, Divergence):
            raise Leave from None
        return numeric(lanes).array.transpose(1, 0, 2)

    def store_each(self, places: Any, value: Any, type_: ElementType) -> None:
        try:
            self.memory.store(_addresses(places), NumpyLanes(value.transpose(1, 0, 2), type_), self.undo)
        except NeonsimError:
            raise Leave from None

    def demand_each(self, places: Any, multiple: int) -> None:
        if (places & places.dtype.type(multiple - 1)).any():
            raise Leave


def _addresses(places: Any) -> NumpyLanes:
    return NumpyLanes(places.transpose(1, 0, 2), element("x", 8 * places.dtype.itemsize))


_TRANSLATIONS: MadeOnce[Program, NumpyTranslation] = MadeOnce(
    lambda program, entry: NumpyTranslation(program, program.entry(entry)))


def numpy_translation(program: Program, entry: str | None) -> NumpyTranslation:
    """The translation of a program and entry, made once."""
    return _TRANSLATIONS.of(program, entry)
