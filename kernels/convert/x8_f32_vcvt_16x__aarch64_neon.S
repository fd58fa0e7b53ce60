//! Bytes of either sign to real numbers: less the zero point, times the scale; 16 at a time, then 4, then 1.
//! contract: x8_f32_vcvt
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          bytes [n]
//! in   y           x2          float32 [n]
//! in   params      x3          neonsim_dequantize_params, 12 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  pp          x4          where the zero point is
//! reg  vx          v0-v3       bytes in the first, int8 with 128 added; then 4 elements each
//! reg  vscale      v16         scale
//! reg  vzero       v17         zero point, of int8 with 128 added
//! reg  vflips      v18         128 of int8, else 0
//!
//!   int8 becomes uint8 by its top bit, so that one subtraction, USUBL, widens either

#include "include/convert_aarch64.h"

    scale       .req v16
    zero        .req v17
    flips       .req v18

.macro sixteen
    ldr         q0, [x1], #16                   // x or a
    eor         v0.16b, v0.16b, flips.16b       // as uint8
    usubl2      v2.8h, v0.16b, zero.16b         // less the zero point, 16 bits
    usubl       v0.8h, v0.8b, zero.8b           // less the zero point, 16 bits
    sshll2      v3.4s, v2.8h, #0
    sshll       v2.4s, v2.4h, #0
    sshll2      v1.4s, v0.8h, #0
    sshll       v0.4s, v0.4h, #0
    each        scvtf, v0, v1, v2, v3           // real numbers
    on_each     fmul, v0, v1, v2, v3, scale     // times the scale
    stp         q0, q1, [x2], #32
    stp         q2, q3, [x2], #32
.endm

.macro some
    eor         v0.8b, v0.8b, flips.8b          // as uint8
    usubl       v0.8h, v0.8b, zero.8b           // less the zero point, 16 bits
    sshll       v0.4s, v0.4h, #0
    scvtf       v0.4s, v0.4s                    // v0: real numbers
    fmul        v0.4s, v0.4s, scale.4s
.endm

.macro four
    ldr         s0, [x1], #4
    some
    str         q0, [x2], #16
.endm

.macro one
    ldr         b0, [x1], #1                    // one of it
    some
    str         s0, [x2], #4
.endm

    .text
    .p2align 4
    .global x8_f32_vcvt_16x__aarch64_neon
x8_f32_vcvt_16x__aarch64_neon:
    // ---- Fetch the parameters: of the last two the lowest byte.
    ld1r        {scale.4s}, [x3]                // the scale
    add         x4, x3, #4                      // x4: where the zero point is
    ld1r        {zero.16b}, [x4]                // the zero point
    add         x3, x3, #8                      // x3: where the flips are
    ld1r        {flips.16b}, [x3]               // v18: flips

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
