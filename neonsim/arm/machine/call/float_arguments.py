"""Doubles that are read as single precision: a Python float is a double where the prototype is unknown.

Its lower half is a number of no meaning, 0.0 for 1.0. So instructions that would read half of such an argument as if it
were all of it are looked for before a run, and the interpreter does those: they are wrong as long as the register still
holds the argument. Moving half of it into a general register is what programs do that take a double apart.
"""

from __future__ import annotations

from collections.abc import Mapping

from neonsim.arm.asm import Program
from neonsim.arm.isa import Instruction, Location
from neonsim.arm.machine.arch.registers import Slots
from neonsim.arm.machine.arch.state import State
from neonsim.arm.machine.memory.violations import violation

__all__ = ["Halves", "check_unread_halves", "halves_of"]

Halves = Mapping[int, tuple[int, ...]]  # {instruction: which of `State.doubles` it would read half of}


def halves_of(program: Program, state: State) -> Halves:
    """Return the instructions that read half of an argument that is a double, where there is one."""
    if not state.doubles:
        return {}
    slots = state.registers
    found = {}
    for at, instruction in enumerate(program.instructions):
        read = tuple(k for k, (slot, first, _) in enumerate(state.doubles) if _half(instruction, slots, slot, first))
        if read:
            found[at] = read
    return found


def _half(instruction: Instruction, slots: Slots, slot: int, first: int) -> bool:
    operands = instruction.resolved
    taken_apart = any(place.bank not in "vq" for result in operands.results for place in result.places)
    for source in operands.sources:
        for place in source.places:
            if isinstance(place, Location) and place.bank in "vq" and slots.get(place) == slot and (
                    place.start < first + 8 and first < place.start + place.nbytes):
                single = place.type.kind == "f" and place.type.bits < 64
                if single or (place.nbytes <= 4 and place.start == first and not taken_apart):
                    return True
    return False


def check_unread_halves(state: State, read: tuple[int, ...]) -> None:
    """AbiViolation if one of the registers that it reads still holds the argument."""
    for slot, first, lanes in (state.doubles[k] for k in read):
        if any(part is lanes for _, part in state.slots[slot].parts):
            number = slot if state.registers.isa == "aarch64" else 2 * slot + first // 8
            raise violation("half-double", "reads half of an argument as float32, but a Python float is a double and "
                                        f"fills d{number}. Pass np.float32(...), or f32:1.5 on the command line, where "
                                        "the function takes a float")
