// The products of a 4x16c4 tile on AArch64: dot products of four bytes each, by element.
//
//   v0..v3    4, 8 or 16 depths of one row each       v16..v31  sums, four registers per row
//   v4..v7    four depths of columns 0..3, 4..7, 8..11, 12..15
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).

// Four depths: the weights of sixteen columns, times one lane of four bytes of each row: 256 products in 16 instructions.
.macro one_group lane
    ldp         q4, q5, [pw], #32
    ldp         q6, q7, [pw], #32
    sdot        v16.4s, v4.16b, v0.4b[\lane]
    sdot        v17.4s, v5.16b, v0.4b[\lane]
    sdot        v18.4s, v6.16b, v0.4b[\lane]
    sdot        v19.4s, v7.16b, v0.4b[\lane]
    sdot        v20.4s, v4.16b, v1.4b[\lane]
    sdot        v21.4s, v5.16b, v1.4b[\lane]
    sdot        v22.4s, v6.16b, v1.4b[\lane]
    sdot        v23.4s, v7.16b, v1.4b[\lane]
    sdot        v24.4s, v4.16b, v2.4b[\lane]
    sdot        v25.4s, v5.16b, v2.4b[\lane]
    sdot        v26.4s, v6.16b, v2.4b[\lane]
    sdot        v27.4s, v7.16b, v2.4b[\lane]
    sdot        v28.4s, v4.16b, v3.4b[\lane]
    sdot        v29.4s, v5.16b, v3.4b[\lane]
    sdot        v30.4s, v6.16b, v3.4b[\lane]
    sdot        v31.4s, v7.16b, v3.4b[\lane]
.endm

// Groups of four depths one by one; count: depths left, less four, also afterwards.
.macro single_groups count
    b.lo        11f                             // by the flags of the subtraction before
10:
    ldr         s0, [pa0], #4
    ldr         s1, [pa1], #4
    ldr         s2, [pa2], #4
    ldr         s3, [pa3], #4
    one_group   0
    subs        \count, \count, #4
    b.hs        10b
11:
.endm

// The last 1..3 depths: read the 4 bytes that end with the row and shift the old ones out. Pointers end behind the rows.
.macro rest_of_group count
    cmp         \count, #-4
    b.eq        12f                             // none left
    fmov        d4, \count
    shl         d4, d4, #3                      // minus the bits to shift out
    add         pa0, pa0, \count                // up to 3 bytes back, for kc < 4 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    ldr         s0, [pa0], #4
    ldr         s1, [pa1], #4
    ldr         s2, [pa2], #4
    ldr         s3, [pa3], #4
    ushl        d0, d0, d4                      // the last depths of row 0, then zeros
    ushl        d1, d1, d4
    ushl        d2, d2, d4
    ushl        d3, d3, d4
    one_group   0
12:
.endm

// All depths, 4 at a time: a row is loaded as 4 bytes.
.macro multiply_ld32 count, depth
    subs        \count, \depth, #4
    single_groups \count
    rest_of_group \count
.endm

// All depths, 8 at a time: two groups for each load of 8 bytes of a row.
.macro multiply_ld64 count, depth
    subs        \count, \depth, #8
    b.lo        21f
20:
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    one_group   0
    one_group   1
    subs        \count, \count, #8
    b.hs        20b
21:
    add         \count, \count, #8              // depths left: 0..7
    subs        \count, \count, #4
    single_groups \count
    rest_of_group \count
.endm

// All depths, 16 at a time: four groups for each load of 16 bytes of a row.
.macro multiply_ld128 count, depth
    subs        \count, \depth, #16
    b.lo        21f
20:
    ldr         q0, [pa0], #16
    ldr         q1, [pa1], #16
    ldr         q2, [pa2], #16
    ldr         q3, [pa3], #16
    one_group   0
    one_group   1
    one_group   2
    one_group   3
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #4
    single_groups \count
    rest_of_group \count
.endm
