// An indirect GEMM tile of 2 rows and 8 columns with bytes as results, on AArch64. A kernel includes its macros first
// (gemm_2x8, what multiplies, what scales), then it defines what is its own:
//
//   KERNEL          its name
//   MULTIPLY        the macro that adds the products of a tap, with its arguments: x0 counts, x2 is the depth
//   RNDNU or QC8W   how sums become bytes

    pw         .req x5
    pa0        .req x17
    pa1        .req x10
    pc0        .req x6
    pc1        .req x13
#include "bodies/names_aarch64.h"

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    two_rows    x0, x7, x6, x13
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: the row of zeros
    ldr         x9, [sp, #24]                   // x9: parameters
    stp         x19, x20, [sp, #-16]!
    stp         d8, d9, [sp, #-32]!
    stp         d10, d11, [sp, #16]

    // ---- For each block of 8 columns: start the rows from the biases.
0:
    sums_from_bias
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap x4, x16, x7                     // x4: the next tap's pointers
    MULTIPLY
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #4              // x4: the first tap's pointers again
    add_partial_sums

#define PARAMS x20
#include "bodies/scale_2x8_aarch64.h"

    // ---- Store 8 columns of each row, then the next block.
    subs        x1, x1, #8                     // columns left after these
    b.lo        2f
    store_block x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..7 columns.
2:
    store_rest  x1

    // ---- Give back what was saved.
3:
    ldp         d10, d11, [sp, #16]
    ldp         d8, d9, [sp], #32
    ldp         x19, x20, [sp], #16
    ret
