//! Leaky ReLU of float32; 8 at a time, then 4, then 1.
//! contract: f32_vlrelu
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          float32 [n], may be x
//! in   params      r3          neonsim_float_slope_params, 4 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q1       8 elements of x, then of y
//! reg  vt          q2-q3       the same times the slope
//! reg  vm          q8-q9       ones where x is below 0
//! reg  vslope      q14         slope, four times
//!
//!   q0 | x0 .. x3 |   q2 | x0 * slope .. x3 * slope |   q8 | x0 < 0 .. x3 < 0 |    q2 goes where q8 is ones

.macro leaky x, t, m
    vclt.f32    \m, \x, #0
    vmul.f32    \t, \x, q14
    vbit        \x, \t, \m
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global f32_vlrelu_8x__aarch32_neon
    .type   f32_vlrelu_8x__aarch32_neon, %function
f32_vlrelu_8x__aarch32_neon:
    // ---- Fetch the slope.
    vld1.32     {d28[], d29[]}, [r3]
    subs        r0, r0, #8
    blo         1f                              // fewer than eight

    // ---- Eight at a time.
0:
    vld1.32     {d0-d3}, [r1]!
    leaky       q0, q2, q8
    leaky       q1, q3, q9
    subs        r0, r0, #8                      // elements left, less 8
    vst1.32     {d0-d3}, [r2]!
    bhs         0b

    // ---- Four, if the last 1..7 are as many.
1:
    tst         r0, #4                          // the same bit of what is left and of that less 8
    beq         2f
    vld1.32     {d0-d1}, [r1]!
    leaky       q0, q2, q8
    vst1.32     {d0-d1}, [r2]!

    // ---- The last 1..3, one by one.
2:
    ands        r0, r0, #3                      // r0: elements left
    bxeq        lr
3:
    vld1.32     {d0[], d1[]}, [r1]!             // four times the same
    leaky       q0, q2, q8
    subs        r0, r0, #1
    vst1.32     {d0[0]}, [r2]!
    bne         3b
    bx          lr
    .size   f32_vlrelu_8x__aarch32_neon, . - f32_vlrelu_8x__aarch32_neon
