// The largest byte of a window, nine rows at a time, on AArch32: the whole way of a call. Whether bytes are signed
// is in int8 or uint8.
// KERNEL is the kernel's name.

#include "bodies/arch_aarch32.h"
    .text
    .p2align 4
    .global KERNEL
    .type   KERNEL, %function
KERNEL:
    // ---- Save what belongs to the caller and what each pixel needs again: 48 bytes.
    push        {r0, r1, r3-r11, lr}            // pixels left at sp, ks at sp + 4, its pointers at sp + 8
    ldr         r12, [sp, #60]                  // r12: parameters
    vld1.8      {d28[], d29[]}, [r12]!          // q14: largest value allowed
    vld1.8      {d30[], d31[]}, [r12]           // q15: smallest

    // ---- First pass of a pixel: up to nine rows.
0:
    pointers_up_to_9 r1
    add         r3, r3, #36
    subs        r1, r1, #9                      // r1: rows left; none if this borrows
    movlo       r1, #0
    ldr         lr, [sp, #48]                   // lr: y
    subs        r0, r2, #16                     // r0: all channels, less 16
1:
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         1b
    cmp         r0, #-16                        // none left?
    beq         2f
    back_up_8   r0                              // to the last channels of each row
    add         r12, r12, r0
    add         lr, lr, r0
    largest_9                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes

    // ---- Further passes: up to eight rows and what y holds.
2:
    cmp         r1, #0
    beq         4f
    pointers_up_to_8 r1
    add         r3, r3, #32
    subs        r1, r1, #8
    movlo       r1, #0
    ldr         lr, [sp, #48]
    subs        r0, r2, #16                     // r0: all channels, less 16
3:
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    subs        r0, r0, #16                     // r0: channels left, less 16
    bhs         3b
    cmp         r0, #-16                        // none left?
    beq         2b
    back_up_8   r0                              // to the last channels of each row
    add         lr, lr, r0
    largest_8                                   // q0: 16 maxima
    vst1.8      {d0-d1}, [lr]!                  // 16 bytes
    b           2b

    // ---- On to the next pixel.
4:
    ldr         r4, [sp, #56]                   // r4: y_increment
    add         lr, lr, r4
    str         lr, [sp, #48]
    ldr         r3, [sp, #8]
    ldr         r4, [sp, #52]                   // r4: x_increment
    add         r3, r3, r4
    str         r3, [sp, #8]
    ldr         r1, [sp, #4]                    // r1: ks
    ldr         r4, [sp]                        // r4: pixels left
    subs        r4, r4, #1
    str         r4, [sp]
    bne         0b

    // ---- Give back what was saved.
    pop         {r0, r1, r3-r11, pc}
    .size   KERNEL, . - KERNEL
