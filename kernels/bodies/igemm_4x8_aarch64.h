// An indirect GEMM tile of 4 rows and 8 columns with bytes as results, rndnu, on AArch64. A kernel includes its macros first
// (gemm_4x8, what multiplies, int8, rndnu), then it defines KERNEL, its name, and MULTIPLY: the macro that adds the products
// of a tap, with its arguments: x0 counts, x2 is the depth.

    pw         .req x5
    pa0        .req x17
    pa1        .req x10
    pa2        .req x11
    pa3        .req x12
    pc0        .req x6
    pc1        .req x13
    pc2        .req x14
    pc3        .req x15
    multiplier .req v0
    preshift   .req v1
    postshift  .req v2
    zeropoint  .req v3
    upper      .req v4
    lower      .req v5

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    four_rows   x0, x7, x6, x13, x14, x15
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: the row of zeros
    ldr         x9, [sp, #24]                   // x9: parameters
    stp         x19, x20, [sp, #-16]!

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
    sub         x4, x4, x3, lsl #5              // x4: the first tap's pointers again

    // ---- Scale, add the zero point of c, clamp.
    mov         x20, x9
    load_rndnu  x20
    scale_half_row_rndnu v16, v17
    scale_half_row_rndnu v18, v19
    scale_half_row_rndnu v20, v21
    scale_half_row_rndnu v22, v23
    narrow_half_row v16, v17     // v16: 8 bytes of row 0
    narrow_half_row v18, v19
    narrow_half_row v20, v21
    narrow_half_row v22, v23

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
    ldp         x19, x20, [sp], #16
    ret
