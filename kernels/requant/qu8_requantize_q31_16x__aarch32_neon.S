//! Sums to bytes with two roundings: half up, then half away from zero. QNNPACK's scheme.
//! contract: qu8_requantize_q31
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          values, a multiple of 16
//! in   x           r1          int32 [n]
//! in   y           r2          uint8 [n]
//! in   params      r3          neonsim_q31_params, 16 bytes
//!
//! reg  count       r0          values left
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx0..vx3    q0-q3       four values each
//! reg  vt0..vt3    q8-q11      scratch
//! reg  vlimits     q4-q5       largest and smallest value allowed
//! reg  vparams     q12-q15     multiplier, left shift, where nothing is shifted, zero point
//!
//!   per 16 values: 4 multiply, 4 + 4 to fix ties, 4 shift, 10 narrow and clamp: 26 instructions

    multiplier  .req q12
    leftshift   .req q13
    unshifted   .req q14
    zeropoint   .req q15
    upper       .req q4
    lower       .req q5

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_requantize_q31_16x__aarch32_neon
    .type   qu8_requantize_q31_16x__aarch32_neon, %function
qu8_requantize_q31_16x__aarch32_neon:
    // ---- Fetch the parameters; they stay in registers.
    vpush       {d8-d15}
    vld1.32     {d24[], d25[]}, [r3]!           // q12: multiplier
    vld1.32     {d26[], d27[]}, [r3]!           // q13: left shift, 0 or negative
    vceq.i32    q14, q13, #0                    // q14: all ones where nothing is shifted
    vld1.16     {d30[], d31[]}, [r3]!           // q15: zero point
    vld1.8      {d8[], d9[]}, [r3]!             // q4: largest value allowed
    vld1.8      {d10[], d11[]}, [r3]            // q5: smallest

    // ---- Sixteen values at a time: four registers of sums.
0:
    vld1.32     {d0-d3}, [r1]!
    vld1.32     {d4-d7}, [r1]!
    vqrdmulh.s32 q0, q0, multiplier             // times multiplier / 2**31, rounded half up
    vqrdmulh.s32 q1, q1, multiplier
    vqrdmulh.s32 q2, q2, multiplier
    vqrdmulh.s32 q3, q3, multiplier
    vbic        q8, q0, unshifted               // the same, zero where nothing is shifted
    vbic        q9, q1, unshifted
    vbic        q10, q2, unshifted
    vbic        q11, q3, unshifted
    vsra.s32    q0, q8, #31                     // minus 1 where negative: ties away from zero
    vsra.s32    q1, q9, #31
    vsra.s32    q2, q10, #31
    vsra.s32    q3, q11, #31
    vrshl.s32   q0, q0, leftshift               // rounding shift right
    vrshl.s32   q1, q1, leftshift
    vrshl.s32   q2, q2, leftshift
    vrshl.s32   q3, q3, leftshift

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
    vpop        {d8-d15}
    bx          lr
    .size   qu8_requantize_q31_16x__aarch32_neon, . - qu8_requantize_q31_16x__aarch32_neon
