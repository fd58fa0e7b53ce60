//! Real numbers to bytes of either sign: a product, to nearest even; 16 at a time, then 4, then 1.
//! contract: f32_x8_vcvt
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          bytes [n]
//! in   params      x3          neonsim_quantize_params, 16 bytes
//!
//! reg  count       x0          elements left, less 16 or 4
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       4 elements each
//! reg  vfactor     v16         1 / scale
//! reg  vlow        v17         smallest value less the zero point
//! reg  vhigh       v18         largest value less the zero point
//! reg  vzero       v19         zero point
//!
//!   x * factor;  FMINNM: NaN is the upper end;  FCVTNS: the nearest integer, ties to even;  plus the zero point: it fits a byte

#include "include/convert_aarch64.h"

    factor      .req v16
    low         .req v17
    high        .req v18
    zero        .req v19

.macro sixteen
    ldp         q0, q1, [x1], #32               // 8 of x
    ldp         q2, q3, [x1], #32               // 8 more
    on_each     fmul, v0, v1, v2, v3, factor    // steps
    on_each     fminnm, v0, v1, v2, v3, high    // of a NaN the upper end
    on_each     fmax, v0, v1, v2, v3, low       // the activation
    each        fcvtns, v0, v1, v2, v3          // integers, ties to even
    on_each     add, v0, v1, v2, v3, zero
    narrowed_16 v0, v1, v2, v3                  // v0: 16 bytes
    str         q0, [x2], #16
.endm

.macro some
    fmul        v0.4s, v0.4s, factor.4s
    fminnm      v0.4s, v0.4s, high.4s           // of a NaN the upper end
    fmax        v0.4s, v0.4s, low.4s
    fcvtns      v0.4s, v0.4s                    // an integer, ties to even
    add         v0.4s, v0.4s, zero.4s
    narrowed_4  v0                              // the lowest bytes of v0
.endm

.macro four
    ldr         q0, [x1], #16                   // x or a
    some
    str         s0, [x2], #4
.endm

.macro one
    ldr         s0, [x1], #4
    some
    str         b0, [x2], #1
.endm

    .text
    .p2align 4
    .global f32_x8_vcvt_16x__aarch64_neon
f32_x8_vcvt_16x__aarch64_neon:
    // ---- Fetch the parameters.
    ld1r        {factor.4s}, [x3], #4           // v16: factor
    ld1r        {low.4s}, [x3], #4              // the lower limit
    ld1r        {high.4s}, [x3], #4             // the upper limit
    ld1r        {zero.4s}, [x3]                 // the zero point

    // ---- Sixteen elements at a time, then four, then one.
    every_element x0
    ret
