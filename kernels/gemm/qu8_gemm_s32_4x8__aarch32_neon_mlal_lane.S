//! 4x8 uint8 GEMM tile over one block of the depth: the sums stay int32 and are kept in memory.
//! contract: qu8_gemm_s32
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows of this tile, 1..4
//! in   nr          r1          columns of this tile, 1..8
//! in   kc          r2          depth of this block, at least 1
//! in   a           r3          uint8 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights of this block: 8 int32 biases, then kc times 8 bytes
//! in   c           [sp, #8]    int32 [mr, nr], the sums
//! in   c_stride    [sp, #12]   bytes from one row of c to the next
//! in   accumulate  [sp, #16]   0: c holds nothing yet; 1: add to what it holds
//! in   params      [sp, #20]   neonsim_q31_params, of which only w_zero_point is used
//!
//! reg  pa0..pa3    r3-r6       where the four rows of a are read next
//! reg  pc          r7          one row of c
//! reg  pw          r8          where the weights are read next
//! reg  more        r9          whether to add to what c holds
//! reg  left        r10         columns of a row that are left to add or store
//! reg  step        r11         bytes from one row of c to the next
//! reg  t           r12         scratch; where one column of c is
//! reg  va0..va3    q0-q3       8 depths of one row each, as int16; later sums out of c
//! reg  vb0..vb1    q4-q5       8 columns of one depth of w, less their zero point, as int16
//! reg  vwzp        d14         the zero point of w, 8 times
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!   depth   | block 0 | block 1 | block 2 |      What libraries do that cut the depth so that panels fit the cache:
//!   sums      store     load      load           every block but the first loads all sums, every block stores them,
//!                       store     store          8 bytes per sum and block; and they must be requantised later.

#include "include/tile_4x8_aarch32.h"

    pw          .req r8

// One row of sums, in lo and hi, at r7: added up if c holds something, then stored. Columns of a narrow tile go one by
// one; lanes move down as they are stored. lo0 is the lower half of lo, hi1 the upper one of hi.
.macro keep_row lo, hi, lo0, hi1
    cmp         r1, #8
    bne         20f
    cmp         r9, #0
    beq         19f
    vld1.32     {d0-d3}, [r7]
    vadd.i32    \lo, \lo, q0
    vadd.i32    \hi, \hi, q1
19:
    vst1.32     {\lo0-\hi1}, [r7]
    b           22f
20:
    mov         r10, r1
    mov         r12, r7
21:
    vmov        d0, \lo0
    cmp         r9, #0
    beq         23f
    vld1.32     {d2[0]}, [r12]
    vadd.i32    d0, d0, d2
23:
    vst1.32     {d0[0]}, [r12]!
    vext.8      \lo, \lo, \hi, #4              // the next column first
    vext.8      \hi, \hi, \hi, #4
    subs        r10, r10, #1
    bne         21b
22:
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_s32_4x8__aarch32_neon_mlal_lane
    .type   qu8_gemm_s32_4x8__aarch32_neon_mlal_lane, %function
qu8_gemm_s32_4x8__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}
    ldr         r12, [sp, #116]
    add         r12, r12, #12
    vld1.8      {d14[]}, [r12]                  // d14: zero point of w, 8 times
    ldr         r8, [sp, #100]                  // r8: packed weights
    ldr         r12, [sp, #96]                  // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6

    // ---- Multiply this block, from its biases on.
    sums_from_bias
    whole_groups r2, r3, r4, r5, r6
    rest_of_group r2, r12, r3, r4, r5, r6

    // ---- Add what c holds, and store; a row that does not exist must not be added a second time.
    vmov.i32    d2, #0
    ldr         r7, [sp, #104]                  // r7: c
    ldr         r11, [sp, #108]                 // r11: c_stride
    ldr         r9, [sp, #112]                  // r9: accumulate
    keep_row    q8, q9, d16, d19                // row 0
    cmp         r0, #2
    blo         3f
    add         r7, r7, r11
    keep_row    q10, q11, d20, d23              // row 1
    cmp         r0, #2
    beq         3f
    add         r7, r7, r11
    keep_row    q12, q13, d24, d27              // row 2
    cmp         r0, #4
    blo         3f
    add         r7, r7, r11
    keep_row    q14, q15, d28, d31              // row 3

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qu8_gemm_s32_4x8__aarch32_neon_mlal_lane, . - qu8_gemm_s32_4x8__aarch32_neon_mlal_lane
