//! Average of any number of gathered rows of fewer than 8 channels per pixel.
//! contract: qu8_avgpool
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, 1..7
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          not needed here
//! in   y           x5          uint8 [n, kc]
//! in   x_increment x6          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x7          bytes between two pixels of y
//! in   params      [sp]        neonsim_average_pool_params, 24 bytes
//!
//! reg  table       x8          the next pointer of this pixel
//! reg  pi          x9          the row it points at
//! reg  rows        x10         rows left of this pixel
//! reg  back        x11         channels less 8, negative
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vs          v21         minus the bits to shift out of the last channels
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   kc = 3     ... . . . . . | a0 a1 a2 |     8 bytes that end with the row: 8 - kc of them lie before it
//!   USHL       | a0 a1 a2 0 0 0 0 0 |         and are shifted out

#include "include/average_aarch64.h"

    bias        .req v24
    multiplier  .req v25
    rightshift  .req v26
    zeropoint   .req v27
    upper       .req v28
    lower       .req v29

    .text
    .p2align 4
    .global qu8_avgpool_8x__aarch64_neon_few_channels
qu8_avgpool_8x__aarch64_neon_few_channels:
    // ---- Fetch the parameters.
    ldr         x8, [sp]
    load_average x8
    sub         x11, x2, #8                     // x11: channels less 8
    fmov        d21, x11
    shl         d21, d21, #3                    // v21: minus the bits to shift out

    // ---- For each pixel: start from the bias and add row after row in 32 bits.
0:
    mov         x8, x3
    mov         x10, x1
    mov         v16.16b, bias.16b
    mov         v17.16b, bias.16b
1:
    ldr         x9, [x8], #8
    ldr         d1, [x9, x11]                   // the 8 bytes that end with the row
    ushl        d1, d1, d21
    uxtl        v0.8h, v1.8b
    uaddw       v16.4s, v16.4s, v0.4h           // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, v17.4s, v0.8h
    subs        x10, x10, #1
    b.ne        1b

    // ---- Scale, store 4, 2, 1 channels, and on to the next pixel.
    average     v16, v17, v18, v19, v20
    store_some  x5, 16, x2
    add         x3, x3, x6
    add         x5, x5, x7
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
