//! Global average of up to 7 rows in one pass, 8 channels at a time.
//! contract: qu8_gavgpool
//! tile: 8x7
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   m           r0          rows, 1..7
//! in   n           r1          channels, at least 8
//! in   x           r2          uint8 [m, n]
//! in   x_stride    r3          bytes from one row of x to the next
//! in   zero        [sp]        n bytes of zero
//! in   y           [sp, #4]    uint8 [n]
//! in   params      [sp, #8]    neonsim_average_pool_params, 24 bytes
//!
//! reg  i0..i6      r4-r10      where the seven rows are read next
//! reg  count       r1          channels left, less 8
//! reg  out         r2          where the averages are written next
//! reg  zero        r12         the row of zeros
//! reg  vsum        q0          sums of 8 channels, as uint16
//! reg  vx          d2-d3       8 channels of one row each
//! reg  vt          q2-q3       scratch
//! reg  vt2         q6          scratch
//! reg  lower       d15         smallest value allowed
//! reg  vacc        q8-q9       int32 sums of 8 channels
//! reg  vparams     q12-q15     bias, minus the shift, zero point; multiplier (d30), largest value (d31)
//!
//!   row 0  | c0 c1 ... c7 |        The rows of one block of channels are added up in 16 bits, then widened
//!   ...    |      +       |        and added to the bias (minus m times the zero point of x), then scaled.
//!   row 6  | c0 c1 ... c7 |        Rows that do not exist are a row of zeros: they add nothing.
//!          q0: 8 x uint16

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

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gavgpool_8x7__aarch32_neon
    .type   qu8_gavgpool_8x7__aarch32_neon, %function
qu8_gavgpool_8x7__aarch32_neon:
    // ---- Save what belongs to the caller: 32 + 32 bytes, so stack arguments now start at sp + 64.
    push        {r4-r11}
    vpush       {d12-d15}
    ldr         r12, [sp, #72]                  // r12: parameters
    load_average r12, d24, d25, d26, d27, d28, d29
    ldr         r12, [sp, #64]                  // r12: row of zeros

    // ---- Point at seven rows.
    mov         r4, r2
    seven_rows  r0, r3, r12
    ldr         r2, [sp, #68]                   // r2: y

    // ---- Eight channels at a time, as long as eight are left.
    subs        r1, r1, #8
0:
    sum_rows
    vaddw.u16   q8, bias, d0                    // q8, q9: sums less the zero points, as int32
    vaddw.u16   q9, bias, d1
    average
    vst1.8      {d16}, [r2]!
    subs        r1, r1, #8
    bhs         0b

    // ---- The last 1..7 channels once more with some before them, which are written again, with the same bytes.
    cmp         r1, #-8
    beq         1f
    back_up     r1
    sum_rows
    vaddw.u16   q8, bias, d0
    vaddw.u16   q9, bias, d1
    average
    add         r2, r2, r1
    vst1.8      {d16}, [r2]

    // ---- Give back what was saved.
1:
    vpop        {d12-d15}
    pop         {r4-r11}
    bx          lr
    .size   qu8_gavgpool_8x7__aarch32_neon, . - qu8_gavgpool_8x7__aarch32_neon
