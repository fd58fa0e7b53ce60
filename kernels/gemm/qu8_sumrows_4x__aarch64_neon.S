//! Sums of up to 4 rows of bytes, times a factor; feeds the GEMM tiles that multiply raw bytes.
//! contract: qu8_sumrows
//! tile: 4x
//! isa: aarch64
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   a           x0          uint8 [m, k]
//! in   m           x1          rows of this call, 1..4
//! in   k           x2          bytes of a row, at least 1
//! in   stride      x3          bytes from one row of a to the next
//! in   multiplier  w4          int32, minus the zero point of the weights
//! in   sums        x5          int32 [m], the result
//!
//! reg  pa0         x0          where row 0 is read next
//! reg  pa1..pa3    x6-x8       the same for rows 1 to 3
//! reg  va0..va3    v0-v3       16 bytes of one row each, then sums of their pairs
//! reg  vacc0..vacc3 v16-v19    uint32, four partial sums of one row each
//! reg  vs          v20         minus the bits to shift out of the last bytes; then the factor
//!
//!    v0   | a0 a1 | a2 a3 | a4 a5 | a6 a7 | ... a15 |     16 bytes
//!    v0   |  a0+a1   a2+a3 |  a4+a5   a6+a7 | ...   |     8 x uint16, UADDLP
//!    v16  |  += a0..a3     |  += a4..a7     | ...   |     4 x uint32, UADALP


.macro add_pairs type, wide
    uaddlp      v0.\wide, v0.\type             // sums of two, uint16
    uaddlp      v1.\wide, v1.\type
    uaddlp      v2.\wide, v2.\type
    uaddlp      v3.\wide, v3.\type
    uadalp      v16.4s, v0.8h
    uadalp      v17.4s, v1.8h
    uadalp      v18.4s, v2.8h
    uadalp      v19.4s, v3.8h
.endm

    .text
    .p2align 4
    .global qu8_sumrows_4x__aarch64_neon
qu8_sumrows_4x__aarch64_neon:
    // ---- Point at four rows; rows that do not exist repeat the last one that does.
    cmp         x1, #2
    add         x6, x0, x3
    csel        x6, x0, x6, lo                  // m = 1: row 1 is row 0 again
    add         x7, x6, x3
    csel        x7, x6, x7, ls
    cmp         x1, #4
    add         x8, x7, x3
    csel        x8, x7, x8, ne

    // ---- Start from zero.
    movi        v16.4s, #0                      // v16..v19: partial sums of rows 0..3
    movi        v17.4s, #0
    movi        v18.4s, #0
    movi        v19.4s, #0

    // ---- Sixteen bytes of each row at a time, as long as sixteen are left.
    subs        x2, x2, #16                     // x2: bytes left after the next sixteen
    b.lo        1f
0:
    ldr         q0, [x0], #16
    ldr         q1, [x6], #16
    ldr         q2, [x7], #16
    ldr         q3, [x8], #16
    add_pairs   16b, 8h
    subs        x2, x2, #16
    b.hs        0b

    // ---- Eight more, if eight are left. A load of eight bytes clears the upper half, so it adds nothing.
1:
    cmp         x2, #-8                         // x2: bytes left - 16
    b.lt        2f
    ldr         d0, [x0], #8
    ldr         d1, [x6], #8
    ldr         d2, [x7], #8
    ldr         d3, [x8], #8
    add_pairs   16b, 8h
    sub         x2, x2, #8

    // ---- The last 1..7 bytes: read the 8 bytes that end with the row and shift the old ones out.
2:
    cmp         x2, #-16
    b.eq        3f                              // none left
    add         x2, x2, #8                      // x2: bytes left - 8
    fmov        d20, x2
    shl         d20, d20, #3                    // v20: minus the bits to shift out
    ldr         d0, [x0, x2]                    // up to 7 bytes back, for k < 8 before the row
    ldr         d1, [x6, x2]
    ldr         d2, [x7, x2]
    ldr         d3, [x8, x2]
    ushl        d0, d0, d20
    ushl        d1, d1, d20
    ushl        d2, d2, d20
    ushl        d3, d3, d20
    add_pairs   16b, 8h

    // ---- Add up the four partial sums of each row and multiply; the low 32 bits are the result.
3:
    dup         v20.4s, w4                      // v20: factor
    addp        v0.4s, v16.4s, v17.4s           // v0: two partial sums of rows 0 and 1
    addp        v1.4s, v18.4s, v19.4s
    addp        v0.4s, v0.4s, v1.4s             // v0: sums of rows 0..3
    mul         v0.4s, v0.4s, v20.4s

    // ---- Store; rows that do not exist write the last sum once more.
    st1         {v0.s}[0], [x5]
    cmp         x1, #2
    add         x6, x5, #4
    csel        x6, x5, x6, lo                  // x6: sum of row 1, or of the last row
    add         x7, x6, #4
    csel        x7, x6, x7, ls
    cmp         x1, #4
    add         x8, x7, #4
    csel        x8, x7, x8, ne
    st1         {v0.s}[1], [x6]
    st1         {v0.s}[2], [x7]
    st1         {v0.s}[3], [x8]
    ret
