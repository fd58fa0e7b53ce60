// Requantisation "fp32" (R02) on AArch64: to single precision, times the scale, to the nearest integer, ties to even.
//
// The kernel names by .req: zeropoint (.8h), upper lower (.16b). One scale for all columns, or one for each of them.

// The one scale into every lane of s, and the rest, from neonsim_fp32_gemm_params; params is left behind the limits.
.macro load_fp32 params, s
    ld1r        {\s\().4s}, [\params], #4
    add         \params, \params, #12           // over what AArch32 needs: limits as floats, the magic number
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params], #1
.endm

// All but the scales, which lie behind the weights, from neonsim_qc8w_params.
.macro load_qc8w params
    add         \params, \params, #12
    ld1r        {zeropoint.8h}, [\params], #2
    ld1r        {upper.16b}, [\params], #1
    ld1r        {lower.16b}, [\params]
.endm

// Sixteen sums in a, b, c, d, times the scales of their columns in s0..s3.
.macro scale_row_fp32 a, b, c, d, s0, s1, s2, s3
    scvtf       \a\().4s, \a\().4s
    scvtf       \b\().4s, \b\().4s
    scvtf       \c\().4s, \c\().4s
    scvtf       \d\().4s, \d\().4s
    fmul        \a\().4s, \a\().4s, \s0\().4s
    fmul        \b\().4s, \b\().4s, \s1\().4s
    fmul        \c\().4s, \c\().4s, \s2\().4s
    fmul        \d\().4s, \d\().4s, \s3\().4s
    fcvtns      \a\().4s, \a\().4s              // to nearest, ties to even, saturating
    fcvtns      \b\().4s, \b\().4s
    fcvtns      \c\().4s, \c\().4s
    fcvtns      \d\().4s, \d\().4s
.endm

// Eight sums in a, b, times the scales in s0, s1.
.macro scale_half_row_fp32 a, b, s0, s1
    scvtf       \a\().4s, \a\().4s
    scvtf       \b\().4s, \b\().4s
    fmul        \a\().4s, \a\().4s, \s0\().4s
    fmul        \b\().4s, \b\().4s, \s1\().4s
    fcvtns      \a\().4s, \a\().4s
    fcvtns      \b\().4s, \b\().4s
.endm
