// A GEMM tile of 2 rows and 8 columns with bytes as results, on AArch64. A kernel includes its macros first (gemm_2x8, what
// multiplies, what scales), then it defines what is its own:
//
//   KERNEL          its name
//   MULTIPLY        the macro that adds the products over the depth, with its arguments: x0 counts, x2 is the depth
//   RNDNU or QC8W   how sums become bytes

    pw         .req x5
    pa0        .req x3
    pa1        .req x10
    pc0        .req x6
    pc1        .req x13
#include "bodies/names_aarch64.h"

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch what came on the stack; point at the rows of a and of c.
    ldp         x8, x9, [sp]                    // x8: cn_stride, x9: parameters
    two_rows    x0, x4, x3, x10
    two_rows    x0, x7, x6, x13
    stp         d8, d9, [sp, #-32]!
    stp         d10, d11, [sp, #16]

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    MULTIPLY
    add_partial_sums

#define PARAMS x17
#include "bodies/scale_2x8_aarch64.h"

    // ---- Store 8 columns of each row, then the next block.
    subs        x1, x1, #8                     // columns left after these
    b.lo        2f
    store_block x8
    rewind_rows x2
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  x1

    // ---- Give back what was saved.
3:
    ldp         d10, d11, [sp, #16]
    ldp         d8, d9, [sp], #32
    ret
