// Rows with zero points and scales of their own, floating-point results (X04, X32) on AArch32, for the sums in q8..q15.
//
//   d12, d13  zero points of the four rows      d14, d15  their scales, float32
// The kernel names by .req: pw (weights), pc0..pc3 (rows of c).

// At rows lie {int32 zero point, float scale}; rows that do not exist repeat the last one that does.
.macro zero_points_of_rows rows, mr
    vld1.32     {d12[0]}, [\rows]!
    vld1.32     {d14[0]}, [\rows]
    cmp         \mr, #2
    addhs       \rows, \rows, #4                // on to row 1
    sublo       \rows, \rows, #4                // mr = 1: row 0 again
    vld1.32     {d12[1]}, [\rows]!
    vld1.32     {d14[1]}, [\rows]
    addhi       \rows, \rows, #4                // on to row 2
    subls       \rows, \rows, #4                // mr <= 2: the same again
    vld1.32     {d13[0]}, [\rows]!
    vld1.32     {d15[0]}, [\rows]
    cmp         \mr, #4
    addeq       \rows, \rows, #4                // on to row 3
    subne       \rows, \rows, #4                // mr <= 3: the same again
    vld1.32     {d13[1]}, [\rows]!
    vld1.32     {d15[1]}, [\rows]
.endm

// The rows of one image share both, which lie at image.
.macro zero_point_of_image image
    vld1.32     {d12[], d13[]}, [\image]!
    vld1.32     {d14[], d15[]}, [\image]
.endm

// The rows of one tap: four pointers out of the table, moved by offset; those that equal zero become row.
.macro rows_of_tap_or table, offset, zero, row
    ldm         \table!, {r4-r6, r12}           // pa0..pa3
    cmp         pa0, \zero
    addne       pa0, pa0, \offset
    moveq       pa0, \row
    cmp         pa1, \zero
    addne       pa1, pa1, \offset
    moveq       pa1, \row
    cmp         pa2, \zero
    addne       pa2, pa2, \offset
    moveq       pa2, \row
    cmp         pa3, \zero
    addne       pa3, pa3, \offset
    moveq       pa3, \row
.endm

// Every row begins with minus the sums of the columns, times its zero point.
.macro sums_from_zero_points
    vld1.8      {d0-d3}, [pw]!
    vmul.i32    q8, q0, d12[0]
    vmul.i32    q9, q1, d12[0]
    vmul.i32    q10, q0, d12[1]
    vmul.i32    q11, q1, d12[1]
    vmul.i32    q12, q0, d13[0]
    vmul.i32    q13, q1, d13[0]
    vmul.i32    q14, q0, d13[1]
    vmul.i32    q15, q1, d13[1]
.endm

// To floats, times the scale of the row, times that of the column, plus the bias: every step rounded by itself.
.macro finish_qd8 params
    vcvt.f32.s32 q8, q8
    vcvt.f32.s32 q9, q9
    vcvt.f32.s32 q10, q10
    vcvt.f32.s32 q11, q11
    vcvt.f32.s32 q12, q12
    vcvt.f32.s32 q13, q13
    vcvt.f32.s32 q14, q14
    vcvt.f32.s32 q15, q15
    vmul.f32    q8, q8, d14[0]
    vmul.f32    q9, q9, d14[0]
    vmul.f32    q10, q10, d14[1]
    vmul.f32    q11, q11, d14[1]
    vmul.f32    q12, q12, d15[0]
    vmul.f32    q13, q13, d15[0]
    vmul.f32    q14, q14, d15[1]
    vmul.f32    q15, q15, d15[1]
    vld1.8      {d0-d3}, [pw]!                  // the scales of the columns
    vld1.8      {d4-d7}, [pw]!                  // their biases
    vmul.f32    q8, q8, q0
    vmul.f32    q9, q9, q1
    vmul.f32    q10, q10, q0
    vmul.f32    q11, q11, q1
    vmul.f32    q12, q12, q0
    vmul.f32    q13, q13, q1
    vmul.f32    q14, q14, q0
    vmul.f32    q15, q15, q1
    vadd.f32    q8, q8, q2
    vadd.f32    q9, q9, q3
    vadd.f32    q10, q10, q2
    vadd.f32    q11, q11, q3
    vadd.f32    q12, q12, q2
    vadd.f32    q13, q13, q3
    vadd.f32    q14, q14, q2
    vadd.f32    q15, q15, q3
    vld1.32     {d0[], d1[]}, [\params]!       // smallest value allowed
    vld1.32     {d2[], d3[]}, [\params]        // largest
    vmax.f32    q8, q8, q0
    vmax.f32    q9, q9, q0
    vmax.f32    q10, q10, q0
    vmax.f32    q11, q11, q0
    vmax.f32    q12, q12, q0
    vmax.f32    q13, q13, q0
    vmax.f32    q14, q14, q0
    vmax.f32    q15, q15, q0
    vmin.f32    q8, q8, q1
    vmin.f32    q9, q9, q1
    vmin.f32    q10, q10, q1
    vmin.f32    q11, q11, q1
    vmin.f32    q12, q12, q1
    vmin.f32    q13, q13, q1
    vmin.f32    q14, q14, q1
    vmin.f32    q15, q15, q1
.endm
