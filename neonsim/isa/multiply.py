"""Products of general registers.

| instruction  | result                     |
|--------------|----------------------------|
| MUL          | n * m, the low half        |
| MADD (MLA)   | a + n * m                  |
| MSUB (MLS)   | a - n * m                  |

Traps: the low half of a product does not depend on signs; the high half does.
"""

from __future__ import annotations

from neonsim.lanes import Lanes, Result

from .syntax.spec import insn


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
