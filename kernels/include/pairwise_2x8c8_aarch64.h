// The products of a 2x8c8 tile on AArch64: eight depths of a row times eight of a column, added up in pairs.
//
//   v0, v2    eight depths of rows 0 and 1, twice each         v1, v3  eight more (mlal)
//   v4..v7    eight depths of two columns each
//   v8..v11   products, 16 bits                                v16..v31  partial sums, one register per row and column
// The kernel names by .req: pa0, pa1 (rows of a), pw (weights).
//
// Weights are -127..127: two products of bytes fit 16 bits, 2 * 128 * 127 = 32512 (D12).

// Eight depths: 16 multiplies, 16 pairwise additions.
.macro one_group
    ldp         q4, q5, [pw], #32               // columns 0 to 3
    smull       v8.8h, v4.8b, v0.8b
    smull2      v9.8h, v4.16b, v0.16b
    smull       v10.8h, v4.8b, v2.8b
    smull2      v11.8h, v4.16b, v2.16b
    sadalp      v16.4s, v8.8h
    sadalp      v17.4s, v9.8h
    sadalp      v24.4s, v10.8h
    sadalp      v25.4s, v11.8h
    smull       v8.8h, v5.8b, v0.8b
    smull2      v9.8h, v5.16b, v0.16b
    smull       v10.8h, v5.8b, v2.8b
    smull2      v11.8h, v5.16b, v2.16b
    sadalp      v18.4s, v8.8h
    sadalp      v19.4s, v9.8h
    sadalp      v26.4s, v10.8h
    sadalp      v27.4s, v11.8h
    ldp         q4, q5, [pw], #32               // columns 4 to 7
    smull       v8.8h, v4.8b, v0.8b
    smull2      v9.8h, v4.16b, v0.16b
    smull       v10.8h, v4.8b, v2.8b
    smull2      v11.8h, v4.16b, v2.16b
    sadalp      v20.4s, v8.8h
    sadalp      v21.4s, v9.8h
    sadalp      v28.4s, v10.8h
    sadalp      v29.4s, v11.8h
    smull       v8.8h, v5.8b, v0.8b
    smull2      v9.8h, v5.16b, v0.16b
    smull       v10.8h, v5.8b, v2.8b
    smull2      v11.8h, v5.16b, v2.16b
    sadalp      v22.4s, v8.8h
    sadalp      v23.4s, v9.8h
    sadalp      v30.4s, v10.8h
    sadalp      v31.4s, v11.8h
.endm

// Sixteen depths: 32 multiplies, two of them into each register of 16-bit sums, and still 16 pairwise additions.
.macro two_groups
    ldp         q6, q7, [pw, #64]               // columns 0 to 3, depths 8..15
    ldp         q4, q5, [pw], #32               // depths 0..7
    smull       v8.8h, v4.8b, v0.8b
    smull2      v9.8h, v4.16b, v0.16b
    smull       v10.8h, v4.8b, v2.8b
    smull2      v11.8h, v4.16b, v2.16b
    smlal       v8.8h, v6.8b, v1.8b
    smlal2      v9.8h, v6.16b, v1.16b
    smlal       v10.8h, v6.8b, v3.8b
    smlal2      v11.8h, v6.16b, v3.16b
    sadalp      v16.4s, v8.8h
    sadalp      v17.4s, v9.8h
    sadalp      v24.4s, v10.8h
    sadalp      v25.4s, v11.8h
    smull       v8.8h, v5.8b, v0.8b
    smull2      v9.8h, v5.16b, v0.16b
    smull       v10.8h, v5.8b, v2.8b
    smull2      v11.8h, v5.16b, v2.16b
    smlal       v8.8h, v7.8b, v1.8b
    smlal2      v9.8h, v7.16b, v1.16b
    smlal       v10.8h, v7.8b, v3.8b
    smlal2      v11.8h, v7.16b, v3.16b
    sadalp      v18.4s, v8.8h
    sadalp      v19.4s, v9.8h
    sadalp      v26.4s, v10.8h
    sadalp      v27.4s, v11.8h
    ldp         q6, q7, [pw, #64]               // columns 4 to 7, depths 8..15
    ldp         q4, q5, [pw], #96               // depths 0..7
    smull       v8.8h, v4.8b, v0.8b
    smull2      v9.8h, v4.16b, v0.16b
    smull       v10.8h, v4.8b, v2.8b
    smull2      v11.8h, v4.16b, v2.16b
    smlal       v8.8h, v6.8b, v1.8b
    smlal2      v9.8h, v6.16b, v1.16b
    smlal       v10.8h, v6.8b, v3.8b
    smlal2      v11.8h, v6.16b, v3.16b
    sadalp      v20.4s, v8.8h
    sadalp      v21.4s, v9.8h
    sadalp      v28.4s, v10.8h
    sadalp      v29.4s, v11.8h
    smull       v8.8h, v5.8b, v0.8b
    smull2      v9.8h, v5.16b, v0.16b
    smull       v10.8h, v5.8b, v2.8b
    smull2      v11.8h, v5.16b, v2.16b
    smlal       v8.8h, v7.8b, v1.8b
    smlal2      v9.8h, v7.16b, v1.16b
    smlal       v10.8h, v7.8b, v3.8b
    smlal2      v11.8h, v7.16b, v3.16b
    sadalp      v22.4s, v8.8h
    sadalp      v23.4s, v9.8h
    sadalp      v30.4s, v10.8h
    sadalp      v31.4s, v11.8h
.endm

// Groups of eight depths one by one, then the last 1..7: the 8 bytes that end with the row, old ones shifted out.
.macro rest_of_depth count
    b.lo        11f                             // by the flags of the subtraction before
10:
    ld1r        {v0.2d}, [pa0], #8
    ld1r        {v2.2d}, [pa1], #8
    one_group
    subs        \count, \count, #8
    b.hs        10b
11:
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d4, \count
    shl         d4, d4, #3                      // minus the bits to shift out
    dup         v4.2d, v4.d[0]
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    ld1r        {v0.2d}, [pa0], #8
    ld1r        {v2.2d}, [pa1], #8
    ushl        v0.2d, v0.2d, v4.2d             // the last depths of row 0, then zeros
    ushl        v2.2d, v2.2d, v4.2d
    one_group
12:
.endm

// All depths, eight at a time: every product goes to 32 bits by itself.
.macro multiply_mull count, depth
    subs        \count, \depth, #8
    rest_of_depth \count
.endm

// All depths, sixteen at a time: LD2R gives a row's depths 0..7 and 8..15, twice each.
.macro multiply_mlal count, depth
    subs        \count, \depth, #16
    b.lo        21f
20:
    ld2r        {v0.2d, v1.2d}, [pa0], #16
    ld2r        {v2.2d, v3.2d}, [pa1], #16
    two_groups
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #8
    rest_of_depth \count
.endm
