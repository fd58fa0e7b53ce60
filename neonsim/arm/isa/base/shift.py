"""Shifts of general registers.

| instruction   | result                                              |
|---------------|-----------------------------------------------------|
| LSL, LSR, ASR | shifted left, right with zeros, right with the sign |
| ROR           | rotated right; RRX by one bit through C             |
| EXTR          | bits from the middle of two registers               |

Traps: by a register, A64 takes the amount modulo the width; AArch32 takes the low byte, so that 32 and more shift
everything out.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.isa.operands.addressing import shifted_operand
from neonsim.arm.semantics import Lanes, Result, bits, logic_flags, shift_by, signed, unsigned


@insn(a64="LSL <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="shift_imm")
def lsl(n: Lanes, shift: int) -> Result:
    """Shift left.

    d <- n << shift
    Source: DDI 0487 C6.2 LSL (immediate).
    """
    return n << shift


@insn(a64="LSR <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="shift_imm")
def lsr(n: Lanes, shift: int) -> Result:
    """Shift right, zeros come in.

    d <- n >> shift
    Source: DDI 0487 C6.2 LSR (immediate).
    """
    return n >> shift


@insn(a64="ASR <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="shift_imm")
def asr(n: Lanes, shift: int) -> Result:
    """Shift right, the sign comes in.

    d <- n >> shift
    Source: DDI 0487 C6.2 ASR (immediate).
    """
    return signed(n) >> shift


@insn(a64="ROR <d:R>, <n:R>, #<shift:0-w1>", writes="d", timing="shift_imm")
def ror(n: Lanes, shift: int) -> Result:
    """Rotate right.

    d <- n >> shift | n << w - shift
    Source: DDI 0487 C6.2 ROR (immediate).
    """
    return n >> shift | n << bits(n) - shift


@insn(a64="EXTR <d:R>, <n:R>, <m:R>, #<shift:0-w1>", writes="d", timing="shift_imm")
def extr(n: Lanes, m: Lanes, shift: int) -> Result:
    """Extract a register from a pair of registers.

    d <- low half of ((n << w | m) >> shift)
    Source: DDI 0487 C6.2 EXTR.
    """
    return m >> shift | n << bits(n) - shift


@insn(a64="""LSL <d:R>, <n:R>, <m:R>
             LSLV <d:R>, <n:R>, <m:R>""", writes="d", timing="shift_reg")
def lslv(n: Lanes, m: Lanes) -> Result:
    """Shift left by a register.

    d <- n << m % w
    Source: DDI 0487 C6.2 LSL (register), LSLV.
    """
    return shift_by(unsigned(n), m & bits(n) - 1)


@insn(a64="""LSR <d:R>, <n:R>, <m:R>
             LSRV <d:R>, <n:R>, <m:R>""", writes="d", timing="shift_reg")
def lsrv(n: Lanes, m: Lanes) -> Result:
    """Shift right by a register, zeros come in.

    d <- n >> m % w
    Source: DDI 0487 C6.2 LSR (register), LSRV.
    """
    return shift_by(unsigned(n), -(m & bits(n) - 1))


@insn(a64="""ASR <d:R>, <n:R>, <m:R>
             ASRV <d:R>, <n:R>, <m:R>""", writes="d", timing="shift_reg")
def asrv(n: Lanes, m: Lanes) -> Result:
    """Shift right by a register, the sign comes in.

    d <- n >> m % w
    Source: DDI 0487 C6.2 ASR (register), ASRV.
    """
    return shift_by(signed(n), -(m & bits(n) - 1))


@insn(a64="""ROR <d:R>, <n:R>, <m:R>
             RORV <d:R>, <n:R>, <m:R>""", writes="d", timing="shift_reg")
def rorv(n: Lanes, m: Lanes) -> Result:
    """Rotate right by a register.

    d <- n >> m % w | n << -m % w
    Source: DDI 0487 C6.2 ROR (register), RORV.
    """
    return shift_by(unsigned(n), -(m & bits(n) - 1)) | shift_by(unsigned(n), -m & bits(n) - 1)


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
         timing="shift_imm")(by_constant)
    insn(a32=f"{mnemonic}{{S}}{{c}} <d:R>, <n:R>, <m:R>", writes="d nzcv?", timing="shift_reg")(by_register)


_a32_shift("lsl", "Shift left", 0, 31)
_a32_shift("lsr", "Shift right, zeros come in", 1, 32)
_a32_shift("asr", "Shift right, the sign comes in", 1, 32)
_a32_shift("ror", "Rotate right", 1, 31)


@insn(a32="RRX{S}{c} <d:R>, <n:R>", writes="d nzcv?", timing="shift_imm")
def rrx(n: Lanes, nzcv: Lanes) -> Result:
    """Rotate right by one bit through the carry.

    d <- C << 31 | n >> 1; with S: N, Z and C, bit 0 of n
    Source: DDI 0406 A8.8 RRX.
    """
    value, carry = shifted_operand(n, "rrx", 1, nzcv >> 1 & 1)
    return value, logic_flags(value, carry, nzcv)
