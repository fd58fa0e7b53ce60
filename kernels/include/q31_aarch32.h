// Requantisation "q31" (R04) on AArch32: macros for the end of a kernel.
//
// A kernel names registers that hold the parameters in every lane, by .req:
//   multiplier leftshift unshifted zeropoint (q)   upper lower (d)
// load_q31 takes them from the 16 bytes of neonsim_q31_params and leaves the pointer behind output_max. VLD1 wants to
// know both halves of a q register, so they are passed too.

.macro load_q31 params, m0, m1, s0, s1, z0, z1
    vld1.32     {\m0[], \m1[]}, [\params]!
    vld1.32     {\s0[], \s1[]}, [\params]!
    vceq.i32    unshifted, leftshift, #0        // all ones where nothing is shifted
    vld1.16     {\z0[], \z1[]}, [\params]!
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Four sums: high half of twice the product with the multiplier, rounded; then a rounding shift right.
// VRSHL rounds ties up; one less for negative numbers makes them go away from zero, unless nothing is shifted.
.macro scale_q31 x, t
    vqrdmulh.s32 \x, \x, multiplier
    vbic        \t, \x, unshifted
    vsra.s32    \x, \t, #31                     // minus 1 where negative
    vrshl.s32   \x, \x, leftshift
.endm

// Eight scaled sums in lo and hi to eight bytes in lo0, the lower half of lo; lo1 is its upper half.
.macro narrow_q31 lo, hi, lo0, lo1
    vqmovn.s32  \lo0, \lo
    vqmovn.s32  \lo1, \hi
    vqadd.s16   \lo, \lo, zeropoint
    vqmovun.s16 \lo0, \lo
    vmin.u8     \lo0, \lo0, upper
    vmax.u8     \lo0, \lo0, lower
.endm

// Both, for one row of eight sums.
.macro requantize_q31 lo, hi, lo0, lo1, t0, t1
    scale_q31   \lo, \t0
    scale_q31   \hi, \t1
    narrow_q31  \lo, \hi, \lo0, \lo1
.endm

// The same for a tile, four rows of eight sums in q8..q15, to bytes in d16, d20, d24, d28: each step for all rows before
// the next one, so that no instruction waits for the one before it.
.macro away_from_zero x, y, t, u
    vbic        \t, \x, unshifted
    vbic        \u, \y, unshifted
    vsra.s32    \x, \t, #31                     // minus 1 where negative
    vsra.s32    \y, \u, #31
.endm
.macro requantize_four_rows_q31 t, u
    .irp        x, q8, q9, q10, q11, q12, q13, q14, q15
    vqrdmulh.s32 \x, \x, multiplier
    .endr
    away_from_zero q8, q9, \t, \u
    away_from_zero q10, q11, \t, \u
    away_from_zero q12, q13, \t, \u
    away_from_zero q14, q15, \t, \u
    .irp        x, q8, q9, q10, q11, q12, q13, q14, q15
    vrshl.s32   \x, \x, leftshift
    .endr
    vqmovn.s32  d16, q8
    vqmovn.s32  d20, q10
    vqmovn.s32  d24, q12
    vqmovn.s32  d28, q14
    vqmovn.s32  d17, q9
    vqmovn.s32  d21, q11
    vqmovn.s32  d25, q13
    vqmovn.s32  d29, q15
    .irp        x, q8, q10, q12, q14
    vqadd.s16   \x, \x, zeropoint
    .endr
    vqmovun.s16 d16, q8
    vqmovun.s16 d20, q10
    vqmovun.s16 d24, q12
    vqmovun.s16 d28, q14
    .irp        x, d16, d20, d24, d28
    vmin.u8     \x, \x, upper
    .endr
    .irp        x, d16, d20, d24, d28
    vmax.u8     \x, \x, lower
    .endr
.endm
