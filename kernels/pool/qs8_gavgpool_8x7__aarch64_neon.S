//! Average of up to seven rows of int8; 8 channels at a time.
//! contract: qs8_gavgpool
//! tile: 8x7
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   m           x0          rows, 1..7
//! in   n           x1          channels, at least 1
//! in   x           x2          int8 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   zero        x4          int8 [n], bytes 0: stands for rows that are not there
//! in   y           x5          int8 [n]
//! in   params      x6          neonsim_mean_params, 20 bytes
//!
//! reg  pr0..pr6    x2, x8-x13  seven rows
//! reg  done        x14         channels done: offset into every row
//! reg  left        x15         channels left, less 8
//! reg  pt          x16         scratch
//! reg  vrow        v0-v6       8 channels of each row
//! reg  vsum        v16-v17     int32 sums of 8 channels
//! reg  vparams     v20-v26     minus m times the zero point of x; multiplier, both shifts, zero point of y, limits
//! reg  vs          v31         minus the bits to shift out of the last channels
//!
//!   r0 + r1   r2 + r3   r4 + r5 + r6     seven bytes of one channel add up in 16 bits: 7 * 128 < 2**15;
//!       \        |        /             the sum of the seven joins the 32-bit sum, which starts from
//!        16 bits, then 32                minus m times the zero point of x

#include "include/int8_aarch64.h"
#include "include/rndnu_aarch64.h"
#include "include/elementwise_aarch64.h"
#include "include/mean_aarch64.h"

    bias        .req v20                        // minus m times the zero point of x
    multiplier  .req v21                        // 31 bits of the scale
    preshift    .req v22                        // shift to the left
    postshift   .req v23                        // minus the shift to the right
    zeropoint   .req v24                        // zero point of y
    upper       .req v25                        // largest value allowed
    lower       .req v26                        // smallest

    .text
    .p2align 4
    .global qs8_gavgpool_8x7__aarch64_neon
qs8_gavgpool_8x7__aarch64_neon:
    // ---- Fetch the parameters; point at seven rows.
    ld1r        {bias.4s}, [x6], #4
    load_rndnu  x6
    seven_pointers x0, x3, x4
    mov         x14, #0
    subs        x15, x1, #8                     // x15: channels left, less 8
    b.lo        3f
2:
    add_seven_rows bias, bias, 0
    finish_8                                    // v16: 8 bytes
    str         d16, [x5, x14]
    add         x14, x14, #8
    subs        x15, x15, #8
    b.hs        2b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
3:
    cmp         x15, #-8                        // none left?
    b.eq        4f
    sub         x14, x1, #8
    shift_of_rest x15
    add_seven_rows bias, bias, 1
    finish_8
    add         x16, x5, x14
    sub         x16, x16, x15                   // x16: where the first of them goes
    store_rest  16, x16, x15
4:
    ret
