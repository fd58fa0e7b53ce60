"""The state of a run: registers, where it is, and what the step under way has done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonsim.arm.isa.operands.locations import FLAG_BITS
from neonsim.arm.machine.memory.memory import Memory, Undo
from neonsim.arm.machine.memory.violations import violation
from neonsim.arm.semantics import ElementType, Lanes, NumpyLanes, ShadowLanes, u8
from neonsim.errors import LockstepDivergence

from .registers import Slots, VectorValue, numeric

__all__ = ["State", "parting"]


@dataclass(slots=True)
class State:
    """Everything that changes while a program runs.

    slots     register values, see `registers.Slots`
    pc        index of the next instruction
    writes    of the current step: (slot, old value, new value); lost: those that differ only in what counts as known
    strict    calls of functions of the same file lose registers too, see `lost`
    accesses  of the current step: (address in tile (0, 0), bytes, store, before, after); undo: what stores replaced
    notice    (instruction, text) of what is suspicious but not wrong
    doubles   (slot, first byte, what was put there) of arguments that came as Python's floats, in their registers
    calls     where the calls that are under way return to, the innermost last (kept with the sanitizer)
    """

    registers: Slots
    memory: Memory
    slots: list[Any] = field(default_factory=list)
    pc: int = 0
    axes: int = 0
    shadow: bool = False
    tracing: bool = True
    writes: list[tuple[int, Any, Any]] = field(default_factory=list)
    lost: list[tuple[int, Any, Any]] = field(default_factory=list)
    accesses: list[tuple[int, int, bool, bytes, bytes]] = field(default_factory=list)
    undo: list[Undo] = field(default_factory=list)
    branched: int | None = None
    executed: bool = True
    calls: tuple[int, ...] = ()
    notice: tuple[int, str] | None = None
    strict: bool = False
    doubles: list[tuple[int, int, Lanes]] = field(default_factory=list)
    _zeros: dict[int, Lanes] = field(default_factory=dict)
    _constants: dict[tuple[int, ElementType], Lanes] = field(default_factory=dict)

    def lanes(self, values: list[int], type_: ElementType) -> Lanes:
        """Constants in the reading of this run."""
        made = NumpyLanes.from_integers(values, type_, self.axes)
        return ShadowLanes(made) if self.shadow else made

    def constant(self, value: int, type_: ElementType) -> Lanes:
        """Return a constant of an instruction, the same object each time: an instruction of a loop asks for it at
        every turn.
        """
        found = self._constants.get((value, type_))
        if found is None:
            found = self._constants[value, type_] = self.lanes([value], type_)
        return found

    def junk(self, random: np.random.Generator, nbytes: int) -> Lanes:
        """Uninitialized bytes."""
        return self.junks(random, 1, nbytes)[0]

    def junks(self, random: np.random.Generator, count: int, nbytes: int) -> list[Lanes]:
        """Return the same several times, drawn at once."""
        shape = (nbytes, *(1,) * self.axes)
        # Whole words, of which the first bytes are taken: the same as drawn one after the other.
        words = random.integers(0, 1 << 32, (count, -(-nbytes // 4)), dtype=np.uint32).astype("<u4", copy=False)
        values = [NumpyLanes(drawn, u8) for drawn in words.view(np.uint8)[:, :nbytes].reshape(count, *shape)]
        if not self.shadow:
            return [*values]
        unknown = NumpyLanes(np.full(shape, 255, np.uint8), u8)
        return [ShadowLanes(value, unknown) for value in values]

    def zeros(self, nbytes: int) -> Lanes:
        """Zero bytes, the same object each time."""
        if nbytes not in self._zeros:
            self._zeros[nbytes] = self.lanes([0] * nbytes, u8)
        return self._zeros[nbytes]

    def write_slot(self, slot: int, value: Any) -> None:
        self.writes.append((slot, self.slots[slot], value))
        self.slots[slot] = value

    def rules(self) -> Any:
        """Return the rules of floating point that FPCR or FPSCR says now: bits 26 to 19 of it, the same in all
        tiles."""
        value = self.slots[self.registers.fpcr]
        if isinstance(value, ShadowLanes) and value.undefined is not None:
            raise violation("junk-decision", "the floating-point mode depends on uninitialized bits")
        array = numeric(value).array
        if array.size > 1 and not (array == array.flat[0]).all():
            raise LockstepDivergence(parting(NumpyLanes(array != array.flat[0], u8), "compute in different "
                                                                                     "floating-point modes (FPCR)"))
        return int(array.flat[0]) & 0xF9  # Stride of VFP is none of them

    def forget(self, slot: int, first: int) -> None:
        """Mark the bytes of a register from the first one on as unknown; they keep their values."""
        old: Any = self.slots[slot]
        lanes: Any = old.read(0, 16, u8) if isinstance(old, VectorValue) else old
        bits = FLAG_BITS[self.registers.names[slot]] if slot >= self.registers.nzcv else lanes.type.bits
        mask = np.array(np.broadcast_to(lanes.mask.array, lanes.value.array.shape))
        mask[first:] = (1 << bits) - 1
        made: Any = ShadowLanes(lanes.value, NumpyLanes(mask, lanes.type.with_("u")))
        self.slots[slot] = VectorValue(((0, made),)) if isinstance(old, VectorValue) else made
        self.lost.append((slot, old, self.slots[slot]))

    def branch(self, value: Any) -> None:
        """Go to an address, the same one in all tiles."""
        if isinstance(value, ShadowLanes):
            if value.undefined is not None:
                raise violation("junk-decision", "the branch depends on uninitialized flags or registers")
            value = value.value
        array = value.array
        if array.size > 1 and not (array == array.flat[0]).all():
            raise LockstepDivergence(parting(NumpyLanes(array != array.flat[0], u8), "branch to another place"))
        self.branched = int(array.flat[0])

    def above_sp(self, place: Lanes, after: Lanes | None, way: str) -> None:
        """MemoryFault for an access to the stack below sp, in any tile; ``after``: what sp becomes by it.

        way   "load" or "store"
        """
        low, end = self.memory.stack
        if isinstance(place, ShadowLanes) and place.undefined is not None:
            return  # the access itself will complain of that
        at = numeric(place).array
        if at.size == 1 and not low <= at.item() < end:
            return
        sp = numeric(self.slots[self.registers.sp]).array
        if after is not None:
            sp = np.minimum(sp, numeric(after).array)
        below = (at >= low) & (at < np.minimum(sp, end))
        if below.any():
            distance = int(np.broadcast_to(sp - at, below.shape)[below][0])
            raise violation("below-sp", f"{way}s {distance} bytes below the stack pointer. The procedure call standard "
                                     f"has no red zone, unlike those of Apple and Windows, so a signal handler may "
                                     f"overwrite these bytes. Move sp first (sub sp, sp, #{distance + -distance % 16})")

    def require_alignment(self, address: Lanes, multiple: int, rule: str, complaint: str) -> None:
        """MemoryFault unless an address is a multiple of a power of two, in all tiles."""
        check_multiple(address, multiple, rule, complaint)


def parting(truth: Lanes, subject: str) -> str:
    """Return the message for tiles that would go different ways."""
    flags = numeric(truth).array != 0
    some, total = int(flags.sum()), flags.size
    return (f"{some} of {total} tiles would {subject}, the others not: in lock-step all tiles go one way. Run tiles of "
            "equal sizes together")


def check_multiple(place: Lanes, nbytes: int, rule: str, complaint: str) -> None:
    """MemoryFault of a rule, with the complaint ({} is the address), unless every tile's is a multiple of ``nbytes``.
    """
    if isinstance(place, ShadowLanes) and place.undefined is not None:
        return  # the access itself will complain of that
    array = numeric(place).array
    off = array & array.dtype.type(nbytes - 1)
    if not off.any():
        return
    if array.size == 1:
        raise violation(rule, complaint.format(f"{int(array.item()):#x}"))
    at = off.reshape(array.shape[1:]) != 0
    row, column = (int(n[0]) for n in at.nonzero())
    raise violation(rule, f"tile ({row}, {column}): " + complaint.format(f"{int(array[0, row, column]):#x}"))
