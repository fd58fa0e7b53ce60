// The products of a 4x16c4 tile on AArch64 in the order that suits Cortex-A55: same registers as neondot_4x16c4_aarch64.h.
//
// The core issues two instructions in a cycle, in order: a dot product of 128 bits and beside it a load of 64 bits. So
// every load is one of 64 bits and has a dot product before it; the upper halves of weights come through general registers.
// Weights are loaded three steps of four dot products ahead.
//
//   v0..v3, v8..v11  depths 0..7 and 8..15 of one row each      v4..v7  weights of this step and the three after it
// The kernel names by .req: t0, t1 (general registers), pa0..pa3 (rows of a), pw (weights).

.macro multiply_a55 count, depth
    subs        \count, \depth, #16
    b.lo        21f
20:
    ldr         d4, [pw]                    // weights of step 0: the lower half,
    ldr         t0, [pw, #8]                // and the upper one on its way
    ldr         d0, [pa0], #8
    ldr         d1, [pa1], #8
    ldr         d5, [pw, #16]
    ldr         t1, [pw, #24]
    ldr         d2, [pa2], #8
    ins         v4.d[1], t0
    ldr         d6, [pw, #32]
    ldr         t0, [pw, #40]
    ldr         d3, [pa3], #8
    ins         v5.d[1], t1
    ins         v6.d[1], t0

    sdot        v16.4s, v4.16b, v0.4b[0]    // depths 0..3, columns 0..3
    ldr         d7, [pw, #48]
    sdot        v20.4s, v4.16b, v1.4b[0]
    ldr         t0, [pw, #56]
    sdot        v24.4s, v4.16b, v2.4b[0]
    sdot        v28.4s, v4.16b, v3.4b[0]

    sdot        v17.4s, v5.16b, v0.4b[0]    // depths 0..3, columns 4..7
    ldr         d4, [pw, #64]
    sdot        v21.4s, v5.16b, v1.4b[0]
    ldr         t1, [pw, #72]
    sdot        v25.4s, v5.16b, v2.4b[0]
    sdot        v29.4s, v5.16b, v3.4b[0]
    ins         v7.d[1], t0                 // two moves of 64 bits issue together
    ins         v4.d[1], t1

    sdot        v18.4s, v6.16b, v0.4b[0]    // depths 0..3, columns 8..11
    ldr         d5, [pw, #80]
    sdot        v22.4s, v6.16b, v1.4b[0]
    ldr         t0, [pw, #88]
    sdot        v26.4s, v6.16b, v2.4b[0]
    ldr         d8, [pa0], #8               // depths 8..15 of the row
    sdot        v30.4s, v6.16b, v3.4b[0]

    sdot        v19.4s, v7.16b, v0.4b[0]    // depths 0..3, columns 12..15
    ldr         d6, [pw, #96]
    sdot        v23.4s, v7.16b, v1.4b[0]
    ldr         t1, [pw, #104]
    sdot        v27.4s, v7.16b, v2.4b[0]
    ldr         d9, [pa1], #8
    sdot        v31.4s, v7.16b, v3.4b[0]
    ins         v5.d[1], t0
    ins         v6.d[1], t1

    sdot        v16.4s, v4.16b, v0.4b[1]    // depths 4..7, columns 0..3
    ldr         d7, [pw, #112]
    sdot        v20.4s, v4.16b, v1.4b[1]
    ldr         t0, [pw, #120]
    sdot        v24.4s, v4.16b, v2.4b[1]
    ldr         d10, [pa2], #8
    sdot        v28.4s, v4.16b, v3.4b[1]

    sdot        v17.4s, v5.16b, v0.4b[1]    // depths 4..7, columns 4..7
    ldr         d4, [pw, #128]
    sdot        v21.4s, v5.16b, v1.4b[1]
    ldr         t1, [pw, #136]
    sdot        v25.4s, v5.16b, v2.4b[1]
    ldr         d11, [pa3], #8
    sdot        v29.4s, v5.16b, v3.4b[1]
    ins         v7.d[1], t0
    ins         v4.d[1], t1

    sdot        v18.4s, v6.16b, v0.4b[1]    // depths 4..7, columns 8..11
    ldr         d5, [pw, #144]
    sdot        v22.4s, v6.16b, v1.4b[1]
    ldr         t0, [pw, #152]
    sdot        v26.4s, v6.16b, v2.4b[1]
    sdot        v30.4s, v6.16b, v3.4b[1]

    sdot        v19.4s, v7.16b, v0.4b[1]    // depths 4..7, columns 12..15
    ldr         d6, [pw, #160]
    sdot        v23.4s, v7.16b, v1.4b[1]
    ldr         t1, [pw, #168]
    sdot        v27.4s, v7.16b, v2.4b[1]
    sdot        v31.4s, v7.16b, v3.4b[1]
    ins         v5.d[1], t0
    ins         v6.d[1], t1

    sdot        v16.4s, v4.16b, v8.4b[0]    // depths 8..11, columns 0..3
    ldr         d7, [pw, #176]
    sdot        v20.4s, v4.16b, v9.4b[0]
    ldr         t0, [pw, #184]
    sdot        v24.4s, v4.16b, v10.4b[0]
    sdot        v28.4s, v4.16b, v11.4b[0]

    sdot        v17.4s, v5.16b, v8.4b[0]    // depths 8..11, columns 4..7
    ldr         d4, [pw, #192]
    sdot        v21.4s, v5.16b, v9.4b[0]
    ldr         t1, [pw, #200]
    sdot        v25.4s, v5.16b, v10.4b[0]
    sdot        v29.4s, v5.16b, v11.4b[0]
    ins         v7.d[1], t0
    ins         v4.d[1], t1

    sdot        v18.4s, v6.16b, v8.4b[0]    // depths 8..11, columns 8..11
    ldr         d5, [pw, #208]
    sdot        v22.4s, v6.16b, v9.4b[0]
    ldr         t0, [pw, #216]
    sdot        v26.4s, v6.16b, v10.4b[0]
    sdot        v30.4s, v6.16b, v11.4b[0]

    sdot        v19.4s, v7.16b, v8.4b[0]    // depths 8..11, columns 12..15
    ldr         d6, [pw, #224]
    sdot        v23.4s, v7.16b, v9.4b[0]
    ldr         t1, [pw, #232]
    sdot        v27.4s, v7.16b, v10.4b[0]
    sdot        v31.4s, v7.16b, v11.4b[0]
    ins         v5.d[1], t0
    ins         v6.d[1], t1

    sdot        v16.4s, v4.16b, v8.4b[1]    // depths 12..15, columns 0..3
    ldr         d7, [pw, #240]
    sdot        v20.4s, v4.16b, v9.4b[1]
    ldr         t0, [pw, #248]
    sdot        v24.4s, v4.16b, v10.4b[1]
    sdot        v28.4s, v4.16b, v11.4b[1]

    sdot        v17.4s, v5.16b, v8.4b[1]    // depths 12..15, columns 4..7
    sdot        v21.4s, v5.16b, v9.4b[1]
    sdot        v25.4s, v5.16b, v10.4b[1]
    sdot        v29.4s, v5.16b, v11.4b[1]
    ins         v7.d[1], t0

    sdot        v18.4s, v6.16b, v8.4b[1]    // depths 12..15, columns 8..11
    sdot        v22.4s, v6.16b, v9.4b[1]
    sdot        v26.4s, v6.16b, v10.4b[1]
    sdot        v30.4s, v6.16b, v11.4b[1]

    sdot        v19.4s, v7.16b, v8.4b[1]    // depths 12..15, columns 12..15
    sdot        v23.4s, v7.16b, v9.4b[1]
    sdot        v27.4s, v7.16b, v10.4b[1]
    sdot        v31.4s, v7.16b, v11.4b[1]
    add         pw, pw, #256
    subs        \count, \count, #16
    b.hs        20b
21:
    add         \count, \count, #16             // depths left: 0..15
    subs        \count, \count, #4
    single_groups \count
    rest_of_group \count
.endm
