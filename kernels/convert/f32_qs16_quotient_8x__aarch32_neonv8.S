//! Real numbers to int16 by a quotient, half away from zero; 8 at a time, then 1.
//! contract: f32_qs16_quotient
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   x           r1          float32 [n]
//! in   y           r2          int16 [n]
//! in   params      r3          neonsim_divide_params, 32 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  px          r1          where x is read next
//! reg  out         r2          where y is written next
//! reg  vx          q0-q1       4 elements each
//! reg  divisor     s12         scale of the result
//! reg  vlimits     q8-q9       smallest and largest value allowed
//!
//!   VDIV lane by lane;  VMAX, VMIN;  VCVTA: the nearest integer, half away from zero, 0 of a NaN: it fits 16 bits

#include "include/convert_aarch32.h"

    least       .req q8
    most        .req q9

.macro eight
    vld1.8      {d0-d3}, [r1]!                  // 8 of x
    quotients_8                                 // q0: integers of 16 bits
    vst1.8      {d0-d1}, [r2]!
.endm

.macro one
    vld1.32     {d0[], d1[]}, [r1]!             // one, four times
    quotient_1                                  // q0: integers
    vst1.16      {d0[0]}, [r2]!
.endm

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global f32_qs16_quotient_8x__aarch32_neonv8
    .type   f32_qs16_quotient_8x__aarch32_neonv8, %function
f32_qs16_quotient_8x__aarch32_neonv8:
    // ---- Fetch the parameters.
    vld1.32     {d6[]}, [r3]!                   // s12: scale of the result
    vld1.32     {d16[], d17[]}, [r3]!           // q8: the smallest value, or a factor
    vld1.32     {d18[], d19[]}, [r3]            // q9: a limit

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   f32_qs16_quotient_8x__aarch32_neonv8, . - f32_qs16_quotient_8x__aarch32_neonv8
