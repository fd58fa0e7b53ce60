//! 4x4 tile of int32 by int8 whose sums of 64 bits are kept; multiply-accumulate long by element.
//! contract: s32_gemm_s64
//! tile: 4x4
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nr          r1          columns, 1..4
//! in   kc          r2          depth, at least 1
//! in   a           r3          int32 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    int8 [kc, 4], one block of columns
//! in   q           [sp, #8]    int64 [3, 4]: bias, lower limit, upper limit
//! in   c           [sp, #12]   int64 [mr, nr], the result
//! in   c_stride    [sp, #16]   bytes from one row of c to the next
//!
//! reg  pa0..pa3    r3-r6       where each row is read next
//! reg  pw          r7          where the weights are read next
//! reg  pc0..pc3    r8-r11      where each row of c is written
//! reg  va0..va3    q0-q3       4 depths of one row each, int32
//! reg  vb0..vb3    q4-q7       4 columns of one depth each, as int32
//! reg  vacc[0..3]  q8-q15      int64, two registers per row
//!
//!                       d8: columns 0, 1       d9: columns 2, 3 of one depth
//!                       +---------------------+---------------------+
//!   va0  q0    a0[k]    | q8   row 0          | q9                  |
//!   va1  q1    a1[k]    | q10  row 1          | q11                 |
//!   va2  q2    a2[k]    | q12  row 2          | q13                 |
//!   va3  q3    a3[k]    | q14  row 3          | q15                 |
//!                       +---------------------+---------------------+
//!   Half as many sums fit a register as of int32: twice the multiplications for the same products.

#include "include/gemm_4x8_aarch32.h"
#include "include/wide_gemm_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global s32_gemm_s64_4x4__aarch32_neon_mlal_lane
    .type   s32_gemm_s64_4x4__aarch32_neon_mlal_lane, %function
s32_gemm_s64_4x4__aarch32_neon_mlal_lane:
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
    wide_bias   r12
    add         r12, r12, #32                   // r12: limits

    // ---- Four depths at a time.
    subs        r2, r2, #4
    blo         2f
1:
    vld1.32     {d0-d1}, [r3]!                  // q0..q3: 4 depths of each row
    vld1.32     {d2-d3}, [r4]!
    vld1.32     {d4-d5}, [r5]!
    vld1.32     {d6-d7}, [r6]!
    vld1.8      {d12-d13}, [r7]!                // q6: 4 depths of 4 columns
    vmovl.s8    q7, d13                         // q7: depths 2 and 3, 16 bits
    vmovl.s8    q5, d12                         // q5: depths 0 and 1
    vmovl.s16   q4, d10                         // q4..q7: a depth each, 32 bits
    vmovl.s16   q5, d11
    vmovl.s16   q6, d14
    vmovl.s16   q7, d15
    long_depth  d8, d9, d0, d2, d4, d6, 0
    long_depth  d10, d11, d0, d2, d4, d6, 1
    long_depth  d12, d13, d1, d3, d5, d7, 0
    long_depth  d14, d15, d1, d3, d5, d7, 1
    subs        r2, r2, #4
    bhs         1b

    // ---- The last 1..3 depths, one at a time: nothing is read beyond a row.
2:
    adds        r2, r2, #4
    beq         5f
3:
    vld1.32     {d0[0]}, [r3]!
    vld1.32     {d2[0]}, [r4]!
    vld1.32     {d4[0]}, [r5]!
    vld1.32     {d6[0]}, [r6]!
    vld1.32     {d8[0]}, [r7]!
    vmovl.s8    q4, d8
    vmovl.s16   q4, d8
    long_depth  d8, d9, d0, d2, d4, d6, 0
    subs        r2, r2, #1
    bne         3b

    // ---- Cut off what leaves the limits, then store 4 columns of each row, or the 2, 1 of them that there are.
5:
    vld1.64     {d4-d7}, [r12]!                 // q2, q3: lower limits
    vld1.64     {d8-d11}, [r12]                 // q4, q5: upper limits
    limit_wide  q8, q9
    limit_wide  q10, q11
    limit_wide  q12, q13
    limit_wide  q14, q15
    cmp         r1, #4
    blo         6f
    vst1.64     {d16-d19}, [r8]
    vst1.64     {d20-d23}, [r9]
    vst1.64     {d24-d27}, [r10]
    vst1.64     {d28-d31}, [r11]
    b           8f
6:
    tst         r1, #2
    beq         7f
    vst1.64     {d16-d17}, [r8]!
    vst1.64     {d20-d21}, [r9]!
    vst1.64     {d24-d25}, [r10]!
    vst1.64     {d28-d29}, [r11]!
    vmov        d16, d18                        // column 2 to the front
    vmov        d20, d22
    vmov        d24, d26
    vmov        d28, d30
7:
    tst         r1, #1
    beq         8f
    vst1.64     {d16}, [r8]
    vst1.64     {d20}, [r9]
    vst1.64     {d24}, [r10]
    vst1.64     {d28}, [r11]

    // ---- Give back what was saved.
8:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   s32_gemm_s64_4x4__aarch32_neon_mlal_lane, . - s32_gemm_s64_4x4__aarch32_neon_mlal_lane
