// An indirect GEMM tile of 4 rows and 8 columns with floats as results, rows quantised as they come (qd8), on AArch32.
// A kernel includes its macros first (gemm_4x8, what multiplies, qd8), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products of a tap, with its arguments: r0 counts, r2 is the depth
//   DOTPROD      its instructions need that

    pw  .req r7
    pa0 .req r4
    pa1 .req r5
    pa2 .req r6
    pa3 .req r12
    pc0 .req r8
    pc1 .req r9
    pc2 .req r10
    pc3 .req r11

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller, and nc, kc, ks: 48 + 64 bytes, so stack arguments now start at sp + 112.
    push        {r1-r11, lr}
    vpush       {d8-d15}

    // ---- Point at the weights and at four rows of c; fetch what the image brings along.
    ldr         r7, [sp, #116]                  // r7: weights
    ldr         r8, [sp, #120]                  // r8: c
    ldr         r12, [sp, #124]                // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11
    ldr         r12, [sp, #144]                // r12: zero point and scale
    zero_point_of_image r12

    // ---- For each block of 8 columns: start the rows from the zero point times minus the sums of the columns.
0:
    sums_from_zero_points
    ldr         r14, [sp, #112]                // r14: the first tap's pointers
    ldr         r3, [sp, #72]                   // r3: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    ldr         r0, [sp, #136]                // r0: zero
    ldr         r1, [sp, #140]                // r1: the row of zero points
    ldr         r2, [sp, #132]                // r2: a_offset
    rows_of_tap_or r14, r2, r0, r1
    ldr         r2, [sp, #68]                   // r2: kc
    MULTIPLY
    subs        r3, r3, #1
    bne         1b

    // ---- Scale by image and column, add the bias, clamp.
    ldr         r0, [sp, #148]                 // r0: parameters
    finish_qd8  r0

    // ---- Store 8 columns of each row, then the next block. The columns left are counted where nc was saved.
    ldr         r12, [sp, #128]                // r12: cn_stride
    ldr         r1, [sp, #64]
    subs        r1, r1, #8                      // columns left after these
    str         r1, [sp, #64]
    blo         2f
    store_words r12
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_words r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r1-r11, pc}
    .size   KERNEL, . - KERNEL
