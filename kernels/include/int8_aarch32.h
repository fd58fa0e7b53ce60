// Signed bytes on AArch32: how operands are widened, and how sums become bytes again.
//
// The kernel names by .req: zeropoint upper lower (q).

.macro widen_row q, lo
    vmovl.s8    \q, \lo
.endm

// Eight weights of one depth as int16.
.macro widen_columns q, lo
    vmovl.s8    \q, \lo
.endm

// Scaled sums in q8..q15 to int16, one row in each of q8..q11, saturating.
.macro narrow_to_int16
    vqmovn.s32  d16, q8
    vqmovn.s32  d17, q9
    vqmovn.s32  d18, q10
    vqmovn.s32  d19, q11
    vqmovn.s32  d20, q12
    vqmovn.s32  d21, q13
    vqmovn.s32  d22, q14
    vqmovn.s32  d23, q15
.endm

// The zero point, saturating; left out by those who have added it before.
.macro add_zeropoint
    vqadd.s16   q8, q8, zeropoint
    vqadd.s16   q9, q9, zeropoint
    vqadd.s16   q10, q10, zeropoint
    vqadd.s16   q11, q11, zeropoint
.endm

// Rows of int16 in q8..q11 to bytes in d16..d19, saturating, clamped.
.macro narrow_to_bytes
    vqmovn.s16  d16, q8
    vqmovn.s16  d17, q9
    vqmovn.s16  d18, q10
    vqmovn.s16  d19, q11
    vmax.s8     q8, q8, lower
    vmax.s8     q9, q9, lower
    vmin.s8     q8, q8, upper
    vmin.s8     q9, q9, upper
.endm

// Eight bytes x less the zero point zp (d), as int16 in q.
.macro less_zero q, x, zp
    vsubl.s8    \q, \x, \zp
.endm

// Eight int16 in q to bytes in d, saturating, clamped; upper and lower are d registers here.
.macro narrow_8 d, q
    vqmovn.s16 \d, \q
    vmax.s8     \d, \d, lower
    vmin.s8     \d, \d, upper
.endm

// Eight or sixteen bytes: the larger, the smaller of each two.
.macro larger d, a, b
    vmax.s8     \d, \a, \b
.endm

.macro smaller d, a, b
    vmin.s8     \d, \a, \b
.endm

// Eight int16 in q to bytes in d, saturating; not below, not above the limits (d).
.macro bytes_8 d, q
    vqmovn.s16  \d, \q
.endm

.macro not_below d
    vmax.s8     \d, \d, lower
.endm

.macro not_above d
    vmin.s8     \d, \d, upper
.endm
