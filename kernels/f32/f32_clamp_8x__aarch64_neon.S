//! Keep a vector of float32 within two limits; 8 at a time, then 4, then 1.
//! contract: f32_clamp
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          float32 [n], may be x
//! in   params      x3          neonsim_float_params, 8 bytes
//!
//! reg  count       x0          elements left, less 8
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v1       8 elements of x, then of y
//! reg  vlimits     v6-v7       smallest and largest value allowed
//!
//!   v0 | x0 .. x3 |  v1 | x4 .. x7 |     the larger of x and v6, the smaller of that and v7

#include "include/f32_vector_aarch64.h"

    .text
    .p2align 4
    .global f32_clamp_8x__aarch64_neon
f32_clamp_8x__aarch64_neon:
    // ---- Fetch the limits.
    limits_from x3
    subs        x0, x0, #8
    b.lo        1f                              // fewer than eight

    // ---- Eight at a time.
0:
    ldp         q0, q1, [x1], #32
    both_clamped v0, v1
    subs        x0, x0, #8                      // elements left, less 8
    stp         q0, q1, [x2], #32
    b.hs        0b

    // ---- Four, if the last 1..7 are as many.
1:
    tbz         x0, #2, 2f                      // the same bit of what is left and of that less 8
    ldr         q0, [x1], #16
    clamped     v0
    str         q0, [x2], #16

    // ---- The last 1..3, one by one.
2:
    ands        x0, x0, #3                      // x0: elements left
    b.eq        4f
3:
    ldr         s0, [x1], #4                    // the other lanes become zeros
    clamped     v0
    subs        x0, x0, #1
    str         s0, [x2], #4
    b.ne        3b
4:
    ret
