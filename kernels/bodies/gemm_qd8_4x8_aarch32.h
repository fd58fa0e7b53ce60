// A GEMM tile of 4 rows and 8 columns with floats as results, rows quantised as they come (qd8), on AArch32. A kernel
// includes its macros first (gemm_4x8, what multiplies, qd8), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products over the depth, with its arguments: r0 counts, r2 is the depth
//   DOTPROD      its instructions need that

    pw  .req r7
    pa0 .req r3
    pa1 .req r4
    pa2 .req r5
    pa3 .req r6
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
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}

    // ---- Point at the weights, at four rows of a and of c.
    ldr         r12, [sp, #96]                 // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6
    ldr         r7, [sp, #100]                 // r7: weights
    ldr         r8, [sp, #104]                 // r8: c
    ldr         r12, [sp, #108]                // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11
    ldr         r12, [sp, #116]                // r12: zero points and scales of the rows
    zero_points_of_rows r12, r0

    // ---- For each block of 8 columns: start each row from its zero point times minus the sums of the columns.
0:
    sums_from_zero_points

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    MULTIPLY

    // ---- Scale by row and column, add the bias, clamp.
    ldr         r0, [sp, #120]                 // r0: parameters
    finish_qd8  r0

    // ---- Store 8 columns of each row, then the next block.
    ldr         r12, [sp, #112]                // r12: cn_stride
    subs        r1, r1, #8                      // columns left after these
    blo         2f
    store_words r12
    rewind_rows r2
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest_of_words r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   KERNEL, . - KERNEL
