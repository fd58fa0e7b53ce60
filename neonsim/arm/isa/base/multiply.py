"""Products and quotients of general registers.

| instruction            | result                                           |
|------------------------|--------------------------------------------------|
| MUL, MNEG              | n * m, -(n * m), the low half                    |
| MADD (MLA), MSUB (MLS) | a + n * m, a - n * m                             |
| SMULL, UMULL           | the whole product of two words; SMNEGL its negative |
| SMADDL (SMLAL), SMSUBL | the same added to a, subtracted from a           |
| UMAAL                  | the product and two words                        |
| SMULH, UMULH (SMMUL)   | the high half of a product                       |
| SDIV, UDIV             | n / m toward zero                                |

In kernels: SMMUL and SMULH scale by a Q31 or Q63 number; SMMLA adds, with R to nearest.

Traps: the low half of a product does not depend on signs; the high half does. A quotient by 0 is 0, without a trap.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, extend, logic_flags, narrow, quotient, unsigned, view, wide, x32, x64


@insn(a64="MUL <d:R>, <n:R>, <m:R>", a32="MUL{c} <d:RN>, <n:RN>, <m:RN>", writes="d", timing="mul")
def mul(n: Lanes, m: Lanes) -> Result:
    """Multiply.

    d <- n * m, modulo 2**w
    Source: DDI 0487 C6.2 MUL; DDI 0406 A8.8 MUL.
    """
    return n * m


@insn(a64="MADD <d:R>, <n:R>, <m:R>, <a:R>", a32="MLA{c} <d:RN>, <n:RN>, <m:RN>, <a:RN>", writes="d", timing="mul")
def madd(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and add.

    d <- a + n * m, modulo 2**w
    Source: DDI 0487 C6.2 MADD; DDI 0406 A8.8 MLA.
    """
    return a + n * m


@insn(a64="MSUB <d:R>, <n:R>, <m:R>, <a:R>", a32="MLS{c} <d:RN>, <n:RN>, <m:RN>, <a:RN>", writes="d", timing="mul")
def msub(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and subtract.

    d <- a - n * m, modulo 2**w
    Source: DDI 0487 C6.2 MSUB; DDI 0406 A8.8 MLS.
    """
    return a - n * m


@insn(a64="MNEG <d:R>, <n:R>, <m:R>", writes="d", timing="mul")
def mneg(n: Lanes, m: Lanes) -> Result:
    """Multiply and negate.

    d <- -(n * m), modulo 2**w
    Source: DDI 0487 C6.2 MNEG.
    """
    return -(n * m)


@insn(a32="MULS{c} <d:RN>, <n:RN>, <m:RN>", writes="d nzcv", timing="mul")
def muls(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Multiply and set N and Z.

    d <- n * m, modulo 2**w; nzcv <- N and Z of d, C and V as they were
    Source: DDI 0406 A8.8 MUL.
    """
    return n * m, logic_flags(n * m, nzcv >> 1 & 1, nzcv)


@insn(a32="MLAS{c} <d:RN>, <n:RN>, <m:RN>, <a:RN>", writes="d nzcv", timing="mul")
def mlas(a: Lanes, n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Multiply, add and set N and Z.

    d <- a + n * m, modulo 2**w; nzcv <- N and Z of d, C and V as they were
    Source: DDI 0406 A8.8 MLA.
    """
    return a + n * m, logic_flags(a + n * m, nzcv >> 1 & 1, nzcv)


@insn(a64="{S|U}MULL <d:X>, <n:W>, <m:W>", a32="{S|U}MULL{c} <d1:RN>, <d2:RN>, <n:RN>, <m:RN> | distinct=1",
      writes="d", timing="mul_long")
def mull_words(n: Lanes, m: Lanes) -> Result:
    """Multiply words: the whole product.

    d <- n * m; AArch32: d1 the low word, d2 the high word
    Source: DDI 0487 C6.2 SMULL, UMULL; DDI 0406 A8.8 SMULL, UMULL.
    """
    return view(wide(n) * wide(m), x32)


@insn(a32="{S|U}MULLS{c} <d1:RN>, <d2:RN>, <n:RN>, <m:RN> | distinct=1", writes="d nzcv", timing="mul_long")
def mulls(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Multiply words: the whole product, N and Z set.

    d1, d2 <- n * m, low word and high word; nzcv <- N and Z of the product, C and V as they were
    Source: DDI 0406 A8.8 SMULL, UMULL.
    """
    return view(wide(n) * wide(m), x32), logic_flags(wide(n) * wide(m), nzcv >> 1 & 1, nzcv)


@insn(a64="{S|U}MNEGL <d:X>, <n:W>, <m:W>", writes="d", timing="mul_long")
def mnegl(n: Lanes, m: Lanes) -> Result:
    """Multiply words and negate.

    d <- -(n * m)
    Source: DDI 0487 C6.2 SMNEGL, UMNEGL.
    """
    return -(wide(n) * wide(m))


@insn(a64="{S|U}MADDL <d:X>, <n:W>, <m:W>, <a:X>",
      a32="{S|U}MLAL{c} <d1:RN>, <d2:RN>, <n:RN>, <m:RN> | distinct=1", writes="d", timing="mul_long")
def maddl(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply words and add.

    d <- a + n * m, modulo 2**64; AArch32: a and d are d1 (low word) and d2 (high word)
    Source: DDI 0487 C6.2 SMADDL, UMADDL; DDI 0406 A8.8 SMLAL, UMLAL.
    """
    return view(view(a, x64) + wide(n) * wide(m), x32)


@insn(a32="{S|U}MLALS{c} <d1:RN>, <d2:RN>, <n:RN>, <m:RN> | distinct=1", writes="d nzcv", timing="mul_long")
def mlals(a: Lanes, n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
    """Multiply words, add, N and Z set.

    d1, d2 <- d1, d2 + n * m, modulo 2**64; nzcv <- N and Z of the sum, C and V as they were
    Source: DDI 0406 A8.8 SMLAL, UMLAL.
    """
    result = view(a, x64) + wide(n) * wide(m)
    return view(result, x32), logic_flags(result, nzcv >> 1 & 1, nzcv)


@insn(a64="{S|U}MSUBL <d:X>, <n:W>, <m:W>, <a:X>", writes="d", timing="mul_long")
def msubl(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply words and subtract.

    d <- a - n * m, modulo 2**64
    Source: DDI 0487 C6.2 SMSUBL, UMSUBL.
    """
    return a - wide(n) * wide(m)


@insn(a32="UMAAL{c} <d1:RN>, <d2:RN>, <n:RN>, <m:RN> | distinct=1", writes="d", timing="mul_long")
def umaal(d: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply words and add two words.

    d1, d2 <- n * m + d1 + d2: the sum always fits 64 bits
    Source: DDI 0406 A8.8 UMAAL.
    """
    product = extend(unsigned(n), x64) * extend(unsigned(m), x64)
    return view(product + extend(unsigned(d[0]), x64) + extend(unsigned(d[1]), x64), x32)


@insn(a64="{S|U}MULH <d:X>, <n:X>, <m:X>", writes="d", timing="mul_high")
def mulh(n: Lanes, m: Lanes) -> Result:
    """Multiply: the high half of the product.

    d <- n * m >> 64
    Source: DDI 0487 C6.2 SMULH, UMULH.
    """
    return narrow(wide(n) * wide(m) >> 64)


@insn(a64="{S|U}DIV <d:R>, <n:R>, <m:R>", a32="{S|U}DIV{c} <d:RN>, <n:RN>, <m:RN>", writes="d", timing="div")
def div(n: Lanes, m: Lanes) -> Result:
    """Divide, toward zero.

    d <- n / m; 0 if m is 0
    Source: DDI 0487 C6.2 SDIV, UDIV; DDI 0406 A8.8 SDIV, UDIV.
    """
    return quotient(n, m)
