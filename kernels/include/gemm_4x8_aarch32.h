// Around a tile of 4 rows and 8 columns on AArch32, for kernels that walk over all columns: what multiplies is in another file.
//
//   q8, q9    sums of row 0: columns 0..3, 4..7      q10, q11 row 1   q12, q13 row 2   q14, q15 row 3
// The kernel names by .req: pw (weights), pa0..pa3 (rows of a), pc0..pc3 (rows of c).

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

// The rows of one tap: four pointers out of the table, moved by offset unless they are the row of zeros.
.macro rows_of_tap table, offset, zero
    ldm         \table!, {r4-r6, r12}           // pa0..pa3
    cmp         pa0, \zero
    addne       pa0, pa0, \offset
    cmp         pa1, \zero
    addne       pa1, pa1, \offset
    cmp         pa2, \zero
    addne       pa2, pa2, \offset
    cmp         pa3, \zero
    addne       pa3, pa3, \offset
.endm

// Back to the beginning of the rows, for the next block of columns.
.macro rewind_rows depth
    sub         pa0, pa0, \depth
    sub         pa1, pa1, \depth
    sub         pa2, pa2, \depth
    sub         pa3, pa3, \depth
.endm

.macro sums_from_bias
    vld1.8      {d16-d19}, [pw]!                // row 0: biases of columns 0..3, 4..7
    vmov        q10, q8                         // and three more rows
    vmov        q11, q9
    vmov        q12, q8
    vmov        q13, q9
    vmov        q14, q8
    vmov        q15, q9
.endm

// Eight bytes of each row (d16..d19), and on to the next block of columns.
.macro store_block step
    vst1.8      {d16}, [pc0], \step
    vst1.8      {d17}, [pc1], \step
    vst1.8      {d18}, [pc2], \step
    vst1.8      {d19}, [pc3], \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest columns
    tst         \columns, #4
    beq         12f
    vst1.32     {d16[0]}, [pc0]!
    vst1.32     {d17[0]}, [pc1]!
    vst1.32     {d18[0]}, [pc2]!
    vst1.32     {d19[0]}, [pc3]!
    vext.8      q8, q8, q8, #4                  // d16, d17: columns 4.. first
    vext.8      q9, q9, q9, #4                  // d18, d19: columns 4.. first
12:
    tst         \columns, #2
    beq         11f
    vst1.16     {d16[0]}, [pc0]!
    vst1.16     {d17[0]}, [pc1]!
    vst1.16     {d18[0]}, [pc2]!
    vst1.16     {d19[0]}, [pc3]!
    vext.8      q8, q8, q8, #2                  // the last column first
    vext.8      q9, q9, q9, #2
11:
    tst         \columns, #1
    beq         10f
    vst1.8      {d16[0]}, [pc0]
    vst1.8      {d17[0]}, [pc1]
    vst1.8      {d18[0]}, [pc2]
    vst1.8      {d19[0]}, [pc3]
10:
.endm

// Eight words of each row, sums or floats, and on to the next block of columns.
.macro store_words step
    vst1.8      {d16-d19}, [pc0], \step
    vst1.8      {d20-d23}, [pc1], \step
    vst1.8      {d24-d27}, [pc2], \step
    vst1.8      {d28-d31}, [pc3], \step
.endm

// The last 1..7 columns, 4, 2, 1 of them at a time; columns holds their number in its low three bits.
.macro store_rest_of_words columns
    tst         \columns, #4
    beq         12f
    vst1.8      {d16-d17}, [pc0]!
    vmov        q8, q9
    vst1.8      {d20-d21}, [pc1]!
    vmov        q10, q11
    vst1.8      {d24-d25}, [pc2]!
    vmov        q12, q13
    vst1.8      {d28-d29}, [pc3]!
    vmov        q14, q15
12:
    tst         \columns, #2
    beq         11f
    vst1.8      {d16}, [pc0]!
    vmov        d16, d17
    vst1.8      {d20}, [pc1]!
    vmov        d20, d21
    vst1.8      {d24}, [pc2]!
    vmov        d24, d25
    vst1.8      {d28}, [pc3]!
    vmov        d28, d29
11:
    tst         \columns, #1
    beq         10f
    vst1.32     {d16[0]}, [pc0]
    vst1.32     {d20[0]}, [pc1]
    vst1.32     {d24[0]}, [pc2]
    vst1.32     {d28[0]}, [pc3]
10:
.endm
