//! Sums to bytes with one exact rounding, ties up. XNNPACK's scheme on Arm.
//! contract: qu8_requantize_rndnu
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          values, a multiple of 16
//! in   x           r1          int32 [n]
//! in   y           r2          uint8 [n]
//! in   params      r3          neonsim_rndnu_params, 16 bytes
//!
//! reg  count       r0          values left
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx0..vx3    q0-q3       four values each
//! reg  vlimits     q8-q9       largest and smallest value allowed
//! reg  vparams     q12-q15     multiplier, shift left, minus the shift right, zero point
//!
//!   per 16 values: 4 shift, 4 multiply, 4 shift, 10 narrow and clamp: 22 instructions

    multiplier  .req q12
    preshift    .req q13
    postshift   .req q14
    zeropoint   .req q15
    upper       .req q8
    lower       .req q9

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_requantize_rndnu_16x__aarch32_neon
    .type   qu8_requantize_rndnu_16x__aarch32_neon, %function
qu8_requantize_rndnu_16x__aarch32_neon:
    // ---- Fetch the parameters; they stay in registers.
    vld1.32     {d24[], d25[]}, [r3]!           // q12: multiplier
    vld1.32     {d26[], d27[]}, [r3]!           // q13: shift left
    vld1.32     {d28[], d29[]}, [r3]!           // q14: minus the shift right
    vld1.16     {d30[], d31[]}, [r3]!           // q15: zero point
    vld1.8      {d16[], d17[]}, [r3]!           // q8: largest value allowed
    vld1.8      {d18[], d19[]}, [r3]          // q9: smallest

    // ---- Sixteen values at a time: four registers of sums.
0:
    vld1.32     {d0-d3}, [r1]!
    vld1.32     {d4-d7}, [r1]!
    vqshl.s32   q0, q0, preshift                // left, saturating: what the right shift is too far
    vqshl.s32   q1, q1, preshift
    vqshl.s32   q2, q2, preshift
    vqshl.s32   q3, q3, preshift
    vqdmulh.s32 q0, q0, multiplier              // times multiplier / 2**31, rounded down: no bit is decided yet
    vqdmulh.s32 q1, q1, multiplier
    vqdmulh.s32 q2, q2, multiplier
    vqdmulh.s32 q3, q3, multiplier
    vrshl.s32   q0, q0, postshift               // rounding shift right by 1 at least: the one rounding
    vrshl.s32   q1, q1, postshift
    vrshl.s32   q2, q2, postshift
    vrshl.s32   q3, q3, postshift

    // ---- Narrow to bytes: saturate, add the zero point, saturate, clamp.
    vqmovn.s32  d0, q0
    vqmovn.s32  d1, q1                          // q0: eight values, as int16
    vqmovn.s32  d4, q2
    vqmovn.s32  d5, q3                          // q2: eight more
    vqadd.s16   q0, q0, zeropoint
    vqadd.s16   q2, q2, zeropoint
    vqmovun.s16 d0, q0
    vqmovun.s16 d1, q2                          // q0: sixteen bytes
    vmax.u8     q0, q0, lower
    vmin.u8     q0, q0, upper
    vst1.8      {d0-d1}, [r2]!
    subs        r0, r0, #16
    bne         0b
    bx          lr
    .size   qu8_requantize_rndnu_16x__aarch32_neon, . - qu8_requantize_rndnu_16x__aarch32_neon
