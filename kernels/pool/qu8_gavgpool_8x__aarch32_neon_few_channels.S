//! Global average of any number of rows of fewer than 8 channels.
//! contract: qu8_gavgpool
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   m           r0          rows, at least 1
//! in   n           r1          channels, 1..7
//! in   x           r2          uint8 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   zero        [sp]        not needed here
//! in   y           [sp, #4]    uint8 [n]
//! in   params      [sp, #8]    neonsim_average_pool_params, 24 bytes
//!
//! reg  pi          r2          the 8 bytes that end with the next row
//! reg  rows        r0          rows left
//! reg  t           r12         scratch
//! reg  vsum        q0          sums of 8 channels, as uint16
//! reg  vx          d2-d3       8 channels of one row each
//! reg  vt          q2-q3       scratch
//! reg  vt2         q6          scratch
//! reg  vs          d14         minus the bits to shift out of the last channels
//! reg  lower       d15         smallest value allowed
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vparams     q12-q15     bias, minus the shift, zero point; multiplier (d30), largest value (d31)
//!
//!   n = 3      ... . . . . . | a0 a1 a2 |     8 bytes that end with the row: 8 - n of them lie before it
//!   VSHL.U64   | a0 a1 a2 0 0 0 0 0 |         and are shifted out

#include "include/average_aarch32.h"

    bias        .req q12
    rightshift  .req q13
    zeropoint   .req q14
    multiplier  .req d30
    upper       .req d31
    lower       .req d15

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gavgpool_8x__aarch32_neon_few_channels
    .type   qu8_gavgpool_8x__aarch32_neon_few_channels, %function
qu8_gavgpool_8x__aarch32_neon_few_channels:
    // ---- Save what belongs to the caller and start from the bias: stack arguments now start at sp + 32.
    vpush       {d12-d15}
    ldr         r12, [sp, #40]                  // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29
    sub         r12, r1, #8                     // r12: channels less 8, negative
    add         r2, r2, r12                     // r2: 8 bytes that end with row 0
    vdup.32     d14, r12
    vshl.i32    d14, d14, #3                    // d14: minus the bits to shift out
    vmov        q8, bias                        // q8, q9: sums
    vmov        q9, bias

    // ---- Add row after row in 32 bits: there may be more of them than 16 bits hold.
0:
    vld1.8      {d2}, [r2], r3
    vshl.u64    d2, d2, d14
    vmovl.u8    q0, d2
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    subs        r0, r0, #1
    bne         0b

    // ---- Scale and store 4, 2, 1 channels.
    scale_average q8, d16, d17, q2, q3, q6, d12, d13
    scale_average q9, d18, d19, q2, q3, q6, d12, d13
    narrow_average q8, q9, d16, d17
    ldr         r12, [sp, #36]                  // r12: y
    store_some  r12, d16, r1

    // ---- Give back what was saved.
    vpop        {d12-d15}
    bx          lr
    .size   qu8_gavgpool_8x__aarch32_neon_few_channels, . - qu8_gavgpool_8x__aarch32_neon_few_channels
