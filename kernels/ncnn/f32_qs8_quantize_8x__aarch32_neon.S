//! Floats to int8 by steps per unit, half away from zero; 8 at a time, then 4, then one.
//! contract: f32_qs8_quantize
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          int8 [n]
//! in   params      r3          neonsim_ncnn_params, 12 bytes: steps per unit is the first
//!
//! reg  count       r0          elements left, less 8 or 4
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q2-q3       4 elements each
//! reg  vsteps      q8          steps per unit
//! reg  vlower      d18         -127
//!
//!   x * steps, in single precision;  twice that, cut off, less one where negative, halved and rounded up;  not below -127

#include "include/ncnn_aarch32.h"

    steps       .req q8
    lower       .req d18

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_qs8_quantize_8x__aarch32_neon
    .type   f32_qs8_quantize_8x__aarch32_neon, %function
f32_qs8_quantize_8x__aarch32_neon:
    // ---- Fetch the parameter.
    vld1.32     {d16[], d17[]}, [r3]
    vmov.i8     lower, #0x81                    // -127

    // ---- Eight elements at a time, as long as that many are left.
    subs        r0, r0, #8
    blo         1f
0:
    vld1.8      {d4-d7}, [r1]!
    bytes_of_8                                  // d4: 8 bytes
    vst1.8      {d4}, [r2]!
    subs        r0, r0, #8
    bhs         0b

    // ---- Four elements, if four are left.
1:
    adds        r0, r0, #4                      // r0: elements left, less 4
    bmi         3f
    vld1.8      {d4-d5}, [r1]!
    bytes_of_4
    vst1.32     {d4[0]}, [r2]!                  // the lower half: 4 bytes
    sub         r0, r0, #4

    // ---- The last 1..3 elements, one by one.
3:
    adds        r0, r0, #4                      // r0: elements left
    beq         5f
4:
    vld1.32     {d4[], d5[]}, [r1]!
    bytes_of_4
    vst1.8      {d4[0]}, [r2]!
    subs        r0, r0, #1
    bne         4b
5:
    bx          lr
    .size   f32_qs8_quantize_8x__aarch32_neon, . - f32_qs8_quantize_8x__aarch32_neon
