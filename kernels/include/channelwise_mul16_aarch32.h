// Depthwise products on AArch32: taps widened to 16 bits first, products added to 32-bit sums (VMOVL, VMLAL).

// Eight channels of two taps.
.macro two_taps pa, pb, last
    input_8     d0, \pa, \last
    input_8     d2, \pb, \last
    vld1.8      {d4-d5}, [r3]!                  // weights of both taps
    vmovl.s8    q0, d0
    vmovl.s8    q1, d2
    vmovl.s8    q3, d5
    vmovl.s8    q2, d4
    vmlal.s16   q8, d0, d4
    vmlal.s16   q9, d1, d5
    vmlal.s16   q8, d2, d6
    vmlal.s16   q9, d3, d7
.endm

// Of the one that is left over.
.macro last_tap pa, last
    input_8     d0, \pa, \last
    vld1.8      {d4}, [r3]!
    vmovl.s8    q0, d0
    vmovl.s8    q2, d4
    vmlal.s16   q8, d0, d4
    vmlal.s16   q9, d1, d5
.endm
