//! Average of any number of gathered rows of int8 per pixel, row after row, 8 channels at a time; ties away from zero.
//! contract: qs8_avgpool_rndna
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 1
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        int8 [kc], not read: every row is there
//! in   y           [sp, #4]    int8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_avgpool_params, 24 bytes
//!
//! reg  table       r4          the next pointer of this pixel
//! reg  pi          r5          the row it leads to
//! reg  rows        r6          rows left for these channels
//! reg  done        r7          channels done: offset into every row
//! reg  out         r8          where the averages are written next
//! reg  steps       r9-r10      bytes to the next pixel's pointers, bytes between two pixels of y
//! reg  count       r12         channels left, less 8
//! reg  vrow        q0-q2       8 channels of a row; then products of 64 bits
//! reg  vsum        q8-q9       int32 sums of 8 channels
//! reg  vparams     q11, q13    minus the shift, zero point of y; d20: multiplier
//! reg  vbias       q14         minus ks zero points of the input
//! reg  vs          d30         minus the bits to shift out of the last channels
//! reg  vlimits     d8-d9       largest and smallest value allowed
//!
//!               channels 0..7   8..15   ...     the pointers of a pixel are read once for every eight channels,
//!   row 0            |            |             so that the sums of a window of any size stay in two registers
//!   row 1            |            |
//!   ...              v            v

#include "include/int8_aarch32.h"
#include "include/elementwise_aarch32.h"
#include "include/mean_aarch32.h"
#include "include/average_aarch32.h"

    bias        .req q14                        // minus so many zero points of the input
    multiplier  .req d20                        // 24 bits of the scale
    rightshift  .req q11                        // minus the shift to the right, of 64 bits
    zeropoint   .req q13                        // zero point of y
    upper       .req d8                         // largest value allowed
    lower       .req d9                         // smallest

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qs8_avgpool_rndna_8x__aarch32_neon_row_by_row
    .type   qs8_avgpool_rndna_8x__aarch32_neon_row_by_row, %function
qs8_avgpool_rndna_8x__aarch32_neon_row_by_row:
    // ---- Save what belongs to the caller: 32 + 16 bytes, so stack arguments now start at sp + 48.
    push        {r4-r10, lr}
    vpush       {d8-d9}
    ldr         r12, [sp, #64]                  // r12: parameters
    load_average r12, d28, d29, d22, d23, d26, d27
    ldr         r8, [sp, #52]                   // r8: y
    ldr         r9, [sp, #56]                   // r9: x_increment
    ldr         r10, [sp, #60]                  // r10: y_increment

    // ---- For each pixel, eight channels at a time: all rows.
0:
    mov         r7, #0
    subs        r12, r2, #8                     // r12: all channels, less 8
    blo         2f
1:
    mov         r4, r3
    mov         r6, r1
    vmov        q8, bias
    vmov        q9, bias
    add_row_by_row r4, r6, r7, r5, 0
    finish_away_8                               // d16: 8 bytes
    vst1.8      {d16}, [r8]!
    add         r7, r7, #8
    subs        r12, r12, #8
    bhs         1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r12, #-8                        // none left?
    beq         3f
    sub         r7, r2, #8
    shift_of_rest r12, d30
    mov         r4, r3
    mov         r6, r1
    vmov        q8, bias
    vmov        q9, bias
    add_row_by_row r4, r6, r7, r5, 1
    finish_away_8
    store_rest  d16, r8, r12

    // ---- On to the next pixel.
3:
    add         r3, r3, r9
    add         r8, r8, r10
    subs        r0, r0, #1                      // one less to go
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d9}
    pop         {r4-r10, pc}
    .size   qs8_avgpool_rndna_8x__aarch32_neon_row_by_row, . - qs8_avgpool_rndna_8x__aarch32_neon_row_by_row
