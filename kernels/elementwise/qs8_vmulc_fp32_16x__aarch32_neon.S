//! Multiply a vector of int8 by a constant, scaled in single precision; 16 at a time, then 8, then the rest.
//! contract: qs8_vmulc_fp32
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          int8 [n]
//! in   b           r2          int8 [1]
//! in   y           r3          int8 [n], may be a
//! in   params      [sp]        neonsim_mul_fp32_params, 16 bytes
//!
//! reg  count       r0          elements left, less 16 or 8
//! reg  pa          r1          where a is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          d0-d1       8 elements of a each, then of y
//! reg  vfactor     q1          constant less its zero point, as int16
//! reg  vt          q2-q3       scratch; d4: minus the bits to shift out of the last elements
//! reg  vsum        q8-q9       int32 results of 8 elements before they are narrowed
//! reg  vparams     q10-q12     scale, 12582912, its bits less the zero point of y
//! reg  vbytes      d28-d31     zero points of a and b, limits
//!
//!   (a - za) * (b - zb)   18 bits, exact in single precision; times the scale, plus 12582912 = 1.5 * 2**23:
//!                         the integer stands in the low bits of the sum, ties to even

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"

    mulscale    .req q10                        // scale of the products
    magic       .req q11                        // 12582912, in single precision
    magiczero   .req q12                        // its bits, less the zero point of y
    azp         .req d28                        // zero point of a
    bzp         .req d29                        // zero point of b
    upper       .req d30                        // largest value allowed
    lower       .req d31                        // smallest
    factor      .req q1                         // the constant less its zero point

// Products in q8 and q9 to eight bytes in d.
.macro scale_products d
    scale_products_fp32 \d
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_vmulc_fp32_16x__aarch32_neon
    .type   qs8_vmulc_fp32_16x__aarch32_neon, %function
qs8_vmulc_fp32_16x__aarch32_neon:
    // ---- Fetch the parameters; prepare the constant.
    ldr         r12, [sp]
    load_mul_fp32 r12
    factor_of_constant r2                       // in every lane, for all elements

    // ---- Sixteen elements at a time, as long as that many are left.
    subs        r0, r0, #16
    blo         1f
0:
    vld1.8      {d0-d1}, [r1]!
    multiply_8  d0, d2, d3                      // 8 results
    multiply_8  d1, d2, d3                      // 8 results
    vst1.8      {d0-d1}, [r3]!
    subs        r0, r0, #16
    bhs         0b

    // ---- Eight elements, if eight are left.
1:
    adds        r0, r0, #8                      // r0: elements left, less 8
    bmi         2f
    vld1.8      {d0}, [r1]!
    multiply_8  d0, d2, d3                      // 8 results
    vst1.8      {d0}, [r3]!
    sub         r0, r0, #8

    // ---- The last 1..7 elements: the 8 bytes that end with them.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d4
    load_rest   d0, r1, r0, d4
    multiply_8  d0, d2, d3
    store_rest  d0, r3, r0
3:
    bx          lr
    .size   qs8_vmulc_fp32_16x__aarch32_neon, . - qs8_vmulc_fp32_16x__aarch32_neon
