//! Add two vectors of float32 and clamp; 8 at a time, then 4, then 1.
//! contract: f32_vadd
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   a           x1          float32 [n]
//! in   b           x2          float32 [n]
//! in   y           x3          float32 [n], may be a or b
//! in   params      x4          neonsim_float_params, 8 bytes
//!
//! reg  count       x0          elements left, less 8
//! reg  pa          x1          where a is read next
//! reg  pb          x2          where b is read next
//! reg  out         x3          where y is written next
//! reg  va          v0-v1       8 elements of a, then of y
//! reg  vb          v2-v3       8 elements of b
//! reg  vlimits     v6-v7       smallest and largest value allowed
//!
//!   v0 | a0 .. a3 |  v1 | a4 .. a7 |     a + b, rounded once; the larger of it and v6, the smaller of that and v7
//!   v2 | b0 .. b3 |  v3 | b4 .. b7 |

#include "include/f32_vector_aarch64.h"

    .text
    .p2align 4
    .global f32_vadd_8x__aarch64_neon
f32_vadd_8x__aarch64_neon:
    // ---- Fetch the limits.
    limits_from x4
    subs        x0, x0, #8
    b.lo        1f                              // fewer than eight

    // ---- Eight at a time.
0:
    ldp         q0, q1, [x1], #32
    ldp         q2, q3, [x2], #32
    fadd        v0.4s, v0.4s, v2.4s
    fadd        v1.4s, v1.4s, v3.4s
    both_clamped v0, v1
    subs        x0, x0, #8                      // elements left, less 8
    stp         q0, q1, [x3], #32
    b.hs        0b

    // ---- Four, if the last 1..7 are as many.
1:
    tbz         x0, #2, 2f                      // the same bit of what is left and of that less 8
    ldr         q0, [x1], #16
    ldr         q2, [x2], #16
    fadd        v0.4s, v0.4s, v2.4s
    clamped     v0
    str         q0, [x3], #16

    // ---- The last 1..3, one by one.
2:
    ands        x0, x0, #3                      // x0: elements left
    b.eq        4f
3:
    ldr         s0, [x1], #4                    // the other lanes become zeros
    ldr         s2, [x2], #4
    fadd        v0.4s, v0.4s, v2.4s
    clamped     v0
    subs        x0, x0, #1
    str         s0, [x3], #4
    b.ne        3b
4:
    ret
