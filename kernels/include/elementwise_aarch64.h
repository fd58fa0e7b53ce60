// Around element-wise kernels on AArch64: the last one to seven elements, and what is done with eight.
//
// v31: minus the bits to shift out of the last elements. The kernel names by .req, as far as it uses them:
//   azp bzp (.8b), zeropoint (.8h), upper lower (.8b)      zero points and limits
//   amul bmul rightshift (.4s), bias (.4s)                 additions
//   mulscale (.4s), factor (.8h)                           multiplications

// ---- The last elements: eight bytes that end with them, the old ones shifted out. count: elements left, less 8.

.macro shift_of_rest count
    fmov        d31, \count
    shl         d31, d31, #3
.endm

.macro load_rest x, p, count
    ldr         d\x, [\p, \count]              // up to 7 bytes back, for n < 8 before the vector
    ushl        d\x, d\x, d31
.endm

.macro store_rest x, p, count
    tbz         \count, #2, 12f                // the low three bits of the count are those of the elements left
    str         s\x, [\p], #4
    ushr        d\x, d\x, #32                   // the next ones first
12:
    tbz         \count, #1, 11f
    str         h\x, [\p], #2
    ushr        d\x, d\x, #16
11:
    tbz         \count, #0, 10f
    str         b\x, [\p], #1
10:
.endm

// ---- Additions (neonsim_scaled_add_params): factors of 21 bits, one rounding, ties up.

.macro load_scaled_add params
    ld1r        {azp.8b}, [\params], #1
    ld1r        {bzp.8b}, [\params], #1
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {amul.4s}, [\params], #4
    ld1r        {bmul.4s}, [\params], #4
    ld1r        {rightshift.4s}, [\params], #4  // minus the shift
    ld1r        {upper.8b}, [\params], #1
    ld1r        {lower.8b}, [\params]
.endm

// Eight elements of a and b: (a - za) * ma + (b - zb) * mb, scaled, to bytes in a.
.macro add_8 a, b
    less_zero   v16, \a, azp
    less_zero   v17, \b, bzp
    sxtl        \a\().4s, v16.4h
    sxtl2       v18.4s, v16.8h
    mul         \a\().4s, \a\().4s, amul.4s    // a, v18: a times its factor
    mul         v18.4s, v18.4s, amul.4s
    sxtl        v16.4s, v17.4h
    sxtl2       v17.4s, v17.8h
    mla         \a\().4s, v16.4s, bmul.4s      // plus b times its factor
    mla         v18.4s, v17.4s, bmul.4s
    srshl       \a\().4s, \a\().4s, rightshift.4s
    srshl       v18.4s, v18.4s, rightshift.4s
    narrow_half_row \a, v18
.endm

// The one element of b, less its zero point, times its factor, in every lane of bias.
.macro bias_of_constant p
    ld1r        {bias.8b}, [\p]
    less_zero   bias, bias, bzp
    sxtl        bias.4s, bias.4h
    mul         bias.4s, bias.4s, bmul.4s
.endm

// Eight elements of a and the constant.
.macro add_constant_8 a
    less_zero   v16, \a, azp
    sxtl        v17.4s, v16.4h
    sxtl2       v18.4s, v16.8h
    mov         \a\().16b, bias.16b
    mov         v19.16b, bias.16b
    mla         \a\().4s, v17.4s, amul.4s      // a, v19: constant plus a times its factor
    mla         v19.4s, v18.4s, amul.4s
    srshl       \a\().4s, \a\().4s, rightshift.4s
    srshl       v19.4s, v19.4s, rightshift.4s
    narrow_half_row \a, v19
.endm

// ---- Multiplications (neonsim_multiply_fp32_params, neonsim_multiply_rndnu_params).

.macro load_mul_fp32 params
    ld1r        {mulscale.4s}, [\params], #4
    add         \params, \params, #4           // over the magic number, which AArch32 needs
    ld1r        {zeropoint.8h}, [\params], #2
    load_mul_bytes \params
.endm

// Where fp32_aarch64.h and rndnu_aarch64.h have left off: limits and zero points, or zero points alone.
.macro load_mul_bytes params
    ld1r        {upper.8b}, [\params], #1
    ld1r        {lower.8b}, [\params], #1
    load_mul_zeros \params
.endm

.macro load_mul_zeros params
    ld1r        {azp.8b}, [\params], #1
    ld1r        {bzp.8b}, [\params]
.endm

// The one element of b, less its zero point, in every lane of factor.
.macro factor_of_constant p
    ld1r        {factor.8b}, [\p]
    less_zero   factor, factor, bzp
.endm

// Eight elements of a, times eight int16 in b; scale_products is what the kernel calls its requantisation.
.macro multiply_8 a, b
    less_zero   v16, \a, azp
    smull       \a\().4s, v16.4h, \b\().4h     // a, v18: products of 18 bits
    smull2      v18.4s, v16.8h, \b\().8h
    scale_products \a, v18
    narrow_half_row \a, v18
.endm

// ---- Changes of scale (neonsim_convert_params, neonsim_leaky_params): the kernel names izp factor (.8h), zeropoint (.8h).

.macro load_convert params
    ld1r        {izp.8h}, [\params], #2
    ld1r        {factor.8h}, [\params], #2      // minus the factor, in steps of 1/256
    ld1r        {zeropoint.8h}, [\params]
.endm

// Eight elements: (zx - x) * 2**7, times minus the factor, high half of twice that, rounded up at ties.
.macro convert_8 x
    zero_less   v16, izp, \x
    shl         v16.8h, v16.8h, #7
    sqrdmulh    v16.8h, v16.8h, factor.8h
    sqadd       \x\().8h, v16.8h, zeropoint.8h
    narrow_8    \x
.endm

// The kernel names positive and negative (.8h) besides: minus the factor for either sign of x - zx.
.macro load_leaky params
    ld1r        {izp.8h}, [\params], #2
    ld1r        {positive.8h}, [\params], #2
    ld1r        {negative.8h}, [\params], #2
    ld1r        {zeropoint.8h}, [\params]
.endm

.macro leaky_8 x
    zero_less   v16, izp, \x
    cmlt        v17.8h, v16.8h, #0              // all ones where x is above its zero point
    bsl         v17.16b, positive.16b, negative.16b
    shl         v16.8h, v16.8h, #7
    sqrdmulh    v16.8h, v16.8h, v17.8h
    sqadd       \x\().8h, v16.8h, zeropoint.8h
    narrow_8    \x
.endm
