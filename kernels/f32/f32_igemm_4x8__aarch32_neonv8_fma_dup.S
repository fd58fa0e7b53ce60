//! 4x8 float32 indirect GEMM tile; fused multiply-add, elements repeated by VDUP.
//! contract: f32_igemm
//! tile: 4x8
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows, 1..4
//! in   nc          r1          columns, at least 1
//! in   kc          r2          channels of a row, at least 1
//! in   ks          r3          taps, at least 1
//! in   a           [sp]        pointers [ks, 4] to rows of kc floats
//! in   w           [sp, #4]    packed weights, block after block: 8 biases, then ks * kc times 8 weights
//! in   c           [sp, #8]    float32 [mr, nc], the result
//! in   cm_stride   [sp, #12]   bytes from one row of c to the next
//! in   cn_stride   [sp, #16]   bytes from one block of 8 columns of c to the next
//! in   a_offset    [sp, #20]   bytes added to every pointer but zero
//! in   zero        [sp, #24]   float32 [kc], what taps outside the image point at
//! in   params      [sp, #28]   neonsim_float_params, 8 bytes
//!
//! reg  pa0..pa3    r4, r5, r6, r12 where each row is read next
//! reg  pc0..pc3    r8-r11      where each row of c is written next
//! reg  pw          r7          where the weights are read next
//! reg  count       r0          bytes of a row left, less what one round of the loop takes
//! reg  taps        r3          taps left
//! reg  table       r14         where the pointers are read next
//! reg  va0..va3    d0-d3       two depths of one row each
//! reg  vb          q2-q3, q6-q7 8 columns of two depths of w
//! reg  vx          q4-q5       one element, four times, in turn
//! reg  vacc[0..3]  q8-q15      two registers per row
//!
//!                    q2: columns 0..3   q3: columns 4..7   of one depth
//!                   +------------------+------------------+
//!    d0 -> q4  a0[k]| q8               | q9               |   8 VFMA and 4 VDUP, 32 products, for 8 loaded weights;
//!    d1 -> q5  a1[k]| q10              | q11              |   tap after tap, in a tap channel after channel
//!    d2 -> q4  a2[k]| q12              | q13              |
//!    d3 -> q5  a3[k]| q14              | q15              |
//!                   +------------------+------------------+

#include "include/gemm_4x8_aarch32.h"
#include "include/qd8_aarch32.h"
#include "include/f32_4x8_aarch32.h"

    pw  .req r7
    pa0 .req r4
    pa1 .req r5
    pa2 .req r6
    pa3 .req r12
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
    .global f32_igemm_4x8__aarch32_neonv8_fma_dup
    .type   f32_igemm_4x8__aarch32_neonv8_fma_dup, %function
f32_igemm_4x8__aarch32_neonv8_fma_dup:
    // ---- Save what belongs to the caller, and nc, bytes of a row, ks: 48 + 64 bytes, so stack arguments now start at sp + 112.
    lsl         r2, r2, #2                      // r2: bytes of a row
    push        {r1-r11, lr}
    vpush       {d8-d15}

    // ---- Point at the weights and at four rows of c.
    ldr         r7, [sp, #116]                  // r7: weights
    ldr         r8, [sp, #120]                  // r8: c
    ldr         r12, [sp, #124]                 // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11

    // ---- For each block of 8 columns: start every sum from its bias.
0:
    sums_from_bias
    ldr         r14, [sp, #112]                 // r14: the first tap's pointers
    ldr         r3, [sp, #72]                   // r3: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    ldr         r0, [sp, #136]                  // r0: the row of zeros
    ldr         r2, [sp, #132]                  // r2: a_offset
    rows_of_tap_or r14, r2, r0, r0
    ldr         r2, [sp, #68]                   // r2: bytes of a row
    multiply    r0, r2
    subs        r3, r3, #1
    bne         1b

    // ---- Clamp.
    ldr         r0, [sp, #140]                  // r0: parameters
    clamp_tile  r0

    // ---- Store 8 columns of each row, then the next block. The columns left are counted where nc was saved.
    ldr         r12, [sp, #128]                 // r12: cn_stride
    ldr         r1, [sp, #64]
    subs        r1, r1, #8                      // columns left after these
    str         r1, [sp, #64]
    blo         2f
    store_words r12
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_words r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r1-r11, pc}
    .size   f32_igemm_4x8__aarch32_neonv8_fma_dup, . - f32_igemm_4x8__aarch32_neonv8_fma_dup
