"""Branches, calls and returns.

| instruction   | goes to                                                |
|---------------|--------------------------------------------------------|
| B, B.cond     | a label, always or if the flags say so                 |
| CBZ, CBNZ     | a label if a register is zero, or is not               |
| TBZ, TBNZ     | a label if one bit is zero, or is one                  |
| BL, BLR (BLX) | a label or the address in a register; x30 (lr) comes back |
| BR (BX), RET  | the address in a register                              |
| BRK, HLT, UDF (BKPT) | nowhere: the run ends with an error             |

Traps: BL overwrites the link register: a function that calls another keeps its own first.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, choose, compare, holds


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


@insn(a64="BLR <n:X>", a32="BLX{c} <n:R>", writes="pc link", timing="branch")
def blr(n: Lanes, pc: Lanes) -> Result:
    """Call the address in a register.

    link register <- the next instruction, pc <- n
    Source: DDI 0487 C6.2 BLR; DDI 0406 A8.8 BLX (register).
    """
    return n, pc


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


@insn(a64="""BRK #<imm:0-65535>
             HLT #<imm:0-65535>
             UDF #<imm:0-65535>""",
      a32="""BKPT #<imm:0-65535>
             UDF #<imm:0-65535>
             HLT #<imm:0-65535>""", writes="pc", timing="branch")
def brk(stop: Lanes) -> Result:
    """Stop: a breakpoint, or what compilers put where a program must never come.

    pc <- stop, where no code is: the run ends with an error that names the instruction
    Source: DDI 0487 C6.2 BRK, HLT, UDF; DDI 0406 A8.8 BKPT, UDF.
    """
    return stop
