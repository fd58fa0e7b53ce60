//! An activation of int8 by a detour through real numbers, half away from zero; 8 at a time, then 1.
//! contract: qs8_clamp_quotient
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          int8 [n]
//! in   y           r2          int8 [n], may be x
//! in   params      r3          neonsim_divide_params, 32 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q1       4 elements each
//! reg  divisor     s12         scale of the result
//! reg  vlimits     q8-q9       smallest and largest value allowed
//! reg  vscale      q10         scale of x
//! reg  vactivation q11-q12     limits of the real number
//!
//!   what one VMAX does with 16 bytes where the scale stays (s8_clamp): to 32 bits, to floats, times the scale, VMAX, VMIN, divided lane
//!   by lane, cut off, to the nearest integer, to 8 bits

#include "include/convert_aarch32.h"

    least       .req q8
    most        .req q9
    scale       .req q10
    low         .req q11
    high        .req q12

.macro eight
    vld1.8      {d0}, [r1]!                     // 8 bytes
    reals_of_bytes                              // q0, q1: real numbers
    vmul.f32    q0, q0, scale                   // times the scale
    vmul.f32    q1, q1, scale
    vmax.f32    q0, q0, low                     // the activation
    vmax.f32    q1, q1, low
    vmin.f32    q0, q0, high
    vmin.f32    q1, q1, high
    quotients_8                                 // q0: integers of 16 bits
    vmovn.i16   d0, q0                          // d0: 8 bytes
    vst1.8      {d0}, [r2]!
.endm

.macro one
    vld1.8      {d0[]}, [r1]!                   // one byte, eight times
    vmovl.s8    q1, d0
    vmovl.s16   q0, d2
    vcvt.f32.s32 q0, q0                         // real numbers
    vmul.f32    q0, q0, scale                   // times the scale
    vmax.f32    q0, q0, low                     // the activation
    vmin.f32    q0, q0, high
    quotient_1                                  // q0: integers
    vst1.8      {d0[0]}, [r2]!
.endm

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global qs8_clamp_quotient_8x__aarch32_neonv8
    .type   qs8_clamp_quotient_8x__aarch32_neonv8, %function
qs8_clamp_quotient_8x__aarch32_neonv8:
    // ---- Fetch the parameters.
    vld1.32     {d6[]}, [r3]!                   // s12: scale of the result
    vld1.32     {d16[], d17[]}, [r3]!           // q8: the smallest value, or a factor
    vld1.32     {d18[], d19[]}, [r3]!           // q9: a limit
    vld1.32     {d20[], d21[]}, [r3]            // a scale or a limit
    add         r3, r3, #12                     // behind the second scale and the count
    vld1.32     {d22[], d23[]}, [r3]!           // a scale or a limit
    vld1.32     {d24[], d25[]}, [r3]            // a scale or a limit

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   qs8_clamp_quotient_8x__aarch32_neonv8, . - qs8_clamp_quotient_8x__aarch32_neonv8
