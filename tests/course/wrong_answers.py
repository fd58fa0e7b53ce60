"""Wrong answers to every exercise: (what of the solution, what instead, words that the message must hold).

Most are mistakes that people make; each must be met by the message intended.
"""

from __future__ import annotations

VTRN_16 = "".join(f"        vtrn.16     {pair}\n" for pair in ("d0, d2", "d1, d3", "d4, d6", "d5, d7"))
VTRN_32 = "".join(f"        vtrn.32     {pair}\n" for pair in ("d0, d4", "d1, d5", "d2, d6", "d3, d7"))

WRONG: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("add-two-vectors", "aarch64"): [
        ("add     v0.16b, v0.16b, v1.16b", "uqadd   v0.16b, v0.16b, v1.16b", "ADD, not UQADD"),
        ("add     v0.16b, v0.16b, v1.16b", "add     v0.8h, v0.8h, v1.8h", "Carries run from one byte into the next"),
        ("add     v0.16b, v0.16b, v1.16b", "add     v0.8b, v0.8b, v1.8b", ".8b works on the lower half"),
        ("add     v0.16b, v0.16b, v1.16b", "sub     v0.16b, v0.16b, v1.16b", "This is a[i] - b[i]"),
        ("        str     q0, [x2]\n", "", "no step wrote it"),
    ],
    ("add-two-vectors", "aarch32"): [
        ("vadd.i8     q0, q0, q1", "vadd.i16    q0, q0, q1", "Carries run"),
        ("vadd.i8     q0, q0, q1", "vadd.i8     d0, d0, d2", "y[8] should be"),
        ("vld1.8      {q0}, [r0]", "vld1.8      {q0}, [r3]", "r3"),
    ],
    ("saturating-add", "aarch64"): [
        ("uqadd   v0.16b", "add     v0.16b", "These sums wrap around at 256"),
        ("uqadd   v0.16b", "sqadd   v0.16b", "this is SQADD"),
        ("#16\n        b.ne", "#8\n        b.ne", "past its end"),
        ("b.ne    0b", "nop", "y[16] should be"),
        ("subs    x0, x0, #16", "cmp     x0, #0", "past its end"),
        ("uqadd   v0.16b, v0.16b, v1.16b", "uqadd   v0.16b, v0.16b, v9.8b", "^"),
    ],
    ("subtract-zero-point", "aarch64"): [
        ("usubl   v0.8h, v0.8b, v1.8b", "sub     v0.8b, v0.8b, v1.8b\n uxtl v0.8h, v0.8b", "made in eight bits"),
        ("usubl   v0.8h, v0.8b, v1.8b", "uqsub   v0.8b, v0.8b, v1.8b\n uxtl v0.8h, v0.8b", "Negative differences have"),
        ("usubl   v0.8h, v0.8b, v1.8b", "usubl   v0.8h, v1.8b, v0.8b", "the other way round"),
        ("ldr     d0, [x1], #8", "ldr     q0, [x1], #8", "past its end"),
    ],
    ("widen-and-accumulate", "aarch64"): [
        ("uaddw   v0.8h, v0.8h, v1.8b", "saddw   v0.8h, v0.8h, v1.8b", "this is SADDW"),
        ("uaddw   v0.8h, v0.8h, v1.8b", "add     v0.8b, v0.8b, v1.8b", "y"),
        ("        movi    v0.8h, #0\n", "", "v0"),
        ("        movi    v0.8h, #0\n", "        movi    v0.8h, #0\n        add x1, x1, #8\n        subs x0, x0, #1\n"
         "        b.eq 1f\n", "^"),
    ],
    ("horizontal-sum", "aarch64"): [
        ("uaddlp  v1.8h, v1.16b\n        uadalp", "saddlp  v1.8h, v1.16b\n        sadalp", "Bytes from 128 on were "
                                                                                           "taken as negative"),
        ("addv    s0, v0.4s", "nop", "y[0] should be"),
        ("        uaddlp  v1.8h, v1.16b\n        uadalp  v0.4s, v1.8h\n", "        uadalp  v0.8h, v1.16b\n", "y[0] "
                                                                                                             "should "
                                                                                                             "be"),
    ],
    ("dot-product", "aarch64"): [
        ("        smlal2  v0.4s, v1.8h, v2.8h\n", "", "SMLAL2 does the upper half"),
        ("        smlal   v0.4s, v1.4h, v2.4h\n", "", "Only lanes 4..7"),
        ("smlal   v0.4s, v1.4h, v2.4h\n        smlal2", "umlal   v0.4s, v1.4h, v2.4h\n        umlal2", "this is UMLAL"),
        ("        addv    s0, v0.4s\n", "", "lane 0 alone"),
        ("smlal2  v0.4s, v1.8h, v2.8h", "smlal2  v0.4s, v1.8h, v2.4h", "^"),
    ],
    ("dot-product", "aarch32"): [
        ("        vmlal.s16   q0, d3, d5\n", "", "SMLAL2 does the upper half"),
        ("vpadd.i32   d0, d0, d0", "nop", "y[0] should be"),
        ("vmlal.s16   q0, d3, d5", "vmlal.s16   q0, d3, d4", "y[0] should be"),
    ],
    ("interleave", "aarch64"): [
        ("ldr     q0, [x1], #16\n        ldr     q1, [x2], #16", "ldr     q1, [x1], #16\n        ldr     q0, [x2], #16",
         "a and b are exchanged"),
        ("st2     {v0.16b, v1.16b}", "st1     {v0.16b, v1.16b}", "nothing is interleaved"),
        ("st2     {v0.16b, v1.16b}", "st2     {v0.8h, v1.8h}", "Pairs of bytes are interleaved"),
    ],
    ("split-rgb", "aarch64"): [
        ("ld3     {v0.16b", "ld1     {v0.16b", "LD1 does not take apart"),
        ("str     q0, [x2], #16\n        str     q1, [x3], #16\n        str     q2",
         "str     q2, [x2], #16\n        str     q1, [x3], #16\n        str     q0", "blue, green, red"),
        ("str     q1, [x3], #16\n        str     q2", "str     q0, [x3], #16\n        str     q0", "hold the reds"),
        ("add     x4, x3, x0", "add     x4, x2, x0", "y[1, 0] should be"),
    ],
    ("grey", "aarch64"): [
        ("rshrn   v7", "shrn    v7", "SHRN cuts off"),
        ("movi    v4.8b, #77\n        movi    v5.8b, #150\n        movi    v6.8b, #29",
         "movi    v4.8b, #29\n        movi    v5.8b, #150\n        movi    v6.8b, #77", "Red and blue are exchanged"),
        ("umull   v7.8h, v0.8b, v4.8b\n        umlal   v7.8h, v1.8b, v5.8b\n        umlal   v7.8h, v2.8b, v6.8b",
         "umull   v7.8h, v1.8b, v4.8b\n        umlal   v7.8h, v2.8b, v5.8b\n        umlal   v7.8h, v3.8b, v6.8b",
         "The fourth byte of the pixels counts"),
        ("umlal   v7.8h, v2", "umull   v7.8h, v2", "y[0] should be"),
    ],
    ("transpose-4x4", "aarch64"): [
        ("trn1    v0.2d, v4.2d, v6.2d\n        trn1    v1.2d, v5.2d, v7.2d\n        trn2    v2.2d, v4.2d, v6.2d\n"
         "        trn2    v3.2d, v5.2d, v7.2d",
         "mov v0.16b, v4.16b\n mov v1.16b, v5.16b\n mov v2.16b, v6.16b\n mov v3.16b, v7.16b", "step with .2d is "
                                                                                              "missing"),
        ("trn2    v5.4s", "trn1    v5.4s", "should be"),
        ("st1     {v0.4s", "ld1     {v4.4s, v5.4s, v6.4s, v7.4s}, [x0]\n st1     {v4.4s, v5.4s, v6.4s, v7.4s}, "
                           "[x1]\n ret\n"
         " st1     {v0.4s", "nothing has been transposed"),
    ],
    ("transpose-8x8", "aarch64"): [
        ("st1     {v16.8b, v17.8b, v18.8b, v19.8b}, [x1], #32\n        st1     {v20.8b, v21.8b, v22.8b, v23.8b}",
         "st1     {v0.8b, v1.8b, v2.8b, v3.8b}, [x1], #32\n        st1     {v4.8b, v5.8b, v6.8b, v7.8b}",
         "The blocks of 4 by 4 are transposed"),
        ("trn1    v16.2s", "trn2    v16.2s", "should be"),
        ("        st1     {v20.8b, v21.8b, v22.8b, v23.8b}, [x1]\n", "", "no step wrote it"),
    ],
    ("sliding-window", "aarch64"): [
        ("ext     v2.8b, v0.8b, v1.8b, #1\n        ext     v3.8b, v0.8b, v1.8b",
         "ext     v2.8b, v0.8b, v0.8b, #1\n        ext     v3.8b, v0.8b, v0.8b", "beginning of the same eight"),
        ("        uaddw   v4.8h, v4.8h, v2.8b\n        uaddw", "        uaddw", "counts once here"),
        ("        b.eq    1f\n", "", "past its end"),
        ("ext     v3.8b, v0.8b, v1.8b, #2", "ext     v3.8b, v0.8b, v1.8b, #3", "should be"),
    ],
    ("max-with-index", "aarch64"): [
        ("cmgt    v6.8h", "cmge    v6.8h", "should be"),
        ("cmgt    v6.8h", "cmhi    v6.8h", "should be"),
        ("        add     v3.8h, v3.8h, v2.8h\n", "", "number of the lane"),
        ("uminv   h20", "umaxv   h20", "index[0] should be"),
    ],
    ("clamp", "aarch64"): [
        ("umin        \\v\\().16b, \\v\\().16b, v4.16b", "nop", "should be"),
        ("b.lo        5f", "nop", "outside"),
        ("subs        x0, x0, #8\n    b.pl", "subs        x0, x0, #16\n    b.pl", "before buffer"),
    ],
    ("row-sums", "aarch64"): [
        ("mul         v0.4s, v0.4s, v20.4s", "nop", "should be -1, is 1"),
        ("csel        x6, x0, x6, lo ", "nop //", "outside"),
        ("    ushl        d0, d0, d20\n", "", "d0"),
    ],
    ("requantise-q31", "aarch64"): [
        ("    ssra        v0.4s, v4.4s, #31 ", "    nop //", "should be"),
        ("srshl", "sshl ", "The shift cuts off"),
        ("umax        v0.16b, v0.16b, lower.16b", "nop", "should be"),
        ("    bic         v4.16b, v0.16b, unshifted.16b   // the same, zero where nothing is shifted\n"
         "    bic         v5.16b, v1.16b, unshifted.16b\n    bic         v6.16b, v2.16b, unshifted.16b\n"
         "    bic         v7.16b, v3.16b, unshifted.16b\n    ssra        v0.4s, v4.4s, #31               // minus 1 "
         "where "
         "negative: ties away from zero\n    ssra        v1.4s, v5.4s, #31\n    ssra        v2.4s, v6.4s, #31\n"
         "    ssra        v3.4s, v7.4s, #31\n", "", "Negative ties went up"),
    ],
    ("depthwise-3-taps", "aarch64"): [
        ("dup     v16.8b, w3", "movi    v16.8b, #0", "The zero point is missing"),
        ("smlal   v6.4s, v2.4h, v5.4h\n        smlal2  v7.4s, v2.8h, v5.8h",
         "smull   v6.4s, v2.4h, v5.4h\n        smull2  v7.4s, v2.8h, v5.8h", "Only the last tap"),
        ("        smlal   v6.4s, v2.4h, v5.4h\n        smlal2  v7.4s, v2.8h, v5.8h\n", "", "The third tap is missing"),
        ("stp     q6, q7", "stp     q6, q6", "channels 0..3"),
    ],
    ("gemm-1x8", "aarch64"): [
        ("usubl       v7.8h, v7.8b, v20.8b", "uxtl        v7.8h, v7.8b", "The zero point of the weights"),
        ("    ldr         d6, [x3, x2] ", "    movi v6.8b, #0 //", "should be"),
        ("smlal2      v17.4s, v7.8h, v6.h[\\lane]", "smlal2      v16.4s, v7.8h, v6.h[\\lane]", "should be"),
    ],
    ("gemm-4x8-tail", "aarch32"): [
        ("    beq         2f                              // none left\n", "", "past its end"),
        ("    vshl.u64    d2, d2, d15\n", "", "nobody has written"),
        ("    cmp         r2, #-8                         // r2: depths left - 8\n    beq         2f ",
         "    b 2f //", "The depths beyond the last multiple of eight"),
    ],
    ("break-the-chain", "aarch64"): [
        ("        add     v0.4s, v0.4s, v2.4s\n", "", "y[0] should be"),
        ("add     v1.4s, v1.4s, v5.4s\n        add     v2.4s, v2.4s, v6.4s\n        add     v3.4s, v3.4s, v7.4s",
         "add     v0.4s, v0.4s, v5.4s\n        add     v0.4s, v0.4s, v6.4s\n        add     v0.4s, v0.4s, v7.4s",
         "but not fast enough"),
        ("        add     v0.4s, v0.4s, v1.4s\n        add     v2.4s, v2.4s, v3.4s\n        add     v0.4s, v0.4s, "
         "v2.4s\n",
         "", "Three of four vectors are missing"),
    ],
    ("schedule-for-a53", "aarch64"): [
        ("        add     v0.4s, v0.4s, v1.4s\n", "", "is the second sum added"),
        ("        smlal   v0.4s, v16.4h, v17.4h\n        smlal2  v1.4s, v16.8h, v17.8h\n", "",
         "The last eight products of every 32"),
        ("ldr     q3, [x2]\n        ldr     q4", "ldr     q3, [x1]\n        ldr     q4", "y[0] should be"),
    ],
    ("beat-dual-issue", "aarch64"): [
        ("udot", "sdot", "this is SDOT"),
        ("\\upper\\().16b", "\\lower\\().16b", "Columns 4..7 got the sums"),
        ("        four_depths 1, v6, v7\n        four_depths 2, v24, v25\n        four_depths 3, v26, v27\n", "",
         "Only the first four of every sixteen"),
        ("stp     q22, q23, [x3, #96]", "stp     q22, q23, [x3, #112]", "outside"),
    ],
    ("transpose-8x8", "aarch32"): [
        (VTRN_32, "", "The blocks of 4 by 4 are transposed"),
        (VTRN_16 + VTRN_32, "", "Only the blocks of 2 by 2"),
        ("vst1.8      {d4-d7}, [r1]", "nop", "no step wrote it"),
        ("vtrn.8      d6, d7", "vtrn.8      d6, d8", "d8"),
    ],
    ("split-rgb", "aarch32"): [
        ("vld3.8      {d0, d2, d4}, [r1]!\n        vld3.8      {d1, d3, d5}, [r1]!",
         "vld1.8      {q0}, [r1]!\n        vld1.8      {d2-d5}, [r1]!", "LD1 does not take apart"),
        ("add         r12, r3, r0", "add         r12, r2, r0", "y[1, 0] should be"),
        ("vst1.8      {q0}, [r2]!\n        vst1.8      {q1}, [r3]!\n        vst1.8      {q2}",
         "vst1.8      {q2}, [r2]!\n        vst1.8      {q1}, [r3]!\n        vst1.8      {q0}", "blue, green, red"),
    ],
    ("sliding-window", "aarch32"): [
        ("vext.8      d2, d0, d1, #1\n        vext.8      d3, d0, d1",
         "vext.8      d2, d0, d0, #1\n        vext.8      d3, d0, d0", "beginning of the same eight"),
        ("        vaddw.u8    q8, q8, d2\n        vaddw", "        vaddw", "counts once here"),
        ("        beq         1f\n", "", "past its end"),
    ],
    ("max-with-index", "aarch32"): [
        ("vcgt.s16    q12, q11", "vcgt.u16    q12, q11", "should be"),
        ("vcgt.s16    q12, q11", "vcge.s16    q12, q11", "should be"),
        ("        vadd.i16    q3, q3, q10\n", "", "number of the lane"),
    ],
    ("grey", "aarch32"): [
        ("vrshrn.i16", "vshrn.i16 ", "SHRN cuts off"),
        ("d20, #77\n        vmov.i8     d21, #150\n        vmov.i8     d22, #29",
         "d20, #29\n        vmov.i8     d21, #150\n        vmov.i8     d22, #77", "Red and blue are exchanged"),
        ("vmull.u8    q8, d0, d20\n        vmlal.u8    q8, d1, d21\n        vmlal.u8    q8, d2, d22",
         "vmull.u8    q8, d1, d20\n        vmlal.u8    q8, d2, d21\n        vmlal.u8    q8, d3, d22",
         "The fourth byte of the pixels counts"),
    ],
    ("depthwise-3-taps", "aarch32"): [
        ("vdup.8      d31, r3", "vmov.i8     d31, #0", "The zero point is missing"),
        ("vmlal.s16   q2, d26, d20\n        vmlal.s16   q3, d27, d21",
         "vmull.s16   q2, d26, d20\n        vmull.s16   q3, d27, d21", "Only the last tap"),
        ("ldr         r12, [sp, #16]", "ldr         r12, [sp]", "r12"),
        ("        pop         {r4-r7}\n", "", "sp"),
    ],
    ("break-the-chain", "aarch32"): [
        ("        vadd.i32    q0, q0, q2\n", "", "y[0] should be"),
        ("vadd.i32    q1, q1, q9\n        vadd.i32    q2, q2, q10\n        vadd.i32    q3, q3, q11",
         "vadd.i32    q0, q0, q9\n        vadd.i32    q0, q0, q10\n        vadd.i32    q0, q0, q11",
         "but not fast enough"),
        ("        vadd.i32    q0, q0, q1\n        vadd.i32    q2, q2, q3\n        vadd.i32    q0, q0, q2\n", "",
         "Three of four vectors are missing"),
    ],
}
