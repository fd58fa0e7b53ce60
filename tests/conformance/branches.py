"""Branches: which states take them, and what they leave behind.

A branch stands at the place of the tested instruction, its target two instructions on; the guest counts whether the one
between was reached. Targets that come out of a register or out of memory are put there, for QEMU the address behind the
tested instruction, for us the same in our addresses.

    lines("aarch64")             every branch line
    taken, after = qemu(...)     uint8 [lines, STATES], 1 where the branch was taken; the states after it
    taken, after = ours(...)     the same of our machine, which is what QEMU's addresses are translated to
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import ours as our_side
from cases import CONDITIONS
from numpy.typing import NDArray
from oracle import DTYPE, FELL_THROUGH, Qemu, text_bytes
from recordings import canonical
from states import ADDRESS, states

from neonsim.arm.asm import assemble
from neonsim.arm.machine.arch.binder import CODE, bind
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.memory import Memory

STATES: Final = 48
# line -> where its target comes from: a general register, or bytes from the stack pointer
INDIRECT: Final[dict[str, dict[str, tuple[str, int]]]] = {
    "aarch64": {"ret": ("x", 30), "ret x5": ("x", 5), "br x7": ("x", 7)},
    "aarch32": {"bx lr": ("x", 14), "bx r3": ("x", 3), "bxne lr": ("x", 14), "mov pc, lr": ("x", 14),
                "pop {pc}": ("sp", 0), "pop {r4, r5, pc}": ("sp", 8), "pople {r0-r3, pc}": ("sp", 16),
                "ldm sp!, {r1, pc}": ("sp", 4), "ldmia sp, {r6, r7, pc}": ("sp", 8), "ldr pc, [sp], #4": ("sp", 0)},
}


def lines(isa: str) -> list[str]:
    if isa == "aarch32":
        direct = [f"{b}{c} 1f" for b in ("b", "bl") for c in ("", "al", *CONDITIONS, "cs", "cc")]
        return [*direct, *INDIRECT[isa]]
    direct = [f"b.{c} 1f" for c in (*CONDITIONS, "cs", "cc", "al")] + ["bne 1f", "bhs 1f", "b 1f", "bl 1f"]
    direct += [f"{op} {reg}3, 1f" for op in ("cbz", "cbnz") for reg in "wx"]
    direct += [f"{op} {reg}3, #{bit}, 1f" for op in ("tbz", "tbnz") for reg, bits in (("w", 32), ("x", 64))
               for bit in range(bits)]
    return [*direct, "cbz xzr, 1f", "tbz wzr, #3, 1f", *INDIRECT[isa]]


def _before(isa: str) -> NDArray[np.void]:
    return _states(isa).copy()


@lru_cache
def _states(isa: str) -> NDArray[np.void]:
    start = states(isa, DTYPE[isa], STATES, 3)
    start["nzcv"] = (np.arange(STATES) % 16).astype(np.uint64) << np.uint64(28)
    return start


def _aim(isa: str, line: str, start: NDArray[np.void], target: int) -> NDArray[np.void]:
    """The states with the address `target` where an indirect branch finds it."""
    kind, where = INDIRECT[isa].get(line, ("", 0))
    start = start.copy()
    if kind == "x":
        start["x"][:, where] = target
    elif kind == "sp":
        for i in range(len(start)):
            at = int(start["x"][i, 13]) - ADDRESS + where
            start["mem"][i, at:at + 4] = np.frombuffer(struct.pack("<I", target), np.uint8)
    return start


def qemu(isa: str, folder: Path) -> tuple[NDArray[np.uint8], NDArray[np.void]]:
    all_lines = lines(isa)
    head = ".syntax unified\n" if isa == "aarch32" else ""
    code = text_bytes(isa, head + "".join(f"{line}\nnop\n1:\n" for line in all_lines))
    words = struct.unpack(f"<{2 * len(all_lines)}I", code)[::2]
    taken = np.zeros((len(all_lines), STATES), np.uint8)
    states_after = np.zeros((len(all_lines), STATES), DTYPE[isa])
    with Qemu(isa, folder) as guest:
        for row, (line, word) in enumerate(zip(all_lines, words, strict=True)):
            start = _aim(isa, line, _before(isa), guest.slot + 8)
            after = guest.run(word, start)
            assert not after["fault"].any(), line
            assert (after["mem"] == start["mem"]).all(), line
            taken[row] = after["x"][:, FELL_THROUGH[isa]] == 0
            after["mem"] = _aim(isa, line, _before(isa), CODE + 8)["mem"]
            for distance in (4, 8):
                after["x"][after["x"] == guest.slot + distance] = CODE + distance
            states_after[row] = canonical(isa, after)
    return taken, states_after


def ours(isa: str) -> tuple[NDArray[np.uint8], NDArray[np.void]]:
    slots = AARCH64 if isa == "aarch64" else AARCH32
    all_lines = lines(isa)
    taken = np.zeros((len(all_lines), STATES), np.uint8)
    states_after = np.zeros((len(all_lines), STATES), DTYPE[isa])
    for row, line in enumerate(all_lines):
        instruction = assemble(f"{line}\nnop\n1: nop", isa=isa).instructions[0]
        step = bind(instruction, 0, slots)
        start = _aim(isa, line, _before(isa), CODE + 8)
        states_after[row] = canonical(isa, start)
        memory = Memory()
        for i in range(STATES):
            if instruction.address is not None:
                memory = Memory()
                our_side.place(memory, start[i])
            values = our_side.one_state(isa, start[i].tobytes())
            state = State(slots, memory, list(values), axes=0, tracing=False)
            step(state)
            assert state.branched in (None, CODE + 4, CODE + 8), f"{line}: went to {state.branched}"
            taken[row, i] = state.branched == CODE + 8
            our_side.write_back(isa, values, state, states_after[row, i:i + 1])
    return taken, states_after
