"""Multiply: same width, long, accumulating, doubling.

| instruction            | d    | n, m | result                                              |
|------------------------|------|------|-----------------------------------------------------|
| MUL, MLA, MLS          | w    | w    | low half of the product; added to, taken from d     |
| SMULL, UMULL, PMULL    | 2w   | w    | whole product                                       |
| SMLAL, SMLSL ...       | 2w   | w    | d +- whole product                                  |
| SQDMULL, SQDMLAL ...   | 2w   | w    | doubled and clamped                                 |
| SQDMULH, SQRDMULH      | w    | w    | high half of the doubled product, clamped (rounded) |
| SQRDMLAH, SQRDMLSH     | w    | w    | the same, added to or taken from d before rounding  |

In quantised kernels: SMLAL by element (VMLAL.S16) is the default kernel's only multiply, 4 products of 16-bit lanes
added to 32-bit sums; UMULL (VMULL.U8) makes 8 products of bytes for the dual-issue kernel; SQRDMULH is the
multiplication of a fixed-point requantisation.

Traps: by element, a 16-bit lane can only come from v0-v15 (A32: d0-d7). SMLAL wraps, it does not saturate.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, bits, carryless, double, narrow, sat, wide

INTEGERS = "s8 s16 s32 u8 u16 u32"
BY_ELEMENT = "s16 s32 u16 u32"


@insn(a64="""MUL <d>.<T>, <n>.<T>, <m>.<T>
             MUL <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>] | x16 x32""",
      a32="""VMUL.<i> <d:DQ>, <n:DQ>, <m:DQ>
             VMUL.<i> <d:DQ>, <n:DQ>, <m:x[index]> | x16 x32""",
      types="x8 x16 x32", writes="d", timing="asimd_mul")
def vmul(n: Lanes, m: Lanes) -> Result:
    """Multiply.

    d[i] <- n[i] * m[i], modulo 2**w
    Source: DDI 0487 C7.2 MUL (vector, by element); DDI 0406 A8.8 VMUL.
    """
    return n * m


@insn(a64="PMUL <d>.<T>, <n>.<T>, <m>.<T>", a32="VMUL.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types="p8", writes="d",
      timing="asimd_pmul")
def pmul(n: Lanes, m: Lanes) -> Result:
    """Multiply polynomials over {0, 1}.

    d[i] <- low half of the carry-less product of n[i] and m[i]
    Source: DDI 0487 C7.2 PMUL; DDI 0406 A8.8 VMUL (polynomial).
    """
    return narrow(carryless(n, m))


@insn(a64="""MLA <d>.<T>, <n>.<T>, <m>.<T>
             MLA <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>] | x16 x32""",
      a32="""VMLA.<i> <d:DQ>, <n:DQ>, <m:DQ>
             VMLA.<i> <d:DQ>, <n:DQ>, <m:x[index]> | x16 x32""",
      types="x8 x16 x32", writes="d", timing="asimd_mla")
def mla(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and accumulate.

    d[i] <- d[i] + n[i] * m[i], modulo 2**w
    Source: DDI 0487 C7.2 MLA; DDI 0406 A8.8 VMLA (integer).
    """
    return a + n * m


@insn(a64="""MLS <d>.<T>, <n>.<T>, <m>.<T>
             MLS <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>] | x16 x32""",
      a32="""VMLS.<i> <d:DQ>, <n:DQ>, <m:DQ>
             VMLS.<i> <d:DQ>, <n:DQ>, <m:x[index]> | x16 x32""",
      types="x8 x16 x32", writes="d", timing="asimd_mla")
def mls(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply and subtract from the accumulator.

    d[i] <- d[i] - n[i] * m[i], modulo 2**w
    Source: DDI 0487 C7.2 MLS; DDI 0406 A8.8 VMLS (integer).
    """
    return a - n * m


@insn(a64="""{S|U}MULL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>
             {S|U}MULL{2} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>] | s16 s32 u16 u32""",
      a32="""VMULL.<dt> <d:Q2>, <n:D>, <m:D>
             VMULL.<dt> <d:Q2>, <n:D>, <m:x[index]> | s16 s32 u16 u32""",
      types=INTEGERS, writes="d", timing="asimd_mul_long")
def mull(n: Lanes, m: Lanes) -> Result:
    """Multiply long: the whole product.

    d[i] <- wide(n[i]) * wide(m[i])
    The product always fits: no wrap, no saturation.

    Source: DDI 0487 C7.2 SMULL, UMULL; DDI 0406 A8.8 VMULL.

    >>> from neonsim.arm.semantics import u8
    >>> mull(u8(255, 2), u8(255, 3))
    u16(65025, 6)
    """
    return wide(n) * wide(m)


@insn(a64="""PMULL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb> | p8""",
      a32="VMULL.<dt> <d:Q2>, <n:D>, <m:D>", types="p8", writes="d", timing="asimd_pmull")
def pmull(n: Lanes, m: Lanes) -> Result:
    """Multiply polynomials over {0, 1}, long.

    d[i] <- carry-less product of n[i] and m[i]
    Source: DDI 0487 C7.2 PMULL; DDI 0406 A8.8 VMULL (polynomial).
    """
    return carryless(n, m)


@insn(a64="""PMULL <d>.1q, <n>.1d, <m>.1d
             PMULL2 <d>.1q, <n>.2d, <m>.2d""",
      a32="VMULL.p64 <d:Q>, <n:D>, <m:D>", types="p64", writes="d", timing="asimd_pmull", feature="aes")
def pmull64(n: Lanes, m: Lanes) -> Result:
    """Multiply polynomials of 64 bits over {0, 1}: one 128-bit product.

    d <- carry-less product of n and m; PMULL2 takes the upper halves
    Source: DDI 0487 C7.2 PMULL; DDI 0487 F6.1 VMULL (polynomial). Needs the cryptographic extension.
    """
    return carryless(n[-1:], m[-1:])


@insn(a64="""{S|U}MLAL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>
             {S|U}MLAL{2} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>] | s16 s32 u16 u32""",
      a32="""VMLAL.<dt> <d:Q2>, <n:D>, <m:D>
             VMLAL.<dt> <d:Q2>, <n:D>, <m:x[index]> | s16 s32 u16 u32""",
      types=INTEGERS, writes="d", timing="asimd_mla_long")
def mlal(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply long and accumulate.

    d[i] <- d[i] + wide(n[i]) * wide(m[i]), modulo 2**(2w)
    By element, every lane of n meets the same lane of m.

    Source: DDI 0487 C7.2 SMLAL, UMLAL (vector, by element); DDI 0406 A8.8 VMLAL.

    >>> from neonsim.arm.semantics import s16, s32
    >>> mlal(s32(100, 0), s16(3, -4), s16(-5))
    s32(85, 20)
    """
    return a + wide(n) * wide(m)


@insn(a64="""{S|U}MLSL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>
             {S|U}MLSL{2} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>] | s16 s32 u16 u32""",
      a32="""VMLSL.<dt> <d:Q2>, <n:D>, <m:D>
             VMLSL.<dt> <d:Q2>, <n:D>, <m:x[index]> | s16 s32 u16 u32""",
      types=INTEGERS, writes="d", timing="asimd_mla_long")
def mlsl(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Multiply long and subtract from the accumulator.

    d[i] <- d[i] - wide(n[i]) * wide(m[i]), modulo 2**(2w)
    Source: DDI 0487 C7.2 SMLSL, UMLSL; DDI 0406 A8.8 VMLSL.
    """
    return a - wide(n) * wide(m)


_DOUBLING_A64 = """{name}{{2}} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>
{name}{{2}} <d>.<Ta>, <n>.<Tb>, <m:x>.<Ts>[<index>]
{name} <d:V2>, <n:V>, <m:V>
{name} <d:V2>, <n:V>, <m:x>.<Ts>[<index>]"""
_DOUBLING_A32 = """{name}.<dt> <d:Q2>, <n:D>, <m:D>
{name}.<dt> <d:Q2>, <n:D>, <m:x[index]>"""


@insn(a64=_DOUBLING_A64.format(name="SQDMULL"), a32=_DOUBLING_A32.format(name="VQDMULL"), types="s16 s32",
      writes="d qc", timing="asimd_sqdmull")
def sqdmull(n: Lanes, m: Lanes) -> Result:
    """Saturating doubling multiply long.

    d[i] <- clamp(2 * n[i] * m[i]); MIN * MIN is the one product that is clamped
    Source: DDI 0487 C7.2 SQDMULL; DDI 0406 A8.8 VQDMULL.
    """
    return sat(wide(wide(n) * wide(m)) << 1, like=double(n))


@insn(a64=_DOUBLING_A64.format(name="SQDMLAL"), a32=_DOUBLING_A32.format(name="VQDMLAL"), types="s16 s32",
      writes="d qc", timing="asimd_sqdmlal")
def sqdmlal(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Saturating doubling multiply long and accumulate: clamped twice.

    d[i] <- clamp(d[i] + clamp(2 * n[i] * m[i]))
    Source: DDI 0487 C7.2 SQDMLAL; DDI 0406 A8.8 VQDMLAL.
    """
    product, first = sat(wide(wide(n) * wide(m)) << 1, like=double(n))
    total, second = sat(wide(a) + wide(product), like=a)
    return total, first | second


@insn(a64=_DOUBLING_A64.format(name="SQDMLSL"), a32=_DOUBLING_A32.format(name="VQDMLSL"), types="s16 s32",
      writes="d qc", timing="asimd_sqdmlal")
def sqdmlsl(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Saturating doubling multiply long and subtract: clamped twice.

    d[i] <- clamp(d[i] - clamp(2 * n[i] * m[i]))
    Source: DDI 0487 C7.2 SQDMLSL; DDI 0406 A8.8 VQDMLSL.
    """
    product, first = sat(wide(wide(n) * wide(m)) << 1, like=double(n))
    total, second = sat(wide(a) - wide(product), like=a)
    return total, first | second


_HIGH_A64 = """{name} <d>.<T>, <n>.<T>, <m>.<T>
{name} <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>]
{name} <d:V>, <n:V>, <m:V>
{name} <d:V>, <n:V>, <m:x>.<Ts>[<index>]"""
_HIGH_A32 = """{name}.<dt> <d:DQ>, <n:DQ>, <m:DQ>
{name}.<dt> <d:DQ>, <n:DQ>, <m:x[index]>"""


@insn(a64=_HIGH_A64.format(name="SQDMULH"), a32=_HIGH_A32.format(name="VQDMULH"), types="s16 s32", writes="d qc",
      timing="asimd_sqdmulh")
def sqdmulh(n: Lanes, m: Lanes) -> Result:
    """Signed saturating doubling multiply, high half.

    d[i] <- clamp((2 * n[i] * m[i]) >> w)
    MIN * MIN is the one input that saturates.

    Source: DDI 0487 C7.2 SQDMULH; DDI 0406 A8.8 VQDMULH.
    """
    return sat(wide(n) * wide(m) >> bits(n) - 1, like=n)


@insn(a64=_HIGH_A64.format(name="SQRDMULH"), a32=_HIGH_A32.format(name="VQRDMULH"), types="s16 s32", writes="d qc",
      timing="asimd_sqdmulh")
def sqrdmulh(n: Lanes, m: Lanes) -> Result:
    """Signed saturating rounding doubling multiply, high half.

    d[i] <- clamp((2 * n[i] * m[i] + 2**(w-1)) >> w), w = lane width in bits
    MIN * MIN is the one input that saturates.

    Source: DDI 0487 C7.2 SQRDMULH (vector); DDI 0406 A8.8 VQRDMULH.

    >>> from neonsim.arm.semantics import s16
    >>> d, qc = sqrdmulh(s16(16384, -32768, 3), s16(16384, -32768, 5461))
    >>> d.tolist(), bool(qc)
    ([8192, 32767, 0], True)
    """
    w = bits(n)
    # Everything is halved first, so that MIN * MIN of 32-bit lanes still fits 64 bits.
    return sat(wide(n) * wide(m) + (1 << w - 2) >> w - 1, like=n)


@insn(a64=_HIGH_A64.format(name="SQRDMLAH"), a32=_HIGH_A32.format(name="VQRDMLAH"), types="s16 s32", writes="d qc",
      timing="asimd_sqdmulh", feature="rdm")
def sqrdmlah(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Signed saturating rounding doubling multiply, high half, accumulated: rounded and clamped once.

    d[i] <- clamp((d[i] * 2**w + 2 * n[i] * m[i] + 2**(w-1)) >> w), w = lane width in bits
    Source: DDI 0487 C7.2 SQRDMLAH; DDI 0487 F6.1 VQRDMLAH.
    """
    w = bits(n)
    # Halved like SQRDMULH: the sum reaches the ends of twice the width and does not pass them.
    return sat((wide(a) << w - 1) + wide(n) * wide(m) + (1 << w - 2) >> w - 1, like=n)


@insn(a64=_HIGH_A64.format(name="SQRDMLSH"), a32=_HIGH_A32.format(name="VQRDMLSH"), types="s16 s32", writes="d qc",
      timing="asimd_sqdmulh", feature="rdm")
def sqrdmlsh(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Signed saturating rounding doubling multiply, high half, subtracted: rounded and clamped once.

    d[i] <- clamp((d[i] * 2**w - 2 * n[i] * m[i] + 2**(w-1)) >> w), w = lane width in bits
    Source: DDI 0487 C7.2 SQRDMLSH; DDI 0487 F6.1 VQRDMLSH.
    """
    w = bits(n)
    return sat((wide(a) << w - 1) - wide(n) * wide(m) + (1 << w - 2) >> w - 1, like=n)
