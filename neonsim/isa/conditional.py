"""Choices without a branch.

| instruction | result                                    |
|-------------|-------------------------------------------|
| CSEL        | n if the condition holds, else m          |
| CSINC       | n, else m + 1                             |
| CSNEG       | n, else -m                                |

In kernels: how pointers of rows that do not exist are made those of the last row that does (CSEL after CMP).

Traps: the choice that is not taken is read all the same, so it must have been written.
"""

from __future__ import annotations

from neonsim.lanes import Lanes, Result, choose, holds

from .syntax.spec import insn


@insn(a64="CSEL <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csel(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select.

    d <- n if the condition holds, else m
    Source: DDI 0487 C6.2 CSEL.
    """
    return choose(holds(cond, nzcv), n, m)


@insn(a64="CSINC <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csinc(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select, or increment.

    d <- n if the condition holds, else m + 1
    Source: DDI 0487 C6.2 CSINC.
    """
    return choose(holds(cond, nzcv), n, m + 1)


@insn(a64="CSNEG <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csneg(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select, or negate.

    d <- n if the condition holds, else -m
    Source: DDI 0487 C6.2 CSNEG.
    """
    return choose(holds(cond, nzcv), n, -m)
