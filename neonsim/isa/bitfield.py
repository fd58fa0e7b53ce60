"""Parts of general registers: extracted, inserted, extended.

| instruction | result                           |
|-------------|----------------------------------|
| SXTW        | the low word with its sign       |

Traps: a w register's upper half is always zero: SXTW is needed wherever a 32-bit index may be negative.
"""

from __future__ import annotations

from neonsim.lanes import Lanes, Result, extend, signed, x64

from .syntax.spec import insn


@insn(a64="SXTW <d:X>, <n:W>", writes="d", timing="alu")
def sxtw(n: Lanes) -> Result:
    """Sign-extend a word.

    d <- n
    Source: DDI 0487 C6.2 SXTW.
    """
    return extend(signed(n), x64)
