// Inside a tile of 4 rows and 8 columns of float32 on AArch32: VFMA has no element, so that elements are repeated by VDUP.
//
//   q8, q9    sums of row 0: columns 0..3, 4..7     q10, q11 row 1   q12, q13 row 2   q14, q15 row 3
//   d0..d3    two depths of one row each            q2, q3   weights of one depth, q6, q7 of the other
//   q4, q5    one element, four times, in turn
// The kernel names by .req: pw (weights), pa0..pa3 (rows of a). Biases, pointers and stores are those of other tiles of 4x8
// (gemm_4x8_aarch32.h, qd8_aarch32.h).

// One depth of four rows, of which the weights in low and high are there, and the first element in q4. Each element is
// repeated while the one before is multiplied. next: what is repeated in the end, the first element of the next depth.
.macro depth_of_floats low, high, lane, next
    vdup.32     q5, d1[\lane]
    vfma.f32    q8, \low, q4
    vfma.f32    q9, \high, q4
    vdup.32     q4, d2[\lane]
    vfma.f32    q10, \low, q5
    vfma.f32    q11, \high, q5
    vdup.32     q5, d3[\lane]
    vfma.f32    q12, \low, q4
    vfma.f32    q13, \high, q4
    .ifnc \next, none
    vdup.32     q4, \next
    .endif
    vfma.f32    q14, \low, q5
    vfma.f32    q15, \high, q5
.endm

// The second of two depths, its weights in q6 and q7, while the next two are loaded, and their first weights.
.macro second_depth_and_next
    vld1.32     {d4-d7}, [pw]!
    vdup.32     q5, d1[1]
    vld1.32     {d0}, [pa0]!
    vfma.f32    q8, q6, q4
    vfma.f32    q9, q7, q4
    vdup.32     q4, d2[1]
    vld1.32     {d1}, [pa1]!
    vfma.f32    q10, q6, q5
    vfma.f32    q11, q7, q5
    vdup.32     q5, d3[1]
    vld1.32     {d2}, [pa2]!
    vfma.f32    q12, q6, q4
    vfma.f32    q13, q7, q4
    vdup.32     q4, d0[0]
    vld1.32     {d3}, [pa3]!
    vfma.f32    q14, q6, q5
    vfma.f32    q15, q7, q5
.endm

// All depths of the rows that pa0..pa3 point at; depth: their bytes. Pointers end behind the rows.
.macro multiply count, depth
    subs        \count, \depth, #8
    blo         11f
    vld1.32     {d0}, [pa0]!                    // the first two depths
    vld1.32     {d1}, [pa1]!
    vld1.32     {d2}, [pa2]!
    vld1.32     {d3}, [pa3]!
    vld1.32     {d4-d7}, [pw]!
    vdup.32     q4, d0[0]
    subs        \count, \count, #8
    blo         13f
10:
    vld1.32     {d12-d15}, [pw]!
    depth_of_floats q2, q3, 0, d0[1]
    second_depth_and_next
    subs        \count, \count, #8
    bhs         10b
13:
    vld1.32     {d12-d15}, [pw]!                // the last two
    depth_of_floats q2, q3, 0, d0[1]
    depth_of_floats q6, q7, 1, none
11:
    tst         \count, #4                      // an even number of depths: none left
    beq         12f
    vld1.32     {d8[], d9[]}, [pa0]!
    vld1.32     {d1[]}, [pa1]!
    vld1.32     {d2[]}, [pa2]!
    vld1.32     {d3[]}, [pa3]!
    vld1.32     {d4-d7}, [pw]!
    depth_of_floats q2, q3, 0, none
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
