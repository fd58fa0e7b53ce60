//! 4x4 tile of int64 by int8 whose sums of 64 bits are kept; halves multiplied by element.
//! contract: s64_gemm_s64
//! tile: 4x4
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nr          r1          columns, 1..4
//! in   kc          r2          depth, at least 1
//! in   a           r3          int64 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    int8 [kc, 4], one block of columns
//! in   q           [sp, #8]    int64 [3, 4]: bias, lower limit, upper limit
//! in   c           [sp, #12]   int64 [mr, nr], the result
//! in   c_stride    [sp, #16]   bytes from one row of c to the next
//!
//! reg  pa0..pa3    r3-r6       where each row is read next
//! reg  pw          r7          where the weights are read next
//! reg  pc0..pc3    r8-r11      where each row of c is written
//! reg  va0..va3    d0-d3       one depth of one row each: its halves, low in lane 0, high in lane 1
//! reg  vb          q2          4 columns of one depth, as int32
//! reg  half        q3          2**31, to round to the nearest high half
//! reg  vhigh[0..3] q4-q7       int32, products of high halves, one register per row
//! reg  vacc[0..3]  q8-q15      int64, products of low halves, two registers per row
//!
//!   a = low + 2**32 * high, both signed: low in -2**31 .. 2**31 - 1, so high is (a + 2**31) >> 32.
//!                       d4: columns 0, 1       d5: columns 2, 3          q2: columns 0..3
//!                       +---------------------+---------------------+   +---------------------+
//!   va0  d0    a0[k]    | q8   low of row 0   | q9                  |   | q4   high of row 0  |
//!   va1  d1    a1[k]    | q10                 | q11                 |   | q5                  |
//!   va2  d2    a2[k]    | q12                 | q13                 |   | q6                  |
//!   va3  d3    a3[k]    | q14                 | q15                 |   | q7                  |
//!                       +---------------------+---------------------+   +---------------------+
//!   Of the high halves 32 bits of the sum are enough: the rest leaves 64 bits.

#include "include/gemm_4x8_aarch32.h"
#include "include/wide_gemm_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global s64_gemm_s64_4x4__aarch32_neon_mlal_lane
    .type   s64_gemm_s64_4x4__aarch32_neon_mlal_lane, %function
s64_gemm_s64_4x4__aarch32_neon_mlal_lane:
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

    // ---- High halves start from zero; 2**31 in both lanes of q3.
    vmov.i32    q4, #0
    vmov.i32    q5, #0
    vmov.i32    q6, #0
    vmov.i32    q7, #0
    vmov.i32    d6, #0x80000000
    vshr.u64    d6, d6, #32
    vmov        d7, d6

    // ---- One depth at a time.
1:
    vld1.64     {d0}, [r3]!
    vld1.64     {d1}, [r4]!
    vld1.64     {d2}, [r5]!
    vld1.64     {d3}, [r6]!
    vld1.32     {d4[0]}, [r7]!
    vmovl.s8    q2, d4
    vmovl.s16   q2, d4
    long_depth  d4, d5, d0, d1, d2, d3, 0
    vadd.i64    q0, q0, q3                      // lanes 1: the nearest high half
    vadd.i64    q1, q1, q3
    vmla.i32    q4, q2, d0[1]
    vmla.i32    q5, q2, d1[1]
    vmla.i32    q6, q2, d2[1]
    vmla.i32    q7, q2, d3[1]
    subs        r2, r2, #1
    bne         1b

    // ---- Both halves together.
    join_halves q8, q9, d8, d9
    join_halves q10, q11, d10, d11
    join_halves q12, q13, d12, d13
    join_halves q14, q15, d14, d15

    // ---- Cut off what leaves the limits, then store 4 columns of each row, or the 2, 1 of them that there are.
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
    .size   s64_gemm_s64_4x4__aarch32_neon_mlal_lane, . - s64_gemm_s64_4x4__aarch32_neon_mlal_lane
