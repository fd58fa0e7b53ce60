//! Sums to bytes with one exact rounding in 64 bits, ties away from zero. The oracle of the schemes.
//! contract: qu8_requantize_precise
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          values, a multiple of 16
//! in   x           r1          int32 [n]
//! in   y           r2          uint8 [n]
//! in   params      r3          neonsim_precise_params, 16 bytes
//!
//! reg  count       r0          values left
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx0..vx3    q0-q3       four values each
//! reg  vt          q8-q10      scratch
//! reg  vlimits     q4-q5       largest and smallest value allowed
//! reg  vmul        d24         multiplier
//! reg  vshift      q13         minus the shift in 64 bits
//! reg  vzero       q15         zero point
//!
//!   per 16 values: 8 multiply, 4 + 8 to fix ties, 8 shift, 4 (AArch32: 8) to 32 bits, 10 narrow and clamp: 42 (46)

    zeropoint   .req q15
    upper       .req q4
    lower       .req q5

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_requantize_precise_16x__aarch32_neon
    .type   qu8_requantize_precise_16x__aarch32_neon, %function
qu8_requantize_precise_16x__aarch32_neon:
    // ---- Fetch the parameters; they stay in registers.
    vpush       {d8-d15}
    vld1.32     {d24[]}, [r3]!                  // d24: multiplier
    vld1.16     {d30[], d31[]}, [r3]!           // q15: zero point
    vld1.8      {d8[], d9[]}, [r3]!             // q4: largest value allowed
    vld1.8      {d10[], d11[]}, [r3]!           // q5: smallest
    vld1.8      {d26}, [r3]                     // q13: minus the shift
    vmov        d27, d26

    // ---- Sixteen values at a time: four registers of sums.
0:
    vld1.32     {d0-d3}, [r1]!
    vld1.32     {d4-d7}, [r1]!
    vmull.s32   q8, d0, d24                    // q8, q9: products of 64 bits
    vmull.s32   q9, d1, d24
    vshr.s32    q10, q0, #31                    // q10: minus 1 where negative
    vaddw.s32   q8, q8, d20
    vaddw.s32   q9, q9, d21
    vrshl.s64   q8, q8, q13                     // the one rounding; less 1, it takes ties away from zero
    vrshl.s64   q9, q9, q13
    vmovn.i64   d0, q8
    vmovn.i64   d1, q9
    vmull.s32   q8, d2, d24                    // q8, q9: products of 64 bits
    vmull.s32   q9, d3, d24
    vshr.s32    q10, q1, #31                    // q10: minus 1 where negative
    vaddw.s32   q8, q8, d20
    vaddw.s32   q9, q9, d21
    vrshl.s64   q8, q8, q13                     // the one rounding; less 1, it takes ties away from zero
    vrshl.s64   q9, q9, q13
    vmovn.i64   d2, q8
    vmovn.i64   d3, q9
    vmull.s32   q8, d4, d24                    // q8, q9: products of 64 bits
    vmull.s32   q9, d5, d24
    vshr.s32    q10, q2, #31                    // q10: minus 1 where negative
    vaddw.s32   q8, q8, d20
    vaddw.s32   q9, q9, d21
    vrshl.s64   q8, q8, q13                     // the one rounding; less 1, it takes ties away from zero
    vrshl.s64   q9, q9, q13
    vmovn.i64   d4, q8
    vmovn.i64   d5, q9
    vmull.s32   q8, d6, d24                    // q8, q9: products of 64 bits
    vmull.s32   q9, d7, d24
    vshr.s32    q10, q3, #31                    // q10: minus 1 where negative
    vaddw.s32   q8, q8, d20
    vaddw.s32   q9, q9, d21
    vrshl.s64   q8, q8, q13                     // the one rounding; less 1, it takes ties away from zero
    vrshl.s64   q9, q9, q13
    vmovn.i64   d6, q8
    vmovn.i64   d7, q9

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
    .size   qu8_requantize_precise_16x__aarch32_neon, . - qu8_requantize_precise_16x__aarch32_neon
