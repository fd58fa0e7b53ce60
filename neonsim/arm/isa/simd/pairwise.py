"""Pairwise and across lanes: neighbours added, whole vectors added.

| instruction       | d        | result                                                     |
|-------------------|----------|------------------------------------------------------------|
| ADDP              | w        | neighbours of n, then of m                                 |
| SADDLP, UADDLP    | 2w       | neighbours of n, widened first                             |
| SADALP, UADALP    | 2w       | the same, added to d                                       |
| ADDV              | w        | all lanes                                                  |
| SADDLV, UADDLV    | 2w       | all lanes, widened first                                   |
| SMAXV, UMINV ...  | w        | the largest, the smallest of all lanes                     |

In quantised kernels: UADALP (VPADAL.U16) collects the 16-bit products of UMULL into 32-bit sums, two at a time, in the
add pipe while the multiply pipe is busy: the dual-issue kernel.

Traps: AArch32's VPADD has D registers only; ADDP exists as a scalar that adds the two halves of a register.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, compare, join, largest, pairs, select, smallest, total, wide

INTEGERS = "s8 s16 s32 u8 u16 u32"


@insn(a64="ADDP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPADD.<i> <d:D>, <n:D>, <m:D> | x8 x16 x32",
      types="x8 x16 x32 x64", writes="d", timing="asimd_add_pair")
def addp(n: Lanes, m: Lanes) -> Result:
    """Add neighbouring lanes of n, then of m.

    d[i] <- p[2*i] + p[2*i + 1], p = n's lanes followed by m's
    Source: DDI 0487 C7.2 ADDP (vector); DDI 0406 A8.8 VPADD (integer).
    """
    even, odd = pairs(join(n, m))
    return even + odd


@insn(a64="ADDP <d:D>, <n>.2d", types="x64", writes="d", timing="asimd_add_pair")
def addp_scalar(n: Lanes) -> Result:
    """Add the two lanes of a register.

    d <- n[0] + n[1]
    Source: DDI 0487 C7.2 ADDP (scalar).
    """
    return total(n)


@insn(a64="{S|U}ADDLP <d>.<Tp>, <n>.<T>", a32="VPADDL.<dt> <d:DQ2>, <n:DQ>", types=INTEGERS, writes="d",
      timing="asimd_add_pair_long")
def addlp(n: Lanes) -> Result:
    """Add neighbouring lanes, long.

    d[i] <- wide(n[2*i]) + wide(n[2*i + 1])
    Source: DDI 0487 C7.2 SADDLP, UADDLP; DDI 0406 A8.8 VPADDL.
    """
    even, odd = pairs(wide(n))
    return even + odd


@insn(a64="{S|U}ADALP <d>.<Tp>, <n>.<T>", a32="VPADAL.<dt> <d:DQ2>, <n:DQ>", types=INTEGERS, writes="d",
      timing="asimd_add_acc_pair")
def adalp(a: Lanes, n: Lanes) -> Result:
    """Add neighbouring lanes, long, and accumulate.

    d[i] <- d[i] + wide(n[2*i]) + wide(n[2*i + 1]), modulo 2**(2w)
    Source: DDI 0487 C7.2 SADALP, UADALP; DDI 0406 A8.8 VPADAL.

    >>> from neonsim.arm.semantics import u16, u32
    >>> adalp(u32(1, 2), u16(65535, 1, 3, 4))
    u32(65537, 9)
    """
    even, odd = pairs(wide(n))
    return a + (even + odd)


@insn(a64="ADDV <d:V>, <n>.<T> | x8 x16 x32 not=2s", types="x8 x16 x32", writes="d", timing="asimd_reduce")
def addv(n: Lanes) -> Result:
    """Add across all lanes.

    d <- n[0] + n[1] + ..., modulo 2**w
    Arrangements 8b 16b 4h 8h 4s: two 32-bit lanes are ADDP's business.

    Source: DDI 0487 C7.2 ADDV.
    """
    return total(n)


@insn(a64="{S|U}ADDLV <d:V2>, <n>.<T> | s8 s16 s32 u8 u16 u32 not=2s", types=INTEGERS, writes="d",
      timing="asimd_reduce_long")
def addlv(n: Lanes) -> Result:
    """Add across all lanes, long.

    d <- wide(n[0]) + wide(n[1]) + ...
    Source: DDI 0487 C7.2 SADDLV, UADDLV.
    """
    return total(wide(n))


@insn(a64="{S|U}MAXP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPMAX.<dt> <d:D>, <n:D>, <m:D>", types=INTEGERS, writes="d",
      timing="asimd_min_max_pair")
def maxp(n: Lanes, m: Lanes) -> Result:
    """Larger of neighbouring lanes of n, then of m.

    d[i] <- max(p[2*i], p[2*i + 1]), p = n's lanes followed by m's
    Source: DDI 0487 C7.2 SMAXP, UMAXP; DDI 0406 A8.8 VPMAX (integer).
    """
    even, odd = pairs(join(n, m))
    return select(compare(even, ">", odd), even, odd)


@insn(a64="{S|U}MINP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPMIN.<dt> <d:D>, <n:D>, <m:D>", types=INTEGERS, writes="d",
      timing="asimd_min_max_pair")
def minp(n: Lanes, m: Lanes) -> Result:
    """Smaller of neighbouring lanes of n, then of m.

    d[i] <- min(p[2*i], p[2*i + 1]), p = n's lanes followed by m's
    Source: DDI 0487 C7.2 SMINP, UMINP; DDI 0406 A8.8 VPMIN (integer).
    """
    even, odd = pairs(join(n, m))
    return select(compare(even, "<", odd), even, odd)


@insn(a64="{S|U}MAXV <d:V>, <n>.<T> | s8 s16 s32 u8 u16 u32 not=2s", types=INTEGERS, writes="d",
      timing="asimd_min_max_reduce")
def maxv(n: Lanes) -> Result:
    """Largest of all lanes.

    d <- max(n[0], n[1], ...)
    Source: DDI 0487 C7.2 SMAXV, UMAXV.
    """
    return largest(n)


@insn(a64="{S|U}MINV <d:V>, <n>.<T> | s8 s16 s32 u8 u16 u32 not=2s", types=INTEGERS, writes="d",
      timing="asimd_min_max_reduce")
def minv(n: Lanes) -> Result:
    """Smallest of all lanes.

    d <- min(n[0], n[1], ...)
    Source: DDI 0487 C7.2 SMINV, UMINV.
    """
    return smallest(n)
