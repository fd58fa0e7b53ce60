// Around and inside a tile of 6 rows and 8 columns of float32 on AArch64: FMLA by element, two depths at a time.
//
//   v20, v21  sums of row 0: columns 0..3, 4..7     v22, v23 row 1   ...   v30, v31 row 5
//   v0..v5    two depths of one row each            v16, v17 weights of the first depth, v18, v19 of the second
//   v6, v7    smallest and largest value allowed, four times
// The kernel names by .req: pw (weights), pa0..pa5 (rows of a), pc0..pc5 (rows of c).

// Pointers to six rows from the first one; rows that do not exist repeat the last one that does. p5 may be the stride.
.macro six_rows mr, stride, p0, p1, p2, p3, p4, p5
    cmp         \mr, #2
    add         \p1, \p0, \stride
    csel        \p1, \p0, \p1, lo               // mr = 1: row 1 is row 0 again
    add         \p2, \p1, \stride
    csel        \p2, \p1, \p2, ls               // mr <= 2: row 2 is row 1 again
    cmp         \mr, #4
    add         \p3, \p2, \stride
    csel        \p3, \p2, \p3, lo               // mr <= 3: row 3 is row 2 again
    add         \p4, \p3, \stride
    csel        \p4, \p3, \p4, ls               // mr <= 4: row 4 is row 3 again
    cmp         \mr, #6
    add         \p5, \p4, \stride
    csel        \p5, \p4, \p5, lo               // mr <= 5: row 5 is row 4 again
.endm

// The rows of one tap: six pointers out of the table, moved by offset unless they are the row of zeros.
.macro six_rows_of_tap table, offset, zero
    ldp         pa0, pa1, [\table], #16
    ldp         pa2, pa3, [\table], #16
    ldp         pa4, pa5, [\table], #16
    cmp         pa0, \zero
    add         pa0, pa0, \offset
    csel        pa0, \zero, pa0, eq
    cmp         pa1, \zero
    add         pa1, pa1, \offset
    csel        pa1, \zero, pa1, eq
    cmp         pa2, \zero
    add         pa2, pa2, \offset
    csel        pa2, \zero, pa2, eq
    cmp         pa3, \zero
    add         pa3, pa3, \offset
    csel        pa3, \zero, pa3, eq
    cmp         pa4, \zero
    add         pa4, pa4, \offset
    csel        pa4, \zero, pa4, eq
    cmp         pa5, \zero
    add         pa5, pa5, \offset
    csel        pa5, \zero, pa5, eq
.endm

// Back to the beginning of the rows, for the next block of columns.
.macro rewind_rows depth
    sub         pa0, pa0, \depth
    sub         pa1, pa1, \depth
    sub         pa2, pa2, \depth
    sub         pa3, pa3, \depth
    sub         pa4, pa4, \depth
    sub         pa5, pa5, \depth
.endm

// Every row begins with the biases of its columns.
.macro sums_from_bias
    ldp         q20, q21, [pw], #32             // row 0
    mov         v22.16b, v20.16b                // and five more
    mov         v23.16b, v21.16b
    mov         v24.16b, v20.16b
    mov         v25.16b, v21.16b
    mov         v26.16b, v20.16b
    mov         v27.16b, v21.16b
    mov         v28.16b, v20.16b
    mov         v29.16b, v21.16b
    mov         v30.16b, v20.16b
    mov         v31.16b, v21.16b
.endm

// One row of one depth: eight weights in low and high times an element.
.macro row_of_depth left, right, low, high, x, lane
    fmla        \left\().4s, \low\().4s, \x\().s[\lane]
    fmla        \right\().4s, \high\().4s, \x\().s[\lane]
.endm

// One depth by itself: its weights are there.
.macro one_depth low, high, lane
    row_of_depth v20, v21, \low, \high, v0, \lane
    row_of_depth v22, v23, \low, \high, v1, \lane
    row_of_depth v24, v25, \low, \high, v2, \lane
    row_of_depth v26, v27, \low, \high, v3, \lane
    row_of_depth v28, v29, \low, \high, v4, \lane
    row_of_depth v30, v31, \low, \high, v5, \lane
.endm

// Two depths, of which the elements and the first weights are there. Cores that issue in order stand still when an
// instruction waits for a load: so the elements of the next two are loaded as soon as a register is free.
.macro two_depths_and_next
    ldp         q18, q19, [pw], #32             // depth 1
    one_depth   v16, v17, 0
    ldp         q16, q17, [pw], #32             // depth 2
    row_of_depth v20, v21, v18, v19, v0, 1
    ldr         d0, [pa0], #8
    row_of_depth v22, v23, v18, v19, v1, 1
    ldr         d1, [pa1], #8
    row_of_depth v24, v25, v18, v19, v2, 1
    ldr         d2, [pa2], #8
    row_of_depth v26, v27, v18, v19, v3, 1
    ldr         d3, [pa3], #8
    row_of_depth v28, v29, v18, v19, v4, 1
    ldr         d4, [pa4], #8
    row_of_depth v30, v31, v18, v19, v5, 1
    ldr         d5, [pa5], #8
.endm

// All depths of the rows that pa0..pa5 point at; depth: their bytes. Pointers end behind the rows.
.macro multiply count, depth
    subs        \count, \depth, #8
    b.lo        11f
    ldr         d0, [pa0], #8                   // the first two depths
    ldr         d1, [pa1], #8
    ldp         q16, q17, [pw], #32
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    ldr         d4, [pa4], #8
    ldr         d5, [pa5], #8
    subs        \count, \count, #8
    b.lo        13f
10:
    two_depths_and_next
    subs        \count, \count, #8
    b.hs        10b
13:
    ldp         q18, q19, [pw], #32             // the last two
    one_depth   v16, v17, 0
    one_depth   v18, v19, 1
11:
    tbz         \count, #2, 12f                 // an even number of depths: none left
    ldr         s0, [pa0], #4
    ldp         q16, q17, [pw], #32
    ldr         s1, [pa1], #4
    ldr         s2, [pa2], #4
    ldr         s3, [pa3], #4
    ldr         s4, [pa4], #4
    ldr         s5, [pa5], #4
    one_depth   v16, v17, 0
12:
.endm

.macro not_below v
    fmax        \v\().4s, \v\().4s, v6.4s
.endm

.macro not_above v
    fmin        \v\().4s, \v\().4s, v7.4s
.endm

// All sums within the limits.
.macro clamp_tile
    .irp v, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31
    not_below   \v
    .endr
    .irp v, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31
    not_above   \v
    .endr
.endm

// Eight columns of each row, and on to the next block; rows that do not exist store the same again.
.macro store_tile step
    stp         q30, q31, [pc5]
    add         pc5, pc5, \step
    stp         q28, q29, [pc4]
    add         pc4, pc4, \step
    stp         q26, q27, [pc3]
    add         pc3, pc3, \step
    stp         q24, q25, [pc2]
    add         pc2, pc2, \step
    stp         q22, q23, [pc1]
    add         pc1, pc1, \step
    stp         q20, q21, [pc0]
    add         pc0, pc0, \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest_of_tile columns
    tbz         \columns, #2, 12f
    str         q30, [pc5], #16
    mov         v30.16b, v31.16b
    str         q28, [pc4], #16
    mov         v28.16b, v29.16b
    str         q26, [pc3], #16
    mov         v26.16b, v27.16b
    str         q24, [pc2], #16
    mov         v24.16b, v25.16b
    str         q22, [pc1], #16
    mov         v22.16b, v23.16b
    str         q20, [pc0], #16
    mov         v20.16b, v21.16b
12:
    tbz         \columns, #1, 11f
    str         d30, [pc5], #8
    dup         d30, v30.d[1]
    str         d28, [pc4], #8
    dup         d28, v28.d[1]
    str         d26, [pc3], #8
    dup         d26, v26.d[1]
    str         d24, [pc2], #8
    dup         d24, v24.d[1]
    str         d22, [pc1], #8
    dup         d22, v22.d[1]
    str         d20, [pc0], #8
    dup         d20, v20.d[1]
11:
    tbz         \columns, #0, 10f
    str         s30, [pc5]
    str         s28, [pc4]
    str         s26, [pc3]
    str         s24, [pc2]
    str         s22, [pc1]
    str         s20, [pc0]
10:
.endm
