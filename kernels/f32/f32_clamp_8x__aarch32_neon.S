//! Keep a vector of float32 within two limits; 8 at a time, then 4, then 1.
//! contract: f32_clamp
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          float32 [n], may be x
//! in   params      r3          neonsim_float_params, 8 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q1       8 elements of x, then of y
//! reg  vlimits     q14-q15     smallest and largest value allowed
//!
//!   q0 | x0 .. x3 |  q1 | x4 .. x7 |     the larger of x and q14, the smaller of that and q15

#include "include/f32_vector_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_clamp_8x__aarch32_neon
    .type   f32_clamp_8x__aarch32_neon, %function
f32_clamp_8x__aarch32_neon:
    // ---- Fetch the limits.
    limits_from r3
    subs        r0, r0, #8
    blo         1f                              // fewer than eight

    // ---- Eight at a time.
0:
    vld1.32     {d0-d3}, [r1]!
    both_clamped q0, q1
    subs        r0, r0, #8                      // elements left, less 8
    vst1.32     {d0-d3}, [r2]!
    bhs         0b

    // ---- Four, if the last 1..7 are as many.
1:
    tst         r0, #4                          // the same bit of what is left and of that less 8
    beq         2f
    vld1.32     {d0-d1}, [r1]!
    clamped     q0
    vst1.32     {d0-d1}, [r2]!

    // ---- The last 1..3, one by one.
2:
    ands        r0, r0, #3                      // r0: elements left
    bxeq        lr
3:
    vld1.32     {d0[]}, [r1]!                   // twice the same
    clamped_half d0
    subs        r0, r0, #1
    vst1.32     {d0[0]}, [r2]!
    bne         3b
    bx          lr
    .size   f32_clamp_8x__aarch32_neon, . - f32_clamp_8x__aarch32_neon
