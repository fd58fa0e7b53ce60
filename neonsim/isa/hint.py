"""Instructions that change nothing a program can see.

| instruction | what hardware does     |
|-------------|------------------------|
| NOP         | nothing, for one slot  |

Traps: NOPs are fetched and decoded, so aligning a loop with many of them is not free.
"""

from __future__ import annotations

from neonsim.lanes import Result

from .syntax.spec import insn


@insn(a64="NOP", a32="NOP{c}", writes="", timing="nop")
def nop() -> Result:
    """Do nothing.

    Source: DDI 0487 C6.2 NOP; DDI 0406 A8.8 NOP.
    """
    return ()
