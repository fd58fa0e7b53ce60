"""Floating-point constants, and registers that only have a name (FPSCR, FPSR)."""

from __future__ import annotations

import struct
from dataclasses import replace

from neonsim.arm.semantics import element

from .ast import Immediate, Operand, Symbol
from .locations import ImmediateLane
from .pattern import Match, OperandMismatch, Pattern

__all__ = ["FpImmediate", "NamedRegister", "Zero"]


# Integers and floats of a width, as `struct` calls them.
_CODES = {16: ("H", "e"), 32: ("I", "f"), 64: ("Q", "d")}


def encodes(value: float) -> bool:
    """Return whether eight bits can say it: +-n/16 * 2**r, 16 <= n <= 31, -3 <= r <= 4."""
    for power in range(-3, 5):
        sixteenths = abs(value) / 2.0 ** power * 16
        if 16 <= sixteenths <= 31 and sixteenths == int(sixteenths):
            return True
    return False


class FpImmediate(Pattern):
    """#<imm:real>: a number of eight bits; #<imm:real0>: with a point (an integer would be the bits), also 0.0"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Immediate)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Immediate = self.take(operands, position, Immediate, "a floating-point number such as #1.5")
        value = operand.value
        if self.spec == "real0" and isinstance(value, int):
            raise OperandMismatch(f"a floating-point number is expected here: {value}.0", operand.span)
        if isinstance(value, int) and value > 255 and m.bits in (None, 32):  # its bits, as GNU as takes them
            pattern = value
            if known := value < 1 << 32:
                operand = replace(operand, value=struct.unpack("<f", struct.pack("<I", value))[0])
                known = encodes(operand.value)
                if known:
                    # GNU as takes the bits in hexadecimal only: it prints as the number it is
                    operands[position] = operand
        else:
            known = encodes(value) or (self.spec == "real0" and value == 0)
            pattern = 0
        if not known or operand.symbol:
            raise OperandMismatch(
                f"{value} cannot be encoded: n/16 * 2**r with n from 16 to 31 and r from -3 to 4, such as "
                          "0.125, 1.5 or 31. Load it, or move its bits from a general register", operand.span)
        m.bits = m.bits or 32
        if not pattern:
            letter, code = _CODES[m.bits]
            pattern = struct.unpack(f"<{letter}", struct.pack(f"<{code}", operand.value))[0]
        m.roles[self.role] = operand
        m.numbers[self.role] = pattern
        m.places[self.role] = (ImmediateLane(pattern, element("f", m.bits)),)
        return 1


class Zero(Pattern):
    """#<imm:0.0>: zero, with or without a point"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Immediate)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Immediate = self.take(operands, position, Immediate, "the number 0.0")
        if operand.value != 0 or str(operand.value).startswith("-"):
            raise OperandMismatch("only #0.0 is allowed here", operand.span)
        m.roles[self.role] = operand
        return 1


class NamedRegister(Pattern):
    """<n:=fpscr>: this word"""

    def resembles(self, operand: Operand) -> bool:
        return isinstance(operand, Symbol)

    def match(self, operands: list[Operand], position: int, m: Match) -> int:
        operand: Symbol = self.take(operands, position, Symbol, self.spec[1:])
        if operand.name.lower() != self.spec[1:]:
            raise OperandMismatch(f"the word {self.spec[1:]} is expected here, not {operand.name}", operand.span)
        m.roles[self.role] = operand
        return 1
