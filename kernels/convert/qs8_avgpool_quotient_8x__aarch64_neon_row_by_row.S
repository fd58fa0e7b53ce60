//! Average of windows of int8 through real numbers, row after row; 8 channels at a time, then 1.
//! contract: qs8_avgpool_quotient
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, at least 1
//! in   kc          x2          channels, at least 1
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   y           x4          int8 [n, kc]
//! in   x_increment x5          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x6          bytes between two pixels of y
//! in   params      x7          neonsim_divide_params, 32 bytes
//!
//! reg  done        x8          channels of a row done: offset into every row
//! reg  left        x9          channels left, less 8
//! reg  table       x10         where the pointers are read next
//! reg  rows        x11         rows left
//! reg  row         x12         where one row begins
//! reg  byte        x13         one channel of a row
//! reg  vx          v0          8 channels of one row
//! reg  vacc        v2-v3       sums of 4 channels each, then means
//! reg  vdivisor    v16         scale of the result
//! reg  vlimits     v17-v18     smallest and largest value allowed
//! reg  vscale      v19         scale of x
//! reg  vcount      v20         rows
//!
//!   v2 | c0 .. c3 |  v3 | c4 .. c7 |   <-  plus 8 channels of a row (SSHLL, SADDW);  SCVTF, FMUL, FDIV by the rows, FDIV by the scale

#include "include/convert_aarch64.h"

    divisor     .req v16
    least       .req v17
    most        .req v18
    scale       .req v19
    count       .req v20

.macro finished a
    scvtf       \a\().4s, \a\().4s
    fmul        \a\().4s, \a\().4s, scale.4s
    fdiv        \a\().4s, \a\().4s, count.4s    // a share
    quotients_4 \a
.endm

    .text
    .p2align 4
    .global qs8_avgpool_quotient_8x__aarch64_neon_row_by_row
qs8_avgpool_quotient_8x__aarch64_neon_row_by_row:
    // ---- Fetch the parameters.
    ld1r        {divisor.4s}, [x7], #4          // v16: scale of the result
    ld1r        {least.4s}, [x7], #4            // v17: smallest value
    ld1r        {most.4s}, [x7], #4             // v18: largest value
    ld1r        {scale.4s}, [x7]                // the scale
    add         x7, x7, #8                      // behind the second scale
    ld1r        {count.4s}, [x7]                // v20: how many rows

    // ---- For each pixel: eight channels at a time.
0:
    mov         x8, #0                          // x8: offset into every row
    subs        x9, x2, #8                      // x9: channels left, less 8
    b.lo        3f
1:
    mov         x10, x3                         // x10: the pixel's pointers
    mov         x11, x1                         // x11: rows left
    movi        v2.4s, #0                       // nothing added yet
    movi        v3.4s, #0
2:
    ldr         x12, [x10], #8                  // x12: a row of the window
    subs        x11, x11, #1
    ldr         d0, [x12, x8]
    sshll       v0.8h, v0.8b, #0                // 16 bits each
    saddw       v2.4s, v2.4s, v0.4h             // sums of channels 0..3
    saddw2      v3.4s, v3.4s, v0.8h             // and of 4..7
    b.ne        2b
    finished    v2                              // means
    finished    v3
    uzp1        v2.8h, v2.8h, v3.8h             // v2: 8 of 16 bits
    xtn         v2.8b, v2.8h                    // v2: 8 bytes
    str         d2, [x4], #8
    add         x8, x8, #8
    subs        x9, x9, #8
    b.hs        1b

    // ---- The last 1..7, one by one.
3:
    adds        x9, x9, #8                      // x9: channels left
    b.eq        6f
4:
    mov         x10, x3
    mov         x11, x1
    movi        v2.4s, #0                       // nothing added yet
5:
    ldr         x12, [x10], #8                  // x12: a row of the window
    subs        x11, x11, #1
    ldrsb       w13, [x12, x8]                  // one channel of it
    fmov        s0, w13
    add         v2.4s, v2.4s, v0.4s
    b.ne        5b
    finished    v2                              // means
    str         b2, [x4], #1
    add         x8, x8, #1
    subs        x9, x9, #1
    b.ne        4b

    // ---- On to the next pixel.
6:
    add         x3, x3, x5
    add         x4, x4, x6
    subs        x0, x0, #1
    b.ne        0b
    ret
