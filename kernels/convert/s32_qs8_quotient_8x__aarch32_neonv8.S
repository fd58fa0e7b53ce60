//! Sums to int8 through real numbers: a factor for each channel, then a quotient, half away from zero; 8 channels at a time, then 1.
//! contract: s32_qs8_quotient
//! tile: 8x
//! isa: aarch32
//! feature: neonv8
//! reads-before: 0
//! source: own work
//!
//! in   rows        r0          at least 1
//! in   channels    r1          at least 1
//! in   x           r2          int32 [rows, channels]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   factor      [sp]        float32 [channels]
//! in   y           [sp, #4]    int8 [rows, channels]
//! in   y_stride    [sp, #8]    bytes from one row of y to the next
//! in   params      [sp, #12]   neonsim_divide_params, 32 bytes
//!
//! reg  pf          r4          where factors are
//! reg  py          r5          where a row of y begins
//! reg  step        r6          y_stride
//! reg  px          r7          where x is read next
//! reg  factors     r8          where factors are read next
//! reg  out         r9          where y is written next
//! reg  left        r10         channels left, less 8
//! reg  pp          r12         where the parameters are read next
//! reg  vx          q0-q1       4 channels each
//! reg  divisor     s12         scale of the result
//! reg  vlimits     q8-q9       smallest and largest value allowed
//! reg  vfactor     q10-q11     of 4 channels each
//!
//!   VCVT: above 2**24 it rounds;  VMUL;  VDIV lane by lane, which takes longer than all else;  VMAX, VMIN;  VCVTA

#include "include/convert_aarch32.h"

    least       .req q8
    most        .req q9

.macro eight
    vld1.8      {d0-d3}, [r7]!                  // 8 sums
    vld1.8      {d20-d23}, [r8]!                // their factors
    vcvt.f32.s32 q0, q0                         // real numbers
    vcvt.f32.s32 q1, q1
    vmul.f32    q0, q0, q10                     // times the factors
    vmul.f32    q1, q1, q11
    quotients_8                                 // q0: integers of 16 bits
    vmovn.i16   d0, q0                          // d0: 8 bytes
    vst1.8      {d0}, [r9]!
.endm

.macro one
    vld1.32     {d0[], d1[]}, [r7]!             // a coefficient
    vld1.32     {d20[], d21[]}, [r8]!           // its factor
    vcvt.f32.s32 q0, q0                         // real numbers
    vmul.f32    q0, q0, q10                     // times the factors
    quotient_1                                  // q0: integers
    vst1.8      {d0[0]}, [r9]!
.endm

    .syntax unified
    .arch   armv8-a
    .fpu    neon-fp-armv8
    .arm
    .text
    .p2align 4
    .global s32_qs8_quotient_8x__aarch32_neonv8
    .type   s32_qs8_quotient_8x__aarch32_neonv8, %function
s32_qs8_quotient_8x__aarch32_neonv8:
    // ---- Save what belongs to the caller, fetch what came on the stack, and the parameters.
    push        {r4-r10}
    ldr         r4, [sp, #28]                   // r4: the fifth argument
    ldr         r5, [sp, #32]                   // r5: the sixth
    ldr         r6, [sp, #36]                   // r6: the seventh
    ldr         r12, [sp, #40]                  // r12: parameters
    vld1.32     {d6[]}, [r12]!                  // s12: scale of the result
    vld1.32     {d16[], d17[]}, [r12]!          // q8: the first
    vld1.32     {d18[], d19[]}, [r12]           // q9: a limit

    // ---- Row after row: eight channels at a time, then one.
0:
    mov         r7, r2                          // r7: where x is read next
    mov         r8, r4                          // r8: where factors are
    mov         r9, r5                          // r9: where y is written next
    mov         r10, r1                         // r10: channels left
    every_element r10
    add         r2, r2, r3                      // the next row of x
    add         r5, r5, r6                      // and of y
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r10}
    bx          lr
    .size   s32_qs8_quotient_8x__aarch32_neonv8, . - s32_qs8_quotient_8x__aarch32_neonv8
