// Depthwise kernels of int8, 25 taps, 8 channels at a time, on AArch64, whose sums stay: the whole way of a call, but for how taps
// are multiplied (dwconv_mul16), which a kernel includes before.

    // ---- Save what belongs to the caller, x19 to x21, and make room for pointers.
    ldr         x17, [sp]                       // x17: the row of zeros
    stp         x19, x20, [sp, #-32]!
    str         x21, [sp, #16]
    sub         sp, sp, #208

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    rows_to_stack
    add         x2, x2, x5
    mov         x19, x3                         // x19: weights
    mov         x20, #0                         // x20: channels done
    subs        x21, x0, #8                     // x21: channels left, less 8
    b.lo        2f

    // ---- Eight channels at a time: from the biases, over the taps, to memory.
1:
    sums_from_bias_8
    many_taps   0
    stp         q16, q17, [x4], #32
    add         x20, x20, #8
    subs        x21, x21, #8
    b.hs        1b

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         x21, #-8                        // none left?
    b.eq        3f
    sub         x20, x0, #8
    shift_of_rest x21
    sums_from_bias_8
    many_taps   1
    store_rest_of_sums x4, x21

    // ---- On to the next pixel.
3:
    add         x4, x4, x6
    subs        x1, x1, #1
    b.ne        0b

    // ---- Give back what was saved.
    add         sp, sp, #208
    ldr         x21, [sp, #16]
    ldp         x19, x20, [sp], #32
    ret
