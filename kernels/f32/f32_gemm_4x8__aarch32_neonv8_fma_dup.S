//! 4x8 float32 GEMM tile; fused multiply-add, elements repeated by VDUP.
//! contract: f32_gemm
//! tile: 4x8
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          depth, at least 1
//! in   a           r3          float32 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights, block after block: 8 biases, then kc times 8 weights
//! in   c           [sp, #8]    float32 [mr, nc], the result
//! in   cm_stride   [sp, #12]   bytes from one row of c to the next
//! in   cn_stride   [sp, #16]   bytes from one block of 8 columns of c to the next
//! in   params      [sp, #20]   neonsim_float_params, 8 bytes
//!
//! reg  pa0..pa3    r3, r4, r5, r6 where each row is read next
//! reg  pc0..pc3    r8-r11      where each row of c is written next
//! reg  pw          r7          where the weights are read next
//! reg  count       r0          bytes of a row left, less what one round of the loop takes
//! reg  va0..va3    d0-d3       two depths of one row each
//! reg  vb          q2-q3, q6-q7 8 columns of two depths of w
//! reg  vx          q4-q5       one element, four times, in turn
//! reg  vacc[0..3]  q8-q15      two registers per row
//!
//!                    q2: columns 0..3   q3: columns 4..7   of one depth
//!                   +------------------+------------------+
//!    d0 -> q4  a0[k]| q8               | q9               |   8 VFMA and 4 VDUP, 32 products, for 8 loaded weights
//!    d1 -> q5  a1[k]| q10              | q11              |
//!    d2 -> q4  a2[k]| q12              | q13              |   Depth k of a row is lane k mod 2 of its register.
//!    d3 -> q5  a3[k]| q14              | q15              |
//!                   +------------------+------------------+

#include "include/gemm_4x8_aarch32.h"
#include "include/qd8_aarch32.h"
#include "include/f32_4x8_aarch32.h"

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
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global f32_gemm_4x8__aarch32_neonv8_fma_dup
    .type   f32_gemm_4x8__aarch32_neonv8_fma_dup, %function
f32_gemm_4x8__aarch32_neonv8_fma_dup:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}

    // ---- Point at the weights, at four rows of a and of c.
    ldr         r12, [sp, #96]                  // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6
    ldr         r7, [sp, #100]                  // r7: weights
    ldr         r8, [sp, #104]                  // r8: c
    ldr         r12, [sp, #108]                 // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11
    lsl         r2, r2, #2                      // r2: bytes of a row

    // ---- For each block of 8 columns: start every sum from its bias.
0:
    sums_from_bias

    // ---- Run over the depth; the pointers end behind the rows.
    multiply    r0, r2

    // ---- Clamp, store 8 columns of each row, then the next block.
    ldr         r0, [sp, #116]                  // r0: parameters
    clamp_tile  r0
    ldr         r12, [sp, #112]                 // r12: cn_stride
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
    .size   f32_gemm_4x8__aarch32_neonv8_fma_dup, . - f32_gemm_4x8__aarch32_neonv8_fma_dup
