//! Add two vectors of int8 as real numbers, then a quotient, half away from zero; 8 at a time, then 1.
//! contract: qs8_vadd_quotient
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          elements, at least 1
//! in   a           r1          int8 [n]
//! in   b           r2          int8 [n]
//! in   y           r3          int8 [n], may be a or b
//! in   params      [sp]        neonsim_divide_params, 32 bytes
//!
//! reg  count       r0          elements left, less 8
//! reg  pa          r1          where a is read next
//! reg  pb          r2          where b is read next
//! reg  out         r3          where y is written next
//! reg  pp          r12         where the parameters are read next
//! reg  va          q0-q1       4 elements of a each, then of y
//! reg  divisor     s12         scale of the result
//! reg  vlimits     q8-q9       smallest and largest value allowed
//! reg  vb          q10-q11     4 elements of b each
//! reg  vscales     q12-q13     scales of a and b
//!
//!   a * scale + b * scale, each step rounded (VMUL, VMUL, VADD: no VFMA);  VDIV lane by lane;  VMAX, VMIN;  VCVTA

#include "include/convert_aarch32.h"

    least       .req q8
    most        .req q9
    of_a        .req q12
    of_b        .req q13

.macro eight
    vld1.8      {d0}, [r1]!                     // 8 bytes
    vld1.8      {d20}, [r2]!                    // 8 bytes of b
    reals_of_bytes                              // q0, q1: real numbers
    vmovl.s8    q11, d20
    vmovl.s16   q10, d22
    vmovl.s16   q11, d23
    vcvt.f32.s32 q10, q10
    vcvt.f32.s32 q11, q11
    vmul.f32    q0, q0, of_a                    // a * its scale
    vmul.f32    q1, q1, of_a
    vmul.f32    q10, q10, of_b                  // b * its scale
    vmul.f32    q11, q11, of_b
    vadd.f32    q0, q0, q10
    vadd.f32    q1, q1, q11
    quotients_8                                 // q0: integers of 16 bits
    vmovn.i16   d0, q0                          // d0: 8 bytes
    vst1.8      {d0}, [r3]!
.endm

.macro one
    vld1.8      {d0[]}, [r1]!                   // one byte, eight times
    vld1.8      {d20[]}, [r2]!                  // one of b
    vmovl.s8    q1, d0
    vmovl.s16   q0, d2
    vmovl.s8    q11, d20
    vmovl.s16   q10, d22
    vcvt.f32.s32 q0, q0                         // real numbers
    vcvt.f32.s32 q10, q10
    vmul.f32    q0, q0, of_a                    // a * its scale
    vmul.f32    q10, q10, of_b                  // b * its scale
    vadd.f32    q0, q0, q10
    quotient_1                                  // q0: integers
    vst1.8      {d0[0]}, [r3]!
.endm

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global qs8_vadd_quotient_8x__aarch32_neonv8
    .type   qs8_vadd_quotient_8x__aarch32_neonv8, %function
qs8_vadd_quotient_8x__aarch32_neonv8:
    // ---- Fetch the parameters.
    ldr         r12, [sp]                       // r12: parameters
    vld1.32     {d6[]}, [r12]!                  // s12: scale of the result
    vld1.32     {d16[], d17[]}, [r12]!          // q8: the first
    vld1.32     {d18[], d19[]}, [r12]!          // q9: a limit
    vld1.32     {d24[], d25[]}, [r12]!          // a scale or a limit
    vld1.32     {d26[], d27[]}, [r12]           // a scale or a limit

    // ---- Eight elements at a time, then one.
    every_element r0
    bx          lr
    .size   qs8_vadd_quotient_8x__aarch32_neonv8, . - qs8_vadd_quotient_8x__aarch32_neonv8
