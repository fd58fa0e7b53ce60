//! 1x1 uint8 GEMM tile, a plain dot product: two loads for every product.
//! contract: qu8_gemm_q31
//! tile: 1x1
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          1
//! in   nr          r1          1
//! in   kc          r2          depth, at least 1
//! in   a           r3          uint8 [mr, kc]
//! in   a_stride    [sp]        not needed: there is one row
//! in   w           [sp, #4]    packed weights: 1 int32 bias, then kc bytes
//! in   c           [sp, #8]    uint8 [mr, nr], the result
//! in   c_stride    [sp, #12]   not needed
//! in   params      [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pa          r3          where a is read next
//! reg  pw          r4          where the weights are read next
//! reg  acc         r5          int32, the sum
//! reg  vwzp        r6          the zero point of w
//! reg  vb          r7          one depth of w, less its zero point
//! reg  va          r12         one depth of a; before and after, where the parameters are read next
//! reg  vsum        q8-q9       the sum, for scaling
//! reg  vt          q10-q11     scratch
//! reg  vq31        q0-q3       multiplier, left shift, where nothing is shifted, zero point
//! reg  vlimits     d30-d31     largest and smallest value allowed
//!
//!   c += a[k] * w[k]        1 product for 2 loads; a 4x8 tile makes 32 products out of 12 loaded bytes

#include "include/q31_aarch32.h"

    multiplier  .req q0
    leftshift   .req q1
    unshifted   .req q2
    zeropoint   .req q3
    upper       .req d30
    lower       .req d31

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_q31_1x1__aarch32_mla
    .type   qu8_gemm_q31_1x1__aarch32_mla, %function
qu8_gemm_q31_1x1__aarch32_mla:
    // ---- Save what belongs to the caller, 16 bytes, and start from the bias.
    push        {r4-r7}
    ldr         r4, [sp, #20]                   // r4: packed weights
    ldr         r12, [sp, #32]                  // r12: parameters
    ldr         r5, [r4], #4
    ldrb        r6, [r12, #12]                  // r6: zero point of w

    // ---- One product after the other.
0:
    ldrb        r12, [r3], #1
    ldrb        r7, [r4], #1
    sub         r7, r7, r6
    mla         r5, r12, r7, r5
    subs        r2, r2, #1
    bne         0b

    // ---- Scale one lane as kernels of more columns scale eight, and store it.
    ldr         r12, [sp, #32]
    vdup.32     q8, r5
    vmov        q9, q8
    load_q31    r12, d0, d1, d2, d3, d6, d7
    requantize_q31 q8, q9, d16, d17, q10, q11
    ldr         r12, [sp, #24]                  // r12: c
    vst1.8      {d16[0]}, [r12]

    // ---- Give back what was saved.
    pop         {r4-r7}
    bx          lr
    .size   qu8_gemm_q31_1x1__aarch32_mla, . - qu8_gemm_q31_1x1__aarch32_mla
