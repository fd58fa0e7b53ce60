"""Bits of each lane: counted, and in the opposite order.

| instruction | result                                                     |
|-------------|------------------------------------------------------------|
| CNT         | how many ones                                              |
| CLZ         | how many zeros above the highest one                       |
| CLS         | how many bits after the sign are equal to it               |
| RBIT        | the bits of each byte in the opposite order                |

In quantised kernels: CNT adds up the products of one-bit networks; CLZ and CLS normalise a number before a table gives
its reciprocal (fixed-point softmax).

Traps: CNT and RBIT know bytes only; wider counts follow with UADDLP. CLZ of 0 is the width, CLS of 0 the width less 1.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, leading_zeros, mirror, ones, signed


@insn(a64="CNT <d>.<T>, <n>.<T>", a32="VCNT.<size> <d:DQ>, <n:DQ>", types="x8", writes="d", timing="asimd_count")
def cnt(n: Lanes) -> Result:
    """Count the ones of each byte.

    d[i] <- number of ones in n[i]
    Source: DDI 0487 C7.2 CNT; DDI 0406 A8.8 VCNT.
    """
    return ones(n)


@insn(a64="CLZ <d>.<T>, <n>.<T>", a32="VCLZ.<i> <d:DQ>, <n:DQ>", types="x8 x16 x32", writes="d",
      timing="asimd_count")
def vclz(n: Lanes) -> Result:
    """Count leading zeros.

    d[i] <- number of zeros above the highest one of n[i]; the width for 0
    Source: DDI 0487 C7.2 CLZ (vector); DDI 0406 A8.8 VCLZ.
    """
    return leading_zeros(n)


@insn(a64="CLS <d>.<T>, <n>.<T>", a32="VCLS.<dt> <d:DQ>, <n:DQ>", types="s8 s16 s32", writes="d",
      timing="asimd_count")
def vcls(n: Lanes) -> Result:
    """Count leading sign bits.

    d[i] <- number of bits after the highest that are equal to it
    Source: DDI 0487 C7.2 CLS (vector); DDI 0406 A8.8 VCLS.

    >>> from neonsim.arm.semantics import s8
    >>> vcls(s8(0, -1, 1, 64, -128))
    s8(7, 7, 6, 0, 0)
    """
    # A bit of n ^ n >> 1 is one where two neighbours differ; the highest has no neighbour above.
    return leading_zeros(signed(n) ^ signed(n) >> 1) - 1


@insn(a64="RBIT <d>.<T>, <n>.<T>", types="x8", writes="d", timing="asimd_count")
def vrbit(n: Lanes) -> Result:
    """The bits of each byte in the opposite order.

    d[i] <- n[i] with bit j where bit 7 - j was
    Source: DDI 0487 C7.2 RBIT (vector).
    """
    return mirror(n)
