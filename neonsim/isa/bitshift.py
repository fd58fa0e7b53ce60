"""Shifts of general registers.

| instruction   | result                                              |
|---------------|-----------------------------------------------------|
| LSL, LSR, ASR | shifted left, right with zeros, right with the sign |
| ROR           | rotated right                                       |

Traps: by a register, A64 takes the amount modulo the width; AArch32 takes the low byte, so that 32 and more shift
everything out.
"""

from __future__ import annotations

from neonsim.lanes import Lanes, Result, logic_flags, signed

from .syntax.address import shifted_operand
from .syntax.spec import insn


@insn(a64="LSL <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="alu_shift")
def lsl(n: Lanes, shift: int) -> Result:
    """Shift left.

    d <- n << shift
    Source: DDI 0487 C6.2 LSL (immediate).
    """
    return n << shift


@insn(a64="LSR <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="alu_shift")
def lsr(n: Lanes, shift: int) -> Result:
    """Shift right, zeros come in.

    d <- n >> shift
    Source: DDI 0487 C6.2 LSR (immediate).
    """
    return n >> shift


@insn(a64="ASR <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="alu_shift")
def asr(n: Lanes, shift: int) -> Result:
    """Shift right, the sign comes in.

    d <- n >> shift
    Source: DDI 0487 C6.2 ASR (immediate).
    """
    return signed(n) >> shift


def _a32_shift(kind: str, text: str, lowest: int, highest: int) -> None:
    """LSL, LSR, ASR, ROR differ in the name of the shift only."""

    def by_constant(n: Lanes, shift: int, nzcv: Lanes) -> Result:
        value, carry = shifted_operand(n, kind, shift, nzcv >> 1 & 1)
        return value, logic_flags(value, carry, nzcv)

    def by_register(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
        value, carry = shifted_operand(n, kind, m, nzcv >> 1 & 1)
        return value, logic_flags(value, carry, nzcv)

    mnemonic = kind.upper()
    by_constant.__name__, by_register.__name__ = f"{kind}_a32", f"{kind}_a32_register"
    for function, by, form in ((by_constant, "the constant", "immediate"),
                               (by_register, "the low byte of m", "register")):
        function.__doc__ = (f"{text}.\n\nd <- n shifted by {by}; with S: N, Z and C, the last bit shifted out\n"
                            f"Source: DDI 0406 A8.8 {mnemonic} ({form}).")
    insn(a32=f"{mnemonic}{{S}}{{c}} <d:R>, <n:R>, #<shift:{lowest}-{highest}>", writes="d nzcv?",
         timing="alu_shift")(by_constant)
    insn(a32=f"{mnemonic}{{S}}{{c}} <d:R>, <n:R>, <m:R>", writes="d nzcv?", timing="alu_shift")(by_register)


_a32_shift("lsl", "Shift left", 0, 31)
_a32_shift("lsr", "Shift right, zeros come in", 1, 32)
_a32_shift("asr", "Shift right, the sign comes in", 1, 32)
_a32_shift("ror", "Rotate right", 1, 31)
