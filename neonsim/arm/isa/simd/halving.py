"""Halving, and absolute differences: results that need one bit more on the way than in the end.

| instruction              | d    | result                                                       |
|--------------------------|------|--------------------------------------------------------------|
| SHADD, UHADD             | w    | (n + m) / 2, rounded down                                    |
| SRHADD, URHADD           | w    | (n + m) / 2, to nearest, ties up                             |
| SHSUB, UHSUB             | w    | (n - m) / 2, rounded down                                    |
| SABD, UABD               | w    | the distance of n and m                                      |
| SABA, UABA               | w    | d + the distance                                             |
| SABDL, UABDL             | 2w   | the distance, widened                                        |
| SABAL, UABAL             | 2w   | d + the distance, widened                                    |

In quantised kernels: URHADD averages two uint8 tensors of one scale (average pooling of 2, residual additions);
UABAL sums absolute differences; a distance of signed bytes reaches 255, which UABDL and SABDL keep.

Traps: the distance of two signed lanes is an unsigned number: 127 and -128 are 255 apart, and SABD prints -1 for it.
URHADD of (0, 1) is 1, UHADD is 0.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, compare, narrow, select, unsigned, wide

INTEGERS = "s8 s16 s32 u8 u16 u32"


@insn(a64="{S|U}HADD <d>.<T>, <n>.<T>, <m>.<T>", a32="VHADD.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS, writes="d",
      timing="asimd_add")
def hadd(n: Lanes, m: Lanes) -> Result:
    """Halving add.

    d[i] <- (n[i] + m[i]) >> 1, the sum without wrapping
    Source: DDI 0487 C7.2 SHADD, UHADD; DDI 0406 A8.8 VHADD.

    >>> from neonsim.arm.semantics import u8
    >>> hadd(u8(255, 0), u8(254, 1))
    u8(254, 0)
    """
    return narrow(wide(n) + wide(m) >> 1)


@insn(a64="{S|U}RHADD <d>.<T>, <n>.<T>, <m>.<T>", a32="VRHADD.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS,
      writes="d", timing="asimd_add")
def rhadd(n: Lanes, m: Lanes) -> Result:
    """Rounding halving add: the mean, ties up.

    d[i] <- (n[i] + m[i] + 1) >> 1, the sum without wrapping
    Source: DDI 0487 C7.2 SRHADD, URHADD; DDI 0406 A8.8 VRHADD.

    >>> from neonsim.arm.semantics import s8
    >>> rhadd(s8(-1, 127), s8(0, 126))
    s8(0, 127)
    """
    return narrow(wide(n) + wide(m) + 1 >> 1)


@insn(a64="{S|U}HSUB <d>.<T>, <n>.<T>, <m>.<T>", a32="VHSUB.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS, writes="d",
      timing="asimd_add")
def hsub(n: Lanes, m: Lanes) -> Result:
    """Halving subtract.

    d[i] <- (n[i] - m[i]) >> 1, the difference without wrapping; modulo 2**w
    Source: DDI 0487 C7.2 SHSUB, UHSUB; DDI 0406 A8.8 VHSUB.
    """
    return narrow(wide(n) - wide(m) >> 1)


@insn(a64="{S|U}ABD <d>.<T>, <n>.<T>, <m>.<T>", a32="VABD.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS, writes="d",
      timing="asimd_abs_diff")
def abd(n: Lanes, m: Lanes) -> Result:
    """Absolute difference.

    d[i] <- |n[i] - m[i]|, modulo 2**w
    Source: DDI 0487 C7.2 SABD, UABD; DDI 0406 A8.8 VABD (integer).

    >>> from neonsim.arm.semantics import u8
    >>> abd(u8(3, 255), u8(5, 0))
    u8(2, 255)
    """
    return select(compare(n, ">", m), n - m, m - n)


@insn(a64="{S|U}ABA <d>.<T>, <n>.<T>, <m>.<T>", a32="VABA.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS, writes="d",
      timing="asimd_abs_diff_acc")
def aba(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Absolute difference and accumulate.

    d[i] <- d[i] + |n[i] - m[i]|, modulo 2**w
    Source: DDI 0487 C7.2 SABA, UABA; DDI 0406 A8.8 VABA.
    """
    return a + select(compare(n, ">", m), n - m, m - n)


@insn(a64="{S|U}ABDL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>", a32="VABDL.<dt> <d:Q2>, <n:D>, <m:D>", types=INTEGERS,
      writes="d", timing="asimd_abs_diff")
def abdl(n: Lanes, m: Lanes) -> Result:
    """Absolute difference, long: the whole distance.

    d[i] <- |wide(n[i]) - wide(m[i])|
    Source: DDI 0487 C7.2 SABDL, UABDL; DDI 0406 A8.8 VABDL (integer).
    """
    return wide(unsigned(select(compare(n, ">", m), n - m, m - n)))


@insn(a64="{S|U}ABAL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>", a32="VABAL.<dt> <d:Q2>, <n:D>, <m:D>", types=INTEGERS,
      writes="d", timing="asimd_abs_diff_acc_long")
def abal(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Absolute difference, long, and accumulate.

    d[i] <- d[i] + |wide(n[i]) - wide(m[i])|, modulo 2**(2w)
    Source: DDI 0487 C7.2 SABAL, UABAL; DDI 0406 A8.8 VABAL.
    """
    return a + wide(unsigned(select(compare(n, ">", m), n - m, m - n)))
