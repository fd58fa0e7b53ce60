"""Register lists of loads and stores, of both instruction sets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from neonsim.arm.semantics import element

from .ast import ALL_LANES, CoreRegister, Operand, RegisterList, Span, VectorRegister
from .locations import Location
from .pattern import LETTER_BITS, Match, OperandMismatch, Pattern, describe, register_text
from .simd_a32 import place32
from .simd_a64 import arrangement_of, check_total_bits

__all__ = ["RegList"]


class RegList(Pattern):
    """{<t>.<T>}*1-4, {<t>.<Ts>}[<index>]*1, {<t:D>}*1-4, {<t:D[index]>}*1, {<t:D[]>}*1-2, {<t:D>}*1-16, {<t:R>}*1-16

    Ds instead of D: every register or every second one. {<t:S>}*1-32 likewise.
    """

    def resembles(self, operand: Operand) -> bool:
        if not isinstance(operand, RegisterList):
            return False
        lane = ALL_LANES if "[]" in self.spec else 0 if "[index]" in self.spec or self.spec.startswith("Ts") else None
        return lane == (None if operand.index is None else ALL_LANES if operand.index == ALL_LANES else 0)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        spec, _, counts = self.spec.partition("*")
        low, _, high = counts.partition("-")
        lo, hi = int(low), int(high or low)
        operand: RegisterList = self.take(operands, position, RegisterList, "a register list in braces")
        registers = operand.registers
        count = sum(2 if r.kind == "q" else 1 for r in registers)  # a q register is two d registers
        if not lo <= count <= hi:
            raise OperandMismatch(f"this list takes {lo if lo == hi else f'{lo} to {hi}'} registers, not {count}",
                                  operand.span)
        m.list_count = count
        getattr(self, {"T": "_vectors", "T1": "_vectors", "16b": "_table", "Ts": "_lane", "D": "_d", "Ds": "_d",
                       "S": "_s", "D[index]": "_d_lane", "Ds[index]": "_d_lane", "D[]": "_d_all", "Ds[]": "_d_all",
                       "R": "_core"}[spec])(registers, operand, m, spec)
        m.roles[self.role] = operand
        return 1

    def _consecutive(self, registers: tuple[Any, ...], span: Span, modulo: int, step: int = 1) -> None:
        rule = "of a list follow each other" if step == 1 else "of this list are two apart"
        for before, after in pairwise(registers):
            if after.number != (before.number + step) % modulo:
                raise OperandMismatch(f"the registers {rule}: {register_text(after)} cannot come after "
                                      f"{register_text(before)}", after.span if after.span[0] else span)

    def _vectors(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        places = []
        for register in registers:
            if not isinstance(register, VectorRegister):
                raise OperandMismatch(f"vector registers are expected in this list, not {describe(register)}",
                                      operand.span)
            bits, total = arrangement_of(register, "a vector with an arrangement, such as v0.8b,")
            m.set_bits(bits, operand.span, register_text(register))
            check_total_bits(m, total, bits, register)
            places.append((register.number, total))
        if operand.index is not None:
            raise OperandMismatch("a lane number after a list needs an element letter: {v0.b}[1]", operand.span)
        if spec == "T" and m.bits == 64 and m.total == 8:
            raise OperandMismatch("this instruction does not take 1d: use 2d",
                                  operand.span)
        self._consecutive(registers, operand.span, 32)
        m.transfer = sum(total for _, total in places)
        m.deferred.append((self.role, lambda: tuple(Location("v", n, 0, total, m.element(), clears=True)
                                                    for n, total in places)))

    def _table(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        """The registers of a TBL: 16 bytes each, whatever the destination's size."""
        numbers = []
        for register in registers:
            if not isinstance(register, VectorRegister) or register.arrangement != spec or register.index is not None:
                raise OperandMismatch(f"the registers of a table must have the form v0.{spec}", operand.span)
            numbers.append(register.number)
        self._consecutive(registers, operand.span, 32)
        m.deferred.append((self.role, lambda: tuple(Location("v", n, 0, 16, element("x", 8)) for n in numbers)))

    def _lane(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        index = operand.index
        if index is None or any(not isinstance(r, VectorRegister) or r.arrangement not in LETTER_BITS
                                for r in registers):
            raise OperandMismatch("a list with a lane is expected here, such as {v0.b}[1]", operand.span)
        bits = LETTER_BITS[registers[0].arrangement]
        m.set_bits(bits, operand.span, register_text(registers[0]))
        if not 0 <= index < 128 // bits:
            raise OperandMismatch(
                f"lane {index} is out of range: {128 // bits} lanes of {bits} bits, 0 to {128 // bits - 1}",
                          operand.span)
        self._consecutive(registers, operand.span, 32)
        m.transfer = bits // 8 * len(registers)
        m.deferred.append((self.role, lambda: tuple(Location("v", r.number, index * bits // 8, bits // 8, m.element())
                                                    for r in registers)))

    def _all_d(self, registers: tuple[Any, ...], operand: RegisterList, index: int | None, bits: int = 64) -> None:
        for register in registers:
            if not isinstance(register, VectorRegister) or register.kind != "d" or (
                    (register.index is None) != (index is None)
                    or (register.index == ALL_LANES) != (index == ALL_LANES)):
                want = "d registers" if index is None else "{d0[]}" if index == ALL_LANES else "a lane such as {d0[1]}"
                raise OperandMismatch(f"{want} expected in this list, not {register_text(register)}", operand.span)
        # There is no room in the encoding to say which byte of every second register.
        spaced = (self.spec.startswith("Ds") and (index != 0 or bits > 8) and len(registers) > 1
                  and registers[1].number == registers[0].number + 2)
        self._consecutive(registers, operand.span, 33, 2 if spaced else 1)

    def _d(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        if registers and isinstance(registers[0], VectorRegister) and registers[0].kind == "q":
            registers = tuple(VectorRegister("d", 2 * r.number + half, span=r.span) for r in registers
                              for half in (0, 1))
        self._all_d(registers, operand, None)
        m.transfer = 8 * len(registers)
        m.deferred.append((self.role, lambda: tuple(place32(r, m.element()) for r in registers)))

    def _s(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        for register in registers:
            if not isinstance(register, VectorRegister) or register.kind != "s" or register.index is not None:
                raise OperandMismatch(f"s registers expected in this list, not {register_text(register)}", operand.span)
        self._consecutive(registers, operand.span, 33)
        m.transfer = 4 * len(registers)
        m.deferred.append((self.role, lambda: tuple(place32(r, element("x", 32)) for r in registers)))

    def _d_lane(self, registers: tuple[Any, ...], operand: RegisterList, m: Match, spec: str) -> None:
        bits = m.bits or 8
        self._all_d(registers, operand, 0, bits)
        for register in registers:
            if not 0 <= register.index < 64 // bits:
                raise OperandMismatch(
                    f"lane {register.index} is out of range: d{register.number} has {64 // bits} lanes of "
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
            raise OperandMismatch("general registers are expected in this list", operand.span)
        if numbers != sorted(set(numbers)):
            raise OperandMismatch("the registers of this list must be ascending and different, because memory order is "
                                  "register order",
                                  operand.span)
        m.transfer = 4 * len(numbers)
        m.deferred.append((self.role, lambda: tuple(Location("r", n, 0, 4, element("x", 32)) for n in numbers)))
