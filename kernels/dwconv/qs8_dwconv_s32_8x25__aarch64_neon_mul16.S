//! Depthwise convolution of int8, 25 taps, 8 channels at a time, sums stay; taps widened to 16 bits.
//! contract: qs8_dwconv_s32
//! tile: 8x25
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         x0          at least 1
//! in   output_width     x1          output pixels, at least 1
//! in   input            x2          pointers: 25 rows of channels for each pixel, column by column
//! in   w                x3          packed weights: per 8 channels 8 int32 biases, 25 taps of 8 bytes
//! in   output           x4          int32 [output_width, channels]
//! in   input_stride     x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment x6          bytes between two pixels of the output
//! in   input_offset     x7          bytes added to every pointer but zero
//! in   zero             [sp]        int8 [channels], what taps outside the image point at
//!
//! reg  pi0..pi3         x8-x11      where the rows of four taps begin
//! reg  zero             x17         the row of zeros
//! reg  pw               x19         where the weights are read next
//! reg  done             x20         channels done: offset into every row
//! reg  left             x21         channels left, less 8
//! reg  vtap             v0-v7       taps and weights of two pairs
//! reg  vacc             v16-v17     int32 sums of 8 channels
//! reg  vs               v31         minus the bits to shift out of the last channels
//!
//!   x, w   8 bits -> 16 bits;  x * w added to 32 bits:  per 8 channels and tap 2 widenings and 2 multiplications
//!
//!   25 pointers are more than there are registers: moved by input_offset once for each pixel, they wait on the stack.

#include "include/int8_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/dwconv_aarch64.h"
#include "include/dwconv_mul16_aarch64.h"
#include "include/dwconv_s32_aarch64.h"

    .text
    .p2align 4
    .global qs8_dwconv_s32_8x25__aarch64_neon_mul16
qs8_dwconv_s32_8x25__aarch64_neon_mul16:
    // ---- Save what belongs to the caller, x19 to x21, and make room for pointers.
    ldr         x17, [sp]                       // x17: the row of zeros
    stp         x19, x20, [sp, #-32]!
    str         x21, [sp, #16]
    sub         sp, sp, #208

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    rows_to_stack
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    mov         x20, #0                         // x20: channels done
    subs        x21, x0, #8                     // x21: channels left, less 8
    b.lo        2f

    // ---- Eight channels at a time: from the biases, over the taps, to memory.
1:
    sums_from_bias_8
    many_taps   0
    stp         q16, q17, [x4], #32
    add         x20, x20, #8
    subs        x21, x21, #8
    b.hs        1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x21, #-8                        // none left?
    b.eq        3f
    sub         x20, x0, #8
    shift_of_rest x21
    sums_from_bias_8
    many_taps   1
    store_rest_of_sums x4, x21

    // ---- On to the next pixel.
3:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    add         sp, sp, #208
    ldr         x21, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
