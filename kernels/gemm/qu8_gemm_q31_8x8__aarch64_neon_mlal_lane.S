//! 8x8 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 8x8
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          x0          rows of this tile, 1..8
//! in   nr          x1          columns of this tile, 1..8
//! in   kc          x2          depth, at least 1
//! in   a           x3          uint8 [mr, kc], the left matrix as it lies in memory
//! in   a_stride    x4          bytes from one row of a to the next
//! in   w           x5          packed weights: 8 int32 biases, then kc times 8 bytes
//! in   c           x6          uint8 [mr, nr], the result
//! in   c_stride    x7          bytes from one row of c to the next
//! in   params      [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pa0         x3          where row 0 of a is read next
//! reg  pa1..pa7    x9-x15      the same for rows 1 to 7
//! reg  pw          x5          where the weights are read next
//! reg  pp          x8          where the parameters are read next
//! reg  va0..va7    v0-v7       8 depths of one row of a each, as int16
//! reg  vwzp        v8          the zero point of w, 8 times, in the low half
//! reg  vb0..vb1    v9-v10      8 columns of one depth of w, less their zero point, as int16
//! reg  vacc[0..7]  v16-v31     int32, two registers per row
//!
//!                       vb0 or vb1: columns 0..7 of one depth
//!                     +-----------------+-----------------+
//!                     | w0  w1  w2  w3  | w4  w5  w6  w7  |
//!   va0  v0.h[k]      | v16  row 0      | v17  row 0      |
//!   va1  v1.h[k]      | v18  row 1      | v19  row 1      |
//!   ...               | ...             | ...             |
//!   va7  v7.h[k]      | v30  row 7      | v31  row 7      |
//!                     +-----------------+-----------------+
//!                       SMLAL             SMLAL2
//!   Depth k of row r is lane k of v(r). The zero point of a is already in the bias.

    .text
    .p2align 4
    .global qu8_gemm_q31_8x8__aarch64_neon_mlal_lane
qu8_gemm_q31_8x8__aarch64_neon_mlal_lane:
    // ---- Save what belongs to the caller: the low halves of the vector registers v8 to v10.
    ldr         x8, [sp]                        // x8: parameters
    stp         d8, d9, [sp, #-32]!
    str         d10, [sp, #16]

    // ---- Point at eight rows of a; rows that do not exist repeat the last one that does.
    cmp         x0, #2
    add         x9, x3, x4
    csel        x9, x3, x9, lo                  // mr <= 1: row 1 is row 0 again
    add         x10, x9, x4
    csel        x10, x9, x10, ls                // mr <= 2: row 2 is row 1 again
    cmp         x0, #4
    add         x11, x10, x4
    csel        x11, x10, x11, lo               // mr <= 3: row 3 is row 2 again
    add         x12, x11, x4
    csel        x12, x11, x12, ls               // mr <= 4: row 4 is row 3 again
    cmp         x0, #6
    add         x13, x12, x4
    csel        x13, x12, x13, lo               // mr <= 5: row 5 is row 4 again
    add         x14, x13, x4
    csel        x14, x13, x14, ls               // mr <= 6: row 6 is row 5 again
    cmp         x0, #8
    add         x15, x14, x4
    csel        x15, x14, x15, ne               // mr <= 7: row 7 is row 6 again

    // ---- Start all eight rows from the biases of the eight columns.
    ld1         {v16.4s, v17.4s}, [x5], #32     // v16, v17: biases of columns 0..3, 4..7
    add         x16, x8, #12
    ld1r        {v8.8b}, [x16]                  // v8: zero point of w, 8 times
    mov         v18.16b, v16.16b                // v18, v19: row 1
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b                // v20, v21: row 2
    mov         v21.16b, v17.16b
    mov         v22.16b, v16.16b                // v22, v23: row 3
    mov         v23.16b, v17.16b
    mov         v24.16b, v16.16b                // v24, v25: row 4
    mov         v25.16b, v17.16b
    mov         v26.16b, v16.16b                // v26, v27: row 5
    mov         v27.16b, v17.16b
    mov         v28.16b, v16.16b                // v28, v29: row 6
    mov         v29.16b, v17.16b
    mov         v30.16b, v16.16b                // v30, v31: row 7
    mov         v31.16b, v17.16b

    // ---- Eight depths at a time, as long as eight are left.
    subs        x2, x2, #8                      // x2: depths left after the next eight
    b.lo        1f
0:
    ld1         {v0.8b}, [x3], #8               // v0: row 0, depths 0..7, 8 bytes
    ld1         {v1.8b}, [x9], #8               // v1: row 1
    ld1         {v2.8b}, [x10], #8              // v2: row 2
    ld1         {v3.8b}, [x11], #8              // v3: row 3
    ld1         {v4.8b}, [x12], #8              // v4: row 4
    ld1         {v5.8b}, [x13], #8              // v5: row 5
    ld1         {v6.8b}, [x14], #8              // v6: row 6
    ld1         {v7.8b}, [x15], #8              // v7: row 7
    ld1         {v9.8b}, [x5], #8               // v9: depth 0 of 8 columns
    ld1         {v10.8b}, [x5], #8              // v10: depth 1
    uxtl        v0.8h, v0.8b                    // v0..v7: the eight rows as int16
    uxtl        v1.8h, v1.8b
    uxtl        v2.8h, v2.8b
    uxtl        v3.8h, v3.8b
    uxtl        v4.8h, v4.8b
    uxtl        v5.8h, v5.8b
    uxtl        v6.8h, v6.8b
    uxtl        v7.8h, v7.8b
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 0 less its zero point, as int16
    usubl       v10.8h, v10.8b, v8.8b           // v10: depth 1

    smlal       v16.4s, v9.4h, v0.h[0]          // row 0 += a0[0] * depth 0
    smlal2      v17.4s, v9.8h, v0.h[0]
    smlal       v18.4s, v9.4h, v1.h[0]          // row 1 += a1[0] * depth 0
    smlal2      v19.4s, v9.8h, v1.h[0]
    smlal       v20.4s, v9.4h, v2.h[0]          // row 2 += a2[0] * depth 0
    smlal2      v21.4s, v9.8h, v2.h[0]
    smlal       v22.4s, v9.4h, v3.h[0]          // row 3 += a3[0] * depth 0
    smlal2      v23.4s, v9.8h, v3.h[0]
    smlal       v24.4s, v9.4h, v4.h[0]          // row 4 += a4[0] * depth 0
    smlal2      v25.4s, v9.8h, v4.h[0]
    smlal       v26.4s, v9.4h, v5.h[0]          // row 5 += a5[0] * depth 0
    smlal2      v27.4s, v9.8h, v5.h[0]
    smlal       v28.4s, v9.4h, v6.h[0]          // row 6 += a6[0] * depth 0
    smlal2      v29.4s, v9.8h, v6.h[0]
    smlal       v30.4s, v9.4h, v7.h[0]          // row 7 += a7[0] * depth 0
    smlal2      v31.4s, v9.8h, v7.h[0]
    ld1         {v9.8b}, [x5], #8               // v9: depth 2

    smlal       v16.4s, v10.4h, v0.h[1]         // row 0 += a0[1] * depth 1
    smlal2      v17.4s, v10.8h, v0.h[1]
    smlal       v18.4s, v10.4h, v1.h[1]         // row 1 += a1[1] * depth 1
    smlal2      v19.4s, v10.8h, v1.h[1]
    smlal       v20.4s, v10.4h, v2.h[1]         // row 2 += a2[1] * depth 1
    smlal2      v21.4s, v10.8h, v2.h[1]
    smlal       v22.4s, v10.4h, v3.h[1]         // row 3 += a3[1] * depth 1
    smlal2      v23.4s, v10.8h, v3.h[1]
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 2
    smlal       v24.4s, v10.4h, v4.h[1]         // row 4 += a4[1] * depth 1
    smlal2      v25.4s, v10.8h, v4.h[1]
    smlal       v26.4s, v10.4h, v5.h[1]         // row 5 += a5[1] * depth 1
    smlal2      v27.4s, v10.8h, v5.h[1]
    smlal       v28.4s, v10.4h, v6.h[1]         // row 6 += a6[1] * depth 1
    smlal2      v29.4s, v10.8h, v6.h[1]
    smlal       v30.4s, v10.4h, v7.h[1]         // row 7 += a7[1] * depth 1
    smlal2      v31.4s, v10.8h, v7.h[1]
    ld1         {v10.8b}, [x5], #8              // v10: depth 3

    smlal       v16.4s, v9.4h, v0.h[2]          // row 0 += a0[2] * depth 2
    smlal2      v17.4s, v9.8h, v0.h[2]
    smlal       v18.4s, v9.4h, v1.h[2]          // row 1 += a1[2] * depth 2
    smlal2      v19.4s, v9.8h, v1.h[2]
    smlal       v20.4s, v9.4h, v2.h[2]          // row 2 += a2[2] * depth 2
    smlal2      v21.4s, v9.8h, v2.h[2]
    smlal       v22.4s, v9.4h, v3.h[2]          // row 3 += a3[2] * depth 2
    smlal2      v23.4s, v9.8h, v3.h[2]
    usubl       v10.8h, v10.8b, v8.8b           // v10: depth 3
    smlal       v24.4s, v9.4h, v4.h[2]          // row 4 += a4[2] * depth 2
    smlal2      v25.4s, v9.8h, v4.h[2]
    smlal       v26.4s, v9.4h, v5.h[2]          // row 5 += a5[2] * depth 2
    smlal2      v27.4s, v9.8h, v5.h[2]
    smlal       v28.4s, v9.4h, v6.h[2]          // row 6 += a6[2] * depth 2
    smlal2      v29.4s, v9.8h, v6.h[2]
    smlal       v30.4s, v9.4h, v7.h[2]          // row 7 += a7[2] * depth 2
    smlal2      v31.4s, v9.8h, v7.h[2]
    ld1         {v9.8b}, [x5], #8               // v9: depth 4

    smlal       v16.4s, v10.4h, v0.h[3]         // row 0 += a0[3] * depth 3
    smlal2      v17.4s, v10.8h, v0.h[3]
    smlal       v18.4s, v10.4h, v1.h[3]         // row 1 += a1[3] * depth 3
    smlal2      v19.4s, v10.8h, v1.h[3]
    smlal       v20.4s, v10.4h, v2.h[3]         // row 2 += a2[3] * depth 3
    smlal2      v21.4s, v10.8h, v2.h[3]
    smlal       v22.4s, v10.4h, v3.h[3]         // row 3 += a3[3] * depth 3
    smlal2      v23.4s, v10.8h, v3.h[3]
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 4
    smlal       v24.4s, v10.4h, v4.h[3]         // row 4 += a4[3] * depth 3
    smlal2      v25.4s, v10.8h, v4.h[3]
    smlal       v26.4s, v10.4h, v5.h[3]         // row 5 += a5[3] * depth 3
    smlal2      v27.4s, v10.8h, v5.h[3]
    smlal       v28.4s, v10.4h, v6.h[3]         // row 6 += a6[3] * depth 3
    smlal2      v29.4s, v10.8h, v6.h[3]
    smlal       v30.4s, v10.4h, v7.h[3]         // row 7 += a7[3] * depth 3
    smlal2      v31.4s, v10.8h, v7.h[3]
    ld1         {v10.8b}, [x5], #8              // v10: depth 5

    smlal       v16.4s, v9.4h, v0.h[4]          // row 0 += a0[4] * depth 4
    smlal2      v17.4s, v9.8h, v0.h[4]
    smlal       v18.4s, v9.4h, v1.h[4]          // row 1 += a1[4] * depth 4
    smlal2      v19.4s, v9.8h, v1.h[4]
    smlal       v20.4s, v9.4h, v2.h[4]          // row 2 += a2[4] * depth 4
    smlal2      v21.4s, v9.8h, v2.h[4]
    smlal       v22.4s, v9.4h, v3.h[4]          // row 3 += a3[4] * depth 4
    smlal2      v23.4s, v9.8h, v3.h[4]
    usubl       v10.8h, v10.8b, v8.8b           // v10: depth 5
    smlal       v24.4s, v9.4h, v4.h[4]          // row 4 += a4[4] * depth 4
    smlal2      v25.4s, v9.8h, v4.h[4]
    smlal       v26.4s, v9.4h, v5.h[4]          // row 5 += a5[4] * depth 4
    smlal2      v27.4s, v9.8h, v5.h[4]
    smlal       v28.4s, v9.4h, v6.h[4]          // row 6 += a6[4] * depth 4
    smlal2      v29.4s, v9.8h, v6.h[4]
    smlal       v30.4s, v9.4h, v7.h[4]          // row 7 += a7[4] * depth 4
    smlal2      v31.4s, v9.8h, v7.h[4]
    ld1         {v9.8b}, [x5], #8               // v9: depth 6

    smlal       v16.4s, v10.4h, v0.h[5]         // row 0 += a0[5] * depth 5
    smlal2      v17.4s, v10.8h, v0.h[5]
    smlal       v18.4s, v10.4h, v1.h[5]         // row 1 += a1[5] * depth 5
    smlal2      v19.4s, v10.8h, v1.h[5]
    smlal       v20.4s, v10.4h, v2.h[5]         // row 2 += a2[5] * depth 5
    smlal2      v21.4s, v10.8h, v2.h[5]
    smlal       v22.4s, v10.4h, v3.h[5]         // row 3 += a3[5] * depth 5
    smlal2      v23.4s, v10.8h, v3.h[5]
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 6
    smlal       v24.4s, v10.4h, v4.h[5]         // row 4 += a4[5] * depth 5
    smlal2      v25.4s, v10.8h, v4.h[5]
    smlal       v26.4s, v10.4h, v5.h[5]         // row 5 += a5[5] * depth 5
    smlal2      v27.4s, v10.8h, v5.h[5]
    smlal       v28.4s, v10.4h, v6.h[5]         // row 6 += a6[5] * depth 5
    smlal2      v29.4s, v10.8h, v6.h[5]
    smlal       v30.4s, v10.4h, v7.h[5]         // row 7 += a7[5] * depth 5
    smlal2      v31.4s, v10.8h, v7.h[5]
    ld1         {v10.8b}, [x5], #8              // v10: depth 7

    smlal       v16.4s, v9.4h, v0.h[6]          // row 0 += a0[6] * depth 6
    smlal2      v17.4s, v9.8h, v0.h[6]
    smlal       v18.4s, v9.4h, v1.h[6]          // row 1 += a1[6] * depth 6
    smlal2      v19.4s, v9.8h, v1.h[6]
    smlal       v20.4s, v9.4h, v2.h[6]          // row 2 += a2[6] * depth 6
    smlal2      v21.4s, v9.8h, v2.h[6]
    smlal       v22.4s, v9.4h, v3.h[6]          // row 3 += a3[6] * depth 6
    smlal2      v23.4s, v9.8h, v3.h[6]
    usubl       v10.8h, v10.8b, v8.8b           // v10: depth 7
    smlal       v24.4s, v9.4h, v4.h[6]          // row 4 += a4[6] * depth 6
    smlal2      v25.4s, v9.8h, v4.h[6]
    smlal       v26.4s, v9.4h, v5.h[6]          // row 5 += a5[6] * depth 6
    smlal2      v27.4s, v9.8h, v5.h[6]
    smlal       v28.4s, v9.4h, v6.h[6]          // row 6 += a6[6] * depth 6
    smlal2      v29.4s, v9.8h, v6.h[6]
    smlal       v30.4s, v9.4h, v7.h[6]          // row 7 += a7[6] * depth 6
    smlal2      v31.4s, v9.8h, v7.h[6]

    smlal       v16.4s, v10.4h, v0.h[7]         // row 0 += a0[7] * depth 7
    smlal2      v17.4s, v10.8h, v0.h[7]
    smlal       v18.4s, v10.4h, v1.h[7]         // row 1 += a1[7] * depth 7
    smlal2      v19.4s, v10.8h, v1.h[7]
    smlal       v20.4s, v10.4h, v2.h[7]         // row 2 += a2[7] * depth 7
    smlal2      v21.4s, v10.8h, v2.h[7]
    smlal       v22.4s, v10.4h, v3.h[7]         // row 3 += a3[7] * depth 7
    smlal2      v23.4s, v10.8h, v3.h[7]
    smlal       v24.4s, v10.4h, v4.h[7]         // row 4 += a4[7] * depth 7
    smlal2      v25.4s, v10.8h, v4.h[7]
    smlal       v26.4s, v10.4h, v5.h[7]         // row 5 += a5[7] * depth 7
    smlal2      v27.4s, v10.8h, v5.h[7]
    smlal       v28.4s, v10.4h, v6.h[7]         // row 6 += a6[7] * depth 7
    smlal2      v29.4s, v10.8h, v6.h[7]
    smlal       v30.4s, v10.4h, v7.h[7]         // row 7 += a7[7] * depth 7
    smlal2      v31.4s, v10.8h, v7.h[7]

    subs        x2, x2, #8
    b.hs        0b

    // ---- The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
1:
    cmp         x2, #-8                         // x2: depths left - 8
    b.eq        2f                              // none left
    add         x3, x3, x2                      // up to 7 bytes back, for k < 8 before the row
    add         x9, x9, x2
    add         x10, x10, x2
    add         x11, x11, x2
    add         x12, x12, x2
    add         x13, x13, x2
    add         x14, x14, x2
    add         x15, x15, x2
    lsl         x16, x2, #3
    fmov        d10, x16                        // d10: minus the bits to shift out
    ld1         {v0.8b}, [x3]
    ld1         {v1.8b}, [x9]
    ld1         {v2.8b}, [x10]
    ld1         {v3.8b}, [x11]
    ld1         {v4.8b}, [x12]
    ld1         {v5.8b}, [x13]
    ld1         {v6.8b}, [x14]
    ld1         {v7.8b}, [x15]
    ushl        d0, d0, d10                     // v0: the last depths of row 0, then zeros
    ushl        d1, d1, d10
    ushl        d2, d2, d10
    ushl        d3, d3, d10
    ushl        d4, d4, d10
    ushl        d5, d5, d10
    ushl        d6, d6, d10
    ushl        d7, d7, d10
    uxtl        v0.8h, v0.8b
    uxtl        v1.8h, v1.8b
    uxtl        v2.8h, v2.8b
    uxtl        v3.8h, v3.8b
    uxtl        v4.8h, v4.8b
    uxtl        v5.8h, v5.8b
    uxtl        v6.8h, v6.8b
    uxtl        v7.8h, v7.8b

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 0 of the rest
    smlal       v16.4s, v9.4h, v0.h[0]
    smlal2      v17.4s, v9.8h, v0.h[0]
    smlal       v18.4s, v9.4h, v1.h[0]
    smlal2      v19.4s, v9.8h, v1.h[0]
    smlal       v20.4s, v9.4h, v2.h[0]
    smlal2      v21.4s, v9.8h, v2.h[0]
    smlal       v22.4s, v9.4h, v3.h[0]
    smlal2      v23.4s, v9.8h, v3.h[0]
    smlal       v24.4s, v9.4h, v4.h[0]
    smlal2      v25.4s, v9.8h, v4.h[0]
    smlal       v26.4s, v9.4h, v5.h[0]
    smlal2      v27.4s, v9.8h, v5.h[0]
    smlal       v28.4s, v9.4h, v6.h[0]
    smlal2      v29.4s, v9.8h, v6.h[0]
    smlal       v30.4s, v9.4h, v7.h[0]
    smlal2      v31.4s, v9.8h, v7.h[0]
    cmp         x2, #-6
    b.lt        2f                              // 1 depth left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 1 of the rest
    smlal       v16.4s, v9.4h, v0.h[1]
    smlal2      v17.4s, v9.8h, v0.h[1]
    smlal       v18.4s, v9.4h, v1.h[1]
    smlal2      v19.4s, v9.8h, v1.h[1]
    smlal       v20.4s, v9.4h, v2.h[1]
    smlal2      v21.4s, v9.8h, v2.h[1]
    smlal       v22.4s, v9.4h, v3.h[1]
    smlal2      v23.4s, v9.8h, v3.h[1]
    smlal       v24.4s, v9.4h, v4.h[1]
    smlal2      v25.4s, v9.8h, v4.h[1]
    smlal       v26.4s, v9.4h, v5.h[1]
    smlal2      v27.4s, v9.8h, v5.h[1]
    smlal       v28.4s, v9.4h, v6.h[1]
    smlal2      v29.4s, v9.8h, v6.h[1]
    smlal       v30.4s, v9.4h, v7.h[1]
    smlal2      v31.4s, v9.8h, v7.h[1]
    b.eq        2f                              // 2 depths left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 2 of the rest
    smlal       v16.4s, v9.4h, v0.h[2]
    smlal2      v17.4s, v9.8h, v0.h[2]
    smlal       v18.4s, v9.4h, v1.h[2]
    smlal2      v19.4s, v9.8h, v1.h[2]
    smlal       v20.4s, v9.4h, v2.h[2]
    smlal2      v21.4s, v9.8h, v2.h[2]
    smlal       v22.4s, v9.4h, v3.h[2]
    smlal2      v23.4s, v9.8h, v3.h[2]
    smlal       v24.4s, v9.4h, v4.h[2]
    smlal2      v25.4s, v9.8h, v4.h[2]
    smlal       v26.4s, v9.4h, v5.h[2]
    smlal2      v27.4s, v9.8h, v5.h[2]
    smlal       v28.4s, v9.4h, v6.h[2]
    smlal2      v29.4s, v9.8h, v6.h[2]
    smlal       v30.4s, v9.4h, v7.h[2]
    smlal2      v31.4s, v9.8h, v7.h[2]
    cmp         x2, #-4
    b.lt        2f                              // 3 depths left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 3 of the rest
    smlal       v16.4s, v9.4h, v0.h[3]
    smlal2      v17.4s, v9.8h, v0.h[3]
    smlal       v18.4s, v9.4h, v1.h[3]
    smlal2      v19.4s, v9.8h, v1.h[3]
    smlal       v20.4s, v9.4h, v2.h[3]
    smlal2      v21.4s, v9.8h, v2.h[3]
    smlal       v22.4s, v9.4h, v3.h[3]
    smlal2      v23.4s, v9.8h, v3.h[3]
    smlal       v24.4s, v9.4h, v4.h[3]
    smlal2      v25.4s, v9.8h, v4.h[3]
    smlal       v26.4s, v9.4h, v5.h[3]
    smlal2      v27.4s, v9.8h, v5.h[3]
    smlal       v28.4s, v9.4h, v6.h[3]
    smlal2      v29.4s, v9.8h, v6.h[3]
    smlal       v30.4s, v9.4h, v7.h[3]
    smlal2      v31.4s, v9.8h, v7.h[3]
    b.eq        2f                              // 4 depths left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 4 of the rest
    smlal       v16.4s, v9.4h, v0.h[4]
    smlal2      v17.4s, v9.8h, v0.h[4]
    smlal       v18.4s, v9.4h, v1.h[4]
    smlal2      v19.4s, v9.8h, v1.h[4]
    smlal       v20.4s, v9.4h, v2.h[4]
    smlal2      v21.4s, v9.8h, v2.h[4]
    smlal       v22.4s, v9.4h, v3.h[4]
    smlal2      v23.4s, v9.8h, v3.h[4]
    smlal       v24.4s, v9.4h, v4.h[4]
    smlal2      v25.4s, v9.8h, v4.h[4]
    smlal       v26.4s, v9.4h, v5.h[4]
    smlal2      v27.4s, v9.8h, v5.h[4]
    smlal       v28.4s, v9.4h, v6.h[4]
    smlal2      v29.4s, v9.8h, v6.h[4]
    smlal       v30.4s, v9.4h, v7.h[4]
    smlal2      v31.4s, v9.8h, v7.h[4]
    cmp         x2, #-2
    b.lt        2f                              // 5 depths left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 5 of the rest
    smlal       v16.4s, v9.4h, v0.h[5]
    smlal2      v17.4s, v9.8h, v0.h[5]
    smlal       v18.4s, v9.4h, v1.h[5]
    smlal2      v19.4s, v9.8h, v1.h[5]
    smlal       v20.4s, v9.4h, v2.h[5]
    smlal2      v21.4s, v9.8h, v2.h[5]
    smlal       v22.4s, v9.4h, v3.h[5]
    smlal2      v23.4s, v9.8h, v3.h[5]
    smlal       v24.4s, v9.4h, v4.h[5]
    smlal2      v25.4s, v9.8h, v4.h[5]
    smlal       v26.4s, v9.4h, v5.h[5]
    smlal2      v27.4s, v9.8h, v5.h[5]
    smlal       v28.4s, v9.4h, v6.h[5]
    smlal2      v29.4s, v9.8h, v6.h[5]
    smlal       v30.4s, v9.4h, v7.h[5]
    smlal2      v31.4s, v9.8h, v7.h[5]
    b.eq        2f                              // 6 depths left: done

    ld1         {v9.8b}, [x5], #8
    usubl       v9.8h, v9.8b, v8.8b             // v9: depth 6 of the rest
    smlal       v16.4s, v9.4h, v0.h[6]
    smlal2      v17.4s, v9.8h, v0.h[6]
    smlal       v18.4s, v9.4h, v1.h[6]
    smlal2      v19.4s, v9.8h, v1.h[6]
    smlal       v20.4s, v9.4h, v2.h[6]
    smlal2      v21.4s, v9.8h, v2.h[6]
    smlal       v22.4s, v9.4h, v3.h[6]
    smlal2      v23.4s, v9.8h, v3.h[6]
    smlal       v24.4s, v9.4h, v4.h[6]
    smlal2      v25.4s, v9.8h, v4.h[6]
    smlal       v26.4s, v9.4h, v5.h[6]
    smlal2      v27.4s, v9.8h, v5.h[6]
    smlal       v28.4s, v9.4h, v6.h[6]
    smlal2      v29.4s, v9.8h, v6.h[6]
    smlal       v30.4s, v9.4h, v7.h[6]
    smlal2      v31.4s, v9.8h, v7.h[6]

    // ---- Scale: high half of twice the product with the multiplier, rounded, then a rounding shift right.
2:
    ld1r        {v0.4s}, [x8], #4               // v0: multiplier
    ld1r        {v1.4s}, [x8], #4               // v1: left shift, 0 or negative
    cmeq        v2.4s, v1.4s, #0                // v2: all ones where nothing is shifted
    sqrdmulh    v16.4s, v16.4s, v0.4s           // v16..v31: accumulators times multiplier / 2**31
    sqrdmulh    v17.4s, v17.4s, v0.4s
    sqrdmulh    v18.4s, v18.4s, v0.4s
    sqrdmulh    v19.4s, v19.4s, v0.4s
    sqrdmulh    v20.4s, v20.4s, v0.4s
    sqrdmulh    v21.4s, v21.4s, v0.4s
    sqrdmulh    v22.4s, v22.4s, v0.4s
    sqrdmulh    v23.4s, v23.4s, v0.4s
    sqrdmulh    v24.4s, v24.4s, v0.4s
    sqrdmulh    v25.4s, v25.4s, v0.4s
    sqrdmulh    v26.4s, v26.4s, v0.4s
    sqrdmulh    v27.4s, v27.4s, v0.4s
    sqrdmulh    v28.4s, v28.4s, v0.4s
    sqrdmulh    v29.4s, v29.4s, v0.4s
    sqrdmulh    v30.4s, v30.4s, v0.4s
    sqrdmulh    v31.4s, v31.4s, v0.4s
    // SRSHL rounds ties up; one less for negative numbers makes them go away from zero.
    bic         v3.16b, v16.16b, v2.16b         // v3..v6: the same, zero where nothing is shifted
    bic         v4.16b, v17.16b, v2.16b
    bic         v5.16b, v18.16b, v2.16b
    bic         v6.16b, v19.16b, v2.16b
    ssra        v16.4s, v3.4s, #31              // minus 1 where negative
    ssra        v17.4s, v4.4s, #31
    ssra        v18.4s, v5.4s, #31
    ssra        v19.4s, v6.4s, #31
    bic         v3.16b, v20.16b, v2.16b
    bic         v4.16b, v21.16b, v2.16b
    bic         v5.16b, v22.16b, v2.16b
    bic         v6.16b, v23.16b, v2.16b
    ssra        v20.4s, v3.4s, #31
    ssra        v21.4s, v4.4s, #31
    ssra        v22.4s, v5.4s, #31
    ssra        v23.4s, v6.4s, #31
    bic         v3.16b, v24.16b, v2.16b
    bic         v4.16b, v25.16b, v2.16b
    bic         v5.16b, v26.16b, v2.16b
    bic         v6.16b, v27.16b, v2.16b
    ssra        v24.4s, v3.4s, #31
    ssra        v25.4s, v4.4s, #31
    ssra        v26.4s, v5.4s, #31
    ssra        v27.4s, v6.4s, #31
    bic         v3.16b, v28.16b, v2.16b
    bic         v4.16b, v29.16b, v2.16b
    bic         v5.16b, v30.16b, v2.16b
    bic         v6.16b, v31.16b, v2.16b
    ssra        v28.4s, v3.4s, #31
    ssra        v29.4s, v4.4s, #31
    ssra        v30.4s, v5.4s, #31
    ssra        v31.4s, v6.4s, #31
    srshl       v16.4s, v16.4s, v1.4s           // v16..v31: scaled
    srshl       v17.4s, v17.4s, v1.4s
    srshl       v18.4s, v18.4s, v1.4s
    srshl       v19.4s, v19.4s, v1.4s
    srshl       v20.4s, v20.4s, v1.4s
    srshl       v21.4s, v21.4s, v1.4s
    srshl       v22.4s, v22.4s, v1.4s
    srshl       v23.4s, v23.4s, v1.4s
    srshl       v24.4s, v24.4s, v1.4s
    srshl       v25.4s, v25.4s, v1.4s
    srshl       v26.4s, v26.4s, v1.4s
    srshl       v27.4s, v27.4s, v1.4s
    srshl       v28.4s, v28.4s, v1.4s
    srshl       v29.4s, v29.4s, v1.4s
    srshl       v30.4s, v30.4s, v1.4s
    srshl       v31.4s, v31.4s, v1.4s

    // ---- Narrow to bytes: saturate, add the zero point of c, saturate, clamp.
    ld1r        {v0.8h}, [x8], #2               // v0: zero point of c, as int16
    sqxtn       v16.4h, v16.4s
    sqxtn2      v16.8h, v17.4s                  // v16: row 0, as int16
    sqxtn       v18.4h, v18.4s
    sqxtn2      v18.8h, v19.4s                  // v18: row 1, as int16
    sqxtn       v20.4h, v20.4s
    sqxtn2      v20.8h, v21.4s                  // v20: row 2, as int16
    sqxtn       v22.4h, v22.4s
    sqxtn2      v22.8h, v23.4s                  // v22: row 3, as int16
    sqxtn       v24.4h, v24.4s
    sqxtn2      v24.8h, v25.4s                  // v24: row 4, as int16
    sqxtn       v26.4h, v26.4s
    sqxtn2      v26.8h, v27.4s                  // v26: row 5, as int16
    sqxtn       v28.4h, v28.4s
    sqxtn2      v28.8h, v29.4s                  // v28: row 6, as int16
    sqxtn       v30.4h, v30.4s
    sqxtn2      v30.8h, v31.4s                  // v30: row 7, as int16
    ld1r        {v1.16b}, [x8], #1              // v1: largest value allowed
    ld1r        {v2.16b}, [x8]                  // v2: smallest value allowed
    sqadd       v16.8h, v16.8h, v0.8h
    sqadd       v18.8h, v18.8h, v0.8h
    sqadd       v20.8h, v20.8h, v0.8h
    sqadd       v22.8h, v22.8h, v0.8h
    sqadd       v24.8h, v24.8h, v0.8h
    sqadd       v26.8h, v26.8h, v0.8h
    sqadd       v28.8h, v28.8h, v0.8h
    sqadd       v30.8h, v30.8h, v0.8h
    sqxtun      v16.8b, v16.8h
    sqxtun2     v16.16b, v18.8h                 // v16: rows 0 and 1, 8 bytes each
    sqxtun      v20.8b, v20.8h
    sqxtun2     v20.16b, v22.8h                 // v20: rows 2 and 3, 8 bytes each
    sqxtun      v24.8b, v24.8h
    sqxtun2     v24.16b, v26.8h                 // v24: rows 4 and 5, 8 bytes each
    sqxtun      v28.8b, v28.8h
    sqxtun2     v28.16b, v30.8h                 // v28: rows 6 and 7, 8 bytes each
    umin        v16.16b, v16.16b, v1.16b
    umin        v20.16b, v20.16b, v1.16b
    umin        v24.16b, v24.16b, v1.16b
    umin        v28.16b, v28.16b, v1.16b
    umax        v16.16b, v16.16b, v2.16b        // v16: rows 0 and 1, clamped
    umax        v20.16b, v20.16b, v2.16b        // v20: rows 2 and 3, clamped
    umax        v24.16b, v24.16b, v2.16b        // v24: rows 4 and 5, clamped
    umax        v28.16b, v28.16b, v2.16b        // v28: rows 6 and 7, clamped

    // ---- Point at eight rows of c, as for a.
    cmp         x0, #2
    add         x9, x6, x7
    csel        x9, x6, x9, lo
    add         x10, x9, x7
    csel        x10, x9, x10, ls
    cmp         x0, #4
    add         x11, x10, x7
    csel        x11, x10, x11, lo
    add         x12, x11, x7
    csel        x12, x11, x12, ls
    cmp         x0, #6
    add         x13, x12, x7
    csel        x13, x12, x13, lo
    add         x14, x13, x7
    csel        x14, x13, x14, ls
    cmp         x0, #8
    add         x15, x14, x7
    csel        x15, x14, x15, ne

    // ---- Store eight columns, or else 4, 2, 1 of them, turning the rest down to the first lanes.
    cmp         x1, #8
    b.ne        3f
    st1         {v16.d}[0], [x6]
    st1         {v16.d}[1], [x9]
    st1         {v20.d}[0], [x10]
    st1         {v20.d}[1], [x11]
    st1         {v24.d}[0], [x12]
    st1         {v24.d}[1], [x13]
    st1         {v28.d}[0], [x14]
    st1         {v28.d}[1], [x15]
    b           6f
3:
    cmp         x1, #4
    b.lo        4f
    st1         {v16.s}[0], [x6], #4
    st1         {v16.s}[2], [x9], #4
    st1         {v20.s}[0], [x10], #4
    st1         {v20.s}[2], [x11], #4
    st1         {v24.s}[0], [x12], #4
    st1         {v24.s}[2], [x13], #4
    st1         {v28.s}[0], [x14], #4
    st1         {v28.s}[2], [x15], #4
    ext         v16.16b, v16.16b, v16.16b, #4   // columns 4.. first in both rows of a register
    ext         v20.16b, v20.16b, v20.16b, #4
    ext         v24.16b, v24.16b, v24.16b, #4
    ext         v28.16b, v28.16b, v28.16b, #4
    sub         x1, x1, #4                      // x1: columns left
4:
    cmp         x1, #2
    b.lo        5f
    st1         {v16.h}[0], [x6], #2
    st1         {v16.h}[4], [x9], #2
    st1         {v20.h}[0], [x10], #2
    st1         {v20.h}[4], [x11], #2
    st1         {v24.h}[0], [x12], #2
    st1         {v24.h}[4], [x13], #2
    st1         {v28.h}[0], [x14], #2
    st1         {v28.h}[4], [x15], #2
    ext         v16.16b, v16.16b, v16.16b, #2   // the last column first
    ext         v20.16b, v20.16b, v20.16b, #2
    ext         v24.16b, v24.16b, v24.16b, #2
    ext         v28.16b, v28.16b, v28.16b, #2
    sub         x1, x1, #2
5:
    cmp         x1, #1
    b.lo        6f
    st1         {v16.b}[0], [x6]
    st1         {v16.b}[8], [x9]
    st1         {v20.b}[0], [x10]
    st1         {v20.b}[8], [x11]
    st1         {v24.b}[0], [x12]
    st1         {v24.b}[8], [x13]
    st1         {v28.b}[0], [x14]
    st1         {v28.b}[8], [x15]

    // ---- Give back what was saved.
6:
    ldr         d10, [sp, #16]
    ldp         d8, d9, [sp], #32
    ret
