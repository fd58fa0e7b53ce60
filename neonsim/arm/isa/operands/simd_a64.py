"""A64 SIMD operands: vectors with an arrangement, lanes, scalars."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from neonsim.arm.semantics import element

from .ast import Operand, VectorRegister
from .locations import Location
from .pattern import BITS_LETTER, LETTER_BITS, Match, OperandMismatch, Pattern, arrangement, register_text

__all__ = ["Lane", "LaneGroup", "Scalar", "UpperHalf", "Vector", "arrangement_of", "check_total_bits"]

_WHOLE: Final = frozenset(("8b", "16b", "4h", "8h", "2s", "4s", "1d", "2d"))


def arrangement_of(register: VectorRegister, arrangement: str) -> tuple[int, int]:
    """(bits, total bytes) of v0.4s."""
    found = re.fullmatch(r"(\d+)([bhsdq])", register.arrangement or "")
    if register.kind != "v" or register.index is not None or not found:
        raise OperandMismatch(f"{arrangement} is expected here, not {register_text(register)}", register.span)
    bits = LETTER_BITS[found[2]]
    return bits, int(found[1]) * bits // 8


def check_total_bits(m: Match, total: int, bits: int, register: VectorRegister) -> None:
    """All <T> operands of an instruction have one size."""
    if m.total is None:
        if total not in (8, 16):
            raise OperandMismatch(f"{register.arrangement} is not an arrangement: a vector has 64 or 128 bits",
                                  register.span)
        m.total = total
    elif m.total != total:
        raise OperandMismatch(f"v{register.number}.{arrangement(bits, m.total)} is needed here: all vectors of this "
                              "instruction have the same arrangement", register.span)


def one_lane(register: VectorRegister) -> VectorRegister:
    """v0.s[1] for v0.4s[1]: GNU as takes the whole register's arrangement before an index, and so does Arm's table of
    intrinsics spell SM3TT1A."""
    if register.index is None or register.arrangement not in _WHOLE:
        return register
    return replace(register, arrangement=register.arrangement[-1])


class Vector(Pattern):
    """<n>.<T>, <d>.<Ta>, <m>.<Tb>, <n>.<Tp>, <d>.<Tq>, <n>.16b"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.kind == "v" and operand.index is None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, position, VectorRegister, "a vector register such as v0.4s")
        bits, total = arrangement_of(register, "a vector with an arrangement, such as v0.4s,")
        written = register_text(register)
        start, nbytes, times = 0, total, 1
        if self.spec in ("T", "T1"):
            m.set_bits(bits, register.span, written)
            check_total_bits(m, total, bits, register)
            if bits == 64 and total == 8 and self.spec == "T":
                raise OperandMismatch("this instruction does not take 1d: use 2d",
                                      register.span)
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
        elif self.spec in ("Tp", "Tq"):
            times, word = (2, "twice") if self.spec == "Tp" else (4, "four times")
            if m.bits is None:
                m.set_bits(bits // times, register.span, f"{written} (elements {word} as wide as the sources')")
                m.total = total
            self._expect(bits, total, times * (m.bits or 0), m.total or total, m, register)
        elif self.spec == "Th":  # half as much as the destination, whose elements are twice as wide
            self._expect(bits, total, m.bits or bits, (m.total or 16) // 2, m, register)
            start, nbytes = (total if m.upper else 0), total
        else:
            if register.arrangement != self.spec:
                raise self._other_arrangement(total, m, register)
            if bits == 128:  # a product of polynomials: wider than any element
                m.roles[self.role] = register
                m.deferred.append((self.role, lambda: Location("v", register.number, 0, 16, m.element().with_(bits=128),
                                                               clears=True)))
                return 1
            m.bits = m.bits or bits
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Location("v", register.number, start, nbytes, m.element(times),
                                                       clears=not (self.spec == "Tb" and m.upper))))
        return 1

    def _other_arrangement(self, total: int, m: Match, register: VectorRegister) -> OperandMismatch:
        """The one arrangement that stands here; what holds less than was written is not said to be meant."""
        only, written = f"v{register.number}.{self.spec}", register_text(register)
        own = int(self.spec[:-1]) * LETTER_BITS[self.spec[-1]] // 8
        return OperandMismatch(f"{m.mnemonic} takes {only} here, which holds less than {written}" if own < total else
                               f"{only} is needed here, not {written}", register.span)

    def _expect(self, bits: int, total: int, want_bits: int, want_total: int, m: Match,
                register: VectorRegister) -> None:
        if (bits, total) == (want_bits, want_total):
            return
        need = f"v{register.number}.{arrangement(want_bits, want_total)}"
        if bits == want_bits and total == 16 and want_total == 8:
            does = "writes" if self.role == "d" else "reads"
            raise OperandMismatch(
                f"{m.mnemonic} {does} half a register of {bits}-bit lanes here: {need}.\nFor the upper half "
                          f"write {m.mnemonic}2 with {register_text(register)}", register.span)
        if bits == want_bits and total == 8 and m.upper:
            raise OperandMismatch(
                f"{m.mnemonic} works on the upper half of a register: write {need}.\nFor a half register "
                          f"write {m.mnemonic[:-1]} with {register_text(register)}", register.span)
        raise OperandMismatch(f"{need} is needed here, not {register_text(register)}", register.span)


class Lane(Pattern):
    """<m:x>.<Ts>[<index>], <d>.<Ts>[<index>]; <m:pair>.<Ts>[<index>]: two lanes, a complex number"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.kind == "v" and operand.index is not None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        register = one_lane(self.take(operands, position, VectorRegister, "one lane such as v0.h[3]"))
        if register.kind != "v" or register.index is None or register.arrangement not in LETTER_BITS:
            raise OperandMismatch(f"one lane such as v0.h[3] is expected here, not {register_text(register)}",
                                  register.span)
        bits = LETTER_BITS[register.arrangement]
        m.set_bits(bits, register.span, register_text(register))
        pair = self.spec == "pair"
        lanes = (m.total or 16) * 4 // bits if pair else 128 // bits
        if not 0 <= register.index < lanes:
            raise OperandMismatch(f"lane {register.index} is out of range: v{register.number} has {lanes} "
                                  f"{'pairs' if pair else 'lanes'} of {bits} bits, 0 to {lanes - 1}", register.span)
        if self.spec == "x" and bits == 16 and register.number > 15:
            raise OperandMismatch(f"a 16-bit lane must be in v0 to v15, not v{register.number}", register.span)
        m.by_element = m.by_element or self.role != "d"
        m.roles[self.role] = register
        nbytes = bits // 8 * (2 if pair else 1)
        start = register.index * nbytes
        m.deferred.append((self.role, lambda: Location("v", register.number, start, nbytes, m.element())))
        return 1


class LaneGroup(Pattern):
    """<m>.4b[<index>]: four neighbouring bytes; <m>.2h[<index>]: two halfwords"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.index is not None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        what = f"{'four bytes' if self.spec == '4b' else 'two halfwords'} such as v0.{self.spec}[1]"
        register: VectorRegister = self.take(operands, position, VectorRegister, what)
        if register.arrangement != self.spec or register.index is None or not 0 <= register.index < 4:
            raise OperandMismatch(f"{what} are expected here, not {register_text(register)}", register.span)
        start = 4 * register.index
        m.by_element = True
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Location("v", register.number, start, 4, m.element())))
        return 1


class UpperHalf(Pattern):
    """<n>.d[1]: the only lane that FMOV names"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.index is not None

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        register = one_lane(self.take(operands, position, VectorRegister, "the upper half of a vector, v0.d[1],"))
        if register.kind != "v" or register.arrangement != "d" or register.index != 1:
            raise OperandMismatch(
                f"the upper half of a vector, v0.d[1], is expected here, not {register_text(register)}",
                          register.span)
        m.roles[self.role] = register
        m.deferred.append((self.role, lambda: Location("v", register.number, 8, 8, element("x", 64))))
        return 1


class Scalar(Pattern):
    """<d:V> one element of the instruction's type, <d:V2> twice as wide, <d:D> a fixed width"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, VectorRegister) and operand.kind != "v"

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        register: VectorRegister = self.take(operands, position, VectorRegister, "a scalar SIMD register such as s0")
        if register.kind not in LETTER_BITS or register.index is not None:
            raise OperandMismatch(f"a scalar SIMD register such as s0 is expected here, not {register_text(register)}",
                                  register.span)
        bits = LETTER_BITS[register.kind]
        times = 2 if self.spec == "V2" else 1
        if self.spec in ("V", "V2"):
            if m.bits is None:
                m.set_bits(bits // times, register.span, register_text(register))
            elif bits != times * m.bits:
                raise OperandMismatch(f"{BITS_LETTER[times * m.bits]}{register.number} is needed here, not "
                                      f"{register_text(register)}", register.span)
        elif self.spec == "F":
            m.set_bits(bits, register.span, register_text(register))
        elif bits != LETTER_BITS[self.spec.lower()]:
            raise OperandMismatch(f"{self.spec.lower()}{register.number} is needed here, not {register_text(register)}",
                                  register.span)
        m.roles[self.role] = register
        # A q register is two lanes of 64 bits: no register operation has wider ones.
        m.deferred.append((self.role, lambda: Location("v", register.number, 0, bits // 8,
                                                       m.element().with_(bits=min(bits, 64)), clears=True)))
        m.transfer += bits // 8 if self.role.startswith("t") else 0
        return 1
