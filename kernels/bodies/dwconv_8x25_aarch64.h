// Depthwise kernels of int8, 25 taps, 8 channels at a time, on AArch64: the whole way of a call, but for how taps
// are multiplied (dwconv_mla8, mul8 or mul16) and sums made bytes (dwconv_rndnu or qc8w), which a kernel includes before.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Save what belongs to the caller, x19 to x21, and make room for pointers; fetch the parameters.
    ldp         x17, x8, [sp]                   // x17: the row of zeros, x8: parameters
    stp         x19, x20, [sp, #-48]!
    stp         x21, x22, [sp, #16]
    sub         sp, sp, #208
    load_scheme x8

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    rows_to_stack
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    mov         x20, #0                         // x20: channels done
    subs        x21, x0, #8                     // x21: channels left, less 8
    b.lo        2f

    // ---- Eight channels at a time: their sums are made bytes while the next eight are added up.
    sums_from_bias_8
    many_taps   0
    scales_8
    add         x20, x20, #8
    subs        x21, x21, #8
    b.lo        4f
1:
    start_8
    sums_from_bias_8
    many_taps_and_bytes
    scales_8
    str         d18, [x4], #8
    add         x20, x20, #8
    subs        x21, x21, #8
    b.hs        1b
4:
    finish_8                                    // v18: 8 bytes
    str         d18, [x4], #8

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x21, #-8                        // none left?
    b.eq        3f
    sub         x20, x0, #8
    shift_of_rest x21
    sums_from_bias_8
    many_taps   1
    scales_8
    finish_8
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
    add         sp, sp, #208
    ldp         x21, x22, [sp, #16]
    ldp         x19, x20, [sp], #48
    ret
