"""SHA-1, SHA-256 and SHA-512, hash functions of one design: a state of words, rounds that mix it with the message.

| instruction          | what it does                                                                          |
|----------------------|---------------------------------------------------------------------------------------|
| SHA1C, SHA1P, SHA1M  | four of 80 rounds of SHA-1, with the function choose, parity or majority              |
| SHA1H                | the fifth word of the state, turned: what the next four rounds begin with             |
| SHA1SU0, SHA1SU1     | four more words of the message's schedule, in two steps                               |
| SHA256H, SHA256H2    | four of 64 rounds of SHA-256: words a b c d of the state, words e f g h               |
| SHA256SU0, SHA256SU1 | four more words of the schedule, in two steps                                         |
| SHA512H, SHA512H2    | two of 80 rounds of SHA-512, whose words have 64 bits, in two halves                  |
| SHA512SU0, SHA512SU1 | two more words of the schedule                                                        |

A round of SHA-1 adds e, a turned by 5, a function of b c d and a word of the message with its constant; the sum is the
new a, and each word moves on by one. A round of the others adds to h a word, and a function of e f g; the sum goes to
d, and with a function of a b c it is the new a. Words of the message are mixed by turning and shifting.

In programs: SHA1H keeps a for later, SHA1C makes four rounds. SHA256H and SHA256H2 come in pairs with the state of
before in both, so one half is copied first. SHA512H makes sums for both halves, SHA512H2 the half a b.

Traps: the constant of a round is added to the words of the message before, with ADD. SHA256H2 has its operands the
other way round: e to h in d, a to d in n. The instructions of SHA-512 are of AArch64 only. SHA-1 is broken for
signatures.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, count, join, rotate, view, x32

timing_class("crypto_sha1_hash", like="asimd_mla_long", text="SHA1C SHA1P SHA1M: four rounds")
timing_class("crypto_sha1", like="asimd_table_1", text="SHA1H SHA1SU0 SHA1SU1")
timing_class("crypto_sha256_hash", like="asimd_mla_long", text="SHA256H SHA256H2: four rounds")
timing_class("crypto_sha256", like="asimd_table_1", text="SHA256SU0 SHA256SU1")
timing_class("crypto_sha512", like="asimd_table_1", text="SHA512H SHA512H2 SHA512SU0 SHA512SU1")


def choose_bits(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Select the bit of y where x has a one, else that of z."""
    return (y ^ z) & x ^ z


def parity(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """One where an odd number of them has a one."""
    return x ^ y ^ z


def majority(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """Return what two of three have."""
    return x & y | (x | y) & z


def moved_on(state: Lanes, e: Lanes, mixed: Lanes, word: Lanes) -> Lanes:
    """a b c d e after a round: the new a, the old a, b turned, c and d."""
    first = e + rotate(state[0], 27) + mixed + word
    return join(first, state[0], rotate(state[1], 2), state[2], state[3])


_HASH = "SHA1{0} <d:Q>, <n:S>, <m>.4s", "SHA1{0}.32 <d:Q>, <n:Q>, <m:Q>"


@insn(a64=_HASH[0].format("C"), a32=_HASH[1].format("C"), types="x32", writes="d", timing="crypto_sha1_hash",
      feature="sha1")
def sha1c(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-1, four rounds with choose.

    four times: t <- e + rol(a, 5) + (b & c | ~b & d) + m[i], a b c d e <- t a rol(b, 30) c d; d = a b c d, n[0] = e
    Source: DDI 0487 C7.2 SHA1C; DDI 0487 F6.1 SHA1C. FIPS 180-4, 6.1.2.
    """
    state = join(view(d, x32), n[0])
    for i in range(4):
        state = moved_on(state, state[4], choose_bits(state[1], state[2], state[3]), m[i])
    return state[0:4]


@insn(a64=_HASH[0].format("P"), a32=_HASH[1].format("P"), types="x32", writes="d", timing="crypto_sha1_hash",
      feature="sha1")
def sha1p(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-1, four rounds with parity.

    four times: t <- e + rol(a, 5) + (b ^ c ^ d) + m[i], a b c d e <- t a rol(b, 30) c d; d = a b c d, n[0] = e
    Source: DDI 0487 C7.2 SHA1P; DDI 0487 F6.1 SHA1P. FIPS 180-4, 6.1.2.
    """
    state = join(view(d, x32), n[0])
    for i in range(4):
        state = moved_on(state, state[4], parity(state[1], state[2], state[3]), m[i])
    return state[0:4]


@insn(a64=_HASH[0].format("M"), a32=_HASH[1].format("M"), types="x32", writes="d", timing="crypto_sha1_hash",
      feature="sha1")
def sha1m(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-1, four rounds with majority.

    four times: t <- e + rol(a, 5) + (b & c | b & d | c & d) + m[i], a b c d e <- t a rol(b, 30) c d; d = a b c d,
    n[0] = e
    Source: DDI 0487 C7.2 SHA1M; DDI 0487 F6.1 SHA1M. FIPS 180-4, 6.1.2.
    """
    state = join(view(d, x32), n[0])
    for i in range(4):
        state = moved_on(state, state[4], majority(state[1], state[2], state[3]), m[i])
    return state[0:4]


@insn(a64="SHA1H <d:S>, <n:S>", a32="SHA1H.32 <d:Q>, <n:Q>", types="x32", writes="d", timing="crypto_sha1",
      feature="sha1")
def sha1h(n: Lanes) -> Lanes:
    """SHA-1 fixed rotate.

    d[0] <- rol(n[0], 30), the other lanes 0
    Source: DDI 0487 C7.2 SHA1H; DDI 0487 F6.1 SHA1H.

    >>> sha1h(x32(7)).tolist()
    [3221225473]
    """
    turned = rotate(n[0], 2)
    # An s register has one lane; of a q register the others become zero.
    return join(turned, turned & 0, turned & 0, turned & 0)[0:count(n)]


@insn(a64="SHA1SU0 <d>.4s, <n>.4s, <m>.4s", a32="SHA1SU0.32 <d:Q>, <n:Q>, <m:Q>", types="x32", writes="d",
      timing="crypto_sha1", feature="sha1")
def sha1su0(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-1 schedule update 0.

    d[i] <- d[i] ^ p[i + 2] ^ m[i], p = d's lanes followed by n's
    Source: DDI 0487 C7.2 SHA1SU0; DDI 0487 F6.1 SHA1SU0. FIPS 180-4, 6.1.2.

    >>> sha1su0(x32(1, 2, 4, 8), x32(16, 32, 64, 128), x32(256, 512, 1024, 2048)).tolist()
    [261, 522, 1044, 2088]
    """
    return d ^ join(d, n)[2:6] ^ m


@insn(a64="SHA1SU1 <d>.4s, <n>.4s", a32="SHA1SU1.32 <d:Q>, <n:Q>", types="x32", writes="d", timing="crypto_sha1",
      feature="sha1")
def sha1su1(d: Lanes, n: Lanes) -> Lanes:
    """SHA-1 schedule update 1.

    d[i] <- rol(d[i] ^ n[i + 1], 1) for i < 3, d[3] <- rol(d[3], 1) ^ rol(d[0] ^ n[1], 2)
    Source: DDI 0487 C7.2 SHA1SU1; DDI 0487 F6.1 SHA1SU1. FIPS 180-4, 6.1.2.

    >>> sha1su1(x32(1, 2, 4, 8), x32(0, 0, 0, 0)).tolist()
    [2, 4, 8, 20]
    """
    mixed = d ^ join(n[1:4], n[0] & 0)
    turned = rotate(mixed, 31)
    return join(turned[0:3], turned[3] ^ rotate(mixed[0], 30))


def turned(n: Lanes, one: int, two: int, three: int) -> Lanes:
    """Turned right by three numbers of bits: the functions that the standard calls capital sigma."""
    return rotate(n, one) ^ rotate(n, two) ^ rotate(n, three)


def four_rounds(state: Lanes, words: Lanes) -> Lanes:
    """a to h after four rounds of SHA-256."""
    for i in range(4):
        added = (state[7] + turned(state[4], 6, 11, 25) + choose_bits(state[4], state[5], state[6]) + words[i])
        first = added + turned(state[0], 2, 13, 22) + majority(state[0], state[1], state[2])
        state = join(first, state[0:3], state[3] + added, state[4:7])
    return state


@insn(a64="SHA256H <d:Q>, <n:Q>, <m>.4s", a32="SHA256H.32 <d:Q>, <n:Q>, <m:Q>", types="x32", writes="d",
      timing="crypto_sha256_hash", feature="sha2")
def sha256h(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-256, four rounds, words a to d of the state.

    four times: t <- h + S1(e) + choose(e, f, g) + m[i], a to h <- t + S0(a) + majority(a, b, c), a, b, c, d + t, e, f,
    g; d = a b c d, n = e f g h, S0(x) = ror(x, 2) ^ ror(x, 13) ^ ror(x, 22), S1(x) = ror(x, 6) ^ ror(x, 11) ^
    ror(x, 25)
    Source: DDI 0487 C7.2 SHA256H; DDI 0487 F6.1 SHA256H. FIPS 180-4, 6.2.2.
    """
    return four_rounds(join(view(d, x32), view(n, x32)), m)[0:4]


@insn(a64="SHA256H2 <d:Q>, <n:Q>, <m>.4s", a32="SHA256H2.32 <d:Q>, <n:Q>, <m:Q>", types="x32", writes="d",
      timing="crypto_sha256_hash", feature="sha2")
def sha256h2(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-256, four rounds, words e to h of the state.

    d <- e f g h after the four rounds of SHA256H; n = a b c d, d = e f g h
    Source: DDI 0487 C7.2 SHA256H2; DDI 0487 F6.1 SHA256H2. FIPS 180-4, 6.2.2.
    """
    return four_rounds(join(view(n, x32), view(d, x32)), m)[4:8]


@insn(a64="SHA256SU0 <d>.4s, <n>.4s", a32="SHA256SU0.32 <d:Q>, <n:Q>", types="x32", writes="d",
      timing="crypto_sha256", feature="sha2")
def sha256su0(d: Lanes, n: Lanes) -> Lanes:
    """SHA-256 schedule update 0.

    d[i] <- d[i] + s0(p[i + 1]), p = d's lanes followed by n's, s0(x) = ror(x, 7) ^ ror(x, 18) ^ x >> 3
    Source: DDI 0487 C7.2 SHA256SU0; DDI 0487 F6.1 SHA256SU0. FIPS 180-4, 6.2.2.

    >>> sha256su0(x32(1, 0, 0, 0), x32(8, 0, 0, 0)).tolist()
    [1, 0, 0, 268566529]
    """
    later = join(d, n)[1:5]
    return d + (rotate(later, 7) ^ rotate(later, 18) ^ later >> 3)


@insn(a64="SHA256SU1 <d>.4s, <n>.4s, <m>.4s", a32="SHA256SU1.32 <d:Q>, <n:Q>, <m:Q>", types="x32", writes="d",
      timing="crypto_sha256", feature="sha2")
def sha256su1(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-256 schedule update 1.

    d[i] <- d[i] + p[i + 1] + s1(q[i]), p = n's lanes followed by m's, q = m[2] m[3] d[0] d[1] as just made,
    s1(x) = ror(x, 17) ^ ror(x, 19) ^ x >> 10
    Source: DDI 0487 C7.2 SHA256SU1; DDI 0487 F6.1 SHA256SU1. FIPS 180-4, 6.2.2.
    """
    added = d + join(n, m)[1:5]
    last = m[2:4]
    low = added[0:2] + (rotate(last, 17) ^ rotate(last, 19) ^ last >> 10)
    return join(low, added[2:4] + (rotate(low, 17) ^ rotate(low, 19) ^ low >> 10))


@insn(a64="SHA512H <d:Q>, <n:Q>, <m>.2d", types="x64", writes="d", timing="crypto_sha512", feature="sha512")
def sha512h(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-512, two rounds, the sums that are added to words d and c of the state.

    t <- d[1] + S1(m[1]) + choose(m[1], n[0], n[1]), u <- t + m[0], d <- d[0] + S1(u) + choose(u, m[1], n[0]), t;
    S1(x) = ror(x, 14) ^ ror(x, 18) ^ ror(x, 41)
    Source: DDI 0487 C7.2 SHA512H. FIPS 180-4, 6.4.2.
    """
    first = d[1] + turned(m[1], 14, 18, 41) + choose_bits(m[1], n[0], n[1])
    e = first + m[0]
    return join(d[0] + turned(e, 14, 18, 41) + choose_bits(e, m[1], n[0]), first)


@insn(a64="SHA512H2 <d:Q>, <n:Q>, <m>.2d", types="x64", writes="d", timing="crypto_sha512", feature="sha512")
def sha512h2(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-512, two rounds, words a and b of the state.

    t <- d[1] + S0(m[0]) + majority(n[0], m[1], m[0]), d <- d[0] + S0(t) + majority(t, m[0], m[1]), t;
    S0(x) = ror(x, 28) ^ ror(x, 34) ^ ror(x, 39)
    Source: DDI 0487 C7.2 SHA512H2. FIPS 180-4, 6.4.2.
    """
    first = d[1] + turned(m[0], 28, 34, 39) + majority(n[0], m[1], m[0])
    return join(d[0] + turned(first, 28, 34, 39) + majority(first, m[0], m[1]), first)


@insn(a64="SHA512SU0 <d>.2d, <n>.2d", types="x64", writes="d", timing="crypto_sha512", feature="sha512")
def sha512su0(d: Lanes, n: Lanes) -> Lanes:
    """SHA-512 schedule update 0.

    d <- d[0] + s0(d[1]), d[1] + s0(n[0]); s0(x) = ror(x, 1) ^ ror(x, 8) ^ x >> 7
    Source: DDI 0487 C7.2 SHA512SU0. FIPS 180-4, 6.4.2.

    >>> from neonsim.arm.semantics import x64
    >>> [hex(x) for x in sha512su0(x64(5, 128), x64(0, 0)).tolist()]
    ['0x8000000000000046', '0x80']
    """
    later = join(d[1], n[0])
    return d + (rotate(later, 1) ^ rotate(later, 8) ^ later >> 7)


@insn(a64="SHA512SU1 <d>.2d, <n>.2d, <m>.2d", types="x64", writes="d", timing="crypto_sha512", feature="sha512")
def sha512su1(d: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """SHA-512 schedule update 1.

    d[i] <- d[i] + s1(n[i]) + m[i], s1(x) = ror(x, 19) ^ ror(x, 61) ^ x >> 6
    Source: DDI 0487 C7.2 SHA512SU1. FIPS 180-4, 6.4.2.

    >>> from neonsim.arm.semantics import x64
    >>> sha512su1(x64(1, 2), x64(64, 0), x64(4, 8)).tolist()
    [2251799813685766, 10]
    """
    return d + (rotate(n, 19) ^ rotate(n, 61) ^ n >> 6) + m
