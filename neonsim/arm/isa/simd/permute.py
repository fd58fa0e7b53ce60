"""Permutes and moves: lanes go elsewhere, values stay.

| instruction      | result                                                        |
|------------------|---------------------------------------------------------------|
| EXT (VEXT)       | consecutive bytes out of n followed by m, from an index       |
| DUP (VDUP)       | one lane, or a general register, in every lane                |
| INS (MOV lane)   | one lane replaced                                             |
| UMOV, SMOV       | one lane to a general register, zero- or sign-extended        |
| FMOV             | the bits of a scalar register, unchanged                      |
| ZIP, UZP, TRN    | interleave, take every other lane, transpose pairs            |
| VZIP, VUZP, VTRN | the AArch32 ones: both results, in place of both sources      |
| VSWP             | two registers change places                                   |
| REV16, 32, 64    | lanes in the opposite order inside 16, 32 or 64 bits          |

In quantised kernels: EXT rotates a row of A past the weights in the dual-issue kernel, and moves the remaining columns
down in the stores of a tile's last columns.

Traps: EXT of a register with itself rotates; its index counts bytes in A64 and elements in AArch32.
VZIP.32 and VUZP.32 of D registers do not exist by themselves: they are VTRN.32.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, count, extend, interleave, join, pairs, reverse, view, x16, x32


@insn(a64="""EXT <d>.<T>, <n>.<T>, <m>.<T>, #<index:0-n1> | x8""",
      a32="VEXT.<size> <d:DQ>, <n:DQ>, <m:DQ>, #<index:0-n1>", types="x8 x16 x32 x64", writes="d",
      timing="asimd_ext")
def ext(n: Lanes, m: Lanes, index: int) -> Result:
    """Extract consecutive lanes out of two registers.

    d[i] <- p[index + i], p = n's lanes followed by m's
    Source: DDI 0487 C7.2 EXT; DDI 0406 A8.8 VEXT.

    >>> from neonsim.arm.semantics import x8
    >>> ext(x8(0, 1, 2, 3), x8(4, 5, 6, 7), 3)
    x8(3, 4, 5, 6)
    """
    return join(n, m)[index:index + count(n)]


@insn(a64="""DUP <d>.<T>, <n>.<Ts>[<index>]
             DUP <d:V>, <n>.<Ts>[<index>]
             MOV <d:V>, <n>.<Ts>[<index>]""",
      a32="VDUP.<size> <d:DQ>, <n:D[index]> | x8 x16 x32", types="x8 x16 x32 x64", writes="d",
      timing="asimd_dup_elem")
def dup(n: Lanes) -> Result:
    """One lane in every lane.

    d[i] <- n[index]
    Source: DDI 0487 C7.2 DUP (element); DDI 0406 A8.8 VDUP (scalar).
    """
    return n


@insn(a64="DUP <d>.<T>, <n:Re>", a32="VDUP{c}.<size> <d:DQ>, <n:R> | x8 x16 x32", types="x8 x16 x32 x64", writes="d",
      timing="asimd_dup_gpr")
def dup_general(like: Lanes, n: Lanes) -> Result:
    """A general register in every lane.

    d[i] <- low bits of n
    Source: DDI 0487 C7.2 DUP (general); DDI 0406 A8.8 VDUP (core register).
    """
    return view(n, like.type)[0]


@insn(a64="""INS <d>.<Ts>[<index>], <n>.<Ts>[<index>]
             MOV <d>.<Ts>[<index>], <n>.<Ts>[<index>]""", types="x8 x16 x32 x64", writes="d",
      timing="asimd_ins_elem")
def ins(n: Lanes) -> Result:
    """Replace one lane by a lane.

    d[index1] <- n[index2]
    Source: DDI 0487 C7.2 INS (element).
    """
    return n


@insn(a64="""INS <d>.<Ts>[<index>], <n:Re>
             MOV <d>.<Ts>[<index>], <n:Re>""",
      a32="VMOV{c}.<size> <d:D[index]>, <n:R> | x8 x16 x32", types="x8 x16 x32 x64", writes="d",
      timing="asimd_ins_gpr")
def ins_general(like: Lanes, n: Lanes) -> Result:
    """Replace one lane by a general register.

    d[index] <- low bits of n
    Source: DDI 0487 C7.2 INS (general); DDI 0406 A8.8 VMOV (core register to scalar).
    """
    return view(n, like.type)[0]


@insn(a64="""UMOV <d:Re>, <n>.<Ts>[<index>]
             MOV <d:Re>, <n>.<Ts>[<index>] | x32 x64""",
      a32="""VMOV{c}.<dt> <d:R>, <n:D[index]> | u8 u16
             VMOV{c}.<size> <d:R>, <n:D[index]> | x32""", types="x8 x16 x32 x64", writes="d", timing="asimd_to_gpr")
def umov(like: Lanes, n: Lanes) -> Result:
    """One lane to a general register, zero-extended.

    d <- n[index]
    Source: DDI 0487 C7.2 UMOV; DDI 0406 A8.8 VMOV (scalar to core register).
    """
    return extend(n, like.type)


@insn(a64="""SMOV <d:W>, <n>.<Ts>[<index>] | s8 s16
             SMOV <d:X>, <n>.<Ts>[<index>] | s8 s16 s32""",
      a32="VMOV{c}.<dt> <d:R>, <n:D[index]> | s8 s16", types="s8 s16 s32", writes="d", timing="asimd_to_gpr")
def smov(like: Lanes, n: Lanes) -> Result:
    """One lane to a general register, sign-extended.

    d <- n[index]
    Source: DDI 0487 C7.2 SMOV; DDI 0406 A8.8 VMOV (scalar to core register).
    """
    return extend(n, like.type)


@insn(a64="""FMOV <d:X>, <n:D>
             FMOV <d:W>, <n:S>
             FMOV <d:X>, <n>.d[1]""", a32="VMOV{c} <d:R>, <n:S>", writes="d", timing="fmov_to_gpr")
def fmov_to_general(n: Lanes) -> Result:
    """The bits of a scalar register, or of the upper half of a vector, to a general register.

    d <- n
    Source: DDI 0487 C7.2 FMOV (general); DDI 0406 A8.8 VMOV (between core register and single-precision register).
    """
    return n


@insn(a64="""FMOV <d:D>, <n:X>
             FMOV <d:S>, <n:W>
             FMOV <d>.d[1], <n:X>""", a32="VMOV{c} <d:S>, <n:R>", writes="d", timing="fmov_from_gpr")
def fmov_from_general(n: Lanes) -> Result:
    """The bits of a general register to a scalar one, or to the upper half of a vector.

    d <- n
    Source: DDI 0487 C7.2 FMOV (general); DDI 0406 A8.8 VMOV (between core register and single-precision register).
    """
    return n


@insn(a64="""FMOV <d:W>, <n:H>
             FMOV <d:X>, <n:H>""", a32="VMOV.f16 <d:R>, <n:H>", types="f16", writes="d", timing="fmov_to_gpr")
def fmov_half_to_general(like: Lanes, n: Lanes) -> Result:
    """The bits of a half-precision number to a general register.

    d <- n in the low half word, zeros above
    Source: DDI 0487 C7.2 FMOV (general); DDI 0487 F6.1 VMOV (between general-purpose register and half-precision).
    """
    return extend(view(n, x16), like.type)


@insn(a64="""FMOV <d:H>, <n:W>
             FMOV <d:H>, <n:X>""", a32="VMOV.f16 <d:H>, <n:R>", types="f16", writes="d", timing="fmov_from_gpr")
def fmov_half_from_general(n: Lanes) -> Result:
    """The low half word of a general register to a scalar register, as a half-precision number.

    d <- low half word of n, zeros above
    Source: DDI 0487 C7.2 FMOV (general); DDI 0487 F6.1 VMOV (between general-purpose register and half-precision).
    """
    return view(n, x16)[0]


@insn(a64="FMOV <d:H>, <n:H>", types="f16", writes="d", timing="asimd_mov")
def fmov_half(n: Lanes) -> Result:
    """Copy a scalar register of half precision.

    d <- n
    Source: DDI 0487 C7.2 FMOV (register).
    """
    return n


@insn(a64="""FMOV <d:D>, <n:D>
             FMOV <d:S>, <n:S>""", writes="d", timing="asimd_mov")
def fmov(n: Lanes) -> Result:
    """Copy a scalar register.

    d <- n
    Source: DDI 0487 C7.2 FMOV (register).
    """
    return n


@insn(a32="VMOV{c} <d:D>, <n:R>, <m:R>", writes="d", timing="fmov_from_gpr")
def vmov_two_general(n: Lanes, m: Lanes) -> Result:
    """Two general registers to a d register.

    d <- n in the low word, m in the high word
    Source: DDI 0406 A8.8 VMOV (between two core registers and a doubleword).
    """
    return join(n, m)


@insn(a32="VMOV{c} <d:R>, <n:R>, <m:D> | distinct=1", writes="d n", timing="fmov_to_gpr")
def vmov_to_two_general(m: Lanes) -> Result:
    """A d register to two general registers.

    d <- low word of m, n <- high word of m
    Source: DDI 0406 A8.8 VMOV (between two core registers and a doubleword).
    """
    words = view(m, x32)
    return words[0], words[1]


@insn(a32="VMOV{c} <t1:S>, <t2:S>, <n:R>, <m:R> | consecutive=t", writes="t", timing="fmov_from_gpr")
def vmov_to_two_scalars(n: Lanes, m: Lanes) -> Result:
    """Two general registers to two s registers, the second one behind the first.

    t1 <- n, t2 <- m
    Source: DDI 0406 A8.8 VMOV (between two core registers and two single-precision registers).
    """
    return join(n, m)


@insn(a32="VMOV{c} <d:R>, <n:R>, <t1:S>, <t2:S> | consecutive=t distinct=1", writes="d n", timing="fmov_to_gpr")
def vmov_from_two_scalars(t: Lanes) -> Result:
    """Two s registers, the second one behind the first, to two general registers.

    d <- t1, n <- t2
    Source: DDI 0406 A8.8 VMOV (between two core registers and two single-precision registers).
    """
    words = view(t, x32)
    return words[0], words[1]


@insn(a64="ZIP1 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def zip1(n: Lanes, m: Lanes) -> Result:
    """Interleave the lower halves.

    d[2*i] <- n[i], d[2*i + 1] <- m[i]
    Source: DDI 0487 C7.2 ZIP1.
    """
    h = count(n) // 2
    return interleave(n[:h], m[:h])


@insn(a64="ZIP2 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def zip2(n: Lanes, m: Lanes) -> Result:
    """Interleave the upper halves.

    d[2*i] <- n[h + i], d[2*i + 1] <- m[h + i], h = half the lanes
    Source: DDI 0487 C7.2 ZIP2.
    """
    h = count(n) // 2
    return interleave(n[h:], m[h:])


@insn(a64="UZP1 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def uzp1(n: Lanes, m: Lanes) -> Result:
    """Even lanes of n, then of m.

    d[i] <- p[2*i], p = n's lanes followed by m's
    Source: DDI 0487 C7.2 UZP1.
    """
    return pairs(join(n, m))[0]


@insn(a64="UZP2 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def uzp2(n: Lanes, m: Lanes) -> Result:
    """Odd lanes of n, then of m.

    d[i] <- p[2*i + 1], p = n's lanes followed by m's
    Source: DDI 0487 C7.2 UZP2.
    """
    return pairs(join(n, m))[1]


@insn(a64="TRN1 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def trn1(n: Lanes, m: Lanes) -> Result:
    """Even lanes of n and m, side by side.

    d[2*i] <- n[2*i], d[2*i + 1] <- m[2*i]
    Source: DDI 0487 C7.2 TRN1.
    """
    return interleave(pairs(n)[0], pairs(m)[0])


@insn(a64="TRN2 <d>.<T>, <n>.<T>, <m>.<T>", types="x8 x16 x32 x64", writes="d", timing="asimd_zip")
def trn2(n: Lanes, m: Lanes) -> Result:
    """Odd lanes of n and m, side by side.

    d[2*i] <- n[2*i + 1], d[2*i + 1] <- m[2*i + 1]
    Source: DDI 0487 C7.2 TRN2.
    """
    return interleave(pairs(n)[1], pairs(m)[1])


@insn(a32="VTRN.<size> <d:DQ>, <n:DQ> | x8 x16 x32 distinct=1", types="x8 x16 x32", writes="d n", timing="asimd_swap")
def vtrn(d: Lanes, n: Lanes) -> Result:
    """Transpose 2x2 blocks of lanes, in place: rows d and n.

    d[2*i + 1] and n[2*i] change places
    d <- d[0] n[0] d[2] n[2] ..., n <- d[1] n[1] d[3] n[3] ...

    Source: DDI 0406 A8.8 VTRN.

    >>> from neonsim.arm.semantics import x16
    >>> vtrn(x16(0, 1, 2, 3), x16(10, 11, 12, 13))
    (x16(0, 10, 2, 12), x16(1, 11, 3, 13))
    """
    return interleave(pairs(d)[0], pairs(n)[0]), interleave(pairs(d)[1], pairs(n)[1])


@insn(a32="""VZIP.<size> <d:D>, <n:D> | x8 x16 x32 distinct=1
             VZIP.<size> <d:Q>, <n:Q> | x8 x16 x32 distinct=1""", types="x8 x16 x32", writes="d n", timing="asimd_swap")
def vzip(d: Lanes, n: Lanes) -> Result:
    """Interleave, in place.

    d <- d[0] n[0] d[1] n[1] ..., n <- the upper halves likewise
    Source: DDI 0406 A8.8 VZIP.
    """
    h = count(d) // 2
    return interleave(d[:h], n[:h]), interleave(d[h:], n[h:])


@insn(a32="""VUZP.<size> <d:D>, <n:D> | x8 x16 x32 distinct=1
             VUZP.<size> <d:Q>, <n:Q> | x8 x16 x32 distinct=1""", types="x8 x16 x32", writes="d n", timing="asimd_swap")
def vuzp(d: Lanes, n: Lanes) -> Result:
    """Take apart what VZIP interleaved, in place.

    d <- even lanes of d, then of n; n <- odd lanes of d, then of n
    Source: DDI 0406 A8.8 VUZP.
    """
    even, odd = pairs(join(d, n))
    return even, odd


@insn(a32="""VSWP <d:DQ>, <n:DQ> | x8 distinct=1
             VSWP.<size> <d:DQ>, <n:DQ> | x8 x16 x32 x64 distinct=1""", types="x8", writes="d n", timing="asimd_swap")
def vswp(d: Lanes, n: Lanes) -> Result:
    """Two registers change places.

    d <- n, n <- d
    Source: DDI 0406 A8.8 VSWP.
    """
    return n, d


@insn(a64="REV64 <d>.<T>, <n>.<T>", a32="VREV64.<size> <d:DQ>, <n:DQ>", types="x8 x16 x32", writes="d",
      timing="asimd_zip")
def rev64(n: Lanes) -> Result:
    """Lanes in the opposite order inside every 64 bits.

    d[8*j + i] <- n[8*j + 7 - i] for bytes; 4 halfwords, 2 words likewise
    Source: DDI 0487 C7.2 REV64; DDI 0406 A8.8 VREV64.
    """
    return reverse(n, 64)


@insn(a64="REV32 <d>.<T>, <n>.<T>", a32="VREV32.<size> <d:DQ>, <n:DQ>", types="x8 x16", writes="d",
      timing="asimd_zip")
def rev32(n: Lanes) -> Result:
    """Lanes in the opposite order inside every 32 bits.

    d[4*j + i] <- n[4*j + 3 - i] for bytes; 2 halfwords likewise
    Source: DDI 0487 C7.2 REV32; DDI 0406 A8.8 VREV32.
    """
    return reverse(n, 32)


@insn(a64="REV16 <d>.<T>, <n>.<T>", a32="VREV16.<size> <d:DQ>, <n:DQ>", types="x8", writes="d", timing="asimd_zip")
def rev16(n: Lanes) -> Result:
    """Neighbouring bytes change places.

    d[2*j + i] <- n[2*j + 1 - i]
    Source: DDI 0487 C7.2 REV16; DDI 0406 A8.8 VREV16.
    """
    return reverse(n, 16)
