"""The flags themselves, changed without a comparison.

| instruction     | result                                                                        |
|-----------------|-------------------------------------------------------------------------------|
| CFINV           | C inverted                                                                    |
| RMIF            | chosen flags from four bits of a register, rotated to its end                 |
| SETF8, SETF16   | N, Z, V of a byte or halfword that was computed in a w register; C stays      |
| AXFLAG, XAFLAG  | the flags of FCMP told to other processors' conditions, and back              |
| MRS, MSR (A32)  | all flags of APSR to a general register, and back: N Z C V, Q, GE             |

Emulators use them: a borrow is a carry upside down, and small registers have flags of their own elsewhere. FCMP says
"unordered" as C and V without Z; the other way ("external") it is Z and C with the sense of "equal or less".

Traps: V of SETF8 is bit 8 unlike bit 7: the sum must be of operands that were sign-extended. Cores before Armv8.4-A
have none of these, AXFLAG and XAFLAG came with Armv8.5-A.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import Lanes, Result, bits, compare, extend, narrow, unsigned, view, x8, x16, x32


@insn(a64="CFINV", writes="nzcv", timing="alu", feature="flagm")
def cfinv(nzcv: Lanes) -> Result:
    """Carry flag invert.

    C <- not C
    Source: DDI 0487 C6.2 CFINV.
    """
    return nzcv ^ 2


@insn(a64="RMIF <n:X>, #<shift:0-63>, #<imm:0-15>", writes="nzcv", timing="alu", feature="flagm")
def rmif(n: Lanes, shift: int, imm: Lanes, nzcv: Lanes) -> Result:
    """Rotate, mask insert flags.

    nzcv <- the lowest four bits of n rotated right by shift where imm has a one, else as it was
    Source: DDI 0487 C6.2 RMIF.
    """
    mask = _low(imm)
    return _low(unsigned(n) >> shift | n << bits(n) - shift) & mask | nzcv & (mask ^ 15)


@insn(a64="SETF8 <n:W>", writes="nzcv", timing="alu", feature="flagm")
def setf8(n: Lanes, nzcv: Lanes) -> Result:
    """Flags of a byte.

    N <- n<7>, Z <- n<7:0> == 0, V <- n<8> != n<7>
    Source: DDI 0487 C6.2 SETF8.
    """
    return _flags_of(n, view(n, x8)[0], nzcv)


@insn(a64="SETF16 <n:W>", writes="nzcv", timing="alu", feature="flagm")
def setf16(n: Lanes, nzcv: Lanes) -> Result:
    """Flags of a halfword.

    N <- n<15>, Z <- n<15:0> == 0, V <- n<16> != n<15>
    Source: DDI 0487 C6.2 SETF16.
    """
    return _flags_of(n, view(n, x16)[0], nzcv)


@insn(a64="AXFLAG", writes="nzcv", timing="alu", feature="flagm2")
def axflag(nzcv: Lanes) -> Result:
    """Flags of a floating-point comparison as other processors have them.

    N <- 0, Z <- Z or V, C <- C and not V, V <- 0
    Source: DDI 0487 C6.2 AXFLAG.
    """
    z, c, v = nzcv >> 2 & 1, nzcv >> 1 & 1, nzcv & 1
    return (z | v) << 2 | (c & (v ^ 1)) << 1


@insn(a64="XAFLAG", writes="nzcv", timing="alu", feature="flagm2")
def xaflag(nzcv: Lanes) -> Result:
    """Flags of a floating-point comparison back from other processors' ones.

    N <- not C and not Z, Z <- Z and C, C <- C or Z, V <- not C and Z
    Source: DDI 0487 C6.2 XAFLAG.
    """
    z, c = nzcv >> 2 & 1, nzcv >> 1 & 1
    less, unordered = (z | c) ^ 1, z & (c ^ 1)
    return less << 3 | (z & c) << 2 | (z | c) << 1 | unordered


def _low(n: Lanes) -> Lanes:
    """The lowest byte of a register, as flags are."""
    return unsigned(view(n, x8)[0])


def _flags_of(n: Lanes, low: Lanes, nzcv: Lanes) -> Lanes:
    """N, Z and V of a register's ``low`` part; C as it was."""
    negative, above = _low(unsigned(n) >> bits(low) - 1) & 1, _low(unsigned(n) >> bits(low)) & 1
    zero = _low(compare(low, "==", 0)) & 1
    return negative << 3 | zero << 2 | nzcv & 2 | negative ^ above


@insn(a32="""MRS{c} <d:R>, <n:=apsr>
             MRS{c} <d:R>, <n:=cpsr>""", writes="d", timing="fp_status")
def mrs_apsr(nzcv: Lanes, q: Lanes, ge: Lanes) -> Result:
    """The flags to a general register.

    d <- NZCV in bits 31 to 28, Q in bit 27, GE in bits 19 to 16, and 16 in bits 4 to 0: the mode of user programs
    Source: DDI 0406 A8.8 MRS, A2.4.
    """
    return extend(nzcv, x32) << 28 | extend(q, x32) << 27 | extend(ge, x32) << 16 | 16


@insn(a32="""MSR{c} <d:=apsr_nzcvq>, <n:R> | replaces=q
             MSR{c} <d:=cpsr_f>, <n:R> | replaces=q""", writes="nzcv q", timing="fp_status")
def msr_apsr(n: Lanes) -> Result:
    """A general register to the flags of comparisons and Q.

    NZCV <- bits 31 to 28 of n, Q <- bit 27
    Source: DDI 0406 A8.8 MSR (register), A2.4.
    """
    word = unsigned(n)
    return narrow(narrow(word >> 28)), narrow(narrow(word >> 27 & 1))


@insn(a32="""MSR{c} <d:=apsr_g>, <n:R>
             MSR{c} <d:=cpsr_s>, <n:R>""", writes="ge", timing="fp_status")
def msr_apsr_ge(n: Lanes) -> Result:
    """A general register to GE.

    GE <- bits 19 to 16 of n
    Source: DDI 0406 A8.8 MSR (register), A2.4.
    """
    return narrow(narrow(unsigned(n) >> 16 & 15))


@insn(a32="""MSR{c} <d:=apsr_nzcvqg>, <n:R> | replaces=q
             MSR{c} <d:=cpsr_fs>, <n:R> | replaces=q""", writes="nzcv q ge", timing="fp_status")
def msr_apsr_all(n: Lanes) -> Result:
    """A general register to all flags.

    NZCV <- bits 31 to 28 of n, Q <- bit 27, GE <- bits 19 to 16
    Source: DDI 0406 A8.8 MSR (register), A2.4.
    """
    word = unsigned(n)
    return narrow(narrow(word >> 28)), narrow(narrow(word >> 27 & 1)), narrow(narrow(word >> 16 & 15))
