//! 4x8 int8 GEMM tile, multiplier and shift per column; multiply-accumulate long by element.
//! contract: qs8_qc8w_gemm_tengine
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          depth, at least 1
//! in   a           r3          int8 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights, block after block: 8 int32 biases, then kc times 8 bytes, then 8 scales
//! in   c           [sp, #8]    int8 [mr, nc], the result
//! in   cm_stride   [sp, #12]   bytes from one row of c to the next
//! in   cn_stride   [sp, #16]   bytes from one block of 8 columns of c to the next
//! in   params      [sp, #20]   neonsim_qc8w_params, 16 bytes
//!
//! reg  pa0..pa3    r3, r4, r5, r6 where each row is read next
//! reg  pc0..pc3    r8-r11      where each row of c is written next
//! reg  pw          r7          where the weights are read next
//! reg  count       r0          depths left, less what one round of the loop takes
//! reg  va0..va3    q0-q3       8 depths of one row each, as int16
//! reg  vb          q4          8 columns of one depth of w, as int16
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                        d8, d9: columns 0..7 of one depth
//!                       +-----------------+-----------------+
//!                       | w0  w1  w2  w3  | w4  w5  w6  w7  |
//!   va0  d0  d1   a0[k] | q8   row 0      | q9   row 0      |
//!   va1  d2  d3   a1[k] | q10  row 1      | q11  row 1      |
//!   va2  d4  d5   a2[k] | q12  row 2      | q13  row 2      |
//!   va3  d6  d7   a3[k] | q14  row 3      | q15  row 3      |
//!                       +-----------------+-----------------+
//!   Depth k of row r is lane k % 4 of d(2r + k / 4).

#include "include/gemm_4x8_aarch32.h"
#include "include/mlal_lane_4x8_aarch32.h"
#include "include/int8_aarch32.h"
#include "include/tengine_aarch32.h"

    pw        .req r7
    pa0       .req r3
    pa1       .req r4
    pa2       .req r5
    pa3       .req r6
    pc0       .req r8
    pc1       .req r9
    pc2       .req r10
    pc3       .req r11
    zeropoint .req q3
    upper     .req q4
    lower     .req q5

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane
    .type   qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane, %function
qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}

    // ---- Point at the weights, at four rows of a and of c.
    ldr         r12, [sp, #96]                 // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6
    ldr         r7, [sp, #100]                 // r7: weights
    ldr         r8, [sp, #104]                 // r8: c
    ldr         r12, [sp, #108]                // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    multiply    r0, r2

    // ---- Scale, round, add the zero point of c, clamp; rows 0..3 end in d16..d19.
    ldr         r12, [sp, #116]                // r12: parameters
    vld1.8      {d0-d3}, [pw]!                  // q0, q1: the scales of the columns
    scale_columns q0, q8, q10, q12, q14
    scale_columns q1, q9, q11, q13, q15
    load_qc8w   r12
    narrow_to_int16
    add_zeropoint
    narrow_to_bytes

    // ---- Store 8 columns of each row, then the next block.
    ldr         r12, [sp, #112]                // r12: cn_stride
    subs        r1, r1, #8                      // columns left after these
    blo         2f
    store_block r12
    rewind_rows r2
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane, . - qs8_qc8w_gemm_tengine_4x8__aarch32_neon_mlal_lane
