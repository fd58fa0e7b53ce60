"""Floating-point formats and moves: half precision, BF16, constants, choices.

| instruction             | from        | to          |                                            |
|-------------------------|-------------|-------------|--------------------------------------------|
| FCVT h, s; FCVTN; VCVT  | f64 f32     | f32 f16     | rounded as FPCR says                       |
| FCVT s, h; FCVTL; VCVT  | f16 f32     | f32 f64     | exact                                      |
| FCVTXN                  | f64         | f32         | rounded to odd                             |
| VCVTB VCVTT             | f16 <-> f32 | f64         | bottom and top half of an s register       |
| BFCVT BFCVTN            | f32         | bf16        | rounded as FPCR says                       |
| FMOV VMOV               | constant    | f16 f32 f64 | +-n/16 * 2**r, 16 <= n <= 31, -3 <= r <= 4 |
| FCSEL VSEL              | two         | one         | by a condition                             |

In quantised kernels: weights and scales kept in half precision or BF16. A BF16 number is the upper half of an f32: SHLL
by 16 widens it, no instruction of its own is needed.

Traps: FCVTN keeps nothing of the upper half of d, FCVTN2 keeps the lower one. Denormal half-precision numbers are
numbers even for AArch32 Advanced SIMD, which takes denormal f32 for zero. A NaN keeps the upper bits of its payload.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, choose, float_convert, float_to_bf16, holds, join, to_odd


@insn(a64="""FCVTN{2} <d>.<Tb>, <n>.<Ta> | feature=
             FCVT <d:V>, <n:V2> | feature= timing=fp_cvt
             FCVT <d:H>, <n:D> | feature= f16 float=dn timing=fp_cvt""",
      a32="""VCVT.f16.f32 <d:D>, <n:Q2> | f16 feature=
             VCVT{c}.f32.f64 <d:S>, <n:D2> | f32 timing=fp_cvt""",
      types="f16 f32", writes="d fpsr", timing="asimd_fp_cvt_narrow")
def fcvt_narrow(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """To a narrower format: single to half precision, double to single or half.

    d[i] <- n[i] in d's format, rounded
    Source: DDI 0487 C7.2 FCVTN, FCVT; DDI 0406 A8.8 VCVT (between half-precision and single-precision, between
    double-precision and single-precision).
    """
    return float_convert(n, like.type, fpcr)


@insn(a64="""FCVTL{2} <d>.<Ta>, <n>.<Tb> | feature=
             FCVT <d:V2>, <n:V> | feature= timing=fp_cvt
             FCVT <d:D>, <n:H> | feature= f16 float=dn timing=fp_cvt""",
      a32="""VCVT.f32.f16 <d:Q2>, <n:D> | f16 feature=
             VCVT{c}.f64.f32 <d:D2>, <n:S> | f32 timing=fp_cvt""",
      types="f16 f32", writes="d fpsr", timing="asimd_fp_cvt_long")
def fcvt_long(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """To a wider format: half to single or double precision, single to double.

    d[i] <- n[i] in d's format, exact
    Source: DDI 0487 C7.2 FCVTL, FCVT; DDI 0406 A8.8 VCVT (between half-precision and single-precision, between
    double-precision and single-precision).
    """
    return float_convert(n, like.type, fpcr)


@insn(a64="""FCVTXN{2} <d>.<Tb>, <n>.<Ta>
             FCVTXN <d:V>, <n:V2> | timing=fp_cvt""", types="f32", writes="d fpsr", timing="asimd_fp_cvt_narrow")
def fcvtxn(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Double to single precision, rounded to odd: a second rounding, to half precision, then does no harm.

    d[i] <- n[i] as f32; if that is not exact its last bit is 1
    Source: DDI 0487 C7.2 FCVTXN.
    """
    return float_convert(n, like.type, to_odd(fpcr))


@insn(a32="""VCVTB{c}.f16.f32 <d:S>, <n:S2> | feature=
             VCVTB{c}.f16.f64 <d:S>, <n:D4> | feature=""", types="f16", writes="d fpsr", timing="fp_cvt")
def vcvtb_narrow(d: Lanes, n: Lanes, fpcr: int) -> Result:
    """Single or double to half precision, into the bottom half.

    d<15:0> <- n as f16, rounded
    Source: DDI 0406 A8.8 VCVTB; DDI 0487 F6.1 VCVTB.
    """
    result, flags = float_convert(n, d.type, fpcr)
    return join(result, d[1]), flags


@insn(a32="""VCVTT{c}.f16.f32 <d:S>, <n:S2> | feature=
             VCVTT{c}.f16.f64 <d:S>, <n:D4> | feature=""", types="f16", writes="d fpsr", timing="fp_cvt")
def vcvtt_narrow(d: Lanes, n: Lanes, fpcr: int) -> Result:
    """Single or double to half precision, into the top half.

    d<31:16> <- n as f16, rounded
    Source: DDI 0406 A8.8 VCVTT; DDI 0487 F6.1 VCVTT.
    """
    result, flags = float_convert(n, d.type, fpcr)
    return join(d[0], result), flags


@insn(a32="""VCVTB{c}.f32.f16 <d:S2>, <n:S> | feature=
             VCVTB{c}.f64.f16 <d:D4>, <n:S> | feature=""", types="f16", writes="d fpsr", timing="fp_cvt")
def vcvtb(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Half to single or double precision, from the bottom half.

    d <- n<15:0> in d's format
    Source: DDI 0406 A8.8 VCVTB; DDI 0487 F6.1 VCVTB.
    """
    return float_convert(n[0], like.type, fpcr)


@insn(a32="""VCVTT{c}.f32.f16 <d:S2>, <n:S> | feature=
             VCVTT{c}.f64.f16 <d:D4>, <n:S> | feature=""", types="f16", writes="d fpsr", timing="fp_cvt")
def vcvtt(n: Lanes, like: Lanes, fpcr: int) -> Result:
    """Half to single or double precision, from the top half.

    d <- n<31:16> in d's format
    Source: DDI 0406 A8.8 VCVTT; DDI 0487 F6.1 VCVTT.
    """
    return float_convert(n[1], like.type, fpcr)


@insn(a64="""BFCVTN{2} <d>.<Tb>, <n>.<Ta> | x16 float=n
             BFCVT <d:H>, <n:S> | x16 float=n timing=fp_cvt""",
      a32="VCVT.bf16.f32 <d:D>, <n:Q2> | x16 float=n", types="x16", writes="d fpsr", timing="asimd_fp_cvt_narrow",
      feature="bf16")
def bfcvtn(n: Lanes, fpcr: int) -> Result:
    """Single precision to BF16.

    d[i] <- the upper half of n[i], rounded
    Source: DDI 0487 C7.2 BFCVTN, BFCVT; DDI 0487 F6.1 VCVT (from single-precision to BFloat16).
    """
    return float_to_bf16(n, fpcr)


@insn(a32="VCVTB{c}.bf16.f32 <d:S>, <n:S2> | x16 float=n", types="x16", writes="d fpsr", timing="fp_cvt",
      feature="bf16")
def vcvtb_bf16(d: Lanes, n: Lanes, fpcr: int) -> Result:
    """Single precision to BF16, into the bottom half.

    d<15:0> <- the upper half of n, rounded
    Source: DDI 0487 F6.1 VCVTB (BFloat16).
    """
    result, flags = float_to_bf16(n, fpcr)
    return join(result, d[1]), flags


@insn(a32="VCVTT{c}.bf16.f32 <d:S>, <n:S2> | x16 float=n", types="x16", writes="d fpsr", timing="fp_cvt",
      feature="bf16")
def vcvtt_bf16(d: Lanes, n: Lanes, fpcr: int) -> Result:
    """Single precision to BF16, into the top half.

    d<31:16> <- the upper half of n, rounded
    Source: DDI 0487 F6.1 VCVTT (BFloat16).
    """
    result, flags = float_to_bf16(n, fpcr)
    return join(d[0], result), flags


@insn(a64="""FMOV <d>.<T>, #<imm:real>
             FMOV <d:V>, #<imm:real> | timing=fp_move""",
      a32="""VMOV.f32 <d:DQ>, #<imm:real0> | f32
             VMOV.f16 <d:H>, #<imm:real> | f16 timing=fp_move
             VMOV{c}.f32 <d:S>, #<imm:real> | f32 timing=fp_move
             VMOV{c}.f64 <d:D>, #<imm:real> | f64 timing=fp_move""",
      types="f16 f32 f64", writes="d", timing="asimd_fp_move")
def fmov_constant(imm: Lanes) -> Result:
    """A floating-point constant to every lane.

    d[i] <- the constant
    Source: DDI 0487 C7.2 FMOV (vector, immediate), FMOV (scalar, immediate); DDI 0406 A8.8 VMOV (immediate).
    """
    return imm


@insn(a32="""VMOV{c}.f32 <d:S>, <n:S>
             VMOV{c} <d:S>, <n:S>""",
      types="f32", writes="d", timing="fp_move")
def vmov_single(n: Lanes) -> Result:
    """Copy an s register.

    d <- n
    Source: DDI 0406 A8.8 VMOV (register).
    """
    return n


@insn(a32="VMOV{c}.f64 <d:D>, <n:D>", types="f64", writes="d", timing="fp_move")
def vmov_double(n: Lanes) -> Result:
    """Copy a d register, as VFP does.

    d <- n
    Source: DDI 0406 A8.8 VMOV (register).
    """
    return n


@insn(a32="VINS.f16 <d:S>, <n:S>", types="f16", writes="d", timing="fp_move")
def vins(d: Lanes, n: Lanes) -> Result:
    """Copy a bottom half into a top half.

    d<31:16> <- n<15:0>
    Source: DDI 0487 F6.1 VINS.
    """
    return join(d[0], n[0])


@insn(a32="VMOVX.f16 <d:S>, <n:S>", types="f16", writes="d", timing="fp_move")
def vmovx(n: Lanes) -> Result:
    """Move a top half down.

    d <- n<31:16>
    Source: DDI 0487 F6.1 VMOVX.
    """
    return join(n[1], n[1] & 0)


@insn(a64="FCSEL <d:V>, <n:V>, <m:V>, <cond>", types="f16 f32 f64", writes="d", timing="fp_csel")
def fcsel(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Floating-point conditional select.

    d <- n if the condition holds, else m
    Source: DDI 0487 C7.2 FCSEL.
    """
    return choose(holds(cond, nzcv), n, m)


def _select(condition: str, text: str) -> None:
    def selected(n: Lanes, m: Lanes, nzcv: Lanes) -> Result:
        return choose(holds(condition, nzcv), n, m)

    selected.__name__ = f"vsel{condition}"
    selected.__doc__ = f"Floating-point select: n {text}.\n\nd <- n {text}, else m\nSource: DDI 0487 F6.1 VSEL."
    stem = f"VSEL{condition.upper()}"
    insn(a32="\n".join(f"{stem}.f{bits} <d:{kind}>, <n:{kind}>, <m:{kind}> | f{bits}"
                       for bits, kind in ((16, "H"), (32, "S"), (64, "D"))),
         types="f16 f32 f64", writes="d", timing="fp_csel")(selected)


_select("eq", "if equal")
_select("ge", "if greater or equal")
_select("gt", "if greater")
_select("vs", "if not comparable")
