// The inside of an 8x8 tile on AArch64: rows of bytes times packed weights, multiply-accumulate long by element.
//
//   v0..v7    eight depths of one row each, as int16        v16..v31  sums, two registers per row
//   v9, v10   eight columns of one depth, less zero point
// The kernel names the pointer to the weights pw and the zero point of the weights wzp (.8b) by .req.

.macro sums_from_bias
    ld1         {v16.4s, v17.4s}, [pw], #32     // row 0: biases of columns 0..3, 4..7
    mov         v18.16b, v16.16b                // and seven more rows
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v17.16b
    mov         v22.16b, v16.16b
    mov         v23.16b, v17.16b
    mov         v24.16b, v16.16b
    mov         v25.16b, v17.16b
    mov         v26.16b, v16.16b
    mov         v27.16b, v17.16b
    mov         v28.16b, v16.16b
    mov         v29.16b, v17.16b
    mov         v30.16b, v16.16b
    mov         v31.16b, v17.16b
.endm

.macro widen_rows
    uxtl        v0.8h, v0.8b
    uxtl        v1.8h, v1.8b
    uxtl        v2.8h, v2.8b
    uxtl        v3.8h, v3.8b
    uxtl        v4.8h, v4.8b
    uxtl        v5.8h, v5.8b
    uxtl        v6.8h, v6.8b
    uxtl        v7.8h, v7.8b
.endm

// Products of eight columns of one depth, in w, with one lane of rows 0..3, or of rows 4..7.
.macro rows_0123 w, lane
    smlal       v16.4s, \w\().4h, v0.h[\lane]
    smlal2      v17.4s, \w\().8h, v0.h[\lane]
    smlal       v18.4s, \w\().4h, v1.h[\lane]
    smlal2      v19.4s, \w\().8h, v1.h[\lane]
    smlal       v20.4s, \w\().4h, v2.h[\lane]
    smlal2      v21.4s, \w\().8h, v2.h[\lane]
    smlal       v22.4s, \w\().4h, v3.h[\lane]
    smlal2      v23.4s, \w\().8h, v3.h[\lane]
.endm
.macro rows_4567 w, lane
    smlal       v24.4s, \w\().4h, v4.h[\lane]
    smlal2      v25.4s, \w\().8h, v4.h[\lane]
    smlal       v26.4s, \w\().4h, v5.h[\lane]
    smlal2      v27.4s, \w\().8h, v5.h[\lane]
    smlal       v28.4s, \w\().4h, v6.h[\lane]
    smlal2      v29.4s, \w\().8h, v6.h[\lane]
    smlal       v30.4s, \w\().4h, v7.h[\lane]
    smlal2      v31.4s, \w\().8h, v7.h[\lane]
.endm

// One depth by itself: its weights, then its products.
.macro one_depth lane
    ld1         {v9.8b}, [pw], #8
    usubl       v9.8h, v9.8b, wzp.8b
    rows_0123   v9, \lane
    rows_4567   v9, \lane
.endm

// One depth of many: its weights, w, are there. Between its products the next weights, which were loaded meanwhile, lose
// their zero point, so that neither a load nor a subtraction is waited for.
.macro depth_and_next w, next, lane
    rows_0123   \w, \lane
    usubl       \next\().8h, \next\().8b, wzp.8b
    rows_4567   \w, \lane
.endm

// Whole groups of eight depths of the rows at p0..p7; count: depths left, less eight, also afterwards.
.macro whole_groups count, p0, p1, p2, p3, p4, p5, p6, p7
    subs        \count, \count, #8
    b.lo        11f
10:
    ld1         {v0.8b}, [\p0], #8
    ld1         {v1.8b}, [\p1], #8
    ld1         {v2.8b}, [\p2], #8
    ld1         {v3.8b}, [\p3], #8
    ld1         {v4.8b}, [\p4], #8
    ld1         {v5.8b}, [\p5], #8
    ld1         {v6.8b}, [\p6], #8
    ld1         {v7.8b}, [\p7], #8
    ld1         {v9.8b}, [pw], #8               // depth 0
    ld1         {v10.8b}, [pw], #8              // depth 1
    widen_rows
    usubl       v9.8h, v9.8b, wzp.8b
    usubl       v10.8h, v10.8b, wzp.8b
    rows_0123   v9, 0
    rows_4567   v9, 0
    ld1         {v9.8b}, [pw], #8               // depth 2, and so on: always two ahead
    depth_and_next v10, v9, 1
    ld1         {v10.8b}, [pw], #8
    depth_and_next v9, v10, 2
    ld1         {v9.8b}, [pw], #8
    depth_and_next v10, v9, 3
    ld1         {v10.8b}, [pw], #8
    depth_and_next v9, v10, 4
    ld1         {v9.8b}, [pw], #8
    depth_and_next v10, v9, 5
    ld1         {v10.8b}, [pw], #8              // depth 7
    depth_and_next v9, v10, 6
    rows_0123   v10, 7
    rows_4567   v10, 7
    subs        \count, \count, #8
    b.hs        10b
11:
.endm

// The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
.macro rest_of_group count, p0, p1, p2, p3, p4, p5, p6, p7
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d9, \count
    shl         d9, d9, #3                      // minus the bits to shift out
    ldr         d0, [\p0, \count]               // up to 7 bytes back, for kc < 8 before the row
    ldr         d1, [\p1, \count]
    ldr         d2, [\p2, \count]
    ldr         d3, [\p3, \count]
    ldr         d4, [\p4, \count]
    ldr         d5, [\p5, \count]
    ldr         d6, [\p6, \count]
    ldr         d7, [\p7, \count]
    ushl        d0, d0, d9                      // the last depths of row 0, then zeros
    ushl        d1, d1, d9
    ushl        d2, d2, d9
    ushl        d3, d3, d9
    ushl        d4, d4, d9
    ushl        d5, d5, d9
    ushl        d6, d6, d9
    ushl        d7, d7, d9
    widen_rows
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

// Pointers to eight rows from the first one; rows that do not exist repeat the last one that does.
.macro eight_rows mr, stride, p0, p1, p2, p3, p4, p5, p6, p7
    cmp         \mr, #2
    add         \p1, \p0, \stride
    csel        \p1, \p0, \p1, lo               // mr <= 1: row 1 is row 0 again
    add         \p2, \p1, \stride
    csel        \p2, \p1, \p2, ls               // mr <= 2
    cmp         \mr, #4
    add         \p3, \p2, \stride
    csel        \p3, \p2, \p3, lo               // mr <= 3
    add         \p4, \p3, \stride
    csel        \p4, \p3, \p4, ls               // mr <= 4
    cmp         \mr, #6
    add         \p5, \p4, \stride
    csel        \p5, \p4, \p5, lo               // mr <= 5
    add         \p6, \p5, \stride
    csel        \p6, \p5, \p6, ls               // mr <= 6
    cmp         \mr, #8
    add         \p7, \p6, \stride
    csel        \p7, \p6, \p7, ne               // mr <= 7
.endm
