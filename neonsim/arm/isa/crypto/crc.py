"""Cyclic redundancy checks: a message as a polynomial over {0, 1}, and its remainder modulo another.

| instruction         | polynomial, without x**32   | bits of the message at a time |
|---------------------|-----------------------------|-------------------------------|
| CRC32B, H, W, X     | 0x04C11DB7: Ethernet, zip   | 8, 16, 32, 64                 |
| CRC32CB, CH, CW, CX | 0x1EDC6F41: iSCSI, ext4     | 8, 16, 32, 64                 |

Bits run the other way round than in a textbook: bit 0 is the highest power of x, so the polynomials are mirrored here
(0xEDB88320, 0x82F63B78) and the remainder moves right.

In programs: zlib and file systems check their data with it; hash tables mix their keys with it.

Traps: the usual CRC-32 of a file begins with all ones and ends with all bits inverted: the instruction does neither.
The second source of B and H is a whole register, of which the low bits count. CRC32X and CRC32CX are of AArch64 only.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, unsigned, view, x32

ETHERNET = 0xEDB88320
CASTAGNOLI = 0x82F63B78

timing_class("crc", like="mul", text="CRC32B to CRC32CX")


def remainder(crc: Lanes, message: Lanes, polynomial: int, size: int) -> Lanes:
    """Return the remainder after ``size`` more bits: the lower ones of the message, which has no others."""
    crc = unsigned(crc) ^ message
    for _ in range(size):
        crc = crc >> 1 ^ -(crc & 1) & polynomial
    return crc


@insn(a64="CRC32B <d:W>, <n:W>, <m:W>", a32="CRC32B <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32b(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32 of one more byte.

    d <- (n * x**8 + m<7:0> * x**32) modulo 0x04C11DB7, bits mirrored
    Source: DDI 0487 C6.2 CRC32B; DDI 0487 F5.1 CRC32B.

    >>> crc = x32(0xFFFFFFFF)
    >>> for byte in b"123456789":
    ...     crc = crc32b(crc, x32(byte))
    >>> hex((~crc).item())
    '0xcbf43926'
    """
    return remainder(n, m & 0xFF, ETHERNET, 8)


@insn(a64="CRC32H <d:W>, <n:W>, <m:W>", a32="CRC32H <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32h(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32 of one more halfword.

    d <- (n * x**16 + m<15:0> * x**32) modulo 0x04C11DB7, bits mirrored
    Source: DDI 0487 C6.2 CRC32H; DDI 0487 F5.1 CRC32H.
    """
    return remainder(n, m & 0xFFFF, ETHERNET, 16)


@insn(a64="CRC32W <d:W>, <n:W>, <m:W>", a32="CRC32W <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32w(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32 of one more word.

    d <- (n * x**32 + m * x**32) modulo 0x04C11DB7, bits mirrored
    Source: DDI 0487 C6.2 CRC32W; DDI 0487 F5.1 CRC32W.
    """
    return remainder(n, m, ETHERNET, 32)


@insn(a64="CRC32X <d:W>, <n:W>, <m:X>", writes="d", timing="crc", feature="crc32")
def crc32x(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32 of one more doubleword.

    d <- (n * x**64 + m * x**32) modulo 0x04C11DB7, bits mirrored
    Source: DDI 0487 C6.2 CRC32X.
    """
    words = view(m, x32)
    return remainder(remainder(n, words[0], ETHERNET, 32), words[1], ETHERNET, 32)


@insn(a64="CRC32CB <d:W>, <n:W>, <m:W>", a32="CRC32CB <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32cb(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32C of one more byte.

    d <- (n * x**8 + m<7:0> * x**32) modulo 0x1EDC6F41, bits mirrored
    Source: DDI 0487 C6.2 CRC32CB; DDI 0487 F5.1 CRC32CB.

    >>> crc = x32(0xFFFFFFFF)
    >>> for byte in b"123456789":
    ...     crc = crc32cb(crc, x32(byte))
    >>> hex((~crc).item())
    '0xe3069283'
    """
    return remainder(n, m & 0xFF, CASTAGNOLI, 8)


@insn(a64="CRC32CH <d:W>, <n:W>, <m:W>", a32="CRC32CH <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32ch(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32C of one more halfword.

    d <- (n * x**16 + m<15:0> * x**32) modulo 0x1EDC6F41, bits mirrored
    Source: DDI 0487 C6.2 CRC32CH; DDI 0487 F5.1 CRC32CH.
    """
    return remainder(n, m & 0xFFFF, CASTAGNOLI, 16)


@insn(a64="CRC32CW <d:W>, <n:W>, <m:W>", a32="CRC32CW <d:RN>, <n:RN>, <m:RN>", writes="d", timing="crc",
      feature="crc32")
def crc32cw(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32C of one more word.

    d <- (n * x**32 + m * x**32) modulo 0x1EDC6F41, bits mirrored
    Source: DDI 0487 C6.2 CRC32CW; DDI 0487 F5.1 CRC32CW.
    """
    return remainder(n, m, CASTAGNOLI, 32)


@insn(a64="CRC32CX <d:W>, <n:W>, <m:X>", writes="d", timing="crc", feature="crc32")
def crc32cx(n: Lanes, m: Lanes) -> Lanes:
    """CRC-32C of one more doubleword.

    d <- (n * x**64 + m * x**32) modulo 0x1EDC6F41, bits mirrored
    Source: DDI 0487 C6.2 CRC32CX.
    """
    words = view(m, x32)
    return remainder(remainder(n, words[0], CASTAGNOLI, 32), words[1], CASTAGNOLI, 32)
