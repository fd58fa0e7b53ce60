//! Average of more than 9 gathered rows per pixel: nine, then eight at a time, sums kept in memory.
//! contract: qu8_avgpool_mp
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, at least 10
//! in   kc          r2          channels, at least 8
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        kc zero points of the input
//! in   buffer      [sp, #4]    int32 [kc rounded up to 8]
//! in   y           [sp, #8]    uint8 [n, kc]
//! in   x_increment [sp, #12]   bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #16]   bytes between two pixels of y
//! in   params      [sp, #20]   neonsim_average_pool_params, 24 bytes
//!
//! reg  count       r0          channels left, less 8; pixels left are on the stack
//! reg  rows        r1          rows left of this pixel
//! reg  table       r3          the next pass's pointers
//! reg  i0..i7      r4-r11      where the rows of this pass are read next
//! reg  i8          r12         the ninth of the first pass; in the last pass where the averages are written next
//! reg  sums        r14         where the buffer is read and written next
//! reg  vsum        q0          sums of 8 channels, as uint16
//! reg  vx          d2-d3       8 channels of one row each
//! reg  vt          q2-q3       scratch
//! reg  vt2         q6          scratch
//! reg  lower       d15         smallest value allowed
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vparams     q12-q15     bias, minus the shift, zero point; multiplier (d30), largest value (d31)
//!
//!   i0..i8          bias   -> buffer       first pass
//!   eight more      buffer -> buffer       as long as more than eight are left
//!   the rest        buffer -> y            1..8 rows; those that do not exist are the row of zero points

#include "include/average_aarch32.h"

    bias        .req q12
    rightshift  .req q13
    zeropoint   .req q14
    multiplier  .req d30
    upper       .req d31
    lower       .req d15

// Up to eight pointers from the table at r3; those that do not exist read the row of zero points, zero. Nothing behind
// the last pointer is read.
.macro pointers_up_to_8 ks, zero
    ldr         r4, [r3]
    cmp         \ks, #2
    ldrhs       r5, [r3, #4]
    movlo       r5, \zero
    ldrhi       r6, [r3, #8]
    movls       r6, \zero
    cmp         \ks, #4
    ldrhs       r7, [r3, #12]
    movlo       r7, \zero
    ldrhi       r8, [r3, #16]
    movls       r8, \zero
    cmp         \ks, #6
    ldrhs       r9, [r3, #20]
    movlo       r9, \zero
    ldrhi       r10, [r3, #24]
    movls       r10, \zero
    cmp         \ks, #8
    ldrhs       r11, [r3, #28]
    movlo       r11, \zero
.endm

// Eight channels of eight rows, added up in 16 bits: 8 * 255 fits.
.macro sum_8
    vld1.8      {d2}, [r4]!
    vld1.8      {d3}, [r5]!
    vaddl.u8    q0, d2, d3                      // q0: rows 0 and 1, as uint16
    vld1.8      {d2}, [r6]!
    vaddw.u8    q0, q0, d2
    vld1.8      {d3}, [r7]!
    vaddw.u8    q0, q0, d3
    vld1.8      {d2}, [r8]!
    vaddw.u8    q0, q0, d2
    vld1.8      {d3}, [r9]!
    vaddw.u8    q0, q0, d3
    vld1.8      {d2}, [r10]!
    vaddw.u8    q0, q0, d2
    vld1.8      {d3}, [r11]!
    vaddw.u8    q0, q0, d3
.endm

// And of nine.
.macro sum_9
    sum_8
    vld1.8      {d2}, [r12]!
    vaddw.u8    q0, q0, d2
.endm

// Back to the 8 bytes that end with each row; kc >= 8, so they lie within it.
.macro back_up_8 count
    add         r4, r4, \count
    add         r5, r5, \count
    add         r6, r6, \count
    add         r7, r7, \count
    add         r8, r8, \count
    add         r9, r9, \count
    add         r10, r10, \count
    add         r11, r11, \count
.endm

// Eight sums in q8 and q9 to eight bytes in d16.
.macro average
    scale_average q8, d16, d17, q2, q3, q6, d12, d13
    scale_average q9, d18, d19, q2, q3, q6, d12, d13
    narrow_average q8, q9, d16, d17
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_avgpool_mp_8x9__aarch32_neon
    .type   qu8_avgpool_mp_8x9__aarch32_neon, %function
qu8_avgpool_mp_8x9__aarch32_neon:
    // ---- Save what belongs to the caller and what each pixel needs again: 48 + 32 bytes.
    push        {r0, r1, r3-r11, lr}            // pixels left at sp + 32, ks at sp + 36, its pointers at sp + 40
    vpush       {d12-d15}
    ldr         r12, [sp, #100]                 // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29

    // ---- First pass of a pixel: nine rows and the bias, to the buffer.
0:
    ldr         lr, [sp, #84]                   // lr: buffer
    ldm         r3!, {r4-r12}
    sub         r1, r1, #9
    subs        r0, r2, #8                      // r0: all channels, less 8
1:
    sum_9
    vaddw.u16   q8, bias, d0
    vaddw.u16   q9, bias, d1
    vst1.32     {d16-d19}, [lr]!                // sums back to the buffer
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         1b
    cmp         r0, #-8                         // none left?
    beq         2f
    back_up_8   r0                              // the last eight channels have eight sums of their own in the buffer
    add         r12, r12, r0
    sum_9
    vaddw.u16   q8, bias, d0
    vaddw.u16   q9, bias, d1
    vst1.32     {d16-d19}, [lr]                 // sums back to the buffer

    // ---- Middle passes: eight more rows each, from the buffer to the buffer.
2:
    ldr         lr, [sp, #84]
    cmp         r1, #8
    bls         4f
    ldm         r3!, {r4-r11}
    sub         r1, r1, #8
    subs        r0, r2, #8                      // r0: all channels, less 8
3:
    sum_8
    vld1.32     {d16-d19}, [lr]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    vst1.32     {d16-d19}, [lr]!                // sums back to the buffer
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         3b
    cmp         r0, #-8                         // none left?
    beq         2b
    back_up_8   r0
    sum_8
    vld1.32     {d16-d19}, [lr]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    vst1.32     {d16-d19}, [lr]                 // sums back to the buffer
    b           2b

    // ---- Last pass: the rows that are left, scaled and stored.
4:
    ldr         r12, [sp, #80]                  // r12: row of zero points
    pointers_up_to_8 r1, r12
    ldr         r12, [sp, #88]                  // r12: y
    subs        r0, r2, #8                      // r0: all channels, less 8
5:
    sum_8
    vld1.32     {d16-d19}, [lr]!
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    average
    vst1.8      {d16}, [r12]!
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         5b
    cmp         r0, #-8                         // none left?
    beq         6f
    back_up_8   r0
    sum_8
    vld1.32     {d16-d19}, [lr]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    average
    add         r12, r12, r0                    // the channels before them are written again, with the same bytes
    vst1.8      {d16}, [r12]!

    // ---- On to the next pixel.
6:
    ldr         r4, [sp, #96]                   // r4: y_increment
    add         r12, r12, r4
    str         r12, [sp, #88]
    ldr         r3, [sp, #40]
    ldr         r4, [sp, #92]                   // r4: x_increment
    add         r3, r3, r4
    str         r3, [sp, #40]
    ldr         r1, [sp, #36]                   // r1: ks
    ldr         r4, [sp, #32]                   // r4: pixels left
    subs        r4, r4, #1
    str         r4, [sp, #32]
    bne         0b

    // ---- Give back what was saved.
    vpop        {d12-d15}
    pop         {r0, r1, r3-r11, pc}
    .size   qu8_avgpool_mp_8x9__aarch32_neon, . - qu8_avgpool_mp_8x9__aarch32_neon
