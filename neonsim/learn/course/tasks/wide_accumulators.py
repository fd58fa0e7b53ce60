"""Sums wider than the products they are made of: integers that are kept from layer to layer."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]


def _keep_the_sum(n: int, a: Array, b: Array, y: Array) -> None:
    """Multiply two vectors of int32 and keep the sum of the products, all 64 bits of it.

    y[0] <- sum over i of a[i] * b[i]     (sums wrap at 64 bits)

    n      size         a multiple of 4, >= 4
    a, b   int32 [n]
    y      int64 [1]    written
    """
    y[0] = a.astype(np.int64) @ b.astype(np.int64)


def _low_halves(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 4 < 2
    y[0] = a[keep].astype(np.int64) @ b[keep].astype(np.int64)


def _high_halves(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 4 >= 2
    y[0] = a[keep].astype(np.int64) @ b[keep].astype(np.int64)


def _unsigned(n: int, a: Array, b: Array, y: Array) -> None:
    y[0] = (a.view(np.uint32).astype(np.uint64) @ b.view(np.uint32).astype(np.uint64)).astype(np.int64)


def _in_32_bits(n: int, a: Array, b: Array, y: Array) -> None:
    y[0] = (a * b).sum(dtype=np.int32)


def _short_products(n: int, a: Array, b: Array, y: Array) -> None:
    y[0] = (a * b).sum(dtype=np.int64)


def _first_lane(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 2 == 0
    y[0] = a[keep].astype(np.int64) @ b[keep].astype(np.int64)


TASKS = (
    define(
        "keep-the-sum", "sums of 64 bits",
        prototype="void keep_the_sum(size_t n, const int32_t a[n], const int32_t b[n], int64_t y[1])",
        definition=_keep_the_sum,
        story="""
The inside of a layer whose inputs are sums of the layer before, not brought back to bytes: 32-bit factors, 64-bit sums.
It is the dot product of bytes and 16-bit numbers once more, one size up. Count what that size costs: how many products
does one instruction do now?""",
        sizes={"n": range(4, 1025, 4)}, timed={"n": 128},
        limits=Limits(instructions=3, per_element="a", neon=0.3),
        start=("aarch64", "aarch32"),
        hints=(
            "A register holds four int32 but only two int64: four products need two instructions.",
            "SMLAL v0.2d, v1.2s, v2.2s and SMLAL2 v0.2d, v1.4s, v2.4s (AArch32: vmlal.s32 q0, d2, d4, then d3, d5).",
            "ADDP d0, v0.2d adds both lanes (AArch32: vadd.i64 d0, d0, d1).",
        ),
        mistakes=(
            (_low_halves, "Only lanes 0 and 1 of every four were multiplied: SMLAL2 does the upper half."),
            (_high_halves, "Only lanes 2 and 3 of every four were multiplied: SMLAL does the lower half."),
            (_unsigned, "The factors were taken as unsigned: this is UMLAL. They are signed: SMLAL."),
            (_in_32_bits, "Products and sums were cut to 32 bits: MLA keeps the width of its operands, SMLAL widens."),
            (_short_products, "The products were cut to 32 bits before they were added: SMLAL widens first."),
            (_first_lane, "This is lane 0 alone: the two partial sums are still to be added (ADDP)."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        smlal2  v0.2d, v1.4s, v2.4s\n", "", "SMLAL2 does the upper half"),
                    ("        smlal   v0.2d, v1.2s, v2.2s\n", "", "Only lanes 2 and 3"),
                    ("smlal   v0.2d, v1.2s, v2.2s\n        smlal2", "umlal   v0.2d, v1.2s, v2.2s\n        umlal2",
                     "this is UMLAL"),
                    ("        addp    d0, v0.2d\n", "", "lane 0 alone"),
                    ("smlal2  v0.2d, v1.4s, v2.4s", "smlal2  v0.2d, v1.4s, v2.2s", "^"),
                ),
                "aarch32": (
                    ("        vmlal.s32   q0, d3, d5\n", "", "SMLAL2 does the upper half"),
                    ("        vadd.i64    d0, d0, d1\n", "", "lane 0 alone"),
                ),
            },
            cheats={
                "aarch64": (
                    ("""
keep_the_sum:
        mov     x6, #0
0:
        ldr     w4, [x1], #4
        ldr     w5, [x2], #4
        smaddl  x6, w4, w5, x6
        subs    x0, x0, #1
        b.ne    0b
        str     x6, [x3]
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
)
