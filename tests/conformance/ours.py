"""Our machine in the oracle's terms: one instruction on an array of states, in lock-step or one state at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from neonsim.isa import Instruction
from neonsim.lanes import NumpyLanes, u8
from neonsim.machine import memory as memory_room
from neonsim.machine.bind import State, bind
from neonsim.machine.memory import Memory
from neonsim.machine.registers import AARCH32, AARCH64, VectorValue, numeric
from numpy.typing import NDArray
from states import ADDRESS, QC, WINDOW


def lockstep(isa: str, instruction: Instruction, before: NDArray[np.void]) -> NDArray[np.void]:
    """All states at once, as a grid of len(before) x 1 tiles; for instructions that touch no memory."""
    assert instruction.address is None
    state = _state(isa, before, (len(before), 1))
    _step(isa, instruction, state)
    after = before.copy()
    _read(isa, state, after)
    return after


def singly(isa: str, instruction: Instruction, before: NDArray[np.void]) -> NDArray[np.void]:
    """State by state, memory too."""
    after = before.copy()
    for i in range(len(before)):
        state = _state(isa, before[i:i + 1], None)
        if instruction.address is not None:
            _place(state.memory, before["mem"][i])
        _step(isa, instruction, state)
        _read(isa, state, after[i:i + 1])
        if instruction.address is not None:
            after["mem"][i] = state.memory.fetch("window", dtype="uint8")
    return after


def run(isa: str, instruction: Instruction, before: NDArray[np.void]) -> NDArray[np.void]:
    """The quicker way that can do it."""
    return (lockstep if instruction.address is None else singly)(isa, instruction, before)


def _place(memory: Memory, window: NDArray[np.uint8]) -> None:
    # Addresses go into registers and flags, so the window must lie where QEMU has it.
    memory._used = ADDRESS - memory_room.BASE - memory_room.GUARD
    assert memory.place(window, name="window") == ADDRESS, "the window of memory must lie at states.ADDRESS"


def _state(isa: str, before: NDArray[np.void], grid: tuple[int, int] | None) -> State:
    slots = AARCH64 if isa == "aarch64" else AARCH32
    shape = (-1,) if grid is None else (-1, *grid)

    def lanes(values: NDArray[Any], type_: Any) -> NumpyLanes:
        return NumpyLanes(np.ascontiguousarray(values).view(type_.dtype).reshape(shape), type_)

    state = State(slots, Memory(), axes=0 if grid is None else 2, tracing=False)
    vectors = np.ascontiguousarray(before["v"].transpose(1, 2, 0))
    values: list[Any] = [VectorValue(((0, lanes(bank, u8)),)) for bank in vectors]
    values += [lanes(before["x"][:, i], slots.word) for i in range(before["x"].shape[1])]
    if isa == "aarch64":
        values.append(lanes(before["sp"], slots.word))
    values.append(lanes((before["nzcv"] >> 28).astype(np.uint8), u8))
    values.append(lanes((before["fpsr"] // QC & 1).astype(np.uint8), u8))
    state.slots = values
    return state


def _step(isa: str, instruction: Instruction, state: State) -> None:
    bind(instruction, 0, AARCH64 if isa == "aarch64" else AARCH32)(state)


def _read(isa: str, state: State, after: NDArray[np.void]) -> None:
    slots, values = state.registers, state.slots
    for i in range(slots.vectors):
        after["v"][:, i] = _column(values[i].read(0, 16, u8), len(after)).T
    for i in range(after["x"].shape[1]):
        after["x"][:, i] = _column(values[slots.core + i], len(after))[0]
    if isa == "aarch64":
        after["sp"] = _column(values[slots.sp], len(after))[0]
    after["nzcv"] = _column(values[slots.nzcv], len(after))[0].astype(after["nzcv"].dtype) << 28
    after["fpsr"] = _column(values[slots.qc], len(after))[0].astype(after["fpsr"].dtype) * QC


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
                    text = want[at].tobytes().hex(), have[at].tobytes().hex(), np.atleast_1d(before[name][i])[at].tobytes().hex()
                    return f"{line}: state {i} {name}{at}: QEMU {text[0]}, ours {text[1]}, before {text[2]}"
    return f"{line}: no difference"


__all__ = ["WINDOW", "describe", "lockstep", "run", "singly"]
