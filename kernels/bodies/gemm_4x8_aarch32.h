// A GEMM tile of 4 rows and 8 columns with bytes as results, on AArch32. A kernel includes its macros first (gemm_4x8,
// what multiplies, what scales), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products over the depth, with its arguments: r0 counts, r2 is the depth
//   NEONV8 or DOTPROD              what its instructions need, if that is more than Armv7 has
//   UINT8        a and w are unsigned
//   RNDNU, FP32, QC8W or TENGINE   how sums become bytes; MAGIC: how FP32 and QC8W round on Armv7

    pw         .req r7
    pa0        .req r3
    pa1        .req r4
    pa2        .req r5
    pa3        .req r6
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
    // ---- Save what belongs to the caller: 32 + 64 bytes, so stack arguments now start at sp + 96.
    push        {r4-r11}
    vpush       {d8-d15}
#define PARAMS_AT 116

    // ---- Point at the weights, at four rows of a and of c.
    ldr         r12, [sp, #96]                 // r12: a_stride
    four_rows   r0, r12, r3, r4, r5, r6
    ldr         r7, [sp, #100]                 // r7: weights
    ldr         r8, [sp, #104]                 // r8: c
    ldr         r12, [sp, #108]                // r12: cm_stride
    four_rows   r0, r12, r8, r9, r10, r11
#ifdef UINT8
    ldr         r12, [sp, #PARAMS_AT]          // r12: parameters
    add         r12, r12, #WZP_AT
    vld1.8      {d14[]}, [r12]                  // d14: zero point of w, 8 times
#endif

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    MULTIPLY

#include "bodies/scale_4x8_aarch32.h"

    // ---- Store 8 columns of each row, then the next block.
    ldr         r12, [sp, #112]                // r12: cn_stride
    subs        r1, r1, #8                      // columns left after these
    blo         2f
    store_block r12
    rewind_rows r2
    bne         0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  r1

    // ---- Give back what was saved.
3:
    vpop        {d8-d15}
    pop         {r4-r11}
    bx          lr
    .size   KERNEL, . - KERNEL
