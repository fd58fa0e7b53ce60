"""What the parameters and results of an instruction's meaning are on one line: resolved once, read by all.

The binder makes readers and writers of it, the lane pictures their leaves, timing its register uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from neonsim.arm.isa.operands.ast import CoreRegister
from neonsim.arm.isa.operands.gpr import core_place
from neonsim.arm.isa.operands.locations import FLAG_BITS, NUMBERS, STICKY, ImmediateLane, Location
from neonsim.arm.semantics import ElementType, element

if TYPE_CHECKING:
    from .instruction import Instruction

__all__ = ["Operands", "Result", "Source", "resolve"]

Places = tuple[Location | ImmediateLane, ...]


class Source(NamedTuple):
    """Where a parameter comes from.

    role     its name in the meaning
    kind     "lanes"    of its places, one after the other     "shifted"  the place, shifted or extended
             "memory"   the bytes at the address               "carry"    what that shift carries out
             "flag"     the flag register of that name         "value"    written in the text: a number, a condition
             "pc" "label" "stop"   an address                  "zero"     one lane of the type of d
    places   registers and constants in order
    type     element type: of the first place, of the lanes that memory is cut into, of the zero
    """

    role: str
    kind: str
    places: Places = ()
    type: ElementType | None = None
    value: Any = None


class Result(NamedTuple):
    """Where a result goes.

    kind   "lanes" into its places    "memory"    "flag"    "sticky" added to a flag register    "pc"    "link"
           "none" nowhere: flags of a form that sets none
    """

    role: str
    kind: str
    places: tuple[Location, ...] = ()


class Operands(NamedTuple):
    """All of one line.

    sources        one for each parameter of the meaning    results   one for each result
    base, offset   registers of the address                 amount    register that says how far m is shifted
    shifted        operand m, before its shift              loads     element type that loaded bytes are cut into
    """

    sources: tuple[Source, ...]
    results: tuple[Result, ...]
    base: Location | None
    offset: Location | None
    shifted: Location | ImmediateLane | None
    amount: Location | None
    loads: ElementType | None


# What is the same on every line.
_FIXED = {role: Source(role, "flag") for role in FLAG_BITS} | {"control": Source("fpcr", "flag")} | {
    role: Source(role, role) for role in ("pc", "label", "stop", "carry")}
_GOES = {role: Result(role, "sticky" if role in STICKY else "flag") for role in FLAG_BITS} | {
    "": Result("", "none"), "mem": Result("mem", "memory"), "pc": Result("pc", "pc"), "link": Result("link", "link")}


def resolve(instruction: Instruction) -> Operands:
    """Return the operands of a decoded line."""
    address, shift, meaning = instruction.address, instruction.shift, instruction.form.semantics
    loads = _loaded(instruction) if "mem" in meaning.parameters else None
    offset = None if address is None else address.offset
    m = instruction.places.get("m")
    return Operands(
        tuple([_source(role, instruction, loads) for role in meaning.parameters]),
        tuple([_result(name, instruction) for name in instruction.writes_names]),
        None if address is None else core_place(address.base),
        core_place(offset) if isinstance(offset, CoreRegister) else None,
        m[0] if m else None,
        core_place(shift.amount) if shift is not None and isinstance(shift.amount, CoreRegister) else None,
        loads)


def _source(role: str, instruction: Instruction, loads: ElementType | None) -> Source:
    if role in instruction.places:      # the usual case first
        places = instruction.places[role]
        return Source(role, "lanes" if role != "m" or instruction.shift is None else "shifted", places, places[0].type)
    if role == "fpcr":  # not a register that is read, but the rules that it says
        return Source(role, "value", value=instruction.form.rules())
    if role in _FIXED:
        return _FIXED[role]
    if role == "mem":
        return Source(role, "memory", type=loads)
    if role == "cond":
        return Source(role, "value", value=instruction.select_condition)
    if role in NUMBERS:
        return Source(role, "value", value=instruction.numbers[role])
    if role == "like":
        return Source(role, "zero", type=instruction.places_of("d")[0].type)
    places = instruction.places_of(role)
    return Source(role, "lanes", places, places[0].type if places else None)


def _result(name: str, instruction: Instruction) -> Result:
    if name in STICKY and "replaces" in instruction.form.options:
        return Result(name, "flag")
    return _GOES.get(name) or Result(name, "lanes", tuple(
        p for p in instruction.places_of(name) if isinstance(p, Location)))


def _loaded(instruction: Instruction) -> ElementType:
    """How loaded bytes are cut into lanes: as the first register they go to, or as one narrow integer."""
    if "bytes" in instruction.form.options:
        return element("x", 8 * instruction.transfer_bytes)
    return instruction.places_of("t")[0].type
