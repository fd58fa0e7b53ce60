//! 4x8c4 int8 GEMM tile, dynamic rows; dot products by element, 64 bits of a row per load.
//! contract: qd8_f32_qc8w_gemm
//! tile: 4x8c4
//! isa: aarch32
//! feature: dotprod
//! reads-before: 3
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          depth, at least 1
//! in   a           r3          int8 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights, block after block: 8 int32 minus the sum of each column, then groups of 4 depths, 4 bytes for each column, then 8 scales and 8 biases
//! in   c           [sp, #8]    float32 [mr, nc], the result
//! in   cm_stride   [sp, #12]   bytes from one row of c to the next
//! in   cn_stride   [sp, #16]   bytes from one block of 8 columns of c to the next
//! in   rows        [sp, #20]   {int32 zero point, float scale} [mr]
//! in   params      [sp, #24]   neonsim_qd8_params, 8 bytes
//!
//! reg  pa0..pa3    r3, r4, r5, r6 where each row is read next
//! reg  pc0..pc3    r8-r11      where each row of c is written next
//! reg  pw          r7          where the weights are read next
//! reg  count       r0          depths left, less what one round of the loop takes
//! reg  va0..va3    d0-d3       8 depths of one row each
//! reg  vb          q4-q5       4 depths of columns 0..3, 4..7
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                 q4: columns 0..3   q5: columns 4..7   of four depths
//!                +------------------+------------------+
//!    d0[g]       | q8               | q9               |    8 VSDOT, 128 products, for each four depths: group g of a row is
//!    d1[g]       | q10              | q11              |    the lane of four bytes of its register
//!    d2[g]       | q12              | q13              |
//!    d3[g]       | q14              | q15              |
//!                +------------------+------------------+

#include "include/gemm_4x8_aarch32.h"
#include "include/neondot_4x8c4_aarch32.h"
#include "include/qd8_aarch32.h"

    pw  .req r7
    pa0 .req r3
    pa1 .req r4
    pa2 .req r5
    pa3 .req r6
    pc0 .req r8
    pc1 .req r9
    pc2 .req r10
    pc3 .req r11

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text
    .p2align 4
    .global qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64
    .type   qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64, %function
qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64:
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
    ldr         r12, [sp, #116]                // r12: zero points and scales of the rows
    zero_points_of_rows r12, r0

    // ---- For each block of 8 columns: start each row from its zero point times minus the sums of the columns.
0:
    sums_from_zero_points

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    multiply    r0, r2

    // ---- Scale by row and column, add the bias, clamp.
    ldr         r0, [sp, #120]                 // r0: parameters
    finish_qd8  r0

    // ---- Store 8 columns of each row, then the next block.
    ldr         r12, [sp, #112]                // r12: cn_stride
    subs        r1, r1, #8                      // columns left after these
    blo         2f
    store_words r12
    rewind_rows r2
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_words r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64, . - qd8_f32_qc8w_gemm_4x8c4__aarch32_neondot_ld64
