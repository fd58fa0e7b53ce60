"""Templates: an instruction's syntax, printed as Arm's manual prints it, as something that matches operands.

``SMLAL{2} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>] | s16 s32`` reads: mnemonic, operands with their roles, and behind
``|`` the element types of this form where they differ from the instruction's.

Mnemonic       ``{S|U}`` signedness, ``{2}`` upper halves, ``{S}`` sets flags, ``{c}`` A32 condition, ``.<cond>`` B.cond,
               ``.<dt>`` A32 data type (s16), ``.<i>`` sign-agnostic (i16), ``.<size>`` untyped (16), ``.<dta>`` twice as wide
A64 vectors    ``.<T>`` any arrangement, ``.<Tb>`` half a register (upper with {2}), ``.<Ta>`` twice the element, full
               register, ``.<Tp>`` twice the element, same size; ``.<T1>`` as T with 1d; ``.8b`` fixed;
               ``.<Ts>[<index>]`` one lane (``:x`` registers a by-element multiply can name)
A64 scalars    ``:V`` one element, ``:V2`` twice as wide, ``:B`` ``:H`` ``:S`` ``:D`` ``:Q``
A32 vectors    ``:D`` ``:Q`` ``:DQ`` (2 behind it: elements twice as wide); ``:D[index]`` a lane, ``:x[index]`` restricted
general        ``:R`` w or x (A64) or r (A32), ``:W`` ``:X``, ``:RSP`` with sp, ``:Re`` wide enough for the element
others         ``#<imm:lo-hi>``, ``<m:op2>``, ``<m:R+shift>``, ``<m:R+extend>``, ``{<t>...}*1-4``, ``<mem:kind>``, ``<label>``, ``<cond>``
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from neonsim.lanes import CONDITIONS, ElementType, element

from . import immediates
from .operands import (
    ALL_LANES,
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
from .places import Constant, Place

__all__ = ["Match", "Pattern", "Refusal", "compile_operands"]

LETTER_BITS = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
BITS_LETTER = {bits: letter for letter, bits in LETTER_BITS.items()}
CONDITION_ALIASES = {"cs": "hs", "cc": "lo"}


class Refusal(Exception):
    """This operand does not fit this template. ``depth``: how far the match had come, the best refusal is shown."""

    def __init__(self, message: str, span: Span = (0, 0), depth: float = 0) -> None:
        super().__init__(message)
        self.message, self.span, self.depth = message, span, depth


@dataclass
class Match:
    """What a match has found so far.

    bits    element width (of the narrow side, where a form has two), total bytes of the <T> arrangement
    kind    element kind from the mnemonic or the A32 data type, None when neither says
    """

    isa: str
    allowed: tuple[ElementType, ...] = ()
    upper: bool = False
    kind: str | None = None
    sets_flags: bool = False
    bits: int | None = None
    total: int | None = None
    register_kind: str | None = None
    by_element: bool = False
    transfer: int = 0
    list_count: int = 0
    roles: dict[str, Operand] = field(default_factory=dict)
    places: dict[str, tuple[Place | Constant, ...]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    address: Address | None = None
    label: str | None = None
    condition: str | None = None
    shift: Shift | None = None
    deferred: list[Any] = field(default_factory=list)

    def element(self, times: int = 1) -> ElementType:
        """The instruction's element type, or the one ``times`` as wide."""
        bits = self.bits or 8
        for type_ in self.allowed:
            if type_.bits == bits and (self.kind is None or type_.kind == self.kind):
                return element(type_.kind, bits * times)
        return element(self.kind or "x", bits * times)

    def set_bits(self, bits: int, span: Span, written: str) -> None:
        if self.bits is not None and self.bits != bits:
            raise Refusal(f"{written} has {bits}-bit elements where {self.bits}-bit elements are needed", span)
        if self.bits is None and self.allowed and bits not in {t.bits for t in self.allowed
                                                               if self.kind in (None, t.kind)}:
            widths = ", ".join(str(b) for b in sorted({t.bits for t in self.allowed}))
            raise Refusal(f"{written}: this form takes elements of {widths} bits", span)
        self.bits = bits


@dataclass(frozen=True)
class Pattern:
    """One operand of a template. ``match`` takes operands[at:] and returns how many it used."""

    role: str
    spec: str
    text: str

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        raise NotImplementedError  # every subclass says

    def take(self, operands: list[Operand], at: int, kind: type, what: str) -> Any:
        if at >= len(operands):
            raise Refusal(f"an operand is missing: {what}")
        operand = operands[at]
        if not isinstance(operand, kind):
            raise Refusal(f"{what} is expected here, not {describe(operand)}", operand.span)
        return operand


def describe(operand: Operand) -> str:
    """An operand in the reader's words."""
    match operand:
        case CoreRegister():
            return f"the general register {register_text(operand)}"
        case VectorRegister():
            return f"the SIMD register {register_text(operand)}"
        case RegisterList():
            return "a register list"
        case Immediate():
            return f"the number {operand.value}"
        case Shift():
            return f"the shift {operand.kind}"
        case Address():
            return "a memory address"
        case Symbol():
            return f'"{operand.name}"'


def register_text(register: CoreRegister | VectorRegister) -> str:
    """A register as it is printed."""
    if isinstance(register, CoreRegister):
        if register.kind == "r":
            name = {13: "sp", 14: "lr", 15: "pc"}.get(register.number, f"r{register.number}")
        elif register.number == 31:
            name = ("sp" if register.is_sp else "xzr") if register.kind == "x" else "wsp" if register.is_sp else "wzr"
        else:
            name = f"{register.kind}{register.number}"
        return name + ("!" if register.writeback else "")
    name = f"{register.kind}{register.number}" + (f".{register.arrangement}" if register.arrangement else "")
    if register.index is not None:
        name += "[]" if register.index == ALL_LANES else f"[{register.index}]"
    return name


def arrangement(bits: int, total: int) -> str:
    return f"{total * 8 // bits}{BITS_LETTER[bits]}"


def _arrangement_of(register: VectorRegister, what: str) -> tuple[int, int]:
    """(bits, total bytes) of v0.4s."""
    found = re.fullmatch(r"(\d+)([bhsdq])", register.arrangement or "")
    if register.kind != "v" or register.index is not None or not found:
        raise Refusal(f"{what} is expected here, not {register_text(register)}", register.span)
    bits = LETTER_BITS[found[2]]
    return bits, int(found[1]) * bits // 8


# ---- A64 SIMD -------------------------------------------------------------------------------------------------------

class Vector(Pattern):
    """<n>.<T>, <d>.<Ta>, <m>.<Tb>, <n>.<Tp>, <n>.16b"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, at, VectorRegister, "a vector register such as v0.4s")
        bits, total = _arrangement_of(register, "a vector with an arrangement, such as v0.4s,")
        written = register_text(register)
        start, nbytes, times = 0, total, 1
        if self.spec in ("T", "T1"):
            m.set_bits(bits, register.span, written)
            self._same_total(m, total, bits, register)
            if bits == 64 and total == 8 and self.spec == "T":
                raise Refusal("1d is not an arrangement of this instruction: write 2d", register.span)
        elif self.spec == "Tb":
            if m.bits is None:
                m.set_bits(bits, register.span, written)
            self._expect(bits, total, m.bits or bits, 16 if m.upper else 8, m, register)
            start, nbytes = (8, 8) if m.upper else (0, 8)
        elif self.spec == "Ta":
            if m.bits is None:
                m.set_bits(bits // 2, register.span, f"{written} (elements twice as wide as the sources')")
            self._expect(bits, total, 2 * (m.bits or 0), 16, m, register)
            times = 2
        elif self.spec == "Tp":
            if m.bits is None:
                m.set_bits(bits // 2, register.span, f"{written} (elements twice as wide as the sources')")
                m.total = total
            self._expect(bits, total, 2 * (m.bits or 0), m.total or total, m, register)
            times = 2
        else:
            if register.arrangement != self.spec:
                raise Refusal(f"v{register.number}.{self.spec} is needed here, not {written}", register.span)
            if bits == 128:  # a product of polynomials: wider than any element
                m.roles[self.role] = register
                m.deferred.append((self.role, lambda: Place("v", register.number, 0, 16, m.element().of(bits=128),
                                                            clears=True)))
                return 1
            m.bits = m.bits or bits
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Place("v", register.number, start, nbytes, m.element(times),
                                                    clears=not (self.spec == "Tb" and m.upper))))
        return 1

    @staticmethod
    def _same_total(m: Match, total: int, bits: int, register: VectorRegister) -> None:
        if m.total is None:
            if total not in (8, 16):
                raise Refusal(f"{register.arrangement} is no arrangement: a vector has 64 or 128 bits", register.span)
            m.total = total
        elif m.total != total:
            raise Refusal(f"v{register.number}.{arrangement(bits, m.total)} is needed here: all vectors of this "
                          "instruction have the same arrangement", register.span)

    @staticmethod
    def _expect(bits: int, total: int, want_bits: int, want_total: int, m: Match, register: VectorRegister) -> None:
        if (bits, total) == (want_bits, want_total):
            return
        need = f"v{register.number}.{arrangement(want_bits, want_total)}"
        if bits == want_bits and total == 16 and want_total == 8:
            raise Refusal(f"this reads half a register of {bits}-bit lanes here: {need}. For the upper half write the "
                          f"instruction with 2 at its end and {register_text(register)}", register.span)
        if bits == want_bits and total == 8 and m.upper:
            raise Refusal(f"the form with 2 works on the upper half: write {need}", register.span)
        raise Refusal(f"{need} is needed here, not {register_text(register)}", register.span)


class Lane(Pattern):
    """<m:x>.<Ts>[<index>], <d>.<Ts>[<index>]"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, at, VectorRegister, "one lane such as v0.h[3]")
        if register.kind != "v" or register.index is None or register.arrangement not in LETTER_BITS:
            raise Refusal(f"one lane such as v0.h[3] is expected here, not {register_text(register)}", register.span)
        bits = LETTER_BITS[register.arrangement]
        m.set_bits(bits, register.span, register_text(register))
        if not 0 <= register.index < 128 // bits:
            raise Refusal(f"lane {register.index} is out of range: v{register.number} has {128 // bits} lanes of "
                          f"{bits} bits, 0 to {128 // bits - 1}", register.span)
        if self.spec == "x" and bits == 16 and register.number > 15:
            raise Refusal(f"a 16-bit lane here can only be of v0 to v15, not v{register.number}", register.span)
        m.by_element = m.by_element or self.role != "d"
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Place("v", register.number, register.index * bits // 8, bits // 8,
                                                    m.element())))
        return 1


class Scalar(Pattern):
    """<d:V> one element of the instruction's type, <d:V2> twice as wide, <d:D> a fixed width"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, at, VectorRegister, "a scalar SIMD register such as s0")
        if register.kind not in LETTER_BITS or register.index is not None:
            raise Refusal(f"a scalar SIMD register such as s0 is expected here, not {register_text(register)}",
                          register.span)
        bits = LETTER_BITS[register.kind]
        times = 2 if self.spec == "V2" else 1
        if self.spec in ("V", "V2"):
            if m.bits is None:
                m.set_bits(bits // times, register.span, register_text(register))
            elif bits != times * m.bits:
                raise Refusal(f"{BITS_LETTER[times * m.bits]}{register.number} is needed here, not "
                              f"{register_text(register)}", register.span)
        elif self.spec == "F":
            m.set_bits(bits, register.span, register_text(register))
        elif bits != LETTER_BITS[self.spec.lower()]:
            raise Refusal(f"{self.spec.lower()}{register.number} is needed here, not {register_text(register)}",
                          register.span)
        m.roles[self.role] = register
        # A q register is two lanes of 64 bits: no register operation has wider ones.
        m.deferred.append((self.role, lambda: Place("v", register.number, 0, bits // 8,
                                                    m.element().of(bits=min(bits, 64)), clears=True)))
        m.transfer += bits // 8 if self.role.startswith("t") else 0
        return 1


# ---- A32 SIMD -------------------------------------------------------------------------------------------------------

class Vector32(Pattern):
    """<d:Q>, <n:D>, <m:DQ>, <d:Q2>, <d:DQ2>"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        what = {"D": "a d register", "Q": "a q register", "DQ": "a d or q register", "S": "an s register"}[
            self.spec.rstrip("2")]
        register: VectorRegister = self.take(operands, at, VectorRegister, what)
        if register.index is not None or register.kind not in self.spec.lower():
            raise Refusal(f"{what} is expected here, not {register_text(register)}", register.span)
        if self.spec.startswith("DQ"):
            if m.total is None:
                m.total = 8 if register.kind == "d" else 16
            elif m.total != (8 if register.kind == "d" else 16):
                raise Refusal(f"{register_text(register)} has another size than the registers before it: all d or all "
                              "q", register.span)
        m.roles[self.role] = register
        times = 2 if self.spec.endswith("2") else 1
        m.deferred.append((self.role, lambda: place32(register, m.element(times))))
        m.transfer += {"q": 16, "d": 8, "s": 4}[register.kind] if self.role.startswith("t") else 0
        return 1


def place32(register: VectorRegister, type_: ElementType) -> Place:
    """The bytes of q3, d7, s9 or of a lane of them, inside q0..q15."""
    per_q, nbytes = {"q": (1, 16), "d": (2, 8), "s": (4, 4)}[register.kind]
    number, part = divmod(register.number, per_q)
    start = part * nbytes
    if register.index is not None and register.index != ALL_LANES:
        return Place("q", number, start + register.index * type_.bytes, type_.bytes, type_)
    return Place("q", number, start, nbytes, type_)


class Lane32(Pattern):
    """<m:x[index]>: d0-d7 for 16-bit lanes, d0-d15 for 32-bit ones; <n:D[index]>: any"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, at, VectorRegister, "a lane such as d0[1]")
        if register.kind != "d" or register.index is None or register.index == ALL_LANES:
            raise Refusal(f"a lane such as d0[1] is expected here, not {register_text(register)}", register.span)
        bits = m.bits or 32
        if not 0 <= register.index < 64 // bits:
            raise Refusal(f"lane {register.index} is out of range: d{register.number} has {64 // bits} lanes of {bits} "
                          f"bits, 0 to {64 // bits - 1}", register.span)
        top = {16: 7, 32: 15}.get(bits, 31)
        if self.spec == "x" and register.number > top:
            raise Refusal(f"a {bits}-bit lane here can only be of d0 to d{top}, not d{register.number}", register.span)
        m.by_element = m.by_element or self.role != "d"
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: place32(register, m.element())))
        return 1


# ---- register lists -------------------------------------------------------------------------------------------------

class RegList(Pattern):
    """{<t>.<T>}*1-4, {<t>.<Ts>}[<index>]*1, {<t:D>}*1-4, {<t:D[index]>}*1, {<t:D[]>}*1-2, {<t:D>}*1-16, {<t:R>}*1-16"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        spec, _, counts = self.spec.partition("*")
        low, _, high = counts.partition("-")
        lo, hi = int(low), int(high or low)
        operand: RegisterList = self.take(operands, at, RegisterList, "a register list in braces")
        registers = operand.registers
        if not lo <= len(registers) <= hi:
            raise Refusal(f"this list takes {lo if lo == hi else f'{lo} to {hi}'} registers, not {len(registers)}",
                          operand.span)
        getattr(self, {"T": "_vectors", "T1": "_vectors", "Ts": "_lane", "D": "_d", "D[index]": "_d_lane",
                       "D[]": "_d_all", "R": "_core"}[spec])(registers, operand, m, spec)
        m.roles[self.role] = operand
        m.list_count = len(registers)
        return 1

    def _consecutive(self, registers: tuple[Any, ...], span: Span, modulo: int) -> None:
        for before, after in zip(registers, registers[1:], strict=False):
            if after.number != (before.number + 1) % modulo:
                raise Refusal(f"the registers of a list follow each other: {register_text(after)} cannot come after "
                              f"{register_text(before)}", after.span if after.span[0] else span)

    def _vectors(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        places = []
        for register in registers:
            if not isinstance(register, VectorRegister):
                raise Refusal(f"vector registers are expected in this list, not {describe(register)}", operand.span)
            bits, total = _arrangement_of(register, "a vector with an arrangement, such as v0.8b,")
            m.set_bits(bits, operand.span, register_text(register))
            Vector._same_total(m, total, bits, register)
            places.append((register.number, total))
        if operand.index is not None:
            raise Refusal("a lane number behind a list goes with an element letter: {v0.b}[1]", operand.span)
        if spec == "T" and m.bits == 64 and m.total == 8:
            raise Refusal("1d is not an arrangement of this instruction: write 2d", operand.span)
        self._consecutive(registers, operand.span, 32)
        m.transfer = sum(total for _, total in places)
        m.deferred.append((self.role, lambda: tuple(Place("v", n, 0, total, m.element(), clears=True)
                                                    for n, total in places)))

    def _lane(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        index = operand.index
        if index is None or any(not isinstance(r, VectorRegister) or r.arrangement not in LETTER_BITS
                                for r in registers):
            raise Refusal("a list with a lane is expected here, such as {v0.b}[1]", operand.span)
        bits = LETTER_BITS[registers[0].arrangement]
        m.set_bits(bits, operand.span, register_text(registers[0]))
        if not 0 <= index < 128 // bits:
            raise Refusal(f"lane {index} is out of range: {128 // bits} lanes of {bits} bits, 0 to {128 // bits - 1}",
                          operand.span)
        self._consecutive(registers, operand.span, 32)
        m.transfer = bits // 8 * len(registers)
        m.deferred.append((self.role, lambda: tuple(Place("v", r.number, index * bits // 8, bits // 8, m.element())
                                                    for r in registers)))

    def _all_d(self, registers: tuple[Any, ...], operand: RegisterList, index: int | None) -> None:
        for register in registers:
            if not isinstance(register, VectorRegister) or register.kind != "d" or (
                    (register.index is None) != (index is None)
                    or (register.index == ALL_LANES) != (index == ALL_LANES)):
                want = "d registers" if index is None else "{d0[]}" if index == ALL_LANES else "a lane such as {d0[1]}"
                raise Refusal(f"{want} expected in this list, not {register_text(register)}", operand.span)
        self._consecutive(registers, operand.span, 33)

    def _d(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        if registers and isinstance(registers[0], VectorRegister) and registers[0].kind == "q":
            registers = tuple(VectorRegister("d", 2 * r.number + half, span=r.span) for r in registers
                              for half in (0, 1))
        self._all_d(registers, operand, None)
        m.transfer = 8 * len(registers)
        m.list_count = len(registers)
        m.deferred.append((self.role, lambda: tuple(place32(r, m.element()) for r in registers)))

    def _d_lane(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        self._all_d(registers, operand, 0)
        bits = m.bits or 8
        for register in registers:
            if not 0 <= register.index < 64 // bits:
                raise Refusal(f"lane {register.index} is out of range: d{register.number} has {64 // bits} lanes of "
                              f"{bits} bits, 0 to {64 // bits - 1}", operand.span)
        m.transfer = bits // 8 * len(registers)
        m.deferred.append((self.role, lambda: tuple(place32(r, m.element()) for r in registers)))

    def _d_all(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        self._all_d(registers, operand, ALL_LANES)
        m.transfer = (m.bits or 8) // 8
        m.deferred.append((self.role, lambda: tuple(place32(r, m.element()) for r in registers)))

    def _core(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        numbers = [r.number for r in registers if isinstance(r, CoreRegister) and r.kind == "r"]
        if len(numbers) != len(registers):
            raise Refusal("general registers are expected in this list", operand.span)
        if numbers != sorted(set(numbers)):
            raise Refusal("the registers of this list go upwards, each once: memory order is register order",
                          operand.span)
        m.transfer = 4 * len(numbers)
        m.deferred.append((self.role, lambda: tuple(Place("r", n, 0, 4, element("x", 32)) for n in numbers)))


# ---- general registers, numbers, labels -----------------------------------------------------------------------------

class Core(Pattern):
    """<d:R>, <n:W>, <n:X>, <d:RSP>, <n:Re>, <n:X+shift>, <n:R+extend>"""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        spec, _, extra = self.spec.partition("+")
        register: CoreRegister = self.take(operands, at, CoreRegister, "a general register")
        if register.writeback:
            raise Refusal("! does not belong here", register.span)
        if register.kind == "r":
            m.roles[self.role] = register
            m.deferred.append((self.role, lambda: Place("r", register.number, 0, 4, element("x", 32))))
            m.transfer += 4 if self.role.startswith("t") else 0
            return 1
        kind = spec[0].lower() if spec in ("W", "X", "WSP", "XSP") else None
        if spec == "Re":
            if m.bits is None:  # the lane that decides comes later
                m.deferred.append((self.role, lambda: self._wide_enough(register, m)))
            else:
                kind = "x" if m.bits == 64 else "w"
        elif spec in ("R", "RSP") and extra != "extend":
            kind = m.register_kind = m.register_kind or register.kind
        if kind is not None and register.kind != kind:
            raise Refusal(f"{kind}{register.number if register.number < 31 else 'zr'} is needed here, not "
                          f"{register_text(register)}: the registers of this instruction have one width", register.span)
        if register.is_sp and not spec.endswith("SP"):
            raise Refusal(f"{register_text(register)} cannot stand here", register.span)
        if register.number == 31 and not register.is_sp and spec.endswith("SP"):
            raise Refusal(f"{register_text(register)} cannot stand here: this place would mean sp", register.span)
        m.roles[self.role] = register
        m.transfer += (8 if register.kind == "x" else 4) if self.role.startswith("t") else 0
        place = core_place(register)
        m.places[self.role] = (place,)
        if extra and at + 1 < len(operands) and isinstance(operands[at + 1], Shift):
            return 1 + self._shift(operands[at + 1], extra, register, m)  # type: ignore[arg-type]
        if extra == "extend" and register.kind != (m.register_kind or register.kind):
            raise Refusal(f"{register_text(register)} needs an extension here, such as uxtw", register.span)
        return 1

    @staticmethod
    def _wide_enough(register: CoreRegister, m: Match) -> None:
        if (register.kind == "x") != (m.bits == 64):
            raise Refusal(f"{'x' if m.bits == 64 else 'w'}{register.number} is needed here for a lane of {m.bits} "
                          "bits", register.span)

    def _shift(self, shift: Shift, extra: str, register: CoreRegister, m: Match) -> int:
        kinds = {"shift": ("lsl", "lsr", "asr"), "rotate": ("lsl", "lsr", "asr", "ror")}.get(extra, (
            "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "lsl"))
        if shift.kind not in kinds:
            raise Refusal(f"{shift.kind} cannot stand here: one of {', '.join(kinds)}", shift.span)
        amount = shift.amount.value if isinstance(shift.amount, Immediate) else None
        if amount is None and (extra != "extend" or shift.amount is not None):
            raise Refusal(f"{shift.kind} needs a number here", shift.span)
        if extra == "extend" and m.register_kind == "x" and (register.kind == "w") != (
                shift.kind in ("uxtb", "uxth", "uxtw", "sxtb", "sxth", "sxtw")):
            raise Refusal(f"{shift.kind} goes with {'an x' if register.kind == 'w' else 'a w'} register here",
                          shift.span)
        if extra == "extend" and m.register_kind == "w" and register.kind == "x":
            raise Refusal(f"w{register.number} is needed here, not {register_text(register)}", register.span)
        top = 4 if extra == "extend" else (64 if register.kind == "x" else 32) - 1
        if amount is not None and not 0 <= amount <= top:
            raise Refusal(f"a shift of {amount} is out of range: 0 to {top}", shift.span)
        m.shift = shift
        return 1


def core_place(register: CoreRegister) -> Place:
    if register.kind == "r":
        return Place("r", register.number, 0, 4, element("x", 32))
    wide = register.kind == "x"
    number = register.number if register.number < 31 else 31 if register.is_sp else -1
    return Place("x", number, 0, 8 if wide else 4, element("x", 64 if wide else 32), clears=True,
                 is_sp=register.is_sp)


class Number(Pattern):
    """#<imm:0-4095>, #<shift:1-w>, #<imm:bitmask>, #<imm:0> ..."""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        operand: Immediate = self.take(operands, at, Immediate, "a number")
        value = operand.value
        if not isinstance(value, int):
            raise Refusal("a whole number is expected here", operand.span)
        used = 1
        bits = m.bits or {"x": 64, "w": 32}.get(m.register_kind or "", 32)
        if self.spec in immediates.ENCODINGS:
            shift = operands[at + 1] if at + 1 < len(operands) else None
            if isinstance(shift, Shift) and m.isa == "a64":
                m.numbers["shift"] = immediates.shift_amount(self.spec, shift, bits)
                value, used = immediates.shifted(self.spec, value, shift, bits), 2
                problem = None
            else:
                m.numbers["shift"] = 0
                problem = immediates.ENCODINGS[self.spec](value, bits)
            if problem:
                raise Refusal(problem, operand.span)
        else:
            low, high = self._range(m, bits)
            if not low <= value <= high:
                raise Refusal(f"{value} is out of range: {low} to {high}" if low != high else
                              f"only #{low} can stand here", operand.span)
        m.roles[self.role] = operand
        m.numbers[self.role] = value
        if self.role in ("imm", "m"):
            core = 64 if m.register_kind == "x" else 32
            m.deferred.append((self.role, lambda: Constant(value, m.element() if m.bits else element("x", core))))
        return used

    def _range(self, m: Match, bits: int) -> tuple[int, int]:
        low, dash, high = self.spec.partition("-")
        names = {"w": bits, "w1": bits - 1, "n1": (m.total or 16) * 8 // bits - 1}
        first = names.get(low) if low in names else int(low)
        last = first if not dash else names.get(high) if high in names else int(high)
        return int(first or 0), int(last or 0)


class Label(Pattern):
    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        operand: Symbol = self.take(operands, at, Symbol, "a label")
        m.roles["label"] = operand
        m.label = operand.name
        return 1


class Cond(Pattern):
    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        operand: Symbol = self.take(operands, at, Symbol, "a condition such as ne")
        name = CONDITION_ALIASES.get(operand.name.lower(), operand.name.lower())
        if name not in CONDITIONS or (self.spec == "inverted" and name == "al"):
            raise Refusal(f'"{operand.name}" is no condition: {" ".join(CONDITIONS)}', operand.span)
        m.roles["cond"] = operand
        m.condition = name
        return 1


class Op2(Pattern):
    """A32 flexible second operand: #imm, Rm, Rm with a shift by a number or a register.

    ``op2`` takes constants as they are; with ``op2-`` and ``op2~`` the assembler may swap the instruction for its
    opposite and negate or invert them; ``op2=`` is MOV, which also has a 16-bit form.
    """

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        if at >= len(operands):
            raise Refusal("an operand is missing: a number or a register")
        operand = operands[at]
        if isinstance(operand, Immediate):
            if not isinstance(operand.value, int):
                raise Refusal("a whole number is expected here", operand.span)
            problem = immediates.a32_modified(operand.value, 32, self.spec, m.sets_flags)
            if problem:
                raise Refusal(problem, operand.span)
            m.roles[self.role] = operand
            m.places[self.role] = (Constant(operand.value & 0xFFFFFFFF, element("x", 32)),)
            return 1
        if not isinstance(operand, CoreRegister) or operand.writeback:
            raise Refusal(f"a number or a register is expected here, not {describe(operand)}", operand.span)
        m.roles[self.role] = operand
        m.places[self.role] = (core_place(operand),)
        if at + 1 < len(operands) and isinstance(operands[at + 1], Shift):
            shift: Shift = operands[at + 1]  # type: ignore[assignment]
            if shift.kind not in ("lsl", "lsr", "asr", "ror", "rrx"):
                raise Refusal(f"{shift.kind} is no A32 shift: lsl lsr asr ror rrx", shift.span)
            if isinstance(shift.amount, Immediate):
                low, high = {"lsl": (0, 31), "ror": (1, 31)}.get(shift.kind, (1, 32))
                if not low <= shift.amount.value <= high:
                    raise Refusal(f"a shift of {shift.amount.value} is out of range: {low} to {high}", shift.span)
            m.shift = shift
            return 2
        return 1


class Memory(Pattern):
    """<mem:kind>: an address; `address.check` knows what each kind allows."""

    def match(self, operands: list[Operand], at: int, m: Match) -> int:
        from .address import check

        if self.spec.startswith("ldm"):
            base: CoreRegister = self.take(operands, at, CoreRegister, "a base register such as r0 or r0!")
            operand = Address(CoreRegister(base.kind, base.number, base.is_sp, span=base.span),
                              writeback="pre" if base.writeback else "", span=base.span)
        else:
            operand = self.take(operands, at, Address, "an address in square brackets")
        m.roles["mem"] = operand
        m.address = operand
        # The kinds of offset a form allows depend on the bytes it moves, which a later operand may still decide.
        m.deferred.append(("mem", lambda: check(operand, self.spec, m)))
        return 1


_PLACEHOLDER = re.compile(r"<(?P<role>\w+)(?::(?P<spec>[^>]+))?>(?:\.(?P<arr><\w+>|\w+))?(?P<lane>\[<index>\])?")


def compile_operands(text: str, isa: str) -> tuple[Pattern, ...]:
    """The operand patterns of a template's right-hand side."""
    parts = [p.strip() for p in re.findall(r"(?:\{[^}]*\}[^,]*|[^,{])+", text)] if text.strip() else []
    return tuple(_compile(part, isa) for part in parts)


def _compile(part: str, isa: str) -> Pattern:
    if part.startswith("{"):
        inner, _, counts = part.rpartition("*")
        body = inner.strip("{}")
        found = _PLACEHOLDER.search(body)
        assert found, part
        arr = (found["arr"] or "").strip("<>")
        spec = arr or found["spec"]
        return RegList(found["role"], f"{spec}*{counts}", part)
    found = _PLACEHOLDER.search(part)
    assert found, f"template operand {part!r} not understood"
    role, spec, arr = found["role"], found["spec"] or "", (found["arr"] or "").strip("<>")
    if role == "label":
        return Label(role, spec, part)
    if role == "cond":
        return Cond(role, spec, part)
    if role == "mem":
        return Memory(role, spec, part)
    if part.startswith("#"):
        return Number(role, spec, part)
    if spec.startswith("op2"):
        return Op2(role, spec, part)
    if spec.startswith(("R", "W", "X")):
        return Core(role, spec, part)
    if isa == "a64":
        if found["lane"]:
            return Lane(role, spec, part)
        return Vector(role, arr, part) if arr else Scalar(role, spec, part)
    if "[" in spec:
        return Lane32(role, spec.partition("[")[0], part)
    return Vector32(role, spec, part)
