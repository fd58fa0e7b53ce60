"""The recording engine: one tile with trace and sanitizer, at the speed of translated Python.

It takes over at the begin of a block that has been met a few times, as long as nothing unknown is read, and hands back
to the interpreter wherever there is something to say: a call or a return, an access outside, an uninitialized
byte. The interpreter remains the judge: it alone finds faults, and when it does, the machine does the whole call
again without this engine, so that reports are the same to the letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.binder import BOUND
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.trace.trace import Step
from neonsim.arm.machine.trace.undefined_blocks import mask_of, masks_behind, unknown_parts, with_mask
from neonsim.arm.machine.translate.blocks import slots_of
from neonsim.arm.machine.translate.to_python import Leave, flags_of
from neonsim.arm.machine.translate.to_recording_python import (
    ALIASED,
    FLOWED,
    SKIPPED,
    RecordingProgram,
    translate_recording,
    undefined_bit,
)
from neonsim.arm.semantics import NumpyLanes, u8
from neonsim.common.locking import PerObjectCache

from .python_engine import Engine
from .replay import replay_block

__all__ = ["Interrupted", "RecordingEngine", "count_steps", "recording_for", "steps_until_worth"]

MET = 3       # times that a block is interpreted before it is worth changing over
REFUSED = 20  # times more, where it could not begin
WORTH = 20    # steps for each instruction of a program before it is translated, which takes about as long


class RecordingEngine(Engine):
    """One call.

    history   the interpreter's steps so far      order   what has been done, see `replay.replayed`
    begin     called once, before the first block
    """

    def __init__(self, program: Program, entry: str | None, history: Sequence[Step], begin: Callable[[], None]) -> None:
        self.slots: Slots = slots_of(program.isa)
        self._source, self.program = program, recording_for(program, entry)
        self.leaders = self.program.leaders
        self.history, self._begin = history, begin
        self.begun = False
        self.order: list[Any] = []
        self._known = 0                       # interpreter's steps in `order`
        self._met: Counter[int] = Counter()
        count = len(self.slots.names)
        self._values: list[list[int]] = [[]] * count
        self._seen: list[Any] = [None] * count  # what the interpreter has for each register
        self._junk = 0
        self._nowhere: Any = None

    def run(self, state: State, memory: Memory, limit: int, pause: int | None = None) -> tuple[int, bool]:
        program, pc = self.program, state.pc
        self._met[pc] += 1
        if self._met[pc] < MET:
            return 0, False
        if pause is not None:
            limit = min(limit, pause)
        if limit < program.blocks[pc].steps:
            return 0, False     # too near to the limit for all of it: no reason to refuse the block later
        if not self.begun:
            self._begin()
            self.begun = True
        self._take(state)
        self.note()
        done = len(self.order)
        stored: set[str] = set()
        values = [value for register in self._values for value in register]
        unknown, sp = memory.undefined_bits, self._values[self.slots.sp][0] if state.shadow else 0
        if not state.shadow:  # the shadow is off: let the text do it somewhere else
            self._nowhere = unknown = np.empty_like(unknown) if self._nowhere is None else self._nowhere
        values, junk, state.pc, steps, stopped = program.function(
            values, self._junk, memory.arena.data, unknown.data, limit, pc,
            partial(_find, memory, state.shadow, False, stored, sp),
            partial(_find, memory, state.shadow, True, stored, sp), self.order.append)
        given, made = False, None
        while not given:
            try:
                if steps:
                    if made is None:
                        made = self._made(state, values, junk, self.order[done:])
                    self._give(state, *made)
                else:
                    self._met[pc] = -REFUSED
                for buffer in memory.buffers if stored else ():
                    buffer.is_written = buffer.is_written or buffer.name in stored
                given = True
            except KeyboardInterrupt as stop:   # once more: without its registers nothing could go on from here
                stopped = stop
        if stopped is not None:
            raise Interrupted(steps, stopped)
        return steps, False

    def note(self) -> None:
        """What the interpreter did since the last time."""
        if len(self.history) > self._known:
            self.order.append(len(self.history) - self._known)
            self._known = len(self.history)

    def forget(self) -> None:
        """What has been done so far is not asked for any more; the history is empty."""
        self.order.clear()
        self._known = 0

    def first_writes(self) -> dict[int, tuple[int, int]]:
        """Return which registers have been written so far: {slot: (the first step that did, its instruction)}."""
        self.note()
        found: dict[int, tuple[int, int]] = {}
        seen, count, interpreted = set[bytes](), 0, 0
        for item in self.order:
            if isinstance(item, int):
                for step in islice(self.history, interpreted, interpreted + item):
                    for slot, _, _ in (*step.writes, *step.lost):
                        found.setdefault(slot, (count, step.pc))
                    count += 1
                interpreted += item
                continue
            number = int.from_bytes(item[:4], "little")
            block = self.program.blocks[number & SKIPPED - 1]
            if item[:4] not in seen and not number & SKIPPED:
                seen.add(item[:4])
                bound = BOUND.get(self._source)[block.first:block.last + 1]
                for write in replay_block(block, bound, self.program.homes, self.slots, [item])[1]:
                    found.setdefault(write.slot, (count + write.at, block.first + write.at))
            count += block.steps
        return found

    # -- registers to and fro
    def _take(self, state: State) -> None:
        slots, homes, alone = self.slots, self.program.homes, True
        for slot, value in enumerate(state.slots):
            if value is self._seen[slot]:
                continue
            self._seen[slot] = value
            lanes = value.read(0, 16, homes[slot]) if slot < slots.vectors else value
            self._values[slot] = numeric(lanes).array.tolist()
            if slot == slots.nzcv:
                self._values[slot] += [0, 0, 0]
            mask = mask_of(value)
            self._junk = self._set_junk(self._junk, slot, mask)
            alone = alone and not mask
        if not alone:
            self._junk = self._with_aliases(state)

    def _with_aliases(self, state: State) -> int:
        """Junk bits with those of registers of which one is the other, or made of it: the interpreter sees that."""
        junk = self._junk & (1 << ALIASED) - 1
        owners: dict[int, int] = {}
        aliased = 0
        for slot, value in enumerate(state.slots):
            if not junk & self._bits(slot):
                continue
            for one in unknown_parts(value):
                other = owners.setdefault(id(one), slot)
                if other != slot:
                    aliased |= self._bits(slot) | self._bits(other)
        return junk | (aliased & junk) << ALIASED

    def _bits(self, slot: int) -> int:
        return (0xFFFF if slot < self.slots.vectors else 1) << undefined_bit(self.slots, slot)

    def _set_junk(self, junk: int, slot: int, mask: bytes) -> int:
        """Junk bits with those of one register; ``mask``: its uninitialized bits, b"" for none."""
        first, bits = undefined_bit(self.slots, slot), self._bits(slot)
        junk &= ~(bits | bits << ALIASED)
        if slot >= self.slots.vectors:
            return junk | any(mask) << first
        return junk | sum(1 << first + at for at, byte in enumerate(mask) if byte)

    def _made(self, state: State, values: list[int], junk: int, records: list[bytes]
              ) -> tuple[int, dict[int, tuple[list[int], Any]]]:
        """(junk bits, what each register that was written holds: numbers, and as the interpreter has it)."""
        slots, homes = self.slots, self.program.homes
        numbers = {record[:4] for record in records}
        blocks = [self.program.blocks[n] for n in {int.from_bytes(number, "little") for number in numbers}
                  if n in self.program.blocks]
        changed = {slot for block in blocks for slot in block.changed}
        masks = {slot: mask_of(state.slots[slot]) for block in blocks for slot in block.slots} if state.shadow else {}
        if junk & FLOWED:
            junk ^= FLOWED
            masks = masks_behind(self._source, slots, self.program, records, masks)
            for slot in changed:
                junk = self._set_junk(junk, slot, masks.get(slot, b""))
        found: dict[int, tuple[list[int], Any]] = {}
        at = 0
        for slot in range(len(slots.names)):
            count = len(self._values[slot])
            if slot in changed:
                held, unknown, mask = values[at:at + count], junk >> undefined_bit(slots, slot), masks.get(slot)
                if slot < slots.vectors:
                    lanes = NumpyLanes(np.array(held, homes[slot].dtype), homes[slot])
                    if mask:    # of bytes that were written since, all bits are known
                        mask = bytes(bits if unknown >> byte & 1 else 0 for byte, bits in enumerate(mask))
                    made: Any = VectorValue(((0, with_mask(lanes, mask) if state.shadow else lanes),))
                else:
                    number = flags_of(*held) if slot == slots.nzcv else held[0]
                    if slot == slots.nzcv:
                        held = [number, 0, 0, 0]
                    lanes = NumpyLanes.from_integers([number], u8 if slot >= slots.nzcv else slots.word)
                    made = with_mask(lanes, mask if unknown & 1 else None) if state.shadow else lanes
                found[slot] = held, made
            at += count
        return junk, found

    def _give(self, state: State, junk: int, found: dict[int, tuple[list[int], Any]]) -> None:
        """The interpreter's registers as they are now; done again after Ctrl-C it comes to the same."""
        self._junk = junk
        for slot, (held, made) in found.items():
            self._values[slot] = held
            state.slots[slot] = self._seen[slot] = made


class Interrupted(Exception):
    """Ctrl-C, or whatever came from outside, after n steps: the state is that before a block."""

    def __init__(self, steps: int, problem: BaseException) -> None:
        super().__init__(str(problem))
        self.steps, self.problem = steps, problem


def _find(memory: Memory, shadow: bool, store: bool, stored: set[str], sp: int, address: int,
          nbytes: int) -> tuple[int, int]:
    """(first, end) of bytes around an access that may be touched, all of them known; Leave if there are none.

    sp   the lowest address of the stack that may be touched; no block moves it
    """
    for b in memory.buffers:
        first = max(b.address, sp) if b.scratch else b.address
        if first <= address and address + nbytes <= b.end:
            if store:
                if b.readonly:
                    raise Leave
                stored.add(b.name)
                return first, b.end
            unknown = memory.undefined_bits
            if not shadow or b.readonly or not unknown[b.address - memory.base:b.end - memory.base].any():
                return first, b.end
            at = address - memory.base
            if not unknown[at:at + nbytes].any():
                return address, address + nbytes
    raise Leave


@dataclass
class _Account:
    """Steps of a program from an entry, in calls that could have gone over to a translation."""

    steps: int = 0


_ACCOUNTS: PerObjectCache[Program, _Account] = PerObjectCache(lambda program, entry: _Account())


def steps_until_worth(program: Program, entry: str | None) -> int:
    """Return how many steps more the interpreter should do before the program is translated; 0 from then on.

    Long code that is run once is not worth it: its translation takes longer than all of its steps.
    """
    return max(WORTH * len(program.instructions) - _ACCOUNTS.get(program, entry).steps, 0)


def count_steps(program: Program, entry: str | None, steps: int) -> None:
    """Those of one call: calls of one program add up."""
    _ACCOUNTS.get(program, entry).steps += steps


_TRANSLATIONS: PerObjectCache[Program, RecordingProgram] = PerObjectCache(translate_recording)


def recording_for(program: Program, entry: str | None) -> RecordingProgram:
    """Return the translation of a program and entry, made once."""
    return _TRANSLATIONS.get(program, entry)
