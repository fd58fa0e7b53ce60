//! Give a vector of int8 another scale and zero point; 16 at a time, then 8, then the rest.
//! contract: qs8_vcvt
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          int8 [n]
//! in   y           r2          int8 [n], may be x
//! in   params      r3          neonsim_convert_params, 8 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  pp          r3          where the parameters are read next
//! reg  vx          d0-d1       8 elements of x each, then of y
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q12     zero point of x, minus the factor, zero point of y
//!
//!   zx - x   9 bits, shifted left by 7 to fill 16;  times -m, high half of twice the product,
//!                   rounded: ((x - zx) * m + 128) >> 8 without a wider register

#include "include/elementwise_aarch32.h"

    izp         .req q10                        // zero point of x
    factor      .req q11                        // minus the factor
    zeropoint   .req q12                        // zero point of y

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_vcvt_16x__aarch32_neon
    .type   qs8_vcvt_16x__aarch32_neon, %function
qs8_vcvt_16x__aarch32_neon:
    // ---- Fetch the parameters.
    load_convert r3

    // ---- Sixteen elements at a time, as long as that many are left.
    subs        r0, r0, #16
    blo         1f
0:
    vld1.8      {d0-d1}, [r1]!
    convert_8   d0                              // 8 results
    convert_8   d1                              // 8 results
    vst1.8      {d0-d1}, [r2]!
    subs        r0, r0, #16
    bhs         0b

    // ---- Eight elements, if eight are left.
1:
    adds        r0, r0, #8                      // r0: elements left, less 8
    bmi         2f
    vld1.8      {d0}, [r1]!
    convert_8   d0                              // 8 results
    vst1.8      {d0}, [r2]!
    sub         r0, r0, #8

    // ---- The last 1..7 elements: the 8 bytes that end with them.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d4
    load_rest   d0, r1, r0, d4
    convert_8   d0
    store_rest  d0, r2, r0
3:
    bx          lr
    .size   qs8_vcvt_16x__aarch32_neon, . - qs8_vcvt_16x__aarch32_neon
