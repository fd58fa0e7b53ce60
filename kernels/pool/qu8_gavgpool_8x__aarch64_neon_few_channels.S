//! Global average of any number of rows of fewer than 8 channels.
//! contract: qu8_gavgpool
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   m           x0          rows, at least 1
//! in   n           x1          channels, 1..7
//! in   x           x2          uint8 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   zero        x4          not needed here
//! in   y           x5          uint8 [n]
//! in   params      x6          neonsim_average_pool_params, 24 bytes
//!
//! reg  pi          x2          the 8 bytes that end with the next row
//! reg  rows        x0          rows left
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vs          v21         minus the bits to shift out of the last channels
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   n = 3      ... . . . . . | a0 a1 a2 |     8 bytes that end with the row: 8 - n of them lie before it
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
    .global qu8_gavgpool_8x__aarch64_neon_few_channels
qu8_gavgpool_8x__aarch64_neon_few_channels:
    // ---- Start from the bias.
    load_average x6
    sub         x8, x1, #8                      // x8: channels less 8, negative
    add         x2, x2, x8                      // x2: 8 bytes that end with row 0
    fmov        d21, x8
    shl         d21, d21, #3                    // v21: minus the bits to shift out
    mov         v16.16b, bias.16b               // v16, v17: sums
    mov         v17.16b, bias.16b

    // ---- Add row after row in 32 bits: there may be more of them than 16 bits hold.
0:
    ldr         d1, [x2]
    add         x2, x2, x3
    ushl        d1, d1, d21
    uxtl        v0.8h, v1.8b
    uaddw       v16.4s, v16.4s, v0.4h
    uaddw2      v17.4s, v17.4s, v0.8h
    subs        x0, x0, #1
    b.ne        0b

    // ---- Scale and store 4, 2, 1 channels.
    average     v16, v17, v18, v19, v20
    store_some  x5, 16, x1
    ret
