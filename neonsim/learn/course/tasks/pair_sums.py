"""Sums of two products in 16 bits: what an instruction of x86 does, made of NEON's."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]


def _saturating_pairs(n: int, a: Array, w: Array, y: Array) -> None:
    """Multiply unsigned by signed bytes, and add neighbours to 16 bits that saturate.

    y[i] <- sat16(a[i, 0] * w[i, 0] + a[i, 1] * w[i, 1])

    n   size           a multiple of 8, >= 8
    a   uint8 [n, 2]
    w   int8 [n, 2]
    y   int16 [n]      written
    """
    y[...] = np.clip((a.astype(np.int32) * w).sum(1), -32768, 32767)


def _wraps(n: int, a: Array, w: Array, y: Array) -> None:
    y[...] = (a.astype(np.int32) * w).sum(1)


def _both_signed(n: int, a: Array, w: Array, y: Array) -> None:
    _saturating_pairs(n, a.view(np.int8), w, y)


def _both_unsigned(n: int, a: Array, w: Array, y: Array) -> None:
    products = a.astype(np.uint16) * w.view(np.uint8)       # 255 * 255 does not fit an int16 lane
    y[...] = np.clip(products.view(np.int16).sum(1, dtype=np.int32), -32768, 32767)


def _first_only(n: int, a: Array, w: Array, y: Array) -> None:
    y[...] = a[:, 0].astype(np.int16) * w[:, 0]


def _second_only(n: int, a: Array, w: Array, y: Array) -> None:
    y[...] = a[:, 1].astype(np.int16) * w[:, 1]


def _crossed(n: int, a: Array, w: Array, y: Array) -> None:
    _saturating_pairs(n, a, w[:, ::-1], y)


TASKS = (
    define(
        "saturating-pairs", "VPMADDUBSW, made of NEON",
        prototype="void saturating_pairs(size_t n, const uint8_t a[n][2], const int8_t w[n][2], int16_t y[n])",
        definition=_saturating_pairs,
        story="""
A library that comes from x86 to Arm uses VPMADDUBSW: unsigned bytes times signed ones, two neighbours added to 16
bits, and a sum that does not fit is held at the end of the range. NEON has no such instruction. Make it of what there
is, wrong sums and all: a test compares it with the original. Eight sums need no more than twelve instructions.""",
        sizes={"n": range(8, 513, 8)}, timed={"n": 128},
        limits=Limits(instructions=2, per_element="y", neon=0.5),
        start=("aarch64", "aarch32"),
        hints=(
            "LD2 {v0.8b, v1.8b} takes neighbours apart: the even bytes to one register, the odd ones to the other "
            "(AArch32: vld2.8 {d0, d1}).",
            "A byte of either kind times one of the other fits 16 bits: 255 * -128 is -32640. Widen both (UXTL, SXTL) "
            "and multiply in 16 bits (AArch32: vmovl.u8, vmovl.s8, vmul.i16).",
            "One addition is left, and it is the one that saturates: SQADD (AArch32: vqadd.s16).",
        ),
        mistakes=(
            (_wraps, "Sums beyond 16 bits wrapped: the addition has to saturate (SQADD)."),
            (_both_signed, "a was taken as signed: its bytes are 0..255 (UXTL)."),
            (_both_unsigned, "w was taken as unsigned: its bytes are -128..127 (SXTL)."),
            (_first_only, "The second product of each pair is missing."),
            (_second_only, "The first product of each pair is missing."),
            (_crossed, "The neighbours of w changed places."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("sqadd ", "add   ", "the addition has to saturate"),
                    ("        sqadd   v0.8h, v0.8h, v1.8h\n", "", "The second product"),
                    ("uxtl    v0.8h, v0.8b\n        uxtl ", "sxtl    v0.8h, v0.8b\n        sxtl ",
                     "a was taken as signed"),
                    ("sxtl    v2.8h, v2.8b\n        sxtl ", "uxtl    v2.8h, v2.8b\n        uxtl ",
                     "w was taken as unsigned"),
                    ("mul     v1.8h, v1.8h, v3.8h", "mul     v1.8h, v1.8h, v3.8b", "^"),
                ),
                "aarch32": (
                    ("vqadd.s16", "vadd.i16 ", "the addition has to saturate"),
                    ("        vqadd.s16   q2, q2, q3\n", "", "The second product"),
                ),
            },
            cheats={
                "aarch64": (
                    ("""
saturating_pairs:
        mov     w6, #32767
        mov     w7, #-32768
0:
        ldrb    w4, [x1], #1
        ldrsb   w5, [x2], #1
        mul     w8, w4, w5
        ldrb    w4, [x1], #1
        ldrsb   w5, [x2], #1
        madd    w8, w4, w5, w8
        cmp     w8, w6
        csel    w8, w6, w8, gt
        cmp     w8, w7
        csel    w8, w7, w8, lt
        strh    w8, [x3], #2
        subs    x0, x0, #1
        b.ne    0b
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
)
