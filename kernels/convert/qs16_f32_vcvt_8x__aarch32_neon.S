//! Integers of 16 bits to real numbers: less the zero point, times the scale; 8 at a time, then 1.
//! contract: qs16_f32_vcvt
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          int16 [n]
//! in   y           r2          float32 [n]
//! in   params      r3          neonsim_dequantize_params, 12 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0          8 elements
//! reg  vy          q2-q3       4 elements each
//! reg  vscale      q8          scale
//! reg  vzero       d18         zero point
//!
//!   q - zero point, as 32 bits;  VCVT;  times the scale, rounded once

#include "include/convert_aarch32.h"

    scale       .req q8
    zero        .req d18

.macro eight
    vld1.8      {d0-d1}, [r1]!                  // 8 of x, or 4
    vsubl.s16   q2, d0, zero                    // q2: less the zero point, 32 bits
    vsubl.s16   q3, d1, zero
    vcvt.f32.s32 q2, q2                         // real numbers
    vcvt.f32.s32 q3, q3
    vmul.f32    q2, q2, scale                   // times the scale
    vmul.f32    q3, q3, scale
    vst1.8      {d4-d7}, [r2]!
.endm

.macro one
    vld1.16     {d0[]}, [r1]!                   // one, four times
    vsubl.s16   q2, d0, zero                    // q2: less the zero point, 32 bits
    vcvt.f32.s32 q2, q2                         // real numbers
    vmul.f32    q2, q2, scale                   // times the scale
    vst1.32     {d4[0]}, [r2]!
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs16_f32_vcvt_8x__aarch32_neon
    .type   qs16_f32_vcvt_8x__aarch32_neon, %function
qs16_f32_vcvt_8x__aarch32_neon:
    // ---- Fetch the parameters: of the zero point the lower half.
    vld1.32     {d16[], d17[]}, [r3]!           // q8: the smallest value, or a factor
    vld1.32     {d18[]}, [r3]                   // the zero point's word
    vdup.16     zero, d18[0]                    // the zero point, in every half

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   qs16_f32_vcvt_8x__aarch32_neon, . - qs16_f32_vcvt_8x__aarch32_neon
