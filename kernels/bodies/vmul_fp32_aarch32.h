// Multiply two vectors, fp32, on AArch32: the whole way of a call. Whether bytes are signed is in int8 or
// uint8, what is done with eight of them in element_8, which the kernel defines.
// KERNEL is the kernel's name.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Fetch the parameters.
    ldr         r12, [sp]
    load_mul_fp32 r12

    // ---- Sixteen elements at a time, as long as that many are left.
    subs        r0, r0, #16
    blo         1f
0:
    vld1.8      {d0-d1}, [r1]!
    vld1.8      {d2-d3}, [r2]!
    element_8   d0, d2                          // 8 results
    element_8   d1, d3                          // 8 results
    vst1.8      {d0-d1}, [r3]!
    subs        r0, r0, #16
    bhs         0b

    // ---- Eight elements, if eight are left.
1:
    adds        r0, r0, #8                      // r0: elements left, less 8
    bmi         2f
    vld1.8      {d0}, [r1]!
    vld1.8      {d2}, [r2]!
    element_8   d0, d2                          // 8 results
    vst1.8      {d0}, [r3]!
    sub         r0, r0, #8

    // ---- The last 1..7 elements: the 8 bytes that end with them.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d4
    load_rest   d0, r1, r0, d4
    load_rest   d2, r2, r0, d4
    element_8   d0, d2
    store_rest  d0, r3, r0
3:
    bx          lr
    .size   KERNEL, . - KERNEL
