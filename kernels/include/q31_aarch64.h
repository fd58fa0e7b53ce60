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
.macro requantize_q31 lo, hi, t0, t1
    scale_q31   \lo, \t0
    scale_q31   \hi, \t1
    narrow_q31  \lo, \hi
.endm

// The same for a tile, eight rows of eight sums in v16..v31, to bytes in v16, v18, ... v30: each step for all rows before
// the next one, so that no instruction waits for the one before it.
.macro away_from_zero x, y, t, u
    bic         \t\().16b, \x\().16b, unshifted.16b
    bic         \u\().16b, \y\().16b, unshifted.16b
    ssra        \x\().4s, \t\().4s, #31         // minus 1 where negative
    ssra        \y\().4s, \u\().4s, #31
.endm
.macro requantize_eight_rows_q31 t, u
    .irp        x, v16.4s, v17.4s, v18.4s, v19.4s, v20.4s, v21.4s, v22.4s, v23.4s
    sqrdmulh    \x, \x, multiplier.4s
    .endr
    .irp        x, v24.4s, v25.4s, v26.4s, v27.4s, v28.4s, v29.4s, v30.4s, v31.4s
    sqrdmulh    \x, \x, multiplier.4s
    .endr
    away_from_zero v16, v17, \t, \u
    away_from_zero v18, v19, \t, \u
    away_from_zero v20, v21, \t, \u
    away_from_zero v22, v23, \t, \u
    away_from_zero v24, v25, \t, \u
    away_from_zero v26, v27, \t, \u
    away_from_zero v28, v29, \t, \u
    away_from_zero v30, v31, \t, \u
    .irp        x, v16.4s, v17.4s, v18.4s, v19.4s, v20.4s, v21.4s, v22.4s, v23.4s
    srshl       \x, \x, leftshift.4s
    .endr
    .irp        x, v24.4s, v25.4s, v26.4s, v27.4s, v28.4s, v29.4s, v30.4s, v31.4s
    srshl       \x, \x, leftshift.4s
    .endr
    sqxtn       v16.4h, v16.4s
    sqxtn       v18.4h, v18.4s
    sqxtn       v20.4h, v20.4s
    sqxtn       v22.4h, v22.4s
    sqxtn       v24.4h, v24.4s
    sqxtn       v26.4h, v26.4s
    sqxtn       v28.4h, v28.4s
    sqxtn       v30.4h, v30.4s
    sqxtn2      v16.8h, v17.4s
    sqxtn2      v18.8h, v19.4s
    sqxtn2      v20.8h, v21.4s
    sqxtn2      v22.8h, v23.4s
    sqxtn2      v24.8h, v25.4s
    sqxtn2      v26.8h, v27.4s
    sqxtn2      v28.8h, v29.4s
    sqxtn2      v30.8h, v31.4s
    .irp        x, v16.8h, v18.8h, v20.8h, v22.8h, v24.8h, v26.8h, v28.8h, v30.8h
    sqadd       \x, \x, zeropoint.8h
    .endr
    sqxtun      v16.8b, v16.8h
    sqxtun      v18.8b, v18.8h
    sqxtun      v20.8b, v20.8h
    sqxtun      v22.8b, v22.8h
    sqxtun      v24.8b, v24.8h
    sqxtun      v26.8b, v26.8h
    sqxtun      v28.8b, v28.8h
    sqxtun      v30.8b, v30.8h
    .irp        x, v16.8b, v18.8b, v20.8b, v22.8b, v24.8b, v26.8b, v28.8b, v30.8b
    umin        \x, \x, upper.8b
    .endr
    .irp        x, v16.8b, v18.8b, v20.8b, v22.8b, v24.8b, v26.8b, v28.8b, v30.8b
    umax        \x, \x, lower.8b
    .endr
.endm
