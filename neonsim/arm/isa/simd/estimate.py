"""Estimates: a first guess of a reciprocal, out of a table of 256 or 384 rows that hardware has.

| instruction        | result                                                                  |
|--------------------|-------------------------------------------------------------------------|
| URECPE (VRECPE)    | about 1 / n, for n a fraction of 32 bits from one half to one           |
| URSQRTE (VRSQRTE)  | about 1 / sqrt(n), for n a fraction of 32 bits from a quarter to one    |

Both give nine bits, from 1.0 to just under 2.0, at the top of the lane: the other 23 are zero. A smaller n gives all
ones.

In quantised kernels: the average of a window whose size is not known beforehand, and softmax's division, begin with
such an estimate when all is done in integers; two steps of Newton make 32 bits of it.

Traps: the operand must be normalised first (CLZ and a shift); the architecture fixes every bit of the estimate, other
processors' estimates differ.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, compare, reciprocal, reciprocal_root, select


@insn(a64="URECPE <d>.<T>, <n>.<T>", a32="VRECPE.<dt> <d:DQ>, <n:DQ>", types="u32", writes="d",
      timing="asimd_fp_recpe")
def urecpe(n: Lanes) -> Result:
    """Estimate a reciprocal.

    d[i] <- E << 23, E = nine bits of 2**40 / n[i], to nearest; all ones if n[i] < 2**31
    Source: DDI 0487 C7.2 URECPE; DDI 0406 A8.8 VRECPE.

    >>> from neonsim.arm.semantics import u32
    >>> [hex(v) for v in urecpe(u32(1 << 31, 3 << 30, 1)).tolist()]
    ['0xff800000', '0xaa800000', '0xffffffff']
    """
    return select(compare(n, "<", 1 << 31), ~(n & 0), reciprocal(n >> 23) << 23)


@insn(a64="URSQRTE <d>.<T>, <n>.<T>", a32="VRSQRTE.<dt> <d:DQ>, <n:DQ>", types="u32", writes="d",
      timing="asimd_fp_recpe")
def ursqrte(n: Lanes) -> Result:
    """Estimate the reciprocal of a square root.

    d[i] <- E << 23, E = nine bits of 2**8 / sqrt(n[i] / 2**32), to nearest; all ones if n[i] < 2**30
    Source: DDI 0487 C7.2 URSQRTE; DDI 0406 A8.8 VRSQRTE.

    >>> from neonsim.arm.semantics import u32
    >>> [hex(v) for v in ursqrte(u32(1 << 30, 1 << 31, 1)).tolist()]
    ['0xff800000', '0xb4800000', '0xffffffff']
    """
    return select(compare(n, "<", 1 << 30), ~(n & 0), reciprocal_root(n >> 23) << 23)
