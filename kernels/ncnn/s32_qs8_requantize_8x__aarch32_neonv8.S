//! Sums to int8 through floats: a factor and a bias for each channel, limits of an activation, steps per unit; 8 channels at a time, then 4, then one.
//! contract: s32_qs8_requantize
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
//! in   bias        [sp, #4]    float32 [channels]
//! in   y           [sp, #8]    int8 [rows, channels]
//! in   y_stride    [sp, #12]   bytes from one row of y to the next
//! in   params      [sp, #16]   neonsim_ncnn_params, 12 bytes
//!
//! reg  pf          r4          where factors are read next
//! reg  pb          r5          where biases are
//! reg  py          r6          where a block of channels of y begins
//! reg  step        r7          y_stride
//! reg  px          r8          where x is read next
//! reg  out         r9          where y is written next
//! reg  left        r10         rows left
//! reg  vx          q0-q1       sums of 4 channels each
//! reg  vy          q2-q3       the floats that they become
//! reg  vfactor     q8-q9       of 8 channels
//! reg  vbias       q10-q11     of 8 channels
//! reg  vlimits     q12-q13     of the activation, low and high
//! reg  vsteps      q14         steps per unit
//! reg  vlower      d30         -127
//!
//!   a block of channels goes down all rows, so that its factors and biases are loaded once
//!
//!   sum, to single precision;  VFMA: bias + sum * factor, rounded once;  VMAX, VMIN;
//!   times steps;  twice that, cut off, less one where negative, halved and rounded up;  not below -127
//!
//!   VFMA came to Armv7 with the second version of its vectors (Cortex-A7 and later): Cortex-A8 and A9 have none.

#include "include/ncnn_aarch32.h"

    low         .req q12
    high        .req q13
    steps       .req q14
    lower       .req d30

.macro store_8
    bytes_of_8
    vst1.8      {d4}, [r9], r7
.endm

.macro store_4
    bytes_of_4
    vst1.32     {d4[0]}, [r9], r7
.endm

.macro store_4_of_2
    bytes_of_8                                  // d4: four bytes of each row
    vst1.32     {d4[0]}, [r9], r7
    vst1.32     {d4[1]}, [r9], r7
.endm

.macro store_1_of_2
    bytes_of_8                                  // d4: the byte of each row, four times
    vst1.8      {d4[0]}, [r9], r7
    vst1.8      {d4[4]}, [r9], r7
.endm

.macro store_1
    bytes_of_4
    vst1.8      {d4[0]}, [r9], r7
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon-vfpv4
    .arm
    .text
    .p2align 4
    .global s32_qs8_requantize_8x__aarch32_neonv8
    .type   s32_qs8_requantize_8x__aarch32_neonv8, %function
s32_qs8_requantize_8x__aarch32_neonv8:
    // ---- Save what belongs to the caller: 28 bytes, so stack arguments now start at sp + 28; fetch them.
    push        {r4-r10}
    ldr         r4, [sp, #28]                   // r4: factors
    ldr         r5, [sp, #32]                   // r5: biases
    ldr         r6, [sp, #36]                   // r6: y
    ldr         r7, [sp, #40]                   // r7: y_stride
    ldr         r8, [sp, #44]                   // r8: parameters
    vld1.32     {d28[], d29[]}, [r8]!         // q14: steps per unit
    vld1.32     {d24[], d25[]}, [r8]!         // q12: the lower limit
    vld1.32     {d26[], d27[]}, [r8]          // q13: the upper one
    vmov.i8     lower, #0x81                    // -127

    all_channels 8, 4, 1

    // ---- Give back what was saved.
    pop         {r4-r10}
    bx          lr
    .size   s32_qs8_requantize_8x__aarch32_neonv8, . - s32_qs8_requantize_8x__aarch32_neonv8
