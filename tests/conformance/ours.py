"""Our machine in the oracle's terms: one instruction on states, one at a time; `readings` has the others."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from oracle import DTYPE

from neonsim.arm.isa import Instruction
from neonsim.arm.isa.operands.locations import FLAG_BITS
from neonsim.arm.machine.arch.binder import bind
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, VectorValue, numeric
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory import layout as memory_room
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.semantics import NumpyLanes, ShadowLanes, u8

# Where the flags of the machine are in a state: field and lowest bit.
FLAGS: Final = {"nzcv": ("nzcv", 28), "q": ("nzcv", 27), "ge": ("nzcv", 16), "qc": ("fpsr", 27), "fpsr": ("fpsr", 0),
                "fpnzcv": ("fpsr", 28), "fpcr": ("fpsr", 19)}
# The flag that no register shows: clear in every state, and whatever an instruction does to it.
HIDDEN: Final = "monitor"
FLAG_MASKS: Final = {slots.isa: {field: sum((1 << FLAG_BITS[name]) - 1 << at for name, (where, at) in FLAGS.items()
                                            if name in slots.flags and where == field) for field in ("nzcv", "fpsr")}
                     for slots in (AARCH64, AARCH32)}


def singly(isa: str, instruction: Instruction, before: NDArray[np.void]) -> NDArray[np.void]:
    """State by state, memory too."""
    after = before.copy()
    for i in range(len(before)):
        memory = Memory()
        if instruction.address is not None:
            place(memory, before[i])
        _step(isa, instruction, one_state(isa, before[i].tobytes()), memory, after[i:i + 1])
        if instruction.address is not None:
            after["mem"][i] = memory.fetch("window", dtype="uint8")
    return after


def shadowed(isa: str, instruction: Instruction, before: NDArray[np.void]) -> NDArray[np.void]:
    """State by state on values that know which of their bits were written: all of them, before and after."""
    after = before.copy()
    for i in range(len(before)):
        memory = Memory()
        memory.shadow = True
        if instruction.address is not None:
            place(memory, before[i])
        values = [_known(value) for value in one_state(isa, before[i].tobytes())]
        changed = _step(isa, instruction, values, memory, after[i:i + 1], shadow=True)
        for value in changed:
            lanes = value.read(0, 16, u8) if isinstance(value, VectorValue) else value
            assert getattr(lanes, "undefined", None) is None, f"{instruction}: a result is not known"
        if instruction.address is not None:
            after["mem"][i] = memory.fetch("window", dtype="uint8")
            assert memory.defined_bytes(memory.buffer("window")) is None, f"{instruction}: memory is not known"
    return after


def _known(value: Any) -> Any:
    if isinstance(value, VectorValue):
        return VectorValue(tuple((at, ShadowLanes(numeric(lanes))) for at, lanes in value.parts))
    return ShadowLanes(value)


def place(memory: Memory, states: NDArray[np.void]) -> None:
    """The windows of one or of many states, as one buffer."""
    # Addresses go into registers and flags, so the windows must lie where QEMU has them.
    first = int(np.atleast_1d(states["window"])[0])
    memory._layout.used = first - memory_room.BASE - memory_room.GUARD
    assert memory.place(states["mem"], name="window") == first


def slot_values(isa: str, before: NDArray[np.void], grid: tuple[int, int] | None) -> list[Any]:
    """What the machine's slots hold for these states."""
    slots = AARCH64 if isa == "aarch64" else AARCH32
    shape = (-1,) if grid is None else (-1, *grid)

    def lanes(values: NDArray[Any], type_: Any) -> NumpyLanes:
        return NumpyLanes(np.ascontiguousarray(values).view(type_.dtype).reshape(shape), type_)

    vectors = np.ascontiguousarray(before["v"].transpose(1, 2, 0))
    values: list[Any] = [VectorValue(((0, lanes(bank, u8)),)) for bank in vectors]
    values += [lanes(before["x"][:, i], slots.word) for i in range(before["x"].shape[1])]
    if isa == "aarch64":
        values.append(lanes(before["sp"], slots.word))
    # Tiles in lock-step have one FPCR: that is how machines and chunks of states keep it.
    flags = [flag(before, name) for name in slots.flags]
    return values + [NumpyLanes.from_integers([int(found[0])], u8, len(shape) - 1)
                     if name == "fpcr" and (found == found[0]).all()
                     else lanes(found, u8) for name, found in zip(slots.flags, flags, strict=True)]


def flag(states: NDArray[np.void], name: str) -> NDArray[np.uint8]:
    """One of the machine's flags, out of the status registers."""
    if name == HIDDEN:
        return np.zeros_like(states["nzcv"], np.uint8)
    return flag_of(states[FLAGS[name][0]], name)


def flag_of(values: NDArray[Any], name: str) -> NDArray[np.uint8]:
    """The same out of the values of its status register."""
    return (values >> FLAGS[name][1] & (1 << FLAG_BITS[name]) - 1).astype(np.uint8)


@lru_cache(maxsize=1024)
def one_state(isa: str, state: bytes) -> list[Any]:
    """What the slots hold for one state, given as its bytes."""
    return slot_values(isa, np.frombuffer(state, DTYPE[isa]), None)


def _step(isa: str, instruction: Instruction, values: list[Any], memory: Memory, after: NDArray[np.void],
          shadow: bool = False) -> list[Any]:
    """Run one instruction, bring what it changed into `after`, and return the new values."""
    slots = AARCH64 if isa == "aarch64" else AARCH32
    state = State(slots, memory, axes=0, shadow=shadow, tracing=False)
    state.slots = list(values)
    bind(instruction, 0, slots)(state)
    write_back(isa, values, state, after)
    return [new for old, new in zip(values, state.slots, strict=True) if new is not old]


def write_back(isa: str, values: list[Any], state: State, after: NDArray[np.void]) -> None:
    """Write into `after` what the machine changed: values are immutable, so a changed slot is another object."""
    slots = state.registers
    for slot, (old, new) in enumerate(zip(values, state.slots, strict=True)):
        if new is old:
            continue
        if slot < slots.vectors:
            after["v"][:, slot] = _column(new.read(0, 16, u8), len(after)).T
        elif slots.names[slot] == HIDDEN:
            continue
        elif slot >= slots.nzcv:
            field, shift = FLAGS[slots.names[slot]]
            mask = (1 << FLAG_BITS[slots.names[slot]]) - 1 << shift
            after[field] &= np.array(~mask & FLAG_MASKS[isa][field], after[field].dtype)
            after[field] |= _column(new, len(after))[0].astype(after[field].dtype) << shift
        elif isa == "aarch64" and slot == slots.sp:
            after["sp"] = _column(new, len(after))[0]
        else:
            after["x"][:, slot - slots.core] = _column(new, len(after))[0]


def _column(lanes: Any, count: int) -> NDArray[Any]:
    """[lanes, states]"""
    array = numeric(lanes).array
    return np.broadcast_to(array.reshape(len(array), -1), (len(array), count))


def describe(line: str, before: NDArray[np.void], expected: NDArray[np.void], got: NDArray[np.void]) -> str:
    """The first difference of a line, in words."""
    for i in range(len(before)):
        for name in ("v", "x", "sp", "nzcv", "fpsr", "mem"):
            if name not in (before.dtype.names or ()):
                continue
            want, have = np.atleast_1d(expected[name][i]), np.atleast_1d(got[name][i])
            for at in range(len(want)):
                if (want[at] != have[at]).any():
                    was = np.atleast_1d(before[name][i])[at]
                    return (f"{line}: state {i} {name}{at}: QEMU {want[at].tobytes().hex()}, ours "
                            f"{have[at].tobytes().hex()}, before {was.tobytes().hex()}")
    return f"{line}: no difference"


__all__ = ["FLAGS", "FLAG_MASKS", "HIDDEN", "describe", "flag", "flag_of", "one_state", "place", "shadowed",
           "singly", "slot_values", "write_back"]
