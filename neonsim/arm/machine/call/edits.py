"""Values changed by hand between two steps: which place a text names, what may be put there, and the note of it.

| named               | is                                                                                      |
|---------------------|-----------------------------------------------------------------------------------------|
| `v3.s[1]` `q8.h[0]` | a lane; b h s d take signed and unsigned numbers, `v3.u32[1]` `v3.f32[1]` those of a type |
| `v3` `d5` `s7`      | a SIMD register as one number, or as an array of its size; a part of one leaves the rest |
| `x2` `w2` `r4` `sp` | a general register (w2: the upper half of x2 becomes zero)                               |
| `n` `z` `c` `v`     | a flag, also `qc` (`q` of AArch32), `nzcv` as a number of four bits                      |
| `c[0,3]` `c[5]`     | an element of a buffer, in the type that it was placed with; `c.s16[5]` in another       |
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.isa.operands.locations import FLAG_BITS
from neonsim.arm.machine.arch.registers import Slots, VectorValue, numeric, slot_bytes
from neonsim.arm.machine.memory.regions import Buffer
from neonsim.arm.semantics import NumpyLanes, ShadowLanes, u8
from neonsim.common.integers import as_int, is_int
from neonsim.errors import BadArgument

if TYPE_CHECKING:
    from neonsim.arm.machine.arch.state import State
    from neonsim.arm.machine.machine import Machine

__all__ = ["Edit", "StateEdit", "edits"]

_FLOATS = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}
_WHOLE = re.compile(r"([us])(8|16|32|64)\Z")
_LETTERS = {"b": 8, "h": 16, "s": 32, "d": 64}
_PLACE = re.compile(r"\s*(?P<name>[^\[\]]+?)(?:\.(?P<type>[a-z]\d{0,2}))?\s*(?:\[(?P<index>[^\[\]]*)\])?\s*\Z",
                    re.ASCII | re.IGNORECASE)
_FLAGS = {"n": 3, "z": 2, "c": 1, "v": 0}


@dataclass(frozen=True)
class StateEdit:
    """A value changed by hand.

    step         instructions that were executed before it
    name         of the place, as it was named
    was, now     the values as text; was is "unwritten" for uninitialized bytes
    place        register of the trace ("v3", "nzcv"), or buffer
    offset       of its first byte there           data    what was put there, little-endian; a flag as its bit of nzcv
    old          what a buffer held there before
    """

    step: int
    name: str
    was: str
    now: str
    place: str
    offset: int
    data: bytes
    old: bytes = b""

    def __str__(self) -> str:
        return f"changed by hand at step {self.step}: {self.name} {self.was} -> {self.now}"


@dataclass(frozen=True)
class _Kind:
    """How bytes are read as a value: an integer from low to high, or a float."""

    said: str
    nbytes: int
    low: int = 0
    high: int = 0
    float: str = ""

    def encode(self, value: Any, name: str) -> bytes:
        """Return the bytes of a value. Raises BadArgument for one that has no place here."""
        if not self.float:
            if isinstance(value, str):
                value = _number(value, lambda text: int(text, 0), f"{name} ({self.said}) must be an integer")
            number = as_int(value, f"{name} ({self.said})", self.low, self.high)
            return (number % (1 << 8 * self.nbytes)).to_bytes(self.nbytes, "little")
        if isinstance(value, str):
            value = _number(value, float, f"{name} ({self.said}) must be a number")
        if not is_int(value) and not isinstance(value, float | np.floating):
            raise BadArgument(f"{name} ({self.said}) must be a number; got {value!r}")
        huge = isinstance(value, int) and value.bit_length() > 1000
        size = math.inf if huge else float(value)
        with np.errstate(over="ignore"):
            made = np.array(size).astype(self.float)
        if np.isinf(made) and (huge or not math.isinf(size)):
            most = float(np.finfo(self.float).max)
            raise BadArgument(f"{name} ({self.said}) must be -{most:.6g} to {most:.6g}; got {value}.")
        return made.tobytes()

    def text(self, data: bytes) -> str:
        """Return the value of these bytes."""
        if self.float:
            return str(np.frombuffer(data, self.float)[0])  # as few digits as read as the same number
        return str(int.from_bytes(data, "little", signed=self.low < 0))


def _number(text: str, read: Callable[[str], Any], refusal: str) -> Any:
    try:
        return read(text.strip().replace("_", "!"))  # only Python writes 1_000
    except (ValueError, OverflowError):
        raise BadArgument(f"{refusal}; got {text.strip()[:60]!r}.") from None


def _kind(name: str, what: str) -> _Kind:
    """An element type by name. Raises BadArgument."""
    low = name.lower()
    if low in _FLOATS:
        return _Kind(low, int(low[1:]) // 8, float=_FLOATS[low])
    if low in _LETTERS:
        bits = _LETTERS[low]
        return _Kind(f"{bits} bits", bits // 8, -(1 << bits - 1), (1 << bits) - 1)
    found = _WHOLE.match(low)
    if found is None:
        raise BadArgument(f"{what}: .{name} is not an element type: use b h s d, or s8 u8 s16 u16 s32 u32 s64 u64 f16 "
                          f"f32 f64")
    bits = int(found[2])
    first = 1 << bits - 1
    return _Kind(low, bits // 8, *((-first, first - 1) if found[1] == "s" else (0, 2 * first - 1)))


class Edit:
    """One change that has been checked and not been made.

    carry_out   makes it: (writes of registers, undo) get what takes it back
    """

    def __init__(self, name: str, was: str, now: str, place: str, offset: int, data: bytes,
                 carry_out: Callable[[list[Any], list[Any]], None], old: bytes = b"") -> None:
        self.name, self.was, self.now = name, was, now
        self.place, self.offset, self.data = place, offset, data
        self.carry_out, self.old = carry_out, old

    def note(self, step: int) -> StateEdit:
        """Return what the trace keeps of it."""
        return StateEdit(step, self.name, self.was, self.now, self.place, self.offset, self.data, self.old)


def edits(machine: Machine, values: Mapping[str, Any], columns: Mapping[str, int] | None = None) -> list[Edit]:
    """Return what these changes mean; nothing is changed.

    values    place -> value, see the table above          columns   elements per row of buffers that are no matrix

    Raises BadArgument for a place that there is not, or a value outside its type.
    """
    if not isinstance(values, Mapping) or not values:
        raise BadArgument('changes must be a dict with at least one entry, as {"v3.s[1]": 99, "x2": 8, "c[0,3]": 7}')
    return [_edit(machine, name, value, columns or {}) for name, value in values.items()]


def _edit(machine: Machine, name: str, value: Any, columns: Mapping[str, int]) -> Edit:
    found = _PLACE.match(name) if isinstance(name, str) and len(name) <= 200 else None
    if found is None:
        raise BadArgument(f"{name!r} is not a register, a buffer or a lane: write v3.s[1], x2, n or c[0,3]")
    said, index, type_ = name.strip(), found["index"], found["type"]
    buffer = next((b for b in machine.memory.buffers if b.name == found["name"]), None)
    whole = next((b for b in machine.memory.buffers if b.name == said), None)  # .data has a point in its name
    if buffer is not None and index is not None:
        return _cell(machine, said, buffer, type_, index, value, columns)
    if buffer is not None or whole is not None:
        raise BadArgument(f"{said} is a buffer; name one of its elements, {said}[0]")
    if index is not None or type_:
        return _lane(machine, said, found["name"].lower(), type_ or "", index, value)
    return _register(machine, said, value)


def _numbers(said: str, index: str) -> list[int]:
    try:
        return [int(part, 0) for part in index.split(",")]
    except ValueError:
        raise BadArgument(f"{said}: the index must be one number or two, as [5] or [0,3]") from None


def _cell(machine: Machine, said: str, buffer: Buffer, type_: str | None, index: str, value: Any,
          columns: Mapping[str, int]) -> Edit:
    memory = machine.memory
    if type_ is None:
        kind_name = {"i": "s", "u": "u", "f": "f", "b": "u"}.get(buffer.dtype.kind, "u")
        kind = _kind(f"{kind_name}{8 * buffer.dtype.itemsize}", said)
    else:
        kind = _kind(type_, said)
    at = _numbers(said, index)
    total = buffer.nbytes // kind.nbytes
    element = at[0]
    if len(at) == 2:
        size = buffer.dtype.itemsize * columns.get(buffer.name, buffer.shape[-1] if len(buffer.shape) > 1 else 16)
        across = size // kind.nbytes
        element = at[0] * across + at[1]
        if not 0 <= at[1] < across:
            raise BadArgument(f"{said}: a row of {buffer.name} has elements 0 to {across - 1}.")
    if len(at) > 2 or at[0] < 0 or not 0 <= element < total:
        raise BadArgument(f"{said}: {buffer.name} has {total} elements of {kind.said}, the last is "
                          f"{buffer.name}[{total - 1}].")
    if buffer.readonly:
        raise BadArgument(f"{said}: {buffer.name} is read-only in this run.")
    data = kind.encode(value, said)
    address = buffer.address + element * kind.nbytes
    known = memory.defined_bytes(buffer)
    first = element * kind.nbytes
    written = known is None or all(known[first:first + kind.nbytes])
    was = kind.text(memory.peek(address, kind.nbytes)) if written else "unwritten"

    def carry_out(writes: list[Any], undo: list[Any]) -> None:
        memory.store(machine.state.lanes([address], machine.state.registers.word),
                     machine.state.lanes(list(data), u8), undo)

    return Edit(said, was, kind.text(data), buffer.name, first, data, carry_out, memory.peek(address, kind.nbytes))


def _lane(machine: Machine, said: str, register: str, type_: str, index: str | None, value: Any) -> Edit:
    state = machine.state
    slot, start, nbytes = machine.state.registers.find(register)
    if slot < 0 or slot >= state.registers.vectors:
        raise BadArgument(f"{said}: {register} has no lanes; write {register} alone")
    kind = _kind(type_ or {16: "s", 8: "s", 4: "s", 2: "h", 1: "b"}[nbytes], said)
    count = nbytes // kind.nbytes
    lane = _numbers(said, index)[0] if index is not None else 0
    if index is None and count > 1:
        raise BadArgument(f"{said}: {register} has lanes 0 to {count - 1} of {kind.said}: write {register}.{type_}[0]")
    if (index is not None and "," in index) or not 0 <= lane < count:
        raise BadArgument(f"{said}: {register} has lanes 0 to {count - 1} of {kind.said}." if count else
                          f"{said}: {register} has {8 * nbytes} bits, fewer than {kind.said}.")
    data = kind.encode(value, said)
    return _piece(state, said, slot, start + lane * kind.nbytes, data, kind.text)


def _piece(state: State, said: str, slot: int, start: int, data: bytes, text: Callable[[bytes], str]) -> Edit:
    """Bytes of a SIMD register; the others stay."""
    old: VectorValue = state.slots[slot]
    lanes = old.read(start, len(data), u8)
    unknown = lanes.undefined if isinstance(lanes, ShadowLanes) else None
    was = "unwritten" if unknown is not None and unknown else text(numeric(lanes).array.tobytes())

    def carry_out(writes: list[Any], undo: list[Any]) -> None:
        before: VectorValue = state.slots[slot]
        state.slots[slot] = before.with_bytes(start, state.lanes(list(data), u8), None)
        writes.append((slot, before, state.slots[slot]))

    return Edit(said, was, text(data), state.registers.names[slot], start, data, carry_out)


def _register(machine: Machine, said: str, value: Any) -> Edit:
    state = machine.state
    slots = state.registers
    name = said.lower()
    if name in _FLAGS:
        return _flag(state, said, slots.nzcv, _FLAGS[name], value)
    slot, start, nbytes = machine.state.registers.find(name)
    if slot < 0:
        raise BadArgument(f"{said} is the current location of the run and cannot be changed")
    if slot < slots.vectors:
        bits = 8 * nbytes
        whole = _Kind(f"{bits} bits", nbytes, -(1 << bits - 1), (1 << bits) - 1)
        if isinstance(value, np.ndarray | list | tuple | bytes):
            array = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else np.asarray(value)
            if array.dtype.kind not in "biuf" or array.nbytes != nbytes:
                raise BadArgument(f"{said} must be an integer or an array of {nbytes} bytes (np.array([...], "
                                  f"np.int16)), not one of {array.nbytes}.")
            data = array.tobytes()
        else:
            data = whole.encode(value, said)
        return _piece(state, said, slot, start, data, lambda raw: f"0x{int.from_bytes(raw, 'little'):x}")
    if slot >= slots.nzcv:
        bits = FLAG_BITS[slots.names[slot]]
        kind, size = _Kind(f"{bits} bit{'s' * (bits > 1)}", 1, 0, (1 << bits) - 1), 1
    else:
        bits, size = 8 * nbytes, slots.word.bytes
        kind = _Kind(f"{bits} bits", nbytes, -(1 << bits - 1), (1 << bits) - 1)
    data = kind.encode(value, said).ljust(size, b"\0")
    return _scalar(state, slots, said, slot, data)


def _flag(state: State, said: str, slot: int, bit: int, value: Any) -> Edit:
    new = _Kind("a flag", 1, 0, 1).encode(value, said)[0]
    old = state.slots[slot]

    def unknown(lanes: Any) -> int:
        """Return the uninitialized flags."""
        return int(lanes.mask.array.flat[0]) if isinstance(lanes, ShadowLanes) else 0

    def carry_out(writes: list[Any], undo: list[Any]) -> None:
        before = state.slots[slot]
        made: Any = NumpyLanes.from_integers([slot_bytes(before)[0] & ~(1 << bit) | new << bit], u8)
        if state.shadow:
            made = ShadowLanes(made, NumpyLanes.from_integers([unknown(before) & ~(1 << bit)], u8))
        state.slots[slot] = made
        writes.append((slot, before, made))

    was = "unwritten" if unknown(old) >> bit & 1 else str(slot_bytes(old)[0] >> bit & 1)
    return Edit(said, was, str(new), state.registers.names[slot], 0, bytes([new << bit]), carry_out)


def _scalar(state: State, slots: Slots, said: str, slot: int, data: bytes) -> Edit:
    old = state.slots[slot]
    unknown = isinstance(old, ShadowLanes) and old.undefined is not None and bool(old.undefined)
    was = "unwritten" if unknown else _core_text(slot_bytes(old))

    def carry_out(writes: list[Any], undo: list[Any]) -> None:
        before = state.slots[slot]
        made = state.lanes([int.from_bytes(data, "little")], slots.word if slot < slots.nzcv else u8)
        state.slots[slot] = made
        writes.append((slot, before, made))

    return Edit(said, was, _core_text(data), slots.names[slot], 0, data, carry_out)


def _core_text(data: bytes) -> str:
    """A general register as the pages show it: small numbers decimal, negative and large ones in hexadecimal."""
    value = int.from_bytes(data, "little")
    return str(value) if value < 1_000_000 else f"0x{value:x}"
