"""Logic: bit by bit, no lanes.

| instruction          | result                                     |
|----------------------|--------------------------------------------|
| AND, ORR, EOR        | n & m, n OR m, n ^ m                       |
| BIC, ORN             | n & ~m, n OR ~m                            |
| MVN                  | ~n                                         |
| BSL, BIT, BIF        | choose bits: by d, by m, by the inverse of m |
| MOVI, MVNI           | one constant in every lane                 |
| BIC, ORR #           | bits of a constant cleared, set            |

In quantised kernels: BIC(VBIC) clears the sign fix-up of a requantisation where the shift is zero; MOVI clears sums.

Traps: AArch32 calls ORR of a register with itself VMOV; the data type behind VAND and friends is optional and ignored.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, select


def _both(name: str) -> tuple[str, str]:
    return (f"{name} <d>.8b, <n>.8b, <m>.8b\n{name} <d>.16b, <n>.16b, <m>.16b",
            f"V{name} <d:DQ>, <n:DQ>, <m:DQ>\nV{name}.<size> <d:DQ>, <n:DQ>, <m:DQ> | x8 x16 x32 x64")


@insn(a64=_both("AND")[0], a32=_both("AND")[1], types="x8", writes="d", timing="asimd_logic")
def vand(n: Lanes, m: Lanes) -> Result:
    """And.

    d <- n & m
    Source: DDI 0487 C7.2 AND (vector); DDI 0406 A8.8 VAND (register).
    """
    return n & m


@insn(a64=_both("ORR")[0], a32=_both("ORR")[1], types="x8", writes="d", timing="asimd_logic")
def vorr(n: Lanes, m: Lanes) -> Result:
    """Or.

    d <- n | m
    Source: DDI 0487 C7.2 ORR (vector, register); DDI 0406 A8.8 VORR (register).
    """
    return n | m


@insn(a64=_both("EOR")[0], a32=_both("EOR")[1], types="x8", writes="d", timing="asimd_logic")
def veor(n: Lanes, m: Lanes) -> Result:
    """Exclusive or.

    d <- n ^ m
    Source: DDI 0487 C7.2 EOR (vector); DDI 0406 A8.8 VEOR.
    """
    return n ^ m


@insn(a64=_both("BIC")[0], a32=_both("BIC")[1], types="x8", writes="d", timing="asimd_logic")
def vbic(n: Lanes, m: Lanes) -> Result:
    """Bit clear.

    d <- n & ~m
    Source: DDI 0487 C7.2 BIC (vector, register); DDI 0406 A8.8 VBIC (register).
    """
    return n & ~m


@insn(a64=_both("ORN")[0], a32=_both("ORN")[1], types="x8", writes="d", timing="asimd_logic")
def vorn(n: Lanes, m: Lanes) -> Result:
    """Or not.

    d <- n | ~m
    Source: DDI 0487 C7.2 ORN (vector); DDI 0406 A8.8 VORN (register).
    """
    return n | ~m


@insn(a64="""MVN <d>.8b, <n>.8b
             MVN <d>.16b, <n>.16b
             NOT <d>.8b, <n>.8b
             NOT <d>.16b, <n>.16b""",
      a32="""VMVN <d:DQ>, <n:DQ>
             VMVN.<size> <d:DQ>, <n:DQ> | x8 x16 x32 x64""", types="x8", writes="d", timing="asimd_logic")
def vmvn(n: Lanes) -> Result:
    """Not.

    d <- ~n
    Source: DDI 0487 C7.2 NOT; DDI 0406 A8.8 VMVN (register).
    """
    return ~n


@insn(a64=_both("BSL")[0], a32=_both("BSL")[1], types="x8", writes="d", timing="asimd_bit_select")
def bsl(d: Lanes, n: Lanes, m: Lanes) -> Result:
    """Bitwise select by the destination.

    d <- n where d has ones, m where d has zeros
    Source: DDI 0487 C7.2 BSL; DDI 0406 A8.8 VBSL.
    """
    return select(d, n, m)


@insn(a64=_both("BIT")[0], a32=_both("BIT")[1], types="x8", writes="d", timing="asimd_bit_select")
def bit(d: Lanes, n: Lanes, m: Lanes) -> Result:
    """Insert n's bits where m has ones.

    d <- n where m has ones, else d
    Source: DDI 0487 C7.2 BIT; DDI 0406 A8.8 VBIT.
    """
    return select(m, n, d)


@insn(a64=_both("BIF")[0], a32=_both("BIF")[1], types="x8", writes="d", timing="asimd_bit_select")
def bif(d: Lanes, n: Lanes, m: Lanes) -> Result:
    """Insert n's bits where m has zeros.

    d <- n where m has zeros, else d
    Source: DDI 0487 C7.2 BIF; DDI 0406 A8.8 VBIF.
    """
    return select(m, d, n)


@insn(a64="""MOV <d>.8b, <n>.8b
             MOV <d>.16b, <n>.16b""",
      a32="""VMOV <d:DQ>, <n:DQ>
             VMOV.<size> <d:DQ>, <n:DQ> | x8 x16 x32 x64""", types="x8", writes="d", timing="asimd_mov")
def vmov(n: Lanes) -> Result:
    """Copy a register.

    d <- n
    Source: DDI 0487 C7.2 MOV (vector); DDI 0406 A8.8 VMOV (register).
    """
    return n


@insn(a64="""MOVI <d>.<T>, #<imm:movi>
             MOVI <d:V>, #<imm:movi> | x64""",
      a32="VMOV.<i> <d:DQ>, #<imm:neon>", types="x8 x16 x32 x64", writes="d", timing="asimd_movi")
def movi(imm: Lanes) -> Result:
    """One constant in every lane.

    d[i] <- imm
    Source: DDI 0487 C7.2 MOVI; DDI 0406 A8.8 VMOV (immediate).
    """
    return imm


@insn(a64="MVNI <d>.<T>, #<imm:movi> | x16 x32", a32="VMVN.<i> <d:DQ>, #<imm:neon> | x16 x32", writes="d",
      timing="asimd_movi")
def mvni(imm: Lanes) -> Result:
    """The complement of one constant in every lane.

    d[i] <- ~imm
    Source: DDI 0487 C7.2 MVNI; DDI 0406 A8.8 VMVN (immediate).
    """
    return ~imm


@insn(a64="BIC <d>.<T>, #<imm:low_byte>", a32="VBIC.<i> <d:DQ>, #<imm:byte>", types="x16 x32", writes="d",
      timing="asimd_logic")
def bic_constant(d: Lanes, imm: Lanes) -> Result:
    """Clear the bits of a constant: one byte of each lane.

    d[i] <- d[i] & ~imm
    Source: DDI 0487 C7.2 BIC (vector, immediate); DDI 0406 A8.8 VBIC (immediate).
    """
    return d & ~imm


@insn(a64="ORR <d>.<T>, #<imm:low_byte>", a32="VORR.<i> <d:DQ>, #<imm:byte>", types="x16 x32", writes="d",
      timing="asimd_logic")
def orr_constant(d: Lanes, imm: Lanes) -> Result:
    """Set the bits of a constant: one byte of each lane.

    d[i] <- d[i] | imm
    Source: DDI 0487 C7.2 ORR (vector, immediate); DDI 0406 A8.8 VORR (immediate).
    """
    return d | imm
