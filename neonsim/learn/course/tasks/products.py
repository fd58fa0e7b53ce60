"""Quantised kernels: requantisation, a depthwise filter, matrix product tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.quant.fixedpoint import srdhm
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.rounding import derive
from neonsim.ukernel.contract import Array
from neonsim.ukernel.packing import PackedWeights, pack_gemm

__all__ = ["TASKS"]

BOTH = ("aarch64", "aarch32")


def _depthwise_3_taps(n: int, x: Array, w: Array, zero_point: int, y: Array) -> None:
    """Filter every channel by itself, with three taps.

    y[i] <- sum over t of (x[t, i] - zero_point) * w[t, i]

    n            size           channels, a multiple of 8, >= 8
    x            uint8 [3, n]   three pixels, one behind the other
    w            int16 [3, n]   three taps for each channel, -255..255
    zero_point   int32          of x, 0..255
    y            int32 [n]      written
    """
    y[...] = ((x.astype(np.int32) - zero_point) * w).sum(axis=0)


def _without_zero_point(n: int, x: Array, w: Array, zero_point: int, y: Array) -> None:
    y[...] = (x.astype(np.int32) * w).sum(axis=0)


def _last_tap(n: int, x: Array, w: Array, zero_point: int, y: Array) -> None:
    y[...] = (x[2].astype(np.int32) - zero_point) * w[2]


def _first_taps(n: int, x: Array, w: Array, zero_point: int, y: Array) -> None:
    y[...] = ((x[:2].astype(np.int32) - zero_point) * w[:2]).sum(axis=0)


def _same_channels(n: int, x: Array, w: Array, zero_point: int, y: Array) -> None:
    low = ((x.astype(np.int32) - zero_point) * w).sum(axis=0).reshape(-1, 2, 4)
    y[...] = low[:, [0, 0]].reshape(-1)


def _q31(x: Array, params: Q31Params, ties: str) -> Array:
    high = np.asarray(srdhm(x, params.multiplier)).astype(np.int64)
    half = (1 << params.shift) >> 1
    shifted: Array
    if ties == "up":
        shifted = (high + half) >> params.shift
    elif ties == "cut":
        shifted = high >> params.shift
    else:
        shifted = np.where(high < 0, -((-high + half) >> params.shift), (high + half) >> params.shift)
    return shifted


def _finish(shifted: Array, params: Q31Params) -> Array:
    clipped: Array = np.clip(shifted + params.output_zero_point, params.output_min, params.output_max)
    return clipped


def _ties_up(n: int, x: Array, y: Array, params: Q31Params) -> None:
    y[...] = _finish(_q31(x, params, "up"), params)


def _cut_off(n: int, x: Array, y: Array, params: Q31Params) -> None:
    y[...] = _finish(_q31(x, params, "cut"), params)


def _no_limits(n: int, x: Array, y: Array, params: Q31Params) -> None:
    y[...] = np.clip(_q31(x, params, "away") + params.output_zero_point, 0, 255)


def _no_zero_point(n: int, x: Array, y: Array, params: Q31Params) -> None:
    y[...] = np.clip(_q31(x, params, "away"), params.output_min, params.output_max)


def _one_up(n: int, x: Array, y: Array, params: Q31Params) -> None:
    high = np.asarray(srdhm(x, params.multiplier)).astype(np.int64)
    half = (1 << params.shift) >> 1
    y[...] = _finish((high + half - (high < 0)) >> params.shift, params)


def _product(mr: int, k: int, rng: np.random.Generator) -> dict[str, Any]:
    a, w = rng.integers(0, 256, (mr, k), dtype=np.uint8), rng.integers(0, 256, (8, k), dtype=np.uint8)
    bias = rng.integers(-5000, 5001, 8).astype(np.int32)
    multiplier, shift = derive(1 / (128 * k), "q31")
    za, zw = (int(z) for z in rng.integers(1, 256, 2))
    return {"mr": mr, "nr": 8, "kc": k, "a": a, "a_stride": k, "c_stride": 8,
            "w": pack_gemm(w, bias, nr=8, a_zero_point=za, w_zero_point=zw),
            "params": Q31Params(int(multiplier), int(shift), za, zw, 128)}


def _one_row(numbers: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    return _product(1, numbers["kc"], rng)


def _four_rows(numbers: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    return _product(4, numbers["kc"], rng)


def _scaled(numbers: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    multiplier, shift = derive(float(rng.uniform(1 / 120, 1 / 60)), "q31")
    return {"n": numbers["n"], "x": rng.integers(-12_000, 12_000, numbers["n"]).astype(np.int32),
            "params": Q31Params(int(multiplier), int(shift), 0, 0, int(rng.integers(100, 156)))}


def _no_weight_zero_point(mr: int, nr: int, kc: int, a: Array, w: PackedWeights, c: Array, params: Q31Params) -> None:
    # The zero point of a is folded into the bias; what is packed with it stays.
    x = a.astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked.astype(np.int32)
    folded = np.int32(params.a_zero_point) * np.int32(params.w_zero_point) * np.int32(kc)
    c[...] = params.requantize(x @ y + w.original_bias + folded)


def _eight_depths_only(mr: int, nr: int, kc: int, a: Array, w: PackedWeights, c: Array, params: Q31Params) -> None:
    whole = kc - kc % 8
    x = a[:, :whole].astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked[:whole].astype(np.int32) - np.int32(params.w_zero_point)
    # What the folded bias holds for the missing depths stays in the sums.
    rest = w.unpacked[whole:].astype(np.int32) - np.int32(params.w_zero_point)
    bias = w.original_bias - np.int32(params.a_zero_point) * rest.sum(axis=0, dtype=np.int32)
    c[...] = params.requantize(x @ y + bias)


# One depth in general registers: eight sums on the stack.
_SCALAR = ("    ldrb        w13, [x9]\n    sub         sp, sp, #32\n    st1         {v16.4s, v17.4s}, [sp]\n"
           "8:\n    ldrb        w10, [x3], #1\n"
           + "".join("    ldrb        w11, [x5], #1\n    sub         w11, w11, w13\n"
                     f"    ldr         w12, [sp, #{at}]\n"
                     f"    madd        w12, w10, w11, w12\n    str         w12, [sp, #{at}]\n"
                     for at in range(0, 32, 4))
           + "    subs        x2, x2, #1\n    b.ne        8b\n    ld1         {v16.4s, v17.4s}, [sp]\n"
           "    add         sp, sp, #32\n    b           2f\n")
# One depth at a time, with the macro that the exercise gives.
_PLAIN = ("8:\n    ldr         b6, [x3], #1\n    uxtl        v6.8h, v6.8b\n    one_depth   0\n"
          "    subs        x2, x2, #1\n    b.ne        8b\n    b           2f\n")
_MAIN_LOOP = "    // ---- Eight depths at a time"

TASKS = (
    define(
        "requantize-q31", "sums to bytes, to the tie",
        contract="qu8_requantize_q31", tile="16x", keep=1, make=_scaled,
        story="""
A 32-bit sum becomes a byte: times a 31-bit multiplier, high half, rounded half up (SQRDMULH); then a rounding shift
right by shift bits, ties away from zero; plus the zero point; saturated; kept within two limits.

SRSHL shifts right by a negative amount and rounds ties up. For negative values a tie must go down: subtract one from
them before the shift, unless the shift is 0.

The block at params: int32 multiplier, int32 -shift (as SRSHL takes it), int16 zero_point, uint8 output_max, uint8
output_min.""",
        sizes={"n": range(16, 513, 16)}, timed={"n": 256},
        limits=Limits(instructions=4, per_element="y", neon=0.5),
        start=BOTH,
        hints=(
            "LD1R {v16.4s}, [x3], #4 puts a parameter into all lanes, and moves on to the next one.",
            "SQRDMULH v0.4s, v0.4s, v16.4s. CMEQ v18.4s, v17.4s, #0 says where nothing is shifted.",
            "BIC v4.16b, v0.16b, v18.16b, then SSRA v0.4s, v4.4s, #31 adds -1 to negative values; SRSHL v0.4s, "
            "v0.4s, v17.4s.",
            "SQXTN and SQXTN2 to 16 bits, SQADD the zero point (LD1R .8h), SQXTUN to bytes, UMAX, UMIN.",
        ),
        mistakes=(
            (_ties_up,
             "Negative ties went up: SRSHL rounds them towards plus infinity. They go away from zero here: subtract "
             "1 from negative values before the shift (unless it is 0)."),
            (_cut_off, "The shift cuts off instead of rounding: SSHL is without rounding, SRSHL with it."),
            (_no_limits, "The limits output_min and output_max are missing."),
            (_no_zero_point, "The zero point is missing."),
            (_one_up,
             "1 was subtracted from negative values although the shift is 0: then there is no second rounding."),
        ),
        answers=Answers(
            correct={
                "aarch64": "qu8_requantize_q31_16x__aarch64_neon",
                "aarch32": "qu8_requantize_q31_16x__aarch32_neon",
            },
            wrong={
                "aarch64": (
                    ("    ssra        v0.4s, v4.4s, #31 ", "    nop //", "should be"),
                    ("srshl", "sshl ", "The shift cuts off"),
                    ("umax        v0.16b, v0.16b, lower.16b", "nop", "should be"),
                    ("    bic         v4.16b, v0.16b, unshifted.16b   // the same, zero where nothing is shifted\n"
                     "    bic         v5.16b, v1.16b, unshifted.16b\n    bic         v6.16b, v2.16b, unshifted.16b\n"
                     "    bic         v7.16b, v3.16b, unshifted.16b\n"
                     "    ssra        v0.4s, v4.4s, #31               // minus 1 where negative: ties away from zero\n"
                     "    ssra        v1.4s, v5.4s, #31\n    ssra        v2.4s, v6.4s, #31\n"
                     "    ssra        v3.4s, v7.4s, #31\n",
                     "",
                     "Negative ties went up"),
                    ("sqadd       v0.8h, v0.8h, zeropoint.8h", "nop", "should be"),
                ),
            },
        ),
    ),
    define(
        "depthwise-3-taps", "no sum over channels",
        prototype="void depthwise_3_taps(size_t n, const uint8_t x[3][n], const int16_t w[3][n], "
                  "int32_t zero_point, int32_t y[n])",
        definition=_depthwise_3_taps,
        story="""
In a depthwise convolution every channel is filtered by itself: lane i of the pixel meets lane i of the weights, and
nothing is ever added across lanes. Three taps, widening products, eight channels at a time.""",
        sizes={"n": range(8, 513, 8), "zero_point": range(256)}, timed={"n": 256, "zero_point": 127},
        data={"w": range(-255, 256)},
        limits=Limits(instructions=5, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "The second pixel is n bytes behind the first; the second taps 2 n bytes behind the first.",
            "USUBL takes the zero point off and widens; SMULL and SMULL2 for the first tap, SMLAL and SMLAL2 for "
            "the others.",
            "Three pointers to pixels (x1, x1 + n, x1 + 2n), three to weights, one to y: add x5, x1, x0 and so on "
            "(AArch32: push {r4-r7} first, and y lies at [sp, #16] then).",
        ),
        mistakes=(
            (_without_zero_point, "The zero point is missing."),
            (_last_tap, "Only the last tap is in the sums: SMULL starts a new sum, SMLAL adds to the old one."),
            (_first_taps, "The third tap is missing."),
            (_same_channels, "Channels 4..7 got the sums of channels 0..3: the upper half takes SMULL2 and SMLAL2."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("dup     v16.8b, w3", "movi    v16.8b, #0", "The zero point is missing"),
                    ("smlal   v6.4s, v2.4h, v5.4h\n        smlal2  v7.4s, v2.8h, v5.8h",
                     "smull   v6.4s, v2.4h, v5.4h\n        smull2  v7.4s, v2.8h, v5.8h",
                     "Only the last tap"),
                    ("        smlal   v6.4s, v2.4h, v5.4h\n        smlal2  v7.4s, v2.8h, v5.8h\n",
                     "",
                     "The third tap is missing"),
                    ("stp     q6, q7", "stp     q6, q6", "channels 0..3"),
                    ("ldr     q4, [x7], #16", "ldr     q4, [x2]", "y[0] should be"),
                ),
                "aarch32": (
                    ("vdup.8      d31, r3", "vmov.i8     d31, #0", "The zero point is missing"),
                    ("vmlal.s16   q2, d26, d20\n        vmlal.s16   q3, d27, d21",
                     "vmull.s16   q2, d26, d20\n        vmull.s16   q3, d27, d21",
                     "Only the last tap"),
                    ("ldr         r12, [sp, #16]", "ldr         r12, [sp]", "r12"),
                    ("        pop         {r4-r7}\n", "", "sp"),
                ),
            },
        ),
    ),
    define(
        "gemm-1x8", "one row of a matrix product",
        contract="qu8_gemm_q31", tile="1x8", keep=4, make=_one_row,
        story="""
The heart of a matrix product tile: one row of a, eight columns of w, any depth. Start and end are given: the biases
are in v16 and v17 (AArch32: q8, q9), the end turns them into bytes. What is missing is the loop over the depth, with
its tail.

The macro one_depth does one depth: it loads eight weights, takes their zero point off, multiplies by one lane of v6
(AArch32: of the register that is named) and adds. The zero point of a is already in the bias, so a is multiplied as
it is. Up to 7 bytes before the row of a may be read.""",
        sizes={"kc": range(1, 257)}, timed={"kc": 64},
        limits=Limits(instructions=12, per_element="a", neon=0.5),
        start=BOTH,
        removed_lines=("Eight depths at a time", "The last 1..7 depths"),
        hints=(
            "Lane 0 of v6 is one depth of a, as int16: the plain loop loads a byte, widens it, and takes one_depth 0.",
            "ldr b6, [x3], #1; uxtl v6.8h, v6.8b; one_depth 0; subs x2, x2, #1; b.ne (AArch32: vld1.8 {d4[0]}, "
            "vmovl.u8 q2, d4, one_depth d4, 0; set d4 to zero before). That is right for every depth.",
            "Faster: eight bytes of a at a time, UXTL, and one_depth 0 to one_depth 7; the rest with the plain loop.",
        ),
        mistakes=(
            (_no_weight_zero_point, "The zero point of the weights was not subtracted (USUBL with v20)."),
            (_eight_depths_only, "The depths beyond the last multiple of eight are missing: the tail."),
        ),
        answers=Answers(
            correct={
                "aarch64": "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane",
                "aarch32": "qu8_gemm_q31_1x8__aarch32_neon_mlal_lane",
            },
            wrong={
                "aarch64": (
                    ("usubl       v7.8h, v7.8b, v20.8b", "uxtl        v7.8h, v7.8b", "The zero point of the weights"),
                    ("    ldr         d6, [x3, x2] ", "    movi v6.8b, #0 //", "should be"),
                    ("smlal2      v17.4s, v7.8h, v6.h[\\lane]", "smlal2      v16.4s, v7.8h, v6.h[\\lane]", "should be"),
                    ("    b.ne        3f\n", "", "outside"),
                    ("usubl       v7.8h, v7.8b, v20.8b", "ssubl       v7.8h, v7.8b, v20.8b", "should be"),
                ),
            },
            alternatives={"aarch64": ((_MAIN_LOOP, _PLAIN + _MAIN_LOOP),)},
            cheats={
                "aarch64": (
                    (_MAIN_LOOP, _SCALAR + _MAIN_LOOP, "too many instructions"),
                ),
            },
        ),
    ),
    define(
        "gemm-4x8-tail", "depths that are no multiple of eight",
        contract="qu8_gemm_q31", tile="4x8", keep=7, make=_four_rows,
        story="""
The default kernel of the articles, without its tail: it is right when kc is a multiple of 8. Supply the rest, for 1
to 7 further depths. When the tail is reached r2 holds the depths that are left, less 8; r3 to r6 point at the four
rows, r7 at the weights. Up to 7 bytes before a row of a may be read.""",
        sizes={"kc": range(1, 257)}, timed={"kc": 71},
        limits=Limits(instructions=8, per_element="a", neon=0.5),
        start=("aarch32",),
        removed_lines=("The last 1..7 depths",),
        hints=(
            "Nothing is left if r2 is -8: cmp r2, #-8; beq over the tail.",
            "One depth at a time is right: vld1.8 {d0[]}, [r3]! loads one byte of a row into all lanes; vmovl; the "
            "eight weights; vsubl; vmlal by d0[0].",
            "As the kernels do it: read the 8 bytes that end with the row, VSHL.U64 by a negative amount moves the "
            "old ones out; then the depths in turn, leaving when r2 says so.",
        ),
        mistakes=(
            (_eight_depths_only, "The depths beyond the last multiple of eight are missing still."),
        ),
        answers=Answers(
            correct={
                "aarch32": "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane",
            },
            wrong={
                "aarch32": (
                    ("    beq         2f                              // none left\n", "", "past its end"),
                    ("    vshl.u64    d2, d2, d15\n", "", "uninitialized"),
                    ("    cmp         r2, #-8                         // r2: depths left - 8\n    beq         2f ",
                     "    b 2f //",
                     "The depths beyond the last multiple of eight"),
                    ("cmp         r2, #-6\n    blt         2f ", "cmp         r2, #-6\n    nop //", "past its end"),
                    ("add         r6, r6, r2", "nop", "past its end"),
                ),
            },
        ),
    ),
)
