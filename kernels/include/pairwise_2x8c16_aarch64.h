// The products of a 2x8c16 tile on AArch64: sixteen depths of a row times sixteen of a column, both halves into 16 bits.
//
//   v0, v1    sixteen depths of rows 0 and 1           v4, v5    sixteen depths of one column each
//   v8..v11   sums of two products, 16 bits            v16..v31  partial sums, one register per row and column
// The kernel names by .req: pa0, pa1 (rows of a), pw (weights).
//
// Weights are -127..127: two products of bytes fit 16 bits, 2 * 128 * 127 = 32512 (D12).

// Sixteen depths: 32 multiplies and 16 pairwise additions.
.macro one_group
    ldp         q4, q5, [pw], #32               // columns 0, 1
    smull       v8.8h, v4.8b, v0.8b
    smull       v9.8h, v5.8b, v0.8b
    smull       v10.8h, v4.8b, v1.8b
    smull       v11.8h, v5.8b, v1.8b
    smlal2      v8.8h, v4.16b, v0.16b
    smlal2      v9.8h, v5.16b, v0.16b
    smlal2      v10.8h, v4.16b, v1.16b
    smlal2      v11.8h, v5.16b, v1.16b
    sadalp      v16.4s, v8.8h
    sadalp      v17.4s, v9.8h
    sadalp      v24.4s, v10.8h
    sadalp      v25.4s, v11.8h
    ldp         q4, q5, [pw], #32               // columns 2, 3
    smull       v8.8h, v4.8b, v0.8b
    smull       v9.8h, v5.8b, v0.8b
    smull       v10.8h, v4.8b, v1.8b
    smull       v11.8h, v5.8b, v1.8b
    smlal2      v8.8h, v4.16b, v0.16b
    smlal2      v9.8h, v5.16b, v0.16b
    smlal2      v10.8h, v4.16b, v1.16b
    smlal2      v11.8h, v5.16b, v1.16b
    sadalp      v18.4s, v8.8h
    sadalp      v19.4s, v9.8h
    sadalp      v26.4s, v10.8h
    sadalp      v27.4s, v11.8h
    ldp         q4, q5, [pw], #32               // columns 4, 5
    smull       v8.8h, v4.8b, v0.8b
    smull       v9.8h, v5.8b, v0.8b
    smull       v10.8h, v4.8b, v1.8b
    smull       v11.8h, v5.8b, v1.8b
    smlal2      v8.8h, v4.16b, v0.16b
    smlal2      v9.8h, v5.16b, v0.16b
    smlal2      v10.8h, v4.16b, v1.16b
    smlal2      v11.8h, v5.16b, v1.16b
    sadalp      v20.4s, v8.8h
    sadalp      v21.4s, v9.8h
    sadalp      v28.4s, v10.8h
    sadalp      v29.4s, v11.8h
    ldp         q4, q5, [pw], #32               // columns 6, 7
    smull       v8.8h, v4.8b, v0.8b
    smull       v9.8h, v5.8b, v0.8b
    smull       v10.8h, v4.8b, v1.8b
    smull       v11.8h, v5.8b, v1.8b
    smlal2      v8.8h, v4.16b, v0.16b
    smlal2      v9.8h, v5.16b, v0.16b
    smlal2      v10.8h, v4.16b, v1.16b
    smlal2      v11.8h, v5.16b, v1.16b
    sadalp      v22.4s, v8.8h
    sadalp      v23.4s, v9.8h
    sadalp      v30.4s, v10.8h
    sadalp      v31.4s, v11.8h
.endm

// All depths; the last 1..15 come as two halves, each the 8 bytes that end where it ends, old ones shifted out.
.macro multiply count, depth
    subs        \count, \depth, #16
    b.lo        11f
10:
    ldr         q0, [pa0], #16
    ldr         q1, [pa1], #16
    one_group
    subs        \count, \count, #16
    b.hs        10b
11:
    cmp         \count, #-16
    b.eq        14f                             // none left
    add         \count, \count, #8              // depths left, less eight
    movi        v2.2d, #0
    movi        v3.2d, #0
    tbnz        \count, #63, 12f
    ldr         d2, [pa0], #8                   // the lower half is whole
    ldr         d3, [pa1], #8
    sub         \count, \count, #8              // depths left of the upper half, less eight
12:
    fmov        d4, \count
    shl         d4, d4, #3                      // minus the bits to shift out, up to all 64
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ushl        d0, d0, d4                      // the last depths of row 0, then zeros
    ushl        d1, d1, d4
    tst         \depth, #8
    b.eq        13f
    zip1        v0.2d, v2.2d, v0.2d             // lower half, upper half
    zip1        v1.2d, v3.2d, v1.2d
13:
    one_group
14:
.endm
