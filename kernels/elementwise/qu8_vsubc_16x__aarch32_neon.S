//! Difference of a vector of uint8 and a constant, with their scales, ties up; 16 at a time, then 8, then the rest.
//! contract: qu8_vsubc
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          uint8 [n]
//! in   b           r2          uint8 [1]
//! in   y           r3          uint8 [n], may be a
//! in   params      [sp]        neonsim_scaled_add_params, 20 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 elements of a each, then of y
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q13     factor of a, constant times its factor, minus the shift, zero point of y
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   a - za   9 bits   x   21 bits      int32, one factor negative; one rounding shift for both
//!   b - zb   9 bits   x   21 bits

#include "include/uint8_aarch32.h"
#include "include/elementwise_aarch32.h"

    amul        .req q10                        // factor of a
    bmul        .req q11                        // factor of b
    rightshift  .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of y
    bias        .req q11                        // the constant, times its factor
    azp         .req d28                        // zero point of a
    bzp         .req d29                        // zero point of b
    upper       .req d30                        // largest value allowed
    lower       .req d31                        // smallest

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_vsubc_16x__aarch32_neon
    .type   qu8_vsubc_16x__aarch32_neon, %function
qu8_vsubc_16x__aarch32_neon:
    // ---- Fetch the parameters; prepare the constant.
    ldr         r12, [sp]
    load_scaled_add r12
    bias_of_constant r2                         // in every lane, for all elements

    // ---- Sixteen elements at a time, as long as that many are left.
    subs        r0, r0, #16
    blo         1f
0:
    vld1.8      {d0-d1}, [r1]!
    add_constant_8 d0                           // 8 results
    add_constant_8 d1                           // 8 results
    vst1.8      {d0-d1}, [r3]!
    subs        r0, r0, #16
    bhs         0b

    // ---- Eight elements, if eight are left.
1:
    adds        r0, r0, #8                      // r0: elements left, less 8
    bmi         2f
    vld1.8      {d0}, [r1]!
    add_constant_8 d0                           // 8 results
    vst1.8      {d0}, [r3]!
    sub         r0, r0, #8

    // ---- The last 1..7 elements: the 8 bytes that end with them.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d4
    load_rest   d0, r1, r0, d4
    add_constant_8 d0
    store_rest  d0, r3, r0
3:
    bx          lr
    .size   qu8_vsubc_16x__aarch32_neon, . - qu8_vsubc_16x__aarch32_neon
