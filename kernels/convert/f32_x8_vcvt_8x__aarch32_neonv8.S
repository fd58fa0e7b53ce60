//! Real numbers to bytes of either sign: a product, to nearest even; 8 at a time, then 1.
//! contract: f32_x8_vcvt
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          bytes [n]
//! in   params      r3          neonsim_quantize_params, 16 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q1       4 elements each
//! reg  vfactor     q8          1 / scale
//! reg  vlow        q9          smallest value less the zero point
//! reg  vhigh       q10         largest value less the zero point
//! reg  vzero       q11         zero point
//!
//!   x * factor;  VMINNM: NaN is the upper end;  VCVTN: the nearest integer, ties to even;  plus the zero point: it fits a byte

#include "include/convert_aarch32.h"

    factor      .req q8
    low         .req q9
    high        .req q10
    zero        .req q11

.macro eight
    vld1.8      {d0-d3}, [r1]!                  // 8 of x
    vmul.f32    q0, q0, factor                  // steps
    vmul.f32    q1, q1, factor
    vminnm.f32  q0, q0, high                    // of a NaN the upper end
    vminnm.f32  q1, q1, high
    vmax.f32    q0, q0, low                     // the activation
    vmax.f32    q1, q1, low
    vcvtn.s32.f32 q0, q0                        // integers, ties to even
    vcvtn.s32.f32 q1, q1                        // integers, ties to even
    vadd.i32    q0, q0, zero
    vadd.i32    q1, q1, zero
    vmovn.i32   d0, q0
    vmovn.i32   d1, q1
    vmovn.i16   d0, q0                          // d0: 8 bytes
    vst1.8      {d0}, [r2]!
.endm

.macro one
    vld1.32     {d0[], d1[]}, [r1]!             // one, four times
    vmul.f32    q0, q0, factor                  // steps
    vminnm.f32  q0, q0, high                    // of a NaN the upper end
    vmax.f32    q0, q0, low                     // the activation
    vcvtn.s32.f32 q0, q0                        // integers, ties to even
    vadd.i32    q0, q0, zero
    vst1.8      {d0[0]}, [r2]!
.endm

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global f32_x8_vcvt_8x__aarch32_neonv8
    .type   f32_x8_vcvt_8x__aarch32_neonv8, %function
f32_x8_vcvt_8x__aarch32_neonv8:
    // ---- Fetch the parameters.
    vld1.32     {d16[], d17[]}, [r3]!           // q8: the smallest value, or a factor
    vld1.32     {d18[], d19[]}, [r3]!           // q9: a limit
    vld1.32     {d20[], d21[]}, [r3]!           // a scale or a limit
    vld1.32     {d22[], d23[]}, [r3]            // a scale or a limit

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   f32_x8_vcvt_8x__aarch32_neonv8, . - f32_x8_vcvt_8x__aarch32_neonv8
