//! Add two vectors of float32 and clamp; 8 at a time, then 4, then 1.
//! contract: f32_vadd
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          float32 [n]
//! in   b           r2          float32 [n]
//! in   y           r3          float32 [n], may be a or b
//! in   params      [sp]        neonsim_float_params, 8 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  pa          r1          where a is read next
//! reg  pb          r2          where b is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          q0-q1       8 elements of a, then of y
//! reg  vb          q2-q3       8 elements of b
//! reg  vlimits     q14-q15     smallest and largest value allowed
//!
//!   q0 | a0 .. a3 |  q1 | a4 .. a7 |     a + b, rounded once; the larger of it and q14, the smaller of that and q15
//!   q2 | b0 .. b3 |  q3 | b4 .. b7 |

#include "include/f32_vector_aarch32.h"

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_vadd_8x__aarch32_neon
    .type   f32_vadd_8x__aarch32_neon, %function
f32_vadd_8x__aarch32_neon:
    // ---- Fetch the limits.
    ldr         r12, [sp]
    limits_from r12
    subs        r0, r0, #8
    blo         1f                              // fewer than eight

    // ---- Eight at a time.
0:
    vld1.32     {d0-d3}, [r1]!
    vld1.32     {d4-d7}, [r2]!
    vadd.f32    q0, q0, q2
    vadd.f32    q1, q1, q3
    both_clamped q0, q1
    subs        r0, r0, #8                      // elements left, less 8
    vst1.32     {d0-d3}, [r3]!
    bhs         0b

    // ---- Four, if the last 1..7 are as many.
1:
    tst         r0, #4                          // the same bit of what is left and of that less 8
    beq         2f
    vld1.32     {d0-d1}, [r1]!
    vld1.32     {d4-d5}, [r2]!
    vadd.f32    q0, q0, q2
    clamped     q0
    vst1.32     {d0-d1}, [r3]!

    // ---- The last 1..3, one by one.
2:
    ands        r0, r0, #3                      // r0: elements left
    bxeq        lr
3:
    vld1.32     {d0[]}, [r1]!                   // twice the same
    vld1.32     {d4[]}, [r2]!
    vadd.f32    d0, d0, d4
    clamped_half d0
    subs        r0, r0, #1
    vst1.32     {d0[0]}, [r3]!
    bne         3b
    bx          lr
    .size   f32_vadd_8x__aarch32_neon, . - f32_vadd_8x__aarch32_neon
