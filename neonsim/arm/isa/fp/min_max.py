"""Floating-point maximum and minimum: of two, of neighbours, of all lanes.

| instruction       | a quiet NaN beside a number   | of                  |
|-------------------|-------------------------------|---------------------|
| FMAX FMIN         | gives a NaN                   | two lanes           |
| FMAXNM FMINNM     | gives the number              | two lanes           |
| FMAXP FMINP ...   | as above                      | neighbours          |
| FMAXV FMINV ...   | as above                      | all lanes           |

In quantised kernels: clamping before the conversion back to integers, and the range of a row in dynamic quantisation.

Traps: +0 is larger than -0. A signalling NaN is invalid for all of them, and its quiet form comes out of FMAXNM too.
AArch32 has VMAXNM without a condition only, and no vector-wide form.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    count,
    float_extreme,
    float_max,
    float_maxnm,
    float_min,
    float_minnm,
    join,
    pairs,
)


@insn(a64="""FMAX <d>.<T>, <n>.<T>, <m>.<T>
             FMAX <d:V>, <n:V>, <m:V> | timing=fp_minmax""",
      a32="VMAX.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax")
def fmax(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point maximum.

    d[i] <- max(n[i], m[i]); a NaN if either is one
    Source: DDI 0487 C7.2 FMAX; DDI 0406 A8.8 VMAX (floating-point).
    """
    return float_max(n, m, fpcr)


@insn(a64="""FMIN <d>.<T>, <n>.<T>, <m>.<T>
             FMIN <d:V>, <n:V>, <m:V> | timing=fp_minmax""",
      a32="VMIN.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax")
def fmin(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point minimum.

    d[i] <- min(n[i], m[i]); a NaN if either is one
    Source: DDI 0487 C7.2 FMIN; DDI 0406 A8.8 VMIN (floating-point).
    """
    return float_min(n, m, fpcr)


@insn(a64="""FMAXNM <d>.<T>, <n>.<T>, <m>.<T>
             FMAXNM <d:V>, <n:V>, <m:V> | timing=fp_minmax""",
      a32="""VMAXNM.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VMAXNM.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_minmax
             VMAXNM.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_minmax
             VMAXNM.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_minmax""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax")
def fmaxnm(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point maximum number.

    d[i] <- max(n[i], m[i]); the number if the other is a quiet NaN
    Source: DDI 0487 C7.2 FMAXNM; DDI 0487 F6.1 VMAXNM.
    """
    return float_maxnm(n, m, fpcr)


@insn(a64="""FMINNM <d>.<T>, <n>.<T>, <m>.<T>
             FMINNM <d:V>, <n:V>, <m:V> | timing=fp_minmax""",
      a32="""VMINNM.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32
             VMINNM.f64 <d:D>, <n:D>, <m:D> | f64 timing=fp_minmax
             VMINNM.f16 <d:H>, <n:H>, <m:H> | f16 timing=fp_minmax
             VMINNM.f32 <d:S>, <n:S>, <m:S> | f32 timing=fp_minmax""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax")
def fminnm(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point minimum number.

    d[i] <- min(n[i], m[i]); the number if the other is a quiet NaN
    Source: DDI 0487 C7.2 FMINNM; DDI 0487 F6.1 VMINNM.
    """
    return float_minnm(n, m, fpcr)


@insn(a64="FMAXP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPMAX.<dt> <d:D>, <n:D>, <m:D> | f16 f32",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fmaxp(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point maximum of neighbours.

    d[i] <- max(p[2*i], p[2*i + 1]), p = n's lanes followed by m's
    Source: DDI 0487 C7.2 FMAXP (vector); DDI 0406 A8.8 VPMAX (floating-point).
    """
    even, odd = pairs(join(n, m))
    return float_max(even, odd, fpcr)


@insn(a64="FMINP <d>.<T>, <n>.<T>, <m>.<T>", a32="VPMIN.<dt> <d:D>, <n:D>, <m:D> | f16 f32",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fminp(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point minimum of neighbours.

    d[i] <- min(p[2*i], p[2*i + 1]), p = n's lanes followed by m's
    Source: DDI 0487 C7.2 FMINP (vector); DDI 0406 A8.8 VPMIN (floating-point).
    """
    even, odd = pairs(join(n, m))
    return float_min(even, odd, fpcr)


@insn(a64="FMAXNMP <d>.<T>, <n>.<T>, <m>.<T>", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fmaxnmp(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point maximum number of neighbours.

    d[i] <- max(p[2*i], p[2*i + 1]), quiet NaNs aside, p = n's lanes followed by m's
    Source: DDI 0487 C7.2 FMAXNMP (vector).
    """
    even, odd = pairs(join(n, m))
    return float_maxnm(even, odd, fpcr)


@insn(a64="FMINNMP <d>.<T>, <n>.<T>, <m>.<T>", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fminnmp(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point minimum number of neighbours.

    d[i] <- min(p[2*i], p[2*i + 1]), quiet NaNs aside, p = n's lanes followed by m's
    Source: DDI 0487 C7.2 FMINNMP (vector).
    """
    even, odd = pairs(join(n, m))
    return float_minnm(even, odd, fpcr)


@insn(a64="""FMAXP <d:V>, <n>.2h | f16
             FMAXP <d:V>, <n>.2s | f32
             FMAXP <d:V>, <n>.2d | f64""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fmaxp_scalar(n: Lanes, fpcr: int) -> Result:
    """Floating-point maximum of two lanes.

    d <- max(n[0], n[1])
    Source: DDI 0487 C7.2 FMAXP (scalar).
    """
    return float_max(n[0], n[1], fpcr)


@insn(a64="""FMINP <d:V>, <n>.2h | f16
             FMINP <d:V>, <n>.2s | f32
             FMINP <d:V>, <n>.2d | f64""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fminp_scalar(n: Lanes, fpcr: int) -> Result:
    """Floating-point minimum of two lanes.

    d <- min(n[0], n[1])
    Source: DDI 0487 C7.2 FMINP (scalar).
    """
    return float_min(n[0], n[1], fpcr)


@insn(a64="""FMAXNMP <d:V>, <n>.2h | f16
             FMAXNMP <d:V>, <n>.2s | f32
             FMAXNMP <d:V>, <n>.2d | f64""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fmaxnmp_scalar(n: Lanes, fpcr: int) -> Result:
    """Floating-point maximum number of two lanes.

    d <- max(n[0], n[1]), quiet NaNs aside
    Source: DDI 0487 C7.2 FMAXNMP (scalar).
    """
    return float_maxnm(n[0], n[1], fpcr)


@insn(a64="""FMINNMP <d:V>, <n>.2h | f16
             FMINNMP <d:V>, <n>.2s | f32
             FMINNMP <d:V>, <n>.2d | f64""",
      types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_minmax_pair")
def fminnmp_scalar(n: Lanes, fpcr: int) -> Result:
    """Floating-point minimum number of two lanes.

    d <- min(n[0], n[1]), quiet NaNs aside
    Source: DDI 0487 C7.2 FMINNMP (scalar).
    """
    return float_minnm(n[0], n[1], fpcr)


def _across(name: str, which: str, text: str, formula: str) -> None:
    """All lanes into one, by twos: neighbours first."""

    def across(n: Lanes, fpcr: int) -> Result:
        lanes, raised = float_extreme(n[0::2], n[1::2], which, fpcr)
        for _ in range(count(n) // 4):
            lanes, more = float_extreme(lanes[0::2], lanes[1::2], which, fpcr)
            raised = raised | more
        return lanes, raised

    across.__name__ = name.lower()
    across.__doc__ = (f"Floating-point {text} of all lanes.\n\nd <- {formula}, of neighbours, then of their results\n"
                      f"Source: DDI 0487 C7.2 {name}.")
    insn(a64=f"{name} <d:V>, <n>.4h | f16\n{name} <d:V>, <n>.8h | f16\n{name} <d:V>, <n>.4s | f32", types="f16 f32",
         writes="d fpsr", timing="asimd_fp_minmax_across")(across)


_across("FMAXV", "max", "maximum", "max(max(n[0], n[1]), max(n[2], n[3]))")
_across("FMINV", "min", "minimum", "min(min(n[0], n[1]), min(n[2], n[3]))")
_across("FMAXNMV", "maxnm", "maximum number", "max(max(n[0], n[1]), max(n[2], n[3])), quiet NaNs aside")
_across("FMINNMV", "minnm", "minimum number", "min(min(n[0], n[1]), min(n[2], n[3])), quiet NaNs aside")
