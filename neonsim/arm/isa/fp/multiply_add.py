"""Floating-point multiply-accumulate: fused, rounded once; or, in AArch32, a product and a sum, rounded twice.

| instruction           | result            | rounded |
|-----------------------|-------------------|---------|
| FMLA FMADD VFMA       | a + n * m         | once    |
| FMLS FMSUB VFMS       | a - n * m         | once    |
| FNMADD VFNMA          | -a - n * m        | once    |
| FNMSUB VFNMS          | -a + n * m        | once    |
| VMLA VMLS             | a +- (n * m)      | twice   |
| VNMLA VNMLS           | -a -+ (n * m)     | twice   |

In quantised kernels: the scale and bias of a dequantised row; polynomials of exp and tanh in float softmax and sigmoid.

Traps: VMLA is not VFMA: its product is rounded first, so results differ in the last bit, and compilers may pick either.
A minus sign is put on an operand before anything else, so that a NaN in n comes out with its sign inverted; zero times
infinity is invalid even if the addend is a quiet NaN.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, float_add, float_fma, float_mul, float_neg


@insn(a64="""FMLA <d>.<T>, <n>.<T>, <m>.<T>
             FMLA <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>]
             FMLA <d:V>, <n:V>, <m:x>.<Ts>[<index>] | timing=fp_mla""",
      a32="""VFMA.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VFMA.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_mla
             VFMA{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_mla
             VFMA{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_mla""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mla")
def fmla(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Fused multiply-add to the accumulator.

    d[i] <- d[i] + n[i] * m[i], rounded once
    Source: DDI 0487 C7.2 FMLA; DDI 0406 A8.8 VFMA.
    """
    return float_fma(a, n, m, fpcr)


@insn(a64="""FMLS <d>.<T>, <n>.<T>, <m>.<T>
             FMLS <d>.<T>, <n>.<T>, <m:x>.<Ts>[<index>]
             FMLS <d:V>, <n:V>, <m:x>.<Ts>[<index>] | timing=fp_mla""",
      a32="""VFMS.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VFMS.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_mla
             VFMS{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_mla
             VFMS{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_mla""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mla")
def fmls(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Fused multiply-subtract from the accumulator.

    d[i] <- d[i] + -n[i] * m[i], rounded once
    Source: DDI 0487 C7.2 FMLS; DDI 0406 A8.8 VFMS.
    """
    return float_fma(a, float_neg(n), m, fpcr)


@insn(a64="FMADD <d:V>, <n:V>, <m:V>, <a:V>", types="f16 f32 f64", writes="d fpsr", timing="fp_mla")
def fmadd(n: Lanes, m: Lanes, a: Lanes, fpcr: int) -> Result:
    """Fused multiply-add of scalars.

    d <- a + n * m, rounded once
    Source: DDI 0487 C7.2 FMADD.
    """
    return float_fma(a, n, m, fpcr)


@insn(a64="FMSUB <d:V>, <n:V>, <m:V>, <a:V>", types="f16 f32 f64", writes="d fpsr", timing="fp_mla")
def fmsub(n: Lanes, m: Lanes, a: Lanes, fpcr: int) -> Result:
    """Fused multiply-subtract of scalars.

    d <- a + -n * m, rounded once
    Source: DDI 0487 C7.2 FMSUB.
    """
    return float_fma(a, float_neg(n), m, fpcr)


@insn(a64="FNMADD <d:V>, <n:V>, <m:V>, <a:V>", types="f16 f32 f64", writes="d fpsr", timing="fp_mla")
def fnmadd(n: Lanes, m: Lanes, a: Lanes, fpcr: int) -> Result:
    """Fused multiply-add of scalars, negated.

    d <- -a + -n * m, rounded once
    Source: DDI 0487 C7.2 FNMADD.
    """
    return float_fma(float_neg(a), float_neg(n), m, fpcr)


@insn(a64="FNMSUB <d:V>, <n:V>, <m:V>, <a:V>", types="f16 f32 f64", writes="d fpsr", timing="fp_mla")
def fnmsub(n: Lanes, m: Lanes, a: Lanes, fpcr: int) -> Result:
    """Fused multiply-subtract of scalars, negated.

    d <- -a + n * m, rounded once
    Source: DDI 0487 C7.2 FNMSUB.
    """
    return float_fma(float_neg(a), n, m, fpcr)


@insn(a32="""VFNMA.f16 <d:H>, <n:H>, <m:H> | f16
             VFNMA{c}.f32 <d:S>, <n:S>, <m:S> | f32
             VFNMA{c}.f64 <d:D>, <n:D>, <m:D> | f64""", types="f32 f64", writes="d fpsr", timing="fp_mla")
def vfnma(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Fused multiply-add to the accumulator, negated.

    d <- -d + -n * m, rounded once
    Source: DDI 0406 A8.8 VFNMA.
    """
    return float_fma(float_neg(a), float_neg(n), m, fpcr)


@insn(a32="""VFNMS.f16 <d:H>, <n:H>, <m:H> | f16
             VFNMS{c}.f32 <d:S>, <n:S>, <m:S> | f32
             VFNMS{c}.f64 <d:D>, <n:D>, <m:D> | f64""", types="f32 f64", writes="d fpsr", timing="fp_mla")
def vfnms(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Fused multiply-subtract from the accumulator, negated.

    d <- -d + n * m, rounded once
    Source: DDI 0406 A8.8 VFNMS.
    """
    return float_fma(float_neg(a), n, m, fpcr)


@insn(a32="""VMLA.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VMLA.<dt> <d:DQ>, <n:DQ>, <m:x[index]> | f16 f32
             VMLA.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_mul_add
             VMLA{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_mul_add
             VMLA{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_mul_add""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mul_add")
def vmla_float(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Multiply, round, add, round.

    d[i] <- d[i] + (n[i] * m[i]), both rounded
    Source: DDI 0406 A8.8 VMLA (floating-point, by scalar).
    """
    product, flags = float_mul(n, m, fpcr)
    total, more = float_add(a, product, fpcr)
    return total, flags | more


@insn(a32="""VMLS.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VMLS.<dt> <d:DQ>, <n:DQ>, <m:x[index]> | f16 f32
             VMLS.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_mul_add
             VMLS{c}.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_mul_add
             VMLS{c}.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_mul_add""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_mul_add")
def vmls_float(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Multiply, round, subtract, round.

    d[i] <- d[i] + -(n[i] * m[i]), both rounded
    Source: DDI 0406 A8.8 VMLS (floating-point, by scalar).
    """
    product, flags = float_mul(n, m, fpcr)
    total, more = float_add(a, float_neg(product), fpcr)
    return total, flags | more


@insn(a32="""VNMLA.f16 <d:H>, <n:H>, <m:H> | f16
             VNMLA{c}.f32 <d:S>, <n:S>, <m:S> | f32
             VNMLA{c}.f64 <d:D>, <n:D>, <m:D> | f64""", types="f32 f64", writes="d fpsr", timing="fp_mul_add")
def vnmla(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Multiply, round, add, negated.

    d <- -d + -(n * m), both rounded
    Source: DDI 0406 A8.8 VNMLA.
    """
    product, flags = float_mul(n, m, fpcr)
    total, more = float_add(float_neg(a), float_neg(product), fpcr)
    return total, flags | more


@insn(a32="""VNMLS.f16 <d:H>, <n:H>, <m:H> | f16
             VNMLS{c}.f32 <d:S>, <n:S>, <m:S> | f32
             VNMLS{c}.f64 <d:D>, <n:D>, <m:D> | f64""", types="f32 f64", writes="d fpsr", timing="fp_mul_add")
def vnmls(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Multiply, round, subtract, negated.

    d <- -d + (n * m), both rounded
    Source: DDI 0406 A8.8 VNMLS.
    """
    product, flags = float_mul(n, m, fpcr)
    total, more = float_add(float_neg(a), product, fpcr)
    return total, flags | more
