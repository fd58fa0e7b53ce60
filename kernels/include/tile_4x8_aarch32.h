// The inside of a 4x8 tile on AArch32: rows of bytes times packed weights, multiply-accumulate long by element.
//
//   q0..q3    eight depths of one row each, as int16        q8..q15  sums, two registers per row
//   q4, q5    eight columns of one depth, less zero point   d14      zero point of the weights, 8 times
// The kernel names the pointer to the weights pw by .req.

.macro sums_from_bias
    vld1.8      {d16-d19}, [pw]!                // row 0: biases of columns 0..3, 4..7
    vmov        q10, q8                         // and three more rows
    vmov        q11, q9
    vmov        q12, q8
    vmov        q13, q9
    vmov        q14, q8
    vmov        q15, q9
.endm

.macro widen_rows
    vmovl.u8    q0, d0
    vmovl.u8    q1, d2
    vmovl.u8    q2, d4
    vmovl.u8    q3, d6
.endm

// Products of eight columns of one depth, in low and high, with one lane of rows 0 and 1, or of rows 2 and 3; a0..a3 are
// the d registers that hold the lane.
.macro rows_01 low, high, a0, a1, lane
    vmlal.s16   q8, \low, \a0[\lane]
    vmlal.s16   q9, \high, \a0[\lane]
    vmlal.s16   q10, \low, \a1[\lane]
    vmlal.s16   q11, \high, \a1[\lane]
.endm
.macro rows_23 low, high, a2, a3, lane
    vmlal.s16   q12, \low, \a2[\lane]
    vmlal.s16   q13, \high, \a2[\lane]
    vmlal.s16   q14, \low, \a3[\lane]
    vmlal.s16   q15, \high, \a3[\lane]
.endm

// One depth by itself: its weights, then its products.
.macro one_depth a0, a1, a2, a3, lane
    vld1.8      {d8}, [pw]!
    vsubl.u8    q4, d8, d14
    rows_01     d8, d9, \a0, \a1, \lane
    rows_23     d8, d9, \a2, \a3, \lane
.endm

// One depth of many: its weights are there. Between its products the next weights, which were loaded into next_low
// meanwhile, lose their zero point, so that neither a load nor a subtraction is waited for.
.macro depth_and_next low, high, next, next_low, a0, a1, a2, a3, lane
    rows_01     \low, \high, \a0, \a1, \lane
    vsubl.u8    \next, \next_low, d14
    rows_23     \low, \high, \a2, \a3, \lane
.endm

// Whole groups of eight depths of the rows at p0..p3; count: depths left, less eight, also afterwards.
.macro whole_groups count, p0, p1, p2, p3
    subs        \count, \count, #8
    blo         11f
10:
    vld1.8      {d0}, [\p0]!
    vld1.8      {d2}, [\p1]!
    vld1.8      {d4}, [\p2]!
    vld1.8      {d6}, [\p3]!
    vld1.8      {d8}, [pw]!                     // depth 0
    vld1.8      {d10}, [pw]!                    // depth 1
    widen_rows
    vsubl.u8    q4, d8, d14
    vsubl.u8    q5, d10, d14
    rows_01     d8, d9, d0, d2, 0
    rows_23     d8, d9, d4, d6, 0
    vld1.8      {d8}, [pw]!                     // depth 2, and so on: always two ahead
    depth_and_next d10, d11, q4, d8, d0, d2, d4, d6, 1
    vld1.8      {d10}, [pw]!
    depth_and_next d8, d9, q5, d10, d0, d2, d4, d6, 2
    vld1.8      {d8}, [pw]!
    depth_and_next d10, d11, q4, d8, d0, d2, d4, d6, 3
    vld1.8      {d10}, [pw]!
    depth_and_next d8, d9, q5, d10, d1, d3, d5, d7, 0
    vld1.8      {d8}, [pw]!
    depth_and_next d10, d11, q4, d8, d1, d3, d5, d7, 1
    vld1.8      {d10}, [pw]!                    // depth 7
    depth_and_next d8, d9, q5, d10, d1, d3, d5, d7, 2
    rows_01     d10, d11, d1, d3, 3
    rows_23     d10, d11, d5, d7, 3
    subs        \count, \count, #8
    bhs         10b
11:
.endm

// The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out; t is a scratch register.
.macro rest_of_group count, t, p0, p1, p2, p3
    cmp         \count, #-8
    beq         12f                             // none left
    add         \p0, \p0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         \p1, \p1, \count
    add         \p2, \p2, \count
    add         \p3, \p3, \count
    lsl         \t, \count, #3
    vdup.32     d15, \t                         // minus the bits to shift out
    vld1.8      {d0}, [\p0]
    vld1.8      {d2}, [\p1]
    vld1.8      {d4}, [\p2]
    vld1.8      {d6}, [\p3]
    vshl.u64    d0, d0, d15                     // the last depths of row 0, then zeros
    vshl.u64    d2, d2, d15
    vshl.u64    d4, d4, d15
    vshl.u64    d6, d6, d15
    widen_rows
    one_depth   d0, d2, d4, d6, 0
    cmp         \count, #-6
    blt         12f                             // 1 depth left: done
    one_depth   d0, d2, d4, d6, 1
    beq         12f                             // 2 depths left: done
    one_depth   d0, d2, d4, d6, 2
    cmp         \count, #-4
    blt         12f                             // 3 depths left: done
    one_depth   d0, d2, d4, d6, 3
    beq         12f                             // 4 depths left: done
    one_depth   d1, d3, d5, d7, 0
    cmp         \count, #-2
    blt         12f                             // 5 depths left: done
    one_depth   d1, d3, d5, d7, 1
    beq         12f                             // 6 depths left: done
    one_depth   d1, d3, d5, d7, 2
12:
.endm

// Pointers to four rows from the first one; rows that do not exist repeat the last one that does.
.macro four_rows mr, stride, p0, p1, p2, p3
    cmp         \mr, #2
    add         \p1, \p0, \stride
    movlo       \p1, \p0                        // mr = 1: row 1 is row 0 again
    add         \p2, \p1, \stride
    movls       \p2, \p1                        // mr <= 2: row 2 is row 1 again
    cmp         \mr, #4
    add         \p3, \p2, \stride
    movne       \p3, \p2                        // mr <= 3: row 3 is row 2 again
.endm
