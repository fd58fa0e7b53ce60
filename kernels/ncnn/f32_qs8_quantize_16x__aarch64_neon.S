//! Floats to int8 by steps per unit, half away from zero; 16 at a time, then 4, then one.
//! contract: f32_qs8_quantize
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          int8 [n]
//! in   params      x3          neonsim_ncnn_params, 12 bytes: steps per unit is the first
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       4 elements each
//! reg  vsteps      v16         steps per unit
//! reg  vlower      v17         -127
//!
//!   x * steps, in single precision;  FCVTAS: the nearest integer, half away from zero, NaN as 0;  saturated twice, then not below -127

#include "include/ncnn_aarch64.h"

    steps       .req v16
    lower       .req v17

    .text
    .p2align 4
    .global f32_qs8_quantize_16x__aarch64_neon
f32_qs8_quantize_16x__aarch64_neon:
    // ---- Fetch the parameter.
    ld1r        {steps.4s}, [x3]
    movi        lower.16b, #0x81                // -127

    // ---- Sixteen elements at a time, as long as that many are left.
    subs        x0, x0, #16
    b.lo        1f
0:
    ldp         q0, q1, [x1], #32
    ldp         q2, q3, [x1], #32
    bytes_of_16 v0, v1, v2, v3                  // v0: 16 bytes
    str         q0, [x2], #16
    subs        x0, x0, #16
    b.hs        0b

    // ---- Four elements at a time.
1:
    adds        x0, x0, #12                     // x0: elements left, less 4
    b.mi        3f
2:
    ldr         q0, [x1], #16
    bytes_of_4  v0
    str         s0, [x2], #4
    subs        x0, x0, #4
    b.pl        2b

    // ---- The last 1..3 elements, one by one.
3:
    adds        x0, x0, #4                      // x0: elements left
    b.eq        5f
4:
    ldr         s0, [x1], #4
    bytes_of_4  v0
    str         b0, [x2], #1
    subs        x0, x0, #1
    b.ne        4b
5:
    ret
