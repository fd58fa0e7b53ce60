"""Complex numbers: pairs of neighbours, the real part in the even lane, the imaginary one in the odd lane.

| instruction            | result                                             | rounded |
|------------------------|----------------------------------------------------|---------|
| FCADD #90, #270        | n + i * m, n - i * m                               | once    |
| FCMLA #0, #180         | d + real(n) * m, d - real(n) * m                   | once    |
| FCMLA #90, #270        | d + i * imag(n) * m, d - i * imag(n) * m           | once    |

A product of complex numbers is two instructions: FCMLA #0, then FCMLA #90 into the same register; with #270 instead of
#90 it is one with the conjugate of n.

In quantised kernels: not at all; fast Fourier transforms and filters are made of them.

Traps: each part is a fused multiply-add of its own, so the two instructions round each part twice, in that order. A
minus sign is put on an operand before anything else: a NaN comes out with its sign inverted.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, Result, float_add, float_fma, float_turn, interleave, pairs

timing_class("asimd_fp_complex_add", like="asimd_fp_add", text="FCADD: sums of complex numbers")
timing_class("asimd_fp_complex_mla", like="asimd_fp_mla", text="FCMLA: half a product of complex numbers, accumulated")


def _sum(angle: int, first: int, second: int, formula: str) -> None:
    """``first``, ``second``: whether m's imaginary, m's real part is subtracted."""

    def turned(n: Lanes, m: Lanes, fpcr: int) -> Result:
        real, imaginary = pairs(n)
        x, y = pairs(m)
        even, flags = float_add(real, float_turn(y, first), fpcr)
        odd, more = float_add(imaginary, float_turn(x, second), fpcr)
        return interleave(even, odd), flags | more

    turned.__name__ = f"fcadd_{angle}"
    turned.__doc__ = (f"Complex add, the second operand turned by {angle} degrees.\n\nd <- {formula}, of each pair of "
                      "lanes\nSource: DDI 0487 C7.2 FCADD; DDI 0487 F6.1 VCADD.")
    insn(a64=f"FCADD <d>.<T>, <n>.<T>, <m>.<T>, #<rotation:{angle}> | f16 f32 f64",
         a32=f"VCADD.<dt> <d:DQ>, <n:DQ>, <m:DQ>, #<rotation:{angle}>", types="f16 f32", writes="d fpsr",
         timing="asimd_fp_complex_add", feature="fcma")(turned)


_sum(90, 1, 0, "n + i * m")
_sum(270, 0, 1, "n - i * m")


def _product(angle: int, part: int, first: int, second: int, formula: str) -> None:
    """``part``: n's real (0) or imaginary part (1) is multiplied; ``first``, ``second``: signs of the two products."""

    def turned(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
        real, imaginary = pairs(a)
        factor = pairs(n)[part]
        even, flags = float_fma(real, factor, float_turn(pairs(m)[part], first), fpcr)
        odd, more = float_fma(imaginary, factor, float_turn(pairs(m)[1 - part], second), fpcr)
        return interleave(even, odd), flags | more

    turned.__name__ = f"fcmla_{angle}"
    turned.__doc__ = (f"Complex multiply-accumulate, turned by {angle} degrees.\n\nd <- {formula}, of each pair of "
                      "lanes, or with one pair of m\nSource: DDI 0487 C7.2 FCMLA; DDI 0487 F6.1 VCMLA.")
    insn(a64=f"FCMLA <d>.<T>, <n>.<T>, <m>.<T>, #<rotation:{angle}> | f16 f32 f64\n"
             f"FCMLA <d>.<T>, <n>.<T>, <m:pair>.<Ts>[<index>], #<rotation:{angle}> | not=2s",
         a32=f"VCMLA.<dt> <d:DQ>, <n:DQ>, <m:DQ>, #<rotation:{angle}>\n"
             f"VCMLA.<dt> <d:DQ>, <n:DQ>, <m:pair[index]>, #<rotation:{angle}>",
         types="f16 f32", writes="d fpsr", timing="asimd_fp_complex_mla", feature="fcma")(turned)


_product(0, 0, 0, 0, "d + real(n) * m")
_product(90, 1, 1, 0, "d + i * imag(n) * m")
_product(180, 0, 1, 1, "d - real(n) * m")
_product(270, 1, 0, 1, "d - i * imag(n) * m")
