//! Real numbers to int16 by a quotient, half away from zero; 16 at a time, then 4, then 1.
//! contract: f32_qs16_quotient
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          int16 [n]
//! in   params      x3          neonsim_divide_params, 32 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       4 elements each
//! reg  vdivisor    v16         scale of the result
//! reg  vlimits     v17-v18     smallest and largest value allowed
//!
//!   FDIV;  FMAX, FMIN;  FCVTAS: the nearest integer, half away from zero, 0 of a NaN: it fits 16 bits

#include "include/convert_aarch64.h"

    divisor     .req v16
    least       .req v17
    most        .req v18

.macro sixteen
    ldp         q0, q1, [x1], #32               // 8 of x
    ldp         q2, q3, [x1], #32               // 8 more
    quotients_16 v0, v1, v2, v3                 // v0-v3: integers
    uzp1        v0.8h, v0.8h, v1.8h             // v0: 8 of 16 bits
    uzp1        v1.8h, v2.8h, v3.8h             // v1: 8 more
    stp         q0, q1, [x2], #32
.endm

.macro four
    ldr         q0, [x1], #16                   // x or a
    quotients_4 v0                              // v0: integers
    xtn         v0.4h, v0.4s                    // v0: 16 bits each
    str         d0, [x2], #8
.endm

.macro one
    ldr         s0, [x1], #4
    quotients_4 v0                              // v0: integers
    xtn         v0.4h, v0.4s                    // v0: 16 bits each
    str         h0, [x2], #2
.endm

    .text
    .p2align 4
    .global f32_qs16_quotient_16x__aarch64_neon
f32_qs16_quotient_16x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {divisor.4s}, [x3], #4          // v16: scale of the result
    ld1r        {least.4s}, [x3], #4            // v17: smallest value
    ld1r        {most.4s}, [x3]                 // v18: largest value

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
