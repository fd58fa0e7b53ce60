"""Which bytes of a recorded run somebody had written, step by step.

Known is what the caller passed, what was placed in memory, and what instructions made of known bits. All else is junk
that the machine put there, and no number: faces show it as not written. A byte counts as known when all its bits are.

The recording says what was known before its first step. From there on this is derived, with the sanitizer's own
reading of every instruction that meets something unknown; where all that it works on is known, so is what it makes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.errors import AssemblyError, BadArgument, MachineError
from neonsim.isa import Place
from neonsim.lanes import ElementType, Lanes, NumpyLanes, ShadowLanes, u8, view

from .abi import is_return
from .bind import Bound, bind
from .lost import lost_by
from .registers import AARCH32, AARCH64, VectorValue, digits_of, known_bytes, known_lanes
from .state import State

if TYPE_CHECKING:
    from .by_hand import Change
    from .trace import BufferInfo, Trace

__all__ = ["Known", "KnownAt", "Marked", "hex_of", "known_bytes", "known_of_run"]


class Marked(bytes):
    """Bytes that know which of them somebody has written: ``known`` has one byte per byte, 1 = written. A slice too."""

    known: bytes  # one byte per byte

    def __new__(cls, data: bytes, known: bytes) -> Marked:
        made = super().__new__(cls, data)
        made.known = bytes(known)
        return made

    def __getitem__(self, key: Any) -> Any:
        found: Any = super().__getitem__(key)
        return Marked(found, self.known[key]) if isinstance(key, slice) else found


def hex_of(data: bytes) -> str:
    """The hexadecimal digits of a number, most significant first; "--" for a byte that nobody has written.

    >>> hex_of(Marked(bytes([1, 2]), bytes([1, 0])))
    '--01'
    """
    return digits_of(data, getattr(data, "known", b"\1" * len(data)))


class Known:
    """What is known of registers and memory before the first step, and what each step changes in that.

    registers   location -> one byte per byte          memory   buffer -> likewise
    learned     (step, location, before, after) of every step that changes what is known of a register
    stored      (step, buffer, first byte, before, after) likewise of memory; steps count from 0
    """

    def __init__(self, registers: dict[str, bytes], memory: dict[str, bytes]) -> None:
        self.registers, self.memory = registers, memory
        self.learned: list[tuple[int, str, bytes, bytes]] = []
        self.stored: list[tuple[int, str, int, bytes, bytes]] = []

    def at(self, step: int = 0) -> KnownAt:
        """A place to stand in, before a step."""
        return KnownAt(self, step)


class KnownAt:
    """What is known before a step: ``registers`` location -> one byte per byte, ``memory`` buffer -> likewise."""

    def __init__(self, known: Known, step: int) -> None:
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
    """Stands for memory in one step: loads give what was loaded then, and of stores it is noted what was known."""

    tiles = None

    def __init__(self) -> None:
        self.loads: list[tuple[bytes, bytes]] = []
        self.stores: list[bytes] = []

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> Lanes:
        if not self.loads:      # of a run of somebody else's, changed since it was saved
            raise BadArgument("this recorded run does not fit its program: a load of it is missing")
        data, known = self.loads.pop(0)
        return view(_shadowed(data, known), type_)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        self.stores.append(known_lanes(lanes))


class _State(State):
    """Where a branch goes and what an address must be has been settled by the run."""

    __slots__ = ()

    def branch(self, value: Any) -> None:
        pass

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        pass

    def demand(self, address: Lanes, multiple: int, *words: str) -> None:
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


def _shadowed(data: bytes, known: bytes) -> ShadowLanes:
    value = NumpyLanes(np.frombuffer(data, np.uint8), u8)
    if all(known):
        return ShadowLanes(value)
    return ShadowLanes(value, NumpyLanes(np.where(np.frombuffer(known, np.uint8) == 0, 255, 0).astype(np.uint8), u8))


class _Run:
    """A trace on the way from its first step to its last."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.slots = AARCH64 if trace.isa == "aarch64" else AARCH32
        self.bound: dict[int, Bound | None] = {}
        sizes = {name: len(data) for name, data in trace.initial.items()}
        self.all = {name: b"\1" * size for name, size in sizes.items()}
        before = trace.known
        self.known = dict(self.all) if before is None else dict(before)
        self.made = Known(dict(self.known), {b.name: b"\1" * b.nbytes if b.known is None else b.known
                                             for b in trace.buffers})
        self.memory = {name: bytearray(data) for name, data in self.made.memory.items()}
        self.unknown = {name: data.count(0) for name, data in self.memory.items()}
        self.buffers = sorted(trace.buffers, key=lambda b: b.address)
        self.starts = [b.address for b in self.buffers]
        self.rows = dict.fromkeys(range(len(trace.locations)), -1)  # the row of its last write
        self.uses: dict[int, list[tuple[str, int, int]]] = {}
        self.ways: dict[int, str] = {}      # of each instruction: a call, a return or neither
        self.sites: list[int] = []          # of the calls under way
        self.cache: dict[tuple[Any, ...], tuple[list[bytes], list[bytes]]] = {}

    def go(self) -> Known:
        trace = self.trace
        writes, accesses = np.diff(trace.write_start).tolist(), np.diff(trace.access_start).tolist()
        locations = trace.write_location.tolist()
        where = list(zip(trace.access_address.tolist(), trace.access_bytes.tolist(), trace.access_store.tolist(),
                         strict=True))
        by_hand: dict[int, list[Change]] = {}
        for one in trace.changes:
            by_hand.setdefault(one.step, []).append(one)
        w = a = 0
        pcs = trace.pc.tolist()
        for step, pc in enumerate(pcs):
            written, met = locations[w:w + writes[step]], where[a:a + accesses[step]]
            changes = by_hand.get(trace.first + step + 1, [])
            if written or met:
                registers = sum(one.place in trace.initial for one in changes)
                self._step(step, pc, [trace.locations[k] for k in written[:len(written) - registers]], met)
                for k, location in enumerate(written):
                    self.rows[location] = w + k
            for location, first in self._lost(pc, pcs[step + 1] if step + 1 < len(pcs) else -1):
                self._forget(step, location, first)
            for one in changes:
                self._changed(step, one)
            w, a = w + writes[step], a + accesses[step]
        return self.made

    def _lost(self, pc: int, then: int) -> list[tuple[str, int]]:
        """(location, first byte) of the registers that a call has lost with its return; ``then``: what comes next."""
        if pc not in self.ways:
            instruction = self.trace.program.instructions[pc]
            links = any(result.kind == "link" for result in instruction.resolved.results)
            self.ways[pc] = "" if not instruction.is_branch else "call" if links else (
                "return" if is_return(instruction) else "")
        if self.ways[pc] == "call" and then != pc + 1:
            self.sites.append(pc)
        elif self.ways[pc] == "return" and then - 1 in self.sites:
            while self.sites.pop() != then - 1:
                pass
            return [(self.slots.names[slot], first)
                    for slot, first in lost_by(self.trace.program, self.slots, then - 1, pc)]
        return []

    def _forget(self, step: int, location: str, first: int) -> None:
        before = self.known[location]
        after = before[:first] + bytes(len(before) - first)
        if after != before:
            self.made.learned.append((step, location, before, after))
            self.known[location] = after

    def _step(self, step: int, pc: int, written: list[str], met: list[tuple[int, int, bool]]) -> None:
        loads = [self._loaded(at, size) for at, size, store in met if not store]
        stores = [(at, size) for at, size, store in met if store]
        known, full = self.known, self.all
        if pc not in self.uses:
            self.uses[pc] = self._reads(pc)
        reads = self.uses[pc]
        if not all(map(all, loads)) or any(0 in known[name][first:first + size] for name, first, size in reads):
            # What comes of unknown bits depends on the others: 0 times anything is 0.
            after, stored = self._with_shadow(step, pc, written, loads, stores)
        elif all(known[name] == full[name] for name in written):
            after, stored = [full[name] for name in written], [b"\1" * size for _, size in stores]
        else:
            key = (pc, *(known[name] for name in written))
            if key not in self.cache:
                self.cache[key] = self._with_shadow(step, pc, written, loads, stores)
            after, stored = self.cache[key]
        for name, now in zip(written, after, strict=True):
            if known[name] != now:
                self.made.learned.append((step, name, known[name], now))
                known[name] = now
        for (at, size), now in zip(stores, stored, strict=True):
            self._store(step, at, size, now)

    def _changed(self, step: int, one: Change) -> None:
        """What was changed by hand behind a step is known; one flag of four says nothing of the others."""
        if one.place in self.memory:
            address = next(b.address for b in self.buffers if b.name == one.place)
            self._store(step, address + one.offset, len(one.data), b"\1" * len(one.data))
        elif len(one.name.strip()) > 1 and one.place in self.known:
            old = self.known[one.place]
            now = old[:one.offset] + b"\1" * len(one.data) + old[one.offset + len(one.data):]
            if now != old:
                self.made.learned.append((step, one.place, old, now))
                self.known[one.place] = now

    def _reads(self, pc: int) -> list[tuple[str, int, int]]:
        """(location, first byte, bytes) of the registers that an instruction reads."""
        instruction, slots = self.trace.program.instructions[pc], self.slots
        operands = instruction.resolved
        places = [operands.base, operands.offset, operands.shifted, operands.amount]
        flags: set[str] = set() if instruction.condition is None else {"nzcv"}
        for source in operands.sources:
            places += source.places
            if source.kind in ("flag", "shifted", "carry"):
                flags.add(source.role if source.kind == "flag" else "nzcv")
        found = [(slots.names[slots.of(place)], place.start, place.nbytes) for place in places
                 if isinstance(place, Place) and place.number >= 0 and slots.of(place) < slots.nzcv]
        return [*found, *((name, 0, 1) for name in sorted(flags) if name in self.all)]

    def _with_shadow(self, step: int, pc: int, written: list[str], loads: list[bytes],
                     stores: list[tuple[int, int]]) -> tuple[list[bytes], list[bytes]]:
        """Do a step again in the sanitizer's reading: what is known of each register written and of each store."""
        memory = _Memory()
        data = [data for _, _, store, data, _ in self.trace.accesses(step) if not store]
        memory.loads = list(zip(data, loads, strict=True))
        slots = self.slots
        state = _State(slots, memory, _Slots(len(slots.names), self._value), shadow=True,  # type: ignore[arg-type]
                       tracing=False, pc=pc)
        if pc not in self.bound:
            try:
                program = self.trace.program
                self.bound[pc] = bind(program.instructions[pc], pc, slots, program.address)
            except AssemblyError:  # a label into data that a trace from a file does not hold
                self.bound[pc] = None
        bound = self.bound[pc]
        try:
            if bound is not None:
                bound(state)
        except MachineError:
            pass  # the run was made without the sanitizer, and went on
        found = {slots.names[slot]: known_bytes(value) for slot, _, value in state.writes}
        after = [found.get(name, self.all[name]) for name in written]
        sizes = [size for _, size in stores]
        return after, memory.stores if [len(one) for one in memory.stores] == sizes else [b"\1" * n for n in sizes]

    def _value(self, slot: int) -> Any:
        slots, row = self.slots, self.rows[slot]
        name = slots.names[slot]
        size = len(self.all[name])
        data = self.trace.initial[name] if row < 0 else self.trace.write_after[row, :size].tobytes()
        lanes = _shadowed(data, self.known[name])
        return VectorValue(((0, lanes),)) if slot < slots.vectors else view(lanes, slots.word) if size > 1 else lanes

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


def known_of_run(trace: Trace) -> Known:
    """What was known when; `Trace.knowledge` keeps it."""
    return _Run(trace).go()
