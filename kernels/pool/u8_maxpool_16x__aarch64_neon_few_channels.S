//! Largest of any number of gathered rows of fewer than 16 channels per pixel.
//! contract: u8_maxpool
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, 1..15
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          uint8 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_clamp_params, 4 bytes
//!
//! reg  table       x8          the next pointer of this pixel
//! reg  pi          x9          behind the part of the row that is not yet read
//! reg  rows        x10         rows left of this pixel
//! reg  vx          v0          channels of one row
//! reg  vmax        v1          the largest so far
//! reg  vlimits     v6-v7       largest and smallest value allowed
//!
//!   kc = 13 = 8 + 4 + 1: a row is read from its end, and nothing outside of it
//!       b[0] <- last byte      | c12                     |
//!       s[0] <- 4 before it    | c8 .. c11, c12          |     EXT moves up what is there already
//!       d[0] <- the first 8    | c0 .. c7, c8 .. c11, c12|

#include "include/uint8_aarch64.h"
#include "include/maxpool_aarch64.h"

    upper       .req v6
    lower       .req v7

    .text
    .p2align 4
    .global u8_maxpool_16x__aarch64_neon_few_channels
u8_maxpool_16x__aarch64_neon_few_channels:
    // ---- Fetch the limits.
    ld1r        {upper.16b}, [x7], #1
    ld1r        {lower.16b}, [x7]
    movi        v0.16b, #0                      // lanes that are never loaded must not be undefined

    // ---- For each pixel: the largest of row after row.
0:
    mov         x8, x3
    mov         x10, x1
    mov         v1.16b, lower.16b               // v1: largest so far; no result is smaller
1:
    ldr         x9, [x8], #8
    add         x9, x9, x2                      // x9: end of the row
    load_row    x9
    larger      v1, v1, v0
    subs        x10, x10, #1
    b.ne        1b
    smaller     v1, v1, upper

    // ---- Store 8, 4, 2, 1 channels.
    tbz         x2, #3, 2f
    st1         {v1.d}[0], [x4], #8
    ext         v1.16b, v1.16b, v1.16b, #8      // the next ones first
2:
    tbz         x2, #2, 3f
    st1         {v1.s}[0], [x4], #4
    ext         v1.16b, v1.16b, v1.16b, #4
3:
    tbz         x2, #1, 4f
    st1         {v1.h}[0], [x4], #2
    ext         v1.16b, v1.16b, v1.16b, #2
4:
    tbz         x2, #0, 5f
    st1         {v1.b}[0], [x4], #1

    // ---- On to the next pixel.
5:
    add         x3, x3, x5                      // x3: the next pixel's pointers
    add         x4, x4, x6
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
