//! 12x8 unsigned GEMM tile, both sides packed in cells of 4x2, two depths at a time: gemmlowp's way.
//! contract: u8_gemm_packed_s32
//! tile: 12x8
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   k           x0          depth, even, at least 2
//! in   a           x1          uint8 [k/2, 3, 2, 4]: three cells of 4 rows x 2 depths
//! in   w           x2          uint8 [k/2, 2, 2, 4]: two cells of 4 columns x 2 depths
//! in   c           x3          int32 [8, 12], the sums, column by column
//! in   c_stride    x4          bytes from one column of c to the next
//! in   accumulate  x5          0: c holds nothing yet; 1: add to what it holds
//! in   columns     x6          8
//!
//! reg  pc          x7          where c is read next
//! reg  vb0..vb1    v0-v1       4 columns of two depths each, as uint16
//! reg  va0..va2    v2-v4       4 rows of two depths each, as uint16
//! reg  vacc[0..7]  v8-v31      int32, three registers per column: rows 0..3, 4..7, 8..11
//!
//!          v0.h[0] .. v0.h[3] v1.h[0] .. v1.h[3]      first depth: lower halves; second depth: upper halves, and
//!   v2   |  v8  | v11 | ...                | v29 |   lanes 4..7. Three registers hold twelve rows, because packing
//!   v3   |  v9  | v12 | ...                | v30 |   put four of them side by side.
//!   v4   |  v10 | v13 | ...                | v31 |


    .text
    .p2align 4
    .global u8_gemm_packed_s32_12x8__aarch64_neon_cells
u8_gemm_packed_s32_12x8__aarch64_neon_cells:
    // ---- Save what belongs to the caller.
    stp         d8, d9, [sp, #-64]!
    stp         d10, d11, [sp, #16]
    stp         d12, d13, [sp, #32]
    stp         d14, d15, [sp, #48]

    // ---- Start from zero, or from what c holds.
    cbnz        x5, 0f
    movi        v8.4s, #0
    movi        v9.4s, #0
    movi        v10.4s, #0
    movi        v11.4s, #0
    movi        v12.4s, #0
    movi        v13.4s, #0
    movi        v14.4s, #0
    movi        v15.4s, #0
    movi        v16.4s, #0
    movi        v17.4s, #0
    movi        v18.4s, #0
    movi        v19.4s, #0
    movi        v20.4s, #0
    movi        v21.4s, #0
    movi        v22.4s, #0
    movi        v23.4s, #0
    movi        v24.4s, #0
    movi        v25.4s, #0
    movi        v26.4s, #0
    movi        v27.4s, #0
    movi        v28.4s, #0
    movi        v29.4s, #0
    movi        v30.4s, #0
    movi        v31.4s, #0
    b           1f
0:
    mov         x7, x3
    ld1         {v8.4s, v9.4s, v10.4s}, [x7], x4
    ld1         {v11.4s, v12.4s, v13.4s}, [x7], x4
    ld1         {v14.4s, v15.4s, v16.4s}, [x7], x4
    ld1         {v17.4s, v18.4s, v19.4s}, [x7], x4
    ld1         {v20.4s, v21.4s, v22.4s}, [x7], x4
    ld1         {v23.4s, v24.4s, v25.4s}, [x7], x4
    ld1         {v26.4s, v27.4s, v28.4s}, [x7], x4
    ld1         {v29.4s, v30.4s, v31.4s}, [x7], x4

    // ---- Two depths at a time: five registers loaded and widened, 48 products of four.
1:
    ldr         d2, [x1]
    ldr         d3, [x1, #8]
    ldr         d4, [x1, #16]
    ldp         d0, d1, [x2], #16
    uxtl        v2.8h, v2.8b                    // v2..v4: rows 0..3, 4..7, 8..11 of both depths
    uxtl        v3.8h, v3.8b
    uxtl        v4.8h, v4.8b
    uxtl        v0.8h, v0.8b                    // v0, v1: columns 0..3, 4..7 of both depths
    uxtl        v1.8h, v1.8b
    umlal       v8.4s, v2.4h, v0.h[0]           // column 0, depth 0
    umlal       v9.4s, v3.4h, v0.h[0]
    umlal       v10.4s, v4.4h, v0.h[0]
    umlal       v11.4s, v2.4h, v0.h[1]          // column 1, depth 0
    umlal       v12.4s, v3.4h, v0.h[1]
    umlal       v13.4s, v4.4h, v0.h[1]
    umlal       v14.4s, v2.4h, v0.h[2]          // column 2, depth 0
    umlal       v15.4s, v3.4h, v0.h[2]
    umlal       v16.4s, v4.4h, v0.h[2]
    umlal       v17.4s, v2.4h, v0.h[3]          // column 3, depth 0
    umlal       v18.4s, v3.4h, v0.h[3]
    umlal       v19.4s, v4.4h, v0.h[3]
    umlal       v20.4s, v2.4h, v1.h[0]          // column 4, depth 0
    umlal       v21.4s, v3.4h, v1.h[0]
    umlal       v22.4s, v4.4h, v1.h[0]
    umlal       v23.4s, v2.4h, v1.h[1]          // column 5, depth 0
    umlal       v24.4s, v3.4h, v1.h[1]
    umlal       v25.4s, v4.4h, v1.h[1]
    umlal       v26.4s, v2.4h, v1.h[2]          // column 6, depth 0
    umlal       v27.4s, v3.4h, v1.h[2]
    umlal       v28.4s, v4.4h, v1.h[2]
    umlal       v29.4s, v2.4h, v1.h[3]          // column 7, depth 0
    umlal       v30.4s, v3.4h, v1.h[3]
    umlal       v31.4s, v4.4h, v1.h[3]
    umlal2      v8.4s, v2.8h, v0.h[4]           // column 0, depth 1
    umlal2      v9.4s, v3.8h, v0.h[4]
    umlal2      v10.4s, v4.8h, v0.h[4]
    umlal2      v11.4s, v2.8h, v0.h[5]          // column 1, depth 1
    umlal2      v12.4s, v3.8h, v0.h[5]
    umlal2      v13.4s, v4.8h, v0.h[5]
    umlal2      v14.4s, v2.8h, v0.h[6]          // column 2, depth 1
    umlal2      v15.4s, v3.8h, v0.h[6]
    umlal2      v16.4s, v4.8h, v0.h[6]
    umlal2      v17.4s, v2.8h, v0.h[7]          // column 3, depth 1
    umlal2      v18.4s, v3.8h, v0.h[7]
    umlal2      v19.4s, v4.8h, v0.h[7]
    umlal2      v20.4s, v2.8h, v1.h[4]          // column 4, depth 1
    umlal2      v21.4s, v3.8h, v1.h[4]
    umlal2      v22.4s, v4.8h, v1.h[4]
    umlal2      v23.4s, v2.8h, v1.h[5]          // column 5, depth 1
    umlal2      v24.4s, v3.8h, v1.h[5]
    umlal2      v25.4s, v4.8h, v1.h[5]
    umlal2      v26.4s, v2.8h, v1.h[6]          // column 6, depth 1
    umlal2      v27.4s, v3.8h, v1.h[6]
    umlal2      v28.4s, v4.8h, v1.h[6]
    umlal2      v29.4s, v2.8h, v1.h[7]          // column 7, depth 1
    umlal2      v30.4s, v3.8h, v1.h[7]
    umlal2      v31.4s, v4.8h, v1.h[7]
    add         x1, x1, #24
    subs        x0, x0, #2
    b.ne        1b

    // ---- Store the sums, column by column.
    st1         {v8.4s, v9.4s, v10.4s}, [x3], x4 // one column
    st1         {v11.4s, v12.4s, v13.4s}, [x3], x4 // one column
    st1         {v14.4s, v15.4s, v16.4s}, [x3], x4 // one column
    st1         {v17.4s, v18.4s, v19.4s}, [x3], x4 // one column
    st1         {v20.4s, v21.4s, v22.4s}, [x3], x4 // one column
    st1         {v23.4s, v24.4s, v25.4s}, [x3], x4 // one column
    st1         {v26.4s, v27.4s, v28.4s}, [x3], x4 // one column
    st1         {v29.4s, v30.4s, v31.4s}, [x3], x4 // one column

    // ---- Give back what was saved.
    ldp         d14, d15, [sp, #48]
    ldp         d12, d13, [sp, #32]
    ldp         d10, d11, [sp, #16]
    ldp         d8, d9, [sp], #64
    ret
