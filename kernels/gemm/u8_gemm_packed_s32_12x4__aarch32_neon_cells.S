//! 12x4 unsigned GEMM tile, both sides packed in cells of 4x2, two depths at a time: gemmlowp's way.
//! contract: u8_gemm_packed_s32
//! tile: 12x4
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   k           r0          depth, even, at least 2
//! in   a           r1          uint8 [k/2, 3, 2, 4]: three cells of 4 rows x 2 depths
//! in   w           r2          uint8 [k/2, 1, 2, 4]: one cell of 4 columns x 2 depths
//! in   c           r3          int32 [4, 12], the sums, column by column
//! in   c_stride    [sp]        bytes from one column of c to the next
//! in   accumulate  [sp, #4]    0: c holds nothing yet; 1: add to what it holds
//! in   columns     [sp, #8]    4
//!
//! reg  step        r4          bytes from the end of the second register of a column to the next column
//! reg  more        r5          whether to add to what c holds
//! reg  t           r12         scratch
//! reg  vb          q0          4 columns of two depths, as uint16
//! reg  va0..va2    q1-q3       4 rows of two depths each, as uint16
//! reg  vacc[0..3]  q4-q15      int32, three registers per column: rows 0..3, 4..7, 8..11
//!
//!          d0[0] d0[1] d0[2] d0[3]         All 16 registers are in use. Packing lets one load bring four rows, so
//!   d2   | q4  | q7  | q10 | q13 |        three registers hold twelve rows of a, where a kernel that reads rows as
//!   d4   | q5  | q8  | q11 | q14 |        they lie needs one register for each row, and has a smaller tile.
//!   d6   | q6  | q9  | q12 | q15 |        The second depth is in d3, d5, d7 and d1. No zero points here: they are
//!                                         corrected afterwards, from sums of rows and columns.


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global u8_gemm_packed_s32_12x4__aarch32_neon_cells
    .type   u8_gemm_packed_s32_12x4__aarch32_neon_cells, %function
u8_gemm_packed_s32_12x4__aarch32_neon_cells:
    // ---- Save what belongs to the caller: 8 + 64 bytes, so stack arguments now start at sp + 72.
    push        {r4, r5}
    vpush       {d8-d15}
    ldr         r4, [sp, #72]
    ldr         r5, [sp, #76]                   // r5: accumulate
    sub         r4, r4, #32                     // r4: from behind two registers to the next column

    // ---- Start from zero, or from what c holds.
    cmp         r5, #0                          // is there anything to add to?
    bne         0f
    vmov.i32    q4, #0
    vmov.i32    q5, #0
    vmov.i32    q6, #0
    vmov.i32    q7, #0
    vmov.i32    q8, #0
    vmov.i32    q9, #0
    vmov.i32    q10, #0
    vmov.i32    q11, #0
    vmov.i32    q12, #0
    vmov.i32    q13, #0
    vmov.i32    q14, #0
    vmov.i32    q15, #0
    b           1f
0:
    mov         r12, r3
    vld1.32     {d8-d11}, [r12]!
    vld1.32     {d12-d13}, [r12], r4
    vld1.32     {d14-d17}, [r12]!
    vld1.32     {d18-d19}, [r12], r4
    vld1.32     {d20-d23}, [r12]!
    vld1.32     {d24-d25}, [r12], r4
    vld1.32     {d26-d29}, [r12]!
    vld1.32     {d30-d31}, [r12], r4

    // ---- Two depths at a time: four loads, four widenings, 24 products of four.
1:
    vldr        d2, [r1]
    vldr        d4, [r1, #8]
    vldr        d6, [r1, #16]
    vldr        d0, [r2]
    vmovl.u8    q1, d2                          // q1..q3: rows 0..3, 4..7, 8..11 of both depths
    vmovl.u8    q2, d4
    vmovl.u8    q3, d6
    vmovl.u8    q0, d0                          // q0: columns of both depths
    vmlal.u16   q4, d2, d0[0]                   // column 0, depth 0
    vmlal.u16   q5, d4, d0[0]
    vmlal.u16   q6, d6, d0[0]
    vmlal.u16   q7, d2, d0[1]                   // column 1, depth 0
    vmlal.u16   q8, d4, d0[1]
    vmlal.u16   q9, d6, d0[1]
    vmlal.u16   q10, d2, d0[2]                  // column 2, depth 0
    vmlal.u16   q11, d4, d0[2]
    vmlal.u16   q12, d6, d0[2]
    vmlal.u16   q13, d2, d0[3]                  // column 3, depth 0
    vmlal.u16   q14, d4, d0[3]
    vmlal.u16   q15, d6, d0[3]
    vmlal.u16   q4, d3, d1[0]                   // column 0, depth 1
    vmlal.u16   q5, d5, d1[0]
    vmlal.u16   q6, d7, d1[0]
    vmlal.u16   q7, d3, d1[1]                   // column 1, depth 1
    vmlal.u16   q8, d5, d1[1]
    vmlal.u16   q9, d7, d1[1]
    vmlal.u16   q10, d3, d1[2]                  // column 2, depth 1
    vmlal.u16   q11, d5, d1[2]
    vmlal.u16   q12, d7, d1[2]
    vmlal.u16   q13, d3, d1[3]                  // column 3, depth 1
    vmlal.u16   q14, d5, d1[3]
    vmlal.u16   q15, d7, d1[3]
    add         r1, r1, #24                     // r1: the next three cells
    add         r2, r2, #8                      // r2: the next cell
    subs        r0, r0, #2                      // r0: depths left
    bne         1b

    // ---- Store the sums, column by column.
    vst1.32     {d8-d11}, [r3]!
    vst1.32     {d12-d13}, [r3], r4
    vst1.32     {d14-d17}, [r3]!
    vst1.32     {d18-d19}, [r3], r4
    vst1.32     {d20-d23}, [r3]!
    vst1.32     {d24-d25}, [r3], r4
    vst1.32     {d26-d29}, [r3]!
    vst1.32     {d30-d31}, [r3], r4

    // ---- Give back what was saved.
    vpop        {d8-d15}
    pop         {r4, r5}
    bx          lr
    .size   u8_gemm_packed_s32_12x4__aarch32_neon_cells, . - u8_gemm_packed_s32_12x4__aarch32_neon_cells
