"""Sums and differences of general registers.

| instruction      | result                                                         |
|------------------|----------------------------------------------------------------|
| ADD(S), CMN      | n + m; CMN keeps only the flags                                |
| SUB(S), CMP      | n - m; CMP keeps only the flags                                |
| RSB(S)           | m - n                                                          |
| ADC(S)           | n + m + C: sums wider than a register                          |
| SBC(S)           | n - m - 1 + C; RSC(S) m - n - 1 + C                            |
| NEG(S), NGC(S)   | 0 - m, 0 - m - 1 + C                                           |

Flags: N negative, Z zero, C carry out (for a difference: no borrow), V signed overflow. `lo` after CMP is "C clear",
that is unsigned lower; `hs` unsigned higher or same.

Traps: C after a difference is "no borrow", so SBC subtracts one more when C is 0, the other way round than on x86.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, add_flags


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


@insn(a64="SBC{S} <d:R>, <n:R>, <m:R>", a32="SBC{S}{c} <d:R>, <n:R>, <m:op2~>", writes="d nzcv?", timing="alu")
def sbc(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Subtract with carry.

    d <- n - m - 1 + C; with S the flags
    Source: DDI 0487 C6.2 SBC; DDI 0406 A8.8 SBC.
    """
    return add_flags(n, ~m, nzcv >> 1 & 1)


@insn(a32="RSC{S}{c} <d:R>, <n:R>, <m:op2>", writes="d nzcv?", timing="alu")
def rsc(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Reverse subtract with carry.

    d <- m - n - 1 + C; with S the flags
    Source: DDI 0406 A8.8 RSC.
    """
    return add_flags(m, ~n, nzcv >> 1 & 1)


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


@insn(a64="NEG{S} <d:R>, <m:R+shift>", a32="NEG{S}{c} <d:RN>, <m:RN>", writes="d nzcv?", timing="alu")
def neg(m: Lanes) -> Result:
    """Negate.

    d <- 0 - m; with S the flags
    Source: DDI 0487 C6.2 NEG, NEGS; DDI 0406 A8.8 NEG.
    """
    zero = m - m
    return zero - m, add_flags(zero, ~m, 1)[1]


@insn(a64="NGC{S} <d:R>, <m:R>", writes="d nzcv?", timing="alu")
def ngc(m: Lanes, nzcv: Lanes) -> Result:
    """Negate with carry.

    d <- 0 - m - 1 + C; with S the flags
    Source: DDI 0487 C6.2 NGC, NGCS.
    """
    return add_flags(m - m, ~m, nzcv >> 1 & 1)
