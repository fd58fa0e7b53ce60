"""Fewer multiplications: what is added up before and after them."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]


def _winograd_source(n: int, x: Array, y: Array) -> None:
    """Transform four rows of pixels for two results of a window of three taps: F(2, 3).

    y[0, i] <- x[2, i] - x[0, i]
    y[1, i] <- x[1, i] + x[2, i]
    y[2, i] <- x[2, i] - x[1, i]
    y[3, i] <- x[3, i] - x[1, i]

    n   size            a multiple of 8, >= 8
    x   int8 [4, n]     a row behind the other
    y   int16 [4, n]    written
    """
    x0, x1, x2, x3 = x.astype(np.int16)
    y[...] = x2 - x0, x1 + x2, x2 - x1, x3 - x1


def _in_8_bits(n: int, x: Array, y: Array) -> None:
    x0, x1, x2, x3 = x
    y[...] = x2 - x0, x1 + x2, x2 - x1, x3 - x1


def _unsigned(n: int, x: Array, y: Array) -> None:
    _winograd_source(n, x.view(np.uint8), y)


def _as_in_papers(n: int, x: Array, y: Array) -> None:
    x0, x1, x2, x3 = x.astype(np.int16)
    y[...] = x0 - x2, x1 + x2, x2 - x1, x1 - x3


def _other_way(n: int, x: Array, y: Array) -> None:
    x0, x1, x2, x3 = x.astype(np.int16)
    y[...] = x2 - x0, x1 + x2, x1 - x2, x3 - x1


def _last_row_as_first(n: int, x: Array, y: Array) -> None:
    x0, x1, x2, x3 = x.astype(np.int16)
    y[...] = x2 - x0, x1 + x2, x2 - x1, x3 - x0


def _sum_twice(n: int, x: Array, y: Array) -> None:
    x0, x1, x2, x3 = x.astype(np.int16)
    y[...] = x2 - x0, x1 + x2, x1 + x2, x3 - x1


_SUM64, _SUM32 = "saddl   v5.8h, v1.8b, v2.8b", "vaddl.s8    q3, d1, d2"

TASKS = (
    define(
        "winograd-source", "F(2, 3): additions for multiplications",
        prototype="void winograd_source(size_t n, const int8_t x[4][n], int16_t y[4][n])",
        definition=_winograd_source,
        story="""
Winograd's algorithm makes two results of a window of three taps from four numbers with four multiplications, where
the direct way has six. This is what it does before: sums and differences of the four rows that a tile covers, for
eight columns of an image, or eight channels, at a time. They need nine bits, so bytes become 16-bit numbers. How many
instructions between loads and stores do eight columns need? There is a way with four.""",
        sizes={"n": range(8, 513, 8)}, timed={"n": 128},
        limits=Limits(instructions=1, per_element="y", neon=0.5),
        start=("aarch64", "aarch32"),
        hints=(
            "Row r of x begins r * n bytes behind x, row r of y twice as far behind y. A load can step by a register: "
            "ld1 {v0.8b}, [x9], x0 (AArch32: vld1.8 {d0}, [r12], r0).",
            "Keep n for the steps and count down in a register of its own; copy x and y for each eight columns.",
            "Long instructions widen and add, or subtract, in one: SSUBL v4.8h, v2.8b, v0.8b, SADDL v5.8h, v1.8b, "
            "v2.8b (AArch32: vsubl.s8 q2, d2, d0, vaddl.s8 q3, d1, d2).",
        ),
        mistakes=(
            (_in_8_bits, "Sums were made in 8 bits and wrapped around: SADDL and SSUBL widen first."),
            (_unsigned, "The pixels were taken as unsigned (UADDL, USUBL, UXTL); they are signed: SADDL, SSUBL, SXTL."),
            (_as_in_papers, "Rows 0 and 3 have the other sign, as in Lavin and Gray's paper, whose other matrices "
                            "fit that; here they are x[2] - x[0] and x[3] - x[1]."),
            (_other_way, "Row 2 has the wrong sign: it is x[2] - x[1]. The first operand of SSUBL is the one taken "
                         "from."),
            (_last_row_as_first, "Row 3 is less x[1], not less x[0]."),
            (_sum_twice, "Row 2 is the difference of x[2] and x[1]; the sum is row 1."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    (_SUM64, "add     v5.8b, v1.8b, v2.8b\n        sxtl    v5.8h, v5.8b", "y[1, "),
                    ("ssubl   v4.8h, v2.8b, v0.8b\n        saddl   v5.8h, v1.8b, v2.8b\n"
                     "        ssubl   v6.8h, v2.8b, v1.8b\n        ssubl   v7.8h, v3.8b, v1.8b",
                     "usubl   v4.8h, v2.8b, v0.8b\n        uaddl   v5.8h, v1.8b, v2.8b\n"
                     "        usubl   v6.8h, v2.8b, v1.8b\n        usubl   v7.8h, v3.8b, v1.8b",
                     "were taken as unsigned"),
                    ("v6.8h, v2.8b, v1.8b", "v6.8h, v1.8b, v2.8b", "Row 2 has the wrong sign"),
                    ("v7.8h, v3.8b, v1.8b", "v7.8h, v3.8b, v0.8b", "not less x[0]"),
                    ("ssubl   v6.8h", "saddl   v6.8h", "the sum is row 1"),
                    ("add     x2, x2, #16", "add     x2, x2, #8", "should be"),
                    ("subs    x3, x3, #8", "subs    x3, x3, #16", "past its end"),
                ),
                "aarch32": (
                    (_SUM32, "vadd.i8     d6, d1, d2\n        vmovl.s8    q3, d6", "y[1, "),
                    ("vsubl.s8    q8, d2, d1", "vsubl.s8    q8, d1, d2", "Row 2 has the wrong sign"),
                ),
            },
            cheats={
                "aarch64": (
                    ("""
winograd_source:
        mov     x3, x0
0:
        ldrsb   w4, [x1]
        add     x9, x1, x0
        ldrsb   w5, [x9]
        add     x9, x9, x0
        ldrsb   w6, [x9]
        add     x9, x9, x0
        ldrsb   w7, [x9]
        sub     w4, w6, w4
        sub     w7, w7, w5
        add     w8, w5, w6
        sub     w6, w6, w5
        mov     x9, x2
        strh    w4, [x9]
        add     x9, x9, x0, lsl #1
        strh    w8, [x9]
        add     x9, x9, x0, lsl #1
        strh    w6, [x9]
        add     x9, x9, x0, lsl #1
        strh    w7, [x9]
        add     x1, x1, #1
        add     x2, x2, #2
        subs    x3, x3, #1
        b.ne    0b
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
)
