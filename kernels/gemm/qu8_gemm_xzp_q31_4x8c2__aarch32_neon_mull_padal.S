//! 4x8 uint8 GEMM tile; multiply long, then pairwise add and accumulate long.
//! contract: qu8_gemm_xzp_q31
//! tile: 4x8c2
//! isa: aarch32
//! feature: neon
//! reads-before: 0
//! source: own work
//!
//! in   mr          r0          rows of this tile, 1..4
//! in   nr          r1          columns of this tile, 1..8
//! in   kc          r2          depth, at least 1
//! in   a           r3          uint8 [mr, kc], the left matrix as it lies in memory
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   a_sum       [sp, #4]    int32 [mr], minus the zero point of w times the sum of each row of a
//! in   w           [sp, #8]    packed weights: 8 int32 biases, then pairs of depths, turned (see below)
//! in   c           [sp, #12]   uint8 [mr, nr], the result
//! in   c_stride    [sp, #16]   bytes from one row of c to the next
//! in   params      [sp, #20]   neonsim_q31_params, 16 bytes
//!
//! reg  pa0         r3          where row 0 of a is read next
//! reg  pa1..pa3    r4-r6       the same for rows 1 to 3
//! reg  pw          r7          where the weights are read next
//! reg  pp          r8          where the parameters are read next
//! reg  va0..va3    d0-d3       8 depths of one row of a each, bytes, turned by 2 from step to step
//! reg  vb0..vb1    q2-q3       one pair of depths of 8 columns, bytes
//! reg  vt0..vt3    q4-q7       products, uint16
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!   One step multiplies a row by columns 0..3 (vb low half) and 4..7 (vb high half), byte by byte:
//!
//!      va    | a0 a1 | a2 a3 | a4 a5 | a6 a7 |      turned by 2 (VEXT): | a2 a3 | a4 a5 | a6 a7 | a0 a1 |
//!      vb    | w0 w1 | w2 w3 | w4 w5 | w6 w7 |      next pair of w:     | w2 w3 | w4 w5 | w6 w7 | w0 w1 |
//!    columns |   0   |   1   |   2   |   3   |                          |   0   |   1   |   2   |   3   |
//!              VMULL.U8: 8 products     VPADAL.U16: each pair into the int32 of its column
//!
//!   So column n starts with depth 2n mod 8: the weights were packed that way. The remainder of kc by 8 is not
//!   turned; there one pair of a is repeated over all columns. Bytes are multiplied as they are: a_sum and the
//!   bias carry both zero points.
//!
//!              columns 0..3   columns 4..7
//!   row 0 (d0)     q8             q9
//!   row 1 (d1)     q10            q11
//!   row 2 (d2)     q12            q13
//!   row 3 (d3)     q14            q15

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal
    .type   qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal, %function
qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal:
    // ---- Save what belongs to the caller: 24 + 64 bytes, so stack arguments now start at sp + 88.
    // r9 is not used; it keeps sp a multiple of 8.
    push        {r4-r9}
    vpush       {d8-d15}

    // ---- Point at four rows of a and their sums; rows that do not exist repeat the last one that does.
    ldr         r12, [sp, #88]                  // r12: a_stride
    ldr         r8, [sp, #92]                   // r8: sum of row 0
    ldr         r7, [sp, #96]                   // r7: packed weights
    vld1.8      {d16-d19}, [r7]!                // q8, q9: biases of columns 0..3, 4..7
    vld1.32     {d0[], d1[]}, [r8]              // q0: sum of row 0, 4 times
    cmp         r0, #2
    add         r4, r3, r12
    movlo       r4, r3                          // mr = 1: row 1 is row 0 again
    addhs       r8, r8, #4
    vld1.32     {d2[], d3[]}, [r8]              // q1: sum of row 1
    add         r5, r4, r12
    movls       r5, r4                          // mr <= 2: row 2 is row 1 again
    addhi       r8, r8, #4
    vld1.32     {d4[], d5[]}, [r8]              // q2: sum of row 2
    cmp         r0, #4
    add         r6, r5, r12
    movne       r6, r5                          // mr <= 3: row 3 is row 2 again
    addeq       r8, r8, #4
    vld1.32     {d6[], d7[]}, [r8]              // q3: sum of row 3
    ldr         r8, [sp, #108]                  // r8: parameters

    // ---- Start each row from biases plus its sum.
    vadd.i32    q10, q8, q1                     // q10, q11: row 1
    vadd.i32    q11, q9, q1
    vadd.i32    q12, q8, q2                     // q12, q13: row 2
    vadd.i32    q13, q9, q2
    vadd.i32    q14, q8, q3                     // q14, q15: row 3
    vadd.i32    q15, q9, q3
    vadd.i32    q9, q9, q0                      // q8, q9: row 0, last, as the others start from it
    vadd.i32    q8, q8, q0

    // ---- Eight depths at a time: multiplies and pairwise adds alternate, each add two products behind.
    subs        r2, r2, #8                      // r2: depths left after the next eight
    blo         1f
0:
    vld1.8      {d0}, [r3]!                     // d0..d3: depths 0..7 of the four rows
    vld1.8      {d1}, [r4]!
    vld1.8      {d2}, [r5]!
    vld1.8      {d3}, [r6]!
    vld1.8      {d4-d5}, [r7]!                  // q2: first pair of each column

    vmull.u8    q4, d0, d4                      // row 0, pair 0: columns 0..3
    vmull.u8    q5, d0, d5                      // columns 4..7
    vext.8      d0, d0, d0, #2                  // d0: row 0, turned to depth 2
    vld1.8      {d6-d7}, [r7]!                  // q3: second pair
    vmull.u8    q6, d1, d4                      // row 1, pair 0: columns 0..3
    vpadal.u16  q8, q4
    vmull.u8    q7, d1, d5                      // columns 4..7
    vpadal.u16  q9, q5
    vext.8      d1, d1, d1, #2                  // d1: row 1, turned to depth 2
    vmull.u8    q4, d2, d4                      // row 2, pair 0: columns 0..3
    vpadal.u16  q10, q6
    vmull.u8    q5, d2, d5                      // columns 4..7
    vpadal.u16  q11, q7
    vext.8      d2, d2, d2, #2                  // d2: row 2, turned to depth 2
    vmull.u8    q6, d3, d4                      // row 3, pair 0: columns 0..3
    vpadal.u16  q12, q4
    vmull.u8    q7, d3, d5                      // columns 4..7
    vpadal.u16  q13, q5
    vext.8      d3, d3, d3, #2                  // d3: row 3, turned to depth 2

    vmull.u8    q4, d0, d6                      // row 0, pair 1: columns 0..3
    vpadal.u16  q14, q6
    vmull.u8    q5, d0, d7                      // columns 4..7
    vpadal.u16  q15, q7
    vext.8      d0, d0, d0, #2                  // d0: row 0, turned to depth 4
    vld1.8      {d4-d5}, [r7]!                  // q2: third pair
    vmull.u8    q6, d1, d6                      // row 1, pair 1: columns 0..3
    vpadal.u16  q8, q4
    vmull.u8    q7, d1, d7                      // columns 4..7
    vpadal.u16  q9, q5
    vext.8      d1, d1, d1, #2                  // d1: row 1, turned to depth 4
    vmull.u8    q4, d2, d6                      // row 2, pair 1: columns 0..3
    vpadal.u16  q10, q6
    vmull.u8    q5, d2, d7                      // columns 4..7
    vpadal.u16  q11, q7
    vext.8      d2, d2, d2, #2                  // d2: row 2, turned to depth 4
    vmull.u8    q6, d3, d6                      // row 3, pair 1: columns 0..3
    vpadal.u16  q12, q4
    vmull.u8    q7, d3, d7                      // columns 4..7
    vpadal.u16  q13, q5
    vext.8      d3, d3, d3, #2                  // d3: row 3, turned to depth 4

    vmull.u8    q4, d0, d4                      // row 0, pair 2: columns 0..3
    vpadal.u16  q14, q6
    vmull.u8    q5, d0, d5                      // columns 4..7
    vpadal.u16  q15, q7
    vext.8      d0, d0, d0, #2                  // d0: row 0, turned to depth 6
    vld1.8      {d6-d7}, [r7]!                  // q3: fourth pair
    vmull.u8    q6, d1, d4                      // row 1, pair 2: columns 0..3
    vpadal.u16  q8, q4
    vmull.u8    q7, d1, d5                      // columns 4..7
    vpadal.u16  q9, q5
    vext.8      d1, d1, d1, #2                  // d1: row 1, turned to depth 6
    vmull.u8    q4, d2, d4                      // row 2, pair 2: columns 0..3
    vpadal.u16  q10, q6
    vmull.u8    q5, d2, d5                      // columns 4..7
    vpadal.u16  q11, q7
    vext.8      d2, d2, d2, #2                  // d2: row 2, turned to depth 6
    vmull.u8    q6, d3, d4                      // row 3, pair 2: columns 0..3
    vpadal.u16  q12, q4
    vmull.u8    q7, d3, d5                      // columns 4..7
    vpadal.u16  q13, q5
    vext.8      d3, d3, d3, #2                  // d3: row 3, turned to depth 6

    vmull.u8    q4, d0, d6                      // row 0, pair 3: columns 0..3
    vpadal.u16  q14, q6
    vmull.u8    q5, d0, d7                      // columns 4..7
    vpadal.u16  q15, q7
    vmull.u8    q6, d1, d6                      // row 1, pair 3: columns 0..3
    vpadal.u16  q8, q4
    vmull.u8    q7, d1, d7                      // columns 4..7
    vpadal.u16  q9, q5
    vmull.u8    q4, d2, d6                      // row 2, pair 3: columns 0..3
    vpadal.u16  q10, q6
    vmull.u8    q5, d2, d7                      // columns 4..7
    vpadal.u16  q11, q7
    vmull.u8    q6, d3, d6                      // row 3, pair 3: columns 0..3
    vpadal.u16  q12, q4
    vmull.u8    q7, d3, d7                      // columns 4..7
    vpadal.u16  q13, q5
    vpadal.u16  q14, q6
    vpadal.u16  q15, q7

    subs        r2, r2, #8
    bhs         0b

    // ---- Pairs of the last 1..7 depths: two bytes of a row, repeated for four columns.
1:
    cmp         r2, #-6                         // r2: depths left - 8
    blt         3f                              // less than two left
2:
    vld1.16     {d0[]}, [r3]!                   // d0: the next two depths of row 0, 4 times
    vld1.16     {d1[]}, [r4]!
    vld1.16     {d2[]}, [r5]!
    vld1.16     {d3[]}, [r6]!
    vld1.8      {d4-d5}, [r7]!                  // q2: the pair of each column
    vmull.u8    q4, d0, d4
    vmull.u8    q5, d0, d5
    vmull.u8    q6, d1, d4
    vmull.u8    q7, d1, d5
    vpadal.u16  q8, q4
    vpadal.u16  q9, q5
    vpadal.u16  q10, q6
    vpadal.u16  q11, q7
    vmull.u8    q4, d2, d4
    vmull.u8    q5, d2, d5
    vmull.u8    q6, d3, d4
    vmull.u8    q7, d3, d5
    vpadal.u16  q12, q4
    vpadal.u16  q13, q5
    vpadal.u16  q14, q6
    vpadal.u16  q15, q7
    sub         r2, r2, #2
    cmp         r2, #-6
    bge         2b

    // ---- One last depth, if kc is odd: the weights hold a zero beside it.
3:
    cmp         r2, #-8
    beq         4f
    vld1.8      {d0[]}, [r3]                    // d0: the last depth of row 0, 8 times
    vld1.8      {d1[]}, [r4]
    vld1.8      {d2[]}, [r5]
    vld1.8      {d3[]}, [r6]
    vld1.8      {d4-d5}, [r7]                   // q2: depth and a zero, for each column
    vmull.u8    q4, d0, d4
    vmull.u8    q5, d0, d5
    vmull.u8    q6, d1, d4
    vmull.u8    q7, d1, d5
    vpadal.u16  q8, q4
    vpadal.u16  q9, q5
    vpadal.u16  q10, q6
    vpadal.u16  q11, q7
    vmull.u8    q4, d2, d4
    vmull.u8    q5, d2, d5
    vmull.u8    q6, d3, d4
    vmull.u8    q7, d3, d5
    vpadal.u16  q12, q4
    vpadal.u16  q13, q5
    vpadal.u16  q14, q6
    vpadal.u16  q15, q7

    // ---- Scale: high half of twice the product with the multiplier, rounded, then a rounding shift right.
4:
    vld1.32     {d0[], d1[]}, [r8]!             // q0: multiplier
    vld1.32     {d2[], d3[]}, [r8]!             // q1: left shift, 0 or negative
    vceq.i32    q2, q1, #0                      // q2: all ones where nothing is shifted
    vqrdmulh.s32 q8, q8, q0                      // q8..q15: accumulators times multiplier / 2**31
    vqrdmulh.s32 q9, q9, q0
    vqrdmulh.s32 q10, q10, q0
    vqrdmulh.s32 q11, q11, q0
    vqrdmulh.s32 q12, q12, q0
    vqrdmulh.s32 q13, q13, q0
    vqrdmulh.s32 q14, q14, q0
    vqrdmulh.s32 q15, q15, q0
    // VRSHL rounds ties up; one less for negative numbers makes them go away from zero.
    vbic        q3, q8, q2                      // q3..q6: the same, zero where nothing is shifted
    vbic        q4, q9, q2
    vbic        q5, q10, q2
    vbic        q6, q11, q2
    vsra.s32    q8, q3, #31                     // minus 1 where negative
    vsra.s32    q9, q4, #31
    vsra.s32    q10, q5, #31
    vsra.s32    q11, q6, #31
    vbic        q3, q12, q2
    vbic        q4, q13, q2
    vbic        q5, q14, q2
    vbic        q6, q15, q2
    vsra.s32    q12, q3, #31
    vsra.s32    q13, q4, #31
    vsra.s32    q14, q5, #31
    vsra.s32    q15, q6, #31
    vrshl.s32   q8, q8, q1                      // q8..q15: scaled
    vrshl.s32   q9, q9, q1
    vrshl.s32   q10, q10, q1
    vrshl.s32   q11, q11, q1
    vrshl.s32   q12, q12, q1
    vrshl.s32   q13, q13, q1
    vrshl.s32   q14, q14, q1
    vrshl.s32   q15, q15, q1

    // ---- Narrow to bytes: saturate, add the zero point of c, saturate, clamp.
    vld1.16     {d0[], d1[]}, [r8]!             // q0: zero point of c, as int16
    vqmovn.s32  d16, q8                         // q8: row 0, as int16
    vqmovn.s32  d17, q9
    vqmovn.s32  d18, q10                        // q9: row 1, as int16
    vqmovn.s32  d19, q11
    vqmovn.s32  d20, q12                        // q10: row 2, as int16
    vqmovn.s32  d21, q13
    vqmovn.s32  d22, q14                        // q11: row 3, as int16
    vqmovn.s32  d23, q15
    vld1.8      {d2[], d3[]}, [r8]!             // q1: largest value allowed
    vld1.8      {d4[], d5[]}, [r8]              // q2: smallest value allowed
    vqadd.s16   q8, q8, q0
    vqadd.s16   q9, q9, q0
    vqadd.s16   q10, q10, q0
    vqadd.s16   q11, q11, q0
    vqmovun.s16 d16, q8                         // d16: row 0, 8 bytes
    vqmovun.s16 d17, q9                         // d17: row 1, 8 bytes
    vqmovun.s16 d18, q10                        // d18: row 2, 8 bytes
    vqmovun.s16 d19, q11                        // d19: row 3, 8 bytes
    vmin.u8     q8, q8, q1
    vmin.u8     q9, q9, q1
    vmax.u8     q8, q8, q2                      // q8: rows 0 and 1, clamped
    vmax.u8     q9, q9, q2                      // q9: rows 2 and 3, clamped

    // ---- Point at four rows of c, as for a.
    ldr         r3, [sp, #100]                  // r3: row 0 of c
    ldr         r12, [sp, #104]                 // r12: c_stride
    cmp         r0, #2
    add         r4, r3, r12
    movlo       r4, r3                          // mr = 1: row 1 is written over row 0
    add         r5, r4, r12
    movls       r5, r4
    cmp         r0, #4
    add         r6, r5, r12
    movne       r6, r5

    // ---- Store eight columns, or else 4, 2, 1 of them, turning the rest down to the first lanes.
    cmp         r1, #8
    bne         5f
    vst1.8      {d16}, [r3]
    vst1.8      {d17}, [r4]
    vst1.8      {d18}, [r5]
    vst1.8      {d19}, [r6]
    b           8f
5:
    tst         r1, #4
    beq         6f
    vst1.32     {d16[0]}, [r3]!
    vst1.32     {d17[0]}, [r4]!
    vst1.32     {d18[0]}, [r5]!
    vst1.32     {d19[0]}, [r6]!
    vext.8      q8, q8, q8, #4                  // d16, d17: columns 4.. first
    vext.8      q9, q9, q9, #4                  // d18, d19: columns 4.. first
6:
    tst         r1, #2
    beq         7f
    vst1.16     {d16[0]}, [r3]!
    vst1.16     {d17[0]}, [r4]!
    vst1.16     {d18[0]}, [r5]!
    vst1.16     {d19[0]}, [r6]!
    vext.8      q8, q8, q8, #2                  // the last column first
    vext.8      q9, q9, q9, #2
7:
    tst         r1, #1
    beq         8f
    vst1.8      {d16[0]}, [r3]
    vst1.8      {d17[0]}, [r4]
    vst1.8      {d18[0]}, [r5]
    vst1.8      {d19[0]}, [r6]

    // ---- Give back what was saved.
8:
    vpop        {d8-d15}
    pop         {r4-r9}
    bx          lr
    .size   qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal, . - qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal
