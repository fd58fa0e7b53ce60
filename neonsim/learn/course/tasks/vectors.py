"""First steps: element by element, and loops over vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.quant.params.elementwise import ClampParams
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]

BOTH = ("aarch64", "aarch32")


def _add_two_vectors(a: Array, b: Array, y: Array) -> None:
    """Add sixteen bytes to sixteen bytes.

    y[i] <- (a[i] + b[i]) mod 256

    a, b   uint8 [16]
    y      uint8 [16]   written
    """
    y[...] = a + b


def _add_saturating(a: Array, b: Array, y: Array) -> None:
    y[...] = np.minimum(a.astype(int) + b, 255)


def _add_in_pairs(a: Array, b: Array, y: Array) -> None:
    y[...] = (a.view("<u2") + b.view("<u2")).view(np.uint8)


def _add_half(a: Array, b: Array, y: Array) -> None:
    y[...] = a + b
    y[8:] = 0


def _subtract(a: Array, b: Array, y: Array) -> None:
    y[...] = a - b


def _saturating_add(n: int, a: Array, b: Array, y: Array) -> None:
    """Add bytes; what does not fit stays at 255.

    y[i] <- min(a[i] + b[i], 255)

    n      size        a multiple of 16, >= 16
    a, b   uint8 [n]
    y      uint8 [n]   written
    """
    y[...] = np.minimum(a.astype(int) + b, 255)


def _wraps(n: int, a: Array, b: Array, y: Array) -> None:
    y[...] = a + b


def _signed(n: int, a: Array, b: Array, y: Array) -> None:
    y[...] = np.clip(a.view(np.int8).astype(int) + b.view(np.int8), -128, 127).astype(np.int8).view(np.uint8)


def _subtract_zero_point(n: int, x: Array, zero_point: int, y: Array) -> None:
    """Subtract the zero point from quantised bytes.

    y[i] <- x[i] - zero_point

    n            size        a multiple of 8, >= 8
    x            uint8 [n]
    zero_point   int32       0..255
    y            int16 [n]   written
    """
    y[...] = x.astype(np.int16) - zero_point


def _eight_bits(n: int, x: Array, zero_point: int, y: Array) -> None:
    y[...] = x - np.uint8(zero_point)


def _at_zero(n: int, x: Array, zero_point: int, y: Array) -> None:
    y[...] = np.maximum(x.astype(int) - zero_point, 0)


def _other_way(n: int, x: Array, zero_point: int, y: Array) -> None:
    y[...] = zero_point - x.astype(np.int16)


def _grey(n: int, x: Array, y: Array) -> None:
    """Turn coloured pixels into shades of grey.

    y[i] <- (77 * x[i, 0] + 150 * x[i, 1] + 29 * x[i, 2] + 128) >> 8

    n   size           pixels, a multiple of 8, >= 8
    x   uint8 [n, 4]   red, green, blue, and a fourth byte that does not count
    y   uint8 [n]      written
    """
    y[...] = (x[:, :3].astype(int) @ np.array([77, 150, 29]) + 128) >> 8


def _truncated(n: int, x: Array, y: Array) -> None:
    y[...] = (x[:, :3].astype(int) @ np.array([77, 150, 29])) >> 8


def _blue_first(n: int, x: Array, y: Array) -> None:
    y[...] = (x[:, :3].astype(int) @ np.array([29, 150, 77]) + 128) >> 8


def _off_by_one(n: int, x: Array, y: Array) -> None:
    y[...] = (x[:, 1:].astype(int) @ np.array([77, 150, 29]) + 128) >> 8


def _channels_of_four(n: int, x: Array, scale: Array, bias: Array, y: Array) -> None:
    """Scale four channels, add a bias, and cut off what is negative: a layer on NC4HW4.

    y[i, c] <- max(x[i, c] * scale[c] + bias[c], 0)     (modulo 2**32, then as signed numbers)

    n       size            pixels, >= 1
    x       int32 [n, 4]    four channels of each
    scale   int32 [4]
    bias    int32 [4]
    y       int32 [n, 4]    written
    """
    y[...] = np.maximum(x * scale + bias, 0)


def _negative_kept(n: int, x: Array, scale: Array, bias: Array, y: Array) -> None:
    y[...] = x * scale + bias


def _bias_piled_up(n: int, x: Array, scale: Array, bias: Array, y: Array) -> None:
    y[...] = np.maximum(np.cumsum(x * scale, axis=0, dtype=np.int32) + bias, 0)


def _first_scale(n: int, x: Array, scale: Array, bias: Array, y: Array) -> None:
    y[...] = np.maximum(x * scale[0] + bias, 0)


def _clamped(numbers: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    low = int(rng.integers(0, 120))
    return {"n": numbers["n"], "x": rng.integers(0, 256, numbers["n"], dtype=np.uint8),
            "params": ClampParams(low, low + int(rng.integers(0, 136)))}


TASKS = (
    define(
        "add-two-vectors", "sixteen sums with one instruction",
        prototype="void add_two_vectors(const uint8_t a[16], const uint8_t b[16], uint8_t y[16])",
        definition=_add_two_vectors,
        story="""
A vector register holds 128 bits: sixteen bytes, side by side. Load sixteen bytes from a and from b, add them lane by
lane, store the sixteen results at y. Four instructions and the return.""",
        limits=Limits(instructions=1, neon=0.5),
        start=BOTH,
        hints=(
            "Loads and stores of a whole register: ldr q0, [x0] and str q0, [x2] (AArch32: vld1.8 {q0}, [r0] and "
            "vst1.8).",
            "The arrangement says how the register is cut: v0.16b is sixteen bytes, v0.8h eight half-words.",
            "ldr q0, [x0]; ldr q1, [x1]; then ADD of v0.16b and v1.16b; then the store. AArch32: vadd.i8 q0, q0, q1.",
        ),
        mistakes=(
            (_add_saturating, "These are the sums kept at 255. Here they wrap: ADD, not UQADD."),
            (_add_in_pairs,
             "Carries run from one byte into the next: the lanes of the addition are too wide. Sixteen bytes are "
             ".16b (AArch32: .i8)."),
            (_add_half,
             "The first eight bytes are right and the others zero: .8b works on the lower half of the register and "
             "clears the upper one. Sixteen bytes are .16b."),
            (_subtract, "This is a[i] - b[i]."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("add     v0.16b, v0.16b, v1.16b", "uqadd   v0.16b, v0.16b, v1.16b", "ADD, not UQADD"),
                    ("add     v0.16b, v0.16b, v1.16b",
                     "add     v0.8h, v0.8h, v1.8h",
                     "Carries run from one byte into the next"),
                    ("add     v0.16b, v0.16b, v1.16b", "add     v0.8b, v0.8b, v1.8b", ".8b works on the lower half"),
                    ("add     v0.16b, v0.16b, v1.16b", "sub     v0.16b, v0.16b, v1.16b", "This is a[i] - b[i]"),
                    ("        str     q0, [x2]\n", "", "no step wrote it"),
                ),
                "aarch32": (
                    ("vadd.i8     q0, q0, q1", "vadd.i16    q0, q0, q1", "Carries run"),
                    ("vadd.i8     q0, q0, q1", "vadd.i8     d0, d0, d2", "y[8] should be"),
                    ("vld1.8      {q0}, [r0]", "vld1.8      {q0}, [r3]", "r3"),
                ),
            },
            alternatives={
                "aarch64": (
                    """
add_two_vectors:
        ld1     {v0.16b}, [x0]
        ld1     {v1.8b}, [x1], #8
        ld1     {v2.8b}, [x1]
        mov     v1.d[1], v2.d[0]
        add     v2.16b, v1.16b, v0.16b
        st1     {v2.16b}, [x2]
        ret
""",
                ),
            },
            cheats={
                "aarch64": (
                    ("""
add_two_vectors:
        mov     x3, #16
0:
        ldrb    w4, [x0], #1
        ldrb    w5, [x1], #1
        add     w4, w4, w5
        strb    w4, [x2], #1
        subs    x3, x3, #1
        b.ne    0b
        ret
""", "too many instructions"),
                    ("""
add_two_vectors:                        // eight bytes in a general register, carries kept apart
        mov     x9, #0x7f7f7f7f7f7f7f7f
        mov     x10, #2
0:
        ldr     x3, [x0], #8
        ldr     x4, [x1], #8
        and     x5, x3, x9
        and     x6, x4, x9
        add     x5, x5, x6
        eor     x3, x3, x4
        bic     x3, x3, x9
        eor     x5, x5, x3
        str     x5, [x2], #8
        subs    x10, x10, #1
        b.ne    0b
        ret
""", "too little NEON"),
                ),
            },
        ),
    ),
    define(
        "saturating-add", "a loop, and sums that stop at 255",
        prototype="void saturating_add(size_t n, const uint8_t a[n], const uint8_t b[n], uint8_t y[n])",
        definition=_saturating_add,
        story="""
Brightening a picture must not turn white into black: 250 + 10 is 255 here, not 4. NEON has an addition that
saturates. Walk over the vectors sixteen bytes at a time.""",
        sizes={"n": range(16, 2049, 16)}, timed={"n": 256},
        limits=Limits(instructions=1, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "A loop: a label, the work, subs x0, x0, #16, and b.ne back to the label.",
            "Post-indexed addressing moves the pointer along: ldr q0, [x1], #16 (AArch32: vld1.8 {q0}, [r1]!).",
            "UQADD v0.16b, v0.16b, v1.16b: unsigned, saturating (AArch32: vqadd.u8). SQADD would take bytes as "
            "signed.",
        ),
        mistakes=(
            (_wraps, "These sums wrap around at 256. UQADD (AArch32: VQADD.U8) keeps them at 255."),
            (_signed, "The bytes were taken as signed, -128..127: this is SQADD. They are unsigned: UQADD."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("uqadd   v0.16b", "add     v0.16b", "These sums wrap around at 256"),
                    ("uqadd   v0.16b", "sqadd   v0.16b", "this is SQADD"),
                    ("#16\n        b.ne", "#8\n        b.ne", "past its end"),
                    ("b.ne    0b", "nop", "y[16] should be"),
                    ("subs    x0, x0, #16", "cmp     x0, #0", "past its end"),
                    ("uqadd   v0.16b, v0.16b, v1.16b", "uqadd   v0.16b, v0.16b, v9.8b", "^"),
                ),
            },
            alternatives={
                "aarch64": (
                    """
saturating_add:
        movi    v3.16b, #255
0:
        ld1     {v0.16b}, [x1], #16
        ld1     {v1.16b}, [x2], #16
        sub     v2.16b, v3.16b, v0.16b  // how much fits
        umin    v1.16b, v1.16b, v2.16b
        add     v0.16b, v0.16b, v1.16b
        st1     {v0.16b}, [x3], #16
        subs    x0, x0, #16
        b.hi    0b
        ret
""",
                ),
            },
            cheats={
                "aarch64": (
                    ("""
saturating_add:
        mov     w6, #255
0:
        ldrb    w4, [x1], #1
        ldrb    w5, [x2], #1
        add     w4, w4, w5
        cmp     w4, w6
        csel    w4, w4, w6, lo
        strb    w4, [x3], #1
        subs    x0, x0, #1
        b.ne    0b
        ret
""", "too many instructions"),
                ),
            },
        ),
    ),
    define(
        "subtract-zero-point", "results wider than the operands",
        prototype="void subtract_zero_point(size_t n, const uint8_t x[n], int32_t zero_point, int16_t y[n])",
        definition=_subtract_zero_point,
        story="""
A quantised byte x stands for scale * (x - zero_point). The difference of two bytes needs nine bits, so every
quantised kernel begins by widening: bytes in, 16-bit differences out.""",
        sizes={"n": range(8, 1025, 8), "zero_point": range(256)}, timed={"n": 256, "zero_point": 128},
        limits=Limits(instructions=2, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "The zero point comes in a general register; DUP puts it into every lane (AArch32: VDUP.8).",
            "Instructions whose name ends in L are long: the result has lanes twice as wide as the operands.",
            "dup v1.8b, w2 before the loop; ldr d0, then USUBL v0.8h, v0.8b, v1.8b (AArch32: vsubl.u8 q1, d0, d1).",
        ),
        mistakes=(
            (_eight_bits,
             "These differences were made in eight bits and widened afterwards, so negative ones have become large. "
             "Subtract with a long instruction: USUBL (AArch32: VSUBL.U8)."),
            (_at_zero, "Negative differences have become 0: this is a saturating subtraction. USUBL widens first."),
            (_other_way, "This is zero_point - x: the operands are the other way round."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("usubl   v0.8h, v0.8b, v1.8b",
                     "sub     v0.8b, v0.8b, v1.8b\n uxtl v0.8h, v0.8b",
                     "made in eight bits"),
                    ("usubl   v0.8h, v0.8b, v1.8b",
                     "uqsub   v0.8b, v0.8b, v1.8b\n uxtl v0.8h, v0.8b",
                     "Negative differences have"),
                    ("usubl   v0.8h, v0.8b, v1.8b", "usubl   v0.8h, v1.8b, v0.8b", "the other way round"),
                    ("ldr     d0, [x1], #8", "ldr     q0, [x1], #8", "past its end"),
                    ("subs    x0, x0, #8\n", "subs    x0, x0, #16\n", "past its end"),
                ),
            },
        ),
    ),
    define(
        "grey", "de-interleaving loads",
        prototype="void grey(size_t n, const uint8_t x[n][4], uint8_t y[n])",
        definition=_grey,
        story="""
Pixels lie as red, green, blue, something; red, green, blue, something ... For arithmetic one wants all reds in one
register. LD4 does that while it loads: the first bytes of eight pixels go to one register, the second bytes to the
next.""",
        sizes={"n": range(8, 1025, 8)}, timed={"n": 256},
        limits=Limits(instructions=3, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "LD4 {v0.8b, v1.8b, v2.8b, v3.8b}, [x1], #32 loads eight pixels: v0 red, v1 green, v2 blue.",
            "77 * 255 + 150 * 255 + 29 * 255 fits into 16 bits: UMULL, then twice UMLAL.",
            "movi v4.8b, #77 (and two more) before the loop; UMULL v5.8h, v0.8b, v4.8b; UMLAL; UMLAL; RSHRN v5.8b, "
            "v5.8h, #8 adds the 128, shifts and narrows (AArch32: vld4.8 {d0-d3}, vmull.u8, vmlal.u8, vrshrn.i16).",
        ),
        mistakes=(
            (_truncated, "The 128 is missing: SHRN cuts off, RSHRN rounds."),
            (_blue_first, "Red and blue are exchanged: the first byte of a pixel is red and counts 77."),
            (_off_by_one, "The fourth byte of the pixels counts here, and the first one does not."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("rshrn   v7", "shrn    v7", "SHRN cuts off"),
                    ("movi    v4.8b, #77\n        movi    v5.8b, #150\n        movi    v6.8b, #29",
                     "movi    v4.8b, #29\n        movi    v5.8b, #150\n        movi    v6.8b, #77",
                     "Red and blue are exchanged"),
                    ("umull   v7.8h, v0.8b, v4.8b\n        umlal   v7.8h, v1.8b, v5.8b\n"
                     "        umlal   v7.8h, v2.8b, v6.8b",
                     "umull   v7.8h, v1.8b, v4.8b\n        umlal   v7.8h, v2.8b, v5.8b\n"
                     "        umlal   v7.8h, v3.8b, v6.8b",
                     "The fourth byte of the pixels counts"),
                    ("umlal   v7.8h, v2", "umull   v7.8h, v2", "y[0] should be"),
                    ("[x1], #32", "[x1]", "y[8] should be"),
                ),
                "aarch32": (
                    ("vrshrn.i16", "vshrn.i16 ", "SHRN cuts off"),
                    ("d20, #77\n        vmov.i8     d21, #150\n        vmov.i8     d22, #29",
                     "d20, #29\n        vmov.i8     d21, #150\n        vmov.i8     d22, #77",
                     "Red and blue are exchanged"),
                    ("vmull.u8    q8, d0, d20\n        vmlal.u8    q8, d1, d21\n        vmlal.u8    q8, d2, d22",
                     "vmull.u8    q8, d1, d20\n        vmlal.u8    q8, d2, d21\n        vmlal.u8    q8, d3, d22",
                     "The fourth byte of the pixels counts"),
                ),
            },
        ),
    ),
    define(
        "channels-of-four", "NC4HW4: four channels, one load",
        prototype="void channels_of_four(size_t n, const int32_t x[n][4], const int32_t scale[4], "
                  "const int32_t bias[4], int32_t y[n][4])",
        definition=_channels_of_four,
        story="""
Images in NC4HW4 have four channels of a pixel side by side, then the next pixel: MNN keeps its tensors so. A layer that
takes each channel by itself then needs one load for a pixel, and what belongs to the channels, scales and biases, stays
in registers. In planes of one channel each the same four numbers would be four loads.""",
        sizes={"n": range(1, 400)}, timed={"n": 128},
        limits=Limits(instructions=3, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "Load scale and bias once, before the loop: LD1 {v1.4s}, [x2].",
            "MLA v3.4s, v0.4s, v1.4s adds products to v3, so v3 has to be the bias before: MOV v3.16b, v2.16b.",
            "SMAX with a register of zeros cuts off (MOVI v4.4s, #0). On AArch32 the fifth argument, y, lies on the "
            "stack: ldr r12, [sp].",
        ),
        mistakes=(
            (_negative_kept, "Negative sums are kept: SMAX (AArch32: VMAX.S32) with zeros is missing."),
            (_bias_piled_up, "The sums of all pixels before are in here: MLA adds on. Begin each with the bias."),
            (_first_scale, "All channels were multiplied by the scale of the first: take all four lanes."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        smax    v3.4s, v3.4s, v4.4s\n", "", "Negative sums are kept"),
                    ("        mov     v3.16b, v2.16b\n", "", "uninitialized"),
                    ("0:\n        ld1     {v0.4s}, [x1], #16\n        mov     v3.16b, v2.16b",
                     "        mov     v3.16b, v2.16b\n0:\n        ld1     {v0.4s}, [x1], #16", "y[1, 0] should be"),
                    ("mla     v3.4s, v0.4s, v1.4s", "mla     v3.4s, v0.4s, v1.s[0]", "the scale of the first"),
                    ("[x4], #16", "[x4]", "y[0, 0] should be"),
                ),
                "aarch32": (("        vmax.s32    q3, q3, q8\n", "", "Negative sums are kept"),),
            },
        ),
    ),
    define(
        "clamp", "any length: the tail",
        contract="u8_clamp", tile="8x", keep=3, make=_clamped,
        story="""
Vectors are seldom a multiple of sixteen long. What remains must be done without reading or writing one byte too
many: the checker puts a guard behind every buffer. Byte by byte is one way; doing the last eight bytes again, with
some that are done already, is another (clamping twice is clamping once, but mind n < 8).

The limits lie at params: byte 0 is output_max, byte 1 is output_min.""",
        sizes={"n": range(1, 2049)}, timed={"n": 509},
        limits=Limits(instructions=2, per_element="y", neon=0.25),
        start=BOTH,
        hints=(
            "LD1R {v4.16b}, [x3], #1 loads one byte into all lanes; once more for the other limit.",
            "UMIN with the largest, UMAX with the smallest allowed value.",
            "Sixteen at a time while n >= 16; then one at a time: ldrb/strb through a register, or LD1 and ST1 of "
            "one lane: st1 {v0.b}[0], [x2], #1.",
            "subs x0, x0, #16; b.lo to the tail; the loop; in the tail x0 + 16 bytes are left.",
        ),
        answers=Answers(
            correct={
                "aarch64": "u8_clamp_64x__aarch64_neon",
                "aarch32": "u8_clamp_64x__aarch32_neon",
            },
            wrong={
                "aarch64": (
                    ("umin        \\v\\().16b, \\v\\().16b, v4.16b", "nop", "should be"),
                    ("b.lo        5f", "nop", "outside"),
                    ("subs        x0, x0, #8\n    b.pl", "subs        x0, x0, #16\n    b.pl", "before buffer"),
                    ("ld1r        {v4.16b}, [x3], #1\n    ld1r        {v5.16b}, [x3]",
                     "ld1r        {v5.16b}, [x3], #1\n    ld1r        {v4.16b}, [x3]",
                     "should be"),
                    ("    b.ne        5b\n", "", "no step wrote it"),
                ),
            },
        ),
    ),
)
