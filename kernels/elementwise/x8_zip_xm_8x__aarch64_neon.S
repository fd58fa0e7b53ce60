//! Interleave any number of vectors of bytes; four vectors and 8 bytes of each at a time.
//! contract: x8_zip_xm
//! tile: 8x
//! isa: aarch64
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           x0          bytes of each vector, at least 1
//! in   m           x1          vectors, at least 4
//! in   x           x2          uint8 [m, n], one vector behind the other
//! in   y           x3          uint8 [n, m]
//!
//! reg  count       x4          bytes of these four vectors that are left, less 8
//! reg  px0..px3    x5-x8       where the four vectors are read next
//! reg  out         x9          where their bytes are written next
//! reg  vectors     x10         vectors left, less 4
//! reg  t           x12         scratch
//! reg  va          v0-v3       8 bytes of each vector
//! reg  vz          v4-v7       pairs of them, then fours
//!
//!   four vectors            ZIP .8b              ZIP .4h: four bytes for each of eight places
//!   a0 a1 .. a7             a0 b0 a1 b1 ..       | a0 b0 c0 d0 | a1 b1 c1 d1 | ...
//!   b0 b1 .. b7             c0 d0 c1 d1 ..       each goes to its own row of y, m bytes from the next
//!   c0 .. c7, d0 .. d7
//!   The last four vectors may overlap the four before them: the same bytes are written again.


// Eight places of four vectors: from d0..d3 to y.
.macro scatter
    zip1        v4.16b, v0.16b, v1.16b          // v4: a0 b0 a1 b1 ..
    zip1        v5.16b, v2.16b, v3.16b          // v5: c0 d0 c1 d1 ..
    zip1        v6.8h, v4.8h, v5.8h             // v6: a0 b0 c0 d0, a1 .., places 0..3
    zip2        v7.8h, v4.8h, v5.8h             // v7: places 4..7
    st1         {v6.s}[0], [x9], x1
    st1         {v6.s}[1], [x9], x1
    st1         {v6.s}[2], [x9], x1
    st1         {v6.s}[3], [x9], x1
    st1         {v7.s}[0], [x9], x1
    st1         {v7.s}[1], [x9], x1
    st1         {v7.s}[2], [x9], x1
    st1         {v7.s}[3], [x9], x1
.endm

    .text
    .p2align 4
    .global x8_zip_xm_8x__aarch64_neon
x8_zip_xm_8x__aarch64_neon:
    // ---- Begin with the first four vectors.
    sub         x10, x1, #4

    // ---- Four vectors: point at them and at their place in the first row of y.
0:
    mov         x5, x2
    add         x6, x5, x0
    add         x7, x6, x0
    add         x8, x7, x0
    mov         x9, x3
    subs        x4, x0, #8
    b.lo        3f

    // ---- Eight places at a time.
1:
    ldr         d0, [x5], #8
    ldr         d1, [x6], #8
    ldr         d2, [x7], #8
    ldr         d3, [x8], #8
    scatter
    subs        x4, x4, #8
    b.hs        1b

    // ---- The last 1..7 places with some before them, which are written again.
    cmp         x4, #-8
    b.eq        5f
    ldr         d0, [x5, x4]
    ldr         d1, [x6, x4]
    ldr         d2, [x7, x4]
    ldr         d3, [x8, x4]
    mul         x12, x4, x1                     // x12: that many rows of y back
    add         x9, x9, x12
    scatter
    b           5f

    // ---- Fewer than eight places: one at a time.
3:
    add         x4, x4, #8
    movi        v0.8b, #0                       // lanes that are never loaded must not be undefined
4:
    ld1         {v0.b}[0], [x5], #1
    ld1         {v0.b}[1], [x6], #1
    ld1         {v0.b}[2], [x7], #1
    ld1         {v0.b}[3], [x8], #1
    st1         {v0.s}[0], [x9], x1
    subs        x4, x4, #1
    b.ne        4b

    // ---- On to the next four vectors, or back to the last four if fewer are left.
5:
    cbz         x10, 6f
    cmp         x10, #4
    mov         x12, #4
    csel        x12, x10, x12, lo               // x12: vectors to go on by, 1..4
    sub         x10, x10, x12
    add         x3, x3, x12
    madd        x2, x12, x0, x2
    b           0b
6:
    ret
