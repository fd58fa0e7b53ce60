"""Saturation outside of sums: absolute values, mixed signs, shifts and shifts that narrow.

| instruction                     | d    | result                                                    |
|---------------------------------|------|-----------------------------------------------------------|
| SQABS, SQNEG                    | w    | absolute value, negation; of the smallest number: largest |
| SUQADD, USQADD                  | w    | d + n, one signed, one unsigned, clamped as d             |
| SQSHL, UQSHL #                  | w    | n << shift, clamped                                       |
| SQSHLU #                        | w    | the same of a signed lane, clamped to unsigned            |
| SQSHL, UQSHL by register        | w    | left clamped, right as SSHL                               |
| SQRSHL, UQRSHL                  | w    | the same; a right shift rounds to nearest, ties up        |
| SQSHRN, UQSHRN, SQSHRUN         | w/2  | n >> shift, clamped to half the width                     |
| SQRSHRN, UQRSHRN, SQRSHRUN      | w/2  | the same, to nearest, ties up                             |

In quantised kernels: SQSHL by a register is the left pre-shift of the rndnu requantisation; SQRSHRUN turns 16-bit
sums into uint8 with rounding and both clamps in one instruction (average pooling, softmax tables).

Traps: QC is sticky: it stays set until it is written. Only the low byte of a shift lane counts, also here. A right
shift by a register never saturates, an SQRSHRN can.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, bits, compare, half, sat, select, shift_by, signed, unsigned, wide

ALL = "s8 s16 s32 s64 u8 u16 u32 u64"
SIGNED = "s8 s16 s32 s64"


@insn(a64="""SQABS <d>.<T>, <n>.<T>
             SQABS <d:V>, <n:V>""", a32="VQABS.<dt> <d:DQ>, <n:DQ> | s8 s16 s32", types=SIGNED, writes="d qc",
      timing="asimd_abs_sat")
def sqabs(n: Lanes) -> Result:
    """Saturating absolute value.

    d[i] <- clamp(|n[i]|); the smallest number is the one that is clamped
    Source: DDI 0487 C7.2 SQABS; DDI 0406 A8.8 VQABS.

    >>> from neonsim.arm.semantics import s8
    >>> d, qc = sqabs(s8(-128, -3))
    >>> d.tolist(), bool(qc)
    ([127, 3], True)
    """
    w = wide(n)
    return sat(select(compare(w, "<", 0), -w, w), like=n)


@insn(a64="""SQNEG <d>.<T>, <n>.<T>
             SQNEG <d:V>, <n:V>""", a32="VQNEG.<dt> <d:DQ>, <n:DQ> | s8 s16 s32", types=SIGNED, writes="d qc",
      timing="asimd_arith_sat")
def sqneg(n: Lanes) -> Result:
    """Saturating negate.

    d[i] <- clamp(-n[i]); the smallest number is the one that is clamped
    Source: DDI 0487 C7.2 SQNEG; DDI 0406 A8.8 VQNEG.
    """
    return sat(-wide(n), like=n)


@insn(a64="""SUQADD <d>.<T>, <n>.<T>
             SUQADD <d:V>, <n:V>""", types=SIGNED, writes="d qc", timing="asimd_arith_sat")
def suqadd(d: Lanes, n: Lanes) -> Result:
    """Add an unsigned lane to a signed one, saturating.

    d[i] <- clamp(d[i] + unsigned(n[i]))
    Source: DDI 0487 C7.2 SUQADD.
    """
    return sat(wide(d) + signed(wide(unsigned(n))), like=d)


@insn(a64="""USQADD <d>.<T>, <n>.<T>
             USQADD <d:V>, <n:V>""", types="u8 u16 u32 u64", writes="d qc", timing="asimd_arith_sat")
def usqadd(d: Lanes, n: Lanes) -> Result:
    """Add a signed lane to an unsigned one, saturating.

    d[i] <- clamp(d[i] + signed(n[i]))
    Source: DDI 0487 C7.2 USQADD.
    """
    return sat(signed(wide(d)) + wide(signed(n)), like=d)


@insn(a64="""{S|U}QSHL <d>.<T>, <n>.<T>, #<shift:0-w1>
             {S|U}QSHL <d:V>, <n:V>, #<shift:0-w1>""", a32="VQSHL.<dt> <d:DQ>, <n:DQ>, #<shift:0-w1>", types=ALL,
      writes="d qc", timing="asimd_shift_round_imm")
def qshl(n: Lanes, shift: int) -> Result:
    """Saturating shift left by a constant.

    d[i] <- clamp(n[i] << shift)
    Source: DDI 0487 C7.2 SQSHL, UQSHL (immediate); DDI 0406 A8.8 VQSHL (immediate).
    """
    return sat(wide(n) << shift, like=n)


@insn(a64="""SQSHLU <d>.<T>, <n>.<T>, #<shift:0-w1>
             SQSHLU <d:V>, <n:V>, #<shift:0-w1>""", a32="VQSHLU.<dt> <d:DQ>, <n:DQ>, #<shift:0-w1>", types=SIGNED,
      writes="d qc", timing="asimd_shift_round_imm")
def sqshlu(n: Lanes, shift: int) -> Result:
    """Saturating shift left of a signed lane to an unsigned one.

    d[i] <- clamp(n[i] << shift) to 0..2**w - 1
    Source: DDI 0487 C7.2 SQSHLU; DDI 0406 A8.8 VQSHLU.
    """
    return sat(wide(n) << shift, like=n.type.with_("u"))


@insn(a64="""{S|U}QSHL <d>.<T>, <n>.<T>, <m>.<T>
             {S|U}QSHL <d:V>, <n:V>, <m:V>""", a32="VQSHL.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d qc",
      timing="asimd_shift_round_reg")
def qshl_register(n: Lanes, m: Lanes) -> Result:
    """Saturating shift by a register: left if positive, right if negative.

    d[i] <- clamp(n[i] << m[i]), or n[i] >> -m[i]; m[i] is the signed low byte of m's lane
    Source: DDI 0487 C7.2 SQSHL, UQSHL (register); DDI 0406 A8.8 VQSHL (register).
    """
    amount = (signed(m) & 0xFF ^ 0x80) - 0x80
    # Shifted by the whole width a lane is clamped already, and fits twice the width.
    amount = select(compare(amount, ">", bits(n)), amount - amount + bits(n), amount)
    return sat(shift_by(wide(n), wide(amount)), like=n)


@insn(a64="""{S|U}QRSHL <d>.<T>, <n>.<T>, <m>.<T>
             {S|U}QRSHL <d:V>, <n:V>, <m:V>""", a32="VQRSHL.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d qc",
      timing="asimd_shift_round_reg")
def qrshl(n: Lanes, m: Lanes) -> Result:
    """Saturating shift by a register, right shifts to nearest, ties up.

    d[i] <- clamp(n[i] << m[i]), or (n[i] + 2**(r-1)) >> r with r = -m[i]
    Source: DDI 0487 C7.2 SQRSHL, UQRSHL; DDI 0406 A8.8 VQRSHL.
    """
    amount = (signed(m) & 0xFF ^ 0x80) - 0x80
    amount = select(compare(amount, ">", bits(n)), amount - amount + bits(n), amount)
    return sat(shift_by(wide(n), wide(amount), rounding=True), like=n)


_NARROW_A64 = """{name}{{2}} <d>.<Tb>, <n>.<Ta>, #<shift:1-w>
{name} <d:V>, <n:V2>, #<shift:1-w>"""
_NARROW_A32 = "{name}.<dta> <d:D>, <n:Q2>, #<shift:1-w>"
INTEGERS = "s8 s16 s32 u8 u16 u32"


@insn(a64=_NARROW_A64.format(name="{S|U}QSHRN"), a32=_NARROW_A32.format(name="VQSHRN"), types=INTEGERS,
      writes="d qc", timing="asimd_narrow_sat")
def qshrn(n: Lanes, shift: int) -> Result:
    """Shift right and narrow, saturating.

    d[i] <- clamp(n[i] >> shift) to half the width, same signedness
    Source: DDI 0487 C7.2 SQSHRN, UQSHRN; DDI 0406 A8.8 VQSHRN.
    """
    return sat(n >> shift, like=half(n))


@insn(a64=_NARROW_A64.format(name="{S|U}QRSHRN"), a32=_NARROW_A32.format(name="VQRSHRN"), types=INTEGERS,
      writes="d qc", timing="asimd_narrow_sat")
def qrshrn(n: Lanes, shift: int) -> Result:
    """Shift right, to nearest, and narrow, saturating.

    d[i] <- clamp((n[i] + 2**(shift-1)) >> shift) to half the width, same signedness; ties up
    Source: DDI 0487 C7.2 SQRSHRN, UQRSHRN; DDI 0406 A8.8 VQRSHRN.

    >>> from neonsim.arm.semantics import s16
    >>> qrshrn(s16(24, 32767), 4)[0]
    s8(2, 127)
    """
    # The last bit shifted out is the rounding: no wider sum is needed.
    return sat((n >> shift) + (n >> shift - 1 & 1), like=half(n))


@insn(a64=_NARROW_A64.format(name="SQSHRUN"), a32=_NARROW_A32.format(name="VQSHRUN"), types="s8 s16 s32",
      writes="d qc", timing="asimd_narrow_sat")
def sqshrun(n: Lanes, shift: int) -> Result:
    """Shift right and narrow a signed lane to an unsigned one, saturating.

    d[i] <- clamp(n[i] >> shift) to 0..2**w - 1
    Source: DDI 0487 C7.2 SQSHRUN; DDI 0406 A8.8 VQSHRUN.
    """
    return sat(n >> shift, like=half(n).with_("u"))


@insn(a64=_NARROW_A64.format(name="SQRSHRUN"), a32=_NARROW_A32.format(name="VQRSHRUN"), types="s8 s16 s32",
      writes="d qc", timing="asimd_narrow_sat")
def sqrshrun(n: Lanes, shift: int) -> Result:
    """Shift right, to nearest, and narrow a signed lane to an unsigned one, saturating.

    d[i] <- clamp((n[i] + 2**(shift-1)) >> shift) to 0..2**w - 1; ties up
    Source: DDI 0487 C7.2 SQRSHRUN; DDI 0406 A8.8 VQRSHRUN.
    """
    return sat((n >> shift) + (n >> shift - 1 & 1), like=half(n).with_("u"))
