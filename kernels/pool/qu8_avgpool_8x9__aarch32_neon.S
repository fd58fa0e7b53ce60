//! Average of up to 9 gathered rows per pixel in one pass, 8 channels at a time.
//! contract: qu8_avgpool
//! tile: 8x9
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          output pixels, at least 1
//! in   ks          r1          rows of each, 1..9
//! in   kc          r2          channels, at least 8
//! in   input       r3          pointers: ks rows of channels for each pixel
//! in   zero        [sp]        kc zero points of the input
//! in   y           [sp, #4]    uint8 [n, kc]
//! in   x_increment [sp, #8]    bytes from one pixel's pointers to the next pixel's
//! in   y_increment [sp, #12]   bytes between two pixels of y
//! in   params      [sp, #16]   neonsim_average_pool_params, 24 bytes
//!
//! reg  count       r0          channels left, less 8; pixels left are on the stack
//! reg  i0..i8      r4-r12      where the nine rows of this pixel are read next
//! reg  out         r14         where the averages are written next
//! reg  vsum        q0          sums of 8 channels, as uint16
//! reg  vx          d2-d3       8 channels of one row each
//! reg  vt          q2-q3       scratch
//! reg  vt2         q6          scratch
//! reg  lower       d15         smallest value allowed
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vparams     q12-q15     bias, minus the shift, zero point; multiplier (d30), largest value (d31)
//!
//!   input  | i0 | i1 | ... | i(ks-1) |     one pixel: ks pointers; the rest of the nine is the row of zero points,
//!                                          and the bias takes away nine zero points, whatever ks is

#include "include/windows_aarch32.h"
#include "include/average_aarch32.h"

    bias        .req q12
    rightshift  .req q13
    zeropoint   .req q14
    multiplier  .req d30
    upper       .req d31
    lower       .req d15

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
.macro back_up_9 count
    add         r4, r4, \count
    add         r5, r5, \count
    add         r6, r6, \count
    add         r7, r7, \count
    add         r8, r8, \count
    add         r9, r9, \count
    add         r10, r10, \count
    add         r11, r11, \count
    add         r12, r12, \count
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
    .global qu8_avgpool_8x9__aarch32_neon
    .type   qu8_avgpool_8x9__aarch32_neon, %function
qu8_avgpool_8x9__aarch32_neon:
    // ---- Save what belongs to the caller: 40 + 32 bytes, so stack arguments now start at sp + 72.
    push        {r0, r4-r11, lr}                // pixels left at sp + 32
    vpush       {d12-d15}
    ldr         r12, [sp, #88]                  // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29
    ldr         lr, [sp, #76]                   // lr: y

    // ---- For each pixel: fetch its pointers.
0:
    ldr         r0, [sp, #72]                   // r0: row of zero points
    pointers_up_to_9 r1, r0
    subs        r0, r2, #8                      // r0: all channels, less 8

    // ---- Eight channels at a time, as long as eight are left.
1:
    sum_9
    vaddw.u16   q8, bias, d0                    // q8, q9: sums less the zero points, as int32
    vaddw.u16   q9, bias, d1
    average
    vst1.8      {d16}, [lr]!
    subs        r0, r0, #8                      // r0: channels left, less 8
    bhs         1b

    // ---- The last 1..7 channels once more with some before them, which are written again, with the same bytes.
    cmp         r0, #-8                         // none left?
    beq         2f
    back_up_9   r0
    sum_9
    vaddw.u16   q8, bias, d0                    // q8: plus channels 0..3 of these rows
    vaddw.u16   q9, bias, d1
    average
    add         lr, lr, r0
    vst1.8      {d16}, [lr]!

    // ---- On to the next pixel.
2:
    ldr         r4, [sp, #80]                   // r4: x_increment
    ldr         r5, [sp, #84]                   // r5: y_increment
    ldr         r6, [sp, #32]                   // r6: pixels left
    add         r3, r3, r4
    add         lr, lr, r5
    subs        r6, r6, #1
    str         r6, [sp, #32]
    bne         0b

    // ---- Give back what was saved.
    vpop        {d12-d15}
    pop         {r0, r4-r11, pc}
    .size   qu8_avgpool_8x9__aarch32_neon, . - qu8_avgpool_8x9__aarch32_neon
