// An indirect GEMM tile of 4 rows and 16 columns with floats as results, rows quantised as they come (qd8), on AArch64.
// A kernel includes its macros first (tile_4x16, what multiplies, qd8), then it defines what is its own:
//
//   KERNEL       its name
//   MULTIPLY     the macro that adds the products of a tap, with its arguments: x0 counts, x2 is the depth
//   ARCH         for .arch, where Armv8.0 lacks an instruction
//   IN_PAIRS     the registers of sums hold two columns of two rows, as SMMLA has them

    pw  .req x5
    pa0 .req x17
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
    // ---- Fetch what came on the stack, save what belongs to the caller, point at the rows of c.
    ldr         x8, [sp]                        // x8: cn_stride
    four_rows   x0, x7, x6, x13, x14, x15
    ldp         x16, x7, [sp, #8]               // x16: a_offset, x7: zero
    ldp         x17, x9, [sp, #32]              // x17: zero point and scale, x9: parameters
    stp         x19, x20, [sp, #-32]!
    stp         d8, d9, [sp, #16]
    ldr         x20, [sp, #56]                  // x20: the row of zero points
    zero_point_of_image x17

    // ---- For each block of 16 columns: start the rows from the zero point times minus the sums of the columns.
0:
#ifdef IN_PAIRS
    sums_from_zero_points_in_pairs
#else
    sums_from_zero_points
#endif
    mov         x19, x3                         // x19: taps left

    // ---- For each tap: fetch its pointers, then run over the channels they point at.
1:
    rows_of_tap_or x4, x16, x7, x20             // x4: the next tap's pointers
    MULTIPLY
    subs        x19, x19, #1
    b.ne        1b
    sub         x4, x4, x3, lsl #5              // x4: the first tap's pointers again
#ifdef IN_PAIRS
    pairs_to_rows
#endif

    // ---- Scale by image and column, add the bias, clamp; store as floats.
    mov         x17, x9
    finish_qd8  x17
    subs        x1, x1, #16                    // columns left after these
    b.lo        2f
    store_words x8
    b.ne        0b                              // flags still of the columns
    b           3f

    // ---- The last 1..15 columns.
2:
    store_rest_of_words x1

    // ---- Give back what was saved.
3:
    ldp         d8, d9, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
