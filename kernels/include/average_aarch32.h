// Averages of unsigned bytes on AArch32: the exact rounding (R01), ties away from zero.
//
// A kernel names registers that hold the parameters in every lane, by .req:
//   bias rightshift zeropoint (q; rightshift is minus the shift)   multiplier upper lower (d)
// load_average takes them from the 24 bytes of neonsim_average_pool_params. VLD1 wants to know both halves of a q register.

.macro load_average params, b0, b1, s0, s1, z0, z1
    vld1.32     {\b0[], \b1[]}, [\params]!
    vld1.32     {multiplier[]}, [\params]!
    vld1.8      {\s0}, [\params]!
    vmov        \s1, \s0
    vld1.16     {\z0[], \z1[]}, [\params]!
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Four sums in x, with halves x0 and x1: products of 64 bits in t and u, less one where negative (v, halves v0, v1), so
// that the rounding shift takes ties away from zero.
.macro scale_average x, x0, x1, t, u, v, v0, v1
    vmull.s32   \t, \x0, multiplier
    vmull.s32   \u, \x1, multiplier
    vshr.s32    \v, \x, #31                     // minus 1 where negative
    vaddw.s32   \t, \t, \v0
    vaddw.s32   \u, \u, \v1
    vrshl.s64   \t, \t, rightshift
    vrshl.s64   \u, \u, rightshift
    vqmovn.s64  \x0, \t
    vqmovn.s64  \x1, \u
.endm

// Eight scaled sums in lo and hi to eight bytes in lo0, the lower half of lo; lo1 is its upper half.
.macro narrow_average lo, hi, lo0, lo1
    vqmovn.s32  \lo0, \lo
    vqmovn.s32  \lo1, \hi
    vqadd.s16   \lo, \lo, zeropoint
    vqmovun.s16 \lo0, \lo
    vmin.u8     \lo0, \lo0, upper
    vmax.u8     \lo0, \lo0, lower
.endm

// The last 1..7 bytes of d register x, 4, 2, 1 of them at a time; count holds their number in its low three bits.
.macro store_some out, x, count
    tst         \count, #4
    beq         12f
    vst1.32     {\x[0]}, [\out]!
    vext.8      \x, \x, \x, #4                  // the next ones first
12:
    tst         \count, #2
    beq         11f
    vst1.16     {\x[0]}, [\out]!
    vext.8      \x, \x, \x, #2
11:
    tst         \count, #1
    beq         10f
    vst1.8      {\x[0]}, [\out]!
10:
.endm
