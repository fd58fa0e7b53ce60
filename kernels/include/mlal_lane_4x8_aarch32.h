// The products of a 4x8 tile on AArch32: bytes widened to 16 bits, multiply-accumulate long by element.
//
//   q0..q3    eight depths of one row each, as int16        q8..q15  sums, two registers per row
//   q4        eight columns of one depth, as int16
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

// One depth: the weights of eight columns, times one lane of each row: a0..a3 are the d registers that hold it.
.macro one_depth a0, a1, a2, a3, lane
    vld1.8      {d8}, [pw]!
    widen_columns q4, d8
    vmlal.s16   q8, d8, \a0[\lane]
    vmlal.s16   q9, d9, \a0[\lane]
    vmlal.s16   q10, d8, \a1[\lane]
    vmlal.s16   q11, d9, \a1[\lane]
    vmlal.s16   q12, d8, \a2[\lane]
    vmlal.s16   q13, d9, \a2[\lane]
    vmlal.s16   q14, d8, \a3[\lane]
    vmlal.s16   q15, d9, \a3[\lane]
.endm

.macro widen_rows
    widen_row   q0, d0
    widen_row   q1, d2
    widen_row   q2, d4
    widen_row   q3, d6
.endm

// Whole groups of eight depths; count: depths left, less eight, also afterwards.
.macro whole_groups count, depth
    subs        \count, \depth, #8
    blo         11f
10:
    vld1.8      {d0}, [pa0]!
    vld1.8      {d2}, [pa1]!
    vld1.8      {d4}, [pa2]!
    vld1.8      {d6}, [pa3]!
    widen_rows
    one_depth   d0, d2, d4, d6, 0
    one_depth   d0, d2, d4, d6, 1
    one_depth   d0, d2, d4, d6, 2
    one_depth   d0, d2, d4, d6, 3
    one_depth   d1, d3, d5, d7, 0
    one_depth   d1, d3, d5, d7, 1
    one_depth   d1, d3, d5, d7, 2
    one_depth   d1, d3, d5, d7, 3
    subs        \count, \count, #8
    bhs         10b
11:
.endm

// The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out. Pointers end behind the rows.
.macro rest_of_group count
    cmp         \count, #-8
    beq         12f                             // none left
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    vdup.32     d10, \count
    vshl.i32    d10, d10, #3                    // minus the bits to shift out
    vld1.8      {d0}, [pa0]!
    vld1.8      {d2}, [pa1]!
    vld1.8      {d4}, [pa2]!
    vld1.8      {d6}, [pa3]!
    vshl.u64    d0, d0, d10                     // the last depths of row 0, then zeros
    vshl.u64    d2, d2, d10
    vshl.u64    d4, d4, d10
    vshl.u64    d6, d6, d10
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

// All depths of the rows that pa0..pa3 point at.
.macro multiply count, depth
    whole_groups \count, \depth
    rest_of_group \count
.endm
