//! Depthwise convolution of 9 taps in one pass, 8 channels of three neighbouring pixels at a time.
//! contract: qu8_dwconv_q31
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   channels           x0          at least 1
//! in   output_width       x1          output pixels, at least 1
//! in   input              x2          pointers: nine rows of channels for each pixel, column by column
//! in   w                  x3          packed weights: per 8 channels 8 int32 biases, then 9 taps of 8 bytes
//! in   output             x4          uint8 [output_width, channels]
//! in   input_stride       x5          bytes from one pixel's pointers to the next pixel's
//! in   output_increment   x6          bytes between two pixels of the output
//! in   params             x7          neonsim_q31_params, 16 bytes
//!
//! reg  pi0..pi9    x8-x17      where ten of the rows of the input are read next
//! reg  pi10..pi14  x19-x23     the same for five more
//! reg  count       x24         channels left, less 8
//! reg  pw          x25         where the weights are read next
//! reg  po1..po2    x26-x27     where the second and third pixel are written next; the first one is x4
//! reg  step        x7          bytes from one pixel of the output to the next
//! reg  va          v0          8 channels of one tap of the input, as int16
//! reg  vt          v1          scratch
//! reg  vq31        v2-v7       multiplier, left shift, where nothing is shifted, zero point, largest, smallest value
//! reg  vacc0..vacc2 v16-v21    int32 sums of 8 channels of one pixel each
//! reg  vb0..vb8    v22-v30     8 channels of each tap of the weights, less their zero point, as int16
//! reg  vwzp        v31         the zero point of w, 8 times
//!
//!       pixel 0                    With stride 1 two neighbouring pixels share six of their nine rows. Three
//!     +---+---+---+                pixels need 15 rows, so 5 loads each instead of 9: every row is loaded once
//!     | 0 | 3 | 6 | 9 |12 |        and multiplied by up to three weights. The nine weights stay in registers.
//!     | 1 | 4 | 7 |10 |13 |
//!     | 2 | 5 | 8 |11 |14 |        That the pixels are neighbours shows in input_stride: three pointers. Other
//!     +---+---+---+---+---+        strides, and the last one or two pixels, go pixel by pixel.
//!             +---+---+---+
//!               pixel 2

#include "include/q31_aarch64.h"

    multiplier  .req v2
    leftshift   .req v3
    unshifted   .req v4
    zeropoint   .req v5
    upper       .req v6
    lower       .req v7

// Eight channels of the weights of one tap.
.macro weights b
    ld1         {\b\().8b}, [x25], #8
    usubl       \b\().8h, \b\().8b, v31.8b
.endm

// Eight channels of one row of the input; for the last 1..7 channels the 8 bytes that end with them, the old ones
// shifted out (v1: minus the bits to shift).
.macro row pi, last
    .if \last
    ldr         d0, [\pi, x24]
    ushl        d0, d0, d1
    .else
    ld1         {v0.8b}, [\pi], #8
    .endif
    uxtl        v0.8h, v0.8b
.endm

.macro times lo, hi, b
    smlal       \lo\().4s, v0.4h, \b\().4h
    smlal2      \hi\().4s, v0.8h, \b\().8h
.endm

// Three pixels: 15 rows, 27 pairs of products.
.macro three_pixels last
    ld1         {v16.4s, v17.4s}, [x25], #32    // biases of 8 channels
    weights     v22
    weights     v23
    weights     v24
    weights     v25
    weights     v26
    weights     v27
    weights     v28
    weights     v29
    weights     v30
    mov         v18.16b, v16.16b
    mov         v19.16b, v17.16b
    mov         v20.16b, v16.16b
    mov         v21.16b, v17.16b
    row         x8, \last                       // first column: pixel 0 only
    times       v16, v17, v22
    row         x9, \last
    times       v16, v17, v23
    row         x10, \last
    times       v16, v17, v24
    row         x11, \last                      // second column: pixels 0 and 1
    times       v16, v17, v25
    times       v18, v19, v22
    row         x12, \last
    times       v16, v17, v26
    times       v18, v19, v23
    row         x13, \last
    times       v16, v17, v27
    times       v18, v19, v24
    row         x14, \last                      // third column: all three
    times       v16, v17, v28
    times       v18, v19, v25
    times       v20, v21, v22
    row         x15, \last
    times       v16, v17, v29
    times       v18, v19, v26
    times       v20, v21, v23
    row         x16, \last
    times       v16, v17, v30
    times       v18, v19, v27
    times       v20, v21, v24
    row         x17, \last                      // fourth column: pixels 1 and 2
    times       v18, v19, v28
    times       v20, v21, v25
    row         x19, \last
    times       v18, v19, v29
    times       v20, v21, v26
    row         x20, \last
    times       v18, v19, v30
    times       v20, v21, v27
    row         x21, \last                      // fifth column: pixel 2 only
    times       v20, v21, v28
    row         x22, \last
    times       v20, v21, v29
    row         x23, \last
    times       v20, v21, v30
    requantize_q31 v16, v17, v0, v22            // v16: 8 bytes
    requantize_q31 v18, v19, v0, v22
    requantize_q31 v20, v21, v0, v22
.endm

.macro one_tap pi, last
    row         \pi, \last
    weights     v22
    times       v16, v17, v22
.endm

// One pixel: 9 rows, 9 pairs of products.
.macro one_pixel last
    ld1         {v16.4s, v17.4s}, [x25], #32
    one_tap     x8, \last
    one_tap     x9, \last
    one_tap     x10, \last
    one_tap     x11, \last
    one_tap     x12, \last
    one_tap     x13, \last
    one_tap     x14, \last
    one_tap     x15, \last
    one_tap     x16, \last
    requantize_q31 v16, v17, v0, v22            // v16: 8 bytes
.endm

// The last 1..7 channels of one pixel: 4, 2, 1 of them, the rest moved down each time.
.macro store_some out, x
    tbz         x24, #2, 12f                    // the low three bits of x24 are those of the channels left
    str         s\x, [\out], #4
    ushr        d\x, d\x, #32
12:
    tbz         x24, #1, 11f
    str         h\x, [\out], #2
    ushr        d\x, d\x, #16
11:
    tbz         x24, #0, 10f
    str         b\x, [\out], #1
10:
.endm

    .text
    .p2align 4
    .global qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels
qu8_dwconv_q31_8x9__aarch64_neon_mlal_3pixels:
    // ---- Save what belongs to the caller: x19 to x27.
    stp         x19, x20, [sp, #-80]!
    stp         x21, x22, [sp, #16]
    stp         x23, x24, [sp, #32]
    stp         x25, x26, [sp, #48]
    str         x27, [sp, #64]

    // ---- Fetch the parameters; they stay in registers.
    add         x8, x7, #12
    ld1r        {v31.8b}, [x8]                  // v31: zero point of w
    load_q31    x7
    add         x7, x0, x6                      // x7: bytes from pixel to pixel of the output

    // ---- See whether the pixels are neighbours, and whether there are three of them.
    cmp         x5, #24                         // three pointers: one column further
    b.ne        4f
    subs        x1, x1, #3                      // x1: pixels left after the next three
    b.lo        3f

    // ---- Three pixels at a time: fetch 15 pointers.
0:
    ldp         x8, x9, [x2]
    ldp         x10, x11, [x2, #16]
    ldp         x12, x13, [x2, #32]
    ldp         x14, x15, [x2, #48]
    ldp         x16, x17, [x2, #64]
    ldp         x19, x20, [x2, #80]
    ldp         x21, x22, [x2, #96]
    ldr         x23, [x2, #112]
    add         x2, x2, #72                     // x2: three pixels further
    mov         x25, x3                         // x25: weights, from their beginning
    add         x26, x4, x7                     // x26: output of pixel 1
    add         x27, x26, x7                    // x27: output of pixel 2
    subs        x24, x0, #8                     // x24: all channels, less 8
    b.lo        2f
1:
    three_pixels 0
    str         d16, [x4], #8                   // 8 bytes
    str         d18, [x26], #8
    str         d20, [x27], #8
    subs        x24, x24, #8                    // x24: channels left, less 8
    b.hs        1b

    // ---- Their last 1..7 channels.
2:
    cmp         x24, #-8                        // none left?
    b.eq        2f                              // none left
    fmov        d1, x24
    shl         d1, d1, #3                      // v1: minus the bits to shift out
    three_pixels 1
    store_some  x4, 16
    store_some  x26, 18
    store_some  x27, 20
2:
    add         x4, x27, x6                     // x4: output of the next pixel
    subs        x1, x1, #3
    b.hs        0b
3:
    adds        x1, x1, #3                      // x1: pixels left, none to two
    b.eq        8f

    // ---- One pixel at a time: fetch nine pointers.
4:
    ldp         x8, x9, [x2]
    ldp         x10, x11, [x2, #16]
    ldp         x12, x13, [x2, #32]
    ldp         x14, x15, [x2, #48]
    ldr         x16, [x2, #64]
    add         x2, x2, x5
    mov         x25, x3                         // x25: weights, from their beginning
    subs        x24, x0, #8                     // x24: all channels, less 8
    b.lo        6f
5:
    one_pixel   0
    str         d16, [x4], #8                   // 8 bytes
    subs        x24, x24, #8                    // x24: channels left, less 8
    b.hs        5b

    // ---- Its last 1..7 channels.
6:
    cmp         x24, #-8                        // none left?
    b.eq        7f
    fmov        d1, x24
    shl         d1, d1, #3
    one_pixel   1
    store_some  x4, 16
7:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        4b

    // ---- Give back what was saved.
8:
    ldr         x27, [sp, #64]
    ldp         x25, x26, [sp, #48]
    ldp         x23, x24, [sp, #32]
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #80
    ret
