"""Loads and stores of general registers.

| instruction               | moves                                                         |
|---------------------------|---------------------------------------------------------------|
| LDR, STR, LDUR, STUR      | one register: 1, 2, 4 or 8 bytes (B, H; SB, SH, SW signed)    |
| LDP, STP (LDRD, STRD)     | two registers; LDNP, STNP the same, LDPSW two words signed    |
| LDM, STM, PUSH, POP       | a list of registers; IA IB DA DB say where from the base      |

Meanings see only bytes: addresses and write-back are in `syntax.address`.

Traps: LDM sorts by register number, whatever the text. A w register loaded clears its upper half; LDRSB and friends
fill it with the sign.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, extend, narrow, signed, unsigned, view, x32, x64

# Block transfers go up from the base or down from it, the first word at the base or one word further; each way has a
# name of its own for stacks (full or empty, descending or ascending).
_BLOCKS = """{name}{{c}} <mem:ldm>, {{<t:R>}}*1-16
{name}IA{{c}} <mem:ldm>, {{<t:R>}}*1-16
{name}{up}{{c}} <mem:ldm>, {{<t:R>}}*1-16
{name}IB{{c}} <mem:ldm>, {{<t:R>}}*1-16 | apart=4
{name}{up_before}{{c}} <mem:ldm>, {{<t:R>}}*1-16 | apart=4
{name}DB{{c}} <mem:ldm>, {{<t:R>}}*1-16 | down=1
{name}{down_before}{{c}} <mem:ldm>, {{<t:R>}}*1-16 | down=1
{name}DA{{c}} <mem:ldm>, {{<t:R>}}*1-16 | down=1 apart=4
{name}{down}{{c}} <mem:ldm>, {{<t:R>}}*1-16 | down=1 apart=4
"""

@insn(a64="""LDR <t:W>, <mem:ldr>
             LDR <t:X>, <mem:ldr>
             LDUR <t:W>, <mem:ldur>
             LDUR <t:X>, <mem:ldur>
             LDR <t:W>, <mem:literal>
             LDR <t:X>, <mem:literal>""",
      a32="""LDR{c} <t:R>, <mem:ldr>
             LDR{c} <t:R>, <mem:literal>""", writes="t", timing="ldr")
def ldr(mem: Lanes) -> Result:
    """Load a general register.

    t <- memory
    Source: DDI 0487 C6.2 LDR; DDI 0406 A8.8 LDR.
    """
    return mem


@insn(a64="""LDRB <t:W>, <mem:ldr> | bytes=1
             LDRH <t:W>, <mem:ldr> | bytes=2
             LDURB <t:W>, <mem:ldur> | bytes=1
             LDURH <t:W>, <mem:ldur> | bytes=2""",
      a32="""LDRB{c} <t:RN>, <mem:ldr> | bytes=1
             LDRH{c} <t:RN>, <mem:ldrd> | bytes=2
             LDRB{c} <t:RN>, <mem:literal> | bytes=1
             LDRH{c} <t:RN>, <mem:literal> | bytes=2""", writes="t", timing="ldr")
def ldr_narrow(mem: Lanes) -> Result:
    """Load a byte or halfword, zero-extended.

    t <- memory
    Source: DDI 0487 C6.2 LDRB, LDRH; DDI 0406 A8.8 LDRB, LDRH.
    """
    return extend(unsigned(mem), x32)


@insn(a64="""LDRSB <t:W>, <mem:ldr> | bytes=1
             LDRSH <t:W>, <mem:ldr> | bytes=2
             LDURSB <t:W>, <mem:ldur> | bytes=1
             LDURSH <t:W>, <mem:ldur> | bytes=2""",
      a32="""LDRSB{c} <t:RN>, <mem:ldrd> | bytes=1
             LDRSH{c} <t:RN>, <mem:ldrd> | bytes=2
             LDRSB{c} <t:RN>, <mem:literal> | bytes=1
             LDRSH{c} <t:RN>, <mem:literal> | bytes=2""", writes="t", timing="ldr")
def ldr_signed(mem: Lanes) -> Result:
    """Load a byte or halfword, sign-extended to 32 bits.

    t <- memory
    Source: DDI 0487 C6.2 LDRSB, LDRSH; DDI 0406 A8.8 LDRSB, LDRSH.
    """
    return extend(signed(mem), x32)


@insn(a64="""LDRSB <t:X>, <mem:ldr> | bytes=1
             LDRSH <t:X>, <mem:ldr> | bytes=2
             LDRSW <t:X>, <mem:ldr> | bytes=4
             LDURSB <t:X>, <mem:ldur> | bytes=1
             LDURSH <t:X>, <mem:ldur> | bytes=2
             LDURSW <t:X>, <mem:ldur> | bytes=4
             LDRSW <t:X>, <mem:literal> | bytes=4""", writes="t", timing="ldr")
def ldr_signed_x(mem: Lanes) -> Result:
    """Load a byte, halfword or word, sign-extended to 64 bits.

    t <- memory
    Source: DDI 0487 C6.2 LDRSB, LDRSH, LDRSW.
    """
    return extend(signed(mem), x64)


@insn(a64="""STR <t:W>, <mem:ldr>
             STR <t:X>, <mem:ldr>
             STUR <t:W>, <mem:ldur>
             STUR <t:X>, <mem:ldur>""", a32="STR{c} <t:R>, <mem:ldr>", writes="mem", timing="str")
def str_(t: Lanes) -> Result:
    """Store a general register.

    memory <- t
    Source: DDI 0487 C6.2 STR; DDI 0406 A8.8 STR.
    """
    return t


@insn(a64="""STRB <t:W>, <mem:ldr> | bytes=1
             STURB <t:W>, <mem:ldur> | bytes=1""", a32="STRB{c} <t:RN>, <mem:ldr> | bytes=1",
      writes="mem", timing="str")
def strb(t: Lanes) -> Result:
    """Store the low byte of a register.

    memory <- t, modulo 2**8
    Source: DDI 0487 C6.2 STRB; DDI 0406 A8.8 STRB.
    """
    return narrow(narrow(t))


@insn(a64="""STRH <t:W>, <mem:ldr> | bytes=2
             STURH <t:W>, <mem:ldur> | bytes=2""", a32="STRH{c} <t:RN>, <mem:ldrd> | bytes=2",
      writes="mem", timing="str")
def strh(t: Lanes) -> Result:
    """Store the low halfword of a register.

    memory <- t, modulo 2**16
    Source: DDI 0487 C6.2 STRH; DDI 0406 A8.8 STRH.
    """
    return narrow(t)


@insn(a64="""LDP <t1:W>, <t2:W>, <mem:ldp>
             LDP <t1:X>, <t2:X>, <mem:ldp>
             LDNP <t1:W>, <t2:W>, <mem:ldnp>
             LDNP <t1:X>, <t2:X>, <mem:ldnp>""",
      a32="""LDRD{c} <t1:RN>, <t2:RN>, <mem:ldrd>
             LDRD{c} <t1:RN>, <t2:RN>, <mem:literal>""", writes="t", timing="ldp")
def ldp(mem: Lanes) -> Result:
    """Load two general registers.

    t1, t2 <- consecutive memory
    Source: DDI 0487 C6.2 LDP, LDNP; DDI 0406 A8.8 LDRD.
    """
    return mem


@insn(a64="LDPSW <t1:X>, <t2:X>, <mem:ldp> | bytes=8", writes="t", timing="ldp")
def ldpsw(mem: Lanes) -> Result:
    """Load two words, sign-extended to 64 bits.

    t1, t2 <- consecutive memory
    Source: DDI 0487 C6.2 LDPSW.
    """
    return extend(signed(view(mem, x32)), x64)


@insn(a64="""STP <t1:W>, <t2:W>, <mem:ldp>
             STP <t1:X>, <t2:X>, <mem:ldp>
             STNP <t1:W>, <t2:W>, <mem:ldnp>
             STNP <t1:X>, <t2:X>, <mem:ldnp>""",
      a32="STRD{c} <t1:RN>, <t2:RN>, <mem:ldrd>", writes="mem", timing="stp")
def stp(t: Lanes) -> Result:
    """Store two general registers.

    consecutive memory <- t1, t2
    Source: DDI 0487 C6.2 STP, STNP; DDI 0406 A8.8 STRD.
    """
    return t


@insn(a32=_BLOCKS.format(name="LDM", up="FD", up_before="ED", down="FA", down_before="EA")
      + "POP{c} {<t:R>}*1-16 | base=sp", writes="t", timing="ldm")
def ldm(mem: Lanes) -> Result:
    """Load a list of general registers; r15 in the list branches.

    t <- consecutive words of memory, lowest register first
    Source: DDI 0406 A8.8 LDM, POP.
    """
    return mem


@insn(a32=_BLOCKS.format(name="STM", up="EA", up_before="FA", down="ED", down_before="FD")
      + "PUSH{c} {<t:R>}*1-16 | base=sp down=1", writes="mem", timing="stm")
def stm(t: Lanes) -> Result:
    """Store a list of general registers.

    consecutive words of memory <- t, lowest register first
    Source: DDI 0406 A8.8 STM, PUSH.
    """
    return t
