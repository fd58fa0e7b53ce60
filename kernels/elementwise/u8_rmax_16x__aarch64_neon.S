//! Find the largest byte; 16 at a time, the last 16 once more.
//! contract: u8_rmax
//! tile: 16x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes, at least 1
//! in   x           x1          uint8 [n]
//! in   y           x2          uint8 [1], the largest
//!
//! reg  count       x0          bytes left, less 16
//! reg  px          x1          where x is read next
//! reg  vmax        v0          the largest of each lane so far
//! reg  vx          v1          16 bytes
//!
//!   lane   0    1    2   ...  15
//!        | x0 | x1 | x2 |    | x15 |      sixteen maxima beside each other, and one UMAXV across them at the end
//!        | x16| x17| ...


    .text
    .p2align 4
    .global u8_rmax_16x__aarch64_neon
u8_rmax_16x__aarch64_neon:
    // ---- Start from the smallest byte there is; fewer than sixteen are another matter.
    movi        v0.16b, #0
    subs        x0, x0, #16
    b.lo        2f

    // ---- Sixteen bytes at a time.
0:
    ldr         q1, [x1], #16
    umax        v0.16b, v0.16b, v1.16b
    subs        x0, x0, #16
    b.hs        0b

    // ---- The last 1..15 bytes with some before them: what was seen already changes nothing.
    cmp         x0, #-16                        // none left?
    b.eq        1f
    ldr         q1, [x1, x0]
    umax        v0.16b, v0.16b, v1.16b

    // ---- The largest of the lanes.
1:
    umaxv       b0, v0.16b
    str         b0, [x2]
    ret

    // ---- Fewer than sixteen bytes: one at a time, in all lanes.
2:
    add         x0, x0, #16
3:
    ld1r        {v1.16b}, [x1], #1
    umax        v0.16b, v0.16b, v1.16b
    subs        x0, x0, #1                      // one less to go
    b.ne        3b
    str         b0, [x2]
    ret
