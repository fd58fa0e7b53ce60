// Depthwise kernels of int8, 9 taps, 8 channels at a time, on AArch32: the whole way of a call, but for how taps
// are multiplied (dwconv_mla8, mul8 or mul16) and sums made bytes (dwconv_rndnu or qc8w), which a kernel includes before.
// KERNEL is the kernel's name.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller, and two arguments that each pixel needs again; fetch the parameters.
    push        {r0, r3-r12, lr}                // channels at sp + 64, w at sp + 68
    vpush       {d8-d15}
    ldr         r12, [sp, #132]
    load_scheme r12                             // parameters stay in registers
    ldr         lr, [sp, #112]                   // lr: output

    // ---- For each pixel: fetch its pointers, start the weights from their beginning.
0:
    ldr         r0, [sp, #128]                   // r0: the row of zeros
    ldr         r3, [sp, #124]                   // r3: input_offset
    nine_rows
    ldr         r0, [sp, #116]                   // r0: input_stride
    add         r2, r2, r0
    ldr         r3, [sp, #68]                    // r3: packed weights
    ldr         r0, [sp, #64]                    // r0: channels
    subs        r0, r0, #8
    blo         2f

    // ---- Eight channels at a time: their sums are made bytes while the next eight are added up.
    vld1.8      {d16-d19}, [r3]!                // q8, q9: biases
    nine_taps   0
    scales_8
    subs        r0, r0, #8
    blo         4f
1:
    start_8
    vld1.8      {d16-d19}, [r3]!
    nine_taps_and_bytes
    scales_8
    vst1.8      {d12}, [lr]!
    subs        r0, r0, #8
    bhs         1b
4:
    finish_8                                    // d12: 8 bytes
    vst1.8      {d12}, [lr]!

    // ---- The last 1..7 channels: the 8 bytes that end with each row.
2:
    cmp         r0, #-8                         // none left?
    beq         3f
    shift_of_rest r0, d30
    vld1.8      {d16-d19}, [r3]!
    nine_taps   1
    scales_8
    finish_8
    store_rest  d12, lr, r0

    // ---- On to the next pixel.
3:
    ldr         r0, [sp, #120]
    add         lr, lr, r0                      // lr: the next pixel's output
    subs        r1, r1, #1
    bne         0b

    // ---- Give back what was saved.
    vpop        {d8-d15}
    pop         {r0, r3-r12, pc}
    .size   KERNEL, . - KERNEL
