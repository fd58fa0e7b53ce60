// Inside a tile of 4 rows and 8 columns of float32 on AArch32: VFMA has no element, so that elements are repeated by VDUP.
//
//   q8, q9    sums of row 0: columns 0..3, 4..7     q10, q11 row 1   q12, q13 row 2   q14, q15 row 3
//   d0..d3    two depths of one row each            q2, q3   weights of one depth     q4..q7 one element of each row
// The kernel names by .req: pw (weights), pa0..pa3 (rows of a). Biases, pointers and stores are those of other tiles of 4x8
// (gemm_4x8_aarch32.h, qd8_aarch32.h).

// One depth: eight weights times one element of each row, lane 0 or 1. No sum has two products in a row.
.macro one_depth_of_floats lane
    vld1.32     {d4-d7}, [pw]!
    vdup.32     q4, d0[\lane]
    vdup.32     q5, d1[\lane]
    vdup.32     q6, d2[\lane]
    vdup.32     q7, d3[\lane]
    vfma.f32    q8, q2, q4
    vfma.f32    q10, q2, q5
    vfma.f32    q12, q2, q6
    vfma.f32    q14, q2, q7
    vfma.f32    q9, q3, q4
    vfma.f32    q11, q3, q5
    vfma.f32    q13, q3, q6
    vfma.f32    q15, q3, q7
.endm

// All depths of the rows that pa0..pa3 point at; depth: their bytes. Pointers end behind the rows.
.macro multiply count, depth
    subs        \count, \depth, #8
    blo         11f
10:
    vld1.32     {d0}, [pa0]!
    vld1.32     {d1}, [pa1]!
    vld1.32     {d2}, [pa2]!
    vld1.32     {d3}, [pa3]!
    one_depth_of_floats 0
    one_depth_of_floats 1
    subs        \count, \count, #8
    bhs         10b
11:
    tst         \count, #4                      // an even number of depths: none left
    beq         12f
    vld1.32     {d0[]}, [pa0]!
    vld1.32     {d1[]}, [pa1]!
    vld1.32     {d2[]}, [pa2]!
    vld1.32     {d3[]}, [pa3]!
    one_depth_of_floats 0
12:
.endm

// Within the limits that params points at.
.macro clamp_tile params
    vld1.32     {d0[], d1[]}, [\params]!        // smallest value allowed
    vld1.32     {d2[], d3[]}, [\params]         // largest
    .irp q, q8, q9, q10, q11, q12, q13, q14, q15
    vmax.f32    \q, \q, q0
    .endr
    .irp q, q8, q9, q10, q11, q12, q13, q14, q15
    vmin.f32    \q, \q, q1
    .endr
.endm
