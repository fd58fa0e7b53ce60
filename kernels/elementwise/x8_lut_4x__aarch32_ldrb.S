//! Look bytes up in a table, with one load for each: four at a time, then one.
//! contract: x8_lut
//! tile: 4x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes, at least 1
//! in   x           r1          uint8 [n]
//! in   t           r2          uint8 [256]
//! in   y           r3          uint8 [n], may be x
//!
//! reg  count       r0          bytes left, less 4
//! reg  px          r1          where x is read next
//! reg  out         r3          where y is written next
//! reg  b0..b2      r4-r6       three bytes of x, then of the table
//! reg  b3          r12         the fourth
//!
//!   x[i] --> t + x[i] --> y[i]       a table of 256 bytes is too long for VTBL, which knows 32 at most; the table
//!                                    stays in the first-level cache, and loads are what it costs


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global x8_lut_4x__aarch32_ldrb
    .type   x8_lut_4x__aarch32_ldrb, %function
x8_lut_4x__aarch32_ldrb:
    // ---- Save what belongs to the caller.
    push        {r4-r7}
    subs        r0, r0, #4
    blo         1f

    // ---- Four bytes at a time: their loads do not wait for each other.
0:
    ldrb        r4, [r1], #1
    ldrb        r5, [r1], #1
    ldrb        r6, [r1], #1
    ldrb        r12, [r1], #1
    ldrb        r4, [r2, r4]                    // r4: what the table says
    ldrb        r5, [r2, r5]                    // r5: what the table says
    ldrb        r6, [r2, r6]                    // r6: what the table says
    ldrb        r12, [r2, r12]                  // r12: what the table says
    strb        r4, [r3], #1
    strb        r5, [r3], #1
    strb        r6, [r3], #1
    strb        r12, [r3], #1
    subs        r0, r0, #4
    bhs         0b

    // ---- The last 1..3 bytes.
1:
    adds        r0, r0, #4
    beq         3f
2:
    ldrb        r4, [r1], #1
    ldrb        r4, [r2, r4]                    // r4: what the table says
    strb        r4, [r3], #1
    subs        r0, r0, #1                      // one less to go
    bne         2b

    // ---- Give back what was saved.
3:
    pop         {r4-r7}
    bx          lr
    .size   x8_lut_4x__aarch32_ldrb, . - x8_lut_4x__aarch32_ldrb
