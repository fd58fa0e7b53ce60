//! Each channel of float32 times its gain, plus its offset, clamped; 4 channels at a time, then 1; fused multiply-add.
//! contract: f32_vmulcaddc
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           x0          rows, at least 1
//! in   n           x1          channels, at least 1
//! in   x           x2          float32 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   w           x4          per 4 channels 4 offsets, 4 gains
//! in   y           x5          float32 [m, n]
//! in   y_stride    x6          bytes from one row of y to the next
//! in   params      x7          neonsim_float_params, 8 bytes
//!
//! reg  px          x8          where a row of x is read next
//! reg  out         x9          where a row of y is written next
//! reg  pw          x10         where offsets and gains are read next
//! reg  left        x11         channels left, less 4
//! reg  vx          v0          4 channels of x
//! reg  vw          v2          their gains
//! reg  vacc        v1          their offsets, then results
//! reg  vlimits     v6-v7       smallest and largest value allowed
//!
//!   v1 | offset0 .. offset3 |   +   v0 | x0 .. x3 |   *   v2 | gain0 .. gain3 |      rounded once

#include "include/f32_vector_aarch64.h"

    .text
    .p2align 4
    .global f32_vmulcaddc_4x__aarch64_neon_fma
f32_vmulcaddc_4x__aarch64_neon_fma:
    // ---- Fetch the limits.
    limits_from x7

    // ---- For each row: four channels at a time.
0:
    mov         x8, x2                          // x8: where x is read
    mov         x9, x5                          // x9: where y is written
    mov         x10, x4                         // x10: offsets and gains
    subs        x11, x1, #4                     // x11: channels left, less 4
    b.lo        2f
1:
    ldr         q0, [x8], #16
    ldp         q1, q2, [x10], #32
    fmla        v1.4s, v0.4s, v2.4s
    clamped     v1
    subs        x11, x11, #4
    str         q1, [x9], #16
    b.hs        1b

    // ---- The last 1..3 channels, one by one.
2:
    adds        x11, x11, #4                    // x11: channels left
    b.eq        4f
3:
    ldr         s0, [x8], #4
    ldr         s2, [x10, #16]                  // its gain, four words behind its offset
    ldr         s1, [x10], #4
    fmla        v1.4s, v0.4s, v2.4s
    clamped     v1
    subs        x11, x11, #1
    str         s1, [x9], #4
    b.ne        3b

    // ---- On to the next row.
4:
    add         x2, x2, x3
    add         x5, x5, x6
    subs        x0, x0, #1
    b.ne        0b
    ret
