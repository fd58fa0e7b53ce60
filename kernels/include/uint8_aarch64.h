// Unsigned bytes on AArch64: how operands are widened, and how four sums become bytes again.
//
// The kernel names by .req: wzp (.16b, zero point of the weights), zeropoint (.8h), upper lower (.16b).

.macro widen_row x
    uxtl        \x\().8h, \x\().8b
.endm

// Sixteen weights in hi, less their zero point, as int16: the first eight to lo, the others in place.
.macro widen_columns lo, hi
    usubl       \lo\().8h, \hi\().8b, wzp.8b
    usubl2      \hi\().8h, \hi\().16b, wzp.16b
.endm

// Sixteen scaled sums in a, b, c, d to sixteen bytes in a: saturate, add the zero point, saturate, clamp (X28).
.macro narrow_row a, b, c, d
    sqxtn       \a\().4h, \a\().4s
    sqxtn2      \a\().8h, \b\().4s
    sqxtn       \c\().4h, \c\().4s
    sqxtn2      \c\().8h, \d\().4s
    sqadd       \a\().8h, \a\().8h, zeropoint.8h
    sqadd       \c\().8h, \c\().8h, zeropoint.8h
    sqxtun      \a\().8b, \a\().8h
    sqxtun2     \a\().16b, \c\().8h
    umax        \a\().16b, \a\().16b, lower.16b
    umin        \a\().16b, \a\().16b, upper.16b
.endm

// Eight of them, in a and b, to the lower half of a.
.macro narrow_half_row a, b
    sqxtn       \a\().4h, \a\().4s
    sqxtn2      \a\().8h, \b\().4s
    sqadd       \a\().8h, \a\().8h, zeropoint.8h
    sqxtun      \a\().8b, \a\().8h
    umax        \a\().8b, \a\().8b, lower.8b
    umin        \a\().8b, \a\().8b, upper.8b
.endm

// Eight bytes of x less the zero point zp (.8b), as int16 in d.
.macro less_zero d, x, zp
    usubl       \d\().8h, \x\().8b, \zp\().8b
.endm

// Sixteen bytes: the larger, the smaller of each two.
.macro larger d, a, b
    umax        \d\().16b, \a\().16b, \b\().16b
.endm

.macro smaller d, a, b
    umin        \d\().16b, \a\().16b, \b\().16b
.endm

// Eight int16 to bytes, saturating.
.macro narrow_8 x
    sqxtun      \x\().8b, \x\().8h
.endm

// Eight weights less their zero point as int16, in place.
.macro widen_weights x
    usubl       \x\().8h, \x\().8b, wzp.8b
.endm

// Eight bytes: not below, not above the limits.
.macro not_below x
    umax        \x\().8b, \x\().8b, lower.8b
.endm

.macro not_above x
    umin        \x\().8b, \x\().8b, upper.8b
.endm
