// Averages of unsigned bytes on AArch64: the exact rounding (R01), ties away from zero.
//
// A kernel names registers that hold the parameters in every lane, by .req:
//   bias multiplier (.4s)   rightshift (.2d, minus the shift)   zeropoint (.8h)   upper lower (.8b)
// load_average fills them from the 24 bytes of neonsim_average_pool_params.

.macro load_average params
    ld1r        {bias.4s}, [\params], #4
    ld1r        {multiplier.4s}, [\params], #4
    ld1r        {rightshift.2d}, [\params], #8
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.8b}, [\params], #1
    ld1r        {lower.8b}, [\params]
.endm

// Four sums: a product of 64 bits, less one where negative, so that the rounding shift takes ties away from zero.
.macro scale_average x, t0, t1, t2
    smull       \t0\().2d, \x\().2s, multiplier.2s
    smull2      \t1\().2d, \x\().4s, multiplier.4s
    cmlt        \t2\().4s, \x\().4s, #0         // minus 1 where negative
    saddw       \t0\().2d, \t0\().2d, \t2\().2s
    saddw2      \t1\().2d, \t1\().2d, \t2\().4s
    srshl       \t0\().2d, \t0\().2d, rightshift.2d
    srshl       \t1\().2d, \t1\().2d, rightshift.2d
    sqxtn       \x\().2s, \t0\().2d
    sqxtn2      \x\().4s, \t1\().2d
.endm

// Eight sums in lo and hi to eight bytes in lo.
.macro average lo, hi, t0, t1, t2
    scale_average \lo, \t0, \t1, \t2
    scale_average \hi, \t0, \t1, \t2
    sqxtn       \lo\().4h, \lo\().4s
    sqxtn2      \lo\().8h, \hi\().4s
    sqadd       \lo\().8h, \lo\().8h, zeropoint.8h
    sqxtun      \lo\().8b, \lo\().8h
    umin        \lo\().8b, \lo\().8b, upper.8b
    umax        \lo\().8b, \lo\().8b, lower.8b
.endm

// The last 1..7 bytes of register number x, 4, 2, 1 of them at a time; count holds their number in its low three bits.
.macro store_some out, x, count
    tbz         \count, #2, 12f
    str         s\x, [\out], #4
    ushr        d\x, d\x, #32                   // the next ones first
12:
    tbz         \count, #1, 11f
    str         h\x, [\out], #2
    ushr        d\x, d\x, #16
11:
    tbz         \count, #0, 10f
    str         b\x, [\out], #1
10:
.endm
