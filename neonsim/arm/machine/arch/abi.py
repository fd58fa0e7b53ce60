"""Procedure calls: where arguments go, what a callee must keep (AAPCS64, AAPCS32 hard-float).

Whatever the standard leaves undefined is filled with junk before a call (and known to be junk, in the shadow
interpretation), so that a wrong assumption fails here and not on a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.asm import Program
from neonsim.arm.asm.library import built_in
from neonsim.arm.isa import Instruction
from neonsim.arm.isa.operands.locations import CLEAR_AT_FIRST, FLAG_BITS
from neonsim.arm.machine.memory.violations import violation
from neonsim.arm.semantics import Lanes, NumpyLanes, ShadowLanes, element, join, u8, view, x32, x64
from neonsim.common.integers import is_int
from neonsim.errors import BadArgument, MachineError

from .argument_places import argument_places
from .clobbered import clobbered_by
from .registers import Slots, VectorValue, numeric
from .state import State

__all__ = ["RETURN", "altered", "check_return", "follow", "is_return", "place_arguments", "poison", "preserved",
           "saved", "undefined_result", "violation_text"]

RETURN = 0x07FF_FF00  # the return address of a call: no code is there


def poison(state: State, random: np.random.Generator) -> None:
    """Junk in every register, flag included; all of it uninitialized in the shadow interpretation."""
    slots = state.registers
    state.slots = [VectorValue(((0, value),)) for value in state.junks(random, slots.vectors, 16)]
    state.slots += [view(value, slots.word) for value in state.junks(random, slots.core, slots.word.bytes)]
    junk = iter(state.junks(random, sum(name not in CLEAR_AT_FIRST for name in slots.flags), 1))
    state.slots += [state.lanes([0], u8) if name in CLEAR_AT_FIRST else next(junk) & (1 << FLAG_BITS[name]) - 1
                    for name in slots.flags]


def place_arguments(state: State, arguments: tuple[Any, ...], stack: int, tiles: tuple[int, int] | None,
                    random: np.random.Generator) -> None:
    """Put arguments into registers and on the stack, sp and the return address into theirs."""
    slots = state.registers
    made = [_argument(state, argument, number, tiles, random) for number, argument in enumerate(arguments)]
    places, taken = argument_places(slots.isa, ((is_float, nbytes) for _, is_float, nbytes in made))
    for argument, (lanes, _, _), place in zip(arguments, made, places, strict=True):
        slot = slots.vectors + place.number
        if place.bank == "v":
            # The bytes next to it in the register are undefined.
            state.slots[place.number] = state.slots[place.number].with_bytes(place.byte, lanes, None)
            state.doubles += [(place.number, place.byte, lanes)] * isinstance(argument, float)
        elif place.bank == "r":
            state.slots[slot] = lanes
        elif place.bank == "rr":
            pair = view(lanes, x32)
            state.slots[slot], state.slots[slot + 1] = pair[0], pair[1]
        else:
            _put_on_stack(state, lanes, stack - taken + place.number)
    state.slots[slots.sp] = state.lanes([stack - taken], slots.word)
    state.slots[slots.link] = state.lanes([RETURN], slots.word)
    state.calls = (RETURN,)


def _put_on_stack(state: State, lanes: Lanes, address: int) -> None:
    state.memory.store(state.lanes([address], state.registers.word), lanes, [])
    if not state.shadow and not state.axes:  # known all the same, for those who look
        first = address - state.memory.base
        state.memory.undefined_bits[first:first + lanes.type.bytes * lanes.count] = 0


def _argument(state: State, argument: Any, number: int, tiles: tuple[int, int] | None,
              random: np.random.Generator) -> tuple[Lanes, bool, int]:
    """(lanes, is a float, size in bytes) of one argument."""
    word = state.registers.word
    if isinstance(argument, (float, np.floating)):
        raw = np.array([argument])
        if raw.itemsize > 8:
            raise BadArgument(f"argument {number} is a {raw.dtype}; a call takes np.float16, np.float32 and np.float64")
        return state.lanes(raw.view(f"u{raw.itemsize}").tolist(), element("x", 8 * raw.itemsize)), True, raw.itemsize
    if isinstance(argument, (bool, np.bool_)):
        argument = int(argument)
    if isinstance(argument, np.ndarray) and argument.ndim:
        return _per_tile(state, argument, number, tiles, random), False, word.bytes
    if not is_int(argument):
        raise BadArgument(f"argument {number} is {type(argument).__name__} {argument!r}; it must be an integer, an "
                          f"address from memory.place, a numpy scalar or a float")
    value = int(argument)
    size = argument.dtype.itemsize if isinstance(argument, (np.integer, np.ndarray)) else word.bytes
    if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
        raise BadArgument(f"argument {number} is {value}, which does not fit a register of {8 * size} bits")
    if size == 8 and word.bytes == 4:
        return state.lanes([value], x64), False, 8
    if size < word.bytes and isinstance(argument, np.integer) and word.bytes == 8:
        # AAPCS64 says nothing about the rest of the register; AAPCS32 lets the caller extend to a word.
        low = state.lanes([value >> 8 * i & 255 for i in range(size)], u8)
        return view(join(low, state.junk(random, word.bytes - size)), word), False, word.bytes
    return state.lanes([value], word), False, word.bytes


def _per_tile(state: State, argument: npt.NDArray[Any], number: int, tiles: tuple[int, int] | None,
              random: np.random.Generator) -> Lanes:
    """One value per tile; an axis along which nothing varies is kept at length 1."""
    if tiles is None:
        raise BadArgument(f"argument {number} is an array. Place it in memory and pass its address, or run on a grid "
                          f"(tiles=ns.Grid(...)) with one value per tile")
    if argument.shape != tiles or argument.dtype.kind not in "iu":
        raise BadArgument(f"argument {number} is an array of {argument.dtype} {argument.shape}: a grid takes one "
                          f"integer per tile, shape {tiles}")
    word = state.registers.word
    if argument.size and not -(1 << word.bits - 1) <= int(argument.min()) <= int(argument.max()) <= word.mask:
        raise BadArgument(f"argument {number} has a value that does not fit a register of {word.bits} bits")
    values = argument.astype(np.int64).astype(word.dtype)
    if (values == values[:1]).all():
        values = values[:1]
    if (values == values[:, :1]).all():
        values = values[:, :1]
    size = argument.dtype.itemsize
    if size < word.bytes == 8:  # as of one number: the rest of the register is junk
        low = np.stack([values >> word.dtype.type(8 * i) & word.dtype.type(255) for i in range(size)]).astype(np.uint8)
        made = NumpyLanes(low, u8)
        return view(join(ShadowLanes(made) if state.shadow else made, state.junk(random, word.bytes - size)), word)
    made = NumpyLanes(np.ascontiguousarray(values)[None], word)
    return ShadowLanes(made) if state.shadow else made


def preserved(slots: Slots) -> dict[str, tuple[int, int, int]]:
    """Return what the callee must give back: name -> (slot, first byte, bytes)."""
    found: dict[str, tuple[int, int, int]] = {}
    if slots.isa == "aarch64":
        found |= {f"d{n}": (n, 0, 8) for n in range(8, 16)}
        found |= {f"x{n}": (slots.vectors + n, 0, 8) for n in range(19, 30)}
    else:
        found |= {f"d{n}": (n // 2, 8 * (n % 2), 8) for n in range(8, 16)}
        found |= {f"r{n}": (slots.vectors + n, 0, 4) for n in range(4, 12)}
    return found | {"sp": (slots.sp, 0, slots.word.bytes)}


def saved(state: State) -> dict[str, tuple[int, int, int, Any]]:
    """Return the same with the values at entry: name -> (slot, first byte, bytes, value)."""
    return {name: (*place, state.slots[place[0]]) for name, place in preserved(state.registers).items()}


def altered(state: State, entry: dict[str, tuple[int, int, int, Any]]) -> tuple[str, ...]:
    """Return what of it is not as it was at the entry."""
    return tuple(name for name, (slot, start, nbytes, before) in entry.items()
                 if state.slots[slot] is not before and not _same(state.slots[slot], before, start, nbytes))


def check_return(state: State, entry: dict[str, tuple[int, int, int, Any]]) -> None:
    """AbiViolation if a callee-saved register or sp comes back changed; its ``changed`` names them."""
    changed = altered(state, entry)
    if changed:
        raise _violation(state, changed)


def _violation(state: State, changed: tuple[str, ...]) -> MachineError:
    problem = violation("stack-pointer" if changed == ("sp",) else "callee-saved",
                     violation_text(state.registers.isa, changed))
    problem.changed = changed  # type: ignore[attr-defined]
    return problem


def violation_text(isa: str, changed: Sequence[str]) -> str:
    """Return what is wrong with a return that changed these registers."""
    keep = "d8-d15, x19-x29 and sp" if isa == "aarch64" else "d8-d15, r4-r11 and sp"
    back = "it" if len(changed) == 1 else "them"
    remedy = ("What is pushed has to be popped" if list(changed) == ["sp"] else
              f"Save {back} on the stack first and load {back} back before returning")
    return f"the call returned with {', '.join(changed)} changed: a function must keep {keep}. {remedy}"


def undefined_result(state: State, before: tuple[Any, Any]) -> str:
    """Return what a caller would find in a result register although it is uninitialized, as a warning; "" if nothing.

    before   x0 or r0, and v0 or q0, at the entry

    The narrowest type is a byte, so only the lowest byte counts, and only of what the function has changed. What a
    float function returns is in v0; others leave there what they like. So v0 counts for a function that does nothing
    else: stores to no buffer and keeps x0 as it was.
    """
    slots = state.registers
    word, vector = state.slots[slots.vectors], state.slots[0]
    stores = any(b.is_written and not b.scratch for b in state.memory.buffers)
    for name, now, old in ((slots.names[slots.vectors], word, before[0]), (slots.names[0], vector, before[1])):
        if now is not old and not _same(now, old, 0, 16):
            lowest = now.read(0, 1, u8) if isinstance(now, VectorValue) else view(now, u8)[0]
            if isinstance(lowest, ShadowLanes) and lowest.undefined is not None:
                return (f"returns with bits in {name} that depend on uninitialized data: of no matter only if the "
                        "function returns nothing")
            break
        if stores:
            break
    return ""


def is_return(instruction: Instruction) -> bool:
    """Return whether a branch is meant as a return: RET; BX LR, MOV PC, LR, or a load of pc from the stack."""
    if instruction.isa == "aarch64":
        return instruction.form.name == "ret"
    if instruction.memory == "load":
        return instruction.address is not None and instruction.address.base.number == 13  # sp
    return instruction.label is None and any(use.register == "r14" for use in instruction.reads)


def follow(state: State, instruction: Instruction, target: int, program: Program) -> tuple[int, ...]:
    """Return where the calls under way return to, after a branch to ``target``.

    Raises AbiViolation for a return to anywhere else, MemoryFault for a call with a stack that is not aligned.
    """
    calls, slots = state.calls, state.registers
    if is_return(instruction):
        if target in calls:
            after = program.index_at(target)
            if after is not None:
                for slot, first in clobbered_by(program, slots, after - 1, state.pc, state.strict):
                    state.forget(slot, first)
            return calls[:len(calls) - 1 - calls[::-1].index(target)]
        raise violation("return-address", f"the return goes to {target:#x}, not to its caller ({_places(calls)}). Save "
                                       f"the link register before a call and restore it")
    after = program.address(state.pc + 1)
    if int(numeric(state.slots[slots.link]).array.flat[0]) != after:
        return calls
    names = [name for name, index in program.symbols.items() if program.address(index) == target]
    # For public interfaces; calls inside one file need what holds always.
    public = not {*program.globals, *built_in(slots.isa)}.isdisjoint(names)
    multiple = (16 if public else 1) if slots.isa == "aarch64" else 8 if public else 4
    if multiple > 1:
        state.require_alignment(state.slots[slots.sp], multiple, "stack-alignment",
                     f"sp is {{}} at the call of {names[0] if names else hex(target)}, no multiple of {multiple}")
    return (*calls, after)


def _places(calls: tuple[int, ...]) -> str:
    return f"{calls[-1]:#x}" if calls else "it has returned already"


def _same(now: Any, before: Any, start: int, nbytes: int) -> bool:
    if isinstance(now, VectorValue):
        now, before = now.read(start, nbytes, u8), before.read(start, nbytes, u8)
    a, b = numeric(now).array, numeric(before).array
    return bool((a == b).all())


