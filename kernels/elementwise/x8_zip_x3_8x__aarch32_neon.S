//! Interleave three vectors of bytes; 8 of each at a time.
//! contract: x8_zip_x3
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes of each vector, at least 1
//! in   x           r1          uint8 [3, n], one vector behind the other
//! in   y           r2          uint8 [n, 3]
//!
//! reg  count       r0          bytes left, less 8
//! reg  px0         r1          where the first vector is read next
//! reg  px1..px2        r3-r4       where the others are read next
//! reg  out         r2          where y is written next
//! reg  vx0..vx2   d0-d2       8 bytes of each vector
//! reg  t           r12         scratch
//!
//!   vectors   a0 a1 a2 ..  b0 b1 b2 ..  c0 c1 c2 ..
//!   VST3       a0 b0 c0 a1 b1 c1 a2 b2 c2 ..      one register of each vector, stored one lane of each at a time


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global x8_zip_x3_8x__aarch32_neon
    .type   x8_zip_x3_8x__aarch32_neon, %function
x8_zip_x3_8x__aarch32_neon:
    // ---- Point at the vectors; fewer than eight bytes are another matter.
    push        {r4, r5}
    add         r3, r1, r0
    add         r4, r3, r0
    subs        r0, r0, #8                      // r0: left, less 8
    blo         2f

    // ---- Eight of each at a time.
0:
    vld1.8      {d0}, [r1]!
    vld1.8      {d1}, [r3]!
    vld1.8      {d2}, [r4]!
    vst3.8      {d0-d2}, [r2]!                  // 8 places, woven together
    subs        r0, r0, #8                      // r0: left, less 8
    bhs         0b

    // ---- The last 1..7 of each with some before them, which are written again.
    cmp         r0, #-8                         // none left?
    beq         4f
    add         r1, r1, r0
    add         r3, r3, r0
    add         r4, r4, r0
    vld1.8      {d0}, [r1]
    vld1.8      {d1}, [r3]
    vld1.8      {d2}, [r4]
    add         r12, r0, r0, lsl #1     // r12: 3 times as far back
    add         r2, r2, r12
    vst3.8      {d0-d2}, [r2]                   // 8 places, woven together
    b           4f

    // ---- Fewer than eight: one of each at a time.
2:
    add         r0, r0, #8
3:
    ldrb        r12, [r1], #1
    strb        r12, [r2], #1
    ldrb        r12, [r3], #1
    strb        r12, [r2], #1
    ldrb        r12, [r4], #1
    strb        r12, [r2], #1
    subs        r0, r0, #1                      // one less to go
    bne         3b

    // ---- Back to the caller.
4:
    pop         {r4, r5}
    bx          lr
    .size   x8_zip_x3_8x__aarch32_neon, . - x8_zip_x3_8x__aarch32_neon
