//! Find the largest byte; 16 at a time, the last 16 once more.
//! contract: u8_rmax
//! tile: 16x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes, at least 1
//! in   x           r1          uint8 [n]
//! in   y           r2          uint8 [1], the largest
//!
//! reg  count       r0          bytes left, less 16
//! reg  px          r1          where x is read next
//! reg  vmax        q0          the largest of each lane so far
//! reg  vx          q1          16 bytes
//!
//!   lane   0    1    2   ...  15
//!        | x0 | x1 | x2 |    | x15 |      sixteen maxima beside each other, then VPMAX: the larger of each pair,
//!        | x16| x17| ...                  8, 4, 2, 1


    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global u8_rmax_16x__aarch32_neon
    .type   u8_rmax_16x__aarch32_neon, %function
u8_rmax_16x__aarch32_neon:
    // ---- Start from the smallest byte there is; fewer than sixteen are another matter.
    vmov.i8     q0, #0
    subs        r0, r0, #16                     // r0: left, less 16
    blo         2f

    // ---- Sixteen bytes at a time.
0:
    vld1.8      {d2-d3}, [r1]!
    vmax.u8     q0, q0, q1
    subs        r0, r0, #16                     // r0: left, less 16
    bhs         0b

    // ---- The last 1..15 bytes with some before them: what was seen already changes nothing.
    cmp         r0, #-16                        // none left?
    beq         1f
    add         r1, r1, r0
    vld1.8      {d2-d3}, [r1]
    vmax.u8     q0, q0, q1

    // ---- The largest of the lanes.
1:
    vmax.u8     d0, d0, d1
    vpmax.u8    d0, d0, d0
    vpmax.u8    d0, d0, d0
    vpmax.u8    d0, d0, d0
    vst1.8      {d0[0]}, [r2]
    bx          lr

    // ---- Fewer than sixteen bytes: one at a time, in all lanes.
2:
    add         r0, r0, #16
3:
    vld1.8      {d2[]}, [r1]!
    vmax.u8     d0, d0, d2
    subs        r0, r0, #1                      // one less to go
    bne         3b
    vst1.8      {d0[0]}, [r2]
    bx          lr
    .size   u8_rmax_16x__aarch32_neon, . - u8_rmax_16x__aarch32_neon
