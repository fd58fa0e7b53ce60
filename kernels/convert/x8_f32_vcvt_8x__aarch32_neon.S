//! Bytes of either sign to real numbers: less the zero point, times the scale; 8 at a time, then 1.
//! contract: x8_f32_vcvt
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          bytes [n]
//! in   y           r2          float32 [n]
//! in   params      r3          neonsim_dequantize_params, 12 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          d0          8 bytes, int8 with 128 added
//! reg  vy          q2-q3       4 elements each
//! reg  vscale      q8          scale
//! reg  vzero       d18         zero point, of int8 with 128 added
//! reg  vflips      d19         128 of int8, else 0
//!
//!   int8 becomes uint8 by its top bit, so that one subtraction, VSUBL.U8, widens either

#include "include/convert_aarch32.h"

    scale       .req q8
    zero        .req d18
    flips       .req d19

.macro some
    veor        d0, d0, flips                   // as uint8
    vsubl.u8    q1, d0, zero                    // q1: less the zero point, 16 bits
    vmovl.s16   q2, d2
    vcvt.f32.s32 q2, q2                         // real numbers
    vmul.f32    q2, q2, scale                   // times the scale
.endm

.macro eight
    vld1.8      {d0}, [r1]!                     // 8 bytes
    some
    vmovl.s16   q3, d3
    vcvt.f32.s32 q3, q3
    vmul.f32    q3, q3, scale
    vst1.8      {d4-d7}, [r2]!
.endm

.macro one
    vld1.8      {d0[]}, [r1]!                   // one byte, eight times
    some
    vst1.32     {d4[0]}, [r2]!
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global x8_f32_vcvt_8x__aarch32_neon
    .type   x8_f32_vcvt_8x__aarch32_neon, %function
x8_f32_vcvt_8x__aarch32_neon:
    // ---- Fetch the parameters: of the last two the lowest byte.
    vld1.32     {d16[], d17[]}, [r3]!           // q8: the smallest value, or a factor
    vld1.32     {d18[]}, [r3]!                  // the zero point's word
    vld1.32     {d19[]}, [r3]                   // the word of flips
    vdup.8      zero, d18[0]                    // the zero point, in every byte
    vdup.8      flips, d19[0]                   // flips, in every byte

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   x8_f32_vcvt_8x__aarch32_neon, . - x8_f32_vcvt_8x__aarch32_neon
