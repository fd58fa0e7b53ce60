// An indirect GEMM tile of 4 rows and 16 columns with bytes as results, on AArch64. A kernel includes its macros first
// (tile_4x16, what multiplies, what scales), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products of a tap, with its arguments: x0 counts, x2 is the depth
//   ARCH         for .arch, where Armv8.0 lacks an instruction
//   TEMPORARIES  MULTIPLY also needs t0 and t1
//   D8_TO_D11    MULTIPLY changes these, which belong to the caller
//   IN_PAIRS     the registers of sums hold two columns of two rows, as SMMLA has them
//   UINT8        a and w are unsigned
//   RNDNU, FP32, QC8W or TENGINE   how sums become bytes

    pw         .req x5                          // packed weights
    pa0        .req x17
    pa1        .req x10
    pa2        .req x11
    pa3        .req x12
    pc0        .req x6
    pc1        .req x13
    pc2        .req x14
    pc3        .req x15
#include "bodies/names_aarch64.h"
#ifdef TEMPORARIES
    t0         .req x21
    t1         .req x22
#endif

#ifdef ARCH
    .arch   ARCH
#endif
    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    four_rows   x0, x7, x6, x13, x14, x15
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: the row of zeros
    ldr         x9, [sp, #24]                   // x9: parameters
#ifdef TEMPORARIES
    stp         x19, x20, [sp, #-32]!
    stp         x21, x22, [sp, #16]
#else
    stp         x19, x20, [sp, #-16]!
#endif
#ifdef D8_TO_D11
    stp         d8, d9, [sp, #-32]!
    stp         d10, d11, [sp, #16]
#endif
#ifdef UINT8
    add         x20, x9, #WZP_AT
    ld1r        {wzp.16b}, [x20]                // the zero point of w, 16 times
#endif

    // ---- For each block of 16 columns: start the rows from the biases.
0:
#ifdef IN_PAIRS
    sums_from_bias_in_pairs
#else
    sums_from_bias
#endif
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap x4, x16, x7                     // x4: the next tap's pointers
    MULTIPLY
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #5              // x4: the first tap's pointers again
#ifdef IN_PAIRS
    pairs_to_rows
#endif

#define PARAMS x20
#include "bodies/scale_4x16_aarch64.h"

    // ---- Store 16 columns of each row, then the next block.
    subs        x1, x1, #16                    // columns left after these
    b.lo        2f
    store_block x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..15 columns.
2:
    store_rest  x1

    // ---- Give back what was saved.
3:
#ifdef D8_TO_D11
    ldp         d10, d11, [sp, #16]
    ldp         d8, d9, [sp], #32
#endif
#ifdef TEMPORARIES
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #32
#else
    ldp         x19, x20, [sp], #16
#endif
    ret
