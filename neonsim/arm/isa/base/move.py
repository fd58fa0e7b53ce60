"""Copies and constants in general registers.

| instruction      | result                                             |
|------------------|----------------------------------------------------|
| MOV              | a register, or a constant that one word can hold   |
| MOVZ, MOVN, MOVW | 16 bits, in A64 at one of four places; their complement |
| MOVK, MOVT       | 16 bits replaced, the others stay                  |

Traps: a constant of 64 bits takes up to four instructions; AArch64's MOV picks MOVZ, MOVN or ORR by itself.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, logic_flags


@insn(a32="MOV{S}{c} <d:R>, <m:op2=>", writes="d nzcv?", timing="mov")
def mov_a32(m: Lanes, carry: Lanes, nzcv: Lanes) -> Result:
    """Copy.

    d <- m; with S: N and Z, C from the shifter
    Source: DDI 0406 A8.8 MOV.
    """
    return m, logic_flags(m, carry, nzcv)


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
