//! Global average of up to 7 rows in one pass, 8 channels at a time.
//! contract: qu8_gavgpool
//! tile: 8x7
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           x0          rows, 1..7
//! in   n           x1          channels, at least 8
//! in   x           x2          uint8 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   zero        x4          n bytes of zero
//! in   y           x5          uint8 [n]
//! in   params      x6          neonsim_average_pool_params, 24 bytes
//!
//! reg  i0          x2          where row 0 is read next
//! reg  i1..i6      x9-x14      the same for rows 1 to 6
//! reg  count       x1          channels left, less 8
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   row 0  | c0 c1 ... c7 |        The rows of one block of channels are added up in 16 bits, then widened
//!   ...    |      +       |        and added to the bias (minus m times the zero point of x), then scaled.
//!   row 6  | c0 c1 ... c7 |        Rows that do not exist are a row of zeros: they add nothing.
//!          v0: 8 x uint16

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
    .global qu8_gavgpool_8x7__aarch64_neon
qu8_gavgpool_8x7__aarch64_neon:
    // ---- Fetch the parameters and point at seven rows.
    load_average x6
    seven_rows  x2, x0, x3, x4

    // ---- Eight channels at a time, as long as eight are left.
    subs        x1, x1, #8
0:
    sum_rows    x2, 0, x1
    uaddw       v16.4s, bias.4s, v0.4h          // v16, v17: sums less the zero points, as int32
    uaddw2      v17.4s, bias.4s, v0.8h
    average     v16, v17, v18, v19, v20
    str         d16, [x5], #8
    subs        x1, x1, #8
    b.hs        0b

    // ---- The last 1..7 channels once more with some before them; store only those.
    cmp         x1, #-8
    b.eq        1f
    sum_rows    x2, 1, x1
    uaddw       v16.4s, bias.4s, v0.4h
    uaddw2      v17.4s, bias.4s, v0.8h
    average     v16, v17, v18, v19, v20
    add         x5, x5, x1                      // the channels before them are written again, with the same bytes
    str         d16, [x5]
1:
    ret
