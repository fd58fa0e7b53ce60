"""Which bytes of a recorded run are initialized, step by step.

Known is what the caller passed, what was placed in memory, and what instructions made of known bits. All else is junk
that the machine put there, and no number: faces show it as not written. A byte counts as known when all its bits are.

The recording says what was known before its first step. From there on this is derived, with the sanitizer's own
reading of every instruction that meets something unknown; where all that it works on is known, so is what it makes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.isa import Location
from neonsim.arm.machine.arch.abi import is_return
from neonsim.arm.machine.arch.binder import BoundInstruction, bind
from neonsim.arm.machine.arch.clobbered import clobbered_by
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue, digits_of, known_bytes, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.semantics import ElementType, Lanes, NumpyLanes, ShadowLanes, u8, view
from neonsim.errors import AssemblyError, BadArgument, MachineError

from .definedness_masks import Rounds

if TYPE_CHECKING:
    from neonsim.arm.machine.call.edits import StateEdit

    from .trace import BufferInfo, Trace

Array = npt.NDArray[Any]
OUTSIDE = ("",)         # stands for all that is outside of buffers: of that nothing is known
STORED = "stored"       # (STORED, k): the bytes of the k-th store of a step
_TURNED = bytes([1, 0, *range(2, 256)])

__all__ = ["DefinednessCursor", "DefinednessTrace", "ShadowBytes", "compute_definedness", "hex_of", "known_bytes"]


class ShadowBytes(bytes):
    """Bytes that know which of them are initialized: ``defined`` has a byte for each, 1 = written. A slice too."""

    defined: bytes  # one byte per byte

    def __new__(cls, data: bytes, defined: bytes) -> ShadowBytes:
        made = super().__new__(cls, data)
        made.defined = bytes(defined)
        return made

    def __getitem__(self, key: Any) -> Any:
        found: Any = super().__getitem__(key)
        return ShadowBytes(found, self.defined[key]) if isinstance(key, slice) else found


def hex_of(data: bytes) -> str:
    """Return the hexadecimal digits of a number, most significant first; "--" for an uninitialized byte.

    >>> hex_of(ShadowBytes(bytes([1, 2]), bytes([1, 0])))
    '--01'
    """
    return digits_of(data, getattr(data, "defined", b"\1" * len(data)))


class DefinednessTrace:
    """What is known of registers and memory before the first step, and what each step changes in that.

    registers   location -> one byte per byte          memory   buffer -> likewise
    learned     (step, location, before, after) of every step that changes what is known of a register
    stored      (step, buffer, first byte, before, after) likewise of memory; steps count from 0
    """

    def __init__(self, registers: dict[str, bytes], memory: dict[str, bytes]) -> None:
        self.registers, self.memory = registers, memory
        self.learned: list[tuple[int, str, bytes, bytes]] = []
        self.stored: list[tuple[int, str, int, bytes, bytes]] = []

    def cursor_at(self, step: int = 0) -> DefinednessCursor:
        """Return a place to stand in, before a step."""
        return DefinednessCursor(self, step)


class DefinednessCursor:
    """What is known before a step: ``registers`` location -> one byte per byte, ``memory`` buffer -> likewise."""

    def __init__(self, known: DefinednessTrace, step: int) -> None:
        self._known = known
        self._learned = self._stored = 0  # how many changes have been made
        self.registers = dict(known.registers)
        self.memory = {name: bytearray(data) for name, data in known.memory.items()}
        self.goto(step)

    def goto(self, step: int) -> None:
        """Stand before a step; after the last one is before the next."""
        learned, stored = self._known.learned, self._known.stored
        while self._learned < len(learned) and learned[self._learned][0] < step:
            _, location, _, after = learned[self._learned]
            self.registers[location] = after
            self._learned += 1
        while self._learned and learned[self._learned - 1][0] >= step:
            self._learned -= 1
            _, location, before, _ = learned[self._learned]
            self.registers[location] = before
        while self._stored < len(stored) and stored[self._stored][0] < step:
            _, name, first, _, after = stored[self._stored]
            self.memory[name][first:first + len(after)] = after
            self._stored += 1
        while self._stored and stored[self._stored - 1][0] >= step:
            self._stored -= 1
            _, name, first, before, _ = stored[self._stored]
            self.memory[name][first:first + len(before)] = before

    def bytes_at(self, buffers: Sequence[BufferInfo], address: int, size: int) -> bytes:
        """Of the bytes at an address; of those outside all buffers nothing is known."""
        for b in buffers:
            if b.address <= address and address + size <= b.address + b.nbytes:
                return bytes(self.memory[b.name][address - b.address:address - b.address + size])
        return b"".join(self.bytes_at(buffers, at, 1) for at in range(address, address + size)) if size > 1 else b"\0"


class _Memory:
    """Stands for memory in steps of one kind: loads give what was loaded then, of stores it is noted what was known.

    loads    (bytes [size, steps], which of them were known: None for all) of each
    stores   known bytes [steps, size] of each
    """

    tiles = None

    def __init__(self, loads: list[tuple[Array, bytes | None]]) -> None:
        self.loads = loads
        self.stores: list[Array] = []

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> Lanes:
        # A saved run from elsewhere may have been changed: each load is there, with the bytes of its instruction.
        if not self.loads or len(self.loads[0][0]) != nbytes:
            raise BadArgument("this recorded run does not match its program: a load is missing or has another size")
        return view(_shadowed(*self.loads.pop(0)), type_)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        self.stores.append(_known_rows(lanes))


class _State(State):
    """Where a branch goes and what an address must be has been settled by the run."""

    __slots__ = ()

    def branch(self, value: Any) -> None:
        pass

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        pass

    def require_alignment(self, address: Lanes, multiple: int, *words: str) -> None:
        pass


class _Slots(list[Any]):
    """Registers, each made when it is asked for."""

    def __init__(self, count: int, make: Any) -> None:
        super().__init__([None] * count)
        self.make = make

    def __getitem__(self, slot: Any) -> Any:
        value = super().__getitem__(slot)
        if value is None:
            value = self.make(slot)
            self[slot] = value
        return value


def _shadowed(data: Array, known: bytes | None) -> ShadowLanes:
    """Bytes [size, steps] as lanes of a grid of steps x 1; the same of them are known in all steps."""
    value = NumpyLanes(data[:, :, None], u8)
    if known is None or all(known):
        return ShadowLanes(value)
    mask = np.where(np.frombuffer(known, np.uint8) == 0, 255, 0).astype(np.uint8)
    return ShadowLanes(value, NumpyLanes(np.repeat(mask[:, None, None], data.shape[1], axis=1), u8))


def _known_rows(lanes: Lanes) -> Array:
    """Of lanes of a grid of steps x 1: known bytes, [steps, size], one row where all steps have the same."""
    if not isinstance(lanes, ShadowLanes) or lanes.undefined is None:
        return np.ones((1, lanes.count * lanes.type.bytes), np.uint8)
    found: Array = (numeric(view(lanes.undefined, u8)).array[:, :, 0] == 0).astype(np.uint8).T
    return found


class _Run(Rounds):
    """A trace on the way from its first step to its last.

    Its items are the steps; kinds are the instructions, with the buffers that they access. A buffer is a place that has
    something unknown or not; steps that access one that has are done one by one, as are those that a value was changed
    behind by hand.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.slots = AARCH64 if trace.isa == "aarch64" else AARCH32
        self.bound: dict[int, BoundInstruction | None] = {}
        sizes = {name: len(data) for name, data in trace.initial.items()}
        self.all = {name: b"\1" * size for name, size in sizes.items()}
        known = dict(self.all) if trace.defined is None else dict(trace.defined)
        self.made = DefinednessTrace(known, {b.name: b"\1" * b.nbytes if b.defined is None else b.defined
                                             for b in trace.buffers})
        self.memory = {name: bytearray(data) for name, data in self.made.memory.items()}
        self.unknown = {name: data.count(0) for name, data in self.memory.items()}
        self.buffers = sorted(trace.buffers, key=lambda b: b.address)
        self.starts = [b.address for b in self.buffers]
        self.uses: dict[int, list[tuple[str, int, int]]] = {}
        self.sites: list[int] = []          # of the calls under way
        self.by_hand: dict[int, list[StateEdit]] = {}
        for one in trace.changes:
            self.by_hand.setdefault(one.step - trace.first - 1, []).append(one)
        self.rows = [np.flatnonzero(trace.write_location == k) for k in range(len(trace.locations))]
        codes, firsts = self._kinds()
        self.written = [self._written(step) for step in firsts]
        super().__init__(codes, list(map(self._places_of, firsts)), {name: _not(one) for name, one in known.items()})
        self.put(OUTSIDE, b"\1")
        for name, count in self.unknown.items():
            self.put((name,), b"\1" if count else b"")

    def _kinds(self) -> tuple[Array, list[int]]:
        """(the kind of each step, the first step of each kind)."""
        trace = self.trace
        homes = np.searchsorted(self.starts, trace.access_address, side="right").astype(np.int64)
        kinds: Array = np.zeros(trace.steps, np.int64)
        firsts: Array = np.zeros(min(trace.steps, 1), np.int64)

        def parted(values: Array) -> None:
            nonlocal kinds, firsts
            low = int(values.min(initial=0))
            both = kinds * (int(values.max(initial=0)) - low + 1) + (values - low)
            _, firsts, kinds = np.unique(both, return_index=True, return_inverse=True)

        pcs = trace.pc.astype(np.int64)
        for step in self.by_hand:
            if 0 <= step < trace.steps:
                pcs[step] = -1 - step
        many = np.diff(trace.access_start)
        parted(pcs * 2 + trace.executed)
        for k in range(int(many.max(initial=0))):
            has = many > k
            rows = trace.access_start[:-1][has] + k
            values = np.zeros(trace.steps, np.int64)
            values[has] = 1 + 2 * (homes[rows] * (1 << 16) + trace.access_bytes[rows]) + self._ends_outside(
                rows, homes[rows])
            parted(values)
        return kinds, firsts.tolist()

    def _places_of(self, step: int) -> frozenset[Any]:
        """The registers and buffers that a step reads or writes; none if it does nothing that is recorded."""
        written, accesses = self._written(step), self._accesses(step)
        if not written and not accesses:
            return frozenset()
        return frozenset([*written, *(name for name, _, _ in self._reads(int(self.trace.pc[step]))),
                          *(self._home_name(row) for row in accesses)])

    def _ends_outside(self, rows: Array, homes: Array) -> Array:
        """Of accesses: whether a byte of each lies outside the buffer that it begins in."""
        ends = np.array([0, *(b.address + b.nbytes for b in self.buffers)], np.int64)
        return self.trace.access_address[rows] + self.trace.access_bytes[rows] > ends[homes]

    def _accesses(self, step: int) -> range:
        return range(int(self.trace.access_start[step]), int(self.trace.access_start[step + 1]))

    def _home_name(self, row: int) -> Any:
        """The place that an access touches: a buffer, as (name,), or OUTSIDE."""
        address, size = int(self.trace.access_address[row]), int(self.trace.access_bytes[row])
        home = self._home(address)
        return (home.name,) if home is not None and address + size <= home.address + home.nbytes else OUTSIDE

    def _written(self, step: int) -> list[str]:
        """The registers that a step writes, without those that were changed by hand behind it."""
        trace = self.trace
        found = [trace.locations[k] for k in trace.write_location[trace.write_start[step]:trace.write_start[step + 1]]]
        by_hand = sum(one.place in trace.initial for one in self.by_hand.get(step, ()))
        return found[:len(found) - by_hand]

    def go(self) -> DefinednessTrace:
        at = 0
        for step in sorted({*self._calls(), *(step for step in self.by_hand if 0 <= step < self.trace.steps)}):
            self.run(at, step)
            self.do(step)
            pcs = self.trace.pc
            for location, first in self._lost(int(pcs[step]), int(pcs[step + 1]) if step + 1 < len(pcs) else -1):
                self._forget(step, location, first)
            for one in self.by_hand.get(step, ()):
                self._changed(step, one)
            at = step + 1
        self.run(at)
        return self.made

    def _known(self, name: str) -> bytes:
        mask = self.masks.get(name)
        return self.all[name] if mask is None else _not(mask)

    def _learn(self, step: int, name: str, now: bytes) -> None:
        before = self._known(name)
        if now != before:
            self.made.learned.append((step, name, before, now))
            self.put(name, _not(now))

    def change(self, item: int, place: Any, mask: bytes) -> None:
        if isinstance(place, str):
            self._learn(item, place, _not(mask))
        else:
            row = [k for k in self._accesses(item) if self.trace.access_store[k]][place[1]]
            self._store(item, int(self.trace.access_address[row]), len(mask), _not(mask))

    # -- calls
    def _calls(self) -> list[int]:
        """The steps that call or return, where registers may be lost by it: between files."""
        program = self.trace.program
        if len({program.file_of(pc) for pc in range(len(program.instructions))}) < 2:
            return []
        ways = np.array([bool(self._way(pc)) for pc in range(len(program.instructions))])
        return np.flatnonzero(ways[self.trace.pc]).tolist()

    def _way(self, pc: int) -> str:
        """Of an instruction: a call, a return or neither."""
        instruction = self.trace.program.instructions[pc]
        links = any(result.kind == "link" for result in instruction.resolved.results)
        return "" if not instruction.is_branch else "call" if links else "return" if is_return(instruction) else ""

    def _lost(self, pc: int, then: int) -> list[tuple[str, int]]:
        """(location, first byte) of the registers that a call has lost with its return; ``then``: what comes next."""
        way = self._way(pc)
        if way == "call" and then != pc + 1:
            self.sites.append(pc)
        elif way == "return" and then - 1 in self.sites:
            while self.sites.pop() != then - 1:
                pass
            return [(self.slots.names[slot], first)
                    for slot, first in clobbered_by(self.trace.program, self.slots, then - 1, pc)]
        return []

    def _forget(self, step: int, location: str, first: int) -> None:
        before = self._known(location)
        self._learn(step, location, before[:first] + bytes(len(before) - first))

    # -- steps
    def do(self, item: int) -> None:
        code = int(self.codes[item])
        if item in self.by_hand or any(place in self.masks for place in self.touched[code] if isinstance(place, tuple)):
            self._one(item, code)
        else:
            super().do(item)

    def make(self, code: int, items: Array) -> dict[Any, Array]:
        written, found = self.written[code], dict[Any, Array]()
        try:
            after, stored = self._behind(code, items, None)
        except MachineError:
            parts = [self._behind_one(code, item, None) for item in items.tolist()]
            after = [np.concatenate([part[0][k] for part in parts]) for k in range(len(written))]
            stored = [np.concatenate([part[1][k] for part in parts]) for k in range(len(parts[0][1]))]
        for name, rows in zip(written, after, strict=True):
            found[name] = np.broadcast_to(1 - rows, (len(items), rows.shape[1]))
        for k, rows in enumerate(stored):
            found[STORED, k] = np.broadcast_to(1 - rows, (len(items), rows.shape[1]))
        return found

    def _one(self, step: int, code: int) -> None:
        trace = self.trace
        met = [(int(trace.access_address[k]), int(trace.access_bytes[k]), bool(trace.access_store[k]))
               for k in self._accesses(step)]
        after, stored = self._behind_one(code, step, [self._loaded(at, size) for at, size, store in met if not store])
        for name, now in zip(self.written[code], after, strict=True):
            self._learn(step, name, now[0].tobytes())
        for (at, size), now in zip([(at, size) for at, size, store in met if store], stored, strict=True):
            self._store(step, at, size, now[0].tobytes())

    def _behind_one(self, code: int, step: int, loads: list[bytes] | None) -> tuple[list[Array], list[Array]]:
        try:
            return self._behind(code, np.array([step]), loads)
        except MachineError:    # the run was made without the sanitizer, and went on
            return self._all_known(code, step)

    def _all_known(self, code: int, step: int) -> tuple[list[Array], list[Array]]:
        trace = self.trace
        return ([np.ones((1, len(self.all[name])), np.uint8) for name in self.written[code]],
                [np.ones((1, int(trace.access_bytes[k])), np.uint8) for k in self._accesses(step)
                 if trace.access_store[k]])

    def _behind(self, code: int, items: Array, loads: list[bytes] | None) -> tuple[list[Array], list[Array]]:
        """Known bytes of what steps of one kind write and store, each [steps, size] or [1, size] for all of them.

        loads   which of the bytes that they load are known; None: all

        Raises MachineError where the sanitizer finds something in one of them.
        """
        trace, first, written = self.trace, int(items[0]), self.written[code]
        pc = int(trace.pc[first])
        reads = self._reads(pc)
        if (loads is None or all(map(all, loads))) and all(name not in self.masks for name in written) and not any(
                0 in self._known(name)[at:at + size] for name, at, size in reads):
            return self._all_known(code, first)
        # What comes of unknown bits depends on the others: 0 times anything is 0.
        rows = [trace.access_start[items] + k for k in range(len(self._accesses(first)))
                if not trace.access_store[trace.access_start[first] + k]]
        memory = _Memory([(self._data(row), None if loads is None else loads[k]) for k, row in enumerate(rows)])
        state = _State(self.slots, memory, _Slots(len(self.slots.names), partial(self._value, items)),  # type: ignore[arg-type]
                       axes=2, shadow=True, tracing=False, pc=pc)
        bound = self._bound(pc)
        if bound is not None:
            bound(state)
        found = {self.slots.names[slot]: value for slot, _, value in state.writes}
        ones = self._all_known(code, first)
        after = [_known_value(found[name]) if name in found else full
                 for name, full in zip(written, ones[0], strict=True)]
        sizes, full = ([one.shape[1] for one in rows] for rows in (memory.stores, ones[1]))
        return after, memory.stores if sizes == full else ones[1]

    def _bound(self, pc: int) -> BoundInstruction | None:
        if pc not in self.bound:
            try:
                program = self.trace.program
                self.bound[pc] = bind(program.instructions[pc], pc, self.slots, program.address)
            except AssemblyError:  # a label into data that a trace from a file does not hold
                self.bound[pc] = None
        return self.bound[pc]

    def _data(self, rows: Array) -> Array:
        """What accesses met, [size, steps]."""
        starts = self.trace.access_data_start[rows]
        size = int(self.trace.access_bytes[rows[0]])
        return np.ascontiguousarray(self.trace.access_before[starts + np.arange(size)[:, None]])

    def _value(self, items: Array, slot: int) -> Any:
        """A register before steps."""
        slots, rows = self.slots, self.rows[slot]
        name = slots.names[slot]
        size = len(self.all[name])
        at = np.searchsorted(rows, self.trace.write_start[items])
        data = np.empty((size, len(items)), np.uint8)
        data[:] = np.frombuffer(self.trace.initial[name], np.uint8)[:, None]
        later = at > 0
        data[:, later] = self.trace.write_after[rows[at[later] - 1], :size].T
        lanes = _shadowed(data, self._known(name))
        return VectorValue(((0, lanes),)) if slot < slots.vectors else view(lanes, slots.word) if size > 1 else lanes

    def _changed(self, step: int, one: StateEdit) -> None:
        """What was changed by hand behind a step is known; one flag of four says nothing of the others."""
        if one.place in self.memory:
            address = next(b.address for b in self.buffers if b.name == one.place)
            self._store(step, address + one.offset, len(one.data), b"\1" * len(one.data))
        elif len(one.name.strip()) > 1 and one.place in self.all:
            old = self._known(one.place)
            self._learn(step, one.place, old[:one.offset] + b"\1" * len(one.data) + old[one.offset + len(one.data):])

    def _reads(self, pc: int) -> list[tuple[str, int, int]]:
        """(location, first byte, bytes) of the registers that an instruction reads."""
        if pc in self.uses:
            return self.uses[pc]
        instruction, slots = self.trace.program.instructions[pc], self.slots
        operands = instruction.resolved
        places = [operands.base, operands.offset, operands.shifted, operands.amount]
        flags: set[str] = set() if instruction.condition is None else {"nzcv"}
        for source in operands.sources:
            places += source.places
            if source.kind in ("flag", "shifted", "carry"):
                flags.add(source.role if source.kind == "flag" else "nzcv")
        found = [(slots.names[slots.get(place)], place.start, place.nbytes) for place in places
                 if isinstance(place, Location) and place.number >= 0 and slots.get(place) < slots.nzcv]
        self.uses[pc] = [*found, *((name, 0, 1) for name in sorted(flags) if name in self.all)]
        return self.uses[pc]

    # -- memory
    def _home(self, address: int) -> BufferInfo | None:
        k = bisect_right(self.starts, address) - 1
        if k < 0:
            return None
        buffer = self.buffers[k]
        return buffer if address < buffer.address + buffer.nbytes else None

    def _loaded(self, address: int, size: int) -> bytes:
        """What is known of the bytes there; of those outside all buffers nothing."""
        home = self._home(address)
        if home is not None and address + size <= home.address + home.nbytes:
            if not self.unknown[home.name]:
                return b"\1" * size
            first = address - home.address
            return bytes(self.memory[home.name][first:first + size])
        found = bytearray(size)
        for k in range(size):
            home = self._home(address + k)
            if home is not None:
                found[k] = self.memory[home.name][address + k - home.address]
        return bytes(found)

    def _store(self, step: int, address: int, size: int, now: bytes) -> None:
        home = self._home(address)
        if home is None:
            return
        first = address - home.address
        memory = self.memory[home.name]
        before = bytes(memory[first:first + size])
        now = now[:len(before)]
        if before != now:
            self.made.stored.append((step, home.name, first, before, now))
            memory[first:first + len(now)] = now
            self.unknown[home.name] += before.count(1) - now.count(1)
            self.put((home.name,), b"\1" if self.unknown[home.name] else b"")


def _not(data: bytes) -> bytes:
    """1 for 0, and 0 for 1."""
    return data.translate(_TURNED)


def _known_value(value: Any) -> Array:
    """Known bytes of what a slot holds in steps, [steps, size] or [1, size] for all of them."""
    parts = [_known_rows(lanes) for _, lanes in value.parts] if isinstance(value, VectorValue) else [_known_rows(value)]
    steps = max(len(part) for part in parts)
    return np.concatenate([np.broadcast_to(part, (steps, part.shape[1])) for part in parts], axis=1)


def compute_definedness(trace: Trace) -> DefinednessTrace:
    """Return what was known when; `Trace.knowledge` keeps it."""
    return _Run(trace).go()
