//! 4x8 tile of int8 whose sums are kept; multiply-accumulate long by element.
//! contract: s8_gemm_s32
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nr          r1          columns, 1..8
//! in   kc          r2          depth, at least 1
//! in   a           r3          int8 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    int8 [kc, 8], one block of columns
//! in   q           [sp, #8]    int32 [3, 8]: bias, lower limit, upper limit
//! in   c           [sp, #12]   int32 [mr, nr], the result
//! in   c_stride    [sp, #16]   bytes from one row of c to the next
//!
//! reg  pa0..pa3    r3-r6       where each row is read next
//! reg  pw          r7          where the weights are read next
//! reg  pc0..pc3    r8-r11      where each row of c is written
//! reg  va0..va3    q0-q3       8 depths of one row each, as int16
//! reg  vb0..vb1    q4-q5       8 columns of one depth each, as int16
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                       d8: columns 0..3       d9: columns 4..7 of one depth
//!                       +---------------------+---------------------+
//!   va0  q0    a0[k]    | q8   row 0          | q9                  |
//!   va1  q1    a1[k]    | q10  row 1          | q11                 |
//!   va2  q2    a2[k]    | q12  row 2          | q13                 |
//!   va3  q3    a3[k]    | q14  row 3          | q15                 |
//!                       +---------------------+---------------------+
//!   Depth k of row r is lane k % 4 of d(2r + k / 4).

#include "include/gemm_4x8_aarch32.h"
#include "include/wide_gemm_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global s8_gemm_s32_4x8__aarch32_neon_mlal_lane
    .type   s8_gemm_s32_4x8__aarch32_neon_mlal_lane, %function
s8_gemm_s32_4x8__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}

    // ---- Point at the weights, at four rows of a and of c.
    ldr         r12, [sp, #96]                 // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6
    ldr         r7, [sp, #100]                 // r7: weights
    ldr         r8, [sp, #108]                 // r8: c
    ldr         r12, [sp, #112]                // r12: c_stride
    four_rows   r0, r12, r8, r9, r10, r11

    // ---- Start the sums of every row from the biases.
    ldr         r12, [sp, #104]                // r12: q
    vld1.32     {d16-d19}, [r12]!
    vmov        q10, q8
    vmov        q11, q9
    vmov        q12, q8
    vmov        q13, q9
    vmov        q14, q8
    vmov        q15, q9

    // ---- Eight depths at a time.
    subs        r2, r2, #8
    blo         2f
1:
    vld1.8      {d0}, [r3]!                     // q0..q3: 8 depths of each row
    vld1.8      {d2}, [r4]!
    vld1.8      {d4}, [r5]!
    vld1.8      {d6}, [r6]!
    vmovl.s8    q0, d0
    vmovl.s8    q1, d2
    vmovl.s8    q2, d4
    vmovl.s8    q3, d6
    one_depth   q4, d8, d9, d0, d2, d4, d6, 0   // depth 0
    one_depth   q5, d10, d11, d0, d2, d4, d6, 1   // depth 1
    one_depth   q4, d8, d9, d0, d2, d4, d6, 2   // depth 2
    one_depth   q5, d10, d11, d0, d2, d4, d6, 3   // depth 3
    one_depth   q4, d8, d9, d1, d3, d5, d7, 0   // depth 4
    one_depth   q5, d10, d11, d1, d3, d5, d7, 1   // depth 5
    one_depth   q4, d8, d9, d1, d3, d5, d7, 2   // depth 6
    one_depth   q5, d10, d11, d1, d3, d5, d7, 3   // depth 7
    subs        r2, r2, #8
    bhs         1b

    // ---- The last 1..7 depths, one at a time: nothing is read beyond a row.
2:
    adds        r2, r2, #8
    beq         4f
3:
    vld1.8      {d0[0]}, [r3]!
    vld1.8      {d2[0]}, [r4]!
    vld1.8      {d4[0]}, [r5]!
    vld1.8      {d6[0]}, [r6]!
    vmovl.s8    q0, d0
    vmovl.s8    q1, d2
    vmovl.s8    q2, d4
    vmovl.s8    q3, d6
    one_depth   q4, d8, d9, d0, d2, d4, d6, 0
    subs        r2, r2, #1
    bne         3b

    // ---- Cut off what leaves the limits.
4:
    vld1.32     {d0-d3}, [r12]!                 // q0, q1: lower limits
    vld1.32     {d4-d7}, [r12]                  // q2, q3: upper limits
    limit_row   q8, q9
    limit_row   q10, q11
    limit_row   q12, q13
    limit_row   q14, q15

    // ---- Store 8 columns of each row, or the 4, 2, 1 of them that there are.
    cmp         r1, #8
    blo         5f
    vst1.32     {d16-d19}, [r8]
    vst1.32     {d20-d23}, [r9]
    vst1.32     {d24-d27}, [r10]
    vst1.32     {d28-d31}, [r11]
    b           8f
5:
    tst         r1, #4
    beq         6f
    vst1.32     {d16-d17}, [r8]!
    vst1.32     {d20-d21}, [r9]!
    vst1.32     {d24-d25}, [r10]!
    vst1.32     {d28-d29}, [r11]!
    vmov        q8, q9                          // columns 4.. to the front
    vmov        q10, q11
    vmov        q12, q13
    vmov        q14, q15
6:
    tst         r1, #2
    beq         7f
    vst1.32     {d16}, [r8]!
    vst1.32     {d20}, [r9]!
    vst1.32     {d24}, [r10]!
    vst1.32     {d28}, [r11]!
    vmov        d16, d17                        // column 2 of what is left to the front
    vmov        d20, d21
    vmov        d24, d25
    vmov        d28, d29
7:
    tst         r1, #1
    beq         8f
    vst1.32     {d16[0]}, [r8]
    vst1.32     {d20[0]}, [r9]
    vst1.32     {d24[0]}, [r10]
    vst1.32     {d28[0]}, [r11]

    // ---- Give back what was saved.
8:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   s8_gemm_s32_4x8__aarch32_neon_mlal_lane, . - s8_gemm_s32_4x8__aarch32_neon_mlal_lane
