"""Instructions that change nothing a program can see.

| instruction                | what hardware does                                                         |
|----------------------------|----------------------------------------------------------------------------|
| NOP, HINT                  | nothing, for one slot                                                      |
| YIELD WFE WFI SEV SEVL     | waits for other cores, or wakes them                                       |
| DMB DSB ISB, CSDB ESB ...  | orders memory accesses as other cores see them, or speculation             |
| PRFM PRFUM, PLD PLDW PLI   | brings a cache line nearer: the address may be anything                    |
| BTI, PACIASP AUTIASP ...   | guards branches and return addresses, on cores that have it; nothing on others |

Here there is one core without pointer authentication, whose accesses happen in program order: none of them has an
effect.

Traps: NOPs are fetched and decoded, so aligning a loop with many of them is not free. RETAA and the other instructions
of pointer authentication outside this list are not hints, and do not exist here.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Result

_PLAIN = "NOP YIELD WFE WFI SEV SEVL"
_A64 = ("DGH CSDB ESB XPACLRI PACIA1716 PACIB1716 AUTIA1716 AUTIB1716 PACIAZ PACIASP PACIBZ PACIBSP AUTIAZ AUTIASP "
        "AUTIBZ AUTIBSP")


@insn(a64="\n".join(f"{name}" for name in f"{_PLAIN} {_A64}".split()) + """
             HINT #<imm:0-127>
             BTI
             BTI <word:target>
             PSB <word:csync>
             TSB <word:csync>""",
      a32="\n".join(f"{name}{{c}}" for name in f"{_PLAIN} CSDB ESB".split()), writes="", timing="nop")
def nop() -> Result:
    """Do nothing.

    Source: DDI 0487 C6.2 NOP, HINT and the instructions in its space; DDI 0406 A8.8 NOP.
    """
    return ()


@insn(a64="""DMB <word:barrier>
             DSB <word:barrier>
             ISB
             ISB <word:isb>
             SB
             SSBB
             PSSBB""",
      a32="""DMB
             DMB <word:barrier>
             DSB
             DSB <word:barrier>
             ISB
             ISB <word:isb>
             SB
             SSBB
             PSSBB""", writes="", timing="nop")
def barrier() -> Result:
    """Order memory accesses, or speculation: here they are in program order, and nothing is speculated.

    Source: DDI 0487 C6.2 DMB, DSB, ISB, SB, SSBB, PSSBB; DDI 0406 A8.8 DMB, DSB, ISB; DDI 0487 F5.1 SB, SSBB, PSSBB.
    """
    return ()


@insn(a64="""PRFM <word:prefetch>, <mem:prfm> | bytes=8
             PRFM <word:prefetch>, <mem:literal> | bytes=8
             PRFUM <word:prefetch>, <mem:ldur> | bytes=8""",
      a32="""PLD <mem:pld>
             PLD <mem:literal>
             PLDW <mem:pld>
             PLI <mem:pld>
             PLI <mem:literal>""", writes="", timing="nop")
def prefetch() -> Result:
    """Bring a cache line nearer: no effect on registers, and none on memory, whatever the address.

    Source: DDI 0487 C6.2 PRFM, PRFUM; DDI 0406 A8.8 PLD, PLDW, PLI.
    """
    return ()
