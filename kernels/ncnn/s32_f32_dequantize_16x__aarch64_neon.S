//! Sums to floats: a factor and a bias for each channel, limits of an activation; 16 channels at a time, then 4, then one.
//! contract: s32_f32_dequantize
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
//! in   y           x6          float32 [rows, channels]
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
//!
//!   a block of channels goes down all rows, so that its factors and biases are loaded once
//!
//!   sum, to single precision;  FMLA: bias + sum * factor, rounded once;  FMAX, FMIN

#include "include/ncnn_aarch64.h"

    low         .req v24
    high        .req v25

.macro store_16
    stp         q4, q5, [x11]                   // sixteen floats of a row
    stp         q6, q7, [x11, #32]
    add         x11, x11, x7                    // on to the next row
.endm

.macro store_4
    st1         {v4.4s}, [x11], x7              // four of one row
.endm

.macro store_4_of_4
    st1         {v4.4s}, [x11], x7              // four floats of each of four rows
    st1         {v5.4s}, [x11], x7
    st1         {v6.4s}, [x11], x7
    st1         {v7.4s}, [x11], x7
.endm

.macro store_1
    st1         {v4.s}[0], [x11], x7
.endm

.macro store_1_of_4
    st1         {v4.s}[0], [x11], x7            // one of each
    st1         {v5.s}[0], [x11], x7
    st1         {v6.s}[0], [x11], x7
    st1         {v7.s}[0], [x11], x7
.endm

    .text
    .p2align 4
    .global s32_f32_dequantize_16x__aarch64_neon
s32_f32_dequantize_16x__aarch64_neon:
    // ---- Fetch the parameters; they stay in registers.
    ldr         x8, [sp]                        // x8: parameters
    add         x8, x8, #4                      // over the steps per unit
    ld1r        {low.4s}, [x8], #4              // limits of the activation
    ld1r        {high.4s}, [x8]

    all_channels 64, 16, 4
    ret
