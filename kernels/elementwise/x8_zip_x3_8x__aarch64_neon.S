//! Interleave three vectors of bytes; 8 of each at a time.
//! contract: x8_zip_x3
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes of each vector, at least 1
//! in   x           x1          uint8 [3, n], one vector behind the other
//! in   y           x2          uint8 [n, 3]
//!
//! reg  count       x0          bytes left, less 8
//! reg  px0         x1          where the first vector is read next
//! reg  px1..px2        x3-x4       where the others are read next
//! reg  out         x2          where y is written next
//! reg  vx0..vx2   v0-v2       8 bytes of each vector
//! reg  t           x9          scratch
//!
//!   vectors   a0 a1 a2 ..  b0 b1 b2 ..  c0 c1 c2 ..
//!   ST3       a0 b0 c0 a1 b1 c1 a2 b2 c2 ..      one register of each vector, stored one lane of each at a time


    .text
    .p2align 4
    .global x8_zip_x3_8x__aarch64_neon
x8_zip_x3_8x__aarch64_neon:
    // ---- Point at the vectors; fewer than eight bytes are another matter.
    add         x3, x1, x0
    add         x4, x3, x0
    subs        x0, x0, #8
    b.lo        2f

    // ---- Eight of each at a time.
0:
    ldr         d0, [x1], #8
    ldr         d1, [x3], #8
    ldr         d2, [x4], #8
    st3         {v0.8b, v1.8b, v2.8b}, [x2], #24 // 8 places, woven together
    subs        x0, x0, #8
    b.hs        0b

    // ---- The last 1..7 of each with some before them, which are written again.
    cmp         x0, #-8                         // none left?
    b.eq        1f
    ldr         d0, [x1, x0]
    ldr         d1, [x3, x0]
    ldr         d2, [x4, x0]
    add         x9, x0, x0, lsl #1      // x9: 3 times as far back
    add         x2, x2, x9
    st3         {v0.8b, v1.8b, v2.8b}, [x2]     // 8 places, woven together
1:
    ret

    // ---- Fewer than eight: one of each at a time.
2:
    add         x0, x0, #8
3:
    ldrb        w9, [x1], #1
    strb        w9, [x2], #1
    ldrb        w9, [x3], #1
    strb        w9, [x2], #1
    ldrb        w9, [x4], #1
    strb        w9, [x2], #1
    subs        x0, x0, #1                      // one less to go
    b.ne        3b
    ret
