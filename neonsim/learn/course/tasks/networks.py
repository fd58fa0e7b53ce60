"""Real networks: numbers into bytes, and a layer with trained weights to the bytes that a runtime gives."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.nn.graph.models import digits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS", "layer_data"]

LAYER = "pw2"       # of neonsim.nn.graph.models.digits, int8 per channel: 24 channels to 32


@cache
def _layer() -> tuple[NDArray[np.int8], NDArray[np.int32], NDArray[np.float32]]:
    operator: Any = digits.digits("qc8w").node(LAYER).operator
    w = operator.w.values.reshape(operator.outputs, -1)
    # Sums are of the bytes as they are: what the zero point of x takes off is taken off the bias, once for all pixels.
    bias = operator.bias - operator.schemes[0].zero_point * w.sum(axis=1, dtype=np.int32)
    return np.ascontiguousarray(w.T), bias, operator.scale


def layer_data() -> dict[str, NDArray[np.generic]]:
    """Constant arguments of the exercise `layer-of-digits`: w int8 [24, 32], bias int32 [32], scale float32 [32]."""
    return dict(zip(("w", "bias", "scale"), _layer(), strict=True))


def _sums(x: Array, w: Array, bias: Array) -> Array:
    sums: Array = x.astype(np.int32) @ w.astype(np.int32) + bias
    return sums


def _bytes(sums: Array, scale: Array, zero_point: int = -128) -> Array:
    found: Array = np.clip(np.rint(sums.astype(np.float32) * scale) + zero_point, -128, 127)
    return found


def _layer_of_digits(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    """Compute a 1x1 convolution of a trained network.

    y[i, c] <- clip(round(float32(bias[c] + sum over k of x[i, k] * w[k, c]) * scale[c]) - 128, -128, 127)

    n       size              pixels, >= 1
    x       int8 [n, 24]      pixels of 24 channels
    w       int8 [24, 32]     weights: a row for each channel of x
    bias    int32 [32]        what a sum starts with; the zero point of x is in it
    scale   float32 [32]      of each channel of y
    y       int8 [n, 32]      written; round is to nearest, of two the even one
    """
    y[...] = _bytes(_sums(x, w, bias), scale)


def _cut_off(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = np.clip(np.trunc(_sums(x, w, bias).astype(np.float32) * scale) - 128, -128, 127)


def _no_zero_point(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x, w, bias), scale, 0)


def _one_scale(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x, w, bias), scale[:1])


def _four_scales(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x, w, bias), np.tile(scale[:4], 8))


def _no_bias(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x, w, 0 * bias), scale)


def _unsigned_weights(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x, w.view(np.uint8), bias), scale)


def _sixteen_depths(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    y[...] = _bytes(_sums(x[:, :16], w[:16], bias), scale)


def _wraps(n: int, x: Array, w: Array, bias: Array, scale: Array, y: Array) -> None:
    steps = np.rint(_sums(x, w, bias).astype(np.float32) * scale).astype(np.int64) - 128
    y[...] = steps.astype(np.int8)


def _quantize(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    """Quantise real numbers.

    y[i] <- clip(round(x[i] * inverse[0]) + zero_point, -128, 127)

    n            size          a multiple of 16, >= 16
    x            float32 [n]
    inverse      float32 [1]   1 / scale
    zero_point   int32         -128..127
    y            int8 [n]      written; round is to nearest, of two the even one
    """
    y[...] = np.clip(np.rint(x * inverse) + zero_point, -128, 127)


def _halves_away(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    steps = x * inverse
    y[...] = np.clip(np.trunc(steps + np.copysign(np.float32(0.5), steps)) + zero_point, -128, 127)


def _towards_zero(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    y[...] = np.clip(np.trunc(x * inverse) + zero_point, -128, 127)


def _about_zero(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    y[...] = np.clip(np.rint(x * inverse), -128, 127)


def _around(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    y[...] = (np.rint(x * inverse).astype(np.int64) + zero_point).astype(np.int8)


def _clipped_first(n: int, x: Array, inverse: Array, zero_point: int, y: Array) -> None:
    y[...] = np.clip(np.clip(np.rint(x * inverse), -128, 127) + zero_point, -128, 127)


TASKS = (
    define(
        "quantize", "real numbers to bytes",
        prototype="void quantize(size_t n, const float x[n], const float inverse[1], int32_t zero_point, int8_t y[n])",
        definition=_quantize,
        story="""
The first thing that happens to an image or a sound on its way into a quantised network: real numbers become bytes. One
multiplication, one rounding, the zero point, and saturation at both ends.""",
        sizes={"n": range(16, 1025, 16), "zero_point": range(-128, 128)}, timed={"n": 256, "zero_point": -11},
        data={"inverse": [0.25, 3.0, 0.5, 1.5]},
        limits=Limits(instructions=2, per_element="y", neon=0.6),
        start=("aarch64",),
        hints=(
            "LD1R {v16.4s}, [x2] puts 1 / scale into all lanes; DUP v17.8h, w3 the zero point.",
            "FMUL four registers of four, then FCVTNS: to the nearest, of two the even one.",
            "SQXTN and SQXTN2 to 16 bits, SQADD the zero point there, SQXTN and SQXTN2 to bytes.",
        ),
        mistakes=(
            (_halves_away, "Halves went away from zero (FCVTAS); they go to the even neighbour (FCVTNS)."),
            (_towards_zero, "The numbers were cut off towards zero (FCVTZS) instead of rounded (FCVTNS)."),
            (_about_zero, "The zero point is missing."),
            (_around, "Numbers beyond the ends wrapped around: narrow with SQXTN, add with SQADD."),
            (_clipped_first, "The zero point was added to bytes that had been cut off already: add it in 16 bits."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("fcvtns", "fcvtas", "Halves went away"),
                    ("fcvtns", "fcvtzs", "cut off towards zero"),
                    ("dup     v17.8h, w3", "movi    v17.8h, #0", "The zero point is missing"),
                    ("sqxtn   v0.8b, v0.8h\n        sqxtn2  v0.16b, v2.8h", "xtn     v0.8b, v0.8h\n        "
                     "xtn2    v0.16b, v2.8h", "wrapped around"),
                    ("ld1r    {v16.4s}, [x2]", "ldr     s16, [x2]", "should be"),
                    ("subs    x0, x0, #16", "subs    x0, x0, #32", "past its end"),
                ),
            },
        ),
    ),
    define(
        "layer-of-digits", "a layer of a trained network",
        prototype="void layer_of_digits(size_t n, const int8_t x[n][24], const int8_t w[24][32], "
                  "const int32_t bias[32], const float scale[32], int8_t y[n][32])",
        definition=_layer_of_digits,
        story="""
A whole layer of a network that tells handwritten digits: pixels of 24 channels in, pixels of 32 channels out. Weights,
biases and scales are the trained ones. What your kernel writes are the bytes that runtimes of such networks write, and
the layers behind it cannot tell the difference.

Widen, multiply by lane and add up; then each sum becomes a real number, is multiplied by the scale of its channel,
rounded, moved by the zero point, and saturated. The zero point of y is the least byte there is, so a ReLU needs no
instruction.""",
        sizes={"n": range(1, 33)}, timed={"n": 14},
        data={"w": lambda rng, shape: _layer()[0], "bias": lambda rng, shape: _layer()[1],
              "scale": lambda rng, shape: _layer()[2]},
        limits=Limits(instructions=14, per_element="y", neon=0.5),
        start=("aarch64",),
        hints=(
            "Eight registers hold the 32 sums of a pixel: ld1 {v16.4s-v19.4s}, [x9], #64 twice loads the biases.",
            "ld1 {v0.8b-v2.8b}, [x1], #24 and three SXTL are the pixel as 16-bit lanes; a row of w is two registers of "
            "bytes, four of 16 bits. SMLAL v16.4s, v4.4h, v0.h[3] and SMLAL2 v17.4s, v4.8h, v0.h[3] take depth 3.",
            "A macro with the register and the lane as arguments writes one depth; .irp lane, 0,1,2,3,4,5,6,7 eight of "
            "them.",
            "SCVTF, FMUL by four scales, FCVTNS (to nearest, even); SQXTN and SQXTN2 to 16 bits, SQADD -128 there, "
            "SQXTN and SQXTN2 to bytes.",
        ),
        mistakes=(
            (_cut_off, "The numbers were cut off instead of rounded: FCVTZS goes towards zero, FCVTNS to the nearest."),
            (_no_zero_point, "The zero point of y is missing: -128, added to the 16-bit lanes."),
            (_one_scale, "All channels were multiplied by the scale of the first one; each has its own."),
            (_four_scales, "The scales of channels 0..3 were used for all: 32 scales are eight registers."),
            (_no_bias, "The biases are missing: sums start with them."),
            (_unsigned_weights, "Weights below zero were taken for large ones: SXTL widens int8, UXTL uint8."),
            (_sixteen_depths, "Depths 16..23 are missing."),
            (_wraps, "Large results wrapped around: SQXTN saturates, XTN cuts off the upper bits."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("fcvtns", "fcvtzs", "cut off instead of rounded"),
                    ("movi    v31.8h, #128, lsl #0\n        neg     v31.8h, v31.8h", "movi    v31.8h, #0",
                     "zero point of y is missing"),
                    ("        ld1     {v24.4s-v27.4s}, [x10], #64\n",
                     "        ld1r    {v24.4s}, [x10], #4\n        mov     v25.16b, v24.16b\n"
                     "        mov     v26.16b, v24.16b\n        mov     v27.16b, v24.16b\n", "should be"),
                    ("ld1     {v16.4s-v19.4s}, [x9], #64\n        ld1     {v20.4s-v23.4s}, [x9]",
                     ".irp    r, 16,17,18,19,20,21,22,23\n        movi    v\\r\\().4s, #0\n        .endr",
                     "biases are missing"),
                    ("sxtl    v4.8h, v6.8b\n        sxtl2   v5.8h, v6.16b\n        sxtl    v6.8h, v7.8b\n"
                     "        sxtl2   v7.8h, v7.16b",
                     "uxtl    v4.8h, v6.8b\n        uxtl2   v5.8h, v6.16b\n        uxtl    v6.8h, v7.8b\n"
                     "        uxtl2   v7.8h, v7.16b", "Weights below zero"),
                    ("        depth   v2, \\lane\n", "", "should be"),
                    ("sqxtn   v16.8b, v16.8h\n        sqxtn2  v16.16b, v18.8h\n        sqxtn   v20.8b, v20.8h\n"
                     "        sqxtn2  v20.16b, v22.8h",
                     "xtn     v16.8b, v16.8h\n        xtn2    v16.16b, v18.8h\n        xtn     v20.8b, v20.8h\n"
                     "        xtn2    v20.16b, v22.8h", "Large results wrapped around"),
                    ("mov     x9, x3", "nop", "uninitialized"),
                    ("subs    x0, x0, #1", "subs    x0, x0, #2", "outside"),
                ),
            },
        ),
    ),
)
