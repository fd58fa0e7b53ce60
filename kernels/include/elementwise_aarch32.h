// Around element-wise kernels on AArch32: the last one to seven elements, and what is done with eight.
//
// The kernel names by .req, as far as it uses them:
//   azp bzp upper lower (d)                               zero points and limits
//   zeropoint (q), amul bmul rightshift bias (q)          additions
//   mulscale magic magiczero factor (q)                   multiplications

// ---- The last elements: eight bytes that end with them, the old ones shifted out. count: elements left, less 8.

.macro shift_of_rest count, d
    vdup.32     \d, \count
    vshl.i32    \d, \d, #3                      // minus the bits to shift out
.endm

.macro load_rest x, p, count, shift
    add         \p, \p, \count                 // up to 7 bytes back, for n < 8 before the vector
    vld1.8      {\x}, [\p]
    vshl.u64    \x, \x, \shift
.endm

.macro store_rest x, p, count
    tst         \count, #4                      // the low three bits of the count are those of the elements left
    beq         12f
    vst1.32     {\x[0]}, [\p]!
    vext.8      \x, \x, \x, #4                  // the next ones first
12:
    tst         \count, #2
    beq         11f
    vst1.16     {\x[0]}, [\p]!
    vext.8      \x, \x, \x, #2
11:
    tst         \count, #1
    beq         10f
    vst1.8      {\x[0]}, [\p]!
10:
.endm

// Eight scaled sums in q8 and q9 to bytes in d: saturate, add the zero point, saturate, clamp (X28).
.macro narrow_sums d
    vqmovn.s32  d16, q8
    vqmovn.s32  d17, q9
    vqadd.s16   q8, q8, zeropoint
    narrow_8    \d, q8
.endm

// ---- Additions (neonsim_scaled_add_params): factors of 21 bits, one rounding, ties up. q10..q13, d28..d31.

.macro load_scaled_add params
    vld1.8      {azp[]}, [\params]!
    vld1.8      {bzp[]}, [\params]!
    vld1.16     {d26[], d27[]}, [\params]!     // q13: zero point of y
    vld1.32     {d20[], d21[]}, [\params]!     // q10: factor of a
    vld1.32     {d22[], d23[]}, [\params]!     // q11: factor of b
    vld1.32     {d24[], d25[]}, [\params]!     // q12: minus the shift
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]
.endm

// Eight elements of a and b: (a - za) * ma + (b - zb) * mb, scaled, to bytes in a.
.macro add_8 a, b
    less_zero   q2, \a, azp
    less_zero   q3, \b, bzp
    vmovl.s16   q8, d4
    vmovl.s16   q9, d5
    vmul.i32    q8, q8, amul                    // q8, q9: a times its factor
    vmul.i32    q9, q9, amul
    vmovl.s16   q2, d6
    vmovl.s16   q3, d7
    vmla.i32    q8, q2, bmul                    // plus b times its factor
    vmla.i32    q9, q3, bmul
    vrshl.s32   q8, q8, rightshift
    vrshl.s32   q9, q9, rightshift
    narrow_sums \a
.endm

// The one element of b, less its zero point, times its factor, in every lane of bias = q11, which held the factor.
.macro bias_of_constant p
    vld1.8      {d0[]}, [\p]
    less_zero   q0, d0, bzp
    vmovl.s16   q0, d0
    vmul.i32    bias, q0, bmul
.endm

// Eight elements of a and the constant.
.macro add_constant_8 a
    less_zero   q2, \a, azp
    vmov        q8, bias
    vmov        q9, bias
    vmovl.s16   q3, d4
    vmovl.s16   q2, d5
    vmla.i32    q8, q3, amul                    // q8, q9: constant plus a times its factor
    vmla.i32    q9, q2, amul
    vrshl.s32   q8, q8, rightshift
    vrshl.s32   q9, q9, rightshift
    narrow_sums \a
.endm

// ---- Multiplications, in single precision (neonsim_multiply_fp32_params): q10 scale, q11 magic, q12 magic less zero point.

.macro load_mul_fp32 params
    vld1.32     {d20[], d21[]}, [\params]!     // q10: scale
    vld1.32     {d24[], d25[]}, [\params]!     // q12: bits of 12582912, less the zero point of y
    add         \params, \params, #2
    vmov.i32    q11, #0x4b000000                // bits of 12582912 = 1.5 * 2**23
    vorr.i32    q11, #0x400000
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]!
    vld1.8      {azp[]}, [\params]!
    vld1.8      {bzp[]}, [\params]
.endm

// Products in q8 and q9 to bytes in d: adding 12582912 leaves the integer, ties to even, in the low bits (R03).
.macro scale_products_fp32 d
    vcvt.f32.s32 q8, q8
    vcvt.f32.s32 q9, q9
    vmul.f32    q8, q8, mulscale
    vmul.f32    q9, q9, mulscale
    vadd.f32    q8, q8, magic
    vadd.f32    q9, q9, magic
    vqsub.s32   q8, q8, magiczero               // the integer plus the zero point
    vqsub.s32   q9, q9, magiczero
    vqmovn.s32  d16, q8
    vqmovn.s32  d17, q9
    narrow_8    \d, q8
.endm

// ---- Multiplications by rndnu (neonsim_multiply_rndnu_params): q10 multiplier, q11 left shift, q12 minus the right shift.

.macro load_mul_rndnu params
    vld1.32     {d20[], d21[]}, [\params]!     // q10: multiplier
    vld1.32     {d22[], d23[]}, [\params]!     // q11: to the left: what the right shift is too far
    vld1.32     {d24[], d25[]}, [\params]!     // q12: minus the shift to the right, which is 1 at least
    vld1.16     {d26[], d27[]}, [\params]!     // q13: zero point of y
    vld1.8      {upper[]}, [\params]!
    vld1.8      {lower[]}, [\params]!
    vld1.8      {azp[]}, [\params]!
    vld1.8      {bzp[]}, [\params]
.endm

.macro scale_products_rndnu d
    vqshl.s32   q8, q8, preshift
    vqshl.s32   q9, q9, preshift
    vqdmulh.s32 q8, q8, multiplier
    vqdmulh.s32 q9, q9, multiplier
    vrshl.s32   q8, q8, postshift
    vrshl.s32   q9, q9, postshift
    narrow_sums \d
.endm

// The one element of b, less its zero point, in every lane of factor.
.macro factor_of_constant p
    vld1.8      {d0[]}, [\p]
    less_zero   factor, d0, bzp
.endm

// Eight elements of a times eight int16 in lo and hi; scale_products is what the kernel calls its requantisation.
.macro multiply_8 a, lo, hi
    less_zero   q2, \a, azp
    vmull.s16   q8, d4, \lo                     // q8, q9: products of 18 bits
    vmull.s16   q9, d5, \hi
    scale_products \a
.endm

// ---- Changes of scale (neonsim_convert_params, neonsim_leaky_params): the kernel names izp factor zeropoint (q10..q12).

.macro load_convert params
    vld1.16     {d20[], d21[]}, [\params]!     // q10: zero point of x
    vld1.16     {d22[], d23[]}, [\params]!     // q11: minus the factor, in steps of 1/256
    vld1.16     {d24[], d25[]}, [\params]      // q12: zero point of y
.endm

// Eight elements: (zx - x) * 2**7, times minus the factor, high half of twice that, rounded up at ties.
.macro convert_8 x
    vsubw.s8    q8, izp, \x
    vshl.i16    q8, q8, #7
    vqrdmulh.s16 q8, q8, factor
    vqadd.s16   q8, q8, zeropoint
    vqmovn.s16  \x, q8
.endm

// The kernel names positive and negative (q11, q13) besides: minus the factor for either sign of x - zx.
.macro load_leaky params
    vld1.16     {d20[], d21[]}, [\params]!     // q10: zero point of x
    vld1.16     {d22[], d23[]}, [\params]!     // q11: minus the factor above the zero point
    vld1.16     {d26[], d27[]}, [\params]!     // q13: minus the factor below
    vld1.16     {d24[], d25[]}, [\params]      // q12: zero point of y
.endm

.macro leaky_8 x
    vsubw.s8    q8, izp, \x
    vcgt.s16    q9, q14, q8                     // q14 is 0: all ones where x is above its zero point
    vbsl        q9, positive, negative
    vshl.i16    q8, q8, #7
    vqrdmulh.s16 q8, q8, q9
    vqadd.s16   q8, q8, zeropoint
    vqmovn.s16  \x, q8
.endm
