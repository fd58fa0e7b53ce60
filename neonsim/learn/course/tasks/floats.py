"""Between real numbers and bytes: how far a tensor reaches, and from one layer's sums to the next layer's bytes."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]


def _largest_size(n: int, x: Array, y: Array) -> None:
    """Find the largest size of real numbers.

    y[0] <- largest of |x[i]|

    n   size          a multiple of 16, >= 16
    x   float32 [n]
    y   float32 [1]   written
    """
    y[0] = np.abs(x).max()


def _largest(n: int, x: Array, y: Array) -> None:
    y[0] = x.max()


def _lane(n: int, x: Array, y: Array) -> None:
    y[0] = np.abs(x[::4]).max()


def _added(n: int, x: Array, y: Array) -> None:
    y[0] = np.abs(x).sum()


def _steps(sums: Array, factor: Array, bias: Array, steps: Array) -> Array:
    real: Array = (sums.astype(np.float32) * factor + bias) * steps
    return real


def _away(real: Array) -> Array:
    found: Array = np.copysign(np.floor(np.abs(real) + 0.5), real)
    return found


def _red_line(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    """Bring sums of one convolution to the bytes of the next.

    y[i, c] <- clip(round((sums[i, c] * factor[c] + bias[c]) * steps[0]), -127, 127)

    n        size              pixels, >= 1
    sums     int32 [n, 8]      of 8 channels
    factor   float32 [8]       1 / (steps of the input * steps of the weights), for each channel
    bias     float32 [8]
    steps    float32 [1]       of the next layer's input: how many make one unit
    y        int8 [n, 8]       written; round is to nearest, halves away from zero
    """
    y[...] = np.clip(_away(_steps(sums, factor, bias, steps)), -127, 127)


def _to_even(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(np.rint(_steps(sums, factor, bias, steps)), -127, 127)


def _cast(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(sums, -127, 127)


def _cut_off(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(np.trunc(_steps(sums, factor, bias, steps)), -127, 127)


def _without_bias(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(_away(_steps(sums, factor, 0 * bias, steps)), -127, 127)


def _one_factor(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(_away(_steps(sums, factor[:1], bias, steps)), -127, 127)


def _to_128(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = np.clip(_away(_steps(sums, factor, bias, steps)), -128, 127)


def _around(n: int, sums: Array, factor: Array, bias: Array, steps: Array, y: Array) -> None:
    y[...] = _away(_steps(sums, factor, bias, steps)).astype(np.int64).astype(np.int8)


TASKS = (
    define(
        "largest-size", "how far real numbers reach",
        prototype="void largest_size(size_t n, const float x[n], float y[1])",
        definition=_largest_size,
        story="""
What a library looks for first when it chooses a scale: the largest size that a tensor holds. 127 divided by it is how
many steps make one unit.

Several registers can hold the largest so far, each of its own numbers; at the end they become one, and its lanes one
number.""",
        sizes={"n": range(16, 2049, 16)}, timed={"n": 512},
        limits=Limits(instructions=2, per_element="x", neon=0.5),
        start=("aarch64",),
        hints=(
            "Begin with zeros: no size is below 0. In the loop signs go first; then every lane keeps the larger one.",
            "FABS takes off the sign of four numbers; FMAX keeps the larger one in every lane.",
            "FMAXV s0, v0.4s gives the largest lane of a register.",
        ),
        mistakes=(
            (_largest, "That is the largest number, not the largest size: FABS before FMAX."),
            (_lane, "Only one lane of four was looked at: FMAXV takes all of a register."),
            (_added, "The sizes were added up; the largest is asked for."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        fabs    v0.4s, v0.4s\n        fabs    v1.4s, v1.4s\n        fabs    v2.4s, v2.4s\n"
                     "        fabs    v3.4s, v3.4s\n", "", "largest number, not the largest size"),
                    ("fmaxv   s16, v16.4s", "nop", "Only one lane"),
                    ("b.ne    0b", "nop", "should be"),
                    ("fmax    v16.4s, v16.4s, v18.4s", "nop", "should be"),
                    ("subs    x0, x0, #16", "subs    x0, x0, #32", "past its end"),
                ),
            },
        ),
    ),
    define(
        "red-line", "from sums to the bytes of the next layer",
        prototype="void red_line(size_t n, const int32_t sums[n][8], const float factor[8], const float bias[8], "
                  "const float steps[1], int8_t y[n][8])",
        definition=_red_line,
        story="""
Between two convolutions ncnn leaves real numbers out of memory. An article calls what it does there a cast from 32 to 8
bits. It is none: every sum becomes a real number, gets a bias, is counted in the steps of the next layer, rounded, and
cut off at both ends. All of that happens in registers.

There is no zero point: the bytes reach from -127 to 127.""",
        sizes={"n": range(1, 65)}, timed={"n": 32},
        data={"sums": range(-4000, 4001), "factor": [0.0625, 0.125, 0.03125], "bias": [-1.0, 0.5, 0.25, 3.0],
              "steps": [1.0, 2.0, 0.5]},
        limits=Limits(instructions=3, per_element="y", neon=0.5),
        start=("aarch64",),
        hints=(
            "Eight factors are two registers, eight biases two more; LD1R {v20.4s}, [x4] puts steps into all lanes.",
            "SCVTF, then FMLA onto a copy of the bias, then FMUL by steps.",
            "FCVTAS rounds to nearest, halves away from zero.",
            "SQXTN and SQXTN2 to 16 bits, SQXTN to bytes: that ends at -128. SMAX with -127 is the rest.",
        ),
        mistakes=(
            (_to_even, "Halves went to the even neighbour (FCVTNS); they go away from zero (FCVTAS)."),
            (_cast, "The sums were narrowed as they are: it is no cast."),
            (_cut_off, "The numbers were cut off towards zero (FCVTZS) instead of rounded (FCVTAS)."),
            (_without_bias, "The biases are missing."),
            (_one_factor, "All channels were multiplied by the factor of the first one; each has its own."),
            (_to_128, "-128 is no byte of ncnn's: cut off at -127."),
            (_around, "Large results wrapped around: SQXTN saturates, XTN cuts off the upper bits."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("fcvtas", "fcvtns", "Halves went to the even"),
                    ("fcvtas", "fcvtzs", "cut off towards zero"),
                    ("ld1     {v18.4s, v19.4s}, [x3]", "movi    v18.4s, #0\n        movi    v19.4s, #0",
                     "biases are missing"),
                    ("ld1     {v16.4s, v17.4s}, [x2]", "ld1r    {v16.4s}, [x2]\n        mov     v17.16b, v16.16b",
                     "factor of the first"),
                    ("        smax    v2.8b, v2.8b, v21.8b\n", "", "-128 is no byte"),
                    ("sqxtn   v2.8b, v2.8h", "xtn     v2.8b, v2.8h", "should be"),
                    ("subs    x0, x0, #1", "subs    x0, x0, #2", "outside"),
                ),
            },
        ),
    ),
)
