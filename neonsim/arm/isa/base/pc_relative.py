"""Addresses of labels.

| instruction | gives                                                                                      |
|-------------|--------------------------------------------------------------------------------------------|
| ADR         | the address of a label                                                                     |
| ADRP        | its 4 KiB page; ADD x0, x0, :lo12:label or LDR q0, [x0, :lo12:label] bring the low 12 bits |

Loads from a label (`LDR q0, table`, `LDR x0, =value`) are forms of the loads in `load_store` and
`load_store`.

Traps: AArch32's ADR is an ADD or SUB of pc, so its reach is small; here it reaches everything.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result


@insn(a64="ADR <d:X>, <label>", a32="ADR{c} <d:R>, <label>", writes="d", timing="alu")
def adr(label: Lanes) -> Result:
    """The address of a label.

    d <- label
    Source: DDI 0487 C6.2 ADR; DDI 0406 A8.8 ADR.
    """
    return label


@insn(a64="ADRP <d:X>, <label>", writes="d", timing="alu")
def adrp(label: Lanes) -> Result:
    """The page of a label.

    d <- label with bits 0..11 cleared
    Source: DDI 0487 C6.2 ADRP.
    """
    return label & ~0xFFF
