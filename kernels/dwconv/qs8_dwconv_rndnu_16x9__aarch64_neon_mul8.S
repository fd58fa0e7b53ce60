//! Depthwise convolution of int8, 9 taps, 16 channels at a time, one scale, rndnu; products of bytes.
//! contract: qs8_dwconv_rndnu
//! tile: 16x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels         x0          at least 1
//! in   output_width     x1          output pixels, at least 1
//! in   input            x2          pointers: 9 rows of channels for each pixel, column by column
//! in   w                x3          packed weights: per 16 channels 16 int32 biases, 9 taps of 16 bytes
//! in   output           x4          int8 [output_width, channels]
//! in   input_stride     x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment x6          bytes between two pixels of the output
//! in   input_offset     x7          bytes added to every pointer but zero
//! in   zero             [sp]        int8 [channels], what taps outside the image point at
//! in   params           [sp, #8]    neonsim_rndnu_gemm_params, 20 bytes
//!
//! reg  pi0..pi8         x8-x16      where the rows of nine taps begin
//! reg  zero             x17         the row of zeros
//! reg  pw               x19         where the weights are read next
//! reg  done             x20         channels done: offset into every row
//! reg  left             x21         channels left, less 16
//! reg  block            x22         the last block of weights
//! reg  half             x23         first channel of a half of it, 0 or 8
//! reg  vtap             v0-v7       taps and weights of two pairs
//! reg  vacc             v16-v19     int32 sums of 16 channels
//! reg  vparams          v20-v25     multiplier, both shifts, zero point, limits
//! reg  vproduct         v26-v29     products of two pairs
//! reg  vbyte            v30         the 16 before, on their way to bytes
//! reg  vs               v31         some of them; then minus the bits to shift out of the last channels
//!
//!   x * w  8 x 8 -> 16 bits;  added to 32 bits:  per 8 channels and tap 1 multiplication and 2 additions

#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/dwconv_aarch64.h"
#include "include/dwconv_mul8_aarch64.h"
#include "include/dwconv_rndnu_aarch64.h"

    multiplier  .req v20                        // 31 bits of the scale
    preshift    .req v21                        // shift to the left
    postshift   .req v22                        // minus the shift to the right
    zeropoint   .req v23                        // zero point of the output
    upper       .req v24                        // largest value allowed
    lower       .req v25                        // smallest

    .text
    .p2align 4
    .global qs8_dwconv_rndnu_16x9__aarch64_neon_mul8
qs8_dwconv_rndnu_16x9__aarch64_neon_mul8:
    // ---- Save what belongs to the caller, x19 to x23; fetch the parameters.
    ldp         x17, x8, [sp]                   // x17: the row of zeros, x8: parameters
    stp         x19, x20, [sp, #-48]!
    stp         x21, x22, [sp, #16]
    str         x23, [sp, #32]
    load_scheme x8

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    nine_rows
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    mov         x20, #0                         // x20: channels done
    subs        x21, x0, #16                    // x21: channels left, less 16
    b.lo        2f

    // ---- Sixteen channels at a time: their sums are made bytes while the next sixteen are added up.
    wide_sums_from_bias
    wide_nine_taps
    start_16                                    // v30, v31: 16 int16
    add         x20, x20, #16
    subs        x21, x21, #16
    b.lo        5f
1:
    wide_sums_from_bias
    wide_nine_taps_and_bytes                    // v30: 16 bytes
    str         q30, [x4], #16
    start_16
    add         x20, x20, #16
    subs        x21, x21, #16
    b.hs        1b
5:
    all_wide_parts
    str         q30, [x4], #16

    // ---- Eight of the last 1..15 channels, if there are as many.
2:
    mov         x22, x19                        // x22: the last block
    mov         x23, #0                         // x23: its first half
    adds        x21, x21, #8                    // x21: channels left, less 8
    b.mi        4f
    half_block  0
    str         d18, [x4], #8
    mov         x23, #8                         // x23: its second half
    sub         x21, x21, #8

    // ---- The last 1..7: the 8 bytes that end with each row.
4:
    cmp         x21, #-8                        // none left?
    b.eq        3f
    sub         x20, x0, #8
    shift_of_rest x21
    half_block  1
    mov         x8, x4                          // x8: where the first of them goes
    add         x4, x4, #8
    add         x4, x4, x21
    store_rest  18, x8, x21

    // ---- On to the next pixel.
3:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    ldr         x23, [sp, #32]
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #48
    ret
