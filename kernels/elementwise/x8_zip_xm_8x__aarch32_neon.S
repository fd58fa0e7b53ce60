//! Interleave any number of vectors of bytes; four vectors and 8 bytes of each at a time.
//! contract: x8_zip_xm
//! tile: 8x
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   n           r0          bytes of each vector, at least 1
//! in   m           r1          vectors, at least 4
//! in   x           r2          uint8 [m, n], one vector behind the other
//! in   y           r3          uint8 [n, m]
//!
//! reg  count       r4          bytes of these four vectors that are left, less 8
//! reg  px0..px3    r5-r8       where the four vectors are read next
//! reg  out         r9          where their bytes are written next
//! reg  vectors     r10         vectors left, less 4
//! reg  t           r12         scratch
//! reg  va          d0-d3       8 bytes of each vector, zipped in place
//!
//!   four vectors            VZIP.8               VZIP.16: four bytes for each of eight places
//!   a0 a1 .. a7             a0 b0 a1 b1 ..       | a0 b0 c0 d0 | a1 b1 c1 d1 | ...
//!   b0 b1 .. b7             c0 d0 c1 d1 ..       each goes to its own row of y, m bytes from the next
//!   c0 .. c7, d0 .. d7
//!   The last four vectors may overlap the four before them: the same bytes are written again.


// Eight places of four vectors: from d0..d3 to y. VZIP works in place, on two registers.
.macro scatter
    vzip.8      d0, d1                          // q0: a0 b0 a1 b1 ..
    vzip.8      d2, d3                          // q1: c0 d0 c1 d1 ..
    vzip.16     q0, q1                          // q0: a0 b0 c0 d0, a1 .., places 0..3; q1: places 4..7
    vst1.32     {d0[0]}, [r9], r1
    vst1.32     {d0[1]}, [r9], r1
    vst1.32     {d1[0]}, [r9], r1
    vst1.32     {d1[1]}, [r9], r1
    vst1.32     {d2[0]}, [r9], r1
    vst1.32     {d2[1]}, [r9], r1
    vst1.32     {d3[0]}, [r9], r1
    vst1.32     {d3[1]}, [r9], r1
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global x8_zip_xm_8x__aarch32_neon
    .type   x8_zip_xm_8x__aarch32_neon, %function
x8_zip_xm_8x__aarch32_neon:
    // ---- Save what belongs to the caller; begin with the first four vectors.
    push        {r4-r11}
    sub         r10, r1, #4

    // ---- Four vectors: point at them and at their place in the first row of y.
0:
    mov         r5, r2
    add         r6, r5, r0
    add         r7, r6, r0
    add         r8, r7, r0
    mov         r9, r3                          // r9: their column of y
    subs        r4, r0, #8                      // r4: places left, less 8
    blo         3f

    // ---- Eight places at a time.
1:
    vld1.8      {d0}, [r5]!
    vld1.8      {d1}, [r6]!
    vld1.8      {d2}, [r7]!
    vld1.8      {d3}, [r8]!
    scatter
    subs        r4, r4, #8
    bhs         1b

    // ---- The last 1..7 places with some before them, which are written again.
    cmp         r4, #-8                         // none left?
    beq         5f
    add         r5, r5, r4
    add         r6, r6, r4
    add         r7, r7, r4
    add         r8, r8, r4
    vld1.8      {d0}, [r5]
    vld1.8      {d1}, [r6]
    vld1.8      {d2}, [r7]
    vld1.8      {d3}, [r8]
    mla         r9, r4, r1, r9                  // that many rows of y back
    scatter
    b           5f

    // ---- Fewer than eight places: one at a time.
3:
    add         r4, r4, #8                      // r4: places left
    vmov.i8     d0, #0                          // lanes that are never loaded must not be undefined
4:
    vld1.8      {d0[0]}, [r5]!
    vld1.8      {d0[1]}, [r6]!
    vld1.8      {d0[2]}, [r7]!
    vld1.8      {d0[3]}, [r8]!
    vst1.32     {d0[0]}, [r9], r1
    subs        r4, r4, #1
    bne         4b

    // ---- On to the next four vectors, or back to the last four if fewer are left.
5:
    cmp         r10, #0
    beq         6f
    cmp         r10, #4
    mov         r12, #4
    movlo       r12, r10                        // r12: vectors to go on by, 1..4
    sub         r10, r10, r12
    add         r3, r3, r12
    mla         r2, r12, r0, r2
    b           0b

    // ---- Give back what was saved.
6:
    pop         {r4-r11}
    bx          lr
    .size   x8_zip_xm_8x__aarch32_neon, . - x8_zip_xm_8x__aarch32_neon
