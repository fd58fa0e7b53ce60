"""SHA-3: what its permutation of 25 words of 64 bits is made of, and what bitwise programs use besides.

| instruction | result                                                                                          |
|-------------|-------------------------------------------------------------------------------------------------|
| EOR3        | n ^ m ^ a                                                                                       |
| BCAX        | n ^ (m & ~a)                                                                                    |
| RAX1        | n ^ m turned left by 1                                                                          |
| XAR         | (n ^ m) turned right by a constant                                                              |

In programs: the columns of the state are added with EOR3 and RAX1 (theta), each word is added to and turned with XAR
(theta and rho), and BCAX is the only step that is not linear (chi). EOR3 also saves an EOR in RAID and CRC programs.

Traps: the hash function of Keccak has no addition: all is bits. XAR by 0 is an exclusive or. Four operands: d is
written only.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import Lanes, bits, rotate

timing_class("crypto_sha3", like="asimd_logic", text="EOR3 BCAX RAX1 XAR")


@insn(a64="EOR3 <d>.16b, <n>.16b, <m>.16b, <a>.16b", types="x8", writes="d", timing="crypto_sha3", feature="sha3")
def eor3(n: Lanes, m: Lanes, a: Lanes) -> Lanes:
    """Exclusive or of three registers.

    d[i] <- n[i] ^ m[i] ^ a[i]
    Source: DDI 0487 C7.2 EOR3. FIPS 202, 3.2.1.

    >>> from neonsim.arm.semantics import x8
    >>> eor3(x8(1), x8(3), x8(8)).tolist()
    [10]
    """
    return n ^ m ^ a


@insn(a64="BCAX <d>.16b, <n>.16b, <m>.16b, <a>.16b", types="x8", writes="d", timing="crypto_sha3", feature="sha3")
def bcax(n: Lanes, m: Lanes, a: Lanes) -> Lanes:
    """Bit clear and exclusive or.

    d[i] <- n[i] ^ (m[i] & ~a[i])
    Source: DDI 0487 C7.2 BCAX. FIPS 202, 3.2.4.

    >>> from neonsim.arm.semantics import x8
    >>> bcax(x8(1), x8(7), x8(2)).tolist()
    [4]
    """
    return n ^ m & ~a


@insn(a64="RAX1 <d>.2d, <n>.2d, <m>.2d", types="x64", writes="d", timing="crypto_sha3", feature="sha3")
def rax1(n: Lanes, m: Lanes) -> Lanes:
    """Rotate and exclusive or.

    d[i] <- n[i] ^ rol(m[i], 1)
    Source: DDI 0487 C7.2 RAX1. FIPS 202, 3.2.1.

    >>> from neonsim.arm.semantics import x64
    >>> rax1(x64(2, 0), x64(1 << 63, 4)).tolist()
    [3, 8]
    """
    return n ^ rotate(m, bits(m) - 1)


@insn(a64="XAR <d>.2d, <n>.2d, <m>.2d, #<shift:0-63>", types="x64", writes="d", timing="crypto_sha3", feature="sha3")
def xar(n: Lanes, m: Lanes, shift: int) -> Lanes:
    """Exclusive or and rotate.

    d[i] <- ror(n[i] ^ m[i], shift)
    Source: DDI 0487 C7.2 XAR. FIPS 202, 3.2.2.

    >>> from neonsim.arm.semantics import x64
    >>> xar(x64(1, 2), x64(2, 2), 1).tolist()
    [9223372036854775809, 0]
    """
    mixed = n ^ m
    # By 64 - shift in two steps: a shift of 0 leaves nothing on the other side.
    return mixed >> shift | mixed << 63 - shift << 1
