//! 6x4 uint8 GEMM tile; multiply-accumulate long by element.
//! contract: qu8_gemm_q31
//! tile: 6x4
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows of this tile, 1..6
//! in   nr          r1          columns of this tile, 1..4
//! in   kc          r2          depth, at least 1
//! in   a           r3          uint8 [mr, kc]
//! in   a_stride    [sp]        bytes from one row of a to the next
//! in   w           [sp, #4]    packed weights: 4 int32 biases, then kc times 4 bytes
//! in   c           [sp, #8]    uint8 [mr, nr], the result
//! in   c_stride    [sp, #12]   bytes from one row of c to the next
//! in   params      [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pa0..pa5    r3-r8       where the six rows of a are read next, then rows of c
//! reg  pw          r9          where the weights are read next
//! reg  t           r12         scratch
//! reg  pr          r10         the weights of the last depths
//! reg  va0..va3    q0-q3       8 depths of rows 0 to 3, then 4 and 5, as int16: 16-bit lanes are d0..d7 only
//! reg  vb0..vb3    q4-q7       4 columns of two depths of w each, less their zero point, as int16
//! reg  vacc0..vacc5 q8-q13     int32 sums, one register per row
//! reg  vwzp        d28         the zero point of w, 8 times
//! reg  vs          d29         minus the bits to shift out of the last depths
//!
//!                     vb: columns 0..3 of two depths
//!                     | w0 w1 w2 w3 | w0 w1 w2 w3 |      24 products out of 10 loaded bytes: 2.4 for each, where
//!   six rows of a     | one sum     |                    4x8 has 32 out of 12: 2.67
//!                     | per row     |

#include "include/q31_aarch32.h"

    multiplier  .req q0
    leftshift   .req q1
    unshifted   .req q2
    zeropoint   .req q3
    upper       .req d8
    lower       .req d9

// Pointers to six rows from the first one, r3; rows that do not exist repeat the last one that does.
.macro six_rows stride
    cmp         r0, #2
    add         r4, r3, \stride
    movlo       r4, r3                          // mr <= 1: row 1 is row 0 again
    add         r5, r4, \stride
    movls       r5, r4                          // mr <= 2
    cmp         r0, #4
    add         r6, r5, \stride
    movlo       r6, r5                          // mr <= 3
    add         r7, r6, \stride
    movls       r7, r6                          // mr <= 4
    cmp         r0, #6
    add         r8, r7, \stride
    movlo       r8, r7                          // mr <= 5
.endm

// One depth of rows 0 to 3: b is the d register with its four columns, a0..a3 those with its lane of each row.
.macro rows_0_to_3 b, a0, a1, a2, a3, lane
    vmlal.s16   q8, \b, \a0[\lane]
    vmlal.s16   q9, \b, \a1[\lane]
    vmlal.s16   q10, \b, \a2[\lane]
    vmlal.s16   q11, \b, \a3[\lane]
.endm

// The same for rows 4 and 5; a2 and a3 are not used.
.macro rows_4_and_5 b, a0, a1, a2, a3, lane
    vmlal.s16   q12, \b, \a0[\lane]
    vmlal.s16   q13, \b, \a1[\lane]
.endm

// Eight depths, whose weights are in q4..q7, two depths each.
.macro eight_depths rows
    \rows d8, d0, d2, d4, d6, 0
    \rows d9, d0, d2, d4, d6, 1
    \rows d10, d0, d2, d4, d6, 2
    \rows d11, d0, d2, d4, d6, 3
    \rows d12, d1, d3, d5, d7, 0
    \rows d13, d1, d3, d5, d7, 1
    \rows d14, d1, d3, d5, d7, 2
    \rows d15, d1, d3, d5, d7, 3
.endm

// One depth of the rest, whose weights come next.
.macro one_depth rows, a0, a1, a2, a3, lane
    vld1.32     {d12[]}, [r9]!
    vsubl.u8    q6, d12, d28
    \rows d12, \a0, \a1, \a2, \a3, \lane
.endm

.macro rest_of_depths rows
    one_depth   \rows, d0, d2, d4, d6, 0
    cmp         r2, #-6
    blt         20f                             // 1 depth left: done
    one_depth   \rows, d0, d2, d4, d6, 1
    beq         20f                             // 2 depths left: done
    one_depth   \rows, d0, d2, d4, d6, 2
    cmp         r2, #-4
    blt         20f                             // an odd number of depths: done
    one_depth   \rows, d0, d2, d4, d6, 3
    beq         20f                             // an even number of depths: done
    one_depth   \rows, d1, d3, d5, d7, 0
    cmp         r2, #-2
    blt         20f                             // an odd number of depths: done
    one_depth   \rows, d1, d3, d5, d7, 1
    beq         20f                             // an even number of depths: done
    one_depth   \rows, d1, d3, d5, d7, 2
20:
.endm

// The last depths of one row: 8 bytes that end with it, the old ones shifted out.
.macro last_of_row q, d, p
    add         \p, \p, r2                      // up to 7 bytes back, for kc < 8 before the row
    vld1.8      {\d}, [\p]
    vshl.u64    \d, \d, d29
    vmovl.u8    \q, \d
.endm

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_gemm_q31_6x4__aarch32_neon_mlal_lane
    .type   qu8_gemm_q31_6x4__aarch32_neon_mlal_lane, %function
qu8_gemm_q31_6x4__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}

    // ---- Point at six rows of a; rows that do not exist repeat the last one that does.
    ldr         r12, [sp, #96]                  // r12: a_stride
    six_rows    r12

    // ---- Start all six rows from the biases of the four columns.
    ldr         r9, [sp, #100]                  // r9: packed weights
    ldr         r12, [sp, #112]
    add         r12, r12, #12
    vld1.8      {d28[]}, [r12]                  // d28: zero point of w
    vld1.8      {d16-d17}, [r9]!
    vmov        q9, q8
    vmov        q10, q8
    vmov        q11, q8
    vmov        q12, q8
    vmov        q13, q8

    // ---- Eight depths at a time, as long as eight are left: their weights, then four rows, then two.
    subs        r2, r2, #8
    blo         1f
0:
    vld1.8      {d8}, [r9]!                     // q4..q7: four columns of depths 0 and 1, 2 and 3, ..
    vld1.8      {d10}, [r9]!
    vld1.8      {d12}, [r9]!
    vld1.8      {d14}, [r9]!
    vsubl.u8    q4, d8, d28
    vsubl.u8    q5, d10, d28
    vsubl.u8    q6, d12, d28
    vsubl.u8    q7, d14, d28
    vld1.8      {d0}, [r3]!
    vld1.8      {d2}, [r4]!
    vld1.8      {d4}, [r5]!
    vld1.8      {d6}, [r6]!
    vmovl.u8    q0, d0                          // q0..q3: rows 0 to 3
    vmovl.u8    q1, d2
    vmovl.u8    q2, d4
    vmovl.u8    q3, d6
    eight_depths rows_0_to_3
    vld1.8      {d0}, [r7]!
    vld1.8      {d2}, [r8]!
    vmovl.u8    q0, d0                          // q0, q1: rows 4 and 5
    vmovl.u8    q1, d2
    eight_depths rows_4_and_5
    subs        r2, r2, #8
    bhs         0b

    // ---- The last 1..7 depths, in the same order; their weights are read twice.
1:
    cmp         r2, #-8                         // none left?
    beq         2f                              // an even number of depths: done
    lsl         r12, r2, #3
    vdup.32     d29, r12                        // d29: minus the bits to shift out
    mov         r10, r9
    last_of_row q0, d0, r3
    last_of_row q1, d2, r4
    last_of_row q2, d4, r5
    last_of_row q3, d6, r6
    rest_of_depths rows_0_to_3
    mov         r9, r10
    last_of_row q0, d0, r7
    last_of_row q1, d2, r8
    rest_of_depths rows_4_and_5

    // ---- Scale, add the zero point of c, clamp: two rows end in each of d16, d20, d24.
2:
    ldr         r12, [sp, #112]
    load_q31    r12, d0, d1, d2, d3, d6, d7
    requantize_q31 q8, q9, d16, d17, q5, q6     // d16: 8 bytes
    requantize_q31 q10, q11, d20, d21, q5, q6
    requantize_q31 q12, q13, d24, d25, q5, q6

    // ---- Point at six rows of c, as for a, and store four columns, or else 2, 1 of them.
    ldr         r3, [sp, #104]                  // r3: row 0 of c
    ldr         r12, [sp, #108]                 // r12: c_stride
    six_rows    r12
    cmp         r1, #4
    bne         3f
    vst1.32     {d16[0]}, [r3]
    vst1.32     {d16[1]}, [r4]
    vst1.32     {d20[0]}, [r5]
    vst1.32     {d20[1]}, [r6]
    vst1.32     {d24[0]}, [r7]
    vst1.32     {d24[1]}, [r8]
    b           5f
3:
    tst         r1, #2
    beq         4f
    vst1.16     {d16[0]}, [r3]!
    vst1.16     {d16[2]}, [r4]!
    vst1.16     {d20[0]}, [r5]!
    vst1.16     {d20[2]}, [r6]!
    vst1.16     {d24[0]}, [r7]!
    vst1.16     {d24[2]}, [r8]!
    vshr.u32    d16, d16, #16                   // the last column of both rows first
    vshr.u32    d20, d20, #16
    vshr.u32    d24, d24, #16
4:
    tst         r1, #1
    beq         5f
    vst1.8      {d16[0]}, [r3]
    vst1.8      {d16[4]}, [r4]
    vst1.8      {d20[0]}, [r5]
    vst1.8      {d20[4]}, [r6]
    vst1.8      {d24[0]}, [r7]
    vst1.8      {d24[4]}, [r8]

    // ---- Give back what was saved.
5:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qu8_gemm_q31_6x4__aarch32_neon_mlal_lane, . - qu8_gemm_q31_6x4__aarch32_neon_mlal_lane
