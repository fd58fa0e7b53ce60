//! Largest of any number of gathered rows of fewer than 16 channels per pixel.
//! contract: s8_maxpool
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, 1..15
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        int8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_clamp_params, 4 bytes
//!
//! reg  table       r4          the next pointer of this pixel
//! reg  pi          r5          behind the part of the row that is not yet read
//! reg  rows        r6          rows left of this pixel
//! reg  out         r7          where the maxima are written next
//! reg  steps       r8-r9       bytes to the next pixel's pointers, bytes between two pixels of y
//! reg  t           r12         scratch
//! reg  vx          q0          channels of one row
//! reg  vmax        q1          the largest so far
//! reg  vlimits     q14-q15     largest and smallest value allowed
//!
//!   kc = 13 = 8 + 4 + 1: a row is read from its end, and nothing outside of it
//!       d0[0]  <- last byte    | c12                     |
//!       d0[0]  <- 4 before it  | c8 .. c11, c12          |     VEXT moves up what is there already
//!       d0     <- the first 8  | c0 .. c7, c8 .. c11, c12|

#include "include/int8_aarch32.h"
#include "include/maxpool_aarch32.h"

    upper       .req q14
    lower       .req q15

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global s8_maxpool_16x__aarch32_neon_few_channels
    .type   s8_maxpool_16x__aarch32_neon_few_channels, %function
s8_maxpool_16x__aarch32_neon_few_channels:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32.
    push        {r4-r11}
    ldr         r12, [sp, #44]                  // r12: parameters
    vld1.8      {d28[], d29[]}, [r12]!          // q14: largest value allowed
    vld1.8      {d30[], d31[]}, [r12]           // q15: smallest
    ldr         r7, [sp, #32]                   // r7: y
    ldr         r8, [sp, #36]                   // r8: x_increment
    ldr         r9, [sp, #40]                   // r9: y_increment
    vmov.i8     q0, #0                          // lanes that are never loaded must not be undefined

    // ---- For each pixel: the largest of row after row.
0:
    mov         r4, r3
    mov         r6, r1
    vmov        q1, lower                       // q1: largest so far; no result is smaller
1:
    ldr         r5, [r4], #4
    add         r5, r5, r2                      // r5: end of the row
    load_row    r5
    larger      q1, q1, q0
    subs        r6, r6, #1
    bne         1b
    smaller     q1, q1, upper

    // ---- Store 8, 4, 2, 1 channels.
    tst         r2, #8
    beq         2f
    vst1.8      {d2}, [r7]!
    vext.8      q1, q1, q1, #8                  // the next ones first
2:
    tst         r2, #4
    beq         3f
    vst1.32     {d2[0]}, [r7]!
    vext.8      q1, q1, q1, #4
3:
    tst         r2, #2
    beq         4f
    vst1.16     {d2[0]}, [r7]!
    vext.8      q1, q1, q1, #2
4:
    tst         r2, #1
    beq         5f
    vst1.8      {d2[0]}, [r7]!

    // ---- On to the next pixel.
5:
    add         r3, r3, r8
    add         r7, r7, r9
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r11}
    bx          lr
    .size   s8_maxpool_16x__aarch32_neon_few_channels, . - s8_maxpool_16x__aarch32_neon_few_channels
