//! Average of any number of gathered rows of fewer than 8 channels per pixel.
//! contract: qu8_avgpool
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, 1..7
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        not needed here
//! in   y           [sp, #4]    uint8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_average_pool_params, 24 bytes
//!
//! reg  table       r4          the next pointer of this pixel
//! reg  pi          r5          the row it points at
//! reg  rows        r6          rows left of this pixel
//! reg  back        r7          channels less 8, negative
//! reg  out         r8          where the averages are written next
//! reg  steps       r9-r10      bytes to the next pixel's pointers, bytes between two pixels of y
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
//!   kc = 3     ... . . . . . | a0 a1 a2 |     8 bytes that end with the row: 8 - kc of them lie before it
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
    .global qu8_avgpool_8x__aarch32_neon_few_channels
    .type   qu8_avgpool_8x__aarch32_neon_few_channels, %function
qu8_avgpool_8x__aarch32_neon_few_channels:
    // ---- Save what belongs to the caller: 32 + 32 bytes, so stack arguments now start at sp + 64.
    push        {r4-r11}
    vpush       {d12-d15}
    ldr         r12, [sp, #80]                  // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29
    ldr         r8, [sp, #68]                   // r8: y
    ldr         r9, [sp, #72]                   // r9: x_increment
    ldr         r10, [sp, #76]                  // r10: y_increment
    sub         r7, r2, #8                      // r7: channels less 8
    vdup.32     d14, r7
    vshl.i32    d14, d14, #3                    // d14: minus the bits to shift out

    // ---- For each pixel: start from the bias and add row after row in 32 bits.
0:
    mov         r4, r3
    mov         r6, r1
    vmov        q8, bias
    vmov        q9, bias
1:
    ldr         r5, [r4], #4
    add         r5, r5, r7
    vld1.8      {d2}, [r5]                      // the 8 bytes that end with the row
    vshl.u64    d2, d2, d14
    vmovl.u8    q0, d2
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    subs        r6, r6, #1
    bne         1b

    // ---- Scale, store 4, 2, 1 channels, and on to the next pixel.
    scale_average q8, d16, d17, q2, q3, q6, d12, d13
    scale_average q9, d18, d19, q2, q3, q6, d12, d13
    narrow_average q8, q9, d16, d17
    store_some  r8, d16, r2
    add         r3, r3, r9
    add         r8, r8, r10
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    vpop        {d12-d15}
    pop         {r4-r11}
    bx          lr
    .size   qu8_avgpool_8x__aarch32_neon_few_channels, . - qu8_avgpool_8x__aarch32_neon_few_channels
