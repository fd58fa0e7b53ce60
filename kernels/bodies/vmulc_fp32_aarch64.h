// Multiply by a constant, fp32, on AArch64: the whole way of a call. Whether bytes are signed is in int8 or
// uint8, what is done with eight of them in element_8, which the kernel defines.
// KERNEL is the kernel's name.

    .text
    .p2align 4
    .global KERNEL
KERNEL:
    // ---- Fetch the parameters; prepare the constant.
    load_mul_fp32 x4
    factor_of_constant x2                       // in every lane, for all elements

    // ---- Thirty-two elements at a time, as long as that many are left.
    subs        x0, x0, #32
    b.lo        1f
0:
    ldp         d0, d1, [x1], #16
    ldp         d2, d3, [x1], #16
    multiply_8  v0, factor                      // 8 results
    multiply_8  v1, factor                      // 8 results
    multiply_8  v2, factor                      // 8 results
    multiply_8  v3, factor                      // 8 results
    stp         d0, d1, [x3], #16
    stp         d2, d3, [x3], #16
    subs        x0, x0, #32
    b.hs        0b

    // ---- Eight elements at a time.
1:
    adds        x0, x0, #24                     // x0: elements left, less 8
    b.mi        3f
2:
    ldr         d0, [x1], #8
    multiply_8  v0, factor                      // 8 results
    str         d0, [x3], #8
    subs        x0, x0, #8
    b.pl        2b

    // ---- The last 1..7 elements: the 8 bytes that end with them.
3:
    cmp         x0, #-8                         // none left?
    b.eq        4f
    shift_of_rest x0
    load_rest   0, x1, x0
    multiply_8  v0, factor
    store_rest  0, x3, x0
4:
    ret
