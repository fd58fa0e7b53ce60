//! 1x8 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 1x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          1
//! in   nr          r1          columns of this tile, 1..8
//! in   kc          r2          depth, at least 1
//! in   a           r3          uint8 [mr, kc]
//! in   a_stride    [sp]        not needed: there is one row
//! in   w           [sp, #4]    packed weights: 8 int32 biases, then kc times 8 bytes
//! in   c           [sp, #8]    uint8 [mr, nr], the result
//! in   c_stride    [sp, #12]   not needed
//! in   params      [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pa          r3          where a is read next
//! reg  pw          r12         where the weights are read next; then the parameters, then c
//! reg  t           r0          scratch
//! reg  va          q2          8 depths of a, as int16
//! reg  vb          q3          8 columns of one depth of w, less their zero point, as int16
//! reg  vacc        q8-q9       int32 sums of 8 columns
//! reg  vt          q10-q11     scratch
//! reg  vwzp        d24         the zero point of w, 8 times
//! reg  vs          d25         minus the bits to shift out of the last depths
//! reg  vq31        q0-q1       multiplier, left shift
//! reg  vq31b       q13-q14     where nothing is shifted, zero point
//! reg  vlimits     d30-d31     largest and smallest value allowed
//!
//!              w0  w1  w2  w3  w4  w5  w6  w7
//!    a[k]    | q8             | q9             |     8 products for 9 loaded bytes: the weights are used once only,
//!                                                    so a row alone is bound by loads

#include "include/q31_aarch32.h"

    multiplier  .req q0
    leftshift   .req q1
    unshifted   .req q13
    zeropoint   .req q14
    upper       .req d30
    lower       .req d31

// One depth: the weights of eight columns, times one lane of the row, in a.
.macro one_depth a, lane
    vld1.8      {d6}, [r12]!
    vsubl.u8    q3, d6, d24
    vmlal.s16   q8, d6, \a[\lane]
    vmlal.s16   q9, d7, \a[\lane]
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_q31_1x8__aarch32_neon_mlal_lane
    .type   qu8_gemm_q31_1x8__aarch32_neon_mlal_lane, %function
qu8_gemm_q31_1x8__aarch32_neon_mlal_lane:
    // ---- Start from the biases of the eight columns.
    ldr         r12, [sp, #16]
    add         r12, r12, #12
    vld1.8      {d24[]}, [r12]                  // d24: zero point of w
    ldr         r12, [sp, #4]                   // r12: packed weights
    vld1.8      {d16-d19}, [r12]!

    // ---- Eight depths at a time, as long as eight are left.
    subs        r2, r2, #8
    blo         1f
0:
    vld1.8      {d4}, [r3]!
    vmovl.u8    q2, d4
    one_depth   d4, 0
    one_depth   d4, 1
    one_depth   d4, 2
    one_depth   d4, 3
    one_depth   d5, 0
    one_depth   d5, 1
    one_depth   d5, 2
    one_depth   d5, 3
    subs        r2, r2, #8
    bhs         0b

    // ---- The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
1:
    cmp         r2, #-8                         // none left?
    beq         2f
    add         r3, r3, r2                      // up to 7 bytes back, for kc < 8 before the row
    lsl         r0, r2, #3
    vdup.32     d25, r0                         // d25: minus the bits to shift out
    vld1.8      {d4}, [r3]
    vshl.u64    d4, d4, d25
    vmovl.u8    q2, d4
    one_depth   d4, 0
    cmp         r2, #-6
    blt         2f                              // 1 depth left: done
    one_depth   d4, 1
    beq         2f                              // 2 depths left: done
    one_depth   d4, 2
    cmp         r2, #-4
    blt         2f                              // an odd number of depths: done
    one_depth   d4, 3
    beq         2f
    one_depth   d5, 0
    cmp         r2, #-2
    blt         2f                              // an odd number of depths: done
    one_depth   d5, 1
    beq         2f
    one_depth   d5, 2

    // ---- Scale, add the zero point of c, clamp.
2:
    ldr         r12, [sp, #16]
    load_q31    r12, d0, d1, d2, d3, d28, d29
    requantize_q31 q8, q9, d16, d17, q10, q11   // d16: 8 bytes
    ldr         r12, [sp, #8]                   // r12: c

    // ---- Store eight columns, or else 4, 2, 1 of them.
    cmp         r1, #8
    bne         3f
    vst1.8      {d16}, [r12]                    // 8 bytes
    bx          lr
3:
    tst         r1, #4
    beq         4f
    vst1.32     {d16[0]}, [r12]!
    vext.8      d16, d16, d16, #4               // the next columns first
4:
    tst         r1, #2
    beq         5f
    vst1.16     {d16[0]}, [r12]!
    vext.8      d16, d16, d16, #2               // the next ones first
5:
    tst         r1, #1
    beq         6f
    vst1.8      {d16[0]}, [r12]
6:
    bx          lr
    .size   qu8_gemm_q31_1x8__aarch32_neon_mlal_lane, . - qu8_gemm_q31_1x8__aarch32_neon_mlal_lane
