"""Choices without a branch.

| instruction | result                                    |
|-------------|-------------------------------------------|
| CSEL        | n if the condition holds, else m          |
| CSINC, CSINV, CSNEG | n, else m + 1, ~m, -m             |
| CINC, CINV, CNEG    | n + 1, ~n, -n, else n             |
| CSET, CSETM | 1 or all ones, else 0                     |
| CCMP, CCMN  | the flags of a comparison, else a constant |

In kernels: how pointers of rows that do not exist are made those of the last row that does (CSEL after CMP).

CCMP chains conditions, `a < b && c < d`, without a branch: the constant is what makes the last condition fail.

Traps: no access is saved by it: what is chosen from has been loaded before, whether it may be or not.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, add_flags, choose, holds, unsigned, view, x8


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


@insn(a64="CSINV <d:R>, <n:R>, <m:R>, <cond>", writes="d", timing="csel")
def csinv(n: Lanes, m: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional select, or invert.

    d <- n if the condition holds, else ~m
    Source: DDI 0487 C6.2 CSINV.
    """
    return choose(holds(cond, nzcv), n, ~m)


@insn(a64="CINC <d:R>, <n:R>, <cond:inverted>", writes="d", timing="csel")
def cinc(n: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional increment.

    d <- n + 1 if the condition holds, else n
    Source: DDI 0487 C6.2 CINC.
    """
    return choose(holds(cond, nzcv), n + 1, n)


@insn(a64="CINV <d:R>, <n:R>, <cond:inverted>", writes="d", timing="csel")
def cinv(n: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional invert.

    d <- ~n if the condition holds, else n
    Source: DDI 0487 C6.2 CINV.
    """
    return choose(holds(cond, nzcv), ~n, n)


@insn(a64="CNEG <d:R>, <n:R>, <cond:inverted>", writes="d", timing="csel")
def cneg(n: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional negate.

    d <- -n if the condition holds, else n
    Source: DDI 0487 C6.2 CNEG.
    """
    return choose(holds(cond, nzcv), -n, n)


@insn(a64="CSET <d:R>, <cond:inverted>", writes="d", timing="csel")
def cset(like: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional set.

    d <- 1 if the condition holds, else 0
    Source: DDI 0487 C6.2 CSET.
    """
    return choose(holds(cond, nzcv), like + 1, like)


@insn(a64="CSETM <d:R>, <cond:inverted>", writes="d", timing="csel")
def csetm(like: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional set mask.

    d <- -1 if the condition holds, else 0
    Source: DDI 0487 C6.2 CSETM.
    """
    return choose(holds(cond, nzcv), like - 1, like)


@insn(a64="""CCMP <n:R>, <m:R>, #<imm:0-15>, <cond>
             CCMP <n:R>, #<m:0-31>, #<imm:0-15>, <cond>""", writes="nzcv", timing="csel")
def ccmp(n: Lanes, m: Lanes, imm: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional compare.

    nzcv <- flags of n - m if the condition holds, else imm
    Source: DDI 0487 C6.2 CCMP.
    """
    return choose(holds(cond, nzcv), add_flags(n, ~m, 1)[1], unsigned(view(imm, x8)[0]))


@insn(a64="""CCMN <n:R>, <m:R>, #<imm:0-15>, <cond>
             CCMN <n:R>, #<m:0-31>, #<imm:0-15>, <cond>""", writes="nzcv", timing="csel")
def ccmn(n: Lanes, m: Lanes, imm: Lanes, cond: str, nzcv: Lanes) -> Result:
    """Conditional compare negative.

    nzcv <- flags of n + m if the condition holds, else imm
    Source: DDI 0487 C6.2 CCMN.
    """
    return choose(holds(cond, nzcv), add_flags(n, m, 0)[1], unsigned(view(imm, x8)[0]))
