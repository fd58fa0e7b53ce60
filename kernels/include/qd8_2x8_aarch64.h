// Rows with zero points and scales of their own, floating-point results (X04, X32) on AArch64, for the tile of
// gemm_2x8_aarch64.h: a register of four partial sums for every row and column, added up before they are scaled.
//
//   v12  zero points of the two rows      v13  their scales, float32
// The kernel names by .req: pw (weights), pc0, pc1 (rows of c).

// From rows on lie {int32 zero point, float scale}; a second row that does not exist repeats the first.
.macro zero_points_of_rows mr, p0, p1, t
    mov         \t, #8                          // bytes from one to the next
    two_rows    \mr, \t, \p0, \p1
    ld1         {v12.s}[0], [\p0], #4
    ld1         {v12.s}[1], [\p1], #4
    ld1         {v13.s}[0], [\p0]
    ld1         {v13.s}[1], [\p1]
.endm

// The rows of one image share both, which lie at image.
.macro zero_point_of_image image
    ld1r        {v12.4s}, [\image], #4
    ld1r        {v13.4s}, [\image]
.endm

// Every row begins with minus the sums of the columns, times its zero point, in the first of four partial sums.
.macro sums_from_zero_points
    ldp         s16, s17, [pw], #8
    ldp         s18, s19, [pw], #8
    ldp         s20, s21, [pw], #8
    ldp         s22, s23, [pw], #8
    mul         v24.4s, v16.4s, v12.s[1]
    mul         v25.4s, v17.4s, v12.s[1]
    mul         v26.4s, v18.4s, v12.s[1]
    mul         v27.4s, v19.4s, v12.s[1]
    mul         v28.4s, v20.4s, v12.s[1]
    mul         v29.4s, v21.4s, v12.s[1]
    mul         v30.4s, v22.4s, v12.s[1]
    mul         v31.4s, v23.4s, v12.s[1]
    mul         v16.4s, v16.4s, v12.s[0]
    mul         v17.4s, v17.4s, v12.s[0]
    mul         v18.4s, v18.4s, v12.s[0]
    mul         v19.4s, v19.4s, v12.s[0]
    mul         v20.4s, v20.4s, v12.s[0]
    mul         v21.4s, v21.4s, v12.s[0]
    mul         v22.4s, v22.4s, v12.s[0]
    mul         v23.4s, v23.4s, v12.s[0]
.endm

// To floats, times the scale of the row, times that of the column, plus the bias: every step rounded by itself.
.macro finish_qd8 params
    ldp         q0, q1, [pw], #32               // the scales of the columns
    ldp         q2, q3, [pw], #32               // their biases
    ld1r        {v4.4s}, [\params], #4          // smallest value allowed
    ld1r        {v5.4s}, [\params]              // largest
    scvtf       v16.4s, v16.4s
    scvtf       v17.4s, v17.4s
    scvtf       v24.4s, v24.4s
    scvtf       v25.4s, v25.4s
    fmul        v16.4s, v16.4s, v13.s[0]
    fmul        v17.4s, v17.4s, v13.s[0]
    fmul        v24.4s, v24.4s, v13.s[1]
    fmul        v25.4s, v25.4s, v13.s[1]
    fmul        v16.4s, v16.4s, v0.4s
    fmul        v17.4s, v17.4s, v1.4s
    fmul        v24.4s, v24.4s, v0.4s
    fmul        v25.4s, v25.4s, v1.4s
    fadd        v16.4s, v16.4s, v2.4s
    fadd        v17.4s, v17.4s, v3.4s
    fadd        v24.4s, v24.4s, v2.4s
    fadd        v25.4s, v25.4s, v3.4s
    fmax        v16.4s, v16.4s, v4.4s
    fmax        v17.4s, v17.4s, v4.4s
    fmax        v24.4s, v24.4s, v4.4s
    fmax        v25.4s, v25.4s, v4.4s
    fmin        v16.4s, v16.4s, v5.4s
    fmin        v17.4s, v17.4s, v5.4s
    fmin        v24.4s, v24.4s, v5.4s
    fmin        v25.4s, v25.4s, v5.4s
.endm

// Eight floats of each row, and on to the next block of columns.
.macro store_floats step
    stp         q16, q17, [pc0]
    add         pc0, pc0, \step
    stp         q24, q25, [pc1]
    add         pc1, pc1, \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest_of_floats columns
    tbz         \columns, #2, 12f
    str         q16, [pc0], #16
    mov         v16.16b, v17.16b
    str         q24, [pc1], #16
    mov         v24.16b, v25.16b
12:
    tbz         \columns, #1, 11f
    str         d16, [pc0], #8
    dup         d16, v16.d[1]
    str         d24, [pc1], #8
    dup         d24, v24.d[1]
11:
    tbz         \columns, #0, 10f
    str         s16, [pc0]
    str         s24, [pc1]
10:
.endm
