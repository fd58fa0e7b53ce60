//! Average of up to 9 gathered rows per pixel in one pass, 8 channels at a time.
//! contract: qu8_avgpool
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, 1..9
//! in   kc          x2          channels, at least 8
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          kc zero points of the input
//! in   y           x5          uint8 [n, kc]
//! in   x_increment x6          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x7          bytes between two pixels of y
//! in   params      [sp]        neonsim_average_pool_params, 24 bytes
//!
//! reg  i0..i8      x8-x16      where the nine rows of this pixel are read next
//! reg  count       x17         channels left, less 8
//! reg  vsum        v0          sums of 8 channels, as uint16
//! reg  vx          v1-v2       8 channels of one row each
//! reg  vacc        v16-v17     int32 sums of 8 channels
//! reg  vt          v18-v20     scratch
//! reg  vparams     v24-v29     bias, multiplier, minus the shift, zero point, largest and smallest value
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch64.h"
#include "include/average_aarch64.h"

    bias        .req v24
    multiplier  .req v25
    rightshift  .req v26
    zeropoint   .req v27
    upper       .req v28
    lower       .req v29

// Eight channels of 8 rows, added up in 16 bits: 8 * 255 fits.
.macro sum_8
    ld1         {v1.8b}, [x8], #8
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
    uaddw       v0.8h, v0.8h, v1.8b
    ld1         {v2.8b}, [x15], #8
    uaddw       v0.8h, v0.8h, v2.8b
.endm

// And of nine.
.macro sum_9
    sum_8
    ld1         {v1.8b}, [x16], #8
    uaddw       v0.8h, v0.8h, v1.8b
.endm

// Back to the 8 bytes that end with each row; kc >= 8, so they lie within it.
.macro back_up count
    add         x8, x8, \count
    add         x9, x9, \count
    add         x10, x10, \count
    add         x11, x11, \count
    add         x12, x12, \count
    add         x13, x13, \count
    add         x14, x14, \count
    add         x15, x15, \count
    add         x16, x16, \count
.endm

    .text
    .p2align 4
    .global qu8_avgpool_8x9__aarch64_neon
qu8_avgpool_8x9__aarch64_neon:
    // ---- Fetch the parameters.
    ldr         x8, [sp]
    load_average x8

    // ---- For each pixel: fetch its pointers.
0:
    pointers_up_to_9 x3, x1, x4
    subs        x17, x2, #8                     // x17: all channels, less 8

    // ---- Eight channels at a time, as long as eight are left.
1:
    sum_9
    uaddw       v16.4s, bias.4s, v0.4h          // v16, v17: sums less the zero points, as int32
    uaddw2      v17.4s, bias.4s, v0.8h          // v17: channels 4..7
    average     v16, v17, v18, v19, v20         // v16: 8 averages
    str         d16, [x5], #8                   // 8 bytes
    subs        x17, x17, #8                    // x17: channels left, less 8
    b.hs        1b

    // ---- The last 1..7 channels once more with some before them, which are written again, with the same bytes.
    cmp         x17, #-8                        // none left?
    b.eq        2f
    back_up     x17
    sum_9
    uaddw       v16.4s, bias.4s, v0.4h          // v16: plus channels 0..3 of these rows
    uaddw2      v17.4s, bias.4s, v0.8h          // v17: channels 4..7
    average     v16, v17, v18, v19, v20         // v16: 8 averages
    add         x5, x5, x17
    str         d16, [x5], #8                   // 8 bytes

    // ---- On to the next pixel.
2:
    add         x3, x3, x6
    add         x5, x5, x7
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
