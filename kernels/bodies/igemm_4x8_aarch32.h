// An indirect GEMM tile of 4 rows and 8 columns with bytes as results, on AArch32. A kernel includes its macros first
// (gemm_4x8, what multiplies, what scales), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products of a tap, with its arguments: r0 counts, r2 is the depth
//   NEONV8 or DOTPROD              what its instructions need, if that is more than Armv7 has
//   UINT8        a and w are unsigned
//   RNDNU, FP32, QC8W or TENGINE   how sums become bytes; MAGIC: how FP32 and QC8W round on Armv7

    pw         .req r7
    pa0        .req r4
    pa1        .req r5
    pa2        .req r6
    pa3        .req r12
    pc0        .req r8
    pc1        .req r9
    pc2        .req r10
    pc3        .req r11
#include "bodies/names_aarch32.h"

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller, and nc, kc, ks: 48 + 64 bytes, so stack arguments now start at sp + 112.
    push        {r1-r11, lr}
    vpush       {d8-d15}
#define PARAMS_AT 140

    // ---- Point at the weights and at four rows of c.
    ldr         r7, [sp, #116]                  // r7: weights
    ldr         r8, [sp, #120]                  // r8: c
    ldr         r12, [sp, #124]                // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11
#ifdef UINT8
    ldr         r12, [sp, #PARAMS_AT]          // r12: parameters
    add         r12, r12, #WZP_AT
    vld1.8      {d14[]}, [r12]                  // d14: zero point of w, 8 times
#endif

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias
    ldr         r14, [sp, #112]                // r14: the first tap's pointers
    ldr         r3, [sp, #72]                   // r3: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    ldr         r0, [sp, #136]                // r0: the row of zeros
    ldr         r2, [sp, #132]                // r2: a_offset
    rows_of_tap r14, r2, r0
    ldr         r2, [sp, #68]                   // r2: kc
    MULTIPLY
    subs        r3, r3, #1
    bne         1b

#include "bodies/scale_4x8_aarch32.h"

    // ---- Store 8 columns of each row, then the next block.
    ldr         r12, [sp, #128]                // r12: cn_stride
    subs        r1, r1, #8                      // columns left after these
    blo         2f
    store_block r12
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r1-r11, pc}
    .size   KERNEL, . - KERNEL
