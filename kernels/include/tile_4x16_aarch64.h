// Around a tile of 4 rows and 16 columns on AArch64: biases, pointers, stores. What multiplies is in another file.
//
//   v16..v19  sums of row 0: columns 0..3, 4..7, 8..11, 12..15      v20..v23 row 1   v24..v27 row 2   v28..v31 row 3
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

// The rows of one tap: four pointers out of the table, moved by offset; those that equal zero become row.
.macro rows_of_tap_or table, offset, zero, row
    ldp         pa0, pa1, [\table], #16
    ldp         pa2, pa3, [\table], #16
    cmp         pa0, \zero
    add         pa0, pa0, \offset
    csel        pa0, \row, pa0, eq
    cmp         pa1, \zero
    add         pa1, pa1, \offset
    csel        pa1, \row, pa1, eq
    cmp         pa2, \zero
    add         pa2, pa2, \offset
    csel        pa2, \row, pa2, eq
    cmp         pa3, \zero
    add         pa3, pa3, \offset
    csel        pa3, \row, pa3, eq
.endm

// The same where the pointer zero leads to the row of zeros itself.
.macro rows_of_tap table, offset, zero
    rows_of_tap_or \table, \offset, \zero, \zero
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
    ldp         q18, q19, [pw], #32             // columns 8..15
    mov         v20.16b, v16.16b                // and three more rows
    mov         v21.16b, v17.16b
    mov         v22.16b, v18.16b
    mov         v23.16b, v19.16b
    mov         v24.16b, v16.16b
    mov         v25.16b, v17.16b
    mov         v26.16b, v18.16b
    mov         v27.16b, v19.16b
    mov         v28.16b, v16.16b
    mov         v29.16b, v17.16b
    mov         v30.16b, v18.16b
    mov         v31.16b, v19.16b
.endm

// Sixteen bytes of each row, and on to the next block of columns.
.macro store_block step
    st1         {v16.16b}, [pc0], \step
    st1         {v20.16b}, [pc1], \step
    st1         {v24.16b}, [pc2], \step
    st1         {v28.16b}, [pc3], \step
.endm

// The last 1..15 columns, 8, 4, 2, 1 of them at a time; columns holds their number in its low four bits.
.macro store_rest columns
    tbz         \columns, #3, 13f
    str         d16, [pc0], #8
    str         d20, [pc1], #8
    str         d24, [pc2], #8
    str         d28, [pc3], #8
    dup         d16, v16.d[1]                   // columns 8.. first
    dup         d20, v20.d[1]
    dup         d24, v24.d[1]
    dup         d28, v28.d[1]
13:
    tbz         \columns, #2, 12f
    str         s16, [pc0], #4
    str         s20, [pc1], #4
    str         s24, [pc2], #4
    str         s28, [pc3], #4
    ushr        d16, d16, #32                   // the next ones first
    ushr        d20, d20, #32
    ushr        d24, d24, #32
    ushr        d28, d28, #32
12:
    tbz         \columns, #1, 11f
    str         h16, [pc0], #2
    str         h20, [pc1], #2
    str         h24, [pc2], #2
    str         h28, [pc3], #2
    ushr        d16, d16, #16
    ushr        d20, d20, #16
    ushr        d24, d24, #16
    ushr        d28, d28, #16
11:
    tbz         \columns, #0, 10f
    str         b16, [pc0]
    str         b20, [pc1]
    str         b24, [pc2]
    str         b28, [pc3]
10:
.endm

// Sixteen words of each row, sums or floats, and on to the next block of columns.
.macro store_words step
    stp         q16, q17, [pc0]
    stp         q18, q19, [pc0, #32]
    add         pc0, pc0, \step
    stp         q20, q21, [pc1]
    stp         q22, q23, [pc1, #32]
    add         pc1, pc1, \step
    stp         q24, q25, [pc2]
    stp         q26, q27, [pc2, #32]
    add         pc2, pc2, \step
    stp         q28, q29, [pc3]
    stp         q30, q31, [pc3, #32]
    add         pc3, pc3, \step
.endm

// The last 1..15 columns, 8, 4, 2, 1 of them at a time; columns holds their number in its low four bits.
.macro store_rest_of_words columns
    tbz         \columns, #3, 13f
    stp         q16, q17, [pc0], #32
    mov         v16.16b, v18.16b
    mov         v17.16b, v19.16b
    stp         q20, q21, [pc1], #32
    mov         v20.16b, v22.16b
    mov         v21.16b, v23.16b
    stp         q24, q25, [pc2], #32
    mov         v24.16b, v26.16b
    mov         v25.16b, v27.16b
    stp         q28, q29, [pc3], #32
    mov         v28.16b, v30.16b
    mov         v29.16b, v31.16b
13:
    tbz         \columns, #2, 12f
    str         q16, [pc0], #16
    mov         v16.16b, v17.16b
    str         q20, [pc1], #16
    mov         v20.16b, v21.16b
    str         q24, [pc2], #16
    mov         v24.16b, v25.16b
    str         q28, [pc3], #16
    mov         v28.16b, v29.16b
12:
    tbz         \columns, #1, 11f
    str         d16, [pc0], #8
    dup         d16, v16.d[1]
    str         d20, [pc1], #8
    dup         d20, v20.d[1]
    str         d24, [pc2], #8
    dup         d24, v24.d[1]
    str         d28, [pc3], #8
    dup         d28, v28.d[1]
11:
    tbz         \columns, #0, 10f
    str         s16, [pc0]
    str         s20, [pc1]
    str         s24, [pc2]
    str         s28, [pc3]
10:
.endm
