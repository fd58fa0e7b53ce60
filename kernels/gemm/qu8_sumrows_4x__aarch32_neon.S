//! Sums of up to 4 rows of bytes, times a factor; feeds the GEMM tiles that multiply raw bytes.
//! contract: qu8_sumrows
//! tile: 4x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   a           r0          uint8 [m, k]
//! in   m           r1          rows of this call, 1..4
//! in   k           r2          bytes of a row, at least 1
//! in   stride      r3          bytes from one row of a to the next
//! in   multiplier  [sp]        int32, minus the zero point of the weights
//! in   sums        [sp, #4]    int32 [m], the result
//!
//! reg  pa0         r0          where row 0 is read next
//! reg  pa1..pa3    r4-r6       the same for rows 1 to 3
//! reg  va0..va3    q0-q3       16 bytes of one row each, then sums of their pairs
//! reg  vacc0       q8          uint32, four partial sums of row 0
//! reg  vacc1..vacc3 q9-q11     the same for rows 1 to 3
//!
//!    q0   | a0 a1 | a2 a3 | a4 a5 | a6 a7 | ... a15 |     16 bytes
//!    q0   |  a0+a1   a2+a3 |  a4+a5   a6+a7 | ...   |     8 x uint16, VPADDL.U8
//!    q8   |  += a0..a3     |  += a4..a7     | ...   |     4 x uint32, VPADAL.U16

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_sumrows_4x__aarch32_neon
    .type   qu8_sumrows_4x__aarch32_neon, %function
qu8_sumrows_4x__aarch32_neon:
    // ---- Save what belongs to the caller: 16 bytes, so stack arguments now start at sp + 16.
    // r7 is not used; it keeps sp a multiple of 8.
    push        {r4-r7}

    // ---- Point at four rows; rows that do not exist repeat the last one that does.
    cmp         r1, #2
    add         r4, r0, r3
    movlo       r4, r0                          // m = 1: row 1 is row 0 again
    add         r5, r4, r3
    movls       r5, r4
    cmp         r1, #4
    add         r6, r5, r3
    movne       r6, r5

    // ---- Start from zero.
    vmov.i32    q8, #0                          // q8..q11: partial sums of rows 0..3
    vmov.i32    q9, #0
    vmov.i32    q10, #0
    vmov.i32    q11, #0

    // ---- Sixteen bytes of each row at a time, as long as sixteen are left.
    subs        r2, r2, #16                     // r2: bytes left after the next sixteen
    blo         1f
0:
    vld1.8      {d0-d1}, [r0]!                  // q0: 16 bytes of row 0
    vld1.8      {d2-d3}, [r4]!                  // q1: 16 bytes of row 1
    vld1.8      {d4-d5}, [r5]!                  // q2: 16 bytes of row 2
    vld1.8      {d6-d7}, [r6]!                  // q3: 16 bytes of row 3
    vpaddl.u8   q0, q0                          // q0..q3: sums of two, uint16
    vpaddl.u8   q1, q1
    vpaddl.u8   q2, q2
    vpaddl.u8   q3, q3
    vpadal.u16  q8, q0
    vpadal.u16  q9, q1
    vpadal.u16  q10, q2
    vpadal.u16  q11, q3
    subs        r2, r2, #16
    bhs         0b

    // ---- Eight more, if eight are left.
1:
    cmp         r2, #-8                         // r2: bytes left - 16
    blt         2f
    vld1.8      {d0}, [r0]!                     // d0: 8 bytes of row 0
    vld1.8      {d2}, [r4]!
    vld1.8      {d4}, [r5]!
    vld1.8      {d6}, [r6]!
    vpaddl.u8   d0, d0
    vpaddl.u8   d2, d2
    vpaddl.u8   d4, d4
    vpaddl.u8   d6, d6
    vpadal.u16  d16, d0                         // d16: into the low half of q8
    vpadal.u16  d18, d2
    vpadal.u16  d20, d4
    vpadal.u16  d22, d6
    sub         r2, r2, #8

    // ---- The last 1..7 bytes: read the 8 bytes that end with the row and shift the old ones out.
2:
    cmp         r2, #-16
    beq         3f                              // none left
    add         r2, r2, #8                      // r2: bytes left - 8
    add         r0, r0, r2                      // up to 7 bytes back, for k < 8 before the row
    add         r4, r4, r2
    add         r5, r5, r2
    add         r6, r6, r2
    lsl         r2, r2, #3
    vdup.32     d24, r2                         // d24: minus the bits to shift out
    vld1.8      {d0}, [r0]
    vld1.8      {d2}, [r4]
    vld1.8      {d4}, [r5]
    vld1.8      {d6}, [r6]
    vshl.u64    d0, d0, d24                     // d0: the last bytes of row 0, then zeros
    vshl.u64    d2, d2, d24
    vshl.u64    d4, d4, d24
    vshl.u64    d6, d6, d24
    vpaddl.u8   d0, d0
    vpaddl.u8   d2, d2
    vpaddl.u8   d4, d4
    vpaddl.u8   d6, d6
    vpadal.u16  d16, d0
    vpadal.u16  d18, d2
    vpadal.u16  d20, d4
    vpadal.u16  d22, d6

    // ---- Add up the four partial sums of each row and multiply; the low 32 bits are the result.
3:
    ldr         r2, [sp, #16]                   // r2: multiplier
    ldr         r3, [sp, #20]                   // r3: sum of row 0
    vdup.32     d24, r2                         // d24: multiplier, twice
    vadd.i32    d16, d16, d17                   // d16: two partial sums of row 0
    vadd.i32    d18, d18, d19
    vadd.i32    d20, d20, d21
    vadd.i32    d22, d22, d23
    vpadd.i32   d0, d16, d18                    // d0: sums of rows 0 and 1
    vpadd.i32   d1, d20, d22                    // d1: sums of rows 2 and 3
    vmull.u32   q1, d0, d24                     // d2, d3: rows 0 and 1 times multiplier, 64 bits
    vmull.u32   q2, d1, d24                     // d4, d5: rows 2 and 3

    // ---- Store; rows that do not exist write the last sum once more.
    cmp         r1, #2
    mov         r4, r3
    addhs       r4, r4, #4                      // r4: sum of row 1, or of the last row
    mov         r5, r4
    addhi       r5, r5, #4
    cmp         r1, #4
    mov         r6, r5
    addeq       r6, r6, #4
    vst1.32     {d2[0]}, [r3]
    vst1.32     {d3[0]}, [r4]
    vst1.32     {d4[0]}, [r5]
    vst1.32     {d5[0]}, [r6]

    // ---- Give back what was saved.
    pop         {r4-r7}
    bx          lr
    .size   qu8_sumrows_4x__aarch32_neon, . - qu8_sumrows_4x__aarch32_neon
