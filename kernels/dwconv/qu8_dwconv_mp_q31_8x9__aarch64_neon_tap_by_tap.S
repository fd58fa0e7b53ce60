//! Depthwise convolution of 9 taps the classic way: one pass per tap, every sum updated nine times. For teaching.
//! contract: qu8_dwconv_mp_q31
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           x0          at least 1
//! in   output_width       x1          output pixels, at least 1
//! in   input              x2          pointers: nine rows of channels for each pixel, column by column
//! in   w                  x3          packed weights in nine regions of one tap, the first one with the biases
//! in   buffer             x4          int32 [channels rounded up to 8]
//! in   output             x5          uint8 [output_width, channels]
//! in   input_stride       x6          bytes from one pixel's pointers to the next pixel's
//! in   output_increment   x7          bytes between two pixels of the output
//! in   params             [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  taps        x8          taps left, less 1
//! reg  pi          x9          where this tap's row of the input is read next
//! reg  pw          x10         where the weights are read next
//! reg  sums        x11         where the buffer is read and written next
//! reg  count       x12         channels left, less 8
//! reg  table       x13         the next tap's pointer
//! reg  va          v0          8 channels of one tap of the input, less their zero point, as int16
//! reg  vs          v1          minus the bits to shift out of the last channels
//! reg  vq31        v2-v7       multiplier, left shift, where nothing is shifted, zero point, largest, smallest value
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vb          v18         8 channels of one tap of the weights, less their zero point, as int16
//! reg  vt0..vt1    v19-v20     scratch
//! reg  vazp        v30         the zero point of the input, 8 times
//! reg  vwzp        v31         the zero point of w, 8 times
//!
//!   for each tap:                     for each 8 channels:            One pointer to the input and one to the
//!     for each 8 channels:              for each tap:                 weights are enough: that is why it was done
//!       sums <- memory      9 times       sums += input * w           so. The price is the traffic of the sums:
//!       sums += input * w               output <- sums       once     nine loads and nine stores of 32 bits per
//!       memory <- sums      9 times                                   channel, where one pass over all nine taps
//!           (this kernel)                  (8x9 in one pass)          needs none.

#include "include/q31_aarch64.h"

    multiplier  .req v2
    leftshift   .req v3
    unshifted   .req v4
    zeropoint   .req v5
    upper       .req v6
    lower       .req v7

// Eight channels of one tap, whose input is in v0 and whose weights come next.
.macro multiply
    ld1         {v18.8b}, [x10], #8
    usubl       v0.8h, v0.8b, v30.8b
    usubl       v18.8h, v18.8b, v31.8b
    smlal       v16.4s, v0.4h, v18.4h
    smlal2      v17.4s, v0.8h, v18.8h
.endm

// The last 1..7 channels of the input: the 8 bytes that end with them, the old ones shifted out.
.macro last_input
    fmov        d1, x12
    shl         d1, d1, #3
    ldr         d0, [x9, x12]
    ushl        d0, d0, d1
.endm

    .text
    .p2align 4
    .global qu8_dwconv_mp_q31_8x9__aarch64_neon_tap_by_tap
qu8_dwconv_mp_q31_8x9__aarch64_neon_tap_by_tap:
    // ---- Fetch the parameters; nothing needs to be saved.
    ldr         x8, [sp]
    add         x9, x8, #12
    ld1r        {v31.8b}, [x9], #1              // v31: zero point of w
    ld1r        {v30.8b}, [x9]                  // v30: zero point of the input
    load_q31    x8

    // ---- The first tap starts from the biases.
0:
    mov         x13, x2
    ldr         x9, [x13], #8
    mov         x10, x3
    mov         x11, x4
    subs        x12, x0, #8                     // x12: all channels, less 8
    b.lo        2f
1:
    ld1         {v16.4s, v17.4s}, [x10], #32    // v16, v17: biases
    ld1         {v0.8b}, [x9], #8
    multiply
    st1         {v16.4s, v17.4s}, [x11], #32    // sums back to the buffer
    subs        x12, x12, #8                    // x12: channels left, less 8
    b.hs        1b
2:
    cmp         x12, #-8                        // none left?
    b.eq        3f
    ld1         {v16.4s, v17.4s}, [x10], #32
    last_input
    multiply
    st1         {v16.4s, v17.4s}, [x11]         // sums back to the buffer

    // ---- Eight more taps, each of which loads and stores all sums.
3:
    mov         x8, #8
4:
    ldr         x9, [x13], #8
    mov         x11, x4
    subs        x12, x0, #8                     // x12: all channels, less 8
    b.lo        6f
5:
    ld1         {v16.4s, v17.4s}, [x11]
    ld1         {v0.8b}, [x9], #8
    multiply
    st1         {v16.4s, v17.4s}, [x11], #32    // sums back to the buffer
    subs        x12, x12, #8                    // x12: channels left, less 8
    b.hs        5b
6:
    cmp         x12, #-8                        // none left?
    b.eq        7f
    ld1         {v16.4s, v17.4s}, [x11]
    last_input
    multiply
    st1         {v16.4s, v17.4s}, [x11]         // sums back to the buffer
7:
    subs        x8, x8, #1
    b.ne        4b

    // ---- And once more over the sums, to requantise them.
    mov         x11, x4
    subs        x12, x0, #8                     // x12: all channels, less 8
    b.lo        9f
8:
    ld1         {v16.4s, v17.4s}, [x11], #32
    requantize_q31 v16, v17, v19, v20
    str         d16, [x5], #8
    subs        x12, x12, #8                    // x12: channels left, less 8
    b.hs        8b
9:
    cmp         x12, #-8                        // none left?
    b.eq        13f
    ld1         {v16.4s, v17.4s}, [x11]
    requantize_q31 v16, v17, v19, v20
    tbz         x12, #2, 11f                    // the low three bits of x12 are those of the channels left
    str         s16, [x5], #4
    ushr        d16, d16, #32
11:
    tbz         x12, #1, 12f
    str         h16, [x5], #2
    ushr        d16, d16, #16
12:
    tbz         x12, #0, 13f
    str         b16, [x5], #1

    // ---- On to the next pixel.
13:
    add         x2, x2, x6
    add         x5, x5, x7
    subs        x1, x1, #1
    b.ne        0b
    ret
