"""Add and subtract: same width, long, wide, narrowing.

| instruction       | d        | n        | m        | result                          |
|-------------------|----------|----------|----------|---------------------------------|
| ADD, SUB          | w        | w        | w        | n +- m                          |
| SADDL, USUBL ...  | 2w       | w        | w        | both widened first              |
| SADDW, USUBW ...  | 2w       | 2w       | w        | only m widened                  |
| ADDHN, SUBHN      | w        | 2w       | 2w       | high half of n +- m             |
| RADDHN, RSUBHN    | w        | 2w       | 2w       | the same, rounded               |
| SQADD, UQSUB ...  | w        | w        | w        | clamped instead of wrapped, QC  |
| NEG, ABS          | w        | w        |          | -n, absolute value (wraps)      |

In quantised kernels: USUBL (VSUBL.U8) takes 8-bit weights to 16 bits and subtracts their zero point in one instruction,
at the price of the plain widening UXTL; SQADD adds the output zero point without leaving 16 bits.

Traps: SADDL reads half registers, SADDL2 the upper halves; ABS of the smallest number is that number.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, bits, compare, half, narrow, sat, select, signed, view, wide

INTEGERS = "s8 s16 s32 u8 u16 u32"
ALL = "s8 s16 s32 s64 u8 u16 u32 u64"


@insn(a64="""ADD <d>.<T>, <n>.<T>, <m>.<T>
             ADD <d:V>, <n:V>, <m:V> | x64""",
      a32="VADD.<i> <d:DQ>, <n:DQ>, <m:DQ>", types="x8 x16 x32 x64", writes="d", timing="asimd_add")
def vadd(n: Lanes, m: Lanes) -> Result:
    """Add.

    d[i] <- n[i] + m[i], modulo 2**w
    Source: DDI 0487 C7.2 ADD (vector); DDI 0406 A8.8 VADD (integer).
    """
    return n + m


@insn(a64="""SUB <d>.<T>, <n>.<T>, <m>.<T>
             SUB <d:V>, <n:V>, <m:V> | x64""",
      a32="VSUB.<i> <d:DQ>, <n:DQ>, <m:DQ>", types="x8 x16 x32 x64", writes="d", timing="asimd_add")
def vsub(n: Lanes, m: Lanes) -> Result:
    """Subtract.

    d[i] <- n[i] - m[i], modulo 2**w
    Source: DDI 0487 C7.2 SUB (vector); DDI 0406 A8.8 VSUB (integer).
    """
    return n - m


@insn(a64="{S|U}ADDL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>", a32="VADDL.<dt> <d:Q2>, <n:D>, <m:D>",
      types=INTEGERS, writes="d", timing="asimd_add_long")
def addl(n: Lanes, m: Lanes) -> Result:
    """Add long: both sources widened first.

    d[i] <- wide(n[i]) + wide(m[i])
    Source: DDI 0487 C7.2 SADDL, UADDL; DDI 0406 A8.8 VADDL.
    """
    return wide(n) + wide(m)


@insn(a64="{S|U}SUBL{2} <d>.<Ta>, <n>.<Tb>, <m>.<Tb>", a32="VSUBL.<dt> <d:Q2>, <n:D>, <m:D>",
      types=INTEGERS, writes="d", timing="asimd_add_long")
def subl(n: Lanes, m: Lanes) -> Result:
    """Subtract long: both sources widened first.

    d[i] <- wide(n[i]) - wide(m[i]), modulo 2**(2w)
    A difference of bytes lies in -255..255 and fits 16 bits, read as signed, for the unsigned form too.

    Source: DDI 0487 C7.2 SSUBL, USUBL; DDI 0406 A8.8 VSUBL.

    >>> from neonsim.arm.semantics import u8, signed
    >>> signed(subl(u8(0, 200), u8(127, 127)))
    s16(-127, 73)
    """
    return wide(n) - wide(m)


@insn(a64="{S|U}ADDW{2} <d>.<Ta>, <n>.<Ta>, <m>.<Tb>", a32="VADDW.<dt> <d:Q2>, <n:Q2>, <m:D>",
      types=INTEGERS, writes="d", timing="asimd_add_wide")
def addw(n: Lanes, m: Lanes) -> Result:
    """Add wide: only the second source widened.

    d[i] <- n[i] + wide(m[i])
    Source: DDI 0487 C7.2 SADDW, UADDW; DDI 0406 A8.8 VADDW.
    """
    return n + wide(m)


@insn(a64="{S|U}SUBW{2} <d>.<Ta>, <n>.<Ta>, <m>.<Tb>", a32="VSUBW.<dt> <d:Q2>, <n:Q2>, <m:D>",
      types=INTEGERS, writes="d", timing="asimd_add_wide")
def subw(n: Lanes, m: Lanes) -> Result:
    """Subtract wide: only the second source widened.

    d[i] <- n[i] - wide(m[i])
    Source: DDI 0487 C7.2 SSUBW, USUBW; DDI 0406 A8.8 VSUBW.
    """
    return n - wide(m)


@insn(a64="ADDHN{2} <d>.<Tb>, <n>.<Ta>, <m>.<Ta>", a32="VADDHN.<dta> <d:D>, <n:Q2>, <m:Q2>",
      types="x8 x16 x32", writes="d", timing="asimd_add_narrow")
def addhn(n: Lanes, m: Lanes) -> Result:
    """Add, and keep the high half.

    d[i] <- (n[i] + m[i]) >> w, w = width of d's lanes
    Source: DDI 0487 C7.2 ADDHN; DDI 0406 A8.8 VADDHN.
    """
    return narrow(n + m >> bits(n) // 2)


@insn(a64="SUBHN{2} <d>.<Tb>, <n>.<Ta>, <m>.<Ta>", a32="VSUBHN.<dta> <d:D>, <n:Q2>, <m:Q2>",
      types="x8 x16 x32", writes="d", timing="asimd_add_narrow")
def subhn(n: Lanes, m: Lanes) -> Result:
    """Subtract, and keep the high half.

    d[i] <- (n[i] - m[i]) >> w
    Source: DDI 0487 C7.2 SUBHN; DDI 0406 A8.8 VSUBHN.
    """
    return narrow(n - m >> bits(n) // 2)


@insn(a64="RADDHN{2} <d>.<Tb>, <n>.<Ta>, <m>.<Ta>", a32="VRADDHN.<dta> <d:D>, <n:Q2>, <m:Q2>",
      types="x8 x16 x32", writes="d", timing="asimd_add_narrow_round")
def raddhn(n: Lanes, m: Lanes) -> Result:
    """Add, round, and keep the high half.

    d[i] <- (n[i] + m[i] + 2**(w-1)) >> w
    Source: DDI 0487 C7.2 RADDHN; DDI 0406 A8.8 VRADDHN.
    """
    w = bits(n) // 2
    return narrow(n + m + (1 << w - 1) >> w)


@insn(a64="RSUBHN{2} <d>.<Tb>, <n>.<Ta>, <m>.<Ta>", a32="VRSUBHN.<dta> <d:D>, <n:Q2>, <m:Q2>",
      types="x8 x16 x32", writes="d", timing="asimd_add_narrow_round")
def rsubhn(n: Lanes, m: Lanes) -> Result:
    """Subtract, round, and keep the high half.

    d[i] <- (n[i] - m[i] + 2**(w-1)) >> w
    Source: DDI 0487 C7.2 RSUBHN; DDI 0406 A8.8 VRSUBHN.
    """
    w = bits(n) // 2
    return narrow(n - m + (1 << w - 1) >> w)


@insn(a64="""{S|U}QADD <d>.<T>, <n>.<T>, <m>.<T>
             {S|U}QADD <d:V>, <n:V>, <m:V>""",
      a32="VQADD.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d qc", timing="asimd_arith_sat")
def qadd(n: Lanes, m: Lanes) -> Result:
    """Saturating add.

    d[i] <- clamp(n[i] + m[i]) to the range of a lane; QC is set if any lane was clamped
    Source: DDI 0487 C7.2 SQADD, UQADD; DDI 0406 A8.8 VQADD.
    """
    return sat(wide(n) + wide(m), like=n)


@insn(a64="""{S|U}QSUB <d>.<T>, <n>.<T>, <m>.<T>
             {S|U}QSUB <d:V>, <n:V>, <m:V>""",
      a32="VQSUB.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d qc", timing="asimd_arith_sat")
def qsub(n: Lanes, m: Lanes) -> Result:
    """Saturating subtract.

    d[i] <- clamp(n[i] - m[i]) to the range of a lane; QC is set if any lane was clamped
    Source: DDI 0487 C7.2 SQSUB, UQSUB; DDI 0406 A8.8 VQSUB.
    """
    # Signed on purpose: an unsigned difference can be negative, and is clamped to 0.
    return sat(signed(wide(n)) - signed(wide(m)), like=n)


@insn(a64="""NEG <d>.<T>, <n>.<T>
             NEG <d:V>, <n:V> | s64""",
      a32="VNEG.<dt> <d:DQ>, <n:DQ> | s8 s16 s32", types="s8 s16 s32 s64", writes="d", timing="asimd_add")
def vneg(n: Lanes) -> Result:
    """Negate.

    d[i] <- -n[i], modulo 2**w
    Source: DDI 0487 C7.2 NEG (vector); DDI 0406 A8.8 VNEG.
    """
    return -n


@insn(a64="""ABS <d>.<T>, <n>.<T>
             ABS <d:V>, <n:V> | s64""",
      a32="VABS.<dt> <d:DQ>, <n:DQ> | s8 s16 s32", types="s8 s16 s32 s64", writes="d", timing="asimd_abs")
def vabs(n: Lanes) -> Result:
    """Absolute value.

    d[i] <- |n[i]|, modulo 2**w: the smallest number stays what it is
    Source: DDI 0487 C7.2 ABS; DDI 0406 A8.8 VABS.
    """
    return select(compare(n, "<", 0), -n, n)


@insn(a64="""XTN{2} <d>.<Tb>, <n>.<Ta>""", a32="VMOVN.<dta> <d:D>, <n:Q2>",
      types="x8 x16 x32", writes="d", timing="asimd_narrow")
def xtn(n: Lanes) -> Result:
    """Narrow: keep the low half of each lane.

    d[i] <- n[i] modulo 2**w
    Source: DDI 0487 C7.2 XTN; DDI 0406 A8.8 VMOVN.
    """
    return narrow(n)


@insn(a64="""{S|U}QXTN{2} <d>.<Tb>, <n>.<Ta>
             {S|U}QXTN <d:V>, <n:V2>""",
      a32="VQMOVN.<dta> <d:D>, <n:Q2>", types=INTEGERS, writes="d qc", timing="asimd_narrow_sat")
def qxtn(n: Lanes) -> Result:
    """Saturating narrow.

    d[i] <- clamp(n[i]) to half the width, same signedness; QC is set if any lane was clamped
    Source: DDI 0487 C7.2 SQXTN, UQXTN; DDI 0406 A8.8 VQMOVN.
    """
    return sat(n, like=half(n))


@insn(a64="""SQXTUN{2} <d>.<Tb>, <n>.<Ta>
             SQXTUN <d:V>, <n:V2>""",
      a32="VQMOVUN.<dta> <d:D>, <n:Q2>", types="s8 s16 s32", writes="d qc", timing="asimd_narrow_sat")
def sqxtun(n: Lanes) -> Result:
    """Saturating narrow of a signed lane to an unsigned one.

    d[i] <- clamp(n[i]) to 0..2**w - 1; QC is set if any lane was clamped
    The last step of a requantisation to uint8: negative results become 0, large ones 255.

    Source: DDI 0487 C7.2 SQXTUN; DDI 0406 A8.8 VQMOVUN.
    """
    return sat(n, like=half(n).with_("u"))


@insn(a64="{S|U}MIN <d>.<T>, <n>.<T>, <m>.<T>", a32="VMIN.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS,
      writes="d", timing="asimd_min_max")
def vmin(n: Lanes, m: Lanes) -> Result:
    """Smaller of two lanes.

    d[i] <- min(n[i], m[i])
    Source: DDI 0487 C7.2 SMIN, UMIN; DDI 0406 A8.8 VMIN (integer).
    """
    return select(compare(n, "<", m), n, m)


@insn(a64="{S|U}MAX <d>.<T>, <n>.<T>, <m>.<T>", a32="VMAX.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=INTEGERS,
      writes="d", timing="asimd_min_max")
def vmax(n: Lanes, m: Lanes) -> Result:
    """Larger of two lanes.

    d[i] <- max(n[i], m[i])
    Source: DDI 0487 C7.2 SMAX, UMAX; DDI 0406 A8.8 VMAX (integer).
    """
    return select(compare(n, ">", m), n, m)


def _comparison(name: str, relation: str, text: str, a64: str, unsigned: str, a32: str, swapped: str = "") -> None:
    """Compares differ in nothing but the relation: with a register or zero, all ones where it holds.

    unsigned   the A64 mnemonic for unsigned lanes, or "" where the sign does not matter
    swapped    the A32 mnemonic that is written with its sources in the other order
    """

    def register(n: Lanes, m: Lanes) -> Result:
        return compare(n, relation, m)

    def zero(n: Lanes) -> Result:
        return compare(n, relation, 0)

    for function, suffix, other in ((register, "", "m[i]"), (zero, "_zero", "0")):
        function.__name__ = name + suffix
        function.__doc__ = (f"{text}{' with zero' if suffix else ''}.\n\nd[i] <- all ones if n[i] {relation} {other}, "
                            f"else 0\nSource: DDI 0487 C7.2 {a64}; DDI 0406 A8.8 {a32}.")
    kind, suffix = ("s", "dt") if unsigned else ("x", "i")
    words = f"{kind}8 {kind}16 {kind}32"
    lines = [f"{mnemonic} {operands} | {types}" for mnemonic, k in ((a64, kind), (unsigned, "u")) if mnemonic
             for operands, types in (("<d>.<T>, <n>.<T>, <m>.<T>", f"{k}8 {k}16 {k}32 {k}64"),
                                     ("<d:V>, <n:V>, <m:V>", f"{k}64"))]
    other = f"\n{swapped}.<{suffix}> <d:DQ>, <m:DQ>, <n:DQ>" if swapped else ""
    insn(a64="\n".join(lines), a32=f"{a32}.<{suffix}> <d:DQ>, <n:DQ>, <m:DQ>{other}",
         types=INTEGERS if unsigned else words, writes="d", timing="asimd_compare")(register)
    insn(a64=f"{a64} <d>.<T>, <n>.<T>, #<imm:0> | {words} {kind}64\n{a64} <d:V>, <n:V>, #<imm:0> | {kind}64",
         a32=f"{a32}.<{suffix}> <d:DQ>, <n:DQ>, #<imm:0>", types=words, writes="d", timing="asimd_compare")(zero)


_comparison("cmeq", "==", "Compare equal", "CMEQ", "", "VCEQ")
_comparison("cmge", ">=", "Compare greater or equal", "CMGE", "CMHS", "VCGE", "VCLE")
_comparison("cmgt", ">", "Compare greater", "CMGT", "CMHI", "VCGT", "VCLT")


@insn(a64="""CMLE <d>.<T>, <n>.<T>, #<imm:0>
             CMLE <d:V>, <n:V>, #<imm:0> | s64""",
      a32="VCLE.<dt> <d:DQ>, <n:DQ>, #<imm:0> | s8 s16 s32", types="s8 s16 s32 s64", writes="d",
      timing="asimd_compare")
def cmle_zero(n: Lanes) -> Result:
    """Compare less or equal with zero.

    d[i] <- all ones if n[i] <= 0, else 0
    Source: DDI 0487 C7.2 CMLE (zero); DDI 0406 A8.8 VCLE.
    """
    return compare(n, "<=", 0)


@insn(a64="""CMLT <d>.<T>, <n>.<T>, #<imm:0>
             CMLT <d:V>, <n:V>, #<imm:0> | s64""",
      a32="VCLT.<dt> <d:DQ>, <n:DQ>, #<imm:0> | s8 s16 s32", types="s8 s16 s32 s64", writes="d",
      timing="asimd_compare")
def cmlt_zero(n: Lanes) -> Result:
    """Compare less with zero.

    d[i] <- all ones if n[i] < 0, else 0
    Source: DDI 0487 C7.2 CMLT (zero); DDI 0406 A8.8 VCLT.
    """
    return compare(n, "<", 0)


@insn(a64="""CMTST <d>.<T>, <n>.<T>, <m>.<T>
             CMTST <d:V>, <n:V>, <m:V> | x64""",
      a32="VTST.<size> <d:DQ>, <n:DQ>, <m:DQ> | x8 x16 x32", types="x8 x16 x32 x64", writes="d",
      timing="asimd_compare_test")
def cmtst(n: Lanes, m: Lanes) -> Result:
    """Test bits.

    d[i] <- all ones if n[i] and m[i] have a bit in common, else 0
    Source: DDI 0487 C7.2 CMTST; DDI 0406 A8.8 VTST.
    """
    return view(compare(n & m, "!=", 0), n.type)
