"""Logic of general registers.

| instruction | result                                      |
|-------------|---------------------------------------------|
| AND(S), TST | n & m; TST keeps only the flags             |
| BIC(S)      | n & ~m                                      |
| ORR, ORN    | n or m, n or ~m                             |
| EOR, EON    | n exclusive or m or ~m; TEQ: EOR's flags    |
| MVN         | ~m                                          |

Traps: A64 logic clears C and V; AArch32 logic keeps V and puts the shifter's last bit into C.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, logic_flags


@insn(a64="""AND <d:RSP>, <n:R>, #<m:bitmask>
             ANDS <d:R>, <n:R>, #<m:bitmask> | flags=1
             AND{S} <d:R>, <n:R>, <m:R+rotate>""", writes="d nzcv?", timing="alu")
def and_(n: Lanes, m: Lanes) -> Result:
    """And.

    d <- n & m; with S: N and Z, C and V cleared
    Source: DDI 0487 C6.2 AND, ANDS.
    """
    return n & m, logic_flags(n & m)


@insn(a64="""BIC <d:RSP>, <n:R>, #<m:cleared>
             BIC{S} <d:R>, <n:R>, <m:R+rotate>""", writes="d nzcv?", timing="alu")
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


@insn(a64="ORN <d:R>, <n:R>, <m:R+rotate>", writes="d", timing="alu")
def orn(n: Lanes, m: Lanes) -> Result:
    """Or not.

    d <- n | ~m
    Source: DDI 0487 C6.2 ORN.
    """
    return n | ~m


@insn(a64="EON <d:R>, <n:R>, <m:R+rotate>", writes="d", timing="alu")
def eon(n: Lanes, m: Lanes) -> Result:
    """Exclusive or not.

    d <- n ^ ~m
    Source: DDI 0487 C6.2 EON.
    """
    return n ^ ~m


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
