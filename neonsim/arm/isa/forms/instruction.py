"""Decoded instructions: a form with its operands, and what it reads and writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from neonsim.arm.isa.operands.addressing import shift_text
from neonsim.arm.isa.operands.ast import (
    Address,
    CoreRegister,
    Immediate,
    Operand,
    RegisterList,
    Shift,
    Span,
    Symbol,
    VectorRegister,
)
from neonsim.arm.isa.operands.locations import NUMBERS, ImmediateLane, Location, RegisterUse
from neonsim.arm.isa.operands.pattern import register_text
from neonsim.arm.semantics import ElementType, element_named, u8, x32
from neonsim.common.locking import lockless_cached_property
from neonsim.errors import AssemblyError

from .resolve import Operands, resolve
from .spec import Form, Semantics

__all__ = ["Instruction", "SourcePosition", "operand_text"]


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """A place in a source text, for carets: 1-based line and column. The path of a built-in function is made by
    `path_of`."""

    path: str = "<text>"
    line: int = 0
    column: int = 0
    width: int = 1
    text: str = ""

    @staticmethod
    def path_of(function: str) -> str:
        """Return the path of a function that is built in and is in no file of the user."""
        return f"<built in: {function}>"

    @property
    def function(self) -> str:
        """The built-in function whose text it is, "" for what stands in a program's own."""
        return self.path[11:-1] if self.path.startswith("<built in: ") else ""

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
    places: dict[str, tuple[Location | ImmediateLane, ...]]
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
    position: SourcePosition
    target: int | None = None
    reference: tuple[int, int] | None = None
    label_address: int | None = None

    def resolve(self, target: int) -> Instruction:
        """Return the same instruction with its label's place."""
        return self._with(target=target)

    def relocate(self, position: SourcePosition) -> Instruction:
        """Return the same instruction in another place of a text."""
        return self._with(position=position)

    def _with(self, **changed: Any) -> Instruction:
        """With other fields that say nothing of its registers: what was derived from these stays."""
        made = object.__new__(Instruction)
        made.__dict__.update(self.__dict__, **changed)
        return made

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
    def feature(self) -> str:
        """What a core must have besides the base instruction set; arithmetic in half precision is one such thing."""
        half = self.type is not None and self.type.bits == 16 and self.form.semantics.family.startswith("fp/")
        half |= self.isa == "aarch32" and any(p.spec == "H" for p in self.form.patterns)
        return self.form.options.get("feature", self.form.semantics.feature or ("fp16" if half else self.form.newer))

    @property
    def writes_names(self) -> tuple[str, ...]:
        """The results of the function, in order, with "nzcv?" decided."""
        return _decided(self.form.semantics.writes, self.sets_flags)

    @property
    def memory(self) -> str | None:
        """ "load", "store" or None."""
        if "mem" in self.form.semantics.parameters:
            return "load"
        return "store" if self.stores else None

    @property
    def stores(self) -> bool:
        """Whether it writes memory: an atomic operation loads and stores."""
        return "mem" in self.form.semantics.writes

    def places_of(self, role: str) -> tuple[Location | ImmediateLane, ...]:
        """Return where a parameter or result lives: `a` is the destination read as accumulator, `t` all of t1, t2."""
        if role in self.places:
            return self.places[role]
        if role == "a":
            return self.places_of("d")
        if role in self.form.options:
            return (Location("x", int(self.form.options[role][1:]), 0, 8, element_named("x64")),)
        return sum((self.places[r] for r in sorted(self.places) if re.fullmatch(role + r"\d", r)), ())

    @lockless_cached_property
    def resolved(self) -> Operands:
        """What the parameters and results of its meaning are."""
        return resolve(self)

    @lockless_cached_property
    def is_branch(self) -> bool:
        return "pc" in self.form.semantics.writes or any(u.register == "r15" for u in self.writes)

    @lockless_cached_property
    def width(self) -> str | None:
        """ "q" if any SIMD operand fills 128 bits, "d" if there is one at all."""
        sizes = [p.nbytes for ps in self.places.values() for p in ps if isinstance(p, Location) and p.bank in "vq"]
        return None if not sizes else "q" if max(sizes) == 16 else "d"

    @lockless_cached_property
    def reads(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        meaning, operands = self.form.semantics, self.resolved
        for source in operands.sources:
            if source.kind != "flag":
                found += self._uses(source.role, source.places)
            elif source.role != "nzcv" or self.sets_flags or _needs_flags(meaning):
                found.append(RegisterUse(source.role, source.role))
        shifts = (self.shift, self.address.shift if self.address is not None else None)
        rotates = any(shift is not None and shift.kind == "rrx" for shift in shifts)
        if (self.condition or rotates) and not any(u.register == "nzcv" for u in found):
            found.append(RegisterUse("nzcv", "nzcv"))
        for role, place in (("base", operands.base), ("offset", operands.offset), ("shift", operands.amount)):
            found += self._uses(role, (place,) if place is not None else ())
        # What a partial write leaves alone is read as well, as far as timing is concerned.
        partial = [p for result in operands.results if result.role in ("d", "t") for p in result.places
                   if p.bank == "v" and not p.clears]
        if partial and "d" not in meaning.parameters:
            found += self._uses("d", tuple(partial))
        return tuple(found)

    @lockless_cached_property
    def writes(self) -> tuple[RegisterUse, ...]:
        found: list[RegisterUse] = []
        for result in self.resolved.results:
            if result.kind in ("flag", "sticky"):
                found.append(RegisterUse(result.role, result.role))
            elif result.kind == "link":
                found.append(RegisterUse("d", "x30" if self.isa == "aarch64" else "r14"))
            else:
                found += self._uses(result.role, result.places)
        if self.address is not None and self.address.writeback and self.resolved.base is not None:
            found += self._uses("base", (self.resolved.base,))
        return tuple(found)

    @staticmethod
    def _uses(role: str, places: Sequence[Location | ImmediateLane]) -> list[RegisterUse]:
        return [RegisterUse(role, register, (p.type.name, p.start // p.type.bytes, p.count))
                for p in places if isinstance(p, Location) for register in p.registers]

    def __repr__(self) -> str:
        return f"<Instruction {self.isa}: {self}>"

    def __str__(self) -> str:
        text = ", ".join(operand_text(o) for o in self.operands)
        return f"{self.mnemonic.lower()} {text}" if text else self.mnemonic.lower()


@cache
def _decided(writes: tuple[str, ...], sets_flags: bool) -> tuple[str, ...]:
    return tuple(w.rstrip("?") if w[-1] != "?" or sets_flags else "" for w in writes)


@cache
def _needs_flags(meaning: Semantics) -> bool:
    """Whether anything but the flags of the S form depends on the flags: ADC yes, MOV no."""
    if "nzcv?" not in meaning.writes:
        return True
    from neonsim.arm.semantics import SymbolicLanes  # for few instructions

    arguments = [1 if role in NUMBERS else SymbolicLanes.leaves(role, u8 if role in ("nzcv", "carry") else x32, 1)
                 for role in meaning.parameters]
    value = meaning.function(*arguments)[meaning.writes.index("d")]
    return any(name == "nzcv" for lane in value.lanes for name, _ in lane.leaves())


def operand_text(operand: Operand) -> str:
    """Return an operand as it is printed, so that it parses again to the same operand."""
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
