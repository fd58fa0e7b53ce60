"""Floating point and integers: conversions, with and without fraction bits.

| instruction          | result                              | rounding                       |
|----------------------|-------------------------------------|--------------------------------|
| SCVTF UCVTF          | n as a number                       | to nearest, ties to even       |
| FCVTNS FCVTNU (VCVTN)| n as an integer                     | to nearest, ties to even       |
| FCVTAS FCVTAU (VCVTA)| n as an integer                     | to nearest, ties away from 0   |
| FCVTMS FCVTMU (VCVTM)| n as an integer                     | down                           |
| FCVTPS FCVTPU (VCVTP)| n as an integer                     | up                             |
| FCVTZS FCVTZU (VCVT) | n as an integer                     | towards 0                      |
| with #fbits          | n * 2**fbits, n / 2**fbits          | towards 0; to nearest          |

In quantised kernels: SCVTF of the accumulators, FMUL by the scale, FCVTNS back: the fp32 requantisation of AArch64.
ARMv7 has VCVT towards zero only, hence its magic numbers.

Traps: what does not fit is clamped, and that is an invalid operation (IOC), not a saturation (QC stays); a NaN is 0.
2147483647 is no float32: a clamp of floats at that value leaves room for 2**31.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    choose,
    extend,
    float_from_int,
    float_javascript,
    float_javascript_exact,
    float_to_int,
    half,
    narrow,
    sat,
    signed,
    to_nearest,
    unsigned,
)

KINDS = "s16 u16 s32 u32 s64 u64"


@insn(a64="""{S|U}CVTF <d>.<T>, <n>.<T> | float=d
             {S|U}CVTF <d:V>, <n:V> | float=d timing=fp_cvt""",
      a32="""VCVT.f16.s16 <d:DQ>, <n:DQ> | s16 float=d
             VCVT.f16.u16 <d:DQ>, <n:DQ> | u16 float=d
             VCVT.f32.s32 <d:DQ>, <n:DQ> | s32 float=d
             VCVT.f32.u32 <d:DQ>, <n:DQ> | u32 float=d
             VCVT.f16.s32 <d:H>, <n:S> | s32 float=d timing=fp_cvt
             VCVT.f16.u32 <d:H>, <n:S> | u32 float=d timing=fp_cvt
             VCVT{c}.f32.s32 <d:S>, <n:S> | s32 float=d timing=fp_cvt
             VCVT{c}.f32.u32 <d:S>, <n:S> | u32 float=d timing=fp_cvt
             VCVT{c}.f64.s32 <d:D2>, <n:S> | s32 float=d timing=fp_cvt
             VCVT{c}.f64.u32 <d:D2>, <n:S> | u32 float=d timing=fp_cvt""",
      types=KINDS, writes="d fpsr", timing="asimd_fp_cvt")
def cvtf(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Integer to floating point.

    d[i] <- n[i] as a number, rounded
    Source: DDI 0487 C7.2 SCVTF, UCVTF (vector, integer); DDI 0406 A8.8 VCVT (between floating-point and integer).
    """
    return float_from_int(n, like.type, 0, fpcr)


@insn(a64="""{S|U}CVTF <d>.<T>, <n>.<T>, #<shift:1-w> | float=d
             {S|U}CVTF <d:V>, <n:V>, #<shift:1-w> | float=d timing=fp_cvt""",
      a32="""VCVT.f16.s16 <d:DQ>, <n:DQ>, #<shift:1-16> | s16 float=d
             VCVT.f16.u16 <d:DQ>, <n:DQ>, #<shift:1-16> | u16 float=d
             VCVT.f32.s32 <d:DQ>, <n:DQ>, #<shift:1-32> | s32 float=d
             VCVT.f32.u32 <d:DQ>, <n:DQ>, #<shift:1-32> | u32 float=d""",
      types=KINDS, writes="d fpsr", timing="asimd_fp_cvt")
def cvtf_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Fixed point to floating point.

    d[i] <- n[i] / 2**fbits, rounded once
    Source: DDI 0487 C7.2 SCVTF, UCVTF (vector, fixed-point); DDI 0406 A8.8 VCVT (between floating-point and
    fixed-point).
    """
    return float_from_int(n, like.type, shift, fpcr)


@insn(a32="""VCVT.f16.s32 <d:H>, <n:S>, #<shift:1-32> | s32 float=d same=dn
             VCVT.f16.u32 <d:H>, <n:S>, #<shift:1-32> | u32 float=d same=dn
             VCVT{c}.f32.s32 <d:S>, <n:S>, #<shift:1-32> | s32 float=d same=dn
             VCVT{c}.f32.u32 <d:S>, <n:S>, #<shift:1-32> | u32 float=d same=dn""",
      types="s32 u32", writes="d fpsr", timing="fp_cvt")
def cvtf_fixed_nearest(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Fixed point to floating point, rounded to nearest whatever FPSCR says.

    d <- n / 2**fbits, rounded once
    Source: DDI 0406 A8.8 VCVT (between floating-point and fixed-point, VFP).
    """
    return float_from_int(n, like.type, shift, to_nearest(fpcr))


@insn(a64="SCVTF <d:F>, <n:R> | f16 f32 f64", writes="d fpsr", timing="int_to_fp")
def scvtf_general(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Signed integer of a general register to floating point.

    d <- n as a number, rounded
    Source: DDI 0487 C7.2 SCVTF (scalar, integer).
    """
    return float_from_int(signed(n), like.type, 0, fpcr)


@insn(a64="UCVTF <d:F>, <n:R> | f16 f32 f64", writes="d fpsr", timing="int_to_fp")
def ucvtf_general(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Unsigned integer of a general register to floating point.

    d <- n as a number, rounded
    Source: DDI 0487 C7.2 UCVTF (scalar, integer).
    """
    return float_from_int(unsigned(n), like.type, 0, fpcr)


@insn(a64="SCVTF <d:F>, <n:R>, #<shift:1-r> | f16 f32 f64", writes="d fpsr", timing="int_to_fp")
def scvtf_general_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Signed fixed point of a general register to floating point.

    d <- n / 2**fbits, rounded once
    Source: DDI 0487 C7.2 SCVTF (scalar, fixed-point).
    """
    return float_from_int(signed(n), like.type, shift, fpcr)


@insn(a64="UCVTF <d:F>, <n:R>, #<shift:1-r> | f16 f32 f64", writes="d fpsr", timing="int_to_fp")
def ucvtf_general_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Unsigned fixed point of a general register to floating point.

    d <- n / 2**fbits, rounded once
    Source: DDI 0487 C7.2 UCVTF (scalar, fixed-point).
    """
    return float_from_int(unsigned(n), like.type, shift, fpcr)


def _to_integer(letter: str, text: str, a32: str) -> None:
    """Conversions to integers differ in how they round; ``letter`` as in the mnemonic."""
    rounding, stem = letter.lower(), f"FCVT{letter}"

    def vector(n: Lanes, like: Lanes, fpcr: int) -> Result:
        return float_to_int(n, like.type, rounding, 0, fpcr)

    def general_signed(n: Lanes, like: Lanes, fpcr: int) -> Result:
        return float_to_int(n, like.type.with_("s"), rounding, 0, fpcr)

    def general_unsigned(n: Lanes, like: Lanes, fpcr: int) -> Result:
        return float_to_int(n, like.type.with_("u"), rounding, 0, fpcr)

    name = f"fcvt{rounding}"
    formula = f"n{{}} rounded {text}, clamped to the range of d; 0 of a NaN"
    vector.__name__ = name
    general_signed.__name__, general_unsigned.__name__ = f"{name}s_general", f"{name}u_general"
    older = "DDI 0406 A8.8 VCVT (between floating-point and integer)"
    second = older if letter == "Z" else f"DDI 0487 F6.1 {a32}"
    vector.__doc__ = (f"Floating point to integer, rounded {text}.\n\nd[i] <- {formula.format('[i]')}\nSource: DDI "
                      f"0487 C7.2 {stem}S, {stem}U (vector); {second}.")
    for function, kind in ((general_signed, "S"), (general_unsigned, "U")):
        function.__doc__ = (f"Floating point to {'un' * (kind == 'U')}signed integer in a general register, rounded "
                            f"{text}.\n\nd <- {formula.format('')}\nSource: DDI 0487 C7.2 {stem}{kind} (scalar).")
    condition = "{c}" if letter == "Z" else ""
    insn(a64=f"{stem}{{S|U}} <d>.<T>, <n>.<T> | float=n\n"
             f"{stem}{{S|U}} <d:V>, <n:V> | float=n timing=fp_cvt",
         a32="\n".join(f"{a32}.{kind}16.f16 <d:DQ>, <n:DQ> | {kind}16 float=n\n"
                       f"{a32}.{kind}32.f32 <d:DQ>, <n:DQ> | {kind}32 float=n\n"
                       f"{a32}.{kind}32.f16 <d:S>, <n:H> | {kind}32 float=n timing=fp_cvt\n"
                       f"{a32}{condition}.{kind}32.f32 <d:S>, <n:S> | {kind}32 float=n timing=fp_cvt\n"
                       f"{a32}{condition}.{kind}32.f64 <d:S>, <n:D2> | {kind}32 float=n timing=fp_cvt"
                       for kind in "su"),
         types=KINDS, writes="d fpsr", timing="asimd_fp_cvt")(vector)
    insn(a64=f"{stem}S <d:R>, <n:F> | f16 f32 f64", writes="d fpsr", timing="fp_to_int")(general_signed)
    insn(a64=f"{stem}U <d:R>, <n:F> | f16 f32 f64", writes="d fpsr", timing="fp_to_int")(general_unsigned)


_to_integer("N", "to nearest, ties to even", "VCVTN")
_to_integer("A", "to nearest, ties away from 0", "VCVTA")
_to_integer("M", "down", "VCVTM")
_to_integer("P", "up", "VCVTP")
_to_integer("Z", "towards 0", "VCVT")


@insn(a32="""VCVTR.s32.f16 <d:S>, <n:H> | s32 float=n
             VCVTR.u32.f16 <d:S>, <n:H> | u32 float=n
             VCVTR{c}.s32.f32 <d:S>, <n:S> | s32 float=n
             VCVTR{c}.u32.f32 <d:S>, <n:S> | u32 float=n
             VCVTR{c}.s32.f64 <d:S>, <n:D2> | s32 float=n
             VCVTR{c}.u32.f64 <d:S>, <n:D2> | u32 float=n""",
      types=KINDS, writes="d fpsr", timing="fp_cvt")
def vcvtr(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Floating point to integer, rounded as FPSCR says.

    d <- n, rounded, clamped to the range of d; 0 of a NaN
    Source: DDI 0406 A8.8 VCVTR.
    """
    return float_to_int(n, like.type, "x", 0, fpcr)


@insn(a64="""FCVTZ{S|U} <d>.<T>, <n>.<T>, #<shift:1-w> | float=n
             FCVTZ{S|U} <d:V>, <n:V>, #<shift:1-w> | float=n timing=fp_cvt""",
      a32="""VCVT.s16.f16 <d:DQ>, <n:DQ>, #<shift:1-16> | s16 float=n
             VCVT.u16.f16 <d:DQ>, <n:DQ>, #<shift:1-16> | u16 float=n
             VCVT.s32.f32 <d:DQ>, <n:DQ>, #<shift:1-32> | s32 float=n
             VCVT.u32.f32 <d:DQ>, <n:DQ>, #<shift:1-32> | u32 float=n
             VCVT.s32.f16 <d:S>, <n:H>, #<shift:1-32> | s32 float=n same=dn timing=fp_cvt
             VCVT.u32.f16 <d:S>, <n:H>, #<shift:1-32> | u32 float=n same=dn timing=fp_cvt
             VCVT{c}.s32.f32 <d:S>, <n:S>, #<shift:1-32> | s32 float=n same=dn timing=fp_cvt
             VCVT{c}.u32.f32 <d:S>, <n:S>, #<shift:1-32> | u32 float=n same=dn timing=fp_cvt""",
      types=KINDS, writes="d fpsr", timing="asimd_fp_cvt")
def fcvtz_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Floating point to fixed point, rounded towards 0.

    d[i] <- n[i] * 2**fbits, rounded towards 0, clamped to the range of d; 0 of a NaN
    Source: DDI 0487 C7.2 FCVTZS, FCVTZU (vector, fixed-point); DDI 0406 A8.8 VCVT (between floating-point and
    fixed-point).
    """
    return float_to_int(n, like.type, "z", shift, fpcr)


@insn(a64="FCVTZS <d:R>, <n:F>, #<shift:1-r> | f16 f32 f64", writes="d fpsr", timing="fp_to_int")
def fcvtzs_general_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Floating point to signed fixed point in a general register, rounded towards 0.

    d <- n * 2**fbits, rounded towards 0, clamped to the range of d; 0 of a NaN
    Source: DDI 0487 C7.2 FCVTZS (scalar, fixed-point).
    """
    return float_to_int(n, like.type.with_("s"), "z", shift, fpcr)


@insn(a64="FCVTZU <d:R>, <n:F>, #<shift:1-r> | f16 f32 f64", writes="d fpsr", timing="fp_to_int")
def fcvtzu_general_fixed(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Floating point to unsigned fixed point in a general register, rounded towards 0.

    d <- n * 2**fbits, rounded towards 0, clamped to the range of d; 0 of a NaN
    Source: DDI 0487 C7.2 FCVTZU (scalar, fixed-point).
    """
    return float_to_int(n, like.type.with_("u"), "z", shift, fpcr)


@insn(a32="""VCVT.f16.s16 <d:H>, <n:S>, #<shift:0-16> | s32 float=d same=dn
             VCVT.f16.u16 <d:H>, <n:S>, #<shift:0-16> | u32 float=d same=dn
             VCVT{c}.f32.s16 <d:S>, <n:S>, #<shift:0-16> | s32 float=d same=dn
             VCVT{c}.f32.u16 <d:S>, <n:S>, #<shift:0-16> | u32 float=d same=dn
             VCVT{c}.f64.s32 <d:D>, <n:D>, #<shift:1-32> | s64 float=d same=dn
             VCVT{c}.f64.u32 <d:D>, <n:D>, #<shift:1-32> | u64 float=d same=dn""",
      types=KINDS, writes="d fpsr", timing="fp_cvt")
def cvtf_short(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Fixed point, in the low half of the register (16 bits of s, 32 of d), to floating point.

    d <- low half of n / 2**fbits
    Source: DDI 0406 A8.8 VCVT (between floating-point and fixed-point).
    """
    return float_from_int(extend(narrow(n), n.type), like.type, shift, to_nearest(fpcr))


@insn(a32="""VCVT{c}.f64.s16 <d:D>, <n:D>, #<shift:0-16> | s64 float=d same=dn
             VCVT{c}.f64.u16 <d:D>, <n:D>, #<shift:0-16> | u64 float=d same=dn""",
      types=KINDS, writes="d fpsr", timing="fp_cvt")
def cvtf_quarter(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Fixed point of 16 bits, in the low quarter of a d register, to double precision.

    d <- n<15:0> / 2**fbits
    Source: DDI 0406 A8.8 VCVT (between floating-point and fixed-point).
    """
    return float_from_int(extend(narrow(narrow(n)), n.type), like.type, shift, to_nearest(fpcr))


@insn(a32="""VCVT.s16.f16 <d:S>, <n:H>, #<shift:0-16> | s32 float=n same=dn
             VCVT.u16.f16 <d:S>, <n:H>, #<shift:0-16> | u32 float=n same=dn
             VCVT{c}.s16.f32 <d:S>, <n:S>, #<shift:0-16> | s32 float=n same=dn
             VCVT{c}.u16.f32 <d:S>, <n:S>, #<shift:0-16> | u32 float=n same=dn
             VCVT{c}.s32.f64 <d:D>, <n:D>, #<shift:1-32> | s64 float=n same=dn
             VCVT{c}.u32.f64 <d:D>, <n:D>, #<shift:1-32> | u64 float=n same=dn""",
      types=KINDS, writes="d fpsr", timing="fp_cvt")
def fcvtz_short(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Floating point to fixed point of half the register (16 bits of s, 32 of d), rounded towards 0.

    d <- n * 2**fbits, rounded towards 0, clamped to half of d, then as wide as d; 0 of a NaN
    Source: DDI 0406 A8.8 VCVT (between floating-point and fixed-point).
    """
    found, flags = float_to_int(n, like.type, "z", shift, fpcr)
    short, clamped = sat(found, half(found))
    # What does not fit is invalid and not inexact.
    return extend(short, like.type), choose(clamped, flags & 0x80 | 1, flags)


@insn(a32="""VCVT{c}.s16.f64 <d:D>, <n:D>, #<shift:0-16> | s64 float=n same=dn
             VCVT{c}.u16.f64 <d:D>, <n:D>, #<shift:0-16> | u64 float=n same=dn""",
      types=KINDS, writes="d fpsr", timing="fp_cvt")
def fcvtz_quarter(n: Lanes, like: Lanes, shift: int, fpcr: int) -> Result:
    """Double precision to fixed point of 16 bits, rounded towards 0.

    d <- n * 2**fbits, rounded towards 0, clamped to 16 bits, then as wide as d; 0 of a NaN
    Source: DDI 0406 A8.8 VCVT (between floating-point and fixed-point).
    """
    found, flags = float_to_int(n, like.type, "z", shift, fpcr)
    word, clamped = sat(found, half(found))
    short, more = sat(word, half(word))
    return extend(extend(short, word.type), like.type), choose(clamped | more, flags & 0x80 | 1, flags)


@insn(a64="FJCVTZS <d:W>, <n:D> | f64", types="f64", writes="d nzcv fpsr", timing="fp_to_int", feature="jscvt")
def fjcvtzs(n: Lanes, fpcr: int) -> Result:
    """Double precision to a signed integer as JavaScript converts: towards 0, modulo 2**32.

    d <- n rounded towards 0, modulo 2**32; Z <- nothing was lost, and n is not -0; N, C, V <- 0
    Source: DDI 0487 C7.2 FJCVTZS.
    """
    result, flags = float_javascript(n, fpcr)
    exact, _ = float_javascript_exact(n, fpcr)
    return signed(result), exact, flags


@insn(a32="VJCVT.s32.f64 <d:S>, <n:D2> | x32 float=n", types="x32", writes="d fpnzcv fpsr", timing="fp_cvt",
      feature="jscvt")
def vjcvt(n: Lanes, fpcr: int) -> Result:
    """Double precision to a signed integer as JavaScript converts: towards 0, modulo 2**32.

    d <- n rounded towards 0, modulo 2**32; FPSCR.Z <- nothing was lost, and n is not -0; N, C, V <- 0
    Source: DDI 0487 F6.1 VJCVT.
    """
    result, flags = float_javascript(n, fpcr)
    exact, _ = float_javascript_exact(n, fpcr)
    return result, exact, flags
