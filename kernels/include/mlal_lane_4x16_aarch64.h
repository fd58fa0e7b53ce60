// The products of a 4x16 tile on AArch64: bytes widened to 16 bits, multiply-accumulate long by element.
//
//   v0..v3    eight depths of one row each, as int16          v16..v31  sums, four registers per row
//   v4, v5    sixteen columns of one depth, as int16
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

// One depth: the weights of sixteen columns, times one lane of each row.
.macro one_depth lane
    ldr         q4, [pw], #16
    widen_columns v5, v4                        // v5: columns 0..7, v4: columns 8..15
    smlal       v16.4s, v5.4h, v0.h[\lane]
    smlal2      v17.4s, v5.8h, v0.h[\lane]
    smlal       v18.4s, v4.4h, v0.h[\lane]
    smlal2      v19.4s, v4.8h, v0.h[\lane]
    smlal       v20.4s, v5.4h, v1.h[\lane]
    smlal2      v21.4s, v5.8h, v1.h[\lane]
    smlal       v22.4s, v4.4h, v1.h[\lane]
    smlal2      v23.4s, v4.8h, v1.h[\lane]
    smlal       v24.4s, v5.4h, v2.h[\lane]
    smlal2      v25.4s, v5.8h, v2.h[\lane]
    smlal       v26.4s, v4.4h, v2.h[\lane]
    smlal2      v27.4s, v4.8h, v2.h[\lane]
    smlal       v28.4s, v5.4h, v3.h[\lane]
    smlal2      v29.4s, v5.8h, v3.h[\lane]
    smlal       v30.4s, v4.4h, v3.h[\lane]
    smlal2      v31.4s, v4.8h, v3.h[\lane]
.endm

// Whole groups of eight depths; count: depths left, less eight, also afterwards.
.macro whole_groups count, depth
    subs        \count, \depth, #8
    b.lo        11f
10:
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    widen_row   v0
    widen_row   v1
    widen_row   v2
    widen_row   v3
    one_depth   0
    one_depth   1
    one_depth   2
    one_depth   3
    one_depth   4
    one_depth   5
    one_depth   6
    one_depth   7
    subs        \count, \count, #8
    b.hs        10b
11:
.endm

// The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out. Pointers end behind the rows.
.macro rest_of_group count
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d5, \count
    shl         d5, d5, #3                      // minus the bits to shift out
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    ushl        d0, d0, d5                      // the last depths of row 0, then zeros
    ushl        d1, d1, d5
    ushl        d2, d2, d5
    ushl        d3, d3, d5
    widen_row   v0
    widen_row   v1
    widen_row   v2
    widen_row   v3
    one_depth   0
    cmp         \count, #-6
    b.lt        12f                             // 1 depth left: done
    one_depth   1
    b.eq        12f                             // 2 depths left: done
    one_depth   2
    cmp         \count, #-4
    b.lt        12f                             // 3 depths left: done
    one_depth   3
    b.eq        12f                             // 4 depths left: done
    one_depth   4
    cmp         \count, #-2
    b.lt        12f                             // 5 depths left: done
    one_depth   5
    b.eq        12f                             // 6 depths left: done
    one_depth   6
12:
.endm

// All depths of the rows that pa0..pa3 point at.
.macro multiply count, depth
    whole_groups \count, \depth
    rest_of_group \count
.endm
