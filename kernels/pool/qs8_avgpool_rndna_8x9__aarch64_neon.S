//! Average of up to 9 gathered rows of int8 per pixel in one pass, 8 channels at a time; ties away from zero.
//! contract: qs8_avgpool_rndna
//! tile: 8x9
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           x0          output pixels, at least 1
//! in   ks          x1          rows of each, 1..9
//! in   kc          x2          channels, at least 1
//! in   input       x3          pointers: ks rows of channels for each pixel
//! in   zero        x4          int8 [kc], zero points of the input
//! in   y           x5          int8 [n, kc]
//! in   x_increment x6          bytes from one pixel's pointers to the next pixel's
//! in   y_increment x7          bytes between two pixels of y
//! in   params      [sp]        neonsim_avgpool_params, 24 bytes
//!
//! reg  i0..i8      x8-x16      where the nine rows of this pixel are read next
//! reg  count       x17         channels left, less 8
//! reg  vrow        v0-v7       8 channels of each row, the ninth in v16
//! reg  vsum        v16-v17     int32 sums of 8 channels
//! reg  vscratch    v18-v19, v27 products of 64 bits, signs
//! reg  vparams     v20-v25     minus nine zero points of the input; multiplier, minus the shift, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last channels
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch64.h"
#include "include/int8_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/mean_aarch64.h"
#include "include/average_aarch64.h"

    bias        .req v20                        // minus so many zero points of the input
    multiplier  .req v21                        // 24 bits of the scale
    rightshift  .req v22                        // minus the shift to the right, of 64 bits
    zeropoint   .req v23                        // zero point of y
    upper       .req v24                        // largest value allowed
    lower       .req v25                        // smallest

    .text
    .p2align 4
    .global qs8_avgpool_rndna_8x9__aarch64_neon
qs8_avgpool_rndna_8x9__aarch64_neon:
    // ---- Fetch the parameters.
    ldr         x8, [sp]
    load_average x8

    // ---- For each pixel: fetch its pointers.
0:
    pointers_up_to_9 x3, x1, x4
    subs        x17, x2, #8                     // x17: all channels, less 8
    b.lo        2f

    // ---- Eight channels at a time, as long as eight are left.
1:
    add_nine_rows bias, 0
    finish_away_8                               // v16: 8 bytes
    str         d16, [x5], #8
    subs        x17, x17, #8
    b.hs        1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x17, #-8                        // none left?
    b.eq        3f
    shift_of_rest x17
    add_nine_rows bias, 1
    finish_away_8
    store_rest  16, x5, x17

    // ---- On to the next pixel.
3:
    add         x3, x3, x6
    add         x5, x5, x7
    subs        x0, x0, #1                      // one less to go
    b.ne        0b
    ret
