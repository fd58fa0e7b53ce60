//! Largest of any number of gathered rows per pixel: nine, then eight at a time, 16 channels each.
//! contract: s8_maxpool
//! tile: 16x9
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 1
//! in   kc          r2          channels, at least 16
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   y           [sp]        int8 [n, kc]
//! in   x_increment [sp, #4]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #8]    bytes between two pixels of y
//! in   params      [sp, #12]   neonsim_clamp_params, 4 bytes
//!
//! reg  count       r0          channels left, less 16; pixels left are on the stack
//! reg  rows        r1          rows left of this pixel
//! reg  table       r3          the next pass's pointers
//! reg  i0..i8      r4-r12      where the rows of this pass are read next
//! reg  out         r14         where the maxima are written next
//! reg  vx          q0-q3       16 channels of some rows each, then the largest of them
//! reg  vlimits     q14-q15     largest and smallest value allowed
//!
//!   i0..i8      -> y           first pass; pointers that do not exist repeat the first one
//!   y, i0..i7   -> y           as long as rows are left: y itself holds the largest so far
//!   Clamping twice is clamping once, and so is taking the last 16 channels once more with some before them.

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
    .global s8_maxpool_16x9__aarch32_neon
    .type   s8_maxpool_16x9__aarch32_neon, %function
s8_maxpool_16x9__aarch32_neon:
    // ---- Save what belongs to the caller and what each pixel needs again: 48 bytes.
    push        {r0, r1, r3-r11, lr}            // pixels left at sp, ks at sp + 4, its pointers at sp + 8
    ldr         r12, [sp, #60]                  // r12: parameters
    vld1.8      {d28[], d29[]}, [r12]!          // q14: largest value allowed
    vld1.8      {d30[], d31[]}, [r12]           // q15: smallest

    // ---- First pass of a pixel: up to nine rows.
0:
    pointers_up_to_9 r1
    add         r3, r3, #36
    subs        r1, r1, #9                      // r1: rows left; none if this borrows
    movlo       r1, #0
    ldr         lr, [sp, #48]                   // lr: y
    subs        r0, r2, #16                     // r0: all channels, less 16
1:
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         1b
    cmp         r0, #-16                        // none left?
    beq         2f
    back_up_8   r0                              // to the last channels of each row
    add         r12, r12, r0
    add         lr, lr, r0
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes

    // ---- Further passes: up to eight rows and what y holds.
2:
    cmp         r1, #0
    beq         4f
    pointers_up_to_8 r1
    add         r3, r3, #32
    subs        r1, r1, #8
    movlo       r1, #0
    ldr         lr, [sp, #48]
    subs        r0, r2, #16                     // r0: all channels, less 16
3:
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         3b
    cmp         r0, #-16                        // none left?
    beq         2b
    back_up_8   r0                              // to the last channels of each row
    add         lr, lr, r0
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    b           2b

    // ---- On to the next pixel.
4:
    ldr         r4, [sp, #56]                   // r4: y_increment
    add         lr, lr, r4
    str         lr, [sp, #48]
    ldr         r3, [sp, #8]
    ldr         r4, [sp, #52]                   // r4: x_increment
    add         r3, r3, r4
    str         r3, [sp, #8]
    ldr         r1, [sp, #4]                    // r1: ks
    ldr         r4, [sp]                        // r4: pixels left
    subs        r4, r4, #1
    str         r4, [sp]
    bne         0b

    // ---- Give back what was saved.
    pop         {r0, r1, r3-r11, pc}
    .size   s8_maxpool_16x9__aarch32_neon, . - s8_maxpool_16x9__aarch32_neon
