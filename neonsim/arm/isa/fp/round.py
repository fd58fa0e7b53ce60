"""Floating-point rounding to integers that stay numbers, estimates of reciprocals, and the steps that refine them.

| instruction      | result                                              | exceptions            |
|------------------|-----------------------------------------------------|-----------------------|
| FRINTN FRINTA    | to nearest: ties to even, ties away from 0          | IOC                   |
| FRINTM FRINTP    | down, up                                            | IOC                   |
| FRINTZ           | towards 0                                           | IOC                   |
| FRINTI (VRINTR)  | as FPCR says                                        | IOC                   |
| FRINTX           | the same, and a change is inexact                   | IOC IXC               |
| FRINT32Z ...     | the same, of 32 or 64 bits: else the smallest one   | IOC IXC               |
| FRECPX           | exponent inverted, fraction 0                       | IOC                   |
| FRECPE FRSQRTE   | 1/n, 1/root(n), eight bits good, from a table       | IOC DZC OFC UFC IXC   |
| FRECPS FRSQRTS   | 2 - n * m, (3 - n * m) / 2                          | IOC OFC UFC IXC       |

In quantised kernels: FRINTN in the float reference of a requantisation; estimates and two steps for the division of a
softmax on cores where FDIV is slow.

Traps: the steps are fused in AArch64 and rounded after each operation in AArch32 (VRECPS, VRSQRTS), so the same
division by Newton's method may end in another last bit.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    float_recpe,
    float_recps,
    float_recpx,
    float_round,
    float_round_within,
    float_rsqrte,
    float_rsqrts,
)


def _rounding(letter: str, rounding: str, exact: str, text: str, vector: str, scalar: str) -> None:
    """Roundings differ in direction; ``exact``: whether a change is inexact; vector, scalar: AArch32 spellings."""

    def rounded(n: Lanes, fpcr: int) -> Result:
        return float_round(n, rounding, exact, fpcr)

    a64 = f"FRINT{letter}"
    rounded.__name__ = a64.lower()
    rounded.__doc__ = (f"Floating-point round to an integer, {text}.\n\nd[i] <- n[i] rounded {text}\nSource: DDI 0487 "
                       f"C7.2 {a64}; DDI 0487 F6.1 {scalar.replace('{c}', '')}.")
    insn(a64=f"{a64} <d>.<T>, <n>.<T>\n{a64} <d:V>, <n:V> | timing=fp_round",
         a32=(f"{vector}.<dt> <d:DQ>, <n:DQ> | f16 f32\n" if vector else "")
         + f"{scalar.replace('{c}', '')}.f16 <d:H>, <n:H> | f16 timing=fp_round\n"
         f"{scalar}.f32 <d:S>, <n:S> | f32 timing=fp_round\n{scalar}.f64 <d:D>, <n:D> | f64 timing=fp_round",
         types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_round")(rounded)


_rounding("N", "n", "", "to nearest, ties to even", "VRINTN", "VRINTN")
_rounding("A", "a", "", "to nearest, ties away from 0", "VRINTA", "VRINTA")
_rounding("M", "m", "", "down", "VRINTM", "VRINTM")
_rounding("P", "p", "", "up", "VRINTP", "VRINTP")
_rounding("Z", "z", "", "towards 0", "VRINTZ", "VRINTZ{c}")
_rounding("I", "x", "", "as FPCR says", "", "VRINTR{c}")
_rounding("X", "x", "exact", "as FPCR says; a change is inexact", "VRINTX", "VRINTX{c}")


def _bounded(letter: str, rounding: str, width: int, text: str) -> None:
    """Rounding to what fits 32 or 64 bits: the exceptions are those of the conversion."""

    def bounded(n: Lanes, fpcr: int) -> Result:
        return float_round_within(n, rounding, width, fpcr)

    a64 = f"FRINT{width}{letter}"
    bounded.__name__ = a64.lower()
    bounded.__doc__ = (f"Floating-point round to an integer of {width} bits, {text}.\n\nd[i] <- n[i] rounded "
                       f"{text}; -2**{width - 1} if that does not fit\nSource: DDI 0487 C7.2 {a64}.")
    insn(a64=f"{a64} <d>.<T>, <n>.<T>\n{a64} <d:V>, <n:V> | timing=fp_round", types="f32 f64", writes="d fpsr",
         timing="asimd_fp_round", feature="frint")(bounded)


for _width in (32, 64):
    _bounded("Z", "z", _width, "towards 0")
    _bounded("X", "x", _width, "as FPCR says")


@insn(a64="FRECPX <d:V>, <n:V>", types="f16 f32 f64", writes="d fpsr", timing="fp_recpe")
def frecpx(n: Lanes, fpcr: int) -> Result:
    """Floating-point reciprocal exponent.

    d <- n's sign, its exponent inverted (of 0: the largest one), fraction 0; a NaN stays one
    Source: DDI 0487 C7.2 FRECPX.
    """
    return float_recpx(n, fpcr)


@insn(a64="""FRECPE <d>.<T>, <n>.<T>
             FRECPE <d:V>, <n:V> | timing=fp_recpe""",
      a32="VRECPE.<dt> <d:DQ>, <n:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_recpe")
def frecpe(n: Lanes, fpcr: int) -> Result:
    """Floating-point reciprocal estimate.

    d[i] <- 1 / n[i], eight bits good
    Source: DDI 0487 C7.2 FRECPE; DDI 0406 A8.8 VRECPE.
    """
    return float_recpe(n, fpcr)


@insn(a64="""FRSQRTE <d>.<T>, <n>.<T>
             FRSQRTE <d:V>, <n:V> | timing=fp_recpe""",
      a32="VRSQRTE.<dt> <d:DQ>, <n:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_recpe")
def frsqrte(n: Lanes, fpcr: int) -> Result:
    """Floating-point reciprocal square root estimate.

    d[i] <- 1 / root(n[i]), eight bits good
    Source: DDI 0487 C7.2 FRSQRTE; DDI 0406 A8.8 VRSQRTE.
    """
    return float_rsqrte(n, fpcr)


@insn(a64="""FRECPS <d>.<T>, <n>.<T>, <m>.<T>
             FRECPS <d:V>, <n:V>, <m:V> | timing=fp_recps""",
      a32="VRECPS.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr", timing="asimd_fp_recps")
def frecps(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point reciprocal step.

    d[i] <- 2 - n[i] * m[i]; 2 for 0 * infinity
    Source: DDI 0487 C7.2 FRECPS; DDI 0406 A8.8 VRECPS.
    """
    return float_recps(n, m, fpcr)


@insn(a64="""FRSQRTS <d>.<T>, <n>.<T>, <m>.<T>
             FRSQRTS <d:V>, <n:V>, <m:V> | timing=fp_recps""",
      a32="VRSQRTS.<dt> <d:DQ>, <n:DQ>, <m:DQ> | f16 f32", types="f16 f32 f64", writes="d fpsr",
      timing="asimd_fp_recps")
def frsqrts(n: Lanes, m: Lanes, fpcr: int) -> Result:
    """Floating-point reciprocal square root step.

    d[i] <- (3 - n[i] * m[i]) / 2; 1.5 for 0 * infinity
    Source: DDI 0487 C7.2 FRSQRTS; DDI 0406 A8.8 VRSQRTS.
    """
    return float_rsqrts(n, m, fpcr)
