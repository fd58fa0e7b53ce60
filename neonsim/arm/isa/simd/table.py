"""Tables: each byte of a register chooses a byte of 1 to 4 others.

| instruction      | index inside the table | index behind its end |
|------------------|------------------------|----------------------|
| TBL (VTBL)       | the table's byte       | 0                    |
| TBX (VTBX)       | the table's byte       | d stays              |

In quantised kernels: a nonlinear function of a byte is a table of 256: four TBX of 64 bytes each, the index less 64
from one to the next. A permutation that no other instruction makes is a TBL with constant indices.

Traps: an A64 table has registers of 16 bytes, an AArch32 one of 8: VTBL of four registers reaches 32. Long tables are
slow on small cores.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, lookup


@insn(a64="""TBL <d>.8b, {<table>.16b}*1-4, <m>.8b
             TBL <d>.16b, {<table>.16b}*1-4, <m>.16b""",
      a32="VTBL.<size> <d:D>, {<table:D>}*1-4, <m:D>", types="x8", writes="d", timing="asimd_table_{count}")
def tbl(table: Lanes, m: Lanes) -> Result:
    """Look up bytes in a table; 0 behind its end.

    d[i] <- table[m[i]] if m[i] is inside, else 0
    Source: DDI 0487 C7.2 TBL; DDI 0406 A8.8 VTBL.

    >>> from neonsim.arm.semantics import x8
    >>> tbl(x8(10, 11, 12, 13, 14, 15, 16, 17), x8(7, 0, 8, 255))
    x8(17, 10, 0, 0)
    """
    return lookup(table, m, m & 0)


@insn(a64="""TBX <d>.8b, {<table>.16b}*1-4, <m>.8b
             TBX <d>.16b, {<table>.16b}*1-4, <m>.16b""",
      a32="VTBX.<size> <d:D>, {<table:D>}*1-4, <m:D>", types="x8", writes="d", timing="asimd_table_ext_{count}")
def tbx(d: Lanes, table: Lanes, m: Lanes) -> Result:
    """Look up bytes in a table; behind its end d stays.

    d[i] <- table[m[i]] if m[i] is inside, else d[i]
    Source: DDI 0487 C7.2 TBX; DDI 0406 A8.8 VTBX.
    """
    return lookup(table, m, d)
