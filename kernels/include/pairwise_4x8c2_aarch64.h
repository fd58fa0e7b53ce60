// The products of a 4x8c2 tile on AArch64: two depths of a row, repeated, times two depths of eight columns.
//
//   v0..v3    8 or 16 depths of one row each           v4, v5    two depths of eight columns
//   v6, v7    two depths of a row, 8 times             v24..v31  products or sums of two, 16 bits
//   v16..v23  sums, two registers per row
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).
//
// Weights are -127..127: two products of bytes fit 16 bits, 2 * 128 * 127 = 32512 (D12).

// Eight depths: 32 multiplies, 32 pairwise additions, 16 repetitions.
.macro one_group
    ldp         q4, q5, [pw], #32               // pairs 0 and 1 of eight columns
    dup         v6.8h, v0.h[0]                  // depths 0, 1 of row 0, 8 times
    dup         v7.8h, v1.h[0]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smull       v26.8h, v4.8b, v7.8b
    smull2      v27.8h, v4.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    dup         v6.8h, v2.h[0]
    dup         v7.8h, v3.h[0]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smull       v26.8h, v4.8b, v7.8b
    smull2      v27.8h, v4.16b, v7.16b
    sadalp      v20.4s, v24.8h
    sadalp      v21.4s, v25.8h
    sadalp      v22.4s, v26.8h
    sadalp      v23.4s, v27.8h
    dup         v6.8h, v0.h[1]
    dup         v7.8h, v1.h[1]
    smull       v24.8h, v5.8b, v6.8b
    smull2      v25.8h, v5.16b, v6.16b
    smull       v26.8h, v5.8b, v7.8b
    smull2      v27.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    dup         v6.8h, v2.h[1]
    dup         v7.8h, v3.h[1]
    smull       v24.8h, v5.8b, v6.8b
    smull2      v25.8h, v5.16b, v6.16b
    smull       v26.8h, v5.8b, v7.8b
    smull2      v27.8h, v5.16b, v7.16b
    sadalp      v20.4s, v24.8h
    sadalp      v21.4s, v25.8h
    sadalp      v22.4s, v26.8h
    sadalp      v23.4s, v27.8h
    ldp         q4, q5, [pw], #32               // pairs 2 and 3 of eight columns
    dup         v6.8h, v0.h[2]
    dup         v7.8h, v1.h[2]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smull       v26.8h, v4.8b, v7.8b
    smull2      v27.8h, v4.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    dup         v6.8h, v2.h[2]
    dup         v7.8h, v3.h[2]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smull       v26.8h, v4.8b, v7.8b
    smull2      v27.8h, v4.16b, v7.16b
    sadalp      v20.4s, v24.8h
    sadalp      v21.4s, v25.8h
    sadalp      v22.4s, v26.8h
    sadalp      v23.4s, v27.8h
    dup         v6.8h, v0.h[3]
    dup         v7.8h, v1.h[3]
    smull       v24.8h, v5.8b, v6.8b
    smull2      v25.8h, v5.16b, v6.16b
    smull       v26.8h, v5.8b, v7.8b
    smull2      v27.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    dup         v6.8h, v2.h[3]
    dup         v7.8h, v3.h[3]
    smull       v24.8h, v5.8b, v6.8b
    smull2      v25.8h, v5.16b, v6.16b
    smull       v26.8h, v5.8b, v7.8b
    smull2      v27.8h, v5.16b, v7.16b
    sadalp      v20.4s, v24.8h
    sadalp      v21.4s, v25.8h
    sadalp      v22.4s, v26.8h
    sadalp      v23.4s, v27.8h
.endm

// Sixteen depths: pair p of the first eight and pair p of the second add up in 16 bits.
.macro two_groups
    ldr         q5, [pw, #64]                   // pair 4 of eight columns
    ldr         q4, [pw], #16                   // pair 0
    dup         v6.8h, v0.h[0]
    dup         v7.8h, v0.h[4]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smlal       v24.8h, v5.8b, v7.8b
    smlal2      v25.8h, v5.16b, v7.16b
    dup         v6.8h, v1.h[0]
    dup         v7.8h, v1.h[4]
    smull       v26.8h, v4.8b, v6.8b
    smull2      v27.8h, v4.16b, v6.16b
    smlal       v26.8h, v5.8b, v7.8b
    smlal2      v27.8h, v5.16b, v7.16b
    dup         v6.8h, v2.h[0]
    dup         v7.8h, v2.h[4]
    smull       v28.8h, v4.8b, v6.8b
    smull2      v29.8h, v4.16b, v6.16b
    smlal       v28.8h, v5.8b, v7.8b
    smlal2      v29.8h, v5.16b, v7.16b
    dup         v6.8h, v3.h[0]
    dup         v7.8h, v3.h[4]
    smull       v30.8h, v4.8b, v6.8b
    smull2      v31.8h, v4.16b, v6.16b
    smlal       v30.8h, v5.8b, v7.8b
    smlal2      v31.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    sadalp      v20.4s, v28.8h
    sadalp      v21.4s, v29.8h
    sadalp      v22.4s, v30.8h
    sadalp      v23.4s, v31.8h
    ldr         q5, [pw, #64]                   // pair 5 of eight columns
    ldr         q4, [pw], #16                   // pair 1
    dup         v6.8h, v0.h[1]
    dup         v7.8h, v0.h[5]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smlal       v24.8h, v5.8b, v7.8b
    smlal2      v25.8h, v5.16b, v7.16b
    dup         v6.8h, v1.h[1]
    dup         v7.8h, v1.h[5]
    smull       v26.8h, v4.8b, v6.8b
    smull2      v27.8h, v4.16b, v6.16b
    smlal       v26.8h, v5.8b, v7.8b
    smlal2      v27.8h, v5.16b, v7.16b
    dup         v6.8h, v2.h[1]
    dup         v7.8h, v2.h[5]
    smull       v28.8h, v4.8b, v6.8b
    smull2      v29.8h, v4.16b, v6.16b
    smlal       v28.8h, v5.8b, v7.8b
    smlal2      v29.8h, v5.16b, v7.16b
    dup         v6.8h, v3.h[1]
    dup         v7.8h, v3.h[5]
    smull       v30.8h, v4.8b, v6.8b
    smull2      v31.8h, v4.16b, v6.16b
    smlal       v30.8h, v5.8b, v7.8b
    smlal2      v31.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    sadalp      v20.4s, v28.8h
    sadalp      v21.4s, v29.8h
    sadalp      v22.4s, v30.8h
    sadalp      v23.4s, v31.8h
    ldr         q5, [pw, #64]                   // pair 6 of eight columns
    ldr         q4, [pw], #16                   // pair 2
    dup         v6.8h, v0.h[2]
    dup         v7.8h, v0.h[6]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smlal       v24.8h, v5.8b, v7.8b
    smlal2      v25.8h, v5.16b, v7.16b
    dup         v6.8h, v1.h[2]
    dup         v7.8h, v1.h[6]
    smull       v26.8h, v4.8b, v6.8b
    smull2      v27.8h, v4.16b, v6.16b
    smlal       v26.8h, v5.8b, v7.8b
    smlal2      v27.8h, v5.16b, v7.16b
    dup         v6.8h, v2.h[2]
    dup         v7.8h, v2.h[6]
    smull       v28.8h, v4.8b, v6.8b
    smull2      v29.8h, v4.16b, v6.16b
    smlal       v28.8h, v5.8b, v7.8b
    smlal2      v29.8h, v5.16b, v7.16b
    dup         v6.8h, v3.h[2]
    dup         v7.8h, v3.h[6]
    smull       v30.8h, v4.8b, v6.8b
    smull2      v31.8h, v4.16b, v6.16b
    smlal       v30.8h, v5.8b, v7.8b
    smlal2      v31.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    sadalp      v20.4s, v28.8h
    sadalp      v21.4s, v29.8h
    sadalp      v22.4s, v30.8h
    sadalp      v23.4s, v31.8h
    ldr         q5, [pw, #64]                   // pair 7 of eight columns
    ldr         q4, [pw], #80                   // pair 3
    dup         v6.8h, v0.h[3]
    dup         v7.8h, v0.h[7]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    smlal       v24.8h, v5.8b, v7.8b
    smlal2      v25.8h, v5.16b, v7.16b
    dup         v6.8h, v1.h[3]
    dup         v7.8h, v1.h[7]
    smull       v26.8h, v4.8b, v6.8b
    smull2      v27.8h, v4.16b, v6.16b
    smlal       v26.8h, v5.8b, v7.8b
    smlal2      v27.8h, v5.16b, v7.16b
    dup         v6.8h, v2.h[3]
    dup         v7.8h, v2.h[7]
    smull       v28.8h, v4.8b, v6.8b
    smull2      v29.8h, v4.16b, v6.16b
    smlal       v28.8h, v5.8b, v7.8b
    smlal2      v29.8h, v5.16b, v7.16b
    dup         v6.8h, v3.h[3]
    dup         v7.8h, v3.h[7]
    smull       v30.8h, v4.8b, v6.8b
    smull2      v31.8h, v4.16b, v6.16b
    smlal       v30.8h, v5.8b, v7.8b
    smlal2      v31.8h, v5.16b, v7.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    sadalp      v18.4s, v26.8h
    sadalp      v19.4s, v27.8h
    sadalp      v20.4s, v28.8h
    sadalp      v21.4s, v29.8h
    sadalp      v22.4s, v30.8h
    sadalp      v23.4s, v31.8h
.endm

// One pair of depths, for the last ones.
.macro one_pair lane
    ldr         q4, [pw], #16
    dup         v6.8h, v0.h[\lane]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    sadalp      v16.4s, v24.8h
    sadalp      v17.4s, v25.8h
    dup         v6.8h, v1.h[\lane]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    sadalp      v18.4s, v24.8h
    sadalp      v19.4s, v25.8h
    dup         v6.8h, v2.h[\lane]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    sadalp      v20.4s, v24.8h
    sadalp      v21.4s, v25.8h
    dup         v6.8h, v3.h[\lane]
    smull       v24.8h, v4.8b, v6.8b
    smull2      v25.8h, v4.16b, v6.16b
    sadalp      v22.4s, v24.8h
    sadalp      v23.4s, v25.8h
.endm

// Groups of eight depths one by one, then the last 1..7: the 8 bytes that end with the row, old ones shifted out.
.macro rest_of_depth count
    b.lo        11f                             // by the flags of the subtraction before
10:
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    one_group
    subs        \count, \count, #8
    b.hs        10b
11:
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d4, \count
    shl         d4, d4, #3                      // minus the bits to shift out
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d2, [pa2], #8
    ldr         d3, [pa3], #8
    ushl        d0, d0, d4                      // the last depths of row 0, then zeros
    ushl        d1, d1, d4
    ushl        d2, d2, d4
    ushl        d3, d3, d4
    one_pair    0
    cmp         \count, #-6
    b.le        12f                             // 1 or 2 depths left: done
    one_pair    1
    cmp         \count, #-4
    b.le        12f                             // 3 or 4 depths left: done
    one_pair    2
    cmp         \count, #-2
    b.le        12f                             // 5 or 6 depths left: done
    one_pair    3
12:
.endm

// All depths, eight at a time: every product goes to 32 bits by itself.
.macro multiply_mull count, depth
    subs        \count, \depth, #8
    rest_of_depth \count
.endm

// All depths, sixteen at a time.
.macro multiply_mlal count, depth
    subs        \count, \depth, #16
    b.lo        21f
20:
    ldr         q0, [pa0], #16
    ldr         q1, [pa1], #16
    ldr         q2, [pa2], #16
    ldr         q3, [pa3], #16
    two_groups
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #8
    rest_of_depth \count
.endm
