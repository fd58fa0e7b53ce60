"""Loads and stores of SIMD registers: bytes between memory and registers.

| instruction            | moves                                                        |
|------------------------|--------------------------------------------------------------|
| LD1, ST1 (VLD1, VST1)  | 1 to 4 whole registers, one lane, or one element to all lanes |
| LDR, STR, LDP, STP     | one or two registers of any width                            |
| VLDM, VPUSH ...        | lists of d registers                                         |

Meanings see only bytes: addresses and write-back are in `address`. A value with fewer lanes than its register stands
for all lanes (LD1R), several registers are filled in order.

Traps: an A64 load of a part clears the rest of its register, an AArch32 load does not; `LD1 {v0.b}[1]` keeps the other
lanes on both.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result

ALL = "x8 x16 x32 x64"


@insn(a64="LD1 {<t>.<T1>}*1-4, <mem:ld1>", a32="VLD1.<size> {<t:D>}*1-4, <mem:vld>", types=ALL, writes="t",
      timing="ld1_{count}")
def ld1(mem: Lanes) -> Result:
    """Load 1 to 4 registers.

    t <- consecutive bytes of memory
    Source: DDI 0487 C7.2 LD1 (multiple structures); DDI 0406 A8.8 VLD1 (multiple single elements).
    """
    return mem


@insn(a64="LD1 {<t>.<Ts>}[<index>]*1, <mem:ld1>", a32="VLD1.<size> {<t:D[index]>}*1, <mem:vld> | x8 x16 x32",
      types=ALL, writes="t", timing="ld1_lane")
def ld1_lane(mem: Lanes) -> Result:
    """Load one lane; the others stay.

    t[index] <- one element of memory
    Source: DDI 0487 C7.2 LD1 (single structure); DDI 0406 A8.8 VLD1 (single element to one lane).
    """
    return mem


@insn(a64="LD1R {<t>.<T1>}*1, <mem:ld1> | x8 x16 x32 x64 replicate=1",
      a32="VLD1.<size> {<t:D[]>}*1-2, <mem:vld> | x8 x16 x32", types=ALL, writes="t", timing="ld1r")
def ld1r(mem: Lanes) -> Result:
    """Load one element to all lanes.

    t[i] <- one element of memory
    Source: DDI 0487 C7.2 LD1R; DDI 0406 A8.8 VLD1 (single element to all lanes).
    """
    return mem


@insn(a64="ST1 {<t>.<T1>}*1-4, <mem:ld1>", a32="VST1.<size> {<t:D>}*1-4, <mem:vld>", types=ALL, writes="mem",
      timing="st1_{count}")
def st1(t: Lanes) -> Result:
    """Store 1 to 4 registers.

    consecutive bytes of memory <- t
    Source: DDI 0487 C7.2 ST1 (multiple structures); DDI 0406 A8.8 VST1 (multiple single elements).
    """
    return t


@insn(a64="ST1 {<t>.<Ts>}[<index>]*1, <mem:ld1>", a32="VST1.<size> {<t:D[index]>}*1, <mem:vld> | x8 x16 x32",
      types=ALL, writes="mem", timing="st1_lane")
def st1_lane(t: Lanes) -> Result:
    """Store one lane.

    one element of memory <- t[index]
    Source: DDI 0487 C7.2 ST1 (single structure); DDI 0406 A8.8 VST1 (single element from one lane).
    """
    return t


@insn(a64="""LDR <t:B>, <mem:ldr>
             LDR <t:H>, <mem:ldr>
             LDR <t:S>, <mem:ldr>
             LDR <t:D>, <mem:ldr>
             LDR <t:Q>, <mem:ldr>
             LDUR <t:B>, <mem:ldur>
             LDUR <t:H>, <mem:ldur>
             LDUR <t:S>, <mem:ldur>
             LDUR <t:D>, <mem:ldur>
             LDUR <t:Q>, <mem:ldur>
             LDR <t:S>, <mem:literal>
             LDR <t:D>, <mem:literal>
             LDR <t:Q>, <mem:literal>""",
      a32="""VLDR{c} <t:D>, <mem:vldr>
             VLDR{c} <t:S>, <mem:vldr>
             VLDR.16 <t:H>, <mem:vldr>
             VLDR{c} <t:D>, <mem:literal>
             VLDR{c} <t:S>, <mem:literal>
             VLDR.16 <t:H>, <mem:literal>""", writes="t", timing="ldr_simd")
def ldr_simd(mem: Lanes) -> Result:
    """Load one SIMD register.

    t <- memory
    Source: DDI 0487 C7.2 LDR (immediate, register, SIMD&FP); DDI 0406 A8.8 VLDR.
    """
    return mem


@insn(a64="""STR <t:B>, <mem:ldr>
             STR <t:H>, <mem:ldr>
             STR <t:S>, <mem:ldr>
             STR <t:D>, <mem:ldr>
             STR <t:Q>, <mem:ldr>
             STUR <t:B>, <mem:ldur>
             STUR <t:H>, <mem:ldur>
             STUR <t:S>, <mem:ldur>
             STUR <t:D>, <mem:ldur>
             STUR <t:Q>, <mem:ldur>""",
      a32="""VSTR{c} <t:D>, <mem:vldr>
             VSTR{c} <t:S>, <mem:vldr>
             VSTR.16 <t:H>, <mem:vldr>""", writes="mem", timing="str_simd")
def str_simd(t: Lanes) -> Result:
    """Store one SIMD register.

    memory <- t
    Source: DDI 0487 C7.2 STR (immediate, register, SIMD&FP); DDI 0406 A8.8 VSTR.
    """
    return t


@insn(a64="""LDP <t1:S>, <t2:S>, <mem:ldp>
             LDP <t1:D>, <t2:D>, <mem:ldp>
             LDP <t1:Q>, <t2:Q>, <mem:ldp>
             LDNP <t1:S>, <t2:S>, <mem:ldnp>
             LDNP <t1:D>, <t2:D>, <mem:ldnp>
             LDNP <t1:Q>, <t2:Q>, <mem:ldnp>""", writes="t", timing="ldp_simd")
def ldp_simd(mem: Lanes) -> Result:
    """Load two SIMD registers.

    t1, t2 <- consecutive memory
    LDNP says besides that the data will not be used again soon.
    Source: DDI 0487 C7.2 LDP, LDNP (SIMD&FP).
    """
    return mem


@insn(a64="""STP <t1:S>, <t2:S>, <mem:ldp>
             STP <t1:D>, <t2:D>, <mem:ldp>
             STP <t1:Q>, <t2:Q>, <mem:ldp>
             STNP <t1:S>, <t2:S>, <mem:ldnp>
             STNP <t1:D>, <t2:D>, <mem:ldnp>
             STNP <t1:Q>, <t2:Q>, <mem:ldnp>""", writes="mem", timing="stp_simd")
def stp_simd(t: Lanes) -> Result:
    """Store two SIMD registers.

    consecutive memory <- t1, t2
    STNP says besides that the data will not be used again soon.
    Source: DDI 0487 C7.2 STP, STNP (SIMD&FP).
    """
    return t


def _block(up: str, down: str, stack: str, older: str) -> str:
    """Templates of VLDM or VSTM: lists of d or s registers, upwards, downwards, on the stack; d registers with a word
    behind them that is neither read nor written."""
    lists = ("{<t:D>}*1-16", "{<t:S>}*1-32")
    return "\n".join([*(f"{name}{{c}} <mem:ldm>, {text}" for name in up.split() for text in lists),
                      *(f"{down}{{c}} <mem:ldmdb>, {text} | down=1" for text in lists),
                      *(f"{stack.split()[0]}{{c}} {text} | {' '.join(stack.split()[1:])}" for text in lists),
                      f"{older}IAX{{c}} <mem:ldm>, {lists[0]} | behind=4",
                      f"{older}DBX{{c}} <mem:ldmdb>, {lists[0]} | down=1 behind=4"])


@insn(a32=_block("VLDM VLDMIA", "VLDMDB", "VPOP base=sp", "FLDM"), writes="t", timing="vldm")
def vldm(mem: Lanes) -> Result:
    """Load a list of d or s registers.

    t <- consecutive bytes of memory
    FLDMIAX moves its base by a word more, which it does not read.
    Source: DDI 0406 A8.8 VLDM, VPOP; DDI 0487 F6.1 FLDMDBX, FLDMIAX.
    """
    return mem


@insn(a32=_block("VSTM VSTMIA", "VSTMDB", "VPUSH base=sp down=1", "FSTM"), writes="mem", timing="vstm")
def vstm(t: Lanes) -> Result:
    """Store a list of d or s registers.

    consecutive bytes of memory <- t
    FSTMIAX moves its base by a word more, which it does not write.
    Source: DDI 0406 A8.8 VSTM, VPUSH; DDI 0487 F6.1 FSTMDBX, FSTMIAX.
    """
    return t
