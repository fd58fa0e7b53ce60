//! Depthwise convolution of 25 taps in three passes of 10, 10 and 5, 8 channels at a time.
//! contract: qu8_dwconv_mp_q31
//! tile: 8x25
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           x0          at least 1
//! in   output_width       x1          output pixels, at least 1
//! in   input              x2          pointers: 25 rows of channels for each pixel, column by column
//! in   w                  x3          packed weights in three regions: columns 0-1 with the biases, 2-3, 4
//! in   buffer             x4          int32 [channels rounded up to 8]
//! in   output             x5          uint8 [output_width, channels]
//! in   input_stride       x6          bytes from one pixel's pointers to the next pixel's
//! in   output_increment   x7          bytes between two pixels of the output
//! in   params             [sp]        neonsim_q31_params, 16 bytes
//!
//! reg  pi0..pi9    x8-x17      where ten rows of the input are read next
//! reg  count       x19         channels left, less 8
//! reg  pw          x20         where the weights are read next
//! reg  sums        x21         where the buffer is read and written next
//! reg  table       x22         the next pass's pointers
//! reg  va          v0          8 channels of one tap of the input, less their zero point, as int16
//! reg  vs          v1          minus the bits to shift out of the last channels
//! reg  vq31        v2-v7       multiplier, left shift, where nothing is shifted, zero point, largest, smallest value
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vb          v18         8 channels of one tap of the weights, less their zero point, as int16
//! reg  vt0..vt1    v19-v20     scratch
//! reg  vazp        v30         the zero point of the input, 8 times
//! reg  vwzp        v31         the zero point of w, 8 times
//!
//!   taps        pass 0   pass 1   pass 2      25 rows are more than there are registers for pointers. Each pass
//!   0  5 | 10 15 | 20    biases   buffer      runs over all channels of a pixel with the pointers of its taps;
//!   1  6 | 11 16 | 21      |        |         between two passes the sums wait in the buffer:
//!   2  7 | 12 17 | 22    buffer   buffer
//!   3  8 | 13 18 | 23                         2 stores and 2 loads of sums per channel more than in one pass.
//!   4  9 | 14 19 | 24

#include "include/q31_aarch64.h"

    multiplier  .req v2
    leftshift   .req v3
    unshifted   .req v4
    zeropoint   .req v5
    upper       .req v6
    lower       .req v7

// One tap. last: the last 1..7 channels, the 8 bytes that end with them, the old ones shifted out.
.macro tap pi, last
    .if \last
    ldr         d0, [\pi, x19]
    ushl        d0, d0, d1
    .else
    ld1         {v0.8b}, [\pi], #8
    .endif
    ld1         {v18.8b}, [x20], #8
    usubl       v0.8h, v0.8b, v30.8b
    usubl       v18.8h, v18.8b, v31.8b
    smlal       v16.4s, v0.4h, v18.4h
    smlal2      v17.4s, v0.8h, v18.8h
.endm

.macro five_taps last
    tap         x8, \last
    tap         x9, \last
    tap         x10, \last
    tap         x11, \last
    tap         x12, \last
.endm

.macro ten_taps last
    five_taps   \last
    tap         x13, \last
    tap         x14, \last
    tap         x15, \last
    tap         x16, \last
    tap         x17, \last
.endm

// What the last channels of each pass begin with; goes to done if there are none.
.macro begin_last done
    cmp         x19, #-8                        // none left?
    b.eq        \done
    fmov        d1, x19
    shl         d1, d1, #3
.endm

    .text
    .p2align 4
    .global qu8_dwconv_mp_q31_8x25__aarch64_neon_mlal
qu8_dwconv_mp_q31_8x25__aarch64_neon_mlal:
    // ---- Fetch the parameters, and save what belongs to the caller: x19 to x22.
    ldr         x8, [sp]
    stp         x19, x20, [sp, #-32]!
    stp         x21, x22, [sp, #16]
    add         x9, x8, #12
    ld1r        {v31.8b}, [x9], #1              // v31: zero point of w
    ld1r        {v30.8b}, [x9]                  // v30: zero point of the input
    load_q31    x8

    // ---- Pass 0: taps 0..9, from the biases to the buffer.
0:
    ldp         x8, x9, [x2]
    ldp         x10, x11, [x2, #16]
    ldp         x12, x13, [x2, #32]
    ldp         x14, x15, [x2, #48]
    ldp         x16, x17, [x2, #64]
    add         x22, x2, #80
    mov         x20, x3
    mov         x21, x4
    subs        x19, x0, #8                     // x19: all channels, less 8
    b.lo        2f
1:
    ld1         {v16.4s, v17.4s}, [x20], #32    // v16, v17: biases
    ten_taps    0
    st1         {v16.4s, v17.4s}, [x21], #32    // sums back to the buffer
    subs        x19, x19, #8                    // x19: channels left, less 8
    b.hs        1b
2:
    begin_last  3f
    ld1         {v16.4s, v17.4s}, [x20], #32    // v16, v17: biases
    ten_taps    1
    st1         {v16.4s, v17.4s}, [x21]         // the buffer has room for 8 channels, also where there are fewer

    // ---- Pass 1: taps 10..19, from the buffer to the buffer.
3:
    ldp         x8, x9, [x22]
    ldp         x10, x11, [x22, #16]
    ldp         x12, x13, [x22, #32]
    ldp         x14, x15, [x22, #48]
    ldp         x16, x17, [x22, #64]
    add         x22, x22, #80
    mov         x21, x4
    subs        x19, x0, #8                     // x19: all channels, less 8
    b.lo        5f
4:
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    ten_taps    0
    st1         {v16.4s, v17.4s}, [x21], #32    // sums back to the buffer
    subs        x19, x19, #8                    // x19: channels left, less 8
    b.hs        4b
5:
    begin_last  6f
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    ten_taps    1
    st1         {v16.4s, v17.4s}, [x21]         // sums back to the buffer

    // ---- Pass 2: taps 20..24, from the buffer to the output.
6:
    ldp         x8, x9, [x22]
    ldp         x10, x11, [x22, #16]
    ldr         x12, [x22, #32]
    mov         x21, x4
    subs        x19, x0, #8                     // x19: all channels, less 8
    b.lo        8f
7:
    ld1         {v16.4s, v17.4s}, [x21], #32    // v16, v17: sums so far
    five_taps   0
    requantize_q31 v16, v17, v19, v20           // v16: 8 bytes
    str         d16, [x5], #8
    subs        x19, x19, #8                    // x19: channels left, less 8
    b.hs        7b
8:
    begin_last  9f
    ld1         {v16.4s, v17.4s}, [x21]         // v16, v17: sums so far
    five_taps   1
    requantize_q31 v16, v17, v19, v20           // v16: 8 bytes
    tbz         x19, #2, 11f                    // the low three bits of x19 are those of the channels left
    str         s16, [x5], #4
    ushr        d16, d16, #32
11:
    tbz         x19, #1, 12f
    str         h16, [x5], #2
    ushr        d16, d16, #16
12:
    tbz         x19, #0, 9f
    str         b16, [x5], #1

    // ---- On to the next pixel.
9:
    add         x2, x2, x6
    add         x5, x5, x7
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
