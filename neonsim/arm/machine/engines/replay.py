"""From the record of a run to its trace: all rounds of a block at once.

The rounds of a loop are to their record what tiles are to a grid: the same instructions on other values. So the bound
instructions run once for a block, in lock-step over all its rounds, from the registers that each round began with; what
they write, and where they load and store, are the trace's rows. Steps that the interpreter did lie between them as
they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.binder import BOUND, BoundInstruction
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric, slot_bytes
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.trace.trace import BufferInfo, Step, Trace
from neonsim.arm.machine.translate.to_recording_python import SKIPPED, Recorded, RecordingProgram
from neonsim.arm.semantics import ElementType, Lanes, NumpyLanes, ShadowLanes, u8, view

__all__ = ["replay_block", "replayed"]

Array = npt.NDArray[Any]


@dataclass
class _Write:
    """A register write of one instruction of a block, in all rounds: bytes [rounds, 16]."""

    at: int
    slot: int
    before: Array
    after: Array


@dataclass
class _Access:
    """A memory access likewise: addresses [rounds], bytes [rounds, n]."""

    at: int
    address: Array
    store: bool
    before: Array
    after: Array


class _Memory:
    """Stands for memory: loads give what was loaded then, stores are noted."""

    tiles = None

    def __init__(self, data: Array, block: Recorded, shadow: bool) -> None:
        self.data, self.block, self.shadow = data, block, shadow
        self.accesses: list[_Access] = []
        self.at = 0
        self._loads = self._stores = 0

    def _addresses(self, address: Lanes) -> Array:
        return np.broadcast_to(numeric(address).array.reshape(-1).astype(np.int64), len(self.data))

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> Lanes:
        column = self.data[f"m{self._loads}"]
        self._loads += 1
        raw = np.ascontiguousarray(column).view(np.uint8).reshape(len(column), nbytes)
        self.accesses.append(_Access(self.at, self._addresses(address), False, raw, raw))
        return ShadowLanes(_lanes(column, type_)) if self.shadow else _lanes(column, type_)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        after = _rows(view(lanes, u8), len(self.data))
        self.accesses.append(_Access(self.at, self._addresses(address), True, self.data[f"o{self._stores}"], after))
        self._stores += 1


class _State(State):
    """Registers of all rounds. Where a branch goes and what an address must be has been settled by the run."""

    __slots__ = ()

    def branch(self, value: Any) -> None:
        pass

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        pass

    def require_alignment(self, address: Lanes, multiple: int, *words: str) -> None:
        pass


def _lanes(column: Array, type_: ElementType) -> NumpyLanes:
    """[rounds, lanes] as the lanes of a grid of rounds x 1."""
    return NumpyLanes(np.ascontiguousarray(column.T)[:, :, None], type_)


def _shadowed(lanes: NumpyLanes, mask: bytes | None) -> ShadowLanes:
    """Lanes with a mask that is the same in all rounds."""
    if mask is None:
        return ShadowLanes(lanes)
    bits = np.frombuffer(mask, lanes.type.with_("u").dtype)[:, None, None]
    return ShadowLanes(lanes, NumpyLanes(np.broadcast_to(bits, lanes.array.shape).copy(), lanes.type.with_("u")))


def _rows(lanes: Lanes, rounds: int) -> Array:
    """Lanes of a grid as bytes [rounds, n]."""
    array = numeric(view(lanes, u8)).array
    return np.ascontiguousarray(np.broadcast_to(array[:, :, 0], (len(array), rounds)).T)


def _register(value: Any, rounds: int, cache: dict[int, Array]) -> Array:
    """A register's value as bytes [rounds, 16], zero-filled."""
    found = cache.get(id(value))
    if found is None:
        lanes = value.read(0, 16, u8) if isinstance(value, VectorValue) else value
        rows = _rows(lanes, rounds)
        if rows.shape[1] < 16:
            rows = np.concatenate([rows, np.zeros((rounds, 16 - rows.shape[1]), np.uint8)], axis=1)
        found = cache[id(value)] = rows
    return found


def replay_block(block: Recorded, bound: list[BoundInstruction], homes: tuple[ElementType, ...], slots: Slots,
          records: list[bytes],
          masks: Mapping[int, bytes] | None = None) -> tuple[list[Any], list[_Write], list[_Access]]:
    """Return the instructions of a block on all its rounds; -> (registers behind it, what was written, accesses).

    masks   uninitialized bits of registers, in all rounds: then the registers behind it have theirs too, and
            nothing is said of writes
    """
    data = np.frombuffer(b"".join(records), block.record)
    memory = _Memory(data, block, shadow=masks is not None)
    values: list[Any] = [None] * len(slots.names)
    for slot in block.slots:
        type_ = homes[slot] if slot < slots.vectors else u8 if slot >= slots.nzcv else slots.word
        lanes = _lanes(data[slots.names[slot]], type_)
        made = lanes if masks is None else _shadowed(lanes, masks.get(slot))
        values[slot] = VectorValue(((0, made),)) if slot < slots.vectors else made
    state = _State(slots, memory, values, axes=2, shadow=masks is not None, tracing=False)  # type: ignore[arg-type]
    writes: list[_Write] = []
    cache: dict[int, Array] = {}
    kept = []
    for at, instruction in enumerate(bound):
        memory.at, state.pc = at, block.first + at
        state.writes, state.undo = [], []
        instruction(state)
        if masks is None:
            kept.append(state.writes)  # as long as the cache knows values by their id
            writes += [_Write(at, slot, _register(old, len(data), cache), _register(new, len(data), cache))
                       for slot, old, new in state.writes]
    return values, writes, memory.accesses


def replayed(program: Program, slots: Slots, recording: RecordingProgram, order: Iterable[bytes | int],
             steps: list[Step], initial: list[Any], buffers: list[BufferInfo], returned: int,
             defined: dict[str, bytes] | None) -> Trace:
    """Return the trace of a run.

    order     records of blocks, and numbers of steps that the interpreter did between them
    steps     those steps          initial   registers before the first step
    defined   which of their bytes are initialized
    """
    groups: dict[int, tuple[list[bytes], list[int]]] = {}
    between: list[tuple[int, Step]] = []
    rest = iter(steps)
    total = 0
    for item in order:
        if isinstance(item, int):
            between += [(total + i, next(rest)) for i in range(item)]
            total += item
            continue
        number = int.from_bytes(item[:4], "little")
        records, starts = groups.setdefault(number, ([], []))
        records.append(item)
        starts.append(total)
        total += recording.blocks[number & SKIPPED - 1].steps
    pc, executed = np.zeros(total, np.int32), np.ones(total, bool)
    write_counts, access_counts = np.zeros(total + 1, np.int32), np.zeros(total + 1, np.int32)
    rows_of = []
    for number, (records, begins) in groups.items():
        block = recording.blocks[number & SKIPPED - 1]
        first = np.array(begins)
        pc[first[:, None] + np.arange(block.steps)] = np.arange(block.first, block.last + 1)
        if number & SKIPPED:
            executed[first] = False
            continue
        _, writes, accesses = replay_block(block, BOUND.get(program)[block.first:block.last + 1], recording.homes,
                                           slots,
                                    records)
        for write in writes:
            write_counts[first + write.at + 1] += 1
        for access in accesses:
            access_counts[first + access.at + 1] += 1
        rows_of.append((first, writes, accesses))
    for at, step in between:
        pc[at], executed[at] = step.pc, step.executed
        write_counts[at + 1], access_counts[at + 1] = len(step.writes), len(step.accesses)
    write_start, access_start = (np.cumsum(counts, dtype=np.int32) for counts in (write_counts, access_counts))
    count = int(write_start[-1])
    location = np.zeros(count, np.int16)
    before, after = np.zeros((count, 16), np.uint8), np.zeros((count, 16), np.uint8)
    number = int(access_start[-1])
    address, nbytes = np.zeros(number, np.int64), np.zeros(number, np.int32)
    store = np.zeros(number, bool)
    placed: list[tuple[Array, _Access]] = []
    for first, writes, accesses in rows_of:
        seen: dict[int, int] = {}
        for write in writes:
            row = write_start[first + write.at] + seen.get(write.at, 0)
            seen[write.at] = seen.get(write.at, 0) + 1
            location[row], before[row], after[row] = write.slot, write.before, write.after
        seen = {}
        for access in accesses:
            row = access_start[first + access.at] + seen.get(access.at, 0)
            seen[access.at] = seen.get(access.at, 0) + 1
            address[row], nbytes[row], store[row] = access.address, access.before.shape[1], access.store
            placed.append((row, access))
    for at, step in between:
        for k, (slot, old, new) in enumerate(step.writes):
            row = write_start[at] + k
            location[row] = slot
            for rows, value in ((before, old), (after, new)):
                data = slot_bytes(value)
                rows[row, :len(data)] = np.frombuffer(data, np.uint8)
        for k, (place, size, stores, _, _) in enumerate(step.accesses):
            row = access_start[at] + k
            address[row], nbytes[row], store[row] = place, size, stores
    data_start = np.concatenate([[0], np.cumsum(nbytes)]).astype(np.int64)
    old_data, new_data = np.zeros(int(data_start[-1]), np.uint8), np.zeros(int(data_start[-1]), np.uint8)
    for row, access in placed:
        index = data_start[row][:, None] + np.arange(access.before.shape[1])
        old_data[index], new_data[index] = access.before, access.after
    for at, step in between:
        for k, (_, size, _, was, now) in enumerate(step.accesses):
            low = data_start[access_start[at] + k]
            old_data[low:low + size] = np.frombuffer(was, np.uint8)
            new_data[low:low + size] = np.frombuffer(now, np.uint8)
    return Trace(program, slots.isa, slots.names, pc, executed, write_start, location, before, after, access_start,
                 address, nbytes, store, data_start, old_data, new_data,
                 {name: slot_bytes(value) for name, value in zip(slots.names, initial, strict=True)}, buffers, 0,
                 returned, None, defined=defined)
