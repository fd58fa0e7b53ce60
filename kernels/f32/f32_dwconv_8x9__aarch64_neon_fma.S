//! Depthwise convolution of float32, 9 taps, 8 channels at a time, then 4, then 1; fused multiply-add.
//! contract: f32_dwconv
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   channels         x0          at least 1
//! in   output_width     x1          output pixels, at least 1
//! in   input            x2          pointers: 9 rows of channels for each pixel, in the order of the weights
//! in   w                x3          packed weights: per 8 channels 8 biases, 9 taps of 8 weights
//! in   output           x4          float32 [output_width, channels]
//! in   input_stride     x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment x6          bytes between two pixels of the output
//! in   input_offset     x7          bytes added to every pointer but zero
//! in   zero             [sp]        float32 [channels], what taps outside the image point at
//! in   params           [sp, #8]    neonsim_float_params, 8 bytes
//!
//! reg  pi0..pi8         x8-x16      where nine rows are read next
//! reg  zero             x17         the row of zeros
//! reg  pw               x19         where the weights are read next
//! reg  left             x20         channels left
//! reg  rest             x21         weights of the last channels
//! reg  vx               v0-v1, v4-v5 8 channels of one tap, of every other tap
//! reg  vw               v2-v3, v6-v7 their weights
//! reg  vacc             v16-v17     sums of 8 channels
//! reg  vlimits          v18-v19     smallest and largest value allowed
//!
//!   row t   | x0 .. x3 | x4 .. x7 |      9 taps, 18 FMLA for 18 loads of two registers; the sums of channels 0..3
//!   tap t   | w0 .. w3 | w4 .. w7 |      and 4..7 are two chains side by side, a tap's loads run ahead of its
//!   sums    |   v16    |   v17    |      products by one tap

#include "include/dwconv_aarch64.h"
#include "include/f32_dwconv_aarch64.h"

    .text
    .p2align 4
    .global f32_dwconv_8x9__aarch64_neon_fma
f32_dwconv_8x9__aarch64_neon_fma:
    // ---- Fetch what came on the stack, save what belongs to the caller, fetch the limits.
    ldp         x17, x8, [sp]                   // x17: the row of zeros, x8: parameters
    stp         x19, x20, [sp, #-32]!
    str         x21, [sp, #16]
    ld1r        {v18.4s}, [x8], #4
    ld1r        {v19.4s}, [x8]

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    nine_rows
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    subs        x20, x0, #8                     // x20: channels left, less 8
    b.lo        2f

    // ---- Eight channels at a time.
1:
    nine_taps_of_8
    stp         q16, q17, [x4], #32
    subs        x20, x20, #8
    b.hs        1b

    // ---- Four of the last 1..7 channels.
2:
    mov         x21, x19                        // x21: their block of weights
    tbz         x20, #2, 3f
    nine_taps_of q, 16
    str         q16, [x4], #16
    add         x21, x21, #16

    // ---- The last 1..3 channels, one by one.
3:
    ands        x20, x20, #3
    b.eq        5f
4:
    mov         x19, x21
    nine_taps_of s, 4
    str         s16, [x4], #4
    add         x21, x21, #4
    subs        x20, x20, #1
    b.ne        4b

    // ---- On to the next pixel.
5:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    ldr         x21, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
