"""Shifts: by a constant, by a register, rounding, accumulating, lengthening.

| instruction         | result                                                       |
|---------------------|--------------------------------------------------------------|
| SHL                 | n << shift                                                   |
| SSHR, USHR          | n >> shift                                                   |
| SRSHR, URSHR        | the same, to nearest, ties up                                |
| SSRA, SRSRA ...     | the same, added to d                                         |
| SSHL, USHL          | by each lane of m: left if positive, right if negative       |
| SRSHL, URSHL        | the same; a right shift rounds to nearest, ties up           |
| SSHLL, SXTL ...     | widened, then << shift                                       |
| SHRN, RSHRN         | >> shift, narrowed                                           |
| SLI, SRI            | shifted bits of n into d, the others of d stay               |

In quantised kernels: SSRA(VSRA) #31 subtracts one from negative numbers so that SRSHL(VRSHL), whose ties go up, rounds
them away from zero; USHL by a negative amount drops the bytes that a backed-up load took too many of.

Traps: AArch32 prints the register forms with the value first, VSHL.S32 d, m, n: the shift is its last operand, as in
AArch64. Only the low byte of a shift lane counts.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, bits, narrow, shift_by, wide

ALL = "s8 s16 s32 s64 u8 u16 u32 u64"
INTEGERS = "s8 s16 s32 u8 u16 u32"


@insn(a64="""SHL <d>.<T>, <n>.<T>, #<shift:0-w1>
             SHL <d:V>, <n:V>, #<shift:0-w1> | x64""",
      a32="VSHL.<i> <d:DQ>, <n:DQ>, #<shift:0-w1>", types="x8 x16 x32 x64", writes="d", timing="asimd_shift_imm")
def shl(n: Lanes, shift: int) -> Result:
    """Shift left by a constant.

    d[i] <- n[i] << shift
    Source: DDI 0487 C7.2 SHL; DDI 0406 A8.8 VSHL (immediate).
    """
    return n << shift


_RIGHT_A64 = """{{S|U}}{name} <d>.<T>, <n>.<T>, #<shift:1-w>
{{S|U}}{name} <d:V>, <n:V>, #<shift:1-w> | s64 u64"""


@insn(a64=_RIGHT_A64.format(name="SHR"), a32="VSHR.<dt> <d:DQ>, <n:DQ>, #<shift:1-w>", types=ALL, writes="d",
      timing="asimd_shift_imm")
def shr(n: Lanes, shift: int) -> Result:
    """Shift right by a constant.

    d[i] <- n[i] >> shift
    Source: DDI 0487 C7.2 SSHR, USHR; DDI 0406 A8.8 VSHR.
    """
    return n >> shift


@insn(a64=_RIGHT_A64.format(name="RSHR"), a32="VRSHR.<dt> <d:DQ>, <n:DQ>, #<shift:1-w>", types=ALL, writes="d",
      timing="asimd_shift_round_imm")
def rshr(n: Lanes, shift: int) -> Result:
    """Shift right by a constant, to nearest, ties up.

    d[i] <- (n[i] + 2**(shift-1)) >> shift
    Source: DDI 0487 C7.2 SRSHR, URSHR; DDI 0406 A8.8 VRSHR.
    """
    # The last bit shifted out is the rounding: no wider sum is needed.
    return (n >> shift) + (n >> shift - 1 & 1)


@insn(a64=_RIGHT_A64.format(name="SRA"), a32="VSRA.<dt> <d:DQ>, <n:DQ>, #<shift:1-w>", types=ALL, writes="d",
      timing="asimd_shift_acc")
def sra(a: Lanes, n: Lanes, shift: int) -> Result:
    """Shift right by a constant and accumulate.

    d[i] <- d[i] + (n[i] >> shift)
    Source: DDI 0487 C7.2 SSRA, USRA; DDI 0406 A8.8 VSRA.
    """
    return a + (n >> shift)


@insn(a64=_RIGHT_A64.format(name="RSRA"), a32="VRSRA.<dt> <d:DQ>, <n:DQ>, #<shift:1-w>", types=ALL, writes="d",
      timing="asimd_shift_acc_round")
def rsra(a: Lanes, n: Lanes, shift: int) -> Result:
    """Shift right by a constant, to nearest, and accumulate.

    d[i] <- d[i] + ((n[i] + 2**(shift-1)) >> shift)
    Source: DDI 0487 C7.2 SRSRA, URSRA; DDI 0406 A8.8 VRSRA.
    """
    return a + ((n >> shift) + (n >> shift - 1 & 1))


_REGISTER_A64 = """{{S|U}}{name} <d>.<T>, <n>.<T>, <m>.<T>
{{S|U}}{name} <d:V>, <n:V>, <m:V> | s64 u64"""


@insn(a64=_REGISTER_A64.format(name="SHL"), a32="VSHL.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d",
      timing="asimd_shift_reg")
def sshl(n: Lanes, m: Lanes) -> Result:
    """Shift by a register: left if positive, right if negative.

    d[i] <- n[i] << m[i], or n[i] >> -m[i]; m[i] is the signed low byte of m's lane
    Source: DDI 0487 C7.2 SSHL, USHL; DDI 0406 A8.8 VSHL (register).
    """
    return shift_by(n, m)


@insn(a64=_REGISTER_A64.format(name="RSHL"), a32="VRSHL.<dt> <d:DQ>, <n:DQ>, <m:DQ>", types=ALL, writes="d",
      timing="asimd_shift_round_reg")
def rshl(n: Lanes, m: Lanes) -> Result:
    """Shift by a register, right shifts to nearest, ties up.

    d[i] <- n[i] << m[i], or (n[i] + 2**(r-1)) >> r with r = -m[i]
    Source: DDI 0487 C7.2 SRSHL, URSHL; DDI 0406 A8.8 VRSHL.
    """
    return shift_by(n, m, rounding=True)


@insn(a64="{S|U}SHLL{2} <d>.<Ta>, <n>.<Tb>, #<shift:0-w1>", a32="VSHLL.<dt> <d:Q2>, <n:D>, #<shift:1-w1>",
      types=INTEGERS, writes="d", timing="asimd_shift_long")
def shll(n: Lanes, shift: int) -> Result:
    """Widen, then shift left.

    d[i] <- wide(n[i]) << shift
    Source: DDI 0487 C7.2 SSHLL, USHLL; DDI 0406 A8.8 VSHLL.
    """
    return wide(n) << shift


@insn(a64="SHLL{2} <d>.<Ta>, <n>.<Tb>, #<shift:w>", a32="VSHLL.<i> <d:Q2>, <n:D>, #<shift:w>", types="x8 x16 x32",
      writes="d", timing="asimd_shift_long")
def shll_width(n: Lanes, shift: int) -> Result:
    """Widen, then shift left by the old width: the lane becomes the upper half.

    d[i] <- wide(n[i]) << w
    Source: DDI 0487 C7.2 SHLL; DDI 0406 A8.8 VSHLL.
    """
    return wide(n) << shift


@insn(a64="{S|U}XTL{2} <d>.<Ta>, <n>.<Tb>", a32="VMOVL.<dt> <d:Q2>, <n:D>", types=INTEGERS, writes="d",
      timing="asimd_shift_long")
def xtl(n: Lanes) -> Result:
    """Widen.

    d[i] <- wide(n[i])
    Source: DDI 0487 C7.2 SXTL, UXTL; DDI 0406 A8.8 VMOVL.
    """
    return wide(n)


@insn(a64="SHRN{2} <d>.<Tb>, <n>.<Ta>, #<shift:1-w>", a32="VSHRN.<dta> <d:D>, <n:Q2>, #<shift:1-w>",
      types="x8 x16 x32", writes="d", timing="asimd_shift_narrow")
def shrn(n: Lanes, shift: int) -> Result:
    """Shift right and narrow.

    d[i] <- low half of (n[i] >> shift)
    Source: DDI 0487 C7.2 SHRN; DDI 0406 A8.8 VSHRN.
    """
    return narrow(n >> shift)


@insn(a64="RSHRN{2} <d>.<Tb>, <n>.<Ta>, #<shift:1-w>", a32="VRSHRN.<dta> <d:D>, <n:Q2>, #<shift:1-w>",
      types="x8 x16 x32", writes="d", timing="asimd_shift_narrow_round")
def rshrn(n: Lanes, shift: int) -> Result:
    """Shift right, to nearest, and narrow.

    d[i] <- low half of ((n[i] + 2**(shift-1)) >> shift)
    Source: DDI 0487 C7.2 RSHRN; DDI 0406 A8.8 VRSHRN.
    """
    return narrow(n + (1 << shift - 1) >> shift)


@insn(a64="""SLI <d>.<T>, <n>.<T>, #<shift:0-w1>
             SLI <d:V>, <n:V>, #<shift:0-w1> | x64""",
      a32="VSLI.<size> <d:DQ>, <n:DQ>, #<shift:0-w1>", types="x8 x16 x32 x64", writes="d", timing="asimd_shift_insert")
def sli(d: Lanes, n: Lanes, shift: int) -> Result:
    """Shift left and insert: the low bits of d stay.

    d[i] <- n[i] << shift, with the low `shift` bits of d[i]
    Source: DDI 0487 C7.2 SLI; DDI 0406 A8.8 VSLI.
    """
    return d & (1 << shift) - 1 | n << shift


@insn(a64="""SRI <d>.<T>, <n>.<T>, #<shift:1-w>
             SRI <d:V>, <n:V>, #<shift:1-w> | x64""",
      a32="VSRI.<size> <d:DQ>, <n:DQ>, #<shift:1-w>", types="x8 x16 x32 x64", writes="d", timing="asimd_shift_insert")
def sri(d: Lanes, n: Lanes, shift: int) -> Result:
    """Shift right and insert: the high bits of d stay.

    d[i] <- n[i] >> shift, with the high `shift` bits of d[i]
    Source: DDI 0487 C7.2 SRI; DDI 0406 A8.8 VSRI.
    """
    return d & ~((1 << bits(n) - shift) - 1) | n >> shift
