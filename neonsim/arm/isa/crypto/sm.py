"""SM3 and SM4, the hash function and the block cipher of the Chinese standards.

| instruction              | what it does                                                                      |
|--------------------------|-----------------------------------------------------------------------------------|
| SM3SS1                   | the sum that both halves of an SM3 round begin with                               |
| SM3TT1A, SM3TT1B         | one of 64 rounds for words a to d; A: rounds 0 to 15 (parity), B: 16 to 63        |
| SM3TT2A, SM3TT2B         | the same round for words e to h; A: parity, B: choose                             |
| SM3PARTW1, SM3PARTW2     | four more words of the message's schedule, in two steps                           |
| SM4E                     | four of 32 rounds of SM4                                                          |
| SM4EKEY                  | four round keys                                                                   |

A register holds a state backwards: word a of SM3 is lane 3, d is lane 0; e is lane 3, h is lane 0. Lane 0 of an SM4
block is its first word. SM4 substitutes each byte of a word by a table, then adds the word to itself turned by 2, 10,
18 and 24.

In programs: SM3SS1, SM3TT1A and SM3TT2A are a round; the message's words come by a lane. Eight SM4E are a block.

Traps: the constant of an SM3 round is operand m of SM3SS1, turned already. Bytes of words are big-endian in both
standards: REV32 comes before and behind. AArch64 only.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, constants, join, lookup, rotate, view, x8, x32

# The substitution of SM4: an affine map, the inverse in GF(2**8) modulo x**8+x**7+x**6+x**5+x**4+x**2+1, the map again.
SUBSTITUTED = (
    0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb, 0x2c, 0x05,
    0x2b, 0x67, 0x9a, 0x76, 0x2a, 0xbe, 0x04, 0xc3, 0xaa, 0x44, 0x13, 0x26, 0x49, 0x86, 0x06, 0x99,
    0x9c, 0x42, 0x50, 0xf4, 0x91, 0xef, 0x98, 0x7a, 0x33, 0x54, 0x0b, 0x43, 0xed, 0xcf, 0xac, 0x62,
    0xe4, 0xb3, 0x1c, 0xa9, 0xc9, 0x08, 0xe8, 0x95, 0x80, 0xdf, 0x94, 0xfa, 0x75, 0x8f, 0x3f, 0xa6,
    0x47, 0x07, 0xa7, 0xfc, 0xf3, 0x73, 0x17, 0xba, 0x83, 0x59, 0x3c, 0x19, 0xe6, 0x85, 0x4f, 0xa8,
    0x68, 0x6b, 0x81, 0xb2, 0x71, 0x64, 0xda, 0x8b, 0xf8, 0xeb, 0x0f, 0x4b, 0x70, 0x56, 0x9d, 0x35,
    0x1e, 0x24, 0x0e, 0x5e, 0x63, 0x58, 0xd1, 0xa2, 0x25, 0x22, 0x7c, 0x3b, 0x01, 0x21, 0x78, 0x87,
    0xd4, 0x00, 0x46, 0x57, 0x9f, 0xd3, 0x27, 0x52, 0x4c, 0x36, 0x02, 0xe7, 0xa0, 0xc4, 0xc8, 0x9e,
    0xea, 0xbf, 0x8a, 0xd2, 0x40, 0xc7, 0x38, 0xb5, 0xa3, 0xf7, 0xf2, 0xce, 0xf9, 0x61, 0x15, 0xa1,
    0xe0, 0xae, 0x5d, 0xa4, 0x9b, 0x34, 0x1a, 0x55, 0xad, 0x93, 0x32, 0x30, 0xf5, 0x8c, 0xb1, 0xe3,
    0x1d, 0xf6, 0xe2, 0x2e, 0x82, 0x66, 0xca, 0x60, 0xc0, 0x29, 0x23, 0xab, 0x0d, 0x53, 0x4e, 0x6f,
    0xd5, 0xdb, 0x37, 0x45, 0xde, 0xfd, 0x8e, 0x2f, 0x03, 0xff, 0x6a, 0x72, 0x6d, 0x6c, 0x5b, 0x51,
    0x8d, 0x1b, 0xaf, 0x92, 0xbb, 0xdd, 0xbc, 0x7f, 0x11, 0xd9, 0x5c, 0x41, 0x1f, 0x10, 0x5a, 0xd8,
    0x0a, 0xc1, 0x31, 0x88, 0xa5, 0xcd, 0x7b, 0xbd, 0x2d, 0x74, 0xd0, 0x12, 0xb8, 0xe5, 0xb4, 0xb0,
    0x89, 0x69, 0x97, 0x4a, 0x0c, 0x96, 0x77, 0x7e, 0x65, 0xb9, 0xf1, 0x09, 0xc5, 0x6e, 0xc6, 0x84,
    0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb, 0x39, 0x48,
)

timing_class("crypto_sm3", like="asimd_table_1", text="SM3SS1 SM3TT1A to SM3TT2B SM3PARTW1 SM3PARTW2")
timing_class("crypto_sm4", like="asimd_table_1", text="SM4E SM4EKEY")


def left(n: Lanes, by: int) -> Lanes:
    """Turned left."""
    return rotate(n, 32 - by)


def spread(n: Lanes) -> Lanes:
    """Return the permutation that SM3 mixes words of its message with: P1."""
    return n ^ left(n, 15) ^ left(n, 23)


def substituted(n: Lanes) -> Lanes:
    """Each byte of one word through the table of SM4."""
    parts = view(n, x8)
    return view(lookup(constants(parts, SUBSTITUTED), parts, parts), x32)


@insn(a64="SM3SS1 <d>.4s, <n>.4s, <m>.4s, <a>.4s", types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3ss1(n: Lanes, m: Lanes, a: Lanes) -> Lanes:
    """SM3, the first sum of a round.

    d[3] <- rol(rol(n[3], 12) + m[3] + a[3], 7), the other lanes 0
    Source: DDI 0487 C7.2 SM3SS1. GB/T 32905-2016, 5.3.3.

    >>> sm3ss1(x32(9, 9, 9, 1), x32(9, 9, 9, 2), x32(9, 9, 9, 4)).tolist()
    [0, 0, 0, 525056]
    """
    result = left(left(n[3], 12) + m[3] + a[3], 7)
    return join(result & 0, result & 0, result & 0, result)


_ROUND = "SM3TT{0} <d>.4s, <n>.4s, <m>.<Ts>[<index>]"


@insn(a64=_ROUND.format("1A"), types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3tt1a(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, a round of the first 16 for words a to d.

    t <- (a ^ b ^ c) + d + (n[3] ^ rol(a, 12)) + m[index], d <- t a rol(b, 9) c; lanes 3 to 0
    Source: DDI 0487 C7.2 SM3TT1A. GB/T 32905-2016, 5.3.3.
    """
    mixed = d[1] ^ d[3] ^ d[2]
    first = mixed + d[0] + (n[3] ^ left(d[3], 12)) + m
    return join(d[1], left(d[2], 9), d[3], first)


@insn(a64=_ROUND.format("1B"), types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3tt1b(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, a round of the last 48 for words a to d.

    t <- (a & b | a & c | b & c) + d + (n[3] ^ rol(a, 12)) + m[index], d <- t a rol(b, 9) c; lanes 3 to 0
    Source: DDI 0487 C7.2 SM3TT1B. GB/T 32905-2016, 5.3.3.
    """
    mixed = d[3] & d[1] | d[3] & d[2] | d[1] & d[2]
    first = mixed + d[0] + (n[3] ^ left(d[3], 12)) + m
    return join(d[1], left(d[2], 9), d[3], first)


@insn(a64=_ROUND.format("2A"), types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3tt2a(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, a round of the first 16 for words e to h.

    t <- (e ^ f ^ g) + h + n[3] + m[index], d <- t ^ rol(t, 9) ^ rol(t, 17), e, rol(f, 19), g; lanes 3 to 0
    Source: DDI 0487 C7.2 SM3TT2A. GB/T 32905-2016, 5.3.3.
    """
    first = (d[1] ^ d[3] ^ d[2]) + d[0] + n[3] + m
    return join(d[1], left(d[2], 19), d[3], first ^ left(first, 9) ^ left(first, 17))


@insn(a64=_ROUND.format("2B"), types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3tt2b(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, a round of the last 48 for words e to h.

    t <- (e & f | ~e & g) + h + n[3] + m[index], d <- t ^ rol(t, 9) ^ rol(t, 17), e, rol(f, 19), g; lanes 3 to 0
    Source: DDI 0487 C7.2 SM3TT2B. GB/T 32905-2016, 5.3.3.
    """
    first = (d[3] & d[2] | ~d[3] & d[1]) + d[0] + n[3] + m
    return join(d[1], left(d[2], 19), d[3], first ^ left(first, 9) ^ left(first, 17))


@insn(a64="SM3PARTW1 <d>.4s, <n>.4s, <m>.4s", types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3partw1(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, the first step of four words of the message's schedule.

    d[i] <- P1(d[i] ^ n[i] ^ rol(p[i + 1], 15)), p = m's lanes followed by d[0] as just made; P1(x) = x ^ rol(x, 15) ^
    rol(x, 23)
    Source: DDI 0487 C7.2 SM3PARTW1. GB/T 32905-2016, 5.3.2.
    """
    mixed = d ^ n
    low = spread(mixed[0:3] ^ left(m[1:4], 15))
    return join(low, spread(mixed[3] ^ left(low[0], 15)))


@insn(a64="SM3PARTW2 <d>.4s, <n>.4s, <m>.4s", types="x32", writes="d", timing="crypto_sm3", feature="sm3")
def sm3partw2(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SM3, the second step of four words of the message's schedule.

    t[i] <- n[i] ^ rol(m[i], 7), d[i] <- d[i] ^ t[i], and d[3] <- d[3] ^ P1(rol(t[0], 15)) besides
    Source: DDI 0487 C7.2 SM3PARTW2. GB/T 32905-2016, 5.3.2.
    """
    mixed = n ^ left(m, 7)
    result = d ^ mixed
    return join(result[0:3], result[3] ^ spread(left(mixed[0], 15)))


@insn(a64="SM4E <d>.4s, <n>.4s", types="x32", writes="d", timing="crypto_sm4", feature="sm4")
def sm4e(d: Lanes, n: Lanes) -> Lanes:
    """SM4, four rounds of encryption.

    four times: t <- each byte of d[1] ^ d[2] ^ d[3] ^ n[i] through the table; d <- d[1] d[2] d[3] and d[0] ^ t ^
    rol(t, 2) ^ rol(t, 10) ^ rol(t, 18) ^ rol(t, 24)
    Source: DDI 0487 C7.2 SM4E. GB/T 32907-2016, 6.
    """
    for i in range(4):
        t = substituted(d[1] ^ d[2] ^ d[3] ^ n[i])
        d = join(d[1:4], d[0] ^ t ^ left(t, 2) ^ left(t, 10) ^ left(t, 18) ^ left(t, 24))
    return d


@insn(a64="SM4EKEY <d>.4s, <n>.4s, <m>.4s", types="x32", writes="d", timing="crypto_sm4", feature="sm4")
def sm4ekey(n: Lanes, m: Lanes) -> Lanes:
    """SM4, four round keys.

    four times: t <- each byte of n[1] ^ n[2] ^ n[3] ^ m[i] through the table; n <- n[1] n[2] n[3] and n[0] ^ t ^
    rol(t, 13) ^ rol(t, 23); d <- n
    Source: DDI 0487 C7.2 SM4EKEY. GB/T 32907-2016, 7.3.
    """
    for i in range(4):
        t = substituted(n[1] ^ n[2] ^ n[3] ^ m[i])
        n = join(n[1:4], n[0] ^ t ^ left(t, 13) ^ left(t, 23))
    return n
