// Around a tile of 4 rows and 8 columns on AArch64, for kernels that walk over all columns: what multiplies is elsewhere.
//
//   v16, v17  sums of row 0: columns 0..3, 4..7      v18, v19 row 1   v20, v21 row 2   v22, v23 row 3
// The kernel names by .req: pw (weights), pa0..pa3 (rows of a), pc0..pc3 (rows of c).

// Pointers to four rows from the first one; rows that do not exist repeat the last one that does.
.macro four_rows mr, stride, p0, p1, p2, p3
    cmp         \mr, #2
    add         \p1, \p0, \stride
    csel        \p1, \p0, \p1, lo               // mr = 1: row 1 is row 0 again
    add         \p2, \p1, \stride
    csel        \p2, \p1, \p2, ls               // mr <= 2: row 2 is row 1 again
    cmp         \mr, #4
    add         \p3, \p2, \stride
    csel        \p3, \p2, \p3, lo               // mr <= 3: row 3 is row 2 again
.endm

// The rows of one tap: four pointers out of the table, moved by offset unless they are the row of zeros.
.macro rows_of_tap table, offset, zero
    ldp         pa0, pa1, [\table], #16
    ldp         pa2, pa3, [\table], #16
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
.endm

// Back to the beginning of the rows, for the next block of columns.
.macro rewind_rows depth
    sub         pa0, pa0, \depth
    sub         pa1, pa1, \depth
    sub         pa2, pa2, \depth
    sub         pa3, pa3, \depth
.endm

.macro sums_from_bias
    ldp         q16, q17, [pw], #32             // row 0: biases of columns 0..7
    mov         v18.16b, v16.16b                // and three more rows
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v17.16b
    mov         v22.16b, v16.16b
    mov         v23.16b, v17.16b
.endm

// Eight bytes of each row, and on to the next block of columns.
.macro store_block step
    st1         {v16.8b}, [pc0], \step
    st1         {v18.8b}, [pc1], \step
    st1         {v20.8b}, [pc2], \step
    st1         {v22.8b}, [pc3], \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest columns
    tbz         \columns, #2, 12f
    str         s16, [pc0], #4
    str         s18, [pc1], #4
    str         s20, [pc2], #4
    str         s22, [pc3], #4
    ushr        d16, d16, #32                   // the next ones first
    ushr        d18, d18, #32
    ushr        d20, d20, #32
    ushr        d22, d22, #32
12:
    tbz         \columns, #1, 11f
    str         h16, [pc0], #2
    str         h18, [pc1], #2
    str         h20, [pc2], #2
    str         h22, [pc3], #2
    ushr        d16, d16, #16
    ushr        d18, d18, #16
    ushr        d20, d20, #16
    ushr        d22, d22, #16
11:
    tbz         \columns, #0, 10f
    str         b16, [pc0]
    str         b18, [pc1]
    str         b20, [pc2]
    str         b22, [pc3]
10:
.endm
