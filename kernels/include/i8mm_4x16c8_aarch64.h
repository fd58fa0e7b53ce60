// The products of a 4x16c8 tile on AArch64: 2x8 times 8x2 matrices of bytes.
//
//   v0, v1    eight depths of rows 0 and 1, and of rows 2 and 3
//   v4..v7    eight depths of two columns each
//   v16..v23  sums of rows 0 and 1, two columns in each register: row 0 in its lower half, row 1 in its upper half
//   v24..v31  the same for rows 2 and 3
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

// The biases of two columns for both rows of a pair.
.macro sums_from_bias_in_pairs
    ldp         q0, q1, [pw], #32
    ldp         q2, q3, [pw], #32
    zip1        v16.2d, v0.2d, v0.2d            // columns 0, 1, and again
    zip2        v17.2d, v0.2d, v0.2d            // columns 2, 3
    zip1        v18.2d, v1.2d, v1.2d
    zip2        v19.2d, v1.2d, v1.2d
    zip1        v20.2d, v2.2d, v2.2d
    zip2        v21.2d, v2.2d, v2.2d
    zip1        v22.2d, v3.2d, v3.2d
    zip2        v23.2d, v3.2d, v3.2d
    mov         v24.16b, v16.16b                // rows 2 and 3
    mov         v25.16b, v17.16b
    mov         v26.16b, v18.16b
    mov         v27.16b, v19.16b
    mov         v28.16b, v20.16b
    mov         v29.16b, v21.16b
    mov         v30.16b, v22.16b
    mov         v31.16b, v23.16b
.endm

// Eight depths: 512 products in 16 instructions.
.macro one_group
    ldp         q4, q5, [pw], #32               // columns 0 to 7
    ldp         q6, q7, [pw], #32
    smmla       v16.4s, v0.16b, v4.16b
    smmla       v24.4s, v1.16b, v4.16b
    smmla       v17.4s, v0.16b, v5.16b
    smmla       v25.4s, v1.16b, v5.16b
    smmla       v18.4s, v0.16b, v6.16b
    smmla       v26.4s, v1.16b, v6.16b
    smmla       v19.4s, v0.16b, v7.16b
    smmla       v27.4s, v1.16b, v7.16b
    ldp         q4, q5, [pw], #32               // columns 8 to 15
    ldp         q6, q7, [pw], #32
    smmla       v20.4s, v0.16b, v4.16b
    smmla       v28.4s, v1.16b, v4.16b
    smmla       v21.4s, v0.16b, v5.16b
    smmla       v29.4s, v1.16b, v5.16b
    smmla       v22.4s, v0.16b, v6.16b
    smmla       v30.4s, v1.16b, v6.16b
    smmla       v23.4s, v0.16b, v7.16b
    smmla       v31.4s, v1.16b, v7.16b
.endm

// All depths of the rows that pa0..pa3 point at.
.macro multiply count, depth
    subs        \count, \depth, #8
    b.lo        11f
10:
    ldr         d0, [pa0], #8
    ld1         {v0.d}[1], [pa1], #8
    ldr         d1, [pa2], #8
    ld1         {v1.d}[1], [pa3], #8
    one_group
    subs        \count, \count, #8
    b.hs        10b
11:
    // The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d4, \count
    shl         d4, d4, #3                      // minus the bits to shift out
    dup         v4.2d, v4.d[0]
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    ldr         d0, [pa0], #8
    ld1         {v0.d}[1], [pa1], #8
    ldr         d1, [pa2], #8
    ld1         {v1.d}[1], [pa3], #8
    ushl        v0.2d, v0.2d, v4.2d             // the last depths of rows 0 and 1, then zeros
    ushl        v1.2d, v1.2d, v4.2d
    one_group
12:
.endm

// From pairs of rows to rows: row r in v(16 + 4r) and the three registers behind it.
.macro pairs_to_rows
    zip2        v0.2d, v16.2d, v17.2d           // row 1, columns 0..3
    zip2        v1.2d, v18.2d, v19.2d
    zip2        v2.2d, v20.2d, v21.2d
    zip2        v3.2d, v22.2d, v23.2d
    zip1        v16.2d, v16.2d, v17.2d          // row 0, columns 0..3
    zip1        v17.2d, v18.2d, v19.2d
    zip1        v18.2d, v20.2d, v21.2d
    zip1        v19.2d, v22.2d, v23.2d
    mov         v20.16b, v0.16b
    mov         v21.16b, v1.16b
    mov         v22.16b, v2.16b
    mov         v23.16b, v3.16b
    zip2        v0.2d, v24.2d, v25.2d           // row 3, columns 0..3
    zip2        v1.2d, v26.2d, v27.2d
    zip2        v2.2d, v28.2d, v29.2d
    zip2        v3.2d, v30.2d, v31.2d
    zip1        v24.2d, v24.2d, v25.2d          // row 2, columns 0..3
    zip1        v25.2d, v26.2d, v27.2d
    zip1        v26.2d, v28.2d, v29.2d
    zip1        v27.2d, v30.2d, v31.2d
    mov         v28.16b, v0.16b
    mov         v29.16b, v1.16b
    mov         v30.16b, v2.16b
    mov         v31.16b, v3.16b
.endm
