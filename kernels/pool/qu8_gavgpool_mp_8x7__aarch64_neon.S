//! Global average of more than 7 rows, seven at a time with the sums kept in memory.
//! contract: qu8_gavgpool_mp
//! tile: 8x7
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           x0          rows, at least 8
//! in   n           x1          channels, at least 8
//! in   x           x2          uint8 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   zero        x4          n bytes of zero
//! in   buffer      x5          int32 [n rounded up to 8]
//! in   y           x6          uint8 [n]
//! in   params      x7          neonsim_average_pool_params, 24 bytes
//!
//! reg  i0          x8          where the first row of this pass is read next
//! reg  i1..i6      x9-x14      the same for the other six
//! reg  count       x15         channels left, less 8
//! reg  sums        x16         where the buffer is read and written next
//! reg  seven       x17         bytes from one pass's first row to the next's
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   rows 0..6     bias   -> buffer         first pass
//!   rows 7..13    buffer -> buffer         as long as more than seven rows are left
//!   the rest      buffer -> y              1..7 rows; those that do not exist are a row of zeros

#include "include/average_aarch64.h"

    bias        .req v24
    multiplier  .req v25
    rightshift  .req v26
    zeropoint   .req v27
    upper       .req v28
    lower       .req v29

// Seven rows from the one at i0 on; those that do not exist read the row of zeros.
.macro seven_rows i0, m, stride, zero
    cmp         \m, #2
    add         x9, \i0, \stride
    csel        x9, \zero, x9, lo               // m < 2
    add         x10, x9, \stride
    csel        x10, \zero, x10, ls             // m <= 2
    cmp         \m, #4
    add         x11, x10, \stride
    csel        x11, \zero, x11, lo             // m < 4
    add         x12, x11, \stride
    csel        x12, \zero, x12, ls             // m <= 4
    cmp         \m, #6
    add         x13, x12, \stride
    csel        x13, \zero, x13, lo             // m < 6
    add         x14, x13, \stride
    csel        x14, \zero, x14, ls             // m <= 6
.endm

// Eight channels of seven rows, added up in 16 bits: 7 * 255 fits. last: the 8 bytes that end with the row,
// count bytes back; n >= 8, so they lie within it.
.macro sum_rows i0, last, count
    .if \last
    add         \i0, \i0, \count
    add         x9, x9, \count
    add         x10, x10, \count
    add         x11, x11, \count
    add         x12, x12, \count
    add         x13, x13, \count
    add         x14, x14, \count
    .endif
    ld1         {v1.8b}, [\i0], #8
    ld1         {v2.8b}, [x9], #8
    uaddl       v0.8h, v1.8b, v2.8b             // v0: rows 0 and 1, as uint16
    ld1         {v1.8b}, [x10], #8
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x11], #8
    uaddw       v0.8h, v0.8h, v2.8b
    ld1         {v1.8b}, [x12], #8
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x13], #8
    uaddw       v0.8h, v0.8h, v2.8b
    ld1         {v1.8b}, [x14], #8
    uaddw       v0.8h, v0.8h, v1.8b             // v0: all seven
.endm

    .text
    .p2align 4
    .global qu8_gavgpool_mp_8x7__aarch64_neon
qu8_gavgpool_mp_8x7__aarch64_neon:
    // ---- First pass: seven rows and the bias, to the buffer.
    load_average x7
    mov         x8, x2
    seven_rows  x8, x0, x3, x4
    lsl         x17, x3, #3
    sub         x17, x17, x3                    // x17: seven rows
    mov         x16, x5
    subs        x15, x1, #8                     // x15: all channels, less 8
0:
    sum_rows    x8, 0, x15
    uaddw       v16.4s, bias.4s, v0.4h
    uaddw2      v17.4s, bias.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x16], #32
    subs        x15, x15, #8                    // x15: channels left, less 8
    b.hs        0b
    cmp         x15, #-8                        // none left?
    b.eq        1f
    sum_rows    x8, 1, x15                      // the last eight channels have eight sums of their own in the buffer
    uaddw       v16.4s, bias.4s, v0.4h
    uaddw2      v17.4s, bias.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x16]

    // ---- Middle passes: seven more rows each, from the buffer to the buffer.
1:
    add         x2, x2, x17
    sub         x0, x0, #7                      // x0: rows left
    cmp         x0, #7
    b.ls        3f
    mov         x8, x2
    seven_rows  x8, x0, x3, x4
    mov         x16, x5
    subs        x15, x1, #8                     // x15: all channels, less 8
2:
    sum_rows    x8, 0, x15
    ld1         {v16.4s, v17.4s}, [x16]
    uaddw       v16.4s, v16.4s, v0.4h
    uaddw2      v17.4s, v17.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x16], #32
    subs        x15, x15, #8                    // x15: channels left, less 8
    b.hs        2b
    cmp         x15, #-8                        // none left?
    b.eq        1b
    sum_rows    x8, 1, x15
    ld1         {v16.4s, v17.4s}, [x16]
    uaddw       v16.4s, v16.4s, v0.4h
    uaddw2      v17.4s, v17.4s, v0.8h
    st1         {v16.4s, v17.4s}, [x16]
    b           1b

    // ---- Last pass: the rows that are left, scaled and stored.
3:
    mov         x8, x2
    seven_rows  x8, x0, x3, x4
    mov         x16, x5
    subs        x15, x1, #8                     // x15: all channels, less 8
4:
    sum_rows    x8, 0, x15
    ld1         {v16.4s, v17.4s}, [x16], #32
    uaddw       v16.4s, v16.4s, v0.4h
    uaddw2      v17.4s, v17.4s, v0.8h
    average     v16, v17, v18, v19, v20
    str         d16, [x6], #8
    subs        x15, x15, #8                    // x15: channels left, less 8
    b.hs        4b
    cmp         x15, #-8                        // none left?
    b.eq        5f
    sum_rows    x8, 1, x15
    ld1         {v16.4s, v17.4s}, [x16]
    uaddw       v16.4s, v16.4s, v0.4h
    uaddw2      v17.4s, v17.4s, v0.8h
    average     v16, v17, v18, v19, v20
    add         x6, x6, x15                     // the channels before them are written again, with the same bytes
    str         d16, [x6]
5:
    ret
