//! Leaky ReLU of float32; 8 at a time, then 4, then 1.
//! contract: f32_vlrelu
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          elements, at least 1
//! in   x           x1          float32 [n]
//! in   y           x2          float32 [n], may be x
//! in   params      x3          neonsim_float_slope_params, 4 bytes
//!
//! reg  count       x0          elements left, less 8
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v1       8 elements of x, then of y
//! reg  vt          v2-v3       the same times the slope
//! reg  vm          v4-v5       ones where x is below 0
//! reg  vslope      v6          slope, four times
//!
//!   v0 | x0 .. x3 |   v2 | x0 * slope .. x3 * slope |   v4 | x0 < 0 .. x3 < 0 |    v2 goes where v4 is ones

.macro leaky x, t, m
    fcmlt       \m\().4s, \x\().4s, #0
    fmul        \t\().4s, \x\().4s, v6.4s
    bit         \x\().16b, \t\().16b, \m\().16b
.endm

    .text
    .p2align 4
    .global f32_vlrelu_8x__aarch64_neon
f32_vlrelu_8x__aarch64_neon:
    // ---- Fetch the slope.
    ld1r        {v6.4s}, [x3]
    subs        x0, x0, #8
    b.lo        1f                              // fewer than eight

    // ---- Eight at a time.
0:
    ldp         q0, q1, [x1], #32
    leaky       v0, v2, v4
    leaky       v1, v3, v5
    subs        x0, x0, #8                      // elements left, less 8
    stp         q0, q1, [x2], #32
    b.hs        0b

    // ---- Four, if the last 1..7 are as many.
1:
    tbz         x0, #2, 2f                      // the same bit of what is left and of that less 8
    ldr         q0, [x1], #16
    leaky       v0, v2, v4
    str         q0, [x2], #16

    // ---- The last 1..3, one by one.
2:
    ands        x0, x0, #3                      // x0: elements left
    b.eq        4f
3:
    ldr         s0, [x1], #4                    // the other lanes become zeros
    leaky       v0, v2, v4
    subs        x0, x0, #1
    str         s0, [x2], #4
    b.ne        3b
4:
    ret
