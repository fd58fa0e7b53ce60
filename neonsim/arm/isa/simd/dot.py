"""Dot products and small matrix products of bytes: the instructions that int8 kernels are made of today.

| instruction             | d         | n, m          | result                                               |
|-------------------------|-----------|---------------|------------------------------------------------------|
| SDOT, UDOT              | 32 bits   | bytes         | d + 4 products of neighbouring bytes                 |
| USDOT, SUDOT            | 32 bits   | bytes         | the same, one side unsigned, the other signed        |
| SMMLA, UMMLA, USMMLA    | 2x2 of 32 | 2x8 bytes     | d + n times m transposed                             |

In quantised kernels: SDOT by element is the inner loop of int8 kernels on cores since the Cortex-A55 and A75: 16
products an instruction, four depths of four columns, weights packed four depths together (kr = 4). SMMLA doubles
that with two rows and two columns in one register. USDOT takes uint8 activations and int8 weights as they are.

Traps: by element, the index counts groups of four bytes, v2.4b[3]. Sums wrap, they do not saturate. The result of
SMMLA lies by rows: lane 0 is row 0, column 0; lane 1 row 0, column 1.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, count, join, pairs, repeat, signed, unsigned, wide

_DOT_A64 = """{name} <d>.<Tq>, <n>.<T>, <m>.<T>
{name} <d>.<Tq>, <n>.<T>, <m>.4b[<index>]"""
_DOT_A32 = """{name}.<dt> <d:DQ4>, <n:DQ>, <m:DQ> | {type}
{name}.<dt> <d:DQ4>, <n:DQ>, <m:four[index]> | {type}"""


@insn(a64=_DOT_A64.format(name="{S|U}DOT"),
      a32=_DOT_A32.format(name="VSDOT", type="s8") + "\n" + _DOT_A32.format(name="VUDOT", type="u8"), types="s8 u8",
      writes="d", timing="asimd_dot", feature="dotprod")
def dot(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Dot product of four neighbouring bytes, accumulated.

    d[i] <- d[i] + n[4*i]*m[4*i] + ... + n[4*i+3]*m[4*i+3], modulo 2**32
    By element, every group of four of n meets the same four bytes of m.

    Source: DDI 0487 C7.2 SDOT, UDOT (vector, by element); DDI 0487 F6.1 VSDOT, VUDOT.

    >>> from neonsim.arm.semantics import s8, s32
    >>> dot(s32(100, 0), s8(1, 2, 3, 4, -1, -1, -1, -1), s8(1, 10, 100, -128))
    s32(-91, 17)
    """
    even, odd = pairs(wide(wide(n)) * wide(wide(repeat(m, count(n)))))
    first, second = pairs(even + odd)
    return a + (first + second)


@insn(a64=_DOT_A64.format(name="USDOT"), a32=_DOT_A32.format(name="VUSDOT", type="s8"), types="s8", writes="d",
      timing="asimd_dot", feature="i8mm")
def usdot(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Dot product of four unsigned bytes with four signed ones, accumulated.

    d[i] <- d[i] + the four products unsigned(n) * signed(m), modulo 2**32
    Source: DDI 0487 C7.2 USDOT (vector, by element); DDI 0487 F6.1 VUSDOT.
    """
    even, odd = pairs(signed(wide(wide(unsigned(n)))) * wide(wide(repeat(m, count(n)))))
    first, second = pairs(even + odd)
    return a + (first + second)


@insn(a64="SUDOT <d>.<Tq>, <n>.<T>, <m>.4b[<index>] | s8",
      a32="VSUDOT.<dt> <d:DQ4>, <n:DQ>, <m:four[index]> | u8", types="s8", writes="d", timing="asimd_dot",
      feature="i8mm")
def sudot(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Dot product of four signed bytes with four unsigned ones of an element, accumulated.

    d[i] <- d[i] + the four products signed(n) * unsigned(m), modulo 2**32
    Source: DDI 0487 C7.2 SUDOT (by element); DDI 0487 F6.1 VSUDOT.
    """
    even, odd = pairs(wide(wide(signed(n))) * signed(wide(wide(unsigned(repeat(m, count(n)))))))
    first, second = pairs(even + odd)
    return a + (first + second)


@insn(a64="{S|U}MMLA <d>.<Tq>, <n>.<T>, <m>.<T> | s8 u8 not=8b",
      a32="""VSMMLA.<dt> <d:Q4>, <n:Q>, <m:Q> | s8
             VUMMLA.<dt> <d:Q4>, <n:Q>, <m:Q> | u8""", types="s8 u8", writes="d", timing="asimd_matmul",
      feature="i8mm")
def mmla(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Product of a 2x8 and an 8x2 matrix of bytes, accumulated.

    d[2*i + j] <- d[2*i + j] + n[8*i]*m[8*j] + ... + n[8*i+7]*m[8*j+7], modulo 2**32
    Source: DDI 0487 C7.2 SMMLA, UMMLA; DDI 0487 F6.1 VSMMLA, VUMMLA.
    """
    rows = wide(wide(join(n[:8], n[:8], n[8:], n[8:])))
    even, odd = pairs(rows * wide(wide(join(m, m))))
    even, odd = pairs(even + odd)
    even, odd = pairs(even + odd)
    return a + (even + odd)


@insn(a64="USMMLA <d>.<Tq>, <n>.<T>, <m>.<T> | s8 not=8b", a32="VUSMMLA.<dt> <d:Q4>, <n:Q>, <m:Q> | s8", types="s8",
      writes="d", timing="asimd_matmul", feature="i8mm")
def usmmla(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Product of a 2x8 matrix of unsigned bytes and an 8x2 one of signed bytes, accumulated.

    d[2*i + j] <- d[2*i + j] + the eight products unsigned(n) * signed(m), modulo 2**32
    Source: DDI 0487 C7.2 USMMLA; DDI 0487 F6.1 VUSMMLA.
    """
    rows = signed(wide(wide(unsigned(join(n[:8], n[:8], n[8:], n[8:])))))
    even, odd = pairs(rows * wide(wide(join(m, m))))
    even, odd = pairs(even + odd)
    even, odd = pairs(even + odd)
    return a + (even + odd)
