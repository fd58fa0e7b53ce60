// Around a tile of 2 rows and 8 columns on AArch64 whose columns have a register of four partial sums each.
//
//   v16..v23  partial sums of row 0, columns 0 to 7      v24..v31  of row 1
//   afterwards v16, v17 the sums of row 0: columns 0..3, 4..7, and v24, v25 those of row 1
// The kernel names by .req: pw (weights), pa0, pa1 (rows of a), pc0, pc1 (rows of c).

// A pointer to the second row; with one row it is that one again.
.macro two_rows mr, stride, p0, p1
    cmp         \mr, #2
    add         \p1, \p0, \stride
    csel        \p1, \p0, \p1, lo
.endm

// The rows of one tap: two pointers out of the table, moved by offset; those that equal zero become row.
.macro rows_of_tap_or table, offset, zero, row
    ldp         pa0, pa1, [\table], #16
    cmp         pa0, \zero
    add         pa0, pa0, \offset
    csel        pa0, \row, pa0, eq
    cmp         pa1, \zero
    add         pa1, pa1, \offset
    csel        pa1, \row, pa1, eq
.endm

// The same where the pointer zero leads to the row of zeros itself.
.macro rows_of_tap table, offset, zero
    rows_of_tap_or \table, \offset, \zero, \zero
.endm

// Back to the beginning of the rows, for the next block of columns.
.macro rewind_rows depth
    sub         pa0, pa0, \depth
    sub         pa1, pa1, \depth
.endm

// The bias of a column in the first of its four partial sums, zeros in the others.
.macro sums_from_bias
    ldp         s16, s17, [pw], #8
    ldp         s18, s19, [pw], #8
    ldp         s20, s21, [pw], #8
    ldp         s22, s23, [pw], #8
    mov         v24.16b, v16.16b                // row 1
    mov         v25.16b, v17.16b
    mov         v26.16b, v18.16b
    mov         v27.16b, v19.16b
    mov         v28.16b, v20.16b
    mov         v29.16b, v21.16b
    mov         v30.16b, v22.16b
    mov         v31.16b, v23.16b
.endm

// Four partial sums to one, by a tree of pairwise additions.
.macro add_partial_sums
    addp        v16.4s, v16.4s, v17.4s
    addp        v18.4s, v18.4s, v19.4s
    addp        v20.4s, v20.4s, v21.4s
    addp        v22.4s, v22.4s, v23.4s
    addp        v24.4s, v24.4s, v25.4s
    addp        v26.4s, v26.4s, v27.4s
    addp        v28.4s, v28.4s, v29.4s
    addp        v30.4s, v30.4s, v31.4s
    addp        v16.4s, v16.4s, v18.4s          // row 0, columns 0..3
    addp        v17.4s, v20.4s, v22.4s          // columns 4..7
    addp        v24.4s, v24.4s, v26.4s          // row 1
    addp        v25.4s, v28.4s, v30.4s
.endm

// Eight bytes of each row, and on to the next block of columns.
.macro store_block step
    st1         {v16.8b}, [pc0], \step
    st1         {v24.8b}, [pc1], \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest columns
    tbz         \columns, #2, 12f
    str         s16, [pc0], #4
    str         s24, [pc1], #4
    ushr        d16, d16, #32                   // the next ones first
    ushr        d24, d24, #32
12:
    tbz         \columns, #1, 11f
    str         h16, [pc0], #2
    str         h24, [pc1], #2
    ushr        d16, d16, #16
    ushr        d24, d24, #16
11:
    tbz         \columns, #0, 10f
    str         b16, [pc0]
    str         b24, [pc1]
10:
.endm
