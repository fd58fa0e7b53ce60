// Depthwise kernels of int8, 9 taps, 16 channels at a time, on AArch64: the whole way of a call, but for how taps
// are multiplied (dwconv_mla8, mul8 or mul16) and sums made bytes (dwconv_rndnu or qc8w), which a kernel includes before.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Save what belongs to the caller, x19 to x23; fetch the parameters.
    ldp         x17, x8, [sp]                   // x17: the row of zeros, x8: parameters
    stp         x19, x20, [sp, #-48]!
    stp         x21, x22, [sp, #16]
    str         x23, [sp, #32]
    load_scheme x8

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    nine_rows
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    mov         x20, #0                         // x20: channels done
    subs        x21, x0, #16                    // x21: channels left, less 16
    b.lo        2f

    // ---- Sixteen channels at a time: their sums are made bytes while the next sixteen are added up.
    wide_sums_from_bias
    wide_nine_taps
    start_16                                    // v30, v31: 16 int16
    add         x20, x20, #16
    subs        x21, x21, #16
    b.lo        5f
1:
    wide_sums_from_bias
    wide_nine_taps_and_bytes                    // v30: 16 bytes
    str         q30, [x4], #16
    start_16
    add         x20, x20, #16
    subs        x21, x21, #16
    b.hs        1b
5:
    all_wide_parts
    str         q30, [x4], #16

    // ---- Eight of the last 1..15 channels, if there are as many.
2:
    mov         x22, x19                        // x22: the last block
    mov         x23, #0                         // x23: its first half
    adds        x21, x21, #8                    // x21: channels left, less 8
    b.mi        4f
    half_block  0
    str         d18, [x4], #8
    mov         x23, #8                         // x23: its second half
    sub         x21, x21, #8

    // ---- The last 1..7: the 8 bytes that end with each row.
4:
    cmp         x21, #-8                        // none left?
    b.eq        3f
    sub         x20, x0, #8
    shift_of_rest x21
    half_block  1
    mov         x8, x4                          // x8: where the first of them goes
    add         x4, x4, #8
    add         x4, x4, x21
    store_rest  18, x8, x21

    // ---- On to the next pixel.
3:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    ldr         x23, [sp, #32]
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #48
    ret
