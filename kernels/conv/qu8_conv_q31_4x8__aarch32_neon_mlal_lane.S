//! 4x8 uint8 convolution tile over an indirection buffer; multiply-accumulate long by element.
//! contract: qu8_conv_q31
//! tile: 4x8
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   mr          r0          rows (output pixels) of this tile, 1..4
//! in   nr          r1          columns (output channels) of this tile, 1..8
//! in   kc          r2          input channels, at least 1
//! in   ks          r3          taps, at least 1
//! in   a           [sp]        pointers [ks, 4] to rows of kc bytes
//! in   w           [sp, #4]    packed weights: 8 int32 biases, then ks times kc times 8 bytes
//! in   c           [sp, #8]    uint8 [mr, nr], the result
//! in   c_stride    [sp, #12]   bytes from one row of c to the next
//! in   params      [sp, #16]   neonsim_q31_params, 16 bytes
//!
//! reg  pa0..pa3    r4-r7       where the four rows of this tap are read next, then rows of c
//! reg  pw          r8          where the weights are read next
//! reg  table       r9          the next tap's pointers
//! reg  count       r10         channels of this tap that are left, less 8
//! reg  t           r12         scratch
//! reg  va0..va3    q0-q3       8 channels of one row each, as int16
//! reg  vb0..vb1    q4-q5       8 columns of one depth of w, less their zero point, as int16
//! reg  vwzp        d14         the zero point of w, 8 times
//! reg  vacc[0..3]  q8-q15      int32, two registers per row
//!
//!   a   +----+----+----+----+        one tap = four pointers, one for each output pixel of the tile;
//!  tap 0| p0 | p1 | p2 | p3 | --->   a pixel that lies on padding points at a row of zero points
//!  tap 1| p0 | p1 | p2 | p3 |
//!       +----+----+----+----+        The loop over channels is that of the 4x8 GEMM tile; only where its rows
//!                                    come from is different. The sums stay in q8..q15 for all taps.

#include "include/q31_aarch32.h"
#include "include/tile_4x8_aarch32.h"

    pw          .req r8
    multiplier  .req q0
    leftshift   .req q1
    unshifted   .req q2
    zeropoint   .req q3
    upper       .req d8
    lower       .req d9

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global qu8_conv_q31_4x8__aarch32_neon_mlal_lane
    .type   qu8_conv_q31_4x8__aarch32_neon_mlal_lane, %function
qu8_conv_q31_4x8__aarch32_neon_mlal_lane:
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    // r11 is not used; it keeps sp a multiple of 8.
    push        {r4-r11}
    vpush       {d8-d15}
    ldr         r9, [sp, #96]                   // r9: table of pointers
    ldr         r8, [sp, #100]                  // r8: packed weights
    ldr         r12, [sp, #112]
    add         r12, r12, #12
    vld1.8      {d14[]}, [r12]                  // d14: zero point of w, 8 times

    // ---- Start all four rows from the biases of the eight columns.
    sums_from_bias

    // ---- For each tap: fetch its four pointers, then run over the channels they point at.
0:
    ldm         r9!, {r4-r7}                    // r4..r7: rows 0..3 of this tap
    mov         r10, r2
    whole_groups r10, r4, r5, r6, r7
    rest_of_group r10, r12, r4, r5, r6, r7
    subs        r3, r3, #1                      // r3: taps left
    bne         0b

    // ---- Scale, add the zero point of c, clamp; rows 0..3 end in d16, d20, d24, d28.
    ldr         r12, [sp, #112]
    load_q31    r12, d0, d1, d2, d3, d6, d7
    requantize_four_rows_q31 q5, q6

    // ---- Point at four rows of c; rows that do not exist are written over the last one that does.
    ldr         r4, [sp, #104]                  // r4: row 0 of c
    ldr         r12, [sp, #108]                 // r12: c_stride
    four_rows   r0, r12, r4, r5, r6, r7

    // ---- Store eight columns, or else 4, 2, 1 of them, turning the rest down to the first lanes.
    cmp         r1, #8
    bne         1f
    vst1.8      {d16}, [r4]
    vst1.8      {d20}, [r5]
    vst1.8      {d24}, [r6]
    vst1.8      {d28}, [r7]
    b           4f
1:
    tst         r1, #4
    beq         2f
    vst1.32     {d16[0]}, [r4]!
    vst1.32     {d20[0]}, [r5]!
    vst1.32     {d24[0]}, [r6]!
    vst1.32     {d28[0]}, [r7]!
    vext.8      d16, d16, d16, #4               // columns 4.. first
    vext.8      d20, d20, d20, #4
    vext.8      d24, d24, d24, #4
    vext.8      d28, d28, d28, #4
2:
    tst         r1, #2
    beq         3f
    vst1.16     {d16[0]}, [r4]!
    vst1.16     {d20[0]}, [r5]!
    vst1.16     {d24[0]}, [r6]!
    vst1.16     {d28[0]}, [r7]!
    vext.8      d16, d16, d16, #2               // the last column first
    vext.8      d20, d20, d20, #2
    vext.8      d24, d24, d24, #2
    vext.8      d28, d28, d28, #2
3:
    tst         r1, #1
    beq         4f
    vst1.8      {d16[0]}, [r4]
    vst1.8      {d20[0]}, [r5]
    vst1.8      {d24[0]}, [r6]
    vst1.8      {d28[0]}, [r7]

    // ---- Give back what was saved.
4:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   qu8_conv_q31_4x8__aarch32_neon_mlal_lane, . - qu8_conv_q31_4x8__aarch32_neon_mlal_lane
