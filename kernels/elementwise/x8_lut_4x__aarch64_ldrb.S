//! Look bytes up in a table, with one load for each: four at a time, then one.
//! contract: x8_lut
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes, at least 1
//! in   x           x1          uint8 [n]
//! in   t           x2          uint8 [256]
//! in   y           x3          uint8 [n], may be x
//!
//! reg  count       x0          bytes left, less 4
//! reg  px          x1          where x is read next
//! reg  out         x3          where y is written next
//! reg  b0..b3      x4-x7       four bytes of x, then of the table
//!
//!   x[i] --> t + x[i] --> y[i]       a table of 256 bytes is too long for TBL, which knows 64 at most; the table
//!                                    stays in the first-level cache, and loads are what it costs


    .text
    .p2align 4
    .global x8_lut_4x__aarch64_ldrb
x8_lut_4x__aarch64_ldrb:
    // ---- Four bytes at a time: their loads do not wait for each other.
    subs        x0, x0, #4
    b.lo        1f
0:
    ldrb        w4, [x1], #1
    ldrb        w5, [x1], #1
    ldrb        w6, [x1], #1
    ldrb        w7, [x1], #1
    ldrb        w4, [x2, x4]                    // w4: what the table says
    ldrb        w5, [x2, x5]                    // w5: what the table says
    ldrb        w6, [x2, x6]                    // w6: what the table says
    ldrb        w7, [x2, x7]                    // w7: what the table says
    strb        w4, [x3], #1
    strb        w5, [x3], #1
    strb        w6, [x3], #1
    strb        w7, [x3], #1
    subs        x0, x0, #4
    b.hs        0b

    // ---- The last 1..3 bytes.
1:
    adds        x0, x0, #4
    b.eq        3f
2:
    ldrb        w4, [x1], #1
    ldrb        w4, [x2, x4]                    // w4: what the table says
    strb        w4, [x3], #1
    subs        x0, x0, #1                      // one less to go
    b.ne        2b
3:
    ret
