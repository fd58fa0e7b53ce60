"""Sums: wider lanes, across lanes, along rows; the largest element and where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]

BOTH = ("aarch64", "aarch32")


def _widen_and_accumulate(rows: int, x: Array, sums: Array) -> None:
    """Add up rows of eight bytes, column by column.

    sums[j] <- sum over i of x[i, j]

    rows   size              1..257, so that every sum fits into 16 bits
    x      uint8 [rows, 8]
    sums   uint16 [8]        written
    """
    sums[...] = x.sum(axis=0, dtype=np.uint16)


def _in_bytes(rows: int, x: Array, sums: Array) -> None:
    sums[...] = x.sum(axis=0, dtype=np.uint8)


def _signed_rows(rows: int, x: Array, sums: Array) -> None:
    sums[...] = x.view(np.int8).sum(axis=0, dtype=np.int16).view(np.uint16)


def _but_one(rows: int, x: Array, sums: Array) -> None:
    sums[...] = x[1:].sum(axis=0, dtype=np.uint16)


def _dot_product(n: int, a: Array, b: Array, y: Array) -> None:
    """Multiply two vectors element by element and add up the products.

    y[0] <- sum over i of a[i] * b[i]     (sums wrap at 32 bits)

    n      size         a multiple of 8, >= 8
    a, b   int16 [n]
    y      int32 [1]    written
    """
    y[0] = np.array(a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)


def _wrapped(value: object) -> Array:
    return np.array(value).astype(np.int32)


def _low_halves(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 8 < 4
    y[0] = _wrapped(a[keep].astype(np.int64) @ b[keep].astype(np.int64))


def _high_halves(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 8 >= 4
    y[0] = _wrapped(a[keep].astype(np.int64) @ b[keep].astype(np.int64))


def _unsigned(n: int, a: Array, b: Array, y: Array) -> None:
    y[0] = _wrapped(a.view(np.uint16).astype(np.int64) @ b.view(np.uint16).astype(np.int64))


def _short_products(n: int, a: Array, b: Array, y: Array) -> None:
    y[0] = (a * b).sum(dtype=np.int32)


def _first_lane(n: int, a: Array, b: Array, y: Array) -> None:
    products = a.astype(np.int64) * b
    y[0] = _wrapped(products.reshape(-1, 4)[:, 0].sum())


def _horizontal_sum(n: int, x: Array, y: Array) -> None:
    """Add up all bytes of a vector.

    y[0] <- sum over i of x[i]

    n   size         a multiple of 16, >= 16
    x   uint8 [n]
    y   uint32 [1]   written
    """
    y[0] = x.sum(dtype=np.uint32)


def _sum_16(n: int, x: Array, y: Array) -> None:
    y[0] = x.sum(dtype=np.uint16)


def _sum_8(n: int, x: Array, y: Array) -> None:
    y[0] = x.sum(dtype=np.uint8)


def _sum_signed(n: int, x: Array, y: Array) -> None:
    y[0] = x.view(np.int8).sum(dtype=np.int32).view(np.uint32)


def _max_with_index(n: int, x: Array, value: Array, index: Array) -> None:
    """Find the largest element, and where it stands; of several equal ones, the first.

    value[0] <- largest of x[i];   index[0] <- the smallest i with x[i] = value[0]

    n       size         a multiple of 8, 8..4096
    x       int16 [n]
    value   int16 [1]    written
    index   uint32 [1]   written
    """
    value[0], index[0] = x.max(), int(x.argmax())


def _last_one(n: int, x: Array, value: Array, index: Array) -> None:
    value[0], index[0] = x.max(), n - 1 - int(x[::-1].argmax())


def _unsigned_max(n: int, x: Array, value: Array, index: Array) -> None:
    plain = x.view(np.uint16)
    value[0], index[0] = plain.max().view(np.int16), int(plain.argmax())


def _lane_only(n: int, x: Array, value: Array, index: Array) -> None:
    value[0], index[0] = x.max(), int(x.argmax()) % 8


LANES = """
        // v3.8h: the numbers of the lanes, 0..7
        mov     x9, #0x10000
        movk    x9, #2, lsl #32
        movk    x9, #3, lsl #48
        fmov    d3, x9
        movi    v4.4h, #4
        add     v4.4h, v3.4h, v4.4h
        mov     v3.d[1], v4.d[0]
        // your instructions
"""
LANES_32 = """
        // q3, 16-bit lanes: the numbers of the lanes, 0..7
        mov         r12, #0x10000
        vmov.32     d6[0], r12
        movw        r12, #2
        movt        r12, #3
        vmov.32     d6[1], r12
        vmov.i16    d7, #4
        vadd.i16    d7, d6, d7
        // your instructions
"""


# Right until a lane of 16 bits overflows.
_LANES_OF_16_BITS = """
horizontal_sum:
        movi    v0.8h, #0
0:
        ldr     q1, [x1], #16
        uadalp  v0.8h, v1.16b
        subs    x0, x0, #16
        b.ne    0b
        uaddlv  s0, v0.8h
        str     s0, [x2]
        ret
"""
_ROWS_IN_16_BITS = """
row_sums:
        mov     x6, x0
        mov     x7, x2
        mov     w8, #0
        movi    v1.8h, #0
        subs    x7, x7, #8
        b.lo    2f
1:
        ld1     {v0.8b}, [x6], #8
        uaddw   v1.8h, v1.8h, v0.8b
        subs    x7, x7, #8
        b.hs    1b
2:
        adds    x7, x7, #8
        b.eq    4f
3:
        ldrb    w9, [x6], #1
        add     w8, w8, w9
        subs    x7, x7, #1
        b.ne    3b
4:
        uaddlv  s1, v1.8h
        fmov    w9, s1
        add     w8, w8, w9
        mul     w8, w8, w4
        str     w8, [x5], #4
        add     x0, x0, x3
        subs    x1, x1, #1
        b.ne    row_sums
        ret
"""
# Bytes added up in general registers, 32 in an iteration, beside ten instructions that change nothing: 32 % NEON.
_DEAD_VECTORS = """
horizontal_sum:
        mov     x10, #0x00ff00ff00ff00ff
        mov     x11, #0x0001000100010001
        mov     x3, #0
        tbz     x0, #4, 1f
        ldp     x4, x5, [x1], #16
        mov     x6, #0
        mov     x7, #0
        add     x0, x0, #16
        b       2f
0:
        ldp     x6, x7, [x1, #16]
        ldp     x4, x5, [x1], #32
        movi    v0.16b, #1
        movi    v1.16b, #1
        movi    v2.16b, #1
        movi    v3.16b, #1
        movi    v4.16b, #1
        movi    v5.16b, #1
        movi    v6.16b, #1
        movi    v7.16b, #1
        movi    v16.16b, #1
        movi    v17.16b, #1
2:
        and     x8, x10, x4, lsr #8
        and     x4, x4, x10
        and     x9, x10, x5, lsr #8
        and     x5, x5, x10
        add     x4, x4, x8
        add     x5, x5, x9
        and     x8, x10, x6, lsr #8
        and     x6, x6, x10
        and     x9, x10, x7, lsr #8
        and     x7, x7, x10
        add     x6, x6, x8
        add     x7, x7, x9
        add     x4, x4, x5
        add     x6, x6, x7
        add     x4, x4, x6
        mul     x4, x4, x11
        add     x3, x3, x4, lsr #48
        subs    x0, x0, #32
1:
        cbnz    x0, 0b
        str     w3, [x2]
        ret
"""


def _four_rows(numbers: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    k = numbers["k"]
    return {"m": 4, "k": k, "stride": k, "multiplier": -int(rng.integers(1, 256)),
            "a": rng.integers(0, 256, (4, k), dtype=np.uint8)}


TASKS = (
    define(
        "widen-and-accumulate", "bytes into 16-bit sums",
        prototype="void widen_and_accumulate(size_t rows, const uint8_t x[rows][8], uint16_t sums[8])",
        definition=_widen_and_accumulate,
        story="""
The sum of many bytes does not fit into a byte. One instruction adds eight bytes to eight 16-bit sums, widening on
the way.""",
        sizes={"rows": range(1, 258)}, extras={"rows": [257]}, timed={"rows": 64},
        limits=Limits(instructions=1, per_element="x", neon=0.3),
        start=BOTH,
        hints=(
            "The sums start at zero: movi v0.8h, #0 (AArch32: vmov.i16 q0, #0).",
            "An instruction whose name ends in W is wide: one operand has the wide lanes, the other the narrow ones.",
            "UADDW v0.8h, v0.8h, v1.8b in the loop, with ldr d1, [x1], #8 (AArch32: vaddw.u8 q0, q0, d2).",
        ),
        mistakes=(
            (_in_bytes,
             "The sums were made in bytes and have wrapped at 256. UADDW (AArch32: VADDW.U8) adds to 16-bit lanes."),
            (_signed_rows, "Bytes from 128 on were taken as negative: this is SADDW. They are unsigned: UADDW."),
            (_but_one, "The first row is missing in the sums."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("uaddw   v0.8h, v0.8h, v1.8b", "saddw   v0.8h, v0.8h, v1.8b", "this is SADDW"),
                    ("uaddw   v0.8h, v0.8h, v1.8b", "add     v0.8b, v0.8b, v1.8b", "y"),
                    ("        movi    v0.8h, #0\n", "", "v0"),
                    ("        movi    v0.8h, #0\n",
                     "        movi    v0.8h, #0\n        add x1, x1, #8\n        subs x0, x0, #1\n        b.eq 1f\n",
                     "^"),
                    ("str     q0, [x2]", "str     d0, [x2]", "no step wrote it"),
                ),
            },
        ),
    ),
    define(
        "dot-product", "multiply-accumulate long",
        prototype="void dot_product(size_t n, const int16_t a[n], const int16_t b[n], int32_t y[1])",
        definition=_dot_product,
        story="""
The inside of every quantised matrix product: 16-bit factors, 32-bit sums. SMLAL multiplies four lanes and adds the
products to four wider lanes; SMLAL2 takes the upper four. At the end the four partial sums become one.""",
        sizes={"n": range(8, 2049, 8)}, timed={"n": 256},
        limits=Limits(instructions=2, per_element="a", neon=0.3),
        start=BOTH,
        hints=(
            "A register holds eight int16 but only four int32: eight products need two instructions.",
            "SMLAL v0.4s, v1.4h, v2.4h and SMLAL2 v0.4s, v1.8h, v2.8h (AArch32: vmlal.s16 q0, d2, d4, then d3, d5).",
            "ADDV s0, v0.4s adds four lanes (AArch32: vadd.i32 d0, d0, d1, then vpadd.i32 d0, d0, d0).",
        ),
        mistakes=(
            (_low_halves, "Only lanes 0..3 of every eight were multiplied: SMLAL2 does the upper half."),
            (_high_halves, "Only lanes 4..7 of every eight were multiplied: SMLAL does the lower half."),
            (_unsigned, "The factors were taken as unsigned: this is UMLAL. They are signed: SMLAL."),
            (_short_products,
             "The products were cut to 16 bits before they were added: MUL and MLA keep the width of their "
             "operands, SMLAL does not."),
            (_first_lane, "This is lane 0 alone: the four partial sums are still to be added (ADDV)."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        smlal2  v0.4s, v1.8h, v2.8h\n", "", "SMLAL2 does the upper half"),
                    ("        smlal   v0.4s, v1.4h, v2.4h\n", "", "Only lanes 4..7"),
                    ("smlal   v0.4s, v1.4h, v2.4h\n        smlal2",
                     "umlal   v0.4s, v1.4h, v2.4h\n        umlal2",
                     "this is UMLAL"),
                    ("        addv    s0, v0.4s\n", "", "lane 0 alone"),
                    ("smlal2  v0.4s, v1.8h, v2.8h", "smlal2  v0.4s, v1.8h, v2.4h", "^"),
                ),
                "aarch32": (
                    ("        vmlal.s16   q0, d3, d5\n", "", "SMLAL2 does the upper half"),
                    ("vpadd.i32   d0, d0, d0", "nop", "y[0] should be"),
                    ("vmlal.s16   q0, d3, d5", "vmlal.s16   q0, d3, d4", "y[0] should be"),
                ),
            },
            cheats={
                "aarch64": (
                    ("""
dot_product:
        mov     w6, #0
0:
        ldrsh   w4, [x1], #2
        ldrsh   w5, [x2], #2
        madd    w6, w4, w5, w6
        subs    x0, x0, #1
        b.ne    0b
        str     w6, [x3]
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
    define(
        "horizontal-sum", "sixteen lanes to one number",
        prototype="void horizontal_sum(size_t n, const uint8_t x[n], uint32_t y[1])",
        definition=_horizontal_sum,
        story="""
Adding across a register is slow, adding whole registers is fast: keep wide partial sums in the loop, and go across
once, at the end. There may be any number of sixteens, so 16 bits are not enough for the sums.""",
        sizes={"n": range(16, 16385, 16)}, extras={"n": [320, 2064, 8256]}, timed={"n": 1024},
        limits=Limits(instructions=1, per_element="x", neon=0.3, steps=80_000),
        start=BOTH,
        hints=(
            "Neighbouring lanes can be added to lanes twice as wide, also to sums that are there already.",
            "UADDLP v1.8h, v1.16b and UADALP v0.4s, v1.8h in the loop.",
            "At the end ADDV s0, v0.4s. AArch32: vpaddl.u8 q1, q1; vpadal.u16 q0, q1; then vadd.i32 d0, d0, d1; "
            "vpadd.i32.",
        ),
        mistakes=(
            (_sum_16,
             "The sum has wrapped at 65536: it was kept in 16 bits somewhere (UADDLV of bytes gives 16 bits)."),
            (_sum_8, "The sum has wrapped at 256: ADDV of bytes gives a byte. Widen first."),
            (_sum_signed, "Bytes from 128 on were taken as negative: the instructions with U are unsigned."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("uaddlp  v1.8h, v1.16b\n        uadalp",
                     "saddlp  v1.8h, v1.16b\n        sadalp",
                     "Bytes from 128 on were taken as negative"),
                    ("addv    s0, v0.4s", "nop", "y[0] should be"),
                    ("        uaddlp  v1.8h, v1.16b\n        uadalp  v0.4s, v1.8h\n",
                     "        uadalp  v0.8h, v1.16b\n",
                     "y[0] should be"),
                    ("        movi    v0.4s, #0\n", "", "v0"),
                    ("uaddlp  v1.8h, v1.16b", "uaddlp  v1.4h, v1.8b", "y[0] should be"),
                    (_LANES_OF_16_BITS, "n = 2064"),
                ),
            },
            alternatives={
                "aarch64": (
                    """
horizontal_sum:
        mov     w3, #0
0:
        ldr     q1, [x1], #16
        uaddlv  h1, v1.16b
        umov    w4, v1.h[0]
        add     w3, w3, w4
        subs    x0, x0, #16
        b.ne    0b
        str     w3, [x2]
        ret
""",
                ),
            },
            cheats={
                "aarch64": (
                    ("""
horizontal_sum:
        mov     w3, #0
0:
        ldrb    w4, [x1], #1
        add     w3, w3, w4
        subs    x0, x0, #1
        b.ne    0b
        str     w3, [x2]
        ret
""", "too many instructions"),
                    (_DEAD_VECTORS, "too little NEON"),
                ),
            },
        ),
    ),
    define(
        "max-with-index", "compare and select",
        prototype="void max_with_index(size_t n, const int16_t x[n], int16_t value[1], uint32_t index[1])",
        definition=_max_with_index,
        story="""
NEON has no branch per lane. A comparison makes a mask, all ones or all zeros in every lane, and BIT or BSL select by
it. Carry the largest value and its number in every lane, and find the winner among eight lanes at the end.""",
        sizes={"n": range(8, 4097, 8)}, extras={"n": [4096]}, timed={"n": 256},
        limits=Limits(instructions=3, per_element="x", neon=0.3),
        start={"aarch64": LANES, "aarch32": LANES_32},
        hints=(
            "The first eight elements are the largest so far, with the numbers 0..7.",
            "CMGT v6.8h, v5.8h, v0.8h: where is the new one larger? BIT v0.16b, v5.16b, v6.16b takes it there.",
            "The numbers: add 8 to all of them for each vector, and BIT the best numbers by the same mask.",
            "SMAXV h16 finds the value; DUP it, CMEQ with the best values; where they differ set the number to all "
            "ones (ORN with the mask), then UMINV is the first (AArch32: vpmax.s16 and vpmin.u16 twice each).",
        ),
        mistakes=(
            (_last_one,
             "This is the last one of several equal ones. CMGT, not CMGE: an equal value does not replace the "
             "earlier one."),
            (_unsigned_max, "The elements were compared as unsigned: CMHI and UMAXV. Signed are CMGT and SMAXV."),
            (_lane_only, "This is the number of the lane. The number of the vector it came from is missing."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("cmgt    v6.8h", "cmge    v6.8h", "should be"),
                    ("cmgt    v6.8h", "cmhi    v6.8h", "should be"),
                    ("        add     v3.8h, v3.8h, v2.8h\n", "", "number of the lane"),
                    ("uminv   h20", "umaxv   h20", "index[0] should be"),
                    ("movi    v2.8h, #8", "movi    v2.8h, #1", "index[0] should be"),
                ),
                "aarch32": (
                    ("vcgt.s16    q12, q11", "vcgt.u16    q12, q11", "should be"),
                    ("vcgt.s16    q12, q11", "vcge.s16    q12, q11", "should be"),
                    ("        vadd.i16    q3, q3, q10\n", "", "number of the lane"),
                ),
            },
        ),
    ),
    define(
        "row-sums", "several rows at once",
        contract="qu8_sumrows", tile="4x", keep=3, make=_four_rows,
        story="""
A matrix product with zero points needs the sum of every row of its left operand (times minus the other zero point).
Up to four rows, stride bytes apart; any k. Rows that do not exist must be neither read nor written. Up to 7 bytes
before a row may be read (but count for nothing): the 8 bytes that end with the row, with the old ones shifted out,
make a tail without a loop.""",
        sizes={"k": range(1, 2049)}, timed={"k": 100},
        limits=Limits(instructions=2, per_element="a", neon=0.25, steps=80_000),
        start=BOTH,
        hints=(
            "Begin with one row after the other: a loop over rows around a loop over bytes.",
            "UADDLP and UADALP make 32-bit sums, as in horizontal-sum. Then MUL by the multiplier.",
            "For rows that do not exist let the pointer repeat the last row (CSEL): everything is done four times, "
            "and the last sum written again.",
            "The tail: ldr d0 from pointer + k - 8, USHL by minus the bits to be shifted out.",
        ),
        answers=Answers(
            correct={
                "aarch64": "qu8_sumrows_4x__aarch64_neon",
                "aarch32": "qu8_sumrows_4x__aarch32_neon",
            },
            wrong={
                "aarch64": (
                    ("mul         v0.4s, v0.4s, v20.4s", "nop", "should be -1, is 1"),
                    ("csel        x6, x0, x6, lo ", "nop //", "outside"),
                    ("    ushl        d0, d0, d20\n", "", "d0"),
                    ("uaddlp      v0.\\wide", "saddlp      v0.\\wide", "should be"),
                    ("csel        x8, x7, x8, ne", "nop", "outside"),
                    (_ROWS_IN_16_BITS, "k = 2064"),
                ),
            },
            cheats={
                "aarch64": (
                    ("""
row_sums:
0:
        mov     x6, x0
        mov     x7, x2
        mov     w8, #0
1:
        ldrb    w9, [x6], #1
        add     w8, w8, w9
        subs    x7, x7, #1
        b.ne    1b
        mul     w8, w8, w4
        str     w8, [x5], #4
        add     x0, x0, x3
        subs    x1, x1, #1
        b.ne    0b
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
)
