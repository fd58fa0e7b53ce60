"""Base instructions: the general registers that count, address and decide.

| instruction                    | result                                                   |
|--------------------------------|----------------------------------------------------------|
| ADD(S), SUB(S), RSB, ADC, CMP  | sums and differences, with S the flags                   |
| AND ORR EOR BIC TST TEQ MVN    | logic                                                    |
| MOV, MOVZ, MOVK, MOVW ...      | copies and constants                                     |
| LSL, LSR, ASR, ROR             | shifts                                                   |
| MUL, MLA, MADD                 | products                                                 |
| CSEL, CSINC, CSET              | choices without a branch                                 |
| B, B.cond, CBZ, TBZ, BL, RET, BX | branches                                               |

Flags: N negative, Z zero, C carry out (for a difference: no borrow), V signed overflow. `lo` after CMP is "C clear",
that is unsigned lower; `hs` unsigned higher or same.

Traps: A64 logic clears C and V; AArch32 logic keeps V and puts the shifter's last bit into C.
"""

from __future__ import annotations

from neonsim.lanes import Lanes, Result, add_flags, choose, compare, extend, holds, logic_flags, signed, x64

from .syntax.address import shifted_operand
from .syntax.spec import insn


@insn(a64="""ADD <d:RSP>, <n:RSP>, #<m:arithmetic>
             ADDS <d:R>, <n:RSP>, #<m:arithmetic> | flags=1
             ADD{S} <d:R>, <n:R>, <m:R+shift>
             ADD <d:RSP>, <n:RSP>, <m:R+extend>
             ADDS <d:R>, <n:RSP>, <m:R+extend> | flags=1""",
      a32="ADD{S}{c} <d:R>, <n:R>, <m:op2->", writes="d nzcv?", timing="alu")
def add(n: Lanes, m: Lanes) -> Result:
    """Add.

    d <- n + m; with S the flags
    Source: DDI 0487 C6.2 ADD, ADDS; DDI 0406 A8.8 ADD.
    """
    return add_flags(n, m, 0)


@insn(a64="""SUB <d:RSP>, <n:RSP>, #<m:arithmetic>
             SUBS <d:R>, <n:RSP>, #<m:arithmetic> | flags=1
             SUB{S} <d:R>, <n:R>, <m:R+shift>
             SUB <d:RSP>, <n:RSP>, <m:R+extend>
             SUBS <d:R>, <n:RSP>, <m:R+extend> | flags=1""",
      a32="SUB{S}{c} <d:R>, <n:R>, <m:op2->", writes="d nzcv?", timing="alu")
def sub(n: Lanes, m: Lanes) -> Result:
    """Subtract.

    d <- n - m; with S the flags (C set: no borrow)
    Source: DDI 0487 C6.2 SUB, SUBS; DDI 0406 A8.8 SUB.
    """
    return n - m, add_flags(n, ~m, 1)[1]


@insn(a32="RSB{S}{c} <d:R>, <n:R>, <m:op2>", writes="d nzcv?", timing="alu")
def rsb(n: Lanes, m: Lanes) -> Result:
    """Reverse subtract.

    d <- m - n; with S the flags
    Source: DDI 0406 A8.8 RSB.
    """
    return m - n, add_flags(m, ~n, 1)[1]


@insn(a64="ADC{S} <d:R>, <n:R>, <m:R>", a32="ADC{S}{c} <d:R>, <n:R>, <m:op2~>", writes="d nzcv?", timing="alu")
def adc(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Add with carry.

    d <- n + m + C; with S the flags
    Source: DDI 0487 C6.2 ADC; DDI 0406 A8.8 ADC.
    """
    return add_flags(n, m, nzcv >> 1 & 1)


@insn(a64="""CMP <n:RSP>, #<m:arithmetic>
             CMP <n:R>, <m:R+shift>
             CMP <n:RSP>, <m:R+extend>""",
      a32="CMP{c} <n:R>, <m:op2->", writes="nzcv", timing="alu")
def cmp(n: Lanes, m: Lanes) -> Result:
    """Compare: the flags of a difference.

    nzcv <- flags of n - m
    Source: DDI 0487 C6.2 CMP; DDI 0406 A8.8 CMP.
    """
    return add_flags(n, ~m, 1)[1]


@insn(a64="""CMN <n:RSP>, #<m:arithmetic>
             CMN <n:R>, <m:R+shift>
             CMN <n:RSP>, <m:R+extend>""",
      a32="CMN{c} <n:R>, <m:op2->", writes="nzcv", timing="alu")
def cmn(n: Lanes, m: Lanes) -> Result:
    """Compare negative: the flags of a sum.

    nzcv <- flags of n + m
    Source: DDI 0487 C6.2 CMN; DDI 0406 A8.8 CMN.
    """
    return add_flags(n, m, 0)[1]


@insn(a64="NEG{S} <d:R>, <m:R+shift>", writes="d nzcv?", timing="alu")
def neg(m: Lanes) -> Result:
    """Negate.

    d <- 0 - m; with S the flags
    Source: DDI 0487 C6.2 NEG, NEGS.
    """
    zero = m - m
    return zero - m, add_flags(zero, ~m, 1)[1]


@insn(a64="""AND <d:RSP>, <n:R>, #<m:bitmask>
             ANDS <d:R>, <n:R>, #<m:bitmask> | flags=1
             AND{S} <d:R>, <n:R>, <m:R+rotate>""", writes="d nzcv?", timing="alu")
def and_(n: Lanes, m: Lanes) -> Result:
    """And.

    d <- n & m; with S: N and Z, C and V cleared
    Source: DDI 0487 C6.2 AND, ANDS.
    """
    return n & m, logic_flags(n & m)


@insn(a64="BIC{S} <d:R>, <n:R>, <m:R+rotate>", writes="d nzcv?", timing="alu")
def bic(n: Lanes, m: Lanes) -> Result:
    """Bit clear.

    d <- n & ~m; with S: N and Z, C and V cleared
    Source: DDI 0487 C6.2 BIC, BICS.
    """
    return n & ~m, logic_flags(n & ~m)


@insn(a64="""ORR <d:RSP>, <n:R>, #<m:bitmask>
             ORR <d:R>, <n:R>, <m:R+rotate>""", writes="d", timing="alu")
def orr(n: Lanes, m: Lanes) -> Result:
    """Or.

    d <- n | m
    Source: DDI 0487 C6.2 ORR.
    """
    return n | m


@insn(a64="""EOR <d:RSP>, <n:R>, #<m:bitmask>
             EOR <d:R>, <n:R>, <m:R+rotate>""", writes="d", timing="alu")
def eor(n: Lanes, m: Lanes) -> Result:
    """Exclusive or.

    d <- n ^ m
    Source: DDI 0487 C6.2 EOR.
    """
    return n ^ m


@insn(a64="MVN <d:R>, <m:R+rotate>", writes="d", timing="alu")
def mvn(m: Lanes) -> Result:
    """Not.

    d <- ~m
    Source: DDI 0487 C6.2 MVN.
    """
    return ~m


@insn(a64="""TST <n:R>, #<m:bitmask>
             TST <n:R>, <m:R+rotate>""", writes="nzcv", timing="alu")
def tst(n: Lanes, m: Lanes) -> Result:
    """Test bits.

    nzcv <- N and Z of n & m, C and V cleared
    Source: DDI 0487 C6.2 TST.
    """
    return logic_flags(n & m)


@insn(a32="AND{S}{c} <d:R>, <n:R>, <m:op2~>", writes="d nzcv?", timing="alu")
def and_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """And.

    d <- n & m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 AND.
    """
    return n & m, logic_flags(n & m, carry, nzcv)


@insn(a32="BIC{S}{c} <d:R>, <n:R>, <m:op2~>", writes="d nzcv?", timing="alu")
def bic_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Bit clear.

    d <- n & ~m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 BIC.
    """
    return n & ~m, logic_flags(n & ~m, carry, nzcv)


@insn(a32="ORR{S}{c} <d:R>, <n:R>, <m:op2>", writes="d nzcv?", timing="alu")
def orr_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Or.

    d <- n | m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 ORR.
    """
    return n | m, logic_flags(n | m, carry, nzcv)


@insn(a32="EOR{S}{c} <d:R>, <n:R>, <m:op2>", writes="d nzcv?", timing="alu")
def eor_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Exclusive or.

    d <- n ^ m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 EOR.
    """
    return n ^ m, logic_flags(n ^ m, carry, nzcv)


@insn(a32="MVN{S}{c} <d:R>, <m:op2~>", writes="d nzcv?", timing="mov")
def mvn_a32(m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Not.

    d <- ~m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 MVN.
    """
    return ~m, logic_flags(~m, carry, nzcv)


@insn(a32="MOV{S}{c} <d:R>, <m:op2=>", writes="d nzcv?", timing="mov")
def mov_a32(m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Copy.

    d <- m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 MOV.
    """
    return m, logic_flags(m, carry, nzcv)


@insn(a32="TST{c} <n:R>, <m:op2>", writes="nzcv", timing="alu")
def tst_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Test bits.

    nzcv <- N and Z of n & m, C from the shifter
    Source: DDI 0406 A8.8 TST.
    """
    return logic_flags(n & m, carry, nzcv)


@insn(a32="TEQ{c} <n:R>, <m:op2>", writes="nzcv", timing="alu")
def teq_a32(n: Lanes, m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Test equivalence.

    nzcv <- N and Z of n ^ m, C from the shifter
    Source: DDI 0406 A8.8 TEQ.
    """
    return logic_flags(n ^ m, carry, nzcv)


@insn(a64="""MOV <d:R>, <n:R>
             MOV <d:RSP>, <n:RSP>""", writes="d", timing="mov")
def mov(n: Lanes) -> Result:
    """Copy.

    d <- n
    Source: DDI 0487 C6.2 MOV (register, to or from SP).
    """
    return n


@insn(a64="""MOV <d:R>, #<imm:move>
             MOVZ <d:R>, #<imm:sixteen>""", a32="MOVW{c} <d:R>, #<imm:0-65535>", writes="d", timing="mov")
def mov_constant(imm: Lanes) -> Result:
    """A constant.

    d <- imm
    Source: DDI 0487 C6.2 MOV (immediate), MOVZ; DDI 0406 A8.8 MOV (immediate, MOVW).
    """
    return imm


@insn(a64="MOVN <d:R>, #<imm:sixteen>", writes="d", timing="mov")
def movn(imm: Lanes) -> Result:
    """The complement of a constant.

    d <- ~imm
    Source: DDI 0487 C6.2 MOVN.
    """
    return ~imm


@insn(a64="MOVK <d:R>, #<imm:sixteen>", writes="d", timing="mov")
def movk(d: Lanes, imm: Lanes, shift: int) -> Result:
    """Replace 16 bits by a constant.

    d <- d with bits shift..shift+15 replaced by those of imm
    Source: DDI 0487 C6.2 MOVK.
    """
    return d & ~(0xFFFF << shift) | imm


@insn(a32="MOVT{c} <d:R>, #<imm:0-65535>", writes="d", timing="mov")
def movt(d: Lanes, imm: Lanes) -> Result:
    """Replace the upper 16 bits by a constant.

    d <- d with bits 16..31 replaced by imm
    Source: DDI 0406 A8.8 MOVT.
    """
    return d & 0xFFFF | imm << 16


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


@insn(a64="MUL <d:R>, <n:R>, <m:R>", a32="MUL{c} <d:R>, <n:R>, <m:R>", writes="d", timing="mul")
def mul(n: Lanes, m: Lanes) -> Result:
    """Multiply.

    d <- n * m, modulo 2**w
    Source: DDI 0487 C6.2 MUL; DDI 0406 A8.8 MUL.
    """
    return n * m


@insn(a64="MADD <d:R>, <n:R>, <m:R>, <a:R>", a32="MLA{c} <d:R>, <n:R>, <m:R>, <a:R>", writes="d", timing="mul")
def madd(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and add.

    d <- a + n * m, modulo 2**w
    Source: DDI 0487 C6.2 MADD; DDI 0406 A8.8 MLA.
    """
    return a + n * m


@insn(a64="MSUB <d:R>, <n:R>, <m:R>, <a:R>", a32="MLS{c} <d:R>, <n:R>, <m:R>, <a:R>", writes="d", timing="mul")
def msub(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and subtract.

    d <- a - n * m, modulo 2**w
    Source: DDI 0487 C6.2 MSUB; DDI 0406 A8.8 MLS.
    """
    return a - n * m


@insn(a64="SXTW <d:X>, <n:W>", writes="d", timing="alu")
def sxtw(n: Lanes) -> Result:
    """Sign-extend a word.

    d <- n
    Source: DDI 0487 C6.2 SXTW.
    """
    return extend(signed(n), x64)


@insn(a64="CSEL <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csel(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select.

    d <- n if the condition holds, else m
    Source: DDI 0487 C6.2 CSEL.
    """
    return choose(holds(cond, nzcv), n, m)


@insn(a64="CSINC <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csinc(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select, or increment.

    d <- n if the condition holds, else m + 1
    Source: DDI 0487 C6.2 CSINC.
    """
    return choose(holds(cond, nzcv), n, m + 1)


@insn(a64="CSNEG <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csneg(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select, or negate.

    d <- n if the condition holds, else -m
    Source: DDI 0487 C6.2 CSNEG.
    """
    return choose(holds(cond, nzcv), n, -m)


@insn(a64="B <label>", a32="B{c} <label>", writes="pc", timing="branch")
def b(label: Lanes) -> Result:
    """Branch.

    pc <- label
    Source: DDI 0487 C6.2 B; DDI 0406 A8.8 B.
    """
    return label


@insn(a64="B.<cond> <label>", writes="pc", timing="branch")
def b_cond(cond: str, nzcv: Lanes, label: Lanes, pc: Lanes) -> Result:
    """Branch if a condition holds.

    pc <- label if the condition holds, else the next instruction
    Source: DDI 0487 C6.2 B.cond.
    """
    return choose(holds(cond, nzcv), label, pc)


@insn(a64="CBZ <n:R>, <label>", writes="pc", timing="branch")
def cbz(n: Lanes, label: Lanes, pc: Lanes) -> Result:
    """Branch if zero.

    pc <- label if n == 0, else the next instruction
    Source: DDI 0487 C6.2 CBZ.
    """
    return choose(compare(n, "==", 0), label, pc)


@insn(a64="CBNZ <n:R>, <label>", writes="pc", timing="branch")
def cbnz(n: Lanes, label: Lanes, pc: Lanes) -> Result:
    """Branch if not zero.

    pc <- label if n != 0, else the next instruction
    Source: DDI 0487 C6.2 CBNZ.
    """
    return choose(compare(n, "!=", 0), label, pc)


@insn(a64="TBZ <n:R>, #<index:0-w1>, <label>", writes="pc", timing="branch")
def tbz(n: Lanes, index: int, label: Lanes, pc: Lanes) -> Result:
    """Branch if a bit is zero.

    pc <- label if bit index of n is 0, else the next instruction
    Source: DDI 0487 C6.2 TBZ.
    """
    return choose(n >> index & 1, pc, label)


@insn(a64="TBNZ <n:R>, #<index:0-w1>, <label>", writes="pc", timing="branch")
def tbnz(n: Lanes, index: int, label: Lanes, pc: Lanes) -> Result:
    """Branch if a bit is one.

    pc <- label if bit index of n is 1, else the next instruction
    Source: DDI 0487 C6.2 TBNZ.
    """
    return choose(n >> index & 1, label, pc)


@insn(a64="BL <label>", a32="BL{c} <label>", writes="pc link", timing="branch")
def bl(label: Lanes, pc: Lanes) -> Result:
    """Branch and link: a call.

    link register <- the next instruction, pc <- label
    Source: DDI 0487 C6.2 BL; DDI 0406 A8.8 BL.
    """
    return label, pc


@insn(a64="BR <n:X>", a32="BX{c} <n:R>", writes="pc", timing="branch_return")
def br(n: Lanes) -> Result:
    """Branch to a register.

    pc <- n
    Source: DDI 0487 C6.2 BR; DDI 0406 A8.8 BX.
    """
    return n


@insn(a64="""RET | n=x30
             RET <n:X>""", writes="pc", timing="branch_return")
def ret(n: Lanes) -> Result:
    """Return.

    pc <- n, the link register unless another is named
    Source: DDI 0487 C6.2 RET.
    """
    return n


@insn(a64="NOP", a32="NOP{c}", writes="", timing="nop")
def nop() -> Result:
    """Do nothing.

    Source: DDI 0487 C6.2 NOP; DDI 0406 A8.8 NOP.
    """
    return ()
