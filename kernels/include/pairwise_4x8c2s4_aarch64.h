// The products of a 4x8c2s4 tile on AArch64: a row is turned against weights that were turned when they were packed.
//
//   v0, v2, v4, v6   eight depths of one row each, twice; turned by two depths from one step to the next
//   v1, v3, v5, v7   eight more (mlal)                  v24, v25  two depths of eight columns
//   v26..v29         products or sums of two, 16 bits   v16..v23  sums, two registers per row
// The kernel names by .req: pa0..pa3 (rows of a), pw (weights).
//
// At turn t column n meets depths 2 * ((n + t) mod 4) and one more: no repetition is needed. Weights are -127..127: two
// products of bytes fit 16 bits, 2 * 128 * 127 = 32512 (D12).

// Eight depths: 32 multiplies, 32 pairwise additions, 12 turns.
.macro one_group
    ldp         q24, q25, [pw], #32             // four pairs of depths for eight columns, turned by two depths from one to the next
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2  // row 0 by two depths
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    smull       v26.8h, v25.8b, v0.8b
    smull2      v27.8h, v25.16b, v0.16b
    smull       v28.8h, v25.8b, v2.8b
    smull2      v29.8h, v25.16b, v2.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v25.8b, v4.8b
    smull2      v27.8h, v25.16b, v4.16b
    smull       v28.8h, v25.8b, v6.8b
    smull2      v29.8h, v25.16b, v6.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2  // row 0 by two depths
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    ldp         q24, q25, [pw], #32             // two more
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2  // row 0 by two depths
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    smull       v26.8h, v25.8b, v0.8b
    smull2      v27.8h, v25.16b, v0.16b
    smull       v28.8h, v25.8b, v2.8b
    smull2      v29.8h, v25.16b, v2.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v25.8b, v4.8b
    smull2      v27.8h, v25.16b, v4.16b
    smull       v28.8h, v25.8b, v6.8b
    smull2      v29.8h, v25.16b, v6.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
.endm

// Sixteen depths: those of the first eight and of the second add up in 16 bits.
.macro two_groups
    ldr         q25, [pw, #64]                  // depths 8..15
    ldr         q24, [pw], #16                  // depths 0..7, turn 0
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    smlal       v26.8h, v25.8b, v1.8b
    smlal2      v27.8h, v25.16b, v1.16b
    smlal       v28.8h, v25.8b, v3.8b
    smlal2      v29.8h, v25.16b, v3.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    smlal       v26.8h, v25.8b, v5.8b
    smlal2      v27.8h, v25.16b, v5.16b
    smlal       v28.8h, v25.8b, v7.8b
    smlal2      v29.8h, v25.16b, v7.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2
    ext         v1.16b, v1.16b, v1.16b, #2
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v3.16b, v3.16b, v3.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v5.16b, v5.16b, v5.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    ext         v7.16b, v7.16b, v7.16b, #2
    ldr         q25, [pw, #64]                  // depths 8..15
    ldr         q24, [pw], #16                  // depths 0..7, turn 1
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    smlal       v26.8h, v25.8b, v1.8b
    smlal2      v27.8h, v25.16b, v1.16b
    smlal       v28.8h, v25.8b, v3.8b
    smlal2      v29.8h, v25.16b, v3.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    smlal       v26.8h, v25.8b, v5.8b
    smlal2      v27.8h, v25.16b, v5.16b
    smlal       v28.8h, v25.8b, v7.8b
    smlal2      v29.8h, v25.16b, v7.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2
    ext         v1.16b, v1.16b, v1.16b, #2
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v3.16b, v3.16b, v3.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v5.16b, v5.16b, v5.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    ext         v7.16b, v7.16b, v7.16b, #2
    ldr         q25, [pw, #64]                  // depths 8..15
    ldr         q24, [pw], #16                  // depths 0..7, turn 2
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    smlal       v26.8h, v25.8b, v1.8b
    smlal2      v27.8h, v25.16b, v1.16b
    smlal       v28.8h, v25.8b, v3.8b
    smlal2      v29.8h, v25.16b, v3.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    smlal       v26.8h, v25.8b, v5.8b
    smlal2      v27.8h, v25.16b, v5.16b
    smlal       v28.8h, v25.8b, v7.8b
    smlal2      v29.8h, v25.16b, v7.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
    ext         v0.16b, v0.16b, v0.16b, #2
    ext         v1.16b, v1.16b, v1.16b, #2
    ext         v2.16b, v2.16b, v2.16b, #2
    ext         v3.16b, v3.16b, v3.16b, #2
    ext         v4.16b, v4.16b, v4.16b, #2
    ext         v5.16b, v5.16b, v5.16b, #2
    ext         v6.16b, v6.16b, v6.16b, #2
    ext         v7.16b, v7.16b, v7.16b, #2
    ldr         q25, [pw, #64]                  // depths 8..15
    ldr         q24, [pw], #80                  // depths 0..7, turn 3
    smull       v26.8h, v24.8b, v0.8b
    smull2      v27.8h, v24.16b, v0.16b
    smull       v28.8h, v24.8b, v2.8b
    smull2      v29.8h, v24.16b, v2.16b
    smlal       v26.8h, v25.8b, v1.8b
    smlal2      v27.8h, v25.16b, v1.16b
    smlal       v28.8h, v25.8b, v3.8b
    smlal2      v29.8h, v25.16b, v3.16b
    sadalp      v16.4s, v26.8h
    sadalp      v17.4s, v27.8h
    sadalp      v18.4s, v28.8h
    sadalp      v19.4s, v29.8h
    smull       v26.8h, v24.8b, v4.8b
    smull2      v27.8h, v24.16b, v4.16b
    smull       v28.8h, v24.8b, v6.8b
    smull2      v29.8h, v24.16b, v6.16b
    smlal       v26.8h, v25.8b, v5.8b
    smlal2      v27.8h, v25.16b, v5.16b
    smlal       v28.8h, v25.8b, v7.8b
    smlal2      v29.8h, v25.16b, v7.16b
    sadalp      v20.4s, v26.8h
    sadalp      v21.4s, v27.8h
    sadalp      v22.4s, v28.8h
    sadalp      v23.4s, v29.8h
.endm

// Groups of eight depths one by one, then the last 1..7: the 8 bytes that end with the row, old ones shifted out. The
// weights are filled up with zeros to eight depths.
.macro rest_of_depth count
    b.lo        11f                             // by the flags of the subtraction before
10:
    ld1r        {v0.2d}, [pa0], #8
    ld1r        {v2.2d}, [pa1], #8
    ld1r        {v4.2d}, [pa2], #8
    ld1r        {v6.2d}, [pa3], #8
    one_group
    subs        \count, \count, #8
    b.hs        10b
11:
    cmp         \count, #-8
    b.eq        12f                             // none left
    fmov        d24, \count
    shl         d24, d24, #3                    // minus the bits to shift out
    dup         v24.2d, v24.d[0]
    add         pa0, pa0, \count                // up to 7 bytes back, for kc < 8 before the row
    add         pa1, pa1, \count
    add         pa2, pa2, \count
    add         pa3, pa3, \count
    ld1r        {v0.2d}, [pa0], #8
    ld1r        {v2.2d}, [pa1], #8
    ld1r        {v4.2d}, [pa2], #8
    ld1r        {v6.2d}, [pa3], #8
    ushl        v0.2d, v0.2d, v24.2d            // the last depths of row 0, then zeros
    ushl        v2.2d, v2.2d, v24.2d
    ushl        v4.2d, v4.2d, v24.2d
    ushl        v6.2d, v6.2d, v24.2d
    one_group
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
    ld2r        {v0.2d, v1.2d}, [pa0], #16
    ld2r        {v2.2d, v3.2d}, [pa1], #16
    ld2r        {v4.2d, v5.2d}, [pa2], #16
    ld2r        {v6.2d, v7.2d}, [pa3], #16
    two_groups
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #8
    rest_of_depth \count
.endm
