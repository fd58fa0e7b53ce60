//! Average of up to seven rows of int8; 8 channels at a time.
//! contract: qs8_gavgpool
//! tile: 8x7
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   m           r0          rows, 1..7
//! in   n           r1          channels, at least 1
//! in   x           r2          int8 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   zero        [sp]        int8 [n], bytes 0: stands for rows that are not there
//! in   y           [sp, #4]    int8 [n]
//! in   params      [sp, #8]    neonsim_mean_params, 20 bytes
//!
//! reg  pr0..pr6    r2, r4-r9   where the rows are read next
//! reg  zero        r10         the row of zeros
//! reg  left        r12         channels left, less 8
//! reg  out         r14         the row of zeros, then where y is written next
//! reg  vrow        d0-d6       8 channels of each row
//! reg  vsum        q8-q9       int32 sums of 8 channels
//! reg  vparams     q10-q13     multiplier, both shifts, zero point of y
//! reg  vbias       q14         minus m times the zero point of x
//! reg  vs          d30         minus the bits to shift out of the last channels
//! reg  vlimits     d8-d9       largest and smallest value allowed
//!
//!   r0 + r1   r2 + r3   r4 + r5 + r6     seven bytes of one channel add up in 16 bits: 7 * 128 < 2**15;
//!       \        |        /             the sum of the seven joins the 32-bit sum, which starts from
//!        16 bits, then 32                minus m times the zero point of x

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/mean_aarch32.h"

    bias        .req q14                        // minus m times the zero point of x
    multiplier  .req q10                        // 31 bits of the scale
    preshift    .req q11                        // shift to the left
    postshift   .req q12                        // minus the shift to the right
    zeropoint   .req q13                        // zero point of y
    upper       .req d8                         // largest value allowed
    lower       .req d9                         // smallest

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_gavgpool_8x7__aarch32_neon
    .type   qs8_gavgpool_8x7__aarch32_neon, %function
qs8_gavgpool_8x7__aarch32_neon:
    // ---- Save what belongs to the caller; fetch the parameters; point at seven rows.
    push        {r4-r10, lr}
    vpush       {d8-d9}
    ldr         r12, [sp, #56]                  // r12: parameters
    load_mean   r12
    ldr         r10, [sp, #48]                  // r10: the row of zeros
    seven_pointers r0, r3, r10
    ldr         lr, [sp, #52]                   // lr: y
    subs        r12, r1, #8                     // r12: channels left, less 8
    blo         3f
2:
    add_seven_rows bias, bias, 0
    scale_products_rndnu d16                    // d16: 8 bytes
    vst1.8      {d16}, [lr]!
    subs        r12, r12, #8
    bhs         2b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
3:
    cmp         r12, #-8                        // none left?
    beq         4f
    shift_of_rest r12, d30
    add_seven_rows bias, bias, 1
    scale_products_rndnu d16
    store_rest  d16, lr, r12

    // ---- Give back what was saved.
4:
    vpop        {d8-d9}
    pop         {r4-r10, pc}
    .size   qs8_gavgpool_8x7__aarch32_neon, . - qs8_gavgpool_8x7__aarch32_neon
