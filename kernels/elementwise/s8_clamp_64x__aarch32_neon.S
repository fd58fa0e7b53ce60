//! Keep signed bytes within two limits; 64 at a time, then 8, then the last 8 once more.
//! contract: s8_clamp
//! tile: 64x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes, at least 1
//! in   x           r1          int8 [n]
//! in   y           r2          int8 [n], may be x
//! in   params      r3          neonsim_clamp_params, 4 bytes
//!
//! reg  count       r0          bytes left, less 64 or 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q3       16 bytes each
//! reg  vlimits     q8-q9       largest and smallest value allowed
//!
//!   n = 21    |0 .. 7|8 .. 15|              the last eight overlap what was done: clamping twice is clamping
//!                         |13 .. 20|        once, also in place


.macro clamp q
    vmin.s8     \q, \q, q8
    vmax.s8     \q, \q, q9
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global s8_clamp_64x__aarch32_neon
    .type   s8_clamp_64x__aarch32_neon, %function
s8_clamp_64x__aarch32_neon:
    // ---- Fetch the limits; fewer than eight bytes are another matter.
    vld1.8      {d16[], d17[]}, [r3]!
    vld1.8      {d18[], d19[]}, [r3]
    cmp         r0, #8
    blo         5f

    // ---- Sixty-four bytes at a time, as long as that many are left.
    subs        r0, r0, #64
    blo         1f
0:
    vld1.8      {d0-d3}, [r1]!
    vld1.8      {d4-d7}, [r1]!
    clamp       q0                              // 16 bytes within the limits
    clamp       q1                              // 16 bytes within the limits
    clamp       q2                              // 16 bytes within the limits
    clamp       q3                              // 16 bytes within the limits
    vst1.8      {d0-d3}, [r2]!
    vst1.8      {d4-d7}, [r2]!
    subs        r0, r0, #64
    bhs         0b

    // ---- Eight bytes at a time.
1:
    adds        r0, r0, #56                     // r0: bytes left, less 8
    bmi         3f
2:
    vld1.8      {d0}, [r1]!
    vmin.s8     d0, d0, d16
    vmax.s8     d0, d0, d18
    vst1.8      {d0}, [r2]!
    subs        r0, r0, #8                      // r0: left, less 8
    bpl         2b

    // ---- The last 1..7 bytes with some before them.
3:
    cmp         r0, #-8                         // none left?
    bxeq        lr
    add         r1, r1, r0
    add         r2, r2, r0
    vld1.8      {d0}, [r1]
    vmin.s8     d0, d0, d16
    vmax.s8     d0, d0, d18
    vst1.8      {d0}, [r2]
    bx          lr

    // ---- Fewer than eight bytes: one at a time.
5:
    vld1.8      {d0[]}, [r1]!
    vmin.s8     d0, d0, d16
    vmax.s8     d0, d0, d18
    vst1.8      {d0[0]}, [r2]!
    subs        r0, r0, #1                      // one less to go
    bne         5b
    bx          lr
    .size   s8_clamp_64x__aarch32_neon, . - s8_clamp_64x__aarch32_neon
