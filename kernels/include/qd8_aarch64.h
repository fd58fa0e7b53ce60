// Rows with zero points and scales of their own, floating-point results (X04, X32) on AArch64, for the sums in v16..v31.
//
//   v8  zero points of the four rows      v9  their scales, float32
// The kernel names by .req: pw (weights), pc0..pc3 (rows of c).

// From rows on lie {int32 zero point, float scale}; rows that do not exist repeat the last one that does.
.macro zero_points_of_rows mr, p0, p1, p2, p3
    mov         \p3, #8                         // bytes from one to the next
    four_rows   \mr, \p3, \p0, \p1, \p2, \p3
    ld1         {v8.s}[0], [\p0], #4
    ld1         {v8.s}[1], [\p1], #4
    ld1         {v8.s}[2], [\p2], #4
    ld1         {v8.s}[3], [\p3], #4
    ld1         {v9.s}[0], [\p0]
    ld1         {v9.s}[1], [\p1]
    ld1         {v9.s}[2], [\p2]
    ld1         {v9.s}[3], [\p3]
.endm

// The rows of one image share both, which lie at image.
.macro zero_point_of_image image
    ld1r        {v8.4s}, [\image], #4
    ld1r        {v9.4s}, [\image]
.endm

// Every row begins with minus the sums of the columns, times its zero point: row 0 last, in place.
.macro sums_from_zero_points
    ldp         q16, q17, [pw], #32
    ldp         q18, q19, [pw], #32
    mul         v28.4s, v16.4s, v8.s[3]
    mul         v29.4s, v17.4s, v8.s[3]
    mul         v30.4s, v18.4s, v8.s[3]
    mul         v31.4s, v19.4s, v8.s[3]
    mul         v24.4s, v16.4s, v8.s[2]
    mul         v25.4s, v17.4s, v8.s[2]
    mul         v26.4s, v18.4s, v8.s[2]
    mul         v27.4s, v19.4s, v8.s[2]
    mul         v20.4s, v16.4s, v8.s[1]
    mul         v21.4s, v17.4s, v8.s[1]
    mul         v22.4s, v18.4s, v8.s[1]
    mul         v23.4s, v19.4s, v8.s[1]
    mul         v16.4s, v16.4s, v8.s[0]
    mul         v17.4s, v17.4s, v8.s[0]
    mul         v18.4s, v18.4s, v8.s[0]
    mul         v19.4s, v19.4s, v8.s[0]
.endm

// The same where a register holds two columns of two rows: v16..v23 rows 0 and 1, v24..v31 rows 2 and 3.
.macro sums_from_zero_points_in_pairs
    sums_from_bias_in_pairs
    zip1        v0.4s, v8.4s, v8.4s             // v0: zero points of rows 0, 0, 1, 1
    zip2        v1.4s, v8.4s, v8.4s             // v1: of rows 2, 2, 3, 3
    mul         v16.4s, v16.4s, v0.4s
    mul         v17.4s, v17.4s, v0.4s
    mul         v18.4s, v18.4s, v0.4s
    mul         v19.4s, v19.4s, v0.4s
    mul         v20.4s, v20.4s, v0.4s
    mul         v21.4s, v21.4s, v0.4s
    mul         v22.4s, v22.4s, v0.4s
    mul         v23.4s, v23.4s, v0.4s
    mul         v24.4s, v24.4s, v1.4s
    mul         v25.4s, v25.4s, v1.4s
    mul         v26.4s, v26.4s, v1.4s
    mul         v27.4s, v27.4s, v1.4s
    mul         v28.4s, v28.4s, v1.4s
    mul         v29.4s, v29.4s, v1.4s
    mul         v30.4s, v30.4s, v1.4s
    mul         v31.4s, v31.4s, v1.4s
.endm

// To floats, times the scale of the row, times that of the column, plus the bias: every step rounded by itself.
.macro finish_qd8 params
    scvtf       v16.4s, v16.4s
    scvtf       v17.4s, v17.4s
    scvtf       v18.4s, v18.4s
    scvtf       v19.4s, v19.4s
    scvtf       v20.4s, v20.4s
    scvtf       v21.4s, v21.4s
    scvtf       v22.4s, v22.4s
    scvtf       v23.4s, v23.4s
    scvtf       v24.4s, v24.4s
    scvtf       v25.4s, v25.4s
    scvtf       v26.4s, v26.4s
    scvtf       v27.4s, v27.4s
    scvtf       v28.4s, v28.4s
    scvtf       v29.4s, v29.4s
    scvtf       v30.4s, v30.4s
    scvtf       v31.4s, v31.4s
    fmul        v16.4s, v16.4s, v9.s[0]
    fmul        v17.4s, v17.4s, v9.s[0]
    fmul        v18.4s, v18.4s, v9.s[0]
    fmul        v19.4s, v19.4s, v9.s[0]
    fmul        v20.4s, v20.4s, v9.s[1]
    fmul        v21.4s, v21.4s, v9.s[1]
    fmul        v22.4s, v22.4s, v9.s[1]
    fmul        v23.4s, v23.4s, v9.s[1]
    fmul        v24.4s, v24.4s, v9.s[2]
    fmul        v25.4s, v25.4s, v9.s[2]
    fmul        v26.4s, v26.4s, v9.s[2]
    fmul        v27.4s, v27.4s, v9.s[2]
    fmul        v28.4s, v28.4s, v9.s[3]
    fmul        v29.4s, v29.4s, v9.s[3]
    fmul        v30.4s, v30.4s, v9.s[3]
    fmul        v31.4s, v31.4s, v9.s[3]
    ldp         q0, q1, [pw], #32               // the scales of the columns
    ldp         q2, q3, [pw], #32
    ldp         q4, q5, [pw], #32               // their biases
    ldp         q6, q7, [pw], #32
    fmul        v16.4s, v16.4s, v0.4s
    fmul        v17.4s, v17.4s, v1.4s
    fmul        v18.4s, v18.4s, v2.4s
    fmul        v19.4s, v19.4s, v3.4s
    fmul        v20.4s, v20.4s, v0.4s
    fmul        v21.4s, v21.4s, v1.4s
    fmul        v22.4s, v22.4s, v2.4s
    fmul        v23.4s, v23.4s, v3.4s
    fmul        v24.4s, v24.4s, v0.4s
    fmul        v25.4s, v25.4s, v1.4s
    fmul        v26.4s, v26.4s, v2.4s
    fmul        v27.4s, v27.4s, v3.4s
    fmul        v28.4s, v28.4s, v0.4s
    fmul        v29.4s, v29.4s, v1.4s
    fmul        v30.4s, v30.4s, v2.4s
    fmul        v31.4s, v31.4s, v3.4s
    fadd        v16.4s, v16.4s, v4.4s
    fadd        v17.4s, v17.4s, v5.4s
    fadd        v18.4s, v18.4s, v6.4s
    fadd        v19.4s, v19.4s, v7.4s
    fadd        v20.4s, v20.4s, v4.4s
    fadd        v21.4s, v21.4s, v5.4s
    fadd        v22.4s, v22.4s, v6.4s
    fadd        v23.4s, v23.4s, v7.4s
    fadd        v24.4s, v24.4s, v4.4s
    fadd        v25.4s, v25.4s, v5.4s
    fadd        v26.4s, v26.4s, v6.4s
    fadd        v27.4s, v27.4s, v7.4s
    fadd        v28.4s, v28.4s, v4.4s
    fadd        v29.4s, v29.4s, v5.4s
    fadd        v30.4s, v30.4s, v6.4s
    fadd        v31.4s, v31.4s, v7.4s
    ld1r        {v0.4s}, [\params], #4         // smallest value allowed
    ld1r        {v1.4s}, [\params]             // largest
    fmax        v16.4s, v16.4s, v0.4s
    fmax        v17.4s, v17.4s, v0.4s
    fmax        v18.4s, v18.4s, v0.4s
    fmax        v19.4s, v19.4s, v0.4s
    fmax        v20.4s, v20.4s, v0.4s
    fmax        v21.4s, v21.4s, v0.4s
    fmax        v22.4s, v22.4s, v0.4s
    fmax        v23.4s, v23.4s, v0.4s
    fmax        v24.4s, v24.4s, v0.4s
    fmax        v25.4s, v25.4s, v0.4s
    fmax        v26.4s, v26.4s, v0.4s
    fmax        v27.4s, v27.4s, v0.4s
    fmax        v28.4s, v28.4s, v0.4s
    fmax        v29.4s, v29.4s, v0.4s
    fmax        v30.4s, v30.4s, v0.4s
    fmax        v31.4s, v31.4s, v0.4s
    fmin        v16.4s, v16.4s, v1.4s
    fmin        v17.4s, v17.4s, v1.4s
    fmin        v18.4s, v18.4s, v1.4s
    fmin        v19.4s, v19.4s, v1.4s
    fmin        v20.4s, v20.4s, v1.4s
    fmin        v21.4s, v21.4s, v1.4s
    fmin        v22.4s, v22.4s, v1.4s
    fmin        v23.4s, v23.4s, v1.4s
    fmin        v24.4s, v24.4s, v1.4s
    fmin        v25.4s, v25.4s, v1.4s
    fmin        v26.4s, v26.4s, v1.4s
    fmin        v27.4s, v27.4s, v1.4s
    fmin        v28.4s, v28.4s, v1.4s
    fmin        v29.4s, v29.4s, v1.4s
    fmin        v30.4s, v30.4s, v1.4s
    fmin        v31.4s, v31.4s, v1.4s
.endm
