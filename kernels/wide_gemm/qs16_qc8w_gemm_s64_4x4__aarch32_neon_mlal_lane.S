//! 4x4 tile of int16 by int8, requantised from sums of 64 bits; multiply-accumulate long by element.
//! contract: qs16_qc8w_gemm_s64
//! tile: 4x4
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nr          r1          columns, 1..4
//! in   kc          r2          depth, at least 1
//! in   a           r3          int16 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    int8 [kc, 4], one block of columns
//! in   q           [sp, #8]    int64 [3, 4]: bias, multiplier, minus the shift
//! in   c           [sp, #12]   int16 [mr, nr], the result
//! in   c_stride    [sp, #16]   bytes from one row of c to the next
//! in   output_min  [sp, #20]   int32, the least result
//! in   output_max  [sp, #24]   int32, the largest result
//!
//! reg  pa0..pa3    r3-r6       where each row is read next
//! reg  pw          r7          where the weights are read next
//! reg  pc0..pc3    r8-r11      where each row of c is written
//! reg  count       r0          depths left of this stretch, 256 at most
//! reg  va0..va3    d0-d3       4 depths of one row each, as int16
//! reg  vb0..vb3    d4-d7       4 columns of one depth each, as int16
//! reg  vacc[0..3]  q4-q7       int32, the sums of a stretch, one register per row
//! reg  vsum[0..3]  q8-q15      int64, the sums, two registers per row
//!
//!                       d4: columns 0..3 of depth k               columns 0, 1      columns 2, 3
//!                       +-----------------------------+          +-----------------+-----------------+
//!   va0  d0    a0[k]    | q4   row 0, int32           |  drains  | q8              | q9              |
//!   va1  d1    a1[k]    | q5   row 1                  |   into   | q10             | q11             |
//!   va2  d2    a2[k]    | q6   row 2                  |          | q12             | q13             |
//!   va3  d3    a3[k]    | q7   row 3                  |          | q14             | q15             |
//!                       +-----------------------------+          +-----------------+-----------------+
//!   256 products of int16 and int8 are at most 2**30 in size: that many depths fit int32, whatever they are.

#include "include/gemm_4x8_aarch32.h"
#include "include/wide_gemm_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs16_qc8w_gemm_s64_4x4__aarch32_neon_mlal_lane
    .type   qs16_qc8w_gemm_s64_4x4__aarch32_neon_mlal_lane, %function
qs16_qc8w_gemm_s64_4x4__aarch32_neon_mlal_lane:
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

    // ---- A stretch of at most 256 depths, in int32.
1:
    mov         r0, #256
    cmp         r2, r0
    movlo       r0, r2
    sub         r2, r2, r0                      // r2: depths after this stretch
    vmov.i32    q4, #0
    vmov.i32    q5, #0
    vmov.i32    q6, #0
    vmov.i32    q7, #0
    subs        r0, r0, #4
    blo         3f
2:
    vld1.16     {d0}, [r3]!                     // d0..d3: 4 depths of each row
    vld1.16     {d1}, [r4]!
    vld1.16     {d2}, [r5]!
    vld1.16     {d3}, [r6]!
    vld1.8      {d4-d5}, [r7]!                  // q2: 4 depths of 4 columns
    vmovl.s8    q3, d5                          // d6, d7: depths 2 and 3
    vmovl.s8    q2, d4                          // d4, d5: depths 0 and 1
    vmlal.s16   q4, d4, d0[0]
    vmlal.s16   q5, d4, d1[0]
    vmlal.s16   q6, d4, d2[0]
    vmlal.s16   q7, d4, d3[0]
    vmlal.s16   q4, d5, d0[1]
    vmlal.s16   q5, d5, d1[1]
    vmlal.s16   q6, d5, d2[1]
    vmlal.s16   q7, d5, d3[1]
    vmlal.s16   q4, d6, d0[2]
    vmlal.s16   q5, d6, d1[2]
    vmlal.s16   q6, d6, d2[2]
    vmlal.s16   q7, d6, d3[2]
    vmlal.s16   q4, d7, d0[3]
    vmlal.s16   q5, d7, d1[3]
    vmlal.s16   q6, d7, d2[3]
    vmlal.s16   q7, d7, d3[3]
    subs        r0, r0, #4
    bhs         2b

    // ---- The last 1..3 depths, one at a time: nothing is read beyond a row.
3:
    adds        r0, r0, #4
    beq         5f
4:
    vld1.16     {d0[0]}, [r3]!
    vld1.16     {d1[0]}, [r4]!
    vld1.16     {d2[0]}, [r5]!
    vld1.16     {d3[0]}, [r6]!
    vld1.32     {d4[0]}, [r7]!
    vmovl.s8    q2, d4
    vmlal.s16   q4, d4, d0[0]
    vmlal.s16   q5, d4, d1[0]
    vmlal.s16   q6, d4, d2[0]
    vmlal.s16   q7, d4, d3[0]
    subs        r0, r0, #1
    bne         4b

    // ---- Drain the stretch into sums of 64 bits.
5:
    vaddw.s32   q8, q8, d8
    vaddw.s32   q9, q9, d9
    vaddw.s32   q10, q10, d10
    vaddw.s32   q11, q11, d11
    vaddw.s32   q12, q12, d12
    vaddw.s32   q13, q13, d13
    vaddw.s32   q14, q14, d14
    vaddw.s32   q15, q15, d15
    cmp         r2, #0
    bne         1b

    // ---- Scale, round once, cut off; rows 0..3 end in d16, d20, d24, d28.
    add         r12, r12, #32                   // r12: behind the biases
    vld1.64     {d0-d3}, [r12]!                 // multipliers, 64 bits each
    vmovn.i64   d8, q0
    vmovn.i64   d9, q1                          // q4: multipliers of 4 columns, 32 bits each
    vld1.64     {d4-d7}, [r12]                  // q2, q3: minus the shifts
    ldr         r12, [sp, #116]
    vdup.32     q5, r12                         // q5: least result
    ldr         r12, [sp, #120]
    vdup.32     q6, r12                         // q6: largest result
    scale_row   q8, q9, d16, d17
    scale_row   q10, q11, d20, d21
    scale_row   q12, q13, d24, d25
    scale_row   q14, q15, d28, d29

    // ---- Store 4 columns of each row, or the 1..3 that there are.
    cmp         r1, #4
    blo         6f
    vst1.16     {d16}, [r8]
    vst1.16     {d20}, [r9]
    vst1.16     {d24}, [r10]
    vst1.16     {d28}, [r11]
    b           8f
6:
    tst         r1, #2
    beq         7f
    vst1.32     {d16[0]}, [r8]!
    vst1.32     {d20[0]}, [r9]!
    vst1.32     {d24[0]}, [r10]!
    vst1.32     {d28[0]}, [r11]!
    vext.8      d16, d16, d16, #4               // column 2 to the front
    vext.8      d20, d20, d20, #4
    vext.8      d24, d24, d24, #4
    vext.8      d28, d28, d28, #4
7:
    tst         r1, #1
    beq         8f
    vst1.16     {d16[0]}, [r8]
    vst1.16     {d20[0]}, [r9]
    vst1.16     {d24[0]}, [r10]
    vst1.16     {d28[0]}, [r11]

    // ---- Give back what was saved.
8:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qs16_qc8w_gemm_s64_4x4__aarch32_neon_mlal_lane, . - qs16_qc8w_gemm_s64_4x4__aarch32_neon_mlal_lane
