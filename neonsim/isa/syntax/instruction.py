"""Decoded instructions: a form with its operands, and what it reads and writes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, cached_property

from neonsim.errors import AssemblyError
from neonsim.lanes import ElementType, SymbolicLanes, element_named, u8, x32

from .address import shift_text
from .general import core_place
from .match import register_text
from .operands import Address, CoreRegister, Immediate, Operand, RegisterList, Shift, Span, Symbol, VectorRegister
from .places import FLAG_BITS, NUMBERS, Constant, Place, RegisterUse
from .spec import Form, Meaning

__all__ = ["Instruction", "Where", "operand_text"]


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source text, for carets: 1-based line and column."""

    path: str = "<text>"
    line: int = 0
    column: int = 0
    width: int = 1
    text: str = ""

    def error(self, message: str, span: Span = (0, 0)) -> AssemblyError:
        column, width = span if span[0] else (self.column, self.width)
        return AssemblyError(message, path=self.path, line=self.line, column=column, text=self.text, width=width)


@dataclass(frozen=True, repr=False)
class Instruction:
    """One decoded line: a form with its operands.

    roles      role -> operand as written          places   role -> where its lanes live
    numbers    role -> plain integers (shift, index, imm)
    condition  of an A32 conditional instruction; `select_condition` is the operand of CSEL and B.cond
    label      branch target by name, target its instruction index once resolved
    reference  (section, offset) of data that it names, label_address its address once the program is in memory
    """

    form: Form
    isa: str
    mnemonic: str
    operands: tuple[Operand, ...]
    roles: dict[str, Operand]
    places: dict[str, tuple[Place | Constant, ...]]
    numbers: dict[str, int]
    type: ElementType | None
    sets_flags: bool
    condition: str | None
    select_condition: str | None
    address: Address | None
    shift: Shift | None
    label: str | None
    transfer_bytes: int
    list_count: int
    by_element: bool
    where: Where
    target: int | None = None
    reference: tuple[int, int] | None = None
    label_address: int | None = None

    def resolve(self, target: int) -> Instruction:
        """The same instruction with its label's place."""
        return replace(self, target=target)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instruction) and (self.isa, str(self)) == (other.isa, str(other))

    def __hash__(self) -> int:
        return hash((self.isa, str(self)))

    @property
    def element(self) -> str | None:
        return self.type.name if self.type else None

    @property
    def timing(self) -> str:
        return self.form.timing.format(count=self.list_count)

    @property
    def writes_names(self) -> tuple[str, ...]:
        """The results of the function, in order, with "nzcv?" decided."""
        return tuple(w.rstrip("?") if w[-1] != "?" or self.sets_flags else "" for w in self.form.meaning.writes)

    @property
    def memory(self) -> str | None:
        """ "load", "store" or None."""
        if "mem" in self.form.meaning.parameters:
            return "load"
        return "store" if "mem" in self.form.meaning.writes else None

    def places_of(self, role: str) -> tuple[Place | Constant, ...]:
        """Where a parameter or result lives: `a` is the destination read as accumulator, `t` all of t1, t2."""
        if role in self.places:
            return self.places[role]
        if role == "a":
            return self.places_of("d")
        if role in self.form.options:
            return (Place("x", int(self.form.options[role][1:]), 0, 8, element_named("x64")),)
        return sum((self.places[r] for r in sorted(self.places) if re.fullmatch(role + r"\d", r)), ())

    @cached_property
    def is_branch(self) -> bool:
        return "pc" in self.form.meaning.writes or any(u.register == "r15" for u in self.writes)

    @cached_property
    def width(self) -> str | None:
        """ "q" if any SIMD operand fills 128 bits, "d" if there is one at all."""
        sizes = [p.nbytes for ps in self.places.values() for p in ps if isinstance(p, Place) and p.bank in "vq"]
        return None if not sizes else "q" if max(sizes) == 16 else "d"

    @cached_property
    def reads(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        meaning = self.form.meaning
        for role in meaning.parameters:
            if role == "nzcv" and not self.sets_flags and not _needs_flags(meaning):
                continue
            if role in FLAG_BITS:
                found.append(RegisterUse(role, role))
            elif role not in ("mem", "cond", "imm", "pc", "stop", "label", "carry", "like", "fpcr", *NUMBERS):
                found += self._uses(role, self.places_of(role))
        shifts = (self.shift, self.address.shift if self.address is not None else None)
        rotates = any(shift is not None and shift.kind == "rrx" for shift in shifts)
        if (self.condition or rotates) and not any(u.register == "nzcv" for u in found):
            found.append(RegisterUse("nzcv", "nzcv"))
        if self.address is not None:
            found += self._uses("base", (core_place(self.address.base),))
            if isinstance(self.address.offset, CoreRegister):
                found += self._uses("offset", (core_place(self.address.offset),))
        if self.shift is not None and isinstance(self.shift.amount, CoreRegister):
            found += self._uses("shift", (core_place(self.shift.amount),))
        # What a partial write leaves alone is read as well, as far as timing is concerned.
        partial = [p for w in self.writes_names if w in ("d", "t") for p in self.places_of(w)
                   if isinstance(p, Place) and p.bank == "v" and not p.clears]
        if partial and "d" not in meaning.parameters:
            found += self._uses("d", tuple(partial))
        return tuple(found)

    @cached_property
    def writes(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        for name in self.writes_names:
            if name in FLAG_BITS:
                found.append(RegisterUse(name, name))
            elif name == "link":
                found.append(RegisterUse("d", "x30" if self.isa == "aarch64" else "r14"))
            elif name in ("d", "n", "t"):
                found += self._uses(name, self.places_of(name))
        if self.address is not None and self.address.writeback:
            found += self._uses("base", (core_place(self.address.base),))
        return tuple(found)

    @staticmethod
    def _uses(role: str, places: tuple[Place | Constant, ...]) -> list[RegisterUse]:
        return [RegisterUse(role, register, (p.type.name, p.start // p.type.bytes, p.count))
                for p in places if isinstance(p, Place) for register in p.registers]

    def __repr__(self) -> str:
        return f"<Instruction {self.isa}: {self}>"

    def __str__(self) -> str:
        text = ", ".join(operand_text(o) for o in self.operands)
        return f"{self.mnemonic.lower()} {text}" if text else self.mnemonic.lower()


@cache
def _needs_flags(meaning: Meaning) -> bool:
    """Whether anything but the flags of the S form depends on the flags: ADC yes, MOV no."""
    if "nzcv?" not in meaning.writes:
        return True
    arguments = [1 if role in NUMBERS else SymbolicLanes.leaves(role, u8 if role in ("nzcv", "carry") else x32, 1)
                 for role in meaning.parameters]
    value = meaning.function(*arguments)[meaning.writes.index("d")]
    return any(name == "nzcv" for lane in value.lanes for name, _ in lane.leaves())


def operand_text(operand: Operand) -> str:
    """An operand as it is printed, so that it parses again to the same operand."""
    match operand:
        case CoreRegister() | VectorRegister():
            return register_text(operand)
        case RegisterList(registers, index):
            return "{" + ", ".join(register_text(r) for r in registers) + "}" + (f"[{index}]" if index is not None and (
                isinstance(registers[0], VectorRegister) and registers[0].kind == "v") else "")
        case Immediate(value):
            return f"#{operand.symbol or value}"
        case Shift():
            return shift_text(operand)
        case Symbol(name):
            return name
        case Address(base, offset, shift, writeback, subtract, align):
            inside = register_text(base) + (f":{align}" if align else "")
            if isinstance(offset, CoreRegister):
                step = ("-" if subtract else "") + register_text(offset)
            else:
                step = "" if offset is None else operand_text(offset)
            if shift is not None:
                step += ", " + shift_text(shift)
            if writeback == "post":
                return f"[{inside}], {step}"
            return f"[{inside}{', ' + step if step else ''}]" + ("!" if writeback else "")
