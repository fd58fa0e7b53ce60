//! 4x8 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows of this tile, 1..4
//! in   nr          r1          columns of this tile, 1..8
//! in   kc          r2          depth, at least 1
//! in   a           r3          uint8 [mr, kc], the left matrix as it lies in memory
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights: 8 int32 biases, then kc times 8 bytes
//! in   c           [sp, #8]    uint8 [mr, nr], the result
//! in   c_stride    [sp, #12]   bytes from one row of c to the next
//! in   params      [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pa0         r3          where row 0 of a is read next
//! reg  pa1..pa3    r4-r6       the same for rows 1 to 3
//! reg  pw          r7          where the weights are read next
//! reg  pp          r8          where the parameters are read next
//! reg  va0..va3    q0-q3       8 depths of one row of a each, as int16
//! reg  vb0..vb1    q4-q5       8 columns of one depth of w, less their zero point, as int16
//! reg  vwzp        d14         the zero point of w, 8 times
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!                        vb0 or vb1: columns 0..7 of one depth
//!                       +-----------------+-----------------+
//!                       | w0  w1  w2  w3  | w4  w5  w6  w7  |
//!   va0  d0  d1   a0[k] | q8   row 0      | q9   row 0      |
//!   va1  d2  d3   a1[k] | q10  row 1      | q11  row 1      |
//!   va2  d4  d5   a2[k] | q12  row 2      | q13  row 2      |
//!   va3  d6  d7   a3[k] | q14  row 3      | q15  row 3      |
//!                       +-----------------+-----------------+
//!   Depth k of row r is lane k % 4 of d(2r + k / 4). The zero point of a is already in the bias.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_q31_4x8__aarch32_neon_mlal_lane
    .type   qu8_gemm_q31_4x8__aarch32_neon_mlal_lane, %function
qu8_gemm_q31_4x8__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 24 + 64 bytes, so stack arguments now start at sp + 88.
    // r9 is not used; it keeps sp a multiple of 8.
    push        {r4-r9}
    vpush       {d8-d15}

    // ---- Point at four rows of a; rows that do not exist repeat the last one that does.
    ldr         r12, [sp, #88]                  // r12: a_stride
    ldr         r7, [sp, #92]                   // r7: packed weights
    ldr         r8, [sp, #104]                  // r8: parameters
    cmp         r0, #2
    add         r4, r3, r12
    movlo       r4, r3                          // mr = 1: row 1 is row 0 again
    add         r5, r4, r12
    movls       r5, r4                          // mr <= 2: row 2 is row 1 again
    cmp         r0, #4
    add         r6, r5, r12
    movne       r6, r5                          // mr <= 3: row 3 is row 2 again

    // ---- Start all four rows from the biases of the eight columns.
    vld1.8      {d16-d19}, [r7]!                // q8, q9: biases of columns 0..3, 4..7
    add         r12, r8, #12
    vld1.8      {d14[]}, [r12]                  // d14: zero point of w, 8 times
    vmov        q10, q8                         // q10, q11: row 1
    vmov        q11, q9
    vmov        q12, q8                         // q12, q13: row 2
    vmov        q13, q9
    vmov        q14, q8                         // q14, q15: row 3
    vmov        q15, q9

    // ---- Eight depths at a time, as long as eight are left.
    subs        r2, r2, #8                      // r2: depths left after the next eight
    blo         1f
0:
    vld1.8      {d0}, [r3]!                     // d0: row 0, depths 0..7, 8 bytes
    vld1.8      {d2}, [r4]!                     // d2: row 1, 8 bytes
    vld1.8      {d4}, [r5]!                     // d4: row 2, 8 bytes
    vld1.8      {d6}, [r6]!                     // d6: row 3, 8 bytes
    vld1.8      {d8}, [r7]!                     // d8: depth 0 of 8 columns
    vld1.8      {d10}, [r7]!                    // d10: depth 1
    vmovl.u8    q0, d0                          // q0..q3: the four rows as int16
    vmovl.u8    q1, d2
    vmovl.u8    q2, d4
    vmovl.u8    q3, d6
    vsubl.u8    q4, d8, d14                     // q4: depth 0 less its zero point, as int16
    vsubl.u8    q5, d10, d14                    // q5: depth 1

    vmlal.s16   q8, d8, d0[0]                   // row 0 += a0[0] * depth 0
    vmlal.s16   q9, d9, d0[0]
    vmlal.s16   q10, d8, d2[0]                  // row 1 += a1[0] * depth 0
    vmlal.s16   q11, d9, d2[0]
    vmlal.s16   q12, d8, d4[0]                  // row 2 += a2[0] * depth 0
    vmlal.s16   q13, d9, d4[0]
    vmlal.s16   q14, d8, d6[0]                  // row 3 += a3[0] * depth 0
    vmlal.s16   q15, d9, d6[0]
    vld1.8      {d8}, [r7]!                     // d8: depth 2

    vmlal.s16   q8, d10, d0[1]                  // row 0 += a0[1] * depth 1
    vmlal.s16   q9, d11, d0[1]
    vmlal.s16   q10, d10, d2[1]                 // row 1 += a1[1] * depth 1
    vmlal.s16   q11, d11, d2[1]
    vsubl.u8    q4, d8, d14                     // q4: depth 2
    vmlal.s16   q12, d10, d4[1]                 // row 2 += a2[1] * depth 1
    vmlal.s16   q13, d11, d4[1]
    vmlal.s16   q14, d10, d6[1]                 // row 3 += a3[1] * depth 1
    vmlal.s16   q15, d11, d6[1]
    vld1.8      {d10}, [r7]!                    // d10: depth 3

    vmlal.s16   q8, d8, d0[2]                   // row 0 += a0[2] * depth 2
    vmlal.s16   q9, d9, d0[2]
    vmlal.s16   q10, d8, d2[2]                  // row 1 += a1[2] * depth 2
    vmlal.s16   q11, d9, d2[2]
    vsubl.u8    q5, d10, d14                    // q5: depth 3
    vmlal.s16   q12, d8, d4[2]                  // row 2 += a2[2] * depth 2
    vmlal.s16   q13, d9, d4[2]
    vmlal.s16   q14, d8, d6[2]                  // row 3 += a3[2] * depth 2
    vmlal.s16   q15, d9, d6[2]
    vld1.8      {d8}, [r7]!                     // d8: depth 4

    vmlal.s16   q8, d10, d0[3]                  // row 0 += a0[3] * depth 3
    vmlal.s16   q9, d11, d0[3]
    vmlal.s16   q10, d10, d2[3]                 // row 1 += a1[3] * depth 3
    vmlal.s16   q11, d11, d2[3]
    vsubl.u8    q4, d8, d14                     // q4: depth 4
    vmlal.s16   q12, d10, d4[3]                 // row 2 += a2[3] * depth 3
    vmlal.s16   q13, d11, d4[3]
    vmlal.s16   q14, d10, d6[3]                 // row 3 += a3[3] * depth 3
    vmlal.s16   q15, d11, d6[3]
    vld1.8      {d10}, [r7]!                    // d10: depth 5

    vmlal.s16   q8, d8, d1[0]                   // row 0 += a0[4] * depth 4
    vmlal.s16   q9, d9, d1[0]
    vmlal.s16   q10, d8, d3[0]                  // row 1 += a1[4] * depth 4
    vmlal.s16   q11, d9, d3[0]
    vsubl.u8    q5, d10, d14                    // q5: depth 5
    vmlal.s16   q12, d8, d5[0]                  // row 2 += a2[4] * depth 4
    vmlal.s16   q13, d9, d5[0]
    vmlal.s16   q14, d8, d7[0]                  // row 3 += a3[4] * depth 4
    vmlal.s16   q15, d9, d7[0]
    vld1.8      {d8}, [r7]!                     // d8: depth 6

    vmlal.s16   q8, d10, d1[1]                  // row 0 += a0[5] * depth 5
    vmlal.s16   q9, d11, d1[1]
    vmlal.s16   q10, d10, d3[1]                 // row 1 += a1[5] * depth 5
    vmlal.s16   q11, d11, d3[1]
    vsubl.u8    q4, d8, d14                     // q4: depth 6
    vmlal.s16   q12, d10, d5[1]                 // row 2 += a2[5] * depth 5
    vmlal.s16   q13, d11, d5[1]
    vmlal.s16   q14, d10, d7[1]                 // row 3 += a3[5] * depth 5
    vmlal.s16   q15, d11, d7[1]
    vld1.8      {d10}, [r7]!                    // d10: depth 7

    vmlal.s16   q8, d8, d1[2]                   // row 0 += a0[6] * depth 6
    vmlal.s16   q9, d9, d1[2]
    vmlal.s16   q10, d8, d3[2]                  // row 1 += a1[6] * depth 6
    vmlal.s16   q11, d9, d3[2]
    vsubl.u8    q5, d10, d14                    // q5: depth 7
    vmlal.s16   q12, d8, d5[2]                  // row 2 += a2[6] * depth 6
    vmlal.s16   q13, d9, d5[2]
    vmlal.s16   q14, d8, d7[2]                  // row 3 += a3[6] * depth 6
    vmlal.s16   q15, d9, d7[2]

    vmlal.s16   q8, d10, d1[3]                  // row 0 += a0[7] * depth 7
    vmlal.s16   q9, d11, d1[3]
    vmlal.s16   q10, d10, d3[3]                 // row 1 += a1[7] * depth 7
    vmlal.s16   q11, d11, d3[3]
    vmlal.s16   q12, d10, d5[3]                 // row 2 += a2[7] * depth 7
    vmlal.s16   q13, d11, d5[3]
    vmlal.s16   q14, d10, d7[3]                 // row 3 += a3[7] * depth 7
    vmlal.s16   q15, d11, d7[3]

    subs        r2, r2, #8
    bhs         0b

    // ---- The last 1..7 depths: read the 8 bytes that end with the row and shift the old ones out.
1:
    cmp         r2, #-8                         // r2: depths left - 8
    beq         2f                              // none left
    add         r3, r3, r2                      // up to 7 bytes back, for k < 8 before the row
    add         r4, r4, r2
    add         r5, r5, r2
    add         r6, r6, r2
    lsl         r12, r2, #3
    vdup.32     d15, r12                        // d15: minus the bits to shift out
    vld1.8      {d0}, [r3]
    vld1.8      {d2}, [r4]
    vld1.8      {d4}, [r5]
    vld1.8      {d6}, [r6]
    vshl.u64    d0, d0, d15                     // d0: the last depths of row 0, then zeros
    vshl.u64    d2, d2, d15
    vshl.u64    d4, d4, d15
    vshl.u64    d6, d6, d15
    vmovl.u8    q0, d0
    vmovl.u8    q1, d2
    vmovl.u8    q2, d4
    vmovl.u8    q3, d6

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 0 of the rest
    vmlal.s16   q8, d8, d0[0]
    vmlal.s16   q9, d9, d0[0]
    vmlal.s16   q10, d8, d2[0]
    vmlal.s16   q11, d9, d2[0]
    vmlal.s16   q12, d8, d4[0]
    vmlal.s16   q13, d9, d4[0]
    vmlal.s16   q14, d8, d6[0]
    vmlal.s16   q15, d9, d6[0]
    cmp         r2, #-6
    blt         2f                              // 1 depth left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 1 of the rest
    vmlal.s16   q8, d8, d0[1]
    vmlal.s16   q9, d9, d0[1]
    vmlal.s16   q10, d8, d2[1]
    vmlal.s16   q11, d9, d2[1]
    vmlal.s16   q12, d8, d4[1]
    vmlal.s16   q13, d9, d4[1]
    vmlal.s16   q14, d8, d6[1]
    vmlal.s16   q15, d9, d6[1]
    beq         2f                              // 2 depths left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 2 of the rest
    vmlal.s16   q8, d8, d0[2]
    vmlal.s16   q9, d9, d0[2]
    vmlal.s16   q10, d8, d2[2]
    vmlal.s16   q11, d9, d2[2]
    vmlal.s16   q12, d8, d4[2]
    vmlal.s16   q13, d9, d4[2]
    vmlal.s16   q14, d8, d6[2]
    vmlal.s16   q15, d9, d6[2]
    cmp         r2, #-4
    blt         2f                              // 3 depths left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 3 of the rest
    vmlal.s16   q8, d8, d0[3]
    vmlal.s16   q9, d9, d0[3]
    vmlal.s16   q10, d8, d2[3]
    vmlal.s16   q11, d9, d2[3]
    vmlal.s16   q12, d8, d4[3]
    vmlal.s16   q13, d9, d4[3]
    vmlal.s16   q14, d8, d6[3]
    vmlal.s16   q15, d9, d6[3]
    beq         2f                              // 4 depths left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 4 of the rest
    vmlal.s16   q8, d8, d1[0]
    vmlal.s16   q9, d9, d1[0]
    vmlal.s16   q10, d8, d3[0]
    vmlal.s16   q11, d9, d3[0]
    vmlal.s16   q12, d8, d5[0]
    vmlal.s16   q13, d9, d5[0]
    vmlal.s16   q14, d8, d7[0]
    vmlal.s16   q15, d9, d7[0]
    cmp         r2, #-2
    blt         2f                              // 5 depths left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 5 of the rest
    vmlal.s16   q8, d8, d1[1]
    vmlal.s16   q9, d9, d1[1]
    vmlal.s16   q10, d8, d3[1]
    vmlal.s16   q11, d9, d3[1]
    vmlal.s16   q12, d8, d5[1]
    vmlal.s16   q13, d9, d5[1]
    vmlal.s16   q14, d8, d7[1]
    vmlal.s16   q15, d9, d7[1]
    beq         2f                              // 6 depths left: done

    vld1.8      {d8}, [r7]!
    vsubl.u8    q4, d8, d14                     // q4: depth 6 of the rest
    vmlal.s16   q8, d8, d1[2]
    vmlal.s16   q9, d9, d1[2]
    vmlal.s16   q10, d8, d3[2]
    vmlal.s16   q11, d9, d3[2]
    vmlal.s16   q12, d8, d5[2]
    vmlal.s16   q13, d9, d5[2]
    vmlal.s16   q14, d8, d7[2]
    vmlal.s16   q15, d9, d7[2]

    // ---- Scale: high half of twice the product with the multiplier, rounded, then a rounding shift right.
2:
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
    ldr         r3, [sp, #96]                   // r3: row 0 of c
    ldr         r12, [sp, #100]                 // r12: c_stride
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
    bne         3f
    vst1.8      {d16}, [r3]
    vst1.8      {d17}, [r4]
    vst1.8      {d18}, [r5]
    vst1.8      {d19}, [r6]
    b           6f
3:
    tst         r1, #4
    beq         4f
    vst1.32     {d16[0]}, [r3]!
    vst1.32     {d17[0]}, [r4]!
    vst1.32     {d18[0]}, [r5]!
    vst1.32     {d19[0]}, [r6]!
    vext.8      q8, q8, q8, #4                  // d16, d17: columns 4.. first
    vext.8      q9, q9, q9, #4                  // d18, d19: columns 4.. first
4:
    tst         r1, #2
    beq         5f
    vst1.16     {d16[0]}, [r3]!
    vst1.16     {d17[0]}, [r4]!
    vst1.16     {d18[0]}, [r5]!
    vst1.16     {d19[0]}, [r6]!
    vext.8      q8, q8, q8, #2                  // the last column first
    vext.8      q9, q9, q9, #2
5:
    tst         r1, #1
    beq         6f
    vst1.8      {d16[0]}, [r3]
    vst1.8      {d17[0]}, [r4]
    vst1.8      {d18[0]}, [r5]
    vst1.8      {d19[0]}, [r6]

    // ---- Give back what was saved.
6:
    vpop        {d8-d15}
    pop         {r4-r9}
    bx          lr
    .size   qu8_gemm_q31_4x8__aarch32_neon_mlal_lane, . - qu8_gemm_q31_4x8__aarch32_neon_mlal_lane
