// The largest byte of a window, up to 8 channels, row after row, on AArch32: the whole way of a call. Whether bytes are signed
// is in int8 or uint8.
// KERNEL is the kernel's name.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller: 32 bytes, so stack arguments now start at sp + 32.
    push        {r4-r11}
    ldr         r12, [sp, #44]                  // r12: parameters
    vld1.8      {d28[], d29[]}, [r12]!          // q14: largest value allowed
    vld1.8      {d30[], d31[]}, [r12]           // q15: smallest
    ldr         r7, [sp, #32]                   // r7: y
    ldr         r8, [sp, #36]                   // r8: x_increment
    ldr         r9, [sp, #40]                   // r9: y_increment
    vmov.i8     q0, #0                          // lanes that are never loaded must not be undefined

    // ---- For each pixel: the largest of row after row.
0:
    mov         r4, r3
    mov         r6, r1
    vmov        q1, lower                       // q1: largest so far; no result is smaller
1:
    ldr         r5, [r4], #4
    add         r5, r5, r2                      // r5: end of the row
    load_row    r5
    larger      q1, q1, q0
    subs        r6, r6, #1
    bne         1b
    smaller     q1, q1, upper

    // ---- Store 8, 4, 2, 1 channels.
    tst         r2, #8
    beq         2f
    vst1.8      {d2}, [r7]!
    vext.8      q1, q1, q1, #8                  // the next ones first
2:
    tst         r2, #4
    beq         3f
    vst1.32     {d2[0]}, [r7]!
    vext.8      q1, q1, q1, #4
3:
    tst         r2, #2
    beq         4f
    vst1.16     {d2[0]}, [r7]!
    vext.8      q1, q1, q1, #2
4:
    tst         r2, #1
    beq         5f
    vst1.8      {d2[0]}, [r7]!

    // ---- On to the next pixel.
5:
    add         r3, r3, r8
    add         r7, r7, r9
    subs        r0, r0, #1
    bne         0b

    // ---- Give back what was saved.
    pop         {r4-r11}
    bx          lr
    .size   KERNEL, . - KERNEL
