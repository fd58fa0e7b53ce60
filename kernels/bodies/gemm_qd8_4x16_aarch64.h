// A GEMM tile of 4 rows and 16 columns with floats as results, rows quantised as they come (qd8), on AArch64. A kernel
// includes its macros first (tile_4x16, what multiplies, qd8), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products over the depth, with its arguments: x0 counts, x2 is the depth
//   ARCH         for .arch, where Armv8.0 lacks an instruction
//   IN_PAIRS     the registers of sums hold two columns of two rows, as SMMLA has them

    pw  .req x5
    pa0 .req x3
    pa1 .req x10
    pa2 .req x11
    pa3 .req x12
    pc0 .req x6
    pc1 .req x13
    pc2 .req x14
    pc3 .req x15

#ifdef ARCH
    .arch   ARCH
#endif
    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch what came on the stack; point at the rows of a and of c.
    ldp         x8, x16, [sp]                   // x8: cn_stride, x16: zero points and scales of the rows
    ldr         x9, [sp, #16]                   // x9: parameters
    four_rows   x0, x4, x3, x10, x11, x12
    four_rows   x0, x7, x6, x13, x14, x15
    stp         d8, d9, [sp, #-16]!
    zero_points_of_rows x0, x16, x17, x7, x4

    // ---- For each block of 16 columns: start each row from its zero point times minus the sums of the columns.
0:
#ifdef IN_PAIRS
    sums_from_zero_points_in_pairs
#else
    sums_from_zero_points
#endif

    // ---- Run over the depth; the sums end in registers, the pointers behind the rows.
    MULTIPLY
#ifdef IN_PAIRS
    pairs_to_rows
#endif

    // ---- Scale by row and column, add the bias, clamp; store as floats.
    mov         x17, x9
    finish_qd8  x17
    subs        x1, x1, #16                    // columns left after these
    b.lo        2f
    store_words x8
    rewind_rows x2
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..15 columns.
2:
    store_rest_of_words x1

    // ---- Give back what was saved.
3:
    ldp         d8, d9, [sp], #16
    ret
