//! Sums to int8 through floats: a factor and a bias for each channel, limits of an activation, steps per unit; 16 channels at a time, then 4, then one.
//! contract: s32_qs8_requantize
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   rows        x0          at least 1
//! in   channels    x1          at least 1
//! in   x           x2          int32 [rows, channels]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   factor      x4          float32 [channels]
//! in   bias        x5          float32 [channels]
//! in   y           x6          int8 [rows, channels]
//! in   y_stride    x7          bytes from one row of y to the next
//! in   params      [sp]        neonsim_ncnn_params, 12 bytes
//!
//! reg  left        x9          rows left
//! reg  px          x10         where x is read next
//! reg  out         x11         where y is written next
//! reg  vx          v0-v3       sums of 4 channels each
//! reg  vy          v4-v7       the floats that they become
//! reg  vfactor     v16-v19     of 16 channels
//! reg  vbias       v20-v23     of 16 channels
//! reg  vlimits     v24-v25     of the activation, low and high
//! reg  vsteps      v26         steps per unit
//! reg  vlower      v27         -127
//!
//!   a block of channels goes down all rows, so that its factors and biases are loaded once
//!
//!   sum, to single precision;  FMLA: bias + sum * factor, rounded once;  FMAX, FMIN;
//!   times steps;  FCVTAS: the nearest integer, half away from zero;  saturated twice, then not below -127

#include "include/ncnn_aarch64.h"

    low         .req v24
    high        .req v25
    steps       .req v26
    lower       .req v27

.macro store_16
    bytes_of_16 v4, v5, v6, v7                  // v4: 16 bytes
    str         q4, [x11]
    add         x11, x11, x7                    // on to the next row
.endm

.macro store_4
    bytes_of_4  v4                              // the lower 4 bytes
    st1         {v4.s}[0], [x11], x7
.endm

.macro store_4_of_4
    bytes_of_16 v4, v5, v6, v7                  // v4: four bytes of each row
    st1         {v4.s}[0], [x11], x7
    st1         {v4.s}[1], [x11], x7
    st1         {v4.s}[2], [x11], x7
    st1         {v4.s}[3], [x11], x7
.endm

.macro store_1
    bytes_of_4  v4
    st1         {v4.b}[0], [x11], x7
.endm

.macro store_1_of_4
    bytes_of_16 v4, v5, v6, v7                  // v4: the byte of each row, four times
    st1         {v4.b}[0], [x11], x7
    st1         {v4.b}[4], [x11], x7
    st1         {v4.b}[8], [x11], x7
    st1         {v4.b}[12], [x11], x7
.endm

    .text
    .p2align 4
    .global s32_qs8_requantize_16x__aarch64_neon
s32_qs8_requantize_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ldr         x8, [sp]                        // x8: parameters
    ld1r        {steps.4s}, [x8], #4
    ld1r        {low.4s}, [x8], #4              // limits of the activation
    ld1r        {high.4s}, [x8]
    movi        lower.16b, #0x81                // -127

    all_channels 16, 4, 1
    ret
