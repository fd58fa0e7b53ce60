//! Keep bytes within two limits; 64 at a time, then 8, then the last 8 once more.
//! contract: u8_clamp
//! tile: 64x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes, at least 1
//! in   x           x1          uint8 [n]
//! in   y           x2          uint8 [n], may be x
//! in   params      x3          neonsim_clamp_params, 4 bytes
//!
//! reg  count       x0          bytes left, less 64 or 8
//! reg  px          x1          where x is read next
//! reg  out         x2          where y is written next
//! reg  vx          v0-v3       16 bytes each
//! reg  vlimits     v4-v5       largest and smallest value allowed
//!
//!   n = 21    |0 .. 7|8 .. 15|              the last eight overlap what was done: clamping twice is clamping
//!                         |13 .. 20|        once, also in place


.macro clamp v
    umin        \v\().16b, \v\().16b, v4.16b
    umax        \v\().16b, \v\().16b, v5.16b
.endm

    .text
    .p2align 4
    .global u8_clamp_64x__aarch64_neon
u8_clamp_64x__aarch64_neon:
    // ---- Fetch the limits; fewer than eight bytes are another matter.
    ld1r        {v4.16b}, [x3], #1
    ld1r        {v5.16b}, [x3]
    cmp         x0, #8
    b.lo        5f

    // ---- Sixty-four bytes at a time, as long as that many are left.
    subs        x0, x0, #64
    b.lo        1f
0:
    ld1         {v0.16b, v1.16b, v2.16b, v3.16b}, [x1], #64
    clamp       v0                              // 16 bytes within the limits
    clamp       v1                              // 16 bytes within the limits
    clamp       v2                              // 16 bytes within the limits
    clamp       v3                              // 16 bytes within the limits
    st1         {v0.16b, v1.16b, v2.16b, v3.16b}, [x2], #64
    subs        x0, x0, #64
    b.hs        0b

    // ---- Eight bytes at a time.
1:
    adds        x0, x0, #56                     // x0: bytes left, less 8
    b.mi        3f
2:
    ldr         d0, [x1], #8
    clamp       v0                              // 16 bytes within the limits
    str         d0, [x2], #8
    subs        x0, x0, #8
    b.pl        2b

    // ---- The last 1..7 bytes with some before them.
3:
    cmp         x0, #-8                         // none left?
    b.eq        4f
    ldr         d0, [x1, x0]
    clamp       v0                              // 16 bytes within the limits
    str         d0, [x2, x0]
4:
    ret

    // ---- Fewer than eight bytes: one at a time.
5:
    ld1r        {v0.8b}, [x1], #1
    umin        v0.8b, v0.8b, v4.8b
    umax        v0.8b, v0.8b, v5.8b
    st1         {v0.b}[0], [x2], #1
    subs        x0, x0, #1                      // one less to go
    b.ne        5b
    ret
