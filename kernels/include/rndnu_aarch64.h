// Requantisation "rndnu" (R08, X29) on AArch64: one exact rounding, ties up.
//
// The kernel names six registers that hold the parameters in every lane, by .req:
//   multiplier preshift postshift (.4s)   zeropoint (.8h)   upper lower (.16b)
// load_rndnu fills them from the first 16 bytes of neonsim_rndnu_gemm_params and leaves the pointer behind them.

.macro load_rndnu params
    ld1r        {multiplier.4s}, [\params], #4
    ld1r        {preshift.4s}, [\params], #4    // to the left: what the right shift is too far
    ld1r        {postshift.4s}, [\params], #4   // minus the shift to the right, which is 1 at least
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params], #1
.endm

// Four sums: shift left, saturating; times multiplier / 2**31, rounded down, no bit is decided yet; shift right, rounded.
.macro scale_rndnu x
    sqshl       \x\().4s, \x\().4s, preshift.4s
    sqdmulh     \x\().4s, \x\().4s, multiplier.4s
    srshl       \x\().4s, \x\().4s, postshift.4s
.endm

// Sixteen, in four registers: three times four instructions that do not wait for one another.
.macro scale_row_rndnu a, b, c, d
    sqshl       \a\().4s, \a\().4s, preshift.4s
    sqshl       \b\().4s, \b\().4s, preshift.4s
    sqshl       \c\().4s, \c\().4s, preshift.4s
    sqshl       \d\().4s, \d\().4s, preshift.4s
    sqdmulh     \a\().4s, \a\().4s, multiplier.4s
    sqdmulh     \b\().4s, \b\().4s, multiplier.4s
    sqdmulh     \c\().4s, \c\().4s, multiplier.4s
    sqdmulh     \d\().4s, \d\().4s, multiplier.4s
    srshl       \a\().4s, \a\().4s, postshift.4s
    srshl       \b\().4s, \b\().4s, postshift.4s
    srshl       \c\().4s, \c\().4s, postshift.4s
    srshl       \d\().4s, \d\().4s, postshift.4s
.endm

// Eight, in two registers.
.macro scale_half_row_rndnu a, b
    scale_rndnu \a
    scale_rndnu \b
.endm
