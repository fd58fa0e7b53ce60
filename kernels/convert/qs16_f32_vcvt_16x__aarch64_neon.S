//! Integers of 16 bits to real numbers: less the zero point, times the scale; 16 at a time, then 4, then 1.
//! contract: qs16_f32_vcvt
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          int16 [n]
//! in   y           x2          float32 [n]
//! in   params      x3          neonsim_dequantize_params, 12 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v1       8 elements each
//! reg  vy          v2-v5       4 elements each
//! reg  vscale      v16         scale
//! reg  vzero       v17         zero point
//!
//!   q - zero point, as 32 bits;  SCVTF;  times the scale, rounded once

#include "include/convert_aarch64.h"

    scale       .req v16
    zero        .req v17

.macro sixteen
    ldp         q0, q1, [x1], #32               // 8 of x
    ssubl       v2.4s, v0.4h, zero.4h           // v2: less the zero point, 32 bits
    ssubl2      v3.4s, v0.8h, zero.8h
    ssubl       v4.4s, v1.4h, zero.4h
    ssubl2      v5.4s, v1.8h, zero.8h
    each        scvtf, v2, v3, v4, v5           // real numbers
    on_each     fmul, v2, v3, v4, v5, scale     // times the scale
    stp         q2, q3, [x2], #32
    stp         q4, q5, [x2], #32
.endm

.macro some
    ssubl       v2.4s, v0.4h, zero.4h           // v2: less the zero point, 32 bits
    scvtf       v2.4s, v2.4s
    fmul        v2.4s, v2.4s, scale.4s
.endm

.macro four
    ldr         d0, [x1], #8
    some
    str         q2, [x2], #16
.endm

.macro one
    ldr         h0, [x1], #2
    some
    str         s2, [x2], #4
.endm

    .text
    .p2align 4
    .global qs16_f32_vcvt_16x__aarch64_neon
qs16_f32_vcvt_16x__aarch64_neon:
    // ---- Fetch the parameters: of the zero point the lower half.
    ld1r        {scale.4s}, [x3], #4            // the scale
    ld1r        {zero.8h}, [x3]                 // the zero point

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
