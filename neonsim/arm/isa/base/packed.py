"""AArch32 arithmetic on the bytes or halfwords of a general register, packing and saturation.

| instruction                | result                                                               |
|----------------------------|----------------------------------------------------------------------|
| SADD8 UADD8 SSUB8 ... 16   | sums, differences of bytes or halfwords, and GE                      |
| QADD8 UQADD8 ... 16        | the same, clamped                                                    |
| SHADD8 UHADD8 ... 16       | the same, halved                                                     |
| SASX, SSAX and their kin   | one sum and one difference of halfwords, those of m exchanged        |
| SEL                        | each byte of n or m, as GE says                                      |
| QADD QSUB QDADD QDSUB      | sums, differences of words, clamped; QD doubles n first              |
| SSAT USAT, SSAT16 USAT16   | words, halfwords clamped to n bits                             |
| PKHBT PKHTB                | two halfwords of two registers put together                          |

GE, four flags, one for each byte: of a signed sum or difference "not negative", of an unsigned sum "carried out of the
byte", of an unsigned difference "did not borrow". UADD8 or USUB8, then SEL is min and max of bytes without NEON.

Traps: QADD and its kin, SSAT and USAT set the sticky flag Q where they clamp; QADD8 and its kin do not.
"""

from __future__ import annotations

from typing import Any

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    bits,
    byte_flags,
    byte_mask,
    compare,
    join,
    narrow,
    sat,
    select,
    signed,
    unsigned,
    view,
    wide,
)


def _insn(function: Any, name: str, what: str, formula: str, bits_: int) -> None:
    """Register a function that a factory made; U in front of the mnemonic reads its operands as unsigned."""
    function.__name__ = name.lower()
    function.__doc__ = f"{what}.\n\n{formula}\nSource: DDI 0406 A8.8 {name}."
    kind = "u" if name[0] == "U" else "s"
    insn(a32=f"{name}{{c}} <d:P>, <n:P>, <m:P>", types=f"{kind}{bits_}", timing="alu",
         writes="d ge" if name[1:4] in ("ADD", "SUB", "ASX", "SAX") and name[0] in "SU" else "d")(function)


def _lanewise(bits_: int, lanes: str) -> None:
    """Sums and differences of bytes or halfwords: with GE, clamped, halved."""

    def sadd(n: Lanes, m: Lanes) -> Result:
        return n + m, byte_flags(narrow(compare(wide(n) + wide(m), ">=", 0)))

    def uadd(n: Lanes, m: Lanes) -> Result:
        return n + m, byte_flags(narrow(compare(wide(n) + wide(m), ">=", 1 << bits(n))))

    def qadd(n: Lanes, m: Lanes) -> Result:
        return sat(wide(n) + wide(m), like=n)[0]

    def uqadd(n: Lanes, m: Lanes) -> Result:
        return sat(wide(n) + wide(m), like=n)[0]

    def shadd(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(n) + wide(m) >> 1)

    def uhadd(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(n) + wide(m) >> 1)

    def ssub(n: Lanes, m: Lanes) -> Result:
        return n - m, byte_flags(compare(n, ">=", m))

    def usub(n: Lanes, m: Lanes) -> Result:
        return n - m, byte_flags(compare(n, ">=", m))

    def qsub(n: Lanes, m: Lanes) -> Result:
        return sat(wide(n) - wide(m), like=n)[0]

    def uqsub(n: Lanes, m: Lanes) -> Result:
        return sat(signed(wide(n) - wide(m)), like=n)[0]

    def shsub(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(n) - wide(m) >> 1)

    def uhsub(n: Lanes, m: Lanes) -> Result:
        return narrow(wide(n) - wide(m) >> 1)

    for function, ge in ((sadd, "the sum is not negative"), (uadd, "the sum carried out"),
                         (ssub, "n[i] >= m[i]"), (usub, "n[i] >= m[i]")):
        word, sign = _word(function)
        _insn(function, f"{function.__name__.upper()}{bits_}", f"{word} {lanes}, and say in GE how it went",
              f"d[i] <- n[i] {sign} m[i]; GE of its bytes <- whether {ge}", bits_)
    for function in (qadd, uqadd, qsub, uqsub):
        word, sign = _word(function)
        _insn(function, f"{function.__name__.upper()}{bits_}", f"{word} {lanes}, clamped",
              f"d[i] <- n[i] {sign} m[i], clamped to the lane", bits_)
    for function in (shadd, uhadd, shsub, uhsub):
        word, sign = _word(function)
        _insn(function, f"{function.__name__.upper()}{bits_}", f"{word} {lanes} and halve",
              f"d[i] <- (n[i] {sign} m[i]) >> 1", bits_)


def _word(function: Any) -> tuple[str, str]:
    return ("Add", "+") if function.__name__.endswith("add") else ("Subtract", "-")


_lanewise(8, "bytes")
_lanewise(16, "halfwords")


def _exchanging() -> None:
    """ASX: the lower halfword a difference, the upper a sum, halfwords of m exchanged; SAX the other way round."""

    def sasx(n: Lanes, m: Lanes) -> Result:
        low, high = wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0])
        return narrow(join(low, high)), byte_flags(narrow(compare(join(low, high), ">=", 0)))

    def uasx(n: Lanes, m: Lanes) -> Result:
        low, high = wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0])
        return narrow(join(low, high)), byte_flags(narrow(join(compare(signed(low), ">=", 0),
                                                               compare(high, ">=", 1 << 16))))

    def qasx(n: Lanes, m: Lanes) -> Result:
        return sat(join(wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0])), like=n)[0]

    def uqasx(n: Lanes, m: Lanes) -> Result:
        return sat(signed(join(wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0]))), like=n)[0]

    def shasx(n: Lanes, m: Lanes) -> Result:
        return narrow(join(wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0])) >> 1)

    def uhasx(n: Lanes, m: Lanes) -> Result:
        return narrow(join(wide(n[0]) - wide(m[1]), wide(n[1]) + wide(m[0])) >> 1)

    def ssax(n: Lanes, m: Lanes) -> Result:
        low, high = wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0])
        return narrow(join(low, high)), byte_flags(narrow(compare(join(low, high), ">=", 0)))

    def usax(n: Lanes, m: Lanes) -> Result:
        low, high = wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0])
        return narrow(join(low, high)), byte_flags(narrow(join(compare(low, ">=", 1 << 16),
                                                               compare(signed(high), ">=", 0))))

    def qsax(n: Lanes, m: Lanes) -> Result:
        return sat(join(wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0])), like=n)[0]

    def uqsax(n: Lanes, m: Lanes) -> Result:
        return sat(signed(join(wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0]))), like=n)[0]

    def shsax(n: Lanes, m: Lanes) -> Result:
        return narrow(join(wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0])) >> 1)

    def uhsax(n: Lanes, m: Lanes) -> Result:
        return narrow(join(wide(n[0]) + wide(m[1]), wide(n[1]) - wide(m[0])) >> 1)

    for functions, word, low, high in (
            ((sasx, uasx, qasx, uqasx, shasx, uhasx), "Exchange halfwords, add and subtract", "-", "+"),
            ((ssax, usax, qsax, uqsax, shsax, uhsax), "Exchange halfwords, subtract and add", "+", "-")):
        tails = [", and say in GE how it went"] * 2 + [", clamped"] * 2 + [", halved"] * 2
        for function, tail in zip(functions, tails, strict=True):
            _insn(function, function.__name__.upper(), word + tail,
                  f"d[0] <- n[0] {low} m[1], d[1] <- n[1] {high} m[0]{tail}", 16)


_exchanging()


@insn(a32="SEL{c} <d:P>, <n:P>, <m:P>", types="x8", writes="d", timing="alu")
def sel(n: Lanes, m: Lanes, ge: Lanes) -> Result:
    """Select bytes.

    d[i] <- n[i] if GE of byte i is set, else m[i]
    Source: DDI 0406 A8.8 SEL.
    """
    return select(view(byte_mask(ge), n.type), n, m)


# The second operand stands first in the text: QSUB d, m, n subtracts n from m.
@insn(a32="QADD{c} <d:RN>, <m:RN>, <n:RN>", writes="d q", timing="alu_shift")
def qadd_word(n: Lanes, m: Lanes) -> Result:
    """Add words, clamped.

    d <- m + n, clamped to a signed word; Q is set if it was
    Source: DDI 0406 A8.8 QADD.
    """
    return sat(wide(signed(m)) + wide(signed(n)), like=signed(n))


@insn(a32="QSUB{c} <d:RN>, <m:RN>, <n:RN>", writes="d q", timing="alu_shift")
def qsub_word(n: Lanes, m: Lanes) -> Result:
    """Subtract words, clamped.

    d <- m - n, clamped to a signed word; Q is set if it was
    Source: DDI 0406 A8.8 QSUB.
    """
    return sat(wide(signed(m)) - wide(signed(n)), like=signed(n))


@insn(a32="QDADD{c} <d:RN>, <m:RN>, <n:RN>", writes="d q", timing="alu_shift")
def qdadd(n: Lanes, m: Lanes) -> Result:
    """Double, clamped, and add, clamped.

    d <- m + (2 * n, clamped), clamped to a signed word; Q is set if it was
    Source: DDI 0406 A8.8 QDADD.
    """
    doubled, twice = sat(wide(signed(n)) << 1, like=signed(n))
    value, once = sat(wide(signed(m)) + wide(doubled), like=signed(n))
    return value, once | twice


@insn(a32="QDSUB{c} <d:RN>, <m:RN>, <n:RN>", writes="d q", timing="alu_shift")
def qdsub(n: Lanes, m: Lanes) -> Result:
    """Double, clamped, and subtract, clamped.

    d <- m - (2 * n, clamped), clamped to a signed word; Q is set if it was
    Source: DDI 0406 A8.8 QDSUB.
    """
    doubled, twice = sat(wide(signed(n)) << 1, like=signed(n))
    value, once = sat(wide(signed(m)) - wide(doubled), like=signed(n))
    return value, once | twice


@insn(a32="""SSAT{c} <d:RN>, #<width:1-32>, <m:RN+sat>
             SSAT16{c} <d:RN>, #<width:1-16>, <m:P> | s16""", writes="d q", timing="alu_shift")
def ssat(m: Lanes, width: int) -> Result:
    """Clamp to a signed number of n bits.

    d[i] <- m[i] clamped to -2**(width-1) .. 2**(width-1) - 1: a word, or two halfwords; Q is set if any was
    Source: DDI 0406 A8.8 SSAT, SSAT16.
    """
    # With the number moved to the top of its lane the limits are those of the lane.
    up = bits(m) - width
    value, q = sat(wide(signed(m)) << up, like=signed(m))
    return value >> up, q


@insn(a32="""USAT{c} <d:RN>, #<width:0-31>, <m:RN+sat>
             USAT16{c} <d:RN>, #<width:0-15>, <m:P> | s16""", writes="d q", timing="alu_shift")
def usat(m: Lanes, width: int) -> Result:
    """Clamp a signed number to an unsigned one of n bits.

    d[i] <- m[i] clamped to 0 .. 2**width - 1: a word, or two halfwords; Q is set if any was
    Source: DDI 0406 A8.8 USAT, USAT16.
    """
    up = bits(m) - width
    value, q = sat(wide(signed(m)) << up, like=unsigned(m))
    return value >> up, q


@insn(a32="PKHBT{c} <d:RN>, <n:RN>, <m:RN+lsl>", writes="d", timing="alu_shift")
def pkhbt(n: Lanes, m: Lanes) -> Result:
    """Pack the bottom halfword of n and the top one of m, which may be shifted left first.

    d <- low half of n, high half of m
    Source: DDI 0406 A8.8 PKHBT.
    """
    return n & 0xFFFF | m & 0xFFFF0000


@insn(a32="PKHTB{c} <d:RN>, <n:RN>, <m:RN+asr>", writes="d", timing="alu_shift")
def pkhtb(n: Lanes, m: Lanes) -> Result:
    """Pack the top halfword of n and the bottom one of m, which may be shifted right first.

    d <- high half of n, low half of m
    Source: DDI 0406 A8.8 PKHTB.
    """
    return n & 0xFFFF0000 | m & 0xFFFF
