"""Products of narrow numbers into single precision: FMLAL of half precision, BFDOT and its kin of BF16.

| instruction            | result                                              | rounded                       |
|------------------------|-----------------------------------------------------|-------------------------------|
| FMLAL FMLAL2 VFMAL     | d + n * m, n and m f16, lower or upper half         | once                          |
| FMLSL FMLSL2 VFMSL     | d - n * m                                           | once                          |
| BFMLALB VFMAB          | d + n * m, n and m the even BF16 lanes              | once                          |
| BFMLALT VFMAT          | d + n * m, n and m the odd BF16 lanes               | once                          |
| BFDOT VDOT.BF16        | d + (n[0] * m[0] + n[1] * m[1])                     | each product and sum, to odd  |
| BFMMLA VMMLA           | d + n * transposed m, 2x4 by 4x2                    | the same, by twos             |

In quantised kernels: weights in half precision or BF16 with float activations.

Traps: BFDOT and BFMMLA look at nothing in FPCR and raise no exceptions: denormal numbers are zero, NaNs are the default
one, each step is rounded to odd. BFMLALB is an ordinary fused multiply-add, as FPCR says.
"""

from __future__ import annotations

from neonsim.arm.isa.forms.spec import insn, timing_class
from neonsim.arm.semantics import (
    Lanes,
    Result,
    count,
    extend,
    float_add,
    float_fma,
    float_mul,
    float_turn,
    float_widen,
    join,
    pairs,
    products_of_bf16,
    repeat,
    x32,
)

timing_class("asimd_fp_mla_long", like="asimd_fp_mla", text="FMLAL: half-precision products into single precision")
timing_class("asimd_bf16_mla", like="asimd_fp_mla", text="BFMLALB, BFMLALT: BF16 products into single precision")
timing_class("asimd_bf16_dot", like="asimd_fp_mla", text="BFDOT: sums of two BF16 products")
timing_class("asimd_bf16_matmul", like="asimd_fp_mla", text="BFMMLA: matrices of BF16")


def _long(name: str, a32: str, negative: int, sign: str, text: str) -> None:
    """FMLAL and FMLSL; the upper half of the registers with 2."""

    def long_product(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
        x, _ = float_widen(float_turn(n, negative), fpcr)
        y, _ = float_widen(m, fpcr)
        return float_fma(a, x, y, fpcr)

    long_product.__name__ = name.lower()
    long_product.__doc__ = (f"Half-precision product, {text} a single-precision accumulator.\n\nd[i] <- d[i] {sign} "
                            f"n[i] * m[i], rounded once\nSource: DDI 0487 C7.2 {name}; DDI 0487 F6.1 {a32}.")
    insn(a64=f"{name}{{2}} <d>.<Tp>, <n>.<Th>, <m>.<Th>\n{name}{{2}} <d>.<Tp>, <n>.<Th>, <m:x>.<Ts>[<index>]",
         a32=f"{a32}.f16 <d:Q2>, <n:D>, <m:D>\n{a32}.f16 <d:D2>, <n:S>, <m:S> | simd=\n"
             f"{a32}.f16 <d:Q2>, <n:D>, <m:x[index]>\n"
             f"{a32}.f16 <d:D2>, <n:S>, <m:S[index]> | simd=",
         types="f16", writes="d fpsr", timing="asimd_fp_mla_long", feature="fhm")(long_product)


_long("FMLAL", "VFMAL", 0, "+", "added to")
_long("FMLSL", "VFMSL", 1, "-", "subtracted from")


def _single(n: Lanes) -> Lanes:
    """BF16 numbers as single precision: the upper half of it."""
    return extend(n, x32) << 16


def _widened(letter: str, which: int, text: str) -> None:
    def of_lanes(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_fma(a, _single(pairs(n)[which]), _single(pairs(m)[which]), fpcr)

    def by_element(a: Lanes, n: Lanes, m: Lanes, fpcr: int) -> Result:
        return float_fma(a, _single(pairs(n)[which]), _single(m), fpcr)

    a64, a32 = f"BFMLAL{letter}", f"VFMA{letter}"
    lane = "2*i + 1" if which else "2*i"
    for function, suffix, other, first, second in (
            (of_lanes, "", f"m[{lane}]", "<m>.<T>", "<m:Q>"),
            (by_element, "_element", "m[index]", "<m:x>.<Ts>[<index>]", "<m:x[index]>")):
        function.__name__ = a64.lower() + suffix
        function.__doc__ = (f"BF16 products of n's {text} lanes, added in single precision.\n\nd[i] <- d[i] + "
                            f"n[{lane}] * {other}, rounded once\nSource: DDI 0487 C7.2 {a64}; DDI 0487 F6.1 {a32} "
                            "(BFloat16).")
        insn(a64=f"{a64} <d>.<Tp>, <n>.<T>, {first} | x16 float=d not=4h",
             a32=f"{a32}.bf16 <d:Q2>, <n:Q>, {second} | x16 float=d", types="x16", writes="d fpsr",
             timing="asimd_bf16_mla", feature="bf16")(function)


_widened("B", 0, "even")
_widened("T", 1, "odd")


def _dot(a: Lanes, n: Lanes, m: Lanes) -> Lanes:
    """a + (n[0] * m[0] + n[1] * m[1]), of neighbours."""
    rules = products_of_bf16()
    first, _ = float_mul(_single(pairs(n)[0]), _single(pairs(m)[0]), rules)
    second, _ = float_mul(_single(pairs(n)[1]), _single(pairs(m)[1]), rules)
    both, _ = float_add(first, second, rules)
    total, _ = float_add(a, both, rules)
    return total


@insn(a64="""BFDOT <d>.<Tp>, <n>.<T>, <m>.<T> | x16 float=d
             BFDOT <d>.<Tp>, <n>.<T>, <m>.2h[<index>] | x16 float=d""",
      a32="""VDOT.bf16 <d:DQ2>, <n:DQ>, <m:DQ> | x16 float=d
             VDOT.bf16 <d:DQ2>, <n:DQ>, <m:two[index]> | x16 float=d""", types="x16", writes="d",
      timing="asimd_bf16_dot", feature="bf16")
def bfdot(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Dot product of two neighbouring BF16 numbers, accumulated in single precision.

    d[i] <- d[i] + (n[2*i] * m[2*i] + n[2*i + 1] * m[2*i + 1]), each step rounded to odd
    By element, every pair of n meets the same pair of m.

    Source: DDI 0487 C7.2 BFDOT (vector, by element); DDI 0487 F6.1 VDOT (vector, by element).
    """
    return _dot(a, n, repeat(m, count(n)))


@insn(a64="BFMMLA <d>.<Tp>, <n>.<T>, <m>.<T> | x16 float=d not=4h",
      a32="VMMLA.bf16 <d:Q2>, <n:Q>, <m:Q> | x16 float=d", types="x16", writes="d", timing="asimd_bf16_matmul",
      feature="bf16")
def bfmmla(a: Lanes, n: Lanes, m: Lanes) -> Result:
    """Product of a 2x4 and a 4x2 matrix of BF16 numbers, accumulated in single precision.

    d[2*i + j] <- (d[2*i + j] + two products) + two products, of row i of n and row j of m, each step rounded to odd
    Source: DDI 0487 C7.2 BFMMLA; DDI 0487 F6.1 VMMLA.
    """
    rows, columns = join(n[:4], n[:4], n[4:], n[4:]), join(m, m)
    low = _dot(a, join(rows[0:2], rows[4:6], rows[8:10], rows[12:14]),
               join(columns[0:2], columns[4:6], columns[8:10], columns[12:14]))
    return _dot(low, join(rows[2:4], rows[6:8], rows[10:12], rows[14:16]),
                join(columns[2:4], columns[6:8], columns[10:12], columns[14:16]))
