//! Global average of more than 7 rows, seven at a time with the sums kept in memory.
//! contract: qu8_gavgpool_mp
//! tile: 8x7
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           r0          rows, at least 8
//! in   n           r1          channels, at least 8
//! in   x           r2          uint8 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   zero        [sp]        n bytes of zero
//! in   buffer      [sp, #4]    int32 [n rounded up to 8]
//! in   y           [sp, #8]    uint8 [n]
//! in   params      [sp, #12]   neonsim_average_pool_params, 24 bytes
//!
//! reg  i0..i6      r4-r10      where the seven rows of this pass are read next
//! reg  count       r11         channels left, less 8
//! reg  sums        r12         where the buffer is read and written next
//! reg  out         r14         where the averages are written next
//! reg  vsum        q0          sums of 8 channels, as uint16
//! reg  vx          d2-d3       8 channels of one row each
//! reg  vt          q2-q3       scratch
//! reg  vt2         q6          scratch
//! reg  lower       d15         smallest value allowed
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vparams     q12-q15     bias, minus the shift, zero point; multiplier (d30), largest value (d31)
//!
//!   rows 0..6     bias   -> buffer         first pass
//!   rows 7..13    buffer -> buffer         as long as more than seven rows are left
//!   the rest      buffer -> y              1..7 rows; those that do not exist are a row of zeros

#include "include/average_aarch32.h"

    bias        .req q12
    rightshift  .req q13
    zeropoint   .req q14
    multiplier  .req d30
    upper       .req d31
    lower       .req d15

// Seven rows from the one at r4 on; those that do not exist read the row of zeros.
.macro seven_rows m, stride, zero
    cmp         \m, #2
    add         r5, r4, \stride
    movlo       r5, \zero                       // m < 2
    add         r6, r5, \stride
    movls       r6, \zero                       // m <= 2
    cmp         \m, #4
    add         r7, r6, \stride
    movlo       r7, \zero                       // m < 4
    add         r8, r7, \stride
    movls       r8, \zero                       // m <= 4
    cmp         \m, #6
    add         r9, r8, \stride
    movlo       r9, \zero                       // m < 6
    add         r10, r9, \stride
    movls       r10, \zero                      // m <= 6
.endm

// Eight channels of seven rows, added up in 16 bits: 7 * 255 fits.
.macro sum_rows
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
    vaddw.u8    q0, q0, d2                      // q0: all seven
.endm

// Back by -count bytes, to the 8 bytes that end with each row; n >= 8, so they lie within it.
.macro back_up count
    add         r4, r4, \count
    add         r5, r5, \count
    add         r6, r6, \count
    add         r7, r7, \count
    add         r8, r8, \count
    add         r9, r9, \count
    add         r10, r10, \count
.endm

// Eight sums in q8 and q9 to eight bytes in d16.
.macro average
    scale_average q8, d16, d17, q2, q3, q6, d12, d13
    scale_average q9, d18, d19, q2, q3, q6, d12, d13
    narrow_average q8, q9, d16, d17
.endm

// What each pass begins with: seven rows from r2 on, the buffer, all channels.
.macro begin_pass
    ldr         r12, [sp, #72]                  // r12: row of zeros
    mov         r4, r2
    seven_rows  r0, r3, r12
    ldr         r12, [sp, #76]                  // r12: buffer
    subs        r11, r1, #8                     // r11: all channels, less 8
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gavgpool_mp_8x7__aarch32_neon
    .type   qu8_gavgpool_mp_8x7__aarch32_neon, %function
qu8_gavgpool_mp_8x7__aarch32_neon:
    // ---- Save what belongs to the caller: 40 + 32 bytes, so stack arguments now start at sp + 72.
    push        {r3-r11, lr}
    vpush       {d12-d15}
    ldr         r12, [sp, #84]                  // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29
    ldr         lr, [sp, #80]                   // lr: y

    // ---- First pass: seven rows and the bias, to the buffer.
    begin_pass
0:
    sum_rows
    vaddw.u16   q8, bias, d0
    vaddw.u16   q9, bias, d1
    vst1.32     {d16-d19}, [r12]!
    subs        r11, r11, #8                    // r11: channels left, less 8
    bhs         0b
    cmp         r11, #-8
    beq         1f
    back_up     r11                             // the last eight channels have eight sums of their own in the buffer
    sum_rows
    vaddw.u16   q8, bias, d0
    vaddw.u16   q9, bias, d1
    vst1.32     {d16-d19}, [r12]

    // ---- Middle passes: seven more rows each, from the buffer to the buffer.
1:
    rsb         r12, r3, r3, lsl #3             // seven rows
    add         r2, r2, r12
    sub         r0, r0, #7                      // r0: rows left
    cmp         r0, #7
    bls         3f
    begin_pass
2:
    sum_rows
    vld1.32     {d16-d19}, [r12]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    vst1.32     {d16-d19}, [r12]!
    subs        r11, r11, #8                    // r11: channels left, less 8
    bhs         2b
    cmp         r11, #-8
    beq         1b
    back_up     r11
    sum_rows
    vld1.32     {d16-d19}, [r12]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    vst1.32     {d16-d19}, [r12]
    b           1b

    // ---- Last pass: the rows that are left, scaled and stored.
3:
    begin_pass
4:
    sum_rows
    vld1.32     {d16-d19}, [r12]!
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    average
    vst1.8      {d16}, [lr]!
    subs        r11, r11, #8                    // r11: channels left, less 8
    bhs         4b
    cmp         r11, #-8
    beq         5f
    back_up     r11
    sum_rows
    vld1.32     {d16-d19}, [r12]
    vaddw.u16   q8, q8, d0
    vaddw.u16   q9, q9, d1
    average
    add         lr, lr, r11                     // the channels before them are written again, with the same bytes
    vst1.8      {d16}, [lr]

    // ---- Give back what was saved.
5:
    vpop        {d12-d15}
    pop         {r3-r11, pc}
    .size   qu8_gavgpool_mp_8x7__aarch32_neon, . - qu8_gavgpool_mp_8x7__aarch32_neon
