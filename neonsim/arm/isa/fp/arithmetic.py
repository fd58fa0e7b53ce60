"""Floating-point arithmetic: add, subtract, multiply, divide, square root, sign.

| instruction      | result                  | rounded | exceptions            |
|------------------|-------------------------|---------|-----------------------|
| FADD FSUB        | n +- m                  | once    | IOC OFC UFC IXC       |
| FABD             | abs(n - m)              | once    | IOC OFC UFC IXC       |
| FMUL FNMUL       | n * m, -(n * m)         | once    | IOC OFC UFC IXC       |
| FMULX            | n * m, 0 * infinity = 2 | once    | OFC UFC IXC           |
| FDIV FSQRT       | n / m, root of n        | once    | IOC DZC OFC UFC IXC   |
| FABS FNEG        | the sign bit            | never   | none                  |
| FADDP            | sums of neighbours      | once    | IOC OFC UFC IXC       |

In quantised kernels: FMUL by the scale is the first step of the fp32 requantisation, FADD of the magic number
12582912.0 one way of its second.

Traps: AArch32 Advanced SIMD (d and q registers) takes denormal numbers for zero and returns one NaN whatever FPSCR
says, s registers and AArch64 do not: the same line of C may differ in its last bits between them. NaNs keep their
payload, the first signalling operand wins. Half precision is no faster for a scalar, and twice as fast for a vector.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    float_abs,
    float_add,
    float_div,
    float_mul,
    float_mulx,
    float_neg,
    float_sqrt,
    float_sub,
    join,
    pairs,
)


@insn(a64="""FADD <d>.<T>, <n>.<T>, <m>.<T>
             FADD <d:V>, <n:V>, <m:V> | timing=fp_add""",
      a32="""VADD.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VADD.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_add
             VADD{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_add
             VADD{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_add""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_add")
def fadd(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point add.

    d[i] <- n[i] + m[i], rounded
    Source: DDI 0487 C7.2 FADD; DDI 0406 A8.8 VADD (floating-point).
    """
    return float_add(n, m, fpcr)


@insn(a64="""FSUB <d>.<T>, <n>.<T>, <m>.<T>
             FSUB <d:V>, <n:V>, <m:V> | timing=fp_add""",
      a32="""VSUB.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VSUB.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_add
             VSUB{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_add
             VSUB{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_add""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_add")
def fsub(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point subtract.

    d[i] <- n[i] - m[i], rounded
    Source: DDI 0487 C7.2 FSUB; DDI 0406 A8.8 VSUB (floating-point).
    """
    return float_sub(n, m, fpcr)


@insn(a64="""FABD <d>.<T>, <n>.<T>, <m>.<T>
             FABD <d:V>, <n:V>, <m:V> | timing=fp_add""",
      a32="VABD.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_add")
def fabd(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point absolute difference.

    d[i] <- |n[i] - m[i]|, rounded
    Source: DDI 0487 C7.2 FABD; DDI 0406 A8.8 VABD (floating-point).
    """
    difference, flags = float_sub(n, m, fpcr)
    return float_abs(difference), flags


@insn(a64="FADDP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPADD.<dt> <d:D>, <n:D>, <m:D> | f16 f32",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_add_pair")
def faddp(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point add of neighbours.

    d[i] <- p[2*i] + p[2*i + 1], p = n's lanes followed by m's
    Source: DDI 0487 C7.2 FADDP (vector); DDI 0406 A8.8 VPADD (floating-point).
    """
    even, odd = pairs(join(n, m))
    return float_add(even, odd, fpcr)


@insn(a64="""FADDP <d:V>, <n>.2h | f16
             FADDP <d:V>, <n>.2s | f32
             FADDP <d:V>, <n>.2d | f64""", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_add_pair")
def faddp_scalar(n: Lanes, fpcr: int) -> Result:
    """Floating-point add of two lanes.

    d <- n[0] + n[1]
    Source: DDI 0487 C7.2 FADDP (scalar).
    """
    return float_add(n[0], n[1], fpcr)


@insn(a64="""FMUL <d>.<T>, <n>.<T>, <m>.<T>
             FMUL <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>]
             FMUL <d:V>, <n:V>, <m:x>.<Ts>[<index>] | timing=fp_mul
             FMUL <d:V>, <n:V>, <m:V> | timing=fp_mul""",
      a32="""VMUL.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VMUL.<dt> <d:DQ>, <n:DQ>, <m:x[index]> | f16 f32
             VMUL.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_mul
             VMUL{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_mul
             VMUL{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_mul""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mul")
def fmul(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point multiply.

    d[i] <- n[i] * m[i], rounded
    Source: DDI 0487 C7.2 FMUL; DDI 0406 A8.8 VMUL (floating-point, by scalar).
    """
    return float_mul(n, m, fpcr)


@insn(a64="""FMULX <d>.<T>, <n>.<T>, <m>.<T>
             FMULX <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>]
             FMULX <d:V>, <n:V>, <m:x>.<Ts>[<index>] | timing=fp_mul
             FMULX <d:V>, <n:V>, <m:V> | timing=fp_mul""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mul")
def fmulx(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point multiply, where zero times infinity is two.

    d[i] <- n[i] * m[i], rounded; +-2 for 0 * infinity
    Source: DDI 0487 C7.2 FMULX.
    """
    return float_mulx(n, m, fpcr)


@insn(a64="FNMUL <d:V>, <n:V>, <m:V>",
      a32="""VNMUL.f16 <d:H>, <n:H>, <m:H> | f16
             VNMUL{c}.f32 <d:S>, <n:S>, <m:S> | f32
             VNMUL{c}.f64 <d:D>, <n:D>, <m:D> | f64""", types="f16 f32 f64", writes="d fpsr", timing="fp_mul")
def fnmul(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point multiply and negate.

    d <- -(n * m), rounded; of a NaN the sign changes too
    Source: DDI 0487 C7.2 FNMUL; DDI 0406 A8.8 VNMUL.
    """
    product, flags = float_mul(n, m, fpcr)
    return float_neg(product), flags


@insn(a64="""FDIV <d>.<T>, <n>.<T>, <m>.<T>
             FDIV <d:V>, <n:V>, <m:V> | timing=fp_div""",
      a32="""VDIV.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_div
             VDIV{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_div
             VDIV{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_div""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_div")
def fdiv(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point divide.

    d[i] <- n[i] / m[i], rounded
    Source: DDI 0487 C7.2 FDIV; DDI 0406 A8.8 VDIV.
    """
    return float_div(n, m, fpcr)


@insn(a64="""FSQRT <d>.<T>, <n>.<T>
             FSQRT <d:V>, <n:V> | timing=fp_sqrt""",
      a32="""VSQRT.f16 <d:H>, <n:H> | f16 timing=fp_sqrt
             VSQRT{c}.f32 <d:S>, <n:S> | f32 timing=fp_sqrt
             VSQRT{c}.f64 <d:D>, <n:D> | f64 timing=fp_sqrt""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_sqrt")
def fsqrt(n: Lanes, fpcr: int) -> Result:
    """Floating-point square root.

    d[i] <- the root of n[i], rounded
    Source: DDI 0487 C7.2 FSQRT; DDI 0406 A8.8 VSQRT.
    """
    return float_sqrt(n, fpcr)


@insn(a64="""FABS <d>.<T>, <n>.<T>
             FABS <d:V>, <n:V> | timing=fp_misc""",
      a32="""VABS.<dt> <d:DQ>, <n:DQ> | f16 f32
             VABS.f16 <d:H>, <n:H> | f16 timing=fp_misc
             VABS{c}.f32 <d:S>, <n:S> | f32 timing=fp_misc
             VABS{c}.f64 <d:D>, <n:D> | f64 timing=fp_misc""",
      types="f16 f32 f64", writes="d", timing="asimd_fp_misc")
def fabs(n: Lanes) -> Result:
    """Floating-point absolute value.

    d[i] <- n[i] with its sign bit 0, also of a NaN
    Source: DDI 0487 C7.2 FABS; DDI 0406 A8.8 VABS.
    """
    return float_abs(n)


@insn(a64="""FNEG <d>.<T>, <n>.<T>
             FNEG <d:V>, <n:V> | timing=fp_misc""",
      a32="""VNEG.<dt> <d:DQ>, <n:DQ> | f16 f32
             VNEG.f16 <d:H>, <n:H> | f16 timing=fp_misc
             VNEG{c}.f32 <d:S>, <n:S> | f32 timing=fp_misc
             VNEG{c}.f64 <d:D>, <n:D> | f64 timing=fp_misc""",
      types="f16 f32 f64", writes="d", timing="asimd_fp_misc")
def fneg(n: Lanes) -> Result:
    """Floating-point negate.

    d[i] <- n[i] with its sign bit inverted, also of a NaN
    Source: DDI 0487 C7.2 FNEG; DDI 0406 A8.8 VNEG.
    """
    return float_neg(n)
