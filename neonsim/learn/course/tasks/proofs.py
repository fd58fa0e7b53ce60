"""A schedule of your own that is proved to be the plain text: the same for all data."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]

PLAIN = """
        movi    v0.4s, #0
0:
        ldr     q2, [x1], #16
        ldr     q3, [x2], #16
        mla     v0.4s, v2.4s, v3.4s
        subs    x0, x0, #4
        b.ne    0b
        str     q0, [x3]
"""


def _prove_your_schedule(n: int, a: Array, b: Array, y: Array) -> None:
    """Multiply two vectors element by element and add up the products in four sums.

    y[j] <- sum over i of a[4 * i + j] * b[4 * i + j]     (products and sums wrap at 32 bits)

    n      size         a multiple of 16, >= 16
    a, b   int32 [n]
    y      int32 [4]    written
    """
    products = a.astype(np.int64) * b.astype(np.int64)
    y[...] = products.astype(np.int32).reshape(-1, 4).sum(axis=0, dtype=np.int32)


def _first_of_four(n: int, a: Array, b: Array, y: Array) -> None:
    products = (a.astype(np.int64) * b.astype(np.int64)).astype(np.int32)
    y[...] = products.reshape(-1, 4, 4)[:, 0].sum(axis=0, dtype=np.int32)


TASKS = (
    define(
        "prove-your-schedule", "faster, and proved the same",
        prototype="void prove_your_schedule(size_t n, const int32_t a[n], const int32_t b[n], int32_t y[4])",
        definition=_prove_your_schedule,
        story="""
The text you start from is right, and every MLA waits for its loads and for the MLA before. n is a multiple of 16: do
four vectors in an iteration, in four sums, and let loads run ahead.

Tests run your answer on data. `ns.Exercise("prove-your-schedule").prove(text)` reads it for unknown data and compares
it with the text you started from: the same sum of products, in whatever order it was added up, is the same object.""",
        sizes={"n": range(16, 1025, 16)}, timed={"n": 512},
        limits=Limits(core="cortex-a55", start_share=0.7),
        start={"aarch64": PLAIN},
        hints=(
            "Which instructions wait, and for what? `timing.stalls` of the start says it.",
            "Eight loads an iteration into eight registers, four accumulators, and an MLA behind two loads of another.",
            "The four sums are added up once, behind the loop: sums of integers may be added in any order.",
        ),
        mistakes=((_first_of_four, "Only every fourth vector is in the sums: are the other accumulators added up?"),),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        add     v0.4s, v0.4s, v4.4s\n", "", "y[0] should be"),
                    ("        movi    v5.4s, #0\n", "", "uninitialized"),
                    ("mla     v5.4s, v18.4s, v19.4s", "mla     v5.4s, v18.4s, v18.4s", "y[0] should be"),
                    ("        subs    x0, x0, #16\n", "        subs    x0, x0, #32\n", ""),
                    ("ldr     q17, [x2, #32]", "ldr     q17, [x2, #16]", "y[0] should be"),
                ),
            },
        ),
    ),
)
