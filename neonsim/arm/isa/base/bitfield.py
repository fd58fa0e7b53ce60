"""Parts of general registers: extracted, inserted, extended, counted, put in another order.

| instruction           | result                                                            |
|-----------------------|-------------------------------------------------------------------|
| UBFX, SBFX            | `width` bits from bit `shift` on, at the bottom, zero or sign above |
| UBFIZ, SBFIZ          | the low `width` bits at bit `shift`, zeros below, zero or sign above |
| BFI, BFXIL, BFC       | the same put into d, whose other bits stay; BFC puts zeros        |
| UBFM, SBFM, BFM       | what all of these are: n rotated right, its lowest bit and its highest |
| SXTB SXTH SXTW, UXTB UXTH | the low byte, halfword or word, with its sign or zeros above  |
| SXTAB SXTAH UXTAB UXTAH | the same added to n; ...B16: two bytes to two halfwords         |
| CLZ, CLS              | zeros above the highest one; bits after the sign equal to it      |
| RBIT, REV REV16 REV32 REVSH | bits, or bytes of the whole or of parts, in the opposite order |

Traps: a w register's upper half is always zero: SXTW is needed wherever a 32-bit index may be negative. CLZ of 0 is the
width; CLS does not count the sign itself.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn
from neonsim.arm.semantics import (
    Lanes,
    Result,
    bits,
    extend,
    half,
    leading_zeros,
    mirror,
    narrow,
    reverse,
    signed,
    view,
    wide,
    x8,
    x16,
)


@insn(a64="UBFX <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>",
      a32="UBFX{c} <d:RN>, <n:RN>, #<shift:0-31>, #<width:1-rest>", writes="d", timing="shift_imm")
def ubfx(n: Lanes, shift: int, width: int) -> Result:
    """Extract bits, zeros above.

    d <- n >> shift, modulo 2**width
    Source: DDI 0487 C6.2 UBFX; DDI 0406 A8.8 UBFX.
    """
    return n >> shift & (1 << width) - 1


@insn(a64="SBFX <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>",
      a32="SBFX{c} <d:RN>, <n:RN>, #<shift:0-31>, #<width:1-rest>", writes="d", timing="shift_imm")
def sbfx(n: Lanes, shift: int, width: int) -> Result:
    """Extract bits, the highest of them above.

    d <- n >> shift, as a signed number of `width` bits
    Source: DDI 0487 C6.2 SBFX; DDI 0406 A8.8 SBFX.
    """
    return signed(n << bits(n) - shift - width) >> bits(n) - width


@insn(a64="UBFIZ <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>", writes="d", timing="shift_imm")
def ubfiz(n: Lanes, shift: int, width: int) -> Result:
    """Place low bits higher up, zeros around them.

    d <- (n modulo 2**width) << shift
    Source: DDI 0487 C6.2 UBFIZ.
    """
    return (n & (1 << width) - 1) << shift


@insn(a64="SBFIZ <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>", writes="d", timing="shift_imm")
def sbfiz(n: Lanes, shift: int, width: int) -> Result:
    """Place low bits higher up, zeros below and their highest above.

    d <- (n as a signed number of `width` bits) << shift
    Source: DDI 0487 C6.2 SBFIZ.
    """
    return signed(n << bits(n) - width) >> bits(n) - width - shift


@insn(a64="BFI <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>",
      a32="BFI{c} <d:RN>, <n:RN>, #<shift:0-31>, #<width:1-rest>", writes="d", timing="bitfield_insert")
def bfi(d: Lanes, n: Lanes, shift: int, width: int) -> Result:
    """Insert low bits; the others of d stay.

    d <- d with bits shift..shift+width-1 replaced by the low bits of n
    Source: DDI 0487 C6.2 BFI; DDI 0406 A8.8 BFI.
    """
    return d & ~((1 << width) - 1 << shift) | (n & (1 << width) - 1) << shift


@insn(a64="BFXIL <d:R>, <n:R>, #<shift:0-w1>, #<width:1-rest>", writes="d", timing="bitfield_insert")
def bfxil(d: Lanes, n: Lanes, shift: int, width: int) -> Result:
    """Extract bits and insert them at the bottom; the others of d stay.

    d <- d with bits 0..width-1 replaced by bits shift..shift+width-1 of n
    Source: DDI 0487 C6.2 BFXIL.
    """
    return d & ~((1 << width) - 1) | n >> shift & (1 << width) - 1


@insn(a64="BFC <d:R>, #<shift:0-w1>, #<width:1-rest>", a32="BFC{c} <d:RN>, #<shift:0-31>, #<width:1-rest>", writes="d",
      timing="bitfield_insert")
def bfc(d: Lanes, shift: int, width: int) -> Result:
    """Clear bits.

    d <- d with bits shift..shift+width-1 zero
    Source: DDI 0487 C6.2 BFC; DDI 0406 A8.8 BFC.
    """
    return d & ~((1 << width) - 1 << shift)


@insn(a64="UBFM <d:R>, <n:R>, #<shift:0-w1>, #<width:0-w1>", writes="d", timing="shift_imm")
def ubfm(n: Lanes, shift: int, width: int) -> Result:
    """The instruction behind UBFX, UBFIZ, LSL, LSR and UXTB, by its numbers r and s.

    d <- bits r to s of n if r <= s; else the low s + 1 bits of n << w - r
    Source: DDI 0487 C6.2 UBFM.
    """
    w = bits(n)
    source = (1 << width + 1) - 1  # these bits of n are rotated; the low (s - r) modulo w + 1 bits of that count
    kept = (source >> shift | source << w - shift) & (1 << (width - shift) % w + 1) - 1
    return (n >> shift | n << (w - shift) % w) & kept & (1 << w) - 1


@insn(a64="SBFM <d:R>, <n:R>, #<shift:0-w1>, #<width:0-w1>", writes="d", timing="shift_imm")
def sbfm(n: Lanes, shift: int, width: int) -> Result:
    """The instruction behind SBFX, SBFIZ, ASR and SXTB, by its numbers r and s.

    d <- bits r to s of n if r <= s; else the low s + 1 bits of n << w - r; bit s of n in all higher bits
    Source: DDI 0487 C6.2 SBFM.
    """
    w = bits(n)
    place = (width - shift) % w  # where bit s of n comes to stand
    source = (1 << width + 1) - 1
    kept = (source >> shift | source << w - shift) & (1 << place + 1) - 1
    return signed(((n >> shift | n << (w - shift) % w) & kept & (1 << w) - 1) << w - 1 - place) >> w - 1 - place


@insn(a64="BFM <d:R>, <n:R>, #<shift:0-w1>, #<width:0-w1>", writes="d", timing="bitfield_insert")
def bfm(d: Lanes, n: Lanes, shift: int, width: int) -> Result:
    """The instruction behind BFI, BFXIL and BFC, by its numbers r and s.

    d <- d with bits 0 to s - r replaced by bits r to s of n if r <= s; else with bits w - r to w - r + s replaced by
    the low s + 1 bits of n
    Source: DDI 0487 C6.2 BFM.
    """
    w = bits(n)
    source = (1 << width + 1) - 1
    put = (source >> shift | source << w - shift) & (1 << (width - shift) % w + 1) - 1 & (1 << w) - 1
    return d & ~put | (n >> shift | n << (w - shift) % w) & put


@insn(a64="{S|U}XTB <d:R>, <m:W>", a32="{S|U}XTB{c} <d:RN>, <m:RN+ror>", writes="d", timing="shift_imm")
def xtb(m: Lanes, like: Lanes) -> Result:
    """Extend a byte.

    d <- low byte of m; AArch32 can rotate m right by 8, 16 or 24 bits first
    Source: DDI 0487 C6.2 SXTB, UXTB; DDI 0406 A8.8 SXTB, UXTB.
    """
    return extend(narrow(narrow(m)), like.type)


@insn(a64="{S|U}XTH <d:R>, <m:W>", a32="{S|U}XTH{c} <d:RN>, <m:RN+ror>", writes="d", timing="shift_imm")
def xth(m: Lanes, like: Lanes) -> Result:
    """Extend a halfword.

    d <- low halfword of m; AArch32 can rotate m right by 8, 16 or 24 bits first
    Source: DDI 0487 C6.2 SXTH, UXTH; DDI 0406 A8.8 SXTH, UXTH.
    """
    return extend(narrow(m), like.type)


@insn(a64="{S|U}XTW <d:X>, <m:W>", writes="d", timing="shift_imm")
def xtw(m: Lanes, like: Lanes) -> Result:
    """Extend a word.

    d <- m
    Source: DDI 0487 C6.2 SXTW; UXTW is what GNU as calls UBFM with these operands.
    """
    return extend(m, like.type)


@insn(a32="{S|U}XTAB{c} <d:RN>, <n:RN>, <m:RN+ror>", writes="d", timing="alu_shift")
def xtab(n: Lanes, m: Lanes) -> Result:
    """Extend a byte and add it.

    d <- n + low byte of m, m rotated right by 0, 8, 16 or 24 bits first
    Source: DDI 0406 A8.8 SXTAB, UXTAB.
    """
    return n + extend(narrow(narrow(m)), n.type)


@insn(a32="{S|U}XTAH{c} <d:RN>, <n:RN>, <m:RN+ror>", writes="d", timing="alu_shift")
def xtah(n: Lanes, m: Lanes) -> Result:
    """Extend a halfword and add it.

    d <- n + low halfword of m, m rotated right by 0, 8, 16 or 24 bits first
    Source: DDI 0406 A8.8 SXTAH, UXTAH.
    """
    return n + extend(narrow(m), n.type)


@insn(a32="{S|U}XTB16{c} <d:RN>, <m:RN+ror>", writes="d", timing="shift_imm")
def xtb16(m: Lanes) -> Result:
    """Extend bytes 0 and 2 to halfwords.

    d[i] <- low byte of m[i], halfwords; m rotated right by 0, 8, 16 or 24 bits first
    Source: DDI 0406 A8.8 SXTB16, UXTB16.
    """
    return wide(narrow(view(m, half(m))))


@insn(a32="{S|U}XTAB16{c} <d:RN>, <n:RN>, <m:RN+ror>", writes="d", timing="alu_shift")
def xtab16(n: Lanes, m: Lanes) -> Result:
    """Extend bytes 0 and 2 and add them to halfwords.

    d[i] <- n[i] + low byte of m[i], halfwords; m rotated right by 0, 8, 16 or 24 bits first
    Source: DDI 0406 A8.8 SXTAB16, UXTAB16.
    """
    return view(n, half(n)) + wide(narrow(view(m, half(m))))


@insn(a64="CLZ <d:R>, <n:R>", a32="CLZ{c} <d:RN>, <n:RN>", writes="d", timing="alu")
def clz(n: Lanes) -> Result:
    """Count leading zeros.

    d <- number of zeros above the highest one of n; the width for 0
    Source: DDI 0487 C6.2 CLZ; DDI 0406 A8.8 CLZ.
    """
    return leading_zeros(n)


@insn(a64="CLS <d:R>, <n:R>", writes="d", timing="alu")
def cls(n: Lanes) -> Result:
    """Count leading sign bits.

    d <- number of bits after the highest that are equal to it
    Source: DDI 0487 C6.2 CLS.
    """
    return leading_zeros(signed(n) ^ signed(n) >> 1) - 1


@insn(a64="RBIT <d:R>, <n:R>", a32="RBIT{c} <d:RN>, <n:RN>", writes="d", timing="shift_imm")
def rbit(n: Lanes) -> Result:
    """The bits in the opposite order.

    d <- n with bit i where bit w - 1 - i was
    Source: DDI 0487 C6.2 RBIT; DDI 0406 A8.8 RBIT.
    """
    return mirror(n)


@insn(a64="""REV <d:R>, <n:R>
             REV64 <d:X>, <n:X>""", a32="REV{c} <d:RN>, <n:RN>", writes="d", timing="shift_imm")
def rev(n: Lanes) -> Result:
    """The bytes in the opposite order.

    d <- n with byte i where byte w/8 - 1 - i was
    Source: DDI 0487 C6.2 REV; DDI 0406 A8.8 REV.
    """
    return reverse(view(n, x8), bits(n))


@insn(a64="REV32 <d:X>, <n:X>", writes="d", timing="shift_imm")
def rev_words(n: Lanes) -> Result:
    """The bytes of each word in the opposite order.

    d <- both words of n with their bytes reversed
    Source: DDI 0487 C6.2 REV32.
    """
    return reverse(view(n, x8), 32)


@insn(a64="REV16 <d:R>, <n:R>", a32="REV16{c} <d:RN>, <n:RN>", writes="d", timing="shift_imm")
def rev_halfwords(n: Lanes) -> Result:
    """The bytes of each halfword in the opposite order.

    d <- all halfwords of n with their bytes exchanged
    Source: DDI 0487 C6.2 REV16; DDI 0406 A8.8 REV16.
    """
    return reverse(view(n, x8), 16)


@insn(a32="REVSH{c} <d:RN>, <n:RN>", writes="d", timing="shift_imm")
def revsh(n: Lanes) -> Result:
    """Exchange the bytes of the low halfword and extend it with its sign.

    d <- bytes 1 and 0 of n as a signed halfword
    Source: DDI 0406 A8.8 REVSH.
    """
    return extend(signed(view(reverse(view(narrow(n), x8), 16), x16)), n.type)
