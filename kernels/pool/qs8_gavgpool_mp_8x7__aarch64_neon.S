//! Average of all rows of int8, seven at a time, sums kept in memory; 8 channels at a time.
//! contract: qs8_gavgpool_mp
//! tile: 8x7
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   m           x0          rows, more than 7
//! in   n           x1          channels, at least 1
//! in   x           x2          int8 [m, n]
//! in   x_stride    x3          bytes from one row of x to the next
//! in   zero        x4          int8 [n], bytes 0: stands for rows that are not there
//! in   buffer      x5          int32 [n], n rounded up to 8: sums between two passes
//! in   y           x6          int8 [n]
//! in   params      x7          neonsim_mean_params, 20 bytes
//!
//! reg  pr0..pr6    x2, x8-x13  seven rows
//! reg  done        x14         channels done: offset into every row
//! reg  left        x15         channels left, less 8
//! reg  pb          x16         where sums are read and written next
//! reg  vrow        v0-v6       8 channels of each row
//! reg  vsum        v16-v17     int32 sums of 8 channels
//! reg  vbuf        v18-v19     sums of the passes before
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

// One pass over all channels: seven rows onto the bias (first), or onto the buffer.
.macro one_pass first
    mov         x16, x5
    mov         x14, #0
    subs        x15, x1, #8
    b.lo        22f
21:
    .if \first
    add_seven_rows bias, bias, 0
    .else
    ldp         q18, q19, [x16]                 // the sums so far
    add_seven_rows v18, v19, 0
    .endif
    stp         q16, q17, [x16], #32
    add         x14, x14, #8
    subs        x15, x15, #8
    b.hs        21b
22:
    cmp         x15, #-8                        // none left?
    b.eq        23f
    sub         x14, x1, #8
    shift_of_rest x15
    .if \first
    add_seven_rows bias, bias, 1
    .else
    ldp         q18, q19, [x16]
    add_seven_rows v18, v19, 1
    .endif
    stp         q16, q17, [x16]
23:
.endm

    .text
    .p2align 4
    .global qs8_gavgpool_mp_8x7__aarch64_neon
qs8_gavgpool_mp_8x7__aarch64_neon:
    // ---- Fetch the parameters; point at seven rows.
    ld1r        {bias.4s}, [x7], #4
    load_rndnu  x7
    seven_pointers x0, x3, x4

    // ---- The first seven rows: their sums and the bias go to the buffer.
    one_pass    1
    add         x2, x13, x3                     // x2: the next row
    sub         x0, x0, #7

    // ---- Seven more at a time, as long as there are more than seven.
0:
    cmp         x0, #7
    b.ls        1f
    seven_pointers x0, x3, x4
    one_pass    0
    add         x2, x13, x3
    sub         x0, x0, #7
    b           0b

    // ---- The last 1..7 rows: their sums, the buffer, and the result.
1:
    seven_pointers x0, x3, x4
    mov         x16, x5
    mov         x14, #0
    subs        x15, x1, #8                     // x15: channels left, less 8
    b.lo        3f
2:
    ldp         q18, q19, [x16], #32
    add_seven_rows v18, v19, 0
    finish_8                                    // v16: 8 bytes
    str         d16, [x6, x14]
    add         x14, x14, #8
    subs        x15, x15, #8
    b.hs        2b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
3:
    cmp         x15, #-8                        // none left?
    b.eq        4f
    sub         x14, x1, #8
    shift_of_rest x15
    ldp         q18, q19, [x16]
    add_seven_rows v18, v19, 1
    finish_8
    add         x16, x6, x14
    sub         x16, x16, x15                   // x16: where the first of them goes
    store_rest  16, x16, x15
4:
    ret
