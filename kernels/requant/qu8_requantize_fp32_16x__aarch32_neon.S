//! Sums to bytes in single precision: converted, multiplied, rounded to nearest, ties to even.
//! contract: qu8_requantize_fp32
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          values, a multiple of 16
//! in   x           r1          int32 [n]
//! in   y           r2          uint8 [n]
//! in   params      r3          neonsim_fp32_params, 20 bytes
//!
//! reg  count       r0          values left
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx0..vx3    q0-q3       four values each
//! reg  vmagic      q8          12582912.0
//! reg  vparams     q12-q15     scale, limits less the zero point, bits of 12582912.0 less the zero point
//!
//!   per 16 values on AArch64: 4 convert, 4 multiply, 4 convert, 10 narrow and clamp: 22 instructions
//!   on AArch32, whose VCVT only truncates: 4 convert, 4 multiply, 8 clamp, 4 add, 4 subtract, 6 narrow: 30


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_requantize_fp32_16x__aarch32_neon
    .type   qu8_requantize_fp32_16x__aarch32_neon, %function
qu8_requantize_fp32_16x__aarch32_neon:
    // ---- Fetch the parameters; they stay in registers.
    vld1.32     {d24[], d25[]}, [r3]!           // q12: scale
    vld1.32     {d26[], d27[]}, [r3]!           // q13: smallest value less the zero point
    vld1.32     {d28[], d29[]}, [r3]!           // q14: largest
    vld1.32     {d30[], d31[]}, [r3]            // q15: bits of 12582912.0 less the zero point
    movw        r12, #0
    movt        r12, #0x4B40                    // 12582912.0 = 1.5 * 2**23: its lowest bit is worth 1
    vdup.32     q8, r12

    // ---- Sixteen values at a time: four registers of sums.
0:
    vld1.32     {d0-d3}, [r1]!
    vld1.32     {d4-d7}, [r1]!
    vcvt.f32.s32 q0, q0                         // to single precision; above 2**24 this rounds
    vcvt.f32.s32 q1, q1
    vcvt.f32.s32 q2, q2
    vcvt.f32.s32 q3, q3
    vmul.f32    q0, q0, q12                     // times the scale
    vmul.f32    q1, q1, q12
    vmul.f32    q2, q2, q12
    vmul.f32    q3, q3, q12
    vmax.f32    q0, q0, q13                     // clamped as numbers: what follows works for small ones
    vmax.f32    q1, q1, q13
    vmax.f32    q2, q2, q13
    vmax.f32    q3, q3, q13
    vmin.f32    q0, q0, q14
    vmin.f32    q1, q1, q14
    vmin.f32    q2, q2, q14
    vmin.f32    q3, q3, q14
    vadd.f32    q0, q0, q8                      // plus 12582912.0: the integer is in the low bits
    vadd.f32    q1, q1, q8
    vadd.f32    q2, q2, q8
    vadd.f32    q3, q3, q8
    vsub.i32    q0, q0, q15                     // the bits less those of 12582912.0, plus the zero point
    vsub.i32    q1, q1, q15
    vsub.i32    q2, q2, q15
    vsub.i32    q3, q3, q15

    // ---- Narrow to bytes: nothing saturates any more, the values are bytes.
    vqmovn.s32  d0, q0
    vqmovn.s32  d1, q1                          // q0: eight values, as int16
    vqmovn.s32  d4, q2
    vqmovn.s32  d5, q3                          // q2: eight more
    vqmovun.s16 d0, q0
    vqmovun.s16 d1, q2                          // q0: sixteen bytes
    vst1.8      {d0-d1}, [r2]!
    subs        r0, r0, #16
    bne         0b
    bx          lr
    .size   qu8_requantize_fp32_16x__aarch32_neon, . - qu8_requantize_fp32_16x__aarch32_neon
