"""Moving lanes: transpose, interleave, take apart, shift a window."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]

BOTH = ("aarch64", "aarch32")


def _transpose_4x4(x: Array, y: Array) -> None:
    """Transpose a matrix of four rows and four columns.

    y[j, i] <- x[i, j]

    x   int32 [4, 4]
    y   int32 [4, 4]   written
    """
    y[...] = x.T


def _transpose_8x8(x: Array, y: Array) -> None:
    """Transpose a matrix of eight rows of eight bytes.

    y[j, i] <- x[i, j]

    x   uint8 [8, 8]
    y   uint8 [8, 8]   written
    """
    y[...] = x.T


def _copied(x: Array, y: Array) -> None:
    y[...] = x


def _blocks_of_two(x: Array, y: Array) -> None:
    n = len(x) // 2
    y[...] = x.reshape(n, 2, n, 2).transpose(0, 3, 2, 1).reshape(2 * n, 2 * n)


def _blocks_moved(x: Array, y: Array) -> None:
    n = len(x) // 2
    y[...] = x.reshape(n, 2, n, 2).transpose(2, 1, 0, 3).reshape(2 * n, 2 * n)


def _blocks_of_four(x: Array, y: Array) -> None:
    y[...] = x.reshape(2, 4, 2, 4).transpose(0, 3, 2, 1).reshape(8, 8)


def _two_levels_of_three(x: Array, y: Array) -> None:
    y[...] = x.reshape(2, 2, 2, 2, 2, 2).transpose(3, 1, 5, 0, 4, 2).reshape(8, 8)


def _interleave(n: int, a: Array, b: Array, y: Array) -> None:
    """Interleave two vectors: a zip.

    y[i, 0] <- a[i];   y[i, 1] <- b[i]

    n      size           a multiple of 16, >= 16
    a, b   uint8 [n]
    y      uint8 [n, 2]   written
    """
    y[:, 0], y[:, 1] = a, b


def _b_first(n: int, a: Array, b: Array, y: Array) -> None:
    y[:, 0], y[:, 1] = b, a


def _one_behind_the_other(n: int, a: Array, b: Array, y: Array) -> None:
    y[...] = np.stack([a.reshape(-1, 16), b.reshape(-1, 16)], axis=1).reshape(n, 2)


def _pairs(n: int, a: Array, b: Array, y: Array) -> None:
    y[...] = np.stack([a.view("<u2"), b.view("<u2")], axis=1).view(np.uint8).reshape(n, 2)


def _split_rgb(n: int, x: Array, y: Array) -> None:
    """Take pixels apart into one plane for each colour.

    y[j, i] <- x[i, j]

    n   size           pixels, a multiple of 16, >= 16
    x   uint8 [n, 3]   red, green, blue; red, green, blue; ...
    y   uint8 [3, n]   written: all reds, then all greens, then all blues
    """
    y[...] = x.T


def _colors_turned(n: int, x: Array, y: Array) -> None:
    y[...] = x.T[::-1]


def _not_split(n: int, x: Array, y: Array) -> None:
    y[...] = x.reshape(n // 16, 3, 16).transpose(1, 0, 2).reshape(3, n)


def _one_plane(n: int, x: Array, y: Array) -> None:
    y[...] = x.T[:1]


def _sliding_window(n: int, x: Array, y: Array) -> None:
    """Smooth a row of bytes with a window of three.

    y[i] <- x[i] + 2 * x[i + 1] + x[i + 2]     (what lies behind the end counts as 0)

    n   size         a multiple of 8, >= 8
    x   uint8 [n]
    y   uint16 [n]   written
    """
    padded = np.concatenate([x, [0, 0]]).astype(np.uint16)
    y[...] = padded[:-2] + 2 * padded[1:-1] + padded[2:]


def _turned_in_itself(n: int, x: Array, y: Array) -> None:
    blocks = x.reshape(-1, 8).astype(np.uint16)
    y[...] = (blocks + 2 * np.roll(blocks, -1, axis=1) + np.roll(blocks, -2, axis=1)).reshape(-1)


def _zeros_between(n: int, x: Array, y: Array) -> None:
    blocks = np.pad(x.reshape(-1, 8).astype(np.uint16), ((0, 0), (0, 2)))
    y[...] = (blocks[:, :-2] + 2 * blocks[:, 1:-1] + blocks[:, 2:]).reshape(-1)


def _middle_once(n: int, x: Array, y: Array) -> None:
    padded = np.concatenate([x, [0, 0]]).astype(np.uint16)
    y[...] = padded[:-2] + padded[1:-1] + padded[2:]


def _window_in_bytes(n: int, x: Array, y: Array) -> None:
    padded = np.concatenate([x, np.zeros(2, np.uint8)])
    y[...] = padded[:-2] + np.uint8(2) * padded[1:-1] + padded[2:]


_VTRN_16 = "".join(f"        vtrn.16     {pair}\n" for pair in ("d0, d2", "d1, d3", "d4, d6", "d5, d7"))
_VTRN_32 = "".join(f"        vtrn.32     {pair}\n" for pair in ("d0, d4", "d1, d5", "d2, d6", "d3, d7"))

TASKS = (
    define(
        "transpose-4x4", "rows to columns in registers",
        prototype="void transpose_4x4(const int32_t x[4][4], int32_t y[4][4])",
        definition=_transpose_4x4,
        story="""
TRN1 and TRN2 transpose blocks of 2 by 2: of two registers TRN1 takes the even lanes, TRN2 the odd ones, alternately.
Done with single words, and then once more with pairs of words, they transpose four by four. No loop, no scratch
memory.""",
        limits=Limits(instructions=1.5, per_element="x", neon=0.5),
        start=BOTH,
        hints=(
            "Four registers, one per row: ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [x0].",
            "TRN1 v4.4s, v0.4s, v1.4s and TRN2 v5.4s of the same; v6, v7 from v2 and v3 (AArch32: vtrn.32 q0, q1).",
            "Now the same with .2d: TRN1 v0.2d, v4.2d, v6.2d is column 0 (AArch32: vswp d1, d4).",
        ),
        mistakes=(
            (_copied, "y is x as it was: nothing has been transposed."),
            (_blocks_of_two,
             "The blocks of 2 by 2 are transposed in themselves, but they still stand where they stood: the step "
             "with .2d is missing."),
            (_blocks_moved,
             "The blocks of 2 by 2 have moved, but are not transposed in themselves: the step with .4s is missing."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("trn1    v0.2d, v4.2d, v6.2d\n        trn1    v1.2d, v5.2d, v7.2d\n"
                     "        trn2    v2.2d, v4.2d, v6.2d\n        trn2    v3.2d, v5.2d, v7.2d",
                     "mov v0.16b, v4.16b\n mov v1.16b, v5.16b\n mov v2.16b, v6.16b\n mov v3.16b, v7.16b",
                     "step with .2d is missing"),
                    ("trn2    v5.4s", "trn1    v5.4s", "should be"),
                    ("st1     {v0.4s",
                     "ld1     {v4.4s, v5.4s, v6.4s, v7.4s}, [x0]\n st1     {v4.4s, v5.4s, v6.4s, v7.4s}, [x1]\n"
                     " ret\n st1     {v0.4s",
                     "nothing has been transposed"),
                    ("        st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]\n", "", "no step wrote it"),
                    ("trn1    v4.4s, v0.4s, v1.4s\n        trn2    v5.4s, v0.4s, v1.4s\n"
                     "        trn1    v6.4s, v2.4s, v3.4s\n        trn2    v7.4s, v2.4s, v3.4s",
                     "mov v4.16b, v0.16b\n mov v5.16b, v1.16b\n mov v6.16b, v2.16b\n mov v7.16b, v3.16b",
                     "step with .4s is missing"),
                ),
            },
            alternatives={
                "aarch64": (
                    """
transpose_4x4:
        ld4     {v0.4s, v1.4s, v2.4s, v3.4s}, [x0]
        st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]
        ret
""",
                ),
            },
            cheats={
                "aarch64": (
                    ("""
transpose_4x4:
        ldp     w2, w3, [x0, #0]
        str     w2, [x1, #0]
        str     w3, [x1, #16]
        ldp     w4, w5, [x0, #8]
        str     w4, [x1, #32]
        str     w5, [x1, #48]
        ldp     w6, w7, [x0, #16]
        str     w6, [x1, #4]
        str     w7, [x1, #20]
        ldp     w8, w9, [x0, #24]
        str     w8, [x1, #36]
        str     w9, [x1, #52]
        ldp     w2, w3, [x0, #32]
        str     w2, [x1, #8]
        str     w3, [x1, #24]
        ldp     w4, w5, [x0, #40]
        str     w4, [x1, #40]
        str     w5, [x1, #56]
        ldp     w6, w7, [x0, #48]
        str     w6, [x1, #12]
        str     w7, [x1, #28]
        ldp     w8, w9, [x0, #56]
        str     w8, [x1, #44]
        str     w9, [x1, #60]
        ret
""", "too little NEON"),
                ),
            },
        ),
    ),
    define(
        "transpose-8x8", "three levels of TRN",
        prototype="void transpose_8x8(const uint8_t x[8][8], uint8_t y[8][8])",
        definition=_transpose_8x8,
        story="""
As transpose-4x4, with eight rows of eight bytes: bytes, then pairs of bytes, then groups of four. 24 instructions
between the loads and the stores.""",
        limits=Limits(instructions=1, per_element="x", neon=0.5),
        start=BOTH,
        hints=(
            "Eight registers of eight bytes: two LD1 with four registers {v0.8b, v1.8b, v2.8b, v3.8b}.",
            "TRN1 and TRN2 of .8b for rows (0, 1), (2, 3), (4, 5), (6, 7); of .4h for results (0, 2), (1, 3), ...; "
            "of .2s last (AArch32: vtrn.8, vtrn.16, vtrn.32, each of two d registers, in place).",
            "After the level of .4h, lanes of .2s of rows 0..3 meet those of rows 4..7.",
        ),
        mistakes=(
            (_copied, "y is x as it was: nothing has been transposed."),
            (_blocks_of_two, "Only the blocks of 2 by 2 are transposed (.8b): the levels .4h and .2s are missing."),
            (_blocks_of_four,
             "The blocks of 4 by 4 are transposed, but they stand where they stood: the level .2s is missing."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("st1     {v16.8b, v17.8b, v18.8b, v19.8b}, [x1], #32\n"
                     "        st1     {v20.8b, v21.8b, v22.8b, v23.8b}",
                     "st1     {v0.8b, v1.8b, v2.8b, v3.8b}, [x1], #32\n        st1     {v4.8b, v5.8b, v6.8b, v7.8b}",
                     "The blocks of 4 by 4 are transposed"),
                    ("trn1    v16.2s", "trn2    v16.2s", "should be"),
                    ("        st1     {v20.8b, v21.8b, v22.8b, v23.8b}, [x1]\n", "", "no step wrote it"),
                    ("[x0], #32", "[x0]", "should be"),
                    ("[x1], #32", "[x1]", "should be"),
                ),
                "aarch32": (
                    (_VTRN_32, "", "The blocks of 4 by 4 are transposed"),
                    (_VTRN_16 + _VTRN_32, "", "Only the blocks of 2 by 2"),
                    ("vst1.8      {d4-d7}, [r1]", "nop", "no step wrote it"),
                    ("vtrn.8      d6, d7", "vtrn.8      d6, d8", "d8"),
                ),
            },
        ),
    ),
    define(
        "interleave", "ZIP, or a store that does it",
        prototype="void interleave(size_t n, const uint8_t a[n], const uint8_t b[n], uint8_t y[n][2])",
        definition=_interleave,
        story="""
Stereo sound, complex numbers, UV planes: two vectors become one, element by element. ZIP1 takes the lower halves of
two registers, ZIP2 the upper ones; ST2 interleaves while it stores. Do it one way, look at the score, do it the
other way.""",
        sizes={"n": range(16, 2049, 16)}, timed={"n": 256},
        limits=Limits(instructions=1, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "ZIP1 v2.16b, v0.16b, v1.16b: a0 b0 a1 b1 ... a7 b7. ZIP2: a8 b8 ...",
            "ST2 {v0.16b, v1.16b}, [x3], #32 (AArch32: vst2.8 {d0, d1} for eight of each; q registers: vst2.8 "
            "{d0-d3} with a in d0, d1).",
        ),
        mistakes=(
            (_b_first, "a and b are exchanged: the elements of a come first."),
            (_one_behind_the_other, "Sixteen bytes of a, then sixteen of b: nothing is interleaved."),
            (_pairs, "Pairs of bytes are interleaved: the arrangement must be that of single bytes."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("ldr     q0, [x1], #16\n        ldr     q1, [x2], #16",
                     "ldr     q1, [x1], #16\n        ldr     q0, [x2], #16",
                     "a and b are exchanged"),
                    ("st2     {v0.16b, v1.16b}", "st1     {v0.16b, v1.16b}", "nothing is interleaved"),
                    ("st2     {v0.16b, v1.16b}", "st2     {v0.8h, v1.8h}", "Pairs of bytes are interleaved"),
                    ("subs    x0, x0, #16", "subs    x0, x0, #32", "past its end"),
                    ("[x3], #32", "[x3]", "y[0, 0] should be"),
                ),
            },
            alternatives={
                "aarch64": (
                    """
interleave:
        ldr     q0, [x1], #16
        ldr     q1, [x2], #16
        zip1    v2.16b, v0.16b, v1.16b
        zip2    v3.16b, v0.16b, v1.16b
        stp     q2, q3, [x3], #32
        subs    x0, x0, #16
        b.ne    interleave
        ret
""",
                ),
            },
        ),
    ),
    define(
        "split-rgb", "LD3",
        prototype="void split_rgb(size_t n, const uint8_t x[n][3], uint8_t y[3][n])",
        definition=_split_rgb,
        story="""
Three colours, three planes. LD3 loads 48 bytes, every third of them into one register. The planes lie one behind the
other in y, so there are three pointers to store to.""",
        sizes={"n": range(16, 2049, 16)}, timed={"n": 256},
        limits=Limits(instructions=1, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "The planes begin at y, y + n and y + 2 n.",
            "LD3 {v0.16b, v1.16b, v2.16b}, [x1], #48; then three stores with [..], #16 (AArch32: vld3.8 {d0, d2, "
            "d4} and {d1, d3, d5}, [r1]!; then q0, q1, q2 are the colours).",
        ),
        mistakes=(
            (_colors_turned, "The planes are in the order blue, green, red."),
            (_not_split, "The bytes are in the planes as they lay in the pixels: LD1 does not take apart, LD3 does."),
            (_one_plane, "All planes hold the reds."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("ld3     {v0.16b", "ld1     {v0.16b", "LD1 does not take apart"),
                    ("str     q0, [x2], #16\n        str     q1, [x3], #16\n        str     q2",
                     "str     q2, [x2], #16\n        str     q1, [x3], #16\n        str     q0",
                     "blue, green, red"),
                    ("str     q1, [x3], #16\n        str     q2",
                     "str     q0, [x3], #16\n        str     q0",
                     "hold the reds"),
                    ("add     x4, x3, x0", "add     x4, x2, x0", "y[1, 0] should be"),
                    ("[x1], #48", "[x1]", "y[0, 16] should be"),
                ),
                "aarch32": (
                    ("vld3.8      {d0, d2, d4}, [r1]!\n        vld3.8      {d1, d3, d5}, [r1]!",
                     "vld1.8      {q0}, [r1]!\n        vld1.8      {d2-d5}, [r1]!",
                     "LD1 does not take apart"),
                    ("add         r12, r3, r0", "add         r12, r2, r0", "y[1, 0] should be"),
                    ("vst1.8      {q0}, [r2]!\n        vst1.8      {q1}, [r3]!\n        vst1.8      {q2}",
                     "vst1.8      {q2}, [r2]!\n        vst1.8      {q1}, [r3]!\n        vst1.8      {q0}",
                     "blue, green, red"),
                ),
            },
        ),
    ),
    define(
        "sliding-window", "EXT joins neighbours",
        prototype="void sliding_window(size_t n, const uint8_t x[n], uint16_t y[n])",
        definition=_sliding_window,
        story="""
A filter needs x[i], x[i + 1] and x[i + 2] at once. Loading every byte three times is one way. EXT is the other: it
cuts eight (or sixteen) bytes out of two registers in a row, at any byte. Load each byte once, keep the next vector
at hand, and put zeros behind the last one. Reading behind the end of x is a fault.""",
        sizes={"n": range(8, 1025, 8)}, timed={"n": 256},
        limits=Limits(instructions=3, per_element="y", neon=0.3),
        start=BOTH,
        hints=(
            "EXT v2.8b, v0.8b, v1.8b, #1: bytes 1..7 of v0, then byte 0 of v1 (AArch32: vext.8 d2, d0, d1, #1).",
            "In the loop v0 holds these eight bytes and v1 the next eight; in the last iteration v1 is zero.",
            "UADDL v4.8h, v0.8b, v3.8b adds the outer ones in 16 bits; UADDW twice, or USHLL #1 and ADD, for the "
            "middle one.",
        ),
        mistakes=(
            (_turned_in_itself,
             "At the end of every eight the window runs into the beginning of the same eight: EXT needs the next "
             "vector as its second operand."),
            (_zeros_between,
             "At the end of every eight the window runs into zeros. Zeros come behind the whole row only."),
            (_middle_once, "The middle element counts once here, and should count twice."),
            (_window_in_bytes, "These sums have wrapped at 256: add in 16 bits (UADDL, UADDW)."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("ext     v2.8b, v0.8b, v1.8b, #1\n        ext     v3.8b, v0.8b, v1.8b",
                     "ext     v2.8b, v0.8b, v0.8b, #1\n        ext     v3.8b, v0.8b, v0.8b",
                     "beginning of the same eight"),
                    ("        uaddw   v4.8h, v4.8h, v2.8b\n        uaddw", "        uaddw", "counts once here"),
                    ("        b.eq    1f\n", "", "past its end"),
                    ("ext     v3.8b, v0.8b, v1.8b, #2", "ext     v3.8b, v0.8b, v1.8b, #3", "should be"),
                    ("        mov     v0.8b, v1.8b\n", "", "should be"),
                ),
                "aarch32": (
                    ("vext.8      d2, d0, d1, #1\n        vext.8      d3, d0, d1",
                     "vext.8      d2, d0, d0, #1\n        vext.8      d3, d0, d0",
                     "beginning of the same eight"),
                    ("        vaddw.u8    q8, q8, d2\n        vaddw", "        vaddw", "counts once here"),
                    ("        beq         1f\n", "", "past its end"),
                ),
            },
        ),
    ),
)
