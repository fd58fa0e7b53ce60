// Depthwise products on AArch32: two taps add up in 16 bits before they join 32-bit sums (VMULL, VMLAL, VADDW; D12).

// Eight channels of two taps.
.macro two_taps pa, pb, last
    input_8     d0, \pa, \last
    input_8     d1, \pb, \last
    vld1.8      {d2-d3}, [r3]!                  // weights of both taps
    vmull.s8    q2, d0, d2
    vmlal.s8    q2, d1, d3                      // fits as long as no weight is -128
    vaddw.s16   q8, q8, d4
    vaddw.s16   q9, q9, d5
.endm

// Of the one that is left over.
.macro last_tap pa, last
    input_8     d0, \pa, \last
    vld1.8      {d2}, [r3]!
    vmull.s8    q2, d0, d2
    vaddw.s16   q8, q8, d4
    vaddw.s16   q9, q9, d5
.endm
