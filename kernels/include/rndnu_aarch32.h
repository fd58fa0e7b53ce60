// Requantisation "rndnu" (R08, X29) on AArch32: one exact rounding, ties up; for the sums in q8..q15.
//
// The kernel names six q registers that hold the parameters in every lane, by .req:
//   multiplier preshift postshift zeropoint upper lower        They must be q0..q5 in this order (VLD1 wants d registers).

.macro load_rndnu params
    vld1.32     {d0[], d1[]}, [\params]!       // multiplier
    vld1.32     {d2[], d3[]}, [\params]!       // to the left: what the right shift is too far
    vld1.32     {d4[], d5[]}, [\params]!       // minus the shift to the right, which is 1 at least
    vld1.16     {d6[], d7[]}, [\params]!       // zero point
    vld1.8      {d8[], d9[]}, [\params]!       // largest value allowed
    vld1.8      {d10[], d11[]}, [\params]      // smallest
.endm

// Shift left, saturating; times multiplier / 2**31, rounded down, no bit is decided yet; shift right, rounded.
.macro scale_rndnu
    vqshl.s32   q8, q8, preshift
    vqshl.s32   q9, q9, preshift
    vqshl.s32   q10, q10, preshift
    vqshl.s32   q11, q11, preshift
    vqshl.s32   q12, q12, preshift
    vqshl.s32   q13, q13, preshift
    vqshl.s32   q14, q14, preshift
    vqshl.s32   q15, q15, preshift
    vqdmulh.s32 q8, q8, multiplier
    vqdmulh.s32 q9, q9, multiplier
    vqdmulh.s32 q10, q10, multiplier
    vqdmulh.s32 q11, q11, multiplier
    vqdmulh.s32 q12, q12, multiplier
    vqdmulh.s32 q13, q13, multiplier
    vqdmulh.s32 q14, q14, multiplier
    vqdmulh.s32 q15, q15, multiplier
    vrshl.s32   q8, q8, postshift
    vrshl.s32   q9, q9, postshift
    vrshl.s32   q10, q10, postshift
    vrshl.s32   q11, q11, postshift
    vrshl.s32   q12, q12, postshift
    vrshl.s32   q13, q13, postshift
    vrshl.s32   q14, q14, postshift
    vrshl.s32   q15, q15, postshift
.endm
