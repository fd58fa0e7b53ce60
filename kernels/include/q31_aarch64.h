// Requantisation "q31" (R04) on AArch64: macros for the end of a kernel.
//
// A kernel names six registers that hold the parameters in every lane, by .req:
//   multiplier leftshift unshifted (.4s)   zeropoint (.8h)   upper lower (.16b)
// load_q31 fills them from the 16 bytes of neonsim_q31_params; the pointer is left behind output_max.

.macro load_q31 params
    ld1r        {multiplier.4s}, [\params], #4
    ld1r        {leftshift.4s}, [\params], #4
    cmeq        unshifted.4s, leftshift.4s, #0  // all ones where nothing is shifted
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params]
.endm

// Four sums: high half of twice the product with the multiplier, rounded; then a rounding shift right.
// SRSHL rounds ties up; one less for negative numbers makes them go away from zero, unless nothing is shifted.
.macro scale_q31 x, t
    sqrdmulh    \x\().4s, \x\().4s, multiplier.4s
    bic         \t\().16b, \x\().16b, unshifted.16b
    ssra        \x\().4s, \t\().4s, #31         // minus 1 where negative
    srshl       \x\().4s, \x\().4s, leftshift.4s
.endm

// Eight scaled sums in lo and hi to eight bytes in lo: saturate, add the zero point, saturate, clamp.
.macro narrow_q31 lo, hi
    sqxtn       \lo\().4h, \lo\().4s
    sqxtn2      \lo\().8h, \hi\().4s
    sqadd       \lo\().8h, \lo\().8h, zeropoint.8h
    sqxtun      \lo\().8b, \lo\().8h
    umin        \lo\().8b, \lo\().8b, upper.8b
    umax        \lo\().8b, \lo\().8b, lower.8b
.endm

// Both, for one row of eight sums.
.macro requantise_q31 lo, hi, t0, t1
    scale_q31   \lo, \t0
    scale_q31   \hi, \t1
    narrow_q31  \lo, \hi
.endm
